/* This file knows how to read the ledger into arrays and play it into boards.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/standing_parts.h"
#include "port/db.h"

#define HOURS_23 82800u /* the shortest day there is */

static enum err read_line(struct ledger_view *v, struct db_stmt *q);
static enum err read_vote(
    struct ledger_view *v, struct db_stmt *q, struct line_vote *l);
static enum err room_for_line(struct ledger_view *v, int64_t n);
static enum err note_voter(struct ledger_view *v, uint32_t voter, int64_t n);
static enum err mark(struct ledger_view *v, int64_t of, bool excluded);
static enum err play(struct ledger_view *v, const struct line_vote *l);
static enum err play_into(struct ledger_view *v, const struct line_vote *l,
    uint32_t day, uint32_t type, uint32_t activity);
static enum err count_day(
    struct ledger_view *v, const struct line_vote *l, uint32_t day);
static enum err note_activity(struct ledger_view *v, const struct line_vote *l);

enum err
ledger_view_read(
    struct ledger_view *v, struct db *db, int64_t upto, bool *grown)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT n, k, t, type, va, vb, setup, activity, w, c, u, q, of"
	    " FROM ledger WHERE n > ?1 AND n <= ?2 ORDER BY n");
	int64_t from = v->seq;
	enum err e;

	*grown = false;
	db_bind_int(q, 1, v->seq);
	db_bind_int(q, 2, upto);
	while ((e = db_row(q)) == ERR_OK) {
		int64_t n = db_int(q, 0);

		e = read_line(v, q);
		if (e != ERR_OK) {
			db_done(q);
			return e;
		}
		v->seq = n;
	}
	if (e != ERR_NOTFOUND)
		return e;
	*grown = v->seq > from;
	if (v->rebuild)
		return ledger_view_replay(v, &v->rule);
	for (int64_t n = from + 1; n <= v->seq; n++) {
		/* An activity's first vote beside another's begins anew. */
		if ((e = play(v, &v->lines[n])) != ERR_OK)
			return e;
		if (v->rebuild)
			return ledger_view_replay(v, &v->rule);
	}
	return ERR_OK;
}

enum err
ledger_view_replay(struct ledger_view *v, const struct elo_rule *rule)
{
	enum err e;

	v->rule = *rule;
	v->rebuild = false;
	v->day_cached = 0;
	for (size_t i = 0; i < v->scopes_n; i++)
		scope_release(&v->scopes[i]);
	v->scopes_n = 0;
	v->days_n = 0;
	for (int64_t n = 1; n <= v->seq; n++) {
		if ((e = play(v, &v->lines[n])) != ERR_OK)
			return e;
		if (v->rebuild)
			return ledger_view_replay(v, rule);
	}
	return ERR_OK;
}

void
ledger_view_release(struct ledger_view *v)
{
	struct names *all[] = { &v->versions, &v->setups, &v->types,
		&v->activities, &v->questions, &v->voters };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		names_release(all[i]);
	for (size_t i = 0; i < v->scopes_n; i++)
		scope_release(&v->scopes[i]);
	free(v->scopes);
	free(v->lines);
	free(v->several);
	free(v->only);
	free(v->days);
	free(v->first_vote);
	*v = (struct ledger_view){ 0 };
}

static enum err
read_line(struct ledger_view *v, struct db_stmt *q)
{
	struct line_vote l = { 0 };
	int64_t n = db_int(q, 0);
	struct str kind = db_str(q, 1, NULL);
	enum err e = room_for_line(v, n);

	if (e == ERR_OK && str_is(kind, "vote")) {
		e = read_vote(v, q, &l);
		if (e == ERR_OK)
			e = note_voter(v, l.voter, n);
	} else if (e == ERR_OK &&
		   (str_is(kind, "exclude") || str_is(kind, "restore"))) {
		e = mark(v, db_int(q, 12), str_is(kind, "exclude"));
	}
	if (e == ERR_OK)
		v->lines[n] = l;
	return e;
}

