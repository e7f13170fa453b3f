/*
 * What Markdown becomes, to the letter; that nothing else can come out, for a
 * corpus of attacks, for noise, for bombs; and that threads do not matter.
 */
#include "config.h"

#include "port/markdown.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/buf.h"
#include "base/rng.h"
#include "port/xml.h"
#include "tests/port/markdown_oracle.h"
#include "tests/port/xss.h"
#include "tests/tap.h"

#define REL " rel=\"noopener noreferrer nofollow ugc\""
#define P(x) "<p dir=\"auto\">" x "</p>\n"
#define MATH(x) "<span class=\"math\" dir=\"ltr\">" x "</span>"
#define DISPLAY(x)                                                             \
	"<div class=\"math\" dir=\"ltr\" tabindex=\"0\">" x "</div>\n"
#define CODE(x) "<code dir=\"ltr\">" x "</code>"
#define TABLE(x)                                                               \
	"<div class=\"table\" tabindex=\"0\"><table dir=\"auto\">\n" x         \
	"</table></div>\n"

struct golden {
	const char *name, *source, *want;
};

static const struct golden cases[] = {
	{ "nothing", "", "" },
	{ "blanks", "  \n\n ", "" },
	{ "words", "a *b* **c** `d`",
	    P("a <em>b</em> <strong>c</strong> " CODE("d")) },
	{ "two paragraphs", "a\nb\n\nc  \nd", P("a\nb") P("c<br />\nd") },
	{ "P8: every character is visible",
	    "use vector<int> and List<String>, a < b > c",
	    P("use vector&lt;int&gt; and List&lt;String&gt;, a &lt; b &gt; "
	      "c") },
	{ "P8 in code", "`use vector<int> and List<String>, a < b > c`",
	    P(CODE("use vector&lt;int&gt; and List&lt;String&gt;, a &lt; b "
		   "&gt; c")) },
	{ "P8 in a code block", "```c++\nvector<int> a && b;\n```",
	    "<pre dir=\"ltr\" tabindex=\"0\"><code>vector&lt;int&gt; a "
	    "&amp;&amp; b;\n</code></pre>\n" },
	{ "html as a block", "<div onclick=\"x()\">\na <b>\n</div>\n\nc",
	    P("&lt;div onclick=&quot;x()&quot;&gt;<br />\na &lt;b&gt;<br "
	      "/>\n&lt;/div&gt;") P("c") },
	{ "headings begin at three, none is left out",
	    "## a\n\n#### b\n\n# c\n\n###### d\n\n##### e",
	    "<h3 dir=\"auto\">a</h3>\n<h4 dir=\"auto\">b</h4>\n<h3 "
	    "dir=\"auto\">c</h3>\n<h4 dir=\"auto\">d</h4>\n<h4 "
	    "dir=\"auto\">e</h4>\n" },
	{ "headings end at six", "# a\n## b\n### c\n#### d\n##### e\n###### f",
	    "<h3 dir=\"auto\">a</h3>\n<h4 dir=\"auto\">b</h4>\n<h5 "
	    "dir=\"auto\">c</h5>\n<h6 dir=\"auto\">d</h6>\n<h6 "
	    "dir=\"auto\">e</h6>\n<h6 dir=\"auto\">f</h6>\n" },
	{ "lists", "- a\n- b\n  1. c\n\n3. d\n4. e",
	    "<ul dir=\"auto\">\n<li>a\n</li>\n<li>b\n<ol>\n<li>c\n</li>\n"
	    "</ol>\n</li>\n</ul>\n<ol start=\"3\" dir=\"auto\">\n<li>d\n</li>"
	    "\n<li>e\n</li>\n</ol>\n" },
	{ "a loose list", "- a\n\n- b",
	    "<ul dir=\"auto\">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n"
	    "</ul>\n" },
	{ "a quotation", "> a\n>\n> > b",
	    "<blockquote dir=\"auto\">\n<p>a</p>\n<blockquote>\n<p>b</p>\n"
	    "</blockquote>\n</blockquote>\n" },
	{ "a rule", "a\n\n---\n\nb", P("a") "<hr />\n" P("b") },
	{ "a web link says its host", "[x](https://u:p@Example.org:8/a?b&c)",
	    P("<a href=\"https://u:p@Example.org:8/a?b&amp;c\"" REL
	      ">x</a> <span class=\"host\" dir=\"ltr\">(Example.org:8)"
	      "</span>") },
	{ "a link that says it itself", "<https://example.org/a>",
	    P("<a href=\"https://example.org/a\"" REL
	      ">https://example.org/a</a>") },
	{ "a link within the site", "[x](/leaderboard?type=a#b)",
	    P("<a href=\"/leaderboard?type=a#b\"" REL ">x</a>") },
	{ "a mail link", "[x](mailto:a@b.example)",
	    P("<a href=\"mailto:a@b.example\"" REL ">x</a>") },
	{ "an address with letters", "[x](/\xc3\xa9 \"t\")",
	    P("<a href=\"/%C3%A9\"" REL ">x</a>") },
	{ "no script", "[x](javascript:alert(1))",
	    P("x (javascript:alert(1))") },
	{ "no other host without a scheme", "[x](//evil.example/a)",
	    P("x (//evil.example/a)") },
	{ "no image", "![a *b*](http://evil.example/p.png)",
	    P("[image: a b]") },
	{ "an image in a link", "[![a](b)](/c)",
	    P("<a href=\"/c\"" REL ">[image: a]</a>") },
	{ "formulas as they are", "so $a_1 * b_2 * c$ and \\(x_{i}^2 + \\_\\)",
	    P("so " MATH("$a_1 * b_2 * c$") " and " MATH(
		"\\(x_{i}^2 + \\_\\)")) },
	{ "a formula in bold", "**$x_1$**",
	    P("<strong>" MATH("$x_1$") "</strong>") },
	{ "a formula of its own", "a\n$$\n\\sum_i *x* < 1\n$$\nb",
	    P("a\n") DISPLAY("$$\n\\sum_i *x* &lt; 1\n$$") P("b") },
	{ "the other brackets", "\\[\nE = mc^2\n\\]",
	    DISPLAY("\\[\nE = mc^2\n\\]") },
	{ "a formula in a quotation", "> $$\n> x_1\n> $$",
	    "<blockquote dir=\"auto\">\n" DISPLAY(
		"$$\nx_1\n$$") "</blockquote>\n" },
	{ "prices", "it is $5 and $10, or $3-$4, US$20 and NT$30",
	    P("it is $5 and $10, or $3-$4, US$20 and NT$30") },
	{ "prices with the sign behind", "from $10 up to 20$, not 30$",
	    P("from $10 up to 20$, not 30$") },
	{ "ranges of prices", "from $$ to $$$, *or* $$$$",
	    P("from $$ to $$$, <em>or</em> $$$$") },
	{ "prices with two signs", "$$5 *and* $$6, $$7 or $$8",
	    P("$$5 <em>and</em> $$6, $$7 or $$8") },
	{ "variables", "set $HOME and $PATH, or `$a` and `$b`",
	    P("set $HOME and $PATH, or " CODE("$a") " and " CODE("$b")) },
	{ "an escaped sign", "\\$x\\$ and \\\\(y\\\\)", P("$x$ and \\(y\\)") },
	{ "escaped brackets", "\\[not a link\\](x) \\(nor this one\\)",
	    P("[not a link](x) (nor this one)") },
	{ "no formula in code", "```\n$a_1$ $$b$$ \\[c\\]\n```\n`$d$`",
	    "<pre dir=\"ltr\" tabindex=\"0\"><code>$a_1$ $$b$$ "
	    "\\[c\\]\n</code></pre>\n" P(CODE("$d$")) },
	{ "no formula in indented code", "    $a_1$\n    | a |\n    |---|",
	    "<pre dir=\"ltr\" tabindex=\"0\"><code>$a_1$\n\n| a |\n|---|\n"
	    "</code></pre>\n" },
	{ "no formula in an address", "[x](/a/$b$)",
	    P("<a href=\"/a/$b$\"" REL ">x</a>") },
	{ "a table", "| a | **b** |\n|:-:|--:|\n| `c` | $d_1$ |\n| \\| |\n",
	    TABLE(
		"<thead>\n<tr><th scope=\"col\" class=\"center\">a</th><th "
		"scope=\"col\" class=\"right\"><strong>b</strong></th></tr>"
		"\n</thead>\n<tbody>\n<tr><td class=\"center\">" CODE(
		    "c") "</td><td class=\"right\">" MATH("$d_1$") "</td></"
								   "tr>\n<tr><"
								   "td "
								   "class="
								   "\"center\">"
								   "|</td><td "
								   "class="
								   "\"right\"><"
								   "/td></"
								   "tr>\n</"
								   "tbody>"
								   "\n") },
	{ "cells are never blocks", "a | b\n---|---\n# c | - d\n1. e | > f\n",
	    TABLE("<thead>\n<tr><th scope=\"col\">a</th><th scope=\"col\">b"
		  "</th></tr>\n</thead>\n<tbody>\n<tr><td># c</td><td>- d"
		  "</td></tr>\n<tr><td>1. e</td><td>&gt; f</td></tr>\n"
		  "</tbody>\n") },
	{ "a table ends where its bars end", "x\n|a|\n|-|\n|b|\nc",
	    P("x") TABLE("<thead>\n<tr><th scope=\"col\">a</th></tr>\n"
			 "</thead>\n<tbody>\n<tr><td>b</td></tr>\n</tbody>\n")
		P("c") },
	{ "no cell is lost", "|a|b|\n|-|-|\n|1|2|3|\n",
	    TABLE("<thead>\n<tr><th scope=\"col\">a</th><th scope=\"col\">b"
		  "</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td><td>2|3"
		  "</td></tr>\n</tbody>\n") },
	{ "an empty corner", "| |b|\n|-|-|\n",
	    TABLE("<thead>\n<tr><td></td><th scope=\"col\">b</th></tr>\n"
		  "</thead>\n") },
	{ "not a table", "a | b\n--- | --- | ---\n",
	    P("a | b\n--- | --- | ---") },
	{ "no table in code", "```\n|a|\n|-|\n```",
	    "<pre dir=\"ltr\" tabindex=\"0\"><code>|a|\n|-|\n</code></pre>\n" },
	{ "characters XML cannot hold", "a&#1;b&#xFFFE;c&#xD800;d",
	    P("a\xef\xbf\xbd"
	      "b\xef\xbf\xbd"
	      "c\xef\xbf\xbd"
	      "d") },
	{ "direction overrides by entity", "a&#x202E;b&#x2067;c", P("abc") },
	{ "Persian and Chinese", "# سلام\n\n你好，世界",
	    "<h3 dir=\"auto\">سلام</h3>\n" P("你好，世界") },
};

