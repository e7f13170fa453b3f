/* This file knows how to carry out closures one by one, many a commit. */
#include "config.h"

#include "model/store_parts.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"

enum {
	QUEUE_MAX = 1024,       /* waiting closures */
	BATCH_MAX = 256,        /* closures a commit */
	QUIET_MS = 500,         /* until the log is copied, or cured */
	LOG_PAGES_COPY = 4000,  /* copied after that many new pages */
	LOG_PAGES_EMPTY = 16384 /* 64 MB: emptied, even if readers wait */
};

/* One caller, on the caller's stack until `done` is posted. */
struct work {
	store_fn *fn;
	void *arg;
	enum err result;
	bool staged; /* it has lines in the ledger */
	sem_t done;
	struct work *next;
};

struct writer {
	struct db *db;
	struct ledger *ledger;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct work *head, **tail; /* the queue, under lock */
	size_t queued;
	bool stopping;
	bool dozing; /* the thread waits without a time */
	/*
	 * Whoever set `leading` has the connection, the ledger and the three
	 * fields below to itself until it clears it; both under lock.
	 */
	bool leading;
	pthread_t leader;
	bool no_room;         /* the last commit failed */
	int64_t copied_pages; /* of the write-ahead log */
	int64_t last_batch;   /* clock_mono_ms at its end */
	atomic_int_least64_t durable, commits, copied;
	atomic_bool halted;
	pthread_mutex_t watch_lock; /* for those who wait for `durable` */
	pthread_cond_t watch;
	uint64_t nudges; /* under watch_lock */
};

static void *run(void *arg);
static bool wait_for_turn(struct writer *w);
static bool is_due(const struct writer *w);
static void lead(struct writer *w);
static void follow(struct writer *w);
static struct work *take(struct writer *w);
static void run_batch(struct writer *w, struct work *batch);
static enum err run_all(
    struct writer *w, struct store_tx *tx, struct work *batch);
static enum err run_one(struct store_tx *tx, struct work *one);
static enum err commit(struct writer *w, enum err e);
static void publish(struct writer *w);
static void finish(struct work *batch);
static void quiet(struct writer *w);
static void copy_log(struct writer *w, bool now);
static void last_words(struct writer *w);
static bool is_idle(const struct writer *w);

enum err
writer_open(struct writer **out, struct db *db, struct ledger *ledger)
{
	struct writer *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;

	if (w == NULL) {
		ledger_close(ledger);
		db_close(db);
		return ERR_NOMEM;
	}
	w->db = db;
	w->ledger = ledger;
	w->tail = &w->head;
	atomic_init(&w->durable, ledger_durable(ledger));
	atomic_init(&w->halted, false);
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->some, &attr);
	pthread_mutex_init(&w->watch_lock, NULL);
	pthread_cond_init(&w->watch, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&w->thread, NULL, run, w) != 0) {
		log_error("the writer thread cannot be made");
		ledger_close(ledger);
		db_close(db);
		free(w);
		return ERR_IO;
	}
	*out = w;
	return ERR_OK;
}

void
writer_close(struct writer *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->some);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->watch);
	pthread_mutex_destroy(&w->watch_lock);
	pthread_cond_destroy(&w->some);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/*
 * While nobody leads, the queue is empty: whoever comes then leads a batch
 * of its own, on its own thread, and is spared two switches of threads.  What
 * has queued up meanwhile is the thread's.
 */
enum err
writer_run(struct writer *w, store_fn *fn, void *arg)
{
	struct work one = { .fn = fn, .arg = arg };
	struct work *batch = NULL;

	sem_init(&one.done, 0, 0);
	pthread_mutex_lock(&w->lock);
	/* A closure that calls store_write would wait for itself. */
	assert(!w->leading || !pthread_equal(w->leader, pthread_self()));
	if (w->stopping || w->queued == QUEUE_MAX) {
		pthread_mutex_unlock(&w->lock);
		sem_destroy(&one.done);
		return ERR_BUSY;
	}
	*w->tail = &one;
	w->tail = &one.next;
	w->queued++;
	if (!w->leading && w->head == &one) {
		lead(w);
		batch = take(w);
	} else if (!w->leading) {
		pthread_cond_signal(&w->some);
	}
	pthread_mutex_unlock(&w->lock);
	if (batch != NULL) {
		run_batch(w, batch);
		pthread_mutex_lock(&w->lock);
		follow(w);
		pthread_mutex_unlock(&w->lock);
	}
	while (sem_wait(&one.done) != 0)
		assert(errno == EINTR);
	sem_destroy(&one.done);
	return one.result;
}

int64_t
writer_durable(struct writer *w)
{
	return atomic_load(&w->durable);
}

bool
writer_is_halted(struct writer *w)
{
	return atomic_load(&w->halted);
}

