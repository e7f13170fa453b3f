/* This file knows how to make answers ready, or judge them anew, on command. */
#include "config.h"

#include "cmd/generate.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/daemon.h"
#include "cmd/options.h"
#include "model/answer.h"
#include "model/catalog.h"
#include "model/catalog_sync.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/leak.h"
#include "model/store.h"
#include "model/works.h"
#include "port/crypt.h"
#include "port/db.h"
#include "port/http.h"
#include "port/xml.h"

#define PROBLEMS_CAP ((size_t)4 << 20)
#define ANSWER_CAP ((size_t)64 << 10)
#define RESCAN_CHUNK 200
#define LOOK_MS 500
#define PAIRS_MAX 100000

struct place { /* what both commands need to know */
	struct conf *conf;
	struct pool *pool;
	const char *control;
	bool quiet;
	int64_t pairs;
};

struct alone { /* works without a service */
	struct place *place;
	struct store *store;
	struct db *db;
	struct deck_holder decks;
	bool has_deck;
	struct works *works;
};

static const char *const states[] = {
	[WORKS_IDLE] = "idle",
	[WORKS_FILLING] = "filling",
	[WORKS_FULL] = "full",
	[WORKS_SPENT] = "spent",
	[WORKS_STUCK] = "stuck",
};

static const char generate_usage[] =
    "usage: prompt-arena generate [--pairs N] [--quiet] [--conf PATH]\n"
    "                             [--state DIR] [--control PATH]\n";
static const char generate_help[] =
    "Has answers written until, of each question type, N pairs are ready that\n"
    "still lack voters (default: stock of <generation> in arena.xml), and "
    "shows\n"
    "how far it is.  Inside the running service; without one, by itself.\n"
    "Stays inside the budgets; what is there already is not made again.\n"
    "\n"
    "Exit status: 0 done, or there is nothing more to write; 64 wrong usage;\n"
    "75 no model server answers, or today's budget is spent; 78 the\n"
    "configuration is wrong, or no <setup> has an endpoint.\n";

static const char rescan_usage[] =
    "usage: prompt-arena rescan [--conf PATH] [--state DIR] [--control PATH]\n";
static const char rescan_help[] =
    "Judges every stored answer by the names and phrases of today: what says\n"
    "who wrote it is no longer shown, and votes on it no longer count.  Votes\n"
    "that were cast keep what they had.  Inside the running service; without\n"
    "one, by itself.\n";

static int begin(int *argc, char **argv, const char *usage, const char *help,
    struct place *out);
static void leave(struct place *p);
static int load(const char *path, struct place *out);
static bool has_endpoint(const struct conf *conf);
static int follow(struct place *p, struct works *alone);
static enum err look(
    struct place *p, struct works *alone, struct works_progress *out);
static void read_progress(struct str s, struct works_progress *out);
static void show(const struct place *p, const struct works_progress *now);
static int verdict(const struct works_progress *now);
static int run_alone(struct place *p, int (*run)(struct alone *));
static enum err open_alone(struct alone *a);
static void close_alone(struct alone *a);
static enum err sync_files(struct store *store, struct place *p);
static int generate_alone(struct alone *a);
static int rescan_alone(struct alone *a);
static const struct conf *take_conf(void *ctx, void **hold);
static void give_conf(void *ctx, void *hold);

