/* This file knows how to read CSV, fast. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cmd/rate_file.h"

enum {
	MOST_COLUMNS = 256
};

#define EACH_BYTE 0x0101010101010101u

/* Which column is what. */
struct csv {
	struct rate_source *s;
	int role[MOST_COLUMNS]; /* RATE__MAX: not used */
	int ncolumns;           /* up to the last one used */
	int group;              /* the column to group by, or -1 */
};

/* Line where the record just read began, given how many it spans. */
static uint64_t
first_line(const struct rate_source *s, const char *p, size_t n)
{
	uint64_t line = s->line;

	for (size_t k = 0; s->quotes && k < n; k++)
		line -= p[k] == '\n';
	return line;
}

/* The high bit of each byte of x that is 0, maybe of some above such a one. */
static inline uint64_t
zero_bytes(uint64_t x)
{
	return (x - EACH_BYTE) & ~x & 0x80 * EACH_BYTE;
}

/*
 * The first comma or line end in p[0..end), or end.  Eight bytes at a time:
 * fields are too short for memchr to pay.  Reads up to seven bytes behind end.
 */
static inline char *
find_cut(char *p, char *end, char comma)
{
	uint64_t commas = EACH_BYTE * (unsigned char)comma;

	for (; p < end; p += 8) {
		uint64_t x = rate_name_load(p);
		uint64_t hit = zero_bytes(x ^ commas) |
			       zero_bytes(x ^ EACH_BYTE * (unsigned char)'\n');

		if (hit != 0) {
			p += __builtin_ctzll(hit) / 8;
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
		c = find_cut(from, end, comma);
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

/* What the column of that name is; what it may group by goes to others. */
static enum err
note_column(struct csv *csv, struct rate_data *data,
    const struct rate_want *want, int c, const struct rate_field *f)
{
	enum rate_role role = rate_role_of(want, f->p, f->n);
	bool twice = false;

	csv->role[c] = role;
	if (rate_is_group(want, f->p, f->n) && !rate_is_vote(role)) {
		twice = csv->group >= 0;
		data->has[RATE_GROUP] = true;
		csv->group = c;
		csv->ncolumns = c + 1;
	}
	twice |= role != RATE__MAX && data->has[role];
	if (twice)
		return rate_data_fail(data, csv->s->line, ERR_INVALID,
		    "two columns mean the same: \"%.*s\"",
		    (int)(f->n < 60 ? f->n : 60), f->p);
	if (role != RATE__MAX) {
		data->has[role] = true;
		csv->ncolumns = c + 1;
	}
	return ERR_OK;
}

static enum err
read_header(
    struct csv *csv, struct rate_data *data, const struct rate_want *want)
{
	struct rate_source *s = csv->s;
	char *p, *end, others[200] = "";
	size_t n;
	enum err e = rate_source_next(s, data, &p, &n);

	if (e != ERR_OK)
		return e;
	end = p + n;
	s->comma = separator(p, n);
	for (int c = 0; p != NULL; c++) {
		struct rate_field f;

		if (c == MOST_COLUMNS)
			return rate_data_fail(data, s->line, ERR_INVALID,
			    "more than %d columns", MOST_COLUMNS);
		if (!cut_field(&p, end, s->comma, &f))
			return rate_data_fail(data, s->line, ERR_INVALID,
			    "misplaced quotation mark");
		if ((e = note_column(csv, data, want, c, &f)) != ERR_OK)
			return e;
		if (!rate_is_vote((enum rate_role)csv->role[c]))
			add_name(others, sizeof(others), &f);
	}
	/* Counts beside a winner, or a header that only looks like one. */
	if ((e = rate_file_columns(data, s->line, data->has)) != ERR_OK)
		return e;
	if (want->by != NULL && !data->has[RATE_GROUP])
		return rate_file_no_group(data, s->line, want,
		    others[0] != '\0' ? others : "none in this file");
	return ERR_OK;
}

/*
 * Cut the next row, which holds no quotes.  Where the one behind it begins, or
 * NULL when this one is cut short, by the buffer or by itself.
 */
static inline char *
cut_plain(const struct csv *csv, struct rate_field *field)
{
	const struct rate_source *s = csv->s;
	struct rate_field *f = field;
	char *p = s->at, *cut = p;

	for (int c = 0; c < csv->ncolumns; c++) {
		if (c > 0 && *cut != s->comma)
			return NULL;
		p = c > 0 ? cut + 1 : p;
		cut = find_cut(p, s->end, s->comma);
		f = &field[csv->role[c]];
		*f = (struct rate_field){ p, (size_t)(cut - p) };
	}
	if (*cut == '\n')
		f->n -= f->n > 0 && cut[-1] == '\r';
	else
		cut = memchr(cut, '\n', (size_t)(s->end - cut));
	return cut != NULL && cut < s->end ? cut + 1 : NULL;
}

/*
 * The short way of nearly all rows of nearly all files: straight from the
 * buffer.  The first row that wants more is left to take_row.
 */
static void
take_plain_rows(struct csv *csv, struct rate_data *data)
{
	struct rate_field field[RATE__MAX + 1];
	char *next;

	if (!data->plain || csv->s->quotes)
		return;
	while ((next = cut_plain(csv, field)) != NULL &&
	       rate_data_take_plain(data, field)) {
		csv->s->at = next;
		csv->s->line++;
	}
}

static enum err
take_row(struct csv *csv, struct rate_data *data, const struct rate_want *want,
    char *p, size_t n)
{
	struct rate_field field[RATE__MAX + 1] = { { NULL, 0 } };
	uint64_t line = first_line(csv->s, p, n);
	char *end = p + n;
	int c;

	for (c = 0; c < csv->ncolumns && p != NULL; c++) {
		struct rate_field *f = &field[csv->role[c]];

		if (!cut_field(&p, end, csv->s->comma, f))
			return rate_data_fail(data, line, ERR_INVALID,
			    "misplaced quotation mark");
		if (c == csv->group)
			field[RATE_GROUP] = *f;
	}
	if (c < csv->ncolumns)
		return rate_data_fail(data, line, ERR_INVALID,
		    "%d fields, the header promises at least %d", c,
		    csv->ncolumns);
	return rate_data_take(data, want, line, field);
}

enum err
rate_csv_read(
    struct rate_source *s, struct rate_data *data, const struct rate_want *want)
{
	struct csv csv = { .s = s, .group = -1 };
	char *p;
	size_t n;
	enum err e = read_header(&csv, data, want);

	rate_data_plan(data, want);
	while (e == ERR_OK) {
		take_plain_rows(&csv, data);
		if ((e = rate_source_next(s, data, &p, &n)) != ERR_OK ||
		    p == NULL)
			break;
		if (n > 0)
			e = take_row(&csv, data, want, p, n);
	}
	return e;
}
