/* This file knows how to make database and ledger agree after a crash. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "model/recount.h"
#include "model/store_parts.h"

enum {
	LINE_POOL = 1 << 20,
	APPEND_BYTES = 1 << 20 /* written to the file at a time */
};

static enum err cut(const char *path, int64_t size);
static enum err append_missing(
    struct db *db, struct ledger *l, const struct store_finding *f);
static enum err replay_missing(struct db *db, const char *path,
    const struct store_finding *f, const struct elo_rule *rule);
static enum err replay_lines(struct db *db, struct ledger_scan *scan,
    struct pool *pool, const struct elo_rule *rule, int64_t *votes);
static enum err replay_line(struct db *db, const struct ledger_entry *e,
    const struct elo_rule *rule, bool *dirty, int64_t *votes);
static enum err replay_vote(struct db *db, const struct ledger_entry *e,
    const struct recount_effect *effect, int64_t *votes);

enum err
store_repair(struct db *db, const char *ledger_path,
    const struct store_finding *f, const struct elo_rule *rule,
    struct ledger **out)
{
	struct ledger *l = NULL;
	enum err e = ERR_OK;

	if (f->torn)
		e = cut(ledger_path, f->size);
	if (e == ERR_OK && f->file.n > f->db.n)
		e = replay_missing(db, ledger_path, f, rule);
	if (e == ERR_OK)
		e = ledger_open(&l, ledger_path, &f->file, f->size);
	if (e == ERR_OK && f->db.n > f->file.n)
		e = append_missing(db, l, f);
	if (e == ERR_OK && f->file.n == 0)
		e = store_sync_folder(ledger_path);
	if (e != ERR_OK) {
		ledger_close(l);
		return e;
	}
	*out = l;
	return ERR_OK;
}

enum err
store_first_line(
    const char *ledger_path, struct pool *pool, struct ledger_entry *out)
{
	struct ledger_scan scan;
	struct str line;
	int64_t offset;
	enum err e = ledger_scan_open(&scan, ledger_path, 0);

	if (e != ERR_OK)
		return e;
	e = ledger_scan_next(&scan, &line, &offset);
	if (e == ERR_OK)
		e = ledger_parse(pool, pool_str(pool, line), out);
	ledger_scan_close(&scan);
	if (e != ERR_OK || out->kind != LEDGER_OPEN) {
		log_error("ledger %s: does not begin with the line that opens "
			  "an arena",
		    ledger_path);
		return ERR_CORRUPT;
	}
	return ERR_OK;
}

static enum err
cut(const char *path, int64_t size)
{
	log_warning("ledger %s: a torn line at byte %lld is cut off", path,
	    (long long)size);
	if (truncate(path, (off_t)size) != 0) {
		log_error("ledger %s: cannot be cut (%s)", path, log_errno());
		return ERR_IO;
	}
	return ERR_OK;
}

static enum err
append_missing(struct db *db, struct ledger *l, const struct store_finding *f)
{
	struct pool *pool = pool_open(LINE_POOL);
	struct ledger_entry row;
	enum err e = pool == NULL ? ERR_NOMEM : ERR_OK;

	for (int64_t n = f->file.n + 1; e == ERR_OK && n <= f->db.n; n++) {
		pool_clear(pool);
		e = ledger_row(db, pool, n, &row);
		if (e == ERR_OK)
			e = ledger_queue(l, &row);
		if (e == ERR_OK &&
		    (ledger_pending(l) > APPEND_BYTES || n == f->db.n))
			e = ledger_append(l);
	}
	pool_close(pool);
	if (e == ERR_OK && f->file.n > 0)
		log_warning("ledger: lines %lld to %lld were in the database "
			    "only; appended",
		    (long long)f->file.n + 1, (long long)f->db.n);
	else if (e == ERR_OK && f->db.n > 1)
		log_warning("ledger: the file was gone; written anew from the "
			    "database, %lld lines",
		    (long long)f->db.n);
	return e;
}

