/* This file tests what must hold for any votes at all. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/boot.h"
#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/compare.h"
#include "rate/dense.h"
#include "rate/dist.h"
#include "rate/num.h"
#include "rate/multinom.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/snapshot.h"
#include "rate/tally.h"
#include "tests/rate/tap.h"

enum {
	ITEMS = 9,
	VOTES = 3000,
	VOTERS = 40
};

struct vote {
	uint32_t a, b, voter;
	enum tally_outcome o;
};

static struct vote votes[VOTES];

static void
make_votes(void)
{
	struct prng g;

	prng_init(&g, 11, 0);
	for (int k = 0; k < VOTES; k++) {
		struct vote *v = &votes[k];

		v->a = (uint32_t)prng_below(&g, ITEMS);
		v->b = (uint32_t)(v->a + 1 + prng_below(&g, ITEMS - 1)) % ITEMS;
		v->voter = (uint32_t)prng_below(&g, VOTERS);
		v->o = prng_unit(&g) < 0.15 ? TALLY_TIE
		       : prng_unit(&g) <
			       num_sigmoid(0.3 * ((double)v->b - (double)v->a))
			   ? TALLY_A
			   : TALLY_B;
	}
}

/* Ratings and sandwich errors of the votes, renamed by perm unless NULL. */
static void
rate_all(const struct vote *v, int n, const uint32_t *perm, int mirror,
    double *theta, double *se)
{
	struct tally t;
	struct pairs p;
	struct bt_fit f;
	struct ci ci;
	struct ci_options o = { CI_PER_VOTER, 0.95, 1, true };

	tally_init(&t, true);
	for (int k = 0; k < n; k++) {
		uint32_t a = perm != NULL ? perm[v[k].a] : v[k].a;
		uint32_t b = perm != NULL ? perm[v[k].b] : v[k].b;
		enum tally_outcome r = v[k].o;

		if (mirror && r != TALLY_TIE)
			r = r == TALLY_A ? TALLY_B : TALLY_A;
		must(tally_add(
		    &t, mirror ? b : a, mirror ? a : b, r, 1.0, v[k].voter));
	}
	must(pairs_open(&t, ITEMS, &p));
	must(bt_fit(&p, NULL, &f));
	must(ci_sandwich(&p, &t, &f, &o, &ci));
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t j = perm != NULL ? perm[i] : i;

		theta[i] = f.theta[j];
		se[i] = ci.se[j];
	}
	ci_release(&ci);
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

/* H + 11' and the voters' scores, vote by vote as the formula has them. */
static void
plain_parts(
    const double *theta, double h[ITEMS * ITEMS], double score[VOTERS][ITEMS])
{
	for (int k = 0; k < ITEMS * ITEMS; k++)
		h[k] = 1.0;
	memset(score, 0, VOTERS * sizeof(*score));
	for (int k = 0; k < VOTES; k++) {
		const struct vote *v = &votes[k];
		double p = num_sigmoid(theta[v->a] - theta[v->b]);
		double y = v->o == TALLY_A ? 1.0 : v->o == TALLY_B ? 0.0 : 0.5;

		h[v->a * ITEMS + v->a] += p * (1.0 - p);
		h[v->b * ITEMS + v->b] += p * (1.0 - p);
		h[v->a * ITEMS + v->b] -= p * (1.0 - p);
		h[v->b * ITEMS + v->a] -= p * (1.0 - p);
		score[v->voter][v->a] += y - p;
		score[v->voter][v->b] -= y - p;
	}
}

