/* This file knows how to keep each voter's rows short and together. */
#include "config.h"

#include "rate/tally_voter.h"

#include <stdlib.h>
#include <string.h>

#include "rate/tally.h"

static enum err settle(struct tally *t, struct tally_voter *v);

void
tally_voter_release(struct tally_voter *v)
{
	free(v->row);
	free(v->w);
}

static enum err
grow_voters(struct tally *t, uint32_t voter)
{
	uint64_t room = t->voter_room != 0 ? t->voter_room : 64;
	struct tally_voter *more;

	while (room <= voter)
		room *= 2;
	room = room > UINT32_MAX ? UINT32_MAX : room;
	if (room > t->voter_room) {
		more = realloc(t->voter, room * sizeof(*more));
		if (more == NULL)
			return ERR_NOMEM;
		t->voter = more;
		t->voter_room = (uint32_t)room;
	}
	memset(t->voter + t->nvoters, 0,
	    (voter + 1u - t->nvoters) * sizeof(*t->voter));
	t->nvoters = voter + 1;
	return ERR_OK;
}

static enum err
grow_rows(struct tally_voter *v)
{
	size_t room = v->room < 4 ? v->room + 1u : v->room + v->room / 2u;
	void *p;

	if (room > UINT32_MAX)
		return ERR_TOOBIG;
	p = realloc(v->row, room * sizeof(*v->row));
	if (p == NULL)
		return ERR_NOMEM;
	v->row = p;
	if (v->w != NULL) {
		p = realloc(v->w, 3 * room * sizeof(*v->w));
		if (p == NULL)
			return ERR_NOMEM;
		v->w = p;
	}
	v->room = (uint32_t)room;
	return ERR_OK;
}

enum err
tally_voter_room(struct tally *t, uint32_t voter)
{
	struct tally_voter *v;
	enum err e;

	if (voter >= t->nvoters && (e = grow_voters(t, voter)) != ERR_OK)
		return e;
	v = &t->voter[voter];
	if (v->n < v->room)
		return ERR_OK;
	/* Rows put together may leave room; if little, sorting them again
	 * and again would cost more than they do. */
	if (v->n >= 8 && settle(t, v) == ERR_OK && v->n < v->room - v->room / 4)
		return ERR_OK;
	return grow_rows(v);
}

/* From counts to weights. */
static enum err
start_weights(struct tally_voter *v)
{
	double *w = malloc(3 * (size_t)v->room * sizeof(*w));

	if (w == NULL)
		return ERR_NOMEM;
	for (uint32_t k = 0; k < v->n; k++)
		tally_row_weights(v, k, w + 3 * (size_t)k);
	v->w = w;
	return ERR_OK;
}

enum err
tally_voter_add(struct tally *t, uint32_t voter, uint32_t cell,
    const double w[3], bool counts)
{
	struct tally_voter *v = &t->voter[voter];
	bool few = counts && w[0] <= UINT32_MAX && w[1] <= UINT32_MAX &&
		   w[2] <= UINT32_MAX;
	enum err e;

	if (v->w == NULL && !few && (e = start_weights(v)) != ERR_OK)
		return e;
	v->row[v->n] = (struct tally_row){ .cell = cell };
	for (int o = 0; o < 3; o++) {
		if (v->w != NULL)
			v->w[3 * (size_t)v->n + (size_t)o] = w[o];
		else
			v->row[v->n].n[o] = (uint32_t)w[o];
	}
	v->all += w[0] + w[1] + w[2];
	v->n++;
	t->nrows++;
	return ERR_OK;
}

enum err
tally_voter_remove(
    struct tally *t, uint32_t voter, uint32_t cell, int column, double weight)
{
	struct tally_voter *v = voter < t->nvoters ? &t->voter[voter] : NULL;
	enum err e;

	if (v == NULL)
		return ERR_NOTFOUND;
	if ((e = settle(t, v)) != ERR_OK)
		return e;
	for (uint32_t k = 0; k < v->n; k++) {
		if (v->row[k].cell != cell)
			continue;
		if (v->w != NULL) {
			v->w[3 * (size_t)k + (size_t)column] -= weight;
			return ERR_OK;
		}
		if (v->row[k].n[column] == 0)
			continue;
		v->row[k].n[column]--;
		return ERR_OK;
	}
	return ERR_NOTFOUND;
}

struct keyed {
	struct tally_row row;
	uint32_t at; /* weights are added in the order in which they came */
	double w[3];
};

static int
by_cell(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	if (a->row.cell != b->row.cell)
		return a->row.cell < b->row.cell ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Add y to x if their counts allow it. */
static bool
join(struct keyed *x, const struct keyed *y)
{
	if (x->row.cell != y->row.cell)
		return false;
	for (int o = 0; o < 3; o++) {
		if (x->row.n[o] > UINT32_MAX - y->row.n[o])
			return false;
	}
	for (int o = 0; o < 3; o++) {
		x->row.n[o] += y->row.n[o];
		x->w[o] += y->w[o];
	}
	return true;
}

static enum err
settle(struct tally *t, struct tally_voter *v)
{
	struct keyed *k = malloc((v->n + 1u) * sizeof(*k));
	uint32_t n = 0;

	if (k == NULL)
		return ERR_NOMEM;
	for (uint32_t x = 0; x < v->n; x++) {
		k[x] = (struct keyed){ .row = v->row[x], .at = x };
		if (v->w != NULL)
			tally_row_weights(v, x, k[x].w);
	}
	if (v->n > 1)
		qsort(k, v->n, sizeof(*k), by_cell);
	for (uint32_t x = 0; x < v->n; x++) {
		if (n == 0 || !join(&k[n - 1], &k[x]))
			k[n++] = k[x];
	}
	for (uint32_t x = 0; x < n; x++) {
		v->row[x] = k[x].row;
		for (uint32_t o = 0; v->w != NULL && o < 3; o++)
			v->w[3 * (size_t)x + o] = k[x].w[o];
	}
	t->nrows -= v->n - n;
	v->n = n;
	free(k);
	return ERR_OK;
}

enum err
tally_settle(struct tally *t)
{
	for (uint32_t u = 0; u < t->nvoters; u++) {
		enum err e =
		    t->voter[u].n > 1 ? settle(t, &t->voter[u]) : ERR_OK;

		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}
