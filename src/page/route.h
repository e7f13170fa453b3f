/*
 * route - which handler answers which method and path, and for whom.
 *
 * Layer    page.
 * Memory   tables are const.
 * Threads  pure.
 *
 * One table (src/cmd/route.c) says everything: dispatch, navigation and the
 * 405 answer are made from it, so that they cannot drift apart.
 */
#ifndef PA_ROUTE_H
#define PA_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "model/conf.h"

struct req;

/* Answer rq.  What is not ERR_OK becomes the page for that error. */
typedef enum err route_handler(struct req *rq);

enum route_place { /* where a link to it stands, if anywhere */
	ROUTE_NOWHERE,
	ROUTE_MAIN,
	ROUTE_PERSONAL, /* only for those who have signed in, and guests */
	ROUTE_FOOT,
	ROUTE_STAFF /* in the footer, apart: for teachers and administrators */
};

/* The family of addresses that programs post to: what they send is no form
 * and carries no form token; each handler has a secret of its own. */
#define ROUTE_HOOK "hooks"

struct route {
	const char *method;  /* "GET" (answers HEAD too) or "POST"; NULL ends */
	const char *pattern; /* "/match/+/result": + is one segment */
	route_handler *handler;
	const char *page;   /* family, as <access> in arena.xml names it */
	enum conf_role who; /* unless arena.xml says otherwise */
	enum route_place place;
	const char *label; /* message id of its link */
	size_t body;       /* most bytes of a POST */
	bool shared;       /* the same for every visitor: may be cached */
	/*
	 * The field of a POST in which people write, or NULL.  What stands in
	 * it is kept when the request is refused, and a form with a token that
	 * does not fit still reaches its handler (see req.stale), which must
	 * show the form again when there is a problem, before it does anything.
	 */
	const char *typed;
};

/*
 * The route for that method ("HEAD" counts as GET) and path.  ERR_NOTFOUND:
 * no route has that path; ERR_METHOD: it has other methods, which are listed
 * in allow ("GET, HEAD, POST").
 */
enum err route_find(const struct route *table, struct str method,
    struct str path, const struct route **out, char *allow,
    size_t allow_n) PA_MUST_USE;

/* True when path fits pattern. */
bool route_fits(const char *pattern, struct str path);

#endif /* PA_ROUTE_H */
