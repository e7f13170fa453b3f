/*
 * This file shows by simulation that the default intervals hold what they
 * promise when voters have tastes of their own, and what per-vote intervals
 * do there.
 *
 * RUNS in the environment sets the number of simulated votes' sets per case.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"
#include "tests/rate/tap.h"

enum {
	PROMPTS = 10,
	VOTERS = 100,
	VOTES_EACH = 20
};

static double
strength(uint32_t i)
{
	return 0.3 * ((double)i - 0.5 * (PROMPTS - 1));
}

/*
 * What the ratings estimate: tastes flatten the average vote, so fit the
 * expected votes of all pairs (tastes integrated over a fine grid).
 */
static void
truth(double taste, double *theta)
{
	struct tally t;
	struct pairs p;
	struct bt_fit f;

	tally_init(&t, false);
	for (uint32_t i = 0; i < PROMPTS; i++) {
		for (uint32_t j = i + 1; j < PROMPTS; j++) {
			double sd = taste * sqrt(2.0), win = 0, all = 0;

			for (double z = -6; z <= 6; z += 0.01) {
				double w = exp(-0.5 * z * z);

				all += w;
				win += w * num_sigmoid(strength(i) -
						       strength(j) + sd * z);
			}
			must(tally_add(&t, i, j, TALLY_A, 1e3 * win / all, 0));
			must(tally_add(
			    &t, i, j, TALLY_B, 1e3 * (1 - win / all), 0));
		}
	}
	must(pairs_open(&t, PROMPTS, &p));
	must(bt_fit(&p, NULL, &f));
	memcpy(theta, f.theta, PROMPTS * sizeof(*theta));
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

static void
simulate(struct prng *g, double taste, struct tally *t)
{
	for (uint32_t v = 0; v < VOTERS; v++) {
		double own[PROMPTS];

		for (int i = 0; i < PROMPTS; i++)
			own[i] = taste * prng_normal(g);
		for (int k = 0; k < VOTES_EACH; k++) {
			uint32_t a = (uint32_t)prng_below(g, PROMPTS);
			uint32_t b =
			    (uint32_t)(a + 1 + prng_below(g, PROMPTS - 1)) %
			    PROMPTS;
			double d = strength(a) + own[a] - strength(b) - own[b];

			must(tally_add(t, a, b,
			    prng_unit(g) < num_sigmoid(d) ? TALLY_A : TALLY_B,
			    1.0, v));
		}
	}
}

/* Share of intervals of both kinds that hold the truth. */
static void
coverage(double taste, unsigned runs, double *voter, double *vote)
{
	double theta[PROMPTS];
	unsigned held[2] = { 0, 0 };

	truth(taste, theta);
	for (unsigned r = 0; r < runs; r++) {
		struct tally t;
		struct pairs p;
		struct bt_fit f;
		struct prng g;

		prng_init(&g, 20240, r);
		tally_init(&t, true);
		simulate(&g, taste, &t);
		must(pairs_open(&t, PROMPTS, &p));
		must(bt_fit(&p, NULL, &f));
		for (int how = 0; how < 2; how++) {
			struct ci_options o = { how == 0 ? CI_PER_VOTER
							 : CI_PER_VOTE,
				0.95, 1, false };
			struct ci ci;

			must(ci_sandwich(&p, &t, &f, &o, &ci));
			for (int i = 0; i < PROMPTS; i++)
				held[how] += ci.lower[i] <= theta[i] &&
					     theta[i] <= ci.upper[i];
			ci_release(&ci);
		}
		bt_fit_release(&f);
		pairs_release(&p);
		tally_release(&t);
	}
	*voter = (double)held[0] / runs / PROMPTS;
	*vote = (double)held[1] / runs / PROMPTS;
}

int
main(void)
{
	static const double tastes[] = { 0.0, 0.7, 1.2 };
	const char *given = getenv("RUNS");
	unsigned runs =
	    given != NULL ? (unsigned)strtoul(given, NULL, 10) : 1000;

	for (size_t k = 0; k < 3; k++) {
		double voter, vote;

		coverage(tastes[k], runs, &voter, &vote);
		ok(fabs(voter - 0.95) < 0.02,
		    "tastes of sd %.1f: 95 %% intervals by voter hold in "
		    "%.1f %% of %u runs (per vote: %.1f %%)",
		    tastes[k], 100 * voter, runs, 100 * vote);
		if (tastes[k] > 1)
			ok(vote < 0.90, "per vote they promise too much");
	}
	return tap_done();
}
