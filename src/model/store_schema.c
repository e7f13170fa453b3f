/* This file knows how to make a database and how to bring an old one up. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/rng.h"
#include "model/recount.h"
#include "model/store_parts.h"

static enum err fill(struct db *db, const struct store_schema *schema,
    const struct elo_rule *rule, const struct ledger_entry *open);
static enum err number_file(struct db *db, int64_t version);
static enum err first_line(struct db *db, const struct ledger_entry *open);
static enum err put_meta(struct db *db, const char *key, struct str value);
static void make_uuid(char out[37]);
static void remove_all(const char *path);
static enum err version_of(struct db *db, int64_t *out);
static enum err copy_before(const char *path, int64_t version);
static enum err climb(struct db *db, const struct store_schema *schema);
static enum err whole(struct db *db);

enum err
store_create(const char *path, const struct store_schema *schema,
    const struct elo_rule *rule, const struct ledger_entry *open)
{
	char *part = store_suffixed(path, ".new");
	struct db *db = NULL;
	enum err e = ERR_NOMEM;

	if (part == NULL)
		return e;
	remove_all(part);
	e = db_open(&db, part, DB_CREATE);
	if (e == ERR_OK && chmod(part, 0600) != 0)
		e = ERR_IO;
	if (e == ERR_OK)
		e = db_begin(db);
	if (e == ERR_OK)
		e = db_end(db, fill(db, schema, rule, open));
	if (e == ERR_OK)
		e = failpoint("create");
	/* Everything into the one file, which SQLite syncs. */
	if (e == ERR_OK)
		e = db_checkpoint(db, DB_CHECKPOINT_ALL);
	db_close(db);
	if (e == ERR_OK && rename(part, path) != 0)
		e = ERR_IO;
	if (e == ERR_OK)
		e = store_sync_folder(path);
	if (e != ERR_OK) {
		log_error("store %s: cannot be made (%s)", path, err_name(e));
		remove_all(part);
	}
	free(part);
	return e;
}

static enum err
fill(struct db *db, const struct store_schema *schema,
    const struct elo_rule *rule, const struct ledger_entry *open)
{
	enum err e = db_script(db, schema->base);

	for (size_t i = 0; e == ERR_OK && i < schema->steps_n; i++)
		e = db_script(db, schema->steps[i].sql);
	if (e == ERR_OK)
		e = number_file(db, schema->version);
	if (e == ERR_OK)
		e = first_line(db, open);
	if (e == ERR_OK)
		e = recount_all(db, rule, NULL);
	return e;
}

static enum err
number_file(struct db *db, int64_t version)
{
	char sql[96];

	(void)snprintf(sql, sizeof(sql),
	    "PRAGMA application_id = %d; PRAGMA user_version = %" PRId64,
	    STORE_APPLICATION_ID, version);
	return db_script(db, sql);
}

/* The arena's name for itself: in table meta, and as line 1 of the ledger. */
static enum err
first_line(struct db *db, const struct ledger_entry *open)
{
	char uuid[37], hash[CRYPT_HEX + 1], when[24];
	struct ledger_entry e = { .n = 1,
		.t = clock_now(),
		.kind = LEDGER_OPEN,
		.prev = STR(LEDGER_NO_PREV) };
	enum err err = ERR_OK;

	if (open != NULL) {
		e = *open;
	} else {
		make_uuid(uuid);
		e.match = str_of(uuid);
		err = ledger_seal(&e, hash);
	}
	(void)snprintf(when, sizeof(when), "%" PRId64, e.t);
	if (err == ERR_OK)
		err = ledger_put(db, &e);
	if (err == ERR_OK)
		err = put_meta(db, "arena_uuid", e.match);
	if (err == ERR_OK)
		err = put_meta(db, "created_at", str_of(when));
	return err;
}

static enum err
put_meta(struct db *db, const char *key, struct str value)
{
	struct db_stmt *st =
	    db_stmt(db, "INSERT INTO meta (key, value) VALUES (?1, ?2)");

	db_bind_z(st, 1, key);
	db_bind_str(st, 2, value);
	return db_run(st);
}

/* Version 4 of RFC 9562: random but for six bits. */
static void
make_uuid(char out[37])
{
	unsigned char b[16];
	char hex[33];

	rng_bytes(b, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	crypt_hex(hex, b, sizeof(b));
	(void)snprintf(out, 37, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
	    hex + 12, hex + 16, hex + 20);
}

static void
remove_all(const char *path)
{
	static const char *const endings[] = { "", "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		char *name = store_suffixed(path, endings[i]);

		if (name != NULL)
			(void)unlink(name);
		free(name);
	}
}

/* ------------------------------------------------------------- upgrade */

enum err
store_upgrade(
    struct db *db, const char *path, const struct store_schema *schema)
{
	int64_t from = 0;
	enum err e = version_of(db, &from), on;

	if (e != ERR_OK || from == schema->version)
		return e;
	e = copy_before(path, from);
	/* Tables may be rebuilt: references are checked as a whole after. */
	if (e == ERR_OK)
		e = db_script(db, "PRAGMA foreign_keys = OFF");
	if (e == ERR_OK)
		e = db_begin(db);
	if (e == ERR_OK)
		e = db_end(db, climb(db, schema));
	on = db_script(db, "PRAGMA foreign_keys = ON");
	if (e == ERR_OK)
		e = on;
	if (e == ERR_OK)
		log_notice("store %s: schema brought from version %lld to "
			   "%lld",
		    path, (long long)from, (long long)schema->version);
	else
		log_error("store %s: stays at schema version %lld (%s)", path,
		    (long long)from, err_name(e));
	return e;
}

/* Read again inside the transaction: nobody upgraded in between. */
static enum err
climb(struct db *db, const struct store_schema *schema)
{
	int64_t at = 0;
	enum err e = version_of(db, &at);

	for (size_t i = 0; e == ERR_OK && i < schema->steps_n; i++) {
		if (schema->steps[i].version <= at)
			continue;
		e = db_script(db, schema->steps[i].sql);
		if (e == ERR_OK)
			e = failpoint("upgrade");
	}
	if (e == ERR_OK)
		e = number_file(db, schema->version);
	return e == ERR_OK ? whole(db) : e;
}

static enum err
whole(struct db *db)
{
	struct db_stmt *st = db_stmt(db, "PRAGMA foreign_key_check");
	enum err e = db_row(st);

	if (e == ERR_OK) {
		log_error("store: after the upgrade a reference dangles");
		e = ERR_CORRUPT;
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
version_of(struct db *db, int64_t *out)
{
	return db_scalar(db_stmt(db, "PRAGMA user_version"), out);
}

/*
 * "arena.db.before-2", then with the time appended when an earlier attempt
 * left one: a copy is never overwritten.
 */
static enum err
copy_before(const char *path, int64_t version)
{
	char ending[64];
	char *to;
	enum err e = ERR_NOMEM;

	(void)snprintf(ending, sizeof(ending), ".before-%" PRId64, version + 1);
	to = store_suffixed(path, ending);
	if (to != NULL && access(to, F_OK) == 0) {
		free(to);
		(void)snprintf(ending, sizeof(ending),
		    ".before-%" PRId64 "-%" PRId64, version + 1, clock_now());
		to = store_suffixed(path, ending);
	}
	if (to != NULL)
		e = store_backup(path, to);
	if (e == ERR_OK)
		log_notice(
		    "store %s: copied to %s before the upgrade", path, to);
	free(to);
	return e;
}
