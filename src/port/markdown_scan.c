/*
 * This file knows how to tell formulas from prices and tables from text, in
 * one pass each over the lines of a Markdown source.
 */
#include "config.h"

#include "port/markdown_scan.h"

#include <string.h>

#define PIECES_MAX 20000
#define FORMULA_MAX 500                  /* bytes of a formula in a line */
#define DISPLAY_MAX 2000                 /* bytes of a formula of its own */
#define REFERENCES_MAX ((size_t)2 << 20) /* what all links may grow to */
#define TICKS_MAX 32                     /* longest run of ` that opens code */

/* Is a line inside a fenced code block?  Fed with line after line. */
struct fence {
	char mark; /* '`' or '~'; 0 outside */
	size_t length;
};

static bool fence_step(struct fence *f, struct str line);
static struct str next_line(struct str in, size_t *at);

/* --- pieces ------------------------------------------------------------- */

static bool
piece_put(struct pieces *ps, struct buf *out, const struct piece *piece)
{
	struct piece *more;
	size_t room;

	if (ps->n == PIECES_MAX)
		return false;
	if (ps->n == ps->room) {
		room = ps->room == 0 ? 16 : ps->room * 2;
		more = pool_array(ps->pool, room, sizeof(*more));
		if (more == NULL)
			return false;
		if (ps->n > 0)
			memcpy(more, ps->all, ps->n * sizeof(*more));
		ps->all = more;
		ps->room = room;
	}
	buf_z(out, "\xef\xb7\x90");
	buf_int(out, (int64_t)ps->n);
	buf_z(out, "\xef\xb7\x91");
	ps->all[ps->n++] = *piece;
	return true;
}

struct piece *
piece_at(const struct pieces *ps, struct str s, size_t i, size_t *length)
{
	size_t from = i, number = 0;

	if (s.n - i < 7 || memcmp(s.p + i, "\xef\xb7\x90", 3) != 0)
		return NULL;
	for (i += 3;
	     i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && number < PIECES_MAX;
	     i++)
		number = number * 10 + (size_t)(s.p[i] - '0');
	if (s.n - i < 3 || memcmp(s.p + i, "\xef\xb7\x91", 3) != 0 ||
	    number >= ps->n)
		return NULL;
	*length = i + 3 - from;
	return &ps->all[number];
}

/* --- lines -------------------------------------------------------------- */

/* The line at *at without its end; moves *at behind it. */
static struct str
next_line(struct str in, size_t *at)
{
	const char *from = in.p + *at;
	const char *end = memchr(from, '\n', in.n - *at);
	size_t n = end == NULL ? in.n - *at : (size_t)(end - from);

	*at += n + (end != NULL);
	return (struct str){ from, n };
}

/* How many bytes of blanks and quotation marks a line begins with. */
static size_t
prefix_of(struct str line)
{
	size_t i = 0;

	while (i < line.n &&
	       (line.p[i] == ' ' || line.p[i] == '\t' || line.p[i] == '>'))
		i++;
	return i;
}

static size_t
quotes_of(struct str line, size_t prefix)
{
	size_t n = 0;

	for (size_t i = 0; i < prefix; i++)
		n += line.p[i] == '>';
	return n;
}

static struct str
from_byte(struct str s, size_t i)
{
	return (struct str){ s.p + i, s.n - i };
}

/* Length of a list marker at the beginning of s with its blank, or 0. */
static size_t
list_marker(struct str s)
{
	size_t i = 0;

	while (i < s.n && i < 9 && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i == 0 ? s.n > 1 && strchr("-*+", s.p[0]) != NULL
		   : s.n > i + 1 && (s.p[i] == '.' || s.p[i] == ')'))
		return s.p[i + 1] == ' ' || s.p[i + 1] == '\t' ? i + 2 : 0;
	return 0;
}

