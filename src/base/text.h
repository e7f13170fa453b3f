/*
 * text - the gate between the world's bytes and our pages.
 *
 * Layer    base.
 * Memory   results live in the given pool, or are borrowed where said.
 * Threads  pure.
 *
 * Every string from a person, a model or the network passes text_clean()
 * once, on entry, and is a struct text from then on.
 */
#ifndef PA_TEXT_H
#define PA_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/str.h"

/*
 * Bytes made clean: each maximal invalid UTF-8 subpart, NUL, C0 and C1
 * control (but TAB, LF), surrogate, U+FFFE/FFFF and other non-characters
 * becomes U+FFFD; CRLF and CR become LF; bidi overrides and isolates
 * (U+202A-202E, U+2066-2069), U+200B, U+2060, U+FEFF and tag characters
 * (U+E0000-E007F) are dropped (ZWJ, ZWNJ, LRM, RLM stay: scripts need them),
 * and so are combining marks after the eighth on one letter.
 * Borrows s when nothing had to change.
 */
struct text text_clean(struct pool *p, struct str s);

/* True when text_clean would change nothing. */
bool text_is_clean(struct str s);

/*
 * As text_clean, but input from a form: ERR_INVALID when the bytes are not
 * UTF-8 or hold a NUL (a browser never sends such), ERR_TOOBIG over max
 * characters.  *out untouched on failure.
 */
enum err text_input(struct pool *p, struct str s, size_t max_chars,
    struct text *out) PA_MUST_USE;

/* Next code point at *i (advances it); U+FFFD for a bad byte. */
uint32_t text_next(struct str s, size_t *i);

/* Code points, words (CJK characters count as one word each), lines. */
size_t text_chars(struct text t);
size_t text_words(struct text t);
size_t text_lines(struct text t);

/* At most n code points, cut on a character's border. */
struct text text_cut(struct text t, size_t n);

/* White space and characters that show nothing only, or nothing at all. */
bool text_is_blank(struct text t);

#endif /* PA_TEXT_H */
