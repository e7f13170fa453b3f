/* This file knows how to resample votes and fit them again. */
#include "config.h"

#include "rate/boot.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/bt_chord.h"
#include "rate/ci.h"
#include "rate/multinom.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"

/* A round's error, as a share of a standard error. */
static const double close_enough = 0.002;

/* Prompts of a component up to which simultaneous ranks are computed. */
enum {
	RANKS_MOST = 200
};

/* A voter's votes on one pair, seen from the pair. */
struct share {
	uint32_t pair;
	double si, sj;
};

/* What all rounds read. */
struct plan {
	const struct pairs *pairs;
	const struct bt_fit *fit;
	const struct boot_options *o;
	struct bt_data data;
	struct bt_chord *chord; /* per component */
	struct share *share;    /* by voter */
	size_t *first;          /* voter -> its first share, nvoters + 1 */
	uint32_t nvoters;
	double *lone;  /* per pair 3: votes to draw one by one */
	double *value; /* per pair 3: what such a vote weighs if it counts */
	double *keep;  /* per pair 3: how likely it counts; NULL: all do */
	double nlone;
	struct multinom cells; /* ncells is 0 if voters take part */
	double *draws;
};

/* What one thread writes. */
struct hand {
	const struct plan *plan;
	unsigned start, step;
	double *si, *sj, *theta;
	uint32_t *work, *count;
	struct bt_work bt;
	enum err e;
};

static enum err make_plan(struct plan *, const struct tally *);
static enum err make_chords(struct plan *);
static void drop_plan(struct plan *);
static void *run_rounds(void *);

static enum err
open_hand(struct hand *h, const struct plan *plan, unsigned k)
{
	size_t m = plan->pairs->npairs + 1, n = plan->data.max_n + 1u;

	h->plan = plan;
	h->start = k;
	h->step = plan->o->threads;
	h->si = malloc(m * sizeof(*h->si));
	h->sj = malloc(m * sizeof(*h->sj));
	h->theta = malloc(n * sizeof(*h->theta));
	h->work =
	    malloc((6 * n + 2 * plan->data.max_np + 2) * sizeof(*h->work));
	h->count = malloc(3 * m * sizeof(*h->count));
	if (h->si == NULL || h->sj == NULL || h->theta == NULL ||
	    h->count == NULL || h->work == NULL ||
	    bt_work_open(&h->bt, plan->data.max_n, plan->data.max_np) != ERR_OK)
		return ERR_NOMEM;
	/* A round's error is far below the spread between rounds. */
	h->bt.target = 1e-6;
	h->bt.close = 1e-4;
	return ERR_OK;
}

static void
close_hand(struct hand *h)
{
	free(h->si);
	free(h->sj);
	free(h->theta);
	free(h->work);
	free(h->count);
	bt_work_release(&h->bt);
}

/* Thread 0 is the caller itself. */
static enum err
run_hands(const struct plan *plan)
{
	unsigned n = plan->o->threads, started = 0;
	struct hand *hand = calloc(n, sizeof(*hand));
	pthread_t *thread = calloc(n, sizeof(*thread));
	enum err e = ERR_NOMEM;

	if (hand == NULL || thread == NULL)
		goto out;
	for (unsigned k = 0; k < n; k++) {
		if (open_hand(&hand[k], plan, k) != ERR_OK)
			goto out;
	}
	e = ERR_OK;
	for (unsigned k = 1; k < n && e == ERR_OK; k++) {
		if (pthread_create(&thread[k], NULL, run_rounds, &hand[k]) != 0)
			e = ERR_NOMEM;
		else
			started = k;
	}
	if (e == ERR_OK)
		(void)run_rounds(&hand[0]);
	for (unsigned k = 1; k <= started; k++)
		(void)pthread_join(thread[k], NULL);
	for (unsigned k = 0; k < n && e == ERR_OK; k++)
		e = hand[k].e;
out:
	for (unsigned k = 0; hand != NULL && k < n; k++)
		close_hand(&hand[k]);
	free(hand);
	free(thread);
	return e;
}

