/* This file knows how to compare database and ledger without touching them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/log.h"
#include "model/store_parts.h"
#include "model/vote_rows.h"

enum {
	/* So much of the ledger's end is read at each start: 0.3 s. */
	SCAN_MAX = 64 << 20,
	/* And so much of it is compared with rows and votes, about 25 000
	 * lines: 0.5 s. */
	COMPARE_MAX = 16 << 20,
	LINE_POOL = 1 << 20
};

/* A walk along votes.log, compared with the database on the way. */
struct walk {
	struct db *db;
	const char *path;
	struct store_finding *f;
	struct pool *pool;
	int64_t first;        /* n of the first line seen, 0 none */
	int64_t compare_from; /* byte; what is before is for verify */
	int64_t compared;     /* n of the first line compared, 0 none */
};

static bool leads_nowhere(const char *path);
static enum err check_folder(const char *path, const char *folder);
static enum err look_for_files(const char *path, const char *ledger_path);
static enum err open_database(struct db **out, const char *path);
static int64_t size_of(const char *path);
static int64_t size_with(const char *path, const char *ending);
static enum err check_pages(struct db *db, const char *path);
static enum err check_references(struct db *db, const char *path);
static enum err read_db_tail(struct walk *w);
static enum err walk_file(struct walk *w, int64_t from);
static enum err walk_line(struct walk *w, struct str line, int64_t offset);
static enum err walk_end(struct walk *w, enum err e, struct str piece);
static enum err check_rows_ahead(struct walk *w);
static enum err check_line(struct walk *w, const struct ledger_link *link);
static enum err check_votes(struct walk *w);
static enum err check_row(
    struct walk *w, int64_t n, struct str prev, struct ledger_entry *out);
static enum err disagree(const struct walk *w, int64_t n);

enum err
store_examine(const char *path, const char *ledger_path,
    const struct store_schema *schema, struct store_finding *out)
{
	struct store_finding f = { .schema = 0 };
	int64_t size = size_of(ledger_path);
	struct walk w = {
		.path = ledger_path, .f = &f, .compare_from = size - COMPARE_MAX
	};
	enum err e = look_for_files(path, ledger_path);

	if (e == ERR_OK)
		e = open_database(&w.db, path);
	if (e == ERR_OK)
		e = store_check_identity(w.db, path, schema, &f);
	if (e == ERR_OK)
		e = check_pages(w.db, path);
	if (e == ERR_OK)
		e = check_references(w.db, path);
	if (e == ERR_OK && (w.pool = pool_open(LINE_POOL)) == NULL)
		e = ERR_NOMEM;
	if (e == ERR_OK)
		e = read_db_tail(&w);
	if (e == ERR_OK)
		e = walk_file(&w, size > SCAN_MAX ? size - SCAN_MAX : 0);
	/* The database is further behind than the part that was read. */
	if (e == ERR_OK && w.first > 1 && f.db.n < w.first)
		e = walk_file(&w, 0);
	if (e == ERR_OK && f.file.n < f.db.n)
		e = check_rows_ahead(&w);
	if (e == ERR_OK)
		e = check_votes(&w);
	pool_close(w.pool);
	db_close(w.db);
	if (e == ERR_OK)
		*out = f;
	return e;
}

/* What SQLite cannot read it does not name; whoever must mend it asks which. */
static enum err
open_database(struct db **out, const char *path)
{
	enum err e = db_open(out, path, DB_READ);

	if (e == ERR_CORRUPT)
		log_error("store %s: damaged, or no database at all; nothing "
			  "was touched: put a backup in its place, what it "
			  "lacks is replayed from the ledger",
		    path);
	return e;
}

enum err
store_look(const char *path)
{
	char *folder = store_sibling(path, "");
	char *ledger_path = store_ledger_path(path);
	struct store_finding f;
	enum err e = ERR_NOMEM;

	if (folder != NULL && ledger_path != NULL) {
		e = check_folder(path, folder);
		if (e == ERR_OK)
			e = store_check_place(path);
		if (e == ERR_OK)
			e = store_examine(
			    path, ledger_path, &store_schema_own, &f);
	}
	free(ledger_path);
	free(folder);
	return e;
}

/* --------------------------------------------------------------- place */

bool
store_place_is_refused(long type)
{
	/* Magic numbers of statfs(2); the headers do not have them all. */
	static const unsigned long refused[] = {
		0x6969,     /* NFS */
		0x517b,     /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x01021997, /* 9p */
		0x5346414f, /* AFS */
		0x00c36400, /* Ceph */
		0x65735546, /* FUSE: sshfs and the like */
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (((unsigned long)type & 0xffffffffUL) == refused[i])
			return true;
	}
	return false;
}

