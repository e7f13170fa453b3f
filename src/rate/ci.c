/* This file knows how to put sandwich intervals round a fit. */
#include "config.h"

#include "rate/ci.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/ci_score.h"
#include "rate/dense.h"
#include "rate/dist.h"
#include "rate/grid.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"

static enum err dense_part(const struct pairs *, uint32_t part,
    const struct ci_scores *, const struct bt_fit *, struct ci *);
static enum err sampled_part(const struct pairs *, uint32_t part,
    const struct ci_scores *, const struct bt_fit *, const struct ci_options *,
    struct ci *);
static void set_bounds(const struct pairs *, const struct ci_scores *,
    const struct bt_fit *, const struct ci_options *, struct ci *);
static void even_out(const struct pairs *, const double *theta, struct ci *);

enum err
ci_open(struct ci *ci, uint32_t nitems, uint32_t nparts)
{
	size_t n = (size_t)nitems + 1;

	memset(ci, 0, sizeof(*ci));
	ci->nparts = nparts;
	ci->se = calloc(n, sizeof(*ci->se));
	ci->lower = calloc(n, sizeof(*ci->lower));
	ci->upper = calloc(n, sizeof(*ci->upper));
	ci->rank = calloc(n, sizeof(*ci->rank));
	ci->rank_from = calloc(n, sizeof(*ci->rank_from));
	ci->rank_to = calloc(n, sizeof(*ci->rank_to));
	ci->quantile = calloc(nparts + 1u, sizeof(*ci->quantile));
	ci->covariance = calloc(nparts + 1u, sizeof(*ci->covariance));
	if (ci->se != NULL && ci->lower != NULL && ci->upper != NULL &&
	    ci->rank != NULL && ci->rank_from != NULL && ci->rank_to != NULL &&
	    ci->quantile != NULL && ci->covariance != NULL)
		return ERR_OK;
	ci_release(ci);
	return ERR_NOMEM;
}

void
ci_release(struct ci *ci)
{
	for (uint32_t c = 0; ci->covariance != NULL && c < ci->nparts; c++)
		free(ci->covariance[c]);
	free(ci->covariance);
	free(ci->quantile);
	free(ci->se);
	free(ci->lower);
	free(ci->upper);
	free(ci->rank);
	free(ci->rank_from);
	free(ci->rank_to);
	memset(ci, 0, sizeof(*ci));
}

enum err
ci_sandwich(const struct pairs *pairs, const struct tally *t,
    const struct bt_fit *fit, const struct ci_options *o, struct ci *out)
{
	struct ci ci;
	struct ci_scores s = { 0 };
	enum err e;

	assert(o->method == CI_PER_VOTE || o->method == CI_PER_VOTER);
	assert(o->method == CI_PER_VOTE || t->keeps_voters);
	if ((e = ci_open(&ci, pairs->nitems, pairs->nparts)) != ERR_OK)
		return e;
	ci.method = o->method;
	e = ci_scores_open(&s, pairs, t, fit->theta, o->method == CI_PER_VOTER);
	for (uint32_t c = 0; e == ERR_OK && c < pairs->nparts; c++) {
		if (pairs->part[c].n < 2)
			continue;
		if (s.clusters[c] > ci.clusters)
			ci.clusters = s.clusters[c];
		if (pairs->part[c].n <= CI_DENSE)
			e = dense_part(pairs, c, &s, fit, &ci);
		else
			e = sampled_part(pairs, c, &s, fit, o, &ci);
	}
	if (e == ERR_OK) {
		even_out(pairs, fit->theta, &ci);
		set_bounds(pairs, &s, fit, o, &ci);
		e = ci_rank(pairs, &ci);
	}
	if (e == ERR_OK && o->ranks)
		e = ci_simultaneous(pairs, &s, fit->theta, o, &ci);
	ci_scores_release(&s);
	if (e != ERR_OK) {
		ci_release(&ci);
		return e;
	}
	*out = ci;
	return ERR_OK;
}

struct ranked {
	double theta;
	double games;
	uint32_t local;
};

static int
by_theta(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->theta != b->theta)
		return a->theta < b->theta ? 1 : -1;
	if (a->games != b->games)
		return a->games < b->games ? 1 : -1;
	return a->local < b->local ? -1 : a->local > b->local;
}

