/* This file knows how to fill an arena with plausible simulated votes. */
#include "config.h"

#include "model/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/rng.h"
#include "model/account.h"
#include "model/catalog.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/match.h"
#include "model/rows.h"
#include "model/store.h"
#include "model/vote.h"
#include "port/db.h"
#include "rate/num.h"
#include "rate/prng.h"

#define BATCH 5000    /* votes a transaction */
#define CLASS_SIZE 40 /* voters at work at the same time */
#define DAYS 60       /* the votes spread over so many */
#define DAY_SECONDS 86400
#define DAY_OPENS 28800  /* eight in the morning */
#define DAY_LASTS 50400  /* until ten at night */
#define READING_MOST 900 /* seconds on one match */
#define TYPES_MAX 16
#define TRIES_MAX 1000 /* matches in a row without a vote */

/* Streams of chance, so that one does not shift another. */
enum stream {
	STREAM_STRENGTH,
	STREAM_ANSWER = 1 << 20, /* + answer id */
	STREAM_VOTER = 1 << 30   /* + voter's number */
};

struct person {
	int64_t account; /* 0: a new one is due */
	int64_t left;    /* votes until they lose interest */
	uint64_t number;
	double pace; /* words a second */
	double side; /* leaning towards A */
	double care; /* how much of a difference they notice */
	double ties; /* how readily they say "about the same" */
};

struct simulation {
	const struct conf *conf;
	const struct deck *deck;
	const struct simulate_conf *how;
	struct pool *pool, *scratch;
	struct rng rng;
	struct prng normals;
	double *strength; /* [version * TYPES_MAX + type] */
	struct person class[CLASS_SIZE];
	uint64_t voters;
	int64_t done, batch_end, first_day;
};

struct shown {         /* what a simulated voter sees */
	uint32_t a, b; /* deck indices of the answers */
	int64_t words;
};

static enum err begin(struct store_tx *tx, void *arg);
static enum err run_batch(struct store_tx *tx, void *arg);
static void make_strengths(struct simulation *s);
static int64_t time_of(const struct simulation *s, int64_t i);
static enum err next_vote(
    struct simulation *s, struct store_tx *tx, bool *voted);
static enum err ready_person(
    struct simulation *s, struct store_tx *tx, struct person *p);
static enum err open_for(struct simulation *s, struct store_tx *tx,
    struct person *p, struct match_opened *out);
static enum err set_opened(struct store_tx *tx, struct str token, int64_t at);
static enum err look(struct simulation *s, struct store_tx *tx,
    struct str token, struct shown *out);
static double quality(
    const struct simulation *s, const struct person *p, uint32_t answer);
static void decide(struct simulation *s, const struct person *p,
    const struct shown *seen, struct vote_ballot *ballot);
static size_t type_index(struct text type);

enum err
simulate(struct store *store, const struct conf *conf, const struct deck *deck,
    const struct simulate_conf *how, int64_t *done)
{
	struct simulation *s = calloc(1, sizeof(*s));
	enum err e = ERR_NOMEM;

	if (s == NULL)
		return ERR_NOMEM;
	s->conf = conf;
	s->deck = deck;
	s->how = how;
	s->first_day = clock_day_start(how->now - DAYS * DAY_SECONDS);
	rng_seed(&s->rng, how->seed);
	prng_init(&s->normals, how->seed, STREAM_STRENGTH);
	s->pool = pool_open(64u << 20);
	s->scratch = pool_open(1u << 20);
	if (s->pool != NULL && s->scratch != NULL)
		s->strength = pool_array(
		    s->pool, deck->versions_n * TYPES_MAX + 1, sizeof(double));
	if (s->strength != NULL) {
		make_strengths(s);
		e = store_write(store, begin, s);
	}
	while (e == ERR_OK && s->done < how->votes) {
		s->batch_end =
		    s->done + BATCH < how->votes ? s->done + BATCH : how->votes;
		e = store_write(store, run_batch, s);
	}
	*done = s->done;
	if (s->scratch != NULL)
		pool_close(s->scratch);
	if (s->pool != NULL)
		pool_close(s->pool);
	free(s);
	return e;
}

/* Only an arena without a real vote; from now on every page says so. */
static enum err
begin(struct store_tx *tx, void *arg)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT 1 FROM vote v JOIN account c ON c.id = v.voter"
	    " WHERE c.kind <> 'simulated' LIMIT 1");
	bool real;
	enum err e = db_exists(q, &real);

	(void)arg;
	if (e != ERR_OK)
		return e;
	if (real)
		return ERR_DENIED;
	return db_run(db_stmt(tx->db, "INSERT OR REPLACE INTO meta(key, value)"
				      " VALUES('simulated', '1')"));
}

