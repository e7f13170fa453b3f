/* This file knows how to tell people something once, and what they have read.
 */
#include "config.h"

#include "model/notice.h"

#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define PURGE_EVERY 64

/* What read_notice reads; a topic is called as it is called by now. */
#define SELECT_NOTICE                                                          \
	"SELECT id, kind, thread, url, CASE WHEN thread LIKE 'topic:%'"        \
	" THEN coalesce((SELECT t.title FROM topic t"                          \
	" WHERE t.token = substr(thread, 7)), title) ELSE title END, who,"     \
	" made_at, read_at IS NULL FROM notice"

/* Not of a topic that who reads as ?8 (teacher) and ?9 (groups) may not see. */
#define UNSEEN                                                                 \
	" EXISTS (SELECT 1 FROM topic t JOIN activity r ON r.id = t.activity"  \
	" WHERE notice.thread LIKE 'topic:%'"                                  \
	" AND t.token = substr(notice.thread, 7)"                              \
	" AND ((t.hidden AND NOT ?8) OR NOT " ACCOUNT_FITS("r.grp", "?9") "))"

static const char *const kind_names[NOTICE__MAX] = {
	[NOTICE_TA] = "ta",
	[NOTICE_SORRY] = "sorry",
	[NOTICE_POST] = "post",
	[NOTICE_ANSWER] = "answer",
	[NOTICE_OTHER] = "other",
	[NOTICE_TEST] = "test",
};

static void bind_reader(
    struct db_stmt *q, const struct voter *who, char groups[ACCOUNT_GROUPS]);
static enum err thread_is_full(
    struct db *db, int64_t account, struct text thread, bool *full);
static enum err forget_tests(struct store_tx *tx, int64_t account);
static enum err insert(struct store_tx *tx, const struct notice_new *n);
static enum err purge(struct store_tx *tx, int64_t account, int64_t id);
static enum err mark_read(
    struct store_tx *tx, struct db_stmt *up, int64_t account);
static enum err recount(struct store_tx *tx, int64_t account);
static enum err read_rows(
    struct db_stmt *q, struct pool *pool, struct rows *rows);
static void read_notice(
    struct db_stmt *q, struct pool *pool, struct notice *out);

enum err
notice_put(struct store_tx *tx, const struct notice_new *n, bool *stored)
{
	struct db_stmt *up;
	bool full;
	enum err e;

	if (stored != NULL)
		*stored = false;
	e = thread_is_full(tx->db, n->account, n->thread, &full);
	if (e != ERR_OK || full)
		return e;
	if (n->kind == NOTICE_TEST &&
	    (e = forget_tests(tx, n->account)) != ERR_OK)
		return e;
	e = insert(tx, n);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	if ((e = purge(tx, n->account, db_last_id(tx->db))) != ERR_OK)
		return e;
	up = db_stmt(tx->db, "UPDATE account SET unread = unread + 1,"
			     " notice_rev = notice_rev + 1 WHERE id = ?1");
	db_bind_int(up, 1, n->account);
	e = db_run(up);
	if (e == ERR_OK && stored != NULL)
		*stored = true;
	return e;
}

enum err
notice_list(struct db *db, struct pool *pool, const struct voter *who,
    int64_t before, int64_t limit, struct notice_page *out)
{
	char groups[ACCOUNT_GROUPS];
	struct db_stmt *q = db_stmt(db,
	    SELECT_NOTICE " WHERE account = ?1 AND id < ?2"
			  " AND NOT" UNSEEN " ORDER BY id DESC LIMIT ?3");
	struct notice_page page = { 0 };
	struct rows rows;
	enum err e;

	bind_reader(q, who, groups);
	db_bind_int(q, 2, before > 0 ? before : INT64_MAX);
	db_bind_int(q, 3, limit + 1); /* one more tells of a next page */
	if ((e = read_rows(q, pool, &rows)) != ERR_OK)
		return e;
	page.rows = rows.p;
	page.n = rows.n;
	if ((int64_t)page.n > limit) {
		page.n--;
		page.older = page.rows[page.n - 1].id;
	}
	*out = page;
	return ERR_OK;
}