/* True for lines of code, the fences included. */
static bool
fence_step(struct fence *f, struct str line)
{
	struct str s = from_byte(line, prefix_of(line));
	size_t n = 0, marker = f->mark == 0 ? list_marker(s) : 0;
	char mark;

	s = from_byte(s, marker);
	s = from_byte(s, prefix_of(s));
	mark = s.n > 0 && (s.p[0] == '`' || s.p[0] == '~') ? s.p[0] : '\0';
	while (mark != '\0' && n < s.n && s.p[n] == mark)
		n++;
	if (f->mark != '\0') {
		if (mark == f->mark && n >= f->length &&
		    str_trim(from_byte(s, n)).n == 0)
			f->mark = '\0';
		return true;
	}
	if (n < 3 || (mark == '`' && memchr(s.p + n, '`', s.n - n) != NULL))
		return false;
	f->mark = mark;
	f->length = n;
	return true;
}

/* --- formulas ----------------------------------------------------------- */

/* The source around the place that is looked at. */
struct formula_scan {
	struct pieces *ps;
	struct str in;
	struct buf *out;
	size_t end; /* of the run of lines outside fences */
	size_t code_fails[TICKS_MAX + 1]; /* no closing run before this */
	size_t closer[3]; /* where $$, \] and \) are next, at the earliest */
};

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Does the text look like mathematics rather than prose? */
static bool
is_mathematical(struct str s, const char *signs)
{
	bool blank = false;

	for (size_t i = 0; i < s.n; i++) {
		if (strchr(signs, s.p[i]) != NULL)
			return true;
		blank = blank || is_blank(s.p[i]);
	}
	return !blank;
}

/*
 * End of $...$ that begins at i, or 0.  The rules that keep prices out are
 * Pandoc's and two more: no letter or digit touches the outer sides, and what
 * begins with a digit and has blanks needs a sign of mathematics.
 */
static size_t
dollar_end(struct str in, size_t i, size_t end)
{
	size_t from = i + 1, k;
	struct str body;

	if (from >= end || is_blank(in.p[from]) || in.p[from] == '$' ||
	    (i > 0 && is_alnum(in.p[i - 1])))
		return 0;
	for (k = from; k < end && k - from < FORMULA_MAX; k++) {
		if (in.p[k] == '\n' || in.p[k] == '`')
			return 0;
		if (in.p[k] == '\\' && k + 1 < end) {
			k++;
			continue;
		}
		if (in.p[k] != '$' || is_blank(in.p[k - 1]))
			continue;
		if (k + 1 < end &&
		    (is_alnum(in.p[k + 1]) || in.p[k + 1] == '$'))
			return 0;
		body = (struct str){ in.p + from, k - from };
		if (in.p[from] >= '0' && in.p[from] <= '9' &&
		    !is_mathematical(body, "\\^_={}<>+"))
			return 0;
		return k + 1;
	}
	return 0;
}

/* Where the two bytes of close stand next, or end. */
static size_t
pair_find(struct str in, size_t i, size_t end, const char *close)
{
	const char *at;

	while (i + 1 < end) {
		at = memchr(in.p + i, close[0], end - i - 1);
		if (at == NULL)
			break;
		if (at[1] == close[1])
			return (size_t)(at - in.p);
		i = (size_t)(at - in.p) + 1;
	}
	return end;
}

/*
 * End of what begins at i and is closed by the two bytes of close, or 0.
 * Where the next closing sign is at the earliest is kept in *closer, so that
 * many openers without one cost one search.
 */
static size_t
pair_end(struct str in, size_t i, size_t end, const char *close, size_t max,
    size_t *closer)
{
	if (*closer < i + 2)
		*closer = pair_find(in, i + 2, end, close);
	if (*closer + 1 >= end || *closer - i >= max)
		return 0;
	for (size_t k = i + 2; k + 1 < end && k - i < max; k++) {
		if (in.p[k] == '`' || (in.p[k] == '\n' && in.p[k + 1] == '\n'))
			return 0;
		if (in.p[k] == close[0] && in.p[k + 1] == close[1])
			return k == i + 2 ? 0 : k + 2;
		if (in.p[k] == '\\')
			k++;
	}
	return 0;
}

