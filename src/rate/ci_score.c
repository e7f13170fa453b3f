/* This file knows how to turn tallies into scores at a fit. */
#include "config.h"

#include "rate/ci_score.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rate/dist.h"
#include "rate/grid.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"

static enum err score_voters(struct ci_scores *, const struct pairs *,
    const struct tally *, const double *theta);
static void count_clusters(struct ci_scores *, const struct pairs *);

/* Squared scores of single votes of which i won w, j won l, t were ties. */
static double
squares(double w, double l, double t, double pi, double pj)
{
	return w * (pj * pj) + l * (pi * pi) +
	       t * (0.25 * (pj - pi) * (pj - pi));
}

/* Everything a pair says by itself: curvature, and its votes one by one. */
static void
score_pairs(struct ci_scores *s, const struct pairs *pairs, const double *theta)
{
	for (size_t k = 0; k < pairs->npairs; k++) {
		const struct pair *p = &pairs->pair[k];
		double d = theta[p->i] - theta[p->j];
		double pi = num_sigmoid(d), pj = num_sigmoid(-d);

		/* Written so that i and j may be swapped without a trace. */
		s->curve[k] = (p->win + p->loss + p->tie) * (pi * pj);
		s->every[k] = squares(p->win2, p->loss2, p->tie2, pi, pj);
		s->lone[k] = s->every[k];
		s->nlone[pairs->part_of[p->i]] += p->win + p->loss + p->tie;
	}
}

/*
 * The fit has put its mean to 0, and so moved the ghost.  At the maximum the
 * pairs' slopes cancel out, hence the ghost's do: it stands where
 * sum s(theta_i - x) = n / 2.  term[] (n) is work space.
 */
static double
place_ghost(const double *theta, const uint32_t *item, uint32_t n, double *term)
{
	double low = HUGE_VAL, high = -HUGE_VAL, at = 0.0;

	for (uint32_t k = 0; k < n; k++) {
		low = fmin(low, theta[item[k]]);
		high = fmax(high, theta[item[k]]);
	}
	for (int halving = 0; halving < 60 && low < high; halving++) {
		double pull;

		at = 0.5 * (low + high);
		for (uint32_t k = 0; k < n; k++)
			term[k] = num_sigmoid(theta[item[k]] - at) - 0.5;
		pull = grid_sum(term, n);
		if (pull == 0.0)
			break;
		if (pull > 0.0)
			low = at;
		else
			high = at;
	}
	return at;
}

/* The ghost's part of the Hessian, where there is one. */
static enum err
score_ghosts(
    struct ci_scores *s, const struct pairs *pairs, const double *theta)
{
	double *term = malloc((pairs->nitems + 1u) * sizeof(*term));

	if (term == NULL)
		return ERR_NOMEM;
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		uint32_t n = pairs->part[c].n;
		const uint32_t *item = pairs->order + pairs->part[c].first;
		double at = 0.0;

		if (pairs->part[c].nstrong > 1)
			at = place_ghost(theta, item, n, term);
		for (uint32_t k = 0; k < n; k++)
			s->ghost[item[k]] = num_sigmoid(theta[item[k]] - at) *
					    num_sigmoid(at - theta[item[k]]);
	}
	free(term);
	return ERR_OK;
}

