/*
 * buf - a growing byte buffer with a mandatory maximum.
 *
 * Layer    base.
 * Memory   owns its bytes (malloc); buf_release frees them.
 * Threads  one thread at a time.
 *
 * Appends to a buffer that is full or out of memory become no-ops and set a
 * flag that stays until buf_clear: write everything, then ask once.
 */
#ifndef PA_BUF_H
#define PA_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct buf {
	char *p;     /* NUL-terminated whenever n > 0 or after buf_z() */
	size_t n;    /* bytes in use */
	size_t room; /* bytes allocated */
	size_t max;  /* never more than this */
	bool failed;
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);
void buf_clear(struct buf *b);

void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_z(struct buf *b, const char *z);
void buf_c(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PA_PRINTF(2, 3);
void buf_int(struct buf *b, int64_t v);

/*
 * v with exactly `decimals` (0..9) digits after the point, rounded half away
 * from zero; about ten times faster than printf.  A value that is not finite
 * or beyond 9e15 adds nothing and fails the buffer.  What rounds to zero has
 * no minus.
 */
void buf_fixed(struct buf *b, double v, int decimals);

/* v with 17 significant digits ("%.17g"): reading it back gives v. */
void buf_real(struct buf *b, double v);

/* s as the inside of a JSON string, without the quotes. */
void buf_json(struct buf *b, struct str s);

/*
 * s escaped for XML text and for a double-quoted XML attribute.  A reader
 * takes TAB and LF in an attribute for a space; buf_xml_attr keeps them.
 * Bytes that XML cannot hold become U+FFFD.
 */
void buf_xml(struct buf *b, struct str s);
void buf_xml_attr(struct buf *b, struct str s);

/* s percent-encoded for a path segment or query value. */
void buf_url(struct buf *b, struct str s);

/*
 * s as one CSV field (RFC 4180), always safe to open in a spreadsheet: a
 * leading = + - @ TAB CR, or their full-width forms, gets a ' in front.
 * Numbers are written with buf_int and buf_fixed, not through this.
 */
void buf_csv(struct buf *b, struct str s);

struct str buf_as_str(const struct buf *b);

#endif /* PA_BUF_H */
