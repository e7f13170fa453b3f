/* This file knows how to open, close and copy the store as a whole. */
#include "config.h"

#include "model/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "model/recount.h"
#include "model/store_parts.h"
#include "port/crypt.h"

struct store {
	char *path, *ledger_path;
	struct store_hold hold;
	struct writer *writer;
};

static enum err open_all(struct store *s, const struct store_conf *conf);
static enum err examine_or_make(const struct store *s,
    const struct store_conf *conf, const struct store_schema *schema,
    struct store_finding *f);
static enum err make_folder(const char *path);
static enum err choose_rule(
    struct db *db, const struct store_conf *conf, struct elo_rule *out);
static enum err use_rule(struct db *db, const struct elo_rule *rule);
static enum err copy_database(const char *path, const char *to);
static enum err copy_ledger(const char *from, const char *to);
static enum err copy_bytes(int in, int out);
static enum err settle(const char *part, const char *to);

static const struct elo_rule published = ELO_RULE_DEFAULT;

enum err
store_open(struct store **out, const struct store_conf *conf)
{
	struct store *s = calloc(1, sizeof(*s));
	enum err e = ERR_NOMEM;

	if (s == NULL)
		return e;
	s->hold = STORE_HOLD_NONE;
	s->path = strdup(conf->database);
	s->ledger_path = store_ledger_path(conf->database);
	if (s->path != NULL && s->ledger_path != NULL)
		e = open_all(s, conf);
	if (e != ERR_OK) {
		store_close(s);
		return e;
	}
	*out = s;
	return ERR_OK;
}

void
store_close(struct store *s)
{
	if (s == NULL)
		return;
	writer_close(s->writer);
	/* Last: see store_hold. */
	store_let_go(&s->hold);
	free(s->ledger_path);
	free(s->path);
	free(s);
}

enum err
store_read_open(struct store *s, struct db **out)
{
	return db_open(out, s->path, DB_READ);
}

enum err
store_write(struct store *s, store_fn *fn, void *arg)
{
	return writer_run(s->writer, fn, arg);
}

int64_t
store_durable_seq(struct store *s)
{
	return writer_durable(s->writer);
}

void
store_wait(struct store *s, struct store_watch *w, int64_t until_ms)
{
	writer_wait(s->writer, w, until_ms);
}

void
store_nudge(struct store *s)
{
	writer_nudge(s->writer);
}

bool
store_is_halted(struct store *s)
{
	return writer_is_halted(s->writer);
}

struct writer *
store_writer(struct store *s)
{
	return s->writer;
}

static enum err
open_all(struct store *s, const struct store_conf *conf)
{
	const struct store_schema *schema =
	    conf->schema == NULL ? &store_schema_own : conf->schema;
	struct store_finding f;
	struct ledger *ledger = NULL;
	struct elo_rule rule = published;
	struct db *db = NULL;
	enum err e = crypt_init();

	if (e == ERR_OK && conf->create)
		e = make_folder(s->path);
	if (e == ERR_OK)
		e = store_check_place(s->path);
	if (e == ERR_OK)
		e = store_hold(&s->hold, s->path, s->ledger_path);
	if (e == ERR_OK)
		e = examine_or_make(s, conf, schema, &f);
	if (e == ERR_OK)
		e = db_open(&db, s->path, DB_WRITE);
	if (e == ERR_OK)
		e = store_upgrade(db, s->path, schema);
	if (e == ERR_OK)
		e = choose_rule(db, conf, &rule);
	if (e == ERR_OK)
		e = store_repair(db, s->ledger_path, &f, &rule, &ledger);
	/* What was not there before is now. */
	if (e == ERR_OK)
		e = store_hold(&s->hold, s->path, s->ledger_path);
	if (e == ERR_OK)
		e = use_rule(db, &rule);
	if (e != ERR_OK) {
		ledger_close(ledger);
		db_close(db);
		return e;
	}
	return writer_open(&s->writer, db, ledger);
}

static enum err
examine_or_make(const struct store *s, const struct store_conf *conf,
    const struct store_schema *schema, struct store_finding *f)
{
	struct elo_rule rule = conf->elo.k > 0 ? conf->elo : published;
	struct ledger_entry first;
	struct pool *pool;
	enum err e;

	if (conf->rebuild && access(s->path, F_OK) != 0 &&
	    access(s->ledger_path, F_OK) == 0) {
		pool = pool_open(1 << 16);
		e = pool == NULL
			? ERR_NOMEM
			: store_first_line(s->ledger_path, pool, &first);
		if (e == ERR_OK)
			e = store_create(s->path, schema, &rule, &first);
		pool_close(pool);
		if (e != ERR_OK)
			return e;
		log_warning(
		    "store %s: made anew from %s", s->path, s->ledger_path);
	}
	e = store_examine(s->path, s->ledger_path, schema, f);
	if (e != ERR_NOTFOUND || !conf->create) {
		if (e == ERR_NOTFOUND)
			log_error("store %s: there is no database", s->path);
		return e;
	}
	e = store_create(s->path, schema, &rule, NULL);
	if (e != ERR_OK)
		return e;
	log_notice("store %s: a new arena", s->path);
	return store_examine(s->path, s->ledger_path, schema, f);
}

