/* Every fault of a template is told with its line and a remedy. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/pool.h"
#include "tests/tap.h"
#include "tests/view/sample.h"

#define HTML                                                                   \
	"<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "       \
	"xmlns:t=\"urn:prompt-arena:template\">\n"
#define BODY(x)                                                                \
	HTML "<head><title>T</title></head>\n<body>\n" x "</body></html>"
#define MESSAGES(x) BODY("<p t:message=\"greeting\">Hello</p>\n" x)
#define GOOD_MESSAGES                                                          \
	MESSAGES("<p t:message=\"matches.one\">1</p>"                          \
		 "<p t:message=\"matches.other\">2</p>"                        \
		 "<p t:message=\"voted\">3</p>")

static const struct view_page pages[] = {
	{ "page.xhtml", &page_shape },
	{ NULL, NULL },
};

struct fault_case {
	const char *name;
	const char *file, *bytes; /* a second file; NULL none */
	const char *page;         /* NULL: no page.xhtml at all */
	const char *want;         /* problems as "file:line: words\n" */
};

static const struct fault_case cases[] = {
	{ "nothing wrong", NULL, NULL, BODY("<p t:text=\"title\">x</p>\n"),
	    "" },
	{ "misspelt name", NULL, NULL, BODY("<p t:text=\"titel\">x</p>\n"),
	    "page.xhtml:5: t:text=\"titel\": there is no such name; did you "
	    "mean \"title\"?\n" },
	{ "name of the outer rows inside", NULL, NULL,
	    BODY("<ul><li t:each=\"items\" t:text=\"titlle\">x</li></ul>\n"),
	    "page.xhtml:5: t:text=\"titlle\": there is no such name; did you "
	    "mean \"title\"?\n" },
	{ "name of the inner rows outside", NULL, NULL,
	    BODY("<ul><li t:each=\"items\">x</li></ul>\n"
		 "<p t:text=\"points\">x</p>\n"),
	    "page.xhtml:6: t:text=\"points\": there is no such name; known "
	    "here: title, comment, absent, link, anywhere, body, "
	    "nothing, number, unknown, ratio, not_a_number, on, off, "
	    "when, never, items, none, one, nobody, said, silent, "
	    "figures, site, notices, ...\n" },
	{ "two faults, two lines", NULL, NULL,
	    BODY("<p t:if=\"onn\">x</p>\n<p t:unless=\"offf\">x</p>\n"),
	    "page.xhtml:5: t:if=\"onn\": there is no such name; did you mean "
	    "\"on\"?\n"
	    "page.xhtml:6: t:unless=\"offf\": there is no such name; did you "
	    "mean \"off\"?\n" },
	{ "the line of a tag that spans lines", NULL, NULL,
	    BODY("<p\n  class=\"x\"\n  t:text=\"titel\">x</p>\n"),
	    "page.xhtml:5: t:text=\"titel\": there is no such name; did you "
	    "mean \"title\"?\n" },
	{ "text as markup", NULL, NULL, BODY("<p t:markup=\"title\"></p>\n"),
	    "page.xhtml:5: t:markup=\"title\": title is a text; use t:text\n" },
	{ "markup as text", NULL, NULL, BODY("<p t:text=\"body\"></p>\n"),
	    "page.xhtml:5: t:text=\"body\": body is marked-up text; use "
	    "t:markup\n" },
	{ "markup in an attribute", NULL, NULL,
	    BODY("<p t:title=\"body\"></p>\n"),
	    "page.xhtml:5: t:title=\"body\": body is marked-up text; it "
	    "cannot stand in an attribute\n" },
	{ "markup in a title", NULL, NULL,
	    HTML
	    "<head><title t:markup=\"body\">x</title></head><body/></html>",
	    "page.xhtml:3: t:markup=\"body\": only text can stand here\n" },
	{ "flag as text", NULL, NULL, BODY("<p t:text=\"on\"></p>\n"),
	    "page.xhtml:5: t:text=\"on\": on is a yes or no; use t:if\n" },
	{ "list as text", NULL, NULL, BODY("<p t:text=\"items\"></p>\n"),
	    "page.xhtml:5: t:text=\"items\": items is a list; use t:each\n" },
	{ "row as an attribute", NULL, NULL, BODY("<p t:id=\"one\"></p>\n"),
	    "page.xhtml:5: t:id=\"one\": one is a row; it cannot stand in an "
	    "attribute\n" },
	{ "text repeated", NULL, NULL, BODY("<p t:each=\"title\"></p>\n"),
	    "page.xhtml:5: t:each=\"title\": title is a text; only a list or "
	    "a row can be repeated\n" },
	{ "text as an address", NULL, NULL,
	    BODY("<p><a t:href=\"title\">x</a></p>\n"),
	    "page.xhtml:5: t:href=\"title\": title is a text; an address is "
	    "needed\n" },
	{ "text and markup", NULL, NULL,
	    BODY("<p t:text=\"title\" t:markup=\"body\"></p>\n"),
	    "page.xhtml:5: t:text and t:markup cannot stand together\n" },
	{ "script in an attribute", NULL, NULL,
	    BODY("<p onclick=\"x()\">x</p>\n"),
	    "page.xhtml:5: the attribute \"onclick\" is not allowed: the "
	    "pages' security policy forbids script and style in them\n" },
	{ "a style attribute by name", NULL, NULL,
	    BODY("<p t:style=\"title\">x</p>\n"),
	    "page.xhtml:5: the attribute \"style\" is not allowed: the pages' "
	    "security policy forbids script and style in them\n" },
	{ "script in the page", NULL, NULL, BODY("<script>x()</script>\n"),
	    "page.xhtml:5: <script> is not allowed here: script and style "
	    "stand in files of their own\n" },
	{ "a script of another host", NULL, NULL,
	    BODY("<script src=\"https://cdn.example/x.js\"></script>\n"),
	    "page.xhtml:5: src=\"https://cdn.example/x.js\" is not allowed in "
	    "<script>: pages fetch nothing from other hosts; put the file "
	    "under htdocs/static and write /static/ and its name\n" },
	{ "a picture of another host without its scheme", NULL, NULL,
	    BODY("<img alt=\"\" src=\"/\\cdn.example/x.png\"/>\n"),
	    "page.xhtml:5: src=\"/\\cdn.example/x.png\" is not allowed in "
	    "<img>: pages fetch nothing from other hosts; put the file "
	    "under htdocs/static and write /static/ and its name\n" },
	{ "one of several pictures", NULL, NULL,
	    BODY("<img alt=\"\" src=\"/a\" srcset=\"/b 1x, //c/d 2x\"/>\n"),
	    "page.xhtml:5: srcset=\"/b 1x, //c/d 2x\" is not allowed in "
	    "<img>: pages fetch nothing from other hosts; put the file "
	    "under htdocs/static and write /static/ and its name\n" },
	{ "a stylesheet of another host", NULL, NULL,
	    HTML "<head><title>T</title>\n<link rel=\"stylesheet\" "
		 "href=\"http://a.example/a.css\"/></head><body/></html>",
	    "page.xhtml:4: href=\"http://a.example/a.css\" is not allowed in "
	    "<link>: pages fetch nothing from other hosts; put the file "
	    "under htdocs/static and write /static/ and its name\n" },
	{ "a link that is a script", NULL, NULL,
	    BODY("<a href=\" Java&#10;Script:alert(1)\">x</a>\n"),
	    "page.xhtml:5: href=\" Java\nScript:alert(1)\" is not allowed in "
	    "<a>: a link leads to a page; write a path that begins with /, or "
	    "https:// or mailto:\n" },
	{ "links that people may follow", NULL, NULL,
	    BODY("<p><a href=\"https://example.edu/\">x</a> <a "
		 "href=\"mailto:a@example.edu\">x</a> <a href=\"#top\">x</a> "
		 "<a href=\"/x?a=b:c\">x</a> <a href=\"x/y:z\">x</a></p>"),
	    "" },
	{ "a sample that is never written", NULL, NULL,
	    BODY("<img alt=\"\" src=\"https://a.example/\" t:src=\"link\"/>\n"
		 "<p t:if=\"on\"><a href=\"javascript:x\" "
		 "t:href=\"link\">x</a></p>"),
	    "" },
	{ "another base", NULL, NULL,
	    HTML "<head><title>T</title>\n<base href=\"/x/\"/></head>"
		 "<body/></html>",
	    "page.xhtml:4: <base> is not allowed: it would lead every link of "
	    "the page elsewhere; write addresses that begin with /, the path "
	    "of this site is put before them\n" },
	{ "another page in a frame", NULL, NULL,
	    BODY("<iframe title=\"x\" src=\"/\"></iframe>\n"),
	    "page.xhtml:5: an element that shows another page or program is "
	    "not allowed: the pages' security policy forbids it; write a link "
	    "with <a href>\n" },
	{ "a form for another host", NULL, NULL,
	    BODY("<form method=\"post\" action=\"https://a.example/\"/>\n"),
	    "page.xhtml:5: action=\"https://a.example/\" is not allowed in "
	    "<form>: the pages' security policy sends forms to this site "
	    "alone; write a path that begins with /\n" },
	{ "a form that would show its token", NULL, NULL,
	    BODY("<form method=\"get\" action=\"/a\"><p><input "
		 "name=\"csrf\" t:value=\"title\"/></p></form>\n"),
	    "page.xhtml:5: this form sends csrf, so it changes something; "
	    "without method=\"post\" its token would stand in the address: "
	    "write method=\"post\"\n" },
	{ "a form that posts and one that asks", NULL, NULL,
	    BODY("<form method=\"POST\" action=\"/a\"><p><input "
		 "name=\"csrf\"/></p></form><form action=\"/b\"><p><input "
		 "name=\"q\"/></p></form>"),
	    "" },
	{ "an unknown order", NULL, NULL,
	    BODY("<t:for t:each=\"items\">x</t:for>\n"),
	    "page.xhtml:5: there is no <t:for>; only <t:put>\n" },
	{ "attributes of what is never written", NULL, NULL,
	    BODY("<t:put class=\"x\">x</t:put>\n<t:put t:id=\"title\"/>\n"),
	    "page.xhtml:5: <t:put> is never written; its attribute \"class\" "
	    "does nothing\n"
	    "page.xhtml:6: <t:put> is never written; t:id does nothing "
	    "there\n" },
	{ "svg in the wrong namespace", NULL, NULL,
	    BODY("<svg viewBox=\"0 0 1 1\"></svg>\n"),
	    "page.xhtml:5: write <svg "
	    "xmlns=\"http://www.w3.org/2000/svg\">\n" },
	{ "an element from elsewhere", NULL, NULL,
	    BODY("<x xmlns=\"urn:x\"/>\n"),
	    "page.xhtml:5: <x> is not an element of a page\n" },
	{ "an attribute from elsewhere", NULL, NULL,
	    BODY("<p xmlns:x=\"urn:x\" x:y=\"1\"/>\n"),
	    "page.xhtml:5: the attribute \"y\" has an unknown prefix\n" },
	{ "content where none can be", NULL, NULL,
	    BODY("<p><br t:text=\"title\"/></p>\n"),
	    "page.xhtml:5: <br> can hold nothing\n" },
	{ "a sentence defined in a page", NULL, NULL,
	    BODY("<p t:message=\"greeting\">x</p>\n"),
	    "page.xhtml:5: t:message stands in messages.xhtml; a page shows a "
	    "sentence with t:text\n" },
	{ "no such include", NULL, NULL,
	    BODY("<p t:include=\"nowhere.xhtml\"/>\n"),
	    "nowhere.xhtml:0: there is no such file\n"
	    "page.xhtml:5: t:include=\"nowhere.xhtml\": this file has a fault "
	    "or is not there\n" },
	{ "an include from another folder", NULL, NULL,
	    BODY("<p t:include=\"../page.xhtml\"/>\n"),
	    "page.xhtml:5: t:include=\"../page.xhtml\": only the name of a "
	    "file in the same folder is allowed\n" },
	{ "an include of itself", NULL, NULL,
	    BODY("<p t:include=\"page.xhtml\"/>\n"),
	    "page.xhtml:5: t:include=\"page.xhtml\": the file would include "
	    "itself\n" },
	{ "an include in a circle", "other.xhtml",
	    BODY("<p t:include=\"page.xhtml\"/>\n"),
	    BODY("<p t:include=\"other.xhtml\"/>\n"),
	    "other.xhtml:5: t:include=\"page.xhtml\": the file would include "
	    "itself\n" },
	{ "a fault in an included file, told once", "other.xhtml",
	    BODY("<p t:text=\"titel\"/>\n"),
	    BODY("<p t:include=\"other.xhtml\"/>\n<p "
		 "t:include=\"other.xhtml\"/>\n"),
	    "other.xhtml:5: t:text=\"titel\": there is no such name; did you "
	    "mean \"title\"?\n" },
	{ "an include without its part", "other.xhtml", HTML "</html>",
	    BODY("<p t:include=\"other.xhtml\"/>\n"),
	    "page.xhtml:5: t:include=\"other.xhtml\": this file has no "
	    "<body>\n" },
	{ "not a page", NULL, NULL, "<p>hello</p>",
	    "page.xhtml:1: the outermost element must be <html "
	    "xmlns=\"http://www.w3.org/1999/xhtml\">, <svg "
	    "xmlns=\"http://www.w3.org/2000/svg\"> of a picture, or <feed "
	    "xmlns=\"http://www.w3.org/2005/Atom\">\n" },
	{ "no namespace", NULL, NULL, "<html><body/></html>",
	    "page.xhtml:1: the outermost element must be <html "
	    "xmlns=\"http://www.w3.org/1999/xhtml\">, <svg "
	    "xmlns=\"http://www.w3.org/2000/svg\"> of a picture, or <feed "
	    "xmlns=\"http://www.w3.org/2005/Atom\">\n" },
	{ "prefix not declared", NULL, NULL,
	    "<html xmlns=\"http://www.w3.org/1999/xhtml\">\n<p "
	    "t:text=\"title\"/></html>",
	    "page.xhtml:2: the prefix \"t:\" is not declared; write "
	    "xmlns:t=\"...\" in the outermost element\n" },
	{ "an entity of HTML", NULL, NULL, BODY("<p>a&nbsp;b</p>\n"),
	    "page.xhtml:5: there is no &nbsp; here; write the character "
	    "itself\n" },
	{ "another doctype", NULL, NULL,
	    "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" "
	    "\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n<html/>",
	    "page.xhtml:1: only <!DOCTYPE html> is allowed here\n" },
	{ "entities declared", NULL, NULL,
	    "<!DOCTYPE html [<!ENTITY a \"b\">]>\n<html/>",
	    "page.xhtml:1: only <!DOCTYPE html> is allowed here\n" },
	{ "no page", NULL, NULL, NULL,
	    "page.xhtml:0: there is no such file\n" },
	{ "an unknown sentence", "messages.xhtml",
	    MESSAGES("<p t:message=\"matches.one\">1</p>"
		     "<p t:message=\"matches.other\">2</p>\n"
		     "<p t:message=\"votde\">3</p>"),
	    BODY(""),
	    "messages.xhtml:7: t:message=\"votde\": the program has no "
	    "sentence of that name; did you mean \"voted\"?\n"
	    "messages.xhtml:0: the sentence t:message=\"voted\" is missing\n" },
	{ "a sentence twice", "messages.xhtml",
	    MESSAGES("<p t:message=\"matches.one\">1</p>"
		     "<p t:message=\"matches.other\">2</p>\n"
		     "<p t:message=\"voted\">3</p>\n"
		     "<p t:message=\"voted\">3</p>"),
	    BODY(""),
	    "messages.xhtml:8: t:message=\"voted\" stands here a second "
	    "time\n" },
	{ "one without other", "messages.xhtml",
	    MESSAGES("<p t:message=\"matches.one\">1</p>"
		     "<p t:message=\"voted\">3</p>\n"),
	    BODY(""),
	    "messages.xhtml:0: \"matches.other\" is missing beside "
	    "\"matches.one\"\n" },
	{ "other without one", "messages.xhtml",
	    MESSAGES("<p t:message=\"matches.other\">1</p>"
		     "<p t:message=\"voted\">3</p>\n"),
	    BODY(""),
	    "messages.xhtml:0: \"matches.one\" is missing beside "
	    "\"matches.other\"\n" },
	{ "a form and none", "messages.xhtml",
	    MESSAGES("<p t:message=\"matches\">1</p>"
		     "<p t:message=\"voted.one\">3</p>"
		     "<p t:message=\"voted.other\">3</p>"
		     "<p t:message=\"matches.one\">1</p>\n"),
	    BODY(""),
	    "messages.xhtml:0: \"matches\" stands both alone and as "
	    "\"matches.one\" or \"matches.other\"\n" },
	{ "a sentence about what it does not know", "messages.xhtml",
	    MESSAGES("<p t:message=\"matches.one\">1</p>"
		     "<p t:message=\"matches.other\"><b t:text=\"m\"/></p>\n"
		     "<p t:message=\"voted\">3</p>"),
	    BODY(""),
	    "messages.xhtml:6: t:text=\"m\": there is no such name; known "
	    "here: n, who, site, notices, title\n" },
};

