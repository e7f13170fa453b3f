/*
 * A 100-row table page: by the template engine, and written by hand in C with
 * the same escaping and fixed-point numbers.  Prints median microseconds of
 * each and their ratio, of pairs taken in turn; both write the same bytes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/pool.h"
#include "view/view.h"

#define ROWS 100
#define PAIRS 41
#define RENDERS 100 /* a sample is the mean of so many */

struct board_row {
	struct text title, url, tag;
	double elo, lower, upper, share;
	int64_t rank, matches;
	bool official;
};

struct board {
	struct text heading;
	struct view_list rows;
};

static const struct view_field row_fields[] = {
	VIEW_FIELD(struct board_row, title, VIEW_TEXT),
	VIEW_FIELD(struct board_row, url, VIEW_URL),
	VIEW_FIELD(struct board_row, tag, VIEW_TEXT),
	VIEW_FIELD_REAL(struct board_row, elo, 1),
	VIEW_FIELD_REAL(struct board_row, lower, 1),
	VIEW_FIELD_REAL(struct board_row, upper, 1),
	VIEW_FIELD_REAL(struct board_row, share, 1),
	VIEW_FIELD(struct board_row, rank, VIEW_INT),
	VIEW_FIELD(struct board_row, matches, VIEW_INT),
	VIEW_FIELD(struct board_row, official, VIEW_FLAG),
	VIEW_END,
};
static const struct view_shape row_shape = { "row", sizeof(struct board_row),
	row_fields };

static const struct view_field board_fields[] = {
	VIEW_FIELD(struct board, heading, VIEW_TEXT),
	VIEW_FIELD_OF(struct board, rows, VIEW_LIST, &row_shape),
	VIEW_END,
};
static const struct view_shape board_shape = { "board", sizeof(struct board),
	board_fields };

static const struct view_page pages[] = {
	{ "board.xhtml", &board_shape },
	{ NULL, NULL },
};

static const char template[] =
    "<!DOCTYPE html>\n"
    "<html xmlns=\"http://www.w3.org/1999/xhtml\" "
    "xmlns:t=\"urn:prompt-arena:template\">\n"
    "<head><title t:text=\"heading\">B</title></head>\n"
    "<body><h1 t:text=\"heading\">B</h1>\n<table>\n"
    "<tr t:each=\"rows\"><td t:text=\"rank\">1</td><th scope=\"row\"><a "
    "t:href=\"url\" t:text=\"title\">x</a> <span class=\"tag\" "
    "t:text=\"tag\">x</span></th><td class=\"num\"><b t:text=\"elo\">1</b> "
    "<span class=\"soft\" t:if=\"official\"><t:put "
    "t:text=\"lower\">1</t:put>–<t:put t:text=\"upper\">1</t:put></span>"
    "</td><td class=\"num\" t:text=\"matches\">1</td><td class=\"num\" "
    "t:text=\"share\">1</td></tr>\n"
    "</table></body>\n</html>\n";

static void
z(struct buf *b, const char *s, size_t n)
{
	buf_add(b, s, n);
}
#define Z(b, literal) z(b, literal, sizeof(literal) - 1)

static struct str
of(struct text t)
{
	return (struct str){ t.p, t.n };
}

static void
by_hand_row(struct buf *b, const struct board_row *r, struct str base)
{
	Z(b, "<tr><td>");
	buf_int(b, r->rank);
	Z(b, "</td><th scope=\"row\"><a href=\"");
	buf_xml_attr(b, base);
	buf_xml_attr(b, of(r->url));
	Z(b, "\">");
	buf_xml(b, of(r->title));
	Z(b, "</a> <span class=\"tag\">");
	buf_xml(b, of(r->tag));
	Z(b, "</span></th><td class=\"num\"><b>");
	buf_fixed(b, r->elo, 1);
	Z(b, "</b> ");
	if (r->official) {
		Z(b, "<span class=\"soft\">");
		buf_fixed(b, r->lower, 1);
		Z(b, "–");
		buf_fixed(b, r->upper, 1);
		Z(b, "</span>");
	}
	Z(b, "</td><td class=\"num\">");
	buf_int(b, r->matches);
	Z(b, "</td><td class=\"num\">");
	buf_fixed(b, r->share, 1);
	Z(b, "</td></tr>");
}

