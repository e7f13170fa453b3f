/*
 * model - the exploratory models: native ties, side, style.
 *
 * Layer    rate.
 * Memory   malloc; model_fit_release frees the result.
 * Threads  pure.
 *
 * eta = theta_i - theta_j + z . beta for i shown first, and then
 *
 *	MODEL_BT          P(i) = s(eta), ties half each (Bradley, Terry 1952)
 *	MODEL_DAVIDSON    P(i) : P(tie) : P(j) =
 *	                  e^(eta/2) : nu : e^(-eta/2)     (Davidson 1970)
 *	MODEL_RAO_KUPPER  P(i) = s(eta - h), P(j) = s(-eta - h),
 *	                  h = ln of the threshold e^h >= 1 (Rao, Kupper 1967)
 *
 * with s the logistic function.  z = 1 for every row is the side effect
 * (Davidson and Beaver 1977); z of style differences gives "style control"
 * (Li, Angelopoulos, Chiang 2024).  All are concave; the maximum is found by
 * Newton's method on the dense Hessian, so items are limited to MODEL_MOST.
 * Errors come from the sandwich, clustered where rows name a cluster, with
 * the factor and the fall-backs that ci.h tells.
 *
 * These models answer other questions than the primary analysis (bt.h, ci.h)
 * and are labelled so by whoever shows them.
 */
#ifndef PA_MODEL_H
#define PA_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	MODEL_MOST = 1500
};

enum model_kind {
	MODEL_BT,
	MODEL_DAVIDSON,
	MODEL_RAO_KUPPER,
	MODEL__MAX
};

/* Votes of one kind between i (shown first) and j. */
struct model_row {
	uint32_t i, j;
	uint32_t cluster; /* voter; UINT32_MAX: each vote stands alone */
	double w[3];      /* i better, j better, neither */
	double w2[3];     /* sums of squared weights */
	double alone;     /* units if cluster is UINT32_MAX: votes that nobody
			     signed; 0 where units are votes, whoever's */
};

struct model_options {
	enum model_kind kind;
	size_t nz;          /* covariates per row */
	double ridge_theta; /* penalty 1/2 ridge theta^2 ... */
	double ridge_beta;  /* ... and 1/2 ridge beta^2 */
	bool ghost; /* half a win and half a loss against 0 for everybody */
};

struct model_fit {
	double *theta, *se;     /* nitems; mean 0 unless ridge_theta */
	double *beta, *se_beta; /* nz */
	double tie;             /* nu, or e^h; 0 or 1 without ties */
	double se_log_tie;
	double log_likelihood; /* without penalties */
	double aic;            /* -2 logL + 2 free parameters */
	double worst;          /* max |gradient| / games */
	double units;          /* clusters; infinity if none was named */
	unsigned newton;
};

/*
 * Fit.  Rows connect all items (else give ghost); z is nrows * nz.
 * ERR_TOOBIG over MODEL_MOST items, ERR_LIMIT if not converged or without a
 * maximum, ERR_INVALID
 * if every vote is a tie and the model has a tie parameter.
 */
enum err model_fit(const struct model_row *rows, const double *z, size_t nrows,
    uint32_t nitems, const struct model_options *o,
    struct model_fit *out) PA_MUST_USE;

/*
 * Have votes with ties, of items that are strongly connected, a best fit of
 * MODEL_DAVIDSON and MODEL_RAO_KUPPER?  They have none where the strengths
 * can be so spread that every winner is at least one step above, and those
 * who tied at most one step apart: wider steps and a wider tie only fit better
 * then.  (The cone of recession; Albert and Anderson 1984.)
 */
enum err model_has_peak(const struct model_row *rows, size_t nrows,
    uint32_t nitems, bool *out) PA_MUST_USE;

void model_fit_release(struct model_fit *fit);

/*
 * The z-scored style differences of published style control: per feature
 * (a - b) / (a + b + 1), less the mean, by the standard deviation over all
 * votes.  ab[v * 2k ..] holds k counts of a, then k of b; out is n * k.
 */
void model_style(const float *ab, size_t n, size_t k, double *out);

#endif /* PA_MODEL_H */