/* What the header of ci.h says of voters, without a ridge, to 1e-3 points. */
static void
test_clustered_formula(void)
{
	double theta[ITEMS], se[ITEMS], h[ITEMS * ITEMS], x[ITEMS * ITEMS];
	double score[VOTERS][ITEMS], worst = 0, bare = HUGE_VAL;

	rate_all(votes, VOTES, NULL, 0, theta, se);
	plain_parts(theta, h, score);
	must(dense_cholesky(h, ITEMS));
	dense_inverse(h, ITEMS, x);
	for (int i = 0; i < ITEMS; i++) {
		double v = 0, with;

		for (int u = 0; u < VOTERS; u++) {
			double moved = 0;

			for (int j = 0; j < ITEMS; j++)
				moved += x[i * ITEMS + j] * score[u][j];
			v += moved * moved;
		}
		with = sqrt(v * VOTERS / (VOTERS - 1.0));
		worst = fmax(worst, fabs(with - se[i]) * BT_POINTS);
		bare = fmin(bare, fabs(sqrt(v) - se[i]) * BT_POINTS);
	}
	ok(worst * 2.0 < 1e-3,
	    "errors by voter are G/(G-1) times the plain formula's (%.2g)",
	    worst);
	ok(bare > 1e-2, "and the factor is no trifle (%.2g points)", bare);
}

static void
test_invariance(void)
{
	static const uint32_t perm[ITEMS] = { 4, 7, 0, 8, 2, 1, 6, 3, 5 };
	struct vote back[VOTES];
	double t0[ITEMS], s0[ITEMS], t[ITEMS], s[ITEMS];

	rate_all(votes, VOTES, NULL, 0, t0, s0);
	for (int k = 0; k < VOTES; k++)
		back[k] = votes[VOTES - 1 - k];
	rate_all(back, VOTES, NULL, 0, t, s);
	ok(memcmp(t0, t, sizeof(t)) == 0,
	    "order of votes: the same bits of rating");
	ok(memcmp(s0, s, sizeof(s)) == 0, "and of error");
	rate_all(votes, VOTES, perm, 0, t, s);
	ok(memcmp(t0, t, sizeof(t)) == 0,
	    "renamed prompts: the same bits of rating");
	ok(memcmp(s0, s, sizeof(s)) == 0, "and of error");
	rate_all(votes, VOTES, NULL, 1, t, s);
	ok(memcmp(t0, t, sizeof(t)) == 0 && memcmp(s0, s, sizeof(s)) == 0,
	    "mirrored sides: the same bits");
}

static void
test_merging(void)
{
	struct tally whole, one, two, rest;
	int same = 1;

	tally_init(&whole, true);
	tally_init(&one, true);
	tally_init(&two, true);
	tally_init(&rest, true);
	for (int k = 0; k < VOTES; k++) {
		const struct vote *v = &votes[k];

		must(tally_add(&whole, v->a, v->b, v->o, 1, v->voter));
		must(tally_add(
		    k % 3 ? &one : &two, v->a, v->b, v->o, 1, v->voter));
		if (k % 3)
			must(tally_add(&rest, v->a, v->b, v->o, 1, v->voter));
	}
	for (int k = 0; k < VOTES; k += 3)
		must(tally_remove(&whole, votes[k].a, votes[k].b, votes[k].o, 1,
		    votes[k].voter));
	for (size_t c = 0; c < rest.ncells; c++) {
		const struct tally_cell *a = &rest.cell[c];
		const struct tally_cell *b = tally_find(&whole, a->a, a->b);

		same &= b != NULL && memcmp(a->n, b->n, sizeof(a->n)) == 0;
	}
	ok(same && whole.votes == rest.votes,
	    "votes taken out again leave the tally of the others");
	for (int k = 0; k < VOTES; k += 3)
		must(tally_add(&whole, votes[k].a, votes[k].b, votes[k].o, 1,
		    votes[k].voter));
	must(tally_merge(&one, &two));
	must(tally_settle(&one));
	must(tally_settle(&whole));
	same = one.votes == whole.votes && one.nrows == whole.nrows &&
	       one.nvoters == whole.nvoters;
	for (size_t c = 0; c < whole.ncells; c++) {
		const struct tally_cell *a = &whole.cell[c];
		const struct tally_cell *b = tally_find(&one, a->a, a->b);

		same &= b != NULL && memcmp(a->n, b->n, sizeof(a->n)) == 0;
	}
	ok(same, "merged tallies are the tallies of merged votes");
	ok(tally_remove(&two, 0, 1, TALLY_POOR, 1, 0) == ERR_NOTFOUND,
	    "a vote that was never counted cannot be taken out");
	tally_release(&whole);
	tally_release(&one);
	tally_release(&two);
	tally_release(&rest);
}