enum err
notice_since(struct db *db, struct pool *pool, const struct voter *who,
    int64_t since, int64_t limit, struct notice_news *out)
{
	char groups[ACCOUNT_GROUPS];
	struct notice_news news = { 0 };
	struct db_stmt *q;
	struct rows rows;
	enum err e;

	q = db_stmt(db, "SELECT max(id), (SELECT count(*) FROM notice"
			" WHERE account = ?1 AND id > ?2 AND read_at IS NULL"
			" AND NOT" UNSEEN ")"
			" FROM notice WHERE account = ?1");
	bind_reader(q, who, groups);
	db_bind_int(q, 2, since);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	news.latest = db_int(q, 0);
	news.more = db_int(q, 1);
	db_done(q);
	q = db_stmt(db, SELECT_NOTICE " WHERE account = ?1 AND id > ?2"
				      " AND read_at IS NULL AND NOT" UNSEEN
				      " ORDER BY id DESC LIMIT ?3");
	bind_reader(q, who, groups);
	db_bind_int(q, 2, since);
	db_bind_int(q, 3, limit);
	if ((e = read_rows(q, pool, &rows)) != ERR_OK)
		return e;
	news.rows = rows.p;
	news.n = rows.n;
	news.more -= (int64_t)rows.n;
	if (news.more < 0)
		news.more = 0;
	*out = news;
	return ERR_OK;
}

enum err
notice_load(struct db *db, struct pool *pool, const struct voter *who,
    int64_t id, struct notice *out)
{
	char groups[ACCOUNT_GROUPS];
	struct db_stmt *q =
	    db_stmt(db, SELECT_NOTICE " WHERE id = ?2 AND account = ?1"
				      " AND NOT" UNSEEN);
	enum err e;

	bind_reader(q, who, groups);
	db_bind_int(q, 2, id);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	read_notice(q, pool, out);
	db_done(q);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
notice_withheld(struct db *db, const struct voter *who, bool *out)
{
	char groups[ACCOUNT_GROUPS];
	struct db_stmt *q = db_stmt(db,
	    "SELECT 1 FROM notice WHERE account = ?1 AND read_at IS NULL"
	    " AND" UNSEEN " LIMIT 1");

	bind_reader(q, who, groups);
	return db_exists(q, out);
}

enum err
notice_withhold(struct store_tx *tx, const struct voter *who)
{
	char groups[ACCOUNT_GROUPS];
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE notice SET read_at = ?3 WHERE account = ?1"
			    " AND read_at IS NULL AND" UNSEEN);

	bind_reader(up, who, groups);
	return mark_read(tx, up, who->account);
}

enum err
notice_thread_unread(
    struct db *db, int64_t account, struct text thread, bool *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT 1 FROM notice WHERE account = ?1 AND thread = ?2"
	    " AND read_at IS NULL LIMIT 1");

	db_bind_int(q, 1, account);
	db_bind_text(q, 2, thread);
	return db_exists(q, out);
}

enum err
notice_read_one(struct store_tx *tx, int64_t account, int64_t id)
{
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE notice SET read_at = coalesce(read_at, ?3)"
			    " WHERE id = ?2 AND account = ?1");
	enum err e;

	db_bind_int(up, 1, account);
	db_bind_int(up, 2, id);
	db_bind_int(up, 3, tx->now);
	e = db_run(up);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		return ERR_NOTFOUND;
	return e == ERR_OK ? recount(tx, account) : e;
}

enum err
notice_read_thread(struct store_tx *tx, int64_t account, struct text thread)
{
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE notice SET read_at = ?3 WHERE account = ?1"
			    " AND thread = ?2 AND read_at IS NULL");

	db_bind_text(up, 2, thread);
	return mark_read(tx, up, account);
}

enum err
notice_read_all(struct store_tx *tx, int64_t account, int64_t upto)
{
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE notice SET read_at = ?3 WHERE account = ?1"
			    " AND read_at IS NULL AND id <= ?2");

	db_bind_int(up, 2, upto);
	return mark_read(tx, up, account);
}

enum err
notice_awaited(struct db *db, int64_t account, int64_t *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT count(*) FROM tutor_message"
			" WHERE account = ?1 AND state = 'waiting'");

	db_bind_int(q, 1, account);
	return db_scalar(q, out);
}

enum err
notice_touch(struct store_tx *tx, int64_t account)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE account SET notice_rev = notice_rev + 1 WHERE id = ?1");

	db_bind_int(up, 1, account);
	return db_run(up);
}

const char *
notice_kind_name(enum notice_kind k)
{
	return kind_names[k];
}

enum err
notice_kind_parse(struct str s, enum notice_kind *out)
{
	size_t i = str_index(s, kind_names, NOTICE__MAX);

	if (i == NOTICE__MAX)
		return ERR_INVALID;
	*out = (enum notice_kind)i;
	return ERR_OK;
}

/* groups has to last until the statement is done. */
static void
bind_reader(
    struct db_stmt *q, const struct voter *who, char groups[ACCOUNT_GROUPS])
{
	account_groups(who, groups);
	db_bind_int(q, 1, who->account);
	db_bind_int(q, 8, who->teacher);
	db_bind_z(q, 9, groups);
}

