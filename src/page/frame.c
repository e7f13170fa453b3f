/* This file knows how to fill what stands around every page. */
#include "config.h"

#include "page/frame.h"

#include <string.h>

#include "model/board.h"
#include "model/tutor.h"
#include "page/app.h"
#include "page/req.h"
#include "page/route.h"
#include "port/crypt.h"

#define LINKS_MAX 16

struct link_row {
	struct text url, current;
	struct view_message label;
};

static const struct view_shape link_shape = { "link", sizeof(struct link_row),
	(const struct view_field[]){ VIEW_FIELD(struct link_row, url, VIEW_URL),
	    VIEW_FIELD(struct link_row, current, VIEW_TEXT),
	    VIEW_FIELD(struct link_row, label, VIEW_MESSAGE), VIEW_END } };

struct problem_row {
	struct text href;
	struct view_message what;
};

static const struct view_shape problem_shape = { "problem",
	sizeof(struct problem_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct problem_row, href, VIEW_URL),
	    VIEW_FIELD(struct problem_row, what, VIEW_MESSAGE), VIEW_END } };

const struct view_shape frame_shape = { "frame", sizeof(struct frame),
	(const struct view_field[]){ VIEW_FIELD(struct frame, site, VIEW_TEXT),
	    VIEW_FIELD(struct frame, institution, VIEW_TEXT),
	    VIEW_FIELD(struct frame, version, VIEW_TEXT),
	    VIEW_FIELD_OF(struct frame, nav, VIEW_LIST, &link_shape),
	    VIEW_FIELD_OF(struct frame, personal, VIEW_LIST, &link_shape),
	    VIEW_FIELD_OF(struct frame, foot, VIEW_LIST, &link_shape),
	    VIEW_FIELD_OF(struct frame, staff, VIEW_LIST, &link_shape),
	    VIEW_FIELD(struct frame, signed_in, VIEW_FLAG),
	    VIEW_FIELD(struct frame, guest, VIEW_FLAG),
	    VIEW_FIELD(struct frame, can_vote, VIEW_FLAG),
	    VIEW_FIELD(struct frame, simulated, VIEW_FLAG),
	    VIEW_FIELD(struct frame, noindex, VIEW_FLAG),
	    VIEW_FIELD(struct frame, viewer, VIEW_TEXT),
	    VIEW_FIELD(struct frame, sign_in, VIEW_URL),
	    VIEW_FIELD(struct frame, csrf, VIEW_TEXT),
	    VIEW_FIELD(struct frame, poll, VIEW_URL),
	    VIEW_FIELD(struct frame, read, VIEW_URL),
	    VIEW_FIELD(struct frame, worker, VIEW_URL),
	    VIEW_FIELD(struct frame, sounds, VIEW_URL),
	    VIEW_FIELD(struct frame, icon, VIEW_URL),
	    VIEW_FIELD(struct frame, notices, VIEW_URL),
	    VIEW_FIELD(struct frame, person, VIEW_TEXT),
	    VIEW_FIELD(struct frame, thread, VIEW_TEXT),
	    VIEW_FIELD(struct frame, waits, VIEW_FLAG),
	    VIEW_FIELD(struct frame, feed, VIEW_URL),
	    VIEW_FIELD_OF(struct frame, problems, VIEW_LIST, &problem_shape),
	    VIEW_FIELD(struct frame, done, VIEW_MESSAGE), VIEW_END } };

static struct view_list links(const struct req *, enum route_place);
static bool is_empty_room(const struct req *, const struct route *);
static struct view_message label(const struct req *, const struct route *);
static void tell_script(struct req *, struct frame *);
static struct view_list problems(const struct req *);
static struct text form_token(const struct req *);