static void
by_hand(struct buf *b, const struct board *board, struct str base)
{
	const struct board_row *rows = board->rows.rows;

	Z(b, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
	     "lang=\"en\" xml:lang=\"en\" dir=\"ltr\">\n<head><title>");
	buf_xml(b, of(board->heading));
	Z(b, "</title></head>\n<body><h1>");
	buf_xml(b, of(board->heading));
	Z(b, "</h1>\n<table>\n");
	for (size_t i = 0; i < board->rows.n; i++)
		by_hand_row(b, &rows[i], base);
	Z(b, "\n</table></body>\n</html>\n");
}

static struct view_set *
set_open(struct pool *pool)
{
	static const char *const langs[] = { "en", NULL };
	char dir[] = "/tmp/view-render-XXXXXX", path[64];
	struct view_conf conf = { .dir = dir, .langs = langs, .pages = pages };
	struct view_set *set = NULL;
	struct problems ps;
	FILE *f;

	problems_init(&ps, pool);
	if (mkdtemp(dir) == NULL)
		return NULL;
	snprintf(path, sizeof(path), "%s/board.xhtml", dir);
	f = fopen(path, "w");
	if (f != NULL) {
		fputs(template, f);
		fclose(f);
	}
	if (view_set_open(&set, &conf, &ps) != ERR_OK && ps.first != NULL)
		fprintf(stderr, "%s\n", ps.first->what.p);
	unlink(path);
	rmdir(dir);
	return set;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v)
{
	qsort(v, PAIRS, sizeof(*v), by_value);
	return v[PAIRS / 2];
}

static void
rows_fill(struct board_row *rows, struct pool *pool)
{
	for (int i = 0; i < ROWS; i++) {
		struct str title =
		    pool_printf(pool, "Prompt & method no. %d", i);
		struct str url = pool_printf(pool, "/prompt/number-%d", i);

		rows[i] = (struct board_row){
			.title = { title.p, title.n },
			.url = { url.p, url.n },
			.tag = TEXT("beginner_friendly"),
			.elo = 1500.0 + 3.7 * i,
			.lower = 1450.0 + 3.1 * i,
			.upper = 1550.0 + 4.3 * i,
			.share = 0.31 * i,
			.rank = i + 1,
			.matches = 30 + 7 * i,
			.official = i % 4 != 0,
		};
	}
}

static double
sample_engine(
    const struct view_set *set, const struct view_call *call, struct buf *out)
{
	int64_t from = clock_mono_ns();

	for (int k = 0; k < RENDERS; k++) {
		buf_clear(out);
		if (view_render(set, call, out) != ERR_OK)
			exit(1);
	}
	return (double)(clock_mono_ns() - from) / 1e3 / RENDERS;
}

static double
sample_hand(const struct view_call *call, struct buf *out)
{
	int64_t from = clock_mono_ns();

	for (int k = 0; k < RENDERS; k++) {
		buf_clear(out);
		by_hand(out, call->row, call->base);
	}
	return (double)(clock_mono_ns() - from) / 1e3 / RENDERS;
}

int
main(void)
{
	struct pool *pool = pool_open(1 << 20);
	static struct board_row rows[ROWS];
	struct board board = { TEXT("Board"), { rows, ROWS } };
	struct view_call call = {
		.page = pages, .base = STR(""), .row = &board
	};
	double engine[PAIRS], hand[PAIRS], ratio[PAIRS];
	struct view_set *set;
	struct buf a, b;

	xml_init();
	set = pool == NULL ? NULL : set_open(pool);
	if (set == NULL)
		return 1;
	rows_fill(rows, pool);
	buf_init(&a, 1 << 20);
	buf_init(&b, 1 << 20);
	for (int i = 0; i < PAIRS; i++) {
		engine[i] = sample_engine(set, &call, &a);
		hand[i] = sample_hand(&call, &b);
		ratio[i] = engine[i] / hand[i];
	}
	if (!str_eq(buf_as_str(&a), buf_as_str(&b))) {
		fprintf(stderr, "the two pages differ\n");
		return 1;
	}
	printf("100-row table, %zu bytes: engine %.1f us, by hand %.1f us, "
	       "ratio %.2f (at most 2)\n",
	    a.n, median(engine), median(hand), median(ratio));
	buf_release(&a);
	buf_release(&b);
	view_set_close(set);
	pool_close(pool);
	xml_shutdown();
	return 0;
}
