/* This file knows how to tell who is asking, and whether they meant it. */
#include "config.h"

#include "page/auth.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "model/notice.h"
#include "model/store.h"
#include "page/app.h"
#include "page/req.h"
#include "page/route.h"
#include "port/crypt.h"

#define LOGIN_MAX 128
#define NAME_MAX_CHARS 128
#define GROUPS_MAX 64
#define GUEST_DAYS 180

static enum err identify_member(struct req *, struct str user);
static enum err identify_guest(struct req *);
static enum err read_groups(struct req *, struct str list);
static unsigned roles_of(const struct req *);
static const char *cookie_name(const struct req *);
static enum err set_guest_cookie(struct req *, int64_t id);
static struct str host_of(struct str origin);
static enum err read_login(struct req *, struct str, struct text *);
static struct text display_name(struct req *, struct str);

enum err
auth_identify(struct req *rq)
{
	struct viewer *v = &rq->viewer;
	const char *parameter = rq->conf->user_parameter.p;
	struct str user;
	enum err e;

	*v = (struct viewer){ .preferences = PREFERENCES_DEFAULT };
	v->roles = 1u << ROLE_ANYONE;
	user = req_param(rq, parameter != NULL ? parameter : "PA_USER");
	if (user.p == NULL)
		e = identify_guest(rq);
	else
		e = rq->astray ? ERR_OK : identify_member(rq, user);
	if (e != ERR_OK)
		return e;
	v->roles |= roles_of(rq);
	v->alone = v->kind == VIEWER_NOBODY &&
		   req_param(rq, "HTTP_COOKIE").p == NULL &&
		   req_param(rq, "HTTP_AUTHORIZATION").p == NULL;
	return ERR_OK;
}

bool
auth_may(const struct req *rq, enum conf_role who)
{
	return (rq->viewer.roles & (1u << who)) != 0;
}

enum conf_role
auth_needs(const struct conf *conf, const char *page, enum conf_role usual)
{
	for (size_t i = 0; i < conf->access_n; i++) {
		struct text t = conf->access[i].page;

		if (str_is((struct str){ t.p, t.n }, page))
			return conf->access[i].who;
	}
	return usual;
}

bool
auth_is_staff(const struct req *rq)
{
	return auth_may(rq, ROLE_TEACHER) || auth_may(rq, ROLE_RESEARCHER);
}

enum err
auth_check_post(struct req *rq)
{
	struct text token;
	enum err e;

	if (!auth_from_here(rq)) {
		log_notice("a form was posted from another site: refused");
		rq->reason = "foreign_form";
		return ERR_DENIED;
	}
	if ((e = form_one(&rq->form, "csrf", &token)) != ERR_OK)
		return e;
	if (rq->viewer.session.p == NULL)
		return ERR_OK; /* nobody yet: there is nothing to misuse */
	if (!crypt_csrf_ok(&rq->site->form_key, rq->viewer.session,
		(struct str){ token.p, token.n })) {
		log_notice("a form came without its token: refused");
		rq->reason = "old_form";
		return ERR_DENIED;
	}
	return ERR_OK;
}

bool
auth_from_here(const struct req *rq)
{
	return auth_origin_ok(req_param(rq, "HTTP_SEC_FETCH_SITE"),
	    req_param(rq, "HTTP_ORIGIN"), req_param(rq, "HTTP_HOST"),
	    rq->conf->origin);
}

struct ensure_args {
	struct text login, name;
	int64_t id;
};

static enum err
ensure_member_fn(struct store_tx *tx, void *arg)
{
	struct ensure_args *a = arg;

	return account_ensure(tx, a->login, a->name, &a->id);
}

static enum err
ensure_guest_fn(struct store_tx *tx, void *arg)
{
	struct ensure_args *a = arg;

	return account_make_guest(tx, &a->id);
}

enum err
auth_ensure_account(struct req *rq)
{
	struct viewer *v = &rq->viewer;
	struct ensure_args args = { v->login, v->name, 0 };
	enum err e;

	if (rq->stale) {
		rq->reason = "old_form";
		return ERR_DENIED;
	}
	if (v->account != 0)
		return ERR_OK;
	if (v->kind == VIEWER_MEMBER) {
		e = store_write(rq->site->store, ensure_member_fn, &args);
	} else {
		if (!rq->conf->guests)
			return ERR_SIGNIN;
		e = store_write(rq->site->store, ensure_guest_fn, &args);
	}
	if (e != ERR_OK)
		return e;
	v->account = args.id;
	if (v->kind == VIEWER_NOBODY) {
		v->kind = VIEWER_GUEST;
		return set_guest_cookie(rq, args.id);
	}
	return ERR_OK;
}

static enum err
first_sight_fn(struct store_tx *tx, void *arg)
{
	const struct voter *who = arg;
	enum err e = account_note_groups(tx, who);

	return e == ERR_OK ? notice_withhold(tx, who) : e;
}

