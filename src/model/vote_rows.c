/* This file knows how to find a vote that is not what its line says. */
#include "config.h"

#include "model/vote_rows.h"

#include "port/db.h"

/* Each finds the first line at odds from ?1 on, or no row. */
static const struct {
	const char *sql;
	const char *what;
} questions[] = {
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " LEFT JOIN ledger ON ledger.n = vote.n"
	  " WHERE vote.n >= ?1 AND (ledger.k IS NOT 'vote'"
	  " OR ledger.m IS NOT match.token OR ledger.w IS NOT vote.choice"
	  " OR ledger.c IS NOT vote.counted OR ledger.why IS NOT vote.why)"
	  " ORDER BY vote.n LIMIT 1",
	    "and the vote it is for say different things" },
	{ "SELECT ledger.n FROM ledger JOIN match"
	  " ON match.token = ledger.m LEFT JOIN vote"
	  " ON vote.match = match.id WHERE ledger.n >= ?1"
	  " AND ledger.k = 'vote' AND vote.n IS NOT ledger.n"
	  " ORDER BY ledger.n LIMIT 1",
	    "has no vote although its match is there" },
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " JOIN ledger ON ledger.n = vote.n"
	  " JOIN answer a ON a.id = match.answer_a"
	  " JOIN answer b ON b.id = match.answer_b"
	  " JOIN version va ON va.id = a.version"
	  " JOIN version vb ON vb.id = b.version"
	  " JOIN setup ON setup.id = match.setup"
	  " WHERE vote.n >= ?1 AND (va.digest <> ledger.va"
	  " OR vb.digest <> ledger.vb OR setup.digest <> ledger.setup)"
	  " ORDER BY vote.n LIMIT 1",
	    "and its match name different versions" },
	/* What follows no start asks for. */
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " JOIN ledger ON ledger.n = vote.n"
	  " JOIN question q ON q.id = match.question"
	  " WHERE vote.n >= ?1 AND q.slug IS NOT ledger.q"
	  " ORDER BY vote.n LIMIT 1",
	    "and its match name different questions" },
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " JOIN ledger ON ledger.n = vote.n"
	  " JOIN activity t ON t.id = match.activity"
	  " WHERE vote.n >= ?1 AND t.slug IS NOT ledger.activity"
	  " ORDER BY vote.n LIMIT 1",
	    "and its match name different activities" },
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " JOIN ledger ON ledger.n = vote.n"
	  " JOIN answer a ON a.id = match.answer_a"
	  " JOIN answer b ON b.id = match.answer_b"
	  " WHERE vote.n >= ?1 AND (a.sample IS NOT ledger.sa"
	  " OR b.sample IS NOT ledger.sb OR a.question <> match.question"
	  " OR b.question <> match.question) ORDER BY vote.n LIMIT 1",
	    "and its match name different answers" },
	{ "SELECT vote.n FROM vote JOIN ledger ON ledger.n = vote.n"
	  " WHERE vote.n >= ?1 AND (ledger.t IS NOT vote.cast_at"
	  " OR ledger.consent IS NOT vote.consent)"
	  " ORDER BY vote.n LIMIT 1",
	    "and the vote it is for say different times or consents" },
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " WHERE vote.n >= ?1 AND vote.voter <> match.voter"
	  " ORDER BY vote.n LIMIT 1",
	    "is a vote by somebody else than its match is for" },
	{ "SELECT vote.n FROM vote JOIN match ON match.id = vote.match"
	  " WHERE vote.n >= ?1 AND match.state <> 'voted'"
	  " ORDER BY vote.n LIMIT 1",
	    "is a vote, but its match is not marked as voted" },
	{ "SELECT match.id FROM match LEFT JOIN vote"
	  " ON vote.match = match.id WHERE match.state = 'voted'"
	  " AND vote.n IS NULL AND ?1 > 0 ORDER BY match.id LIMIT 1",
	    "is marked as voted, but there is no vote" },
};

_Static_assert(sizeof(questions) / sizeof(*questions) == VOTE_ROWS_KINDS,
    "each question has its number");

enum err
vote_rows_compare(struct db *db, int64_t from, struct vote_odds *out)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < VOTE_ROWS_START; i++) {
		e = vote_rows_find(db, i, from, out);
		if (e != ERR_OK || out->what != NULL)
			break;
	}
	return e;
}

enum err
vote_rows_find(struct db *db, size_t kind, int64_t from, struct vote_odds *out)
{
	struct db_stmt *st = db_stmt(db, questions[kind].sql);
	enum err e;

	*out = (struct vote_odds){ 0, "line", NULL };
	db_bind_int(st, 1, from);
	e = db_row(st);
	if (e == ERR_OK) {
		out->n = db_int(st, 0);
		out->what = questions[kind].what;
		if (kind + 1 == VOTE_ROWS_KINDS)
			out->of = "match";
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}