static enum err
run_batch(struct store_tx *tx, void *arg)
{
	struct simulation *s = arg;
	int64_t start = s->done;
	int tries = 0;

	while (s->done < s->batch_end) {
		bool voted = false;
		enum err e = next_vote(s, tx, &voted);

		if (e == ERR_OK && !voted && ++tries > TRIES_MAX)
			e = ERR_NOTFOUND;
		/* Nothing left to pair ends the run but not the batch: what
		 * was voted so far stays.  Anything else undoes it all. */
		if (e == ERR_NOTFOUND && s->done > start) {
			s->batch_end = s->done;
			return ERR_OK;
		}
		if (e != ERR_OK) {
			s->done = start;
			return e;
		}
		if (voted) {
			s->done++;
			tries = 0;
		}
	}
	return ERR_OK;
}

/*
 * A version is good or less good at each type; a new one is a little better
 * than the one before.  Units are log-odds.
 */
static void
make_strengths(struct simulation *s)
{
	const struct deck *d = s->deck;

	for (size_t v = 0; v < d->versions_n; v++) {
		uint32_t before = d->versions[v].predecessor;
		double base = 0.55 * prng_normal(&s->normals);

		for (size_t t = 0; t < TYPES_MAX; t++) {
			double own = 0.3 * prng_normal(&s->normals);

			if (before < v)
				s->strength[v * TYPES_MAX + t] =
				    0.35 + s->strength[before * TYPES_MAX + t] +
				    0.5 * own;
			else
				s->strength[v * TYPES_MAX + t] = base + own;
		}
	}
}

/* Evenly over the days, between morning and night of each; never in the
 * future, and never going back. */
static int64_t
time_of(const struct simulation *s, int64_t i)
{
	double at = (double)i / (double)s->how->votes * DAYS;
	int64_t day = (int64_t)at;
	double part = at - (double)day;

	if (day >= DAYS)
		day = DAYS - 1;
	return s->first_day + day * DAY_SECONDS + DAY_OPENS +
	       (int64_t)(part * DAY_LASTS);
}

/* One person meets one match, and votes or skips. */
static enum err
next_vote(struct simulation *s, struct store_tx *real, bool *voted)
{
	struct store_tx then = *real;
	struct person *p = &s->class[rng_next_below(&s->rng, CLASS_SIZE)];
	struct vote_ballot ballot = { .choice = VOTE_TIE };
	struct match_opened opened;
	struct vote_receipt receipt;
	struct shown seen;
	int64_t at = time_of(s, s->done), reading;
	bool fresh = p->account == 0;
	enum err e;

	then.now = at - READING_MOST; /* opened before it is voted on */
	e = ready_person(s, &then, p);
	if (e != ERR_OK)
		return e;
	e = open_for(s, &then, p, &opened);
	if (e == ERR_NOTFOUND && !fresh) {
		p->account = 0; /* has seen every pair: somebody else comes */
		return ERR_OK;
	}
	if (e != ERR_OK)
		return e;
	ballot.token = str_of(opened.token);
	ballot.voter = p->account;
	if (rng_next_unit(&s->rng) < 0.02)
		return match_skip(
		    &then, ballot.token, ballot.voter, TEXT("cannot_judge"));
	e = look(s, &then, ballot.token, &seen);
	if (e != ERR_OK)
		return e;
	decide(s, p, &seen, &ballot);
	reading = 4 + (int64_t)((double)seen.words / p->pace *
				num_exp(0.3 * prng_normal(&s->normals)));
	if (reading > READING_MOST)
		reading = READING_MOST;
	e = set_opened(&then, ballot.token, at - reading);
	then.now = at;
	if (e == ERR_OK)
		e = vote_cast(&then, s->conf, &ballot, &receipt);
	if (e != ERR_OK)
		return e;
	*voted = true;
	if (--p->left <= 0)
		p->account = 0;
	return ERR_OK;
}

static enum err
set_opened(struct store_tx *tx, struct str token, int64_t at)
{
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE match SET"
			    " made_at = ?2, shown_at = ?2 WHERE token = ?1");

	db_bind_str(up, 1, token);
	db_bind_int(up, 2, at);
	return db_run(up);
}

