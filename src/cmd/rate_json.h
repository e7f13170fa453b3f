/*
 * rate_json - the members of one JSON object that a vote needs.
 *
 * Layer    main.
 * Memory   decodes in place; fields point into the caller's bytes.
 * Threads  pure.
 */
#ifndef PA_RATE_JSON_H
#define PA_RATE_JSON_H

#include <stddef.h>

struct rate_field;
struct rate_want;

/*
 * Read the object at p[0..n) and fill field[RATE__MAX] with the strings,
 * numbers and booleans whose names have a role; nested values and null are
 * passed over.  Returns NULL, or what is wrong.  The bytes are changed.
 */
const char *rate_json_object(
    char *p, size_t n, const struct rate_want *want, struct rate_field *field);

#endif /* PA_RATE_JSON_H */
