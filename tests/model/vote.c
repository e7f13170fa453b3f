/* This file knows how to try what a vote may and may not do. */
#include "config.h"

#include <pthread.h>

#include "model/recount.h"
#include "tests/model/town.h"

#define RACERS 32
#define RACES 200

static struct town t;

static const struct elo_rule rule = ELO_RULE_DEFAULT;

static void
consistent(const char *what)
{
	struct recount_report report;
	enum err e;

	buf_init(&report.where, 4096);
	e = recount_verify(t.db, &rule, &report);
	is_int(e, ERR_OK, "%s: a recount gives the same ratings", what);
	buf_release(&report.where);
}

static enum err
result(int64_t voter, const char *token, struct match_result *out)
{
	return match_result_load(t.db, t.pool, &t.conf,
	    store_durable_seq(t.store), str_of(token), voter, clock_now(), out);
}

static void
receipts(void)
{
	struct vote_receipt first, again;
	struct match_receipts list;
	struct match_blind blind;
	struct match_result r;
	int64_t alice, bob;
	const char *token;

	town_open(&t);
	town_catalog(&t, 2, 3, 1);
	town_sync(&t);
	alice = town_guest(&t);
	bob = town_guest(&t);
	must(town_match(&t, alice, &token), "match");

	is_int(match_blind_load(
		   t.db, t.pool, str_of(token), bob, clock_now(), &blind),
	    ERR_NOTFOUND, "another's match does not exist");
	is_int(match_blind_load(
		   t.db, t.pool, STR("nosuch"), alice, clock_now(), &blind),
	    ERR_NOTFOUND, "nor does an unknown token");
	must(match_blind_load(
		 t.db, t.pool, str_of(token), alice, clock_now(), &blind),
	    "blind");
	ok(blind.complete && blind.shown && !blind.failed &&
		blind.state == MATCH_OPEN && blind.a.n > 0 && blind.b.n > 0,
	    "both answers are there");
	is_int(result(alice, token, &r), ERR_DENIED,
	    "no reveal before the own vote");
	is_int(result(bob, token, &r), ERR_NOTFOUND, "none to others");
	is_int(town_vote(&t, bob, token, VOTE_A, NULL), ERR_NOTFOUND,
	    "nobody else may vote");

	is_int(town_vote(&t, alice, token, VOTE_A, &first), ERR_OK, "a vote");
	is_int(first.why, VOTE_COUNTED, "it counts");
	is_real(first.before_a, 1500, 0, "A before");
	is_real(first.after_a, 1516, 0, "A after");
	is_real(first.before_b, 1500, 0, "B before");
	is_real(first.after_b, 1484, 0, "B after");
	is_int(town_vote(&t, alice, token, VOTE_B, &again), ERR_CONFLICT,
	    "the second vote is refused");
	ok(again.n == first.n && again.choice == VOTE_A &&
		again.after_a == 1516.0 && again.why == VOTE_COUNTED,
	    "and told the first");
	must(result(alice, token, &r), "result");
	ok(r.n == first.n && r.choice == VOTE_A && r.counted && r.why.p == NULL,
	    "the receipt says so too");
	is_real(r.a.after, 1516, 0, "with its ratings");
	ok(r.a.slug.n == 2 && r.b.slug.n == 2 &&
		!str_eq((struct str){ r.a.slug.p, 2 },
		    (struct str){ r.b.slug.p, 2 }),
	    "both prompts are named");
	is_str(r.model, "model-one", "and the model");
	ok(r.a.tags_n > 0 && r.a.prompt_text.n > 0, "tags and text are there");
	ok(!r.tally && r.others == 0, "others are not told yet");
	is_int(match_result_load(t.db, t.pool, &t.conf, first.n - 1,
		   str_of(token), alice, clock_now(), &r),
	    ERR_BUSY, "a vote that is not durable is not revealed");
	must(match_blind_load(
		 t.db, t.pool, str_of(token), alice, clock_now(), &blind),
	    "blind");
	is_int(blind.state, MATCH_VOTED, "the match is voted");

	must(match_receipts_load(
		 t.db, t.pool, alice, store_durable_seq(t.store), 0, 10, &list),
	    "receipts");
	ok(list.n == 1 && list.older == 0 && list.total == 1 &&
		list.total_counted == 1 && list.rows[0].n == first.n &&
		list.rows[0].a_after == 1516.0,
	    "/votes lists it");
	consistent("receipts");
	town_close(&t);
}

