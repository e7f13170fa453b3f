/*
 * board_query - a leaderboard's address, read and written.
 *
 * Layer    page: model.
 * Memory   results live in the request's pool.
 * Threads  one request.
 */
#ifndef PA_BOARD_QUERY_H
#define PA_BOARD_QUERY_H

#include "model/board.h"

struct req;
struct standing_snapshot;

/*
 * Read the query string and load the board it asks for, in full if asked
 * there or here.  A filter that does
 * not exist is ERR_INVALID, a board not yet to be seen ERR_DENIED, each with
 * rq->reason set.
 */
enum err board_query_load(struct req *rq, bool full, struct board_query *q,
    struct board *out) PA_MUST_USE;

/*
 * The ratings there are, those of every vote so far if they come soon: this
 * request's until its end.  NULL when none were ever made.
 */
const struct standing_snapshot *board_snapshot(struct req *rq);

/* The same without waiting for anything. */
const struct standing_snapshot *board_snapshot_now(struct req *rq);

/* path with q's filters, and this order ("elo", "-elo"; NULL: none). */
struct text board_query_url(struct req *rq, const char *path,
    const struct board_query *q, const char *sort);

/* The row of that slug or, if there is none, of the nearest one, in its newest
 * version; NULL: none is near. */
const struct board_row *board_query_near(
    struct req *rq, const struct board *b, struct str slug);

#endif /* PA_BOARD_QUERY_H */
