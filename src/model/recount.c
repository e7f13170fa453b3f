/* This file knows how to move ratings by votes, one by one or all anew. */
#include "config.h"

#include "model/recount.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/pool.h"
#include "model/recount_table.h"
#include "model/store.h"
#include "port/db.h"

enum {
	SCOPES = 4,
	SCOPE_MAX = 4096 /* bytes of all four names */
};

/* What of a vote the ratings need. */
struct ballot {
	struct str type, va, vb, setup, activity;
	enum vote_choice choice;
	bool counted;
};

struct scopes {
	struct buf text;
	struct str name[SCOPES];
	size_t n;
};

/* The numbers that were told to voters, as far as a replay tells them too. */
struct receipts {
	int64_t from, to; /* votes between these were rated by this rule, and
			     none before them was taken out later */
	int64_t compared, wrong; /* how many; the first that differs, or 0 */
};

static enum err replay(
    struct db *db, struct rating_table *t, int64_t *votes, int64_t *counted);
static enum err receipts_range(struct db *db, struct receipts *out);
static void compare_receipt(
    struct receipts *r, struct db_stmt *st, const double elo[4], bool counted);
static enum err read_exclusions(
    struct db *db, unsigned char **bits, int64_t *limit);
static enum err replay_row(struct rating_table *t, struct scopes *sc,
    struct db_stmt *st, bool excluded);
static void count_vote(const struct elo_rule *rule, struct rating *a,
    struct rating *b, enum vote_choice choice, bool counted);
static void count_side(struct rating *r, enum vote_choice choice, bool is_a);
static void scopes_of(struct scopes *out, const struct ballot *v);
static enum err apply(struct db *db, const struct elo_rule *rule,
    const struct scopes *sc, const struct ballot *v,
    struct recount_effect *out);
static enum err ratings_load(
    struct db *db, struct rating r[SCOPES][2], size_t n);
static enum err ratings_store(struct db *db, struct rating r[SCOPES][2]);
static enum err rating_store(struct db *db, const struct rating *r);
static void rating_bind(struct db_stmt *st, int from, const struct rating *r);
static void rating_read(struct db_stmt *st, struct rating *r);
static enum err compare(
    struct db *db, const struct rating_table *t, struct recount_report *out);
static void differ(
    struct buf *out, const struct rating *stored, const struct rating *want);
static enum err rule_store(struct db *db, const struct elo_rule *rule);
static enum err rule_note_change(struct db *db, const struct elo_rule *rule);

#define RATING_COLUMNS                                                         \
	"elo, matches, wins, losses, ties, both_poor, not_counted"

enum err
recount_apply(struct store_tx *tx, const struct ledger_entry *e,
    const struct elo_rule *rule, struct recount_effect *out)
{
	struct ballot v = { e->type, e->va, e->vb, e->setup, e->activity,
		e->choice, e->counted };
	struct recount_effect effect = { rule->start, rule->start, rule->start,
		rule->start };
	struct scopes sc = { .n = 0 };
	enum err err = ERR_OK;

	if (e->kind == LEDGER_EXCLUDE || e->kind == LEDGER_RESTORE)
		return recount_all(tx->db, rule, NULL);
	if (e->kind != LEDGER_VOTE || str_eq(v.va, v.vb))
		return ERR_OK;
	buf_init(&sc.text, SCOPE_MAX);
	scopes_of(&sc, &v);
	err =
	    sc.text.failed ? ERR_NOMEM : apply(tx->db, rule, &sc, &v, &effect);
	buf_release(&sc.text);
	if (err == ERR_OK && out != NULL)
		*out = effect;
	return err;
}

enum err
recount_all(struct db *db, const struct elo_rule *rule, int64_t *votes)
{
	struct rating_table t;
	int64_t n = 0, counted = 0;
	enum err e;

	rating_table_open(&t, rule);
	e = replay(db, &t, &n, &counted);
	if (e == ERR_OK)
		e = db_run(db_stmt(db, "DELETE FROM rating"));
	if (e == ERR_OK)
		rating_table_sort(&t);
	for (size_t i = 0; e == ERR_OK && i < t.used; i++)
		e = rating_store(db, t.slots[i]);
	if (e == ERR_OK)
		e = rule_store(db, rule);
	rating_table_close(&t);
	if (e == ERR_OK && votes != NULL)
		*votes = n;
	return e;
}

