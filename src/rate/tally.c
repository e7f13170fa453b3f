/* This file knows how to count votes per ordered pair and per voter. */
#include "config.h"

#include "rate/tally.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rate/tally_voter.h"

enum {
	DIRECT_MOST = 1024
}; /* items; the table takes 4 MB then */

static uint64_t hash_pair(uint32_t x, uint32_t y);
static enum err find_or_add_cell(
    struct tally *, uint32_t a, uint32_t b, uint32_t *out);
static enum err start_weights(struct tally *);

void
tally_init(struct tally *t, bool keeps_voters)
{
	memset(t, 0, sizeof(*t));
	t->keeps_voters = keeps_voters;
}

void
tally_release(struct tally *t)
{
	free(t->cell);
	free(t->weight);
	free(t->slot);
	free(t->direct);
	for (uint32_t u = 0; u < t->nvoters; u++)
		tally_voter_release(&t->voter[u]);
	free(t->voter);
	memset(t, 0, sizeof(*t));
}

static bool
has_row(const struct tally *t, uint32_t voter)
{
	return t->keeps_voters && voter != TALLY_NOBODY;
}

/* The cell exists and the voter has room for a row, or nothing was changed. */
static enum err
reserve(struct tally *t, uint32_t a, uint32_t b, uint32_t voter, uint32_t *cell)
{
	enum err e;

	assert(a != b);
	if ((e = find_or_add_cell(t, a, b, cell)) != ERR_OK)
		return e;
	if (has_row(t, voter) && (e = tally_voter_room(t, voter)) != ERR_OK)
		return e;
	if (a >= t->nitems)
		t->nitems = a + 1;
	if (b >= t->nitems)
		t->nitems = b + 1;
	return ERR_OK;
}

static int
row_column(enum tally_outcome o)
{
	return o == TALLY_POOR ? TALLY_TIE : (int)o;
}

/* A cell's sums: n votes that weigh w and w2 together. */
static void
add_weights(struct tally *t, uint32_t cell, enum tally_outcome o,
    uint32_t voter, double n, double w, double w2)
{
	struct tally_weight *k = &t->weight[cell];
	int column = row_column(o);

	k->w[o] += w;
	k->w2[o] += w2;
	if (has_row(t, voter))
		return;
	k->lone.n[column] += w != 0.0 ? n : 0.0;
	k->lone.w[column] += w;
	k->lone.w2[column] += w2;
}

enum err
tally_add_many(struct tally *t, uint32_t a, uint32_t b,
    enum tally_outcome outcome, uint64_t n, uint32_t voter)
{
	double w[3] = { 0 };
	uint32_t c;
	enum err e;

	assert(outcome < TALLY__MAX);
	/* Nearly always: a known pair, weights of 1, no voters kept. */
	if (a < t->side && b < t->side && !has_row(t, voter) &&
	    t->weight == NULL &&
	    (c = t->direct[(size_t)a * t->side + b]) != 0) {
		t->cell[c - 1].n[outcome] += n;
		t->votes += n;
		return ERR_OK;
	}
	w[row_column(outcome)] = (double)n;
	if ((e = reserve(t, a, b, voter, &c)) != ERR_OK ||
	    (has_row(t, voter) &&
		(e = tally_voter_add(t, voter, c, w, true)) != ERR_OK))
		return e;
	t->cell[c].n[outcome] += n;
	t->votes += n;
	if (t->weight != NULL)
		add_weights(
		    t, c, outcome, voter, (double)n, (double)n, (double)n);
	return ERR_OK;
}

enum err
tally_add(struct tally *t, uint32_t a, uint32_t b, enum tally_outcome outcome,
    double weight, uint32_t voter)
{
	double w[3] = { 0 };
	uint32_t c;
	enum err e;

	if (weight == 1.0)
		return tally_add_many(t, a, b, outcome, 1, voter);
	assert(weight >= 0.0 && weight <= TALLY_WEIGHT_MAX);
	assert(outcome < TALLY__MAX);
	if (t->weight == NULL && (e = start_weights(t)) != ERR_OK)
		return e;
	w[row_column(outcome)] = weight;
	if ((e = reserve(t, a, b, voter, &c)) != ERR_OK ||
	    (has_row(t, voter) &&
		(e = tally_voter_add(t, voter, c, w, false)) != ERR_OK))
		return e;
	t->cell[c].n[outcome]++;
	t->votes++;
	add_weights(t, c, outcome, voter, 1.0, weight, weight * weight);
	return ERR_OK;
}

enum err
tally_remove(struct tally *t, uint32_t a, uint32_t b,
    enum tally_outcome outcome, double weight, uint32_t voter)
{
	const struct tally_cell *found = tally_find(t, a, b);
	uint32_t c;
	enum err e;

