/*
 * notices - what pages that notices lead to do about them.
 *
 * Layer    page: model.
 * Memory   keeps nothing.
 * Threads  one request.
 */
#ifndef PA_PAGE_NOTICES_H
#define PA_PAGE_NOTICES_H

#include "base/err.h"
#include "base/str.h"

struct req;

/*
 * Opening a page reads the notices of its thread; a page that only looks
 * again by itself ("wait" in the query) does not.
 */
enum err notices_opened(struct req *rq, struct text thread) PA_MUST_USE;

/* Have read what this viewer may not see (any more), before any is shown. */
enum err notices_withhold(struct req *rq) PA_MUST_USE;

#endif /* PA_PAGE_NOTICES_H */
