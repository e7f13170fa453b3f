/*
 * bt_chord - many fits near one fit, for the rounds of a bootstrap.
 *
 * Layer    rate.
 * Memory   malloc; bt_chord_release frees all.
 * Threads  read-only once made; the work arrays belong to one thread.
 *
 * Newton's method with the Hessian of the full fit (the chord method): its
 * inverse is made once, a step costs one pass over the pairs, and each step
 * shrinks the error about tenfold, since a round's Hessian differs little
 * from the full fit's.
 */
#ifndef PA_BT_CHORD_H
#define PA_BT_CHORD_H

#include "base/err.h"

struct bt_problem;
struct bt_work;

struct bt_chord {
	double *inverse; /* n * n; NULL: not used for this problem */
};

/* Components larger than that are fitted by bt_solve. */
enum {
	BT_CHORD_MOST = 256
};

/* Invert the Hessian at theta; leaves inverse NULL where it is no use. */
enum err bt_chord_open(struct bt_chord *c, const struct bt_problem *p,
    const double *theta) PA_MUST_USE;

void bt_chord_release(struct bt_chord *c);

/*
 * Move theta to the maximum of p (same pairs, other scores, no ghost) until
 * every |gradient| is below tol * sqrt(games), a tol-th of its standard
 * error.  ERR_LIMIT if that does not happen soon: ask bt_solve then.
 */
enum err bt_chord_solve(const struct bt_chord *c, const struct bt_problem *p,
    double tol, double *theta, struct bt_work *w) PA_MUST_USE;

#endif /* PA_BT_CHORD_H */