static enum err
read_vote(struct ledger_view *v, struct db_stmt *q, struct line_vote *l)
{
	struct str type = db_str(q, 3, NULL), activity = db_str(q, 7, NULL);
	enum vote_choice choice;
	uint32_t setup, kind = 0, act = 0;

	if (vote_choice_parse(db_str(q, 8, NULL), &choice) != ERR_OK)
		return ERR_CORRUPT;
	l->t = (uint32_t)db_int(q, 2);
	l->choice = (uint8_t)choice;
	l->a = names_add(&v->versions, db_str(q, 4, NULL));
	l->b = names_add(&v->versions, db_str(q, 5, NULL));
	l->voter = names_add(&v->voters, db_str(q, 10, NULL));
	l->question = names_add(&v->questions, db_str(q, 11, NULL));
	setup = names_add(&v->setups, db_str(q, 6, NULL));
	/* Number 0 of each stands for "none". */
	if (names_add(&v->types, STR("")) != 0 ||
	    names_add(&v->activities, STR("")) != 0)
		return ERR_NOMEM;
	if (type.n > 0)
		kind = names_add(&v->types, type);
	if (activity.n > 0)
		act = names_add(&v->activities, activity);
	if (l->a == STANDING_NONE || l->b == STANDING_NONE ||
	    l->voter == STANDING_NONE || l->question == STANDING_NONE ||
	    setup == STANDING_NONE || kind == STANDING_NONE ||
	    act == STANDING_NONE)
		return ERR_NOMEM;
	if (setup > UINT16_MAX || act > UINT16_MAX || kind > UINT8_MAX)
		return ERR_TOOBIG;
	l->setup = (uint16_t)setup;
	l->activity = (uint16_t)act;
	l->type = (uint8_t)kind;
	/* A version against itself says nothing about anybody. */
	l->flags = l->a == l->b ? 0 : VOTE_IS;
	if (db_int(q, 9) != 0)
		l->flags |= VOTE_COUNTS;
	return ERR_OK;
}

static enum err
room_for_line(struct ledger_view *v, int64_t n)
{
	int64_t room = v->lines_room == 0 ? 1024 : v->lines_room;
	struct line_vote *more;

	if (n < 1 || n > (INT64_MAX >> 8))
		return ERR_CORRUPT;
	if (n < v->lines_room)
		return ERR_OK;
	while (room <= n)
		room *= 2;
	more = realloc(v->lines, (size_t)room * sizeof(*more));
	if (more == NULL)
		return ERR_NOMEM;
	memset(more + v->lines_room, 0,
	    (size_t)(room - v->lines_room) * sizeof(*more));
	v->lines = more;
	v->lines_room = room;
	return ERR_OK;
}

static enum err
note_voter(struct ledger_view *v, uint32_t voter, int64_t n)
{
	if (voter >= v->first_vote_room) {
		uint32_t room = voter < 512 ? 1024 : 2 * voter;
		int64_t *more = realloc(v->first_vote, room * sizeof(*more));

		if (more == NULL)
			return ERR_NOMEM;
		memset(more + v->first_vote_room, 0,
		    (room - v->first_vote_room) * sizeof(*more));
		v->first_vote = more;
		v->first_vote_room = room;
	}
	if (v->first_vote[voter] == 0)
		v->first_vote[voter] = n;
	return ERR_OK;
}

/* A line that means no vote means nothing, as in recount. */
static enum err
mark(struct ledger_view *v, int64_t of, bool excluded)
{
	struct line_vote *l;

	if (of < 1 || of >= v->lines_room)
		return ERR_OK;
	l = &v->lines[of];
	if (((l->flags & VOTE_EXCLUDED) != 0) == excluded)
		return ERR_OK;
	l->flags ^= VOTE_EXCLUDED;
	v->rebuild = true;
	return ERR_OK;
}

uint32_t
standing_day_of(struct ledger_view *v, uint32_t t)
{
	if (v->day_cached == 0 || t < v->day_cached ||
	    t - v->day_cached >= HOURS_23)
		v->day_cached = (uint32_t)clock_day_start(t);
	return v->day_cached;
}

