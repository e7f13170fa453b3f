/* This file knows how to tell a script what is new, mostly that nothing is. */
#include "config.h"

#include <string.h>

#include "model/notice.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/notices.h"
#include "page/req.h"
#include "port/json.h"

#define NEWS_MAX 20

static enum err read_since(struct req *, bool *given, int64_t *since);
static bool is_known(struct req *, int64_t since, bool quiet);
static void put_notice(
    struct js_out *, struct req *, const struct notice *, bool quiet);
static bool pops(const struct preferences *, enum notice_kind);

/*
 * GET /notices.json?since=ID.  Without since nothing is listed: a browser
 * learns where to begin.  What the account row says decides about 304, so
 * that nothing new costs no query.
 */
enum err
pg_notices_json(struct req *rq)
{
	const struct viewer *v = &rq->viewer;
	bool given, quiet = preferences_quiet(&v->preferences, rq->now);
	struct voter who = auth_voter(rq);
	struct notice_news news = { 0 };
	struct js_out o;
	int64_t since, awaiting = 0;
	enum err e;

	if ((e = read_since(rq, &given, &since)) != ERR_OK)
		return e;
	if (is_known(rq, since, quiet))
		return ERR_OK;
	if (v->account != 0 &&
	    ((e = notices_withhold(rq)) != ERR_OK ||
		(e = notice_since(rq->db, rq->pool, &who,
		     given ? since : INT64_MAX, NEWS_MAX, &news)) != ERR_OK ||
		(e = notice_awaited(rq->db, v->account, &awaiting)) != ERR_OK))
		return e;
	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_int(&o, "schema", 1);
	if (v->kind != VIEWER_NOBODY)
		js_put_text(&o, "person", auth_person(rq));
	js_put_int(&o, "unread", v->unread);
	js_put_int(&o, "latest", news.latest);
	js_put_int(&o, "awaiting", awaiting);
	js_put_bool(&o, "quiet", quiet);
	js_put_str(&o, "sound", str_of(chime_name(v->preferences.chime)));
	js_put_int(&o, "more", news.more);
	js_put_array(&o, "notices");
	for (size_t i = 0; i < news.n; i++)
		put_notice(&o, rq, &news.rows[i], quiet);
	js_end(&o);
	js_end(&o);
	e = resp_data(rq, "application/json; charset=utf-8", NULL);
	rq->resp.has_etag = false; /* it has one already */
	return e;
}

static enum err
read_since(struct req *rq, bool *given, int64_t *since)
{
	struct text t;
	enum err e = form_word(&rq->query, "since", &t);

	*since = 0;
	*given = t.p != NULL;
	if (e != ERR_OK || t.p == NULL)
		return e;
	return str_int((struct str){ t.p, t.n }, 0, INT64_MAX, since);
}

/* Everything the answer depends on stands in the tag. */
static bool
is_known(struct req *rq, int64_t since, bool quiet)
{
	const struct viewer *v = &rq->viewer;
	struct str asked = req_param(rq, "HTTP_IF_NONE_MATCH");
	unsigned flags = (unsigned)v->preferences.ta_desktop |
			 (unsigned)v->preferences.forum << 1 |
			 (unsigned)v->preferences.sound << 2 |
			 (unsigned)quiet << 3 |
			 (unsigned)v->preferences.chime << 4;
	struct str tag = pool_printf(rq->pool, "\"n%lld-%lld-%lld-%x\"",
	    (long long)v->account, (long long)v->notice_rev, (long long)since,
	    flags);

	resp_header(rq, "ETag", tag);
	/* A compressing web server makes it weak: W/"..." is ours as well. */
	if (asked.n < tag.n || memmem(asked.p, asked.n, tag.p, tag.n) == NULL)
		return false;
	rq->resp.status = 304;
	rq->resp.bodyless = true;
	return true;
}

static void
put_notice(struct js_out *o, struct req *rq, const struct notice *n, bool quiet)
{
	const struct preferences *p = &rq->viewer.preferences;
	bool now = !quiet || n->kind == NOTICE_TEST;
	struct str url = pool_printf(rq->pool, "%.*s/notices/%lld",
	    (int)rq->base.n, rq->base.p, (long long)n->id);

	js_put_object(o, NULL);
	js_put_int(o, "id", n->id);
	js_put_str(o, "kind", str_of(notice_kind_name(n->kind)));
	js_put_text(o, "tag", n->thread);
	js_put_str(o, "url", url);
	if (n->title.n > 0)
		js_put_text(o, "title", n->title);
	if (n->who.n > 0)
		js_put_text(o, "who", n->who);
	js_put_bool(o, "popup", now && pops(p, n->kind));
	js_put_bool(o, "ring", now && p->sound);
	js_end(o);
}

/* Which switch lets a kind pop up. */
static bool
pops(const struct preferences *p, enum notice_kind kind)
{
	switch (kind) {
	case NOTICE_TA:
	case NOTICE_SORRY:
	case NOTICE_ANSWER:
		return p->ta_desktop;
	case NOTICE_POST:
		return p->forum;
	case NOTICE_TEST:
		return true;
	default:
		return p->ta_desktop || p->forum;
	}
}
