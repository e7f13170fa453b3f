/*
 * boot - bootstrap intervals of Bradley-Terry ratings.
 *
 * Layer    rate.
 * Memory   malloc; the result is a struct ci, freed by ci_release.
 * Threads  starts its own for the rounds; round r depends on (seed, r) only,
 *          so any number of threads gives the same bits.
 *
 * Efron (1979); resampling whole voters where they are known (Field and
 * Welsh 2007; no factor G / (G - 1), which is the sandwich's), else votes, as
 * one multinomial draw over the tallies; where those of one outcome of a pair
 * weigh apart, as if W^2 / W2 votes of weight W2 / W had been given (W, W2
 * their sums of weights and of squares; Kish 1965).  Each round is fitted anew
 * from the full fit's theta, in the gauge mean 0; a round without a finite
 * maximum gets the ghost of bt.h.  Bounds are the percentiles of the rounds,
 * widened where needed to hold the point.  Twins (ci_twins) share their pooled
 * rounds and so have the same interval.
 *
 * Resampling needs something that varies.  A component without a finite
 * maximum, of one unit, or in which all rounds agree (nothing but ties) takes
 * the numbers of ci_sandwich; ci.replaced counts these components.
 */
#ifndef PA_BOOT_H
#define PA_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct bt_fit;
struct ci;
struct pairs;
struct tally;

/* Most rounds times items; ERR_TOOBIG beyond. */
enum {
	BOOT_MOST = 50000000
};

struct boot_options {
	unsigned rounds;  /* 1000 */
	unsigned threads; /* 1 or more */
	uint64_t seed;
	double level;  /* 0.95 */
	bool by_voter; /* t must keep voters then (asserted) */
	bool ranks;    /* simultaneous ranks wanted too */
};

/*
 * Bounds, standard errors (of the rounds) and ranks.  draws, unless NULL,
 * gets rounds * nitems thetas, round by round.
 */
enum err boot_run(const struct pairs *pairs, const struct tally *t,
    const struct bt_fit *fit, const struct boot_options *o, struct ci *out,
    double *draws) PA_MUST_USE;

/*
 * What boot_run makes of its draws (rounds * nitems): bounds, errors, ranks,
 * in a ci that ci_open made.
 */
enum err boot_summarise(const struct pairs *pairs, const struct bt_fit *fit,
    const struct boot_options *o, const double *draws,
    struct ci *ci) PA_MUST_USE;

#endif /* PA_BOOT_H */
