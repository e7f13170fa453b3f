/* This file knows how to choose the pair that is worth the next vote. */
#include "config.h"

#include "rate/value.h"

#include <math.h>

#include "rate/num.h"
#include "rate/prng.h"

static double
boost_of(const struct value_options *o, uint64_t matches)
{
	if (matches >= o->few)
		return 1.0;
	return o->boost - (o->boost - 1.0) * (double)matches / (double)o->few;
}

/* Fisher information on prompt i: half a vote, and what its votes say. */
static double
information(size_t n, size_t i, const double *theta, const uint32_t *met)
{
	double sum = 0.125;

	for (size_t j = 0; j < n; j++) {
		double d = theta[i] - theta[j];

		if (j != i)
			sum += met[value_pair(i, j)] * num_sigmoid(d) *
			       num_sigmoid(-d);
	}
	return sum;
}

/* Drop of the error of a difference d of variance v, if its sign is open. */
static double
worth(double d, double v)
{
	double p = num_sigmoid(d) * num_sigmoid(-d);
	double drop = sqrt(v) - sqrt(v / (1.0 + p * v));

	return drop * num_exp(-0.5 * d * d / v);
}

int
value_chances(size_t n, const double *theta, const uint32_t *met,
    const uint64_t *matches, const unsigned char *barred,
    const struct value_options *o, double *variance, double *chance)
{
	double sum = 0;
	size_t open = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		variance[i] = 1.0 / information(n, i, theta, met);
	for (size_t i = 1; i < n; i++) {
		for (size_t j = 0; j < i; j++, k++) {
			uint64_t few =
			    matches[i] < matches[j] ? matches[i] : matches[j];

			chance[k] = 0;
			if (barred != NULL && barred[k])
				continue;
			open++;
			chance[k] = worth(theta[i] - theta[j],
					variance[i] + variance[j]) *
				    boost_of(o, few);
			sum += chance[k];
		}
	}
	if (open == 0)
		return 0;
	for (size_t p = 0; p < k; p++) {
		if (barred != NULL && barred[p])
			continue;
		chance[p] = o->epsilon / (double)open +
			    (1.0 - o->epsilon) * chance[p] / sum;
	}
	return 1;
}

size_t
value_draw(const double *chance, size_t npairs, struct prng *g)
{
	double u = prng_unit(g);
	size_t last = 0;

	for (size_t k = 0; k < npairs; k++) {
		if (chance[k] <= 0.0)
			continue;
		last = k;
		u -= chance[k];
		if (u < 0.0)
			break;
	}
	return last;
}
