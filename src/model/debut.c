/* This file knows how to find the vote that made a version official. */
#include "config.h"

#include "model/debut.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/conf.h"
#include "model/ledger.h"
#include "port/db.h"

#define DIGEST 64 /* letters */

struct entrant { /* a version under a setup */
	char setup[DIGEST], version[DIGEST];
	int64_t matches, at; /* at 0: not official yet */
	uint64_t *voters;    /* first 64 bits of pseudonyms, while needed */
	int64_t voters_n;
};

struct debuts {
	pthread_mutex_t lock;
	int64_t last_seq, minimum, minimum_voters;
	struct entrant *entrants;
	size_t n, room;
	uint32_t *slots; /* open addressing: number + 1, or 0 */
	size_t slots_n;
	int64_t *excluded; /* votes taken out, by number, sorted */
	size_t excluded_n, excluded_room;
};

static void forget(struct debuts *d);
static enum err scan(struct debuts *d, struct db *db, bool *changed);
static enum err mark(struct debuts *d, int64_t of, bool out);
static bool is_excluded(const struct debuts *d, int64_t n, size_t *place);
static enum err enter(struct debuts *d, struct str setup, struct str version,
    struct str voter, int64_t t);
static enum err note_voter(
    const struct debuts *d, struct entrant *x, struct str voter);
static struct entrant *find(
    const struct debuts *d, struct str setup, struct str version, size_t *slot);
static struct entrant *add(
    struct debuts *d, struct str setup, struct str version);

enum err
debuts_open(struct debuts **out)
{
	struct debuts *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return ERR_NOMEM;
	if (pthread_mutex_init(&d->lock, NULL) != 0) {
		free(d);
		return ERR_NOMEM;
	}
	*out = d;
	return ERR_OK;
}

void
debuts_close(struct debuts *d)
{
	if (d == NULL)
		return;
	forget(d);
	free(d->entrants);
	free(d->slots);
	free(d->excluded);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

enum err
debuts_follow(struct debuts *d, struct db *db, const struct conf *conf)
{
	bool changed = false;
	enum err e;

	pthread_mutex_lock(&d->lock);
	if (d->minimum != conf->minimum ||
	    d->minimum_voters != conf->minimum_voters) {
		forget(d);
		d->minimum = conf->minimum;
		d->minimum_voters = conf->minimum_voters;
	}
	e = scan(d, db, &changed);
	if (e == ERR_OK && changed) {
		/* The second time the votes taken out are known beforehand. */
		forget(d);
		e = scan(d, db, &changed);
	}
	if (e != ERR_OK)
		forget(d);
	pthread_mutex_unlock(&d->lock);
	return e;
}

int64_t
debut_at(struct debuts *d, struct text setup, struct text version)
{
	const struct entrant *x;
	int64_t at = 0;
	size_t slot;

	pthread_mutex_lock(&d->lock);
	if (d->n > 0 && setup.n == DIGEST && version.n == DIGEST) {
		x = find(d, (struct str){ setup.p, setup.n },
		    (struct str){ version.p, version.n }, &slot);
		at = x != NULL ? x->at : 0;
	}
	pthread_mutex_unlock(&d->lock);
	return at;
}

/* Of all but what was excluded. */
static void
forget(struct debuts *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->entrants[i].voters);
	if (d->slots_n > 0)
		memset(d->slots, 0, d->slots_n * sizeof(*d->slots));
	d->n = 0;
	d->last_seq = 0;
}

/* *changed: votes that were read before have been taken out, or put back. */
static enum err
scan(struct debuts *d, struct db *db, bool *changed)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT n, t, k, va, vb, setup, c, u, of FROM ledger"
			" WHERE n > ?1 ORDER BY n");
	size_t place;
	enum err e = ERR_OK, done = ERR_OK;

	*changed = false;
	db_bind_int(q, 1, d->last_seq);
	while (done == ERR_OK && (e = db_row(q)) == ERR_OK) {
		struct str kind = db_str(q, 2, NULL), setup, a, b, voter;
		int64_t n = db_int(q, 0), t = db_int(q, 1);

		if (str_is(kind, "exclude") || str_is(kind, "restore")) {
			done = mark(d, db_int(q, 8), str_is(kind, "exclude"));
			*changed = true;
		} else if (str_is(kind, "vote") && db_int(q, 6) != 0 &&
			   !is_excluded(d, n, &place)) {
			a = db_str(q, 3, NULL);
			b = db_str(q, 4, NULL);
			setup = db_str(q, 5, NULL);
			voter = db_str(q, 7, NULL);
			done = enter(d, setup, a, voter, t);
			if (done == ERR_OK)
				done = enter(d, setup, b, voter, t);
		}
		d->last_seq = n;
	}
	if (done != ERR_OK) {
		db_done(q);
		return done;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
mark(struct debuts *d, int64_t of, bool out)
{
	size_t at;
	bool known = is_excluded(d, of, &at);

	if (known == out)
		return ERR_OK;
	if (!out) {
		memmove(d->excluded + at, d->excluded + at + 1,
		    (d->excluded_n - at - 1) * sizeof(*d->excluded));
		d->excluded_n--;
		return ERR_OK;
	}
	if (d->excluded_n == d->excluded_room) {
		size_t room = 2 * d->excluded_room + 16;
		int64_t *more = realloc(d->excluded, room * sizeof(*more));

		if (more == NULL)
			return ERR_NOMEM;
		d->excluded = more;
		d->excluded_room = room;
	}
	memmove(d->excluded + at + 1, d->excluded + at,
	    (d->excluded_n - at) * sizeof(*d->excluded));
	d->excluded[at] = of;
	d->excluded_n++;
	return ERR_OK;
}

/* *place: where it stands among the excluded, or would. */
static bool
is_excluded(const struct debuts *d, int64_t n, size_t *place)
{
	size_t low = 0, high = d->excluded_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->excluded[mid] < n)
			low = mid + 1;
		else
			high = mid;
	}
	*place = low;
	return low < d->excluded_n && d->excluded[low] == n;
}

