/*
 * markdown_oracle - is this what the Markdown port may write?
 *
 * Layer    tests.
 * Memory   none.
 * Threads  pure.
 *
 * Written apart from the port, from the list in its header alone: every "<"
 * begins one of these tags, tags nest, every "&" begins one of five escapes.
 */
#ifndef PA_TESTS_MARKDOWN_ORACLE_H
#define PA_TESTS_MARKDOWN_ORACLE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "port/markdown.h"

#define ORACLE_DEPTH 64

static const char *const oracle_tags[] = {
	"p", "p dir=\"auto\"", "h1 dir=\"auto\"", "h2 dir=\"auto\"",
	"h3 dir=\"auto\"", "h4 dir=\"auto\"", "h5 dir=\"auto\"",
	"h6 dir=\"auto\"", "h1", "h2", "h3", "h4", "h5", "h6", "ul",
	"ul dir=\"auto\"", "ol", "ol dir=\"auto\"", "li", "blockquote",
	"blockquote dir=\"auto\"", "pre dir=\"ltr\" tabindex=\"0\"",
	"pre dir=\"auto\" tabindex=\"0\"", "code", "code dir=\"ltr\"", "em",
	"strong", "span class=\"math\" dir=\"ltr\"",
	"span class=\"math display\" dir=\"ltr\"",
	"span class=\"host\" dir=\"ltr\"",
	"div class=\"math\" dir=\"ltr\" tabindex=\"0\"",
	"div class=\"table\" tabindex=\"0\"", "table dir=\"auto\"", "thead",
	"tbody", "tr", "td", "td class=\"left\"", "td class=\"center\"",
	"td class=\"right\"", "th scope=\"col\"",
	"th scope=\"col\" class=\"left\"", "th scope=\"col\" class=\"center\"",
	"th scope=\"col\" class=\"right\"",
};

/* <ol start="N"...> and <a href="..." rel="...">. */
static inline bool
oracle_tag_with_value(const char *p, size_t n)
{
	static const char rel[] =
	    "\" rel=\"noopener noreferrer nofollow ugc\"";
	static const char *const good[] = { "http://", "https://", "mailto:" };
	size_t i = 10;

	if (n > 10 && memcmp(p, "ol start=\"", 10) == 0) {
		while (i < n && p[i] >= '0' && p[i] <= '9')
			i++;
		return i > 10 && i < n && p[i] == '"' &&
		    (i + 1 == n ||
			(n - i == 12 &&
			    memcmp(p + i + 1, " dir=\"auto\"", 11) == 0));
	}
	if (n < 8 + sizeof(rel) - 1 || memcmp(p, "a href=\"", 8) != 0 ||
	    memcmp(p + n - (sizeof(rel) - 1), rel, sizeof(rel) - 1) != 0)
		return false;
	p += 8;
	n -= 8 + sizeof(rel) - 1;
	for (i = 0; i < n; i++) {
		if (p[i] <= ' ' || p[i] >= 0x7f || strchr("\"<>\\", p[i]))
			return false;
	}
	for (i = 0; i < 3; i++) {
		if (n > strlen(good[i]) &&
		    strncasecmp(p, good[i], strlen(good[i])) == 0)
			return true;
	}
	if (n > 1 && p[0] == '/' && p[1] == '/')
		return false;
	/* Relative: no colon before the path begins. */
	i = strcspn(p, ":/?#\"");
	return n > 0 && p[i] != ':';
}

static inline bool
oracle_tag(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof(oracle_tags) / sizeof(oracle_tags[0]);
	    i++) {
		if (strlen(oracle_tags[i]) == n &&
		    memcmp(oracle_tags[i], p, n) == 0)
			return true;
	}
	return oracle_tag_with_value(p, n);
}

/* NULL when all is well, else what is not. */
static inline const char *
oracle(struct markup m, size_t source_n)
{
	static const char *const escapes[] = { "&amp;", "&lt;", "&gt;",
		"&quot;" };
	const char *open[ORACLE_DEPTH], *p = m.p, *end = m.p + m.n, *q;
	size_t len[ORACLE_DEPTH], depth = 0, n, i;

	if (m.n > source_n * 20 + 1024 || m.n > 1024 * 1024)
		return "longer than promised";
	if (!text_is_clean((struct str){ m.p, m.n }))
		return "bytes that are not clean";
	for (; p < end; p++) {
		if (*p == '&') {
			for (i = 0; i < 4; i++) {
				n = strlen(escapes[i]);
				if ((size_t)(end - p) >= n &&
				    memcmp(p, escapes[i], n) == 0)
					break;
			}
			if (i == 4)
				return "a bare &";
		}
		if (*p == '>')
			return "a bare >";
		if (*p != '<')
			continue;
		q = memchr(p, '>', (size_t)(end - p));
		if (q == NULL)
			return "a bare <";
		n = (size_t)(q - p) - 1;
		p++;
		if (n > 0 && *p == '/') {
			if (depth == 0 || len[depth - 1] != n - 1 ||
			    memcmp(open[depth - 1], p + 1, n - 1) != 0)
				return "tags that do not nest";
			depth--;
		} else if (!((n == 4 && memcmp(p, "br /", 4) == 0) ||
			       (n == 4 && memcmp(p, "hr /", 4) == 0))) {
			if (!oracle_tag(p, n))
				return "a tag that is not on the list";
			if (depth == ORACLE_DEPTH)
				return "nested too deep";
			open[depth] = p;
			len[depth++] = strcspn(p, " >");
		}
		p = q;
	}
	return depth == 0 ? NULL : "a tag that is not closed";
}

#endif /* PA_TESTS_MARKDOWN_ORACLE_H */