/*
 * place[local] = row of the matrices.  Rows are in order of rating, so that
 * rounding does not depend on who was named first.
 */
static enum err
place_rows(const struct pairs *pairs, uint32_t part, const double *theta,
    uint32_t *place)
{
	const struct pairs_part *c = &pairs->part[part];
	struct ranked *r = calloc(c->n, sizeof(*r));

	if (r == NULL)
		return ERR_NOMEM;
	for (uint32_t x = 0; x < c->n; x++) {
		r[x].local = x;
		r[x].theta = theta[pairs->order[c->first + x]];
	}
	for (size_t k = 0; k < c->np; k++) {
		const struct pair *p = &pairs->pair[c->first_pair + k];
		double g = p->nwin + p->nloss + p->ntie; /* exact */

		r[pairs->local[p->i]].games += g;
		r[pairs->local[p->j]].games += g;
	}
	qsort(r, c->n, sizeof(*r), by_theta);
	for (uint32_t x = 0; x < c->n; x++)
		place[r[x].local] = x;
	free(r);
	return ERR_OK;
}

/* H with its flat direction filled, unless the ghost has done that. */
static void
fill_hessian(const struct pairs *pairs, uint32_t part,
    const struct ci_scores *s, const uint32_t *place, double *h)
{
	const struct pairs_part *c = &pairs->part[part];
	size_t n = c->n;
	double all = 0, grid;

	memset(h, 0, n * n * sizeof(*h));
	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++)
		all += s->curve[k];
	grid = grid_for(2.0 * all); /* sums without a trace of order */
	all = 0;
	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++) {
		size_t i = place[pairs->local[pairs->pair[k].i]];
		size_t j = place[pairs->local[pairs->pair[k].j]];
		double t = grid_round(s->curve[k], grid);

		h[i * n + i] += t;
		h[j * n + j] += t;
		h[i * n + j] -= t;
		h[j * n + i] -= t;
		all += t;
	}
	for (size_t x = 0; c->nstrong > 1 && x < n; x++) {
		uint32_t item = pairs->order[c->first + x];

		h[place[x] * n + place[x]] += s->ghost[item];
	}
	all = 2.0 * all / ((double)n * (double)n);
	for (size_t k = 0; c->nstrong == 1 && k < n * n; k++)
		h[k] += all;
}

/* P C P: remove row and column means, the gauge mean theta = 0. */
static void
centre_both(double *c, size_t n, double *mean)
{
	double all = 0;

	for (size_t i = 0; i < n; i++) {
		mean[i] = 0;
		for (size_t j = 0; j < n; j++)
			mean[i] += c[i * n + j];
		mean[i] /= (double)n;
		all += mean[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			c[i * n + j] += all - mean[i] - mean[j];
}

/* Exact covariance of a component, kept by local number. */
static enum err
dense_part(const struct pairs *pairs, uint32_t part, const struct ci_scores *s,
    const struct bt_fit *fit, struct ci *ci)
{
	const struct pairs_part *c = &pairs->part[part];
	size_t n = c->n, nn = n * n;
	double *h = malloc(nn * sizeof(*h)), *x = malloc(nn * sizeof(*x));
	double *b = malloc(nn * sizeof(*b));
	double *mean = malloc(n * sizeof(*mean));
	uint32_t *place = malloc(n * sizeof(*place));
	enum err e = ERR_NOMEM;

	if (h == NULL || x == NULL || b == NULL || mean == NULL ||
	    place == NULL)
		goto out;
	if ((e = place_rows(pairs, part, fit->theta, place)) != ERR_OK)
		goto out;
	fill_hessian(pairs, part, s, place, h);
	if (dense_cholesky(h, n) != ERR_OK) {
		e = ERR_LIMIT; /* too flat for intervals in doubles */
		goto out;
	}
	dense_inverse(h, n, x);
	if ((e = ci_scores_outer(s, pairs, part, place, b)) != ERR_OK)
		goto out;
	dense_product(x, b, n, h); /* X B, then (X B) X */
	dense_product(h, x, n, b);
	centre_both(b, n, mean);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) /* back to local numbers */
			h[i * n + j] = b[place[i] * n + place[j]];
		ci->se[pairs->order[c->first + i]] =
		    sqrt(h[i * n + i] > 0.0 ? h[i * n + i] : 0.0);
	}
	ci->covariance[part] = h;
	h = NULL;
out:
	free(h);
	free(x);
	free(b);
	free(mean);
	free(place);
	return e;
}

