/*
 * rate_compare - the answer to "is A really better than B?" in words.
 *
 * Layer    main.
 * Memory   none kept.
 * Threads  one.
 */
#ifndef PA_RATE_COMPARE_H
#define PA_RATE_COMPARE_H

#include <stdio.h>

#include "base/err.h"

struct rate_data;
struct rate_opts;

/* Compare o->compare_a with o->compare_b; a table or a JSON object. */
enum err rate_compare(
    FILE *out, struct rate_data *data, const struct rate_opts *o) PA_MUST_USE;

#endif /* PA_RATE_COMPARE_H */