static enum err
play(struct ledger_view *v, const struct line_vote *l)
{
	uint32_t day;
	bool several;
	enum err e;

	if ((l->flags & VOTE_IS) == 0)
		return ERR_OK;
	if ((e = note_activity(v, l)) != ERR_OK || v->rebuild)
		return e;
	day = standing_day_of(v, l->t);
	several = v->several[l->setup];
	if ((e = count_day(v, l, day)) != ERR_OK ||
	    (e = play_into(v, l, day, STANDING_NONE, STANDING_NONE)) != ERR_OK)
		return e;
	if (l->type != 0)
		e = play_into(v, l, day, l->type, STANDING_NONE);
	if (e == ERR_OK && several && l->activity != 0)
		e = play_into(v, l, day, STANDING_NONE, l->activity);
	if (e == ERR_OK && several && l->activity != 0 && l->type != 0)
		e = play_into(v, l, day, l->type, l->activity);
	return e;
}

/* Boards of an activity are made once there are two. */
static enum err
note_activity(struct ledger_view *v, const struct line_vote *l)
{
	if (l->setup >= v->setups_room) {
		uint32_t room = 2 * (l->setup + 4u);
		bool *several = realloc(v->several, room * sizeof(*several));
		uint32_t *only;

		if (several != NULL)
			v->several = several;
		only = realloc(v->only, room * sizeof(*only));
		if (only != NULL)
			v->only = only;
		if (several == NULL || only == NULL)
			return ERR_NOMEM;
		for (uint32_t i = v->setups_room; i < room; i++) {
			several[i] = false;
			only[i] = STANDING_NONE;
		}
		v->setups_room = room;
	}
	if (v->only[l->setup] == STANDING_NONE)
		v->only[l->setup] = l->activity;
	if (v->only[l->setup] != l->activity && !v->several[l->setup])
		v->several[l->setup] = v->rebuild = true;
	return ERR_OK;
}

static struct scope *
scope_of(
    struct ledger_view *v, uint32_t setup, uint32_t type, uint32_t activity)
{
	struct scope *s;

	for (size_t i = 0; i < v->scopes_n; i++) {
		s = &v->scopes[i];
		if (s->setup == setup && s->type == type &&
		    s->activity == activity)
			return s;
	}
	if (v->scopes_n == v->scopes_room) {
		size_t room = 2 * v->scopes_room + 8;

		s = realloc(v->scopes, room * sizeof(*s));
		if (s == NULL)
			return NULL;
		v->scopes = s;
		v->scopes_room = room;
	}
	s = &v->scopes[v->scopes_n++];
	*s = (struct scope){
		.setup = setup, .type = type, .activity = activity
	};
	tally_init(&s->tally, true);
	return s;
}

static enum err
play_into(struct ledger_view *v, const struct line_vote *l, uint32_t day,
    uint32_t type, uint32_t activity)
{
	struct scope *s = scope_of(v, l->setup, type, activity);

	return s == NULL ? ERR_NOMEM : scope_vote(v, s, l, day);
}

static enum err
count_day(struct ledger_view *v, const struct line_vote *l, uint32_t day)
{
	size_t i = v->days_n;

	/* Nearly always the last one; a clock that was set back, seldom. */
	while (i > 0 && v->days[i - 1].day > day)
		i--;
	if (i == 0 || v->days[i - 1].day != day) {
		if (v->days_n == STANDING_DAYS_MOST)
			return ERR_TOOBIG;
		if ((v->days_n & (v->days_n - 1)) == 0) {
			size_t room = v->days_n == 0 ? 1 : 2 * v->days_n;
			struct standing_day *more =
			    realloc(v->days, room * sizeof(*more));

			if (more == NULL)
				return ERR_NOMEM;
			v->days = more;
		}
		memmove(v->days + i + 1, v->days + i,
		    (v->days_n - i) * sizeof(*v->days));
		v->days[i] = (struct standing_day){ .day = day };
		v->days_n++;
		i++;
	}
	if ((l->flags & VOTE_COUNTS) != 0 && (l->flags & VOTE_EXCLUDED) == 0)
		v->days[i - 1].counted++;
	else
		v->days[i - 1].not_counted++;
	return ERR_OK;
}
