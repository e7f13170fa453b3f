/* This file knows how to take options out of a command line. */
#include "config.h"

#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/daemon.h"

static void drop(int *argc, char **argv, int at, int count);

bool
options_has(int *argc, char **argv, const char *flag)
{
	bool found = false;

	for (int i = 1; i < *argc;) {
		if (strcmp(argv[i], flag) == 0) {
			found = true;
			drop(argc, argv, i, 1);
		} else {
			i++;
		}
	}
	return found;
}

enum err
options_take(int *argc, char **argv, const char *name, const char **value)
{
	size_t n = strlen(name);
	bool found = false;

	for (int i = 1; i < *argc;) {
		const char *word = argv[i];
		bool joined = strncmp(word, name, n) == 0 && word[n] == '=';

		if (!joined && strcmp(word, name) != 0) {
			i++;
			continue;
		}
		if (found || (!joined && i + 1 == *argc))
			return ERR_INVALID;
		found = true;
		*value = joined ? word + n + 1 : argv[i + 1];
		drop(argc, argv, i, joined ? 1 : 2);
	}
	return ERR_OK;
}

const char *
options_conf(const char *given)
{
	const char *env = getenv(DAEMON_CONF_ENV);

	if (given != NULL)
		return given;
	return env != NULL && env[0] != '\0' ? env : DAEMON_CONF_DEFAULT;
}

static void
drop(int *argc, char **argv, int at, int count)
{
	memmove(argv + at, argv + at + count,
	    (size_t)(*argc - at - count) * sizeof(*argv));
	*argc -= count;
	argv[*argc] = NULL;
}
