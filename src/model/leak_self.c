/* This file knows how to tell whether an answer speaks of itself. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "model/leak_parts.h"

#define SELF_BYTES 40  /* between "I am" and the name */
#define MADE_BYTES 160 /* and the maker's: "I am …, trained by NAME" */
#define TOLD_WORDS 6   /* of what a writer was told to do */
#define NEAR_WORDS 8   /* a word this near tells what is meant */
#define DONE_WORDS 4   /* between a maker's name and what it did */
#define BY_WORDS 4     /* of a maker before the one who did it: 由 */

static bool is_self(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n);
static bool is_plain(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n);
static bool is_credit(const struct leak_reading *s, size_t i, size_t next);
static bool is_followed(const struct leak_reading *s,
    const struct leak_entry *e, size_t i, size_t n);
static bool begins(const struct leak_reading *s, size_t i, enum leak_phrase p);
static size_t past_version(const struct leak_reading *s, size_t i);
static bool is_about(const struct leak_reading *s, size_t first, size_t name);
static bool is_others(const struct leak_reading *s, size_t made);
static bool is_kind(const struct leak_reading *s, size_t first, size_t name);
static bool is_said(const struct leak_reading *s, size_t i, size_t bytes);
static bool leads(const struct leak_reading *s, size_t first);
static bool is_ai(const struct leak_reading *s, size_t i, size_t n);
static bool is_release(const struct leak_reading *s, size_t i, size_t n);
static bool is_camel(const struct leak_reading *s, size_t i);
static bool is_numbered(const struct leak_reading *s, size_t next);
static bool is_big(const struct leak_word *w);
static bool is_near(const struct leak_reading *s, const size_t *of, size_t i);
static bool is_meant(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n);
static bool is_spoken_of(const struct leak_reading *s, size_t next);
static bool is_someone(const struct leak_reading *s, size_t i, size_t n);
static bool is_model(enum leak_kind kind);
static bool is_cut(const struct leak_reading *s, size_t i);
static bool is_series(const struct leak_reading *s, size_t i);
static bool is_mark(const struct leak_reading *s, size_t i);
static bool is_link(const struct leak_reading *s, size_t i);
static bool is_humped(const struct leak_reading *s, size_t i);
static bool ends_in_dash(struct str t, size_t i);

bool
leak_names_itself(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n)
{
	return is_self(s, e, i, n) || is_plain(s, e, i, n) ||
	       is_followed(s, e, i, n);
}

/* "Model: GPT-4", a line of its own: what comes before its name tells. */
static bool
is_labelled(const struct leak_reading *s, size_t i, size_t next)
{
	static const char *const labels[] = { "model", "assistant", "llm",
		"engine", "chatbot", "bot", "maker", "provider", "vendor",
		"signed" };
	const struct leak_word *w = s->a.w;

	if (i == 0 || s->in_code || !w[i - 1].line || !w[i].comma ||
	    (next < s->a.n && !w[next].line && !w[next].comma))
		return false;
	for (size_t k = 0; k < sizeof(labels) / sizeof(labels[0]); k++) {
		if (leak_reads(s, i - 1, labels[k]))
			return true;
	}
	return false;
}

