/* This file knows how to take posts, changes of them, and what moderates. */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/store.h"
#include "page/app.h"
#include "page/forum.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/req.h"
#include "port/markdown.h"

struct new_row {
	struct text room, room_title, match, title, text, form, cancel;
	struct view_message title_error, text_error;
	struct markup question, answer_a, answer_b;
	bool pair, follow_ticked;
	int64_t title_max;
};

#define N struct new_row
const struct view_shape forum_new_shape = { "forum-new", sizeof(N),
	(const struct view_field[]){ VIEW_FIELD(N, room, VIEW_TEXT),
	    VIEW_FIELD(N, room_title, VIEW_TEXT),
	    VIEW_FIELD(N, match, VIEW_TEXT), VIEW_FIELD(N, title, VIEW_TEXT),
	    VIEW_FIELD(N, text, VIEW_TEXT), VIEW_FIELD(N, form, VIEW_TEXT),
	    VIEW_FIELD(N, cancel, VIEW_URL),
	    VIEW_FIELD(N, title_error, VIEW_MESSAGE),
	    VIEW_FIELD(N, text_error, VIEW_MESSAGE),
	    VIEW_FIELD(N, question, VIEW_MARKUP),
	    VIEW_FIELD(N, answer_a, VIEW_MARKUP),
	    VIEW_FIELD(N, answer_b, VIEW_MARKUP),
	    VIEW_FIELD(N, pair, VIEW_FLAG),
	    VIEW_FIELD(N, follow_ticked, VIEW_FLAG),
	    VIEW_FIELD(N, title_max, VIEW_INT), VIEW_END } };
#undef N

struct edit_row {
	struct text title, action, new_title, text, cancel, was;
	struct text now_title;  /* what another tab has saved meanwhile */
	struct markup now_html; /* absent: none has */
	struct view_message title_error, text_error;
	int64_t number, title_max;
	bool titled; /* message 1: its topic's title can be changed as well */
	bool kept;   /* only to be copied: it cannot be saved */
};

#define E struct edit_row
const struct view_shape forum_edit_shape = { "forum-edit", sizeof(E),
	(const struct view_field[]){ VIEW_FIELD(E, title, VIEW_TEXT),
	    VIEW_FIELD(E, action, VIEW_URL), VIEW_FIELD(E, text, VIEW_TEXT),
	    VIEW_FIELD(E, cancel, VIEW_URL),
	    VIEW_FIELD(E, new_title, VIEW_TEXT), VIEW_FIELD(E, was, VIEW_TEXT),
	    VIEW_FIELD(E, now_title, VIEW_TEXT),
	    VIEW_FIELD(E, now_html, VIEW_MARKUP),
	    VIEW_FIELD(E, title_error, VIEW_MESSAGE),
	    VIEW_FIELD(E, text_error, VIEW_MESSAGE),
	    VIEW_FIELD(E, title_max, VIEW_INT),
	    VIEW_FIELD(E, titled, VIEW_FLAG), VIEW_FIELD(E, number, VIEW_INT),
	    VIEW_FIELD(E, kept, VIEW_FLAG), VIEW_END } };
#undef E

struct new_place { /* where a new topic goes */
	struct forum_room room;
	struct forum_pair pair;
	int64_t match;
	struct text match_token;
	struct text topic; /* of that match, when it has one already */
};

struct follow_args {
	struct voter who;
	int64_t topic;
	enum forum_following how;
};

static enum err find_place(struct req *, const struct form *,
    const struct forum_viewer *, struct new_place *);
static enum err show_new(struct req *, int status, const struct new_place *,
    const struct forum_typed *);
static enum err show_edit(struct req *, int status, const struct forum_topic *,
    int64_t number, const struct forum_typed *, bool kept);
static void fill_edit(struct req *, const struct forum_topic *, int64_t number,
    const struct forum_typed *, struct edit_row *);
static enum err show_outrun(struct req *, const struct forum_viewer *,
    int64_t number, const struct forum_typed *);
