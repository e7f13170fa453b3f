/* This file knows how to rate prompts and voters at once. */
#include "config.h"

#include "rate/amelo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/dense.h"
#include "rate/model.h"
#include "rate/num.h"

enum {
	MAX_ROUNDS = 5000,
	ABILITY_STEPS = 8
};

struct turns {
	const struct rater_input *in;
	double ridge;
	double *theta, *ability;
	double *h, *grad, *try; /* of the items */
	double *slope, *curve;  /* of the voters */
	uint32_t *votes;        /* of the voters */
};

/* Log-likelihood of all votes at these strengths, prior aside. */
static double
likelihood(const struct turns *t, const double *theta)
{
	double sum = 0;

	for (size_t k = 0; k < t->in->nvotes; k++) {
		const struct rater_vote *v = &t->in->vote[k];
		double x = t->ability[v->voter] * (theta[v->a] - theta[v->b]);

		if (v->score > 0.0)
			sum += v->score * num_log_sigmoid(x);
		if (v->score < 1.0)
			sum += (1.0 - v->score) * num_log_sigmoid(-x);
	}
	return sum;
}

/* Newton on every voter's ability by itself. */
static double
climb_abilities(struct turns *t)
{
	uint32_t n = t->in->nvoters;
	double most = 0;

	for (uint32_t v = 0; v < n; v++) {
		t->slope[v] = t->ridge * (1.0 - t->ability[v]);
		t->curve[v] = t->ridge + 1e-12;
	}
	for (size_t k = 0; k < t->in->nvotes; k++) {
		const struct rater_vote *v = &t->in->vote[k];
		double d = t->theta[v->a] - t->theta[v->b];
		double p = num_sigmoid(t->ability[v->voter] * d);

		t->slope[v->voter] += d * (v->score - p);
		t->curve[v->voter] += d * d * p * (1.0 - p);
	}
	for (uint32_t v = 0; v < n; v++) {
		double step = t->slope[v] / t->curve[v];

		if (t->votes[v] == 0)
			continue;
		step = fmax(-0.5, fmin(0.5, step));
		t->ability[v] += step;
		most = fmax(most, fabs(step));
	}
	return most;
}

/* One Newton step on the strengths, halved until it climbs. */
static enum err
climb_strengths(struct turns *t, double *moved)
{
	size_t n = t->in->nitems;
	double fill = 0, now = likelihood(t, t->theta), f = 1.0;

	memset(t->h, 0, n * n * sizeof(*t->h));
	memset(t->grad, 0, n * sizeof(*t->grad));
	for (size_t k = 0; k < t->in->nvotes; k++) {
		const struct rater_vote *v = &t->in->vote[k];
		double a = t->ability[v->voter];
		double p = num_sigmoid(a * (t->theta[v->a] - t->theta[v->b]));
		double w = a * a * p * (1.0 - p), g = a * (v->score - p);

		t->grad[v->a] += g;
		t->grad[v->b] -= g;
		t->h[v->a * n + v->a] += w;
		t->h[v->b * n + v->b] += w;
		t->h[v->a * n + v->b] -= w;
		t->h[v->b * n + v->a] -= w;
	}
	for (size_t i = 0; i < n; i++)
		fill += t->h[i * n + i];
	fill = fill / ((double)n * (double)n) + 1e-300;
	for (size_t k = 0; k < n * n; k++)
		t->h[k] += fill;
	if (dense_cholesky(t->h, n) != ERR_OK)
		return ERR_LIMIT;
	dense_solve(t->h, n, t->grad);
	for (int halving = 0; halving < 40; halving++, f *= 0.5) {
		for (size_t i = 0; i < n; i++)
			t->try[i] = t->theta[i] + f * t->grad[i];
		if (likelihood(t, t->try) >= now - 1e-12 * fabs(now))
			break;
	}
	*moved = 0;
	for (size_t i = 0; i < n; i++) {
		*moved = fmax(*moved, fabs(t->try[i] - t->theta[i]));
		t->theta[i] = t->try[i];
	}
	return ERR_OK;
}

/* Mean strength 0, mean ability 1; with a prior the scale is the data's. */
static void
normalise(struct turns *t)
{
	double mean = 0, scale = 0, n = 0;

	for (uint32_t i = 0; i < t->in->nitems; i++)
		mean += t->theta[i] / t->in->nitems;
	for (uint32_t v = 0; v < t->in->nvoters; v++) {
		if (t->votes[v] == 0)
			continue;
		scale += t->ability[v];
		n++;
	}
	scale = t->ridge > 0.0 ? 1.0 : scale / n;
	for (uint32_t i = 0; i < t->in->nitems; i++)
		t->theta[i] = (t->theta[i] - mean) * scale;
	for (uint32_t v = 0; v < t->in->nvoters; v++)
		if (t->votes[v] > 0)
			t->ability[v] /= scale;
}

static enum err
take_turns(struct turns *t, struct amelo_fit *out)
{
	double moved = 1;

	for (out->rounds = 1; out->rounds <= MAX_ROUNDS; out->rounds++) {
		enum err e = climb_strengths(t, &moved);

		if (e != ERR_OK)
			return e;
		for (int k = 0; k < ABILITY_STEPS; k++)
			if (climb_abilities(t) < 1e-10)
				break;
		normalise(t);
		if (moved < 1e-7)
			return ERR_OK;
	}
	return ERR_LIMIT;
}

enum err
amelo_fit(const struct rater_input *in, double ridge, double *theta,
    double *ability, struct amelo_fit *out)
{
	struct turns t = {
		.in = in, .ridge = ridge, .theta = theta, .ability = ability
	};
	size_t n = in->nitems;
	enum err e = ERR_NOMEM;

	if (n > MODEL_MOST)
		return ERR_TOOBIG;
	t.h = calloc(n * n + 2 * n + 2 * (size_t)in->nvoters + 1, sizeof(*t.h));
	t.votes = calloc(in->nvoters + 1u, sizeof(*t.votes));
	if (t.h == NULL || t.votes == NULL)
		goto out;
	t.grad = t.h + n * n;
	t.try = t.grad + n;
	t.slope = t.try + n;
	t.curve = t.slope + in->nvoters;
	for (size_t i = 0; i < n; i++)
		theta[i] = 0;
	for (uint32_t v = 0; v < in->nvoters; v++)
		ability[v] = 1;
	for (size_t k = 0; k < in->nvotes; k++)
		t.votes[in->vote[k].voter]++;
	if ((e = take_turns(&t, out)) == ERR_OK)
		out->loss = -likelihood(&t, theta) / (double)in->nvotes;
out:
	free(t.h);
	free(t.votes);
	return e;
}
