/* This file tests what a ranking hides on votes made for it. */
#include "config.h"

#include <stdlib.h>

#include "rate/bt.h"
#include "rate/insight.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"
#include "tests/rate/tap.h"

static void
wins(struct tally *t, uint32_t a, uint32_t b, uint64_t n, uint64_t back)
{
	must(tally_add_many(t, a, b, TALLY_A, n, 0));
	must(tally_add_many(t, a, b, TALLY_B, back, 0));
}

static void
fit(struct tally *t, uint32_t n, struct pairs *p, struct bt_fit *f)
{
	must(pairs_open(t, n, p));
	must(bt_fit(p, NULL, f));
}

static void
test_cycle(void)
{
	struct insight_cycle c[4];
	struct insight_fit g;
	struct tally t;
	struct pairs p;
	struct bt_fit f;
	size_t count, triples;

	tally_init(&t, false);
	wins(&t, 0, 1, 40, 10);
	wins(&t, 1, 2, 40, 10);
	wins(&t, 2, 0, 40, 10);
	wins(&t, 0, 3, 30, 20);
	wins(&t, 1, 3, 30, 20);
	wins(&t, 2, 3, 30, 20);
	fit(&t, 4, &p, &f);
	must(insight_cycles(&p, 0.05, c, 4, &count, &triples));
	ok(count == 1 && triples == 4 && c[0].x == 0 && c[0].y == 1 &&
		c[0].z == 2,
	    "a cycle of three is found once");
	must(insight_goodness(&p, &f, &g));
	ok(g.p < 1e-9 && g.beyond_noise > 0.7 && g.df == 3,
	    "one axis cannot explain it (p = %.2g, %.2f beyond noise)", g.p,
	    g.beyond_noise);
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

static void
test_axis(void)
{
	struct insight_cycle c[4];
	struct insight_fit g;
	struct tally t;
	struct pairs p;
	struct bt_fit f;
	struct prng r;
	size_t count, triples;
	unsigned low = 0;

	for (unsigned run = 0; run < 200; run++) {
		prng_init(&r, 8, run);
		tally_init(&t, false);
		for (uint32_t i = 0; i < 8; i++)
			for (uint32_t j = i + 1; j < 8; j++) {
				uint64_t w = prng_binomial(&r, 60,
				    num_sigmoid(0.25 * (j - (double)i)));

				wins(&t, j, i, w, 60 - w);
			}
		fit(&t, 8, &p, &f);
		must(insight_goodness(&p, &f, &g));
		must(insight_cycles(&p, 0.05, c, 4, &count, &triples));
		low += g.p < 0.05;
		bt_fit_release(&f);
		pairs_release(&p);
		tally_release(&t);
	}
	ok(low <= 20, "votes on one axis are refused in %u of 200 sets", low);
}

static void
test_fragile(void)
{
	struct insight_fragile x;
	struct tally t;
	struct pairs p;
	struct bt_fit f;

	tally_init(&t, false);
	wins(&t, 0, 1, 13, 10); /* 0 leads by three votes */
	wins(&t, 1, 2, 20, 5);
	wins(&t, 0, 2, 20, 5);
	fit(&t, 3, &p, &f);
	must(insight_fragile(&p, &f, &x));
	ok(x.first == 0 && x.other == 1 && x.votes >= 2 && x.votes <= 4,
	    "%d votes hold up first place", (int)x.votes);
	bt_fit_release(&f);
	pairs_release(&p);
	/* Take out what it names and see. */
	for (size_t k = 0; k < x.ncuts; k++)
		for (uint64_t n = 0; n < x.cut[k].votes; n++) {
			uint32_t w = x.cut[k].winner, l = x.cut[k].loser;

			if (tally_remove(&t, w, l, TALLY_A, 1, 0) != ERR_OK)
				must(tally_remove(&t, l, w, TALLY_B, 1, 0));
		}
	fit(&t, 3, &p, &f);
	ok(f.theta[1] > f.theta[0], "without them the other leads");
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

static void
test_heldout(void)
{
	static struct elo_vote v[4000];
	struct elo_rule rule = ELO_RULE_DEFAULT;
	struct insight_heldout h;
	struct prng g;

	prng_init(&g, 21, 0);
	for (size_t k = 0; k < 4000; k++) {
		uint32_t a = (uint32_t)prng_below(&g, 6);
		uint32_t b = (uint32_t)(a + 1 + prng_below(&g, 5)) % 6;

		v[k] = (struct elo_vote){ a, b,
			prng_unit(&g) < num_sigmoid(0.5 * ((double)a - b))
			    ? 2u
			    : 0u };
	}
	must(insight_heldout(v, 4000, 6, &rule, &h));
	ok(h.tested == 800 && h.bt < h.elo && h.bt < 0.66,
	    "held out: %.4f Bradley-Terry, %.4f Elo", h.bt, h.elo);
	must(insight_heldout(v, 40, 6, &rule, &h));
	ok(h.tested == 0, "40 votes are too few to hold any out");
}

int
main(void)
{
	test_cycle();
	test_axis();
	test_fragile();
	test_heldout();
	return tap_done();
}