void
auth_first_sight(struct req *rq)
{
	bool first = rq->viewer.account == 0;
	char groups[ACCOUNT_GROUPS];
	struct voter who;

	if (rq->viewer.kind != VIEWER_MEMBER ||
	    (first && auth_ensure_account(rq) != ERR_OK))
		return;
	who = auth_voter(rq);
	account_groups(&who, groups);
	if (!first &&
	    str_is(
		(struct str){ rq->viewer.noted.p, rq->viewer.noted.n }, groups))
		return;
	if (store_write(rq->site->store, first_sight_fn, &who) == ERR_OK)
		(void)!auth_refresh(rq);
}

enum err
auth_refresh(struct req *rq)
{
	struct account account;
	enum err e =
	    account_load(rq->db, rq->pool, rq->viewer.account, &account);

	if (e != ERR_OK)
		return e;
	rq->viewer.preferences = account.preferences;
	rq->viewer.unread = account.unread;
	rq->viewer.notice_rev = account.notice_rev;
	return ERR_OK;
}

struct text
auth_person(const struct req *rq)
{
	const struct viewer *v = &rq->viewer;
	struct str s;

	if (v->kind == VIEWER_NOBODY)
		return (struct text){ NULL, 0 };
	/* Not by the account: a first POST makes it while pages are open. */
	s = v->kind == VIEWER_MEMBER
		? pool_printf(rq->pool, "m:%.*s", (int)v->login.n, v->login.p)
		: pool_printf(rq->pool, "g:%lld", (long long)v->account);
	return (struct text){ s.p, s.n };
}

struct voter
auth_voter(const struct req *rq)
{
	return (struct voter){ .account = rq->viewer.account,
		.login = rq->viewer.login,
		.groups = rq->viewer.groups,
		.groups_n = rq->viewer.groups_n,
		.teacher = auth_may(rq, ROLE_TEACHER) };
}

bool
auth_origin_ok(struct str fetch_site, struct str origin, struct str host,
    struct text own_origin)
{
	struct str own = { own_origin.p, own_origin.n };

	if (fetch_site.n > 0)
		return str_is(fetch_site, "same-origin") ||
		       str_is(fetch_site, "none");
	if (origin.n == 0)
		return true;
	origin = host_of(origin);
	if (origin.n == 0)
		return false;
	if (own.n > 0 && str_eq(origin, host_of(own)))
		return true;
	return host.n > 0 && str_eq(origin, host);
}

struct str
auth_cookie(struct str header, const char *name)
{
	struct str found = { NULL, 0 };

	while (header.p != NULL) {
		struct str value = str_trim(str_cut(&header, ';'));
		struct str key = str_cut(&value, '=');

		if (value.p == NULL || !str_is(key, name))
			continue;
		if (found.p != NULL)
			return (struct str){ NULL, 0 };
		found = value;
	}
	return found;
}

/* A name counts only beside the secret that web server and we share. */
static enum err
identify_member(struct req *rq, struct str user)
{
	struct viewer *v = &rq->viewer;
	struct str want = { rq->conf->secret.p, rq->conf->secret.n };
	struct account account;
	enum err e;

	if (want.n == 0 || !str_eq_secret(req_param(rq, "PA_SECRET"), want)) {
		log_warning("%s came without the right PA_SECRET: refused",
		    rq->conf->user_parameter.p);
		rq->reason = "identity";
		return ERR_DENIED;
	}
	if ((e = read_login(rq, user, &v->login)) != ERR_OK ||
	    (e = read_groups(rq, req_param(rq, "PA_GROUPS"))) != ERR_OK)
		return e;
	v->name = display_name(rq, req_param(rq, "PA_NAME"));
	v->kind = VIEWER_MEMBER;
	v->session = pool_printf(rq->pool, "member:%s", v->login.p);
	e = account_find(rq->db, rq->pool, v->login, &account);
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	v->account = account.id;
	v->preferences = account.preferences;
	v->unread = account.unread;
	v->notice_rev = account.notice_rev;
	v->noted = account.groups;
	return ERR_OK;
}

/* Whoever has no cookie of ours is nobody, which is no error. */
static enum err
identify_guest(struct req *rq)
{
	struct viewer *v = &rq->viewer;
	struct str cookie =
	    auth_cookie(req_param(rq, "HTTP_COOKIE"), cookie_name(rq));
	struct account account;
	struct str who, number;
	int64_t id, issued;
	enum err e;

	if (!rq->conf->guests || cookie.p == NULL ||
	    crypt_cookie_parse(&rq->site->guest_key, cookie, &who, &issued) !=
		ERR_OK ||
	    issued + (int64_t)GUEST_DAYS * 86400 < rq->now)
		return ERR_OK;
	/*
	 * "7x" and the account's mark.  A number alone proves nothing: after an
	 * older database was put back, somebody else has it.
	 */
	number = str_cut(&who, 'x');
	if (str_int(number, 1, INT64_MAX, &id) != ERR_OK)
		return ERR_OK;
	e = account_find_guest(rq->db, rq->pool, id, who, &account);
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	v->kind = VIEWER_GUEST;
	v->account = account.id;
	v->preferences = account.preferences;
	v->unread = account.unread;
	v->notice_rev = account.notice_rev;
	v->session = pool_printf(
	    rq->pool, "guest:%.*s.%lld", (int)who.n, who.p, (long long)issued);
	return ERR_OK;
}

