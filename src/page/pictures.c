/* This file knows how to show pictures of a board, and to give each away. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "page/app.h"
#include "page/figure.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"
#include "port/json.h"

struct head_row {
	struct view_message label;
};

static const struct view_shape head_shape = { "head", sizeof(struct head_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct head_row, label, VIEW_MESSAGE), VIEW_END } };

static const struct view_shape cell_shape = { "cell",
	sizeof(struct figure_cell),
	(const struct view_field[]){
	    VIEW_FIELD(struct figure_cell, text, VIEW_TEXT),
	    VIEW_FIELD(struct figure_cell, label, VIEW_MESSAGE),
	    VIEW_FIELD(struct figure_cell, number, VIEW_INT),
	    VIEW_FIELD_REAL(struct figure_cell, real, 1),
	    VIEW_FIELD(struct figure_cell, head, VIEW_FLAG), VIEW_END } };

struct line_row {
	struct view_list cells;
};

static const struct view_shape line_shape = { "line", sizeof(struct line_row),
	(const struct view_field[]){
	    VIEW_FIELD_OF(struct line_row, cells, VIEW_LIST, &cell_shape),
	    VIEW_END } };

struct figure_row {
	struct text id, table_id;
	struct view_message title, desc;
	const void *wide, *narrow; /* NULL: nothing to draw */
	struct view_list heads, lines;
	struct text svg_url, csv_url, json_url;
};

#define F struct figure_row
static const struct view_shape figure_shape = { "figure", sizeof(F),
	(const struct view_field[]){ VIEW_FIELD(F, id, VIEW_TEXT),
	    VIEW_FIELD(F, table_id, VIEW_TEXT),
	    VIEW_FIELD(F, title, VIEW_MESSAGE),
	    VIEW_FIELD(F, desc, VIEW_MESSAGE),
	    VIEW_FIELD_OF(F, wide, VIEW_ROW, &plot_shape),
	    VIEW_FIELD_OF(F, narrow, VIEW_ROW, &plot_shape),
	    VIEW_FIELD_OF(F, heads, VIEW_LIST, &head_shape),
	    VIEW_FIELD_OF(F, lines, VIEW_LIST, &line_shape),
	    VIEW_FIELD(F, svg_url, VIEW_URL), VIEW_FIELD(F, csv_url, VIEW_URL),
	    VIEW_FIELD(F, json_url, VIEW_URL), VIEW_END } };
#undef F

struct pictures_row {
	struct view_list figures;
	struct text board_url, model;
	struct view_message type, tag;
	struct text tag_name; /* of a tag that has no words of ours */
	int64_t as_of;
};

#define P struct pictures_row
const struct view_shape pictures_shape = { "pictures", sizeof(P),
	(const struct view_field[]){
	    VIEW_FIELD_OF(P, figures, VIEW_LIST, &figure_shape),
	    VIEW_FIELD(P, board_url, VIEW_URL), VIEW_FIELD(P, model, VIEW_TEXT),
	    VIEW_FIELD(P, type, VIEW_MESSAGE), VIEW_FIELD(P, tag, VIEW_MESSAGE),
	    VIEW_FIELD(P, tag_name, VIEW_TEXT), VIEW_FIELD(P, as_of, VIEW_INT),
	    VIEW_END } };
#undef P

static enum err fill(struct req *, const struct board_query *,
    const struct board *, const char *name, struct figure_row *);
static enum err send_svg(struct req *, const struct figure *);
static void write_csv(struct req *, const struct figure *);
static void write_json(struct req *, const struct figure *);

/* GET /pictures */
enum err
pg_pictures(struct req *rq)
{
	struct pictures_row row = { 0 };
	struct board_query q;
	struct figure_row *figures;
	struct board b;
	size_t n = 0;
	enum err e;

	if ((e = board_query_load(rq, true, &q, &b)) != ERR_OK)
		return e;
	while (figure_names[n] != NULL)
		n++;
	figures = pool_array(rq->pool, n, sizeof(*figures));
	if (figures == NULL)
		return ERR_NOMEM;
	q.full = false;
	for (size_t i = 0; i < n; i++) {
		e = fill(rq, &q, &b, figure_names[i], &figures[i]);
		if (e != ERR_OK)
			return e;
	}
	row.figures = view_list(figures, b.matches > 0 ? n : 0);
	row.board_url = board_query_url(rq, "/leaderboard", &q, NULL);
	row.model = b.model;
	row.type =
	    view_say(b.type.p == NULL ? NULL : page_message("type.", b.type));
	row.tag_name = b.tag;
	row.tag =
	    view_say(b.tag.p == NULL ? NULL : page_message("tag.", b.tag));
	row.as_of = b.last_seq > 0 ? b.last_seq : VIEW_NO_INT;
	return resp_page(rq, PAGE_PICTURES, &row);
}

/* "name.svg" cut at its point. */
static bool
split(struct req *rq, char name[32], struct str *kind)
{
	struct str all = { rq->seg[1].p, rq->seg[1].n };
	struct str first = str_cut(&all, '.');

	if (first.n == 0 || first.n >= 32 || all.p == NULL)
		return false;
	memcpy(name, first.p, first.n);
	name[first.n] = '\0';
	*kind = all;
	return true;
}

