/* This file knows how to write posts, change them, and moderate topics. */
#include "config.h"

#include <string.h>

#include "model/conf.h"
#include "model/forum_parts.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define POST_TOP 3  /* headings in a post start at h3 */
#define ALIKE_S 600 /* so long the same words again are the same post */

struct place { /* where a post goes */
	int64_t topic, number;
	bool locked, retired, gone;
};

/* What somebody has written in the last minutes, and is still there. */
#define ALIKE                                                                  \
	"SELECT p.id, p.number, t.token FROM post p"                           \
	" JOIN topic t ON t.id = p.topic WHERE p.author = ?1"                  \
	" AND p.made_at > ?2 AND p.made_at <= ?3 AND p.source = ?4"            \
	" AND p.state = 'shown' AND t.hidden = 0"

static enum err find_again(
    struct store_tx *tx, struct forum_new *n, bool *found);
static enum err take_found(struct db_stmt *q, struct forum_new *n, bool *found);
static void take_token(struct forum_new *n, struct str token);
static enum err check_rate(struct store_tx *tx, const struct forum_new *n);
static enum err free_match(struct store_tx *tx, int64_t match);
static enum err insert_topic(
    struct store_tx *tx, struct forum_new *n, int64_t *topic);
static enum err find_place(
    struct store_tx *tx, struct forum_new *n, struct place *p);
static enum err insert_post(struct store_tx *tx, struct forum_new *n,
    int64_t topic, int64_t number, struct text title);
static enum err index_post(
    struct store_tx *tx, int64_t post, struct text title, struct text words);
static enum err change_post(struct store_tx *tx, const struct forum_change *c);
static bool is_outrun(const struct forum_change *c, struct text title,
    struct text source, bool *same);
static enum err change_topic(struct store_tx *tx, const struct forum_change *c);
static enum err edit(
    struct store_tx *tx, const struct forum_change *c, int64_t post);
static enum err retitle(
    struct store_tx *tx, const struct forum_change *c, int64_t post);
static enum err erase(
    struct store_tx *tx, const struct forum_change *c, int64_t post);
static enum err set_state(struct store_tx *tx, int64_t post, bool shown);

enum err
forum_render(struct pool *pool, struct text source, struct markup *out)
{
	return markdown_render_bare(pool, source, POST_TOP, out);
}

enum err
forum_start(struct store_tx *tx, struct forum_new *n)
{
	int64_t topic;
	bool found;
	enum err e;

	if ((e = find_again(tx, n, &found)) != ERR_OK || found)
		return e;
	if ((e = check_rate(tx, n)) != ERR_OK ||
	    (e = free_match(tx, n->match)) != ERR_OK ||
	    (e = insert_topic(tx, n, &topic)) != ERR_OK)
		return e;
	if (n->follow) {
		e = forum_follow(tx, n->who.account, topic, FORUM_FOLLOW);
		if (e != ERR_OK)
			return e;
	}
	return insert_post(tx, n, topic, 1, n->title);
}

enum err
forum_reply(struct store_tx *tx, struct forum_new *n)
{
	struct place p;
	bool found;
	enum err e;

	if ((e = find_again(tx, n, &found)) != ERR_OK || found)
		return e;
	if ((e = find_place(tx, n, &p)) != ERR_OK)
		return e;
	if (p.retired || p.gone || (p.locked && !n->teacher))
		return ERR_CLOSED;
	if ((e = check_rate(tx, n)) != ERR_OK)
		return e;
	if (n->follow) {
		e = forum_follow(tx, n->who.account, p.topic, FORUM_FOLLOW);
		if (e != ERR_OK)
			return e;
	}
	return insert_post(tx, n, p.topic, p.number, TEXT(""));
}

enum err
forum_pair_seen(
    struct store_tx *tx, int64_t account, const struct forum_pair *pair)
{
	const int64_t answers[2] = { pair->answer_a, pair->answer_b };

