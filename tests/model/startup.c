/* This file knows every way a store can be found at start, and what is due. */
#include "config.h"

#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "arena.h"
#include "../tap.h"

enum {
	VOTES = 12,
	LINES = VOTES + 1
};

static struct scratch scratch;

/* The three files whose bytes matter; -shm is SQLite's scratch paper. */
struct image {
	char *p[3];
	size_t n[3];
};

static const char *
file_name(int i, char *room, size_t n)
{
	if (i == 2)
		(void)snprintf(room, n, "%s", scratch.ledger);
	else
		(void)snprintf(
		    room, n, "%s%s", scratch.database, i == 0 ? "" : "-wal");
	return room;
}

static void
image_take(struct image *m)
{
	char name[128];

	for (int i = 0; i < 3; i++)
		m->p[i] = slurp(file_name(i, name, sizeof(name)), &m->n[i]);
}

static void
image_put(const struct image *m)
{
	char name[128];

	scratch_clear(&scratch);
	for (int i = 0; i < 3; i++) {
		if (m->p[i] != NULL)
			spill(
			    file_name(i, name, sizeof(name)), m->p[i], m->n[i]);
	}
}

static void
image_free(struct image *m)
{
	for (int i = 0; i < 3; i++)
		free(m->p[i]);
}

static bool
image_same(const struct image *a, const struct image *b)
{
	for (int i = 0; i < 3; i++) {
		/* An empty log is as good as none. */
		size_t x = a->p[i] == NULL ? 0 : a->n[i];
		size_t y = b->p[i] == NULL ? 0 : b->n[i];

		if (x != y || (x > 0 && memcmp(a->p[i], b->p[i], x) != 0))
			return false;
	}
	return true;
}

/* Wait until the writer has copied its log in a quiet moment. */
static bool
wait_copied(struct store *s)
{
	while (writer_copied(store_writer(s)) == 0)
		sched_yield();
	return true;
}

/* Killed with VOTES votes, all of them still in the write-ahead log. */
static void
make_killed(struct image *m)
{
	pid_t pid;
	int status;

	scratch_clear(&scratch);
	pid = fork();
	if (pid == 0) {
		struct store *s = NULL;

		if (arena_open(&scratch, &s) == ERR_OK &&
		    store_write(s, arena_fill_fn, NULL) == ERR_OK &&
		    wait_copied(s) && arena_votes(s, 0, VOTES) == ERR_OK)
			(void)raise(SIGKILL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status))
		abort();
	image_take(m);
}

static enum err
reopen(int64_t *durable)
{
	struct store *s = NULL;
	enum err e = arena_open(&scratch, &s);

	if (e == ERR_OK) {
		*durable = store_durable_seq(s);
		store_close(s);
	}
	return e;
}

/* Everything is there, once, in both. */
static void
whole(const char *what)
{
	int64_t durable = 0;
	size_t n, lines = 0;
	char *p;

	is_int(reopen(&durable), ERR_OK, "%s: opens", what);
	is_int(durable, LINES, "%s: every line", what);
	is_int(arena_count(&scratch, "SELECT count(*) FROM ledger"), LINES,
	    "%s: every row", what);
	p = slurp(scratch.ledger, &n);
	for (size_t i = 0; p != NULL && i < n; i++)
		lines += p[i] == '\n';
	free(p);
	is_int(lines, LINES, "%s: every line in the file", what);
	ok(arena_ratings_hold(&scratch), "%s: ratings hold", what);
}

static void
refused(const char *what, enum err why)
{
	struct image before, after;
	int64_t durable = 0;

	image_take(&before);
	is_int(reopen(&durable), why, "%s: is refused", what);
	image_take(&after);
	ok(image_same(&before, &after), "%s: and nothing is touched", what);
	image_free(&before);
	image_free(&after);
}

static void
after_kill(const struct image *m)
{
	char name[128];
	size_t n;
	char *p;

	image_put(m);
	whole("killed");

	image_put(m);
	(void)unlink(file_name(1, name, sizeof(name)));
	whole("write-ahead log deleted");
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), 0,
	    "their matches were in it");

	image_put(m);
	p = m->p[2];
	n = m->n[2];
	spill(scratch.ledger, p, n - 40);
	whole("last line torn");
	image_put(m);
	spill(scratch.ledger, p, n - 1);
	whole("last newline missing");
	image_put(m);
	(void)unlink(scratch.ledger);
	whole("ledger deleted");
	image_put(m);
	for (int back = 0; back < 3; back++) {
		while (n > 0 && p[--n - 1] != '\n')
			;
	}
	spill(scratch.ledger, p, n);
	whole("ledger three lines behind");
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), VOTES,
	    "no vote was lost");
}

