/* This file knows how to name the sides of a match to the person who voted. */
#include "config.h"

#include <math.h>

#include "base/text.h"
#include "model/activity.h"
#include "model/conf.h"
#include "model/match.h"
#include "model/rows.h"
#include "port/db.h"
#include "port/markdown.h"

#define QUESTION_CUT 120

struct sides { /* ids behind a result */
	int64_t question, setup, version_a, version_b, prompt_a, prompt_b;
};

static enum err load_match(struct db *db, struct pool *pool,
    int64_t durable_seq, struct str token, int64_t voter,
    struct match_result *out, struct sides *ids, struct activity *activity);
static void read_result(
    struct db_stmt *q, struct pool *pool, struct match_result *out);
static enum err load_tags(
    struct db *db, struct pool *pool, int64_t prompt, struct match_side *side);
static enum err load_others(struct db *db, const struct sides *ids,
    int64_t voter, int64_t durable_seq, struct match_result *out);
static enum err load_receipts(struct db *db, struct pool *pool, int64_t voter,
    int64_t before, int64_t limit, struct text slug, struct rows *rows);
static void read_receipt(
    struct db_stmt *q, struct pool *pool, struct match_receipt *out);
static double real_or_nan(struct db_stmt *q, int col);
static enum vote_choice read_choice(
    struct db_stmt *q, int col, struct pool *pool);

enum err
match_result_load(struct db *db, struct pool *pool, const struct conf *conf,
    int64_t durable_seq, struct str token, int64_t voter, int64_t now,
    struct match_result *out)
{
	struct match_result r = { 0 };
	struct activity activity = { 0 };
	struct sides ids;
	enum err e;

	e = load_match(
	    db, pool, durable_seq, token, voter, &r, &ids, &activity);
	if (e != ERR_OK)
		return e;
	if (!r.calibration) {
		if ((e = load_tags(db, pool, ids.prompt_a, &r.a)) != ERR_OK ||
		    (e = load_tags(db, pool, ids.prompt_b, &r.b)) != ERR_OK ||
		    (e = load_others(db, &ids, voter, durable_seq, &r)) !=
			ERR_OK)
			return e;
		r.tally = r.others > 0 &&
			  (r.others >= conf->others_before_tally ||
			      activity_phase(&activity, now) == ACTIVITY_AFTER);
	}
	if (!r.tally) /* what is not shown does not leave this file */
		r.others = r.others_a = r.others_b = r.others_tie =
		    r.others_both_poor = 0;
	if (pool_failed(pool))
		return ERR_NOMEM;
	*out = r;
	return ERR_OK;
}

enum err
match_receipts_load(struct db *db, struct pool *pool, int64_t voter,
    int64_t durable_seq, int64_t before, int64_t limit,
    struct match_receipts *out)
{
	struct match_receipts r = { 0 };
	struct match_receipt *row;
	struct db_stmt *q;
	struct rows rows;
	enum err e;

	q = db_stmt(db, "SELECT count(*), coalesce(sum(counted), 0) FROM vote"
			" WHERE voter = ?1 AND n <= ?2");
	db_bind_int(q, 1, voter);
	db_bind_int(q, 2, durable_seq);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	r.total = db_int(q, 0);
	r.total_counted = db_int(q, 1);
	db_done(q);

	if (before <= 0 || before > durable_seq)
		before = durable_seq + 1;
	/* One more than asked tells of a next page. */
	e = load_receipts(
	    db, pool, voter, before, limit + 1, (struct text){ 0 }, &rows);
	if (e != ERR_OK)
		return e;
	row = rows.p;
	if ((int64_t)rows.n > limit) {
		rows.n--;
		r.older = rows.n > 0 ? row[rows.n - 1].n : 0;
	}
	r.rows = rows.p;
	r.n = rows.n;
	if (pool_failed(pool))
		return ERR_NOMEM;
	*out = r;
	return ERR_OK;
}

enum err
match_receipts_of_prompt(struct db *db, struct pool *pool, int64_t voter,
    int64_t durable_seq, struct text slug, int64_t limit,
    const struct match_receipt **out, size_t *n)
{
	struct rows rows;
	enum err e =
	    load_receipts(db, pool, voter, durable_seq + 1, limit, slug, &rows);

	if (e == ERR_OK) {
		*out = rows.p;
		*n = rows.n;
	}
	return e;
}

