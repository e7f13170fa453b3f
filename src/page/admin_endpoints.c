/* This file knows how to show an administrator how the model servers do. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/conf.h"
#include "model/job.h"
#include "model/llm.h"
#include "model/works.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"

struct endpoint_row {
	struct text id, address, health, last_class, last_why, last_error;
	struct text last_model;
	bool good, bad;
	int64_t wait_s; /* until it takes questions again; absent: now */
	int64_t running, waiting, answered, failed, calls;
	double spent, budget; /* budget NaN: no limit */
	int64_t last_at;
};

static const struct view_shape endpoint_shape = { "endpoint",
	sizeof(struct endpoint_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct endpoint_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, address, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, health, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, last_class, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, last_why, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, last_error, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, last_model, VIEW_TEXT),
	    VIEW_FIELD(struct endpoint_row, good, VIEW_FLAG),
	    VIEW_FIELD(struct endpoint_row, bad, VIEW_FLAG),
	    VIEW_FIELD(struct endpoint_row, wait_s, VIEW_INT),
	    VIEW_FIELD(struct endpoint_row, running, VIEW_INT),
	    VIEW_FIELD(struct endpoint_row, waiting, VIEW_INT),
	    VIEW_FIELD(struct endpoint_row, answered, VIEW_INT),
	    VIEW_FIELD(struct endpoint_row, failed, VIEW_INT),
	    VIEW_FIELD(struct endpoint_row, calls, VIEW_INT),
	    VIEW_FIELD_REAL(struct endpoint_row, spent, 4),
	    VIEW_FIELD_REAL(struct endpoint_row, budget, 2),
	    VIEW_FIELD(struct endpoint_row, last_at, VIEW_TIME), VIEW_END } };

struct stock_row {
	struct view_message type;
	int64_t ready, coming;
	bool low;
};

static const struct view_shape stock_shape = { "stock",
	sizeof(struct stock_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct stock_row, type, VIEW_MESSAGE),
	    VIEW_FIELD(struct stock_row, ready, VIEW_INT),
	    VIEW_FIELD(struct stock_row, coming, VIEW_INT),
	    VIEW_FIELD(struct stock_row, low, VIEW_FLAG), VIEW_END } };

struct admin_endpoints_row {
	struct view_list endpoints, stock;
	int64_t target;
	int64_t answers_queued, answers_running, answers_failed;
	int64_t tutor_queued, tutor_running, tutor_failed;
	int64_t awaited;
	bool files_only; /* no setup has an endpoint */
};

#define ROW struct admin_endpoints_row

const struct view_shape admin_endpoints_shape = { "admin-endpoints",
	sizeof(ROW),
	(const struct view_field[]){
	    VIEW_FIELD_OF(ROW, endpoints, VIEW_LIST, &endpoint_shape),
	    VIEW_FIELD_OF(ROW, stock, VIEW_LIST, &stock_shape),
	    VIEW_FIELD(ROW, target, VIEW_INT),
	    VIEW_FIELD(ROW, answers_queued, VIEW_INT),
	    VIEW_FIELD(ROW, answers_running, VIEW_INT),
	    VIEW_FIELD(ROW, answers_failed, VIEW_INT),
	    VIEW_FIELD(ROW, tutor_queued, VIEW_INT),
	    VIEW_FIELD(ROW, tutor_running, VIEW_INT),
	    VIEW_FIELD(ROW, tutor_failed, VIEW_INT),
	    VIEW_FIELD(ROW, awaited, VIEW_INT),
	    VIEW_FIELD(ROW, files_only, VIEW_FLAG), VIEW_END } };

static struct view_list endpoints(struct req *);
static enum err fill(
    struct req *, const struct llm_endpoint *, struct endpoint_row *);
static struct text address(struct req *, struct text url);
static struct view_list stock(struct req *, int64_t *target);