void
writer_wait(struct writer *w, struct store_watch *seen, int64_t until_ms)
{
	struct timespec until = { until_ms / 1000, until_ms % 1000 * 1000000L };
	int rc = 0;

	pthread_mutex_lock(&w->watch_lock);
	while (rc == 0 && writer_durable(w) == seen->seq &&
	       w->nudges == seen->nudges)
		rc = until_ms == 0
			 ? pthread_cond_wait(&w->watch, &w->watch_lock)
			 : pthread_cond_timedwait(
			       &w->watch, &w->watch_lock, &until);
	seen->seq = writer_durable(w);
	seen->nudges = w->nudges;
	pthread_mutex_unlock(&w->watch_lock);
}

void
writer_nudge(struct writer *w)
{
	pthread_mutex_lock(&w->watch_lock);
	w->nudges++;
	pthread_cond_broadcast(&w->watch);
	pthread_mutex_unlock(&w->watch_lock);
}

size_t
writer_queued(struct writer *w)
{
	size_t n;

	pthread_mutex_lock(&w->lock);
	n = w->queued;
	pthread_mutex_unlock(&w->lock);
	return n;
}

int64_t
writer_commits(struct writer *w)
{
	return atomic_load(&w->commits);
}

int64_t
writer_copied(struct writer *w)
{
	return atomic_load(&w->copied);
}

/* --------------------------------------------------------- the thread */

static void *
run(void *arg)
{
	struct writer *w = arg;
	struct work *batch;

	pthread_mutex_lock(&w->lock);
	while (wait_for_turn(w)) {
		lead(w);
		batch = take(w);
		pthread_mutex_unlock(&w->lock);
		if (batch != NULL) {
			run_batch(w, batch);
			copy_log(w, false);
		} else {
			quiet(w);
		}
		pthread_mutex_lock(&w->lock);
		follow(w);
	}
	lead(w);
	pthread_mutex_unlock(&w->lock);
	last_words(w);
	return NULL;
}

/* Until there is something to do, true; or nothing ever again, false. */
static bool
wait_for_turn(struct writer *w)
{
	for (;;) {
		int64_t until = clock_mono_ms() + QUIET_MS;
		struct timespec t;

		if (!w->leading) {
			if (w->head != NULL)
				return true;
			if (w->stopping)
				return false;
			if (is_idle(w)) {
				w->dozing = true;
				pthread_cond_wait(&w->some, &w->lock);
				w->dozing = false;
				continue;
			}
			if (is_due(w))
				return true;
			until = w->last_batch + QUIET_MS;
		}
		t = (struct timespec){ until / 1000, until % 1000 * 1000000 };
		(void)pthread_cond_timedwait(&w->some, &w->lock, &t);
	}
}

/* Nothing to copy and nothing to cure: sleep until called. */
static bool
is_idle(const struct writer *w)
{
	return db_log_pages(w->db) == w->copied_pages && !w->no_room &&
	       !ledger_is_broken(w->ledger);
}

/* A quiet while has passed, or the log has grown enough. */
static bool
is_due(const struct writer *w)
{
	return clock_mono_ms() >= w->last_batch + QUIET_MS ||
	       db_log_pages(w->db) - w->copied_pages >= LOG_PAGES_COPY;
}

static void
lead(struct writer *w)
{
	assert(!w->leading);
	w->leading = true;
	w->leader = pthread_self();
	db_adopt(w->db);
}

/* The thread is called when there is something for it, or none to call it. */
static void
follow(struct writer *w)
{
	w->leading = false;
	w->last_batch = clock_mono_ms();
	if (w->head != NULL || w->stopping || w->dozing || is_due(w))
		pthread_cond_signal(&w->some);
}

/* What has queued up, at most BATCH_MAX; NULL when nothing has. */
static struct work *
take(struct writer *w)
{
	struct work *first = w->head, **end = &w->head;

	for (size_t i = 0; i < BATCH_MAX && *end != NULL; i++) {
		end = &(*end)->next;
		w->queued--;
	}
	w->head = *end;
	if (w->head == NULL)
		w->tail = &w->head;
	if (first != NULL)
		*end = NULL;
	return first;
}

static void
run_batch(struct writer *w, struct work *batch)
{
	struct store_tx tx = { w->db, w->ledger, clock_now() };
	struct ledger_mark mark;
	enum err e;

	if (ledger_is_broken(w->ledger) && ledger_append(w->ledger) == ERR_OK)
		publish(w);
	ledger_mark(w->ledger, &mark);
	e = run_all(w, &tx, batch);
	if (e != ERR_OK) {
		/* Savepoints were released, and still all of it is undone. */
		ledger_rewind(w->ledger, &mark);
		for (struct work *one = batch; one != NULL; one = one->next) {
			if (one->result == ERR_OK)
				one->result = e;
		}
	} else if (!ledger_is_broken(w->ledger)) {
		e = failpoint("committed");
		if (e == ERR_OK)
			e = ledger_append(w->ledger);
		if (e == ERR_OK)
			e = failpoint("appended");
		for (struct work *one = batch; one != NULL; one = one->next) {
			if (one->staged && one->result == ERR_OK)
				one->result = e;
		}
	}
	publish(w);
	finish(batch);
}

