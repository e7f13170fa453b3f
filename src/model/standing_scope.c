/* This file knows how to play votes into one board, and to rate its rows. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/standing_parts.h"
#include "rate/bt.h"
#include "rate/dist.h"
#include "rate/glicko.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/snapshot.h"

#define SEED 1       /* as prompt-arena rate has it by default */
#define GAP_MOST 400 /* days without a vote that are played */
#define DAY 86400u

static const struct glicko_rule periods = GLICKO_RULE_DEFAULT;

static enum err take_side(struct scope *s, const struct line_vote *l);
static enum err grow(struct ledger_view *v, struct scope *s, uint32_t items);
static enum err add_point(struct scope *s, uint32_t item, uint32_t day);
static enum err next_day(struct scope *s, uint32_t day);
static enum err add_today(struct scope *s, const struct line_vote *l);
static enum err rate(const struct scope *s, bool quick, struct snapshot *out);
static void keep_widths(
    const struct standing_board *from, struct standing_board *b);
static enum err fill_rows(const struct ledger_view *v, const struct scope *s,
    const struct snapshot *fit, struct standing_board *b, uint32_t *row_of);
static enum err fill_points(
    const struct scope *s, const uint32_t *row_of, struct standing_board *b);
static enum err fill_pairs(
    const struct scope *s, const uint32_t *row_of, struct standing_board *b);
static void fill_totals(const struct ledger_view *v, const struct scope *s,
    struct standing_board *b);
static void fill_weighted(const struct ledger_view *v, const struct judged *j,
    const struct scope *s, struct standing_board *b);
static uint32_t count_parts(const struct standing_board *b, uint32_t items);
static void count_voters(const struct scope *s, struct standing_board *b);

void
scope_release(struct scope *s)
{
	tally_release(&s->tally);
	free(s->elo);
	free(s->counts);
	free(s->last_point);
	free(s->points);
	free(s->glicko);
	free(s->deviation);
	free(s->today);
	free(s->side);
	free(s->theta);
	standing_board_put(s->board);
	*s = (struct scope){ 0 };
}

enum err
scope_vote(struct ledger_view *v, struct scope *s, const struct line_vote *l,
    uint32_t day)
{
	static const enum tally_outcome outcome[VOTE__MAX] = {
		[VOTE_A] = TALLY_A,
		[VOTE_B] = TALLY_B,
		[VOTE_TIE] = TALLY_TIE,
		[VOTE_BOTH_POOR] = TALLY_POOR,
	};
	static const double score_a[VOTE__MAX] = {
		[VOTE_A] = 1,
		[VOTE_TIE] = 0.5,
		[VOTE_BOTH_POOR] = 0.5,
	};
	uint32_t top = l->a > l->b ? l->a : l->b;
	struct counts *a, *b;
	enum err e;

	if (top >= s->items && (e = grow(v, s, top + 1)) != ERR_OK)
		return e;
	s->changed = true;
	a = &s->counts[l->a];
	b = &s->counts[l->b];
	if ((l->flags & VOTE_COUNTS) == 0 || (l->flags & VOTE_EXCLUDED) != 0) {
		a->not_counted++;
		b->not_counted++;
		return ERR_OK;
	}
	if (s->type == STANDING_NONE && ((e = next_day(s, day)) != ERR_OK ||
					    (e = add_today(s, l)) != ERR_OK))
		return e;
	if ((e = take_side(s, l)) != ERR_OK)
		return e;
	e = tally_add(&s->tally, l->a, l->b, outcome[l->choice], 1, l->voter);
	if (e != ERR_OK)
		return e;
	elo_update(&v->rule, &s->elo[l->a], &s->elo[l->b], score_a[l->choice]);
	a->matches++;
	b->matches++;
	a->wins += l->choice == VOTE_A;
	a->losses += l->choice == VOTE_B;
	b->wins += l->choice == VOTE_B;
	b->losses += l->choice == VOTE_A;
	a->ties += l->choice == VOTE_TIE;
	b->ties += l->choice == VOTE_TIE;
	a->both_poor += l->choice == VOTE_BOTH_POOR;
	b->both_poor += l->choice == VOTE_BOTH_POOR;
	s->by_choice[l->choice]++;
	if ((e = add_point(s, l->a, day)) == ERR_OK)
		e = add_point(s, l->b, day);
	return e;
}

