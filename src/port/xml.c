/*
 * This file knows how to load a file of ours into a plain tree, and how to
 * find in that tree what it is asked for.
 */
#include "config.h"

#include "port/xml.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlschemastypes.h>

#include "base/buf.h"
#include "base/text.h"
#include "port/xml_parts.h"

static const struct xml_node *copy_element(
    struct pool *pool, const xmlNode *from, const struct xml_node *parent);

void
problems_init(struct problems *ps, struct pool *pool)
{
	memset(ps, 0, sizeof(*ps));
	ps->pool = pool;
}

void
problems_add(
    struct problems *ps, const char *file, int line, const char *fmt, ...)
{
	struct problem *p = pool_alloc(ps->pool, sizeof(*p));
	struct text clean;
	char what[1024];
	va_list ap;

	ps->count++;
	if (p == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	p->file = str_of(pool_strdup(ps->pool, file));
	p->line = line;
	/* A cut may have split a character. */
	clean = text_clean(ps->pool, str_of(what));
	p->what = pool_str(ps->pool, (struct str){ clean.p, clean.n });
	if (ps->last == NULL)
		ps->first = p;
	else
		ps->last->next = p;
	ps->last = p;
}

void
xml_init(void)
{
	xmlInitParser();
	xmlSchemaInitTypes(); /* or the first two schemas would race for it */
	/* Whatever a schema or a document asks for, nothing is fetched. */
	xmlSetExternalEntityLoader(xmlNoNetExternalEntityLoader);
}

void
xml_shutdown(void)
{
	xmlCleanupParser();
}

enum err
xml_load(struct pool *pool, const char *path, size_t max,
    const struct xml_schema *schema, struct problems *ps,
    const struct xml_node **root)
{
	const struct xml_node *top;
	xmlDoc *doc = NULL;
	enum err e;

	e = xml_doc_load(path, max, false, ps, &doc);
	if (e != ERR_OK)
		return e;
	if (schema != NULL)
		e = xml_doc_validate(doc, path, schema, ps);
	if (e == ERR_OK) {
		top = xml_copy(pool, xmlDocGetRootElement(doc));
		if (top == NULL || pool_failed(pool))
			e = ERR_NOMEM;
		else
			*root = top;
	}
	xmlFreeDoc(doc);
	return e;
}

enum err
xml_load_template(struct pool *pool, const char *path, size_t max,
    struct problems *ps, const struct xml_node **root)
{
	const struct xml_node *top;
	xmlDoc *doc = NULL;
	enum err e;

	e = xml_doc_load(path, max, true, ps, &doc);
	if (e != ERR_OK)
		return e;
	top = xml_copy(pool, xmlDocGetRootElement(doc));
	xmlFreeDoc(doc);
	if (top == NULL || pool_failed(pool))
		return ERR_NOMEM;
	*root = top;
	return ERR_OK;
}

struct text
xml_attr(const struct xml_node *el, const char *name)
{
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next) {
		if (a->ns.p == NULL && str_is(a->name, name))
			return a->value;
	}
	return (struct text){ NULL, 0 };
}

static const struct xml_node *
first_named(const struct xml_node *n, const char *name)
{
	for (; n != NULL; n = n->next) {
		if (n->kind == XML_KIND_ELEMENT &&
		    (name == NULL || str_is(n->name, name)))
			return n;
	}
	return NULL;
}

const struct xml_node *
xml_child(const struct xml_node *el, const char *name)
{
	return first_named(el->first, name);
}

const struct xml_node *
xml_sibling(const struct xml_node *el, const char *name)
{
	return first_named(el->next, name);
}

static void
text_gather(const struct xml_node *n, char *to, size_t *at)
{
	for (; n != NULL; n = n->next) {
		if (n->kind == XML_KIND_ELEMENT)
			text_gather(n->first, to, at);
		if (n->kind != XML_KIND_TEXT)
			continue;
		if (to != NULL)
			memcpy(to + *at, n->text.p, n->text.n);
		*at += n->text.n;
	}
}

struct text
xml_text(const struct xml_node *el, struct pool *pool)
{
	size_t n = 0, at = 0;
	char *p;

	text_gather(el->first, NULL, &n);
	p = pool_alloc(pool, n + 1);
	if (p == NULL)
		return TEXT("");
	text_gather(el->first, p, &at);
	return (struct text){ p, n };
}

