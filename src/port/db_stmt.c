/* This file knows how to keep, fill, run and read prepared statements. */
#include "config.h"

#include "port/db_parts.h"

#include <sqlite3.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static enum err step(struct db_stmt *st, bool *row);
static struct db_stmt **slot_of(struct db *db, const char *sql);
static enum err grow(struct db *db);
static void prepare(struct db_stmt *st);
static void bound(struct db_stmt *st, int i, int rc);

struct db_stmt *
db_stmt(struct db *db, const char *sql)
{
	struct db_stmt **slot, *st;

	assert(db_owned(db));
	if (grow(db) != ERR_OK)
		return &db->oom;
	slot = slot_of(db, sql);
	st = *slot;
	if (st == NULL) {
		st = calloc(1, sizeof(*st));
		if (st == NULL)
			return &db->oom;
		st->db = db;
		st->sql = sql;
		*slot = st;
		db->used++;
	}
	if (st->st == NULL) {
		prepare(st);
	} else {
		/* A literal cannot change under its address. */
		assert(strcmp(sqlite3_sql(st->st), sql) == 0);
		sqlite3_reset(st->st);
		sqlite3_clear_bindings(st->st);
		st->fail = ERR_OK;
	}
	return st;
}

void
db_stmts_close(struct db *db)
{
	for (size_t i = 0; i < db->slots_n; i++) {
		if (db->slots[i] != NULL) {
			sqlite3_finalize(db->slots[i]->st);
			free(db->slots[i]);
		}
	}
	free(db->slots);
}

void
db_bind_int(struct db_stmt *st, int i, int64_t v)
{
	if (st->fail == ERR_OK)
		bound(st, i, sqlite3_bind_int64(st->st, i, v));
}

void
db_bind_real(struct db_stmt *st, int i, double v)
{
	if (st->fail == ERR_OK)
		bound(st, i, sqlite3_bind_double(st->st, i, v));
}

void
db_bind_null(struct db_stmt *st, int i)
{
	if (st->fail == ERR_OK)
		bound(st, i, sqlite3_bind_null(st->st, i));
}

void
db_bind_z(struct db_stmt *st, int i, const char *z)
{
	db_bind_str(st, i, str_of(z));
}

void
db_bind_str(struct db_stmt *st, int i, struct str s)
{
	/* A NULL pointer binds NULL, whatever its length. */
	if (st->fail == ERR_OK)
		bound(st, i,
		    sqlite3_bind_text64(
			st->st, i, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8));
}

void
db_bind_text(struct db_stmt *st, int i, struct text t)
{
	db_bind_str(st, i, (struct str){ t.p, t.n });
}

void
db_bind_blob(struct db_stmt *st, int i, const void *p, size_t n)
{
	if (st->fail == ERR_OK)
		bound(
		    st, i, sqlite3_bind_blob64(st->st, i, p, n, SQLITE_STATIC));
}

enum err
db_row(struct db_stmt *st)
{
	bool row = false;
	enum err e = step(st, &row);

	if (e == ERR_OK && !row)
		return ERR_NOTFOUND;
	return e;
}

void
db_done(struct db_stmt *st)
{
	if (st->st != NULL)
		sqlite3_reset(st->st);
}

enum err
db_run(struct db_stmt *st)
{
	bool row;
	enum err e;

	do {
		row = false;
		e = step(st, &row);
	} while (e == ERR_OK && row);
	return e;
}

enum err
db_scalar(struct db_stmt *st, int64_t *out)
{
	enum err e = db_row(st);

	if (e == ERR_OK) {
		*out = db_int(st, 0);
		db_done(st);
	}
	return e;
}

enum err
db_exists(struct db_stmt *st, bool *out)
{
	enum err e = db_row(st);

	if (e != ERR_OK && e != ERR_NOTFOUND)
		return e;
	*out = e == ERR_OK;
	db_done(st);
	return ERR_OK;
}

int64_t
db_int(struct db_stmt *st, int col)
{
	return st->st == NULL ? 0 : sqlite3_column_int64(st->st, col);
}

double
db_real(struct db_stmt *st, int col)
{
	return st->st == NULL ? 0 : sqlite3_column_double(st->st, col);
}

bool
db_is_null(struct db_stmt *st, int col)
{
	return st->st == NULL ||
	       sqlite3_column_type(st->st, col) == SQLITE_NULL;
}

struct str
db_str(struct db_stmt *st, int col, struct pool *pool)
{
	struct str s = { NULL, 0 };

	if (db_is_null(st, col))
		return s;
	s.p = sqlite3_column_blob(st->st, col);
	s.n = (size_t)sqlite3_column_bytes(st->st, col);
	if (s.p == NULL)
		s = STR(""); /* an empty value has no bytes to point at */
	return pool == NULL ? s : pool_str(pool, s);
}

struct text
db_text(struct db_stmt *st, int col, struct pool *pool)
{
	struct str s = db_str(st, col, pool);

	/* Only clean text was ever stored. */
	return (struct text){ s.p, s.n };
}

/* ------------------------------------------------------------ helpers */

static enum err
step(struct db_stmt *st, bool *row)
{
	enum err e;
	int rc;

	if (st->fail != ERR_OK)
		return st->fail;
	assert(db_owned(st->db));
	rc = sqlite3_step(st->st);
	if (rc == SQLITE_ROW) {
		*row = true;
		return ERR_OK;
	}
	e = rc == SQLITE_DONE ? ERR_OK : db_fail(st->db, rc, st->sql);
	sqlite3_reset(st->st);
	return e;
}

static struct db_stmt **
slot_of(struct db *db, const char *sql)
{
	size_t i = ((uintptr_t)sql * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

	for (;; i++) {
		struct db_stmt **slot = &db->slots[i & (db->slots_n - 1)];

		if (*slot == NULL || (*slot)->sql == sql)
			return slot;
	}
}

/* Room for one more; half the slots stay free so that searches are short. */
static enum err
grow(struct db *db)
{
	struct db_stmt **old = db->slots;
	size_t n = db->slots_n;

	if (2 * (db->used + 1) <= n)
		return ERR_OK;
	db->slots_n = n == 0 ? 64 : 2 * n;
	db->slots = calloc(db->slots_n, sizeof(struct db_stmt *));
	if (db->slots == NULL) {
		db->slots = old;
		db->slots_n = n;
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		if (old[i] != NULL)
			*slot_of(db, old[i]->sql) = old[i];
	}
	free(old);
	return ERR_OK;
}

static void
prepare(struct db_stmt *st)
{
	const char *tail = NULL;
	int rc = sqlite3_prepare_v3(
	    st->db->h, st->sql, -1, SQLITE_PREPARE_PERSISTENT, &st->st, &tail);

	if (rc != SQLITE_OK) {
		st->fail = db_fail(st->db, rc, st->sql);
		return;
	}
	st->fail = ERR_OK;
	if (st->st == NULL || *tail != '\0') {
		log_error("database: not one statement: %.200s", st->sql);
		sqlite3_finalize(st->st);
		st->st = NULL;
		st->fail = ERR_INTERNAL;
	}
}

static void
bound(struct db_stmt *st, int i, int rc)
{
	if (rc != SQLITE_OK) {
		log_error(
		    "database: parameter %d (%d): %.200s", i, rc, st->sql);
		st->fail =
		    (rc & 0xff) == SQLITE_TOOBIG ? ERR_TOOBIG : ERR_INTERNAL;
	}
}
