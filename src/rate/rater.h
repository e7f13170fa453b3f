/*
 * rater - who votes well, and how much each voter should weigh.
 *
 * Layer    rate.
 * Memory   malloc inside; results go to the caller's arrays.
 * Threads  pure.
 *
 * Every statistic compares a voter with the consensus of the others: ratings
 * are fitted with everybody's weight, and the voter's own part is taken out
 * by one Newton step (theta - w H^-1 g).  p is then P(vote) without ties.
 *
 *	side      exact two-sided binomial of A-wins among decisive votes;
 *	          longest run L of one side: n 2^-(L-1).
 *	z         sum lambda (y - p) / sqrt(sum lambda^2 p (1 - p)),
 *	          lambda = logit p: weighted agreement.
 *	target    the greatest over prompts i of sum (y - p) / sqrt(sum p(1-p))
 *	          over votes with i: does the voter push one prompt?
 *	eta       chance to vote with the better one (Dawid and Skene 1979 in
 *	          one parameter, prior 8.5 of 10, 20 rounds of EM).
 *	ability   slope a of P = s(a (theta_i - theta_j)), prior a ~ N(1, 1):
 *	          am-ELO's theta (Liu et al. 2025); negative: votes against.
 *
 * Decision: flags are side (p < 1e-3), z < -3 on 15 votes or more, target z
 * over the Bonferroni bound of 1 %, two failed control questions.  Weight 0
 * for two flags, for side p < 1e-4 or three failed controls; a quarter at
 * most for one flag; else eta's weight w = clamp((2 eta - 1) / 0.7), raised to
 * min(1, 2 w - 1/2) where it is above 1/2: whoever votes clearly better than by
 * chance counts in full, or weights would cost honest data precision.  Ratings
 * and weights are computed in turns, four times.
 *
 * With 20 votes each a group that pushes one prompt cannot be found; caps and
 * pairs drawn by the server have to do there.  Weights never delete a vote.
 */
#ifndef PA_RATER_H
#define PA_RATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	RATER_ROUNDS = 4,
	RATER_EM = 20,
	RATER_SLICE = 4096 /* votes, about a millisecond */
};

/* Above this weight, what is above it counts twice, up to 1: agreement by
 * chance must not decide among honest voters. */
#define RATER_DOUBT 0.5
#define RATER_TRUST 1.0

enum rater_flag {
	RATER_SIDE = 1,
	RATER_AGAINST = 2,
	RATER_TARGET = 4,
	RATER_CONTROL = 8
};

struct rater_vote {
	uint32_t voter;
	uint32_t a, b; /* a was shown as A */
	double score;  /* of a: 1, 1/2, 0 */
};

struct rater_input {
	const struct rater_vote *vote;
	size_t nvotes;
	uint32_t nitems;
	uint32_t nvoters;
	const uint32_t *controls; /* control questions failed, or NULL */
	/* Called about once a slice, so that a caller with other things to do
	 * may rest, or give up (true: ERR_CLOSED); or NULL. */
	bool (*breathe)(void *arg);
	void *breathe_arg;
};

struct rater {
	uint32_t votes, decisive, a_wins;
	uint32_t run; /* longest run of one side */
	double side_p, run_p;
	double z; /* 0 if undefined */
	double target_z;
	uint32_t target; /* the prompt with the greatest z */
	double eta;
	double ability;
	double agreement; /* share of decisive votes for the favourite */
	double p;         /* smallest of the p-values, Bonferroni */
	unsigned flags;
	double weight;
	bool review; /* on the list at a false discovery rate of 5 % */
};

/*
 * Judge all voters.  out has nvoters entries; raw and weighted, unless NULL,
 * get nitems thetas without and with the weights.
 */
enum err rater_judge(const struct rater_input *in, struct rater *out,
    double *raw, double *weighted) PA_MUST_USE;

/* Is there anything about this voter to look at? */
bool rater_stands_out(const struct rater *r);

/* Kendall's tau (b) of two lists of n numbers. */
double rater_tau(const double *x, const double *y, size_t n);

#endif /* PA_RATER_H */
