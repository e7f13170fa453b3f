/* This file knows how to say how the ranking is made, with live numbers. */
#include "config.h"

#include <math.h>

#include "model/board.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/reasons.h"
#include "page/req.h"
#include "rate/compare.h"
#include "rate/elo.h"

struct methodology_row {
	bool random, nothing_yet, has_limits;
	int64_t predecessor_first, views, expires_days;
	int64_t minimum, minimum_voters, votes_per_day;
	double k, start, scale, words_per_second;
	double example_a, example_b, example_expected, example_gain;
	double example_after_a, example_after_b;
	double clear, likely, equal_lower, equal_upper; /* of /compare */
	struct view_message voters, votes, prompts, questions;
	int64_t counted;
	int64_t first_at, last_at;
	struct view_list types, models; /* that votes are on */
	bool many_models;
	/* What came of it here. */
	struct view_list reasons;
	int64_t not_counted, decided;
	double side_share, side_lower, side_upper;
	double blind, blind_lower, blind_upper, ties_share, poor_share;
	bool side_fair, side_unfair; /* neither: not known */
};

struct cited_row { /* one of several, with commas between them */
	bool more; /* not the first */
	struct text name;
	struct view_message label;
};

static const struct view_shape cited_shape = { "cited",
	sizeof(struct cited_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct cited_row, more, VIEW_FLAG),
	    VIEW_FIELD(struct cited_row, name, VIEW_TEXT),
	    VIEW_FIELD(struct cited_row, label, VIEW_MESSAGE), VIEW_END } };

#define M struct methodology_row
const struct view_shape methodology_shape = { "methodology", sizeof(M),
	(const struct view_field[]){ VIEW_FIELD(M, random, VIEW_FLAG),
	    VIEW_FIELD(M, nothing_yet, VIEW_FLAG),
	    VIEW_FIELD(M, has_limits, VIEW_FLAG),
	    VIEW_FIELD(M, predecessor_first, VIEW_INT),
	    VIEW_FIELD(M, views, VIEW_INT),
	    VIEW_FIELD(M, expires_days, VIEW_INT),
	    VIEW_FIELD(M, minimum, VIEW_INT),
	    VIEW_FIELD(M, minimum_voters, VIEW_INT),
	    VIEW_FIELD(M, votes_per_day, VIEW_INT), VIEW_FIELD_REAL(M, k, 0),
	    VIEW_FIELD_REAL(M, start, 0), VIEW_FIELD_REAL(M, scale, 0),
	    VIEW_FIELD_REAL(M, words_per_second, 0),
	    VIEW_FIELD_REAL(M, example_a, 0), VIEW_FIELD_REAL(M, example_b, 0),
	    VIEW_FIELD_REAL(M, example_expected, 3),
	    VIEW_FIELD_REAL(M, example_gain, 2),
	    VIEW_FIELD_REAL(M, example_after_a, 2),
	    VIEW_FIELD_REAL(M, example_after_b, 2),
	    VIEW_FIELD_REAL(M, clear, 0), VIEW_FIELD_REAL(M, likely, 0),
	    VIEW_FIELD_REAL(M, equal_lower, 0),
	    VIEW_FIELD_REAL(M, equal_upper, 0),
	    VIEW_FIELD(M, voters, VIEW_MESSAGE),
	    VIEW_FIELD(M, votes, VIEW_MESSAGE),
	    VIEW_FIELD(M, counted, VIEW_INT),
	    VIEW_FIELD(M, prompts, VIEW_MESSAGE),
	    VIEW_FIELD(M, questions, VIEW_MESSAGE),
	    VIEW_FIELD(M, first_at, VIEW_TIME),
	    VIEW_FIELD(M, last_at, VIEW_TIME),
	    VIEW_FIELD_OF(M, types, VIEW_LIST, &cited_shape),
	    VIEW_FIELD_OF(M, models, VIEW_LIST, &cited_shape),
	    VIEW_FIELD(M, many_models, VIEW_FLAG),
	    VIEW_FIELD_OF(M, reasons, VIEW_LIST, &reason_shape),
	    VIEW_FIELD(M, not_counted, VIEW_INT),
	    VIEW_FIELD(M, decided, VIEW_INT), VIEW_FIELD_REAL(M, side_share, 1),
	    VIEW_FIELD_REAL(M, side_lower, 1),
	    VIEW_FIELD_REAL(M, side_upper, 1), VIEW_FIELD_REAL(M, blind, 1),
	    VIEW_FIELD_REAL(M, blind_lower, 1),
	    VIEW_FIELD_REAL(M, blind_upper, 1),
	    VIEW_FIELD_REAL(M, ties_share, 0),
	    VIEW_FIELD_REAL(M, poor_share, 0),
	    VIEW_FIELD(M, side_fair, VIEW_FLAG),
	    VIEW_FIELD(M, side_unfair, VIEW_FLAG), VIEW_END } };
#undef M

static void fill_example(const struct conf *, struct methodology_row *);
static void fill_verdicts(struct methodology_row *);
static void fill_outcome(
    struct req *, const struct arena_facts *, struct methodology_row *);
static void fill_shares(const struct arena_shares *, struct methodology_row *);
static struct view_list cited(
    struct pool *pool, const struct text *names, size_t n, const char *prefix);
