/*
 * auth - who is asking, what they may see, and whether they meant it.
 *
 * Layer    page: base, port/crypt, model.
 * Memory   results live in the request's pool.
 * Threads  pure, or one request.
 *
 * Members are named by the web server, in a parameter guarded by a shared
 * secret; guests by a cookie that we signed.  Nobody gets either by looking:
 * an account is made, and the cookie set, by a first POST.
 */
#ifndef PA_AUTH_H
#define PA_AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/account.h"
#include "model/conf.h"

struct req;

enum viewer_kind {
	VIEWER_NOBODY,
	VIEWER_GUEST,
	VIEWER_MEMBER
};

struct viewer {
	enum viewer_kind kind;
	struct text login, name; /* members; name may be absent */
	const struct text *groups;
	size_t groups_n;
	struct text noted;              /* the account's groups, as stored */
	unsigned roles;                 /* bit 1 << enum conf_role */
	int64_t account;                /* 0: none made yet */
	struct preferences preferences; /* of the account, or the defaults */
	int64_t unread, notice_rev;     /* of the account */
	struct str session;             /* what form tokens are bound to */
	bool alone; /* sent neither cookie nor sign-in: pages may be shared */
};

/*
 * Fill rq->viewer.  ERR_DENIED: a user's name came without the right secret
 * (rq->reason says so); ERR_INVALID: the name is not one.
 */
enum err auth_identify(struct req *rq) PA_MUST_USE;

/* May this viewer do what needs that role? */
bool auth_may(const struct req *rq, enum conf_role who);

/* The role a page needs: what arena.xml says of its family, else usual. */
enum conf_role auth_needs(
    const struct conf *conf, const char *page, enum conf_role usual);

/* Staff see boards before an activity has closed. */
bool auth_is_staff(const struct req *rq);

/*
 * Is this POST the viewer's own doing?  ERR_DENIED (rq->reason set) when the
 * browser says that it came from elsewhere, or the form token is not theirs.
 */
enum err auth_check_post(struct req *rq) PA_MUST_USE;

/* Does the browser say that this came from a page of ours, or say nothing? */
bool auth_from_here(const struct req *rq);

/*
 * Have an account: makes it when this is the viewer's first POST, and sets
 * the guest's cookie then.  ERR_SIGNIN when guests are not wanted;
 * ERR_DENIED for a form whose token does not fit.
 */
enum err auth_ensure_account(struct req *rq) PA_MUST_USE;

/*
 * Somebody who has signed in has an account from the first page of theirs
 * on, so that others can tell them something before they write anything;
 * when the web server names other groups than it did, they are noted, and
 * what is told of topics that are no longer theirs is taken back.  Writes
 * when something is new; a store that cannot be written costs nobody the page.
 */
void auth_first_sight(struct req *rq);

/* Read the account's row anew, after something on this page changed it. */
enum err auth_refresh(struct req *rq) PA_MUST_USE;

/* A short name that parts people who share a browser; absent: nobody. */
struct text auth_person(const struct req *rq);

/* The viewer as the model's pairing knows people. */
struct voter auth_voter(const struct req *rq);

/* ---- the pure parts, for tests ---- */

/*
 * The rule of header-only protection (Go 1.25, CrossOriginProtection): what
 * Sec-Fetch-Site says decides; without it the Origin's host must be ours
 * (that of `origin` in arena.xml, or the Host header's); without both,
 * nothing speaks against it.
 */
bool auth_origin_ok(struct str fetch_site, struct str origin, struct str host,
    struct text own_origin);

/* The one cookie of that name; absent when there is none, or more. */
struct str auth_cookie(struct str header, const char *name);

#endif /* PA_AUTH_H */
