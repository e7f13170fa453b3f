/* This file knows how to put a question to the model, and store the reply. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/board.h"
#include "model/conf.h"
#include "model/job.h"
#include "model/llm.h"
#include "model/notice.h"
#include "model/rows.h"
#include "model/standing.h"
#include "model/store.h"
#include "model/tutor.h"
#include "port/db.h"

#define KEEP_S ((int64_t)3 * 86400)
#define TURNS_MAX 200

struct plan {                      /* how one question is asked */
	struct standing *standing; /* for intervals; NULL: without */
	int64_t thread, number;
	struct text setup, slug, best, own, question;
	int64_t context_chars;
	struct text instruction;
	int64_t version; /* 0: no prompt of the catalog */
	double elo, order_free, lower, upper;
	struct llm_message *messages;
	size_t n;
	int64_t dropped;
};

struct outcome {
	struct plan plan;
	struct text reply;
	struct markup html;
	bool truncated;
	const char *why;
};

static enum err make_plan(struct job_room *room, struct plan *p);
static enum err read_question(struct job_room *room, struct plan *p);
static enum err choose_instruction(struct job_room *room, struct plan *p);
static enum err best_prompt(struct job_room *room, struct plan *p, bool *found);
static enum err take_first(struct job_room *room, struct plan *p,
    const struct board *board, bool *found);
static enum err load_version(
    struct job_room *room, struct plan *p, struct db_stmt *q, bool *found);
static enum err add_turns(struct job_room *room, struct plan *p);
static enum job_verdict verdict_of(const struct llm_answer *a);
static enum err store_reply(struct store_tx *tx, int64_t ref,
    const struct outcome *o, const struct llm_answer *a);
static enum err store_failure(
    struct store_tx *tx, int64_t ref, const char *why);
static enum err tell(struct store_tx *tx, int64_t ref, enum notice_kind kind);

static enum err
prepare(void *ctx, struct job_room *room, struct job_ask *ask)
{
	struct plan p = { .standing = ctx };
	enum err e;

	if ((e = make_plan(room, &p)) != ERR_OK)
		return e;
	ask->setup = conf_setup_find(room->conf, p.setup);
	if (ask->setup == NULL || ask->setup->endpoint.p == NULL)
		return ERR_CONFIG;
	ask->messages = p.messages;
	ask->messages_n = p.n;
	return pool_failed(room->pool) ? ERR_NOMEM : ERR_OK;
}

static enum job_verdict
digest(
    void *ctx, struct job_room *room, const struct llm_answer *a, void **data)
{
	struct outcome *o = pool_alloc(room->pool, sizeof(*o));
	enum job_verdict v = verdict_of(a);

	*data = o;
	if (o == NULL)
		return JOB_LATER;
	*o = (struct outcome){ .plan = { .standing = ctx } };
	o->why = llm_why_name(a->why);
	if (v != JOB_DONE)
		return v;
	/* What was asked is made anew: it tells what stood in force. */
	if (make_plan(room, &o->plan) != ERR_OK)
		return JOB_FAILED;
	o->reply = pool_text(room->pool, a->text);
	o->truncated = a->class == LLM_OK_TRUNC;
	if (tutor_render(room->pool, o->reply, &o->html) != ERR_OK) {
		o->why = llm_why_name(LLM_WHY_BYTES);
		return JOB_FAILED;
	}
	return pool_failed(room->pool) ? JOB_LATER : JOB_DONE;
}

static enum err
store(void *ctx, struct store_tx *tx, const struct conf *conf, int64_t ref,
    enum job_verdict verdict, const struct llm_answer *a, void *data)
{
	const struct outcome *o = data;
	struct db_stmt *up;
	enum err e;

