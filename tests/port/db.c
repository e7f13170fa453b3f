/* This file knows what port/db promises of SQLite, and tries each promise. */
#include "config.h"

#include "port/db.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "../tap.h"

static char dir[64];
static char path[96];

static void
scratch(void)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/pa-db-XXXXXX");
	if (mkdtemp(dir) == NULL)
		abort();
	(void)snprintf(path, sizeof(path), "%s/t.db", dir);
}

static void
scratch_remove(void)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	char name[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		(void)unlink(name);
	}
	(void)rmdir(dir);
}

static void
spill(const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		abort();
}

static struct db *
fresh(void)
{
	struct db *db = NULL;

	(void)unlink(path);
	if (db_open(&db, path, DB_CREATE) != ERR_OK)
		abort();
	if (db_script(db, "CREATE TABLE t (id INTEGER PRIMARY KEY,"
			  " u TEXT UNIQUE, n INTEGER NOT NULL CHECK (n < 100),"
			  " p INTEGER REFERENCES t(id)) STRICT") != ERR_OK)
		abort();
	return db;
}

static enum err
put(struct db *db, int64_t id, const char *u, int64_t n)
{
	struct db_stmt *st =
	    db_stmt(db, "INSERT INTO t (id, u, n) VALUES (?1, ?2, ?3)");

	db_bind_int(st, 1, id);
	db_bind_z(st, 2, u);
	db_bind_int(st, 3, n);
	return db_run(st);
}

static int64_t
count(struct db *db)
{
	struct db_stmt *st = db_stmt(db, "SELECT count(*) FROM t");
	int64_t n = -1;

	if (db_row(st) == ERR_OK)
		n = db_int(st, 0);
	db_done(st);
	return n;
}

static void
opening(void)
{
	struct db *db = NULL;
	char junk[8192];

	is_int(db_open(&db, path, DB_READ), ERR_NOTFOUND, "no file to read");
	is_int(db_open(&db, path, DB_WRITE), ERR_NOTFOUND, "none to write");
	ok(access(path, F_OK) != 0, "and none was made");
	is_int(db_open(&db, dir, DB_READ), ERR_IO, "a folder is no database");
	memset(junk, 'x', sizeof(junk));
	spill(junk, sizeof(junk));
	is_int(db_open(&db, path, DB_READ), ERR_CORRUPT, "junk is none");
	is_int(db_open(&db, path, DB_WRITE), ERR_CORRUPT, "nor for writing");
	ok(db == NULL, "the result is untouched by failures");
	(void)unlink(path);
}

static void
failures(void)
{
	struct db *db = fresh();
	struct db_stmt *st;
	const char *wrong = "SELECT nothing FROM nowhere";

	is_int(put(db, 1, "a", 1), ERR_OK, "a row");
	is_int(db_last_id(db), 1, "its id");
	is_int(db_changes(db), 1, "one change");
	is_int(put(db, 1, "b", 1), ERR_CONFLICT, "a PRIMARY KEY twice");
	is_int(put(db, 2, "a", 1), ERR_CONFLICT, "a UNIQUE value twice");
	is_int(put(db, 2, "b", 100), ERR_INVALID, "CHECK");
	st = db_stmt(db, "INSERT INTO t (id, u) VALUES (3, 'c')");
	is_int(db_run(st), ERR_INVALID, "NOT NULL");
	st = db_stmt(db, "INSERT INTO t (id, n, p) VALUES (4, 1, 77)");
	is_int(db_run(st), ERR_INVALID, "a foreign key");
	st = db_stmt(db, "INSERT INTO t (id, n) VALUES (5, ?1)");
	db_bind_z(st, 1, "abc");
	is_int(db_run(st), ERR_INVALID, "text in a STRICT integer column");

	st = db_stmt(db, wrong);
	ok(st != NULL, "a text that does not prepare still gives a statement");
	db_bind_int(st, 1, 1);
	is_int(db_row(st), ERR_INTERNAL, "that says so to db_row");
	is_int(db_run(st), ERR_INTERNAL, "and to db_run");
	is_int(db_int(st, 0), 0, "and has empty columns");
	st = db_stmt(db, "SELECT \"nosuch\" FROM t");
	is_int(db_row(st), ERR_INTERNAL, "a misspelt column is no string");
	st = db_stmt(db, "SELECT 1; SELECT 2");
	is_int(db_row(st), ERR_INTERNAL, "two statements are not one");
	st = db_stmt(db, "SELECT ?1");
	db_bind_int(st, 9, 1);
	is_int(db_row(st), ERR_INTERNAL, "a parameter that is not there");
	is_int(db_script(db, "CREATE TABLE"), ERR_INTERNAL, "a bad script");
	db_close(db);
}

