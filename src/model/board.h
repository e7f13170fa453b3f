/*
 * board - leaderboards, prompt cards and totals, as rows.
 *
 * Layer    model.
 * Memory   rows live in the given pool.
 * Threads  the connection's thread; a struct totals is safe from any.
 *
 * Each load reads in one read transaction, so its ratings, counts and
 * last_seq belong together.
 */
#ifndef PA_BOARD_H
#define PA_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/activity.h"
#include "model/match.h"
#include "rate/share.h"

struct conf;
struct db;
struct standing_snapshot;

enum board_sort {
	BOARD_BY_ELO, /* the default; higher first */
	BOARD_BY_PROMPT,
	BOARD_BY_MATCHES,
	BOARD_BY_BOTH_POOR,
	BOARD_BY_CHANGE,
	BOARD_BY_ORDER_FREE,
	BOARD_BY_EXPECTED,
	BOARD_BY_LENGTH,
	BOARD_SORT__MAX
};

/* "elo", "prompt", "matches", "both_poor", "change", "order_free",
 * "expected", "length"; a leading "-" turns it round. */
const char *board_sort_name(enum board_sort s);
enum err board_sort_parse(
    struct str s, enum board_sort *sort, bool *reverse) PA_MUST_USE;

struct board_query {
	struct text type, tag, activity; /* absent: all */
	struct text setup; /* slug or digest; absent: the one in use */
	enum board_sort sort;
	bool reverse;
	bool staff; /* sees boards that are hidden until the activity closes */
	bool full;  /* lengths of answers too */
	/* Where numbers come from, so that all of a row belong together; NULL:
	 * table rating, without intervals. */
	const struct standing_snapshot *snapshot;
};

#define BOARD_NO_INT INT64_MIN /* same as VIEW_NO_INT */

struct board_row {
	struct text slug, title, digest;
	int64_t version, version_id;
	const struct match_tag *tags;
	size_t tags_n;
	struct text tags_joined; /* "concise, detailed"; absent when none */
	bool official, retired;
	bool has_newer;             /* a later version of this prompt exists */
	int64_t rank_from, rank_to; /* BOARD_NO_INT when provisional */
	double elo;
	/* The row's reach: from the lowest to the highest of its Elo and of its
	 * order-free 95 % interval, so that lower <= elo <= upper.  NaN:
	 * unknown. */
	double lower, upper;
	double order_free, order_free_lower,
	    order_free_upper; /* which ranks are made of; NaN: unknown */
	double se;            /* of order_free; NaN: unknown */
	double expected; /* order-free score against the average, 0 to 100 */
	double weighted; /* as order_free, voters weighed; NaN: unknown */
	double change;   /* of Elo over seven days; NaN: without a match */
	double length;   /* median words of an answer; NaN: none, not asked */
	int64_t group;   /* rows of different groups never met; BOARD_NO_INT
			    without a match */
	bool separable;  /* false: won or lost everything so far */
	bool unsettled;  /* its place may be another one */
	int64_t matches, wins, losses, ties, both_poor, not_counted;
	double both_poor_share; /* percent of matches; NaN without matches */
	int64_t missing;        /* matches still needed to be official */
};

struct board_choice {             /* an entry of a filter's menu */
	struct text value, label; /* label absent: the page has a word for it */
	bool current, archived;
};

struct board {
	int64_t last_seq, generated;
	double k, start;
	int64_t minimum, minimum_voters;
	struct text setup, setup_slug, model; /* setup: digest; absent: none */
	struct text type, tag, activity;      /* as asked, absent: all */
	bool archived;                        /* this setup is no longer used */
	const struct board_row *official, *provisional;
	size_t official_n, provisional_n;
	int64_t matches;      /* counted, of this board */
	int64_t voters;       /* who cast them; BOARD_NO_INT: unknown */
	int64_t groups;       /* of prompts that never met */
	int64_t interval_seq; /* the last line that intervals are made of; 0:
				 there are none */
	int64_t weighted_seq; /* that of the weighted ratings; 0: none */
	double weighted_tau;  /* NaN: unknown */
	int64_t unsettled;    /* officials whose place may be another one */
	int64_t top;          /* officials that may be first */
	int64_t needed; /* matches to tell the first two of these apart, by
			   Elo, at the present estimates; BOARD_NO_INT: no
			   number would */
	const struct board_choice *setups, *types, *tags, *activities;
	size_t setups_n, types_n, tags_n, activities_n;
};

