/*
 * multinom - many draws from one multinomial distribution, fast.
 *
 * Layer    rate.
 * Memory   malloc; multinom_release frees all.
 * Threads  read-only once made.
 *
 * The bootstrap of N votes over cells with counts n_c.  Independent Poisson
 * counts of mean a n_c, given their sum M, are multinomial; N - M single
 * draws more make it N.  With a = 1 - 4 / sqrt(N) the sum stays below N but
 * for 3 in 100 000 draws, which are thrown away.  Exact up to rounding; one
 * table look-up per cell (cells of equal count share a table), where
 * conditional binomials need a logarithm or two.
 */
#ifndef PA_MULTINOM_H
#define PA_MULTINOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct prng;
struct multinom_table;

struct multinom {
	size_t ncells;
	uint64_t total;
	uint32_t *kind; /* cell -> table, UINT32_MAX: empty cell */
	struct multinom_table *table;
	uint32_t ntables;
	double *cdf; /* all tables', one after the other */
	uint16_t *guide;
	double *cell_cdf; /* of one draw over the cells */
	uint32_t *cell_guide;
};

/*
 * counts[0..ncells) are whole numbers.  ERR_TOOBIG if a count is over 10^7:
 * the tables would be large, and conditional binomials are better there.
 */
enum err multinom_open(
    struct multinom *m, const double *counts, size_t ncells) PA_MUST_USE;

void multinom_release(struct multinom *m);

/* out[0..ncells) <- counts that add up to the total. */
void multinom_draw(const struct multinom *m, struct prng *g, uint32_t *out);

#endif /* PA_MULTINOM_H */
