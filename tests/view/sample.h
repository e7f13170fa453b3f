/*
 * sample - rows and shapes that the tests of the view share.
 */
#ifndef PA_TESTS_VIEW_SAMPLE_H
#define PA_TESTS_VIEW_SAMPLE_H

#include "view/view.h"

struct tag_row {
	struct text label;
};

struct item_row {
	struct text name;
	struct text url;
	double points;
	int64_t games;
	bool best;
	struct view_list tags;
};

struct count_row {
	int64_t n;
	struct text who;
};

struct page_row {
	struct text title, comment, absent;
	struct text link, anywhere;
	struct markup body, nothing;
	int64_t number, unknown;
	double ratio, not_a_number;
	bool on, off;
	int64_t when, never;
	struct view_list items, none;
	const void *one, *nobody;
	struct view_message said, silent;
	struct text figures;
};

struct frame_row {
	struct text site;
	int64_t notices;
	struct text title; /* hidden by the page's title */
};

static const struct view_field tag_fields[] = {
	VIEW_FIELD(struct tag_row, label, VIEW_TEXT),
	VIEW_END,
};
static const struct view_shape tag_shape = { "tag", sizeof(struct tag_row),
	tag_fields };

static const struct view_field item_fields[] = {
	VIEW_FIELD(struct item_row, name, VIEW_TEXT),
	VIEW_FIELD(struct item_row, url, VIEW_URL),
	VIEW_FIELD_REAL(struct item_row, points, 1),
	VIEW_FIELD(struct item_row, games, VIEW_INT),
	VIEW_FIELD(struct item_row, best, VIEW_FLAG),
	VIEW_FIELD_OF(struct item_row, tags, VIEW_LIST, &tag_shape),
	VIEW_END,
};
static const struct view_shape item_shape = { "item", sizeof(struct item_row),
	item_fields };

static const struct view_field count_fields[] = {
	VIEW_FIELD(struct count_row, n, VIEW_INT),
	VIEW_FIELD(struct count_row, who, VIEW_TEXT),
	VIEW_END,
};
static const struct view_shape count_shape = { "count",
	sizeof(struct count_row), count_fields };

static const struct view_field page_fields[] = {
	VIEW_FIELD(struct page_row, title, VIEW_TEXT),
	VIEW_FIELD(struct page_row, comment, VIEW_TEXT),
	VIEW_FIELD(struct page_row, absent, VIEW_TEXT),
	VIEW_FIELD(struct page_row, link, VIEW_URL),
	VIEW_FIELD(struct page_row, anywhere, VIEW_URL),
	VIEW_FIELD(struct page_row, body, VIEW_MARKUP),
	VIEW_FIELD(struct page_row, nothing, VIEW_MARKUP),
	VIEW_FIELD(struct page_row, number, VIEW_INT),
	VIEW_FIELD(struct page_row, unknown, VIEW_INT),
	VIEW_FIELD_REAL(struct page_row, ratio, 2),
	VIEW_FIELD_REAL(struct page_row, not_a_number, 2),
	VIEW_FIELD(struct page_row, on, VIEW_FLAG),
	VIEW_FIELD(struct page_row, off, VIEW_FLAG),
	VIEW_FIELD(struct page_row, when, VIEW_TIME),
	VIEW_FIELD(struct page_row, never, VIEW_TIME),
	VIEW_FIELD_OF(struct page_row, items, VIEW_LIST, &item_shape),
	VIEW_FIELD_OF(struct page_row, none, VIEW_LIST, &item_shape),
	VIEW_FIELD_OF(struct page_row, one, VIEW_ROW, &item_shape),
	VIEW_FIELD_OF(struct page_row, nobody, VIEW_ROW, &item_shape),
	VIEW_FIELD(struct page_row, said, VIEW_MESSAGE),
	VIEW_FIELD(struct page_row, silent, VIEW_MESSAGE),
	VIEW_FIELD(struct page_row, figures, VIEW_FIGURES),
	VIEW_END,
};
static const struct view_shape page_shape = { "page", sizeof(struct page_row),
	page_fields };

static const struct view_field frame_fields[] = {
	VIEW_FIELD(struct frame_row, site, VIEW_TEXT),
	VIEW_FIELD(struct frame_row, notices, VIEW_INT),
	VIEW_FIELD(struct frame_row, title, VIEW_TEXT),
	VIEW_END,
};
static const struct view_shape frame_shape = { "frame",
	sizeof(struct frame_row), frame_fields };

static const struct view_message_kind sample_messages[] = {
	{ "greeting", NULL },
	{ "matches", &count_shape },
	{ "voted", &count_shape },
	{ NULL, NULL },
};

#endif /* PA_TESTS_VIEW_SAMPLE_H */
