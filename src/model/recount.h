/*
 * recount - Elo in ledger order, one vote at a time or all over again.
 *
 * Layer    model: base, rate/elo, port/db.
 * Memory   borrows its arguments for the call.
 * Threads  the writer thread; recount_verify on any reading connection.
 *
 * Table rating holds, for each version, setup and scope, its Elo and its
 * counts.  Four scopes move with a vote: all, its type, its activity, and its
 * type within its activity.  A vote that does not count moves not_counted
 * alone, and so does one that an `exclude` line has taken out.  Elo depends
 * on order, so an exclusion replays everything.  recount_apply after each
 * line and recount_all at the end give the same rows, to the bit.
 */
#ifndef PA_RECOUNT_H
#define PA_RECOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/ledger.h"
#include "rate/elo.h"

struct db;
struct store_tx;

struct recount_effect { /* of a vote on the scope 'all' of its setup */
	double before_a, after_a;
	double before_b, after_b;
};

/*
 * Bring table rating up to date with e, which ledger_stage has just put into
 * table ledger.  out (may be NULL) says what moved; after equals before when
 * the vote does not count.  LEDGER_EXCLUDE and LEDGER_RESTORE replay all: to
 * exclude many, stage all their lines and call recount_all once instead.
 */
enum err recount_apply(struct store_tx *tx, const struct ledger_entry *e,
    const struct elo_rule *rule, struct recount_effect *out) PA_MUST_USE;

/*
 * Make table rating anew from table ledger and remember the rule in table
 * meta.  votes (may be NULL): how many were replayed.
 */
enum err recount_all(
    struct db *db, const struct elo_rule *rule, int64_t *votes) PA_MUST_USE;

/* The rule that table rating was made with; ERR_NOTFOUND when none was kept. */
enum err recount_rule(struct db *db, struct elo_rule *out) PA_MUST_USE;

/*
 * Recount when the rule differs from the one table rating was made with (a
 * changed configuration), else do nothing.  Call it in a closure before the
 * first vote under a reloaded configuration.
 */
enum err recount_rule_set(
    struct db *db, const struct elo_rule *rule, bool *changed) PA_MUST_USE;

struct recount_report {
	int64_t votes;         /* replayed */
	int64_t counted;       /* of these, moved ratings */
	int64_t rows;          /* compared */
	int64_t receipts;      /* compared */
	int64_t wrong_receipt; /* line of the first that tells other numbers
				  than the replay; 0: none */
	struct buf where; /* what differs, in words; empty when nothing does */
};

/*
 * Replay table ledger in memory and compare with table rating, bit by bit.
 * ERR_CORRUPT when they differ: the first difference stands in out->where.
 * The caller inits and releases out->where.
 */
enum err recount_verify(struct db *db, const struct elo_rule *rule,
    struct recount_report *out) PA_MUST_USE;

#endif /* PA_RECOUNT_H */
