/*
 * fcgi_params - what a web server says about a request.
 *
 * Layer    port: base.
 * Memory   names and values live in the request's pool.
 * Threads  pure.
 */
#ifndef PA_FCGI_PARAMS_H
#define PA_FCGI_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "port/fcgi.h"

struct fcgi_pair {
	const char *name;
	const char *value;
};

struct fcgi_params {
	struct fcgi_pair all[FCGI_PARAMS_MAX];
	size_t n;
	uint64_t body_length; /* as announced; 0: no body */
};

/*
 * Add the "NAME=value" of envp, which ends with NULL, to ps, which is empty.
 * ERR_TOOBIG for more than FCGI_PARAMS_MAX, FCGI_PARAM_BYTES_MAX or the pool
 * allows; ERR_INVALID for another role than RESPONDER, a length that is none,
 * and a fact told twice.  Each is logged, but for a full pool.
 */
enum err fcgi_params_read(
    struct fcgi_params *ps, struct pool *pool, char *const *envp) PA_MUST_USE;

/* The value of that name, or NULL. */
const char *fcgi_params_find(const struct fcgi_params *ps, const char *name);

#endif /* PA_FCGI_PARAMS_H */
