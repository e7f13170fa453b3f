/*
 * keys - a set of 64-bit keys that only grows.
 *
 * Layer    model: base only.
 * Memory   malloc; keys_release frees it.
 * Threads  the caller's lock.
 */
#ifndef PA_KEYS_H
#define PA_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct keys {         /* all zero: empty */
	uint64_t *at; /* 0: nothing stands here */
	size_t n, room;
};

/* The key of a name. */
uint64_t keys_name(struct str name);

/* Adds a key that is not 0, unless it is there. */
enum err keys_add(struct keys *k, uint64_t key) PA_MUST_USE;

void keys_release(struct keys *k);

#endif /* PA_KEYS_H */
