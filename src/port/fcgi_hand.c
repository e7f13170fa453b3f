/*
 * This file knows how to hand libfcgi a connection that it did not accept,
 * and how to find out whether it takes one.
 */
#include "config.h"

#include "port/fcgi_hand.h"

#include <fcgiapp.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "port/fcgi_peek.h"

#define SHORT_OF_FDS_MS 100

static int duplicate(int fd, unsigned patience_ms);
static bool try_hand(const char *request, size_t n, bool whole);

enum err
fcgi_hand(FCGX_Request *r, int fd, char *room, unsigned timeout_ms)
{
	int copy;

	(void)FCGX_InitRequest(r, -1, 0);
	if (fcgi_peek(fd, room, clock_mono_ms() + (int64_t)timeout_ms) !=
	    ERR_OK)
		return ERR_IO;
	copy = duplicate(fd, timeout_ms);
	if (copy < 0)
		return ERR_IO;
	/*
	 * libfcgi gets our connection instead of accepting one.  The 1 keeps
	 * its implied Finish from closing it; listener -1 makes its second
	 * try fail instead of wait.
	 */
	r->ipcFd = copy;
	r->keepConnection = 1;
	if (FCGX_Accept_r(r) < 0)
		return ERR_IO;
	r->keepConnection = 0;
	return ERR_OK;
}

bool
fcgi_hand_works(void)
{
	static const unsigned char request[] = {
		1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, /* begin */
		1, 4, 0, 1, 0, 4, 0, 0, 1, 1, 'a', 'b',         /* a=b */
		1, 4, 0, 1, 0, 0, 0, 0,                         /* no more */
		1, 5, 0, 1, 0, 0, 0, 0,                         /* no body */
	};

	return try_hand((const char *)request, sizeof(request), true) &&
	       try_hand((const char *)request, 5, false);
}

/* Being short of descriptors passes: wait rather than drop a request. */
static int
duplicate(int fd, unsigned patience_ms)
{
	int64_t until = clock_mono_ms() + (int64_t)patience_ms;
	int copy;

	while ((copy = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0) {
		if ((errno != EMFILE && errno != EINTR) ||
		    clock_mono_ms() >= until) {
			log_error("cannot take a request: %s", log_errno());
			break;
		}
		(void)poll(NULL, 0, SHORT_OF_FDS_MS);
	}
	return copy;
}

static bool
try_hand(const char *request, size_t n, bool whole)
{
	struct timeval limit = { 1, 0 };
	FCGX_Request r;
	const char *a = NULL;
	char answer[256];
	ssize_t got, total = 0;
	int pair[2];
	bool taken;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	(void)setsockopt(
	    pair[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	taken = write(pair[1], request, n) == (ssize_t)n &&
		shutdown(pair[1], SHUT_WR) == 0 &&
		FCGX_InitRequest(&r, -1, 0) == 0;
	r.ipcFd = pair[0];
	r.keepConnection = 1;
	taken = taken && FCGX_Accept_r(&r) == 0;
	if (taken) {
		r.keepConnection = 0;
		a = FCGX_GetParam("a", r.envp);
		taken = a != NULL && strcmp(a, "b") == 0 &&
			FCGX_PutStr("x", 1, r.out) == 1;
		FCGX_Detach(&r);
		FCGX_Finish_r(&r);
	}
	while ((got = read(pair[1], answer, sizeof(answer))) > 0)
		total += got;
	(void)close(pair[1]);
	return got == 0 && taken == whole && (!whole || total > 16);
}