static enum err
replay_missing(struct db *db, const char *path, const struct store_finding *f,
    const struct elo_rule *rule)
{
	struct pool *pool = pool_open(LINE_POOL);
	struct ledger_scan scan = { .fd = -1 };
	int64_t votes = 0;
	enum err e = pool == NULL
			 ? ERR_NOMEM
			 : ledger_scan_open(&scan, path, f->replay_from);

	if (e == ERR_OK)
		e = db_begin(db);
	if (e == ERR_OK)
		e = db_end(db, replay_lines(db, &scan, pool, rule, &votes));
	ledger_scan_close(&scan);
	pool_close(pool);
	if (e == ERR_OK)
		log_warning("store: lines %lld to %lld were in the ledger "
			    "only; replayed, %lld of them back to their "
			    "matches",
		    (long long)f->db.n + 1, (long long)f->file.n,
		    (long long)votes);
	return e;
}

static enum err
replay_lines(struct db *db, struct ledger_scan *scan, struct pool *pool,
    const struct elo_rule *rule, int64_t *votes)
{
	struct ledger_entry entry;
	struct str line;
	int64_t offset;
	bool dirty = false; /* an exclusion waits for its recount */
	enum err e;

	while ((e = ledger_scan_next(scan, &line, &offset)) == ERR_OK) {
		pool_clear(pool);
		e = ledger_parse(pool, line, &entry);
		if (e == ERR_OK)
			e = replay_line(db, &entry, rule, &dirty, votes);
		if (e == ERR_OK)
			e = failpoint("replay");
		if (e != ERR_OK)
			return e;
	}
	if (e != ERR_NOTFOUND)
		return e;
	return dirty ? recount_all(db, rule, NULL) : ERR_OK;
}

static enum err
replay_line(struct db *db, const struct ledger_entry *e,
    const struct elo_rule *rule, bool *dirty, int64_t *votes)
{
	struct store_tx tx = { .db = db };
	struct recount_effect effect;
	enum err err = ERR_OK;

	if (e->kind == LEDGER_VOTE && *dirty) {
		err = recount_all(db, rule, NULL);
		*dirty = false;
	}
	if (err == ERR_OK)
		err = ledger_put(db, e);
	if (err != ERR_OK)
		return err;
	if (e->kind != LEDGER_VOTE) {
		*dirty = true;
		return ERR_OK;
	}
	err = recount_apply(&tx, e, rule, &effect);
	return err == ERR_OK ? replay_vote(db, e, &effect, votes) : err;
}

/*
 * The receipt of a vote whose match survived.  What a line does not say is
 * lost: reasons ticked and time taken.
 */
static enum err
replay_vote(struct db *db, const struct ledger_entry *e,
    const struct recount_effect *effect, int64_t *votes)
{
	struct db_stmt *st = db_stmt(db,
	    "INSERT INTO vote (match, n, voter, choice, recognised, cast_at,"
	    " counted, why, before_a, after_a, before_b, after_b, consent)"
	    " SELECT id, ?1, voter, ?2, ?3 = 'recognised', ?4, ?5, ?3,"
	    " ?6, ?7, ?8, ?9, ?10 FROM match WHERE token = ?11");
	enum err err;

	db_bind_int(st, 1, e->n);
	db_bind_z(st, 2, vote_choice_name(e->choice));
	db_bind_str(st, 3, e->why);
	db_bind_int(st, 4, e->t);
	db_bind_int(st, 5, e->counted);
	if (e->counted) {
		db_bind_real(st, 6, effect->before_a);
		db_bind_real(st, 7, effect->after_a);
		db_bind_real(st, 8, effect->before_b);
		db_bind_real(st, 9, effect->after_b);
	}
	db_bind_str(st, 10, e->consent);
	db_bind_str(st, 11, e->match);
	err = db_run(st);
	if (err != ERR_OK || db_changes(db) == 0)
		return err;
	(*votes)++;
	st = db_stmt(db, "UPDATE match SET state = 'voted' WHERE token = ?1");
	db_bind_str(st, 1, e->match);
	return db_run(st);
}
