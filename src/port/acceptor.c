/* This file knows how to accept connections and keep dawdlers from holding us.
 */
#include "config.h"

#include "port/acceptor.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define AT_ONCE 64     /* accepted in one turn */
#define SILENT_MAX 128 /* that have not said a word yet */
#define WATCH_MS 500   /* how often deadlines are looked at */
#define SHORT_OF_FDS_MS 100
#define STOP_GRACE_MS 1000 /* for peers that dawdle when we stop */
#define COMPLAIN_MS 60000

struct silent {
	int fd;
	int64_t since;
};

struct acceptor {
	pthread_t thread;
	struct listener listener;
	int wake; /* eventfd: something changed for the thread */
	unsigned timeout_ms;

	/* The thread's own. */
	struct silent silent[SILENT_MAX];
	size_t silent_n;
	int64_t paused_until;
	int64_t complained;

	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t filled;
	int *queue;
	unsigned queue_max, queue_from, queue_n;
	bool stopping; /* asked to */
	bool dry;      /* nothing will be queued any more */
	int64_t stop_at;
	struct acceptor_seat *seats;
	struct acceptor_stats stats;
};

static void *loop(void *);
static void watch_until_empty(struct acceptor *);
static void accept_some(struct acceptor *);
static void make_room(struct acceptor *);
static void pause_accepting(struct acceptor *, int why);
static void hear_silent(struct acceptor *);
static void enqueue(struct acceptor *, int fd);
static int cut_dawdlers(struct acceptor *);
static void last_accepts(struct acceptor *);
static void wake(struct acceptor *);
static bool read_flag(struct acceptor *, const bool *flag);
static void discard(struct acceptor *);

enum err
acceptor_open(struct acceptor **out, struct listener *l, unsigned queue,
    unsigned timeout_ms)
{
	struct acceptor *a = calloc(1, sizeof(*a));

	if (a == NULL) {
		listen_close(l);
		return ERR_NOMEM;
	}
	a->listener = *l;
	l->fd = -1;
	l->made = false;
	a->timeout_ms = timeout_ms;
	a->queue_max = queue;
	a->queue = calloc(queue, sizeof(*a->queue));
	a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	(void)pthread_mutex_init(&a->lock, NULL);
	(void)pthread_cond_init(&a->filled, NULL);
	if (a->queue == NULL || a->wake < 0 ||
	    pthread_create(&a->thread, NULL, loop, a) != 0) {
		log_error("cannot start the accepting thread");
		discard(a);
		return ERR_IO;
	}
	*out = a;
	return ERR_OK;
}

void
acceptor_stop(struct acceptor *a)
{
	pthread_mutex_lock(&a->lock);
	if (!a->stopping) {
		a->stopping = true;
		a->stop_at = clock_mono_ms();
	}
	pthread_mutex_unlock(&a->lock);
	wake(a);
}

void
acceptor_close(struct acceptor *a)
{
	assert(a->seats == NULL);
	acceptor_stop(a);
	(void)pthread_join(a->thread, NULL);
	discard(a);
}

void
acceptor_stats(struct acceptor *a, struct acceptor_stats *out)
{
	pthread_mutex_lock(&a->lock);
	*out = a->stats;
	out->waiting = a->queue_n;
	pthread_mutex_unlock(&a->lock);
}

void
acceptor_sit(struct acceptor *a, struct acceptor_seat *s)
{
	*s = (struct acceptor_seat){ .fd = -1 };
	pthread_mutex_lock(&a->lock);
	s->next = a->seats;
	a->seats = s;
	pthread_mutex_unlock(&a->lock);
}

void
acceptor_rise(struct acceptor *a, struct acceptor_seat *s)
{
	assert(s->fd < 0);
	pthread_mutex_lock(&a->lock);
	for (struct acceptor_seat **at = &a->seats; *at != NULL;
	     at = &(*at)->next) {
		if (*at == s) {
			*at = s->next;
			break;
		}
	}
	pthread_mutex_unlock(&a->lock);
	wake(a);
}

