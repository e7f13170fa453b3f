/* This file tests Elo against the numbers the design promises. */
#include "config.h"

#include "rate/elo.h"

#include <math.h>
#include <string.h>

#include "rate/glicko.h"
#include "rate/num.h"
#include "rate/prng.h"
#include "tests/rate/tap.h"

static void
test_published_numbers(void)
{
	struct elo_rule rule = ELO_RULE_DEFAULT;
	double a = 1500, b = 1600;

	elo_update(&rule, &a, &b, 1.0);
	near(a, 1520.482, 5e-4, "1500 beats 1600: 1520.482");
	near(b, 1579.518, 5e-4, "and the loser falls to 1579.518");
	near(elo_expected(&rule, 1600, 1500), 0.640, 5e-4,
	    "a gap of 100 points wins 0.640");
	near(elo_expected(&rule, 1700, 1500), 0.760, 5e-4,
	    "a gap of 200 points wins 0.760");
	ok(elo_expected(&rule, 1500, 1500) == 0.5, "equals expect a half");
	ok(elo_expected(&rule, 1e9, 0) == 1.0 &&
		elo_expected(&rule, 0, 1e9) == 0.0,
	    "absurd gaps saturate");
}

/* The rating by days: what may be said of its order, and what may not. */
static void
test_days(void)
{
	const struct glicko_rule rule = GLICKO_RULE_DEFAULT;
	const struct elo_vote win = { 0, 1, 2 }, loss = { 0, 1, 0 };
	const struct elo_vote days[4][2] = { { win, loss }, { loss, win },
		{ win, win }, { loss, loss } };
	double r[4][2], rd[4][2];

	for (int k = 0; k < 4; k++) {
		r[k][0] = r[k][1] = rule.start;
		rd[k][0] = rd[k][1] = rule.deviation;
		ok(glicko_period(&rule, days[k], 2, r[k], rd[k], 2) == ERR_OK,
		    "a day of two votes");
	}
	near(r[0][0], r[1][0], 1e-9, "the order within a day does not matter");
	ok(glicko_period(&rule, days[3], 2, r[2], rd[2], 2) == ERR_OK,
	    "and the day after");
	ok(glicko_period(&rule, days[2], 2, r[3], rd[3], 2) == ERR_OK,
	    "and the day after");
	ok(r[2][0] < r[3][0] - 1, "the order of days does: %.1f, %.1f", r[2][0],
	    r[3][0]);
}

/* v1-v2 12:38, v1-v3 8:42, v2-v3 21:29, a's wins first. */
static size_t
three_versions(struct elo_vote *v)
{
	static const struct {
		uint32_t a, b;
		int win, loss;
	} pair[] = { { 0, 1, 12, 38 }, { 0, 2, 8, 42 }, { 1, 2, 21, 29 } };
	size_t n = 0;

	for (size_t p = 0; p < 3; p++) {
		for (int i = 0; i < pair[p].win; i++)
			v[n++] = (struct elo_vote){ pair[p].a, pair[p].b, 2 };
		for (int i = 0; i < pair[p].loss; i++)
			v[n++] = (struct elo_vote){ pair[p].a, pair[p].b, 0 };
	}
	return n;
}

static void
test_three_versions(void)
{
	struct elo_rule rule = { 4.0, 1000.0, 400.0 };
	struct elo_vote v[150], back[150];
	double r[3], mean[3], sd[3], mean2[3], sd2[3];
	size_t n = three_versions(v);

	elo_replay(&rule, v, n, 30, r, 3);
	near(r[0], 815.9504748359184, 1e-9, "v1 after 30 passes");
	near(r[1], 1042.1157279333343, 1e-9, "v2 after 30 passes");
	near(r[2], 1141.9337972307471, 1e-9, "v3 after 30 passes");
	for (size_t i = 0; i < n; i++)
		back[i] = v[n - 1 - i];
	elo_replay(&rule, back, n, 30, r, 3);
	near(r[0], 862.874026027894, 1e-9, "v1 in reverse order");
	near(r[1], 1050.6783855570757, 1e-9, "v2 in reverse order");
	near(r[2], 1086.4475884150343, 1e-9, "v3 in reverse order");
	ok(elo_over_orders(&rule, v, n, 100, 7, mean, sd, 3) == ERR_OK &&
		mean[2] > mean[1] && mean[1] > mean[0] && sd[0] > 0,
	    "the mean over 100 orders ranks v3, v2, v1 and has a spread");
	ok(elo_over_orders(&rule, v, n, 100, 7, mean2, sd2, 3) == ERR_OK &&
		memcmp(mean, mean2, sizeof(mean)) == 0 &&
		memcmp(sd, sd2, sizeof(sd)) == 0,
	    "the same seed gives the same bits");
}

static void
test_properties(void)
{
	struct elo_rule rule = ELO_RULE_DEFAULT;
	static struct elo_vote v[20000], m[20000];
	double r[9], q[9], sum = 0;
	struct prng g;

	prng_init(&g, 3, 0);
	for (size_t i = 0; i < 20000; i++) {
		uint32_t a = (uint32_t)prng_below(&g, 9);
		uint32_t b = (uint32_t)(a + 1 + prng_below(&g, 8)) % 9;

		v[i] = (struct elo_vote){ a, b, (uint32_t)prng_below(&g, 3) };
		m[i] = (struct elo_vote){ b, a, 2 - v[i].half_points };
	}
	elo_replay(&rule, v, 20000, 1, r, 9);
	elo_replay(&rule, m, 20000, 1, q, 9);
	for (size_t i = 0; i < 9; i++)
		sum += r[i];
	near(sum, 9 * 1500.0, 1e-8, "the sum of ratings is conserved");
	ok(memcmp(r, q, sizeof(r)) == 0, "mirrored sides: the same bits");
}

static void
test_elementary(void)
{
	double worst_exp = 0, worst_log = 0, worst_ten = 0;

	for (double x = -300; x < 300; x += 0.0371) {
		double e = fabs(num_exp(x) / exp(x) - 1);
		double t = fabs(num_exp10(x) / pow(10, x) - 1);

		worst_exp = e > worst_exp ? e : worst_exp;
		worst_ten = t > worst_ten ? t : worst_ten;
	}
	for (double x = 1e-9; x < 1e9; x *= 1.0173) {
		double e = fabs(num_log(x) - log(x));

		worst_log = e > worst_log ? e : worst_log;
	}
	ok(worst_exp < 1e-15, "exp within 1e-15 of libm's");
	ok(worst_ten < 2e-15, "10^x within 2e-15 of libm's");
	ok(worst_log < 8e-15, "log within 8e-15 of libm's");
	near(num_log1p(1e-12), 1e-12, 1e-24, "log1p near zero");
	near(num_sigmoid(3) + num_sigmoid(-3), 1, 3e-16, "sigmoid sums to 1");
	near(
	    num_log_sigmoid(-800), -800, 1e-9, "log sigmoid does not overflow");
}

int
main(void)
{
	test_published_numbers();
	test_days();
	test_three_versions();
	test_properties();
	test_elementary();
	return tap_done();
}
