/* This file knows how to read intervals and ranks from bootstrap rounds. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/boot.h"
#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/pairs.h"

/* Prompts of a component up to which simultaneous ranks are computed. */
enum {
	RANKS_MOST = 200
};

/* The rounds, and what they were drawn round. */
struct plan {
	const struct pairs *pairs;
	const struct bt_fit *fit;
	const struct boot_options *o;
	const double *draws;
};

static int
ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Quantile p of sorted v[0..n), between neighbours (Hyndman-Fan type 7). */
static double
quantile(const double *v, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t k = (size_t)at;

	if (k + 1 >= n)
		return v[n - 1];
	return v[k] + (at - (double)k) * (v[k + 1] - v[k]);
}

/* Bounds and error of item i from its own and its twins' rounds. */
static void
bounds_of(const struct plan *plan, const uint32_t *next, uint32_t i, double *v,
    struct ci *ci)
{
	size_t n = 0, items = plan->pairs->nitems;
	double mean = 0, ss = 0, tail = 0.5 * (1.0 - plan->o->level);
	double point = plan->fit->theta[i];

	for (uint32_t k = i; k != UINT32_MAX; k = next[k]) {
		for (size_t r = 0; r < plan->o->rounds; r++)
			v[n++] = plan->draws[r * items + k];
	}
	qsort(v, n, sizeof(*v), ascending);
	for (size_t k = 0; k < n; k++)
		mean += v[k] / (double)n;
	for (size_t k = 0; k < n; k++)
		ss += (v[k] - mean) * (v[k] - mean);
	ss = n > 1 ? sqrt(ss / (double)(n - 1)) : 0.0;
	for (uint32_t k = i; k != UINT32_MAX; k = next[k]) {
		ci->se[k] = ss;
		ci->lower[k] = fmin(point, quantile(v, n, tail));
		ci->upper[k] = fmax(point, quantile(v, n, 1.0 - tail));
	}
}

/* Error of the difference d0 of two prompts' rounds a[] and b[]. */
static double
spread_of(const double *a, const double *b, double d0, size_t rounds)
{
	double ss = 0;

	for (size_t r = 0; r < rounds; r++) {
		double d = a[r] - b[r] - d0;

		ss += d * d;
	}
	return sqrt(ss / (double)rounds);
}

/* most[r] <- the larger of itself and this pair's |difference| / se. */
static void
raise(double *most, const double *a, const double *b, double d0, double se,
    size_t rounds)
{
	for (size_t r = 0; se > 0.0 && r < rounds; r++) {
		double d = fabs(a[r] - b[r] - d0) / se;

		most[r] = d > most[r] ? d : most[r];
	}
}

/* Simultaneous ranks: the quantile of each round's greatest difference. */
static enum err
rank_together(const struct plan *plan, uint32_t part, struct ci *ci)
{
	const struct pairs_part *c = &plan->pairs->part[part];
	const uint32_t *item = plan->pairs->order + c->first;
	const double *theta = plan->fit->theta;
	size_t rounds = plan->o->rounds, items = plan->pairs->nitems;
	double *v = malloc(((size_t)c->n * rounds + 1) * sizeof(*v)), crit;
	double *se = malloc((size_t)c->n * c->n * sizeof(*se));
	double *most = calloc(rounds, sizeof(*most));
	enum err e = ERR_NOMEM;

	if (v == NULL || se == NULL || most == NULL)
		goto out;
	for (size_t x = 0; x < c->n; x++) /* rounds of one item together */
		for (size_t r = 0; r < rounds; r++)
			v[x * rounds + r] = plan->draws[r * items + item[x]];
	for (size_t x = 1; x < c->n; x++) {
		for (size_t y = 0; y < x; y++) {
			const double *a = v + x * rounds, *b = v + y * rounds;
			double d0 = theta[item[x]] - theta[item[y]];

			se[x * c->n + y] = spread_of(a, b, d0, rounds);
			raise(most, a, b, d0, se[x * c->n + y], rounds);
		}
	}
	qsort(most, rounds, sizeof(*most), ascending);
	crit = quantile(most, rounds, plan->o->level);
	for (size_t x = 1; x < c->n; x++) {
		for (size_t y = 0; y < x; y++) {
			double d0 = theta[item[x]] - theta[item[y]];

			if (!(fabs(d0) > crit * se[x * c->n + y]))
				continue;
			ci->rank_from[item[d0 > 0 ? y : x]]++;
			ci->rank_to[item[d0 > 0 ? x : y]]--;
		}
	}
	e = ERR_OK;
out:
	free(v);
	free(se);
	free(most);
	return e;
}

/* next[i]: the twin after i, or UINT32_MAX; twin[] becomes that list. */
static void
chain(uint32_t *twin, uint32_t *next, uint32_t *last, size_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		next[i] = UINT32_MAX;
		last[i] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (twin[i] == i)
			continue;
		next[last[twin[i]]] = i;
		last[twin[i]] = i;
	}
}

enum err
boot_summarise(const struct pairs *pairs, const struct bt_fit *fit,
    const struct boot_options *o, const double *draws, struct ci *ci)
{
	struct plan plan = { pairs, fit, o, draws };
	size_t n = pairs->nitems;
	uint32_t *twin = malloc((3 * n + 1) * sizeof(*twin));
	uint32_t *next = twin != NULL ? twin + n : NULL;
	double *v = malloc((n + 1) * o->rounds * sizeof(*v));
	enum err e = ERR_NOMEM;

	if (twin == NULL || v == NULL)
		goto out;
	if ((e = ci_twins(pairs, fit->theta, twin)) != ERR_OK)
		goto out;
	chain(twin, next, next + n, n);
	for (uint32_t i = 0; i < n; i++) {
		if (pairs->part[pairs->part_of[i]].n < 2) {
			ci->lower[i] = -HUGE_VAL;
			ci->upper[i] = HUGE_VAL;
		} else if (twin[i] == i) {
			bounds_of(&plan, next, i, v, ci);
		}
	}
	e = ci_rank(pairs, ci);
	for (uint32_t c = 0; e == ERR_OK && o->ranks && c < pairs->nparts;
	     c++) {
		if (pairs->part[c].n > 1 && pairs->part[c].n <= RANKS_MOST)
			e = rank_together(&plan, c, ci);
	}
out:
	free(twin);
	free(v);
	return e;
}
