/* This file knows how to find, make and change accounts. */
#include "config.h"

#include "model/account.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/rng.h"
#include "model/store.h"
#include "port/crypt.h"
#include "port/db.h"

#define DAY_MINUTES 1440

/* What fill_account reads. */
#define ACCOUNT_COLUMNS                                                        \
	"id, kind, login, name, created_at, ta_desktop, forum, sound, lang,"   \
	" quiet_from, quiet_to, chime, unread, notice_rev, groups"
#define SELECT_ACCOUNT "SELECT " ACCOUNT_COLUMNS " FROM account"
/* What names one account for ever: pseud_key lives only here. */
#define KEY_PURPOSE_VOTER "voter/1"
#define KEY_PURPOSE_COOKIE "cookie/1"

static const char *const kind_names[ACCOUNT__MAX] = {
	[ACCOUNT_MEMBER] = "member",
	[ACCOUNT_GUEST] = "guest",
	[ACCOUNT_SIMULATED] = "simulated",
	[ACCOUNT_ERASED] = "erased",
};

static const char *const chime_names[CHIME__MAX] = {
	[CHIME_BELL] = "bell",
	[CHIME_DROP] = "drop",
};

static enum err read_account(
    struct db_stmt *q, struct pool *pool, struct account *out);
static void fill_account(
    struct db_stmt *q, struct pool *pool, struct account *out);
static enum err make_account(struct store_tx *tx, enum account_kind kind,
    struct text login, struct text name, struct str key, int64_t *id);
static enum err under_own_key(
    struct db *db, int64_t id, const char *purpose, char out[65]);
static void under_key(
    struct str key, int64_t id, const char *purpose, char out[65]);
static void bind_minute(struct db_stmt *st, int i, int64_t minute);

enum err
account_find(
    struct db *db, struct pool *pool, struct text login, struct account *out)
{
	struct db_stmt *q =
	    db_stmt(db, SELECT_ACCOUNT " WHERE login = ?1 AND kind = 'member'");

	db_bind_text(q, 1, login);
	return read_account(q, pool, out);
}

enum err
account_load(struct db *db, struct pool *pool, int64_t id, struct account *out)
{
	struct db_stmt *q =
	    db_stmt(db, SELECT_ACCOUNT " WHERE id = ?1 AND kind <> 'erased'");

	db_bind_int(q, 1, id);
	return read_account(q, pool, out);
}

enum err
account_find_guest(struct db *db, struct pool *pool, int64_t id,
    struct str mark, struct account *out)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT " ACCOUNT_COLUMNS ", hex(pseud_key) FROM account"
	    " WHERE id = ?1 AND kind = 'guest' AND pseud_key IS NOT NULL");
	char own[65];
	enum err e;

	db_bind_int(q, 1, id);
	if ((e = db_row(q)) != ERR_OK)
		return e;
	under_key(db_str(q, 15, NULL), id, KEY_PURPOSE_COOKIE, own);
	if (!str_eq_secret(mark, (struct str){ own, ACCOUNT_MARK })) {
		db_done(q);
		return ERR_NOTFOUND;
	}
	fill_account(q, pool, out);
	return ERR_OK;
}

enum err
account_ensure(
    struct store_tx *tx, struct text login, struct text name, int64_t *id)
{
	struct db_stmt *q = db_stmt(
	    tx->db, "SELECT id, name = ?2 FROM account WHERE login = ?1");
	struct db_stmt *up;
	unsigned char key[CRYPT_KEY];
	int64_t found;
	bool same;
	enum err e;

	if (login.p == NULL || login.n == 0)
		return ERR_INVALID;
	if (name.p == NULL)
		name = TEXT("");
	db_bind_text(q, 1, login);
	db_bind_text(q, 2, name);
	e = db_row(q);
	if (e == ERR_NOTFOUND) {
		rng_bytes(key, sizeof(key));
		e = make_account(tx, ACCOUNT_MEMBER, login, name,
		    (struct str){ (const char *)key, sizeof(key) }, id);
		crypt_wipe(key, sizeof(key));
		return e;
	}
	if (e != ERR_OK)
		return e;
	found = db_int(q, 0);
	same = db_int(q, 1) != 0;
	db_done(q);
	/* A login server that sends no name must not wipe the known one. */
	if (!same && name.n > 0) {
		up = db_stmt(
		    tx->db, "UPDATE account SET name = ?2 WHERE id = ?1");
		db_bind_int(up, 1, found);
		db_bind_text(up, 2, name);
		e = db_run(up);
		if (e != ERR_OK)
			return e;
	}
	*id = found;
	return ERR_OK;
}

