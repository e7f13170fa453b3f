/*
 * form - what a person typed, from application/x-www-form-urlencoded.
 *
 * Layer    page: base.
 * Memory   fields live in the given pool.
 * Threads  one request, one thread.
 *
 * Strict: at most FORM_FIELDS fields, names of at most FORM_NAME bytes,
 * values of at most FORM_VALUE bytes; a broken escape, a NUL or bytes that
 * are not UTF-8 refuse the whole form; everything is decoded exactly once.
 * A query string is read by the same rules.
 */
#ifndef PA_FORM_H
#define PA_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

#define FORM_FIELDS 200
#define FORM_NAME 64
#define FORM_VALUE 81920 /* 20,000 characters of any script */

struct form_field {
	struct text name, value;
};

struct form {
	const struct form_field *fields; /* in the order sent */
	size_t n;
};

/*
 * ERR_INVALID when s is not such a form or over the limits above; ERR_NOMEM.
 * An empty s is a form without fields.  *out untouched on failure.
 */
enum err form_parse(
    struct pool *pool, struct str s, struct form *out) PA_MUST_USE;

/*
 * Percent-decode s once.  plus: "+" is a blank (forms, not paths).
 * ERR_INVALID for a broken escape or a decoded NUL.
 */
enum err form_unescape(
    struct pool *pool, struct str s, bool plus, struct str *out) PA_MUST_USE;

/*
 * The one value of that name; absent when it was not sent.  ERR_INVALID when
 * it was sent more than once: nobody may choose which one counts.
 */
enum err form_one(
    const struct form *f, const char *name, struct text *out) PA_MUST_USE;

/* As form_one, trimmed, and absent when only white space was sent. */
enum err form_word(
    const struct form *f, const char *name, struct text *out) PA_MUST_USE;

/* As form_word, a number from 1; when it is absent *out is untouched. */
enum err form_number(
    const struct form *f, const char *name, int64_t *out) PA_MUST_USE;

/* A tick box: true for "1", false when absent, ERR_INVALID otherwise. */
enum err form_tick(
    const struct form *f, const char *name, bool *out) PA_MUST_USE;

/* The next value of a repeatable field; start with *i = 0. */
bool form_next(
    const struct form *f, const char *name, size_t *i, struct text *out);

/*
 * "22:30" (also "9:05") as minutes of the day; digits may be those of
 * Persian or Arabic.  ERR_INVALID otherwise.
 */
enum err form_minute(struct text t, int64_t *out) PA_MUST_USE;

#endif /* PA_FORM_H */
