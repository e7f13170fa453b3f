/* This file knows how to keep the arena's totals by reading only new ledger
 * lines. */
#include "config.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/board.h"
#include "model/keys.h"
#include "model/ledger.h"
#include "model/rows.h"
#include "model/standing.h"
#include "port/db.h"

#define WHY_MAX 32 /* different reason codes */
#define WHY_LENGTH 40
#define VOTERS_FIRST 1024
#define SCRATCH (1u << 20)

struct why_count {
	char why[WHY_LENGTH];
	int64_t votes;
};

/* Votes that are not counted, of one version under one setup. */
struct left_out {
	uint64_t version, setup; /* first 64 bits of their digests */
	int64_t votes[WHY_MAX];  /* by reason */
};

struct person {
	uint64_t key; /* a pseudonym's first 64 bits; 0: nobody stands here */
	uint32_t votes, unblind;
	uint32_t decided, side_a; /* of the counted ones */
};

struct totals {
	pthread_mutex_t lock;
	struct pool *scratch;
	int64_t last_seq, votes, counted, first_at, last_at;
	int64_t choices[VOTE__MAX]; /* of the counted votes */
	struct why_count whys[WHY_MAX];
	size_t whys_n;
	struct left_out *out;
	size_t out_n, out_room;
	struct person *voters; /* set by pseudonym */
	size_t voters_n, voters_room;
	struct keys asked; /* the questions that votes are on */
};

struct line {
	int64_t n, t;
	enum ledger_kind kind;
	struct str match, why, voter, a, b, setup, question;
	enum vote_choice choice;
	bool counted;
};

static enum err catch_up(struct totals *t, struct db *db);
static enum err add_line(
    struct totals *t, struct db *db, const struct line *line);
static enum err add_change(
    struct totals *t, struct db *db, const struct line *line);
static enum err move(
    struct totals *t, const struct line *vote, struct str why, int64_t by);
static enum err count_why(
    struct totals *t, const struct line *vote, struct str why, int64_t by);
static enum err find_why(struct totals *t, struct str why, size_t *out);
static enum err find_left_out(struct totals *t, struct str version,
    struct str setup, struct left_out **out);
static bool is_unblind(struct str why);
static enum err add_voter(
    struct totals *t, struct str pseudonym, struct person **out);
static struct person *find_voter(struct totals *t, struct str pseudonym);
static void count_side(struct person *p, enum vote_choice choice, int by);
static enum err read_line(
    struct db_stmt *q, struct pool *pool, struct line *out);
static enum err count_catalog(struct db *db, struct arena_facts *out);

enum err
totals_open(struct totals **out)
{
	struct totals *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return ERR_NOMEM;
	t->voters_room = VOTERS_FIRST;
	t->voters = calloc(t->voters_room, sizeof(*t->voters));
	t->scratch = pool_open(SCRATCH);
	if (t->voters == NULL || t->scratch == NULL ||
	    pthread_mutex_init(&t->lock, NULL) != 0) {
		if (t->scratch != NULL)
			pool_close(t->scratch);
		free(t->voters);
		free(t);
		return ERR_NOMEM;
	}
	*out = t;
	return ERR_OK;
}

void
totals_close(struct totals *t)
{
	if (t == NULL)
		return;
	pthread_mutex_destroy(&t->lock);
	pool_close(t->scratch);
	free(t->voters);
	keys_release(&t->asked);
	free(t->out);
	free(t);
}

enum err
arena_facts(
    struct totals *t, struct db *db, struct pool *pool, struct arena_facts *out)
{
	struct arena_facts f = { 0 };
	struct totals_reason *reasons;
	enum err e;

