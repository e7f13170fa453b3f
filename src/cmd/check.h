/*
 * check - `prompt-arena check`: what is wrong with the files of an arena.
 *
 * Layer    cmd.
 * Memory   frees all it makes.
 * Threads  main, alone.
 */
#ifndef PA_CHECK_H
#define PA_CHECK_H

/*
 * `check [--conf PATH] [--state DIR]`: configuration, catalog, templates and
 * database are read as `serve` would, and nothing is changed.  Every fault
 * goes to standard error as "file:line: what is wrong; what to write".
 * Returns an exit code: 0, 64 or 78.
 */
int cmd_check(int argc, char **argv);

#endif /* PA_CHECK_H */
