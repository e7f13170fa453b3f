/* This file knows how to carry words between the service and its commands. */
#include "config.h"

#include "cmd/control.h"

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
#include "base/pool.h"
#include "cmd/daemon.h"
#include "port/listen.h"

#define PATIENCE_MS 5000

struct control {
	struct listener listener;
	int stop; /* eventfd */
	pthread_t thread;
	control_fn *fn;
	void *ctx;
};

static void *loop(void *);
static void talk(struct control *, int fd);
static bool is_welcome(int fd);
static enum err read_line(int fd, struct buf *line);
static enum err split(
    struct pool *, struct str line, struct str *words, size_t *n);
static enum err decode(struct pool *, struct str word, struct str *out);
static bool send_all(int fd, struct str s);
static enum err read_answer(int fd, struct buf *answer, enum err *result);
static enum err err_of(struct str name);

enum err
control_open(struct control **out, const char *path, control_fn *fn, void *ctx)
{
	struct control *c = calloc(1, sizeof(*c));
	enum err e;

	if (c == NULL)
		return ERR_NOMEM;
	c->fn = fn;
	c->ctx = ctx;
	c->stop = -1;
	if ((e = listen_make(&c->listener, path, 0600, NULL)) != ERR_OK)
		goto fail;
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop < 0 || pthread_create(&c->thread, NULL, loop, c) != 0) {
		log_error("cannot start the control thread");
		e = ERR_IO;
		goto fail;
	}
	*out = c;
	return ERR_OK;
fail:
	if (c->stop >= 0)
		(void)close(c->stop);
	listen_close(&c->listener);
	free(c);
	return e;
}

void
control_close(struct control *c)
{
	if (c == NULL)
		return;
	(void)eventfd_write(c->stop, 1);
	(void)pthread_join(c->thread, NULL);
	listen_close(&c->listener);
	(void)close(c->stop);
	free(c);
}

enum err
daemon_ask(const char *control, const char *verb, const struct str *args,
    size_t args_n, struct buf *answer, enum err *result)
{
	struct buf line;
	enum err e;
	int fd = -1;

	buf_init(&line, CONTROL_LINE_MAX);
	buf_url(&line, str_of(verb));
	for (size_t i = 0; i < args_n; i++) {
		buf_c(&line, ' ');
		buf_url(&line, args[i]);
	}
	buf_c(&line, '\n');
	if (line.failed || args_n > CONTROL_ARGS_MAX) {
		e = ERR_TOOBIG;
		goto out;
	}
	if ((e = listen_connect(control, &fd)) != ERR_OK)
		goto out;
	e = send_all(fd, buf_as_str(&line)) ? read_answer(fd, answer, result)
					    : ERR_IO;
out:
	if (fd >= 0)
		(void)close(fd);
	buf_release(&line);
	return e;
}

static void *
loop(void *arg)
{
	struct control *c = arg;

	for (;;) {
		struct pollfd p[2] = { { c->stop, POLLIN, 0 },
			{ c->listener.fd, POLLIN, 0 } };
		int fd;

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents != 0)
			return NULL;
		fd = accept4(c->listener.fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			talk(c, fd);
		else if (errno != EAGAIN && errno != EINTR)
			(void)poll(NULL, 0, 100);
	}
}

static void
talk(struct control *c, int fd)
{
	struct timeval limit = { PATIENCE_MS / 1000, 0 };
	struct str words[1 + CONTROL_ARGS_MAX];
	struct pool *pool = pool_open(2 * CONTROL_LINE_MAX);
	struct buf line, answer, head;
	bool hold = false;
	size_t n = 0;
	enum err e;

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	buf_init(&line, CONTROL_LINE_MAX);
	buf_init(&answer, CONTROL_ANSWER_MAX);
	buf_init(&head, 64);
	if (pool == NULL || !is_welcome(fd) || read_line(fd, &line) != ERR_OK)
		goto out;
	e = split(pool, buf_as_str(&line), words, &n);
	if (e == ERR_OK)
		e = c->fn(c->ctx, words[0], words + 1, n - 1, &answer, &hold);
	if (answer.failed)
		e = ERR_NOMEM;
	if (e == ERR_OK)
		buf_z(&head, "ok\n");
	else
		buf_printf(&head, "error %s\n", err_name(e));
	if (send_all(fd, buf_as_str(&head)))
		(void)!send_all(fd, buf_as_str(&answer));
	if (hold)
		fd = -1; /* closed by the kernel, when we are gone */
out:
	if (fd >= 0)
		(void)close(fd);
	buf_release(&head);
	buf_release(&answer);
	buf_release(&line);
	pool_close(pool);
}

