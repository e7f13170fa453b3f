/* This file knows how to draw bootstrap counts by table look-up. */
#include "config.h"

#include "rate/multinom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/num.h"
#include "rate/prng.h"

/* Below this total every vote is drawn by itself. */
enum {
	SINGLE = 64
};

static const double count_most = 1e7;

struct multinom_table {
	double count;  /* of the cells that share it */
	uint32_t base; /* value of the first entry */
	uint32_t n;    /* entries */
	size_t at;     /* first entry in cdf and guide */
};

static enum err make_tables(struct multinom *, const double *counts);
static enum err make_single(struct multinom *, const double *counts);

enum err
multinom_open(struct multinom *m, const double *counts, size_t ncells)
{
	enum err e;

	memset(m, 0, sizeof(*m));
	m->ncells = ncells;
	for (size_t c = 0; c < ncells; c++) {
		if (counts[c] > count_most)
			return ERR_TOOBIG;
		m->total += (uint64_t)counts[c];
	}
	if ((e = make_tables(m, counts)) != ERR_OK ||
	    (e = make_single(m, counts)) != ERR_OK)
		multinom_release(m);
	return e;
}

void
multinom_release(struct multinom *m)
{
	free(m->kind);
	free(m->table);
	free(m->cdf);
	free(m->guide);
	free(m->cell_cdf);
	free(m->cell_guide);
	memset(m, 0, sizeof(*m));
}

/* The share of votes drawn by the Poisson way. */
static double
share(const struct multinom *m)
{
	if (m->total < SINGLE)
		return 0.0;
	return 1.0 - 4.0 / sqrt((double)m->total);
}

static int
ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Where a Poisson table of this mean begins, and how long it is. */
static void
extent(double mean, uint32_t *base, uint32_t *n)
{
	double reach = 9.0 * sqrt(mean) + 12.0;

	*base = mean > reach ? (uint32_t)(mean - reach) : 0;
	*n = (uint32_t)(mean + reach + 12.0) - *base;
}

/* Cumulative Poisson chances from the mode outward, and a guide to them. */
static void
fill_table(
    const struct multinom *m, const struct multinom_table *t, double mean)
{
	double *p = m->cdf + t->at, sum = 0;
	uint32_t mode = (uint32_t)mean - t->base, k;

	p[mode] = 1.0;
	for (k = mode; k-- > 0;)
		p[k] = p[k + 1] * (double)(t->base + k + 1) / mean;
	for (k = mode + 1; k < t->n; k++)
		p[k] = p[k - 1] * mean / (double)(t->base + k);
	for (k = 0; k < t->n; k++)
		sum += p[k];
	for (k = 0; k < t->n; k++)
		p[k] = p[k] / sum + (k > 0 ? p[k - 1] : 0.0);
	p[t->n - 1] = 2.0; /* the search ends here */
	for (uint32_t g = 0, at = 0; g < t->n; g++) {
		while (p[at] <= (double)g / t->n)
			at++;
		m->guide[t->at + g] = (uint16_t)at;
	}
}

/* One table per count that occurs; returns the entries of all. */
static size_t
lay_out(struct multinom *m, const double *sorted, double a)
{
	size_t size = 0;

	for (size_t c = 0; c < m->ncells; c++) {
		struct multinom_table *t = &m->table[m->ntables];

		if (sorted[c] == 0.0 || (c > 0 && sorted[c] == sorted[c - 1]))
			continue;
		t->count = sorted[c];
		extent(a * t->count, &t->base, &t->n);
		t->at = size;
		size += t->n;
		m->ntables++;
	}
	return size;
}

/* The table of a count that has one. */
static uint32_t
table_of(const struct multinom *m, double count)
{
	uint32_t lo = 0, hi = m->ntables;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->table[mid].count < count)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static enum err
make_tables(struct multinom *m, const double *counts)
{
	double *sorted = malloc((m->ncells + 1) * sizeof(*sorted));
	double a = share(m);
	size_t size;

	m->kind = malloc((m->ncells + 1) * sizeof(*m->kind));
	m->table = calloc(m->ncells + 1, sizeof(*m->table));
	if (sorted == NULL || m->kind == NULL || m->table == NULL) {
		free(sorted);
		return ERR_NOMEM;
	}
	memcpy(sorted, counts, m->ncells * sizeof(*sorted));
	qsort(sorted, m->ncells, sizeof(*sorted), ascending);
	size = lay_out(m, sorted, a);
	free(sorted);
	m->cdf = malloc((size + 1) * sizeof(*m->cdf));
	m->guide = malloc((size + 1) * sizeof(*m->guide));
	if (m->cdf == NULL || m->guide == NULL)
		return ERR_NOMEM;
	for (uint32_t t = 0; a > 0.0 && t < m->ntables; t++)
		fill_table(m, &m->table[t], a * m->table[t].count);
	for (size_t c = 0; c < m->ncells; c++)
		m->kind[c] =
		    counts[c] > 0.0 ? table_of(m, counts[c]) : UINT32_MAX;
	return ERR_OK;
}

/* The distribution of one vote over the cells. */
static enum err
make_single(struct multinom *m, const double *counts)
{
	size_t n = m->ncells;
	double sum = 0;

	m->cell_cdf = malloc((n + 1) * sizeof(*m->cell_cdf));
	m->cell_guide = malloc((n + 1) * sizeof(*m->cell_guide));
	if (m->cell_cdf == NULL || m->cell_guide == NULL)
		return ERR_NOMEM;
	for (size_t c = 0; c < n; c++) {
		sum += counts[c];
		m->cell_cdf[c] = sum; /* whole numbers: exact */
	}
	for (size_t g = 0, at = 0; g < n; g++) {
		while (at + 1 < n &&
		       m->cell_cdf[at] <= sum * ((double)g / (double)n))
			at++;
		m->cell_guide[g] = (uint32_t)at;
	}
	return ERR_OK;
}

static uint32_t
look_up(const struct multinom *m, const struct multinom_table *t, double u)
{
	const double *p = m->cdf + t->at;
	uint32_t k = m->guide[t->at + (size_t)(u * t->n)];

	while (p[k] <= u)
		k++;
	return t->base + k;
}

/* Poisson counts for all cells; returns their sum. */
static uint64_t
draw_poisson(const struct multinom *m, struct prng *g, uint32_t *out)
{
	uint64_t sum = 0;

	for (size_t c = 0; c < m->ncells; c++) {
		out[c] = 0;
		if (m->kind[c] == UINT32_MAX)
			continue;
		out[c] = look_up(m, &m->table[m->kind[c]], prng_unit(g));
		sum += out[c];
	}
	return sum;
}

void
multinom_draw(const struct multinom *m, struct prng *g, uint32_t *out)
{
	uint64_t have = 0;

	memset(out, 0, m->ncells * sizeof(*out));
	if (share(m) > 0.0) {
		do {
			have = draw_poisson(m, g, out);
		} while (have > m->total);
	}
	for (; have < m->total; have++) {
		double u = prng_unit(g), x = u * (double)m->total;
		size_t c = m->cell_guide[(size_t)(u * (double)m->ncells)];

		while (m->cell_cdf[c] <= x)
			c++;
		out[c]++;
	}
}
