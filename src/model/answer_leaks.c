/* This file knows how to judge stored answers by the names of this arena. */
#include "config.h"

#include <string.h>

#include "base/log.h"
#include "model/answer.h"
#include "model/conf.h"
#include "model/leak.h"
#include "model/llm.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define LIST_POOL ((size_t)16 << 20)
#define SCAN_POOL ((size_t)128 << 20)

static void add(struct rows *rows, struct text name, enum leak_kind kind);
static void add_model(struct rows *rows, struct text model);
static void add_host(struct rows *rows, struct text url);
static enum err add_catalog(
    struct db *db, struct pool *pool, struct rows *rows);
static enum err rescan_one(struct store_tx *tx, struct answer_rescan *r,
    struct pool *pool, struct db_stmt *q);

enum err
answer_leak_list(struct db *db, const struct conf *conf, struct leak_list **out)
{
	struct pool *pool = pool_open(LIST_POOL);
	struct rows rows;
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	rows_init(&rows, pool, sizeof(struct leak_name));
	for (size_t i = 0; i < conf->leak_names_n; i++)
		add(&rows, conf->leak_names[i], LEAK_MODEL);
	for (size_t i = 0; i < conf->setups_n; i++) {
		if (conf->setups[i].endpoint.p != NULL)
			add_model(&rows, conf->setups[i].model);
	}
	for (size_t i = 0; i < conf->endpoints_n; i++) {
		add_host(&rows, conf->endpoints[i].url);
		if (conf->endpoints[i].model.p != NULL)
			add_model(&rows, conf->endpoints[i].model);
	}
	e = add_catalog(db, pool, &rows);
	if (e == ERR_OK && pool_failed(pool))
		e = ERR_NOMEM;
	if (e == ERR_OK)
		e = leak_list_open(out, rows.p, rows.n);
	pool_close(pool);
	return e;
}

static void
add(struct rows *rows, struct text name, enum leak_kind kind)
{
	struct leak_name *n = rows_add(rows);

	if (n != NULL)
		*n = (struct leak_name){ name, kind };
}

/* "meta-llama/Llama-3.1-8B": whole, and without who offers it.  A single
 * word without digits may be an ordinary one. */
static void
add_model(struct rows *rows, struct text model)
{
	const char *slash = memrchr(model.p, '/', model.n);
	bool plain = true;

	for (size_t i = 0; i < model.n; i++) {
		unsigned char b = (unsigned char)model.p[i];

		plain = plain && ((b | 32) >= 'a' && (b | 32) <= 'z');
	}
	add(rows, model, plain ? LEAK_COMMON : LEAK_MODEL);
	if (slash != NULL) {
		struct text rest = { slash + 1,
			model.n - (size_t)(slash + 1 - model.p) };

		if (rest.n > 0)
			add(rows, rest, LEAK_MODEL);
	}
}

/* Its own machine says nothing. */
static void
add_host(struct rows *rows, struct text url)
{
	const char *p = url.p == NULL ? NULL : strstr(url.p, "://");
	struct text host;

	if (p == NULL)
		return;
	host = (struct text){ p + 3, strcspn(p + 3, ":/?#") };
	if (host.n == 0 || memchr(host.p, '.', host.n) == NULL ||
	    strspn(host.p, "0123456789.") >= host.n)
		return;
	add(rows, host, LEAK_HOST);
}

static enum err
add_catalog(struct db *db, struct pool *pool, struct rows *rows)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT title, slug, author FROM prompt ORDER BY id");
	enum err e;

	while ((e = db_row(q)) == ERR_OK) {
		add(rows, db_text(q, 0, pool), LEAK_PROMPT);
		add(rows, db_text(q, 1, pool), LEAK_PROMPT);
		add(rows, db_text(q, 2, pool), LEAK_AUTHOR);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

enum err
answer_rescan_fn(struct store_tx *tx, void *arg)
{
	struct answer_rescan *r = arg;
	struct pool *pool = pool_open(SCAN_POOL);
	int64_t looked = 0;
	enum err e = ERR_OK;

	if (pool == NULL)
		return ERR_NOMEM;
	while (e == ERR_OK && looked < r->max) {
		struct db_stmt *q = db_stmt(tx->db,
		    "SELECT a.id, a.text, q.text, v.text, v.digest, a.flags,"
		    " a.source = 'catalog', p.slug, q.slug, q.asks"
		    " FROM answer a JOIN version v ON v.id = a.version"
		    " JOIN prompt p ON p.id = v.prompt"
		    " JOIN question q ON q.id = a.question"
		    " WHERE a.id > ?1 AND a.state = 'ok'"
		    " AND a.flags_list <> ?2 ORDER BY a.id LIMIT 1");

		pool_clear(pool);
		db_bind_int(q, 1, r->after);
		db_bind_z(q, 2, leak_list_version(r->list));
		e = db_row(q);
		if (e == ERR_NOTFOUND) {
			r->done = true;
			pool_close(pool);
			return ERR_OK;
		}
		if (e == ERR_OK)
			e = rescan_one(tx, r, pool, q);
		looked++;
	}
	pool_close(pool);
	return e;
}

static enum err
rescan_one(struct store_tx *tx, struct answer_rescan *r, struct pool *pool,
    struct db_stmt *q)
{
	int64_t id = db_int(q, 0);
	struct leak_case c = { .answer = db_text(q, 1, pool),
		.question = db_text(q, 2, pool),
		.instruction = db_text(q, 3, pool) };
	struct str digest = db_str(q, 4, pool), before = db_str(q, 5, pool);
	bool catalog = db_int(q, 6) != 0, asked = db_int(q, 9) != 0;
	struct text prompt = db_text(q, 7, pool);
	struct text question = db_text(q, 8, pool);
	struct leak_report report;
	char canary[9];
	enum err e;

	db_done(q);
	if (r->conf->canary && !catalog) {
		leak_canary(digest, canary);
		c.canary = text_of(canary);
	}
	e = leak_scan(r->list, pool, &c, &report);
	if (e != ERR_OK)
		return e;
	if (asked)
		leak_excuse_asked(pool, &report);
	if (catalog)
		report.flags = leak_unblock(pool, report.flags, "catalog");
	r->after = id;
	r->looked++;
	r->changed +=
	    !str_eq(before, (struct str){ report.flags.p, report.flags.n });
	if ((report.found & LEAK_BLOCKS) != 0) {
		r->blocked++;
		if (catalog)
			log_warning(
			    "the answer to %.*s by %.*s says who wrote "
			    "it (%.*s), so votes on it do not count: change "
			    "it in the catalog",
			    (int)question.n, question.p, (int)prompt.n,
			    prompt.p, (int)report.flags.n, report.flags.p);
	}
	q = db_stmt(tx->db,
	    "UPDATE answer SET flags = ?2, flags_list = ?3 WHERE id = ?1");
	db_bind_int(q, 1, id);
	db_bind_text(q, 2, report.flags);
	db_bind_z(q, 3, leak_list_version(r->list));
	return db_run(q);
}