enum err
account_make_guest(struct store_tx *tx, int64_t *id)
{
	unsigned char key[CRYPT_KEY];
	enum err e;

	rng_bytes(key, sizeof(key));
	e = make_account(tx, ACCOUNT_GUEST, (struct text){ 0 }, TEXT(""),
	    (struct str){ (const char *)key, sizeof(key) }, id);
	crypt_wipe(key, sizeof(key));
	return e;
}

enum err
account_make_simulated(struct store_tx *tx, struct rng *seeded, int64_t *id)
{
	unsigned char key[CRYPT_KEY];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)rng_next_below(seeded, 256);
	return make_account(tx, ACCOUNT_SIMULATED, (struct text){ 0 }, TEXT(""),
	    (struct str){ (const char *)key, sizeof(key) }, id);
}

enum err
preferences_store(
    struct store_tx *tx, int64_t account, const struct preferences *p)
{
	struct db_stmt *up;
	bool from = p->quiet_from != ACCOUNT_NO_MINUTE;
	bool to = p->quiet_to != ACCOUNT_NO_MINUTE;
	enum err e;

	if (from != to)
		return ERR_INVALID;
	if (from && (p->quiet_from < 0 || p->quiet_from >= DAY_MINUTES ||
			p->quiet_to < 0 || p->quiet_to >= DAY_MINUTES))
		return ERR_INVALID;
	up = db_stmt(tx->db,
	    "UPDATE account SET ta_desktop = ?2, forum = ?3, sound = ?4,"
	    " lang = ?5, quiet_from = ?6, quiet_to = ?7, chime = ?8"
	    " WHERE id = ?1 AND kind <> 'erased'");
	db_bind_int(up, 1, account);
	db_bind_int(up, 2, p->ta_desktop);
	db_bind_int(up, 3, p->forum);
	db_bind_int(up, 4, p->sound);
	db_bind_text(up, 5, p->lang);
	bind_minute(up, 6, p->quiet_from);
	bind_minute(up, 7, p->quiet_to);
	db_bind_z(up, 8, chime_names[p->chime]);
	e = db_run(up);
	if (e == ERR_OK && db_changes(tx->db) == 0)
		e = ERR_NOTFOUND;
	return e;
}

const char *
chime_name(enum chime c)
{
	return chime_names[c];
}

enum err
chime_parse(struct str s, enum chime *out)
{
	size_t i = str_index(s, chime_names, CHIME__MAX);

	if (i == CHIME__MAX)
		return ERR_INVALID;
	*out = (enum chime)i;
	return ERR_OK;
}

bool
preferences_quiet(const struct preferences *p, int64_t now)
{
	struct tm tm;
	int64_t minute;

	if (p->quiet_from == ACCOUNT_NO_MINUTE ||
	    p->quiet_to == ACCOUNT_NO_MINUTE)
		return false;
	clock_local(now, &tm);
	minute = tm.tm_hour * 60 + tm.tm_min;
	if (p->quiet_from < p->quiet_to)
		return minute >= p->quiet_from && minute < p->quiet_to;
	return minute >= p->quiet_from || minute < p->quiet_to;
}

void
account_groups(const struct voter *who, char out[ACCOUNT_GROUPS])
{
	size_t n = 0;

	out[0] = '\0';
	if (who->teacher)
		n = (size_t)snprintf(out, ACCOUNT_GROUPS, " ; ");
	for (size_t i = 0; i < who->groups_n; i++) {
		int wrote = snprintf(out + n, ACCOUNT_GROUPS - n, " %.*s ",
		    (int)who->groups[i].n, who->groups[i].p);

		if (wrote < 0 || (size_t)wrote >= ACCOUNT_GROUPS - n) {
			out[n] = '\0';
			break;
		}
		n += (size_t)wrote;
	}
}

