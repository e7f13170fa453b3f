/*
 * This file knows how to read a text that stands in a file of its own, and
 * how to tell its author what is wrong with it and where.
 */
#include "config.h"

#include "model/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static enum err open_checked(
    const struct textfile *t, struct problems *ps, int *fd, size_t *size);
static enum err refuse(
    const struct textfile *t, struct problems *ps, int number);
static struct str with_lf(struct pool *pool, struct str bytes);
static bool check_lines(
    const struct textfile *t, struct str s, struct problems *ps);

enum err
textfile_load(struct pool *pool, const struct textfile *t, struct problems *ps,
    struct text *out)
{
	size_t size = 0, n = 0;
	ssize_t got = 1;
	char *p;
	int fd = -1;
	enum err e;

	e = open_checked(t, ps, &fd, &size);
	if (e != ERR_OK)
		return e;
	p = pool_alloc(pool, size + 1);
	if (p == NULL) {
		e = ERR_NOMEM;
		goto out;
	}
	while (n < size && got != 0) {
		got = read(fd, p + n, size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			e = refuse(t, ps, errno);
			goto out;
		}
		n += (size_t)got;
	}
	e = textfile_parse(pool, t, (struct str){ p, n }, ps, out);
out:
	(void)close(fd);
	return e;
}

enum err
textfile_parse(struct pool *pool, const struct textfile *t, struct str bytes,
    struct problems *ps, struct text *out)
{
	struct str s = bytes;

	if (s.n >= 2 && (memcmp(s.p, "\xff\xfe", 2) == 0 ||
			    memcmp(s.p, "\xfe\xff", 2) == 0)) {
		problems_add(ps, t->path, 1,
		    "the file is written in UTF-16; save it as UTF-8");
		return ERR_CONFIG;
	}
	if (s.n >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0) {
		s.p += 3;
		s.n -= 3;
	}
	s = with_lf(pool, s);
	if (pool_failed(pool))
		return ERR_NOMEM;
	if (!check_lines(t, s, ps))
		return ERR_CONFIG;
	while (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n--;
	*out = pool_text(pool, (struct text){ s.p, s.n });
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
textfile_exists(const struct textfile *t, bool folder, struct problems *ps)
{
	struct stat st;

	if (stat(t->path, &st) != 0)
		return refuse(t, ps, errno);
	if (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode))
		return ERR_OK;
	problems_add(ps, t->named_in, t->line,
	    "%s names \"%s\", which is not a %s", t->named_by, t->path,
	    folder ? "folder" : "file");
	return ERR_CONFIG;
}

static enum err
open_checked(
    const struct textfile *t, struct problems *ps, int *fd, size_t *size)
{
	struct stat st;
	/* A pipe must not make the program wait. */
	int f = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (f < 0)
		return refuse(t, ps, errno);
	if (fstat(f, &st) != 0) {
		(void)refuse(t, ps, errno);
	} else if (!S_ISREG(st.st_mode)) {
		problems_add(ps, t->named_in, t->line,
		    "%s names \"%s\", which is not a file", t->named_by,
		    t->path);
	} else if (t->secret && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
		problems_add(ps, t->path, 0,
		    "this secret may be read or changed by others (mode "
		    "%04o); run: chmod 600 %s",
		    (unsigned)(st.st_mode & 07777), t->path);
	} else if ((uintmax_t)st.st_size > t->max) {
		problems_add(ps, t->path, 0,
		    "the file has %lld bytes; at most %zu are read",
		    (long long)st.st_size, t->max);
	} else {
		*fd = f;
		*size = (size_t)st.st_size;
		return ERR_OK;
	}
	(void)close(f);
	return ERR_CONFIG;
}

/* Say that t cannot be had, in the place that names it. */
static enum err
refuse(const struct textfile *t, struct problems *ps, int number)
{
	const char *why = "cannot be read", *hint = NULL;

	switch (number) {
	case ENOENT:
	case ENOTDIR:
		why = "does not exist";
		hint = t->missing;
		break;
	case EACCES:
	case EPERM:
		why = "may not be read by this user; look at its owner and "
		      "permissions";
		break;
	case ENAMETOOLONG:
		why = "has too long a name";
		break;
	case ELOOP:
		why = "is a symbolic link that leads to itself";
		break;
	default:
		break;
	}
	problems_add(ps, t->named_in, t->line, "%s names \"%s\", which %s%s%s",
	    t->named_by, t->path, why, hint == NULL ? "" : "; ",
	    hint == NULL ? "" : hint);
	return ERR_CONFIG;
}

/* CR LF and CR become LF; borrows when there is none. */
static struct str
with_lf(struct pool *pool, struct str bytes)
{
	char *p;
	size_t n = 0;

	if (bytes.n == 0 || memchr(bytes.p, '\r', bytes.n) == NULL)
		return bytes;
	p = pool_alloc(pool, bytes.n);
	if (p == NULL)
		return (struct str){ "", 0 };
	for (size_t i = 0; i < bytes.n; i++) {
		if (bytes.p[i] != '\r')
			p[n++] = bytes.p[i];
		else if (i + 1 == bytes.n || bytes.p[i + 1] != '\n')
			p[n++] = '\n';
	}
	return (struct str){ p, n };
}

/* What makes this line unclean: the first such character. */
static void
say_character(
    const struct textfile *t, int line, struct str s, struct problems *ps)
{
	size_t at = 0;

	while (at < s.n) {
		size_t from = at;
		uint32_t c = text_next(s, &at);
		struct str one = { s.p + from, at - from };

		if (text_is_clean(one))
			continue;
		if (c == 0xfffd)
			problems_add(ps, t->path, line,
			    "this line holds a byte (0x%02X) that is not "
			    "UTF-8; save the file as UTF-8",
			    (unsigned char)*one.p);
		else
			problems_add(ps, t->path, line,
			    "this line holds the invisible character U+%04X; "
			    "remove it",
			    (unsigned)c);
		return;
	}
	problems_add(ps, t->path, line,
	    "this line piles more than eight combining marks on one letter; "
	    "remove the rest");
}

static bool
check_lines(const struct textfile *t, struct str s, struct problems *ps)
{
	struct str line;
	bool good = true;

	for (int n = 1; s.p != NULL; n++) {
		line = str_cut(&s, '\n');
		if (text_is_clean(line))
			continue;
		say_character(t, n, line, ps);
		good = false;
	}
	return good;
}
