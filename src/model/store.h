/*
 * store - the database and the ledger file as one thing that never lies.
 *
 * Layer    model.
 * Memory   store_open allocates, store_close frees.
 * Threads  store_write and store_read_open from any thread.
 *
 * One connection writes, one thread at a time.  Callers hand over a closure and
 * wait; the writer thread runs each inside a savepoint, commits the batch once
 * with synchronous=FULL, appends the batch's ledger lines and fdatasyncs them,
 * and only then wakes the callers.  What a caller was told is on the disk.  A
 * caller who finds nobody writing does the same for its own closure itself.
 */
#ifndef PA_STORE_H
#define PA_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "port/db.h"
#include "rate/elo.h"

struct store;
struct store_schema;
struct ledger;

struct store_conf {
	const char *database; /* path; the ledger is votes.log beside it */
	bool create;          /* may make a new, empty arena */
	struct elo_rule elo;  /* k == 0: as stored, or the published rule */
	bool rebuild;         /* may make a lost database from votes.log */
	const struct store_schema *schema; /* NULL: this program's (tests) */
};

/* What a closure may use.  It must not keep any of it. */
struct store_tx {
	struct db *db;         /* the writing connection */
	struct ledger *ledger; /* ledger_stage (ledger.h) adds a line */
	int64_t now;           /* Unix seconds, one value per batch */
};

/*
 * A closure: does its writes and says ERR_OK to keep them, anything else to
 * undo exactly its own.  It runs on the writer thread or on the caller's, one
 * at a time, and must not block on anything but the database.
 */
typedef enum err store_fn(struct store_tx *tx, void *arg);

/*
 * Lock, look, repair, start the writer thread.
 *
 * What is looked at, before anything is changed: a local file system; the
 * file is ours (application_id) and no newer than this program; quick_check
 * and foreign keys; every line of votes.log (the last 64 MB of a longer one;
 * `prompt-arena verify` reads all) chained and digested as it must be; the
 * last line both have is the same.  Then
 *
 *	neither exists          a new arena when conf->create
 *	a torn last line        is cut
 *	the database is behind  replayed: table ledger, ratings, and the vote
 *	                        where its match is still there
 *	the ledger is behind    the missing lines are appended
 *	older schema            upgraded, after a copy beside the database
 *
 * ERR_NOTFOUND nothing there and not to be created.  ERR_BUSY another
 * process holds the lock.  ERR_CORRUPT, ERR_CONFIG (newer schema, network
 * file system): the log says what and where, and nothing was touched.  A
 * database that is gone while votes.log is there is ERR_CORRUPT, never made
 * anew: put a backup back (what it lacks is replayed), or, when there is
 * none, set conf->rebuild (`prompt-arena recompute --rebuild`), which saves
 * the ledger and the ratings but not accounts, matches and settings.
 */
enum err store_open(
    struct store **out, const struct store_conf *conf) PA_MUST_USE;

/*
 * Everything that store_open would look at, changing nothing.  ERR_NOTFOUND:
 * no arena yet (the folder may be missing as well).  Other errors: the log
 * says what and where.  Works beside a running service.
 */
enum err store_look(const char *path) PA_MUST_USE;

/* Finish what is queued, checkpoint, close. */
void store_close(struct store *s);

/* A reading connection for the calling thread; close with db_close. */
enum err store_read_open(struct store *s, struct db **out) PA_MUST_USE;

/*
 * Run fn where writing is done and wait until its effect is durable.
 * fn's own error; or ERR_BUSY (queue full, stopping), ERR_FULL, ERR_IO: then
 * nothing of it was stored, with one exception: when the commit succeeded
 * but the ledger file could not be written, a closure that staged a line
 * gets ERR_FULL or ERR_IO although its vote is in the database.  It counts
 * once the ledger is writable again (store_durable_seq reaches it), and a
 * retry finds it.  Closures must therefore be repeatable: look first whether
 * the thing is already there.
 */
enum err store_write(struct store *s, store_fn *fn, void *arg) PA_MUST_USE;

/* The last ledger sequence that is durable: reveals beyond it are not shown. */
int64_t store_durable_seq(struct store *s);

/* What a watcher has seen; {0} at first. */
struct store_watch {
	int64_t seq;     /* store_durable_seq */
	uint64_t nudges; /* calls of store_nudge */
};

/*
 * Sleep until one of the two is no longer what w says, or clock_mono_ms
 * passes until_ms (0: no limit); then w says what is so now.
 */
void store_wait(struct store *s, struct store_watch *w, int64_t until_ms);

/* Wake those who wait, for a reason of the caller's own. */
void store_nudge(struct store *s);

/* True while votes cannot be stored (disk full, ledger not writable). */
bool store_is_halted(struct store *s);

/*
 * A copy of the database at path in `to`, which must not exist yet, and of
 * its votes.log in `to`.votes.log: complete or not there.  Works beside a
 * running service.  ERR_CONFLICT: `to` exists.
 */
enum err store_backup(const char *path, const char *to) PA_MUST_USE;

/* The ledger file that belongs to this database.  Caller frees; or NULL. */
char *store_ledger_path(const char *database);

/* Does a service, or a command that writes, hold it?  Nothing is taken. */
bool store_is_locked(const char *path);

#endif /* PA_STORE_H */
