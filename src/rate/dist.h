/*
 * dist - the distributions that tests and intervals are read from.
 *
 * Layer    rate.
 * Memory   none.
 * Threads  pure.
 */
#ifndef PA_DIST_H
#define PA_DIST_H

#include <stdint.h>

/* P(Z <= x) for a standard normal, relative error below 1e-13. */
double dist_normal(double x);

/* x with P(Z <= x) = p, 0 < p < 1. */
double dist_normal_quantile(double p);

/* ln Gamma(x) for x > 0. */
double dist_log_gamma(double x);

/* Regularised incomplete beta I_x(a, b), a, b > 0 (continued fraction). */
double dist_beta(double x, double a, double b);

/* P(T <= x), Student's t with df > 0 degrees of freedom. */
double dist_t(double x, double df);

/* t with P(T <= t) = p; the normal quantile for huge df. */
double dist_t_quantile(double p, double df);

/* P(X >= x) for chi-square with df degrees of freedom, x >= 0. */
double dist_chi2_upper(double x, double df);

/* P(K <= k) for Binomial(n, p). */
double dist_binomial(uint64_t k, uint64_t n, double p);

/*
 * Exact two-sided sign test: the chance, under p = 1/2, of a split at least
 * as lopsided as k of n (twice the smaller tail, at most 1).
 */
double dist_sign_test(uint64_t k, uint64_t n);

#endif /* PA_DIST_H */
