/*
 * fcgi - requests from the web server, and the answers to them.
 *
 * Layer    port: the only place that knows libfcgi.
 * Memory   a struct fcgi_req belongs to one worker and owns a pool that is
 *          emptied at every request; parameters and bodies live there.
 * Threads  fcgi_next from many workers, each with its own fcgi_req;
 *          fcgi_stop from any thread.
 *
 * One thread of our own accepts.  A connection that has not said a word yet
 * costs no worker; one that stops half way is cut off after timeout_ms.
 */
#ifndef PA_FCGI_H
#define PA_FCGI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

struct fcgi;
struct fcgi_req;

struct fcgi_conf {
	const char *path;    /* our own socket, unless one was inherited */
	const char *group;   /* that may connect; NULL: the process's own */
	unsigned mode;       /* of the socket; 0 means 0660 */
	unsigned queue;      /* accepted and waiting; 0 means 256 */
	unsigned timeout_ms; /* for a peer to get on with it; 0 means 30000 */
	bool inherit;        /* look for LISTEN_FDS and a listener on fd 0 */
	bool plain;          /* tests: take the way without our acceptor */
};

struct fcgi_header {
	const char *name;
	struct str value;
};

/*
 * A whole answer.  Status and Content-Length are written from the numbers.
 * The body goes out for HEAD as well: the web server drops it, and a cache
 * that does not tell HEAD from GET must not keep an empty page.
 */
struct reply {
	int status;
	const struct fcgi_header *headers;
	size_t headers_n;
	struct str body;
};

struct fcgi_stats {
	uint64_t accepted;  /* connections */
	uint64_t served;    /* requests handed to a worker */
	uint64_t shed;      /* closed because the queue was full */
	uint64_t bad;       /* broken or refused requests */
	uint64_t timed_out; /* cut off */
	unsigned waiting;   /* in the queue now */
	unsigned busy;      /* workers with a request in hand now */
};

/* Bounds on what the web server may say about one request. */
#define FCGI_PARAMS_MAX 200
#define FCGI_PARAM_BYTES_MAX ((size_t)16 * 1024)
/* nginx reads all our header lines into one 4 kB page. */
#define FCGI_HEADER_BYTES_MAX ((size_t)3 * 1024)

/*
 * Once, from main, with signals blocked and before any thread: initialises
 * libfcgi, then ignores SIGPIPE and SIGXFSZ (libfcgi would undo that).
 */
enum err fcgi_init(void) PA_MUST_USE;

/*
 * Find or make the listener and start accepting.  A socket left by a dead
 * process is replaced; that of a live one is not touched: ERR_BUSY.
 */
enum err fcgi_open(struct fcgi **out, const struct fcgi_conf *conf) PA_MUST_USE;

/* No new connections; workers get what is in hand, then ERR_CLOSED. */
void fcgi_stop(struct fcgi *f);

/* After every worker has closed its request: removes our socket, frees. */
void fcgi_close(struct fcgi *f);

void fcgi_stats(struct fcgi *f, struct fcgi_stats *out);

/* A worker's seat.  Its pool never holds more than pool_cap bytes. */
struct fcgi_req *fcgi_req_open(struct fcgi *f, size_t pool_cap);
void fcgi_req_close(struct fcgi_req *rq);

/*
 * Wait for the next request.  ERR_CLOSED when stopping.  ERR_INVALID (a
 * parameter that must be single came twice, CONTENT_LENGTH is no number,
 * a role that is not ours) and ERR_TOOBIG (parameters over the bounds): then
 * rq has no parameters and no body, and must still be answered and ended.
 */
enum err fcgi_next(struct fcgi *f, struct fcgi_req *rq) PA_MUST_USE;

/* The pool of the request in hand. */
struct pool *fcgi_pool(struct fcgi_req *rq);

/* A parameter's value; NULL when absent.  Cookies of several header lines
 * stand in one HTTP_COOKIE, joined by "; ". */
const char *fcgi_param(const struct fcgi_req *rq, const char *name);

/* All of them, in the order they came. */
size_t fcgi_param_count(const struct fcgi_req *rq);
const char *fcgi_param_at(
    const struct fcgi_req *rq, size_t i, const char **name);

/* CONTENT_LENGTH, 0 when there is no body. */
uint64_t fcgi_body_length(const struct fcgi_req *rq);

/*
 * Read the body, once.  ERR_TOOBIG over max (nothing is read), ERR_INVALID
 * when the peer sent another number of bytes than it said, ERR_NOMEM when p
 * cannot hold it.
 */
enum err fcgi_body(struct fcgi_req *rq, struct pool *p, size_t max,
    struct str *out) PA_MUST_USE;

/*
 * Send a whole answer.  A header with CR, LF or NUL in it, an X-Accel-
 * header (but X-Accel-Buffering), or headers over the bound: a bare 500 goes
 * out instead and the result is ERR_INTERNAL.  ERR_IO when the peer is gone.
 */
enum err fcgi_reply(struct fcgi_req *rq, const struct reply *r) PA_MUST_USE;

/*
 * The other way, for streams: headers without Content-Length now, then
 * pieces, each pushed out at once.  r->body is the first piece.
 */
enum err fcgi_stream(struct fcgi_req *rq, const struct reply *r) PA_MUST_USE;
enum err fcgi_stream_piece(struct fcgi_req *rq, struct str piece) PA_MUST_USE;

/*
 * The stream cannot be completed: make it look broken to the peer, where a
 * regular end would pass half an answer for a whole one.
 */
void fcgi_break(struct fcgi_req *rq);

/* Has the web server hung up?  (It says so in no other way.) */
bool fcgi_peer_gone(const struct fcgi_req *rq);

/* Done with this request; an unanswered one looks broken to the peer. */
void fcgi_end(struct fcgi_req *rq);

/* "Not Found" for 404; never NULL. */
const char *fcgi_reason(int status);

#endif /* PA_FCGI_H */
