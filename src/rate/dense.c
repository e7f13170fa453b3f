/* This file knows how to factor and invert small symmetric matrices. */
#include "config.h"

#include "rate/dense.h"

#include <math.h>
#include <string.h>

enum err
dense_cholesky(double *a, size_t n)
{
	for (size_t j = 0; j < n; j++) {
		double *aj = a + j * n, d;

		for (size_t i = 0; i < j; i++) {
			const double *ai = a + i * n;
			double s = aj[i];

			for (size_t k = 0; k < i; k++)
				s -= aj[k] * ai[k];
			aj[i] = s / ai[i];
		}
		d = aj[j];
		for (size_t k = 0; k < j; k++)
			d -= aj[k] * aj[k];
		if (!(d > 0.0))
			return ERR_INVALID;
		aj[j] = sqrt(d);
	}
	return ERR_OK;
}

void
dense_solve(const double *l, size_t n, double *b)
{
	for (size_t i = 0; i < n; i++) {
		double s = b[i];

		for (size_t k = 0; k < i; k++)
			s -= l[i * n + k] * b[k];
		b[i] = s / l[i * n + i];
	}
	for (size_t i = n; i-- > 0;) {
		double x = b[i] / l[i * n + i];

		b[i] = x;
		for (size_t k = 0; k < i; k++)
			b[k] -= l[i * n + k] * x;
	}
}

void
dense_inverse(const double *l, size_t n, double *x)
{
	/* Column by column; row j of the symmetric result is column j. */
	memset(x, 0, n * n * sizeof(*x));
	for (size_t j = 0; j < n; j++) {
		double *b = x + j * n;

		b[j] = 1.0;
		for (size_t i = j; i < n; i++) {
			double s = b[i];

			for (size_t k = j; k < i; k++)
				s -= l[i * n + k] * b[k];
			b[i] = s / l[i * n + i];
		}
		for (size_t i = n; i-- > 0;) {
			double y = b[i] / l[i * n + i];

			b[i] = y;
			for (size_t k = 0; k < i; k++)
				b[k] -= l[i * n + k] * y;
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double m = 0.5 * (x[i * n + j] + x[j * n + i]);

			x[i * n + j] = x[j * n + i] = m;
		}
	}
}

void
dense_product(const double *a, const double *b, size_t n, double *out)
{
	memset(out, 0, n * n * sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		double *o = out + i * n;

		for (size_t k = 0; k < n; k++) {
			const double *row = b + k * n;
			double s = a[i * n + k];

			if (s == 0.0)
				continue;
			for (size_t j = 0; j < n; j++)
				o[j] += s * row[j];
		}
	}
}

/*
 * The row of the greatest diagonal entry; of several that only rounding tells
 * apart the first.
 */
static size_t
largest(const double *a, size_t n)
{
	double most = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		most = a[i * n + i] > most ? a[i * n + i] : most;
	while (k + 1 < n && a[k * n + k] < most - 1e-6 * most)
		k++;
	return k;
}

size_t
dense_factor(double *a, size_t n, double *f)
{
	double trace = 0;
	size_t rank = 0;

	memset(f, 0, n * n * sizeof(*f));
	for (size_t i = 0; i < n; i++)
		trace += a[i * n + i];
	while (rank < n) {
		size_t best = largest(a, n);
		double d = a[best * n + best], root;

		if (!(d > 1e-13 * trace))
			break;
		root = sqrt(d);
		for (size_t i = 0; i < n; i++)
			f[i * n + rank] = a[best * n + i] / root;
		for (size_t i = 0; i < n; i++) {
			double s = f[i * n + rank];

			for (size_t j = 0; j < n; j++)
				a[i * n + j] -= s * f[j * n + rank];
		}
		rank++;
	}
	return rank;
}
