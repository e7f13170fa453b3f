/* This file knows how to find or make the socket that others connect to. */
#include "config.h"

#include "port/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"

#define BACKLOG 511
#define FIRST_INHERITED 3
#define GROUP_BUFFER 16384

static enum err set_path(struct listener *, struct sockaddr_un *, const char *);
static enum err lock_folder(const char *path, int *fd);
static enum err clear_way(const char *path);
static enum err bind_at(
    struct listener *, const struct sockaddr_un *, unsigned mode, gid_t gid);
static enum err find_group(const char *name, gid_t *out);
static enum err adopt(struct listener *, int fd);
static bool is_listening(int fd);
static int socket_domain(int fd);

enum err
listen_make(
    struct listener *l, const char *path, unsigned mode, const char *group)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	gid_t gid = (gid_t)-1;
	int folder = -1;
	enum err e;

	*l = (struct listener){ .fd = -1 };
	if ((e = set_path(l, &at, path)) != ERR_OK)
		return e;
	if (group != NULL && (e = find_group(group, &gid)) != ERR_OK)
		return e;
	if ((e = lock_folder(path, &folder)) != ERR_OK)
		return e;
	if ((e = clear_way(path)) == ERR_OK)
		e = bind_at(l, &at, mode, gid);
	(void)close(folder); /* and with it the lock */
	if (e != ERR_OK)
		listen_close(l);
	return e;
}

enum err
listen_inherit(struct listener *l)
{
	const char *pid = getenv("LISTEN_PID");
	const char *fds = getenv("LISTEN_FDS");
	int64_t n = 0;
	int64_t who = 0;
	int null;
	enum err e;

	*l = (struct listener){ .fd = -1 };
	if (pid != NULL && fds != NULL &&
	    str_int(str_of(pid), 1, INT32_MAX, &who) == ERR_OK &&
	    who == getpid() && str_int(str_of(fds), 1, 1000, &n) == ERR_OK) {
		(void)unsetenv("LISTEN_PID");
		(void)unsetenv("LISTEN_FDS");
		(void)unsetenv("LISTEN_FDNAMES");
		if (n != 1) {
			log_error(
			    "LISTEN_FDS is %s; one socket is expected", fds);
			return ERR_CONFIG;
		}
		return adopt(l, FIRST_INHERITED);
	}
	if (!is_listening(STDIN_FILENO))
		return ERR_NOTFOUND;
	if ((e = adopt(l, STDIN_FILENO)) != ERR_OK)
		return e;
	/* Keep fd 0 occupied, so that no file is ever opened as it. */
	l->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, FIRST_INHERITED);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (l->fd < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0) {
		log_error(
		    "cannot move the socket away from fd 0: %s", log_errno());
		return ERR_IO;
	}
	(void)close(null);
	return ERR_OK;
}

void
listen_retire(struct listener *l)
{
	struct stat st;

	if (!l->made)
		return;
	l->made = false;
	/* Somebody may have put his own socket there meanwhile. */
	if (lstat(l->path, &st) == 0 && st.st_dev == l->dev &&
	    st.st_ino == l->ino)
		(void)unlink(l->path);
}

void
listen_close(struct listener *l)
{
	listen_retire(l);
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

enum err
listen_connect(const char *path, int *out)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct listener unused;
	enum err e;
	int fd;

	if ((e = set_path(&unused, &at, path)) != ERR_OK)
		return e;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return ERR_IO;
	if (connect(fd, (const struct sockaddr *)&at, sizeof(at)) != 0) {
		e = errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR
			? ERR_NOTFOUND
			: ERR_IO;
		(void)close(fd);
		return e;
	}
	*out = fd;
	return ERR_OK;
}

static enum err
set_path(struct listener *l, struct sockaddr_un *at, const char *path)
{
	size_t n = strlen(path);

	if (n == 0 || n > LISTEN_PATH_MAX) {
		log_error("the socket path \"%s\" is %s", path,
		    n == 0 ? "empty" : "longer than 107 bytes");
		return ERR_CONFIG;
	}
	memcpy(l->path, path, n + 1);
	memcpy(at->sun_path, path, n + 1);
	return ERR_OK;
}

