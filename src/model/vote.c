/* This file knows how to store a vote once, and whether it counts. */
#include "config.h"

#include "model/vote.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/pool.h"
#include "model/account.h"
#include "model/activity.h"
#include "model/conf.h"
#include "model/leak.h"
#include "model/recount.h"
#include "model/store.h"
#include "port/db.h"

/* Nobody reads two answers in less (case file C, rater statistics). */
#define READING_LEAST 2.0

/* A word of text in an alphabet has more characters than this; where every
 * character counts as a word, the text is Chinese or alike. */
#define CHARS_A_WORD 2.5

static const char *const why_names[VOTE_WHY__MAX] = {
	[VOTE_COUNTED] = "",
	[VOTE_CALIBRATION] = "calibration",
	[VOTE_WITHDRAWN_PROMPT] = "withdrawn_prompt",
	[VOTE_IDENTITY_ASKED] = "identity_asked",
	[VOTE_IDENTITY_LEAK] = "identity_leak",
	[VOTE_RECOGNISED] = "recognised",
	[VOTE_TOO_FAST] = "too_fast",
	[VOTE_DUPLICATE] = "duplicate",
	[VOTE_LIMIT] = "limit",
};

const char *const vote_reasons[] = { "useful", "complete", "clear", "creative",
	"wrong", "superficial", "ignores", NULL };

struct subject { /* the match that is voted on */
	int64_t id, ends_at, shown_at, question, version_a, version_b;
	bool open, voted, complete, calibration, withdrawn, asked;
	struct str question_slug, type, activity, setup, va, vb;
	int64_t sa, sb;
	struct str flags_a, flags_b;
	int64_t words_a, chars_a, words_b, chars_b;
	struct str consent; /* version, or absent */
};

static enum err cast(struct store_tx *tx, const struct conf *conf,
    const struct vote_ballot *b, struct pool *pool, struct vote_receipt *out);
static enum err load_subject(struct db *db, const struct vote_ballot *b,
    struct pool *pool, struct subject *out);
static enum err load_first(
    struct db *db, int64_t match, struct pool *pool, struct vote_receipt *out);
static enum err judge(struct store_tx *tx, const struct conf *conf,
    const struct vote_ballot *b, const struct subject *s, enum vote_why *why);
static bool is_too_fast(
    const struct conf *conf, const struct subject *s, int64_t now);
static double reading_seconds(
    const struct conf *conf, int64_t words, int64_t chars);
static enum err is_duplicate(struct db *db, const struct vote_ballot *b,
    const struct subject *s, bool *out);
static enum err is_over_limit(
    struct store_tx *tx, const struct conf *conf, int64_t voter, bool *out);
static enum err insert_vote(struct store_tx *tx, const struct vote_ballot *b,
    const struct subject *s, const struct vote_receipt *r);

const char *
vote_why_name(enum vote_why w)
{
	return (size_t)w < VOTE_WHY__MAX ? why_names[w] : "";
}

enum err
vote_why_parse(struct str s, enum vote_why *out)
{
	size_t i = str_index(s, why_names, VOTE_WHY__MAX);

	if (i == VOTE_WHY__MAX)
		return ERR_INVALID;
	*out = (enum vote_why)i;
	return ERR_OK;
}

enum err
vote_reason_parse(struct str s, uint32_t *bits)
{
	for (size_t i = 0; vote_reasons[i] != NULL; i++) {
		if (str_is(s, vote_reasons[i])) {
			*bits |= UINT32_C(1) << i;
			return ERR_OK;
		}
	}
	return ERR_INVALID;
}

enum err
vote_cast(struct store_tx *tx, const struct conf *conf,
    const struct vote_ballot *ballot, struct vote_receipt *out)
{
	struct pool *pool = pool_open(65536);
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	e = cast(tx, conf, ballot, pool, out);
	pool_close(pool);
	return e;
}

