/* This file knows how to rank prompt versions and what a board can be filtered
 * by. */
#include "config.h"

#include "model/board.h"

#include <math.h>
#include <stdlib.h>

#include "model/board_parts.h"
#include "model/catalog.h"
#include "model/conf.h"
#include "model/standing.h"
#include "port/db.h"

static const char *const sort_names[BOARD_SORT__MAX] = {
	[BOARD_BY_ELO] = "elo",
	[BOARD_BY_PROMPT] = "prompt",
	[BOARD_BY_MATCHES] = "matches",
	[BOARD_BY_BOTH_POOR] = "both_poor",
	[BOARD_BY_CHANGE] = "change",
	[BOARD_BY_ORDER_FREE] = "order_free",
	[BOARD_BY_EXPECTED] = "expected",
	[BOARD_BY_LENGTH] = "length",
};

static enum err load(struct db *db, struct pool *pool, const struct conf *conf,
    const struct board_query *query, int64_t now, struct board *out);
static bool is_listed(struct text name, const char *const *names);
static enum err load_activity(struct db *db, struct pool *pool,
    const struct board_query *query, int64_t now, struct board_wish *wish);
static enum err split_rows(struct pool *pool, const struct rows *all,
    const struct board_query *query, struct board *out);
static void stand(const struct board_wish *wish, struct board *out);
static void sort_rows(
    struct board_row *rows, size_t n, enum board_sort by, bool reverse);
static enum err count_matches(
    struct db *db, const struct board_wish *wish, struct board *out);
static enum err list_setups(
    struct db *db, struct pool *pool, struct board *out);
static enum err list_types(struct db *db, struct pool *pool, struct board *out);
static enum err list_tags(struct db *db, struct pool *pool, struct board *out);
static enum err read_choices(struct db_stmt *q, struct pool *pool,
    struct text chosen, const struct board_choice **out, size_t *n);
static enum err list_activities(struct db *db, struct pool *pool, int64_t now,
    bool staff, struct board *out);

const char *
board_sort_name(enum board_sort s)
{
	return (size_t)s < BOARD_SORT__MAX ? sort_names[s] : "";
}

enum err
board_sort_parse(struct str s, enum board_sort *sort, bool *reverse)
{
	bool turned = str_starts(s, "-");
	size_t i;

	if (turned) {
		s.p++;
		s.n--;
	}
	i = str_index(s, sort_names, BOARD_SORT__MAX);
	if (i == BOARD_SORT__MAX)
		return ERR_INVALID;
	*sort = (enum board_sort)i;
	*reverse = turned;
	return ERR_OK;
}

enum err
board_load(struct db *db, struct pool *pool, const struct conf *conf,
    const struct board_query *query, int64_t now, struct board *out)
{
	struct board b = { .generated = now,
		.k = conf->k,
		.start = conf->start,
		.minimum = conf->minimum,
		.minimum_voters = conf->minimum_voters,
		.type = query->type,
		.tag = query->tag,
		.activity = query->activity,
		.voters = BOARD_NO_INT,
		.weighted_tau = NAN };
	enum err e = db_begin(db);

	if (e != ERR_OK)
		return e;
	e = db_end(db, load(db, pool, conf, query, now, &b));
	if (e == ERR_OK && pool_failed(pool))
		e = ERR_NOMEM;
	if (e == ERR_OK)
		*out = b;
	return e;
}

static enum err
load(struct db *db, struct pool *pool, const struct conf *conf,
    const struct board_query *query, int64_t now, struct board *out)
{
	struct board_wish wish = { .conf = conf,
		.type = query->type,
		.tag = query->tag,
		.full = query->full,
		.now = now,
		.snapshot = query->snapshot };
	struct board_setup setup = { 0 };
	struct rows rows;
	enum err e;

	if ((query->type.p != NULL && !is_listed(query->type, catalog_types)) ||
	    (query->tag.p != NULL && !is_listed(query->tag, catalog_tags)))
		return ERR_NOTFOUND;
	e = load_activity(db, pool, query, now, &wish);
	if (e != ERR_OK)
		return e;
	e = board_setup_find(db, pool, query->setup, &setup);
	if (e != ERR_OK && (e != ERR_NOTFOUND || query->setup.p != NULL))
		return e;
	wish.setup = out->setup = setup.digest;
	wish.setup_id = setup.id;
	out->setup_slug = setup.slug;
	out->model = setup.model;
	out->archived = setup.digest.p != NULL && !setup.active;
	if ((e = ledger_last(db, &out->last_seq)) != ERR_OK ||
	    (e = board_rows_load(db, pool, &wish, &rows)) != ERR_OK ||
	    (e = split_rows(pool, &rows, query, out)) != ERR_OK ||
	    (e = count_matches(db, &wish, out)) != ERR_OK ||
	    (e = list_setups(db, pool, out)) != ERR_OK ||
	    (e = list_types(db, pool, out)) != ERR_OK ||
	    (e = list_tags(db, pool, out)) != ERR_OK ||
	    (e = list_activities(db, pool, now, query->staff, out)) != ERR_OK)
		return e;
	if (query->snapshot != NULL)
		stand(&wish, out);
	return ERR_OK;
}

