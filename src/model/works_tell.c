/* This file knows how to tell machines and administrators how the works go. */
#include "config.h"

#include <inttypes.h>

#include "base/clock.h"
#include "model/conf.h"
#include "model/llm.h"
#include "model/works.h"

static void status_endpoint(struct works *w, struct db *db,
    const struct llm_endpoint *ep, struct buf *out);
static void label(struct buf *out, struct text id);
static void family(
    struct buf *out, const char *name, const char *type, const char *help);
static void metrics_endpoints(
    struct works *w, struct db *db, const struct conf *conf, struct buf *out);
static void metrics_spend(
    struct db *db, const struct conf *conf, struct buf *out);

void
works_status(
    struct works *w, struct db *db, const struct conf *conf, struct buf *out)
{
	struct job_numbers n;
	struct stock_numbers stock;
	char names[STOCK_TYPES][32];

	if (job_numbers_load(db, &n) == ERR_OK) {
		for (size_t k = 0; k < JOB__MAX; k++)
			buf_printf(out,
			    "jobs.%s queued %" PRId64 " running %" PRId64
			    " failed %" PRId64 "\n",
			    job_kind_name((enum job_kind)k), n.queued[k],
			    n.running[k], n.failed[k]);
		buf_printf(out, "jobs.awaited %" PRId64 "\n", n.awaited);
	}
	works_stock(w, &stock, names);
	for (size_t i = 0; i < stock.n; i++)
		buf_printf(out,
		    "stock.%s ready %" PRId64 " coming %" PRId64
		    " target %" PRId64 "\n",
		    names[i], stock.types[i].ready, stock.types[i].coming,
		    stock.target);
	for (size_t i = 0; i < conf->endpoints_n; i++)
		status_endpoint(w, db, &conf->endpoints[i], out);
}

static void
status_endpoint(struct works *w, struct db *db, const struct llm_endpoint *ep,
    struct buf *out)
{
	struct llm_state s = { .health = LLM_HEALTH_UNKNOWN };
	struct job_spend spend = { 0 };

	if (works_llm(w) != NULL)
		llm_state(works_llm(w), ep->id, &s);
	(void)!job_spend_load(db, ep->id, clock_now(), &spend);
	buf_printf(out,
	    "endpoint.%s %s running %" PRId64 " answered %" PRId64
	    " failed %" PRId64 " calls-today %" PRId64 " spent-today ",
	    ep->id.p, llm_health_name(s.health), s.running, s.answered,
	    s.failed, spend.calls);
	buf_fixed(out, spend.spent + spend.reserved, 4);
	if (ep->budget_day >= 0) {
		buf_z(out, " of ");
		buf_fixed(out, ep->budget_day, 4);
	}
	buf_c(out, '\n');
	if (s.last_error_at != 0)
		buf_printf(out, "endpoint.%s.last-error %s %s: %s\n", ep->id.p,
		    llm_class_name(s.last_class), llm_why_name(s.last_why),
		    s.last_error);
}

void
works_metrics(
    struct works *w, struct db *db, const struct conf *conf, struct buf *out)
{
	struct stock_numbers stock;
	char names[STOCK_TYPES][32];
	struct job_numbers n;

	if (job_numbers_load(db, &n) == ERR_OK) {
		family(out, "jobs", "gauge",
		    "Work for model servers by kind and state.");
		for (size_t k = 0; k < JOB__MAX; k++) {
			const char *kind = job_kind_name((enum job_kind)k);

			buf_printf(out,
			    "prompt_arena_jobs{kind=\"%s\",state=\"queued\"} "
			    "%" PRId64 "\n"
			    "prompt_arena_jobs{kind=\"%s\",state=\"running\"} "
			    "%" PRId64 "\n"
			    "prompt_arena_jobs{kind=\"%s\",state=\"failed\"} "
			    "%" PRId64 "\n",
			    kind, n.queued[k], kind, n.running[k], kind,
			    n.failed[k]);
		}
		family(out, "jobs_awaited", "gauge",
		    "Answers that somebody waits for now.");
		buf_printf(
		    out, "prompt_arena_jobs_awaited %" PRId64 "\n", n.awaited);
		family(out, "jobs_oldest_seconds", "gauge",
		    "Age of the oldest queued job that a person caused.");
		buf_printf(out,
		    "prompt_arena_jobs_oldest_seconds %" PRId64 "\n",
		    n.oldest_at == 0 ? 0 : clock_now() - n.oldest_at);
	}
	works_stock(w, &stock, names);
	family(out, "stock_pairs", "gauge",
	    "Ready pairs of answers that still lack voters.");
	for (size_t i = 0; i < stock.n; i++)
		buf_printf(out,
		    "prompt_arena_stock_pairs{type=\"%s\"} %" PRId64 "\n",
		    names[i], stock.types[i].ready);
	family(out, "stock_target", "gauge", "How many are wanted of a type.");
	buf_printf(out, "prompt_arena_stock_target %" PRId64 "\n", conf->stock);
	metrics_endpoints(w, db, conf, out);
}

