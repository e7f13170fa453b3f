/* This file tests what is computed by drawing at random: ranks that hold all
 * at once, and the bootstrap. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "rate/boot.h"
#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"
#include "tests/rate/tap.h"

enum {
	ITEMS = 7,
	VOTES = 900,
	VOTERS = 25,
	ORDERS = 12,
	LEVELS = 100
};

struct vote {
	uint32_t a, b, voter;
	enum tally_outcome o;
	double weight;
};

static struct vote votes[VOTES];

static void
make_votes(uint64_t seed)
{
	static const double weights[3] = { 0.5, 1.0, 4.0 };
	struct prng g;

	prng_init(&g, 5, seed);
	for (int k = 0; k < VOTES; k++) {
		struct vote *v = &votes[k];
		double d;

		v->a = (uint32_t)prng_below(&g, ITEMS);
		v->b = (uint32_t)(v->a + 1 + prng_below(&g, ITEMS - 1)) % ITEMS;
		v->voter = (uint32_t)prng_below(&g, VOTERS);
		v->weight = weights[prng_below(&g, 3)];
		d = 0.1 * ((double)v->b - (double)v->a);
		v->o = prng_unit(&g) < 0.15             ? TALLY_TIE
		       : prng_unit(&g) < num_sigmoid(d) ? TALLY_A
							: TALLY_B;
	}
}

static void
shuffle(struct vote *v, uint32_t *name, struct prng *g)
{
	for (uint32_t k = VOTES - 1; k > 0; k--) {
		uint32_t l = (uint32_t)prng_below(g, k + 1);
		struct vote t = v[k];

		v[k] = v[l];
		v[l] = t;
	}
	for (uint32_t k = 0; k < ITEMS; k++)
		name[k] = k;
	for (uint32_t k = ITEMS - 1; k > 0; k--) {
		uint32_t l = (uint32_t)prng_below(g, k + 1), t = name[k];

		name[k] = name[l];
		name[l] = t;
	}
}

/* ranks[level][item][from, to] of votes on prompts called by name[]. */
static void
rank_all(const struct vote *v, const uint32_t *name,
    uint32_t ranks[LEVELS][ITEMS][2])
{
	struct tally t;
	struct pairs p;
	struct bt_fit f;

	tally_init(&t, true);
	for (int k = 0; k < VOTES; k++)
		must(tally_add(&t, name[v[k].a], name[v[k].b], v[k].o,
		    0.1 * v[k].weight, v[k].voter));
	must(pairs_open(&t, ITEMS, &p));
	must(bt_fit(&p, NULL, &f));
	for (int l = 0; l < LEVELS; l++) {
		struct ci_options o = { CI_PER_VOTER, 0.5 + 0.0048 * l, 1,
			true };
		struct ci ci;

		must(ci_sandwich(&p, &t, &f, &o, &ci));
		for (uint32_t i = 0; i < ITEMS; i++) {
			ranks[l][i][0] = ci.rank_from[name[i]];
			ranks[l][i][1] = ci.rank_to[name[i]];
		}
		ci_release(&ci);
	}
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

/*
 * The bound on the greatest difference is drawn; at one of many levels some
 * pair is so near to it that other random numbers would tell.
 */
static void
test_ranks(void)
{
	static uint32_t first[LEVELS][ITEMS][2], other[LEVELS][ITEMS][2];
	uint32_t name[ITEMS];
	struct vote mixed[VOTES];
	struct prng g;
	int same = 0;

	prng_init(&g, 8, 0);
	for (uint64_t k = 0; k < ORDERS; k++) {
		make_votes(k);
		memcpy(mixed, votes, sizeof(mixed));
		for (uint32_t i = 0; i < ITEMS; i++)
			name[i] = i;
		rank_all(votes, name, first);
		shuffle(mixed, name, &g);
		rank_all(mixed, name, other);
		same += memcmp(first, other, sizeof(first)) == 0;
	}
	ok(same == ORDERS,
	    "shuffled votes and renamed prompts: the same ranks, %d of %d "
	    "times",
	    same, ORDERS);
}

/*
 * Mean over prompts of the bootstrap's error by the sandwich's.  kind: 0
 * nobody signed, 1 half of the votes are signed; w: weights, or NULL for 1.
 */
static double
ratio(int kind, int weighted, double scale)
{
	struct boot_options o = { 2000, 2, 3, 0.95, kind != 0, false };
	struct ci_options s = { kind ? CI_PER_VOTER : CI_PER_VOTE, 0.95, 1,
		false };
	struct tally t;
	struct pairs p;
	struct bt_fit f;
	struct ci boot, wich;
	double sum = 0;

	tally_init(&t, kind != 0);
	for (int k = 0; k < VOTES; k++)
		must(tally_add(&t, votes[k].a, votes[k].b, votes[k].o,
		    scale * (weighted ? votes[k].weight : 1.0),
		    kind && k % 2 ? votes[k].voter : TALLY_NOBODY));
	must(pairs_open(&t, ITEMS, &p));
	must(bt_fit(&p, NULL, &f));
	must(boot_run(&p, &t, &f, &o, &boot, NULL));
	must(ci_sandwich(&p, &t, &f, &s, &wich));
	for (int i = 0; i < ITEMS; i++)
		sum += boot.se[i] / wich.se[i] / ITEMS;
	ci_release(&boot);
	ci_release(&wich);
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
	return sum;
}

/* Votes that weigh apart leave more doubt than as many that weigh alike. */
static void
test_weights(void)
{
	near(ratio(0, 0, 1.0), 1.0, 0.05,
	    "bootstrap of votes: the sandwich's "
	    "errors");
	near(ratio(0, 1, 1.0), 1.0, 0.05, "and with weights");
	near(ratio(0, 1, 7.0), 1.0, 0.05, "and with weights seven times that");
	near(ratio(1, 0, 1.0), 1.0, 0.07, "some votes signed: likewise");
	near(ratio(1, 1, 1.0), 1.0, 0.07, "and with weights");
}

/* {0, 1}: the votes of weight 0 might as well not be there. */
static void
test_nothings(void)
{
	double se[2] = { 0, 0 };

	for (int with = 0; with < 2; with++) {
		struct boot_options o = { 2000, 2, 3, 0.95, false, false };
		struct tally t;
		struct pairs p;
		struct bt_fit f;
		struct ci ci;

		tally_init(&t, false);
		for (int k = 0; k < VOTES; k++)
			if (k % 3 == 0 || with)
				must(tally_add(&t, votes[k].a, votes[k].b,
				    votes[k].o, k % 3 == 0, TALLY_NOBODY));
		must(pairs_open(&t, ITEMS, &p));
		must(bt_fit(&p, NULL, &f));
		must(boot_run(&p, &t, &f, &o, &ci, NULL));
		for (int i = 0; i < ITEMS; i++)
			se[with] += ci.se[i];
		ci_release(&ci);
		bt_fit_release(&f);
		pairs_release(&p);
		tally_release(&t);
	}
	near(
	    se[1] / se[0], 1.0, 0.05, "votes of weight 0 leave doubt as it is");
}

int
main(void)
{
	test_ranks();
	make_votes(ORDERS);
	test_weights();
	test_nothings();
	return tap_done();
}
