/* This file knows how to collect bytes, escaped for where they will stand. */
#include "config.h"

#include "base/buf.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FIRST_ROOM ((size_t)256)
/* Beyond this a double no longer tells all integers apart by one decimal. */
#define FIXED_MAX 9e15

static char *reserve(struct buf *b, size_t n);
static size_t uint_digits(char *end, uint64_t v);
static void xml_run(struct buf *b, struct str s, bool attribute);
static bool csv_is_formula(struct str s);

void
buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void
buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .max = b->max };
}

void
buf_clear(struct buf *b)
{
	b->n = 0;
	b->failed = false;
	if (b->p != NULL)
		b->p[0] = '\0';
}

void
buf_add(struct buf *b, const void *p, size_t n)
{
	char *at = reserve(b, n);

	if (at == NULL)
		return;
	if (n > 0)
		memcpy(at, p, n);
	at[n] = '\0';
	b->n += n;
}

void
buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void
buf_z(struct buf *b, const char *z)
{
	buf_add(b, z, strlen(z));
}

void
buf_c(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *at;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->failed = true;
		return;
	}
	at = reserve(b, (size_t)n);
	if (at == NULL)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(at, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void
buf_int(struct buf *b, int64_t v)
{
	char z[24];
	char *end = z + sizeof(z);
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	size_t n = uint_digits(end, u);

	if (v < 0)
		*(end - ++n) = '-';
	buf_add(b, end - n, n);
}

/*
 * The whole part and the fraction are split first: both are exact.  Scaling
 * the fraction may round it onto a half that it does not reach, so there the
 * exact product decides (fma gives its lost tail).
 */
void
buf_fixed(struct buf *b, double v, int decimals)
{
	static const uint32_t tens[10] = { 1, 10, 100, 1000, 10000, 100000,
		1000000, 10000000, 100000000, 1000000000 };
	char z[40];
	char *end = z + sizeof(z);
	size_t n = 0;
	double whole, part, scaled, rest;
	uint64_t w, f;

	if (!isfinite(v) || fabs(v) > FIXED_MAX || decimals < 0 ||
	    decimals > 9) {
		b->failed = true;
		return;
	}
	whole = trunc(fabs(v));
	part = fabs(v) - whole;
	scaled = part * tens[decimals];
	w = (uint64_t)whole;
	f = (uint64_t)scaled;
	rest = scaled - (double)f;
	if (rest > 0.5 ||
	    (rest == 0.5 && fma(part, tens[decimals], -scaled) >= 0.0))
		f++;
	if (f >= tens[decimals]) {
		f -= tens[decimals];
		w++;
	}
	for (int i = 0; i < decimals; i++, n++) {
		*(end - n - 1) = (char)('0' + (f / tens[i]) % 10);
	}
	if (decimals > 0)
		*(end - ++n) = '.';
	n += uint_digits(end - n, w);
	if (v < 0.0 && (w > 0 || f > 0))
		*(end - ++n) = '-';
	buf_add(b, end - n, n);
}

void
buf_real(struct buf *b, double v)
{
	if (!isfinite(v)) {
		b->failed = true;
		return;
	}
	buf_printf(b, "%.17g", v);
}

void
buf_json(struct buf *b, struct str s)
{
	static const char names[32] = { ['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r' };
	size_t from = 0;
	size_t i = 0;

	while (i < s.n) {
		size_t at = i;
		unsigned char c = (unsigned char)s.p[i];

		if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
			i++;
			continue;
		}
		if (c >= 0x80) {
			if (text_next(s, &i) != 0xfffd)
				continue;
			buf_add(b, s.p + from, at - from);
			buf_z(b, "\xef\xbf\xbd");
			from = i;
			continue;
		}
		buf_add(b, s.p + from, at - from);
		if (c >= 0x20)
			buf_printf(b, "\\%c", c);
		else if (names[c] != '\0')
			buf_printf(b, "\\%c", names[c]);
		else
			buf_printf(b, "\\u%04x", c);
		from = ++i;
	}
	if (s.n > from) /* an absent string has no bytes to point into */
		buf_add(b, s.p + from, s.n - from);
}

void
buf_xml(struct buf *b, struct str s)
{
	xml_run(b, s, false);
}

void
buf_xml_attr(struct buf *b, struct str s)
{
	xml_run(b, s, true);
}

void
buf_url(struct buf *b, struct str s)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		char z[3] = { '%', hex[c >> 4], hex[c & 15] };

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || c == '-' || c == '.' ||
		    c == '_' || c == '~')
			buf_c(b, (char)c);
		else
			buf_add(b, z, sizeof(z));
	}
}