/* What stands between two signs of two bytes each. */
static struct str
body_of(struct str in, size_t i, size_t to)
{
	return to < i + 4 ? STR("") : (struct str){ in.p + i + 2, to - i - 4 };
}

/*
 * End of $$...$$ that begins at i, or 0.  "From $$ to $$$" and "$$5 or $$6"
 * speak of prices.
 */
static size_t
dollars_end(struct formula_scan *fs, size_t i)
{
	struct str in = fs->in;
	size_t to;

	if ((i > 0 && in.p[i - 1] == '$') ||
	    (i + 2 < fs->end && in.p[i + 2] == '$'))
		return 0;
	to = pair_end(in, i, fs->end, "$$", DISPLAY_MAX, &fs->closer[0]);
	if (to < fs->end && (is_alnum(in.p[to]) || in.p[to] == '$'))
		return 0;
	return is_mathematical(
		   str_trim(body_of(in, i, to)), "\n\\^_={}<>+-*/|()")
		   ? to
		   : 0;
}

/* End of the formula that begins at i, or 0. */
static size_t
formula_end(struct formula_scan *fs, size_t i, enum piece_kind *kind)
{
	struct str in = fs->in;
	size_t end = fs->end, to;
	char c = in.p[i], d = i + 1 < end ? in.p[i + 1] : '\0';

	*kind = PIECE_DISPLAY;
	if (c == '$' && d == '$')
		return dollars_end(fs, i);
	if (c == '\\' && d == '[') {
		to = pair_end(in, i, end, "\\]", DISPLAY_MAX, &fs->closer[1]);
		return is_mathematical(body_of(in, i, to), "\n\\^_={}<>+-*/|")
			   ? to
			   : 0;
	}
	*kind = PIECE_FORMULA;
	if (c == '$')
		return dollar_end(in, i, end);
	to = pair_end(in, i, end, "\\)", FORMULA_MAX, &fs->closer[2]);
	return is_mathematical(body_of(in, i, to), "\\^_={}<>+-*/|") ? to : 0;
}

/* The raw text of a formula, without the marks of a quotation around it. */
static struct str
formula_raw(struct formula_scan *fs, size_t from, size_t to)
{
	struct str raw = { fs->in.p + from, to - from };
	size_t n = 0, start = from;
	char *p;

	if (memchr(raw.p, '\n', raw.n) == NULL)
		return raw; /* the source lives as long as the pieces */
	p = pool_alloc(fs->ps->pool, raw.n + 1);
	if (p == NULL)
		return STR("");
	while (start > 0 && fs->in.p[start - 1] != '\n')
		start--;
	for (size_t i = 0; i < raw.n; i++) {
		p[n++] = raw.p[i];
		if (raw.p[i] == '\n' && fs->in.p[start] == '>')
			i += prefix_of(from_byte(raw, i + 1));
	}
	return (struct str){ p, n };
}

/* Behind the code that a run of ` at i opens; behind the run if none. */
static size_t
code_end(struct formula_scan *fs, size_t i)
{
	const char *p = fs->in.p;
	size_t n = 0, k, m;

	while (i + n < fs->end && p[i + n] == '`')
		n++;
	if (n > TICKS_MAX || fs->code_fails[n] > i)
		return i + n;
	for (k = i + n; k < fs->end; k += m) {
		if (k + 1 < fs->end && p[k] == '\n' && p[k + 1] == '\n')
			break;
		for (m = 0; k + m < fs->end && p[k + m] == '`'; m++)
			;
		if (m == n)
			return k + m;
		m += m == 0;
	}
	fs->code_fails[n] = k;
	return i + n;
}

