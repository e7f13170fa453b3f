/* This file knows how to open, show and leave a match without saying who wrote
 * what. */
#include "config.h"

#include "model/match.h"

#include <string.h>

#include "model/activity.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/job_parts.h"
#include "model/match_parts.h"
#include "model/pairing.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define DAY_SECONDS 86400

static const char *const state_names[MATCH__MAX] = {
	[MATCH_OPEN] = "open",
	[MATCH_VOTED] = "voted",
	[MATCH_SKIPPED] = "skipped",
	[MATCH_EXPIRED] = "expired",
	[MATCH_VOID] = "void",
};

const char *const match_skip_reasons[] = { "cannot_judge", "too_long", "broken",
	"offensive", "other", NULL };

static enum err find_open(
    struct store_tx *tx, int64_t voter, struct match_opened *out);
static enum err open_new(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq,
    struct match_opened *out);
static enum err take_token(struct str token, struct match_opened *out);
static enum err find_parked(
    struct store_tx *tx, int64_t voter, struct match_opened *out);
static enum err choose_activity(const struct deck *deck,
    const struct match_request *rq, int64_t now,
    const struct deck_activity **out);
static enum err insert_match(struct store_tx *tx, const struct conf *conf,
    const struct match_request *rq, const struct deck_activity *activity,
    const struct pairing_choice *c, struct match_opened *out);
static bool away(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, struct pairing_wish wish);
static bool any_setup(void *ctx, const struct conf_setup *setup);
static void make_token(struct rng *seeded, char out[RNG_TOKEN_LEN + 1]);
static enum match_state read_state(
    struct db_stmt *q, int col, struct pool *pool);

enum err
match_open(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq,
    struct match_opened *out)
{
	enum err e = find_open(tx, rq->who.account, out);

	return e == ERR_NOTFOUND ? open_new(tx, deck, conf, rq, out) : e;
}

static enum err
open_new(struct store_tx *tx, const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, struct match_opened *out)
{
	struct pairing_wish wish = { .who = rq->who,
		.lang = rq->lang,
		.reads = rq->reads,
		.seeded = rq->seeded,
		.standing = rq->standing };
	struct pairing_choice choice;
	bool waits = false;
	enum err e = choose_activity(deck, rq, tx->now, &wish.activity);

	if (e != ERR_OK)
		return e;
	if (rq->type.p != NULL && !text_same(rq->type, TEXT("any")))
		wish.type = rq->type;
	if (rq->question.p != NULL) {
		e = match_own(tx, deck, conf, rq, wish.activity, &choice);
		waits = true;
	} else {
		e = pairing_draw(tx->db, deck, conf, &wish, &choice);
	}
	if (e == ERR_NOTFOUND && rq->makes != NULL && rq->question.p == NULL) {
		wish.makes = rq->makes;
		wish.ctx = rq->ctx;
		e = match_make(tx, deck, conf, &wish, &choice);
		waits = true;
		out->away = e == ERR_NOTFOUND && away(tx, deck, conf, wish);
	}
	if (e == ERR_OK)
		e = insert_match(tx, conf, rq, wish.activity, &choice, out);
	if (e == ERR_OK)
		out->waits = waits;
	return e;
}

/* Would there be a pair if every endpoint took a question now? */
static bool
away(struct store_tx *tx, const struct deck *deck, const struct conf *conf,
    struct pairing_wish wish)
{
	struct pairing_choice choice;

	wish.makes = any_setup;
	return pairing_draw(tx->db, deck, conf, &wish, &choice) == ERR_OK;
}

static bool
any_setup(void *ctx, const struct conf_setup *setup)
{
	(void)ctx;
	return setup->endpoint.p != NULL;
}

enum err
match_instead(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq, struct str token,
    struct match_opened *out)
{
	struct match_request ready = *rq;
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE match SET state = 'parked' WHERE token = ?1"
	    " AND voter = ?2 AND state = 'open' AND EXISTS (SELECT 1"
	    " FROM answer WHERE id IN (answer_a, answer_b)"
	    " AND state = 'waiting')");
	enum err e;

	db_bind_str(up, 1, token);
	db_bind_int(up, 2, rq->who.account);
	e = db_run(up);
	if (e != ERR_OK)
		return e;
	if (db_changes(tx->db) == 0)
		return ERR_CONFLICT;
	ready.makes = NULL;
	ready.question = (struct text){ NULL, 0 };
	return open_new(tx, deck, conf, &ready, out);
}

bool
match_has_ready(struct db *db, const struct deck *deck, const struct conf *conf,
    const struct match_request *rq, int64_t now)
{
	struct pairing_wish wish = { .who = rq->who };
	struct pairing_choice choice;

	return choose_activity(deck, rq, now, &wish.activity) == ERR_OK &&
	       pairing_draw(db, deck, conf, &wish, &choice) == ERR_OK;
}

