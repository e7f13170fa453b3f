/* This file knows how to rate prompts of a file over time. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cmd/rate_board.h"
#include "rate/dist.h"
#include "rate/glicko.h"

enum {
	PERIOD_VOTES = 1000 /* where no time is asked for */
};

/* A vote and the number of its period. */
struct entry {
	double period;
	size_t at;
	struct elo_vote vote;
};

static int
by_period(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->period != b->period)
		return a->period < b->period ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* The votes by period, whatever the file's order. */
static enum err
list_votes(
    struct rate_data *data, const struct rate_opts *o, struct entry *list)
{
	bool sorted = true;

	for (size_t k = 0; k < data->norder; k++) {
		double period = (double)(k / PERIOD_VOTES);

		if (o->period > 0)
			period = floor(data->vote[k].time / o->period);
		if (isnan(period))
			return rate_data_fail(data, 0, ERR_INVALID,
			    "vote %zu has no tstamp, which rating periods "
			    "need of all",
			    k + 1);
		sorted = sorted && (k == 0 || list[k - 1].period <= period);
		list[k] = (struct entry){ period, k, data->order[k] };
	}
	if (!sorted)
		qsort(list, data->norder, sizeof(*list), by_period);
	return ERR_OK;
}

/* Period after period, with those in which nobody voted. */
static enum err
replay(const struct entry *list, size_t n, struct elo_vote *votes,
    size_t nitems, double *rating, double *rd)
{
	const struct glicko_rule rule = GLICKO_RULE_DEFAULT;
	size_t from = 0;
	enum err e = ERR_OK;

	for (size_t i = 0; i < nitems; i++) {
		rating[i] = rule.start;
		rd[i] = rule.deviation;
	}
	for (size_t k = 0; e == ERR_OK && k < n; k++) {
		votes[k] = list[k].vote;
		if (k + 1 < n && list[k + 1].period == list[k].period)
			continue;
		if (from > 0)
			glicko_rest(&rule,
			    list[from].period - list[from - 1].period - 1.0, rd,
			    nitems);
		e = glicko_period(
		    &rule, votes + from, k + 1 - from, rating, rd, nitems);
		from = k + 1;
	}
	return e;
}

enum err
rate_board_glicko(
    struct rate_data *data, const struct rate_opts *o, struct rate_board *b)
{
	size_t n = data->names.count;
	double *r = calloc(2 * n + 1, sizeof(*r));
	struct entry *list = malloc((data->norder + 1) * sizeof(*list));
	struct elo_vote *votes = malloc((data->norder + 1) * sizeof(*votes));
	double z = dist_normal_quantile(0.5 + 0.5 * o->level);
	enum err e = ERR_NOMEM;

	if (r == NULL || list == NULL || votes == NULL)
		goto out;
	if ((e = list_votes(data, o, list)) != ERR_OK ||
	    (e = replay(list, data->norder, votes, n, r, r + n)) != ERR_OK)
		goto out;
	for (size_t i = 0; i < n; i++) {
		b->line[i].rating = r[i];
		b->line[i].lower = r[i] - z * r[n + i];
		b->line[i].upper = r[i] + z * r[n + i];
	}
	b->components = 1;
out:
	free(r);
	free(list);
	free(votes);
	return e;
}
