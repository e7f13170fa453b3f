/*
 * fcgi_peek - a look at what a connection says before libfcgi reads it.
 *
 * Layer    port: base.
 * Memory   works in the caller's room.
 * Threads  pure, one connection a call.
 *
 * libfcgi 2.4.2 believes the lengths that a peer writes: the two of a pair
 * that together pass 2^31 make it ask for more memory than there is, and then
 * it ends the program.
 */
#ifndef PA_FCGI_PEEK_H
#define PA_FCGI_PEEK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Twice what nginx ever sends: too much of it still gets its answer, 413. */
#define FCGI_PEEK_BYTES ((size_t)128 * 1024)

/*
 * Wait until the parameters of a request lie in the socket whole; nothing is
 * taken out of it.  room holds FCGI_PEEK_BYTES.  ERR_INVALID for what libfcgi
 * must not see: another record than a request's own, a pair longer than the
 * stream it stands in or with a NUL in it, more parameters than room.
 * ERR_CLOSED when the peer went away or until (clock_mono_ms) passed first.
 */
enum err fcgi_peek(int fd, char *room, int64_t until) PA_MUST_USE;

/*
 * The same of bytes: ERR_OK when the parameters end among them and nothing
 * in sight is wrong, ERR_BUSY when more must come.
 */
enum err fcgi_peek_bytes(const char *bytes, size_t n) PA_MUST_USE;

#endif /* PA_FCGI_PEEK_H */