/* A busy thread stops telling who does not look: fifty say enough. */
static enum err
thread_is_full(struct db *db, int64_t account, struct text thread, bool *full)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT count(*) >= ?3 FROM (SELECT 1 FROM notice"
	    " WHERE account = ?1 AND thread = ?2 AND read_at IS NULL"
	    " LIMIT ?3)");
	int64_t is_full;
	enum err e;

	db_bind_int(q, 1, account);
	db_bind_text(q, 2, thread);
	db_bind_int(q, 3, NOTICE_THREAD_MAX);
	if ((e = db_scalar(q, &is_full)) == ERR_OK)
		*full = is_full != 0;
	return e;
}

/* One try is like the other: the newest takes the place of those before. */
static enum err
forget_tests(struct store_tx *tx, int64_t account)
{
	struct db_stmt *del =
	    db_stmt(tx->db, "DELETE FROM notice WHERE account = ?1"
			    " AND thread = 'test' AND kind = 'test'");
	enum err e;

	db_bind_int(del, 1, account);
	e = db_run(del);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	return recount(tx, account);
}

static enum err
insert(struct store_tx *tx, const struct notice_new *n)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT OR IGNORE INTO notice(account, kind, event, thread, url,"
	    " title, who, made_at) SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8"
	    " FROM account WHERE id = ?1 AND kind <> 'erased'");

	db_bind_int(put, 1, n->account);
	db_bind_z(put, 2, kind_names[n->kind]);
	db_bind_text(put, 3, n->event);
	db_bind_text(put, 4, n->thread);
	db_bind_text(put, 5, n->url);
	db_bind_text(put, 6, n->title.p != NULL ? n->title : TEXT(""));
	db_bind_text(put, 7, n->who.p != NULL ? n->who : TEXT(""));
	db_bind_int(put, 8, tx->now);
	return db_run(put);
}

/* Now and then the oldest go, so that nobody's list grows for ever. */
static enum err
purge(struct store_tx *tx, int64_t account, int64_t id)
{
	struct db_stmt *del;
	enum err e;

	if (id % PURGE_EVERY != 0)
		return ERR_OK;
	del = db_stmt(tx->db,
	    "DELETE FROM notice WHERE account = ?1 AND id <= (SELECT id"
	    " FROM notice WHERE account = ?1 ORDER BY id DESC"
	    " LIMIT 1 OFFSET ?2)");
	db_bind_int(del, 1, account);
	db_bind_int(del, 2, NOTICE_KEPT);
	e = db_run(del);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	/* This one is not counted yet: notice_put adds it. */
	del = db_stmt(tx->db,
	    "UPDATE account SET unread = (SELECT count(*) FROM notice"
	    " WHERE account = ?1 AND read_at IS NULL AND id <> ?2)"
	    " WHERE id = ?1");
	db_bind_int(del, 1, account);
	db_bind_int(del, 2, id);
	return db_run(del);
}

/* Run up, which says which notices of account (?1) are read now (?3). */
static enum err
mark_read(struct store_tx *tx, struct db_stmt *up, int64_t account)
{
	enum err e;

	db_bind_int(up, 1, account);
	db_bind_int(up, 3, tx->now);
	e = db_run(up);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	return recount(tx, account);
}

static enum err
recount(struct store_tx *tx, int64_t account)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE account SET unread = (SELECT count(*) FROM notice"
	    " WHERE account = ?1 AND read_at IS NULL),"
	    " notice_rev = notice_rev + 1 WHERE id = ?1");

	db_bind_int(up, 1, account);
	return db_run(up);
}

static enum err
read_rows(struct db_stmt *q, struct pool *pool, struct rows *rows)
{
	enum err e;

	rows_init(rows, pool, sizeof(struct notice));
	while ((e = db_row(q)) == ERR_OK) {
		struct notice *n = rows_add(rows);

		if (n == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_notice(q, pool, n);
	}
	if (e != ERR_NOTFOUND)
		return e;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

static void
read_notice(struct db_stmt *q, struct pool *pool, struct notice *out)
{
	*out = (struct notice){ .id = db_int(q, 0), .kind = NOTICE_OTHER };
	/* The column's CHECK holds. */
	(void)!notice_kind_parse(db_str(q, 1, NULL), &out->kind);
	out->thread = db_text(q, 2, pool);
	out->url = db_text(q, 3, pool);
	out->title = db_text(q, 4, pool);
	out->who = db_text(q, 5, pool);
	out->made_at = db_int(q, 6);
	out->unread = db_int(q, 7) != 0;
}
