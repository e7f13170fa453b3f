/* This file knows how to try the forum: who may what, who is told, how fast. */
#include "config.h"

#include "model/forum.h"
#include "model/notice.h"
#include "tests/model/town.h"

static struct town t;
static int64_t alice, bob, carol;

struct act {
	struct forum_new n;
	struct forum_change c;
	struct forum_pair pair;
	struct report_new r;
	int64_t account, topic;
	enum forum_following how;
};

static enum err
start_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;
	struct store_tx then = *tx;

	if (t.now != 0)
		then.now = t.now;
	return a->n.topic.p == NULL ? forum_start(&then, &a->n)
				    : forum_reply(&then, &a->n);
}

static struct forum_viewer
viewer(int64_t account, bool teacher)
{
	return (struct forum_viewer){ { .account = account }, teacher };
}

/* A topic (topic NULL) or a reply; its token in static storage. */
static enum err
write_as(int64_t who, const char *topic, const char *form, const char *words,
    const char **token)
{
	static char room[4][RNG_TOKEN_LEN + 1];
	static int turn;
	struct act a = { .n = { .who = { .account = who },
			     .conf = &t.conf,
			     .room = TEXT("everyone"),
			     .title = TEXT("A title"),
			     .topic = text_of(topic),
			     .words = { .source = text_of(words),
				 .form = text_of(form) } } };
	enum err e;

	must(forum_render(t.pool, a.n.words.source, &a.n.words.html), words);
	e = store_write(t.store, start_fn, &a);
	if (e == ERR_OK)
		forum_tell_all(t.store);
	if (e == ERR_OK && token != NULL) {
		turn = (turn + 1) % 4;
		memcpy(room[turn], a.n.token, sizeof(a.n.token));
		*token = room[turn];
	}
	return e;
}

static enum err
change_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;

	return forum_change(tx, &a->c);
}

static enum err
change(enum forum_verb verb, int64_t who, bool teacher, int64_t topic,
    int64_t number)
{
	struct act a = {
		.c = { .verb = verb,
		    .account = who,
		    .teacher = teacher,
		    .topic = topic,
		    .number = number,
		    .words = { .source = TEXT("Edited"), .form = TEXT("f") } }
	};

	must(forum_render(t.pool, a.c.words.source, &a.c.words.html), "render");
	return store_write(t.store, change_fn, &a);
}

static enum err
follow_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;

	return forum_follow(tx, a->account, a->topic, a->how);
}

static enum err
withhold_fn(struct store_tx *tx, void *arg)
{
	return notice_withhold(tx, arg);
}

static enum err
note_fn(struct store_tx *tx, void *arg)
{
	return account_note_groups(tx, arg);
}

static int64_t
told(int64_t account)
{
	struct account a;

	must(account_load(t.db, t.pool, account, &a), "load");
	return a.unread;
}

static void
writing(void)
{
	struct forum_viewer v = viewer(alice, false), none = { 0 };
	const struct forum_post *posts;
	struct forum_topics list;
	struct forum_topic topic;
	const char *one, *again;
	size_t n;

	must(write_as(alice, NULL, "f1", "First words", &one), "start");
	must(write_as(alice, NULL, "f1", "First words", &again), "again");
	is_str(again, one, "the same form is the same topic");
	must(forum_topic_load(t.db, t.pool, &v, text_of(one), &topic), "load");
	ok(topic.mine && topic.posts == 1, "it is hers, with one post");
	must(write_as(bob, one, "f2", "A reply", NULL), "reply");
	must(write_as(bob, one, "f2", "A reply", NULL), "the same reply");
	must(forum_posts(t.db, t.pool, &v, &topic, 1, 25, &posts, &n), "read");
	is_int((intmax_t)n, 2, "two posts");
	is_str(posts[1].author, "Bob", "by name");
	must(forum_list(t.db, t.pool, &none, topic.room_id, 0, 10, &list),
	    "list");
	is_int((intmax_t)list.rows_n, 1, "one topic");
	is_int(write_as(bob, "nosuchtopic", "f3", "x", NULL), ERR_NOTFOUND,
	    "no such topic");
	t.conf.posts_per_minute = 3;
	must(write_as(carol, one, "c1", "x", NULL), "one");
	must(write_as(carol, one, "c2", "y", NULL), "two");
	must(write_as(carol, one, "c3", "z", NULL), "three");
	is_int(write_as(carol, one, "c4", "v", NULL), ERR_LIMIT, "not four");
	must(write_as(carol, one, "c3", "z", NULL), "but the third again");
	t.now = clock_now() - 3600;
	must(write_as(carol, one, "c5", "w", NULL), "a clock set back");
	t.now = 0;
	t.conf.posts_per_minute = 0;
}

