/* When versions become official, by lines of a ledger. */
#include "config.h"

#include "model/conf.h"
#include "model/debut.h"
#include "port/db.h"
#include "tests/model/arena.h"
#include "tests/tap.h"

#define SETUP "5e00000000000000000000000000000000000000000000000000000000000000"
#define A "aa00000000000000000000000000000000000000000000000000000000000000"
#define B "bb00000000000000000000000000000000000000000000000000000000000000"

static struct db *db;
static struct debuts *d;
static int64_t lines;

static void
line(const char *kind, int64_t of, int counted, const char *voter)
{
	struct db_stmt *q = db_stmt(db,
	    "INSERT INTO ledger VALUES (?1, 1000 + ?1, ?2, ?3, ?4, ?5, ?6, ?7,"
	    " ?8)");

	db_bind_int(q, 1, ++lines);
	db_bind_z(q, 2, kind);
	db_bind_z(q, 3, A);
	db_bind_z(q, 4, B);
	db_bind_z(q, 5, SETUP);
	db_bind_int(q, 6, counted);
	db_bind_z(q, 7, voter);
	db_bind_int(q, 8, of);
	if (db_run(q) != ERR_OK)
		abort();
}

static int64_t
since(const struct conf *conf)
{
	if (debuts_follow(d, db, conf) != ERR_OK)
		abort();
	return debut_at(d, TEXT(SETUP), TEXT(A));
}

int
main(void)
{
	struct conf three = { .minimum = 3 },
		    voters = { .minimum = 3, .minimum_voters = 3 };
	struct scratch s;

	scratch_make(&s);
	if (db_open(&db, s.database, DB_CREATE) != ERR_OK ||
	    debuts_open(&d) != ERR_OK ||
	    db_run(db_stmt(db,
		"CREATE TABLE ledger (n INTEGER PRIMARY KEY, t, k, va, vb,"
		" setup, c, u, of)")) != ERR_OK)
		abort();
	is_int(since(&three), 0, "without a vote nobody is official");
	line("vote", 0, 1, "01");
	line("vote", 0, 0, "01");
	line("vote", 0, 1, "01");
	is_int(since(&three), 0, "two counted matches are not three");
	line("vote", 0, 1, "02");
	is_int(since(&three), 1004, "the third makes it official");
	line("vote", 0, 1, "03");
	is_int(since(&three), 1004, "a fourth changes nothing");
	is_int(since(&voters), 1005, "with three voters asked for, the third");
	is_int(since(&three), 1004, "another rule, another moment, and back");
	line("exclude", 3, 0, "");
	is_int(since(&three), 1005, "a vote taken out: the next one did it");
	line("exclude", 1, 0, "");
	is_int(since(&three), 0, "one more, and it is not official");
	line("restore", 3, 0, "");
	is_int(since(&three), 1005, "put back");
	line("restore", 1, 0, "");
	is_int(since(&three), 1004, "both put back: as it was");
	is_int(debut_at(d, TEXT(SETUP), TEXT(B)), 1004, "and its opponent too");
	is_int(debut_at(d, TEXT(A), TEXT(B)), 0, "under no other setup");
	is_int(debut_at(d, TEXT(SETUP), TEXT("b")), 0, "no such version");
	debuts_close(d);
	db_close(db);
	scratch_clear(&s);
	return done_testing();
}
