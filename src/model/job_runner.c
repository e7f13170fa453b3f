/* This file knows how to have jobs done: one thread that asks, waits for
 * nobody, and stores. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "model/conf.h"
#include "model/job.h"
#include "model/job_flight.h"
#include "model/job_parts.h"
#include "model/llm.h"
#include "model/store.h"
#include "port/db.h"

#define DUE_MAX 256
#define ENDPOINTS_MAX 64
#define RECOVER_MAX 1000
#define JOB_POOL ((size_t)64 << 20)
#define TICK_MS 1000  /* how often the queue is looked at unasked */
#define AGAIN_MS 1000 /* after the store would not take a result */
#define LEASE_SPARE_S 60

struct slot { /* an endpoint, for the length of one look */
	const struct llm_endpoint *endpoint;
	int64_t running;
	bool closed;   /* takes no question */
	bool trusting; /* takes only such as have not failed */
	bool probe;    /* the next question tells whether it is back */
};

struct job_runner {
	struct job_runner_conf rc;
	char holder[JOB_HOLDER];
	pthread_t thread;
	pthread_mutex_t looking; /* held while jobs may be asked */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	/* under lock */
	bool woken, quiet, stopping;
	struct flight *landed;
	/* the thread's own */
	struct db *db;
	struct flight *flying; /* asked, not yet landed */
	struct flight *unstored;
	int64_t idle_at; /* monotonic: not before then */
};

/* What the writer's thread is handed. */
struct claim_args {
	struct job_claim claim;
};

struct recover_args {
	const char *holder;
	struct job_row *spent;
	size_t n;
};

static void *run(void *);
static void pause_until(struct job_runner *);
static void take_landed(struct job_runner *);
static void recover(struct job_runner *);
static void look(struct job_runner *);
static void try_all(struct job_runner *r, struct job_row *due, size_t n);
static bool try_job(struct job_runner *r, const struct job_row *job,
    struct slot *slots, size_t *slots_n, bool last);
static int64_t room_for(
    const struct llm_endpoint *ep, const struct job_row *job);
static struct slot *slot_of(struct job_runner *r, const struct llm_endpoint *ep,
    struct slot *slots, size_t *n);
static bool is_closed(const struct slot *slot, const struct job_row *job);
static bool is_overdue(const struct job_runner *r, const struct job_row *job);
static void depart(struct job_runner *r, struct flight *f,
    const struct llm_question *q, struct slot *slot);
static void landed(void *arg, const struct llm_answer *a);
static void unlink_flight(struct job_runner *r, const struct flight *f);
static void close_flight(struct job_runner *r, struct flight *f);
static enum err claim_fn(struct store_tx *tx, void *arg);
static enum err recover_fn(struct store_tx *tx, void *arg);

enum err
job_runner_start(struct job_runner **out, const struct job_runner_conf *rc)
{
	struct job_runner *r = calloc(1, sizeof(*r));
	char token[RNG_TOKEN_LEN + 1];
	pthread_condattr_t attr;
	enum err e;

	if (r == NULL)
		return ERR_NOMEM;
	r->rc = *rc;
	rng_token(token);
	memcpy(r->holder, token, sizeof(token));
	e = store_read_open(rc->store, &r->db);
	if (e != ERR_OK) {
		free(r);
		return e;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->looking, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->cond, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&r->thread, NULL, run, r) != 0) {
		db_close(r->db);
		pthread_cond_destroy(&r->cond);
		pthread_mutex_destroy(&r->lock);
		pthread_mutex_destroy(&r->looking);
		free(r);
		return ERR_NOMEM;
	}
	*out = r;
	return ERR_OK;
}

void
job_wake(struct job_runner *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	r->woken = true;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&r->lock);
}

void
job_runner_quiesce(struct job_runner *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	r->quiet = true;
	pthread_mutex_unlock(&r->lock);
	/* A look under way may still ask: wait for its end. */
	pthread_mutex_lock(&r->looking);
	pthread_mutex_unlock(&r->looking);
}

void
job_runner_stop(struct job_runner *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	r->quiet = r->stopping = true;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->cond);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->looking);
	free(r);
}

