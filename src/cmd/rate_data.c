/* This file knows how to turn the fields of a row into counted votes. */
#include "config.h"

#include "cmd/rate_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "cmd/rate_print.h"

/* Names up to which votes are counted densely: 256 * 256 * 16 bytes. */
enum {
	QUICK_MOST = 256
};

/* Votes that are replayed, and such as are looked at one by one: 3 GB each. */
#define ORDER_MOST ((size_t)1 << 28)
#define KEPT_MOST (((size_t)3 << 30) / sizeof(struct rate_vote))

static enum err take_votes(struct rate_data *, const struct rate_want *,
    uint64_t line, const struct rate_field *, enum tally_outcome, double n,
    bool is_count);

struct column {
	const char *name;
	enum rate_role role;
};

static const struct column columns[] = {
	{ "model_a", RATE_A },
	{ "left", RATE_A },
	{ "a", RATE_A },
	{ "model_b", RATE_B },
	{ "right", RATE_B },
	{ "b", RATE_B },
	{ "winner", RATE_WINNER },
	{ "win", RATE_WIN },
	{ "loss", RATE_LOSS },
	{ "tie", RATE_TIE },
	{ "judge", RATE_VOTER },
	{ "worker", RATE_VOTER },
	{ "voter", RATE_VOTER },
	{ "weight", RATE_WEIGHT },
	{ "question_id", RATE_QUESTION },
	{ "question", RATE_QUESTION },
	{ "tstamp", RATE_TIME },
	{ "tokens_a", RATE_STYLE_A },
	{ "headers_a", RATE_STYLE_A + 1 },
	{ "lists_a", RATE_STYLE_A + 2 },
	{ "bolds_a", RATE_STYLE_A + 3 },
	{ "tokens_b", RATE_STYLE_B },
	{ "headers_b", RATE_STYLE_B + 1 },
	{ "lists_b", RATE_STYLE_B + 2 },
	{ "bolds_b", RATE_STYLE_B + 3 },
};

/* The short names that mean this in a ledger alone. */
static const struct column ledger_columns[] = {
	{ "va", RATE_A },
	{ "vb", RATE_B },
	{ "w", RATE_WINNER },
	{ "u", RATE_VOTER },
	{ "q", RATE_QUESTION },
	{ "t", RATE_TIME },
	{ "k", RATE_KIND },
	{ "c", RATE_COUNTED },
	{ "n", RATE_NUMBER },
	{ "of", RATE_OF },
};

#define LABEL(text, outcome)                                                   \
	{                                                                      \
		text, sizeof(text) - 1, outcome                                \
	}

static const struct {
	const char *text;
	size_t n;
	enum tally_outcome outcome;
} labels[] = {
	LABEL("model_a", TALLY_A),
	LABEL("model_b", TALLY_B),
	LABEL("tie", TALLY_TIE),
	LABEL("a", TALLY_A),
	LABEL("b", TALLY_B),
	LABEL("left", TALLY_A),
	LABEL("right", TALLY_B),
	LABEL("tie (bothbad)", TALLY_POOR),
	LABEL("bothbad", TALLY_POOR),
	LABEL("both_poor", TALLY_POOR),
};

static enum rate_role
role_among(const struct column *list, size_t count, const char *p, size_t n)
{
	for (size_t k = 0; k < count; k++) {
		if (strlen(list[k].name) == n &&
		    memcmp(list[k].name, p, n) == 0)
			return list[k].role;
	}
	return RATE__MAX;
}

enum rate_role
rate_role_of(const struct rate_want *want, const char *p, size_t n)
{
	enum rate_role role =
	    role_among(columns, sizeof(columns) / sizeof(*columns), p, n);

	if (role == RATE__MAX && want->ledger)
		role = role_among(ledger_columns,
		    sizeof(ledger_columns) / sizeof(*ledger_columns), p, n);
	return role;
}

bool
rate_is_group(const struct rate_want *want, const char *p, size_t n)
{
	return want->by != NULL && strlen(want->by) == n &&
	       memcmp(want->by, p, n) == 0;
}

bool
rate_is_vote(enum rate_role role)
{
	return role <= RATE_TIE; /* who met, and who won */
}

/*
 * A file's bytes in a message do nothing to the terminal, and are UTF-8: what
 * was none, or was cut within a character, shows as ?.
 */