int
cmd_generate(int argc, char **argv)
{
	struct place p = { .pairs = 0 };
	const char *pairs = NULL;
	struct buf answer;
	enum err e, result = ERR_OK;
	char word[24];
	struct str arg;
	int code;

	p.quiet = options_has(&argc, argv, "--quiet");
	if (options_take(&argc, argv, "--pairs", &pairs) != ERR_OK ||
	    (pairs != NULL &&
		str_int(str_of(pairs), 1, PAIRS_MAX, &p.pairs) != ERR_OK)) {
		(void)fputs(generate_usage, stderr);
		return EX_USAGE;
	}
	code = begin(&argc, argv, generate_usage, generate_help, &p);
	if (code >= 0)
		return code;
	if (p.pairs == 0)
		p.pairs = p.conf->stock > 0 ? p.conf->stock : 1;
	if (!has_endpoint(p.conf)) {
		(void)fputs("prompt-arena: no <setup> in arena.xml has an "
			    "endpoint that could answer\n",
		    stderr);
		leave(&p);
		return EX_CONFIG;
	}
	snprintf(word, sizeof(word), "%" PRId64, p.pairs);
	arg = str_of(word);
	buf_init(&answer, ANSWER_CAP);
	e = daemon_ask(p.control, "generate", &arg, 1, &answer, &result);
	buf_release(&answer);
	if (e == ERR_NOTFOUND)
		code = run_alone(&p, generate_alone);
	else if (e != ERR_OK || result != ERR_OK)
		code = err_exit_code(e != ERR_OK ? e : result);
	else
		code = follow(&p, NULL);
	leave(&p);
	return code;
}

int
cmd_rescan(int argc, char **argv)
{
	struct place p = { .pairs = 0 };
	struct buf answer;
	enum err e, result = ERR_OK;
	int code = begin(&argc, argv, rescan_usage, rescan_help, &p);

	if (code >= 0)
		return code;
	buf_init(&answer, ANSWER_CAP);
	e = daemon_ask(p.control, "rescan", NULL, 0, &answer, &result);
	if (e == ERR_NOTFOUND) {
		code = run_alone(&p, rescan_alone);
	} else {
		(void)fwrite(answer.n > 0 ? answer.p : "", 1, answer.n, stdout);
		code = err_exit_code(e != ERR_OK ? e : result);
	}
	buf_release(&answer);
	leave(&p);
	return code;
}

enum err
generate_verb(
    struct works *w, const struct str *args, size_t args_n, struct buf *answer)
{
	struct works_progress now;
	int64_t n;

	if (w == NULL)
		return ERR_CONFIG;
	if (args_n == 1 && str_int(args[0], 0, PAIRS_MAX, &n) == ERR_OK)
		works_order(w, n);
	else if (args_n != 1 || !str_is(args[0], "look"))
		return ERR_INVALID;
	works_progress(w, &now);
	buf_printf(answer,
	    "state %s\nready %" PRId64 "\nwanted %" PRId64 "\ncoming %" PRId64
	    "\nmade %" PRId64 "\nfailed %" PRId64 "\n",
	    states[now.state], now.ready, now.wanted, now.coming, now.made,
	    now.failed);
	return ERR_OK;
}

enum err
rescan_all(struct store *store, const struct conf *conf, struct buf *answer)
{
	struct answer_rescan r = { .conf = conf, .max = RESCAN_CHUNK };
	struct leak_list *list = NULL;
	struct db *db;
	enum err e = store_read_open(store, &db);

	if (e != ERR_OK)
		return e;
	e = answer_leak_list(db, conf, &list);
	r.list = list;
	while (e == ERR_OK && !r.done)
		e = store_write(store, answer_rescan_fn, &r);
	buf_printf(answer,
	    "list %s\nlooked %" PRId64 "\nchanged %" PRId64 "\nblocked %" PRId64
	    "\n",
	    list == NULL ? "none" : leak_list_version(list), r.looked,
	    r.changed, r.blocked);
	leak_list_close(list);
	db_close(db);
	return e;
}

/* Exit code, or -1: go on. */
static int
begin(int *argc, char **argv, const char *usage, const char *help,
    struct place *out)
{
	const char *conf = NULL, *state = NULL;
	int code;

	if (options_has(argc, argv, "--help")) {
		(void)fputs(usage, stdout);
		(void)fputs("\n", stdout);
		(void)fputs(help, stdout);
		return 0;
	}
	if (options_take(argc, argv, "--conf", &conf) != ERR_OK ||
	    options_take(argc, argv, "--state", &state) != ERR_OK ||
	    options_take(argc, argv, "--control", &out->control) != ERR_OK ||
	    *argc != 1) {
		(void)fputs(usage, stderr);
		return EX_USAGE;
	}
	if (state != NULL && setenv("PROMPT_ARENA_STATE", state, 1) != 0)
		return EX_OSERR;
	code = load(options_conf(conf), out);
	if (code < 0 && out->control == NULL)
		out->control = out->conf->control.p;
	return code;
}

