/* This file knows how to show the institution's own texts, or ours. */
#include "config.h"

#include "page/app.h"
#include "page/handlers.h"
#include "page/pages.h"
#include "page/req.h"

struct text_row {
	struct markup own_text;
	struct text contact;
};

const struct view_shape text_shape = { "text", sizeof(struct text_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct text_row, own_text, VIEW_MARKUP),
	    VIEW_FIELD(struct text_row, contact, VIEW_TEXT), VIEW_END } };

/* GET /privacy */
enum err
pg_privacy(struct req *rq)
{
	struct text_row row = { rq->app->privacy, rq->conf->contact };

	return resp_page(rq, PAGE_PRIVACY, &row);
}

/* GET /accessibility */
enum err
pg_accessibility(struct req *rq)
{
	struct text_row row = { rq->app->accessibility, rq->conf->contact };

	return resp_page(rq, PAGE_ACCESSIBILITY, &row);
}
