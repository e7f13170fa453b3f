/* This file knows how to tell what it means for us when SQLite fails. */
#include "config.h"

#include "port/db_parts.h"

#include <sqlite3.h>

#include <errno.h>

#include "base/log.h"

static enum err err_of(const struct db *db, int rc);
static bool no_room(const struct db *db);

enum err
db_fail(const struct db *db, int rc, const char *what)
{
	enum err e = err_of(db, rc);

	if (e != ERR_CONFLICT)
		log_error("database: %s (%s, %d): %.200s", err_name(e),
		    db->h == NULL ? "no memory" : sqlite3_errmsg(db->h), rc,
		    what);
	return e;
}

static enum err
err_of(const struct db *db, int rc)
{
	switch (rc) {
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_PRIMARYKEY:
	case SQLITE_CONSTRAINT_ROWID:
		return ERR_CONFLICT;
	}
	switch (rc & 0xff) {
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return ERR_INVALID;
	case SQLITE_TOOBIG:
		return ERR_TOOBIG;
	case SQLITE_FULL:
		return ERR_FULL;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_INTERRUPT: /* the deadline */
		return ERR_BUSY;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
		return ERR_CORRUPT;
	case SQLITE_NOMEM:
		return ERR_NOMEM;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return no_room(db) ? ERR_FULL : ERR_IO;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_PROTOCOL:
		return ERR_IO;
	default:
		return ERR_INTERNAL;
	}
}

/*
 * SQLite calls only ENOSPC "full".  A quota or a file size limit is the same
 * to us; the number is kept by the file that met it, the database or its log.
 */
static bool
no_room(const struct db *db)
{
	sqlite3_file *log = NULL;
	int met[3] = { sqlite3_system_errno(db->h), 0, 0 };

	(void)sqlite3_file_control(
	    db->h, "main", SQLITE_FCNTL_LAST_ERRNO, &met[1]);
	(void)sqlite3_file_control(
	    db->h, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log != NULL && log->pMethods != NULL)
		(void)log->pMethods->xFileControl(
		    log, SQLITE_FCNTL_LAST_ERRNO, &met[2]);
	for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++) {
		if (met[i] == ENOSPC || met[i] == EDQUOT || met[i] == EFBIG)
			return true;
	}
	return false;
}
