/*
 * figure - a picture with its finding, its words and its table.
 *
 * Layer    page: model, view.
 * Memory   everything lives in the request's pool.
 * Threads  one request.
 */
#ifndef PA_FIGURE_H
#define PA_FIGURE_H

#include "page/board_query.h"
#include "view/plots.h"

struct req;

#define FIGURE_COLUMNS 8

struct figure_cell {
	struct text text;
	struct view_message label;
	int64_t number;
	double real; /* one digit on the page, all of them in files */
	bool head;   /* names its row */
};

struct figure {
	const char *name;
	struct plot_row wide, narrow;
	struct view_message title, desc;
	bool empty; /* nothing to draw: the title says why */
	const char *keys[FIGURE_COLUMNS]; /* what files call the columns */
	size_t columns;
	struct figure_cell *cells; /* row by row */
	size_t rows;
	int64_t last_seq;
	bool simulated; /* so are the votes behind it */
	/* What its numbers are of, as asked for; absent: all. */
	struct text type, tag, activity, setup;
};

/* The names there are; NULL-ended. */
extern const char *const figure_names[];

struct figure_wish {
	const char *name;
	struct text slug; /* of the history; absent: as the query says */
	int64_t version;  /* 0: the first there is */
};

/* Make one.  ERR_NOTFOUND: no such name, no such prompt. */
enum err figure_make(struct req *rq, const struct figure_wish *wish,
    const struct board_query *q, const struct board *b,
    struct figure *out) PA_MUST_USE;

/* What a board says today: its first sentence. */
struct view_message board_sentence(struct req *rq, const struct board *b);

/* A number that is an estimate, with two digits; VIEW_NO_INT stays. */
int64_t board_about(int64_t n);

struct figure_words { /* of findings */
	struct text first, second;
	struct text day;
	int64_t a, b, c;
	double x, y, tau;
};

#endif /* PA_FIGURE_H */
