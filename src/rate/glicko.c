/* This file knows how to move ratings and deviations by rating periods. */
#include "config.h"

#include "rate/glicko.h"

#include <math.h>
#include <stdlib.h>

#include "rate/num.h"

/* 3 q^2 / pi^2 and q = ln 10 / 400 */
static const double q = NUM_LN10 / 400.0;
static const double pi_squared = 9.8696044010893586;

/* How much an opponent's uncertainty flattens the odds. */
static double
flatten(double rd)
{
	return 1.0 / sqrt(1.0 + 3.0 * q * q * rd * rd / pi_squared);
}

void
glicko_rest(
    const struct glicko_rule *rule, double periods, double *rd, size_t nitems)
{
	for (size_t i = 0; i < nitems; i++)
		rd[i] = fmin(rule->deviation,
		    sqrt(rd[i] * rd[i] + periods * (rule->c * rule->c)));
}

enum err
glicko_period(const struct glicko_rule *rule, const struct elo_vote *votes,
    size_t n, double *rating, double *rd, size_t nitems)
{
	double *pull = calloc(2 * nitems + 1, sizeof(*pull)), *info;

	if (pull == NULL)
		return ERR_NOMEM;
	info = pull + nitems; /* 1 / d^2 */
	glicko_rest(rule, 1.0, rd, nitems);
	for (size_t k = 0; k < n; k++) {
		size_t side[2] = { votes[k].a, votes[k].b };
		double score[2] = { 0.5 * votes[k].half_points,
			1.0 - 0.5 * votes[k].half_points };

		for (int s = 0; s < 2; s++) {
			size_t me = side[s], other = side[1 - s];
			double g = flatten(rd[other]);
			double e =
			    num_sigmoid(q * g * (rating[me] - rating[other]));

			pull[me] += g * (score[s] - e);
			info[me] += q * q * g * g * e * (1.0 - e);
		}
	}
	for (size_t i = 0; i < nitems; i++) {
		double precision = 1.0 / (rd[i] * rd[i]) + info[i];

		rating[i] += q / precision * pull[i];
		rd[i] = sqrt(1.0 / precision);
	}
	free(pull);
	return ERR_OK;
}
