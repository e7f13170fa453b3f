/* This file knows how to find posts by their words. */
#include "config.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "model/forum_parts.h"
#include "model/rows.h"
#include "model/store.h"
#include "port/db.h"

#define WORDS_BYTES ((size_t)256 * 1024)
#define PIECES_MAX 8
#define PIECE_CHARS 64
#define SEARCH_MS 200
#define LOOKED_MAX 2000 /* hits looked at that this viewer may not see */
#define EXCERPT_CHARS 200
#define JOINER 0x200c /* what words are typed with, or without */

static bool is_cjk(uint32_t c);
static uint32_t same_letter(uint32_t c);
static void put_utf8(struct buf *b, uint32_t c);
static bool next_word(struct str s, size_t *i, struct str *word);
static bool has_joiner(struct str word);
static void put_words(struct buf *b, struct str s, bool joined);
static enum err make_query(
    struct pool *pool, struct text words, struct text *out);
static enum err run(struct db *db, struct pool *pool,
    const struct forum_viewer *v, struct text query, int64_t before,
    int64_t limit, struct rows *rows);

enum err
forum_search(struct db *db, struct pool *pool, const struct forum_viewer *v,
    struct text words, int64_t before, int64_t limit,
    const struct forum_hit **out, size_t *n)
{
	struct text query;
	struct rows rows;
	enum err e = make_query(pool, words, &query);

	if (e != ERR_OK)
		return e;
	db_deadline(db, clock_mono_ms() + SEARCH_MS);
	e = run(db, pool, v, query, before, limit, &rows);
	db_deadline(db, 0);
	if (e != ERR_OK)
		return e;
	*out = rows.p;
	*n = rows.n;
	return pool_failed(pool) ? ERR_NOMEM : ERR_OK;
}

/* Words that a joiner parts are known in their parts, and as one. */
struct text
forum_search_words(struct pool *pool, struct text source)
{
	struct str s = { source.p, source.n }, word;
	struct text made;
	struct buf b;

	buf_init(&b, WORDS_BYTES);
	put_words(&b, s, false);
	for (size_t i = 0; next_word(s, &i, &word);) {
		if (has_joiner(word)) {
			buf_c(&b, ' ');
			put_words(&b, word, true);
		}
	}
	if (b.failed)
		buf_clear(&b); /* longer than any post: not findable */
	made = pool_text(pool, (struct text){ b.n > 0 ? b.p : "", b.n });
	buf_release(&b);
	return made;
}

enum err
forum_index(struct store_tx *tx, int64_t post, struct text words)
{
	struct db_stmt *st =
	    db_stmt(tx->db, "DELETE FROM post_search WHERE rowid = ?1");
	struct pool *pool;
	enum err e;

	db_bind_int(st, 1, post);
	if ((e = db_run(st)) != ERR_OK || words.p == NULL)
		return e;
	if ((pool = pool_open(2 * WORDS_BYTES)) == NULL)
		return ERR_NOMEM;
	st = db_stmt(
	    tx->db, "INSERT INTO post_search(rowid, words) VALUES(?1, ?2)");
	db_bind_int(st, 1, post);
	db_bind_text(st, 2, forum_search_words(pool, words));
	e = db_run(st);
	pool_close(pool);
	return e;
}

static bool
is_cjk(uint32_t c)
{
	return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) ||
	       (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
	       (c >= 0x20000 && c <= 0x3ffff);
}

/* Letters that keyboards tell apart and readers do not. */
static uint32_t
same_letter(uint32_t c)
{
	switch (c) {
	case 0x064a: /* Arabic yeh, as Persian writes it */
	case 0x0649:
		return 0x06cc;
	case 0x0643: /* Arabic kaf */
		return 0x06a9;
	default:
		break;
	}
	if (c >= 0x0660 && c <= 0x0669) /* Arabic digits */
		return c - 0x0660 + '0';
	if (c >= 0x06f0 && c <= 0x06f9) /* Persian ones */
		return c - 0x06f0 + '0';
	if (c >= 0xff01 && c <= 0xff5e) /* of full width */
		return c - 0xff01 + '!';
	return c;
}

/* The blanks that keyboards make. */
static bool
is_space(uint32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 ||
	       (c >= 0x2000 && c <= 0x200b) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202f || c == 0x205f || c == 0x3000;
}

/* The next piece between blanks, from *i on. */
static bool
next_word(struct str s, size_t *i, struct str *word)
{
	size_t from = *i, at = *i;

	while (at < s.n) {
		size_t next = at;

		if (is_space(text_next(s, &next))) {
			if (at > from)
				break;
			from = next;
		}
		at = next;
	}
	*word = (struct str){ s.p + from, at - from };
	*i = at;
	return at > from;
}

static bool
has_joiner(struct str word)
{
	for (size_t i = 0; i < word.n;) {
		if (text_next(word, &i) == JOINER)
			return true;
	}
	return false;
}

/*
 * Chinese and Japanese have no blanks between words: each character is one.
 * A joiner parts what it stands between, unless it is left out.
 */
