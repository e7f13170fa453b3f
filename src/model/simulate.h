/*
 * simulate - plausible voters for demonstrations and load tests.
 *
 * Layer    model.
 * Memory   keeps nothing.
 * Threads  any; it writes through store_write.
 *
 * Prompts get hidden strengths per question type, voters tastes of their
 * own; they read, vote, tie, find neither good, skip and now and then
 * recognise a prompt.  Everything goes through the arena's own pairing and
 * vote code.  The same seed on the same catalog gives the same votes.
 */
#ifndef PA_SIMULATE_H
#define PA_SIMULATE_H

#include <stdint.h>

#include "base/err.h"

struct conf;
struct deck;
struct store;

struct simulate_conf {
	int64_t votes;
	uint64_t seed;
	int64_t now; /* the last vote's time; the first lies up to 60 days
			earlier */
};

/*
 * ERR_DENIED when the arena has a real vote.  Marks the arena as simulated
 * (meta), for good.  *done is the number of votes cast: fewer than asked
 * only with ERR_NOTFOUND, when the catalog has nothing to pair.
 */
enum err simulate(struct store *store, const struct conf *conf,
    const struct deck *deck, const struct simulate_conf *how,
    int64_t *done) PA_MUST_USE;

#endif /* PA_SIMULATE_H */