	for (size_t i = 0; i < 2; i++) {
		struct db_stmt *put = db_stmt(tx->db,
		    "INSERT OR IGNORE INTO seen_answer(account, answer)"
		    " VALUES(?1, ?2)");
		enum err e;

		db_bind_int(put, 1, account);
		db_bind_int(put, 2, answers[i]);
		if ((e = db_run(put)) != ERR_OK)
			return e;
	}
	return ERR_OK;
}

enum err
forum_change(struct store_tx *tx, const struct forum_change *c)
{
	switch (c->verb) {
	case FORUM_DO_EDIT:
	case FORUM_DO_DELETE:
	case FORUM_DO_HIDE:
	case FORUM_DO_SHOW:
		return change_post(tx, c);
	default:
		return c->teacher ? change_topic(tx, c) : ERR_DENIED;
	}
}

enum err
forum_follow(struct store_tx *tx, int64_t account, int64_t topic,
    enum forum_following how)
{
	struct db_stmt *put;

	if (how == FORUM_PLAIN) {
		put = db_stmt(tx->db, "DELETE FROM topic_follow"
				      " WHERE account = ?1 AND topic = ?2");
	} else {
		put = db_stmt(tx->db,
		    "INSERT INTO topic_follow(account, topic, how)"
		    " VALUES(?1, ?2, ?3) ON CONFLICT(account, topic)"
		    " DO UPDATE SET how = excluded.how");
		db_bind_z(put, 3, how == FORUM_FOLLOW ? "follow" : "mute");
	}
	db_bind_int(put, 1, account);
	db_bind_int(put, 2, topic);
	return db_run(put);
}

/*
 * The same form sent again leads to the post that it made; so do the same
 * words in the same place a little later, for who goes back and sends again
 * sends another form.
 */
static enum err
find_again(struct store_tx *tx, struct forum_new *n, bool *found)
{
	struct db_stmt *q =
	    db_stmt(tx->db, "SELECT p.id, p.number, t.token FROM post p"
			    " JOIN topic t ON t.id = p.topic"
			    " WHERE p.author = ?1 AND p.form = ?2");
	enum err e;

	db_bind_int(q, 1, n->who.account);
	db_bind_text(q, 2, n->words.form);
	if ((e = take_found(q, n, found)) != ERR_OK || *found)
		return e;
	q = n->topic.p == NULL
		? db_stmt(tx->db, ALIKE " AND p.number = 1 AND t.title = ?5"
					" AND t.activity = (SELECT id FROM"
					" activity WHERE slug = ?6)")
		: db_stmt(tx->db, ALIKE " AND t.token = ?5");
	db_bind_int(q, 1, n->who.account);
	db_bind_int(q, 2, tx->now - ALIKE_S);
	db_bind_int(q, 3, tx->now);
	db_bind_text(q, 4, n->words.source);
	db_bind_text(q, 5, n->topic.p == NULL ? n->title : n->topic);
	if (n->topic.p == NULL)
		db_bind_text(q, 6, n->room);
	return take_found(q, n, found);
}

static enum err
take_found(struct db_stmt *q, struct forum_new *n, bool *found)
{
	enum err e = db_row(q);

	*found = e == ERR_OK;
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_OK : e;
	n->post = db_int(q, 0);
	n->number = db_int(q, 1);
	take_token(n, db_str(q, 2, NULL));
	db_done(q);
	return ERR_OK;
}

static void
take_token(struct forum_new *n, struct str token)
{
	if (token.n < sizeof(n->token)) {
		memcpy(n->token, token.p, token.n);
		n->token[token.n] = '\0';
	}
}

