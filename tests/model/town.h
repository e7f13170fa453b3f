/*
 * town - a small arena with prompts, questions and answers made in memory,
 * for the tests of pairing, matches, votes and boards.
 *
 * Layer    tests.
 * Memory   struct town is the caller's; town_close frees what it holds.
 * Threads  one, but where a test says so.
 */
#ifndef PA_TEST_TOWN_H
#define PA_TEST_TOWN_H

#include "base/clock.h"
#include "base/rng.h"
#include "model/board.h"
#include "model/catalog.h"
#include "model/catalog_sync.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/match.h"
#include "model/pairing.h"
#include "model/vote.h"
#include "port/crypt.h"
#include "tests/model/arena.h"
#include "tests/tap.h"

#define TOWN_MAX 16 /* prompts */
#define TOWN_QUESTIONS 40
#define TOWN_ANSWERS 4096

struct town {
	struct scratch at;
	struct store *store;
	struct db *db;
	struct pool *pool;
	struct deck *deck;
	struct conf conf;
	struct catalog catalog;
	struct conf_setup setups[2];
	struct catalog_prompt prompts[TOWN_MAX];
	struct catalog_version versions[TOWN_MAX][3];
	struct catalog_question questions[TOWN_QUESTIONS];
	struct catalog_answer answers[TOWN_ANSWERS];
	struct catalog_activity activities[3];
	struct text tags[2];
	int64_t now; /* what closures take for the time; 0: the real one */
};

/* Failures of the set-up itself. */
__attribute__((unused)) static void
must(enum err e, const char *what)
{
	if (e != ERR_OK) {
		printf("Bail out! %s: %s\n", what, err_name(e));
		fflush(stdout);
		abort();
	}
}

__attribute__((unused)) static struct text
town_text(struct town *t, const char *fmt, int a, int b, int c, int d)
{
	char s[96];

	(void)snprintf(s, sizeof(s), "%s %d %d %d %d", fmt, a, b, c, d);
	return text_of(pool_strdup(t->pool, s));
}

__attribute__((unused)) static struct text
town_id(struct town *t, const char *letter, int i)
{
	char s[32];

	(void)snprintf(s, sizeof(s), "%s%d", letter, i);
	return text_of(pool_strdup(t->pool, s));
}

__attribute__((unused)) static void
town_version(struct town *t, int p, int v, const char *words)
{
	struct catalog_version *out = &t->versions[p][v];
	char digested[256];

	out->number = v + 1;
	out->text = text_of(pool_strdup(t->pool, words));
	(void)snprintf(
	    digested, sizeof(digested), "prompt-version/1\n\n%s", words);
	crypt_sha256_hex(str_of(digested), out->digest);
}

__attribute__((unused)) static void
town_answer(struct town *t, int p, int v, int q, int setup, int sample)
{
	struct catalog_answer *a = &t->answers[t->catalog.answers_n++];

	if (t->catalog.answers_n > TOWN_ANSWERS)
		abort();
	a->prompt = t->prompts[p].id;
	a->version = v + 1;
	a->question = t->questions[q].id;
	a->setup = t->setups[setup].id;
	a->sample = sample;
	a->text = town_text(t, "An answer of", p, v, q, setup * 100 + sample);
}

__attribute__((unused)) static void
town_questions(struct town *t, int n)
{
	static const char *const types[] = { "knowledge", "coding", "writing",
		"reasoning", "creative" };

	for (int q = 0; q < n; q++) {
		t->questions[q] =
		    (struct catalog_question){ .id = town_id(t, "q", q),
			    .type = text_of(types[q % 5]),
			    .lang = q % 7 == 6 ? TEXT("zh") : TEXT("en"),
			    .text = town_text(t, "Why is it so?", q, 0, 0, 0) };
	}
	t->catalog.questions = t->questions;
	t->catalog.questions_n = (size_t)n;
}

/* Prompts p0 …, of one version each, by author0 …, with every answer. */
__attribute__((unused)) static void
town_catalog(struct town *t, int prompts, int questions, int samples)
{
	town_questions(t, questions);
	t->tags[0] = TEXT("concise");
	t->tags[1] = TEXT("detailed");
	for (int p = 0; p < prompts; p++) {
		char words[32];

		(void)snprintf(words, sizeof(words), "Prompt text %d", p);
		town_version(t, p, 0, words);
		t->prompts[p] =
		    (struct catalog_prompt){ .id = town_id(t, "p", p),
			    .title = town_id(t, "Prompt ", p),
			    .description = TEXT("About it."),
			    .author = town_id(t, "author", p),
			    .tags = t->tags,
			    .tags_n = p % 2 == 0 ? 1 : 2,
			    .versions = t->versions[p],
			    .versions_n = 1 };
		for (int q = 0; q < questions; q++) {
			for (int s = 1; s <= samples; s++)
				town_answer(t, p, 0, q, 0, s);
		}
	}
	t->catalog.prompts = t->prompts;
	t->catalog.prompts_n = (size_t)prompts;
	t->catalog.answers = t->answers;
	t->activities[0] = (struct catalog_activity){ .id = TEXT("everyone"),
		.title = TEXT("Everyone"),
		.results = TEXT("always") };
	t->catalog.activities = t->activities;
	t->catalog.activities_n = 1;
}