	(void)ctx;
	(void)conf;
	switch (verdict) {
	case JOB_DONE:
		if (o == NULL) /* nobody needed it any more */
			return ERR_OK;
		return store_reply(tx, ref, o, a);
	case JOB_FAILED:
		return store_failure(
		    tx, ref, o != NULL && o->why != NULL ? o->why : "config");
	default:
		/* Kept, and its asker is told that it takes longer. */
		up = db_stmt(tx->db,
		    "UPDATE tutor_message SET delayed = 1"
		    " WHERE id = ?1 AND state = 'waiting' AND delayed = 0");
		db_bind_int(up, 1, ref);
		e = db_run(up);
		return e;
	}
}

const struct job_handler tutor_job = {
	.prepare = prepare,
	.digest = digest,
	.store = store,
	.keep_s = KEEP_S,
};

/* The instruction first, then what fits of the conversation, then the
 * question.  A second attempt sends half of it, a third a quarter: the model
 * may have found it too long. */
static enum err
make_plan(struct job_room *room, struct plan *p)
{
	enum err e;

	if ((e = read_question(room, p)) != ERR_OK ||
	    (e = choose_instruction(room, p)) != ERR_OK)
		return e;
	for (int64_t i = 1; i < room->attempt; i++)
		p->context_chars /= 2;
	return add_turns(room, p);
}

static enum err
read_question(struct job_room *room, struct plan *p)
{
	struct db_stmt *q = db_stmt(room->db,
	    "SELECT m.thread, m.number, m.question, u.setup, u.prompt, u.best,"
	    " u.text, u.context_chars FROM tutor_message m"
	    " JOIN tutor_thread t ON t.id = m.thread"
	    " LEFT JOIN activity_tutor u ON u.activity = t.activity"
	    " WHERE m.id = ?1 AND m.state = 'waiting'");
	bool configured;
	enum err e;

	db_bind_int(q, 1, room->ref);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	configured = !db_is_null(q, 3);
	p->thread = db_int(q, 0);
	p->number = db_int(q, 1);
	p->question = db_text(q, 2, room->pool);
	p->setup = db_text(q, 3, room->pool);
	p->slug = db_text(q, 4, room->pool);
	p->best = db_text(q, 5, room->pool);
	p->own = db_text(q, 6, room->pool);
	p->context_chars = db_int(q, 7);
	p->elo = p->order_free = p->lower = p->upper = NAN;
	db_done(q);
	return configured ? ERR_OK : ERR_CONFIG;
}

/* The best official prompt, else the one that is named, else the text. */
static enum err
choose_instruction(struct job_room *room, struct plan *p)
{
	struct db_stmt *q;
	bool found = false;
	enum err e;

	if (p->best.p != NULL &&
	    ((e = best_prompt(room, p, &found)) != ERR_OK || found))
		return e;
	if (p->slug.p != NULL) {
		q = db_stmt(room->db, "SELECT v.id, v.text FROM version v"
				      " JOIN prompt p ON p.id = v.prompt"
				      " WHERE p.slug = ?1 AND v.retired = 0"
				      " ORDER BY v.number DESC LIMIT 1");
		db_bind_text(q, 1, p->slug);
		if ((e = load_version(room, p, q, &found)) != ERR_OK || found)
			return e;
	}
	p->instruction = p->own;
	return p->own.p != NULL ? ERR_OK : ERR_CONFIG;
}

/* With the interval of the statistics thread's last numbers, when there are
 * some: a reply does not wait for newer ones. */
static enum err
best_prompt(struct job_room *room, struct plan *p, bool *found)
{
	struct board_query query = { .staff = true };
	struct board board;
	enum err e;

	if (!str_is((struct str){ p->best.p, p->best.n }, "any"))
		query.type = p->best;
	if (p->standing != NULL)
		query.snapshot = standing_get(p->standing, 0, 0);
	e = board_load(
	    room->db, room->pool, room->conf, &query, room->now, &board);
	*found = false;
	if (e == ERR_OK)
		e = take_first(room, p, &board, found);
	else if (e == ERR_NOTFOUND) /* no such board yet */
		e = ERR_OK;
	if (query.snapshot != NULL)
		standing_put(query.snapshot);
	return e;
}