/* Another K is in force since a request has read the configuration. */
static void
one_rule(void)
{
	const struct elo_rule halved = { 16, 1500, 400 };
	struct recount_report report;
	struct vote_receipt r;
	const char *token;
	int64_t alice;

	town_open(&t);
	town_catalog(&t, 2, 3, 1);
	town_sync(&t);
	alice = town_guest(&t);
	must(town_match(&t, alice, &token), "match");
	town_script(&t, "UPDATE meta SET value = '16 1500 400'"
			" WHERE key = 'elo_rule'");
	is_int(town_vote(&t, alice, token, VOTE_A, &r), ERR_OK, "a vote");
	is_real(r.after_a, 1508, 0, "goes by the rule of all the others");
	buf_init(&report.where, 4096);
	is_int(recount_verify(t.db, &halved, &report), ERR_OK,
	    "so that a recount gives the same");
	buf_release(&report.where);
	town_close(&t);
}

struct racer {
	pthread_t thread;
	const char *token;
	int64_t voter;
	enum vote_choice choice;
	int stored, told, wrong;
};

static pthread_barrier_t start_line;

static void *
race(void *arg)
{
	struct racer *r = arg;

	pthread_barrier_wait(&start_line);
	for (int i = 0; i < RACES / RACERS + 1; i++) {
		struct town_do d = { .t = &t,
			.ballot = { .token = str_of(r->token),
			    .voter = r->voter,
			    .choice = r->choice } };
		enum err e = store_write(t.store, cast_fn, &d);

		if (e == ERR_OK)
			r->stored++;
		else if (e == ERR_CONFLICT && d.receipt.n > 0)
			r->told++;
		else
			r->wrong++;
		r->choice = d.receipt.choice;
	}
	return NULL;
}

/* More than 200 votes on one match from 32 threads. */
static void
races(void)
{
	struct racer racers[RACERS] = { 0 };
	int stored = 0, told = 0, wrong = 0, agreed = 0;
	int64_t voter;
	const char *token;
	struct match_result r;

	town_open(&t);
	town_catalog(&t, 2, 3, 1);
	town_sync(&t);
	voter = town_guest(&t);
	must(town_match(&t, voter, &token), "match");
	pthread_barrier_init(&start_line, NULL, RACERS);
	for (int i = 0; i < RACERS; i++) {
		racers[i].token = token;
		racers[i].voter = voter;
		racers[i].choice = i % 2 == 0 ? VOTE_A : VOTE_B;
		pthread_create(&racers[i].thread, NULL, race, &racers[i]);
	}
	for (int i = 0; i < RACERS; i++)
		pthread_join(racers[i].thread, NULL);
	pthread_barrier_destroy(&start_line);
	must(result(voter, token, &r), "result");
	for (int i = 0; i < RACERS; i++) {
		stored += racers[i].stored;
		told += racers[i].told;
		wrong += racers[i].wrong;
		agreed += racers[i].choice == r.choice;
	}
	is_int(stored, 1, "one of the racing votes is stored");
	ok(told >= RACES - 1 && wrong == 0, "all others are told (%d)", told);
	is_int(agreed, RACERS, "the same first vote");
	is_int(town_number(&t, "SELECT count(*) FROM vote"), 1, "one row");
	is_int(town_number(&t, "SELECT count(*) FROM ledger WHERE k = 'vote'"),
	    1, "one ledger line");
	is_int(town_number(&t, "SELECT sum(matches) FROM rating"
			       " WHERE scope = 'all'"),
	    2, "one rating change");
	consistent("races");
	town_close(&t);
}

static void *
open_race(void *arg)
{
	struct racer *r = arg;

	pthread_barrier_wait(&start_line);
	for (int i = 0; i < 4; i++) {
		struct town_do d = { .t = &t,
			.rq = { .who = { .account = r->voter } } };

		if (store_write(t.store, open_fn, &d) != ERR_OK)
			r->wrong++;
		else if (!d.opened.was_open)
			r->stored++;
	}
	return NULL;
}

/* 128 times POST /arena at once: one match. */
static void
open_races(void)
{
	struct racer racers[RACERS] = { 0 };
	int stored = 0, wrong = 0;
	int64_t voter;

	town_open(&t);
	town_catalog(&t, 4, 8, 1);
	town_sync(&t);
	voter = town_guest(&t);
	pthread_barrier_init(&start_line, NULL, RACERS);
	for (int i = 0; i < RACERS; i++) {
		racers[i].voter = voter;
		pthread_create(&racers[i].thread, NULL, open_race, &racers[i]);
	}
	for (int i = 0; i < RACERS; i++) {
		pthread_join(racers[i].thread, NULL);
		stored += racers[i].stored;
		wrong += racers[i].wrong;
	}
	pthread_barrier_destroy(&start_line);
	is_int(stored, 1, "one of the racing requests opens a match");
	is_int(wrong, 0, "the others get the same");
	is_int(town_number(&t, "SELECT count(*) FROM match"), 1, "one row");
	town_close(&t);
}

