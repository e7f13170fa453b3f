/*
 * This file knows how to hold a document against a schema with libxml2, and
 * how to tell from its messages what was broken.
 */
#include "config.h"

#include "port/xml_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemas.h>

#include "port/xml_words.h"

#define SCHEMA_BYTES_MAX (1024 * 1024)
#define FAULTS_MAX 100

struct xml_schema {
	struct pool *pool;
	const struct xml_node *root; /* the schema as a tree: for the words */
	xmlDoc *doc;
	xmlSchema *schema;
};

/* One validation. */
struct check {
	struct problems *ps;
	const char *path;
	const struct xml_schema *schema;
	const xmlNode *last_node; /* what the last problem was about ... */
	char last_attr[64];       /* ... so that its echo is not told twice */
	enum words_fault last_fault;
	size_t count;
};

static xmlSchema *schema_compile(
    xmlDoc *doc, const char *path, struct problems *ps);
static void on_invalid(void *data, xmlErrorPtr err);

enum err
xml_schema_load(const char *path, struct problems *ps, struct xml_schema **out)
{
	struct xml_schema *s = calloc(1, sizeof(*s));
	enum err e = ERR_NOMEM;

	if (s == NULL || (s->pool = pool_open(8 * SCHEMA_BYTES_MAX)) == NULL)
		goto fail;
	e = xml_doc_load(path, SCHEMA_BYTES_MAX, false, ps, &s->doc);
	if (e != ERR_OK)
		goto fail;
	e = ERR_NOMEM;
	s->root = xml_copy(s->pool, xmlDocGetRootElement(s->doc));
	if (s->root == NULL || pool_failed(s->pool))
		goto fail;
	e = ERR_SYNTAX;
	s->schema = schema_compile(s->doc, path, ps);
	if (s->schema == NULL)
		goto fail;
	*out = s;
	return ERR_OK;
fail:
	xml_schema_free(s);
	return e;
}

void
xml_schema_free(struct xml_schema *s)
{
	if (s == NULL)
		return;
	xmlSchemaFree(s->schema);
	xmlFreeDoc(s->doc);
	pool_close(s->pool);
	free(s);
}

enum err
xml_doc_validate(xmlDoc *doc, const char *path, const struct xml_schema *schema,
    struct problems *ps)
{
	struct check check = { .ps = ps, .path = path, .schema = schema };
	xmlSchemaValidCtxt *ctxt = xmlSchemaNewValidCtxt(schema->schema);
	int rc;

	if (ctxt == NULL)
		return ERR_NOMEM;
	xmlSchemaSetValidStructuredErrors(ctxt, on_invalid, &check);
	rc = xmlSchemaValidateDoc(ctxt, doc);
	xmlSchemaFreeValidCtxt(ctxt);
	if (rc < 0)
		return ERR_INTERNAL;
	if (rc > 0 && check.count == 0)
		problems_add(ps, path, 0, "the file does not fit its schema");
	return rc == 0 && check.count == 0 ? ERR_OK : ERR_SYNTAX;
}

static void
on_schema_error(void *data, xmlErrorPtr err)
{
	struct check *check = data;
	char what[300];

	if (err->level == XML_ERR_WARNING)
		return;
	snprintf(
	    what, sizeof(what), "%s", err->message == NULL ? "" : err->message);
	what[strcspn(what, "\n")] = '\0';
	problems_add(check->ps, check->path,
	    err->node == NULL ? err->line : (int)xmlGetLineNo(err->node),
	    "the schema cannot be used: %s", what);
	check->count++;
}

static xmlSchema *
schema_compile(xmlDoc *doc, const char *path, struct problems *ps)
{
	struct check check = { .ps = ps, .path = path };
	xmlSchemaParserCtxt *ctxt = xmlSchemaNewDocParserCtxt(doc);
	xmlSchema *schema;

	if (ctxt == NULL)
		return NULL;
	doc->URL = xmlStrdup((const xmlChar *)path);
	xmlSchemaSetParserStructuredErrors(ctxt, on_schema_error, &check);
	schema = xmlSchemaParse(ctxt);
	xmlSchemaFreeParserCtxt(ctxt);
	if (schema == NULL && check.count == 0)
		problems_add(ps, path, 0, "the schema cannot be used");
	return schema;
}

/*
 * The element or attribute a message is about ("" when none): libxml2 writes
 * kind '{namespace}name'.
 */
static void
named(const char *message, const char *kind, char *out, size_t n)
{
	const char *at = strstr(message, kind), *end;
	const char *brace;

	out[0] = '\0';
	if (at == NULL)
		return;
	at += strlen(kind);
	end = strchr(at, '\'');
	brace = strchr(at, '}');
	if (brace != NULL && end != NULL && brace < end)
		at = brace + 1;
	if (end != NULL)
		snprintf(out, n, "%.*s", (int)(end - at), at);
}

