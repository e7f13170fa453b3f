/*
 * resp - the answer: built whole in memory, then sent in one go.
 *
 * Layer    page: base, view.
 * Memory   header values live in the request's pool, the body in its buffer.
 * Threads  one request.
 */
#ifndef PA_RESP_H
#define PA_RESP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "page/pages.h"

struct req;

#define RESP_HEADERS 24

struct resp_header {
	struct str name, value;
};

struct resp {
	int status; /* 0 until answered */
	struct resp_header headers[RESP_HEADERS];
	size_t headers_n;
	bool failed;   /* a header was refused */
	bool bodyless; /* 303, 304 */
	bool picture;  /* other sites may embed it; it has a style inside */
	bool has_etag; /* the finished body gets an ETag */
	/* More of a long answer, piece by piece, after the body; NULL: none.
	 * Appends to out; *at is where to go on, 0 when all was given. */
	enum err (*more)(struct req *rq, struct buf *out, int64_t *at);
	int64_t at;
};

/*
 * Add a header.  A value with a control character or over 8 KB spoils the
 * whole answer (it becomes a 500), and X-Accel-… is nobody's to send.
 */
void resp_header(struct req *rq, const char *name, struct str value);

/* Render a page with status 200.  A page over the limit is ERR_TOOBIG. */
enum err resp_page(
    struct req *rq, enum page_id page, const void *row) PA_MUST_USE;

/* The same with another status: a form shown again (400), say. */
enum err resp_page_status(
    struct req *rq, int status, enum page_id page, const void *row) PA_MUST_USE;

/* A picture (its template begins with <svg>), which other sites may embed. */
enum err resp_picture(
    struct req *rq, enum page_id page, const void *row) PA_MUST_USE;

/* An Atom feed (its template begins with <feed>). */
enum err resp_feed(
    struct req *rq, enum page_id page, const void *row) PA_MUST_USE;

/* 303 to a path of ours, made from fmt; the base path goes in front. */
enum err resp_see_other(struct req *rq, const char *fmt, ...)
    PA_PRINTF(2, 3) PA_MUST_USE;

/*
 * Status 200 with what the handler has written into rq->out.  disposition:
 * the name to save it under, or NULL.  Readers get an ETag.
 */
enum err resp_data(
    struct req *rq, const char *type, const char *disposition) PA_MUST_USE;

/* Replace whatever was built by the page for e. */
void resp_error(struct req *rq, enum err e);

/*
 * Complete it: security and cache headers, ETag and 304, nothing but headers
 * for HEAD.  Never fails: what cannot be sent becomes the last resort.
 */
void resp_finish(struct req *rq);

/* "Not Found" … for a status line. */
const char *resp_status_words(int status);

#endif /* PA_RESP_H */
