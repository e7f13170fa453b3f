/* This file knows how to compute tail probabilities and quantiles. */
#include "config.h"

#include "rate/dist.h"

#include <math.h>

#include "rate/num.h"

static const double ln_2pi_half = 0.91893853320467274178;
static const double tiny = 1e-300;

double
dist_log_gamma(double x)
{
	double shift = 0, r;

	/* Up to where Stirling's series is good to 1e-16. */
	while (x < 15.0) {
		shift += num_log(x);
		x += 1.0;
	}
	r = 1.0 / (x * x);
	return (x - 0.5) * num_log(x) - x + ln_2pi_half +
	       (1.0 / 12 -
		   r * (1.0 / 360 -
			   r * (1.0 / 1260 -
				   r * (1.0 / 1680 - r * (1.0 / 1188))))) /
		   x -
	       shift;
}

/* Upper regularised incomplete gamma by Lentz's continued fraction. */
static double
gamma_fraction(double a, double x)
{
	double b = x + 1.0 - a, c = 1.0 / tiny, d = 1.0 / b, h = d;

	for (int k = 1; k < 10000; k++) {
		double an = -k * (k - a), del;

		b += 2.0;
		d = an * d + b;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = b + an / c;
		c = fabs(c) < tiny ? tiny : c;
		del = d * c;
		h *= del;
		if (fabs(del - 1.0) < 1e-16)
			break;
	}
	return num_exp(a * num_log(x) - x - dist_log_gamma(a)) * h;
}

/* Lower regularised incomplete gamma by its series. */
static double
gamma_series(double a, double x)
{
	double term = 1.0 / a, sum = term;

	for (int k = 1; k < 10000 && term > sum * 1e-17; k++) {
		term *= x / (a + k);
		sum += term;
	}
	return sum * num_exp(a * num_log(x) - x - dist_log_gamma(a));
}

static double
gamma_upper(double a, double x)
{
	if (!(x > 0.0))
		return 1.0;
	return x < a + 1.0 ? 1.0 - gamma_series(a, x) : gamma_fraction(a, x);
}

double
dist_chi2_upper(double x, double df)
{
	return gamma_upper(0.5 * df, 0.5 * x);
}

double
dist_normal(double x)
{
	double tail = 0.5 * gamma_upper(0.5, 0.5 * x * x);

	return x < 0 ? tail : 1.0 - tail;
}

double
dist_normal_quantile(double p)
{
	double lo = -40.0, hi = 40.0;
	double t, x;

	if (p == 0.5)
		return 0.0;
	if (p > 0.5)
		return -dist_normal_quantile(1.0 - p);
	/* A start good to 4.5e-4 (Hastings), then Newton on the tail. */
	t = sqrt(-2.0 * num_log(p));
	x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
		      (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
	for (int k = 0; k < 8; k++) {
		double f = dist_normal(x) - p;
		double slope = num_exp(-0.5 * x * x - ln_2pi_half);

		if (f > 0)
			hi = x;
		else
			lo = x;
		x -= f / slope;
		if (!(x > lo && x < hi))
			x = 0.5 * (lo + hi);
		if (fabs(f) < 1e-16 * p)
			break;
	}
	return x;
}

static double
beta_fraction(double x, double a, double b)
{
	double qab = a + b, c = 1.0, d = 1.0 - qab * x / (a + 1.0), h;

	d = 1.0 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < 100000; m++) {
		double aa = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double del;

		d = 1.0 + aa * d;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = 1.0 + aa / c;
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		aa = -(a + m) * (qab + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1.0 + aa * d;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = 1.0 + aa / c;
		c = fabs(c) < tiny ? tiny : c;
		del = d * c;
		h *= del;
		if (fabs(del - 1.0) < 1e-16)
			break;
	}
	return h;
}

double
dist_beta(double x, double a, double b)
{
	double front;

	if (!(x > 0.0))
		return 0.0;
	if (x >= 1.0)
		return 1.0;
	front = num_exp(dist_log_gamma(a + b) - dist_log_gamma(a) -
			dist_log_gamma(b) + a * num_log(x) + b * num_log1p(-x));
	if (x < (a + 1.0) / (a + b + 2.0))
		return front * beta_fraction(x, a, b) / a;
	return 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

double
dist_t(double x, double df)
{
	double tail = 0.5 * dist_beta(df / (df + x * x), 0.5 * df, 0.5);

	return x < 0 ? tail : 1.0 - tail;
}

double
dist_t_quantile(double p, double df)
{
	double lo = 0, hi = 2;

	if (df > 1e6)
		return dist_normal_quantile(p);
	if (p < 0.5)
		return -dist_t_quantile(1.0 - p, df);
	while (dist_t(hi, df) < p && hi < 1e12)
		hi *= 2;
	for (int k = 0; k < 200 && hi - lo > 1e-14 * hi; k++) {
		double mid = 0.5 * (lo + hi);

		if (dist_t(mid, df) < p)
			lo = mid;
		else
			hi = mid;
	}
	return 0.5 * (lo + hi);
}

double
dist_binomial(uint64_t k, uint64_t n, double p)
{
	if (k >= n)
		return 1.0;
	return dist_beta(1.0 - p, (double)(n - k), (double)k + 1.0);
}

double
dist_sign_test(uint64_t k, uint64_t n)
{
	uint64_t less = k < n - k ? k : n - k;
	double p;

	if (n == 0)
		return 1.0;
	p = 2.0 * dist_binomial(less, n, 0.5);
	return p < 1.0 ? p : 1.0;
}
