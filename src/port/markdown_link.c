/*
 * This file knows how to write a link that leads only where it may, and that
 * says where it leads.
 */
#include "config.h"

#include "port/markdown_parts.h"

#include <string.h>
#include <strings.h>

#include <cmark-gfm.h>

#define HOST_MAX 100

enum link {
	LINK_NONE,
	LINK_LOCAL,
	LINK_MAIL,
	LINK_WEB
};

static enum link link_of(struct render *r, cmark_node *node, struct str *url);
static void put_open(struct render *r, struct str url);
static size_t bare_address(struct str s, size_t i);
static size_t scheme_length(const char *p, size_t left);
static size_t without_end(const char *p, size_t n);
static bool is_alnum(char c);
static void put_address(struct render *r, struct str url);
static struct str host_of(struct str url);
static bool says_host(cmark_node *link, struct str host);

void
render_enter_link(struct render *r, cmark_node *node)
{
	struct str url;

	render_paragraph(r, node);
	if (link_of(r, node, &url) == LINK_NONE)
		return;
	put_open(r, url);
}

void
render_leave_link(struct render *r, cmark_node *node)
{
	struct str url, host;
	enum link kind = link_of(r, node, &url);

	if (kind != LINK_NONE)
		render_put(r, "</a>");
	if (kind == LINK_WEB) {
		host = host_of(url);
		if (host.n > 0 && says_host(node, host))
			return;
		render_put(r, " <span class=\"host\" dir=\"ltr\">(");
		render_raw(r, host);
		render_put(r, ")</span>");
	}
	/* Where it may not lead is still there to be read. */
	if (kind == LINK_NONE && url.n > 0) {
		render_put(r, " (");
		render_raw(r, url);
		render_put(r, ")");
	}
}

static void
put_open(struct render *r, struct str url)
{
	render_put(r, "<a href=\"");
	put_address(r, url);
	render_put(r, "\" rel=\"noopener noreferrer nofollow ugc\">");
}

/* A text that stands in a link already, or too deep, gets no second one. */
static bool
may_link(const struct render *r, cmark_node *text)
{
	if (!r->bare || r->image > 0 || r->depth >= MARKDOWN_DEPTH_MAX)
		return false;
	for (; text != NULL; text = cmark_node_parent(text)) {
		if (cmark_node_get_type(text) == CMARK_NODE_LINK)
			return false;
	}
	return true;
}

void
render_words(struct render *r, cmark_node *text, struct str s)
{
	size_t from = 0, n;

	for (size_t i = may_link(r, text) ? 0 : s.n; i < s.n; i++) {
		n = (i > 0 && is_alnum(s.p[i - 1])) ? 0 : bare_address(s, i);
		if (n == 0)
			continue;
		render_raw(r, (struct str){ s.p + from, i - from });
		put_open(r, (struct str){ s.p + i, n });
		render_raw(r, (struct str){ s.p + i, n });
		render_put(r, "</a>");
		from = i + n;
		i = from - 1;
	}
	render_raw(r, (struct str){ s.p + from, s.n - from });
}

/*
 * How long the web address is that begins at s.p[i]; 0: none does.  It ends
 * where another script begins, for Chinese puts no blank behind it, and before
 * the sentence's own signs.  One that has a name and "@" before its host is
 * none: it would look like another's.
 */
static size_t
bare_address(struct str s, size_t i)
{
	const char *p = s.p + i;
	size_t left = s.n - i, n = scheme_length(p, left);

	if (n == 0 || n == left || !is_alnum(p[n]))
		return 0;
	while (n < left && (is_alnum(p[n]) || memchr(".-_", p[n], 3) != NULL))
		n++;
	if (n + 1 < left && p[n] == ':' && is_alnum(p[n + 1])) {
		for (n++; n < left && p[n] >= '0' && p[n] <= '9'; n++)
			;
		if (n < left && is_alnum(p[n]))
			return 0;
	}
	if (n < left && p[n] == '@')
		return 0;
	if (n < left && memchr("/?#", p[n], 3) != NULL) {
		while (n < left && p[n] > ' ' && p[n] < 0x7f &&
		       strchr("<>\"`\\{}|^[]", p[n]) == NULL)
			n++;
	}
	return without_end(p, n);
}

static size_t
scheme_length(const char *p, size_t left)
{
	if (left > 8 && strncasecmp(p, "https://", 8) == 0)
		return 8;
	return left > 7 && strncasecmp(p, "http://", 7) == 0 ? 7 : 0;
}