/* p grown to hold n of size bytes. */
static bool
stretch(void *p, size_t n, size_t size)
{
	void **at = p, *more = realloc(*at, n * size);

	if (more != NULL)
		*at = more;
	return more != NULL;
}

static enum err
take_side(struct scope *s, const struct line_vote *l)
{
	if (l->voter >= s->side_room) {
		uint32_t room = l->voter < 512 ? 1024 : 2 * l->voter;

		if (!stretch(&s->side, room, sizeof(*s->side)))
			return ERR_NOMEM;
		memset(s->side + s->side_room, 0,
		    (room - s->side_room) * sizeof(*s->side));
		s->side_room = room;
	}
	s->side[l->voter].k += l->choice == VOTE_A;
	s->side[l->voter].n += l->choice == VOTE_A || l->choice == VOTE_B;
	return ERR_OK;
}

static enum err
grow(struct ledger_view *v, struct scope *s, uint32_t items)
{
	uint32_t room = s->items_room;

	if (items > room) {
		room = items < 16 ? 16 : 2 * items;
		if (!stretch(&s->elo, room, sizeof(*s->elo)) ||
		    !stretch(&s->counts, room, sizeof(*s->counts)) ||
		    !stretch(&s->last_point, room, sizeof(*s->last_point)) ||
		    !stretch(&s->glicko, room, sizeof(*s->glicko)) ||
		    !stretch(&s->deviation, room, sizeof(*s->deviation)))
			return ERR_NOMEM;
		s->items_room = room;
	}
	for (uint32_t i = s->items; i < items; i++) {
		s->elo[i] = v->rule.start;
		s->counts[i] = (struct counts){ 0 };
		s->last_point[i] = 0;
		s->glicko[i] = periods.start;
		s->deviation[i] = periods.deviation;
	}
	s->items = items;
	return ERR_OK;
}

/* One point a day and item, kept up to date while the day lasts. */
static enum err
add_point(struct scope *s, uint32_t item, uint32_t day)
{
	uint32_t at = s->last_point[item];

	if (at != 0 && s->points[at - 1].day >= day) {
		s->points[at - 1].elo = s->elo[item];
		return ERR_OK;
	}
	if (s->points_n == s->points_room) {
		size_t room = 2 * s->points_room + 64;

		if (room > UINT32_MAX ||
		    !stretch(&s->points, room, sizeof(*s->points)))
			return ERR_NOMEM;
		s->points_room = room;
	}
	s->points[s->points_n++] = (struct standing_point){ .row = item,
		.day = day,
		.elo = s->elo[item],
		.glicko = NAN,
		.deviation = NAN };
	s->last_point[item] = (uint32_t)s->points_n;
	return ERR_OK;
}

/* A rating period ends with its day. */
static enum err
close_day(struct scope *s)
{
	enum err e = glicko_period(
	    &periods, s->today, s->today_n, s->glicko, s->deviation, s->items);

	for (size_t i = s->points_n; i > 0 && e == ERR_OK; i--) {
		struct standing_point *p = &s->points[i - 1];

		if (p->day != s->day)
			break;
		p->glicko = s->glicko[p->row];
		p->deviation = s->deviation[p->row];
	}
	s->today_n = 0;
	return e;
}

static enum err
next_day(struct scope *s, uint32_t day)
{
	uint32_t gap;
	enum err e;

	if (day <= s->day)
		return ERR_OK;
	if (s->day != 0) {
		gap = (day - s->day + DAY / 2) / DAY;
		if ((e = close_day(s)) != ERR_OK)
			return e;
		for (uint32_t i = 1; i < gap && i < GAP_MOST; i++) {
			e = glicko_period(&periods, s->today, 0, s->glicko,
			    s->deviation, s->items);
			if (e != ERR_OK)
				return e;
		}
	}
	s->day = day;
	return ERR_OK;
}

