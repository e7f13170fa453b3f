/* Ratings beside the votes: right, soon, whole, and never in the way. */
#include "config.h"

#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/standing.h"
#include "rate/snapshot.h"
#include "rate/tally.h"
#include "tests/model/arena.h"
#include "tests/model/ballots.h"
#include "tests/tap.h"

#define SETUP TEXT("setup-digest")
#define NO                                                                     \
	(struct text)                                                          \
	{                                                                      \
		NULL, 0                                                        \
	}

static struct scratch scratch;
static struct store *store;

static const struct standing_snapshot *
now(struct standing *st)
{
	int64_t seq = store_durable_seq(store);
	const struct standing_snapshot *s;

	/* A busy machine may let a page go on with an older one. */
	for (;;) {
		s = standing_get(st, seq, 10000);
		if (s != NULL && s->seq >= seq)
			return s;
		standing_put(s);
	}
}

static void
cast(struct ballots *b, uint64_t n)
{
	b->n = n;
	b->rate = true;
	if (store_write(store, ballots_fn, b) != ERR_OK)
		abort();
}

/* Rows of table rating that differ from the board, to the bit. */
static int
differing(const struct standing_board *b, const char *scope)
{
	struct db *db = NULL;
	struct db_stmt *q;
	int wrong = 0;
	size_t rows = 0;

	if (store_read_open(store, &db) != ERR_OK)
		return -1;
	q = db_stmt(db, "SELECT version, elo, matches, wins, losses, ties,"
			" both_poor, not_counted FROM rating"
			" WHERE scope = ?1 AND setup = 'setup-digest'");
	db_bind_z(q, 1, scope);
	while (db_row(q) == ERR_OK) {
		struct str d = db_str(q, 0, NULL);
		const struct standing_row *r =
		    standing_row_find(b, (struct text){ d.p, d.n });
		double elo = db_real(q, 1);

		rows++;
		if (r == NULL || memcmp(&elo, &r->elo, sizeof(elo)) != 0 ||
		    r->matches != db_int(q, 2) || r->wins != db_int(q, 3) ||
		    r->losses != db_int(q, 4) || r->ties != db_int(q, 5) ||
		    r->both_poor != db_int(q, 6) ||
		    r->not_counted != db_int(q, 7))
			wrong++;
	}
	db_close(db);
	return rows == b->rows_n ? wrong : -2;
}

/* The same from nothing: a tally of our own, rated as rate does. */
static double
farthest(const struct standing_board *b)
{
	struct snapshot_options o = { 0.95, true, 1, true };
	struct snapshot s;
	struct tally t;
	struct db *db = NULL;
	struct db_stmt *q;
	double most = 0;

	tally_init(&t, true);
	if (store_read_open(store, &db) != ERR_OK)
		return NAN;
	q = db_stmt(db,
	    "SELECT va, vb, w, u FROM ledger v WHERE k = 'vote' AND c = 1"
	    " AND coalesce((SELECT k FROM ledger x WHERE x.of = v.n"
	    " ORDER BY n DESC LIMIT 1), 'restore') = 'restore'");
	while (db_row(q) == ERR_OK) {
		enum vote_choice c;
		char hex[9] = { 0 };
		uint32_t x, y;

		memcpy(hex, db_str(q, 0, NULL).p, 8);
		x = (uint32_t)strtoul(hex, NULL, 16);
		memcpy(hex, db_str(q, 1, NULL).p, 8);
		y = (uint32_t)strtoul(hex, NULL, 16);
		if (vote_choice_parse(db_str(q, 2, NULL), &c) != ERR_OK ||
		    tally_add(&t, x, y,
			c == VOTE_A     ? TALLY_A
			: c == VOTE_B   ? TALLY_B
			: c == VOTE_TIE ? TALLY_TIE
					: TALLY_POOR,
			1,
			(uint32_t)strtoul(
			    db_str(q, 3, NULL).p + 56, NULL, 16)) != ERR_OK)
			abort();
	}
	db_close(db);
	if (snapshot_make(&t, t.nitems, &o, NULL, &s) != ERR_OK)
		return NAN;
	for (uint32_t i = 0; i < s.nitems; i++) {
		char d[65];
		const struct standing_row *r;

		ballots_digest(i, d);
		r = standing_row_find(b, text_of(d));
		if (r == NULL)
			return NAN;
		most = fmax(most, fabs(r->free - s.item[i].rating));
		most = fmax(most, fabs(r->free_lower - s.item[i].lower));
		most = fmax(most, fabs(r->free_upper - s.item[i].upper));
	}
	snapshot_release(&s);
	tally_release(&t);
	return most;
}

struct change {
	int64_t n;
	enum ledger_kind kind;
};