/* What ends a sentence, or a bracket that was open before, is not of it. */
static size_t
without_end(const char *p, size_t n)
{
	size_t opened = 0, closed = 0;

	for (size_t i = 0; i < n; i++) {
		opened += p[i] == '(';
		closed += p[i] == ')';
	}
	while (n > 0) {
		if (p[n - 1] == ')' && closed > opened)
			closed--;
		else if (strchr("?!.,:;*_~'", p[n - 1]) == NULL)
			break;
		n--;
	}
	return n;
}

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* What a link's address leads to, by an allow-list of schemes. */
static enum link
link_kind(struct str url)
{
	size_t n = 0;

	if (url.n == 0 || (url.n > 1 && url.p[0] == '/' && url.p[1] == '/'))
		return LINK_NONE;
	for (; n < url.n; n++) {
		unsigned char c = (unsigned char)url.p[n];

		if (c <= ' ' || c == '\\' || c == '&' || c == 0x7f)
			return LINK_NONE;
		if (c == '/' || c == '?' || c == '#')
			return LINK_LOCAL;
		if (c == ':')
			break;
	}
	if (n == url.n)
		return LINK_LOCAL;
	if (n == 6 && strncasecmp(url.p, "mailto", n) == 0)
		return LINK_MAIL;
	if ((n == 4 && strncasecmp(url.p, "http", n) == 0) ||
	    (n == 5 && strncasecmp(url.p, "https", n) == 0))
		return url.n > n + 3 && memcmp(url.p + n, "://", 3) == 0
			   ? LINK_WEB
			   : LINK_NONE;
	return LINK_NONE;
}

/* An address as its author wrote it: tokens turned back into bytes. */
static struct str
address_of(struct render *r, cmark_node *node)
{
	struct str url = str_of(cmark_node_get_url(node));
	struct piece *piece;
	struct buf b;
	size_t n;

	if (url.p == NULL || strstr(url.p, "\xef\xb7\x90") == NULL)
		return url;
	buf_init(&b, MARKDOWN_SOURCE_MAX);
	for (size_t i = 0; i < url.n; i++) {
		piece = piece_at(&r->pieces, url, i, &n);
		if (piece == NULL) {
			buf_c(&b, url.p[i]);
			continue;
		}
		buf_str(&b, piece->raw);
		i += n - 1;
	}
	url = pool_str(r->pool, buf_as_str(&b));
	if (b.failed)
		r->out->failed = true;
	buf_release(&b);
	return url;
}

/* A link in the words of an image or too deep is only words. */
static enum link
link_of(struct render *r, cmark_node *node, struct str *url)
{
	*url = address_of(r, node);
	return r->image > 0 || render_is_too_deep(r, node) ? LINK_NONE
							   : link_kind(*url);
}

/* Bytes that an address may not hold as they are get percent signs. */
static void
put_address(struct render *r, struct str url)
{
	static const char hex[] = "0123456789ABCDEF";
	struct buf b;

	buf_init(&b, MARKDOWN_SOURCE_MAX * 3);
	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];
		char z[3] = { '%', hex[c >> 4], hex[c & 15] };

		if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}", c) != NULL)
			buf_add(&b, z, sizeof(z));
		else
			buf_c(&b, (char)c);
	}
	if (b.failed)
		r->out->failed = true;
	buf_xml_attr(r->out, buf_as_str(&b));
	buf_release(&b);
}

/* Host and port of a web address, without name and password. */
static struct str
host_of(struct str url)
{
	struct str s = url;
	const char *at = memchr(url.p, ':', url.n);
	size_t n = 0;

	s.p = at + 3;
	s.n = url.n - (size_t)(s.p - url.p);
	for (n = 0; n < s.n && strchr("/?#\\", s.p[n]) == NULL; n++)
		;
	s.n = n;
	for (size_t i = 0; i < n; i++) {
		if (s.p[i] == '@')
			s = (struct str){ url.p + (at + 3 - url.p) + i + 1,
				n - i - 1 };
	}
	return s.n > HOST_MAX ? (struct str){ s.p, HOST_MAX } : s;
}

/* Does the link's own text already say where it leads? */
static bool
says_host(cmark_node *link, struct str host)
{
	cmark_node *n = cmark_node_first_child(link);
	struct str s;

	for (; n != NULL; n = cmark_node_next(n)) {
		s = render_literal(n);
		if (s.p == NULL)
			continue;
		for (size_t i = 0; i + host.n <= s.n && i < 1000; i++) {
			if (strncasecmp(s.p + i, host.p, host.n) == 0)
				return true;
		}
	}
	return false;
}
