/* This file knows how to keep what people report until a teacher has looked. */
#include "config.h"

#include "base/text.h"
#include "model/forum_parts.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

static const char *const kind_names[REPORT__MAX] = {
	[REPORT_POST] = "post",
	[REPORT_MATCH] = "match",
	[REPORT_REPLY] = "reply",
};

const char *const report_reasons[] = { "wrong", "offensive", "personal", "spam",
	"other", NULL };

static bool is_reason(struct text t);
static void read_report(
    struct db_stmt *q, struct pool *pool, struct report *out);

enum err
report_put(struct store_tx *tx, const struct report_new *r)
{
	struct db_stmt *put;

	if (!is_reason(r->reason))
		return ERR_INVALID;
	put = db_stmt(tx->db,
	    "INSERT INTO report(kind, ref, reporter, reason, words, made_at)"
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
	    " ON CONFLICT(kind, ref, reporter) DO UPDATE SET"
	    " reason = excluded.reason, words = excluded.words,"
	    " made_at = excluded.made_at, done_at = NULL, done_by = NULL");
	db_bind_z(put, 1, kind_names[r->kind]);
	db_bind_int(put, 2, r->ref);
	db_bind_int(put, 3, r->reporter);
	db_bind_text(put, 4, r->reason);
	db_bind_text(put, 5, r->words.p != NULL ? r->words : TEXT(""));
	db_bind_int(put, 6, tx->now);
	return db_run(put);
}

enum err
report_list(struct db *db, struct pool *pool, int64_t after, int64_t limit,
    const struct report **out, size_t *n)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT w.id, w.kind, w.made_at, w.reason, w.words,"
	    " t.token, t.title, p.number, coalesce(p.html, m.html, q.html),"
	    " m.question_html, v.title, " FORUM_NAME("a") ", " FORUM_NAME(
		"b") " FROM report w JOIN account a ON a.id = w.reporter"
		     " LEFT JOIN post p ON w.kind = 'post' AND p.id = w.ref"
		     " LEFT JOIN account b ON b.id = p.author"
		     " LEFT JOIN topic t ON t.id = p.topic"
		     " LEFT JOIN tutor_message m"
		     " ON w.kind = 'reply' AND m.id = w.ref"
		     " LEFT JOIN tutor_thread h ON h.id = m.thread"
		     " LEFT JOIN match x ON w.kind = 'match' AND x.id = w.ref"
		     " LEFT JOIN question q ON q.id = x.question"
		     " LEFT JOIN activity v"
		     " ON v.id = coalesce(t.activity, h.activity, x.activity)"
		     " WHERE w.done_at IS NULL AND w.id > ?1"
		     " ORDER BY w.id LIMIT ?2");
	struct rows rows;
	enum err e;

	db_bind_int(q, 1, after);
	db_bind_int(q, 2, limit);
	rows_init(&rows, pool, sizeof(struct report));
	while ((e = db_row(q)) == ERR_OK) {
		struct report *r = rows_add(&rows);

		if (r == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_report(q, pool, r);
	}
	if (e != ERR_NOTFOUND)
		return e;
	*out = rows.p;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
report_count(struct db *db, int64_t *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT count(*) FROM report WHERE done_at IS NULL");

	return db_scalar(q, out);
}

enum err
report_done(struct store_tx *tx, int64_t id, int64_t by)
{
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE report SET done_at = coalesce(done_at, ?2),"
			    " done_by = coalesce(done_by, ?3) WHERE id = ?1");
	enum err e;

	db_bind_int(up, 1, id);
	db_bind_int(up, 2, tx->now);
	db_bind_int(up, 3, by);
	e = db_run(up);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		e = ERR_NOTFOUND;
	return e;
}

static bool
is_reason(struct text t)
{
	for (size_t i = 0; report_reasons[i] != NULL; i++) {
		if (str_is((struct str){ t.p, t.n }, report_reasons[i]))
			return true;
	}
	return false;
}

static void
read_report(struct db_stmt *q, struct pool *pool, struct report *out)
{
	struct str kind = db_str(q, 1, pool);

	*out = (struct report){ .id = db_int(q, 0), .made_at = db_int(q, 2) };
	for (size_t i = 0; i < REPORT__MAX; i++) {
		if (str_is(kind, kind_names[i]))
			out->kind = (enum report_kind)i;
	}
	out->reason = db_text(q, 3, pool);
	out->words = db_text(q, 4, pool);
	out->topic = db_text(q, 5, pool);
	out->title = db_text(q, 6, pool);
	if (out->title.n == 0)
		out->title = (struct text){ NULL, 0 };
	out->number = db_int(q, 7);
	out->html = markup_stored(db_text(q, 8, pool));
	out->question = markup_stored(db_text(q, 9, pool));
	out->activity = db_text(q, 10, pool);
	out->reporter = db_text(q, 11, pool);
	out->author = db_text(q, 12, pool);
}
