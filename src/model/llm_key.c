/* This file knows how to read a key file and when to refuse it. */
#include "config.h"

#include "model/llm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

#define KEY_MAX 4096

static enum err refuse(char *why, size_t n, const char *fmt, ...)
    PA_PRINTF(3, 4);
static enum err check_file(int fd, const char *path, char *why, size_t n);
static bool is_credential(const char *path);
static ssize_t read_whole(int fd, char *out, size_t room);

enum err
llm_key_load(struct pool *pool, const char *path, struct str *key, char *why,
    size_t why_n)
{
	char raw[KEY_MAX + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct str s;
	ssize_t n;
	enum err e;

	if (fd < 0)
		return refuse(why, why_n,
		    errno == ENOENT ? "the key file %s does not exist"
				    : "the key file %s cannot be opened",
		    path);
	e = check_file(fd, path, why, why_n);
	n = e == ERR_OK ? read_whole(fd, raw, sizeof(raw)) : 0;
	(void)close(fd);
	if (e != ERR_OK)
		return e;
	if (n < 0 || n > KEY_MAX)
		return refuse(why, why_n,
		    n < 0 ? "the key file %s cannot be read"
			  : "the key file %s is too long for a key",
		    path);
	s = (struct str){ raw, (size_t)n };
	/* An editor leaves one line end, on some systems of two bytes. */
	if (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n--;
	if (s.n > 0 && s.p[s.n - 1] == '\r')
		s.n--;
	e = s.n == 0 ? refuse(why, why_n, "the key file %s is empty", path)
		     : ERR_OK;
	for (size_t i = 0; i < s.n && e == ERR_OK; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '\n' || c == '\r')
			e = refuse(why, why_n,
			    "the key file %s has more than one line", path);
		else if (c <= 0x20 || c >= 0x7f)
			e = refuse(why, why_n,
			    "the key file %s holds a blank, "
			    "a control character or a "
			    "letter outside ASCII",
			    path);
	}
	if (e == ERR_OK) {
		log_secret(s);
		*key = pool_str(pool, s);
		e = pool_failed(pool) ? ERR_NOMEM : ERR_OK;
	}
	explicit_bzero(raw, sizeof(raw));
	return e;
}

static enum err
check_file(int fd, const char *path, char *why, size_t n)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return refuse(
		    why, n, "the key file %s is no regular file", path);
	/* systemd hands credentials over 0440 in a folder nobody else sees. */
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0 && !is_credential(path))
		return refuse(why, n,
		    "the key file %s can be read by others: "
		    "chmod 600 it",
		    path);
	return ERR_OK;
}

static bool
is_credential(const char *path)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	size_t n = folder == NULL ? 0 : strlen(folder);

	return n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/' &&
	       strstr(path + n, "..") == NULL;
}

static ssize_t
read_whole(int fd, char *out, size_t room)
{
	size_t n = 0;

	while (n < room) {
		ssize_t got = read(fd, out + n, room - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static enum err
refuse(char *why, size_t n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, n, fmt, ap);
	va_end(ap);
	return ERR_CONFIG;
}
