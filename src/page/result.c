/* This file knows how to reveal a match to the one who voted on it. */
#include "config.h"

#include <math.h>

#include "model/match.h"
#include "model/store.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"
#include "page/verdict.h"

struct side_row {
	bool is_a, is_b, chosen, moved, named;
	struct text id, look, url, title, text;
	int64_t version;
	struct view_list tags;
	double before, after;
	struct markup answer;
};

static const struct view_shape side_shape = { "side", sizeof(struct side_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct side_row, is_a, VIEW_FLAG),
	    VIEW_FIELD(struct side_row, is_b, VIEW_FLAG),
	    VIEW_FIELD(struct side_row, chosen, VIEW_FLAG),
	    VIEW_FIELD(struct side_row, moved, VIEW_FLAG),
	    VIEW_FIELD(struct side_row, named, VIEW_FLAG),
	    VIEW_FIELD(struct side_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct side_row, look, VIEW_TEXT),
	    VIEW_FIELD(struct side_row, url, VIEW_URL),
	    VIEW_FIELD(struct side_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct side_row, text, VIEW_TEXT),
	    VIEW_FIELD(struct side_row, version, VIEW_INT),
	    VIEW_FIELD_OF(struct side_row, tags, VIEW_LIST, &option_shape),
	    VIEW_FIELD_REAL(struct side_row, before, 0),
	    VIEW_FIELD_REAL(struct side_row, after, 0),
	    VIEW_FIELD(struct side_row, answer, VIEW_MARKUP), VIEW_END } };

struct result_row {
	bool practice, again; /* again: comes from a second vote */
	struct view_message receipt, choice, standing, others;
	struct view_list sides;
	struct text lang; /* of question and answers */
	struct markup question;
	int64_t number, cast_at, tally_from;
	bool tally_later;
	struct text model, next_type, next_activity;
	struct text discuss, report; /* discuss: absent for practice pairs */
};

const struct view_shape result_shape = { "result", sizeof(struct result_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct result_row, practice, VIEW_FLAG),
	    VIEW_FIELD(struct result_row, again, VIEW_FLAG),
	    VIEW_FIELD(struct result_row, receipt, VIEW_MESSAGE),
	    VIEW_FIELD(struct result_row, choice, VIEW_MESSAGE),
	    VIEW_FIELD(struct result_row, standing, VIEW_MESSAGE),
	    VIEW_FIELD(struct result_row, others, VIEW_MESSAGE),
	    VIEW_FIELD_OF(struct result_row, sides, VIEW_LIST, &side_shape),
	    VIEW_FIELD(struct result_row, lang, VIEW_TEXT),
	    VIEW_FIELD(struct result_row, question, VIEW_MARKUP),
	    VIEW_FIELD(struct result_row, number, VIEW_INT),
	    VIEW_FIELD(struct result_row, cast_at, VIEW_TIME),
	    VIEW_FIELD(struct result_row, tally_from, VIEW_INT),
	    VIEW_FIELD(struct result_row, tally_later, VIEW_FLAG),
	    VIEW_FIELD(struct result_row, model, VIEW_TEXT),
	    VIEW_FIELD(struct result_row, next_type, VIEW_TEXT),
	    VIEW_FIELD(struct result_row, next_activity, VIEW_TEXT),
	    VIEW_FIELD(struct result_row, discuss, VIEW_URL),
	    VIEW_FIELD(struct result_row, report, VIEW_URL), VIEW_END } };

static struct text match_link(struct req *, const char *head, const char *tail);
static struct side_row side(
    struct req *, const struct match_side *, bool is_a, enum vote_choice);
static struct view_message others(struct req *, const struct match_result *);
static struct view_message receipt(struct req *, const struct match_result *);

