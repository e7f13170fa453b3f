/* This file knows how to have a missing answer written, and to judge what came.
 */
#include "config.h"

#include "model/answer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "model/conf.h"
#include "model/leak.h"
#include "model/llm.h"
#include "model/notice.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"
#include "port/markdown.h"

#define HEADING_TOP 3 /* as the catalog's answers */
#define AGAIN_S 3600  /* a failed answer is tried anew after it */
#define SPOILT_MAX 3  /* failed and void samples beside the wanted ones */
#define PROMPT_MAX ((size_t)1 << 20)
#define AWAITED_KEEP_S 600 /* how long a person waits for an absent server */

struct answers {
	struct job_handler handler;
	void (*ready)(void *ctx, bool complete);
	void *ctx;
	struct leak_list *list;
	atomic_bool stale;
	const struct conf *list_conf;
};

/* What digest hands to store. */
struct made {
	struct text text;
	struct markup html;
	struct markdown_stats stats;
	struct text flags, model;
	const char *list_version;
	int64_t tokens_in, tokens_out;
	bool truncated, blocked;
};

/* What an answer is made of. */
struct cell {
	struct text instruction, question, setup_digest, version_digest;
	bool waiting, wanted;
	bool asked; /* the question asks who answers it */
};

static enum err find_free(struct db *db, int64_t now, const struct conf *conf,
    const struct answer_wish *w, int64_t *answer, bool *again);
static enum err insert(
    struct store_tx *tx, const struct answer_wish *w, int64_t *answer);
static enum err prepare(void *ctx, struct job_room *room, struct job_ask *ask);
static enum job_verdict digest(
    void *ctx, struct job_room *room, const struct llm_answer *a, void **data);
static enum err store(void *ctx, struct store_tx *tx, const struct conf *conf,
    int64_t ref, enum job_verdict verdict, const struct llm_answer *a,
    void *data);
static void stored(void *ctx, int64_t ref, enum job_verdict verdict);
static enum err load_cell(
    struct db *db, struct pool *pool, int64_t answer, struct cell *out);
static const struct conf_setup *find_setup(
    const struct conf *conf, struct text digest);
static struct text instruct(struct pool *pool, const struct conf *conf,
    const struct cell *cell, char canary[9]);
static bool judge(struct answers *a, struct job_room *room,
    const struct cell *cell, struct made *m, unsigned llm_flags);
static enum err put_answer(
    struct store_tx *tx, int64_t ref, const struct made *m);
static enum err give_up(struct store_tx *tx, int64_t ref, const struct made *m);
static enum err tell_waiting(struct store_tx *tx, int64_t ref);

enum err
answer_want(struct store_tx *tx, const struct conf *conf,
    const struct answer_wish *w, int64_t *answer)
{
	struct job_order order = { .kind = JOB_ANSWER,
		.priority = w->priority,
		.account = w->account };
	struct db_stmt *up;
	bool again = false;
	enum err e = find_free(tx->db, tx->now, conf, w, answer, &again);

	if (e == ERR_OK && *answer == 0)
		e = insert(tx, w, answer);
	if (e != ERR_OK)
		return e;
	if (again) {
		up = db_stmt(tx->db,
		    "UPDATE answer SET state = 'waiting', made_at = ?2"
		    " WHERE id = ?1");
		db_bind_int(up, 1, *answer);
		db_bind_int(up, 2, tx->now);
		if ((e = db_run(up)) != ERR_OK)
			return e;
	}
	order.ref = *answer;
	return job_enqueue(tx, conf, &order);
}

enum err
answer_room(struct db *db, const struct conf *conf, const struct answer_wish *w)
{
	int64_t answer;
	bool again = false;

	return find_free(db, clock_now(), conf, w, &answer, &again);
}

enum err
answers_open(
    struct answers **out, void (*ready)(void *ctx, bool complete), void *ctx)
{
	struct answers *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return ERR_NOMEM;
	a->handler = (struct job_handler){ .prepare = prepare,
		.digest = digest,
		.store = store,
		.stored = stored,
		.ctx = a,
		.keep_s = AWAITED_KEEP_S };
	a->ready = ready;
	a->ctx = ctx;
	atomic_init(&a->stale, true);
	*out = a;
	return ERR_OK;
}

void
answers_close(struct answers *a)
{
	if (a == NULL)
		return;
	leak_list_close(a->list);
	free(a);
}

