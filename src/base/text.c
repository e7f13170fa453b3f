/* This file knows how to turn any bytes into text that XML can hold. */
#include "config.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

#define REPLACEMENT 0xfffd
#define MARKS_MAX 8 /* on one letter; no language writes as many */

/* What text_clean does with one character. */
enum verdict {
	KEEP,
	REPLACE,
	DROP,
	NEWLINE
};

struct step {
	enum verdict verdict;
	size_t n; /* bytes it takes in the input */
	bool bad; /* not UTF-8 */
};

static struct step step_at(struct str s, size_t i, unsigned *marks);
static uint32_t decode(struct str s, size_t i, size_t *n, bool *bad);
static enum verdict judge(uint32_t u);
static size_t ascii_run(struct str s, size_t i);
static bool is_space(uint32_t u);
static bool is_unseen(uint32_t u);
static bool is_cjk(uint32_t u);
static bool is_mark(uint32_t u);
static bool is_combining(uint32_t u);
static struct str as_str(struct text t);

struct text
text_clean(struct pool *p, struct str s)
{
	unsigned marks = 0;
	size_t room = 0;
	size_t n = 0;
	char *out;

	if (s.p == NULL || text_is_clean(s))
		return (struct text){ s.p, s.n };
	for (size_t i = 0; i < s.n;) {
		struct step t = step_at(s, i, &marks);

		room += t.verdict == REPLACE ? 3 : t.n;
		i += t.n;
	}
	out = pool_alloc(p, room + 1);
	if (out == NULL)
		return TEXT("");
	marks = 0;
	for (size_t i = 0; i < s.n;) {
		struct step t = step_at(s, i, &marks);

		if (t.verdict == KEEP) {
			memcpy(out + n, s.p + i, t.n);
			n += t.n;
		} else if (t.verdict == REPLACE) {
			memcpy(out + n, "\xef\xbf\xbd", 3);
			n += 3;
		} else if (t.verdict == NEWLINE) {
			out[n++] = '\n';
		}
		i += t.n;
	}
	out[n] = '\0';
	return (struct text){ out, n };
}

bool
text_is_clean(struct str s)
{
	unsigned marks = 0;

	for (size_t i = 0; i < s.n;) {
		struct step t = step_at(s, i, &marks);

		if (t.verdict != KEEP)
			return false;
		i += t.n;
	}
	return true;
}

enum err
text_input(struct pool *p, struct str s, size_t max_chars, struct text *out)
{
	unsigned marks = 0;
	struct text t;

	for (size_t i = 0; i < s.n;) {
		struct step at = step_at(s, i, &marks);

		if (at.bad || s.p[i] == '\0')
			return ERR_INVALID;
		i += at.n;
	}
	t = text_clean(p, s);
	if (pool_failed(p))
		return ERR_NOMEM;
	if (text_chars(t) > max_chars)
		return ERR_TOOBIG;
	*out = t;
	return ERR_OK;
}

uint32_t
text_next(struct str s, size_t *i)
{
	size_t n;
	bool bad;
	uint32_t u = decode(s, *i, &n, &bad);

	*i += n;
	return u;
}

size_t
text_chars(struct text t)
{
	size_t n = 0;

	for (size_t i = 0; i < t.n; i++) {
		/* Clean text: every byte but a continuation starts one. */
		if (((unsigned char)t.p[i] & 0xc0) != 0x80)
			n++;
	}
	return n;
}

size_t
text_words(struct text t)
{
	struct str s = as_str(t);
	size_t words = 0;
	bool inside = false;

	for (size_t i = 0; i < s.n;) {
		uint32_t u = text_next(s, &i);

		if (is_cjk(u)) {
			words++;
			inside = false;
		} else if (is_space(u)) {
			inside = false;
		} else if (!inside && !is_mark(u)) {
			/* A lone dash or bullet is no word. */
			words++;
			inside = true;
		}
	}
	return words;
}

size_t
text_lines(struct text t)
{
	size_t n = 0;

	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '\n')
			n++;
	}
	if (t.n > 0 && t.p[t.n - 1] != '\n')
		n++;
	return n;
}

struct text
text_cut(struct text t, size_t n)
{
	for (size_t i = 0; i < t.n; i++) {
		if (((unsigned char)t.p[i] & 0xc0) == 0x80)
			continue;
		if (n-- == 0)
			return (struct text){ t.p, i };
	}
	return t;
}

bool
text_is_blank(struct text t)
{
	struct str s = as_str(t);

	for (size_t i = 0; i < s.n;) {
		uint32_t u = text_next(s, &i);

		if (!is_space(u) && !is_unseen(u))
			return false;
	}
	return true;
}

/* *marks: how many the letter before i bears already. */
static struct step
step_at(struct str s, size_t i, unsigned *marks)
{
	struct step t = { KEEP, ascii_run(s, i), false };
	uint32_t u;

	if (t.n > 0) {
		*marks = 0;
		return t;
	}
	u = decode(s, i, &t.n, &t.bad);
	if (u == '\r') {
		t.verdict = NEWLINE;
		if (i + 1 < s.n && s.p[i + 1] == '\n')
			t.n = 2;
	} else if (t.bad) {
		t.verdict = REPLACE;
	} else {
		t.verdict = judge(u);
		if (t.verdict == KEEP && !is_combining(u))
			*marks = 0;
		else if (t.verdict == KEEP && ++*marks > MARKS_MAX)
			t.verdict = DROP;
	}
	return t;
}

