/* This file knows how to show and store what a person prefers. */
#include "config.h"

#include "model/account.h"
#include "model/store.h"
#include "page/app.h"
#include "page/forum.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"

#define TOPICS_MAX 200 /* listed here; more can be found in the forum */

struct preferences_row {
	bool known; /* somebody to whom preferences can belong */
	bool ta_desktop, forum, sound;
	bool ta_desktop_on, forum_on, sound_on; /* as stored */
	bool bell, drop;
	struct text quiet_from, quiet_to, quiet_type, timezone;
	struct view_message quiet_error;
	struct view_list langs;
	bool any_lang;
	struct view_list topics; /* followed and muted */
};

struct told_row {
	struct text url, action, title;
	bool muted;
};

static const struct view_shape told_shape = { "told", sizeof(struct told_row),
	(const struct view_field[]){ VIEW_FIELD(struct told_row, url, VIEW_URL),
	    VIEW_FIELD(struct told_row, action, VIEW_URL),
	    VIEW_FIELD(struct told_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct told_row, muted, VIEW_FLAG), VIEW_END } };

#define P struct preferences_row
const struct view_shape preferences_shape = { "preferences", sizeof(P),
	(const struct view_field[]){ VIEW_FIELD(P, known, VIEW_FLAG),
	    VIEW_FIELD(P, ta_desktop, VIEW_FLAG),
	    VIEW_FIELD(P, forum, VIEW_FLAG), VIEW_FIELD(P, sound, VIEW_FLAG),
	    VIEW_FIELD(P, ta_desktop_on, VIEW_FLAG),
	    VIEW_FIELD(P, forum_on, VIEW_FLAG),
	    VIEW_FIELD(P, sound_on, VIEW_FLAG), VIEW_FIELD(P, bell, VIEW_FLAG),
	    VIEW_FIELD(P, drop, VIEW_FLAG),
	    VIEW_FIELD(P, quiet_from, VIEW_TEXT),
	    VIEW_FIELD(P, quiet_to, VIEW_TEXT),
	    VIEW_FIELD(P, quiet_type, VIEW_TEXT),
	    VIEW_FIELD(P, timezone, VIEW_TEXT),
	    VIEW_FIELD(P, quiet_error, VIEW_MESSAGE),
	    VIEW_FIELD_OF(P, langs, VIEW_LIST, &option_shape),
	    VIEW_FIELD(P, any_lang, VIEW_FLAG),
	    VIEW_FIELD_OF(P, topics, VIEW_LIST, &told_shape), VIEW_END } };
#undef P

struct typed { /* as it came */
	struct text from, to, lang;
};

struct store_args {
	struct voter who;
	const struct preferences *preferences;
};

static enum err read_form(struct req *, struct preferences *, struct typed *);
static void read_quiet(
    struct req *, struct preferences *, const struct typed *);
static void read_lang(struct req *, struct preferences *, const struct typed *);
static enum err show(
    struct req *, int status, const struct preferences *, const struct typed *);
static enum err list_topics(struct req *, struct view_list *);
static struct text clock_text(struct req *, int64_t minute);
static struct view_list lang_menu(struct req *, struct text chosen);
static enum err store_fn_preferences(struct store_tx *, void *);

/* GET /preferences */
enum err
pg_preferences(struct req *rq)
{
	const struct preferences *p = &rq->viewer.preferences;
	struct typed typed = { clock_text(rq, p->quiet_from),
		clock_text(rq, p->quiet_to), p->lang };
	struct text saved, tested;
	enum err e;

	if ((e = form_one(&rq->query, "saved", &saved)) != ERR_OK ||
	    (e = form_one(&rq->query, "tested", &tested)) != ERR_OK)
		return e;
	if (saved.p != NULL)
		rq->done = "done.saved";
	else if (tested.p != NULL)
		rq->done = "done.tested";
	return show(rq, 200, p, &typed);
}

