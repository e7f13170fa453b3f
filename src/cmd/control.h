/*
 * control - a word with the running service, over a socket of its own.
 *
 * Layer    cmd: base, port/listen.
 * Memory   control_open allocates, control_close frees.
 * Threads  the hooks are called on the control thread, one at a time.
 *
 * Protocol: the client sends one line, the verb and its arguments percent-
 * encoded and separated by spaces; it gets "ok" or "error NAME" on a line of
 * its own, then the answer as it is, then the end.
 */
#ifndef PA_CONTROL_H
#define PA_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define CONTROL_LINE_MAX ((size_t)64 * 1024)
#define CONTROL_ANSWER_MAX ((size_t)64 << 20)
#define CONTROL_ARGS_MAX 64

struct control;

/*
 * Carry out one request.  *hold says that the caller is to hear the answer
 * now but the end only when the process ends.
 */
typedef enum err control_fn(void *ctx, struct str verb, const struct str *args,
    size_t args_n, struct buf *answer, bool *hold);

/* Listen at path (0600; root and this user alone are heard). */
enum err control_open(struct control **out, const char *path, control_fn *fn,
    void *ctx) PA_MUST_USE;
void control_close(struct control *c);

#endif /* PA_CONTROL_H */
