/* This file knows how to tell a sound FastCGI request from a trap. */
#include "config.h"

#include "port/fcgi_peek.h"

#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

#define HEAD 8
#define LOOK_MS 5 /* until the rest is looked for */

enum record {
	BEGIN = 1,
	ABORT = 2,
	PARAMS = 4,
	STDIN = 5
};

/* The stream of parameters: a pair's lengths, then that many bytes. */
struct pairs {
	unsigned char lengths[8]; /* as far as they have come */
	size_t have;
	uint64_t rest; /* of the pair's bytes */
	uint64_t total;
};

static enum err look(const unsigned char *p, size_t n);
static bool feed(struct pairs *, const unsigned char *p, size_t n);
static bool lengths_end(struct pairs *);

enum err
fcgi_peek(int fd, char *room, int64_t until)
{
	for (;;) {
		/* No POLLIN: what is there already would end every wait. */
		struct pollfd p = { fd, POLLRDHUP, 0 };
		ssize_t n =
		    recv(fd, room, FCGI_PEEK_BYTES, MSG_PEEK | MSG_DONTWAIT);
		enum err e =
		    n > 0 ? fcgi_peek_bytes(room, (size_t)n) : ERR_BUSY;

		if (e != ERR_BUSY)
			return e;
		if ((size_t)n == FCGI_PEEK_BYTES)
			return ERR_INVALID;
		if (clock_mono_ms() >= until || poll(&p, 1, LOOK_MS) > 0)
			return ERR_CLOSED;
	}
}

enum err
fcgi_peek_bytes(const char *bytes, size_t n)
{
	return look((const unsigned char *)bytes, n);
}

static enum err
look(const unsigned char *p, size_t n)
{
	struct pairs pairs = { .have = 0 };
	bool begun = false, ended = false;

	while (n >= HEAD) {
		size_t content = (size_t)p[4] << 8 | p[5];
		size_t seen = n - HEAD < content ? n - HEAD : content;
		size_t whole = HEAD + content + p[6];
		bool own =
		    p[0] == 1 && (p[2] | p[3]) != 0 &&
		    (begun ? p[1] == PARAMS || p[1] == STDIN || p[1] == ABORT
			   : p[1] == BEGIN && content == HEAD);

		if (!own)
			return ERR_INVALID;
		begun = true;
		if (p[1] == PARAMS && !ended) {
			if (!feed(&pairs, p + HEAD, seen))
				return ERR_INVALID;
			ended = content == 0;
		}
		if (n < whole)
			break;
		p += whole;
		n -= whole;
	}
	return ended ? ERR_OK : ERR_BUSY;
}

/*
 * False when a pair says that it is longer than all of them may be, or holds
 * a NUL: libfcgi would end it there, and "admin", NUL, "x" be admin.
 */
static bool
feed(struct pairs *s, const unsigned char *p, size_t n)
{
	while (n > 0) {
		if (s->rest > 0) {
			size_t take = s->rest < n ? (size_t)s->rest : n;

			if (memchr(p, '\0', take) != NULL)
				return false;
			s->rest -= take;
			p += take;
			n -= take;
			continue;
		}
		s->lengths[s->have++] = *p++;
		n--;
		if (!lengths_end(s))
			continue;
		if (s->total > FCGI_PEEK_BYTES)
			return false;
	}
	return true;
}

/* Both lengths of a pair are there: one byte each, or four. */
static bool
lengths_end(struct pairs *s)
{
	uint64_t sum = 0;
	size_t at = 0;

	for (int i = 0; i < 2; i++) {
		size_t size = at < s->have && s->lengths[at] >= 0x80 ? 4 : 1;
		uint64_t one = 0;

		if (at + size > s->have)
			return false;
		for (size_t k = 0; k < size; k++)
			one = one << 8 | s->lengths[at + k];
		sum += size == 4 ? one & 0x7fffffff : one;
		at += size;
	}
	s->rest = sum;
	s->total += sum;
	s->have = 0;
	return true;
}