enum err
frame_fill(struct req *rq, enum page_id page, struct frame *out)
{
	const struct viewer *v = &rq->viewer;
	struct frame f = { .site = rq->conf->name,
		.institution = rq->conf->institution,
		.version = TEXT(PACKAGE_VERSION),
		.signed_in = v->kind == VIEWER_MEMBER,
		.guest = v->kind == VIEWER_GUEST,
		.can_vote = auth_may(rq, ROLE_VOTER),
		.noindex = page_is_private(page),
		.viewer = v->name.p != NULL ? v->name : v->login,
		.csrf = form_token(rq),
		.done = view_say(rq->done) };

	/* An error page must be possible whatever the database says. */
	if (arena_is_simulated(rq->db, &f.simulated) != ERR_OK &&
	    page != PAGE_ERROR)
		return ERR_IO;
	if (v->kind != VIEWER_MEMBER)
		f.sign_in = rq->conf->sign_in;
	if (v->kind != VIEWER_NOBODY)
		tell_script(rq, &f);
	if (auth_may(rq, auth_needs(rq->conf, "leaderboard", ROLE_ANYONE)))
		f.feed = TEXT("/feed.atom");
	f.nav = links(rq, ROUTE_MAIN);
	f.foot = links(rq, ROUTE_FOOT);
	if (auth_is_staff(rq))
		f.staff = links(rq, ROUTE_STAFF);
	if (v->kind != VIEWER_NOBODY)
		f.personal = links(rq, ROUTE_PERSONAL);
	f.problems = problems(rq);
	*out = f;
	return pool_failed(rq->pool) ? ERR_NOMEM : ERR_OK;
}

/* What exists and this viewer may see, in the order of the route table. */
static struct view_list
links(const struct req *rq, enum route_place place)
{
	struct link_row *rows = pool_array(rq->pool, LINKS_MAX, sizeof(*rows));
	size_t n = 0;

	if (rows == NULL)
		return view_list(NULL, 0);
	for (const struct route *r = rq->site->routes;
	     r->method != NULL && n < LINKS_MAX; r++) {
		if (r->place != place || r->label == NULL ||
		    is_empty_room(rq, r) ||
		    !auth_may(rq, auth_needs(rq->conf, r->page, r->who)))
			continue;
		rows[n].url = text_of(r->pattern);
		rows[n].label = label(rq, r);
		if (str_is(rq->path, r->pattern))
			rows[n].current = TEXT("page");
		else if (rq->route != NULL &&
			 strcmp(rq->route->page, r->page) == 0)
			rows[n].current = TEXT("true");
		n++;
	}
	return view_list(rows, n);
}

/* No activity has an AI TA: no link to one, but for those who could change
 * that; the page tells them how. */
static bool
is_empty_room(const struct req *rq, const struct route *r)
{
	bool some = false;

	if (strcmp(r->label, "nav.ta") != 0 || auth_may(rq, ROLE_TEACHER))
		return false;
	return tutor_exists(rq->db, &some) != ERR_OK || !some;
}

/* The link to the notices says how many are unread. */
static struct view_message
label(const struct req *rq, const struct route *r)
{
	struct unread_words *w;

	if (strcmp(r->label, "nav.notices") != 0 || rq->viewer.unread == 0 ||
	    (w = pool_alloc(rq->pool, sizeof(*w))) == NULL)
		return view_say(r->label);
	w->unread = rq->viewer.unread;
	return (struct view_message){ "nav.notices_unread", w->unread, w };
}

static void
tell_script(struct req *rq, struct frame *f)
{
	f->poll = TEXT("/notices.json");
	f->read = TEXT("/notices");
	f->worker = TEXT("/sw.js");
	f->sounds = TEXT("/static/sounds/");
	f->icon = TEXT("/static/icon-192.png");
	f->notices = TEXT("/notices");
	f->person = auth_person(rq);
	f->thread = rq->thread;
	f->waits = rq->waits;
}

static struct view_list
problems(const struct req *rq)
{
	struct problem_row *rows =
	    pool_array(rq->pool, REQ_PROBLEMS, sizeof(*rows));

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < rq->problems_n; i++) {
		struct str href =
		    pool_printf(rq->pool, "#%s", rq->problems[i].field);

		rows[i].href = (struct text){ href.p, href.n };
		rows[i].what = view_say(rq->problems[i].what);
		rows[i].what.row = rq->problems[i].row;
	}
	return view_list(rows, rq->problems_n);
}

/* Visitors without a session get pages that are the same for everybody. */
static struct text
form_token(const struct req *rq)
{
	char token[CRYPT_TOKEN_LEN + 1];

	if (rq->viewer.session.p == NULL)
		return (struct text){ NULL, 0 };
	crypt_csrf_make(&rq->site->form_key, rq->viewer.session, token);
	return text_of(pool_strdup(rq->pool, token));
}
