/*
 * fcgi_hand - a connection of ours for libfcgi to read a request from.
 *
 * Layer    port: base and libfcgi.
 * Memory   what a request holds is libfcgi's: FCGX_Free.
 * Threads  any, a request belongs to one.
 */
#ifndef PA_FCGI_HAND_H
#define PA_FCGI_HAND_H

#include <stdbool.h>

#include "base/err.h"

struct FCGX_Request;

/*
 * Does this libfcgi take a connection that it did not accept?  A whole
 * request over a socket pair must come through and end with our side closed,
 * and a peer that hangs up must fail instead of making it wait.
 */
bool fcgi_hand_works(void);

/*
 * Read the parameters of the request on fd into r, which works on a duplicate
 * of fd.  room holds FCGI_PEEK_BYTES.  ERR_IO, with r fit for FCGX_Free, when
 * the peer sends none that is sound within timeout_ms, or goes away.
 */
enum err fcgi_hand(struct FCGX_Request *r, int fd, char *room,
    unsigned timeout_ms) PA_MUST_USE;

#endif /* PA_FCGI_HAND_H */
