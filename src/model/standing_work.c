/* This file knows how to keep ratings up to date beside the votes, and out of
 * their way. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/recount.h"
#include "model/standing_parts.h"
#include "model/store.h"
#include "port/db.h"

/*
 * Shares of one processor, in thousandths, that each kind of work may take
 * while votes keep coming.  Ratings come first and wait for a bounded time
 * only; intervals of large boards and the judging of voters wait as long as
 * their share demands.
 */
enum {
	RATING_SHARE = 30,
	WIDTH_SHARE = 80,
	JUDGE_SHARE = 20,
	RATING_WAIT = 400,    /* ms at most between two pieces of work */
	WIDTH_SAVED = 150000, /* us a quiet time may save up */
	LONG = 4000,          /* us of a fit: intervals then come later */
	RETRY = 1000,         /* ms after a failure */
	JUDGE_LEAST = 100,    /* ms from one judging's end to the next */
	MODEST = 5            /* how nice the thread is */
};

static bool work(struct standing *st, int64_t upto, int64_t *due);
static enum err renew(struct standing *st, int64_t upto, bool reload);
static enum err fit_changed(struct standing *st, bool *any);
static enum err widen(struct standing *st, int64_t *due);
static enum err weigh(struct standing *st, int64_t *due);
static enum err judged(struct standing *st);
static enum err publish(struct standing *st);
static enum err snapshot_of(
    const struct standing *st, struct standing_snapshot **out);
static bool rest(struct standing *st, int64_t until);
static void finish(struct standing *st, int64_t took);

void *
standing_run(void *arg)
{
	struct standing *st = arg;
	struct store_watch watch = { 0 };
	int64_t due = 0;
	bool stop = false;

	/* On Linux this is the thread's own priority. */
	(void)pthread_setname_np(pthread_self(), "statistics");
	if (setpriority(PRIO_PROCESS, 0, MODEST) != 0)
		log_warning(
		    "statistics keep the priority of votes: %s", log_errno());
	db_adopt(st->db);
	while (!stop) {
		store_wait(st->store, &watch, due);
		stop = work(st, watch.seq, &due);
	}
	db_close(st->db);
	return NULL;
}

