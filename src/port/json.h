/*
 * json - reading JSON that others made, writing our own.
 *
 * Layer    port: the only place that knows jansson.
 * Memory   js_parse allocates a document, js_close frees it whole; parts
 *          and strings are borrowed from it.  The writer appends to a buf.
 * Threads  a document belongs to one thread.
 *
 * Names begin with js_ because jansson has taken json_.
 *
 * Getters never crash: NULL, a missing member or another type gives the
 * stated failure, so a path of calls needs one check at its end.
 */
#ifndef PA_JSON_H
#define PA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define JS_DEPTH_MAX 64

struct js; /* a value: a document's root, or a part of one */

struct js_fault {
	int line, column;
	char text[160];
};

/*
 * Parse one object or array.  ERR_TOOBIG over max bytes or JS_DEPTH_MAX
 * levels, ERR_SYNTAX when it is no JSON, repeats a key in an object, or has
 * anything after its end; fault (may be NULL) says where and what.
 */
enum err js_parse(struct str s, size_t max, struct js **out,
    struct js_fault *fault) PA_MUST_USE;
/*
 * As js_parse, for what other programs send: the last of equal keys counts,
 * as it does for nearly every other reader.
 */
enum err js_parse_foreign(struct str s, size_t max, struct js **out,
    struct js_fault *fault) PA_MUST_USE;
void js_close(struct js *root);

/* A member, an element; NULL when there is none. */
const struct js *js_get(const struct js *object, const char *key);
const struct js *js_at(const struct js *array, size_t i);

/* Members or elements; 0 for anything else. */
size_t js_count(const struct js *v);

bool js_is_object(const struct js *v);
bool js_is_array(const struct js *v);
bool js_is_null(const struct js *v); /* the literal, not absence */

/* Member number i of an object, in the order written; NULL at the end. */
const struct js *js_member(const struct js *object, size_t i, struct str *key);

/* The string's bytes (may hold NUL; not yet clean text); absent if none. */
struct str js_str(const struct js *v);

/* ERR_INVALID for another type or out of range; *out untouched. */
enum err js_int(
    const struct js *v, int64_t min, int64_t max, int64_t *out) PA_MUST_USE;
enum err js_real(const struct js *v, double *out) PA_MUST_USE;
enum err js_bool(const struct js *v, bool *out) PA_MUST_USE;

/* v as compact JSON, members in their order, reals with 17 digits. */
void js_dump(const struct js *v, struct buf *b);

/*
 * The writer: members come out in the order of the calls.  key is NULL for
 * elements of an array and for the root.  What is unknown stays absent: a
 * member whose string is absent or whose real is not finite is left out.
 */
struct js_out {
	struct buf *b;
	uint64_t arrays; /* bit d: level d is an array */
	unsigned depth;
	bool started; /* the open level has something in it */
};

void js_begin(struct js_out *o, struct buf *b);
void js_put_object(struct js_out *o, const char *key);
void js_put_array(struct js_out *o, const char *key);
void js_end(struct js_out *o); /* closes what was opened last */

void js_put_str(struct js_out *o, const char *key, struct str v);
void js_put_text(struct js_out *o, const char *key, struct text v);
void js_put_int(struct js_out *o, const char *key, int64_t v);
void js_put_real(struct js_out *o, const char *key, double v);
void js_put_fixed(struct js_out *o, const char *key, double v, int decimals);
void js_put_bool(struct js_out *o, const char *key, bool v);
void js_put_null(struct js_out *o, const char *key);

/* JSON that is already made. */
void js_put_raw(struct js_out *o, const char *key, struct str json);

#endif /* PA_JSON_H */
