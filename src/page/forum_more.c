/* This file knows how to show a post's history, search, and take reports. */
#include "config.h"

#include "base/buf.h"
#include "base/text.h"
#include "model/match.h"
#include "model/store.h"
#include "model/tutor.h"
#include "page/app.h"
#include "page/forum.h"
#include "page/handlers.h"
#include "page/req.h"

#define HITS_A_PAGE 30
#define REPORTS_A_PAGE 50
#define WORDS_CHARS 1000
#define QUERY_CHARS 200

struct edit_line {
	int64_t until;
	struct markup html;
};

static const struct view_shape edit_line_shape = { "edit",
	sizeof(struct edit_line),
	(const struct view_field[]){
	    VIEW_FIELD(struct edit_line, until, VIEW_TIME),
	    VIEW_FIELD(struct edit_line, html, VIEW_MARKUP), VIEW_END } };

struct history_row {
	struct text title, url, author;
	int64_t number, edited_at;
	struct markup html;
	struct view_list edits;
};

#define H struct history_row
const struct view_shape forum_history_shape = { "forum-history", sizeof(H),
	(const struct view_field[]){ VIEW_FIELD(H, title, VIEW_TEXT),
	    VIEW_FIELD(H, url, VIEW_URL), VIEW_FIELD(H, author, VIEW_TEXT),
	    VIEW_FIELD(H, number, VIEW_INT),
	    VIEW_FIELD(H, edited_at, VIEW_TIME),
	    VIEW_FIELD(H, html, VIEW_MARKUP),
	    VIEW_FIELD_OF(H, edits, VIEW_LIST, &edit_line_shape), VIEW_END } };
#undef H

struct hit_row {
	struct text url, title, author, excerpt;
	int64_t made_at;
};

static const struct view_shape hit_shape = { "hit", sizeof(struct hit_row),
	(const struct view_field[]){ VIEW_FIELD(struct hit_row, url, VIEW_URL),
	    VIEW_FIELD(struct hit_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct hit_row, author, VIEW_TEXT),
	    VIEW_FIELD(struct hit_row, excerpt, VIEW_TEXT),
	    VIEW_FIELD(struct hit_row, made_at, VIEW_TIME), VIEW_END } };

struct search_row {
	struct text words, older;
	struct view_list hits;
	bool nothing, too_broad;
};

#define S struct search_row
const struct view_shape forum_search_shape = { "forum-search", sizeof(S),
	(const struct view_field[]){ VIEW_FIELD(S, words, VIEW_TEXT),
	    VIEW_FIELD(S, older, VIEW_URL),
	    VIEW_FIELD_OF(S, hits, VIEW_LIST, &hit_shape),
	    VIEW_FIELD(S, nothing, VIEW_FLAG),
	    VIEW_FIELD(S, too_broad, VIEW_FLAG), VIEW_END } };
#undef S

struct reason_row {
	struct text value, id;
	struct view_message label;
	bool selected;
};

static const struct view_shape reason_shape = { "reason",
	sizeof(struct reason_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct reason_row, value, VIEW_TEXT),
	    VIEW_FIELD(struct reason_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct reason_row, label, VIEW_MESSAGE),
	    VIEW_FIELD(struct reason_row, selected, VIEW_FLAG), VIEW_END } };

struct report_page {
	struct text action, cancel, words;
	struct view_list reasons;
	struct view_message reason_error;
	struct markup question, html;
	bool post, match, reply;
};

#define R struct report_page
const struct view_shape report_shape = { "report", sizeof(R),
	(const struct view_field[]){ VIEW_FIELD(R, action, VIEW_URL),
	    VIEW_FIELD(R, cancel, VIEW_URL), VIEW_FIELD(R, words, VIEW_TEXT),
	    VIEW_FIELD_OF(R, reasons, VIEW_LIST, &reason_shape),
	    VIEW_FIELD(R, reason_error, VIEW_MESSAGE),
	    VIEW_FIELD(R, question, VIEW_MARKUP),
	    VIEW_FIELD(R, html, VIEW_MARKUP), VIEW_FIELD(R, post, VIEW_FLAG),
	    VIEW_FIELD(R, match, VIEW_FLAG), VIEW_FIELD(R, reply, VIEW_FLAG),
	    VIEW_END } };
