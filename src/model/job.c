/* This file knows how to keep the queue of work for model servers, and its
 * money. */
#include "config.h"

#include "model/job.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "model/conf.h"
#include "model/job_parts.h"
#include "model/llm.h"
#include "model/store.h"
#include "port/db.h"

#define DONE_KEPT_S (30 * 86400)
#define SCOPE_MAX 96
#define DUST 1e-9 /* sums of decimals do not meet exactly */

static const char *const kind_names[JOB__MAX] = {
	[JOB_ANSWER] = "answer",
	[JOB_TUTOR] = "tutor",
};

static enum err find(struct db *db, enum job_kind kind, int64_t ref,
    int64_t *id, bool *queued, bool *failed, int64_t *priority);
static enum err check_room(
    struct store_tx *tx, const struct conf *conf, const struct job_order *o);
static enum err requeue(
    struct store_tx *tx, int64_t id, const struct job_order *o);
static enum err insert(struct store_tx *tx, const struct job_order *o);
static enum err reserve(
    struct store_tx *tx, const struct job_claim *c, int64_t day);
static enum err settle(struct store_tx *tx, int64_t id, double cost);
static void scope_of_endpoint(struct text endpoint, char out[SCOPE_MAX]);
static void scope_of_account(int64_t account, char out[SCOPE_MAX]);
static enum job_kind read_kind(struct db_stmt *q, int col);

const char *
job_kind_name(enum job_kind k)
{
	return kind_names[k];
}

enum job_verdict
job_verdict_of(const struct llm_answer *a)
{
	switch (a->class) {
	case LLM_OK:
	case LLM_OK_TRUNC:
		return JOB_DONE;
	case LLM_EMPTY:
	case LLM_INCOMPLETE:
	case LLM_TRANSIENT:
		return JOB_RETRY;
	case LLM_LIMIT:
		/* Waited too long for a slot, or was cancelled: not its
		 * fault.  Too long or repetitive: asking again is fair. */
		return JOB_RETRY;
	default:
		return JOB_FAILED;
	}
}

enum err
job_enqueue(
    struct store_tx *tx, const struct conf *conf, const struct job_order *o)
{
	int64_t id, priority;
	bool queued, failed;
	struct db_stmt *up;
	enum err e =
	    find(tx->db, o->kind, o->ref, &id, &queued, &failed, &priority);

	if (e == ERR_NOTFOUND) {
		e = check_room(tx, conf, o);
		return e == ERR_OK ? insert(tx, o) : e;
	}
	if (e != ERR_OK)
		return e;
	if (failed) {
		e = check_room(tx, conf, o);
		return e == ERR_OK ? requeue(tx, id, o) : e;
	}
	if (!queued || priority >= (int64_t)o->priority)
		return ERR_OK;
	/* Somebody waits now for what was to be stock. */
	up = db_stmt(tx->db,
	    "UPDATE job SET priority = ?2, not_before = 0,"
	    " account = coalesce(account, ?3), made_at = ?4 WHERE id = ?1");
	db_bind_int(up, 1, id);
	db_bind_int(up, 2, o->priority);
	if (o->account != 0)
		db_bind_int(up, 3, o->account);
	db_bind_int(up, 4, tx->now);
	return db_run(up);
}

enum err
job_renew(struct store_tx *tx)
{
	return db_run(
	    db_stmt(tx->db, "UPDATE job SET not_before = 0"
			    " WHERE state = 'queued' AND not_before > 0"));
}

enum err
job_cancel(struct store_tx *tx, enum job_kind kind, int64_t ref)
{
	struct db_stmt *st = db_stmt(tx->db,
	    "DELETE FROM job"
	    " WHERE kind = ?1 AND ref = ?2 AND state = 'queued'");

	db_bind_z(st, 1, kind_names[kind]);
	db_bind_int(st, 2, ref);
	return db_run(st);
}

enum err
job_look(struct db *db, enum job_kind kind, int64_t ref, struct job_state *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT state = 'done', state = 'failed', state = 'running',"
	    " attempts, made_at, CASE state WHEN 'queued' THEN " JOBS_BEFORE_J
	    " ELSE 0 END"
	    " FROM job j WHERE kind = ?1 AND ref = ?2");
	enum err e;

	db_bind_z(q, 1, kind_names[kind]);
	db_bind_int(q, 2, ref);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*out = (struct job_state){ .done = db_int(q, 0) != 0,
		.failed = db_int(q, 1) != 0,
		.running = db_int(q, 2) != 0,
		.attempts = db_int(q, 3),
		.made_at = db_int(q, 4),
		.ahead = db_int(q, 5) };
	db_done(q);
	return ERR_OK;
}

