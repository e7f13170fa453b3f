/* This file knows how to run the exploratory models on a vote file. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/rate_board.h"
#include "rate/bt.h"
#include "rate/dist.h"
#include "rate/model.h"
#include "rate/pairs.h"
#include "rate/tally.h"

/* The rows of one component, and their covariates. */
struct rows {
	struct model_row *row;
	double *z;
	size_t n;
	struct model_options o;
};

static const char *const style_names[RATE_STYLES] = { "tokens", "headers",
	"lists", "bold" };

/* Penalty of published style control: 1/4 of each squared parameter. */
static const double style_ridge = 0.5;
static const double ln10_squared = 5.3018981104783980;

static enum err
rows_from_votes(const struct rate_data *data, const struct pairs *p,
    uint32_t part, bool voters, struct rows *r)
{
	size_t k = RATE_STYLES, n = 0;
	float *ab = calloc(data->nvote * 2 * k + 1, sizeof(*ab));
	double *z = calloc(data->nvote * k + 1, sizeof(*z));

	r->row = calloc(data->nvote + 1, sizeof(*r->row));
	r->z = calloc(data->nvote * (k + 1) + 1, sizeof(*r->z));
	if (ab == NULL || z == NULL || r->row == NULL || r->z == NULL) {
		free(ab);
		free(z);
		return ERR_NOMEM;
	}
	for (size_t v = 0; v < data->nvote; v++)
		memcpy(ab + v * 2 * k, data->vote[v].style,
		    sizeof(data->vote[v].style));
	model_style(ab, data->nvote, k, z);
	for (size_t v = 0; v < data->nvote; v++) {
		const struct rate_vote *x = &data->vote[v];
		struct model_row *row = &r->row[n];
		size_t o = x->outcome > 2 ? 2 : x->outcome;

		if (p->part_of[x->a] != part || !(x->weight > 0.0))
			continue;
		row->i = p->local[x->a];
		row->j = p->local[x->b];
		row->cluster = voters ? x->voter : UINT32_MAX;
		row->alone = voters ? 1.0 : 0.0;
		row->w[o] = x->weight;
		row->w2[o] = x->weight * x->weight;
		memcpy(r->z + n * r->o.nz, z + v * k, k * sizeof(*z));
		if (r->o.nz > k)
			r->z[n * r->o.nz + k] = 1.0;
		n++;
	}
	r->n = n;
	free(ab);
	free(z);
	return ERR_OK;
}

/* A cell's votes, all or those that nobody signed, as a row. */
static struct model_row
row_of_cell(const struct tally *t, size_t c, const struct tally_lone *lone)
{
	struct model_row r = { .cluster = UINT32_MAX };

	for (int o = 0; lone == NULL && o < TALLY__MAX; o++) {
		double w2,
		    w = tally_weight_of(t, c, (enum tally_outcome)o, &w2);

		r.w[o > 2 ? 2 : o] += w;
		r.w2[o > 2 ? 2 : o] += w2;
	}
	for (int o = 0; lone != NULL && o < 3; o++) {
		r.w[o] = lone[c].w[o];
		r.w2[o] = lone[c].w2[o];
		r.alone += lone[c].n[o];
	}
	return r;
}

/*
 * A voter's rows of the component.  Squares are asked for by the sum over all
 * voters alone: a row has its weight's share of its cell's signed ones.
 */
static void
sign_rows(const struct tally *t, const struct pairs *p, uint32_t part,
    uint32_t voter, const struct tally_lone *lone, struct rows *r)
{
	const struct tally_voter *v = &t->voter[voter];

	for (uint32_t k = 0; k < v->n; k++) {
		const struct tally_cell *c = &t->cell[v->row[k].cell];
		struct model_row *row = &r->row[r->n], all, rest;

		if (p->part_of[c->a] != part)
			continue;
		row->i = p->local[c->a];
		row->j = p->local[c->b];
		row->cluster = voter;
		tally_row_weights(v, k, row->w);
		if (!(row->w[0] + row->w[1] + row->w[2] > 0.0))
			continue;
		all = row_of_cell(t, v->row[k].cell, NULL);
		rest = row_of_cell(t, v->row[k].cell, lone);
		for (int o = 0; o < 3; o++) {
			if (row->w[o] > 0.0)
				row->w2[o] = row->w[o] *
					     (all.w2[o] - rest.w2[o]) /
					     (all.w[o] - rest.w[o]);
		}
		r->n++;
	}
}

