/*
 * xml_words - what a file breaks in its schema, in words for its author.
 *
 * Layer    port: base and the plain tree of port/xml.h; libxml2 is not seen.
 * Memory   sentences go into the problems' pool.
 * Threads  pure.
 *
 * An XML Schema is itself XML, so what is expected is looked up in its tree.
 * The words of <xs:documentation> inside a type, an attribute or an element
 * come first: write there what completes "... is expected", such as "a number
 * from 1 to 200".  Without them the words are made from base and facets.
 */
#ifndef PA_XML_WORDS_H
#define PA_XML_WORDS_H

#include "port/xml.h"

enum words_fault {
	WORDS_ROOT,             /* the outermost element is another */
	WORDS_CHILD_UNEXPECTED, /* node should not stand here */
	WORDS_CHILD_MISSING,    /* node lacks a child */
	WORDS_ATTR_UNKNOWN,
	WORDS_ATTR_MISSING,
	WORDS_VALUE, /* of attr, or of node when attr is "" */
	WORDS_NOT_EMPTY,
	WORDS_ELEMENT_IN_TEXT,
	WORDS_TEXT_BETWEEN,
	WORDS_DUPLICATE,
	WORDS_REFERENCE,
	WORDS_OTHER
};

struct words_case {
	enum words_fault fault;
	const char *path;
	const struct xml_node *schema, *node;
	const char *names[64]; /* node's name first, the outermost last */
	size_t depth;
	const char *attr, *key, *message;
	int twin_line; /* of an earlier sibling with node's name, or 0 */
};

/* Add the problem for c to ps. */
void xml_words_say(struct problems *ps, const struct words_case *c);

#endif /* PA_XML_WORDS_H */