/* --- the tree ----------------------------------------------------------- */

const struct xml_node *
xml_copy(struct pool *pool, const xmlNode *element)
{
	return copy_element(pool, element, NULL);
}

static struct str
copy_str(struct pool *pool, const xmlChar *z)
{
	return z == NULL ? (struct str){ NULL, 0 }
			 : str_of(pool_strdup(pool, (const char *)z));
}

static struct text
copy_text(struct pool *pool, const char *z)
{
	return text_clean(pool, str_of(pool_strdup(pool, z)));
}

static const struct xml_attr *
copy_attrs(struct pool *pool, const xmlNode *from)
{
	struct xml_attr *first = NULL, **tail = &first, *to;
	xmlChar *value;

	for (const xmlAttr *a = from->properties; a != NULL; a = a->next) {
		to = pool_alloc(pool, sizeof(*to));
		value = xmlNodeListGetString(from->doc, a->children, 1);
		if (to != NULL) {
			to->ns =
			    copy_str(pool, a->ns == NULL ? NULL : a->ns->href);
			to->name = copy_str(pool, a->name);
			to->value = copy_text(
			    pool, value == NULL ? "" : (const char *)value);
			*tail = to;
			/* next is const for readers; here the list grows. */
			tail = (struct xml_attr **)(uintptr_t)&to->next;
		}
		xmlFree(value);
	}
	return first;
}

/* A text node with its neighbours: CDATA and text are one to readers. */
static const struct xml_node *
copy_run(struct pool *pool, const xmlNode **from, const struct xml_node *parent)
{
	struct xml_node *to = pool_alloc(pool, sizeof(*to));
	const xmlNode *n = *from;
	struct buf b;

	buf_init(&b, 16 * 1024 * 1024);
	for (; n != NULL &&
	       (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE);
	     n = n->next) {
		if (n->content != NULL)
			buf_z(&b, (const char *)n->content);
		*from = n;
	}
	buf_c(&b, '\0');
	if (to != NULL && !b.failed) {
		to->kind = XML_KIND_TEXT;
		to->parent = parent;
		to->text = copy_text(pool, b.p);
		to->line = parent->line;
	}
	buf_release(&b);
	return to;
}

static const struct xml_node *
copy_comment(
    struct pool *pool, const xmlNode *from, const struct xml_node *parent)
{
	struct xml_node *to = pool_alloc(pool, sizeof(*to));

	if (to == NULL)
		return NULL;
	to->kind = XML_KIND_COMMENT;
	to->parent = parent;
	to->text = copy_text(
	    pool, from->content == NULL ? "" : (const char *)from->content);
	to->line = (int)xmlGetLineNo(from);
	return to;
}

static const struct xml_node *
copy_child(
    struct pool *pool, const xmlNode **from, const struct xml_node *parent)
{
	switch ((*from)->type) {
	case XML_ELEMENT_NODE:
		return copy_element(pool, *from, parent);
	case XML_TEXT_NODE:
	case XML_CDATA_SECTION_NODE:
		return copy_run(pool, from, parent);
	case XML_COMMENT_NODE:
		return copy_comment(pool, *from, parent);
	default:
		return NULL; /* processing instructions mean nothing to us */
	}
}

/* Recursion is bounded: XML_DEPTH_MAX was kept while parsing. */
static const struct xml_node *
copy_element(
    struct pool *pool, const xmlNode *from, const struct xml_node *parent)
{
	struct xml_node *to = pool_alloc(pool, sizeof(*to));
	const struct xml_node *child, **tail;

	if (to == NULL)
		return NULL;
	to->kind = XML_KIND_ELEMENT;
	to->parent = parent;
	to->ns = copy_str(pool, from->ns == NULL ? NULL : from->ns->href);
	to->name = copy_str(pool, from->name);
	to->line = (int)xmlGetLineNo(from);
	to->attrs = copy_attrs(pool, from);
	tail = &to->first;
	for (const xmlNode *n = from->children; n != NULL; n = n->next) {
		child = copy_child(pool, &n, to);
		if (child == NULL)
			continue;
		*tail = child;
		tail = (const struct xml_node **)(uintptr_t)&child->next;
	}
	return to;
}
