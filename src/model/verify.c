/* This file knows how to prove that ledger, database and ratings agree. */
#include "config.h"

#include "model/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/recount.h"
#include "model/store_parts.h"
#include "model/verify_parts.h"

enum {
	LINE_POOL = 1 << 20,
	WAIT_MS = 2000 /* for lines that a running service still writes */
};

static enum err prove_all(struct proof *p);
static enum err prove_database(struct proof *p);
static enum err prove_pages(struct proof *p);
static enum err prove_references(struct proof *p);
static enum err prove_ledger(struct proof *p);
static enum err walk(struct proof *p);
static bool prove_line(struct proof *p, struct str line, int64_t offset);
static bool prove_row(struct proof *p, const struct ledger_entry *e,
    struct str line, int64_t offset);
static enum err prove_end(struct proof *p);
static enum err prove_rows_ahead(struct proof *p);
static enum err prove_ratings(struct proof *p);

enum err
verify_store(const char *database, verify_say *say, void *ctx)
{
	struct proof p = { .database = database, .say = say, .ctx = ctx };
	char *path = store_ledger_path(database);
	enum err e =
	    path == NULL ? ERR_NOMEM : db_open(&p.db, database, DB_READ);

	p.path = path;
	if (e == ERR_CORRUPT)
		verify_tell(&p, VERIFY_MISMATCH,
		    "database: %s is not a database", database);
	if (e == ERR_OK && (p.pool = pool_open(LINE_POOL)) == NULL)
		e = ERR_NOMEM;
	if (e == ERR_OK) {
		p.running = store_is_locked(database);
		e = db_begin(p.db);
	}
	if (e == ERR_OK)
		e = db_end(p.db, prove_all(&p));
	pool_close(p.pool);
	db_close(p.db);
	free(path);
	return e == ERR_OK && p.failed ? ERR_CORRUPT : e;
}

/* One snapshot for all; a part that cannot be read ends it. */
static enum err
prove_all(struct proof *p)
{
	enum err e = prove_database(p);

	if (e == ERR_OK && !p->failed)
		e = prove_ledger(p);
	if (e == ERR_OK && !p->failed)
		e = verify_rows(p);
	if (e == ERR_OK && !p->failed)
		e = prove_ratings(p);
	return e;
}

/* ------------------------------------------------------------ database */

static enum err
prove_database(struct proof *p)
{
	struct store_finding f = { .schema = 0 };
	enum err e =
	    store_check_identity(p->db, p->database, &store_schema_own, &f);

	if (e == ERR_CONFIG) {
		verify_tell(p, VERIFY_MISMATCH,
		    "database: %s was made by a newer prompt-arena (schema "
		    "version %lld): verify it with that one",
		    p->database, (long long)f.schema);
		return ERR_OK;
	}
	if (e == ERR_CORRUPT) {
		verify_tell(p, VERIFY_MISMATCH,
		    "database: %s is not one of this program", p->database);
		return ERR_OK;
	}
	if (e == ERR_OK)
		e = prove_pages(p);
	if (e == ERR_OK)
		e = prove_references(p);
	if (e == ERR_OK)
		e = verify_schema(p);
	if (e == ERR_OK && !p->failed)
		verify_tell(p, VERIFY_GOOD,
		    "database: every page, index and reference, "
		    "schema version %lld",
		    (long long)f.schema);
	return e;
}

