/* This file knows how to run the arena's pages inside the daemon. */
#include "config.h"

#include "cmd/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cmd/daemon.h"
#include "cmd/generate.h"
#include "cmd/route.h"
#include "model/catalog.h"
#include "model/catalog_sync.h"
#include "model/conf.h"
#include "model/recount.h"
#include "model/store.h"
#include "model/tutor.h"
#include "model/works.h"
#include "page/app.h"
#include "page/req.h"
#include "port/crypt.h"
#include "port/fcgi.h"
#include "port/http.h"
#include "port/xml.h"

#define PAGE_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define PROBLEMS_POOL ((size_t)4 * 1024 * 1024)
#define PROBLEMS_SHOWN 50
#define KEY_FILE "arena.key"

struct serve { /* everything that lives as long as the service */
	char *conf_path;
	char *paths[3];    /* socket, its group, control */
	char *places[2];   /* <listen> and <storage> as they were at start */
	char *zone;        /* the campus's, in force */
	struct conf *conf; /* the first reading, until open takes it */
	struct store *store;
	struct site site;
	bool site_is_open;
	struct works *works;
	struct job_handler tutor; /* knows the statistics thread */
	struct fcgi *fcgi;        /* borrowed */
};

struct worker {
	struct db *db;
	struct buf out;
};

struct sync_args {
	struct catalog_sync_args catalog;
	struct elo_rule rule;
};

static int with_app(
    int (*run)(const struct daemon_app *, int, char **), int argc, char **argv);
static void release(struct serve *);
static enum err configure(void *, const char *, struct daemon_conf *);
static enum err init(void *);
static enum err open_all(void *);
static enum err start(void *, struct fcgi *);
static void seats(void *, struct site_seats *);
static const struct conf *take_conf(void *, void **);
static void give_conf(void *, void *);
static enum err verb_generate(void *, const struct str *, size_t, struct buf *);
static enum err verb_rescan(void *, const struct str *, size_t, struct buf *);
static enum err worker_open(void *, unsigned, void **);
static void worker_close(void *, void *);
static void serve_one(void *, void *, struct fcgi_req *, enum err);
static enum err reload(void *);
static void stop(void *);
static void status(void *, struct buf *);

static void status_works(struct serve *, struct buf *);
static enum err load_conf(const char *path, struct conf **);
static enum err take_over(struct serve *, struct conf *);
static enum err use_zone(struct serve *, const struct conf *);
static void say_places(struct serve *, const struct conf *);
static enum err sync_catalog(struct store *, const struct conf *);
static enum err sync_fn(struct store_tx *, void *);
static enum err make_app(struct conf *, struct app **);
static char *key_path(const char *database);
static void say_problems(const struct problems *);
static void send(struct fcgi_req *, struct req *, struct worker *);

static const struct daemon_verb verbs[] = {
	{ "generate", "have answers written", verb_generate },
	{ "rescan", "judge stored answers anew", verb_rescan },
};

int
cmd_serve(int argc, char **argv)
{
	return with_app(daemon_serve, argc, argv);
}

int
cmd_control(int argc, char **argv)
{
	return with_app(daemon_client, argc, argv);
}

static int
with_app(
    int (*run)(const struct daemon_app *, int, char **), int argc, char **argv)
{
	struct serve s = { 0 };
	const struct daemon_app app = { .ctx = &s,
		.configure = configure,
		.init = init,
		.open = open_all,
		.start = start,
		.worker_open = worker_open,
		.worker_close = worker_close,
		.serve_one = serve_one,
		.reload = reload,
		.stop = stop,
		.status = status,
		.verbs = verbs,
		.verbs_n = sizeof(verbs) / sizeof(verbs[0]) };
	int code = run(&app, argc, argv);

	release(&s);
	return code;
}

/* The daemon's strings outlive the configuration they came from. */
static void
keep(char **copy, struct text t, const char **out)
{
	if (t.p == NULL)
		return;
	free(*copy);
	*copy = strdup(t.p);
	if (*copy != NULL)
		*out = *copy;
}