/* The receipt of a vote that is cast after `setup`; `later` seconds on. */
static enum vote_why
why_after(const char *setup, int64_t later, bool recognised)
{
	int64_t voter = town_guest(&t);
	const char *token;
	struct town_do d;

	t.now = 1800000000;
	must(town_match(&t, voter, &token), "match");
	if (setup != NULL)
		town_script(&t, setup);
	t.now += later;
	d = (struct town_do){ .t = &t,
		.ballot = { .token = str_of(token),
		    .voter = voter,
		    .choice = VOTE_B,
		    .recognised = recognised,
		    .reasons = 5 } };
	must(store_write(t.store, cast_fn, &d), "vote");
	ok(isnan(d.receipt.after_a) == (d.receipt.why != VOTE_COUNTED),
	    "ratings on the receipt only when it counts");
	return d.receipt.why;
}

static void
reasons(void)
{
	uint32_t bits = 0;

	town_open(&t);
	town_catalog(&t, 4, 6, 1);
	town_sync(&t);
	is_int(why_after(NULL, 1, false), VOTE_COUNTED, "a plain vote counts");
	is_int(town_number(&t,
		   "SELECT count(*) FROM vote"
		   " WHERE reasons = 'useful clear' AND dwell_ms = 1000"),
	    1, "with its reasons and reading time");
	is_int(why_after(NULL, 1, true), VOTE_RECOGNISED, "recognised");
	is_int(why_after("UPDATE match SET calibration = 1"
			 " WHERE state = 'open'",
		   1, false),
	    VOTE_CALIBRATION, "calibration");
	is_int(why_after("UPDATE answer SET flags = 'meta'", 1, false),
	    VOTE_COUNTED, "a remark is no leak");
	is_int(
	    why_after(
		"UPDATE answer SET flags = 'meta block:self'"
		" WHERE id = (SELECT answer_a FROM match WHERE state = 'open')",
		1, false),
	    VOTE_IDENTITY_LEAK, "a block flag is");
	town_script(&t, "UPDATE answer SET flags = ''");
	is_int(
	    why_after(
		"UPDATE answer SET flags = 'mention'"
		" WHERE id = (SELECT answer_b FROM match WHERE state = 'open')",
		1, false),
	    VOTE_IDENTITY_LEAK, "so is naming the prompt");
	town_script(&t, "UPDATE answer SET flags = ''");
	is_int(why_after("UPDATE question SET asks = 1 WHERE id ="
			 " (SELECT question FROM match WHERE state = 'open')",
		   1, false),
	    VOTE_IDENTITY_ASKED, "who asks who answers has practised");
	town_script(&t, "UPDATE question SET asks = 0");
	is_int(
	    why_after("UPDATE version SET retired = 1 WHERE id ="
		      " (SELECT version FROM answer WHERE id = (SELECT answer_a"
		      " FROM match WHERE state = 'open'))",
		1, false),
	    VOTE_WITHDRAWN_PROMPT, "withdrawn while it was open");
	town_script(&t, "UPDATE version SET retired = 0");

	t.conf.words_per_second = 27;
	t.conf.chars_per_second = 30;
	town_script(&t, "UPDATE answer SET words = 270, chars = 1500");
	is_int(why_after(NULL, 18, false), VOTE_TOO_FAST,
	    "540 words in 18 seconds are too fast at 27 a second");
	is_int(why_after(NULL, 20, false), VOTE_COUNTED, "in 20 they are not");
	town_script(&t, "UPDATE answer SET words = 290, chars = 300");
	is_int(why_after(NULL, 18, false), VOTE_TOO_FAST,
	    "600 Chinese characters take 20 seconds at 30 a second");
	is_int(why_after(NULL, 20, false), VOTE_COUNTED, "and no more");
	town_script(&t, "UPDATE answer SET words = 3, chars = 15");
	is_int(why_after(NULL, 0, false), VOTE_TOO_FAST,
	    "nothing is read in no time");
	is_int(why_after(NULL, 2, false), VOTE_COUNTED,
	    "two seconds do for a short answer");
	is_int(town_number(&t, "SELECT count(*) FROM vote WHERE counted = 0"
			       " AND before_a IS NULL AND why <> ''"),
	    9, "votes that do not count are kept, with the reason");
	is_int(why_after("UPDATE match SET shown_at = NULL"
			 " WHERE state = 'open'",
		   60, false),
	    VOTE_TOO_FAST, "what was never shown was not read");
	is_int(why_after(NULL, -5, false), VOTE_COUNTED,
	    "a clock that was set back excludes nobody as too fast");
	is_int(vote_reason_parse(STR("wrong"), &bits), ERR_OK, "a reason");
	is_int(bits, 16, "its bit");
	is_int(
	    vote_reason_parse(STR("Wrong"), &bits), ERR_INVALID, "no reason");
	consistent("reasons");
	town_close(&t);
}