/* A vote line replayed onto a match that is still there. */
static void
vote_lost(const struct image *m)
{
	struct db *db = NULL;
	int64_t votes;

	image_put(m);
	whole("to take votes from");
	if (db_open(&db, scratch.database, DB_WRITE) != ERR_OK ||
	    db_script(db,
		"DELETE FROM vote WHERE n > 10;"
		"DELETE FROM ledger WHERE n > 10;"
		"DELETE FROM rating;"
		"UPDATE match SET state = 'open' WHERE id = 12") != ERR_OK ||
	    db_begin(db) != ERR_OK ||
	    db_end(db, recount_all(db, &arena_rule, &votes)) != ERR_OK)
		abort();
	db_close(db);
	is_int(votes, 9, "nine votes are left");
	whole("votes lost, matches kept");
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), VOTES,
	    "the votes are back at their matches");
	is_int(arena_count(
		   &scratch, "SELECT count(*) FROM match WHERE state = 'open'"),
	    0, "which are closed again");
	is_int(
	    arena_count(&scratch, "SELECT count(*) FROM vote WHERE counted = 1"
				  " AND before_a IS NULL"),
	    0, "with the ratings on their receipts");
}

static void
database_gone(const struct image *m)
{
	struct store_conf conf = {
		.database = scratch.database, .create = true, .rebuild = true
	};
	struct store *s = NULL;
	char name[128];
	size_t n;
	char *p;

	image_put(m);
	(void)unlink(scratch.database);
	refused("database gone, its logs there", ERR_CORRUPT);
	(void)unlink(file_name(1, name, sizeof(name)));
	refused("database gone, votes.log there", ERR_CORRUPT);
	is_int(store_open(&s, &conf), ERR_OK, "rebuilt when asked to");
	is_int(store_durable_seq(s), LINES, "with every line");
	store_close(s);
	ok(arena_ratings_hold(&scratch), "and its ratings");
	p = slurp(scratch.ledger, &n);
	ok(p != NULL && n == m->n[2] && memcmp(p, m->p[2], n) == 0,
	    "the ledger is the same file");
	free(p);

	image_put(m);
	(void)unlink(scratch.database);
	(void)unlink(scratch.ledger);
	refused("only the write-ahead log", ERR_CORRUPT);

	scratch_clear(&scratch);
	conf = (struct store_conf){ .database = scratch.database };
	is_int(store_open(&s, &conf), ERR_NOTFOUND, "nothing, not to create");
	ok(access(scratch.database, F_OK) != 0, "is not created");
}

static void
foreign(const struct image *m)
{
	struct db *db = NULL;
	char *bad;

	scratch_clear(&scratch);
	spill(scratch.database, "", 0);
	refused("an empty file", ERR_CORRUPT);
	spill(scratch.database, "# Notes\n\nBuy milk.\n", 19);
	refused("not a database", ERR_CORRUPT);
	(void)unlink(scratch.database);
	if (db_open(&db, scratch.database, DB_CREATE) != ERR_OK ||
	    db_script(db, "CREATE TABLE t (x)") != ERR_OK ||
	    db_checkpoint(db, DB_CHECKPOINT_ALL) != ERR_OK)
		abort();
	db_close(db);
	refused("another program's database", ERR_CORRUPT);

	image_put(m);
	whole("to be made newer");
	if (db_open(&db, scratch.database, DB_WRITE) != ERR_OK ||
	    db_script(db, "PRAGMA user_version = 99") != ERR_OK ||
	    db_checkpoint(db, DB_CHECKPOINT_ALL) != ERR_OK)
		abort();
	db_close(db);
	refused("a newer schema", ERR_CONFIG);

	/* Damage in the middle of the file, behind the first pages. */
	image_put(m);
	whole("to be damaged");
	{
		size_t n;

		bad = slurp(scratch.database, &n);
		memset(bad + n / 2, 0x5a, 4096);
		spill(scratch.database, bad, n);
		free(bad);
	}
	refused("a garbage page", ERR_CORRUPT);
	image_put(m);
	whole("to be cut");
	{
		size_t n;

		bad = slurp(scratch.database, &n);
		spill(scratch.database, bad, n / 2 / 4096 * 4096);
		free(bad);
	}
	refused("half a file", ERR_CORRUPT);
}