static struct markup
render(struct pool *pool, struct str source)
{
	struct markup m = { NULL, 0 };

	if (markdown_render(pool, (struct text){ source.p, source.n }, 3, &m,
		NULL) != ERR_OK)
		return (struct markup){ NULL, 0 };
	return m;
}

static void
test_golden(struct pool *pool)
{
	struct markup m;
	const char *wrong;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pool_clear(pool);
		m = render(pool, str_of(cases[i].source));
		is_str(((struct str){ m.p, m.n }), cases[i].want, "%s",
		    cases[i].name);
		wrong = oracle(m, strlen(cases[i].source));
		ok(wrong == NULL, "... is on the list (%s)",
		    wrong == NULL ? "yes" : wrong);
	}
}

/* What people write to each other: addresses among the words are links. */
static void
test_bare(struct pool *pool)
{
#define A(x) "<a href=\"" x "\"" REL ">" x "</a>"
	static const struct golden bare[] = {
		{ "an address is a link", "see https://example.org/a now",
		    P("see " A("https://example.org/a") " now") },
		{ "and alone", "HTTP://example.org",
		    P(A("HTTP://example.org")) },
		{ "without the end of the sentence",
		    "(https://example.org/a). https://example.org/b?c, "
		    "'https://example.org'!",
		    P(
			"(" A("https://example.org/a") "). " A("https://"
							       "example.org/"
							       "b?c") ", '" A(
			    "https://example.org") "'!") },
		{ "with its own brackets", "https://example.org/a_(b)_c",
		    P(A("https://example.org/a_(b)_c")) },
		{ "and its port", "https://example.org:8080/#x",
		    P(A("https://example.org:8080/#x")) },
		{ "before Chinese", "看https://example.org/a這裡，",
		    P("看" A("https://example.org/a") "這裡，") },
		{ "its signs are escaped", "https://example.org/?a=1&b='2'x",
		    P("<a "
		      "href=\"https://example.org/?a=1&amp;b='2'x\"" REL
		      ">https://example.org/?a=1&amp;b='2'x</a>") },
		{ "not in code", "`https://example.org/`",
		    P(CODE("https://example.org/")) },
		{ "no link in a link", "[https://example.org/](/c)",
		    P("<a href=\"/c\"" REL ">https://example.org/</a>") },
		{ "nor in an image", "![https://example.org/](b)",
		    P("[image: https://example.org/]") },
		{ "not within a word", "xhttps://example.org/",
		    P("xhttps://example.org/") },
		{ "not with a name before the host",
		    "https://bank.example@evil.example/ "
		    "https://a:1@evil.example https://a:b@evil.example",
		    P("https://bank.example@evil.example/ "
		      "https://a:1@evil.example https://a:b@evil.example") },
		{ "not half an address", "https:// http://, https://(a)",
		    P("https:// http://, https://(a)") },
		{ "nor another scheme",
		    "javascript:alert(1) ftp://a.example //a.example",
		    P("javascript:alert(1) ftp://a.example //a.example") },
	};
#undef A
	struct markup m;
	const char *wrong;

	for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
		m = (struct markup){ NULL, 0 };
		pool_clear(pool);
		(void)!markdown_render_bare(
		    pool, text_of(bare[i].source), 3, &m);
		is_str(((struct str){ m.p, m.n }), bare[i].want, "bare: %s",
		    bare[i].name);
		wrong = oracle(m, strlen(bare[i].source));
		ok(wrong == NULL, "... is on the list (%s)",
		    wrong == NULL ? "yes" : wrong);
	}
}