static enum err
ready_person(struct simulation *s, struct store_tx *tx, struct person *p)
{
	struct prng g;

	if (p->account != 0)
		return ERR_OK;
	p->number = ++s->voters;
	prng_init(&g, s->how->seed, STREAM_VOTER + p->number);
	p->pace = 6.0 * num_exp(0.4 * prng_normal(&g));
	p->side = 0.05 + 0.1 * prng_normal(&g);
	p->care = num_exp(0.35 * prng_normal(&g));
	if (prng_unit(&g) < 0.05)
		p->care = 0.0; /* presses buttons */
	p->ties = 0.15 + 0.25 * prng_unit(&g);
	/* Most leave after a few votes, some stay for long. */
	p->left = 3 + (int64_t)(-12.0 * num_log(1.0 - prng_unit(&g)));
	return account_make_simulated(tx, &s->rng, &p->account);
}

/* Mostly any type; sometimes the one they came for. */
static enum err
open_for(struct simulation *s, struct store_tx *tx, struct person *p,
    struct match_opened *out)
{
	struct match_request rq = { .who = { .account = p->account },
		.seeded = &s->rng };
	enum err e = ERR_NOTFOUND;

	if (rng_next_unit(&s->rng) < 0.4 && s->deck->types_n > 0) {
		rq.type =
		    s->deck->types[rng_next_below(&s->rng, s->deck->types_n)]
			.name;
		e = match_open(tx, s->deck, s->conf, &rq, out);
		rq.type = (struct text){ 0 };
	}
	if (e == ERR_NOTFOUND)
		e = match_open(tx, s->deck, s->conf, &rq, out);
	return e;
}

static enum err
look(struct simulation *s, struct store_tx *tx, struct str token,
    struct shown *out)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT m.answer_a, m.answer_b, coalesce(a.words, 0) +"
	    " coalesce(b.words, 0) FROM match m"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN answer b ON b.id = m.answer_b WHERE m.token = ?1");
	enum err e;

	db_bind_str(q, 1, token);
	e = db_row(q);
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_INTERNAL : e;
	out->a = deck_answer_find(s->deck, db_int(q, 0));
	out->b = deck_answer_find(s->deck, db_int(q, 1));
	out->words = db_int(q, 2);
	db_done(q);
	return out->a == DECK_NONE || out->b == DECK_NONE ? ERR_INTERNAL
							  : ERR_OK;
}

/* The prompt's strength, how this answer turned out, and the voter's taste. */
static double
quality(const struct simulation *s, const struct person *p, uint32_t answer)
{
	const struct deck_answer *a = &s->deck->answers[answer];
	size_t type = type_index(s->deck->questions[a->question].type);
	struct prng luck, taste;

	prng_init(&luck, s->how->seed, STREAM_ANSWER + (uint64_t)a->id);
	prng_init(
	    &taste, s->how->seed, STREAM_VOTER + p->number * 4096 + a->version);
	return s->strength[a->version * TYPES_MAX + type] +
	       0.5 * prng_normal(&luck) + 0.5 * prng_normal(&taste);
}

static void
decide(struct simulation *s, const struct person *p, const struct shown *seen,
    struct vote_ballot *ballot)
{
	double a = quality(s, p, seen->a), b = quality(s, p, seen->b);
	double gap = p->care * (a - b) + p->side;
	double best = a > b ? a : b;
	double poor = num_sigmoid(-2.2 - 1.6 * best);
	double tie = p->ties * num_exp(-gap * gap);
	double u = rng_next_unit(&s->rng);

	if (u < poor)
		ballot->choice = VOTE_BOTH_POOR;
	else if (u < poor + tie)
		ballot->choice = VOTE_TIE;
	else
		ballot->choice =
		    rng_next_unit(&s->rng) < num_sigmoid(gap) ? VOTE_A : VOTE_B;
	ballot->recognised = rng_next_unit(&s->rng) < 0.01;
	/* Reasons: each vote for a side gets one about a third of the time. */
	if (ballot->choice <= VOTE_B && rng_next_unit(&s->rng) < 0.35)
		ballot->reasons = UINT32_C(1) << rng_next_below(&s->rng, 4);
	else if (ballot->choice == VOTE_BOTH_POOR &&
		 rng_next_unit(&s->rng) < 0.35)
		ballot->reasons = UINT32_C(1)
				  << (4 + rng_next_below(&s->rng, 3));
}

static size_t
type_index(struct text type)
{
	size_t i = 0;

	while (i + 1 < TYPES_MAX && catalog_types[i] != NULL &&
	       !text_same(type, text_of(catalog_types[i])))
		i++;
	return i;
}
