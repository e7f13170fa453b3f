/*
 * listen - a unix socket that others connect to, made or inherited.
 *
 * Layer    port: base and libc.
 * Memory   caller's struct.
 * Threads  one thread.
 *
 * A socket file left behind by a dead process is replaced, that of a live
 * one is never touched: it is asked first, by connecting to it, while the
 * folder is locked against a second starter.
 */
#ifndef PA_LISTEN_H
#define PA_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

#define LISTEN_PATH_MAX 107 /* what sun_path holds beside its NUL */

struct listener {
	int fd;    /* close-on-exec, non-blocking; -1 when none */
	bool made; /* by us: the path is ours to remove */
	char path[LISTEN_PATH_MAX + 1];
	dev_t dev; /* which file we made there */
	ino_t ino;
};

/*
 * Make the socket at path.  group NULL keeps the process's own.  ERR_BUSY
 * when somebody listens there, ERR_CONFIG when path or group cannot be.
 */
enum err listen_make(struct listener *l, const char *path, unsigned mode,
    const char *group) PA_MUST_USE;

/*
 * The socket that systemd (LISTEN_FDS with our LISTEN_PID) or a spawner
 * (listening fd 0) handed over.  ERR_NOTFOUND when there is none, ERR_CONFIG
 * when it is no listening unix socket.
 */
enum err listen_inherit(struct listener *l) PA_MUST_USE;

/* Take the name away so that nobody new comes; the queue can be emptied. */
void listen_retire(struct listener *l);
void listen_close(struct listener *l);

/* Connect to a unix socket; ERR_NOTFOUND when nobody listens there. */
enum err listen_connect(const char *path, int *fd) PA_MUST_USE;

#endif /* PA_LISTEN_H */
