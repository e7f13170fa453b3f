/* This file knows how to answer monitors, robots and browsers' errands. */
#include "config.h"

#include "model/board.h"
#include "model/store.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/req.h"

/* GET /healthz: 200 while votes can be stored. */
enum err
pg_healthz(struct req *rq)
{
	bool simulated;
	enum err e = arena_is_simulated(rq->db, &simulated);

	if (e != ERR_OK || store_is_halted(rq->site->store))
		return ERR_FULL;
	buf_z(rq->out, "ok\n");
	e = resp_data(rq, "text/plain; charset=utf-8", NULL);
	rq->resp.has_etag = false;
	return e;
}

/* GET /robots.txt */
enum err
pg_robots(struct req *rq)
{
	static const char *const kept_out[] = { "/arena", "/match/", "/votes",
		"/preferences", "/notices", "/forum", "/ta", "/hooks/" };

	buf_z(rq->out, "User-agent: *\n");
	for (size_t i = 0; i < sizeof(kept_out) / sizeof(*kept_out); i++)
		buf_printf(rq->out, "Disallow: %.*s%s\n", (int)rq->base.n,
		    rq->base.p, kept_out[i]);
	return resp_data(rq, "text/plain; charset=utf-8", NULL);
}

/* GET /favicon.ico: browsers ask here whatever the page says. */
enum err
pg_favicon(struct req *rq)
{
	return resp_see_other(rq, "/static/icon.svg");
}

/* GET /sw.js: from here, so that it may serve every page of ours. */
enum err
pg_worker(struct req *rq)
{
	buf_str(rq->out, rq->app->worker);
	return resp_data(rq, "text/javascript; charset=utf-8", NULL);
}
