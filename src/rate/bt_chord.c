/* This file knows how to refit quickly near a known maximum. */
#include "config.h"

#include "rate/bt_chord.h"

#include <math.h>
#include <stdlib.h>

#include "rate/bt.h"
#include "rate/dense.h"
#include "rate/num.h"

enum {
	STEPS = 12
};

enum err
bt_chord_open(
    struct bt_chord *c, const struct bt_problem *p, const double *theta)
{
	size_t n = p->n;
	double *h, all = 0;

	c->inverse = NULL;
	if (p->ghost || n < 2 || n > BT_CHORD_MOST)
		return ERR_OK;
	h = calloc(n * n, sizeof(*h));
	c->inverse = malloc(n * n * sizeof(*c->inverse));
	if (h == NULL || c->inverse == NULL) {
		free(h);
		bt_chord_release(c);
		return ERR_NOMEM;
	}
	for (size_t k = 0; k < p->np; k++) {
		size_t i = p->i[k], j = p->j[k];
		double d = theta[i] - theta[j];
		double t =
		    (p->si[k] + p->sj[k]) * num_sigmoid(d) * num_sigmoid(-d);

		h[i * n + i] += t;
		h[j * n + j] += t;
		h[i * n + j] -= t;
		h[j * n + i] -= t;
		all += t;
	}
	/* The flat direction: gradients have no part in it. */
	for (size_t k = 0; k < n * n; k++)
		h[k] += 2.0 * all / ((double)n * (double)n);
	if (dense_cholesky(h, n) == ERR_OK)
		dense_inverse(h, n, c->inverse);
	else
		bt_chord_release(c);
	free(h);
	return ERR_OK;
}

void
bt_chord_release(struct bt_chord *c)
{
	free(c->inverse);
	c->inverse = NULL;
}

/* Gradient at theta; games too on the first pass. */
static void
gradient(const struct bt_problem *p, const double *theta, struct bt_work *w,
    int count)
{
	for (uint32_t x = 0; x < p->n; x++) {
		w->grad[x] = 0.0;
		if (count)
			w->games[x] = 0.0;
	}
	for (size_t k = 0; k < p->np; k++) {
		uint32_t i = p->i[k], j = p->j[k];
		double q = num_sigmoid(theta[j] - theta[i]);
		double n = p->si[k] + p->sj[k], g = n * q - p->sj[k];

		w->grad[i] += g;
		w->grad[j] -= g;
		if (count) {
			w->games[i] += n;
			w->games[j] += n;
		}
	}
}

enum err
bt_chord_solve(const struct bt_chord *c, const struct bt_problem *p, double tol,
    double *theta, struct bt_work *w)
{
	for (int step = 0; step < STEPS; step++) {
		double worst = 0, mean = 0;

		gradient(p, theta, w, step == 0);
		for (uint32_t x = 0; x < p->n; x++) {
			double g = w->grad[x] * w->grad[x] / w->games[x];

			worst = g > worst || isnan(g) ? g : worst;
		}
		if (worst < tol * tol)
			return ERR_OK;
		if (!(worst < 1e6))
			return ERR_LIMIT;
		for (uint32_t x = 0; x < p->n; x++) {
			const double *row = c->inverse + (size_t)x * p->n;
			double s = 0;

			for (uint32_t y = 0; y < p->n; y++)
				s += row[y] * w->grad[y];
			theta[x] += s;
			mean += theta[x];
		}
		for (uint32_t x = 0; x < p->n; x++)
			theta[x] -= mean / p->n;
	}
	return ERR_LIMIT;
}
