/*
 * grid - sums that do not depend on the order of their terms.
 *
 * Layer    rate.
 * Memory   none.
 * Threads  pure.
 *
 * Adding 1.5 * 2^e to a term and taking it away again rounds the term to a
 * multiple of 2^(e-52).  Sums of such multiples are exact as long as they
 * stay below 2^(e+1), so any order gives the same bits (Demmel and Nguyen
 * 2013, with one bin).  The error per term is that of an ordinary sum.
 */
#ifndef PA_GRID_H
#define PA_GRID_H

#include <math.h>
#include <stddef.h>

/* The grid for terms whose absolute values add up to at most bound. */
static inline double
grid_for(double bound)
{
	int e;

	if (!(bound > 1e-280))
		bound = 1e-280;
	(void)frexp(bound, &e);
	return ldexp(1.5, e + 1);
}

/* x on the grid. */
static inline double
grid_round(double x, double grid)
{
	return (x + grid) - grid;
}

/* Order-free sum of x[0..n). */
static inline double
grid_sum(const double *x, size_t n)
{
	double most = 0, grid, sum = 0;

	for (size_t k = 0; k < n; k++)
		most = fabs(x[k]) > most ? fabs(x[k]) : most;
	grid = grid_for(most * (double)n);
	for (size_t k = 0; k < n; k++)
		sum += grid_round(x[k], grid);
	return sum;
}

/* Order-free sum of x[k] * y[k]. */
static inline double
grid_dot(const double *x, const double *y, size_t n)
{
	double most = 0, grid, sum = 0;

	for (size_t k = 0; k < n; k++) {
		double t = fabs(x[k] * y[k]);

		most = t > most ? t : most;
	}
	grid = grid_for(most * (double)n);
	for (size_t k = 0; k < n; k++)
		sum += grid_round(x[k] * y[k], grid);
	return sum;
}

#endif /* PA_GRID_H */
