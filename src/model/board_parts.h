/*
 * board_parts - what leaderboards and prompt cards share.
 *
 * Layer    model.
 * Memory   rows live in the given pool.
 * Threads  the connection's thread, inside a read transaction.
 */
#ifndef PA_BOARD_PARTS_H
#define PA_BOARD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/board.h"
#include "model/rows.h"

struct standing_board;

struct board_setup {
	int64_t id;
	struct text digest, slug, model;
	bool active;
};

/* By slug or digest; want absent: the one in use.  ERR_NOTFOUND. */
enum err board_setup_find(struct db *db, struct pool *pool, struct text want,
    struct board_setup *out) PA_MUST_USE;

struct board_wish {
	const struct conf *conf;
	struct text setup;    /* digest; absent: nothing is rated yet */
	struct text type;     /* absent: all */
	struct text tag;      /* absent: all */
	struct text activity; /* slug; absent: all */
	int64_t activity_id;  /* 0: all */
	int64_t prompt;       /* 0: all */
	bool with_retired;    /* also those retired without a match */
	bool full;            /* lengths of answers too */
	int64_t setup_id;     /* for these */
	int64_t now;
	const struct standing_snapshot *snapshot; /* or NULL */
};

/* The board that wish's numbers come from, or NULL. */
const struct standing_board *board_standing(const struct board_wish *wish);

/* row's numbers from the snapshot in place of table rating's. */
void board_row_stand(const struct board_wish *wish,
    const struct standing_board *from, struct board_row *row);

/* Ranks, settledness, groups of rows in the order of Elo. */
void board_rank(struct board_row *rows, size_t n);

/* What a board says at its top. */
void board_lead(const struct board_row *official, size_t n, struct board *out);

/* Median words of answers, by version id; prompt 0: of all. */
struct board_length {
	int64_t version;
	double words;
};
enum err board_lengths_load(struct db *db, struct pool *pool, int64_t setup,
    int64_t prompt, struct rows *out) PA_MUST_USE;

/* struct board_row, in the order of versions, without ranks. */
enum err board_rows_load(struct db *db, struct pool *pool,
    const struct board_wish *wish, struct rows *out) PA_MUST_USE;

/* Is there a question of that type in play? */
enum err board_type_occurs(
    struct db *db, const char *type, bool *out) PA_MUST_USE;

#endif /* PA_BOARD_PARTS_H */
