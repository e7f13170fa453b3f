/* This file knows how to greet people and lead them to a match. */
#include "config.h"

#include "model/board.h"
#include "model/match.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"

struct home_row {
	bool has_open, nothing_yet;
	int64_t votes, prompts, questions;
};

const struct view_shape home_shape = { "home", sizeof(struct home_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct home_row, has_open, VIEW_FLAG),
	    VIEW_FIELD(struct home_row, nothing_yet, VIEW_FLAG),
	    VIEW_FIELD(struct home_row, votes, VIEW_INT),
	    VIEW_FIELD(struct home_row, prompts, VIEW_INT),
	    VIEW_FIELD(struct home_row, questions, VIEW_INT), VIEW_END } };

/* GET / */
enum err
pg_home(struct req *rq)
{
	struct arena_facts facts;
	struct home_row row;
	struct text token;
	enum err e;

	e = arena_facts(rq->site->totals, rq->db, rq->pool, &facts);
	if (e != ERR_OK)
		return e;
	row = (struct home_row){ .nothing_yet = facts.counted == 0,
		.votes = facts.counted,
		.prompts = facts.prompts,
		.questions = facts.questions };
	if (rq->viewer.account != 0)
		row.has_open =
		    match_current(rq->db, rq->pool, rq->viewer.account, rq->now,
			&token) == ERR_OK;
	return resp_page(rq, PAGE_HOME, &row);
}
