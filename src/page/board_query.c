/* This file knows how to read and write the address of a leaderboard. */
#include "config.h"

#include "page/board_query.h"

#include <string.h>

#include "base/buf.h"
#include "model/board_cache.h"
#include "model/standing.h"
#include "model/store.h"
#include "page/app.h"
#include "page/auth.h"
#include "page/req.h"

/* For how long a page waits for the newest ratings. */
#define PATIENCE_MS 250

static enum err read_query(struct req *, struct board_query *);
static const struct board_row *row_at(const struct board *, size_t i);
static void add(struct buf *, char *sep, const char *name, struct str value);

enum err
board_query_load(
    struct req *rq, bool full, struct board_query *q, struct board *out)
{
	enum err e = read_query(rq, q);

	if (e != ERR_OK)
		return e;
	q->full = q->full || full;
	q->snapshot = board_snapshot(rq);
	board_put(rq->board);
	rq->board = NULL;
	e = board_cache_get(
	    rq->site->boards, rq->db, rq->conf, q, rq->now, &rq->board, out);
	if (e == ERR_NOTFOUND) {
		rq->reason = "no_filter";
		return ERR_INVALID;
	}
	if (e == ERR_DENIED)
		rq->reason = "later";
	return e;
}

const struct standing_snapshot *
board_snapshot(struct req *rq)
{
	if (rq->snapshot == NULL)
		rq->snapshot = standing_get(rq->site->standing,
		    store_durable_seq(rq->site->store), PATIENCE_MS);
	return rq->snapshot;
}

const struct standing_snapshot *
board_snapshot_now(struct req *rq)
{
	if (rq->snapshot == NULL)
		rq->snapshot = standing_get(rq->site->standing, 0, 0);
	return rq->snapshot;
}

struct text
board_query_url(struct req *rq, const char *path, const struct board_query *q,
    const char *sort)
{
	struct buf b;
	struct str s;
	char sep = '?';

	buf_init(&b, REQ_URI_MAX);
	buf_z(&b, path);
	add(&b, &sep, "type", (struct str){ q->type.p, q->type.n });
	add(&b, &sep, "tag", (struct str){ q->tag.p, q->tag.n });
	add(&b, &sep, "activity", (struct str){ q->activity.p, q->activity.n });
	add(&b, &sep, "setup", (struct str){ q->setup.p, q->setup.n });
	if (q->full)
		add(&b, &sep, "view", STR("full"));
	add(&b, &sep, "sort", str_of(sort));
	s = pool_str(rq->pool, b.failed ? str_of(path) : buf_as_str(&b));
	buf_release(&b);
	return (struct text){ s.p, s.n };
}

const struct board_row *
board_query_near(struct req *rq, const struct board *b, struct str slug)
{
	size_t all = b->official_n + b->provisional_n;
	const char **names = pool_array(rq->pool, all + 1, sizeof(*names));
	const struct board_row *best = NULL;
	const char *near;

	if (names == NULL)
		return NULL;
	for (size_t i = 0; i < all; i++) {
		const struct text *s = &row_at(b, i)->slug;

		names[i] = pool_printf(rq->pool, "%.*s", (int)s->n, s->p).p;
	}
	near = pool_failed(rq->pool) ? NULL : str_nearest(slug, names, all);
	for (size_t i = 0; near != NULL && i < all; i++) {
		const struct board_row *r = row_at(b, i);

		if (strcmp(names[i], near) == 0 &&
		    (best == NULL || r->version > best->version))
			best = r;
	}
	return best;
}

static const struct board_row *
row_at(const struct board *b, size_t i)
{
	return i < b->official_n ? &b->official[i]
				 : &b->provisional[i - b->official_n];
}

static enum err
read_query(struct req *rq, struct board_query *q)
{
	const struct form *f = &rq->query;
	struct text sort, view;
	enum err e;

	*q = (struct board_query){ .staff = auth_is_staff(rq) };
	if ((e = form_word(f, "type", &q->type)) != ERR_OK ||
	    (e = form_word(f, "tag", &q->tag)) != ERR_OK ||
	    (e = form_word(f, "activity", &q->activity)) != ERR_OK ||
	    (e = form_word(f, "setup", &q->setup)) != ERR_OK ||
	    (e = form_word(f, "view", &view)) != ERR_OK ||
	    (e = form_word(f, "sort", &sort)) != ERR_OK)
		return e;
	q->full = view.p != NULL;
	if (q->full && !str_is((struct str){ view.p, view.n }, "full")) {
		rq->reason = "no_filter";
		return ERR_INVALID;
	}
	if (sort.p == NULL)
		return ERR_OK;
	e = board_sort_parse(
	    (struct str){ sort.p, sort.n }, &q->sort, &q->reverse);
	if (e != ERR_OK)
		rq->reason = "no_filter";
	return e;
}

static void
add(struct buf *b, char *sep, const char *name, struct str value)
{
	if (value.n == 0)
		return;
	buf_c(b, *sep);
	buf_z(b, name);
	buf_c(b, '=');
	buf_url(b, value);
	*sep = '&';
}
