/* From the request line to the finished answer, whatever is asked. */
#include "config.h"

#include "port/xml.h"
#include "tests/page/site.h"

static struct site_test t;

static void
check(const char *method, const char *uri, const char *form, int status)
{
	static const char *const always[] = { "Content-Security-Policy",
		"X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy",
		"Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy",
		"Permissions-Policy", "Cache-Control" };
	int line = 0;

	is_int(ask(&t, method, uri, form), status, "%s %.60s", method, uri);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++) {
		if (header(&t, always[i]).p == NULL)
			ok(false, "%s %.60s lacks %s", method, uri, always[i]);
	}
	if (str_starts(header(&t, "Content-Type"), "application/xhtml"))
		is_int(xml_well_formed(buf_as_str(&t.out), &line), ERR_OK,
		    "%s %.60s: well-formed", method, uri);
	if (status >= 400) {
		is_str(header(&t, "Cache-Control"), "private, no-store",
		    "%s %.60s: kept by nobody", method, uri);
		ok(body_has(&t, "<h1"), "%s %.60s: a designed page", method,
		    uri);
	}
}

static void
test_paths(void)
{
	static char long_uri[REQ_URI_MAX + 2];

	check("GET", "/", NULL, 200);
	check("HEAD", "/", NULL, 200);
	check("GET", "/?x=1", NULL, 200);
	check("GET", "/nowhere", NULL, 404);
	check("GET", "/leaderboard/", NULL, 404);
	check("GET", "//leaderboard", NULL, 404);
	check("GET", "/%6Ceaderboard", NULL, 200);
	check("GET", "/prompt/..%2f..%2fetc%2fpasswd", NULL, 400);
	check("GET", "/prompt/..%5c..", NULL, 400);
	check("GET", "/prompt/%2e%2e", NULL, 404);
	check("GET", "/prompt/a%0ab", NULL, 400);
	check("GET", "/prompt/a%00", NULL, 400);
	check("GET", "/prompt/%ff", NULL, 400);
	check("GET", "/prompt/%zz", NULL, 400);
	check("GET", "/prompt/%E4%BD%A0", NULL, 404);
	check("GET", "http://evil.example/", NULL, 400);
	check("GET", "", NULL, 400);
	check("GET", "/a/b/c/d/e/f/g/h/i/j", NULL, 404);
	memset(long_uri, 'a', sizeof(long_uri) - 1);
	long_uri[0] = '/';
	check("GET", long_uri, NULL, 414);
	ok(body_has(&t, "address is too long"), "the page says so");
	check("POST", long_uri, "a=b", 414);
	long_uri[REQ_URI_MAX] = '\0';
	check("GET", long_uri, NULL, 404);
	check("GET", "/match/aaaaaaaaaaaaaaaaaaaaaaaaaa", NULL, 404);
}

static void
test_methods(void)
{
	check("POST", "/leaderboard", "x=1", 405);
	is_str(header(&t, "Allow"), "GET, HEAD", "405 says what is allowed");
	check("DELETE", "/arena", NULL, 405);
	is_str(header(&t, "Allow"), "GET, HEAD, POST", "all of it");
	check("FOO", "/", NULL, 405);
	check("", "/", NULL, 405);
}

static void
test_base(void)
{
	with(&t, "PA_BASE", "/arena");
	check("GET", "/arena/", NULL, 200);
	ok(body_has(&t, "href=\"/arena/leaderboard\""), "links have the base");
	ok(!body_has(&t, "href=\"/leaderboard\""), "all of them");
	with(&t, "PA_BASE", "/arena");
	check("GET", "/arena", NULL, 200);
	with(&t, "PA_BASE", "/arena");
	check("GET", "/leaderboard", NULL, 404);
	with(&t, "PA_BASE", "/arena");
	check("GET", "/arenaleaderboard", NULL, 404);
	with(&t, "PA_BASE", "/arena");
	check("POST", "/arena/arena", "type=any", 303);
	ok(str_starts(header(&t, "Location"), "/arena/match/"),
	    "so has where a post leads");
	ok(memmem(header(&t, "Set-Cookie").p, header(&t, "Set-Cookie").n,
	       "Path=/arena/;", 13) != NULL,
	    "and the cookie's path");
	t.cookie[0] = '\0';
	with(&t, "PA_BASE", "/arena/");
	check("GET", "/arena/leaderboard", NULL, 200);
	ok(body_has(&t, "href=\"/arena/arena\""),
	    "a slash at the end of the base does no harm");
	with(&t, "PA_BASE", "//evil.example");
	check("GET", "//evil.example/", NULL, 400);
	ok(!body_has(&t, "//evil.example"),
	    "a base that is another host leads nowhere");
	with(&t, "PA_BASE", "evil.example");
	check("GET", "/", NULL, 400);
	with(&t, "PA_BASE", "/a\"><b");
	check("GET", "/", NULL, 400);
}

