/*
 * rate_source - the records of a vote file, one after the other.
 *
 * Layer    main.
 * Memory   malloc; rate_source_close frees all.
 * Threads  one.
 *
 * What fails says so with rate_data_fail.
 */
#ifndef PA_RATE_SOURCE_H
#define PA_RATE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/rate_data.h"

struct rate_source {
	int fd;
	char *buf;
	char *at, *end; /* unread bytes; RATE_NAMES_SLACK may be read behind */
	bool eof;
	bool json;   /* a line end always ends the record */
	bool quotes; /* the unread bytes hold a double quote */
	uint64_t line;
	off_t start; /* where reading began; -1: cannot be read again */
	char comma;  /* what separates fields; 0 before the header */
};

/*
 * Open path ("-": standard input) and stand at its first byte that is no mark
 * of byte order.  Close it whatever this returns.
 */
enum err rate_source_open(
    struct rate_source *, struct rate_data *, const char *path) PA_MUST_USE;

/* Why the first bytes cannot be those of a vote file, or NULL. */
const char *rate_source_refusal(const struct rate_source *);

/*
 * The next record without its line end, *p = NULL at the end of the file.
 * s->line is the number of its last line.
 */
enum err rate_source_next(
    struct rate_source *, struct rate_data *, char **p, size_t *n) PA_MUST_USE;

/* Make it readable from its start again; before the first record. */
enum err rate_source_keep(struct rate_source *, struct rate_data *) PA_MUST_USE;

/* Back to the start. */
enum err rate_source_rewind(
    struct rate_source *, struct rate_data *) PA_MUST_USE;

void rate_source_close(struct rate_source *);

#endif /* PA_RATE_SOURCE_H */