/* Do the rounds of component c say anything about doubt? */
static bool
is_stuck(const struct plan *plan, uint32_t c, const struct ci *ci)
{
	const struct pairs_part *part = &plan->pairs->part[c];
	const uint32_t *item = plan->pairs->order + part->first;

	if (part->n < 2)
		return false;
	if (part->nstrong > 1 || plan->nvoters + plan->nlone < 2.0)
		return true;
	for (uint32_t x = 0; x < part->n; x++) {
		if (!(ci->se[item[x]] > 1e-6))
			return true;
	}
	return false;
}

/* The numbers of component c as from has them. */
static void
copy_part(
    const struct pairs *pairs, uint32_t c, const struct ci *from, struct ci *to)
{
	for (uint32_t x = 0; x < pairs->part[c].n; x++) {
		uint32_t i = pairs->order[pairs->part[c].first + x];

		to->se[i] = from->se[i];
		to->lower[i] = from->lower[i];
		to->upper[i] = from->upper[i];
		to->rank[i] = from->rank[i];
		to->rank_from[i] = from->rank_from[i];
		to->rank_to[i] = from->rank_to[i];
	}
}

/*
 * Votes that all say the same are drawn the same every time: rounds of a
 * component without a finite maximum, of nothing but ties or of one unit do
 * not vary as the truth might.  Such a component takes the sandwich, which
 * knows what to do there.
 */
static enum err
replace_stuck(const struct plan *plan, const struct tally *t, struct ci *ci)
{
	const struct boot_options *o = plan->o;
	struct ci_options s = { plan->nvoters > 0 ? CI_PER_VOTER : CI_PER_VOTE,
		o->level, o->seed, o->ranks };
	struct ci other = { 0 };
	enum err e;

	for (uint32_t c = 0; c < plan->pairs->nparts; c++)
		ci->replaced += is_stuck(plan, c, ci);
	if (ci->replaced == 0)
		return ERR_OK;
	e = ci_sandwich(plan->pairs, t, plan->fit, &s, &other);
	for (uint32_t c = 0; e == ERR_OK && c < plan->pairs->nparts; c++) {
		if (is_stuck(plan, c, ci))
			copy_part(plan->pairs, c, &other, ci);
	}
	ci_release(&other);
	return e;
}

enum err
boot_run(const struct pairs *pairs, const struct tally *t,
    const struct bt_fit *fit, const struct boot_options *o, struct ci *out,
    double *draws)
{
	struct plan plan = { .pairs = pairs, .fit = fit, .o = o };
	size_t need = (size_t)o->rounds * (pairs->nitems + 1u);
	double *own = NULL;
	struct ci ci = { 0 };
	enum err e;

	assert(o->rounds > 0 && o->threads > 0);
	assert(!o->by_voter || t->keeps_voters);
	if (need > BOOT_MOST)
		return ERR_TOOBIG;
	if (draws == NULL) {
		draws = own = malloc(need * sizeof(*own));
		if (own == NULL)
			return ERR_NOMEM;
	}
	plan.draws = draws;
	if ((e = make_plan(&plan, t)) == ERR_OK &&
	    (e = make_chords(&plan)) == ERR_OK &&
	    (e = ci_open(&ci, pairs->nitems, pairs->nparts)) == ERR_OK &&
	    (e = run_hands(&plan)) == ERR_OK &&
	    (e = boot_summarise(pairs, fit, o, draws, &ci)) == ERR_OK)
		e = replace_stuck(&plan, t, &ci);
	if (e == ERR_OK) {
		ci.method =
		    o->by_voter ? CI_BOOTSTRAP_VOTERS : CI_BOOTSTRAP_VOTES;
		ci.clusters = plan.nvoters;
		*out = ci;
	} else {
		ci_release(&ci);
	}
	drop_plan(&plan);
	free(own);
	return e;
}

