/*
 * markdown_scan - formulas and pipe tables, taken out of Markdown before the
 * Markdown parser can spoil them.
 *
 * Layer    port: base.
 * Memory   pieces and their text live in the pool.
 * Threads  one call at a time per pool.
 *
 * Each piece is replaced by a token that clean text cannot contain: U+FDD0,
 * its number, U+FDD1.  Whoever meets a token puts the piece there, or, inside
 * code and addresses, the bytes it was made of: nothing is ever lost.
 */
#ifndef PA_MARKDOWN_SCAN_H
#define PA_MARKDOWN_SCAN_H

#include "base/buf.h"
#include "base/pool.h"
#include "base/str.h"

#define TABLE_COLUMNS_MAX 16
#define TABLE_ROWS_MAX 200

/* What a table's cell begins with, so that no block can begin there. */
#define CELL_MARK "\xef\xb7\x92 " /* U+FDD2, blank */
#define CELL_MARK_BYTES 3

enum piece_kind {
	PIECE_FORMULA, /* in a line */
	PIECE_DISPLAY, /* a formula of its own */
	PIECE_TABLE
};

struct piece {
	enum piece_kind kind;
	struct str raw;       /* may hold tokens of other pieces */
	bool used;            /* a token is good for one time */
	size_t columns, rows; /* of a table, without its delimiter row */
};

struct pieces {
	struct pool *pool;
	struct piece *all;
	size_t n, room;
};

/*
 * Copy in to out with formulas replaced: $...$, \(...\), $$...$$, \[...\].
 * Prices, code and escaped signs are left alone.
 */
void scan_formulas(struct pieces *ps, struct str in, struct buf *out);

/* Copy in to out with pipe tables replaced, each on lines of its own. */
void scan_tables(struct pieces *ps, struct str in, struct buf *out);

/*
 * Could the links of in, taken together, grow out of bounds?  cmark copies
 * what `[a]: address "title"` defines for every `[a]`: a definition of 5 KB
 * that is used 24 000 times took 120 MB.
 */
bool scan_references_grow(struct str in);

/* Does a token stand at s.p[i]?  Its length and piece, then. */
struct piece *piece_at(
    const struct pieces *ps, struct str s, size_t i, size_t *length);

/*
 * The cells of a table's line.  Returns their number, which may be greater
 * than max: the rest of the line is in the last one then.
 */
size_t table_cells(struct str line, struct str *cells, size_t max);

#endif /* PA_MARKDOWN_SCAN_H */