void
buf_csv(struct buf *b, struct str s)
{
	bool formula = csv_is_formula(s);
	bool quote = formula;

	for (size_t i = 0; i < s.n && !quote; i++)
		quote = strchr(",;\"\t\r\n", s.p[i]) != NULL;
	if (s.n > 0 && (s.p[0] == ' ' || s.p[s.n - 1] == ' '))
		quote = true;
	if (!quote) {
		buf_str(b, s);
		return;
	}
	buf_z(b, formula ? "\"'" : "\"");
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_c(b, '"');
		buf_c(b, s.p[i]);
	}
	buf_c(b, '"');
}

struct str
buf_as_str(const struct buf *b)
{
	if (b->p == NULL)
		return STR("");
	return (struct str){ b->p, b->n };
}

/* Room for n more bytes and a NUL; NULL (and failed) when there is none. */
static char *
reserve(struct buf *b, size_t n)
{
	size_t need, room;
	char *p;

	if (b->failed)
		return NULL;
	if (n > b->max - b->n || b->n + n == SIZE_MAX) {
		b->failed = true;
		return NULL;
	}
	need = b->n + n + 1;
	if (need <= b->room)
		return b->p + b->n;
	room = b->room > SIZE_MAX / 2 ? need : b->room * 2;
	if (room < FIRST_ROOM)
		room = FIRST_ROOM;
	if (room < need)
		room = need;
	if (b->max < SIZE_MAX && room > b->max + 1)
		room = b->max + 1;
	p = realloc(b->p, room);
	if (p == NULL) {
		b->failed = true;
		return NULL;
	}
	b->p = p;
	b->room = room;
	return p + b->n;
}

/* Writes v so that its last digit stands before end; returns the length. */
static size_t
uint_digits(char *end, uint64_t v)
{
	size_t n = 0;

	do {
		*(end - ++n) = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	return n;
}

static const char *
xml_escape(unsigned char c, bool attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\r':
		return "&#13;";
	case '\n':
		return attribute ? "&#10;" : NULL;
	case '\t':
		return attribute ? "&#9;" : NULL;
	default:
		return c < 0x20 ? "\xef\xbf\xbd" : NULL;
	}
}

/*
 * Whatever comes in, a well-formed run goes out: bytes that XML cannot hold
 * become U+FFFD here too, although text_clean has normally seen to it.
 */
static void
xml_run(struct buf *b, struct str s, bool attribute)
{
	size_t from = 0;
	size_t i = 0;

	while (i < s.n) {
		size_t at = i;
		unsigned char c = (unsigned char)s.p[i];
		const char *out = NULL;

		if (c >= 0x80) {
			uint32_t u = text_next(s, &i);

			if (u >= 0xfffd && u <= 0xffff)
				out = "\xef\xbf\xbd";
		} else {
			i++;
			if (c < 0x40)
				out = xml_escape(c, attribute);
		}
		if (out != NULL) {
			buf_add(b, s.p + from, at - from);
			buf_z(b, out);
			from = i;
		}
	}
	if (s.n > from)
		buf_add(b, s.p + from, s.n - from);
}

/* Would a spreadsheet take the field for something to compute? */
static bool
csv_is_formula(struct str s)
{
	size_t i = 0;
	uint32_t u;

	if (s.n == 0)
		return false;
	u = text_next(s, &i);
	switch (u) {
	case '=':
	case '+':
	case '-':
	case '@':
	case '\t':
	case '\r':
	case '\n':
	case 0xff1d:
	case 0xff0b:
	case 0xff0d:
	case 0xff20:
		return true;
	default:
		return false;
	}
}
