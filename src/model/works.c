/* This file knows how to keep model client, runner and stock going together. */
#include "config.h"

#include "model/works.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/answer.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/leak.h"
#include "model/llm.h"
#include "model/store.h"
#include "port/db.h"

#define PAIRS_A_TURN 4 /* asked for at once */
#define COMING_MAX 32  /* idle answers under way: more would only queue */
#define RESCAN_A_TURN 200
#define COUNT_EVERY_MS 30000 /* of the stock, when nothing happens */
/* Between tries of what failed, where tests have no time: queues count in
 * seconds. */
#define DELAY_TESTS_MS 1000
#define DELAY_CAP_TESTS_MS 4000
#define COUNT_SHARE 20 /* counting takes one part in so many of time */

struct works {
	struct works_conf wc;
	struct llm *llm;
	struct answers *answers;
	struct job_runner *runner;
	struct leak_list *shipped; /* for questions */
	atomic_bool deck_stale, count_stale, renewed;
	atomic_bool changed; /* renewed, but not by the start */

	pthread_mutex_t lock; /* for what is below */
	struct stock_numbers stock;
	char names[STOCK_TYPES][32];
	int64_t order; /* target of a command; 0: none */
	struct works_progress progress;

	/* the runner's thread alone */
	int64_t count_at, cost_ms;
	uint64_t round;
	bool rescanning;
	int64_t rescan_after;
	struct leak_list *list; /* of the rescan */
	int64_t failed_before;
};

static bool timing_of_tests(struct llm_timing *t);
static void ready(void *ctx, bool complete);
static void idle(void *ctx, struct db *db, const struct conf *conf);
static enum err renew_fn(struct store_tx *tx, void *arg);
static void renew_deck(struct works *w, struct db *db);
static void rescan(struct works *w, struct db *db, const struct conf *conf);
static void count(struct works *w, struct db *db, const struct conf *conf);
static void fill(struct works *w, struct db *db, const struct conf *conf);
static void judge_order(
    struct works *w, const struct conf *conf, int64_t target, int64_t asked);
static bool any_makes(struct works *w, const struct conf *conf);

enum err
works_start(struct works **out, const struct works_conf *wc)
{
	struct works *w = calloc(1, sizeof(*w));
	struct job_runner_conf rc = { .store = wc->store,
		.take_conf = wc->take_conf,
		.give_conf = wc->give_conf,
		.idle = idle };
	struct llm_timing timing;
	enum err e;

	if (w == NULL)
		return ERR_NOMEM;
	w->wc = *wc;
	pthread_mutex_init(&w->lock, NULL);
	atomic_init(&w->renewed, true);
	atomic_init(&w->changed, false);
	atomic_init(&w->count_stale, true);
	llm_timing_defaults(&timing);
	if (timing_of_tests(&timing)) {
		rc.delay_ms = DELAY_TESTS_MS;
		rc.delay_cap_ms = DELAY_CAP_TESTS_MS;
	}
	if ((e = llm_start(&w->llm, &timing)) != ERR_OK ||
	    (e = answers_open(&w->answers, ready, w)) != ERR_OK ||
	    (e = leak_list_open(&w->shipped, NULL, 0)) != ERR_OK) {
		works_stop(w);
		return e;
	}
	rc.llm = w->llm;
	rc.ctx = w;
	rc.ctx_conf = wc->ctx;
	rc.handlers[JOB_ANSWER] = answers_handler(w->answers);
	rc.handlers[JOB_TUTOR] = wc->tutor;
	if ((e = job_runner_start(&w->runner, &rc)) != ERR_OK) {
		works_stop(w);
		return e;
	}
	*out = w;
	return ERR_OK;
}

