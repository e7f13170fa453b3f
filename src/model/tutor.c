/* This file knows how to keep questions to the AI TA, and to show them. */
#include "config.h"

#include "model/tutor.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/activity.h"
#include "model/job.h"
#include "model/notice.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define MESSAGE_TOP 3 /* headings in a message start at h3 */

/* What read_thread reads. */
#define SELECT_THREAD                                                          \
	"SELECT t.id, t.last_message, t.token, t.title, r.slug, r.title,"      \
	" t.made_at, coalesce(m.replied_at, m.asked_at), m.state, u.setup"     \
	" FROM tutor_thread t JOIN activity r ON r.id = t.activity"            \
	" LEFT JOIN activity_tutor u ON u.activity = t.activity"               \
	" JOIN tutor_message m ON m.id = t.last_message"

struct place { /* where a question goes */
	int64_t thread, number, activity;
	bool waiting;
};

static enum err find_again(
    struct store_tx *tx, struct tutor_question *q, bool *found);
static enum err find_room(
    struct store_tx *tx, const struct tutor_question *q, struct place *p);
static enum err find_thread(
    struct store_tx *tx, struct tutor_question *q, struct place *p);
static enum err check_limit(
    struct store_tx *tx, const struct tutor_question *q, int64_t activity);
static enum err insert_thread(
    struct store_tx *tx, struct tutor_question *q, struct place *p);
static enum err insert_question(struct store_tx *tx, struct tutor_question *q,
    const struct place *p, int64_t *id);
static void keep_token(struct tutor_question *q, struct str token);
static void read_thread(
    struct db_stmt *q, struct pool *pool, struct tutor_thread *out);
static void read_message(
    struct db_stmt *q, struct pool *pool, struct tutor_message *out);
static enum tutor_fault fault_of(struct str why);
static double real_or_nan(struct db_stmt *q, int col);

