/* This file knows how to move two ratings after one vote. */
#include "config.h"

#include "rate/elo.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/num.h"
#include "rate/prng.h"

/* Expected score of the stronger side at a gap of gap >= 0 points. */
static double
stronger_expects(const struct elo_rule *rule, double gap)
{
	return 1.0 / (1.0 + num_exp10(-gap / rule->scale));
}

double
elo_expected(const struct elo_rule *rule, double ra, double rb)
{
	if (ra >= rb)
		return stronger_expects(rule, ra - rb);
	return 1.0 - stronger_expects(rule, rb - ra);
}

double
elo_gain(const struct elo_rule *rule, double ra, double rb, double score_a)
{
	if (ra >= rb)
		return rule->k * (score_a - stronger_expects(rule, ra - rb));
	return -(rule->k * ((1.0 - score_a) - stronger_expects(rule, rb - ra)));
}

void
elo_update(const struct elo_rule *rule, double *ra, double *rb, double score_a)
{
	double gain = elo_gain(rule, *ra, *rb, score_a);

	*ra += gain;
	*rb -= gain;
}

void
elo_replay(const struct elo_rule *rule, const struct elo_vote *votes,
    size_t nvotes, unsigned passes, double *rating, size_t nitems)
{
	for (size_t i = 0; i < nitems; i++)
		rating[i] = rule->start;
	for (unsigned pass = 0; pass < passes; pass++) {
		for (size_t i = 0; i < nvotes; i++) {
			const struct elo_vote *v = &votes[i];

			assert(v->a < nitems && v->b < nitems && v->a != v->b);
			elo_update(rule, &rating[v->a], &rating[v->b],
			    0.5 * v->half_points);
		}
	}
}

/* Fisher and Yates. */
static void
shuffle(struct elo_vote *votes, size_t n, struct prng *g)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)prng_below(g, i);
		struct elo_vote t = votes[i - 1];

		votes[i - 1] = votes[j];
		votes[j] = t;
	}
}

enum err
elo_over_orders(const struct elo_rule *rule, const struct elo_vote *votes,
    size_t nvotes, unsigned orders, uint64_t seed, double *mean, double *sd,
    size_t nitems)
{
	struct elo_vote *mixed = malloc((nvotes + 1) * sizeof(*mixed));
	double *r = malloc((nitems + 1) * sizeof(*r));
	enum err e = ERR_NOMEM;

	if (mixed == NULL || r == NULL)
		goto out;
	memset(mean, 0, nitems * sizeof(*mean));
	memset(sd, 0, nitems * sizeof(*sd));
	for (unsigned k = 0; k < orders; k++) {
		struct prng g;

		memcpy(mixed, votes, nvotes * sizeof(*mixed));
		prng_init(&g, seed, k);
		shuffle(mixed, nvotes, &g);
		elo_replay(rule, mixed, nvotes, 1, r, nitems);
		for (size_t i = 0; i < nitems; i++) { /* Welford */
			double d = r[i] - mean[i];

			mean[i] += d / (k + 1);
			sd[i] += d * (r[i] - mean[i]);
		}
	}
	for (size_t i = 0; i < nitems; i++)
		sd[i] = orders > 1 ? sqrt(sd[i] / (orders - 1)) : 0.0;
	e = ERR_OK;
out:
	free(mixed);
	free(r);
	return e;
}