static void
answers(void)
{
	struct db *db = fresh();
	struct db_stmt *st = db_stmt(db, "SELECT id FROM t WHERE u = 'a'");
	int64_t n = 7;
	bool there = true;

	is_int(db_scalar(st, &n), ERR_NOTFOUND, "no row: no number");
	is_int(n, 7, "which stays as it was");
	is_int(db_exists(st, &there), ERR_OK, "whether there is one");
	ok(!there, "has an answer");
	is_int(put(db, 3, "a", 1), ERR_OK, "a row");
	st = db_stmt(db, "SELECT id FROM t WHERE u = 'a'");
	is_int(db_scalar(st, &n), ERR_OK, "is found");
	is_int(n, 3, "by its number");
	is_int(db_exists(st, &there), ERR_OK, "asked again");
	ok(there, "it is there");
	st = db_stmt(db, "SELECT max(n) FROM t WHERE id > 9");
	is_int(db_scalar(st, &n), ERR_OK, "a row without a number");
	is_int(n, 0, "says 0");
	st = db_stmt(db, "SELECT nothing FROM nowhere");
	is_int(db_scalar(st, &n), ERR_INTERNAL, "what fails is no number");
	is_int(db_exists(st, &there), ERR_INTERNAL, "nor an absence");
	db_close(db);
}

static void
values(void)
{
	struct db *db = fresh();
	struct pool *pool = pool_open(4096);
	struct db_stmt *st = db_stmt(db, "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7");
	struct str s;

	db_bind_int(st, 1, INT64_MIN);
	db_bind_real(st, 2, 0.1);
	db_bind_null(st, 3);
	db_bind_str(st, 4, (struct str){ "a\0b", 3 });
	db_bind_text(st, 5, TEXT("é"));
	db_bind_blob(st, 6, "\xff\x00", 2);
	db_bind_str(st, 7, STR(""));
	is_int(db_row(st), ERR_OK, "a row of values");
	is_int(db_int(st, 0), INT64_MIN, "integer");
	is_real(db_real(st, 1), 0.1, 0, "real");
	ok(db_is_null(st, 2) && db_str(st, 2, pool).p == NULL, "absent");
	s = db_str(st, 3, pool);
	ok(str_eq(s, (struct str){ "a\0b", 3 }), "bytes with a NUL inside");
	is_str(db_text(st, 4, pool), "é", "text");
	is_int(db_str(st, 5, pool).n, 2, "blob");
	s = db_str(st, 6, pool);
	ok(s.p != NULL && s.n == 0, "empty is not absent");
	is_int(db_row(st), ERR_NOTFOUND, "and no more rows");
	st = db_stmt(db, "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7");
	is_int(db_row(st), ERR_OK, "asked again");
	ok(db_is_null(st, 0) && db_is_null(st, 3), "nothing is left bound");
	db_done(st);
	pool_close(pool);
	db_close(db);
}

static void
transactions(void)
{
	struct db *db = fresh(), *reader = NULL;
	struct db_stmt *st;

	is_int(db_begin(db), ERR_OK, "begin");
	ok(db_in_transaction(db), "is in a transaction");
	is_int(put(db, 1, "a", 1), ERR_OK, "write");
	is_int(db_end(db, ERR_CLOSED), ERR_CLOSED, "undone with its reason");
	is_int(count(db), 0, "nothing stays");

	is_int(db_begin(db), ERR_OK, "begin");
	is_int(db_savepoint(db), ERR_OK, "savepoint");
	is_int(put(db, 1, "a", 1), ERR_OK, "write");
	is_int(db_release(db, ERR_OK), ERR_OK, "kept");
	is_int(db_savepoint(db), ERR_OK, "savepoint");
	is_int(put(db, 2, "b", 1), ERR_OK, "write");
	is_int(db_release(db, ERR_LIMIT), ERR_LIMIT, "undone");
	is_int(db_end(db, ERR_OK), ERR_OK, "commit");
	is_int(count(db), 1, "the one that was kept is there");
	ok(db_log_pages(db) > 0, "the log has pages");

	is_int(db_open(&reader, path, DB_READ), ERR_OK, "a reader");
	is_int(db_begin(reader), ERR_OK, "its transaction");
	is_int(count(reader), 1, "sees the row");
	is_int(put(db, 2, "b", 1), ERR_OK, "another is written");
	is_int(count(reader), 1, "the reader keeps its snapshot");
	is_int(db_checkpoint(db, DB_CHECKPOINT_ALL), ERR_BUSY,
	    "the log cannot be emptied under it");
	is_int(db_end(reader, ERR_OK), ERR_OK, "until it ends");
	is_int(count(reader), 2, "and sees both");
	is_int(db_checkpoint(db, DB_CHECKPOINT_ALL), ERR_OK, "now it can");
	is_int(db_log_pages(db), 0, "and is empty");
	st = db_stmt(reader, "DELETE FROM t");
	ok(db_run(st) != ERR_OK, "a reader cannot write");
	is_int(count(db), 2, "and did not");

	/* A loop left in the middle must not keep a snapshot. */
	is_int(db_begin(reader), ERR_OK, "begin");
	st = db_stmt(reader, "SELECT id FROM t ORDER BY id");
	is_int(db_row(st), ERR_OK, "first of two rows");
	is_int(db_end(reader, ERR_OK), ERR_OK, "the end closes it");
	is_int(put(db, 3, "c", 1), ERR_OK, "write");
	is_int(db_checkpoint(db, DB_CHECKPOINT_ALL), ERR_OK, "nothing is held");
	db_close(reader);
	db_close(db);
}

