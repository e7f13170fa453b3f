/* This file knows how to try every rule of pairing, one by one. */
#include "config.h"

#include <time.h>

#include "model/standing.h"
#include "tests/model/town.h"

#define DRAWS 15000

static struct town t;

static enum err
draw(
    int64_t voter, const char *login, struct rng *g, struct pairing_choice *out)
{
	struct pairing_wish wish = { .who = { .account = voter,
					 .login = text_of(login) },
		.seeded = g,
		.activity = &t.deck->activities[0] };

	return pairing_draw(t.db, t.deck, &t.conf, &wish, out);
}

static const struct deck_answer *
answer(int64_t id)
{
	return &t.deck->answers[deck_answer_find(t.deck, id)];
}

/* Pearson's statistic against equal shares. */
static double
chi_square(const int *count, size_t n, int total)
{
	double want = (double)total / (double)n, x = 0.0;

	for (size_t i = 0; i < n; i++)
		x += (count[i] - want) * (count[i] - want) / want;
	return x;
}

static void
uniform(void)
{
	int pairs[6 * 6] = { 0 }, questions[10] = { 0 }, flat[15], n = 0;
	int lower_first = 0;
	struct pairing_choice c;
	struct rng g;

	town_open(&t);
	town_catalog(&t, 6, 10, 1);
	town_sync(&t);
	rng_seed(&g, 7);
	for (int i = 0; i < DRAWS; i++) {
		const struct deck_answer *a, *b;

		must(draw(0, NULL, &g, &c), "draw");
		a = answer(c.answer_a);
		b = answer(c.answer_b);
		if (a->question != b->question || a->version == b->version)
			abort();
		lower_first += a->version < b->version;
		questions[a->question]++;
		pairs[a->version < b->version ? a->version * 6 + b->version
					      : b->version * 6 + a->version]++;
	}
	for (int x = 0; x < 6; x++) {
		for (int y = x + 1; y < 6; y++)
			flat[n++] = pairs[x * 6 + y];
	}
	/* 99.9 % points: 36.1 with 14, 27.9 with 9 degrees of freedom; 4 sd
	 * of a fair bit are 245 of 15 000. */
	ok(chi_square(flat, 15, DRAWS) < 36.1,
	    "pairs are drawn uniformly (%.1f)", chi_square(flat, 15, DRAWS));
	ok(chi_square(questions, 10, DRAWS) < 27.9,
	    "questions are drawn uniformly (%.1f)",
	    chi_square(questions, 10, DRAWS));
	ok(abs(lower_first - DRAWS / 2) < 245, "sides are fair (%d)",
	    lower_first);
	is_real(c.probability, 1.0 / 15, 1e-12, "the probability is kept");
	is_str(c.policy, "random", "and the policy's name");
	town_close(&t);
}

static void
own_prompts(void)
{
	struct pairing_choice c;
	struct rng g;
	int met = 0;

	town_open(&t);
	town_catalog(&t, 4, 5, 1);
	town_sync(&t);
	rng_seed(&g, 3);
	for (int i = 0; i < 500; i++) {
		must(draw(0, "author2", &g, &c), "draw");
		met +=
		    t.deck->versions[answer(c.answer_a)->version].prompt == 2;
		met +=
		    t.deck->versions[answer(c.answer_b)->version].prompt == 2;
	}
	is_int(met, 0, "an author never meets the own prompt");
	for (int i = 0; i < 4; i++)
		t.prompts[i].author = TEXT("author2");
	town_sync(&t);
	is_int(draw(0, "author2", &g, &c), ERR_NOTFOUND,
	    "who wrote them all has nothing to compare");
	is_int(draw(0, "author3", &g, &c), ERR_OK, "others have");
	town_close(&t);
}

static void
one_setup(void)
{
	struct pairing_choice c;
	struct rng g;
	int mixed = 0, second = 0;

	town_open(&t);
	town_catalog(&t, 3, 4, 1);
	t.conf.setups_n = 2;
	for (int p = 0; p < 2; p++) {
		for (int q = 0; q < 4; q++)
			town_answer(&t, p, 0, q, 1, 1);
	}
	town_sync(&t);
	rng_seed(&g, 4);
	for (int i = 0; i < 800; i++) {
		must(draw(0, NULL, &g, &c), "draw");
		mixed += answer(c.answer_a)->setup != answer(c.answer_b)->setup;
		second += answer(c.answer_a)->setup == 1;
	}
	is_int(mixed, 0, "both sides come from the same setup");
	ok(second > 130 && second < 270,
	    "the second setup has its pair's share (%d of 800)", second);
	town_close(&t);
}

