/* This file knows how to tell careful voters from others. */
#include "config.h"

#include "rate/rater.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/bt_chord.h"
#include "rate/dist.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/tally.h"

/* The voters' votes, one voter after the other, and the consensus. */
struct court {
	const struct rater_input *in;
	const struct rater_vote *vote; /* by voter, each in order */
	struct rater_vote *own;        /* unless they came so */
	size_t *first;                 /* voter -> its first, nvoters + 1 */
	struct pairs pairs;
	struct bt_data data;
	struct bt_chord *chord; /* inverse Hessian per component */
	double *theta, *mine;   /* consensus; the same without one voter */
	double *g;
	double *d, *p; /* of the voter's votes without the voter */
	double *item_sum, *item_var;
	uint32_t *met; /* the voter's prompts */
	uint32_t nmet;
	unsigned char *is_met;
	size_t work; /* votes handled since the caller was let breathe */
};

static enum err open_court(struct court *, const struct rater_input *);
static void close_court(struct court *);
static enum err agree(struct court *, const struct rater *);
static void list_met(struct court *, uint32_t voter);
static void leave_out(struct court *, uint32_t voter, double weight);
static void foresee(struct court *, uint32_t voter);
static void judge(struct court *, uint32_t voter, struct rater *);
static double estimate_ability(const struct court *, uint32_t voter);
static bool breathe(struct court *, size_t votes);
static void weigh(const struct court *, uint32_t voter, struct rater *);
static enum err list_reviews(struct rater *, uint32_t n);

enum err
rater_judge(const struct rater_input *in, struct rater *out, double *raw,
    double *weighted)
{
	struct court c;
	enum err e;

	memset(out, 0, in->nvoters * sizeof(*out));
	for (uint32_t v = 0; v < in->nvoters; v++)
		out[v].weight = 1.0;
	if ((e = open_court(&c, in)) != ERR_OK)
		return e;
	for (int round = 0; e == ERR_OK && round <= RATER_ROUNDS; round++) {
		if ((e = agree(&c, out)) != ERR_OK)
			break;
		if (round == 0 && raw != NULL)
			memcpy(raw, c.theta, in->nitems * sizeof(*raw));
		if (round == RATER_ROUNDS)
			break;
		for (uint32_t v = 0; v < in->nvoters && e == ERR_OK; v++) {
			list_met(&c, v);
			leave_out(&c, v, out[v].weight);
			foresee(&c, v);
			judge(&c, v, &out[v]);
			if (round + 1 == RATER_ROUNDS)
				out[v].ability = estimate_ability(&c, v);
			weigh(&c, v, &out[v]);
			if (breathe(&c, c.first[v + 1] - c.first[v] + 1))
				e = ERR_CLOSED;
		}
	}
	if (e == ERR_OK && weighted != NULL)
		memcpy(weighted, c.theta, in->nitems * sizeof(*weighted));
	if (e == ERR_OK)
		e = list_reviews(out, in->nvoters);
	close_court(&c);
	return e;
}

/* Votes by voter: those given, if they are so, or a copy. */
static enum err
sort_votes(struct court *c, const struct rater_input *in)
{
	bool sorted = true;

	for (size_t k = 0; k < in->nvotes; k++) {
		c->first[in->vote[k].voter + 2]++;
		sorted &= k == 0 || in->vote[k - 1].voter <= in->vote[k].voter;
	}
	for (size_t v = 2; v < (size_t)in->nvoters + 2; v++)
		c->first[v] += c->first[v - 1];
	if (sorted) {
		memmove(c->first, c->first + 1,
		    ((size_t)in->nvoters + 1) * sizeof(*c->first));
		c->vote = in->vote;
		return ERR_OK;
	}
	c->vote = c->own = malloc((in->nvotes + 1) * sizeof(*c->own));
	if (c->own == NULL)
		return ERR_NOMEM;
	for (size_t k = 0; k < in->nvotes; k++)
		c->own[c->first[in->vote[k].voter + 1]++] = in->vote[k];
	return ERR_OK;
}

