/*
 * rate_more - what a ranking hides: --check and --raters.
 *
 * Layer    main.
 * Memory   none kept.
 * Threads  one.
 */
#ifndef PA_RATE_MORE_H
#define PA_RATE_MORE_H

#include <stdio.h>

#include "base/err.h"

struct rate_data;
struct rate_opts;

/* Cycles, goodness of fit, held-out loss, fragility; a JSON member. */
enum err rate_check(
    FILE *out, struct rate_data *data, const struct rate_opts *o) PA_MUST_USE;

/* Who votes well; a JSON member. */
enum err rate_raters(
    FILE *out, struct rate_data *data, const struct rate_opts *o) PA_MUST_USE;

#endif /* PA_RATE_MORE_H */
