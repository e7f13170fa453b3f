/*
 * This file knows how to turn Markdown into XHTML that nobody need fear:
 * cmark-gfm's core reads it, and what is written comes from a list of our
 * own.  Blocks are written here.
 */
#include "config.h"

#include "port/markdown.h"

#include <cmark-gfm.h>

#include "base/buf.h"
#include "base/text.h"
#include "port/markdown_parts.h"

#define OUTPUT_MAX (1024 * 1024)
#define OUTPUT_FACTOR 20
#define OUTPUT_SLACK 1024 /* so that "-" may become a list */

static enum err render_text(struct render *r, struct text source,
    struct markup *out, struct markdown_stats *stats);
static void render_document(struct render *r, cmark_node *root);
static void enter_block(struct render *r, cmark_node *node);
static void leave_block(struct render *r, cmark_node *node);
static const char *auto_dir(cmark_node *node);
static bool is_inline(cmark_node *node);
static bool is_leaf(cmark_node *node);
static enum err put_plain(
    struct pool *pool, struct text source, struct buf *out);

struct markup
markup_stored(struct text t)
{
	return (struct markup){ t.p, t.n };
}

/* Parse what scan_formulas and scan_tables made of the source. */
static bool
render_source(struct render *r, struct text source)
{
	struct buf one, two;
	cmark_node *root = NULL;
	bool good;

	buf_init(&one, 16 * MARKDOWN_SOURCE_MAX);
	buf_init(&two, 16 * MARKDOWN_SOURCE_MAX);
	scan_formulas(&r->pieces, (struct str){ source.p, source.n }, &one);
	scan_tables(&r->pieces, buf_as_str(&one), &two);
	good = !one.failed && !two.failed && !pool_failed(r->pool) &&
	       !scan_references_grow(buf_as_str(&two));
	if (good)
		root = cmark_parse_document(
		    buf_as_str(&two).p, two.n, CMARK_OPT_DEFAULT);
	/* cmark_node_free takes no NULL. */
	if (root != NULL) {
		render_document(r, root);
		cmark_node_free(root);
	}
	buf_release(&one);
	buf_release(&two);
	return good && root != NULL && !r->out->failed;
}

enum err
markdown_render(struct pool *pool, struct text source, int top,
    struct markup *out, struct markdown_stats *stats)
{
	struct render r = { .pool = pool, .top = top };

	return render_text(&r, source, out, stats);
}

enum err
markdown_render_bare(
    struct pool *pool, struct text source, int top, struct markup *out)
{
	struct render r = { .pool = pool, .top = top, .bare = true };

	return render_text(&r, source, out, NULL);
}

static enum err
render_text(struct render *r, struct text source, struct markup *out,
    struct markdown_stats *stats)
{
	struct pool *pool = r->pool;
	struct text clean;
	struct str made;
	struct buf b;
	size_t max;
	enum err e = ERR_OK;

	if (source.n > MARKDOWN_SOURCE_MAX)
		return ERR_TOOBIG;
	clean = text_clean(pool, (struct str){ source.p, source.n });
	max = clean.n * OUTPUT_FACTOR + OUTPUT_SLACK;
	buf_init(&b, max < OUTPUT_MAX ? max : OUTPUT_MAX);
	r->out = &b;
	r->pieces.pool = pool;
	/* What grows out of bounds is shown as it was written. */
	if (!render_source(r, clean) || !text_is_clean(buf_as_str(&b))) {
		buf_clear(&b);
		e = put_plain(pool, clean, &b);
	}
	made = pool_str(pool, buf_as_str(&b));
	buf_release(&b);
	if (pool_failed(pool))
		e = ERR_NOMEM;
	if (e != ERR_OK)
		return e;
	*out = (struct markup){ made.p, made.n };
	r->stats.words = (int64_t)text_words(clean);
	r->stats.chars = (int64_t)text_chars(clean);
	if (stats != NULL)
		*stats = r->stats;
	return ERR_OK;
}