struct history {
	uint32_t x, y, q;
	int64_t a, b;
	bool revealed;
};

/* One voter to the very end, voting and skipping by turns. */
static void
to_the_end(void)
{
	struct history *h = calloc(2000, sizeof(*h));
	int n = 0, repeated = 0, known = 0;
	int64_t voter;
	const char *token;
	enum err e;

	town_open(&t);
	town_catalog(&t, 5, 6, 2);
	town_sync(&t);
	voter = town_guest(&t);
	while ((e = town_match(&t, voter, &token)) == ERR_OK && n < 2000) {
		struct db_stmt *q =
		    db_stmt(t.db, "SELECT answer_a, answer_b"
				  " FROM match WHERE token = ?1");
		struct history *m = &h[n];
		uint32_t a, b;

		db_bind_z(q, 1, token);
		must(db_row(q), "the match");
		m->a = db_int(q, 0);
		m->b = db_int(q, 1);
		db_done(q);
		a = answer(m->a)->version;
		b = answer(m->b)->version;
		m->x = a < b ? a : b;
		m->y = a < b ? b : a;
		m->q = answer(m->a)->question;
		for (int i = 0; i < n; i++) {
			repeated +=
			    h[i].x == m->x && h[i].y == m->y && h[i].q == m->q;
			known += h[i].revealed &&
				 (h[i].a == m->a || h[i].a == m->b ||
				     h[i].b == m->a || h[i].b == m->b);
		}
		m->revealed = n % 3 != 0;
		if (m->revealed)
			must(town_vote(&t, voter, token, VOTE_A, NULL), "vote");
		else
			must(town_skip(&t, voter, token, NULL), "skip");
		n++;
	}
	is_int(e, ERR_NOTFOUND, "it ends when nothing is left");
	ok(n >= 15, "after a good number of matches (%d)", n);
	is_int(repeated, 0, "no pair twice on a question");
	is_int(known, 0, "no answer whose author was revealed");
	free(h);
	town_close(&t);
}

/* Only skips: every pair on every question, each once. */
static void
skipped_count_as_seen(void)
{
	int64_t voter;
	const char *token;
	int n = 0;

	town_open(&t);
	town_catalog(&t, 4, 3, 1);
	town_sync(&t);
	voter = town_guest(&t);
	while (town_match(&t, voter, &token) == ERR_OK && n < 100) {
		must(town_skip(&t, voter, token, "other"), "skip");
		n++;
	}
	is_int(n, 6 * 3, "six pairs on three questions, each shown once");
	is_int(town_number(&t,
		   "SELECT count(*) FROM (SELECT DISTINCT"
		   " question, min(answer_a, answer_b), max(answer_a, answer_b)"
		   " FROM match)"),
	    18, "all different");
	town_close(&t);
}

