/*
 * elo - ratings that move with every vote.
 *
 * Layer    rate.
 * Memory   the caller's arrays; keeps nothing.
 * Threads  pure.
 *
 * Elo (1978, The Rating of Chessplayers): the expected score of A against B is
 *
 *	E_A = 1 / (1 + 10^((R_B - R_A) / scale))
 *
 * and after a score S_A (1 won, 1/2 tied, 0 lost)
 *
 *	R_A += K (S_A - E_A),   R_B -= the very same number.
 *
 * Ratings and scale are in rating points.  No function of the C mathematics
 * library takes part, so that a ledger replayed on any machine gives the same
 * bits.  Swapping the sides of every vote changes no bit either: the change is
 * always computed from the side with the higher rating.
 */
#ifndef PA_ELO_H
#define PA_ELO_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* K = 32, start 1500, scale 400 is the published rule. */
#define ELO_RULE_DEFAULT                                                       \
	{                                                                      \
		32.0, 1500.0, 400.0                                            \
	}

struct elo_rule {
	double k;     /* most a rating can move in one vote */
	double start; /* rating of a prompt without votes */
	double scale; /* points at which the odds are 10 to 1 */
};

/* One vote in order of time, between items a and b (indices). */
struct elo_vote {
	uint32_t a;
	uint32_t b;
	uint32_t half_points; /* of a: 2 won, 1 tied, 0 lost */
};

/* Expected score of a player rated ra against one rated rb, in [0, 1]. */
double elo_expected(const struct elo_rule *rule, double ra, double rb);

/*
 * What A gains, and B loses, when A scores score_a in [0, 1].  For the same
 * two ratings elo_gain(r, x, y, s) == -elo_gain(r, y, x, 1 - s) exactly, for
 * s of 0, 1/2 and 1.
 */
double elo_gain(
    const struct elo_rule *rule, double ra, double rb, double score_a);

/* Apply one vote to the two ratings. */
void elo_update(
    const struct elo_rule *rule, double *ra, double *rb, double score_a);

/*
 * Replay votes[0..nvotes) in order, `passes` times over, on rating[0..nitems),
 * which is first set to rule->start.  Indices must be below nitems and a != b
 * (asserted).
 */
void elo_replay(const struct elo_rule *rule, const struct elo_vote *votes,
    size_t nvotes, unsigned passes, double *rating, size_t nitems);

/*
 * Elo depends on the order of the votes.  Replay `orders` seeded random
 * orders (one pass each) and give each item's mean rating and its standard
 * deviation over the orders.  ERR_NOMEM leaves mean and sd untouched.
 */
enum err elo_over_orders(const struct elo_rule *rule,
    const struct elo_vote *votes, size_t nvotes, unsigned orders, uint64_t seed,
    double *mean, double *sd, size_t nitems) PA_MUST_USE;

#endif /* PA_ELO_H */