static void
defuse(char *message)
{
	const struct str s = str_of(message);
	char *to = message;

	for (size_t i = 0; i < s.n;) {
		size_t from = i, hidden = rate_print_hidden(s.p + i);
		bool bad = text_next(s, &i) == 0xfffd && i - from != 3;

		if (hidden > 0)
			i = from + hidden;
		if (hidden > 0 || bad)
			*to++ = '?';
		else
			for (; from < i; from++)
				*to++ = s.p[from];
	}
	*to = '\0';
}

enum err
rate_data_fail(
    struct rate_data *data, uint64_t line, enum err e, const char *fmt, ...)
{
	int n = 0;
	va_list ap;

	if (line != 0)
		n = snprintf(data->message, sizeof(data->message),
		    "%.400s:%llu: ", data->path, (unsigned long long)line);
	else
		n = snprintf(data->message, sizeof(data->message),
		    "%.400s: ", data->path);
	va_start(ap, fmt);
	(void)vsnprintf(
	    data->message + n, sizeof(data->message) - (size_t)n, fmt, ap);
	va_end(ap);
	defuse(data->message);
	return e;
}

void
rate_data_release(struct rate_data *data)
{
	for (uint32_t g = 0; data->by_group != NULL && g < data->groups.count;
	     g++)
		tally_release(&data->by_group[g]);
	free(data->by_group);
	rate_names_release(&data->names);
	rate_names_release(&data->voters);
	rate_names_release(&data->questions);
	rate_names_release(&data->groups);
	tally_release(&data->tally);
	free(data->quick);
	free(data->order);
	free(data->vote);
	memset(data, 0, sizeof(*data));
}

/* A printable excerpt of a field for a message. */
static const char *
excerpt(const struct rate_field *f, char out[64])
{
	size_t n = f->n < 40 ? f->n : 40;

	memcpy(out, f->p, n);
	for (size_t k = 0; k < n; k++)
		out[k] = out[k] != '\0' ? out[k] : '?';
	/* Do not cut a UTF-8 sequence in two. */
	while (n > 0 && n < f->n && ((unsigned char)f->p[n] & 0xc0) == 0x80)
		n--;
	memcpy(out + n, n < f->n ? "..." : "", n < f->n ? 4 : 1);
	return out;
}

static enum err
parse_number(struct rate_data *data, uint64_t line, const struct rate_field *f,
    const char *what, double *out)
{
	char copy[64], *end, ex[64];

	if (f->n > 0 && f->n < sizeof(copy)) {
		memcpy(copy, f->p, f->n);
		copy[f->n] = '\0';
		*out = strtod(copy, &end);
		if (end == copy + f->n && isfinite(*out) &&
		    strpbrk(copy, "xX") == NULL) /* nothing hexadecimal */
			return ERR_OK;
	}
	return rate_data_fail(data, line, ERR_INVALID,
	    "%s \"%s\" is not a finite number", what, excerpt(f, ex));
}

/* A weight or a count: 0 or more, and of a size that sums can bear. */
static enum err
parse_amount(struct rate_data *data, uint64_t line, const struct rate_field *f,
    const char *what, double *out)
{
	double x;
	enum err e = parse_number(data, line, f, what, &x);

	if (e != ERR_OK)
		return e;
	if (x < 0)
		return rate_data_fail(
		    data, line, ERR_INVALID, "%s %g is negative", what, x);
	if (x > TALLY_WEIGHT_MAX)
		return rate_data_fail(data, line, ERR_INVALID,
		    "%s %g is over %g", what, x, TALLY_WEIGHT_MAX);
	*out = x;
	return ERR_OK;
}

static enum err
parse_winner(struct rate_data *data, uint64_t line, const struct rate_field *f,
    enum tally_outcome *out)
{
	char ex[64];

	for (size_t k = 0; k < sizeof(labels) / sizeof(*labels); k++) {
		size_t n = labels[k].n;

		if (f->n == n && f->p[n - 1] == labels[k].text[n - 1] &&
		    memcmp(labels[k].text, f->p, n) == 0) {
			*out = labels[k].outcome;
			return ERR_OK;
		}
	}
	return rate_data_fail(data, line, ERR_INVALID,
	    "unknown winner \"%s\" (known: a b tie both_poor, model_a "
	    "model_b, left right, bothbad, tie (bothbad))",
	    excerpt(f, ex));
}