static void
limits(void)
{
	struct vote_receipt r;
	int64_t voter;
	const char *token;

	town_open(&t);
	town_catalog(&t, 4, 20, 1);
	town_sync(&t);
	must(clock_zone_set("Asia/Taipei"), "zone");
	t.conf.votes_per_day = 2;
	voter = town_guest(&t);
	/* 23:59:00 in Taipei on 2027-01-15 is 15:59 UTC. */
	t.now = 1800000000 - 1800000000 % 86400 + 15 * 3600 + 59 * 60;
	for (int i = 0; i < 3; i++) {
		must(town_match(&t, voter, &token), "match");
		must(town_vote(&t, voter, token, VOTE_A, &r), "vote");
		is_int(r.why, i < 2 ? VOTE_COUNTED : VOTE_LIMIT,
		    "vote %d of a day of two", i + 1);
	}
	t.now += 60; /* midnight on the campus */
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_A, &r), "vote");
	is_int(r.why, VOTE_COUNTED, "a new campus day begins at its midnight");

	t.conf.votes_per_day = 0;
	t.conf.seconds_between = 3;
	t.now += 2;
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_A, &r), "vote");
	is_int(r.why, VOTE_LIMIT, "two seconds after the last vote");
	t.now += 3;
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_A, &r), "vote");
	is_int(r.why, VOTE_COUNTED, "three seconds after");
	t.conf.votes_per_day = 2;
	t.now -= 3 * 86400;
	for (int i = 0; i < 3; i++) {
		t.now += 3;
		must(town_match(&t, voter, &token), "match");
		must(town_vote(&t, voter, token, VOTE_A, &r), "vote");
		is_int(r.why, i < 2 ? VOTE_COUNTED : VOTE_LIMIT,
		    "vote %d of a day after the clock was set back", i + 1);
	}
	must(clock_zone_set("UTC"), "zone");
	town_close(&t);
}

static void
ties(void)
{
	struct vote_receipt r;
	int64_t voter;
	const char *token;

	town_open(&t);
	town_catalog(&t, 2, 8, 1);
	town_sync(&t);
	voter = town_guest(&t);
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_BOTH_POOR, &r), "vote");
	is_real(r.after_a, 1500, 0, "neither is good between equals: no move");
	is_int(town_number(&t, "SELECT sum(both_poor) * 10 + sum(ties)"
			       " FROM rating WHERE scope = 'all'"),
	    20, "counted apart from ties");
	/* The stronger loses points by a tie. */
	town_script(&t, "UPDATE rating SET elo = 1600 WHERE"
			" version = (SELECT min(version) FROM rating)");
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_BOTH_POOR, &r), "vote");
	is_real(r.before_a > r.before_b ? r.after_a : r.after_b, 1595.518, 5e-4,
	    "1600 and 1500 both poor: 1595.518");
	is_real(r.after_a + r.after_b, 3100, 1e-9, "the sum stays");
	town_close(&t);
}

