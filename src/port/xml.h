/*
 * xml - files of ours, parsed by libxml2 into a plain tree.
 *
 * Layer    port: base and libxml2.
 * Memory   the tree lives in the given pool.
 * Threads  xml_init once in main; then any, a call is self-contained.
 *
 * Only files that an administrator or this project wrote are parsed: never a
 * document from the network.  No DTD, no entities but the five of XML, no
 * network, bounded size, depth (64) and attributes of an element (64).
 *
 * What a schema expects is told in words: those of <xs:documentation> in a
 * type or attribute ("a number from 1 to 200"), else made from base and
 * facets.  Every text in the tree is NUL-terminated.  An element's line is
 * that of its "<".
 */
#ifndef PA_XML_H
#define PA_XML_H

#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

enum xml_kind {
	XML_KIND_ELEMENT,
	XML_KIND_TEXT,
	XML_KIND_COMMENT
};

struct xml_attr {
	const struct xml_attr *next;
	struct str ns;   /* namespace URI; absent for none */
	struct str name; /* local name */
	struct text value;
};

struct xml_node {
	const struct xml_node *parent, *first, *next; /* first: first child */
	const struct xml_attr *attrs;
	enum xml_kind kind;
	struct str ns, name; /* elements */
	struct text text;    /* text and comments */
	int line;
};

/* What is wrong with a file, in words for its author. */
struct problem {
	struct problem *next;
	struct str file;
	int line;        /* 0: the file as a whole */
	struct str what; /* "the attribute "k" of <elo> is "many": a number from
			    1 to 200 is needed" */
};

struct problems {
	struct pool *pool;
	struct problem *first, *last;
	size_t count;
};

void problems_init(struct problems *ps, struct pool *pool);

/* Add one; the text is made in the problems' pool. */
void problems_add(struct problems *ps, const char *file, int line,
    const char *fmt, ...) PA_PRINTF(4, 5);

void xml_init(void);
void xml_shutdown(void);

struct xml_schema; /* a compiled XML Schema; read-only once loaded */

enum err xml_schema_load(
    const char *path, struct problems *ps, struct xml_schema **out) PA_MUST_USE;
void xml_schema_free(struct xml_schema *s);

/*
 * Read path (at most max bytes), refuse DOCTYPE, check it against schema
 * (NULL: well-formedness only).  Each fault becomes a problem with its line;
 * ERR_SYNTAX then, and *root is untouched.
 */
enum err xml_load(struct pool *pool, const char *path, size_t max,
    const struct xml_schema *schema, struct problems *ps,
    const struct xml_node **root) PA_MUST_USE;

/* As xml_load for XHTML templates: <!DOCTYPE html> alone is allowed. */
enum err xml_load_template(struct pool *pool, const char *path, size_t max,
    struct problems *ps, const struct xml_node **root) PA_MUST_USE;

/* Is this well-formed XML?  For tests and debug builds.  *line on failure. */
enum err xml_well_formed(struct str bytes, int *line) PA_MUST_USE;

/* Attribute without namespace by name, or absent. */
struct text xml_attr(const struct xml_node *el, const char *name);

/* First / next child element of that name (NULL name: any). */
const struct xml_node *xml_child(const struct xml_node *el, const char *name);
const struct xml_node *xml_sibling(const struct xml_node *el, const char *name);

/* All text below el, joined. */
struct text xml_text(const struct xml_node *el, struct pool *pool);

#endif /* PA_XML_H */
