/* This file knows how to take requests from a web server and answer them. */
#include "config.h"

#include "port/fcgi.h"

#include <fcgiapp.h>

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "port/acceptor.h"
#include "port/fcgi_hand.h"
#include "port/fcgi_head.h"
#include "port/fcgi_params.h"
#include "port/fcgi_peek.h"
#include "port/listen.h"

#define QUEUE_DEFAULT 256
#define TIMEOUT_DEFAULT 30000
#define MODE_DEFAULT 0660
#define SHORT_OF_FDS_MS 100
#define PIECE ((size_t)1 << 20)
#define DRAIN_BYTES ((size_t)8 << 20)
#define DRAIN_MS 2000

struct fcgi {
	struct acceptor *acceptor; /* NULL: the plain way, see take_plain() */
	struct listener listener;  /* the plain way's */
	int stop;                  /* the plain way's eventfd */
	unsigned timeout_ms;

	pthread_mutex_t lock; /* guards all below */
	unsigned seats;
	struct fcgi_stats stats;
};

struct fcgi_req {
	struct fcgi *f;
	FCGX_Request r;
	/* The connection is ours, libfcgi works on a duplicate of it.  The
	 * plain way has none here: libfcgi keeps it to itself. */
	struct acceptor_seat seat;
	struct pool *pool;
	char *room; /* FCGI_PEEK_BYTES */
	struct buf head;
	struct fcgi_params params;
	bool in_hand;
	bool stdin_done; /* the peer's last word has been read */
	bool replied;    /* whole, with its end */
	bool streaming;
};

static enum err start_accepting(struct fcgi *, const struct fcgi_conf *);
static enum err take(struct fcgi *, struct fcgi_req *);
static enum err take_plain(struct fcgi *, struct fcgi_req *);
static enum err begin(struct fcgi_req *);
static enum err end_of_body(struct fcgi_req *);
static enum err send_bare_500(struct fcgi_req *);
static bool wants_head(const struct fcgi_req *);
static bool put(struct fcgi_req *, struct str);
static enum err broken(struct fcgi_req *);
static void set_deadline(struct fcgi_req *, int64_t ms);
static void drain(struct fcgi_req *);
static void count_bad(struct fcgi *);
static void count_busy(struct fcgi *, int more);

enum err
fcgi_init(void)
{
	static const int ours[] = { SIGTERM, SIGUSR1 };

	/* libfcgi lingers up to 2 s on connections that failed. */
	(void)setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 1);
	if (FCGX_Init() != 0) {
		log_error("libfcgi does not start");
		return ERR_INTERNAL;
	}
	/* It has just put its own handlers everywhere. */
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		(void)signal(ours[i], SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	return ERR_OK;
}

enum err
fcgi_open(struct fcgi **out, const struct fcgi_conf *conf)
{
	struct fcgi *f = calloc(1, sizeof(*f));
	enum err e = ERR_NOTFOUND;

	if (f == NULL)
		return ERR_NOMEM;
	f->listener.fd = -1;
	f->timeout_ms = conf->timeout_ms ? conf->timeout_ms : TIMEOUT_DEFAULT;
	(void)pthread_mutex_init(&f->lock, NULL);
	f->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->stop < 0) {
		log_error("eventfd: %s", log_errno());
		e = ERR_IO;
		goto fail;
	}
	if (conf->inherit)
		e = listen_inherit(&f->listener);
	if (e == ERR_NOTFOUND)
		e = listen_make(&f->listener, conf->path,
		    conf->mode ? conf->mode : MODE_DEFAULT, conf->group);
	if (e == ERR_OK)
		e = start_accepting(f, conf);
	if (e != ERR_OK)
		goto fail;
	*out = f;
	return ERR_OK;
fail:
	fcgi_close(f);
	return e;
}

static enum err
start_accepting(struct fcgi *f, const struct fcgi_conf *conf)
{
	if (conf->plain)
		return ERR_OK;
	if (!fcgi_hand_works()) {
		log_warning("this libfcgi does not take our connections: "
			    "falling back to its own accept");
		return ERR_OK;
	}
	return acceptor_open(&f->acceptor, &f->listener,
	    conf->queue ? conf->queue : QUEUE_DEFAULT, f->timeout_ms);
}

void
fcgi_stop(struct fcgi *f)
{
	(void)eventfd_write(f->stop, 1);
	if (f->acceptor != NULL)
		acceptor_stop(f->acceptor);
}

