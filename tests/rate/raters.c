/*
 * This file simulates careless and colluding voters and asserts what the
 * rater scheme promises: 200 voters of 40 votes with 4 control questions,
 * 85 % honest, 5 % always left, 5 % at random, 5 % pushing the sixth of
 * eight prompts; fixed seeds.
 *
 * SEEDS in the environment sets how many (200 unless given).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "rate/num.h"
#include "rate/prng.h"
#include "rate/rater.h"
#include "tests/rate/tap.h"

enum {
	ITEMS = 8,
	VOTERS = 200,
	EACH = 40,
	CONTROLS = 4
};
enum kind {
	HONEST,
	LEFT,
	RANDOM,
	COLLUDER,
	KINDS
};

struct world {
	double theta[ITEMS];
	uint32_t target; /* the sixth best */
	enum kind kind[VOTERS];
	struct rater_vote vote[VOTERS * EACH];
	uint32_t failed[VOTERS];
};

static void
make_world(struct world *w, uint64_t seed, int honest_only)
{
	struct prng g;

	prng_init(&g, 31, seed);
	for (int i = 0; i < ITEMS; i++)
		w->theta[i] = 0.6 * prng_normal(&g);
	for (uint32_t i = 0; i < ITEMS; i++) {
		int better = 0;

		for (int j = 0; j < ITEMS; j++)
			better += w->theta[j] > w->theta[i];
		if (better == 5)
			w->target = i;
	}
	for (uint32_t v = 0; v < VOTERS; v++) {
		w->kind[v] = honest_only || v < VOTERS * 85 / 100 ? HONEST
			     : v < VOTERS * 90 / 100              ? LEFT
			     : v < VOTERS * 95 / 100              ? RANDOM
								  : COLLUDER;
		w->failed[v] = 0;
		for (int k = 0; k < CONTROLS; k++) {
			int right =
			    w->kind[v] == HONEST || w->kind[v] == COLLUDER
				? prng_unit(&g) < 0.96
				: prng_unit(&g) < 0.5;

			w->failed[v] += !right;
		}
		for (int k = 0; k < EACH; k++) {
			struct rater_vote *x = &w->vote[v * EACH + k];
			double u = prng_unit(&g);

			x->voter = v;
			x->a = (uint32_t)prng_below(&g, ITEMS);
			x->b =
			    (uint32_t)(x->a + 1 + prng_below(&g, ITEMS - 1)) %
			    ITEMS;
			x->score =
			    u < num_sigmoid(w->theta[x->a] - w->theta[x->b]);
			if (w->kind[v] == LEFT)
				x->score = 1;
			if (w->kind[v] == RANDOM)
				x->score = prng_unit(&g) < 0.5;
			if (w->kind[v] == COLLUDER && x->a == w->target)
				x->score = 1;
			if (w->kind[v] == COLLUDER && x->b == w->target)
				x->score = 0;
		}
	}
}

static int
rank_of(const double *theta, uint32_t i)
{
	int rank = 1;

	for (int j = 0; j < ITEMS; j++)
		rank += theta[j] > theta[i];
	return rank;
}

static void
judge(const struct world *w, struct rater *r, double *raw, double *weighted)
{
	struct rater_input in = { w->vote, VOTERS * EACH, ITEMS, VOTERS,
		w->failed, NULL, NULL };

	if (rater_judge(&in, r, raw, weighted) != ERR_OK) {
		printf("Bail out! no judgement\n");
		exit(1);
	}
}

struct sums {
	double n[KINDS], zero[KINDS], low[KINDS];
	double gain_raw, gain_weighted, tau_raw, tau_weighted;
	double error_raw, error_weighted;
	unsigned not_worse;
};

static void
run(uint64_t seed, struct sums *s)
{
	static struct world w;
	struct rater r[VOTERS];
	double raw[ITEMS], weighted[ITEMS], mean = 0, tr, tw;

	make_world(&w, seed, 0);
	judge(&w, r, raw, weighted);
	for (int v = 0; v < VOTERS; v++) {
		s->n[w.kind[v]]++;
		s->zero[w.kind[v]] += r[v].weight == 0;
		s->low[w.kind[v]] += r[v].weight < 0.5;
	}
	s->gain_raw += 6 - rank_of(raw, w.target);
	s->gain_weighted += 6 - rank_of(weighted, w.target);
	tr = rater_tau(raw, w.theta, ITEMS);
	tw = rater_tau(weighted, w.theta, ITEMS);
	s->tau_raw += tr;
	s->tau_weighted += tw;
	s->not_worse += tw >= tr;
	for (int i = 0; i < ITEMS; i++)
		mean += w.theta[i] / ITEMS;
	for (int i = 0; i < ITEMS; i++) {
		s->error_raw += pow(raw[i] - w.theta[i] + mean, 2);
		s->error_weighted += pow(weighted[i] - w.theta[i] + mean, 2);
	}
}

