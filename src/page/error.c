/* This file knows how to say, page by page, why something is not to be had. */
#include "config.h"

#include "page/error.h"

#include <string.h>

#include "page/board_query.h"
#include "page/figure.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"

#define ASKED_MOST 64    /* bytes that are repeated */
#define PROMPTS_MOST 100 /* that are listed */

struct error_row {
	int64_t status;
	struct view_message title, text;
	bool offer_sign_in, no_way; /* no_way: and no link that does */
	struct text near, near_url; /* a prompt that may have been meant */
	struct view_list prompts;   /* or all there are */
	struct text kept;           /* what was written and is not stored */
};

const struct view_shape error_shape = { "error", sizeof(struct error_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct error_row, status, VIEW_INT),
	    VIEW_FIELD(struct error_row, title, VIEW_MESSAGE),
	    VIEW_FIELD(struct error_row, text, VIEW_MESSAGE),
	    VIEW_FIELD(struct error_row, offer_sign_in, VIEW_FLAG),
	    VIEW_FIELD(struct error_row, no_way, VIEW_FLAG),
	    VIEW_FIELD(struct error_row, near, VIEW_TEXT),
	    VIEW_FIELD(struct error_row, near_url, VIEW_URL),
	    VIEW_FIELD_OF(struct error_row, prompts, VIEW_LIST, &option_shape),
	    VIEW_FIELD(struct error_row, kept, VIEW_TEXT), VIEW_END } };

/* The one table: failure → status → words. */
static const struct error_words by_err[ERR__MAX] = {
	[ERR_INVALID] = { 400, "error.invalid.title", "error.invalid.text", 0 },
	[ERR_DENIED] = { 403, "error.denied.title", "error.denied.text", 0 },
	[ERR_SIGNIN] = { 403, "error.signin.title", "error.signin.text", 1 },
	[ERR_NOTFOUND] = { 404, "error.notfound.title", "error.notfound.text",
	    1 },
	[ERR_METHOD] = { 405, "error.method.title", "error.method.text", 0 },
	[ERR_TOOBIG] = { 413, "error.toobig.title", "error.toobig.text", 0 },
	[ERR_CONFLICT] = { 409, "error.conflict.title", "error.conflict.text",
	    0 },
	[ERR_CLOSED] = { 410, "error.closed.title", "error.closed.text", 0 },
	[ERR_LIMIT] = { 429, "error.limit.title", "error.limit.text", 0 },
	[ERR_BUSY] = { 503, "error.busy.title", "error.busy.text", 0 },
	[ERR_FULL] = { 503, "error.full.title", "error.full.text", 0 },
	[ERR_IO] = { 503, "error.full.title", "error.full.text", 0 },
	[ERR_INTERNAL] = { 500, "error.internal.title", "error.internal.text",
	    0 },
};

static const struct {
	const char *reason;
	struct error_words words;
} by_reason[] = {
	{ "foreign_form",
	    { 403, "error.foreign_form.title", "error.foreign_form.text", 0 } },
	{ "old_form",
	    { 403, "error.old_form.title", "error.old_form.text", 0 } },
	{ "identity",
	    { 403, "error.identity.title", "error.identity.text", 0 } },
	{ "not_a_form",
	    { 400, "error.invalid.title", "error.invalid.text", 0 } },
	{ "long_address",
	    { 414, "error.long_address.title", "error.long_address.text", 0 } },
	{ "headers", { 431, "error.headers.title", "error.headers.text", 0 } },
	{ "no_vote", { 403, "error.no_vote.title", "error.no_vote.text", 0 } },
	{ "no_filter",
	    { 400, "error.no_filter.title", "error.no_filter.text", 0 } },
	{ "topic_hidden",
	    { 403, "error.topic_hidden.title", "error.topic_hidden.text", 0 } },
	{ "later", { 403, "error.later.title", "error.later.text", 0 } },
};

struct error_words
error_words(enum err e, const char *reason)
{
	for (size_t i = 0; i < sizeof(by_reason) / sizeof(*by_reason); i++) {
		if (reason != NULL && strcmp(reason, by_reason[i].reason) == 0)
			return by_reason[i].words;
	}
	if ((size_t)e >= ERR__MAX || by_err[e].status == 0)
		e = ERR_INTERNAL;
	return by_err[e];
}

/* With a link to sign in for those who have not, where there is one. */
static struct error_row
row_of(const struct req *rq, const struct error_words *words)
{
	bool offer = words->offer_sign_in && rq->viewer.kind != VIEWER_MEMBER;

	return (struct error_row){ .status = words->status,
		.title = view_say(words->title),
		.text = view_say(words->text),
		.kept = rq->kept,
		.offer_sign_in = offer && rq->conf->sign_in.n > 0,
		.no_way =
		    offer && words->status == 403 && rq->conf->sign_in.n == 0 };
}

enum err
error_page(struct req *rq, const struct error_words *words)
{
	struct error_row row = row_of(rq, words);

	return resp_page_status(rq, words->status, PAGE_ERROR, &row);
}

struct text
error_asked(struct text asked)
{
	return asked.n <= ASKED_MOST ? asked : (struct text){ NULL, 0 };
}

static struct option_row
link_to(struct req *rq, const struct board_row *r)
{
	struct str url =
	    pool_printf(rq->pool, "/prompt/%.*s", (int)r->slug.n, r->slug.p);

	return (struct option_row){ .name = r->title,
		.url = { url.p, url.n },
		.label = view_say(NULL),
		.hint = view_say(NULL) };
}

/* Each prompt once, in the order of the board. */
static struct view_list
all_prompts(struct req *rq, const struct board *b)
{
	size_t all = b->official_n + b->provisional_n, n = 0;
	struct option_row *o = pool_array(rq->pool, all + 1, sizeof(*o));

	for (size_t i = 0; o != NULL && i < all; i++) {
		const struct board_row *r =
		    i < b->official_n ? &b->official[i]
				      : &b->provisional[i - b->official_n];

		/* The newest version stands for its prompt. */
		if (!r->has_newer && n < PROMPTS_MOST)
			o[n++] = link_to(rq, r);
	}
	return view_list(o, n);
}

enum err
error_no_prompt(struct req *rq, struct text asked, const struct board *b)
{
	static const struct error_words words = { 404, "error.no_prompt.title",
		"error.no_prompt.text", 0 };
	struct error_row row = row_of(rq, &words);
	struct figure_words *w = pool_alloc(rq->pool, sizeof(*w));
	const struct board_row *near =
	    board_query_near(rq, b, (struct str){ asked.p, asked.n });

	if (w == NULL)
		return ERR_NOMEM;
	*w = (struct figure_words){ .first = error_asked(asked) };
	row.text = (struct view_message){ words.text, VIEW_NO_INT, w };
	if (near != NULL) {
		row.near = near->title;
		row.near_url = link_to(rq, near).url;
	} else {
		row.prompts = all_prompts(rq, b);
	}
	return resp_page_status(rq, words.status, PAGE_ERROR, &row);
}