static void
file_put(const char *dir, const char *name, const char *bytes)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
	if (bytes == NULL)
		return;
	f = fopen(path, "w");
	if (f == NULL)
		abort();
	fputs(bytes, f);
	fclose(f);
}

static void
run(const struct fault_case *c, const char *dir)
{
	static const char *const langs[] = { "en", NULL };
	struct view_conf conf = { .dir = dir,
		.langs = langs,
		.pages = pages,
		.frame = &frame_shape,
		.messages = sample_messages };
	struct pool *pool = pool_open(1 << 20);
	struct view_set *set = NULL;
	struct problems ps;
	struct buf got;
	enum err e;

	problems_init(&ps, pool);
	file_put(dir, "messages.xhtml", GOOD_MESSAGES);
	file_put(dir, "page.xhtml", c->page);
	if (c->file != NULL)
		file_put(dir, c->file, c->bytes);
	e = view_set_open(&set, &conf, &ps);
	is_int(e, c->want[0] == '\0' ? ERR_OK : ERR_SYNTAX, "%s", c->name);
	buf_init(&got, 1 << 16);
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		buf_printf(&got, "%s:%d: %s\n", strrchr(p->file.p, '/') + 1,
		    p->line, p->what.p);
	is_str(buf_as_str(&got), c->want, "%s: the words", c->name);
	buf_release(&got);
	view_set_close(set);
	if (c->file != NULL)
		file_put(dir, c->file, NULL);
	pool_close(pool);
}

int
main(void)
{
	char dir[] = "/tmp/view-faults-XXXXXX";

	xml_init();
	if (mkdtemp(dir) == NULL)
		return 99;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run(&cases[i], dir);
	file_put(dir, "page.xhtml", NULL);
	file_put(dir, "messages.xhtml", NULL);
	rmdir(dir);
	xml_shutdown();
	return done_testing();
}
