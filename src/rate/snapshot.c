/* This file knows how to make a whole board's ratings from tallies. */
#include "config.h"

#include "rate/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/pairs.h"
#include "rate/tally.h"

static void
count(const struct tally *t, struct snapshot *s)
{
	for (size_t c = 0; c < t->ncells; c++) {
		const struct tally_cell *k = &t->cell[c];
		struct snapshot_item *a, *b;

		if (k->a >= s->nitems || k->b >= s->nitems)
			continue;
		a = &s->item[k->a];
		b = &s->item[k->b];
		a->wins += k->n[TALLY_A];
		a->losses += k->n[TALLY_B];
		b->wins += k->n[TALLY_B];
		b->losses += k->n[TALLY_A];
		a->ties += k->n[TALLY_TIE];
		b->ties += k->n[TALLY_TIE];
		a->both_poor += k->n[TALLY_POOR];
		b->both_poor += k->n[TALLY_POOR];
	}
}

static void
fill(const struct pairs *p, const struct bt_fit *f, const struct ci *ci,
    struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nitems; i++) {
		struct snapshot_item *x = &s->item[i];

		s->theta[i] = f->theta[i];
		x->rating = BT_CENTRE + BT_POINTS * f->theta[i];
		x->lower = BT_CENTRE + BT_POINTS * ci->lower[i];
		x->upper = BT_CENTRE + BT_POINTS * ci->upper[i];
		x->rank_from = ci->rank_from[i];
		x->rank_to = ci->rank_to[i];
		x->component = p->part_of[i];
		x->separable = !f->penalised[i];
	}
	s->ncomponents = p->nparts;
}

enum err
snapshot_make(const struct tally *t, uint32_t nitems,
    const struct snapshot_options *o, const struct snapshot *last,
    struct snapshot *out)
{
	struct ci_options co = { o->by_voter ? CI_PER_VOTER : CI_PER_VOTE,
		o->level, o->seed, o->ranks };
	struct snapshot s = { .nitems = nitems, .votes = t->votes };
	struct pairs p = { 0 };
	struct bt_fit f = { 0 };
	struct ci ci = { 0 };
	enum err e = ERR_NOMEM;

	if (nitems < t->nitems)
		return ERR_INVALID;
	s.item = calloc(nitems + 1u, sizeof(*s.item));
	s.theta = calloc(nitems + 1u, sizeof(*s.theta));
	if (s.item == NULL || s.theta == NULL)
		goto out;
	if (last != NULL)
		memcpy(s.theta, last->theta,
		    (last->nitems < nitems ? last->nitems : nitems) *
			sizeof(*s.theta));
	if ((e = pairs_open(t, nitems, &p)) != ERR_OK ||
	    (e = bt_fit(&p, s.theta, &f)) != ERR_OK ||
	    (e = ci_sandwich(&p, t, &f, &co, &ci)) != ERR_OK)
		goto out;
	count(t, &s);
	fill(&p, &f, &ci, &s);
	*out = s;
	s = (struct snapshot){ 0 };
out:
	ci_release(&ci);
	bt_fit_release(&f);
	pairs_release(&p);
	snapshot_release(&s);
	return e;
}

void
snapshot_release(struct snapshot *s)
{
	free(s->item);
	free(s->theta);
	memset(s, 0, sizeof(*s));
}
