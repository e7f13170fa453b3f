/* A poll that finds nothing new costs one look-up by an index, whoever asks. */
#include "config.h"

#include <sqlite3.h>
#include <stdatomic.h>

#include "model/account.h"
#include "tests/page/site.h"

static struct site_test t;
/* Of all connections since the last ask: statements ended, rows scanned. */
static atomic_int statements, scanned;

static int
count(unsigned what, void *ctx, void *statement, void *nanoseconds)
{
	(void)what, (void)ctx, (void)nanoseconds;
	atomic_fetch_add(&statements, 1);
	atomic_fetch_add(&scanned,
	    sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1));
	return 0;
}

static int
watch(sqlite3 *db, const char **error, const void *api)
{
	(void)error, (void)api;
	return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count, NULL);
}

/* Ask as a member, as a guest (NULL: by the cookie), with the tag known. */
static void
poll_as(const char *user, const char *tag, int status)
{
	if (user != NULL) {
		with(&t, "PA_USER", user);
		with(&t, "PA_SECRET", SECRET);
	}
	if (tag != NULL)
		with(&t, "HTTP_IF_NONE_MATCH", tag);
	with(&t, "HTTP_ACCEPT_LANGUAGE", "zh-TW,zh;q=0.8,en;q=0.5");
	atomic_store(&statements, 0);
	atomic_store(&scanned, 0);
	is_int(ask(&t, "GET", "/notices.json?since=0", NULL), status,
	    "%s asks %s", user != NULL ? user : "somebody",
	    tag != NULL ? "again" : "for the first time");
}

static void
try(const char *user, const char *name, int lookups)
{
	char tag[80];

	poll_as(user, NULL, 200);
	snprintf(tag, sizeof(tag), "%.*s", (int)header(&t, "ETag").n,
	    header(&t, "ETag").p);
	ok(tag[0] == '"', "%s gets a tag", name);
	poll_as(user, tag, 304);
	is_int(
	    atomic_load(&statements), lookups, "%s: look-ups of a 304", name);
	is_int(atomic_load(&scanned), 0, "%s: by an index", name);
}

static enum err
join_fn(struct store_tx *tx, void *arg)
{
	int64_t *id = arg;

	return account_ensure(tx, TEXT("alice"), TEXT("Alice"), id);
}

/* What is counted is there to be counted. */
static void
test_counters(void)
{
	struct db_stmt *all;

	poll_as("alice", NULL, 200);
	ok(atomic_load(&statements) > 1, "a whole answer costs more");
	all = db_stmt(t.db, "SELECT id FROM account WHERE name = 'nobody'");
	is_int(db_row(all), ERR_NOTFOUND, "a search without an index");
	ok(atomic_load(&scanned) > 0, "is seen to be one");
}

int
main(void)
{
	int64_t id = 0;

	(void)sqlite3_auto_extension((void (*)(void))watch);
	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return done_testing();
	}
	try(NULL, "a stranger", 0);
	try("bob", "a member without an account", 1);
	is_int(ask(&t, "POST", "/arena", "type=any"), 303, "a guest joins");
	try(NULL, "a guest", 1);
	t.cookie[0] = '\0';
	is_int(store_write(t.store, join_fn, &id), ERR_OK, "a member joins");
	test_counters();
	try("alice", "a member", 1);
	site_test_stop(&t);
	return done_testing();
}
