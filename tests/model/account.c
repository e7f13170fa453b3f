/* This file knows how to try accounts, preferences and pseudonyms. */
#include "config.h"

#include "tests/model/town.h"

static struct town t;

struct keep {
	int64_t id;
	struct preferences p;
};

static enum err
keep_fn(struct store_tx *tx, void *arg)
{
	struct keep *k = arg;

	return preferences_store(tx, k->id, &k->p);
}

static enum err
keep(int64_t id, struct preferences p)
{
	struct keep k = { id, p };

	return store_write(t.store, keep_fn, &k);
}

static void
members(void)
{
	struct account a;
	int64_t id;

	is_int(account_find(t.db, t.pool, TEXT("alice"), &a), ERR_NOTFOUND,
	    "nobody is known before the first POST");
	id = town_member(&t, "alice", "Alice A.");
	is_int(
	    town_member(&t, "alice", "Alice A."), id, "the same at the next");
	must(account_find(t.db, t.pool, TEXT("alice"), &a), "find");
	ok(a.id == id && a.kind == ACCOUNT_MEMBER, "known by login");
	is_str(a.name, "Alice A.", "with the name");
	ok(a.preferences.ta_desktop && !a.preferences.forum &&
		!a.preferences.sound && a.preferences.lang.p == NULL &&
		a.preferences.quiet_from == ACCOUNT_NO_MINUTE,
	    "preferences start as stated");
	town_member(&t, "alice", "Alice B.");
	must(account_load(t.db, t.pool, id, &a), "load");
	is_str(a.name, "Alice B.", "a new name is followed");
	town_member(&t, "alice", "");
	must(account_load(t.db, t.pool, id, &a), "load");
	is_str(a.name, "Alice B.", "no name leaves the known one");
	ok(town_member(&t, "Alice", "") != id, "logins are what they are");
	is_int(
	    town_number(&t, "SELECT count(*) FROM account"), 2, "two in all");
}

static void
guests(void)
{
	int64_t one = town_guest(&t), two = town_guest(&t);
	struct account a;

	ok(one != two, "each guest is one account");
	must(account_load(t.db, t.pool, one, &a), "load");
	ok(a.kind == ACCOUNT_GUEST && a.login.p == NULL, "of its kind");
	is_int(account_load(t.db, t.pool, 999, &a), ERR_NOTFOUND,
	    "a forged number is nobody");
}

static void
preferences(void)
{
	int64_t id = town_member(&t, "bob", "Bob");
	struct account a;

	must(keep(id, (struct preferences){ .forum = true,
			  .sound = true,
			  .lang = TEXT("fa"),
			  .quiet_from = 1320,
			  .quiet_to = 0 }),
	    "keep");
	must(account_load(t.db, t.pool, id, &a), "load");
	ok(!a.preferences.ta_desktop && a.preferences.forum &&
		a.preferences.sound && a.preferences.quiet_from == 1320 &&
		a.preferences.quiet_to == 0,
	    "what was stored is there");
	is_str(a.preferences.lang, "fa", "and the language");
	is_int(keep(id, (struct preferences){ .quiet_from = 5,
			    .quiet_to = ACCOUNT_NO_MINUTE }),
	    ERR_INVALID, "half quiet hours");
	is_int(
	    keep(id, (struct preferences){ .quiet_from = 5, .quiet_to = 1440 }),
	    ERR_INVALID, "no such minute");
	is_int(keep(999, PREFERENCES_DEFAULT), ERR_NOTFOUND, "nobody's");
	must(account_load(t.db, t.pool, id, &a), "load");
	is_int(a.preferences.quiet_from, 1320, "a refusal changes nothing");
	must(keep(id, PREFERENCES_DEFAULT), "keep");
	must(account_load(t.db, t.pool, id, &a), "load");
	ok(a.preferences.ta_desktop && !a.preferences.sound &&
		a.preferences.quiet_to == ACCOUNT_NO_MINUTE &&
		a.preferences.lang.p == NULL,
	    "all can be put back");
}

static void
pseudonyms(void)
{
	int64_t one = town_guest(&t), two = town_guest(&t);
	char a[65], b[65], again[65];

	must(account_pseudonym(t.db, one, a), "pseudonym");
	must(account_pseudonym(t.db, two, b), "pseudonym");
	must(account_pseudonym(t.db, one, again), "pseudonym");
	is_int((intmax_t)strlen(a), 64, "64 digits");
	is_str(again, a, "the same every time");
	ok(strcmp(a, b) != 0, "different people, different pseudonyms");
	town_script(&t, "UPDATE account SET pseud_key = NULL, kind = 'erased'");
	is_int(account_pseudonym(t.db, one, a), ERR_NOTFOUND,
	    "without its key nobody can be found again");
}

int
main(void)
{
	town_open(&t);
	members();
	guests();
	preferences();
	pseudonyms();
	town_close(&t);
	return done_testing();
}