/* Copy in.p[from..fs->end) with formulas replaced. */
static void
scan_run(struct formula_scan *fs, size_t from)
{
	struct piece piece = { .kind = PIECE_FORMULA };
	struct str in = fs->in;
	size_t i = from, to;

	while (i < fs->end) {
		if (in.p[i] == '`') {
			i = code_end(fs, i);
			continue;
		}
		to = 0;
		if (in.p[i] == '$' ||
		    (in.p[i] == '\\' && i + 1 < fs->end &&
			(in.p[i + 1] == '(' || in.p[i + 1] == '[')))
			to = formula_end(fs, i, &piece.kind);
		if (to == 0) {
			/* What a backslash escapes opens nothing. */
			i += in.p[i] == '\\' && i + 1 < fs->end &&
				     in.p[i + 1] != '\n'
				 ? 2
				 : 1;
			continue;
		}
		buf_add(fs->out, in.p + from, i - from);
		piece.raw = formula_raw(fs, i, to);
		if (!piece_put(fs->ps, fs->out, &piece))
			buf_add(fs->out, in.p + i, to - i);
		from = i = to;
	}
	if (fs->end > from)
		buf_add(fs->out, in.p + from, fs->end - from);
}

void
scan_formulas(struct pieces *ps, struct str in, struct buf *out)
{
	struct formula_scan fs = { .ps = ps, .in = in, .out = out };
	struct fence fence = { '\0', 0 };
	size_t at = 0, from = 0, begin;
	struct str line;

	while (at < in.n) {
		begin = at;
		line = next_line(in, &at);
		if (!fence_step(&fence, line))
			continue;
		fs.end = begin;
		memset(fs.closer, 0, sizeof(fs.closer));
		scan_run(&fs, from);
		buf_add(out, in.p + begin, at - begin);
		from = at;
	}
	fs.end = in.n;
	memset(fs.closer, 0, sizeof(fs.closer));
	scan_run(&fs, from);
}

/* --- tables ------------------------------------------------------------- */

size_t
table_cells(struct str line, struct str *cells, size_t max)
{
	struct str s = str_trim(line);
	size_t n = 0, from = 0;

	if (s.n > 0 && s.p[0] == '|')
		from = 1;
	for (size_t i = from; i <= s.n; i++) {
		if (i < s.n && s.p[i] == '\\' && i + 1 < s.n) {
			i++;
			continue;
		}
		if (i < s.n && s.p[i] != '|')
			continue;
		/* The bar that ends a line opens no cell. */
		if (i == s.n && i == from && n > 0)
			break;
		if (n < max)
			cells[n] =
			    str_trim((struct str){ s.p + from, i - from });
		else
			cells[max - 1].n = (size_t)(s.p + i - cells[max - 1].p);
		n++;
		from = i + 1;
	}
	return n;
}

static bool
has_bar(struct str s)
{
	return s.n > 0 && memchr(s.p, '|', s.n) != NULL;
}

/* Number of columns of a row such as "|:--|---|", or 0. */
static size_t
delimiter_columns(struct str s)
{
	struct str cells[1];
	size_t dashes = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (strchr("|:- \t", s.p[i]) == NULL)
			return 0;
		dashes += s.p[i] == '-';
	}
	if (dashes == 0 || !has_bar(s))
		return 0;
	/* Every cell: colon, dashes, colon. */
	for (struct str rest = str_trim(s), cell; rest.p != NULL;) {
		cell = str_trim(str_cut(&rest, '|'));
		if (cell.n == 0)
			continue;
		if (cell.p[0] == ':')
			cell = from_byte(cell, 1);
		while (cell.n > 0 && cell.p[0] == '-')
			cell = from_byte(cell, 1);
		if (cell.n > 1 || (cell.n == 1 && cell.p[0] != ':'))
			return 0;
	}
	return table_cells(s, cells, 1);
}

/* Where a table's next row could stand: within the same quotation. */
static bool
row_of(struct str line, size_t quotes, struct str *row)
{
	size_t prefix = prefix_of(line);

	*row = str_trim(from_byte(line, prefix));
	return quotes_of(line, prefix) == quotes && row->n > 0;
}

/*
 * If a table begins with line, read on to its end: its rows, joined, are the
 * piece; *at moves behind it.
 */
static bool
table_read(struct pieces *ps, struct str in, struct str line, size_t *at,
    struct piece *piece)
{
	size_t prefix = prefix_of(line), quotes = quotes_of(line, prefix);
	struct str head, row, cells[1];
	size_t next = *at, after = *at, n;
	struct buf raw;

