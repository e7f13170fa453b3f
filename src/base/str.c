/* This file knows how to compare, cut and read borrowed runs of bytes. */
#include "config.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longest decimal fraction that is still taken for a number. */
#define REAL_MAX 127
/* Longest name that str_nearest compares. */
#define NEAR_MAX 64

static bool is_blank(char c);
static size_t count_digits(struct str s, size_t from);
static size_t distance(struct str a, struct str b);

struct str
str_of(const char *z)
{
	if (z == NULL)
		return (struct str){ NULL, 0 };
	return (struct str){ z, strlen(z) };
}

struct text
text_of(const char *z)
{
	if (z == NULL)
		return (struct text){ NULL, 0 };
	return (struct text){ z, strlen(z) };
}

bool
str_eq(struct str a, struct str b)
{
	if (a.p == NULL || b.p == NULL)
		return a.p == b.p;
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
str_is(struct str a, const char *z)
{
	return str_eq(a, str_of(z));
}

bool
str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.p != NULL && s.n >= n && memcmp(s.p, prefix, n) == 0;
}

int
str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

int
text_cmp(struct text a, struct text b)
{
	return str_cmp((struct str){ a.p, a.n }, (struct str){ b.p, b.n });
}

int
str_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

struct str
str_trim(struct str s)
{
	while (s.n > 0 && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str
str_cut(struct str *s, char c)
{
	struct str head = *s;
	const char *at = s->n > 0 ? memchr(s->p, c, s->n) : NULL;

	if (at == NULL) {
		*s = (struct str){ NULL, 0 };
		return head;
	}
	head.n = (size_t)(at - s->p);
	s->p = at + 1;
	s->n -= head.n + 1;
	return head;
}

enum err
str_int(struct str s, int64_t min, int64_t max, int64_t *out)
{
	bool minus = s.n > 0 && s.p[0] == '-';
	size_t first = minus ? 1 : 0;
	int64_t v = 0;

	if (s.n == first || count_digits(s, first) != s.n - first)
		return ERR_INVALID;
	/* Built downward: the negative half of the range is the larger. */
	for (size_t i = first; i < s.n; i++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, s.p[i] - '0', &v))
			return ERR_INVALID;
	}
	if (!minus && __builtin_sub_overflow(0, v, &v))
		return ERR_INVALID;
	if (v < min || v > max)
		return ERR_INVALID;
	*out = v;
	return ERR_OK;
}

enum err
str_real(struct str s, double *out)
{
	char z[REAL_MAX + 1];
	size_t i = 0;
	size_t digits;
	double v;

	if (s.n == 0 || s.n > REAL_MAX)
		return ERR_INVALID;
	if (s.p[i] == '-')
		i++;
	if ((digits = count_digits(s, i)) == 0)
		return ERR_INVALID;
	i += digits;
	if (i < s.n && s.p[i] == '.') {
		if ((digits = count_digits(s, ++i)) == 0)
			return ERR_INVALID;
		i += digits;
	}
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i++;
		if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
			i++;
		if ((digits = count_digits(s, i)) == 0)
			return ERR_INVALID;
		i += digits;
	}
	if (i != s.n)
		return ERR_INVALID;
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	/* The program never calls setlocale, so the point is a point. */
	v = strtod(z, NULL);
	if (!isfinite(v))
		return ERR_INVALID;
	*out = v;
	return ERR_OK;
}

bool
str_eq_secret(struct str a, struct str b)
{
	volatile unsigned char differ = 0;

	if (a.p == NULL || b.p == NULL || a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		differ |= (unsigned char)a.p[i] ^ (unsigned char)b.p[i];
	return differ == 0;
}

size_t
str_index(struct str s, const char *const *names, size_t count)
{
	size_t i = 0;

	while (i < count && !str_is(s, names[i]))
		i++;
	return i;
}

const char *
str_nearest(struct str s, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t best_d = NEAR_MAX;

	if (s.n == 0 || s.n > NEAR_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		struct str name = str_of(names[i]);
		size_t longer = s.n > name.n ? s.n : name.n;
		size_t d;

		if (name.n > NEAR_MAX)
			continue;
		d = distance(s, name);
		if (d * 3 <= longer && d < best_d) {
			best = names[i];
			best_d = d;
		}
	}
	return best;
}

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t
count_digits(struct str s, size_t from)
{
	size_t i = from;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i - from;
}

/*
 * Damerau-Levenshtein with adjacent swaps (optimal string alignment), both
 * runs at most NEAR_MAX long.  Three rows: before last, last, current.
 */
static size_t
distance(struct str a, struct str b)
{
	size_t row[3][NEAR_MAX + 1] = { { 0 } };

	for (size_t j = 0; j <= b.n; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *cur = row[i % 3];
		const size_t *up = row[(i + 2) % 3];
		const size_t *up2 = row[(i + 1) % 3];

		cur[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t change = a.p[i - 1] == b.p[j - 1] ? 0 : 1;
			size_t d = up[j - 1] + change;

			if (up[j] + 1 < d)
				d = up[j] + 1;
			if (cur[j - 1] + 1 < d)
				d = cur[j - 1] + 1;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] && up2[j - 2] + 1 < d)
				d = up2[j - 2] + 1;
			cur[j] = d;
		}
	}
	return row[a.n % 3][b.n];
}
