/*
 * failpoint - places where a test may make this program fail.
 *
 * Layer    base.
 * Memory   keeps a copy of the specification.
 * Threads  any.
 *
 * Compiled in always, so that what is tested is what ships; without a
 * specification a call costs one load.  The specification comes from the
 * environment, PROMPT_ARENA_FAILPOINT, or from failpoint_arm:
 *
 *	name:action[@n][,name:action…]
 *
 * action: kill (SIGKILL to ourselves), full (ERR_FULL), io (ERR_IO).  With @n
 * it happens at the n-th passage only, otherwise at each.  Names stand with
 * their calls; tests/model/ uses them all.
 */
#ifndef PA_FAILPOINT_H
#define PA_FAILPOINT_H

#include <stdbool.h>

#include "base/err.h"

/* ERR_OK; or, when armed for this name, what was asked for. */
enum err failpoint(const char *name) PA_MUST_USE;

/* True when a specification speaks of this name; counts no passage. */
bool failpoint_is_armed(const char *name);

/* Replace the specification; NULL takes it away.  For tests. */
void failpoint_arm(const char *spec);

#endif /* PA_FAILPOINT_H */
