/*
 * ledger - the append-only, hash-chained record of votes (votes.log).
 *
 * Layer    model.
 * Memory   ledger_open allocates; entries borrow their strings.
 * Threads  staging and committing belong to the writer thread.
 *
 * JSON Lines; each line says everything needed to replay it, with the keys
 *
 *	n t k m of q type va vb sa sb setup activity w c why u consent prev h
 *
 * in this order.  A vote has all of them but `of`; `open` (line 1, m is the
 * arena's UUID) has n t k m prev h; `exclude` and `restore` have n t k m of
 * why prev h, where `of` is the number of the vote meant.  consent is null
 * when the voter was not asked.  prev is the line before's h, of line 1 it is
 * 64 zeros.  h = SHA-256 of the line's bytes before `,"h"`.
 */
#ifndef PA_LEDGER_H
#define PA_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

enum ledger_kind {
	LEDGER_OPEN,
	LEDGER_VOTE,
	LEDGER_EXCLUDE, /* takes a counted vote out of the ratings */
	LEDGER_RESTORE, /* takes an exclusion back */
	LEDGER__MAX
};

enum vote_choice {
	VOTE_A,
	VOTE_B,
	VOTE_TIE,
	VOTE_BOTH_POOR,
	VOTE__MAX
};

/* "a", "b", "tie", "both_poor". */
const char *vote_choice_name(enum vote_choice c);
enum err vote_choice_parse(struct str s, enum vote_choice *out) PA_MUST_USE;

/*
 * The first 64 bits of a voter's pseudonym, to tell voters apart in memory;
 * never 0.
 */
uint64_t ledger_voter_key(struct str pseudonym);

struct ledger_entry {
	int64_t n; /* sequence, from 1; set by ledger_stage */
	int64_t t; /* Unix seconds */
	enum ledger_kind kind;
	struct str match;    /* token; of OPEN the arena's UUID */
	int64_t of;          /* EXCLUDE/RESTORE: the vote's n; set by
				ledger_stage from match */
	struct str question; /* question id */
	struct str type;     /* question type */
	struct str va, vb;   /* version digests, a = shown as A */
	int64_t sa, sb;      /* sample numbers */
	struct str setup;    /* setup digest */
	struct str activity; /* activity id */
	enum vote_choice choice;
	bool counted;
	struct str why;        /* reason code, "" when counted */
	struct str voter;      /* pseudonym */
	struct str consent;    /* version, or absent */
	struct str prev, hash; /* 64 hex digits; set by ledger_stage */
};

struct ledger;

/* One line, with the newline, exactly as the file holds it. */
void ledger_format(struct buf *out, const struct ledger_entry *e);

/* The public form: without m q u consent t sa sb. */
void ledger_format_public(struct buf *out, const struct ledger_entry *e);

/*
 * Read a line (without newline).  ERR_SYNTAX: not a line that ledger_format
 * would have written; ERR_CORRUPT: it is, but h is not its digest.  Says
 * nothing about prev, which only a neighbour can prove.
 */
enum err ledger_parse(
    struct pool *pool, struct str line, struct ledger_entry *out) PA_MUST_USE;

/*
 * Give e its sequence, prev and hash, insert it into table ledger and keep
 * its line for the append that follows the commit.  Undone with the
 * savepoint of the closure that staged it.  prev and hash stay valid until
 * the closure returns.  ERR_FULL or ERR_IO while the ledger file cannot be
 * written (store_is_halted); ERR_NOTFOUND when match of an EXCLUDE or
 * RESTORE names no vote.
 */
struct store_tx;
enum err ledger_stage(struct store_tx *tx, struct ledger_entry *e) PA_MUST_USE;

/*
 * Public lines n = from, from + 1 … up to and with `upto` (give
 * store_durable_seq), appended to out, whole lines only, until out holds
 * `enough` bytes or more.  *next: where to go on, or 0 when all was written.
 * For /ledger.jsonl?from=N: call it again with *next while not 0.
 */
struct db;
enum err ledger_public_page(struct db *db, int64_t from, int64_t upto,
    size_t enough, struct buf *out, int64_t *next) PA_MUST_USE;

/* Row n of table ledger; ERR_NOTFOUND. */
enum err ledger_row(struct db *db, struct pool *pool, int64_t n,
    struct ledger_entry *out) PA_MUST_USE;

/* The greatest n in table ledger, 0 when empty. */
enum err ledger_last(struct db *db, int64_t *out) PA_MUST_USE;

#endif /* PA_LEDGER_H */