static enum err
change_fn(struct store_tx *tx, void *arg)
{
	const struct change *c = arg;
	struct pool *pool = pool_open(1 << 16);
	struct ledger_entry vote,
	    e = { .t = tx->now, .kind = c->kind, .why = STR("by_hand") };
	enum err err = ledger_row(tx->db, pool, c->n, &vote);

	e.match = vote.match;
	if (err == ERR_OK)
		err = ledger_stage(tx, &e);
	if (err == ERR_OK)
		err = recount_apply(tx, &e, &ballots_rule, NULL);
	pool_close(pool);
	return err;
}

static void
test_votes(struct standing *st, struct ballots *b)
{
	const struct standing_snapshot *s = now(st);
	const struct standing_board *all, *coding;
	int64_t votes = 0;

	ok(s->boards_n == 0 && s->seq >= 1, "an empty ledger has no board");
	standing_put(s);
	cast(b, 700);
	cast(b, 1);
	s = now(st);
	all = standing_board_find(s, SETUP, NO, NO);
	coding = standing_board_find(s, SETUP, TEXT("coding"), NO);
	ok(all != NULL && coding != NULL, "boards of all and of a type");
	is_int(differing(all, "all"), 0, "all: Elo and counts as in rating");
	is_int(differing(coding, "type:coding"), 0, "the same for a type");
	ok(farthest(all) < 1e-6, "ratings and intervals as a fit from nothing");
	ok(standing_board_find(s, SETUP, NO, TEXT("everyone")) == all,
	    "one activity alone: its board is that of all");
	ok(standing_board_find(s, TEXT("no"), NO, NO) == NULL,
	    "no board of an unknown setup");
	for (size_t i = 0; i < s->days_n; i++)
		votes += s->days[i].counted + s->days[i].not_counted;
	is_int(votes, 701, "every vote has its day");
	ok(s->days_n > 3 && s->days[0].day < s->days[1].day, "days in order");
	standing_put(s);
}

static void
test_points(struct standing *st)
{
	const struct standing_snapshot *s = now(st);
	const struct standing_board *b = standing_board_find(s, SETUP, NO, NO);
	bool order = true, last = true, free = true;

	for (size_t i = 0; i < b->rows_n; i++) {
		const struct standing_row *r = &b->rows[i];
		const struct standing_point *p = &b->points[r->first_point];

		for (uint32_t k = 1; k < r->points_n; k++)
			order = order && p[k].day > p[k - 1].day;
		for (uint32_t k = 0; k < r->points_n; k++)
			free = free && p[k].row == i && p[k].glicko > 0 &&
			       p[k].deviation > 0;
		last = last && r->points_n > 0 &&
		       memcmp(&p[r->points_n - 1].elo, &r->elo,
			   sizeof(double)) == 0;
	}
	ok(order, "days of each version in order");
	ok(last, "the last day ends with the rating there is");
	ok(free, "each day has its order-free rating and deviation");
	ok(fabs(standing_elo_before(b, &b->rows[0], 0, 1500) - 1500) < 1e-9 &&
		memcmp(&b->rows[0].elo,
		    &(double){
			standing_elo_before(b, &b->rows[0], UINT32_MAX, 1500) },
		    sizeof(double)) == 0,
	    "the rating before a day");
	standing_put(s);
}

static void
test_met(struct standing *st)
{
	const struct standing_snapshot *s = now(st);
	const struct standing_board *b = standing_board_find(s, SETUP, NO, NO);
	const struct standing_pair *p = standing_pair_find(b, 1, 0);
	const struct standing_met *met;
	struct pool *pool = pool_open(1 << 20);
	uint64_t i_won = 0, j_won = 0, ties = 0, poor = 0;
	size_t n;

	ok(p != NULL && p->i == 0 && p->j == 1, "a pair, in any order");
	ok(standing_met(st, pool, b, s->seq, b->rows[0].digest,
	       b->rows[1].digest, &met, &n) == ERR_OK,
	    "their questions");
	for (size_t i = 0; i < n; i++) {
		i_won += met[i].a_won;
		j_won += met[i].b_won;
		ties += met[i].ties;
		poor += met[i].both_poor;
	}
	ok(p != NULL && i_won == p->i_won && j_won == p->j_won &&
		ties == p->ties && poor == p->both_poor,
	    "questions add up to the pair");
	pool_close(pool);
	standing_put(s);
}

static void
test_changes(struct standing *st, struct ballots *b)
{
	struct change c = { 40, LEDGER_EXCLUDE };
	const struct standing_snapshot *s, *before = now(st);
	const struct standing_board *all;
	int64_t matches = standing_board_find(before, SETUP, NO, NO)->matches;

	standing_put(before);
	if (store_write(store, change_fn, &c) != ERR_OK)
		abort();
	c.n = 41;
	if (store_write(store, change_fn, &c) != ERR_OK)
		abort();
	s = now(st);
	all = standing_board_find(s, SETUP, NO, NO);
	is_int(differing(all, "all"), 0, "after exclusions: as in rating");
	ok(all->matches < matches && farthest(all) < 1e-6,
	    "excluded votes are out of the fit");
	standing_put(s);
	c.kind = LEDGER_RESTORE;
	if (store_write(store, change_fn, &c) != ERR_OK)
		abort();
	cast(b, 10);
	s = now(st);
	all = standing_board_find(s, SETUP, NO, NO);
	is_int(differing(all, "all"), 0, "after a restoration: as in rating");
	ok(farthest(all) < 1e-6, "and in the fit again");
	standing_put(s);
}

