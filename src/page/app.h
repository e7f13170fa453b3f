/*
 * app - what a request finds when it arrives.
 *
 * Layer    page.
 * Memory   a site lives as long as the program; an app (one reading of the
 *          configuration, the templates and the institution's own texts) is
 *          counted and freed by the last request that used it.
 * Threads  a site is shared: its app is swapped whole under a lock, all the
 *          rest is safe from any thread.
 */
#ifndef PA_APP_H
#define PA_APP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/deck.h"
#include "page/again.h"
#include "port/crypt.h"
#include "port/markdown.h"

struct board_cache;
struct buf;
struct conf;
struct db;
struct debuts;
struct problems;
struct req;
struct req_source;
struct route;
struct standing;
struct store;
struct totals;
struct view_set;
struct works;

struct app {
	atomic_int refs;
	struct pool *pool;
	struct conf *conf;       /* owned */
	struct view_set *views;  /* owned */
	const char **langs;      /* NULL-ended; the first is "en" */
	struct str *last_resort; /* [lang]: the page when none can be made */
	struct str worker;       /* sw.js */
	struct markup privacy, accessibility; /* absent: ours */
};

#define SITE_CLASSES 6

struct site_seats {
	int64_t busy, waiting, shed, timed_out;
};

struct site {
	const struct route *routes;
	struct store *store; /* borrowed */
	struct deck_holder decks;
	struct totals *totals;
	struct debuts *debuts;
	struct board_cache *boards;
	struct standing *standing;
	struct works *works; /* borrowed; NULL: nothing is generated here */
	struct crypt_key form_key, guest_key;
	struct again again;
	/* How the seats for requests are taken; NULL: not known. */
	void (*seats)(void *ctx, struct site_seats *out);
	void *seats_ctx;
	atomic_ullong answered[SITE_CLASSES]; /* by first digit of status */
	pthread_mutex_t lock;
	struct app *app;
};

/*
 * Make an app from conf, which it takes over (also on failure).  Faults of
 * templates and texts become problems; ERR_SYNTAX or ERR_CONFIG then.
 */
enum err app_open(
    struct app **out, struct conf *conf, struct problems *ps) PA_MUST_USE;
void app_put(struct app *a);

/* As app_open, to see whether it would work. */
enum err app_check(struct conf *conf, struct problems *ps) PA_MUST_USE;

/*
 * Bring a site to life: keys (made at first start, in the 0600 file
 * key_path), the deck, the totals.  Takes over first.  The store is open and
 * the catalog is in it.
 */
enum err site_open(struct site *s, const struct route *routes,
    struct store *store, struct app *first, const char *key_path) PA_MUST_USE;
void site_close(struct site *s);

/* The app in force, to be given back with app_put. */
struct app *site_app(struct site *s);

/* Put next in force (taken over) and make the deck anew. */
enum err site_swap(struct site *s, struct app *next) PA_MUST_USE;

/* Make the deck anew: answers have come, or are no longer shown. */
enum err site_renew(struct site *s) PA_MUST_USE;

/*
 * Answer one request.  refused: what the port said about a request that it
 * would not read (ERR_OK: nothing).  db: the worker's reading connection;
 * out: its buffer, emptied here.  When this returns rq->resp and *out are
 * complete, always.  They may borrow from the site's app until site_answered,
 * which therefore comes after they have been sent.
 */
void site_answer(struct site *s, struct db *db, struct pool *pool,
    struct buf *out, const struct req_source *source, enum err refused,
    struct req *rq);

/* Give back what the answer borrowed. */
void site_answered(struct req *rq);

#endif /* PA_APP_H */
