/* This file knows how to write and read one line of the ledger. */
#include "config.h"

#include "model/ledger.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "model/ledger_parts.h"
#include "port/db.h"

/* A line being read: what is left of it, and what it broke on. */
struct reader {
	struct pool *pool;
	const char *p, *end;
	bool bad;
};

static void key_str(struct buf *out, const char *key, struct str s);
static void key_int(struct buf *out, const char *key, int64_t v);
static void expect(struct reader *r, const char *literal);
static int64_t read_int(struct reader *r, const char *key);
static struct str read_str(struct reader *r, const char *key);
static struct str unescape(struct reader *r, struct str s);
static size_t unescape_one(struct str s, char *out, size_t *w);
static void read_kind(struct reader *r, struct ledger_entry *e);
static void read_vote(struct reader *r, struct ledger_entry *e);
static enum err prove(struct str line, const struct ledger_entry *e);
static void row_entry(
    struct db_stmt *st, struct pool *pool, struct ledger_entry *e);

static const char *const kind_names[LEDGER__MAX] = {
	[LEDGER_OPEN] = "open",
	[LEDGER_VOTE] = "vote",
	[LEDGER_EXCLUDE] = "exclude",
	[LEDGER_RESTORE] = "restore",
};

static const char *const choice_names[VOTE__MAX] = {
	[VOTE_A] = "a",
	[VOTE_B] = "b",
	[VOTE_TIE] = "tie",
	[VOTE_BOTH_POOR] = "both_poor",
};

const char *
vote_choice_name(enum vote_choice c)
{
	assert(c < VOTE__MAX);
	return choice_names[c];
}

enum err
vote_choice_parse(struct str s, enum vote_choice *out)
{
	size_t i = str_index(s, choice_names, VOTE__MAX);

	if (i == VOTE__MAX)
		return ERR_INVALID;
	*out = (enum vote_choice)i;
	return ERR_OK;
}

