/* This file knows how to tell which prompts can be compared. */
#include "config.h"

#include "rate/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "rate/tally.h"

static enum err find_parts(struct pairs *);
static enum err find_strong(struct pairs *);

/* Add cell c of t to p, turned round if its sides are. */
static void
add_cell(const struct tally *t, size_t c, struct pair *p)
{
	bool turned = t->cell[c].a != p->i;
	double w[TALLY__MAX], w2[TALLY__MAX];

	for (int o = 0; o < TALLY__MAX; o++)
		w[o] = tally_weight_of(t, c, (enum tally_outcome)o, &w2[o]);
	p->win += turned ? w[TALLY_B] : w[TALLY_A];
	p->loss += turned ? w[TALLY_A] : w[TALLY_B];
	p->win2 += turned ? w2[TALLY_B] : w2[TALLY_A];
	p->loss2 += turned ? w2[TALLY_A] : w2[TALLY_B];
	p->nwin += (double)t->cell[c].n[turned ? TALLY_B : TALLY_A];
	p->nloss += (double)t->cell[c].n[turned ? TALLY_A : TALLY_B];
	p->ntie += (double)(t->cell[c].n[TALLY_TIE] + t->cell[c].n[TALLY_POOR]);
	p->tie += w[TALLY_TIE] + w[TALLY_POOR];
	p->tie2 += w2[TALLY_TIE] + w2[TALLY_POOR];
}

/* A cell by its pair. */
struct met {
	uint32_t i, j;
	uint32_t cell;
};

/* Sort by j, or by i, and leave equal ones in their order. */
static void
sort_by(bool j, const struct met *from, size_t n, uint32_t nitems, size_t *head,
    struct met *to)
{
	memset(head, 0, (nitems + 1u) * sizeof(*head));
	for (size_t k = 0; k < n; k++)
		head[(j ? from[k].j : from[k].i) + 1]++;
	for (uint32_t i = 0; i < nitems; i++)
		head[i + 1] += head[i];
	for (size_t k = 0; k < n; k++)
		to[head[j ? from[k].j : from[k].i]++] = from[k];
}

/* One pair for both sides of it, in order of i, then j. */
static enum err
collect(const struct tally *t, struct pairs *p)
{
	size_t n = t->ncells;
	struct met *by = calloc(2 * n + 1, sizeof(*by)), *work = by + n;
	size_t *head = malloc((p->nitems + 1u) * sizeof(*head));

	if (by == NULL || head == NULL) {
		free(by);
		free(head);
		return ERR_NOMEM;
	}
	for (size_t c = 0; c < n; c++) {
		uint32_t a = t->cell[c].a, b = t->cell[c].b;

		by[c] =
		    (struct met){ a < b ? a : b, a < b ? b : a, (uint32_t)c };
	}
	sort_by(true, by, n, p->nitems, head, work);
	sort_by(false, work, n, p->nitems, head, by);
	for (size_t k = 0; k < n;) {
		struct pair new = { .i = by[k].i, .j = by[k].j };

		for (; k < n && by[k].i == new.i &&by[k].j == new.j; k++)
			add_cell(t, by[k].cell, &new);
		if (new.win + new.loss + new.tie > 0.0)
			p->pair[p->npairs++] = new;
	}
	free(by);
	free(head);
	return ERR_OK;
}

enum err
pairs_open(const struct tally *t, uint32_t nitems, struct pairs *out)
{
	struct pairs p = { .nitems = nitems };
	enum err e = ERR_NOMEM;

	p.pair = malloc((t->ncells + 1) * sizeof(*p.pair));
	p.order = calloc(nitems + 1u, sizeof(*p.order));
	p.local = calloc(nitems + 1u, sizeof(*p.local));
	p.part_of = calloc(nitems + 1u, sizeof(*p.part_of));
	p.strong = calloc(nitems + 1u, sizeof(*p.strong));
	p.part = calloc(nitems + 1u, sizeof(*p.part));
	if (p.pair == NULL || p.order == NULL || p.local == NULL ||
	    p.part_of == NULL || p.strong == NULL || p.part == NULL)
		goto fail;
	if ((e = collect(t, &p)) != ERR_OK || (e = find_parts(&p)) != ERR_OK ||
	    (e = find_strong(&p)) != ERR_OK)
		goto fail;
	*out = p;
	return ERR_OK;
fail:
	pairs_release(&p);
	return e;
}