const struct job_handler *
answers_handler(struct answers *a)
{
	return &a->handler;
}

void
answers_renew(struct answers *a)
{
	if (a != NULL)
		atomic_store(&a->stale, true);
}

/* *answer 0: none is there, make one. */
static enum err
find_free(struct db *db, int64_t now, const struct conf *conf,
    const struct answer_wish *w, int64_t *answer, bool *again)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, state, made_at FROM answer WHERE version = ?1"
	    " AND setup = ?2 AND question = ?3 AND retired = 0"
	    " ORDER BY sample");
	int64_t good = 0, spoilt = 0, old = 0;
	enum err e;

	db_bind_int(q, 1, w->version);
	db_bind_int(q, 2, w->setup);
	db_bind_int(q, 3, w->question);
	*answer = 0;
	while ((e = db_row(q)) == ERR_OK) {
		struct str state = db_str(q, 1, NULL);

		if (str_is(state, "waiting")) {
			*answer = db_int(q, 0);
			db_done(q);
			return ERR_OK;
		}
		if (str_is(state, "ok")) {
			good++;
			continue;
		}
		spoilt++;
		if (old == 0 && str_is(state, "failed") &&
		    db_int(q, 2) <= now - AGAIN_S)
			old = db_int(q, 0);
	}
	if (e != ERR_NOTFOUND)
		return e;
	if (good >= (conf->samples > 0 ? conf->samples : 1))
		return ERR_NOTFOUND;
	if (old != 0) {
		*answer = old;
		*again = true;
		return ERR_OK;
	}
	return spoilt >= SPOILT_MAX ? ERR_NOTFOUND : ERR_OK;
}

static enum err
insert(struct store_tx *tx, const struct answer_wish *w, int64_t *answer)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO answer(version, setup, question, sample, state,"
	    " source, made_at) SELECT ?1, ?2, ?3,"
	    " (SELECT coalesce(max(sample), 0) + 1 FROM answer"
	    " WHERE version = ?1 AND setup = ?2 AND question = ?3),"
	    " 'waiting', 'model', ?4");
	enum err e;

	db_bind_int(put, 1, w->version);
	db_bind_int(put, 2, w->setup);
	db_bind_int(put, 3, w->question);
	db_bind_int(put, 4, tx->now);
	e = db_run(put);
	if (e == ERR_OK)
		*answer = db_last_id(tx->db);
	return e;
}

/* ---- the handler ---- */

static enum err
prepare(void *ctx, struct job_room *room, struct job_ask *ask)
{
	struct llm_message *m;
	struct cell cell;
	char canary[9];
	enum err e = load_cell(room->db, room->pool, room->ref, &cell);

	(void)ctx;
	if (e != ERR_OK)
		return e;
	if (!cell.waiting || !cell.wanted)
		return ERR_NOTFOUND;
	ask->setup = find_setup(room->conf, cell.setup_digest);
	if (ask->setup == NULL || ask->setup->endpoint.p == NULL)
		return ERR_CONFIG;
	m = pool_array(room->pool, 2, sizeof(*m));
	if (m == NULL)
		return ERR_NOMEM;
	m[0] = (struct llm_message){ LLM_ROLE_SYSTEM,
		instruct(room->pool, room->conf, &cell, canary) };
	m[1] = (struct llm_message){ LLM_ROLE_USER, cell.question };
	ask->messages = m;
	ask->messages_n = 2;
	return pool_failed(room->pool) ? ERR_NOMEM : ERR_OK;
}

static enum job_verdict
digest(
    void *ctx, struct job_room *room, const struct llm_answer *a, void **data)
{
	enum job_verdict verdict = job_verdict_of(a);
	struct answers *answers = ctx;
	struct made *m;
	struct cell cell;

	if (verdict != JOB_DONE)
		return verdict;
	m = pool_alloc(room->pool, sizeof(*m));
	if (m == NULL ||
	    load_cell(room->db, room->pool, room->ref, &cell) != ERR_OK)
		return JOB_FAILED;
	*m = (struct made){ .text = a->text,
		.model = a->model,
		.tokens_in = a->tokens_in,
		.tokens_out = a->tokens_out,
		.truncated = a->class == LLM_OK_TRUNC };
	if (markdown_render(room->pool, m->text, HEADING_TOP, &m->html,
		&m->stats) != ERR_OK)
		return JOB_FAILED;
	if (!judge(answers, room, &cell, m, a->flags))
		return JOB_FAILED;
	*data = m;
	/* It said who wrote it: once more, and then no more. */
	return m->blocked ? JOB_RETRY : JOB_DONE;
}

