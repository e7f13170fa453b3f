/* This file knows how to list one's own votes. */
#include "config.h"

#include "model/match.h"
#include "model/store.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"
#include "page/verdict.h"

#define VOTES_A_PAGE 50

struct vote_row {
	struct text url, question, lang;
	int64_t number, cast_at;
	struct view_message type, choice, standing;
};

static const struct view_shape vote_shape = { "vote", sizeof(struct vote_row),
	(const struct view_field[]){ VIEW_FIELD(struct vote_row, url, VIEW_URL),
	    VIEW_FIELD(struct vote_row, question, VIEW_TEXT),
	    VIEW_FIELD(struct vote_row, lang, VIEW_TEXT),
	    VIEW_FIELD(struct vote_row, number, VIEW_INT),
	    VIEW_FIELD(struct vote_row, cast_at, VIEW_TIME),
	    VIEW_FIELD(struct vote_row, type, VIEW_MESSAGE),
	    VIEW_FIELD(struct vote_row, choice, VIEW_MESSAGE),
	    VIEW_FIELD(struct vote_row, standing, VIEW_MESSAGE), VIEW_END } };

struct votes_row {
	struct view_list votes;
	struct view_message summary;
	struct text older;
};

const struct view_shape votes_shape = { "votes", sizeof(struct votes_row),
	(const struct view_field[]){
	    VIEW_FIELD_OF(struct votes_row, votes, VIEW_LIST, &vote_shape),
	    VIEW_FIELD(struct votes_row, summary, VIEW_MESSAGE),
	    VIEW_FIELD(struct votes_row, older, VIEW_URL), VIEW_END } };

static struct view_list rows(struct req *, const struct match_receipts *);

/* GET /votes */
enum err
pg_votes(struct req *rq)
{
	struct votes_row row = { .summary = view_say(NULL) };
	struct votes_words words;
	struct match_receipts r;
	int64_t before = 0;
	enum err e;

	if ((e = form_number(&rq->query, "before", &before)) != ERR_OK)
		return e;
	if (rq->viewer.account == 0)
		return resp_page(rq, PAGE_VOTES, &row);
	e = match_receipts_load(rq->db, rq->pool, rq->viewer.account,
	    store_durable_seq(rq->site->store), before, VOTES_A_PAGE, &r);
	if (e != ERR_OK)
		return e;
	words = (struct votes_words){ r.total, r.total_counted };
	row.summary = (struct view_message){ "votes.summary", r.total, &words };
	row.votes = rows(rq, &r);
	if (r.older > 0) {
		struct str url = pool_printf(
		    rq->pool, "/votes?before=%lld", (long long)r.older);

		row.older = (struct text){ url.p, url.n };
	}
	return resp_page(rq, PAGE_VOTES, &row);
}

static struct view_list
rows(struct req *rq, const struct match_receipts *r)
{
	struct vote_row *v = pool_array(rq->pool, r->n + 1, sizeof(*v));

	if (v == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct match_receipt *m = &r->rows[i];
		struct str url = pool_printf(rq->pool, "/match/%.*s/result",
		    (int)m->token.n, m->token.p);

		v[i] = (struct vote_row){ .url = { url.p, url.n },
			.question = m->question_text,
			.lang = m->lang,
			.number = m->n,
			.cast_at = m->cast_at,
			.type = view_say(page_message("type.", m->type)),
			.choice = verdict_choice(m->choice),
			.standing = verdict_standing(m->counted, m->why) };
	}
	return view_list(v, r->n);
}
