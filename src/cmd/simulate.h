/*
 * simulate - `prompt-arena simulate`, as main's table of commands sees it.
 *
 * Layer    cmd.
 * Memory   none kept.
 * Threads  the main thread, before any other.
 */
#ifndef PA_CMD_SIMULATE_H
#define PA_CMD_SIMULATE_H

/*
 * `simulate --votes N [--seed S] [--conf PATH] [--state DIR]`: fill an arena
 * that has no real votes.  Not while a service runs on it.  Returns an exit
 * code.
 */
int cmd_simulate(int argc, char **argv);

#endif /* PA_CMD_SIMULATE_H */