static void
states(void)
{
	struct match_blind blind;
	int64_t voter;
	const char *token, *next;

	town_open(&t);
	town_catalog(&t, 3, 5, 1);
	town_sync(&t);
	t.now = 1800000000;
	voter = town_guest(&t);
	must(town_match(&t, voter, &token), "match");
	must(town_match(&t, voter, &next), "match");
	is_str(next, token, "one open match: the same again");
	is_int(town_skip(&t, voter, token, "because"), ERR_INVALID,
	    "an unknown skip reason");
	must(town_skip(&t, voter, token, "too_long"), "skip");
	is_int(town_skip(&t, voter, token, NULL), ERR_OK, "skipping again");
	is_int(town_vote(&t, voter, token, VOTE_A, NULL), ERR_CLOSED,
	    "no vote on a skipped match");
	must(town_match(&t, voter, &token), "match");
	ok(strcmp(next, token) != 0, "a new match after the skip");
	t.now += 7 * 86400;
	is_int(town_vote(&t, voter, token, VOTE_A, NULL), ERR_CLOSED,
	    "no vote after seven days");
	is_int(town_skip(&t, voter, token, NULL), ERR_CLOSED, "no skip either");
	must(
	    match_blind_load(t.db, t.pool, str_of(token), voter, t.now, &blind),
	    "blind");
	is_int(blind.state, MATCH_EXPIRED, "it is expired");
	must(town_match(&t, voter, &next), "match");
	ok(strcmp(next, token) != 0, "a new one takes its place");
	is_int(town_number(&t, "SELECT count(*) FROM match"
			       " WHERE state = 'expired'"),
	    1, "the old one is closed");

	/* Its activity closes, or leaves the files, before the match ends. */
	town_script(&t, "UPDATE activity SET closes = 1800000000 + 7 * 86400");
	is_int(town_vote(&t, voter, next, VOTE_A, NULL), ERR_CLOSED,
	    "no vote once the activity has closed");
	is_int(town_skip(&t, voter, next, NULL), ERR_CLOSED, "nor skip");
	must(match_blind_load(t.db, t.pool, str_of(next), voter, t.now, &blind),
	    "blind");
	ok(blind.state == MATCH_EXPIRED && blind.closed, "it says so");
	town_script(&t, "UPDATE activity SET closes = NULL, retired = 1");
	is_int(town_vote(&t, voter, next, VOTE_A, NULL), ERR_CLOSED,
	    "nor when it has left the files");
	town_script(&t, "UPDATE activity SET retired = 0,"
			" closes = 1800000001 + 7 * 86400");
	must(match_blind_load(t.db, t.pool, str_of(next), voter, t.now, &blind),
	    "blind");
	ok(blind.state == MATCH_OPEN && !blind.closed, "before, it goes on");
	town_script(&t, "UPDATE activity SET closes = NULL");

	/* An answer that is still being made. */
	town_script(&t,
	    "UPDATE match SET shown_at = NULL"
	    " WHERE state = 'open'; UPDATE answer SET state = 'waiting'"
	    " WHERE id = (SELECT answer_b FROM match WHERE state = 'open')");
	must(match_blind_load(t.db, t.pool, str_of(next), voter, t.now, &blind),
	    "blind");
	ok(!blind.complete && blind.a.p == NULL && blind.b.p == NULL &&
		!blind.shown && blind.question.n > 0,
	    "not a byte of one side before both are there");
	is_int(town_vote(&t, voter, next, VOTE_A, NULL), ERR_CLOSED,
	    "and no vote");
	must(town_skip(&t, voter, next, NULL), "skip");
	town_script(&t, "UPDATE answer SET state = 'ok'");
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_A, NULL), "vote");
	is_int(town_skip(&t, voter, token, NULL), ERR_CONFLICT,
	    "no skip after the vote");
	town_close(&t);
}

/* From ten others on; sides told as this voter saw them. */
static void
others(void)
{
	struct match_result r = { 0 };
	int64_t voter = 0;
	const char *token = NULL;
	int a_wins = 0;

	town_open(&t);
	town_catalog(&t, 2, 1, 1);
	town_sync(&t);
	for (int i = 0; i < 11; i++) {
		int64_t flipped;

		voter = town_guest(&t);
		must(town_match(&t, voter, &token), "match");
		flipped =
		    town_number(&t, "SELECT answer_a > answer_b"
				    " FROM match ORDER BY id DESC LIMIT 1");
		/* Eight prefer the lower answer, one ties, two neither. */
		must(town_vote(&t, voter, token,
			 i >= 9    ? VOTE_BOTH_POOR
			 : i == 8  ? VOTE_TIE
			 : flipped ? VOTE_B
				   : VOTE_A,
			 NULL),
		    "vote");
		must(result(voter, token, &r), "result");
		if (i == 9)
			ok(!r.tally && r.others == 0, "nine others: not yet");
		a_wins = flipped ? 0 : 8;
	}
	ok(r.tally && r.others == 10, "ten others: told");
	is_int(r.others_a, a_wins, "A in this voter's order");
	is_int(r.others_b, 8 - a_wins, "B likewise");
	ok(r.others_tie == 1 && r.others_both_poor == 1, "ties apart");
	town_script(&t, "UPDATE match SET calibration = 1");
	must(result(voter, token, &r), "result");
	ok(r.a.slug.p == NULL && r.b.title.p == NULL && r.model.p == NULL &&
		!r.tally && r.a.answer.n > 0,
	    "a practice pair names nobody");
	town_close(&t);
}