/* What of the whole board comes from the snapshot. */
static void
stand(const struct board_wish *wish, struct board *out)
{
	const struct standing_board *from = board_standing(wish);

	out->last_seq = wish->snapshot->seq;
	out->generated = wish->snapshot->made_at;
	out->matches = from != NULL ? from->matches : 0;
	out->voters = from != NULL ? from->voters : 0;
	out->interval_seq = from != NULL ? from->interval_seq : 0;
	out->weighted_seq = wish->snapshot->weighted_seq;
	out->weighted_tau = wish->snapshot->weighted_tau;
}

static bool
is_listed(struct text name, const char *const *names)
{
	for (; *names != NULL; names++) {
		if (text_same(name, text_of(*names)))
			return true;
	}
	return false;
}

static enum err
load_activity(struct db *db, struct pool *pool, const struct board_query *query,
    int64_t now, struct board_wish *wish)
{
	struct activity a;
	enum err e;

	if (query->activity.p == NULL)
		return ERR_OK;
	e = activity_find(db, pool, query->activity, &a);
	if (e != ERR_OK)
		return e;
	if (!activity_shows_results(&a, now, query->staff))
		return ERR_DENIED;
	wish->activity = a.slug;
	wish->activity_id = a.id;
	return ERR_OK;
}

static enum err
split_rows(struct pool *pool, const struct rows *all,
    const struct board_query *query, struct board *out)
{
	const struct board_row *from = all->p;
	struct board_row *official, *provisional;

	official = pool_array(pool, all->n + 1, sizeof(*official));
	provisional = pool_array(pool, all->n + 1, sizeof(*provisional));
	if (official == NULL || provisional == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < all->n; i++) {
		if (from[i].official)
			official[out->official_n++] = from[i];
		else
			provisional[out->provisional_n++] = from[i];
	}
	sort_rows(official, out->official_n, BOARD_BY_ELO, false);
	board_rank(official, out->official_n);
	board_lead(official, out->official_n, out);
	sort_rows(official, out->official_n, query->sort, query->reverse);
	sort_rows(provisional, out->provisional_n, query->sort, query->reverse);
	out->official = official;
	out->provisional = provisional;
	return ERR_OK;
}

/* By title as bytes: an order that is the same everywhere. */
static int
compare_names(const struct board_row *a, const struct board_row *b)
{
	int c = text_cmp(a->title, b->title);

	if (c == 0)
		c = text_cmp(a->slug, b->slug);
	return c != 0 ? c
		      : (a->version > b->version) - (a->version < b->version);
}

