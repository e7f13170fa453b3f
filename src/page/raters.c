/* This file knows how to show administrators who votes well. */
#include "config.h"

#include <math.h>

#include "model/standing.h"
#include "page/app.h"
#include "page/board_query.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"

#define SHOWN 100

struct rater_row {
	struct text name;
	int64_t vote, votes, decisive;
	double a_share, agreement, weight;
	bool side, against, target, control, review, unflagged;
};

#define V struct rater_row
static const struct view_shape rater_shape = { "voter", sizeof(V),
	(const struct view_field[]){ VIEW_FIELD(V, name, VIEW_TEXT),
	    VIEW_FIELD(V, vote, VIEW_INT), VIEW_FIELD(V, votes, VIEW_INT),
	    VIEW_FIELD(V, decisive, VIEW_INT), VIEW_FIELD_REAL(V, a_share, 0),
	    VIEW_FIELD_REAL(V, agreement, 0), VIEW_FIELD_REAL(V, weight, 2),
	    VIEW_FIELD(V, side, VIEW_FLAG), VIEW_FIELD(V, against, VIEW_FLAG),
	    VIEW_FIELD(V, target, VIEW_FLAG), VIEW_FIELD(V, control, VIEW_FLAG),
	    VIEW_FIELD(V, review, VIEW_FLAG),
	    VIEW_FIELD(V, unflagged, VIEW_FLAG), VIEW_END } };
#undef V

struct raters_row {
	struct view_list voters;
	struct view_message people, look, out;
	int64_t as_of;
	double tau;
};

#define R struct raters_row
const struct view_shape raters_shape = { "raters", sizeof(R),
	(const struct view_field[]){
	    VIEW_FIELD_OF(R, voters, VIEW_LIST, &rater_shape),
	    VIEW_FIELD(R, people, VIEW_MESSAGE),
	    VIEW_FIELD(R, look, VIEW_MESSAGE), VIEW_FIELD(R, out, VIEW_MESSAGE),
	    VIEW_FIELD(R, as_of, VIEW_INT), VIEW_FIELD_REAL(R, tau, 2),
	    VIEW_END } };
#undef R

static void
fill(const struct standing_voter *v, struct rater_row *row)
{
	const struct rater *r = &v->rater;

	row->vote = v->vote;
	row->votes = r->votes;
	row->decisive = r->decisive;
	row->a_share = r->decisive > 0 ? 100.0 * r->a_wins / r->decisive : NAN;
	row->agreement = r->decisive > 0 ? 100 * r->agreement : NAN;
	row->weight = r->weight;
	row->side = (r->flags & RATER_SIDE) != 0;
	row->against = (r->flags & RATER_AGAINST) != 0;
	row->target = (r->flags & RATER_TARGET) != 0;
	row->control = (r->flags & RATER_CONTROL) != 0;
	row->review = r->review;
	row->unflagged = !rater_stands_out(r);
}

/* What the rows come to, in words; nobody is no number. */
static enum err
sum_up(struct req *rq, const struct standing_voter *v, size_t n,
    struct raters_row *row)
{
	struct raters_words *w = pool_alloc(rq->pool, sizeof(*w));

	if (w == NULL)
		return ERR_NOMEM;
	*w = (struct raters_words){ .all = (int64_t)n };
	for (size_t i = 0; i < n; i++) {
		w->look += rater_stands_out(&v[i].rater);
		w->out += v[i].rater.weight <= 0;
	}
	row->people = (struct view_message){ "raters.people", w->all, w };
	row->look = w->look == 0
			? view_say("raters.look_none")
			: (struct view_message){ "raters.look", w->look, w };
	row->out = w->out == 0
		       ? view_say(NULL)
		       : (struct view_message){ "raters.out", w->out, w };
	return ERR_OK;
}

/* GET /raters */
enum err
pg_raters(struct req *rq)
{
	const struct standing_snapshot *s = board_snapshot(rq);
	struct raters_row row = { .tau = NAN };
	const struct standing_voter *v;
	struct rater_row *rows;
	int64_t seq;
	size_t n;
	enum err e =
	    standing_voters(rq->site->standing, rq->pool, &v, &n, &seq);

	if (e != ERR_OK)
		return e;
	rows = pool_array(rq->pool, SHOWN, sizeof(*rows));
	if (rows == NULL)
		return ERR_NOMEM;
	if ((e = sum_up(rq, v, n, &row)) != ERR_OK)
		return e;
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		fill(&v[i], &rows[i]);
		e = standing_voter_name(
		    rq->db, rq->pool, v[i].vote, &rows[i].name);
		if (e != ERR_OK)
			return e;
	}
	row.voters = view_list(rows, n < SHOWN ? n : SHOWN);
	row.as_of = seq > 0 ? seq : VIEW_NO_INT;
	if (s != NULL)
		row.tau = s->weighted_tau;
	return resp_page(rq, PAGE_RATERS, &row);
}
