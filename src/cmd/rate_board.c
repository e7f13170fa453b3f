/* This file knows how to fill a board with ratings, intervals and counts. */
#include "config.h"

#include "cmd/rate_board.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rate/boot.h"
#include "rate/bt.h"
#include "rate/elo.h"
#include "rate/pairs.h"
#include "rate/tally.h"

static enum err open_lines(
    struct rate_data *, const struct tally *, struct rate_board *);
static enum err board_bt(struct rate_data *, const struct tally *,
    const struct rate_opts *, struct rate_board *);
static enum err board_elo(
    struct rate_data *, const struct rate_opts *, struct rate_board *);
static void sort_lines(const struct rate_data *, struct rate_board *);

double
rate_seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum err
rate_board_make(struct rate_data *data, const struct tally *t,
    const struct rate_opts *o, struct rate_board *out)
{
	struct rate_board b = { 0 };
	enum err e;

	b.log_likelihood = b.aic = b.tie = NAN;
	b.votes = t->votes;
	if ((e = open_lines(data, t, &b)) != ERR_OK) {
		rate_board_release(&b);
		return rate_data_fail(data, 0, e, "out of memory");
	}
	b.exploratory = o->model != RATE_BT || o->style || o->position;
	if (o->model == RATE_ELO)
		e = board_elo(data, o, &b);
	else if (o->model == RATE_GLICKO)
		e = rate_board_glicko(data, o, &b);
	else if (o->model == RATE_AM_ELO)
		e = rate_board_amelo(data, t, &b);
	else if (b.exploratory)
		e = rate_board_model(data, t, o, &b);
	else
		e = board_bt(data, t, o, &b);
	if (e != ERR_OK) {
		rate_board_release(&b);
		if (data->message[0] == '\0')
			return rate_data_fail(data, 0, e,
			    e == ERR_LIMIT
				? "the fit has not converged; no rating is "
				  "given"
				: "out of memory");
		return e;
	}
	sort_lines(data, &b);
	*out = b;
	return ERR_OK;
}

void
rate_board_release(struct rate_board *b)
{
	free(b->line);
	memset(b, 0, sizeof(*b));
}

/* A line for every prompt, with its counts. */
static enum err
open_lines(struct rate_data *data, const struct tally *t, struct rate_board *b)
{
	b->nlines = data->names.count;
	b->line = calloc(b->nlines + 1u, sizeof(*b->line));
	if (b->line == NULL)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < b->nlines; i++) {
		b->line[i].item = i;
		b->line[i].rating = b->line[i].lower = NAN;
		b->line[i].upper = b->line[i].order_mean = NAN;
		b->line[i].component = 1;
	}
	for (size_t c = 0; c < t->ncells; c++) {
		const struct tally_cell *k = &t->cell[c];
		struct rate_line *x = &b->line[k->a], *y = &b->line[k->b];
		uint64_t all = k->n[TALLY_A] + k->n[TALLY_B] + k->n[TALLY_TIE] +
			       k->n[TALLY_POOR];

		x->wins += (double)k->n[TALLY_A];
		x->losses += (double)k->n[TALLY_B];
		y->wins += (double)k->n[TALLY_B];
		y->losses += (double)k->n[TALLY_A];
		x->ties += (double)k->n[TALLY_TIE];
		y->ties += (double)k->n[TALLY_TIE];
		x->both_poor += k->n[TALLY_POOR];
		y->both_poor += k->n[TALLY_POOR];
		x->matches += all;
		y->matches += all;
		b->both_poor += k->n[TALLY_POOR];
	}
	return ERR_OK;
}

/* "A", "B" and 3 more: the names of a strongly connected set. */
static void
name_some(const struct rate_data *data, const struct pairs *p, uint32_t set,
    char *out, size_t size)
{
	size_t n = 0, told = 0, all = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < p->nitems; i++) {
		if (p->strong[i] != set)
			continue;
		all++;
		if (told == 5 || n + 80 > size)
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s\"%.60s\"",
		    told > 0 ? ", " : "", data->names.name[i].p);
		told++;
	}
	if (all > told && n + 24 < size)
		(void)snprintf(out + n, size - n, " and %zu more", all - told);
}

