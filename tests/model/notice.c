/* This file knows how to try what people are told, once and no more. */
#include "config.h"

#include "model/notice.h"
#include "tests/model/town.h"

static struct town t;

struct told {
	struct notice_new n;
	struct notice_hook h;
	int64_t account, id;
	struct text thread;
	bool stored;
};

static enum err
put_fn(struct store_tx *tx, void *arg)
{
	struct told *a = arg;

	return notice_put(tx, &a->n, &a->stored);
}

static bool
put(int64_t account, const char *event, const char *thread)
{
	struct told a = { .n = { .account = account,
			      .kind = NOTICE_POST,
			      .event = text_of(event),
			      .thread = text_of(thread),
			      .url = TEXT("/forum/x"),
			      .title = TEXT("Title"),
			      .who = TEXT("Bob") } };

	must(store_write(t.store, put_fn, &a), "notice_put");
	return a.stored;
}

static enum err
read_fn(struct store_tx *tx, void *arg)
{
	struct told *a = arg;

	if (a->thread.p != NULL)
		return notice_read_thread(tx, a->account, a->thread);
	if (a->id > 0)
		return notice_read_one(tx, a->account, a->id);
	return notice_read_all(tx, a->account, -a->id);
}

static enum err
read_it(int64_t account, int64_t id, const char *thread)
{
	struct told a = {
		.account = account, .id = id, .thread = text_of(thread)
	};

	return store_write(t.store, read_fn, &a);
}

static int64_t
unread(int64_t id)
{
	struct account a;

	must(account_load(t.db, t.pool, id, &a), "account_load");
	return a.unread;
}

static int64_t
rev(int64_t id)
{
	struct account a;

	must(account_load(t.db, t.pool, id, &a), "account_load");
	return a.notice_rev;
}

static void
telling(void)
{
	int64_t a = town_member(&t, "alice", "Alice"), b;
	struct voter who = { .account = a };
	struct notice_news news;
	struct notice_page page;
	int64_t before;
	bool some;

	b = town_member(&t, "bob", "Bob");
	ok(put(a, "post:1", "topic:a"), "told");
	ok(!put(a, "post:1", "topic:a"), "the same event once");
	ok(put(b, "post:1", "topic:a"), "another person as well");
	ok(put(a, "post:2", "topic:a") && put(a, "post:3", "topic:b"), "more");
	is_int(unread(a), 3, "the account's row counts them");
	before = rev(a);
	ok(!put(a, "post:3", "topic:b"), "again nothing");
	is_int(rev(a), before, "and no new revision");

	must(notice_since(t.db, t.pool, &who, 0, 2, &news), "since");
	is_int((intmax_t)news.n, 2, "two are listed");
	is_int(news.more, 1, "one more is told of");
	ok(news.rows[0].id > news.rows[1].id, "newest first");
	must(notice_since(t.db, t.pool, &who, news.latest, 20, &news), "since");
	is_int((intmax_t)news.n, 0, "nothing after the latest");
	must(notice_list(t.db, t.pool, &who, 0, 2, &page), "list");
	ok(page.n == 2 && page.older > 0, "a first page");
	must(notice_list(t.db, t.pool, &who, page.older, 2, &page), "list");
	ok(page.n == 1 && page.older == 0, "and the rest");

	must(read_it(a, 0, "topic:a"), "read a thread");
	is_int(unread(a), 1, "P17: all of the thread are read");
	must(notice_thread_unread(t.db, a, TEXT("topic:a"), &some), "ask");
	ok(!some, "and none is left");
	is_int(unread(b), 1, "another's are not");
	before = rev(a);
	must(read_it(a, 0, "topic:a"), "again");
	is_int(rev(a), before, "reading again changes nothing");
	is_int(read_it(b, page.rows[0].id, NULL), ERR_NOTFOUND,
	    "nobody reads another's");
	must(read_it(a, -1000000, NULL), "read all");
	is_int(unread(a), 0, "all are read");
}

