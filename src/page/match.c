/* This file knows how to show a match blind, and to take its vote. */
#include "config.h"

#include "model/deck.h"
#include "model/match.h"
#include "model/store.h"
#include "model/vote.h"
#include "page/app.h"
#include "page/board_query.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"

/*
 * The blind page.  There is no field here for anything that could tell the
 * sides apart but their two texts.
 */
struct match_row {
	struct text action;
	struct text lang; /* of question and answers */
	struct markup question, answer_a, answer_b;
	struct view_message choice_error;
	bool chose_a, chose_b, chose_tie, chose_both_poor;
	bool more_open, recognised;
	bool useful, complete, clear, creative;
	bool wrong, superficial, ignores;
};

const struct view_shape match_shape = { "match", sizeof(struct match_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct match_row, action, VIEW_URL),
	    VIEW_FIELD(struct match_row, lang, VIEW_TEXT),
	    VIEW_FIELD(struct match_row, question, VIEW_MARKUP),
	    VIEW_FIELD(struct match_row, answer_a, VIEW_MARKUP),
	    VIEW_FIELD(struct match_row, answer_b, VIEW_MARKUP),
	    VIEW_FIELD(struct match_row, choice_error, VIEW_MESSAGE),
	    VIEW_FIELD(struct match_row, chose_a, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, chose_b, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, chose_tie, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, chose_both_poor, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, more_open, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, recognised, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, useful, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, complete, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, clear, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, creative, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, wrong, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, superficial, VIEW_FLAG),
	    VIEW_FIELD(struct match_row, ignores, VIEW_FLAG), VIEW_END } };

struct wait_row {
	struct text action;
	struct markup question;
	bool other;    /* a ready pair could be had instead */
	bool none;     /* it was asked for, and there is none */
	int64_t ahead; /* answers that are written first; absent: none */
	bool again;    /* an attempt has failed, the next is on its way */
};

const struct view_shape match_wait_shape = { "match-wait",
	sizeof(struct wait_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct wait_row, action, VIEW_URL),
	    VIEW_FIELD(struct wait_row, question, VIEW_MARKUP),
	    VIEW_FIELD(struct wait_row, other, VIEW_FLAG),
	    VIEW_FIELD(struct wait_row, none, VIEW_FLAG),
	    VIEW_FIELD(struct wait_row, ahead, VIEW_INT),
	    VIEW_FIELD(struct wait_row, again, VIEW_FLAG), VIEW_END } };

struct over_row {
	bool failed, expired, closed, skipped;
};

const struct view_shape match_over_shape = { "match-over",
	sizeof(struct over_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct over_row, failed, VIEW_FLAG),
	    VIEW_FIELD(struct over_row, expired, VIEW_FLAG),
	    VIEW_FIELD(struct over_row, closed, VIEW_FLAG),
	    VIEW_FIELD(struct over_row, skipped, VIEW_FLAG), VIEW_END } };

struct ballot { /* what the form said */
	enum {
		DO_VOTE,
		DO_SKIP,
		DO_OTHER
	} verb;
	struct text skip_reason;
	enum vote_choice choice;
	uint32_t reasons;
	bool has_choice, recognised;
};

struct mark_args {
	struct str token;
	int64_t voter;
	struct text reason;
};

struct instead_args {
	struct deck *deck;
	const struct conf *conf;
	struct match_request request;
	struct str token;
	struct match_opened opened;
};

static enum err load(struct req *, struct match_blind *);
static enum err show_waiting(
    struct req *, const struct match_blind *, bool none);
static enum err other(struct req *, const struct match_blind *);
static enum err instead_fn(struct store_tx *, void *);
static enum err show(struct req *, const struct match_blind *);
static enum err show_open(struct req *, int status, const struct match_blind *,
    const struct ballot *);
static enum err show_over(struct req *, const struct match_blind *);
static enum err read_ballot(struct req *, struct ballot *);
static enum err read_reasons(struct req *, struct ballot *);
static enum err skip(struct req *, const struct ballot *);
static enum err vote(struct req *, const struct ballot *);
static enum err see_again(struct req *);
static enum err mark_fn(struct store_tx *, void *);
static enum err skip_fn(struct store_tx *, void *);
static struct str token_of(const struct req *);
static struct text action_of(struct req *);

/* GET /match/TOKEN */
enum err
pg_match(struct req *rq)
{
	struct match_blind m;
	enum err e = load(rq, &m);

	return e == ERR_OK ? show(rq, &m) : e;
}

