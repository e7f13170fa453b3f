/* This file knows how to try the AI TA: questions kept, asked, answered. */
#include "config.h"

#include <math.h>

#include "model/job.h"
#include "model/llm.h"
#include "model/notice.h"
#include "model/tutor.h"
#include "tests/model/town.h"

static struct town t;
static int64_t alice;

struct act {
	struct tutor_question q;
	int64_t ref, thread;
	enum job_verdict verdict;
	const struct llm_answer *a;
	void *data;
	enum tutor_rating rating;
};

static enum err
ask_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;
	struct store_tx then = *tx;

	if (t.now != 0)
		then.now = t.now;
	return tutor_ask(&then, &a->q);
}

static enum err
ask(int64_t who, const char *thread, const char *form, const char *words,
    const char **token)
{
	static char room[8][RNG_TOKEN_LEN + 1];
	static int turn;
	struct act a = { .q = { .who = { .account = who },
			     .conf = &t.conf,
			     .room = TEXT("everyone"),
			     .thread = text_of(thread),
			     .text = text_of(words),
			     .form = text_of(form) } };
	enum err e;

	must(tutor_render(t.pool, a.q.text, &a.q.html), "render");
	e = store_write(t.store, ask_fn, &a);
	if (e == ERR_OK && token != NULL) {
		turn = (turn + 1) % 8;
		memcpy(room[turn], a.q.token, sizeof(a.q.token));
		*token = room[turn];
	}
	return e;
}

static enum err
store_reply_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;

	return tutor_job.store(
	    tutor_job.ctx, tx, &t.conf, a->ref, a->verdict, a->a, a->data);
}

/* The newest question, through the handler, with that answer. */
static enum job_verdict
run(const struct llm_answer *answer, int64_t attempt, struct job_ask *asked)
{
	struct act a = { .a = answer };
	struct job_room room = { .db = t.db,
		.pool = t.pool,
		.conf = &t.conf,
		.now = clock_now(),
		.attempt = attempt };
	enum err e;

	room.ref = a.ref = town_number(&t, "SELECT max(id) FROM tutor_message");
	*asked = (struct job_ask){ 0 };
	e = tutor_job.prepare(tutor_job.ctx, &room, asked);
	if (e != ERR_OK) {
		a.verdict = e == ERR_NOTFOUND ? JOB_DONE : JOB_FAILED;
		a.a = NULL;
	} else {
		a.verdict =
		    tutor_job.digest(tutor_job.ctx, &room, answer, &a.data);
	}
	must(store_write(t.store, store_reply_fn, &a), "store");
	return a.verdict;
}

static struct llm_answer
answer(enum llm_class class, enum llm_why why, const char *text)
{
	return (struct llm_answer){ .class = class,
		.why = why,
		.text = text_of(text),
		.model = TEXT("model-one") };
}

static int64_t
unread(void)
{
	struct account a;

	must(account_load(t.db, t.pool, alice, &a), "load");
	return a.unread;
}