/* Two programs that start at once must not remove each other's socket. */
static enum err
lock_folder(const char *path, int *out)
{
	char folder[LISTEN_PATH_MAX + 2];
	const char *slash = strrchr(path, '/');
	int fd;

	if (slash == NULL)
		(void)snprintf(folder, sizeof(folder), ".");
	else
		(void)snprintf(
		    folder, sizeof(folder), "%.*s/", (int)(slash - path), path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) != 0) {
		log_error(
		    "cannot make a socket in %s: %s", folder, log_errno());
		if (fd >= 0)
			(void)close(fd);
		return ERR_CONFIG;
	}
	*out = fd;
	return ERR_OK;
}

/* Nothing in the way, or only what a dead process left. */
static enum err
clear_way(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, n;

	if (lstat(path, &st) != 0)
		return ERR_OK; /* bind says it better, if anything is wrong */
	if (!S_ISSOCK(st.st_mode)) {
		log_error("%s exists and is no socket: not touched", path);
		return ERR_CONFIG;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		log_error("socket: %s", log_errno());
		return ERR_IO;
	}
	memcpy(at.sun_path, path, strlen(path) + 1);
	n = connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 ? 0
								       : errno;
	(void)close(fd);
	if (n != ECONNREFUSED) {
		/* connected, its queue is full, or we may not even ask */
		log_error("%s belongs to a running process: not touched", path);
		return ERR_BUSY;
	}
	if (unlink(path) != 0) {
		log_error("cannot replace %s: %s", path, log_errno());
		return ERR_CONFIG;
	}
	log_info("%s was left by a dead process: replaced", path);
	return ERR_OK;
}

static enum err
bind_at(
    struct listener *l, const struct sockaddr_un *at, unsigned mode, gid_t gid)
{
	struct stat st;

	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode of the unbound socket is the most bind() gives the file:
	 * closed until it belongs to the right group, whatever the umask. */
	if (l->fd < 0 || fchmod(l->fd, 0600) != 0 ||
	    bind(l->fd, (const struct sockaddr *)at, sizeof(*at)) != 0) {
		log_error(
		    "cannot make the socket %s: %s", l->path, log_errno());
		return ERR_CONFIG;
	}
	if (lstat(l->path, &st) == 0) {
		l->made = true;
		l->dev = st.st_dev;
		l->ino = st.st_ino;
	}
	if ((gid != (gid_t)-1 && chown(l->path, (uid_t)-1, gid) != 0) ||
	    chmod(l->path, (mode_t)mode) != 0) {
		log_error(
		    "cannot set group or mode of %s: %s", l->path, log_errno());
		return ERR_CONFIG;
	}
	if (listen(l->fd, BACKLOG) != 0) {
		log_error("cannot listen at %s: %s", l->path, log_errno());
		return ERR_IO;
	}
	return ERR_OK;
}

static enum err
find_group(const char *name, gid_t *out)
{
	struct group group;
	struct group *found = NULL;
	char *room = malloc(GROUP_BUFFER);

	if (room == NULL)
		return ERR_NOMEM;
	(void)getgrnam_r(name, &group, room, GROUP_BUFFER, &found);
	if (found != NULL)
		*out = group.gr_gid;
	free(room);
	if (found == NULL) {
		log_error("there is no group \"%s\" for the socket", name);
		return ERR_CONFIG;
	}
	return ERR_OK;
}

static enum err
adopt(struct listener *l, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (!is_listening(fd) || flags < 0) {
		log_error("the inherited fd %d is no listening socket", fd);
		return ERR_CONFIG;
	}
	if (socket_domain(fd) != AF_UNIX) {
		/* Whoever can connect can say who the visitor is. */
		log_error("the inherited socket is no unix socket: refused");
		return ERR_CONFIG;
	}
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
		log_error(
		    "cannot prepare the inherited socket: %s", log_errno());
		return ERR_IO;
	}
	l->fd = fd;
	return ERR_OK;
}

static bool
is_listening(int fd)
{
	int yes = 0;
	socklen_t n = sizeof(yes);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &n) == 0 &&
	       yes != 0;
}

static int
socket_domain(int fd)
{
	int domain = -1;
	socklen_t n = sizeof(domain);

	(void)getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n);
	return domain;
}
