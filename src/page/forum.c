/* This file knows how to show the forum's lists and topics. */
#include "config.h"

#include "page/forum.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/rng.h"
#include "model/store.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/notices.h"
#include "page/pages.h"
#include "page/req.h"

#define TOPICS_A_PAGE 50
#define PAGES_SHOWN 9 /* links to pages of a long topic */

struct topic_row {
	struct text url, title, author;
	struct view_message posts;
	int64_t last_at;
	bool pinned, locked, hidden, pair, followed, muted;
};

#define T struct topic_row
static const struct view_shape topic_row_shape = { "topic", sizeof(T),
	(const struct view_field[]){ VIEW_FIELD(T, url, VIEW_URL),
	    VIEW_FIELD(T, title, VIEW_TEXT), VIEW_FIELD(T, author, VIEW_TEXT),
	    VIEW_FIELD(T, posts, VIEW_MESSAGE),
	    VIEW_FIELD(T, last_at, VIEW_TIME), VIEW_FIELD(T, pinned, VIEW_FLAG),
	    VIEW_FIELD(T, locked, VIEW_FLAG), VIEW_FIELD(T, hidden, VIEW_FLAG),
	    VIEW_FIELD(T, pair, VIEW_FLAG), VIEW_FIELD(T, followed, VIEW_FLAG),
	    VIEW_FIELD(T, muted, VIEW_FLAG), VIEW_END } };
#undef T

struct room_row {
	struct text url, title;
	int64_t last_at;
	bool retired;
};

static const struct view_shape room_shape = { "room", sizeof(struct room_row),
	(const struct view_field[]){ VIEW_FIELD(struct room_row, url, VIEW_URL),
	    VIEW_FIELD(struct room_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct room_row, last_at, VIEW_TIME),
	    VIEW_FIELD(struct room_row, retired, VIEW_FLAG), VIEW_END } };

struct forum_row {
	struct text title, room, new_url, older, first, reports_url;
	struct view_list rooms, topics;
	bool empty, in_room, retired;
	int64_t reports; /* open ones, for teachers; absent when none */
};

#define F struct forum_row
const struct view_shape forum_shape = { "forum", sizeof(F),
	(const struct view_field[]){ VIEW_FIELD(F, title, VIEW_TEXT),
	    VIEW_FIELD(F, room, VIEW_TEXT), VIEW_FIELD(F, new_url, VIEW_URL),
	    VIEW_FIELD(F, older, VIEW_URL), VIEW_FIELD(F, first, VIEW_URL),
	    VIEW_FIELD(F, reports_url, VIEW_URL),
	    VIEW_FIELD_OF(F, rooms, VIEW_LIST, &room_shape),
	    VIEW_FIELD_OF(F, topics, VIEW_LIST, &topic_row_shape),
	    VIEW_FIELD(F, empty, VIEW_FLAG), VIEW_FIELD(F, in_room, VIEW_FLAG),
	    VIEW_FIELD(F, retired, VIEW_FLAG), VIEW_FIELD(F, reports, VIEW_INT),
	    VIEW_END } };
#undef F

struct post_row {
	struct text id, url, action, author, edit_url, report_url, history_url;
	int64_t number, made_at, edited_at;
	struct markup html;
	bool readable, hidden, deleted, mine, may_edit, may_moderate,
	    may_report;
};

#define P struct post_row
static const struct view_shape post_shape = { "post", sizeof(P),
	(const struct view_field[]){ VIEW_FIELD(P, id, VIEW_TEXT),
	    VIEW_FIELD(P, url, VIEW_URL), VIEW_FIELD(P, action, VIEW_URL),
	    VIEW_FIELD(P, author, VIEW_TEXT), VIEW_FIELD(P, edit_url, VIEW_URL),
	    VIEW_FIELD(P, report_url, VIEW_URL),
	    VIEW_FIELD(P, history_url, VIEW_URL),
	    VIEW_FIELD(P, number, VIEW_INT), VIEW_FIELD(P, made_at, VIEW_TIME),
	    VIEW_FIELD(P, edited_at, VIEW_TIME),
	    VIEW_FIELD(P, html, VIEW_MARKUP),
	    VIEW_FIELD(P, readable, VIEW_FLAG),
	    VIEW_FIELD(P, hidden, VIEW_FLAG), VIEW_FIELD(P, deleted, VIEW_FLAG),
	    VIEW_FIELD(P, mine, VIEW_FLAG), VIEW_FIELD(P, may_edit, VIEW_FLAG),
	    VIEW_FIELD(P, may_moderate, VIEW_FLAG),
	    VIEW_FIELD(P, may_report, VIEW_FLAG), VIEW_END } };