enum err
tutor_rooms(struct db *db, struct pool *pool, const struct voter *who,
    int64_t now, const struct tutor_room **out, size_t *n)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT r.id, r.slug, r.title, u.per_day, r.grp, (SELECT count(*)"
	    " FROM tutor_message m JOIN tutor_thread t ON t.id = m.thread"
	    " WHERE m.account = ?1 AND m.asked_at >= ?2 AND m.asked_at <= ?3"
	    " AND t.activity = r.id)"
	    " FROM activity_tutor u JOIN activity r ON r.id = u.activity"
	    " WHERE r.retired = 0 ORDER BY r.id");
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct tutor_room));
	db_bind_int(q, 1, who->account);
	db_bind_int(q, 2, clock_day_start(now));
	db_bind_int(q, 3, now); /* a clock set back blocks nobody */
	while ((e = db_row(q)) == ERR_OK) {
		struct activity a = { .group = db_text(q, 4, pool) };
		struct tutor_room *r;

		if (!activity_is_for(&a, who))
			continue;
		if ((r = rows_add(&rows)) == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		r->id = db_int(q, 0);
		r->slug = db_text(q, 1, pool);
		r->title = db_text(q, 2, pool);
		r->per_day = db_int(q, 3);
		r->asked = db_int(q, 5);
	}
	if (e != ERR_NOTFOUND)
		return e;
	*out = rows.p;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
tutor_exists(struct db *db, bool *out)
{
	struct db_stmt *q = db_stmt(db, "SELECT 1 FROM activity_tutor LIMIT 1");

	return db_exists(q, out);
}

enum err
tutor_list(struct db *db, struct pool *pool, int64_t account, int64_t before,
    int64_t limit, struct tutor_threads *out)
{
	struct db_stmt *q = db_stmt(db,
	    SELECT_THREAD " WHERE t.account = ?1 AND t.last_message < ?2"
			  " ORDER BY t.last_message DESC LIMIT ?3");
	struct tutor_threads list = { 0 };
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct tutor_thread));
	db_bind_int(q, 1, account);
	db_bind_int(q, 2, before > 0 ? before : INT64_MAX);
	db_bind_int(q, 3, limit + 1); /* one more tells of a next page */
	while ((e = db_row(q)) == ERR_OK) {
		struct tutor_thread *t = rows_add(&rows);

		if (t == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_thread(q, pool, t);
	}
	if (e != ERR_NOTFOUND)
		return e;
	list.rows = rows.p;
	list.n = rows.n;
	if ((int64_t)rows.n > limit) {
		list.n--;
		list.older = list.rows[list.n - 1].key;
	}
	*out = list;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
tutor_load(struct db *db, struct pool *pool, int64_t account, struct text token,
    struct tutor_thread *out)
{
	struct db_stmt *q =
	    db_stmt(db, SELECT_THREAD " WHERE t.token = ?1 AND t.account = ?2");
	enum err e;

	db_bind_text(q, 1, token);
	db_bind_int(q, 2, account);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	read_thread(q, pool, out);
	db_done(q);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
tutor_messages(struct db *db, struct pool *pool, int64_t thread, int64_t before,
    int64_t limit, const struct tutor_message **out, size_t *n)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT m.id, m.number, m.asked_at, m.replied_at, m.question_html,"
	    " m.html, m.state, m.delayed, m.truncated, m.dropped, m.rating,"
	    " m.model, p.slug, p.title, v.number, m.elo, m.lower, m.upper,"
	    " m.order_free, m.why"
	    " FROM tutor_message m LEFT JOIN version v ON v.id = m.version"
	    " LEFT JOIN prompt p ON p.id = v.prompt"
	    " WHERE m.thread = ?1 AND m.number < ?2"
	    " ORDER BY m.number DESC LIMIT ?3");
	struct tutor_message *all;
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct tutor_message));
	db_bind_int(q, 1, thread);
	db_bind_int(q, 2, before > 0 ? before : INT64_MAX);
	db_bind_int(q, 3, limit);
	while ((e = db_row(q)) == ERR_OK) {
		struct tutor_message *m = rows_add(&rows);

		if (m == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_message(q, pool, m);
	}
	if (e != ERR_NOTFOUND)
		return e;
	all = rows.p;
	for (size_t i = 0; i < rows.n / 2; i++) {
		struct tutor_message m = all[i];

		all[i] = all[rows.n - 1 - i];
		all[rows.n - 1 - i] = m;
	}
	*out = all;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
tutor_render(struct pool *pool, struct text source, struct markup *out)
{
	return markdown_render(pool, source, MESSAGE_TOP, out, NULL);
}

enum err
tutor_ask(struct store_tx *tx, struct tutor_question *q)
{
	struct job_order order = { .kind = JOB_TUTOR,
		.priority = JOB_ASKED,
		.account = q->who.account };
	struct place p = { 0 };
	bool found;
	enum err e;

	if ((e = find_again(tx, q, &found)) != ERR_OK || found)
		return e;
	e = q->thread.p != NULL ? find_thread(tx, q, &p) : find_room(tx, q, &p);
	if (e != ERR_OK)
		return e;
	if (p.waiting)
		return ERR_CONFLICT;
	if ((e = check_limit(tx, q, p.activity)) != ERR_OK)
		return e;
	if (p.thread == 0 && (e = insert_thread(tx, q, &p)) != ERR_OK)
		return e;
	if ((e = insert_question(tx, q, &p, &order.ref)) != ERR_OK ||
	    (e = job_enqueue(tx, q->conf, &order)) != ERR_OK)
		return e;
	return notice_touch(tx, q->who.account);
}

enum err
tutor_rate(struct store_tx *tx, int64_t account, int64_t thread, int64_t number,
    enum tutor_rating rating)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE tutor_message SET rating = ?4 WHERE thread = ?2"
	    " AND number = ?3 AND account = ?1 AND state = 'ok'");
	enum err e;

	db_bind_int(up, 1, account);
	db_bind_int(up, 2, thread);
	db_bind_int(up, 3, number);
	db_bind_z(up, 4,
	    rating == TUTOR_UP     ? "up"
	    : rating == TUTOR_DOWN ? "down"
				   : NULL);
	e = db_run(up);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		e = ERR_NOTFOUND;
	return e;
}