static enum err
open_court(struct court *c, const struct rater_input *in)
{
	size_t n = in->nitems + 1u;

	memset(c, 0, sizeof(*c));
	c->in = in;
	c->first = calloc((size_t)in->nvoters + 3, sizeof(*c->first));
	c->theta = calloc(5 * n, sizeof(*c->theta));
	c->d = calloc(2 * in->nvotes + 1, sizeof(*c->d));
	c->met = malloc(n * sizeof(*c->met));
	c->is_met = calloc(n, 1);
	if (c->first == NULL || c->theta == NULL || c->d == NULL ||
	    c->met == NULL || c->is_met == NULL ||
	    sort_votes(c, in) != ERR_OK) {
		close_court(c);
		return ERR_NOMEM;
	}
	c->p = c->d + in->nvotes;
	c->mine = c->theta + n;
	c->g = c->mine + n;
	c->item_sum = c->g + n;
	c->item_var = c->item_sum + n;
	return ERR_OK;
}

static void
drop_consensus(struct court *c)
{
	for (uint32_t k = 0; c->chord != NULL && k < c->pairs.nparts; k++)
		bt_chord_release(&c->chord[k]);
	free(c->chord);
	c->chord = NULL;
	bt_data_release(&c->data);
	pairs_release(&c->pairs);
}

static void
close_court(struct court *c)
{
	drop_consensus(c);
	free(c->own);
	free(c->first);
	free(c->theta);
	free(c->d);
	free(c->met);
	free(c->is_met);
	memset(c, 0, sizeof(*c));
}

/* Has the caller had enough?  Asked every few thousand votes. */
static bool
breathe(struct court *c, size_t votes)
{
	c->work += votes;
	if (c->work < RATER_SLICE || c->in->breathe == NULL)
		return false;
	c->work = 0;
	return c->in->breathe(c->in->breathe_arg);
}

/* Count all votes with their voters' weights. */
static enum err
count(struct court *c, const struct rater *r, struct tally *t)
{
	const struct rater_input *in = c->in;

	for (size_t k = 0; k < in->nvotes; k++) {
		const struct rater_vote *v = &in->vote[k];
		enum tally_outcome o = v->score > 0.5   ? TALLY_A
				       : v->score < 0.5 ? TALLY_B
							: TALLY_TIE;
		enum err e = tally_add(
		    t, v->a, v->b, o, r[v->voter].weight, TALLY_NOBODY);

		if (e != ERR_OK)
			return e;
		if (k % RATER_SLICE == 0 && breathe(c, RATER_SLICE / 8))
			return ERR_CLOSED;
	}
	return ERR_OK;
}

/* The weighted consensus and the inverse Hessians of its components. */
static enum err
agree(struct court *c, const struct rater *r)
{
	struct tally t;
	struct bt_fit fit = { 0 };
	double *local = NULL;
	enum err e;

	drop_consensus(c);
	tally_init(&t, false);
	if ((e = count(c, r, &t)) != ERR_OK ||
	    (e = pairs_open(&t, c->in->nitems, &c->pairs)) != ERR_OK ||
	    (e = bt_fit(&c->pairs, NULL, &fit)) != ERR_OK ||
	    (e = bt_data_open(&c->pairs, &c->data)) != ERR_OK)
		goto out;
	memcpy(c->theta, fit.theta, c->in->nitems * sizeof(*c->theta));
	c->chord = calloc(c->pairs.nparts + 1u, sizeof(*c->chord));
	local = malloc((c->in->nitems + 1u) * sizeof(*local));
	e = c->chord == NULL || local == NULL ? ERR_NOMEM : ERR_OK;
	for (uint32_t p = 0; e == ERR_OK && p < c->pairs.nparts; p++) {
		const struct pairs_part *part = &c->pairs.part[p];

		for (uint32_t x = 0; x < part->n; x++)
			local[x] = c->theta[c->pairs.order[part->first + x]];
		e = bt_chord_open(&c->chord[p], &c->data.problem[p], local);
	}
out:
	free(local);
	bt_fit_release(&fit);
	tally_release(&t);
	return e;
}

static void
meet(struct court *c, uint32_t item)
{
	if (!c->is_met[item])
		c->met[c->nmet++] = item;
	c->is_met[item] = 1;
}

