/* This file knows how to read what is known about prompt versions as board
 * rows. */
#include "config.h"

#include "model/board_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "model/conf.h"
#include "port/db.h"

#define TAGS_MAX 4096 /* bytes of a row's joined tags */

struct tag_of {
	int64_t prompt;
	struct text tag;
};

static struct str scope_name(struct pool *pool, const struct board_wish *w);
static void read_row(struct db_stmt *q, struct pool *pool,
    const struct board_wish *w, struct board_row *row);
static enum err attach_lengths(struct db *db, struct pool *pool,
    const struct board_wish *wish, struct rows *out);
static enum err attach_tags(struct db *db, struct pool *pool,
    const struct rows *prompts, struct rows *out);
static void join_tags(struct pool *pool, struct board_row *row);
static enum err has_voters(struct db *db, const struct board_wish *w,
    const struct board_row *row, bool *out);

enum err
board_setup_find(
    struct db *db, struct pool *pool, struct text want, struct board_setup *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, digest, slug, model, active FROM setup"
	    " WHERE ?1 IS NULL OR digest = ?1 OR slug = ?1"
	    " ORDER BY active DESC,"
	    " CASE WHEN ?1 IS NULL AND active THEN id ELSE -id END LIMIT 1");
	enum err e;

	db_bind_text(q, 1, want);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	out->id = db_int(q, 0);
	out->digest = db_text(q, 1, pool);
	out->slug = db_text(q, 2, pool);
	out->model = db_text(q, 3, pool);
	out->active = db_int(q, 4) != 0;
	db_done(q);
	return ERR_OK;
}

enum err
board_rows_load(struct db *db, struct pool *pool, const struct board_wish *wish,
    struct rows *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT p.slug, p.title, v.number, v.digest,"
	    " p.retired OR v.retired, v.number < (SELECT max(o.number)"
	    " FROM version o WHERE o.prompt = v.prompt), r.elo,"
	    " r.matches, r.wins, r.losses, r.ties, r.both_poor,"
	    " r.not_counted, p.id, v.id"
	    " FROM version v JOIN prompt p ON p.id = v.prompt"
	    " LEFT JOIN rating r ON r.scope = ?1 AND r.setup = ?2"
	    " AND r.version = v.digest"
	    " WHERE (?3 IS NULL OR EXISTS (SELECT 1 FROM prompt_tag"
	    " WHERE prompt = p.id AND tag = ?3))"
	    " AND (?4 = 0 OR NOT EXISTS (SELECT 1 FROM activity_prompt"
	    " WHERE activity = ?4) OR EXISTS (SELECT 1 FROM activity_prompt"
	    " WHERE activity = ?4 AND prompt = p.id))"
	    " AND (?5 = 0 OR p.id = ?5)"
	    " AND (?6 OR NOT (p.retired OR v.retired)"
	    " OR r.matches + r.not_counted > 0)"
	    " ORDER BY v.id");
	struct str scope = scope_name(pool, wish);
	const struct standing_board *from = board_standing(wish);
	struct rows prompts; /* ids, as out's rows */
	enum err e;

	db_bind_str(q, 1, scope);
	db_bind_text(q, 2, wish->setup);
	db_bind_text(q, 3, wish->tag);
	db_bind_int(q, 4, wish->activity_id);
	db_bind_int(q, 5, wish->prompt);
	db_bind_int(q, 6, wish->with_retired);
	rows_init(out, pool, sizeof(struct board_row));
	rows_init(&prompts, pool, sizeof(int64_t));
	while ((e = db_row(q)) == ERR_OK) {
		struct board_row *row = rows_add(out);
		int64_t *id = rows_add(&prompts);

		if (row == NULL || id == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_row(q, pool, wish, row);
		if (wish->snapshot != NULL)
			board_row_stand(wish, from, row);
		*id = db_int(q, 13);
	}
	if (e != ERR_NOTFOUND)
		return e;
	for (size_t i = 0; i < out->n; i++) {
		struct board_row *row = (struct board_row *)out->p + i;

		if (!row->official || wish->conf->minimum_voters <= 0)
			continue;
		e = has_voters(db, wish, row, &row->official);
		if (e != ERR_OK)
			return e;
	}
	if (wish->full && (e = attach_lengths(db, pool, wish, out)) != ERR_OK)
		return e;
	return attach_tags(db, pool, &prompts, out);
}

enum err
board_type_occurs(struct db *db, const char *type, bool *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT 1 FROM question WHERE type = ?1 AND retired = 0 LIMIT 1");

	db_bind_z(q, 1, type);
	return db_exists(q, out);
}

/* As table rating names it. */
static struct str
scope_name(struct pool *pool, const struct board_wish *w)
{
	if (w->activity.p != NULL && w->type.p != NULL)
		return pool_printf(pool, "activity:%.*s type:%.*s",
		    (int)w->activity.n, w->activity.p, (int)w->type.n,
		    w->type.p);
	if (w->activity.p != NULL)
		return pool_printf(
		    pool, "activity:%.*s", (int)w->activity.n, w->activity.p);
	if (w->type.p != NULL)
		return pool_printf(
		    pool, "type:%.*s", (int)w->type.n, w->type.p);
	return STR("all");
}

