/*
 * What the XML port says about broken files, to the letter; what it makes of
 * good ones; and that it stays within its bounds.
 */
#include "config.h"

#include "port/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/tap.h"

#define A(x) "<arena xmlns=\"urn:sample\">" x "</arena>"
#define SITE "<site><name>x</name></site>"

struct fault_case {
	const char *bytes;
	const char *want; /* "line: words\n", or "" */
};

static const struct fault_case schema_cases[] = {
	{ A(SITE), "" },
	{ A("\n<site lang=\"de\">\n<name>x</name></site>"),
	    "2: the attribute \"lang\" of <site> is \"de\"; \"en\" or \"fa\" "
	    "is expected\n" },
	{ A("<site nam=\"x\"><name>x</name></site>"),
	    "1: <site> has no attribute \"nam\"; known here: \"lang\"\n" },
	{ A("<site lnag=\"en\"><name>x</name></site>"),
	    "1: <site> has no attribute \"lnag\"; did you mean \"lang\"?\n" },
	{ A("<site><name></name></site>"),
	    "1: <name> is empty; a text of 1 to 20 characters is expected\n" },
	{ A("<site><name>0123456789\n01234567890</name></site>"),
	    "1: <name> is \"0123456789 01234567890\"; a text of 1 to 20 "
	    "characters is expected\n" },
	{ A("<site><name>x</name><origin>ftp://x/y</origin></site>"),
	    "1: <origin> is \"ftp://x/y\"; an address such as "
	    "https://arena.example.edu, without a path is expected\n" },
	{ A("<site><name>x</name><mode>0x</mode></site>"),
	    "1: <mode> is \"0x\"; a whole number is expected\n" },
	{ A(SITE "\n<elo\n\n k=\"many\"/>"),
	    "2: the attribute \"k\" of <elo> is \"many\"; a number from 1 to "
	    "200 is expected\n" },
	{ A(SITE "<elo k=\"201\"/>"),
	    "1: the attribute \"k\" of <elo> is \"201\"; a number from 1 to "
	    "200 is expected\n" },
	{ A(SITE "<elo k=\"\"/>"),
	    "1: the attribute \"k\" of <elo> is empty; a number from 1 to 200 "
	    "is expected\n" },
	{ A(SITE "<elo/>"),
	    "1: <elo> lacks the attribute \"k\"; a number from 1 to 200 is "
	    "expected\n" },
	{ A(SITE "<elo k=\"3\" minimum=\"0\"/>"),
	    "1: the attribute \"minimum\" of <elo> is \"0\"; a whole number "
	    "from 1 on is expected\n" },
	{ A(SITE "<elo k=\"3\" policy=\"randm\"/>"),
	    "1: the attribute \"policy\" of <elo> is \"randm\"; \"random\" or "
	    "\"informative\" is expected; did you mean \"random\"?\n" },
	{ A(SITE "<elo k=\"3\" guests=\"yes\"/>"),
	    "1: the attribute \"guests\" of <elo> is \"yes\"; \"true\" or "
	    "\"false\" is expected\n" },
	{ A(SITE "<note until=\"tomorrow\">x</note>"),
	    "1: the attribute \"until\" of <note> is \"tomorrow\"; a date "
	    "such as 2026-09-01 is expected\n" },
	{ A(SITE "<elo k=\"3\"/>\n<elo k=\"3\"/>"),
	    "2: <elo> may stand in <arena> once; it stands in line 1 "
	    "already\n" },
	{ A("<elo k=\"2\"/>" SITE),
	    "1: <elo> stands in the wrong place; <site> is expected here\n" },
	{ A("<site/>"), "1: <site> lacks <name>\n" },
	{ A(""), "1: <arena> lacks <site>\n" },
	{ A("<siet/>"),
	    "1: <siet> cannot stand in <arena>; did you mean <site>?\n" },
	{ A(SITE "<origin/>"),
	    "1: <origin> cannot stand in <arena>; known here: <site>, <elo>, "
	    "<note> or <setups>\n" },
	{ A("<site><name>x<b/></name></site>"),
	    "1: <name> holds text only, no elements\n" },
	{ A(SITE "<elo k=\"2\">x</elo>"), "1: <elo> must be empty\n" },
	{ A(SITE "<setups>text<setup id=\"a\"/></setups>"),
	    "1: <setups> holds elements only; there is text between them\n" },
	{ A(SITE "<setups><setup id=\"a\"/>\n<setup id=\"a\"/></setups>"),
	    "2: <setup> repeats \"a\"; every such name may be used once\n" },
	{ A(SITE "<setups><setup id=\"b\" like=\"zz\"/></setups>"),
	    "1: <setup> refers to \"zz\", which is not in this file\n" },
	{ A(SITE "<setups><setup/><setup id=\"b\"/></setups>"),
	    "1: <setup> lacks the attribute \"id\"; a name of letters, "
	    "digits, \"-\" and \"_\" that begins with a letter is "
	    "expected\n" },
	{ "<arena><site/></arena>", "1: write <arena xmlns=\"urn:sample\">\n" },
	{ "<aren xmlns=\"urn:sample\"/>",
	    "1: the outermost element is <aren>; <arena> is expected\n" },
	{ A("<site lang=\"de\"><name></name></site>\n<elo k=\"0\"/>"),
	    "1: the attribute \"lang\" of <site> is \"de\"; \"en\" or \"fa\" "
	    "is expected\n"
	    "1: <name> is empty; a text of 1 to 20 characters is expected\n"
	    "2: the attribute \"k\" of <elo> is \"0\"; a number from 1 to 200 "
	    "is expected\n" },
};

