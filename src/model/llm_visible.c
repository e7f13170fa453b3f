/* This file knows how to take from an answer what no reader should see. */
#include "config.h"

#include "model/llm_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define TAG_BYTES ((size_t)200) /* of a tag with attributes */

struct tag {
	const char *open, *close;
};

/* How models mark thinking that was meant to be taken off before us. */
static const struct tag tags[] = {
	{ "<think>", "</think>" },
	{ "<thinking>", "</thinking>" },
	{ "<thought>", "</thought>" },
	{ "<thoughts>", "</thoughts>" },
	{ "<reasoning>", "</reasoning>" },
	{ "<mm:think>", "</mm:think>" },
	{ "<seed:think>", "</seed:think>" },
	{ "[THINK]", "[/THINK]" },
	{ "\xe2\x97\x81think\xe2\x96\xb7", "\xe2\x97\x81/think\xe2\x96\xb7" },
	{ "<|START_THINKING|>", "<|END_THINKING|>" },
	{ "<|begin_of_thought|>", "<|end_of_thought|>" },
	{ "<|channel>thought", "<channel|>" },
	{ "<|inner_prefix|>", "<|inner_suffix|>" },
	{ "<scratchpad>", "</scratchpad>" },
	{ "<antthinking>", "</antthinking>" },
	{ "&lt;think&gt;", "&lt;/think&gt;" },
};

/* Marks of a template's end that some servers let through. */
static const char *const ends[] = { "<|im_end|>", "<|eot_id|>",
	"<|end_of_text|>", "<|endoftext|>", "<|return|>", "<|end|>",
	"<end_of_turn>",
	"<\xef\xbd\x9c"
	"end\xe2\x96\x81of\xe2\x96\x81"
	"sentence\xef\xbd\x9c>",
	"<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>", "<|eom_id|>", "<|eot|>",
	"<|endofassistant|>", "<|end_of_role|>", "<end_of_utterance>", "<eos>",
	"</s>" };

static const char *const starts[] = { "<|START_RESPONSE|>",
	"<|begin_of_solution|>", "<|im_start|>assistant",
	"<|start_header_id|>assistant<|end_header_id|>",
	"<|start_of_role|>assistant<|end_of_role|>", "<start_of_turn>model",
	"<|begin_of_text|>", "<|assistant|>", "[/INST]", "<bos>", "<s>" };

/* Behind a mark of the end: the reader's next turn, made up by the model. */
static const char *const turns[] = { "<|im_start|>user",
	"<|start_header_id|>user", "<start_of_turn>user", "<|start|>user",
	"<|start_of_role|>user", "<|user|>", "<|USER_TOKEN|>", "[INST]" };

/* Around the answer of models that mark it as they mark their thinking. */
static const struct tag frames[] = {
	{ "<answer>", "</answer>" },
	{ "<response>", "</response>" },
};

static struct str trim_lines(struct str s);
static bool cut_tag(struct str *s, struct str *thought, bool *open);
static size_t open_tag(struct str s, const char *open);
static bool find_close(
    struct str s, size_t from, const struct tag *tag, size_t *at);
static bool cut_close(struct str *s);
static bool cut_headless(struct str *s, struct str *thought);
static bool cut_harmony(struct str *s, struct str *thought, bool *open);
static void cut_thoughts(
    struct str *s, bool think, struct llm_visible *out, struct buf *thoughts);
static bool cut_words(
    struct str *s, const char *open, const char *close, struct str *thought);
static void cut_starts(struct str *s);
static void cut_ends(struct str *s);
static void cut_turns(struct str *s);
static size_t end_mark(struct str s);
static void cut_frame(struct str *s);
static bool in_code(struct str s);
static bool cut_fence(struct str *s);
static size_t fence_run(struct str line);
static bool has_hidden(struct str s);
static bool find(struct str s, size_t from, const char *z, size_t *at);
static bool starts_folded(struct str s, const char *z);
static void add_thought(struct buf *all, struct str t);

