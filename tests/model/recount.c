/* This file knows the ratings by heart, and by another way of counting. */
#include "config.h"

#include "arena.h"
#include "../tap.h"

static struct scratch scratch;

/* Stage a line and move the ratings, without match or vote. */
struct line {
	struct ledger_entry e;
	struct recount_effect effect; /* out */
};

static enum err
line_fn(struct store_tx *tx, void *arg)
{
	struct line *l = arg;
	enum err e = ledger_stage(tx, &l->e);

	return e == ERR_OK ? recount_apply(tx, &l->e, &arena_rule, &l->effect)
			   : e;
}

static struct line
vote(const char *token, const char *a, const char *b, enum vote_choice w,
    bool counted)
{
	return (struct line){ .e = { .t = 1,
				  .kind = LEDGER_VOTE,
				  .match = str_of(token),
				  .question = STR("q"),
				  .type = STR("coding"),
				  .va = str_of(a),
				  .vb = str_of(b),
				  .sa = 1,
				  .sb = 1,
				  .setup = STR("s"),
				  .activity = STR("act"),
				  .choice = w,
				  .counted = counted,
				  .why = counted ? STR("") : STR("limit"),
				  .voter = STR("u") } };
}

static enum err
cast(struct store *s, struct line *l)
{
	return store_write(s, line_fn, l);
}

struct row {
	double elo;
	int64_t n[6];
};

static struct row
row_of(const char *scope, const char *version)
{
	struct row r = { -1, { -1 } };
	struct db *db = NULL;
	struct db_stmt *st;

	if (db_open(&db, scratch.database, DB_READ) != ERR_OK)
		abort();
	st = db_stmt(db, "SELECT elo, matches, wins, losses, ties, both_poor,"
			 " not_counted FROM rating"
			 " WHERE scope = ?1 AND version = ?2 AND setup = 's'");
	db_bind_z(st, 1, scope);
	db_bind_z(st, 2, version);
	if (db_row(st) == ERR_OK) {
		r.elo = db_real(st, 0);
		for (int i = 0; i < 6; i++)
			r.n[i] = db_int(st, i + 1);
	}
	db_done(st);
	db_close(db);
	return r;
}

static void
is_row(const char *scope, const char *version, double elo, const char *counts)
{
	struct row r = row_of(scope, version);
	char got[64];

	(void)snprintf(got, sizeof(got), "%d %d %d %d %d %d", (int)r.n[0],
	    (int)r.n[1], (int)r.n[2], (int)r.n[3], (int)r.n[4], (int)r.n[5]);
	is_real(r.elo, elo, 1e-6, "%s in %s: Elo", version, scope);
	is_str(got, counts, "%s in %s: counts", version, scope);
}

static void
by_hand(void)
{
	struct store *s = NULL;
	struct line l = vote("t1", "x", "y", VOTE_A, true);
	struct recount_effect f;

	scratch_clear(&scratch);
	if (arena_open(&scratch, &s) != ERR_OK)
		abort();
	is_int(cast(s, &l), ERR_OK, "x beats y");
	f = l.effect;
	ok(f.before_a == 1500 && f.after_a == 1516 && f.before_b == 1500 &&
		f.after_b == 1484,
	    "16 points change hands");
	l = vote("t2", "y", "x", VOTE_BOTH_POOR, true);
	is_int(cast(s, &l), ERR_OK, "both poor is half a point each");
	is_real(l.effect.before_a, 1484, 0, "y had 1484");
	is_real(l.effect.after_a - 1484, 1516 - l.effect.after_b, 1e-9,
	    "the lower gains what the higher loses");
	ok(l.effect.after_a > 1484, "and it does gain");
	l = vote("t3", "x", "z", VOTE_TIE, false);
	is_int(cast(s, &l), ERR_OK, "a tie that does not count");
	ok(l.effect.before_a == l.effect.after_a && l.effect.after_b == 1500,
	    "moves nothing");
	l = vote("t4", "x", "x", VOTE_A, true);
	is_int(cast(s, &l), ERR_OK, "a version against itself");
	/* 1516 - 32 (0.5 - 1 / (1 + 10^(-32/400))) by another calculator */
	is_row("all", "x", 1514.530498, "2 1 0 0 1 1");
	is_row("all", "y", 1485.469502, "2 0 1 0 1 0");
	is_row("all", "z", 1500, "0 0 0 0 0 1");
	is_row("type:coding", "x", 1514.530498, "2 1 0 0 1 1");
	is_row("activity:act", "x", 1514.530498, "2 1 0 0 1 1");
	is_row("activity:act type:coding", "x", 1514.530498, "2 1 0 0 1 1");
	l = vote("t5", "x", "z", VOTE_B, true);
	l.e.type = STR("writing");
	is_int(cast(s, &l), ERR_OK, "another type");
	is_row("type:writing", "z", 1516, "1 1 0 0 0 0");
	is_row("type:coding", "x", 1514.530498, "2 1 0 0 1 1");
	l = vote("t6", "x", "z", VOTE_B, true);
	l.e.activity = (struct str){ NULL, 0 };
	is_int(cast(s, &l), ERR_OK, "without an activity");
	store_close(s);
	ok(arena_ratings_hold(&scratch), "a replay gives the same bits");
}

