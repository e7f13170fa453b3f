/*
 * This file knows how to check that no file, whatever is in it, does more to
 * `rate` than be refused or be counted, the same way each time.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/rate_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes must be read the same way, message and all. */
static void
compare(const struct rate_data *x, enum err ex, const struct rate_data *y,
    enum err ey)
{
	if (ex != ey || strcmp(x->message, y->message) != 0)
		abort();
	if (ex != ERR_OK)
		return;
	if (x->tally.votes != y->tally.votes || x->tally.votes == 0 ||
	    x->names.count != y->names.count || x->names.count < 2)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rate_want few = { .voters = true };
	struct rate_want all = { .voters = true, .votes = true, .by = "type" };
	int fd = memfd_create("votes", MFD_CLOEXEC), spare = dup(STDIN_FILENO);
	struct rate_data x, y, z;
	enum err ex, ey;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, STDIN_FILENO) < 0)
		abort();
	ex = rate_read("-", &few, &x);
	(void)lseek(fd, 0, SEEK_SET);
	ey = rate_read("-", &few, &y);
	compare(&x, ex, &y, ey);
	(void)lseek(fd, 0, SEEK_SET);
	(void)!rate_read("-", &all, &z);
	rate_data_release(&x);
	rate_data_release(&y);
	rate_data_release(&z);
	if (spare >= 0) {
		(void)dup2(spare, STDIN_FILENO);
		(void)close(spare);
	}
	(void)close(fd);
	return 0;
}