void
pairs_release(struct pairs *p)
{
	free(p->pair);
	free(p->order);
	free(p->local);
	free(p->part_of);
	free(p->strong);
	free(p->part);
	memset(p, 0, sizeof(*p));
}

static uint32_t
root(uint32_t *up, uint32_t x)
{
	while (up[x] != x) {
		up[x] = up[up[x]];
		x = up[x];
	}
	return x;
}

/* Pairs of a component together; nearly always there is but one. */
static enum err
group_pairs(struct pairs *p)
{
	struct pair *sorted;
	uint32_t c = 0;

	while (c < p->nparts && p->part[c].np == 0)
		c++;
	if (c == p->nparts || p->part[c].np == p->npairs)
		return ERR_OK;
	sorted = malloc((p->npairs + 1) * sizeof(*sorted));
	if (sorted == NULL)
		return ERR_NOMEM;
	for (c = 0; c < p->nparts; c++)
		p->part[c].np = 0;
	for (size_t k = 0; k < p->npairs; k++) {
		struct pairs_part *part = &p->part[p->part_of[p->pair[k].i]];

		sorted[part->first_pair + part->np++] = p->pair[k];
	}
	free(p->pair);
	p->pair = sorted;
	return ERR_OK;
}

/* Number the components by their least item and group items and pairs. */
static enum err
find_parts(struct pairs *p)
{
	uint32_t *up = malloc((p->nitems + 1u) * sizeof(*up));

	if (up == NULL)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < p->nitems; i++)
		up[i] = i;
	for (size_t k = 0; k < p->npairs; k++) {
		uint32_t x = root(up, p->pair[k].i), y = root(up, p->pair[k].j);

		up[x > y ? x : y] = x > y ? y : x;
	}
	for (uint32_t i = 0; i < p->nitems; i++) {
		uint32_t r = root(up, i);

		p->part_of[i] = r == i ? p->nparts++ : p->part_of[r];
		p->local[i] = p->part[p->part_of[i]].n++;
	}
	for (size_t k = 0; k < p->npairs; k++)
		p->part[p->part_of[p->pair[k].i]].np++;
	for (uint32_t c = 1; c < p->nparts; c++) {
		p->part[c].first = p->part[c - 1].first + p->part[c - 1].n;
		p->part[c].first_pair =
		    p->part[c - 1].first_pair + p->part[c - 1].np;
	}
	for (uint32_t i = 0; i < p->nitems; i++)
		p->order[p->part[p->part_of[i]].first + p->local[i]] = i;
	free(up);
	return group_pairs(p);
}

static enum err
find_strong(struct pairs *p)
{
	size_t n = p->nitems, m = p->npairs;
	uint32_t *i = malloc((m + 1) * sizeof(*i));
	uint32_t *j = malloc((m + 1) * sizeof(*j));
	double *si = malloc((m + 1) * sizeof(*si));
	double *sj = malloc((m + 1) * sizeof(*sj));
	uint32_t *work = malloc((6 * n + 2 * m + 2) * sizeof(*work));
	uint32_t *least = NULL;
	enum err e = ERR_NOMEM;

	if (i == NULL || j == NULL || si == NULL || sj == NULL || work == NULL)
		goto out;
	for (size_t k = 0; k < m; k++) {
		i[k] = p->pair[k].i;
		j[k] = p->pair[k].j;
		si[k] = p->pair[k].win + 0.5 * p->pair[k].tie;
		sj[k] = p->pair[k].loss + 0.5 * p->pair[k].tie;
	}
	p->nstrong = pairs_strong(p->nitems, i, j, si, sj, m, p->strong, work);
	least = calloc(p->nstrong + 1u, sizeof(*least));
	if (least == NULL)
		goto out;
	for (uint32_t x = 0; x < p->nitems; x++) {
		if (least[p->strong[x]]++ == 0)
			p->part[p->part_of[x]].nstrong++;
	}
	e = ERR_OK;
out:
	free(i);
	free(j);
	free(si);
	free(sj);
	free(work);
	free(least);
	return e;
}

