/* This file knows how to say in a few plain words how a rendered text begins.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "port/markdown.h"

/* What our writer escapes; everything else stands for itself. */
static const struct {
	const char *name;
	char c;
} entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
	{ "&quot;", '"' }, { "&#39;", '\'' }, { "&apos;", '\'' } };

struct lead {
	char *p;
	size_t n, chars;
	size_t border; /* length at the last end of a word */
	bool space;    /* one is due before the next character */
};

static size_t skip_tag(struct str s, size_t i, bool *block);
static char entity_at(struct str s, size_t *i);
static void add(struct lead *l, const char *p, size_t n);

struct text
markdown_lead(struct pool *pool, struct markup m, size_t chars, bool line)
{
	static const char dots[] = "\xe2\x80\xa6";
	struct str s = { m.p, m.n };
	struct lead l = { .p = pool_alloc(
			      pool, 4 * (chars + 2) + sizeof(dots)) };
	size_t i = 0;

	if (l.p == NULL)
		return (struct text){ NULL, 0 };
	while (i < s.n && l.chars <= chars) {
		size_t from = i;
		bool block = false;
		char c = s.p[i];

		if (c == '<') {
			i = skip_tag(s, i, &block);
			l.space = l.space || block;
		} else if (c == '\n' || c == '\t' || c == ' ') {
			block = c == '\n';
			l.space = true;
			i++;
		} else if (c == '&') {
			c = entity_at(s, &i);
			add(&l, &c, 1);
		} else {
			(void)text_next(s, &i);
			add(&l, s.p + from, i - from);
		}
		if (line && block && l.n > 0)
			break;
	}
	if (l.chars >
	    chars) { /* never in the middle of a word, if it has an end */
		l.n = l.border > 0
			  ? l.border
			  : text_cut((struct text){ l.p, l.n }, chars).n;
		memcpy(l.p + l.n, dots, sizeof(dots) - 1);
		l.n += sizeof(dots) - 1;
	}
	return (struct text){ l.p, l.n };
}

/* Behind the tag at i.  Blocks and line breaks part words, the rest does not.
 */
static size_t
skip_tag(struct str s, size_t i, bool *block)
{
	static const char *const within[] = { "em", "strong", "code", "a",
		"del", "span", "bdi" };
	size_t from = i + 1, n = 0;

	while (i < s.n && s.p[i] != '>')
		i++;
	if (from < s.n && s.p[from] == '/')
		from++;
	while (from + n < i && s.p[from + n] != ' ' && s.p[from + n] != '/')
		n++;
	*block = true;
	for (size_t k = 0; k < sizeof(within) / sizeof(*within); k++) {
		if (str_is((struct str){ s.p + from, n }, within[k]))
			*block = false;
	}
	return i < s.n ? i + 1 : i;
}

static char
entity_at(struct str s, size_t *i)
{
	struct str rest = { s.p + *i, s.n - *i };

	for (size_t k = 0; k < sizeof(entities) / sizeof(*entities); k++) {
		if (str_starts(rest, entities[k].name)) {
			*i += strlen(entities[k].name);
			return entities[k].c;
		}
	}
	(*i)++;
	return '&';
}

static void
add(struct lead *l, const char *p, size_t n)
{
	if (l->space && l->n > 0) {
		l->border = l->n;
		l->p[l->n++] = ' ';
		l->chars++;
	}
	l->space = false;
	memcpy(l->p + l->n, p, n);
	l->n += n;
	l->chars++;
}
