/*
 * opponents - who a prompt version met, and how far it is from its neighbours.
 *
 * Layer    page: model, view.
 * Memory   rows live in the request's pool.
 * Threads  one request.
 */
#ifndef PA_OPPONENTS_H
#define PA_OPPONENTS_H

#include "page/board_query.h"
#include "view/shape.h"

struct req;

struct opponent_row {
	struct text name, url; /* url: the two compared */
	double share;          /* percent won, ties half */
	int64_t matches;
};
extern const struct view_shape opponent_shape;

/*
 * The three it did best against and the three it did worst against, the best
 * and the worst first; nobody is in both, and nobody whom it has met fewer than
 * five times.
 */
struct opponents {
	struct view_list best, worst;
};
struct opponents opponents_of(
    struct req *rq, const struct board *b, struct text digest);

/* About the official neighbour above (or below): what it would take. */
struct view_message neighbour_of(
    struct req *rq, const struct board *b, struct text digest, bool above);

#endif /* PA_OPPONENTS_H */
