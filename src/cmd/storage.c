/* This file knows how to prove, recount and copy what is stored. */
#include "config.h"

#include "cmd/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/log.h"
#include "cmd/options.h"
#include "model/conf.h"
#include "model/recount.h"
#include "model/store.h"
#include "model/verify.h"
#include "port/xml.h"

#define PROBLEMS_CAP ((size_t)1 << 20)

/* What every command here needs to know. */
struct place {
	const char *database; /* --database, or from the configuration */
	struct conf *conf;    /* NULL with --database */
	struct pool *pool;
};

struct recompute {
	struct elo_rule rule;
	int64_t votes;
	bool changed;
};

static int begin(int *argc, char **argv, const char *usage, const char *help,
    int operands, struct place *out);
static int load_conf(const char *path, struct place *out);
static void leave(struct place *p);
static void print(void *ctx, enum verify_finding finding, const char *what);
static int recompute(const struct place *p, bool rebuild);
static enum err recompute_fn(struct store_tx *tx, void *arg);

#define PLACE "[--conf PATH] [--state DIR] [--database FILE]"

static const char verify_usage[] = "usage: prompt-arena verify " PLACE "\n";
static const char verify_help[] =
    "Proves that votes.log, the database and the ratings agree: every line's\n"
    "form, digest and link; every line and its row; every vote and its line;\n"
    "every rating and a replay of the votes.  Changes nothing and works\n"
    "beside a running service.  What a sudden end leaves, and a start of the\n"
    "service completes, is a note: lines in the database alone, a torn line.\n"
    "\n"
    "Exit status: 0 all agree, 64 wrong usage, 65 a mismatch, which is named\n"
    "with its place, 66 there is no database, 74 it cannot be read,\n"
    "78 the configuration is wrong.\n";

static const char recompute_usage[] =
    "usage: prompt-arena recompute [--rebuild] " PLACE "\n";
static const char recompute_help[] =
    "Makes every rating again from the votes, in their order, under the\n"
    "configured rule; with an unchanged rule the bytes are the same.\n"
    "\n"
    "  --rebuild   when the database is lost and no backup of it exists:\n"
    "              make one from votes.log, with the votes and the ratings\n"
    "              but without accounts, matches and settings\n"
    "\n"
    "Exit status: 0 done, 64 wrong usage, 66 there is no database, 74 it\n"
    "cannot be written, 75 a service is running: stop it first, 78 the\n"
    "configuration is wrong or what is stored contradicts itself.\n";

static const char backup_usage[] =
    "usage: prompt-arena backup " PLACE " FILE\n";
static const char backup_help[] =
    "Copies the database to FILE and its ledger to FILE.votes.log, also\n"
    "beside a running service.  Neither may exist.  To restore: stop the\n"
    "service, remove the database with its -wal and -shm, put FILE in its\n"
    "place; keep the newer votes.log if it survived, else put the copy back.\n"
    "The next start replays from the ledger what the copy lacks.\n"
    "\n"
    "Exit status: 0 done, 64 wrong usage, 65 FILE exists, 66 there is no\n"
    "database, 74 it cannot be read or FILE not written, 78 the\n"
    "configuration is wrong.\n";

/* -1 to go on, else the exit code. */
static int
begin(int *argc, char **argv, const char *usage, const char *help, int operands,
    struct place *out)
{
	const char *conf = NULL, *state = NULL;

	if (options_has(argc, argv, "--help")) {
		(void)fputs(usage, stdout);
		(void)fputs(help, stdout);
		return EX_OK;
	}
	if (options_take(argc, argv, "--conf", &conf) != ERR_OK ||
	    options_take(argc, argv, "--state", &state) != ERR_OK ||
	    options_take(argc, argv, "--database", &out->database) != ERR_OK ||
	    *argc != 1 + operands || (operands > 0 && argv[1][0] == '-')) {
		(void)fputs(usage, stderr);
		return EX_USAGE;
	}
	if (state != NULL && setenv("PROMPT_ARENA_STATE", state, 1) != 0)
		return EX_OSERR;
	return out->database == NULL ? load_conf(options_conf(conf), out) : -1;
}

int
cmd_verify(int argc, char **argv)
{
	struct place p = { NULL, NULL, NULL };
	int code = begin(&argc, argv, verify_usage, verify_help, 0, &p);
	enum err e;

	if (code >= 0)
		return code;
	e = verify_store(p.database, print, NULL);
	switch (e) {
	case ERR_OK:
		(void)puts("verified");
		break;
	case ERR_CORRUPT:
		(void)puts("NOT verified");
		break;
	case ERR_NOTFOUND:
		(void)fprintf(stderr, "prompt-arena: there is no database %s\n",
		    p.database);
		break;
	default:
		(void)fprintf(stderr, "prompt-arena: %s cannot be read (%s)\n",
		    p.database, err_name(e));
	}
	leave(&p);
	return e == ERR_CORRUPT ? EX_DATAERR : err_exit_code(e);
}

