/* This file knows how to tell readers of feeds which prompts became official.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/board.h"
#include "model/conf.h"
#include "model/debut.h"
#include "page/app.h"
#include "page/board_query.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"
#include "port/crypt.h"

enum {
	ENTRIES = 50, /* the newest ones */
	TIME_LENGTH = 24
};

struct entry_row { /* a version that became official */
	struct text title, id, at, url;
	int64_t number, minimum;
	int64_t since; /* at, as a number: to sort by */
};

static const struct view_shape entry_shape = { "entry",
	sizeof(struct entry_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct entry_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct entry_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct entry_row, at, VIEW_TEXT),
	    VIEW_FIELD(struct entry_row, url, VIEW_URL),
	    VIEW_FIELD(struct entry_row, number, VIEW_INT),
	    VIEW_FIELD(struct entry_row, minimum, VIEW_INT), VIEW_END } };

struct feed_row {
	struct text id, updated, self_url, board_url;
	struct view_list entries;
};

const struct view_shape feed_shape = { "feed", sizeof(struct feed_row),
	(const struct view_field[]){ VIEW_FIELD(struct feed_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct feed_row, updated, VIEW_TEXT),
	    VIEW_FIELD(struct feed_row, self_url, VIEW_URL),
	    VIEW_FIELD(struct feed_row, board_url, VIEW_URL),
	    VIEW_FIELD_OF(struct feed_row, entries, VIEW_LIST, &entry_shape),
	    VIEW_END } };

static struct entry_row *entries(
    struct req *, const struct board *, struct text arena, size_t *n);
static int newest_first(const void *, const void *);
static struct text name_of(
    struct req *, struct text arena, struct text setup, struct text digest);
static struct text address(struct req *, const char *path);
static struct text iso(struct pool *, int64_t at);

/*
 * GET /feed.atom: RFC 4287.  An entry's time is that of the vote which made it
 * official, its name is made of the arena's, the setup's and the version's: so
 * the same entry is the same whenever it is asked for.  Nobody is named in it.
 */
enum err
pg_feed(struct req *rq)
{
	struct board_query q;
	struct entry_row *list;
	struct feed_row row;
	struct text arena;
	struct board b;
	int64_t opened;
	size_t n;
	enum err e;

	if ((e = board_query_load(rq, false, &q, &b)) != ERR_OK ||
	    (e = debuts_follow(rq->site->debuts, rq->db, rq->conf)) != ERR_OK ||
	    (e = arena_identity(rq->db, rq->pool, &arena, &opened)) != ERR_OK)
		return e;
	list = entries(rq, &b, arena, &n);
	if (list == NULL)
		return ERR_NOMEM;
	row = (struct feed_row){ .id = name_of(rq, arena, TEXT(""), TEXT("")),
		.updated = n > 0 ? list[0].at : iso(rq->pool, opened),
		.self_url = address(rq, "/feed.atom"),
		.board_url = address(rq, "/leaderboard"),
		.entries = view_list(list, n) };
	return resp_feed(rq, PAGE_FEED, &row);
}

static struct entry_row *
entries(struct req *rq, const struct board *b, struct text arena, size_t *n)
{
	struct entry_row *list =
	    pool_array(rq->pool, b->official_n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list != NULL && i < b->official_n; i++) {
		const struct board_row *r = &b->official[i];
		int64_t at = debut_at(rq->site->debuts, b->setup, r->digest);

		/* A vote may have come, or gone, since the board was made. */
		if (at == 0)
			continue;
		list[(*n)++] = (struct entry_row){ .title = r->title,
			.id = name_of(rq, arena, b->setup, r->digest),
			.at = iso(rq->pool, at),
			.url = address(rq, pool_printf(rq->pool, "/prompt/%.*s",
					       (int)r->slug.n, r->slug.p)
					       .p),
			.number = r->version,
			.minimum = b->minimum,
			.since = at };
	}
	if (*n > 1)
		qsort(list, *n, sizeof(*list), newest_first);
	if (*n > ENTRIES)
		*n = ENTRIES;
	return list;
}

static int
newest_first(const void *a, const void *b)
{
	const struct entry_row *x = a, *y = b;

	if (x->since != y->since)
		return x->since > y->since ? -1 : 1;
	return memcmp(x->id.p, y->id.p, x->id.n < y->id.n ? x->id.n : y->id.n);
}

/* A UUID of version 8 (RFC 9562): the beginning of a SHA-256. */
static struct text
name_of(
    struct req *rq, struct text arena, struct text setup, struct text digest)
{
	struct str all =
	    pool_printf(rq->pool, "feed/1\n%.*s\n%.*s\n%.*s\n", (int)arena.n,
		arena.p, (int)setup.n, setup.p, (int)digest.n, digest.p);
	char hex[CRYPT_HEX + 1];
	struct str s;

	crypt_sha256_hex(all, hex);
	s = pool_printf(rq->pool, "urn:uuid:%.8s-%.4s-8%.3s-a%.3s-%.12s", hex,
	    hex + 8, hex + 13, hex + 17, hex + 20);
	return (struct text){ s.p, s.n };
}

/* Absolute where the configuration says where the site is. */
static struct text
address(struct req *rq, const char *path)
{
	struct text origin = rq->conf->origin;
	struct str s;

	if (origin.n == 0 || pool_failed(rq->pool))
		return text_of(path);
	s = pool_printf(rq->pool, "%.*s%.*s%s", (int)origin.n, origin.p,
	    (int)rq->base.n, rq->base.p, path);
	return (struct text){ s.p, s.n };
}

static struct text
iso(struct pool *pool, int64_t at)
{
	char z[TIME_LENGTH];

	clock_iso(at, z, sizeof(z));
	return text_of(pool_strdup(pool, z));
}