enum err
store_check_place(const char *path)
{
	char *folder = store_sibling(path, "");
	struct statfs fs;
	enum err e = ERR_OK;

	if (folder == NULL)
		return ERR_NOMEM;
	if (leads_nowhere(path)) {
		log_error("store %s: a symbolic link that leads nowhere; "
			  "nothing was touched: mend it, put the database "
			  "itself in its place, or remove it to begin a new "
			  "arena",
		    path);
		e = ERR_CONFIG;
	} else if (statfs(folder, &fs) != 0) {
		log_error("store %s: its folder cannot be looked at (%s)", path,
		    log_errno());
		e = errno == ENOENT ? ERR_NOTFOUND : ERR_IO;
	} else if (store_place_is_refused((long)fs.f_type)) {
		log_error("store %s: lies on a network file system (type "
			  "0x%lx), whose locks and shared memory SQLite "
			  "cannot trust: use a local disk",
		    path, (unsigned long)fs.f_type);
		e = ERR_CONFIG;
	}
	free(folder);
	return e;
}

static bool
leads_nowhere(const char *path)
{
	struct stat sb;

	return lstat(path, &sb) == 0 && S_ISLNK(sb.st_mode) &&
	       stat(path, &sb) != 0;
}

/* A start makes the last folder of the path, and no other. */
static enum err
check_folder(const char *path, const char *folder)
{
	struct stat sb;
	char *above;
	bool good;

	if (stat(folder, &sb) == 0)
		return ERR_OK;
	above = strdup(folder);
	if (above == NULL)
		return ERR_NOMEM;
	while (strlen(above) > 1 && above[strlen(above) - 1] == '/')
		above[strlen(above) - 1] = '\0';
	good = lstat(above, &sb) != 0;
	if (good && strrchr(above, '/') != NULL) {
		strrchr(above, '/')[1] = '\0';
		good = stat(above, &sb) == 0;
	}
	free(above);
	if (good)
		return ERR_NOTFOUND;
	log_error("store %s: its folder %s is not there and cannot be made: "
		  "make it, or correct the path",
	    path, folder);
	return ERR_CONFIG;
}

/* --------------------------------------------------------------- files */

static enum err
look_for_files(const char *path, const char *ledger_path)
{
	int64_t size = size_of(path);

	if (size < 0) {
		if (size_of(ledger_path) > 0) {
			log_error("store %s: the database is gone, but its "
				  "ledger %s is there; put a backup of the "
				  "database in its place (what it lacks is "
				  "replayed), or without one run "
				  "prompt-arena recompute --rebuild",
			    path, ledger_path);
			return ERR_CORRUPT;
		}
		if (size_with(path, "-wal") > 0) {
			log_error("store %s: the database is gone, but its "
				  "write-ahead log is there",
			    path);
			return ERR_CORRUPT;
		}
		return ERR_NOTFOUND;
	}
	if (size == 0) {
		log_error("store %s: the file is empty; remove it to begin a "
			  "new arena, or put a backup in its place",
		    path);
		return ERR_CORRUPT;
	}
	return ERR_OK;
}

/* -1: there is none.  stat, never open: see port/db.c. */
static int64_t
size_of(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 ? (int64_t)sb.st_size : -1;
}

static int64_t
size_with(const char *path, const char *ending)
{
	char *name = store_suffixed(path, ending);
	int64_t size = name == NULL ? -1 : size_of(name);

	free(name);
	return size;
}

/* ------------------------------------------------------------ database */

enum err
store_check_identity(struct db *db, const char *path,
    const struct store_schema *schema, struct store_finding *f)
{
	int64_t id = 0;
	enum err e = db_scalar(db_stmt(db, "PRAGMA application_id"), &id);

	if (e == ERR_OK)
		e = db_scalar(db_stmt(db, "PRAGMA user_version"), &f->schema);
	if (e != ERR_OK)
		return e;
	if (id != STORE_APPLICATION_ID) {
		log_error("store %s: a database of another program "
			  "(application_id 0x%llx)",
		    path, (long long)id);
		return ERR_CORRUPT;
	}
	if (f->schema > schema->version) {
		log_error("store %s: made by a newer prompt-arena (schema "
			  "version %lld, this one knows %lld): install that "
			  "one, or put the copy from before its upgrade back",
		    path, (long long)f->schema, (long long)schema->version);
		return ERR_CONFIG;
	}
	if (f->schema < schema->base_version) {
		log_error("store %s: schema version %lld was never released",
		    path, (long long)f->schema);
		return ERR_CORRUPT;
	}
	return ERR_OK;
}