void
llm_visible(
    struct pool *pool, struct str raw, bool think, struct llm_visible *out)
{
	struct text clean = text_clean(pool, raw);
	struct str s = trim_lines((struct str){ clean.p, clean.n });
	struct buf thoughts;

	memset(out, 0, sizeof(*out));
	if (has_hidden(raw))
		out->flags |= LLM_FLAG_HIDDEN;
	buf_init(&thoughts, clean.n + 1); /* parted by less than their tags */
	cut_thoughts(&s, think, out, &thoughts);
	if (cut_fence(&s)) {
		out->flags |= LLM_FLAG_FENCE;
		cut_thoughts(&s, think, out, &thoughts); /* within the fence */
	}
	if (thoughts.n > 0)
		out->thought =
		    pool_text(pool, (struct text){ thoughts.p, thoughts.n });
	buf_release(&thoughts);
	s = trim_lines(s);
	out->text = pool_text(pool, (struct text){ s.p, s.n });
}

/* What no reader should see, in front of the answer and behind it. */
static void
cut_thoughts(
    struct str *s, bool think, struct llm_visible *out, struct buf *thoughts)
{
	struct str thought = { NULL, 0 };

	cut_starts(s);
	while (think && !out->open &&
	       (cut_tag(s, &thought, &out->open) ||
		   cut_harmony(s, &thought, &out->open) ||
		   cut_words(s, "analysis", "assistantfinal", &thought) ||
		   cut_words(s, "Here is my thought process:",
		       "Here is my response:", &thought) ||
		   ((out->flags & LLM_FLAG_THOUGHT) == 0 &&
		       cut_headless(s, &thought)))) {
		out->flags |= LLM_FLAG_THOUGHT;
		while (cut_close(s))
			continue;
		add_thought(thoughts, thought);
		*s = trim_lines(*s);
	}
	if (out->open)
		*s = STR("");
	cut_starts(s);
	cut_turns(s);
	cut_ends(s);
	if ((out->flags & LLM_FLAG_THOUGHT) != 0)
		cut_frame(s);
}

/* A block at the very beginning: <think>...</think>. */
static bool
cut_tag(struct str *s, struct str *thought, bool *open)
{
	struct str at = str_trim(*s);

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t n = open_tag(at, tags[i].open);
		size_t end;

		if (n == 0)
			continue;
		if (!find_close(at, n, &tags[i], &end)) {
			*open = true;
			*thought = (struct str){ at.p + n, at.n - n };
			return true;
		}
		*thought = (struct str){ at.p + n, end - n };
		end += strlen(tags[i].close);
		*s = (struct str){ at.p + end, at.n - end };
		return true;
	}
	return false;
}

/* Bytes of that tag, maybe with attributes, where s begins; 0: none. */
static size_t
open_tag(struct str s, const char *open)
{
	size_t n = strlen(open);
	const char *end;

	if (starts_folded(s, open))
		return n;
	if (open[0] != '<' || open[1] == '|' || s.n <= n || s.p[n - 1] != ' ' ||
	    strncasecmp(s.p, open, n - 1) != 0)
		return 0;
	end = memchr(s.p, '>', s.n < TAG_BYTES ? s.n : TAG_BYTES);
	return end == NULL ? 0 : (size_t)(end - s.p) + 1;
}

/* The mark that closes it; blocks within the block are passed over. */
static bool
find_close(struct str s, size_t from, const struct tag *tag, size_t *at)
{
	size_t depth = 1, first = s.n, close, open;

	if (!find(s, from, tag->open, &open))
		open = s.n;
	for (size_t i = from; find(s, i, tag->close, &close);
	     i = close + strlen(tag->close)) {
		for (; open < close; depth++) {
			i = open + strlen(tag->open);
			if (!find(s, i, tag->open, &open))
				open = s.n;
		}
		if (first == s.n)
			first = close;
		if (--depth == 0) {
			*at = close;
			return true;
		}
	}
	/* A tag that is only spoken of opens nothing. */
	*at = first;
	return first < s.n;
}

