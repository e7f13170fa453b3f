/*
 * sync - what the two halves of catalog_sync share.
 *
 * Layer    model.
 * Memory   `pool` lives for the whole sync, `item` for one row.
 * Threads  inside store_write.
 */
#ifndef PA_SYNC_H
#define PA_SYNC_H

#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/catalog.h"
#include "model/conf.h"

struct db;
struct db_stmt;
struct idset;

struct sync {
	struct db *db;
	int64_t now;
	const struct catalog *catalog;
	const struct conf *conf;
	struct pool *pool, *item;
	int64_t *setups; /* row ids, as conf->setups */
	int64_t changed; /* rows written */
};

/* Run a write and count it. */
enum err sync_run(struct sync *s, struct db_stmt *st) PA_MUST_USE;

/* The rows that list finds and seen lacks are taken out of play, each by
 * update, which names it ?1.  Seals seen. */
enum err sync_retire_unseen(struct sync *s, struct db_stmt *list,
    const char *update, struct idset *seen) PA_MUST_USE;

enum err sync_questions(struct sync *s) PA_MUST_USE;
enum err sync_answers(struct sync *s) PA_MUST_USE;

/* Everything stored by an older renderer is rendered again. */
enum err sync_renderer(struct sync *s) PA_MUST_USE;

#endif /* PA_SYNC_H */