static const struct fault_case syntax_cases[] = {
	{ "<a>\n<b/>\n</a>", "" },
	{ "\xef\xbb\xbf<a/>", "" },
	{ "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<a>&lt;&#233;</a>", "" },
	{ "<a>\n<b>\n</a>",
	    "3: <b> of line 2 is closed by </a>; write </b>\n" },
	{ "<a>\n<b>\n",
	    "3: the file ends inside <b> of line 2; </b> is missing\n" },
	{ "<a>\n&nbsp;</a>",
	    "2: there is no &nbsp; here; write the character itself\n" },
	{ "<a>\nA & B</a>", "2: a bare \"&\" or \"<\"; write &amp; or &lt;\n" },
	{ "<a>\nA &B</a>", "2: a bare \"&\"; write &amp;\n" },
	{ "<a>\nA < B</a>", "2: a bare \"&\" or \"<\"; write &amp; or &lt;\n" },
	{ "<a b=c></a>",
	    "1: the value of an attribute must stand in quotation marks\n" },
	{ "<a b></a>",
	    "1: the attribute \"b\" has no value; write b=\"...\"\n" },
	{ "<a b=\"1\" b=\"2\"></a>",
	    "1: the attribute \"b\" is given twice\n" },
	{ "<a b=\"<\"></a>",
	    "1: the value of an attribute holds a \"<\"; write &lt;\n" },
	{ "<a b=\"x/>",
	    "1: the quotation mark that ends an attribute is missing\n" },
	{ "<a><t:b/></a>",
	    "1: the prefix \"t:\" is not declared; write xmlns:t=\"...\" in "
	    "the outermost element\n" },
	{ "<a/><b/>",
	    "1: something stands after the end of the outermost element\n" },
	{ "hello", "1: the file does not begin with an element\n" },
	{ "   ", "1: the file does not begin with an element\n" },
	{ "", "0: the file is empty\n" },
	{ "<a>\n\nab\351</a>",
	    "3: this line holds a byte (0xE9) that is not UTF-8; save the "
	    "file as UTF-8\n" },
	{ "<a>\xed\xa0\x80</a>",
	    "1: this line holds a byte (0xED) that is not UTF-8; save the "
	    "file as UTF-8\n" },
	{ "<a>\xc0\xaf</a>",
	    "1: this line holds a byte (0xC0) that is not UTF-8; save the "
	    "file as UTF-8\n" },
	{ "<a>\n\nab\001</a>",
	    "3: this line holds the control character U+0001; remove it\n" },
	{ "<a>\n\nab&#1;</a>",
	    "3: this line holds a character that XML does not allow\n" },
	{ "\n<?xml version=\"1.0\"?><a/>",
	    "2: \"<?xml\" must be the very first characters of the file\n" },
	{ "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>",
	    "1: the first line says encoding=\"ISO-8859-1\"; only UTF-8 is "
	    "read\n" },
	{ "<?xml version=\"1.0\" encoding=\"nonsense\"?><a/>",
	    "1: the first line says encoding=\"nonsense\"; only UTF-8 is "
	    "read\n" },
	/* What a conversion would trip over, or turn into something else. */
	{ "<?xml version='1.0' encoding = 'windows-1252' ?>\n<a>\n\xe5\x9d\x81"
	  "</a>",
	    "1: the first line says encoding=\"windows-1252\"; only UTF-8 is "
	    "read\n" },
	{ "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"latin1\"?>"
	  "<a>\xc3\xa9</a>",
	    "1: the first line says encoding=\"latin1\"; only UTF-8 is "
	    "read\n" },
	{ "<?xml version=\"1.0\" encoding=\"UTF-32\"?><a/>",
	    "1: the first line says encoding=\"UTF-32\"; only UTF-8 is "
	    "read\n" },
	{ "\xff\xfe<", "1: the file is written in UTF-16; save it as UTF-8\n" },
	{ "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
	    "1: <!DOCTYPE> is not allowed here; remove it\n" },
	{ "<!DOCTYPE html><a/>",
	    "1: <!DOCTYPE> is not allowed here; remove it\n" },
	{ "<!DOCTYPE a SYSTEM \"/etc/passwd\"><a/>",
	    "1: <!DOCTYPE> is not allowed here; remove it\n" },
	{ "<a><!-- x -- y --></a>", "1: a comment must not hold \"--\"\n" },
	{ "<a><!-- x", "1: the comment is not ended by \"-->\"\n" },
	{ "<a><![CDATA[ x", "1: the CDATA section is not ended by \"]]>\"\n" },
	{ "<a>]]></a>", "1: \"]]>\" in a text; write ]]&gt;\n" },
};

