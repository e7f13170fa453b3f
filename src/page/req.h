/*
 * req - one request: what was asked, by whom, and the answer being built.
 *
 * Layer    page: base, model, view.
 * Memory   everything hangs off the request's pool; the body of the answer
 *          grows in a buffer that the worker lends.
 * Threads  a request belongs to one worker.
 *
 * Requests come from a source (the FastCGI port, or a test): two functions
 * and nothing else, so that this floor knows no protocol.
 */
#ifndef PA_REQ_H
#define PA_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "page/auth.h"
#include "page/form.h"
#include "page/resp.h"

struct app;
struct board_held;
struct conf;
struct db;
struct route;
struct site;
struct standing_snapshot;

struct req_source {
	void *arg;
	/* A parameter's value; absent when it was not sent. */
	struct str (*param)(void *arg, const char *name);
	/* The whole body, at most max bytes: ERR_TOOBIG over it, ERR_INVALID
	 * when it is not as long as was announced. */
	enum err (*body)(
	    void *arg, struct pool *pool, size_t max, struct str *out);
};

enum req_method {
	REQ_GET,
	REQ_HEAD,
	REQ_POST,
	REQ_OTHER
};

#define REQ_SEGMENTS 8
#define REQ_URI_MAX 4096
#define REQ_PROBLEMS 8

/* Something on a form that has to be put right; a message's id. */
struct req_problem {
	const char *field; /* id of the element it is about */
	const char *what;
	const void *row; /* of the message; NULL: it takes none */
};

struct req {
	struct pool *pool;
	struct buf *out;   /* the answer's body */
	struct site *site; /* what lives as long as the program */
	struct app *app;   /* configuration and templates in force */
	const struct conf *conf;
	struct db *db; /* the worker's reading connection */
	const struct req_source *source;
	int64_t now;

	enum req_method method;
	struct str method_name;
	struct str base; /* "" or "/arena" */
	struct str path; /* decoded, without base; starts with "/" */
	struct text seg[REQ_SEGMENTS];
	size_t segs;
	bool https;
	bool astray; /* path that the web server may have read otherwise */
	struct form query, form;
	bool stale;       /* the form's token does not fit: do nothing */
	struct text kept; /* of our own form: what somebody wrote in it */
	const struct route *route; /* NULL until found */
	struct viewer viewer;
	int lang;

	struct req_problem problems[REQ_PROBLEMS];
	size_t problems_n;
	const char *done;   /* a confirmation's message id, or NULL */
	struct text thread; /* of notices that belong to this page, or absent */
	bool waits;         /* the page waits for something of that thread */
	const char *reason; /* sharpens the page of an error, or NULL */
	struct resp resp;
	/* Given back when the answer is made. */
	struct board_held *board;
	const struct standing_snapshot *snapshot;
};

/*
 * Read method, base, path and query.  rq->pool and rq->source are set.
 * ERR_INVALID for what no browser of ours would send (a control character,
 * %2F, bytes that are not UTF-8, a path outside base); ERR_NOTFOUND for a path
 * with ".", ".." or an empty word in it: the web server asks for a password or
 * not by what remains without them, so such a path is also set astray;
 * ERR_TOOBIG over REQ_URI_MAX.
 */
enum err req_parse(struct req *rq) PA_MUST_USE;

/* The source could not take the request, for e: sharpen the page of that. */
void req_refused(struct req *rq, enum err e);

/* A parameter of the source; absent when not sent or empty. */
struct str req_param(const struct req *rq, const char *name);

/* The number, from 1, that seg[i] of the path is; ERR_NOTFOUND: it is none. */
enum err req_number(const struct req *rq, size_t i, int64_t *out) PA_MUST_USE;

/* Remember what is wrong with a field; the first REQ_PROBLEMS are shown. */
void req_problem(struct req *rq, const char *field, const char *what);
/* With a row for the message, that lives as long as the request. */
void req_problem_row(
    struct req *rq, const char *field, const char *what, const void *row);

#endif /* PA_REQ_H */
