/* This file knows how to keep pairs of answers ready for those who come. */
#include "config.h"

#include "model/stock.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/activity.h"
#include "model/answer.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/pairing.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define DRAWS 24 /* for one pair: most draws find one that is ready */

struct want_args {
	const struct conf *conf;
	struct pairing_choice choice;
	int64_t asked;
};

static void count_pairs(const struct deck *deck, const struct conf *conf,
    struct stock_numbers *out);
static bool generates(const struct conf *conf, struct text digest);
static enum err take_out_seen(struct db *db, const struct deck *deck,
    const struct conf *conf, struct stock_numbers *out);
static enum err count_coming(struct db *db, struct stock_numbers *out);
static struct stock_type *type_of(struct stock_numbers *n, struct text type);
static const struct deck_activity *open_activity(
    const struct deck *deck, int64_t now, uint64_t round);
static enum err draw_missing(struct db *db, const struct deck *deck,
    const struct conf *conf, const struct pairing_wish *wish,
    struct pairing_choice *out);
static enum err want_fn(struct store_tx *tx, void *arg);

enum err
stock_count(struct db *db, const struct deck *deck, const struct conf *conf,
    struct stock_numbers *out)
{
	enum err e;

	*out = (struct stock_numbers){ .target = conf->stock };
	for (size_t i = 0; i < deck->types_n && out->n < STOCK_TYPES; i++)
		out->types[out->n++].type = deck->types[i].name;
	count_pairs(deck, conf, out);
	e = take_out_seen(db, deck, conf, out);
	if (e == ERR_OK)
		e = count_coming(db, out);
	return e;
}

enum err
stock_fill(struct store *store, struct db *db, const struct deck *deck,
    const struct conf *conf, const struct stock_order *o,
    const struct stock_numbers *now, int64_t *asked)
{
	struct pairing_wish wish = { .makes = o->makes, .ctx = o->ctx };
	int64_t pairs = 0;

	*asked = 0;
	wish.activity = open_activity(deck, clock_now(), o->round);
	if (wish.activity == NULL)
		return ERR_OK;
	for (size_t i = 0; i < now->n; i++) {
		int64_t lack = o->target - now->types[i].ready -
			       (now->types[i].coming + 1) / 2;

		wish.type = now->types[i].type;
		for (; lack > 0 && pairs < o->most; lack--, pairs++) {
			struct want_args args = { .conf = conf };
			enum err e =
			    draw_missing(db, deck, conf, &wish, &args.choice);

			if (e == ERR_OK)
				e = store_write(store, want_fn, &args);
			if (e == ERR_NOTFOUND)
				break; /* all there is, is there */
			if (e == ERR_LIMIT)
				return ERR_OK;
			if (e != ERR_OK)
				return e;
			*asked += args.asked;
			if (args.asked == 0)
				break; /* under way already */
		}
	}
	return ERR_OK;
}

/* Pairs of answers of different prompt versions, by type. */
static void
count_pairs(
    const struct deck *deck, const struct conf *conf, struct stock_numbers *out)
{
	for (size_t s = 0; s < deck->setups_n; s++) {
		if (!generates(conf, deck->setups[s].digest))
			continue;
		for (size_t q = 0; q < deck->questions_n; q++) {
			struct stock_type *t =
			    type_of(out, deck->questions[q].type);
			int64_t sum = 0, squares = 0;

			for (size_t v = 0; v < deck->versions_n && t != NULL;
			     v++) {
				size_t cell = (s * deck->versions_n + v) *
						  deck->questions_n +
					      q;
				int64_t n = 0;

				for (uint32_t i = deck->cells[cell];
				     i != DECK_NONE; i = deck->answers[i].next)
					n++;
				sum += n;
				squares += n * n;
			}
			if (t != NULL)
				t->ready += (sum * sum - squares) / 2;
		}
	}
}

