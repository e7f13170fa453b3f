/* This file knows how to lay out pictures that compare prompts. */
#include "config.h"

#include <math.h>

#include "view/axis.h"
#include "view/plots.h"

enum {
	TOP = 26,      /* room for the axis */
	ROW = 26,      /* a row with its name beside it */
	ROW_TALL = 44, /* a row with its name above it */
	NAMES = 200,   /* columns of a wide picture */
	NOTES = 150,
	CELL_MOST = 44, /* a cell of a matrix */
	HEAD = 30,
	LEGEND = 24,
	KEY = 19 /* a line that says what a number stands for */
};

static void draw_axis(
    struct plot *p, const struct axis *a, double top, double bottom);
static void draw_legend(struct plot *p, const struct plot_legend *l);
static void draw_key(
    struct plot *p, double y, int64_t number, struct text name);
static void draw_strength(struct plot *p, const struct axis *a,
    const struct plot_strength *r, double y);

void
plot_intervals(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_strength *rows, size_t n,
    const struct plot_legend *legend, double mark)
{
	double tall = narrow ? ROW_TALL : ROW;
	double top = TOP + (legend != NULL ? LEGEND : 0);
	struct axis a = axis_around(!isnan(mark) ? mark
				    : n > 0      ? rows[0].value
						 : 0);

	plot_begin(p, pool, narrow, top + tall * (double)n + 6);
	for (size_t i = 0; i < n; i++) {
		axis_include(&a, rows[i].value);
		axis_include(&a, rows[i].lower);
		axis_include(&a, rows[i].upper);
		axis_include(&a, rows[i].other);
	}
	/* The last numbers of a narrow axis need room for their outer half. */
	axis_settle(&a, narrow ? 20 : NAMES + 20,
	    narrow ? PLOT_NARROW - 20 : PLOT_WIDE - NOTES - 10);
	draw_axis(p, &a, top, p->height - 4);
	if (legend != NULL)
		draw_legend(p, legend);
	if (!isnan(mark))
		plot_line(p, axis_x(&a, mark), top - 4, axis_x(&a, mark),
		    p->height - 4, "mark");
	for (size_t i = 0; i < n; i++)
		draw_strength(p, &a, &rows[i], top + tall * (double)i);
}

/* A bar with its dot, and a stroke, each beside its word. */
static void
draw_legend(struct plot *p, const struct plot_legend *l)
{
	double x = p->narrow ? 8 : NAMES + 20, y = 13;

	plot_line(p, x, y, x + 28, y, "span");
	plot_dot(p, x + 14, y, 4.5, "value");
	plot_message(p, x + 34, y + 5, "start", "note", l->value);
	x = p->narrow ? PLOT_NARROW - 60 : x + 220;
	plot_line(p, x, y - 8, x, y + 8, "stroke");
	plot_message(p, x + 8, y + 5, "start", "note", l->other);
}

static void
draw_axis(struct plot *p, const struct axis *a, double top, double bottom)
{
	double v;

	for (size_t i = 0; axis_tick(a, i, &v); i++) {
		double x = axis_x(a, v);

		plot_line(p, x, top - 6, x, bottom, "grid");
		plot_number(p, x, top - 12, "middle", "tick", llround(v));
	}
}

static void
draw_strength(struct plot *p, const struct axis *a,
    const struct plot_strength *r, double y)
{
	double line = p->narrow ? y + 32 : y + ROW / 2.0;
	double base = p->narrow ? y + 18 : line + 5;
	double width = p->narrow ? PLOT_NARROW - NOTES - 8 : NAMES;

	if (r->label.id != NULL)
		plot_message(p, 4, base, "start", "name", r->label);
	else
		plot_text(p, 4, base, "start", "name",
		    plot_fit(p->pool, r->name, width));
	plot_figures(p, p->width - 4, base, "end", "note", r->note);
	if (!isnan(r->lower) && !isnan(r->upper)) {
		plot_line(p, axis_x(a, r->lower), line, axis_x(a, r->upper),
		    line, "span");
		plot_line(p, axis_x(a, r->lower), line - 4, axis_x(a, r->lower),
		    line + 4, "end");
		plot_line(p, axis_x(a, r->upper), line - 4, axis_x(a, r->upper),
		    line + 4, "end");
	}
	if (!isnan(r->value))
		plot_dot(p, axis_x(a, r->value), line, 4.5, "value");
	if (!isnan(r->other))
		plot_line(p, axis_x(a, r->other), line - 8, axis_x(a, r->other),
		    line + 8, "stroke");
}

static void
draw_key(struct plot *p, double y, int64_t number, struct text name)
{
	plot_number(p, 20, y, "end", "tick", number);
	plot_text(p, 28, y, "start", "note",
	    plot_fit(p->pool, name, PLOT_NARROW - 32));
}

/* Nine steps from orange to blue; the middle one is nearly paper. */
static const char *
step_of(double share)
{
	static const char *const looks[] = { "h0", "h1", "h2", "h3", "h4", "h5",
		"h6", "h7", "h8" };
	int k = (int)lround(share * 8);

	return looks[k < 0 ? 0 : k > 8 ? 8 : k];
}

