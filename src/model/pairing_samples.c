/* This file knows how to choose among the answers of two versions to a
 * question. */
#include "config.h"

#include "model/pairing_parts.h"

#include "model/conf.h"
#include "model/deck.h"
#include "port/db.h"

#define ENOUGH (INT64_C(1) << 40)
#define SAMPLES_MAX 16 /* of a cell; looking at more makes no difference */

struct samples {
	uint32_t x[SAMPLES_MAX], y[SAMPLES_MAX]; /* answer indices */
	size_t nx, ny;
	int64_t views[SAMPLES_MAX][SAMPLES_MAX];
};

static size_t list_samples(const struct draw *d, size_t cell, uint32_t *out);
static enum err count_views(const struct draw *d, struct samples *s);
static int64_t best_samples(
    const struct samples *s, int64_t views, size_t *i, size_t *j);

enum err
pairing_samples(const struct draw *d, const struct pairing_candidate *c,
    uint32_t question, struct pairing_choice *out)
{
	const struct deck *k = d->deck;
	size_t row = c->setup * k->versions_n;
	size_t cx = (row + c->x) * k->questions_n + question;
	size_t cy = (row + c->y) * k->questions_n + question;
	struct samples s = { .nx = 0 };
	int64_t x, y;
	size_t i = 0, j = 0;
	bool enough;
	enum err e;

	s.nx = list_samples(d, cx, s.x);
	s.ny = list_samples(d, cy, s.y);
	e = count_views(d, &s);
	if (e != ERR_OK)
		return e;
	enough = best_samples(&s, d->conf->views, &i, &j) >= ENOUGH;
	x = s.nx > 0 ? k->answers[s.x[i]].id : 0;
	y = s.ny > 0 ? k->answers[s.y[j]].id : 0;
	/* All pairs of samples were seen by enough: time for a fresh one. */
	if (enough && pairing_has_room(d, c->setup, cx))
		x = 0;
	if (enough && pairing_has_room(d, c->setup, cy))
		y = 0;
	if ((x == 0 || y == 0) && !d->makes[c->setup])
		return ERR_INTERNAL;
	if (chance_below(d->wish->seeded, 2) == 0) {
		out->answer_a = x;
		out->answer_b = y;
		out->version_a = k->versions[c->x].id;
		out->version_b = k->versions[c->y].id;
	} else {
		out->answer_a = y;
		out->answer_b = x;
		out->version_a = k->versions[c->y].id;
		out->version_b = k->versions[c->x].id;
	}
	return ERR_OK;
}

bool
pairing_has_room(const struct draw *d, uint32_t setup, size_t cell)
{
	const struct deck *k = d->deck;
	const size_t *barred = d->barred.p;
	int64_t n = 0;

	for (size_t i = 0; i < d->barred.n; i++) {
		if (barred[i] == cell)
			return false;
	}
	for (uint32_t i = k->cells[cell]; i != DECK_NONE;
	     i = k->answers[i].next)
		n++;
	return d->makes[setup] && n < d->conf->samples;
}

/* The samples of a cell that this voter may see. */
static size_t
list_samples(const struct draw *d, size_t cell, uint32_t *out)
{
	const struct deck *k = d->deck;
	size_t n = 0;

	for (uint32_t i = k->cells[cell]; i != DECK_NONE && n < SAMPLES_MAX;
	     i = k->answers[i].next) {
		if (!idset_has(&d->revealed, k->answers[i].id))
			out[n++] = i;
	}
	return n;
}

static enum err
count_views(const struct draw *d, struct samples *s)
{
	if (s->nx == 1 && s->ny == 1 && d->wish->makes == NULL)
		return ERR_OK; /* nothing to choose */
	for (size_t i = 0; i < s->nx; i++) {
		for (size_t j = 0; j < s->ny; j++) {
			struct db_stmt *q = db_stmt(d->db,
			    "SELECT (SELECT count(*) FROM match WHERE"
			    " answer_a = ?1 AND answer_b = ?2) +"
			    " (SELECT count(*) FROM match WHERE"
			    " answer_a = ?2 AND answer_b = ?1)");
			enum err e;

			db_bind_int(q, 1, d->deck->answers[s->x[i]].id);
			db_bind_int(q, 2, d->deck->answers[s->y[j]].id);
			e = db_scalar(q, &s->views[i][j]);
			if (e != ERR_OK)
				return e;
		}
	}
	return ERR_OK;
}

/*
 * The pair of samples to show: one that some but not yet `views` voters saw,
 * the most seen first; else a fresh one, of the answers least used in other
 * pairs; else the least seen of all.  ENOUGH or more: no pair lacks voters.
 */
static int64_t
best_samples(const struct samples *s, int64_t views, size_t *i, size_t *j)
{
	int64_t use_x[SAMPLES_MAX] = { 0 }, use_y[SAMPLES_MAX] = { 0 };
	int64_t best = INT64_MAX;

	for (size_t x = 0; x < s->nx; x++) {
		for (size_t y = 0; y < s->ny; y++) {
			use_x[x] += s->views[x][y];
			use_y[y] += s->views[x][y];
		}
	}
	for (size_t x = 0; x < s->nx; x++) {
		for (size_t y = 0; y < s->ny; y++) {
			int64_t n = s->views[x][y], rank;

			if (n > 0 && n < views)
				rank = -n;
			else if (n == 0)
				rank = use_x[x] + use_y[y];
			else
				rank = ENOUGH + n;
			if (rank < best) {
				best = rank;
				*i = x;
				*j = y;
			}
		}
	}
	return best;
}