static enum err
find_again(struct store_tx *tx, struct tutor_question *q, bool *found)
{
	struct db_stmt *st =
	    db_stmt(tx->db, "SELECT m.number, t.token FROM tutor_message m"
			    " JOIN tutor_thread t ON t.id = m.thread"
			    " WHERE m.account = ?1 AND m.form = ?2");
	enum err e;

	db_bind_int(st, 1, q->who.account);
	db_bind_text(st, 2, q->form);
	e = db_row(st);
	*found = e == ERR_OK;
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	q->number = db_int(st, 0);
	keep_token(q, db_str(st, 1, NULL));
	db_done(st);
	return ERR_OK;
}

static enum err
find_room(struct store_tx *tx, const struct tutor_question *q, struct place *p)
{
	struct db_stmt *st =
	    db_stmt(tx->db, "SELECT r.id, r.grp FROM activity r"
			    " JOIN activity_tutor u ON u.activity = r.id"
			    " WHERE r.slug = ?1 AND r.retired = 0");
	struct activity a = { 0 };
	bool may;
	enum err e;

	db_bind_text(st, 1, q->room);
	if ((e = db_row(st)) != ERR_OK)
		return e;
	p->activity = db_int(st, 0);
	p->number = 1;
	a.group = db_text(st, 1, NULL);
	may = activity_is_for(&a, &q->who);
	db_done(st);
	return may ? ERR_OK : ERR_NOTFOUND;
}

static enum err
find_thread(struct store_tx *tx, struct tutor_question *q, struct place *p)
{
	struct db_stmt *st = db_stmt(tx->db,
	    "SELECT t.id, m.number + 1, t.activity, m.state = 'waiting',"
	    " t.token FROM tutor_thread t"
	    " JOIN tutor_message m ON m.id = t.last_message"
	    " JOIN activity_tutor u ON u.activity = t.activity"
	    " JOIN activity r ON r.id = t.activity AND r.retired = 0"
	    " WHERE t.token = ?1 AND t.account = ?2");
	enum err e;

	db_bind_text(st, 1, q->thread);
	db_bind_int(st, 2, q->who.account);
	if ((e = db_row(st)) != ERR_OK)
		return e;
	*p = (struct place){ db_int(st, 0), db_int(st, 1), db_int(st, 2),
		db_int(st, 3) != 0 };
	keep_token(q, db_str(st, 4, NULL));
	db_done(st);
	return ERR_OK;
}

static enum err
check_limit(
    struct store_tx *tx, const struct tutor_question *q, int64_t activity)
{
	struct db_stmt *st = db_stmt(tx->db,
	    "SELECT u.per_day > 0 AND (SELECT count(*) FROM tutor_message m"
	    " JOIN tutor_thread t ON t.id = m.thread WHERE m.account = ?2"
	    " AND m.asked_at >= ?3 AND m.asked_at <= ?4"
	    " AND t.activity = ?1) >= u.per_day"
	    " FROM activity_tutor u WHERE u.activity = ?1");
	int64_t over;
	enum err e;

	db_bind_int(st, 1, activity);
	db_bind_int(st, 2, q->who.account);
	db_bind_int(st, 3, clock_day_start(tx->now));
	db_bind_int(st, 4, tx->now);
	if ((e = db_scalar(st, &over)) != ERR_OK)
		return e;
	return over != 0 ? ERR_LIMIT : ERR_OK;
}

static enum err
insert_thread(struct store_tx *tx, struct tutor_question *q, struct place *p)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO tutor_thread(token, account, activity, title,"
	    " made_at) VALUES(?1, ?2, ?3, ?4, ?5)");
	struct pool *pool = pool_open(4096);
	struct text title;
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	title = markdown_lead(pool, q->html, TUTOR_TITLE_CHARS, true);
	if (title.n == 0) /* a rule, or a table without words */
		title = TEXT("\xe2\x80\xa6");
	rng_token(q->token);
	db_bind_z(put, 1, q->token);
	db_bind_int(put, 2, q->who.account);
	db_bind_int(put, 3, p->activity);
	db_bind_text(put, 4, title);
	db_bind_int(put, 5, tx->now);
	if ((e = db_run(put)) == ERR_OK)
		p->thread = db_last_id(tx->db);
	pool_close(pool);
	return e;
}

