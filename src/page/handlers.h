/*
 * handlers - the pages, each answering one route.
 *
 * Layer    page.
 * Memory   rows live in the request's pool.
 * Threads  one request.
 *
 * Each is a route_handler (page/route.h): what it returns, unless ERR_OK,
 * becomes the page for that error.
 */
#ifndef PA_HANDLERS_H
#define PA_HANDLERS_H

#include "page/route.h"

route_handler pg_home;
route_handler pg_arena, pg_arena_post;
route_handler pg_match, pg_match_post;
route_handler pg_result, pg_votes;
route_handler pg_leaderboard, pg_leaderboard_json, pg_leaderboard_csv;
route_handler pg_compare, pg_compare_json, pg_feed;
route_handler pg_pictures, pg_plot, pg_ledger, pg_raters;
route_handler pg_prompt;
route_handler pg_preferences, pg_preferences_post;
route_handler pg_notices, pg_notices_post, pg_notice, pg_notices_json;
route_handler pg_notices_test, pg_hook_notice, pg_worker;
route_handler pg_forum, pg_topic, pg_topic_post, pg_topic_set;
route_handler pg_forum_new, pg_forum_new_post, pg_forum_search;
route_handler pg_post, pg_post_post, pg_post_edit, pg_post_edit_post;
route_handler pg_post_history, pg_post_report, pg_post_report_post;
route_handler pg_match_report, pg_match_report_post;
route_handler pg_reports, pg_reports_post;
route_handler pg_ta, pg_ta_post, pg_ta_thread, pg_ta_thread_post, pg_ta_rate;
route_handler pg_ta_report, pg_ta_report_post;
route_handler pg_methodology, pg_privacy, pg_accessibility;
route_handler pg_admin_endpoints, pg_metrics;
route_handler pg_healthz, pg_robots, pg_favicon;

#endif /* PA_HANDLERS_H */