static void *
run(void *arg)
{
	struct job_runner *r = arg;
	bool stopping = false, quiet;

	db_adopt(r->db);
	recover(r);
	while (!stopping) {
		pthread_mutex_lock(&r->looking);
		pthread_mutex_lock(&r->lock);
		quiet = r->quiet;
		pthread_mutex_unlock(&r->lock);
		if (!quiet)
			look(r);
		pthread_mutex_unlock(&r->looking);
		pause_until(r);
		take_landed(r);
		pthread_mutex_lock(&r->lock);
		stopping = r->stopping && r->landed == NULL;
		pthread_mutex_unlock(&r->lock);
	}
	/* llm_stop has ended every request, so nothing flies any more; what
	 * could not be stored is still a running job: the next start's. */
	while (r->unstored != NULL) {
		struct flight *f = r->unstored;

		r->unstored = f->next;
		close_flight(r, f);
	}
	db_close(r->db);
	return NULL;
}

/* Until something landed, somebody called, or a tick has gone by. */
static void
pause_until(struct job_runner *r)
{
	int64_t until =
	    clock_mono_ms() + (r->unstored != NULL ? AGAIN_MS : TICK_MS);
	struct timespec at = { .tv_sec = until / 1000,
		.tv_nsec = until % 1000 * 1000000 };
	int rc = 0;

	pthread_mutex_lock(&r->lock);
	while (!r->woken && !r->stopping && r->landed == NULL && rc == 0)
		rc = pthread_cond_timedwait(&r->cond, &r->lock, &at);
	r->woken = false;
	pthread_mutex_unlock(&r->lock);
}

/* Store what landed; what the store does not take stays for later. */
static void
take_landed(struct job_runner *r)
{
	struct flight *list, *f, *kept = NULL;

	pthread_mutex_lock(&r->lock);
	list = r->landed;
	r->landed = NULL;
	pthread_mutex_unlock(&r->lock);
	for (f = list; f != NULL; f = f->landed_next) {
		unlink_flight(r, f);
		f->next = r->unstored;
		r->unstored = f;
	}
	while ((f = r->unstored) != NULL) {
		r->unstored = f->next;
		flight_digest(f, r->db);
		if (flight_store(f)) {
			close_flight(r, f);
		} else {
			f->next = kept;
			kept = f;
		}
	}
	r->unstored = kept;
}

/* What a program that died has left. */
static void
recover(struct job_runner *r)
{
	struct recover_args args = { .holder = r->holder };
	void *hold = NULL;
	const struct conf *conf;
	enum err e;

	args.spent = calloc(RECOVER_MAX, sizeof(*args.spent));
	if (args.spent == NULL)
		return;
	e = store_write(r->rc.store, recover_fn, &args);
	if (e != ERR_OK)
		log_error("jobs left by an earlier run cannot be taken over: "
			  "%s",
		    err_name(e));
	conf = r->rc.take_conf(r->rc.ctx_conf, &hold);
	for (size_t i = 0; e == ERR_OK && i < args.n; i++)
		flight_end_unasked(&r->rc, conf, &args.spent[i], JOB_FAILED,
		    "cut short too often");
	r->rc.give_conf(r->rc.ctx_conf, hold);
	free(args.spent);
}

/* Ask whatever may be asked now; then, with nothing urgent left, idle. */
static void
look(struct job_runner *r)
{
	struct job_row due[DUE_MAX];
	size_t n = 0;
	void *hold = NULL;
	const struct conf *conf = r->rc.take_conf(r->rc.ctx_conf, &hold);
	enum err e = job_due(r->db, clock_now(), due, DUE_MAX, &n);

	if (e != ERR_OK)
		log_error("the queue of jobs cannot be read: %s", err_name(e));
	try_all(r, due, n);
	if (r->rc.idle != NULL && clock_mono_ms() >= r->idle_at) {
		r->idle_at = clock_mono_ms() + TICK_MS;
		r->rc.idle(r->rc.ctx, r->db, conf);
	}
	r->rc.give_conf(r->rc.ctx_conf, hold);
}

/* What has failed before is no probe of an endpoint that is left alone while
 * another job can be: its own question may be what is wrong. */
