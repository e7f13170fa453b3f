/* This file knows how to be the only one that writes to an arena. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "model/store_parts.h"

static enum err hold_name(struct store_hold *h, const char *path);
static enum err hold_file(int *held, const char *path, int flags);
static bool lock_file(int fd);
static enum err refuse(int fd, const char *path);
static int64_t holder_of(int fd);
static void note_process(const struct store_hold *h);
static bool is_held(const char *path);

enum err
store_hold(struct store_hold *h, const char *path, const char *ledger_path)
{
	enum err e = h->name < 0 ? hold_name(h, path) : ERR_OK;

	/* The database last: see store_parts.h about closing it. */
	if (e == ERR_OK && h->ledger < 0)
		e = hold_file(&h->ledger, ledger_path, O_NOFOLLOW);
	if (e == ERR_OK && h->database < 0)
		e = hold_file(&h->database, path, 0);
	if (e == ERR_OK)
		note_process(h);
	return e;
}

void
store_let_go(struct store_hold *h)
{
	const int held[] = { h->database, h->ledger, h->name };

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		if (held[i] >= 0)
			(void)close(held[i]);
	}
	*h = STORE_HOLD_NONE;
}

bool
store_is_locked(const char *path)
{
	char *name = store_suffixed(path, ".lock");
	char *ledger = store_ledger_path(path);
	bool held = (name != NULL && is_held(name)) ||
		    (ledger != NULL && is_held(ledger));

	free(ledger);
	free(name);
	return held;
}

static enum err
hold_name(struct store_hold *h, const char *path)
{
	char *name = store_suffixed(path, ".lock");
	int fd =
	    name == NULL
		? -1
		: open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	free(name);
	if (fd < 0) {
		log_error("store %s: its lock file cannot be made (%s)", path,
		    log_errno());
		return errno == ENOSPC ? ERR_FULL : ERR_IO;
	}
	if (!lock_file(fd))
		return refuse(fd, path);
	h->name = fd;
	return ERR_OK;
}

/* What cannot be opened is said by whoever needs it. */
static enum err
hold_file(int *held, const char *path, int flags)
{
	int fd =
	    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

	if (fd < 0)
		return ERR_OK;
	if (!lock_file(fd))
		return refuse(fd, path);
	*held = fd;
	return ERR_OK;
}

/*
 * store_is_locked looks by taking the lock for an instant, so being refused
 * once proves nothing.
 */
static bool
lock_file(int fd)
{
	static const struct timespec instant = { 0, 20 * 1000 * 1000 };

	for (int i = 0; i < 3; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		(void)nanosleep(&instant, NULL);
	}
	return false;
}

static enum err
refuse(int fd, const char *path)
{
	int64_t holder = holder_of(fd);

	if (holder > 0)
		log_error("store %s: in use by process %" PRId64, path, holder);
	else
		log_error("store %s: in use by another process", path);
	(void)close(fd);
	return ERR_BUSY;
}

/* As the kernel lists it; 0 when it does not say. */
static int64_t
holder_of(int fd)
{
	char line[256], mine[64];
	FILE *list = fopen("/proc/locks", "re");
	struct stat st;
	int64_t holder = 0;

	if (list == NULL)
		return 0;
	mine[0] = '\0';
	if (fstat(fd, &st) == 0)
		(void)snprintf(mine, sizeof(mine), " %02x:%02x:%" PRIu64 " ",
		    major(st.st_dev), minor(st.st_dev), (uint64_t)st.st_ino);
	while (holder == 0 && mine[0] != '\0' &&
	       fgets(line, sizeof(line), list) != NULL) {
		char *at = strstr(line, mine);
		struct str pid;

		if (at == NULL || strstr(line, "FLOCK") == NULL)
			continue;
		*at = '\0';
		at = strrchr(line, ' ');
		pid = str_of(at == NULL ? "" : at + 1);
		if (str_int(pid, 1, INT32_MAX, &holder) != ERR_OK)
			holder = 0;
	}
	(void)fclose(list);
	return holder;
}

/* For people; the lock is the kernel's. */
static void
note_process(const struct store_hold *h)
{
	char pid[24];

	(void)snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(h->name, 0) != 0 ||
	    pwrite(h->name, pid, strlen(pid), 0) != (ssize_t)strlen(pid))
		log_debug("store: a lock without a process id");
}

static bool
is_held(const char *path)
{
	int fd = open(
	    path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;

	if (fd >= 0)
		(void)close(fd);
	return held;
}