#undef P

struct page_link {
	struct text url, current;
	int64_t number;
};

static const struct view_shape page_link_shape = { "page",
	sizeof(struct page_link),
	(const struct view_field[]){
	    VIEW_FIELD(struct page_link, url, VIEW_URL),
	    VIEW_FIELD(struct page_link, current, VIEW_TEXT),
	    VIEW_FIELD(struct page_link, number, VIEW_INT), VIEW_END } };

struct topic_page {
	struct text title, room_title, room_url, action, set_url;
	struct view_list posts, pages;
	struct markup question, answer_a, answer_b;
	bool pair, pair_shown, pair_enter, teacher, known;
	bool pinned, locked, hidden, retired, followed, muted;
	bool can_reply, follow_ticked, preview;
	bool deleted; /* all of it */
	bool kept;    /* what was typed, though it cannot be sent */
	struct text open_url, form, text;
	struct view_message text_error;
};

#define T struct topic_page
const struct view_shape topic_shape = { "topic", sizeof(T),
	(const struct view_field[]){ VIEW_FIELD(T, title, VIEW_TEXT),
	    VIEW_FIELD(T, room_title, VIEW_TEXT),
	    VIEW_FIELD(T, room_url, VIEW_URL), VIEW_FIELD(T, action, VIEW_URL),
	    VIEW_FIELD(T, set_url, VIEW_URL),
	    VIEW_FIELD_OF(T, posts, VIEW_LIST, &post_shape),
	    VIEW_FIELD_OF(T, pages, VIEW_LIST, &page_link_shape),
	    VIEW_FIELD(T, question, VIEW_MARKUP),
	    VIEW_FIELD(T, answer_a, VIEW_MARKUP),
	    VIEW_FIELD(T, answer_b, VIEW_MARKUP),
	    VIEW_FIELD(T, pair, VIEW_FLAG),
	    VIEW_FIELD(T, pair_shown, VIEW_FLAG),
	    VIEW_FIELD(T, pair_enter, VIEW_FLAG),
	    VIEW_FIELD(T, teacher, VIEW_FLAG), VIEW_FIELD(T, known, VIEW_FLAG),
	    VIEW_FIELD(T, pinned, VIEW_FLAG), VIEW_FIELD(T, locked, VIEW_FLAG),
	    VIEW_FIELD(T, hidden, VIEW_FLAG), VIEW_FIELD(T, retired, VIEW_FLAG),
	    VIEW_FIELD(T, followed, VIEW_FLAG), VIEW_FIELD(T, muted, VIEW_FLAG),
	    VIEW_FIELD(T, can_reply, VIEW_FLAG),
	    VIEW_FIELD(T, follow_ticked, VIEW_FLAG),
	    VIEW_FIELD(T, preview, VIEW_FLAG), VIEW_FIELD(T, kept, VIEW_FLAG),
	    VIEW_FIELD(T, deleted, VIEW_FLAG),
	    VIEW_FIELD(T, open_url, VIEW_URL), VIEW_FIELD(T, form, VIEW_TEXT),
	    VIEW_FIELD(T, text, VIEW_TEXT),
	    VIEW_FIELD(T, text_error, VIEW_MESSAGE), VIEW_END } };
#undef T

struct seen_args {
	int64_t account;
	const struct forum_pair *pair;
};

static enum err show_room(struct req *, const struct forum_viewer *,
    const struct forum_room *, struct forum_row *);
static struct view_list topic_rows(struct req *, const struct forum_topics *);
static enum err show_pair(
    struct req *, const struct forum_topic *, struct topic_page *);
static enum err seen_fn(struct store_tx *, void *);
static struct text notice_thread(struct req *, const struct forum_topic *);
static struct view_list post_rows(struct req *, const struct forum_viewer *,
    const struct forum_topic *, const struct forum_post *, size_t n);
static struct view_list page_links(
    struct req *, const struct forum_topic *, int64_t page);