/* A row's votes as the voter's share of its pair. */
static struct share
share_of(
    const struct plan *plan, const struct tally_cell *c, const double row[3])
{
	bool turned = c->a > c->b;
	double w[3] = { row[turned], row[!turned], row[2] };
	size_t p;

	if (!(w[0] + w[1] + w[2] > 0.0))
		return (struct share){ 0 };
	p = pairs_find(plan->pairs, c->a, c->b);
	return (
	    struct share){ (uint32_t)p, w[0] + 0.5 * w[2], w[1] + 0.5 * w[2] };
}

static void
share_out(struct plan *plan, const struct tally *t)
{
	size_t n = 0;

	for (uint32_t u = 0; u < t->nvoters; u++) {
		const struct tally_voter *v = &t->voter[u];

		if (v->n == 0)
			continue; /* voted elsewhere: in another group */
		plan->first[plan->nvoters++] = n;
		for (uint32_t k = 0; k < v->n; k++) {
			double w[3];

			tally_row_weights(v, k, w);
			plan->share[n++] =
			    share_of(plan, &t->cell[v->row[k].cell], w);
		}
	}
	plan->first[plan->nvoters] = n;
}

/* The votes that nobody signed, where voters are drawn as a whole. */
static enum err
count_lone(struct plan *plan, const struct tally *t)
{
	struct tally_lone *lone = malloc((t->ncells + 1) * sizeof(*lone));

	if (lone == NULL)
		return ERR_NOMEM;
	tally_unsigned(t, lone);
	for (size_t c = 0; c < t->ncells; c++) {
		const struct tally_cell *k = &t->cell[c];
		size_t turned = k->a > k->b, p;
		const size_t from[3] = { turned, 1 - turned, 2 };

		if (!(lone[c].n[0] + lone[c].n[1] + lone[c].n[2] > 0.0))
			continue;
		p = pairs_find(plan->pairs, k->a, k->b);
		for (size_t o = 0; o < 3; o++) {
			plan->lone[3 * p + o] += lone[c].n[from[o]];
			plan->value[3 * p + o] += lone[c].w[from[o]];
			plan->keep[3 * p + o] += lone[c].w2[from[o]];
		}
	}
	free(lone);
	return ERR_OK;
}

/* All votes, whoever gave them. */
static void
count_votes(struct plan *plan)
{
	for (size_t k = 0; k < plan->pairs->npairs; k++) {
		const struct pair *p = &plan->pairs->pair[k];
		double n[3] = { p->nwin, p->nloss, p->ntie };
		double w[3] = { p->win, p->loss, p->tie };
		double w2[3] = { p->win2, p->loss2, p->tie2 };

		memcpy(plan->lone + 3 * k, n, sizeof(n));
		memcpy(plan->value + 3 * k, w, sizeof(w));
		memcpy(plan->keep + 3 * k, w2, sizeof(w2));
	}
}

/*
 * From sums of weights and of squares to single votes.  What n votes weigh
 * apart is known by W and W2 alone; W^2 / W2 of them (Kish 1965) that weigh
 * W2 / W have the same mean and variance, so that many of the n count.
 */
static void
weigh_votes(struct plan *plan)
{
	bool all = true;

	for (size_t k = 0; k < 3 * plan->pairs->npairs; k++) {
		double n = plan->lone[k], w = plan->value[k];
		double w2 = plan->keep[k], share = 1.0;

		if (w2 > 0.0)
			share = w * w / (n * w2);
		plan->keep[k] = share < 1.0 - 1e-9 ? share : 1.0;
		if (plan->keep[k] < 1.0)
			plan->value[k] = w2 / w;
		else if (n > 0.0)
			plan->value[k] /= n;
		all &= plan->keep[k] == 1.0;
		plan->nlone += n;
	}
	if (all) {
		free(plan->keep);
		plan->keep = NULL;
	}
}

