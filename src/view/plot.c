/* This file knows how to gather the marks of a picture. */
#include "config.h"

#include "view/plot.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"

#define PATH_BYTES (256 * 1024)
#define LETTER 7.4 /* width of an ordinary letter at 14 px */
#define HATCH 7.0  /* between two slanted lines */

static const struct view_shape line_shape = { "line", sizeof(struct plot_line),
	(const struct view_field[]){ VIEW_FIELD_REAL(struct plot_line, x1, 1),
	    VIEW_FIELD_REAL(struct plot_line, y1, 1),
	    VIEW_FIELD_REAL(struct plot_line, x2, 1),
	    VIEW_FIELD_REAL(struct plot_line, y2, 1),
	    VIEW_FIELD(struct plot_line, look, VIEW_TEXT), VIEW_END } };

static const struct view_shape box_shape = { "box", sizeof(struct plot_box),
	(const struct view_field[]){ VIEW_FIELD_REAL(struct plot_box, x, 1),
	    VIEW_FIELD_REAL(struct plot_box, y, 1),
	    VIEW_FIELD_REAL(struct plot_box, width, 1),
	    VIEW_FIELD_REAL(struct plot_box, height, 1),
	    VIEW_FIELD(struct plot_box, look, VIEW_TEXT), VIEW_END } };

static const struct view_shape dot_shape = { "dot", sizeof(struct plot_dot),
	(const struct view_field[]){ VIEW_FIELD_REAL(struct plot_dot, x, 1),
	    VIEW_FIELD_REAL(struct plot_dot, y, 1),
	    VIEW_FIELD_REAL(struct plot_dot, r, 1),
	    VIEW_FIELD(struct plot_dot, look, VIEW_TEXT), VIEW_END } };

static const struct view_shape path_shape = { "path", sizeof(struct plot_path),
	(const struct view_field[]){ VIEW_FIELD(struct plot_path, d, VIEW_TEXT),
	    VIEW_FIELD(struct plot_path, look, VIEW_TEXT), VIEW_END } };

static const struct view_shape label_shape = { "label",
	sizeof(struct plot_label),
	(const struct view_field[]){ VIEW_FIELD_REAL(struct plot_label, x, 1),
	    VIEW_FIELD_REAL(struct plot_label, y, 1),
	    VIEW_FIELD(struct plot_label, anchor, VIEW_TEXT),
	    VIEW_FIELD(struct plot_label, look, VIEW_TEXT),
	    VIEW_FIELD(struct plot_label, text, VIEW_TEXT),
	    VIEW_FIELD(struct plot_label, figures, VIEW_FIGURES),
	    VIEW_FIELD(struct plot_label, number, VIEW_INT),
	    VIEW_FIELD(struct plot_label, message, VIEW_MESSAGE), VIEW_END } };

#define P struct plot_row
const struct view_shape plot_shape = { "plot", sizeof(P),
	(const struct view_field[]){ VIEW_FIELD_REAL(P, width, 0),
	    VIEW_FIELD_REAL(P, height, 0), VIEW_FIELD(P, view_box, VIEW_TEXT),
	    VIEW_FIELD_OF(P, lines, VIEW_LIST, &line_shape),
	    VIEW_FIELD_OF(P, boxes, VIEW_LIST, &box_shape),
	    VIEW_FIELD_OF(P, dots, VIEW_LIST, &dot_shape),
	    VIEW_FIELD_OF(P, paths, VIEW_LIST, &path_shape),
	    VIEW_FIELD_OF(P, labels, VIEW_LIST, &label_shape),
	    VIEW_FIELD(P, title, VIEW_MESSAGE),
	    VIEW_FIELD(P, desc, VIEW_MESSAGE), VIEW_END } };
#undef P

/* Room for one more; NULL when the pool is full, which it remembers. */
static void *
more(struct plot *p, struct plot_marks *m)
{
	if (m->n == m->room) {
		size_t room = m->room == 0 ? 32 : 2 * m->room;
		char *grown = pool_array(p->pool, room, m->size);

		if (grown == NULL)
			return NULL;
		if (m->n > 0)
			memcpy(grown, m->p, m->n * m->size);
		m->p = grown;
		m->room = room;
	}
	return m->p + m->n++ * m->size;
}

void
plot_begin(struct plot *p, struct pool *pool, bool narrow, double height)
{
	*p = (struct plot){ .pool = pool,
		.width = narrow ? PLOT_NARROW : PLOT_WIDE,
		.height = height,
		.narrow = narrow,
		.lines = { .size = sizeof(struct plot_line) },
		.boxes = { .size = sizeof(struct plot_box) },
		.dots = { .size = sizeof(struct plot_dot) },
		.paths = { .size = sizeof(struct plot_path) },
		.labels = { .size = sizeof(struct plot_label) } };
}

void
plot_line(struct plot *p, double x1, double y1, double x2, double y2,
    const char *look)
{
	struct plot_line *m = more(p, &p->lines);

	if (m != NULL)
		*m = (struct plot_line){ x1, y1, x2, y2, text_of(look) };
}

void
plot_box(struct plot *p, double x, double y, double width, double height,
    const char *look)
{
	struct plot_box *m = more(p, &p->boxes);

	if (m != NULL)
		*m = (struct plot_box){ x, y, width, height, text_of(look) };
}

