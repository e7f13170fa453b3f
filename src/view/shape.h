/*
 * shape - how a C struct looks to a template: names, types, places.
 *
 * Layer    view.
 * Memory   tables are const; rows live in the request's pool.
 * Threads  pure.
 *
 * A page fills plain structs and describes them in a const table; templates
 * name the fields; the names are checked when templates are loaded.
 */
#ifndef PA_SHAPE_H
#define PA_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "port/markdown.h" /* struct markup */

enum view_kind {
	VIEW_TEXT,    /* struct text; absent when p is NULL */
	VIEW_FIGURES, /* struct text made of numbers ("11-29", "52.7 %"): its
			 digits become those of the language */
	VIEW_URL, /* struct text; a leading "/" gets the base path in front */
	VIEW_MARKUP, /* struct markup; only through t:markup */
	VIEW_INT,    /* int64_t; absent when VIEW_NO_INT */
	VIEW_REAL,   /* double, `decimals` digits; absent when NaN */
	VIEW_FLAG,   /* bool */
	VIEW_TIME,   /* int64_t Unix seconds; absent when 0.  Content: campus
			time as people write it; attribute: ISO */
	VIEW_LIST,   /* struct view_list of rows of `shape` */
	VIEW_ROW,    /* const void *: one row of `shape`; absent when NULL */
	VIEW_MESSAGE /* struct view_message: a sentence of messages.xhtml */
};

#define VIEW_NO_INT INT64_MIN

struct view_shape;

struct view_field {
	const char *name; /* NULL ends a table */
	enum view_kind kind;
	int decimals;
	size_t offset;
	const struct view_shape *shape;
};

struct view_shape {
	const char *name; /* for fault messages */
	size_t size;
	const struct view_field *fields;
};

struct view_list {
	const void *rows;
	size_t n;
};

/*
 * A sentence by its id in messages.xhtml; absent when id is NULL.  count
 * picks between "id.one" and "id.other" by the language's rule when the
 * message has such forms.  Names in the sentence are looked up in *row (of
 * the shape that the message table declares for id), then in the frame.
 */
struct view_message {
	const char *id;
	int64_t count;
	const void *row;
};

/* Which messages C may hand over, and the shape of their row (NULL: none). */
struct view_message_kind {
	const char *id; /* NULL ends a table */
	const struct view_shape *shape;
};

#define VIEW_FIELD(type, member, kind_)                                        \
	{                                                                      \
		.name = #member, .kind = kind_,                                \
		.offset = offsetof(type, member)                               \
	}
#define VIEW_FIELD_REAL(type, member, decimals_)                               \
	{                                                                      \
		.name = #member, .kind = VIEW_REAL, .decimals = decimals_,     \
		.offset = offsetof(type, member)                               \
	}
#define VIEW_FIELD_OF(type, member, kind_, shape_)                             \
	{                                                                      \
		.name = #member, .kind = kind_,                                \
		.offset = offsetof(type, member), .shape = shape_              \
	}
#define VIEW_END                                                               \
	{                                                                      \
		.name = NULL                                                   \
	}

/* Fill a list from an array. */
static inline struct view_list
view_list(const void *rows, size_t n)
{
	return (struct view_list){ rows, n };
}

#endif /* PA_SHAPE_H */
