/* This file knows how to read a flat JSON object without building a tree. */
#include "config.h"

#include "cmd/rate_json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cmd/rate_data.h"

enum {
	DEEPEST = 64
};

struct scan {
	char *p, *end;
};

static void
space(struct scan *s)
{
	while (s->p < s->end && strchr(" \t\r", *s->p) != NULL && *s->p)
		s->p++;
}

static bool
take(struct scan *s, char c)
{
	space(s);
	if (s->p >= s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static int
hex4(const char *p)
{
	int x = 0;

	for (int k = 0; k < 4; k++) {
		char c = p[k];

		if (c >= '0' && c <= '9')
			x = x * 16 + (c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			x = x * 16 + ((c | 32) - 'a' + 10);
		else
			return -1;
	}
	return x;
}

static char *
put_utf8(char *to, uint32_t u)
{
	if (u < 0x80) {
		*to++ = (char)u;
	} else if (u < 0x800) {
		*to++ = (char)(0xc0 | u >> 6);
		*to++ = (char)(0x80 | (u & 63));
	} else if (u < 0x10000) {
		*to++ = (char)(0xe0 | u >> 12);
		*to++ = (char)(0x80 | (u >> 6 & 63));
		*to++ = (char)(0x80 | (u & 63));
	} else {
		*to++ = (char)(0xf0 | u >> 18);
		*to++ = (char)(0x80 | (u >> 12 & 63));
		*to++ = (char)(0x80 | (u >> 6 & 63));
		*to++ = (char)(0x80 | (u & 63));
	}
	return to;
}

/* \uXXXX at s->p behind the u, with its second half if it needs one. */
static bool
unicode(struct scan *s, char **to)
{
	int hi, lo;

	if (s->end - s->p < 4 || (hi = hex4(s->p)) < 0)
		return false;
	s->p += 4;
	if (hi >= 0xd800 && hi < 0xdc00) {
		if (s->end - s->p < 6 || s->p[0] != '\\' || s->p[1] != 'u' ||
		    (lo = hex4(s->p + 2)) < 0xdc00 || lo > 0xdfff)
			return false;
		s->p += 6;
		hi = 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
	} else if (hi >= 0xdc00 && hi < 0xe000) {
		return false;
	}
	*to = put_utf8(*to, (uint32_t)hi);
	return true;
}

static bool
string(struct scan *s, struct rate_field *f)
{
	static const char from[] = "\"\\/bfnrt", what[] = "\"\\/\b\f\n\r\t";
	char *to;

	if (!take(s, '"'))
		return false;
	f->p = to = s->p;
	while (s->p < s->end && *s->p != '"') {
		const char *k;

		if (*s->p != '\\') {
			*to++ = *s->p++;
			continue;
		}
		if (++s->p == s->end)
			return false;
		if (*s->p == 'u') {
			s->p++;
			if (!unicode(s, &to))
				return false;
			continue;
		}
		k = *s->p != '\0' ? strchr(from, *s->p) : NULL;
		if (k == NULL)
			return false;
		*to++ = what[k - from];
		s->p++;
	}
	if (s->p >= s->end)
		return false;
	s->p++;
	f->n = (size_t)(to - f->p);
	return true;
}

/* Pass over an object or array. */
static bool
nested(struct scan *s)
{
	struct rate_field unused;
	int depth = 0;

	do {
		space(s);
		if (s->p >= s->end)
			return false;
		if (*s->p == '"') {
			if (!string(s, &unused))
				return false;
			continue;
		}
		if (*s->p == '{' || *s->p == '[')
			depth++;
		if (*s->p == '}' || *s->p == ']')
			depth--;
		s->p++;
	} while (depth > 0 && depth <= DEEPEST);
	return depth == 0;
}

/* Any value; f->p is NULL for null and for nested ones. */
static bool
value(struct scan *s, struct rate_field *f)
{
	char *from;

	f->p = NULL;
	f->n = 0;
	space(s);
	if (s->p >= s->end)
		return false;
	if (*s->p == '"')
		return string(s, f);
	if (*s->p == '{' || *s->p == '[')
		return nested(s);
	from = s->p;
	while (s->p < s->end && strchr(",} \t\r", *s->p) == NULL)
		s->p++;
	if (s->p == from)
		return false;
	if (s->p - from == 4 && memcmp(from, "null", 4) == 0)
		return true;
	f->p = from;
	f->n = (size_t)(s->p - from);
	return true;
}

const char *
rate_json_object(
    char *p, size_t n, const struct rate_want *want, struct rate_field *field)
{
	struct scan s = { p, p + n };
	bool first = true;

	memset(field, 0, RATE__MAX * sizeof(*field));
	if (!take(&s, '{'))
		return "not a JSON object";
	while (!take(&s, '}')) {
		struct rate_field name, v;
		enum rate_role role;

		if (!first && !take(&s, ','))
			return "not JSON: a comma or } is missing";
		first = false;
		if (!string(&s, &name) || !take(&s, ':') || !value(&s, &v))
			return "not JSON: broken member";
		if (v.p != NULL && rate_is_group(want, name.p, name.n)) {
			if (field[RATE_GROUP].p != NULL)
				return "two members mean the same";
			field[RATE_GROUP] = v;
		}
		role = rate_role_of(want, name.p, name.n);
		if (role == RATE__MAX || v.p == NULL)
			continue;
		if (field[role].p != NULL)
			return "two members mean the same";
		field[role] = v;
	}
	space(&s);
	return s.p == s.end ? NULL : "text behind the JSON object";
}