/* XML's own judge, beside the oracle. */
static bool
is_well_formed(struct markup m)
{
	struct buf b;
	bool good;

	buf_init(&b, 4 << 20);
	buf_z(&b, "<div>");
	buf_add(&b, m.p, m.n);
	buf_z(&b, "</div>");
	good = xml_well_formed(buf_as_str(&b), NULL) == ERR_OK;
	buf_release(&b);
	return good;
}

static void
test_attacks(struct pool *pool)
{
	static const char *const around[] = { "%s", "a %s b", "- %s", "> %s",
		"# %s", "| %s | x |\n|---|---|\n| %s | y |", "**%s**",
		"[%s](/x)" };
	size_t n = sizeof(xss) / sizeof(xss[0]);
	struct markup m;
	struct buf b;
	const char *wrong;

	ok(n >= 100, "%zu attacks", n);
	buf_init(&b, 1 << 16);
	for (size_t i = 0; i < n; i++) {
		wrong = NULL;
		for (size_t k = 0;
		     k < sizeof(around) / sizeof(around[0]) && wrong == NULL;
		     k++) {
			pool_clear(pool);
			buf_clear(&b);
			for (const char *p = around[k]; *p != '\0'; p++) {
				if (p[0] == '%')
					buf_z(&b, xss[i]), p++;
				else
					buf_c(&b, *p);
			}
			m = render(pool, buf_as_str(&b));
			wrong = m.p == NULL ? "not rendered" : oracle(m, b.n);
			if (wrong == NULL && !is_well_formed(m))
				wrong = "not well-formed";
			if (wrong != NULL)
				diag("%.*s", (int)m.n, m.p);
		}
		ok(wrong == NULL, "attack %zu: %s", i,
		    wrong == NULL ? "stays words" : wrong);
	}
	buf_release(&b);
}

