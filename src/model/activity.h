/*
 * activity - who plays which prompts and questions, when, and who sees what.
 *
 * Layer    model.
 * Memory   rows live in the given pool.
 * Threads  pure, or the connection's thread.
 */
#ifndef PA_ACTIVITY_H
#define PA_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/account.h"

struct db;

struct activity {
	int64_t id;
	struct text slug, title;
	int64_t opens, closes;    /* Unix seconds; 0: none */
	struct text group;        /* absent: everyone */
	bool results_when_closed; /* its board is shown after it has closed */
	bool retired;
};

enum activity_phase {
	ACTIVITY_BEFORE,
	ACTIVITY_OPEN,
	ACTIVITY_AFTER /* closed, or no longer in the files */
};

/*
 * SQL: when match m ends: by itself, or with its activity; at 0 when that is
 * no longer in the files.
 */
#define MATCH_ENDS_M                                                           \
	"(SELECT CASE WHEN activity.retired THEN 0"                            \
	" ELSE min(m.ends_at, coalesce(activity.closes, m.ends_at)) END"       \
	" FROM activity WHERE activity.id = m.activity)"

enum activity_phase activity_phase(const struct activity *a, int64_t now);

/* Is this person one of those it is for (its group, or everyone)? */
bool activity_is_for(const struct activity *a, const struct voter *who);

/*
 * May its board be shown?  results="closed" hides it from everybody but
 * staff (teachers and above; the caller knows the roles) until it closes.
 */
bool activity_shows_results(const struct activity *a, int64_t now, bool staff);

/* All, in catalog order, retired ones last. */
enum err activity_list(struct db *db, struct pool *pool,
    const struct activity **out, size_t *n) PA_MUST_USE;

enum err activity_find(struct db *db, struct pool *pool, struct text slug,
    struct activity *out) PA_MUST_USE;

#endif /* PA_ACTIVITY_H */