enum err
vote_count(struct db *db, int64_t n[VOTE_WHY__MAX])
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT why, count(*) FROM vote GROUP BY why");
	enum err e;

	memset(n, 0, VOTE_WHY__MAX * sizeof(*n));
	while ((e = db_row(q)) == ERR_OK) {
		enum vote_why why;

		if (vote_why_parse(db_str(q, 0, NULL), &why) == ERR_OK)
			n[why] += db_int(q, 1);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

enum err
vote_cast_fn(struct store_tx *tx, void *args)
{
	struct vote_cast_args *a = args;

	return vote_cast(tx, a->conf, &a->ballot, &a->receipt);
}

static enum err
cast(struct store_tx *tx, const struct conf *conf, const struct vote_ballot *b,
    struct pool *pool, struct vote_receipt *out)
{
	struct elo_rule rule = { conf->k, conf->start, conf->scale };
	struct vote_receipt r = { .choice = b->choice,
		.cast_at = tx->now,
		.before_a = NAN,
		.after_a = NAN,
		.before_b = NAN,
		.after_b = NAN };
	struct ledger_entry line = { .t = tx->now,
		.kind = LEDGER_VOTE,
		.match = b->token,
		.choice = b->choice };
	struct recount_effect moved;
	struct subject s;
	char voter[65];
	enum err e;

	e = load_subject(tx->db, b, pool, &s);
	if (e != ERR_OK)
		return e;
	if (s.voted) {
		e = load_first(tx->db, s.id, pool, out);
		return e == ERR_OK ? ERR_CONFLICT : e;
	}
	if (!s.open || !s.complete || s.ends_at <= tx->now)
		return ERR_CLOSED;
	if ((e = judge(tx, conf, b, &s, &r.why)) != ERR_OK ||
	    (e = account_pseudonym(tx->db, b->voter, voter)) != ERR_OK)
		return e;

	line.question = s.question_slug;
	line.type = s.type;
	line.va = s.va;
	line.vb = s.vb;
	line.sa = s.sa;
	line.sb = s.sb;
	line.setup = s.setup;
	line.activity = s.activity;
	line.counted = r.why == VOTE_COUNTED;
	line.why = str_of(vote_why_name(r.why));
	line.voter = str_of(voter);
	line.consent = s.consent;
	/* All ratings go by one rule: a reload may just have changed conf's. */
	if ((e = recount_rule(tx->db, &rule)) != ERR_OK && e != ERR_NOTFOUND)
		return e;
	if ((e = ledger_stage(tx, &line)) != ERR_OK ||
	    (e = recount_apply(tx, &line, &rule, &moved)) != ERR_OK)
		return e;
	r.n = line.n;
	if (line.counted) {
		r.before_a = moved.before_a;
		r.after_a = moved.after_a;
		r.before_b = moved.before_b;
		r.after_b = moved.after_b;
	}
	/* The vote's PRIMARY KEY, not the look above, decides a race. */
	e = insert_vote(tx, b, &s, &r);
	if (e == ERR_CONFLICT) {
		e = load_first(tx->db, s.id, pool, out);
		return e == ERR_OK ? ERR_CONFLICT : e;
	}
	if (e == ERR_OK)
		*out = r;
	return e;
}

static enum err
load_subject(struct db *db, const struct vote_ballot *b, struct pool *pool,
    struct subject *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT m.id, " MATCH_ENDS_M ", m.shown_at, m.question, a.version,"
	    " b.version, m.state IN ('open', 'parked'), m.state = 'voted',"
	    " a.state = 'ok' AND b.state = 'ok', m.calibration,"
	    " pa.retired OR pb.retired OR va.retired OR vb.retired"
	    " OR q.retired, q.slug, q.type, t.slug, s.digest, va.digest,"
	    " vb.digest, a.sample, b.sample, a.flags, b.flags, a.words,"
	    " a.chars, b.words, b.chars,"
	    " CASE c.consent WHEN 'yes' THEN c.consent_version END, q.asks"
	    " FROM match m JOIN question q ON q.id = m.question"
	    " JOIN setup s ON s.id = m.setup"
	    " JOIN activity t ON t.id = m.activity"
	    " JOIN account c ON c.id = m.voter"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN version va ON va.id = a.version"
	    " JOIN prompt pa ON pa.id = va.prompt"
	    " JOIN answer b ON b.id = m.answer_b"
	    " JOIN version vb ON vb.id = b.version"
	    " JOIN prompt pb ON pb.id = vb.prompt"
	    " WHERE m.token = ?1 AND m.voter = ?2");
	enum err e;

	db_bind_str(q, 1, b->token);
	db_bind_int(q, 2, b->voter);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*out = (struct subject){ .id = db_int(q, 0),
		.ends_at = db_int(q, 1),
		.shown_at = db_int(q, 2),
		.question = db_int(q, 3),
		.version_a = db_int(q, 4),
		.version_b = db_int(q, 5),
		.open = db_int(q, 6) != 0,
		.voted = db_int(q, 7) != 0,
		.complete = db_int(q, 8) != 0,
		.calibration = db_int(q, 9) != 0,
		.withdrawn = db_int(q, 10) != 0 };
	out->question_slug = db_str(q, 11, pool);
	out->type = db_str(q, 12, pool);
	out->activity = db_str(q, 13, pool);
	out->setup = db_str(q, 14, pool);
	out->va = db_str(q, 15, pool);
	out->vb = db_str(q, 16, pool);
	out->sa = db_int(q, 17);
	out->sb = db_int(q, 18);
	out->flags_a = db_str(q, 19, pool);
	out->flags_b = db_str(q, 20, pool);
	out->words_a = db_int(q, 21);
	out->chars_a = db_int(q, 22);
	out->words_b = db_int(q, 23);
	out->chars_b = db_int(q, 24);
	out->consent = db_str(q, 25, pool);
	out->asked = db_int(q, 26) != 0;
	db_done(q);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

/* The vote that was first on this match. */
static enum err
load_first(
    struct db *db, int64_t match, struct pool *pool, struct vote_receipt *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT n, choice, why, cast_at, before_a, after_a, before_b,"
	    " after_b FROM vote WHERE match = ?1");
	struct vote_receipt r = { 0 };
	double *const elo[] = { &r.before_a, &r.after_a, &r.before_b,
		&r.after_b };
	struct str choice, why;
	enum err e;

	db_bind_int(q, 1, match);
	e = db_row(q);
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_CORRUPT : e;
	r.n = db_int(q, 0);
	choice = db_str(q, 1, pool);
	why = db_str(q, 2, pool);
	r.cast_at = db_int(q, 3);
	for (int i = 0; i < 4; i++)
		*elo[i] = db_is_null(q, 4 + i) ? NAN : db_real(q, 4 + i);
	db_done(q);
	e = vote_choice_parse(choice, &r.choice);
	/* A reason that a later version of the program wrote is no fault. */
	if (vote_why_parse(why, &r.why) != ERR_OK)
		r.why = VOTE_LIMIT;
	if (e != ERR_OK)
		return ERR_CORRUPT;
	*out = r;
	return ERR_OK;
}