__attribute__((unused)) static void
town_open(struct town *t)
{
	memset(t, 0, sizeof(*t));
	must(crypt_init(), "crypt_init");
	must(clock_zone_set("UTC"), "clock_zone_set");
	t->pool = pool_open(16u << 20);
	if (t->pool == NULL)
		abort();
	t->setups[0] = (struct conf_setup){ .id = TEXT("sample"),
		.model = TEXT("model-one") };
	t->setups[1] = (struct conf_setup){ .id = TEXT("other"),
		.model = TEXT("model-two") };
	t->conf = (struct conf){ .name = TEXT("Town"),
		.policy = TEXT("random"),
		.k = 32,
		.start = 1500,
		.scale = 400,
		.minimum = 30,
		.views = 3,
		.expires_days = 7,
		.predecessor_first = 10,
		.others_before_tally = 10,
		.setups = t->setups,
		.setups_n = 1 };
	scratch_make(&t->at);
	must(arena_open(&t->at, &t->store), "store_open");
	must(store_read_open(t->store, &t->db), "store_read_open");
}

/* The catalog into the tables, the tables into the deck; rows written. */
__attribute__((unused)) static int64_t
town_sync(struct town *t)
{
	struct catalog_sync_args args = { .catalog = &t->catalog,
		.conf = &t->conf };

	must(store_write(t->store, catalog_sync_fn, &args), "catalog_sync");
	if (t->deck != NULL)
		deck_put(t->deck);
	must(deck_open(t->db, &t->deck), "deck_open");
	return args.changed;
}

__attribute__((unused)) static void
town_close(struct town *t)
{
	if (t->deck != NULL)
		deck_put(t->deck);
	db_close(t->db);
	store_close(t->store);
	pool_close(t->pool);
	scratch_remove(&t->at);
}

/* A script of the test's own, on the writer. */
__attribute__((unused)) static enum err
town_script_fn(struct store_tx *tx, void *arg)
{
	return db_script(tx->db, arg);
}

__attribute__((unused)) static void
town_script(struct town *t, const char *sql)
{
	char copy[2048];

	(void)snprintf(copy, sizeof(copy), "%s", sql);
	must(store_write(t->store, town_script_fn, copy), sql);
}

/* One number, asked on the reading connection. */
#define town_number(t, sql) town_number_of(db_stmt((t)->db, sql))
__attribute__((unused)) static int64_t
town_number_of(struct db_stmt *q)
{
	int64_t n;

	must(db_row(q), "a number");
	n = db_int(q, 0);
	db_done(q);
	return n;
}

/* ------------------------------------------------------------ closures */

struct town_do {
	struct town *t;
	struct match_request rq;
	struct match_opened opened;
	struct vote_ballot ballot;
	struct vote_receipt receipt;
	struct text reason;
	int64_t id;
	struct text login, name;
};

__attribute__((unused)) static struct store_tx
town_tx(const struct town_do *d, const struct store_tx *tx)
{
	struct store_tx then = *tx;

	if (d->t->now != 0)
		then.now = d->t->now;
	return then;
}

__attribute__((unused)) static enum err
guest_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;

	return account_make_guest(tx, &d->id);
}

__attribute__((unused)) static int64_t
town_guest(struct town *t)
{
	struct town_do d = { .t = t };

	must(store_write(t->store, guest_fn, &d), "account_make_guest");
	return d.id;
}

__attribute__((unused)) static enum err
member_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;

	return account_ensure(tx, d->login, d->name, &d->id);
}

__attribute__((unused)) static int64_t
town_member(struct town *t, const char *login, const char *name)
{
	struct town_do d = {
		.t = t, .login = text_of(login), .name = text_of(name)
	};

	must(store_write(t->store, member_fn, &d), "account_ensure");
	return d.id;
}

__attribute__((unused)) static enum err
open_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;
	struct store_tx then = town_tx(d, tx);

	return match_open(&then, d->t->deck, &d->t->conf, &d->rq, &d->opened);
}

/* The token of voter's match, in static storage. */
__attribute__((unused)) static enum err
town_match(struct town *t, int64_t voter, const char **token)
{
	static char room[8][RNG_TOKEN_LEN + 1];
	static int turn;
	struct town_do d = { .t = t, .rq = { .who = { .account = voter } } };
	enum err e = store_write(t->store, open_fn, &d);

	if (e == ERR_OK) {
		turn = (turn + 1) % 8;
		memcpy(room[turn], d.opened.token, sizeof(d.opened.token));
		*token = room[turn];
	}
	return e;
}

__attribute__((unused)) static enum err
cast_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;
	struct store_tx then = town_tx(d, tx);

	return vote_cast(&then, &d->t->conf, &d->ballot, &d->receipt);
}

__attribute__((unused)) static enum err
town_vote(struct town *t, int64_t voter, const char *token,
    enum vote_choice choice, struct vote_receipt *out)
{
	struct town_do d = { .t = t,
		.ballot = { .token = str_of(token),
		    .voter = voter,
		    .choice = choice } };
	enum err e = store_write(t->store, cast_fn, &d);

	if (out != NULL)
		*out = d.receipt;
	return e;
}

__attribute__((unused)) static enum err
skip_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;
	struct store_tx then = town_tx(d, tx);

	return match_skip(&then, d->ballot.token, d->ballot.voter, d->reason);
}

__attribute__((unused)) static enum err
town_skip(struct town *t, int64_t voter, const char *token, const char *reason)
{
	struct town_do d = { .t = t,
		.ballot = { .token = str_of(token), .voter = voter },
		.reason = text_of(reason) };

	return store_write(t->store, skip_fn, &d);
}

#endif /* PA_TEST_TOWN_H */
