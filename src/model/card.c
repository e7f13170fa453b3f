/* This file knows how to gather all that is public about one prompt. */
#include "config.h"

#include "model/board.h"
#include "model/board_parts.h"
#include "model/catalog.h"
#include "model/conf.h"
#include "model/standing.h"
#include "port/db.h"

#define OWN_MATCHES 20 /* a card shows the viewer's last ones */

static enum err load(struct db *db, struct pool *pool, const struct conf *conf,
    struct text slug, struct text setup,
    const struct standing_snapshot *snapshot, int64_t now, int64_t voter,
    int64_t durable_seq, struct prompt_card *out);
static enum err load_prompt(struct db *db, struct pool *pool, struct text slug,
    int64_t *id, struct prompt_card *out);
static enum err load_versions(
    struct db *db, struct pool *pool, int64_t prompt, struct rows *out);
static enum err add_overall(struct db *db, struct pool *pool,
    const struct board_wish *wish, struct rows *versions,
    struct prompt_card *out);
static enum err load_style(
    struct db *db, const struct board_wish *wish, struct rows *versions);
static enum err add_type(struct db *db, struct pool *pool,
    struct board_wish *wish, const char *type, struct rows *versions);
static const struct board_row *row_of(
    const struct rows *rows, struct text digest);

enum err
prompt_card_load(struct db *db, struct pool *pool, const struct conf *conf,
    struct text slug, struct text setup,
    const struct standing_snapshot *snapshot, int64_t now, int64_t voter,
    int64_t durable_seq, struct prompt_card *out)
{
	struct prompt_card card = { 0 };
	enum err e = db_begin(db);

	if (e != ERR_OK)
		return e;
	e = db_end(db, load(db, pool, conf, slug, setup, snapshot, now, voter,
			   durable_seq, &card));
	if (e == ERR_OK && pool_failed(pool))
		e = ERR_NOMEM;
	if (e == ERR_OK)
		*out = card;
	return e;
}

static enum err
load(struct db *db, struct pool *pool, const struct conf *conf,
    struct text slug, struct text setup,
    const struct standing_snapshot *snapshot, int64_t now, int64_t voter,
    int64_t durable_seq, struct prompt_card *out)
{
	struct board_wish wish = { .conf = conf,
		.with_retired = true,
		.full = true,
		.now = now,
		.snapshot = snapshot };
	struct board_setup found = { 0 };
	struct rows versions;
	enum err e;

	if ((e = load_prompt(db, pool, slug, &wish.prompt, out)) != ERR_OK ||
	    (e = load_versions(db, pool, wish.prompt, &versions)) != ERR_OK)
		return e;
	e = board_setup_find(db, pool, setup, &found);
	if (e != ERR_OK && (e != ERR_NOTFOUND || setup.p != NULL))
		return e;
	wish.setup = out->setup = found.digest;
	wish.setup_id = found.id;
	out->model = found.model;
	if ((e = ledger_last(db, &out->last_seq)) != ERR_OK ||
	    (e = add_overall(db, pool, &wish, &versions, out)) != ERR_OK)
		return e;
	if (snapshot != NULL)
		out->last_seq = snapshot->seq;
	e = load_style(db, &wish, &versions);
	if (e != ERR_OK)
		return e;
	wish.full = false;
	for (size_t i = 0; catalog_types[i] != NULL; i++) {
		e = add_type(db, pool, &wish, catalog_types[i], &versions);
		if (e != ERR_OK)
			return e;
	}
	out->versions = versions.p;
	out->versions_n = versions.n;
	if (voter == 0)
		return ERR_OK;
	return match_receipts_of_prompt(db, pool, voter, durable_seq, slug,
	    OWN_MATCHES, &out->own, &out->own_n);
}