/* Back and send again is another form, and still the same words. */
static void
alike(void)
{
	const char *one, *again;
	int64_t topics, posts;

	must(write_as(alice, NULL, "a1", "The same words", &one), "start");
	topics = town_number(&t, "SELECT count(*) FROM topic");
	must(write_as(alice, NULL, "a2", "The same words", &again), "again");
	is_str(again, one, "the same words lead to the topic that has them");
	is_int(town_number(&t, "SELECT count(*) FROM topic"), topics, "once");
	must(write_as(bob, one, "a3", "Me too", NULL), "reply");
	must(write_as(bob, one, "a4", "Me too", NULL), "again");
	posts = town_number(&t, "SELECT posts FROM topic ORDER BY id DESC"
				" LIMIT 1");
	is_int(posts, 2, "and to the reply that has them");
	must(write_as(carol, one, "a5", "Me too", NULL), "another person");
	must(write_as(bob, one, "a6", "Me too!", NULL), "other words");
	t.now = clock_now() + 3600;
	must(write_as(bob, one, "a7", "Me too", NULL), "an hour later");
	t.now = 0;
	is_int(town_number(&t, "SELECT posts FROM topic ORDER BY id DESC"
			       " LIMIT 1"),
	    posts + 3, "are messages of their own");
}

/* What its author takes away is gone from the lists as well. */
static void
taking_away(void)
{
	struct forum_viewer v = viewer(bob, false);
	struct forum_topics list;
	struct forum_topic topic;
	const struct forum_room *rooms;
	const char *one;
	int64_t before;
	size_t n;

	must(write_as(alice, NULL, "d1", "To be taken away", &one), "start");
	must(forum_topic_load(t.db, t.pool, &v, text_of(one), &topic), "load");
	must(forum_list(t.db, t.pool, &v, topic.room_id, 0, 50, &list), "list");
	before = (int64_t)list.rows_n;
	must(write_as(bob, one, "d2", "A reply", NULL), "reply");
	must(change(FORUM_DO_DELETE, alice, false, topic.id, 1), "delete");
	must(forum_topic_load(t.db, t.pool, &v, text_of(one), &topic), "load");
	ok(topic.title.p == NULL, "its title goes with the first message");
	is_int(topic.left, 1, "one message is left of two");
	must(forum_list(t.db, t.pool, &v, topic.room_id, 0, 50, &list), "list");
	is_int((intmax_t)list.rows_n, before, "with a reply it is listed");
	must(change(FORUM_DO_DELETE, bob, false, topic.id, 2), "delete");
	must(forum_list(t.db, t.pool, &v, topic.room_id, 0, 50, &list), "list");
	is_int((intmax_t)list.rows_n, before - 1, "without one no more");
	must(forum_topic_load(t.db, t.pool, &v, text_of(one), &topic), "load");
	is_int(topic.left, 0, "its address says that nothing is left");
	is_int(write_as(bob, one, "d3", "x", NULL), ERR_CLOSED,
	    "and it takes nothing more");

	town_script(&t, "UPDATE topic SET pinned = 1, last_at = 4000000000"
			" WHERE id = (SELECT max(id) FROM topic"
			" WHERE title <> '')");
	must(forum_rooms(t.db, t.pool, &v, &rooms, &n), "rooms");
	is_int(rooms[0].last_at, 4000000000,
	    "what is said in a pinned topic is said in its forum");
	town_script(&t, "UPDATE topic SET pinned = 0, last_at = made_at"
			" WHERE pinned = 1");
}

