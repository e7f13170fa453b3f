/*
 * bt - Bradley-Terry ratings: the order-free column, our primary analysis.
 *
 * Layer    rate.
 * Memory   malloc; each _release frees what its struct holds.
 * Threads  pure; one struct bt_work belongs to one thread.
 *
 * Bradley and Terry (1952): P(i beats j) = 1 / (1 + e^-(theta_i - theta_j)).
 * A tie is half a win for both.  Theta is in natural log-odds, with mean 0
 * over the prompts of one component; rating = 1500 + theta 400 / ln 10.
 *
 * The likelihood is climbed by Newton's method with conjugate gradients on
 * the pairs.  Where a whole step would overshoot it is shortened to
 * ln(1 + d) / d of its length, d being the greatest change of a difference:
 * for the logistic likelihood that always climbs (Sun and Tran-Dinh 2019,
 * generalised self-concordance).
 *
 * All sums over pairs or items are made exact by rounding each term to a
 * common grid first, so they do not depend on order.  Hence renumbering the
 * items, or shuffling the votes, changes no bit of any rating, and prompts
 * with equal records get equal ratings.
 *
 * Where no finite maximum exists (a component that is not strongly
 * connected) every prompt of that component is given half a win and half a
 * loss against a ghost of strength 0.  Such ratings are finite, drawn to the
 * middle, and marked.
 */
#ifndef PA_BT_H
#define PA_BT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pairs;

/* Rating points per unit of theta: 400 / ln 10. */
#define BT_POINTS 173.71779276130070
#define BT_CENTRE 1500.0

/* The bound on max |gradient| / games below which a fit has converged. */
#define BT_CONVERGED 1e-9

/* One connected component as the solver wants it. */
struct bt_problem {
	uint32_t n; /* items */
	size_t np;  /* pairs */
	const uint32_t *i, *j;
	const double *si, *sj; /* scores: wins and half the ties */
	bool ghost;            /* half a win and half a loss against 0 */
};

/* Arrays of the solver; big enough for n items and np pairs. */
struct bt_work {
	double *block;
	double *h; /* per pair: games p (1 - p) at the last point */
	double *games, *grad, *diag, *step, *r, *z, *p, *hp, *grid;
	double *hgrid;           /* grids of the Hessian's rows */
	double *ghost;           /* what the ghost adds to the diagonal */
	double target;           /* max |gradient| / games to reach */
	double close;            /* foreseen error of theta to reach too */
	unsigned newton, passes; /* spent by the last solve */
	double worst;            /* its max |gradient| / games */
	bool fine;               /* grids follow the terms, not the games */
};

/* With the target BT_CONVERGED, which the caller may change. */
enum err bt_work_open(struct bt_work *w, uint32_t n, size_t np) PA_MUST_USE;
void bt_work_release(struct bt_work *w);

/*
 * Climb from theta (a start: zeros, or a former fit) to the maximum, in
 * place, mean 0.  ERR_LIMIT if the gradient is not small enough within the
 * bound on steps: theta is then worthless.  w->h and w->diag describe the
 * Hessian at the maximum afterwards.
 */
enum err bt_solve(
    const struct bt_problem *p, double *theta, struct bt_work *w) PA_MUST_USE;

/* Log-likelihood at theta, without the ghost; the sum is order-free. */
double bt_log_likelihood(const struct bt_problem *p, const double *theta);

/*
 * Solve H x = b for the Hessian left in w by bt_solve, to a relative residual
 * of tol.  b must add up to 0 unless p->ghost.
 */
enum err bt_hessian_solve(const struct bt_problem *p, struct bt_work *w,
    const double *b, double tol, double *x) PA_MUST_USE;

/* All components of a data set, in solver's form. */
struct bt_data {
	uint32_t *i, *j;
	double *si, *sj;
	struct bt_problem *problem; /* one per component */
	uint32_t nparts, max_n;
	size_t max_np;
};

enum err bt_data_open(
    const struct pairs *pairs, struct bt_data *out) PA_MUST_USE;
void bt_data_release(struct bt_data *d);

struct bt_fit {
	double *theta;   /* nitems */
	bool *penalised; /* nitems: not yet separable */
	double log_likelihood;
	double worst;    /* max |gradient| / games over components */
	unsigned newton; /* most steps in a component */
	unsigned passes; /* most passes over the pairs in a component */
	uint32_t npenalised;
};

/*
 * Fit every component.  Prompts that never met anybody get theta 0 and are
 * marked penalised.  start (nitems, or NULL) is a former theta.
 */
enum err bt_fit(const struct pairs *pairs, const double *start,
    struct bt_fit *out) PA_MUST_USE;
void bt_fit_release(struct bt_fit *fit);

/*
 * The slow, simple way to the same maximum, for cross-checks: Newman (2023,
 * JMLR 24, eq. 10) sweeps, pi_i <- sum_j s_ij pi_j/(pi_i+pi_j) /
 * sum_j s_ji/(pi_i+pi_j), re-centred after each.  Returns the sweeps used to
 * reach a greatest relative change below tol, or 0.
 */
unsigned bt_newman(const struct bt_problem *p, double *theta, double tol,
    unsigned max_sweeps, double *work_2n);

#endif /* PA_BT_H */
