/* Who is asking: members by the web server's word, guests by our cookie. */
#include "config.h"

#include "page/auth.h"

#include "model/notice.h"
#include "tests/page/site.h"

static struct site_test t;

static void
as(const char *user, const char *secret)
{
	if (user != NULL)
		with(&t, "PA_USER", user);
	if (secret != NULL)
		with(&t, "PA_SECRET", secret);
}

static void
test_members(void)
{
	char endless[4096] = "";

	as("alice", SECRET);
	is_int(ask(&t, "GET", "/", NULL), 200, "a member");
	ok(body_has(&t, "alice"), "is called by the login");
	as("alice", SECRET);
	with(&t, "PA_NAME", "Alice Chen");
	is_int(ask(&t, "GET", "/", NULL), 200, "with a name");
	ok(body_has(&t, "Alice Chen"), "by the name");
	as("alice", "wrong");
	is_int(ask(&t, "GET", "/", NULL), 403, "a wrong secret");
	ok(!body_has(&t, "alice"), "names nobody");
	as("alice", NULL);
	is_int(ask(&t, "GET", "/", NULL), 403, "no secret");
	as("alice", "");
	is_int(ask(&t, "GET", "/", NULL), 403, "an empty secret");
	as(NULL, SECRET);
	is_int(ask(&t, "GET", "/", NULL), 200, "a secret without a name");
	ok(!body_has(&t, "Signed in as"), "is a visitor");
	as("", SECRET);
	is_int(ask(&t, "GET", "/", NULL), 200, "an empty name");
	ok(!body_has(&t, "Signed in as"), "is a visitor");
	as("a\nb", SECRET);
	is_int(ask(&t, "GET", "/", NULL), 400, "a name of two lines");
	as("a\xff", SECRET);
	is_int(ask(&t, "GET", "/", NULL), 400, "a name that is not UTF-8");
	as("ad\xe2\x80\x8bmin", SECRET);
	is_int(ask(&t, "GET", "/", NULL), 400, "a zero-width space in a name");
	as("\xe2\x80\xae"
	   "admin",
	    SECRET);
	is_int(ask(&t, "GET", "/", NULL), 400, "a name turned around");
	as("alice", SECRET);
	with(&t, "PA_NAME", "Al\xffice\x01\nChen");
	is_int(ask(&t, "GET", "/", NULL), 200,
	    "a display name that is not UTF-8 keeps nobody out");
	ok(body_has(&t, "Al\xef\xbf\xbdice\xef\xbf\xbd Chen"),
	    "and is cleaned");
	as("alice", SECRET);
	with(&t, "PA_NAME", " ");
	is_int(ask(&t, "GET", "/", NULL), 200, "a blank display name");
	ok(body_has(&t, "alice"), "leaves the login");
	as("alice", SECRET);
	memset(endless, 'x', sizeof(endless) - 1);
	with(&t, "PA_NAME", endless);
	is_int(ask(&t, "GET", "/", NULL), 200, "an endless display name");
	ok(body_has(&t, "xxx</bdi>") && !body_has(&t, endless), "is cut");
	with(&t, "HTTP_PA_USER", "admin");
	with(&t, "HTTP_REMOTE_USER", "admin");
	with(&t, "REMOTE_USER", "admin");
	as(NULL, SECRET);
	is_int(ask(&t, "GET", "/", NULL), 200, "names under other names");
	ok(!body_has(&t, "Signed in as"), "are nobody");
}