static char dir[] = "/tmp/xml-test-XXXXXX";

static const char *
file_put(const void *bytes, size_t n)
{
	static char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/x.xml", dir);
	f = fopen(path, "w");
	if (f == NULL)
		abort();
	fwrite(bytes, 1, n, f);
	fclose(f);
	return path;
}

static void
words_of(const struct problems *ps, struct buf *out)
{
	buf_init(out, 1 << 16);
	for (const struct problem *p = ps->first; p != NULL; p = p->next)
		buf_printf(out, "%d: %s\n", p->line, p->what.p);
}

static void
check_words(const char *bytes, size_t n, const struct xml_schema *schema,
    const char *want)
{
	struct pool *pool = pool_open(1 << 20);
	const struct xml_node *root = NULL;
	struct problems ps;
	struct buf got;
	enum err e;

	problems_init(&ps, pool);
	e = xml_load(pool, file_put(bytes, n), 1 << 20, schema, &ps, &root);
	words_of(&ps, &got);
	is_str(buf_as_str(&got), want, "%.60s", want[0] ? want : "no fault");
	ok(want[0] == '\0' ? e == ERR_OK && root != NULL
			   : e == ERR_SYNTAX && root == NULL,
	    "... and the code says so");
	buf_release(&got);
	pool_close(pool);
}

static struct xml_schema *
schema_open(void)
{
	struct pool *pool = pool_open(1 << 20);
	struct xml_schema *schema = NULL;
	const char *src = getenv("SRCDIR");
	struct problems ps;
	char path[1000];

	problems_init(&ps, pool);
	snprintf(path, sizeof(path), "%s/tests/port/sample.xsd",
	    src == NULL ? "." : src);
	is_int(xml_schema_load(path, &ps, &schema), ERR_OK, "the schema loads");
	pool_close(pool);
	return schema;
}

static void
test_schema_fault(void)
{
	static const char bad[] =
	    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n"
	    "<xs:element name=\"a\" type=\"nothing\"/></xs:schema>";
	struct pool *pool = pool_open(1 << 20);
	struct xml_schema *schema = NULL;
	struct problems ps;

	problems_init(&ps, pool);
	is_int(xml_schema_load(file_put(bad, strlen(bad)), &ps, &schema),
	    ERR_SYNTAX, "a schema with a fault is refused");
	ok(ps.count == 1 && ps.first->line == 2, "with its line");
	is_int(xml_schema_load("/nonexistent.xsd", &ps, &schema), ERR_SYNTAX,
	    "a schema that is not there");
	pool_close(pool);
}

/* n times before, then after, as one file. */
static void
test_many(const char *before, const char *after, int n, const char *want,
    const char *what)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	for (int i = 0; i < n; i++)
		buf_z(&b, before);
	for (int i = 0; i < n; i++)
		buf_z(&b, after);
	check_words(b.p, b.n, NULL, want);
	diag("%s", what);
	buf_release(&b);
}

