/* This file knows how to lay out pictures that go along days. */
#include "config.h"

#include <math.h>

#include "base/clock.h"
#include "view/axis.h"
#include "view/plots.h"

enum {
	LEFT = 48,
	TOP = 28,
	BOTTOM = 34,
	LAST_WORDS = 130
};
#define BAND_MOST 120.0 /* the deviation from which on a band is drawn */
#define DAY 86400.0

struct days {            /* a stretch of days laid out from left to right */
	double from, to; /* Unix seconds */
	double left, right;
};

static double
day_x(const struct days *d, double t)
{
	double span = d->to > d->from ? d->to - d->from : DAY;

	return d->left + (t - d->from) / span * (d->right - d->left);
}

/* "11-29" of the campus's calendar. */
static struct text
date(struct pool *pool, int64_t t)
{
	char z[32];
	struct str s;

	clock_human(t, z, sizeof(z));
	s = pool_printf(pool, "%.5s", z + 5);
	return (struct text){ s.p, s.n };
}

/* The first day, the last and some between, never on top of each other. */
static void
draw_dates(struct plot *p, const struct days *d, double y)
{
	double width = d->right - d->left;
	int parts = (int)fmin(fmax(1, floor(width / 90)),
	    fmax(1, round((d->to - d->from) / DAY)));

	for (int i = 0; i <= parts; i++) {
		double t = d->from + (d->to - d->from) * i / parts;

		/* Noon is on the right day whatever the clocks did. */
		plot_figures(p, day_x(d, t), y, "middle", "tick",
		    date(p->pool, (int64_t)(t + DAY / 2)));
		if (d->to <= d->from)
			break;
	}
}

static void
draw_scale(struct plot *p, const struct axis *y, double right)
{
	double v;

	for (size_t i = 0; axis_tick(y, i, &v); i++) {
		plot_line(p, LEFT, axis_x(y, v), right, axis_x(y, v), "grid");
		plot_number(
		    p, LEFT - 6, axis_x(y, v) + 4, "end", "tick", llround(v));
	}
}

/* The band around the line by days: there and back. */
static void
draw_band(struct plot *p, const struct days *d, const struct axis *y,
    const struct plot_moment *m, size_t n)
{
	double *xs = pool_array(p->pool, 2 * n + 1, sizeof(*xs));
	double *ys = pool_array(p->pool, 2 * n + 1, sizeof(*ys));
	size_t k = 0;

	if (xs == NULL || ys == NULL)
		return;
	for (size_t i = 0; i < 2 * n; i++) {
		const struct plot_moment *at = &m[i < n ? i : 2 * n - 1 - i];
		double off = 2 * at->deviation * (i < n ? 1 : -1);

		if (isnan(at->glicko) || isnan(at->deviation) ||
		    at->deviation > BAND_MOST)
			continue;
		xs[k] = day_x(d, (double)at->day);
		ys[k++] = axis_x(y, at->glicko + off);
	}
	plot_path(p, xs, ys, k, true, "band");
}

static void
draw_course(struct plot *p, const struct days *d, const struct axis *y,
    const struct plot_moment *m, size_t n, bool glicko, const char *look)
{
	double *xs = pool_array(p->pool, n + 1, sizeof(*xs));
	double *ys = pool_array(p->pool, n + 1, sizeof(*ys));
	size_t k = 0;

	if (xs == NULL || ys == NULL)
		return;
	for (size_t i = 0; i < n; i++) {
		double v = glicko ? m[i].glicko : m[i].elo;

		if (isnan(v))
			continue;
		xs[k] = day_x(d, (double)m[i].day);
		ys[k++] = axis_x(y, v);
	}
	plot_path(p, xs, ys, k, false, look);
	if (k > 0)
		plot_dot(p, xs[k - 1], ys[k - 1], 4, look);
}

void
plot_history(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_moment *m, size_t n, struct view_message elo,
    struct view_message glicko)
{
	double height = narrow ? 260 : 340, ye, yf;
	struct axis y = axis_around(n > 0 ? m[n - 1].elo : 0);
	struct days d;

	plot_begin(p, pool, narrow, height);
	if (n == 0)
		return;
	d = (struct days){ (double)m[0].day, (double)m[n - 1].day, LEFT + 16,
		narrow ? p->width - 24 : p->width - LAST_WORDS };
	for (size_t i = 0; i < n; i++) {
		axis_include(&y, m[i].elo);
		axis_include(&y, m[i].glicko);
		/* A newcomer's band would flatten everything else. */
		if (m[i].deviation > BAND_MOST)
			continue;
		axis_include(&y, m[i].glicko + 2 * m[i].deviation);
		axis_include(&y, m[i].glicko - 2 * m[i].deviation);
	}
	axis_settle(&y, height - BOTTOM, narrow ? TOP + 20 : TOP);
	draw_scale(p, &y, d.right);
	draw_dates(p, &d, height - 10);
	draw_band(p, &d, &y, m, n);
	draw_course(p, &d, &y, m, n, true, "glicko");
	draw_course(p, &d, &y, m, n, false, "elo");
	if (narrow) { /* no room at the end: above, each with its dash */
		plot_line(p, 4, 12, 24, 12, "elo");
		plot_message(p, 30, 17, "start", "name", elo);
		if (glicko.id == NULL)
			return;
		plot_line(p, 120, 12, 140, 12, "glicko");
		plot_message(p, 146, 17, "start", "name", glicko);
		return;
	}
	ye = axis_x(&y, m[n - 1].elo) + 5;
	yf = isnan(m[n - 1].glicko) ? ye + 18 : axis_x(&y, m[n - 1].glicko) + 5;
	if (fabs(ye - yf) < 17)
		yf = yf < ye ? ye - 17 : ye + 17;
	plot_message(p, d.right + 10, ye, "start", "name", elo);
	if (glicko.id != NULL)
		plot_message(p, d.right + 10, yf, "start", "name", glicko);
}

void
plot_days(struct plot *p, struct pool *pool, bool narrow,
    const struct plot_day *list, size_t n)
{
	double height = narrow ? 200 : 240, wide;
	struct axis y = axis_around(1);
	struct days d;

	plot_begin(p, pool, narrow, height);
	if (n == 0)
		return;
	d = (struct days){ (double)list[0].day, (double)list[n - 1].day,
		LEFT + 16, p->width - 24 };
	for (size_t i = 0; i < n; i++)
		axis_include(
		    &y, (double)(list[i].counted + list[i].not_counted));
	y.low = 0;
	axis_settle(&y, height - BOTTOM, TOP);
	draw_scale(p, &y, p->width - 8);
	draw_dates(p, &d, height - 10);
	wide = (d.right - d.left) / fmax(1, round((d.to - d.from) / DAY));
	wide = fmax(1.5, fmin(24, wide * 0.7));
	for (size_t i = 0; i < n; i++) {
		double x = day_x(&d, (double)list[i].day) - wide / 2;
		double mid = axis_x(&y, (double)list[i].counted);
		double top =
		    axis_x(&y, (double)(list[i].counted + list[i].not_counted));

		plot_box(p, x, mid, wide, axis_x(&y, 0) - mid, "votes");
		if (mid - top > 0.4)
			plot_box(p, x, top, wide, mid - top, "left-out");
	}
}
