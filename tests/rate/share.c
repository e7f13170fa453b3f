/* Shares of votes of people who vote many times. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "rate/compare.h"
#include "rate/prng.h"
#include "rate/share.h"
#include "tests/rate/tap.h"

enum {
	PEOPLE = 40,
	EACH = 25,
	RUNS = 2000
};

/* People who are each fond of a side: between p - d and p + d, evenly. */
static void
draw(struct prng *g, double p, double d, struct share_of *u)
{
	for (size_t i = 0; i < PEOPLE; i++) {
		double own = p - d + 2 * d * prng_unit(g);

		u[i] = (struct share_of){ 0, EACH };
		for (int v = 0; v < EACH; v++)
			u[i].k += prng_unit(g) < own;
	}
}

static void
coverage(double p, double d, double *clustered, double *by_vote)
{
	struct share_of u[PEOPLE];
	struct share s;
	struct prng g;
	double lower, upper;

	prng_init(&g, 7, 0);
	*clustered = *by_vote = 0;
	for (int r = 0; r < RUNS; r++) {
		draw(&g, p, d, u);
		share_of_people(u, PEOPLE, 0.95, &s);
		compare_wilson(s.k, s.n, 0.95, &lower, &upper);
		*clustered += s.lower <= p && p <= s.upper;
		*by_vote += lower <= p && p <= upper;
	}
	*clustered /= RUNS;
	*by_vote /= RUNS;
}

static void
covers(void)
{
	double c, v;

	coverage(0.5, 0.45, &c, &v);
	ok(c > 0.93 && c < 0.975, "people with tastes: 95 %% cover %.3f", c);
	ok(v < 0.85, "an interval by votes would cover %.3f", v);
	coverage(0.5, 0, &c, &v);
	ok(c > 0.93 && c < 0.985, "without tastes: 95 %% cover %.3f", c);
	coverage(0.9, 0.1, &c, &v);
	ok(c > 0.93 && c < 0.985, "near the edge: 95 %% cover %.3f", c);
}

static void
edges(void)
{
	struct share_of one[1] = { { 30, 60 } },
			same[3] = { { 20, 20 }, { 30, 30 }, { 9, 9 } };
	struct share_of many[1000];
	struct share s;
	double lower, upper, few;

	share_of_people(NULL, 0, 0.95, &s);
	ok(isnan(s.value) && isnan(s.lower), "without votes nothing is known");
	share_of_people(one, 1, 0.95, &s);
	ok(s.value == 0.5 && isnan(s.lower) && isnan(s.upper),
	    "one person has a share and no interval");
	share_of_people(same, 3, 0.95, &s);
	few = s.lower;
	ok(s.value == 1 && s.upper == 1 && few > 0 && few < 0.5,
	    "three people who agree count as three: from %.3f", few);
	for (size_t i = 0; i < 1000; i++)
		many[i] = (struct share_of){ i < 400, 1 };
	share_of_people(many, 1000, 0.95, &s);
	compare_wilson(400, 1000, 0.95, &lower, &upper);
	ok(fabs(s.lower - lower) < 2e-4 && fabs(s.upper - upper) < 2e-4,
	    "a vote each gives Wilson's interval");
	many[0].n = 0;
	many[0].k = 0;
	share_of_people(many, 1000, 0.95, &s);
	ok(s.people == 999 && s.n == 999, "who has no vote is not there");
}

int
main(void)
{
	covers();
	edges();
	return tap_done();
}
