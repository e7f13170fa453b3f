/*
 * lang - what a language asks of a page: direction, digits, plural, choice.
 *
 * Layer    view.
 * Memory   none.
 * Threads  pure.
 */
#ifndef PA_VIEW_LANG_H
#define PA_VIEW_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* "rtl" or "ltr". */
const char *lang_dir(const char *lang);

/* Are numbers in text written in Persian digits? */
bool lang_persian(const char *lang);

/* Does the language tell one from many at all? */
bool lang_has_one(const char *lang);

/* Is count "one" by the language's rule (CLDR, whole numbers)? */
bool lang_is_one(const char *lang, int64_t count);

/*
 * Index of the language of langs[0..n) that an Accept-Language value (RFC
 * 9110) likes best; -1 when it names none of them ("*" names none).  A region
 * decides the script: zh-TW, zh-HK and zh-MO are zh-Hant.
 */
int lang_pick(const char *const *langs, size_t n, struct str accept);

/*
 * Mark each of langs[0..n) that an Accept-Language value names, by its first
 * subtag, with a weight above 0.  False, and nothing is marked, when it names
 * none of them.  "*" names all.
 */
bool lang_read(
    const char *const *langs, size_t n, struct str accept, bool *reads);

#endif /* PA_VIEW_LANG_H */
