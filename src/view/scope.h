/*
 * scope - which names a place in a template knows.
 *
 * Layer    view (inside): base, port/xml.
 * Memory   none.
 * Threads  pure.
 */
#ifndef PA_VIEW_SCOPE_H
#define PA_VIEW_SCOPE_H

#include "port/xml.h"
#include "view/ops.h"

/* The shapes around a place, outermost (the frame) first; NULLs are empty. */
struct scope {
	const struct view_shape *shape[VIEW_DEPTH_MAX];
	size_t depth;
};

/* What a place does with a field. */
enum field_use {
	USE_TEXT,    /* t:text */
	USE_ATTR,    /* t:NAME */
	USE_ADDRESS, /* t:NAME for attributes that lead somewhere */
	USE_MARKUP,  /* t:markup */
	USE_EACH,    /* t:each */
	USE_TRUTH    /* t:if, t:unless */
};

/*
 * The innermost field of that name, if it can be used so; *depth says in
 * which row.  NULL after a fault was reported against path:line, in words
 * that quote the template's attribute as t:attr="name".
 */
const struct view_field *scope_find(const struct scope *scope, struct str name,
    enum field_use use, const char *attr, struct problems *ps, const char *path,
    int line, uint8_t *depth);

#endif /* PA_VIEW_SCOPE_H */
