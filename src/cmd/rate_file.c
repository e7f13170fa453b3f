/* This file knows how to read CSV and JSON Lines, fast. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/rate_data.h"
#include "cmd/rate_json.h"

enum {
	BUFFER = 1 << 20, /* also the longest line */
	CHUNK = 1 << 16,  /* read at once: leaves the cache to the counts */
	SLACK = 16,       /* see RATE_NAMES_SLACK */
	MOST_COLUMNS = 256
};

struct source {
	int fd;
	char *buf;
	char *at, *end; /* unread bytes */
	bool eof;
	bool json;   /* a line end always ends the record */
	bool quotes; /* the unread bytes hold a double quote */
	uint64_t line;
	off_t start; /* where reading began; -1: cannot be read again */
	char comma;  /* what separates fields; 0 before the header */
	int role[MOST_COLUMNS]; /* RATE__MAX: not used */
	int ncolumns;           /* up to the last one used */
	int group;              /* the column to group by, or -1 */
	uint64_t *out;          /* a ledger's excluded votes, ascending */
	size_t nout;
};

static enum err open_source(
    struct source *, struct rate_data *, const char *path);
static enum err refill(struct source *, struct rate_data *);
static enum err next_line(
    struct source *, struct rate_data *, char **p, size_t *n);
static enum err read_header(
    struct source *, struct rate_data *, const struct rate_want *);
static enum err read_csv(
    struct source *, struct rate_data *, const struct rate_want *);
static enum err read_json(
    struct source *, struct rate_data *, const struct rate_want *);
static const char *refusal(const struct source *);
static enum err read_exclusions(
    struct source *, struct rate_data *, const struct rate_want *);

/* Marks of byte order, blank lines and spaces before the first record. */
static void
skip_bom(struct source *s)
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

/*
 * A ledger's lines are numbered and of a kind, from the first on.  Elsewhere
 * columns called k, c or n are somebody's own.
 */
static bool
is_ledger(const struct source *s, const struct rate_want *want)
{
	struct rate_want w = *want;
	struct rate_field field[RATE__MAX];
	char *nl = memchr(s->at, '\n', (size_t)(s->end - s->at)), *copy;
	size_t n = (size_t)((nl != NULL ? nl : s->end) - s->at);
	bool is;

	w.ledger = true;
	copy = malloc(n + SLACK);
	if (copy == NULL)
		return false;
	memcpy(copy, s->at, n);
	is = rate_json_object(copy, n, &w, field) == NULL &&
	     field[RATE_KIND].p != NULL && field[RATE_NUMBER].p != NULL;
	free(copy);
	return is;
}

/* There is no grouping by want->by; these columns would do. */
static enum err
no_group(struct rate_data *data, uint64_t line, const struct rate_want *want,
    const char *others)
{
	if (rate_is_vote(rate_role_of(want, want->by, strlen(want->by))))
		return rate_data_fail(data, line, ERR_INVALID,
		    "\"%.60s\" is part of the vote itself and cannot group "
		    "votes (others can: %s)",
		    want->by, others);
	return rate_data_fail(data, line, ERR_INVALID,
	    "no column \"%.60s\" to group by (there are: %s)", want->by,
	    others);
}

enum err
rate_read(
    const char *path, const struct rate_want *want, struct rate_data *data)
{
	struct source s = { .fd = -1, .group = -1 };
	struct rate_want own = *want;
	enum err e;

	memset(data, 0, sizeof(*data));
	data->path = strcmp(path, "-") == 0 ? "standard input" : path;
	tally_init(&data->tally, want->voters);
	if ((e = open_source(&s, data, path)) != ERR_OK)
		goto out;
	if ((e = refill(&s, data)) != ERR_OK)
		goto out;
	skip_bom(&s);
	if (s.at == s.end) {
		e = rate_data_fail(data, 0, ERR_INVALID, "empty file");
		goto out;
	}
	if (refusal(&s) != NULL) {
		e = rate_data_fail(data, 1, ERR_INVALID, "%s", refusal(&s));
		goto out;
	}
	s.json = *s.at == '{';
	s.quotes = s.quotes && !s.json;
	own.ledger = s.json && is_ledger(&s, want);
	if (s.json && want->by != NULL &&
	    rate_is_vote(rate_role_of(&own, want->by, strlen(want->by))))
		e = no_group(data, 1, &own, "type, language, judge");
	if (e == ERR_OK && own.ledger)
		e = read_exclusions(&s, data, &own);
	if (e == ERR_OK)
		e = s.json ? read_json(&s, data, &own)
			   : read_csv(&s, data, &own);
	if (e == ERR_OK && rate_data_settle(data) != ERR_OK)
		e = rate_data_fail(data, 0, ERR_NOMEM, "out of memory");
	if (e == ERR_OK && data->tally.votes == 0)
		e = rate_data_fail(data, 0, ERR_INVALID, "no votes in it");
out:
	if (s.fd > 0)
		(void)close(s.fd);
	free(s.buf);
	free(s.out);
	return e;
}