enum err
match_blind_load(struct db *db, struct pool *pool, struct str token,
    int64_t voter, int64_t now, struct match_blind *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT m.token, q.type, q.lang, q.text, q.html, m.state,"
	    " " MATCH_ENDS_M ", m.shown_at IS NOT NULL,"
	    " a.state = 'ok' AND b.state = 'ok',"
	    " a.state IN ('failed', 'void') OR b.state IN ('failed', 'void'),"
	    " a.html, b.html,"
	    " (SELECT max(attempts) FROM job WHERE kind = 'answer'"
	    " AND ref IN (a.id, b.id) AND state = 'queued'),"
	    " (SELECT max(" JOBS_BEFORE_J ")"
	    " FROM job j WHERE kind = 'answer' AND ref IN (a.id, b.id)"
	    " AND state = 'queued'), m.ends_at"
	    " FROM match m JOIN question q ON q.id = m.question"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN answer b ON b.id = m.answer_b"
	    " WHERE m.token = ?1 AND m.voter = ?2");
	enum err e;

	db_bind_str(q, 1, token);
	db_bind_int(q, 2, voter);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*out = (struct match_blind){ .token = db_text(q, 0, pool) };
	out->type = db_text(q, 1, pool);
	out->lang = db_text(q, 2, pool);
	out->question_text = db_text(q, 3, pool);
	out->question = markup_stored(db_text(q, 4, pool));
	out->state = read_state(q, 5, pool);
	out->ends_at = db_int(q, 6);
	out->shown = db_int(q, 7) != 0;
	out->complete = db_int(q, 8) != 0;
	out->failed = db_int(q, 9) != 0;
	/* Both or nothing: not a byte of one side before the other. */
	if (out->complete) {
		out->a = markup_stored(db_text(q, 10, pool));
		out->b = markup_stored(db_text(q, 11, pool));
	}
	out->again = db_int(q, 12) > 0;
	out->ahead = db_int(q, 13);
	out->closed = out->ends_at < db_int(q, 14) && out->ends_at <= now;
	db_done(q);
	if (out->state == MATCH_OPEN && out->ends_at <= now)
		out->state = MATCH_EXPIRED;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
match_current(struct db *db, struct pool *pool, int64_t voter, int64_t now,
    struct text *token)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT token FROM match m WHERE voter = ?1 AND state = 'open'"
	    " AND " MATCH_ENDS_M " > ?2");
	enum err e;

	db_bind_int(q, 1, voter);
	db_bind_int(q, 2, now);
	e = db_row(q);
	if (e == ERR_OK) {
		*token = db_text(q, 0, pool);
		db_done(q);
	}
	return e;
}

enum err
match_mark_shown(struct store_tx *tx, struct str token, int64_t voter)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE match SET shown_at = ?3 WHERE token = ?1 AND voter = ?2"
	    " AND state IN ('open', 'parked') AND shown_at IS NULL AND 2 = "
	    "(SELECT count(*)"
	    " FROM answer WHERE id IN (answer_a, answer_b)"
	    " AND state = 'ok')");

	db_bind_str(up, 1, token);
	db_bind_int(up, 2, voter);
	db_bind_int(up, 3, tx->now);
	return db_run(up);
}

enum err
match_skip(
    struct store_tx *tx, struct str token, int64_t voter, struct text reason)
{
	struct db_stmt *q =
	    db_stmt(tx->db, "SELECT state, " MATCH_ENDS_M " FROM match m"
			    " WHERE token = ?1 AND voter = ?2");
	struct db_stmt *up;
	struct pool *pool;
	enum match_state state;
	int64_t ends_at;
	bool known = reason.p == NULL || reason.n == 0;
	enum err e;

	for (size_t i = 0; !known && match_skip_reasons[i] != NULL; i++)
		known = text_same(reason, text_of(match_skip_reasons[i]));
	if (!known)
		return ERR_INVALID;
	pool = pool_open(4096);
	if (pool == NULL)
		return ERR_NOMEM;
	db_bind_str(q, 1, token);
	db_bind_int(q, 2, voter);
	e = db_row(q);
	if (e != ERR_OK) {
		pool_close(pool);
		return e;
	}
	state = read_state(q, 0, pool);
	ends_at = db_int(q, 1);
	db_done(q);
	pool_close(pool);
	if (state == MATCH_SKIPPED)
		return ERR_OK;
	if (state == MATCH_VOTED)
		return ERR_CONFLICT;
	if (state != MATCH_OPEN || ends_at <= tx->now)
		return ERR_CLOSED;
	up = db_stmt(tx->db,
	    "UPDATE match SET state = 'skipped',"
	    " skip_reason = ?3 WHERE token = ?1 AND voter = ?2");
	db_bind_str(up, 1, token);
	db_bind_int(up, 2, voter);
	if (reason.n > 0)
		db_bind_text(up, 3, reason);
	return db_run(up);
}

