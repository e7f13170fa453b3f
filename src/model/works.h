/*
 * works - everything that has answers written: model client, runner, stock.
 *
 * Layer    model.
 * Memory   works_start allocates, works_stop frees.
 * Threads  any, but where a function says otherwise.
 *
 * `serve` has one beside its pages; `generate` has one alone.
 */
#ifndef PA_WORKS_H
#define PA_WORKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "model/job.h"
#include "model/stock.h"

struct conf;
struct conf_setup;
struct db;
struct deck_holder;
struct leak_list;
struct llm;
struct store;
struct works;

struct works_conf {
	struct store *store;
	struct deck_holder *decks; /* renewed when answers have come */
	/* The configuration in force, borrowed until give_conf. */
	const struct conf *(*take_conf)(void *ctx, void **hold);
	void (*give_conf)(void *ctx, void *hold);
	void *ctx;
	const struct job_handler *tutor; /* NULL: nobody replies */
};

/*
 * http_init has run.  PROMPT_ARENA_TEST_SPEED=N in the environment divides
 * the waits after failures by N (tests).
 */
enum err works_start(
    struct works **out, const struct works_conf *wc) PA_MUST_USE;
/* NULL is fine for all of these: then nothing is generated here. */
void works_stop(struct works *w);

/* Jobs were enqueued. */
void works_wake(struct works *w);

/* The configuration or the catalog changed. */
void works_renew(struct works *w);

/* For match_request.makes: would that setup's endpoint take a question? */
struct works_ask {
	struct works *works;
	const struct conf *conf;
};
bool works_makes(void *ask, const struct conf_setup *setup);

/* Is that setup's endpoint left alone at the moment, because it fails or asked
 * for a pause?  False also when nothing is known. */
bool works_away(struct works *w, const struct conf *conf, struct text setup);

/* The model client, for pages that tell of endpoints; NULL when w is. */
struct llm *works_llm(struct works *w);

/* Words that every text of a question is judged by; NULL: not read yet. */
bool works_asks_identity(struct works *w, struct text question);

/* ---- stock on command ---- */

enum works_state {
	WORKS_IDLE, /* the stock is as configured, or nothing was asked */
	WORKS_FILLING,
	WORKS_FULL,  /* what was asked for is there */
	WORKS_SPENT, /* there is nothing more to draw */
	WORKS_STUCK  /* no endpoint takes questions, or no money is left */
};

struct works_progress {
	enum works_state state;
	int64_t target, ready, wanted; /* pairs; over all types */
	int64_t coming, made, failed;  /* answers; the latter since the order */
	char error[200];               /* the last one, masked */
};

/* Fill up to so many pairs a type; 0: as configured again. */
void works_order(struct works *w, int64_t target);
void works_progress(struct works *w, struct works_progress *out);

/* The last count of the stock; n 0: none yet.  Names live in the deck: they
 * are copied into names. */
void works_stock(
    struct works *w, struct stock_numbers *out, char names[STOCK_TYPES][32]);

/* Lines `name value` about endpoints, queue and stock.  db: a reading
 * connection. */
void works_status(
    struct works *w, struct db *db, const struct conf *conf, struct buf *out);

/* The same for Prometheus. */
void works_metrics(
    struct works *w, struct db *db, const struct conf *conf, struct buf *out);

#endif /* PA_WORKS_H */
