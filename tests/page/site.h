/*
 * site - a whole arena in one process, asked without a web server.
 *
 * Layer    tests.
 * Memory   site_test_start allocates, site_test_stop frees.
 * Threads  one asks; the store has its writer.
 *
 * The state is a new folder; the catalog is the one that ships.
 */
#ifndef PA_TEST_SITE_H
#define PA_TEST_SITE_H

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "cmd/route.h"
#include "model/catalog.h"
#include "model/catalog_sync.h"
#include "model/conf.h"
#include "model/store.h"
#include "page/app.h"
#include "page/req.h"
#include "port/db.h"
#include "tests/tap.h"

#define SECRET "a-secret-for-tests"

struct site_test {
	char dir[64];
	struct store *store;
	struct site site;
	struct db *db;
	struct pool *pool;
	struct buf out;
	struct req rq;
	char cookie[640]; /* "arena=…" once one was set; sent from then on */
	const char *params[32][2];
	size_t params_n;
	struct str body;
};

/* Where templates and schemas are; NULL: the source tree. */
static const char *site_test_data;

static struct str
site_test_param(void *arg, const char *name)
{
	struct site_test *t = arg;

	for (size_t i = 0; i < t->params_n; i++) {
		if (strcmp(t->params[i][0], name) == 0)
			return str_of(t->params[i][1]);
	}
	return (struct str){ NULL, 0 };
}

static enum err
site_test_body(void *arg, struct pool *pool, size_t max, struct str *out)
{
	struct site_test *t = arg;

	(void)pool;
	if (t->body.n > max)
		return ERR_TOOBIG;
	*out = t->body;
	return ERR_OK;
}

/* A parameter of the next request. */
__attribute__((unused)) static void
with(struct site_test *t, const char *name, const char *value)
{
	t->params[t->params_n][0] = name;
	t->params[t->params_n][1] = value;
	t->params_n++;
}

__attribute__((unused)) static struct str
header(const struct site_test *t, const char *name)
{
	const struct resp *r = &t->rq.resp;

	for (size_t i = 0; i < r->headers_n; i++) {
		if (str_is(r->headers[i].name, name))
			return r->headers[i].value;
	}
	return (struct str){ NULL, 0 };
}

__attribute__((unused)) static bool
body_has(const struct site_test *t, const char *word)
{
	struct str s = buf_as_str(&t->out);

	return s.n > 0 && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

/* Ask; returns the status.  Parameters given by with() are used up. */
__attribute__((unused)) static int
ask(struct site_test *t, const char *method, const char *uri, const char *form)
{
	struct req_source source = { t, site_test_param, site_test_body };
	struct str set;

	with(t, "REQUEST_METHOD", method);
	with(t, "REQUEST_URI", uri);
	with(t, "HTTP_HOST", "arena.example");
	if (t->cookie[0] != '\0')
		with(t, "HTTP_COOKIE", t->cookie);
	if (form != NULL)
		with(t, "CONTENT_TYPE", "application/x-www-form-urlencoded");
	t->body = form != NULL ? str_of(form) : STR("");
	site_answered(&t->rq); /* what came last may have been looked at */
	pool_clear(t->pool);
	site_answer(&t->site, t->db, t->pool, &t->out, &source, ERR_OK, &t->rq);
	t->params_n = 0;
	set = header(t, "Set-Cookie");
	if (set.p != NULL) {
		struct str pair = str_cut(&set, ';');

		snprintf(
		    t->cookie, sizeof(t->cookie), "%.*s", (int)pair.n, pair.p);
	}
	return t->rq.resp.status;
}

/* The form token on the page asked for last; "" when there is none. */
__attribute__((unused)) static const char *
token(const struct site_test *t, char out[128])
{
	static const char mark[] = "name=\"csrf\" value=\"";
	struct str s = buf_as_str(&t->out);
	const char *at = s.n > 0 ? memmem(s.p, s.n, mark, strlen(mark)) : NULL;
	size_t n = 0;

	out[0] = '\0';
	if (at == NULL)
		return out;
	for (at += strlen(mark); *at != '"' && n < 127; at++)
		out[n++] = *at;
	out[n] = '\0';
	return out;
}

static void
site_test_write(const char *dir, const char *name, const char *bytes)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (f == NULL)
		abort();
	fputs(bytes, f);
	fclose(f);
	chmod(path, 0600);
}

static struct conf *
site_test_conf(struct problems *ps, const char *name)
{
	const char *src = getenv("SRCDIR");
	struct conf *conf = NULL;
	char path[512];

	snprintf(
	    path, sizeof(path), "%s/conf/%s", src != NULL ? src : ".", name);
	if (conf_load(path, ps, &conf) != ERR_OK)
		return NULL;
	return conf;
}

/* False when it cannot be had; the problems are told. */
static bool
site_test_start(struct site_test *t)
{
	const char *src = getenv("SRCDIR");
	struct catalog_sync_args sync = { 0 };
	struct pool *pool = pool_open(16u << 20);
	struct catalog *catalog = NULL;
	struct app *app = NULL;
	struct problems ps;
	struct conf *conf;
	char key[128];
	bool good;

	*t = (struct site_test){ .dir = "/tmp/site-test.XXXXXX" };
	if (mkdtemp(t->dir) == NULL)
		return false;
	setenv("PROMPT_ARENA_STATE", t->dir, 1);
	if (site_test_data == NULL)
		site_test_data = src != NULL ? src : ".";
	setenv("PROMPT_ARENA_DATADIR", site_test_data, 1);
	site_test_write(t->dir, "secret", SECRET "\n");
	xml_init();
	problems_init(&ps, pool);
	conf = site_test_conf(&ps, "demo.xml");
	good = crypt_init() == ERR_OK && conf != NULL;
	if (good) {
		struct store_conf sc = { .database = conf->database.p,
			.create = true,
			.elo = { conf->k, conf->start, conf->scale } };

		good = store_open(&t->store, &sc) == ERR_OK &&
		       catalog_load(conf, &ps, &catalog) == ERR_OK;
	}
	if (good) {
		sync.catalog = catalog;
		sync.conf = conf;
		good = store_write(t->store, catalog_sync_fn, &sync) == ERR_OK;
	}
	if (catalog != NULL)
		catalog_close(catalog);
	if (good)
		good = app_open(&app, conf, &ps) == ERR_OK;
	snprintf(key, sizeof(key), "%s/arena.key", t->dir);
	if (good)
		good = site_open(&t->site, route_table, t->store, app, key) ==
			   ERR_OK &&
		       store_read_open(t->store, &t->db) == ERR_OK;
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		diag("%.*s:%d: %.*s", (int)p->file.n, p->file.p, p->line,
		    (int)p->what.n, p->what.p);
	pool_close(pool);
	t->pool = pool_open(16u << 20);
	buf_init(&t->out, 16u << 20);
	return good;
}

static int
site_test_remove(
    const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

static void
site_test_stop(struct site_test *t)
{
	site_answered(&t->rq);
	db_close(t->db);
	site_close(&t->site);
	store_close(t->store);
	buf_release(&t->out);
	pool_close(t->pool);
	nftw(t->dir, site_test_remove, 8, FTW_DEPTH | FTW_PHYS);
}

#endif /* PA_TEST_SITE_H */
