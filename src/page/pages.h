/*
 * pages - the templates that ship, and what each of them may name.
 *
 * Layer    page: view.
 * Memory   tables are const.
 * Threads  pure.
 */
#ifndef PA_PAGES_H
#define PA_PAGES_H

#include <stdbool.h>

#include "view/view.h"

enum page_id {
	PAGE_HOME,
	PAGE_ARENA,
	PAGE_MATCH,
	PAGE_MATCH_WAIT,
	PAGE_MATCH_OVER,
	PAGE_RESULT,
	PAGE_VOTES,
	PAGE_LEADERBOARD,
	PAGE_PROMPT,
	PAGE_PREFERENCES,
	PAGE_NOTICES,
	PAGE_FORUM,
	PAGE_TOPIC,
	PAGE_FORUM_NEW,
	PAGE_FORUM_EDIT,
	PAGE_FORUM_HISTORY,
	PAGE_FORUM_SEARCH,
	PAGE_TA,
	PAGE_TA_THREAD,
	PAGE_REPORT,
	PAGE_REPORTS,
	PAGE_ADMIN_ENDPOINTS,
	PAGE_METHODOLOGY,
	PAGE_PRIVACY,
	PAGE_ACCESSIBILITY,
	PAGE_ERROR,
	PAGE_COMPARE,
	PAGE_PICTURES,
	PAGE_RATERS,
	PAGE_PLOT,
	PAGE_FEED,
	PAGE__MAX
};

/* In the order of enum page_id, ended by an entry without a file. */
extern const struct view_page page_table[];

/* Every sentence that C may hand to a template, and what it may name. */
extern const struct view_message_kind page_messages[];

/* Pages about one person, or of no use to search engines. */
bool page_is_private(enum page_id page);

/* The message id made of prefix and word ("type." and "coding"), as it
 * stands in page_messages; NULL when there is none. */
const char *page_message(const char *prefix, struct text word);

/* A sentence without numbers. */
static inline struct view_message
view_say(const char *id)
{
	return (struct view_message){ .id = id, .count = VIEW_NO_INT };
}

/* An entry of a menu, a group of radio buttons, a list of tags. */
struct option_row {
	struct text value, id;
	struct text name; /* when there is no label for it */
	struct view_message label, hint;
	struct text url;
	bool selected;
};

/* Rows of the sentences that name things. */
struct receipt_words {
	struct text a, b;             /* titles */
	int64_t a_version, b_version; /* only where the titles are the same */
	double a_before, a_after, b_before, b_after;
};

struct others_words {
	int64_t others, a, b, tie, poor;
};

struct board_words {
	struct text first, second;
	double elo, gap;
	int64_t matches, minimum, official, provisional, groups, top, needed,
	    unsettled;
};

struct family_words {
	int64_t newer, older;
	double gap;
};

struct unread_words {
	int64_t unread;
};

struct more_words {
	int64_t more;
};

struct notice_words {
	struct text who, title;
};

struct left_words { /* questions to the AI TA today */
	int64_t left, per_day;
	struct text room; /* title of the activity */
};

struct raters_words {
	int64_t all, look, out;
};

struct votes_words {
	int64_t total, counted;
};

/* Shapes of the pages, each described where its rows are filled. */
extern const struct view_shape option_shape;
extern const struct view_shape feed_shape;
extern const struct view_shape home_shape, arena_shape, match_shape,
    match_wait_shape, match_over_shape, result_shape, votes_shape,
    leaderboard_shape, prompt_shape, pictures_shape, compare_shape,
    raters_shape, preferences_shape, methodology_shape, notices_shape,
    forum_shape, topic_shape, forum_new_shape, forum_edit_shape,
    forum_history_shape, forum_search_shape, ta_shape, ta_thread_shape,
    report_shape, reports_shape, admin_endpoints_shape, text_shape, error_shape;

#endif /* PA_PAGES_H */