/* A closing mark too many, behind a block. */
static bool
cut_close(struct str *s)
{
	struct str at = str_trim(*s);

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t n = strlen(tags[i].close);

		if (starts_folded(at, tags[i].close)) {
			*s = (struct str){ at.p + n, at.n - n };
			return true;
		}
	}
	return false;
}

/*
 * Templates that put <think> into the prompt make answers that begin inside
 * it.  A lone end mark counts only as a line's end outside code, so that an
 * answer which talks about the tag keeps its words.
 */
static bool
cut_headless(struct str *s, struct str *thought)
{
	static const char close[] = "</think>";
	size_t at, open;

	if (!find(*s, 0, close, &at))
		return false;
	if ((find(*s, 0, "<think>", &open) && open < at) ||
	    in_code((struct str){ s->p, at }))
		return false;
	*thought = (struct str){ s->p, at };
	at += sizeof(close) - 1;
	if (at < s->n && s->p[at] != '\n')
		return false;
	*s = (struct str){ s->p + at, s->n - at };
	return true;
}

/* <|channel|>analysis<|message|>...<|end|>...<|channel|>final<|message|>... */
static bool
cut_harmony(struct str *s, struct str *thought, bool *open)
{
	static const char final[] = "<|channel|>final";
	static const char message[] = "<|message|>";
	struct str at = str_trim(*s);
	size_t i, k;

	if (str_starts(at, "<|start|>assistant"))
		at = (struct str){ at.p + 18, at.n - 18 };
	if (!str_starts(at, "<|channel|>"))
		return false;
	if (!find(at, 0, final, &i) || !find(at, i, message, &k)) {
		*open = true;
		*thought = at;
		return true;
	}
	*thought = (struct str){ at.p, i };
	k += sizeof(message) - 1;
	*s = (struct str){ at.p + k, at.n - k };
	return true;
}

/*
 * Marks that are words: harmony from servers that take its signs off, and
 * Granite's.  Without both they may be what was asked for.
 */
static bool
cut_words(
    struct str *s, const char *open, const char *close, struct str *thought)
{
	size_t n = strlen(open), at;

	if (!str_starts(*s, open) || s->n == n ||
	    (isalpha((unsigned char)open[n - 1]) &&
		isspace((unsigned char)s->p[n])) ||
	    !find(*s, n, close, &at))
		return false;
	*thought = (struct str){ s->p + n, at - n };
	at += strlen(close);
	*s = (struct str){ s->p + at, s->n - at };
	while (s->n > 0 && s->p[0] == ' ')
		*s = (struct str){ s->p + 1, s->n - 1 };
	return true;
}

static void
cut_starts(struct str *s)
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]);
		     i++) {
			size_t n = strlen(starts[i]);

			if (!str_starts(*s, starts[i]))
				continue;
			*s = trim_lines((struct str){ s->p + n, s->n - n });
			while (s->n > 0 && s->p[0] == ' ')
				*s = (struct str){ s->p + 1, s->n - 1 };
			again = true;
		}
	}
}

static void
cut_ends(struct str *s)
{
	size_t n;

	*s = trim_lines(*s);
	while ((n = end_mark(*s)) > 0) {
		s->n -= n;
		*s = trim_lines(*s);
	}
}

/* A template that does not stop: what follows the answer is no answer. */
static void
cut_turns(struct str *s)
{
	size_t at;

	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		size_t from = 0;
		bool code = false;

		while (find(*s, from, turns[i], &at)) {
			struct str before = { s->p, at };

			code ^= in_code((struct str){ s->p + from, at - from });
			from = at + 1; /* no backtick */
			if (code || end_mark(trim_lines(before)) == 0)
				continue;
			s->n = at;
			break;
		}
	}
}

/* Bytes of the mark that s ends with; 0: none. */
static size_t
end_mark(struct str s)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (s.n >= n && memcmp(s.p + s.n - n, ends[i], n) == 0)
			return n;
	}
	return 0;
}