	if ((e = arena_is_simulated(db, &f.simulated)) != ERR_OK ||
	    (e = count_catalog(db, &f)) != ERR_OK)
		return e;
	reasons = pool_array(pool, WHY_MAX, sizeof(*reasons));
	if (reasons == NULL)
		return ERR_NOMEM;
	pthread_mutex_lock(&t->lock);
	e = catch_up(t, db);
	f.last_seq = t->last_seq;
	f.votes = t->votes;
	f.counted = t->counted;
	f.voters = (int64_t)t->voters_n;
	f.asked = (int64_t)t->asked.n;
	f.first_at = t->first_at;
	f.last_at = t->last_at;
	f.side_a = t->choices[VOTE_A];
	f.side_b = t->choices[VOTE_B];
	f.ties = t->choices[VOTE_TIE];
	f.both_poor = t->choices[VOTE_BOTH_POOR];
	for (size_t i = 0; i < t->whys_n; i++) {
		if (t->whys[i].votes == 0)
			continue;
		reasons[f.reasons_n].why =
		    text_of(pool_strdup(pool, t->whys[i].why));
		reasons[f.reasons_n++].votes = t->whys[i].votes;
	}
	pthread_mutex_unlock(&t->lock);
	f.reasons = reasons;
	if (e == ERR_OK && pool_failed(pool))
		e = ERR_NOMEM;
	if (e == ERR_OK)
		*out = f;
	return e;
}