/* The first set that only won (or only lost) against the others. */
static void
name_one_sided(const struct rate_data *data, const struct pairs *p,
    const bool *did, const bool *suffered, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t s = 0; s < p->nstrong && out[0] == '\0'; s++) {
		if (did[s] && !suffered[s])
			name_some(data, p, s, out, size);
	}
}

/* Why there is no finite maximum: the sets that only won or only lost. */
static enum err
refuse(struct rate_data *data, const struct pairs *p)
{
	bool *won = calloc(2 * (size_t)p->nstrong + 1, sizeof(*won)), *lost;
	char top[400], bottom[400];

	if (won == NULL)
		return ERR_NOMEM;
	lost = won + p->nstrong;
	for (size_t k = 0; k < p->npairs; k++) {
		const struct pair *q = &p->pair[k];
		uint32_t i = p->strong[q->i], j = p->strong[q->j];

		if (i == j)
			continue; /* between sets only one side scores */
		won[q->win > 0.0 ? i : j] = true;
		lost[q->win > 0.0 ? j : i] = true;
	}
	name_one_sided(data, p, won, lost, top, sizeof(top));
	name_one_sided(data, p, lost, won, bottom, sizeof(bottom));
	free(won);
	if (top[0] == '\0')
		return rate_data_fail(data, 0, ERR_CONFLICT,
		    "no finite maximum: some prompts met nobody with a "
		    "weight above 0");
	return rate_data_fail(data, 0, ERR_CONFLICT,
	    "no finite maximum: %s never lost to anybody else (a loss or tie "
	    "is missing), %s never won (a win or tie is missing)",
	    top, bottom);
}

/* Components by size, the largest first; ties by their first item. */
static uint32_t *
number_parts(const struct pairs *p)
{
	uint32_t *rank = calloc(p->nparts + 1u, sizeof(*rank));

	for (uint32_t c = 0; rank != NULL && c < p->nparts; c++)
		rank[c] = 1;
	if (rank == NULL || p->nparts > 5000) {
		/* Too many to sort out by pairs: in order of appearance. */
		for (uint32_t c = 0; rank != NULL && c < p->nparts; c++)
			rank[c] = c + 1;
		return rank;
	}
	for (uint32_t c = 0; c < p->nparts; c++)
		for (uint32_t d = 0; d < p->nparts; d++)
			rank[c] += p->part[d].n > p->part[c].n ||
				   (p->part[d].n == p->part[c].n && d < c);
	return rank;
}

static bool
by_voter(const struct rate_opts *o, const struct tally *t)
{
	return t->keeps_voters && t->nrows > 0 && o->cluster != RATE_BY_VOTE;
}

static enum err
intervals(struct rate_data *data, const struct pairs *p, const struct tally *t,
    const struct bt_fit *fit, const struct rate_opts *o, struct ci *ci)
{
	bool voters = by_voter(o, t);
	struct ci_options s = { voters ? CI_PER_VOTER : CI_PER_VOTE, o->level,
		o->seed, true };
	struct boot_options b = { o->rounds, o->threads, o->seed, o->level,
		voters, true };
	enum err e;

	if (o->intervals == RATE_SANDWICH)
		return ci_sandwich(p, t, fit, &s, ci);
	e = boot_run(p, t, fit, &b, ci, NULL);
	if (e == ERR_TOOBIG)
		return rate_data_fail(data, 0, e,
		    "too many prompts for %u bootstrap rounds (use fewer, "
		    "or --intervals sandwich)",
		    o->rounds);
	return e;
}

static double
points(double theta)
{
	return BT_CENTRE + theta * BT_POINTS;
}

/* Copy a fit, and intervals unless ci is NULL, into the lines. */
static enum err
fill_lines(const struct pairs *p, const struct bt_fit *fit, const struct ci *ci,
    struct rate_board *b)
{
	uint32_t *number = number_parts(p);