void
fcgi_close(struct fcgi *f)
{
	if (f == NULL)
		return;
	assert(f->seats == 0);
	if (f->acceptor != NULL)
		acceptor_close(f->acceptor);
	listen_close(&f->listener);
	if (f->stop >= 0)
		(void)close(f->stop);
	(void)pthread_mutex_destroy(&f->lock);
	free(f);
}

void
fcgi_stats(struct fcgi *f, struct fcgi_stats *out)
{
	struct acceptor_stats a = { 0 };

	pthread_mutex_lock(&f->lock);
	*out = f->stats;
	pthread_mutex_unlock(&f->lock);
	if (f->acceptor == NULL)
		return;
	acceptor_stats(f->acceptor, &a);
	out->accepted = a.accepted;
	out->shed = a.shed;
	out->timed_out = a.timed_out;
	out->waiting = a.waiting;
}

struct fcgi_req *
fcgi_req_open(struct fcgi *f, size_t pool_cap)
{
	struct fcgi_req *rq = calloc(1, sizeof(*rq));

	if (rq == NULL)
		return NULL;
	rq->f = f;
	rq->seat.fd = -1;
	rq->pool = pool_open(pool_cap);
	rq->room = malloc(FCGI_PEEK_BYTES);
	if (rq->pool == NULL || rq->room == NULL) {
		pool_close(rq->pool);
		free(rq->room);
		free(rq);
		return NULL;
	}
	buf_init(&rq->head, FCGI_HEADER_BYTES_MAX);
	pthread_mutex_lock(&f->lock);
	f->seats++;
	pthread_mutex_unlock(&f->lock);
	if (f->acceptor != NULL)
		acceptor_sit(f->acceptor, &rq->seat);
	return rq;
}

void
fcgi_req_close(struct fcgi_req *rq)
{
	struct fcgi *f;

	if (rq == NULL)
		return;
	f = rq->f;
	if (rq->in_hand)
		fcgi_end(rq);
	if (f->acceptor != NULL)
		acceptor_rise(f->acceptor, &rq->seat);
	pthread_mutex_lock(&f->lock);
	f->seats--;
	pthread_mutex_unlock(&f->lock);
	buf_release(&rq->head);
	pool_close(rq->pool);
	free(rq->room);
	free(rq);
}

enum err
fcgi_next(struct fcgi *f, struct fcgi_req *rq)
{
	enum err e;

	assert(!rq->in_hand);
	for (;;) {
		pool_clear(rq->pool);
		rq->params.n = 0;
		rq->params.body_length = 0;
		rq->stdin_done = false;
		rq->replied = false;
		rq->streaming = false;
		e = f->acceptor != NULL ? take(f, rq) : take_plain(f, rq);
		if (e == ERR_CLOSED)
			return e;
		rq->in_hand = true;
		count_busy(f, 1);
		if (e == ERR_OK)
			e = begin(rq);
		if (e != ERR_IO)
			break;
		/* Nobody is left who could be told. */
		count_bad(f);
		fcgi_end(rq);
	}
	if (e != ERR_OK) {
		count_bad(f);
		rq->params.n = 0;
		rq->params.body_length = 0;
	}
	return e;
}

struct pool *
fcgi_pool(struct fcgi_req *rq)
{
	return rq->pool;
}

const char *
fcgi_param(const struct fcgi_req *rq, const char *name)
{
	return fcgi_params_find(&rq->params, name);
}

size_t
fcgi_param_count(const struct fcgi_req *rq)
{
	return rq->params.n;
}

const char *
fcgi_param_at(const struct fcgi_req *rq, size_t i, const char **name)
{
	assert(i < rq->params.n);
	*name = rq->params.all[i].name;
	return rq->params.all[i].value;
}

uint64_t
fcgi_body_length(const struct fcgi_req *rq)
{
	return rq->params.body_length;
}