static enum err
add_today(struct scope *s, const struct line_vote *l)
{
	static const uint32_t half_points[VOTE__MAX] = {
		[VOTE_A] = 2,
		[VOTE_TIE] = 1,
		[VOTE_BOTH_POOR] = 1,
	};

	if (s->today_n == s->today_room) {
		size_t room = 2 * s->today_room + 64;

		if (!stretch(&s->today, room, sizeof(*s->today)))
			return ERR_NOMEM;
		s->today_room = room;
	}
	s->today[s->today_n++] =
	    (struct elo_vote){ l->a, l->b, half_points[l->choice] };
	return ERR_OK;
}

/* ------------------------------------------------------------- publishing */

enum err
scope_fit(const struct ledger_view *v, const struct judged *j, bool quick,
    struct scope *s)
{
	struct snapshot fit = { 0 };
	struct standing_board *b = calloc(1, sizeof(*b));
	uint32_t *row_of = calloc(s->items + 1u, sizeof(*row_of));
	enum err e = ERR_NOMEM;

	if (b == NULL || row_of == NULL)
		goto out;
	b->refs = 1;
	e = s->tally.votes == 0 ? ERR_OK : rate(s, quick, &fit);
	if (e != ERR_OK && e != ERR_LIMIT)
		goto out; /* ERR_LIMIT: not converged, no such number is shown
			   */
	if ((e = fill_rows(v, s, &fit, b, row_of)) != ERR_OK ||
	    (e = fill_points(s, row_of, b)) != ERR_OK ||
	    (e = fill_pairs(s, row_of, b)) != ERR_OK)
		goto out;
	fill_totals(v, s, b);
	fill_weighted(v, j, s, b);
	if (quick)
		keep_widths(s->board, b);
	b->interval_seq = quick ? s->board->interval_seq : v->seq;
	standing_board_put(s->board);
	s->board = b;
	b = NULL;
	s->stale = quick && (s->stale || s->changed);
	s->changed = s->reweighed = false;
	if (fit.theta != NULL) {
		free(s->theta);
		s->theta = fit.theta;
		s->theta_n = fit.nitems;
		fit.theta = NULL;
	}
out:
	snapshot_release(&fit);
	free(row_of);
	standing_board_put(b);
	return e;
}

/* Order-free ratings, with their intervals or without. */
static enum err
rate(const struct scope *s, bool quick, struct snapshot *out)
{
	struct snapshot_options o = { STANDING_LEVEL, true, SEED, false };
	struct snapshot last = { .theta = s->theta, .nitems = s->theta_n };
	struct snapshot fit = { .nitems = s->items, .votes = s->tally.votes };
	struct pairs p = { 0 };
	struct bt_fit f = { 0 };
	enum err e;

	if (!quick)
		return snapshot_make(&s->tally, s->items, &o,
		    s->theta != NULL ? &last : NULL, out);
	fit.item = calloc(s->items + 1u, sizeof(*fit.item));
	fit.theta = calloc(s->items + 1u, sizeof(*fit.theta));
	if (fit.item == NULL || fit.theta == NULL) {
		snapshot_release(&fit);
		return ERR_NOMEM;
	}
	memcpy(fit.theta, s->theta, s->theta_n * sizeof(*fit.theta));
	e = pairs_open(&s->tally, s->items, &p);
	if (e == ERR_OK)
		e = bt_fit(&p, fit.theta, &f);
	for (uint32_t i = 0; i < s->items && e == ERR_OK; i++) {
		fit.theta[i] = f.theta[i];
		fit.item[i] = (struct snapshot_item){
			.rating = BT_CENTRE + BT_POINTS * f.theta[i],
			.lower = NAN,
			.upper = NAN,
			.component = p.part_of[i],
			.separable = !f.penalised[i]
		};
	}
	bt_fit_release(&f);
	pairs_release(&p);
	if (e == ERR_OK)
		*out = fit;
	else
		snapshot_release(&fit);
	return e;
}

/* Ratings moved a little; how sure they are did hardly. */
static void
keep_widths(const struct standing_board *from, struct standing_board *b)
{
	for (size_t i = 0; i < b->rows_n; i++) {
		struct standing_row *r = &b->rows[i];
		const struct standing_row *was =
		    standing_row_find(from, r->digest);

		if (was == NULL)
			continue;
		r->free_lower = r->free - (was->free - was->free_lower);
		r->free_upper = r->free + (was->free_upper - was->free);
		r->se = was->se;
	}
}