/* Vote k, every third of nobody known, some of half the weight. */
static enum err
count_some(struct tally *t, int k, int late_weights)
{
	const struct vote *v = &votes[k];
	double weight = k % 5 == 0 && k >= late_weights ? 0.5 : 1.0;

	return tally_add(
	    t, v->a, v->b, v->o, weight, k % 3 == 0 ? TALLY_NOBODY : v->voter);
}

static int
same_unsigned(const struct tally *x, const struct tally *y)
{
	struct tally_lone *a = malloc((x->ncells + 1) * sizeof(*a));
	struct tally_lone *b = malloc((y->ncells + 1) * sizeof(*b));
	int same = x->ncells == y->ncells && a != NULL && b != NULL;

	if (same) {
		tally_unsigned(x, a);
		tally_unsigned(y, b);
	}
	for (size_t c = 0; same && c < x->ncells; c++) {
		const struct tally_cell *k =
		    tally_find(y, x->cell[c].a, x->cell[c].b);

		same = k != NULL &&
		       memcmp(&a[c], &b[k - y->cell], sizeof(a[c])) == 0;
	}
	free(a);
	free(b);
	return same;
}

/* What nobody signed, however the votes came together. */
static void
test_unsigned(void)
{
	for (int late = 0; late <= VOTES; late += VOTES / 2) {
		struct tally whole, one, two;
		enum err e = ERR_OK;

		tally_init(&whole, true);
		tally_init(&one, true);
		tally_init(&two, true);
		for (int k = 0; k < VOTES && e == ERR_OK; k++) {
			e = count_some(&whole, k, late);
			if (e == ERR_OK)
				e = count_some(
				    k % 2 == 0 ? &one : &two, k, late);
		}
		must(e);
		must(tally_merge(&one, &two));
		ok(same_unsigned(&whole, &one),
		    "unsigned votes of merged tallies, weights from %d on",
		    late);
		must(tally_add(&one, 0, 1, TALLY_A, 0.5, TALLY_NOBODY));
		ok(!same_unsigned(&whole, &one), "one more is seen");
		must(tally_remove(&one, 0, 1, TALLY_A, 0.5, TALLY_NOBODY));
		ok(same_unsigned(&whole, &one), "and taken out again");
		tally_release(&whole);
		tally_release(&one);
		tally_release(&two);
	}
}

