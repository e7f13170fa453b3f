/* This file knows how to cut the bytes of a file into records. */
#include "config.h"

#include "cmd/rate_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER = 1 << 20, /* also the longest line */
	CHUNK = 1 << 16   /* read at once: leaves the cache to the counts */
};

/* Marks of byte order, blank lines and spaces before the first record. */
static void
skip_marks(struct rate_source *s)
{
	if (s->end - s->at >= 3 && memcmp(s->at, "\xef\xbb\xbf", 3) == 0)
		s->at += 3;
	for (char *p = s->at; p < s->end; p++) {
		if (*p == '{') {
			for (; s->at < p; s->at++)
				s->line += *s->at == '\n';
			break;
		}
		if (strchr(" \t\r\n", *p) == NULL)
			break;
	}
}

/* Keep the unread bytes and add as many as fit. */
static enum err
refill(struct rate_source *s, struct rate_data *data)
{
	size_t kept = (size_t)(s->end - s->at), most = kept + CHUNK;

	memmove(s->buf, s->at, kept);
	s->at = s->buf;
	s->end = s->buf + kept;
	most = most < BUFFER ? most : BUFFER;
	while (!s->eof && s->end < s->buf + most) {
		ssize_t n =
		    read(s->fd, s->end, (size_t)(s->buf + most - s->end));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rate_data_fail(data, 0, ERR_IO,
			    "cannot be read: %s", strerrordesc_np(errno));
		s->eof = n == 0;
		s->end += n;
	}
	memset(s->end, 0, RATE_NAMES_SLACK);
	s->quotes =
	    !s->json && memchr(s->at, '"', (size_t)(s->end - s->at)) != NULL;
	return ERR_OK;
}

enum err
rate_source_open(
    struct rate_source *s, struct rate_data *data, const char *path)
{
	enum err e;

	*s = (struct rate_source){ .fd = -1 };
	s->buf = malloc(BUFFER + RATE_NAMES_SLACK);
	if (s->buf == NULL)
		return rate_data_fail(data, 0, ERR_NOMEM, "out of memory");
	s->at = s->end = s->buf;
	s->fd = strcmp(path, "-") == 0 ? STDIN_FILENO
				       : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return rate_data_fail(data, 0,
		    errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
		    "cannot be opened: %s", strerrordesc_np(errno));
	s->start = lseek(s->fd, 0, SEEK_CUR);
	e = refill(s, data);
	skip_marks(s);
	s->json = s->at < s->end && *s->at == '{';
	s->quotes = s->quotes && !s->json;
	return e;
}

void
rate_source_close(struct rate_source *s)
{
	if (s->fd > 0)
		(void)close(s->fd);
	free(s->buf);
}

const char *
rate_source_refusal(const struct rate_source *s)
{
	const char *p = s->at, *nl;
	size_t n = (size_t)(s->end - p);

	if (n >= 2 &&
	    (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0 ||
		p[0] == '\0' || p[1] == '\0'))
		return "UTF-16 text: save it as UTF-8";
	if (n >= 2 && memcmp(p, "\x1f\x8b", 2) == 0)
		return "packed by gzip: unpack it first (zcat FILE | "
		       "prompt-arena rate -)";
	if (n >= 4 && memcmp(p, "PK\x03\x04", 4) == 0)
		return "a spreadsheet or zip archive: save it as CSV";
	if (*p == '[')
		return "a JSON array: write one object a line (JSON Lines)";
	nl = memchr(p, '\n', n);
	if (nl == NULL && memchr(p, '\r', n) != NULL &&
	    memchr(p, '\r', n) != s->end - 1)
		return "lines end with carriage returns alone: save it with "
		       "ordinary line ends";
	return NULL;
}

/*
 * End of the record at s->at when a quoted field may hold line ends.  Quotes
 * are such at the start of a field alone, as for rate_csv_read: a 5" within one
 * must not swallow the lines up to the next.  *open: the file's end cut a
 * quoted field off.
 */
static char *
record_end(const struct rate_source *s, uint64_t *lines, bool *open)
{
	bool quoted = false, starts = true;

	*lines = 1;
	for (char *p = s->at; p < s->end; p++) {
		if (*p == '\n' && !quoted)
			return p;
		*lines += *p == '\n';
		if (*p == '"' && quoted && p[1] == '"' && p + 1 < s->end)
			p++;
		else if (*p == '"' && (quoted || starts))
			quoted = !quoted;
		starts = *p == s->comma ||
			 (s->comma == '\0' && strchr(",;\t", *p) != NULL);
	}
	*open = quoted && s->eof;
	return NULL;
}

enum err
rate_source_next(
    struct rate_source *s, struct rate_data *data, char **p, size_t *n)
{
	uint64_t lines = 1;
	bool open = false;
	char *nl;
	enum err e;

	for (;;) {
		size_t have = (size_t)(s->end - s->at);

		nl = s->quotes ? record_end(s, &lines, &open)
			       : memchr(s->at, '\n', have);
		if (nl != NULL || s->eof)
			break;
		if (s->at == s->buf && have == BUFFER)
			return rate_data_fail(data, s->line + 1, ERR_TOOBIG,
			    "a line longer than %d bytes, or a quotation "
			    "mark without its partner",
			    BUFFER);
		if ((e = refill(s, data)) != ERR_OK)
			return e;
	}
	if (open)
		return rate_data_fail(data, s->line + 1, ERR_INVALID,
		    "a quotation mark without its partner");
	if (nl == NULL && s->at == s->end) {
		*p = NULL;
		return ERR_OK;
	}
	*p = s->at;
	*n = (size_t)((nl != NULL ? nl : s->end) - s->at);
	s->at = nl != NULL ? nl + 1 : s->end;
	s->line += lines;
	if (*n > 0 && (*p)[*n - 1] == '\r')
		--*n;
	return ERR_OK;
}

/* A pipe is copied into a nameless file, which can be read twice. */
enum err
rate_source_keep(struct rate_source *s, struct rate_data *data)
{
	FILE *copy = s->start >= 0 ? NULL : tmpfile();
	bool good = copy != NULL;
	enum err e = ERR_OK;
	int fd;

	if (s->start >= 0)
		return ERR_OK;
	while (good && e == ERR_OK && s->at < s->end) {
		size_t n = (size_t)(s->end - s->at);

		good = fwrite(s->at, 1, n, copy) == n;
		s->at = s->end;
		e = refill(s, data);
	}
	good = good && fflush(copy) == 0;
	fd = good ? dup(fileno(copy)) : -1;
	if (copy != NULL)
		(void)fclose(copy);
	if (e != ERR_OK)
		return e;
	if (fd < 0)
		return rate_data_fail(
		    data, 0, ERR_IO, "no room for a copy of the ledger");
	if (s->fd > 0)
		(void)close(s->fd);
	s->fd = fd;
	s->start = 0;
	return ERR_OK;
}

enum err
rate_source_rewind(struct rate_source *s, struct rate_data *data)
{
	enum err e;

	if (lseek(s->fd, s->start, SEEK_SET) < 0)
		return rate_data_fail(
		    data, 0, ERR_IO, "cannot be read a second time");
	s->at = s->end = s->buf;
	s->eof = false;
	s->line = 0;
	e = refill(s, data);
	skip_marks(s);
	return e;
}
