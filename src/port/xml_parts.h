/*
 * xml_parts - what the files of xml share and nobody else sees.
 *
 * Layer    port: base and libxml2.
 * Memory   documents are libxml2's: xmlFreeDoc; trees live in the given pool.
 * Threads  any, a call is self-contained.
 */
#ifndef PA_XML_PARTS_H
#define PA_XML_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "port/xml.h"

#define XML_DEPTH_MAX 64

struct _xmlDoc;
struct _xmlNode;

/*
 * Read and parse path, of at most max bytes.  html: <!DOCTYPE html> is
 * welcome.  ERR_SYNTAX after a problem; *out is untouched then.
 */
enum err xml_doc_load(const char *path, size_t max, bool html,
    struct problems *ps, struct _xmlDoc **out) PA_MUST_USE;

/* Check doc, read from path.  ERR_SYNTAX after a problem for each fault. */
enum err xml_doc_validate(struct _xmlDoc *doc, const char *path,
    const struct xml_schema *schema, struct problems *ps) PA_MUST_USE;

/* An element and all in it, without a parent.  Ask pool_failed afterwards. */
const struct xml_node *xml_copy(
    struct pool *pool, const struct _xmlNode *element);

#endif /* PA_XML_PARTS_H */