static void
metrics_endpoints(
    struct works *w, struct db *db, const struct conf *conf, struct buf *out)
{
	static const struct {
		const char *name, *type, *help;
	} kinds[] = {
		{ "endpoint_up", "gauge", "1 while it takes questions." },
		{ "endpoint_breaker_open", "gauge",
		    "1 while it is left alone after failures." },
		{ "endpoint_running", "gauge", "Requests under way." },
		{ "endpoint_attempts_total", "counter",
		    "Requests that left since the start." },
		{ "endpoint_answered_total", "counter",
		    "Questions answered since the start." },
		{ "endpoint_failed_total", "counter",
		    "Questions that failed since the start." },
		{ "endpoint_tokens_total", "counter",
		    "Tokens in and out since the start." },
	};

	for (size_t k = 0;
	     works_llm(w) != NULL && k < sizeof(kinds) / sizeof(kinds[0]);
	     k++) {
		family(out, kinds[k].name, kinds[k].type, kinds[k].help);
		for (size_t i = 0; i < conf->endpoints_n; i++) {
			const struct llm_endpoint *ep = &conf->endpoints[i];
			struct llm_state s;
			int64_t v[7];

			llm_state(works_llm(w), ep->id, &s);
			v[0] = llm_ready(works_llm(w), ep);
			v[1] = s.health == LLM_HEALTH_OPEN ||
			       s.health == LLM_HEALTH_PROBING;
			v[2] = s.running;
			v[3] = s.attempts;
			v[4] = s.answered;
			v[5] = s.failed;
			v[6] = s.tokens_in + s.tokens_out;
			buf_printf(out, "prompt_arena_%s", kinds[k].name);
			label(out, ep->id);
			buf_printf(out, " %" PRId64 "\n", v[k]);
		}
	}
	metrics_spend(db, conf, out);
}

static void
metrics_spend(struct db *db, const struct conf *conf, struct buf *out)
{
	static const char *const names[] = { "spend_today", "budget_today" };
	static const char *const helps[] = {
		"Money spent and reserved since midnight.",
		"Money that may be spent a day, where it is limited."
	};

	for (size_t k = 0; k < 2; k++) {
		family(out, names[k], "gauge", helps[k]);
		for (size_t i = 0; i < conf->endpoints_n; i++) {
			const struct llm_endpoint *ep = &conf->endpoints[i];
			struct job_spend spend = { 0 };

			if (k == 1 && ep->budget_day < 0)
				continue;
			(void)!job_spend_load(db, ep->id, clock_now(), &spend);
			buf_printf(out, "prompt_arena_%s", names[k]);
			label(out, ep->id);
			buf_c(out, ' ');
			buf_fixed(out,
			    k == 1 ? ep->budget_day
				   : spend.spent + spend.reserved,
			    6);
			buf_c(out, '\n');
		}
	}
}

static void
family(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out,
	    "# HELP prompt_arena_%s %s\n# TYPE prompt_arena_%s "
	    "%s\n",
	    name, help, name, type);
}

/* An id of arena.xml needs no escaping: letters, digits, hyphens. */
static void
label(struct buf *out, struct text id)
{
	buf_printf(out, "{endpoint=\"%.*s\"}", (int)id.n, id.p);
}
