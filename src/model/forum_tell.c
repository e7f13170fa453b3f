/* This file knows how to tell people of a new post, some at a time. */
#include "config.h"

#include <stdio.h>

#include "base/log.h"
#include "model/forum_parts.h"
#include "model/notice.h"
#include "model/store.h"
#include "port/db.h"

#define TELL_POOL ((size_t)256 * 1024)
#define ROUNDS_MAX 10000

struct telling {
	int64_t post, after;
	int64_t author, topic, number;
	struct text token, title, who, group;
	bool hidden;
};

static enum err next_telling(
    struct store_tx *tx, struct pool *pool, struct telling *t);
static enum err tell_some(
    struct store_tx *tx, struct pool *pool, struct telling *t, int64_t *last);
static enum err tell_one(
    struct store_tx *tx, const struct telling *t, int64_t account);
static enum err move_on(
    struct store_tx *tx, const struct telling *t, int64_t last);

enum err
forum_tell(struct store_tx *tx, bool *more)
{
	struct pool *pool = pool_open(TELL_POOL);
	struct telling t;
	int64_t last = 0;
	enum err e;

	*more = false;
	if (pool == NULL)
		return ERR_NOMEM;
	e = next_telling(tx, pool, &t);
	if (e == ERR_OK)
		e = tell_some(tx, pool, &t, &last);
	if (e == ERR_OK)
		e = move_on(tx, &t, last);
	if (e == ERR_OK)
		*more = true; /* of this post, or of another */
	pool_close(pool);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
tell_fn(struct store_tx *tx, void *arg)
{
	return forum_tell(tx, arg);
}

void
forum_tell_all(struct store *s)
{
	bool more = true;

	for (int i = 0; more && i < ROUNDS_MAX; i++) {
		enum err e = store_write(s, tell_fn, &more);

		if (e != ERR_OK) {
			/* The row stays: the next post goes on with it. */
			log_warning("people could not be told of a post: %s",
			    err_name(e));
			return;
		}
	}
}

static enum err
next_telling(struct store_tx *tx, struct pool *pool, struct telling *t)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT w.post, w.after, p.author, t.id, p.number, t.token,"
	    " t.title, " FORUM_NAME(
		"a") ", r.grp,"
		     " t.hidden = 1 OR p.state <> 'shown'"
		     " FROM post_telling w JOIN post p ON p.id = w.post"
		     " JOIN topic t ON t.id = p.topic JOIN account a ON a.id = "
		     "p.author"
		     " JOIN activity r ON r.id = t.activity"
		     " ORDER BY w.post LIMIT 1");
	enum err e = db_row(q);

	if (e != ERR_OK)
		return e;
	*t = (struct telling){ .post = db_int(q, 0),
		.after = db_int(q, 1),
		.author = db_int(q, 2),
		.topic = db_int(q, 3),
		.number = db_int(q, 4),
		.token = db_text(q, 5, pool),
		.title = db_text(q, 6, pool),
		.who = db_text(q, 7, pool),
		.group = db_text(q, 8, pool),
		.hidden = db_int(q, 9) != 0 };
	db_done(q);
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

/*
 * Of those whom the activity is for: whose switch is on, and who follows the
 * topic; not its author, not who has muted it.  *last: the last
 * account that was looked at, 0 when there are no more.
 */
static enum err
tell_some(
    struct store_tx *tx, struct pool *pool, struct telling *t, int64_t *last)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT c.id, coalesce(f.how, ''), " ACCOUNT_FITS("?4",
		"a.groups") " FROM ("
			    "SELECT id FROM (SELECT id FROM account"
			    " WHERE forum = 1 AND id > ?1 ORDER BY id LIMIT ?3)"
			    " UNION SELECT account FROM (SELECT account FROM "
			    "topic_follow"
			    " WHERE topic = ?2 AND how = 'follow' AND account "
			    "> ?1"
			    " ORDER BY account LIMIT ?3) ORDER BY 1 LIMIT ?3) c"
			    " JOIN account a ON a.id = c.id"
			    " LEFT JOIN topic_follow f ON f.topic = ?2 AND "
			    "f.account = c.id"
			    " ORDER BY c.id");
	int64_t *ids = pool_array(pool, FORUM_TELL, sizeof(*ids));
	size_t n = 0, looked = 0;
	enum err e;

	if (ids == NULL)
		return ERR_NOMEM;
	if (t->hidden)
		return ERR_OK; /* nobody is led to what is not shown */
	db_bind_int(q, 1, t->after);
	db_bind_int(q, 2, t->topic);
	db_bind_int(q, 3, FORUM_TELL);
	db_bind_text(q, 4, t->group);
	while ((e = db_row(q)) == ERR_OK) {
		bool mute = str_is(db_str(q, 1, NULL), "mute");

		*last = db_int(q, 0);
		looked++;
		if (!mute && db_int(q, 2) != 0 && *last != t->author &&
		    n < FORUM_TELL)
			ids[n++] = *last;
	}
	if (e != ERR_NOTFOUND)
		return e;
	if (looked < FORUM_TELL)
		*last = 0;
	for (size_t i = 0; i < n; i++) {
		if ((e = tell_one(tx, t, ids[i])) != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err
tell_one(struct store_tx *tx, const struct telling *t, int64_t account)
{
	char event[32], thread[64], url[96];
	struct notice_new n = { .account = account,
		.kind = NOTICE_POST,
		.title = t->title,
		.who = t->who };

	snprintf(event, sizeof(event), "post:%lld", (long long)t->post);
	snprintf(
	    thread, sizeof(thread), "topic:%.*s", (int)t->token.n, t->token.p);
	snprintf(url, sizeof(url), "/forum/%.*s/%lld", (int)t->token.n,
	    t->token.p, (long long)t->number);
	n.event = text_of(event);
	n.thread = text_of(thread);
	n.url = text_of(url);
	return notice_put(tx, &n, NULL);
}

static enum err
move_on(struct store_tx *tx, const struct telling *t, int64_t last)
{
	struct db_stmt *up;

	if (last == 0) {
		up =
		    db_stmt(tx->db, "DELETE FROM post_telling WHERE post = ?1");
	} else {
		up = db_stmt(tx->db,
		    "UPDATE post_telling SET after = ?2 WHERE post = ?1");
		db_bind_int(up, 2, last);
	}
	db_bind_int(up, 1, t->post);
	return db_run(up);
}
