/* This file knows how to lead a request to its handler, and out again. */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/board_cache.h"
#include "model/standing.h"
#include "page/app.h"
#include "page/req.h"
#include "page/route.h"
#include "view/view.h"

static enum err answer(struct req *);
static enum err find_handler(struct req *);
static enum err take_form(struct req *);
static void keep_typed(struct req *);
static enum err read_form(struct req *);
static int pick_language(const struct req *);
static bool is_form(struct str type);

void
site_answer(struct site *s, struct db *db, struct pool *pool, struct buf *out,
    const struct req_source *source, enum err refused, struct req *rq)
{
	struct app *app = site_app(s);
	enum err e = refused;

	*rq = (struct req){ .pool = pool,
		.out = out,
		.site = s,
		.app = app,
		.conf = app->conf,
		.db = db,
		.source = source,
		.now = clock_now(),
		.base = STR("") };
	buf_clear(out);
	if (e == ERR_OK)
		e = answer(rq);
	else
		req_refused(rq, e);
	if (e == ERR_OK && pool_failed(pool)) {
		log_error("a page needed more memory than a request may use");
		e = ERR_NOMEM;
	}
	if (e != ERR_OK)
		resp_error(rq, e);
	resp_finish(rq);
	if (rq->resp.status >= 100 && rq->resp.status < 600)
		atomic_fetch_add(&s->answered[rq->resp.status / 100], 1);
}

void
site_answered(struct req *rq)
{
	board_put(rq->board);
	rq->board = NULL;
	standing_put(rq->snapshot);
	rq->snapshot = NULL;
	app_put(rq->app);
	rq->app = NULL;
	rq->conf = NULL;
}

/* Who asks, for what, may they, what do they say: then the handler. */
static enum err
answer(struct req *rq)
{
	enum err parsed = req_parse(rq);
	enum err e = auth_identify(rq);

	rq->lang = pick_language(rq);
	if (parsed != ERR_OK)
		return parsed;
	if (e != ERR_OK)
		return e;
	if ((e = find_handler(rq)) != ERR_OK) {
		if (e == ERR_SIGNIN || e == ERR_DENIED)
			keep_typed(rq);
		return e;
	}
	if (rq->method == REQ_POST &&
	    strcmp(rq->route->page, ROUTE_HOOK) != 0 &&
	    (e = take_form(rq)) != ERR_OK)
		return e;
	if (rq->method == REQ_GET && (rq->route->who == ROLE_VOTER ||
					 rq->route->place == ROUTE_PERSONAL))
		auth_first_sight(rq);
	e = rq->route->handler(rq);
	if (e == ERR_OK && rq->resp.status == 0)
		e = ERR_INTERNAL;
	if (rq->stale && rq->resp.status == 400)
		rq->resp.status = 403;
	return e;
}

/*
 * A form of ours whose token does not fit is shown again with what was
 * written in it and a token that does: its handler sees a problem.
 */
static enum err
take_form(struct req *rq)
{
	const char *typed = rq->route->typed;
	enum err e;

	if ((e = read_form(rq)) != ERR_OK)
		return e;
	e = auth_check_post(rq);
	if (typed == NULL || !auth_from_here(rq) ||
	    (e != ERR_OK && e != ERR_DENIED))
		return e;
	(void)!form_one(&rq->form, typed, &rq->kept);
	if (e == ERR_DENIED) {
		rq->stale = true;
		rq->reason = NULL;
		req_problem(rq, typed, "problem.stale");
	}
	return ERR_OK;
}

/* Who is not let in (any more) still gets back what they wrote. */
static void
keep_typed(struct req *rq)
{
	const char *reason = rq->reason;

	if (rq->method == REQ_POST && rq->route->typed != NULL &&
	    auth_from_here(rq) && read_form(rq) == ERR_OK)
		(void)!form_one(&rq->form, rq->route->typed, &rq->kept);
	rq->reason = reason;
}

static enum err
find_handler(struct req *rq)
{
	char allow[64];
	enum err e = route_find(rq->site->routes, rq->method_name, rq->path,
	    &rq->route, allow, sizeof(allow));

	if (e == ERR_METHOD)
		resp_header(rq, "Allow", pool_str(rq->pool, str_of(allow)));
	if (e != ERR_OK)
		return e;
	if (auth_may(rq, auth_needs(rq->conf, rq->route->page, rq->route->who)))
		return ERR_OK;
	return rq->viewer.kind == VIEWER_MEMBER ? ERR_DENIED : ERR_SIGNIN;
}

static enum err
read_form(struct req *rq)
{
	struct str body;
	enum err e;

	e = rq->source->body(rq->source->arg, rq->pool, rq->route->body, &body);
	if (e != ERR_OK)
		return e;
	if (body.n > 0 && !is_form(req_param(rq, "CONTENT_TYPE"))) {
		rq->reason = "not_a_form";
		return ERR_INVALID;
	}
	return form_parse(rq->pool, body, &rq->form);
}

/* What the account says, else what the browser says, else the site. */
static int
pick_language(const struct req *rq)
{
	const struct text *own = &rq->viewer.preferences.lang;
	const struct text *site = &rq->conf->lang;
	const struct str wishes[] = { { own->p, own->n },
		req_param(rq, "HTTP_ACCEPT_LANGUAGE"), { site->p, site->n } };
	int lang = -1;

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && lang < 0;
	     i++)
		lang = view_lang_pick(rq->app->views, wishes[i]);
	return lang < 0 ? 0 : lang;
}

/* "application/x-www-form-urlencoded", with or without "; charset=UTF-8". */
static bool
is_form(struct str type)
{
	static const char form[] = "application/x-www-form-urlencoded";
	struct str name = str_trim(str_cut(&type, ';'));

	if (name.n != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != form[i])
			return false;
	}
	return true;
}