static enum err
check_rate(struct store_tx *tx, const struct forum_new *n)
{
	struct db_stmt *q;
	int64_t over;
	enum err e;

	if (n->conf->posts_per_minute == 0)
		return ERR_OK;
	q = db_stmt(tx->db, "SELECT count(*) >= ?3 FROM post WHERE author = ?1"
			    " AND made_at > ?2 AND made_at <= ?4");
	db_bind_int(q, 1, n->who.account);
	db_bind_int(q, 2, tx->now - 60);
	db_bind_int(q, 3, n->conf->posts_per_minute);
	db_bind_int(q, 4, tx->now); /* a clock set back blocks nobody */
	if ((e = db_scalar(q, &over)) != ERR_OK)
		return e;
	return over != 0 ? ERR_LIMIT : ERR_OK;
}

/* A discussion of which nothing is left gives its match to the next. */
static enum err
free_match(struct store_tx *tx, int64_t match)
{
	struct db_stmt *up =
	    db_stmt(tx->db, "UPDATE topic SET match = NULL WHERE match = ?1"
			    " AND NOT " FORUM_LISTED("topic"));

	db_bind_int(up, 1, match);
	return db_run(up);
}

/* The handler has seen that the room is for this person. */
static enum err
insert_topic(struct store_tx *tx, struct forum_new *n, int64_t *topic)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO topic(token, activity, author, title, match, made_at,"
	    " last_at) SELECT ?1, id, ?3, ?4, ?5, ?6, ?6 FROM activity"
	    " WHERE slug = ?2 AND retired = 0");
	enum err e;

	rng_token(n->token);
	db_bind_z(put, 1, n->token);
	db_bind_text(put, 2, n->room);
	db_bind_int(put, 3, n->who.account);
	db_bind_text(put, 4, n->title);
	if (n->match != 0)
		db_bind_int(put, 5, n->match);
	else
		db_bind_null(put, 5);
	db_bind_int(put, 6, tx->now);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	if (db_changes(tx->db) == 0)
		return ERR_CLOSED;
	*topic = db_last_id(tx->db);
	return ERR_OK;
}

static enum err
find_place(struct store_tx *tx, struct forum_new *n, struct place *p)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT t.id, t.posts + 1, t.locked, r.retired, t.hidden, t.token,"
	    " NOT " FORUM_LISTED(
		"t") " FROM topic t JOIN activity r ON r.id = t.activity"
		     " WHERE t.token = ?1");
	bool hidden;
	enum err e;

	db_bind_text(q, 1, n->topic);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	*p = (struct place){ db_int(q, 0), db_int(q, 1), db_int(q, 2) != 0,
		db_int(q, 3) != 0, db_int(q, 6) != 0 };
	hidden = db_int(q, 4) != 0;
	take_token(n, db_str(q, 5, NULL));
	db_done(q);
	return hidden && !n->teacher ? ERR_NOTFOUND : ERR_OK;
}

/* The post, its place in the topic, its words, and who is to be told. */
static enum err
insert_post(struct store_tx *tx, struct forum_new *n, int64_t topic,
    int64_t number, struct text title)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO post(topic, number, author, made_at, source, html,"
	    " renderer, form) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
	enum err e;

	db_bind_int(put, 1, topic);
	db_bind_int(put, 2, number);
	db_bind_int(put, 3, n->who.account);
	db_bind_int(put, 4, tx->now);
	db_bind_text(put, 5, n->words.source);
	db_bind_str(put, 6, (struct str){ n->words.html.p, n->words.html.n });
	db_bind_int(put, 7, MARKDOWN_VERSION);
	db_bind_text(put, 8, n->words.form);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	n->post = db_last_id(tx->db);
	n->number = number;
	put = db_stmt(tx->db,
	    "UPDATE topic SET posts = ?2, last_post = ?3, last_at = ?4"
	    " WHERE id = ?1");
	db_bind_int(put, 1, topic);
	db_bind_int(put, 2, number);
	db_bind_int(put, 3, n->post);
	db_bind_int(put, 4, tx->now);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	put = db_stmt(tx->db, "INSERT INTO post_telling(post) VALUES(?1)");
	db_bind_int(put, 1, n->post);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	return index_post(tx, n->post, title, n->words.source);
}