enum err
recount_verify(
    struct db *db, const struct elo_rule *rule, struct recount_report *out)
{
	struct rating_table t;
	enum err e;
	struct receipts receipts = { .compared = 0 };

	rating_table_open(&t, rule);
	t.receipts = &receipts;
	e = receipts_range(db, &receipts);
	if (e == ERR_OK)
		e = replay(db, &t, &out->votes, &out->counted);
	if (e == ERR_OK) {
		rating_table_sort(&t);
		e = compare(db, &t, out);
	}
	rating_table_close(&t);
	out->receipts = receipts.compared;
	out->wrong_receipt = receipts.wrong;
	return e;
}

enum err
recount_rule(struct db *db, struct elo_rule *out)
{
	struct db_stmt *st =
	    db_stmt(db, "SELECT value FROM meta WHERE key = 'elo_rule'");
	struct elo_rule r;
	struct str s, k, start;
	enum err e = db_row(st);

	if (e != ERR_OK)
		return e;
	s = db_str(st, 0, NULL);
	k = str_cut(&s, ' ');
	start = str_cut(&s, ' ');
	if (str_real(k, &r.k) != ERR_OK ||
	    str_real(start, &r.start) != ERR_OK ||
	    str_real(s, &r.scale) != ERR_OK) {
		log_error("database: meta elo_rule is not three numbers");
		e = ERR_CORRUPT;
	}
	db_done(st);
	if (e == ERR_OK)
		*out = r;
	return e;
}

enum err
recount_rule_set(struct db *db, const struct elo_rule *rule, bool *changed)
{
	struct elo_rule old = { 0, 0, 0 };
	int64_t votes = 0;
	enum err e = recount_rule(db, &old);

	if (e != ERR_OK && e != ERR_NOTFOUND)
		return e;
	*changed = old.k != rule->k || old.start != rule->start ||
		   old.scale != rule->scale;
	if (!*changed)
		return ERR_OK;
	e = recount_all(db, rule, &votes);
	if (e == ERR_OK && old.k != 0)
		log_notice("ratings: recounted %lld votes under K = %g, "
			   "start %g, scale %g",
		    (long long)votes, rule->k, rule->start, rule->scale);
	return e;
}

/* -------------------------------------------------------- all of them */