static const char *why_closed(struct req *, const struct forum_viewer *,
    struct forum_topic *, int64_t number);
static enum err refused(struct req *, enum err, const char *closed);
static enum err start_fn(struct store_tx *, void *);
static enum err reply_fn(struct store_tx *, void *);
static enum err change_fn(struct store_tx *, void *);
static enum err follow_fn(struct store_tx *, void *);
static struct view_message problem_of(const struct req *, const char *field);

/* GET /forum/new?activity=SLUG or ?match=TOKEN */
enum err
pg_forum_new(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_typed typed = { .follow = rq->viewer.preferences.forum };
	struct new_place place;
	enum err e = find_place(rq, &rq->query, &v, &place);

	/* Which forum?  The list of them asks the same. */
	if (e == ERR_NOTFOUND && rq->query.n == 0)
		return resp_see_other(rq, "/forum");
	if (e != ERR_OK)
		return e;
	if (place.topic.p != NULL)
		return resp_see_other(
		    rq, "/forum/%.*s", (int)place.topic.n, place.topic.p);
	if (place.match != 0)
		typed.title = markdown_lead(
		    rq->pool, place.pair.question, FORUM_TITLE_CHARS - 1, true);
	return show_new(rq, 200, &place, &typed);
}

/* POST /forum/new */
enum err
pg_forum_new_post(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_typed typed;
	struct new_place place;
	struct forum_new n;
	enum err e;

	if ((e = find_place(rq, &rq->form, &v, &place)) != ERR_OK ||
	    (e = forum_read_typed(rq, true, &typed)) != ERR_OK)
		return e;
	if (place.topic.p != NULL)
		return resp_see_other(
		    rq, "/forum/%.*s", (int)place.topic.n, place.topic.p);
	if (rq->problems_n > 0)
		return show_new(rq, 400, &place, &typed);
	if ((e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	n = (struct forum_new){ .who = auth_voter(rq),
		.conf = rq->conf,
		.room = place.room.slug,
		.title = typed.title,
		.match = place.match,
		.teacher = v.teacher,
		.follow = typed.follow,
		.words = { typed.text, typed.html, typed.form } };
	e = store_write(rq->site->store, start_fn, &n);
	if (e == ERR_CONFLICT && place.match != 0) {
		/* Another tab was faster: that topic is as good. */
		e = find_place(rq, &rq->form, &v, &place);
		if (e == ERR_OK && place.topic.p != NULL)
			return resp_see_other(rq, "/forum/%.*s",
			    (int)place.topic.n, place.topic.p);
	}
	if (e != ERR_OK)
		return refused(rq, e, "problem.topic_retired") == ERR_OK
			   ? show_new(
				 rq, e == ERR_LIMIT ? 429 : 403, &place, &typed)
			   : e;
	forum_tell_all(rq->site->store);
	return resp_see_other(rq, "/forum/%s", n.token);
}

/* POST /forum/TOKEN: a reply, or entering a discussion of two answers. */
enum err
pg_topic_post(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_typed typed;
	struct forum_topic t;
	struct forum_new n;
	struct text verb;
	const char *closed = NULL;
	enum err e;

	if ((e = forum_topic_of(rq, &v, &t)) != ERR_OK ||
	    (e = form_word(&rq->form, "do", &verb)) != ERR_OK)
		return e;
	if (str_is((struct str){ verb.p, verb.n }, "enter")) {
		if ((e = auth_ensure_account(rq)) != ERR_OK)
			return e;
		return resp_see_other(
		    rq, "/forum/%.*s", (int)t.token.n, t.token.p);
	}
	if ((e = forum_read_typed(rq, false, &typed)) != ERR_OK)
		return e;
	if (rq->problems_n > 0)
		return forum_show_topic(
		    rq, 400, &v, &t, forum_page_of(t.posts), &typed);
	if ((e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	n = (struct forum_new){ .who = auth_voter(rq),
		.conf = rq->conf,
		.topic = t.token,
		.teacher = v.teacher,
		.follow = typed.follow,
		.words = { typed.text, typed.html, typed.form } };
	e = store_write(rq->site->store, reply_fn, &n);
	if (e == ERR_CLOSED)
		closed = why_closed(rq, &v, &t, 0);
	if (e != ERR_OK)
		return refused(rq, e, closed) == ERR_OK
			   ? forum_show_topic(rq, e == ERR_LIMIT ? 429 : 403,
				 &v, &t, forum_page_of(t.posts), &typed)
			   : e;
	forum_tell_all(rq->site->store);
	return resp_see_other(rq, "/forum/%.*s?page=%lld#p%lld", (int)t.token.n,
	    t.token.p, (long long)forum_page_of(n.number), (long long)n.number);
}

/* GET /forum/TOKEN/N/edit */
enum err
pg_post_edit(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_typed typed;
	struct forum_topic t;
	struct forum_post p;
	const char *closed;
	enum err e;

	if ((e = forum_post_of(rq, &v, &t, &p)) != ERR_OK)
		return e;
	if (!p.mine)
		return ERR_DENIED;
	closed = why_closed(rq, &v, &t, p.number);
	if (closed != NULL)
		req_problem(rq, "text", closed);
	typed = (struct forum_typed){
		.title = t.title, .text = p.source, .version = p.version
	};
	return show_edit(rq, closed != NULL ? 403 : 200, &t, p.number, &typed,
	    closed != NULL);
}

/* POST /forum/TOKEN/N/edit */
enum err
pg_post_edit_post(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_change c = { .verb = FORUM_DO_EDIT,
		.account = rq->viewer.account,
		.teacher = v.teacher };
	struct forum_typed typed;
	struct forum_topic t;
	struct forum_post p;
	const char *closed = NULL;
	enum err e;

	if ((e = forum_topic_of(rq, &v, &t)) != ERR_OK ||
	    (e = req_number(rq, 2, &c.number)) != ERR_OK ||
	    (e = forum_read_typed(rq, c.number == 1, &typed)) != ERR_OK)
		return e;
	if (rq->problems_n > 0) {
		/* What is wrong with a text only its writer is told. */
		if ((e = forum_post_of(rq, &v, &t, &p)) != ERR_OK)
			return e;
		return p.mine ? show_edit(rq, 400, &t, c.number, &typed, false)
			      : ERR_DENIED;
	}
	c.topic = t.id;
	if (c.number == 1)
		c.title = typed.title;
	c.words = (struct forum_words){ typed.text, typed.html, typed.form };
	c.version = typed.version;
	e = store_write(rq->site->store, change_fn, &c);
	if (e == ERR_CONFLICT)
		return show_outrun(rq, &v, c.number, &typed);
	if (e == ERR_CLOSED)
		closed = why_closed(rq, &v, &t, c.number);
	if (e != ERR_OK)
		return refused(rq, e, closed) == ERR_OK
			   ? show_edit(
				 rq, 403, &t, c.number, &typed, closed != NULL)
			   : e;
	return resp_see_other(rq, "/forum/%.*s/%lld", (int)t.token.n, t.token.p,
	    (long long)c.number);
}

/* POST /forum/TOKEN/N: delete, hide, show. */
enum err
pg_post_post(struct req *rq)
{
	static const struct {
		const char *word;
		enum forum_verb verb;
	} verbs[] = { { "delete", FORUM_DO_DELETE }, { "hide", FORUM_DO_HIDE },
		{ "show", FORUM_DO_SHOW } };
	struct forum_viewer v = forum_viewer(rq);
	struct forum_change c = { .account = rq->viewer.account,
		.teacher = v.teacher };
	struct forum_topic t;
	struct text verb;
	bool known = false;
	enum err e;

	if ((e = forum_topic_of(rq, &v, &t)) != ERR_OK ||
	    (e = req_number(rq, 2, &c.number)) != ERR_OK ||
	    (e = form_word(&rq->form, "do", &verb)) != ERR_OK)
		return e;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (str_is((struct str){ verb.p, verb.n }, verbs[i].word)) {
			c.verb = verbs[i].verb;
			known = true;
		}
	}
	if (!known)
		return ERR_INVALID;
	c.topic = t.id;
	if ((e = store_write(rq->site->store, change_fn, &c)) != ERR_OK)
		return e;
	return resp_see_other(rq, "/forum/%.*s/%lld", (int)t.token.n, t.token.p,
	    (long long)c.number);
}

static const struct {
	const char *word;
	enum forum_verb verb;
} topic_verbs[] = { { "pin", FORUM_DO_PIN }, { "unpin", FORUM_DO_UNPIN },
	{ "lock", FORUM_DO_LOCK }, { "unlock", FORUM_DO_UNLOCK },
	{ "hide", FORUM_DO_HIDE_TOPIC }, { "show", FORUM_DO_SHOW_TOPIC } };

static const struct {
	const char *word;
	enum forum_following how;
} follow_verbs[] = { { "follow", FORUM_FOLLOW }, { "mute", FORUM_MUTE },
	{ "plain", FORUM_PLAIN } };

/* POST /forum/TOKEN/set: follow or mute it; teachers pin, lock, hide. */
enum err
pg_topic_set(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_change c = { .teacher = v.teacher };
	struct follow_args follow;
	struct forum_topic t;
	struct text verb, back;
	struct str word;
	enum err e;

	if ((e = forum_topic_of(rq, &v, &t)) != ERR_OK ||
	    (e = form_word(&rq->form, "do", &verb)) != ERR_OK ||
	    (e = form_word(&rq->form, "back", &back)) != ERR_OK ||
	    (e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	word = (struct str){ verb.p, verb.n };
	e = ERR_INVALID;
	for (size_t i = 0; i < sizeof(follow_verbs) / sizeof(*follow_verbs);
	     i++) {
		if (!str_is(word, follow_verbs[i].word))
			continue;
		follow = (struct follow_args){ auth_voter(rq), t.id,
			follow_verbs[i].how };
		e = store_write(rq->site->store, follow_fn, &follow);
	}
	for (size_t i = 0; i < sizeof(topic_verbs) / sizeof(*topic_verbs);
	     i++) {
		if (!str_is(word, topic_verbs[i].word))
			continue;
		c.verb = topic_verbs[i].verb;
		c.topic = t.id;
		c.account = rq->viewer.account;
		e = store_write(rq->site->store, change_fn, &c);
	}
	if (e != ERR_OK)
		return e;
	if (str_is((struct str){ back.p, back.n }, "preferences"))
		return resp_see_other(rq, "/preferences");
	return resp_see_other(rq, "/forum/%.*s", (int)t.token.n, t.token.p);
}

enum err
forum_read_typed(struct req *rq, bool with_title, struct forum_typed *out)
{
	struct forum_typed t = { 0 };
	struct text raw;
	bool tick = false;
	enum err e;

	if ((e = form_word(&rq->form, "title", &t.title)) != ERR_OK ||
	    (e = form_one(&rq->form, "text", &raw)) != ERR_OK ||
	    (e = form_word(&rq->form, "form", &t.form)) != ERR_OK ||
	    (e = form_word(&rq->form, "version", &t.version)) != ERR_OK ||
	    (e = form_tick(&rq->form, "follow", &tick)) != ERR_OK)
		return e;
	t.follow = tick;
	t.text = raw.p != NULL ? raw : TEXT("");
	if (t.form.p == NULL || t.form.n > 64)
		t.form = forum_form_token(rq);
	if (with_title) {
		if (t.title.p == NULL)
			req_problem(rq, "title", "problem.title_empty");
		else if (text_chars(t.title) > FORUM_TITLE_CHARS ||
			 memchr(t.title.p, '\n', t.title.n) != NULL)
			req_problem(rq, "title", "problem.title_long");
	}
	if (text_is_blank(t.text))
		req_problem(rq, "text", "problem.post_empty");
	else if ((int64_t)text_chars(t.text) > rq->conf->post_chars)
		req_problem(rq, "text", "problem.post_long");
	else if ((e = forum_render(rq->pool, t.text, &t.html)) != ERR_OK) {
		if (e != ERR_TOOBIG)
			return e;
		req_problem(rq, "text", "problem.post_long");
	}
	*out = t;
	return ERR_OK;
}

/* Nobody has named an activity: the one that is open.  ERR_NOTFOUND: not one.
 */
static enum err
only_room(struct req *rq, const struct forum_viewer *v, struct text *slug)
{
	const struct forum_room *rooms;
	size_t n;
	enum err e = forum_rooms(rq->db, rq->pool, v, &rooms, &n);

	/* Retired ones come last. */
	if (e != ERR_OK)
		return e;
	if (n == 0 || rooms[0].retired || (n > 1 && !rooms[1].retired))
		return ERR_NOTFOUND;
	*slug = rooms[0].slug;
	return ERR_OK;
}

/* From the query of a link, or from the form that it led to. */
static enum err
find_place(struct req *rq, const struct form *f, const struct forum_viewer *v,
    struct new_place *p)
{
	struct text slug;
	enum err e;

	*p = (struct new_place){ 0 };
	if ((e = form_word(f, "activity", &slug)) != ERR_OK ||
	    (e = form_word(f, "match", &p->match_token)) != ERR_OK)
		return e;
	if (p->match_token.p != NULL) {
		if (v->who.account == 0)
			return ERR_NOTFOUND;
		e = forum_match_find(rq->db, rq->pool, p->match_token,
		    v->who.account, &p->match, &slug, &p->topic);
		if (e == ERR_DENIED)
			rq->reason = "no_vote";
		if (e != ERR_OK)
			return e;
		e = forum_pair_load(
		    rq->db, rq->pool, p->match, v->who.account, &p->pair);
		if (e != ERR_OK)
			return e;
	}
	if (slug.p == NULL && (e = only_room(rq, v, &slug)) != ERR_OK)
		return e;
	e = forum_room_find(rq->db, rq->pool, v, slug, &p->room);
	if (e == ERR_OK && p->room.retired && p->topic.p == NULL)
		return ERR_CLOSED;
	return e;
}

static enum err
show_new(struct req *rq, int status, const struct new_place *p,
    const struct forum_typed *typed)
{
	struct str url = p->match != 0
			     ? pool_printf(rq->pool, "/match/%.*s/result",
				   (int)p->match_token.n, p->match_token.p)
			     : pool_printf(rq->pool, "/forum?activity=%.*s",
				   (int)p->room.slug.n, p->room.slug.p);
	struct new_row row = { .room = p->room.slug,
		.room_title = p->room.title,
		.match = p->match_token,
		.title = typed->title,
		.text = typed->text,
		.form = typed->form.n > 0 ? typed->form : forum_form_token(rq),
		.cancel = { url.p, url.n },
		.title_error = problem_of(rq, "title"),
		.text_error = problem_of(rq, "text"),
		.question = p->pair.question,
		.answer_a = p->pair.a,
		.answer_b = p->pair.b,
		.pair = p->match != 0,
		.follow_ticked = typed->follow,
		.title_max = FORUM_TITLE_CHARS };

	return resp_page_status(rq, status, PAGE_FORUM_NEW, &row);
}

static enum err
show_edit(struct req *rq, int status, const struct forum_topic *t,
    int64_t number, const struct forum_typed *typed, bool kept)
{
	struct edit_row row;

	fill_edit(rq, t, number, typed, &row);
	row.kept = kept;
	return resp_page_status(rq, status, PAGE_FORUM_EDIT, &row);
}

/*
 * Another tab has saved meanwhile: what it saved is shown beside what was
 * typed here, and who saves this again has seen both.
 */
static enum err
show_outrun(struct req *rq, const struct forum_viewer *v, int64_t number,
    const struct forum_typed *typed)
{
	struct forum_typed next = *typed;
	struct forum_topic t;
	struct forum_post p;
	struct edit_row row;
	enum err e;

	if ((e = forum_post_of(rq, v, &t, &p)) != ERR_OK)
		return e;
	req_problem(rq, "text", "problem.post_changed");
	next.version = p.version;
	fill_edit(rq, &t, number, &next, &row);
	row.now_html = p.html;
	if (number == 1)
		row.now_title = t.title;
	return resp_page_status(rq, 409, PAGE_FORUM_EDIT, &row);
}

static void
fill_edit(struct req *rq, const struct forum_topic *t, int64_t number,
    const struct forum_typed *typed, struct edit_row *row)
{
	*row = (struct edit_row){ .title = t->title,
		.action =
		    forum_url(rq, t->token, "/%lld/edit", (long long)number),
		.cancel = forum_url(rq, t->token, "/%lld", (long long)number),
		.new_title = typed->title,
		.text = typed->text,
		.was = typed->version,
		.title_error = problem_of(rq, "title"),
		.text_error = problem_of(rq, "text"),
		.title_max = FORUM_TITLE_CHARS,
		.titled = number == 1,
		.number = number };
}

/*
 * Why nothing can be written in a topic, or why a message in it (0: none)
 * cannot be changed.  *t is read anew: it may have been closed meanwhile.
 * NULL: no reason is left.
 */
static const char *
why_closed(struct req *rq, const struct forum_viewer *v, struct forum_topic *t,
    int64_t number)
{
	struct forum_post p;
	enum err e;

	if (forum_topic_of(rq, v, t) != ERR_OK)
		return NULL;
	if (t->retired)
		return "problem.topic_retired";
	if (t->locked && !v->teacher)
		return "problem.topic_locked";
	if (number == 0)
		return t->left == 0 ? "problem.topic_deleted" : NULL;
	e = forum_post_load(rq->db, rq->pool, v, t, number, &p);
	if (e == ERR_NOTFOUND)
		return "problem.post_deleted";
	return e == ERR_OK && p.state == FORUM_HIDDEN ? "problem.post_hidden"
						      : NULL;
}

/* What can be said beside the text that was typed, so that it is kept. */
static enum err
refused(struct req *rq, enum err e, const char *closed)
{
	if (e == ERR_LIMIT)
		req_problem(rq, "text", "problem.post_often");
	else if (e == ERR_CLOSED && closed != NULL)
		req_problem(rq, "text", closed);
	else if (e == ERR_FULL || e == ERR_BUSY || e == ERR_IO)
		req_problem(rq, "text", "problem.not_stored");
	else
		return e;
	return ERR_OK;
}

static enum err
start_fn(struct store_tx *tx, void *arg)
{
	struct forum_new *n = arg;
	enum err e = account_note_groups(tx, &n->who);

	return e == ERR_OK ? forum_start(tx, n) : e;
}

static enum err
reply_fn(struct store_tx *tx, void *arg)
{
	struct forum_new *n = arg;
	enum err e = account_note_groups(tx, &n->who);

	return e == ERR_OK ? forum_reply(tx, n) : e;
}

static enum err
change_fn(struct store_tx *tx, void *arg)
{
	return forum_change(tx, arg);
}

static enum err
follow_fn(struct store_tx *tx, void *arg)
{
	struct follow_args *a = arg;
	enum err e = account_note_groups(tx, &a->who);

	if (e != ERR_OK)
		return e;
	return forum_follow(tx, a->who.account, a->topic, a->how);
}

static struct view_message
problem_of(const struct req *rq, const char *field)
{
	for (size_t i = 0; i < rq->problems_n; i++) {
		if (strcmp(rq->problems[i].field, field) == 0)
			return view_say(rq->problems[i].what);
	}
	return view_say(NULL);
}
