/*
 * route - the table of everything this program answers.
 *
 * Layer    cmd.
 * Memory   const.
 * Threads  pure.
 */
#ifndef PA_CMD_ROUTE_H
#define PA_CMD_ROUTE_H

#include "page/route.h"

extern const struct route route_table[]; /* ended by an entry without method */

#endif /* PA_CMD_ROUTE_H */
