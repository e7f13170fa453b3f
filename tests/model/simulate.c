/* This file knows how to try that simulated votes are plausible and repeatable.
 */
#include "config.h"

#include "model/recount.h"
#include "model/simulate.h"
#include "tests/model/town.h"

#define VOTES 3000

static enum err
run(struct town *t, uint64_t seed, int64_t votes, int64_t *done)
{
	struct simulate_conf how = {
		.votes = votes, .seed = seed, .now = 1800000000
	};

	return simulate(t->store, &t->conf, t->deck, &how, done);
}

static void
build(struct town *t)
{
	town_open(t);
	town_catalog(t, 6, 15, 1);
	town_version(t, 1, 1, "Prompt text 1, improved");
	t->prompts[1].versions_n = 2;
	for (int q = 0; q < 15; q++)
		town_answer(t, 1, 1, q, 0, 1);
	town_sync(t);
}

/* Every rating, as its bytes, in one digest. */
static struct str
ratings(struct town *t)
{
	struct db_stmt *q = db_stmt(t->db,
	    "SELECT scope, setup, version, elo,"
	    " matches, wins, losses, ties, both_poor, not_counted FROM rating"
	    " ORDER BY scope, setup, version");
	char *hex = pool_alloc(t->pool, 65);
	struct buf b;
	enum err e;

	buf_init(&b, 1u << 20);
	while ((e = db_row(q)) == ERR_OK) {
		for (int i = 0; i < 3; i++)
			buf_str(&b, db_str(q, i, t->pool));
		buf_real(&b, db_real(q, 3));
		for (int i = 4; i < 10; i++)
			buf_int(&b, db_int(q, i));
	}
	must(e == ERR_NOTFOUND ? ERR_OK : e, "ratings");
	crypt_sha256_hex(buf_as_str(&b), hex);
	buf_release(&b);
	return str_of(hex);
}

static void
plausible(struct town *t)
{
	const struct elo_rule rule = ELO_RULE_DEFAULT;
	struct recount_report report;
	struct arena_facts f;
	struct totals *totals;
	struct board b;
	struct board_query q = { 0 };

	must(totals_open(&totals), "totals");
	must(arena_facts(totals, t->db, t->pool, &f), "facts");
	ok(f.simulated, "the arena says that its votes are simulated");
	is_int(f.votes, VOTES, "as many votes as asked");
	ok(f.voters > 100, "by many voters (%d)", (int)f.voters);
	ok(f.counted > VOTES * 95 / 100 && f.counted < VOTES,
	    "nearly all count (%d)", (int)f.counted);
	ok(f.ties > VOTES / 20 && f.both_poor > VOTES / 50 &&
		abs((int)(f.side_a - f.side_b)) < VOTES / 8,
	    "ties %d, neither %d, A %d, B %d", (int)f.ties, (int)f.both_poor,
	    (int)f.side_a, (int)f.side_b);
	ok(f.last_at - f.first_at > 50 * 86400 && f.last_at < 1800000000,
	    "over two months, all of them past");
	is_int(town_number(t,
		   "SELECT count(*) FROM ledger a JOIN ledger b"
		   " ON b.n = a.n + 1 WHERE a.k = 'vote' AND b.t < a.t"),
	    0, "time never goes back");
	is_int(town_number(t, "SELECT count(*) FROM vote WHERE dwell_ms < 4000"
			      " OR dwell_ms > 900000"),
	    0, "everybody has read");
	must(board_load(t->db, t->pool, &t->conf, &q, 0, &b), "board");
	is_int((intmax_t)b.official_n, 7, "all prompts became official");
	ok(b.official[0].elo - b.official[6].elo > 60, "and differ (%.0f)",
	    b.official[0].elo - b.official[6].elo);
	buf_init(&report.where, 4096);
	is_int(recount_verify(t->db, &rule, &report), ERR_OK,
	    "a recount gives the same ratings");
	buf_release(&report.where);
	totals_close(totals);
}

int
main(void)
{
	static struct town one, two, other, real;
	int64_t done = 0, voter;
	const char *token;
	struct str first;

	build(&one);
	is_int(run(&one, 42, VOTES, &done), ERR_OK, "a simulation");
	is_int(done, VOTES, "to its end");
	plausible(&one);
	first = ratings(&one);

	build(&two);
	must(run(&two, 42, VOTES, &done), "the same seed");
	is_str(ratings(&two), first, "gives the same ratings, to the bit");
	is_int(town_number(&two, "SELECT count(*) FROM match"),
	    town_number(&one, "SELECT count(*) FROM match"), "and matches");

	build(&other);
	must(run(&other, 43, VOTES, &done), "another seed");
	ok(!str_eq(ratings(&other), first), "gives others");

	is_int(run(&one, 1, 10, &done), ERR_OK, "more may be added");
	build(&real);
	voter = town_guest(&real);
	must(town_match(&real, voter, &token), "match");
	must(town_vote(&real, voter, token, VOTE_A, NULL), "vote");
	is_int(
	    run(&real, 1, 10, &done), ERR_DENIED, "never beside a real vote");
	is_int(town_number(&real, "SELECT count(*) FROM meta"
				  " WHERE key = 'simulated'"),
	    0, "and nothing is marked then");
	town_close(&real);

	town_open(&real);
	town_catalog(&real, 1, 3, 1);
	town_sync(&real);
	is_int(run(&real, 1, 10, &done), ERR_NOTFOUND,
	    "one prompt has nobody to meet");
	is_int(done, 0, "so nothing was voted");
	town_close(&real);
	town_close(&other);
	town_close(&two);
	town_close(&one);
	return done_testing();
}