/* GET /forum: the list of activities, or one activity's topics. */
enum err
pg_forum(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_row row = { .reports = VIEW_NO_INT };
	const struct forum_room *rooms = NULL;
	struct room_row *rr;
	struct forum_room room;
	struct text slug;
	size_t n = 0;
	enum err e;

	if ((e = form_word(&rq->query, "activity", &slug)) != ERR_OK ||
	    (e = forum_rooms(rq->db, rq->pool, &v, &rooms, &n)) != ERR_OK)
		return e;
	if (v.teacher) {
		int64_t reports;

		if ((e = report_count(rq->db, &reports)) != ERR_OK)
			return e;
		row.reports = reports > 0 ? reports : VIEW_NO_INT;
		row.reports_url = TEXT("/forum/reports");
	}
	if (slug.p != NULL) {
		e = forum_room_find(rq->db, rq->pool, &v, slug, &room);
		return e == ERR_OK ? show_room(rq, &v, &room, &row) : e;
	}
	if (n == 1)
		return show_room(rq, &v, &rooms[0], &row);
	rr = pool_array(rq->pool, n + 1, sizeof(*rr));
	if (rr == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		struct str url = pool_printf(rq->pool, "/forum?activity=%.*s",
		    (int)rooms[i].slug.n, rooms[i].slug.p);

		rr[i] = (struct room_row){ { url.p, url.n }, rooms[i].title,
			rooms[i].last_at, rooms[i].retired };
	}
	row.rooms = view_list(rr, n);
	row.empty = n == 0;
	return resp_page(rq, PAGE_FORUM, &row);
}

/* GET /forum/TOKEN?page=N */
enum err
pg_topic(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_topic t;
	int64_t page = 1;
	enum err e;

	if ((e = forum_topic_of(rq, &v, &t)) != ERR_OK ||
	    (e = form_number(&rq->query, "page", &page)) != ERR_OK)
		return e;
	if (page > forum_page_of(t.posts))
		return ERR_NOTFOUND;
	if ((e = notices_opened(rq, notice_thread(rq, &t))) != ERR_OK)
		return e;
	return forum_show_topic(rq, t.left > 0 ? 200 : 410, &v, &t, page, NULL);
}

/* GET /forum/TOKEN/N: where that post stands. */
enum err
pg_post(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_topic t;
	int64_t number;
	enum err e;

	if ((e = forum_topic_of(rq, &v, &t)) != ERR_OK ||
	    (e = req_number(rq, 2, &number)) != ERR_OK)
		return e;
	if (number > t.posts)
		return ERR_NOTFOUND;
	return resp_see_other(rq, "/forum/%.*s?page=%lld#p%lld", (int)t.token.n,
	    t.token.p, (long long)forum_page_of(number), (long long)number);
}

struct forum_viewer
forum_viewer(const struct req *rq)
{
	return (
	    struct forum_viewer){ auth_voter(rq), auth_may(rq, ROLE_TEACHER) };
}

enum err
forum_topic_of(
    struct req *rq, const struct forum_viewer *v, struct forum_topic *out)
{
	enum err e = forum_topic_load(rq->db, rq->pool, v, rq->seg[1], out);

	if (e == ERR_DENIED)
		rq->reason = "topic_hidden";
	return e;
}

enum err
forum_post_of(struct req *rq, const struct forum_viewer *v,
    struct forum_topic *topic, struct forum_post *out)
{
	int64_t number;
	enum err e;

	if ((e = forum_topic_of(rq, v, topic)) != ERR_OK ||
	    (e = req_number(rq, 2, &number)) != ERR_OK)
		return e;
	return forum_post_load(rq->db, rq->pool, v, topic, number, out);
}

struct text
forum_form_token(struct req *rq)
{
	char token[RNG_TOKEN_LEN + 1];

	rng_token(token);
	return text_of(pool_strdup(rq->pool, token));
}

struct text
forum_url(struct req *rq, struct text token, const char *fmt, ...)
{
	char rest[160];
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(rest, sizeof(rest), fmt, ap);
	va_end(ap);
	s = pool_printf(rq->pool, "/forum/%.*s%s", (int)token.n, token.p, rest);
	return (struct text){ s.p, s.n };
}

int64_t
forum_page_of(int64_t number)
{
	return number <= 0 ? 1 : (number - 1) / FORUM_PAGE + 1;
}