static struct view_message so_many(
    struct pool *pool, const char *what, int64_t n);
static int64_t if_set(int64_t v);

/* GET /methodology */
enum err
pg_methodology(struct req *rq)
{
	const struct conf *c = rq->conf;
	struct methodology_row row;
	struct arena_facts f;
	struct arena_shares shares;
	struct arena_voted voted;
	enum err e;

	if ((e = arena_facts(rq->site->totals, rq->db, rq->pool, &f)) !=
		ERR_OK ||
	    (e = arena_shares(rq->site->totals, rq->db, &shares)) != ERR_OK ||
	    (e = arena_voted(rq->db, rq->pool, &voted)) != ERR_OK)
		return e;
	row = (struct methodology_row){
		.random =
		    str_is((struct str){ c->policy.p, c->policy.n }, "random"),
		.nothing_yet = f.votes == 0,
		.has_limits = c->votes_per_day > 0 || c->words_per_second > 0,
		.predecessor_first = c->predecessor_first,
		.views = c->views,
		.expires_days = c->expires_days,
		.minimum = c->minimum,
		.minimum_voters = if_set(c->minimum_voters),
		.votes_per_day = if_set(c->votes_per_day),
		.k = c->k,
		.start = c->start,
		.scale = c->scale,
		.words_per_second = c->words_per_second > 0
					? c->words_per_second
					: __builtin_nan(""),
		.voters = so_many(rq->pool, "cite.people", f.voters),
		.votes = so_many(rq->pool, "cite.votes", f.votes),
		.counted = f.counted,
		.prompts = so_many(rq->pool, "cite.prompts", voted.prompts),
		.questions = so_many(rq->pool, "cite.questions", f.asked),
		.types = cited(rq->pool, voted.types, voted.types_n, "type."),
		.models = cited(rq->pool, voted.models, voted.models_n, NULL),
		.many_models = voted.models_n > 1,
		.first_at = f.first_at,
		.last_at = f.last_at
	};
	fill_example(c, &row);
	fill_verdicts(&row);
	fill_outcome(rq, &f, &row);
	fill_shares(&shares, &row);
	return resp_page(rq, PAGE_METHODOLOGY, &row);
}

/* The weaker of two prompts wins once, by this site's own rule. */
static void
fill_example(const struct conf *c, struct methodology_row *row)
{
	struct elo_rule rule = { c->k, c->start, c->scale };

	row->example_a = row->example_after_a = c->start;
	row->example_b = row->example_after_b = c->start + 100;
	row->example_expected =
	    elo_expected(&rule, row->example_a, row->example_b);
	row->example_gain = elo_gain(&rule, row->example_a, row->example_b, 1);
	elo_update(&rule, &row->example_after_a, &row->example_after_b, 1);
}

/* What makes /compare say what. */
static void
fill_verdicts(struct methodology_row *row)
{
	const struct compare_options usual = COMPARE_USUAL;

	row->clear = compare_evidence(usual.level);
	row->likely = compare_evidence(usual.likely);
	row->equal_lower = 100 * (0.5 - usual.margin);
	row->equal_upper = 100 * (0.5 + usual.margin);
}

/* Left out, by reason; ties. */
static void
fill_outcome(
    struct req *rq, const struct arena_facts *f, struct methodology_row *row)
{
	row->ties_share = row->poor_share = NAN;
	row->not_counted = f->votes - f->counted;
	row->decided = f->side_a + f->side_b;
	row->reasons = reasons_list(rq, f->reasons, f->reasons_n);
	if (f->counted > 0) {
		row->ties_share = 100.0 * (double)f->ties / (double)f->counted;
		row->poor_share =
		    100.0 * (double)f->both_poor / (double)f->counted;
	}
}

/* Whether a side was preferred, and how blind it was. */
static void
fill_shares(const struct arena_shares *s, struct methodology_row *row)
{
	row->side_share = 100 * s->side.value;
	row->side_lower = 100 * s->side.lower;
	row->side_upper = 100 * s->side.upper;
	row->side_fair = s->side.lower <= 0.5 && s->side.upper >= 0.5;
	row->side_unfair = s->side.lower > 0.5 || s->side.upper < 0.5;
	row->blind = 100 * s->blind.value;
	row->blind_lower = 100 * s->blind.lower;
	row->blind_upper = 100 * s->blind.upper;
}

static struct view_list
cited(struct pool *pool, const struct text *names, size_t n, const char *prefix)
{
	struct cited_row *rows = pool_array(pool, n + 1, sizeof(*rows));

	for (size_t i = 0; rows != NULL && i < n; i++) {
		rows[i] = (struct cited_row){ .more = i > 0, .name = names[i] };
		if (prefix != NULL)
			rows[i].label =
			    view_say(page_message(prefix, names[i]));
	}
	return view_list(rows, rows != NULL ? n : 0);
}

static struct view_message
so_many(struct pool *pool, const char *what, int64_t n)
{
	struct more_words *w = pool_alloc(pool, sizeof(*w));

	if (w == NULL)
		return view_say(NULL);
	w->more = n;
	return (struct view_message){ what, n, w };
}

static int64_t
if_set(int64_t v)
{
	return v > 0 ? v : VIEW_NO_INT;
}
