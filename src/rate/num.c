/* This file knows how to compute exp, log and kin the same way everywhere. */
#include "config.h"

#include "rate/num.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 and log10 2 in two parts; the first has trailing zeros, so that its
 * product with a small integer is exact. */
static const double ln2_hi = 6.93147180369123816490e-01;
static const double ln2_lo = 1.90821492927058770002e-10;
static const double log10_2_hi = 3.01029995663611771306e-01;
static const double log10_2_lo = 3.69423907715893078616e-13;
static const double log2_e = 1.4426950408889634074;
static const double log2_10 = 3.3219280948873623479;
static const double sqrt2 = 1.4142135623730950488;

/* 2^n for -1022 <= n <= 1023, exact. */
static double
power_of_two(int n)
{
	uint64_t bits = (uint64_t)(n + 1023) << 52;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static int
nearest(double x)
{
	return (int)(x < 0 ? x - 0.5 : x + 0.5);
}

/*
 * e^r for |r| <= 0.35: the series to r^13, whose rest is below 1e-17, with
 * odd and even powers run side by side.
 */
static double
exp_reduced(double r)
{
	double q = r * r, odd, even;

	even = 1.0 / 3628800.0 + q * (1.0 / 479001600.0);
	even = 1.0 / 40320.0 + q * even;
	even = 1.0 / 720.0 + q * even;
	even = 1.0 / 24.0 + q * even;
	even = 0.5 + q * even;
	odd = 1.0 / 39916800.0 + q * (1.0 / 6227020800.0);
	odd = 1.0 / 362880.0 + q * odd;
	odd = 1.0 / 5040.0 + q * odd;
	odd = 1.0 / 120.0 + q * odd;
	odd = 1.0 / 6.0 + q * odd;
	return 1.0 + (r + q * (even + r * odd));
}

double
num_exp(double x)
{
	int n;

	if (!(x >= -708.0))
		return isnan(x) ? x : 0.0;
	if (x > 709.0)
		return HUGE_VAL;
	n = nearest(x * log2_e);
	return exp_reduced((x - n * ln2_hi) - n * ln2_lo) * power_of_two(n);
}

double
num_exp10(double x)
{
	int n;

	if (!(x >= -307.0))
		return isnan(x) ? x : 0.0;
	if (x > 308.0)
		return HUGE_VAL;
	n = nearest(x * log2_10);
	return exp_reduced(((x - n * log10_2_hi) - n * log10_2_lo) * NUM_LN10) *
	       power_of_two(n);
}

/* artanh(f) / f - 1 for f^2 = s < 0.0295, in two halves run side by side. */
static double
artanh_rest(double s)
{
	double q = s * s, odd, even;

	even = 1.0 / 19 + q * (1.0 / 23);
	even = 1.0 / 15 + q * even;
	even = 1.0 / 11 + q * even;
	even = 1.0 / 7 + q * even;
	even = 1.0 / 3 + q * even;
	odd = 1.0 / 17 + q * (1.0 / 21);
	odd = 1.0 / 13 + q * odd;
	odd = 1.0 / 9 + q * odd;
	odd = 1.0 / 5 + q * odd;
	return s * (even + s * odd);
}

double
num_log(double x)
{
	uint64_t bits;
	int e = 0;
	double m, f;

	if (x == 0.0)
		return -HUGE_VAL;
	if (!(x > 0.0) || isinf(x))
		return x > 0.0 ? x : NAN;
	if (x < 0x1p-1022) { /* subnormal */
		x *= 0x1p54;
		e = -54;
	}
	/* x = m 2^e with m in [1, 2), then in [0.707, 1.414). */
	memcpy(&bits, &x, sizeof(bits));
	e += (int)(bits >> 52) - 1023;
	bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
	memcpy(&m, &bits, sizeof(m));
	if (m > sqrt2) {
		m *= 0.5;
		e++;
	}
	/* ln m = 2 artanh f with |f| < 0.1716 */
	f = (m - 1.0) / (m + 1.0);
	return e * ln2_hi +
	       (2.0 * f + (2.0 * f * artanh_rest(f * f) + e * ln2_lo));
}

double
num_log1p(double x)
{
	double u = 1.0 + x;

	/* Kahan: the rounding error of u cancels in the quotient. */
	if (u == 1.0)
		return x;
	return num_log(u) * (x / (u - 1.0));
}

double
num_sigmoid(double x)
{
	double q;

	/* From the small side, so that x and -x add up to one. */
	if (x >= 0.0)
		return 1.0 / (1.0 + num_exp(-x));
	q = num_exp(x);
	return q / (1.0 + q);
}

double
num_log_sigmoid(double x)
{
	double q = num_exp(-fabs(x));

	return (x < 0.0 ? x : 0.0) - num_log1p(q);
}