	if (number == NULL)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < b->nlines; i++) {
		struct rate_line *l = &b->line[i];

		l->rating = points(fit->theta[i]);
		l->penalised = fit->penalised[i];
		l->component = number[p->part_of[i]];
		if (ci == NULL)
			continue;
		if (isfinite(ci->lower[i]) && isfinite(ci->upper[i])) {
			l->lower = points(ci->lower[i]);
			l->upper = points(ci->upper[i]);
		}
		l->rank = ci->rank[i];
		l->rank_from = ci->rank_from[i];
		l->rank_to = ci->rank_to[i];
	}
	b->components = p->nparts;
	b->npenalised = fit->npenalised;
	b->log_likelihood = fit->log_likelihood;
	b->worst = fit->worst;
	b->newton = fit->newton;
	b->passes = fit->passes;
	free(number);
	return ERR_OK;
}

static enum err
board_bt(struct rate_data *data, const struct tally *t,
    const struct rate_opts *o, struct rate_board *b)
{
	struct pairs p = { 0 };
	struct bt_fit fit = { 0 };
	struct ci ci = { 0 };
	double start = rate_seconds(), fitted;
	enum err e;

	if ((e = pairs_open(t, data->names.count, &p)) != ERR_OK)
		return e;
	if (o->unpenalised && p.nstrong > p.nparts) {
		e = refuse(data, &p);
		goto out;
	}
	if ((e = bt_fit(&p, NULL, &fit)) != ERR_OK)
		goto out;
	fitted = rate_seconds();
	if (o->intervals != RATE_NONE)
		e = intervals(data, &p, t, &fit, o, &ci);
	if (e != ERR_OK)
		goto out;
	e = fill_lines(&p, &fit, o->intervals != RATE_NONE ? &ci : NULL, b);
	b->method = ci.method;
	b->clusters = ci.clusters;
	b->sampled = ci.sampled;
	b->replaced = ci.replaced;
	b->fit_seconds = fitted - start;
	b->interval_seconds = rate_seconds() - fitted;
out:
	ci_release(&ci);
	bt_fit_release(&fit);
	pairs_release(&p);
	return e;
}

/* Elo follows the file's order; --orders shows how much that matters. */
static enum err
board_elo(
    struct rate_data *data, const struct rate_opts *o, struct rate_board *b)
{
	size_t n = data->names.count;
	double *r = calloc(3 * n + 1, sizeof(*r)), *mean, *sd;
	enum err e = ERR_OK;

	if (r == NULL)
		return ERR_NOMEM;
	mean = r + n;
	sd = mean + n;
	elo_replay(&o->elo, data->order, data->norder, o->passes, r, n);
	if (o->orders > 0)
		e = elo_over_orders(&o->elo, data->order, data->norder,
		    o->orders, o->seed, mean, sd, n);
	for (size_t i = 0; e == ERR_OK && i < n; i++) {
		b->line[i].rating = r[i];
		if (o->orders == 0)
			continue;
		b->line[i].order_mean = mean[i];
		b->line[i].order_sd = sd[i];
	}
	b->components = 1;
	free(r);
	return e;
}

static int
by_rating(const void *x, const void *y, void *arg)
{
	const struct rate_line *a = x, *b = y;
	const struct rate_name *name = arg;
	const struct rate_name *p, *q;
	int c;

	if (a->component != b->component)
		return a->component < b->component ? -1 : 1;
	if (a->rating != b->rating)
		return a->rating > b->rating ? -1 : 1;
	p = &name[a->item];
	q = &name[b->item];
	c = memcmp(p->p, q->p, p->n < q->n ? p->n : q->n);
	return c != 0 ? c : (p->n > q->n) - (p->n < q->n);
}

static void
sort_lines(const struct rate_data *data, struct rate_board *b)
{
	uint32_t kept = 0;

	/* A group's board shows who took part in it. */
	for (uint32_t i = 0; i < b->nlines; i++) {
		if (b->line[i].matches > 0)
			b->line[kept++] = b->line[i];
	}
	b->nlines = kept;
	qsort_r(
	    b->line, b->nlines, sizeof(*b->line), by_rating, data->names.name);
}
