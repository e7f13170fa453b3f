/* This file knows the ledger's lines, from a file that other tools made. */
#include "config.h"

#include "arena.h"
#include "../tap.h"

/* Made with Python's hashlib and json: nothing of ours had a hand in it. */
static char *
data(const char *name, size_t *n)
{
	const char *src = getenv("SRCDIR");
	char path[512];
	char *p;

	(void)snprintf(path, sizeof(path), "%s/tests/model/data/%s",
	    src == NULL ? "." : src, name);
	p = slurp(path, n);
	if (p == NULL) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	return p;
}

static void
golden(void)
{
	struct pool *pool = pool_open(1 << 20);
	struct ledger_entry e[5];
	struct ledger_link link;
	struct buf again, public;
	size_t n, m, i = 0;
	char *file = data("votes.log", &n), *want = data("public.jsonl", &m);
	struct str rest = { file, n };

	buf_init(&again, 1 << 16);
	buf_init(&public, 1 << 16);
	while (rest.n > 0 && i < 5) {
		struct str line = str_cut(&rest, '\n');

		is_int(ledger_parse(pool, line, &e[i]), ERR_OK,
		    "line %zu reads", i + 1);
		is_int(ledger_link_of(line, &link), ERR_OK, "its link too");
		ok(link.n == e[i].n && str_eq(link.prev, e[i].prev) &&
			str_eq(link.hash, e[i].hash),
		    "and they agree");
		ledger_format(&again, &e[i]);
		ledger_format_public(&public, &e[i]);
		i++;
	}
	is_int(i, 5, "five lines");
	is_str(buf_as_str(&again), ((struct str){ file, n }),
	    "written again, they are the same bytes");
	is_str(buf_as_str(&public), ((struct str){ want, m }),
	    "the public form leaves out what could name a person");
	is_int(e[0].kind, LEDGER_OPEN, "it opens");
	is_str(e[0].prev, LEDGER_NO_PREV, "from nothing");
	is_int(e[1].choice, VOTE_BOTH_POOR, "a verdict");
	ok(e[1].counted && e[1].sb == 2 && e[1].consent.p == NULL, "counted");
	is_str(e[2].question, "q\"\\\n\001é", "escapes");
	is_str(e[2].why, "too_fast", "a reason");
	is_str(e[2].consent, "2026-10", "a consent");
	ok(e[3].kind == LEDGER_EXCLUDE && e[3].of == 2, "an exclusion");
	buf_release(&again);
	buf_release(&public);
	free(file);
	free(want);
	pool_close(pool);
}

/* Change one byte at a time: none goes unnoticed. */
static void
damage(void)
{
	struct pool *pool = pool_open(1 << 20);
	struct ledger_entry e = { .n = -1 };
	struct ledger_link link;
	size_t n, accepted = 0, linked = 0, corrupt = 0;
	char *file = data("votes.log", &n);
	struct str rest = { file, n }, line;

	(void)str_cut(&rest, '\n');
	line = str_cut(&rest, '\n');
	for (size_t i = 0; i < line.n; i++) {
		char *at = file + (line.p - file) + i;
		char was = *at;
		enum err got;

		*at = was == '1' ? '2' : '1';
		got = ledger_parse(pool, line, &e);
		accepted += got == ERR_OK;
		corrupt += got == ERR_CORRUPT;
		linked += ledger_link_of(line, &link) == ERR_OK;
		*at = was;
		pool_clear(pool);
	}
	is_int(accepted, 0, "no changed byte is read");
	is_int(linked, 0, "nor linked");
	ok(corrupt > 300, "most are a wrong digest, not a wrong form");
	is_int(e.n, -1, "failures leave the result alone");
	for (size_t i = 0; i < line.n; i++)
		accepted +=
		    ledger_parse(pool, (struct str){ line.p, i }, &e) == ERR_OK;
	is_int(accepted, 0, "nor a shorter line");
	free(file);
	pool_close(pool);
}

static void
torn(void)
{
	static const char nul[] = "\0\0\0";

	ok(ledger_is_torn(STR("{\"n\":7,\"t\":17"), 7), "a piece of line 7");
	ok(ledger_is_torn(STR("{\"n"), 7), "a little piece");
	ok(ledger_is_torn((struct str){ nul, 3 }, 7), "a hole");
	ok(!ledger_is_torn(STR("{\"n\":8,\"t\":17"), 7), "not of line 8");
	ok(!ledger_is_torn(STR("# Notes"), 7), "not some other text");
}

