/*
 * account - who takes part, and what they like.
 *
 * Layer    model: base, port/db, port/crypt.
 * Memory   rows live in the given pool.
 * Threads  reading: the connection's thread; writing: inside store_write.
 *
 * An account is made by a person's first POST, never by a GET.  Members are
 * known by the login that the web server vouches for; guests by the id in
 * their signed cookie.
 */
#ifndef PA_ACCOUNT_H
#define PA_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

struct db;
struct rng;
struct store_tx;

enum account_kind {
	ACCOUNT_MEMBER,
	ACCOUNT_GUEST,
	ACCOUNT_SIMULATED,
	ACCOUNT_ERASED,
	ACCOUNT__MAX
};

#define ACCOUNT_NO_MINUTE INT64_MIN /* same as VIEW_NO_INT */

enum chime { /* which sound rings */
	CHIME_BELL,
	CHIME_DROP,
	CHIME__MAX
};

/* What /preferences shows and stores. */
struct preferences {
	bool ta_desktop; /* popup when the AI TA has replied */
	bool forum;      /* notices for classmates' posts */
	bool sound;      /* sound for any new notice */
	enum chime chime;
	struct text lang;             /* absent: as the browser says */
	int64_t quiet_from, quiet_to; /* minutes of the campus day, or
					 ACCOUNT_NO_MINUTE (both or neither) */
};

/* What a visitor without an account sees on /preferences. */
#define PREFERENCES_DEFAULT                                                    \
	((struct preferences){ .ta_desktop = true,                             \
	    .quiet_from = ACCOUNT_NO_MINUTE,                                   \
	    .quiet_to = ACCOUNT_NO_MINUTE })

struct account {
	int64_t id;
	enum account_kind kind;
	struct text login; /* absent for guests, simulated and erased */
	struct text name;  /* display name, may be empty */
	int64_t created_at;
	struct preferences preferences;
	int64_t unread;     /* notices */
	int64_t notice_rev; /* rises whenever its notices change */
	struct text groups; /* as account_note_groups wrote them */
};

/* Who is asking, for the rules of pairing and of activities. */
struct voter {
	int64_t account;           /* 0: has none yet */
	struct text login;         /* absent for guests */
	const struct text *groups; /* of PA_GROUPS */
	size_t groups_n;
	bool teacher; /* enters the forum of every activity */
};

/*
 * SQL: is an activity of that group (NULL: everybody) for who has those
 * groups, as account_groups and the column account.groups write them?
 */
#define ACCOUNT_FITS(group, groups)                                            \
	"(" group " IS NULL OR instr(" groups ", ' ; ') > 0"                   \
	" OR instr(" groups ", ' ' || " group " || ' ') > 0)"

/* The member with that login.  ERR_NOTFOUND: not seen yet. */
enum err account_find(struct db *db, struct pool *pool, struct text login,
    struct account *out) PA_MUST_USE;

/*
 * The guest's account with that number and mark (account_mark), in one look-up.
 * ERR_NOTFOUND: there is none, or it is another's.
 */
enum err account_find_guest(struct db *db, struct pool *pool, int64_t id,
    struct str mark, struct account *out) PA_MUST_USE;

/* By id.  ERR_NOTFOUND for unknown and erased accounts. */
enum err account_load(struct db *db, struct pool *pool, int64_t id,
    struct account *out) PA_MUST_USE;

/*
 * The member's id; makes the account at first sight, follows a changed
 * display name.  Writes nothing when nothing changed.
 */
enum err account_ensure(struct store_tx *tx, struct text login,
    struct text name, int64_t *id) PA_MUST_USE;

/* A new guest. */
enum err account_make_guest(struct store_tx *tx, int64_t *id) PA_MUST_USE;

/* A simulated voter; everything random about it comes from seeded. */
enum err account_make_simulated(
    struct store_tx *tx, struct rng *seeded, int64_t *id) PA_MUST_USE;

/* Store all of p.  ERR_NOTFOUND without such an account; ERR_INVALID when
 * only one end of the quiet hours is given or a minute is out of range. */
enum err preferences_store(struct store_tx *tx, int64_t account,
    const struct preferences *p) PA_MUST_USE;

/* "bell", "drop"; ERR_INVALID for another. */
const char *chime_name(enum chime c);
enum err chime_parse(struct str s, enum chime *out) PA_MUST_USE;

/* Do these preferences want quiet at that moment of the campus day? */
bool preferences_quiet(const struct preferences *p, int64_t now);

/* This voter's groups, each with a blank at both ends; for teachers also
 * ";", which no group is called. */
#define ACCOUNT_GROUPS 4096
void account_groups(const struct voter *who, char out[ACCOUNT_GROUPS]);

/* Remember the groups that the web server told us, for those who are told of
 * posts while they are away.  Writes nothing when nothing changed. */
enum err account_note_groups(
    struct store_tx *tx, const struct voter *who) PA_MUST_USE;

/*
 * The ledger's name for a voter: HMAC-SHA256 of the account under its own
 * key, 64 hex digits.  ERR_NOTFOUND once the account is erased.
 */
enum err account_pseudonym(struct db *db, int64_t id, char out[65]) PA_MUST_USE;

/*
 * What tells this account from any other that ever had its number, as after
 * an older database was put back: digits and letters made from its own key.
 * ERR_NOTFOUND once the account is erased.
 */
#define ACCOUNT_MARK 32
enum err account_mark(
    struct db *db, int64_t id, char out[ACCOUNT_MARK + 1]) PA_MUST_USE;

#endif /* PA_ACCOUNT_H */