/* POST /match/TOKEN: vote or skip. */
enum err
pg_match_post(struct req *rq)
{
	struct ballot ballot;
	struct match_blind m;
	enum err e;

	if ((e = load(rq, &m)) != ERR_OK ||
	    (e = read_ballot(rq, &ballot)) != ERR_OK)
		return e;
	if (m.state == MATCH_VOTED)
		return see_again(rq);
	if (rq->problems_n > 0) {
		if (m.state != MATCH_OPEN || !m.complete)
			return show(rq, &m);
		return show_open(rq, 400, &m, &ballot);
	}
	if (ballot.verb == DO_OTHER)
		return other(rq, &m);
	e = ballot.verb == DO_SKIP ? skip(rq, &ballot) : vote(rq, &ballot);
	if (e != ERR_CLOSED)
		return e;
	/* It ended between the two: say what became of it. */
	if ((e = load(rq, &m)) != ERR_OK)
		return e;
	if (m.state == MATCH_OPEN && m.complete && !m.failed)
		return ERR_CLOSED;
	return show(rq, &m);
}

static enum err
load(struct req *rq, struct match_blind *m)
{
	if (rq->viewer.account == 0)
		return ERR_NOTFOUND;
	return match_blind_load(
	    rq->db, rq->pool, token_of(rq), rq->viewer.account, rq->now, m);
}

/* Whatever state it is in. */
static enum err
show(struct req *rq, const struct match_blind *m)
{
	struct mark_args args = { token_of(rq), rq->viewer.account,
		{ NULL, 0 } };
	enum err e;

	if (m->state == MATCH_VOTED)
		return resp_see_other(
		    rq, "/match/%.*s/result", (int)rq->seg[1].n, rq->seg[1].p);
	if (m->state != MATCH_OPEN || m->failed)
		return show_over(rq, m);
	if (!m->complete)
		return show_waiting(rq, m, false);
	if (!m->shown) {
		/* Reading time starts now, which is why a GET writes here. */
		e = store_write(rq->site->store, mark_fn, &args);
		if (e != ERR_OK)
			return e;
	}
	return show_open(rq, 200, m, NULL);
}

/* Nothing here tells one side from the other, nor that one is done. */
static enum err
show_waiting(struct req *rq, const struct match_blind *m, bool none)
{
	struct wait_row wait = { .action = action_of(rq),
		.question = m->question,
		.none = none,
		.ahead = VIEW_NO_INT,
		.again = m->again };
	struct match_request request = { .who = auth_voter(rq) };
	struct deck *deck = deck_get(&rq->site->decks);

	if (m->ahead > 0)
		wait.ahead = m->ahead;
	wait.other =
	    !none && match_has_ready(rq->db, deck, rq->conf, &request, rq->now);
	deck_put(deck);
	/* A browser looks again by itself, with or without script. */
	resp_header(rq, "Refresh", STR("5"));
	return resp_page(rq, PAGE_MATCH_WAIT, &wait);
}

static bool
ticked(const struct ballot *b, const char *reason)
{
	uint32_t bit = 0;

	return vote_reason_parse(str_of(reason), &bit) == ERR_OK &&
	       (b->reasons & bit) != 0;
}

static enum err
show_open(struct req *rq, int status, const struct match_blind *m,
    const struct ballot *b)
{
	struct match_row row = { .action = action_of(rq),
		.lang = m->lang,
		.question = m->question,
		.answer_a = m->a,
		.answer_b = m->b,
		.choice_error = view_say(NULL) };

	if (b != NULL) {
		row.chose_a = b->has_choice && b->choice == VOTE_A;
		row.chose_b = b->has_choice && b->choice == VOTE_B;
		row.chose_tie = b->has_choice && b->choice == VOTE_TIE;
		row.chose_both_poor =
		    b->has_choice && b->choice == VOTE_BOTH_POOR;
		row.recognised = b->recognised;
		row.useful = ticked(b, "useful");
		row.complete = ticked(b, "complete");
		row.clear = ticked(b, "clear");
		row.creative = ticked(b, "creative");
		row.wrong = ticked(b, "wrong");
		row.superficial = ticked(b, "superficial");
		row.ignores = ticked(b, "ignores");
		row.more_open = b->reasons != 0 || b->recognised;
		if (rq->problems_n > 0)
			row.choice_error = view_say(rq->problems[0].what);
	}
	return resp_page_status(rq, status, PAGE_MATCH, &row);
}

static enum err
show_over(struct req *rq, const struct match_blind *m)
{
	struct over_row row = { .failed = m->failed || m->state == MATCH_VOID,
		.expired = m->state == MATCH_EXPIRED && !m->closed,
		.closed = m->state == MATCH_EXPIRED && m->closed,
		.skipped = m->state == MATCH_SKIPPED };

	if (row.failed)
		row.expired = row.closed = row.skipped = false;
	return resp_page_status(rq, 410, PAGE_MATCH_OVER, &row);
}

