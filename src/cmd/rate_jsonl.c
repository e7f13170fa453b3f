/* This file knows how to read JSON Lines, the public ledger's among them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/rate_file.h"
#include "cmd/rate_json.h"

/* What a ledger's line does to a vote. */
struct mark {
	uint64_t of;
	size_t at; /* the last word counts */
	bool out;
};

/* A ledger's excluded votes. */
struct excluded {
	uint64_t *vote; /* ascending */
	size_t n;
};

/*
 * A ledger's lines are numbered and of a kind, from the first on.  Elsewhere
 * columns called k, c or n are somebody's own.
 */
static bool
is_ledger(const struct rate_source *s, const struct rate_want *want)
{
	struct rate_want w = *want;
	struct rate_field field[RATE__MAX];
	char *nl = memchr(s->at, '\n', (size_t)(s->end - s->at)), *copy;
	size_t n = (size_t)((nl != NULL ? nl : s->end) - s->at);
	bool is;

	w.ledger = true;
	copy = malloc(n + RATE_NAMES_SLACK);
	if (copy == NULL)
		return false;
	memcpy(copy, s->at, n);
	is = rate_json_object(copy, n, &w, field) == NULL &&
	     field[RATE_KIND].p != NULL && field[RATE_NUMBER].p != NULL;
	free(copy);
	return is;
}

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
is_out(const struct excluded *out, const struct rate_field *number)
{
	size_t low = 0, high = out->n;
	uint64_t n;

	if (out->n == 0 || !whole_number(number, &n))
		return false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (out->vote[mid] < n)
			low = mid + 1;
		else
			high = mid;
	}
	return low < out->n && out->vote[low] == n;
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
 * A ledger says after a vote whether it was taken out.  Files of other kinds
 * are not read twice.
 */
static enum err
read_excluded(struct rate_source *s, struct rate_data *data,
    const struct rate_want *want, struct excluded *out)
{
	struct mark *list = NULL;
	size_t n, used = 0, room = 0;
	char *p;
	enum err e;

	if ((e = rate_source_keep(s, data)) != ERR_OK ||
	    (e = rate_source_rewind(s, data)) != ERR_OK)
		return e;
	for (;;) {
		if ((e = rate_source_next(s, data, &p, &n)) != ERR_OK ||
		    p == NULL)
			break;
		e = note_mark(p, n, want, &list, &used, &room);
		if (e != ERR_OK) {
			e = rate_data_fail(data, s->line, e, "out of memory");
			break;
		}
	}
	if (used > 1)
		qsort(list, used, sizeof(*list), by_vote);
	out->vote = calloc(used + 1, sizeof(*out->vote));
	if (e == ERR_OK && out->vote == NULL)
		e = rate_data_fail(data, 0, ERR_NOMEM, "out of memory");
	for (size_t k = 0; e == ERR_OK && k < used; k++) {
		if (list[k].out &&
		    (k + 1 == used || list[k + 1].of != list[k].of))
			out->vote[out->n++] = list[k].of;
	}
	free(list);
	return e == ERR_OK ? rate_source_rewind(s, data) : e;
}

/* A line that is a vote must say who met and who won. */
static enum err
check_vote(struct rate_data *data, uint64_t line, const struct rate_want *want,
    const struct rate_field *field)
{
	const struct rate_field *kind = &field[RATE_KIND];
	bool has[RATE__MAX];
	enum err e;

	for (int k = 0; k < RATE__MAX; k++) {
		has[k] = field[k].p != NULL;
		data->has[k] |= has[k];
	}
	if (kind->p != NULL &&
	    !(kind->n == 4 && memcmp(kind->p, "vote", 4) == 0))
		return ERR_OK;
	if ((e = rate_file_columns(data, line, has)) != ERR_OK)
		return e;
	if (want->by != NULL && !has[RATE_GROUP])
		return rate_data_fail(data, line, ERR_INVALID,
		    "no member \"%.60s\" to group by", want->by);
	return ERR_OK;
}

static enum err
take_lines(struct rate_source *s, struct rate_data *data,
    const struct rate_want *want, const struct excluded *out)
{
	struct rate_field field[RATE__MAX];
	const char *why;
	char *p;
	size_t n;
	enum err e = ERR_OK;

	while (e == ERR_OK) {
		if ((e = rate_source_next(s, data, &p, &n)) != ERR_OK ||
		    p == NULL)
			break;
		if (n == 0)
			continue;
		if ((why = rate_json_object(p, n, want, field)) != NULL)
			return rate_data_fail(
			    data, s->line, ERR_INVALID, "%s", why);
		e = check_vote(data, s->line, want, field);
		if (e == ERR_OK && !is_out(out, &field[RATE_NUMBER]))
			e = rate_data_take(data, want, s->line, field);
	}
	return e;
}

enum err
rate_jsonl_read(
    struct rate_source *s, struct rate_data *data, const struct rate_want *want)
{
	struct rate_want own = *want;
	struct excluded out = { NULL, 0 };
	enum err e = ERR_OK;

	own.ledger = is_ledger(s, want);
	if (want->by != NULL &&
	    rate_is_vote(rate_role_of(&own, want->by, strlen(want->by))))
		return rate_file_no_group(
		    data, 1, &own, "type, language, judge");
	if (own.ledger)
		e = read_excluded(s, data, &own, &out);
	if (e == ERR_OK)
		e = take_lines(s, data, &own, &out);
	free(out.vote);
	return e;
}
