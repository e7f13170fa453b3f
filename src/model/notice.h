/*
 * notice - what a person is told: made once, listed, counted, read.
 *
 * Layer    model: base, port/db.
 * Memory   rows live in the given pool.
 * Threads  reading: the connection's thread; writing: inside store_write.
 *
 * The account row carries the number of unread notices and a revision that
 * rises with every change, so that pages and polls need no query of their
 * own to know that nothing is new.
 */
#ifndef PA_NOTICE_H
#define PA_NOTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/account.h"

struct db;
struct store_tx;

enum notice_kind {
	NOTICE_TA,     /* the AI TA has replied (ours, or another system's) */
	NOTICE_SORRY,  /* the AI TA could not reply */
	NOTICE_POST,   /* somebody has written in the forum */
	NOTICE_ANSWER, /* an awaited pair of answers is ready */
	NOTICE_OTHER,  /* another system has something to say */
	NOTICE_TEST,   /* asked for on /preferences */
	NOTICE__MAX
};

/* Unread notices that one thread may pile up for one person. */
#define NOTICE_THREAD_MAX 50
/* Notices that are kept for one person; older ones go. */
#define NOTICE_KEPT 1000

struct notice_new {
	int64_t account;
	enum notice_kind kind;
	struct text event;  /* the same event is told once */
	struct text thread; /* "topic:TOKEN", "ta:TOKEN", … */
	struct text url;    /* a path of ours, or https://… */
	struct text title;  /* may be empty */
	struct text who;    /* display name; may be empty */
};

/*
 * Tell one person.  *stored (may be NULL) is false when this event was told
 * before, when the thread has its fill of unread notices, or when the
 * account is erased; that is no failure.
 */
enum err notice_put(
    struct store_tx *tx, const struct notice_new *n, bool *stored) PA_MUST_USE;

struct notice {
	int64_t id;
	enum notice_kind kind;
	struct text thread, url, title, who;
	int64_t made_at;
	bool unread;
};

struct notice_page {
	const struct notice *rows; /* newest first */
	size_t n;
	int64_t older; /* `before` of the next page; 0: this was the last */
};

/*
 * Nobody is shown a notice of a topic that they may not read (any more):
 * hidden, or of an activity that is not for them.  who->teacher may.
 */

/* Those with id < before (0: from the newest), at most limit. */
enum err notice_list(struct db *db, struct pool *pool, const struct voter *who,
    int64_t before, int64_t limit, struct notice_page *out) PA_MUST_USE;

struct notice_news {
	const struct notice *rows; /* unread, newest first */
	size_t n;
	int64_t more;   /* further unread ones since then */
	int64_t latest; /* highest id of this person's notices; 0: none */
};

/* Unread ones with id > since, at most limit. */
enum err notice_since(struct db *db, struct pool *pool, const struct voter *who,
    int64_t since, int64_t limit, struct notice_news *out) PA_MUST_USE;

/* One of this person's.  ERR_NOTFOUND. */
enum err notice_load(struct db *db, struct pool *pool, const struct voter *who,
    int64_t id, struct notice *out) PA_MUST_USE;

/* Are there unread ones that are not shown, and have they read them: nobody
 * else could, and they would be counted for ever. */
enum err notice_withheld(
    struct db *db, const struct voter *who, bool *out) PA_MUST_USE;
enum err notice_withhold(
    struct store_tx *tx, const struct voter *who) PA_MUST_USE;

/* Is anything of that thread unread?  One indexed look-up. */
enum err notice_thread_unread(
    struct db *db, int64_t account, struct text thread, bool *out) PA_MUST_USE;

/* Mark as read: one (ERR_NOTFOUND), a thread, or all up to an id.  Harmless
 * when repeated. */
enum err notice_read_one(
    struct store_tx *tx, int64_t account, int64_t id) PA_MUST_USE;
enum err notice_read_thread(
    struct store_tx *tx, int64_t account, struct text thread) PA_MUST_USE;
enum err notice_read_all(
    struct store_tx *tx, int64_t account, int64_t upto) PA_MUST_USE;

/* How many things this person waits for: questions to the AI TA. */
enum err notice_awaited(
    struct db *db, int64_t account, int64_t *out) PA_MUST_USE;

/* What this person waits for changed, though no notice did. */
enum err notice_touch(struct store_tx *tx, int64_t account) PA_MUST_USE;

/* "ta", "post", "answer", "other", "test". */
const char *notice_kind_name(enum notice_kind k);
enum err notice_kind_parse(struct str s, enum notice_kind *out) PA_MUST_USE;

/* ---- other systems ---- */

#define NOTICE_HOOK_PEOPLE 200

struct notice_hook {
	struct text event;     /* their id for it */
	char digest[65];       /* of the whole message */
	const struct text *to; /* logins */
	size_t to_n;
	enum notice_kind kind;
	struct text thread, url, title, who;
	int64_t per_minute; /* most events a minute; 0: any */
	/* out: */
	int64_t stored, unknown, unwanted;
	bool repeated;
	bool late;     /* somebody has come since, and is still to be told */
	int64_t since; /* of a repeated one: when it was told first */
};

/*
 * Take an event over, once.  Repeated: only `stored` is told, and only
 * those are told who were unknown the first time.  ERR_CONFLICT: the same id
 * with other content; ERR_LIMIT. A notice of kind post respects its receiver's
 * forum switch (unwanted).
 */
enum err notice_hook(struct store_tx *tx, struct notice_hook *h) PA_MUST_USE;

/* The answer for an event that is already there, without writing.
 * ERR_NOTFOUND: it is new.  ERR_CONFLICT as above. */
enum err notice_hook_find(struct db *db, struct notice_hook *h) PA_MUST_USE;

#endif /* PA_NOTICE_H */
