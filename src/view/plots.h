/*
 * plots - the geometry of each picture that boards show.
 *
 * Layer    view: base.
 * Memory   marks live in the plot's pool.
 * Threads  one request.
 *
 * Each begins the plot (wide or narrow) and lays its marks out.  Rows come in
 * the order in which they are to be shown; NaN is what is not known.
 */
#ifndef PA_PLOTS_H
#define PA_PLOTS_H

#include "view/plot.h"

struct plot_strength { /* a row with an interval */
	struct text name;
	struct view_message label; /* in place of name */
	double value, lower, upper;
	double other;     /* an upright stroke; NaN: none */
	struct text note; /* the numbers, as written at its end */
};

struct plot_legend { /* what dot and bar are, and what the stroke */
	struct view_message value, other;
};

/*
 * Dots and bars on one axis, with their legend above (NULL: none); mark: a
 * line at that value (NaN: none).
 */
void plot_intervals(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_strength *rows, size_t n,
    const struct plot_legend *legend, double mark);

struct plot_cell {
	double share;  /* 0 to 1 from orange to blue; NaN: nothing to show */
	int64_t value; /* what is written */
	bool few;      /* hatched */
};

/* Rows against columns; a column without text or label is numbered. */
struct plot_column {
	struct view_message label;
};
void plot_matrix(struct plot *p, struct pool *pool, bool narrow,
    const struct text *names, size_t rows, const struct plot_column *columns,
    size_t columns_n, const struct plot_cell *cells);

struct plot_moment {
	int64_t day; /* Unix seconds */
	double elo, glicko, deviation;
};

/* Elo and the rating by days with its band, over days; glicko without an id:
 * Elo alone. */
void plot_history(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_moment *m, size_t n, struct view_message elo,
    struct view_message glicko);

struct plot_day {
	int64_t day;
	int64_t counted, not_counted;
};

/* Votes of each day, gaps kept. */
void plot_days(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_day *d, size_t n);

struct plot_spot {
	double x, y;
	int64_t number; /* written beside it */
};

/* Spots of numbered rows, with words for both axes. */
void plot_spots(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_spot *s, size_t n, struct view_message across,
    struct view_message up);

#endif /* PA_PLOTS_H */