static void
moderating(void)
{
	struct forum_viewer a = viewer(alice, false), b = viewer(bob, false),
			    teacher = viewer(0, true);
	struct forum_topic topic;
	struct forum_post p;
	const struct forum_edit *edits;
	const char *one;
	size_t n;

	must(write_as(alice, NULL, "m1", "Words", &one), "start");
	must(write_as(bob, one, "m2", "His words", NULL), "reply");
	must(forum_topic_load(t.db, t.pool, &a, text_of(one), &topic), "load");
	is_int(change(FORUM_DO_EDIT, alice, false, topic.id, 2), ERR_DENIED,
	    "only its author edits");
	is_int(change(FORUM_DO_EDIT, carol, true, topic.id, 2), ERR_DENIED,
	    "not even a teacher");
	must(change(FORUM_DO_EDIT, bob, false, topic.id, 2), "edit");
	must(change(FORUM_DO_EDIT, bob, false, topic.id, 2), "edit again");
	must(forum_post_load(t.db, t.pool, &a, &topic, 2, &p), "load");
	is_str(p.source, "Edited", "the new words");
	must(forum_history(t.db, t.pool, p.id, &edits, &n), "history");
	is_int((intmax_t)n, 1, "the same words twice are one edit");
	is_int(change(FORUM_DO_HIDE, alice, false, topic.id, 2), ERR_DENIED,
	    "students hide nothing");
	must(change(FORUM_DO_HIDE, 0, true, topic.id, 2), "hide");
	is_int(forum_post_load(t.db, t.pool, &a, &topic, 2, &p), ERR_NOTFOUND,
	    "hidden from others");
	must(forum_post_load(t.db, t.pool, &b, &topic, 2, &p), "not from him");
	must(forum_post_load(t.db, t.pool, &teacher, &topic, 2, &p),
	    "nor teachers");
	is_int(change(FORUM_DO_EDIT, bob, false, topic.id, 2), ERR_CLOSED,
	    "and not edited");
	is_int(change(FORUM_DO_DELETE, alice, false, topic.id, 2), ERR_DENIED,
	    "only its author deletes");
	must(change(FORUM_DO_DELETE, bob, false, topic.id, 2), "delete");
	must(change(FORUM_DO_DELETE, bob, false, topic.id, 2), "twice");
	is_int(change(FORUM_DO_SHOW, 0, true, topic.id, 2), ERR_CLOSED,
	    "a deleted post does not come back");
	is_int(town_number(&t, "SELECT count(*) FROM post_edit e JOIN post p"
			       " ON p.id = e.post WHERE p.source = ''"),
	    0, "nor its earlier forms");
	is_int(change(FORUM_DO_LOCK, alice, false, topic.id, 0), ERR_DENIED,
	    "students lock nothing");
	must(change(FORUM_DO_LOCK, 0, true, topic.id, 0), "lock");
	is_int(write_as(bob, one, "m3", "x", NULL), ERR_CLOSED, "locked");
	must(change(FORUM_DO_HIDE_TOPIC, 0, true, topic.id, 0), "hide topic");
	is_int(forum_topic_load(t.db, t.pool, &b, text_of(one), &topic),
	    ERR_NOTFOUND, "a hidden topic");
	is_int(forum_topic_load(t.db, t.pool, &a, text_of(one), &topic),
	    ERR_DENIED, "of which its author is told");
	is_int(write_as(bob, one, "m4", "x", NULL), ERR_NOTFOUND,
	    "takes no reply");
}