static enum err
configure(void *ctx, const char *path, struct daemon_conf *dc)
{
	struct serve *s = ctx;
	struct conf *c;
	enum err e;

	xml_init();
	if ((e = load_conf(path, &s->conf)) != ERR_OK)
		return e;
	c = s->conf;
	free(s->conf_path);
	s->conf_path = path != NULL ? strdup(path) : NULL;
	if ((e = use_zone(s, c)) != ERR_OK)
		return e;
	say_places(s, c);
	keep(&s->paths[0], c->socket, &dc->socket);
	keep(&s->paths[1], c->socket_group, &dc->socket_group);
	keep(&s->paths[2], c->control, &dc->control);
	if (c->socket_mode > 0)
		dc->socket_mode = (unsigned)c->socket_mode;
	if (c->workers > 0)
		dc->workers = (unsigned)c->workers;
	if (c->queue > 0)
		dc->queue = (unsigned)c->queue;
	return ERR_OK;
}

static enum err
init(void *ctx)
{
	enum err e = crypt_init();

	(void)ctx;
	return e == ERR_OK ? http_init() : e;
}

/* Database, catalog, templates, site: in this order, before anybody asks. */
static enum err
open_all(void *ctx)
{
	struct serve *s = ctx;
	struct store_conf sc = { .database = s->conf->database.p,
		.create = true,
		.elo = { s->conf->k, s->conf->start, s->conf->scale } };
	struct app *app;
	char *key;
	enum err e;

	if ((e = store_open(&s->store, &sc)) != ERR_OK ||
	    (e = sync_catalog(s->store, s->conf)) != ERR_OK)
		return e;
	key = key_path(s->conf->database.p);
	if (key == NULL)
		return ERR_NOMEM;
	e = make_app(s->conf, &app);
	s->conf = NULL;
	if (e == ERR_OK) {
		s->site_is_open = true;
		e = site_open(&s->site, route_table, s->store, app, key);
	}
	free(key);
	return e;
}

/* What has answers written; before the first request is read. */
static enum err
start(void *ctx, struct fcgi *fcgi)
{
	struct serve *s = ctx;
	struct works_conf wc = { .store = s->store,
		.decks = &s->site.decks,
		.take_conf = take_conf,
		.give_conf = give_conf,
		.ctx = s,
		.tutor = &s->tutor };
	enum err e;

	s->tutor = tutor_job;
	s->tutor.ctx = s->site.standing;
	e = works_start(&s->works, &wc);
	s->fcgi = fcgi;
	s->site.seats = seats;
	s->site.seats_ctx = s;
	s->site.works = s->works;
	return e;
}

static void
seats(void *ctx, struct site_seats *out)
{
	struct serve *s = ctx;
	struct fcgi_stats n;

	fcgi_stats(s->fcgi, &n);
	*out = (struct site_seats){ .busy = n.busy,
		.waiting = n.waiting,
		.shed = (int64_t)n.shed,
		.timed_out = (int64_t)n.timed_out };
}

static const struct conf *
take_conf(void *ctx, void **hold)
{
	struct serve *s = ctx;
	struct app *app = site_app(&s->site);

	*hold = app;
	return app->conf;
}

static void
give_conf(void *ctx, void *hold)
{
	(void)ctx;
	app_put(hold);
}

static enum err
verb_generate(
    void *ctx, const struct str *args, size_t args_n, struct buf *answer)
{
	struct serve *s = ctx;

	return generate_verb(s->works, args, args_n, answer);
}

static enum err
verb_rescan(
    void *ctx, const struct str *args, size_t args_n, struct buf *answer)
{
	struct serve *s = ctx;
	struct app *app;
	enum err e;

	(void)args;
	if (args_n != 0)
		return ERR_INVALID;
	app = site_app(&s->site);
	e = rescan_all(s->store, app->conf, answer);
	app_put(app);
	return e == ERR_OK ? site_renew(&s->site) : e;
}

static enum err
worker_open(void *ctx, unsigned number, void **out)
{
	struct serve *s = ctx;
	struct worker *w = calloc(1, sizeof(*w));
	enum err e;

	(void)number;
	if (w == NULL)
		return ERR_NOMEM;
	if ((e = store_read_open(s->store, &w->db)) != ERR_OK) {
		free(w);
		return e;
	}
	buf_init(&w->out, PAGE_BYTES_MAX);
	*out = w;
	return ERR_OK;
}

static void
worker_close(void *ctx, void *worker)
{
	struct worker *w = worker;

	(void)ctx;
	buf_release(&w->out);
	db_close(w->db);
	free(w);
}

static struct str
param(void *arg, const char *name)
{
	return str_of(fcgi_param(arg, name));
}

static enum err
body(void *arg, struct pool *pool, size_t max, struct str *out)
{
	return fcgi_body(arg, pool, max, out);
}

