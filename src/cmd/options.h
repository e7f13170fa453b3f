/*
 * options - words of a command line, taken out one by one.
 *
 * Layer    cmd: base.
 * Memory   borrows argv.
 * Threads  main, before any other.
 *
 * What was taken is removed from argv, so that what is left are operands: a
 * command that expects none finds *argc == 1.
 */
#ifndef PA_OPTIONS_H
#define PA_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"

/* Is the flag there?  Takes every occurrence. */
bool options_has(int *argc, char **argv, const char *flag);

/*
 * The value of "--name VALUE" or "--name=VALUE"; *value is untouched when
 * the option is absent.  ERR_INVALID when its value is missing or it stands
 * there twice.
 */
enum err options_take(
    int *argc, char **argv, const char *name, const char **value) PA_MUST_USE;

/* The configuration's path: what was given, the environment, the default. */
const char *options_conf(const char *given);

#endif /* PA_OPTIONS_H */