enum err
acceptor_take(struct acceptor *a, struct acceptor_seat *s)
{
	enum err e = ERR_CLOSED;

	pthread_mutex_lock(&a->lock);
	while (a->queue_n == 0 && !a->dry)
		(void)pthread_cond_wait(&a->filled, &a->lock);
	if (a->queue_n > 0) {
		s->fd = a->queue[a->queue_from];
		s->deadline = clock_mono_ms() + (int64_t)a->timeout_ms;
		a->queue_from = (a->queue_from + 1) % a->queue_max;
		a->queue_n--;
		a->stats.busy++;
		e = ERR_OK;
	}
	pthread_mutex_unlock(&a->lock);
	return e;
}

void
acceptor_deadline(struct acceptor *a, struct acceptor_seat *s, int64_t ms)
{
	pthread_mutex_lock(&a->lock);
	s->deadline = ms == 0 ? 0 : clock_mono_ms() + ms;
	pthread_mutex_unlock(&a->lock);
}

void
acceptor_done(struct acceptor *a, struct acceptor_seat *s)
{
	pthread_mutex_lock(&a->lock);
	s->deadline = 0;
	a->stats.busy--;
	pthread_mutex_unlock(&a->lock);
	(void)close(s->fd);
	s->fd = -1;
}

/* ---- the thread ---- */

static void *
loop(void *arg)
{
	struct acceptor *a = arg;
	struct pollfd p[2 + SILENT_MAX];
	int timeout = -1;

	while (!read_flag(a, &a->stopping)) {
		bool paused = clock_mono_ms() < a->paused_until;
		eventfd_t n;

		p[0] = (struct pollfd){ a->wake, POLLIN, 0 };
		p[1] =
		    (struct pollfd){ paused ? -1 : a->listener.fd, POLLIN, 0 };
		for (size_t i = 0; i < a->silent_n; i++)
			p[2 + i] =
			    (struct pollfd){ a->silent[i].fd, POLLIN, 0 };
		if (paused)
			timeout = SHORT_OF_FDS_MS;
		(void)poll(p, (nfds_t)(2 + a->silent_n), timeout);
		if (p[0].revents != 0)
			(void)eventfd_read(a->wake, &n);
		hear_silent(a);
		if (p[1].revents != 0)
			accept_some(a);
		timeout = cut_dawdlers(a);
	}
	last_accepts(a);
	watch_until_empty(a);
	return NULL;
}

/* Nothing comes any more, but those at work are still watched. */
static void
watch_until_empty(struct acceptor *a)
{
	for (;;) {
		struct pollfd p = { a->wake, POLLIN, 0 };
		int timeout = cut_dawdlers(a);
		eventfd_t n;
		bool empty;

		pthread_mutex_lock(&a->lock);
		empty = a->seats == NULL;
		pthread_mutex_unlock(&a->lock);
		if (empty)
			return;
		(void)poll(&p, 1, timeout);
		(void)eventfd_read(a->wake, &n);
	}
}