/* Pieces of Markdown and of trouble, put together at random. */
static void
noise(struct rng *r, struct buf *b)
{
	static const char *const bits[] = { "a", " ", "\n", "\n\n", "*", "**",
		"_", "`", "```\n", "~~~", "# ", "- ", "1. ", "> ", "    ", "|",
		"|---|---|\n", "| a | b |\n", "$", "$$", "\\(", "\\)", "\\[",
		"\\]", "\\", "[", "](", ")", "!", "<", ">", "&", "&#1;",
		"&#xFDD0;", "&#xFDD1;", "<b>", "<!--", "-->", "http://a.b/",
		"javascript:", "\"", "'", "\t", "===\n", "---\n", "[x]: /y\n",
		"\xef\xb7\x90", "\xef\xb7\x91", "0", "\xe2\x80\xae", "\xff",
		"\x01", "سلام", "你" };
	size_t n = rng_next_below(r, 60);

	for (size_t i = 0; i < n; i++) {
		if (rng_next_below(r, 20) == 0)
			buf_c(b, (char)rng_next_below(r, 256));
		else
			buf_z(b, bits[rng_next_below(
				     r, sizeof(bits) / sizeof(bits[0]))]);
	}
}

static void
test_noise(struct pool *pool)
{
	struct rng r;
	struct buf b;
	struct markup m, again;
	const char *wrong = NULL;
	int bad = 0, differ = 0;

	rng_seed(&r, 39);
	buf_init(&b, 1 << 16);
	for (int i = 0; i < 20000; i++) {
		pool_clear(pool);
		buf_clear(&b);
		noise(&r, &b);
		m = render(pool, buf_as_str(&b));
		wrong = m.p == NULL ? "not rendered" : oracle(m, b.n);
		if (wrong == NULL && i % 10 == 0 && !is_well_formed(m))
			wrong = "not well-formed";
		if (wrong != NULL && bad++ < 3)
			diag("%s: [%.*s] from [%.*s]", wrong, (int)m.n, m.p,
			    (int)b.n, b.p);
		again = render(pool, buf_as_str(&b));
		differ += m.n != again.n ||
			  (m.n > 0 && memcmp(m.p, again.p, m.n) != 0);
	}
	is_int(bad, 0, "20000 texts of noise stay on the list");
	is_int(differ, 0, "and give the same twice");
	buf_release(&b);
}

