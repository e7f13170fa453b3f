/* This file knows how to read topics and posts as a viewer may see them. */
#include "config.h"

#include "model/forum.h"

#include "model/forum_parts.h"
#include "model/rows.h"
#include "port/db.h"

#define TOPIC_COLUMNS                                                          \
	"t.id, t.last_post, t.token, t.title, " FORUM_NAME(                    \
	    "a") ","                                                           \
		 " r.slug, r.title, t.made_at, t.last_at, t.posts, t.match,"   \
		 " t.author = ?1, t.pinned, t.locked, t.hidden, r.retired, "   \
		 "f.how,"                                                      \
		 " r.grp, r.id, " FORUM_DELETED_IN("t")

/* When the last word was said in the topics of a room, pinned ones or not. */
#define NEWEST_IN(pinned)                                                      \
	"(SELECT t.last_at FROM topic t WHERE t.activity = activity.id"        \
	" AND t.pinned = " pinned " AND t.hidden = 0 AND " FORUM_LISTED(       \
	    "t") " ORDER BY t.last_post DESC LIMIT 1)"

#define TOPIC_TABLES                                                           \
	" FROM topic t JOIN account a ON a.id = t.author"                      \
	" JOIN activity r ON r.id = t.activity"                                \
	" LEFT JOIN topic_follow f ON f.topic = t.id AND f.account = ?1"

static void read_topic(struct db_stmt *q, struct pool *pool,
    struct forum_topic *out, struct activity *room);
static enum err read_topics(
    struct db_stmt *q, struct pool *pool, struct rows *rows);
static void read_post(struct db_stmt *q, struct pool *pool,
    const struct forum_viewer *v, struct forum_post *out);

bool
forum_may_enter(const struct activity *a, const struct forum_viewer *v)
{
	return v->teacher || activity_is_for(a, &v->who);
}

void
forum_version(struct text title, struct text source, char out[CRYPT_HEX + 1])
{
	const struct str both[] = { { title.p, title.n }, STR("\n"),
		{ source.p, source.n } };

	crypt_sha256_hex_of(both, 3, out);
}

enum err
forum_rooms(struct db *db, struct pool *pool, const struct forum_viewer *v,
    const struct forum_room **out, size_t *n)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT id, slug, title, grp, retired, " NEWEST_IN(
			    "0") ", " NEWEST_IN("1") " FROM activity"
						     " ORDER BY retired, id");
	struct rows rows;
	enum err e;

	rows_init(&rows, pool, sizeof(struct forum_room));
	while ((e = db_row(q)) == ERR_OK) {
		struct activity a = { .group = db_text(q, 3, pool) };
		struct forum_room *r;

		if (!forum_may_enter(&a, v))
			continue;
		/* A retired one without a word in it is nothing to show. */
		if (db_int(q, 4) != 0 && db_is_null(q, 5) && db_is_null(q, 6))
			continue;
		if ((r = rows_add(&rows)) == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		r->id = db_int(q, 0);
		r->slug = db_text(q, 1, pool);
		r->title = db_text(q, 2, pool);
		r->retired = db_int(q, 4) != 0;
		r->last_at = db_int(q, db_int(q, 5) > db_int(q, 6) ? 5 : 6);
	}
	if (e != ERR_NOTFOUND)
		return e;
	*out = rows.p;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
forum_room_find(struct db *db, struct pool *pool, const struct forum_viewer *v,
    struct text slug, struct forum_room *out)
{
	struct activity a;
	enum err e = activity_find(db, pool, slug, &a);

	if (e != ERR_OK)
		return e;
	if (!forum_may_enter(&a, v))
		return ERR_NOTFOUND;
	*out = (struct forum_room){ .id = a.id,
		.slug = a.slug,
		.title = a.title,
		.retired = a.retired };
	return ERR_OK;
}

enum err
forum_list(struct db *db, struct pool *pool, const struct forum_viewer *v,
    int64_t room, int64_t before, int64_t limit, struct forum_topics *out)
{
	struct forum_topics list = { 0 };
	struct db_stmt *q;
	struct rows rows;
	enum err e;

	if (before <= 0) {
		q = db_stmt(db,
		    "SELECT " TOPIC_COLUMNS TOPIC_TABLES
		    " WHERE t.activity = ?2 AND t.pinned = 1"
		    " AND (t.hidden = 0 OR ?3)"
		    " AND " FORUM_LISTED("t") " ORDER BY t.last_post DESC");
		db_bind_int(q, 1, v->who.account);
		db_bind_int(q, 2, room);
		db_bind_int(q, 3, v->teacher);
		if ((e = read_topics(q, pool, &rows)) != ERR_OK)
			return e;
		list.pinned = rows.p;
		list.pinned_n = rows.n;
	}
	q = db_stmt(db,
	    "SELECT " TOPIC_COLUMNS TOPIC_TABLES
	    " WHERE t.activity = ?2 AND t.pinned = 0 AND t.last_post < ?4"
	    " AND (t.hidden = 0 OR ?3) AND " FORUM_LISTED(
		"t") " ORDER BY t.last_post DESC LIMIT ?5");
	db_bind_int(q, 1, v->who.account);
	db_bind_int(q, 2, room);
	db_bind_int(q, 3, v->teacher);
	db_bind_int(q, 4, before > 0 ? before : INT64_MAX);
	db_bind_int(q, 5, limit + 1); /* one more tells of a next page */
	if ((e = read_topics(q, pool, &rows)) != ERR_OK)
		return e;
	list.rows = rows.p;
	list.rows_n = rows.n;
	if ((int64_t)rows.n > limit) {
		list.rows_n--;
		list.older = list.rows[list.rows_n - 1].key;
	}
	*out = list;
	return ERR_OK;
}

enum err
forum_topic_load(struct db *db, struct pool *pool, const struct forum_viewer *v,
    struct text token, struct forum_topic *out)
{
	struct db_stmt *q = db_stmt(
	    db, "SELECT " TOPIC_COLUMNS TOPIC_TABLES " WHERE t.token = ?2");
	struct forum_topic t;
	struct activity room;
	enum err e;

	db_bind_int(q, 1, v->who.account);
	db_bind_text(q, 2, token);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	read_topic(q, pool, &t, &room);
	db_done(q);
	if (!forum_may_enter(&room, v))
		return ERR_NOTFOUND;
	if (t.hidden && !v->teacher)
		return t.mine && v->who.account != 0 ? ERR_DENIED
						     : ERR_NOTFOUND;
	if (pool_failed(pool))
		return ERR_NOMEM;
	*out = t;
	return ERR_OK;
}

enum err
forum_followed(struct db *db, struct pool *pool, const struct forum_viewer *v,
    int64_t limit, const struct forum_topic **out, size_t *n)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT " TOPIC_COLUMNS TOPIC_TABLES
	    " WHERE f.account = ?1 AND (t.hidden = 0 OR ?2)"
	    " AND " ACCOUNT_FITS("r.grp", "?4") " ORDER BY t.last_post DESC"
						" LIMIT ?3");
	char groups[ACCOUNT_GROUPS];
	struct rows rows;
	enum err e;

	account_groups(&v->who, groups);
	db_bind_z(q, 4, groups);

	db_bind_int(q, 1, v->who.account);
	db_bind_int(q, 2, v->teacher);
	db_bind_int(q, 3, limit);
	if ((e = read_topics(q, pool, &rows)) != ERR_OK)
		return e;
	*out = rows.p;
	*n = rows.n;
	return ERR_OK;
}