/* Reads everything before anything is done; problems are remembered. */
static enum err
read_ballot(struct req *rq, struct ballot *b)
{
	struct text verb, choice, tick;
	struct str word;
	enum err e;

	*b = (struct ballot){ .verb = DO_VOTE };
	if ((e = form_one(&rq->form, "do", &verb)) != ERR_OK ||
	    (e = form_one(&rq->form, "choice", &choice)) != ERR_OK ||
	    (e = form_one(&rq->form, "recognised", &tick)) != ERR_OK ||
	    (e = form_word(&rq->form, "skip_reason", &b->skip_reason)) !=
		ERR_OK)
		return e;
	word = (struct str){ verb.p, verb.n };
	if (str_is(word, "skip"))
		b->verb = DO_SKIP;
	else if (str_is(word, "other"))
		b->verb = DO_OTHER;
	else if (!str_is(word, "vote"))
		req_problem(rq, "choice-a", "problem.do");
	if (form_tick(&rq->form, "recognised", &b->recognised) != ERR_OK)
		req_problem(rq, "recognised", "problem.recognised");
	word = (struct str){ choice.p, choice.n };
	b->has_choice = vote_choice_parse(word, &b->choice) == ERR_OK;
	if (b->verb == DO_VOTE && !b->has_choice)
		req_problem(rq, "choice-a",
		    choice.n == 0 ? "problem.choice"
				  : "problem.choice_unknown");
	return read_reasons(rq, b);
}

static enum err
read_reasons(struct req *rq, struct ballot *b)
{
	struct text t;
	size_t i = 0;

	while (form_next(&rq->form, "reason", &i, &t)) {
		uint32_t bit = 0;

		if (vote_reason_parse((struct str){ t.p, t.n }, &bit) !=
		    ERR_OK) {
			req_problem(rq, "r-useful", "problem.reason");
			return ERR_OK;
		}
		b->reasons |= bit;
	}
	return ERR_OK;
}

static enum err
skip(struct req *rq, const struct ballot *b)
{
	struct mark_args args = { token_of(rq), rq->viewer.account,
		b->skip_reason };
	enum err e = store_write(rq->site->store, skip_fn, &args);

	if (e == ERR_CONFLICT)
		return see_again(rq);
	if (e != ERR_OK)
		return e;
	return resp_see_other(rq, "/arena?skipped=1");
}

/* A ready pair, while this one is being written. */
static enum err
other(struct req *rq, const struct match_blind *m)
{
	struct instead_args args = { .conf = rq->conf,
		.request = { .who = auth_voter(rq),
		    .standing = board_snapshot_now(rq) },
		.token = token_of(rq) };
	enum err e;

	if (m->state != MATCH_OPEN || m->complete || m->failed)
		return show(rq, m);
	args.deck = deck_get(&rq->site->decks);
	e = store_write(rq->site->store, instead_fn, &args);
	deck_put(args.deck);
	if (e == ERR_OK)
		return resp_see_other(rq, "/match/%s", args.opened.token);
	if (e == ERR_CONFLICT)
		return resp_see_other(
		    rq, "/match/%.*s", (int)args.token.n, args.token.p);
	if (e == ERR_NOTFOUND || e == ERR_CLOSED)
		return show_waiting(rq, m, true);
	return e;
}

static enum err
instead_fn(struct store_tx *tx, void *arg)
{
	struct instead_args *a = arg;

	return match_instead(
	    tx, a->deck, a->conf, &a->request, a->token, &a->opened);
}

static enum err
vote(struct req *rq, const struct ballot *b)
{
	struct vote_cast_args args = { .conf = rq->conf,
		.ballot = { .token = token_of(rq),
		    .voter = rq->viewer.account,
		    .choice = b->choice,
		    .reasons = b->reasons,
		    .recognised = b->recognised } };
	enum err e = store_write(rq->site->store, vote_cast_fn, &args);

	if (e == ERR_CONFLICT)
		return see_again(rq);
	if (e != ERR_OK)
		return e;
	return resp_see_other(rq, "/match/%.*s/result",
	    (int)args.ballot.token.n, args.ballot.token.p);
}

/* A second vote leads to the same reveal, which says that the first stands. */
static enum err
see_again(struct req *rq)
{
	struct str token = token_of(rq);

	/* It may be the one that waits for the ledger: promise nothing. */
	if (store_is_halted(rq->site->store))
		return ERR_FULL;
	again_mark(&rq->site->again, token, rq->now);
	return resp_see_other(rq, "/match/%.*s/result", (int)token.n, token.p);
}

static enum err
mark_fn(struct store_tx *tx, void *arg)
{
	struct mark_args *a = arg;

	return match_mark_shown(tx, a->token, a->voter);
}

static enum err
skip_fn(struct store_tx *tx, void *arg)
{
	struct mark_args *a = arg;

	return match_skip(tx, a->token, a->voter, a->reason);
}

static struct str
token_of(const struct req *rq)
{
	return (struct str){ rq->seg[1].p, rq->seg[1].n };
}

static struct text
action_of(struct req *rq)
{
	struct str s = pool_printf(
	    rq->pool, "/match/%.*s", (int)rq->seg[1].n, rq->seg[1].p);

	return (struct text){ s.p, s.n };
}
