/*
 * messages - the sentences of messages.xhtml in one language.
 *
 * Layer    view (inside): base, port/xml.
 * Memory   in the set's pool.
 * Threads  one, while loading; read-only then.
 *
 * Any element of the file's <body> with t:message="id" holds a sentence: its
 * children are what is shown.  "id.one" and "id.other" are the two forms of a
 * sentence with a number, chosen by count and language (en: 1; fa: 0 and 1;
 * zh has only "other").  Names in a sentence are looked up in the row that
 * the program declares for the id, then in the frame.
 */
#ifndef PA_VIEW_MESSAGES_H
#define PA_VIEW_MESSAGES_H

#include "view/compile.h"

/*
 * Compile lib's messages.xhtml.  Every id of declared must be there, and no
 * other; faults become problems.
 */
enum err messages_load(struct library *lib,
    const struct view_message_kind *declared, struct messages *out) PA_MUST_USE;

#endif /* PA_VIEW_MESSAGES_H */
