/*
 * This file simulates how many votes the informative pairing needs against
 * the random one for the same agreement with the truth.
 *
 * RUNS in the environment sets the number of simulated arenas.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/rater.h"
#include "rate/tally.h"
#include "rate/value.h"
#include "tests/rate/tap.h"

enum {
	ITEMS = 16,
	PAIRS = ITEMS * (ITEMS - 1) / 2,
	BATCH = 50,
	LOOKS = 80
};

/* tau[look] += Kendall's tau after (look + 1) * BATCH votes. */
static void
simulate(uint64_t seed, int informative, double *tau)
{
	struct value_options o = VALUE_OPTIONS_DEFAULT;
	double truth[ITEMS], theta[ITEMS] = { 0 }, chance[PAIRS];
	double v[ITEMS];
	uint32_t met[PAIRS] = { 0 };
	uint64_t matches[ITEMS] = { 0 };
	struct tally t;
	struct prng g;

	if (!informative)
		o.epsilon = 1.0;
	prng_init(&g, 99, seed);
	for (int i = 0; i < ITEMS; i++)
		truth[i] = 0.8 * prng_normal(&g);
	tally_init(&t, false);
	for (int look = 0; look < LOOKS; look++) {
		struct pairs p;
		struct bt_fit f;

		value_chances(ITEMS, theta, met, matches, NULL, &o, v, chance);
		for (int k = 0; k < BATCH; k++) {
			size_t pair = value_draw(chance, PAIRS, &g), i = 1;
			uint32_t a, b;

			while (value_pair(i + 1, 0) <= pair)
				i++;
			a = (uint32_t)i;
			b = (uint32_t)(pair - value_pair(i, 0));
			must(tally_add(&t, a, b,
			    prng_unit(&g) < num_sigmoid(truth[a] - truth[b])
				? TALLY_A
				: TALLY_B,
			    1, 0));
			met[pair]++;
			matches[a]++;
			matches[b]++;
		}
		must(pairs_open(&t, ITEMS, &p));
		must(bt_fit(&p, NULL, &f));
		memcpy(theta, f.theta, sizeof(theta));
		tau[look] += rater_tau(theta, truth, ITEMS);
		bt_fit_release(&f);
		pairs_release(&p);
	}
	tally_release(&t);
}

/* Votes at which the mean tau first reaches want, between looks. */
static double
votes_for(const double *tau, double want)
{
	for (int k = 1; k < LOOKS; k++)
		if (tau[k] >= want)
			return BATCH * (k + (want - tau[k - 1]) /
						(tau[k] - tau[k - 1]));
	return BATCH * LOOKS;
}

static void
test_chances(void)
{
	struct value_options o = VALUE_OPTIONS_DEFAULT;
	double theta[4] = { 0, 0.1, 2, 2.1 }, chance[6], sum = 0, v[4];
	uint32_t met[6] = { 9, 9, 9, 9, 9, 9 };
	uint64_t matches[4] = { 27, 27, 27, 27 };
	unsigned char barred[6] = { 1, 1, 0, 1, 1, 1 };

	value_chances(4, theta, met, matches, NULL, &o, v, chance);
	for (int k = 0; k < 6; k++)
		sum += chance[k];
	near(sum, 1, 1e-14, "chances add up to 1");
	ok(chance[value_pair(1, 0)] > chance[value_pair(3, 0)],
	    "close prompts are drawn more often");
	met[value_pair(1, 0)] = 1000;
	value_chances(4, theta, met, matches, NULL, &o, v, chance);
	ok(chance[value_pair(1, 0)] < chance[value_pair(3, 2)],
	    "a pair that met often is drawn less often");
	ok(chance[value_pair(1, 0)] >= 0.1 / 6, "but never below the floor");
	value_chances(4, theta, met, matches, barred, &o, v, chance);
	near(
	    chance[value_pair(1, 2)], 1, 1e-14, "the one pair left is certain");
	memset(barred, 1, sizeof(barred));
	ok(!value_chances(4, theta, met, matches, barred, &o, v, chance),
	    "nothing is left when all pairs are barred");
}

int
main(void)
{
	static const double want[] = { 0.80, 0.85, 0.90 };
	static double random_tau[LOOKS], informative_tau[LOOKS];
	const char *given = getenv("RUNS");
	unsigned runs =
	    given != NULL ? (unsigned)strtoul(given, NULL, 10) / 10 : 60;

	test_chances();
	for (unsigned r = 0; r < runs; r++) {
		simulate(r, 0, random_tau);
		simulate(r, 1, informative_tau);
	}
	for (int k = 0; k < LOOKS; k++) {
		random_tau[k] /= runs;
		informative_tau[k] /= runs;
	}
	for (int k = 0; k < 3; k++) {
		double r = votes_for(random_tau, want[k]);
		double i = votes_for(informative_tau, want[k]);

		ok(i < r,
		    "Kendall's tau %.2f: informative needs %.0f votes, random "
		    "%.0f (%.2f)",
		    want[k], i, r, i / r);
	}
	return tap_done();
}
