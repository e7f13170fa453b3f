/* This file knows how to tell who may play an activity, and when. */
#include "config.h"

#include "model/activity.h"

#include "model/rows.h"
#include "port/db.h"

static void read_activity(
    struct db_stmt *q, struct pool *pool, struct activity *out);

enum activity_phase
activity_phase(const struct activity *a, int64_t now)
{
	if (a->retired || (a->closes != 0 && now >= a->closes))
		return ACTIVITY_AFTER;
	if (a->opens != 0 && now < a->opens)
		return ACTIVITY_BEFORE;
	return ACTIVITY_OPEN;
}

bool
activity_is_for(const struct activity *a, const struct voter *who)
{
	if (a->group.p == NULL || a->group.n == 0)
		return true;
	for (size_t i = 0; i < who->groups_n; i++) {
		if (text_same(a->group, who->groups[i]))
			return true;
	}
	return false;
}

bool
activity_shows_results(const struct activity *a, int64_t now, bool staff)
{
	if (!a->results_when_closed || staff)
		return true;
	return activity_phase(a, now) == ACTIVITY_AFTER;
}

enum err
activity_list(
    struct db *db, struct pool *pool, const struct activity **out, size_t *n)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, slug, title, opens, closes, grp, results, retired"
	    " FROM activity ORDER BY retired, id");
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct activity));
	while ((e = db_row(q)) == ERR_OK) {
		struct activity *a = rows_add(&rows);

		if (a == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_activity(q, pool, a);
	}
	if (e != ERR_NOTFOUND)
		return e;
	*out = rows.p;
	*n = rows.n;
	return ERR_OK;
}

enum err
activity_find(
    struct db *db, struct pool *pool, struct text slug, struct activity *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT id, slug, title, opens, closes, grp, results, retired"
	    " FROM activity WHERE slug = ?1");
	enum err e;

	db_bind_text(q, 1, slug);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	read_activity(q, pool, out);
	db_done(q);
	return ERR_OK;
}

static void
read_activity(struct db_stmt *q, struct pool *pool, struct activity *out)
{
	*out = (struct activity){ .id = db_int(q, 0) };
	out->slug = db_text(q, 1, pool);
	out->title = db_text(q, 2, pool);
	out->opens = db_int(q, 3);
	out->closes = db_int(q, 4);
	out->group = db_text(q, 5, pool);
	out->results_when_closed = str_is(db_str(q, 6, pool), "closed");
	out->retired = db_int(q, 7) != 0;
}
