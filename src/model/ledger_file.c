/* This file knows how to write votes.log durably and to read it line by line.
 */
#include "config.h"

#include "model/ledger_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "model/store.h"

enum {
	SCAN_ROOM = 1 << 18,   /* bytes read at a time */
	PENDING_MAX = 64 << 20 /* lines of one batch, or while broken */
};

struct ledger {
	int fd;
	char *path;
	int64_t size;             /* of the file that is durable */
	struct ledger_tail tail;  /* with what is staged */
	int64_t durable;          /* n of the last line on the disk */
	struct buf pending;       /* staged, or committed and unwritten */
	enum err broken;          /* why the file cannot be written, or OK */
	bool astray;              /* because it no longer has its name */
	char prev[CRYPT_HEX + 1]; /* what the last stage's entry points at */
};

static bool is_in_place(const struct ledger *l);
static void say_broken(const struct ledger *l, enum err e);
static enum err write_all(struct ledger *l);
static enum err write_bytes(struct ledger *l, size_t n);
static enum err of_errno(int met);
static enum err vote_number(struct db *db, struct str match, int64_t *n);
static enum err fill(struct ledger_scan *s);

enum err
ledger_open(struct ledger **out, const char *path,
    const struct ledger_tail *tail, int64_t size)
{
	struct ledger *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return ERR_NOMEM;
	l->path = strdup(path);
	l->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (l->path == NULL || l->fd < 0) {
		enum err e = l->path == NULL ? ERR_NOMEM : of_errno(errno);

		log_error("ledger %s: cannot be opened for writing (%s)", path,
		    err_name(e));
		ledger_close(l);
		return e;
	}
	l->tail = *tail;
	l->durable = tail->n;
	l->size = size;
	buf_init(&l->pending, PENDING_MAX);
	*out = l;
	return ERR_OK;
}

void
ledger_close(struct ledger *l)
{
	if (l == NULL)
		return;
	buf_release(&l->pending);
	if (l->fd >= 0)
		(void)close(l->fd);
	free(l->path);
	free(l);
}

void
ledger_mark(const struct ledger *l, struct ledger_mark *out)
{
	out->tail = l->tail;
	out->pending = l->pending.n;
}

void
ledger_rewind(struct ledger *l, const struct ledger_mark *m)
{
	assert(m->pending <= l->pending.n);
	l->tail = m->tail;
	if (m->pending == 0) {
		buf_clear(&l->pending);
	} else {
		l->pending.n = m->pending;
		l->pending.failed = false;
	}
}

enum err
ledger_stage(struct store_tx *tx, struct ledger_entry *e)
{
	struct ledger *l = tx->ledger;
	char hash[CRYPT_HEX + 1];
	enum err err = l->broken;

	if (err != ERR_OK)
		return err;
	if (e->kind == LEDGER_EXCLUDE || e->kind == LEDGER_RESTORE) {
		err = vote_number(tx->db, e->match, &e->of);
		if (err != ERR_OK)
			return err;
	}
	e->n = l->tail.n + 1;
	memcpy(l->prev, l->tail.hash, sizeof(l->prev));
	e->prev = (struct str){ l->prev, CRYPT_HEX };
	err = ledger_seal(e, hash);
	if (err == ERR_OK)
		err = ledger_put(tx->db, e);
	if (err == ERR_OK)
		err = ledger_queue(l, e);
	if (err == ERR_OK)
		e->hash = (struct str){ l->tail.hash, CRYPT_HEX };
	return err;
}

enum err
ledger_queue(struct ledger *l, const struct ledger_entry *e)
{
	size_t before = l->pending.n;

	assert(e->n == l->tail.n + 1 && e->hash.n == CRYPT_HEX);
	ledger_format(&l->pending, e);
	if (l->pending.failed) {
		l->pending.n = before;
		l->pending.failed = false;
		return ERR_NOMEM;
	}
	l->tail.n = e->n;
	memcpy(l->tail.hash, e->hash.p, CRYPT_HEX);
	l->tail.hash[CRYPT_HEX] = '\0';
	return ERR_OK;
}

size_t
ledger_pending(const struct ledger *l)
{
	return l->pending.n;
}

