/*
 * job_parts - what the queue shares with its runner and with matches.
 *
 * Layer    model; also its tests.
 * Memory   stated with each function.
 * Threads  inside store_write.
 */
#ifndef PA_JOB_PARTS_H
#define PA_JOB_PARTS_H

#include "model/job.h"

/* Longest wait that is ever asked for; what lies further ahead comes from a
 * clock that was set back. */
#define JOB_WAIT_MAX 600
#define JOB_HOLDER 32

/* SQL: since when the job named J stands in line.  One that failed stands at
 * the end of the line when it may be tried again. */
#define JOB_SINCE(J)                                                           \
	"iif(" J ".delays > 0, max(" J ".made_at, " J ".not_before), " J       \
	".made_at)"

/* SQL: how many queued jobs go before the queued job j. */
#define JOBS_BEFORE_J                                                          \
	"(SELECT count(*) FROM job o WHERE o.state = 'queued'"                 \
	" AND (o.priority > j.priority OR (o.priority = j.priority"            \
	" AND (" JOB_SINCE("o") ", o.id) < (" JOB_SINCE("j") ", j.id))))"

/* A queued job, as the runner sees it. */
struct job_row {
	int64_t id, ref, account, attempts, charges, made_at;
	enum job_kind kind;
	int64_t priority;
	int64_t delays; /* times its failing put it off */
};

/* Seconds to wait after failing so often (0: the first time), u of [0, 1):
 * from delay_ms doubling to cap_ms, less up to a quarter. */
int64_t job_delay(int64_t delays, int64_t delay_ms, int64_t cap_ms, double u);

/* The most urgent ones that are due, at most max. */
enum err job_due(struct db *db, int64_t now, struct job_row *rows, size_t max,
    size_t *n) PA_MUST_USE;

/* Seconds until the next one that is not due yet; -1: there is none. */
enum err job_next_wait(
    struct db *db, int64_t now, int64_t *seconds) PA_MUST_USE;

/*
 * Reserve its money, count its attempt, make it ours: on the disk before the
 * request leaves.  ERR_CONFLICT: it is no longer queued.  ERR_LIMIT: no
 * money is left today.
 */
struct job_claim {
	const struct job_row *job;
	struct text endpoint;
	double cost;            /* the most it can cost */
	double endpoint_budget; /* of a day; negative: any */
	double account_budget;
	int64_t lease_s;
	const char *holder;
};
enum err job_claim(struct store_tx *tx, const struct job_claim *c) PA_MUST_USE;

/* How it ends, or goes back into the queue. */
struct job_end {
	int64_t id;
	enum job_verdict verdict; /* JOB_RETRY and JOB_LATER: queued again */
	bool asked;        /* it was claimed; else only its state changes */
	bool free;         /* asked, but nothing can have been charged */
	bool uncounted;    /* asked, but the attempt does not count */
	bool failed;       /* queued again because asking failed */
	double cost;       /* what it did cost */
	int64_t wait_s;    /* until it may be tried again */
	struct text error; /* masked; absent: none */
};
enum err job_finish(struct store_tx *tx, const struct job_end *e) PA_MUST_USE;

/*
 * Jobs that another holder left running: what it reserved counts as spent,
 * they are queued again.  Those that have no attempt or charge left are
 * listed: the caller ends them as failed.
 */
enum err job_recover(struct store_tx *tx, const char *holder,
    struct job_row *spent, size_t max, size_t *n) PA_MUST_USE;

#endif /* PA_JOB_PARTS_H */
