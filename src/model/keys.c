/* This file knows how to count different names without keeping them. */
#include "config.h"

#include "model/keys.h"

#include <stdlib.h>

#define FIRST 256

static enum err grow(struct keys *k);
static uint64_t *place_of(uint64_t *at, size_t room, uint64_t key);

/* FNV-1a. */
uint64_t
keys_name(struct str name)
{
	uint64_t key = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.n; i++)
		key = (key ^ (unsigned char)name.p[i]) * 0x100000001b3u;
	return key == 0 ? 1 : key;
}

enum err
keys_add(struct keys *k, uint64_t key)
{
	uint64_t *place;
	enum err e;

	if (2 * k->n >= k->room && (e = grow(k)) != ERR_OK)
		return e;
	place = place_of(k->at, k->room, key);
	k->n += *place == 0;
	*place = key;
	return ERR_OK;
}

void
keys_release(struct keys *k)
{
	free(k->at);
	*k = (struct keys){ 0 };
}

static enum err
grow(struct keys *k)
{
	size_t room = k->room == 0 ? FIRST : 2 * k->room;
	uint64_t *more = calloc(room, sizeof(*more));

	if (more == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < k->room; i++) {
		if (k->at[i] != 0)
			*place_of(more, room, k->at[i]) = k->at[i];
	}
	free(k->at);
	k->at = more;
	k->room = room;
	return ERR_OK;
}

/* Where key stands, or is to be put. */
static uint64_t *
place_of(uint64_t *at, size_t room, uint64_t key)
{
	size_t i = (size_t)(key % room);

	while (at[i] != 0 && at[i] != key)
		i = i + 1 == room ? 0 : i + 1;
	return &at[i];
}
