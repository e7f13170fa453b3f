/* This file knows how to fit all components of a data set. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/pairs.h"

enum err
bt_data_open(const struct pairs *pairs, struct bt_data *out)
{
	struct bt_data d = { .nparts = pairs->nparts };
	size_t m = pairs->npairs + 1;

	d.i = malloc(m * sizeof(*d.i));
	d.j = malloc(m * sizeof(*d.j));
	d.si = malloc(m * sizeof(*d.si));
	d.sj = malloc(m * sizeof(*d.sj));
	d.problem = calloc(pairs->nparts + 1u, sizeof(*d.problem));
	if (d.i == NULL || d.j == NULL || d.si == NULL || d.sj == NULL ||
	    d.problem == NULL) {
		bt_data_release(&d);
		return ERR_NOMEM;
	}
	for (size_t k = 0; k < pairs->npairs; k++) {
		const struct pair *p = &pairs->pair[k];

		d.i[k] = pairs->local[p->i];
		d.j[k] = pairs->local[p->j];
		d.si[k] = p->win + 0.5 * p->tie;
		d.sj[k] = p->loss + 0.5 * p->tie;
	}
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		const struct pairs_part *part = &pairs->part[c];
		size_t f = part->first_pair;

		d.problem[c] = (struct bt_problem){ part->n, part->np, d.i + f,
			d.j + f, d.si + f, d.sj + f, part->nstrong > 1 };
		d.max_n = part->n > d.max_n ? part->n : d.max_n;
		d.max_np = part->np > d.max_np ? part->np : d.max_np;
	}
	*out = d;
	return ERR_OK;
}

void
bt_data_release(struct bt_data *d)
{
	free(d->i);
	free(d->j);
	free(d->si);
	free(d->sj);
	free(d->problem);
	memset(d, 0, sizeof(*d));
}

/* Fit component c and note in fit what it cost. */
static enum err
fit_part(const struct pairs *pairs, const struct bt_data *d, uint32_t c,
    const double *start, struct bt_work *w, double *theta, struct bt_fit *fit)
{
	const struct pairs_part *part = &pairs->part[c];
	const uint32_t *item = pairs->order + part->first;
	enum err e;

	for (uint32_t x = 0; x < part->n; x++)
		theta[x] = start != NULL ? start[item[x]] : 0.0;
	e = bt_solve(&d->problem[c], theta, w);
	if (e != ERR_OK)
		return e;
	for (uint32_t x = 0; x < part->n; x++) {
		fit->theta[item[x]] = theta[x];
		fit->penalised[item[x]] = part->n == 1 || part->nstrong > 1;
		fit->npenalised += fit->penalised[item[x]];
	}
	fit->log_likelihood += bt_log_likelihood(&d->problem[c], theta);
	if (w->newton > fit->newton)
		fit->newton = w->newton;
	if (w->passes > fit->passes)
		fit->passes = w->passes;
	if (w->worst > fit->worst)
		fit->worst = w->worst;
	return ERR_OK;
}

enum err
bt_fit(const struct pairs *pairs, const double *start, struct bt_fit *out)
{
	struct bt_fit fit = { 0 };
	struct bt_data d = { 0 };
	struct bt_work w = { 0 };
	double *theta = NULL;
	enum err e;

	if ((e = bt_data_open(pairs, &d)) != ERR_OK)
		return e;
	fit.theta = calloc(pairs->nitems + 1u, sizeof(*fit.theta));
	fit.penalised = calloc(pairs->nitems + 1u, sizeof(*fit.penalised));
	theta = malloc((d.max_n + 1u) * sizeof(*theta));
	e = ERR_NOMEM;
	if (fit.theta == NULL || fit.penalised == NULL || theta == NULL)
		goto fail;
	if ((e = bt_work_open(&w, d.max_n, d.max_np)) != ERR_OK)
		goto fail;
	for (uint32_t c = 0; c < pairs->nparts; c++) {
		e = fit_part(pairs, &d, c, start, &w, theta, &fit);
		if (e != ERR_OK)
			goto fail;
	}
	*out = fit;
	fit = (struct bt_fit){ 0 };
fail:
	bt_fit_release(&fit);
	bt_work_release(&w);
	bt_data_release(&d);
	free(theta);
	return e;
}

void
bt_fit_release(struct bt_fit *fit)
{
	free(fit->theta);
	free(fit->penalised);
	memset(fit, 0, sizeof(*fit));
}
