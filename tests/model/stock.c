/* Tests of answers that are still to be written: drawn, asked for, kept ready.
 */
#include "config.h"

#include "model/answer.h"
#include "model/stock.h"
#include "tests/model/town.h"

static struct town t;
static bool up = true; /* the endpoint takes questions */

static bool
makes(void *ctx, const struct conf_setup *setup)
{
	(void)ctx;
	return up && setup->endpoint.p != NULL;
}

static void
open_town(int prompts, int questions)
{
	town_open(&t);
	t.conf.jobs_queue = 200;
	t.conf.samples = 1;
	t.conf.stock = 3;
	t.conf.lang = TEXT("en");
	t.setups[0].endpoint = TEXT("stub");
	setup_digest(&t.setups[0], t.setups[0].digest);
	town_catalog(&t, prompts, questions, 1);
	t.catalog.answers_n = 0;
	(void)town_sync(&t);
}

/* What the runner does, in one statement: all that is asked for is there. */
#define WRITTEN                                                                \
	"UPDATE answer SET state = 'ok', text = 'An answer ' || id,"           \
	" html = 'An answer ' || id, renderer = 1, words = 2, chars = 9"       \
	" WHERE state = 'waiting';"                                            \
	"UPDATE job SET state = 'done' WHERE state = 'queued'"

static void
write_all(void)
{
	town_script(&t, WRITTEN);
	deck_put(t.deck);
	must(deck_open(t.db, &t.deck), "deck_open");
}

static enum err
open_match(int64_t voter, struct town_do *d)
{
	*d = (struct town_do){ .t = &t,
		.rq = { .who = { .account = voter }, .makes = makes } };
	return store_write(t.store, open_fn, d);
}

static void
test_waiting(void)
{
	int64_t one = town_guest(&t), two = town_guest(&t);
	struct match_blind m;
	struct town_do d;
	char token[RNG_TOKEN_LEN + 1];

	is_int(open_match(one, &d), ERR_OK, "no answer is there: one waits");
	ok(d.opened.waits && !d.opened.was_open, "and is told so");
	memcpy(token, d.opened.token, sizeof(token));
	is_int(town_number(&t, "SELECT count(*) FROM answer"
			       " WHERE state = 'waiting'"),
	    2, "two answers are asked for");
	is_int(town_number(&t, "SELECT count(*) FROM job"
			       " WHERE priority = 100"),
	    2, "before anything else");
	must(
	    match_blind_load(t.db, t.pool, str_of(token), one, clock_now(), &m),
	    "load");
	ok(!m.complete && !m.failed && m.a.p == NULL && m.b.p == NULL,
	    "nothing is shown");
	is_int(open_match(one, &d), ERR_OK, "asking again");
	ok(d.opened.was_open && strcmp(d.opened.token, token) == 0,
	    "leads to the same");
	is_int(town_number(&t, "SELECT count(*) FROM answer"), 2,
	    "and asks for nothing more");
	town_script(&t, "UPDATE answer SET state = 'ok', text = 'x',"
			" html = 'x', renderer = 1 WHERE id ="
			" (SELECT min(id) FROM answer)");
	must(
	    match_blind_load(t.db, t.pool, str_of(token), one, clock_now(), &m),
	    "load");
	ok(!m.complete && m.a.p == NULL && m.b.p == NULL,
	    "one side alone is not shown");
	up = false;
	is_int(open_match(two, &d), ERR_NOTFOUND,
	    "with the server away, no match waits for it");
	ok(d.opened.away, "which is not to say that all was seen");
	up = true;
	write_all();
	must(
	    match_blind_load(t.db, t.pool, str_of(token), one, clock_now(), &m),
	    "load");
	ok(m.complete && m.a.p != NULL && m.b.p != NULL, "both together");
	must(town_skip(&t, one, token, NULL), "skip");
	is_int(open_match(two, &d), ERR_OK, "the next voter");
	ok(!d.opened.waits, "need not wait: that pair is ready");
}

