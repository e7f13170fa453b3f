/*
 * rate - prompt-arena rate: ratings of any vote file.
 *
 * Layer    main.
 * Memory   frees what it takes.
 * Threads  one, besides those of the bootstrap.
 */
#ifndef PA_CMD_RATE_H
#define PA_CMD_RATE_H

/* argv[0] is "rate".  Returns a sysexits(3) code. */
int cmd_rate(int argc, char **argv);

#endif /* PA_CMD_RATE_H */