static void
read_row(struct db_stmt *q, struct pool *pool, const struct board_wish *w,
    struct board_row *row)
{
	row->slug = db_text(q, 0, pool);
	row->title = db_text(q, 1, pool);
	row->version = db_int(q, 2);
	row->digest = db_text(q, 3, pool);
	row->retired = db_int(q, 4) != 0;
	row->has_newer = db_int(q, 5) != 0;
	row->elo = db_is_null(q, 6) ? w->conf->start : db_real(q, 6);
	row->version_id = db_int(q, 14);
	row->lower = row->upper = row->se = row->expected = NAN;
	row->order_free = row->order_free_lower = row->order_free_upper = NAN;
	row->weighted = row->change = row->length = NAN;
	row->group = BOARD_NO_INT;
	row->separable = true;
	row->matches = db_int(q, 7);
	row->wins = db_int(q, 8);
	row->losses = db_int(q, 9);
	row->ties = db_int(q, 10);
	row->both_poor = db_int(q, 11);
	row->not_counted = db_int(q, 12);
	row->both_poor_share =
	    row->matches == 0
		? NAN
		: 100.0 * (double)row->both_poor / (double)row->matches;
	row->rank_from = row->rank_to = BOARD_NO_INT;
	row->official = row->matches > 0 && row->matches >= w->conf->minimum;
	row->missing = row->matches < w->conf->minimum
			   ? w->conf->minimum - row->matches
			   : 0;
}

static enum err
attach_lengths(struct db *db, struct pool *pool, const struct board_wish *wish,
    struct rows *out)
{
	const struct board_length *all;
	struct board_row *row = out->p;
	struct rows lengths;
	size_t k = 0;
	enum err e = board_lengths_load(
	    db, pool, wish->setup_id, wish->prompt, &lengths);

	if (e != ERR_OK)
		return e;
	all = lengths.p;
	for (size_t i = 0; i < out->n; i++) { /* both by version */
		while (k < lengths.n && all[k].version < row[i].version_id)
			k++;
		if (k < lengths.n && all[k].version == row[i].version_id)
			row[i].length = all[k].words;
	}
	return ERR_OK;
}

/* One read of all tags, in the order in which rows ask for them. */
static enum err
attach_tags(struct db *db, struct pool *pool, const struct rows *prompts,
    struct rows *out)
{
	struct db_stmt *q = db_stmt(
	    db, "SELECT prompt, tag FROM prompt_tag ORDER BY prompt, tag");
	const int64_t *ids = prompts->p;
	const struct tag_of *all;
	struct rows tags;
	enum err e;

	rows_init(&tags, pool, sizeof(struct tag_of));
	while ((e = db_row(q)) == ERR_OK) {
		struct tag_of *t = rows_add(&tags);

		if (t == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		t->prompt = db_int(q, 0);
		t->tag = db_text(q, 1, pool);
	}
	if (e != ERR_NOTFOUND)
		return e;
	all = tags.p;
	for (size_t i = 0; i < out->n; i++) {
		struct board_row *row = (struct board_row *)out->p + i;
		size_t low = 0, high = tags.n, n = 0;
		struct match_tag *mine;

		while (low < high) { /* the first tag of this prompt */
			size_t mid = low + (high - low) / 2;

			if (all[mid].prompt < ids[i])
				low = mid + 1;
			else
				high = mid;
		}
		while (low + n < tags.n && all[low + n].prompt == ids[i])
			n++;
		if (n == 0)
			continue;
		mine = pool_array(pool, n, sizeof(*mine));
		if (mine == NULL)
			return ERR_NOMEM;
		for (size_t k = 0; k < n; k++)
			mine[k].tag = all[low + k].tag;
		row->tags = mine;
		row->tags_n = n;
		join_tags(pool, row);
	}
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

static void
join_tags(struct pool *pool, struct board_row *row)
{
	struct buf b;

	buf_init(&b, TAGS_MAX);
	for (size_t i = 0; i < row->tags_n; i++) {
		if (i > 0)
			buf_z(&b, ", ");
		buf_add(&b, row->tags[i].tag.p, row->tags[i].tag.n);
	}
	row->tags_joined = pool_text(pool, (struct text){ b.p, b.n });
	buf_release(&b);
}

/*
 * Enough different people among the counted votes of this row?  Stops at the
 * needed number, so it reads a few votes of each version, not all.
 */
static enum err
has_voters(struct db *db, const struct board_wish *w,
    const struct board_row *row, bool *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT count(*) FROM (SELECT DISTINCT voter FROM ("
	    "SELECT v.voter, m.question, m.activity"
	    " FROM version o JOIN answer x ON x.version = o.id"
	    " JOIN setup s ON s.id = x.setup"
	    " JOIN match m ON m.answer_a = x.id JOIN vote v ON v.match = m.id"
	    " WHERE o.digest = ?1 AND s.digest = ?2 AND v.counted = 1"
	    " UNION ALL SELECT v.voter, m.question, m.activity"
	    " FROM version o JOIN answer x ON x.version = o.id"
	    " JOIN setup s ON s.id = x.setup"
	    " JOIN match m ON m.answer_b = x.id JOIN vote v ON v.match = m.id"
	    " WHERE o.digest = ?1 AND s.digest = ?2 AND v.counted = 1)"
	    " WHERE (?3 = 0 OR activity = ?3) AND (?4 IS NULL OR ?4 ="
	    " (SELECT type FROM question WHERE id = question)) LIMIT ?5)");
	int64_t n;
	enum err e;

	db_bind_text(q, 1, row->digest);
	db_bind_text(q, 2, w->setup);
	db_bind_int(q, 3, w->activity_id);
	db_bind_text(q, 4, w->type);
	db_bind_int(q, 5, w->conf->minimum_voters);
	e = db_scalar(q, &n);
	if (e == ERR_OK)
		*out = n >= w->conf->minimum_voters;
	return e;
}
