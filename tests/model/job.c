/* Tests of the queue: order, room, money, attempts, and what a death leaves. */
#include "config.h"

#include "model/job_parts.h"
#include "model/llm.h"
#include "tests/model/town.h"

static struct town t;

struct act {
	enum {
		ENQUEUE,
		CLAIM,
		FINISH,
		RECOVER,
		RENEW,
		CANCEL
	} what;
	struct job_order order;
	struct job_claim claim;
	struct job_end end;
	const char *holder;
	struct job_row rows[16];
	size_t n;
	int64_t now;
};

static enum err
act_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;
	struct store_tx then = *tx;

	if (a->now != 0)
		then.now = a->now;
	switch (a->what) {
	case ENQUEUE:
		return job_enqueue(&then, &t.conf, &a->order);
	case CLAIM:
		return job_claim(&then, &a->claim);
	case FINISH:
		return job_finish(&then, &a->end);
	case RECOVER:
		return job_recover(&then, a->holder, a->rows, 16, &a->n);
	case RENEW:
		return job_renew(&then);
	case CANCEL:
		return job_cancel(&then, a->order.kind, a->order.ref);
	}
	return ERR_INTERNAL;
}

static enum err
put(int64_t ref, enum job_priority priority, int64_t account)
{
	struct act a = { .what = ENQUEUE,
		.order = { JOB_ANSWER, ref, priority, account } };

	return store_write(t.store, act_fn, &a);
}

static enum err
claim(const struct job_row *job, double cost, double budget, const char *holder)
{
	struct act a = { .what = CLAIM,
		.claim = { .job = job,
		    .endpoint = TEXT("stub"),
		    .cost = cost,
		    .endpoint_budget = budget,
		    .account_budget = -1,
		    .lease_s = 100,
		    .holder = holder } };

	return store_write(t.store, act_fn, &a);
}

/* Asked, and it failed. */
static enum err
put_off(int64_t id, int64_t wait)
{
	struct act a = { .what = FINISH,
		.end = { .id = id,
		    .verdict = JOB_LATER,
		    .asked = true,
		    .free = true,
		    .uncounted = true,
		    .failed = true,
		    .wait_s = wait } };

	return store_write(t.store, act_fn, &a);
}

static enum err
finish(int64_t id, enum job_verdict verdict, bool charged, double cost,
    int64_t wait)
{
	struct act a = { .what = FINISH,
		.end = { .id = id,
		    .verdict = verdict,
		    .asked = true,
		    .free = !charged,
		    .cost = cost,
		    .wait_s = wait } };

	return store_write(t.store, act_fn, &a);
}

static size_t
due(struct job_row *rows, int64_t now)
{
	size_t n = 0;

	must(job_due(t.db, now, rows, 16, &n), "job_due");
	return n;
}

static void
clear(void)
{
	town_script(&t, "DELETE FROM job; DELETE FROM spend");
}

static void
test_order(void)
{
	struct job_row rows[16];
	struct job_state s;
	int64_t now = clock_now();

	must(put(1, JOB_IDLE, 0), "stock");
	must(put(2, JOB_ASKED, 0), "asked");
	must(put(3, JOB_AWAITED, 0), "awaited");
	must(put(4, JOB_AWAITED, 0), "awaited later");
	is_int((int64_t)due(rows, now), 4, "all are due");
	ok(rows[0].ref == 3 && rows[1].ref == 4 && rows[2].ref == 2 &&
		rows[3].ref == 1,
	    "who waits first, then who asked, stock last");
	must(job_look(t.db, JOB_ANSWER, 1, &s), "look");
	is_int(s.ahead, 3, "stock has three before it");
	must(put(1, JOB_AWAITED, 0), "now somebody waits for it");
	must(job_look(t.db, JOB_ANSWER, 1, &s), "look");
	ok(s.ahead <= 2, "with those alone before it who wait too");
	is_int(town_number(&t, "SELECT count(*) FROM job"), 4,
	    "asking twice makes no second job");
	must(put(1, JOB_IDLE, 0), "less urgent");
	is_int(town_number(&t, "SELECT priority FROM job WHERE ref = 1"),
	    JOB_AWAITED, "never less urgent than before");
	clear();
}

static void
test_room(void)
{
	int64_t a = town_guest(&t), b = town_guest(&t);

	t.conf.jobs_queue = 3;
	t.conf.jobs_per_person = 2;
	for (int64_t i = 1; i <= 3; i++)
		must(put(i, JOB_IDLE, 0), "stock");
	is_int(put(4, JOB_IDLE, 0), ERR_LIMIT, "the stock's queue has an end");
	is_int(put(5, JOB_AWAITED, a), ERR_OK, "which shuts out no person");
	is_int(put(6, JOB_AWAITED, a), ERR_OK, "twice");
	is_int(put(7, JOB_AWAITED, a), ERR_LIMIT, "not thrice");
	is_int(put(7, JOB_AWAITED, b), ERR_OK, "but somebody else may");
	is_int(
	    put(8, JOB_AWAITED, b), ERR_LIMIT, "until people's queue is full");
	t.conf.jobs_queue = 200;
	t.conf.jobs_per_person = 0;
	clear();
}

