/*
 * standing_parts - what the files of the standing share.
 *
 * Layer    model.
 * Memory   malloc; ledger_view_release frees what a view holds.
 * Threads  the statistics thread writes under `lock`; readers take it too.
 */
#ifndef PA_STANDING_PARTS_H
#define PA_STANDING_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/standing.h"
#include "rate/elo.h"
#include "rate/tally.h"

struct db;
struct snapshot;

#define STANDING_NONE UINT32_MAX

/* Texts numbered in the order of their appearance. */
struct names {
	struct text *all;
	uint32_t n, room;
	uint32_t *slots; /* number + 1, or 0 */
	uint32_t slots_n;
};

/* The number of s, which is added when new; STANDING_NONE: no memory. */
uint32_t names_add(struct names *names, struct str s);
uint32_t names_find(const struct names *names, struct str s);
void names_release(struct names *names);

enum vote_flag {
	VOTE_IS = 1,      /* the line is a vote, between two versions */
	VOTE_COUNTS = 2,  /* as cast */
	VOTE_EXCLUDED = 4 /* taken out later */
};

struct line_vote { /* a line of the ledger, if it is a vote */
	uint32_t voter, a, b, question;
	uint32_t t;
	uint16_t setup, activity;
	uint8_t type, choice, flags;
};

struct counts {
	int64_t matches, wins, losses, ties, both_poor, not_counted;
};

struct scope {                          /* a board in the making */
	uint32_t setup, type, activity; /* STANDING_NONE: all */
	struct tally tally;
	double *elo;
	struct counts *counts;
	uint32_t *last_point; /* item -> its newest point + 1 */
	uint32_t items, items_room;
	struct standing_point *points; /* row: the item */
	size_t points_n, points_room;
	int64_t by_choice[VOTE__MAX];
	struct share_of *side; /* voter -> A's among the decided */
	uint32_t side_room;
	/* Rating periods, of scopes of all types. */
	double *glicko, *deviation;
	struct elo_vote *today;
	size_t today_n, today_room;
	uint32_t day;
	bool changed;    /* votes came since `board` was made */
	bool reweighed;  /* voters were judged since */
	bool stale;      /* `board` has older intervals */
	int64_t full_us; /* what the last fit with intervals took */
	struct standing_board *board;
	double *theta; /* of the last fit: where the next begins */
	uint32_t theta_n;
};

/* Everything the ledger says, as arrays. */
struct ledger_view {
	struct names versions, setups, types, activities, questions, voters;
	struct line_vote *lines; /* by n */
	int64_t seq, lines_room;
	bool rebuild; /* an exclusion: play all of it again */
	struct elo_rule rule;
	bool *several;  /* setup -> votes of more than one activity */
	uint32_t *only; /* setup -> its one activity */
	uint32_t setups_room;
	struct scope *scopes;
	size_t scopes_n, scopes_room;
	struct standing_day *days;
	size_t days_n;
	int64_t *first_vote; /* voter -> a line of theirs */
	uint32_t first_vote_room;
	uint32_t day_cached;
};

/* Read lines up to and with `upto`; *grown when there were any. */
enum err ledger_view_read(struct ledger_view *v, struct db *db, int64_t upto,
    bool *grown) PA_MUST_USE;

/* Forget all boards and play the lines again under rule. */
enum err ledger_view_replay(
    struct ledger_view *v, const struct elo_rule *rule) PA_MUST_USE;
void ledger_view_release(struct ledger_view *v);

/*
 * Make scope's board from what it holds, voters weighed as last judged.
 * Intervals cost more than ratings, by far: without them (quick) the rows
 * keep their former widths.
 */
struct judged;
enum err scope_fit(const struct ledger_view *v, const struct judged *j,
    bool quick, struct scope *s) PA_MUST_USE;
void standing_board_put(struct standing_board *b);

/* Play a vote into a scope. */
enum err scope_vote(struct ledger_view *v, struct scope *s,
    const struct line_vote *l, uint32_t day) PA_MUST_USE;
void scope_release(struct scope *s);

uint32_t standing_day_of(struct ledger_view *v, uint32_t t);

/* Judged voters. */
struct judged {
	int64_t seq;
	struct rater *raters; /* by voter */
	uint32_t raters_n;
	double *weighted; /* theta by setup * versions + version */
	uint32_t versions, setups;
	double tau;
};

/* One judging, on a thread of its own: it may take seconds. */
struct judging {
	struct rater_vote *votes;
	size_t votes_n;
	struct judged result;
	enum err err;
};

/* Copy what a judging needs; ERR_NOTFOUND: no vote counts. */
enum err judging_prepare(
    const struct ledger_view *v, struct judging *out) PA_MUST_USE;
/* breathe(arg) is called now and then; true from it ends the judging. */
void judging_do(struct judging *j, bool (*breathe)(void *arg), void *arg);
void judging_release(struct judging *j);
void judged_release(struct judged *j);

/* The statistics thread: arg is the standing. */
void *standing_run(void *arg);

struct standing {
	struct store *store;
	struct db *db; /* the thread's */
	pthread_t thread;
	bool started;
	pthread_rwlock_t data; /* view and judged: readers of rows */
	struct ledger_view view;
	struct judged judged;
	/* The thread's: a judging begun, or done, up to that line. */
	int64_t judged_upto, judge_due;
	int64_t width_us, width_at; /* time that intervals may take yet */
	pthread_t judge;
	bool judge_runs;
	struct judging judging;
	atomic_bool judge_done;
	int64_t judge_cpu;    /* the judge's: when it last rested */
	pthread_mutex_t lock; /* what follows */
	pthread_cond_t newer;
	bool stopping, reload;
	bool tried;      /* the first piece of work is done, well or not */
	int64_t took_ms; /* the last piece of work */
	struct standing_snapshot *now;
};

#endif /* PA_STANDING_PARTS_H */