static void
leave(struct place *p)
{
	if (p->conf != NULL)
		conf_close(p->conf);
	if (p->pool != NULL)
		pool_close(p->pool);
}

static int
load(const char *path, struct place *out)
{
	struct problems ps;
	enum err e;

	xml_init();
	out->pool = pool_open(PROBLEMS_CAP);
	if (out->pool == NULL)
		return EX_OSERR;
	problems_init(&ps, out->pool);
	e = conf_load(path, &ps, &out->conf);
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		(void)fprintf(stderr, "%.*s:%d: %.*s\n", (int)p->file.n,
		    p->file.p, p->line, (int)p->what.n, p->what.p);
	if (e == ERR_OK)
		return -1;
	pool_close(out->pool);
	out->pool = NULL;
	return EX_CONFIG;
}

static bool
has_endpoint(const struct conf *conf)
{
	for (size_t i = 0; i < conf->setups_n; i++) {
		if (conf->setups[i].endpoint.p != NULL)
			return true;
	}
	return false;
}

/* Until it is full, or cannot become so. */
static int
follow(struct place *p, struct works *alone)
{
	struct works_progress now = { .state = WORKS_FILLING };
	enum err e;

	do {
		(void)poll(NULL, 0, LOOK_MS);
		e = look(p, alone, &now);
		if (e != ERR_OK) {
			(void)fprintf(stderr,
			    "\nprompt-arena: the service no "
			    "longer answers (%s)\n",
			    err_name(e));
			return err_exit_code(e == ERR_NOTFOUND ? ERR_BUSY : e);
		}
		show(p, &now);
	} while (now.state == WORKS_FILLING || now.state == WORKS_IDLE);
	return verdict(&now);
}

static enum err
look(struct place *p, struct works *alone, struct works_progress *out)
{
	struct str arg = STR("look");
	enum err e, result = ERR_OK;
	struct buf answer;

	if (alone != NULL) {
		works_progress(alone, out);
		return ERR_OK;
	}
	buf_init(&answer, ANSWER_CAP);
	e = daemon_ask(p->control, "generate", &arg, 1, &answer, &result);
	if (e == ERR_OK)
		e = result;
	if (e == ERR_OK)
		read_progress(buf_as_str(&answer), out);
	buf_release(&answer);
	return e;
}

static void
read_progress(struct str s, struct works_progress *out)
{
	const struct {
		const char *name;
		int64_t *to;
	} numbers[] = { { "ready", &out->ready }, { "wanted", &out->wanted },
		{ "coming", &out->coming }, { "made", &out->made },
		{ "failed", &out->failed } };

	while (s.n > 0) {
		struct str value = str_cut(&s, '\n');
		struct str name = str_cut(&value, ' ');

		for (int i = 0; str_is(name, "state") && i <= WORKS_STUCK; i++)
			if (str_is(value, states[i]))
				out->state = (enum works_state)i;
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]);
		     i++) {
			int64_t n;

			if (str_is(name, numbers[i].name) &&
			    str_int(value, 0, INT64_MAX, &n) == ERR_OK)
				*numbers[i].to = n;
		}
	}
}

/* One line that moves on a terminal; elsewhere only the last one. */
static void
show(const struct place *p, const struct works_progress *now)
{
	bool ends = now->state != WORKS_FILLING && now->state != WORKS_IDLE;
	bool moves = isatty(STDERR_FILENO) == 1;

	if (p->quiet || (!moves && !ends))
		return;
	(void)fprintf(stderr,
	    "%s%" PRId64 " of %" PRId64 " pairs ready, %" PRId64
	    " answers under way, %" PRId64 " written, %" PRId64 " failed%s",
	    moves ? "\r\033[K" : "", now->ready, now->wanted, now->coming,
	    now->made, now->failed, ends || !moves ? "\n" : "");
	(void)fflush(stderr);
}

