/*
 * pairs - who met whom, sides forgotten, and who can be compared at all.
 *
 * Layer    rate.
 * Memory   malloc; pairs_release frees all.
 * Threads  read-only once made.
 *
 * One entry per unordered pair that met with a positive weight.  Two prompts
 * are comparable only within one weakly connected component; Bradley-Terry
 * has a finite maximum there only if the component is strongly connected
 * (Ford 1957): for every split into two halves each half scored against the
 * other.  A tie counts for both.
 */
#ifndef PA_PAIRS_H
#define PA_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tally;

/* Item i against item j; sums of weights and of their squares. */
struct pair {
	uint32_t i;
	uint32_t j;
	double win, loss, tie; /* i won, j won, neither */
	double win2, loss2, tie2;
	double nwin, nloss, ntie; /* votes, whatever their weights */
};

/* One component: items item[0..n), pairs whose ends are local numbers. */
struct pairs_part {
	uint32_t n;            /* items */
	uint32_t first;        /* its items are order[first..first+n) */
	size_t first_pair, np; /* its pairs are pair[first_pair..+np) */
	uint32_t nstrong;      /* strongly connected components inside */
};

struct pairs {
	struct pair *pair; /* sorted by component, then i, then j */
	size_t npairs;
	uint32_t nitems;
	uint32_t *order;   /* items grouped by component, ascending */
	uint32_t *local;   /* item -> its number within its component */
	uint32_t *part_of; /* item -> component */
	uint32_t *strong;  /* item -> strongly connected component */
	struct pairs_part *part;
	uint32_t nparts;
	uint32_t nstrong;
};

/* Sum the two sides of each pair of t and find the components. */
enum err pairs_open(
    const struct tally *t, uint32_t nitems, struct pairs *out) PA_MUST_USE;

void pairs_release(struct pairs *p);

/* Index of the pair of two items that met, in either order. */
size_t pairs_find(const struct pairs *p, uint32_t a, uint32_t b);

/*
 * Number of strongly connected components of a graph of n items, where item
 * i reaches j if j scored against i: scores come per pair.  id[0..n) gets the
 * component numbers unless NULL.  work holds 6 n + 2 np + 2 numbers.
 */
uint32_t pairs_strong(uint32_t n, const uint32_t *i, const uint32_t *j,
    const double *score_i, const double *score_j, size_t np, uint32_t *id,
    uint32_t *work);

#endif /* PA_PAIRS_H */