/* GET /match/TOKEN/result */
enum err
pg_result(struct req *rq)
{
	struct str token = { rq->seg[1].p, rq->seg[1].n };
	struct side_row sides[2];
	struct match_result m;
	struct result_row row;
	enum err e;

	if (rq->viewer.account == 0)
		return ERR_NOTFOUND;
	e = match_result_load(rq->db, rq->pool, rq->conf,
	    store_durable_seq(rq->site->store), token, rq->viewer.account,
	    rq->now, &m);
	if (e == ERR_DENIED)
		rq->reason = "no_vote";
	if (e != ERR_OK)
		return e;

	sides[0] = side(rq, &m.a, true, m.choice);
	sides[1] = side(rq, &m.b, false, m.choice);
	row = (struct result_row){ .practice = m.calibration,
		.again = again_take(&rq->site->again, token, rq->now),
		.receipt = receipt(rq, &m),
		.choice = verdict_choice(m.choice),
		.standing = verdict_standing(m.counted, m.why),
		.others = others(rq, &m),
		.sides = view_list(sides, 2),
		.lang = m.lang,
		.question = m.question,
		.number = m.n,
		.cast_at = m.cast_at,
		.tally_from = rq->conf->others_before_tally,
		.tally_later = !m.tally && !m.calibration,
		.model = m.model,
		.next_type = m.type,
		.next_activity = m.activity };
	row.report = match_link(rq, "/match/", "/report");
	if (!m.calibration)
		row.discuss = match_link(rq, "/forum/new?match=", "");
	return resp_page(rq, PAGE_RESULT, &row);
}

/* An address with the match's token in it. */
static struct text
match_link(struct req *rq, const char *head, const char *tail)
{
	struct str url = pool_printf(
	    rq->pool, "%s%.*s%s", head, (int)rq->seg[1].n, rq->seg[1].p, tail);

	return (struct text){ url.p, url.n };
}

static struct side_row
side(struct req *rq, const struct match_side *s, bool is_a,
    enum vote_choice choice)
{
	struct side_row row = { .is_a = is_a,
		.is_b = !is_a,
		.chosen = choice == (is_a ? VOTE_A : VOTE_B),
		.named = s->title.p != NULL,
		.id = is_a ? TEXT("a-h") : TEXT("b-h"),
		.title = s->title,
		.text = s->prompt_text,
		.version = s->version,
		.before = s->before,
		.after = s->after,
		.answer = s->answer };

	row.moved = row.named && !isnan(s->before) && !isnan(s->after);
	row.look = row.chosen ? TEXT("chosen") : (struct text){ NULL, 0 };
	row.tags = options_tags(rq->pool, s->tags, s->tags_n, false);
	if (row.named) {
		struct str url = pool_printf(
		    rq->pool, "/prompt/%.*s", (int)s->slug.n, s->slug.p);

		row.url = (struct text){ url.p, url.n };
	}
	return row;
}

/* What the vote did, in a sentence; the page has its own for practice. */
static struct view_message
receipt(struct req *rq, const struct match_result *m)
{
	struct receipt_words *w;

	if (m->calibration)
		return view_say(NULL);
	if (!m->counted)
		return verdict_receipt(m->why);
	w = pool_alloc(rq->pool, sizeof(*w));
	if (w == NULL)
		return view_say(NULL);
	*w = (struct receipt_words){ m->a.title, m->b.title, VIEW_NO_INT,
		VIEW_NO_INT, m->a.before, m->a.after, m->b.before, m->b.after };
	if (option_is(m->a.slug, m->b.slug)) {
		w->a_version = m->a.version;
		w->b_version = m->b.version;
	}
	return (struct view_message){ "receipt.counted", VIEW_NO_INT, w };
}

static struct view_message
others(struct req *rq, const struct match_result *m)
{
	struct others_words *w;

	if (!m->tally || m->calibration || m->others == 0 ||
	    (w = pool_alloc(rq->pool, sizeof(*w))) == NULL)
		return view_say(NULL);
	*w = (struct others_words){ m->others, m->others_a, m->others_b,
		m->others_tie, m->others_both_poor };
	return (struct view_message){ "result.others", m->others, w };
}
