/* This file knows how to check the files of an arena without starting it. */
#include "config.h"

#include "cmd/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/log.h"
#include "cmd/options.h"
#include "model/catalog.h"
#include "model/conf.h"
#include "model/store.h"
#include "page/app.h"
#include "port/xml.h"

#define PROBLEMS_CAP ((size_t)16 * 1024 * 1024)

/* How much there is of everything. */
struct census {
	size_t prompts, versions, questions, answers, activities, setups;
};

static int read_options(int argc, char **argv, const char **conf);
static void check_all(const char *path, struct problems *ps, struct census *n);
static void check_catalog(
    const struct conf *conf, struct problems *ps, struct census *n);
static void check_database(const struct conf *conf, struct problems *ps);
static void print_problems(const struct problems *ps);
static void print_census(const struct census *n);

static const char usage[] =
    "usage: prompt-arena check [--conf PATH] [--state DIR]\n";

static const char help[] =
    "Reads configuration, catalog, templates and database as the service\n"
    "would, changes nothing, and names every fault by file and line.\n"
    "\n"
    "  --conf PATH   folder or file of the configuration\n"
    "                (default: PROMPT_ARENA_CONF, or else " PA_SYSCONFDIR ")\n"
    "  --state DIR   where relative paths of database and sockets start\n"
    "                (default: PROMPT_ARENA_STATE, or else where they are\n"
    "                installed)\n"
    "\n"
    "Exit status: 0 everything is in order, 64 wrong usage, 78 faults.\n";

int
cmd_check(int argc, char **argv)
{
	const char *conf = NULL;
	struct census n = { 0 };
	struct problems ps;
	struct pool *pool;
	int code = read_options(argc, argv, &conf);

	if (code >= 0)
		return code;
	pool = pool_open(PROBLEMS_CAP);
	if (pool == NULL)
		return EX_OSERR;
	problems_init(&ps, pool);
	xml_init();
	check_all(conf, &ps, &n);
	if (ps.count == 0)
		print_census(&n);
	else
		print_problems(&ps);
	code = ps.count == 0 ? EX_OK : EX_CONFIG;
	pool_close(pool);
	return code;
}

/* -1 to go on, else the exit code. */
static int
read_options(int argc, char **argv, const char **conf)
{
	const char *state = NULL;

	if (options_has(&argc, argv, "--help")) {
		(void)fputs(usage, stdout);
		(void)fputs(help, stdout);
		return EX_OK;
	}
	if (options_take(&argc, argv, "--conf", conf) != ERR_OK ||
	    options_take(&argc, argv, "--state", &state) != ERR_OK ||
	    argc != 1) {
		(void)fputs(usage, stderr);
		return EX_USAGE;
	}
	if (state != NULL && setenv("PROMPT_ARENA_STATE", state, 1) != 0)
		return EX_OSERR;
	return -1;
}

/*
 * One fault must not hide the others: each part is read whatever was wrong
 * with the part before, unless it cannot be found without it.
 */
static void
check_all(const char *path, struct problems *ps, struct census *n)
{
	struct conf *conf = NULL;

	if (conf_load(path, ps, &conf) != ERR_OK) {
		if (ps->count == 0)
			problems_add(ps, path == NULL ? PA_SYSCONFDIR : path, 0,
			    "could not be read: out of memory");
		return;
	}
	log_secret((struct str){ conf->secret.p, conf->secret.n });
	if (clock_zone_set(conf->timezone.p) != ERR_OK)
		problems_add(
		    ps, conf->file.p, 0, "the time zone cannot be used");
	check_database(conf, ps);
	check_catalog(conf, ps, n);
	/* Takes conf over: last. */
	if (app_check(conf, ps) != ERR_OK && ps->count == 0)
		problems_add(ps, "templates", 0,
		    "could not be read; the lines above say why");
}

static void
check_catalog(const struct conf *conf, struct problems *ps, struct census *n)
{
	struct catalog *catalog = NULL;

	if (catalog_load(conf, ps, &catalog) != ERR_OK) {
		if (ps->count == 0)
			problems_add(ps, conf->prompts.p, 0,
			    "could not be read: out of memory");
		return;
	}
	n->prompts = catalog->prompts_n;
	for (size_t i = 0; i < catalog->prompts_n; i++)
		n->versions += catalog->prompts[i].versions_n;
	n->questions = catalog->questions_n;
	n->answers = catalog->answers_n;
	n->activities = catalog->activities_n;
	n->setups = conf->setups_n;
	catalog_close(catalog);
}

/* The folder of the database holds other files of ours. */
static bool
is_taken(const struct conf *conf)
{
	const char *path = conf->database.p;
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;

	return strcmp(name, "votes.log") == 0 ||
	       strcmp(name, "arena.key") == 0 ||
	       strcmp(path, conf->socket.p) == 0 ||
	       strcmp(path, conf->control.p) == 0;
}

static void
check_database(const struct conf *conf, struct problems *ps)
{
	enum err e;

	if (is_taken(conf)) {
		problems_add(ps, conf->file.p, 0,
		    "the database is %s, which is the name of another file "
		    "of the program (the ledger, the key or a socket); write "
		    "another, as arena.db",
		    conf->database.p);
		return;
	}
	e = store_look(conf->database.p);

	if (e == ERR_OK || e == ERR_NOTFOUND)
		return; /* none yet: the first start makes it */
	problems_add(ps, conf->database.p, 0,
	    "the database cannot be used (%s); the log line above says why",
	    err_name(e));
}

static void
print_problems(const struct problems *ps)
{
	for (const struct problem *p = ps->first; p != NULL; p = p->next) {
		if (p->line > 0)
			(void)fprintf(stderr, "%s:%d: %s\n", p->file.p, p->line,
			    p->what.p);
		else
			(void)fprintf(stderr, "%s: %s\n", p->file.p, p->what.p);
	}
	(void)fprintf(
	    stderr, "%zu %s\n", ps->count, ps->count == 1 ? "fault" : "faults");
}

static void
print_count(size_t n, const char *one, const char *more, const char *end)
{
	(void)printf("%zu %s%s", n, n == 1 ? one : more, end);
}

static void
print_census(const struct census *n)
{
	print_count(n->prompts, "prompt", "prompts", ", ");
	print_count(n->versions, "version", "versions", ", ");
	print_count(n->questions, "question", "questions", ", ");
	print_count(n->answers, "answer", "answers", ", ");
	print_count(n->activities, "activity", "activities", ", ");
	print_count(n->setups, "setup", "setups", "");
	(void)puts(": everything is in order");
}