/* The prompts on which the voter voted. */
static void
list_met(struct court *c, uint32_t voter)
{
	c->nmet = 0;
	for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
		const struct rater_vote *v = &c->vote[k];

		meet(c, v->a);
		meet(c, v->b);
	}
	for (uint32_t k = 0; k < c->nmet; k++)
		c->is_met[c->met[k]] = 0;
}

/* c->mine = the consensus without this voter, by one Newton step, on what
 * the voter met. */
static void
leave_out(struct court *c, uint32_t voter, double weight)
{
	for (uint32_t k = 0; k < c->nmet; k++) {
		c->mine[c->met[k]] = c->theta[c->met[k]];
		c->g[c->met[k]] = 0;
	}
	if (!(weight > 0.0))
		return;
	for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
		const struct rater_vote *v = &c->vote[k];
		double p = num_sigmoid(c->theta[v->a] - c->theta[v->b]);

		c->g[v->a] += weight * (v->score - p);
		c->g[v->b] -= weight * (v->score - p);
	}
	for (uint32_t k = 0; k < c->nmet; k++) {
		uint32_t i = c->met[k], part = c->pairs.part_of[i];
		const double *row = c->chord[part].inverse;

		if (row == NULL)
			continue;
		row += (size_t)c->pairs.local[i] * c->pairs.part[part].n;
		for (uint32_t l = 0; l < c->nmet; l++) {
			uint32_t y = c->met[l];

			if (c->pairs.part_of[y] == part)
				c->mine[i] -= row[c->pairs.local[y]] * c->g[y];
		}
	}
}

/* What the others would have voted on the voter's matches. */
static void
foresee(struct court *c, uint32_t voter)
{
	for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
		const struct rater_vote *v = &c->vote[k];

		c->d[k] = c->mine[v->a] - c->mine[v->b];
		c->p[k] = num_sigmoid(c->d[k]);
	}
}

/* Side preference: counts, the binomial and the longest run. */
static void
look_at_sides(const struct court *c, uint32_t voter, struct rater *r)
{
	uint32_t run = 0;
	double last = -1;

	r->votes = r->decisive = r->a_wins = r->run = 0;
	for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
		double y = c->vote[k].score;

		r->votes++;
		if (y == 0.5)
			continue;
		r->decisive++;
		r->a_wins += y > 0.5;
		run = y == last ? run + 1 : 1;
		last = y;
		r->run = run > r->run ? run : r->run;
	}
	r->side_p = dist_sign_test(r->a_wins, r->decisive);
	r->run_p = 1.0;
	if (r->run > 0)
		r->run_p = fmin(1.0,
		    r->decisive * num_exp((r->run - 1) * -0.69314718055994531));
}

/* Agreement with the others, and with one prompt against the others. */
static void
look_at_votes(struct court *c, uint32_t voter, struct rater *r)
{
	double sum = 0, var = 0, agreed = 0;

	for (uint32_t k = 0; k < c->nmet; k++)
		c->item_sum[c->met[k]] = c->item_var[c->met[k]] = 0;
	for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
		const struct rater_vote *v = &c->vote[k];
		double d = c->d[k], p = c->p[k], y = v->score;

		if (y == 0.5)
			continue;
		sum += d * (y - p);
		var += d * d * p * (1.0 - p);
		agreed += (y > 0.5) == (d > 0);
		c->item_sum[v->a] += y - p;
		c->item_sum[v->b] -= y - p;
		c->item_var[v->a] += p * (1.0 - p);
		c->item_var[v->b] += p * (1.0 - p);
	}
	r->z = var > 0.0 ? sum / sqrt(var) : 0.0;
	r->agreement = r->decisive > 0 ? agreed / r->decisive : 0.0;
	r->target_z = 0;
	r->target = 0;
	for (uint32_t k = 0; k < c->nmet; k++) {
		uint32_t i = c->met[k];
		double z;

		if (!(c->item_var[i] > 1.0))
			continue;
		z = c->item_sum[i] / sqrt(c->item_var[i]);
		if (z > r->target_z ||
		    (z > 0 && z >= r->target_z && i < r->target)) {
			r->target_z = z;
			r->target = i;
		}
	}
}