enum err
forum_posts(struct db *db, struct pool *pool, const struct forum_viewer *v,
    const struct forum_topic *t, int64_t from, int64_t limit,
    const struct forum_post **out, size_t *n)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT p.id, p.number, " FORUM_NAME(
			    "a") ", p.html, p.made_at,"
				 " p.edited_at, p.state, p.author FROM post p"
				 " JOIN account a ON a.id = p.author"
				 " WHERE p.topic = ?1 AND p.number >= ?2"
				 " ORDER BY p.number LIMIT ?3");
	struct rows rows;
	enum err e;

	db_bind_int(q, 1, t->id);
	db_bind_int(q, 2, from);
	db_bind_int(q, 3, limit);
	rows_init(&rows, pool, sizeof(struct forum_post));
	while ((e = db_row(q)) == ERR_OK) {
		struct forum_post *p = rows_add(&rows);

		if (p == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_post(q, pool, v, p);
	}
	if (e != ERR_NOTFOUND)
		return e;
	*out = rows.p;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
forum_post_load(struct db *db, struct pool *pool, const struct forum_viewer *v,
    const struct forum_topic *t, int64_t number, struct forum_post *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT p.id, p.number, " FORUM_NAME(
		"a") ", p.html, p.made_at,"
		     " p.edited_at, p.state, p.author, p.source FROM post p"
		     " JOIN account a ON a.id = p.author"
		     " WHERE p.topic = ?1 AND p.number = ?2");
	char version[CRYPT_HEX + 1];
	enum err e;

	db_bind_int(q, 1, t->id);
	db_bind_int(q, 2, number);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	read_post(q, pool, v, out);
	out->source = db_text(q, 8, pool);
	db_done(q);
	if (out->html.p == NULL)
		return ERR_NOTFOUND;
	forum_version(number == 1 ? t->title : (struct text){ NULL, 0 },
	    out->source, version);
	out->version = text_of(pool_strdup(pool, version));
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
forum_history(struct db *db, struct pool *pool, int64_t post,
    const struct forum_edit **out, size_t *n)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT until, html FROM post_edit WHERE post = ?1"
			" ORDER BY n DESC LIMIT 100");
	struct rows rows;
	enum err e;

	db_bind_int(q, 1, post);
	rows_init(&rows, pool, sizeof(struct forum_edit));
	while ((e = db_row(q)) == ERR_OK) {
		struct forum_edit *edit = rows_add(&rows);

		if (edit == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		edit->until = db_int(q, 0);
		edit->html = markup_stored(db_text(q, 1, pool));
	}
	if (e != ERR_NOTFOUND)
		return e;
	*out = rows.p;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
forum_pair_load(struct db *db, struct pool *pool, int64_t match,
    int64_t account, struct forum_pair *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT q.html, a.html, b.html, a.id, b.id,"
	    " (SELECT count(*) FROM seen_answer WHERE account = ?2"
	    " AND answer IN (a.id, b.id)) = 2 OR EXISTS (SELECT 1 FROM match v"
	    " WHERE v.voter = ?2 AND v.id = m.id AND v.state = 'voted'),"
	    " (SELECT o.token FROM match o WHERE o.voter = ?2"
	    " AND o.state = 'open' AND (o.answer_a IN (a.id, b.id)"
	    " OR o.answer_b IN (a.id, b.id)))"
	    " FROM match m JOIN question q ON q.id = m.question"
	    " JOIN answer a ON a.id = m.answer_a"
	    " JOIN answer b ON b.id = m.answer_b WHERE m.id = ?1");
	enum err e;

	db_bind_int(q, 1, match);
	db_bind_int(q, 2, account);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	*out = (struct forum_pair){
		.question = markup_stored(db_text(q, 0, pool)),
		.a = markup_stored(db_text(q, 1, pool)),
		.b = markup_stored(db_text(q, 2, pool)),
		.answer_a = db_int(q, 3),
		.answer_b = db_int(q, 4),
		.seen = db_int(q, 5) != 0,
		.open = !db_is_null(q, 6),
		.open_token = db_text(q, 6, pool),
	};
	db_done(q);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
forum_match_find(struct db *db, struct pool *pool, struct text match,
    int64_t voter, int64_t *id, struct text *room, struct text *token)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT m.id, r.slug, t.token, m.state = 'voted', m.calibration"
	    " FROM match m JOIN activity r ON r.id = m.activity"
	    " LEFT JOIN topic t ON t.match = m.id AND " FORUM_LISTED(
		"t") " WHERE m.token = ?1 AND m.voter = ?2");
	bool voted, practice;
	enum err e;

	db_bind_text(q, 1, match);
	db_bind_int(q, 2, voter);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	*id = db_int(q, 0);
	*room = db_text(q, 1, pool);
	*token = db_text(q, 2, pool);
	voted = db_int(q, 3) != 0;
	practice = db_int(q, 4) != 0;
	db_done(q);
	if (!voted)
		return ERR_DENIED;
	return practice ? ERR_CLOSED : ERR_OK;
}

