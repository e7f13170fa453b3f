/*
 * store_parts - what the files of the store share; nobody else includes it.
 *
 * Layer    model; also its tests.
 * Memory   stated with each function.
 * Threads  start-up functions run before the writer thread exists.
 */
#ifndef PA_STORE_PARTS_H
#define PA_STORE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/ledger_parts.h"
#include "model/store.h"

/* "PrAr": what PRAGMA application_id says of our files. */
#define STORE_APPLICATION_ID 0x50724172

/* --------------------------------------------------------------- locks */

/*
 * What keeps two services from writing to one arena.  The lock file is found
 * by a name, which can be removed or be another one (a hard link), so the two
 * files that are written to are locked as well.
 */
struct store_hold {
	int name, ledger, database; /* descriptors, or -1 */
};
#define STORE_HOLD_NONE ((struct store_hold){ -1, -1, -1 })

/*
 * Take what is there and not yet held.  ERR_BUSY: another holds one of them,
 * which the log names.  store_let_go comes after the last connection was
 * closed: closing a descriptor of the database drops SQLite's own locks.
 */
enum err store_hold(struct store_hold *h, const char *path,
    const char *ledger_path) PA_MUST_USE;
void store_let_go(struct store_hold *h);

/* ------------------------------------------------------------- schema */

struct store_step {
	int64_t version; /* that the database has afterwards */
	const char *sql;
};

struct store_schema {
	int64_t version;
	const char *base; /* makes version base_version */
	int64_t base_version;
	const struct store_step *steps; /* one for each version after it */
	size_t steps_n;
};

/* schema/database.sql and schema/upgrade-N.sql, compiled in. */
extern const struct store_schema store_schema_own;

/*
 * Make a database at path, complete or not at all: it is built under another
 * name and renamed.  open NULL: a new arena with a UUID of its own; else the
 * first line of the ledger that belongs to it.
 */
enum err store_create(const char *path, const struct store_schema *schema,
    const struct elo_rule *rule, const struct ledger_entry *open) PA_MUST_USE;

/* Copy the database beside itself, then bring it up to schema->version. */
enum err store_upgrade(struct db *db, const char *path,
    const struct store_schema *schema) PA_MUST_USE;

/* ----------------------------------------------------- start-up checks */

struct store_finding {
	int64_t schema;          /* user_version of the database */
	struct ledger_tail db;   /* last row of table ledger */
	struct ledger_tail file; /* last whole line of votes.log */
	int64_t size;            /* bytes of whole lines in votes.log */
	int64_t replay_from;     /* byte of the first line the database lacks */
	bool torn;               /* a piece of a line follows them */
};

/* ERR_CONFIG when path lies on a file system without true locks. */
enum err store_check_place(const char *path) PA_MUST_USE;
bool store_place_is_refused(long type);

/*
 * Look at both, change neither (SQLite's -shm may appear).  ERR_NOTFOUND: no
 * database and no ledger.  ERR_CORRUPT, ERR_CONFIG: logged, with the place.
 */
enum err store_examine(const char *path, const char *ledger_path,
    const struct store_schema *schema, struct store_finding *out) PA_MUST_USE;

/* Ours, and of a version we know: sets f->schema.  path is for the log. */
enum err store_check_identity(struct db *db, const char *path,
    const struct store_schema *schema, struct store_finding *f) PA_MUST_USE;

/*
 * Do what store_examine found to be needed: cut a torn line, append what the
 * file lacks, replay what the database lacks.  *out is the file, ready to be
 * written.
 */
enum err store_repair(struct db *db, const char *ledger_path,
    const struct store_finding *f, const struct elo_rule *rule,
    struct ledger **out) PA_MUST_USE;

/* The first line of the ledger; strings live in pool. */
enum err store_first_line(const char *ledger_path, struct pool *pool,
    struct ledger_entry *out) PA_MUST_USE;

/* -------------------------------------------------------------- writer */

struct writer;

/* Takes db and ledger over, also on failure. */
enum err writer_open(
    struct writer **out, struct db *db, struct ledger *ledger) PA_MUST_USE;
void writer_close(struct writer *w);
enum err writer_run(struct writer *w, store_fn *fn, void *arg) PA_MUST_USE;
int64_t writer_durable(struct writer *w);
bool writer_is_halted(struct writer *w);
void writer_wait(struct writer *w, struct store_watch *seen, int64_t until_ms);
void writer_nudge(struct writer *w);

/* For tests and measurements: closures that wait, commits so far, times the
 * write-ahead log was copied. */
size_t writer_queued(struct writer *w);
int64_t writer_commits(struct writer *w);
int64_t writer_copied(struct writer *w);
struct writer *store_writer(struct store *s);

/* --------------------------------------------------------------- files */

/* A file beside the database: its folder and name.  Caller frees; or NULL. */
char *store_sibling(const char *path, const char *name);
/* The database's own name with an ending.  Caller frees; or NULL. */
char *store_suffixed(const char *path, const char *ending);
enum err store_sync_folder(const char *path) PA_MUST_USE;

#endif /* PA_STORE_PARTS_H */
