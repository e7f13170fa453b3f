/*
 * Pages against golden files, in three languages; the truth of every kind;
 * and random bytes in every field, which must never break a page.
 * UPDATE_GOLDEN=1 writes the golden files anew: look at the difference.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/text.h"
#include "tests/tap.h"
#include "tests/view/sample.h"

static const char *const langs[] = { "en", "zh-Hant-TW", "fa", NULL };
static const struct view_page pages[] = {
	{ "page.xhtml", &page_shape },
	{ NULL, NULL },
};

static const char *
source_path(const char *rest)
{
	static char path[1000];
	const char *src = getenv("SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/view/%s",
	    src == NULL ? "." : src, rest);
	return path;
}

static void
show(const struct problems *ps)
{
	for (const struct problem *p = ps->first; p != NULL; p = p->next)
		diag("%s:%d: %s", p->file.p, p->line, p->what.p);
}

static struct view_set *
open_sample(struct pool *pool)
{
	char dir[1000];
	struct view_conf conf = { .dir = dir, .langs = langs, .pages = pages,
		.frame = &frame_shape, .messages = sample_messages };
	struct view_set *set = NULL;
	struct problems ps;

	problems_init(&ps, pool);
	snprintf(dir, sizeof(dir), "%s", source_path("sample"));
	is_int(view_set_open(&set, &conf, &ps), ERR_OK, "the sample loads");
	is_int((intmax_t)ps.count, 0, "without a problem");
	show(&ps);
	return set;
}

static const struct tag_row tags[] = { { { "one", 3 } }, { { "t<w>o", 5 } } };
static const struct item_row items[] = {
	{ .name = { "Socratic", 8 }, .url = { "/prompt/socratic", 16 },
	    .points = 1520.45, .games = 31, .best = true,
	    .tags = { tags, 2 } },
	{ .name = { "Br\"ief", 6 }, .url = { "/prompt/brief", 13 },
	    .points = -3.25, .games = 0 },
};

static struct page_row
sample_row(const struct count_row *count)
{
	static const char body[] = "<p dir=\"auto\">a &lt; <em>b</em></p>";
	struct page_row row = {
		.title = TEXT("Q & A <1>"),
		.figures = TEXT("52.7 % (n < 13), 11-29"),
		.comment = TEXT("two\nlines & \"quotes\""),
		.link = TEXT("/match/x?a=1&b=2"),
		.anywhere = TEXT("https://example.org/?q=\"&r=<"),
		.body = { body, sizeof(body) - 1 },
		.number = -1234567,
		.unknown = VIEW_NO_INT,
		.ratio = 0.125,
		.not_a_number = NAN,
		.on = true,
		.when = 1796077051,
		.items = view_list(items, 2),
		.one = &items[1],
		.said = { "matches", count->n, count },
	};

	return row;
}

static void
test_golden(const struct view_set *set)
{
	static const struct count_row three = { 3, { "Ann & Bo", 8 } };
	static const struct frame_row frame = { { "The <Arena>", 11 }, 7,
		{ "hidden", 6 } };
	struct page_row row = sample_row(&three);
	struct view_call call = { .page = &pages[0], .base = STR("/arena"),
		.row = &row, .frame = &frame };
	static char want[65536];
	char name[100];
	struct buf out;
	FILE *f;
	size_t n;
	int line = 0;

	buf_init(&out, 1 << 20);
	for (call.lang = 0; langs[call.lang] != NULL; call.lang++) {
		buf_clear(&out);
		is_int(view_render(set, &call, &out), ERR_OK, "%s renders",
		    langs[call.lang]);
		is_int(xml_well_formed(buf_as_str(&out), &line), ERR_OK,
		    "%s is well-formed (line %d)", langs[call.lang], line);
		snprintf(name, sizeof(name), "golden/%s.xhtml",
		    langs[call.lang]);
		if (getenv("UPDATE_GOLDEN") != NULL) {
			f = fopen(source_path(name), "w");
			if (f != NULL) {
				fwrite(out.p, 1, out.n, f);
				fclose(f);
			}
		}
		f = fopen(source_path(name), "r");
		n = f == NULL ? 0 : fread(want, 1, sizeof(want), f);
		if (f != NULL)
			fclose(f);
		is_str(buf_as_str(&out), ((struct str){ want, n }),
		    "%s as in its golden file", langs[call.lang]);
	}
	buf_release(&out);
}

/* Does the rendered page hold this? */
static bool
holds(const struct buf *out, const char *what)
{
	return out->p != NULL && strstr(out->p, what) != NULL;
}