static void
read_topic(struct db_stmt *q, struct pool *pool, struct forum_topic *out,
    struct activity *room)
{
	struct str how = db_str(q, 16, pool);

	*out = (struct forum_topic){ .id = db_int(q, 0), .key = db_int(q, 1) };
	out->token = db_text(q, 2, pool);
	out->title = db_text(q, 3, pool);
	out->author = db_text(q, 4, pool);
	out->room = db_text(q, 5, pool);
	out->room_title = db_text(q, 6, pool);
	out->made_at = db_int(q, 7);
	out->last_at = db_int(q, 8);
	out->posts = db_int(q, 9);
	out->match = db_int(q, 10);
	out->mine = db_int(q, 11) != 0;
	out->pinned = db_int(q, 12) != 0;
	out->locked = db_int(q, 13) != 0;
	out->hidden = db_int(q, 14) != 0;
	out->retired = db_int(q, 15) != 0;
	out->following = str_is(how, "follow") ? FORUM_FOLLOW
			 : str_is(how, "mute") ? FORUM_MUTE
					       : FORUM_PLAIN;
	out->room_id = db_int(q, 18);
	out->left = out->posts - db_int(q, 19);
	if (out->title.n == 0)
		out->title = (struct text){ NULL, 0 };
	*room = (struct activity){ .group = db_text(q, 17, pool) };
}

static enum err
read_topics(struct db_stmt *q, struct pool *pool, struct rows *rows)
{
	struct activity room;
	enum err e;

	rows_init(rows, pool, sizeof(struct forum_topic));
	while ((e = db_row(q)) == ERR_OK) {
		struct forum_topic *t = rows_add(rows);

		if (t == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		read_topic(q, pool, t, &room);
	}
	if (e != ERR_NOTFOUND)
		return e;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

/* A hidden post is read by teachers and its author, a deleted one by nobody. */
static void
read_post(struct db_stmt *q, struct pool *pool, const struct forum_viewer *v,
    struct forum_post *out)
{
	struct str state = db_str(q, 6, pool);

	*out =
	    (struct forum_post){ .id = db_int(q, 0), .number = db_int(q, 1) };
	out->author = db_text(q, 2, pool);
	out->made_at = db_int(q, 4);
	out->edited_at = db_int(q, 5);
	out->mine = v->who.account != 0 && db_int(q, 7) == v->who.account;
	out->state = str_is(state, "shown")    ? FORUM_SHOWN
		     : str_is(state, "hidden") ? FORUM_HIDDEN
					       : FORUM_DELETED;
	if (out->state == FORUM_SHOWN ||
	    (out->state == FORUM_HIDDEN && (v->teacher || out->mine)))
		out->html = markup_stored(db_text(q, 3, pool));
}
