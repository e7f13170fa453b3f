/*
 * arena - a small arena in a scratch folder, for the tests of the store.
 *
 * Layer    tests.
 * Memory   struct scratch is the caller's.
 * Threads  arena_vote_fn runs on the writer; the rest on one thread.
 */
#ifndef PA_TEST_ARENA_H
#define PA_TEST_ARENA_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "model/ledger_parts.h"
#include "model/recount.h"
#include "model/store.h"
#include "model/store_parts.h"
#include "port/db.h"

struct scratch {
	char dir[64];
	char database[96];
	char ledger[96];
};

__attribute__((unused)) static void
scratch_make(struct scratch *s)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(s->dir, sizeof(s->dir), "%.40s/pa-store-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(s->dir) == NULL)
		abort();
	(void)snprintf(s->database, sizeof(s->database), "%s/arena.db", s->dir);
	(void)snprintf(s->ledger, sizeof(s->ledger), "%s/votes.log", s->dir);
}

/* Empties the folder; it stays. */
__attribute__((unused)) static void
scratch_clear(const struct scratch *s)
{
	DIR *d = opendir(s->dir);
	struct dirent *f;
	char name[384];

	while (d != NULL && (f = readdir(d)) != NULL) {
		(void)snprintf(name, sizeof(name), "%s/%s", s->dir, f->d_name);
		if (f->d_name[0] != '.')
			(void)unlink(name);
	}
	if (d != NULL)
		closedir(d);
}

__attribute__((unused)) static void
scratch_remove(const struct scratch *s)
{
	scratch_clear(s);
	(void)rmdir(s->dir);
}

__attribute__((unused)) static enum err
arena_open(const struct scratch *s, struct store **out)
{
	struct store_conf conf = { .database = s->database, .create = true };

	return store_open(out, &conf);
}

/* One row of everything a vote points at; four versions of two prompts. */
__attribute__((unused)) static enum err
arena_fill_fn(struct store_tx *tx, void *arg)
{
	(void)arg;
	return db_script(tx->db,
	    "INSERT INTO account (id, login, kind, created_at)"
	    " VALUES (1, 'alice', 'member', 1);"
	    "INSERT INTO setup (id, digest, slug, model, parameters, first_at)"
	    " VALUES (1, 'setup-digest', 'local', 'm', '', 1);"
	    "INSERT INTO prompt (id, slug, title, description, author)"
	    " VALUES (1, 'p1', 'One', '', 'alice'), (2, 'p2', 'Two', '', 'b');"
	    "INSERT INTO version (id, prompt, number, digest, text, first_at)"
	    " VALUES (1, 1, 1, 'v1', 'a', 1), (2, 1, 2, 'v2', 'b', 1),"
	    " (3, 2, 1, 'v3', 'c', 1), (4, 2, 2, 'v4', 'd', 1);"
	    "INSERT INTO question (id, slug, type, lang, text, html, renderer)"
	    " VALUES (1, 'q1', 'coding', 'en', 't', 't', 1);"
	    "INSERT INTO answer (id, version, setup, question, sample, state,"
	    " text, html, source, made_at) VALUES"
	    " (1, 1, 1, 1, 1, 'ok', 't', 't', 'catalog', 1),"
	    " (2, 2, 1, 1, 1, 'ok', 't', 't', 'catalog', 1),"
	    " (3, 3, 1, 1, 1, 'ok', 't', 't', 'catalog', 1),"
	    " (4, 4, 1, 1, 1, 'ok', 't', 't', 'catalog', 1);"
	    "INSERT INTO activity (id, slug, title) VALUES (1, 'act', 'A')");
}

struct arena_vote {
	char token[RNG_TOKEN_LEN + 1];
	int64_t a, b; /* answer = version ids */
	enum vote_choice choice;
	bool counted;
	bool prepared;  /* its match was made by arena_matches_fn */
	enum err then;  /* what the closure returns after all its writes */
	int64_t n;      /* out: sequence */
	bool was_there; /* out */
};

