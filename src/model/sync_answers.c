/* This file knows how to write questions and ready-made answers into the
 * tables. */
#include "config.h"

#include <inttypes.h>

#include "base/log.h"
#include "base/text.h"
#include "model/rows.h"
#include "model/sync.h"
#include "port/db.h"
#include "port/markdown.h"

/* Headings of questions and answers start below the page's own. */
#define HEADING_TOP 3

struct cell { /* where an answer belongs */
	int64_t version, setup, question;
};

struct stored { /* an answer row, as far as the sync asks */
	int64_t id;
	bool same, used, retired;
};

static enum err sync_question(
    struct sync *s, const struct catalog_question *c, int64_t *id);
static enum err put_question(
    struct sync *s, const struct catalog_question *c, int64_t known);
static enum err find_cell(
    struct sync *s, const struct catalog_answer *a, struct cell *out);
static enum err sync_answer(struct sync *s, const struct catalog_answer *a,
    const struct cell *at, int64_t *id);
static enum err find_sample(struct sync *s, const struct cell *at,
    const struct catalog_answer *a, struct stored *out);
static enum err find_text(struct sync *s, const struct cell *at,
    struct text text, struct stored *out);
static enum err in_play(struct sync *s, const struct stored *row);
static enum err insert_answer(struct sync *s, const struct cell *at,
    struct text text, int64_t sample, int64_t *id);
static enum err update_answer(struct sync *s, int64_t id, struct text text);
static enum err retire_answer(struct sync *s, int64_t id);
static enum err rerender(struct sync *s, bool answers);

enum err
sync_questions(struct sync *s)
{
	struct idset seen;

	idset_init(&seen, s->pool);
	for (size_t i = 0; i < s->catalog->questions_n; i++) {
		int64_t id;
		enum err e;

		pool_clear(s->item);
		e = sync_question(s, &s->catalog->questions[i], &id);
		if (e != ERR_OK)
			return e;
		idset_add(&seen, id);
	}
	/* A student's own question is not the catalog's to retire. */
	return sync_retire_unseen(s,
	    db_stmt(s->db, "SELECT id FROM question"
			   " WHERE retired = 0 AND owner IS NULL"),
	    "UPDATE question SET retired = 1 WHERE id = ?1", &seen);
}

enum err
sync_answers(struct sync *s)
{
	struct idset seen;

	idset_init(&seen, s->pool);
	for (size_t i = 0; i < s->catalog->answers_n; i++) {
		const struct catalog_answer *a = &s->catalog->answers[i];
		struct cell at;
		int64_t id;
		enum err e;

		pool_clear(s->item);
		e = find_cell(s, a, &at);
		if (e == ERR_NOTFOUND) {
			log_warning(
			    "answer to %.*s by %.*s, version %" PRId64
			    ": there is no such version, question or setup;"
			    " left out",
			    (int)a->question.n, a->question.p, (int)a->prompt.n,
			    a->prompt.p, a->version);
			continue;
		}
		if (e == ERR_OK)
			e = sync_answer(s, a, &at, &id);
		if (e != ERR_OK)
			return e;
		idset_add(&seen, id);
	}
	return sync_retire_unseen(s,
	    db_stmt(s->db, "SELECT id FROM answer"
			   " WHERE source = 'catalog' AND retired = 0"),
	    "UPDATE answer SET retired = 1 WHERE id = ?1", &seen);
}

enum err
sync_renderer(struct sync *s)
{
	struct db_stmt *q =
	    db_stmt(s->db, "SELECT 1 FROM meta WHERE key = 'renderer'"
			   " AND value = CAST(?1 AS TEXT)");
	struct db_stmt *put;
	bool current;
	enum err e;

	/* Asked of one row of meta: looking at every answer would read the
	 * whole table at each start. */
	db_bind_int(q, 1, MARKDOWN_VERSION);
	e = db_exists(q, &current);
	if (e != ERR_OK || current)
		return e;
	if ((e = rerender(s, false)) != ERR_OK ||
	    (e = rerender(s, true)) != ERR_OK)
		return e;
	put = db_stmt(s->db, "INSERT OR REPLACE INTO meta(key, value)"
			     " VALUES('renderer', CAST(?1 AS TEXT))");
	db_bind_int(put, 1, MARKDOWN_VERSION);
	return sync_run(s, put);
}

static enum err
sync_question(struct sync *s, const struct catalog_question *c, int64_t *id)
{
	struct db_stmt *q =
	    db_stmt(s->db, "SELECT id, type = ?2 AND lang = ?3 AND text = ?4"
			   " AND reference IS ?5 AND retired = ?6"
			   " FROM question WHERE slug = ?1");
	bool same;
	enum err e;

	db_bind_text(q, 1, c->id);
	db_bind_text(q, 2, c->type);
	db_bind_text(q, 3, c->lang);
	db_bind_text(q, 4, c->text);
	if (c->reference.n > 0)
		db_bind_text(q, 5, c->reference);
	db_bind_int(q, 6, c->retired);
	e = db_row(q);
	if (e == ERR_NOTFOUND) {
		e = put_question(s, c, 0);
		if (e == ERR_OK)
			*id = db_last_id(s->db);
		return e;
	}
	if (e != ERR_OK)
		return e;
	*id = db_int(q, 0);
	same = db_int(q, 1) != 0;
	db_done(q);
	return same ? ERR_OK : put_question(s, c, *id);
}