static void
test_activities(struct standing *st, struct ballots *b)
{
	const struct standing_snapshot *s;
	const struct standing_board *other;

	b->activity = "week-3";
	cast(b, 60);
	b->activity = NULL;
	cast(b, 5);
	s = now(st);
	other = standing_board_find(s, SETUP, NO, TEXT("week-3"));
	ok(other != NULL && other->activity.p != NULL,
	    "a second activity has a board of its own");
	is_int(differing(other, "activity:week-3"), 0, "as in rating");
	is_int(differing(standing_board_find(s, SETUP, NO, TEXT("everyone")),
		   "activity:everyone"),
	    0, "so has the first now");
	is_int(differing(standing_board_find(
			     s, SETUP, TEXT("writing"), TEXT("week-3")),
		   "activity:week-3 type:writing"),
	    0, "and each with its types");
	standing_put(s);
}

/* A start from the table gives what the running thread has. */
static void
test_restart(struct standing *st)
{
	const struct standing_snapshot *s = now(st), *t;
	struct standing *again;
	const struct standing_board *b, *c;
	bool same = true;
	double most = 0;

	if (standing_open(&again, store) != ERR_OK)
		abort();
	t = now(again);
	b = standing_board_find(s, SETUP, NO, NO);
	c = standing_board_find(t, SETUP, NO, NO);
	same = b->rows_n == c->rows_n && b->pairs_n == c->pairs_n &&
	       b->points_n == c->points_n && s->boards_n == t->boards_n;
	for (size_t i = 0; same && i < b->rows_n; i++) {
		same = memcmp(&b->rows[i].elo, &c->rows[i].elo,
			   sizeof(double)) == 0;
		most = fmax(most, fabs(b->rows[i].free - c->rows[i].free));
		most = fmax(
		    most, fabs(b->rows[i].free_lower - c->rows[i].free_lower));
	}
	ok(same, "a fresh start: the same boards, days, Elo");
	ok(most < 1e-6, "and the same order-free ratings and intervals");
	standing_put(s);
	standing_put(t);
	standing_close(again);
}

/* Are all votes judged?  Judges work when nobody else does: wait for them. */
static bool
all_judged(struct standing *st, const struct standing_voter **v, size_t *n,
    struct pool *pool)
{
	int64_t seq = 0, upto = store_durable_seq(store),
		until = clock_mono_ms() + 600000;
	struct store_watch w = { 0 };

	while (seq < upto && clock_mono_ms() < until) {
		pool_clear(pool); /* a busy machine makes many rounds */
		if (standing_voters(st, pool, v, n, &seq) != ERR_OK)
			abort();
		store_wait(store, &w, clock_mono_ms() + 50);
	}
	return seq == upto;
}

static void
test_voters(struct standing *st, struct ballots *b)
{
	const struct standing_voter *v = NULL;
	struct pool *pool = pool_open(1 << 20);
	bool all = true;
	size_t n = 0;

	ok(all_judged(st, &v, &n, pool), "all votes are judged");
	is_int((int64_t)n, 20, "of all voters");
	ok(n > 0 && v[0].vote > 1 && v[0].rater.votes > 0 &&
		v[0].target.n == 64,
	    "each with a vote of theirs");
	/* A judging begins with the first; the second comes meanwhile. */
	for (int k = 0; all && k < 10; k++) {
		cast(b, 1);
		standing_put(now(st));
		cast(b, 1);
		all = all_judged(st, &v, &n, pool);
	}
	ok(all, "those too that came during a judging, without another vote");
	pool_close(pool);
}

int
main(void)
{
	struct ballots b = { .versions = 8,
		.voters = 20,
		.questions = 10,
		.seed = 3,
		.at = 1700000000,
		.step = 700 };
	struct standing *st;

	log_level_set(LOG_LEVEL_ERROR);
	if (clock_zone_set("Asia/Taipei") != ERR_OK)
		abort();
	scratch_make(&scratch);
	if (arena_open(&scratch, &store) != ERR_OK ||
	    standing_open(&st, store) != ERR_OK)
		abort();
	test_votes(st, &b);
	test_points(st);
	test_met(st);
	test_changes(st, &b);
	test_activities(st, &b);
	test_restart(st);
	test_voters(st, &b);
	standing_close(st);
	store_close(store);
	scratch_remove(&scratch);
	return done_testing();
}