static enum err
open_source(struct source *s, struct rate_data *data, const char *path)
{
	s->buf = malloc(BUFFER + SLACK);
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
	return ERR_OK;
}

/* Why the first bytes cannot be those of a vote file, or NULL. */
static const char *
refusal(const struct source *s)
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

/* Keep the unread bytes and add as many as fit. */
static enum err
refill(struct source *s, struct rate_data *data)
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
	memset(s->end, 0, SLACK);
	s->quotes =
	    !s->json && memchr(s->at, '"', (size_t)(s->end - s->at)) != NULL;
	return ERR_OK;
}

/*
 * End of the record at s->at when a quoted field may hold line ends.  Quotes
 * are such at the start of a field alone, as for cut_field: a 5" within one
 * must not swallow the lines up to the next.  *open: the file's end cut a
 * quoted field off.
 */
static char *
record_end(const struct source *s, uint64_t *lines, bool *open)
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

/*
 * The next record without its line end, *p = NULL at the end of the file.
 * s->line is the number of its first line.
 */
static enum err
next_line(struct source *s, struct rate_data *data, char **p, size_t *n)
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

/* Line where the record just read began, given how many it spans. */
static uint64_t
first_line(const struct source *s, const char *p, size_t n)
{
	uint64_t line = s->line;

	for (size_t k = 0; s->quotes && k < n; k++)
		line -= p[k] == '\n';
	return line;
}

/*
 * The first comma in p[0..end), or end.  Eight bytes at a time: fields are
 * too short for memchr to pay.  Reads up to seven bytes behind end.
 */