/*
 * Further matches between two rows that would tell them apart, 95 % sure and
 * with a chance of 80 %, were the present order-free ratings true (by errors
 * of each alone: a few more than by their difference).  0: they are apart;
 * BOARD_NO_INT: unknown, or more than anybody will play.
 */
int64_t board_matches_needed(
    const struct board_row *a, const struct board_row *b);

/*
 * ERR_NOTFOUND: no such type, tag, activity or setup.  ERR_DENIED: shown
 * only once the activity has closed.
 */
enum err board_load(struct db *db, struct pool *pool, const struct conf *conf,
    const struct board_query *query, int64_t now,
    struct board *out) PA_MUST_USE;

struct card_type {
	struct text type;
	struct board_row row;
};

struct card_style { /* means over a version's answers; NaN: none */
	double headers, lists, bold;
	int64_t answers;
};

struct card_version {
	struct card_style style;
	int64_t number, first_at;
	struct text digest, text;
	bool retired;
	struct board_row overall;
	struct card_type *types; /* those with a question */
	size_t types_n;
};

struct prompt_card {
	struct text slug, title, description;
	const struct match_tag *tags;
	size_t tags_n;
	bool retired;
	struct text setup, model;
	int64_t last_seq;
	const struct card_version *versions; /* newest first */
	size_t versions_n;
	const struct match_receipt *own; /* the viewer's revealed matches */
	size_t own_n;
};

/*
 * One prompt with all its versions under the setup (slug or digest; absent:
 * the one in use).  voter 0: nobody.  ERR_NOTFOUND.
 */
enum err prompt_card_load(struct db *db, struct pool *pool,
    const struct conf *conf, struct text slug, struct text setup,
    const struct standing_snapshot *snapshot, int64_t now, int64_t voter,
    int64_t durable_seq, struct prompt_card *out) PA_MUST_USE;

/* Running totals of the ledger, kept in memory. */
struct totals;

enum err totals_open(struct totals **out) PA_MUST_USE;
void totals_close(struct totals *t);

struct totals_reason {
	struct text why;
	int64_t votes;
};

struct arena_facts {
	bool simulated; /* every page says so then */
	int64_t last_seq;
	int64_t votes, counted;
	int64_t voters;                          /* people who have voted */
	int64_t prompts, versions, questions;    /* in play */
	int64_t asked;                           /* questions with votes */
	int64_t first_at, last_at;               /* of votes; 0: none */
	int64_t side_a, side_b, ties, both_poor; /* of the counted votes */
	const struct totals_reason *reasons;     /* why votes are not counted */
	size_t reasons_n;
};

/* Catches up with the ledger (only what is new is read). */
enum err arena_facts(struct totals *t, struct db *db, struct pool *pool,
    struct arena_facts *out) PA_MUST_USE;

/* What the votes of all time are on, in play or not. */
struct arena_voted {
	int64_t prompts;
	const struct text *types, *models;
	size_t types_n, models_n;
};
enum err arena_voted(
    struct db *db, struct pool *pool, struct arena_voted *out) PA_MUST_USE;

/*
 * Why votes on a version under a setup (digests) are not counted; n is 0 when
 * all are.
 */
enum err arena_left_out(struct totals *t, struct db *db, struct pool *pool,
    struct text version, struct text setup,
    const struct totals_reason **reasons, size_t *n) PA_MUST_USE;

/* Shares of all votes, with 95 % intervals made with whole people. */
struct arena_shares {
	struct share side;  /* counted and decided votes that A won */
	struct share blind; /* votes whose voter did not, and could not, know
			       whose answers they were */
};
enum err arena_shares(
    struct totals *t, struct db *db, struct arena_shares *out) PA_MUST_USE;

/* The arena's name for itself, a UUID, and when it was opened. */
enum err arena_identity(struct db *db, struct pool *pool, struct text *uuid,
    int64_t *opened) PA_MUST_USE;

/* The one fact every page needs. */
enum err arena_is_simulated(struct db *db, bool *out) PA_MUST_USE;

#endif /* PA_BOARD_H */
