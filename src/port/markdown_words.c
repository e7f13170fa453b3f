/*
 * This file knows how to write the words of a text and what stands among
 * them: emphasis, code, breaks, images, and the pieces taken out beforehand.
 */
#include "config.h"

#include "port/markdown_parts.h"

#include <string.h>

#include <cmark-gfm.h>

#include "base/text.h"

static void put_clean(struct render *r, const char *p, size_t n);
static void put_text(struct render *r, cmark_node *node);
static void put_code(struct render *r, cmark_node *node);
static void put_break(struct render *r, bool hard);
static void put_tag(struct render *r, cmark_node *node, const char *tag);
static void put_display(struct render *r, struct str raw);

void
render_enter_inline(struct render *r, cmark_node *node)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_TEXT:
		put_text(r, node);
		break;
	case CMARK_NODE_SOFTBREAK:
		put_break(r, false);
		break;
	case CMARK_NODE_LINEBREAK:
		put_break(r, true);
		break;
	case CMARK_NODE_CODE:
		put_code(r, node);
		break;
	case CMARK_NODE_HTML_INLINE:
		render_paragraph(r, node);
		render_raw(r, render_literal(node));
		break;
	case CMARK_NODE_EMPH:
		put_tag(r, node, "<em>");
		break;
	case CMARK_NODE_STRONG:
		r->stats.bold++;
		put_tag(r, node, "<strong>");
		break;
	case CMARK_NODE_LINK:
		render_enter_link(r, node);
		break;
	case CMARK_NODE_IMAGE:
		render_paragraph(r, node);
		render_put(r, "[image: ");
		r->image++;
		break;
	default:
		break;
	}
}

void
render_leave_inline(struct render *r, cmark_node *node)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_EMPH:
		put_tag(r, node, "</em>");
		break;
	case CMARK_NODE_STRONG:
		put_tag(r, node, "</strong>");
		break;
	case CMARK_NODE_LINK:
		render_leave_link(r, node);
		break;
	case CMARK_NODE_IMAGE:
		r->image--;
		render_put(r, "]");
		break;
	default:
		break;
	}
}

void
render_raw(struct render *r, struct str s)
{
	struct piece *piece;
	size_t from = 0, n;

	for (size_t i = 0; i < s.n; i++) {
		piece = piece_at(&r->pieces, s, i, &n);
		if (piece == NULL || piece->used)
			continue;
		put_clean(r, s.p + from, i - from);
		piece->used = true;
		render_raw(r, piece->raw);
		from = i + n;
		i = from - 1;
	}
	put_clean(r, s.p + from, s.n - from);
}

static void
put_clean(struct render *r, const char *p, size_t n)
{
	struct text t;

	if (n == 0)
		return;
	/* Entities such as &#xFFFE; have become bytes only now. */
	t = text_clean(r->pool, (struct str){ p, n });
	buf_xml(r->out, (struct str){ t.p, t.n });
}

static void
put_formula(struct render *r, const struct piece *piece)
{
	render_put(r, piece->kind == PIECE_DISPLAY
			  ? "<span class=\"math display\" dir=\"ltr\">"
			  : "<span class=\"math\" dir=\"ltr\">");
	render_raw(r, piece->raw);
	render_put(r, "</span>");
}

/* Formulas and tables of their own interrupt the paragraph around them. */
static void
put_piece(struct render *r, cmark_node *node, struct piece *piece)
{
	cmark_node *up = cmark_node_parent(node);
	bool block = up != NULL && r->image == 0 && !r->cell &&
		     cmark_node_get_type(up) == CMARK_NODE_PARAGRAPH &&
		     r->depth <= MARKDOWN_DEPTH_MAX;

	piece->used = true;
	if (piece->kind == PIECE_FORMULA || !block) {
		render_paragraph(r, node);
		if (piece->kind == PIECE_TABLE || r->image > 0)
			render_raw(r, piece->raw);
		else
			put_formula(r, piece);
		return;
	}
	if (r->paragraph == PARAGRAPH_OPEN) {
		render_put(r, "</p>\n");
		r->paragraph = PARAGRAPH_PENDING;
	}
	if (piece->kind == PIECE_TABLE)
		render_table(r, piece);
	else
		put_display(r, piece->raw);
}

static void
put_display(struct render *r, struct str raw)
{
	render_put(r, "<div class=\"math\" dir=\"ltr\" tabindex=\"0\">");
	render_raw(r, raw);
	render_put(r, "</div>\n");
}

/* Text of a paragraph or heading: tokens become formulas and tables. */
static void
put_words(struct render *r, cmark_node *node, struct str s)
{
	struct piece *piece;
	size_t from = 0, n;

	for (size_t i = 0; i <= s.n; i++) {
		piece = i == s.n ? NULL : piece_at(&r->pieces, s, i, &n);
		if (i < s.n && (piece == NULL || piece->used))
			continue;
		if (i > from) {
			render_paragraph(r, node);
			render_words(
			    r, node, (struct str){ s.p + from, i - from });
		}
		if (piece == NULL)
			break;
		put_piece(r, node, piece);
		from = i + n;
		i = from - 1;
	}
}

static void
put_text(struct render *r, cmark_node *node)
{
	struct str s = render_literal(node);

	if (r->cell && s.n >= CELL_MARK_BYTES &&
	    memcmp(s.p, CELL_MARK, CELL_MARK_BYTES) == 0) {
		s.p += CELL_MARK_BYTES;
		s.n -= CELL_MARK_BYTES;
		if (s.n > 0 && s.p[0] == ' ') {
			s.p++;
			s.n--;
		}
	}
	put_words(r, node, s);
}

/* Tags of inlines are left out in the words of an image and too deep. */
static void
put_tag(struct render *r, cmark_node *node, const char *tag)
{
	if (r->image > 0 || render_is_too_deep(r, node))
		return;
	render_paragraph(r, node);
	render_put(r, tag);
}

static void
put_code(struct render *r, cmark_node *node)
{
	render_paragraph(r, node);
	if (r->image == 0)
		render_put(r, "<code dir=\"ltr\">");
	render_raw(r, render_literal(node));
	if (r->image == 0)
		render_put(r, "</code>");
}

static void
put_break(struct render *r, bool hard)
{
	/* After a formula of its own there is no line to break. */
	if (r->paragraph == PARAGRAPH_PENDING)
		return;
	render_put(r, hard && r->image == 0 ? "<br />\n" : "\n");
}