/* The first that the course has not dropped; the board remembers them all. */
static enum err
take_first(struct job_room *room, struct plan *p, const struct board *board,
    bool *found)
{
	const struct board_row *best = board->official;
	const struct board_row *end = best + board->official_n;
	struct db_stmt *q;
	enum err e;

	while (best < end && best->retired)
		best++;
	if (best == end)
		return ERR_OK; /* none is official */
	q = db_stmt(room->db, "SELECT id, text FROM version WHERE digest = ?1");
	db_bind_text(q, 1, best->digest);
	if ((e = load_version(room, p, q, found)) != ERR_OK || !*found)
		return e;
	p->elo = best->elo;
	p->order_free = best->order_free;
	p->lower = best->order_free_lower;
	p->upper = best->order_free_upper;
	return ERR_OK;
}

static enum err
load_version(
    struct job_room *room, struct plan *p, struct db_stmt *q, bool *found)
{
	enum err e = db_row(q);

	*found = e == ERR_OK;
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	p->version = db_int(q, 0);
	p->instruction = db_text(q, 1, room->pool);
	db_done(q);
	return ERR_OK;
}

struct turn {
	struct text question, reply;
};

/* The newest turns that fit; the oldest are dropped, the instruction never,
 * and the model is told that something is missing. */
static enum err
add_turns(struct job_room *room, struct plan *p)
{
	struct db_stmt *q = db_stmt(room->db,
	    "SELECT question, reply FROM tutor_message WHERE thread = ?1"
	    " AND number < ?2 AND state = 'ok' ORDER BY number DESC LIMIT ?3");
	int64_t room_left = p->context_chars -
			    (int64_t)text_chars(p->instruction) -
			    (int64_t)text_chars(p->question);
	struct turn *turns;
	struct rows rows;
	size_t kept = 0;
	enum err e;

	rows_init(&rows, room->pool, sizeof(struct turn));
	db_bind_int(q, 1, p->thread);
	db_bind_int(q, 2, p->number);
	db_bind_int(q, 3, TURNS_MAX);
	while ((e = db_row(q)) == ERR_OK) {
		struct turn *t = rows_add(&rows);

		if (t == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		t->question = db_text(q, 0, room->pool);
		t->reply = db_text(q, 1, room->pool);
	}
	if (e != ERR_NOTFOUND)
		return e;
	turns = rows.p;
	for (; kept < rows.n; kept++) {
		room_left -= (int64_t)(text_chars(turns[kept].question) +
				       text_chars(turns[kept].reply));
		if (room_left < 0)
			break;
	}
	p->dropped = (int64_t)(rows.n - kept);
	p->messages =
	    pool_array(room->pool, 2 * kept + 2, sizeof(*p->messages));
	if (p->messages == NULL)
		return ERR_NOMEM;
	if (p->dropped > 0) {
		struct str with = pool_printf(room->pool,
		    "%.*s\n\n[Earlier turns of this conversation: %lld left "
		    "out]",
		    (int)p->instruction.n, p->instruction.p,
		    (long long)p->dropped);

		p->messages[p->n++] =
		    (struct llm_message){ LLM_ROLE_SYSTEM, { with.p, with.n } };
	} else {
		p->messages[p->n++] =
		    (struct llm_message){ LLM_ROLE_SYSTEM, p->instruction };
	}
	for (size_t i = kept; i > 0; i--) {
		p->messages[p->n++] = (struct llm_message){ LLM_ROLE_USER,
			turns[i - 1].question };
		p->messages[p->n++] = (struct llm_message){ LLM_ROLE_ASSISTANT,
			turns[i - 1].reply };
	}
	p->messages[p->n++] =
	    (struct llm_message){ LLM_ROLE_USER, p->question };
	return ERR_OK;
}

/* A question is kept as long as somebody could still make the server work. */
static enum job_verdict
verdict_of(const struct llm_answer *a)
{
	switch (a->class) {
	case LLM_OK:
	case LLM_OK_TRUNC:
		return JOB_DONE;
	case LLM_EMPTY:
	case LLM_INCOMPLETE:
	case LLM_LIMIT:
		return JOB_RETRY;
	case LLM_TRANSIENT:
		return JOB_LATER;
	case LLM_PERMANENT:
		if (a->why == LLM_WHY_CONTEXT)
			return JOB_RETRY; /* with fewer turns */
		return a->why == LLM_WHY_PROMPT_REFUSED ||
			       a->why == LLM_WHY_REQUEST
			   ? JOB_FAILED
			   : JOB_LATER;
	default:
		return JOB_FAILED;
	}
}

static enum err
store_reply(struct store_tx *tx, int64_t ref, const struct outcome *o,
    const struct llm_answer *a)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE tutor_message SET state = 'ok', reply = ?2, html = ?3,"
	    " renderer = ?4, replied_at = ?5, truncated = ?6, dropped = ?7,"
	    " instruction = ?8, version = ?9, elo = ?10, lower = ?11,"
	    " upper = ?12, model = ?13, order_free = ?14, delayed = 0"
	    " WHERE id = ?1 AND state = 'waiting'");
	const struct plan *p = &o->plan;
	enum err e;

	db_bind_int(up, 1, ref);
	db_bind_text(up, 2, o->reply);
	db_bind_str(up, 3, (struct str){ o->html.p, o->html.n });
	db_bind_int(up, 4, MARKDOWN_VERSION);
	db_bind_int(up, 5, tx->now);
	db_bind_int(up, 6, o->truncated);
	db_bind_int(up, 7, p->dropped);
	db_bind_text(up, 8, p->instruction);
	if (p->version != 0)
		db_bind_int(up, 9, p->version);
	if (!isnan(p->elo))
		db_bind_real(up, 10, p->elo);
	if (!isnan(p->lower))
		db_bind_real(up, 11, p->lower);
	if (!isnan(p->upper))
		db_bind_real(up, 12, p->upper);
	if (a != NULL)
		db_bind_text(up, 13, a->model);
	if (!isnan(p->order_free))
		db_bind_real(up, 14, p->order_free);
	e = db_run(up);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	return tell(tx, ref, NOTICE_TA);
}

