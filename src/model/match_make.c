/* This file knows how to begin a match whose answers are still to be written.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "model/answer.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/match_parts.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

static enum err want_both(struct store_tx *tx, const struct conf *conf,
    int64_t account, struct pairing_choice *c);
static enum err check_own(
    struct store_tx *tx, const struct conf *conf, int64_t account);
static enum err insert_question(struct store_tx *tx, const struct conf *conf,
    const struct match_request *rq, int64_t *id);
static enum err draw_versions(const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, const struct deck_activity *activity,
    struct pairing_choice *out);
static bool may_answer(const struct deck *deck, const struct match_request *rq,
    const struct deck_activity *activity, size_t version);
static bool makes(const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, size_t setup);

enum err
match_make(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct pairing_wish *wish,
    struct pairing_choice *out)
{
	enum err e = pairing_draw(tx->db, deck, conf, wish, out);

	return e == ERR_OK ? want_both(tx, conf, wish->who.account, out) : e;
}

enum err
match_own(struct store_tx *tx, const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, const struct deck_activity *activity,
    struct pairing_choice *out)
{
	enum err e = check_own(tx, conf, rq->who.account);

	if (e != ERR_OK)
		return e;
	if ((e = draw_versions(deck, conf, rq, activity, out)) != ERR_OK ||
	    (e = insert_question(tx, conf, rq, &out->question)) != ERR_OK)
		return e;
	return want_both(tx, conf, rq->who.account, out);
}

static enum err
want_both(struct store_tx *tx, const struct conf *conf, int64_t account,
    struct pairing_choice *c)
{
	struct {
		int64_t version, *answer;
	} sides[2] = { { c->version_a, &c->answer_a },
		{ c->version_b, &c->answer_b } };

	for (size_t i = 0; i < 2; i++) {
		struct answer_wish w = { .version = sides[i].version,
			.setup = c->setup,
			.question = c->question,
			.priority = JOB_AWAITED,
			.account = account };
		enum err e;

		if (*sides[i].answer != 0)
			continue;
		e = answer_want(tx, conf, &w, sides[i].answer);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err
check_own(struct store_tx *tx, const struct conf *conf, int64_t account)
{
	struct db_stmt *q =
	    db_stmt(tx->db, "SELECT count(*) FROM question WHERE owner = ?1"
			    " AND made_at >= ?2 AND made_at <= ?3");
	int64_t n;
	enum err e;

	if (!conf->own_questions)
		return ERR_DENIED;
	if (conf->own_per_day == 0)
		return ERR_OK;
	db_bind_int(q, 1, account);
	db_bind_int(q, 2, clock_day_start(tx->now));
	db_bind_int(q, 3, tx->now); /* a clock set back blocks nobody */
	e = db_scalar(q, &n);
	if (e != ERR_OK)
		return e;
	return n >= conf->own_per_day ? ERR_LIMIT : ERR_OK;
}

static enum err
insert_question(struct store_tx *tx, const struct conf *conf,
    const struct match_request *rq, int64_t *id)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO question(slug, type, lang, text, html, renderer,"
	    " owner, shared, made_at, asks)"
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
	bool any = rq->type.p == NULL || text_same(rq->type, TEXT("any"));
	char token[RNG_TOKEN_LEN + 1], slug[RNG_TOKEN_LEN + 8];
	enum err e;

	rng_token(token);
	snprintf(slug, sizeof(slug), "own-%s", token);
	db_bind_z(put, 1, slug);
	db_bind_text(put, 2, any ? TEXT("knowledge") : rq->type);
	db_bind_text(put, 3, rq->lang.n > 0 ? rq->lang : conf->lang);
	db_bind_text(put, 4, rq->question);
	db_bind_str(
	    put, 5, (struct str){ rq->question_html.p, rq->question_html.n });
	db_bind_int(put, 6, MARKDOWN_VERSION);
	db_bind_int(put, 7, rq->who.account);
	db_bind_int(put, 8, conf->own_shared);
	db_bind_int(put, 9, tx->now);
	db_bind_int(put, 10, rq->question_asks);
	e = db_run(put);
	if (e == ERR_OK)
		*id = db_last_id(tx->db);
	return e;
}

/* The n-th pair of versions that may answer this voter; their number when
 * there are fewer. */
static uint64_t
nth_pair(const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, const struct deck_activity *activity,
    uint64_t n, struct pairing_choice *out)
{
	uint64_t at = 0;

	for (size_t s = 0; s < deck->setups_n; s++) {
		if (!makes(deck, conf, rq, s))
			continue;
		for (size_t x = 0; x < deck->versions_n; x++) {
			if (!may_answer(deck, rq, activity, x))
				continue;
			for (size_t y = x + 1; y < deck->versions_n; y++) {
				if (!may_answer(deck, rq, activity, y) ||
				    at++ != n)
					continue;
				out->setup = deck->setups[s].id;
				out->version_a = deck->versions[x].id;
				out->version_b = deck->versions[y].id;
				return at;
			}
		}
	}
	return at;
}

/* All of them alike, and which side is A by a bit of its own. */
static enum err
draw_versions(const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, const struct deck_activity *activity,
    struct pairing_choice *out)
{
	uint64_t pairs = nth_pair(deck, conf, rq, activity, UINT64_MAX, out);
	int64_t a;

	if (pairs == 0)
		return ERR_NOTFOUND;
	*out = (struct pairing_choice){ .policy = "random",
		.probability = 1.0 / (double)pairs };
	(void)nth_pair(
	    deck, conf, rq, activity, chance_below(rq->seeded, pairs), out);
	if (chance_below(rq->seeded, 2) == 0) {
		a = out->version_a;
		out->version_a = out->version_b;
		out->version_b = a;
	}
	return ERR_OK;
}

static bool
may_answer(const struct deck *deck, const struct match_request *rq,
    const struct deck_activity *activity, size_t version)
{
	uint32_t prompt = deck->versions[version].prompt;

	return prompt != DECK_NONE && activity->prompts[prompt] &&
	       !(rq->who.login.n > 0 &&
		   text_same(rq->who.login, deck->prompts[prompt].author));
}

static bool
makes(const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, size_t setup)
{
	for (size_t i = 0; i < conf->setups_n; i++) {
		const struct conf_setup *c = &conf->setups[i];

		if (text_same(text_of(c->digest), deck->setups[setup].digest))
			return c->endpoint.p != NULL && rq->makes != NULL &&
			       rq->makes(rq->ctx, c);
	}
	return false;
}