#undef R

struct report_line {
	int64_t id, made_at;
	struct text reporter, words, url, title, author, activity;
	struct markup question, html;
	struct view_message reason;
	bool post, match, reply, gone;
};

#define L struct report_line
static const struct view_shape report_line_shape = { "report", sizeof(L),
	(const struct view_field[]){ VIEW_FIELD(L, id, VIEW_INT),
	    VIEW_FIELD(L, made_at, VIEW_TIME),
	    VIEW_FIELD(L, reporter, VIEW_TEXT), VIEW_FIELD(L, words, VIEW_TEXT),
	    VIEW_FIELD(L, url, VIEW_URL), VIEW_FIELD(L, title, VIEW_TEXT),
	    VIEW_FIELD(L, author, VIEW_TEXT),
	    VIEW_FIELD(L, activity, VIEW_TEXT),
	    VIEW_FIELD(L, question, VIEW_MARKUP),
	    VIEW_FIELD(L, html, VIEW_MARKUP), VIEW_FIELD(L, gone, VIEW_FLAG),
	    VIEW_FIELD(L, reason, VIEW_MESSAGE), VIEW_FIELD(L, post, VIEW_FLAG),
	    VIEW_FIELD(L, match, VIEW_FLAG), VIEW_FIELD(L, reply, VIEW_FLAG),
	    VIEW_END } };
#undef L

struct reports_row {
	struct view_list reports;
	struct text more, first;
	int64_t after; /* the page's place in the queue; absent: the first */
};

const struct view_shape reports_shape = { "reports", sizeof(struct reports_row),
	(const struct view_field[]){ VIEW_FIELD_OF(struct reports_row, reports,
					 VIEW_LIST, &report_line_shape),
	    VIEW_FIELD(struct reports_row, more, VIEW_URL),
	    VIEW_FIELD(struct reports_row, first, VIEW_URL),
	    VIEW_FIELD(struct reports_row, after, VIEW_INT), VIEW_END } };

struct done_args {
	int64_t id, by;
};

static struct view_list report_lines(
    struct req *, const struct report *, size_t n);
static enum err find_reply(
    struct req *, struct report_new *, struct report_page *);
static enum err search(struct req *, struct search_row *);
static enum err show_report(
    struct req *, int status, struct report_page *, struct text reason);
static enum err read_report(
    struct req *, struct report_new *, struct report_page *);
static enum err find_post(
    struct req *, struct report_new *, struct report_page *);
static enum err find_match(
    struct req *, struct report_new *, struct report_page *);
static enum err take(struct req *, struct report_new *, struct report_page *);
static enum err put_fn(struct store_tx *, void *);
static enum err done_fn(struct store_tx *, void *);

