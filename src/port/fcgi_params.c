/* This file knows how to read the parameters that a web server sends. */
#include "config.h"

#include "port/fcgi_params.h"

#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"

static enum err add_param(struct fcgi_params *ps, struct pool *pool,
    const char *name, const char *value);
static enum err join_param(
    struct pool *pool, struct fcgi_pair *p, const char *more);
static enum err read_length(struct fcgi_params *ps);

enum err
fcgi_params_read(struct fcgi_params *ps, struct pool *pool, char *const *envp)
{
	size_t bytes = 0;
	enum err e;

	for (char *const *at = envp; *at != NULL; at++) {
		const char *equals = strchr(*at, '=');
		const char *value;
		struct str name;

		bytes += strlen(*at);
		if (bytes > FCGI_PARAM_BYTES_MAX) {
			log_warning("a request with over 16 KB of parameters");
			return ERR_TOOBIG;
		}
		if (equals == NULL)
			continue;
		name =
		    pool_str(pool, (struct str){ *at, (size_t)(equals - *at) });
		value = pool_strdup(pool, equals + 1);
		e = pool_failed(pool) ? ERR_TOOBIG
				      : add_param(ps, pool, name.p, value);
		if (e != ERR_OK)
			return e;
	}
	if (strcmp(fcgi_params_find(ps, "FCGI_ROLE"), "RESPONDER") != 0) {
		log_warning("a request for a role other than RESPONDER");
		return ERR_INVALID;
	}
	return read_length(ps);
}

const char *
fcgi_params_find(const struct fcgi_params *ps, const char *name)
{
	for (size_t i = 0; i < ps->n; i++) {
		if (strcmp(ps->all[i].name, name) == 0)
			return ps->all[i].value;
	}
	return NULL;
}

static enum err
add_param(struct fcgi_params *ps, struct pool *pool, const char *name,
    const char *value)
{
	for (size_t i = 0; i < ps->n; i++) {
		if (strcmp(ps->all[i].name, name) == 0)
			return join_param(pool, &ps->all[i], value);
	}
	if (ps->n == FCGI_PARAMS_MAX) {
		log_warning(
		    "a request with over %d parameters", FCGI_PARAMS_MAX);
		return ERR_TOOBIG;
	}
	ps->all[ps->n++] = (struct fcgi_pair){ name, value };
	return ERR_OK;
}

/* The same name again: fatal for facts, a second line for cookies. */
static enum err
join_param(struct pool *pool, struct fcgi_pair *p, const char *more)
{
	static const char *const single[] = { "HTTP_HOST", "HTTP_ORIGIN",
		"HTTP_AUTHORIZATION", "HTTP_CONTENT_TYPE",
		"HTTP_CONTENT_LENGTH", "HTTP_SEC_FETCH_SITE" };
	bool fatal = strncmp(p->name, "HTTP_", 5) != 0;

	if (strcmp(p->name, "HTTP_COOKIE") == 0) {
		p->value = pool_printf(pool, "%s; %s", p->value, more).p;
		return ERR_OK;
	}
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
		fatal = fatal || strcmp(p->name, single[i]) == 0;
	if (!fatal)
		return ERR_OK; /* the first one stands */
	log_warning("the web server sent %s twice: request refused "
		    "(is fastcgi_params included as well?)",
	    p->name);
	return ERR_INVALID;
}

static enum err
read_length(struct fcgi_params *ps)
{
	const char *z = fcgi_params_find(ps, "CONTENT_LENGTH");
	int64_t n;

	if (z == NULL || z[0] == '\0')
		return ERR_OK;
	if (str_int(str_of(z), 0, INT64_MAX, &n) != ERR_OK || z[0] == '-') {
		log_warning("CONTENT_LENGTH is \"%s\": request refused", z);
		return ERR_INVALID;
	}
	ps->body_length = (uint64_t)n;
	return ERR_OK;
}
