/*
 * pool - region memory: many small pieces, freed together.
 *
 * Layer    base.
 * Memory   a pool owns what it hands out; all of it goes at once.
 * Threads  one thread at a time.
 *
 * A pool has a hard cap.  Over it, pool_alloc returns NULL and the pool stays
 * failed; makers built on it return empty values, and the handler asks once,
 * before sending, with pool_failed().
 */
#ifndef PA_POOL_H
#define PA_POOL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct pool;

/* A pool that will never hold more than cap bytes; NULL when out of memory. */
struct pool *pool_open(size_t cap);
void pool_close(struct pool *p);

/* Empty it for the next use; keeps one block. */
void pool_clear(struct pool *p);

/* n zeroed bytes, aligned for any type; NULL over the cap. */
void *pool_alloc(struct pool *p, size_t n);

/* count * size zeroed bytes with the product checked. */
void *pool_array(struct pool *p, size_t count, size_t size);

/* Copies, NUL-terminated.  Over the cap "" (never NULL). */
char *pool_strdup(struct pool *p, const char *z);
struct str pool_str(struct pool *p, struct str s);
struct text pool_text(struct pool *p, struct text s);
struct str pool_printf(struct pool *p, const char *fmt, ...) PA_PRINTF(2, 3);

bool pool_failed(const struct pool *p);

/* Bytes handed out since open or clear. */
size_t pool_used(const struct pool *p);

#endif /* PA_POOL_H */
