/*
 * job - work for the model servers: queued, paid for, done once.
 *
 * Layer    model: base, model/llm.
 * Memory   what a handler makes lives in the room's pool, until its job ends.
 * Threads  job_enqueue inside store_write; handlers on the runner's thread
 *          (store: on the writer's); all else from any thread.
 *
 * The queue is table job.  A job is claimed, its money reserved and its
 * attempt counted in one transaction that is on the disk before the request
 * leaves; what came of it is stored in another.  A program that died in
 * between left a row `running` under another holder's name: the next runner
 * gives it back, with the charge that may have been made counted as made.
 * No job is ever charged more than JOB_CHARGES times.
 *
 * A job that is kept although asking failed waits longer each time, and never
 * is what the breaker of its endpoint is tried with while there is another:
 * one question that a server cannot bear keeps no other from it.
 */
#ifndef PA_JOB_H
#define PA_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

struct conf;
struct conf_setup;
struct db;
struct job_runner;
struct llm;
struct llm_answer;
struct llm_endpoint;
struct llm_message;
struct store;
struct store_tx;

enum job_kind {
	JOB_ANSWER, /* ref: answer id */
	JOB_TUTOR,  /* ref: tutor message id */
	JOB__MAX
};

/* What is more urgent goes first; among equals, who came first.  A job that
 * failed waits, and comes back as if it came then. */
enum job_priority {
	JOB_IDLE = 0,     /* stock for later */
	JOB_ASKED = 50,   /* somebody was told it takes a while: the tutor */
	JOB_AWAITED = 100 /* somebody sits before a page that waits for it */
};

#define JOB_ATTEMPTS 3 /* requests that leave for one job ... */
#define JOB_CHARGES 2  /* ... of which so many may cost something */

/* ---- asking for work, inside store_write ---- */

struct job_order {
	enum job_kind kind;
	int64_t ref;
	enum job_priority priority;
	int64_t account; /* on whose daily allowance; 0: the site's own */
};

/*
 * Put a job in the queue; the caller's rows and this one are kept or undone
 * together.  One that is there already becomes as urgent as asked for; one
 * that had failed begins anew; one that is done stays done.
 * ERR_LIMIT: the queue is full (idle jobs never fill it for others), or the
 * account has used up its allowance of today.
 * After store_write has returned: job_wake.
 */
enum err job_enqueue(struct store_tx *tx, const struct conf *conf,
    const struct job_order *o) PA_MUST_USE;

/* Whoever runs the site has changed something: nothing that was put off waits
 * for longer. */
enum err job_renew(struct store_tx *tx) PA_MUST_USE;

/* Nobody wants it any more: a queued job goes, a running one runs on. */
enum err job_cancel(
    struct store_tx *tx, enum job_kind kind, int64_t ref) PA_MUST_USE;

/* How a job stands, for pages that wait.  ERR_NOTFOUND: there is none. */
struct job_state {
	bool done, failed, running;
	int64_t attempts;
	int64_t ahead;   /* jobs that go first; 0 when running */
	int64_t made_at; /* Unix seconds */
};
enum err job_look(struct db *db, enum job_kind kind, int64_t ref,
    struct job_state *out) PA_MUST_USE;

/* ---- doing the work: one handler a kind ---- */

/* What a handler is given; the pool and all in it end with the job. */
struct job_room {
	struct db *db; /* the runner's own reading connection */
	struct pool *pool;
	const struct conf *conf;
	int64_t now; /* Unix seconds */
	int64_t ref;
	int64_t attempt; /* 1: the first */
};

struct job_ask {
	const struct conf_setup *setup; /* of room->conf; names the endpoint */
	const struct llm_message *messages; /* in the room's pool */
	size_t messages_n;
};

enum job_verdict {
	JOB_DONE,   /* stored for good */
	JOB_RETRY,  /* ask once more, if attempts and charges allow */
	JOB_FAILED, /* no use */
	JOB_LATER   /* not now: the server is away; keep it, try again */
};

struct job_handler {
	/*
	 * Read what is to be asked.  ERR_NOTFOUND: nobody needs it any more,
	 * the job ends as done; ERR_CONFIG: it cannot be asked (no setup, no
	 * endpoint), the job fails.
	 */
	enum err (*prepare)(
	    void *ctx, struct job_room *room, struct job_ask *ask) PA_MUST_USE;
	/*
	 * An answer of whatever class came.  Clean, render, judge; nothing is
	 * stored yet.  *data is handed to store.  job_verdict_of is what
	 * most need.
	 */
	enum job_verdict (*digest)(void *ctx, struct job_room *room,
	    const struct llm_answer *a, void **data);
	/*
	 * On the writer's thread, in the transaction that ends or requeues
	 * the job.  verdict is final: a retry that is not allowed comes as
	 * JOB_FAILED.  a is NULL when nothing was asked (prepare failed, the
	 * attempts were used up by dying programs).
	 */
	enum err (*store)(void *ctx, struct store_tx *tx,
	    const struct conf *conf, int64_t ref, enum job_verdict verdict,
	    const struct llm_answer *a, void *data) PA_MUST_USE;
	/* On the runner's thread, after it is durable; may be NULL. */
	void (*stored)(void *ctx, int64_t ref, enum job_verdict verdict);
	void *ctx;
	/* Kept while the server is away (JOB_LATER) for so many seconds. */
	int64_t keep_s;
};

/* By class alone: text is done, what may work is tried again. */
enum job_verdict job_verdict_of(const struct llm_answer *a);

/* ---- the runner: one thread of `serve` ---- */

struct job_runner_conf {
	struct store *store;
	struct llm *llm;
	/* The configuration in force, borrowed until give_conf. */
	const struct conf *(*take_conf)(void *ctx_conf, void **hold);
	void (*give_conf)(void *ctx_conf, void *hold);
	void *ctx_conf;
	/* Called when nothing else is to be done, at most once a second: it
	 * may enqueue idle jobs.  NULL: nothing to do. */
	void (*idle)(void *ctx, struct db *db, const struct conf *conf);
	void *ctx;
	const struct job_handler *handlers[JOB__MAX]; /* NULL: kind is off */
	/* How long what failed is kept from being tried again, the first time
	 * and at most; 0: from 15 s to 5 min.  For tests. */
	int64_t delay_ms, delay_cap_ms;
};

enum err job_runner_start(
    struct job_runner **out, const struct job_runner_conf *rc) PA_MUST_USE;

/* Look into the queue now.  NULL is allowed: then nothing runs jobs. */
void job_wake(struct job_runner *r);

/* No new requests; call before llm_stop, which ends those under way. */
void job_runner_quiesce(struct job_runner *r);

/* After llm_stop: store what came, end the thread, free. */
void job_runner_stop(struct job_runner *r);

/* ---- numbers for pages, /metrics and status ---- */

struct job_numbers {
	int64_t queued[JOB__MAX], running[JOB__MAX], failed[JOB__MAX];
	int64_t awaited;   /* queued or running for somebody who waits */
	int64_t oldest_at; /* of the queued ones that are not idle; 0 none */
};
enum err job_numbers_load(struct db *db, struct job_numbers *out) PA_MUST_USE;

struct job_spend { /* of one endpoint on the campus day of `now` */
	double reserved, spent;
	int64_t calls;
};
enum err job_spend_load(struct db *db, struct text endpoint, int64_t now,
    struct job_spend *out) PA_MUST_USE;

/* "answer", "tutor". */
const char *job_kind_name(enum job_kind k);

#endif /* PA_JOB_H */