static void
questions(void)
{
	const struct tutor_message *m;
	struct tutor_threads list;
	struct tutor_thread thread;
	struct llm_answer good =
	    answer(LLM_OK, LLM_WHY_NONE, "# It **doubles**.\n\n<script>");
	struct job_ask asked;
	const char *one, *again;
	int64_t awaited;
	size_t n;

	must(
	    ask(alice, NULL, "f1", "\n  How do they grow?\nMore", &one), "ask");
	must(ask(alice, NULL, "f1", "How do they grow?", &again), "again");
	is_str(again, one, "the same form is one question");
	is_int(town_number(&t, "SELECT count(*) FROM job WHERE kind = 'tutor'"
			       " AND state = 'queued'"),
	    1, "and one job");
	must(notice_awaited(t.db, alice, &awaited), "awaited");
	is_int(awaited, 1, "it is awaited");
	must(tutor_load(t.db, t.pool, alice, text_of(one), &thread), "load");
	ok(thread.waiting, "the conversation waits");
	is_str(thread.title, "How do they grow?", "titled by its first line");
	is_int(tutor_load(t.db, t.pool, alice + 1, text_of(one), &thread),
	    ERR_NOTFOUND, "nobody else sees it");
	is_int(ask(alice, one, "f2", "And?", NULL), ERR_CONFLICT,
	    "one question at a time");
	is_int(ask(alice + 1, one, "f2", "And?", NULL), ERR_NOTFOUND,
	    "nobody else goes on with it");

	is_int(run(&good, 1, &asked), JOB_DONE, "answered");
	is_int((intmax_t)asked.messages_n, 2, "instruction and question");
	ok(asked.messages[0].role == LLM_ROLE_SYSTEM &&
		asked.messages[1].role == LLM_ROLE_USER,
	    "in their roles");
	is_str(asked.messages[0].text, "You are a tutor.", "its own text");
	is_int(unread(), 1, "a notice is raised with the reply");
	must(notice_awaited(t.db, alice, &awaited), "awaited");
	is_int(awaited, 0, "nothing is awaited any more");
	must(tutor_load(t.db, t.pool, alice, text_of(one), &thread), "load");
	must(tutor_messages(t.db, t.pool, thread.id, 0, 50, &m, &n), "read");
	ok(n == 1 && m[0].state == TUTOR_OK, "the reply is there");
	ok(memmem(m[0].reply.p, m[0].reply.n, "<strong>", 8) != NULL &&
		memmem(m[0].reply.p, m[0].reply.n, "<script", 7) == NULL,
	    "rendered, and safe");
	is_int(run(&good, 1, &asked), JOB_DONE, "run again");
	is_int(unread(), 1, "it tells nothing twice");
	must(ask(alice, one, "f3", "And then?", NULL), "go on");
	is_int(run(&good, 1, &asked), JOB_DONE, "answered");
	is_int((intmax_t)asked.messages_n, 4, "with the turn before");
	must(tutor_list(t.db, t.pool, alice, 0, 10, &list), "list");
	is_int((intmax_t)list.n, 1, "one conversation");
}

static void
failures(void)
{
	struct llm_answer away = answer(LLM_TRANSIENT, LLM_WHY_CONNECT, NULL);
	struct llm_answer key = answer(LLM_PERMANENT, LLM_WHY_AUTH, NULL);
	struct llm_answer empty = answer(LLM_EMPTY, LLM_WHY_NO_TEXT, NULL);
	struct llm_answer no =
	    answer(LLM_REFUSED, LLM_WHY_ANSWER_REFUSED, NULL);
	struct llm_answer cut = answer(LLM_OK_TRUNC, LLM_WHY_NONE, "So far");
	struct job_ask asked;
	const char *one;
	int64_t before = unread();

	must(ask(alice, NULL, "x1", "Down?", &one), "ask");
	is_int(run(&away, 1, &asked), JOB_LATER, "the server is away");
	is_int(town_number(&t, "SELECT delayed FROM tutor_message"
			       " ORDER BY id DESC LIMIT 1"),
	    1, "its asker can see that");
	is_int(run(&key, 1, &asked), JOB_LATER, "a wrong key is no end");
	is_int(run(&empty, 1, &asked), JOB_RETRY, "an empty reply is tried");
	is_int(unread(), before, "nothing was told");
	is_int(run(&cut, 2, &asked), JOB_DONE, "answered later");
	is_int(town_number(&t, "SELECT truncated AND NOT delayed FROM"
			       " tutor_message ORDER BY id DESC LIMIT 1"),
	    1, "and marked as cut");
	must(ask(alice, one, "x2", "Bad?", NULL), "ask");
	is_int(run(&no, 1, &asked), JOB_FAILED, "a refusal is an end");
	is_int(town_number(&t, "SELECT count(*) FROM notice"
			       " WHERE kind = 'sorry'"),
	    1, "which is told");
	must(ask(alice, one, "x3", "Better?", NULL), "and can be asked on");
	town_script(&t, "DELETE FROM activity_tutor");
	is_int(run(&cut, 1, &asked), JOB_FAILED, "no AI TA any more");
}

