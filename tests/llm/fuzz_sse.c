/*
 * This file knows how to check that a stream of events means the same however
 * reads have cut it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/llm_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
note(void *arg, struct str event, struct str data)
{
	struct buf *all = arg;

	buf_add(all, event.p, event.n);
	buf_c(all, '|');
	if (data.n > 0)
		buf_add(all, data.p, data.n);
	buf_c(all, '\n');
	return true;
}

static void
run(const char *p, size_t n, size_t step, struct buf *all)
{
	struct llm_sse s;

	llm_sse_init(&s, 65536);
	for (size_t i = 0; i < n; i += step) {
		struct str part = { p + i, n - i < step ? n - i : step };

		if (llm_sse_feed(&s, part, note, all) != ERR_OK)
			goto out;
	}
	if (llm_sse_end(&s, note, all) != ERR_OK)
		goto out;
out:
	llm_sse_release(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;
	size_t step = size > 0 ? (size_t)data[0] % 16 + 1 : 1;

	buf_init(&whole, 1024 * 1024);
	buf_init(&pieces, 1024 * 1024);
	run((const char *)data, size, size + 1, &whole);
	run((const char *)data, size, step, &pieces);
	if (!str_eq(buf_as_str(&whole), buf_as_str(&pieces)))
		abort();
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