	assert(outcome < TALLY__MAX);
	if (found == NULL || found->n[outcome] == 0)
		return ERR_NOTFOUND;
	if (t->weight == NULL && weight != 1.0)
		return ERR_NOTFOUND;
	c = (uint32_t)(found - t->cell);
	if (has_row(t, voter) && (e = tally_voter_remove(t, voter, c,
				      row_column(outcome), weight)) != ERR_OK)
		return e;
	t->cell[c].n[outcome]--;
	t->votes--;
	if (t->weight != NULL)
		add_weights(
		    t, c, outcome, voter, -1.0, -weight, -weight * weight);
	return ERR_OK;
}

/* Voter u's rows of from, their cells looked up anew. */
static enum err
merge_voter(struct tally *into, const struct tally *from, uint32_t u)
{
	const struct tally_voter *v = &from->voter[u];

	for (uint32_t k = 0; k < v->n; k++) {
		const struct tally_cell *c = &from->cell[v->row[k].cell];
		uint32_t cell;
		double w[3];
		enum err e = reserve(into, c->a, c->b, u, &cell);

		tally_row_weights(v, k, w);
		if (e == ERR_OK)
			e = tally_voter_add(into, u, cell, w, v->w == NULL);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static void
add_lone(struct tally_lone *to, const struct tally_lone *more)
{
	for (int o = 0; o < 3; o++) {
		to->n[o] += more->n[o];
		to->w[o] += more->w[o];
		to->w2[o] += more->w2[o];
	}
}

/* The unsigned votes of from into the cells that into has for them. */
static enum err
merge_unsigned(struct tally *into, const struct tally *from)
{
	struct tally_lone *lone;

	if (into->weight == NULL || !into->keeps_voters)
		return ERR_OK;
	lone = malloc((from->ncells + 1) * sizeof(*lone));
	if (lone == NULL)
		return ERR_NOMEM;
	tally_unsigned(from, lone);
	for (size_t k = 0; k < from->ncells; k++) {
		const struct tally_cell *c =
		    tally_find(into, from->cell[k].a, from->cell[k].b);

		add_lone(&into->weight[c - into->cell].lone, &lone[k]);
	}
	free(lone);
	return ERR_OK;
}

enum err
tally_merge(struct tally *into, const struct tally *from)
{
	uint32_t c;
	enum err e;

	assert(!into->keeps_voters || from->keeps_voters);
	if (from->weight != NULL && into->weight == NULL &&
	    (e = start_weights(into)) != ERR_OK)
		return e;
	for (size_t k = 0; k < from->ncells; k++) {
		const struct tally_cell *f = &from->cell[k];

		if ((e = find_or_add_cell(into, f->a, f->b, &c)) != ERR_OK)
			return e;
		for (int o = 0; o < TALLY__MAX; o++) {
			double w2, w = tally_weight_of(
				       from, k, (enum tally_outcome)o, &w2);

			into->cell[c].n[o] += f->n[o];
			into->votes += f->n[o];
			if (into->weight == NULL)
				continue;
			into->weight[c].w[o] += w;
			into->weight[c].w2[o] += w2;
		}
	}
	if ((e = merge_unsigned(into, from)) != ERR_OK)
		return e;
	for (uint32_t u = 0; into->keeps_voters && u < from->nvoters; u++) {
		if ((e = merge_voter(into, from, u)) != ERR_OK)
			return e;
	}
	if (from->nitems > into->nitems)
		into->nitems = from->nitems;
	return ERR_OK;
}

const struct tally_cell *
tally_find(const struct tally *t, uint32_t a, uint32_t b)
{
	size_t mask = t->nslots - 1, h;

	if (a < t->side && b < t->side) {
		h = t->direct[(size_t)a * t->side + b];
		return h != 0 ? &t->cell[h - 1] : NULL;
	}
	if (t->nslots == 0)
		return NULL;
	for (h = hash_pair(a, b) & mask; t->slot[h] != 0; h = (h + 1) & mask) {
		const struct tally_cell *c = &t->cell[t->slot[h] - 1];

		if (c->a == a && c->b == b)
			return c;
	}
	return NULL;
}

double
tally_weight_of(
    const struct tally *t, size_t c, enum tally_outcome o, double *w2)
{
	if (t->weight != NULL) {
		if (w2 != NULL)
			*w2 = t->weight[c].w2[o];
		return t->weight[c].w[o];
	}
	if (w2 != NULL)
		*w2 = (double)t->cell[c].n[o];
	return (double)t->cell[c].n[o];
}

static uint64_t
hash_pair(uint32_t x, uint32_t y)
{
	uint64_t z = ((uint64_t)x << 32 | y) * 0x9e3779b97f4a7c15u;

	return z ^ (z >> 29);
}

/* Room for one more cell and its slot. */
static enum err
grow_cells(struct tally *t)
{
	if (t->ncells == t->room) {
		size_t room = t->room != 0 ? t->room * 2 : 64;
		void *p = realloc(t->cell, room * sizeof(*t->cell));

		if (p == NULL)
			return ERR_NOMEM;
		t->cell = p;
		if (t->weight != NULL) {
			p = realloc(t->weight, room * sizeof(*t->weight));
			if (p == NULL)
				return ERR_NOMEM;
			t->weight = p;
		}
		t->room = room;
	}
	if (t->ncells * 2 >= t->nslots) {
		size_t n = t->nslots != 0 ? t->nslots * 4 : 256;
		uint32_t *s = calloc(n, sizeof(*s));

		if (s == NULL)
			return ERR_NOMEM;
		for (size_t c = 0; c < t->ncells; c++) {
			size_t h = hash_pair(t->cell[c].a, t->cell[c].b);

			for (h &= n - 1; s[h] != 0;)
				h = (h + 1) & (n - 1);
			s[h] = (uint32_t)(c + 1);
		}
		free(t->slot);
		t->slot = s;
		t->nslots = n;
	}
	return ERR_OK;
}

/* Index items up to most directly, as long as they are few. */
static enum err
grow_direct(struct tally *t, uint32_t most)
{
	uint32_t side = t->side != 0 ? t->side : 32;
	uint32_t *d;

	if (most < t->side || most >= DIRECT_MOST)
		return ERR_OK;
	while (side <= most)
		side *= 2;
	d = calloc((size_t)side * side, sizeof(*d));
	if (d == NULL)
		return ERR_NOMEM;
	for (size_t c = 0; c < t->ncells; c++) {
		const struct tally_cell *k = &t->cell[c];

		if (k->a < side && k->b < side)
			d[(size_t)k->a * side + k->b] = (uint32_t)c + 1;
	}
	free(t->direct);
	t->direct = d;
	t->side = side;
	return ERR_OK;
}

static enum err
find_or_add_cell(struct tally *t, uint32_t a, uint32_t b, uint32_t *out)
{
	const struct tally_cell *c = tally_find(t, a, b);
	size_t h;
	enum err e;

	if (c != NULL) {
		*out = (uint32_t)(c - t->cell);
		return ERR_OK;
	}
	if ((e = grow_cells(t)) != ERR_OK ||
	    (e = grow_direct(t, a > b ? a : b)) != ERR_OK)
		return e;
	for (h = hash_pair(a, b) & (t->nslots - 1); t->slot[h] != 0;)
		h = (h + 1) & (t->nslots - 1);
	*out = (uint32_t)t->ncells;
	if (a < t->side && b < t->side)
		t->direct[(size_t)a * t->side + b] = *out + 1;
	t->cell[t->ncells] = (struct tally_cell){ .a = a, .b = b };
	if (t->weight != NULL)
		memset(&t->weight[t->ncells], 0, sizeof(*t->weight));
	t->slot[h] = (uint32_t)++t->ncells;
	return ERR_OK;
}

/* Of a tally whose votes all weigh 1: those of no voter's row. */
static void
count_unsigned(const struct tally *t, struct tally_lone *out)
{
	for (size_t c = 0; c < t->ncells; c++) {
		const uint64_t *n = t->cell[c].n;

		out[c] = (struct tally_lone){
			.n = { (double)n[TALLY_A], (double)n[TALLY_B],
			    (double)(n[TALLY_TIE] + n[TALLY_POOR]) }
		};
	}
	for (uint32_t u = 0; u < t->nvoters; u++) {
		for (uint32_t k = 0; k < t->voter[u].n; k++) {
			const struct tally_row *r = &t->voter[u].row[k];
			double w[3];

			tally_row_weights(&t->voter[u], k, w);
			for (int o = 0; o < 3; o++)
				out[r->cell].n[o] -= w[o];
		}
	}
	for (size_t c = 0; c < t->ncells; c++) {
		memcpy(out[c].w, out[c].n, sizeof(out[c].w));
		memcpy(out[c].w2, out[c].n, sizeof(out[c].w2));
	}
}

void
tally_unsigned(const struct tally *t, struct tally_lone *out)
{
	if (t->weight == NULL)
		count_unsigned(t, out);
	for (size_t c = 0; t->weight != NULL && c < t->ncells; c++)
		out[c] = t->weight[c].lone;
}

/* The first weight other than 1: turn the counts so far into weights. */
static enum err
start_weights(struct tally *t)
{
	struct tally_weight *w = calloc(t->room != 0 ? t->room : 1, sizeof(*w));
	struct tally_lone *lone = malloc((t->ncells + 1) * sizeof(*lone));

	if (w == NULL || lone == NULL) {
		free(w);
		free(lone);
		return ERR_NOMEM;
	}
	count_unsigned(t, lone);
	for (size_t c = 0; c < t->ncells; c++) {
		for (int o = 0; o < TALLY__MAX; o++) {
			w[c].w[o] = (double)t->cell[c].n[o];
			w[c].w2[o] = (double)t->cell[c].n[o];
		}
		w[c].lone = lone[c];
	}
	free(lone);
	t->weight = w;
	return ERR_OK;
}
