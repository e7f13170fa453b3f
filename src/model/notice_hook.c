/* This file knows how to take over, once, what other systems want to tell. */
#include "config.h"

#include "model/notice.h"

#include <stdio.h>

#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define KEPT_S ((int64_t)90 * 86400) /* how long a repeat is recognised */

static enum err check_rate(struct store_tx *tx, const struct notice_hook *h);
static enum err tell_all(struct store_tx *tx, struct notice_hook *h);
static enum err find_late(struct db *db, struct notice_hook *h, int64_t at);
static enum err tell_late(struct store_tx *tx, struct notice_hook *h);
static enum err tell(
    struct store_tx *tx, struct notice_hook *h, struct text login);
static enum err remember(struct store_tx *tx, const struct notice_hook *h);

enum err
notice_hook_find(struct db *db, struct notice_hook *h)
{
	struct db_stmt *q = db_stmt(
	    db, "SELECT digest, stored, at FROM hook_event WHERE event = ?1");
	int64_t at;
	bool same;
	enum err e;

	db_bind_text(q, 1, h->event);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	same = str_is(db_str(q, 0, NULL), h->digest);
	h->stored = db_int(q, 1);
	at = db_int(q, 2);
	h->repeated = true;
	db_done(q);
	return same ? find_late(db, h, at) : ERR_CONFLICT;
}

enum err
notice_hook(struct store_tx *tx, struct notice_hook *h)
{
	enum err e = notice_hook_find(tx->db, h);

	if (e == ERR_OK && h->late)
		return tell_late(tx, h);
	if (e != ERR_NOTFOUND)
		return e;
	h->stored = h->unknown = h->unwanted = 0;
	if ((e = check_rate(tx, h)) != ERR_OK)
		return e;
	if ((e = tell_all(tx, h)) != ERR_OK)
		return e;
	return remember(tx, h);
}

/* Each once, however often the message names them. */
static enum err
tell_all(struct store_tx *tx, struct notice_hook *h)
{
	for (size_t i = 0; i < h->to_n; i++) {
		enum err e;
		bool again = false;

		for (size_t j = 0; j < i && !again; j++)
			again = text_same(h->to[i], h->to[j]);
		if (!again && (e = tell(tx, h, h->to[i])) != ERR_OK)
			return e;
	}
	return ERR_OK;
}

/* Has anybody come since, who was unknown when the event was told first? */
static enum err
find_late(struct db *db, struct notice_hook *h, int64_t at)
{
	h->since = at;
	h->late = false;
	for (size_t i = 0; i < h->to_n && !h->late; i++) {
		struct db_stmt *q = db_stmt(db,
		    "SELECT 1 FROM account a WHERE a.login = ?1"
		    " AND a.kind = 'member' AND a.created_at >= ?2 AND NOT"
		    " EXISTS (SELECT 1 FROM notice n WHERE n.account = a.id"
		    " AND n.event = 'hook:' || ?3)");
		enum err e;

		db_bind_text(q, 1, h->to[i]);
		db_bind_int(q, 2, at);
		db_bind_text(q, 3, h->event);
		if ((e = db_exists(q, &h->late)) != ERR_OK)
			return e;
	}
	return ERR_OK;
}

/* The same event again tells those, and nobody else. */
static enum err
tell_late(struct store_tx *tx, struct notice_hook *h)
{
	struct db_stmt *up;
	enum err e = tell_all(tx, h);

	if (e != ERR_OK)
		return e;
	up = db_stmt(
	    tx->db, "UPDATE hook_event SET stored = ?2 WHERE event = ?1");
	db_bind_text(up, 1, h->event);
	db_bind_int(up, 2, h->stored);
	return db_run(up);
}

static enum err
check_rate(struct store_tx *tx, const struct notice_hook *h)
{
	struct db_stmt *q;
	int64_t over;
	enum err e;

	if (h->per_minute == 0)
		return ERR_OK;
	q = db_stmt(tx->db, "SELECT count(*) >= ?2 FROM hook_event"
			    " WHERE at > ?1 AND at <= ?3");
	db_bind_int(q, 1, tx->now - 60);
	db_bind_int(q, 2, h->per_minute);
	db_bind_int(q, 3, tx->now); /* a clock set back blocks nobody */
	if ((e = db_scalar(q, &over)) != ERR_OK)
		return e;
	return over != 0 ? ERR_LIMIT : ERR_OK;
}

/* Nobody gets an account by being told something. */
static enum err
tell(struct store_tx *tx, struct notice_hook *h, struct text login)
{
	struct db_stmt *q =
	    db_stmt(tx->db, "SELECT id, forum FROM account WHERE login = ?1"
			    " AND kind = 'member' AND created_at >= ?2");
	char event[256], thread[256];
	struct notice_new n = {
		.kind = h->kind, .url = h->url, .title = h->title, .who = h->who
	};
	bool forum, stored;
	enum err e;

	db_bind_text(q, 1, login);
	db_bind_int(q, 2, h->since);
	e = db_row(q);
	if (e == ERR_NOTFOUND) {
		h->unknown++;
		return ERR_OK;
	}
	if (e != ERR_OK)
		return e;
	n.account = db_int(q, 0);
	forum = db_int(q, 1) != 0;
	db_done(q);
	if (h->kind == NOTICE_POST && !forum) {
		h->unwanted++;
		return ERR_OK;
	}
	/* Their ids must not meet ours. */
	snprintf(
	    event, sizeof(event), "hook:%.*s", (int)h->event.n, h->event.p);
	snprintf(
	    thread, sizeof(thread), "hook:%.*s", (int)h->thread.n, h->thread.p);
	n.event = text_of(event);
	n.thread = text_of(thread);
	e = notice_put(tx, &n, &stored);
	if (e == ERR_OK && stored)
		h->stored++;
	return e;
}

static enum err
remember(struct store_tx *tx, const struct notice_hook *h)
{
	struct db_stmt *put;
	enum err e;

	put = db_stmt(tx->db, "DELETE FROM hook_event WHERE at < ?1");
	db_bind_int(put, 1, tx->now - KEPT_S);
	if ((e = db_run(put)) != ERR_OK)
		return e;
	put =
	    db_stmt(tx->db, "INSERT INTO hook_event(event, digest, at, stored)"
			    " VALUES(?1, ?2, ?3, ?4)");
	db_bind_text(put, 1, h->event);
	db_bind_z(put, 2, h->digest);
	db_bind_int(put, 3, tx->now);
	db_bind_int(put, 4, h->stored);
	return db_run(put);
}