static enum err
put_plain(struct pool *pool, struct text source, struct buf *out)
{
	if (pool_failed(pool))
		return ERR_NOMEM;
	buf_z(out, "<pre dir=\"auto\" tabindex=\"0\">");
	buf_xml(out, (struct str){ source.p, source.n });
	buf_z(out, "</pre>\n");
	return out->failed ? ERR_TOOBIG : ERR_OK;
}

static void
render_document(struct render *r, cmark_node *root)
{
	cmark_iter *iter = cmark_iter_new(root);
	cmark_event_type event;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE &&
	       !r->out->failed) {
		if (event == CMARK_EVENT_ENTER)
			render_enter(r, cmark_iter_get_node(iter));
		else
			render_leave(r, cmark_iter_get_node(iter));
	}
	cmark_iter_free(iter);
}

void
render_enter(struct render *r, cmark_node *node)
{
	cmark_node_type type = cmark_node_get_type(node);

	r->stats.headers += type == CMARK_NODE_HEADING;
	r->stats.lists += type == CMARK_NODE_ITEM;
	if (!is_leaf(node) && type != CMARK_NODE_DOCUMENT)
		r->depth++;
	if (is_inline(node))
		render_enter_inline(r, node);
	else if (!render_is_too_deep(r, node))
		enter_block(r, node);
	else if (is_leaf(node))
		render_raw(r, render_literal(node));
	else
		r->paragraph = PARAGRAPH_NONE;
}

void
render_leave(struct render *r, cmark_node *node)
{
	if (is_inline(node))
		render_leave_inline(r, node);
	else if (!render_is_too_deep(r, node))
		leave_block(r, node);
	else
		render_put(r, "\n");
	if (!is_leaf(node) && cmark_node_get_type(node) != CMARK_NODE_DOCUMENT)
		r->depth--;
}

void
render_put(struct render *r, const char *z)
{
	buf_z(r->out, z);
}

struct str
render_literal(cmark_node *node)
{
	return str_of(cmark_node_get_literal(node));
}

void
render_paragraph(struct render *r, cmark_node *node)
{
	cmark_node *up = node;

	if (r->paragraph != PARAGRAPH_PENDING)
		return;
	while (up != NULL && is_inline(up))
		up = cmark_node_parent(up);
	render_put(r, "<p");
	render_put(r, up == NULL ? "" : auto_dir(up));
	render_put(r, ">");
	r->paragraph = PARAGRAPH_OPEN;
}

bool
render_is_too_deep(const struct render *r, cmark_node *node)
{
	return r->depth + (cmark_node_get_type(node) == CMARK_NODE_LIST) >
	       MARKDOWN_DEPTH_MAX;
}

/* --- nodes -------------------------------------------------------------- */

static bool
is_inline(cmark_node *node)
{
	return (cmark_node_get_type(node) & CMARK_NODE_TYPE_MASK) ==
	       CMARK_NODE_TYPE_INLINE;
}

static bool
is_leaf(cmark_node *node)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_TEXT:
	case CMARK_NODE_SOFTBREAK:
	case CMARK_NODE_LINEBREAK:
	case CMARK_NODE_CODE:
	case CMARK_NODE_HTML_INLINE:
	case CMARK_NODE_HTML_BLOCK:
	case CMARK_NODE_CODE_BLOCK:
	case CMARK_NODE_THEMATIC_BREAK:
		return true;
	default:
		return false;
	}
}

/*
 * dir="auto" looks at the first letter that is not inside another element
 * with a dir: so it stands on outermost blocks, and what is inside inherits.
 */
static const char *
auto_dir(cmark_node *node)
{
	cmark_node *up = cmark_node_parent(node);

	return up == NULL || cmark_node_get_type(up) == CMARK_NODE_DOCUMENT
		   ? " dir=\"auto\""
		   : "";
}

/* --- blocks ------------------------------------------------------------- */

/* A paragraph of a tight list is not written as one. */
static bool
is_tight(cmark_node *paragraph)
{
	cmark_node *item = cmark_node_parent(paragraph);
	cmark_node *list = item == NULL ? NULL : cmark_node_parent(item);

	return list != NULL && cmark_node_get_type(list) == CMARK_NODE_LIST &&
	       cmark_node_get_list_tight(list);
}