/* A beats B beats C beats A, and the same three times over. */
static void
test_symmetry(void)
{
	struct tally t;
	struct pairs p;
	struct bt_fit f;
	int same = 1;

	tally_init(&t, false);
	for (uint32_t i = 0; i < 12; i++) {
		must(tally_add_many(&t, i, (i + 1) % 12, TALLY_A, 7, 0));
		must(tally_add_many(&t, i, (i + 5) % 12, TALLY_A, 3, 0));
		must(tally_add_many(&t, i, (i + 5) % 12, TALLY_B, 2, 0));
	}
	must(pairs_open(&t, 12, &p));
	must(bt_fit(&p, NULL, &f));
	for (int i = 0; i < 12; i++)
		same &= f.theta[i] == 0.0;
	ok(same, "equal records in a ring: equal to the last bit");
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
	/* two and two alike, against a fifth, in an odd order */
	tally_init(&t, false);
	for (uint32_t i = 0; i < 4; i++) {
		must(tally_add_many(&t, 4, i, TALLY_A, 5 + i % 2, 0));
		must(tally_add_many(&t, i, 4, TALLY_A, 9, 0));
	}
	must(tally_add_many(&t, 2, 1, TALLY_A, 8, 0));
	must(tally_add_many(&t, 3, 0, TALLY_B, 8, 0));
	must(pairs_open(&t, 5, &p));
	must(bt_fit(&p, NULL, &f));
	ok(f.theta[0] == f.theta[2] && f.theta[1] == f.theta[3] &&
		f.theta[0] != f.theta[1],
	    "equal records behind different opponents: equal to the bit");
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

static void
test_extremes(void)
{
	struct tally t;
	struct pairs p;
	struct bt_fit f;

	tally_init(&t, false);
	must(tally_add_many(&t, 0, 1, TALLY_A, 1000000000, 0));
	must(tally_add_many(&t, 0, 1, TALLY_B, 1, 0));
	must(tally_add_many(&t, 1, 2, TALLY_A, 1000000000, 0));
	must(tally_add_many(&t, 1, 2, TALLY_B, 1, 0));
	must(pairs_open(&t, 3, &p));
	must(bt_fit(&p, NULL, &f));
	near(f.theta[0] - f.theta[1], log(1e9), 1e-6,
	    "a thousand million wins to one");
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
	/* a chain of 3000, each once better and once worse: all equal */
	tally_init(&t, false);
	for (uint32_t i = 0; i + 1 < 3000; i++) {
		must(tally_add_many(&t, i, i + 1, TALLY_A, 2, 0));
		must(tally_add_many(&t, i, i + 1, TALLY_B, 1, 0));
	}
	must(pairs_open(&t, 3000, &p));
	must(bt_fit(&p, NULL, &f));
	near(f.theta[0] - f.theta[2999], 2999 * log(2), 1e-6,
	    "a chain of 3000 prompts");
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

static void
test_distributions(void)
{
	double lo, hi, mean = 0, var = 0;
	double counts[3] = { 5, 120, 875 };
	struct multinom m;
	uint32_t out[3];
	struct prng g;
	uint64_t wrong = 0;

	near(dist_normal_quantile(0.975), 1.959963984540054, 1e-12,
	    "normal quantile");
	near(dist_t_quantile(0.975, 9), 2.262157162740992, 1e-10,
	    "Student quantile");
	near(dist_chi2_upper(3.841458820694124, 1), 0.05, 1e-12, "chi-square");
	near(dist_sign_test(2, 10), 0.109375, 1e-14, "sign test, 2 of 10");
	near(dist_sign_test(0, 11), 2.0 / 2048, 1e-16, "sign test, 0 of 11");
	compare_wilson(8, 10, 0.95, &lo, &hi);
	near(lo, 0.4901624715052673, 1e-9, "Wilson, lower");
	near(hi, 0.9433178485456247, 1e-9, "Wilson, upper");
	prng_init(&g, 5, 0);
	for (int k = 0; k < 20000; k++) {
		double x = (double)prng_binomial(&g, 300, 0.3) - 90;

		mean += x / 20000;
		var += x * x / 20000;
	}
	ok(fabs(mean) < 0.25 && fabs(var / 63 - 1) < 0.05,
	    "binomial draws have mean and variance");
	must(multinom_open(&m, counts, 3));
	mean = var = 0;
	for (int k = 0; k < 20000; k++) {
		double x;

		multinom_draw(&m, &g, out);
		wrong += out[0] + out[1] + out[2] != 1000;
		x = (double)out[1] - 120;
		mean += x / 20000;
		var += x * x / 20000;
	}
	ok(wrong == 0, "multinomial draws add up");
	ok(fabs(mean) < 0.4 && fabs(var / 105.6 - 1) < 0.05,
	    "and have mean and variance");
	multinom_release(&m);
}

static bool
prefers(const struct compare_votes *v, const struct compare_options *o,
    bool *clearly)
{
	struct compare_result r;

	compare_pair(v, o, &r);
	*clearly |=
	    r.verdict == COMPARE_CLEAR_A || r.verdict == COMPARE_CLEAR_B;
	return *clearly || r.verdict == COMPARE_PROBABLE_A ||
	       r.verdict == COMPARE_PROBABLE_B;
}

/*
 * Under equality, and whoever looks after every vote, a page calls one of them
 * clearly better in under 5 % and probably better in under 20 %.
 */
static void
test_live_verdicts(void)
{
	struct compare_options o = COMPARE_USUAL;
	unsigned clear = 0, probable = 0, runs = 300;

	for (unsigned r = 0; r < runs; r++) {
		struct compare_votes v = { 0 };
		bool clearly = false, better = false;
		struct prng g;

		prng_init(&g, 78, r);
		for (int k = 0; k < 300; k++) {
			v.a += prng_unit(&g) < 0.5;
			v.b = (uint64_t)k + 1 - v.a;
			better |= prefers(&v, &o, &clearly);
		}
		clear += clearly;
		probable += better;
	}
	ok(clear <= runs / 20,
	    "\"clearly\": %u of %u false alarms in 300 looks", clear, runs);
	ok(probable <= runs / 5, "\"probably\": %u of %u", probable, runs);
}

/* Is the verdict final within so many further matches? */
static bool
is_settled(struct compare_votes v, double share, double ties, uint64_t n,
    struct prng *g)
{
	struct compare_options o = COMPARE_USUAL;
	struct compare_result r;

	for (uint64_t k = 0; k < n; k++) {
		if (prng_unit(g) < ties)
			v.ties++;
		else if (prng_unit(g) < share)
			v.a++;
		else
			v.b++;
	}
	compare_pair(&v, &o, &r);
	return r.verdict == COMPARE_CLEAR_A || r.verdict == COMPARE_CLEAR_B ||
	       r.verdict == COMPARE_EQUAL;
}

/* The number of matches still needed is there whenever the verdict is open,
 * and is neither too few nor far too many. */
static void
test_needed(void)
{
	static const struct compare_votes cases[] = {
		{ 30, 20, 0, NULL, 0 },
		{ 30, 20, 25, NULL, 0 },
		{ 12, 2, 3, NULL, 0 },
		{ 48, 52, 10, NULL, 0 },
		{ 25, 25, 0, NULL, 0 },
		{ 0, 0, 20, NULL, 0 },
	};
	struct compare_options o = COMPARE_USUAL;

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		const struct compare_votes *v = &cases[k];
		double d = (double)(v->a + v->b);
		double share =
		    d > 0 ? 0.5 + ((double)v->a / d - 0.5) * d / (d + 2) : 0.5;
		double ties = (double)v->ties / (d + (double)v->ties);
		unsigned enough = 0, half = 0, runs = 400;
		struct compare_result r;
		struct prng g;

		compare_pair(v, &o, &r);
		ok(r.matches_needed > 0 && r.matches_needed < 100000,
		    "%d:%d with %d ties: %d more matches", (int)v->a, (int)v->b,
		    (int)v->ties, (int)r.matches_needed);
		prng_init(&g, 79, k);
		for (unsigned i = 0; i < runs; i++) {
			enough +=
			    is_settled(*v, share, ties, r.matches_needed, &g);
			half += is_settled(
			    *v, share, ties, r.matches_needed / 2, &g);
		}
		ok(enough >= runs * 7 / 10, "settle it in %u of %u", enough,
		    runs);
		ok(half < enough, "more often than half as many: %u", half);
	}
}

/* Under equality the e-value reaches 20 at some look in under 5 %. */
static void
test_any_time(void)
{
	unsigned caught = 0, missed = 0, runs = 1500;

	for (unsigned r = 0; r < runs; r++) {
		struct compare_options o = COMPARE_USUAL;
		struct compare_result c;
		struct compare_votes v = { 0 };
		struct prng g;
		double most = 0;

		prng_init(&g, 77, r);
		for (int k = 0; k < 400; k++) {
			if (prng_unit(&g) < 0.5)
				v.a++;
			else
				v.b++;
			most = fmax(most, compare_log_e(v.a, v.b));
		}
		caught += most >= log(20);
		compare_pair(&v, &o, &c);
		missed += c.sequence_lower > 0.5 || c.sequence_upper < 0.5;
	}
	ok(caught <= runs / 20, "e-values: %u of %u false alarms in 400 looks",
	    caught, runs);
	ok(missed <= caught, "the sequence is no rasher than the e-value");
}

static void
test_verdicts(void)
{
	static const struct {
		uint64_t a, b, ties;
		enum compare_verdict want;
	} cases[] = {
		{ 0, 0, 0, COMPARE_NO_VOTES },
		{ 60, 20, 0, COMPARE_CLEAR_A },
		{ 20, 60, 5, COMPARE_CLEAR_B },
		{ 36, 14, 0, COMPARE_PROBABLE_A },
		{ 14, 36, 9, COMPARE_PROBABLE_B },
		{ 32, 16, 0, COMPARE_OPEN }, /* though the sign test says .03 */
		{ 6, 5, 1, COMPARE_OPEN },
		{ 3000, 3010, 0, COMPARE_EQUAL },
		{ 3, 2, 4000, COMPARE_EQUAL },
		{ 5, 5, 0, COMPARE_OPEN },
	};
	struct compare_options o = COMPARE_USUAL;
	struct compare_result r;

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct compare_votes v = {
			.a = cases[k].a, .b = cases[k].b, .ties = cases[k].ties
		};

		compare_pair(&v, &o, &r);
		ok(r.verdict == cases[k].want,
		    "verdict on %d:%d with %d ties (got %d)", (int)v.a,
		    (int)v.b, (int)v.ties, (int)r.verdict);
	}
	ok(r.matches_needed > 500 && r.matches_needed < 5000,
	    "5:5 foresees that they are equal, after %d more",
	    (int)r.matches_needed);
}