/* GET /admin/endpoints */
enum err
pg_admin_endpoints(struct req *rq)
{
	ROW row = { .files_only = true };
	struct job_numbers n;
	enum err e = job_numbers_load(rq->db, &n);

	if (e != ERR_OK)
		return e;
	row.answers_queued = n.queued[JOB_ANSWER];
	row.answers_running = n.running[JOB_ANSWER];
	row.answers_failed = n.failed[JOB_ANSWER];
	row.tutor_queued = n.queued[JOB_TUTOR];
	row.tutor_running = n.running[JOB_TUTOR];
	row.tutor_failed = n.failed[JOB_TUTOR];
	row.awaited = n.awaited;
	for (size_t i = 0; i < rq->conf->setups_n; i++) {
		if (rq->conf->setups[i].endpoint.p != NULL)
			row.files_only = false;
	}
	row.endpoints = endpoints(rq);
	row.stock = stock(rq, &row.target);
	return resp_page(rq, PAGE_ADMIN_ENDPOINTS, &row);
}

static struct view_list
endpoints(struct req *rq)
{
	size_t n = rq->conf->endpoints_n;
	struct endpoint_row *rows = pool_array(rq->pool, n + 1, sizeof(*rows));

	for (size_t i = 0; rows != NULL && i < n; i++) {
		if (fill(rq, &rq->conf->endpoints[i], &rows[i]) != ERR_OK)
			return view_list(NULL, 0);
	}
	return view_list(rows, rows == NULL ? 0 : n);
}

/* What a provider said is shown as it was masked: keys are not in it. */
static enum err
fill(struct req *rq, const struct llm_endpoint *ep, struct endpoint_row *r)
{
	struct llm *l = works_llm(rq->site->works);
	struct llm_state s = { .health = LLM_HEALTH_UNKNOWN };
	struct job_spend spend;
	enum err e = job_spend_load(rq->db, ep->id, rq->now, &spend);

	if (e != ERR_OK)
		return e;
	if (l != NULL)
		llm_state(l, ep->id, &s);
	*r = (struct endpoint_row){ .id = ep->id,
		.address = address(rq, ep->url),
		.health = text_of(llm_health_name(s.health)),
		.good = s.health == LLM_HEALTH_GOOD,
		.bad = s.health == LLM_HEALTH_OPEN ||
		       s.health == LLM_HEALTH_BROKEN,
		.wait_s = VIEW_NO_INT,
		.running = s.running,
		.waiting = s.waiting,
		.answered = s.answered,
		.failed = s.failed,
		.calls = spend.calls,
		.spent = spend.spent + spend.reserved,
		.budget = ep->budget_day >= 0 ? ep->budget_day : NAN,
		.last_at = s.last_error_at };
	if (s.wait_ms > 0)
		r->wait_s = (s.wait_ms + 999) / 1000;
	if (s.last_error_at != 0) {
		r->last_class = text_of(llm_class_name(s.last_class));
		r->last_why = text_of(llm_why_name(s.last_why));
		r->last_error = text_clean(
		    rq->pool, str_of(pool_strdup(rq->pool, s.last_error)));
	}
	if (s.last_model[0] != '\0')
		r->last_model = text_clean(
		    rq->pool, str_of(pool_strdup(rq->pool, s.last_model)));
	return ERR_OK;
}

/* Without anything that could be a key: user, password, query. */
static struct text
address(struct req *rq, struct text url)
{
	struct str s = { url.p, url.n };
	struct str head = str_cut(&s, '?');
	const char *at = memrchr(head.p, '@', head.n);
	const char *host = memmem(head.p, head.n, "://", 3);

	if (at == NULL || host == NULL || at < host)
		return (struct text){ head.p, head.n };
	host += 3;
	s = pool_printf(rq->pool, "%.*s%.*s", (int)(host - head.p), head.p,
	    (int)(head.n - (size_t)(at + 1 - head.p)), at + 1);
	return (struct text){ s.p, s.n };
}

static struct view_list
stock(struct req *rq, int64_t *target)
{
	char(*names)[32] = pool_array(rq->pool, STOCK_TYPES, sizeof(*names));
	struct stock_numbers n = { 0 };
	struct stock_row *rows;

	*target = rq->conf->stock;
	if (names == NULL)
		return view_list(NULL, 0);
	works_stock(rq->site->works, &n, names);
	rows = pool_array(rq->pool, n.n + 1, sizeof(*rows));
	for (size_t i = 0; rows != NULL && i < n.n; i++)
		rows[i] = (struct stock_row){
			.type =
			    view_say(page_message("type.", n.types[i].type)),
			.ready = n.types[i].ready,
			.coming = n.types[i].coming,
			.low = n.types[i].ready < *target,
		};
	return view_list(rows, rows == NULL ? 0 : n.n);
}