static void
test_scheme(unsigned seeds)
{
	struct sums s = { 0 };

	for (unsigned k = 0; k < seeds; k++)
		run(k, &s);
	ok(s.zero[HONEST] / s.n[HONEST] <= 0.005,
	    "honest voters excluded: %.2f %% (at most 0.5)",
	    100 * s.zero[HONEST] / s.n[HONEST]);
	ok(s.low[HONEST] / s.n[HONEST] <= 0.03,
	    "honest voters below half weight: %.2f %% (at most 3)",
	    100 * s.low[HONEST] / s.n[HONEST]);
	ok(s.zero[LEFT] / s.n[LEFT] >= 0.99,
	    "always left excluded: %.1f %% (at least 99)",
	    100 * s.zero[LEFT] / s.n[LEFT]);
	ok(s.low[RANDOM] / s.n[RANDOM] >= 0.70,
	    "random voters below half weight: %.1f %% (at least 70)",
	    100 * s.low[RANDOM] / s.n[RANDOM]);
	ok(s.low[COLLUDER] / s.n[COLLUDER] >= 0.75,
	    "colluders below half weight: %.1f %% (at least 75)",
	    100 * s.low[COLLUDER] / s.n[COLLUDER]);
	ok(s.gain_weighted / seeds <= 0.4 && s.gain_weighted < s.gain_raw / 2,
	    "ranks gained by the pushed prompt: %.2f, unweighted %.2f",
	    s.gain_weighted / seeds, s.gain_raw / seeds);
	ok(s.not_worse >= 0.88 * seeds,
	    "Kendall's tau no worse with weights in %.1f %% (at least 88); "
	    "mean %.3f, unweighted %.3f",
	    100.0 * s.not_worse / seeds, s.tau_weighted / seeds,
	    s.tau_raw / seeds);
	ok(s.error_weighted < s.error_raw,
	    "weighted ratings are nearer the truth: squared error %.2f of the "
	    "unweighted",
	    s.error_weighted / s.error_raw);
}

static void
test_honest(unsigned seeds)
{
	static struct world w;
	unsigned same = 0;
	double error_raw = 0, error_weighted = 0;

	for (unsigned k = 0; k < seeds; k++) {
		struct rater r[VOTERS];
		double raw[ITEMS], weighted[ITEMS], mean = 0;
		uint32_t top = 0, wtop = 0;

		make_world(&w, 1000 + k, 1);
		judge(&w, r, raw, weighted);
		for (uint32_t i = 0; i < ITEMS; i++) {
			top = raw[i] > raw[top] ? i : top;
			wtop = weighted[i] > weighted[wtop] ? i : wtop;
			mean += w.theta[i] / ITEMS;
		}
		same += top == wtop;
		for (int i = 0; i < ITEMS; i++) {
			error_raw += pow(raw[i] - w.theta[i] + mean, 2);
			error_weighted +=
			    pow(weighted[i] - w.theta[i] + mean, 2);
		}
	}
	ok(same >= 0.97 * seeds,
	    "all honest: first place unchanged in %.1f %% (at least 97)",
	    100.0 * same / seeds);
	printf("# all honest: squared error %.3f of the unweighted\n",
	    error_weighted / error_raw);
	ok(error_weighted < 1.06 * error_raw,
	    "all honest: the weights do not hurt");
}

static void
test_symmetry(void)
{
	static struct world w, m;
	struct rater r[VOTERS], q[VOTERS];
	double a[ITEMS], b[ITEMS], worst = 0;

	make_world(&w, 5, 0);
	judge(&w, r, NULL, a);
	m = w;
	for (int k = 0; k < VOTERS * EACH; k++) {
		m.vote[k].voter = VOTERS - 1 - w.vote[k].voter;
		m.vote[k].a = w.vote[k].b;
		m.vote[k].b = w.vote[k].a;
		m.vote[k].score = 1 - w.vote[k].score;
	}
	for (int v = 0; v < VOTERS; v++)
		m.failed[v] = w.failed[VOTERS - 1 - v];
	judge(&m, q, NULL, b);
	for (int i = 0; i < ITEMS; i++)
		worst = fmax(worst, fabs(a[i] - b[i]));
	ok(worst < 1e-9, "renumbered voters and mirrored sides: within 1e-9");
}

/* One voter with half of all votes, always left, must not take over. */
static void
test_capture(void)
{
	static struct world w;
	static struct rater_vote vote[2 * VOTERS * EACH];
	static uint32_t failed[VOTERS + 1];
	struct rater r[VOTERS + 1];
	struct rater_input in = { vote, 2 * VOTERS * EACH, ITEMS, VOTERS + 1,
		failed, NULL, NULL };
	struct prng g;
	unsigned low = 0;

	make_world(&w, 9, 1);
	memcpy(vote, w.vote, sizeof(w.vote));
	prng_init(&g, 4, 4);
	for (int k = VOTERS * EACH; k < 2 * VOTERS * EACH; k++) {
		uint32_t a = (uint32_t)prng_below(&g, ITEMS);

		vote[k] = (struct rater_vote){ VOTERS, a,
			(uint32_t)(a + 1 + prng_below(&g, ITEMS - 1)) % ITEMS,
			1 };
	}
	if (rater_judge(&in, r, NULL, NULL) != ERR_OK) {
		ok(0, "judged");
		return;
	}
	for (int v = 0; v < VOTERS; v++)
		low += r[v].weight < 0.5;
	ok(r[VOTERS].weight == 0 && low < VOTERS / 20,
	    "one one-sided voter with half of all votes weighs nothing "
	    "(%u of %d others below half)",
	    low, VOTERS);
}

int
main(void)
{
	const char *given = getenv("SEEDS");
	unsigned seeds =
	    given != NULL ? (unsigned)strtoul(given, NULL, 10) : 200;

	test_scheme(seeds);
	test_honest(seeds);
	test_symmetry();
	test_capture();
	return tap_done();
}