static void
test_bootstrap(void)
{
	struct tally t;
	struct pairs p;
	struct bt_fit f;
	struct boot_options o = { 200, 1, 9, 0.95, true, true };
	struct ci a, b;
	int inside = 1;

	tally_init(&t, true);
	for (int k = 0; k < VOTES; k++)
		must(tally_add(&t, votes[k].a, votes[k].b, votes[k].o, 1,
		    k % 10 ? votes[k].voter : TALLY_NOBODY));
	must(pairs_open(&t, ITEMS, &p));
	must(bt_fit(&p, NULL, &f));
	must(boot_run(&p, &t, &f, &o, &a, NULL));
	o.threads = 3;
	must(boot_run(&p, &t, &f, &o, &b, NULL));
	ok(memcmp(a.lower, b.lower, ITEMS * sizeof(double)) == 0 &&
		memcmp(a.upper, b.upper, ITEMS * sizeof(double)) == 0,
	    "voters' bootstrap: three threads give the bits of one");
	for (int i = 0; i < ITEMS; i++)
		inside &= a.lower[i] <= f.theta[i] && f.theta[i] <= a.upper[i];
	ok(inside, "points lie inside their intervals");
	ci_release(&a);
	ci_release(&b);
	bt_fit_release(&f);
	pairs_release(&p);
	tally_release(&t);
}

