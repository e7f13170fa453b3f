/* This file knows how to rank with intervals, one by one and all at once. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "rate/ci.h"
#include "rate/ci_score.h"
#include "rate/dense.h"
#include "rate/dist.h"
#include "rate/pairs.h"
#include "rate/prng.h"

/* Draws of the greatest difference, by the number n of prompts. */
enum {
	DRAWS_MOST = 1000,
	DRAWS_LEAST = 200,
	DRAWS_WORK = 2000000
};

static int
ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* How many of the sorted v[0..n) are greater than x. */
static uint32_t
above(const double *v, uint32_t n, double x)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v[mid] > x)
			hi = mid;
		else
			lo = mid + 1;
	}
	return n - lo;
}

enum err
ci_rank(const struct pairs *pairs, struct ci *ci)
{
	double *lower = malloc((pairs->nitems + 1u) * sizeof(*lower));

	if (lower == NULL)
		return ERR_NOMEM;
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		uint32_t n = pairs->part[c].n;
		const uint32_t *item = pairs->order + pairs->part[c].first;

		for (uint32_t k = 0; k < n; k++)
			lower[k] = ci->lower[item[k]];
		qsort(lower, n, sizeof(*lower), ascending);
		for (uint32_t k = 0; k < n; k++) {
			ci->rank[item[k]] =
			    1 + above(lower, n, ci->upper[item[k]]);
			ci->rank_from[item[k]] = 1;
			ci->rank_to[item[k]] = n;
		}
	}
	free(lower);
	return ERR_OK;
}

/* The greatest |difference| / its error in one Gaussian draw. */
static double
greatest(const double *x, const double *inverse_se, size_t n)
{
	double most = 0;

	for (size_t i = 1; i < n; i++) {
		const double *row = inverse_se + i * n;

		for (size_t j = 0; j < i; j++) {
			double t = fabs(x[i] - x[j]) * row[j];

			most = t > most ? t : most;
		}
	}
	return most;
}

/* inv[i * n + j], j < i <- 1 / error of the difference, 0 if it has none. */
static void
invert_errors(const double *cov, size_t n, double *inv)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double v = cov[i * n + i] + cov[j * n + j] -
				   2.0 * cov[i * n + j];

			inv[i * n + j] = v > 0.0 ? 1.0 / sqrt(v) : 0.0;
		}
	}
}

/* x <- f z for standard normal z of length rank. */
static void
draw_normal(const double *f, size_t n, size_t rank, struct prng *g, double *x,
    double *z)
{
	for (size_t k = 0; k < rank; k++)
		z[k] = prng_normal(g);
	for (size_t i = 0; i < n; i++) {
		x[i] = 0;
		for (size_t k = 0; k < rank; k++)
			x[i] += f[i * n + k] * z[k];
	}
}

/*
 * The level quantile of the greatest studentised difference; cov (n * n) is
 * destroyed.
 */
static enum err
greatest_quantile(
    double *cov, size_t n, double level, uint64_t seed, double *out)
{
	size_t draws = DRAWS_WORK / (n * n / 2), rank, at;
	double *inv = calloc(n * n, sizeof(*inv));
	double *f = malloc(n * n * sizeof(*f));
	double *x = malloc(2 * n * sizeof(*x));
	double *most = malloc(DRAWS_MOST * sizeof(*most));
	enum err e = ERR_NOMEM;

	if (inv == NULL || f == NULL || x == NULL || most == NULL)
		goto out;
	draws = draws > DRAWS_MOST ? DRAWS_MOST : draws;
	draws = draws < DRAWS_LEAST ? DRAWS_LEAST : draws;
	invert_errors(cov, n, inv);
	rank = dense_factor(cov, n, f);
	for (size_t d = 0; d < draws; d++) {
		struct prng g;

		prng_init(&g, seed ^ 0x72616e6bu, d);
		draw_normal(f, n, rank, &g, x, x + n);
		most[d] = greatest(x, inv, n);
	}
	qsort(most, draws, sizeof(*most), ascending);
	at = (size_t)ceil(level * (double)(draws + 1)) - 1;
	*out = most[at < draws ? at : draws - 1];
	e = ERR_OK;
out:
	free(inv);
	free(f);
	free(x);
	free(most);
	return e;
}

