/*
 * This file knows how to talk to SQLite, safely and from one thread each:
 * connections, their transactions and their write-ahead log.
 */
#include "config.h"

#include "port/db.h"

#include <sqlite3.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "port/db_parts.h"

#define DB_READ_CACHE_KIB "512"

enum {
	DB_BUSY_MS = 5000,      /* how long a lock is waited for */
	DB_CHECKPOINT_MS = 200, /* the same while emptying the log */
	DB_STEPS = 4000,        /* virtual machine steps between looks at the
				   deadline, about 0.1 ms */
	DB_LENGTH_MAX = 64 << 20,
	DB_SQL_MAX = 1 << 20
};

static enum err check_file(const char *path, enum db_mode mode);
static enum err set_up(struct db *db);
static enum err set_up_writer(struct db *db);
static enum err pragma_is(struct db *db, const char *sql, const char *want);
static void reset_busy(struct db *db, const char *where);
static enum err plain(struct db *db, const char *sql);
static int on_progress(void *arg);
static int on_commit(void *arg, sqlite3 *h, const char *name, int pages);

/*
 * A connection that crossed a fork corrupts the file even by being closed
 * (SQLite's "how to corrupt", fork), so a child must never use its parent's.
 */
static atomic_uint forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
forked(void)
{
	atomic_fetch_add(&forks, 1);
}

static void
begin_library(void)
{
	/* Nobody asks how much memory it uses; counting takes locks. */
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* Pages one by one, not twenty ahead for each of many connections. */
	(void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	(void)pthread_atfork(NULL, NULL, forked);
}

enum err
db_open(struct db **out, const char *path, enum db_mode mode)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	struct db *db;
	enum err e;
	int rc;

	pthread_once(&once, begin_library);
	e = check_file(path, mode);
	if (e != ERR_OK)
		return e;
	db = calloc(1, sizeof(*db));
	if (db == NULL)
		return ERR_NOMEM;
	db->mode = mode;
	db->owner = pthread_self();
	db->generation = atomic_load(&forks);
	db->oom = (struct db_stmt){ .db = db, .fail = ERR_NOMEM };

	flags |= mode == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	if (mode == DB_CREATE)
		flags |= SQLITE_OPEN_CREATE;
	rc = sqlite3_open_v2(path, &db->h, flags, NULL);
	e = rc == SQLITE_OK ? set_up(db) : db_fail(db, rc, path);
	if (e != ERR_OK) {
		db_close(db);
		return e;
	}
	*out = db;
	return ERR_OK;
}

void
db_close(struct db *db)
{
	int rc;

	if (db == NULL)
		return;
	assert(db_owned(db));
	db_stmts_close(db);
	rc = sqlite3_close(db->h);
	if (rc != SQLITE_OK)
		log_error("database: closing failed (%d)", rc);
	free(db);
}

void
db_adopt(struct db *db)
{
	db->owner = pthread_self();
}

void
db_deadline(struct db *db, int64_t mono_ms)
{
	db->deadline = mono_ms;
	sqlite3_progress_handler(
	    db->h, DB_STEPS, mono_ms == 0 ? NULL : on_progress, db);
}

const char *
db_library(void)
{
	return sqlite3_libversion();
}

enum err
db_begin(struct db *db)
{
	/*
	 * A deferred transaction that reads before it writes fails at once
	 * when somebody wrote in between; an immediate one waits.
	 */
	return plain(db, db->mode == DB_READ ? "BEGIN" : "BEGIN IMMEDIATE");
}

enum err
db_end(struct db *db, enum err e)
{
	enum err commit;

	reset_busy(db, "the end of a transaction");
	if (!db_in_transaction(db)) {
		/* SQLite has rolled back by itself (full, i/o, memory). */
		return e == ERR_OK ? ERR_IO : e;
	}
	if (e == ERR_OK) {
		commit = plain(db, "COMMIT");
		if (commit == ERR_OK)
			return ERR_OK;
		e = commit;
	}
	if (db_in_transaction(db) && plain(db, "ROLLBACK") != ERR_OK)
		log_error("database: a transaction could not be undone");
	return e;
}

enum err
db_savepoint(struct db *db)
{
	return plain(db, "SAVEPOINT one");
}

enum err
db_release(struct db *db, enum err e)
{
	enum err undo;

	if (!db_in_transaction(db))
		return e == ERR_OK ? ERR_IO : e;
	if (e != ERR_OK) {
		reset_busy(db, "an undone savepoint");
		undo = plain(db, "ROLLBACK TO one");
		if (undo != ERR_OK)
			log_error("database: a savepoint could not be undone");
	}
	undo = plain(db, "RELEASE one");
	return e == ERR_OK ? undo : e;
}

bool
db_in_transaction(const struct db *db)
{
	return sqlite3_get_autocommit(db->h) == 0;
}