static enum err
take_name(struct rate_data *data, uint64_t line, struct rate_names *names,
    const struct rate_field *f, const char *what, uint32_t *out)
{
	enum err e;

	*out = rate_names_quick(names, f->p, f->n);
	if (*out != UINT32_MAX)
		return ERR_OK;
	if ((e = rate_names_intern(names, f->p, f->n, out)) == ERR_OK)
		return e;
	if (e == ERR_NOMEM)
		return rate_data_fail(data, line, e, "out of memory");
	if (f->n == 0)
		return rate_data_fail(data, line, e, "empty %s", what);
	if (f->n > RATE_NAMES_LONGEST)
		return rate_data_fail(data, line, e,
		    "%s of %zu bytes (at most %d)", what, f->n,
		    RATE_NAMES_LONGEST);
	return rate_data_fail(data, line, e, "%s that is not UTF-8 text", what);
}

/* A line of the ledger that is no counted vote. */
static bool
is_other_line(const struct rate_field *field)
{
	const struct rate_field *k = &field[RATE_KIND];
	const struct rate_field *c = &field[RATE_COUNTED];

	if (k->p != NULL && !(k->n == 4 && memcmp(k->p, "vote", 4) == 0))
		return true;
	return c->p != NULL && c->n == 1 && c->p[0] == '0';
}

void
rate_data_plan(struct rate_data *data, const struct rate_want *want)
{
	data->plain = data->has[RATE_WINNER] && !want->order && !want->votes;
	for (int k = 0; k < RATE__MAX; k++) {
		bool known = k == RATE_A || k == RATE_B || k == RATE_WINNER;

		/* What nobody asked for need not be looked at. */
		known |= k == RATE_QUESTION || k == RATE_TIME ||
			 k == RATE_NUMBER || k == RATE_OF || k >= RATE_STYLE_A;
		if (data->has[k] && !known)
			data->plain = false;
	}
}

/* A label as a word; its bytes may be read up to the eighth. */
static uint64_t
label_word(const struct rate_field *f)
{
	return rate_name_load(f->p) &
	       (f->n < 8 ? (1ull << (8 * f->n)) - 1 : ~0ull);
}

/*
 * Where a label is found without a loop, whose end nobody could foresee.  The
 * labels that fit in a word have a slot each.
 */
static struct rate_label *
label_slot(struct rate_data *data, uint64_t word)
{
	return &data->learned[word * 0x9e3779b97f4a7c15u >> 59];
}

/* Keep a label that is in use, so that it is known at sight. */
static void
learn(struct rate_data *data, const struct rate_field *f,
    enum tally_outcome outcome)
{
	uint64_t word = label_word(f);

	if (f->n <= 8)
		*label_slot(data, word) =
		    (struct rate_label){ word, (uint32_t)f->n, outcome };
}

bool
rate_data_take_plain(struct rate_data *data, const struct rate_field *field)
{
	const struct rate_field *w = &field[RATE_WINNER];
	const struct rate_label *l = label_slot(data, label_word(w));
	uint32_t a, b;

	a = rate_names_quick(&data->names, field[RATE_A].p, field[RATE_A].n);
	b = rate_names_quick(&data->names, field[RATE_B].p, field[RATE_B].n);
	if (a >= data->side || b >= data->side || a == b || w->n - 1 > 7 ||
	    l->word != label_word(w) || l->n != w->n ||
	    data->nquick == UINT32_MAX)
		return false;
	data->quick[4 * ((size_t)a * data->side + b) + l->outcome]++;
	data->nquick++;
	data->rows++;
	return true;
}