/* Out-edges of every item, one array after the other. */
static void
list_edges(uint32_t n, const uint32_t *i, const uint32_t *j,
    const double *score_i, const double *score_j, size_t np, uint32_t *head,
    uint32_t *to)
{
	memset(head, 0, (n + 2u) * sizeof(*head));
	for (size_t k = 0; k < np; k++) {
		head[i[k] + 2] += score_j[k] > 0.0;
		head[j[k] + 2] += score_i[k] > 0.0;
	}
	for (uint32_t x = 2; x < n + 2u; x++)
		head[x] += head[x - 1];
	for (size_t k = 0; k < np; k++) {
		if (score_j[k] > 0.0)
			to[head[i[k] + 1]++] = j[k];
		if (score_i[k] > 0.0)
			to[head[j[k] + 1]++] = i[k];
	}
}

struct walk {
	const uint32_t *head, *to;
	uint32_t *index, *low, *next, *stack, *path, *id;
	uint32_t seen, nstack, found;
};

/* Tarjan (1972), with the recursion kept in an array. */
static void
walk_from(struct walk *w, uint32_t start)
{
	uint32_t depth = 0;

	w->path[depth++] = start;
	while (depth > 0) {
		uint32_t x = w->path[depth - 1], y;

		if (w->index[x] == 0) {
			w->index[x] = w->low[x] = ++w->seen;
			w->next[x] = w->head[x];
			w->stack[w->nstack++] = x;
		}
		if (w->next[x] < w->head[x + 1]) {
			y = w->to[w->next[x]++];
			if (w->index[y] == 0)
				w->path[depth++] = y;
			else if (w->index[y] < w->low[x])
				w->low[x] = w->index[y];
			continue;
		}
		if (w->low[x] == w->index[x]) {
			do {
				y = w->stack[--w->nstack];
				w->index[y] = w->low[y] = UINT32_MAX;
				if (w->id != NULL)
					w->id[y] = w->found;
			} while (y != x);
			w->found++;
		}
		if (--depth > 0 && w->low[x] < w->low[w->path[depth - 1]])
			w->low[w->path[depth - 1]] = w->low[x];
	}
}

size_t
pairs_find(const struct pairs *p, uint32_t a, uint32_t b)
{
	const struct pairs_part *c = &p->part[p->part_of[a]];
	uint32_t i = a < b ? a : b, j = a < b ? b : a;
	size_t lo = c->first_pair, hi = lo + c->np;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct pair *q = &p->pair[mid];

		if (q->i < i || (q->i == i && q->j < j))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t
pairs_strong(uint32_t n, const uint32_t *i, const uint32_t *j,
    const double *score_i, const double *score_j, size_t np, uint32_t *id,
    uint32_t *work)
{
	struct walk w = { .id = id };
	uint32_t *head = work, *to = head + n + 2;

	list_edges(n, i, j, score_i, score_j, np, head, to);
	w.head = head;
	w.to = to;
	w.index = to + 2 * np;
	w.low = w.index + n;
	w.next = w.low + n;
	w.stack = w.next + n;
	w.path = w.stack + n;
	memset(w.index, 0, n * sizeof(*w.index));
	for (uint32_t x = 0; x < n; x++) {
		if (w.index[x] == 0)
			walk_from(&w, x);
	}
	return w.found;
}