static void
bounds(void)
{
	int64_t c = town_member(&t, "carol", "Carol");
	char event[32], thread[32];

	for (int i = 0; i < NOTICE_THREAD_MAX + 20; i++) {
		(void)snprintf(event, sizeof(event), "flood:%d", i);
		put(c, event, "topic:busy");
	}
	is_int(unread(c), NOTICE_THREAD_MAX, "a busy thread stops telling");
	must(read_it(c, 0, "topic:busy"), "read it");
	ok(put(c, "flood:again", "topic:busy"), "and begins again");
	for (int i = 0; i < NOTICE_KEPT + 300; i++) {
		(void)snprintf(event, sizeof(event), "many:%d", i);
		(void)snprintf(thread, sizeof(thread), "topic:%d", i);
		put(c, event, thread);
	}
	ok(town_number(&t, "SELECT count(*) FROM notice n JOIN account a"
			   " ON a.id = n.account WHERE a.login = 'carol'") <=
		NOTICE_KEPT + 64,
	    "nobody's list grows for ever");
	is_int(unread(c),
	    town_number(&t, "SELECT count(*) FROM notice n JOIN account a"
			    " ON a.id = n.account WHERE a.login = 'carol'"
			    " AND n.read_at IS NULL"),
	    "and the count stays true");
	town_script(&t, "UPDATE account SET kind = 'erased' WHERE id = 1");
	ok(!put(1, "post:99", "topic:z"), "an erased account is told nothing");
}

static enum err
hook_fn(struct store_tx *tx, void *arg)
{
	struct told *a = arg;
	struct store_tx then = *tx;

	if (t.now != 0)
		then.now = t.now;
	return notice_hook(&then, &a->h);
}

static enum err
hook(struct notice_hook *h)
{
	struct told a = { .h = *h };
	enum err e = store_write(t.store, hook_fn, &a);

	*h = a.h;
	return e;
}

static void
hooks(void)
{
	const struct text to[] = { TEXT("dave"), TEXT("nobody"), TEXT("dave") };
	struct notice_hook h = { .event = TEXT("e1"),
		.digest = "d1",
		.to = to,
		.to_n = 3,
		.kind = NOTICE_OTHER,
		.thread = TEXT("e1"),
		.url = TEXT("/notices"),
		.title = TEXT("News"),
		.per_minute = 2 };
	int64_t d = town_member(&t, "dave", "Dave");

	t.now = 1000000;
	must(hook(&h), "hook");
	ok(h.stored == 1 && h.unknown == 1 && !h.repeated,
	    "named twice, told once");
	must(hook(&h), "again");
	ok(h.repeated && h.stored == 1, "idempotent");
	(void)snprintf(h.digest, sizeof(h.digest), "d2");
	is_int(hook(&h), ERR_CONFLICT, "the same id, other words");
	h.event = h.thread = TEXT("e2");
	h.kind = NOTICE_POST;
	must(hook(&h), "a post");
	is_int(h.unwanted, 1, "the forum's switch is respected");
	h.event = TEXT("e3");
	is_int(hook(&h), ERR_LIMIT, "two a minute");
	t.now += 61;
	must(hook(&h), "a minute later");
	for (int i = 0; i < 2; i++) {
		char event[8];

		(void)snprintf(event, sizeof(event), "b%d", i);
		h.event = text_of(event);
		t.now -= 3600;
		must(hook(&h), "a clock set back");
	}
	is_int(unread(d), 1, "one notice came of it all");
	t.now = 0;
}

static void
quiet(void)
{
	struct preferences p = PREFERENCES_DEFAULT;
	const int64_t day = (int64_t)20000 * 86400;

	ok(!preferences_quiet(&p, day), "no quiet hours by default");
	p.quiet_from = 22 * 60;
	p.quiet_to = 7 * 60;
	ok(preferences_quiet(&p, day + 23 * 3600) &&
		preferences_quiet(&p, day + 3600) &&
		preferences_quiet(&p, day + 22 * 3600) &&
		!preferences_quiet(&p, day + 7 * 3600) &&
		!preferences_quiet(&p, day + 12 * 3600),
	    "over midnight");
	p.quiet_from = 13 * 60;
	p.quiet_to = 14 * 60;
	ok(preferences_quiet(&p, day + 13 * 3600) &&
		!preferences_quiet(&p, day + 14 * 3600),
	    "within a day");
	must(clock_zone_set("Asia/Taipei"), "zone");
	ok(preferences_quiet(&p, day + 5 * 3600), "on the campus clock");
	must(clock_zone_set("UTC"), "zone");
}

int
main(void)
{
	town_open(&t);
	telling();
	bounds();
	hooks();
	quiet();
	town_close(&t);
	return done_testing();
}
