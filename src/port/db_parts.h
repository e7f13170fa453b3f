/*
 * db_parts - what the files of db share and nobody else sees.
 *
 * Layer    port: base and sqlite3.
 * Memory   a connection owns its statements.
 * Threads  the connection's.
 */
#ifndef PA_DB_PARTS_H
#define PA_DB_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "port/db.h"

struct sqlite3;
struct sqlite3_stmt;

struct db_stmt {
	struct db *db;
	const char *sql;         /* the key: its address */
	struct sqlite3_stmt *st; /* NULL when it did not prepare */
	enum err fail; /* of preparing or binding; answers every call */
};

struct db {
	struct sqlite3 *h;
	enum db_mode mode;
	pthread_t owner;
	unsigned generation; /* forks seen when it was opened */
	int64_t deadline;
	int64_t log_pages;
	struct db_stmt **slots; /* open addressing, a power of two */
	size_t slots_n, used;
	struct db_stmt oom; /* answers when there is no memory */
};

/* Is this the thread and the process that db belongs to? */
bool db_owned(const struct db *db);

/* Free all statements, before db is closed. */
void db_stmts_close(struct db *db);

/*
 * What SQLite's rc means for us.  Logged there, once, with what was tried;
 * callers pass the code up.
 */
enum err db_fail(const struct db *db, int rc, const char *what);

#endif /* PA_DB_PARTS_H */
