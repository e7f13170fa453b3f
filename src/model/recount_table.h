/*
 * recount_table - ratings in memory while votes are replayed.
 *
 * Layer    model.
 * Memory   a pool of the table's own; rating_table_close frees all.
 * Threads  one.
 */
#ifndef PA_RECOUNT_TABLE_H
#define PA_RECOUNT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "rate/elo.h"

struct pool;
struct receipts;

struct rating {
	struct str scope, setup, version;
	double elo;
	int64_t matches, wins, losses, ties, both_poor, not_counted;
};

/* Ratings in memory: a hash table of pointers into a pool. */
struct rating_table {
	struct pool *pool;
	const struct elo_rule *rule;
	struct rating **slots;
	size_t slots_n, used;
	struct receipts *receipts; /* compared on the way; or NULL; borrowed */
};

void rating_table_open(struct rating_table *t, const struct elo_rule *rule);
void rating_table_close(struct rating_table *t);

/* The rating of that key, a new one at the start of the scale.  NULL: the
 * memory that a table may use is used up. */
struct rating *rating_table_find(struct rating_table *t, struct str scope,
    struct str setup, struct str version);

/* Bring all ratings to the front of slots in the order of the primary key; no
 * look-ups after this. */
void rating_table_sort(struct rating_table *t);

/* That order: scope, setup, version, by bytes. */
int rating_key_cmp(const struct rating *a, const struct rating *b);

#endif /* PA_RECOUNT_TABLE_H */