/* False: it cannot be judged, so it cannot be shown. */
static bool
judge(struct answers *a, struct job_room *room, const struct cell *cell,
    struct made *m, unsigned llm_flags)
{
	char canary[9] = "";
	struct leak_case c = { .answer = m->text,
		.question = cell->question,
		.instruction = instruct(room->pool, room->conf, cell, canary),
		.canary = text_of(canary[0] != '\0' ? canary : NULL),
		.hidden = (llm_flags & LLM_FLAG_HIDDEN) != 0 };
	struct leak_report report;
	struct leak_list *list;

	if (atomic_exchange(&a->stale, false) || a->list == NULL ||
	    a->list_conf != room->conf) {
		if (answer_leak_list(room->db, room->conf, &list) == ERR_OK) {
			leak_list_close(a->list);
			a->list = list;
			a->list_conf = room->conf;
		}
	}
	/* The canary is no part of the instruction that may be quoted. */
	c.instruction = cell->instruction;
	if (a->list == NULL ||
	    leak_scan(a->list, room->pool, &c, &report) != ERR_OK)
		return false;
	if (cell->asked)
		leak_excuse_asked(room->pool, &report);
	m->flags = report.flags;
	m->blocked = (report.found & LEAK_BLOCKS) != 0;
	m->list_version = pool_strdup(room->pool, leak_list_version(a->list));
	return true;
}

static enum err
store(void *ctx, struct store_tx *tx, const struct conf *conf, int64_t ref,
    enum job_verdict verdict, const struct llm_answer *a, void *data)
{
	const struct made *m = data;
	enum err e;

	(void)ctx;
	(void)conf;
	if (verdict == JOB_RETRY || verdict == JOB_LATER)
		return ERR_OK;
	if (verdict == JOB_DONE && a != NULL) {
		e = put_answer(tx, ref, m);
		return e == ERR_OK ? tell_waiting(tx, ref) : e;
	}
	return give_up(tx, ref, m);
}

static void
stored(void *ctx, int64_t ref, enum job_verdict verdict)
{
	struct answers *a = ctx;

	(void)ref;
	if (a->ready != NULL && (verdict == JOB_DONE || verdict == JOB_FAILED))
		a->ready(a->ctx, verdict == JOB_DONE);
}

static enum err
load_cell(struct db *db, struct pool *pool, int64_t answer, struct cell *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT v.text, q.text, s.digest, v.digest, a.state = 'waiting',"
	    " NOT (v.retired OR p.retired OR q.retired OR a.retired)"
	    " OR EXISTS (SELECT 1 FROM match WHERE answer_a = a.id"
	    " AND state IN ('open', 'parked'))"
	    " OR EXISTS (SELECT 1 FROM match WHERE answer_b = a.id"
	    " AND state IN ('open', 'parked')), q.asks"
	    " FROM answer a JOIN version v ON v.id = a.version"
	    " JOIN prompt p ON p.id = v.prompt"
	    " JOIN question q ON q.id = a.question"
	    " JOIN setup s ON s.id = a.setup WHERE a.id = ?1");
	enum err e;

	db_bind_int(q, 1, answer);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*out = (struct cell){ .instruction = db_text(q, 0, pool),
		.question = db_text(q, 1, pool),
		.setup_digest = db_text(q, 2, pool),
		.version_digest = db_text(q, 3, pool),
		.waiting = db_int(q, 4) != 0,
		.wanted = db_int(q, 5) != 0,
		.asked = db_int(q, 6) != 0 };
	db_done(q);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

static const struct conf_setup *
find_setup(const struct conf *conf, struct text digest)
{
	for (size_t i = 0; i < conf->setups_n; i++) {
		if (text_same(text_of(conf->setups[i].digest), digest))
			return &conf->setups[i];
	}
	return NULL;
}

/* With letters that mean nothing, if the site wants them. */
static struct text
instruct(struct pool *pool, const struct conf *conf, const struct cell *cell,
    char canary[9])
{
	struct str s;

	canary[0] = '\0';
	if (!conf->canary)
		return cell->instruction;
	leak_canary(
	    (struct str){ cell->version_digest.p, cell->version_digest.n },
	    canary);
	s = pool_printf(pool, "%.*s\n\n[%s]", (int)cell->instruction.n,
	    cell->instruction.p, canary);
	return (struct text){ s.p, s.n };
}

