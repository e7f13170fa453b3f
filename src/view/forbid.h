/*
 * forbid - what a template must not carry, and what to write instead.
 *
 * Layer    view: base, port/xml.
 * Memory   sentences are literals or live in the given pool.
 * Threads  start-up and reload.
 *
 * A browser refuses most of this by our security policy, one visitor at a
 * time and without a word to the institution; here it is refused by name.
 */
#ifndef PA_FORBID_H
#define PA_FORBID_H

#include "base/pool.h"
#include "base/str.h"
#include "port/xml.h"

/* Does an attribute of that name lead or fetch from somewhere? */
bool forbid_is_address(struct str name);

/*
 * A sentence about el, which is written to pages; NULL: nothing is wrong.
 * Elements that no page may have; a form with a token that does not post.
 */
const char *forbid_element(const struct xml_node *el);

/*
 * The same of a literal attribute, of whatever name: an address on another host
 * from where something would be fetched or to where a form would be sent, or
 * one that is no address but a script.
 */
const char *forbid_address(
    struct pool *, const struct xml_node *el, const struct xml_attr *a);

#endif /* PA_FORBID_H */
