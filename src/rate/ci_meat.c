/* This file knows how to add up what voters' scores say together: the middle
 * of a sandwich. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rate/ci_score.h"
#include "rate/grid.h"
#include "rate/pairs.h"
#include "rate/prng.h"

static double
cluster_factor(const struct ci_scores *s, uint32_t part)
{
	double g = s->clusters[part];

	if (!s->by_voter)
		return 1.0;
	return g > 1.0 ? g / (g - 1.0) : 1.0;
}

/* A bound on the absolute entries' sums of b, for its grid. */
static double
outer_bound(const struct ci_scores *s, const struct pairs *pairs, uint32_t part)
{
	const struct pairs_part *c = &pairs->part[part];
	double all = 0, mine = 0;

	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++)
		all += s->every[k];
	for (size_t k = s->first[part]; k < s->end[part]; k++) {
		mine += fabs(s->score[k].r);
		if (k + 1 == s->end[part] ||
		    s->score[k + 1].voter != s->score[k].voter) {
			all += mine * mine;
			mine = 0;
		}
	}
	return 4.0 * all;
}

/* b += r (e_i - e_j)(e_k - e_l)', on a grid so that order leaves no trace. */
static void
add_product(double *b, size_t n, size_t i, size_t j, size_t k, size_t l,
    double r, double grid)
{
	r = grid_round(r, grid);
	b[i * n + k] += r;
	b[j * n + l] += r;
	b[i * n + l] -= r;
	b[j * n + k] -= r;
}

/* One voter's score by row of the matrix, and which rows it touches. */
struct sum {
	double *x;    /* by row; 0 between voters */
	uint32_t *at; /* the rows touched, ascending */
	uint32_t n;
	unsigned char *is; /* by row: touched */
};

static void
touch(struct sum *s, uint32_t row, double r)
{
	s->at[s->n] = row;
	s->n += !s->is[row];
	s->is[row] = 1;
	s->x[row] += r;
}

/* Rows of s->at in order: sorted where few, else found by a look at all. */
static void
order_rows(struct sum *s, uint32_t n)
{
	uint32_t m = 0;

	if (s->n > 12) {
		for (uint32_t i = 0; i < n; i++) {
			s->at[m] = i;
			m += s->is[i];
		}
		return;
	}
	for (uint32_t k = 1; k < s->n; k++) {
		uint32_t row = s->at[k];

		for (m = k; m > 0 && s->at[m - 1] > row; m--)
			s->at[m] = s->at[m - 1];
		s->at[m] = row;
	}
}

/* Products of one voter's score into the lower half of b. */
static void
add_sum(struct sum *s, size_t n, double grid, double *b)
{
	order_rows(s, (uint32_t)n);
	for (uint32_t k = 0; k < s->n; k++) {
		size_t i = s->at[k];
		double x = s->x[i], *row = b + i * n;

		if (2 * (size_t)s->n > n) {
			for (size_t j = 0; j <= i; j++)
				row[j] += grid_round(x * s->x[j], grid);
			continue;
		}
		for (uint32_t l = 0; l <= k; l++)
			row[s->at[l]] += grid_round(x * s->x[s->at[l]], grid);
	}
	for (uint32_t k = 0; k < s->n; k++) {
		s->x[s->at[k]] = 0;
		s->is[s->at[k]] = 0;
	}
	s->n = 0;
}

/* Where in the matrix a pair's ends are. */
struct ends {
	uint32_t i, j;
};

static struct ends *
open_ends(const struct pairs *pairs, uint32_t part, const uint32_t *place)
{
	const struct pairs_part *c = &pairs->part[part];
	struct ends *at = malloc((c->np + 1) * sizeof(*at));

	for (size_t k = 0; at != NULL && k < c->np; k++) {
		const struct pair *p = &pairs->pair[c->first_pair + k];

		at[k] = (struct ends){ place[pairs->local[p->i]],
			place[pairs->local[p->j]] };
	}
	return at;
}

/* Products of all voters' scores. */
static enum err
add_voters(const struct ci_scores *s, const struct pairs *pairs, uint32_t part,
    const uint32_t *place, double grid, double *b)
{
	size_t n = pairs->part[part].n, k = s->first[part];
	struct sum sum = { calloc(n, sizeof(double)),
		malloc((n + 1) * sizeof(uint32_t)), 0, calloc(n, 1) };
	struct ends *ends = open_ends(pairs, part, place);
	size_t first_pair = pairs->part[part].first_pair;
	enum err e = ERR_NOMEM;

	if (sum.x == NULL || sum.at == NULL || sum.is == NULL || ends == NULL)
		goto out;
	while (k < s->end[part]) {
		uint32_t voter = s->score[k].voter;

		for (; k < s->end[part] && s->score[k].voter == voter; k++) {
			const struct ci_score *x = &s->score[k];
			struct ends at = ends[x->pair - first_pair];

			touch(&sum, at.i, x->r);
			touch(&sum, at.j, -x->r);
		}
		add_sum(&sum, n, grid, b);
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			b[j * n + i] = b[i * n + j];
	}
	e = ERR_OK;
out:
	free(ends);
	free(sum.x);
	free(sum.at);
	free(sum.is);
	return e;
}

