/* This file knows how to complete an answer: headers, errors, last resort. */
#include "config.h"

#include "page/resp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "page/app.h"
#include "page/error.h"
#include "page/frame.h"
#include "page/req.h"
#include "page/route.h"
#include "port/crypt.h"
#include "view/view.h"

#define HEADER_MAX 8192
#define XHTML "application/xhtml+xml; charset=utf-8"

static void last_resort(struct req *, int status);
static void keep_headers(struct resp *);
static void add_security(struct req *);
static void add_caching(struct req *);
static void check_etag(struct req *);
static bool is_shared(const struct req *);
static enum err render(struct req *, enum page_id, const void *row);

/* Places of two of them. */
enum {
	POLICY = 0,
	EMBEDDING = 5
};

/* What goes on every answer, whatever it is. */
static const struct {
	const char *name, *value;
} security[] = {
	{ "Content-Security-Policy",
	    "default-src 'none'; script-src 'self'; style-src 'self'; "
	    "img-src 'self'; font-src 'self'; media-src 'self'; "
	    "connect-src 'self'; worker-src 'self'; form-action 'self'; "
	    "base-uri 'none'; "
	    "frame-ancestors 'none'; object-src 'none'; "
	    "require-trusted-types-for 'script'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Referrer-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Permissions-Policy",
	    "camera=(), geolocation=(), microphone=(), payment=(), usb=()" },
};

static const struct {
	int status;
	const char *words;
} statuses[] = {
	{ 200, "OK" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 413, "Content Too Large" },
	{ 429, "Too Many Requests" },
	{ 500, "Internal Server Error" },
	{ 503, "Service Unavailable" },
};

void
resp_header(struct req *rq, const char *name, struct str value)
{
	struct resp *r = &rq->resp;
	bool bad = value.n > HEADER_MAX || r->headers_n == RESP_HEADERS ||
		   strncasecmp(name, "X-Accel-", 8) == 0;

	for (size_t i = 0; i < value.n && !bad; i++) {
		unsigned char c = (unsigned char)value.p[i];

		bad = c < 0x20 || c == 0x7f;
	}
	if (bad) {
		log_error(
		    "the header %s has a value that cannot be sent", name);
		r->failed = true;
		return;
	}
	r->headers[r->headers_n++] =
	    (struct resp_header){ str_of(name), value };
}

enum err
resp_page(struct req *rq, enum page_id page, const void *row)
{
	return resp_page_status(rq, 200, page, row);
}

enum err
resp_page_status(struct req *rq, int status, enum page_id page, const void *row)
{
	enum err e = render(rq, page, row);

	if (e != ERR_OK)
		return e;
	rq->resp.status = status;
	resp_header(rq, "Content-Type", STR(XHTML));
	if (page_is_private(page))
		resp_header(rq, "X-Robots-Tag", STR("noindex, nofollow"));
	return ERR_OK;
}

enum err
resp_picture(struct req *rq, enum page_id page, const void *row)
{
	enum err e = render(rq, page, row);

	if (e != ERR_OK)
		return e;
	rq->resp.status = 200;
	rq->resp.picture = rq->resp.has_etag = true;
	resp_header(rq, "Content-Type", STR("image/svg+xml"));
	return ERR_OK;
}

enum err
resp_feed(struct req *rq, enum page_id page, const void *row)
{
	const struct text *lang = &rq->conf->lang;
	enum err e;

	/* Programs fetch it, for many people: it has the site's language. */
	rq->lang =
	    view_lang_pick(rq->app->views, (struct str){ lang->p, lang->n });
	if (rq->lang < 0)
		rq->lang = 0;
	e = render(rq, page, row);
	if (e != ERR_OK)
		return e;
	rq->resp.status = 200;
	rq->resp.has_etag = true;
	resp_header(
	    rq, "Content-Type", STR("application/atom+xml; charset=utf-8"));
	return ERR_OK;
}

/* The template, filled, into the answer's body. */
static enum err
render(struct req *rq, enum page_id page, const void *row)
{
	struct frame frame;
	struct view_call call = { .page = &page_table[page],
		.lang = rq->lang,
		.base = rq->base,
		.row = row,
		.frame = &frame };
	enum err e = frame_fill(rq, page, &frame);

	if (e != ERR_OK)
		return e;
	buf_clear(rq->out);
	e = view_render(rq->app->views, &call, rq->out);
	if (e != ERR_OK) {
		log_error("the page %s could not be made: %s",
		    page_table[page].file, err_name(e));
		return e;
	}
	resp_header(rq, "Content-Language",
	    str_of(view_lang_name(rq->app->views, rq->lang)));
	return ERR_OK;
}