/* Found by its words, and a first one also by its topic's title. */
static enum err
index_post(
    struct store_tx *tx, int64_t post, struct text title, struct text words)
{
	struct pool *pool = pool_open((size_t)1 << 20);
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	if (title.n > 0) {
		struct str both = pool_printf(pool, "%.*s\n%.*s", (int)title.n,
		    title.p, (int)words.n, words.p);

		words = (struct text){ both.p, both.n };
	}
	e = forum_index(tx, post, words);
	pool_close(pool);
	return e;
}

static enum err
change_post(struct store_tx *tx, const struct forum_change *c)
{
	struct db_stmt *q = db_stmt(tx->db,
	    "SELECT p.id, p.author, p.state, t.locked, r.retired, t.title,"
	    " p.source FROM post p"
	    " JOIN topic t ON t.id = p.topic"
	    " JOIN activity r ON r.id = t.activity"
	    " WHERE p.topic = ?1 AND p.number = ?2");
	int64_t post, author;
	bool closed, deleted, hidden, outrun, same;
	enum err e;

	db_bind_int(q, 1, c->topic);
	db_bind_int(q, 2, c->number);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	post = db_int(q, 0);
	author = db_int(q, 1);
	deleted = str_is(db_str(q, 2, NULL), "deleted");
	hidden = str_is(db_str(q, 2, NULL), "hidden");
	closed = (db_int(q, 3) != 0 && !c->teacher) || db_int(q, 4) != 0;
	outrun = is_outrun(c, db_text(q, 5, NULL), db_text(q, 6, NULL), &same);
	db_done(q);
	if (c->verb == FORUM_DO_HIDE || c->verb == FORUM_DO_SHOW) {
		if (!c->teacher)
			return ERR_DENIED;
		return deleted ? ERR_CLOSED
			       : set_state(tx, post, c->verb == FORUM_DO_SHOW);
	}
	if (author != c->account)
		return ERR_DENIED;
	if (c->verb == FORUM_DO_DELETE)
		return deleted ? ERR_OK : erase(tx, c, post);
	if (deleted || hidden || closed)
		return ERR_CLOSED;
	if (outrun)
		return same ? ERR_OK : ERR_CONFLICT;
	return edit(tx, c, post);
}

/* Another tab has saved meanwhile.  *same: just what this one would. */
static bool
is_outrun(const struct forum_change *c, struct text title, struct text source,
    bool *same)
{
	char now[CRYPT_HEX + 1];

	*same = text_same(c->words.source, source) &&
		(c->title.n == 0 || text_same(c->title, title));
	if (c->verb != FORUM_DO_EDIT || c->version.n == 0)
		return false;
	forum_version(
	    c->number == 1 ? title : (struct text){ NULL, 0 }, source, now);
	return !str_is((struct str){ c->version.p, c->version.n }, now);
}

static enum err
change_topic(struct store_tx *tx, const struct forum_change *c)
{
	const char *sql = NULL;
	struct db_stmt *up;
	enum err e;

	switch (c->verb) {
	case FORUM_DO_PIN:
		sql = "UPDATE topic SET pinned = 1 WHERE id = ?1";
		break;
	case FORUM_DO_UNPIN:
		sql = "UPDATE topic SET pinned = 0 WHERE id = ?1";
		break;
	case FORUM_DO_LOCK:
		sql = "UPDATE topic SET locked = 1 WHERE id = ?1";
		break;
	case FORUM_DO_UNLOCK:
		sql = "UPDATE topic SET locked = 0 WHERE id = ?1";
		break;
	case FORUM_DO_HIDE_TOPIC:
		sql = "UPDATE topic SET hidden = 1 WHERE id = ?1";
		break;
	case FORUM_DO_SHOW_TOPIC:
		sql = "UPDATE topic SET hidden = 0 WHERE id = ?1";
		break;
	default:
		return ERR_INVALID;
	}
	up = db_stmt(tx->db, sql);
	db_bind_int(up, 1, c->topic);
	e = db_run(up);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		e = ERR_NOTFOUND;
	return e;
}