enum err
forum_show_topic(struct req *rq, int status, const struct forum_viewer *v,
    const struct forum_topic *t, int64_t page, const struct forum_typed *typed)
{
	const struct forum_post *posts = NULL;
	struct topic_page row = { .title = t->title,
		.room_title = t->room_title,
		.action = forum_url(rq, t->token, "%s", ""),
		.set_url = forum_url(rq, t->token, "/set"),
		.teacher = v->teacher,
		.known = rq->viewer.kind != VIEWER_NOBODY,
		.pinned = t->pinned,
		.locked = t->locked,
		.hidden = t->hidden,
		.retired = t->retired,
		.deleted = t->left == 0,
		.followed = t->following == FORUM_FOLLOW,
		.muted = t->following == FORUM_MUTE,
		.can_reply =
		    !t->retired && t->left > 0 && (!t->locked || v->teacher),
		.follow_ticked = typed != NULL && typed->follow,
		.text_error = view_say(NULL) };
	struct str url = pool_printf(
	    rq->pool, "/forum?activity=%.*s", (int)t->room.n, t->room.p);
	size_t n = 0;
	enum err e;

	row.room_url = (struct text){ url.p, url.n };
	rq->thread = notice_thread(rq, t);
	row.form = typed != NULL && typed->form.n > 0 ? typed->form
						      : forum_form_token(rq);
	if (typed != NULL)
		row.text = typed->text;
	for (size_t i = 0; i < rq->problems_n; i++)
		row.text_error = view_say(rq->problems[i].what);
	if ((e = show_pair(rq, t, &row)) != ERR_OK)
		return e;
	if (row.pair && !row.pair_shown)
		row.can_reply = false;
	row.kept = !row.can_reply && row.text.n > 0;
	if (row.pair && !row.pair_shown) {
		/* What is said about two answers is no more blind than they. */
		return resp_page_status(rq, status, PAGE_TOPIC, &row);
	}
	e = forum_posts(rq->db, rq->pool, v, t, (page - 1) * FORUM_PAGE + 1,
	    FORUM_PAGE, &posts, &n);
	if (e != ERR_OK)
		return e;
	row.posts = post_rows(rq, v, t, posts, n);
	row.pages = page_links(rq, t, page);
	return resp_page_status(rq, status, PAGE_TOPIC, &row);
}

static enum err
show_room(struct req *rq, const struct forum_viewer *v,
    const struct forum_room *room, struct forum_row *row)
{
	struct forum_topics topics;
	struct str url;
	int64_t before = 0;
	enum err e;

	if ((e = form_number(&rq->query, "before", &before)) != ERR_OK ||
	    (e = forum_list(rq->db, rq->pool, v, room->id, before,
		 TOPICS_A_PAGE, &topics)) != ERR_OK)
		return e;
	row->in_room = true;
	row->title = room->title;
	row->room = room->slug;
	row->retired = room->retired;
	row->topics = topic_rows(rq, &topics);
	row->empty = row->topics.n == 0 && before == 0;
	if (!room->retired) {
		url = pool_printf(rq->pool, "/forum/new?activity=%.*s",
		    (int)room->slug.n, room->slug.p);
		row->new_url = (struct text){ url.p, url.n };
	}
	if (topics.older > 0) {
		url = pool_printf(rq->pool, "/forum?activity=%.*s&before=%lld",
		    (int)room->slug.n, room->slug.p, (long long)topics.older);
		row->older = (struct text){ url.p, url.n };
	}
	if (before > 0) {
		url = pool_printf(rq->pool, "/forum?activity=%.*s",
		    (int)room->slug.n, room->slug.p);
		row->first = (struct text){ url.p, url.n };
	}
	return resp_page(rq, PAGE_FORUM, row);
}

static struct topic_row
topic_row(struct req *rq, const struct forum_topic *t)
{
	struct more_words *posts = pool_alloc(rq->pool, sizeof(*posts));

	if (posts != NULL)
		posts->more = t->left;
	return (struct topic_row){ .url = forum_url(rq, t->token, "%s", ""),
		.title = t->title,
		.author = t->author,
		.posts = { posts != NULL ? "topic.posts" : NULL, t->left,
		    posts },
		.last_at = t->last_at,
		.pinned = t->pinned,
		.locked = t->locked,
		.hidden = t->hidden,
		.pair = t->match != 0,
		.followed = t->following == FORUM_FOLLOW,
		.muted = t->following == FORUM_MUTE };
}

static struct view_list
topic_rows(struct req *rq, const struct forum_topics *list)
{
	size_t n = list->pinned_n + list->rows_n;
	struct topic_row *rows = pool_array(rq->pool, n + 1, sizeof(*rows));

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < list->pinned_n; i++)
		rows[i] = topic_row(rq, &list->pinned[i]);
	for (size_t i = 0; i < list->rows_n; i++)
		rows[list->pinned_n + i] = topic_row(rq, &list->rows[i]);
	return view_list(rows, n);
}

