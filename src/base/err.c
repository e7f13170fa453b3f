/* This file knows how to name failures. */
#include "config.h"

#include "base/err.h"

#include <stddef.h>

static const struct {
	const char *name;
	int exit_code; /* sysexits(3), as the manual promises */
} table[ERR__MAX] = {
	[ERR_OK] = { "ok", 0 },
	[ERR_INVALID] = { "invalid", 65 },
	[ERR_DENIED] = { "denied", 77 },
	[ERR_SIGNIN] = { "signin", 77 },
	[ERR_NOTFOUND] = { "notfound", 66 },
	[ERR_METHOD] = { "method", 64 },
	[ERR_TOOBIG] = { "toobig", 65 },
	[ERR_CONFLICT] = { "conflict", 65 },
	[ERR_CLOSED] = { "closed", 65 },
	[ERR_LIMIT] = { "limit", 75 },
	[ERR_BUSY] = { "busy", 75 },
	[ERR_FULL] = { "full", 74 },
	[ERR_IO] = { "io", 74 },
	[ERR_SYNTAX] = { "syntax", 78 },
	[ERR_CONFIG] = { "config", 78 },
	[ERR_CORRUPT] = { "corrupt", 78 },
	[ERR_NOMEM] = { "nomem", 71 },
	[ERR_INTERNAL] = { "internal", 70 },
};

const char *
err_name(enum err e)
{
	if ((size_t)e >= ERR__MAX)
		return "unknown";
	return table[e].name;
}

int
err_exit_code(enum err e)
{
	if ((size_t)e >= ERR__MAX)
		return 70;
	return table[e].exit_code;
}