static void
test_bounds(void)
{
	struct pool *pool = pool_open(1 << 20);
	const struct xml_node *root = NULL;
	struct problems ps;
	char wide[4000] = "<a";
	size_t n = 2;

	test_many("<a>", "</a>", 64, "", "64 deep");
	test_many("<a>", "</a>", 65,
	    "1: elements are nested more than 64 deep\n", "65 deep");
	for (int i = 0; i < 65; i++)
		n += (size_t)snprintf(
		    wide + n, sizeof(wide) - n, " b%d=\"\"", i);
	n += (size_t)snprintf(wide + n, sizeof(wide) - n, "/>");
	check_words(wide, n, NULL, "1: <a> has more than 64 attributes\n");
	problems_init(&ps, pool);
	is_int(
	    xml_load(pool, file_put("<a>12345</a>", 12), 11, NULL, &ps, &root),
	    ERR_SYNTAX, "one byte too long");
	ok(ps.first != NULL &&
		str_is(ps.first->what,
		    "the file is too long: at most 11 bytes are read"),
	    "and told");
	is_int(
	    xml_load(pool, file_put("<a>12345</a>", 12), 12, NULL, &ps, &root),
	    ERR_OK, "just long enough");
	is_int(xml_load(pool, "/nonexistent/x", 12, NULL, &ps, &root),
	    ERR_SYNTAX, "no such file");
	ok(str_is(ps.last->what, "there is no such file"), "and told");
	is_int(
	    xml_load(pool, dir, 12, NULL, &ps, &root), ERR_SYNTAX, "a folder");
	ok(str_is(ps.last->what, "this is not a regular file"), "and told");
	pool_close(pool);
	pool = pool_open(100);
	problems_init(&ps, pool);
	is_int(xml_load(pool, file_put("<a>12345<b/><b/><b/></a>", 24), 1000,
		   NULL, &ps, &root),
	    ERR_NOMEM, "a pool that is too small");
	pool_close(pool);
}

static void
test_tree(void)
{
	static const char bytes[] =
	    "<r xmlns:t=\"urn:t\" a=\"1 &amp; 2\" t:a=\"3\"><!--c-->x<![CDATA["
	    "<y>]]>&gt;\n<b>one</b><?pi x?><c/><b>two</b></r>";
	struct pool *pool = pool_open(1 << 20);
	const struct xml_node *root = NULL, *b;
	struct problems ps;

	problems_init(&ps, pool);
	is_int(xml_load(pool, file_put(bytes, strlen(bytes)), 1000, NULL, &ps,
		   &root),
	    ERR_OK, "a file loads");
	if (root == NULL)
		return;
	is_str(root->name, "r", "its root");
	is_str(xml_attr(root, "a"), "1 & 2", "an attribute");
	ok(xml_attr(root, "b").p == NULL, "an attribute that is not there");
	ok(root->attrs->next != NULL && str_is(root->attrs->next->ns, "urn:t"),
	    "an attribute in a namespace");
	is_int(root->first->kind, XML_KIND_COMMENT, "a comment");
	is_str(root->first->next->text, "x<y>>\n", "text and CDATA are one");
	is_str(xml_text(root, pool), "x<y>>\nonetwo", "all text");
	b = xml_child(root, "b");
	ok(b != NULL && b->line == 2 && b->parent == root, "a child");
	b = b == NULL ? NULL : xml_sibling(b, "b");
	is_str(b == NULL ? TEXT("") : xml_text(b, pool), "two", "its sibling");
	ok(b != NULL && xml_sibling(b, NULL) == NULL, "the last one");
	pool_close(pool);
}

static void
test_well_formed(void)
{
	int line = 0;

	is_int(xml_well_formed(STR("<!DOCTYPE html>\n<html "
				   "xmlns=\"http://www.w3.org/1999/xhtml\"/>"),
		   &line),
	    ERR_OK, "a page");
	is_int(xml_well_formed(STR("<p>\n<b></p>"), &line), ERR_SYNTAX,
	    "not a page");
	is_int(line, 2, "with its line");
	is_int(xml_well_formed(STR("<p>\x01</p>"), NULL), ERR_SYNTAX,
	    "a control character");
	is_int(xml_well_formed(STR("<p>\xef\xbf\xbe</p>"), NULL), ERR_SYNTAX,
	    "U+FFFE");
	is_int(xml_well_formed(STR("<p>a</p><p>b</p>"), NULL), ERR_SYNTAX,
	    "two roots");
}

int
main(void)
{
	struct xml_schema *schema;

	xml_init();
	if (mkdtemp(dir) == NULL)
		return 99;
	schema = schema_open();
	for (size_t i = 0; schema != NULL &&
			   i < sizeof(schema_cases) / sizeof(schema_cases[0]);
	     i++)
		check_words(schema_cases[i].bytes,
		    strlen(schema_cases[i].bytes), schema,
		    schema_cases[i].want);
	for (size_t i = 0; i < sizeof(syntax_cases) / sizeof(syntax_cases[0]);
	     i++)
		check_words(syntax_cases[i].bytes,
		    strlen(syntax_cases[i].bytes), NULL, syntax_cases[i].want);
	test_schema_fault();
	test_bounds();
	test_tree();
	test_well_formed();
	xml_schema_free(schema);
	unlink(file_put("", 0));
	rmdir(dir);
	xml_shutdown();
	return done_testing();
}
