/*
 * frame - what stands around every page: names, navigation, who is here.
 *
 * Layer    page: view, model.
 * Memory   rows live in the request's pool.
 * Threads  one request.
 */
#ifndef PA_FRAME_H
#define PA_FRAME_H

#include <stdbool.h>

#include "base/err.h"
#include "page/pages.h"

struct req;

struct frame {
	struct text site, institution, version;
	struct view_list nav, personal, foot, staff; /* of links */
	bool signed_in, guest;
	bool can_vote; /* now, or by a first POST */
	bool simulated;
	bool noindex;
	struct text viewer;
	struct text sign_in; /* where to; absent: no use or no place */
	struct text csrf;    /* absent for visitors without a session */
	/* What the script needs to tell people of their notices; poll is
	 * absent for visitors without a session. */
	struct text poll, read, worker, sounds, icon, notices;
	struct text person; /* parts people who share a browser */
	struct text thread; /* of the page shown, or absent */
	bool waits;         /* for something of that thread */
	struct text feed; /* of new official prompts; absent: not to be seen */
	struct view_list problems;
	struct view_message done;
};

extern const struct view_shape frame_shape;

enum err frame_fill(
    struct req *rq, enum page_id page, struct frame *out) PA_MUST_USE;

#endif /* PA_FRAME_H */
