/*
 * rows - an array of rows that grows in a pool, and a set of row ids.
 *
 * Layer    model: base.
 * Memory   in the given pool; growing leaves the smaller array behind there.
 * Threads  one thread at a time.
 */
#ifndef PA_ROWS_H
#define PA_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/str.h"

struct rows {
	struct pool *pool;
	void *p; /* n rows of `size` bytes; NULL while there is none */
	size_t n, room, size;
};

void rows_init(struct rows *r, struct pool *pool, size_t size);

/* A new zeroed last row; NULL when the pool is full. */
void *rows_add(struct rows *r);

/* Ids: add all, seal once, then ask. */
struct idset {
	struct rows ids;
	bool failed;
};

void idset_init(struct idset *s, struct pool *pool);
void idset_add(struct idset *s, int64_t id);
void idset_seal(struct idset *s);
bool idset_has(const struct idset *s, int64_t id);

/* Same bytes (both absent counts as the same as both empty). */
bool text_same(struct text a, struct text b);

#endif /* PA_ROWS_H */