/* POST /preferences: all of them at once; an absent box means off. */
enum err
pg_preferences_post(struct req *rq)
{
	struct preferences p = PREFERENCES_DEFAULT;
	struct store_args args;
	struct typed typed;
	enum err e;

	if ((e = read_form(rq, &p, &typed)) != ERR_OK)
		return e;
	if (rq->problems_n > 0)
		return show(rq, 400, &p, &typed);
	if ((e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	args = (struct store_args){ auth_voter(rq), &p };
	e = store_write(rq->site->store, store_fn_preferences, &args);
	if (e != ERR_OK)
		return e;
	return resp_see_other(rq, "/preferences?saved=1");
}

static enum err
read_switch(struct req *rq, const char *name, bool *out)
{
	struct text t;
	enum err e = form_one(&rq->form, name, &t);

	if (e == ERR_OK && form_tick(&rq->form, name, out) != ERR_OK)
		req_problem(rq, name, "problem.switch");
	return e;
}

/* A form that does not ask for the sound leaves it as it is. */
static enum err
read_chime(struct req *rq, struct preferences *p)
{
	struct text t;
	enum err e = form_word(&rq->form, "chime", &t);

	p->chime = rq->viewer.preferences.chime;
	if (e == ERR_OK && t.p != NULL &&
	    chime_parse((struct str){ t.p, t.n }, &p->chime) != ERR_OK)
		req_problem(rq, "chime", "problem.chime");
	return e;
}

static enum err
read_form(struct req *rq, struct preferences *p, struct typed *t)
{
	enum err e;

	if ((e = read_switch(rq, "ta_desktop", &p->ta_desktop)) != ERR_OK ||
	    (e = read_switch(rq, "forum", &p->forum)) != ERR_OK ||
	    (e = read_switch(rq, "sound", &p->sound)) != ERR_OK ||
	    (e = form_word(&rq->form, "quiet_from", &t->from)) != ERR_OK ||
	    (e = form_word(&rq->form, "quiet_to", &t->to)) != ERR_OK ||
	    (e = form_word(&rq->form, "lang", &t->lang)) != ERR_OK ||
	    (e = read_chime(rq, p)) != ERR_OK)
		return e;
	read_quiet(rq, p, t);
	read_lang(rq, p, t);
	return ERR_OK;
}

static void
read_quiet(struct req *rq, struct preferences *p, const struct typed *t)
{
	if (t->from.p == NULL && t->to.p == NULL)
		return;
	if (t->from.p != NULL && form_minute(t->from, &p->quiet_from))
		req_problem(rq, "quiet_from", "problem.quiet");
	else if (t->to.p != NULL && form_minute(t->to, &p->quiet_to))
		req_problem(rq, "quiet_to", "problem.quiet");
	else if (t->from.p == NULL)
		req_problem(rq, "quiet_from", "problem.quiet_both");
	else if (t->to.p == NULL)
		req_problem(rq, "quiet_to", "problem.quiet_both");
	else if (p->quiet_from == p->quiet_to)
		req_problem(rq, "quiet_from", "problem.quiet_same");
}

static void
read_lang(struct req *rq, struct preferences *p, const struct typed *t)
{
	if (t->lang.p == NULL)
		return;
	for (size_t i = 0; rq->app->langs[i] != NULL; i++) {
		if (option_is(t->lang, text_of(rq->app->langs[i]))) {
			p->lang = t->lang;
			return;
		}
	}
	req_problem(rq, "lang", "problem.lang");
}

static enum err
show(struct req *rq, int status, const struct preferences *p,
    const struct typed *t)
{
	const struct preferences *stored = &rq->viewer.preferences;
	struct preferences_row row = { .known =
					   rq->viewer.kind != VIEWER_NOBODY,
		.ta_desktop = p->ta_desktop,
		.forum = p->forum,
		.sound = p->sound,
		.ta_desktop_on = stored->ta_desktop,
		.forum_on = stored->forum,
		.sound_on = stored->sound,
		.bell = p->chime == CHIME_BELL,
		.drop = p->chime == CHIME_DROP,
		.quiet_from = t->from,
		.quiet_to = t->to,
		.quiet_type = TEXT("time"),
		.timezone = rq->conf->timezone,
		.quiet_error = view_say(NULL),
		.langs = lang_menu(rq, t->lang),
		.any_lang = t->lang.p == NULL };
	enum err e;

	/* A clock widget would hide what was typed into it. */
	for (size_t i = 0; i < rq->problems_n; i++) {
		if (str_starts(str_of(rq->problems[i].field), "quiet_")) {
			row.quiet_error = view_say(rq->problems[i].what);
			row.quiet_type = TEXT("text");
		}
	}
	if ((e = list_topics(rq, &row.topics)) != ERR_OK)
		return e;
	return resp_page_status(rq, status, PAGE_PREFERENCES, &row);
}

/* What is told, or not, beyond the switches. */
static enum err
list_topics(struct req *rq, struct view_list *out)
{
	struct forum_viewer v = forum_viewer(rq);
	const struct forum_topic *topics = NULL;
	struct told_row *rows;
	size_t n = 0;
	enum err e;

	if (rq->viewer.account == 0)
		return ERR_OK;
	e = forum_followed(rq->db, rq->pool, &v, TOPICS_MAX, &topics, &n);
	if (e != ERR_OK)
		return e;
	rows = pool_array(rq->pool, n + 1, sizeof(*rows));
	if (rows == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct told_row){ forum_url(
						 rq, topics[i].token, "%s", ""),
			forum_url(rq, topics[i].token, "/set"), topics[i].title,
			topics[i].following == FORUM_MUTE };
	*out = view_list(rows, n);
	return ERR_OK;
}

static struct text
clock_text(struct req *rq, int64_t minute)
{
	struct str s = { NULL, 0 };

	if (minute != ACCOUNT_NO_MINUTE)
		s = pool_printf(rq->pool, "%02d:%02d", (int)(minute / 60),
		    (int)(minute % 60));
	return (struct text){ s.p, s.n };
}

/* A choice of one is no choice. */
static struct view_list
lang_menu(struct req *rq, struct text chosen)
{
	struct text *codes;
	size_t n = 0;

	while (rq->app->langs[n] != NULL)
		n++;
	if (n < 2 || (codes = pool_array(rq->pool, n, sizeof(*codes))) == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++)
		codes[i] = text_of(rq->app->langs[i]);
	return options_langs(rq->pool, codes, n, chosen);
}

static enum err
store_fn_preferences(struct store_tx *tx, void *arg)
{
	struct store_args *a = arg;
	enum err e = preferences_store(tx, a->who.account, a->preferences);

	return e == ERR_OK ? account_note_groups(tx, &a->who) : e;
}
