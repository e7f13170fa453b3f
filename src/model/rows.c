/* This file knows how to grow an array inside a pool. */
#include "config.h"

#include "model/rows.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_FIRST 16

static int
compare_ids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
rows_init(struct rows *r, struct pool *pool, size_t size)
{
	*r = (struct rows){ .pool = pool, .size = size };
}

void *
rows_add(struct rows *r)
{
	if (r->n == r->room) {
		size_t room = r->room == 0 ? ROWS_FIRST : 2 * r->room;
		void *p = pool_array(r->pool, room, r->size);

		if (p == NULL)
			return NULL;
		if (r->n > 0)
			memcpy(p, r->p, r->n * r->size);
		r->p = p;
		r->room = room;
	}
	return (char *)r->p + r->n++ * r->size;
}

void
idset_init(struct idset *s, struct pool *pool)
{
	*s = (struct idset){ 0 };
	rows_init(&s->ids, pool, sizeof(int64_t));
}

void
idset_add(struct idset *s, int64_t id)
{
	int64_t *slot = rows_add(&s->ids);

	if (slot == NULL)
		s->failed = true;
	else
		*slot = id;
}

void
idset_seal(struct idset *s)
{
	if (s->ids.n > 1)
		qsort(s->ids.p, s->ids.n, sizeof(int64_t), compare_ids);
}

bool
idset_has(const struct idset *s, int64_t id)
{
	return s->ids.n > 0 && bsearch(&id, s->ids.p, s->ids.n, sizeof(int64_t),
				   compare_ids) != NULL;
}

bool
text_same(struct text a, struct text b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