enum err
fcgi_body(struct fcgi_req *rq, struct pool *p, size_t max, struct str *out)
{
	size_t n, have = 0;
	char *bytes;
	enum err e;

	if (rq->params.body_length == 0) {
		*out = STR("");
		return ERR_OK;
	}
	if (rq->params.body_length > max)
		return ERR_TOOBIG;
	if (rq->stdin_done)
		return ERR_INTERNAL; /* asked twice */
	n = (size_t)rq->params.body_length;
	bytes = pool_alloc(p, n + 1);
	if (bytes == NULL)
		return ERR_NOMEM;
	set_deadline(rq, rq->f->timeout_ms);
	while (have < n) {
		size_t want = n - have < PIECE ? n - have : PIECE;
		int got = FCGX_GetStr(bytes + have, (int)want, rq->r.in);

		if (got <= 0)
			break;
		have += (size_t)got;
	}
	/* A read error looks like an early end: both are refused. */
	e = have == n ? end_of_body(rq) : ERR_INVALID;
	set_deadline(rq, 0);
	if (e != ERR_OK)
		return ERR_INVALID;
	*out = (struct str){ bytes, n };
	return ERR_OK;
}

/* RFC 3875, 4.3.3: no body for HEAD, also where no web server cuts it off. */
static bool
wants_head(const struct fcgi_req *rq)
{
	const char *method = fcgi_param(rq, "REQUEST_METHOD");

	return method != NULL && strcmp(method, "HEAD") == 0;
}

enum err
fcgi_reply(struct fcgi_req *rq, const struct reply *r)
{
	assert(rq->in_hand && !rq->replied && !rq->streaming);
	if (fcgi_head(&rq->head, r, true) != ERR_OK)
		return send_bare_500(rq);
	set_deadline(rq, 2 * (int64_t)rq->f->timeout_ms);
	if (!put(rq, buf_as_str(&rq->head)) ||
	    (!wants_head(rq) && !put(rq, r->body)))
		return broken(rq);
	/* Closing both streams sends what is buffered and the end of the
	 * request in one piece, and tells whether that worked. */
	(void)FCGX_FClose(rq->r.err);
	if (FCGX_FClose(rq->r.out) != 0)
		return broken(rq);
	rq->replied = true;
	return ERR_OK;
}

enum err
fcgi_stream(struct fcgi_req *rq, const struct reply *r)
{
	assert(rq->in_hand && !rq->replied && !rq->streaming);
	if (fcgi_head(&rq->head, r, false) != ERR_OK)
		return send_bare_500(rq);
	rq->streaming = true;
	if (!put(rq, buf_as_str(&rq->head)))
		return broken(rq);
	return fcgi_stream_piece(rq, r->body);
}

enum err
fcgi_stream_piece(struct fcgi_req *rq, struct str piece)
{
	bool good;

	if (!rq->streaming)
		return ERR_IO; /* it broke before */
	set_deadline(rq, 2 * (int64_t)rq->f->timeout_ms);
	good =
	    (wants_head(rq) || put(rq, piece)) && FCGX_FFlush(rq->r.out) == 0;
	set_deadline(rq, 0);
	return good ? ERR_OK : broken(rq);
}

void
fcgi_break(struct fcgi_req *rq)
{
	(void)broken(rq);
}