/* Who leaves a group hears and sees no more of it, though still following. */
static void
left_group(const struct forum_viewer *in, const char *token)
{
	struct forum_viewer out = *in, teacher = *in;
	const struct forum_topic *topics;
	struct act a = { .account = alice, .how = FORUM_FOLLOW };
	struct notice_page page;
	struct notice_news news;
	struct notice n;
	int64_t before, id;
	bool some;
	size_t many;

	out.who.groups_n = 0;
	teacher.who.groups_n = 0;
	teacher.teacher = teacher.who.teacher = true;
	a.topic = town_number(&t, "SELECT max(id) FROM topic");
	must(store_write(t.store, follow_fn, &a), "follow");
	must(forum_followed(t.db, t.pool, in, 9, &topics, &many), "followed");
	is_int((intmax_t)many, 1, "a member follows it");
	must(forum_followed(t.db, t.pool, &out, 9, &topics, &many), "left");
	is_int((intmax_t)many, 0, "who has left does not see that any more");
	must(notice_list(t.db, t.pool, &in->who, 0, 9, &page), "in");
	ok(page.n > 0, "a member has its notice");
	id = page.rows[0].id;
	must(notice_list(t.db, t.pool, &teacher.who, 0, 9, &page), "teacher");
	ok(page.n > 0 && page.rows[0].id == id, "and a teacher would");
	must(notice_list(t.db, t.pool, &out.who, 0, 9, &page), "out");
	ok(page.n == 0 || page.rows[0].id != id, "who has left has none of it");
	must(notice_since(t.db, t.pool, &out.who, id - 1, 9, &news), "news");
	is_int((intmax_t)news.n + news.more, 0, "nor is it pushed");
	is_int(notice_load(t.db, t.pool, &out.who, id, &n), ERR_NOTFOUND,
	    "nor opened");
	must(notice_withheld(t.db, &out.who, &some), "withheld");
	ok(some, "it is withheld");
	must(store_write(t.store, withhold_fn, &out.who), "withhold");
	must(notice_withheld(t.db, &out.who, &some), "withheld");
	ok(!some, "and counts no more");
	town_script(&t, "UPDATE account SET groups = '' WHERE login = 'alice'");
	before = told(alice);
	must(write_as(carol, token, "g2", "More", NULL), "reply");
	is_int(told(alice), before, "nor is told again");
	town_script(
	    &t, "UPDATE account SET groups = ' ; ' WHERE login = 'alice'");
	must(write_as(carol, token, "g3", "Yet more", NULL), "reply");
	is_int(told(alice), before + 1, "a teacher who follows is");
	must(store_write(t.store, note_fn, &teacher.who), "note");
	is_int(town_number(&t, "SELECT groups = ' ; ' FROM account"
			       " WHERE login = 'alice'"),
	    1, "for the server knows who teaches");
	town_script(&t, "DELETE FROM topic_follow");
}

/* A group's forum is for its members, and so are its notices. */
static void
groups(void)
{
	const struct text group[] = { TEXT("course-1") };
	struct forum_viewer in = viewer(alice, false), out = viewer(bob, false);
	const struct forum_room *rooms;
	struct forum_room room;
	struct act a = { 0 };
	int64_t before_alice, before_bob;
	size_t n;

	in.who.groups = group;
	in.who.groups_n = 1;
	town_script(&t,
	    "INSERT INTO activity(slug, title, grp) VALUES('course', 'Course',"
	    " 'course-1');"
	    "UPDATE account SET forum = 1;"
	    "UPDATE account SET groups = ' course-1 ' WHERE login = 'alice';"
	    "UPDATE account SET groups = ' course-11 ' WHERE login = 'bob'");
	must(forum_rooms(t.db, t.pool, &in, &rooms, &n), "rooms");
	is_int((intmax_t)n, 2, "a member sees it");
	must(forum_rooms(t.db, t.pool, &out, &rooms, &n), "rooms");
	is_int((intmax_t)n, 1, "another does not");
	is_int(forum_room_find(t.db, t.pool, &out, TEXT("course"), &room),
	    ERR_NOTFOUND, "not by name either");
	before_alice = told(alice);
	before_bob = told(bob);
	a.n = (struct forum_new){ .who = { .account = carol },
		.conf = &t.conf,
		.room = TEXT("course"),
		.title = TEXT("For us"),
		.words = { .source = TEXT("x"), .form = TEXT("g1") } };
	must(forum_render(t.pool, a.n.words.source, &a.n.words.html), "render");
	must(store_write(t.store, start_fn, &a), "start");
	forum_tell_all(t.store);
	is_int(told(alice), before_alice + 1, "a member is told");
	is_int(told(bob), before_bob, "course-11 is not course-1");
	is_int(told(carol), 0, "its author never");
	left_group(&in, a.n.token);
}

/* More people than one round tells; nobody twice, nobody left out. */
static void
crowd(void)
{
	const char *one;
	struct act a = { .how = FORUM_MUTE };

	town_script(&t,
	    "UPDATE account SET unread = 0; DELETE FROM notice;"
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < 1000) INSERT INTO account(login, kind, created_at,"
	    " forum) SELECT 'crowd' || i, 'member', 1, i % 2 FROM n");
	must(write_as(alice, NULL, "k1", "To all", &one), "start");
	is_int(town_number(&t, "SELECT count(*) FROM notice"), 502,
	    "500 of the crowd, bob and carol");
	is_int(town_number(&t, "SELECT count(DISTINCT account) FROM notice"),
	    502, "each once");
	is_int(town_number(&t, "SELECT count(*) FROM post_telling"), 0,
	    "nothing is left over");
	a.topic = town_number(&t, "SELECT max(id) FROM topic");
	a.account = bob;
	must(store_write(t.store, follow_fn, &a), "mute");
	a.account =
	    town_number(&t, "SELECT id FROM account WHERE login = 'crowd2'");
	a.how = FORUM_FOLLOW;
	must(store_write(t.store, follow_fn, &a), "follow");
	must(write_as(alice, one, "k2", "Again", NULL), "reply");
	is_int(town_number(&t, "SELECT count(*) FROM notice"), 502 + 502,
	    "without him who muted, with her who follows");
	/* A program that died in between goes on with the next post. */
	town_script(&t, "UPDATE account SET unread = 0; DELETE FROM notice;"
			"INSERT INTO post_telling SELECT max(id), 0 FROM post");
	forum_tell_all(t.store);
	is_int(town_number(&t, "SELECT count(*) FROM notice"), 502,
	    "what was cut short is made good");
}