/* Why there is no reply is told as it was. */
static void
faults(void)
{
	static const struct {
		enum llm_class class;
		enum llm_why why;
		enum tutor_fault fault;
	} cases[] = {
		{ LLM_TRANSIENT, LLM_WHY_TIMEOUT, TUTOR_SERVER },
		{ LLM_TRANSIENT, LLM_WHY_SERVER, TUTOR_SERVER },
		{ LLM_LIMIT, LLM_WHY_TOTAL_TIME, TUTOR_SERVER },
		{ LLM_INCOMPLETE, LLM_WHY_CUT, TUTOR_SERVER },
		{ LLM_PERMANENT, LLM_WHY_AUTH, TUTOR_SERVER },
		{ LLM_REFUSED, LLM_WHY_ANSWER_REFUSED, TUTOR_REFUSED },
		{ LLM_PERMANENT, LLM_WHY_PROMPT_REFUSED, TUTOR_REFUSED },
		{ LLM_PERMANENT, LLM_WHY_CONTEXT, TUTOR_REFUSED },
		{ LLM_EMPTY, LLM_WHY_NO_TEXT, TUTOR_EMPTIED },
		{ LLM_EMPTY, LLM_WHY_REASONING, TUTOR_EMPTIED },
		{ LLM_LIMIT, LLM_WHY_REPETITION, TUTOR_EMPTIED },
	};
	const struct tutor_message *m;
	struct tutor_thread thread;
	const char *token;
	char form[16];
	size_t n;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct llm_answer a =
		    answer(cases[i].class, cases[i].why, NULL);
		struct job_room room = { .db = t.db,
			.pool = t.pool,
			.conf = &t.conf,
			.now = clock_now(),
			.attempt = 2 };
		struct act act = { .a = &a, .verdict = JOB_FAILED };

		(void)snprintf(form, sizeof(form), "w%zu", i);
		must(ask(alice, NULL, form, "Why?", &token), "ask");
		room.ref = act.ref = town_number(
		    &t, "SELECT max(id) FROM tutor_message");
		(void)tutor_job.digest(tutor_job.ctx, &room, &a, &act.data);
		/* The last try: the queue makes it final. */
		must(store_write(t.store, store_reply_fn, &act), "store");
		must(tutor_load(t.db, t.pool, alice, text_of(token), &thread),
		    "load");
		must(tutor_messages(t.db, t.pool, thread.id, 0, 1, &m, &n),
		    "read");
		ok(n == 1 && m[0].fault == cases[i].fault, "fault of %s",
		    llm_why_name(cases[i].why));
	}
}

/* The oldest turns are left out, with a mark; the instruction never. */
static void
context(void)
{
	struct llm_answer good = answer(LLM_OK, LLM_WHY_NONE,
	    "A reply of about a hundred characters, so that three of them do "
	    "not fit into what is sent along here.");
	struct job_ask asked;
	const char *one = NULL;
	char form[16];

	town_script(&t, "INSERT INTO activity_tutor VALUES(1, 'course', NULL,"
			" NULL, 'You are a tutor.', 0, 300)");
	for (int i = 0; i < 5; i++) {
		(void)snprintf(form, sizeof(form), "c%d", i);
		must(ask(alice, one, form, "A question of some length?",
			 one == NULL ? &one : NULL),
		    "ask");
		is_int(run(&good, 1, &asked), JOB_DONE, "turn %d", i);
	}
	is_int((intmax_t)asked.messages_n, 2 + 2 * 2, "two turns fit");
	ok(asked.messages[0].role == LLM_ROLE_SYSTEM &&
		memmem(asked.messages[0].text.p, asked.messages[0].text.n,
		    "You are a tutor.", 16) != NULL &&
		memmem(asked.messages[0].text.p, asked.messages[0].text.n,
		    "2 left out", 10) != NULL,
	    "the instruction stays, with a mark");
	is_int(town_number(&t, "SELECT dropped FROM tutor_message"
			       " ORDER BY id DESC LIMIT 1"),
	    2, "and the page can say so");
	must(ask(alice, one, "c9", "A question of some length?", NULL), "ask");
	is_int(run(&good, 2, &asked), JOB_DONE, "a second attempt");
	is_int((intmax_t)asked.messages_n, 2, "sends less");
}