static void
ledger_wrong(const struct image *m)
{
	struct image other;
	char *p;
	size_t n = m->n[2];

	/* One digit of a verdict in the middle. */
	image_put(m);
	p = slurp(scratch.ledger, &n);
	p[n / 2] = p[n / 2] == 'x' ? 'y' : 'x';
	spill(scratch.ledger, p, n);
	refused("a changed byte in the ledger", ERR_CORRUPT);

	/* A line taken out of the middle. */
	memcpy(p, m->p[2], n);
	{
		char *a = memchr(p + n / 2, '\n', n / 2);
		char *b = memchr(a + 1, '\n', (size_t)(p + n - a - 1));

		memmove(a, b, (size_t)(p + n - b));
		spill(scratch.ledger, p, n - (size_t)(b - a));
	}
	refused("a missing line", ERR_CORRUPT);
	spill(scratch.ledger, "# Notes", 7);
	refused("another file in the ledger's place", ERR_CORRUPT);
	free(p);

	/* A sound ledger, of another arena. */
	make_killed(&other);
	image_put(m);
	spill(scratch.ledger, other.p[2], other.n[2]);
	refused("another arena's ledger", ERR_CORRUPT);
	image_free(&other);

	/* The database's own copy of a line that the file needs. */
	image_put(m);
	whole("to be forged");
	{
		struct db *db = NULL;

		if (db_open(&db, scratch.database, DB_WRITE) != ERR_OK ||
		    db_script(db, "UPDATE ledger SET w = 'b' WHERE w = 'a'") !=
			ERR_OK ||
		    db_checkpoint(db, DB_CHECKPOINT_ALL) != ERR_OK)
			abort();
		db_close(db);
	}
	(void)unlink(scratch.ledger);
	refused("forged rows that would be appended", ERR_CORRUPT);
}

/* Rows that somebody has changed in the database, behind an intact ledger. */
static void
rows_wrong(const struct image *m)
{
	static const char *const changes[] = {
		"UPDATE ledger SET w = 'both_poor' WHERE n = 5",
		"UPDATE ledger SET prev = '', h = prev WHERE n = 5",
		"DELETE FROM vote WHERE n = 5",
		"UPDATE vote SET choice = 'both_poor' WHERE n = 5",
		"UPDATE vote SET counted = 1 - counted WHERE n = 5",
		"UPDATE vote SET why = 'limit' WHERE n = 5",
		"UPDATE match SET token = 'x' || token WHERE id = 4",
		("UPDATE match SET answer_a = answer_b, answer_b = answer_a "
		 "WHERE id = 4"),
		"PRAGMA foreign_keys = OFF; DELETE FROM ledger WHERE n = 5",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct db *db = NULL;

		image_put(m);
		whole("to be changed");
		if (db_open(&db, scratch.database, DB_WRITE) != ERR_OK ||
		    db_script(db, changes[i]) != ERR_OK ||
		    db_checkpoint(db, DB_CHECKPOINT_ALL) != ERR_OK)
			abort();
		db_close(db);
		refused(changes[i], ERR_CORRUPT);
	}
}

/* Die at this point, in a child; then open again. */
static void
dies(const char *spec, uint64_t votes, int64_t lines)
{
	int64_t durable = 0;
	pid_t pid;
	int status = 0;

	scratch_clear(&scratch);
	pid = fork();
	if (pid == 0) {
		struct store *s = NULL;

		if (strncmp(spec, "create", 6) == 0)
			failpoint_arm(spec);
		if (arena_open(&scratch, &s) != ERR_OK ||
		    store_write(s, arena_fill_fn, NULL) != ERR_OK)
			_exit(1);
		if (arena_votes(s, 0, votes) != ERR_OK)
			_exit(2);
		failpoint_arm(spec);
		_exit(arena_votes(s, votes, 1) == ERR_OK);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s: died",
	    spec);
	is_int(reopen(&durable), ERR_OK, "%s: opens", spec);
	is_int(durable, lines, "%s: with what was committed", spec);
	is_int(arena_count(&scratch, "SELECT max(n) FROM ledger"), lines,
	    "%s: in the database", spec);
	ok(arena_ratings_hold(&scratch), "%s: ratings hold", spec);
}