static void
draw_cell(struct plot *p, const struct plot_cell *c, double x, double y,
    double width, double height)
{
	if (isnan(c->share)) {
		plot_box(p, x, y, width - 2, height - 2, "none");
		return;
	}
	plot_box(p, x, y, width - 2, height - 2, step_of(c->share));
	if (c->few)
		plot_hatch(p, x, y, width - 2, height - 2);
	plot_number(p, x + width / 2 - 1, y + height / 2 + 4, "middle",
	    c->share * 8 < 1.5 || c->share * 8 >= 6.5 ? "strong" : "cell",
	    c->value);
}

/*
 * Wide: names beside the rows.  Narrow: rows are numbered and the numbers
 * explained below, or, where columns have labels, rows are named above.
 */
void
plot_matrix(struct plot *p, struct pool *pool, bool narrow,
    const struct text *names, size_t rows, const struct plot_column *columns,
    size_t columns_n, const struct plot_cell *cells)
{
	bool labelled = columns_n > 0 && columns[0].label.id != NULL;
	bool above = narrow && labelled;
	double left = above ? 4 : narrow ? 28 : NAMES + 32;
	double width = ((narrow ? PLOT_NARROW : PLOT_WIDE) - left - 4) /
		       (double)(columns_n > 0 ? columns_n : 1);
	double cell = labelled ? 30 : fmin(width, CELL_MOST);
	double tall = above ? cell + 20 : cell;
	double foot = HEAD + tall * (double)rows + 4;
	bool below = narrow && !above;

	if (!labelled)
		width = cell;
	plot_begin(
	    p, pool, narrow, foot + (below ? KEY * (double)rows + 4 : 0));
	for (size_t k = 0; k < columns_n; k++) {
		double x = left + width * ((double)k + 0.5) - 1;

		if (labelled)
			plot_message(p, x, HEAD - 10, "middle",
			    above ? "tick" : "name", columns[k].label);
		else
			plot_number(
			    p, x, HEAD - 10, "middle", "tick", (int64_t)k + 1);
	}
	for (size_t i = 0; i < rows; i++) {
		double y = HEAD + tall * (double)i;

		if (!above)
			plot_number(p, left - 8, y + cell / 2 + 5, "end",
			    "tick", (int64_t)i + 1);
		if (below)
			draw_key(p, foot + KEY * (double)(i + 1) - 4,
			    (int64_t)i + 1, names[i]);
		if (above)
			plot_text(p, 4, y + 15, "start", "name",
			    plot_fit(pool, names[i], PLOT_NARROW - 8));
		else if (!narrow)
			plot_text(p, 4, y + cell / 2 + 5, "start", "name",
			    plot_fit(pool, names[i], NAMES));
		for (size_t k = 0; k < columns_n; k++)
			draw_cell(p, &cells[i * columns_n + k],
			    left + width * (double)k, y + tall - cell, width,
			    cell);
	}
}

/* Would the number of spot i stand clear of those before it? */
static bool
has_room(const struct axis *x, const struct axis *y, const struct plot_spot *s,
    size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (fabs(axis_x(x, s[k].x) - axis_x(x, s[i].x)) < 22 &&
		    fabs(axis_x(y, s[k].y) - axis_x(y, s[i].y)) < 13)
			return false;
	}
	return true;
}

void
plot_spots(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_spot *s, size_t n, struct view_message across,
    struct view_message up)
{
	double height = narrow ? 300 : 400, v;
	struct axis x = axis_around(n > 0 ? s[0].x : 0),
		    y = axis_around(n > 0 ? s[0].y : 0);

	plot_begin(p, pool, narrow, height);
	for (size_t i = 0; i < n; i++) {
		axis_include(&x, s[i].x);
		axis_include(&y, s[i].y);
	}
	x.low = fmax(x.low, 0);
	axis_settle(&x, 48, p->width - 20);
	axis_settle(&y, height - 44, 28);
	for (size_t i = 0; axis_tick(&x, i, &v); i++) {
		plot_line(
		    p, axis_x(&x, v), 28, axis_x(&x, v), height - 44, "grid");
		plot_number(p, axis_x(&x, v), height - 26, "middle", "tick",
		    llround(v));
	}
	for (size_t i = 0; axis_tick(&y, i, &v); i++) {
		plot_line(
		    p, 48, axis_x(&y, v), p->width - 20, axis_x(&y, v), "grid");
		plot_number(
		    p, 42, axis_x(&y, v) + 4, "end", "tick", llround(v));
	}
	plot_message(p, p->width - 20, height - 8, "end", "name", across);
	plot_message(p, 4, 16, "start", "name", up);
	for (size_t i = 0; i < n; i++) {
		plot_dot(
		    p, axis_x(&x, s[i].x), axis_x(&y, s[i].y), 4.5, "value");
		if (has_room(&x, &y, s, i))
			plot_number(p, axis_x(&x, s[i].x) + 8,
			    axis_x(&y, s[i].y) - 5, "start", "tick",
			    s[i].number);
	}
}
