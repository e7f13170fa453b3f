/* This file knows how to run a simulation of voters from the command line. */
#include "config.h"

#include "cmd/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/pool.h"
#include "cmd/options.h"
#include "model/catalog.h"
#include "model/catalog_sync.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/recount.h"
#include "model/simulate.h"
#include "model/store.h"
#include "port/crypt.h"
#include "port/xml.h"

#define VOTES_MAX 10000000
#define PROBLEMS_POOL (4u << 20)

static const char usage[] =
    "usage: prompt-arena simulate --votes N [--seed S] [--conf PATH]"
    " [--state DIR]\n"
    "Fill an arena that has no real votes with N simulated ones; every page\n"
    "then says so.  The same seed gives the same votes.\n";

struct options {
	int64_t votes, seed;
	const char *conf;
	bool help;
};

/* What is open, to be closed in reverse. */
struct work {
	struct conf *conf;
	struct catalog *catalog;
	struct store *store;
	struct db *db;
	struct deck *deck;
};

static enum err read_options(int argc, char **argv, struct options *out);
static enum err open_files(
    struct work *w, const char *path, struct problems *ps);
static enum err open_arena(struct work *w);
static void close_all(struct work *w);
static enum err take_over(struct store_tx *tx, void *arg);
static int say(enum err e, int64_t done, const struct options *o);

int
cmd_simulate(int argc, char **argv)
{
	struct options o = { .votes = -1, .seed = 1 };
	struct simulate_conf how;
	struct work w = { 0 };
	struct problems ps;
	struct pool *pool;
	int64_t done = 0;
	enum err e = read_options(argc, argv, &o);

	if (e != ERR_OK || o.help || o.votes < 0) {
		fputs(usage, o.help ? stdout : stderr);
		return o.help ? 0 : EX_USAGE;
	}
	pool = pool_open(PROBLEMS_POOL);
	if (pool == NULL)
		return err_exit_code(ERR_NOMEM);
	problems_init(&ps, pool);
	e = open_files(&w, o.conf, &ps);
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		fprintf(stderr, "%.*s:%d: %.*s\n", (int)p->file.n, p->file.p,
		    p->line, (int)p->what.n, p->what.p);
	if (e == ERR_OK)
		e = open_arena(&w);
	if (e == ERR_OK) {
		how = (struct simulate_conf){ .votes = o.votes,
			.seed = (uint64_t)o.seed,
			.now = clock_now() };
		e = simulate(w.store, w.conf, w.deck, &how, &done);
	}
	close_all(&w);
	pool_close(pool);
	return say(e, done, &o);
}

static enum err
read_options(int argc, char **argv, struct options *out)
{
	const char *votes = NULL, *seed = NULL, *conf = NULL, *state = NULL;
	enum err e;

	out->help = options_has(&argc, argv, "--help");
	if ((e = options_take(&argc, argv, "--votes", &votes)) != ERR_OK ||
	    (e = options_take(&argc, argv, "--seed", &seed)) != ERR_OK ||
	    (e = options_take(&argc, argv, "--conf", &conf)) != ERR_OK ||
	    (e = options_take(&argc, argv, "--state", &state)) != ERR_OK)
		return e;
	if (argc != 1)
		return ERR_INVALID;
	if (votes != NULL &&
	    (e = str_int(str_of(votes), 0, VOTES_MAX, &out->votes)) != ERR_OK)
		return e;
	if (seed != NULL &&
	    (e = str_int(str_of(seed), 0, INT64_MAX, &out->seed)) != ERR_OK)
		return e;
	if (state != NULL && setenv("PROMPT_ARENA_STATE", state, 1) != 0)
		return ERR_NOMEM;
	out->conf = options_conf(conf);
	return ERR_OK;
}

static enum err
open_files(struct work *w, const char *path, struct problems *ps)
{
	enum err e = crypt_init();

	if (e != ERR_OK)
		return e;
	xml_init();
	e = conf_load(path, ps, &w->conf);
	if (e == ERR_OK && w->conf->timezone.n > 0)
		e = clock_zone_set(w->conf->timezone.p);
	if (e == ERR_OK)
		e = catalog_load(w->conf, ps, &w->catalog);
	return e;
}

static enum err
open_arena(struct work *w)
{
	struct store_conf at = { .database = w->conf->database.p,
		.create = true };
	enum err e = store_open(&w->store, &at);

	if (e != ERR_OK)
		return e;
	if ((e = store_write(w->store, take_over, w)) != ERR_OK ||
	    (e = store_read_open(w->store, &w->db)) != ERR_OK)
		return e;
	return deck_open(w->db, &w->deck);
}

/* The rule and the catalog in force, as a service does at its start. */
static enum err
take_over(struct store_tx *tx, void *arg)
{
	struct work *w = arg;
	const struct elo_rule rule = { w->conf->k, w->conf->start,
		w->conf->scale };
	bool changed;
	enum err e = recount_rule_set(tx->db, &rule, &changed);

	return e == ERR_OK ? catalog_sync(tx, w->catalog, w->conf) : e;
}

static void
close_all(struct work *w)
{
	if (w->deck != NULL)
		deck_put(w->deck);
	if (w->db != NULL)
		db_close(w->db);
	if (w->store != NULL)
		store_close(w->store);
	if (w->catalog != NULL)
		catalog_close(w->catalog);
	if (w->conf != NULL)
		conf_close(w->conf);
	xml_shutdown();
}

static int
say(enum err e, int64_t done, const struct options *o)
{
	switch (e) {
	case ERR_OK:
		printf("%" PRId64 " simulated votes, seed %" PRId64 "\n", done,
		    o->seed);
		break;
	case ERR_DENIED:
		fputs("prompt-arena simulate: this arena has real votes; "
		      "simulated ones would mix with them\n",
		    stderr);
		return EX_DATAERR;
	case ERR_CONFLICT:
		fprintf(stderr,
		    "prompt-arena simulate: the votes of seed %" PRId64
		    " are here already; choose another --seed\n",
		    o->seed);
		break;
	case ERR_BUSY:
		fputs("prompt-arena simulate: the arena is in use; stop its "
		      "service first\n",
		    stderr);
		break;
	case ERR_NOTFOUND:
		fprintf(stderr,
		    "prompt-arena simulate: %" PRId64 " votes; "
		    "then the catalog had no pair of answers left\n",
		    done);
		return EX_DATAERR;
	default:
		fprintf(stderr, "prompt-arena simulate: %s\n", err_name(e));
		break;
	}
	return err_exit_code(e);
}
