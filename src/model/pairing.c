/* This file knows how to draw the two answers a voter sees next. */
#include "config.h"

#include "model/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/rng.h"
#include "model/answer.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/pairing_parts.h"
#include "model/rows.h"
#include "port/db.h"

#define DRAW_POOL (64u << 20)

static enum err draw(struct draw *d, struct pairing_choice *out);
static enum err draw_once(struct draw *d, const struct pairing_policy *policy,
    struct pairing_choice *out);
static enum err bar_missing(
    struct draw *d, const struct pairing_choice *c, bool *barred);
static enum err bar_unless_room(struct draw *d, const struct pairing_choice *c,
    int64_t version, bool *barred);
static enum err ask_makers(struct draw *d);
static enum err find_pending(struct draw *d);
static enum err ask_pending(struct draw *d, size_t setup, uint32_t version);
static enum err list_candidates(struct draw *d);
static enum err consider(
    struct draw *d, uint32_t setup, uint32_t x, uint32_t y, size_t *next_seen);
static uint32_t common_questions(
    struct draw *d, uint32_t setup, uint32_t x, uint32_t y, size_t first_seen);
static uint32_t pick_question(const struct draw *d, uint64_t k);
static enum err pick(
    struct draw *d, const struct pairing_policy *policy, size_t *at, double *p);
static enum err weigh_alike(const struct pairing_candidate *c, size_t n,
    const struct deck *deck, const struct pairing_wish *wish, struct pool *pool,
    double *weight);

static const struct pairing_policy policies[] = {
	{ "random", weigh_alike },
	{ "informative", pairing_values },
};

const struct pairing_policy *
pairing_policy_find(struct text name)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (text_same(name, text_of(policies[i].name)))
			return &policies[i];
	}
	return NULL;
}

enum err
pairing_draw(struct db *db, const struct deck *deck, const struct conf *conf,
    const struct pairing_wish *wish, struct pairing_choice *out)
{
	struct draw d = { .db = db, .deck = deck, .conf = conf, .wish = wish };
	enum err e;

	d.pool = pool_open(DRAW_POOL);
	if (d.pool == NULL)
		return ERR_NOMEM;
	e = draw(&d, out);
	pool_close(d.pool);
	return e;
}

uint64_t
chance_below(struct rng *seeded, uint64_t bound)
{
	return seeded == NULL ? rng_below(bound)
			      : rng_next_below(seeded, bound);
}

double
chance_unit(struct rng *seeded)
{
	return seeded == NULL ? rng_unit() : rng_next_unit(seeded);
}

static enum err
draw(struct draw *d, struct pairing_choice *out)
{
	const struct pairing_policy *policy =
	    pairing_policy_find(d->conf->policy);
	bool barred = true;
	enum err e;

	if (policy == NULL)
		return ERR_CONFIG;
	rows_init(&d->candidates, d->pool, sizeof(struct pairing_candidate));
	rows_init(&d->barred, d->pool, sizeof(size_t));
	if ((e = ask_makers(d)) != ERR_OK || (e = pairing_left(d)) != ERR_OK ||
	    (e = find_pending(d)) != ERR_OK)
		return e;
	/* The deck does not know of answers newer than itself, nor of those
	 * that failed: what it takes for missing may not be made any more.
	 * Each turn bars a cell, so it ends. */
	while (e == ERR_OK && barred) {
		e = draw_once(d, policy, out);
		if (e == ERR_OK)
			e = bar_missing(d, out, &barred);
	}
	return e;
}

static enum err
draw_once(struct draw *d, const struct pairing_policy *policy,
    struct pairing_choice *out)
{
	const struct pairing_candidate *c;
	size_t n, at = 0;
	uint32_t question;
	enum err e = list_candidates(d);

	if (e != ERR_OK)
		return e;
	if (d->candidates.n == 0)
		return ERR_NOTFOUND;
	e = pick(d, policy, &n, &out->probability);
	if (e != ERR_OK)
		return e;
	c = (const struct pairing_candidate *)d->candidates.p + n;
	/* The seen list is sorted by pair: find this one's part. */
	while (at < d->seen.n) {
		const struct seen *s = (const struct seen *)d->seen.p + at;

		if (s->x > c->x || (s->x == c->x && s->y >= c->y))
			break;
		at++;
	}
	n = common_questions(d, c->setup, c->x, c->y, at);
	question = pick_question(d, chance_below(d->wish->seeded, n));
	out->policy = policy->name;
	out->setup = d->deck->setups[c->setup].id;
	out->question = d->deck->questions[question].id;
	return pairing_samples(d, c, question, out);
}