enum err
ci_scores_open(struct ci_scores *s, const struct pairs *pairs,
    const struct tally *t, const double *theta, int by_voter)
{
	enum err e = ERR_NOMEM;

	memset(s, 0, sizeof(*s));
	s->by_voter = by_voter;
	s->curve = calloc(pairs->npairs + 1, sizeof(*s->curve));
	s->every = calloc(pairs->npairs + 1, sizeof(*s->every));
	s->lone = calloc(pairs->npairs + 1, sizeof(*s->lone));
	s->ghost = calloc(pairs->nitems + 1u, sizeof(*s->ghost));
	s->first = calloc(pairs->nparts + 2u, sizeof(*s->first));
	s->end = calloc(pairs->nparts + 1u, sizeof(*s->end));
	s->clusters = calloc(pairs->nparts + 1u, sizeof(*s->clusters));
	s->nlone = calloc(pairs->nparts + 1u, sizeof(*s->nlone));
	if (s->curve == NULL || s->every == NULL || s->lone == NULL ||
	    s->ghost == NULL || s->first == NULL || s->end == NULL ||
	    s->clusters == NULL || s->nlone == NULL)
		goto fail;
	score_pairs(s, pairs, theta);
	if ((e = score_ghosts(s, pairs, theta)) != ERR_OK)
		goto fail;
	if (by_voter && (e = score_voters(s, pairs, t, theta)) != ERR_OK)
		goto fail;
	count_clusters(s, pairs);
	return ERR_OK;
fail:
	ci_scores_release(s);
	return e;
}

void
ci_scores_release(struct ci_scores *s)
{
	free(s->curve);
	free(s->every);
	free(s->lone);
	free(s->ghost);
	free(s->first);
	free(s->end);
	free(s->clusters);
	free(s->nlone);
	free(s->score);
	memset(s, 0, sizeof(*s));
}

/* What scoring looks up of a pair, together in one place. */
struct unit {
	double of[3];   /* a vote's score: i won, j won, neither; multiples of
			   a grid, so that a voter's sums are exact however
			   the votes are grouped */
	double lone[3]; /* squared weights of votes nobody signed */
	uint32_t part;
};

static struct unit *
open_units(const struct pairs *pairs, const double *theta, double grid)
{
	struct unit *u = malloc((pairs->npairs + 1) * sizeof(*u));

	for (size_t k = 0; u != NULL && k < pairs->npairs; k++) {
		const struct pair *p = &pairs->pair[k];
		double d = theta[p->i] - theta[p->j];
		double pi = num_sigmoid(d), pj = num_sigmoid(-d);

		u[k] = (struct unit){ { grid_round(pj, grid),
					  -grid_round(pi, grid),
					  grid_round(0.5 * (pj - pi), grid) },
			{ 0 }, pairs->part_of[p->i] };
	}
	return u;
}

/* The grid of voters' scores: none exceeds the weight of all their votes. */
static double
score_grid(const struct tally *t)
{
	double most = 0;

	for (uint32_t u = 0; u < t->nvoters; u++) {
		const struct tally_voter *v = &t->voter[u];

		most = v->all > most ? v->all : most;
	}
	return grid_for(most);
}

/* Pair of each cell; its top bit: the cell's a is the pair's j. */
#define TURNED 0x80000000u

static uint32_t *
pairs_of_cells(const struct pairs *pairs, const struct tally *t)
{
	uint32_t *of = malloc((t->ncells + 1) * sizeof(*of));

	for (size_t c = 0; of != NULL && c < t->ncells; c++) {
		const struct tally_cell *k = &t->cell[c];

		of[c] = (uint32_t)pairs_find(pairs, k->a, k->b) |
			(k->a > k->b ? TURNED : 0);
	}
	return of;
}

/* lone[] keeps the votes of nobody known alone. */
static enum err
keep_unsigned(struct ci_scores *s, const struct pairs *pairs,
    const struct tally *t, const uint32_t *pair_of, struct unit *unit,
    const double *theta)
{
	struct tally_lone *lone = malloc((t->ncells + 1) * sizeof(*lone));

	if (lone == NULL)
		return ERR_NOMEM;
	tally_unsigned(t, lone);
	memset(s->nlone, 0, pairs->nparts * sizeof(*s->nlone));
	for (size_t c = 0; c < t->ncells; c++) {
		bool turned = (pair_of[c] & TURNED) != 0;
		struct unit *u = &unit[pair_of[c] & ~TURNED];
		const double *n = lone[c].n, *w2 = lone[c].w2;

		if (!(n[0] + n[1] + n[2] > 0.0))
			continue; /* of weight 0 all: perhaps no pair */
		u->lone[0] += w2[turned];
		u->lone[1] += w2[!turned];
		u->lone[2] += w2[2];
		s->nlone[u->part] += n[0] + n[1] + n[2];
	}
	for (size_t k = 0; k < pairs->npairs; k++) {
		const struct pair *p = &pairs->pair[k];
		double d = theta[p->i] - theta[p->j];

		s->lone[k] = squares(unit[k].lone[0], unit[k].lone[1],
		    unit[k].lone[2], num_sigmoid(d), num_sigmoid(-d));
	}
	free(lone);
	return ERR_OK;
}

