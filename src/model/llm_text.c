/* This file knows how to mend a model server's JSON and to hide a key in it. */
#include "config.h"

#include "model/llm_parts.h"

#include <string.h>

#include "base/text.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* ---- repairing JSON ---- */

struct repair {
	struct str in;
	size_t i;
	struct buf *out;
	unsigned *flags;
};

static void repair_string(struct repair *r);
static void repair_escape(struct repair *r);
static bool is_plain(char c);
static void replace(struct repair *r);
static bool hex4(struct str s, size_t i, unsigned *out);

bool
llm_repair(struct str in, struct buf *out, unsigned *flags)
{
	struct repair r = { in, 0, out, flags };
	size_t depth = 0;

	if (in.n >= 3 && memcmp(in.p, "\xef\xbb\xbf", 3) == 0)
		r.i = 3;
	while (r.i < in.n) {
		size_t from = r.i;

		for (; r.i < in.n && in.p[r.i] != '"'; r.i++) {
			char c = in.p[r.i];

			if (c == '{' || c == '[')
				depth++;
			else if ((c == '}' || c == ']') && depth > 0)
				depth--;
		}
		buf_add(out, in.p + from, r.i - from);
		if (r.i < in.n)
			repair_string(&r);
		if (r.i > in.n)
			return false;
	}
	return depth == 0;
}

/* From the opening quote past the closing one; r->i > n: there was none. */
static void
repair_string(struct repair *r)
{
	struct str in = r->in;

	buf_c(r->out, '"');
	r->i++;
	while (r->i < in.n) {
		unsigned char c = (unsigned char)in.p[r->i];
		size_t from = r->i;

		if (c == '"') {
			buf_c(r->out, '"');
			r->i++;
			return;
		}
		if (c == '\\') {
			repair_escape(r);
		} else if (c < 0x20) {
			r->i++;
			if (c == '\n')
				buf_z(r->out, "\\n");
			else if (c == '\t')
				buf_z(r->out, "\\t");
			else if (c == '\r')
				buf_z(r->out, "\\r");
			else
				replace(r);
		} else if (c < 0x80) {
			while (r->i < in.n && is_plain(in.p[r->i]))
				r->i++;
			buf_add(r->out, in.p + from, r->i - from);
		} else if (text_next(in, &r->i) == 0xfffd &&
			   (r->i - from != 3 ||
			       memcmp(in.p + from, REPLACEMENT, 3) != 0)) {
			replace(r);
		} else {
			buf_add(r->out, in.p + from, r->i - from);
		}
	}
	r->i = in.n + 1;
}

/* Inside a string nothing has to be done about c. */
static bool
is_plain(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x20 && u < 0x80 && u != '"' && u != '\\';
}

static void
repair_escape(struct repair *r)
{
	struct str in = r->in;
	size_t i = r->i;
	unsigned unit, low;

	if (i + 1 >= in.n) { /* a backslash as the last byte */
		r->i = in.n + 1;
		return;
	}
	if (in.p[i + 1] != 'u' || !hex4(in, i + 2, &unit)) {
		buf_add(r->out, in.p + i, 2);
		r->i += 2;
		return;
	}
	r->i += 6;
	if (unit == 0 || (unit >= 0xdc00 && unit <= 0xdfff)) {
		replace(r);
	} else if (unit < 0xd800 || unit > 0xdbff) {
		buf_add(r->out, in.p + i, 6);
	} else if (i + 7 < in.n && in.p[i + 6] == '\\' && in.p[i + 7] == 'u' &&
		   hex4(in, i + 8, &low) && low >= 0xdc00 && low <= 0xdfff) {
		buf_add(r->out, in.p + i, 12);
		r->i += 6;
	} else {
		replace(r);
	}
}

static void
replace(struct repair *r)
{
	buf_z(r->out, REPLACEMENT);
	*r->flags |= LLM_FLAG_REPAIRED;
}

static bool
hex4(struct str s, size_t i, unsigned *out)
{
	unsigned v = 0;

	if (i + 4 > s.n)
		return false;
	for (size_t k = i; k < i + 4; k++) {
		int digit = str_hex(s.p[k]);

		if (digit < 0)
			return false;
		v = v << 4 | (unsigned)digit;
	}
	*out = v;
	return true;
}

/* ---- keys ---- */

struct str
llm_hide(struct pool *pool, struct str s, struct str key, unsigned *flags)
{
	size_t n = 0;
	size_t from = 0;
	const char *p;
	char *out;

	if (s.p == NULL || key.p == NULL || key.n < 6 ||
	    memmem(s.p, s.n, key.p, key.n) == NULL)
		return s;
	*flags |= LLM_FLAG_SECRET;
	/* "***" is shorter than any key that is hidden. */
	out = pool_alloc(pool, s.n + 1);
	if (out == NULL)
		return STR("");
	while ((p = memmem(s.p + from, s.n - from, key.p, key.n)) != NULL) {
		size_t plain = (size_t)(p - s.p) - from;

		memcpy(out + n, s.p + from, plain);
		memcpy(out + n + plain, "***", 3);
		n += plain + 3;
		from += plain + key.n;
	}
	memcpy(out + n, s.p + from, s.n - from);
	return (struct str){ out, n + s.n - from };
}
