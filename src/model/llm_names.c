/* This file knows how to name outcomes, and what a question may cost. */
#include "config.h"

#include "model/llm_parts.h"

#include "model/conf.h"

static const char *const class_names[LLM__MAX] = {
	[LLM_OK] = "ok",
	[LLM_OK_TRUNC] = "ok_trunc",
	[LLM_EMPTY] = "empty",
	[LLM_REFUSED] = "refused",
	[LLM_INCOMPLETE] = "incomplete",
	[LLM_TRANSIENT] = "transient",
	[LLM_PERMANENT] = "permanent",
	[LLM_LIMIT] = "limit",
};

static const char *const why_names[LLM_WHY__MAX] = {
	[LLM_WHY_NONE] = "none",
	[LLM_WHY_AUTH] = "auth",
	[LLM_WHY_QUOTA] = "quota",
	[LLM_WHY_PATH] = "path",
	[LLM_WHY_MODEL] = "model",
	[LLM_WHY_REDIRECT] = "redirect",
	[LLM_WHY_TLS] = "tls",
	[LLM_WHY_PROXY] = "proxy",
	[LLM_WHY_ADDRESS] = "address",
	[LLM_WHY_CONFIG] = "config",
	[LLM_WHY_CONTEXT] = "context",
	[LLM_WHY_PROMPT_REFUSED] = "prompt-refused",
	[LLM_WHY_ANSWER_REFUSED] = "answer-refused",
	[LLM_WHY_PARAMETER] = "parameter",
	[LLM_WHY_REQUEST] = "request",
	[LLM_WHY_NOT_JSON] = "not-json",
	[LLM_WHY_HTML] = "html",
	[LLM_WHY_EMPTY_BODY] = "empty-body",
	[LLM_WHY_SHAPE] = "shape",
	[LLM_WHY_TOOLS] = "tools",
	[LLM_WHY_NO_TEXT] = "no-text",
	[LLM_WHY_REASONING] = "reasoning",
	[LLM_WHY_THROTTLED] = "throttled",
	[LLM_WHY_SERVER] = "server",
	[LLM_WHY_CONNECT] = "connect",
	[LLM_WHY_TIMEOUT] = "timeout",
	[LLM_WHY_CUT] = "cut",
	[LLM_WHY_BYTES] = "bytes",
	[LLM_WHY_TOTAL_TIME] = "total-time",
	[LLM_WHY_REPETITION] = "repetition",
	[LLM_WHY_QUEUE_TIME] = "queue-time",
	[LLM_WHY_CANCELLED] = "cancelled",
};

static const char *const health_names[LLM_HEALTH__MAX] = {
	[LLM_HEALTH_UNKNOWN] = "unknown",
	[LLM_HEALTH_GOOD] = "good",
	[LLM_HEALTH_COOLING] = "cooling",
	[LLM_HEALTH_OPEN] = "open",
	[LLM_HEALTH_PROBING] = "probing",
	[LLM_HEALTH_BROKEN] = "broken",
};

const char *
llm_class_name(enum llm_class c)
{
	return c < LLM__MAX ? class_names[c] : "unknown";
}

const char *
llm_why_name(enum llm_why w)
{
	return w < LLM_WHY__MAX ? why_names[w] : "unknown";
}

const char *
llm_health_name(enum llm_health h)
{
	return h < LLM_HEALTH__MAX ? health_names[h] : "unknown";
}

double
llm_cost_max(const struct llm_endpoint *ep, const struct llm_question *q)
{
	int64_t tokens = llm_request_tokens(ep, q);
	size_t bytes = 0;

	if (ep->price_in < 0 || ep->price_out < 0)
		return ep->price_call > 0 ? ep->price_call : 0;
	/* A token is a byte at worst; an EMPTY answer is asked again with
	 * four times the tokens. */
	for (size_t i = 0; i < q->messages_n; i++)
		bytes += q->messages[i].text.n + 8;
	if (tokens * 4 < ep->tokens_max)
		tokens *= 4;
	else if (tokens < ep->tokens_max)
		tokens = ep->tokens_max;
	return ((double)bytes * ep->price_in + (double)tokens * ep->price_out) /
	       1e6;
}

double
llm_cost(const struct llm_endpoint *ep, const struct llm_answer *a)
{
	if (ep->price_in < 0 || ep->price_out < 0)
		return ep->price_call > 0 ? ep->price_call * (double)a->charged
					  : 0;
	return ((double)a->tokens_in * ep->price_in +
		   (double)a->tokens_out * ep->price_out) /
	       1e6;
}

void
llm_describe(const struct llm_question *q, struct buf *out)
{
	static const char *const roles[] = { [LLM_ROLE_SYSTEM] = "system",
		[LLM_ROLE_USER] = "user",
		[LLM_ROLE_ASSISTANT] = "assistant" };

	buf_z(out, "question/1\nmodel=");
	buf_add(out, q->model.p, q->model.n);
	buf_c(out, '\n');
	for (size_t i = 0; i < q->parameters_n; i++) {
		const struct conf_parameter *p = &q->parameters[i];

		buf_add(out, p->name.p, p->name.n);
		buf_c(out, '=');
		buf_add(out, p->value.p, p->value.n);
		buf_c(out, '\n');
	}
	for (size_t i = 0; i < q->messages_n; i++) {
		buf_z(out, roles[q->messages[i].role]);
		buf_c(out, ' ');
		buf_int(out, (int64_t)q->messages[i].text.n);
		buf_c(out, '\n');
		buf_add(out, q->messages[i].text.p, q->messages[i].text.n);
		buf_c(out, '\n');
	}
}