/* slug: only matches of that prompt that name their sides; absent: all. */
static enum err
load_receipts(struct db *db, struct pool *pool, int64_t voter, int64_t before,
    int64_t limit, struct text slug, struct rows *rows)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT m.token, q.type, q.html, v.n, v.cast_at, v.choice,"
	    " v.counted, v.why, m.calibration, pa.slug, pa.title, va.number,"
	    " pb.slug, pb.title, vb.number, v.before_a, v.after_a,"
	    " v.before_b, v.after_b, q.lang"
	    " FROM vote v JOIN match m ON m.id = v.match"
	    " JOIN question q ON q.id = m.question"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN version va ON va.id = a.version"
	    " JOIN prompt pa ON pa.id = va.prompt"
	    " JOIN answer b ON b.id = m.answer_b"
	    " JOIN version vb ON vb.id = b.version"
	    " JOIN prompt pb ON pb.id = vb.prompt"
	    " WHERE v.voter = ?1 AND v.n < ?2 AND (?4 IS NULL OR"
	    " (m.calibration = 0 AND (pa.slug = ?4 OR pb.slug = ?4)))"
	    " ORDER BY v.n DESC LIMIT ?3");
	enum err e;

	db_bind_int(q, 1, voter);
	db_bind_int(q, 2, before);
	db_bind_int(q, 3, limit);
	db_bind_text(q, 4, slug);
	rows_init(rows, pool, sizeof(struct match_receipt));
	while ((e = db_row(q)) == ERR_OK) {
		struct match_receipt *row = rows_add(rows);

		if (row == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_receipt(q, pool, row);
	}
	if (e != ERR_NOTFOUND)
		return e;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

static enum err
load_match(struct db *db, struct pool *pool, int64_t durable_seq,
    struct str token, int64_t voter, struct match_result *out,
    struct sides *ids, struct activity *activity)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT m.token, q.type, q.lang, q.text, q.html, a.html, b.html,"
	    " v.n, v.cast_at, v.choice, v.counted, v.why, v.recognised,"
	    " m.calibration, v.before_a, v.after_a, v.before_b, v.after_b,"
	    " pa.slug, pa.title, va.number, va.digest, va.text,"
	    " pb.slug, pb.title, vb.number, vb.digest, vb.text,"
	    " s.model, s.digest, t.slug,"
	    " q.id, s.id, va.id, vb.id, pa.id, pb.id,"
	    " t.opens, t.closes, t.retired"
	    " FROM match m JOIN question q ON q.id = m.question"
	    " JOIN setup s ON s.id = m.setup"
	    " JOIN activity t ON t.id = m.activity"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN version va ON va.id = a.version"
	    " JOIN prompt pa ON pa.id = va.prompt"
	    " JOIN answer b ON b.id = m.answer_b"
	    " JOIN version vb ON vb.id = b.version"
	    " JOIN prompt pb ON pb.id = vb.prompt"
	    " LEFT JOIN vote v ON v.match = m.id"
	    " WHERE m.token = ?1 AND m.voter = ?2");
	enum err e;

	db_bind_str(q, 1, token);
	db_bind_int(q, 2, voter);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	if (db_is_null(q, 7) || db_int(q, 7) > durable_seq) {
		e = db_is_null(q, 7) ? ERR_DENIED : ERR_BUSY;
		db_done(q);
		return e;
	}
	read_result(q, pool, out);
	*ids = (struct sides){ db_int(q, 31), db_int(q, 32), db_int(q, 33),
		db_int(q, 34), db_int(q, 35), db_int(q, 36) };
	activity->opens = db_int(q, 37);
	activity->closes = db_int(q, 38);
	activity->retired = db_int(q, 39) != 0;
	db_done(q);
	return ERR_OK;
}

static void
read_side(
    struct db_stmt *q, struct pool *pool, int col, struct match_side *side)
{
	side->slug = db_text(q, col, pool);
	side->title = db_text(q, col + 1, pool);
	side->version = db_int(q, col + 2);
	side->digest = db_text(q, col + 3, pool);
	side->prompt_text = db_text(q, col + 4, pool);
}

static void
read_result(struct db_stmt *q, struct pool *pool, struct match_result *out)
{
	out->token = db_text(q, 0, pool);
	out->type = db_text(q, 1, pool);
	out->lang = db_text(q, 2, pool);
	out->question_text = db_text(q, 3, pool);
	out->question = markup_stored(db_text(q, 4, pool));
	out->a.answer = markup_stored(db_text(q, 5, pool));
	out->b.answer = markup_stored(db_text(q, 6, pool));
	out->n = db_int(q, 7);
	out->cast_at = db_int(q, 8);
	out->choice = read_choice(q, 9, pool);
	out->counted = db_int(q, 10) != 0;
	if (!out->counted)
		out->why = db_text(q, 11, pool);
	out->recognised = db_int(q, 12) != 0;
	out->calibration = db_int(q, 13) != 0;
	out->activity = db_text(q, 30, pool);
	out->a.before = out->a.after = out->b.before = out->b.after = NAN;
	if (out->calibration)
		return; /* a practice pair names nobody */
	out->a.before = real_or_nan(q, 14);
	out->a.after = real_or_nan(q, 15);
	out->b.before = real_or_nan(q, 16);
	out->b.after = real_or_nan(q, 17);
	read_side(q, pool, 18, &out->a);
	read_side(q, pool, 23, &out->b);
	out->model = db_text(q, 28, pool);
	out->setup = db_text(q, 29, pool);
}