static void
test_money(void)
{
	struct job_row rows[16];
	int64_t now = clock_now(), left = 0;
	struct job_spend spend;
	size_t n;

	for (int64_t i = 1; i <= 16; i++)
		must(put(i, JOB_AWAITED, 0), "a job");
	n = due(rows, now);
	for (size_t i = 0; i < n; i++)
		left += claim(&rows[i], 1.0, 5.0, "me") == ERR_OK;
	is_int(left, 5, "of sixteen at once, five fit into a budget for five");
	must(job_spend_load(t.db, TEXT("stub"), now, &spend), "spend");
	ok(fabs(spend.reserved - 5) < 1e-9 && spend.spent == 0,
	    "all of it reserved");
	is_int(town_number(&t, "SELECT count(*) FROM job WHERE state = 'queued'"
			       " AND attempts = 0 AND charges = 0"),
	    11, "whoever did not fit has used nothing up");
	must(finish(rows[0].id, JOB_DONE, true, 0.25, 0), "cheaper");
	must(finish(rows[1].id, JOB_RETRY, false, 0, 0), "for nothing");
	must(job_spend_load(t.db, TEXT("stub"), now, &spend), "spend");
	ok(fabs(spend.reserved - 3) < 1e-9 && fabs(spend.spent - 0.25) < 1e-9,
	    "settled by what it cost");
	is_int(claim(&rows[8], 1.0, 5.0, "me"), ERR_OK, "there is room again");
	is_int(claim(&rows[9], 1.0, 5.0, "me"), ERR_LIMIT, "for one");
	is_int(claim(&rows[9], 0.5, 5.0, "me"), ERR_OK, "and something small");
	is_int(claim(&rows[8], 0.1, 5.0, "me"), ERR_CONFLICT,
	    "nothing is claimed twice");
	must(job_spend_load(t.db, TEXT("other"), now, &spend), "spend");
	ok(spend.calls == 0, "another endpoint has its own money");
	clear();
}

static void
test_person(void)
{
	struct job_row rows[16];
	int64_t a = town_guest(&t);
	struct act c = { .what = CLAIM,
		.claim = { .endpoint = TEXT("stub"),
		    .cost = 1,
		    .endpoint_budget = -1,
		    .account_budget = 2,
		    .holder = "me" } };
	int64_t left = 0;
	size_t n;

	for (int64_t i = 1; i <= 4; i++)
		must(put(i, JOB_AWAITED, a), "a job");
	must(put(5, JOB_IDLE, 0), "stock");
	n = due(rows, clock_now());
	for (size_t i = 0; i < n; i++) {
		c.claim.job = &rows[i];
		left += store_write(t.store, act_fn, &c) == ERR_OK;
	}
	is_int(left, 3, "two for the person's money, and the site's own");
	clear();
}

/* Every way in which a program can die with a request under way. */
static void
test_death(void)
{
	struct job_row rows[16];
	struct act r = { .what = RECOVER, .holder = "second" };
	struct job_spend spend;
	int64_t now = clock_now();

	must(put(1, JOB_AWAITED, 0), "a job");
	(void)due(rows, now);
	must(claim(&rows[0], 1, -1, "first"), "claimed");
	is_int((int64_t)due(rows, now), 0, "what runs is not due");
	must(store_write(t.store, act_fn, &r), "recover");
	is_int((int64_t)r.n, 0, "after one death it may be tried again");
	is_int((int64_t)due(rows, now), 1, "and is due at once");
	ok(rows[0].attempts == 1 && rows[0].charges == 1,
	    "attempt and charge count as made");
	must(job_spend_load(t.db, TEXT("stub"), now, &spend), "spend");
	ok(fabs(spend.spent - 1) < 1e-9 && spend.reserved == 0,
	    "what was reserved counts as spent");
	must(claim(&rows[0], 1, -1, "second"), "claimed again");
	must(store_write(t.store, act_fn, &r), "recover");
	is_int(town_number(&t, "SELECT count(*) FROM job"
			       " WHERE state = 'running'"),
	    1, "a runner does not take its own jobs away");
	r.holder = "third";
	must(store_write(t.store, act_fn, &r), "recover");
	is_int((int64_t)r.n, 1, "after two it is given up: no third charge");
	ok(r.rows[0].id == rows[0].id, "by name");
	clear();
}

static void
test_clock(void)
{
	struct job_row rows[16];
	int64_t now = clock_now();

	must(put(1, JOB_AWAITED, 0), "a job");
	(void)due(rows, now);
	must(claim(&rows[0], 0, -1, "me"), "claimed");
	must(finish(rows[0].id, JOB_RETRY, false, 0, 8), "again in 8 s");
	is_int((int64_t)due(rows, now), 0, "not now");
	is_int((int64_t)due(rows, now + 10), 1, "then");
	is_int((int64_t)due(rows, now - 3600), 1,
	    "a clock set back by an hour makes nobody wait for an hour");
	is_int((int64_t)due(rows, now + 3600), 1, "nor one set forward");
	clear();
}