static void
test_guests(void)
{
	char kept[200], form[256], tok[128];

	t.cookie[0] = '\0';
	ask(&t, "GET", "/arena", NULL);
	ask(&t, "GET", "/leaderboard", NULL);
	ok(t.cookie[0] == '\0', "looking sets no cookie");
	ok(str_starts(header(&t, "Cache-Control"), "public"),
	    "and such a page may be shared");
	is_int(ask(&t, "POST", "/arena", "type=any"), 303, "a first post");
	ok(strncmp(t.cookie, "arena=", 6) == 0, "sets the cookie");
	ok(memmem(header(&t, "Set-Cookie").p, header(&t, "Set-Cookie").n,
	       "; HttpOnly; SameSite=Lax", 24) != NULL,
	    "for the server alone");
	ok(memmem(header(&t, "Set-Cookie").p, header(&t, "Set-Cookie").n,
	       "Secure", 6) == NULL,
	    "without Secure on plain HTTP");
	snprintf(kept, sizeof(kept), "%.199s", t.cookie);
	ask(&t, "GET", "/leaderboard", NULL);
	ok(body_has(&t, "Guest"), "a guest is greeted as one");
	is_str(header(&t, "Cache-Control"), "private, no-store",
	    "and that page is shared with nobody");
	ask(&t, "GET", "/preferences", NULL);
	token(&t, tok);
	snprintf(form, sizeof(form), "sound=1&csrf=%s", tok);
	is_int(ask(&t, "POST", "/preferences", form), 303,
	    "a guest has preferences");
	ok(strcmp(kept, t.cookie) == 0, "and keeps the cookie");

	t.cookie[8] = t.cookie[8] == '1' ? '2' : '1';
	ask(&t, "GET", "/", NULL);
	ok(!body_has(&t, "Guest"), "a changed cookie is nobody's");
	snprintf(t.cookie, sizeof(t.cookie), "%s; %s", kept, kept);
	ask(&t, "GET", "/", NULL);
	ok(!body_has(&t, "Guest"), "two cookies are none");
	snprintf(t.cookie, sizeof(t.cookie), "x=1; %s ;y=2", kept);
	ask(&t, "GET", "/", NULL);
	ok(body_has(&t, "Guest"), "others beside it do no harm");
	as("alice", SECRET);
	ask(&t, "GET", "/", NULL);
	ok(body_has(&t, "alice") && !body_has(&t, "Guest"),
	    "a member's name outweighs the cookie");
	snprintf(t.cookie, sizeof(t.cookie), "%s", kept);
	with(&t, "HTTPS", "on");
	ask(&t, "GET", "/", NULL);
	ok(!body_has(&t, "Guest"), "a cookie of plain HTTP counts not on TLS");
	t.cookie[0] = '\0';
	with(&t, "HTTPS", "on");
	ask(&t, "POST", "/arena", "type=any");
	ok(strncmp(t.cookie, "__Host-arena=", 13) == 0,
	    "there it has the __Host- name");
	ok(memmem(header(&t, "Set-Cookie").p, header(&t, "Set-Cookie").n,
	       "; Secure", 8) != NULL,
	    "and is Secure");
	ok(header(&t, "Strict-Transport-Security").p != NULL,
	    "and the site asks to be met on TLS only");
	t.cookie[0] = '\0';
}

/* After an older database was put back, a number is given a second time. */
static enum err
give_number_again(struct store_tx *tx, void *arg)
{
	(void)arg;
	return db_run(
	    db_stmt(tx->db, "UPDATE account SET pseud_key = randomblob(32)"
			    " WHERE id = (SELECT max(id) FROM account)"));
}

static void
test_number_given_again(void)
{
	char old[200];

	t.cookie[0] = '\0';
	is_int(ask(&t, "POST", "/arena", "type=any"), 303, "a guest's post");
	snprintf(old, sizeof(old), "%.199s", t.cookie);
	ask(&t, "GET", "/leaderboard", NULL);
	ok(body_has(&t, "Guest"), "is greeted as a guest");
	is_int(store_write(t.store, give_number_again, NULL), ERR_OK,
	    "another has the number");
	ask(&t, "GET", "/leaderboard", NULL);
	ok(!body_has(&t, "Guest"), "the old cookie is nobody's");
	is_int(ask(&t, "GET", "/arena", NULL), 200, "who may begin anew");
	is_int(ask(&t, "POST", "/arena", "type=any"), 303, "with a post");
	ok(t.cookie[0] != '\0' && strcmp(t.cookie, old) != 0,
	    "and gets a cookie of a new account");
	ask(&t, "GET", "/leaderboard", NULL);
	ok(body_has(&t, "Guest"), "which is good");
	t.cookie[0] = '\0';
}

