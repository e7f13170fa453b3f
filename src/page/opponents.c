/* This file knows how to say whom a prompt version met and who is near it. */
#include "config.h"

#include "page/opponents.h"

#include <math.h>
#include <stdlib.h>

#include "model/standing.h"
#include "page/figure.h"
#include "page/pages.h"
#include "page/req.h"

#define SHOWN 3 /* of the best, and of the worst */
#define FEW 5   /* matches; with fewer a share says nothing */

const struct view_shape opponent_shape = { "opponent",
	sizeof(struct opponent_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct opponent_row, name, VIEW_TEXT),
	    VIEW_FIELD(struct opponent_row, url, VIEW_URL),
	    VIEW_FIELD_REAL(struct opponent_row, share, 0),
	    VIEW_FIELD(struct opponent_row, matches, VIEW_INT), VIEW_END } };

static bool
same(struct text a, struct text b)
{
	return str_eq((struct str){ a.p, a.n }, (struct str){ b.p, b.n });
}

static const struct board_row *
row_of(const struct board *b, struct text digest)
{
	for (size_t i = 0; i < b->official_n; i++) {
		if (same(b->official[i].digest, digest))
			return &b->official[i];
	}
	for (size_t i = 0; i < b->provisional_n; i++) {
		if (same(b->provisional[i].digest, digest))
			return &b->provisional[i];
	}
	return NULL;
}

static struct text
name_of(struct req *rq, const struct board_row *r)
{
	struct str s = pool_printf(rq->pool, "%.*s v%lld", (int)r->title.n,
	    r->title.p, (long long)r->version);

	return (struct text){ s.p, s.n };
}

static int
by_share(const void *x, const void *y)
{
	const struct opponent_row *a = x, *b = y;

	if (a->share < b->share || b->share < a->share)
		return a->share > b->share ? -1 : 1;
	return (a->matches < b->matches) - (a->matches > b->matches);
}

/* The pair as the row at `me` sees it. */
static struct opponent_row
seen_by(struct req *rq, const struct standing_pair *p, size_t me,
    const struct board_row *mine, const struct board_row *other)
{
	double won = p->i == me ? p->i_won : p->j_won;
	double ties = (double)p->ties + p->both_poor;
	double all = (double)p->i_won + p->j_won + ties;
	struct str url =
	    pool_printf(rq->pool, "/compare?a=%.*s:%lld&b=%.*s:%lld",
		(int)mine->slug.n, mine->slug.p, (long long)mine->version,
		(int)other->slug.n, other->slug.p, (long long)other->version);

	return (struct opponent_row){ .name = name_of(rq, other),
		.url = { url.p, url.n },
		.share = 100 * (won + ties / 2) / all,
		.matches = (int64_t)all };
}

/* The better half and the worse half, as many of each as are shown. */
static struct opponents
halves(struct req *rq, struct opponent_row *o, size_t n)
{
	size_t best = (n + 1) / 2 < SHOWN ? (n + 1) / 2 : SHOWN;
	size_t worst = n / 2 < SHOWN ? n / 2 : SHOWN;
	struct opponent_row *w = pool_array(rq->pool, SHOWN, sizeof(*w));

	for (size_t k = 0; w != NULL && k < worst; k++)
		w[k] = o[n - 1 - k];
	return (struct opponents){ view_list(o, best),
		view_list(w, w != NULL ? worst : 0) };
}

struct opponents
opponents_of(struct req *rq, const struct board *b, struct text digest)
{
	const struct standing_board *from =
	    rq->snapshot == NULL || b->setup.p == NULL
		? NULL
		: standing_board_find(
		      rq->snapshot, b->setup, b->type, b->activity);
	const struct standing_row *r = standing_row_find(from, digest);
	const struct board_row *mine = row_of(b, digest);
	struct opponent_row *o;
	size_t n = 0, me;

	if (r == NULL || mine == NULL)
		return (
		    struct opponents){ view_list(NULL, 0), view_list(NULL, 0) };
	me = (size_t)(r - from->rows);
	o = pool_array(rq->pool, from->rows_n + 1, sizeof(*o));
	for (size_t k = 0; o != NULL && k < from->pairs_n; k++) {
		const struct standing_pair *p = &from->pairs[k];
		const struct board_row *other;

		if (p->i != me && p->j != me)
			continue;
		other = row_of(b, from->rows[p->i == me ? p->j : p->i].digest);
		if (other == NULL)
			continue;
		o[n] = seen_by(rq, p, me, mine, other);
		n += o[n].matches >= FEW;
	}
	if (n > 1)
		qsort(o, n, sizeof(*o), by_share);
	return halves(rq, o, n);
}

struct view_message
neighbour_of(
    struct req *rq, const struct board *b, struct text digest, bool above)
{
	struct figure_words *w = pool_alloc(rq->pool, sizeof(*w));
	const struct board_row *me = row_of(b, digest), *near = NULL;
	int64_t needed;

	if (w == NULL || me == NULL || !me->official || isnan(me->se))
		return view_say(NULL);
	for (size_t i = 0; i < b->official_n; i++) {
		const struct board_row *r = &b->official[i];
		bool beyond = r->group == me->group && !isnan(r->se) &&
			      (above ? r->elo > me->elo : r->elo < me->elo);

		if (beyond && (near == NULL || (above ? r->elo < near->elo
						      : r->elo > near->elo)))
			near = r;
	}
	if (near == NULL)
		return view_say(NULL);
	needed = board_about(board_matches_needed(me, near));
	*w = (struct figure_words){ .first = name_of(rq, near),
		.a = needed,
		.b = VIEW_NO_INT,
		.c = VIEW_NO_INT,
		/* As the reader counts it from the two numbers shown. */
		.x = fabs(round(near->elo) - round(me->elo)),
		.y = NAN,
		.tau = NAN };
	return (struct view_message){
		needed == 0 ? (above ? "card.above" : "card.below")
		: needed == VIEW_NO_INT
		    ? (above ? "card.above_never" : "card.below_never")
		    : (above ? "card.above_about" : "card.below_about"),
		needed > 0 ? needed : VIEW_NO_INT, w
	};
}