int
cmd_recompute(int argc, char **argv)
{
	struct place p = { NULL, NULL, NULL };
	bool rebuild = options_has(&argc, argv, "--rebuild");
	int code = begin(&argc, argv, recompute_usage, recompute_help, 0, &p);

	if (code >= 0)
		return code;
	code = recompute(&p, rebuild);
	leave(&p);
	return code;
}

int
cmd_backup(int argc, char **argv)
{
	struct place p = { NULL, NULL, NULL };
	int code = begin(&argc, argv, backup_usage, backup_help, 1, &p);
	enum err e;

	if (code >= 0)
		return code;
	e = store_backup(p.database, argv[1]);
	if (e == ERR_OK)
		(void)printf("%s\n%s.votes.log\n", argv[1], argv[1]);
	else
		(void)fprintf(stderr, "prompt-arena: %s was not copied (%s)\n",
		    p.database, err_name(e));
	leave(&p);
	return err_exit_code(e);
}

static int
recompute(const struct place *p, bool rebuild)
{
	struct store_conf conf = { .database = p->database,
		.rebuild = rebuild };
	struct recompute r = { .rule = { 0, 0, 0 } };
	struct store *s = NULL;
	enum err e;

	if (p->conf != NULL)
		r.rule = (struct elo_rule){ p->conf->k, p->conf->start,
			p->conf->scale };
	e = store_open(&s, &conf);
	if (e == ERR_OK)
		e = store_write(s, recompute_fn, &r);
	store_close(s);
	if (e == ERR_OK)
		(void)printf("%" PRId64 " votes replayed under K = %g, start "
			     "%g, scale %g; the ratings %s\n",
		    r.votes, r.rule.k, r.rule.start, r.rule.scale,
		    r.changed ? "have changed" : "are the same");
	else if (e == ERR_BUSY)
		(void)fprintf(stderr,
		    "prompt-arena: %s is in use: stop the "
		    "service first\n",
		    p->database);
	else
		(void)fprintf(stderr,
		    "prompt-arena: nothing was recomputed "
		    "(%s)\n",
		    err_name(e));
	return err_exit_code(e);
}

static enum err
recompute_fn(struct store_tx *tx, void *arg)
{
	struct recompute *r = arg;
	struct recount_report before = { .votes = 0 };
	enum err e = ERR_OK;

	if (r->rule.k <= 0)
		e = recount_rule(tx->db, &r->rule);
	if (e != ERR_OK)
		return e;
	buf_init(&before.where, 1 << 16);
	e = recount_verify(tx->db, &r->rule, &before);
	r->changed = e == ERR_CORRUPT && before.where.n > 0;
	if (r->changed) {
		log_warning(
		    "recompute: %.*s", (int)before.where.n, before.where.p);
		e = ERR_OK;
	}
	buf_release(&before.where);
	return e == ERR_OK ? recount_all(tx->db, &r->rule, &r->votes) : e;
}

/* ------------------------------------------------------------- helpers */

static int
load_conf(const char *path, struct place *out)
{
	struct problems ps;
	enum err e;

	out->pool = pool_open(PROBLEMS_CAP);
	if (out->pool == NULL)
		return EX_OSERR;
	problems_init(&ps, out->pool);
	xml_init();
	e = conf_load(path, &ps, &out->conf);
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		(void)fprintf(stderr, "%.*s:%d: %.*s\n", (int)p->file.n,
		    p->file.p, p->line, (int)p->what.n, p->what.p);
	if (e != ERR_OK) {
		leave(out);
		return EX_CONFIG;
	}
	out->database = out->conf->database.p;
	return -1;
}

static void
leave(struct place *p)
{
	if (p->conf != NULL)
		conf_close(p->conf);
	pool_close(p->pool);
	*p = (struct place){ NULL, NULL, NULL };
}

static void
print(void *ctx, enum verify_finding finding, const char *what)
{
	static const char *const words[] = {
		[VERIFY_GOOD] = "ok      ",
		[VERIFY_NOTE] = "note    ",
		[VERIFY_MISMATCH] = "MISMATCH",
	};

	(void)ctx;
	(void)printf("%s %s\n", words[finding], what);
}