static enum err
prove_pages(struct proof *p)
{
	struct db_stmt *st = db_stmt(p->db, "PRAGMA integrity_check(20)");
	enum err e;

	while ((e = db_row(st)) == ERR_OK) {
		struct str said = db_str(st, 0, NULL);

		if (!str_is(said, "ok"))
			verify_tell(p, VERIFY_MISMATCH, "database: %.*s",
			    (int)said.n, said.p);
	}
	if (e == ERR_CORRUPT) {
		verify_tell(
		    p, VERIFY_MISMATCH, "database: too damaged to be read");
		return ERR_OK;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
prove_references(struct proof *p)
{
	struct db_stmt *st = db_stmt(p->db, "PRAGMA foreign_key_check");
	enum err e;

	while ((e = db_row(st)) == ERR_OK) {
		struct str table = db_str(st, 0, NULL);

		verify_tell(p, VERIFY_MISMATCH,
		    "database: row %lld of table %.*s refers to "
		    "nothing",
		    (long long)db_int(st, 1), (int)table.n, table.p);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* -------------------------------------------------------------- ledger */

static enum err
prove_ledger(struct proof *p)
{
	int64_t until = clock_mono_ms() + WAIT_MS;
	enum err e = ledger_last(p->db, &p->last);

	memcpy(p->tail.hash, LEDGER_NO_PREV, sizeof(p->tail.hash));
	while (e == ERR_OK && !p->failed) {
		e = walk(p);
		/*
		 * The service commits first and appends after: the lines of
		 * its last batch may be a moment away.
		 */
		if (!p->running || p->tail.n >= p->last ||
		    clock_mono_ms() > until)
			break;
	}
	if (e == ERR_NOTFOUND) {
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: there is none; a start of the "
		    "service writes it anew from the database");
		return ERR_OK;
	}
	if (e == ERR_OK && !p->failed)
		e = prove_end(p);
	return e;
}

/* From where the last walk ended to the end of the file. */
static enum err
walk(struct proof *p)
{
	struct ledger_scan scan;
	struct str line = { NULL, 0 };
	int64_t offset = 0;
	enum err e = ledger_scan_open(&scan, p->path, p->size);

	if (e != ERR_OK)
		return e;
	while ((e = ledger_scan_next(&scan, &line, &offset)) == ERR_OK) {
		if (!prove_line(p, line, offset))
			break;
		p->size = offset + (int64_t)line.n + 1;
	}
	p->end = e != ERR_CLOSED                       ? END_WHOLE
		 : ledger_is_torn(line, p->tail.n + 1) ? END_TORN
						       : END_ALIEN;
	if (e == ERR_TOOBIG) {
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: byte %lld: no line of a ledger",
		    (long long)p->size);
		e = ERR_OK;
	}
	ledger_scan_close(&scan);
	return e == ERR_NOTFOUND || e == ERR_CLOSED ? ERR_OK : e;
}

static bool
prove_line(struct proof *p, struct str line, int64_t offset)
{
	struct ledger_entry e;
	enum err err;

	pool_clear(p->pool);
	err = ledger_parse(p->pool, line, &e);
	if (err != ERR_OK) {
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: line %lld (byte %lld) %s",
		    (long long)p->tail.n + 1, (long long)offset,
		    err == ERR_CORRUPT ? "does not have the digest it claims"
				       : "is no line of a ledger");
		return false;
	}
	if (e.n != p->tail.n + 1 || !str_is(e.prev, p->tail.hash)) {
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: line %lld (byte %lld) does not "
		    "follow line %lld",
		    (long long)e.n, (long long)offset, (long long)p->tail.n);
		return false;
	}
	p->tail.n = e.n;
	memcpy(p->tail.hash, e.hash.p, CRYPT_HEX);
	p->tail.hash[CRYPT_HEX] = '\0';
	return e.n > p->last || prove_row(p, &e, line, offset);
}

/* The database's row is the same line. */
static bool
prove_row(struct proof *p, const struct ledger_entry *e, struct str line,
    int64_t offset)
{
	struct ledger_entry row;
	struct buf text;
	bool same = false;
	enum err err = ledger_row(p->db, p->pool, e->n, &row);

	buf_init(&text, LEDGER_LINE_MAX);
	if (err == ERR_OK) {
		ledger_format(&text, &row);
		same =
		    text.n == line.n + 1 && memcmp(text.p, line.p, line.n) == 0;
	}
	buf_release(&text);
	if (!same)
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: line %lld (byte %lld) is %s in "
		    "the database",
		    (long long)e->n, (long long)offset,
		    err == ERR_NOTFOUND ? "missing" : "different");
	return same;
}

