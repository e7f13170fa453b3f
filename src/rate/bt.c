/* This file knows how to find the Bradley-Terry maximum. */
#include "config.h"

#include "rate/bt.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/grid.h"
#include "rate/num.h"
#include "rate/pairs.h"

enum {
	MAX_NEWTON = 200,
	FULL_STEPS = 20, /* after so many every step is shortened */
	CG_PER_ITEM = 4, /* conjugate gradient steps allowed per item */
	CG_LEAST = 200
};

/* Error of theta, as far as it can be foreseen, at which to stop. */
static const double close_enough = 1e-11;

/* Error of theta that rounding to the grid of an item's games may leave. */
static const double coarsest = 1e-9;

/*
 * Greatest change of a difference that a whole step may make.  Beyond it the
 * slope as a whole may look well where one item was thrown so far out that its
 * curvature is 0, and never comes back.
 */
static const double stride = 8.0;

/* Smallest relative residual asked of conjugate gradients. */
static const double tightest = 1e-9;

static double gradient_pass(
    const struct bt_problem *, const double *theta, struct bt_work *);
static void hessian_times(
    const struct bt_problem *, struct bt_work *, const double *x, double *y);

enum err
bt_work_open(struct bt_work *w, uint32_t n, size_t np)
{
	size_t m = (size_t)n + 1;
	double *p;

	memset(w, 0, sizeof(*w));
	w->block = p = calloc(11 * m + np, sizeof(*p));
	if (p == NULL)
		return ERR_NOMEM;
	w->target = BT_CONVERGED;
	w->close = close_enough;
	w->games = p;
	w->grad = p + m;
	w->diag = p + 2 * m;
	w->step = p + 3 * m;
	w->r = p + 4 * m;
	w->z = p + 5 * m;
	w->p = p + 6 * m;
	w->hp = p + 7 * m;
	w->grid = p + 8 * m;
	w->hgrid = p + 9 * m;
	w->ghost = p + 10 * m;
	w->h = p + 11 * m;
	return ERR_OK;
}

void
bt_work_release(struct bt_work *w)
{
	free(w->block);
	memset(w, 0, sizeof(*w));
}

/* Games per item, and the grids on which its sums are made. */
static void
count_games(const struct bt_problem *p, struct bt_work *w)
{
	double all = p->ghost ? 1.0 : 0.0, unit;

	for (uint32_t x = 0; x < p->n; x++)
		w->games[x] = all;
	/* Weights are no integers: even games must be summed on a grid. */
	for (size_t k = 0; k < p->np; k++)
		all += p->si[k] + p->sj[k];
	unit = grid_for(2.0 * all);
	for (size_t k = 0; k < p->np; k++) {
		double g = grid_round(p->si[k] + p->sj[k], unit);

		w->games[p->i[k]] += g;
		w->games[p->j[k]] += g;
	}
	for (uint32_t x = 0; x < p->n; x++)
		w->grid[x] = grid_for(w->games[x]);
}

static void
centre(double *theta, uint32_t n)
{
	double mean = grid_sum(theta, n) / n;

	for (uint32_t x = 0; x < n; x++)
		theta[x] -= mean;
}

/* Greatest change of a difference along the step. */
static double
longest_change(const struct bt_problem *p, const double *step)
{
	double most = 0;

	for (size_t k = 0; k < p->np; k++) {
		double d = fabs(step[p->i[k]] - step[p->j[k]]);

		most = d > most ? d : most;
	}
	for (uint32_t x = 0; p->ghost && x < p->n; x++)
		most = fabs(step[x]) > most ? fabs(step[x]) : most;
	return most;
}

/* theta += t * step. */
static void
move(const struct bt_problem *p, const struct bt_work *w, double t,
    double *theta)
{
	for (uint32_t x = 0; x < p->n; x++)
		theta[x] += t * w->step[x];
}

/*
 * A whole step from theta if the slope along it is small at its end, else a
 * step shortened so that it surely climbs.  Leaves the gradient there.
 */
static void
advance(const struct bt_problem *p, struct bt_work *w, double d, double *theta)
{
	double start = grid_dot(w->grad, w->step, p->n);
	double t = num_log1p(d) / d;

	if (w->newton <= FULL_STEPS && d <= stride) {
		move(p, w, 1.0, theta);
		w->worst = gradient_pass(p, theta, w);
		if (fabs(grid_dot(w->grad, w->step, p->n)) <= 0.5 * start)
			return;
		move(p, w, t - 1.0, theta);
	} else {
		move(p, w, t, theta);
	}
	w->worst = gradient_pass(p, theta, w);
}