static void
test_bodies(void)
{
	static char big[260000];

	check("POST", "/arena", "type=any&type=coding", 400);
	check("POST", "/arena", "type=%zz", 400);
	check("POST", "/arena", "type=cooking", 400);
	ok(body_has(&t, "error-summary"), "the form comes back with a word");
	ok(t.cookie[0] == '\0', "and nobody got an account");
	check("POST", "/arena", "activity=nothing", 400);
	check("POST", "/arena", "lang=xx", 400);
	memset(big, 'a', sizeof(big) - 1);
	check("POST", "/arena", big, 413);
	with(&t, "CONTENT_TYPE", "text/plain");
	check("POST", "/arena", "type=any", 400);
	with(&t, "CONTENT_TYPE",
	    "Application/X-WWW-Form-Urlencoded; charset=UTF-8");
	check("POST", "/arena", "type=any", 303);
	t.cookie[0] = '\0';
}

static void
test_data(void)
{
	char tag[80];

	check("GET", "/leaderboard.csv", NULL, 200);
	snprintf(tag, sizeof(tag), "%.*s", (int)header(&t, "ETag").n,
	    header(&t, "ETag").p);
	with(&t, "HTTP_IF_NONE_MATCH", tag);
	check("GET", "/leaderboard.csv", NULL, 304);
	is_int(t.out.n, 0, "304 has no body");
	with(&t, "HTTP_IF_NONE_MATCH", "\"something else\"");
	check("GET", "/leaderboard.csv", NULL, 200);
	check("GET", "/ledger.jsonl", NULL, 200);
	ok(body_has(&t, "\"k\":\"open\""),
	    "the ledger begins at its beginning");
	check("GET", "/ledger.jsonl?from=x", NULL, 400);
	check("GET", "/leaderboard.json?sort=shoe", NULL, 400);
	check("GET", "/leaderboard?type=coding&type=writing", NULL, 400);
	check("GET", "/leaderboard?type=cooking", NULL, 400);
	check("GET", "/healthz", NULL, 200);
	check("GET", "/robots.txt", NULL, 200);
	check("GET", "/favicon.ico", NULL, 303);
}

static void
test_refused(void)
{
	struct req_source source = { &t, site_test_param, site_test_body };
	static char long_uri[REQ_URI_MAX + 2];

	memset(long_uri, 'a', sizeof(long_uri) - 1);
	long_uri[0] = '/';
	t.params_n = 0;
	site_answered(&t.rq);
	pool_clear(t.pool);
	site_answer(&t.site, t.db, t.pool, &t.out, &source, ERR_INVALID, &t.rq);
	is_int(t.rq.resp.status, 400, "what the port refused is answered");
	ok(body_has(&t, "<h1"), "with a page");
	site_answered(&t.rq);
	site_answer(&t.site, t.db, t.pool, &t.out, &source, ERR_TOOBIG, &t.rq);
	is_int(t.rq.resp.status, 431, "headers that are too large as well");
	ok(body_has(&t, "cookies"), "by their name");
	with(&t, "REQUEST_URI", long_uri);
	site_answered(&t.rq);
	site_answer(&t.site, t.db, t.pool, &t.out, &source, ERR_TOOBIG, &t.rq);
	is_int(t.rq.resp.status, 414, "unless the address took the room");
	t.params_n = 0;
	with(&t, "REQUEST_METHOD", "GET");
	with(&t, "REQUEST_URI", "/");
	ok(pool_alloc(t.pool, 64u << 20) == NULL, "more than the pool has");
	site_answered(&t.rq);
	site_answer(&t.site, t.db, t.pool, &t.out, &source, ERR_OK, &t.rq);
	is_int(t.rq.resp.status, 500, "without memory there is still a page");
	ok(body_has(&t, "<h1"), "the last resort");
	t.params_n = 0;
}

/* Pages for teachers and administrators are found by those they are for. */
static void
staff_links(void)
{
	size_t n = 0;

	for (const struct route *r = route_table; r->method != NULL; r++) {
		bool staff = r->who == ROLE_TEACHER || r->who == ROLE_ADMIN ||
			     r->who == ROLE_RESEARCHER;

		if (!staff || strcmp(r->method, "GET") != 0 ||
		    strchr(r->pattern, '+') != NULL)
			continue;
		ok(r->place == ROUTE_STAFF && r->label != NULL,
		    "%s is linked to", r->pattern);
		n++;
	}
	ok(n >= 4, "there are such pages: %zu", n);
}

int
main(void)
{
	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return done_testing();
	}
	test_paths();
	test_methods();
	test_base();
	test_bodies();
	test_data();
	test_refused();
	staff_links();
	site_test_stop(&t);
	return done_testing();
}