static enum err
load_tags(
    struct db *db, struct pool *pool, int64_t prompt, struct match_side *side)
{
	struct db_stmt *q = db_stmt(
	    db, "SELECT tag FROM prompt_tag WHERE prompt = ?1 ORDER BY tag");
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct match_tag));
	db_bind_int(q, 1, prompt);
	while ((e = db_row(q)) == ERR_OK) {
		struct match_tag *t = rows_add(&rows);

		if (t == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		t->tag = db_text(q, 0, pool);
	}
	if (e != ERR_NOTFOUND)
		return e;
	side->tags = rows.p;
	side->tags_n = rows.n;
	return ERR_OK;
}

/* Votes on either order of the sides, told in the order of this match. */
static enum err
load_others(struct db *db, const struct sides *ids, int64_t voter,
    int64_t durable_seq, struct match_result *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT v.choice IN ('a', 'b'), (v.choice = 'a') ="
			" (x.version = ?3), v.choice = 'tie', count(*)"
			" FROM answer x JOIN match m ON m.answer_a = x.id"
			" JOIN answer y ON y.id = m.answer_b"
			" JOIN vote v ON v.match = m.id"
			" WHERE x.question = ?1 AND x.setup = ?2"
			" AND x.version IN (?3, ?4) AND y.version IN (?3, ?4)"
			" AND v.voter <> ?5 AND v.counted = 1 AND v.n <= ?6"
			" GROUP BY 1, 2, 3");
	enum err e;

	db_bind_int(q, 1, ids->question);
	db_bind_int(q, 2, ids->setup);
	db_bind_int(q, 3, ids->version_a);
	db_bind_int(q, 4, ids->version_b);
	db_bind_int(q, 5, voter);
	db_bind_int(q, 6, durable_seq);
	while ((e = db_row(q)) == ERR_OK) {
		bool decided = db_int(q, 0) != 0;
		int64_t n = db_int(q, 3);

		out->others += n;
		if (decided && db_int(q, 1) != 0)
			out->others_a += n;
		else if (decided)
			out->others_b += n;
		else if (db_int(q, 2) != 0)
			out->others_tie += n;
		else
			out->others_both_poor += n;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static void
read_receipt(struct db_stmt *q, struct pool *pool, struct match_receipt *out)
{
	out->token = db_text(q, 0, pool);
	out->type = db_text(q, 1, pool);
	out->question_text = markdown_lead(
	    pool, markup_stored(db_text(q, 2, NULL)), QUESTION_CUT, false);
	out->n = db_int(q, 3);
	out->cast_at = db_int(q, 4);
	out->choice = read_choice(q, 5, pool);
	out->counted = db_int(q, 6) != 0;
	if (!out->counted)
		out->why = db_text(q, 7, pool);
	out->calibration = db_int(q, 8) != 0;
	out->lang = db_text(q, 19, pool);
	out->a_before = out->a_after = out->b_before = out->b_after = NAN;
	if (out->calibration)
		return;
	out->a_slug = db_text(q, 9, pool);
	out->a_title = db_text(q, 10, pool);
	out->a_version = db_int(q, 11);
	out->b_slug = db_text(q, 12, pool);
	out->b_title = db_text(q, 13, pool);
	out->b_version = db_int(q, 14);
	out->a_before = real_or_nan(q, 15);
	out->a_after = real_or_nan(q, 16);
	out->b_before = real_or_nan(q, 17);
	out->b_after = real_or_nan(q, 18);
}

static double
real_or_nan(struct db_stmt *q, int col)
{
	return db_is_null(q, col) ? NAN : db_real(q, col);
}

static enum vote_choice
read_choice(struct db_stmt *q, int col, struct pool *pool)
{
	enum vote_choice c = VOTE_TIE;

	/* The column's CHECK holds; a failed pool is noticed at the end. */
	if (vote_choice_parse(db_str(q, col, pool), &c) != ERR_OK)
		c = VOTE_TIE;
	return c;
}