/* Who reads a discussion is never shown its answers blind. */
static enum err
seen_fn(struct store_tx *tx, void *arg)
{
	struct act *a = arg;

	return forum_pair_seen(tx, a->account, &a->pair);
}

static void
seen(void)
{
	const char *token;
	struct text room, topic;
	struct act a = { 0 };
	int64_t match, met = 0;

	must(town_match(&t, alice, &token), "match");
	is_int(forum_match_find(
		   t.db, t.pool, text_of(token), alice, &match, &room, &topic),
	    ERR_DENIED, "no discussion before the vote");
	must(town_vote(&t, alice, token, VOTE_A, NULL), "vote");
	must(forum_match_find(
		 t.db, t.pool, text_of(token), alice, &match, &room, &topic),
	    "find");
	is_int(forum_match_find(
		   t.db, t.pool, text_of(token), bob, &match, &room, &topic),
	    ERR_NOTFOUND, "nor another's match");
	must(forum_pair_load(t.db, t.pool, match, carol, &a.pair), "pair");
	ok(!a.pair.seen && !a.pair.open, "new to carol");
	a.account = carol;
	must(store_write(t.store, seen_fn, &a), "seen");
	must(forum_pair_load(t.db, t.pool, match, carol, &a.pair), "pair");
	ok(a.pair.seen, "now seen");
	for (int i = 0; i < 400; i++) {
		struct db_stmt *q;

		if (town_match(&t, carol, &token) != ERR_OK)
			break;
		q = db_stmt(t.db,
		    "SELECT answer_a IN (?2, ?3) OR answer_b IN (?2, ?3)"
		    " FROM match WHERE token = ?1");
		db_bind_z(q, 1, token);
		db_bind_int(q, 2, a.pair.answer_a);
		db_bind_int(q, 3, a.pair.answer_b);
		must(db_row(q), "match");
		met += db_int(q, 0);
		db_done(q);
		must(town_skip(&t, carol, token, NULL), "skip");
	}
	is_int(met, 0, "in all her matches none of the two");
}

/* Of this thread's processor: a busy machine does not count. */
static int64_t
cpu_ns(void)
{
	return clock_cpu_us() * 1000;
}

/* The shortest of five times that a page of 25 posts takes, from there on. */
static int64_t
page_ns(const struct forum_viewer *v, const struct forum_topic *topic,
    int64_t first, int64_t last)
{
	const struct forum_post *posts;
	int64_t best = INT64_MAX;
	size_t n;

	for (int i = 0; i < 5; i++) {
		int64_t from = cpu_ns();

		must(forum_posts(t.db, t.pool, v, topic, first, 25, &posts, &n),
		    "a page of posts");
		from = cpu_ns() - from;
		best = from < best ? from : best;
		if (n != 25 || posts[24].number != last)
			ok(false, "25 posts up to %lld", (long long)last);
	}
	return best;
}

/* The shortest of five times that a page of 50 topics takes, on the mean of
 * a hundred. */
static int64_t
topics_ns(const struct forum_viewer *v)
{
	struct forum_topics list;
	int64_t best = INT64_MAX;

	for (int i = 0; i < 5; i++) {
		int64_t from = cpu_ns(), older = 0;
		int pages = 0;

		do {
			must(forum_list(t.db, t.pool, v, 1, older, 50, &list),
			    "a page of topics");
			older = list.older;
			pages++;
		} while (pages < 101 && older > 0);
		from = (cpu_ns() - from) / 101;
		best = from < best ? from : best;
		ok(pages == 101 && list.rows_n == 50,
		    "a hundred and one pages of topics");
	}
	return best;
}

