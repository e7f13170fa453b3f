/*
 * generate - answers made ready, or judged anew, on command.
 *
 * Layer    cmd: base, model.
 * Memory   borrows its arguments.
 * Threads  verbs on the control thread; commands on main.
 */
#ifndef PA_GENERATE_H
#define PA_GENERATE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct conf;
struct store;
struct works;

/* "generate N" orders so many pairs a type, "generate look" tells how far. */
enum err generate_verb(struct works *w, const struct str *args, size_t args_n,
    struct buf *answer) PA_MUST_USE;

/* Judge every stored answer by the list of today. */
enum err rescan_all(struct store *store, const struct conf *conf,
    struct buf *answer) PA_MUST_USE;

/* `prompt-arena generate`, `prompt-arena rescan`: exit codes. */
int cmd_generate(int argc, char **argv);
int cmd_rescan(int argc, char **argv);

#endif /* PA_GENERATE_H */
