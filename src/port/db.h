/*
 * db - SQLite, and nothing else knows it is SQLite.
 *
 * Layer    port: base and sqlite3.
 * Memory   db_open allocates; db_close frees.  Text results are copied into
 *          the caller's pool.
 * Threads  a struct db belongs to the thread that opened it (asserted).
 *
 * One connection in the whole system is opened DB_WRITE: it alone writes and
 * checkpoints (SQLite before 3.51.3 can lose committed rows otherwise).
 */
#ifndef PA_DB_H
#define PA_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

struct db;
struct db_stmt;

enum db_mode {
	DB_READ,  /* SQLITE_OPEN_READONLY, never checkpoints */
	DB_WRITE, /* must exist already */
	DB_CREATE /* as DB_WRITE; makes the file when there is none */
};

/* ERR_NOTFOUND no file; ERR_CORRUPT not a database; ERR_IO. */
enum err db_open(
    struct db **out, const char *path, enum db_mode mode) PA_MUST_USE;
void db_close(struct db *db);

/* A connection opened by one thread (start-up) becomes the caller's. */
void db_adopt(struct db *db);

/*
 * From now on statements give up with ERR_BUSY once clock_mono_ms passes
 * mono_ms; 0 takes the limit away.
 */
void db_deadline(struct db *db, int64_t mono_ms);

/* "3.40.1", for logs. */
const char *db_library(void);

/*
 * The statement for this text, reset and with nothing bound.  sql must be a
 * string literal: statements are cached by its address.  A text that does
 * not prepare is our own fault: logged, and every call on the result says
 * ERR_INTERNAL.  Never NULL.
 */
struct db_stmt *db_stmt(struct db *db, const char *sql);

/* Parameters count from 1.  Text and bytes must live until the next reset. */
void db_bind_int(struct db_stmt *st, int i, int64_t v);
void db_bind_real(struct db_stmt *st, int i, double v);
void db_bind_null(struct db_stmt *st, int i);
void db_bind_z(struct db_stmt *st, int i, const char *z);  /* NULL → NULL */
void db_bind_str(struct db_stmt *st, int i, struct str s); /* absent → NULL */
void db_bind_text(struct db_stmt *st, int i, struct text t);
void db_bind_blob(struct db_stmt *st, int i, const void *p, size_t n);

/*
 * Step to the next row: ERR_OK a row is there; ERR_NOTFOUND no more, and the
 * statement is reset; anything else a failure, and it is reset.
 */
enum err db_row(struct db_stmt *st) PA_MUST_USE;

/* Done with the rows before their end. */
void db_done(struct db_stmt *st);

/*
 * Run to completion and reset.  ERR_CONFLICT for a UNIQUE or PRIMARY KEY
 * violation, ERR_INVALID for CHECK, NOT NULL and foreign keys, ERR_FULL for
 * no space, ERR_BUSY, ERR_IO, ERR_CORRUPT.
 */
enum err db_run(struct db_stmt *st) PA_MUST_USE;

/* Of a query that answers with one number: that number, column 0 of its first
 * row.  As db_row, and done; *out is untouched without a row. */
enum err db_scalar(struct db_stmt *st, int64_t *out) PA_MUST_USE;

/* Is there a row?  Done; no row is no failure. */
enum err db_exists(struct db_stmt *st, bool *out) PA_MUST_USE;

/* Columns count from 0, valid until the next step or reset. */
int64_t db_int(struct db_stmt *st, int col);
double db_real(struct db_stmt *st, int col);
bool db_is_null(struct db_stmt *st, int col);
/* With pool NULL they are borrowed instead, until the next step or reset. */
struct str db_str(struct db_stmt *st, int col, struct pool *pool);
struct text db_text(struct db_stmt *st, int col, struct pool *pool);

int64_t db_last_id(const struct db *db);
int64_t db_changes(const struct db *db);

/*
 * Transactions.  db_begin is BEGIN IMMEDIATE on a writing connection and a
 * plain read transaction on a reading one; db_end commits on ERR_OK and
 * rolls back otherwise, and returns the first failure.
 */
enum err db_begin(struct db *db) PA_MUST_USE;
enum err db_end(struct db *db, enum err e) PA_MUST_USE;

/* Savepoints inside a transaction of the writer. */
enum err db_savepoint(struct db *db) PA_MUST_USE;
enum err db_release(struct db *db, enum err e) PA_MUST_USE;

/* False also when SQLite undid a transaction by itself (disk full). */
bool db_in_transaction(const struct db *db);

/* Several statements without parameters: schema files. */
enum err db_script(struct db *db, const char *sql) PA_MUST_USE;

/*
 * Copy pages from the write-ahead log into the database file, on the one
 * writing connection and outside transactions.  DB_CHECKPOINT_SOME does what
 * readers allow; DB_CHECKPOINT_ALL waits a little for them and empties the
 * log file.  ERR_BUSY: readers held part of it back.
 */
enum db_checkpoint {
	DB_CHECKPOINT_SOME,
	DB_CHECKPOINT_ALL
};
enum err db_checkpoint(struct db *db, enum db_checkpoint how) PA_MUST_USE;

/*
 * Give up the pages kept in memory, after work that read much of the file
 * once and will not soon do so again.
 */
void db_shrink(struct db *db);

/* Pages in the write-ahead log after the last commit; 0 once emptied. */
int64_t db_log_pages(const struct db *db);

#endif /* PA_DB_H */