/* A voter never meets a pair twice on a question, ready or not. */
static void
test_never_twice(void)
{
	int64_t voter = town_guest(&t);
	struct town_do d;
	enum err e;
	int n = 0;

	while ((e = open_match(voter, &d)) == ERR_OK && n < 200) {
		n++;
		must(town_skip(&t, voter, d.opened.token, NULL), "skip");
		if (n % 5 == 0)
			write_all();
	}
	is_int(e, ERR_NOTFOUND, "in the end there is nothing new");
	ok(!d.opened.away, "for nobody to write");
	up = false;
	is_int(open_match(voter, &d), ERR_NOTFOUND, "nor with the server away");
	ok(!d.opened.away, "which is not missed then");
	up = true;
	/* 4 prompts: 6 pairs on each of 5 questions. */
	is_int(n, 30, "after every pair on every question");
	is_int(town_number(&t,
		   "SELECT count(*) FROM (SELECT 1 FROM match m"
		   " JOIN answer a ON a.id = m.answer_a"
		   " JOIN answer b ON b.id = m.answer_b"
		   " GROUP BY m.voter, m.question, min(a.version, b.version),"
		   " max(a.version, b.version) HAVING count(*) > 1)"),
	    0, "none of them twice");
	is_int(town_number(&t,
		   "SELECT count(*) FROM (SELECT 1 FROM answer"
		   " GROUP BY version, setup, question HAVING count(*) > 1)"),
	    0, "and nothing was written twice");
	write_all();
}

/* A vote reveals answers that the deck does not know yet: the next draw asks
 * for nothing that nobody waits for, and finds the one pair that is left. */
static void
test_nothing_unasked(void)
{
	int64_t voter = town_guest(&t);
	struct town_do d;

	must(open_match(voter, &d), "a match");
	town_script(&t, WRITTEN);
	must(town_vote(&t, voter, d.opened.token, VOTE_A, NULL), "a vote");
	is_int(open_match(voter, &d), ERR_OK, "the pair not seen yet is found");
	is_int(town_number(&t, "SELECT count(*) FROM answer"
			       " WHERE state = 'waiting'"),
	    2, "two answers are asked for");
	is_int(town_number(&t, "SELECT count(*) FROM answer a"
			       " WHERE NOT EXISTS (SELECT 1 FROM match"
			       " WHERE a.id IN (answer_a, answer_b))"),
	    0, "and each of them in a match");
}

/* Answers that were spoilt too often are not asked for again. */
static void
test_spoilt(void)
{
	struct stock_order o = { .makes = makes, .target = 3, .most = 8 };
	struct stock_numbers n;
	struct town_do d;
	int64_t asked;

	town_script(&t,
	    "INSERT INTO answer(version, setup, question, sample, state,"
	    " source, made_at) SELECT v.id, s.id, q.id, k.value, 'void',"
	    " 'model', 0 FROM version v, setup s, question q,"
	    " json_each('[1,2,3]') k WHERE v.id IN"
	    " (SELECT id FROM version ORDER BY id LIMIT 2)");
	is_int(open_match(town_guest(&t), &d), ERR_OK,
	    "a pair is found beside them");
	is_int(town_number(&t, "SELECT count(*) FROM answer"
			       " WHERE state = 'waiting'"),
	    2, "two answers are asked for");
	write_all();
	must(stock_count(t.db, t.deck, &t.conf, &n), "count");
	must(
	    stock_fill(t.store, t.db, t.deck, &t.conf, &o, &n, &asked), "fill");
	is_int(asked, 0, "and none of which no pair comes");
}