enum err
ledger_append(struct ledger *l)
{
	enum err e = ERR_OK;

	if (l->pending.n == 0)
		return ERR_OK;
	l->astray = !is_in_place(l);
	if (l->astray)
		e = ERR_IO;
	/*
	 * After a failure nobody knows what is in the file, nor what the
	 * kernel still means to write: cut back to what was durable and give
	 * it all the bytes anew.
	 */
	if (e == ERR_OK && l->broken != ERR_OK &&
	    ftruncate(l->fd, l->size) != 0)
		e = of_errno(errno);
	if (e == ERR_OK)
		e = write_all(l);
	/* An answer is given for what has a name once it is written. */
	if (e == ERR_OK && !is_in_place(l)) {
		l->astray = true;
		e = ERR_IO;
	}
	if (e != ERR_OK) {
		if (l->broken == ERR_OK)
			say_broken(l, e);
		l->broken = e;
		return e;
	}
	if (l->broken != ERR_OK)
		log_notice("ledger %s: writable again, %lld lines appended",
		    l->path, (long long)(l->tail.n - l->durable));
	l->broken = ERR_OK;
	l->size += (int64_t)l->pending.n;
	l->durable = l->tail.n;
	buf_clear(&l->pending);
	return ERR_OK;
}

bool
ledger_is_broken(const struct ledger *l)
{
	return l->broken != ERR_OK;
}

int64_t
ledger_durable(const struct ledger *l)
{
	return l->durable;
}

/* Is the open file still the one of that name, and not moved or removed? */
static bool
is_in_place(const struct ledger *l)
{
	struct stat open_one, named;

	return fstat(l->fd, &open_one) == 0 && lstat(l->path, &named) == 0 &&
	       open_one.st_dev == named.st_dev &&
	       open_one.st_ino == named.st_ino;
}

static void
say_broken(const struct ledger *l, enum err e)
{
	if (l->astray)
		log_error("ledger %s: the file was moved, removed or "
			  "replaced while it was in use: votes are halted "
			  "until it is back in its place, or the service is "
			  "started anew (the database has every vote)",
		    l->path);
	else
		log_error("ledger %s: not writable (%s): votes are halted "
			  "until it is",
		    l->path, err_name(e));
}

static enum err
write_all(struct ledger *l)
{
	enum err e = failpoint("append");

	if (e != ERR_OK)
		return e;
	if (failpoint_is_armed("append_half")) {
		e = write_bytes(l, l->pending.n / 2);
		if (e == ERR_OK)
			e = failpoint("append_half");
		if (e != ERR_OK)
			return e;
	}
	e = write_bytes(l, l->pending.n);
	if (e == ERR_OK)
		e = failpoint("sync");
	if (e == ERR_OK && fdatasync(l->fd) != 0)
		e = of_errno(errno);
	return e;
}

static enum err
write_bytes(struct ledger *l, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t w = pwrite(l->fd, l->pending.p + done, n - done,
		    (off_t)(l->size + (int64_t)done));

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return w == 0 ? ERR_IO : of_errno(errno);
		done += (size_t)w;
	}
	return ERR_OK;
}

static enum err
of_errno(int met)
{
	return met == ENOSPC || met == EDQUOT || met == EFBIG ? ERR_FULL
							      : ERR_IO;
}

static enum err
vote_number(struct db *db, struct str match, int64_t *n)
{
	struct db_stmt *st = db_stmt(db, "SELECT n FROM ledger"
					 " WHERE m = ?1 AND k <> 'open'"
					 " AND k = 'vote'");

	db_bind_str(st, 1, match);
	return db_scalar(st, n);
}

/* ------------------------------------------------------------ reading */