static void
test_plural(const struct view_set *set)
{
	static const struct {
		int lang;
		int64_t n;
		const char *want;
	} cases[] = {
		{ 0, 0, "<b>0</b> matches" },
		{ 0, 1, "<b>1</b> match by" },
		{ 0, 2, "<b>2</b> matches" },
		{ 0, 21, "<b>21</b> matches" },
		{ 1, 1, "<b>1</b> 場盲測" },
		{ 1, 2, "<b>2</b> 場盲測" },
		{ 2, 0, "<b>۰</b> مقایسه Ann" },
		{ 2, 1, "<b>۱</b> مقایسه Ann" },
		{ 2, 2, "<b>۲</b> مقایسه‌ها" },
	};
	struct count_row count = { 0, { "Ann", 3 } };
	struct page_row row = sample_row(&count);
	struct frame_row frame = { { "S", 1 }, 0, { NULL, 0 } };
	struct view_call call = { .page = &pages[0], .base = STR(""),
		.row = &row, .frame = &frame };
	struct buf out;

	buf_init(&out, 1 << 20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		call.lang = cases[i].lang;
		count.n = row.said.count = cases[i].n;
		ok(view_render(set, &call, &out) == ERR_OK &&
			holds(&out, cases[i].want),
		    "%s of %d: %s", langs[call.lang], (int)cases[i].n,
		    cases[i].want);
	}
	buf_release(&out);
}

static void
test_edges(const struct view_set *set)
{
	static const struct {
		const char *url, *want;
	} urls[] = {
		{ "javascript:alert(1)", "<a>elsewhere" },
		{ "JaVaScRiPt:alert(1)", "<a>elsewhere" },
		{ " javascript:alert(1)", "<a>elsewhere" },
		{ "java\tscript:alert(1)", "<a>elsewhere" },
		{ "data:text/html,x", "<a>elsewhere" },
		{ "vbscript:x", "<a>elsewhere" },
		{ "HTTPS://a.example/", "href=\"HTTPS://a.example/\"" },
		{ "mailto:a@b.example", "href=\"mailto:a@b.example\"" },
		{ "?sort=elo", "href=\"?sort=elo\"" },
		{ "#a:b", "href=\"#a:b\"" },
		{ "x/y:z", "href=\"x/y:z\"" },
		{ "//evil.example", "href=\"//evil.example\"" },
		{ "", "href=\"\"" },
	};
	struct count_row count = { 1, { "Ann", 3 } };
	struct page_row row = sample_row(&count);
	struct frame_row frame = { { "S", 1 }, 0, { NULL, 0 } };
	struct view_call call = { .page = &pages[0], .base = STR(""),
		.row = &row, .frame = &frame };
	struct buf out;

	buf_init(&out, 1 << 20);
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		buf_clear(&out);
		row.anywhere = text_of(urls[i].url);
		ok(view_render(set, &call, &out) == ERR_OK &&
			holds(&out, urls[i].want),
		    "the address \"%s\"", urls[i].url);
	}
	row = sample_row(&count);
	row.said.id = "nobody-declared-this";
	buf_clear(&out);
	is_int(view_render(set, &call, &out), ERR_INTERNAL,
	    "an unknown sentence is our fault");
	row = sample_row(&count);
	row.said.row = NULL;
	buf_clear(&out);
	ok(view_render(set, &call, &out) == ERR_OK &&
		holds(&out, "<b></b> match by "),
	    "a sentence without its row shows no values");
	call.row = NULL;
	call.frame = NULL;
	buf_clear(&out);
	ok(view_render(set, &call, &out) == ERR_OK &&
		holds(&out, "<p>nothing is absent</p>"),
	    "a page without rows shows no values");
	buf_release(&out);
	call.row = &row;
	call.frame = &frame;
	buf_init(&out, 1000);
	is_int(view_render(set, &call, &out), ERR_TOOBIG,
	    "a full buffer is told");
	buf_release(&out);
}