/* A vote later the snapshot is what a fresh one would be. */
static void
test_snapshot(void)
{
	struct snapshot_options o = { 0.95, true, 1, true };
	struct snapshot one, two, fresh;
	struct tally t;
	double worst = 0;

	tally_init(&t, true);
	for (int k = 0; k < VOTES - 1; k++)
		must(tally_add(
		    &t, votes[k].a, votes[k].b, votes[k].o, 1, votes[k].voter));
	must(snapshot_make(&t, ITEMS + 1, &o, NULL, &one));
	must(tally_add(&t, votes[VOTES - 1].a, votes[VOTES - 1].b,
	    votes[VOTES - 1].o, 1, votes[VOTES - 1].voter));
	must(snapshot_make(&t, ITEMS + 1, &o, &one, &two));
	must(snapshot_make(&t, ITEMS + 1, &o, NULL, &fresh));
	for (int i = 0; i < ITEMS; i++)
		worst = fmax(
		    worst, fabs(two.item[i].rating - fresh.item[i].rating) +
			       fabs(two.item[i].upper - fresh.item[i].upper));
	ok(worst < 1e-6 && two.votes == VOTES && two.ncomponents == 2,
	    "a snapshot from the last one is the fresh one (%.2g)", worst);
	ok(!fresh.item[ITEMS].separable && fresh.item[ITEMS].rating == 1500,
	    "a prompt without votes is there and marked");
	snapshot_release(&fresh);
	ok(snapshot_make(&t, 3, &o, NULL, &fresh) == ERR_INVALID,
	    "items that are not there are an error");
	snapshot_release(&one);
	snapshot_release(&two);
	tally_release(&t);
}

int
main(void)
{
	make_votes();
	test_clustered_formula();
	test_invariance();
	test_merging();
	test_unsigned();
	test_symmetry();
	test_extremes();
	test_distributions();
	test_any_time();
	test_live_verdicts();
	test_needed();
	test_verdicts();
	test_bootstrap();
	test_snapshot();
	return tap_done();
}
