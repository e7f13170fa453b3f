/* This file knows how to judge whether an answer says who wrote it. */
#include "config.h"

#include "model/leak.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "model/leak_parts.h"
#include "port/crypt.h"

#define LIST_POOL ((size_t)8 << 20)
#define FLAGS_MAX ((size_t)512)
#define BARE_BYTES 120  /* an excuse in so little text is no answer */
#define FIRST_BYTES 200 /* "as instructed" in these tells at once */
#define SIGNS_MAX 5     /* rare signs in 1000 characters */
#define HIDDEN_MAX 3
#define NOWHERE SIZE_MAX

_Static_assert(PHRASE__MAX <= 32, "a word's phrases are bits of a uint32_t");

static const struct { /* what a block says of itself, in order */
	unsigned bit;
	const char *word;
} names[] = {
	{ LEAK_SELF, "block:self" },
	{ LEAK_QUOTE, "block:quote" },
	{ LEAK_CANARY, "block:canary" },
	{ LEAK_TAG, "block:tag" },
	{ LEAK_ERROR, "block:error" },
	{ LEAK_TOLD, "block:told" },
	{ LEAK_OVERLAP, "overlap" },
	{ LEAK_META, "meta" },
	{ LEAK_SOLICIT, "solicit" },
	{ LEAK_BEACON, "beacon" },
};

static enum err add_name(
    struct leak_list *l, struct text name, enum leak_kind kind, bool digits);
static void sign_list(
    struct leak_list *l, const struct leak_turn *turns, size_t n);
static enum err read_all(struct leak_reading *s);
static void mark_asked(void *arg, enum leak_phrase p, size_t last);
static void note(void *arg, enum leak_phrase p, size_t last);
static void mark(void *arg, enum leak_phrase p, size_t last);
static void pass_fences(struct leak_reading *s, size_t from, size_t i);
static void look(struct leak_reading *s);
static void disarm(struct leak_reading *s);
static size_t judge_name(struct leak_reading *s, size_t i);
static bool is_asked(const struct leak_reading *s, const struct leak_entry *e);
static void look_at_bytes(struct leak_reading *s);
static void look_at_run(struct leak_reading *s, const struct leak_run *run);
static void write_flags(struct leak_reading *s, struct leak_report *out);

enum err
leak_list_open(struct leak_list **out, const struct leak_name *own, size_t n)
{
	return leak_list_make(out, leak_turns, leak_turns_n, own, n);
}

enum err
leak_list_make(struct leak_list **out, const struct leak_turn *turns,
    size_t turns_n, const struct leak_name *own, size_t n)
{
	struct pool *pool = pool_open(LIST_POOL);
	struct leak_list *l;
	size_t shipped = 0;
	enum err e = ERR_NOMEM;

	if (pool == NULL)
		return ERR_NOMEM;
	while (leak_shipped[shipped].name != NULL)
		shipped++;
	l = pool_alloc(pool, sizeof(*l));
	if (l == NULL)
		goto fail;
	l->pool = pool;
	l->names_room = shipped + n;
	l->names = pool_array(pool, l->names_room + 1, sizeof(*l->names));
	if (l->names == NULL ||
	    leak_table_init(&l->by_name, pool, l->names_room) != ERR_OK ||
	    (e = leak_phrases_add(l, turns, turns_n)) != ERR_OK)
		goto fail;
	for (size_t i = 0; i < shipped; i++) {
		e = add_name(l, text_of(leak_shipped[i].name),
		    leak_shipped[i].kind, leak_shipped[i].digits);
		if (e != ERR_OK)
			goto fail;
	}
	for (size_t i = 0; i < n; i++) {
		e = add_name(l, own[i].name, own[i].kind, true);
		if (e != ERR_OK)
			goto fail;
	}
	sign_list(l, turns, turns_n);
	*out = l;
	return ERR_OK;
fail:
	pool_close(pool);
	return e;
}

void
leak_list_close(struct leak_list *l)
{
	if (l != NULL)
		pool_close(l->pool);
}