static enum err
make_plan(struct plan *plan, const struct tally *t)
{
	const struct pairs *pairs = plan->pairs;
	size_t m = 3 * pairs->npairs;
	enum err e = bt_data_open(pairs, &plan->data);

	if (e != ERR_OK)
		return e;
	plan->lone = calloc(m + 1, sizeof(*plan->lone));
	plan->value = calloc(m + 1, sizeof(*plan->value));
	plan->keep = calloc(m + 1, sizeof(*plan->keep));
	if (plan->lone == NULL || plan->value == NULL || plan->keep == NULL)
		return ERR_NOMEM;
	if (plan->o->by_voter && t->nrows > 0) {
		plan->share = calloc(t->nrows + 1, sizeof(*plan->share));
		plan->first =
		    calloc((size_t)t->nvoters + 1, sizeof(*plan->first));
		if (plan->share == NULL || plan->first == NULL)
			return ERR_NOMEM;
		share_out(plan, t);
		if ((e = count_lone(plan, t)) != ERR_OK)
			return e;
	} else {
		count_votes(plan);
	}
	weigh_votes(plan);
	if (plan->nvoters > 0)
		return ERR_OK;
	e = multinom_open(&plan->cells, plan->lone, m);
	return e == ERR_TOOBIG ? ERR_OK : e; /* binomials will do */
}

static void
drop_plan(struct plan *plan)
{
	for (uint32_t c = 0; plan->chord != NULL && c < plan->pairs->nparts;
	     c++)
		bt_chord_release(&plan->chord[c]);
	free(plan->chord);
	bt_data_release(&plan->data);
	multinom_release(&plan->cells);
	free(plan->share);
	free(plan->first);
	free(plan->lone);
	free(plan->value);
	free(plan->keep);
}

/* How many of the votes drawn from outcome k count. */
static uint64_t
thin(const struct plan *plan, struct prng *g, size_t k, uint64_t drawn)
{
	if (plan->keep == NULL || plan->keep[k] == 1.0)
		return drawn;
	return prng_binomial(g, drawn, plan->keep[k]);
}

/* n single votes over all cells, by conditional binomials. */
static void
draw_votes(struct hand *h, struct prng *g, uint64_t n)
{
	const struct plan *plan = h->plan;
	double left = plan->nlone;

	for (size_t k = 0; k < plan->pairs->npairs && n > 0; k++) {
		for (size_t o = 0; o < 3; o++) {
			double have = plan->lone[3 * k + o], w;
			uint64_t got;

			if (have == 0.0)
				continue;
			got = prng_binomial(g, n, have / left);
			left -= have;
			n -= got;
			got = thin(plan, g, 3 * k + o, got);
			w = (double)got * plan->value[3 * k + o];
			h->si[k] += o == 0 ? w : o == 2 ? 0.5 * w : 0.0;
			h->sj[k] += o == 1 ? w : o == 2 ? 0.5 * w : 0.0;
		}
	}
}

/* The same by table look-up. */
static void
draw_cells(struct hand *h, struct prng *g)
{
	const struct plan *plan = h->plan;

	multinom_draw(&plan->cells, g, h->count);
	for (size_t k = 0; plan->keep != NULL && k < plan->cells.ncells; k++)
		h->count[k] = (uint32_t)thin(plan, g, k, h->count[k]);
	for (size_t k = 0; k < plan->pairs->npairs; k++) {
		const double *value = plan->value + 3 * k;
		const uint32_t *n = h->count + 3 * k;
		double half = 0.5 * (n[2] * value[2]);

		h->si[k] = n[0] * value[0] + half;
		h->sj[k] = n[1] * value[1] + half;
	}
}

