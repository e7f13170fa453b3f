/*
 * reasons - why votes are not counted, as a list in words.
 *
 * Layer    page: model, view.
 * Memory   rows live in the request's pool.
 * Threads  one request.
 */
#ifndef PA_REASONS_H
#define PA_REASONS_H

#include "model/board.h"
#include "view/shape.h"

struct req;

struct reason_row {
	struct view_message label;
	int64_t votes;
};
extern const struct view_shape reason_shape;

struct view_list reasons_list(
    struct req *rq, const struct totals_reason *reasons, size_t n);

#endif /* PA_REASONS_H */
