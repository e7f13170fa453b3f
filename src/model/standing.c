/* This file knows how to hand out what the statistics thread has made. */
#include "config.h"

#include "model/standing.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/standing_parts.h"
#include "model/store.h"
#include "port/db.h"

enum {
	PATIENCE = 100,    /* ms of work for which a page waits */
	FIRST_WAIT = 10000 /* ms for the first snapshot */
};

enum err
standing_open(struct standing **out, struct store *store)
{
	struct standing *st = calloc(1, sizeof(*st));
	pthread_condattr_t attr;
	enum err e;

	if (st == NULL)
		return ERR_NOMEM;
	st->store = store;
	pthread_rwlock_init(&st->data, NULL);
	pthread_mutex_init(&st->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&st->newer, &attr);
	pthread_condattr_destroy(&attr);
	e = store_read_open(store, &st->db);
	if (e == ERR_OK &&
	    pthread_create(&st->thread, NULL, standing_run, st) != 0) {
		log_error("the statistics thread cannot be made");
		e = ERR_IO;
	}
	if (e != ERR_OK) {
		standing_close(st);
		return e;
	}
	st->started = true;
	*out = st;
	return ERR_OK;
}

void
standing_close(struct standing *st)
{
	if (st == NULL)
		return;
	if (st->started) {
		pthread_mutex_lock(&st->lock);
		st->stopping = true;
		pthread_cond_broadcast(&st->newer);
		pthread_mutex_unlock(&st->lock);
		store_nudge(st->store);
		pthread_join(st->thread, NULL);
		if (st->judge_runs)
			pthread_join(st->judge, NULL);
	} else if (st->db != NULL) {
		db_close(st->db);
	}
	standing_put(st->now);
	ledger_view_release(&st->view);
	judged_release(&st->judged);
	judging_release(&st->judging);
	pthread_cond_destroy(&st->newer);
	pthread_mutex_destroy(&st->lock);
	pthread_rwlock_destroy(&st->data);
	free(st);
}

void
standing_reload(struct standing *st)
{
	pthread_mutex_lock(&st->lock);
	st->reload = true;
	pthread_mutex_unlock(&st->lock);
	store_nudge(st->store);
}

const struct standing_snapshot *
standing_get(struct standing *st, int64_t seq, int64_t wait_ms)
{
	struct standing_snapshot *s;
	int64_t until = clock_mono_ms() + wait_ms,
		first = clock_mono_ms() + FIRST_WAIT;
	int rc = 0;

	pthread_mutex_lock(&st->lock);
	while (rc == 0 && !st->stopping &&
	       (!st->tried || (wait_ms > 0 && st->took_ms <= PATIENCE &&
				  (st->now == NULL || st->now->seq < seq)))) {
		int64_t end = st->tried ? until : first;
		struct timespec at = { end / 1000, end % 1000 * 1000000L };

		rc = pthread_cond_timedwait(&st->newer, &st->lock, &at);
	}
	s = st->now;
	if (s != NULL)
		__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&st->lock);
	return s;
}

void
standing_put(const struct standing_snapshot *shared)
{
	/* Counting is the one thing that a snapshot lets others change. */
	struct standing_snapshot *s =
	    (struct standing_snapshot *)(uintptr_t)shared;

	if (s == NULL || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < s->boards_n; i++)
		standing_board_put(
		    (struct standing_board *)(uintptr_t)s->boards[i]);
	free(s->boards);
	free(s->days);
	free(s);
}

void
standing_board_put(struct standing_board *b)
{
	if (b == NULL || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(b->rows);
	free(b->pairs);
	free(b->points);
	free(b);
}

/* ---------------------------------------------------------------- reading */

static bool
same(struct text a, struct text b)
{
	return str_eq((struct str){ a.p, a.n }, (struct str){ b.p, b.n });
}

const struct standing_board *
standing_board_find(const struct standing_snapshot *s, struct text setup,
    struct text type, struct text activity)
{
	const struct standing_board *whole = NULL;
	bool others = false;

	for (size_t i = 0; s != NULL && i < s->boards_n; i++) {
		const struct standing_board *b = s->boards[i];

		if (!same(b->setup, setup))
			continue;
		others = others || b->activity.p != NULL;
		if ((b->type.p == NULL) != (type.p == NULL) ||
		    (type.p != NULL && !same(b->type, type)))
			continue;
		if (activity.p != NULL && b->activity.p != NULL &&
		    same(b->activity, activity))
			return b;
		if (b->activity.p == NULL)
			whole = b;
	}
	return activity.p == NULL || !others ? whole : NULL;
}

const struct standing_row *
standing_row_find(const struct standing_board *b, struct text digest)
{
	size_t low = 0, high = b == NULL ? 0 : b->rows_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = text_cmp(b->rows[mid].digest, digest);

		if (c == 0)
			return &b->rows[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const struct standing_pair *
standing_pair_find(const struct standing_board *b, size_t i, size_t j)
{
	size_t low = 0, high = b->pairs_n;

	if (i > j) {
		size_t k = i;

		i = j;
		j = k;
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct standing_pair *p = &b->pairs[mid];

		if (p->i == i && p->j == j)
			return p;
		if (p->i < i || (p->i == i && p->j < j))
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

double
standing_elo_before(const struct standing_board *b,
    const struct standing_row *r, uint32_t day, double start)
{
	double elo = start;

	for (uint32_t k = 0; k < r->points_n; k++) {
		const struct standing_point *p = &b->points[r->first_point + k];

		if (p->day >= day)
			break;
		elo = p->elo;
	}
	return elo;
}