static int64_t
cache_size(struct db *db)
{
	struct db_stmt *st = db_stmt(db, "PRAGMA cache_size");
	int64_t n = 0;

	if (db_row(st) == ERR_OK)
		n = db_int(st, 0);
	db_done(st);
	return n;
}

/* What many readers keep is small, and giving it up loses nothing. */
static void
caches(void)
{
	struct db *w = fresh(), *r = NULL;

	is_int(put(w, 1, "a", 1), ERR_OK, "a row");
	if (db_open(&r, path, DB_READ) != ERR_OK)
		abort();
	is_int(cache_size(r), -512, "a reader keeps half a megabyte of pages");
	ok(cache_size(w) < -512, "the writer keeps more");
	is_int(db_begin(r), ERR_OK, "a look begins");
	is_int(count(r), 1, "one row");
	is_int(put(w, 2, "b", 2), ERR_OK, "another row meanwhile");
	db_shrink(r);
	is_int(count(r), 1, "without its pages the look is the same");
	is_int(db_end(r, ERR_OK), ERR_OK, "and ends");
	is_int(count(r), 2, "the next one sees both");
	db_shrink(w);
	is_int(put(w, 3, "c", 3), ERR_OK, "the writer writes on");
	db_close(r);
	db_close(w);
}

static void
locked(void)
{
	struct db *db = fresh(), *other = NULL;
	struct db_stmt *st;

	is_int(db_open(&other, path, DB_WRITE), ERR_OK, "a second writer");
	is_int(db_begin(db), ERR_OK, "the first one begins");
	st = db_stmt(other, "PRAGMA busy_timeout = 20");
	is_int(db_run(st), ERR_OK, "the second has little patience");
	is_int(db_begin(other), ERR_BUSY, "and is busy");
	is_int(db_end(db, ERR_OK), ERR_OK, "the first ends");
	is_int(db_begin(other), ERR_OK, "the second's turn");
	is_int(db_end(other, ERR_OK), ERR_OK, "ends");

	db_deadline(db, clock_mono_ms());
	st = db_stmt(db, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL"
			 " SELECT i + 1 FROM c) SELECT max(i) FROM c");
	is_int(db_row(st), ERR_BUSY, "an endless query meets its deadline");
	db_deadline(db, 0);
	is_int(count(db), 0, "and the connection goes on");
	db_close(other);
	db_close(db);
}

static void *
adopt(void *arg)
{
	struct db *db = arg;

	db_adopt(db);
	return count(db) == 0 ? db : NULL;
}

static void
threads(void)
{
	struct db *db = fresh();
	pthread_t t;
	void *got = NULL;
	pid_t pid;
	int status = 0;

	pthread_create(&t, NULL, adopt, db);
	pthread_join(t, &got);
	ok(got == db, "another thread adopts and uses it");
	db_adopt(db);
	pid = fork();
	if (pid == 0) {
		/* Abort quietly: no core, no message. */
		(void)close(STDERR_FILENO);
		(void)db_stmt(db, "SELECT 1");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
	    "a forked child may not touch it");
	db_close(db);
}

/* In a child, whose file size limit ends with it. */
static int
fill(void)
{
	struct db *db = fresh();
	struct rlimit lim = { 200 * 1024, RLIM_INFINITY };
	enum err e = ERR_OK;
	int64_t i, kept;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &lim) != 0)
		return 1;
	lim.rlim_cur = 200 * 1024;
	if (setrlimit(RLIMIT_FSIZE, &lim) != 0)
		return 1;
	for (i = 1; e == ERR_OK && i < 10000; i++)
		e = put(db, i, NULL, 1);
	if (e != ERR_FULL)
		return 2;
	kept = i - 2;
	if (count(db) != kept)
		return 3;
	lim.rlim_cur = lim.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &lim) != 0)
		return 1;
	if (put(db, 20000, NULL, 1) != ERR_OK || count(db) != kept + 1)
		return 4;
	db_close(db);
	return 0;
}

static void
full(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(fill());
	waitpid(pid, &status, 0);
	is_int(status, 0, "no space is ERR_FULL, loses nothing, and heals");
}

int
main(void)
{
	scratch();
	opening();
	failures();
	answers();
	values();
	transactions();
	caches();
	locked();
	threads();
	full();
	scratch_remove();
	return done_testing();
}