uint64_t
ledger_voter_key(struct str pseudonym)
{
	uint64_t key = 0;

	for (size_t i = 0; i < 16 && i < pseudonym.n; i++) {
		char c = pseudonym.p[i];

		key = key << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return key == 0 ? 1 : key;
}

void
ledger_format_head(struct buf *out, const struct ledger_entry *e)
{
	buf_z(out, "{\"n\":");
	buf_int(out, e->n);
	key_int(out, "t", e->t);
	key_str(out, "k", str_of(kind_names[e->kind]));
	key_str(out, "m", e->match);
	switch (e->kind) {
	case LEDGER_VOTE:
		key_str(out, "q", e->question);
		key_str(out, "type", e->type);
		key_str(out, "va", e->va);
		key_str(out, "vb", e->vb);
		key_int(out, "sa", e->sa);
		key_int(out, "sb", e->sb);
		key_str(out, "setup", e->setup);
		key_str(out, "activity", e->activity);
		key_str(out, "w", str_of(choice_names[e->choice]));
		key_int(out, "c", e->counted);
		key_str(out, "why", e->why);
		key_str(out, "u", e->voter);
		if (e->consent.p == NULL)
			buf_z(out, ",\"consent\":null");
		else
			key_str(out, "consent", e->consent);
		break;
	case LEDGER_EXCLUDE:
	case LEDGER_RESTORE:
		key_int(out, "of", e->of);
		key_str(out, "why", e->why);
		break;
	default:
		break;
	}
	key_str(out, "prev", e->prev);
}

void
ledger_format(struct buf *out, const struct ledger_entry *e)
{
	ledger_format_head(out, e);
	key_str(out, "h", e->hash);
	buf_z(out, "}\n");
}

void
ledger_format_public(struct buf *out, const struct ledger_entry *e)
{
	buf_z(out, "{\"n\":");
	buf_int(out, e->n);
	key_str(out, "k", str_of(kind_names[e->kind]));
	if (e->kind == LEDGER_VOTE) {
		key_str(out, "type", e->type);
		key_str(out, "va", e->va);
		key_str(out, "vb", e->vb);
		key_str(out, "setup", e->setup);
		key_str(out, "activity", e->activity);
		key_str(out, "w", str_of(choice_names[e->choice]));
		key_int(out, "c", e->counted);
	} else if (e->kind != LEDGER_OPEN) {
		key_int(out, "of", e->of);
	}
	if (e->kind != LEDGER_OPEN)
		key_str(out, "why", e->why);
	key_str(out, "prev", e->prev);
	key_str(out, "h", e->hash);
	buf_z(out, "}\n");
}

enum err
ledger_seal(struct ledger_entry *e, char room[CRYPT_HEX + 1])
{
	struct buf head;
	bool good;

	buf_init(&head, LEDGER_LINE_MAX - CRYPT_HEX - 16);
	ledger_format_head(&head, e);
	good = !head.failed;
	if (good)
		crypt_sha256_hex(buf_as_str(&head), room);
	buf_release(&head);
	if (!good) {
		log_error("ledger: line %lld is too long", (long long)e->n);
		return ERR_TOOBIG;
	}
	e->hash = (struct str){ room, CRYPT_HEX };
	return ERR_OK;
}

enum err
ledger_parse(struct pool *pool, struct str line, struct ledger_entry *out)
{
	struct ledger_entry e = { .n = 0 };
	struct reader r = { pool, line.p, line.p + line.n, false };

	expect(&r, "{");
	e.n = read_int(&r, "n");
	expect(&r, ",");
	e.t = read_int(&r, "t");
	read_kind(&r, &e);
	expect(&r, ",");
	e.match = read_str(&r, "m");
	if (e.kind == LEDGER_VOTE) {
		read_vote(&r, &e);
	} else if (e.kind != LEDGER_OPEN) {
		expect(&r, ",");
		e.of = read_int(&r, "of");
		expect(&r, ",");
		e.why = read_str(&r, "why");
	}
	expect(&r, ",");
	e.prev = read_str(&r, "prev");
	expect(&r, ",");
	e.hash = read_str(&r, "h");
	expect(&r, "}");
	if (r.bad || r.p != r.end || e.n < 1)
		return ERR_SYNTAX;
	if (prove(line, &e) != ERR_OK)
		return ERR_CORRUPT;
	*out = e;
	return ERR_OK;
}

/* ------------------------------------------------------- table ledger */

enum err
ledger_put(struct db *db, const struct ledger_entry *e)
{
	bool vote = e->kind == LEDGER_VOTE;
	struct db_stmt *st = db_stmt(db,
	    "INSERT INTO ledger (n, t, k, m, of, q, type, va, vb, sa, sb,"
	    " setup, activity, w, c, why, u, consent, prev, h)"
	    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
	    " ?14, ?15, ?16, ?17, ?18, ?19, ?20)");

	db_bind_int(st, 1, e->n);
	db_bind_int(st, 2, e->t);
	db_bind_z(st, 3, kind_names[e->kind]);
	db_bind_str(st, 4, e->match);
	if (e->kind == LEDGER_EXCLUDE || e->kind == LEDGER_RESTORE)
		db_bind_int(st, 5, e->of);
	if (vote) {
		db_bind_str(st, 6, e->question);
		db_bind_str(st, 7, e->type);
		db_bind_str(st, 8, e->va);
		db_bind_str(st, 9, e->vb);
		db_bind_int(st, 10, e->sa);
		db_bind_int(st, 11, e->sb);
		db_bind_str(st, 12, e->setup);
		db_bind_str(st, 13, e->activity);
		db_bind_z(st, 14, choice_names[e->choice]);
		db_bind_int(st, 15, e->counted);
		db_bind_str(st, 17, e->voter);
		db_bind_str(st, 18, e->consent);
	}
	if (e->kind != LEDGER_OPEN)
		db_bind_str(st, 16, e->why);
	db_bind_str(st, 19, e->prev);
	db_bind_str(st, 20, e->hash);
	return db_run(st);
}

/* The columns row_entry reads, in its order. */
#define LEDGER_COLUMNS                                                         \
	"n, t, k, m, of, q, type, va, vb, sa, sb, setup, activity, w, c,"      \
	" why, u, consent, prev, h"

enum err
ledger_row(
    struct db *db, struct pool *pool, int64_t n, struct ledger_entry *out)
{
	struct db_stmt *st =
	    db_stmt(db, "SELECT " LEDGER_COLUMNS " FROM ledger WHERE n = ?1");
	enum err e;

	db_bind_int(st, 1, n);
	e = db_row(st);
	if (e == ERR_OK) {
		row_entry(st, pool, out);
		db_done(st);
	}
	return e;
}

enum err
ledger_last(struct db *db, int64_t *out)
{
	/* NULL reads as 0. */
	return db_scalar(db_stmt(db, "SELECT max(n) FROM ledger"), out);
}

enum err
ledger_public_page(struct db *db, int64_t from, int64_t upto, size_t enough,
    struct buf *out, int64_t *next)
{
	struct db_stmt *st =
	    db_stmt(db, "SELECT " LEDGER_COLUMNS " FROM ledger"
			" WHERE n >= ?1 AND n <= ?2 ORDER BY n");
	struct ledger_entry entry;
	int64_t last = from - 1;
	enum err e = ERR_OK;

	db_bind_int(st, 1, from);
	db_bind_int(st, 2, upto);
	while (out->n < enough && (e = db_row(st)) == ERR_OK) {
		row_entry(st, NULL, &entry);
		ledger_format_public(out, &entry);
		last = entry.n;
	}
	db_done(st);
	if (e != ERR_OK && e != ERR_NOTFOUND)
		return e;
	*next = e == ERR_NOTFOUND || last >= upto ? 0 : last + 1;
	return out->failed ? ERR_NOMEM : ERR_OK;
}

/* ------------------------------------------------------------ writing */

static void
key_str(struct buf *out, const char *key, struct str s)
{
	buf_z(out, ",\"");
	buf_z(out, key);
	buf_z(out, "\":\"");
	buf_json(out, s);
	buf_c(out, '"');
}

static void
key_int(struct buf *out, const char *key, int64_t v)
{
	buf_z(out, ",\"");
	buf_z(out, key);
	buf_z(out, "\":");
	buf_int(out, v);
}

/* ------------------------------------------------------------ reading */

static void
expect(struct reader *r, const char *literal)
{
	size_t n = strlen(literal);

	if (r->bad || (size_t)(r->end - r->p) < n ||
	    memcmp(r->p, literal, n) != 0)
		r->bad = true;
	else
		r->p += n;
}

static void
expect_key(struct reader *r, const char *key)
{
	expect(r, "\"");
	expect(r, key);
	expect(r, "\":");
}

static int64_t
read_int(struct reader *r, const char *key)
{
	struct str digits;
	int64_t v = 0;

	expect_key(r, key);
	if (r->bad)
		return 0;
	digits = (struct str){ r->p, 0 };
	while (r->p < r->end && ((*r->p >= '0' && *r->p <= '9') ||
				    (digits.n == 0 && *r->p == '-'))) {
		r->p++;
		digits.n++;
	}
	if (str_int(digits, INT64_MIN, INT64_MAX, &v) != ERR_OK)
		r->bad = true;
	return v;
}

static struct str
read_str(struct reader *r, const char *key)
{
	struct str s;
	bool escaped = false;

	expect_key(r, key);
	expect(r, "\"");
	if (r->bad)
		return (struct str){ NULL, 0 };
	s = (struct str){ r->p, 0 };
	while (r->p < r->end && *r->p != '"') {
		if (*r->p == '\\') {
			escaped = true;
			r->p++;
		}
		r->p++;
	}
	if (r->p >= r->end) {
		r->bad = true;
		return (struct str){ NULL, 0 };
	}
	s.n = (size_t)(r->p - s.p);
	r->p++;
	return escaped ? unescape(r, s) : s;
}

static struct str
unescape(struct reader *r, struct str s)
{
	char *out = pool_alloc(r->pool, s.n + 1);
	size_t w = 0;

	if (out == NULL) {
		r->bad = true;
		return (struct str){ NULL, 0 };
	}
	while (s.n > 0) {
		size_t used = unescape_one(s, out, &w);

		if (used == 0) {
			r->bad = true;
			break;
		}
		s.p += used;
		s.n -= used;
	}
	return (struct str){ out, w };
}

/* Only what buf_json writes: short escapes, and \u00XX for controls. */
static size_t
unescape_one(struct str s, char *out, size_t *w)
{
	static const char from[] = "\"\\bfnrt";
	static const char to[] = "\"\\\b\f\n\r\t";
	static const char hex[] = "0123456789abcdef";
	const char *at, *low;

	if (s.p[0] != '\\') {
		out[(*w)++] = s.p[0];
		return 1;
	}
	if (s.n < 2 || s.p[1] == '\0')
		return 0;
	at = strchr(from, s.p[1]);
	if (at != NULL) {
		out[(*w)++] = to[at - from];
		return 2;
	}
	if (s.n < 6 || memcmp(s.p, "\\u00", 4) != 0 ||
	    (s.p[4] != '0' && s.p[4] != '1') || s.p[5] == '\0')
		return 0;
	low = strchr(hex, s.p[5]);
	if (low == NULL)
		return 0;
	out[(*w)++] = (char)((s.p[4] - '0') * 16 + (low - hex));
	return 6;
}

static void
read_kind(struct reader *r, struct ledger_entry *e)
{
	size_t i;

	expect(r, ",");
	i = str_index(read_str(r, "k"), kind_names, LEDGER__MAX);
	if (r->bad || i == LEDGER__MAX)
		r->bad = true;
	else
		e->kind = (enum ledger_kind)i;
}

static struct str
next_str(struct reader *r, const char *key)
{
	expect(r, ",");
	return read_str(r, key);
}

static void
read_vote(struct reader *r, struct ledger_entry *e)
{
	int64_t counted;

	e->question = next_str(r, "q");
	e->type = next_str(r, "type");
	e->va = next_str(r, "va");
	e->vb = next_str(r, "vb");
	expect(r, ",");
	e->sa = read_int(r, "sa");
	expect(r, ",");
	e->sb = read_int(r, "sb");
	e->setup = next_str(r, "setup");
	e->activity = next_str(r, "activity");
	if (vote_choice_parse(next_str(r, "w"), &e->choice) != ERR_OK)
		r->bad = true;
	expect(r, ",");
	counted = read_int(r, "c");
	if (counted != 0 && counted != 1)
		r->bad = true;
	e->counted = counted == 1;
	e->why = next_str(r, "why");
	e->voter = next_str(r, "u");
	if (r->end - r->p > 15 && memcmp(r->p, ",\"consent\":null", 15) == 0)
		r->p += 15;
	else
		e->consent = next_str(r, "consent");
}

/* The line is what we would write for e, and h is its digest. */
static enum err
prove(struct str line, const struct ledger_entry *e)
{
	char hex[CRYPT_HEX + 1];
	struct ledger_entry copy = *e;
	struct buf again;
	enum err err = ledger_seal(&copy, hex);

	if (err != ERR_OK)
		return err;
	buf_init(&again, LEDGER_LINE_MAX);
	ledger_format(&again, &copy);
	if (again.failed || again.n != line.n + 1 ||
	    memcmp(again.p, line.p, line.n) != 0)
		err = ERR_CORRUPT;
	buf_release(&again);
	return err;
}

/* With pool NULL the strings live until the statement's next step. */
static void
row_entry(struct db_stmt *st, struct pool *pool, struct ledger_entry *e)
{
	struct str k = db_str(st, 2, NULL);
	struct str w = db_str(st, 13, NULL);

	*e = (struct ledger_entry){ .n = db_int(st, 0), .t = db_int(st, 1) };
	for (size_t i = 0; i < LEDGER__MAX; i++) {
		if (str_is(k, kind_names[i]))
			e->kind = (enum ledger_kind)i;
	}
	if (w.p != NULL && vote_choice_parse(w, &e->choice) != ERR_OK)
		e->choice = VOTE_TIE; /* the seal will not fit: found there */
	e->match = db_str(st, 3, pool);
	e->of = db_int(st, 4);
	e->question = db_str(st, 5, pool);
	e->type = db_str(st, 6, pool);
	e->va = db_str(st, 7, pool);
	e->vb = db_str(st, 8, pool);
	e->sa = db_int(st, 9);
	e->sb = db_int(st, 10);
	e->setup = db_str(st, 11, pool);
	e->activity = db_str(st, 12, pool);
	e->counted = db_int(st, 14) != 0;
	e->why = db_str(st, 15, pool);
	e->voter = db_str(st, 16, pool);
	e->consent = db_str(st, 17, pool);
	e->prev = db_str(st, 18, pool);
	e->hash = db_str(st, 19, pool);
}
