/*
 * insight - what a ranking hides.
 *
 * Layer    rate.
 * Memory   malloc inside; results go to the caller's structs.
 * Threads  pure.
 */
#ifndef PA_INSIGHT_H
#define PA_INSIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "rate/elo.h"

struct bt_fit;
struct pairs;

enum {
	INSIGHT_CYCLE_ITEMS = 400,
	INSIGHT_CUTS = 8
};

/* x beats y beats z beats x, each by a sign test. */
struct insight_cycle {
	uint32_t x, y, z;
	double p; /* the weakest of the three */
};

/*
 * Cycles whose three edges are each significant at alpha (two-sided sign
 * test on decisive votes, ties aside).  list gets the first `room`, the
 * strongest not sorted; *count all.  *triples is how many could have been:
 * about triples * alpha^3 / 4 appear by chance.  ERR_TOOBIG beyond
 * INSIGHT_CYCLE_ITEMS items.
 */
enum err insight_cycles(const struct pairs *pairs, double alpha,
    struct insight_cycle *list, size_t room, size_t *count,
    size_t *triples) PA_MUST_USE;

/*
 * How well one axis explains the pairs.  y = log-odds of a pair with half a
 * vote added to each side, weighted by n p (1 - p) (Jiang, Lim, Yao, Ye 2011,
 * statistical ranking and Hodge theory, with the fit's own axis).
 */
struct insight_fit {
	double unexplained;  /* weighted share of y^2 off the axis */
	double beyond_noise; /* the same less what noise alone would give */
	double deviance;     /* 2 sum n KL(share, p) */
	double df;           /* pairs less free strengths */
	double p;            /* P(chi-square_df >= deviance) */
};

enum err insight_goodness(const struct pairs *pairs, const struct bt_fit *fit,
    struct insight_fit *out) PA_MUST_USE;

/* Log-losses (nats per vote) on the last fifth of the votes. */
struct insight_heldout {
	size_t trained, tested;
	double bt, elo; /* ln 2 = 0.693 is guessing */
};

/*
 * Train on the first four fifths in order of time, test on the rest; a tie
 * counts half each way.  tested is 0 below 50 votes.
 */
enum err insight_heldout(const struct elo_vote *votes, size_t n,
    uint32_t nitems, const struct elo_rule *rule,
    struct insight_heldout *out) PA_MUST_USE;

/* Votes of one kind whose removal counts most. */
struct insight_cut {
	uint32_t winner, loser; /* or the two of a tie */
	bool tie;
	uint64_t votes;
};

/*
 * The smallest number of votes whose removal puts another prompt first, found
 * by influence functions (Broderick, Giordano, Meager 2020; effect of a vote
 * on a gap = (x_i - x_j) (score - p), x = H^-1 (e_first - e_other)), and
 * verified by refitting: `votes` removals do change first place, and one less
 * in this order does not.
 */
struct insight_fragile {
	uint32_t first, other; /* who leads, who would */
	uint64_t votes;        /* to remove; 0: nothing was found */
	uint64_t of;           /* votes in the component */
	struct insight_cut cut[INSIGHT_CUTS]; /* the largest parts of it */
	size_t ncuts;
};

enum err insight_fragile(const struct pairs *pairs, const struct bt_fit *fit,
    struct insight_fragile *out) PA_MUST_USE;

#endif /* PA_INSIGHT_H */
