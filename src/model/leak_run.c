/* This file knows how to find the longest run of words two texts share. */
#include "config.h"

#include <string.h>

#include "model/leak_parts.h"

/* A suffix automaton: every run of words of one text, in linear space. */
struct state {
	uint32_t length, link;
	uint32_t edges; /* its first edge; UINT32_MAX: none */
};

struct edge {
	uint64_t word;
	uint32_t from, to;
	uint32_t next; /* of the same state */
};

struct automaton {
	struct state *states;
	struct edge *edges;
	uint32_t *table; /* edge by state and word, 0: free, else index + 1 */
	size_t states_n, edges_n, mask;
	uint32_t last;
};

static enum err build(
    struct pool *pool, const struct leak_words *w, struct automaton *a);
static void extend(struct automaton *a, uint64_t word);
static uint32_t *slot(const struct automaton *a, uint32_t from, uint64_t word);
static void put_edge(
    struct automaton *a, uint32_t from, uint64_t word, uint32_t to);
static void step(const struct automaton *a, uint64_t word, uint32_t *state,
    uint32_t *length);

enum err
leak_run_find(struct pool *pool, const struct leak_words *answer,
    const struct leak_words *instruction, const struct leak_words *question,
    struct leak_run *out)
{
	struct automaton hidden, shown;
	uint32_t hs = 0, hn = 0, qs = 0, qn = 0;
	enum err e;

	*out = (struct leak_run){ 0, 0 };
	if (instruction->n == 0 || answer->n == 0)
		return ERR_OK;
	if ((e = build(pool, instruction, &hidden)) != ERR_OK ||
	    (e = build(pool, question, &shown)) != ERR_OK)
		return e;
	for (size_t i = 0; i < answer->n; i++) {
		const struct leak_word *w = &answer->w[i];
		size_t cjk = 0, words, bytes;

		step(&hidden, w->hash, &hs, &hn);
		step(&shown, w->hash, &qs, &qn);
		/* All but a word of it stands in the question as well. */
		if (hn < 4 || qn + 1 >= hn)
			continue;
		bytes = w->end - answer->w[i + 1 - hn].at;
		if (hn <= out->words && bytes <= out->bytes)
			continue;
		/* Only a run that would be the longest is looked at, and no
		 * further back than decides. */
		for (size_t k = i + 1 - (hn < 64 ? hn : 64); k <= i; k++)
			cjk += answer->w[k].cjk;
		words = hn - (cjk < hn ? cjk : hn) / 2;
		if (words > out->words)
			out->words = words;
		if (bytes > out->bytes)
			out->bytes = bytes;
	}
	return ERR_OK;
}

static enum err
build(struct pool *pool, const struct leak_words *w, struct automaton *a)
{
	size_t room = 64;

	*a = (struct automaton){ 0 };
	while (room < 8 * w->n)
		room *= 2;
	a->states = pool_array(pool, 2 * w->n + 2, sizeof(*a->states));
	a->edges = pool_array(pool, 4 * w->n + 4, sizeof(*a->edges));
	a->table = pool_array(pool, room, sizeof(*a->table));
	if (a->states == NULL || a->edges == NULL || a->table == NULL)
		return ERR_NOMEM;
	a->mask = room - 1;
	a->states_n = 1;
	a->states[0] = (struct state){ 0, UINT32_MAX, UINT32_MAX };
	for (size_t i = 0; i < w->n; i++)
		extend(a, w->w[i].hash);
	return ERR_OK;
}

/* Blumer et al. 1985, one word at a time. */
static void
extend(struct automaton *a, uint64_t word)
{
	uint32_t now = (uint32_t)a->states_n++, p = a->last, q, copy;

	a->states[now] =
	    (struct state){ a->states[p].length + 1, 0, UINT32_MAX };
	a->last = now;
	while (p != UINT32_MAX && *slot(a, p, word) == 0) {
		put_edge(a, p, word, now);
		p = a->states[p].link;
	}
	if (p == UINT32_MAX)
		return;
	q = a->edges[*slot(a, p, word) - 1].to;
	if (a->states[p].length + 1 == a->states[q].length) {
		a->states[now].link = q;
		return;
	}
	copy = (uint32_t)a->states_n++;
	a->states[copy] = (struct state){ a->states[p].length + 1,
		a->states[q].link, UINT32_MAX };
	for (uint32_t e = a->states[q].edges; e != UINT32_MAX;
	     e = a->edges[e].next)
		put_edge(a, copy, a->edges[e].word, a->edges[e].to);
	while (p != UINT32_MAX) {
		uint32_t *at = slot(a, p, word);

		if (*at == 0 || a->edges[*at - 1].to != q)
			break;
		a->edges[*at - 1].to = copy;
		p = a->states[p].link;
	}
	a->states[q].link = copy;
	a->states[now].link = copy;
}

static uint32_t *
slot(const struct automaton *a, uint32_t from, uint64_t word)
{
	uint64_t h = (word ^ (uint64_t)from * UINT64_C(0x9e3779b97f4a7c15)) *
		     UINT64_C(0xff51afd7ed558ccd);
	size_t i = (h >> 20) & a->mask;

	while (a->table[i] != 0) {
		const struct edge *e = &a->edges[a->table[i] - 1];

		if (e->from == from && e->word == word)
			break;
		i = (i + 1) & a->mask;
	}
	return &a->table[i];
}

static void
put_edge(struct automaton *a, uint32_t from, uint64_t word, uint32_t to)
{
	uint32_t *at = slot(a, from, word);

	a->edges[a->edges_n] =
	    (struct edge){ word, from, to, a->states[from].edges };
	a->states[from].edges = (uint32_t)a->edges_n++;
	*at = (uint32_t)a->edges_n;
}

/* The longest run that ends with this word. */
static void
step(
    const struct automaton *a, uint64_t word, uint32_t *state, uint32_t *length)
{
	uint32_t at = *slot(a, *state, word);

	while (at == 0 && *state != 0) {
		*state = a->states[*state].link;
		*length = a->states[*state].length;
		at = *slot(a, *state, word);
	}
	if (at == 0) {
		*length = 0;
		return;
	}
	*state = a->edges[at - 1].to;
	++*length;
}