/* GET /forum/TOKEN/N/history */
enum err
pg_post_history(struct req *rq)
{
	struct forum_viewer v = forum_viewer(rq);
	const struct forum_edit *edits = NULL;
	struct edit_line *lines;
	struct history_row row;
	struct forum_topic t;
	struct forum_post p;
	size_t n = 0;
	enum err e;

	if ((e = forum_post_of(rq, &v, &t, &p)) != ERR_OK ||
	    (e = forum_history(rq->db, rq->pool, p.id, &edits, &n)) != ERR_OK)
		return e;
	/* The words about two answers are for those who have read them. */
	if (t.match != 0 && !p.mine && !v.teacher)
		return ERR_NOTFOUND;
	lines = pool_array(rq->pool, n + 1, sizeof(*lines));
	if (lines == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		lines[i] = (struct edit_line){ edits[i].until, edits[i].html };
	row = (struct history_row){ .title = t.title,
		.url = forum_url(rq, t.token, "/%lld", (long long)p.number),
		.author = p.author,
		.number = p.number,
		.edited_at = p.edited_at,
		.html = p.html,
		.edits = view_list(lines, n) };
	return resp_page(rq, PAGE_FORUM_HISTORY, &row);
}

/* GET /forum/search?q= */
enum err
pg_forum_search(struct req *rq)
{
	struct search_row row = { 0 };
	enum err e = form_word(&rq->query, "q", &row.words);

	if (e != ERR_OK)
		return e;
	if (row.words.p != NULL && (e = search(rq, &row)) != ERR_OK)
		return e;
	return resp_page(rq, PAGE_FORUM_SEARCH, &row);
}

/* GET and POST /forum/TOKEN/N/report */
enum err
pg_post_report(struct req *rq)
{
	struct report_page row;
	struct report_new r;
	enum err e = find_post(rq, &r, &row);

	if (e != ERR_OK)
		return e;
	return show_report(rq, 200, &row, (struct text){ NULL, 0 });
}

enum err
pg_post_report_post(struct req *rq)
{
	struct report_page row;
	struct report_new r;
	enum err e = find_post(rq, &r, &row);

	return e == ERR_OK ? take(rq, &r, &row) : e;
}

/* GET and POST /match/TOKEN/report */
enum err
pg_match_report(struct req *rq)
{
	struct report_page row;
	struct report_new r;
	enum err e = find_match(rq, &r, &row);

	if (e != ERR_OK)
		return e;
	return show_report(rq, 200, &row, (struct text){ NULL, 0 });
}

enum err
pg_match_report_post(struct req *rq)
{
	struct report_page row;
	struct report_new r;
	enum err e = find_match(rq, &r, &row);

	return e == ERR_OK ? take(rq, &r, &row) : e;
}

/* GET and POST /ta/TOKEN/N/report */
enum err
pg_ta_report(struct req *rq)
{
	struct report_page row;
	struct report_new r;
	enum err e = find_reply(rq, &r, &row);

	if (e != ERR_OK)
		return e;
	return show_report(rq, 200, &row, (struct text){ NULL, 0 });
}

enum err
pg_ta_report_post(struct req *rq)
{
	struct report_page row;
	struct report_new r;
	enum err e = find_reply(rq, &r, &row);

	return e == ERR_OK ? take(rq, &r, &row) : e;
}

/* GET /forum/reports?after=ID: what teachers are asked to look at. */
enum err
pg_reports(struct req *rq)
{
	const struct report *reports = NULL;
	struct reports_row row = { .after = VIEW_NO_INT };
	int64_t after = 0;
	struct text done;
	size_t n = 0;
	enum err e;

	if (!auth_may(rq, auth_needs(rq->conf, "forum", ROLE_VOTER)))
		return ERR_DENIED;
	if ((e = form_word(&rq->query, "done", &done)) != ERR_OK ||
	    (e = form_number(&rq->query, "after", &after)) != ERR_OK ||
	    (e = report_list(rq->db, rq->pool, after, REPORTS_A_PAGE + 1,
		 &reports, &n)) != ERR_OK)
		return e;
	if (done.p != NULL)
		rq->done = "done.report";
	if (n > REPORTS_A_PAGE) {
		struct str url;

		n = REPORTS_A_PAGE;
		url = pool_printf(rq->pool, "/forum/reports?after=%lld",
		    (long long)reports[n - 1].id);
		row.more = (struct text){ url.p, url.n };
	}
	if (after > 0) {
		row.first = TEXT("/forum/reports");
		row.after = after;
	}
	row.reports = report_lines(rq, reports, n);
	return resp_page(rq, PAGE_REPORTS, &row);
}

/* POST /forum/reports: one has been looked at. */
enum err
pg_reports_post(struct req *rq)
{
	struct done_args args = { .by = rq->viewer.account };
	int64_t after = 0;
	struct text id;
	enum err e;

	if (!auth_may(rq, auth_needs(rq->conf, "forum", ROLE_VOTER)))
		return ERR_DENIED;
	if ((e = form_word(&rq->form, "id", &id)) != ERR_OK ||
	    (e = form_number(&rq->form, "after", &after)) != ERR_OK ||
	    (e = str_int((struct str){ id.p, id.n }, 1, INT64_MAX, &args.id)) !=
		ERR_OK ||
	    (e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	args.by = rq->viewer.account;
	if ((e = store_write(rq->site->store, done_fn, &args)) != ERR_OK)
		return e;
	return after > 0
		   ? resp_see_other(rq, "/forum/reports?after=%lld&done=1",
			 (long long)after)
		   : resp_see_other(rq, "/forum/reports?done=1");
}

static struct view_list
report_lines(struct req *rq, const struct report *reports, size_t n)
{
	struct report_line *lines = pool_array(rq->pool, n + 1, sizeof(*lines));

	if (lines == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		const struct report *r = &reports[i];

		lines[i] = (struct report_line){ .id = r->id,
			.made_at = r->made_at,
			.reporter = r->reporter,
			.words = r->words,
			.title = r->title,
			.author = r->author,
			.activity = r->activity,
			.question = r->question,
			.html = r->html,
			.gone = r->html.n == 0,
			.reason = view_say(page_message("report.", r->reason)),
			.post = r->kind == REPORT_POST,
			.match = r->kind == REPORT_MATCH,
			.reply = r->kind == REPORT_REPLY };
		if (r->topic.p != NULL)
			lines[i].url = forum_url(
			    rq, r->topic, "/%lld", (long long)r->number);
	}
	return view_list(lines, n);
}

static enum err
search(struct req *rq, struct search_row *row)
{
	struct forum_viewer v = forum_viewer(rq);
	const struct forum_hit *hits = NULL;
	struct hit_row *rows;
	int64_t before = 0;
	size_t n = 0;
	enum err e;

	row->words = text_cut(row->words, QUERY_CHARS);
	if ((e = form_number(&rq->query, "before", &before)) != ERR_OK)
		return e;
	e = forum_search(rq->db, rq->pool, &v, row->words, before,
	    HITS_A_PAGE + 1, &hits, &n);
	row->too_broad = e == ERR_BUSY;
	row->nothing = e == ERR_INVALID || (e == ERR_OK && n == 0);
	if (e == ERR_INVALID || e == ERR_BUSY)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	rows = pool_array(rq->pool, n + 1, sizeof(*rows));
	if (rows == NULL)
		return ERR_NOMEM;
	if (n > HITS_A_PAGE) {
		struct buf b;

		n = HITS_A_PAGE;
		buf_init(&b, 4096);
		buf_z(&b, "/forum/search?q=");
		buf_url(&b, (struct str){ row->words.p, row->words.n });
		buf_printf(&b, "&before=%lld", (long long)hits[n - 1].post);
		row->older = pool_text(rq->pool, (struct text){ b.p, b.n });
		buf_release(&b);
	}
	for (size_t i = 0; i < n; i++)
		rows[i] =
		    (struct hit_row){ forum_url(rq, hits[i].topic, "/%lld",
					  (long long)hits[i].number),
			    hits[i].title, hits[i].author, hits[i].excerpt,
			    hits[i].made_at };
	row->hits = view_list(rows, n);
	return ERR_OK;
}

static enum err
find_post(struct req *rq, struct report_new *r, struct report_page *row)
{
	struct forum_viewer v = forum_viewer(rq);
	struct forum_topic t;
	struct forum_post p;
	enum err e;

	if ((e = forum_post_of(rq, &v, &t, &p)) != ERR_OK)
		return e;
	*r = (struct report_new){ .kind = REPORT_POST, .ref = p.id };
	*row = (struct report_page){ .post = true,
		.html = p.html,
		.action =
		    forum_url(rq, t.token, "/%lld/report", (long long)p.number),
		.cancel =
		    forum_url(rq, t.token, "/%lld", (long long)p.number) };
	if (t.match != 0)
		row->html = (struct markup){ NULL, 0 };
	return ERR_OK;
}

static enum err
find_match(struct req *rq, struct report_new *r, struct report_page *row)
{
	struct text room, topic;
	struct str url;
	int64_t id;
	enum err e;

	if (rq->viewer.account == 0)
		return ERR_NOTFOUND;
	e = forum_match_find(rq->db, rq->pool, rq->seg[1], rq->viewer.account,
	    &id, &room, &topic);
	if (e == ERR_DENIED)
		rq->reason = "no_vote";
	if (e != ERR_OK && e != ERR_CLOSED)
		return e;
	*r = (struct report_new){ .kind = REPORT_MATCH, .ref = id };
	*row = (struct report_page){ .match = true };
	url = pool_printf(
	    rq->pool, "/match/%.*s/report", (int)rq->seg[1].n, rq->seg[1].p);
	row->action = (struct text){ url.p, url.n };
	url = pool_printf(
	    rq->pool, "/match/%.*s/result", (int)rq->seg[1].n, rq->seg[1].p);
	row->cancel = (struct text){ url.p, url.n };
	return ERR_OK;
}

static enum err
find_reply(struct req *rq, struct report_new *r, struct report_page *row)
{
	const struct tutor_message *m = NULL;
	struct tutor_thread t;
	struct str url;
	int64_t number;
	size_t n = 0;
	enum err e;

	if ((e = tutor_load(rq->db, rq->pool, rq->viewer.account, rq->seg[1],
		 &t)) != ERR_OK ||
	    (e = req_number(rq, 2, &number)) != ERR_OK)
		return e;
	if (number == INT64_MAX)
		return ERR_NOTFOUND;
	e = tutor_messages(rq->db, rq->pool, t.id, number + 1, 1, &m, &n);
	if (e != ERR_OK)
		return e;
	if (n == 0 || m[0].number != number || m[0].state != TUTOR_OK)
		return ERR_NOTFOUND;
	*r = (struct report_new){ .kind = REPORT_REPLY, .ref = m[0].id };
	*row = (struct report_page){
		.reply = true, .question = m[0].question, .html = m[0].reply
	};
	url = pool_printf(rq->pool, "/ta/%.*s/%lld/report", (int)t.token.n,
	    t.token.p, (long long)number);
	row->action = (struct text){ url.p, url.n };
	url = pool_printf(rq->pool, "/ta/%.*s#m%lld", (int)t.token.n, t.token.p,
	    (long long)number);
	row->cancel = (struct text){ url.p, url.n };
	return ERR_OK;
}

static enum err
take(struct req *rq, struct report_new *r, struct report_page *row)
{
	enum err e;

	if ((e = read_report(rq, r, row)) != ERR_OK)
		return e;
	if (rq->problems_n > 0)
		return show_report(rq, 400, row, r->reason);
	if ((e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	r->reporter = rq->viewer.account;
	if ((e = store_write(rq->site->store, put_fn, r)) != ERR_OK)
		return e;
	rq->done = "done.reported";
	row->reasons = view_list(NULL, 0);
	return resp_page(rq, PAGE_REPORT, row);
}

static enum err
read_report(struct req *rq, struct report_new *r, struct report_page *row)
{
	enum err e;

	if ((e = form_word(&rq->form, "reason", &r->reason)) != ERR_OK ||
	    (e = form_word(&rq->form, "words", &row->words)) != ERR_OK)
		return e;
	r->words = row->words;
	if (page_message("report.", r->reason) == NULL || r->reason.n == 0)
		req_problem(rq, "reason-wrong", "problem.report_reason");
	if (text_chars(row->words) > WORDS_CHARS)
		req_problem(rq, "words", "problem.report_long");
	return ERR_OK;
}

static enum err
show_report(
    struct req *rq, int status, struct report_page *row, struct text reason)
{
	struct reason_row *rows = pool_array(rq->pool, 8, sizeof(*rows));
	size_t n = 0;

	if (rows == NULL)
		return ERR_NOMEM;
	for (; report_reasons[n] != NULL && n < 8; n++) {
		struct text value = text_of(report_reasons[n]);
		struct str id =
		    pool_printf(rq->pool, "reason-%s", report_reasons[n]);

		rows[n] = (struct reason_row){ value, { id.p, id.n },
			view_say(page_message("report.", value)),
			reason.n == value.n && reason.n > 0 &&
			    str_is((struct str){ reason.p, reason.n },
				report_reasons[n]) };
	}
	row->reasons = view_list(rows, n);
	row->reason_error =
	    view_say(rq->problems_n > 0 ? rq->problems[0].what : NULL);
	return resp_page_status(rq, status, PAGE_REPORT, row);
}

static enum err
put_fn(struct store_tx *tx, void *arg)
{
	return report_put(tx, arg);
}

static enum err
done_fn(struct store_tx *tx, void *arg)
{
	struct done_args *a = arg;

	return report_done(tx, a->id, a->by);
}