static void
serve_one(void *ctx, void *worker, struct fcgi_req *fr, enum err refused)
{
	struct serve *s = ctx;
	struct worker *w = worker;
	struct req_source source = { fr, param, body };
	struct req rq;

	site_answer(
	    &s->site, w->db, fcgi_pool(fr), &w->out, &source, refused, &rq);
	send(fr, &rq, w);
	site_answered(&rq);
}

/* A peer that is gone needs no answer: what fcgi says of it is ignored. */
static void
send(struct fcgi_req *fr, struct req *rq, struct worker *w)
{
	struct fcgi_header headers[RESP_HEADERS];
	struct reply reply = { .status = rq->resp.status,
		.headers = headers,
		.headers_n = rq->resp.headers_n };
	enum err e;

	for (size_t i = 0; i < rq->resp.headers_n; i++) {
		headers[i].name = rq->resp.headers[i].name.p;
		headers[i].value = rq->resp.headers[i].value;
	}
	reply.body = buf_as_str(&w->out);
	if (rq->resp.more == NULL) {
		e = fcgi_reply(fr, &reply);
	} else {
		/* Its length is not known: HEAD says none either. */
		e = fcgi_stream(fr, &reply);
		while (
		    e == ERR_OK && rq->resp.at != 0 && rq->method != REQ_HEAD) {
			buf_clear(&w->out);
			e = rq->resp.more(rq, &w->out, &rq->resp.at);
			if (e == ERR_OK)
				e = fcgi_stream_piece(fr, buf_as_str(&w->out));
			else
				fcgi_break(fr);
		}
	}
	if (e != ERR_OK && e != ERR_IO)
		log_error("an answer could not be sent: %s", err_name(e));
}

/* Everything is read and checked before anything changes. */
static enum err
reload(void *ctx)
{
	struct serve *s = ctx;
	struct app *before = site_app(&s->site);
	struct conf *conf;
	enum err e = load_conf(s->conf_path, &conf);

	if (e == ERR_OK && (e = take_over(s, conf)) != ERR_OK &&
	    use_zone(s, before->conf) != ERR_OK)
		log_error("the time zone of before is gone");
	if (e == ERR_OK)
		works_renew(s->works);
	app_put(before);
	return e;
}

/* The zone comes first: the catalog's days begin by it. */
static enum err
take_over(struct serve *s, struct conf *conf)
{
	struct app *app;
	enum err e = make_app(conf, &app);

	if (e != ERR_OK)
		return e;
	if ((e = use_zone(s, conf)) != ERR_OK ||
	    (e = sync_catalog(s->store, conf)) != ERR_OK) {
		app_put(app);
		return e;
	}
	say_places(s, conf);
	return site_swap(&s->site, app);
}

static enum err
use_zone(struct serve *s, const struct conf *c)
{
	enum err e;

	if (s->zone != NULL && strcmp(s->zone, c->timezone.p) == 0)
		return ERR_OK;
	if ((e = clock_zone_set(c->timezone.p)) != ERR_OK) {
		log_error("there is no time zone \"%s\"", c->timezone.p);
		return e;
	}
	free(s->zone);
	s->zone = strdup(c->timezone.p);
	return ERR_OK;
}

/* What cannot be exchanged while requests come in, so that nobody wonders. */
static void
say_places(struct serve *s, const struct conf *c)
{
	static const char *const names[] = { "listen", "storage" };
	struct buf b[2];

	for (size_t i = 0; i < 2; i++)
		buf_init(&b[i], 8192);
	buf_printf(&b[0], "%s|%s|%s|%lld|%lld|%lld", c->socket.p,
	    c->socket_group.p == NULL ? "" : c->socket_group.p, c->control.p,
	    (long long)c->socket_mode, (long long)c->workers,
	    (long long)c->queue);
	buf_printf(&b[1], "%s", c->database.p);
	for (size_t i = 0; i < 2; i++) {
		buf_c(&b[i], '\0');
		if (!b[i].failed && s->places[i] == NULL)
			s->places[i] = strdup(b[i].p);
		else if (!b[i].failed && strcmp(s->places[i], b[i].p) != 0)
			log_warning("<%s> has changed: the service goes on "
				    "as it was started until it is restarted",
			    names[i]);
		buf_release(&b[i]);
	}
}

static void
stop(void *ctx)
{
	struct serve *s = ctx;

	works_stop(s->works);
	s->works = NULL;
	if (s->site_is_open)
		site_close(&s->site);
	s->site_is_open = false;
	if (s->store != NULL)
		store_close(s->store);
	s->store = NULL;
}

