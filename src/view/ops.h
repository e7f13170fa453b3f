/*
 * ops - what a compiled template is: a flat list of operations.
 *
 * Layer    view (inside; pages use view.h).
 * Memory   programs live in the pool of their set.
 * Threads  read-only once compiled.
 *
 * Rows are known by their depth: 0 is the frame, 1 the page's row (or the
 * message's), 2 and more the rows of the t:each around a place.
 */
#ifndef PA_VIEW_OPS_H
#define PA_VIEW_OPS_H

#include <stdint.h>

#include "base/str.h"
#include "view/shape.h"

#define VIEW_DEPTH_MAX 16
#define VIEW_NAMESPACE "urn:prompt-arena:template"

enum op_code {
	OP_BYTES, /* bytes as they are */
	OP_BASE,  /* the base path */
	OP_VALUE, /* a field as text, or a message in place */
	OP_ATTR,  /* bytes (name and ="), a field, a quotation mark */
	OP_EACH,  /* begin rows at depth `inner`; none: go to `jump` */
	OP_NEXT,  /* another row at depth `inner`: back to `jump` */
	OP_IF,    /* field empty: go to `jump` */
	OP_UNLESS /* field there: go to `jump` */
};

struct op {
	enum op_code code;
	enum view_kind kind;
	bool plain; /* messages without their tags */
	uint8_t decimals, depth, inner;
	uint32_t jump;
	size_t offset; /* of the field in the row at `depth` */
	size_t size;   /* OP_EACH: bytes of one row */
	struct str bytes;
};

struct program {
	const struct op *ops;
	size_t n;
};

/* One sentence of messages.xhtml, in its forms and with or without tags. */
enum message_form {
	FORM_PLAIN,
	FORM_ONE,
	FORM_OTHER,
	FORM__MAX
};

struct message {
	const char *id; /* without .one and .other */
	struct program forms[FORM__MAX], untagged[FORM__MAX];
	bool has[FORM__MAX];
};

struct messages {
	struct message *all; /* sorted by id */
	size_t n;
};

#endif /* PA_VIEW_OPS_H */
