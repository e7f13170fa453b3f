/*
 * answer - answers that are still to be written: asked for, made, judged.
 *
 * Layer    model.
 * Memory   an answers struct is allocated by answers_open.
 * Threads  answer_want inside store_write; the handler on the runner's
 *          thread; answers_renew from any.
 *
 * An answer is known by version, setup, question and sample number: that row
 * is UNIQUE, so nothing is ever generated twice by accident.  It is
 * `waiting` until a job has brought its text, then `ok`; `failed` when no
 * attempt is left; `void` when twice it said who wrote it.  Both sides of a
 * match are shown or none.
 */
#ifndef PA_ANSWER_H
#define PA_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/job.h"

struct answers;
struct conf;
struct db;
struct leak_list;
struct store_tx;

struct answer_wish {
	int64_t version, setup, question; /* row ids */
	enum job_priority priority;
	int64_t account; /* on whose allowance; 0: the site's */
};

/*
 * The answer of that cell which is being written, or a new one with its job.
 * One that failed an hour ago or earlier is tried anew.
 * ERR_LIMIT as job_enqueue; ERR_NOTFOUND: no more samples of it are made.
 */
enum err answer_want(struct store_tx *tx, const struct conf *conf,
    const struct answer_wish *w, int64_t *answer) PA_MUST_USE;

/*
 * Would answer_want find or make one?  ERR_NOTFOUND: no; nothing is stored.
 * In any thread, with that thread's connection.
 */
enum err answer_room(struct db *db, const struct conf *conf,
    const struct answer_wish *w) PA_MUST_USE;

/*
 * What the runner calls.  ready (may be NULL) is told, on the runner's
 * thread, when an answer is complete or given up.
 */
enum err answers_open(struct answers **out,
    void (*ready)(void *ctx, bool complete), void *ctx) PA_MUST_USE;
void answers_close(struct answers *a);
const struct job_handler *answers_handler(struct answers *a);

/* The configuration or the catalog changed: names are read anew. */
void answers_renew(struct answers *a);

/* Names that give an answer away: shipped, configured, of the catalog. */
enum err answer_leak_list(
    struct db *db, const struct conf *conf, struct leak_list **out) PA_MUST_USE;

/*
 * Judge stored answers whose flags another list made; at most max of them
 * with id > after, which moves on.  Catalog answers are flagged
 * ("catalog:self") and stay in play, but votes on them do not count: whoever
 * wrote them is asked to change them (logged).
 */
struct answer_rescan {
	const struct leak_list *list;
	const struct conf *conf;
	int64_t after; /* in and out: last id looked at */
	int64_t max;
	int64_t looked, changed, blocked; /* out, added up */
	bool done;                        /* out */
};
enum err answer_rescan_fn(struct store_tx *tx, void *rescan) PA_MUST_USE;

#endif /* PA_ANSWER_H */