	head = str_trim(from_byte(line, prefix));
	if (!has_bar(head) || list_marker(head) > 0 || next >= in.n)
		return false;
	if (!row_of(next_line(in, &next), quotes, &row))
		return false;
	n = delimiter_columns(row);
	if (n == 0 || table_cells(head, cells, 1) != n)
		return false;
	buf_init(&raw, in.n + 1);
	buf_str(&raw, head);
	buf_c(&raw, '\n');
	buf_str(&raw, row);
	piece->kind = PIECE_TABLE;
	piece->columns = n;
	piece->rows = 1;
	for (after = next; next < in.n; after = next) {
		if (!row_of(next_line(in, &next), quotes, &row) ||
		    !has_bar(row))
			break;
		buf_c(&raw, '\n');
		buf_str(&raw, row);
		piece->rows++;
	}
	*at = after;
	piece->raw = pool_str(ps->pool, buf_as_str(&raw));
	buf_release(&raw);
	return piece->raw.n > 0;
}

/* A table is a paragraph of its own within the quotation it stands in. */
static void
put_table(struct pieces *ps, struct buf *out, struct str line,
    const struct piece *piece)
{
	size_t prefix = prefix_of(line), marks = prefix;

	while (marks > 0 && line.p[marks - 1] != '>')
		marks--;
	buf_add(out, line.p, marks);
	buf_c(out, '\n');
	buf_add(out, line.p, prefix);
	if (!piece_put(ps, out, piece))
		buf_str(out, piece->raw);
	buf_c(out, '\n');
	buf_add(out, line.p, marks);
	buf_c(out, '\n');
}

void
scan_tables(struct pieces *ps, struct str in, struct buf *out)
{
	struct fence fence = { '\0', 0 };
	struct piece piece;
	size_t at = 0, begin;
	struct str line;

	while (at < in.n) {
		begin = at;
		line = next_line(in, &at);
		memset(&piece, 0, sizeof(piece));
		if (!fence_step(&fence, line) && has_bar(line) &&
		    table_read(ps, in, line, &at, &piece))
			put_table(ps, out, line, &piece);
		else
			buf_add(out, in.p + begin, at - begin);
	}
}

/* --- references --------------------------------------------------------- */

/* Bytes from i on up to one of these, or to an empty line; at most max. */
static size_t
reach(struct str s, size_t i, const char *ends, size_t max)
{
	size_t n = 0;

	while (i + n < s.n && n < max) {
		char c = s.p[i + n];

		if (strchr(ends, c) != NULL && c != '\0')
			break;
		if (c == '\n' && i + n + 1 < s.n && s.p[i + n + 1] == '\n')
			break;
		n++;
	}
	return n;
}

/* How long address and title behind "]:" at i could be; at most max. */
static size_t
definition_bytes(struct str s, size_t i, size_t max)
{
	static const char blanks[] = " \t\n";
	size_t from = i + 2, n, title;

	while (from < s.n && is_blank(s.p[from]))
		from++;
	if (from < s.n && s.p[from] == '<')
		n = reach(s, from, ">\n", max);
	else
		n = reach(s, from, blanks, max);
	title = from + n;
	while (title < s.n && (is_blank(s.p[title]) || s.p[title] == '>'))
		title++;
	if (title >= s.n)
		return n;
	if (s.p[title] == '"')
		n += reach(s, title + 1, "\"", max);
	else if (s.p[title] == '\'')
		n += reach(s, title + 1, "'", max);
	else if (s.p[title] == '(')
		n += reach(s, title + 1, ")", max);
	return n;
}

bool
scan_references_grow(struct str in)
{
	size_t uses = 0, most;

	for (size_t i = 0; i < in.n; i++)
		uses += in.p[i] == ']';
	if (uses == 0)
		return false;
	/* No look goes further than this: all of them are linear together. */
	most = REFERENCES_MAX / uses;
	for (size_t i = 0; i + 1 < in.n; i++) {
		if (in.p[i] == ']' && in.p[i + 1] == ':' &&
		    definition_bytes(in, i, most + 1) > most)
			return true;
	}
	return false;
}