/* Each in its savepoint, all in one transaction. */
static enum err
run_all(struct writer *w, struct store_tx *tx, struct work *batch)
{
	enum err e = db_begin(w->db);

	if (e != ERR_OK)
		return e;
	for (struct work *one = batch; one != NULL; one = one->next) {
		e = run_one(tx, one);
		if (e != ERR_OK)
			break;
	}
	return commit(w, e);
}

/* ERR_OK while the transaction stands, whatever becomes of this one. */
static enum err
run_one(struct store_tx *tx, struct work *one)
{
	struct ledger_mark mark, after;
	enum err e = db_savepoint(tx->db);

	if (e != ERR_OK)
		return e;
	ledger_mark(tx->ledger, &mark);
	one->result = one->fn(tx, one->arg);
	one->result = db_release(tx->db, one->result);
	if (one->result != ERR_OK)
		ledger_rewind(tx->ledger, &mark);
	ledger_mark(tx->ledger, &after);
	one->staged = after.pending > mark.pending;
	if (db_in_transaction(tx->db))
		return ERR_OK;
	/* SQLite undid everything: no room, or worse. */
	return one->result == ERR_OK ? ERR_IO : one->result;
}

static enum err
commit(struct writer *w, enum err e)
{
	if (e == ERR_OK)
		e = failpoint("commit");
	e = db_end(w->db, e);
	if (e != ERR_OK)
		log_error("store: a commit failed (%s); nothing of it was kept",
		    err_name(e));
	w->no_room = e != ERR_OK && e != ERR_BUSY;
	if (e == ERR_OK)
		atomic_fetch_add(&w->commits, 1);
	return e;
}

static void
publish(struct writer *w)
{
	bool halted = w->no_room || ledger_is_broken(w->ledger);
	int64_t durable = ledger_durable(w->ledger);

	if (durable != atomic_load(&w->durable)) {
		pthread_mutex_lock(&w->watch_lock);
		atomic_store(&w->durable, durable);
		pthread_cond_broadcast(&w->watch);
		pthread_mutex_unlock(&w->watch_lock);
	}
	if (atomic_exchange(&w->halted, halted) != halted)
		log_notice("store: %s",
		    halted ? "votes are halted" : "votes are taken again");
}

/* A caller's frame is gone once it is woken: read `next` before. */
static void
finish(struct work *batch)
{
	while (batch != NULL) {
		struct work *next = batch->next;

		sem_post(&batch->done);
		batch = next;
	}
}

/* Nobody called for a while. */
static void
quiet(struct writer *w)
{
	enum err e;

	if (ledger_is_broken(w->ledger) && ledger_append(w->ledger) != ERR_OK)
		return;
	if (w->no_room) {
		/* Pages ask store_is_halted and send nothing: try ourselves. */
		e = db_begin(w->db);
		if (e == ERR_OK)
			e = commit(w, db_run(db_stmt(w->db,
					  "INSERT INTO meta (key, value)"
					  " VALUES ('room_tried', unixepoch())"
					  " ON CONFLICT (key) DO UPDATE"
					  " SET value = excluded.value")));
	}
	publish(w);
	copy_log(w, true);
}

/*
 * The one connection that writes is the one that checkpoints; see the
 * header of port/db.h.
 */
static void
copy_log(struct writer *w, bool now)
{
	int64_t pages = db_log_pages(w->db);

	if (pages < w->copied_pages)
		w->copied_pages = 0; /* it began anew */
	if (pages - w->copied_pages < (now ? 1 : LOG_PAGES_COPY))
		return;
	/* Held back by a reader: the rest comes along next time. */
	if (db_checkpoint(w->db, pages >= LOG_PAGES_EMPTY
				     ? DB_CHECKPOINT_ALL
				     : DB_CHECKPOINT_SOME) == ERR_BUSY)
		log_debug("store: a reader holds the log back");
	w->copied_pages = db_log_pages(w->db);
	atomic_fetch_add(&w->copied, 1);
}

static void
last_words(struct writer *w)
{
	if (ledger_is_broken(w->ledger) && ledger_append(w->ledger) != ERR_OK)
		log_error("store: the ledger lacks votes; the next start "
			  "appends them");
	if (db_checkpoint(w->db, DB_CHECKPOINT_ALL) != ERR_OK)
		log_notice("store: the write-ahead log stays for the next "
			   "start");
	ledger_close(w->ledger);
	db_close(w->db);
}
