/* In which language a page comes, and what it says of itself. */
#include "config.h"

#include "port/xml.h"
#include "tests/page/site.h"

static struct site_test t;

/* GET uri with that Accept-Language; it comes in that language. */
static void
comes_in(const char *uri, const char *accept, const char *lang, const char *dir)
{
	struct pool *pool = pool_open(1u << 16);
	struct str html = pool_printf(
	    pool, "lang=\"%s\" xml:lang=\"%s\" dir=\"%s\"", lang, lang, dir);
	int line = 0;

	if (accept != NULL)
		with(&t, "HTTP_ACCEPT_LANGUAGE", accept);
	(void)ask(&t, "GET", uri, NULL);
	is_str(header(&t, "Content-Language"), lang, "%s for \"%s\" is in %s",
	    uri, accept != NULL ? accept : "(no header)", lang);
	ok(body_has(&t, html.p), "and says so with its direction");
	is_int(xml_well_formed(buf_as_str(&t.out), &line), ERR_OK,
	    "and is well-formed");
	pool_close(pool);
}

static void
test_browser(void)
{
	comes_in("/", NULL, "en", "ltr");
	comes_in("/", "en-GB,en;q=0.9,zh-TW;q=0.8", "en", "ltr");
	comes_in("/", "zh-TW,zh;q=0.9,en-US;q=0.8", "zh-Hant-TW", "ltr");
	comes_in("/", "zh-Hant", "zh-Hant-TW", "ltr");
	comes_in("/", "zh", "zh-Hant-TW", "ltr");
	comes_in("/", "fa-IR,fa;q=0.9", "fa", "rtl");
	comes_in("/", "de,fa;q=0.5,en;q=0.4", "fa", "rtl");
	comes_in("/nowhere", "fa", "fa", "rtl");
	comes_in("/leaderboard?type=nonsense", "zh-TW", "zh-Hant-TW", "ltr");
	with(&t, "HTTP_ACCEPT_LANGUAGE", "fa");
	(void)ask(&t, "GET", "/leaderboard", NULL);
	is_str(header(&t, "Vary"), "Accept-Language",
	    "a shared page says what it depends on");
	with(&t, "HTTP_ACCEPT_LANGUAGE", "fa");
	(void)ask(&t, "GET", "/plot/intervals.svg", NULL);
	is_str(header(&t, "Vary"), "Accept-Language", "and so does a picture");
}

/* A browser that asks for none of ours gets the site's own. */
static void
test_site(void)
{
	struct conf *conf = t.site.app->conf;
	struct text before = conf->lang;

	conf->lang = TEXT("fa");
	comes_in("/", NULL, "fa", "rtl");
	comes_in("/", "de, fr;q=0.3", "fa", "rtl");
	comes_in("/", "*", "fa", "rtl");
	comes_in("/", "de, en;q=0.1", "en", "ltr");
	with(&t, "HTTP_ACCEPT_LANGUAGE", "zh-TW");
	(void)ask(&t, "GET", "/feed.atom", NULL);
	is_str(header(&t, "Content-Language"), "fa",
	    "the feed is in the site's language, whoever fetches it");
	ok(body_has(&t, "<feed ") && body_has(&t, "xml:lang=\"fa\""),
	    "and says so");
	conf->lang = TEXT("de");
	comes_in("/", "fr", "en", "ltr");
	conf->lang = before;
}

/* What a person has chosen goes before what the browser says. */
static void
test_account(void)
{
	char csrf[128], form[256];

	(void)ask(&t, "POST", "/arena", "type=any");
	(void)ask(&t, "GET", "/preferences", NULL);
	ok(body_has(&t, "繁體中文（台灣）") && body_has(&t, "فارسی"),
	    "each language is called by its own name");
	snprintf(form, sizeof(form), "lang=fa&csrf=%s", token(&t, csrf));
	is_int(ask(&t, "POST", "/preferences", form), 303, "a language");
	comes_in("/", "zh-TW", "fa", "rtl");
	comes_in("/preferences", NULL, "fa", "rtl");
	snprintf(form, sizeof(form), "lang=tlh&csrf=%s", token(&t, csrf));
	is_int(ask(&t, "POST", "/preferences", form), 400,
	    "one that there is not is refused");
	comes_in("/", "zh-TW", "fa", "rtl");
	(void)ask(&t, "GET", "/preferences", NULL);
	snprintf(form, sizeof(form), "lang=&csrf=%s", token(&t, csrf));
	is_int(
	    ask(&t, "POST", "/preferences", form), 303, "the browser's again");
	comes_in("/", "zh-TW", "zh-Hant-TW", "ltr");
}

/* When no page can be made at all, the one that lies there. */
static void
test_last_resort(void)
{
	for (size_t i = 0; t.site.app->langs[i] != NULL; i++) {
		struct pool *pool = pool_open(1u << 16);
		struct str s = t.site.app->last_resort[i];
		struct str lang =
		    pool_printf(pool, " lang=\"%s\"", t.site.app->langs[i]);

		ok(memmem(s.p, s.n, lang.p, lang.n) != NULL,
		    "the last resort in %s", t.site.app->langs[i]);
		pool_close(pool);
	}
}

int
main(void)
{
	const char *build = getenv("BUILDDIR");
	char data[512], some[600];

	snprintf(data, sizeof(data), "%s/data", build != NULL ? build : ".");
	snprintf(some, sizeof(some), "%s/templates/fa", data);
	if (access(some, R_OK) != 0) {
		printf("1..0 # SKIP built without translations\n");
		return 0;
	}
	site_test_data = data;
	ok(site_test_start(&t), "the arena starts in all its languages");
	test_browser();
	test_site();
	test_account();
	test_last_resort();
	site_test_stop(&t);
	return done_testing();
}