static enum err
replay(struct db *db, struct rating_table *t, int64_t *votes, int64_t *counted)
{
	struct scopes sc = { .n = 0 };
	unsigned char *out_bits = NULL;
	int64_t limit = 0, n;
	struct db_stmt *st;
	enum err e = read_exclusions(db, &out_bits, &limit);

	buf_init(&sc.text, SCOPE_MAX);
	/* vote's unique index on n makes this join one walk. */
	st = db_stmt(db,
	    t->receipts == NULL
		? "SELECT n, type, va, vb, setup, activity, w, c FROM ledger"
		  " WHERE k = 'vote' ORDER BY n"
		: "SELECT l.n, l.type, l.va, l.vb, l.setup, l.activity, l.w,"
		  " l.c, v.before_a, v.after_a, v.before_b, v.after_b,"
		  " v.n IS NOT NULL FROM ledger l LEFT JOIN vote v"
		  " ON v.n = l.n WHERE l.k = 'vote' ORDER BY l.n");
	while (e == ERR_OK && (e = db_row(st)) == ERR_OK) {
		n = db_int(st, 0);
		e = replay_row(t, &sc, st,
		    n <= limit && (out_bits[n / 8] >> (n % 8) & 1) != 0);
		(*votes)++;
		*counted += db_int(st, 7);
	}
	db_done(st);
	buf_release(&sc.text);
	free(out_bits);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* Bit n of *bits: vote n is out at the ledger's end.  Valid up to *limit. */
static enum err
read_exclusions(struct db *db, unsigned char **bits, int64_t *limit)
{
	int64_t last = 0, of;
	struct db_stmt *st;
	enum err e = ledger_last(db, &last);

	if (e != ERR_OK)
		return e;
	*bits = calloc((size_t)last / 8 + 1, 1);
	if (*bits == NULL)
		return ERR_NOMEM;
	*limit = last;
	st = db_stmt(db, "SELECT of, k FROM ledger"
			 " WHERE k = 'exclude' OR k = 'restore' ORDER BY n");
	while ((e = db_row(st)) == ERR_OK) {
		of = db_int(st, 0);
		if (of < 1 || of > last)
			continue; /* a line that means no vote */
		if (str_is(db_str(st, 1, NULL), "exclude"))
			(*bits)[of / 8] |= (unsigned char)(1U << (of % 8));
		else
			(*bits)[of / 8] &= (unsigned char)~(1U << (of % 8));
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
replay_row(struct rating_table *t, struct scopes *sc, struct db_stmt *st,
    bool excluded)
{
	struct ballot v = { .counted = db_int(st, 7) != 0 && !excluded };

	v.type = db_str(st, 1, NULL);
	v.va = db_str(st, 2, NULL);
	v.vb = db_str(st, 3, NULL);
	v.setup = db_str(st, 4, NULL);
	v.activity = db_str(st, 5, NULL);
	if (vote_choice_parse(db_str(st, 6, NULL), &v.choice) != ERR_OK) {
		log_error("database: vote %lld has no verdict",
		    (long long)db_int(st, 0));
		return ERR_CORRUPT;
	}
	if (str_eq(v.va, v.vb))
		return ERR_OK;
	scopes_of(sc, &v);
	if (sc->text.failed)
		return ERR_NOMEM;
	for (size_t i = 0; i < sc->n; i++) {
		struct rating *a =
		    rating_table_find(t, sc->name[i], v.setup, v.va);
		struct rating *b =
		    rating_table_find(t, sc->name[i], v.setup, v.vb);

		double elo[4];

		if (a == NULL || b == NULL)
			return ERR_NOMEM;
		elo[0] = a->elo;
		elo[2] = b->elo;
		count_vote(t->rule, a, b, v.choice, v.counted);
		elo[1] = a->elo;
		elo[3] = b->elo;
		if (i == 0 && t->receipts != NULL)
			compare_receipt(t->receipts, st, elo, v.counted);
	}
	return ERR_OK;
}

/* Of a vote that does not count a receipt tells no numbers. */
static void
compare_receipt(
    struct receipts *r, struct db_stmt *st, const double elo[4], bool counted)
{
	int64_t n = db_int(st, 0);
	bool same = true;

	if (n <= r->from || n >= r->to || db_int(st, 12) == 0)
		return;
	for (int i = 0; i < 4; i++) {
		double told = db_real(st, 8 + i);

		if (db_is_null(st, 8 + i) || !counted)
			same = same && !counted && db_is_null(st, 8 + i);
		else
			same =
			    same && memcmp(&told, &elo[i], sizeof(told)) == 0;
	}
	r->compared++;
	if (!same && r->wrong == 0)
		r->wrong = n;
}

static enum err
receipts_range(struct db *db, struct receipts *out)
{
	enum err e = db_scalar(
	    db_stmt(db, "SELECT coalesce((SELECT CAST(value AS INTEGER)"
			" FROM meta WHERE key = 'elo_rule_after'), 0)"),
	    &out->from);

	if (e == ERR_OK)
		e = db_scalar(
		    db_stmt(db, "SELECT coalesce(min(of), 9223372036854775807)"
				" FROM ledger"
				" WHERE k = 'exclude' OR k = 'restore'"),
		    &out->to);
	return e;
}

/* The one place where a vote becomes numbers. */
static void
count_vote(const struct elo_rule *rule, struct rating *a, struct rating *b,
    enum vote_choice choice, bool counted)
{
	static const double score_a[VOTE__MAX] = {
		[VOTE_A] = 1,
		[VOTE_B] = 0,
		[VOTE_TIE] = 0.5,
		[VOTE_BOTH_POOR] = 0.5,
	};

	if (!counted) {
		a->not_counted++;
		b->not_counted++;
		return;
	}
	elo_update(rule, &a->elo, &b->elo, score_a[choice]);
	count_side(a, choice, true);
	count_side(b, choice, false);
}

static void
count_side(struct rating *r, enum vote_choice choice, bool is_a)
{
	r->matches++;
	switch (choice) {
	case VOTE_TIE:
		r->ties++;
		break;
	case VOTE_BOTH_POOR:
		r->both_poor++;
		break;
	default:
		if ((choice == VOTE_A) == is_a)
			r->wins++;
		else
			r->losses++;
	}
}

/* The first is always 'all'. */
static void
scopes_of(struct scopes *out, const struct ballot *v)
{
	struct buf *b = &out->text;
	size_t end[SCOPES], n = 0, from = 0;

	buf_clear(b);
	buf_z(b, "all");
	end[n++] = b->n;
	if (v->type.n > 0) {
		buf_z(b, "type:");
		buf_str(b, v->type);
		end[n++] = b->n;
	}
	if (v->activity.n > 0) {
		buf_z(b, "activity:");
		buf_str(b, v->activity);
		end[n++] = b->n;
	}
	if (v->activity.n > 0 && v->type.n > 0) {
		buf_z(b, "activity:");
		buf_str(b, v->activity);
		buf_z(b, " type:");
		buf_str(b, v->type);
		end[n++] = b->n;
	}
	out->n = n;
	for (size_t i = 0; i < n && !b->failed; i++) {
		out->name[i] = (struct str){ b->p + from, end[i] - from };
		from = end[i];
	}
}

/* --------------------------------------------------- in the database */

/* All scopes of a vote: read in one statement, moved, written in another. */
static enum err
apply(struct db *db, const struct elo_rule *rule, const struct scopes *sc,
    const struct ballot *v, struct recount_effect *out)
{
	struct rating r[SCOPES][2];
	enum err e;

	for (size_t i = 0; i < sc->n; i++) {
		r[i][0] = (struct rating){ .scope = sc->name[i],
			.setup = v->setup,
			.version = v->va,
			.elo = rule->start };
		r[i][1] = r[i][0];
		r[i][1].version = v->vb;
	}
	e = ratings_load(db, r, sc->n);
	if (e != ERR_OK)
		return e;
	out->before_a = r[0][0].elo;
	out->before_b = r[0][1].elo;
	for (size_t i = 0; i < sc->n; i++)
		count_vote(rule, &r[i][0], &r[i][1], v->choice, v->counted);
	out->after_a = r[0][0].elo;
	out->after_b = r[0][1].elo;
	if (sc->n == SCOPES)
		return ratings_store(db, r);
	for (size_t i = 0; e == ERR_OK && i < 2 * sc->n; i++)
		e = rating_store(db, &r[i / 2][i % 2]);
	return e;
}

/* Fills those that have a row; the others stay as they are. */
static enum err
ratings_load(struct db *db, struct rating r[SCOPES][2], size_t n)
{
	struct db_stmt *st =
	    db_stmt(db, "SELECT " RATING_COLUMNS ", scope, version FROM rating"
			" WHERE scope IN (?1, ?2, ?3, ?4) AND setup = ?5"
			" AND version IN (?6, ?7)");
	enum err e;

	for (size_t i = 0; i < SCOPES; i++)
		db_bind_str(st, (int)i + 1, r[i < n ? i : 0][0].scope);
	db_bind_str(st, 5, r[0][0].setup);
	db_bind_str(st, 6, r[0][0].version);
	db_bind_str(st, 7, r[0][1].version);
	while ((e = db_row(st)) == ERR_OK) {
		struct str scope = db_str(st, 7, NULL);
		bool b = str_eq(db_str(st, 8, NULL), r[0][1].version);
		size_t i = 0;

		while (i < n && !str_eq(r[i][b].scope, scope))
			i++;
		assert(i < n);
		rating_read(st, &r[i][b]);
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* ?1 setup, ?2 ?3 versions, ?4 … ?7 scopes; then seven numbers a rating. */
#define RATING_ROW(scope, version, a, b, c, d, e, f, g)                        \
	"(?" #a ", ?" #b ", ?" #c ", ?" #d ", ?" #e ", ?" #f ", ?" #g          \
	", ?" #scope ", ?1, ?" #version ")"
#define RATING_MERGE                                                           \
	" ON CONFLICT (scope, setup, version) DO UPDATE SET"                   \
	" elo = excluded.elo, matches = excluded.matches,"                     \
	" wins = excluded.wins, losses = excluded.losses,"                     \
	" ties = excluded.ties, both_poor = excluded.both_poor,"               \
	" not_counted = excluded.not_counted"

static enum err
ratings_store(struct db *db, struct rating r[SCOPES][2])
{
	/* clang-format off */
	struct db_stmt *st = db_stmt(db,
	    "INSERT INTO rating (" RATING_COLUMNS ", scope, setup, version)"
	    " VALUES "
	    RATING_ROW(4, 2, 8, 9, 10, 11, 12, 13, 14) ", "
	    RATING_ROW(4, 3, 15, 16, 17, 18, 19, 20, 21) ", "
	    RATING_ROW(5, 2, 22, 23, 24, 25, 26, 27, 28) ", "
	    RATING_ROW(5, 3, 29, 30, 31, 32, 33, 34, 35) ", "
	    RATING_ROW(6, 2, 36, 37, 38, 39, 40, 41, 42) ", "
	    RATING_ROW(6, 3, 43, 44, 45, 46, 47, 48, 49) ", "
	    RATING_ROW(7, 2, 50, 51, 52, 53, 54, 55, 56) ", "
	    RATING_ROW(7, 3, 57, 58, 59, 60, 61, 62, 63)
	    RATING_MERGE);
	/* clang-format on */

	db_bind_str(st, 1, r[0][0].setup);
	db_bind_str(st, 2, r[0][0].version);
	db_bind_str(st, 3, r[0][1].version);
	for (int i = 0; i < SCOPES; i++)
		db_bind_str(st, 4 + i, r[i][0].scope);
	for (int i = 0; i < 2 * SCOPES; i++)
		rating_bind(st, 8 + 7 * i, &r[i / 2][i % 2]);
	return db_run(st);
}

static enum err
rating_store(struct db *db, const struct rating *r)
{
	struct db_stmt *st = db_stmt(db,
	    "INSERT INTO rating (" RATING_COLUMNS ", scope, setup, version)"
	    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)" RATING_MERGE);

	rating_bind(st, 1, r);
	db_bind_str(st, 8, r->scope);
	db_bind_str(st, 9, r->setup);
	db_bind_str(st, 10, r->version);
	return db_run(st);
}

/* Seven parameters, in the order of RATING_COLUMNS. */
static void
rating_bind(struct db_stmt *st, int from, const struct rating *r)
{
	db_bind_real(st, from, r->elo);
	db_bind_int(st, from + 1, r->matches);
	db_bind_int(st, from + 2, r->wins);
	db_bind_int(st, from + 3, r->losses);
	db_bind_int(st, from + 4, r->ties);
	db_bind_int(st, from + 5, r->both_poor);
	db_bind_int(st, from + 6, r->not_counted);
}

static void
rating_read(struct db_stmt *st, struct rating *r)
{
	r->elo = db_real(st, 0);
	r->matches = db_int(st, 1);
	r->wins = db_int(st, 2);
	r->losses = db_int(st, 3);
	r->ties = db_int(st, 4);
	r->both_poor = db_int(st, 5);
	r->not_counted = db_int(st, 6);
}

/* Receipts of the votes up to here tell numbers of another rule. */
static enum err
rule_note_change(struct db *db, const struct elo_rule *rule)
{
	struct elo_rule old;
	enum err e = recount_rule(db, &old);

	if (e == ERR_NOTFOUND ||
	    (e == ERR_OK && old.k == rule->k && old.start == rule->start &&
		old.scale == rule->scale))
		return ERR_OK;
	return e != ERR_OK
		   ? e
		   : db_run(db_stmt(db,
			 "INSERT INTO meta (key, value) SELECT"
			 " 'elo_rule_after', CAST(max(n) AS TEXT) FROM ledger"
			 " WHERE true ON CONFLICT (key) DO UPDATE"
			 " SET value = excluded.value"));
}

static enum err
rule_store(struct db *db, const struct elo_rule *rule)
{
	struct db_stmt *st =
	    db_stmt(db, "INSERT INTO meta (key, value) VALUES ('elo_rule', ?1)"
			" ON CONFLICT (key) DO UPDATE SET value = ?1");
	struct buf b;
	enum err e = ERR_NOMEM;

	buf_init(&b, 128);
	buf_real(&b, rule->k);
	buf_c(&b, ' ');
	buf_real(&b, rule->start);
	buf_c(&b, ' ');
	buf_real(&b, rule->scale);
	db_bind_str(st, 1, buf_as_str(&b));
	if (!b.failed)
		e = rule_note_change(db, rule);
	if (!b.failed && e == ERR_OK)
		e = db_run(st);
	buf_release(&b);
	return e;
}

/* ---------------------------------------------------------- comparing */

static bool
same(const struct rating *a, const struct rating *b)
{
	return memcmp(&a->elo, &b->elo, sizeof(a->elo)) == 0 &&
	       a->matches == b->matches && a->wins == b->wins &&
	       a->losses == b->losses && a->ties == b->ties &&
	       a->both_poor == b->both_poor && a->not_counted == b->not_counted;
}

static enum err
compare(struct db *db, const struct rating_table *t, struct recount_report *out)
{
	struct db_stmt *st = db_stmt(db,
	    "SELECT " RATING_COLUMNS ", scope, setup, version FROM rating"
	    " ORDER BY scope, setup, version");
	struct rating r;
	enum err e;
	size_t i = 0;
	int c = 0;

	while ((e = db_row(st)) == ERR_OK) {
		rating_read(st, &r);
		r.scope = db_str(st, 7, NULL);
		r.setup = db_str(st, 8, NULL);
		r.version = db_str(st, 9, NULL);
		c = i == t->used ? -1 : rating_key_cmp(&r, t->slots[i]);
		if (c != 0 || !same(&r, t->slots[i]))
			break;
		i++;
		out->rows++;
	}
	if (e == ERR_OK) {
		differ(&out->where, c <= 0 ? &r : NULL,
		    c >= 0 ? t->slots[i] : NULL);
		e = ERR_CORRUPT;
	} else if (e == ERR_NOTFOUND && i < t->used) {
		differ(&out->where, NULL, t->slots[i]);
		e = ERR_CORRUPT;
	} else if (e == ERR_NOTFOUND) {
		e = ERR_OK;
	}
	db_done(st);
	return e;
}

static void
describe(struct buf *out, const struct rating *r)
{
	buf_z(out, "Elo ");
	buf_real(out, r->elo);
	buf_printf(out,
	    ", %lld matches, %lld won, %lld lost, %lld tied, %lld both poor, "
	    "%lld not counted",
	    (long long)r->matches, (long long)r->wins, (long long)r->losses,
	    (long long)r->ties, (long long)r->both_poor,
	    (long long)r->not_counted);
}

static void
differ(struct buf *out, const struct rating *stored, const struct rating *want)
{
	const struct rating *r = stored == NULL ? want : stored;

	buf_z(out, "rating of version ");
	buf_str(out, r->version);
	buf_z(out, ", setup ");
	buf_str(out, r->setup);
	buf_z(out, ", scope ");
	buf_str(out, r->scope);
	buf_z(out, ": stored ");
	if (stored == NULL)
		buf_z(out, "nothing");
	else
		describe(out, stored);
	buf_z(out, "; by the votes ");
	if (want == NULL)
		buf_z(out, "nothing");
	else
		describe(out, want);
}