static void
try_all(struct job_runner *r, struct job_row *due, size_t n)
{
	struct slot slots[ENDPOINTS_MAX];
	size_t slots_n = 0, left = 0;

	for (size_t i = 0; i < n; i++) {
		if (!try_job(r, &due[i], slots, &slots_n, false))
			due[left++] = due[i];
	}
	for (size_t i = 0; i < left; i++)
		(void)try_job(r, &due[i], slots, &slots_n, true);
}

/* False: to be tried once more, as the last. */
static bool
try_job(struct job_runner *r, const struct job_row *job, struct slot *slots,
    size_t *slots_n, bool last)
{
	const struct job_handler *h = r->rc.handlers[job->kind];
	struct flight *f;
	struct job_room room;
	struct job_ask ask = { 0 };
	struct llm_question q = { .attempts = 1 };
	struct slot *slot;
	enum err e;

	if (h == NULL)
		return true;
	f = calloc(1, sizeof(*f));
	if (f == NULL || (f->pool = pool_open(JOB_POOL)) == NULL) {
		free(f);
		return true;
	}
	f->runner = r;
	f->rc = &r->rc;
	f->job = *job;
	/* A hold of its own: the request may outlive a reload. */
	f->conf = r->rc.take_conf(r->rc.ctx_conf, &f->hold);
	room = (struct job_room){ .db = r->db,
		.pool = f->pool,
		.conf = f->conf,
		.now = clock_now(),
		.ref = job->ref,
		.attempt = job->attempts + 1 };
	e = h->prepare(h->ctx, &room, &ask);
	if (e == ERR_OK) {
		f->endpoint = conf_endpoint_find(f->conf, ask.setup->endpoint);
		if (f->endpoint == NULL)
			e = ERR_CONFIG;
	}
	if (e != ERR_OK) {
		if (e == ERR_NOTFOUND)
			flight_end_unasked(
			    &r->rc, f->conf, job, JOB_DONE, NULL);
		else if (e == ERR_CONFIG)
			flight_end_unasked(
			    &r->rc, f->conf, job, JOB_FAILED, "no endpoint");
		close_flight(r, f);
		return true;
	}
	slot = slot_of(r, f->endpoint, slots, slots_n);
	if (slot != NULL && slot->probe && !slot->closed && job->delays > 0 &&
	    !last) {
		close_flight(r, f);
		return false;
	}
	if (slot == NULL || is_closed(slot, job) ||
	    slot->running >= room_for(f->endpoint, job)) {
		if (slot != NULL && is_closed(slot, job) && is_overdue(r, job))
			flight_end_unasked(&r->rc, f->conf, job, JOB_FAILED,
			    "the server is away");
		close_flight(r, f);
		return true;
	}
	q.model = ask.setup->model;
	q.parameters = ask.setup->parameters;
	q.parameters_n = ask.setup->parameters_n;
	q.messages = ask.messages;
	q.messages_n = ask.messages_n;
	q.first_attempt = job->attempts;
	q.suspect = job->delays > 0;
	depart(r, f, &q, slot);
	return true;
}

/* To this job? */
static bool
is_closed(const struct slot *slot, const struct job_row *job)
{
	return slot->closed || (slot->trusting && job->delays > 0);
}

/* One place is kept for whoever comes while stock is being written. */
static int64_t
room_for(const struct llm_endpoint *ep, const struct job_row *job)
{
	return ep->concurrency > 1 && job->priority == JOB_IDLE
		   ? ep->concurrency - 1
		   : ep->concurrency;
}

static struct slot *
slot_of(struct job_runner *r, const struct llm_endpoint *ep, struct slot *slots,
    size_t *n)
{
	struct llm_state state;
	struct slot *s;

	for (size_t i = 0; i < *n; i++) {
		const struct text id = slots[i].endpoint->id;

		if (id.n == ep->id.n && memcmp(id.p, ep->id.p, id.n) == 0)
			return &slots[i];
	}
	if (*n == ENDPOINTS_MAX)
		return NULL;
	s = &slots[(*n)++];
	llm_state(r->rc.llm, ep->id, &state);
	*s = (struct slot){ .endpoint = ep,
		.closed = !llm_ready(r->rc.llm, ep),
		.trusting = state.wait_ms > 0,
		.probe = state.health == LLM_HEALTH_OPEN ||
			 state.health == LLM_HEALTH_BROKEN };
	for (const struct flight *f = r->flying; f != NULL; f = f->next) {
		const struct text id = f->endpoint->id;

		s->running +=
		    id.n == ep->id.n && memcmp(id.p, ep->id.p, id.n) == 0;
	}
	return s;
}

