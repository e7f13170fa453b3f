/*
 * standing - what the votes say by now: ratings of every board, in memory.
 *
 * Layer    model: base, rate, store.
 * Memory   standing_open allocates.  A snapshot is counted and lives until
 *          its last put; texts in it live as long as the standing.
 * Threads  one thread of its own does the work; everything else is safe from
 *          any.  A snapshot never changes.
 *
 * The thread scans table ledger once, afterwards only what is new, keeps
 * tallies of every board, refits after votes have settled and swaps one
 * snapshot in.  No vote waits for it: it wakes when lines are durable, and
 * rests so long after each piece of work that while votes keep coming it takes
 * three hundredths of a processor for ratings and eight for intervals, at a
 * lower priority than votes.  Ratings never wait longer than a second.
 * Intervals of large boards follow as their share of time allows; until then
 * rows keep their former widths, and interval_seq says how far those go.
 * After a quiet minute both are there at once.  Voters are judged on a thread
 * that runs only when nobody else wants to, in two hundredths of a processor.
 *
 * A board is one setup with all questions or one type, of one activity or of
 * all.  While one activity alone has votes under a setup, its board is that
 * of all.  Elo goes in ledger order, with the bits of table rating.
 */
#ifndef PA_STANDING_H
#define PA_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/ledger.h"
#include "rate/rater.h"
#include "rate/share.h"

struct pool;
struct standing;
struct store;

#define STANDING_DAYS_MOST 20000

/* The confidence level of the intervals that the arena's pages show. */
#define STANDING_LEVEL 0.95

/* A version at the end of a campus day on which it was voted on. */
struct standing_point {
	uint32_t row;
	uint32_t day; /* Unix second at which that day began */
	double elo;
	double glicko, deviation; /* by rating periods of a day (Glickman 1999);
				   NaN on boards of one type */
};

struct standing_row { /* a version on a board */
	struct text digest;
	int64_t matches, wins, losses, ties, both_poor, not_counted;
	double elo;
	double free;                   /* order-free; NaN without a match */
	double free_lower, free_upper; /* NaN: unknown */
	double se;                     /* of free; NaN: unknown */
	double expected;               /* score against the average, 0 to 100 */
	double weighted; /* as free, voters weighed; NaN: not computed */
	uint32_t part;   /* rows of different parts never met */
	bool separable;  /* false: held by the penalty alone */
	uint32_t first_point, points_n; /* its days, oldest first */
};

struct standing_pair { /* two rows that met, i < j, sides forgotten */
	uint32_t i, j;
	uint32_t i_won, j_won, ties, both_poor;
};

struct standing_board {
	int refs;                          /* the standing's own business */
	struct text setup, type, activity; /* absent: all */
	struct standing_row *rows;         /* by digest */
	size_t rows_n;
	struct standing_pair *pairs; /* by i, then j */
	size_t pairs_n;
	struct standing_point *points; /* by row, then day */
	size_t points_n;
	uint32_t parts;       /* with at least two rows that met */
	int64_t interval_seq; /* the last line in the intervals' widths */
	int64_t matches;      /* counted votes */
	int64_t voters;       /* who cast them */
	int64_t side_a, side_b, ties, both_poor; /* of the counted */
	struct share side; /* A's among the decided, people by people */
};

struct standing_day {
	uint32_t day;
	uint32_t counted, not_counted;
};

struct standing_snapshot {
	int refs;        /* the standing's own business */
	uint64_t serial; /* greater than that of every former one */
	int64_t seq;     /* the last ledger line in it */
	int64_t made_at;
	const struct standing_board **boards;
	size_t boards_n;
	struct standing_day *days; /* oldest first; days with votes */
	size_t days_n;
	int64_t weighted_seq; /* up to where `weighted` goes; 0: nothing yet */
	double weighted_tau;  /* Kendall's tau of raw and weighted, all
				 boards; NaN: unknown */
};

enum err standing_open(struct standing **out, struct store *store) PA_MUST_USE;

/* Ends the thread.  No snapshot may be held any more. */
void standing_close(struct standing *st);

/* The rule, or the campus's time zone, may have changed: look again. */
void standing_reload(struct standing *st);

/*
 * The snapshot in force, or NULL before the first.  Waits, at most wait_ms,
 * until it reaches line seq: not at all when making one takes longer.
 */
const struct standing_snapshot *standing_get(
    struct standing *st, int64_t seq, int64_t wait_ms);
void standing_put(const struct standing_snapshot *s);

/* NULL: no vote under that setup there.  Absent type or activity: all. */
const struct standing_board *standing_board_find(
    const struct standing_snapshot *s, struct text setup, struct text type,
    struct text activity);

/* NULL: not voted on. */
const struct standing_row *standing_row_find(
    const struct standing_board *b, struct text digest);

/* NULL: never met. */
const struct standing_pair *standing_pair_find(
    const struct standing_board *b, size_t i, size_t j);

/* Elo at the start of the campus day `day`; start when it had none yet. */
double standing_elo_before(const struct standing_board *b,
    const struct standing_row *r, uint32_t day, double start);

struct standing_met { /* how one question was answered by two versions */
	uint64_t a_won, b_won, ties, both_poor;
};

/*
 * Counted votes of two versions under a setup, question by question, of type
 * and activity (absent: all), up to line seq.  Rows live in the pool.
 */
enum err standing_met(struct standing *st, struct pool *pool,
    const struct standing_board *board, int64_t seq, struct text a,
    struct text b, const struct standing_met **rows, size_t *n) PA_MUST_USE;

struct standing_voter {
	int64_t vote; /* ledger number of a vote of theirs: who they are */
	struct rater rater;
	struct text target; /* digest of rater.target's version */
};

/*
 * The voters as last judged, those with the most to look at first: in the
 * pool.  *seq: up to which line; 0: nobody was judged yet.
 */
enum err standing_voters(struct standing *st, struct pool *pool,
    const struct standing_voter **rows, size_t *n, int64_t *seq) PA_MUST_USE;

/*
 * Who cast vote n: the name, else the login, of a member; absent for guests,
 * the erased and votes without an account.
 */
struct db;
enum err standing_voter_name(
    struct db *db, struct pool *pool, int64_t n, struct text *out) PA_MUST_USE;

#endif /* PA_STANDING_H */