void
plot_dot(struct plot *p, double x, double y, double r, const char *look)
{
	struct plot_dot *m = more(p, &p->dots);

	if (m != NULL)
		*m = (struct plot_dot){ x, y, r, text_of(look) };
}

static void
add_path(struct plot *p, struct buf *d, const char *look)
{
	struct plot_path *m = d->failed ? NULL : more(p, &p->paths);

	if (m != NULL) {
		struct str s = pool_str(p->pool, buf_as_str(d));

		*m = (struct plot_path){ { s.p, s.n }, text_of(look) };
	}
	buf_release(d);
}

static void
add_point(struct buf *d, const char *command, double x, double y)
{
	buf_z(d, command);
	buf_fixed(d, x, 1);
	buf_c(d, ' ');
	buf_fixed(d, y, 1);
}

void
plot_path(struct plot *p, const double *x, const double *y, size_t n,
    bool closed, const char *look)
{
	struct buf d;

	if (n == 0)
		return;
	buf_init(&d, PATH_BYTES);
	for (size_t i = 0; i < n; i++)
		add_point(&d, i == 0 ? "M" : "L", x[i], y[i]);
	if (closed)
		buf_c(&d, 'Z');
	add_path(p, &d, look);
}

void
plot_hatch(struct plot *p, double x, double y, double width, double height)
{
	struct buf d;

	buf_init(&d, PATH_BYTES);
	/* Lines x + y = t, cut at the edges of the box. */
	for (double t = HATCH; t < width + height; t += HATCH) {
		double from = fmin(t, width), to = fmin(t, height);

		add_point(&d, "M", x + from, y + t - from);
		add_point(&d, "L", x + t - to, y + to);
	}
	add_path(p, &d, "hatch");
}

static struct plot_label *
add_label(
    struct plot *p, double x, double y, const char *anchor, const char *look)
{
	struct plot_label *m = more(p, &p->labels);

	if (m != NULL)
		*m = (struct plot_label){ .x = x,
			.y = y,
			.anchor = text_of(anchor),
			.look = text_of(look),
			.number = VIEW_NO_INT,
			.message = { .count = VIEW_NO_INT } };
	return m;
}

void
plot_text(struct plot *p, double x, double y, const char *anchor,
    const char *look, struct text text)
{
	struct plot_label *m = add_label(p, x, y, anchor, look);

	if (m != NULL)
		m->text = text;
}

void
plot_figures(struct plot *p, double x, double y, const char *anchor,
    const char *look, struct text figures)
{
	struct plot_label *m = add_label(p, x, y, anchor, look);

	if (m != NULL)
		m->figures = figures;
}

void
plot_number(struct plot *p, double x, double y, const char *anchor,
    const char *look, int64_t number)
{
	struct plot_label *m = add_label(p, x, y, anchor, look);

	if (m != NULL)
		m->number = number;
}

void
plot_message(struct plot *p, double x, double y, const char *anchor,
    const char *look, struct view_message message)
{
	struct plot_label *m = add_label(p, x, y, anchor, look);

	if (m != NULL)
		m->message = message;
}

/* Bytes of the character at z, and about how wide it is. */
static size_t
character(const char *z, size_t n, double *width)
{
	unsigned char c = (unsigned char)z[0];
	size_t bytes = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	/* From U+2E80 on: Chinese, Japanese, Korean. */
	*width =
	    c >= 0xe3 || (c == 0xe2 && n > 1 && (unsigned char)z[1] >= 0xba)
		? 2 * LETTER
		: LETTER;
	return bytes < n ? bytes : n;
}

/* How many bytes at the end are " v12": which version a name is of. */
static size_t
version_tail(struct text t)
{
	size_t at = t.n;

	while (at > 0 && t.p[at - 1] >= '0' && t.p[at - 1] <= '9')
		at--;
	if (at == t.n || at < 3 || t.p[at - 1] != 'v' || t.p[at - 2] != ' ')
		return 0;
	return t.n - at + 2;
}

struct text
plot_fit(struct pool *pool, struct text t, double width)
{
	size_t at = 0, cut = 0, n, tail = version_tail(t);
	double used = 0, w, left = width - (double)(tail + 1) * LETTER;
	struct str s;

	while (at < t.n) {
		n = character(t.p + at, t.n - at, &w);
		if (used + w > width) {
			s = pool_printf(pool, "%.*s…%.*s", (int)cut, t.p,
			    (int)tail, t.p + t.n - tail);
			return (struct text){ s.p, s.n };
		}
		used += w;
		at += n;
		if (used <= left)
			cut = at;
	}
	return t;
}

struct plot_row
plot_end(
    const struct plot *p, struct view_message title, struct view_message desc)
{
	struct str box = pool_printf(
	    p->pool, "0 0 %d %d", (int)p->width, (int)ceil(p->height));

	return (struct plot_row){ .width = p->width,
		.height = ceil(p->height),
		.view_box = { box.p, box.n },
		.lines = view_list(p->lines.p, p->lines.n),
		.boxes = view_list(p->boxes.p, p->boxes.n),
		.dots = view_list(p->dots.p, p->dots.n),
		.paths = view_list(p->paths.p, p->paths.n),
		.labels = view_list(p->labels.p, p->labels.n),
		.title = title,
		.desc = desc };
}