static enum words_fault
fault_of(int code, const char *message)
{
	switch (code) {
	case XML_SCHEMAV_ELEMENT_CONTENT:
		return strstr(message, "Missing child") != NULL
			   ? WORDS_CHILD_MISSING
			   : WORDS_CHILD_UNEXPECTED;
	case XML_SCHEMAV_CVC_ELT_1:
	case XML_SCHEMAV_DOCUMENT_ELEMENT_MISSING:
		return WORDS_ROOT;
	case XML_SCHEMAV_CVC_COMPLEX_TYPE_3_2_1:
	case XML_SCHEMAV_CVC_COMPLEX_TYPE_3_2_2:
		return WORDS_ATTR_UNKNOWN;
	case XML_SCHEMAV_CVC_COMPLEX_TYPE_4:
		return WORDS_ATTR_MISSING;
	case XML_SCHEMAV_CVC_COMPLEX_TYPE_2_1:
		return WORDS_NOT_EMPTY;
	case XML_SCHEMAV_CVC_COMPLEX_TYPE_2_2:
	case XML_SCHEMAV_CVC_TYPE_3_1_2:
		return WORDS_ELEMENT_IN_TEXT;
	case XML_SCHEMAV_CVC_COMPLEX_TYPE_2_3:
		return WORDS_TEXT_BETWEEN;
	case XML_SCHEMAV_CVC_IDC:
		return strstr(message, "No match found") != NULL
			   ? WORDS_REFERENCE
			   : WORDS_DUPLICATE;
	default:
		return code >= XML_SCHEMAV_CVC_DATATYPE_VALID_1_2_1 &&
			       code <= XML_SCHEMAV_CVC_ENUMERATION_VALID
			   ? WORDS_VALUE
			   : WORDS_OTHER;
	}
}

/* The key or reference value that a message quotes: key-sequence ['x'] */
static void
key_quoted(const char *message, char *out, size_t n)
{
	const char *at = strstr(message, "key-sequence ["), *end;
	char *w = out;

	out[0] = '\0';
	if (at == NULL)
		return;
	at += strlen("key-sequence [");
	end = strchr(at, ']');
	for (; end != NULL && at < end && w + 1 < out + n; at++) {
		if (*at != '\'')
			*w++ = *at;
	}
	*w = '\0';
}

/* Of a missing reference libxml2 tells the line and the name alone. */
static const struct xml_node *
stand_in(struct pool *pool, const xmlError *err)
{
	struct xml_node *el = pool_alloc(pool, sizeof(*el));
	char name[64];

	if (el == NULL)
		return NULL;
	named(err->message == NULL ? "" : err->message, "Element '", name,
	    sizeof(name));
	el->name = str_of(pool_strdup(pool, name));
	el->line = err->line;
	return el;
}

static void
on_invalid(void *data, xmlErrorPtr err)
{
	struct check *check = data;
	const char *message = err->message == NULL ? "" : err->message;
	const xmlNode *node = err->node;
	char attr[64], key[200];
	struct words_case c = { .path = check->path };

	if (err->level == XML_ERR_WARNING)
		return;
	named(message, "attribute '", attr, sizeof(attr));
	if (node != NULL && node->type == XML_ATTRIBUTE_NODE)
		node = node->parent;
	c.fault = fault_of(err->code, message);
	key_quoted(message, key, sizeof(key));
	/*
	 * A bad value is told twice, by its facet and by its type; so is a
	 * name that must be unique and can be referred to; and what lacks
	 * its name altogether has been told already.
	 */
	if (node != NULL && node == check->last_node &&
	    c.fault == check->last_fault && strcmp(attr, check->last_attr) == 0)
		return;
	if (c.fault == WORDS_DUPLICATE && key[0] == '\0' && check->count > 0)
		return;
	check->last_node = node;
	check->last_fault = c.fault;
	snprintf(check->last_attr, sizeof(check->last_attr), "%s", attr);
	if (check->count++ >= FAULTS_MAX)
		return;
	c.attr = attr;
	c.key = key;
	c.message = message;
	c.schema = check->schema->root;
	c.node = node == NULL ? stand_in(check->ps->pool, err)
			      : xml_copy(check->ps->pool, node);
	for (const xmlNode *up = node;
	     up != NULL && up->type == XML_ELEMENT_NODE &&
	     c.depth < XML_DEPTH_MAX;
	     up = up->parent)
		c.names[c.depth++] = (const char *)up->name;
	for (const xmlNode *left = node == NULL ? NULL : node->prev;
	     left != NULL; left = left->prev) {
		if (left->type == XML_ELEMENT_NODE &&
		    xmlStrcmp(left->name, node->name) == 0)
			c.twin_line = (int)xmlGetLineNo(left);
	}
	if (c.node != NULL)
		xml_words_say(check->ps, &c);
}