/* ERR_NOTFOUND: the voter has no open match (any more). */
static enum err
find_open(struct store_tx *tx, int64_t voter, struct match_opened *out)
{
	struct db_stmt *q =
	    db_stmt(tx->db, "SELECT id, " MATCH_ENDS_M ", token FROM match m"
			    " WHERE voter = ?1 AND state = 'open'");
	struct db_stmt *up;
	struct str token;
	int64_t id;
	enum err e;

	db_bind_int(q, 1, voter);
	e = db_row(q);
	if (e == ERR_NOTFOUND)
		return find_parked(tx, voter, out);
	if (e != ERR_OK)
		return e;
	id = db_int(q, 0);
	if (db_int(q, 1) > tx->now) {
		token = db_str(q, 2, NULL);
		e = take_token(token, out);
		db_done(q);
		return e;
	}
	db_done(q);
	up =
	    db_stmt(tx->db, "UPDATE match SET state = 'expired' WHERE id = ?1");
	db_bind_int(up, 1, id);
	e = db_run(up);
	return e == ERR_OK ? find_parked(tx, voter, out) : e;
}

static enum err
take_token(struct str token, struct match_opened *out)
{
	if (token.n != RNG_TOKEN_LEN)
		return ERR_INTERNAL;
	memcpy(out->token, token.p, RNG_TOKEN_LEN);
	out->token[RNG_TOKEN_LEN] = '\0';
	out->was_open = true;
	return ERR_OK;
}

/* One that was left waiting and has become ready. */
static enum err
find_parked(struct store_tx *tx, int64_t voter, struct match_opened *out)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT m.id, m.token FROM match m"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN answer b ON b.id = m.answer_b"
	    " WHERE m.voter = ?1 AND m.state = 'parked' AND ?2 < " MATCH_ENDS_M
	    " AND a.state = 'ok' AND b.state = 'ok' ORDER BY m.id LIMIT 1");
	struct db_stmt *up;
	int64_t id;
	enum err e;

	db_bind_int(q, 1, voter);
	db_bind_int(q, 2, tx->now);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	id = db_int(q, 0);
	e = take_token(db_str(q, 1, NULL), out);
	db_done(q);
	if (e != ERR_OK)
		return e;
	up = db_stmt(tx->db, "UPDATE match SET state = 'open' WHERE id = ?1");
	db_bind_int(up, 1, id);
	return db_run(up);
}

static enum err
choose_activity(const struct deck *deck, const struct match_request *rq,
    int64_t now, const struct deck_activity **out)
{
	if (rq->activity.p != NULL && rq->activity.n > 0) {
		const struct deck_activity *a =
		    deck_activity(deck, rq->activity);

		if (a == NULL || a->activity.retired)
			return ERR_INVALID;
		if (!activity_is_for(&a->activity, &rq->who))
			return ERR_DENIED;
		if (activity_phase(&a->activity, now) != ACTIVITY_OPEN)
			return ERR_CLOSED;
		*out = a;
		return ERR_OK;
	}
	for (size_t i = 0; i < deck->activities_n; i++) {
		const struct deck_activity *a = &deck->activities[i];

		if (activity_is_for(&a->activity, &rq->who) &&
		    activity_phase(&a->activity, now) == ACTIVITY_OPEN) {
			*out = a;
			return ERR_OK;
		}
	}
	return ERR_CLOSED;
}

static enum err
insert_match(struct store_tx *tx, const struct conf *conf,
    const struct match_request *rq, const struct deck_activity *activity,
    const struct pairing_choice *c, struct match_opened *out)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO match(token, voter, activity, question, setup,"
	    " answer_a, answer_b, state, policy, probability, made_at,"
	    " ends_at, shown_at)"
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8, ?9, ?10, ?11,"
	    " (SELECT CASE count(*) WHEN 2 THEN ?10 END FROM answer"
	    " WHERE id IN (?6, ?7) AND state = 'ok'))");
	char token[RNG_TOKEN_LEN + 1];
	enum err e;

	make_token(rq->seeded, token);
	db_bind_z(put, 1, token);
	db_bind_int(put, 2, rq->who.account);
	db_bind_int(put, 3, activity->activity.id);
	db_bind_int(put, 4, c->question);
	db_bind_int(put, 5, c->setup);
	db_bind_int(put, 6, c->answer_a);
	db_bind_int(put, 7, c->answer_b);
	db_bind_z(put, 8, c->policy);
	db_bind_real(put, 9, c->probability);
	db_bind_int(put, 10, tx->now);
	db_bind_int(put, 11, tx->now + conf->expires_days * DAY_SECONDS);
	e = db_run(put);
	if (e != ERR_OK)
		return e;
	memcpy(out->token, token, sizeof(token));
	out->was_open = false;
	return ERR_OK;
}

static void
make_token(struct rng *seeded, char out[RNG_TOKEN_LEN + 1])
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";

	if (seeded == NULL) {
		rng_token(out);
		return;
	}
	for (size_t i = 0; i < RNG_TOKEN_LEN; i++)
		out[i] = alphabet[rng_next_below(seeded, 32)];
	out[RNG_TOKEN_LEN] = '\0';
}

static enum match_state
read_state(struct db_stmt *q, int col, struct pool *pool)
{
	struct str s = db_str(q, col, pool);
	size_t i;

	/* Parked: open, while another one is played. */
	if (str_is(s, "parked"))
		return MATCH_OPEN;
	i = str_index(s, state_names, MATCH__MAX);
	return i < MATCH__MAX ? (enum match_state)i : MATCH_VOID;
}