const char *
leak_list_version(const struct leak_list *l)
{
	return l->version;
}

enum err
leak_scan(const struct leak_list *l, struct pool *pool,
    const struct leak_case *c, struct leak_report *out)
{
	struct leak_reading s = { .l = l, .c = c, .pool = pool };
	struct leak_run run;
	enum err e = read_all(&s);

	if (e != ERR_OK)
		return e;
	look(&s);
	look_at_bytes(&s);
	e = leak_run_find(pool, &s.a, &s.hidden, &s.q, &run);
	if (e != ERR_OK)
		return e;
	look_at_run(&s, &run);
	write_flags(&s, out);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

bool
leak_asks_identity(const struct leak_list *l, struct text question)
{
	struct pool *pool = pool_open(LIST_POOL);
	struct leak_reading s = { .l = l };
	bool asks = false;

	if (pool == NULL)
		return false;
	if (leak_words_read(pool, question, &s.q) == ERR_OK) {
		for (size_t i = 0; i < s.q.n && !asks; i++) {
			s.excuse = false;
			leak_phrases_at(l, &s.q, i, mark, &s);
			asks = s.excuse;
		}
	}
	pool_close(pool);
	return asks;
}

static bool
has_word(struct str flags, struct str word)
{
	while (flags.n > 0) {
		struct str one = str_cut(&flags, ' ');

		if (str_eq(one, word))
			return true;
	}
	return false;
}

/* Of these flags, any that the other side does not share. */
static bool
spoils(struct str flags, struct str others)
{
	while (flags.n > 0) {
		struct str flag = str_cut(&flags, ' '), rest = flag;
		struct str kind = str_cut(&rest, ':');

		if (str_is(kind, "block") || str_is(kind, "catalog") ||
		    str_is(kind, "solicit"))
			return true;
		if (str_is(kind, "mention") && !has_word(others, flag))
			return true;
	}
	return false;
}

bool
leak_spoils(struct str flags_a, struct str flags_b)
{
	return spoils(flags_a, flags_b) || spoils(flags_b, flags_a);
}

struct text
leak_unblock(struct pool *pool, struct text flags, const char *as)
{
	struct str rest = { flags.p, flags.n }, out = STR("");

	while (rest.n > 0) {
		struct str flag = str_cut(&rest, ' ');
		size_t skip = str_starts(flag, "block:") ? 5 : 0;

		out = pool_printf(pool, "%.*s%s%s%.*s", (int)out.n, out.p,
		    out.n > 0 ? " " : "", skip > 0 ? as : "",
		    (int)(flag.n - skip), flag.p + skip);
	}
	return (struct text){ out.p, out.n };
}

void
leak_excuse_asked(struct pool *pool, struct leak_report *r)
{
	if ((r->found & LEAK_BLOCKS & ~(unsigned)LEAK_ASKED) != 0)
		return;
	r->flags = leak_unblock(pool, r->flags, "asked");
	r->found &= ~(unsigned)LEAK_BLOCKS;
}

void
leak_canary(struct str version_digest, char out[9])
{
	char hex[CRYPT_HEX + 1];
	char seed[96];

	snprintf(seed, sizeof(seed), "canary/1 %.*s", (int)version_digest.n,
	    version_digest.p);
	crypt_sha256_hex(str_of(seed), hex);
	/* Letters that make no word: two hex digits give one of 26. */
	for (size_t i = 0; i < 8; i++) {
		int hi = hex[2 * i], lo = hex[2 * i + 1];

		out[i] = (char)('a' + (hi * 31 + lo * 7) % 26);
	}
	out[8] = '\0';
}

/* ---- the list ---- */

static enum err
add_name(
    struct leak_list *l, struct text name, enum leak_kind kind, bool digits)
{
	struct leak_entry *e = &l->names[l->names_n];
	struct leak_words w;
	uint64_t *words;
	uint32_t *first;
	struct buf slug;
	enum err err = leak_words_read(l->pool, name, &w);

	if (err != ERR_OK)
		return err;
	/* One letter or a bare number names nobody. */
	if (w.n == 0 || (w.n == 1 && (w.w[0].letters < 2 || w.w[0].number)))
		return ERR_OK;
	words = pool_array(l->pool, w.n, sizeof(*words));
	if (words == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < w.n; i++)
		words[i] = w.w[i].hash;
	buf_init(&slug, 64);
	for (size_t i = 0; i < name.n; i++) {
		unsigned char b = (unsigned char)name.p[i];

		if (slug.n >= 48 && (b & 0xc0) != 0x80)
			break;
		if (b >= 0x80 || isalnum(b))
			buf_c(&slug, (char)tolower(b));
		else if (slug.n > 0 && slug.p[slug.n - 1] != '-')
			buf_c(&slug, '-');
	}
	*e = (struct leak_entry){
		.kind = kind, .digits = digits, .words = words, .words_n = w.n
	};
	e->slug = pool_text(l->pool, (struct text){ slug.p, slug.n });
	buf_release(&slug);
	first = leak_table_slot(&l->by_name, words[0]);
	e->next = *first;
	*first = (uint32_t)l->names_n++;
	return pool_failed(l->pool) ? ERR_NOMEM : ERR_OK;
}

/* Its slug is short and its words are not read in it. */
static void
sign_name(struct buf *b, const struct leak_entry *e)
{
	buf_printf(b, "%d %d %.*s", (int)e->kind, (int)e->digits,
	    (int)e->slug.n, e->slug.p);
	for (size_t k = 0; k < e->words_n; k++)
		buf_printf(b, " %016" PRIx64, e->words[k]);
	buf_c(b, '\n');
}

/* All that a verdict hangs on, so that stored ones are known to be old. */
static void
sign_list(struct leak_list *l, const struct leak_turn *turns, size_t n)
{
	char hex[CRYPT_HEX + 1];
	struct buf b;

	buf_init(&b, LIST_POOL);
	for (size_t i = 0; i < l->names_n; i++)
		sign_name(&b, &l->names[i]);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%d %s\n", (int)turns[i].phrase, turns[i].say);
	crypt_sha256_hex(buf_as_str(&b), hex);
	buf_release(&b);
	snprintf(l->version, sizeof(l->version), "%d-%.16s", LEAK_VERSION, hex);
}

/* ---- one text ---- */

static enum err
read_all(struct leak_reading *s)
{
	const struct leak_case *c = s->c;
	size_t n, **arrays[] = { &s->context, &s->speaker, &s->writer,
		&s->reply, &s->other };
	enum err e;

	if ((e = leak_words_read(s->pool, c->answer, &s->a)) != ERR_OK ||
	    (e = leak_words_read(s->pool, c->question, &s->q)) != ERR_OK ||
	    (e = leak_words_read(s->pool, c->instruction, &s->hidden)) !=
		ERR_OK)
		return e;
	n = s->a.n;
	s->begins = pool_array(s->pool, n + 1, sizeof(*s->begins));
	if (s->begins == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		*arrays[i] = pool_array(s->pool, n + 1, sizeof(size_t));
		if (*arrays[i] == NULL)
			return ERR_NOMEM;
	}
	/* 1 + the position of the last such word, up to each word. */
	for (size_t i = 0; i < n; i++) {
		s->at = i;
		leak_phrases_at(s->l, &s->a, i, mark, s);
		for (size_t k = 0; k < sizeof(arrays) / sizeof(arrays[0]);
		     k++) {
			size_t *last = *arrays[k] + i;

			if (last[0] > last[1])
				last[1] = last[0];
		}
	}
	for (size_t i = 0; i < s->q.n; i++)
		leak_phrases_at(s->l, &s->q, i, mark_asked, s);
	return ERR_OK;
}

static void
mark(void *arg, enum leak_phrase p, size_t last)
{
	struct leak_reading *s = arg;

	(void)last;
	if (p == PHRASE_IDENTITY)
		s->excuse = true;
	if (s->context == NULL)
		return;
	s->begins[s->at] |= UINT32_C(1) << p;
	if (p == PHRASE_CONTEXT)
		s->context[s->at + 1] = s->at + 1;
	else if (p == PHRASE_SPEAKER)
		s->speaker[s->at + 1] = s->at + 1;
	else if (p == PHRASE_WRITER)
		s->writer[s->at + 1] = s->at + 1;
	else if (p == PHRASE_REPLY)
		s->reply[s->at + 1] = s->at + 1;
	else if (p == PHRASE_ELSE)
		s->other[s->at + 1] = s->at + 1;
}

static void
mark_asked(void *arg, enum leak_phrase p, size_t last)
{
	struct leak_reading *s = arg;

	(void)last;
	s->asked |= UINT32_C(1) << p;
}

/* Fences stand where there is no word: from that byte to word i. */
static void
pass_fences(struct leak_reading *s, size_t from, size_t i)
{
	const char *p = s->c->answer.p;
	size_t run = 0;

	for (size_t k = from; k < s->a.w[i].at; k++) {
		run = p[k] == '`' ? run + 1 : 0;
		if (run == 3)
			s->in_code = !s->in_code;
	}
}

static void
look(struct leak_reading *s)
{
	size_t from = 0;

	s->excuse = s->in_code = false;
	for (size_t i = 0; i < s->a.n;) {
		size_t n;

		s->at = i;
		pass_fences(s, from, i);
		if (s->a.w[i].sentence)
			disarm(s);
		n = judge_name(s, i);
		/* A name may also begin a phrase, so all its words are asked.
		 */
		for (size_t k = 0; k < n; k++) {
			s->at = i + k;
			leak_phrases_at(s->l, &s->a, i + k, note, s);
		}
		i += n;
		from = s->a.w[i - 1].end;
	}
	if (s->excuse && s->c->answer.n < BARE_BYTES)
		s->found |= LEAK_ERROR;
	/* A list of several names is no signature. */
	if (s->alone && s->mentions_n <= 1)
		s->found |= LEAK_SELF;
}

static void
disarm(struct leak_reading *s)
{
	s->self = s->open = s->near = s->apart = NOWHERE;
	s->kind = s->made = s->by = NOWHERE;
}

/* The phrase that ends last is the one a name follows. */
static void
arm(size_t *trigger, size_t next)
{
	if (*trigger == NOWHERE || next > *trigger)
		*trigger = next;
}

static void
arm_from(size_t *trigger, size_t next, size_t *from, size_t first)
{
	if (*trigger == NOWHERE || next > *trigger)
		*from = first;
	arm(trigger, next);
}

/* "When you are talking to NAME, …": whenever that may be. */
static bool
is_supposed(const struct leak_reading *s)
{
	return s->at > 0 && (leak_reads(s, s->at - 1, "when") ||
				leak_reads(s, s->at - 1, "whenever") ||
				leak_reads(s, s->at - 1, "if"));
}

static void
note(void *arg, enum leak_phrase p, size_t last)
{
	struct leak_reading *s = arg;

	/* "What is a system prompt?" is answered in the same words. */
	if (p >= PHRASE_META && (s->asked & UINT32_C(1) << p) != 0)
		return;
	switch (p) {
	case PHRASE_SELF:
		if (!is_supposed(s))
			arm(&s->self, last + 1);
		break;
	case PHRASE_OPEN:
		if (s->a.w[s->at].sentence)
			arm(&s->open, last + 1);
		break;
	case PHRASE_NEAR:
		/* "models such as …" speaks of others. */
		if (s->at == 0 || !leak_reads(s, s->at - 1, "such"))
			arm_from(&s->near, last + 1, &s->near_from, s->at);
		break;
	case PHRASE_APART:
		arm(&s->apart, last + 1);
		break;
	case PHRASE_KIND:
		arm(&s->kind, last + 1);
		break;
	case PHRASE_MADE:
		arm_from(&s->made, last + 1, &s->made_from, s->at);
		break;
	case PHRASE_BY:
		arm(&s->by, last + 1);
		break;
	case PHRASE_ORDER:
	case PHRASE_META:
		if (p == PHRASE_ORDER && !leak_is_told(s, last))
			break;
		s->found |= LEAK_META;
		if (s->a.w[s->at].at < FIRST_BYTES)
			s->found |= LEAK_TOLD;
		break;
	case PHRASE_SOLICIT:
		s->found |= LEAK_SOLICIT;
		break;
	case PHRASE_EXCUSE:
		s->excuse = true;
		break;
	case PHRASE_FAILURE:
		if (s->c->answer.n < BARE_BYTES && leak_is_failure(s, last))
			s->found |= LEAK_ERROR;
		break;
	default:
		break;
	}
}

/* How many words the name at i has; 1 when there is none. */
static size_t
judge_name(struct leak_reading *s, size_t i)
{
	size_t n = 1;
	const struct leak_entry *e = leak_name_at(s->l, &s->a, i, &n);

	if (e == NULL)
		return 1;
	if (leak_names_itself(s, e, i, n)) {
		s->found |= LEAK_SELF;
		return n;
	}
	s->alone = s->alone || leak_stands_alone(s, e->kind, i, n);
	if (leak_mentions(s, e, i, n) && !is_asked(s, e)) {
		s->found |= LEAK_MENTION;
		for (size_t k = 0; k < s->mentions_n; k++) {
			if (s->mentions[k] == e)
				return n;
		}
		if (s->mentions_n < LEAK_MENTIONS)
			s->mentions[s->mentions_n++] = e;
	}
	return n;
}

static bool
is_asked(const struct leak_reading *s, const struct leak_entry *e)
{
	size_t n;

	for (size_t i = 0; i < s->q.n; i++) {
		if (leak_name_at(s->l, &s->q, i, &n) == e)
			return true;
	}
	return false;
}

/* What is seen in the bytes rather than in the words. */
static void
look_at_bytes(struct leak_reading *s)
{
	struct str a = { s->c->answer.p, s->c->answer.n };
	struct str q = { s->c->question.p, s->c->question.n };

	s->found |= leak_bytes_find(a, q);
	if (s->c->canary.n > 0) {
		struct leak_words w;

		if (leak_words_read(s->pool, s->c->canary, &w) == ERR_OK &&
		    w.n == 1) {
			for (size_t i = 0; i < s->a.n; i++) {
				if (s->a.w[i].hash == w.w[0].hash)
					s->found |= LEAK_CANARY;
			}
		}
	}
	if (s->c->hidden || s->a.hidden > HIDDEN_MAX)
		s->found |= LEAK_SOLICIT;
	if (s->a.signs > SIGNS_MAX &&
	    s->a.signs * 1000 > SIGNS_MAX * s->a.chars)
		s->found |= LEAK_BEACON;
}

static void
look_at_run(struct leak_reading *s, const struct leak_run *run)
{
	if (run->words >= 8 || run->bytes >= 50)
		s->found |= LEAK_QUOTE;
	else if (run->words >= 5)
		s->found |= LEAK_OVERLAP;
}

static void
write_flags(struct leak_reading *s, struct leak_report *out)
{
	struct buf b;

	buf_init(&b, FLAGS_MAX);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((s->found & names[i].bit) != 0)
			buf_printf(
			    &b, "%s%s", b.n > 0 ? " " : "", names[i].word);
	}
	for (size_t i = 0; i < s->mentions_n; i++)
		buf_printf(&b, "%smention:%.*s", b.n > 0 ? " " : "",
		    (int)s->mentions[i]->slug.n, s->mentions[i]->slug.p);
	out->found = s->found;
	out->flags =
	    pool_text(s->pool, (struct text){ b.n > 0 ? b.p : "", b.n });
	buf_release(&b);
}