/* Somebody has waited for a server that is away for long enough. */
static bool
is_overdue(const struct job_runner *r, const struct job_row *job)
{
	int64_t keep = r->rc.handlers[job->kind]->keep_s;

	return job->priority > JOB_IDLE && keep > 0 &&
	       clock_now() - job->made_at > keep;
}

/* Reserve, count, and only then ask. */
static void
depart(struct job_runner *r, struct flight *f, const struct llm_question *q,
    struct slot *slot)
{
	struct claim_args args = {
		.claim = { .job = &f->job,
		    .endpoint = f->endpoint->id,
		    .endpoint_budget = f->endpoint->budget_day,
		    .account_budget = f->conf->person_budget,
		    .lease_s = f->endpoint->total_ms / 1000 + LEASE_SPARE_S,
		    .holder = r->holder }
	};
	enum err e;

	f->cost_max = llm_cost_max(f->endpoint, q);
	args.claim.cost = f->cost_max;
	e = store_write(r->rc.store, claim_fn, &args);
	if (e == ERR_LIMIT) {
		/* Stock can wait for tomorrow; whoever waits is told. */
		if (f->job.priority > JOB_IDLE && f->job.kind == JOB_ANSWER)
			flight_end_unasked(&r->rc, f->conf, &f->job, JOB_FAILED,
			    "today's budget is spent");
		else
			flight_end_unasked(&r->rc, f->conf, &f->job, JOB_LATER,
			    "today's budget is spent");
		close_flight(r, f);
		return;
	}
	if (e != ERR_OK) {
		if (e != ERR_CONFLICT)
			log_error("a job cannot be claimed: %s", err_name(e));
		close_flight(r, f);
		return;
	}
	f->job.attempts++;
	f->job.charges++;
	f->next = r->flying;
	r->flying = f;
	e = llm_ask(r->rc.llm, f->endpoint, q, landed, f);
	if (e == ERR_OK) {
		slot->running++;
		slot->closed = slot->probe; /* one is enough */
		return;
	}
	slot->closed = e == ERR_CLOSED || e == ERR_LIMIT;
	unlink_flight(r, f);
	if (e == ERR_INVALID) {
		f->answer = (struct llm_answer){ .class = LLM_PERMANENT,
			.why = LLM_WHY_CONFIG,
			.retry_ms = -1 };
		flight_digest(f, r->db);
		if (!flight_store(f)) {
			f->next = r->unstored;
			r->unstored = f;
			return;
		}
	} else {
		flight_give_back(f, 1);
	}
	close_flight(r, f);
}

/* On the HTTP thread: copy, hand over, be gone. */
static void
landed(void *arg, const struct llm_answer *a)
{
	struct flight *f = arg;
	struct job_runner *r = f->runner;
	struct text *texts[] = { &f->answer.text, &f->answer.reasoning,
		&f->answer.refusal, &f->answer.finish, &f->answer.model,
		&f->answer.detail, &f->answer.url };

	f->answer = *a;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i]->p != NULL)
			*texts[i] = pool_text(f->pool, *texts[i]);
	}
	pthread_mutex_lock(&r->lock);
	f->landed_next = r->landed;
	r->landed = f;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&r->lock);
}

static void
unlink_flight(struct job_runner *r, const struct flight *f)
{
	struct flight **at = &r->flying;

	while (*at != NULL && *at != f)
		at = &(*at)->next;
	if (*at != NULL)
		*at = f->next;
}

static void
close_flight(struct job_runner *r, struct flight *f)
{
	r->rc.give_conf(r->rc.ctx_conf, f->hold);
	pool_close(f->pool);
	free(f);
}

static enum err
claim_fn(struct store_tx *tx, void *arg)
{
	struct claim_args *a = arg;

	return job_claim(tx, &a->claim);
}

static enum err
recover_fn(struct store_tx *tx, void *arg)
{
	struct recover_args *a = arg;

	return job_recover(tx, a->holder, a->spent, RECOVER_MAX, &a->n);
}