static void
scanning(const struct scratch *s)
{
	struct ledger_scan scan;
	struct str line;
	int64_t at;
	char *long_line = malloc(3 * LEDGER_LINE_MAX);

	is_int(ledger_scan_open(&scan, s->ledger, 0), ERR_NOTFOUND, "no file");
	spill(s->ledger, "one\ntwo\nthr", 11);
	is_int(ledger_scan_open(&scan, s->ledger, 0), ERR_OK, "a file");
	is_int(ledger_scan_next(&scan, &line, &at), ERR_OK, "a line");
	is_str(line, "one", "the first");
	is_int(ledger_scan_next(&scan, &line, &at), ERR_OK, "another");
	is_int(at, 4, "at byte 4");
	is_int(ledger_scan_next(&scan, &line, &at), ERR_CLOSED, "a piece");
	is_str(line, "thr", "of the third");
	ledger_scan_close(&scan);
	is_int(ledger_scan_open(&scan, s->ledger, 4), ERR_OK, "from byte 4");
	is_int(ledger_scan_next(&scan, &line, &at), ERR_OK, "a line");
	is_str(line, "two", "that begins there");
	ledger_scan_close(&scan);
	is_int(ledger_scan_open(&scan, s->ledger, 2), ERR_OK, "from byte 2");
	is_int(ledger_scan_next(&scan, &line, &at), ERR_OK, "a line");
	is_str(line, "two", "that begins after it");
	ledger_scan_close(&scan);

	memset(long_line, 'x', 3 * LEDGER_LINE_MAX);
	spill(s->ledger, long_line, 3 * LEDGER_LINE_MAX);
	is_int(ledger_scan_open(&scan, s->ledger, 0), ERR_OK, "a long one");
	is_int(ledger_scan_next(&scan, &line, &at), ERR_TOOBIG, "is too long");
	ledger_scan_close(&scan);
	free(long_line);
	(void)unlink(s->ledger);
}

struct exclusion {
	const char *token;
	enum ledger_kind kind;
	struct ledger_entry e; /* out */
};

static enum err
exclude_fn(struct store_tx *tx, void *arg)
{
	struct exclusion *x = arg;
	enum err e;

	x->e = (struct ledger_entry){ .t = tx->now,
		.kind = x->kind,
		.match = str_of(x->token),
		.why = STR("test") };
	e = ledger_stage(tx, &x->e);
	return e == ERR_OK ? recount_apply(tx, &x->e, &arena_rule, NULL) : e;
}

/* The public ledger in pages, and exclusions in it. */
static void
pages(const struct scratch *s)
{
	struct arena_vote v = arena_vote_make(0);
	struct exclusion x = { "nobody", LEDGER_EXCLUDE, { .n = 0 } };
	struct store *store = NULL;
	struct db *db = NULL;
	struct buf all, part, joined;
	int64_t next = 1, pages = 0;

	if (arena_open(s, &store) != ERR_OK ||
	    store_write(store, arena_fill_fn, NULL) != ERR_OK ||
	    arena_votes(store, 0, 20) != ERR_OK ||
	    store_write(store, arena_vote_fn, &v) != ERR_OK)
		abort();
	is_int(store_write(store, exclude_fn, &x), ERR_NOTFOUND,
	    "what was never voted on cannot be excluded");
	x.token = v.token;
	is_int(store_write(store, exclude_fn, &x), ERR_OK, "what was can");
	is_int(x.e.of, v.n, "and is named by its number too");
	ok(arena_ratings_hold(s), "the ratings are those without it");

	if (store_read_open(store, &db) != ERR_OK)
		abort();
	buf_init(&all, 1 << 20);
	buf_init(&part, 1 << 20);
	buf_init(&joined, 1 << 20);
	is_int(ledger_public_page(
		   db, 1, store_durable_seq(store), 1 << 19, &all, &next),
	    ERR_OK, "the whole ledger");
	is_int(next, 0, "in one page");
	for (next = 1; next != 0 && pages < 100; pages++) {
		if (ledger_public_page(db, next, store_durable_seq(store), 999,
			&part, &next) != ERR_OK)
			break;
		buf_str(&joined, buf_as_str(&part));
		buf_clear(&part);
	}
	ok(pages > 3 && next == 0, "in %d small pages too", (int)pages);
	is_str(buf_as_str(&joined), buf_as_str(&all), "with the same bytes");
	buf_release(&joined);
	buf_clear(&part);
	is_int(ledger_public_page(db, 5, 7, 1 << 19, &part, &next), ERR_OK,
	    "lines 5 to 7");
	ok(part.n > 6 && memcmp(part.p, "{\"n\":5,", 7) == 0 && next == 0,
	    "begin with 5");
	ok(strstr(all.p, "\"u\"") == NULL && strstr(all.p, "q1") == NULL &&
		strstr(all.p, v.token) == NULL,
	    "no voter, no question, no token");
	buf_release(&all);
	buf_release(&part);
	db_close(db);
	store_close(store);
}

int
main(void)
{
	struct scratch s;

	golden();
	damage();
	torn();
	scratch_make(&s);
	scanning(&s);
	pages(&s);
	scratch_remove(&s);
	return done_testing();
}
