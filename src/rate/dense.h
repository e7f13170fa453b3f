/*
 * dense - small symmetric matrices, row by row.
 *
 * Layer    rate.
 * Memory   the caller's arrays of n * n numbers.
 * Threads  pure.
 */
#ifndef PA_DENSE_H
#define PA_DENSE_H

#include <stddef.h>

#include "base/err.h"

/* a <- its lower Cholesky factor.  ERR_INVALID if not positive definite. */
enum err dense_cholesky(double *a, size_t n) PA_MUST_USE;

/* b <- solution of L L' x = b. */
void dense_solve(const double *l, size_t n, double *b);

/* x <- inverse of L L', both triangles. */
void dense_inverse(const double *l, size_t n, double *x);

/* out <- a b for symmetric a and b (out is apart from both). */
void dense_product(const double *a, const double *b, size_t n, double *out);

/*
 * Rank-revealing factor of a positive semidefinite a: f (n rows, n columns)
 * with f f' = a up to 1e-12 of the trace; a is destroyed.  Returns the rank,
 * the number of columns used.
 */
size_t dense_factor(double *a, size_t n, double *f);

#endif /* PA_DENSE_H */
