/* This file knows how to say which prompts, types and models have votes. */
#include "config.h"

#include "model/board.h"
#include "model/catalog.h"
#include "model/rows.h"
#include "port/db.h"

static enum err count_prompts(struct db *db, int64_t *out);
static enum err read_models(
    struct db *db, struct pool *pool, struct arena_voted *out);
static enum err read_types(
    struct db *db, struct pool *pool, struct arena_voted *out);

enum err
arena_voted(struct db *db, struct pool *pool, struct arena_voted *out)
{
	struct arena_voted v = { 0 };
	enum err e;

	if ((e = count_prompts(db, &v.prompts)) != ERR_OK ||
	    (e = read_types(db, pool, &v)) != ERR_OK ||
	    (e = read_models(db, pool, &v)) != ERR_OK)
		return e;
	if (pool_failed(pool))
		return ERR_NOMEM;
	*out = v;
	return ERR_OK;
}

/* Retired ones as well: their votes are among those that were cast. */
static enum err
count_prompts(struct db *db, int64_t *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT count(DISTINCT v.prompt) FROM rating r"
	    " JOIN version v ON v.digest = r.version WHERE r.scope = 'all'"
	    " AND r.matches + r.not_counted > 0");
	enum err e = db_row(q);

	if (e != ERR_OK)
		return e;
	*out = db_int(q, 0);
	db_done(q);
	return ERR_OK;
}

static enum err
read_models(struct db *db, struct pool *pool, struct arena_voted *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT s.model FROM setup s WHERE EXISTS (SELECT 1 FROM rating r"
	    " WHERE r.scope = 'all' AND r.setup = s.digest"
	    " AND r.matches + r.not_counted > 0)"
	    " GROUP BY s.model ORDER BY min(s.id)");
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct text));
	while ((e = db_row(q)) == ERR_OK) {
		struct text *model = rows_add(&rows);

		if (model == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		*model = db_text(q, 0, pool);
	}
	out->models = rows.p;
	out->models_n = rows.n;
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* In the order in which pages name them. */
static enum err
read_types(struct db *db, struct pool *pool, struct arena_voted *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT 1 FROM rating WHERE scope = 'type:' || ?1"
			" AND matches + not_counted > 0 LIMIT 1");
	struct rows rows;

	rows_init(&rows, pool, sizeof(struct text));
	for (size_t i = 0; catalog_types[i] != NULL; i++) {
		struct text *type;
		enum err e;

		db_bind_text(q, 1, text_of(catalog_types[i]));
		e = db_row(q);
		if (e == ERR_NOTFOUND)
			continue;
		if (e != ERR_OK)
			return e;
		db_done(q);
		if ((type = rows_add(&rows)) == NULL)
			return ERR_NOMEM;
		*type = text_of(catalog_types[i]);
	}
	out->types = rows.p;
	out->types_n = rows.n;
	return ERR_OK;
}