static void
dies_repairing(const struct image *m)
{
	char name[128];
	pid_t pid;
	int status = 0;

	image_put(m);
	(void)unlink(file_name(1, name, sizeof(name)));
	pid = fork();
	if (pid == 0) {
		struct store *s = NULL;

		failpoint_arm("replay:kill@5");
		_exit(arena_open(&scratch, &s) == ERR_OK);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "died while replaying");
	whole("then");
}

/* An upgrade that only tests know: version 2 adds a column. */
static void
upgrade(const struct image *m)
{
	static const struct store_step good[] = {
		{ 2, "ALTER TABLE prompt ADD COLUMN colour TEXT NOT NULL"
		     " DEFAULT 'blue'" },
		{ 3, "CREATE TABLE poem (line TEXT NOT NULL) STRICT" },
	};
	static const struct store_step bad[] = {
		{ 2, "UPDATE match SET voter = 999" },
	};
	struct store_schema schema = store_schema_own;
	struct store_conf conf = { .database = scratch.database,
		.schema = &schema };
	struct store *s = NULL;
	char copy[128], copy_log[160];
	pid_t pid;
	int status = 0;

	(void)snprintf(copy, sizeof(copy), "%s.before-2", scratch.database);
	(void)snprintf(copy_log, sizeof(copy_log), "%s.votes.log", copy);
	image_put(m);
	schema.version = 2;
	schema.steps = bad;
	schema.steps_n = 1;
	is_int(store_open(&s, &conf), ERR_CORRUPT,
	    "an upgrade that breaks references");
	is_int(arena_count(&scratch, "SELECT * FROM pragma_user_version"), 1,
	    "leaves the old version");
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), VOTES,
	    "and every vote");

	image_put(m);
	schema.version = 3;
	schema.steps = good;
	schema.steps_n = 2;
	pid = fork();
	if (pid == 0) {
		failpoint_arm("upgrade:kill@2");
		_exit(store_open(&s, &conf) == ERR_OK);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "killed in the midst of an upgrade");
	is_int(arena_count(&scratch, "SELECT * FROM pragma_user_version"), 1,
	    "it is as before");
	ok(access(copy, F_OK) == 0 && access(copy_log, F_OK) == 0,
	    "the copy was made first");
	is_int(store_open(&s, &conf), ERR_OK, "the next start upgrades");
	is_int(store_durable_seq(s), LINES, "with every vote");
	is_int(arena_votes(s, 100, 1), ERR_OK, "and takes more");
	store_close(s);
	is_int(arena_count(&scratch,
		   "SELECT count(*) FROM prompt WHERE colour = 'blue'"),
	    2, "the first step was done");
	is_int(arena_count(&scratch, "SELECT count(*) FROM poem"), 0,
	    "and the second");
	refused("an old program on it", ERR_CONFIG);

	/* The copy is a whole store. */
	if (rename(copy, scratch.database) != 0 ||
	    rename(copy_log, scratch.ledger) != 0)
		abort();
	whole("the copy put back");

	scratch_clear(&scratch);
	conf.create = true;
	is_int(store_open(&s, &conf), ERR_OK, "a new arena at that version");
	store_close(s);
	is_int(arena_count(&scratch, "SELECT * FROM pragma_user_version"), 3,
	    "is at it");
}

/* Something else has the ledger's name: said at once, and left as it is. */
static void
ledger_no_file(const struct image *m)
{
	struct store *s = NULL;
	char aside[128];
	struct stat sb;

	(void)snprintf(aside, sizeof(aside), "%s/aside", scratch.dir);
	image_put(m);
	if (rename(scratch.ledger, aside) != 0 ||
	    mkfifo(scratch.ledger, 0600) != 0)
		abort();
	is_int(arena_open(&scratch, &s), ERR_IO, "a pipe for a ledger");
	ok(lstat(scratch.ledger, &sb) == 0 && S_ISFIFO(sb.st_mode),
	    "is left as it is");
	(void)unlink(scratch.ledger);
	if (mkdir(scratch.ledger, 0700) != 0)
		abort();
	is_int(arena_open(&scratch, &s), ERR_IO, "a folder for a ledger");
	(void)rmdir(scratch.ledger);
	if (symlink(aside, scratch.ledger) != 0)
		abort();
	is_int(arena_open(&scratch, &s), ERR_IO, "a link for a ledger");
	(void)unlink(scratch.ledger);
	(void)unlink(aside);
}

