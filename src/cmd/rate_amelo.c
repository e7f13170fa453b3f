/* This file knows how to rate prompts and voters of a file together. */
#include "config.h"

#include <stdlib.h>

#include "cmd/rate_board.h"
#include "rate/amelo.h"
#include "rate/bt.h"
#include "rate/pairs.h"

/* Voters count as themselves where votes are few: a ~ N(1, 1). */
static const double prior = 1.0;

/* The signed votes within one component, items by local number. */
static struct rater_vote *
votes_of(const struct rate_data *data, const struct pairs *p, uint32_t part,
    size_t *n)
{
	struct rater_vote *v = calloc(data->nvote + 1, sizeof(*v));

	*n = 0;
	for (size_t k = 0; v != NULL && k < data->nvote; k++) {
		const struct rate_vote *x = &data->vote[k];

		if (x->voter == UINT32_MAX || p->part_of[x->a] != part)
			continue;
		v[(*n)++] = (struct rater_vote){ x->voter, p->local[x->a],
			p->local[x->b],
			x->outcome == TALLY_A   ? 1.0
			: x->outcome == TALLY_B ? 0.0
						: 0.5 };
	}
	return v;
}

static enum err
fit_part(struct rate_data *data, const struct pairs *p, uint32_t part,
    struct rate_board *b)
{
	const struct pairs_part *c = &p->part[part];
	struct rater_input in = { .nitems = c->n,
		.nvoters = data->voters.count };
	struct rater_vote *votes = votes_of(data, p, part, &in.nvotes);
	double *theta =
	    calloc((size_t)c->n + data->voters.count + 1, sizeof(*theta));
	struct amelo_fit fit;
	enum err e = ERR_NOMEM;

	in.vote = votes;
	if (votes != NULL && theta != NULL && in.nvotes == 0)
		e = rate_data_fail(data, 0, ERR_INVALID,
		    "am-elo needs votes whose voters are known");
	else if (votes != NULL && theta != NULL)
		e = amelo_fit(&in, prior, theta, theta + c->n, &fit);
	for (uint32_t x = 0; e == ERR_OK && x < c->n; x++) {
		struct rate_line *l = &b->line[p->order[c->first + x]];

		l->rating = BT_CENTRE + BT_POINTS * theta[x];
	}
	if (e == ERR_OK && b->npenalised == 0 && p->nparts == 1)
		b->log_likelihood = -fit.loss * (double)in.nvotes;
	free(votes);
	free(theta);
	if (e == ERR_LIMIT)
		return rate_data_fail(data, 0, ERR_CONFLICT,
		    "am-elo has no finite maximum here: some prompts only "
		    "won or only lost (use --model bt)");
	return e;
}

enum err
rate_board_amelo(
    struct rate_data *data, const struct tally *t, struct rate_board *b)
{
	struct pairs p;
	enum err e = pairs_open(t, data->names.count, &p);

	if (e != ERR_OK)
		return e;
	for (uint32_t c = 0; e == ERR_OK && c < p.nparts; c++) {
		for (uint32_t x = 0; x < p.part[c].n; x++) {
			struct rate_line *l =
			    &b->line[p.order[p.part[c].first + x]];

			l->component = c + 1;
			l->rating = BT_CENTRE;
		}
		if (p.part[c].n > 1 && p.part[c].nstrong > 1)
			e = rate_data_fail(data, 0, ERR_CONFLICT,
			    "am-elo has no finite maximum here: some prompts "
			    "only won or only lost (use --model bt)");
		else if (p.part[c].n > 1)
			e = fit_part(data, &p, c, b);
	}
	b->components = p.nparts;
	pairs_release(&p);
	return e;
}
