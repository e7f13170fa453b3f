/*
 * This file knows how to write a table: its cells are read as Markdown, all
 * at once, and set into rows.
 */
#include "config.h"

#include "port/markdown_parts.h"

#include <cmark-gfm.h>

static void cells_write(struct str raw, size_t columns, struct buf *out);
static void put_rows(
    struct render *r, cmark_node *root, const struct piece *piece);

void
render_table(struct render *r, const struct piece *piece)
{
	enum paragraph paragraph = r->paragraph;
	cmark_node *root;
	struct buf b;

	/* Beyond the bound it is text, in columns as they were typed. */
	if (piece->columns > TABLE_COLUMNS_MAX ||
	    piece->rows > TABLE_ROWS_MAX + 1) {
		render_put(r, "<pre dir=\"auto\" tabindex=\"0\">");
		render_raw(r, piece->raw);
		render_put(r, "</pre>\n");
		return;
	}
	buf_init(&b, 16 * MARKDOWN_SOURCE_MAX);
	cells_write(piece->raw, piece->columns, &b);
	root =
	    b.failed ? NULL : cmark_parse_document(b.p, b.n, CMARK_OPT_DEFAULT);
	buf_release(&b);
	if (root == NULL) {
		r->out->failed = true;
		return;
	}
	r->paragraph = PARAGRAPH_NONE;
	render_put(
	    r, "<div class=\"table\" tabindex=\"0\"><table dir=\"auto\">\n");
	put_rows(r, root, piece);
	render_put(r, "</table></div>\n");
	r->paragraph = paragraph;
	cmark_node_free(root);
}

/* class of a column by its delimiter cell: ":--", ":-:", "--:". */
static const char *
alignment(struct str cell)
{
	bool left = cell.n > 0 && cell.p[0] == ':';
	bool right = cell.n > 0 && cell.p[cell.n - 1] == ':';

	return left && right ? " class=\"center\""
	       : right       ? " class=\"right\""
	       : left        ? " class=\"left\""
			     : "";
}

/* The cells of all rows as paragraphs of one document. */
static void
cells_write(struct str raw, size_t columns, struct buf *out)
{
	struct str cells[TABLE_COLUMNS_MAX], line;
	size_t n;

	for (size_t row = 0; raw.p != NULL; row++) {
		line = str_cut(&raw, '\n');
		if (row == 1)
			continue;
		n = table_cells(line, cells, columns);
		for (size_t k = 0; k < columns; k++) {
			buf_z(out, CELL_MARK);
			for (size_t i = 0; k < n && i < cells[k].n; i++) {
				/* "\|" is a bar inside a cell. */
				if (cells[k].p[i] == '\\' &&
				    i + 1 < cells[k].n &&
				    cells[k].p[i + 1] == '|')
					i++;
				buf_c(out, cells[k].p[i]);
			}
			buf_z(out, "\n\n");
		}
	}
}

static void
put_cell(struct render *r, cmark_node *cell, bool head, const char *class)
{
	/* A heading without words is none. */
	const char *name =
	    head && cmark_node_first_child(cell) != cmark_node_last_child(cell)
		? "th"
		: "td";
	struct str first = render_literal(cmark_node_first_child(cell));
	cmark_iter *iter;
	cmark_event_type event;

	if (head && first.n > CELL_MARK_BYTES)
		name = "th";
	render_put(r, "<");
	render_put(r, name);
	if (name[1] == 'h')
		render_put(r, " scope=\"col\"");
	render_put(r, class);
	render_put(r, ">");
	r->cell = true;
	iter = cmark_iter_new(cell);
	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE &&
	       !r->out->failed) {
		if (cmark_iter_get_node(iter) == cell)
			continue;
		if (event == CMARK_EVENT_ENTER)
			render_enter(r, cmark_iter_get_node(iter));
		else
			render_leave(r, cmark_iter_get_node(iter));
	}
	cmark_iter_free(iter);
	r->cell = false;
	render_put(r, "</");
	render_put(r, name);
	render_put(r, ">");
}

/* Rows from the cells, which are the children of root one after another. */
static void
put_rows(struct render *r, cmark_node *root, const struct piece *piece)
{
	struct str marks[TABLE_COLUMNS_MAX], rest = piece->raw;
	cmark_node *cell = cmark_node_first_child(root);
	size_t n;

	str_cut(&rest, '\n');
	n = table_cells(str_cut(&rest, '\n'), marks, piece->columns);
	for (size_t row = 0; row < piece->rows && cell != NULL; row++) {
		render_put(r, row == 0   ? "<thead>\n"
			      : row == 1 ? "<tbody>\n"
					 : "");
		render_put(r, "<tr>");
		for (size_t k = 0; k < piece->columns && cell != NULL; k++) {
			put_cell(r, cell, row == 0,
			    k < n ? alignment(marks[k]) : "");
			cell = cmark_node_next(cell);
		}
		render_put(r, "</tr>\n");
		render_put(r, row == 0 ? "</thead>\n" : "");
	}
	render_put(r, piece->rows > 1 ? "</tbody>\n" : "");
}
