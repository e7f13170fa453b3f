/* An institution's own texts: what is shown, and what is refused by line. */
#include "config.h"

#include "page/owntext.h"

#include "tests/page/site.h"

#define HEAD                                                                   \
	"<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">"       \
	"<head><title>t</title></head>\n"

static struct pool *pool;
static char dir[] = "/tmp/owntext.XXXXXX";

static enum err
load(const char *bytes, struct markup *out, struct problems *ps)
{
	struct str path = pool_printf(pool, "%s/own.xhtml", dir);

	site_test_write(dir, "own.xhtml", bytes);
	problems_init(ps, pool);
	*out = (struct markup){ NULL, 0 };
	return owntext_load(pool, (struct text){ path.p, path.n }, ps, out);
}

static void
refused(const char *bytes, int line, const char *what)
{
	struct problems ps;
	struct markup m;

	is_int(load(bytes, &m, &ps), ERR_SYNTAX, "%s is refused", what);
	ok(ps.first != NULL && ps.first->line == line, "%s: at line %d", what,
	    line);
	ok(m.p == NULL, "%s: nothing of it is shown", what);
}

static void
test_texts(void)
{
	struct problems ps;
	struct markup m;

	is_int(load(HEAD "<body>\n<h2>Who &amp; why</h2><p>a &lt; b<br/>"
			 "<a href=\"https://x.example/?a=1&amp;b=2\">c</a></p>"
			 "</body></html>",
		   &m, &ps),
	    ERR_OK, "a whole page");
	is_str(((struct str){ m.p, m.n }),
	    "\n<h2>Who &amp; why</h2><p>a &lt; b<br/><a "
	    "href=\"https://x.example/?a=1&amp;b=2\">c</a></p>",
	    "its body is shown, escaped anew");
	refused(HEAD "<body><p>x</p>\n<script>1</script></body></html>", 4,
	    "a script");
	refused(HEAD "<body>\n<p onclick=\"f()\">x</p></body></html>", 4,
	    "a handler");
	refused(HEAD "<body>\n\n<p style=\"color:red\">x</p></body></html>", 5,
	    "a style");
	refused(HEAD "<body>\n<a href=\"javascript:f()\">x</a></body></html>",
	    4, "a link that is a script");
	refused(HEAD "<body>\n<img alt=\"\" src=\"https://x.example/a.png\"/>"
		     "</body></html>",
	    4, "a picture of another host");
	refused("<html xmlns=\"http://www.w3.org/1999/xhtml\">\n</html>", 1,
	    "a page without a body");
	is_int(load("<html><p></html>", &m, &ps), ERR_SYNTAX, "no XML");
	ok(ps.count > 0, "is named");
}

/* A site renewed while it runs: the new texts are there, the old app goes. */
static void
test_swap(void)
{
	static struct site_test t;
	struct problems ps;
	struct conf *conf;
	struct app *app;
	char path[128];

	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return;
	}
	is_int(ask(&t, "GET", "/privacy", NULL), 200, "privacy");
	ok(body_has(&t, "What is stored"), "our own text");
	site_test_write(t.dir, "privacy.xhtml",
	    HEAD "<body><p>We keep nothing.</p></body></html>");
	snprintf(path, sizeof(path), "%s/privacy.xhtml", t.dir);
	problems_init(&ps, pool);
	conf = site_test_conf(&ps, "demo.xml");
	conf->privacy = text_of(path);
	is_int(app_open(&app, conf, &ps), ERR_OK, "a new reading");
	is_int(site_swap(&t.site, app), ERR_OK, "is put in force");
	ok(str_is(header(&t, "Content-Language"), "en"),
	    "an answer that is still to be sent stays whole");
	is_int(ask(&t, "GET", "/privacy", NULL), 200, "privacy again");
	ok(body_has(&t, "We keep nothing."), "the institution's text");
	ok(!body_has(&t, "What is stored"), "in place of ours");
	site_test_write(
	    t.dir, "privacy.xhtml", HEAD "<body><p>x</body></html>");
	conf = site_test_conf(&ps, "demo.xml");
	conf->privacy = text_of(path);
	is_int(app_check(conf, &ps), ERR_SYNTAX, "a broken text");
	is_int(ask(&t, "GET", "/privacy", NULL), 200, "leaves the old one");
	ok(body_has(&t, "We keep nothing."), "in force");
	site_test_stop(&t);
}

int
main(void)
{
	pool = pool_open(4u << 20);
	if (mkdtemp(dir) == NULL)
		return 1;
	xml_init();
	test_texts();
	test_swap();
	nftw(dir, site_test_remove, 8, FTW_DEPTH | FTW_PHYS);
	pool_close(pool);
	return done_testing();
}