/* One more counted match of that version. */
static enum err
enter(struct debuts *d, struct str setup, struct str version, struct str voter,
    int64_t t)
{
	struct entrant *x;
	size_t slot;
	enum err e;

	if (setup.n != DIGEST || version.n != DIGEST)
		return ERR_CORRUPT;
	x = d->n > 0 ? find(d, setup, version, &slot) : NULL;
	if (x == NULL && (x = add(d, setup, version)) == NULL)
		return ERR_NOMEM;
	if (x->at != 0)
		return ERR_OK;
	x->matches++;
	if ((e = note_voter(d, x, voter)) != ERR_OK)
		return e;
	if (x->matches < d->minimum || x->voters_n < d->minimum_voters)
		return ERR_OK;
	x->at = t;
	free(x->voters);
	x->voters = NULL;
	return ERR_OK;
}

static enum err
note_voter(const struct debuts *d, struct entrant *x, struct str voter)
{
	uint64_t key = ledger_voter_key(voter);

	if (x->voters_n >= d->minimum_voters)
		return ERR_OK;
	if (x->voters == NULL && (x->voters = calloc((size_t)d->minimum_voters,
				      sizeof(*x->voters))) == NULL)
		return ERR_NOMEM;
	for (int64_t i = 0; i < x->voters_n; i++) {
		if (x->voters[i] == key)
			return ERR_OK;
	}
	x->voters[x->voters_n++] = key;
	return ERR_OK;
}

/*
 * Multiplicative, and its upper half: digests are evenly spread, but their
 * letters are not, and the low bits of a product know the first letter only.
 */
static size_t
hash(struct str setup, struct str version)
{
	uint64_t h, g;

	memcpy(&h, version.p, sizeof(h));
	memcpy(&g, setup.p, sizeof(g));
	return (size_t)((h * 31 + g) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* *slot: where it stands, or is to be put.  There are slots. */
static struct entrant *
find(const struct debuts *d, struct str setup, struct str version, size_t *slot)
{
	size_t i = hash(setup, version) % d->slots_n;

	for (; d->slots[i] != 0; i = i + 1 == d->slots_n ? 0 : i + 1) {
		struct entrant *x = &d->entrants[d->slots[i] - 1];

		if (memcmp(x->version, version.p, DIGEST) == 0 &&
		    memcmp(x->setup, setup.p, DIGEST) == 0) {
			*slot = i;
			return x;
		}
	}
	*slot = i;
	return NULL;
}

static struct str
letters(const char *digest)
{
	return (struct str){ digest, DIGEST };
}

static bool
grow(struct debuts *d)
{
	size_t room = d->room == 0 ? 32 : 2 * d->room, slot;
	struct entrant *more = realloc(d->entrants, room * sizeof(*more));
	uint32_t *slots;

	if (more == NULL)
		return false;
	d->entrants = more;
	slots = calloc(2 * room, sizeof(*slots));
	if (slots == NULL)
		return false;
	free(d->slots);
	d->slots = slots;
	d->slots_n = 2 * room;
	d->room = room;
	for (size_t i = 0; i < d->n; i++) {
		(void)find(
		    d, letters(more[i].setup), letters(more[i].version), &slot);
		slots[slot] = (uint32_t)i + 1;
	}
	return true;
}

static struct entrant *
add(struct debuts *d, struct str setup, struct str version)
{
	struct entrant *x;
	size_t slot;

	if (d->n == d->room && !grow(d))
		return NULL;
	(void)find(d, setup, version, &slot);
	x = &d->entrants[d->n++];
	*x = (struct entrant){ .matches = 0 };
	memcpy(x->setup, setup.p, DIGEST);
	memcpy(x->version, version.p, DIGEST);
	d->slots[slot] = (uint32_t)d->n;
	return x;
}