/* Rows of cells: voters' rows first, then what nobody known has voted. */
static enum err
rows_from_tally(const struct tally *t, const struct pairs *p, uint32_t part,
    bool voters, struct rows *r)
{
	size_t most = t->ncells + (voters ? t->nrows : 0);
	struct tally_lone *lone =
	    voters ? malloc((t->ncells + 1) * sizeof(*lone)) : NULL;

	r->n = 0;
	r->row = calloc(most + 1, sizeof(*r->row));
	r->z = calloc(most + 1, sizeof(*r->z));
	if ((voters && lone == NULL) || r->row == NULL || r->z == NULL) {
		free(lone);
		return ERR_NOMEM;
	}
	if (voters)
		tally_unsigned(t, lone);
	for (uint32_t u = 0; voters && u < t->nvoters; u++)
		sign_rows(t, p, part, u, lone, r);
	for (size_t c = 0; c < t->ncells; c++) {
		struct model_row row = row_of_cell(t, c, lone);

		if (p->part_of[t->cell[c].a] != part ||
		    !(row.w[0] + row.w[1] + row.w[2] > 0.0))
			continue;
		row.i = p->local[t->cell[c].a];
		row.j = p->local[t->cell[c].b];
		r->row[r->n++] = row;
	}
	for (size_t k = 0; k < r->n && r->o.nz > 0; k++)
		r->z[k] = 1.0; /* i was shown first */
	free(lone);
	return ERR_OK;
}

/* q: half-widths in errors; infinite where one voter says nothing. */
static void
note_effects(const struct rate_opts *o, const struct model_fit *f, double q,
    struct rate_board *b)
{
	size_t k = 0;

	b->quantile = q;

	b->neffects = 0;
	for (; o->style && k < RATE_STYLES; k++)
		b->effect[b->neffects++] = (struct rate_effect){ style_names[k],
			f->beta[k], f->se_beta[k] };
	if (o->position)
		b->effect[b->neffects++] = (struct rate_effect){ "shown first",
			f->beta[k], f->se_beta[k] };
	if (o->model == RATE_BT)
		return;
	b->tie = f->tie;
}

static struct model_options
options_of(const struct rate_opts *o, bool ghost)
{
	struct model_options m = { .kind = MODEL_BT, .ghost = ghost };

	if (o->model == RATE_DAVIDSON)
		m.kind = MODEL_DAVIDSON;
	if (o->model == RATE_RAO_KUPPER)
		m.kind = MODEL_RAO_KUPPER;
	m.nz = (o->style ? RATE_STYLES : 0u) + (o->position ? 1u : 0u);
	if (o->style) {
		m.ridge_theta = style_ridge / ln10_squared;
		m.ridge_beta = style_ridge;
	}
	return m;
}

/* Voters count as units where the file names any and they are wanted. */
static bool
by_voter(const struct tally *t, const struct rate_opts *o)
{
	return t->keeps_voters && t->nrows > 0 && o->cluster != RATE_BY_VOTE;
}

/* Those who voted: a group's tally has room for everybody in the file. */
static uint32_t
count_voters(const struct tally *t)
{
	uint32_t n = 0;

	for (uint32_t u = 0; u < t->nvoters; u++)
		n += t->voter[u].n > 0;
	return n;
}

/* Rows of the component, and the fit. */
static enum err
fit_rows(const struct rate_data *data, const struct tally *t,
    const struct pairs *p, uint32_t part, const struct rate_opts *o,
    struct model_options *m, struct model_fit *f)
{
	bool voters = by_voter(t, o);
	uint32_t n = p->part[part].n;
	struct rows r = { .o = *m };
	enum err e;

	if (o->style)
		e = rows_from_votes(data, p, part, voters, &r);
	else
		e = rows_from_tally(t, p, part, voters, &r);
	if (e == ERR_OK)
		e = model_fit(r.row, r.z, r.n, n, m, f);
	if (e == ERR_LIMIT && !m->ghost && m->nz == 0) {
		/* No finite maximum, which with ties only the climb shows. */
		m->ghost = true;
		e = model_fit(r.row, r.z, r.n, n, m, f);
	}
	free(r.row);
	free(r.z);
	return e;
}