static enum err
check_pages(struct db *db, const char *path)
{
	struct db_stmt *st = db_stmt(db, "PRAGMA quick_check(1)");
	enum err e = db_row(st);
	struct str said = e == ERR_OK ? db_str(st, 0, NULL) : STR("");

	if (e == ERR_OK && !str_is(said, "ok")) {
		log_error("store %s: damaged: %.*s", path, (int)said.n, said.p);
		e = ERR_CORRUPT;
	}
	db_done(st);
	return e;
}

static enum err
check_references(struct db *db, const char *path)
{
	struct db_stmt *st = db_stmt(db, "PRAGMA foreign_key_check");
	enum err e = db_row(st);
	struct str table;

	if (e == ERR_OK) {
		table = db_str(st, 0, NULL);
		log_error("store %s: row %lld of table %.*s refers to nothing",
		    path, (long long)db_int(st, 1), (int)table.n, table.p);
		e = ERR_CORRUPT;
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
read_db_tail(struct walk *w)
{
	struct ledger_entry last;
	struct ledger_tail *tail = &w->f->db;
	enum err e = ledger_last(w->db, &tail->n);

	if (e != ERR_OK)
		return e;
	if (tail->n == 0) {
		log_error("store: table ledger lacks its first line");
		return ERR_CORRUPT;
	}
	e = check_row(w, tail->n, (struct str){ NULL, 0 }, &last);
	if (e != ERR_OK)
		return e;
	memcpy(tail->hash, last.hash.p, CRYPT_HEX + 1);
	pool_clear(w->pool);
	return ERR_OK;
}

/* -------------------------------------------------------------- ledger */

/* The whole lines of the file from that byte on; fills f->file and so on. */
static enum err
walk_file(struct walk *w, int64_t from)
{
	struct ledger_scan scan;
	struct str line = { NULL, 0 };
	int64_t offset = 0;
	enum err e = ledger_scan_open(&scan, w->path, from);

	w->first = 0;
	w->f->file = (struct ledger_tail){ .n = 0, .hash = LEDGER_NO_PREV };
	w->f->size = w->f->replay_from = 0;
	w->f->torn = false;
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	if (from > 0)
		log_notice(
		    "ledger %s: the last %d MB are checked; prompt-arena "
		    "verify checks all",
		    w->path, SCAN_MAX >> 20);
	while ((e = ledger_scan_next(&scan, &line, &offset)) == ERR_OK) {
		e = walk_line(w, line, offset);
		if (e != ERR_OK)
			break;
		w->f->size = offset + (int64_t)line.n + 1;
		if (w->first == 0)
			w->first = w->f->file.n;
	}
	e = walk_end(w, e, line);
	ledger_scan_close(&scan);
	return e;
}

static enum err
walk_line(struct walk *w, struct str line, int64_t offset)
{
	struct ledger_tail *tail = &w->f->file;
	bool begun = w->first != 0 || offset == 0;
	struct ledger_entry entry;
	struct ledger_link link = { .n = 0 };
	enum err e = ledger_link_of(line, &link);

	if (e != ERR_OK) {
		log_error("ledger %s: the line at byte %lld, after line %lld, "
			  "%s; nothing was touched",
		    w->path, (long long)offset, (long long)tail->n,
		    e == ERR_CORRUPT ? "does not have the digest it claims"
				     : "is no line of a ledger");
		return ERR_CORRUPT;
	}
	if (begun &&
	    (link.n != tail->n + 1 || !str_is(link.prev, tail->hash))) {
		log_error("ledger %s: line %lld at byte %lld does not follow "
			  "line %lld; nothing was touched",
		    w->path, (long long)link.n, (long long)offset,
		    (long long)tail->n);
		return ERR_CORRUPT;
	}
	if (link.n == w->f->db.n && !str_is(link.hash, w->f->db.hash))
		return disagree(w, link.n);
	if (link.n <= w->f->db.n && offset >= w->compare_from) {
		if ((e = check_line(w, &link)) != ERR_OK)
			return e;
		if (w->compared == 0)
			w->compared = link.n;
	}
	if (link.n == w->f->db.n + 1)
		w->f->replay_from = offset;
	if (link.n > w->f->db.n) {
		/* It will be replayed: it must be wholly readable. */
		e = ledger_parse(w->pool, line, &entry);
		pool_clear(w->pool);
		if (e != ERR_OK) {
			log_error("ledger %s: line %lld at byte %lld cannot "
				  "be read (%s); nothing was touched",
			    w->path, (long long)link.n, (long long)offset,
			    err_name(e));
			return ERR_CORRUPT;
		}
	}
	tail->n = link.n;
	memcpy(tail->hash, link.hash.p, CRYPT_HEX);
	tail->hash[CRYPT_HEX] = '\0';
	return ERR_OK;
}

static enum err
walk_end(struct walk *w, enum err e, struct str piece)
{
	switch (e) {
	case ERR_NOTFOUND:
		return ERR_OK;
	case ERR_CLOSED:
		if (ledger_is_torn(piece, w->f->file.n + 1)) {
			w->f->torn = true;
			return ERR_OK;
		}
		__attribute__((fallthrough));
	case ERR_TOOBIG:
		log_error("ledger %s: what follows line %lld at byte %lld is "
			  "no piece of a line; nothing was touched",
		    w->path, (long long)w->f->file.n, (long long)w->f->size);
		return ERR_CORRUPT;
	default:
		return e;
	}
}

/* The file will be continued from the rows: they must deserve it. */
static enum err
check_rows_ahead(struct walk *w)
{
	struct ledger_tail tail = w->f->file;
	struct ledger_entry row;
	enum err e = ERR_OK;

	if (tail.n > 0) {
		e = check_row(w, tail.n, (struct str){ NULL, 0 }, &row);
		if (e == ERR_OK && !str_is(row.hash, tail.hash))
			e = disagree(w, tail.n);
	}
	while (e == ERR_OK && tail.n < w->f->db.n) {
		e = check_row(w, tail.n + 1, str_of(tail.hash), &row);
		if (e != ERR_OK)
			break;
		tail.n++;
		memcpy(tail.hash, row.hash.p, CRYPT_HEX + 1);
		pool_clear(w->pool);
	}
	return e;
}

/* The row of a line is that line. */
static enum err
check_line(struct walk *w, const struct ledger_link *link)
{
	struct ledger_entry row;
	enum err e = check_row(w, link->n, (struct str){ NULL, 0 }, &row);
	bool same = e == ERR_OK && str_eq(row.hash, link->hash);

	pool_clear(w->pool);
	return e != ERR_OK || same ? e : disagree(w, link->n);
}

/* Votes are the same as their lines, as far back as these were compared. */
static enum err
check_votes(struct walk *w)
{
	struct vote_odds odds;
	enum err e = vote_rows_compare(w->db, w->compared, &odds);

	if (e == ERR_OK && odds.what != NULL) {
		log_error("store: line %lld %s; nothing was touched: put a "
			  "backup of the database in its place, what it "
			  "lacks is replayed from the ledger",
		    (long long)odds.n, odds.what);
		e = ERR_CORRUPT;
	}
	return e;
}

/* Row n is there, digests to its own h, and (prev given) follows prev. */
static enum err
check_row(struct walk *w, int64_t n, struct str prev, struct ledger_entry *out)
{
	char hex[CRYPT_HEX + 1];
	struct ledger_entry copy;
	enum err e = ledger_row(w->db, w->pool, n, out);

	if (e == ERR_OK) {
		copy = *out;
		e = ledger_seal(&copy, hex);
	}
	if (e == ERR_OK && out->hash.n == CRYPT_HEX && str_is(out->hash, hex) &&
	    (prev.p == NULL || str_eq(out->prev, prev)))
		return ERR_OK;
	if (e == ERR_OK || e == ERR_NOTFOUND || e == ERR_TOOBIG) {
		log_error("store: row %lld of table ledger %s; nothing was "
			  "touched",
		    (long long)n,
		    e == ERR_NOTFOUND ? "is missing"
				      : "is not what was once written");
		e = ERR_CORRUPT;
	}
	return e;
}

/* Both have line n and differ: find the first line where they do. */
static enum err
disagree(const struct walk *w, int64_t n)
{
	struct ledger_scan scan;
	struct ledger_link link;
	struct ledger_entry row;
	struct str line;
	int64_t offset = 0, at = n;

	if (ledger_scan_open(&scan, w->path, 0) == ERR_OK) {
		while (ledger_scan_next(&scan, &line, &offset) == ERR_OK &&
		       ledger_link_of(line, &link) == ERR_OK) {
			at = link.n;
			pool_clear(w->pool);
			if (link.n >= n ||
			    ledger_row(w->db, w->pool, link.n, &row) !=
				ERR_OK ||
			    !str_eq(row.hash, link.hash))
				break;
		}
		ledger_scan_close(&scan);
	}
	log_error("ledger %s and the database tell different stories from "
		  "line %lld (byte %lld) on; nothing was touched",
	    w->path, (long long)at, (long long)offset);
	return ERR_CORRUPT;
}