enum err
account_note_groups(struct store_tx *tx, const struct voter *who)
{
	struct db_stmt *up = db_stmt(tx->db,
	    "UPDATE account SET groups = ?2 WHERE id = ?1 AND groups <> ?2");
	char all[ACCOUNT_GROUPS];

	account_groups(who, all);
	db_bind_int(up, 1, who->account);
	db_bind_z(up, 2, all);
	return db_run(up);
}

enum err
account_pseudonym(struct db *db, int64_t id, char out[65])
{
	return under_own_key(db, id, KEY_PURPOSE_VOTER, out);
}

enum err
account_mark(struct db *db, int64_t id, char out[ACCOUNT_MARK + 1])
{
	char whole[65];
	enum err e = under_own_key(db, id, KEY_PURPOSE_COOKIE, whole);

	if (e == ERR_OK)
		(void)snprintf(
		    out, ACCOUNT_MARK + 1, "%.*s", ACCOUNT_MARK, whole);
	return e;
}

static enum err
under_own_key(struct db *db, int64_t id, const char *purpose, char out[65])
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT hex(pseud_key) FROM account"
			" WHERE id = ?1 AND pseud_key IS NOT NULL");
	enum err e;

	db_bind_int(q, 1, id);
	e = db_row(q);
	if (e != ERR_OK)
		return e;
	under_key(db_str(q, 0, NULL), id, purpose, out);
	db_done(q);
	return ERR_OK;
}

/* key: the account's own, as SQLite's hex() says it. */
static void
under_key(struct str key, int64_t id, const char *purpose, char out[65])
{
	char said[48];
	int n = snprintf(said, sizeof(said), "%s\n%" PRId64, purpose, id);

	crypt_hmac_hex(key, (struct str){ said, (size_t)n }, out);
}

/* The one that q finds. */
static enum err
read_account(struct db_stmt *q, struct pool *pool, struct account *out)
{
	enum err e = db_row(q);

	if (e == ERR_OK)
		fill_account(q, pool, out);
	return e;
}

static void
fill_account(struct db_stmt *q, struct pool *pool, struct account *out)
{
	struct str kind = db_str(q, 1, pool);

	*out = (struct account){ .id = db_int(q, 0) };
	for (size_t i = 0; i < ACCOUNT__MAX; i++) {
		if (str_is(kind, kind_names[i]))
			out->kind = (enum account_kind)i;
	}
	out->login = db_text(q, 2, pool);
	out->name = db_text(q, 3, pool);
	out->created_at = db_int(q, 4);
	out->preferences.ta_desktop = db_int(q, 5) != 0;
	out->preferences.forum = db_int(q, 6) != 0;
	out->preferences.sound = db_int(q, 7) != 0;
	out->preferences.lang = db_text(q, 8, pool);
	out->preferences.quiet_from =
	    db_is_null(q, 9) ? ACCOUNT_NO_MINUTE : db_int(q, 9);
	out->preferences.quiet_to =
	    db_is_null(q, 10) ? ACCOUNT_NO_MINUTE : db_int(q, 10);
	/* The column's CHECK holds. */
	(void)!chime_parse(db_str(q, 11, NULL), &out->preferences.chime);
	out->unread = db_int(q, 12);
	out->notice_rev = db_int(q, 13);
	out->groups = db_text(q, 14, pool);
	db_done(q);
}

static enum err
make_account(struct store_tx *tx, enum account_kind kind, struct text login,
    struct text name, struct str key, int64_t *id)
{
	struct db_stmt *put = db_stmt(tx->db,
	    "INSERT INTO account(login, kind, name, pseud_key, created_at)"
	    " VALUES(?1, ?2, ?3, ?4, ?5)");
	enum err e;

	db_bind_text(put, 1, login);
	db_bind_z(put, 2, kind_names[kind]);
	db_bind_text(put, 3, name);
	db_bind_blob(put, 4, key.p, key.n);
	db_bind_int(put, 5, tx->now);
	e = db_run(put);
	if (e == ERR_OK)
		*id = db_last_id(tx->db);
	return e;
}

static void
bind_minute(struct db_stmt *st, int i, int64_t minute)
{
	if (minute == ACCOUNT_NO_MINUTE)
		db_bind_null(st, i);
	else
		db_bind_int(st, i, minute);
}