static void
predecessor_first(void)
{
	struct pairing_choice c;
	struct rng g;
	int with_new = 0, wrong = 0, free_now = 0;
	uint32_t fresh;

	town_open(&t);
	town_catalog(&t, 5, 8, 1);
	town_version(&t, 1, 1, "Prompt text 1, improved");
	t.prompts[1].versions_n = 2;
	for (int q = 0; q < 8; q++)
		town_answer(&t, 1, 1, q, 0, 1);
	town_sync(&t);
	for (fresh = 0; t.deck->versions[fresh].predecessor == DECK_NONE;)
		fresh++;
	rng_seed(&g, 5);
	for (int i = 0; i < 3000; i++) {
		uint32_t a, b, other;

		must(draw(0, NULL, &g, &c), "draw");
		a = answer(c.answer_a)->version;
		b = answer(c.answer_b)->version;
		if (a != fresh && b != fresh)
			continue;
		other = a == fresh ? b : a;
		with_new++;
		wrong += other != t.deck->versions[fresh].predecessor;
	}
	is_int(wrong, 0, "a new version meets its predecessor only");
	/* Five of the fifteen pairs have the new version in them. */
	ok(abs(with_new - 1000) < 110,
	    "as often as any other version is drawn (%d of 3000)", with_new);

	/* Ten counted matches later it meets everybody. */
	{
		struct db_stmt *q = db_stmt(t.db, "SELECT 1");
		char sql[512];

		db_done(q);
		(void)snprintf(sql, sizeof(sql),
		    "INSERT INTO rating VALUES("
		    "'%.*s', '%.*s', 'all', 1510, 9, 9, 0, 0, 0, 0)",
		    (int)t.deck->versions[fresh].digest.n,
		    t.deck->versions[fresh].digest.p,
		    (int)t.deck->setups[0].digest.n,
		    t.deck->setups[0].digest.p);
		town_script(&t, sql);
	}
	for (int i = 0; i < 200; i++) {
		must(draw(0, NULL, &g, &c), "draw");
		free_now += (answer(c.answer_a)->version == fresh &&
				answer(c.answer_b)->version !=
				    t.deck->versions[fresh].predecessor) ||
			    (answer(c.answer_b)->version == fresh &&
				answer(c.answer_a)->version !=
				    t.deck->versions[fresh].predecessor);
	}
	is_int(free_now, 0, "nine counted matches are not enough");
	town_script(&t, "UPDATE rating SET matches = 10");
	for (int i = 0; i < 200; i++) {
		must(draw(0, NULL, &g, &c), "draw");
		free_now += (answer(c.answer_a)->version == fresh) !=
				(answer(c.answer_b)->version == fresh) &&
			    answer(c.answer_a)->version !=
				t.deck->versions[fresh].predecessor &&
			    answer(c.answer_b)->version !=
				t.deck->versions[fresh].predecessor;
	}
	ok(free_now > 20, "ten are (%d of 200)", free_now);
	town_close(&t);
}

/* A new version without a question in common must not wait for ever. */
static void
predecessor_without_questions(void)
{
	struct pairing_choice c;
	struct rng g;
	int with_new = 0;

	town_open(&t);
	town_catalog(&t, 3, 6, 1);
	t.catalog.answers_n = 0;
	town_version(&t, 1, 1, "Prompt text 1, improved");
	t.prompts[1].versions_n = 2;
	for (int q = 0; q < 6; q++) {
		town_answer(&t, 0, 0, q, 0, 1);
		town_answer(&t, 1, q < 3 ? 0 : 1, q, 0, 1);
	}
	town_sync(&t);
	rng_seed(&g, 6);
	for (int i = 0; i < 100; i++) {
		must(draw(0, NULL, &g, &c), "draw");
		with_new +=
		    t.deck->versions[answer(c.answer_a)->version].predecessor !=
			DECK_NONE ||
		    t.deck->versions[answer(c.answer_b)->version].predecessor !=
			DECK_NONE;
	}
	ok(with_new > 20, "no common question: it meets others (%d)", with_new);
	town_close(&t);
}

/* Three voters see the first samples, then fresh ones come. */
static void
views(void)
{
	const char *token;
	int64_t first[3], n[4] = { 0 };

	town_open(&t);
	town_catalog(&t, 2, 1, 2);
	town_sync(&t);
	for (int i = 0; i < 12; i++) {
		int64_t pair;

		must(town_match(&t, town_guest(&t), &token), "match");
		pair = town_number(&t, "SELECT min(answer_a, answer_b) * 100"
				       " + max(answer_a, answer_b) FROM match"
				       " ORDER BY id DESC LIMIT 1");
		if (i < 3)
			first[i] = pair;
		if (i == 3)
			ok(pair != first[0],
			    "the fourth voter gets fresh answers");
	}
	ok(first[0] == first[1] && first[1] == first[2],
	    "three voters see the same answer pair");
	n[0] = town_number(&t, "SELECT min(n) FROM (SELECT count(*) n"
			       " FROM match GROUP BY min(answer_a, answer_b),"
			       " max(answer_a, answer_b))");
	n[1] = town_number(&t, "SELECT max(n) FROM (SELECT count(*) n"
			       " FROM match GROUP BY min(answer_a, answer_b),"
			       " max(answer_a, answer_b))");
	n[2] = town_number(&t,
	    "SELECT count(*) FROM (SELECT DISTINCT"
	    " min(answer_a, answer_b), max(answer_a, answer_b) FROM match)");
	ok(n[0] == 3 && n[1] == 3 && n[2] == 4,
	    "four answer pairs, three voters each");
	town_close(&t);
}

