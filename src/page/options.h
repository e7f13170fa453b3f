/*
 * options - menus, radio groups and tag lists as rows.
 *
 * Layer    page: view, model.
 * Memory   rows live in the given pool.
 * Threads  one request.
 */
#ifndef PA_OPTIONS_H
#define PA_OPTIONS_H

#include "base/pool.h"
#include "model/board.h"
#include "page/pages.h"

/* Tags with their words; each links to its board when linked is set. */
struct view_list options_tags(
    struct pool *pool, const struct match_tag *tags, size_t n, bool linked);

/* A filter's menu; prefix is that of the labels ("type."), or NULL. */
struct view_list options_menu(struct pool *pool,
    const struct board_choice *choices, size_t n, const char *prefix);

/* "any" and the question types, as radio buttons; chosen may be absent. */
struct view_list options_types(struct pool *pool, struct text chosen);

/* Languages by their code. */
struct view_list options_langs(
    struct pool *pool, const struct text *codes, size_t n, struct text chosen);

bool option_is(struct text a, struct text b);

#endif /* PA_OPTIONS_H */
