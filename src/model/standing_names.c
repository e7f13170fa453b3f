/* This file knows how to number texts in the order of their appearance. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/standing_parts.h"

static uint64_t
hash(struct str s)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ s.n, w;

	for (; s.n >= 8; s.p += 8, s.n -= 8) {
		memcpy(&w, s.p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	w = 0;
	if (s.n > 0)
		memcpy(&w, s.p, s.n);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

/* The slot that holds s, or the empty one where it belongs. */
static uint32_t
slot_of(const struct names *names, struct str s)
{
	uint32_t mask = names->slots_n - 1, i = (uint32_t)hash(s) & mask;

	while (names->slots[i] != 0) {
		struct text t = names->all[names->slots[i] - 1];

		if (str_eq((struct str){ t.p, t.n }, s))
			break;
		i = (i + 1) & mask;
	}
	return i;
}

static bool
grow(struct names *names)
{
	uint32_t room = names->room == 0 ? 16 : 2 * names->room;
	struct text *all = realloc(names->all, room * sizeof(*all));
	uint32_t *slots = calloc(2 * (size_t)room, sizeof(*slots));

	if (all != NULL)
		names->all = all;
	if (all == NULL || slots == NULL) {
		free(slots);
		return false;
	}
	names->room = room;
	free(names->slots);
	names->slots = slots;
	names->slots_n = 2 * room;
	for (uint32_t i = 0; i < names->n; i++) {
		struct str s = { all[i].p, all[i].n };

		slots[slot_of(names, s)] = i + 1;
	}
	return true;
}

uint32_t
names_find(const struct names *names, struct str s)
{
	uint32_t slot;

	if (names->slots_n == 0 || s.p == NULL)
		return STANDING_NONE;
	slot = names->slots[slot_of(names, s)];
	return slot == 0 ? STANDING_NONE : slot - 1;
}

uint32_t
names_add(struct names *names, struct str s)
{
	uint32_t i = names_find(names, s);
	char *copy;

	if (i != STANDING_NONE)
		return i;
	if (names->n == names->room && !grow(names))
		return STANDING_NONE;
	copy = malloc(s.n + 1);
	if (copy == NULL)
		return STANDING_NONE;
	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	names->all[names->n] = (struct text){ copy, s.n };
	names->slots[slot_of(names, s)] = ++names->n;
	return names->n - 1;
}

void
names_release(struct names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free((void *)(uintptr_t)names->all[i].p);
	free(names->all);
	free(names->slots);
	*names = (struct names){ 0 };
}