enum err
db_script(struct db *db, const char *sql)
{
	int rc;

	assert(db_owned(db));
	rc = sqlite3_exec(db->h, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? ERR_OK : db_fail(db, rc, sql);
}

enum err
db_checkpoint(struct db *db, enum db_checkpoint how)
{
	int left = 0, done = 0, rc;

	assert(db_owned(db));
	assert(db->mode != DB_READ);
	sqlite3_busy_timeout(db->h, DB_CHECKPOINT_MS);
	rc = sqlite3_wal_checkpoint_v2(db->h, NULL,
	    how == DB_CHECKPOINT_ALL ? SQLITE_CHECKPOINT_TRUNCATE
				     : SQLITE_CHECKPOINT_PASSIVE,
	    &left, &done);
	sqlite3_busy_timeout(db->h, DB_BUSY_MS);
	if (rc == SQLITE_BUSY)
		return ERR_BUSY;
	if (rc != SQLITE_OK)
		return db_fail(db, rc, "checkpoint");
	if (how == DB_CHECKPOINT_ALL)
		db->log_pages = 0;
	return left == done ? ERR_OK : ERR_BUSY;
}

void
db_shrink(struct db *db)
{
	assert(db_owned(db));
	(void)sqlite3_db_release_memory(db->h);
}

int64_t
db_log_pages(const struct db *db)
{
	return db->log_pages;
}

int64_t
db_last_id(const struct db *db)
{
	return sqlite3_last_insert_rowid(db->h);
}

int64_t
db_changes(const struct db *db)
{
	return sqlite3_changes64(db->h);
}

bool
db_owned(const struct db *db)
{
	return pthread_equal(db->owner, pthread_self()) &&
	       db->generation == atomic_load(&forks);
}

/* ------------------------------------------------------------ helpers */

static enum err
check_file(const char *path, enum db_mode mode)
{
	struct stat sb;

	/* Never open() it: closing would drop SQLite's POSIX locks. */
	if (stat(path, &sb) == 0) {
		if (S_ISREG(sb.st_mode))
			return ERR_OK;
		log_error("database %s: not a regular file", path);
		return ERR_IO;
	}
	if (errno == ENOENT && mode == DB_CREATE)
		return ERR_OK;
	if (errno == ENOENT || errno == ENOTDIR)
		return ERR_NOTFOUND;
	log_error("database %s: cannot be looked at (%s)", path, log_errno());
	return ERR_IO;
}

static enum err
set_up(struct db *db)
{
	sqlite3 *h = db->h;
	enum err e;

	sqlite3_busy_timeout(h, DB_BUSY_MS);
	sqlite3_limit(h, SQLITE_LIMIT_LENGTH, DB_LENGTH_MAX);
	sqlite3_limit(h, SQLITE_LIMIT_SQL_LENGTH, DB_SQL_MAX);
	sqlite3_limit(h, SQLITE_LIMIT_ATTACHED, 1); /* VACUUM INTO needs it */
	sqlite3_db_config(h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* A misspelt column in double quotes must not become a string. */
	sqlite3_db_config(h, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);

	/* The one writer checkpoints when it says so; nobody else ever. */
	sqlite3_wal_autocheckpoint(h, 0);
	if (db->mode == DB_READ)
		sqlite3_db_config(h, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);

	e = db_script(db, "PRAGMA temp_store = MEMORY;"
			  "PRAGMA mmap_size = 0;"
			  "PRAGMA cell_size_check = ON;"
			  "PRAGMA foreign_keys = ON");
	/* A reader's pages are worth nothing after the next commit, and there
	 * are many readers: a small cache each. */
	if (e == ERR_OK && db->mode == DB_READ)
		e = db_script(db, "PRAGMA cache_size = -" DB_READ_CACHE_KIB);
	if (e == ERR_OK)
		e = pragma_is(db, "PRAGMA foreign_keys", "1");
	/* Opening is lazy: read the header now. */
	if (e == ERR_OK)
		e = db_script(db, "SELECT count(*) FROM sqlite_schema");
	if (e != ERR_OK)
		return e;
	/* Not query_only: that would forbid VACUUM INTO another file as well.
	 */
	return db->mode == DB_READ ? ERR_OK : set_up_writer(db);
}

static enum err
set_up_writer(struct db *db)
{
	enum err e = pragma_is(db, "PRAGMA journal_mode = WAL", "wal");

	if (e == ERR_OK)
		e = db_script(db, "PRAGMA synchronous = FULL;"
				  "PRAGMA journal_size_limit = 67108864");
	if (e == ERR_OK)
		e = pragma_is(db, "PRAGMA synchronous", "2");
	if (e == ERR_OK)
		sqlite3_wal_hook(db->h, on_commit, db);
	return e;
}

static enum err
pragma_is(struct db *db, const char *sql, const char *want)
{
	struct db_stmt *st = db_stmt(db, sql);
	enum err e = db_row(st);

	if (e == ERR_OK && !str_is(db_str(st, 0, NULL), want)) {
		log_error("database: %s does not take effect", sql);
		e = ERR_IO;
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_IO : e;
}

/* A statement left in mid-row would keep its snapshot, and the log growing. */
static void
reset_busy(struct db *db, const char *where)
{
	sqlite3_stmt *st = NULL;

	while ((st = sqlite3_next_stmt(db->h, st)) != NULL) {
		if (sqlite3_stmt_busy(st)) {
			log_error("database: still open at %s: %.200s", where,
			    sqlite3_sql(st));
			sqlite3_reset(st);
		}
	}
}

static enum err
plain(struct db *db, const char *sql)
{
	return db_run(db_stmt(db, sql));
}

static int
on_progress(void *arg)
{
	const struct db *db = arg;

	return clock_mono_ms() > db->deadline;
}

static int
on_commit(void *arg, sqlite3 *h, const char *name, int pages)
{
	struct db *db = arg;

	(void)h;
	(void)name;
	db->log_pages = pages;
	return SQLITE_OK;
}
