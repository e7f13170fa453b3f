/* This file knows how to look for cycles and for a bad fit. */
#include "config.h"

#include "rate/insight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/dist.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/tally.h"

/* edge[i * n + j]: p-value if i beats j, 2 if not known. */
static double *
significant_edges(const struct pairs *pairs, double alpha)
{
	size_t n = pairs->nitems;
	double *edge = malloc((n * n + 1) * sizeof(*edge));

	for (size_t k = 0; edge != NULL && k < n * n; k++)
		edge[k] = 2.0;
	for (size_t k = 0; edge != NULL && k < pairs->npairs; k++) {
		const struct pair *p = &pairs->pair[k];
		double q = dist_sign_test(
		    (uint64_t)p->nwin, (uint64_t)(p->nwin + p->nloss));

		if (q > alpha)
			continue;
		if (p->nwin > p->nloss)
			edge[p->i * n + p->j] = q;
		else
			edge[p->j * n + p->i] = q;
	}
	return edge;
}

static bool
met(const double *known, size_t n, size_t i, size_t j)
{
	return known[i * n + j] < 2.0 || known[j * n + i] < 2.0;
}

/* What is known of the pairs, and the cycles found so far. */
struct hunt {
	size_t n;
	double alpha;
	double *edge;  /* p-values up to alpha */
	double *known; /* all p-values */
	struct insight_cycle *list;
	size_t room, found, triples;
};

/* Count x > y > z > x; each cycle once, from its least item. */
static void
try_triple(struct hunt *h, size_t x, size_t y, size_t z)
{
	double p = h->edge[x * h->n + y], q = h->edge[y * h->n + z];
	double r = h->edge[z * h->n + x], worst = fmax(p, fmax(q, r));

	if (z == x || z == y || !met(h->known, h->n, y, z) ||
	    !met(h->known, h->n, z, x))
		return;
	h->triples += x < y && y < z;
	if (x > y || x > z || worst > h->alpha)
		return;
	if (h->found < h->room)
		h->list[h->found] = (struct insight_cycle){ (uint32_t)x,
			(uint32_t)y, (uint32_t)z, worst };
	h->found++;
}

enum err
insight_cycles(const struct pairs *pairs, double alpha,
    struct insight_cycle *list, size_t room, size_t *count, size_t *triples)
{
	struct hunt h = {
		.n = pairs->nitems, .alpha = alpha, .list = list, .room = room
	};

	if (h.n > INSIGHT_CYCLE_ITEMS)
		return ERR_TOOBIG;
	h.edge = significant_edges(pairs, alpha);
	h.known = significant_edges(pairs, 1.0);
	if (h.edge == NULL || h.known == NULL) {
		free(h.edge);
		free(h.known);
		return ERR_NOMEM;
	}
	for (size_t x = 0; x < h.n; x++) {
		for (size_t y = 0; y < h.n; y++) {
			if (y == x || !met(h.known, h.n, x, y))
				continue;
			for (size_t z = 0; z < h.n; z++)
				try_triple(&h, x, y, z);
		}
	}
	free(h.edge);
	free(h.known);
	*count = h.found;
	*triples = h.triples;
	return ERR_OK;
}

/* n KL(share || p), 0 ln 0 = 0. */
static double
divergence(double si, double sj, double pi, double pj)
{
	double n = si + sj, sum = 0;

	if (si > 0.0)
		sum += si * num_log(si / (n * pi));
	if (sj > 0.0)
		sum += sj * num_log(sj / (n * pj));
	return sum;
}

enum err
insight_goodness(const struct pairs *pairs, const struct bt_fit *fit,
    struct insight_fit *out)
{
	struct insight_fit f = { 0 };
	double total = 0, off = 0;

	for (size_t k = 0; k < pairs->npairs; k++) {
		const struct pair *p = &pairs->pair[k];
		double d = fit->theta[p->i] - fit->theta[p->j];
		double si = p->win + 0.5 * p->tie, sj = p->loss + 0.5 * p->tie;
		double y = num_log((si + 0.5) / (sj + 0.5));
		double share = (si + 0.5) / (si + sj + 1.0);
		double w = (si + sj) * share * (1.0 - share);

		total += w * y * y;
		off += w * (y - d) * (y - d);
		f.deviance +=
		    2.0 * divergence(si, sj, num_sigmoid(d), num_sigmoid(-d));
	}
	f.df = (double)pairs->npairs -
	       ((double)pairs->nitems - (double)pairs->nparts);
	f.p = f.df > 0.0 ? dist_chi2_upper(fmax(0.0, f.deviance), f.df) : 1.0;
	if (total > 0.0) {
		f.unexplained = fmin(1.0, off / total);
		f.beyond_noise = fmin(1.0, fmax(0.0, off - f.df) / total);
	}
	*out = f;
	return ERR_OK;
}

/* -(s ln p + (1 - s) ln (1 - p)) at a difference d. */
static double
loss(double s, double d)
{
	return -(s * num_log_sigmoid(d) + (1.0 - s) * num_log_sigmoid(-d));
}

/* Bradley-Terry and Elo from the first `train` votes. */
static enum err
train_both(const struct elo_vote *votes, size_t train, uint32_t nitems,
    const struct elo_rule *rule, struct bt_fit *fit, double *rating)
{
	struct tally t;
	struct pairs p = { 0 };
	enum err e = ERR_OK;

	tally_init(&t, false);
	for (size_t k = 0; e == ERR_OK && k < train; k++)
		e = tally_add(&t, votes[k].a, votes[k].b,
		    votes[k].half_points == 2   ? TALLY_A
		    : votes[k].half_points == 0 ? TALLY_B
						: TALLY_TIE,
		    1.0, TALLY_NOBODY);
	if (e == ERR_OK)
		e = pairs_open(&t, nitems, &p);
	if (e == ERR_OK)
		e = bt_fit(&p, NULL, fit);
	elo_replay(rule, votes, train, 1, rating, nitems);
	pairs_release(&p);
	tally_release(&t);
	return e;
}

enum err
insight_heldout(const struct elo_vote *votes, size_t n, uint32_t nitems,
    const struct elo_rule *rule, struct insight_heldout *out)
{
	struct insight_heldout h = { .trained = n - n / 5 };
	struct bt_fit fit = { 0 };
	double *rating = malloc((nitems + 1u) * sizeof(*rating));
	enum err e;

	if (rating == NULL)
		return ERR_NOMEM;
	if (n < 50) {
		free(rating);
		*out = (struct insight_heldout){ 0 };
		return ERR_OK;
	}
	e = train_both(votes, h.trained, nitems, rule, &fit, rating);
	for (size_t k = h.trained; e == ERR_OK && k < n; k++) {
		const struct elo_vote *v = &votes[k];
		double s = 0.5 * v->half_points;

		h.tested++;
		h.bt += loss(s, fit.theta[v->a] - fit.theta[v->b]);
		h.elo += loss(
		    s, (rating[v->a] - rating[v->b]) * NUM_LN10 / rule->scale);
	}
	if (e == ERR_OK) {
		h.bt /= (double)h.tested;
		h.elo /= (double)h.tested;
		*out = h;
	}
	bt_fit_release(&fit);
	free(rating);
	return e;
}