static enum err
edit(struct store_tx *tx, const struct forum_change *c, int64_t post)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO post_edit(post, n, until, source, html) SELECT id,"
	    " (SELECT coalesce(max(n), 0) + 1 FROM post_edit"
	    " WHERE post = ?1), ?2, source, html FROM post"
	    " WHERE id = ?1 AND source <> ?3");
	enum err e;

	db_bind_int(put, 1, post);
	db_bind_int(put, 2, tx->now);
	db_bind_text(put, 3, c->words.source);
	e = db_run(put);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		return retitle(tx, c, post); /* the same words */
	if (e != ERR_OK)
		return e;
	put = db_stmt(tx->db,
	    "UPDATE post SET source = ?2, html = ?3, renderer = ?4,"
	    " edited_at = ?5 WHERE id = ?1");
	db_bind_int(put, 1, post);
	db_bind_text(put, 2, c->words.source);
	db_bind_str(put, 3, (struct str){ c->words.html.p, c->words.html.n });
	db_bind_int(put, 4, MARKDOWN_VERSION);
	db_bind_int(put, 5, tx->now);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	if (c->number == 1)
		return retitle(tx, c, post);
	return index_post(tx, post, TEXT(""), c->words.source);
}

/* Message 1 carries its topic's title; that it was edited shows there. */
static enum err
retitle(struct store_tx *tx, const struct forum_change *c, int64_t post)
{
	struct text title = c->title;
	struct pool *pool = NULL;
	struct db_stmt *st;
	enum err e = ERR_OK;

	if (c->number != 1)
		return ERR_OK;
	if (title.n > 0) {
		st = db_stmt(tx->db, "UPDATE post SET edited_at = ?3 WHERE id ="
				     " ?2 AND EXISTS (SELECT 1 FROM topic"
				     " WHERE id = ?1 AND title <> ?4)");
		db_bind_int(st, 1, c->topic);
		db_bind_int(st, 2, post);
		db_bind_int(st, 3, tx->now);
		db_bind_text(st, 4, title);
		e = db_run(st);
		st = db_stmt(
		    tx->db, "UPDATE topic SET title = ?2 WHERE id = ?1");
		db_bind_int(st, 1, c->topic);
		db_bind_text(st, 2, title);
		if (e == ERR_OK)
			e = db_run(st);
	} else if ((pool = pool_open(4096)) != NULL) {
		st = db_stmt(tx->db, "SELECT title FROM topic WHERE id = ?1");
		db_bind_int(st, 1, c->topic);
		if ((e = db_row(st)) == ERR_OK)
			title = db_text(st, 0, pool);
		db_done(st);
	}
	if (e == ERR_OK)
		e = index_post(tx, post, title, c->words.source);
	pool_close(pool);
	return e;
}

/* What its author takes away is gone, with all its earlier forms; and a
 * topic's title with its first message. */
static enum err
erase(struct store_tx *tx, const struct forum_change *c, int64_t post)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "UPDATE post SET state = 'deleted', source = '', html = ''"
	    " WHERE id = ?1");
	enum err e;

	db_bind_int(put, 1, post);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	put = db_stmt(tx->db, "DELETE FROM post_edit WHERE post = ?1");
	db_bind_int(put, 1, post);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	if (c->number == 1) {
		put = db_stmt(
		    tx->db, "UPDATE topic SET title = '' WHERE id = ?1");
		db_bind_int(put, 1, c->topic);
		if ((e = db_run(put)) != ERR_OK)
			return e;
	}
	return forum_index(tx, post, (struct text){ NULL, 0 });
}

static enum err
set_state(struct store_tx *tx, int64_t post, bool shown)
{
	struct db_stmt *put =
	    db_stmt(tx->db, "UPDATE post SET state = ?2 WHERE id = ?1");

	db_bind_int(put, 1, post);
	db_bind_z(put, 2, shown ? "shown" : "hidden");
	return db_run(put);
}