static void
pages(void)
{
	struct match_receipts list;
	int64_t voter, seen = 0, before = 0, last = INT64_MAX, sorted = 1;
	const char *token;

	town_open(&t);
	town_catalog(&t, 4, 12, 1);
	town_sync(&t);
	voter = town_guest(&t);
	for (int i = 0; i < 12; i++) {
		must(town_match(&t, voter, &token), "match");
		must(town_vote(&t, voter, token, VOTE_TIE, NULL), "vote");
	}
	do {
		must(match_receipts_load(t.db, t.pool, voter,
			 store_durable_seq(t.store), before, 5, &list),
		    "receipts");
		for (size_t i = 0; i < list.n; i++) {
			sorted &= list.rows[i].n < last;
			last = list.rows[i].n;
		}
		seen += (int64_t)list.n;
		before = list.older;
	} while (before != 0);
	is_int(seen, 12, "all receipts over three pages");
	ok(sorted && list.n == 2, "newest first");
	is_int(list.total, 12, "with their number");
	must(match_receipts_load(t.db, t.pool, town_guest(&t),
		 store_durable_seq(t.store), 0, 5, &list),
	    "receipts");
	ok(list.n == 0 && list.total == 0 && list.older == 0, "nobody's: none");
	town_close(&t);
}

struct choose {
	struct town *t;
	struct match_request rq;
	struct match_opened opened;
};

static enum err
choose_fn(struct store_tx *tx, void *arg)
{
	struct choose *c = arg;
	struct store_tx then = *tx;

	then.now = c->t->now;
	return match_open(&then, c->t->deck, &c->t->conf, &c->rq, &c->opened);
}

static enum err
choose(const char *activity, const char *group)
{
	struct text groups[1] = { text_of(group) };
	struct choose c = { .t = &t,
		.rq = { .who = { .account = town_guest(&t),
			    .groups = groups,
			    .groups_n = group == NULL ? 0 : 1 },
		    .activity = text_of(activity) } };

	return store_write(t.store, choose_fn, &c);
}

static void
activities(void)
{
	const struct text only_prompts[] = { TEXT("p0"), TEXT("p1") };
	const struct text only_questions[] = { TEXT("q3") };

	town_open(&t);
	town_catalog(&t, 4, 6, 1);
	t.activities[1] = (struct catalog_activity){ .id = TEXT("course"),
		.title = TEXT("A course"),
		.group = TEXT("course-7"),
		.opens = 1800000000,
		.closes = 1800001000,
		.prompts = only_prompts,
		.prompts_n = 2,
		.questions = only_questions,
		.questions_n = 1,
		.results = TEXT("closed") };
	t.catalog.activities_n = 2;
	town_sync(&t);
	t.now = 1800000500;
	is_int(choose("course", "course-7"), ERR_OK, "a member may play");
	is_int(town_number(&t,
		   "SELECT count(*) FROM match m JOIN activity t"
		   " ON t.id = m.activity JOIN question q ON q.id = m.question"
		   " WHERE t.slug = 'course' AND q.slug = 'q3'"),
	    1, "its prompts and questions only");
	is_int(choose("course", "course-8"), ERR_DENIED, "others may not");
	is_int(choose("course", NULL), ERR_DENIED, "guests may not");
	is_int(
	    choose("nosuch", NULL), ERR_INVALID, "there is no such activity");
	is_int(choose(NULL, NULL), ERR_OK, "everyone has the one for all");
	t.now = 1799999999;
	is_int(choose("course", "course-7"), ERR_CLOSED, "not yet open");
	t.now = 1800001000;
	is_int(choose("course", "course-7"), ERR_CLOSED, "closed");
	t.catalog.activities = &t.activities[1];
	t.catalog.activities_n = 1;
	town_sync(&t);
	is_int(choose("everyone", NULL), ERR_INVALID, "a retired one is gone");
	is_int(choose(NULL, NULL), ERR_CLOSED, "nothing is open to a guest");
	town_close(&t);
}

int
main(void)
{
	receipts();
	one_rule();
	races();
	open_races();
	reasons();
	limits();
	ties();
	states();
	others();
	pages();
	activities();
	return done_testing();
}
