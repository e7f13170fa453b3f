/*
 * rate_names - small integers for the names in a vote file.
 *
 * Layer    main.
 * Memory   malloc; rate_names_release frees all.
 * Threads  one.
 */
#ifndef PA_RATE_NAMES_H
#define PA_RATE_NAMES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

/* Bytes that may be read, not used, behind a name given to _intern. */
enum {
	RATE_NAMES_SLACK = 16,
	RATE_NAMES_LONGEST = 4096
};

struct rate_name {
	const char *p; /* ends with a NUL */
	uint32_t n;
};

/* The first and the last eight bytes tell short names apart by themselves. */
struct rate_slot {
	uint64_t head, tail;
	uint32_t n; /* length; 0: empty slot */
	uint32_t id;
};

struct rate_names {
	struct rate_name *name; /* by number, in order of appearance */
	struct rate_slot *slot;
	size_t nslots;
	unsigned shift; /* nslots = 2^(64 - shift) */
	uint32_t count;
	char **block; /* where the bytes are */
	size_t nblocks, used, size;
};

static inline uint64_t
rate_name_load(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return le64toh(x); /* the first byte is the lowest everywhere */
}

/* The key of a name; reads up to 8 bytes behind its start. */
static inline struct rate_slot
rate_name_key(const char *p, size_t n)
{
	struct rate_slot k = { .n = (uint32_t)n };

	if (n >= 8) {
		k.head = rate_name_load(p);
		k.tail = rate_name_load(p + n - 8);
	} else {
		k.head = rate_name_load(p) & ((1ull << (8 * n)) - 1);
	}
	return k;
}

/*
 * All bytes of the name reach the upper bits, which pick the slot.  The tail
 * is turned round because names differ at their ends most of all.
 */
static inline uint64_t
rate_name_hash(const struct rate_slot *k, const char *p)
{
	uint64_t h = (k->head ^ k->n) * 0x9e3779b97f4a7c15u +
		     __builtin_bswap64(k->tail) * 0xff51afd7ed558ccdu;

	for (size_t at = 8; at + 8 < k->n; at += 8)
		h = (h ^ (h >> 29) ^ rate_name_load(p + at)) *
		    0xc4ceb9fe1a85ec53u;
	return (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53u;
}

/*
 * The number of a name that is known and short, else UINT32_MAX: the fast way
 * of rate_names_intern, for the loop over all votes.
 */
static inline uint32_t
rate_names_quick(const struct rate_names *t, const char *p, size_t n)
{
	struct rate_slot key;
	size_t at;

	if (n - 1 > 15 || t->nslots == 0)
		return UINT32_MAX;
	key = rate_name_key(p, n);
	at = rate_name_hash(&key, p) >> t->shift;
	for (; t->slot[at].n != 0; at = (at + 1) & (t->nslots - 1)) {
		const struct rate_slot *s = &t->slot[at];

		if (s->head == key.head && s->tail == key.tail && s->n == key.n)
			return s->id;
	}
	return UINT32_MAX;
}

void rate_names_init(struct rate_names *t);
void rate_names_release(struct rate_names *t);

/*
 * The number of name p[0..n), a new one if it is new.  ERR_INVALID when it is
 * empty, too long, not UTF-8 or holds a NUL; ERR_NOMEM.
 */
enum err rate_names_intern(
    struct rate_names *t, const char *p, size_t n, uint32_t *out) PA_MUST_USE;

/* Like that, but only look: UINT32_MAX if there is no such name. */
uint32_t rate_names_find(const struct rate_names *t, const char *p, size_t n);

#endif /* PA_RATE_NAMES_H */