static enum err
prove_end(struct proof *p)
{
	enum err e = ERR_OK;

	if (p->end == END_ALIEN)
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: what follows line %lld at byte %lld is no "
		    "piece of a line; the service does not start with it",
		    (long long)p->tail.n, (long long)p->size);
	else if (p->tail.n == 0 && p->last > 0)
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: it is empty, and lines 1 to %lld are in the "
		    "database; a start of the service writes it anew",
		    (long long)p->last);
	else if (p->tail.n < p->last)
		e = prove_rows_ahead(p);
	else if (p->tail.n > p->last && !p->running)
		verify_tell(p, VERIFY_MISMATCH,
		    "votes.log: the database lacks lines %lld to "
		    "%lld; a start of the service replays them",
		    (long long)p->last + 1, (long long)p->tail.n);
	if (e == ERR_OK && p->end == END_TORN && !p->running)
		verify_tell(p, VERIFY_NOTE,
		    "votes.log: a torn line at byte %lld, as a sudden end "
		    "leaves it; a start of the service cuts it off",
		    (long long)p->size);
	if (e == ERR_OK && !p->failed)
		verify_tell(p, VERIFY_GOOD,
		    "votes.log: %lld lines, each digest, each link, "
		    "each equal to its row; the last h is %s",
		    (long long)p->tail.n, p->tail.hash);
	return e;
}

/*
 * The database is committed first, so a sudden end may leave it ahead: the
 * rows that no line confirms must follow the last line by their own digests.
 */
static enum err
prove_rows_ahead(struct proof *p)
{
	struct ledger_tail tail = p->tail;
	char hex[CRYPT_HEX + 1];
	struct ledger_entry row, copy;
	enum err e = ERR_OK;

	while (e == ERR_OK && tail.n < p->last) {
		pool_clear(p->pool);
		e = ledger_row(p->db, p->pool, tail.n + 1, &row);
		copy = row;
		if (e == ERR_OK)
			e = ledger_seal(&copy, hex);
		if (e == ERR_OK &&
		    (!str_is(row.prev, tail.hash) || !str_is(row.hash, hex)))
			e = ERR_CORRUPT;
		tail.n++;
		memcpy(tail.hash, hex, sizeof(hex));
	}
	if (e == ERR_CORRUPT || e == ERR_NOTFOUND || e == ERR_TOOBIG) {
		verify_tell(p, VERIFY_MISMATCH,
		    "database: row %lld of table ledger is in the database "
		    "alone, and %s",
		    (long long)tail.n,
		    e == ERR_NOTFOUND ? "missing"
				      : "not what was once written");
		return ERR_OK;
	}
	if (e != ERR_OK)
		return e;
	verify_tell(p, p->running ? VERIFY_MISMATCH : VERIFY_NOTE,
	    "votes.log: lines %lld to %lld are in the database alone, as a "
	    "sudden end leaves them; %s",
	    (long long)p->tail.n + 1, (long long)p->last,
	    p->running ? "the running service does not append them, and its "
			 "log says why"
		       : "a start of the service appends them");
	return ERR_OK;
}

/* ------------------------------------------------------------- ratings */

static enum err
prove_ratings(struct proof *p)
{
	struct recount_report r = { .votes = 0 };
	struct elo_rule rule = ELO_RULE_DEFAULT;
	enum err e = recount_rule(p->db, &rule);

	if (e != ERR_OK && e != ERR_NOTFOUND)
		return e;
	buf_init(&r.where, 1 << 16);
	e = recount_verify(p->db, &rule, &r);
	if (e == ERR_OK)
		verify_tell(p, VERIFY_GOOD,
		    "ratings: %lld votes replayed under K = %g, "
		    "start %g, scale %g give the same %lld rows to "
		    "the bit, and %lld receipts",
		    (long long)r.votes, rule.k, rule.start, rule.scale,
		    (long long)r.rows, (long long)r.receipts);
	else if (e == ERR_CORRUPT && r.where.n > 0) {
		verify_tell(p, VERIFY_MISMATCH, "ratings: %.*s", (int)r.where.n,
		    r.where.p);
		e = ERR_OK;
	}
	if (e == ERR_OK && r.wrong_receipt != 0)
		verify_tell(p, VERIFY_MISMATCH,
		    "votes: line %lld moved the ratings otherwise than the "
		    "vote's receipt says",
		    (long long)r.wrong_receipt);
	buf_release(&r.where);
	return e;
}

void
verify_tell(struct proof *p, enum verify_finding finding, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (finding == VERIFY_MISMATCH)
		p->failed = true;
	p->say(p->ctx, finding, text);
}