struct keyed {
	struct text digest;
	uint32_t item;
};

static int
by_digest(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	return text_cmp(a->digest, b->digest);
}

static double
if_finite(double x)
{
	return isfinite(x) ? x : NAN;
}

/* What the fit says of an item; fit may be empty. */
static void
fill_fit(const struct snapshot *fit, uint32_t item, struct standing_row *r)
{
	const struct snapshot_item *x;

	r->free = r->free_lower = r->free_upper = r->se = NAN;
	r->expected = r->weighted = NAN;
	if (item >= fit->nitems || r->matches == 0)
		return;
	x = &fit->item[item];
	r->free = x->rating;
	r->free_lower = if_finite(x->lower);
	r->free_upper = if_finite(x->upper);
	r->se = (r->free_upper - r->free_lower) /
		(2 * dist_normal_quantile(1 - (1 - STANDING_LEVEL) / 2));
	r->expected = 100 * num_sigmoid(fit->theta[item]);
	r->part = x->component;
	r->separable = x->separable;
}

static enum err
fill_rows(const struct ledger_view *v, const struct scope *s,
    const struct snapshot *fit, struct standing_board *b, uint32_t *row_of)
{
	struct keyed *keys = calloc(s->items + 1u, sizeof(*keys));

	b->rows = calloc(s->items + 1u, sizeof(*b->rows));
	if (keys == NULL || b->rows == NULL) {
		free(keys);
		return ERR_NOMEM;
	}
	for (uint32_t i = 0; i < s->items; i++) {
		row_of[i] = STANDING_NONE;
		if (s->counts[i].matches + s->counts[i].not_counted > 0)
			keys[b->rows_n++] =
			    (struct keyed){ v->versions.all[i], i };
	}
	if (b->rows_n > 1)
		qsort(keys, b->rows_n, sizeof(*keys), by_digest);
	for (size_t k = 0; k < b->rows_n; k++) {
		uint32_t i = keys[k].item;
		const struct counts *c = &s->counts[i];
		struct standing_row *r = &b->rows[k];

		row_of[i] = (uint32_t)k;
		*r = (struct standing_row){ .digest = keys[k].digest,
			.matches = c->matches,
			.wins = c->wins,
			.losses = c->losses,
			.ties = c->ties,
			.both_poor = c->both_poor,
			.not_counted = c->not_counted,
			.elo = s->elo[i] };
		fill_fit(fit, i, r);
	}
	free(keys);
	return ERR_OK;
}

/* Points grouped by row: they were added day by day. */
static enum err
fill_points(
    const struct scope *s, const uint32_t *row_of, struct standing_board *b)
{
	double *now = malloc((2 * (size_t)s->items + 2) * sizeof(*now));
	double *deviation = now != NULL ? now + s->items + 1 : NULL;
	uint32_t at = 0;
	enum err e = ERR_NOMEM;

	b->points = calloc(s->points_n + 1, sizeof(*b->points));
	if (now == NULL || b->points == NULL)
		goto out;
	e = ERR_OK;
	memcpy(now, s->glicko, s->items * sizeof(*now));
	memcpy(deviation, s->deviation, s->items * sizeof(*deviation));
	if (s->today_n > 0)
		e = glicko_period(
		    &periods, s->today, s->today_n, now, deviation, s->items);
	for (size_t k = 0; k < s->points_n; k++)
		b->rows[row_of[s->points[k].row]].points_n++;
	for (size_t i = 0; i < b->rows_n; i++) {
		b->rows[i].first_point = at;
		at += b->rows[i].points_n;
		b->rows[i].points_n = 0;
	}
	for (size_t k = 0; k < s->points_n; k++) {
		struct standing_point p = s->points[k];
		struct standing_row *r = &b->rows[row_of[p.row]];

		if (s->today_n > 0 && p.day == s->day) {
			p.glicko = now[p.row];
			p.deviation = deviation[p.row];
		}
		p.row = row_of[p.row];
		b->points[r->first_point + r->points_n++] = p;
	}
	b->points_n = s->points_n;
out:
	free(now);
	return e;
}

