/*
 * This file measures the floor under rating a vote file: a plain loop that
 * hashes the two names of every line and counts who won.  No quoting, no
 * checks of labels beyond their first letters, no line numbers, no numbers
 * but the counts.
 *
 * usage: rate-floor FILE.csv   (model_a,model_b,winner)
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SLOTS = 4096,
	NAMES = 1024
};

static struct {
	const char *p;
	size_t n;
	uint32_t id;
} slot[SLOTS];

static uint32_t nnames;
static uint32_t count[NAMES][NAMES][3];

/* Hash up to the comma, look the name up, leave *p behind the comma. */
static uint32_t
name(const char **p, const char *end)
{
	const char *from = *p, *q = from;
	uint64_t h = 14695981039346656037u;
	size_t n;

	for (; q < end && *q != ','; q++)
		h = (h ^ (unsigned char)*q) * 1099511628211u;
	n = (size_t)(q - from);
	*p = q + 1;
	h ^= h >> 32;
	for (h &= SLOTS - 1;; h = (h + 1) & (SLOTS - 1)) {
		if (slot[h].p == NULL) {
			if (nnames == NAMES)
				exit(1);
			slot[h].p = from;
			slot[h].n = n;
			slot[h].id = nnames++;
			return slot[h].id;
		}
		if (slot[h].n == n && memcmp(slot[h].p, from, n) == 0)
			return slot[h].id;
	}
}

int
main(int argc, char **argv)
{
	struct stat st;
	const char *base, *p, *end;
	uint64_t sum = 0;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || fstat(fd, &st) != 0)
		return 66;
	base = mmap(NULL, (size_t)st.st_size, PROT_READ,
	    MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED)
		return 74;
	end = base + st.st_size;
	p = memchr(base, '\n', (size_t)st.st_size);
	for (p = p != NULL ? p + 1 : end; p < end;) {
		uint32_t a = name(&p, end), b = name(&p, end);

		/* model_a, model_b, tie */
		count[a][b][*p == 't' ? 2 : p[6] == 'b']++;
		p = memchr(p, '\n', (size_t)(end - p));
		p = p != NULL ? p + 1 : end;
	}
	for (uint32_t a = 0; a < nnames; a++)
		for (uint32_t b = 0; b < nnames; b++)
			for (int o = 0; o < 3; o++)
				sum += count[a][b][o];
	printf("%u names, %llu votes\n", nnames, (unsigned long long)sum);
	return 0;
}
