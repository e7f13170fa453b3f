/*
 * storage - `prompt-arena verify`, `recompute` and `backup`.
 *
 * Layer    cmd.
 * Memory   frees all it makes.
 * Threads  main; recompute starts the store's writer.
 *
 * All take [--conf PATH] [--state DIR] to find the database, or
 * [--database FILE] to name it without any configuration.
 */
#ifndef PA_STORAGE_H
#define PA_STORAGE_H

/*
 * Prints what was checked, and where a mismatch is.  Reads only, also beside
 * a running service.  0; 65 a mismatch; 66 no database; 74 it cannot be read.
 */
int cmd_verify(int argc, char **argv);

/*
 * `recompute [--rebuild]`: table rating anew from the votes.  75 while a
 * service runs.  --rebuild first makes a lost database from votes.log.
 */
int cmd_recompute(int argc, char **argv);

/* `backup FILE`: the database in FILE, the ledger in FILE.votes.log. */
int cmd_backup(int argc, char **argv);

#endif /* PA_STORAGE_H */
