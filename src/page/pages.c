/* This file knows how to find the template of every page. */
#include "config.h"

#include "page/pages.h"

#include "view/plot.h"

const struct view_page page_table[] = {
	[PAGE_HOME] = { "home.xhtml", &home_shape },
	[PAGE_ARENA] = { "arena.xhtml", &arena_shape },
	[PAGE_MATCH] = { "match.xhtml", &match_shape },
	[PAGE_MATCH_WAIT] = { "match-wait.xhtml", &match_wait_shape },
	[PAGE_MATCH_OVER] = { "match-over.xhtml", &match_over_shape },
	[PAGE_RESULT] = { "result.xhtml", &result_shape },
	[PAGE_VOTES] = { "votes.xhtml", &votes_shape },
	[PAGE_LEADERBOARD] = { "leaderboard.xhtml", &leaderboard_shape },
	[PAGE_PROMPT] = { "prompt.xhtml", &prompt_shape },
	[PAGE_PREFERENCES] = { "preferences.xhtml", &preferences_shape },
	[PAGE_NOTICES] = { "notices.xhtml", &notices_shape },
	[PAGE_FORUM] = { "forum.xhtml", &forum_shape },
	[PAGE_TOPIC] = { "topic.xhtml", &topic_shape },
	[PAGE_FORUM_NEW] = { "forum-new.xhtml", &forum_new_shape },
	[PAGE_FORUM_EDIT] = { "forum-edit.xhtml", &forum_edit_shape },
	[PAGE_FORUM_HISTORY] = { "forum-history.xhtml", &forum_history_shape },
	[PAGE_FORUM_SEARCH] = { "forum-search.xhtml", &forum_search_shape },
	[PAGE_TA] = { "ta.xhtml", &ta_shape },
	[PAGE_TA_THREAD] = { "ta-thread.xhtml", &ta_thread_shape },
	[PAGE_REPORT] = { "report.xhtml", &report_shape },
	[PAGE_REPORTS] = { "reports.xhtml", &reports_shape },
	[PAGE_ADMIN_ENDPOINTS] = { "admin-endpoints.xhtml",
	    &admin_endpoints_shape },
	[PAGE_METHODOLOGY] = { "methodology.xhtml", &methodology_shape },
	[PAGE_PRIVACY] = { "privacy.xhtml", &text_shape },
	[PAGE_ACCESSIBILITY] = { "accessibility.xhtml", &text_shape },
	[PAGE_ERROR] = { "error.xhtml", &error_shape },
	[PAGE_COMPARE] = { "compare.xhtml", &compare_shape },
	[PAGE_PICTURES] = { "pictures.xhtml", &pictures_shape },
	[PAGE_RATERS] = { "raters.xhtml", &raters_shape },
	[PAGE_PLOT] = { "plot.svg", &plot_shape },
	[PAGE_FEED] = { "feed.atom", &feed_shape },
	[PAGE__MAX] = { NULL, NULL },
};

const struct view_shape option_shape = { "option", sizeof(struct option_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct option_row, value, VIEW_TEXT),
	    VIEW_FIELD(struct option_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct option_row, name, VIEW_TEXT),
	    VIEW_FIELD(struct option_row, label, VIEW_MESSAGE),
	    VIEW_FIELD(struct option_row, hint, VIEW_MESSAGE),
	    VIEW_FIELD(struct option_row, url, VIEW_URL),
	    VIEW_FIELD(struct option_row, selected, VIEW_FLAG), VIEW_END } };

bool
page_is_private(enum page_id page)
{
	switch (page) {
	case PAGE_MATCH:
	case PAGE_MATCH_WAIT:
	case PAGE_MATCH_OVER:
	case PAGE_RESULT:
	case PAGE_VOTES:
	case PAGE_PREFERENCES:
	case PAGE_RATERS:
	case PAGE_NOTICES:
	case PAGE_FORUM:
	case PAGE_TOPIC:
	case PAGE_FORUM_NEW:
	case PAGE_FORUM_EDIT:
	case PAGE_FORUM_HISTORY:
	case PAGE_FORUM_SEARCH:
	case PAGE_TA:
	case PAGE_TA_THREAD:
	case PAGE_REPORT:
	case PAGE_REPORTS:
	case PAGE_ADMIN_ENDPOINTS:
	case PAGE_ERROR:
		return true;
	default:
		return false;
	}
}
