/* This file knows how to ask what to compare, and to start a match. */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/activity.h"
#include "model/catalog.h"
#include "model/deck.h"
#include "model/match.h"
#include "model/store.h"
#include "model/works.h"
#include "page/app.h"
#include "page/board_query.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"
#include "view/lang.h"

#define OWN_LEAST 10 /* characters */
#define HEADING_TOP 3

struct arena_wish { /* as typed; absent: no wish */
	struct text type, lang, activity, question;
};

struct arena_row {
	struct view_list types, langs, activities;
	bool any_lang, has_open;
	bool exhausted, narrowed; /* everything seen; of a narrower wish */
	bool empty;               /* nothing to compare at all */
	bool closed;              /* that activity takes no votes now */
	bool busy;                /* no pair is ready, none is written now */
	bool away;                /* since the model server does not answer */
	bool own_busy;            /* the same of a question of one's own */
	bool own;                 /* questions of one's own are taken */
	int64_t own_chars;        /* their length */
	struct text question;     /* as typed */
	struct view_message question_error;
	int64_t opens, closes;
};

const struct view_shape arena_shape = { "arena", sizeof(struct arena_row),
	(const struct view_field[]){
	    VIEW_FIELD_OF(struct arena_row, types, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(struct arena_row, langs, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(
		struct arena_row, activities, VIEW_LIST, &option_shape),
	    VIEW_FIELD(struct arena_row, any_lang, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, has_open, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, exhausted, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, narrowed, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, empty, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, closed, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, busy, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, away, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, own_busy, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, own, VIEW_FLAG),
	    VIEW_FIELD(struct arena_row, own_chars, VIEW_INT),
	    VIEW_FIELD(struct arena_row, question, VIEW_TEXT),
	    VIEW_FIELD(struct arena_row, question_error, VIEW_MESSAGE),
	    VIEW_FIELD(struct arena_row, opens, VIEW_TIME),
	    VIEW_FIELD(struct arena_row, closes, VIEW_TIME), VIEW_END } };

struct open_args {
	const struct deck *deck;
	const struct conf *conf;
	struct match_request request;
	struct match_opened opened;
};

static enum err read_wish(const struct form *, struct arena_wish *);
static void check_wish(
    struct req *, const struct deck *, const struct arena_wish *);
static void check_question(struct req *, struct text);
static enum err show(struct req *, int status, const struct deck *,
    const struct arena_wish *, struct arena_row *);
static enum err open_match(
    struct req *, const struct deck *, const struct arena_wish *);
static const bool *languages_read(struct req *rq, const struct deck *deck);
static enum err open_fn(struct store_tx *, void *);
static enum err show_closed(
    struct req *, const struct deck *, const struct arena_wish *);
static struct view_list lang_menu(
    struct req *, const struct deck *, struct text chosen);
static struct view_list activity_menu(
    struct req *, const struct deck *, struct text chosen);

/* GET /arena */
enum err
pg_arena(struct req *rq)
{
	struct arena_row row = { 0 };
	struct arena_wish wish;
	struct text skipped;
	struct deck *deck;
	enum err e;

	if ((e = read_wish(&rq->query, &wish)) != ERR_OK ||
	    (e = form_one(&rq->query, "skipped", &skipped)) != ERR_OK)
		return e;
	if (skipped.p != NULL)
		rq->done = "done.skipped";
	deck = deck_get(&rq->site->decks);
	e = show(rq, 200, deck, &wish, &row);
	deck_put(deck);
	return e;
}

/* POST /arena */
enum err
pg_arena_post(struct req *rq)
{
	struct arena_row row = { 0 };
	struct arena_wish wish;
	struct deck *deck;
	enum err e;

	if ((e = read_wish(&rq->form, &wish)) != ERR_OK)
		return e;
	deck = deck_get(&rq->site->decks);
	check_wish(rq, deck, &wish);
	if (rq->problems_n > 0)
		e = show(rq, 400, deck, &wish, &row);
	else if ((e = auth_ensure_account(rq)) == ERR_OK)
		e = open_match(rq, deck, &wish);
	deck_put(deck);
	return e;
}

static enum err
read_wish(const struct form *f, struct arena_wish *w)
{
	enum err e;

	if ((e = form_word(f, "type", &w->type)) != ERR_OK ||
	    (e = form_word(f, "lang", &w->lang)) != ERR_OK ||
	    (e = form_word(f, "activity", &w->activity)) != ERR_OK)
		return e;
	return form_word(f, "question", &w->question);
}

static void
check_wish(struct req *rq, const struct deck *deck, const struct arena_wish *w)
{
	bool known = w->type.p == NULL || option_is(w->type, TEXT("any"));

	for (size_t i = 0; !known && catalog_types[i] != NULL; i++)
		known = option_is(w->type, text_of(catalog_types[i]));
	if (!known)
		req_problem(rq, "type-any", "problem.type");
	if (w->lang.p != NULL && deck_lang(deck, w->lang) == NULL)
		req_problem(rq, "lang", "problem.lang");
	if (w->activity.p != NULL && deck_activity(deck, w->activity) == NULL)
		req_problem(rq, "activity", "problem.activity");
	check_question(rq, w->question);
}

/* One's own question: allowed, and of some length. */
static void
check_question(struct req *rq, struct text question)
{
	if (question.p == NULL)
		return;
	if (!rq->conf->own_questions || rq->site->works == NULL)
		req_problem(rq, "type-any", "problem.question");
	else if (text_chars(question) > (size_t)rq->conf->own_max_chars)
		req_problem(rq, "question", "problem.question_long");
	else if (text_chars(question) < OWN_LEAST)
		req_problem(rq, "question", "problem.question_short");
}

static enum err
open_match(
    struct req *rq, const struct deck *deck, const struct arena_wish *wish)
{
	struct works_ask makes = { rq->site->works, rq->conf };
	struct open_args args = { .deck = deck,
		.conf = rq->conf,
		.request = { .who = auth_voter(rq),
		    .standing = board_snapshot_now(rq),
		    .type = wish->type,
		    .lang = wish->lang,
		    .reads = languages_read(rq, deck),
		    .activity = wish->activity,
		    .question = wish->question,
		    .question_asks =
			wish->question.p != NULL &&
			works_asks_identity(rq->site->works, wish->question),
		    .makes = works_makes,
		    .ctx = &makes } };
	struct arena_row row = { 0 };
	enum err e = ERR_OK;

	if (wish->question.p != NULL)
		e = markdown_render(rq->pool, wish->question, HEADING_TOP,
		    &args.request.question_html, NULL);
	if (e == ERR_OK)
		e = store_write(rq->site->store, open_fn, &args);
	if (e == ERR_OK && args.opened.waits)
		works_wake(rq->site->works);

	switch (e) {
	case ERR_OK:
		return resp_see_other(rq, "/match/%s", args.opened.token);
	case ERR_LIMIT:
		row.busy = wish->question.p == NULL;
		row.own_busy = wish->question.p != NULL;
		return show(rq, 429, deck, wish, &row);
	case ERR_INVALID: /* a type that exists, without a question */
	case ERR_NOTFOUND:
		if (wish->question.p != NULL) {
			row.own_busy = true;
			return show(rq, 503, deck, wish, &row);
		}
		if (args.opened.away) {
			row.away = true;
			return show(rq, 503, deck, wish, &row);
		}
		row.exhausted = true;
		row.narrowed = wish->lang.p != NULL ||
			       args.request.reads != NULL ||
			       (wish->type.p != NULL &&
				   !option_is(wish->type, TEXT("any")));
		return show(rq, 200, deck, wish, &row);
	case ERR_DENIED:
		req_problem(rq, "activity", "problem.activity");
		return show(rq, 403, deck, wish, &row);
	case ERR_CLOSED:
		return show_closed(rq, deck, wish);
	default:
		return e;
	}
}

/*
 * Nobody is asked to judge what they cannot read: unless a language was
 * chosen, questions come in those the browser asks for, else in the site's
 * own.  NULL: in any.
 */
static const bool *
languages_read(struct req *rq, const struct deck *deck)
{
	const struct str accept = req_param(rq, "HTTP_ACCEPT_LANGUAGE");
	const char **names =
	    pool_array(rq->pool, deck->langs_n + 1, sizeof(*names));
	bool *reads = pool_array(rq->pool, deck->langs_n + 1, sizeof(*reads));

	if (accept.p == NULL || names == NULL || reads == NULL)
		return NULL;
	for (size_t i = 0; i < deck->langs_n; i++)
		names[i] = deck->langs[i].name.p;
	if (lang_read(names, deck->langs_n, accept, reads) ||
	    lang_read(names, deck->langs_n, str_of(rq->conf->lang.p), reads))
		return reads;
	return NULL;
}

static enum err
open_fn(struct store_tx *tx, void *arg)
{
	struct open_args *a = arg;

	return match_open(tx, a->deck, a->conf, &a->request, &a->opened);
}

static enum err
show_closed(
    struct req *rq, const struct deck *deck, const struct arena_wish *wish)
{
	struct arena_row row = { .closed = true };
	const struct deck_activity *a = NULL;

	if (wish->activity.p != NULL)
		a = deck_activity(deck, wish->activity);
	else if (deck->activities_n > 0)
		a = &deck->activities[0];
	if (a != NULL) {
		row.opens = a->activity.opens;
		row.closes = a->activity.closes;
	}
	return show(rq, 409, deck, wish, &row);
}

static enum err
show(struct req *rq, int status, const struct deck *deck,
    const struct arena_wish *wish, struct arena_row *row)
{
	struct text token;
	struct text type = wish->type.p != NULL ? wish->type : TEXT("any");

	row->types = options_types(rq->pool, type);
	row->langs = lang_menu(rq, deck, wish->lang);
	row->any_lang = wish->lang.p == NULL;
	row->activities = activity_menu(rq, deck, wish->activity);
	row->own = rq->conf->own_questions && rq->site->works != NULL;
	row->own_chars = rq->conf->own_max_chars;
	row->question = wish->question;
	row->question_error = view_say(NULL);
	for (size_t i = 0; i < rq->problems_n; i++) {
		if (strcmp(rq->problems[i].field, "question") == 0)
			row->question_error = view_say(rq->problems[i].what);
	}
	if (deck->questions_n == 0 || deck->versions_n < 2) {
		row->empty = true;
		row->exhausted = false;
	}
	if (rq->viewer.account != 0)
		row->has_open =
		    match_current(rq->db, rq->pool, rq->viewer.account, rq->now,
			&token) == ERR_OK;
	return resp_page_status(rq, status, PAGE_ARENA, row);
}

/* A choice of one is no choice. */
static struct view_list
lang_menu(struct req *rq, const struct deck *deck, struct text chosen)
{
	struct text *codes;

	if (deck->langs_n < 2)
		return view_list(NULL, 0);
	codes = pool_array(rq->pool, deck->langs_n, sizeof(*codes));
	if (codes == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < deck->langs_n; i++)
		codes[i] = deck->langs[i].name;
	return options_langs(rq->pool, codes, deck->langs_n, chosen);
}

static struct view_list
activity_menu(struct req *rq, const struct deck *deck, struct text chosen)
{
	struct voter who = auth_voter(rq);
	struct option_row *rows =
	    pool_array(rq->pool, deck->activities_n + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; rows != NULL && i < deck->activities_n; i++) {
		const struct activity *a = &deck->activities[i].activity;

		if (a->retired || !activity_is_for(a, &who) ||
		    activity_phase(a, rq->now) != ACTIVITY_OPEN)
			continue;
		rows[n++] = (struct option_row){ .value = a->slug,
			.name = a->title,
			.label = view_say(NULL),
			.hint = view_say(NULL),
			.selected = option_is(a->slug, chosen) };
	}
	return n < 2 ? view_list(NULL, 0) : view_list(rows, n);
}