static void
put_words(struct buf *b, struct str s, bool joined)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t c = same_letter(text_next(s, &i));

		if (c == JOINER) {
			if (!joined)
				buf_c(b, ' ');
		} else if (is_cjk(c)) {
			buf_c(b, ' ');
			put_utf8(b, c);
			buf_c(b, ' ');
		} else if (c != '"' && c != '\0') {
			put_utf8(b, c);
		}
	}
}

static void
put_utf8(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_c(b, (char)c);
	} else if (c < 0x800) {
		buf_c(b, (char)(0xc0 | c >> 6));
		buf_c(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_c(b, (char)(0xe0 | c >> 12));
		buf_c(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_c(b, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_c(b, (char)(0xf0 | c >> 18));
		buf_c(b, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_c(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_c(b, (char)(0x80 | (c & 0x3f)));
	}
}

/* Something that the index could know: a letter, a digit, any script. */
static bool
is_word(struct str piece)
{
	for (size_t i = 0; i < piece.n;) {
		uint32_t c = same_letter(text_next(piece, &i));

		if ((c >= '0' && c <= '9') ||
		    ((c | 32) >= 'a' && (c | 32) <= 'z'))
			return true;
		if (c >= 0xc0 && !(c >= 0x2000 && c <= 0x206f) &&
		    !(c >= 0x3000 && c <= 0x303f) && c < 0x1f000)
			return true;
		if (c >= 0x20000)
			return true;
	}
	return false;
}

static void
put_phrase(struct buf *b, struct str piece, bool joined)
{
	buf_c(b, '"');
	put_words(b, piece, joined);
	buf_z(b, "\" ");
}

/*
 * Each piece becomes a quoted phrase, and nothing that people type is ever
 * read as an operator.  A piece with a joiner is looked for in its parts and
 * as one word; these come last, for FTS5 wants AND before a bracket.
 */
static enum err
make_query(struct pool *pool, struct text words, struct text *out)
{
	struct str s = { words.p, words.n }, word;
	struct buf plain, joined;
	size_t pieces = 0;

	buf_init(&plain, WORDS_BYTES);
	buf_init(&joined, WORDS_BYTES);
	for (size_t i = 0; pieces < PIECES_MAX && next_word(s, &i, &word);) {
		struct text cut =
		    text_cut((struct text){ word.p, word.n }, PIECE_CHARS);

		word = (struct str){ cut.p, cut.n };
		if (!is_word(word))
			continue;
		pieces++;
		if (!has_joiner(word)) {
			put_phrase(&plain, word, false);
			continue;
		}
		buf_z(&joined, joined.n > 0 ? "AND (" : "(");
		put_phrase(&joined, word, false);
		buf_z(&joined, "OR ");
		put_phrase(&joined, word, true);
		buf_z(&joined, ") ");
	}
	if (plain.n > 0 && joined.n > 0)
		buf_z(&plain, "AND ");
	buf_str(&plain, (struct str){ joined.p, joined.n });
	if (pieces > 0)
		*out = pool_text(pool, (struct text){ plain.p, plain.n });
	buf_release(&joined);
	buf_release(&plain);
	return pieces > 0 ? ERR_OK : ERR_INVALID;
}

static enum err
run(struct db *db, struct pool *pool, const struct forum_viewer *v,
    struct text query, int64_t before, int64_t limit, struct rows *rows)
{
	struct db_stmt *q = db_stmt(db,
	    "SELECT p.id, p.number, p.made_at, t.token, t.title, " FORUM_NAME(
		"a") ", CASE WHEN t.match IS NULL THEN p.html END,"
		     " r.grp FROM post_search s JOIN post p ON p.id = s.rowid"
		     " JOIN topic t ON t.id = p.topic JOIN account a ON a.id = "
		     "p.author"
		     " JOIN activity r ON r.id = t.activity"
		     " WHERE post_search MATCH ?1 AND s.rowid < ?2 AND "
		     "t.hidden = 0"
		     " AND p.state = 'shown' ORDER BY s.rowid DESC LIMIT ?3");
	enum err e;

	rows_init(rows, pool, sizeof(struct forum_hit));
	db_bind_text(q, 1, query);
	db_bind_int(q, 2, before > 0 ? before : INT64_MAX);
	db_bind_int(q, 3, LOOKED_MAX);
	while ((e = db_row(q)) == ERR_OK) {
		struct activity room = { .group = db_text(q, 7, pool) };
		struct forum_hit *h;

		if (!forum_may_enter(&room, v))
			continue;
		if ((int64_t)rows->n == limit) {
			db_done(q);
			return ERR_OK;
		}
		if ((h = rows_add(rows)) == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		h->post = db_int(q, 0);
		h->number = db_int(q, 1);
		h->made_at = db_int(q, 2);
		h->topic = db_text(q, 3, pool);
		h->title = db_text(q, 4, pool);
		if (h->title.n == 0)
			h->title = (struct text){ NULL, 0 };
		h->author = db_text(q, 5, pool);
		if (!db_is_null(q, 6))
			h->excerpt = markdown_lead(pool,
			    markup_stored(db_text(q, 6, NULL)), EXCERPT_CHARS,
			    false);
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}