/* The first reason that applies is the one that is told. */
static enum err
judge(struct store_tx *tx, const struct conf *conf, const struct vote_ballot *b,
    const struct subject *s, enum vote_why *why)
{
	bool duplicate = false, limit = false;
	enum err e;

	if ((e = is_duplicate(tx->db, b, s, &duplicate)) != ERR_OK ||
	    (e = is_over_limit(tx, conf, b->voter, &limit)) != ERR_OK)
		return e;
	if (s->calibration)
		*why = VOTE_CALIBRATION;
	else if (s->withdrawn)
		*why = VOTE_WITHDRAWN_PROMPT;
	else if (s->asked)
		*why = VOTE_IDENTITY_ASKED;
	else if (leak_spoils(s->flags_a, s->flags_b))
		*why = VOTE_IDENTITY_LEAK;
	else if (b->recognised)
		*why = VOTE_RECOGNISED;
	else if (is_too_fast(conf, s, tx->now))
		*why = VOTE_TOO_FAST;
	else if (duplicate)
		*why = VOTE_DUPLICATE;
	else if (limit)
		*why = VOTE_LIMIT;
	else
		*why = VOTE_COUNTED;
	return ERR_OK;
}

/*
 * Server times only.  They are whole seconds, so up to one second more may
 * have passed than the difference says: the doubt is the voter's.
 */
static bool
is_too_fast(const struct conf *conf, const struct subject *s, int64_t now)
{
	double need;

	if (conf->words_per_second <= 0 && conf->chars_per_second <= 0)
		return false;
	/* Never shown, as when a script posts without looking: not read. */
	if (s->shown_at == 0)
		return true;
	if (now < s->shown_at)
		return false; /* the clock was set back: nobody knows */
	need = reading_seconds(conf, s->words_a, s->chars_a) +
	       reading_seconds(conf, s->words_b, s->chars_b);
	if (need < READING_LEAST)
		need = READING_LEAST;
	return (double)(now - s->shown_at) + 1.0 <= need;
}

static double
reading_seconds(const struct conf *conf, int64_t words, int64_t chars)
{
	bool by_character = (double)chars < CHARS_A_WORD * (double)words;

	if (by_character)
		return conf->chars_per_second > 0
			   ? (double)chars / conf->chars_per_second
			   : 0.0;
	return conf->words_per_second > 0
		   ? (double)words / conf->words_per_second
		   : 0.0;
}

