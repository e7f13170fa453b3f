/* This file knows how to put a snapshot's numbers into the rows of a board. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "model/board_parts.h"
#include "model/conf.h"
#include "model/standing.h"
#include "port/db.h"
#include "rate/bt.h"
#include "rate/num.h"

#define WEEK ((int64_t)7 * 86400)
/* Quantiles of a 95 % interval and of 80 % power. */
#define SURE 1.959963984540054
#define LIKELY 0.8416212335729143
#define NEVER 1e6 /* matches that nobody will play */
/* Without intervals, ratings equal to two digits share their rank. */
#define GRAIN 0.005

const struct standing_board *
board_standing(const struct board_wish *wish)
{
	return wish->snapshot == NULL || wish->setup.p == NULL
		   ? NULL
		   : standing_board_find(wish->snapshot, wish->setup,
			 wish->type, wish->activity);
}

void
board_row_stand(const struct board_wish *wish,
    const struct standing_board *from, struct board_row *row)
{
	static const struct standing_row none = { .free = NAN,
		.free_lower = NAN,
		.free_upper = NAN,
		.se = NAN,
		.expected = NAN,
		.weighted = NAN,
		.separable = true };
	const struct standing_row *r = standing_row_find(from, row->digest);
	uint32_t day = (uint32_t)clock_day_start(wish->now - WEEK);

	row->elo = r != NULL ? r->elo : wish->conf->start;
	if (r != NULL && r->matches > 0)
		row->change = r->elo - standing_elo_before(
					   from, r, day, wish->conf->start);
	if (r == NULL)
		r = &none;
	row->matches = r->matches;
	row->wins = r->wins;
	row->losses = r->losses;
	row->ties = r->ties;
	row->both_poor = r->both_poor;
	row->not_counted = r->not_counted;
	row->order_free = r->free;
	row->order_free_lower = r->free_lower;
	row->order_free_upper = r->free_upper;
	row->lower = isnan(r->free_lower) ? NAN : fmin(r->free_lower, row->elo);
	row->upper = isnan(r->free_upper) ? NAN : fmax(r->free_upper, row->elo);
	row->se = r->se;
	row->expected = r->expected;
	row->weighted = r->weighted;
	row->separable = r->separable;
	row->group = r->matches > 0 ? (int64_t)r->part : BOARD_NO_INT;
	row->both_poor_share =
	    r->matches == 0 ? NAN
			    : 100.0 * (double)r->both_poor / (double)r->matches;
	row->official = r->matches > 0 && r->matches >= wish->conf->minimum;
	row->missing = r->matches < wish->conf->minimum
			   ? wish->conf->minimum - r->matches
			   : 0;
}

/* Is x certainly above y? */
static bool
is_above(const struct board_row *x, const struct board_row *y)
{
	if (isnan(x->order_free_lower) || isnan(y->order_free_upper))
		return x->elo > y->elo + GRAIN;
	return x->group == y->group &&
	       x->order_free_lower > y->order_free_upper;
}

/*
 * A rank is certain as far as order-free intervals do not overlap.  Elo, by
 * which rows stand, has no say in it: it depends on the order of the votes, so
 * a row may stand where its ranks are not, and is not settled then.  What
 * never met cannot be placed against each other at all: each group has ranks
 * of its own.
 */
void
board_rank(struct board_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct board_row *me = &rows[i];
		size_t above = 0, below = 0, all = 0, place = 1;

		for (size_t k = 0; k < n; k++) {
			all += rows[k].group == me->group;
			place += k < i && rows[k].group == me->group;
			above += is_above(&rows[k], me);
			below += is_above(me, &rows[k]);
		}
		me->rank_from = (int64_t)above + 1;
		me->rank_to = (int64_t)(all - below);
		me->unsettled = me->rank_from != me->rank_to ||
				me->rank_from != (int64_t)place;
	}
}

int64_t
board_matches_needed(const struct board_row *a, const struct board_row *b)
{
	double d = fabs(a->order_free - b->order_free) / BT_POINTS;
	double v = (a->se * a->se + b->se * b->se) / (BT_POINTS * BT_POINTS);
	double wanted = d / (SURE + LIKELY), p = num_sigmoid(d), more;

	if (isnan(d) || isnan(v) || a->group != b->group || wanted <= 0)
		return BOARD_NO_INT;
	if (is_above(a, b) || is_above(b, a) || v <= wanted * wanted)
		return 0;
	more = (1 / (wanted * wanted) - 1 / v) / (p * (1 - p));
	return more > NEVER ? BOARD_NO_INT : (int64_t)ceil(more);
}

static bool
is_known(const struct board_row *r, const int64_t *known, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (known[i] == r->group)
			return true;
	}
	return false;
}

void
board_lead(const struct board_row *official, size_t n, struct board *out)
{
	const struct board_row *first = NULL, *second = NULL;
	int64_t groups[16];

	out->top = out->unsettled = out->groups = 0;
	out->needed = BOARD_NO_INT;
	for (size_t i = 0; i < n; i++) {
		const struct board_row *r = &official[i];

		out->unsettled += r->unsettled;
		if (r->group != BOARD_NO_INT && out->groups < 16 &&
		    !is_known(r, groups, (size_t)out->groups))
			groups[out->groups++] = r->group;
		if (r->rank_from != 1)
			continue;
		out->top++;
		if (first == NULL)
			first = r;
		else if (second == NULL)
			second = r;
	}
	if (second != NULL)
		out->needed = board_matches_needed(first, second);
}

/* Words of all answers in order; the middle one of each version. */
enum err
board_lengths_load(struct db *db, struct pool *pool, int64_t setup,
    int64_t prompt, struct rows *out)
{
	struct db_stmt *q =
	    prompt == 0
		? db_stmt(db, "SELECT version, words FROM answer"
			      " WHERE setup = ?1 AND state = 'ok'"
			      " AND words IS NOT NULL ORDER BY version, words")
		: db_stmt(db, "SELECT version, words FROM answer"
			      " WHERE setup = ?1 AND state = 'ok'"
			      " AND words IS NOT NULL AND version IN"
			      " (SELECT id FROM version WHERE prompt = ?2)"
			      " ORDER BY version, words");
	struct rows words;
	const int64_t *w;
	int64_t version = 0;
	size_t from = 0;
	enum err e;

	rows_init(out, pool, sizeof(struct board_length));
	rows_init(&words, pool, 2 * sizeof(int64_t));
	db_bind_int(q, 1, setup);
	if (prompt != 0)
		db_bind_int(q, 2, prompt);
	while ((e = db_row(q)) == ERR_OK) {
		int64_t *row = rows_add(&words);

		if (row == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		row[0] = db_int(q, 0);
		row[1] = db_int(q, 1);
	}
	if (e != ERR_NOTFOUND)
		return e;
	w = words.p;
	for (size_t i = 0; i <= words.n; i++) {
		struct board_length *l;
		size_t n = i - from, mid = from + n / 2;

		if (i > 0 && (i == words.n || w[2 * i] != version)) {
			l = rows_add(out);
			if (l == NULL)
				return ERR_NOMEM;
			l->version = version;
			l->words = n % 2 == 1 ? (double)w[2 * mid + 1]
					      : ((double)w[2 * mid - 1] +
						    (double)w[2 * mid + 1]) /
						    2;
			from = i;
		}
		if (i < words.n)
			version = w[2 * i];
	}
	return ERR_OK;
}
