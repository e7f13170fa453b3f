/*
 * good - a copy of tests/conf/good to spoil, and what is found wrong with it.
 *
 * Layer    tests.
 * Memory   one folder at a time, in static storage.
 * Threads  one.
 */
#ifndef PA_TEST_GOOD_H
#define PA_TEST_GOOD_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/catalog.h"

static const char *const good_files[] = { "arena.xml", "prompts.xml",
	"questions.xml", "answers.xml", "activities.xml", "privacy.xhtml",
	"texts/short-1.txt", "texts/loop.txt", "texts/sky-short.md", NULL };

static char good_dir[64];

static void
good_die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* Path of a file of the copy, in one of four rooms. */
static const char *
good_path(const char *name)
{
	static char room[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(room[turn], sizeof(room[turn]), "%s/%s", good_dir, name);
	return room[turn];
}

static char *
good_read(const char *path, size_t *n)
{
	static char bytes[65536];
	FILE *f = fopen(path, "rb");

	if (f == NULL)
		good_die(path);
	*n = fread(bytes, 1, sizeof(bytes) - 1, f);
	bytes[*n] = '\0';
	fclose(f);
	return bytes;
}

static void
good_write(const char *name, const void *bytes, size_t n, unsigned mode)
{
	const char *path = good_path(name);
	int fd;

	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n ||
	    fchmod(fd, mode) != 0 || close(fd) != 0)
		good_die(path);
}

/* A fresh copy in a folder of its own. */
static void
good_make(void)
{
	const char *src = getenv("SRCDIR"), *tmp = getenv("TMPDIR");
	char from[512];
	size_t n;
	const char *bytes;

	snprintf(good_dir, sizeof(good_dir), "%.40s/pa-conf-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	if (src == NULL || mkdtemp(good_dir) == NULL ||
	    chmod(good_dir, 0755) != 0 || mkdir(good_path("texts"), 0755) != 0)
		good_die("SRCDIR is not set, or no temporary folder");
	for (size_t i = 0; good_files[i] != NULL; i++) {
		snprintf(from, sizeof(from), "%s/tests/conf/good/%s", src,
		    good_files[i]);
		bytes = good_read(from, &n);
		good_write(good_files[i], bytes, n, 0644);
	}
	good_write("secret", "0123456789abcdef0123\n", 21, 0600);
	if (setenv("PROMPT_ARENA_DATADIR", src, 1) != 0)
		good_die("no memory");
	unsetenv("PROMPT_ARENA_STATE");
	unsetenv("PROMPT_ARENA_CONF");
}

static int
good_remove_one(
    const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void
good_remove(void)
{
	if (nftw(good_dir, good_remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
		good_die(good_dir);
}

/*
 * Load configuration and catalog of the copy.  Both are NULL after a fault;
 * every fault is in ps, whose pool the caller closes.
 */
static enum err
good_load(const char *path, struct problems *ps, struct conf **conf,
    struct catalog **catalog)
{
	enum err e;

	*conf = NULL;
	*catalog = NULL;
	problems_init(ps, pool_open((size_t)1 << 22));
	e = conf_load(path, ps, conf);
	if (e == ERR_OK)
		e = catalog_load(*conf, ps, catalog);
	return e;
}

#endif /* PA_TEST_GOOD_H */