/* What configure made; the daemon's own strings have ended by now. */
static void
release(struct serve *s)
{
	if (s->conf != NULL)
		conf_close(s->conf);
	s->conf = NULL;
	free(s->conf_path);
	s->conf_path = NULL;
	for (size_t i = 0; i < sizeof(s->paths) / sizeof(*s->paths); i++) {
		free(s->paths[i]);
		s->paths[i] = NULL;
	}
	for (size_t i = 0; i < sizeof(s->places) / sizeof(*s->places); i++) {
		free(s->places[i]);
		s->places[i] = NULL;
	}
	free(s->zone);
	s->zone = NULL;
}

static void
status(void *ctx, struct buf *answer)
{
	struct serve *s = ctx;

	buf_printf(
	    answer, "durable %lld\n", (long long)store_durable_seq(s->store));
	buf_printf(answer, "halted %d\n", store_is_halted(s->store));
	status_works(s, answer);
}

/* Endpoints, queue and stock, for people. */
static void
status_works(struct serve *s, struct buf *answer)
{
	struct app *app = site_app(&s->site);
	struct db *db;

	if (store_read_open(s->store, &db) == ERR_OK) {
		works_status(s->works, db, app->conf, answer);
		db_close(db);
	}
	app_put(app);
}

static enum err
load_conf(const char *path, struct conf **out)
{
	struct pool *pool = pool_open(PROBLEMS_POOL);
	struct problems ps;
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	problems_init(&ps, pool);
	e = conf_load(path, &ps, out);
	say_problems(&ps);
	pool_close(pool);
	if (e == ERR_OK && (*out)->secret.n > 0)
		log_secret((struct str){ (*out)->secret.p, (*out)->secret.n });
	if (e == ERR_OK && (*out)->hook_secret.n > 0)
		log_secret((struct str){
		    (*out)->hook_secret.p, (*out)->hook_secret.n });
	return e;
}

static enum err
sync_catalog(struct store *store, const struct conf *conf)
{
	struct pool *pool = pool_open(PROBLEMS_POOL);
	struct sync_args args = { .catalog = { .conf = conf },
		.rule = { conf->k, conf->start, conf->scale } };
	struct catalog *catalog;
	struct problems ps;
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	problems_init(&ps, pool);
	e = catalog_load(conf, &ps, &catalog);
	say_problems(&ps);
	pool_close(pool);
	if (e != ERR_OK)
		return e;
	args.catalog.catalog = catalog;
	e = store_write(store, sync_fn, &args);
	catalog_close(catalog);
	if (e == ERR_OK && args.catalog.changed > 0)
		log_notice("the catalog changed: %lld rows written",
		    (long long)args.catalog.changed);
	return e;
}

/* The files' catalog and rule, in force together or not at all. */
static enum err
sync_fn(struct store_tx *tx, void *arg)
{
	struct sync_args *a = arg;
	bool changed;
	enum err e = catalog_sync_fn(tx, &a->catalog);

	if (e == ERR_OK)
		e = recount_rule_set(tx->db, &a->rule, &changed);
	return e;
}

/* Takes conf over. */
static enum err
make_app(struct conf *conf, struct app **out)
{
	struct pool *pool = pool_open(PROBLEMS_POOL);
	struct problems ps;
	enum err e;

	if (pool == NULL) {
		conf_close(conf);
		return ERR_NOMEM;
	}
	problems_init(&ps, pool);
	e = app_open(out, conf, &ps);
	say_problems(&ps);
	pool_close(pool);
	return e;
}

/* Beside the database, so that one folder is the whole state. */
static char *
key_path(const char *database)
{
	const char *slash = strrchr(database, '/');
	size_t dir = slash != NULL ? (size_t)(slash - database) + 1 : 0;
	size_t n = dir + sizeof(KEY_FILE);
	char *path = malloc(n);

	if (path != NULL)
		snprintf(path, n, "%.*s%s", (int)dir, database, KEY_FILE);
	return path;
}

static void
say_problems(const struct problems *ps)
{
	size_t n = 0;

	for (const struct problem *p = ps->first; p != NULL; p = p->next) {
		if (n++ == PROBLEMS_SHOWN) {
			log_error("… and %zu more", ps->count - PROBLEMS_SHOWN);
			return;
		}
		log_error("%.*s:%d: %.*s", (int)p->file.n, p->file.p, p->line,
		    (int)p->what.n, p->what.p);
	}
}