static int
verdict(const struct works_progress *now)
{
	switch (now->state) {
	case WORKS_SPENT:
		(void)puts("there is nothing more to write");
		return 0;
	case WORKS_STUCK:
		(void)fputs("prompt-arena: no model server takes questions "
			    "now, or today's budget is spent; see prompt-arena "
			    "status\n",
		    stderr);
		return EX_TEMPFAIL;
	default:
		(void)puts("done");
		return 0;
	}
}

/* ---- without a service ---- */

static int
run_alone(struct place *p, int (*run)(struct alone *))
{
	struct alone a = { .place = p };
	enum err e = open_alone(&a);
	int code;

	if (e != ERR_OK) {
		(void)fprintf(stderr, "prompt-arena: %s cannot be used (%s)\n",
		    p->conf->database.p, err_name(e));
		code = err_exit_code(e);
	} else {
		code = run(&a);
	}
	close_alone(&a);
	return code;
}

static enum err
open_alone(struct alone *a)
{
	struct conf *c = a->place->conf;
	struct store_conf sc = { .database = c->database.p,
		.create = true,
		.elo = { c->k, c->start, c->scale } };
	struct deck *deck;
	enum err e;

	if ((e = crypt_init()) != ERR_OK || (e = http_init()) != ERR_OK ||
	    (e = store_open(&a->store, &sc)) != ERR_OK ||
	    (e = sync_files(a->store, a->place)) != ERR_OK ||
	    (e = store_read_open(a->store, &a->db)) != ERR_OK ||
	    (e = deck_open(a->db, &deck)) != ERR_OK)
		return e;
	deck_holder_init(&a->decks, deck);
	a->has_deck = true;
	return ERR_OK;
}

static void
close_alone(struct alone *a)
{
	works_stop(a->works);
	if (a->has_deck)
		deck_holder_release(&a->decks);
	if (a->db != NULL)
		db_close(a->db);
	if (a->store != NULL)
		store_close(a->store);
}

static enum err
sync_files(struct store *store, struct place *p)
{
	struct catalog_sync_args args = { .conf = p->conf };
	struct catalog *catalog;
	struct problems ps;
	enum err e;

	problems_init(&ps, p->pool);
	e = catalog_load(p->conf, &ps, &catalog);
	for (const struct problem *at = ps.first; at != NULL; at = at->next)
		(void)fprintf(stderr, "%.*s:%d: %.*s\n", (int)at->file.n,
		    at->file.p, at->line, (int)at->what.n, at->what.p);
	if (e != ERR_OK)
		return e;
	args.catalog = catalog;
	e = store_write(store, catalog_sync_fn, &args);
	catalog_close(catalog);
	return e;
}

static int
generate_alone(struct alone *a)
{
	struct works_conf wc = { .store = a->store,
		.decks = &a->decks,
		.take_conf = take_conf,
		.give_conf = give_conf,
		.ctx = a->place->conf };
	enum err e = works_start(&a->works, &wc);

	if (e != ERR_OK)
		return err_exit_code(e);
	works_order(a->works, a->place->pairs);
	return follow(a->place, a->works);
}

static int
rescan_alone(struct alone *a)
{
	struct buf answer;
	enum err e;

	buf_init(&answer, ANSWER_CAP);
	e = rescan_all(a->store, a->place->conf, &answer);
	(void)fwrite(answer.n > 0 ? answer.p : "", 1, answer.n, stdout);
	buf_release(&answer);
	return err_exit_code(e);
}

/* The one configuration there is: nobody changes it. */
static const struct conf *
take_conf(void *ctx, void **hold)
{
	*hold = NULL;
	return ctx;
}

static void
give_conf(void *ctx, void *hold)
{
	(void)ctx;
	(void)hold;
}
