/*
 * markdown_parts - what the files that write XHTML from Markdown share.
 *
 * Layer    port: base and cmark-gfm.
 * Memory   what is made goes to the render's buf, the rest to its pool.
 * Threads  one call at a time per render.
 */
#ifndef PA_MARKDOWN_PARTS_H
#define PA_MARKDOWN_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/pool.h"
#include "base/str.h"
#include "port/markdown.h"
#include "port/markdown_scan.h"

#define MARKDOWN_DEPTH_MAX 48 /* a page around may be 16 deep, pass for 64 */
#define MARKDOWN_SOURCE_MAX (1024 * 1024)

struct cmark_node;

/* A paragraph is opened by the first thing in it that may stand in one. */
enum paragraph {
	PARAGRAPH_NONE,
	PARAGRAPH_PENDING,
	PARAGRAPH_OPEN
};

struct render {
	struct pool *pool;
	struct pieces pieces;
	struct buf *out;
	int top;
	size_t depth;
	int headings[8]; /* source levels around here, and how many */
	size_t headings_n;
	enum paragraph paragraph;
	bool cell;    /* the mark of a table's cell is still to come */
	size_t image; /* inside so many images: only words are written */
	bool bare;    /* addresses among the words become links */
	struct markdown_stats stats;
};

/* A node and what stands in it begins, ends.  Calls those below. */
void render_enter(struct render *r, struct cmark_node *node);
void render_leave(struct render *r, struct cmark_node *node);

/* The same for what stands in a paragraph, a heading or a cell. */
void render_enter_inline(struct render *r, struct cmark_node *node);
void render_leave_inline(struct render *r, struct cmark_node *node);

/*
 * A link; one that may lead nowhere is only its words.  Behind a web link
 * its host is said, when its words do not say it.
 */
void render_enter_link(struct render *r, struct cmark_node *node);
void render_leave_link(struct render *r, struct cmark_node *node);

/* Words of text: with r->bare, web addresses among them as links. */
void render_words(struct render *r, struct cmark_node *text, struct str s);

/* piece in place, in <pre> when it has too many rows or columns. */
void render_table(struct render *r, const struct piece *piece);

/* Markup of ours, as it is. */
void render_put(struct render *r, const char *z);

/* As it was written: tokens become the bytes they were made of. */
void render_raw(struct render *r, struct str s);

/* Before anything that stands in a paragraph. */
void render_paragraph(struct render *r, struct cmark_node *node);

/*
 * Depth is counted for what can hold something.  Below MARKDOWN_DEPTH_MAX
 * tags are left out, words are not.  A list needs room for its items.
 */
bool render_is_too_deep(const struct render *r, struct cmark_node *node);

/* The text of a node, absent when its kind has none. */
struct str render_literal(struct cmark_node *node);

#endif /* PA_MARKDOWN_PARTS_H */
