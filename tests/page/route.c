/* The route table, and how paths find their way in it. */
#include "config.h"

#include "page/route.h"

#include "tests/tap.h"

static enum err
nothing(struct req *rq)
{
	(void)rq;
	return ERR_OK;
}

static const struct route table[] = {
	{ "GET", "/", nothing, "home", ROLE_ANYONE, ROUTE_NOWHERE, NULL, 0, 0,
	    NULL },
	{ "GET", "/arena", nothing, "arena", ROLE_ANYONE, ROUTE_NOWHERE, NULL,
	    0, 0, NULL },
	{ "POST", "/arena", nothing, "arena", ROLE_VOTER, ROUTE_NOWHERE, NULL,
	    9, 0, NULL },
	{ "GET", "/match/+", nothing, "match", ROLE_VOTER, ROUTE_NOWHERE, NULL,
	    0, 0, NULL },
	{ "GET", "/match/+/result", nothing, "result", ROLE_VOTER,
	    ROUTE_NOWHERE, NULL, 0, 0, NULL },
	{ NULL, NULL, NULL, NULL, ROLE_ANYONE, ROUTE_NOWHERE, NULL, 0, 0,
	    NULL },
};

static void
find(const char *method, const char *path, enum err want, const char *page,
    const char *allowed)
{
	const struct route *r = NULL;
	char allow[64];
	enum err e = route_find(
	    table, str_of(method), str_of(path), &r, allow, sizeof(allow));

	is_int(e, want, "%s %s", method, path);
	if (page != NULL && r != NULL)
		is_str(r->page, page, "%s %s leads to %s", method, path, page);
	if (allowed != NULL)
		is_str(
		    (const char *)allow, allowed, "%s %s: Allow", method, path);
}

int
main(void)
{
	find("GET", "/", ERR_OK, "home", NULL);
	find("HEAD", "/", ERR_OK, "home", NULL);
	find("POST", "/", ERR_METHOD, NULL, "GET, HEAD");
	find("FOO", "/arena", ERR_METHOD, NULL, "GET, HEAD, POST");
	find("get", "/arena", ERR_METHOD, NULL, NULL);
	find("POST", "/arena", ERR_OK, "arena", NULL);
	find("GET", "/arena/", ERR_NOTFOUND, NULL, NULL);
	find("GET", "/aren", ERR_NOTFOUND, NULL, NULL);
	find("GET", "/match/abc", ERR_OK, "match", NULL);
	find("GET", "/match/", ERR_NOTFOUND, NULL, NULL);
	find("GET", "/match/abc/", ERR_NOTFOUND, NULL, NULL);
	find("GET", "/match/abc/result", ERR_OK, "result", NULL);
	find("GET", "/match//result", ERR_NOTFOUND, NULL, NULL);
	find("GET", "/match/abc/result/x", ERR_NOTFOUND, NULL, NULL);
	find("GET", "//", ERR_NOTFOUND, NULL, NULL);
	return done_testing();
}
