/*
 * fcgi_client - a raw FastCGI client for tests, wrong on purpose if asked.
 *
 * Records are put together in a struct buf and sent as they are; the answer
 * is taken apart again.  Everything waits at most FC_PATIENCE_MS.
 */
#ifndef PA_FCGI_CLIENT_H
#define PA_FCGI_CLIENT_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

#define FC_PATIENCE_MS 8000

enum fc_type {
	FC_BEGIN = 1,
	FC_ABORT = 2,
	FC_END = 3,
	FC_PARAMS = 4,
	FC_STDIN = 5,
	FC_STDOUT = 6,
	FC_STDERR = 7
};

struct fc_answer {
	struct buf out;  /* FCGI_STDOUT: header lines and body */
	bool ended;      /* a regular FCGI_END_REQUEST came */
	bool closed;     /* the server closed the connection */
	bool reset;      /* ... harshly */
	int status;      /* of the Status line, 0 when there is none */
	struct str body; /* within out */
};

__attribute__((unused)) static int
fc_connect(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(at.sun_path))
		return -1;
	memcpy(at.sun_path, path, strlen(path) + 1);
	if (connect(fd, (const struct sockaddr *)&at, sizeof(at)) != 0) {
		int e = errno;

		close(fd);
		errno = e;
		return -1;
	}
	return fd;
}

/* One record; n may be 0 (the end of a stream). */
__attribute__((unused)) static void
fc_record(struct buf *b, enum fc_type type, const void *p, size_t n)
{
	unsigned char head[8] = { 1, (unsigned char)type, 0, 1,
		(unsigned char)(n >> 8), (unsigned char)n, 0, 0 };

	buf_add(b, head, sizeof(head));
	buf_add(b, p, n);
}

__attribute__((unused)) static void
fc_begin(struct buf *b, int role, int flags)
{
	unsigned char body[8] = { 0, (unsigned char)role,
		(unsigned char)flags };

	fc_record(b, FC_BEGIN, body, sizeof(body));
}

__attribute__((unused)) static void
fc_length(struct buf *b, size_t n)
{
	if (n > 127) {
		buf_c(b, (char)(n >> 24 | 0x80));
		buf_c(b, (char)(n >> 16));
		buf_c(b, (char)(n >> 8));
	}
	buf_c(b, (char)n);
}

/* A name and its value, as they stand inside an FCGI_PARAMS stream. */
__attribute__((unused)) static void
fc_pair(struct buf *b, const char *name, const char *value)
{
	fc_length(b, strlen(name));
	fc_length(b, strlen(value));
	buf_z(b, name);
	buf_z(b, value);
}

/* A stream in records of at most 32 kB, with its end. */
__attribute__((unused)) static void
fc_stream(struct buf *b, enum fc_type type, struct str s)
{
	while (s.n > 0) {
		size_t n = s.n < 32768 ? s.n : 32768;

		fc_record(b, type, s.p, n);
		s.p += n;
		s.n -= n;
	}
	fc_record(b, type, NULL, 0);
}

/*
 * A whole request: names and values in turn up to NULL, then the body.
 * CONTENT_LENGTH is added when there is a body and no such name.
 */
__attribute__((unused)) static void
fc_request(struct buf *b, const char *const *pairs, struct str body)
{
	struct buf params;
	char length[24];
	bool has_length = false;

	buf_init(&params, 1 << 22);
	for (; pairs[0] != NULL; pairs += 2) {
		fc_pair(&params, pairs[0], pairs[1]);
		has_length =
		    has_length || strcmp(pairs[0], "CONTENT_LENGTH") == 0;
	}
	if (body.n > 0 && !has_length) {
		(void)snprintf(length, sizeof(length), "%zu", body.n);
		fc_pair(&params, "CONTENT_LENGTH", length);
	}
	fc_begin(b, 1, 0);
	fc_stream(b, FC_PARAMS, buf_as_str(&params));
	fc_stream(b, FC_STDIN, body);
	buf_release(&params);
}

/* Send all of b; false when the server does not take it. */
__attribute__((unused)) static bool
fc_send(int fd, const struct buf *b)
{
	size_t done = 0;

	while (done < b->n) {
		ssize_t n = send(fd, b->p + done, b->n - done, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Take records out of raw until its end or FCGI_END_REQUEST. */
__attribute__((unused)) static void
fc_take_apart(struct buf *raw, struct fc_answer *a)
{
	size_t at = 0;

	while (raw->n - at >= 8 && !a->ended) {
		const unsigned char *h = (const unsigned char *)raw->p + at;
		size_t n = (size_t)h[4] << 8 | h[5];
		size_t whole = 8 + n + h[6];

		if (raw->n - at < whole)
			break;
		if (h[1] == FC_STDOUT)
			buf_add(&a->out, h + 8, n);
		else if (h[1] == FC_END)
			a->ended = true;
		at += whole;
	}
	memmove(raw->p, raw->p + at, raw->n - at);
	raw->n -= at;
}

/* Read until the server closes (or, if `until_end`, ends the request). */
__attribute__((unused)) static void
fc_read(int fd, struct fc_answer *a, bool until_end)
{
	int64_t until = clock_mono_ms() + FC_PATIENCE_MS;
	char piece[65536];
	struct buf raw;
	const char *gap;

	buf_init(&raw, 1 << 28);
	buf_z(&raw, "");
	*a = (struct fc_answer){ 0 };
	buf_init(&a->out, 1 << 28);
	buf_z(&a->out, "");
	while (!a->closed && !(until_end && a->ended)) {
		struct pollfd p = { fd, POLLIN, 0 };
		int64_t left = until - clock_mono_ms();
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)left) <= 0)
			break;
		n = recv(fd, piece, sizeof(piece), 0);
		a->reset = n < 0;
		a->closed = n <= 0;
		if (n > 0) {
			buf_add(&raw, piece, (size_t)n);
			fc_take_apart(&raw, a);
		}
	}
	buf_release(&raw);
	if (strncmp(a->out.p, "Status: ", 8) == 0)
		a->status = (a->out.p[8] - '0') * 100 +
			    (a->out.p[9] - '0') * 10 + (a->out.p[10] - '0');
	gap = strstr(a->out.p, "\r\n\r\n");
	a->body = STR("");
	if (gap != NULL)
		a->body = (struct str){ gap + 4,
			a->out.n - (size_t)(gap + 4 - a->out.p) };
}

__attribute__((unused)) static void
fc_forget(struct fc_answer *a)
{
	buf_release(&a->out);
}

/* One request from connect to close; a->status 0 when nothing came. */
__attribute__((unused)) static void
fc_ask(const char *path, const char *const *pairs, struct str body,
    struct fc_answer *a)
{
	int fd = fc_connect(path);
	struct buf b;

	buf_init(&b, 1 << 28);
	fc_request(&b, pairs, body);
	if (fd >= 0)
		(void)fc_send(fd, &b);
	fc_read(fd, a, false);
	if (fd >= 0)
		close(fd);
	buf_release(&b);
}

#endif /* PA_FCGI_CLIENT_H */
