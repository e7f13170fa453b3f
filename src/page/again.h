/*
 * again - which matches somebody has just tried to vote on a second time.
 *
 * Layer    page: base.
 * Memory   a fixed number of marks; a newer one may take an older one's
 *          place, and a restart forgets all: then a sentence stays unsaid.
 * Threads  safe from any thread.
 *
 * The reveal has one address, whichever request leads there, and a browser
 * brings nothing along that would tell a second vote from a first.
 */
#ifndef PA_AGAIN_H
#define PA_AGAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/str.h"

#define AGAIN_MARKS 256
#define AGAIN_S 60 /* seconds that a mark waits for its reveal */

struct again {
	pthread_mutex_t lock;
	struct again_mark {
		char token[RNG_TOKEN_LEN + 1];
		int64_t at; /* Unix seconds, UTC */
	} marks[AGAIN_MARKS];
};

/* No match is marked then. */
void again_init(struct again *a);
void again_release(struct again *a);

/*
 * The match of that token was voted on already, and now another time.  now is
 * in Unix seconds, UTC, here and below.  A token of other than RNG_TOKEN_LEN
 * bytes is of no match: nothing is marked.
 */
void again_mark(struct again *a, struct str token, int64_t now);

/*
 * Was it marked no more than AGAIN_S seconds before now?  The mark is gone
 * then; one of a later time, after the clock went back, counts as well.
 */
bool again_take(struct again *a, struct str token, int64_t now);

#endif /* PA_AGAIN_H */