/* The same two versions on the same question, counted before: pairing does
 * not do that, but a catalog may move an answer. */
static enum err
is_duplicate(struct db *db, const struct vote_ballot *b,
    const struct subject *s, bool *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT 1 FROM match m JOIN vote v ON v.match = m.id"
			" JOIN answer x ON x.id = m.answer_a"
			" JOIN answer y ON y.id = m.answer_b"
			" WHERE m.voter = ?1 AND m.question = ?2 AND m.id <> ?3"
			" AND v.counted = 1 AND x.version IN (?4, ?5)"
			" AND y.version IN (?4, ?5) LIMIT 1");

	db_bind_int(q, 1, b->voter);
	db_bind_int(q, 2, s->question);
	db_bind_int(q, 3, s->id);
	db_bind_int(q, 4, s->version_a);
	db_bind_int(q, 5, s->version_b);
	return db_exists(q, out);
}

/* Votes of a time that is still to come, because the clock was set back, are
 * no reason to refuse any. */
static enum err
is_over_limit(
    struct store_tx *tx, const struct conf *conf, int64_t voter, bool *out)
{
	struct db_stmt *q;
	int64_t votes;
	bool over = false;
	enum err e;

	if (conf->votes_per_day > 0) {
		q = db_stmt(tx->db,
		    "SELECT coalesce(sum(counted), 0)"
		    " FROM vote WHERE voter = ?1 AND cast_at >= ?2"
		    " AND cast_at <= ?3");
		db_bind_int(q, 1, voter);
		db_bind_int(q, 2, clock_day_start(tx->now));
		db_bind_int(q, 3, tx->now);
		e = db_scalar(q, &votes);
		if (e != ERR_OK)
			return e;
		over = votes >= conf->votes_per_day;
	}
	if (!over && conf->seconds_between > 0) {
		q = db_stmt(tx->db,
		    "SELECT 1 FROM vote"
		    " WHERE voter = ?1 AND cast_at > ?2 AND cast_at <= ?3"
		    " LIMIT 1");
		db_bind_int(q, 1, voter);
		db_bind_int(q, 2, tx->now - conf->seconds_between);
		db_bind_int(q, 3, tx->now);
		if ((e = db_exists(q, &over)) != ERR_OK)
			return e;
	}
	*out = over;
	return ERR_OK;
}

static void
bind_elo(struct db_stmt *st, int i, double v)
{
	if (isnan(v))
		db_bind_null(st, i);
	else
		db_bind_real(st, i, v);
}

static enum err
insert_vote(struct store_tx *tx, const struct vote_ballot *b,
    const struct subject *s, const struct vote_receipt *r)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO vote(match, n, voter, choice, recognised, reasons,"
	    " cast_at, dwell_ms, counted, why, before_a, after_a, before_b,"
	    " after_b, consent) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
	    " ?10, ?11, ?12, ?13, ?14, ?15)");
	struct buf reasons;
	enum err e;

	buf_init(&reasons, 512);
	for (size_t i = 0; vote_reasons[i] != NULL; i++) {
		if ((b->reasons & UINT32_C(1) << i) == 0)
			continue;
		if (reasons.n > 0)
			buf_c(&reasons, ' ');
		buf_z(&reasons, vote_reasons[i]);
	}
	db_bind_int(put, 1, s->id);
	db_bind_int(put, 2, r->n);
	db_bind_int(put, 3, b->voter);
	db_bind_z(put, 4, vote_choice_name(b->choice));
	db_bind_int(put, 5, b->recognised);
	db_bind_str(put, 6, reasons.n > 0 ? buf_as_str(&reasons) : STR(""));
	db_bind_int(put, 7, r->cast_at);
	if (s->shown_at > 0)
		db_bind_int(put, 8, (r->cast_at - s->shown_at) * 1000);
	db_bind_int(put, 9, r->why == VOTE_COUNTED);
	db_bind_z(put, 10, vote_why_name(r->why));
	bind_elo(put, 11, r->before_a);
	bind_elo(put, 12, r->after_a);
	bind_elo(put, 13, r->before_b);
	bind_elo(put, 14, r->after_b);
	db_bind_str(put, 15, s->consent);
	e = reasons.failed ? ERR_NOMEM : db_run(put);
	buf_release(&reasons);
	if (e != ERR_OK)
		return e;
	put = db_stmt(tx->db, "UPDATE match SET state = 'voted' WHERE id = ?1");
	db_bind_int(put, 1, s->id);
	return db_run(put);
}
