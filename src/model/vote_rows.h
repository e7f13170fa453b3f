/*
 * vote_rows - whether votes, their matches and their lines say the same.
 *
 * Layer    model.
 * Memory   borrows its arguments for the call; what is a constant.
 * Threads  those of db.
 */
#ifndef PA_VOTE_ROWS_H
#define PA_VOTE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct db;

struct vote_odds {
	int64_t n;        /* the first line (or match) at odds */
	const char *of;   /* "line" or "match" */
	const char *what; /* continues "line N"; NULL: all agree */
};

enum {
	VOTE_ROWS_START = 3, /* kinds that every start asks for */
	VOTE_ROWS_KINDS = 10
};

/* The first at odds of that kind, from line from on. */
enum err vote_rows_find(struct db *db, size_t kind, int64_t from,
    struct vote_odds *out) PA_MUST_USE;

/*
 * Those of every start: compare the rows of table vote with those of table
 * ledger from line from on, about 5 us a vote.  A line whose match is not here
 * (a database made anew from votes.log) needs no vote.
 */
enum err vote_rows_compare(
    struct db *db, int64_t from, struct vote_odds *out) PA_MUST_USE;

#endif /* PA_VOTE_ROWS_H */
