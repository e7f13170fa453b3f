/*
 * snapshot - the order-free columns of a board, from tallies alone.
 *
 * Layer    rate.
 * Memory   malloc; snapshot_release frees all.
 * Threads  pure: the tally must not change during the call, and the result
 *          is never written again, so it can be handed to any thread.
 *
 * For the service: one thread keeps a struct tally up to date (tally_add,
 * tally_remove), makes a snapshot after a vote, and swaps it in whole.  The
 * last snapshot is a good start for the next fit.  Cost grows with pairs and
 * voters' rows, not with votes.
 */
#ifndef PA_SNAPSHOT_H
#define PA_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct tally;

struct snapshot_options {
	double level;  /* of intervals, 0.95 */
	bool by_voter; /* the tally must keep voters then (asserted) */
	uint64_t seed;
	bool ranks; /* rank_from and rank_to wanted: a fifth more work */
};

struct snapshot_item {
	double rating, lower, upper; /* points; bounds infinite: unknown */
	uint32_t rank_from, rank_to; /* simultaneous, within the component;
					all of it unless ranks */
	uint32_t component;          /* prompts of different ones are never
					compared */
	bool separable;              /* false: held by the penalty */
	uint64_t wins, losses, ties, both_poor;
};

struct snapshot {
	struct snapshot_item *item; /* nitems */
	double *theta;              /* nitems, the start of the next fit */
	uint32_t nitems, ncomponents;
	uint64_t votes;
};

/*
 * Rate items 0 .. nitems - 1.  last (or NULL) is a former snapshot.
 * ERR_LIMIT if the fit has not converged: keep the last one.
 */
enum err snapshot_make(const struct tally *t, uint32_t nitems,
    const struct snapshot_options *o, const struct snapshot *last,
    struct snapshot *out) PA_MUST_USE;

void snapshot_release(struct snapshot *s);

#endif /* PA_SNAPSHOT_H */