/* "ChatGPT: …" at the beginning, alone on the last line, behind a label. */
bool
leak_stands_alone(
    const struct leak_reading *s, enum leak_kind kind, size_t i, size_t n)
{
	struct str a = { s->c->answer.p, s->c->answer.n };
	const struct leak_word *w = s->a.w;
	size_t next = past_version(s, i + n), at = w[next - 1].end;

	if (!is_model(kind) &&
	    (kind != LEAK_COMMON || !(is_ai(s, i, n) || is_release(s, i, n))))
		return false;
	while (at < a.n && (a.p[at] == '*' || a.p[at] == '_'))
		at++;
	if (is_labelled(s, i, next))
		return true;
	if (i == 0)
		return at < a.n &&
		       (a.p[at] == ':' ||
			   (at + 3 <= a.n &&
			       memcmp(a.p + at, "\xef\xbc\x9a", 3) == 0));
	/* "… I hope this helps! – ChatGPT" */
	if (next == s->a.n && w[i].sentence && ends_in_dash(a, w[i].at))
		return true;
	/* No more than a word or two of explanation, after an empty line or
	 * a line that greets. */
	if (!w[i].line || s->a.n - next > 2)
		return false;
	for (size_t k = next; k < s->a.n; k++) {
		if (w[k].line)
			return false;
	}
	for (at = w[i].at; at > 0 && a.p[at - 1] != '\n'; at--)
		continue;
	return (at >= 2 && a.p[at - 2] == '\n') ||
	       (at >= 2 && a.p[at - 2] == ',');
}

/* "As instructed, I ask a question first": an order to take pills is none. */
bool
leak_is_told(const struct leak_reading *s, size_t last)
{
	/* "demandé de répondre" is no doctor's order. */
	if (begins(s, last + 1, PHRASE_OTHERS) &&
	    !begins(s, last + 2, PHRASE_REPLY))
		return false;
	if (!leak_reads(s, last, "to"))
		return is_near(s, s->reply, s->at) ||
		       is_near(s, s->reply, last);
	/* "I was told to …": what follows at once is what was told. */
	for (size_t k = last + 1; k <= last + TOLD_WORDS && !is_cut(s, k);
	     k++) {
		if (begins(s, k, PHRASE_REPLY))
			return true;
	}
	return false;
}

/* "Error 502: bad gateway. Please …", not "502 is a bad gateway: …". */
bool
leak_is_failure(const struct leak_reading *s, size_t last)
{
	for (size_t i = 0; i < s->at; i++) {
		if (!s->a.w[i].number && !begins(s, i, PHRASE_NOISE))
			return false;
	}
	return is_cut(s, last + 1) || s->a.w[last + 1].number ||
	       begins(s, last + 1, PHRASE_ENDS);
}

/* Names what can be nothing but a model, when it is the speaker's. */
static bool
is_model(enum leak_kind kind)
{
	return kind == LEAK_MODEL || kind == LEAK_PROPER || kind == LEAK_HOST;
}

/* L2: the bare name. */
bool
leak_mentions(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n)
{
	switch (e->kind) {
	case LEAK_MODEL:
	case LEAK_VENDOR:
	case LEAK_HOST:
		/* "I will google it" is a verb; "gpt" in code is a table. */
		return e->kind != LEAK_VENDOR || s->a.w[i].upper ||
		       s->a.w[i].letters != 6 || s->a.w[i].cjk;
	case LEAK_PROPER:
		return (is_big(&s->a.w[i]) ||
			   (e->digits && is_numbered(s, i + n))) &&
		       !is_someone(s, i, n) && !is_near(s, s->other, i);
	case LEAK_SPELT:
		return is_camel(s, i);
	case LEAK_COMMON:
	case LEAK_WORD:
		return is_meant(s, e, i, n);
	case LEAK_PROMPT:
	case LEAK_AUTHOR:
		return is_near(s, s->writer, i);
	default:
		return false;
	}
}

/* Is this the word at i, in ASCII? */
bool
leak_reads(const struct leak_reading *s, size_t i, const char *word)
{
	const struct leak_word *w = s->a.w + i;

	return i < s->a.n && w->end - w->at == strlen(word) &&
	       strncasecmp(s->c->answer.p + w->at, word, strlen(word)) == 0;
}