static enum err
insert_question(struct store_tx *tx, struct tutor_question *q,
    const struct place *p, int64_t *id)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO tutor_message(thread, account, number, asked_at,"
	    " question, question_html, form, state, renderer)"
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 'waiting', ?8)");
	enum err e;

	db_bind_int(put, 1, p->thread);
	db_bind_int(put, 2, q->who.account);
	db_bind_int(put, 3, p->number);
	db_bind_int(put, 4, tx->now);
	db_bind_text(put, 5, q->text);
	db_bind_str(put, 6, (struct str){ q->html.p, q->html.n });
	db_bind_text(put, 7, q->form);
	db_bind_int(put, 8, MARKDOWN_VERSION);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	*id = db_last_id(tx->db);
	q->number = p->number;
	put = db_stmt(
	    tx->db, "UPDATE tutor_thread SET last_message = ?2 WHERE id = ?1");
	db_bind_int(put, 1, p->thread);
	db_bind_int(put, 2, *id);
	return db_run(put);
}

static void
keep_token(struct tutor_question *q, struct str token)
{
	if (token.n >= sizeof(q->token))
		return;
	memcpy(q->token, token.p, token.n);
	q->token[token.n] = '\0';
}

static void
read_thread(struct db_stmt *q, struct pool *pool, struct tutor_thread *out)
{
	struct str state = db_str(q, 8, NULL);

	*out = (struct tutor_thread){ .id = db_int(q, 0),
		.key = db_int(q, 1),
		.waiting = str_is(state, "waiting"),
		.failed = str_is(state, "failed") };
	out->token = db_text(q, 2, pool);
	out->title = db_text(q, 3, pool);
	out->room = db_text(q, 4, pool);
	out->room_title = db_text(q, 5, pool);
	out->made_at = db_int(q, 6);
	out->last_at = db_int(q, 7);
	out->setup = db_text(q, 9, pool);
}

static void
read_message(struct db_stmt *q, struct pool *pool, struct tutor_message *out)
{
	struct str state = db_str(q, 6, pool), rating = db_str(q, 10, pool);

	*out = (struct tutor_message){ .id = db_int(q, 0),
		.number = db_int(q, 1),
		.asked_at = db_int(q, 2),
		.replied_at = db_int(q, 3),
		.delayed = db_int(q, 7) != 0,
		.truncated = db_int(q, 8) != 0,
		.dropped = db_int(q, 9),
		.version = db_int(q, 14),
		.elo = real_or_nan(q, 15),
		.lower = real_or_nan(q, 16),
		.upper = real_or_nan(q, 17),
		.order_free = real_or_nan(q, 18) };
	out->question = markup_stored(db_text(q, 4, pool));
	out->reply = markup_stored(db_text(q, 5, pool));
	out->state = str_is(state, "ok")       ? TUTOR_OK
		     : str_is(state, "failed") ? TUTOR_FAILED
					       : TUTOR_WAITING;
	if (out->state == TUTOR_FAILED)
		out->fault = fault_of(db_str(q, 19, NULL));
	out->rating = str_is(rating, "up")     ? TUTOR_UP
		      : str_is(rating, "down") ? TUTOR_DOWN
					       : TUTOR_UNRATED;
	out->model = db_text(q, 11, pool);
	out->slug = db_text(q, 12, pool);
	out->prompt = db_text(q, 13, pool);
}

/* By the name of what went wrong (llm_why_name). */
static enum tutor_fault
fault_of(struct str why)
{
	static const char *const refused[] = { "answer-refused",
		"prompt-refused", "request", "context" };
	static const char *const emptied[] = { "no-text", "reasoning", "tools",
		"bytes", "repetition" };
	const size_t size = sizeof(refused[0]);

	if (str_index(why, refused, sizeof(refused) / size) <
	    sizeof(refused) / size)
		return TUTOR_REFUSED;
	if (str_index(why, emptied, sizeof(emptied) / size) <
	    sizeof(emptied) / size)
		return TUTOR_EMPTIED;
	return TUTOR_SERVER;
}

static double
real_or_nan(struct db_stmt *q, int col)
{
	return db_is_null(q, col) ? NAN : db_real(q, col);
}