static enum err
put_answer(struct store_tx *tx, int64_t ref, const struct made *m)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE answer SET state = 'ok', text = ?2, html = ?3,"
	    " renderer = ?4, words = ?5, chars = ?6, headers = ?7, lists = ?8,"
	    " bold = ?9, flags = ?10, flags_list = ?11, truncated = ?12,"
	    " model = ?13, tokens_in = ?14, tokens_out = ?15, made_at = ?16"
	    " WHERE id = ?1 AND state = 'waiting'");

	db_bind_int(up, 1, ref);
	db_bind_text(up, 2, m->text);
	db_bind_str(up, 3, (struct str){ m->html.p, m->html.n });
	db_bind_int(up, 4, MARKDOWN_VERSION);
	db_bind_int(up, 5, m->stats.words);
	db_bind_int(up, 6, m->stats.chars);
	db_bind_int(up, 7, m->stats.headers);
	db_bind_int(up, 8, m->stats.lists);
	db_bind_int(up, 9, m->stats.bold);
	db_bind_text(up, 10, m->flags);
	db_bind_z(up, 11, m->list_version);
	db_bind_int(up, 12, m->truncated);
	db_bind_text(up, 13, m->model);
	db_bind_int(up, 14, m->tokens_in);
	db_bind_int(up, 15, m->tokens_out);
	db_bind_int(up, 16, tx->now);
	return db_run(up);
}

/* Nobody can vote on what is not there: its matches end with an apology. */
static enum err
give_up(struct store_tx *tx, int64_t ref, const struct made *m)
{
	bool blocked = m != NULL && m->blocked;
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE answer SET state = ?2, text = coalesce(?3, text),"
	    " flags = coalesce(?4, flags), flags_list ="
	    " coalesce(?5, flags_list), made_at = ?6"
	    " WHERE id = ?1 AND state = 'waiting'");
	enum err e;

	db_bind_int(up, 1, ref);
	db_bind_z(up, 2, blocked ? "void" : "failed");
	if (blocked) {
		db_bind_text(up, 3, m->text);
		db_bind_text(up, 4, m->flags);
		db_bind_z(up, 5, m->list_version);
	}
	db_bind_int(up, 6, tx->now);
	e = db_run(up);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	up = db_stmt(tx->db,
	    "UPDATE match SET state = 'void' WHERE state IN ('open', 'parked')"
	    " AND (answer_a = ?1 OR answer_b = ?1)");
	db_bind_int(up, 1, ref);
	return db_run(up);
}

/* Whoever left the waiting page is told that both sides are there. */
static enum err
tell_waiting(struct store_tx *tx, int64_t ref)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT m.voter, m.token FROM match m"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN answer b ON b.id = m.answer_b"
	    " WHERE (m.answer_a = ?1 OR m.answer_b = ?1)"
	    " AND m.state IN ('open', 'parked') AND m.shown_at IS NULL"
	    " AND a.state = 'ok' AND b.state = 'ok'");
	struct pool *pool = pool_open(PROMPT_MAX);
	struct notice_new *list = NULL;
	struct rows rows;
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	rows_init(&rows, pool, sizeof(*list));
	db_bind_int(q, 1, ref);
	while ((e = db_row(q)) == ERR_OK) {
		struct notice_new *n = rows_add(&rows);
		struct str token = db_str(q, 1, pool), at;

		if (n == NULL) {
			db_done(q);
			pool_close(pool);
			return ERR_NOMEM;
		}
		*n = (struct notice_new){ .account = db_int(q, 0),
			.kind = NOTICE_ANSWER,
			.title = TEXT(""),
			.who = TEXT("") };
		at = pool_printf(pool, "match:%.*s", (int)token.n, token.p);
		n->event = n->thread = (struct text){ at.p, at.n };
		at = pool_printf(pool, "/match/%.*s", (int)token.n, token.p);
		n->url = (struct text){ at.p, at.n };
	}
	e = e == ERR_NOTFOUND ? ERR_OK : e;
	list = rows.p;
	for (size_t i = 0; e == ERR_OK && i < rows.n; i++)
		e = notice_put(tx, &list[i], NULL);
	pool_close(pool);
	return e;
}