/* first[c] <- where the scores of component c begin. */
static void
place_parts(
    struct ci_scores *s, const struct pairs *pairs, const struct tally *t)
{
	uint32_t c = 0;

	while (c < pairs->nparts && pairs->part[c].np == 0)
		c++;
	/* Nearly always everybody who ever met is in one component. */
	if (c < pairs->nparts && pairs->part[c].np == pairs->npairs) {
		for (c++; c <= pairs->nparts; c++)
			s->first[c] = t->nrows;
		return;
	}
	for (uint32_t u = 0; u < t->nvoters; u++) {
		const struct tally_voter *v = &t->voter[u];

		for (uint32_t k = 0; k < v->n; k++)
			s->first[pairs->part_of[t->cell[v->row[k].cell].a] +
				 1]++;
	}
	for (c = 0; c < pairs->nparts; c++)
		s->first[c + 1] += s->first[c];
}

struct desk { /* of scoring */
	const struct unit *unit;
	const uint32_t *pair_of;
	double grid;
	size_t *at; /* component -> where its next score goes */
};

static void
score_voter(struct ci_scores *s, const struct desk *d, uint32_t voter,
    const struct tally_voter *v)
{
	for (uint32_t k = 0; k < v->n; k++) {
		uint32_t p = d->pair_of[v->row[k].cell];
		bool turned = (p & TURNED) != 0;
		const struct unit *u = &d->unit[p &= ~TURNED];
		double w[3], r;

		tally_row_weights(v, k, w);
		if (!(w[0] + w[1] + w[2] > 0.0))
			continue;
		r = w[turned] * u->of[0] + w[!turned] * u->of[1] +
		    w[2] * u->of[2];
		s->score[d->at[u->part]++] = (struct ci_score){ voter, p,
			v->w == NULL ? r : grid_round(r, d->grid) };
	}
}

static enum err
score_voters(struct ci_scores *s, const struct pairs *pairs,
    const struct tally *t, const double *theta)
{
	double grid = score_grid(t);
	struct unit *unit = open_units(pairs, theta, grid);
	uint32_t *of = pairs_of_cells(pairs, t);
	struct desk d = { unit, of, grid, s->end };
	enum err e = ERR_NOMEM;

	s->score = malloc((t->nrows + 1) * sizeof(*s->score));
	if (s->score == NULL || unit == NULL || of == NULL)
		goto out;
	place_parts(s, pairs, t);
	memcpy(s->end, s->first, pairs->nparts * sizeof(*s->end));
	for (uint32_t u = 0; u < t->nvoters; u++)
		score_voter(s, &d, u, &t->voter[u]);
	e = keep_unsigned(s, pairs, t, of, unit, theta);
out:
	free(unit);
	free(of);
	return e;
}

/* Named voters, and single votes as one each. */
static void
count_clusters(struct ci_scores *s, const struct pairs *pairs)
{
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		double lone = s->nlone[c];
		uint32_t n = 0;

		for (size_t k = s->first[c]; k < s->end[c]; k++)
			n += k == s->first[c] ||
			     s->score[k].voter != s->score[k - 1].voter;
		s->clusters[c] = lone < 1e9 ? n + (uint32_t)lone : 1000000000u;
	}
}

double
ci_quantile(const struct ci_scores *s, uint32_t part, double p)
{
	double g = s->clusters[part];

	if (!s->by_voter)
		return dist_normal_quantile(p);
	/* One voter alone says nothing about how voters differ. */
	return g > 1.0 ? dist_t_quantile(p, g - 1.0) : HUGE_VAL;
}