/* eta by EM: how often did the voter mean what the others hold? */
static double
estimate_eta(const struct court *c, uint32_t voter)
{
	double eta = 0.85;

	for (int round = 0; round < RATER_EM; round++) {
		double sum = 8.5, n = 10.0;

		for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
			const struct rater_vote *v = &c->vote[k];
			double p = c->p[k];

			if (v->score == 0.5)
				continue;
			p = v->score > 0.5 ? p : 1.0 - p;
			sum += eta * p / (eta * p + (1.0 - eta) * (1.0 - p));
			n++;
		}
		eta = sum / n;
	}
	return eta;
}

/* Slope of the voter's answers on the others' differences. */
static double
estimate_ability(const struct court *c, uint32_t voter)
{
	double a = 1.0;

	for (int step = 0; step < 20; step++) {
		double g = 1.0 - a, h = 1.0, d;

		for (size_t k = c->first[voter]; k < c->first[voter + 1]; k++) {
			const struct rater_vote *v = &c->vote[k];
			double p;

			d = c->d[k];
			p = num_sigmoid(a * d);
			g += d * (v->score - p);
			h += d * d * p * (1.0 - p);
		}
		d = g / h;
		d = d > 1.0 ? 1.0 : d < -1.0 ? -1.0 : d;
		a += d;
		if (fabs(d) < 1e-10)
			break;
	}
	return a;
}

static void
judge(struct court *c, uint32_t voter, struct rater *r)
{
	look_at_sides(c, voter, r);
	look_at_votes(c, voter, r);
	r->eta = estimate_eta(c, voter);
}

/* Flags and the weight that follows from them. */
static void
weigh(const struct court *c, uint32_t voter, struct rater *r)
{
	uint32_t failed = c->in->controls != NULL ? c->in->controls[voter] : 0;
	double w = (2.0 * r->eta - 1.0) / 0.7, target_p, z_p;
	int flags = 0;

	target_p = fmin(1.0, c->in->nitems * (1.0 - dist_normal(r->target_z)));
	z_p = r->decisive >= 15 ? dist_normal(r->z) : 1.0;
	r->p = fmin(1.0, 3.0 * fmin(r->side_p, fmin(z_p, target_p)));
	r->flags = (r->side_p < 1e-3 ? RATER_SIDE : 0u) |
		   (r->z < -3.0 && r->decisive >= 15 ? RATER_AGAINST : 0u) |
		   (target_p < 0.01 ? RATER_TARGET : 0u) |
		   (failed >= 2 ? RATER_CONTROL : 0u);
	for (unsigned f = r->flags; f != 0; f &= f - 1)
		flags++;
	w = w < 0.0 ? 0.0 : w > 1.0 ? 1.0 : w;
	if (w > RATER_DOUBT)
		w = fmin(1.0, w + (w - RATER_DOUBT) * RATER_TRUST);
	if (r->side_p < 1e-4 || failed >= 3 || flags >= 2)
		r->weight = 0.0;
	else if (flags == 1)
		r->weight = 0.5 * fmin(0.5, 0.5 * w);
	else
		r->weight = w;
}

static int
ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Benjamini and Hochberg (1995) at 5 %. */
static enum err
list_reviews(struct rater *r, uint32_t n)
{
	double *p = malloc((n + 1u) * sizeof(*p)), bound = -1.0;

	if (p == NULL)
		return ERR_NOMEM;
	for (uint32_t v = 0; v < n; v++)
		p[v] = r[v].p;
	qsort(p, n, sizeof(*p), ascending);
	for (uint32_t k = 0; k < n; k++) {
		if (p[k] <= 0.05 * (k + 1.0) / n)
			bound = p[k];
	}
	for (uint32_t v = 0; v < n; v++)
		r[v].review = r[v].p <= bound;
	free(p);
	return ERR_OK;
}

bool
rater_stands_out(const struct rater *r)
{
	return r->review || r->flags != 0;
}

double
rater_tau(const double *x, const double *y, size_t n)
{
	double agree_less = 0, nx = 0, ny = 0;

	for (size_t i = 1; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			int a = (x[i] > x[j]) - (x[i] < x[j]);
			int b = (y[i] > y[j]) - (y[i] < y[j]);

			agree_less += a * b;
			nx += a != 0;
			ny += b != 0;
		}
	}
	return nx > 0 && ny > 0 ? agree_less / sqrt(nx * ny) : 0.0;
}
