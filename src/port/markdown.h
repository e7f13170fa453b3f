/*
 * markdown - text in Markdown → safe XHTML, made once and stored.
 *
 * Layer    port: base and cmark-gfm (its core parser; tables are ours, see
 *          house.md: the gfm table extension of Debian 12 can take minutes).
 * Memory   result in the given pool.
 * Threads  any, one call at a time per pool.
 */
#ifndef PA_MARKDOWN_H
#define PA_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

/* XHTML that only the markdown port makes (or reads back from storage). */
struct markup {
	const char *p;
	size_t n;
};

/* Rises when the same source would render otherwise: re-render stored rows. */
#define MARKDOWN_VERSION 2

/* What a source has of: lists counts their items, bold the bold runs. */
struct markdown_stats {
	int64_t words, chars, headers, lists, bold;
};

/*
 * Allow-list of elements and links (http, https, mailto, relative; others
 * stay as words, web links say their host), raw HTML shown as text, images as
 * "[image: words]", headings from h<top> (3 for answers) without a gap, code
 * blocks <pre dir="ltr" tabindex="0">, outermost blocks dir="auto" (it looks
 * past inner ones that have their own), formulas as written in
 * <span class="math"> or <div class="math">, tables of at most 16 columns and
 * 200 rows in <div class="table" tabindex="0"> with th and td of class left,
 * center and right (larger ones: <pre>).  Output is at most 20 times the
 * input and 1 KB, and at most 1 MB; what would be longer is shown as plain
 * text.  Always well-formed.  ERR_TOOBIG when even that is over 1 MB.  stats
 * may be NULL.
 */
enum err markdown_render(struct pool *pool, struct text source, int top,
    struct markup *out, struct markdown_stats *stats) PA_MUST_USE;

/*
 * The same for what people write to each other: web addresses among the words
 * are links as well.  Answers have none that their Markdown does not ask for,
 * so that both sides of a match stay as they were stored.
 */
enum err markdown_render_bare(struct pool *pool, struct text source, int top,
    struct markup *out) PA_MUST_USE;

/*
 * How a rendered text begins, in plain words: at most about chars characters,
 * blanks for line breaks, cut between words with "…" behind.  line: no more
 * than its first line.  "" when it has no words; absent when the pool is
 * full.
 */
struct text markdown_lead(
    struct pool *pool, struct markup m, size_t chars, bool line);

/* Markup that was stored by us earlier. */
struct markup markup_stored(struct text t);

#endif /* PA_MARKDOWN_H */