/* A prompt by what it is, not by when it was named. */
struct place {
	double theta, se;
	uint32_t local;
};

static int
by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->theta != b->theta)
		return a->theta < b->theta ? 1 : -1;
	if (a->se != b->se)
		return a->se < b->se ? 1 : -1;
	return a->local < b->local ? -1 : a->local > b->local;
}

/*
 * out (n * n) <- the component's covariance in order of rating: which prompt
 * has which random numbers must not hang on who was named first.
 */
static enum err
order_covariance(const struct pairs *pairs, uint32_t part, const double *theta,
    const struct ci *ci, double *out)
{
	size_t n = pairs->part[part].n;
	const uint32_t *item = pairs->order + pairs->part[part].first;
	const double *cov = ci->covariance[part];
	struct place *p = malloc(n * sizeof(*p));

	if (p == NULL)
		return ERR_NOMEM;
	for (size_t k = 0; k < n; k++)
		p[k] = (struct place){ theta[item[k]], ci->se[item[k]],
			(uint32_t)k };
	qsort(p, n, sizeof(*p), by_place);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			out[i * n + j] = cov[p[i].local * n + p[j].local];
	free(p);
	return ERR_OK;
}

/* Ranks from all differences of a component at once. */
static enum err
rank_differences(const struct pairs *pairs, uint32_t part,
    const struct ci_scores *s, const double *theta, const struct ci_options *o,
    struct ci *ci)
{
	size_t n = pairs->part[part].n;
	const uint32_t *item = pairs->order + pairs->part[part].first;
	double *cov = malloc(n * n * sizeof(*cov)), crit = 0, wide;
	enum err e;

	if (cov == NULL)
		return ERR_NOMEM;
	e = order_covariance(pairs, part, theta, ci, cov);
	if (e == ERR_OK)
		e = greatest_quantile(cov, n, o->level, o->seed, &crit);
	free(cov);
	if (e != ERR_OK)
		return e;
	/* Few voters: as much wider as t is wider than the normal. */
	wide = ci_quantile(s, part, 0.5 + 0.5 * o->level) /
	       dist_normal_quantile(0.5 + 0.5 * o->level);
	crit *= wide;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double d = theta[item[j]] - theta[item[i]];
			double se =
			    ci_se_difference(ci, pairs, item[i], item[j]);

			if (i == j || !(fabs(d) > crit * se))
				continue;
			if (d > 0)
				ci->rank_from[item[i]]++;
			else
				ci->rank_to[item[i]]--;
		}
	}
	return ERR_OK;
}

/* Ranks from intervals that hold all at once (Bonferroni). */
static enum err
rank_bonferroni(const struct pairs *pairs, uint32_t part,
    const struct ci_scores *s, const double *theta, const struct ci_options *o,
    struct ci *ci)
{
	uint32_t n = pairs->part[part].n;
	const uint32_t *item = pairs->order + pairs->part[part].first;
	double *lower = malloc(2 * (size_t)n * sizeof(*lower)), *upper, q;

	if (lower == NULL)
		return ERR_NOMEM;
	upper = lower + n;
	q = ci_quantile(s, part, 1.0 - (1.0 - o->level) / (2.0 * n));
	for (uint32_t k = 0; k < n; k++) {
		lower[k] = theta[item[k]] - q * ci->se[item[k]];
		upper[k] = theta[item[k]] + q * ci->se[item[k]];
	}
	qsort(lower, n, sizeof(*lower), ascending);
	qsort(upper, n, sizeof(*upper), ascending);
	for (uint32_t k = 0; k < n; k++) {
		double half = q * ci->se[item[k]], x = theta[item[k]];
		uint32_t better = above(lower, n, x + half);

		ci->rank_from[item[k]] = 1 + better;
		/* n minus those whose upper bound lies below my lower */
		ci->rank_to[item[k]] =
		    above(upper, n, nextafter(x - half, -HUGE_VAL));
	}
	free(lower);
	return ERR_OK;
}