/* known 0: a new row. */
static enum err
put_question(struct sync *s, const struct catalog_question *c, int64_t known)
{
	struct db_stmt *put;
	struct markup html;
	enum err e =
	    markdown_render(s->item, c->text, HEADING_TOP, &html, NULL);

	if (e != ERR_OK)
		return e;
	if (known == 0) {
		put = db_stmt(s->db,
		    "INSERT INTO question(slug, type, lang, text, reference,"
		    " retired, html, renderer)"
		    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
	} else {
		put = db_stmt(s->db,
		    "UPDATE question SET type = ?2, lang = ?3, text = ?4,"
		    " reference = ?5, retired = ?6, html = ?7, renderer = ?8"
		    " WHERE slug = ?1");
	}
	db_bind_text(put, 1, c->id);
	db_bind_text(put, 2, c->type);
	db_bind_text(put, 3, c->lang);
	db_bind_text(put, 4, c->text);
	if (c->reference.n > 0)
		db_bind_text(put, 5, c->reference);
	db_bind_int(put, 6, c->retired);
	db_bind_str(put, 7, (struct str){ html.p, html.n });
	db_bind_int(put, 8, MARKDOWN_VERSION);
	return sync_run(s, put);
}

static enum err
find_cell(struct sync *s, const struct catalog_answer *a, struct cell *out)
{
	struct db_stmt *q = db_stmt(s->db,
	    "SELECT v.id FROM prompt p JOIN version v ON v.prompt = p.id"
	    " WHERE p.slug = ?1 AND v.number = ?2");
	enum err e;

	db_bind_text(q, 1, a->prompt);
	db_bind_int(q, 2, a->version);
	e = db_scalar(q, &out->version);
	if (e != ERR_OK)
		return e;
	q = db_stmt(s->db, "SELECT id FROM question WHERE slug = ?1");
	db_bind_text(q, 1, a->question);
	e = db_scalar(q, &out->question);
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < s->conf->setups_n; i++) {
		if (text_same(s->conf->setups[i].id, a->setup)) {
			out->setup = s->setups[i];
			return ERR_OK;
		}
	}
	return ERR_NOTFOUND;
}

static enum err
sync_answer(struct sync *s, const struct catalog_answer *a,
    const struct cell *at, int64_t *id)
{
	struct stored row, twin;
	enum err e = find_sample(s, at, a, &row);

	if (e == ERR_NOTFOUND)
		return insert_answer(s, at, a->text, a->sample, id);
	if (e != ERR_OK)
		return e;
	if (row.same) {
		*id = row.id;
		return in_play(s, &row);
	}
	/* An earlier edit may have put this text beside the shown one. */
	e = find_text(s, at, a->text, &twin);
	if (e == ERR_OK) {
		*id = twin.id;
		return in_play(s, &twin);
	}
	if (e != ERR_NOTFOUND)
		return e;
	if (!row.used) {
		*id = row.id;
		e = update_answer(s, row.id, a->text);
		return e == ERR_OK ? in_play(s, &row) : e;
	}
	e = retire_answer(s, row.id);
	return e == ERR_OK ? insert_answer(s, at, a->text, 0, id) : e;
}

static enum err
find_sample(struct sync *s, const struct cell *at,
    const struct catalog_answer *a, struct stored *out)
{
	struct db_stmt *q = db_stmt(s->db,
	    "SELECT id, state = 'ok' AND text = ?5, retired,"
	    " EXISTS (SELECT 1 FROM match WHERE answer_a = a.id) OR"
	    " EXISTS (SELECT 1 FROM match WHERE answer_b = a.id)"
	    " FROM answer a WHERE version = ?1 AND setup = ?2"
	    " AND question = ?3 AND sample = ?4");
	enum err e;

	db_bind_int(q, 1, at->version);
	db_bind_int(q, 2, at->setup);
	db_bind_int(q, 3, at->question);
	db_bind_int(q, 4, a->sample);
	db_bind_text(q, 5, a->text);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*out = (struct stored){ db_int(q, 0), db_int(q, 1) != 0,
		db_int(q, 3) != 0, db_int(q, 2) != 0 };
	db_done(q);
	return ERR_OK;
}

static enum err
find_text(
    struct sync *s, const struct cell *at, struct text text, struct stored *out)
{
	struct db_stmt *q = db_stmt(s->db,
	    "SELECT id, retired FROM answer WHERE version = ?1 AND setup = ?2"
	    " AND question = ?3 AND text = ?4 AND state = 'ok'"
	    " AND source = 'catalog' ORDER BY sample LIMIT 1");
	enum err e;

