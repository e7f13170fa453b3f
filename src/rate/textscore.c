/* This file knows how to score an answer by rules and by a reference. */
#include "config.h"

#include "rate/textscore.h"

#include <math.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rate/num.h"

enum {
	ORDERS = 4
};

struct words {
	uint64_t *hash; /* of each word */
	size_t n;
};

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

bool
textscore_exact(const char *answer, const char *want)
{
	size_t n, m;

	while (is_space(*answer))
		answer++;
	while (is_space(*want))
		want++;
	n = strlen(answer);
	m = strlen(want);
	while (n > 0 && is_space(answer[n - 1]))
		n--;
	while (m > 0 && is_space(want[m - 1]))
		m--;
	return n == m && memcmp(answer, want, n) == 0;
}

/* Words as 64-bit hashes (FNV-1a); two differ by chance once in 10^12. */
static enum err
split(const char *text, struct words *out)
{
	size_t room = strlen(text) / 2 + 2;
	struct words w = { malloc(room * sizeof(*w.hash)), 0 };

	if (w.hash == NULL)
		return ERR_NOMEM;
	while (*text != '\0') {
		uint64_t h = 14695981039346656037u;

		if (!is_word(*text)) {
			text++;
			continue;
		}
		for (; is_word(*text); text++) {
			unsigned char c = (unsigned char)*text;

			c = c >= 'A' && c <= 'Z' ? (unsigned char)(c | 32) : c;
			h = (h ^ c) * 1099511628211u;
		}
		if (w.n == TEXTSCORE_WORDS) {
			free(w.hash);
			return ERR_TOOBIG;
		}
		w.hash[w.n++] = h;
	}
	*out = w;
	return ERR_OK;
}

/* Both texts, or neither. */
static enum err
split_both(const char *a, const char *b, struct words *wa, struct words *wb)
{
	enum err e = split(a, wa);

	if (e != ERR_OK)
		return e;
	e = split(b, wb);
	if (e != ERR_OK)
		free(wa->hash);
	return e;
}

enum err
textscore_contains(const char *answer, const char *want, bool *out)
{
	struct words a, w;
	bool found = false;
	enum err e = split_both(answer, want, &a, &w);

	if (e != ERR_OK)
		return e;
	for (size_t k = 0; !found && k + w.n <= a.n; k++)
		found = memcmp(a.hash + k, w.hash, w.n * sizeof(*a.hash)) == 0;
	free(a.hash);
	free(w.hash);
	*out = found;
	return ERR_OK;
}

/* A number that starts at *p; *p moves behind it. */
static double
read_number(const char **p)
{
	double x = 0, unit = 1;
	const char *q = *p;

	for (; *q >= '0' && *q <= '9'; q++)
		x = 10 * x + (*q - '0');
	if ((*q == '.' || *q == ',') && q[1] >= '0' && q[1] <= '9') {
		for (q++; *q >= '0' && *q <= '9'; q++) {
			x = 10 * x + (*q - '0');
			unit *= 10;
		}
	}
	*p = q;
	return x / unit;
}

bool
textscore_number(const char *answer, double want, double tolerance)
{
	double last = NAN;

	for (const char *p = answer; *p != '\0';) {
		bool digit = *p >= '0' && *p <= '9';
		bool minus = p > answer && p[-1] == '-' &&
			     (p - 1 == answer || !is_word(p[-2]));

		if (!digit || (p > answer && is_word(p[-1]))) {
			p++;
			continue;
		}
		last = read_number(&p);
		last = minus ? -last : last;
	}
	return fabs(last - want) <= tolerance; /* false for NaN */
}

enum err
textscore_regex(const char *answer, const char *pattern, bool *out)
{
	regex_t re;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return ERR_SYNTAX;
	*out = regexec(&re, answer, 0, NULL, 0) == 0;
	regfree(&re);
	return ERR_OK;
}

static int
ascending(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* Sorted hashes of all n-grams; NULL without memory. */
static uint64_t *
grams(const struct words *w, size_t n, size_t *count)
{
	uint64_t *g = malloc((w->n + 1) * sizeof(*g));

	*count = w->n >= n ? w->n - n + 1 : 0;
	for (size_t k = 0; g != NULL && k < *count; k++) {
		g[k] = 0;
		for (size_t i = 0; i < n; i++)
			g[k] = (g[k] ^ w->hash[k + i]) * 0x9e3779b97f4a7c15u +
			       (g[k] >> 29);
	}
	if (g != NULL)
		qsort(g, *count, sizeof(*g), ascending);
	return g;
}

/* How many of the answer's n-grams the reference has too, each used once. */
static enum err
matches(const struct words *a, const struct words *r, size_t n, size_t *hits,
    size_t *all)
{
	size_t na, nr, i = 0, j = 0;
	uint64_t *ga = grams(a, n, &na), *gr = grams(r, n, &nr);
	enum err e = ga == NULL || gr == NULL ? ERR_NOMEM : ERR_OK;

	*hits = 0;
	*all = na;
	while (e == ERR_OK && i < na && j < nr) {
		if (ga[i] == gr[j]) {
			++*hits;
			i++;
			j++;
		} else if (ga[i] < gr[j]) {
			i++;
		} else {
			j++;
		}
	}
	free(ga);
	free(gr);
	return e;
}

enum err
textscore_bleu(const char *answer, const char *reference, double *out)
{
	struct words a, r;
	double log_p = 0, brevity;
	bool none = false;
	enum err e = split_both(answer, reference, &a, &r);

	if (e != ERR_OK)
		return e;
	for (size_t n = 1; e == ERR_OK && n <= ORDERS; n++) {
		size_t hits, all, add = n > 1;

		e = matches(&a, &r, n, &hits, &all);
		none |= hits + add == 0 || all + add == 0;
		if (e == ERR_OK && !none)
			log_p += num_log((double)(hits + add) /
					 (double)(all + add)) /
				 ORDERS;
	}
	brevity =
	    a.n >= r.n || a.n == 0 ? 0.0 : 1.0 - (double)r.n / (double)a.n;
	free(a.hash);
	free(r.hash);
	if (e == ERR_OK)
		*out = none ? 0.0 : num_exp(log_p + brevity);
	return e;
}

/* Length of the longest common subsequence, in one row of memory. */
static enum err
common(const struct words *a, const struct words *b, size_t *out)
{
	uint32_t *row = calloc(b->n + 1, sizeof(*row));

	if (row == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < a->n; i++) {
		uint32_t corner = 0; /* row[j] of the line above */

		for (size_t j = 0; j < b->n; j++) {
			uint32_t above = row[j + 1];

			if (a->hash[i] == b->hash[j])
				row[j + 1] = corner + 1;
			else if (row[j] > above)
				row[j + 1] = row[j];
			corner = above;
		}
	}
	*out = row[b->n];
	free(row);
	return ERR_OK;
}

enum err
textscore_rouge_l(const char *answer, const char *reference, double *out)
{
	struct words a, r;
	size_t lcs = 0;
	enum err e = split_both(answer, reference, &a, &r);

	if (e != ERR_OK)
		return e;
	if ((e = common(&a, &r, &lcs)) == ERR_OK)
		*out = lcs == 0 ? 0.0 : 2.0 * (double)lcs / (double)(a.n + r.n);
	free(a.hash);
	free(r.hash);
	return e;
}