static void
resample(struct hand *h, unsigned round)
{
	const struct plan *plan = h->plan;
	uint64_t units = plan->nvoters + (uint64_t)plan->nlone, lone;
	struct prng g;

	prng_init(&g, plan->o->seed, round);
	if (plan->cells.ncells > 0) {
		draw_cells(h, &g);
		return;
	}
	memset(h->si, 0, plan->pairs->npairs * sizeof(*h->si));
	memset(h->sj, 0, plan->pairs->npairs * sizeof(*h->sj));
	lone = plan->nvoters == 0
		   ? units
		   : prng_binomial(&g, units, plan->nlone / (double)units);
	for (uint64_t k = lone; k < units; k++) {
		size_t v = (size_t)prng_below(&g, plan->nvoters);

		for (size_t s = plan->first[v]; s < plan->first[v + 1]; s++) {
			h->si[plan->share[s].pair] += plan->share[s].si;
			h->sj[plan->share[s].pair] += plan->share[s].sj;
		}
	}
	draw_votes(h, &g, lone);
}

/* Has this round a finite maximum on component c? */
static bool
is_finite(struct hand *h, const struct bt_problem *p)
{
	bool both = true;

	for (size_t k = 0; k < p->np && both; k++)
		both = p->si[k] > 0.0 && p->sj[k] > 0.0;
	return both || pairs_strong(p->n, p->i, p->j, p->si, p->sj, p->np, NULL,
			   h->work) == 1;
}

/* The full fit's strengths of component c, in local order. */
static void
start_from_fit(const struct plan *plan, uint32_t c, double *theta)
{
	const struct pairs_part *part = &plan->pairs->part[c];
	const uint32_t *item = plan->pairs->order + part->first;

	for (uint32_t x = 0; x < part->n; x++)
		theta[x] = plan->fit->theta[item[x]];
}

static enum err
fit_part(struct hand *h, uint32_t c)
{
	const struct plan *plan = h->plan;
	struct bt_problem p = plan->data.problem[c];

	p.si = h->si + plan->pairs->part[c].first_pair;
	p.sj = h->sj + plan->pairs->part[c].first_pair;
	if (!p.ghost && p.n > 1)
		p.ghost = !is_finite(h, &p);
	start_from_fit(plan, c, h->theta);
	if (!p.ghost && plan->chord[c].inverse != NULL) {
		if (bt_chord_solve(&plan->chord[c], &p, close_enough, h->theta,
			&h->bt) == ERR_OK)
			return ERR_OK;
		start_from_fit(plan, c, h->theta);
	}
	return bt_solve(&p, h->theta, &h->bt);
}

static enum err
fit_round(struct hand *h, double *draw)
{
	const struct pairs *pairs = h->plan->pairs;

	for (uint32_t c = 0; c < pairs->nparts; c++) {
		const uint32_t *item = pairs->order + pairs->part[c].first;
		enum err e = fit_part(h, c);

		if (e != ERR_OK)
			return e;
		for (uint32_t x = 0; x < pairs->part[c].n; x++)
			draw[item[x]] = h->theta[x];
	}
	return ERR_OK;
}

/* The Hessians that all rounds use. */
static enum err
make_chords(struct plan *plan)
{
	double *theta = malloc((plan->data.max_n + 1u) * sizeof(*theta));
	enum err e = theta != NULL ? ERR_OK : ERR_NOMEM;

	plan->chord = calloc(plan->pairs->nparts + 1u, sizeof(*plan->chord));
	if (plan->chord == NULL)
		e = ERR_NOMEM;
	for (uint32_t c = 0; e == ERR_OK && c < plan->pairs->nparts; c++) {
		start_from_fit(plan, c, theta);
		e = bt_chord_open(
		    &plan->chord[c], &plan->data.problem[c], theta);
	}
	free(theta);
	return e;
}

static void *
run_rounds(void *arg)
{
	struct hand *h = arg;
	const struct plan *plan = h->plan;

	for (unsigned r = h->start; r < plan->o->rounds; r += h->step) {
		resample(h, r);
		h->e =
		    fit_round(h, plan->draws + (size_t)r * plan->pairs->nitems);
		if (h->e != ERR_OK)
			break;
	}
	return NULL;
}
