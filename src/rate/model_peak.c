/* This file knows how to tell whether votes with ties have a best fit. */
#include "config.h"

#include "rate/model.h"

#include <stdlib.h>

enum {
	WON = 1,
	TIED = 2
};

/*
 * seen[i * n + j]: i won against j, or they tied.  *both: somebody won against
 * somebody who won against them.
 */
static unsigned char *
list_results(const struct model_row *rows, size_t nrows, uint32_t n, bool *both)
{
	unsigned char *seen = calloc((size_t)n * n + 1, 1);

	*both = false;
	for (size_t k = 0; seen != NULL && k < nrows && !*both; k++) {
		size_t ij = (size_t)rows[k].i * n + rows[k].j;
		size_t ji = (size_t)rows[k].j * n + rows[k].i;

		if (rows[k].w[0] > 0.0)
			seen[ij] |= WON;
		if (rows[k].w[1] > 0.0)
			seen[ji] |= WON;
		if (rows[k].w[2] > 0.0)
			seen[ij] |= TIED;
		if (rows[k].w[2] > 0.0)
			seen[ji] |= TIED;
		*both = (seen[ij] & seen[ji] & WON) != 0;
	}
	return seen;
}

/* One sweep over all results; did any place move? */
static bool
relax(const unsigned char *seen, uint32_t n, long *place)
{
	bool moved = false;

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < n; j++) {
			unsigned char r = seen[(size_t)i * n + j];
			long most = place[i] + 1;

			if (r == 0)
				continue;
			if ((r & WON) != 0)
				most = place[i] - 1;
			if (place[j] <= most)
				continue;
			place[j] = most;
			moved = true;
		}
	}
	return moved;
}

enum err
model_has_peak(
    const struct model_row *rows, size_t nrows, uint32_t n, bool *out)
{
	bool both;
	unsigned char *seen = list_results(rows, nrows, n, &both);
	long *place = calloc(n + 1u, sizeof(*place));
	bool moved = true;
	enum err e = ERR_NOMEM;

	if (seen == NULL || place == NULL)
		goto out;
	/* Bellman and Ford: whoever moves in the n-th sweep is on a ring. */
	for (uint32_t sweep = 0; !both && moved && sweep <= n; sweep++)
		moved = relax(seen, n, place);
	*out = both || moved;
	e = ERR_OK;
out:
	free(seen);
	free(place);
	return e;
}