	db_bind_int(q, 1, at->version);
	db_bind_int(q, 2, at->setup);
	db_bind_int(q, 3, at->question);
	db_bind_text(q, 4, text);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*out = (struct stored){ db_int(q, 0), true, true, db_int(q, 1) != 0 };
	db_done(q);
	return ERR_OK;
}

static enum err
in_play(struct sync *s, const struct stored *row)
{
	struct db_stmt *up;

	if (!row->retired)
		return ERR_OK;
	up = db_stmt(s->db, "UPDATE answer SET retired = 0 WHERE id = ?1");
	db_bind_int(up, 1, row->id);
	return sync_run(s, up);
}

static void
bind_rendered(struct db_stmt *st, struct text text, const struct markup *html,
    const struct markdown_stats *n)
{
	db_bind_text(st, 2, text);
	db_bind_str(st, 3, (struct str){ html->p, html->n });
	db_bind_int(st, 4, MARKDOWN_VERSION);
	db_bind_int(st, 5, n->words);
	db_bind_int(st, 6, n->chars);
	db_bind_int(st, 7, n->headers);
	db_bind_int(st, 8, n->lists);
	db_bind_int(st, 9, n->bold);
}

/* sample 0: the next free number. */
static enum err
insert_answer(struct sync *s, const struct cell *at, struct text text,
    int64_t sample, int64_t *id)
{
	struct db_stmt *put = db_stmt(s->db,
	    "INSERT INTO answer(version, text, html, renderer, words, chars,"
	    " headers, lists, bold, setup, question, sample, made_at, state,"
	    " source) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
	    " CASE ?12 WHEN 0 THEN (SELECT coalesce(max(sample), 0) + 1"
	    " FROM answer WHERE version = ?1 AND setup = ?10"
	    " AND question = ?11) ELSE ?12 END, ?13, 'ok', 'catalog')");
	struct markdown_stats stats = { 0 };
	struct markup html;
	enum err e = markdown_render(s->item, text, HEADING_TOP, &html, &stats);

	if (e != ERR_OK)
		return e;
	db_bind_int(put, 1, at->version);
	bind_rendered(put, text, &html, &stats);
	db_bind_int(put, 10, at->setup);
	db_bind_int(put, 11, at->question);
	db_bind_int(put, 12, sample);
	db_bind_int(put, 13, s->now);
	e = sync_run(s, put);
	if (e == ERR_OK)
		*id = db_last_id(s->db);
	return e;
}

static enum err
update_answer(struct sync *s, int64_t id, struct text text)
{
	struct db_stmt *put = db_stmt(s->db,
	    "UPDATE answer SET text = ?2, html = ?3, renderer = ?4,"
	    " words = ?5, chars = ?6, headers = ?7, lists = ?8, bold = ?9,"
	    " state = 'ok', source = 'catalog', flags = '' WHERE id = ?1");
	struct markdown_stats stats = { 0 };
	struct markup html;
	enum err e = markdown_render(s->item, text, HEADING_TOP, &html, &stats);

	if (e != ERR_OK)
		return e;
	db_bind_int(put, 1, id);
	bind_rendered(put, text, &html, &stats);
	return sync_run(s, put);
}

static enum err
retire_answer(struct sync *s, int64_t id)
{
	struct db_stmt *up = db_stmt(s->db,
	    "UPDATE answer SET retired = 1 WHERE id = ?1 AND retired = 0");

	db_bind_int(up, 1, id);
	return sync_run(s, up);
}

static enum err
rerender(struct sync *s, bool answers)
{
	int64_t after = 0;

	for (;;) {
		struct db_stmt *q =
		    answers ? db_stmt(s->db, "SELECT id, text FROM answer"
					     " WHERE id > ?1 AND state = 'ok' "
					     "AND renderer <> ?2"
					     " ORDER BY id LIMIT 1")
			    : db_stmt(s->db, "SELECT id, text FROM question"
					     " WHERE id > ?1 AND renderer <> ?2"
					     " ORDER BY id LIMIT 1");
		struct db_stmt *up;
		struct markup html;
		struct text source;
		enum err e;

		pool_clear(s->item);
		db_bind_int(q, 1, after);
		db_bind_int(q, 2, MARKDOWN_VERSION);
		e = db_row(q);
		if (e == ERR_NOTFOUND)
			return ERR_OK;
		if (e != ERR_OK)
			return e;
		after = db_int(q, 0);
		source = db_text(q, 1, s->item);
		db_done(q);
		e = markdown_render(s->item, source, HEADING_TOP, &html, NULL);
		if (e != ERR_OK)
			return e;
		up = answers ? db_stmt(s->db, "UPDATE answer SET html = ?2,"
					      " renderer = ?3 WHERE id = ?1")
			     : db_stmt(s->db, "UPDATE question SET html = ?2,"
					      " renderer = ?3 WHERE id = ?1");
		db_bind_int(up, 1, after);
		db_bind_str(up, 2, (struct str){ html.p, html.n });
		db_bind_int(up, 3, MARKDOWN_VERSION);
		e = sync_run(s, up);
		if (e != ERR_OK)
			return e;
	}
}