enum err
job_due(struct db *db, int64_t now, struct job_row *rows, size_t max, size_t *n)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, kind, ref, coalesce(account, 0), attempts, charges,"
	    " made_at, priority, delays FROM job j WHERE state = 'queued'"
	    " AND (not_before <= ?1 OR not_before > ?1 + ?2)"
	    " ORDER BY priority DESC, " JOB_SINCE("j") ", id LIMIT ?3");
	enum err e;

	db_bind_int(q, 1, now);
	db_bind_int(q, 2, JOB_WAIT_MAX);
	db_bind_int(q, 3, (int64_t)max);
	*n = 0;
	while ((e = db_row(q)) == ERR_OK) {
		rows[(*n)++] = (struct job_row){ .id = db_int(q, 0),
			.kind = read_kind(q, 1),
			.ref = db_int(q, 2),
			.account = db_int(q, 3),
			.attempts = db_int(q, 4),
			.charges = db_int(q, 5),
			.made_at = db_int(q, 6),
			.priority = db_int(q, 7),
			.delays = db_int(q, 8) };
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

enum err
job_next_wait(struct db *db, int64_t now, int64_t *seconds)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT min(not_before) FROM job"
			" WHERE state = 'queued' AND not_before > ?1");
	enum err e;

	db_bind_int(q, 1, now);
	e = db_row(q);
	*seconds = -1;
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_OK : e;
	if (!db_is_null(q, 0))
		*seconds = db_int(q, 0) - now;
	db_done(q);
	return ERR_OK;
}

enum err
job_claim(struct store_tx *tx, const struct job_claim *c)
{
	int64_t day = clock_day_start(tx->now);
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE job SET state = 'running', attempts = attempts + 1,"
	    " charges = charges + 1, holder = ?2, lease_until = ?3,"
	    " endpoint = ?4, reserved = ?5, day = ?6, error = NULL"
	    " WHERE id = ?1 AND state = 'queued'");
	enum err e;

	db_bind_int(up, 1, c->job->id);
	db_bind_z(up, 2, c->holder);
	db_bind_int(up, 3, tx->now + c->lease_s);
	db_bind_text(up, 4, c->endpoint);
	db_bind_real(up, 5, c->cost);
	db_bind_int(up, 6, day);
	e = db_run(up);
	if (e != ERR_OK)
		return e;
	if (db_changes(tx->db) == 0)
		return ERR_CONFLICT;
	return reserve(tx, c, day);
}

enum err
job_finish(struct store_tx *tx, const struct job_end *end)
{
	static const char *const states[] = {
		[JOB_DONE] = "done",
		[JOB_RETRY] = "queued",
		[JOB_FAILED] = "failed",
		[JOB_LATER] = "queued",
	};
	bool again = end->verdict == JOB_RETRY || end->verdict == JOB_LATER;
	struct db_stmt *up;
	enum err e = ERR_OK;

	if (end->asked)
		e = settle(tx, end->id, end->free ? 0.0 : end->cost);
	if (e != ERR_OK)
		return e;
	up = db_stmt(tx->db,
	    "UPDATE job SET state = ?2, attempts = attempts - ?3,"
	    " charges = charges - ?4, not_before = ?5, error = ?6,"
	    " holder = NULL, lease_until = NULL, reserved = 0, done_at = ?7,"
	    " delays = delays + ?8 WHERE id = ?1");
	db_bind_int(up, 1, end->id);
	db_bind_z(up, 2, states[end->verdict]);
	db_bind_int(up, 3, end->asked && end->uncounted);
	db_bind_int(up, 4, end->asked && end->free);
	db_bind_int(up, 5, again ? tx->now + end->wait_s : 0);
	db_bind_text(up, 6, end->error);
	if (!again)
		db_bind_int(up, 7, tx->now);
	db_bind_int(up, 8, again && end->failed);
	return db_run(up);
}

int64_t
job_delay(int64_t delays, int64_t delay_ms, int64_t cap_ms, double u)
{
	while (delays-- > 0 && delay_ms < cap_ms)
		delay_ms *= 2;
	if (delay_ms > cap_ms)
		delay_ms = cap_ms;
	return ((int64_t)((double)delay_ms * (1 - u / 4)) + 999) / 1000;
}

