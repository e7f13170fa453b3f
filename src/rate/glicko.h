/*
 * glicko - rating over time with its uncertainty.
 *
 * Layer    rate.
 * Memory   the caller's arrays.
 * Threads  pure.
 *
 * Glickman (1999, Applied Statistics 48, eqs. 6-10): one closed-form Newton
 * step per rating period.  Between periods the deviation grows by c^2, so
 * that a prompt nobody meets becomes uncertain again.  Exploratory.
 */
#ifndef PA_GLICKO_H
#define PA_GLICKO_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "rate/elo.h"

/* 1500, 350, and back from 50 to 350 within 100 periods. */
#define GLICKO_RULE_DEFAULT                                                    \
	{                                                                      \
		1500.0, 350.0, 34.64101615137755                               \
	}

struct glicko_rule {
	double start;
	double deviation; /* of a newcomer, and the most there is */
	double c;         /* growth: rd^2 += c^2 per period */
};

/*
 * One rating period: grow all deviations, then apply votes[0..n) at once.
 * rating and rd have nitems entries.
 */
enum err glicko_period(const struct glicko_rule *rule,
    const struct elo_vote *votes, size_t n, double *rating, double *rd,
    size_t nitems) PA_MUST_USE;

/*
 * Some rating periods (0 or more) in which nobody voted: what so many calls
 * of glicko_period without votes do, to rounding, at once.
 */
void glicko_rest(
    const struct glicko_rule *rule, double periods, double *rd, size_t nitems);

#endif /* PA_GLICKO_H */
