/*
 * rate_board - one board of ratings, ready to be printed.
 *
 * Layer    main.
 * Memory   malloc; rate_board_release frees all but the borrowed names.
 * Threads  one, besides those of the bootstrap.
 */
#ifndef PA_RATE_BOARD_H
#define PA_RATE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/rate_data.h"
#include "cmd/rate_opts.h"
#include "rate/ci.h"

/* Unknown numbers are NaN and unknown ranks 0; neither is ever printed. */
struct rate_line {
	uint32_t item;
	uint32_t component; /* 1 is the largest */
	double rating, lower, upper;
	uint32_t rank, rank_from, rank_to;
	double wins, losses, ties; /* of weight 1 */
	uint64_t both_poor, matches;
	bool penalised;
	double order_mean, order_sd; /* Elo over random orders */
};

/* A number a model estimates beside the ratings. */
struct rate_effect {
	const char *name;
	double value, se; /* log-odds */
};

enum {
	RATE_EFFECTS = 8
};

struct rate_board {
	struct rate_line *line; /* by component, rating, name */
	uint32_t nlines;
	uint32_t components;
	uint32_t npenalised;
	uint64_t votes, both_poor;
	double log_likelihood, aic, tie, worst;
	unsigned newton, passes;
	double fit_seconds, interval_seconds;
	enum ci_method method;
	uint32_t clusters;
	bool sampled;
	bool exploratory;
	struct rate_effect effect[RATE_EFFECTS];
	size_t neffects;
	double quantile;   /* half-widths of effects in errors */
	uint32_t replaced; /* components whose bootstrap could not vary */
};

/*
 * Rate the votes of t (data's own tally or one of its groups).  On failure
 * data->message says why.
 */
enum err rate_board_make(struct rate_data *data, const struct tally *t,
    const struct rate_opts *o, struct rate_board *out) PA_MUST_USE;

void rate_board_release(struct rate_board *b);

/* Monotonic seconds, for the cost lines. */
double rate_seconds(void);

/* The ratings of an exploratory model, into b's lines; see rate_model.c. */
enum err rate_board_model(struct rate_data *data, const struct tally *t,
    const struct rate_opts *o, struct rate_board *b) PA_MUST_USE;

/* Prompts and voters together (am-ELO); see rate_amelo.c. */
enum err rate_board_amelo(struct rate_data *data, const struct tally *t,
    struct rate_board *b) PA_MUST_USE;

/* Over time, by rating periods (Glicko); see rate_glicko.c. */
enum err rate_board_glicko(struct rate_data *data, const struct rate_opts *o,
    struct rate_board *b) PA_MUST_USE;

#endif /* PA_RATE_BOARD_H */
