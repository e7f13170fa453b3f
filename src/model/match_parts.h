/*
 * match_parts - matches whose answers are still to be written.
 *
 * Layer    model; only match.c includes it.
 * Memory   keeps nothing.
 * Threads  inside store_write.
 */
#ifndef PA_MATCH_PARTS_H
#define PA_MATCH_PARTS_H

#include "model/match.h"
#include "model/pairing.h"

struct deck_activity;

/* Draw a pair and have what is missing of it written. */
enum err match_make(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct pairing_wish *wish,
    struct pairing_choice *out) PA_MUST_USE;

/* Store the voter's own question, and have it answered by a pair. */
enum err match_own(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq,
    const struct deck_activity *activity,
    struct pairing_choice *out) PA_MUST_USE;

#endif /* PA_MATCH_PARTS_H */
