/* This file knows how to draw the two answers a voter sees next. */
#include "config.h"

#include "model/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/rng.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/pairing_parts.h"
#include "model/rows.h"
#include "port/db.h"

#define DRAW_POOL (64u << 20)

struct seen { /* a pair of versions met on a question, x < y */
	uint32_t x, y, question;
};

static enum err draw(struct draw *d, struct pairing_choice *out);
static enum err ask_makers(struct draw *d);
static uint64_t readable(const struct deck *k, const bool *reads, size_t w);
static enum err make_mask(struct draw *d);
static enum err load_history(struct draw *d);
static enum err note_match(struct draw *d, int64_t a, int64_t b, bool revealed);
static enum err note_newer(struct draw *d, int64_t a, int64_t b);
static enum err note_seen(
    struct draw *d, uint32_t x, uint32_t y, uint32_t question);
static enum err take_out(struct draw *d);
static bool cell_is_spent(const struct draw *d, uint32_t setup, size_t cell);
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
	const struct pairing_candidate *c;
	size_t n, at = 0;
	uint32_t question;
	enum err e;

	if (policy == NULL)
		return ERR_CONFIG;
	rows_init(&d->candidates, d->pool, sizeof(struct pairing_candidate));
	if ((e = ask_makers(d)) != ERR_OK || (e = make_mask(d)) != ERR_OK ||
	    (e = load_history(d)) != ERR_OK || (e = take_out(d)) != ERR_OK ||
	    (e = find_pending(d)) != ERR_OK ||
	    (e = list_candidates(d)) != ERR_OK)
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
make_mask(struct draw *d)
{
	const struct deck *k = d->deck;
	const struct deck_set *type = NULL, *lang = NULL;

	if (d->wish->type.p != NULL) {
		type = deck_type(k, d->wish->type);
		if (type == NULL)
			return ERR_INVALID;
	}
	if (d->wish->lang.p != NULL) {
		lang = deck_lang(k, d->wish->lang);
		if (lang == NULL)
			return ERR_INVALID;
	}
	d->mask = pool_array(d->pool, k->words + 1, sizeof(*d->mask));
	d->common = pool_array(d->pool, k->words + 1, sizeof(*d->common));
	if (d->mask == NULL || d->common == NULL)
		return ERR_NOMEM;
	for (size_t w = 0; w < k->words; w++) {
		d->mask[w] = d->wish->activity->questions[w];
		if (type != NULL)
			d->mask[w] &= type->questions[w];
		if (lang != NULL)
			d->mask[w] &= lang->questions[w];
		else if (d->wish->reads != NULL)
			d->mask[w] &= readable(k, d->wish->reads, w);
	}
	return ERR_OK;
}

/* Word w of the set of questions in languages that the voter reads. */
static uint64_t
readable(const struct deck *k, const bool *reads, size_t w)
{
	uint64_t questions = 0;

	for (size_t i = 0; i < k->langs_n; i++) {
		if (reads[i])
			questions |= k->langs[i].questions[w];
	}
	return questions;
}

static int
compare_seen(const void *a, const void *b)
{
	const struct seen *s = a, *t = b;

	if (s->x != t->x)
		return s->x < t->x ? -1 : 1;
	return (s->y > t->y) - (s->y < t->y);
}