static enum err
store_failure(struct store_tx *tx, int64_t ref, const char *why)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE tutor_message SET state = 'failed', why = ?2,"
	    " replied_at = ?3, delayed = 0 WHERE id = ?1"
	    " AND state = 'waiting'");
	enum err e;

	db_bind_int(up, 1, ref);
	db_bind_z(up, 2, why);
	db_bind_int(up, 3, tx->now);
	e = db_run(up);
	if (e != ERR_OK || db_changes(tx->db) == 0)
		return e;
	return tell(tx, ref, NOTICE_SORRY);
}

static enum err
tell(struct store_tx *tx, int64_t ref, enum notice_kind kind)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT t.account, t.token, t.title, m.number FROM tutor_message m"
	    " JOIN tutor_thread t ON t.id = m.thread WHERE m.id = ?1");
	char event[32], thread[64], url[96];
	struct notice_new n = { .kind = kind };
	struct pool *pool;
	struct str token;
	enum err e;

	db_bind_int(q, 1, ref);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	if ((pool = pool_open(4096)) == NULL) {
		db_done(q);
		return ERR_NOMEM;
	}
	n.account = db_int(q, 0);
	token = db_str(q, 1, pool);
	n.title = db_text(q, 2, pool);
	snprintf(event, sizeof(event), "ta:%lld", (long long)ref);
	snprintf(thread, sizeof(thread), "ta:%s", token.p);
	snprintf(
	    url, sizeof(url), "/ta/%s#m%lld", token.p, (long long)db_int(q, 3));
	db_done(q);
	n.event = text_of(event);
	n.thread = text_of(thread);
	n.url = text_of(url);
	e = notice_put(tx, &n, NULL);
	/* Whatever became of the notice, nothing is awaited any more. */
	if (e == ERR_OK)
		e = notice_touch(tx, n.account);
	pool_close(pool);
	return e;
}