/* A pipe must not make the program wait, nor a link lead it elsewhere. */
static enum err
open_regular(const char *path, int *fd)
{
	const char *why = NULL;
	struct stat st;
	int f = open(
	    path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (f < 0 && errno == ENOENT)
		return ERR_NOTFOUND;
	if (f < 0 && errno == ELOOP)
		why = "a symbolic link; put the file itself in its place";
	else if (f < 0 && errno == EACCES)
		why = "may not be read by this user; look at its owner and "
		      "permissions";
	else if (f < 0 || fstat(f, &st) != 0)
		why = log_errno();
	else if (!S_ISREG(st.st_mode))
		why = "not a regular file; put the ledger back in its place";
	if (why == NULL) {
		*fd = f;
		return ERR_OK;
	}
	log_error("ledger %s: %s; nothing was touched", path, why);
	if (f >= 0)
		(void)close(f);
	return ERR_IO;
}

enum err
ledger_scan_open(struct ledger_scan *s, const char *path, int64_t from)
{
	struct str part;
	int64_t at;
	enum err e;

	*s = (struct ledger_scan){ .fd = -1 };
	e = open_regular(path, &s->fd);
	if (e != ERR_OK)
		return e;
	/* One byte before: it tells whether a line begins right here. */
	s->offset = from > 0 ? from - 1 : 0;
	if (lseek(s->fd, (off_t)s->offset, SEEK_SET) < 0) {
		log_error("ledger %s: cannot be read (%s)", path, log_errno());
		ledger_scan_close(s);
		return ERR_IO;
	}
	s->room = malloc(SCAN_ROOM);
	if (s->room == NULL) {
		ledger_scan_close(s);
		return ERR_NOMEM;
	}
	if (from <= 0)
		return ERR_OK;
	e = ledger_scan_next(s, &part, &at);
	if (e == ERR_OK || e == ERR_NOTFOUND)
		return ERR_OK;
	ledger_scan_close(s);
	return e == ERR_CLOSED || e == ERR_TOOBIG ? ERR_CORRUPT : e;
}

void
ledger_scan_close(struct ledger_scan *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	free(s->room);
	*s = (struct ledger_scan){ .fd = -1 };
}

enum err
ledger_scan_next(struct ledger_scan *s, struct str *line, int64_t *offset)
{
	for (;;) {
		char *begin = s->room + s->from;
		size_t n = s->to - s->from;
		char *nl = n == 0 ? NULL : memchr(begin, '\n', n);
		enum err e;

		if (nl != NULL) {
			*line = (struct str){ begin, (size_t)(nl - begin) };
			*offset = s->offset;
			s->from += line->n + 1;
			s->offset += (int64_t)line->n + 1;
			return line->n > LEDGER_LINE_MAX ? ERR_TOOBIG : ERR_OK;
		}
		if (n > LEDGER_LINE_MAX)
			return ERR_TOOBIG;
		if (s->end) {
			*line = (struct str){ begin, n };
			*offset = s->offset;
			return n == 0 ? ERR_NOTFOUND : ERR_CLOSED;
		}
		e = fill(s);
		if (e != ERR_OK)
			return e;
	}
}

static enum err
fill(struct ledger_scan *s)
{
	ssize_t got;

	memmove(s->room, s->room + s->from, s->to - s->from);
	s->to -= s->from;
	s->from = 0;
	do {
		got = read(s->fd, s->room + s->to, SCAN_ROOM - s->to);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		log_error("ledger: reading failed (%s)", log_errno());
		return ERR_IO;
	}
	s->end = got == 0;
	s->to += (size_t)got;
	return ERR_OK;
}

enum err
ledger_link_of(struct str line, struct ledger_link *out)
{
	static const char begin[] = "{\"n\":";
	static const char p[] = ",\"prev\":\"", h[] = "\",\"h\":\"",
			  end[] = "\"}";
	const size_t begin_n = sizeof(begin) - 1, p_n = sizeof(p) - 1;
	const size_t h_n = sizeof(h) - 1, end_n = sizeof(end) - 1;
	const size_t tail = p_n + CRYPT_HEX + h_n + CRYPT_HEX + end_n;
	char hex[CRYPT_HEX + 1];
	struct str digits;
	const char *at;
	int64_t n;

	if (line.n < begin_n + tail || memcmp(line.p, begin, begin_n) != 0)
		return ERR_SYNTAX;
	digits = (struct str){ line.p + begin_n, line.n - begin_n };
	digits = str_cut(&digits, ',');
	at = line.p + line.n - tail;
	if (str_int(digits, 1, INT64_MAX, &n) != ERR_OK ||
	    memcmp(at, p, p_n) != 0 ||
	    memcmp(at + p_n + CRYPT_HEX, h, h_n) != 0 ||
	    memcmp(line.p + line.n - end_n, end, end_n) != 0)
		return ERR_SYNTAX;
	out->n = n;
	out->prev = (struct str){ at + p_n, CRYPT_HEX };
	out->hash =
	    (struct str){ line.p + line.n - end_n - CRYPT_HEX, CRYPT_HEX };
	/* h digests up to the quote that closes prev. */
	crypt_sha256_hex(
	    (struct str){ line.p, (size_t)(at + p_n + CRYPT_HEX + 1 - line.p) },
	    hex);
	return str_is(out->hash, hex) ? ERR_OK : ERR_CORRUPT;
}

bool
ledger_is_torn(struct str piece, int64_t n)
{
	struct buf b;
	size_t nul = 0;
	bool same;

	while (nul < piece.n && piece.p[nul] == '\0')
		nul++;
	if (nul == piece.n)
		return true;
	buf_init(&b, 64);
	buf_z(&b, "{\"n\":");
	buf_int(&b, n);
	buf_c(&b, ',');
	same = !b.failed &&
	       memcmp(b.p, piece.p, piece.n < b.n ? piece.n : b.n) == 0;
	buf_release(&b);
	return same;
}