/* What failed comes back behind those who came meanwhile, not before them,
 * and what is asked for it only grows; a restart forgets nothing. */
static void
test_put_off(void)
{
	struct act r = { .what = RECOVER, .holder = "second" };
	struct job_row rows[16];
	struct job_state s;
	int64_t now = clock_now();

	for (int64_t i = 1; i <= 3; i++)
		must(put(i, JOB_ASKED, 0), "a job");
	(void)due(rows, now);
	must(claim(&rows[0], 0, -1, "me"), "claimed");
	must(put_off(rows[0].id, 8), "the server cannot bear it");
	is_int((int64_t)due(rows, now + 60), 3, "all are due");
	ok(rows[0].ref == 2 && rows[1].ref == 3 && rows[2].ref == 1,
	    "what failed goes behind what has not");
	must(job_look(t.db, JOB_ANSWER, 1, &s), "look");
	is_int(s.ahead, 2, "and its page can say so");
	ok(rows[2].delays == 1 && rows[2].attempts == 0 && rows[0].delays == 0,
	    "its own count, which is none of attempts");
	town_script(&t, "UPDATE job SET made_at = made_at + 30 WHERE ref = 3");
	(void)due(rows, now + 60);
	ok(rows[1].ref == 1, "but before what came after its wait");
	is_int((int64_t)due(rows, now), 2, "until then it waits");
	r.what = RENEW;
	must(store_write(t.store, act_fn, &r), "the configuration changes");
	is_int((int64_t)due(rows, now), 3, "then it need not wait for longer");
	ok(town_number(&t, "SELECT delays FROM job WHERE ref = 1") == 1,
	    "though it still is what failed");
	r.what = RECOVER;
	(void)due(rows, now + 60);
	must(claim(&rows[0], 0, -1, "first"), "claimed again");
	must(store_write(t.store, act_fn, &r), "its program died");
	(void)due(rows, now + 60);
	is_int(town_number(&t, "SELECT delays FROM job WHERE ref = 1"), 1,
	    "a restart does not forget it");
	town_script(&t, "UPDATE job SET state = 'failed' WHERE ref = 1");
	must(put(1, JOB_ASKED, 0), "asked anew");
	is_int(town_number(&t, "SELECT delays FROM job WHERE ref = 1"), 0,
	    "it begins anew");
	clear();
	for (int64_t n = 0; n < 8; n++) {
		int64_t full = 15 << (n < 5 ? n : 5);

		if (full > 300)
			full = 300;
		is_int(job_delay(n, 15000, 300000, 0), full, "wait %d",
		    (int)n + 1);
		ok(job_delay(n, 15000, 300000, 0.999) * 4 <= full * 3 + 4,
		    "not all at once");
	}
	is_int(job_delay(INT64_MAX, 15000, 300000, 0), 300, "minutes at most");
}

static void
test_again(void)
{
	struct job_row rows[16];
	struct act c = { .what = CANCEL, .order = { .ref = 1 } };

	must(put(1, JOB_AWAITED, 0), "a job");
	(void)due(rows, clock_now());
	must(claim(&rows[0], 0, -1, "me"), "claimed");
	must(store_write(t.store, act_fn, &c), "cancel");
	is_int(town_number(&t, "SELECT count(*) FROM job"), 1,
	    "what runs is not cancelled");
	must(finish(rows[0].id, JOB_FAILED, true, 0, 0), "failed");
	must(put(1, JOB_AWAITED, 0), "asked anew");
	is_int(town_number(&t, "SELECT attempts + charges FROM job"), 0,
	    "what had failed begins anew");
	must(store_write(t.store, act_fn, &c), "cancel");
	is_int(town_number(&t, "SELECT count(*) FROM job"), 0,
	    "what waits can be cancelled");
	is_int(job_look(t.db, JOB_ANSWER, 1, &(struct job_state){ 0 }),
	    ERR_NOTFOUND, "and is gone");
	clear();
}

static void
test_verdicts(void)
{
	static const enum job_verdict want[LLM__MAX] = {
		[LLM_OK] = JOB_DONE,
		[LLM_OK_TRUNC] = JOB_DONE,
		[LLM_EMPTY] = JOB_RETRY,
		[LLM_REFUSED] = JOB_FAILED,
		[LLM_INCOMPLETE] = JOB_RETRY,
		[LLM_TRANSIENT] = JOB_RETRY,
		[LLM_PERMANENT] = JOB_FAILED,
		[LLM_LIMIT] = JOB_RETRY,
	};

	for (int c = 0; c < LLM__MAX; c++) {
		struct llm_answer a = { .class = (enum llm_class)c };

		is_int(job_verdict_of(&a), want[c], "verdict of %s",
		    llm_class_name(a.class));
	}
}

int
main(void)
{
	town_open(&t);
	t.conf.jobs_queue = 200;
	town_catalog(&t, 2, 2, 1);
	(void)town_sync(&t);
	test_order();
	test_room();
	test_money();
	test_person();
	test_death();
	test_clock();
	test_put_off();
	test_again();
	test_verdicts();
	town_close(&t);
	return done_testing();
}
