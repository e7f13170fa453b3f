/*
 * fcgi_head - the header lines of an answer, fit to be sent.
 *
 * Layer    port: base.
 * Memory   appends to the caller's buf.
 * Threads  pure.
 */
#ifndef PA_FCGI_HEAD_H
#define PA_FCGI_HEAD_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct reply;

/*
 * Status, r's headers, Content-Length (if asked for and the status has a
 * body), and the empty line.  ERR_INTERNAL, logged, when a header would say
 * something else to the web server or browser than was meant, or when all
 * together do not fit b.
 */
enum err fcgi_head(
    struct buf *b, const struct reply *r, bool with_length) PA_MUST_USE;

#endif /* PA_FCGI_HEAD_H */