/* The earlier of two times; 0: never. */
static int64_t
sooner(int64_t a, int64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* How long, in ms, work that took us may not go on. */
static int64_t
pause_after(int64_t us, int64_t share)
{
	return us * (1000 - share) / share / 1000;
}

/* Everything that is to be done now; true when it is time to stop. */
static bool
work(struct standing *st, int64_t upto, int64_t *due)
{
	int64_t from = clock_mono_ms(), cpu = clock_cpu_us(), pause;
	bool stop, reload;
	enum err e;

	pthread_mutex_lock(&st->lock);
	stop = st->stopping;
	reload = st->reload;
	st->reload = false;
	pthread_mutex_unlock(&st->lock);
	if (stop)
		return true;
	*due = 0;
	e = renew(st, upto, reload);
	if (e == ERR_OK)
		e = weigh(st, due);
	finish(st, clock_mono_ms() - from);
	pause = pause_after(clock_cpu_us() - cpu, RATING_SHARE);
	if (e == ERR_OK)
		e = widen(st, due);
	if (e != ERR_OK) {
		log_error("ratings stay as they were: %s", err_name(e));
		*due = clock_mono_ms() + RETRY;
	}
	return rest(
	    st, clock_mono_ms() + (pause < RATING_WAIT ? pause : RATING_WAIT));
}

static enum err
renew(struct standing *st, int64_t upto, bool reload)
{
	struct elo_rule rule;
	bool grown = false, any;
	enum err e = recount_rule(st->db, &rule);

	if (e == ERR_NOTFOUND) {
		rule = (struct elo_rule)ELO_RULE_DEFAULT;
		e = ERR_OK;
	}
	pthread_rwlock_wrlock(&st->data);
	if (e == ERR_OK &&
	    (reload || memcmp(&rule, &st->view.rule, sizeof(rule)) != 0))
		e = ledger_view_replay(&st->view, &rule);
	if (e == ERR_OK)
		e = ledger_view_read(&st->view, st->db, upto, &grown);
	pthread_rwlock_unlock(&st->data);
	if (st->now == NULL) /* the whole ledger was read */
		db_shrink(st->db);
	if (e != ERR_OK)
		return e;
	e = fit_changed(st, &any);
	if (e == ERR_OK && (grown || reload || any || st->now == NULL))
		e = publish(st);
	return e;
}

static enum err
fit_changed(struct standing *st, bool *any)
{
	*any = false;
	for (size_t i = 0; i < st->view.scopes_n; i++) {
		struct scope *s = &st->view.scopes[i];
		int64_t from = clock_cpu_us();
		bool quick =
		    s->board != NULL && s->theta != NULL && s->full_us > LONG;
		enum err e;

		if (s->board != NULL && !s->changed && !s->reweighed)
			continue;
		e = scope_fit(&st->view, &st->judged, quick, s);
		if (e != ERR_OK)
			return e;
		*any = true;
		if (!quick)
			s->full_us = clock_cpu_us() - from;
	}
	return ERR_OK;
}

/* The stale scope whose intervals are oldest, or NULL. */
static struct scope *
stalest(struct ledger_view *v)
{
	struct scope *found = NULL;

	for (size_t i = 0; i < v->scopes_n; i++) {
		struct scope *s = &v->scopes[i];

		if (s->stale &&
		    (found == NULL ||
			s->board->interval_seq < found->board->interval_seq))
			found = s;
	}
	return found;
}

/* Intervals of one large board, once their share of time allows it. */
static enum err
widen(struct standing *st, int64_t *due)
{
	struct scope *s = stalest(&st->view);
	int64_t now = clock_mono_ms(), from = clock_cpu_us();
	enum err e;

	st->width_us += (now - st->width_at) * WIDTH_SHARE;
	st->width_at = now;
	if (st->width_us > WIDTH_SAVED)
		st->width_us = WIDTH_SAVED;
	if (s == NULL)
		return ERR_OK;
	if (st->width_us <= 0) {
		*due = sooner(*due, now + 1 - st->width_us / WIDTH_SHARE);
		return ERR_OK;
	}
	e = scope_fit(&st->view, &st->judged, false, s);
	if (e == ERR_OK)
		e = publish(st);
	s->full_us = clock_cpu_us() - from;
	st->width_us -= s->full_us;
	*due = sooner(*due, clock_mono_ms()); /* others may be stale too */
	return e;
}

/* Called in the middle of a judging: true when it is to end. */
static bool
breathe(void *arg)
{
	struct standing *st = arg;
	bool stop = rest(
	    st, clock_mono_ms() +
		    pause_after(clock_cpu_us() - st->judge_cpu, JUDGE_SHARE));

	st->judge_cpu = clock_cpu_us();
	return stop;
}

static void *
judge_main(void *arg)
{
	struct standing *st = arg;
	struct sched_param none = { 0 };
	int rc;

	/* A judging takes seconds of a processor: all else goes first. */
	(void)pthread_setname_np(pthread_self(), "judge");
	rc = pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
	if (rc != 0)
		log_warning(
		    "voters are judged at the priority of votes: errno %d", rc);
	st->judge_cpu = clock_cpu_us();
	judging_do(&st->judging, breathe, st);
	atomic_store(&st->judge_done, true);
	store_nudge(st->store);
	return NULL;
}

/*
 * Take over what a judging found, and begin one if there is more: on a copy
 * and beside all else, so slowly that nobody minds.  Votes that came during a
 * judging may be the last for long, and wake nobody again.
 */
static enum err
weigh(struct standing *st, int64_t *due)
{
	enum err e = ERR_OK;

	if (st->judge_runs && !atomic_load(&st->judge_done))
		return ERR_OK;
	if (st->judge_runs)
		e = judged(st);
	if (e != ERR_OK)
		return e;
	if (st->judged_upto == st->view.seq)
		return ERR_OK;
	if (clock_mono_ms() < st->judge_due) {
		*due = sooner(*due, st->judge_due);
		return ERR_OK;
	}
	st->judged_upto = st->view.seq;
	e = judging_prepare(&st->view, &st->judging);
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_OK : e;
	atomic_store(&st->judge_done, false);
	st->judge_runs = pthread_create(&st->judge, NULL, judge_main, st) == 0;
	if (!st->judge_runs)
		judging_release(&st->judging);
	return ERR_OK;
}

/* Boards never change, so new weights make new boards. */
static enum err
judged(struct standing *st)
{
	struct judged last;
	bool any;
	enum err e;

	pthread_join(st->judge, NULL);
	st->judge_runs = false;
	/* A short one, or the end of one, took no rest yet. */
	st->judge_due = clock_mono_ms() + JUDGE_LEAST;
	e = st->judging.err;
	if (e == ERR_OK) {
		pthread_rwlock_wrlock(&st->data);
		last = st->judged;
		st->judged = st->judging.result;
		pthread_rwlock_unlock(&st->data);
		st->judging.result = last;
	} else {
		log_warning("voters were not judged: %s", err_name(e));
	}
	judging_release(&st->judging);
	if (e != ERR_OK)
		return ERR_OK;
	for (size_t i = 0; i < st->view.scopes_n; i++)
		st->view.scopes[i].reweighed = true;
	e = fit_changed(st, &any);
	return e == ERR_OK ? publish(st) : e;
}

static enum err
publish(struct standing *st)
{
	struct standing_snapshot *next, *last;
	enum err e = snapshot_of(st, &next);

	if (e != ERR_OK)
		return e;
	pthread_mutex_lock(&st->lock);
	last = st->now;
	next->serial = last != NULL ? last->serial + 1 : 1;
	st->now = next;
	pthread_cond_broadcast(&st->newer);
	pthread_mutex_unlock(&st->lock);
	standing_put(last);
	return ERR_OK;
}

static enum err
snapshot_of(const struct standing *st, struct standing_snapshot **out)
{
	const struct ledger_view *v = &st->view;
	struct standing_snapshot *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return ERR_NOMEM;
	s->refs = 1;
	s->seq = v->seq;
	s->made_at = clock_now();
	s->weighted_seq = st->judged.weighted != NULL ? st->judged.seq : 0;
	s->weighted_tau = st->judged.weighted != NULL ? st->judged.tau : NAN;
	s->boards = calloc(v->scopes_n + 1, sizeof(*s->boards));
	s->days = calloc(v->days_n + 1, sizeof(*s->days));
	if (s->boards == NULL || s->days == NULL) {
		standing_put(s);
		return ERR_NOMEM;
	}
	if (v->days_n > 0)
		memcpy(s->days, v->days, v->days_n * sizeof(*s->days));
	s->days_n = v->days_n;
	for (size_t i = 0; i < v->scopes_n; i++) {
		struct standing_board *b = v->scopes[i].board;

		__atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
		s->boards[s->boards_n++] = b;
	}
	*out = s;
	return ERR_OK;
}

/* Not earlier than that, unless it is time to stop: true. */
static bool
rest(struct standing *st, int64_t until)
{
	struct timespec at = { until / 1000, until % 1000 * 1000000L };
	bool stop;
	int rc = 0;

	pthread_mutex_lock(&st->lock);
	while (!st->stopping && rc == 0 && clock_mono_ms() < until)
		rc = pthread_cond_timedwait(&st->newer, &st->lock, &at);
	stop = st->stopping;
	pthread_mutex_unlock(&st->lock);
	return stop;
}

static void
finish(struct standing *st, int64_t took)
{
	pthread_mutex_lock(&st->lock);
	st->tried = true;
	st->took_ms = took;
	pthread_cond_broadcast(&st->newer);
	pthread_mutex_unlock(&st->lock);
}
