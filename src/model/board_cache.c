/* This file knows how to keep leaderboards until something changes. */
#include "config.h"

#include "model/board_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "model/ledger.h"
#include "model/rows.h"
#include "model/standing.h"

#define SLOTS 32
#define BOARD_POOL (16u << 20)
#define AGE_MOST 5 /* seconds: an activity may have opened or closed */

struct board_held {
	struct pool *pool;
	atomic_int refs; /* of requests, and one of the cache */
	struct board_query key;
	struct board board;
	const struct conf *conf;
	uint64_t epoch; /* of the cache when it was read */
	int64_t made_at;
	uint64_t serial; /* of the snapshot; 0: none */
};

struct board_cache {
	pthread_mutex_t lock;
	struct board_held *slots[SLOTS];
	uint64_t used_at[SLOTS]; /* by the clock of uses */
	uint64_t uses, epoch;
};

static enum err make(struct db *db, const struct conf *conf,
    const struct board_query *query, int64_t now, uint64_t epoch,
    struct board_held **out);
static bool same_query(
    const struct board_query *a, const struct board_query *b);
static size_t find(
    const struct board_cache *c, const struct board_query *query);
static void keep(struct board_cache *c, struct board_held *h);

enum err
board_cache_open(struct board_cache **out)
{
	struct board_cache *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return ERR_NOMEM;
	if (pthread_mutex_init(&c->lock, NULL) != 0) {
		free(c);
		return ERR_NOMEM;
	}
	*out = c;
	return ERR_OK;
}

void
board_cache_close(struct board_cache *c)
{
	if (c == NULL)
		return;
	board_cache_clear(c);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

enum err
board_cache_get(struct board_cache *c, struct db *db, const struct conf *conf,
    const struct board_query *query, int64_t now, struct board_held **held,
    struct board *out)
{
	struct board_held *h = NULL;
	uint64_t epoch;
	int64_t seq;
	size_t i;
	enum err e = ledger_last(db, &seq);

	if (e != ERR_OK)
		return e;
	pthread_mutex_lock(&c->lock);
	epoch = c->epoch;
	i = find(c, query);
	if (i < SLOTS) {
		h = c->slots[i];
		/* A reader that began earlier may know less than the cache:
		 * what it is given is newer, never older. */
		if (h->epoch == epoch && h->conf == conf &&
		    (query->snapshot != NULL
			    ? h->serial >= query->snapshot->serial
			    : h->board.last_seq >= seq) &&
		    now >= h->made_at && now - h->made_at < AGE_MOST) {
			atomic_fetch_add(&h->refs, 1);
			c->used_at[i] = ++c->uses;
		} else {
			h = NULL;
		}
	}
	pthread_mutex_unlock(&c->lock);
	if (h == NULL) {
		e = make(db, conf, query, now, epoch, &h);
		if (e != ERR_OK)
			return e;
		keep(c, h);
	}
	*held = h;
	*out = h->board;
	return ERR_OK;
}

void
board_put(struct board_held *held)
{
	if (held != NULL && atomic_fetch_sub(&held->refs, 1) == 1)
		pool_close(held->pool); /* it lives in there itself */
}

void
board_cache_clear(struct board_cache *c)
{
	struct board_held *old[SLOTS];

	pthread_mutex_lock(&c->lock);
	c->epoch++;
	for (size_t i = 0; i < SLOTS; i++) {
		old[i] = c->slots[i];
		c->slots[i] = NULL;
	}
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < SLOTS; i++)
		board_put(old[i]);
}

static enum err
make(struct db *db, const struct conf *conf, const struct board_query *query,
    int64_t now, uint64_t epoch, struct board_held **out)
{
	struct pool *pool = pool_open(BOARD_POOL);
	struct board_held *h = NULL;
	enum err e = ERR_NOMEM;

	if (pool != NULL)
		h = pool_alloc(pool, sizeof(*h));
	if (h != NULL) {
		h->pool = pool;
		atomic_init(&h->refs, 1);
		h->key = *query;
		h->key.type = pool_text(pool, query->type);
		h->key.tag = pool_text(pool, query->tag);
		h->key.activity = pool_text(pool, query->activity);
		h->key.setup = pool_text(pool, query->setup);
		h->conf = conf;
		h->epoch = epoch;
		h->made_at = now;
		/* Its copies of the query, not the request's, are kept. */
		e = board_load(db, pool, conf, &h->key, now, &h->board);
		if (query->snapshot != NULL)
			h->serial = query->snapshot->serial;
		h->key.snapshot = NULL;
	}
	if (e == ERR_OK)
		*out = h;
	else if (pool != NULL)
		pool_close(pool);
	return e;
}

static bool
same_text(struct text a, struct text b)
{
	return (a.p == NULL) == (b.p == NULL) && text_same(a, b);
}

static bool
same_query(const struct board_query *a, const struct board_query *b)
{
	return a->sort == b->sort && a->reverse == b->reverse &&
	       a->staff == b->staff && a->full == b->full &&
	       same_text(a->type, b->type) && same_text(a->tag, b->tag) &&
	       same_text(a->activity, b->activity) &&
	       same_text(a->setup, b->setup);
}

static size_t
find(const struct board_cache *c, const struct board_query *query)
{
	size_t i;

	for (i = 0; i < SLOTS; i++) {
		if (c->slots[i] != NULL && same_query(&c->slots[i]->key, query))
			break;
	}
	return i;
}

/* In place of what it replaces, of nothing, or of the longest unused. */
static void
keep(struct board_cache *c, struct board_held *h)
{
	struct board_held *old = NULL;
	size_t at;

	pthread_mutex_lock(&c->lock);
	at = find(c, &h->key);
	if (at == SLOTS) {
		at = 0;
		for (size_t i = 0; i < SLOTS && c->slots[at] != NULL; i++) {
			if (c->slots[i] == NULL ||
			    c->used_at[i] < c->used_at[at])
				at = i;
		}
	}
	old = c->slots[at];
	if (h->epoch != c->epoch ||
	    (old != NULL && same_query(&old->key, &h->key) &&
		old->epoch == h->epoch &&
		old->board.last_seq > h->board.last_seq)) {
		old = NULL; /* out of date already: for this request alone */
	} else {
		c->slots[at] = h;
		c->used_at[at] = ++c->uses;
		atomic_fetch_add(&h->refs, 1);
	}
	pthread_mutex_unlock(&c->lock);
	board_put(old);
}
