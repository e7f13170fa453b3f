/*
 * acceptor - connections handed to workers, each once it has begun to speak.
 *
 * Layer    port: base, port/listen.
 * Memory   acceptor_open allocates; a seat is its worker's.
 * Threads  one of its own; acceptor_take from many workers, each with its
 *          own seat; acceptor_stop from any.
 *
 * A connection without a first byte costs no worker.  A seat with a deadline
 * is watched: when it passes, the connection is shut down and the worker's
 * blocked read or write fails.  Only the seat's worker closes it, so the
 * watch never hits another file that has got the same number.
 */
#ifndef PA_ACCEPTOR_H
#define PA_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "port/listen.h"

struct acceptor;

struct acceptor_seat {
	int fd; /* the connection in hand; -1: none */
	/* The acceptor's own, under its lock: */
	struct acceptor_seat *next;
	int64_t deadline;
};

struct acceptor_stats {
	uint64_t accepted, shed, timed_out;
	unsigned waiting, busy;
};

/*
 * Accept from l, which it takes over (closed also on failure).  At most
 * `queue` connections wait for a worker, more are closed; timeout_ms is how
 * long one may be silent, and its socket's own limit for a read or write.
 */
enum err acceptor_open(struct acceptor **out, struct listener *l,
    unsigned queue, unsigned timeout_ms) PA_MUST_USE;

/* Whoever connected before this is still handed out, then ERR_CLOSED. */
void acceptor_stop(struct acceptor *a);

/* After every seat has been given up. */
void acceptor_close(struct acceptor *a);

void acceptor_stats(struct acceptor *a, struct acceptor_stats *out);

void acceptor_sit(struct acceptor *a, struct acceptor_seat *s);
void acceptor_rise(struct acceptor *a, struct acceptor_seat *s);

/* Wait for a connection; its deadline is timeout_ms from now. */
enum err acceptor_take(struct acceptor *a, struct acceptor_seat *s) PA_MUST_USE;

/* ms from now; 0: none. */
void acceptor_deadline(struct acceptor *a, struct acceptor_seat *s, int64_t ms);

/* Close the connection in hand. */
void acceptor_done(struct acceptor *a, struct acceptor_seat *s);

#endif /* PA_ACCEPTOR_H */