enum err
rate_data_take(struct rate_data *data, const struct rate_want *want,
    uint64_t line, const struct rate_field *field)
{
	enum tally_outcome outcome = TALLY_TIE;
	enum err e;

	if (data->plain && rate_data_take_plain(data, field))
		return ERR_OK;
	if (is_other_line(field))
		return ERR_OK;
	data->rows++;
	if (field[RATE_WINNER].p != NULL) {
		e = parse_winner(data, line, &field[RATE_WINNER], &outcome);
		if (e != ERR_OK)
			return e;
		if (data->plain)
			learn(data, &field[RATE_WINNER], outcome);
		return take_votes(data, want, line, field, outcome, 1.0, false);
	}
	for (int k = 0; k < 3; k++) {
		static const char *const what[] = { "win", "loss", "tie" };
		double n;

		e = parse_amount(data, line, &field[RATE_WIN + k], what[k], &n);
		if (e == ERR_OK)
			e = take_votes(data, want, line, field,
			    (enum tally_outcome)k, n, true);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err
grow(void *list, size_t *room, size_t need, size_t size)
{
	size_t n = *room != 0 ? *room : 1024;
	void *p;

	if (need <= *room)
		return ERR_OK;
	while (n < need)
		n *= 2;
	memcpy(&p, list, sizeof(p));
	p = realloc(p, n * size);
	if (p == NULL)
		return ERR_NOMEM;
	memcpy(list, &p, sizeof(p));
	*room = n;
	return ERR_OK;
}

/* Elo replays each vote; counts stand for that many in a row. */
static enum err
keep_order(struct rate_data *data, uint32_t a, uint32_t b, enum tally_outcome o,
    uint64_t n)
{
	uint32_t half = o == TALLY_A ? 2 : o == TALLY_B ? 0 : 1;

	if (n > ORDER_MOST - data->norder)
		return ERR_TOOBIG;
	if (grow(&data->order, &data->order_room, data->norder + n,
		sizeof(*data->order)) != ERR_OK)
		return ERR_NOMEM;
	for (uint64_t k = 0; k < n; k++)
		data->order[data->norder++] = (struct elo_vote){ a, b, half };
	return ERR_OK;
}

static enum err
keep_vote(struct rate_data *data, uint64_t line, const struct rate_field *field,
    struct rate_vote *v)
{
	enum err e;
	double x;

	v->question = UINT32_MAX;
	v->time = NAN;
	if (field[RATE_QUESTION].p != NULL && field[RATE_QUESTION].n > 0) {
		e = take_name(data, line, &data->questions,
		    &field[RATE_QUESTION], "question", &v->question);
		if (e != ERR_OK)
			return e;
	}
	if (field[RATE_TIME].p != NULL && field[RATE_TIME].n > 0) {
		e = parse_number(
		    data, line, &field[RATE_TIME], "tstamp", &v->time);
		if (e != ERR_OK)
			return e;
	}
	for (int k = 0; k < 2 * RATE_STYLES; k++) {
		if (field[RATE_STYLE_A + k].p == NULL)
			continue;
		e = parse_amount(
		    data, line, &field[RATE_STYLE_A + k], "style count", &x);
		if (e != ERR_OK)
			return e;
		v->style[k] = (float)x;
	}
	if (grow(&data->vote, &data->vote_room, data->nvote + 1,
		sizeof(*data->vote)) != ERR_OK)
		return ERR_NOMEM;
	data->vote[data->nvote++] = *v;
	return ERR_OK;
}

static enum err
count(struct tally *t, const struct rate_vote *v, uint64_t n)
{
	enum tally_outcome o = (enum tally_outcome)v->outcome;

	if (n > 0)
		return tally_add_many(t, v->a, v->b, o, n, v->voter);
	return tally_add(t, v->a, v->b, o, v->weight, v->voter);
}

static enum err
count_in_group(struct rate_data *data, const struct rate_want *want,
    uint64_t line, const struct rate_field *f, const struct rate_vote *v,
    uint64_t n)
{
	uint32_t g, before = data->groups.count;
	enum err e;

	e = take_name(data, line, &data->groups, f, want->by, &g);
	if (e != ERR_OK)
		return e;
	if (data->groups.count != before) {
		struct tally *t =
		    realloc(data->by_group, data->groups.count * sizeof(*t));

		if (t == NULL)
			return ERR_NOMEM;
		data->by_group = t;
		tally_init(&t[g], want->voters);
	}
	return count(&data->by_group[g], v, n);
}

/* Who voted, or TALLY_NOBODY. */
static enum err
take_voter(struct rate_data *data, const struct rate_want *want, uint64_t line,
    const struct rate_field *f, uint32_t *voter)
{
	*voter = TALLY_NOBODY;
	if (f->p != NULL && f->n > 0 && (want->voters || want->votes))
		return take_name(data, line, &data->voters, f, "voter", voter);
	return ERR_OK;
}

enum err
rate_data_settle(struct rate_data *data)
{
	for (uint32_t a = 0; data->nquick > 0 && a < data->side; a++) {
		for (uint32_t b = 0; b < data->side; b++) {
			uint32_t *n =
			    data->quick + 4 * ((size_t)a * data->side + b);

			for (int o = 0; o < TALLY__MAX; o++) {
				if (n[o] == 0)
					continue;
				if (tally_add_many(&data->tally, a, b,
					(enum tally_outcome)o, n[o],
					TALLY_NOBODY) != ERR_OK)
					return ERR_NOMEM;
				n[o] = 0;
			}
		}
	}
	data->nquick = 0;
	return ERR_OK;
}

/*
 * Plain votes between the first QUICK_MOST names are counted in a small dense
 * array, which the processor's cache holds.  False: count it elsewhere.
 */
static bool
count_quickly(struct rate_data *data, const struct rate_vote *v)
{
	uint32_t most = v->a > v->b ? v->a : v->b, side = data->side;

	if (most >= QUICK_MOST)
		return false;
	if (most >= side || data->nquick == UINT32_MAX) {
		if (rate_data_settle(data) != ERR_OK)
			return false;
		for (side = side != 0 ? side : 32; side <= most;)
			side *= 2;
		free(data->quick);
		data->quick =
		    calloc((size_t)side * side * 4, sizeof(*data->quick));
		data->side = data->quick != NULL ? side : 0;
		if (data->quick == NULL)
			return false;
	}
	data->quick[4 * ((size_t)v->a * side + v->b) + v->outcome]++;
	data->nquick++;
	return true;
}

/* The names, the weight and the voter of a row. */
static enum err
take_who(struct rate_data *data, const struct rate_want *want, uint64_t line,
    const struct rate_field *field, struct rate_vote *v)
{
	enum err e;

	e = take_name(data, line, &data->names, &field[RATE_A], "name", &v->a);
	if (e != ERR_OK)
		return e;
	e = take_name(data, line, &data->names, &field[RATE_B], "name", &v->b);
	if (e != ERR_OK)
		return e;
	if (v->a == v->b)
		return rate_data_fail(data, line, ERR_INVALID,
		    "\"%.60s\" is compared with itself",
		    data->names.name[v->a].p);
	if (field[RATE_WEIGHT].p != NULL) {
		e = parse_amount(
		    data, line, &field[RATE_WEIGHT], "weight", &v->weight);
		if (e != ERR_OK)
			return e;
	}
	return take_voter(data, want, line, &field[RATE_VOTER], &v->voter);
}

/* A count of votes as a whole number. */
static enum err
whole_count(struct rate_data *data, uint64_t line, const struct rate_vote *v,
    double n, uint64_t *out)
{
	if (n != floor(n) || n > 1e15)
		return rate_data_fail(data, line, ERR_INVALID,
		    "count %g is not a whole number", n);
	if (n > 0 && v->weight != 1.0)
		return rate_data_fail(data, line, ERR_INVALID,
		    "a row of counts cannot have a weight too");
	*out = (uint64_t)n;
	return ERR_OK;
}

/* Count n votes like v wherever they are wanted. */
static enum err
count_everywhere(struct rate_data *data, const struct rate_want *want,
    uint64_t line, const struct rate_field *field, struct rate_vote *v,
    uint64_t n)
{
	uint64_t many = v->weight == 1.0 ? n : 0;
	bool quick = n == 1 && many == 1 && v->voter == TALLY_NOBODY;
	enum err e = ERR_OK;

	data->weightless += v->weight == 0.0;
	if (!(quick && count_quickly(data, v)))
		e = count(&data->tally, v, many);
	if (e == ERR_OK && want->order && v->weight > 0.0)
		e = keep_order(
		    data, v->a, v->b, (enum tally_outcome)v->outcome, n);
	if (e == ERR_TOOBIG)
		return rate_data_fail(data, line, e,
		    "more than %zu votes cannot be replayed one by one",
		    ORDER_MOST);
	if (e != ERR_OK)
		return rate_data_fail(data, line, e, "out of memory");
	if (field[RATE_GROUP].p != NULL)
		e = count_in_group(
		    data, want, line, &field[RATE_GROUP], v, many);
	if (want->votes && n > KEPT_MOST - data->nvote)
		return rate_data_fail(data, line, ERR_TOOBIG,
		    "more than %zu votes cannot be looked at one by one",
		    KEPT_MOST);
	for (uint64_t k = 0; e == ERR_OK && want->votes && k < n; k++)
		e = keep_vote(data, line, field, v);
	return e;
}

/* n votes of one outcome; with is_count, n is the count the row gave. */
static enum err
take_votes(struct rate_data *data, const struct rate_want *want, uint64_t line,
    const struct rate_field *field, enum tally_outcome outcome, double n,
    bool is_count)
{
	struct rate_vote v = { .outcome = outcome, .weight = 1.0 };
	uint64_t whole = 1;
	enum err e = take_who(data, want, line, field, &v);

	if (e == ERR_OK && is_count)
		e = whole_count(data, line, &v, n, &whole);
	if (e != ERR_OK || whole == 0)
		return e;
	return count_everywhere(data, want, line, field, &v, whole);
}
