/*
 * share - how sure a share of votes is, one person's votes not being
 * independent of each other.
 *
 * Layer    rate.
 * Memory   none.
 * Threads  pure.
 *
 * With K of N votes from m people, k_u of n_u from person u, the variance of
 * p = K / N is that of a ratio over whole people (Cochran 1977, Sampling
 * Techniques, 11.8),
 *
 *	m / (m - 1) * sum (k_u - p n_u)^2 / N^2,
 *
 * which makes N votes worth N_e = N * [p (1 - p) / N] / variance independent
 * ones, never more than N; when all votes agree the data say nothing of that,
 * and people are counted in place of votes (N_e = m).  The interval is Wilson's
 * for N_e, with Student's t of m - 1 degrees of freedom for the quantile (as
 * Korn and Graubard 1998, Survey Methodology 24, do for the exact one).
 */
#ifndef PA_SHARE_H
#define PA_SHARE_H

#include <stddef.h>
#include <stdint.h>

struct share_of {      /* one person's */
	uint64_t k, n; /* k <= n; n 0: is not there */
};

struct share {
	double value;        /* 0 to 1; NaN without votes */
	double lower, upper; /* NaN with fewer than two people */
	uint64_t k, n, people;
};

/* The share of all of u[0 .. m - 1] with its interval at level (0.95). */
void share_of_people(
    const struct share_of *u, size_t m, double level, struct share *out);

#endif /* PA_SHARE_H */