void
works_stop(struct works *w)
{
	if (w == NULL)
		return;
	/* No new requests; end those under way; store what came of them. */
	job_runner_quiesce(w->runner);
	if (w->llm != NULL)
		llm_stop(w->llm);
	job_runner_stop(w->runner);
	answers_close(w->answers);
	leak_list_close(w->shipped);
	leak_list_close(w->list);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void
works_wake(struct works *w)
{
	if (w != NULL)
		job_wake(w->runner);
}

void
works_renew(struct works *w)
{
	if (w == NULL)
		return;
	answers_renew(w->answers);
	llm_forget(w->llm);
	atomic_store(&w->renewed, true);
	atomic_store(&w->changed, true);
	atomic_store(&w->count_stale, true);
	job_wake(w->runner);
}

bool
works_makes(void *ask, const struct conf_setup *setup)
{
	const struct works_ask *a = ask;
	const struct llm_endpoint *ep =
	    conf_endpoint_find(a->conf, setup->endpoint);

	return a->works != NULL && ep != NULL && llm_ready(a->works->llm, ep);
}

bool
works_away(struct works *w, const struct conf *conf, struct text setup)
{
	const struct conf_setup *s = conf_setup_find(conf, setup);
	struct llm_state state;

	if (w == NULL || s == NULL || s->endpoint.p == NULL)
		return false;
	llm_state(w->llm, s->endpoint, &state);
	return state.health == LLM_HEALTH_OPEN ||
	       state.health == LLM_HEALTH_PROBING ||
	       state.health == LLM_HEALTH_BROKEN ||
	       state.health == LLM_HEALTH_COOLING;
}

struct llm *
works_llm(struct works *w)
{
	return w == NULL ? NULL : w->llm;
}

bool
works_asks_identity(struct works *w, struct text question)
{
	return w != NULL && leak_asks_identity(w->shipped, question);
}

void
works_order(struct works *w, int64_t target)
{
	pthread_mutex_lock(&w->lock);
	w->order = target;
	w->progress = (struct works_progress){ .target = target,
		.state = target > 0 ? WORKS_FILLING : WORKS_IDLE };
	pthread_mutex_unlock(&w->lock);
	atomic_store(&w->count_stale, true);
	job_wake(w->runner);
}

void
works_progress(struct works *w, struct works_progress *out)
{
	pthread_mutex_lock(&w->lock);
	*out = w->progress;
	pthread_mutex_unlock(&w->lock);
}

void
works_stock(
    struct works *w, struct stock_numbers *out, char names[STOCK_TYPES][32])
{
	*out = (struct stock_numbers){ 0 };
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	*out = w->stock;
	memcpy(names, w->names, sizeof(w->names));
	pthread_mutex_unlock(&w->lock);
	for (size_t i = 0; i < out->n; i++)
		out->types[i].type = text_of(names[i]);
}

static bool
timing_of_tests(struct llm_timing *t)
{
	const char *env = getenv("PROMPT_ARENA_TEST_SPEED");
	int64_t speed = 1;

	if (env == NULL || str_int(str_of(env), 1, 3600, &speed) != ERR_OK)
		return false;
	t->backoff_ms /= speed;
	t->backoff_cap_ms /= speed;
	t->window_ms /= speed;
	t->probe_ms /= speed;
	t->probe_cap_ms /= speed;
	return true;
}

/* On the runner's thread: an answer is there, or given up. */
static void
ready(void *ctx, bool complete)
{
	struct works *w = ctx;

	if (complete)
		atomic_store(&w->deck_stale, true);
	atomic_store(&w->count_stale, true);
	pthread_mutex_lock(&w->lock);
	w->progress.made += complete;
	w->progress.failed += !complete;
	pthread_mutex_unlock(&w->lock);
}

/* About once a second, on the runner's thread. */
static void
idle(void *ctx, struct db *db, const struct conf *conf)
{
	struct works *w = ctx;

	if (atomic_exchange(&w->deck_stale, false))
		renew_deck(w, db);
	if (atomic_exchange(&w->changed, false)) {
		enum err e = store_write(w->wc.store, renew_fn, NULL);

		if (e != ERR_OK)
			log_error("what was put off waits on: %s", err_name(e));
		job_wake(w->runner);
	}
	if (atomic_exchange(&w->renewed, false)) {
		w->rescanning = true;
		w->rescan_after = 0;
		leak_list_close(w->list);
		w->list = NULL;
	}
	if (w->rescanning)
		rescan(w, db, conf);
	count(w, db, conf);
	fill(w, db, conf);
	db_shrink(db); /* the next look is at another state anyway */
}

static enum err
renew_fn(struct store_tx *tx, void *arg)
{
	(void)arg;
	return job_renew(tx);
}

static void
renew_deck(struct works *w, struct db *db)
{
	struct deck *deck;
	enum err e = deck_open(db, &deck);

	if (e == ERR_OK) {
		deck_swap(w->wc.decks, deck);
		return;
	}
	log_error("new answers cannot be put in play: %s", err_name(e));
	atomic_store(&w->deck_stale, true);
}

/* Answers that another list judged, a few at a time. */
static void
rescan(struct works *w, struct db *db, const struct conf *conf)
{
	struct answer_rescan r = {
		.conf = conf, .after = w->rescan_after, .max = RESCAN_A_TURN
	};
	enum err e = ERR_OK;

	if (w->list == NULL)
		e = answer_leak_list(db, conf, &w->list);
	r.list = w->list;
	if (e == ERR_OK)
		e = store_write(w->wc.store, answer_rescan_fn, &r);
	if (e != ERR_OK) {
		log_error("answers cannot be judged anew: %s", err_name(e));
		w->rescanning = e == ERR_BUSY;
		return;
	}
	w->rescan_after = r.after;
	w->rescanning = !r.done;
	if (r.changed > 0)
		atomic_store(&w->deck_stale, true);
}

/* When something has changed, but never so often that it costs much. */
static void
count(struct works *w, struct db *db, const struct conf *conf)
{
	int64_t before = clock_mono_ms();
	struct stock_numbers n;
	struct deck *deck;
	enum err e;

	if (before < w->count_at || (!atomic_load(&w->count_stale) &&
					before < w->count_at + COUNT_EVERY_MS))
		return;
	atomic_store(&w->count_stale, false);
	deck = deck_get(w->wc.decks);
	e = stock_count(db, deck, conf, &n);
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; e == ERR_OK && i < n.n; i++)
		snprintf(w->names[i], sizeof(w->names[i]), "%.*s",
		    (int)n.types[i].type.n, n.types[i].type.p);
	if (e == ERR_OK)
		w->stock = n;
	pthread_mutex_unlock(&w->lock);
	deck_put(deck);
	if (e != ERR_OK)
		log_error("the stock cannot be counted: %s", err_name(e));
	w->count_at =
	    clock_mono_ms() + COUNT_SHARE * (clock_mono_ms() - before);
}

