/* This file knows how to end what was asked, and what never could be. */
#include "config.h"

#include "model/job_flight.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/text.h"
#include "model/conf.h"
#include "model/store.h"

#define MONEY_WAIT_S 300
/* So long that one job alone fails less often than opens a breaker. */
#define DELAY_MS 15000
#define DELAY_CAP_MS 300000
#define ERROR_MAX 400

/* What the writer's thread is handed. */
struct finish_args {
	struct job_end *end;
	const struct job_handler *handler;
	const struct conf *conf;
	int64_t ref;
	const struct llm_answer *answer;
	void *data;
};

static void settle_verdict(struct flight *f);
static int64_t wait_of(const struct flight *f);
static enum err finish_fn(struct store_tx *tx, void *arg);

void
flight_digest(struct flight *f, struct db *db)
{
	const struct job_handler *h = f->rc->handlers[f->job.kind];
	const struct llm_answer *a = &f->answer;
	struct job_room room = { .db = db,
		.pool = f->pool,
		.conf = f->conf,
		.now = clock_now(),
		.ref = f->job.ref,
		.attempt = f->job.attempts };

	if (f->digested)
		return;
	f->digested = true;
	if (a->why == LLM_WHY_CANCELLED || a->why == LLM_WHY_QUEUE_TIME)
		f->verdict = JOB_LATER;
	else
		f->verdict = h->digest(h->ctx, &room, a, &f->data);
	if (pool_failed(f->pool))
		f->verdict = JOB_FAILED;
	settle_verdict(f);
	if (f->verdict == JOB_FAILED || f->verdict == JOB_RETRY)
		log_notice("%s job %lld, attempt %lld: %s, %s",
		    job_kind_name(f->job.kind), (long long)f->job.id,
		    (long long)f->job.attempts, llm_class_name(a->class),
		    llm_why_name(a->why));
}

/* Are there attempts, charges and time left for what the handler wants? */
static void
settle_verdict(struct flight *f)
{
	const struct llm_answer *a = &f->answer;
	const struct job_handler *h = f->rc->handlers[f->job.kind];
	bool free = a->charged == 0, uncounted;
	int64_t attempts, charges = f->job.charges - free;
	char error[ERROR_MAX];
	struct str line;

	/* An outage is not the fault of what is stocked for later. */
	if (f->verdict == JOB_RETRY && f->job.priority == JOB_IDLE && free &&
	    a->class == LLM_TRANSIENT && a->why != LLM_WHY_PARAMETER)
		f->verdict = JOB_LATER;
	uncounted = free && f->verdict == JOB_LATER;
	attempts = f->job.attempts - uncounted;
	if ((f->verdict == JOB_RETRY || f->verdict == JOB_LATER) &&
	    (charges >= JOB_CHARGES || attempts >= JOB_ATTEMPTS))
		f->verdict = JOB_FAILED;
	if (f->verdict == JOB_LATER && f->job.priority > JOB_IDLE &&
	    h->keep_s > 0 && clock_now() - f->job.made_at > h->keep_s)
		f->verdict = JOB_FAILED;
	f->end = (struct job_end){ .id = f->job.id,
		.verdict = f->verdict,
		.asked = true,
		.free = free,
		.uncounted = uncounted };
	if (!free) {
		/* What it cost is not told: what was reserved is gone. */
		f->end.cost = llm_cost(f->endpoint, a);
		if (!(f->end.cost > 0))
			f->end.cost = f->cost_max;
	}
	/* Not when it never was asked for. */
	f->end.failed = a->why != LLM_WHY_CANCELLED &&
			a->why != LLM_WHY_QUEUE_TIME &&
			(f->verdict == JOB_LATER || a->class == LLM_TRANSIENT);
	f->end.wait_s = wait_of(f);
	if (f->verdict == JOB_DONE)
		return;
	line = pool_printf(f->pool, "%s %s: %.*s", llm_class_name(a->class),
	    llm_why_name(a->why), (int)(a->detail.n < 200 ? a->detail.n : 200),
	    a->detail.p == NULL ? "" : a->detail.p);
	log_mask(line.p, line.n, error, sizeof(error));
	f->end.error = text_clean(f->pool, str_of(error));
	f->end.error = pool_text(f->pool, f->end.error);
}

/* As the server asks; what is kept for as long as it takes, longer each time.
 */
static int64_t
wait_of(const struct flight *f)
{
	const struct job_runner_conf *rc = f->rc;
	int64_t ms = f->answer.retry_ms;
	int64_t wait = ms > 0 ? (ms + 999) / 1000 : 1;
	int64_t delay = 0;

	if (f->verdict == JOB_LATER && f->end.failed)
		delay = job_delay(f->job.delays,
		    rc->delay_ms > 0 ? rc->delay_ms : DELAY_MS,
		    rc->delay_cap_ms > 0 ? rc->delay_cap_ms : DELAY_CAP_MS,
		    rng_unit());
	if (wait < delay)
		wait = delay;
	return wait < JOB_WAIT_MAX ? wait : JOB_WAIT_MAX;
}

bool
flight_store(struct flight *f)
{
	const struct job_handler *h = f->rc->handlers[f->job.kind];
	struct finish_args args = { .end = &f->end,
		.handler = h,
		.conf = f->conf,
		.ref = f->job.ref,
		.answer = &f->answer,
		.data = f->data };
	enum err e = store_write(f->rc->store, finish_fn, &args);

	if (e == ERR_OK) {
		if (h->stored != NULL)
			h->stored(h->ctx, f->job.ref, f->verdict);
		return true;
	}
	if (!f->complained)
		log_error("an answer waits to be stored: %s", err_name(e));
	f->complained = true;
	return e != ERR_FULL && e != ERR_IO && e != ERR_BUSY;
}

void
flight_give_back(struct flight *f, int64_t wait_s)
{
	struct job_end end = { .id = f->job.id,
		.verdict = JOB_LATER,
		.asked = true,
		.free = true,
		.uncounted = true,
		.wait_s = wait_s };
	struct finish_args args = { .end = &end };
	enum err e = store_write(f->rc->store, finish_fn, &args);

	if (e != ERR_OK)
		log_error("a job cannot be given back: %s", err_name(e));
}

void
flight_end_unasked(const struct job_runner_conf *rc, const struct conf *conf,
    const struct job_row *job, enum job_verdict verdict, const char *error)
{
	const struct job_handler *h = rc->handlers[job->kind];
	struct job_end end = { .id = job->id,
		.verdict = verdict,
		.wait_s = MONEY_WAIT_S,
		.error = text_of(error) };
	struct finish_args args = {
		.end = &end, .handler = h, .conf = conf, .ref = job->ref
	};
	enum err e = store_write(rc->store, finish_fn, &args);

	if (e != ERR_OK)
		log_error("the end of a job cannot be stored: %s", err_name(e));
	else if (h != NULL && h->stored != NULL)
		h->stored(h->ctx, job->ref, verdict);
}

static enum err
finish_fn(struct store_tx *tx, void *arg)
{
	struct finish_args *a = arg;
	enum err e = job_finish(tx, a->end);

	if (e == ERR_OK && a->handler != NULL)
		e = a->handler->store(a->handler->ctx, tx, a->conf, a->ref,
		    a->end->verdict, a->answer, a->data);
	return e;
}