static enum err
load_prompt(struct db *db, struct pool *pool, struct text slug, int64_t *id,
    struct prompt_card *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, slug, title, description, retired FROM prompt"
	    " WHERE slug = ?1");
	enum err e;

	db_bind_text(q, 1, slug);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	*id = db_int(q, 0);
	out->slug = db_text(q, 1, pool);
	out->title = db_text(q, 2, pool);
	out->description = db_text(q, 3, pool);
	out->retired = db_int(q, 4) != 0;
	db_done(q);
	return ERR_OK;
}

static enum err
load_versions(
    struct db *db, struct pool *pool, int64_t prompt, struct rows *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT number, first_at, digest, text, retired FROM version"
	    " WHERE prompt = ?1 ORDER BY number DESC");
	enum err e;

	db_bind_int(q, 1, prompt);
	rows_init(out, pool, sizeof(struct card_version));
	while ((e = db_row(q)) == ERR_OK) {
		struct card_version *v = rows_add(out);
		struct card_type *types = NULL;
		size_t n = 0;

		while (catalog_types[n] != NULL)
			n++;
		if (v != NULL)
			types = pool_array(pool, n + 1, sizeof(*types));
		if (types == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		v->number = db_int(q, 0);
		v->first_at = db_int(q, 1);
		v->digest = db_text(q, 2, pool);
		v->text = db_text(q, 3, pool);
		v->retired = db_int(q, 4) != 0;
		v->types = types;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
add_overall(struct db *db, struct pool *pool, const struct board_wish *wish,
    struct rows *versions, struct prompt_card *out)
{
	struct card_version *v = versions->p;
	struct rows rows;
	enum err e = board_rows_load(db, pool, wish, &rows);

	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < versions->n; i++) {
		const struct board_row *r = row_of(&rows, v[i].digest);

		if (r == NULL)
			return ERR_INTERNAL;
		v[i].overall = *r;
		out->tags = r->tags;
		out->tags_n = r->tags_n;
	}
	return ERR_OK;
}

/* How its answers are dressed, version by version. */
static enum err
load_style(struct db *db, const struct board_wish *wish, struct rows *versions)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT v.digest, count(*), avg(a.headers), avg(a.lists),"
	    " avg(a.bold) FROM version v JOIN answer a ON a.version = v.id"
	    " WHERE v.prompt = ?1 AND a.setup = ?2 AND a.state = 'ok'"
	    " AND a.headers IS NOT NULL GROUP BY v.id");
	struct card_version *v = versions->p;
	enum err e;

	db_bind_int(q, 1, wish->prompt);
	db_bind_int(q, 2, wish->setup_id);
	while ((e = db_row(q)) == ERR_OK) {
		struct str digest = db_str(q, 0, NULL);

		for (size_t i = 0; i < versions->n; i++) {
			if (!str_eq(digest,
				(struct str){ v[i].digest.p, v[i].digest.n }))
				continue;
			v[i].style =
			    (struct card_style){ .answers = db_int(q, 1),
				    .headers = db_real(q, 2),
				    .lists = db_real(q, 3),
				    .bold = db_real(q, 4) };
		}
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
add_type(struct db *db, struct pool *pool, struct board_wish *wish,
    const char *type, struct rows *versions)
{
	struct card_version *v = versions->p;
	struct rows rows;
	bool occurs;
	enum err e = board_type_occurs(db, type, &occurs);

	if (e != ERR_OK || !occurs)
		return e;
	wish->type = text_of(type);
	e = board_rows_load(db, pool, wish, &rows);
	wish->type = (struct text){ 0 };
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < versions->n; i++) {
		const struct board_row *r = row_of(&rows, v[i].digest);
		struct card_type *t;

		if (r == NULL)
			return ERR_INTERNAL;
		t = &v[i].types[v[i].types_n++];
		t->type = text_of(type);
		t->row = *r;
	}
	return ERR_OK;
}

static const struct board_row *
row_of(const struct rows *rows, struct text digest)
{
	const struct board_row *r = rows->p;

	for (size_t i = 0; i < rows->n; i++) {
		if (text_same(r[i].digest, digest))
			return &r[i];
	}
	return NULL;
}
