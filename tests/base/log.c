/* This file knows how src/base/log.h must behave. */
#include "base/log.h"

#include <errno.h>
#include <unistd.h>

#include "../tap.h"

static const char *
mask(struct str s)
{
	static char out[256];

	log_mask(s.p, s.n, out, sizeof(out));
	return out;
}

/* What a line looks like on standard error, without its time. */
static void
capture(char *out, size_t n, void (*write_it)(void))
{
	int old = dup(STDERR_FILENO);
	FILE *f = tmpfile();
	size_t got;

	if (old < 0 || f == NULL || dup2(fileno(f), STDERR_FILENO) < 0)
		abort();
	write_it();
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(f);
	got = fread(out, 1, n - 1, f);
	out[got] = '\0';
	fclose(f);
}

static void
forge(void)
{
	errno = ENOENT;
	log_error("user %s", "x\n2026-01-01T00:00:00Z error: forged");
}

static void
too_long(void)
{
	log_error("%03000d", 7);
}

static void
quiet(void)
{
	log_debug("nobody asked");
}

int
main(void)
{
	char line[4096];

	is_str(mask(STR("a\nb\tc\x1b[0m\x7f\xff")),
	    "a\\nb\\tc\\x1b[0m\\x7f\\xff", "controls are escaped");
	is_str(mask(STR("\xc3\xa9\xe2\x80\xae")), "\xc3\xa9\\u{202e}",
	    "overrides too");
	log_secret(STR("short"));
	is_str(mask(STR("short")), "short", "no secret under 8 bytes");
	log_secret(STR("topsecret-key"));
	log_secret(STR("topsecret-key"));
	is_str(mask(STR("key=topsecret-key;")), "key=***;", "masked");
	is_str(mask(STR("key=topsecret-k")), "key=***", "a cut secret too");
	is_str(mask(STR("to stop")), "to stop", "ordinary words stay");

	capture(line, sizeof(line), forge);
	is_int(errno, ENOENT, "errno survives");
	ok(strstr(line, " error: user x\\n2026") != NULL, "one line: %s", line);
	ok(strchr(line, '\n') == line + strlen(line) - 1, "one line end");
	capture(line, sizeof(line), too_long);
	ok(strlen(line) <= 1024, "at most 1 KB");
	ok(line[strlen(line) - 1] == '\n', "still ends in a line end");
	capture(line, sizeof(line), quiet);
	is_str(line, "", "debug is off at start");
	return done_testing();
}
