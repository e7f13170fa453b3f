/*
 * This file knows how to tell whether a translated template is still the same
 * page: it may differ from its source in words and in their order alone.
 *
 * usage: same SOURCE TRANSLATED
 *
 * Said of every difference, by file and line: an element that is missing, too
 * many or elsewhere; an attribute (t:text, href, class ...) that differs; a
 * {placeholder} of the script that differs; text where the source has none,
 * or none where it has some.  Inside a sentence, which is an element with text
 * of its own, elements may change places.  What people read or hear in an
 * attribute (title, alt, aria-label ...) may differ but not be empty; language
 * and direction of the outermost element are the translation's.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/buf.h"
#include "base/pool.h"
#include "port/xml.h"
#include "view/compile.h"

#define POOL_BYTES ((size_t)32 * 1024 * 1024)
#define CHILDREN_MAX 2048
#define TOKENS_MAX 32

struct comparing {
	struct problems *ps; /* NULL: only the answer counts */
	const char *file;    /* the translated one */
};

static bool same_element(const struct comparing *, const struct xml_node *a,
    const struct xml_node *b, bool sentence);

/* --- what is compared ---------------------------------------------------- */

static bool
is_blank(struct text t)
{
	for (size_t i = 0; i < t.n; i++) {
		if (strchr(" \t\r\n", t.p[i]) == NULL)
			return false;
	}
	return true;
}

/* Is the content of el a sample that a value replaces? */
static bool
is_sample(const struct xml_node *el)
{
	return template_attr(el, "text").p != NULL ||
	       template_attr(el, "markup").p != NULL ||
	       template_attr(el, "include").p != NULL;
}

/* Does el hold words, itself or (deep) in what it is made of? */
static bool
has_words(const struct xml_node *el, bool deep)
{
	if (is_sample(el))
		return false;
	for (const struct xml_node *n = el->first; n != NULL; n = n->next) {
		if (n->kind == XML_KIND_TEXT && !is_blank(n->text))
			return true;
		if (deep && n->kind == XML_KIND_ELEMENT && has_words(n, true))
			return true;
	}
	return false;
}

/* Attributes that people read or hear. */
static bool
is_words(const struct xml_attr *a)
{
	static const char *const names[] = { "alt", "aria-description",
		"aria-label", "aria-placeholder", "aria-roledescription",
		"aria-valuetext", "placeholder", "title", NULL };

	for (size_t i = 0; names[i] != NULL; i++) {
		if (a->ns.p == NULL && str_is(a->name, names[i]))
			return true;
	}
	return false;
}

static bool
is_language(const struct xml_node *el, const struct xml_attr *a)
{
	return el->parent == NULL &&
	       (str_is(a->name, "lang") || str_is(a->name, "dir"));
}

static const struct xml_attr *
find_attr(const struct xml_node *el, const struct xml_attr *like)
{
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next) {
		if (str_eq(a->name, like->name) && str_eq(a->ns, like->ns))
			return a;
	}
	return NULL;
}

/* --- saying it ----------------------------------------------------------- */

/* The start tag of el, for people: <span text="gap">. */
static const char *
tag_of(struct pool *pool, const struct xml_node *el)
{
	struct str s = pool_printf(pool, "<%s", el->name.p);

	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next)
		s = pool_printf(pool, "%s %s%s=\"%s\"", s.p,
		    a->ns.p != NULL ? "t:" : "", a->name.p, a->value.p);
	return pool_printf(pool, "%s>", s.p).p;
}

