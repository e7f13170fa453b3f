/* This file knows how to read a request line into a path of clean words. */
#include "config.h"

#include "page/req.h"

#include <string.h>

#include "base/text.h"

static enum err parse_path(struct req *, struct str raw);
static enum err split(struct req *);
static enum err read_base(struct req *, struct str base);
static bool is_long(struct req *, struct str uri);
static bool is_astray(struct str path);
static bool has_hidden_slash(struct str raw);

enum err
req_parse(struct req *rq)
{
	struct str uri = req_param(rq, "REQUEST_URI");
	struct str scheme = req_param(rq, "REQUEST_SCHEME");
	struct str secure = req_param(rq, "HTTPS");
	struct str query;
	enum err e;

	rq->method_name = req_param(rq, "REQUEST_METHOD");
	rq->method = str_is(rq->method_name, "GET")    ? REQ_GET
		     : str_is(rq->method_name, "HEAD") ? REQ_HEAD
		     : str_is(rq->method_name, "POST") ? REQ_POST
						       : REQ_OTHER;
	rq->https = str_is(scheme, "https") || str_is(secure, "on");
	e = read_base(rq, req_param(rq, "PA_BASE"));
	if (is_long(rq, uri))
		return ERR_TOOBIG;
	if (e != ERR_OK)
		return e;
	query = uri;
	uri = str_cut(&query, '?');
	if ((e = parse_path(rq, uri)) != ERR_OK || (e = split(rq)) != ERR_OK)
		return e;
	return form_parse(rq->pool, query, &rq->query);
}

void
req_refused(struct req *rq, enum err e)
{
	/* Addresses come first: with a long one there is no room for more. */
	if (e == ERR_TOOBIG && !is_long(rq, req_param(rq, "REQUEST_URI")))
		rq->reason = "headers";
}

struct str
req_param(const struct req *rq, const char *name)
{
	struct str s = rq->source->param(rq->source->arg, name);

	if (s.n == 0)
		s.p = NULL;
	return s;
}

enum err
req_number(const struct req *rq, size_t i, int64_t *out)
{
	struct str s = { rq->seg[i].p, rq->seg[i].n };

	return str_int(s, 1, INT64_MAX, out) == ERR_OK ? ERR_OK : ERR_NOTFOUND;
}

void
req_problem(struct req *rq, const char *field, const char *what)
{
	req_problem_row(rq, field, what, NULL);
}

void
req_problem_row(
    struct req *rq, const char *field, const char *what, const void *row)
{
	if (rq->problems_n < REQ_PROBLEMS)
		rq->problems[rq->problems_n++] =
		    (struct req_problem){ field, what, row };
}

static bool
is_long(struct req *rq, struct str uri)
{
	if (uri.n <= REQ_URI_MAX)
		return false;
	rq->reason = "long_address";
	return true;
}

/*
 * Every link begins with the base: what is no path of this host ("//there"
 * is another one) is not taken, wherever a web server has it from.
 */
static enum err
read_base(struct req *rq, struct str base)
{
	rq->base = STR("");
	while (base.n > 0 && base.p[base.n - 1] == '/')
		base.n--;
	if (base.n == 0)
		return ERR_OK;
	if (base.p[0] != '/' || base.p[1] == '/')
		return ERR_INVALID;
	for (size_t i = 0; i < base.n; i++) {
		unsigned char c = (unsigned char)base.p[i];

		if (c <= 0x20 || c == 0x7f || strchr("\"\\?#<>%;", c) != NULL)
			return ERR_INVALID;
	}
	rq->base = base;
	return ERR_OK;
}

/* Decode once, then take the base path off. */
static enum err
parse_path(struct req *rq, struct str raw)
{
	struct str path;
	struct text clean;
	enum err e;

	if (raw.n == 0 || raw.p[0] != '/' || has_hidden_slash(raw))
		return ERR_INVALID;
	if ((e = form_unescape(rq->pool, raw, false, &path)) != ERR_OK)
		return e;
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c < 0x20 || c == 0x7f || c == '\\')
			return ERR_INVALID;
	}
	if ((e = text_input(rq->pool, path, REQ_URI_MAX, &clean)) != ERR_OK)
		return e;
	/* Nor is a path one that must be cleaned first. */
	if (clean.n != path.n || is_astray(path)) {
		rq->astray = true;
		return ERR_NOTFOUND;
	}
	path = (struct str){ clean.p, clean.n };
	if (rq->base.n > 0) {
		if (path.n < rq->base.n ||
		    memcmp(path.p, rq->base.p, rq->base.n) != 0)
			return ERR_NOTFOUND;
		path.p += rq->base.n;
		path.n -= rq->base.n;
		if (path.n == 0)
			path = STR("/");
	}
	if (path.p[0] != '/')
		return ERR_NOTFOUND;
	rq->path = path;
	return ERR_OK;
}

static enum err
split(struct req *rq)
{
	struct str rest = { rq->path.p + 1, rq->path.n - 1 };

	if (rest.n == 0)
		return ERR_OK;
	while (rest.p != NULL) {
		struct str one = str_cut(&rest, '/');

		if (rq->segs == REQ_SEGMENTS)
			return ERR_NOTFOUND;
		rq->seg[rq->segs++] = (struct text){ one.p, one.n };
	}
	return ERR_OK;
}

/* "//", "/." or "/.." anywhere but a single slash at the end. */
static bool
is_astray(struct str path)
{
	struct str rest = { path.p + 1, path.n - 1 };

	while (rest.p != NULL) {
		struct str one = str_cut(&rest, '/');

		if (str_is(one, ".") || str_is(one, "..") ||
		    (one.n == 0 && rest.p != NULL))
			return true;
	}
	return false;
}

/* "%2F" and "%5C": a slash that a proxy in front may have read otherwise. */
static bool
has_hidden_slash(struct str raw)
{
	for (size_t i = 0; i + 2 < raw.n; i++) {
		if (raw.p[i] != '%')
			continue;
		if (raw.p[i + 1] == '2' && (raw.p[i + 2] | 32) == 'f')
			return true;
		if (raw.p[i + 1] == '5' && (raw.p[i + 2] | 32) == 'c')
			return true;
	}
	return false;
}
