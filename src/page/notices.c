/* This file knows how to list a person's notices, and to mark them read. */
#include "config.h"

#include "page/notices.h"

#include "base/rng.h"
#include "model/notice.h"
#include "model/store.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"

#define NOTICES_A_PAGE 50

struct notice_row {
	struct text url;
	struct text thread; /* marks all of it; absent: only itself */
	struct view_message said, more;
	int64_t id, made_at;
	bool unread;
};

static const struct view_shape notice_shape = { "notice",
	sizeof(struct notice_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct notice_row, url, VIEW_URL),
	    VIEW_FIELD(struct notice_row, thread, VIEW_TEXT),
	    VIEW_FIELD(struct notice_row, said, VIEW_MESSAGE),
	    VIEW_FIELD(struct notice_row, more, VIEW_MESSAGE),
	    VIEW_FIELD(struct notice_row, id, VIEW_INT),
	    VIEW_FIELD(struct notice_row, made_at, VIEW_TIME),
	    VIEW_FIELD(struct notice_row, unread, VIEW_FLAG), VIEW_END } };

struct notices_row {
	bool known;
	struct view_list rows;
	int64_t unread, upto; /* absent without any */
	struct text older;
};

const struct view_shape notices_shape = { "notices", sizeof(struct notices_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct notices_row, known, VIEW_FLAG),
	    VIEW_FIELD_OF(struct notices_row, rows, VIEW_LIST, &notice_shape),
	    VIEW_FIELD(struct notices_row, unread, VIEW_INT),
	    VIEW_FIELD(struct notices_row, upto, VIEW_INT),
	    VIEW_FIELD(struct notices_row, older, VIEW_URL), VIEW_END } };

struct read_args {
	int64_t account, id, upto;
	struct text thread;
};

static struct view_list rows(struct req *, const struct notice_page *);
static size_t run_of(const struct notice *, size_t left);
static struct view_message more(struct req *, int64_t n);
static struct view_message said(struct req *, const struct notice *);
static enum err read_form(struct req *, struct read_args *);
static enum err read_fn(struct store_tx *, void *);
static enum err withhold_fn(struct store_tx *, void *);
static enum err test_fn(struct store_tx *, void *);

/* GET /notices */
enum err
pg_notices(struct req *rq)
{
	struct notices_row row = { .known = rq->viewer.kind != VIEWER_NOBODY,
		.unread = VIEW_NO_INT,
		.upto = VIEW_NO_INT };
	const struct voter who = auth_voter(rq);
	struct notice_page page = { 0 };
	struct text done;
	int64_t before = 0;
	enum err e;

	if ((e = form_number(&rq->query, "before", &before)) != ERR_OK ||
	    (e = form_word(&rq->query, "read", &done)) != ERR_OK)
		return e;
	if (done.p != NULL)
		rq->done = "done.read";
	if (rq->viewer.account == 0)
		return resp_page(rq, PAGE_NOTICES, &row);
	if ((e = notices_withhold(rq)) != ERR_OK)
		return e;
	e = notice_list(rq->db, rq->pool, &who, before, NOTICES_A_PAGE, &page);
	if (e != ERR_OK)
		return e;
	row.rows = rows(rq, &page);
	if (rq->viewer.unread > 0)
		row.unread = rq->viewer.unread;
	if (page.n > 0)
		row.upto = page.rows[0].id;
	if (page.older > 0) {
		struct str url = pool_printf(
		    rq->pool, "/notices?before=%lld", (long long)page.older);

		row.older = (struct text){ url.p, url.n };
	}
	return resp_page(rq, PAGE_NOTICES, &row);
}

/* POST /notices: mark one, a thread, or all that were shown. */
enum err
pg_notices_post(struct req *rq)
{
	struct read_args args = { .account = rq->viewer.account };
	enum err e;

	if ((e = read_form(rq, &args)) != ERR_OK)
		return e;
	if (args.account == 0)
		return ERR_NOTFOUND;
	if ((e = store_write(rq->site->store, read_fn, &args)) != ERR_OK)
		return e;
	return resp_see_other(rq, "/notices?read=1");
}

/* GET /notices/ID: read it where it leads.  Its whole thread is read then. */
enum err
pg_notice(struct req *rq)
{
	struct read_args args = { .account = rq->viewer.account };
	const struct voter who = auth_voter(rq);
	struct notice n;
	enum err e;

	if (args.account == 0)
		return ERR_NOTFOUND;
	if ((e = req_number(rq, 1, &args.id)) != ERR_OK ||
	    (e = notice_load(rq->db, rq->pool, &who, args.id, &n)) != ERR_OK)
		return e;
	args.id = 0;
	args.thread = n.thread;
	if (n.unread &&
	    (e = store_write(rq->site->store, read_fn, &args)) != ERR_OK)
		return e;
	if (n.url.n > 0 && n.url.p[0] == '/')
		return resp_see_other(rq, "%.*s", (int)n.url.n, n.url.p);
	/* Another system's page: its https address was checked on entry. */
	buf_clear(rq->out);
	rq->resp.status = 303;
	rq->resp.bodyless = true;
	resp_header(rq, "Location", (struct str){ n.url.p, n.url.n });
	return ERR_OK;
}

/* POST /notices/test: a notice to oneself, by the way of all others. */
enum err
pg_notices_test(struct req *rq)
{
	int64_t account;
	enum err e;

	if ((e = auth_ensure_account(rq)) != ERR_OK)
		return e;
	account = rq->viewer.account;
	if ((e = store_write(rq->site->store, test_fn, &account)) != ERR_OK)
		return e;
	return resp_see_other(rq, "/preferences?tested=1");
}

