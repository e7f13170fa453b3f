/* This file knows how to find the few votes that hold up first place. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/insight.h"
#include "rate/num.h"
#include "rate/pairs.h"

enum {
	CHALLENGERS = 5
};

/* A lead that is no rounding error. */
static const double clearly = 1e-9;

/* Votes of one pair and outcome, and what removing one of them does. */
struct lever {
	size_t pair;   /* within the component */
	int outcome;   /* 0 i won, 1 j won, 2 tie */
	double effect; /* on the gap; > 0 closes it */
	uint64_t votes;
};

/* The largest component, and its fit. */
struct stage {
	const struct pairs *pairs;
	const struct pairs_part *part;
	struct bt_data data;
	struct bt_problem problem;
	struct bt_work work;
	double *theta, *b, *x, *si, *sj;
	uint32_t *walk; /* work space of pairs_strong */
	struct lever *lever;
	size_t nlevers;
	uint32_t first;
};

static enum err
open_stage(struct stage *s, const struct pairs *pairs, const struct bt_fit *fit)
{
	uint32_t big = 0;
	size_t n, m;
	enum err e;

	memset(s, 0, sizeof(*s));
	s->pairs = pairs;
	for (uint32_t c = 0; c < pairs->nparts; c++)
		big = pairs->part[c].n > pairs->part[big].n ? c : big;
	s->part = &pairs->part[big];
	n = s->part->n;
	m = s->part->np;
	if ((e = bt_data_open(pairs, &s->data)) != ERR_OK ||
	    (e = bt_work_open(&s->work, s->part->n, m)) != ERR_OK)
		return e;
	s->problem = s->data.problem[big];
	s->theta = calloc(3 * n + 2 * m + 1, sizeof(*s->theta));
	s->lever = calloc(3 * m + 1, sizeof(*s->lever));
	s->walk = malloc((6 * n + 2 * m + 2) * sizeof(*s->walk));
	if (s->theta == NULL || s->lever == NULL || s->walk == NULL)
		return ERR_NOMEM;
	s->b = s->theta + n;
	s->x = s->b + n;
	s->si = s->x + n;
	s->sj = s->si + m;
	for (size_t k = 0; k < n; k++) {
		s->theta[k] = fit->theta[pairs->order[s->part->first + k]];
		if (s->theta[k] > s->theta[s->first])
			s->first = (uint32_t)k;
	}
	/* Again from the maximum: leaves the Hessian in work. */
	return bt_solve(&s->problem, s->theta, &s->work);
}

static void
close_stage(struct stage *s)
{
	bt_data_release(&s->data);
	bt_work_release(&s->work);
	free(s->theta);
	free(s->lever);
	free(s->walk);
}

static int
by_effect(const void *x, const void *y)
{
	const struct lever *a = x, *b = y;

	if (a->effect != b->effect)
		return a->effect > b->effect ? -1 : 1;
	if (a->pair != b->pair)
		return a->pair < b->pair ? -1 : 1;
	return a->outcome - b->outcome;
}

/* All votes whose removal closes the gap to `other`, the best first. */
static enum err
find_levers(struct stage *s, uint32_t other)
{
	const struct pair *pair = s->pairs->pair + s->part->first_pair;
	enum err e;

	memset(s->b, 0, s->part->n * sizeof(*s->b));
	s->b[s->first] = 1.0;
	s->b[other] = -1.0;
	e = bt_hessian_solve(&s->problem, &s->work, s->b, 1e-8, s->x);
	if (e != ERR_OK)
		return e;
	s->nlevers = 0;
	for (size_t k = 0; k < s->part->np; k++) {
		uint32_t i = s->problem.i[k], j = s->problem.j[k];
		double d = s->theta[i] - s->theta[j], p = num_sigmoid(d);
		double score[3] = { 1.0 - p, -p, 0.5 - p };
		double n[3] = { pair[k].nwin, pair[k].nloss, pair[k].ntie };
		double w[3] = { pair[k].win, pair[k].loss, pair[k].tie };

		for (int o = 0; o < 3; o++) {
			double effect;

			if (!(n[o] > 0.0))
				continue;
			effect = (s->x[i] - s->x[j]) * score[o] * (w[o] / n[o]);
			if (effect > 0.0)
				s->lever[s->nlevers++] = (struct lever){ k, o,
					effect, (uint64_t)n[o] };
		}
	}
	qsort(s->lever, s->nlevers, sizeof(*s->lever), by_effect);
	return ERR_OK;
}