enum err
ci_simultaneous(const struct pairs *pairs, const struct ci_scores *s,
    const double *theta, const struct ci_options *o, struct ci *ci)
{
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		enum err e;

		if (pairs->part[c].n < 2 ||
		    ci_quantile(s, c, 0.975) == HUGE_VAL)
			continue;
		if (ci->covariance[c] != NULL)
			e = rank_differences(pairs, c, s, theta, o, ci);
		else
			e = rank_bonferroni(pairs, c, s, theta, o, ci);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

struct looks {
	double theta;
	double record[3];
	uint32_t item;
	uint32_t part;
};

static int
by_looks(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->theta != b->theta)
		return a->theta < b->theta ? -1 : 1;
	for (int k = 0; k < 3; k++)
		if (a->record[k] != b->record[k])
			return a->record[k] < b->record[k] ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* Neighbours of every item: adjacent[head[i]..head[i+1]) are pairs. */
static void
list_pairs(const struct pairs *pairs, size_t *head, uint32_t *adjacent)
{
	for (size_t k = 0; k < pairs->npairs; k++) {
		head[pairs->pair[k].i + 2]++;
		head[pairs->pair[k].j + 2]++;
	}
	for (size_t i = 2; i < (size_t)pairs->nitems + 2; i++)
		head[i] += head[i - 1];
	for (size_t k = 0; k < pairs->npairs; k++) {
		adjacent[head[pairs->pair[k].i + 1]++] = (uint32_t)k;
		adjacent[head[pairs->pair[k].j + 1]++] = (uint32_t)k;
	}
}

static void
record_of(const struct pair *p, uint32_t me, double out[3])
{
	out[0] = p->i == me ? p->win : p->loss;
	out[1] = p->i == me ? p->loss : p->win;
	out[2] = p->tie;
}

/*
 * Does swapping x and y change nothing?  mark[] (nitems, zeros) is used and
 * cleaned.
 */
static bool
is_twin(const struct pairs *pairs, const size_t *head, const uint32_t *adjacent,
    uint32_t x, uint32_t y, uint32_t *mark)
{
	bool same = head[x + 1] - head[x] == head[y + 1] - head[y];

	for (size_t k = head[x]; k < head[x + 1]; k++) {
		const struct pair *p = &pairs->pair[adjacent[k]];

		mark[p->i == x ? p->j : p->i] = adjacent[k] + 1;
	}
	for (size_t k = head[y]; same && k < head[y + 1]; k++) {
		const struct pair *p = &pairs->pair[adjacent[k]];
		uint32_t other = p->i == y ? p->j : p->i;
		double a[3], b[3];

		record_of(p, y, b);
		if (other == x) {
			same = b[0] == b[1];
			continue;
		}
		if (mark[other] == 0) {
			same = false;
			break;
		}
		record_of(&pairs->pair[mark[other] - 1], x, a);
		same = a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
	}
	for (size_t k = head[x]; k < head[x + 1]; k++) {
		const struct pair *p = &pairs->pair[adjacent[k]];

		mark[p->i == x ? p->j : p->i] = 0;
	}
	return same;
}

enum err
ci_twins(const struct pairs *pairs, const double *theta, uint32_t *twin)
{
	size_t n = pairs->nitems;
	struct looks *l = calloc(n + 1, sizeof(*l));
	size_t *head = calloc(n + 3, sizeof(*head));
	uint32_t *adjacent = malloc((2 * pairs->npairs + 1) * sizeof(*head));
	uint32_t *mark = calloc(n + 1, sizeof(*mark));
	enum err e = ERR_NOMEM;

	if (l == NULL || head == NULL || adjacent == NULL || mark == NULL)
		goto out;
	list_pairs(pairs, head, adjacent);
	for (size_t i = 0; i < n; i++) {
		twin[i] = (uint32_t)i;
		l[i].item = (uint32_t)i;
		l[i].theta = theta[i];
		l[i].part = pairs->part_of[i];
		for (size_t k = head[i]; k < head[i + 1]; k++) {
			double r[3];

			record_of(&pairs->pair[adjacent[k]], (uint32_t)i, r);
			for (int o = 0; o < 3; o++)
				l[i].record[o] += r[o];
		}
	}
	qsort(l, n, sizeof(*l), by_looks);
	for (size_t k = 1; k < n; k++) {
		uint32_t x = twin[l[k - 1].item], y = l[k].item;

		if (l[k].part == l[k - 1].part && theta[x] == theta[y] &&
		    is_twin(pairs, head, adjacent, x, y, mark))
			twin[y] = x;
	}
	e = ERR_OK;
out:
	free(l);
	free(head);
	free(adjacent);
	free(mark);
	return e;
}
