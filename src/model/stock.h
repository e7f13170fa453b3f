/*
 * stock - pairs of answers that are ready before anybody asks for them.
 *
 * Layer    model.
 * Memory   a stock struct is allocated by stock_open.
 * Threads  stock_fill on the runner's thread; stock_numbers from any.
 *
 * Of each question type so many pairs are kept that still lack voters.  What
 * is missing is drawn as a voter's pair would be, and written when nobody
 * waits for anything.
 */
#ifndef PA_STOCK_H
#define PA_STOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct conf;
struct conf_setup;
struct db;
struct deck;
struct store;

struct stock_type {
	struct text type;
	int64_t ready;  /* pairs that lack voters, under setups that generate */
	int64_t coming; /* answers being written */
};

#define STOCK_TYPES 8

struct stock_numbers {
	struct stock_type types[STOCK_TYPES];
	size_t n;
	int64_t target;
};

/* Count, from the deck in force and the matches.  Names live in the deck. */
enum err stock_count(struct db *db, const struct deck *deck,
    const struct conf *conf, struct stock_numbers *out) PA_MUST_USE;

/* Does the setup's endpoint take questions now? */
typedef bool stock_makes(void *ctx, const struct conf_setup *setup);

/*
 * Have missing answers of at most `most` pairs written, for types whose
 * stock is below `target`; *asked answers were asked for.  seed: which
 * activity is served in this round.
 */
struct stock_order {
	stock_makes *makes;
	void *ctx;
	int64_t target;
	int64_t most;
	uint64_t round;
};
enum err stock_fill(struct store *store, struct db *db, const struct deck *deck,
    const struct conf *conf, const struct stock_order *o,
    const struct stock_numbers *now, int64_t *asked) PA_MUST_USE;

#endif /* PA_STOCK_H */
