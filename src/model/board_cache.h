/*
 * board_cache - leaderboards kept in memory until a vote or a reload.
 *
 * Layer    model.
 * Memory   a held board lives in a pool of its own until its last put.
 * Threads  safe from any; a held board is read-only.
 *
 * Reading a board of 100 rows from the tables takes about half a
 * millisecond.  The same question gets the same rows until the ledger has
 * grown, so they are kept: a board in the cache is as old as its last_seq
 * says, never older than the ledger.
 */
#ifndef PA_BOARD_CACHE_H
#define PA_BOARD_CACHE_H

#include <stdint.h>

#include "base/err.h"
#include "model/board.h"

struct board_cache;
struct board_held;

enum err board_cache_open(struct board_cache **out) PA_MUST_USE;

/* No board may be held any more. */
void board_cache_close(struct board_cache *c);

/*
 * As board_load, but the rows belong to *held and live until board_put.
 * With the errors of board_load; *held and *out untouched then.
 */
enum err board_cache_get(struct board_cache *c, struct db *db,
    const struct conf *conf, const struct board_query *query, int64_t now,
    struct board_held **held, struct board *out) PA_MUST_USE;

/* Give it back; NULL is allowed. */
void board_put(struct board_held *held);

/* After a reload: configuration or catalog may say something else. */
void board_cache_clear(struct board_cache *c);

#endif /* PA_BOARD_CACHE_H */