/* Is somebody else first once the best `votes` votes are gone? */
static enum err
first_falls(struct stage *s, uint64_t votes, bool *falls, uint32_t *winner)
{
	const struct pair *pair = s->pairs->pair + s->part->first_pair;
	struct bt_problem p = s->problem;
	uint32_t best = 0;
	enum err e;

	memcpy(s->si, p.si, p.np * sizeof(*s->si));
	memcpy(s->sj, p.sj, p.np * sizeof(*s->sj));
	for (size_t l = 0; l < s->nlevers && votes > 0; l++) {
		const struct lever *v = &s->lever[l];
		uint64_t take = v->votes < votes ? v->votes : votes;
		double n[3] = { pair[v->pair].nwin, pair[v->pair].nloss,
			pair[v->pair].ntie };
		double w[3] = { pair[v->pair].win, pair[v->pair].loss,
			pair[v->pair].tie };
		double cut = (double)take * (w[v->outcome] / n[v->outcome]);

		votes -= take;
		if (v->outcome != 1)
			s->si[v->pair] -= v->outcome == 2 ? 0.5 * cut : cut;
		if (v->outcome != 0)
			s->sj[v->pair] -= v->outcome == 2 ? 0.5 * cut : cut;
	}
	for (size_t k = 0; k < p.np; k++) {
		s->si[k] = fmax(0.0, s->si[k]);
		s->sj[k] = fmax(0.0, s->sj[k]);
	}
	p.si = s->si;
	p.sj = s->sj;
	p.ghost =
	    pairs_strong(p.n, p.i, p.j, p.si, p.sj, p.np, NULL, s->walk) > 1;
	memcpy(s->x, s->theta, p.n * sizeof(*s->x));
	if ((e = bt_solve(&p, s->x, &s->work)) != ERR_OK)
		return e;
	for (uint32_t k = 1; k < p.n; k++)
		best = s->x[k] > s->x[best] ? k : best;
	*falls = s->x[best] > s->x[s->first] + clearly;
	*winner = best;
	return ERR_OK;
}

/*
 * The least number of removals, in order of effect, that changes first place:
 * from the influence estimate upward by doubling, then by halving.
 */
static enum err
least_votes(struct stage *s, double gap, uint64_t *votes, uint32_t *winner)
{
	uint64_t all = 0, hi = 0, lo = 0;
	bool falls = false;
	enum err e;

	for (size_t l = 0; l < s->nlevers; l++) {
		double each = s->lever[l].effect;

		if (gap > 0.0) {
			double want = ceil(gap / each);
			double take = fmin(want, (double)s->lever[l].votes);

			hi += (uint64_t)take;
			gap -= take * each;
		}
		all += s->lever[l].votes;
	}
	for (;;) {
		hi = hi < 1 ? 1 : hi > all ? all : hi;
		if ((e = first_falls(s, hi, &falls, winner)) != ERR_OK)
			return e;
		if (falls || hi == all)
			break;
		lo = hi;
		hi = hi + hi / 2 + 1;
	}
	*votes = 0;
	if (!falls)
		return ERR_OK;
	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;
		uint32_t w;

		if ((e = first_falls(s, mid, &falls, &w)) != ERR_OK)
			return e;
		if (falls) {
			hi = mid;
			*winner = w;
		} else {
			lo = mid;
		}
	}
	*votes = hi;
	return ERR_OK;
}

static void
note_cuts(const struct stage *s, uint64_t votes, struct insight_fragile *out)
{
	const struct pair *pair = s->pairs->pair + s->part->first_pair;

	out->ncuts = 0;
	for (size_t l = 0; l < s->nlevers && votes > 0; l++) {
		const struct lever *v = &s->lever[l];
		const struct pair *p = &pair[v->pair];
		uint64_t take = v->votes < votes ? v->votes : votes;

		votes -= take;
		if (out->ncuts == INSIGHT_CUTS)
			continue;
		out->cut[out->ncuts++] =
		    (struct insight_cut){ v->outcome == 1 ? p->j : p->i,
			    v->outcome == 1 ? p->i : p->j, v->outcome == 2,
			    take };
	}
}

/* The k-th best after the first, by local number; n if there is none. */
static uint32_t
challenger(const struct stage *s, int k)
{
	uint32_t n = s->part->n, best = s->first;

	for (int round = 0; round <= k; round++) {
		uint32_t next = n;

		for (uint32_t x = 0; x < n; x++) {
			bool below =
			    s->theta[x] < s->theta[best] ||
			    (s->theta[x] == s->theta[best] && x > best);

			if (!below || x == s->first)
				continue;
			if (next == n || s->theta[x] > s->theta[next])
				next = x;
		}
		if (next == n)
			return n;
		best = next;
	}
	return best;
}

enum err
insight_fragile(const struct pairs *pairs, const struct bt_fit *fit,
    struct insight_fragile *out)
{
	struct insight_fragile f = { 0 };
	struct stage s;
	enum err e = open_stage(&s, pairs, fit);

	if (e == ERR_OK && s.part->n > 1) {
		f.first = pairs->order[s.part->first + s.first];
		for (size_t k = 0; k < s.part->np; k++) {
			const struct pair *p =
			    &pairs->pair[s.part->first_pair + k];

			f.of += (uint64_t)(p->nwin + p->nloss + p->ntie);
		}
	}
	for (int k = 0; e == ERR_OK && s.part->n > 1 && k < CHALLENGERS; k++) {
		uint32_t other = challenger(&s, k), winner = 0;
		uint64_t votes = 0;

		if (other == s.part->n)
			break;
		/* The Hessian is the last fit's: make it the full one. */
		if ((e = bt_solve(&s.problem, s.theta, &s.work)) != ERR_OK ||
		    (e = find_levers(&s, other)) != ERR_OK)
			break;
		e = least_votes(
		    &s, s.theta[s.first] - s.theta[other], &votes, &winner);
		if (e != ERR_OK || votes == 0 ||
		    (f.votes != 0 && votes >= f.votes))
			continue;
		f.votes = votes;
		f.other = pairs->order[s.part->first + winner];
		note_cuts(&s, votes, &f);
	}
	close_stage(&s);
	if (e == ERR_OK)
		*out = f;
	return e;
}