/* Of what is missing of a choice, note what is not made any more. */
static enum err
bar_missing(struct draw *d, const struct pairing_choice *c, bool *barred)
{
	enum err e = ERR_OK;

	*barred = false;
	if (c->answer_a == 0)
		e = bar_unless_room(d, c, c->version_a, barred);
	if (e == ERR_OK && c->answer_b == 0)
		e = bar_unless_room(d, c, c->version_b, barred);
	return e;
}

static enum err
bar_unless_room(struct draw *d, const struct pairing_choice *c, int64_t version,
    bool *barred)
{
	const struct deck *k = d->deck;
	struct answer_wish w = {
		.version = version, .setup = c->setup, .question = c->question
	};
	enum err e = answer_room(d->db, d->conf, &w);
	size_t *cell, setup = 0;

	if (e != ERR_NOTFOUND)
		return e;
	cell = rows_add(&d->barred);
	if (cell == NULL)
		return ERR_NOMEM;
	while (k->setups[setup].id != c->setup)
		setup++;
	*cell = (setup * k->versions_n + deck_version_find(k, version)) *
		    k->questions_n +
		deck_question_find(k, c->question);
	pairing_take_out(d, *cell);
	*barred = true;
	return ERR_OK;
}

/* Whose missing answers could be made now? */
static enum err
ask_makers(struct draw *d)
{
	const struct deck *k = d->deck;

	d->makes = pool_array(d->pool, k->setups_n + 1, sizeof(*d->makes));
	if (d->makes == NULL)
		return ERR_NOMEM;
	for (size_t s = 0; d->wish->makes != NULL && s < k->setups_n; s++) {
		for (size_t i = 0; i < d->conf->setups_n; i++) {
			const struct conf_setup *c = &d->conf->setups[i];

			if (text_same(text_of(c->digest), k->setups[s].digest))
				d->makes[s] = c->endpoint.p != NULL &&
					      d->wish->makes(d->wish->ctx, c);
		}
	}
	return ERR_OK;
}

static enum err
find_pending(struct draw *d)
{
	const struct deck *k = d->deck;

	d->pending = pool_array(
	    d->pool, k->setups_n * k->versions_n + 1, sizeof(*d->pending));
	d->turned = pool_array(d->pool, k->versions_n + 1, sizeof(*d->turned));
	if (d->pending == NULL || d->turned == NULL)
		return ERR_NOMEM;
	if (d->conf->predecessor_first <= 0)
		return ERR_OK;
	for (size_t s = 0; s < k->setups_n; s++) {
		for (uint32_t v = 0; v < k->versions_n; v++) {
			enum err e;

			if (k->versions[v].predecessor == DECK_NONE)
				continue;
			e = ask_pending(d, s, v);
			if (e != ERR_OK)
				return e;
		}
	}
	return ERR_OK;
}

/*
 * Until it has met it often enough, a new version meets nobody but its
 * predecessor; so all its counted matches are with it, and its row in table
 * rating says how many.  Without a common question there is nothing to wait
 * for.
 */
static enum err
ask_pending(struct draw *d, size_t setup, uint32_t version)
{
	const struct deck *k = d->deck;
	size_t row = setup * k->versions_n + version;
	size_t before =
	    setup * k->versions_n + k->versions[version].predecessor;
	struct db_stmt *q;
	bool common = d->makes[setup];
	int64_t met = 0;
	enum err e;

	for (size_t w = 0; w < k->words && !common; w++)
		common = (k->has[row * k->words + w] &
			     k->has[before * k->words + w]) != 0;
	if (!common)
		return ERR_OK;
	q = db_stmt(d->db,
	    "SELECT matches FROM rating"
	    " WHERE scope = 'all' AND setup = ?1 AND version = ?2");
	db_bind_text(q, 1, k->setups[setup].digest);
	db_bind_text(q, 2, k->versions[version].digest);
	e = db_scalar(q, &met);
	if (e != ERR_OK && e != ERR_NOTFOUND)
		return e;
	d->pending[row] = met < d->conf->predecessor_first;
	return ERR_OK;
}