static void PA_PRINTF(3, 4) say(
    const struct comparing *c, const struct xml_node *at, const char *fmt, ...)
{
	char what[1024];
	va_list ap;

	if (c->ps == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	problems_add(c->ps, c->file, at->line, "%s", what);
}

/* --- comparing ----------------------------------------------------------- */

static bool
same_attrs(const struct comparing *c, const struct xml_node *a,
    const struct xml_node *b)
{
	const struct xml_attr *other;
	bool same = true;

	for (const struct xml_attr *x = a->attrs; x != NULL; x = x->next) {
		other = find_attr(b, x);
		if (is_language(a, x) ||
		    (other != NULL &&
			(is_words(x)
				? is_blank(other->value) == is_blank(x->value)
				: strcmp(other->value.p, x->value.p) == 0)))
			continue;
		say(c, b, "%s=\"%s\" of <%s> is \"%s\" here", x->name.p,
		    x->value.p, a->name.p,
		    other == NULL ? "(not there)" : other->value.p);
		same = false;
	}
	for (const struct xml_attr *x = b->attrs; x != NULL; x = x->next) {
		if (is_language(b, x) || find_attr(a, x) != NULL)
			continue;
		say(c, b, "<%s> has %s=\"%s\" only here", b->name.p, x->name.p,
		    x->value.p);
		same = false;
	}
	return same;
}

/* The next {word} in a text at or after *at; absent at its end. */
static struct str
next_token(struct text t, size_t *at)
{
	for (size_t i = *at; i < t.n; i++) {
		size_t j = i + 1;

		if (t.p[i] != '{')
			continue;
		while (j < t.n && t.p[j] >= 'a' && t.p[j] <= 'z')
			j++;
		if (j < t.n && t.p[j] == '}') {
			*at = j + 1;
			return (struct str){ t.p + i, j + 1 - i };
		}
	}
	*at = t.n;
	return (struct str){ NULL, 0 };
}

/* The {words} in the text of el itself; how many. */
static size_t
tokens_of(const struct xml_node *el, struct str *out)
{
	size_t n = 0, at;

	for (const struct xml_node *x = el->first; x != NULL; x = x->next) {
		at = 0;
		while (x->kind == XML_KIND_TEXT && n < TOKENS_MAX) {
			out[n] = next_token(x->text, &at);
			if (out[n].p == NULL)
				break;
			n++;
		}
	}
	return n;
}

static bool
same_tokens(const struct comparing *c, const struct xml_node *a,
    const struct xml_node *b)
{
	struct str in_a[TOKENS_MAX], in_b[TOKENS_MAX];
	size_t na = tokens_of(a, in_a), nb = tokens_of(b, in_b), j;

	for (size_t i = 0; i < na; i++) {
		for (j = 0; j < nb && !str_eq(in_a[i], in_b[j]); j++)
			continue;
		if (j == nb) {
			say(c, b, "%.*s is missing here", (int)in_a[i].n,
			    in_a[i].p);
			return false;
		}
		in_b[j] = (struct str){ NULL, 0 };
	}
	if (na != nb)
		say(c, b, "there are more {placeholders} here than in line %d",
		    a->line);
	return na == nb;
}

static size_t
children_of(const struct xml_node *el, const struct xml_node **out)
{
	size_t n = 0;

	for (const struct xml_node *x = xml_child(el, NULL);
	     x != NULL && n < CHILDREN_MAX; x = xml_sibling(x, NULL))
		out[n++] = x;
	return n;
}

/* Each of a once in b, in any order. */
static bool
same_set(const struct comparing *c, const struct xml_node *el,
    const struct xml_node **a, size_t na, const struct xml_node **b, size_t nb)
{
	const struct comparing quiet = { .ps = NULL, .file = c->file };
	bool same = true;
	size_t j;

	for (size_t i = 0; i < na; i++) {
		for (j = 0; j < nb; j++) {
			if (b[j] != NULL &&
			    same_element(&quiet, a[i], b[j], true))
				break;
		}
		if (j < nb) {
			b[j] = NULL;
			continue;
		}
		if (c->ps != NULL)
			say(c, el, "%s, or something in it, is missing here",
			    tag_of(c->ps->pool, a[i]));
		same = false;
	}
	for (j = 0; j < nb; j++) {
		if (b[j] == NULL)
			continue;
		if (c->ps != NULL)
			say(c, b[j], "%s, or something in it, is only here",
			    tag_of(c->ps->pool, b[j]));
		same = false;
	}
	return same;
}

static bool
same_children(const struct comparing *c, const struct xml_node *a,
    const struct xml_node *b, bool sentence)
{
	const struct xml_node **in_a = calloc(CHILDREN_MAX, sizeof(*in_a));
	const struct xml_node **in_b = calloc(CHILDREN_MAX, sizeof(*in_b));
	bool same = in_a != NULL && in_b != NULL;
	size_t na, nb;

	if (!same)
		goto out;
	na = children_of(a, in_a);
	nb = children_of(b, in_b);
	if (sentence || na != nb) {
		same = same_set(c, b, in_a, na, in_b, nb);
		goto out;
	}
	for (size_t i = 0; i < na; i++)
		same = same_element(c, in_a[i], in_b[i], false) && same;
out:
	free(in_a);
	free(in_b);
	return same;
}

static bool
same_element(const struct comparing *c, const struct xml_node *a,
    const struct xml_node *b, bool sentence)
{
	bool same;

	if (!str_eq(a->name, b->name) || !str_eq(a->ns, b->ns)) {
		say(c, b, "<%s> stands where line %d of the source has <%s>",
		    b->name.p, a->line, a->name.p);
		return false;
	}
	same = same_attrs(c, a, b);
	if (is_sample(a))
		return same; /* what stands in it is never shown */
	if (has_words(a, true) != has_words(b, true)) {
		say(c, b, "<%s> has %s words here", b->name.p,
		    has_words(a, true) ? "no" : "too many");
		same = false;
	}
	same = same_tokens(c, a, b) && same;
	return same_children(c, a, b, sentence || has_words(a, false)) && same;
}

/* --- the program --------------------------------------------------------- */

int
main(int argc, char **argv)
{
	const struct xml_node *a = NULL, *b = NULL;
	struct pool *pool = pool_open(POOL_BYTES);
	struct comparing c = { .ps = NULL };
	struct problems ps;
	int code;

	if (argc != 3 || pool == NULL) {
		fputs("usage: same SOURCE TRANSLATED\n", stderr);
		return EX_USAGE;
	}
	xml_init();
	problems_init(&ps, pool);
	c.ps = &ps;
	c.file = argv[2];
	if (xml_load_template(pool, argv[1], TEMPLATE_BYTES_MAX, &ps, &a) ==
		ERR_OK &&
	    xml_load_template(pool, argv[2], TEMPLATE_BYTES_MAX, &ps, &b) ==
		ERR_OK)
		(void)same_element(&c, a, b, false);
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		fprintf(stderr, "%.*s:%d: %.*s\n", (int)p->file.n, p->file.p,
		    p->line, (int)p->what.n, p->what.p);
	code = ps.count == 0 ? EX_OK : EX_DATAERR;
	pool_close(pool);
	xml_shutdown();
	return code;
}
