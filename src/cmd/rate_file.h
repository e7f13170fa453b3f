/*
 * rate_file - the readers of vote files and what their headers must have.
 *
 * Layer    main.
 * Memory   nothing is kept but what struct rate_data owns.
 * Threads  one.
 */
#ifndef PA_RATE_FILE_H
#define PA_RATE_FILE_H

#include "cmd/rate_data.h"
#include "cmd/rate_source.h"

/* Count the votes of an opened file, from its first record to its last. */
enum err rate_csv_read(struct rate_source *, struct rate_data *,
    const struct rate_want *) PA_MUST_USE;
enum err rate_jsonl_read(struct rate_source *, struct rate_data *,
    const struct rate_want *) PA_MUST_USE;

/* Do these columns (RATE__MAX of them) make a vote file?  Else a message. */
enum err rate_file_columns(
    struct rate_data *, uint64_t line, const bool *has) PA_MUST_USE;

/* There is no grouping by want->by; these columns would do. */
enum err rate_file_no_group(struct rate_data *, uint64_t line,
    const struct rate_want *, const char *others) PA_MUST_USE;

#endif /* PA_RATE_FILE_H */