static enum err
climb(const struct bt_problem *p, double *theta, struct bt_work *w)
{
	double tol = 0.1, d = 1.0, rest = 1.0, before = HUGE_VAL;

	w->worst = gradient_pass(p, theta, w);
	while (
	    w->worst != 0.0 && !(w->worst < w->target &&
				   (rest < w->close || w->worst >= before))) {
		if (++w->newton > MAX_NEWTON || !(w->worst < HUGE_VAL))
			return ERR_LIMIT;
		before = w->worst < w->target ? w->worst : HUGE_VAL;
		tol = fmax(tightest, fmin(0.1, 0.3 * d));
		if (bt_hessian_solve(p, w, w->grad, tol, w->step) != ERR_OK)
			return ERR_LIMIT;
		d = longest_change(p, w->step);
		if (d == 0.0)
			break;
		advance(p, w, d, theta);
		rest = d * (d + tol);
	}
	return w->worst < w->target ? ERR_OK : ERR_LIMIT;
}

/*
 * Where hardly anything is in doubt (a weight of 1e9 beside 1e-9) the slope
 * is far below the games it is the difference of, and their grid hides it.
 */
static bool
is_coarse(const struct bt_problem *p, const struct bt_work *w)
{
	for (uint32_t x = 0; x < p->n; x++) {
		if (w->grid[x] * DBL_EPSILON > coarsest * w->diag[x])
			return true;
	}
	return false;
}

/* max |gradient| / games */
static double
by_games(const struct bt_problem *p, const struct bt_work *w)
{
	double worst = 0;

	for (uint32_t x = 0; x < p->n; x++)
		worst = fmax(worst, fabs(w->grad[x]) / w->games[x]);
	return worst;
}

enum err
bt_solve(const struct bt_problem *p, double *theta, struct bt_work *w)
{
	enum err e;

	w->newton = w->passes = 0;
	w->worst = 0;
	w->fine = false;
	if (p->n < 2) {
		if (p->n == 1)
			theta[0] = 0;
		return ERR_OK;
	}
	count_games(p, w);
	e = climb(p, theta, w);
	if (e == ERR_OK && is_coarse(p, w)) {
		w->fine = true;
		e = climb(p, theta, w);
		w->worst = by_games(p, w);
	}
	if (e != ERR_OK)
		return e;
	/* Against the ghost the zero was fixed; now the mean is. */
	centre(theta, p->n);
	return ERR_OK;
}

/* A pair's part in the gradient of its i, and its weight in the Hessian. */
struct pull {
	double g, h, most; /* |terms of either| */
};

static struct pull
pull_of(const struct bt_problem *p, size_t k, const double *theta)
{
	double d = theta[p->i[k]] - theta[p->j[k]];
	/* From the stronger side, so that i and j may be swapped. */
	double s = d < 0 ? p->sj[k] : p->si[k];
	double t = d < 0 ? p->si[k] : p->sj[k];
	double q = num_exp(-fabs(d)), strong = 1.0 / (1.0 + q);
	double g = s * (q * strong) - t * strong;

	return (struct pull){ d < 0 ? -g : g, (s + t) * (q * strong) * strong,
		s * (q * strong) + t * strong };
}

/* w->grid <- grids for terms of the size they have at theta. */
static void
follow_terms(const struct bt_problem *p, const double *theta, struct bt_work *w)
{
	double *most = w->hp, *pairs = w->z;

	for (uint32_t x = 0; x < p->n; x++)
		most[x] = pairs[x] = 0.0;
	for (size_t k = 0; k < p->np; k++) {
		double m = pull_of(p, k, theta).most;

		for (int side = 0; side < 2; side++) {
			uint32_t x = side == 0 ? p->i[k] : p->j[k];

			pairs[x]++;
			most[x] = m > most[x] ? m : most[x];
		}
	}
	for (uint32_t x = 0; x < p->n; x++)
		w->grid[x] = grid_for(most[x] * pairs[x]);
}

/*
 * Gradient, Hessian weights and diagonal at theta.  Returns
 * max |gradient| / games; with w->fine, / curvature: the step still to go.
 */
static double
gradient_pass(
    const struct bt_problem *p, const double *theta, struct bt_work *w)
{
	double worst = 0;

	w->passes++;
	if (w->fine)
		follow_terms(p, theta, w);
	for (uint32_t x = 0; x < p->n; x++)
		w->grad[x] = w->diag[x] = 0.0;
	for (size_t k = 0; k < p->np; k++) {
		uint32_t i = p->i[k], j = p->j[k];
		struct pull u = pull_of(p, k, theta);

		w->h[k] = u.h;
		w->grad[i] += grid_round(u.g, w->grid[i]);
		w->grad[j] -= grid_round(u.g, w->grid[j]);
		w->diag[i] += grid_round(u.h, w->grid[i]);
		w->diag[j] += grid_round(u.h, w->grid[j]);
	}
	for (uint32_t x = 0; x < p->n; x++) {
		if (p->ghost) {
			double q = num_exp(-fabs(theta[x]));
			double g = 0.5 * (1.0 - q) / (1.0 + q);

			w->grad[x] -= theta[x] < 0 ? -g : g;
			w->ghost[x] = q / ((1.0 + q) * (1.0 + q));
			w->diag[x] += w->ghost[x];
		}
		/* A component of certain results has a flat Hessian. */
		if (!(w->diag[x] > 1e-300))
			w->diag[x] = 1e-300;
		double g =
		    fabs(w->grad[x]) / (w->fine ? w->diag[x] : w->games[x]);

		worst = g > worst || isnan(g) ? g : worst;
	}
	return worst;
}