/* Does what was said before make this name the speaker's own? */
static bool
is_self(const struct leak_reading *s, const struct leak_entry *e, size_t i,
    size_t n)
{
	const struct leak_word *w = s->a.w;
	/* A phrase later than the name's place was armed by its own words. */
	bool self = is_said(s, i, SELF_BYTES);
	bool near =
	    s->near <= i && i - s->near <= 2 && !is_about(s, s->near_from, i);
	bool made = s->made <= i && w[i].at - w[s->made - 1].end <= SELF_BYTES;
	bool at_once =
	    s->self <= i && i - s->self <= 1 && (!w[i].comma || is_link(s, i));
	bool ai = is_ai(s, i, n), spoken = is_near(s, s->speaker, i);
	bool of_me = made && spoken && !is_others(s, s->made_from);
	bool ours = made && (of_me || (ai && leads(s, s->made_from)) ||
				is_said(s, i, MADE_BYTES));

	switch (e->kind) {
	case LEAK_MODEL:
	case LEAK_PROPER:
	case LEAK_HOST:
		return self ||
		       (near && ai && (spoken || leads(s, s->near_from))) ||
		       (near && spoken && is_kind(s, s->near, i)) ||
		       (near && i == s->near && !is_someone(s, i, n) &&
			   spoken) ||
		       ours;
	case LEAK_VENDOR:
		return ours || (self && ai) ||
		       (at_once && i == s->self && spoken);
	case LEAK_SPELT: /* "I am new to XAI" says nothing of the speaker */
		return ours || (is_camel(s, i) && self) || (i == s->self && ai);
	case LEAK_WORD:
		if (self && i == s->self &&
		    (is_release(s, i, n) || is_humped(s, i)))
			return true;
		return !is_someone(s, i, n) && ai && (self || near || ours);
	case LEAK_COMMON:
		if (is_someone(s, i, n))
			return false;
		return (self && at_once && (i == s->self || ai) &&
			   (is_big(&w[i]) || i == s->self)) ||
		       (self && ai) || (near && ai) || (of_me && ai) ||
		       (of_me && i == s->made && is_big(&w[i]) &&
			   is_near(s, s->speaker, i));
	case LEAK_PROMPT:
		return (at_once && is_big(&w[i])) ||
		       (near && n > 1 && is_near(s, s->speaker, i)) ||
		       (made && is_near(s, s->writer, i));
	case LEAK_AUTHOR:
		return (made && spoken) || (at_once && is_big(&w[i]));
	default:
		return false;
	}
}

/* "I am [Claude](…)": all that stands before the name opens a link. */
static bool
is_link(const struct leak_reading *s, size_t i)
{
	const struct leak_word *w = &s->a.w[i];
	const char *p = s->c->answer.p;
	size_t at = w->at, from = i > 0 ? w[-1].end : 0;

	if (at <= from || p[at - 1] != '[')
		return false;
	for (at--; at > from; at--) {
		if (p[at - 1] != ' ')
			return false;
	}
	return true;
}

/* "MiniMax", "PaLM": no word of a language has a capital within. */
static bool
is_humped(const struct leak_reading *s, size_t i)
{
	const struct leak_word *w = &s->a.w[i];
	const char *p = s->c->answer.p;

	for (size_t k = w->at + 1; k < w->end; k++) {
		if (islower((unsigned char)p[k - 1]) &&
		    isupper((unsigned char)p[k]))
			return true;
	}
	return false;
}

static bool
begins(const struct leak_reading *s, size_t i, enum leak_phrase p)
{
	return i < s->a.n && (s->begins[i] & UINT32_C(1) << p) != 0;
}

/* The word after a name, its number and its series: "Qwen2.5-72B-Instruct". */
static size_t
past_version(const struct leak_reading *s, size_t i)
{
	while (i < s->a.n && !s->a.w[i].sentence && !s->a.w[i].comma &&
	       (s->a.w[i].number || is_series(s, i)))
		i++;
	return i;
}

/* "I am against NAME": is there such a word from first up to the name? */
static bool
is_about(const struct leak_reading *s, size_t first, size_t name)
{
	for (; first < name; first++) {
		if (begins(s, first, PHRASE_ABOUT))
			return true;
	}
	return false;
}