static double
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
repeat(struct buf *b, const char *unit, size_t bytes)
{
	while (b->n < bytes)
		buf_z(b, unit);
}

/*
 * Twice the text may take about twice the time, never four times; small
 * times are not looked at.
 */
static void
test_bombs(struct pool *pool)
{
	static const char *const units[] = { ">", "[", "![", "[](", "[a](b",
		"- ", "1. ", "*", "*a ", "**a** ", "_a_", "`", "`a``", "|",
		"|\n", "|a|\n|-|\n", "|a|b|\n|-|-|\n|1|2|\n\n", "$", "$a ",
		"$a", "$$", "$$a\n", "$x$ ", "\\(", "\\(a", "\\[a ", "\\[\n",
		"\\", "&", "<", "<!--", "<a ", "~~~ a\n", "```\n", "# a\n",
		"[a]: b\n", "[a]: b 'c'\n\n[a][a]", "[a][b][c]", "<![CDATA[",
		"]]>", "<?", "<!X ", "<!-- a --> ", "&amp;", "&#x41;",
		"&#x301;", "\xcc\x81", "\xd7\x90", "\xe2\x80\x8f", "> 1. - ",
		"\"'", "a\xc2\xa0", "<b>", "</b>", "***a** b* ", "~~a ",
		"[^1] ", "[^1]: a\n\n", "- [ ] a\n", "http://h/ ",
		"[x](http://h/$a$) ", "> - ", "\t", "  - a\n" };
	struct buf b;
	double took[2];
	const char *wrong;
	struct markup m;

	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		wrong = NULL;
		for (int k = 0; k < 2; k++) {
			pool_clear(pool);
			buf_clear(&b);
			repeat(&b, units[i], k == 0 ? 50000 : 100000);
			took[k] = cpu_ms();
			m = render(pool, buf_as_str(&b));
			took[k] = cpu_ms() - took[k];
			if (m.p == NULL)
				wrong = "not rendered";
			else if (wrong == NULL)
				wrong = oracle(m, b.n);
		}
		ok(wrong == NULL, "bomb %zu: %s", i,
		    wrong == NULL ? "harmless" : wrong);
		ok(took[1] < 300 || took[1] < 3.5 * took[0],
		    "... %.0f ms, twice as long %.0f ms", took[0], took[1]);
	}
	/* One long definition, used again and again. */
	pool_clear(pool);
	buf_clear(&b);
	buf_z(&b, "[x]: http://h/");
	repeat(&b, "abcdefgh", 5000);
	buf_z(&b, "\n\n");
	repeat(&b, "[x]\n", 100000);
	took[0] = cpu_ms();
	m = render(pool, buf_as_str(&b));
	took[0] = cpu_ms() - took[0];
	ok(m.p != NULL && oracle(m, b.n) == NULL && m.n < 20 * b.n &&
		m.n < 2 << 20 && took[0] < 300,
	    "a definition used 24 000 times: %.0f ms, %zu bytes", took[0], m.n);
	for (int i = 0; i < 3; i++) {
		static const char *const heads[] = { "> [x]: <h", "[x]: h '",
			"- [x]:\n  h\n  (" };

		pool_clear(pool);
		buf_clear(&b);
		buf_z(&b, heads[i]);
		repeat(&b, "abcdefgh", 400000);
		buf_z(&b, i == 0 ? ">" : i == 1 ? "'" : ")");
		buf_z(&b, "\n\n");
		repeat(&b, "[x]\n", 800000);
		took[0] = cpu_ms();
		m = render(pool, buf_as_str(&b));
		took[0] = cpu_ms() - took[0];
		ok(m.p != NULL && oracle(m, b.n) == NULL && took[0] < 300,
		    "one of 400 KB used 100 000 times: %.0f ms", took[0]);
	}
	pool_clear(pool);
	buf_clear(&b);
	buf_z(&b, "[x]: http://h/long 'A title'\n\n");
	for (int i = 0; i < 100; i++)
		buf_printf(
		    &b, "See [x] and [y%d].\n\n[y%d]: http://h/%d\n", i, i, i);
	m = render(pool, buf_as_str(&b));
	ok(m.p != NULL && strstr(m.p, "<pre") == NULL &&
		strstr(m.p, "href=\"http://h/99\"") != NULL,
	    "a hundred honest definitions are links");
	/* Lists within lists, each line further in. */
	pool_clear(pool);
	buf_clear(&b);
	for (int i = 0; i < 400; i++) {
		for (int k = 0; k < i; k++)
			buf_z(&b, "  ");
		buf_z(&b, "- a\n");
	}
	took[0] = cpu_ms();
	m = render(pool, buf_as_str(&b));
	took[0] = cpu_ms() - took[0];
	ok(m.p != NULL && oracle(m, b.n) == NULL && took[0] < 300,
	    "400 lists in one another: %.0f ms, %zu bytes", took[0], m.n);
	pool_clear(pool);
	buf_clear(&b);
	buf_z(&b, "|");
	repeat(&b, "a|", 400);
	buf_z(&b, "\n|");
	repeat(&b, "-|", 800);
	buf_z(&b, "\n");
	repeat(&b, "|a\n", 43000);
	took[0] = cpu_ms();
	m = render(pool, buf_as_str(&b));
	took[0] = cpu_ms() - took[0];
	ok(m.p != NULL && oracle(m, b.n) == NULL && m.n < 2 * b.n &&
		took[0] < 300,
	    "the 43 KB table: %.0f ms, %zu bytes", took[0], m.n);
	buf_release(&b);
}