/* The pairs' part of the product; the ghost's is the caller's. */
static void
hessian_times(
    const struct bt_problem *p, struct bt_work *w, const double *x, double *y)
{
	double most = 0;

	w->passes++;
	for (uint32_t k = 0; k < p->n; k++)
		most = fabs(x[k]) > most ? fabs(x[k]) : most;
	for (uint32_t k = 0; k < p->n; k++) {
		w->hgrid[k] = grid_for(2.0 * w->diag[k] * most);
		y[k] = 0.0;
	}
	for (size_t k = 0; k < p->np; k++) {
		uint32_t i = p->i[k], j = p->j[k];
		double t = w->h[k] * (x[i] - x[j]);

		y[i] += grid_round(t, w->hgrid[i]);
		y[j] -= grid_round(t, w->hgrid[j]);
	}
}

/* Preconditioned conjugate gradients (Jacobi). */
enum err
bt_hessian_solve(const struct bt_problem *p, struct bt_work *w, const double *b,
    double tol, double *x)
{
	size_t limit = CG_LEAST + (size_t)CG_PER_ITEM * p->n;
	/* Without the ghost only what adds up to 0 can be solved for. */
	double mean = p->ghost ? 0.0 : grid_sum(b, p->n) / p->n;
	double rz, enough;

	for (uint32_t k = 0; k < p->n; k++) {
		x[k] = 0.0;
		w->r[k] = b[k] - mean;
		w->z[k] = w->p[k] = w->r[k] / w->diag[k];
	}
	rz = grid_dot(w->r, w->z, p->n);
	enough = tol * tol * rz;
	for (size_t it = 0; rz > enough && it < limit; it++) {
		double curve, alpha, next;

		hessian_times(p, w, w->p, w->hp);
		for (uint32_t k = 0; p->ghost && k < p->n; k++)
			w->hp[k] += w->ghost[k] * w->p[k];
		curve = grid_dot(w->p, w->hp, p->n);
		if (!(curve > 0.0))
			break;
		alpha = rz / curve;
		for (uint32_t k = 0; k < p->n; k++) {
			x[k] += alpha * w->p[k];
			w->r[k] -= alpha * w->hp[k];
			w->z[k] = w->r[k] / w->diag[k];
		}
		next = grid_dot(w->r, w->z, p->n);
		for (uint32_t k = 0; k < p->n; k++)
			w->p[k] = w->z[k] + (next / rz) * w->p[k];
		rz = next;
	}
	return isfinite(rz) ? ERR_OK : ERR_LIMIT;
}

double
bt_log_likelihood(const struct bt_problem *p, const double *theta)
{
	double *term = malloc((p->np + 1) * sizeof(*term)), sum;

	if (term == NULL)
		return NAN;
	for (size_t k = 0; k < p->np; k++) {
		double d = theta[p->i[k]] - theta[p->j[k]];

		term[k] = p->si[k] * num_log_sigmoid(d) +
			  p->sj[k] * num_log_sigmoid(-d);
	}
	sum = grid_sum(term, p->np);
	free(term);
	return sum;
}

unsigned
bt_newman(const struct bt_problem *p, double *theta, double tol,
    unsigned max_sweeps, double *work)
{
	double *up = work, *down = work + p->n;

	for (unsigned sweep = 1; sweep <= max_sweeps; sweep++) {
		double most = 0;

		memset(work, 0, 2 * (size_t)p->n * sizeof(*work));
		for (size_t k = 0; k < p->np; k++) {
			uint32_t i = p->i[k], j = p->j[k];
			/* pi_j / (pi_i + pi_j), and 1 / (pi_i + pi_j) times
			 * pi_i, so that no power of e overflows */
			double pj = num_sigmoid(theta[j] - theta[i]);
			double pi = 1.0 - pj;

			up[i] += p->si[k] * pj;
			down[i] += p->sj[k] * pi;
			up[j] += p->sj[k] * pi;
			down[j] += p->si[k] * pj;
		}
		for (uint32_t x = 0; x < p->n; x++) {
			double d = num_log(up[x] / down[x]);

			theta[x] += d;
			most = fabs(d) > most ? fabs(d) : most;
		}
		centre(theta, p->n);
		if (most < tol)
			return sweep;
	}
	return 0;
}
