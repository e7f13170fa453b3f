/*
 * http - requests to other servers, on one thread that owns libcurl.
 *
 * Layer    port: base and libcurl.
 * Memory   http_send copies the whole request; keys in it are wiped when it
 *          ends.  Results are borrowed for the length of the callback.
 * Threads  any thread may send, cancel and wake; every callback runs on the
 *          HTTP thread and must not block.  http_stop is for the starter.
 *
 * What never happens here: a redirect followed, a proxy taken from the
 * environment, a scheme other than http and https, a connection to a private
 * or link-local address that was not allowed, an unbounded body or header, a
 * wait without end, a body decompressed.  All deadlines are monotonic.
 */
#ifndef PA_HTTP_H
#define PA_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct http;
struct sockaddr;
struct sockaddr_storage;

/* How a request came to its end. */
enum http_end {
	HTTP_DONE,          /* a response, whole as far as its framing tells */
	HTTP_CUT,           /* a response that broke off */
	HTTP_NO_RESPONSE,   /* closed before a status line */
	HTTP_RESOLVE,       /* the name has no address */
	HTTP_CONNECT,       /* nobody there */
	HTTP_ADDRESS,       /* every address was refused by our own rule */
	HTTP_TLS_UNTRUSTED, /* certificate not acceptable, or ca-file bad */
	HTTP_TLS,           /* handshake failed otherwise */
	HTTP_PROXY,         /* the proxy refused, see status */
	HTTP_LATE_CONNECT,  /* deadlines, in the order they apply */
	HTTP_LATE_FIRST,
	HTTP_LATE_IDLE,
	HTTP_LATE_TOTAL,
	HTTP_BODY_TOO_BIG,
	HTTP_HEAD_TOO_BIG,
	HTTP_STOPPED,   /* the receiver of the bytes said HTTP_STOP */
	HTTP_CANCELLED, /* http_cancel or http_stop */
	HTTP_MALFORMED, /* what came is not HTTP */
	HTTP_UNUSABLE,  /* what was asked cannot be sent: URL, header */
	HTTP_BROKEN,    /* libcurl failed; nobody knows what was sent */
	HTTP__MAX
};

struct http_request {
	const char *url;
	const char *const *headers; /* "Name: value"; control bytes refused */
	size_t headers_n;
	struct str body;           /* absent: GET, otherwise POST */
	const char *ca_file;       /* NULL: the system's authorities */
	const char *proxy;         /* NULL: none */
	bool private_network;      /* loopback and private addresses too */
	bool fresh;                /* on a connection of its own */
	size_t body_max, head_max; /* bytes */
	int64_t connect_ms;        /* name, TCP and TLS; at most 5000 */
	int64_t first_ms;          /* from the start to the first body byte */
	int64_t idle_ms;           /* between two of them */
	int64_t total_ms;
};

struct http_result {
	enum http_end end;
	int status; /* 0: none came */
	char content_type[128], content_encoding[32];
	char retry_after[64], retry_after_ms[32], should_retry[8], date[40];
	char location_host[256]; /* where a redirect pointed */
	char remote[64];         /* address and port connected to */
	char why[256];           /* libcurl's words; may hold secrets: mask */
	size_t bytes;            /* of body */
	bool sent;               /* the request may have reached the server */
	bool reused;             /* on a kept connection */
	int64_t started_ms, ended_ms;         /* clock_mono_ms */
	int64_t connect_ms, tls_ms, first_ms; /* since started; -1: never */
};

/* What a receiver wants next. */
enum http_want {
	HTTP_MORE,
	HTTP_ENOUGH, /* it has all; the rest may still come for a moment */
	HTTP_STOP    /* break off */
};

/* NULL is fine for either: then nothing is told. */
typedef enum http_want http_bytes(void *arg, struct str bytes);
typedef void http_done(void *arg, const struct http_result *r);

/* Once in main, before threads.  ERR_INTERNAL: libcurl lacks what we need. */
enum err http_init(void) PA_MUST_USE;
void http_shutdown(void);

/*
 * Start the HTTP thread.  tick (may be NULL) runs on it at every turn with
 * the time; it returns when it wants to run next (mono ms), or INT64_MAX.
 */
typedef int64_t http_tick(void *arg, int64_t now_ms);
enum err http_start(struct http **out, http_tick *tick, void *arg) PA_MUST_USE;

/* Cancel all, call every done, join the thread.  NULL is fine. */
void http_stop(struct http *h);

/*
 * Hand over a request.  done is called exactly once unless this fails:
 * ERR_NOMEM, or ERR_CLOSED while stopping.  id (may be NULL) is for
 * http_cancel.
 */
enum err http_send(struct http *h, const struct http_request *rq,
    http_bytes *bytes, http_done *done, void *arg, uint64_t *id) PA_MUST_USE;

/* End it soon with HTTP_CANCELLED; nothing happens when it has ended. */
void http_cancel(struct http *h, uint64_t id);

/* Let the thread turn once more: tick has something new to look at. */
void http_wake(struct http *h);

/* "connect", "late-idle": for logs.  Never NULL. */
const char *http_end_name(enum http_end e);

/*
 * May a request go to this address?  Link-local, metadata, multicast and
 * unspecified addresses never; loopback and private ones when allowed.
 * Addresses that carry another one (mapped, NAT64, 6to4) count as that.
 */
bool http_address_allowed(const struct sockaddr *sa, bool private_network);

/* "127.0.0.1", "::1" → *out; false when it is no address. */
bool http_address_parse(const char *text, struct sockaddr_storage *out);

#endif /* PA_HTTP_H */