static int
by_pair(const void *x, const void *y)
{
	const struct standing_pair *a = x, *b = y;

	if (a->i != b->i)
		return a->i < b->i ? -1 : 1;
	return (a->j > b->j) - (a->j < b->j);
}

/* Cells name sides; pairs do not. */
static enum err
fill_pairs(
    const struct scope *s, const uint32_t *row_of, struct standing_board *b)
{
	size_t n = 0;

	b->pairs = calloc(s->tally.ncells + 1, sizeof(*b->pairs));
	if (b->pairs == NULL)
		return ERR_NOMEM;
	for (size_t c = 0; c < s->tally.ncells; c++) {
		const struct tally_cell *k = &s->tally.cell[c];
		uint32_t i = row_of[k->a], j = row_of[k->b];
		bool turned = i > j;

		b->pairs[n++] = (struct standing_pair){ turned ? j : i,
			turned ? i : j,
			(uint32_t)k->n[turned ? TALLY_B : TALLY_A],
			(uint32_t)k->n[turned ? TALLY_A : TALLY_B],
			(uint32_t)k->n[TALLY_TIE], (uint32_t)k->n[TALLY_POOR] };
	}
	if (n > 1)
		qsort(b->pairs, n, sizeof(*b->pairs), by_pair);
	for (size_t k = 0; k < n; k++) {
		const struct standing_pair *p = &b->pairs[k];
		struct standing_pair *last =
		    b->pairs_n > 0 ? &b->pairs[b->pairs_n - 1] : NULL;

		if (last != NULL && last->i == p->i && last->j == p->j) {
			last->i_won += p->i_won;
			last->j_won += p->j_won;
			last->ties += p->ties;
			last->both_poor += p->both_poor;
		} else {
			b->pairs[b->pairs_n++] = *p;
		}
	}
	return ERR_OK;
}

static void
fill_totals(const struct ledger_view *v, const struct scope *s,
    struct standing_board *b)
{
	b->setup = v->setups.all[s->setup];
	if (s->type != STANDING_NONE)
		b->type = v->types.all[s->type];
	if (s->activity != STANDING_NONE)
		b->activity = v->activities.all[s->activity];
	b->side_a = s->by_choice[VOTE_A];
	b->side_b = s->by_choice[VOTE_B];
	b->ties = s->by_choice[VOTE_TIE];
	b->both_poor = s->by_choice[VOTE_BOTH_POOR];
	b->matches = b->side_a + b->side_b + b->ties + b->both_poor;
	count_voters(s, b);
	b->parts = count_parts(b, s->items);
}

/* Voters are judged over all questions: boards of all have the column. */
static void
fill_weighted(const struct ledger_view *v, const struct judged *j,
    const struct scope *s, struct standing_board *b)
{
	if (j->weighted == NULL || s->type != STANDING_NONE ||
	    s->activity != STANDING_NONE || s->setup >= j->setups)
		return;
	for (size_t i = 0; i < b->rows_n; i++) {
		struct text d = b->rows[i].digest;
		uint32_t k = names_find(&v->versions, (struct str){ d.p, d.n });

		if (k < j->versions && b->rows[i].matches > 0)
			b->rows[i].weighted =
			    BT_CENTRE +
			    BT_POINTS * j->weighted[s->setup * j->versions + k];
	}
}

/* Parts with a match in them. */
static uint32_t
count_parts(const struct standing_board *b, uint32_t items)
{
	bool *seen = calloc(items + 1u, sizeof(*seen));
	uint32_t n = 0;

	for (size_t i = 0; i < b->rows_n && seen != NULL; i++) {
		const struct standing_row *r = &b->rows[i];

		if (r->matches == 0 || r->part > items || seen[r->part])
			continue;
		seen[r->part] = true;
		n++;
	}
	free(seen);
	return n;
}

/* How many there are, and which side each of them took how often. */
static void
count_voters(const struct scope *s, struct standing_board *b)
{
	uint32_t n = s->tally.nvoters;

	b->voters = 0;
	for (uint32_t u = 0; u < n; u++)
		b->voters += s->tally.voter[u].n > 0;
	b->side = (struct share){ .value = NAN, .lower = NAN, .upper = NAN };
	if (s->side != NULL)
		share_of_people(s->side, n, STANDING_LEVEL, &b->side);
}
