/*
 * Did the visitor mean it?  Four kinds of token, four of Sec-Fetch-Site, four
 * of Origin: sixty-four posts, each through the whole site.
 */
#include "config.h"

#include "tests/page/site.h"

static struct site_test t;
static char good[128], others[128], mine[640];

static const char *const sites[] = { "same-origin", "same-site", "cross-site",
	NULL };
static const char *const origins[] = { "http://arena.example",
	"https://evil.example", "null", NULL };
enum {
	TOKEN_OK,
	TOKEN_BAD,
	TOKEN_MISSING,
	TOKEN_OTHERS,
	TOKEN__MAX
};
static const char *const token_names[TOKEN__MAX] = { "the right token",
	"a made-up token", "no token", "somebody else's token" };

/* The rule, written down a second time. */
static bool
wanted(int token_kind, const char *site, const char *origin)
{
	if (token_kind != TOKEN_OK)
		return false;
	if (site != NULL)
		return strcmp(site, "same-origin") == 0;
	return origin == NULL || strcmp(origin, origins[0]) == 0;
}

static void
try(int token_kind, const char *site, const char *origin)
{
	char form[256];
	int status;

	switch (token_kind) {
	case TOKEN_OK:
		snprintf(form, sizeof(form), "sound=1&csrf=%s", good);
		break;
	case TOKEN_BAD:
		snprintf(form, sizeof(form), "sound=1&csrf=%043d", 0);
		break;
	case TOKEN_OTHERS:
		snprintf(form, sizeof(form), "sound=1&csrf=%s", others);
		break;
	default:
		snprintf(form, sizeof(form), "sound=1");
	}
	if (site != NULL)
		with(&t, "HTTP_SEC_FETCH_SITE", site);
	if (origin != NULL)
		with(&t, "HTTP_ORIGIN", origin);
	status = ask(&t, "POST", "/preferences", form);
	is_int(status, wanted(token_kind, site, origin) ? 303 : 403,
	    "%s, Sec-Fetch-Site %s, Origin %s", token_names[token_kind],
	    site != NULL ? site : "absent", origin != NULL ? origin : "absent");
}

/* A new guest; leaves its cookie in t.cookie. */
static void
new_guest(char out[128])
{
	t.cookie[0] = '\0';
	ask(&t, "POST", "/arena", "type=any");
	ask(&t, "GET", "/preferences", NULL);
	token(&t, out);
}

static void
test_visitor(void)
{
	t.cookie[0] = '\0';
	with(&t, "HTTP_SEC_FETCH_SITE", "cross-site");
	is_int(ask(&t, "POST", "/arena", "type=any"), 403,
	    "another site starts no match for a visitor either");
	ok(t.cookie[0] == '\0', "and sets no cookie");
	with(&t, "HTTP_ORIGIN", "https://evil.example");
	is_int(
	    ask(&t, "POST", "/arena", "type=any"), 403, "nor another origin");
	with(&t, "HTTP_SEC_FETCH_SITE", "same-origin");
	is_int(ask(&t, "POST", "/arena", "type=any"), 303, "our own pages do");
	ok(t.cookie[0] != '\0', "and then the cookie is set");
}

static void
test_masks(void)
{
	char a[128], b[128], form[256];

	ask(&t, "GET", "/preferences", NULL);
	token(&t, a);
	ask(&t, "GET", "/preferences", NULL);
	token(&t, b);
	ok(a[0] != '\0' && strcmp(a, b) != 0, "no two pages carry one token");
	snprintf(form, sizeof(form), "csrf=%s", a);
	is_int(ask(&t, "POST", "/preferences", form), 303,
	    "and the earlier one still works");
	with(&t, "PA_USER", "alice");
	with(&t, "PA_SECRET", SECRET);
	is_int(ask(&t, "POST", "/preferences", form), 403,
	    "but not for a member in the same browser");
}

int
main(void)
{
	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return done_testing();
	}
	new_guest(others);
	new_guest(good);
	snprintf(mine, sizeof(mine), "%s", t.cookie);
	for (int k = 0; k < TOKEN__MAX; k++) {
		for (size_t s = 0; s < 4; s++) {
			for (size_t o = 0; o < 4; o++)
				try(k, sites[s], origins[o]);
		}
	}
	ok(strcmp(mine, t.cookie) == 0, "one and the same guest all the time");
	test_masks();
	test_visitor();
	site_test_stop(&t);
	return done_testing();
}