static void
accept_some(struct acceptor *a)
{
	const struct timeval limit = { a->timeout_ms / 1000,
		(a->timeout_ms % 1000) * 1000L };

	for (int i = 0; i < AT_ONCE; i++) {
		int fd;

		if (a->silent_n == SILENT_MAX)
			make_room(a);
		fd = accept4(a->listener.fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0) {
			if (errno == EINTR || errno == ECONNABORTED)
				continue;
			if (errno != EAGAIN)
				pause_accepting(a, errno);
			break;
		}
		(void)setsockopt(
		    fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		(void)setsockopt(
		    fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		a->silent[a->silent_n++] =
		    (struct silent){ fd, clock_mono_ms() };
		pthread_mutex_lock(&a->lock);
		a->stats.accepted++;
		pthread_mutex_unlock(&a->lock);
	}
	/* Most have spoken by now: do not wait a turn for them. */
	hear_silent(a);
}

/* So many wait and say nothing: the one that did so longest goes. */
static void
make_room(struct acceptor *a)
{
	hear_silent(a);
	if (a->silent_n < SILENT_MAX)
		return;
	(void)close(a->silent[0].fd);
	a->silent_n--;
	memmove(a->silent, a->silent + 1, a->silent_n * sizeof(*a->silent));
}

/* Out of descriptors or memory: that passes.  Never leave the loop. */
static void
pause_accepting(struct acceptor *a, int why)
{
	int64_t now = clock_mono_ms();

	a->paused_until = now + SHORT_OF_FDS_MS;
	if (a->complained != 0 && now - a->complained < COMPLAIN_MS)
		return;
	a->complained = now;
	errno = why;
	log_error("cannot accept: %s; trying again", log_errno());
}

/* Connections become work with their first byte. */
static void
hear_silent(struct acceptor *a)
{
	int64_t now = clock_mono_ms();
	size_t kept = 0;

	for (size_t i = 0; i < a->silent_n; i++) {
		struct silent s = a->silent[i];
		char c;
		ssize_t n = recv(s.fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);

		if (n > 0) {
			enqueue(a, s.fd);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR) &&
		    now - s.since < (int64_t)a->timeout_ms) {
			a->silent[kept++] = s;
			continue;
		}
		(void)close(s.fd);
		if (n == 0)
			continue; /* hung up again: a probe */
		pthread_mutex_lock(&a->lock);
		a->stats.timed_out++;
		pthread_mutex_unlock(&a->lock);
	}
	a->silent_n = kept;
}

static void
enqueue(struct acceptor *a, int fd)
{
	bool full;

	pthread_mutex_lock(&a->lock);
	full = a->queue_n == a->queue_max;
	if (full) {
		a->stats.shed++;
	} else {
		a->queue[(a->queue_from + a->queue_n) % a->queue_max] = fd;
		a->queue_n++;
	}
	pthread_mutex_unlock(&a->lock);
	/* Not under the lock: the worker would wake only to wait for it. */
	if (full)
		(void)close(fd);
	else
		(void)pthread_cond_signal(&a->filled);
}

/* Returns how long poll may sleep: as work comes through this thread alone,
 * without limit when there is none. */
static int
cut_dawdlers(struct acceptor *a)
{
	int64_t now = clock_mono_ms();
	bool watch;

	pthread_mutex_lock(&a->lock);
	watch = a->silent_n > 0 || a->queue_n > 0 || a->stats.busy > 0;
	for (struct acceptor_seat *s = a->seats; s != NULL; s = s->next) {
		int64_t deadline = s->deadline;

		if (deadline == 0)
			continue;
		if (a->stopping && deadline > a->stop_at + STOP_GRACE_MS)
			deadline = a->stop_at + STOP_GRACE_MS;
		if (now < deadline)
			continue;
		(void)shutdown(s->fd, SHUT_RDWR);
		s->deadline = 0;
		a->stats.timed_out++;
	}
	pthread_mutex_unlock(&a->lock);
	return watch ? WATCH_MS : -1;
}

/*
 * Whoever connected before the end is still served: with a socket of our own
 * the name goes first, then the queue of the kernel is emptied.  An inherited
 * socket keeps its queue for the next process.
 */
static void
last_accepts(struct acceptor *a)
{
	int64_t until = clock_mono_ms() + STOP_GRACE_MS;

	if (a->listener.made) {
		listen_retire(&a->listener);
		for (uint64_t before = UINT64_MAX;
		     before != a->stats.accepted;) {
			before = a->stats.accepted; /* ours alone to write */
			accept_some(a);
		}
		listen_close(&a->listener);
	}
	while (a->silent_n > 0 && clock_mono_ms() < until) {
		hear_silent(a);
		if (a->silent_n > 0)
			(void)poll(NULL, 0, 10);
	}
	while (a->silent_n > 0)
		(void)close(a->silent[--a->silent_n].fd);
	pthread_mutex_lock(&a->lock);
	a->dry = true;
	(void)pthread_cond_broadcast(&a->filled);
	pthread_mutex_unlock(&a->lock);
}

static void
wake(struct acceptor *a)
{
	(void)eventfd_write(a->wake, 1);
}

static bool
read_flag(struct acceptor *a, const bool *flag)
{
	bool set;

	pthread_mutex_lock(&a->lock);
	set = *flag;
	pthread_mutex_unlock(&a->lock);
	return set;
}

/* When no thread uses it any more. */
static void
discard(struct acceptor *a)
{
	for (; a->queue_n > 0; a->queue_n--) {
		(void)close(a->queue[a->queue_from]);
		a->queue_from = (a->queue_from + 1) % a->queue_max;
	}
	listen_close(&a->listener);
	if (a->wake >= 0)
		(void)close(a->wake);
	(void)pthread_cond_destroy(&a->filled);
	(void)pthread_mutex_destroy(&a->lock);
	free(a->queue);
	free(a);
}
