/* This file knows how to ask the AI TA, wait for it, and show what it said. */
#include "config.h"

#include <math.h>

#include "base/text.h"
#include "model/forum.h"
#include "model/store.h"
#include "model/tutor.h"
#include "model/works.h"
#include "page/app.h"
#include "page/forum.h"
#include "page/handlers.h"
#include "page/notices.h"
#include "page/options.h"
#include "page/req.h"

#define THREADS_A_PAGE 30
#define MESSAGES_A_PAGE 50
#define REFRESH_S "5"         /* without script */
#define REFRESH_SCRIPT_S "30" /* the script looks by itself */

struct thread_row {
	struct text url, title, room;
	int64_t last_at;
	bool waiting, failed;
};

static const struct view_shape thread_row_shape = { "thread",
	sizeof(struct thread_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct thread_row, url, VIEW_URL),
	    VIEW_FIELD(struct thread_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct thread_row, room, VIEW_TEXT),
	    VIEW_FIELD(struct thread_row, last_at, VIEW_TIME),
	    VIEW_FIELD(struct thread_row, waiting, VIEW_FLAG),
	    VIEW_FIELD(struct thread_row, failed, VIEW_FLAG), VIEW_END } };

struct ta_row {
	bool known, none, choose;
	bool used_up; /* no form but for what was typed already */
	bool how;     /* says to those who run the site how to have one */
	struct view_list rooms, threads;
	struct text room, room_title, text, form, older;
	struct view_message text_error, left;
};

