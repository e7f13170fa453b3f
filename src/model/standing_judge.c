/* This file knows how to judge voters, and what ratings say once they are
 * weighed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/pool.h"
#include "model/standing_parts.h"
#include "port/db.h"

/* Items of the judge: a version under a setup. */
static uint32_t
item_of(const struct judged *j, const struct line_vote *l, uint32_t version)
{
	return l->setup * j->versions + version;
}

static bool
counts(const struct line_vote *l)
{
	return (l->flags & (VOTE_IS | VOTE_COUNTS | VOTE_EXCLUDED)) ==
	       (VOTE_IS | VOTE_COUNTS);
}

enum err
judging_prepare(const struct ledger_view *v, struct judging *out)
{
	static const double score[VOTE__MAX] = {
		[VOTE_A] = 1,
		[VOTE_TIE] = 0.5,
		[VOTE_BOTH_POOR] = 0.5,
	};
	struct judged j = { .seq = v->seq,
		.versions = v->versions.n,
		.setups = v->setups.n,
		.raters_n = v->voters.n,
		.tau = NAN };
	size_t n = 0, *at = calloc((size_t)v->voters.n + 2, sizeof(*at));
	struct rater_vote *votes =
	    malloc(((size_t)v->seq + 1) * sizeof(*votes));

	if (votes == NULL || at == NULL ||
	    (uint64_t)j.versions * j.setups > UINT32_MAX) {
		free(votes);
		free(at);
		return ERR_NOMEM;
	}
	/* By voter, as the judge wants them: he need not copy them again. */
	for (int64_t k = 1; k <= v->seq; k++)
		at[v->lines[k].voter + 1] += counts(&v->lines[k]);
	for (uint32_t u = 0; u < v->voters.n; u++)
		at[u + 1] += at[u];
	for (int64_t k = 1; k <= v->seq; k++) {
		const struct line_vote *l = &v->lines[k];

		if (!counts(l))
			continue;
		votes[at[l->voter]++] =
		    (struct rater_vote){ l->voter, item_of(&j, l, l->a),
			    item_of(&j, l, l->b), score[l->choice] };
		n++;
	}
	free(at);
	if (n == 0) {
		free(votes);
		return ERR_NOTFOUND;
	}
	*out = (struct judging){ .votes = votes, .votes_n = n, .result = j };
	return ERR_OK;
}

void
judging_do(struct judging *g, bool (*breathe)(void *arg), void *arg)
{
	struct judged *j = &g->result;
	size_t items = (size_t)j->versions * j->setups;
	double *raw = calloc(items + 1, sizeof(*raw));
	struct rater_input in = { .vote = g->votes,
		.nvotes = g->votes_n,
		.nitems = (uint32_t)items,
		.nvoters = j->raters_n,
		.breathe = breathe,
		.breathe_arg = arg };

	g->err = ERR_NOMEM;
	j->weighted = calloc(items + 1, sizeof(*j->weighted));
	j->raters = calloc(j->raters_n + 1u, sizeof(*j->raters));
	if (raw != NULL && j->weighted != NULL && j->raters != NULL)
		g->err = rater_judge(&in, j->raters, raw, j->weighted);
	if (g->err == ERR_OK)
		j->tau = rater_tau(raw, j->weighted, items);
	free(raw);
}

void
judging_release(struct judging *g)
{
	free(g->votes);
	judged_release(&g->result);
	*g = (struct judging){ 0 };
}

void
judged_release(struct judged *j)
{
	free(j->raters);
	free(j->weighted);
	*j = (struct judged){ 0 };
}

static int
by_need(const void *x, const void *y)
{
	const struct standing_voter *a = x, *b = y;
	const struct rater *p = &a->rater, *q = &b->rater;

	if (p->review != q->review)
		return p->review ? -1 : 1;
	if (rater_stands_out(p) != rater_stands_out(q))
		return rater_stands_out(p) ? -1 : 1;
	if (p->weight < q->weight || q->weight < p->weight)
		return p->weight < q->weight ? -1 : 1;
	if (p->p < q->p || q->p < p->p)
		return p->p < q->p ? -1 : 1;
	return (a->vote > b->vote) - (a->vote < b->vote);
}