bool
fcgi_peer_gone(const struct fcgi_req *rq)
{
	struct pollfd p = { rq->seat.fd, POLLRDHUP, 0 };

	if (rq->seat.fd < 0)
		return false;
	return poll(&p, 1, 0) > 0 &&
	       (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void
fcgi_end(struct fcgi_req *rq)
{
	struct fcgi *f = rq->f;

	assert(rq->in_hand);
	/* Detached: libfcgi does not linger.  What must be drained, we do. */
	if (rq->seat.fd >= 0 || rq->stdin_done)
		FCGX_Detach(&rq->r);
	/* A regular end after half an answer would pass for a whole one. */
	if (rq->replied || rq->streaming)
		FCGX_Finish_r(&rq->r);
	else if (rq->seat.fd >= 0)
		(void)shutdown(rq->seat.fd, SHUT_RDWR);
	/* Frees what Finish did not, and closes even if asked to keep. */
	FCGX_Free(&rq->r, 1);
	if (rq->seat.fd >= 0) {
		if (!rq->stdin_done && rq->replied)
			drain(rq);
		acceptor_done(f->acceptor, &rq->seat);
	}
	rq->in_hand = false;
	count_busy(f, -1);
}

/* ---- a worker's request ---- */

static enum err
take(struct fcgi *f, struct fcgi_req *rq)
{
	enum err e = acceptor_take(f->acceptor, &rq->seat);

	if (e != ERR_OK)
		return e;
	return fcgi_hand(&rq->r, rq->seat.fd, rq->room, f->timeout_ms);
}

/*
 * The official way, for a libfcgi that has changed inside: whoever sees the
 * listener ready tries; libfcgi reads without our time limits.
 */
static enum err
take_plain(struct fcgi *f, struct fcgi_req *rq)
{
	for (;;) {
		struct pollfd p[2] = { { f->stop, POLLIN, 0 },
			{ f->listener.fd, POLLIN, 0 } };
		int got;

		(void)poll(p, 2, -1);
		if (p[0].revents != 0)
			return ERR_CLOSED; /* never read: all workers see it */
		if (p[1].revents == 0)
			continue;
		(void)FCGX_InitRequest(
		    &rq->r, f->listener.fd, FCGI_FAIL_ACCEPT_ON_INTR);
		got = FCGX_Accept_r(&rq->r);
		if (got == 0)
			break;
		if (got != -EAGAIN)
			(void)poll(NULL, 0, SHORT_OF_FDS_MS);
	}
	pthread_mutex_lock(&f->lock);
	f->stats.accepted++;
	pthread_mutex_unlock(&f->lock);
	return ERR_OK;
}

static enum err
begin(struct fcgi_req *rq)
{
	struct fcgi *f = rq->f;
	enum err e = fcgi_params_read(&rq->params, rq->pool, rq->r.envp);

	/* A request without a body must say so now. */
	if (e == ERR_OK && rq->params.body_length == 0)
		e = end_of_body(rq);
	set_deadline(rq, 0);
	if (e == ERR_OK) {
		pthread_mutex_lock(&f->lock);
		f->stats.served++;
		pthread_mutex_unlock(&f->lock);
	}
	return e;
}

/* Read the end of the peer's data: more bytes than promised are refused. */
static enum err
end_of_body(struct fcgi_req *rq)
{
	if (FCGX_GetChar(rq->r.in) != EOF)
		return ERR_INVALID;
	if (FCGX_GetError(rq->r.in) != 0)
		return ERR_IO;
	rq->stdin_done = true;
	return ERR_OK;
}

/* ---- the answer ---- */

static enum err
send_bare_500(struct fcgi_req *rq)
{
	static const struct fcgi_header headers[] = {
		{ "Content-Type", { "text/plain; charset=utf-8", 25 } },
		{ "Cache-Control", { "no-store", 8 } },
	};
	struct reply r = { 500, headers, 2, STR("Internal Server Error\n") };

	return fcgi_reply(rq, &r) == ERR_OK ? ERR_INTERNAL : ERR_IO;
}

static bool
put(struct fcgi_req *rq, struct str s)
{
	while (s.n > 0) {
		size_t n = s.n < PIECE ? s.n : PIECE;

		if (FCGX_PutStr(s.p, (int)n, rq->r.out) != (int)n)
			return false;
		s.p += n;
		s.n -= n;
	}
	return true;
}

/* The answer did not get through: never let it end like a whole one. */
static enum err
broken(struct fcgi_req *rq)
{
	if (rq->seat.fd >= 0)
		(void)shutdown(rq->seat.fd, SHUT_RDWR);
	rq->streaming = false;
	return ERR_IO;
}

/*
 * Closing a unix socket with unread bytes resets the peer, who may then lose
 * the answer: take a bounded amount of what was not asked for.
 */
static void
drain(struct fcgi_req *rq)
{
	int64_t until = clock_mono_ms() + DRAIN_MS;
	size_t total = 0;
	char trash[16384];

	(void)shutdown(rq->seat.fd, SHUT_WR);
	while (total < DRAIN_BYTES) {
		int64_t left = until - clock_mono_ms();
		struct pollfd p = { rq->seat.fd, POLLIN, 0 };
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)left) <= 0)
			return;
		n = recv(rq->seat.fd, trash, sizeof(trash), MSG_DONTWAIT);
		if (n <= 0)
			return;
		total += (size_t)n;
	}
}

static void
set_deadline(struct fcgi_req *rq, int64_t ms)
{
	if (rq->f->acceptor != NULL)
		acceptor_deadline(rq->f->acceptor, &rq->seat, ms);
}

static void
count_bad(struct fcgi *f)
{
	pthread_mutex_lock(&f->lock);
	f->stats.bad++;
	pthread_mutex_unlock(&f->lock);
}

static void
count_busy(struct fcgi *f, int more)
{
	pthread_mutex_lock(&f->lock);
	if (more > 0)
		f->stats.busy++;
	else
		f->stats.busy--;
	pthread_mutex_unlock(&f->lock);
}