static void
limits(void)
{
	int64_t bob = town_member(&t, "bob", "Bob");
	const struct tutor_room *rooms;
	struct voter who = { .account = bob };
	size_t n;

	town_script(&t, "UPDATE activity_tutor SET per_day = 2");
	t.now = (int64_t)20000 * 86400 + 3600;
	must(ask(bob, NULL, "l1", "One?", NULL), "one");
	must(ask(bob, NULL, "l2", "Two?", NULL), "two");
	is_int(ask(bob, NULL, "l3", "Three?", NULL), ERR_LIMIT, "not three");
	must(ask(bob, NULL, "l2", "Two?", NULL), "the second again is there");
	must(tutor_rooms(t.db, t.pool, &who, t.now, &rooms, &n), "rooms");
	ok(n == 1 && rooms[0].per_day == 2 && rooms[0].asked == 2,
	    "the page can say how many are left");
	t.now += 86400;
	must(ask(bob, NULL, "l3", "Three?", NULL), "tomorrow");
	t.now = 0;
}

/* The best official prompt of a type, with its standing; before: the text. */
static void
best(void)
{
	struct llm_answer good = answer(LLM_OK, LLM_WHY_NONE, "Yes.");
	struct tutor_thread thread;
	const struct tutor_message *m;
	struct job_ask asked;
	const char *one, *token;
	size_t n;

	town_script(&t, "UPDATE activity_tutor SET per_day = 0, best = 'any',"
			" prompt = 'p1'");
	must(ask(alice, NULL, "b1", "Best?", NULL), "ask");
	is_int(run(&good, 1, &asked), JOB_DONE, "answered");
	is_str(asked.messages[0].text, "Prompt text 1",
	    "none is official: the one that is named");
	t.conf.minimum = 1;
	for (int i = 0; i < 60; i++) {
		int64_t guest = town_guest(&t);

		must(town_match(&t, guest, &token), "match");
		must(town_vote(&t, guest, token, VOTE_A, NULL), "vote");
	}
	must(ask(alice, NULL, "b2", "Best now?", &one), "ask");
	is_int(run(&good, 1, &asked), JOB_DONE, "answered");
	must(tutor_load(t.db, t.pool, alice, text_of(one), &thread), "load");
	must(tutor_messages(t.db, t.pool, thread.id, 0, 50, &m, &n), "read");
	ok(n == 1 && m[0].prompt.p != NULL && !isnan(m[0].elo),
	    "the page says which prompt, and its rating");
	is_int(town_number(&t,
		   "SELECT count(*) FROM tutor_message m JOIN version v"
		   " ON v.id = m.version WHERE m.elo ="
		   " (SELECT max(elo) FROM rating WHERE scope = 'all')"
		   " AND m.instruction = v.text"),
	    1, "it is the best one, and its text was used");
}

static enum err
rate_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;

	return tutor_rate(tx, a->ref, a->thread, 1, a->rating);
}

static void
rating(void)
{
	struct act a = { .ref = alice, .rating = TUTOR_UP };

	a.thread = town_number(&t, "SELECT min(id) FROM tutor_thread");
	must(store_write(t.store, rate_fn, &a), "rate");
	is_int(town_number(&t, "SELECT count(*) FROM tutor_message"
			       " WHERE rating = 'up'"),
	    1, "a reply can be rated");
	a.rating = TUTOR_UNRATED;
	must(store_write(t.store, rate_fn, &a), "take it back");
	a.ref = alice + 1;
	is_int(store_write(t.store, rate_fn, &a), ERR_NOTFOUND,
	    "but not by others");
}

int
main(void)
{
	town_open(&t);
	t.setups[1] = (struct conf_setup){ .id = TEXT("course"),
		.model = TEXT("model-two"),
		.endpoint = TEXT("campus") };
	t.conf.setups_n = 2;
	t.conf.jobs_queue = 200;
	town_catalog(&t, 4, 10, 2);
	t.activities[0].tutor = (struct catalog_tutor){ .setup = TEXT("course"),
		.text = TEXT("You are a tutor."),
		.context_chars = 24000 };
	ok(town_sync(&t) > 0, "the files' AI TA is taken over");
	is_int(town_sync(&t), 0, "once");
	alice = town_member(&t, "alice", "Alice");
	town_member(&t, "eve", "Eve");
	questions();
	failures();
	context();
	faults();
	limits();
	best();
	rating();
	town_close(&t);
	return done_testing();
}
