/*
 * Fuzzing of the Markdown port: whatever bytes come in, only what its oracle
 * allows comes out.  Built with --enable-fuzzers:
 * CC=clang ./configure --enable-fuzzers --enable-sanitizers
 * tests/port/fuzz_markdown -max_len=4096 DIRECTORY
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/xml.h"
#include "tests/port/markdown_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* XML's own judge, beside the oracle. */
static bool
is_well_formed(struct markup m)
{
	char *page = malloc(m.n + 16);
	size_t n;
	bool good;

	if (page == NULL)
		abort();
	memcpy(page, "<div>", 5);
	memcpy(page + 5, m.p, m.n);
	memcpy(page + 5 + m.n, "</div>", 6);
	n = m.n + 11;
	good = xml_well_formed((struct str){ page, n }, NULL) == ERR_OK;
	free(page);
	return good;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct pool *pool = pool_open(64 << 20);
	struct markup m = { NULL, 0 };
	const char *wrong = NULL;
	struct text source;

	if (pool == NULL)
		return 0;
	source.p = (const char *)data;
	source.n = n;
	if ((n % 2 == 0
		    ? markdown_render(pool, source, 1 + (int)(n % 6), &m, NULL)
		    : markdown_render_bare(pool, source, 3, &m)) == ERR_OK) {
		wrong = oracle(m, n);
		if (wrong == NULL && !is_well_formed(m))
			wrong = "not well-formed";
	}
	if (wrong != NULL) {
		fprintf(stderr, "%s\n%.*s\n", wrong, (int)m.n, m.p);
		abort();
	}
	pool_close(pool);
	return 0;
}
