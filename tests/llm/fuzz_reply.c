/*
 * This file knows how to feed any bytes to the reader of model replies, in
 * pieces of any size, and to hold it to its promises.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/llm_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
classify(struct llm_reply *r, size_t bytes)
{
	struct http_result h = { .end = HTTP_DONE, .status = 200,
		.bytes = bytes, .first_ms = -1 };
	struct llm_message m = { LLM_ROLE_USER, TEXT("q") };
	struct llm_question q = { .model = TEXT("m"), .messages = &m,
		.messages_n = 1 };
	struct pool *pool = pool_open(32 * 1024 * 1024);
	struct llm_endpoint ep;
	struct llm_answer a = { .retry_ms = -1 };
	struct llm_verdict v;

	llm_endpoint_defaults(&ep);
	ep.key = STR("sk-fuzz-key");
	v = llm_classify(r, &h, &ep, &q, pool, &a);
	/* Only visible, clean text without the key is an answer. */
	if (v.class == LLM_OK || v.class == LLM_OK_TRUNC) {
		if (text_is_blank(a.text) ||
		    !text_is_clean((struct str){ a.text.p, a.text.n }) ||
		    memmem(a.text.p, a.text.n, ep.key.p, ep.key.n) != NULL)
			abort();
	} else if (a.text.p != NULL) {
		abort();
	}
	if (a.reasoning.p != NULL &&
	    !text_is_clean((struct str){ a.reasoning.p, a.reasoning.n }))
		abort();
	if (a.detail.p != NULL &&
	    !text_is_clean((struct str){ a.detail.p, a.detail.n }))
		abort();
	pool_close(pool);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct llm_reply r;
	const char *p = (const char *)data;
	size_t step = size > 0 ? (size_t)data[0] % 64 + 1 : 1;

	if (size > 0) {
		p++;
		size--;
	}
	llm_reply_init(&r, 65536);
	for (size_t i = 0; i < size; i += step) {
		size_t n = size - i < step ? size - i : step;

		if (llm_reply_feed(&r, (struct str){ p + i, n }, 1) != HTTP_MORE)
			break;
	}
	classify(&r, size);
	llm_reply_release(&r);
	return 0;
}