static void
fill(struct works *w, struct db *db, const struct conf *conf)
{
	struct works_ask ask = { w, conf };
	struct stock_order o = { .makes = works_makes,
		.ctx = &ask,
		.target = conf->stock,
		.most = PAIRS_A_TURN,
		.round = w->round++ };
	char names[STOCK_TYPES][32];
	struct stock_numbers now;
	int64_t asked = 0, coming = 0, order;
	struct deck *deck;
	enum err e = ERR_OK;

	pthread_mutex_lock(&w->lock);
	order = w->order;
	pthread_mutex_unlock(&w->lock);
	if (order > o.target)
		o.target = order;
	works_stock(w, &now, names);
	for (size_t i = 0; i < now.n; i++)
		coming += now.types[i].coming;
	if (now.n > 0 && o.target > 0 && coming < COMING_MAX &&
	    any_makes(w, conf)) {
		deck = deck_get(w->wc.decks);
		e = stock_fill(w->wc.store, db, deck, conf, &o, &now, &asked);
		deck_put(deck);
	}
	if (e != ERR_OK)
		log_error("the stock cannot be filled: %s", err_name(e));
	if (asked > 0) {
		atomic_store(&w->count_stale, true);
		job_wake(w->runner);
	}
	if (order > 0)
		judge_order(w, conf, order, asked);
}

/* How far is what a command asked for? */
static void
judge_order(
    struct works *w, const struct conf *conf, int64_t target, int64_t asked)
{
	bool makes = any_makes(w, conf), full = true;
	int64_t ready = 0, wanted = 0, coming = 0;

	if (atomic_load(&w->count_stale) || atomic_load(&w->deck_stale))
		asked = 1; /* the numbers are not in yet */
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->stock.n; i++) {
		const struct stock_type *t = &w->stock.types[i];

		ready += t->ready < target ? t->ready : target;
		wanted += target;
		coming += t->coming;
		full = full && t->ready >= target;
	}
	w->progress.ready = ready;
	w->progress.wanted = wanted;
	w->progress.coming = coming;
	if (full && wanted > 0)
		w->progress.state = WORKS_FULL;
	else if (asked > 0 || (coming > 0 && makes))
		w->progress.state = WORKS_FILLING;
	else
		w->progress.state = makes ? WORKS_SPENT : WORKS_STUCK;
	pthread_mutex_unlock(&w->lock);
}

static bool
any_makes(struct works *w, const struct conf *conf)
{
	struct works_ask ask = { w, conf };

	for (size_t i = 0; i < conf->setups_n; i++) {
		if (conf->setups[i].endpoint.p != NULL &&
		    works_makes(&ask, &conf->setups[i]))
			return true;
	}
	return false;
}
