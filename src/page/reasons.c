/* This file knows how to say why votes are not counted. */
#include "config.h"

#include "page/reasons.h"

#include "page/pages.h"
#include "page/req.h"

const struct view_shape reason_shape = { "reason", sizeof(struct reason_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct reason_row, label, VIEW_MESSAGE),
	    VIEW_FIELD(struct reason_row, votes, VIEW_INT), VIEW_END } };

struct view_list
reasons_list(struct req *rq, const struct totals_reason *reasons, size_t n)
{
	struct reason_row *r = pool_array(rq->pool, n + 1, sizeof(*r));

	for (size_t i = 0; r != NULL && i < n; i++) {
		const char *id = page_message("reason.", reasons[i].why);

		r[i].label = view_say(id != NULL ? id : "reason.other");
		r[i].votes = reasons[i].votes;
	}
	return view_list(r, r != NULL ? n : 0);
}