enum err
resp_see_other(struct req *rq, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path) || path[0] != '/')
		return ERR_INTERNAL;
	buf_clear(rq->out);
	rq->resp.status = 303;
	rq->resp.bodyless = true;
	resp_header(rq, "Location",
	    pool_printf(rq->pool, "%.*s%s", (int)rq->base.n, rq->base.p, path));
	return ERR_OK;
}

enum err
resp_data(struct req *rq, const char *type, const char *disposition)
{
	rq->resp.status = 200;
	rq->resp.has_etag = rq->resp.more == NULL;
	resp_header(rq, "Content-Type", str_of(type));
	if (disposition != NULL)
		resp_header(rq, "Content-Disposition",
		    pool_printf(
			rq->pool, "attachment; filename=\"%s\"", disposition));
	return ERR_OK;
}

void
resp_error(struct req *rq, enum err e)
{
	struct error_words words = error_words(e, rq->reason);
	enum err made;

	keep_headers(&rq->resp);
	rq->problems_n = 0;
	rq->done = NULL;
	if (words.status >= 500)
		log_warning("answered %d (%s)", words.status, err_name(e));
	if (words.status == 503)
		resp_header(rq, "Retry-After", STR("5"));
	made = pool_failed(rq->pool) ? ERR_NOMEM : error_page(rq, &words);
	if (made != ERR_OK)
		last_resort(rq, words.status);
}

void
resp_finish(struct req *rq)
{
	struct resp *r = &rq->resp;

	if (r->failed || rq->out->failed || r->status == 0) {
		log_error("an answer could not be completed");
		last_resort(rq, 500);
	}
	if (r->has_etag && r->status == 200)
		check_etag(rq);
	if (r->bodyless)
		buf_clear(rq->out);
	add_caching(rq);
	add_security(rq);
}

const char *
resp_status_words(int status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		if (statuses[i].status == status)
			return statuses[i].words;
	}
	return "Status";
}

/* A page that needs no template, no memory and no database. */
static void
last_resort(struct req *rq, int status)
{
	rq->resp = (struct resp){ .status = status };
	buf_clear(rq->out);
	buf_str(rq->out, rq->app->last_resort[rq->lang]);
	resp_header(rq, "Content-Type", STR(XHTML));
}

/* Of a half-built answer only what is true of its error page as well. */
static void
keep_headers(struct resp *r)
{
	struct resp kept = { 0 };

	for (size_t i = 0; i < r->headers_n; i++) {
		if (str_is(r->headers[i].name, "Set-Cookie") ||
		    str_is(r->headers[i].name, "Allow"))
			kept.headers[kept.headers_n++] = r->headers[i];
	}
	*r = kept;
}

static void
add_security(struct req *rq)
{
	for (size_t i = 0; i < sizeof(security) / sizeof(*security); i++) {
		const char *value = security[i].value;

		/* Nothing in a picture runs or loads; others may show it. */
		if (rq->resp.picture && i == POLICY)
			value = "default-src 'none'; style-src 'unsafe-inline'";
		if (rq->resp.picture && i == EMBEDDING)
			value = "cross-origin";
		resp_header(rq, security[i].name, str_of(value));
	}
	if (rq->https)
		resp_header(
		    rq, "Strict-Transport-Security", STR("max-age=31536000"));
}

/* Nothing is kept by anybody unless it is the same for every visitor. */
static void
add_caching(struct req *rq)
{
	if (is_shared(rq)) {
		resp_header(rq, "Cache-Control", STR("public, max-age=1"));
		resp_header(rq, "Vary", STR("Accept-Language"));
	} else {
		resp_header(rq, "Cache-Control", STR("private, no-store"));
	}
}

static bool
is_shared(const struct req *rq)
{
	return rq->route != NULL && rq->route->shared && rq->viewer.alone &&
	       rq->method != REQ_POST &&
	       (rq->resp.status == 200 || rq->resp.status == 304);
}

static void
check_etag(struct req *rq)
{
	char hex[CRYPT_HEX + 1];
	struct str asked = req_param(rq, "HTTP_IF_NONE_MATCH"), tag;

	crypt_sha256_hex(buf_as_str(rq->out), hex);
	hex[32] = '\0';
	tag = pool_printf(rq->pool, "\"%s\"", hex);
	resp_header(rq, "ETag", tag);
	/* A compressing web server makes it weak: W/"..." is ours as well. */
	if (str_is(str_trim(asked), "*") ||
	    (asked.n >= tag.n && memmem(asked.p, asked.n, tag.p, tag.n))) {
		rq->resp.status = 304;
		rq->resp.bodyless = true;
	}
}