/* n as decimal text of columns or rows. */
static void
table_of(struct buf *b, int columns, int rows)
{
	buf_clear(b);
	for (int i = 0; i < rows + 2; i++) {
		for (int k = 0; k < columns; k++)
			buf_printf(b, i == 1 ? "|---" : "|%d.%d", i, k);
		buf_z(b, "|\n");
	}
}

static void
test_bounds(struct pool *pool)
{
	static const struct {
		int columns, rows;
		bool table;
	} sizes[] = { { 16, 200, true }, { 17, 3, false }, { 40, 3, false },
		{ 2, 201, false }, { 1, 1, true } };
	struct markdown_stats stats;
	struct markup m;
	struct buf b;

	buf_init(&b, 2 << 20);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pool_clear(pool);
		table_of(&b, sizes[i].columns, sizes[i].rows);
		m = render(pool, buf_as_str(&b));
		ok(m.p != NULL && oracle(m, b.n) == NULL &&
			(strstr(m.p, "<table") != NULL) == sizes[i].table &&
			(strstr(m.p, "<pre dir=\"auto\"") == NULL) ==
			    sizes[i].table,
		    "%d columns, %d rows: %s", sizes[i].columns, sizes[i].rows,
		    sizes[i].table ? "a table" : "text");
	}
	pool_clear(pool);
	buf_clear(&b);
	buf_z(&b, "```\n");
	repeat(&b, "x", 2004);
	buf_z(&b, "\n```\n");
	m = render(pool, buf_as_str(&b));
	ok(m.n == 2000 + strlen("<pre dir=\"ltr\" tabindex=\"0\"><code>"
				"\n</code></pre>\n"),
	    "P9: a line of 2000 characters stays one line");
	pool_clear(pool);
	buf_clear(&b);
	repeat(&b, "x", 1024 * 1024 + 1);
	is_int(markdown_render(pool, (struct text){ b.p, b.n }, 3, &m, &stats),
	    ERR_TOOBIG, "over 1 MB");
	pool_clear(pool);
	buf_clear(&b);
	repeat(&b, "\"", 200000);
	is_int(markdown_render(pool, (struct text){ b.p, b.n }, 3, &m, &stats),
	    ERR_TOOBIG, "over 1 MB once escaped");
	pool_clear(pool);
	is_int(
	    markdown_render(pool, TEXT("# a b\n\n- **c**\n- d\n\n1. e\n\n你好"),
		3, &m, &stats),
	    ERR_OK, "a text is counted");
	is_int(stats.headers, 1, "headings");
	is_int(stats.lists, 3, "items");
	is_int(stats.bold, 1, "bold");
	is_int(stats.words,
	    (intmax_t)text_words(TEXT("# a b\n\n- **c**\n- d\n\n1. e\n\n你好")),
	    "words");
	ok(stats.chars == 28, "characters");
	buf_release(&b);
}

