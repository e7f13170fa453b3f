/*
 * plot - pictures as lists of marks, each at its place.
 *
 * Layer    view: base.
 * Memory   marks live in the given pool.
 * Threads  one request.
 *
 * Geometry is made here, in user units of the view box (pixels at full size,
 * y downward); templates turn marks into elements and the stylesheet gives
 * classes their looks.  There are no ids, so any number of plots can stand on
 * one page.
 */
#ifndef PA_PLOT_H
#define PA_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/str.h"
#include "view/shape.h"

#define PLOT_WIDE 720
#define PLOT_NARROW 320

struct plot_line {
	double x1, y1, x2, y2;
	struct text look;
};

struct plot_box {
	double x, y, width, height;
	struct text look;
};

struct plot_dot {
	double x, y, r;
	struct text look;
};

struct plot_path {
	struct text d, look;
};

struct plot_label { /* one of text, figures, number and message */
	double x, y;
	struct text anchor, look; /* start, middle, end */
	struct text text, figures;
	int64_t number;
	struct view_message message;
};

/* What a template sees. */
struct plot_row {
	double width, height;
	struct text view_box;
	struct view_list lines, boxes, dots, paths, labels;
	struct view_message title, desc;
};
extern const struct view_shape plot_shape;

struct plot_marks { /* a growing list */
	char *p;
	size_t n, room, size;
};

struct plot {
	struct pool *pool;
	double width, height;
	bool narrow;
	struct plot_marks lines, boxes, dots, paths, labels;
};

void plot_begin(struct plot *p, struct pool *pool, bool narrow, double height);
void plot_line(struct plot *p, double x1, double y1, double x2, double y2,
    const char *look);
void plot_box(struct plot *p, double x, double y, double width, double height,
    const char *look);
void plot_dot(struct plot *p, double x, double y, double r, const char *look);

/* A line through n points; closed: an area. */
void plot_path(struct plot *p, const double *x, const double *y, size_t n,
    bool closed, const char *look);

/* Slanted lines across a box: too few votes to trust its colour. */
void plot_hatch(
    struct plot *p, double x, double y, double width, double height);

void plot_text(struct plot *p, double x, double y, const char *anchor,
    const char *look, struct text text);
/* Figures are a text of numbers, in the language's digits. */
void plot_figures(struct plot *p, double x, double y, const char *anchor,
    const char *look, struct text figures);
void plot_number(struct plot *p, double x, double y, const char *anchor,
    const char *look, int64_t number);
void plot_message(struct plot *p, double x, double y, const char *anchor,
    const char *look, struct view_message message);

/*
 * t, cut with an ellipsis to about `width` units of ordinary type; the version
 * at its end (" v2") stays.
 */
struct text plot_fit(struct pool *pool, struct text t, double width);

/* The finished picture. */
struct plot_row plot_end(
    const struct plot *p, struct view_message title, struct view_message desc);

#endif /* PA_PLOT_H */