/* The mode of the socket says the same; a bind mount may not. */
static bool
is_welcome(int fd)
{
	struct ucred who = { 0 };
	socklen_t n = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0)
		return false;
	if (who.uid == 0 || who.uid == geteuid())
		return true;
	log_warning(
	    "user %ld is not heard at the control socket", (long)who.uid);
	return false;
}

static enum err
read_line(int fd, struct buf *line)
{
	int64_t until = clock_mono_ms() + PATIENCE_MS;

	while (line->n == 0 || line->p[line->n - 1] != '\n') {
		int64_t left = until - clock_mono_ms();
		struct pollfd p = { fd, POLLIN, 0 };
		char piece[4096];
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)left) <= 0)
			return ERR_IO;
		n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);
		if (n <= 0)
			return ERR_IO;
		buf_add(line, piece, (size_t)n);
		if (line->failed)
			return ERR_TOOBIG;
	}
	line->n--;
	return ERR_OK;
}

static enum err
split(struct pool *pool, struct str line, struct str *words, size_t *n)
{
	*n = 0;
	while (line.p != NULL) {
		struct str word = str_cut(&line, ' ');

		if (*n > CONTROL_ARGS_MAX ||
		    decode(pool, word, &words[*n]) != ERR_OK)
			return ERR_INVALID;
		++*n;
	}
	return ERR_OK;
}

static enum err
decode(struct pool *pool, struct str word, struct str *out)
{
	char *p = pool_alloc(pool, word.n + 1);
	size_t n = 0;

	if (p == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < word.n; i++) {
		int high, low;

		if (word.p[i] != '%') {
			p[n++] = word.p[i];
			continue;
		}
		if (word.n - i < 3 || (high = str_hex(word.p[i + 1])) < 0 ||
		    (low = str_hex(word.p[i + 2])) < 0)
			return ERR_INVALID;
		p[n++] = (char)(high << 4 | low);
		i += 2;
	}
	*out = (struct str){ p, n };
	return ERR_OK;
}

static bool
send_all(int fd, struct str s)
{
	while (s.n > 0) {
		ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		s.p += n;
		s.n -= (size_t)n;
	}
	return true;
}

/* The first line is the result, all after it the answer. */
static enum err
read_answer(int fd, struct buf *answer, enum err *result)
{
	struct buf all;
	struct str rest, head;
	char piece[16384];
	enum err e = ERR_IO;
	ssize_t n;

	buf_init(&all, CONTROL_ANSWER_MAX + 64);
	while ((n = read(fd, piece, sizeof(piece))) > 0 ||
	       (n < 0 && errno == EINTR)) {
		if (n > 0)
			buf_add(&all, piece, (size_t)n);
	}
	rest = buf_as_str(&all);
	head = str_cut(&rest, '\n');
	if (rest.p != NULL && !all.failed) {
		e = ERR_OK;
		buf_str(answer, rest);
		if (str_is(head, "ok"))
			*result = ERR_OK;
		else if (str_starts(head, "error "))
			*result =
			    err_of((struct str){ head.p + 6, head.n - 6 });
		else
			e = ERR_IO;
	}
	buf_release(&all);
	return e;
}

static enum err
err_of(struct str name)
{
	for (int e = 1; e < ERR__MAX; e++) {
		if (str_is(name, err_name((enum err)e)))
			return (enum err)e;
	}
	return ERR_INTERNAL;
}