/* The numbers on the methodology page: 1500 beats 1600. */
static void
published(void)
{
	struct store *s = NULL;
	struct line l = vote("t1", "x", "y", VOTE_A, true);
	struct db *db = NULL;

	scratch_clear(&scratch);
	if (arena_open(&scratch, &s) != ERR_OK)
		abort();
	store_close(s);
	if (db_open(&db, scratch.database, DB_WRITE) != ERR_OK ||
	    db_script(db, "INSERT INTO rating VALUES ('x', 's', 'all', 1500.0,"
			  " 0, 0, 0, 0, 0, 0), ('y', 's', 'all', 1600.0,"
			  " 0, 0, 0, 0, 0, 0)") != ERR_OK)
		abort();
	db_close(db);
	if (arena_open(&scratch, &s) != ERR_OK)
		abort();
	is_int(cast(s, &l), ERR_OK, "1500 beats 1600");
	is_real(l.effect.after_a, 1520.482, 5e-4, "1520.482");
	is_real(l.effect.after_b, 1579.518, 5e-4, "1579.518");
	store_close(s);
	ok(!arena_ratings_hold(&scratch), "verify sees the forged start");
}

static enum err
all_fn(struct store_tx *tx, void *arg)
{
	return recount_all(tx->db, &arena_rule, arg);
}

/* Exclude and restore at random; at each step the live state is a replay's. */
static void
exclusions(void)
{
	struct rng rng;
	struct store *s = NULL;
	struct row before, after;
	char token[64][8];
	int64_t votes = 0;
	size_t held = 0, steps = 0;
	struct line l;

	scratch_clear(&scratch);
	rng_seed(&rng, 7);
	if (arena_open(&scratch, &s) != ERR_OK)
		abort();
	for (size_t i = 0; i < 64; i++) {
		static const char *const names[] = { "x", "y", "z" };
		size_t a = rng_next_below(&rng, 3);

		(void)snprintf(token[i], sizeof(token[i]), "t%zu", i);
		l = vote(token[i], names[a],
		    names[(a + 1 + rng_next_below(&rng, 2)) % 3],
		    (enum vote_choice)rng_next_below(&rng, VOTE__MAX),
		    rng_next_below(&rng, 5) != 0);
		if (cast(s, &l) != ERR_OK)
			abort();
		if (i < 20 || i % 4 != 0)
			continue;
		l = (struct line){ .e = { .t = 1,
				       .kind = rng_next_below(&rng, 3) == 0
						   ? LEDGER_RESTORE
						   : LEDGER_EXCLUDE,
				       .match = str_of(
					   token[rng_next_below(&rng, i)]),
				       .why = STR("test") } };
		if (cast(s, &l) != ERR_OK)
			abort();
		steps++;
		held += arena_ratings_hold(&scratch);
	}
	is_int(
	    held, steps, "after each of %zu exclusions a replay agrees", steps);
	before = row_of("all", "x");
	l = (struct line){ .e = { .t = 1,
			       .kind = LEDGER_EXCLUDE,
			       .match = str_of(token[63]),
			       .why = STR("test") } };
	is_int(cast(s, &l), ERR_OK, "an exclusion");
	l.e.kind = LEDGER_RESTORE;
	is_int(cast(s, &l), ERR_OK, "taken back");
	after = row_of("all", "x");
	ok(memcmp(&before, &after, sizeof(before)) == 0, "changes no bit");
	is_int(store_write(s, all_fn, &votes), ERR_OK, "all made anew");
	is_int(votes, 64, "from every vote");
	after = row_of("all", "x");
	ok(memcmp(&before, &after, sizeof(before)) == 0, "neither does that");
	store_close(s);
}

/* verify names what is wrong. */
static void
found(const char *sql, const char *piece)
{
	struct recount_report r = { .votes = 0 };
	struct db *db = NULL;

	if (db_open(&db, scratch.database, DB_WRITE) != ERR_OK ||
	    db_script(db, sql) != ERR_OK)
		abort();
	buf_init(&r.where, 4096);
	is_int(recount_verify(db, &arena_rule, &r), ERR_CORRUPT, "%s", sql);
	buf_c(&r.where, '\0');
	ok(strstr(r.where.p, piece) != NULL, "is said: %s", r.where.p);
	buf_release(&r.where);
	db_close(db);
}

static void
mismatches(void)
{
	found("UPDATE rating SET wins = wins + 1"
	      " WHERE scope = 'all' AND version = 'x'",
	    "version x, setup s, scope all: stored");
	found("UPDATE rating SET wins = wins - 1"
	      " WHERE scope = 'all' AND version = 'x';"
	      "UPDATE rating SET elo = elo + 1e-9"
	      " WHERE scope = 'all' AND version = 'y'",
	    "version y");
	found("DELETE FROM rating WHERE scope = 'all' AND version = 'y'",
	    "stored nothing");
	found("INSERT INTO rating VALUES ('a', 's', 'all', 1, 1, 1, 1, 1, 1,"
	      " 1)",
	    "by the votes nothing");
	found("DELETE FROM rating", "stored nothing");
}

int
main(void)
{
	scratch_make(&scratch);
	by_hand();
	published();
	exclusions();
	mismatches();
	scratch_remove(&scratch);
	return done_testing();
}
