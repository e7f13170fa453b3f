/*
 * tally - counts of votes for every ordered pair of prompts.
 *
 * Layer    rate.
 * Memory   malloc; tally_release frees all.
 * Threads  one writer; any number of readers while nobody writes.
 *
 * Items and voters are small integers given by the caller; names are none of
 * the engine's business.  Cell (a, b) counts the votes in which a was shown
 * first.  Votes of weight 1 are counted in integers, so tallies of merged
 * votes equal merged tallies exactly and in any order; other weights are
 * summed beside the counts.  When voters are kept, each has rows of their own,
 * one a cell (more for a while: they are put together when room runs out),
 * which is what clustered intervals need.  Sixteen bytes a row and no table to
 * look them up: a vote is added to the end of its voter's rows.
 * Cost grows with pairs and voters' rows, not with votes.
 */
#ifndef PA_TALLY_H
#define PA_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tally_outcome {
	TALLY_A,    /* the one shown first is better */
	TALLY_B,    /* the other one is */
	TALLY_TIE,  /* both as good */
	TALLY_POOR, /* both poor: half a point each, counted apart */
	TALLY__MAX
};

/* The voter of a vote nobody signed: such votes stand alone. */
#define TALLY_NOBODY UINT32_MAX

/* Greatest weight a single vote or count may have. */
#define TALLY_WEIGHT_MAX 1e12

struct tally_cell {
	uint32_t a;
	uint32_t b;
	uint64_t n[TALLY__MAX]; /* votes, whatever their weight */
};

/* The votes of a cell that nobody signed: a won, b won, neither. */
struct tally_lone {
	double n[3]; /* with a weight above 0 */
	double w[3], w2[3];
};

/* What the weights of a cell add up to; only when one was not 1. */
struct tally_weight {
	double w[TALLY__MAX];
	double w2[TALLY__MAX];  /* squares, for intervals */
	struct tally_lone lone; /* only when voters are kept */
};

/* Some of a voter's votes in one cell. */
struct tally_row {
	uint32_t cell;
	uint32_t n[3]; /* a won, b won, tie or both poor */
};

struct tally_voter {
	struct tally_row *row;
	double *w;  /* three a row instead of n, or NULL: all weights are 1 */
	double all; /* weights of all rows ever added */
	uint32_t n, room;
};

struct tally {
	struct tally_cell *cell;
	struct tally_weight *weight; /* NULL while all weights are 1 */
	uint32_t *slot;              /* hash of (a, b): cell + 1, or 0 */
	uint32_t *direct;            /* the same by index, if few items */
	uint32_t side;               /* rows and columns of direct */
	size_t ncells, room, nslots;
	struct tally_voter *voter; /* by number */
	uint32_t nvoters;          /* one more than the greatest voter seen */
	uint32_t voter_room;
	uint32_t nitems; /* one more than the greatest item seen */
	size_t nrows;    /* of all voters */
	uint64_t votes;
	bool keeps_voters;
};

/* An empty tally; keeps_voters decides whether rows are kept. */
void tally_init(struct tally *t, bool keeps_voters);

void tally_release(struct tally *t);

/*
 * Count one vote.  Items differ (asserted), 0 <= weight <= TALLY_WEIGHT_MAX
 * (asserted).  A vote of weight 0 is counted in n and moves no rating.
 * ERR_NOMEM leaves the tally as it was.
 */
enum err tally_add(struct tally *t, uint32_t a, uint32_t b,
    enum tally_outcome outcome, double weight, uint32_t voter) PA_MUST_USE;

/* Count n votes of weight 1 at once. */
enum err tally_add_many(struct tally *t, uint32_t a, uint32_t b,
    enum tally_outcome outcome, uint64_t n, uint32_t voter) PA_MUST_USE;

/*
 * Take a vote that was added before back out (an excluded vote).  ERR_NOTFOUND
 * if no such vote is counted.
 */
enum err tally_remove(struct tally *t, uint32_t a, uint32_t b,
    enum tally_outcome outcome, double weight, uint32_t voter) PA_MUST_USE;

/*
 * Add all of from to into; both use the same numbers for items and voters.
 * If into keeps voters, from must too (asserted).
 */
enum err tally_merge(struct tally *into, const struct tally *from) PA_MUST_USE;

/*
 * Put each voter's rows of one cell together; counts beyond 32 bits stay
 * apart.  ERR_NOMEM leaves some as they were, which loses nothing.
 */
enum err tally_settle(struct tally *t) PA_MUST_USE;

/* Row k of a voter as weights: a won, b won, neither. */
static inline void
tally_row_weights(const struct tally_voter *v, uint32_t k, double w[3])
{
	for (uint32_t o = 0; o < 3; o++)
		w[o] = v->w != NULL ? v->w[3 * (size_t)k + o]
				    : (double)v->row[k].n[o];
}

/* out[ncells] <- the unsigned votes of each cell of a tally with voters. */
void tally_unsigned(const struct tally *t, struct tally_lone *out);

/* The cell of the ordered pair, or NULL. */
const struct tally_cell *tally_find(
    const struct tally *t, uint32_t a, uint32_t b);

/* Sum of weights (and of their squares if w2) of one outcome of cell c. */
double tally_weight_of(
    const struct tally *t, size_t c, enum tally_outcome o, double *w2);

#endif /* PA_TALLY_H */