/*
 * The shortest of five times that finding 30 posts with the commonest word
 * takes: by a visitor's search, or by nothing but the index of words.
 */
static int64_t
search_ns(const struct forum_viewer *v)
{
	const struct forum_hit *hits;
	int64_t best = INT64_MAX;
	size_t n = 0;

	for (int i = 0; i < 5; i++) {
		int64_t from = cpu_ns();

		must(forum_search(
			 t.db, t.pool, v, TEXT("word"), 0, 30, &hits, &n),
		    "search for the commonest word");
		from = cpu_ns() - from;
		best = from < best ? from : best;
	}
	ok(n == 30, "30 hits of 100 000");
	return best;
}

static int64_t
index_ns(void)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 5; i++) {
		int64_t from = cpu_ns();
		struct db_stmt *q = db_stmt(t.db,
		    "SELECT rowid FROM post_search WHERE post_search MATCH"
		    " 'word' ORDER BY rowid DESC LIMIT 30");
		int n = 0;

		while (db_row(q) == ERR_OK)
			n++;
		from = cpu_ns() - from;
		best = from < best ? from : best;
		if (n != 30)
			ok(false, "the index knows 30 posts");
	}
	return best;
}

/*
 * A hundred thousand posts: lists and pages stay quick, measured by the first
 * page of a topic, and search by what the index of words takes.
 */
static void
large(void)
{
	struct forum_viewer v = viewer(alice, false);
	struct forum_topic topic;
	struct text token;
	struct db_stmt *q;
	int64_t first, last, spent, bare;

	town_script(&t,
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < 10000) INSERT INTO topic(id, token, activity, author,"
	    " title, made_at, posts, last_post, last_at) SELECT 100000 + i,"
	    " 'large' || i, 1, 1, 'Topic ' || i, 1, 5, 1000000 + i, 1 FROM n");
	town_script(&t,
	    "INSERT INTO topic(id, token, activity, author, title, made_at,"
	    " posts, last_post, last_at) VALUES(99999, 'huge', 1, 1, 'Huge',"
	    " 1, 50000, 2000000, 1);"
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < 50000) INSERT INTO post(id, topic, number, author,"
	    " made_at, source, html, renderer, form) SELECT 300000 + i, 99999,"
	    " i, 1, 1, 'word ' || i, '<p>word</p>', 1, 'h' || i FROM n;"
	    "INSERT INTO post(topic, number, author, made_at, source, html,"
	    " renderer, form) SELECT t.id, n.i, 1, 1, 'word', '<p>word</p>',"
	    " 1, t.id || '-' || n.i FROM topic t, (SELECT 1 AS i UNION"
	    " SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5) n"
	    " WHERE t.id > 100000;"
	    "INSERT INTO post_search(rowid, words) SELECT id, source FROM"
	    " post WHERE id > 300000");
	token = TEXT("huge");
	must(forum_topic_load(t.db, t.pool, &v, token, &topic), "load");
	first = page_ns(&v, &topic, 1, 25);
	last = page_ns(&v, &topic, 49976, 50000);
	ok(last <= 10 * first, "the last page of 2 000 takes %.1f x the first",
	    (double)last / (double)first);
	spent = topics_ns(&v);
	ok(spent <= 50 * first, "a page of 10 000 topics takes %.1f x that",
	    (double)spent / (double)first);
	spent = search_ns(&v);
	bare = index_ns();
	ok(spent <= 10 * bare, "a search takes %.1f x its index",
	    (double)spent / (double)bare);
	q = db_stmt(t.db,
	    "EXPLAIN QUERY PLAN SELECT id FROM topic WHERE activity = 1"
	    " AND pinned = 0 AND last_post < 5 ORDER BY last_post DESC");
	must(db_row(q), "plan");
	ok(str_starts(db_str(q, 3, NULL), "SEARCH topic USING"),
	    "topics are found by the index");
	db_done(q);
}

int
main(void)
{
	town_open(&t);
	town_catalog(&t, 4, 10, 2);
	town_sync(&t);
	alice = town_member(&t, "alice", "Alice");
	bob = town_member(&t, "bob", "Bob");
	carol = town_member(&t, "carol", "Carol");
	writing();
	alike();
	taking_away();
	moderating();
	seen();
	groups();
	crowd();
	large();
	town_close(&t);
	return done_testing();
}