/* Only behind thinking: elsewhere the tags may be what was asked for. */
static void
cut_frame(struct str *s)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		size_t n = strlen(frames[i].open), end;

		if (!starts_folded(*s, frames[i].open))
			continue;
		*s = (struct str){ s->p + n, s->n - n };
		/* A limit may have cut the end off. */
		n = strlen(frames[i].close);
		end = s->n < n ? 0 : s->n - n;
		if (starts_folded((struct str){ s->p + end, s->n - end },
			frames[i].close))
			s->n = end;
		*s = trim_lines(*s);
		return;
	}
}

/* Does what follows these bytes stand between backticks? */
static bool
in_code(struct str s)
{
	bool odd = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '`')
			odd = !odd;
	}
	return odd;
}

/*
 * The whole answer as one ```markdown block.  Fences inside are paired: one
 * with a word after it opens, a bare one closes; only when the outer one
 * closes on the very last line is it a wrapping.
 */
static bool
cut_fence(struct str *s)
{
	struct str rest = *s;
	struct str line = str_cut(&rest, '\n');
	struct str info;
	size_t outer = fence_run(line);
	const char *body;
	size_t depth = 1;

	if (outer == 0 || rest.p == NULL)
		return false;
	info = str_trim((struct str){ line.p + outer, line.n - outer });
	if (!(info.n == 8 && starts_folded(info, "markdown")) &&
	    !(info.n == 2 && starts_folded(info, "md")))
		return false;
	body = rest.p;
	while (rest.p != NULL) {
		size_t run;

		line = str_cut(&rest, '\n');
		run = fence_run(str_trim(line));
		if (run == 0)
			continue;
		if (str_trim(line).n > run)
			depth++;
		else if (--depth == 0)
			break;
	}
	if (depth != 0 || rest.p != NULL)
		return false;
	*s = (struct str){ body, (size_t)(line.p - body) };
	return true;
}

/* Backticks at the line's start when there are three or more. */
static size_t
fence_run(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '`')
		n++;
	return n >= 3 ? n : 0;
}

/* Without blank lines in front and white space behind. */
static struct str
trim_lines(struct str s)
{
	size_t i = 0;

	while (i < s.n && strchr(" \t\n", s.p[i]) != NULL) {
		if (s.p[i++] == '\n') {
			s = (struct str){ s.p + i, s.n - i };
			i = 0;
		}
	}
	while (s.n > 0 && strchr(" \t\n", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

/* Characters that can carry a mark nobody sees. */
static bool
has_hidden(struct str s)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t u;

		if ((unsigned char)s.p[i] < 0x80) {
			i++;
			continue;
		}
		u = text_next(s, &i);
		if ((u >= 0x202a && u <= 0x202e) ||
		    (u >= 0x2066 && u <= 0x2069) || u == 0x200b ||
		    u == 0x2060 || u == 0xfeff ||
		    (u >= 0xe0000 && u <= 0xe007f))
			return true;
	}
	return false;
}

/* Small letters of z stand for both. */
static bool
find(struct str s, size_t from, const char *z, size_t *at)
{
	while (from < s.n) {
		const char *p = memchr(s.p + from, z[0], s.n - from);

		if (p == NULL)
			return false;
		*at = (size_t)(p - s.p);
		if (starts_folded((struct str){ p, s.n - *at }, z))
			return true;
		from = *at + 1;
	}
	return false;
}

static bool
starts_folded(struct str s, const char *z)
{
	for (size_t i = 0; z[i] != '\0'; i++) {
		char c = i < s.n ? s.p[i] : '\0';

		if (c >= 'A' && c <= 'Z' && z[i] >= 'a')
			c = (char)(c - 'A' + 'a');
		if (c != z[i])
			return false;
	}
	return true;
}

static void
add_thought(struct buf *all, struct str t)
{
	t = str_trim(t);
	if (all->n > 0 && t.n > 0)
		buf_z(all, "\n\n");
	buf_str(all, t);
}