/* "Being a model from NAME": is there a word for a model from first on? */
static bool
is_kind(const struct leak_reading *s, size_t first, size_t name)
{
	for (; first < name; first++) {
		if (begins(s, first, PHRASE_PRODUCT))
			return true;
	}
	return false;
}

/* "I think NAME was made by …", "I like models made by …": does somebody else
 * stand between the speaker and the word that tells of the making? */
static bool
is_others(const struct leak_reading *s, size_t made)
{
	static const char *const many[] = { "models", "tools", "systems",
		"programs", "assistants", "chatbots", "modelle", "modelos",
		"modèles", "modelli" };
	size_t n;

	size_t first = s->speaker[made];

	if (first == 0 || made - first > 2 * NEAR_WORDS)
		return false; /* whoever speaks does so later */
	for (size_t k = first; k < made; k++) {
		const struct leak_entry *e = leak_name_at(s->l, &s->a, k, &n);

		if (s->a.w[k].sentence)
			return false;
		if (e != NULL && e->kind != LEAK_PROMPT &&
		    e->kind != LEAK_AUTHOR && is_big(&s->a.w[k]))
			return true;
		for (size_t m = 0; m < sizeof(many) / sizeof(many[0]); m++) {
			if (leak_reads(s, k, many[m]))
				return true;
		}
	}
	return false;
}

/* Is "I am" what the sentence has said at most so many bytes before? */
static bool
is_said(const struct leak_reading *s, size_t i, size_t bytes)
{
	return s->self <= i &&
	       s->a.w[i].at - s->a.w[s->self - 1].end <= bytes &&
	       !is_about(s, s->self, i);
}

/* "As an AI from NAME …" and not "a program such as NAME": does the phrase
 * that begins with that word begin its sentence? */
static bool
leads(const struct leak_reading *s, size_t first)
{
	return first < s->a.n && s->a.w[first].sentence;
}

/* Does something other than a word of the sentence stand before word i? */
static bool
is_cut(const struct leak_reading *s, size_t i)
{
	return i >= s->a.n || s->a.w[i].comma || s->a.w[i].sentence;
}

/* Does the sentence speak of language models, or the next word of a model? */
static bool
is_ai(const struct leak_reading *s, size_t i, size_t n)
{
	return is_near(s, s->context, i) ||
	       begins(s, past_version(s, i + n), PHRASE_PRODUCT);
}

/* "Phi-4", "Command R", "Gemini 2.5 Pro": nobody but a model is called so. */
static bool
is_release(const struct leak_reading *s, size_t i, size_t n)
{
	return is_big(&s->a.w[i]) && (n > 1 || past_version(s, i + n) > i + n);
}

/* "xAI": a small letter first, then a great one. */
static bool
is_camel(const struct leak_reading *s, size_t i)
{
	const struct leak_word *w = &s->a.w[i];

	for (size_t k = w->at; !w->upper && k < w->end; k++) {
		if (isupper((unsigned char)s->c->answer.p[k]))
			return true;
	}
	return false;
}

/* Written as a name is, where its script can tell. */
static bool
is_big(const struct leak_word *w)
{
	return w->upper || w->caseless;
}

/* "I, NAME, …", "Hier antwortet NAME", "Like all NAME models, I …",
 * "由 NAME 开发": what needs no word nearby to be plain. */