enum err
arena_left_out(struct totals *t, struct db *db, struct pool *pool,
    struct text version, struct text setup,
    const struct totals_reason **reasons, size_t *n)
{
	struct totals_reason *r = pool_array(pool, WHY_MAX, sizeof(*r));
	struct left_out *l;
	size_t k = 0;
	enum err e;

	if (r == NULL)
		return ERR_NOMEM;
	pthread_mutex_lock(&t->lock);
	e = catch_up(t, db);
	if (e == ERR_OK)
		e = find_left_out(t, (struct str){ version.p, version.n },
		    (struct str){ setup.p, setup.n }, &l);
	for (size_t i = 0; e == ERR_OK && i < t->whys_n; i++) {
		if (l->votes[i] == 0)
			continue;
		r[k].why = text_of(pool_strdup(pool, t->whys[i].why));
		r[k++].votes = l->votes[i];
	}
	pthread_mutex_unlock(&t->lock);
	if (e != ERR_OK)
		return e;
	*reasons = r;
	*n = k;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

enum err
arena_is_simulated(struct db *db, bool *out)
{
	struct db_stmt *q = db_stmt(
	    db, "SELECT 1 FROM meta WHERE key = 'simulated' AND value = '1'");

	return db_exists(q, out);
}

enum err
arena_identity(
    struct db *db, struct pool *pool, struct text *uuid, int64_t *opened)
{
	struct db_stmt *q = db_stmt(db, "SELECT m, t FROM ledger WHERE n = 1");
	enum err e = db_row(q);

	if (e != ERR_OK)
		return e;
	*uuid = db_text(q, 0, pool);
	*opened = db_int(q, 1);
	db_done(q);
	return ERR_OK;
}

static enum err
catch_up(struct totals *t, struct db *db)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT n, t, k, m, w, c, why, u, va, vb, setup, q"
			" FROM ledger WHERE n > ?1"
			" ORDER BY n");
	enum err e;

	db_bind_int(q, 1, t->last_seq);
	while ((e = db_row(q)) == ERR_OK) {
		struct line line = { 0 };

		pool_clear(t->scratch);
		e = read_line(q, t->scratch, &line);
		if (e == ERR_OK)
			e = add_line(t, db, &line);
		if (e != ERR_OK) {
			db_done(q);
			return e;
		}
		t->last_seq = line.n;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
add_line(struct totals *t, struct db *db, const struct line *line)
{
	struct person *who;
	enum err e;

	if (line->kind == LEDGER_EXCLUDE || line->kind == LEDGER_RESTORE)
		return add_change(t, db, line);
	if (line->kind != LEDGER_VOTE)
		return ERR_OK;
	if ((e = add_voter(t, line->voter, &who)) != ERR_OK ||
	    (e = keys_add(&t->asked, keys_name(line->question))) != ERR_OK)
		return e;
	t->votes++;
	who->votes++;
	who->unblind += !line->counted && is_unblind(line->why);
	if (line->counted)
		count_side(who, line->choice, 1);
	if (t->first_at == 0 || line->t < t->first_at)
		t->first_at = line->t;
	if (line->t > t->last_at)
		t->last_at = line->t;
	if (!line->counted)
		return count_why(t, line, line->why, 1);
	t->counted++;
	t->choices[line->choice]++;
	return ERR_OK;
}

/*
 * A vote was taken out, or put back.  Only a vote that was counted when cast
 * moves, and only when the line before it said otherwise.
 */
static enum err
add_change(struct totals *t, struct db *db, const struct line *line)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT v.n, v.t, v.k, v.m, v.w, v.c, coalesce((SELECT x.why"
	    " FROM ledger x WHERE x.m = ?1 AND x.k = 'exclude'"
	    " AND x.n < ?2 ORDER BY x.n DESC LIMIT 1), ''), v.u,"
	    " v.va, v.vb, v.setup, v.q,"
	    " coalesce((SELECT x.k FROM ledger x WHERE x.m = ?1"
	    " AND x.k IN ('exclude', 'restore') AND x.n < ?2"
	    " ORDER BY x.n DESC LIMIT 1), 'restore') = 'exclude'"
	    " FROM ledger v WHERE v.m = ?1 AND v.k = 'vote' AND v.n < ?2");
	struct line vote = { 0 };
	bool was_out;
	enum err e;

	db_bind_str(q, 1, line->match);
	db_bind_int(q, 2, line->n);
	e = db_row(q);
	if (e == ERR_NOTFOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	e = read_line(q, t->scratch, &vote);
	was_out = db_int(q, 12) != 0;
	db_done(q);
	if (e != ERR_OK || !vote.counted)
		return e;
	if (line->kind == LEDGER_EXCLUDE && !was_out)
		return move(t, &vote, line->why, -1);
	if (line->kind == LEDGER_RESTORE && was_out)
		return move(t, &vote, vote.why, 1);
	return ERR_OK;
}

/* by -1: out of the counted votes and under that reason; 1: back. */
static enum err
move(struct totals *t, const struct line *vote, struct str why, int64_t by)
{
	struct person *who = find_voter(t, vote->voter);
	enum err e = count_why(t, vote, why, -by);

	if (e != ERR_OK)
		return e;
	count_side(who, vote->choice, (int)by);
	if (is_unblind(why))
		who->unblind -= (uint32_t)(int)by;
	t->counted += by;
	t->choices[vote->choice] += by;
	return ERR_OK;
}

/* One vote more, or less, under that reason: over all, and of both versions. */
static enum err
count_why(struct totals *t, const struct line *vote, struct str why, int64_t by)
{
	const struct str versions[2] = { vote->a, vote->b };
	size_t i;
	enum err e = find_why(t, why, &i);

	for (size_t k = 0; k < 2 && e == ERR_OK; k++) {
		struct left_out *l;

		e = find_left_out(t, versions[k], vote->setup, &l);
		if (e == ERR_OK)
			l->votes[i] += by;
	}
	if (e == ERR_OK)
		t->whys[i].votes += by;
	return e;
}

static enum err
find_why(struct totals *t, struct str why, size_t *out)
{
	size_t i;

	for (i = 0; i < t->whys_n; i++) {
		if (str_is(why, t->whys[i].why))
			break;
	}
	if (i == t->whys_n) {
		if (i == WHY_MAX || why.n >= WHY_LENGTH)
			return ERR_CORRUPT;
		if (why.n > 0)
			memcpy(t->whys[i].why, why.p, why.n);
		t->whys[i].why[why.n] = '\0';
		t->whys_n++;
	}
	*out = i;
	return ERR_OK;
}

/* Found, or made with nothing in it. */
static enum err
find_left_out(struct totals *t, struct str version, struct str setup,
    struct left_out **out)
{
	/* Digests are hexadecimal, as pseudonyms are. */
	uint64_t v = ledger_voter_key(version), s = ledger_voter_key(setup);

	for (size_t i = 0; i < t->out_n; i++) {
		*out = &t->out[i];
		if ((*out)->version == v && (*out)->setup == s)
			return ERR_OK;
	}
	if (t->out_n == t->out_room) {
		size_t room = 2 * t->out_room + 16;
		struct left_out *more = realloc(t->out, room * sizeof(*more));

		if (more == NULL)
			return ERR_NOMEM;
		t->out = more;
		t->out_room = room;
	}
	*out = &t->out[t->out_n++];
	**out = (struct left_out){ .version = v, .setup = s };
	return ERR_OK;
}

/* Reasons that say that a voter knew, or could, whose answers they were. */
static bool
is_unblind(struct str why)
{
	return str_is(why, "recognised") || str_is(why, "identity_leak") ||
	       str_is(why, "identity_asked");
}

/* Where key stands, or is to be put. */
static struct person *
place_of(struct person *set, size_t room, uint64_t key)
{
	size_t i = (size_t)(key % room);

	while (set[i].key != 0 && set[i].key != key)
		i = i + 1 == room ? 0 : i + 1;
	return &set[i];
}

/* Of somebody whose vote was read. */
static struct person *
find_voter(struct totals *t, struct str pseudonym)
{
	return place_of(t->voters, t->voters_room, ledger_voter_key(pseudonym));
}

static enum err
add_voter(struct totals *t, struct str pseudonym, struct person **out)
{
	uint64_t key = ledger_voter_key(pseudonym);

	*out = place_of(t->voters, t->voters_room, key);
	if ((*out)->key == key)
		return ERR_OK;
	if (2 * t->voters_n >= t->voters_room) {
		size_t room = 2 * t->voters_room;
		struct person *more = calloc(room, sizeof(*more));

		if (more == NULL)
			return ERR_NOMEM;
		for (size_t i = 0; i < t->voters_room; i++) {
			if (t->voters[i].key != 0)
				*place_of(more, room, t->voters[i].key) =
				    t->voters[i];
		}
		free(t->voters);
		t->voters = more;
		t->voters_room = room;
		*out = place_of(more, room, key);
	}
	(*out)->key = key;
	t->voters_n++;
	return ERR_OK;
}

static void
count_side(struct person *p, enum vote_choice choice, int by)
{
	if (choice != VOTE_A && choice != VOTE_B)
		return;
	p->decided += (uint32_t)by;
	if (choice == VOTE_A)
		p->side_a += (uint32_t)by;
}

enum err
arena_shares(struct totals *t, struct db *db, struct arena_shares *out)
{
	struct share_of *side, *blind;
	size_t m = 0;
	enum err e;

	pthread_mutex_lock(&t->lock);
	e = catch_up(t, db);
	side = calloc(2 * t->voters_n + 1, sizeof(*side));
	blind = side != NULL ? side + t->voters_n : NULL;
	for (size_t i = 0; side != NULL && i < t->voters_room; i++) {
		const struct person *p = &t->voters[i];

		if (p->key == 0)
			continue;
		side[m] = (struct share_of){ p->side_a, p->decided };
		blind[m++] =
		    (struct share_of){ p->votes - p->unblind, p->votes };
	}
	pthread_mutex_unlock(&t->lock);
	if (side == NULL)
		return ERR_NOMEM;
	share_of_people(side, m, STANDING_LEVEL, &out->side);
	share_of_people(blind, m, STANDING_LEVEL, &out->blind);
	free(side);
	return e;
}

static enum err
read_line(struct db_stmt *q, struct pool *pool, struct line *out)
{
	struct str kind = db_str(q, 2, pool), choice;

	out->n = db_int(q, 0);
	out->t = db_int(q, 1);
	out->match = db_str(q, 3, pool);
	choice = db_str(q, 4, pool);
	out->counted = db_int(q, 5) != 0;
	out->why = db_str(q, 6, pool);
	out->voter = db_str(q, 7, pool);
	out->a = db_str(q, 8, pool);
	out->b = db_str(q, 9, pool);
	out->setup = db_str(q, 10, pool);
	out->question = db_str(q, 11, pool);
	if (pool_failed(pool))
		return ERR_NOMEM;
	if (str_is(kind, "vote"))
		out->kind = LEDGER_VOTE;
	else if (str_is(kind, "exclude"))
		out->kind = LEDGER_EXCLUDE;
	else if (str_is(kind, "restore"))
		out->kind = LEDGER_RESTORE;
	else
		out->kind = LEDGER_OPEN;
	if (out->kind != LEDGER_VOTE)
		return ERR_OK;
	return vote_choice_parse(choice, &out->choice) == ERR_OK ? ERR_OK
								 : ERR_CORRUPT;
}

static enum err
count_catalog(struct db *db, struct arena_facts *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT (SELECT count(*) FROM prompt WHERE retired = 0),"
	    " (SELECT count(*) FROM version v JOIN prompt p"
	    " ON p.id = v.prompt WHERE v.retired = 0 AND p.retired = 0),"
	    " (SELECT count(*) FROM question WHERE retired = 0)");
	enum err e = db_row(q);

	if (e != ERR_OK)
		return e;
	out->prompts = db_int(q, 0);
	out->versions = db_int(q, 1);
	out->questions = db_int(q, 2);
	db_done(q);
	return ERR_OK;
}