/* Why the component has no answer, by name where it is one of several. */
static enum err
explain(struct rate_data *data, const struct pairs *p, uint32_t part,
    const struct model_options *m, enum err e)
{
	char of[96] = "";

	if (p->nparts > 1)
		(void)snprintf(of, sizeof(of), " in the group of \"%.60s\"",
		    data->names.name[p->order[p->part[part].first]].p);
	if (e == ERR_INVALID)
		return rate_data_fail(data, 0, e,
		    "every vote%s is a tie: the tie parameter has no finite "
		    "maximum (use --model bt)",
		    of);
	if (e == ERR_LIMIT && m->nz > 0)
		return rate_data_fail(data, 0, ERR_CONFLICT,
		    "these votes%s cannot tell side or style effects from "
		    "ratings (was every pair shown one way only?)",
		    of);
	if (e == ERR_TOOBIG)
		return rate_data_fail(data, 0, e,
		    "this model takes at most %d prompts (use --model bt)",
		    MODEL_MOST);
	return e;
}

/* Of Student's t where voters are few; one alone says nothing. */
static double
quantile(const struct model_fit *f, double level)
{
	double p = 0.5 + 0.5 * level;

	if (!isfinite(f->units))
		return dist_normal_quantile(p);
	return f->units > 1.0 ? dist_t_quantile(p, f->units - 1.0) : HUGE_VAL;
}

/* Fit one component and copy its ratings; the largest one's effects stay. */
static enum err
fit_component(struct rate_data *data, const struct tally *t,
    const struct pairs *p, uint32_t part, const struct rate_opts *o,
    struct rate_board *b, bool largest)
{
	struct model_options m = options_of(o, p->part[part].nstrong > 1);
	struct model_fit f;
	enum err e = fit_rows(data, t, p, part, o, &m, &f);
	double q;

	if (e != ERR_OK)
		return explain(data, p, part, &m, e);
	q = quantile(&f, o->level);
	for (uint32_t x = 0; x < p->part[part].n; x++) {
		struct rate_line *l =
		    &b->line[p->order[p->part[part].first + x]];

		l->rating = BT_CENTRE + BT_POINTS * f.theta[x];
		l->penalised = m.ghost;
		b->npenalised += m.ghost;
		if (o->intervals == RATE_NONE || !isfinite(q))
			continue;
		l->lower = l->rating - q * BT_POINTS * f.se[x];
		l->upper = l->rating + q * BT_POINTS * f.se[x];
	}
	if (largest) {
		note_effects(o, &f, q, b);
		b->log_likelihood = f.log_likelihood;
		b->aic = f.aic;
		b->newton = f.newton;
		b->worst = f.worst;
	}
	model_fit_release(&f);
	return ERR_OK;
}

enum err
rate_board_model(struct rate_data *data, const struct tally *t,
    const struct rate_opts *o, struct rate_board *b)
{
	struct pairs p;
	uint32_t big = 0;
	enum err e = pairs_open(t, data->names.count, &p);

	if (e != ERR_OK)
		return e;
	for (uint32_t c = 0; c < p.nparts; c++)
		big = p.part[c].n > p.part[big].n ? c : big;
	for (uint32_t c = 0; e == ERR_OK && c < p.nparts; c++) {
		for (uint32_t x = 0; x < p.part[c].n; x++) {
			uint32_t i = p.order[p.part[c].first + x];

			b->line[i].component = c == big  ? 1
					       : c < big ? c + 2
							 : c + 1;
			b->line[i].rating = BT_CENTRE;
			b->line[i].penalised = p.part[c].n < 2;
		}
		if (p.part[c].n > 1)
			e = fit_component(data, t, &p, c, o, b, c == big);
	}
	b->components = p.nparts;
	b->method = o->intervals == RATE_NONE ? CI_NONE
		    : by_voter(t, o)          ? CI_PER_VOTER
					      : CI_PER_VOTE;
	b->clusters = count_voters(t);
	pairs_release(&p);
	return e;
}