enum err
job_recover(struct store_tx *tx, const char *holder, struct job_row *spent,
    size_t max, size_t *n)
{
	struct db_stmt *st = db_stmt(tx->db,
	    "UPDATE spend SET spent = spent + reserved, reserved = 0"
	    " WHERE reserved <> 0 AND NOT EXISTS (SELECT 1 FROM job"
	    " WHERE state = 'running' AND holder = ?1)");
	enum err e;

	db_bind_z(st, 1, holder);
	e = db_run(st);
	if (e != ERR_OK)
		return e;
	st = db_stmt(tx->db,
	    "UPDATE job SET state = 'queued', not_before = 0, holder = NULL,"
	    " lease_until = NULL, reserved = 0"
	    " WHERE state = 'running' AND holder IS NOT ?1");
	db_bind_z(st, 1, holder);
	e = db_run(st);
	if (e != ERR_OK)
		return e;
	st = db_stmt(tx->db, "DELETE FROM job WHERE state = 'done'"
			     " AND done_at < ?1");
	db_bind_int(st, 1, tx->now - DONE_KEPT_S);
	e = db_run(st);
	if (e != ERR_OK)
		return e;
	st = db_stmt(tx->db,
	    "SELECT id, kind, ref FROM job"
	    " WHERE state = 'queued' AND (attempts >= ?1 OR charges >= ?2)"
	    " LIMIT ?3");
	db_bind_int(st, 1, JOB_ATTEMPTS);
	db_bind_int(st, 2, JOB_CHARGES);
	db_bind_int(st, 3, (int64_t)max);
	*n = 0;
	while ((e = db_row(st)) == ERR_OK)
		spent[(*n)++] = (struct job_row){ .id = db_int(st, 0),
			.kind = read_kind(st, 1),
			.ref = db_int(st, 2) };
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

enum err
job_numbers_load(struct db *db, struct job_numbers *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT kind, state, count(*), sum(priority >= ?1),"
			" min(CASE WHEN priority > 0 THEN made_at END) FROM job"
			" WHERE state <> 'done' GROUP BY kind, state");
	enum err e;

	*out = (struct job_numbers){ 0 };
	db_bind_int(q, 1, JOB_AWAITED);
	while ((e = db_row(q)) == ERR_OK) {
		enum job_kind kind = read_kind(q, 0);
		struct str state = db_str(q, 1, NULL);
		int64_t n = db_int(q, 2), oldest = db_int(q, 4);

		if (str_is(state, "failed")) {
			out->failed[kind] = n;
			continue;
		}
		out->awaited += db_int(q, 3);
		if (str_is(state, "running")) {
			out->running[kind] = n;
			continue;
		}
		out->queued[kind] = n;
		if (oldest != 0 &&
		    (out->oldest_at == 0 || oldest < out->oldest_at))
			out->oldest_at = oldest;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

enum err
job_spend_load(
    struct db *db, struct text endpoint, int64_t now, struct job_spend *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT reserved, spent, calls"
			" FROM spend WHERE scope = ?1 AND day = ?2");
	char scope[SCOPE_MAX];
	enum err e;

	scope_of_endpoint(endpoint, scope);
	db_bind_z(q, 1, scope);
	db_bind_int(q, 2, clock_day_start(now));
	e = db_row(q);
	*out = (struct job_spend){ 0 };
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	*out = (struct job_spend){ db_real(q, 0), db_real(q, 1), db_int(q, 2) };
	db_done(q);
	return ERR_OK;
}

static enum err
find(struct db *db, enum job_kind kind, int64_t ref, int64_t *id, bool *queued,
    bool *failed, int64_t *priority)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, state = 'queued', state = 'failed', priority"
	    " FROM job WHERE kind = ?1 AND ref = ?2");
	enum err e;

	db_bind_z(q, 1, kind_names[kind]);
	db_bind_int(q, 2, ref);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*id = db_int(q, 0);
	*queued = db_int(q, 1) != 0;
	*failed = db_int(q, 2) != 0;
	*priority = db_int(q, 3);
	db_done(q);
	return ERR_OK;
}

/* People and stock have a queue of that length each. */
static enum err
check_room(
    struct store_tx *tx, const struct conf *conf, const struct job_order *o)
{
	struct db_stmt *q =
	    db_stmt(tx->db, "SELECT count(*) FROM job WHERE state = 'queued'"
			    " AND (priority > 0) = ?1");
	int64_t n;
	enum err e;

	db_bind_int(q, 1, o->priority > JOB_IDLE);
	e = db_scalar(q, &n);
	if (e != ERR_OK)
		return e;
	if (n >= conf->jobs_queue)
		return ERR_LIMIT;
	if (o->account == 0 || conf->jobs_per_person == 0)
		return ERR_OK;
	q = db_stmt(tx->db, "SELECT count(*) FROM job"
			    " WHERE account = ?1 AND made_at >= ?2");
	db_bind_int(q, 1, o->account);
	db_bind_int(q, 2, clock_day_start(tx->now));
	e = db_scalar(q, &n);
	if (e != ERR_OK)
		return e;
	return n >= conf->jobs_per_person ? ERR_LIMIT : ERR_OK;
}