static void
wishes(void)
{
	struct pairing_wish w = { .who = { 0 } };
	struct pairing_choice c;
	struct rng g;
	int other = 0;

	town_open(&t);
	town_catalog(&t, 3, 14, 1);
	town_sync(&t);
	rng_seed(&g, 8);
	w.seeded = &g;
	w.activity = &t.deck->activities[0];
	w.type = TEXT("coding");
	for (int i = 0; i < 100; i++) {
		must(pairing_draw(t.db, t.deck, &t.conf, &w, &c), "draw");
		other += answer(c.answer_a)->question % 5 != 1;
	}
	is_int(other, 0, "the type is the one asked for");
	w.type = (struct text){ 0 };
	w.lang = TEXT("zh");
	for (int i = 0; i < 100; i++) {
		must(pairing_draw(t.db, t.deck, &t.conf, &w, &c), "draw");
		other += answer(c.answer_a)->question % 7 != 6;
	}
	is_int(other, 0, "and so is the language");
	w.lang = TEXT("xx");
	is_int(pairing_draw(t.db, t.deck, &t.conf, &w, &c), ERR_INVALID,
	    "an unknown language is refused");
	w.lang = (struct text){ 0 };
	w.type = TEXT("Coding");
	is_int(pairing_draw(t.db, t.deck, &t.conf, &w, &c), ERR_INVALID,
	    "an unknown type is refused");
	t.conf.policy = TEXT("nosuch");
	w.type = (struct text){ 0 };
	is_int(pairing_draw(t.db, t.deck, &t.conf, &w, &c), ERR_CONFIG,
	    "an unknown policy is our own fault");
	town_close(&t);
}

#define SIX 6

/* A board of the town's six prompts, as votes would make it. */
struct made_up {
	struct standing_row rows[SIX];
	struct standing_pair pairs[1];
	struct standing_board board;
	const struct standing_board *boards[1];
	struct standing_snapshot snapshot;
};

static int
by_digest(const void *a, const void *b)
{
	const struct standing_row *x = a, *y = b;

	return memcmp(x->digest.p, y->digest.p, x->digest.n);
}

/* Strengths fall evenly; the two at the top met each other very often. */
static void
make_up(struct made_up *m)
{
	const struct standing_row *first, *second;

	*m = (struct made_up){ .board = { .setup = t.deck->setups[0].digest,
				   .rows = m->rows,
				   .rows_n = SIX,
				   .pairs = m->pairs,
				   .pairs_n = 1 },
		.boards = { &m->board },
		.snapshot = { .boards = m->boards, .boards_n = 1 } };
	for (uint32_t v = 0; v < SIX; v++)
		m->rows[v] =
		    (struct standing_row){ .digest = t.deck->versions[v].digest,
			    .matches = 400,
			    .free = 1700 - 80.0 * v };
	qsort(m->rows, SIX, sizeof(m->rows[0]), by_digest);
	first = standing_row_find(&m->board, t.deck->versions[0].digest);
	second = standing_row_find(&m->board, t.deck->versions[1].digest);
	m->pairs[0] = (struct standing_pair){
		(uint32_t)(first < second ? first - m->rows : second - m->rows),
		(uint32_t)(first < second ? second - m->rows : first - m->rows),
		200, 200, 0, 0
	};
}

/* The informative policy: what it says of a draw is how often it comes. */
static void
informative(void)
{
	double said[SIX * SIX] = { 0 }, sum = 0, x = 0, least = 1;
	int count[SIX * SIX] = { 0 };
	struct pairing_choice c;
	struct made_up made;
	struct rng g;

	town_open(&t);
	town_catalog(&t, SIX, 10, 1);
	town_sync(&t);
	t.conf.policy = TEXT("informative");
	rng_seed(&g, 31);
	must(draw(0, NULL, &g, &c), "draw");
	is_str(c.policy, "informative", "the policy's name is kept");
	is_real(c.probability, 1.0 / 15, 1e-12,
	    "without votes every pair is as likely");
	make_up(&made);
	for (int i = 0; i < DRAWS; i++) {
		struct pairing_wish wish = { .seeded = &g,
			.activity = &t.deck->activities[0],
			.standing = &made.snapshot };
		uint32_t a, b, at;

		must(pairing_draw(t.db, t.deck, &t.conf, &wish, &c), "draw");
		a = answer(c.answer_a)->version;
		b = answer(c.answer_b)->version;
		at = a < b ? a * SIX + b : b * SIX + a;
		if (count[at]++ > 0 && said[at] != c.probability)
			abort();
		said[at] = c.probability;
	}
	for (size_t k = 0; k < SIX * SIX; k++) {
		double want = DRAWS * said[k];

		if (count[k] == 0)
			continue;
		sum += said[k];
		least = said[k] < least ? said[k] : least;
		x += (count[k] - want) * (count[k] - want) / want;
	}
	is_real(sum, 1, 1e-9, "all probabilities add up to one");
	ok(x < 36.1, "pairs come as often as is said (%.1f)", x);
	ok(least >= 0.1 / 15, "none has less than its uniform part (%.4f)",
	    least);
	ok(said[1] < said[1 * SIX + 2],
	    "two that met 400 times less often than two that never met");
	ok(said[0 * SIX + 5] < said[2 * SIX + 3],
	    "two far apart less often than two near each other");
	t.conf.policy = TEXT("random");
	town_close(&t);
}

