/*
 * error - what a visitor is told when something is not to be had.
 *
 * Layer    page.
 * Memory   tables are const.
 * Threads  one request.
 */
#ifndef PA_ERROR_H
#define PA_ERROR_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct board;
struct req;

struct error_words {
	int status;
	const char *title, *text; /* message ids */
	bool offer_sign_in;
};

/* reason (may be NULL) sharpens what e alone says. */
struct error_words error_words(enum err e, const char *reason);

/* Build the error page into rq. */
enum err error_page(
    struct req *rq, const struct error_words *words) PA_MUST_USE;

/* The 404 for a prompt of b that is not there: the nearest one, or all. */
enum err error_no_prompt(
    struct req *rq, struct text asked, const struct board *b) PA_MUST_USE;

/* What was asked for, to be repeated on a page; absent when too long. */
struct text error_asked(struct text asked);

#endif /* PA_ERROR_H */
