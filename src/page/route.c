/* This file knows how to find the route for a method and a path. */
#include "config.h"

#include "page/route.h"

#include <stdio.h>
#include <string.h>

static bool same_method(const struct route *, struct str method);
static void add_allowed(char *allow, size_t n, const char *method);

enum err
route_find(const struct route *table, struct str method, struct str path,
    const struct route **out, char *allow, size_t allow_n)
{
	bool known = false;

	allow[0] = '\0';
	for (const struct route *r = table; r->method != NULL; r++) {
		if (!route_fits(r->pattern, path))
			continue;
		if (same_method(r, method)) {
			*out = r;
			return ERR_OK;
		}
		known = true;
		add_allowed(allow, allow_n, r->method);
	}
	return known ? ERR_METHOD : ERR_NOTFOUND;
}

bool
route_fits(const char *pattern, struct str path)
{
	size_t i = 0;

	for (const char *p = pattern; *p != '\0'; p++) {
		if (*p != '+') {
			if (i == path.n || path.p[i] != *p)
				return false;
			i++;
			continue;
		}
		if (i == path.n || path.p[i] == '/')
			return false;
		while (i < path.n && path.p[i] != '/')
			i++;
	}
	return i == path.n;
}

static bool
same_method(const struct route *r, struct str method)
{
	if (str_is(method, "HEAD"))
		method = STR("GET");
	return str_is(method, r->method);
}

static void
add_allowed(char *allow, size_t n, const char *method)
{
	size_t used = strlen(allow);

	snprintf(allow + used, n - used, "%s%s", used > 0 ? ", " : "",
	    strcmp(method, "GET") == 0 ? "GET, HEAD" : method);
}
