/*
 * deck - everything that can be paired, in memory.
 *
 * Layer    model.
 * Memory   a deck owns its pool and is freed by the last deck_put.
 * Threads  a deck never changes once made and is shared; the holder is safe
 *          from any thread.
 *
 * Built from a reading connection at start and after every reload (and when
 * new answers have come); a request takes the deck in force, uses it and puts
 * it back, so a swap waits for nobody.
 *
 * A set of questions is a bit set of `words` 64-bit words, bit = index.
 */
#ifndef PA_DECK_H
#define PA_DECK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/activity.h"

struct db;

#define DECK_NONE UINT32_MAX

struct deck_setup {
	int64_t id;
	struct text digest;
};

struct deck_prompt {
	int64_t id;
	struct text slug, author;
};

struct deck_version {
	int64_t id;
	struct text digest;
	int64_t number;
	uint32_t prompt;      /* index */
	uint32_t predecessor; /* index of the version before, or DECK_NONE */
};

struct deck_question {
	int64_t id;
	struct text slug, type, lang;
};

struct deck_answer { /* sorted by id; also those no longer in play */
	int64_t id;
	uint32_t setup, version, question; /* indices; DECK_NONE: out of play */
	uint32_t sample;
	uint32_t next; /* next usable sample of the same cell, or DECK_NONE */
	bool usable;
};

struct deck_set { /* questions of one type or language */
	struct text name;
	uint64_t *questions;
	size_t count;
};

struct deck_activity {
	struct activity activity;
	const uint64_t *questions;
	const bool *prompts; /* by prompt index */
};

struct deck {
	struct pool *pool;
	atomic_int refs;
	const struct deck_setup *setups;
	const struct deck_prompt *prompts;
	const struct deck_version *versions;
	const struct deck_question *questions;
	const struct deck_answer *answers;
	const struct deck_set *types, *langs;   /* those that occur */
	const struct deck_activity *activities; /* catalog order */
	size_t setups_n, prompts_n, versions_n, questions_n, answers_n;
	size_t types_n, langs_n, activities_n;
	size_t words;
	/* [(setup * versions_n + version) * words]: questions with an answer */
	const uint64_t *has;
	/* [(setup * versions_n + version) * questions_n + question]: index of
	 * the cell's first usable answer, or DECK_NONE */
	const uint32_t *cells;
};

/* Read a deck.  It has one reference, the caller's. */
enum err deck_open(struct db *db, struct deck **out) PA_MUST_USE;

/* Index of the answer with that id, or DECK_NONE. */
uint32_t deck_answer_find(const struct deck *d, int64_t id);

/* Index of the version or question with that id, or DECK_NONE. */
uint32_t deck_version_find(const struct deck *d, int64_t id);
uint32_t deck_question_find(const struct deck *d, int64_t id);

/* By name, NULL when it does not occur. */
const struct deck_set *deck_type(const struct deck *d, struct text name);
const struct deck_set *deck_lang(const struct deck *d, struct text name);
const struct deck_activity *deck_activity(
    const struct deck *d, struct text slug);

/* The deck in force. */
struct deck_holder {
	pthread_mutex_t lock;
	struct deck *now;
};

/* Takes over the caller's reference to first. */
void deck_holder_init(struct deck_holder *h, struct deck *first);
void deck_holder_release(struct deck_holder *h);

/* Borrow the deck in force until deck_put. */
struct deck *deck_get(struct deck_holder *h);
void deck_put(struct deck *d);

/* Put next in force (takes over the caller's reference). */
void deck_swap(struct deck_holder *h, struct deck *next);

#endif /* PA_DECK_H */