enum err
notices_opened(struct req *rq, struct text thread)
{
	struct read_args args = { .account = rq->viewer.account,
		.thread = thread };
	struct text wait;
	bool unread;
	enum err e;

	if ((e = form_one(&rq->query, "wait", &wait)) != ERR_OK)
		return e;
	if (rq->viewer.unread == 0 || wait.p != NULL)
		return ERR_OK;
	e = notice_thread_unread(rq->db, args.account, thread, &unread);
	if (e != ERR_OK || !unread)
		return e;
	if ((e = store_write(rq->site->store, read_fn, &args)) != ERR_OK)
		return e;
	return auth_refresh(rq);
}

enum err
notices_withhold(struct req *rq)
{
	struct voter who = auth_voter(rq);
	bool some = false;
	enum err e;

	if (rq->viewer.unread == 0)
		return ERR_OK;
	e = notice_withheld(rq->db, &who, &some);
	if (e != ERR_OK || !some)
		return e;
	if ((e = store_write(rq->site->store, withhold_fn, &who)) != ERR_OK)
		return e;
	return auth_refresh(rq);
}

static struct view_list
rows(struct req *rq, const struct notice_page *page)
{
	struct notice_row *v = pool_array(rq->pool, page->n + 1, sizeof(*v));
	const struct text none = { NULL, 0 };
	size_t kept = 0;

	if (v == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0, alike; i < page->n; i += alike, kept++) {
		const struct notice *n = &page->rows[i];
		struct str url =
		    pool_printf(rq->pool, "/notices/%lld", (long long)n->id);

		alike = run_of(n, page->n - i);
		v[kept] = (struct notice_row){ .url = { url.p, url.n },
			.thread = alike > 1 ? n->thread : none,
			.said = said(rq, n),
			.more = more(rq, (int64_t)alike - 1),
			.id = n->id,
			.made_at = n->made_at,
			.unread = n->unread };
	}
	return view_list(v, kept);
}

/* How many from n on say the same of one topic: a busy one is one line. */
static size_t
run_of(const struct notice *n, size_t left)
{
	size_t i = 1;

	while (i < left && n->kind == NOTICE_POST && n[i].kind == n->kind &&
	       n[i].unread == n->unread && option_is(n[i].thread, n->thread))
		i++;
	return i;
}

static struct view_message
more(struct req *rq, int64_t n)
{
	struct more_words *w;

	if (n == 0 || (w = pool_alloc(rq->pool, sizeof(*w))) == NULL)
		return view_say(NULL);
	w->more = n;
	return (struct view_message){ "notice.more", n, w };
}

static struct view_message
said(struct req *rq, const struct notice *n)
{
	static const char *const ids[NOTICE__MAX] = {
		[NOTICE_TA] = "notice.ta",
		[NOTICE_SORRY] = "notice.sorry",
		[NOTICE_POST] = "notice.post",
		[NOTICE_ANSWER] = "notice.answer",
		[NOTICE_OTHER] = "notice.other",
		[NOTICE_TEST] = "notice.test",
	};
	struct notice_words *w = pool_alloc(rq->pool, sizeof(*w));
	const char *id = ids[n->kind];

	if (w == NULL)
		return view_say(NULL);
	*w = (struct notice_words){ n->who, n->title };
	if (n->kind == NOTICE_POST && n->title.n == 0)
		id = "notice.post_deleted";
	else if (n->kind == NOTICE_POST && n->who.n == 0)
		id = "notice.post_unnamed";
	return (struct view_message){ id, VIEW_NO_INT, w };
}

static enum err
read_form(struct req *rq, struct read_args *a)
{
	struct text verb, id;
	struct str word, number;
	enum err e;

	if ((e = form_word(&rq->form, "do", &verb)) != ERR_OK ||
	    (e = form_word(&rq->form, "id", &id)) != ERR_OK ||
	    (e = form_word(&rq->form, "thread", &a->thread)) != ERR_OK)
		return e;
	word = (struct str){ verb.p, verb.n };
	number = (struct str){ id.p, id.n };
	if (str_is(word, "thread"))
		return a->thread.p != NULL ? ERR_OK : ERR_INVALID;
	a->thread = (struct text){ NULL, 0 };
	if (str_is(word, "one"))
		return str_int(number, 1, INT64_MAX, &a->id);
	if (str_is(word, "all"))
		return str_int(number, 1, INT64_MAX, &a->upto);
	return ERR_INVALID;
}

static enum err
read_fn(struct store_tx *tx, void *arg)
{
	struct read_args *a = arg;

	if (a->thread.p != NULL)
		return notice_read_thread(tx, a->account, a->thread);
	if (a->id != 0)
		return notice_read_one(tx, a->account, a->id);
	return notice_read_all(tx, a->account, a->upto);
}

static enum err
withhold_fn(struct store_tx *tx, void *arg)
{
	return notice_withhold(tx, arg);
}

static enum err
test_fn(struct store_tx *tx, void *arg)
{
	char event[RNG_TOKEN_LEN + 6] = "test:";
	const int64_t *account = arg;
	struct notice_new n = { .account = *account,
		.kind = NOTICE_TEST,
		.thread = TEXT("test"),
		.url = TEXT("/preferences") };

	rng_token(event + 5);
	n.event = text_of(event);
	return notice_put(tx, &n, NULL);
}
