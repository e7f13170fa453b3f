/* This file knows how to keep ratings in memory while votes are replayed. */
#include "config.h"

#include "model/recount_table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/pool.h"

#define TABLE_CAP ((size_t)256 << 20) /* bytes of ratings, at most */

static enum err table_grow(struct rating_table *t);
static int by_key(const void *a, const void *b);

void
rating_table_open(struct rating_table *t, const struct elo_rule *rule)
{
	*t =
	    (struct rating_table){ .rule = rule, .pool = pool_open(TABLE_CAP) };
}

void
rating_table_close(struct rating_table *t)
{
	free(t->slots);
	pool_close(t->pool);
}

static uint64_t
mix(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
	return (h ^ s.n) * UINT64_C(0x100000001b3);
}

static struct rating **
table_slot(const struct rating_table *t, struct str scope, struct str setup,
    struct str version)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t i;

	h = mix(mix(mix(h, scope), version), setup);
	for (i = (size_t)(h ^ h >> 32);; i++) {
		struct rating **slot = &t->slots[i & (t->slots_n - 1)];

		if (*slot == NULL || (str_eq((*slot)->version, version) &&
					 str_eq((*slot)->scope, scope) &&
					 str_eq((*slot)->setup, setup)))
			return slot;
	}
}

struct rating *
rating_table_find(struct rating_table *t, struct str scope, struct str setup,
    struct str version)
{
	struct rating **slot;

	if (t->pool == NULL || table_grow(t) != ERR_OK)
		return NULL;
	slot = table_slot(t, scope, setup, version);
	if (*slot != NULL)
		return *slot;
	*slot = pool_alloc(t->pool, sizeof(**slot));
	if (*slot == NULL)
		return NULL;
	**slot = (struct rating){ .elo = t->rule->start };
	(*slot)->scope = pool_str(t->pool, scope);
	(*slot)->setup = pool_str(t->pool, setup);
	(*slot)->version = pool_str(t->pool, version);
	t->used++;
	return pool_failed(t->pool) ? NULL : *slot;
}

static enum err
table_grow(struct rating_table *t)
{
	struct rating_table old = *t;

	if (2 * (t->used + 1) <= t->slots_n)
		return ERR_OK;
	t->slots_n = old.slots_n == 0 ? 256 : 2 * old.slots_n;
	t->slots = calloc(t->slots_n, sizeof(struct rating *));
	if (t->slots == NULL) {
		*t = old;
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < old.slots_n; i++) {
		struct rating *r = old.slots[i];

		if (r != NULL)
			*table_slot(t, r->scope, r->setup, r->version) = r;
	}
	free(old.slots);
	return ERR_OK;
}

void
rating_table_sort(struct rating_table *t)
{
	size_t w = 0;

	for (size_t i = 0; i < t->slots_n; i++) {
		if (t->slots[i] != NULL)
			t->slots[w++] = t->slots[i];
	}
	assert(w == t->used);
	if (w > 1)
		qsort(t->slots, w, sizeof(struct rating *), by_key);
}

int
rating_key_cmp(const struct rating *a, const struct rating *b)
{
	int c = str_cmp(a->scope, b->scope);

	if (c == 0)
		c = str_cmp(a->setup, b->setup);
	return c == 0 ? str_cmp(a->version, b->version) : c;
}

static int
by_key(const void *a, const void *b)
{
	const struct rating *const *x = a;
	const struct rating *const *y = b;

	return rating_key_cmp(*x, *y);
}
