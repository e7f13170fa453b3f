/* This file knows how to join a model server's base address and its path. */
#include "config.h"

#include "model/llm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TAIL "/chat/completions"
#define URL_MAX_BYTES 2000

static enum err refuse(char *why, size_t n, const char *fmt, ...)
    PA_PRINTF(3, 4);
static enum err check_host(struct str host, char *why, size_t n);
static void add_path(struct buf *out, struct str path);
static bool ends_with(struct str s, const char *z);
static bool has_scheme(struct str s, const char *scheme);

enum err
llm_url(struct text base, struct text query, struct buf *out, char *why,
    size_t why_n)
{
	struct str rest = str_trim((struct str){ base.p, base.n });
	struct str own_query = { NULL, 0 };
	struct str host;
	size_t i;
	size_t scheme = 0;
	enum err e;

	if (rest.n == 0 || rest.n > URL_MAX_BYTES)
		return refuse(why, why_n, "the address is empty or too long");
	for (i = 0; i < rest.n; i++) {
		unsigned char c = (unsigned char)rest.p[i];

		if (c <= 0x20 || c >= 0x7f || c == '\\' || c == '"')
			return refuse(why, why_n,
			    "the address holds a blank, "
			    "a control character or a "
			    "letter outside ASCII");
	}
	if (has_scheme(rest, "https://"))
		scheme = 8;
	else if (has_scheme(rest, "http://"))
		scheme = 7;
	else
		return refuse(why, why_n,
		    "the address must begin with http:// or https://");
	buf_z(out, scheme == 8 ? "https://" : "http://");
	rest = (struct str){ rest.p + scheme, rest.n - scheme };
	if (memchr(rest.p, '#', rest.n) != NULL)
		return refuse(why, why_n, "the address has a # in it");
	for (i = 0; i < rest.n && rest.p[i] != '/' && rest.p[i] != '?'; i++)
		;
	host = (struct str){ rest.p, i };
	e = check_host(host, why, why_n);
	if (e != ERR_OK)
		return e;
	buf_str(out, host);
	rest = (struct str){ rest.p + i, rest.n - i };
	own_query = rest;
	rest = str_cut(&own_query, '?');
	add_path(out, rest);
	if (own_query.p != NULL && own_query.n > 0) {
		buf_c(out, '?');
		buf_str(out, own_query);
	}
	if (query.p != NULL && query.n > 0) {
		buf_c(out, own_query.p != NULL && own_query.n > 0 ? '&' : '?');
		buf_add(out, query.p, query.n);
	}
	return out->failed ? ERR_NOMEM : ERR_OK;
}

static enum err
check_host(struct str host, char *why, size_t n)
{
	struct str port;
	int64_t number;
	size_t name = host.n;

	if (memchr(host.p, '@', host.n) != NULL)
		return refuse(why, n,
		    "a name or key may not stand in the "
		    "address; use key-file");
	if (host.n > 0 && host.p[0] == '[') {
		const char *close = memchr(host.p, ']', host.n);

		if (close == NULL)
			return refuse(why, n, "the address has [ without ]");
		name = (size_t)(close - host.p) + 1;
	} else {
		const char *colon = memchr(host.p, ':', host.n);

		if (colon != NULL)
			name = (size_t)(colon - host.p);
	}
	if (name == 0)
		return refuse(why, n, "the address names no server");
	if (name == host.n)
		return ERR_OK;
	port = (struct str){ host.p + name + 1, host.n - name - 1 };
	if (host.p[name] != ':' || str_int(port, 1, 65535, &number) != ERR_OK)
		return refuse(why, n,
		    "the port must be a number from 1 to "
		    "65535");
	return ERR_OK;
}

/*
 * One slash between segments, none at the end, /v1 once, and exactly one
 * /chat/completions.  A base without a path is taken as given.
 */
static void
add_path(struct buf *out, struct str path)
{
	struct str before = { NULL, 0 };
	struct str segment;
	size_t start = out->n;

	if (path.p == NULL)
		path = STR("");
	while (path.p != NULL) {
		segment = str_cut(&path, '/');
		if (segment.n == 0)
			continue;
		if (str_is(segment, "v1") && str_is(before, "v1"))
			continue;
		buf_c(out, '/');
		buf_str(out, segment);
		before = segment;
	}
	if (!ends_with((struct str){ out->p + start, out->n - start }, TAIL))
		buf_z(out, TAIL);
}

static bool
ends_with(struct str s, const char *z)
{
	size_t n = strlen(z);

	return s.n >= n && memcmp(s.p + s.n - n, z, n) == 0;
}

static bool
has_scheme(struct str s, const char *scheme)
{
	size_t n = strlen(scheme);

	return s.n >= n && strncasecmp(s.p, scheme, n) == 0;
}

static enum err
refuse(char *why, size_t n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, n, fmt, ap);
	va_end(ap);
	return ERR_INVALID;
}