static char *
find_comma(char *p, char *end, char comma)
{
	uint64_t all = 0x0101010101010101u * (unsigned char)comma;

	for (; p < end; p += 8) {
		uint64_t x = rate_name_load(p) ^ all;

		/* the high bit of each byte that was one */
		x = (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
		if (x != 0) {
			p += __builtin_ctzll(x) / 8;
			break;
		}
	}
	return p < end ? p : end;
}

/*
 * Cut the next field off *p; quoted ones lose their quotes in place.  *p is
 * NULL after the last.  False if quotes stand where they cannot.
 */
static bool
cut_field(char **p, char *end, char comma, struct rate_field *f)
{
	char *from = *p, *to = from, *c;

	if (from == end || *from != '"') {
		c = find_comma(from, end, comma);
		f->p = from;
		f->n = (size_t)(c - from);
		*p = c < end ? c + 1 : NULL;
		return true;
	}
	f->p = from;
	for (c = from + 1; c < end; c++) {
		if (*c == '"') {
			if (c + 1 == end || c[1] != '"')
				break;
			c++;
		}
		*to++ = *c;
	}
	if (c >= end)
		return false;
	f->n = (size_t)(to - from);
	c++;
	if (c < end && *c != comma)
		return false;
	*p = c < end ? c + 1 : NULL;
	return true;
}

/* Which of the forms a header has, or a message. */
static enum err
check_columns(struct rate_data *data, uint64_t line, const bool *has)
{
	const char *missing = NULL;

	if (!has[RATE_A])
		missing = "model_a, left or a";
	else if (!has[RATE_B])
		missing = "model_b, right or b";
	else if (!has[RATE_WINNER] &&
		 !(has[RATE_WIN] && has[RATE_LOSS] && has[RATE_TIE]))
		missing = "winner (or win, loss and tie)";
	if (missing != NULL)
		return rate_data_fail(data, line, ERR_INVALID,
		    "no column %s: not a vote file (see --help)", missing);
	return ERR_OK;
}

/* A header without a comma is written with semicolons or tabs, as spreadsheets
 * of half of Europe do. */
static char
separator(const char *p, size_t n)
{
	if (memchr(p, ',', n) == NULL) {
		if (memchr(p, ';', n) != NULL)
			return ';';
		if (memchr(p, '\t', n) != NULL)
			return '\t';
	}
	return ',';
}

/* list <- "list, name", as long as there is room. */
static void
add_name(char *list, size_t size, const struct rate_field *f)
{
	size_t used = strlen(list);

	if (f->n == 0 || used + f->n + 3 > size)
		return;
	(void)snprintf(list + used, size - used, "%s%.*s", used > 0 ? ", " : "",
	    (int)f->n, f->p);
}

static enum err
read_header(
    struct source *s, struct rate_data *data, const struct rate_want *want)
{
	char *p, *end, others[200] = "";
	size_t n;
	enum err e = next_line(s, data, &p, &n);

	if (e != ERR_OK)
		return e;
	end = p + n;
	s->comma = separator(p, n);
	for (int c = 0; p != NULL; c++) {
		struct rate_field f;
		bool twice = false;

		if (c == MOST_COLUMNS)
			return rate_data_fail(data, s->line, ERR_INVALID,
			    "more than %d columns", MOST_COLUMNS);
		if (!cut_field(&p, end, s->comma, &f))
			return rate_data_fail(data, s->line, ERR_INVALID,
			    "misplaced quotation mark");
		s->role[c] = rate_role_of(want, f.p, f.n);
		if (!rate_is_vote((enum rate_role)s->role[c]))
			add_name(others, sizeof(others), &f);
		if (rate_is_group(want, f.p, f.n) &&
		    !rate_is_vote((enum rate_role)s->role[c])) {
			twice = s->group >= 0;
			data->has[RATE_GROUP] = true;
			s->group = c;
			s->ncolumns = c + 1;
		}
		twice |= s->role[c] != RATE__MAX && data->has[s->role[c]];
		if (twice)
			return rate_data_fail(data, s->line, ERR_INVALID,
			    "two columns mean the same: \"%.*s\"",
			    (int)(f.n < 60 ? f.n : 60), f.p);
		if (s->role[c] == RATE__MAX)
			continue;
		data->has[s->role[c]] = true;
		s->ncolumns = c + 1;
	}
	/* Counts beside a winner, or a header that only looks like one. */
	if ((e = check_columns(data, s->line, data->has)) != ERR_OK)
		return e;
	if (want->by != NULL && !data->has[RATE_GROUP])
		return no_group(data, s->line, want,
		    others[0] != '\0' ? others : "none in this file");
	return ERR_OK;
}

static enum err
read_csv(struct source *s, struct rate_data *data, const struct rate_want *want)
{
	struct rate_field field[RATE__MAX + 1];
	char *p, *end;
	size_t n;
	enum err e = read_header(s, data, want);

	memset(field, 0, sizeof(field));
	rate_data_plan(data, want);
	while (e == ERR_OK) {
		uint64_t line;
		int c;

		if ((e = next_line(s, data, &p, &n)) != ERR_OK || p == NULL)
			break;
		if (n == 0)
			continue;
		line = first_line(s, p, n);
		end = p + n;
		for (c = 0; c < s->ncolumns && p != NULL; c++) {
			if (!cut_field(&p, end, s->comma, &field[s->role[c]]))
				return rate_data_fail(data, line, ERR_INVALID,
				    "misplaced quotation mark");
			if (c == s->group)
				field[RATE_GROUP] = field[s->role[c]];
		}
		if (c < s->ncolumns)
			return rate_data_fail(data, line, ERR_INVALID,
			    "%d fields, the header promises at least %d", c,
			    s->ncolumns);
		e = rate_data_take(data, want, line, field);
	}
	return e;
}

/* What a ledger's line does to a vote. */
struct mark {
	uint64_t of;
	size_t at; /* the last word counts */
	bool out;
};

static int
by_vote(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static bool
whole_number(const struct rate_field *f, uint64_t *out)
{
	*out = 0;
	if (f->p == NULL || f->n == 0 || f->n > 18)
		return false;
	for (size_t k = 0; k < f->n; k++) {
		if (f->p[k] < '0' || f->p[k] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(f->p[k] - '0');
	}
	return true;
}

/* Is the ledger's vote of that number excluded? */
static bool
is_out(const struct source *s, const struct rate_field *number)
{
	size_t low = 0, high = s->nout;
	uint64_t n;

	if (s->nout == 0 || !whole_number(number, &n))
		return false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->out[mid] < n)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->nout && s->out[low] == n;
}

/* A pipe is copied into a nameless file, which can be read twice. */
static enum err
spool(struct source *s, struct rate_data *data)
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

static enum err
rewind_source(struct source *s, struct rate_data *data)
{
	enum err e;

	if (lseek(s->fd, s->start, SEEK_SET) < 0)
		return rate_data_fail(
		    data, 0, ERR_IO, "cannot be read a second time");
	s->at = s->end = s->buf;
	s->eof = false;
	s->line = 0;
	e = refill(s, data);
	skip_bom(s);
	return e;
}

/* One exclude or restore line, if it is one. */
static enum err
note_mark(char *p, size_t n, const struct rate_want *want, struct mark **list,
    size_t *used, size_t *room)
{
	struct rate_field field[RATE__MAX];
	const struct rate_field *k = &field[RATE_KIND];
	uint64_t of;
	bool out;

	if ((memmem(p, n, "exclude", 7) == NULL &&
		memmem(p, n, "restore", 7) == NULL) ||
	    rate_json_object(p, n, want, field) != NULL || k->n != 7)
		return ERR_OK; /* what is no JSON is told in the second pass */
	out = memcmp(k->p, "exclude", 7) == 0;
	if ((!out && memcmp(k->p, "restore", 7) != 0) ||
	    !whole_number(&field[RATE_OF], &of))
		return ERR_OK;
	if (*used == *room) {
		struct mark *more;

		*room = 2 * *room + 64;
		more = realloc(*list, *room * sizeof(*more));
		if (more == NULL)
			return ERR_NOMEM;
		*list = more;
	}
	(*list)[*used] = (struct mark){ of, *used, out };
	++*used;
	return ERR_OK;
}

/*
 * A ledger says after a vote whether it was taken out: s->out <- those that
 * are.  Files of other kinds are not read twice.
 */
static enum err
read_exclusions(
    struct source *s, struct rate_data *data, const struct rate_want *want)
{
	struct mark *list = NULL;
	size_t n, used = 0, room = 0;
	char *p;
	enum err e;

	if ((e = spool(s, data)) != ERR_OK ||
	    (e = rewind_source(s, data)) != ERR_OK)
		return e;
	for (;;) {
		if ((e = next_line(s, data, &p, &n)) != ERR_OK || p == NULL)
			break;
		e = note_mark(p, n, want, &list, &used, &room);
		if (e != ERR_OK) {
			e = rate_data_fail(data, s->line, e, "out of memory");
			break;
		}
	}
	if (used > 1)
		qsort(list, used, sizeof(*list), by_vote);
	s->out = calloc(used + 1, sizeof(*s->out));
	if (e == ERR_OK && s->out == NULL)
		e = rate_data_fail(data, 0, ERR_NOMEM, "out of memory");
	for (size_t k = 0; e == ERR_OK && k < used; k++) {
		if (list[k].out &&
		    (k + 1 == used || list[k + 1].of != list[k].of))
			s->out[s->nout++] = list[k].of;
	}
	free(list);
	return e == ERR_OK ? rewind_source(s, data) : e;
}

static enum err
read_json(
    struct source *s, struct rate_data *data, const struct rate_want *want)
{
	struct rate_field field[RATE__MAX];
	const char *why;
	char *p;
	size_t n;
	enum err e = ERR_OK;

	while (e == ERR_OK) {
		bool has[RATE__MAX];

		if ((e = next_line(s, data, &p, &n)) != ERR_OK || p == NULL)
			break;
		if (n == 0)
			continue;
		if ((why = rate_json_object(p, n, want, field)) != NULL)
			return rate_data_fail(
			    data, s->line, ERR_INVALID, "%s", why);
		for (int k = 0; k < RATE__MAX; k++) {
			has[k] = field[k].p != NULL;
			data->has[k] |= has[k];
		}
		if (field[RATE_KIND].p == NULL ||
		    (field[RATE_KIND].n == 4 &&
			memcmp(field[RATE_KIND].p, "vote", 4) == 0)) {
			if ((e = check_columns(data, s->line, has)) != ERR_OK)
				return e;
			if (want->by != NULL && !has[RATE_GROUP])
				return rate_data_fail(data, s->line,
				    ERR_INVALID,
				    "no member \"%.60s\" to group by",
				    want->by);
		}
		if (!is_out(s, &field[RATE_NUMBER]))
			e = rate_data_take(data, want, s->line, field);
	}
	return e;
}