static bool
is_plain(const struct leak_reading *s, const struct leak_entry *e, size_t i,
    size_t n)
{
	const struct leak_word *w = s->a.w;
	size_t next = past_version(s, i + n);
	bool model = is_model(e->kind);
	bool ai = is_ai(s, i, n);

	if (e->kind == LEAK_AUTHOR || (!model && is_someone(s, i, n)))
		return false;
	if (s->apart == i && w[i].comma && is_cut(s, i + n) && is_big(&w[i]) &&
	    (e->kind != LEAK_WORD || ai))
		return true;
	if (e->kind == LEAK_PROMPT)
		return s->open <= i && i - s->open <= 2 && n > 1;
	if (is_credit(s, i, next))
		return true;
	/* "As NAME, I …" */
	if (s->near == i && leads(s, s->near_from) && is_big(&w[i]) &&
	    next < s->a.n && w[next].comma && begins(s, next, PHRASE_SPEAKER) &&
	    (e->kind != LEAK_WORD || ai))
		return true;
	if (s->open <= i && i - s->open <= 2 && (model || ai))
		return true;
	if (s->kind <= i && i - s->kind <= 1 &&
	    begins(s, next, PHRASE_PRODUCT) && is_near(s, s->speaker, i))
		return true;
	for (size_t k = 0;
	     s->by <= i && i - s->by <= BY_WORDS && k <= DONE_WORDS; k++) {
		if (begins(s, next + k, PHRASE_DONE))
			return (is_near(s, s->speaker, i) &&
				   !is_others(s, s->by - 1)) ||
			       (model && leads(s, s->by - 1));
	}
	return false;
}

/* "// Generated by NAME", "# Author: NAME", in the code of an answer. */
static bool
is_credit(const struct leak_reading *s, size_t i, size_t next)
{
	static const char *const marks[] = { "//", "/*", "*", "#", "--", ";",
		"%", "<!--", "\"\"\"", "@" };
	struct str a = { s->c->answer.p, s->c->answer.n };
	size_t at = s->a.w[i].at, from = i;

	if (i == 0 || !is_big(&s->a.w[i]) || !s->in_code ||
	    (next < s->a.n && !is_cut(s, next)))
		return false;
	if (!leak_reads(s, i - 1, "author") && s->open != i && s->made != i)
		return false;
	while (at > 0 && a.p[at - 1] != '\n')
		at--;
	while (from > 0 && s->a.w[from - 1].at >= at)
		from--;
	/* Only what stands before the line's first word can open a comment. */
	for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++) {
		if (memmem(a.p + at, s->a.w[from].at - at, marks[k],
			strlen(marks[k])) != NULL)
			return true;
	}
	return false;
}

/* "NAME here", "NAME trained me": what comes behind tells. */
static bool
is_followed(const struct leak_reading *s, const struct leak_entry *e, size_t i,
    size_t n)
{
	size_t next = past_version(s, i + n);
	bool model = is_model(e->kind);
	bool ai = is_ai(s, i, n), first = s->a.w[i].sentence;
	bool here = begins(s, next, PHRASE_HERE) && !s->a.w[next].comma &&
		    (is_cut(s, next + 1) || leak_reads(s, next + 1, "to"));

	if (begins(s, next, PHRASE_WROTE))
		return e->kind == LEAK_AUTHOR || model;
	if (e->kind == LEAK_AUTHOR || (!model && is_someone(s, i, n)))
		return false;
	if (e->kind == LEAK_PROMPT)
		return here && n > 1 && i <= 2;
	if (e->kind == LEAK_WORD && !ai)
		return false;
	if (begins(s, next, PHRASE_TELLS) && is_big(&s->a.w[i]))
		return true;
	if (begins(s, next, PHRASE_CREATED))
		return model || ai;
	if (begins(s, next, PHRASE_SERVES))
		return (model && (first || i <= 2)) || ai;
	/* A greeting of two words may stand before it. */
	return here &&
	       ((model && first) || (i <= 2 && (model || is_big(&s->a.w[i]))));
}

/* Is such a word within NEAR_WORDS before or behind, in this sentence? */
static bool
is_near(const struct leak_reading *s, const size_t *of, size_t i)
{
	size_t first = i, last = i;

	while (first > 0 && i - first < NEAR_WORDS && !s->a.w[first].sentence)
		first--;
	while (last + 1 < s->a.n && last - i < NEAR_WORDS &&
	       !s->a.w[last + 1].sentence)
		last++;
	return of[last + 1] > first;
}

/* "GPT-4": is the next word the name's number? */
static bool
is_numbered(const struct leak_reading *s, size_t next)
{
	return next < s->a.n && s->a.w[next].number && !s->a.w[next].comma &&
	       !s->a.w[next].line;
}