/*
 * A login is taken to the byte or not at all: were it cleaned, "ad", a
 * zero-width space and "min" would sign in as admin.
 */
static enum err
read_login(struct req *rq, struct str s, struct text *out)
{
	struct text t;
	enum err e;

	if ((e = text_input(rq->pool, s, LOGIN_MAX, &t)) != ERR_OK)
		return e == ERR_TOOBIG ? ERR_INVALID : e;
	if (!text_is_clean(s) || text_is_blank(t) ||
	    memchr(t.p, '\n', t.n) != NULL)
		return ERR_INVALID;
	*out = (struct text){ pool_str(rq->pool, (struct str){ t.p, t.n }).p,
		t.n };
	return ERR_OK;
}

/* Only for the eye, so a directory's odd entry keeps nobody out. */
static struct text
display_name(struct req *rq, struct str s)
{
	struct text none = { NULL, 0 };
	struct text t;
	char *line;

	if (s.p == NULL)
		return none;
	t = text_cut(text_clean(rq->pool, s), NAME_MAX_CHARS);
	if (t.p == NULL || text_is_blank(t))
		return none;
	if ((line = pool_alloc(rq->pool, t.n + 1)) == NULL)
		return none;
	for (size_t i = 0; i < t.n; i++)
		line[i] = t.p[i] == '\n' || t.p[i] == '\t' ? ' ' : t.p[i];
	line[t.n] = '\0';
	return (struct text){ line, t.n };
}

/* Separated by commas, semicolons or blanks: web servers differ. */
static enum err
read_groups(struct req *rq, struct str list)
{
	struct text *groups;
	size_t n = 0;

	if (list.p == NULL)
		return ERR_OK;
	groups = pool_array(rq->pool, GROUPS_MAX, sizeof(*groups));
	if (groups == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < list.n && n < GROUPS_MAX;) {
		size_t end = i;

		while (end < list.n && strchr(",; ", list.p[end]) == NULL)
			end++;
		/* As for logins: one that had to be cleaned is another. */
		if (end > i &&
		    text_is_clean((struct str){ list.p + i, end - i }))
			groups[n++] = text_clean(
			    rq->pool, (struct str){ list.p + i, end - i });
		i = end + 1;
	}
	rq->viewer.groups = groups;
	rq->viewer.groups_n = n;
	return ERR_OK;
}

static bool
grant_fits(const struct conf_grant *g, const struct viewer *v)
{
	struct str user = { g->user.p, g->user.n };
	struct str group = { g->group.p, g->group.n };

	if (user.p != NULL &&
	    str_eq(user, (struct str){ v->login.p, v->login.n }))
		return true;
	for (size_t i = 0; group.p != NULL && i < v->groups_n; i++) {
		if (str_eq(
			group, (struct str){ v->groups[i].p, v->groups[i].n }))
			return true;
	}
	return false;
}

/* An administrator has every role; nobody else has one by another. */
static unsigned
roles_of(const struct req *rq)
{
	const struct viewer *v = &rq->viewer;
	unsigned roles = 0;

	if (v->kind == VIEWER_MEMBER || rq->conf->guests)
		roles |= 1u << ROLE_VOTER;
	if (v->kind != VIEWER_MEMBER)
		return roles;
	for (size_t i = 0; i < rq->conf->grants_n; i++) {
		if (grant_fits(&rq->conf->grants[i], v))
			roles |= 1u << rq->conf->grants[i].role;
	}
	if (roles & (1u << ROLE_ADMIN))
		roles |= 1u << ROLE_TEACHER | 1u << ROLE_RESEARCHER;
	return roles;
}

/* Only TLS can keep the promises of the __Host- prefix. */
static const char *
cookie_name(const struct req *rq)
{
	return rq->https ? "__Host-arena" : "arena";
}

static enum err
set_guest_cookie(struct req *rq, int64_t id)
{
	char value[CRYPT_COOKIE_LEN_MAX + 1], mark[ACCOUNT_MARK + 1];
	char who[24 + ACCOUNT_MARK];
	struct str path = rq->https ? STR("") : rq->base;
	struct str line;
	enum err e;

	if ((e = account_mark(rq->db, id, mark)) != ERR_OK)
		return e;
	(void)snprintf(who, sizeof(who), "%lldx%s", (long long)id, mark);
	crypt_cookie_make(&rq->site->guest_key, str_of(who), rq->now, value);
	line = pool_printf(rq->pool,
	    "%s=%s; Path=%.*s/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
	    cookie_name(rq), value, (int)path.n, path.p, GUEST_DAYS * 86400,
	    rq->https ? "; Secure" : "");
	resp_header(rq, "Set-Cookie", line);
	return ERR_OK;
}

/* "https://arena.example:8443" → "arena.example:8443"; absent if none. */
static struct str
host_of(struct str origin)
{
	static const char *const schemes[] = { "https://", "http://" };

	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(schemes[i]);

		if (str_starts(origin, schemes[i]))
			return (struct str){ origin.p + n, origin.n - n };
	}
	return (struct str){ NULL, 0 };
}