static void
test_stock(void)
{
	struct stock_order o = { .makes = makes, .target = 3, .most = 4 };
	struct stock_numbers n;
	int64_t asked, rounds = 0, all;

	do {
		must(stock_count(t.db, t.deck, &t.conf, &n), "count");
		must(stock_fill(t.store, t.db, t.deck, &t.conf, &o, &n, &asked),
		    "fill");
		write_all();
	} while (asked > 0 && ++rounds < 50);
	must(stock_count(t.db, t.deck, &t.conf, &n), "count");
	is_int((int64_t)n.n, 5, "five types");
	for (size_t i = 0; i < n.n; i++)
		ok(n.types[i].ready >= 3, "%.*s has three pairs ready",
		    (int)n.types[i].type.n, n.types[i].type.p);
	all = town_number(&t, "SELECT count(*) FROM answer");
	must(
	    stock_fill(t.store, t.db, t.deck, &t.conf, &o, &n, &asked), "fill");
	is_int(asked, 0, "a full stock asks for nothing");
	is_int(town_number(&t, "SELECT count(*) FROM answer"), all,
	    "and writes nothing");
	is_int(town_number(&t, "SELECT count(*) FROM job"
			       " WHERE priority <> 0"),
	    0, "all of it at the lowest priority");
	up = false;
	o.target = 100;
	must(
	    stock_fill(t.store, t.db, t.deck, &t.conf, &o, &n, &asked), "fill");
	is_int(asked, 0, "nothing is asked of a server that is away");
	up = true;
	/* Pairs that enough voters saw are no stock. */
	t.conf.views = 1;
	for (int i = 0; i < 4; i++) {
		int64_t voter = town_guest(&t);
		struct town_do d;

		must(open_match(voter, &d), "a match");
	}
	all = n.types[0].ready + n.types[1].ready + n.types[2].ready +
	      n.types[3].ready + n.types[4].ready;
	must(stock_count(t.db, t.deck, &t.conf, &n), "count");
	ok(n.types[0].ready + n.types[1].ready + n.types[2].ready +
		    n.types[3].ready + n.types[4].ready <
		all,
	    "a pair that was seen by enough is no longer counted");
	t.conf.views = 3;
}

static enum err
instead_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;

	return match_instead(
	    tx, t.deck, &t.conf, &d->rq, d->ballot.token, &d->opened);
}

static void
test_instead(void)
{
	int64_t voter = town_guest(&t);
	struct town_do own = { .t = &t,
		.rq = { .who = { .account = voter },
		    .makes = makes,
		    .question = TEXT("Why is the sea salt?"),
		    .question_html = markup_stored(TEXT("<p>Why?</p>")) } };
	struct town_do d;
	char mine[RNG_TOKEN_LEN + 1];

	t.conf.own_questions = false;
	is_int(store_write(t.store, open_fn, &own), ERR_DENIED,
	    "own questions only where they are allowed");
	t.conf.own_questions = true;
	t.conf.own_per_day = 1;
	is_int(store_write(t.store, open_fn, &own), ERR_OK, "then they are");
	ok(own.opened.waits, "and wait");
	memcpy(mine, own.opened.token, sizeof(mine));
	d = (struct town_do){ .t = &t,
		.rq = { .who = { .account = voter } },
		.ballot = { .token = str_of(mine) } };
	is_int(store_write(t.store, instead_fn, &d), ERR_OK,
	    "a ready pair instead");
	ok(strcmp(d.opened.token, mine) != 0 && !d.opened.waits, "another");
	is_int(town_vote(&t, voter, d.opened.token, VOTE_A, NULL), ERR_OK,
	    "it is voted on");
	is_int(town_vote(&t, voter, mine, VOTE_A, NULL), ERR_CLOSED,
	    "the awaited one is not, yet");
	write_all();
	is_int(open_match(voter, &d), ERR_OK, "what comes next");
	ok(strcmp(d.opened.token, mine) == 0, "is the awaited one");
	is_int(town_vote(&t, voter, mine, VOTE_B, NULL), ERR_OK,
	    "and can be voted on");
	is_int(store_write(t.store, open_fn, &own), ERR_LIMIT,
	    "a second question of that day is too many");
	is_int((int64_t)t.deck->questions_n, 5,
	    "nobody else can draw an own question");
}

int
main(void)
{
	open_town(4, 5);
	test_waiting();
	test_never_twice();
	town_close(&t);
	for (int i = 0; i < 8; i++) {
		open_town(4, 1);
		test_nothing_unasked();
		town_close(&t);
		open_town(4, 1);
		test_spoilt();
		town_close(&t);
	}
	open_town(5, 10);
	test_stock();
	town_close(&t);
	open_town(4, 5);
	{
		struct stock_order o = {
			.makes = makes, .target = 2, .most = 10
		};
		struct stock_numbers n;
		int64_t asked;

		must(stock_count(t.db, t.deck, &t.conf, &n), "count");
		must(stock_fill(t.store, t.db, t.deck, &t.conf, &o, &n, &asked),
		    "fill");
		write_all();
	}
	test_instead();
	town_close(&t);
	return done_testing();
}