static void
test_pure(void)
{
	struct text none = { NULL, 0 };

	ok(auth_origin_ok(STR(""), STR("https://a.example:8443"),
	       STR("a.example:8443"), none),
	    "an origin on our host");
	ok(!auth_origin_ok(
	       STR(""), STR("https://a.example:8443"), STR("a.example"), none),
	    "on another port");
	ok(auth_origin_ok(STR(""), STR("https://a.example"), STR("inside:80"),
	       TEXT("https://a.example")),
	    "the origin that arena.xml names");
	ok(!auth_origin_ok(STR(""), STR("https://a.example.evil"),
	       STR("a.example"), TEXT("https://a.example")),
	    "one that only begins like it");
	ok(auth_origin_ok(STR("none"), STR("null"), STR("a"), none),
	    "typed by hand");
	ok(!auth_origin_ok(STR("Same-Origin"), STR(""), STR("a"), none),
	    "a word no browser sends");
	is_str(auth_cookie(STR("a=1; b=2"), "b"), "2", "the second cookie");
	ok(auth_cookie(STR("a=1; b=2"), "c").p == NULL,
	    "one that is not there");
	ok(auth_cookie(STR("xa=1"), "a").p == NULL, "one that ends alike");
}

static enum err
close_room_fn(struct store_tx *tx, void *arg)
{
	struct notice_new n = { .account = *(int64_t *)arg,
		.kind = NOTICE_POST,
		.event = TEXT("post:1"),
		.thread = TEXT("topic:room"),
		.url = TEXT("/forum/room/1"),
		.title = TEXT("For members") };
	enum err e;

	if ((e = db_run(db_stmt(
		 tx->db, "UPDATE activity SET grp = 'course-1'"))) != ERR_OK ||
	    (e = db_run(db_stmt(tx->db,
		 "INSERT INTO topic(token, activity, author, title, made_at,"
		 " last_at) SELECT 'room', min(id), 1, 'For members', 1, 1"
		 " FROM activity"))) != ERR_OK)
		return e;
	return notice_put(tx, &n, NULL);
}

static const char *
noted_groups(const char *login, char out[64])
{
	struct db_stmt *q =
	    db_stmt(t.db, "SELECT groups FROM account WHERE login = ?1");
	struct str s;

	out[0] = '\0';
	db_bind_z(q, 1, login);
	if (db_row(q) == ERR_OK) {
		s = db_str(q, 0, NULL);
		snprintf(out, 64, "%.*s", (int)s.n, s.p);
	}
	db_done(q);
	return out;
}

/* What the web server says of somebody's groups holds from the next page on,
 * also for what others tell them while they are away. */
static void
test_groups(void)
{
	int64_t id;
	char out[64];

	as("grace", SECRET);
	with(&t, "PA_GROUPS", "course-1 course-2");
	is_int(ask(&t, "GET", "/notices", NULL), 200, "a member of groups");
	id = t.rq.viewer.account;
	is_str(str_of(noted_groups("grace", out)), " course-1  course-2 ",
	    "which are noted");
	is_int(store_write(t.store, close_room_fn, &id), ERR_OK,
	    "something is told to them");
	as("grace", SECRET);
	with(&t, "PA_GROUPS", "course-1 course-2");
	is_int(ask(&t, "GET", "/forum", NULL), 200, "they go on");
	ok(body_has(&t, "(1 unread)"), "and see that it is there");
	as("grace", SECRET);
	with(&t, "PA_GROUPS", "course-2");
	is_int(ask(&t, "GET", "/forum", NULL), 200, "now in one group less");
	ok(!body_has(&t, "(1 unread)"), "it is taken back from the count");
	is_str(str_of(noted_groups("grace", out)), " course-2 ",
	    "and the group is no longer noted");
	as("grace", SECRET);
	is_int(ask(&t, "GET", "/notices.json", NULL), 200, "in none at all");
	is_str(str_of(noted_groups("grace", out)), "", "a poll is enough");
}

int
main(void)
{
	test_pure();
	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return done_testing();
	}
	test_members();
	test_guests();
	test_number_given_again();
	test_groups();
	site_test_stop(&t);
	return done_testing();
}