enum err
standing_voters(struct standing *st, struct pool *pool,
    const struct standing_voter **rows, size_t *n, int64_t *seq)
{
	struct standing_voter *list;
	const struct judged *j = &st->judged;
	size_t used = 0;

	pthread_rwlock_rdlock(&st->data);
	list = pool_array(pool, j->raters_n + 1u, sizeof(*list));
	for (uint32_t i = 0; list != NULL && i < j->raters_n; i++) {
		const struct rater *r = &j->raters[i];

		if (r->votes == 0)
			continue;
		list[used] =
		    (struct standing_voter){ .vote = st->view.first_vote[i],
			    .rater = *r };
		if (r->decisive > 0 && j->versions > 0)
			list[used].target =
			    st->view.versions.all[r->target % j->versions];
		used++;
	}
	*seq = j->seq;
	pthread_rwlock_unlock(&st->data);
	if (list == NULL)
		return ERR_NOMEM;
	if (used > 1)
		qsort(list, used, sizeof(*list), by_need);
	*rows = list;
	*n = used;
	return ERR_OK;
}

enum err
standing_voter_name(
    struct db *db, struct pool *pool, int64_t n, struct text *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT coalesce(nullif(a.name, ''), a.login) FROM vote v"
	    " JOIN account a ON a.id = v.voter WHERE v.n = ?1");
	enum err e;

	*out = (struct text){ 0 };
	db_bind_int(q, 1, n);
	e = db_row(q);
	if (e == ERR_OK) {
		*out = db_text(q, 0, pool);
		db_done(q);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static bool
fits(const struct ledger_view *v, const struct line_vote *l,
    const struct standing_board *b, uint32_t setup)
{
	struct text type =
	    v->types.n > 0 ? v->types.all[l->type] : (struct text){ 0 };
	struct text activity = v->activities.n > 0
				   ? v->activities.all[l->activity]
				   : (struct text){ 0 };

	return counts(l) && l->setup == setup &&
	       (b->type.p == NULL ||
		   str_eq((struct str){ type.p, type.n },
		       (struct str){ b->type.p, b->type.n })) &&
	       (b->activity.p == NULL ||
		   str_eq((struct str){ activity.p, activity.n },
		       (struct str){ b->activity.p, b->activity.n }));
}

/* One pass over all lines: 1 M of them take some milliseconds. */
enum err
standing_met(struct standing *st, struct pool *pool,
    const struct standing_board *board, int64_t seq, struct text a,
    struct text b, const struct standing_met **rows, size_t *n)
{
	const struct ledger_view *v = &st->view;
	struct standing_met *met = NULL;
	uint32_t ia, ib, setup;
	enum err e = ERR_OK;

	pthread_rwlock_rdlock(&st->data);
	ia = names_find(&v->versions, (struct str){ a.p, a.n });
	ib = names_find(&v->versions, (struct str){ b.p, b.n });
	setup = names_find(
	    &v->setups, (struct str){ board->setup.p, board->setup.n });
	met = pool_array(pool, v->questions.n + 1u, sizeof(*met));
	if (met == NULL)
		e = ERR_NOMEM;
	for (int64_t k = 1; e == ERR_OK && k <= seq && k <= v->seq; k++) {
		const struct line_vote *l = &v->lines[k];
		bool turned = l->a == ib && l->b == ia;
		struct standing_met *m;

		if ((!turned && (l->a != ia || l->b != ib)) ||
		    !fits(v, l, board, setup))
			continue;
		m = &met[l->question];
		m->a_won += l->choice == (turned ? VOTE_B : VOTE_A);
		m->b_won += l->choice == (turned ? VOTE_A : VOTE_B);
		m->ties += l->choice == VOTE_TIE;
		m->both_poor += l->choice == VOTE_BOTH_POOR;
	}
	*n = v->questions.n;
	pthread_rwlock_unlock(&st->data);
	*rows = met;
	return e;
}