static enum err
list_candidates(struct draw *d)
{
	const struct deck *k = d->deck;

	d->candidates.n = 0;
	for (uint32_t s = 0; s < k->setups_n; s++) {
		size_t first = d->candidates.n, next_seen = 0;
		struct pairing_candidate *c;

		memset(d->turned, 0, k->versions_n * sizeof(*d->turned));
		for (uint32_t x = 0; x < k->versions_n; x++) {
			for (uint32_t y = x + 1; y < k->versions_n; y++) {
				enum err e = consider(d, s, x, y, &next_seen);

				if (e != ERR_OK)
					return e;
			}
		}
		/* The draws a new version may not use go to its meetings
		 * with its predecessor. */
		c = d->candidates.p;
		for (size_t i = first; i < d->candidates.n; i++)
			c[i].weight += d->turned[c[i].x] + d->turned[c[i].y];
	}
	return ERR_OK;
}

/* Is v still bound to its predecessor, and that is not `other`? */
static bool
is_bound_elsewhere(
    const struct draw *d, uint32_t setup, uint32_t v, uint32_t other)
{
	return d->pending[setup * d->deck->versions_n + v] &&
	       d->deck->versions[v].predecessor != other;
}

static enum err
consider(
    struct draw *d, uint32_t setup, uint32_t x, uint32_t y, size_t *next_seen)
{
	const struct seen *seen = d->seen.p;
	struct pairing_candidate *c;
	bool bx, by;
	uint32_t n;

	/* Pairs come in the order in which the seen ones are sorted. */
	while (*next_seen < d->seen.n &&
	       (seen[*next_seen].x < x ||
		   (seen[*next_seen].x == x && seen[*next_seen].y < y)))
		(*next_seen)++;
	n = common_questions(d, setup, x, y, *next_seen);
	if (n == 0)
		return ERR_OK;
	bx = is_bound_elsewhere(d, setup, x, y);
	by = is_bound_elsewhere(d, setup, y, x);
	if (bx || by) {
		if (bx)
			d->turned[x] += by ? 0.5 : 1.0;
		if (by)
			d->turned[y] += bx ? 0.5 : 1.0;
		return ERR_OK;
	}
	c = rows_add(&d->candidates);
	if (c == NULL)
		return ERR_NOMEM;
	*c = (struct pairing_candidate){ setup, x, y, n, 1.0 };
	return ERR_OK;
}

/* Fills d->common; how many questions are in it. */
static uint32_t
common_questions(
    struct draw *d, uint32_t setup, uint32_t x, uint32_t y, size_t first_seen)
{
	const struct deck *k = d->deck;
	const uint64_t *hx = d->has + (setup * k->versions_n + x) * k->words;
	const uint64_t *hy = d->has + (setup * k->versions_n + y) * k->words;
	const struct seen *seen = d->seen.p;
	uint32_t n = 0;

	for (size_t w = 0; w < k->words; w++)
		d->common[w] = hx[w] & hy[w];
	for (size_t i = first_seen;
	     i < d->seen.n && seen[i].x == x && seen[i].y == y; i++)
		d->common[seen[i].question / 64] &=
		    ~(UINT64_C(1) << (seen[i].question % 64));
	for (size_t w = 0; w < k->words; w++)
		n += (uint32_t)__builtin_popcountll(d->common[w]);
	return n;
}

/* The k-th question of d->common. */
static uint32_t
pick_question(const struct draw *d, uint64_t k)
{
	for (size_t w = 0; w < d->deck->words; w++) {
		uint64_t bits = d->common[w];

		for (; bits != 0; bits &= bits - 1) {
			if (k-- == 0)
				return (uint32_t)(w * 64) +
				       (uint32_t)__builtin_ctzll(bits);
		}
	}
	return 0; /* not reached: k is below the count */
}

/* One of the candidates, and the probability it had. */
static enum err
pick(struct draw *d, const struct pairing_policy *policy, size_t *at, double *p)
{
	size_t n = d->candidates.n, i;
	double *weight = pool_array(d->pool, n, sizeof(*weight));
	double total = 0, u;
	enum err e;

	if (weight == NULL)
		return ERR_NOMEM;
	e = policy->weigh(
	    d->candidates.p, n, d->deck, d->wish, d->pool, weight);
	if (e != ERR_OK)
		return e;
	for (i = 0; i < n; i++)
		total += weight[i];
	u = chance_unit(d->wish->seeded) * total;
	for (i = 0; i + 1 < n; i++) {
		if (u < weight[i])
			break;
		u -= weight[i];
	}
	*at = i;
	*p = weight[i] / total;
	return ERR_OK;
}

static enum err
weigh_alike(const struct pairing_candidate *c, size_t n,
    const struct deck *deck, const struct pairing_wish *wish, struct pool *pool,
    double *weight)
{
	(void)deck;
	(void)wish;
	(void)pool;
	for (size_t i = 0; i < n; i++)
		weight[i] = c[i].weight;
	return ERR_OK;
}
