/* This file knows how to draw the pair whose next vote tells most. */
#include "config.h"

#include "model/pairing.h"

#include <math.h>

#include "base/pool.h"
#include "model/deck.h"
#include "model/standing.h"
#include "rate/bt.h"
#include "rate/value.h"

struct field { /* the versions of one setup that candidates are made of */
	uint32_t *item;    /* by version: its number here, or DECK_NONE */
	uint32_t *version; /* by item */
	size_t n;
	double *theta, *variance, *chance;
	uint64_t *matches;
	uint32_t *met;
	unsigned char *barred;
};

static size_t setup_end(
    const struct pairing_candidate *c, size_t from, size_t n);
static enum err make_field(struct pool *pool, const struct deck *deck,
    const struct pairing_candidate *c, size_t n, struct field *f);
static enum err fill_field(struct pool *pool, const struct deck *deck,
    const struct standing_board *b, struct field *f);
static void share_out(const struct pairing_candidate *c, size_t n,
    const struct field *f, double *weight);

enum err
pairing_values(const struct pairing_candidate *c, size_t n,
    const struct deck *deck, const struct pairing_wish *wish, struct pool *pool,
    double *weight)
{
	struct value_options o = VALUE_OPTIONS_DEFAULT;

	for (size_t from = 0, to; from < n; from = to) {
		struct field f = { 0 };
		const struct standing_board *b = standing_board_find(
		    wish->standing, deck->setups[c[from].setup].digest,
		    (struct text){ 0 }, (struct text){ 0 });
		enum err e;

		to = setup_end(c, from, n);
		e = make_field(pool, deck, c + from, to - from, &f);
		if (e == ERR_OK)
			e = fill_field(pool, deck, b, &f);
		if (e != ERR_OK)
			return e;
		if (value_chances(f.n, f.theta, f.met, f.matches, f.barred, &o,
			f.variance, f.chance) == 0)
			return ERR_INTERNAL;
		share_out(c + from, to - from, &f, weight + from);
	}
	return ERR_OK;
}

/* Candidates come setup by setup. */
static size_t
setup_end(const struct pairing_candidate *c, size_t from, size_t n)
{
	size_t to = from;

	while (to < n && c[to].setup == c[from].setup)
		to++;
	return to;
}

static uint32_t
number(struct field *f, uint32_t version)
{
	if (f->item[version] == DECK_NONE) {
		f->item[version] = (uint32_t)f->n;
		f->version[f->n++] = version;
	}
	return f->item[version];
}

static enum err
make_field(struct pool *pool, const struct deck *deck,
    const struct pairing_candidate *c, size_t n, struct field *f)
{
	size_t pairs;

	f->item = pool_array(pool, deck->versions_n + 1, sizeof(*f->item));
	f->version =
	    pool_array(pool, deck->versions_n + 1, sizeof(*f->version));
	if (f->item == NULL || f->version == NULL)
		return ERR_NOMEM;
	for (size_t v = 0; v < deck->versions_n; v++)
		f->item[v] = DECK_NONE;
	for (size_t i = 0; i < n; i++) {
		(void)number(f, c[i].x);
		(void)number(f, c[i].y);
	}
	pairs = f->n * (f->n - 1) / 2;
	f->theta = pool_array(pool, f->n, sizeof(*f->theta));
	f->variance = pool_array(pool, f->n, sizeof(*f->variance));
	f->matches = pool_array(pool, f->n, sizeof(*f->matches));
	f->chance = pool_array(pool, pairs, sizeof(*f->chance));
	f->met = pool_array(pool, pairs, sizeof(*f->met));
	f->barred = pool_array(pool, pairs, sizeof(*f->barred));
	if (f->theta == NULL || f->variance == NULL || f->matches == NULL ||
	    f->chance == NULL || f->met == NULL || f->barred == NULL)
		return ERR_NOMEM;
	for (size_t k = 0; k < pairs; k++)
		f->barred[k] = 1;
	for (size_t i = 0; i < n; i++)
		f->barred[value_pair(f->item[c[i].x], f->item[c[i].y])] = 0;
	return ERR_OK;
}

/* What the votes say of them; b NULL: nothing yet. */
static enum err
fill_field(struct pool *pool, const struct deck *deck,
    const struct standing_board *b, struct field *f)
{
	uint32_t *item; /* by row of the board */

	if (b == NULL)
		return ERR_OK;
	item = pool_array(pool, b->rows_n + 1, sizeof(*item));
	if (item == NULL)
		return ERR_NOMEM;
	for (size_t r = 0; r < b->rows_n; r++)
		item[r] = DECK_NONE;
	for (size_t i = 0; i < f->n; i++) {
		const struct standing_row *r =
		    standing_row_find(b, deck->versions[f->version[i]].digest);

		if (r == NULL)
			continue;
		item[r - b->rows] = (uint32_t)i;
		f->matches[i] = (uint64_t)r->matches;
		if (!isnan(r->free))
			f->theta[i] = (r->free - BT_CENTRE) / BT_POINTS;
	}
	for (size_t k = 0; k < b->pairs_n; k++) {
		const struct standing_pair *p = &b->pairs[k];
		uint32_t i = item[p->i], j = item[p->j];

		if (i != DECK_NONE && j != DECK_NONE)
			f->met[value_pair(i, j)] =
			    p->i_won + p->j_won + p->ties + p->both_poor;
	}
	return ERR_OK;
}

/* A setup keeps its share of all draws; within it the values decide, and
 * weigh the draws that a new version gives to its predecessor. */
static void
share_out(const struct pairing_candidate *c, size_t n, const struct field *f,
    double *weight)
{
	double draws = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		weight[i] =
		    c[i].weight *
		    f->chance[value_pair(f->item[c[i].x], f->item[c[i].y])];
		draws += c[i].weight;
		sum += weight[i];
	}
	for (size_t i = 0; i < n; i++)
		weight[i] *= draws / sum;
}