/* What was shown elsewhere, in a topic of the forum say, is no longer blind. */
static enum err
load_seen(struct draw *d)
{
	struct db_stmt *q =
	    db_stmt(d->db, "SELECT answer FROM seen_answer WHERE account = ?1");
	enum err e;

	db_bind_int(q, 1, d->wish->who.account);
	while ((e = db_row(q)) == ERR_OK)
		idset_add(&d->revealed, db_int(q, 0));
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* Whatever became of a match, its pair was seen; a vote also revealed. */
static enum err
load_history(struct draw *d)
{
	struct db_stmt *q;
	enum err e;

	rows_init(&d->seen, d->pool, sizeof(struct seen));
	idset_init(&d->revealed, d->pool);
	if (d->wish->who.account == 0)
		return ERR_OK;
	q = db_stmt(d->db,
	    "SELECT answer_a, answer_b, state = 'voted' AND calibration = 0"
	    " FROM match WHERE voter = ?1");
	db_bind_int(q, 1, d->wish->who.account);
	while ((e = db_row(q)) == ERR_OK) {
		e = note_match(
		    d, db_int(q, 0), db_int(q, 1), db_int(q, 2) != 0);
		if (e != ERR_OK) {
			db_done(q);
			return e;
		}
	}
	if (e != ERR_NOTFOUND || (e = load_seen(d)) != ERR_OK)
		return e;
	if (d->revealed.failed)
		return ERR_NOMEM;
	idset_seal(&d->revealed);
	if (d->seen.n > 1)
		qsort(d->seen.p, d->seen.n, sizeof(struct seen), compare_seen);
	return ERR_OK;
}

static enum err
note_match(struct draw *d, int64_t a, int64_t b, bool revealed)
{
	uint32_t i = deck_answer_find(d->deck, a);
	uint32_t j = deck_answer_find(d->deck, b);
	const struct deck_answer *p, *q;

	if (revealed) {
		idset_add(&d->revealed, a);
		idset_add(&d->revealed, b);
	}
	if (i == DECK_NONE || j == DECK_NONE)
		return note_newer(d, a, b);
	p = &d->deck->answers[i];
	q = &d->deck->answers[j];
	return note_seen(d, p->version, q->version, p->question);
}

/* Answers made after this deck: their cells may be in it. */
static enum err
note_newer(struct draw *d, int64_t a, int64_t b)
{
	struct db_stmt *q = db_stmt(d->db,
	    "SELECT a.version, b.version, a.question FROM answer a, answer b"
	    " WHERE a.id = ?1 AND b.id = ?2");
	uint32_t x, y, question;
	enum err e;

	db_bind_int(q, 1, a);
	db_bind_int(q, 2, b);
	e = db_row(q);
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_OK : e;
	x = deck_version_find(d->deck, db_int(q, 0));
	y = deck_version_find(d->deck, db_int(q, 1));
	question = deck_question_find(d->deck, db_int(q, 2));
	db_done(q);
	return note_seen(d, x, y, question);
}

static enum err
note_seen(struct draw *d, uint32_t x, uint32_t y, uint32_t question)
{
	struct seen *s;

	if (x == DECK_NONE || y == DECK_NONE || question == DECK_NONE)
		return ERR_OK;
	s = rows_add(&d->seen);
	if (s == NULL)
		return ERR_NOMEM;
	s->x = x < y ? x : y;
	s->y = x < y ? y : x;
	s->question = question;
	return ERR_OK;
}

/* What is left of deck->has for this voter and wish. */
static enum err
take_out(struct draw *d)
{
	const struct deck *k = d->deck;
	const int64_t *ids = d->revealed.ids.p;
	struct text login = d->wish->who.login;

	d->has = pool_array(d->pool, k->setups_n * k->versions_n * k->words + 1,
	    sizeof(*d->has));
	if (d->has == NULL)
		return ERR_NOMEM;
	for (size_t row = 0; row < k->setups_n * k->versions_n; row++) {
		uint32_t prompt = k->versions[row % k->versions_n].prompt;

		if (!d->wish->activity->prompts[prompt] ||
		    (login.n > 0 &&
			text_same(login, k->prompts[prompt].author)))
			continue;
		for (size_t w = 0; w < k->words; w++)
			d->has[row * k->words + w] =
			    d->mask[w] & (d->makes[row / k->versions_n]
						 ? ~UINT64_C(0)
						 : k->has[row * k->words + w]);
	}
	for (size_t i = 0; i < d->revealed.ids.n; i++) {
		uint32_t at = deck_answer_find(k, ids[i]);
		const struct deck_answer *a;
		size_t row;

		if (at == DECK_NONE || !k->answers[at].usable)
			continue;
		a = &k->answers[at];
		row = a->setup * k->versions_n + a->version;
		if (cell_is_spent(
			d, a->setup, row * k->questions_n + a->question))
			d->has[row * k->words + a->question / 64] &=
			    ~(UINT64_C(1) << (a->question % 64));
	}
	return ERR_OK;
}

/* Every sample of the cell was revealed to this voter, and no more come. */
static bool
cell_is_spent(const struct draw *d, uint32_t setup, size_t cell)
{
	const struct deck *k = d->deck;

	for (uint32_t i = k->cells[cell]; i != DECK_NONE;
	     i = k->answers[i].next) {
		if (!idset_has(&d->revealed, k->answers[i].id))
			return false;
	}
	return !pairing_has_room(d, setup, cell);
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