static bool
generates(const struct conf *conf, struct text digest)
{
	for (size_t i = 0; i < conf->setups_n; i++) {
		if (text_same(text_of(conf->setups[i].digest), digest))
			return conf->setups[i].endpoint.p != NULL;
	}
	return false;
}

/* Those that enough voters have been shown. */
static enum err
take_out_seen(struct db *db, const struct deck *deck, const struct conf *conf,
    struct stock_numbers *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT min(answer_a, answer_b) x, max(answer_a, answer_b) y"
	    " FROM match WHERE state <> 'void' GROUP BY x, y"
	    " HAVING count(*) >= ?1");
	enum err e;

	db_bind_int(q, 1, conf->views);
	while ((e = db_row(q)) == ERR_OK) {
		uint32_t i = deck_answer_find(deck, db_int(q, 0));
		uint32_t j = deck_answer_find(deck, db_int(q, 1));
		const struct deck_answer *a;
		struct stock_type *t;

		if (i == DECK_NONE || j == DECK_NONE)
			continue;
		a = &deck->answers[i];
		if (!a->usable || !deck->answers[j].usable ||
		    !generates(conf, deck->setups[a->setup].digest))
			continue;
		t = type_of(out, deck->questions[a->question].type);
		if (t != NULL && t->ready > 0)
			t->ready--;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
count_coming(struct db *db, struct stock_numbers *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT q.type, count(*) FROM answer a"
	    " JOIN question q ON q.id = a.question"
	    " WHERE a.state = 'waiting' AND q.owner IS NULL GROUP BY q.type");
	enum err e;

	while ((e = db_row(q)) == ERR_OK) {
		struct str name = db_str(q, 0, NULL);
		struct stock_type *t =
		    type_of(out, (struct text){ name.p, name.n });

		if (t != NULL)
			t->coming = db_int(q, 1);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static struct stock_type *
type_of(struct stock_numbers *n, struct text type)
{
	for (size_t i = 0; i < n->n; i++) {
		if (text_same(n->types[i].type, type))
			return &n->types[i];
	}
	return NULL;
}

/* Each open activity gets its turn. */
static const struct deck_activity *
open_activity(const struct deck *deck, int64_t now, uint64_t round)
{
	for (size_t i = 0; i < deck->activities_n; i++) {
		const struct deck_activity *a =
		    &deck->activities[(round + i) % deck->activities_n];

		if (!a->activity.retired &&
		    activity_phase(&a->activity, now) == ACTIVITY_OPEN)
			return a;
	}
	return NULL;
}

/* As for a voter who has seen nothing yet. */
static enum err
draw_missing(struct db *db, const struct deck *deck, const struct conf *conf,
    const struct pairing_wish *wish, struct pairing_choice *out)
{
	for (int i = 0; i < DRAWS; i++) {
		enum err e = pairing_draw(db, deck, conf, wish, out);

		if (e == ERR_INVALID)
			return ERR_NOTFOUND;
		if (e != ERR_OK || out->answer_a == 0 || out->answer_b == 0)
			return e;
	}
	return ERR_NOTFOUND;
}

static enum err
want_fn(struct store_tx *tx, void *arg)
{
	struct want_args *a = arg;
	const struct pairing_choice *c = &a->choice;
	const int64_t missing[2] = { c->answer_a == 0 ? c->version_a : 0,
		c->answer_b == 0 ? c->version_b : 0 };

	a->asked = 0;
	for (size_t i = 0; i < 2; i++) {
		struct answer_wish w = { .version = missing[i],
			.setup = c->setup,
			.question = c->question,
			.priority = JOB_IDLE };
		int64_t id, last = db_last_id(tx->db);
		enum err e;

		if (missing[i] == 0)
			continue;
		e = answer_want(tx, a->conf, &w, &id);
		if (e != ERR_OK)
			return e;
		a->asked += db_last_id(tx->db) != last;
	}
	return ERR_OK;
}
