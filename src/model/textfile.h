/*
 * textfile - a small text of the configuration that stands in its own file.
 *
 * Layer    model: base, port/xml (problems).
 * Memory   the text lives in the given pool.
 * Threads  pure but for reading the file.
 */
#ifndef PA_TEXTFILE_H
#define PA_TEXTFILE_H

#include <stdbool.h>

#include "base/pool.h"
#include "port/xml.h"

struct textfile {
	const char *path;
	size_t max;           /* bytes */
	bool secret;          /* refuse a file that others may read */
	const char *named_in; /* the file that names it, ... */
	int line;             /* ... where, ... */
	const char *named_by; /* ... and how: "the attribute \"file\" of <x>" */
	const char *missing;  /* what to do when there is none, or NULL */
};

/*
 * The file's text: UTF-8 without what text_clean would change, LF line ends
 * (CR LF and a byte order mark are taken), no line ends at its end.  Any fault
 * becomes a problem and ERR_CONFIG, and *out is untouched.
 */
enum err textfile_load(struct pool *pool, const struct textfile *t,
    struct problems *ps, struct text *out) PA_MUST_USE;

/* The same rules for bytes at hand: problems speak of t->path. */
enum err textfile_parse(struct pool *pool, const struct textfile *t,
    struct str bytes, struct problems *ps, struct text *out) PA_MUST_USE;

/* Is there a file (or a folder) of that path?  A problem at t->line if not. */
enum err textfile_exists(
    const struct textfile *t, bool folder, struct problems *ps) PA_MUST_USE;

#endif /* PA_TEXTFILE_H */