static void
backup(const struct image *m)
{
	struct store *s = NULL;
	char to[128], log[160];

	(void)snprintf(to, sizeof(to), "%s/copy.db", scratch.dir);
	(void)snprintf(log, sizeof(log), "%s.votes.log", to);
	image_put(m);
	if (arena_open(&scratch, &s) != ERR_OK)
		abort();
	is_int(store_backup(scratch.database, to), ERR_OK,
	    "a copy while the store is open");
	is_int(store_backup(scratch.database, to), ERR_CONFLICT,
	    "is not overwritten");
	is_int(arena_votes(s, 50, 3), ERR_OK, "votes after it");
	store_close(s);
	/* Only the database is lost: the ledger has all. */
	if (rename(to, scratch.database) != 0)
		abort();
	is_int(arena_open(&scratch, &s), ERR_OK, "the copy put back");
	is_int(store_durable_seq(s), LINES + 3,
	    "gets the later votes from the ledger");
	store_close(s);
	ok(arena_ratings_hold(&scratch), "and its ratings");
	(void)snprintf(to, sizeof(to), "%s/nothing.db", scratch.dir);
	is_int(store_backup("/nonexistent/arena.db", to), ERR_NOTFOUND,
	    "nothing to copy");
}

static void
places(void)
{
	struct stat sb;
	int64_t durable;

	scratch_clear(&scratch);
	is_int(reopen(&durable), ERR_OK, "a new arena");
	ok(store_place_is_refused(0x6969), "NFS");
	ok(store_place_is_refused((long)0xff534d42L), "CIFS");
	ok(store_place_is_refused((long)(int)0xfe534d42),
	    "SMB2, as a negative");
	ok(!store_place_is_refused(0xef53), "ext4 is fine");
	ok(!store_place_is_refused(0x58465342), "XFS is fine");
	is_int(store_check_place(scratch.database), ERR_OK, "and this place");
	is_int(stat(scratch.database, &sb), 0, "the database");
	is_int(sb.st_mode & 077, 0, "is nobody else's to read");
	is_int(stat(scratch.ledger, &sb), 0, "the ledger");
	is_int(sb.st_mode & 077, 0, "neither");
}

/* A changed configuration. */
static void
rules(const struct image *m)
{
	struct store_conf conf = { .database = scratch.database,
		.elo = { 16, 1000, 400 } };
	struct elo_rule kept = { 0, 0, 0 };
	struct store *s = NULL;
	struct db *db = NULL;

	image_put(m);
	is_int(store_open(&s, &conf), ERR_OK, "opened with another K");
	is_int(store_read_open(s, &db), ERR_OK, "a reader");
	is_int(recount_rule(db, &kept), ERR_OK, "the rule is kept");
	ok(kept.k == 16 && kept.start == 1000, "the new one");
	db_close(db);
	store_close(s);
	ok(!arena_ratings_hold(&scratch), "ratings are not the old ones");
	conf.elo = arena_rule;
	is_int(store_open(&s, &conf), ERR_OK, "and back");
	store_close(s);
	ok(arena_ratings_hold(&scratch), "to the same bytes");
}

int
main(void)
{
	struct image m;

	log_level_set(LOG_LEVEL_ERROR);
	scratch_make(&scratch);
	make_killed(&m);
	ok(m.n[1] > 50000, "the votes are in the write-ahead log alone");
	after_kill(&m);
	vote_lost(&m);
	database_gone(&m);
	foreign(&m);
	ledger_wrong(&m);
	rows_wrong(&m);
	ledger_no_file(&m);
	dies("create:kill", 0, 1);
	dies("commit:kill", 5, 6);
	dies("committed:kill", 5, 7);
	dies("append:kill", 5, 7);
	dies("append_half:kill", 5, 7);
	dies("sync:kill", 5, 7);
	dies("appended:kill", 5, 7);
	dies_repairing(&m);
	upgrade(&m);
	backup(&m);
	places();
	rules(&m);
	image_free(&m);
	scratch_remove(&scratch);
	return done_testing();
}