static enum err
requeue(struct store_tx *tx, int64_t id, const struct job_order *o)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE job SET state = 'queued', priority = ?2, account = ?3,"
	    " attempts = 0, charges = 0, delays = 0, not_before = 0,"
	    " error = NULL,"
	    " made_at = ?4, done_at = NULL WHERE id = ?1");

	db_bind_int(up, 1, id);
	db_bind_int(up, 2, o->priority);
	if (o->account != 0)
		db_bind_int(up, 3, o->account);
	db_bind_int(up, 4, tx->now);
	return db_run(up);
}

static enum err
insert(struct store_tx *tx, const struct job_order *o)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO job(kind, ref, state, priority, account, made_at)"
	    " VALUES(?1, ?2, 'queued', ?3, ?4, ?5)");

	db_bind_z(put, 1, kind_names[o->kind]);
	db_bind_int(put, 2, o->ref);
	db_bind_int(put, 3, o->priority);
	if (o->account != 0)
		db_bind_int(put, 4, o->account);
	db_bind_int(put, 5, tx->now);
	return db_run(put);
}

/* Of the endpoint's money and the person's, both or neither. */
static enum err
reserve(struct store_tx *tx, const struct job_claim *c, int64_t day)
{
	char endpoint[SCOPE_MAX], account[SCOPE_MAX];
	struct db_stmt *st =
	    db_stmt(tx->db, "INSERT OR IGNORE INTO spend(scope, day)"
			    " VALUES(?1, ?3), (?2, ?3)");
	enum err e;

	scope_of_endpoint(c->endpoint, endpoint);
	scope_of_account(c->job->account, account);
	db_bind_z(st, 1, endpoint);
	db_bind_z(st, 2, account);
	db_bind_int(st, 3, day);
	e = db_run(st);
	if (e != ERR_OK)
		return e;
	st = db_stmt(tx->db,
	    "UPDATE spend SET reserved = reserved + ?4, calls = calls + 1"
	    " WHERE day = ?3 AND scope IN (?1, ?2) AND NOT EXISTS"
	    " (SELECT 1 FROM spend s WHERE s.day = ?3 AND"
	    " ((s.scope = ?1 AND ?5 >= 0"
	    " AND s.reserved + s.spent + ?4 > ?5 + ?7) OR"
	    " (s.scope = ?2 AND ?6 >= 0"
	    " AND s.reserved + s.spent + ?4 > ?6 + ?7)))");
	db_bind_z(st, 1, endpoint);
	db_bind_z(st, 2, account);
	db_bind_int(st, 3, day);
	db_bind_real(st, 4, c->cost);
	db_bind_real(st, 5, c->endpoint_budget);
	db_bind_real(st, 6, c->job->account == 0 ? -1.0 : c->account_budget);
	db_bind_real(st, 7, DUST);
	e = db_run(st);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		return ERR_LIMIT;
	return e;
}

/* What was reserved goes, what it cost comes. */
static enum err
settle(struct store_tx *tx, int64_t id, double cost)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT endpoint, coalesce(account, 0), reserved, day FROM job"
	    " WHERE id = ?1 AND endpoint IS NOT NULL AND day IS NOT NULL");
	char endpoint[SCOPE_MAX], account[SCOPE_MAX];
	struct str name;
	double reserved;
	int64_t day;
	enum err e;

	db_bind_int(q, 1, id);
	e = db_row(q);
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_OK : e;
	name = db_str(q, 0, NULL);
	scope_of_endpoint((struct text){ name.p, name.n }, endpoint);
	scope_of_account(db_int(q, 1), account);
	reserved = db_real(q, 2);
	day = db_int(q, 3);
	db_done(q);
	q = db_stmt(tx->db,
	    "UPDATE spend SET reserved = max(0.0, reserved - ?4),"
	    " spent = spent + ?5 WHERE day = ?3 AND scope IN (?1, ?2)");
	db_bind_z(q, 1, endpoint);
	db_bind_z(q, 2, account);
	db_bind_int(q, 3, day);
	db_bind_real(q, 4, reserved);
	db_bind_real(q, 5, cost);
	return db_run(q);
}

static void
scope_of_endpoint(struct text endpoint, char out[SCOPE_MAX])
{
	snprintf(out, SCOPE_MAX, "endpoint %.*s", (int)endpoint.n,
	    endpoint.p == NULL ? "" : endpoint.p);
}

static void
scope_of_account(int64_t account, char out[SCOPE_MAX])
{
	snprintf(out, SCOPE_MAX, "account %lld", (long long)account);
}

static enum job_kind
read_kind(struct db_stmt *q, int col)
{
	size_t i = str_index(db_str(q, col, NULL), kind_names, JOB__MAX);

	return i < JOB__MAX ? (enum job_kind)i : JOB_ANSWER;
}
