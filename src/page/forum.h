/*
 * forum - what the pages of the forum share.
 *
 * Layer    page: model, view.
 * Memory   rows live in the request's pool.
 * Threads  one request.
 */
#ifndef PA_PAGE_FORUM_H
#define PA_PAGE_FORUM_H

#include "model/forum.h"
#include "page/pages.h"

struct req;

struct forum_viewer forum_viewer(const struct req *rq);

/* The topic that the second word of the path names. */
enum err forum_topic_of(struct req *rq, const struct forum_viewer *v,
    struct forum_topic *out) PA_MUST_USE;

/* That topic, and the post whose number is the third word of the path. */
enum err forum_post_of(struct req *rq, const struct forum_viewer *v,
    struct forum_topic *topic, struct forum_post *out) PA_MUST_USE;

/* What somebody has typed, read and rendered; faults are remembered. */
struct forum_typed {
	struct text title, text, form;
	struct text version; /* of the message that is edited */
	bool follow;
	struct markup html;
};

enum err forum_read_typed(
    struct req *rq, bool with_title, struct forum_typed *out) PA_MUST_USE;

/* A new token for the hidden field that makes a form's post one post. */
struct text forum_form_token(struct req *rq);

/* "/forum/TOKEN" and what follows. */
struct text forum_url(struct req *rq, struct text token, const char *fmt, ...)
    PA_PRINTF(3, 4);

/* The page of a topic on which a post stands, from 1. */
int64_t forum_page_of(int64_t number);

/* Show a topic (with what was typed under it, when there is any). */
enum err forum_show_topic(struct req *rq, int status,
    const struct forum_viewer *v, const struct forum_topic *t, int64_t page,
    const struct forum_typed *typed) PA_MUST_USE;

#endif /* PA_PAGE_FORUM_H */
