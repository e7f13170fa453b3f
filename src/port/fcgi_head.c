/* This file knows how to write the header lines of an answer. */
#include "config.h"

#include "port/fcgi_head.h"

#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "port/fcgi.h"

static bool is_fit(const struct fcgi_header *);

enum err
fcgi_head(struct buf *b, const struct reply *r, bool with_length)
{
	buf_clear(b);
	buf_printf(b, "Status: %d %s\r\n", r->status, fcgi_reason(r->status));
	for (size_t i = 0; i < r->headers_n; i++) {
		const struct fcgi_header *h = &r->headers[i];

		if (!is_fit(h)) {
			log_error("the header %s cannot be sent", h->name);
			return ERR_INTERNAL;
		}
		buf_z(b, h->name);
		buf_z(b, ": ");
		buf_str(b, h->value);
		buf_z(b, "\r\n");
	}
	if (with_length && r->status != 204 && r->status != 304)
		buf_printf(b, "Content-Length: %zu\r\n", r->body.n);
	buf_z(b, "\r\n");
	if (b->failed) {
		log_error("over %zu bytes of headers", b->max);
		return ERR_INTERNAL;
	}
	return ERR_OK;
}

const char *
fcgi_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} table[] = { { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" },
		{ 204, "No Content" }, { 301, "Moved Permanently" },
		{ 302, "Found" }, { 303, "See Other" }, { 304, "Not Modified" },
		{ 307, "Temporary Redirect" }, { 308, "Permanent Redirect" },
		{ 400, "Bad Request" }, { 401, "Unauthorized" },
		{ 403, "Forbidden" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 406, "Not Acceptable" },
		{ 409, "Conflict" }, { 410, "Gone" },
		{ 411, "Length Required" }, { 413, "Content Too Large" },
		{ 414, "URI Too Long" }, { 415, "Unsupported Media Type" },
		{ 422, "Unprocessable Content" }, { 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" }, { 501, "Not Implemented" },
		{ 502, "Bad Gateway" }, { 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" }, { 507, "Insufficient Storage" } };

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (table[i].status == status)
			return table[i].reason;
	}
	return "Unknown";
}

/* A header that says one thing, to the web server and the browser alike. */
static bool
is_fit(const struct fcgi_header *h)
{
	static const char token[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	size_t n = strlen(h->name);

	if (n == 0 || strspn(h->name, token) != n)
		return false;
	if (strncasecmp(h->name, "X-Accel-", 8) == 0 &&
	    strcasecmp(h->name, "X-Accel-Buffering") != 0)
		return false; /* would command the web server */
	if (strcasecmp(h->name, "Status") == 0 ||
	    strcasecmp(h->name, "Content-Length") == 0)
		return false; /* ours to say */
	for (size_t i = 0; i < h->value.n; i++) {
		unsigned char c = (unsigned char)h->value.p[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return h->value.p != NULL;
}
