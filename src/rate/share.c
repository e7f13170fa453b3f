/* This file knows how to say how sure a share of votes is. */
#include "config.h"

#include "rate/share.h"

#include <math.h>

#include "rate/dist.h"

/* Independent votes that as many of so many people are worth. */
static double
worth(const struct share_of *u, size_t m, const struct share *s)
{
	double n = (double)s->n, people = (double)s->people, sum = 0, variance;

	if (s->k == 0 || s->k == s->n)
		return people;
	for (size_t i = 0; i < m; i++) {
		double off = (double)u[i].k - s->value * (double)u[i].n;

		sum += off * off;
	}
	variance = people / (people - 1) * sum / (n * n);
	return fmin(n, s->value * (1 - s->value) / variance);
}

void
share_of_people(
    const struct share_of *u, size_t m, double level, struct share *out)
{
	struct share s = { .value = NAN, .lower = NAN, .upper = NAN };
	double t, n, mid, half;

	for (size_t i = 0; i < m; i++) {
		s.k += u[i].k;
		s.n += u[i].n;
		s.people += u[i].n > 0;
	}
	*out = s;
	if (s.n == 0)
		return;
	s.value = (double)s.k / (double)s.n;
	*out = s;
	if (s.people < 2)
		return;
	n = worth(u, m, &s);
	t = dist_t_quantile(0.5 + 0.5 * level, (double)s.people - 1);
	mid = (s.value + t * t / (2 * n)) / (1 + t * t / n);
	half = t * sqrt(s.value * (1 - s.value) / n + t * t / (4 * n * n)) /
	       (1 + t * t / n);
	out->lower = s.k == 0 ? 0 : fmax(0, mid - half);
	out->upper = s.k == s.n ? 1 : fmin(1, mid + half);
}
