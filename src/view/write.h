/*
 * write - a program walked over rows: bytes come out.
 *
 * Layer    view (inside): base.
 * Memory   allocates nothing but the output buffer.
 * Threads  any number on one program.
 */
#ifndef PA_VIEW_WRITE_H
#define PA_VIEW_WRITE_H

#include "base/buf.h"
#include "base/err.h"
#include "view/ops.h"

struct writing {
	const struct messages *messages;
	const char *lang;
	bool persian; /* digits in content */
	struct str base;
	const void *frame;
	struct buf *out;
	int level; /* messages inside messages */
	enum err err;
};

/* Walk a program: row is what stands at depth 1. */
void write_program(
    struct writing *w, const struct program *program, const void *row);

/* A message by id; NULL when the file has none of that name. */
const struct message *message_find(const struct messages *all, const char *id);

#endif /* PA_VIEW_WRITE_H */