/* "Gemini 1.5" is no mission: only programs count like that. */
static bool
has_decimals(const struct leak_reading *s, size_t i)
{
	const struct leak_word *w = s->a.w + i;
	const char *p = s->c->answer.p;

	return i < s->a.n && w->number && !w->comma && !w->line &&
	       w->letters <= 2 && w->end + 1 < s->c->answer.n &&
	       p[w->end] == '.' && isdigit((unsigned char)p[w->end + 1]);
}

/* A name that is also a word: is the model meant? */
static bool
is_meant(const struct leak_reading *s, const struct leak_entry *e, size_t i,
    size_t n)
{
	if (is_someone(s, i, n))
		return false;
	if (s->a.w[i].upper && has_decimals(s, i + n))
		return true;
	if (e->digits && s->a.w[i].upper && is_numbered(s, i + n))
		return true;
	if (e->digits && s->a.w[i].upper && s->a.w[i].stem == e->words[0])
		return true;
	return s->a.w[i].upper && is_near(s, s->context, i);
}

/* "My name is NAME," she said: somebody in a story. */
static bool
is_spoken_of(const struct leak_reading *s, size_t next)
{
	static const char *const who[] = { "he", "she", "they", "said", "says",
		"asked", "replied", "whispered" };

	if (next >= s->a.n || !s->a.w[next].comma || s->a.w[next].line)
		return false;
	for (size_t k = 0; k < sizeof(who) / sizeof(who[0]); k++) {
		if (leak_reads(s, next, who[k]))
			return true;
	}
	return false;
}

/* "Claude Monet": another capitalised word follows that no model bears. */
static bool
is_someone(const struct leak_reading *s, size_t i, size_t n)
{
	static const char *const others[] = { "ai", "assistant", "api", "llm",
		"model", "language", "bot", "and", "by", "speaking", "here" };
	const struct leak_word *next = &s->a.w[i + n];

	if (is_spoken_of(s, i + n))
		return true;
	if (i + n >= s->a.n || next->comma || next->sentence || next->line ||
	    !next->upper || next->cjk || is_series(s, i + n))
		return false;
	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
		if (leak_reads(s, i + n, others[k]))
			return false;
	}
	return true;
}

/* What makers call the members of a family. */
static bool
is_series(const struct leak_reading *s, size_t i)
{
	static const char *const series[] = { "sonnet", "opus", "haiku",
		"instant", "flash", "pro", "ultra", "nano", "advanced", "code",
		"coder", "large", "small", "medium", "nemo", "turbo", "mini",
		"chat", "instruct", "vision", "v", "plus", "max" };

	for (size_t k = 0; k < sizeof(series) / sizeof(series[0]); k++) {
		if (leak_reads(s, i, series[k]))
			return true;
	}
	return is_mark(s, i);
}

/* "K2", "M2", "R1": a letter and a number, as releases are called. */
static bool
is_mark(const struct leak_reading *s, size_t i)
{
	const struct leak_word *w;
	const char *p = s->c->answer.p;

	if (i >= s->a.n)
		return false;
	w = &s->a.w[i];
	for (size_t k = w->at + 1; k < w->end; k++) {
		if (!isdigit((unsigned char)p[k]))
			return false;
	}
	return w->upper && w->end - w->at > 1;
}

/* Is a long dash, or two short ones, what stands before byte i? */
static bool
ends_in_dash(struct str t, size_t i)
{
	while (i > 0 &&
	       (t.p[i - 1] == ' ' || t.p[i - 1] == '*' || t.p[i - 1] == '_'))
		i--;
	return (i >= 3 && (memcmp(t.p + i - 3, "\xe2\x80\x93", 3) == 0 ||
			      memcmp(t.p + i - 3, "\xe2\x80\x94", 3) == 0)) ||
	       (i >= 2 && memcmp(t.p + i - 2, "--", 2) == 0);
}
