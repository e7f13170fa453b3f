/* This file knows how to draw reproducible pseudo-random numbers. */
#include "config.h"

#include "rate/prng.h"

#include <math.h>

#include "rate/num.h"

static uint64_t
splitmix(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void
prng_init(struct prng *g, uint64_t seed, uint64_t stream)
{
	uint64_t x = seed, y;

	/* Mix the stream through once, so that (1,2) and (2,1) differ. */
	y = splitmix(&x) ^ (stream * 0xd1342543de82ef95u);
	for (int i = 0; i < 4; i++)
		g->s[i] = splitmix(&y);
	g->spare = 0;
	g->has_spare = 0;
}

uint64_t
prng_below(struct prng *g, uint64_t n)
{
	uint64_t x, floor = (0 - n) % n; /* 2^64 mod n values are refused */

	do {
		x = prng_next(g);
	} while (x < floor);
	return x % n;
}

double
prng_normal(struct prng *g)
{
	double u, v, s;

	if (g->has_spare) {
		g->has_spare = 0;
		return g->spare;
	}
	do {
		u = 2.0 * prng_unit(g) - 1.0;
		v = 2.0 * prng_unit(g) - 1.0;
		s = u * u + v * v;
	} while (s >= 1.0 || s == 0.0);
	s = sqrt(-2.0 * num_log(s) / s);
	g->spare = v * s;
	g->has_spare = 1;
	return u * s;
}

/* ln k! by Stirling's series; exact enough (1e-14) from 10 on. */
static double
log_factorial(double k)
{
	static const double small[] = { 0, 0, 0.69314718055994531,
		1.7917594692280550, 3.1780538303479456, 4.7874917427820460,
		6.5792512120101010, 8.5251613610654143, 10.604602902745250,
		12.801827480081469 };
	double r;

	if (k < 10)
		return small[(int)k];
	r = 1.0 / k;
	return (k + 0.5) * num_log(k) - k + 0.91893853320467274 +
	       r * (1.0 / 12 - r * r * (1.0 / 360 - r * r * (1.0 / 1260)));
}

static uint64_t
binomial_inversion(struct prng *g, uint64_t n, double p)
{
	double q = 1.0 - p, s = p / q;
	double u = prng_unit(g), f = num_exp((double)n * num_log1p(-p));
	uint64_t k = 0;

	while (u > f && k < n) {
		u -= f;
		k++;
		f *= s * (double)(n - k + 1) / (double)k;
		if (f < 1e-300)
			break;
	}
	return k;
}

/* ln of P(k) / P(m) for the mode m. */
static double
log_ratio(double nn, double p, double m, double k)
{
	return log_factorial(m) + log_factorial(nn - m) - log_factorial(k) -
	       log_factorial(nn - k) + (k - m) * num_log(p / (1.0 - p));
}

static uint64_t
binomial_rejection(struct prng *g, uint64_t n, double p)
{
	double nn = (double)n, sd = sqrt(nn * p * (1.0 - p));
	double b = 1.15 + 2.53 * sd, a = -0.0873 + 0.0248 * b + 0.01 * p;
	double c = nn * p + 0.5, vr = 0.92 - 4.2 / b;
	double alpha = (2.83 + 5.1 / b) * sd;

	for (;;) {
		double u = prng_unit(g) - 0.5, v = prng_unit(g);
		double us = 0.5 - fabs(u), k;

		k = floor((2.0 * a / us + b) * u + c);
		if (k < 0 || k > nn)
			continue;
		/* Most draws need no logarithm. */
		if (us >= 0.07 && v <= vr)
			return (uint64_t)k;
		v = num_log(v * alpha / (a / (us * us) + b));
		if (v <= log_ratio(nn, p, floor((nn + 1.0) * p), k))
			return (uint64_t)k;
	}
}

uint64_t
prng_binomial(struct prng *g, uint64_t n, double p)
{
	if (n == 0 || !(p > 0.0))
		return 0;
	if (p >= 1.0)
		return n;
	if (p > 0.5)
		return n - prng_binomial(g, n, 1.0 - p);
	if ((double)n * p < 12.0)
		return binomial_inversion(g, n, p);
	return binomial_rejection(g, n, p);
}
