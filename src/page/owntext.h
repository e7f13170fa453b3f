/*
 * owntext - an institution's own XHTML file as markup for a page.
 *
 * Layer    page: port/xml.
 * Memory   the result lives in the given pool.
 * Threads  start-up and reload.
 */
#ifndef PA_OWNTEXT_H
#define PA_OWNTEXT_H

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "port/markdown.h"
#include "port/xml.h"

/*
 * The children of the file's <body>.  Elements and attributes that could run
 * or fetch something (script, style, iframe, on…, style=) are faults: they
 * would not work under our security policy anyway.
 */
enum err owntext_load(struct pool *pool, struct text path, struct problems *ps,
    struct markup *out) PA_MUST_USE;

#endif /* PA_OWNTEXT_H */