/* Higher first; what is unknown comes last. */
static int
compare_down(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int
by_elo(const void *a, const void *b)
{
	const struct board_row *x = a, *y = b;
	int c = compare_down(x->elo, y->elo);

	return c != 0 ? c : compare_names(x, y);
}

static int
by_prompt(const void *a, const void *b)
{
	return compare_names(a, b);
}

static int
by_matches(const void *a, const void *b)
{
	const struct board_row *x = a, *y = b;
	int c = (x->matches < y->matches) - (x->matches > y->matches);

	return c != 0 ? c : by_elo(a, b);
}

static int
by_both_poor(const void *a, const void *b)
{
	const struct board_row *x = a, *y = b;
	int c = compare_down(x->both_poor_share, y->both_poor_share);

	return c != 0 ? c : by_elo(a, b);
}

#define BY(name, member)                                                       \
	static int name(const void *a, const void *b)                          \
	{                                                                      \
		const struct board_row *x = a, *y = b;                         \
		int c = compare_down(x->member, y->member);                    \
                                                                               \
		return c != 0 ? c : by_elo(a, b);                              \
	}

BY(by_change, change)
BY(by_order_free, order_free)
BY(by_expected, expected)
BY(by_length, length)

static void
sort_rows(struct board_row *rows, size_t n, enum board_sort by, bool reverse)
{
	static int (*const compare[BOARD_SORT__MAX])(
	    const void *, const void *) = {
		[BOARD_BY_ELO] = by_elo,
		[BOARD_BY_PROMPT] = by_prompt,
		[BOARD_BY_MATCHES] = by_matches,
		[BOARD_BY_BOTH_POOR] = by_both_poor,
		[BOARD_BY_CHANGE] = by_change,
		[BOARD_BY_ORDER_FREE] = by_order_free,
		[BOARD_BY_EXPECTED] = by_expected,
		[BOARD_BY_LENGTH] = by_length,
	};

	if (n < 2)
		return;
	qsort(rows, n, sizeof(*rows), compare[by]);
	for (size_t i = 0; reverse && i < n / 2; i++) {
		struct board_row t = rows[i];

		rows[i] = rows[n - 1 - i];
		rows[n - 1 - i] = t;
	}
}

/* Each counted match stands in two rows of its scope. */
static enum err
count_matches(struct db *db, const struct board_wish *wish, struct board *out)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT coalesce(sum(matches), 0) / 2 FROM rating"
			" WHERE setup = ?1 AND scope = CASE"
			" WHEN ?2 IS NULL AND ?3 IS NULL THEN 'all'"
			" WHEN ?2 IS NULL THEN 'type:' || ?3"
			" WHEN ?3 IS NULL THEN 'activity:' || ?2"
			" ELSE 'activity:' || ?2 || ' type:' || ?3 END");

	db_bind_text(q, 1, wish->setup);
	db_bind_text(q, 2, wish->activity);
	db_bind_text(q, 3, wish->type);
	return db_scalar(q, &out->matches);
}

/* The boards there are: setups in use, and those with a match. */
static enum err
list_setups(struct db *db, struct pool *pool, struct board *out)
{
	return read_choices(
	    db_stmt(db, "SELECT s.digest, s.model, s.active FROM setup s"
			" WHERE s.active OR EXISTS (SELECT 1 FROM rating r"
			" WHERE r.scope = 'all' AND r.setup = s.digest)"
			" ORDER BY s.active DESC, s.id"),
	    pool, out->setup, &out->setups, &out->setups_n);
}

static enum err
list_types(struct db *db, struct pool *pool, struct board *out)
{
	struct rows rows;

	rows_init(&rows, pool, sizeof(struct board_choice));
	for (size_t i = 0; catalog_types[i] != NULL; i++) {
		struct board_choice *c;
		bool occurs;
		enum err e = board_type_occurs(db, catalog_types[i], &occurs);

		if (e != ERR_OK)
			return e;
		if (!occurs)
			continue;
		c = rows_add(&rows);
		if (c == NULL)
			return ERR_NOMEM;
		c->value = text_of(catalog_types[i]);
		c->current = text_same(c->value, out->type);
	}
	out->types = rows.p;
	out->types_n = rows.n;
	return ERR_OK;
}

static enum err
list_tags(struct db *db, struct pool *pool, struct board *out)
{
	return read_choices(
	    db_stmt(db, "SELECT DISTINCT t.tag, NULL, 1 FROM prompt_tag t"
			" JOIN prompt p ON p.id = t.prompt WHERE p.retired = 0"
			" ORDER BY t.tag"),
	    pool, out->tag, &out->tags, &out->tags_n);
}

/* Rows of value, label, whether it is in use. */
static enum err
read_choices(struct db_stmt *q, struct pool *pool, struct text chosen,
    const struct board_choice **out, size_t *n)
{
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct board_choice));
	while ((e = db_row(q)) == ERR_OK) {
		struct board_choice *c = rows_add(&rows);

		if (c == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		c->value = db_text(q, 0, pool);
		c->label = db_text(q, 1, pool);
		c->archived = db_int(q, 2) == 0;
		c->current = text_same(c->value, chosen);
	}
	*out = rows.p;
	*n = rows.n;
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
list_activities(struct db *db, struct pool *pool, int64_t now, bool staff,
    struct board *out)
{
	const struct activity *list;
	struct rows rows;
	size_t n;
	enum err e = activity_list(db, pool, &list, &n);

	if (e != ERR_OK)
		return e;
	rows_init(&rows, pool, sizeof(struct board_choice));
	for (size_t i = 0; i < n; i++) {
		struct board_choice *c;

		if (!activity_shows_results(&list[i], now, staff))
			continue;
		c = rows_add(&rows);
		if (c == NULL)
			return ERR_NOMEM;
		c->value = list[i].slug;
		c->label = list[i].title;
		c->archived = list[i].retired;
		c->current = text_same(c->value, out->activity);
	}
	out->activities = rows.p;
	out->activities_n = rows.n;
	return ERR_OK;
}