struct worker {
	pthread_t thread;
	int wrong;
};

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct pool *pool = pool_open(4 << 20);
	struct markup m;

	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			pool_clear(pool);
			m = render(pool, str_of(cases[i].source));
			w->wrong +=
			    !str_is((struct str){ m.p, m.n }, cases[i].want);
		}
	}
	pool_close(pool);
	return NULL;
}

static void
test_threads(void)
{
	struct worker w[4];
	int wrong = 0;

	memset(w, 0, sizeof(w));
	for (int i = 0; i < 4; i++)
		pthread_create(&w[i].thread, NULL, work, &w[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(w[i].thread, NULL);
		wrong += w[i].wrong;
	}
	is_int(wrong, 0, "four threads at once make what one makes");
}

static void
test_lead(struct pool *pool)
{
	static const struct {
		const char *source, *want;
		size_t chars;
		bool line;
	} leads[] = {
		{ "How do **hash tables** grow?", "How do hash tables grow?",
		    80, true },
		{ "# Head\n\nand *body*", "Head", 80, true },
		{ "# Head\n\nand *body*", "Head and body", 80, false },
		{ "one\ntwo", "one", 80, true },
		{ "`a < b && \"c\"` isn't", "a < b && \"c\" isn't", 80, false },
		{ "2*3 and 2**3", "2*3 and 2**3", 80, true },
		{ "- a\n- b", "a b", 80, false },
		{ "never in the middle", "never in the\xe2\x80\xa6", 14, true },
		{ "Donaudampfschiff", "Donau\xe2\x80\xa6", 5, true },
		{ "exactly five", "exactly five", 12, true },
		{ "\xe4\xbd\xa0\xe5\xa5\xbd\xe5\x90\x97",
		    "\xe4\xbd\xa0\xe5\xa5\xbd\xe2\x80\xa6", 2, true },
		{ "***", "", 80, true },
		{ "", "", 80, false },
	};

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		struct markup m = render(pool, str_of(leads[i].source));
		struct text got =
		    markdown_lead(pool, m, leads[i].chars, leads[i].line);

		is_str(got, leads[i].want, "begins: %s", leads[i].source);
		pool_clear(pool);
	}
}

int
main(void)
{
	struct pool *pool = pool_open(64 << 20);

	xml_init();
	test_golden(pool);
	test_bare(pool);
	test_attacks(pool);
	test_noise(pool);
	test_bombs(pool);
	test_bounds(pool);
	test_lead(pool);
	test_threads();
	pool_close(pool);
	xml_shutdown();
	return done_testing();
}