/*
 * The level of a heading: the first is at top, one under another is one
 * deeper, and no level is left out, whatever the source did.
 */
static int
heading_level(struct render *r, cmark_node *node)
{
	int level = cmark_node_get_heading_level(node);

	while (r->headings_n > 0 && r->headings[r->headings_n - 1] >= level)
		r->headings_n--;
	if (r->headings_n < 6)
		r->headings[r->headings_n++] = level;
	level = r->top + (int)r->headings_n - 1;
	return level < 1 ? 1 : level > 6 ? 6 : level;
}

static void
enter_list(struct render *r, cmark_node *node)
{
	int start = cmark_node_get_list_start(node);

	if (cmark_node_get_list_type(node) != CMARK_ORDERED_LIST) {
		render_put(r, "<ul");
	} else if (start == 1) {
		render_put(r, "<ol");
	} else {
		render_put(r, "<ol start=\"");
		buf_int(r->out, start);
		render_put(r, "\"");
	}
	render_put(r, auto_dir(node));
	render_put(r, ">\n");
}

static void
put_code_block(struct render *r, struct str s)
{
	render_put(r, "<pre dir=\"ltr\" tabindex=\"0\"><code>");
	render_raw(r, s);
	render_put(r, "</code></pre>\n");
}

/* HTML that somebody wrote is shown, line by line, not obeyed. */
static void
put_html_block(struct render *r, cmark_node *node)
{
	struct str rest = render_literal(node), line;

	render_put(r, "<p");
	render_put(r, auto_dir(node));
	render_put(r, ">");
	while (rest.p != NULL && rest.n > 0) {
		line = str_cut(&rest, '\n');
		render_raw(r, line);
		if (rest.p != NULL && rest.n > 0)
			render_put(r, "<br />\n");
	}
	render_put(r, "</p>\n");
}

static void
enter_block(struct render *r, cmark_node *node)
{
	char heading[3] = "h0";

	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_BLOCK_QUOTE:
		render_put(r, "<blockquote");
		render_put(r, auto_dir(node));
		render_put(r, ">\n");
		break;
	case CMARK_NODE_LIST:
		enter_list(r, node);
		break;
	case CMARK_NODE_ITEM:
		render_put(r, "<li>");
		break;
	case CMARK_NODE_PARAGRAPH:
		r->paragraph = is_tight(node) || r->cell ? PARAGRAPH_NONE
							 : PARAGRAPH_PENDING;
		break;
	case CMARK_NODE_HEADING:
		/* Written again when leaving: the level is kept in the node. */
		heading[1] = (char)('0' + heading_level(r, node));
		cmark_node_set_heading_level(node, heading[1] - '0');
		render_put(r, "<");
		render_put(r, heading);
		render_put(r, auto_dir(node));
		render_put(r, ">");
		break;
	case CMARK_NODE_CODE_BLOCK:
		put_code_block(r, render_literal(node));
		break;
	case CMARK_NODE_HTML_BLOCK:
		put_html_block(r, node);
		break;
	case CMARK_NODE_THEMATIC_BREAK:
		render_put(r, "<hr />\n");
		break;
	default:
		break;
	}
}

static void
leave_block(struct render *r, cmark_node *node)
{
	char heading[8] = "</h0>\n";

	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_BLOCK_QUOTE:
		render_put(r, "</blockquote>\n");
		break;
	case CMARK_NODE_LIST:
		render_put(
		    r, cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
			   ? "</ol>\n"
			   : "</ul>\n");
		break;
	case CMARK_NODE_ITEM:
		render_put(r, "</li>\n");
		break;
	case CMARK_NODE_PARAGRAPH:
		render_put(r, r->paragraph == PARAGRAPH_OPEN   ? "</p>\n"
			      : r->paragraph == PARAGRAPH_NONE ? "\n"
							       : "");
		r->paragraph = PARAGRAPH_NONE;
		break;
	case CMARK_NODE_HEADING:
		heading[3] = (char)('0' + cmark_node_get_heading_level(node));
		render_put(r, heading);
		break;
	default:
		break;
	}
}
