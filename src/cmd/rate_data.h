/*
 * rate_data - the votes of one file, counted while they are read.
 *
 * Layer    main.
 * Memory   malloc; rate_data_release frees all.
 * Threads  one.
 */
#ifndef PA_RATE_DATA_H
#define PA_RATE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/rate_names.h"
#include "rate/elo.h"
#include "rate/tally.h"

/* What a column, or a member of a JSON object, can be. */
enum rate_role {
	RATE_A,
	RATE_B,
	RATE_WINNER,
	RATE_WIN,
	RATE_LOSS,
	RATE_TIE,
	RATE_VOTER,
	RATE_WEIGHT,
	RATE_QUESTION,
	RATE_GROUP, /* the column named by --by */
	RATE_TIME,
	RATE_KIND,    /* of a ledger's line */
	RATE_COUNTED, /* likewise */
	RATE_NUMBER,  /* likewise: which line it is */
	RATE_OF,      /* likewise: which one it excludes or restores */
	RATE_STYLE_A, /* tokens, headers, lists, bold */
	RATE_STYLE_B = RATE_STYLE_A + 4,
	RATE__MAX = RATE_STYLE_B + 4
};

enum {
	RATE_STYLES = 4
};

struct rate_field {
	const char *p; /* NULL: the row does not say */
	size_t n;
};

/* What the analysis needs; everything else is not kept. */
struct rate_want {
	bool voters;    /* per-voter tallies */
	bool order;     /* votes in order, for Elo */
	bool votes;     /* whole votes */
	bool ledger;    /* lines of a ledger: its short names count */
	const char *by; /* column to group by, or NULL */
};

struct rate_vote {
	uint32_t a, b;
	uint32_t voter;    /* UINT32_MAX: unknown */
	uint32_t question; /* UINT32_MAX: unknown */
	uint32_t outcome;  /* enum tally_outcome */
	float style[2 * RATE_STYLES];
	double weight;
	double time; /* NaN: unknown */
};

/* A label of up to eight bytes as one word. */
struct rate_label {
	uint64_t word;
	uint32_t n;
	uint32_t outcome;
};

enum {
	RATE_LABELS = 32
};

struct rate_data {
	struct rate_names names, voters, questions, groups;
	struct tally tally;
	struct tally *by_group; /* groups.count */
	struct elo_vote *order;
	struct rate_vote *vote;
	size_t norder, order_room, nvote, vote_room;
	struct rate_label learned[RATE_LABELS]; /* hashed */
	bool plain;      /* rows tell names and winner alone */
	uint32_t *quick; /* counts not yet in tally: side * side * 4 */
	uint32_t side, nquick;
	uint64_t rows;
	uint64_t weightless; /* votes of weight 0 */
	bool has[RATE__MAX]; /* columns the file has */
	const char *path;    /* as messages call it */
	char message[1024];  /* why reading failed */
};

/*
 * Read path ("-": standard input).  On failure data->message says why, with
 * file and line, and nothing in data may be rated; release it all the same.
 */
enum err rate_read(const char *path, const struct rate_want *want,
    struct rate_data *data) PA_MUST_USE;

void rate_data_release(struct rate_data *data);

/* Role of a column of that name, or RATE__MAX; never RATE_GROUP. */
enum rate_role rate_role_of(
    const struct rate_want *want, const char *p, size_t n);

/* Is this the column to group by?  It may have a role besides. */
bool rate_is_group(const struct rate_want *want, const char *p, size_t n);

/* Would boards by a column of that role be of the votes' own making? */
bool rate_is_vote(enum rate_role role);

/* After a CSV header: can rows take the short way? */
void rate_data_plan(struct rate_data *data, const struct rate_want *want);

/*
 * The short way of nearly all rows of nearly all files, after rate_data_plan
 * has set data->plain: names and label are known, and nothing else counts.
 * False: nothing was counted, rate_data_take knows what to do.
 */
bool rate_data_take_plain(
    struct rate_data *data, const struct rate_field *field) PA_MUST_USE;

/* Count one row; field[] has RATE__MAX entries. */
enum err rate_data_take(struct rate_data *data, const struct rate_want *want,
    uint64_t line, const struct rate_field *field) PA_MUST_USE;

/* After the last row: what was counted aside goes into the tally. */
enum err rate_data_settle(struct rate_data *data) PA_MUST_USE;

/* Set the message to "path:line: ..." and return e. */
enum err rate_data_fail(struct rate_data *data, uint64_t line, enum err e,
    const char *fmt, ...) PA_PRINTF(4, 5);

#endif /* PA_RATE_DATA_H */