/*
 * The two answers under discussion.  Who reads them must not be shown them
 * blind later, so they are marked as seen before they are sent; who has no
 * account yet is asked first, and who has one of them in an open match has
 * to end that.
 */
static enum err
show_pair(struct req *rq, const struct forum_topic *t, struct topic_page *row)
{
	struct seen_args args = { .account = rq->viewer.account };
	struct forum_pair pair;
	enum err e;

	if (t->match == 0)
		return ERR_OK;
	row->pair = true;
	if (rq->viewer.account == 0) {
		row->pair_enter = true;
		return ERR_OK;
	}
	e = forum_pair_load(
	    rq->db, rq->pool, t->match, rq->viewer.account, &pair);
	if (e != ERR_OK)
		return e;
	row->question = pair.question;
	if (pair.open) {
		struct str url = pool_printf(rq->pool, "/match/%.*s",
		    (int)pair.open_token.n, pair.open_token.p);

		row->open_url = (struct text){ url.p, url.n };
		return ERR_OK;
	}
	args.pair = &pair;
	if (!pair.seen && rq->stale)
		return ERR_OK;
	if (!pair.seen) {
		e = store_write(rq->site->store, seen_fn, &args);
		if (e != ERR_OK)
			return e;
	}
	row->answer_a = pair.a;
	row->answer_b = pair.b;
	row->pair_shown = true;
	return ERR_OK;
}

static enum err
seen_fn(struct store_tx *tx, void *arg)
{
	struct seen_args *a = arg;

	return forum_pair_seen(tx, a->account, a->pair);
}

/* Its notices' thread. */
static struct text
notice_thread(struct req *rq, const struct forum_topic *t)
{
	struct str s =
	    pool_printf(rq->pool, "topic:%.*s", (int)t->token.n, t->token.p);

	return (struct text){ s.p, s.n };
}

static struct view_list
post_rows(struct req *rq, const struct forum_viewer *v,
    const struct forum_topic *t, const struct forum_post *posts, size_t n)
{
	struct post_row *rows = pool_array(rq->pool, n + 1, sizeof(*rows));

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		const struct forum_post *p = &posts[i];
		struct str id =
		    pool_printf(rq->pool, "p%lld", (long long)p->number);
		long long no = p->number;
		bool shown = p->state == FORUM_SHOWN;

		rows[i] = (struct post_row){ .id = { id.p, id.n },
			.url = forum_url(rq, t->token, "/%lld", no),
			.action = forum_url(rq, t->token, "/%lld", no),
			.author = p->author,
			.number = p->number,
			.made_at = p->made_at,
			.edited_at = p->html.p != NULL ? p->edited_at : 0,
			.html = p->html,
			.readable = p->html.p != NULL,
			.hidden = p->state == FORUM_HIDDEN,
			.deleted = p->state == FORUM_DELETED,
			.mine = p->mine,
			.may_edit = p->mine && shown && !t->retired &&
				    (!t->locked || v->teacher),
			.may_moderate = v->teacher && p->state != FORUM_DELETED,
			.may_report = shown && !p->mine &&
				      rq->viewer.kind != VIEWER_NOBODY };
		rows[i].edit_url = forum_url(rq, t->token, "/%lld/edit", no);
		rows[i].report_url =
		    forum_url(rq, t->token, "/%lld/report", no);
		rows[i].history_url =
		    forum_url(rq, t->token, "/%lld/history", no);
	}
	return view_list(rows, n);
}

/* The first, the last, and those around this one. */
static struct view_list
page_links(struct req *rq, const struct forum_topic *t, int64_t page)
{
	int64_t last = forum_page_of(t->posts), n = 0;
	struct page_link *rows =
	    pool_array(rq->pool, PAGES_SHOWN + 2, sizeof(*rows));

	if (rows == NULL || last < 2)
		return view_list(NULL, 0);
	for (int64_t i = 1; i <= last && n < PAGES_SHOWN + 2; i++) {
		bool near = i >= page - 3 && i <= page + 3;

		if (i != 1 && i != last && !near) {
			i = i < page ? page - 4 : last - 1;
			continue;
		}
		rows[n++] = (struct page_link){
			.url =
			    forum_url(rq, t->token, "?page=%lld", (long long)i),
			.current =
			    i == page ? TEXT("page") : (struct text){ NULL, 0 },
			.number = i,
		};
	}
	return view_list(rows, (size_t)n);
}