__attribute__((unused)) static struct arena_vote
arena_vote_make(uint64_t i)
{
	struct arena_vote v = { .counted = i % 7 != 6 };

	rng_token(v.token);
	v.a = 1 + (int64_t)(i % 4);
	v.b = 1 + (int64_t)((i + 1 + i / 4 % 3) % 4);
	v.choice = (enum vote_choice)(i / 3 % VOTE__MAX);
	return v;
}

__attribute__((unused)) static enum err
arena_vote_find(struct db *db, struct arena_vote *v)
{
	struct db_stmt *st = db_stmt(db,
	    "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	    " WHERE match.token = ?1");
	enum err e;

	db_bind_z(st, 1, v->token);
	e = db_row(st);
	if (e == ERR_OK) {
		v->n = db_int(st, 0);
		v->was_there = true;
	}
	db_done(st);
	return e;
}

__attribute__((unused)) static enum err
arena_match_put(struct db *db, const struct arena_vote *v, int64_t now)
{
	struct db_stmt *st = db_stmt(db,
	    "INSERT INTO match (token, voter, activity, question, setup,"
	    " answer_a, answer_b, state, policy, probability, made_at, ends_at)"
	    " VALUES (?1, 1, 1, 1, 1, ?2, ?3, 'voted', 'random', 1, ?4, ?4)");

	db_bind_z(st, 1, v->token);
	db_bind_int(st, 2, v->a);
	db_bind_int(st, 3, v->b);
	db_bind_int(st, 4, now);
	return db_run(st);
}

__attribute__((unused)) static enum err
arena_match_close(struct db *db, const struct arena_vote *v)
{
	struct db_stmt *st =
	    db_stmt(db, "UPDATE match SET state = 'voted' WHERE token = ?1");

	db_bind_z(st, 1, v->token);
	return db_run(st);
}

/* Open matches, each of a voter of its own, that wait for their votes. */
struct arena_matches {
	struct arena_vote *votes; /* n of them, filled */
	size_t n;
};

__attribute__((unused)) static enum err
arena_matches_fn(struct store_tx *tx, void *arg)
{
	struct arena_matches *m = arg;
	enum err e = ERR_OK;

	for (size_t i = 0; e == ERR_OK && i < m->n; i++) {
		struct arena_vote *v = &m->votes[i];
		struct db_stmt *st;
		int64_t account;

		*v = arena_vote_make(i);
		v->prepared = true;
		st = db_stmt(tx->db, "INSERT INTO account (kind, created_at)"
				     " VALUES ('guest', 1)");
		e = db_run(st);
		account = db_last_id(tx->db);
		if (e == ERR_OK)
			e = arena_match_put(tx->db, v, tx->now);
		if (e != ERR_OK)
			break;
		st = db_stmt(tx->db,
		    "UPDATE match SET state = 'open', voter = ?2"
		    " WHERE token = ?1");
		db_bind_z(st, 1, v->token);
		db_bind_int(st, 2, account);
		e = db_run(st);
	}
	return e;
}

__attribute__((unused)) static enum err
arena_vote_put(struct db *db, const struct arena_vote *v,
    const struct recount_effect *f, int64_t now)
{
	struct db_stmt *st = db_stmt(db,
	    "INSERT INTO vote (match, n, voter, choice, cast_at, counted, why,"
	    " before_a, after_a, before_b, after_b)"
	    " SELECT id, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10"
	    " FROM match WHERE token = ?1");

	db_bind_z(st, 1, v->token);
	db_bind_int(st, 2, v->n);
	db_bind_z(st, 3, vote_choice_name(v->choice));
	db_bind_int(st, 4, now);
	db_bind_int(st, 5, v->counted);
	db_bind_z(st, 6, v->counted ? "" : "too_fast");
	if (v->counted) {
		db_bind_real(st, 7, f->before_a);
		db_bind_real(st, 8, f->after_a);
		db_bind_real(st, 9, f->before_b);
		db_bind_real(st, 10, f->after_b);
	}
	return db_run(st);
}

static const struct elo_rule arena_rule = ELO_RULE_DEFAULT;

/* Match, ledger line, rating and vote, as the real vote path has them. */
__attribute__((unused)) static enum err
arena_vote_fn(struct store_tx *tx, void *arg)
{
	struct arena_vote *v = arg;
	char va[4] = { 'v', (char)('0' + v->a) };
	char vb[4] = { 'v', (char)('0' + v->b) };
	struct recount_effect effect;
	struct ledger_entry e = { .t = tx->now,
		.kind = LEDGER_VOTE,
		.match = str_of(v->token),
		.question = STR("q1"),
		.type = STR("coding"),
		.va = str_of(va),
		.vb = str_of(vb),
		.sa = 1,
		.sb = 1,
		.setup = STR("setup-digest"),
		.activity = STR("act"),
		.choice = v->choice,
		.counted = v->counted,
		.why = v->counted ? STR("") : STR("too_fast"),
		.voter = STR("u1") };
	enum err err = arena_vote_find(tx->db, v);

	if (err != ERR_NOTFOUND)
		return err;
	err = v->prepared ? arena_match_close(tx->db, v)
			  : arena_match_put(tx->db, v, tx->now);
	if (err == ERR_OK)
		err = ledger_stage(tx, &e);
	if (err == ERR_OK)
		err = recount_apply(tx, &e, &arena_rule, &effect);
	v->n = e.n;
	if (err == ERR_OK)
		err = arena_vote_put(tx->db, v, &effect, tx->now);
	return err == ERR_OK ? v->then : err;
}

/* n votes one after another; the error of the first that failed. */
__attribute__((unused)) static enum err
arena_votes(struct store *s, uint64_t from, uint64_t n)
{
	enum err e = ERR_OK;

	for (uint64_t i = from; e == ERR_OK && i < from + n; i++) {
		struct arena_vote v = arena_vote_make(i);

		e = store_write(s, arena_vote_fn, &v);
	}
	return e;
}

/* Rows that a count(*) query gives; -1 on failure. */
__attribute__((unused)) static int64_t
arena_count(const struct scratch *s, const char *sql)
{
	struct db *db = NULL;
	struct db_stmt *st;
	int64_t n = -1;

	if (db_open(&db, s->database, DB_READ) != ERR_OK)
		return -1;
	st = db_stmt(db, sql);
	if (db_row(st) == ERR_OK)
		n = db_int(st, 0);
	db_done(st);
	db_close(db);
	return n;
}

/* Does table rating equal a replay of table ledger? */
__attribute__((unused)) static bool
arena_ratings_hold(const struct scratch *s)
{
	struct recount_report r = { .votes = 0 };
	struct db *db = NULL;
	enum err e;

	if (db_open(&db, s->database, DB_READ) != ERR_OK)
		return false;
	buf_init(&r.where, 4096);
	e = recount_verify(db, &arena_rule, &r);
	if (e != ERR_OK)
		printf("# %s: %.*s\n", err_name(e), (int)r.where.n,
		    r.where.n == 0 ? "" : r.where.p);
	buf_release(&r.where);
	db_close(db);
	return e == ERR_OK;
}

/* Whole file, NUL-terminated; caller frees.  NULL: cannot be read. */
__attribute__((unused)) static char *
slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	size_t room = 1 << 16, got;
	char *p = malloc(room);

	*n = 0;
	while (f != NULL && p != NULL &&
	       (got = fread(p + *n, 1, room - *n - 1, f)) > 0) {
		*n += got;
		if (room - *n < 2)
			p = realloc(p, room *= 2);
	}
	if (f == NULL || p == NULL) {
		free(p);
		return NULL;
	}
	fclose(f);
	p[*n] = '\0';
	return p;
}

__attribute__((unused)) static void
spill(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

#endif /* PA_TEST_ARENA_H */