#define T struct ta_row
const struct view_shape ta_shape = { "ta", sizeof(T),
	(const struct view_field[]){ VIEW_FIELD(T, known, VIEW_FLAG),
	    VIEW_FIELD(T, none, VIEW_FLAG), VIEW_FIELD(T, choose, VIEW_FLAG),
	    VIEW_FIELD(T, used_up, VIEW_FLAG), VIEW_FIELD(T, how, VIEW_FLAG),
	    VIEW_FIELD_OF(T, rooms, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(T, threads, VIEW_LIST, &thread_row_shape),
	    VIEW_FIELD(T, room, VIEW_TEXT),
	    VIEW_FIELD(T, room_title, VIEW_TEXT),
	    VIEW_FIELD(T, text, VIEW_TEXT), VIEW_FIELD(T, form, VIEW_TEXT),
	    VIEW_FIELD(T, older, VIEW_URL),
	    VIEW_FIELD(T, text_error, VIEW_MESSAGE),
	    VIEW_FIELD(T, left, VIEW_MESSAGE), VIEW_END } };
#undef T

struct message_row {
	struct text id, action, report_url, prompt, prompt_url, model;
	int64_t number, asked_at, replied_at, version, dropped;
	double elo, order_free, lower, upper;
	struct markup question, reply;
	bool waiting, delayed, away, truncated, up, down, by_prompt, best,
	    interval, free;
	bool fault_server, fault_refused, fault_emptied;
};

#define M struct message_row
static const struct view_shape message_shape = { "message", sizeof(M),
	(const struct view_field[]){ VIEW_FIELD(M, id, VIEW_TEXT),
	    VIEW_FIELD(M, action, VIEW_URL),
	    VIEW_FIELD(M, report_url, VIEW_URL),
	    VIEW_FIELD(M, prompt, VIEW_TEXT),
	    VIEW_FIELD(M, prompt_url, VIEW_URL),
	    VIEW_FIELD(M, model, VIEW_TEXT), VIEW_FIELD(M, number, VIEW_INT),
	    VIEW_FIELD(M, asked_at, VIEW_TIME),
	    VIEW_FIELD(M, replied_at, VIEW_TIME),
	    VIEW_FIELD(M, version, VIEW_INT), VIEW_FIELD(M, dropped, VIEW_INT),
	    VIEW_FIELD_REAL(M, elo, 0), VIEW_FIELD_REAL(M, order_free, 0),
	    VIEW_FIELD_REAL(M, lower, 0), VIEW_FIELD_REAL(M, upper, 0),
	    VIEW_FIELD(M, question, VIEW_MARKUP),
	    VIEW_FIELD(M, reply, VIEW_MARKUP),
	    VIEW_FIELD(M, waiting, VIEW_FLAG),
	    VIEW_FIELD(M, delayed, VIEW_FLAG), VIEW_FIELD(M, away, VIEW_FLAG),
	    VIEW_FIELD(M, fault_server, VIEW_FLAG),
	    VIEW_FIELD(M, fault_refused, VIEW_FLAG),
	    VIEW_FIELD(M, fault_emptied, VIEW_FLAG),
	    VIEW_FIELD(M, free, VIEW_FLAG), VIEW_FIELD(M, truncated, VIEW_FLAG),
	    VIEW_FIELD(M, up, VIEW_FLAG), VIEW_FIELD(M, down, VIEW_FLAG),
	    VIEW_FIELD(M, by_prompt, VIEW_FLAG), VIEW_FIELD(M, best, VIEW_FLAG),
	    VIEW_FIELD(M, interval, VIEW_FLAG), VIEW_END } };
#undef M

struct ta_page {
	struct text title, room_title, action, again, earlier, text, form;
	struct view_list messages;
	bool waiting, can_ask;
	struct view_message text_error;
};

#define P struct ta_page
const struct view_shape ta_thread_shape = { "ta-thread", sizeof(P),
	(const struct view_field[]){ VIEW_FIELD(P, title, VIEW_TEXT),
	    VIEW_FIELD(P, room_title, VIEW_TEXT),
	    VIEW_FIELD(P, action, VIEW_URL), VIEW_FIELD(P, again, VIEW_URL),
	    VIEW_FIELD(P, earlier, VIEW_URL), VIEW_FIELD(P, text, VIEW_TEXT),
	    VIEW_FIELD(P, form, VIEW_TEXT),
	    VIEW_FIELD_OF(P, messages, VIEW_LIST, &message_shape),
	    VIEW_FIELD(P, waiting, VIEW_FLAG),
	    VIEW_FIELD(P, can_ask, VIEW_FLAG),
	    VIEW_FIELD(P, text_error, VIEW_MESSAGE), VIEW_END } };
#undef P

struct rate_args {
	int64_t account;
	int64_t id, number;
	enum tutor_rating rating;
};

static enum err show_list(
    struct req *, int status, const struct tutor_question *typed);
static enum err fill_rooms(struct req *, struct ta_row *, struct text chosen);
static bool is_used_up(const struct tutor_room *);
static struct left_words *left_of(struct req *, const struct tutor_room *);
static struct view_message room_left(struct req *, const struct tutor_room *);
static struct view_message room_label(struct req *, const struct tutor_room *);
static enum err fill_threads(struct req *, struct ta_row *);
static enum err show_thread(struct req *, int status,
    const struct tutor_thread *, const struct tutor_question *typed);
static struct view_list message_rows(struct req *, const struct tutor_thread *,
    const struct tutor_message *, size_t n);
static enum err read_question(struct req *, struct tutor_question *);
static enum err ask(struct req *, struct tutor_question *);
static bool refused(struct req *, enum err, struct text room);
static void say_limit(struct req *, struct text room);
static struct view_message first_problem(const struct req *);
static struct text notice_thread(struct req *, const struct tutor_thread *);
static struct text url_of(
    struct req *, struct text token, const char *rest, int64_t number);
static enum err ask_fn(struct store_tx *, void *);
static enum err rate_fn(struct store_tx *, void *);

/* GET /ta */
enum err
pg_ta(struct req *rq)
{
	return show_list(rq, 200, NULL);
}

/* POST /ta: a first question. */
enum err
pg_ta_post(struct req *rq)
{
	struct tutor_question q = { 0 };
	enum err e;

	if ((e = form_word(&rq->form, "activity", &q.room)) != ERR_OK ||
	    (e = read_question(rq, &q)) != ERR_OK)
		return e;
	if (rq->problems_n > 0)
		return show_list(rq, 400, &q);
	if (q.room.p == NULL)
		return ERR_NOTFOUND;
	e = ask(rq, &q);
	if (e != ERR_OK && refused(rq, e, q.room))
		return show_list(rq, e == ERR_LIMIT ? 429 : 403, &q);
	return e;
}

/* GET /ta/TOKEN */
enum err
pg_ta_thread(struct req *rq)
{
	struct tutor_thread t;
	enum err e;

	if ((e = tutor_load(rq->db, rq->pool, rq->viewer.account, rq->seg[1],
		 &t)) != ERR_OK ||
	    (e = notices_opened(rq, notice_thread(rq, &t))) != ERR_OK)
		return e;
	return show_thread(rq, 200, &t, NULL);
}

/* POST /ta/TOKEN: a further question. */
enum err
pg_ta_thread_post(struct req *rq)
{
	struct tutor_question q = { .thread = rq->seg[1] };
	struct tutor_thread t;
	enum err e;

	if ((e = tutor_load(rq->db, rq->pool, rq->viewer.account, rq->seg[1],
		 &t)) != ERR_OK ||
	    (e = read_question(rq, &q)) != ERR_OK)
		return e;
	if (rq->problems_n > 0)
		return show_thread(rq, 400, &t, &q);
	e = ask(rq, &q);
	if (e != ERR_OK && refused(rq, e, t.room))
		return show_thread(rq, e == ERR_LIMIT ? 429 : 403, &t, &q);
	return e;
}

/* POST /ta/TOKEN/N: was that reply of use? */
enum err
pg_ta_rate(struct req *rq)
{
	struct rate_args args = { .account = rq->viewer.account };
	struct tutor_thread t;
	struct text verb;
	struct str word;
	enum err e;

	if ((e = tutor_load(rq->db, rq->pool, rq->viewer.account, rq->seg[1],
		 &t)) != ERR_OK ||
	    (e = req_number(rq, 2, &args.number)) != ERR_OK ||
	    (e = form_word(&rq->form, "do", &verb)) != ERR_OK)
		return e;
	word = (struct str){ verb.p, verb.n };
	if (str_is(word, "up"))
		args.rating = TUTOR_UP;
	else if (str_is(word, "down"))
		args.rating = TUTOR_DOWN;
	else if (!str_is(word, "none"))
		return ERR_INVALID;
	args.id = t.id;
	if ((e = store_write(rq->site->store, rate_fn, &args)) != ERR_OK)
		return e;
	return resp_see_other(rq, "/ta/%.*s#m%lld", (int)t.token.n, t.token.p,
	    (long long)args.number);
}

static enum err
show_list(struct req *rq, int status, const struct tutor_question *typed)
{
	struct text chosen = { NULL, 0 };
	struct ta_row row = { .known = rq->viewer.kind != VIEWER_NOBODY,
		.text_error = first_problem(rq),
		.left = view_say(NULL) };
	enum err e;

	if (typed != NULL)
		chosen = typed->room;
	else if ((e = form_word(&rq->query, "activity", &chosen)) != ERR_OK)
		return e;
	if ((e = fill_rooms(rq, &row, chosen)) != ERR_OK ||
	    (e = fill_threads(rq, &row)) != ERR_OK)
		return e;
	if (typed != NULL) {
		row.text = typed->text;
		row.used_up = false;
	}
	row.form = typed != NULL && typed->form.n > 0 ? typed->form
						      : forum_form_token(rq);
	return resp_page_status(rq, status, PAGE_TA, &row);
}

static enum err
fill_rooms(struct req *rq, struct ta_row *row, struct text chosen)
{
	const struct tutor_room *rooms = NULL;
	struct voter who = auth_voter(rq);
	struct option_row *options;
	bool any = false;
	size_t n = 0;
	enum err e;

	e = tutor_rooms(rq->db, rq->pool, &who, rq->now, &rooms, &n);
	if (e != ERR_OK)
		return e;
	row->none = n == 0;
	row->how = row->none && auth_may(rq, ROLE_TEACHER);
	row->choose = n > 1;
	options = pool_array(rq->pool, n + 1, sizeof(*options));
	if (options == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		options[i] = (struct option_row){ .value = rooms[i].slug,
			.name = rooms[i].title,
			.label = room_label(rq, &rooms[i]),
			.hint = view_say(NULL),
			.selected = option_is(rooms[i].slug, chosen) };
		any = any || !is_used_up(&rooms[i]);
	}
	row->rooms = view_list(options, n);
	row->used_up = n > 0 && !any;
	if (n == 1) {
		row->room = rooms[0].slug;
		row->room_title = rooms[0].title;
		row->left = room_left(rq, &rooms[0]);
	} else if (row->used_up) {
		row->left = view_say("ta.all_used_up");
	}
	return pool_failed(rq->pool) ? ERR_NOMEM : ERR_OK;
}

static bool
is_used_up(const struct tutor_room *r)
{
	return r->per_day > 0 && r->asked >= r->per_day;
}

static struct left_words *
left_of(struct req *rq, const struct tutor_room *r)
{
	struct left_words *w = pool_alloc(rq->pool, sizeof(*w));

	if (w != NULL)
		*w = (struct left_words){
			.left = is_used_up(r) ? 0 : r->per_day - r->asked,
			.per_day = r->per_day,
			.room = r->title
		};
	return w;
}

/* How many questions are left where there is no choice; none: any number. */
static struct view_message
room_left(struct req *rq, const struct tutor_room *r)
{
	const struct left_words *w = left_of(rq, r);

	if (w == NULL || r->per_day == 0)
		return view_say(NULL);
	return is_used_up(r)
		   ? (struct view_message){ "ta.used_up", w->per_day, w }
		   : (struct view_message){ "ta.left", w->left, w };
}

/* Its title, with how many are left there; none: the title says it all. */
static struct view_message
room_label(struct req *rq, const struct tutor_room *r)
{
	const struct left_words *w = left_of(rq, r);

	if (w == NULL || r->per_day == 0)
		return view_say(NULL);
	return is_used_up(r)
		   ? (struct view_message){ "ta.room_used_up", 0, w }
		   : (struct view_message){ "ta.room_left", w->left, w };
}

static enum err
fill_threads(struct req *rq, struct ta_row *row)
{
	struct tutor_threads list;
	struct thread_row *rows;
	int64_t before = 0;
	enum err e;

	if ((e = form_number(&rq->query, "before", &before)) != ERR_OK)
		return e;
	if (rq->viewer.account == 0)
		return ERR_OK;
	e = tutor_list(rq->db, rq->pool, rq->viewer.account, before,
	    THREADS_A_PAGE, &list);
	if (e != ERR_OK)
		return e;
	rows = pool_array(rq->pool, list.n + 1, sizeof(*rows));
	if (rows == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < list.n; i++) {
		const struct tutor_thread *t = &list.rows[i];

		rows[i] =
		    (struct thread_row){ url_of(rq, t->token, "", 0), t->title,
			    t->room_title, t->last_at, t->waiting, t->failed };
	}
	row->threads = view_list(rows, list.n);
	if (list.older > 0) {
		struct str url = pool_printf(
		    rq->pool, "/ta?before=%lld", (long long)list.older);

		row->older = (struct text){ url.p, url.n };
	}
	return ERR_OK;
}

static enum err
show_thread(struct req *rq, int status, const struct tutor_thread *t,
    const struct tutor_question *typed)
{
	struct ta_page row = { .title = t->title,
		.room_title = t->room_title,
		.action = url_of(rq, t->token, "", 0),
		.waiting = t->waiting,
		.can_ask = !t->waiting || typed != NULL,
		.text_error = first_problem(rq) };
	const struct tutor_message *messages = NULL;
	int64_t before = 0;
	size_t n = 0;
	enum err e;

	if ((e = form_number(&rq->query, "before", &before)) != ERR_OK ||
	    (e = tutor_messages(rq->db, rq->pool, t->id, before,
		 MESSAGES_A_PAGE, &messages, &n)) != ERR_OK)
		return e;
	rq->thread = notice_thread(rq, t);
	rq->waits = t->waiting;
	if (t->waiting && rq->method != REQ_POST) {
		/* It looks again by itself; that does not count as reading. */
		struct str url = pool_printf(rq->pool,
		    "%s; url=%.*s/ta/%.*s?wait=1",
		    auth_cookie(req_param(rq, "HTTP_COOKIE"), "pa_script").p !=
			    NULL
			? REFRESH_SCRIPT_S
			: REFRESH_S,
		    (int)rq->base.n, rq->base.p, (int)t->token.n, t->token.p);

		resp_header(rq, "Refresh", url);
	}
	row.messages = message_rows(rq, t, messages, n);
	row.again = url_of(rq, t->token, "?wait=1", 0);
	if (n > 0 && messages[0].number > 1)
		row.earlier =
		    url_of(rq, t->token, "?before=", messages[0].number);
	if (typed != NULL)
		row.text = typed->text;
	row.form = typed != NULL && typed->form.n > 0 ? typed->form
						      : forum_form_token(rq);
	return resp_page_status(rq, status, PAGE_TA_THREAD, &row);
}

static struct message_row
message_row(
    struct req *rq, const struct tutor_thread *t, const struct tutor_message *m)
{
	struct str id = pool_printf(rq->pool, "m%lld", (long long)m->number);
	struct message_row row = { .id = { id.p, id.n },
		.action = url_of(rq, t->token, "/", m->number),
		.prompt = m->prompt,
		.model = m->model,
		.number = m->number,
		.asked_at = m->asked_at,
		.replied_at = m->replied_at,
		.version = m->version,
		.dropped = m->dropped > 0 ? m->dropped : VIEW_NO_INT,
		.elo = m->elo,
		.order_free = m->order_free,
		.lower = m->lower,
		.upper = m->upper,
		.question = m->question,
		.reply = m->reply,
		.waiting = m->state == TUTOR_WAITING,
		.fault_server = m->fault == TUTOR_SERVER,
		.fault_refused = m->fault == TUTOR_REFUSED,
		.fault_emptied = m->fault == TUTOR_EMPTIED,
		.truncated = m->truncated,
		.up = m->rating == TUTOR_UP,
		.down = m->rating == TUTOR_DOWN,
		.by_prompt = m->prompt.p != NULL,
		.best = !isnan(m->elo),
		.interval = !isnan(m->lower) && !isnan(m->upper),
		.free = !isnan(m->order_free) };
	struct str url = pool_printf(rq->pool, "/ta/%.*s/%lld/report",
	    (int)t->token.n, t->token.p, (long long)m->number);

	/* As the server is now, not when this question was tried. */
	row.away =
	    row.waiting && works_away(rq->site->works, rq->conf, t->setup);
	row.delayed = row.waiting && !row.away && m->delayed;
	row.report_url = (struct text){ url.p, url.n };
	if (row.by_prompt) {
		url = pool_printf(
		    rq->pool, "/prompt/%.*s", (int)m->slug.n, m->slug.p);
		row.prompt_url = (struct text){ url.p, url.n };
	}
	return row;
}

static struct view_list
message_rows(struct req *rq, const struct tutor_thread *t,
    const struct tutor_message *m, size_t n)
{
	struct message_row *rows = pool_array(rq->pool, n + 1, sizeof(*rows));

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++)
		rows[i] = message_row(rq, t, &m[i]);
	return view_list(rows, n);
}

