/*
 * view - XHTML templates compiled once, rendered over rows.
 *
 * Layer    view: base, port/xml.
 * Memory   a set owns its compiled templates; rendering allocates nothing
 *          but the output buffer.
 * Threads  a loaded set is read-only and shared.
 *
 * Template language: design/house.md, "Templates".  Besides it:
 * - a template whose outermost element is <feed> is an Atom feed, without a
 *   frame's page around it;
 * - a template whose outermost element is <svg> is a picture: a document of
 *   its own, which may hold <style> (its response has a policy of its own);
 *   included, it is replaced by the children of its <svg>;
 * - literal href, src and action values that start with "/" get the base
 *   path in front, so that the program can live under a sub-path;
 * - t:include="head.xhtml" is replaced by the children of the included
 *   file's <head> when it stands in a head, else of its <body>;
 * - xml:lang, lang and dir of <html> are set by the writer;
 * - t:if is true for a set flag, a text, url or markup that is there and not
 *   empty, an int, real or time that is not absent, a list with rows, a row,
 *   a message with an id; t:unless is its opposite.  On one element t:each
 *   comes first, then t:if (so it may name a field of the row);
 * - a VIEW_ROW is entered with t:each, like a list of one or none;
 * - t:NAME of a flag gives NAME="NAME" or nothing (checked, selected, …);
 * - inside <title> tags are dropped and text stays, so that a name can stand
 *   in a <span t:text="…"> there;
 * - numbers in attributes are ASCII with a point, whatever the language;
 * - a message puts the children of its element in place (without their tags
 *   in attributes and where only text can stand: title, option, textarea,
 *   desc); so does <t:put> ... </t:put>, an element that is never written;
 * - messages.xhtml: see view/messages.h.  Names in a sentence are looked up
 *   in the row of the message, then in the frame;
 * - an address (href, src, action, formaction, poster, cite, data) is filled
 *   from a VIEW_URL alone; one with a scheme other than http, https and
 *   mailto is dropped when the page is written;
 * - refused when templates are loaded: what view/forbid.h says, style and
 *   on... attributes, <style>,
 *   a <script> with content, <svg> and <math> outside their own namespaces,
 *   unknown names (with the nearest known one), a field used as what it is
 *   not, an include of a file in itself, t: elements other than <t:put>;
 * - white space that holds a line end is written as one line end, except in
 *   pre and textarea; comments are dropped.
 * With PROMPT_ARENA_CHECK_PAGES in the environment every finished page is
 * parsed again; one that is not well-formed is ERR_INTERNAL and logged.
 */
#ifndef PA_VIEW_H
#define PA_VIEW_H

#include "base/buf.h"
#include "base/err.h"
#include "port/xml.h"
#include "view/shape.h"

/* One page: its template's file name and the shape of its row. */
struct view_page {
	const char *file; /* "leaderboard.xhtml"; NULL ends a table */
	const struct view_shape *shape;
};

struct view_conf {
	const char *dir;          /* templates; dir/LANG for others */
	const char *const *langs; /* NULL-ended; the first is dir's own */
	const struct view_page *pages;
	const struct view_shape *frame; /* what every page has around it */
	const struct view_message_kind *messages;
};

struct view_set;

/* Load and check everything.  Faults become problems; ERR_SYNTAX then. */
enum err view_set_open(struct view_set **out, const struct view_conf *conf,
    struct problems *ps) PA_MUST_USE;
void view_set_close(struct view_set *set);

/* Index of the best language for an Accept-Language value; -1 if none. */
int view_lang_pick(const struct view_set *set, struct str accept_language);
const char *view_lang_name(const struct view_set *set, int lang);

struct view_call {
	const struct view_page *page; /* an entry of conf.pages */
	int lang;
	struct str base;   /* base path, "" or "/arena" */
	const void *row;   /* of page->shape */
	const void *frame; /* of conf.frame */
};

/* Append the page, doctype and all, to out.  ERR_TOOBIG when out is full. */
enum err view_render(const struct view_set *set, const struct view_call *call,
    struct buf *out) PA_MUST_USE;

#endif /* PA_VIEW_H */
