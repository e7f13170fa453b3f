/*
 * str - a borrowed run of bytes with its length.
 *
 * Layer    base.
 * Memory   owns nothing; the bytes live where their maker said.
 * Threads  pure.
 *
 * struct str is any bytes; struct text is bytes that passed text_clean():
 * valid UTF-8, only characters that XML 1.0 allows.  p == NULL means absent,
 * which is not the same as empty.
 */
#ifndef PA_STR_H
#define PA_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct str {
	const char *p;
	size_t n;
};

struct text {
	const char *p;
	size_t n;
};

/* A string literal as a value. */
#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
#define TEXT(literal) ((struct text){ (literal), sizeof(literal) - 1 })

/* A C string (NULL becomes absent). */
struct str str_of(const char *z);

/* A C string that is known to be clean: constants, tokens, stored text. */
struct text text_of(const char *z);

bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *z);
bool str_starts(struct str s, const char *prefix);

/* Below, at or above 0, as memcmp: by bytes, then by length. */
int str_cmp(struct str a, struct str b);
int text_cmp(struct text a, struct text b);

/* 0 to 15; -1: c is no hexadecimal digit. */
int str_hex(char c);

/* Without ASCII white space at both ends. */
struct str str_trim(struct str s);

/* Cut *s at the first c: returns what is before, leaves in *s what is after
 * (absent when c did not occur). */
struct str str_cut(struct str *s, char c);

/*
 * Strict decimal: digits only, optional leading '-', no blanks, no overflow,
 * within [min, max].  ERR_INVALID otherwise; *out untouched.
 */
enum err str_int(
    struct str s, int64_t min, int64_t max, int64_t *out) PA_MUST_USE;

/* Strict decimal fraction ("12", "-0.5", "1e-3"); finite; no locale. */
enum err str_real(struct str s, double *out) PA_MUST_USE;

/* True when all bytes are equal, in time that depends on n alone. */
bool str_eq_secret(struct str a, struct str b);

/* Where s stands among names[0..count); count: nowhere. */
size_t str_index(struct str s, const char *const *names, size_t count);

/*
 * The entry of names[0..count) nearest to s (Damerau-Levenshtein, at most a
 * third of its length away), or NULL: "did you mean".
 */
const char *str_nearest(struct str s, const char *const *names, size_t count);

#endif /* PA_STR_H */