/* How many plain bytes stand at i: the common case, taken in one step. */
static size_t
ascii_run(struct str s, size_t i)
{
	size_t from = i;

	while (i < s.n) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f)
			break;
		i++;
	}
	return i - from;
}

/*
 * One code point by table 3-7 of the Unicode standard.  A bad sequence is
 * U+FFFD and as long as its maximal valid beginning, at least one byte.
 */
static uint32_t
decode(struct str s, size_t i, size_t *n, bool *bad)
{
	const unsigned char *p = (const unsigned char *)s.p + i;
	size_t left = s.n - i;
	unsigned char lo = 0x80;
	unsigned char hi = 0xbf;
	size_t need;
	uint32_t u;

	*n = 1;
	*bad = false;
	if (p[0] < 0x80)
		return p[0];
	*bad = true;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return REPLACEMENT;
	need = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	u = p[0] & (0x7fU >> need);
	if (p[0] == 0xe0)
		lo = 0xa0;
	else if (p[0] == 0xed)
		hi = 0x9f; /* no surrogates */
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f;
	for (size_t k = 1; k < need; k++) {
		if (k >= left || p[k] < lo || p[k] > hi)
			return REPLACEMENT;
		u = u << 6 | (p[k] & 0x3fU);
		*n = k + 1;
		lo = 0x80;
		hi = 0xbf;
	}
	*bad = false;
	return u;
}

static enum verdict
judge(uint32_t u)
{
	if ((u >= 0x202a && u <= 0x202e) || (u >= 0x2066 && u <= 0x2069) ||
	    u == 0x200b || u == 0x2060 || u == 0xfeff ||
	    (u >= 0xe0000 && u <= 0xe007f))
		return DROP;
	if ((u < 0x20 && u != '\t' && u != '\n') || (u >= 0x7f && u < 0xa0) ||
	    (u >= 0xfdd0 && u <= 0xfdef) || (u & 0xfffe) == 0xfffe)
		return REPLACE;
	return KEEP;
}

static bool
is_space(uint32_t u)
{
	return u == ' ' || (u >= '\t' && u <= '\r') || u == 0xa0 ||
	       u == 0x1680 || (u >= 0x2000 && u <= 0x200a) || u == 0x2028 ||
	       u == 0x2029 || u == 0x202f || u == 0x205f || u == 0x3000;
}

/* Characters that show nothing by themselves: joiners, direction marks,
 * variation selectors, fillers. */
static bool
is_unseen(uint32_t u)
{
	return u == 0xad || u == 0x34f || u == 0x61c ||
	       (u >= 0x115f && u <= 0x1160) || (u >= 0x17b4 && u <= 0x17b5) ||
	       (u >= 0x180b && u <= 0x180f) || (u >= 0x200b && u <= 0x200f) ||
	       (u >= 0x202a && u <= 0x202e) || (u >= 0x2060 && u <= 0x206f) ||
	       u == 0x2800 || u == 0x3164 || (u >= 0xfe00 && u <= 0xfe0f) ||
	       u == 0xfeff || u == 0xffa0 || (u >= 0xe0000 && u <= 0xe0fff);
}

/* Ideographs and kana: written without spaces, counted one by one. */
static bool
is_cjk(uint32_t u)
{
	return (u >= 0x3400 && u <= 0x4dbf) || (u >= 0x4e00 && u <= 0x9fff) ||
	       (u >= 0xf900 && u <= 0xfaff) || (u >= 0x20000 && u <= 0x3fffd) ||
	       (u >= 0x3041 && u <= 0x3096) || (u >= 0x30a1 && u <= 0x30fa) ||
	       u == 0x3005 || u == 0x3007;
}

/* Punctuation and joiners, which make no word by themselves. */
static bool
is_mark(uint32_t u)
{
	if (u < 0x80)
		return !((u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') ||
			 (u >= 'a' && u <= 'z'));
	return (u >= 0x80 && u <= 0xbf && u != 0xaa && u != 0xb5 &&
		   u != 0xba) ||
	       (u >= 0x200b && u <= 0x206f) || (u >= 0x2190 && u <= 0x2bff) ||
	       (u >= 0x3001 && u <= 0x303f) || (u >= 0xff01 && u <= 0xff0f) ||
	       (u >= 0xff1a && u <= 0xff20) || (u >= 0xff3b && u <= 0xff40) ||
	       (u >= 0xff5b && u <= 0xff65) || u == 0x60c || u == 0x61b ||
	       u == 0x61f || u == 0x6d4 || u == REPLACEMENT;
}

/*
 * What is drawn on the letter before it, where it can be piled up beyond its
 * line, and what joins such marks without being seen.
 */
static bool
is_combining(uint32_t u)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = { { 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd },
		{ 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x6d6, 0x6dc },
		{ 0x6df, 0x6e4 }, { 0xe31, 0xe31 }, { 0xe34, 0xe3a },
		{ 0xe47, 0xe4e }, { 0xeb4, 0xebc }, { 0xec8, 0xece },
		{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200c, 0x200f },
		{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f } };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (u < ranges[i].from)
			return false;
		if (u <= ranges[i].to)
			return true;
	}
	return false;
}

static struct str
as_str(struct text t)
{
	return (struct str){ t.p, t.n };
}
