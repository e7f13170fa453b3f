/* This file knows how to prove what the database keeps beside the ledger. */
#include "config.h"

#include <string.h>

#include "model/account.h"
#include "model/catalog.h"
#include "model/verify_parts.h"
#include "model/vote_rows.h"

static bool is_made_by(const struct store_schema *schema, struct str name);
static bool is_made_in(const char *sql, struct str name);
static enum err prove_votes(struct proof *p);
static enum err prove_arena(struct proof *p);
static enum err prove_voters(struct proof *p);
static enum err prove_texts(struct proof *p);

/* -------------------------------------------------------------- schema */

enum err
verify_schema(struct proof *p)
{
	/* SQLite's own, and what the search keeps its words in, are not
	 * written down in any schema. */
	struct db_stmt *st = db_stmt(p->db,
	    "SELECT type, name FROM sqlite_schema"
	    " WHERE substr(name, 1, 7) <> 'sqlite_' AND name NOT IN"
	    " (SELECT name FROM pragma_table_list WHERE type = 'shadow')");
	enum err e;

	while ((e = db_row(st)) == ERR_OK) {
		struct str type = db_str(st, 0, NULL);
		struct str name = db_str(st, 1, NULL);

		if (!str_is(type, "trigger") && !str_is(type, "view") &&
		    is_made_by(&store_schema_own, name))
			continue;
		verify_tell(p, VERIFY_MISMATCH,
		    "database: the %.*s %.*s is none of this program's",
		    (int)type.n, type.p, (int)name.n, name.p);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static bool
is_made_by(const struct store_schema *schema, struct str name)
{
	bool made = is_made_in(schema->base, name);

	for (size_t i = 0; !made && i < schema->steps_n; i++)
		made = is_made_in(schema->steps[i].sql, name);
	return made;
}

/* "TABLE name (", "INDEX name ON". */
static bool
is_made_in(const char *sql, struct str name)
{
	static const char *const kinds[] = { "TABLE ", "INDEX " };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		size_t n = strlen(kinds[k]);
		const char *at = sql;

		while ((at = strstr(at, kinds[k])) != NULL) {
			at += n;
			if (strncmp(at, name.p, name.n) == 0 &&
			    at[name.n] == ' ')
				return true;
		}
	}
	return false;
}

/* --------------------------------------------------------------- votes */

enum err
verify_rows(struct proof *p)
{
	enum err e = prove_arena(p);

	if (e == ERR_OK)
		e = prove_votes(p);
	if (e == ERR_OK)
		e = prove_voters(p);
	if (e == ERR_OK)
		e = prove_texts(p);
	return e;
}

static enum err
prove_arena(struct proof *p)
{
	struct db_stmt *st = db_stmt(p->db,
	    "SELECT (SELECT value FROM meta WHERE key = 'arena_uuid')"
	    " IS (SELECT m FROM ledger WHERE n = 1)");
	int64_t same = 0;
	enum err e = db_scalar(st, &same);

	if (e == ERR_OK && same == 0)
		verify_tell(p, VERIFY_MISMATCH,
		    "database: meta.arena_uuid is not the arena that line 1 "
		    "opens");
	return e;
}

static enum err
prove_votes(struct proof *p)
{
	struct db_stmt *st;
	struct vote_odds odds;
	bool good = true;
	enum err e = ERR_OK;

	for (size_t i = 0; i < VOTE_ROWS_KINDS; i++) {
		e = vote_rows_find(p->db, i, 1, &odds);
		if (e != ERR_OK)
			return e;
		if (odds.what == NULL)
			continue;
		good = false;
		verify_tell(p, VERIFY_MISMATCH, "votes: %s %lld %s", odds.of,
		    (long long)odds.n, odds.what);
	}
	if (!good)
		return ERR_OK;
	st = db_stmt(p->db, "SELECT count(*), coalesce(sum(counted), 0),"
			    " (SELECT count(*) FROM ledger WHERE k = 'vote')"
			    " FROM vote");
	e = db_row(st);
	if (e == ERR_OK)
		verify_tell(p, VERIFY_GOOD,
		    "votes: %lld, of which %lld count; each equal "
		    "to its line (%lld lines of votes)",
		    (long long)db_int(st, 0), (long long)db_int(st, 1),
		    (long long)db_int(st, 2));
	db_done(st);
	return e;
}

/* Voter by voter, so that each pseudonym is made once. */
static enum err
prove_voters(struct proof *p)
{
	struct db_stmt *st = db_stmt(p->db,
	    "SELECT vote.voter, vote.n, ledger.u FROM vote"
	    " JOIN ledger ON ledger.n = vote.n ORDER BY vote.voter");
	int64_t voter = 0, first = 0, others = 0;
	char u[CRYPT_HEX + 1] = "";
	enum err known = ERR_NOTFOUND, e;

	while ((e = db_row(st)) == ERR_OK) {
		if (db_int(st, 0) != voter) {
			voter = db_int(st, 0);
			known = account_pseudonym(p->db, voter, u);
		}
		if (known == ERR_NOTFOUND)
			continue; /* erased: nobody can tell any more */
		if (known != ERR_OK) {
			e = known;
			break;
		}
		if (str_is(db_str(st, 2, NULL), u))
			continue;
		if (first == 0 || db_int(st, 1) < first)
			first = db_int(st, 1);
		others++;
	}
	db_done(st);
	if (e == ERR_NOTFOUND && others > 0)
		verify_tell(p, VERIFY_MISMATCH,
		    "votes: line %lld and its vote name different voters (%lld "
		    "such)",
		    (long long)first, (long long)others);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
prove_texts(struct proof *p)
{
	struct db_stmt *st = db_stmt(p->db,
	    "SELECT version.text, version.digest, prompt.slug, version.number"
	    " FROM version JOIN prompt ON prompt.id = version.prompt");
	char digest[CRYPT_HEX + 1];
	enum err e;

	while ((e = db_row(st)) == ERR_OK) {
		struct str text = db_str(st, 0, NULL);
		struct str slug = db_str(st, 2, NULL);

		catalog_digest((struct text){ text.p, text.n }, digest);
		if (!str_is(db_str(st, 1, NULL), digest))
			verify_tell(p, VERIFY_MISMATCH,
			    "database: the text of prompt %.*s, version %lld, "
			    "does not have the digest it is known by",
			    (int)slug.n, slug.p, (long long)db_int(st, 3));
	}
	db_done(st);
	return e == ERR_NOTFOUND ? ERR_OK : e;
}