/* The last component alone: a path that is wholly wrong should say so. */
static enum err
make_folder(const char *path)
{
	char *folder = store_sibling(path, "");
	enum err e = ERR_OK;

	if (folder == NULL)
		return ERR_NOMEM;
	if (mkdir(folder, 0750) != 0 && errno != EEXIST) {
		log_error("store %s: its folder cannot be made (%s)", path,
		    log_errno());
		e = ERR_IO;
	}
	free(folder);
	return e;
}

static enum err
choose_rule(struct db *db, const struct store_conf *conf, struct elo_rule *out)
{
	enum err e;

	if (conf->elo.k > 0) {
		*out = conf->elo;
		return ERR_OK;
	}
	e = recount_rule(db, out);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
use_rule(struct db *db, const struct elo_rule *rule)
{
	bool changed;
	enum err e = db_begin(db);

	if (e != ERR_OK)
		return e;
	return db_end(db, recount_rule_set(db, rule, &changed));
}

/* --------------------------------------------------------------- names */

char *
store_sibling(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
	size_t room = folder + strlen(name) + 3;
	char *out = malloc(room);

	if (out != NULL)
		(void)snprintf(out, room, "%.*s%s",
		    folder == 0 ? 2 : (int)folder, folder == 0 ? "./" : path,
		    name);
	return out;
}

char *
store_suffixed(const char *path, const char *ending)
{
	size_t room = strlen(path) + strlen(ending) + 1;
	char *out = malloc(room);

	if (out != NULL)
		(void)snprintf(out, room, "%s%s", path, ending);
	return out;
}

char *
store_ledger_path(const char *database)
{
	return store_sibling(database, "votes.log");
}

enum err
store_sync_folder(const char *path)
{
	char *folder = store_sibling(path, "");
	int fd = folder == NULL
		     ? -1
		     : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e = ERR_OK;

	free(folder);
	if (fd < 0 || fsync(fd) != 0) {
		log_error("store %s: its folder cannot be synced (%s)", path,
		    log_errno());
		e = ERR_IO;
	}
	if (fd >= 0)
		(void)close(fd);
	return e;
}

/* -------------------------------------------------------------- backup */

enum err
store_backup(const char *path, const char *to)
{
	char *ledger = store_ledger_path(path);
	char *ledger_to = store_suffixed(to, ".votes.log");
	enum err e = ERR_NOMEM;

	if (ledger == NULL || ledger_to == NULL)
		goto out;
	e = ERR_CONFLICT;
	if (access(to, F_OK) == 0 || access(ledger_to, F_OK) == 0) {
		log_error("backup %s: exists already", to);
		goto out;
	}
	/* The ledger second: it may then be ahead, which a start repairs. */
	e = copy_database(path, to);
	if (e == ERR_OK)
		e = copy_ledger(ledger, ledger_to);
out:
	free(ledger_to);
	free(ledger);
	return e;
}

static enum err
copy_database(const char *path, const char *to)
{
	char *part = store_suffixed(to, ".part");
	struct db *db = NULL;
	struct db_stmt *st;
	enum err e = part == NULL ? ERR_NOMEM : db_open(&db, path, DB_READ);

	if (e == ERR_OK) {
		(void)unlink(part);
		st = db_stmt(db, "VACUUM INTO ?1");
		db_bind_z(st, 1, part);
		e = db_run(st);
	}
	db_close(db);
	if (e == ERR_OK)
		e = settle(part, to);
	if (e != ERR_OK && part != NULL)
		(void)unlink(part);
	free(part);
	return e;
}

static enum err
copy_ledger(const char *from, const char *to)
{
	char *part = store_suffixed(to, ".part");
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out =
	    part == NULL
		? -1
		: open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	enum err e = in < 0 || out < 0 ? ERR_IO : copy_bytes(in, out);

	if (in >= 0)
		(void)close(in);
	if (out >= 0)
		(void)close(out);
	if (e == ERR_OK)
		e = settle(part, to);
	else
		log_error("backup %s: copying the ledger failed (%s)", to,
		    err_name(e));
	if (e != ERR_OK && part != NULL)
		(void)unlink(part);
	free(part);
	return e;
}

static enum err
copy_bytes(int in, int out)
{
	static const size_t room = 1 << 16;
	char *bytes = malloc(room);
	ssize_t got = -1, put = 0;
	enum err e = ERR_OK;

	if (bytes == NULL)
		return ERR_NOMEM;
	while (e == ERR_OK && (got = read(in, bytes, room)) > 0) {
		for (ssize_t done = 0; e == ERR_OK && done < got; done += put) {
			put = write(out, bytes + done, (size_t)(got - done));
			if (put <= 0)
				e = errno == ENOSPC ? ERR_FULL : ERR_IO;
		}
	}
	free(bytes);
	return e == ERR_OK && got < 0 ? ERR_IO : e;
}

/* part is whole: make it durable, then give it its name. */
static enum err
settle(const char *part, const char *to)
{
	int fd = open(part, O_RDWR | O_CLOEXEC);
	enum err e = ERR_OK;

	if (fd < 0 || fchmod(fd, 0600) != 0 || fsync(fd) != 0 ||
	    rename(part, to) != 0) {
		log_error(
		    "backup %s: cannot be put in place (%s)", to, log_errno());
		e = errno == ENOSPC ? ERR_FULL : ERR_IO;
	}
	if (fd >= 0)
		(void)close(fd);
	return e == ERR_OK ? store_sync_folder(to) : e;
}