/* Variances of a large component from one-step multiplier draws. */
static enum err
sampled_part(const struct pairs *pairs, uint32_t part,
    const struct ci_scores *s, const struct bt_fit *fit,
    const struct ci_options *o, struct ci *ci)
{
	const struct pairs_part *c = &pairs->part[part];
	const uint32_t *item = pairs->order + c->first;
	struct bt_data d = { 0 };
	struct bt_work w = { 0 };
	size_t n = c->n;
	double *theta = malloc(n * sizeof(*theta));
	double *u = malloc(n * sizeof(*u)), *x = malloc(n * sizeof(*x));
	enum err e = ERR_NOMEM;

	ci->sampled = true;
	if (theta == NULL || u == NULL || x == NULL)
		goto out;
	if ((e = bt_data_open(pairs, &d)) != ERR_OK ||
	    (e = bt_work_open(&w, c->n, c->np)) != ERR_OK)
		goto out;
	for (size_t k = 0; k < n; k++)
		theta[k] = fit->theta[item[k]];
	/* Once more from the maximum: leaves the Hessian in w. */
	if ((e = bt_solve(&d.problem[part], theta, &w)) != ERR_OK)
		goto out;
	for (uint64_t draw = 0; draw < CI_DRAWS; draw++) {
		struct prng g;
		double mean;

		prng_init(&g, o->seed, draw);
		ci_scores_draw(s, pairs, part, &g, u);
		e = bt_hessian_solve(&d.problem[part], &w, u, 1e-4, x);
		if (e != ERR_OK)
			goto out;
		mean = grid_sum(x, n) / (double)n;
		for (size_t k = 0; k < n; k++)
			ci->se[item[k]] += (x[k] - mean) * (x[k] - mean);
	}
	for (size_t k = 0; k < n; k++)
		ci->se[item[k]] = sqrt(ci->se[item[k]] / CI_DRAWS);
out:
	bt_work_release(&w);
	bt_data_release(&d);
	free(theta);
	free(u);
	free(x);
	return e;
}

static void
set_bounds(const struct pairs *pairs, const struct ci_scores *s,
    const struct bt_fit *fit, const struct ci_options *o, struct ci *ci)
{
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		const uint32_t *item = pairs->order + pairs->part[c].first;
		uint32_t n = pairs->part[c].n;
		double q =
		    n < 2 ? HUGE_VAL : ci_quantile(s, c, 0.5 + 0.5 * o->level);

		ci->quantile[c] = q;
		for (uint32_t k = 0; k < n; k++) {
			double half = n < 2 ? HUGE_VAL : q * ci->se[item[k]];

			ci->lower[item[k]] = fit->theta[item[k]] - half;
			ci->upper[item[k]] = fit->theta[item[k]] + half;
		}
	}
}

/* Equal records have equal errors; rounding must not make them differ. */
static void
even_out(const struct pairs *pairs, const double *theta, struct ci *ci)
{
	uint32_t *twin;

	if (ci->sampled)
		return;
	twin = malloc((pairs->nitems + 1u) * sizeof(*twin));
	if (twin == NULL || ci_twins(pairs, theta, twin) != ERR_OK) {
		free(twin);
		return;
	}
	for (uint32_t i = 0; i < pairs->nitems; i++) {
		double *a = &ci->se[i], *b = &ci->se[twin[i]];

		if (twin[i] != i && fabs(*a - *b) <= 1e-9 * *b)
			*a = *b;
	}
	free(twin);
}

double
ci_se_difference(
    const struct ci *ci, const struct pairs *pairs, uint32_t i, uint32_t j)
{
	uint32_t part = pairs->part_of[i];
	const double *c = ci->covariance[part];
	size_t n = pairs->part[part].n, x = pairs->local[i];
	size_t y = pairs->local[j];
	double v;

	if (part != pairs->part_of[j] || c == NULL)
		return NAN;
	v = c[x * n + x] + c[y * n + y] - 2.0 * c[x * n + y];
	return sqrt(v > 0.0 ? v : 0.0);
}