static enum err
read_question(struct req *rq, struct tutor_question *q)
{
	struct text raw;
	enum err e;

	if ((e = form_one(&rq->form, "text", &raw)) != ERR_OK ||
	    (e = form_word(&rq->form, "form", &q->form)) != ERR_OK)
		return e;
	q->text = raw.p != NULL ? raw : TEXT("");
	if (q->form.p == NULL || q->form.n > 64)
		q->form = forum_form_token(rq);
	if (text_is_blank(q->text)) {
		req_problem(rq, "text", "problem.ta_empty");
	} else if (text_chars(q->text) > TUTOR_QUESTION_CHARS) {
		req_problem(rq, "text", "problem.ta_long");
	} else {
		e = tutor_render(rq->pool, q->text, &q->html);
		if (e == ERR_TOOBIG)
			req_problem(rq, "text", "problem.ta_long");
		else if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err
ask(struct req *rq, struct tutor_question *q)
{
	enum err e;

	if ((e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	q->who = auth_voter(rq);
	q->conf = rq->conf;
	if ((e = store_write(rq->site->store, ask_fn, q)) != ERR_OK)
		return e;
	works_wake(rq->site->works);
	return resp_see_other(
	    rq, "/ta/%s#m%lld", q->token, (long long)q->number);
}

/* What can be said beside the question that was typed, so that it is kept. */
static bool
refused(struct req *rq, enum err e, struct text room)
{
	if (e == ERR_LIMIT)
		say_limit(rq, room);
	else if (e == ERR_CONFLICT)
		req_problem(rq, "text", "problem.ta_waiting");
	else if (e == ERR_FULL || e == ERR_BUSY || e == ERR_IO)
		req_problem(rq, "text", "problem.not_stored");
	else
		return false;
	return true;
}

/* That of the activity, by name, or else that of the queue. */
static void
say_limit(struct req *rq, struct text room)
{
	const struct tutor_room *rooms = NULL;
	struct voter who = auth_voter(rq);
	size_t n = 0;

	if (tutor_rooms(rq->db, rq->pool, &who, rq->now, &rooms, &n) != ERR_OK)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct left_words *w;

		if (!option_is(rooms[i].slug, room) || !is_used_up(&rooms[i]))
			continue;
		if ((w = left_of(rq, &rooms[i])) == NULL)
			break;
		req_problem_row(rq, "text", "problem.ta_limit", w);
		return;
	}
	req_problem(rq, "text", "problem.ta_busy");
}

static struct view_message
first_problem(const struct req *rq)
{
	struct view_message m = view_say(NULL);

	if (rq->problems_n > 0) {
		m = view_say(rq->problems[0].what);
		m.row = rq->problems[0].row;
	}
	return m;
}

/* Its notices' thread. */
static struct text
notice_thread(struct req *rq, const struct tutor_thread *t)
{
	struct str s =
	    pool_printf(rq->pool, "ta:%.*s", (int)t->token.n, t->token.p);

	return (struct text){ s.p, s.n };
}

/* "/ta/TOKEN" and what follows; number 0: no number. */
static struct text
url_of(struct req *rq, struct text token, const char *rest, int64_t number)
{
	struct str s = number != 0
			   ? pool_printf(rq->pool, "/ta/%.*s%s%lld",
				 (int)token.n, token.p, rest, (long long)number)
			   : pool_printf(rq->pool, "/ta/%.*s%s", (int)token.n,
				 token.p, rest);

	return (struct text){ s.p, s.n };
}

static enum err
ask_fn(struct store_tx *tx, void *arg)
{
	return tutor_ask(tx, arg);
}

static enum err
rate_fn(struct store_tx *tx, void *arg)
{
	struct rate_args *a = arg;

	return tutor_rate(tx, a->account, a->id, a->number, a->rating);
}