/* GET /plot/NAME.svg, .csv, .json */
enum err
pg_plot(struct req *rq)
{
	struct board_query q;
	struct figure f;
	struct board b;
	struct str kind;
	char name[32];
	enum err e;

	if (!split(rq, name, &kind))
		return ERR_NOTFOUND;
	if ((e = board_query_load(rq, true, &q, &b)) != ERR_OK ||
	    (e = figure_make(rq, &(struct figure_wish){ .name = name }, &q, &b,
		 &f)) != ERR_OK)
		return e;
	if (str_is(kind, "svg"))
		return send_svg(rq, &f);
	if (str_is(kind, "csv")) {
		write_csv(rq, &f);
		return resp_data(rq, "text/csv; charset=utf-8",
		    pool_printf(rq->pool, "prompt-arena-%s.csv", f.name).p);
	}
	if (!str_is(kind, "json"))
		return ERR_NOTFOUND;
	write_json(rq, &f);
	return resp_data(rq, "application/json", NULL);
}

static struct text
url_of(struct req *rq, const struct board_query *q, const struct figure *f,
    const char *kind)
{
	struct str path = pool_printf(rq->pool, "/plot/%s.%s", f->name, kind);

	/* One that is the same beside every board has one address. */
	return f->setup.p == NULL ? (struct text){ path.p, path.n }
				  : board_query_url(rq, path.p, q, NULL);
}

static struct view_list
lines(struct req *rq, const struct figure *f)
{
	struct line_row *l = pool_array(rq->pool, f->rows + 1, sizeof(*l));

	for (size_t i = 0; l != NULL && i < f->rows; i++)
		l[i].cells = view_list(f->cells + i * f->columns, f->columns);
	return view_list(l, l == NULL ? 0 : f->rows);
}

static enum err
fill(struct req *rq, const struct board_query *q, const struct board *b,
    const char *name, struct figure_row *row)
{
	struct figure *f = pool_alloc(rq->pool, sizeof(*f));
	struct head_row *h = pool_array(rq->pool, FIGURE_COLUMNS, sizeof(*h));
	enum err e;

	if (f == NULL || h == NULL)
		return ERR_NOMEM;
	e = figure_make(rq, &(struct figure_wish){ .name = name }, q, b, f);
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < f->columns; i++)
		h[i].label =
		    view_say(page_message("col.", text_of(f->keys[i])));
	*row = (struct figure_row){ .id = text_of(f->name),
		.title = f->title,
		.desc = f->desc,
		.wide = f->empty ? NULL : &f->wide,
		.narrow = f->empty ? NULL : &f->narrow,
		.heads = view_list(h, f->columns),
		.lines = lines(rq, f),
		.svg_url = url_of(rq, q, f, "svg"),
		.csv_url = url_of(rq, q, f, "csv"),
		.json_url = url_of(rq, q, f, "json") };
	row->table_id = text_of(pool_printf(rq->pool, "%s-table", f->name).p);
	return ERR_OK;
}

/* Wide, or narrow with ?w=narrow; without marks, its sentence alone. */
static enum err
send_svg(struct req *rq, const struct figure *f)
{
	struct text w;
	struct plot empty;
	struct plot_row row;
	bool narrow;
	enum err e = form_word(&rq->query, "w", &w);

	if (e != ERR_OK)
		return e;
	narrow = w.p != NULL;
	if (narrow && !str_is((struct str){ w.p, w.n }, "narrow"))
		return ERR_INVALID;
	row = narrow ? f->narrow : f->wide;
	if (f->empty) {
		plot_begin(&empty, rq->pool, narrow, 48);
		plot_message(&empty, 8, 30, "start", "name", f->title);
		row = plot_end(&empty, f->title, f->desc);
	}
	return resp_picture(rq, PAGE_PLOT, &row);
}

static void
write_csv(struct req *rq, const struct figure *f)
{
	struct buf *b = rq->out;

	/* Spreadsheets take UTF-8 for what it is only behind this mark. */
	buf_z(b, "\xef\xbb\xbf");
	for (size_t i = 0; i < f->columns; i++)
		buf_printf(b, "%s%s", i > 0 ? "," : "", f->keys[i]);
	buf_z(b, ",simulated\r\n");
	for (size_t k = 0; k < f->rows * f->columns; k++) {
		const struct figure_cell *c = &f->cells[k];

		if (c->text.p != NULL)
			buf_csv(b, (struct str){ c->text.p, c->text.n });
		else if (c->label.id != NULL)
			buf_csv(b, str_of(strchr(c->label.id, '.') + 1));
		else if (c->number != VIEW_NO_INT)
			buf_int(b, c->number);
		else if (!isnan(c->real))
			buf_real(b, c->real);
		buf_c(b, ',');
		if ((k + 1) % f->columns == 0)
			buf_printf(b, "%d\r\n", f->simulated);
	}
}

static void
write_json(struct req *rq, const struct figure *f)
{
	struct js_out o;

	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_int(&o, "schema", 1);
	js_put_bool(&o, "simulated", f->simulated);
	js_put_int(&o, "last_seq", f->last_seq);
	js_put_str(&o, "plot", str_of(f->name));
	js_put_text(&o, "type", f->type);
	js_put_text(&o, "tag", f->tag);
	js_put_text(&o, "activity", f->activity);
	js_put_text(&o, "setup", f->setup);
	js_put_array(&o, "rows");
	for (size_t i = 0; i < f->rows; i++) {
		js_put_object(&o, NULL);
		for (size_t k = 0; k < f->columns; k++) {
			const struct figure_cell *c =
			    &f->cells[i * f->columns + k];

			js_put_text(&o, f->keys[k], c->text);
			if (c->label.id != NULL)
				js_put_str(&o, f->keys[k],
				    str_of(strchr(c->label.id, '.') + 1));
			if (c->number != VIEW_NO_INT)
				js_put_int(&o, f->keys[k], c->number);
			js_put_real(&o, f->keys[k], c->real);
		}
		js_end(&o);
	}
	js_end(&o);
	js_end(&o);
	buf_c(rq->out, '\n');
}