/* Random bytes, often such as break pages. */
static struct text
noise(struct rng *r, struct pool *pool)
{
	static const char *const sharp[] = { "<", ">", "&", "\"", "'", "]]>",
		"<!--", "\xef\xbf\xbe", "\xed\xa0\x80", "\x01", "\x1b", "\xc3(",
		"&#1;", "\xe2\x80\xae", "\r\n", "\xf0\x9f\x98\x80", "</p>" };
	char z[64];
	size_t n = 0, want = rng_next_below(r, 40);

	while (n < want) {
		if (rng_next_below(r, 2) == 0) {
			z[n++] = (char)rng_next_below(r, 256);
			continue;
		}
		n += (size_t)snprintf(z + n, sizeof(z) - n, "%s",
		    sharp[rng_next_below(r, sizeof(sharp) / sizeof(sharp[0]))]);
	}
	return text_clean(pool, pool_str(pool, (struct str){ z, n }));
}

static void
test_noise(const struct view_set *set, struct pool *pool)
{
	struct rng r;
	struct item_row some[2];
	struct count_row count;
	struct frame_row frame;
	struct page_row row;
	struct view_call call = { .page = &pages[0], .base = STR("/a&b"),
		.row = &row, .frame = &frame };
	struct buf out;
	int bad = 0, line = 0;

	rng_seed(&r, 20261129);
	buf_init(&out, 1 << 20);
	for (int i = 0; i < 2000; i++) {
		pool_clear(pool);
		buf_clear(&out);
		memcpy(some, items, sizeof(some));
		some[0].name = noise(&r, pool);
		some[1].name = noise(&r, pool);
		some[1].points = rng_next_unit(&r) * 1e17;
		some[0].points = -INFINITY;
		count.n = (int64_t)rng_next(&r);
		count.who = noise(&r, pool);
		row = sample_row(&count);
		row.title = noise(&r, pool);
		row.comment = noise(&r, pool);
		row.absent = noise(&r, pool);
		row.link = noise(&r, pool);
		row.anywhere = noise(&r, pool);
		row.number = (int64_t)rng_next(&r);
		row.items = view_list(some, 2);
		frame.site = noise(&r, pool);
		frame.notices = (int64_t)rng_next(&r);
		frame.title = noise(&r, pool);
		call.lang = (int)rng_next_below(&r, 3);
		if (view_render(set, &call, &out) != ERR_OK ||
		    xml_well_formed(buf_as_str(&out), &line) != ERR_OK)
			bad++;
	}
	is_int(bad, 0, "2000 pages of noise are well-formed");
	buf_release(&out);
}

int
main(void)
{
	struct pool *pool = pool_open(1 << 20);
	struct view_set *set;

	xml_init();
	ok(clock_zone_set("UTC") == ERR_OK, "the campus is on UTC");
	set = open_sample(pool);
	if (set != NULL) {
		test_golden(set);
		test_plural(set);
		test_edges(set);
		test_noise(set, pool);
		is_str(view_lang_name(set, view_lang_pick(set, STR("zh-HK"))),
		    "zh-Hant-TW", "the set picks a language");
	}
	view_set_close(set);
	pool_close(pool);
	xml_shutdown();
	return done_testing();
}
