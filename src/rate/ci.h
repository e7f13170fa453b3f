/*
 * ci - how sure a Bradley-Terry rating is, and which ranks it may have.
 *
 * Layer    rate.
 * Memory   malloc; ci_release frees all.
 * Threads  pure.
 *
 * Covariance of theta: the sandwich H^-1 B H^-1 (Huber 1967; White 1982) at
 * the fit, in the gauge mean theta = 0.  H is the Hessian of the (possibly
 * penalised) log-likelihood.  B adds up outer products of scores:
 *
 *	CI_PER_VOTER  of each voter's whole score: one person's votes are not
 *	              independent (Liang and Zeger 1986).  G voters: factor
 *	              G / (G - 1), quantile of Student's t with G - 1 degrees.
 *	              Half-widths thus are sqrt(G / (G - 1)) times those of
 *	              the plain formula, which has no ridge here either.
 *	              Votes of nobody known count as voters of their own.
 *	              Where a few voters agree so well that this B is less
 *	              than a quarter of the next one, that one is taken.
 *	CI_PER_VOTE   of each vote; normal quantile, no factor.
 *
 * A component of nothing but ties has no score at all; H^-1 is taken there.
 * In a component without a finite maximum the ghost's half win and half loss
 * (bt.h) count in B as in H: what was won only once, or a thousand times and
 * never lost, is not therefore known for sure.
 *
 * Components up to CI_DENSE prompts are computed exactly; larger ones by
 * CI_DRAWS seeded Gaussian multiplier draws of one Newton step each, good to
 * a few per cent (`sampled` says so).
 *
 * rank       1 + prompts of the component whose lower bound lies above mine.
 * rank_from, rank_to   simultaneous: with the stated confidence all true
 *            ranks lie in these ranges at once.  From the differences, with
 *            the quantile of the greatest studentised difference by Gaussian
 *            multipliers (Mogstad, Romano, Shaikh, Wilhelm 2024), or from
 *            Bonferroni intervals where the covariance is only sampled.
 */
#ifndef PA_CI_H
#define PA_CI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_fit;
struct pairs;
struct tally;

enum {
	CI_DENSE = 800,
	CI_DRAWS = 200
};

enum ci_method {
	CI_NONE,
	CI_PER_VOTE,
	CI_PER_VOTER,
	CI_BOOTSTRAP_VOTES,  /* filled by boot, not by ci_sandwich */
	CI_BOOTSTRAP_VOTERS, /* likewise */
	CI__MAX
};

struct ci_options {
	enum ci_method method; /* PER_VOTE or PER_VOTER */
	double level;          /* 0.95 */
	uint64_t seed;         /* of multipliers */
	bool ranks;            /* simultaneous ranks wanted too */
};

struct ci {
	double *se;            /* of theta; 0 for a prompt alone */
	double *lower, *upper; /* of theta */
	double *quantile;    /* per component: half-widths are that many errors;
				infinite if it tells nothing of them */
	double **covariance; /* per component n * n by local number, or NULL */
	uint32_t *rank, *rank_from, *rank_to;
	uint32_t nparts;
	uint32_t clusters; /* in the largest component */
	uint32_t replaced; /* bootstrap: components that took the sandwich */
	bool sampled;
	enum ci_method method;
};

/*
 * All intervals of a fit.  t must be the tally the pairs were made of; it
 * must keep voters for CI_PER_VOTER (asserted).  A prompt that never met
 * anybody has an infinite interval.
 */
enum err ci_sandwich(const struct pairs *pairs, const struct tally *t,
    const struct bt_fit *fit, const struct ci_options *o,
    struct ci *out) PA_MUST_USE;

void ci_release(struct ci *ci);

/* Empty arrays for nitems items, as boot_run fills them. */
enum err ci_open(struct ci *ci, uint32_t nitems, uint32_t nparts) PA_MUST_USE;

/*
 * Standard error of theta_i - theta_j; NaN across components or where only
 * a sample of the covariance was made.
 */
double ci_se_difference(
    const struct ci *ci, const struct pairs *pairs, uint32_t i, uint32_t j);

/* rank[] from lower[] and upper[], within each component. */
enum err ci_rank(const struct pairs *pairs, struct ci *ci) PA_MUST_USE;

/*
 * Twins: prompts of bit-equal theta with the same record against everybody
 * else.  twin[i] is the least item i is a twin of (itself if none).
 */
enum err ci_twins(
    const struct pairs *pairs, const double *theta, uint32_t *twin) PA_MUST_USE;

#endif /* PA_CI_H */