/* b <- the outer products of single votes, squares[] per pair. */
static void
add_votes(const struct pairs *pairs, uint32_t part, const double *squared,
    const uint32_t *place, double grid, double *b)
{
	const struct pairs_part *c = &pairs->part[part];
	size_t n = c->n;

	memset(b, 0, n * n * sizeof(*b));
	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++) {
		size_t i = place[pairs->local[pairs->pair[k].i]];
		size_t j = place[pairs->local[pairs->pair[k].j]];

		add_product(b, n, i, j, i, j, squared[k], grid);
	}
}

/*
 * A handful of voters may agree so well that the spread between them says
 * nothing is uncertain.  Below a quarter of the votes' own spread it is not
 * believed.
 */
static bool
is_too_little(const struct ci_scores *s, const struct pairs *pairs,
    uint32_t part, const double *b)
{
	const struct pairs_part *c = &pairs->part[part];
	double votes = 0, voters = 0;

	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++)
		votes += 2.0 * s->every[k];
	for (size_t i = 0; i < c->n; i++)
		voters += b[i * c->n + i];
	return voters < 0.25 * votes;
}

/*
 * Nothing but ties: every score is 0, and no spread would mean no doubt.  The
 * model's own error, H^-1, is what is left then.
 */
static bool
was_never_decided(const struct ci_scores *s, const struct pairs *pairs,
    uint32_t part, double *curve)
{
	const struct pairs_part *c = &pairs->part[part];
	double votes = 0;

	*curve = 0;
	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++) {
		votes += s->every[k];
		*curve += s->curve[k];
	}
	return votes < 1e-12 * *curve;
}

/*
 * The ghost's half win and half loss as the observations they stand for.
 * Without them one-sided results, whose scores vanish as the ratings move
 * apart, would seem the surer the more one-sided they are.
 */
static double
ghost_square(const struct ci_scores *s, uint32_t item)
{
	return 0.5 - s->ghost[item]; /* (p^2 + q^2) / 2 */
}

static void
add_ghost(const struct ci_scores *s, const struct pairs *pairs, uint32_t part,
    const uint32_t *place, double *b)
{
	const struct pairs_part *c = &pairs->part[part];

	for (uint32_t x = 0; c->nstrong > 1 && x < c->n; x++) {
		size_t row = place[x];

		b[row * c->n + row] +=
		    ghost_square(s, pairs->order[c->first + x]);
	}
}

enum err
ci_scores_outer(const struct ci_scores *s, const struct pairs *pairs,
    uint32_t part, const uint32_t *place, double *b)
{
	size_t n = pairs->part[part].n;
	double factor = cluster_factor(s, part);
	double grid = grid_for(outer_bound(s, pairs, part)), curve;
	enum err e;

	add_votes(pairs, part, s->lone, place, grid, b);
	e = add_voters(s, pairs, part, place, grid, b);
	for (size_t k = 0; k < n * n; k++)
		b[k] *= factor;
	if (s->by_voter && is_too_little(s, pairs, part, b))
		add_votes(pairs, part, s->every, place, grid, b);
	if (was_never_decided(s, pairs, part, &curve))
		add_votes(
		    pairs, part, s->curve, place, grid_for(4.0 * curve), b);
	add_ghost(s, pairs, part, place, b);
	return e;
}

void
ci_scores_draw(const struct ci_scores *s, const struct pairs *pairs,
    uint32_t part, struct prng *g, double *u)
{
	const struct pairs_part *c = &pairs->part[part];
	double root = sqrt(cluster_factor(s, part)), xi = 0, curve;
	const double *squared =
	    was_never_decided(s, pairs, part, &curve) ? s->curve : s->lone;

	memset(u, 0, c->n * sizeof(*u));
	for (size_t k = c->first_pair; k < c->first_pair + c->np; k++) {
		double t;

		if (!(squared[k] > 0.0))
			continue;
		t = root * sqrt(squared[k]) * prng_normal(g);
		u[pairs->local[pairs->pair[k].i]] += t;
		u[pairs->local[pairs->pair[k].j]] -= t;
	}
	for (size_t k = s->first[part]; k < s->end[part]; k++) {
		const struct pair *p = &pairs->pair[s->score[k].pair];

		if (k == s->first[part] ||
		    s->score[k].voter != s->score[k - 1].voter)
			xi = root * prng_normal(g);
		u[pairs->local[p->i]] += xi * s->score[k].r;
		u[pairs->local[p->j]] -= xi * s->score[k].r;
	}
	for (uint32_t x = 0; c->nstrong > 1 && x < c->n; x++)
		u[x] += sqrt(ghost_square(s, pairs->order[c->first + x])) *
			prng_normal(g);
}