/* What is retired or carries a block flag is not drawn. */
static void
out_of_play(void)
{
	struct pairing_choice c;
	struct rng g;
	int bad = 0;

	town_open(&t);
	town_catalog(&t, 4, 4, 1);
	t.prompts[0].retired = true;
	t.questions[2].retired = true;
	town_sync(&t);
	town_script(&t, "UPDATE answer SET flags = 'meta block:name' WHERE"
			" version = (SELECT id FROM version WHERE prompt ="
			" (SELECT id FROM prompt WHERE slug = 'p1'))");
	deck_put(t.deck);
	must(deck_open(t.db, &t.deck), "deck_open");
	rng_seed(&g, 9);
	for (int i = 0; i < 200; i++) {
		int64_t a, b;

		must(draw(0, NULL, &g, &c), "draw");
		a = c.answer_a < c.answer_b ? c.answer_a : c.answer_b;
		b = c.answer_a < c.answer_b ? c.answer_b : c.answer_a;
		/* ids run by prompt, then question */
		bad += a <= 8 || (a - 1) % 4 == 2 || (b - 1) % 4 == 2;
	}
	is_int(
	    bad, 0, "retired prompts and questions and blocked answers rest");
	town_close(&t);
}

static const char big[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    " WHERE i < 100) INSERT INTO prompt(id, slug, title, description, author)"
    " SELECT i, 'p' || i, 'P', '', 'x' FROM n;"
    "INSERT INTO version(id, prompt, number, digest, text, first_at)"
    " SELECT id, id, 1, 'd' || id, 't', 1 FROM prompt;"
    "INSERT INTO setup(id, digest, slug, model, parameters, first_at)"
    " VALUES(1, 's', 's', 'm', '', 1);"
    "INSERT INTO activity(id, slug, title) VALUES(1, 'all', 'All');"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    " WHERE i < 500) INSERT INTO question(id, slug, type, lang, text, html,"
    " renderer) SELECT i, 'q' || i, 'coding', 'en', 't', 't', 1 FROM n;"
    "INSERT INTO answer(version, setup, question, sample, state, text, html,"
    " source, made_at) SELECT v.id, 1, q.id, 1, 'ok', 't', 't', 'catalog', 1"
    " FROM version v, question q;";

/* 100 prompts and 500 questions, a voter with 200 matches. */
static void
speed(void)
{
	double best = 1e9;
	int64_t voter;

	town_open(&t);
	town_script(&t, big);
	must(deck_open(t.db, &t.deck), "deck_open");
	voter = town_guest(&t);
	for (int i = 0; i < 200; i++) {
		const char *token;

		must(town_match(&t, voter, &token), "match");
		must(town_vote(&t, voter, token, VOTE_A, NULL), "vote");
	}
	for (int i = 0; i < 20; i++) {
		struct pairing_choice c;
		struct timespec from, to;
		double ms;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		must(draw(voter, NULL, NULL, &c), "draw");
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		ms = (double)(to.tv_sec - from.tv_sec) * 1e3 +
		     (double)(to.tv_nsec - from.tv_nsec) / 1e6;
		if (ms < best)
			best = ms;
	}
#ifdef PA_SANITIZERS
	ok(best < 40.0, "a draw takes %.3f ms under sanitizers", best);
#else
	ok(best < 2.0, "a draw takes %.3f ms", best);
#endif
	town_close(&t);
}

int
main(void)
{
	uniform();
	own_prompts();
	one_setup();
	to_the_end();
	skipped_count_as_seen();
	predecessor_first();
	predecessor_without_questions();
	views();
	wishes();
	informative();
	out_of_play();
	speed();
	return done_testing();
}
