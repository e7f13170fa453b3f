/* This file knows how to number names quickly. */
#include "config.h"

#include "cmd/rate_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static enum err add(struct rate_names *, const char *, struct rate_slot,
    uint64_t hash, size_t at, uint32_t *out);

void
rate_names_init(struct rate_names *t)
{
	memset(t, 0, sizeof(*t));
}

void
rate_names_release(struct rate_names *t)
{
	for (size_t k = 0; k < t->nblocks; k++)
		free(t->block[k]);
	free(t->block);
	free(t->name);
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

static bool
is_same(const struct rate_names *t, const struct rate_slot *s,
    const struct rate_slot *k, const char *p)
{
	if (s->head != k->head || s->tail != k->tail || s->n != k->n)
		return false;
	return k->n <= 16 || memcmp(t->name[s->id].p, p, k->n) == 0;
}

enum err
rate_names_intern(struct rate_names *t, const char *p, size_t n, uint32_t *out)
{
	struct rate_slot key;
	uint64_t h;
	size_t at = 0, mask = t->nslots - 1;

	if (n == 0 || n > RATE_NAMES_LONGEST)
		return ERR_INVALID;
	key = rate_name_key(p, n);
	h = rate_name_hash(&key, p);
	if (t->nslots != 0) {
		for (at = h >> t->shift; t->slot[at].n != 0;
		     at = (at + 1) & mask) {
			if (is_same(t, &t->slot[at], &key, p)) {
				*out = t->slot[at].id;
				return ERR_OK;
			}
		}
	}
	return add(t, p, key, h, at, out);
}

uint32_t
rate_names_find(const struct rate_names *t, const char *p, size_t n)
{
	for (uint32_t k = 0; k < t->count; k++) {
		if (t->name[k].n == n && memcmp(t->name[k].p, p, n) == 0)
			return k;
	}
	return UINT32_MAX;
}

/* Least and greatest second byte behind a first one. */
static bool
second_fits(unsigned char first, unsigned char second)
{
	unsigned char least = 0x80, most = 0xbf;

	if (first == 0xe0)
		least = 0xa0; /* else it were too long */
	if (first == 0xed)
		most = 0x9f; /* surrogates */
	if (first == 0xf0)
		least = 0x90;
	if (first == 0xf4)
		most = 0x8f; /* beyond U+10FFFF */
	return second >= least && second <= most;
}

/* Length of the UTF-8 sequence at p, or 0. */
static size_t
utf8_length(const unsigned char *p, size_t n)
{
	size_t len;

	if (p[0] < 0x80)
		return p[0] != 0;
	len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || len > n || !second_fits(p[0], p[1]))
		return 0;
	for (size_t k = 2; k < len; k++) {
		if ((p[k] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

static bool
is_text(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t len;

	for (size_t k = 0; k < n; k += len) {
		len = utf8_length(u + k, n - k);
		if (len == 0)
			return false;
	}
	return true;
}

/* Room for one more name; *at is found anew if the table grew. */
static enum err
grow(struct rate_names *t, uint64_t h, size_t *at)
{
	size_t n = t->nslots != 0 ? t->nslots * 4 : 1024;
	unsigned shift = t->nslots != 0 ? t->shift - 2 : 64 - 10;
	struct rate_slot *s;
	void *names;

	if (t->count * 2u < t->nslots)
		return ERR_OK;
	s = calloc(n, sizeof(*s));
	names = realloc(t->name, (n / 2 + 1) * sizeof(*t->name));
	if (names != NULL)
		t->name = names;
	if (s == NULL || names == NULL) {
		free(s);
		return ERR_NOMEM;
	}
	for (size_t k = 0; k < t->nslots; k++) {
		const struct rate_slot *old = &t->slot[k];
		size_t to;

		if (old->n == 0)
			continue;
		to = rate_name_hash(old, t->name[old->id].p) >> shift;
		while (s[to].n != 0)
			to = (to + 1) & (n - 1);
		s[to] = *old;
	}
	free(t->slot);
	t->slot = s;
	t->nslots = n;
	t->shift = shift;
	for (*at = h >> shift; s[*at].n != 0;)
		*at = (*at + 1) & (n - 1);
	return ERR_OK;
}

/* A copy of the name that stays where it is. */
static char *
keep(struct rate_names *t, const char *p, size_t n)
{
	char *to;

	if (t->nblocks == 0 || t->used + n + 1 > t->size) {
		size_t size = 65536;
		char **list =
		    realloc(t->block, (t->nblocks + 1) * sizeof(*list));

		if (list == NULL)
			return NULL;
		t->block = list;
		list[t->nblocks] = malloc(size);
		if (list[t->nblocks] == NULL)
			return NULL;
		t->nblocks++;
		t->used = 0;
		t->size = size;
	}
	to = t->block[t->nblocks - 1] + t->used;
	memcpy(to, p, n);
	to[n] = '\0';
	t->used += n + 1;
	return to;
}

static enum err
add(struct rate_names *t, const char *p, struct rate_slot key, uint64_t hash,
    size_t at, uint32_t *out)
{
	char *copy;

	if (!is_text(p, key.n))
		return ERR_INVALID;
	if (t->count == UINT32_MAX - 1 || grow(t, hash, &at) != ERR_OK)
		return ERR_NOMEM;
	copy = keep(t, p, key.n);
	if (copy == NULL)
		return ERR_NOMEM;
	t->name[t->count] = (struct rate_name){ copy, key.n };
	key.id = t->count;
	t->slot[at] = key;
	*out = t->count++;
	return ERR_OK;
}
