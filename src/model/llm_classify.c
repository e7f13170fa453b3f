/* This file knows how to tell what came of one request to a model server. */
#include "config.h"

#include "model/llm_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/text.h"

#define DETAIL_BYTES 400

/* A verdict and nothing more; and one with its switches. */
#define PLAIN(c, w)                                                            \
	((struct llm_verdict){ .class = LLM_##c, .why = LLM_WHY_##w })
#define V(c, w, ...)                                                           \
	((struct llm_verdict){                                                 \
	    .class = LLM_##c, .why = LLM_WHY_##w, __VA_ARGS__ })

static struct llm_verdict judge(struct llm_reply *r,
    const struct http_result *h, const struct llm_endpoint *ep,
    const struct llm_answer *a);
static bool judge_transport(const struct llm_reply *r,
    const struct http_result *h, struct llm_verdict *v);
static struct llm_verdict judge_status(
    const struct llm_reply *r, const struct http_result *h, int status);
static struct llm_verdict judge_error(
    const struct llm_reply *r, const struct http_result *h);
static struct llm_verdict judge_unreadable(
    const struct llm_reply *r, const struct http_result *h);
static struct llm_verdict judge_completion(
    const struct llm_reply *r, const struct llm_answer *a);
static bool lost_model(const struct llm_reply *r);
static bool is_failure(const struct llm_reply *r);
static bool ended_with(const struct llm_reply *r, const char *const *words);
static bool says(const struct llm_reply *r, const char *const *words);
static void fill(struct llm_reply *r, const struct http_result *h,
    const struct llm_endpoint *ep, const struct llm_question *q,
    struct pool *pool, struct llm_answer *a);
static void fill_usage(const struct llm_reply *r, const struct llm_question *q,
    struct llm_answer *a);
static void fill_detail(const struct llm_reply *r, const struct http_result *h,
    const struct llm_endpoint *ep, struct pool *pool, struct llm_answer *a,
    const struct llm_verdict *v);
static struct text clean_line(struct pool *pool, const char *z,
    const struct llm_endpoint *ep, unsigned *flags);

static const char *const quota_words[] = { "insufficient_quota", "limit: 0",
	"billing", "insufficient balance", "insufficient credit",
	"credit balance", "payment required", "insufficient_balance",
	"available credits", "budget_exceeded", "budget has been exceeded",
	"more credits", NULL };
static const char *const context_words[] = { "context_length_exceeded",
	"maximum context length", "context window", "context length",
	"context size", "exceed_context_size", "prompt is too long",
	"input is too long", "reduce the length", "`inputs` tokens",
	"`inputs` must have less", "input token count", "maximum prompt length",
	"number of tokens in the prompt", NULL };
static const char *const filter_words[] = { "content_filter",
	"responsibleaipolicyviolation", "content_policy_violation",
	"content management policy", "data_inspection_failed",
	"input was flagged", "requires moderation", "sensitive_words", NULL };
static const char *const model_words[] = { "model_not_found", "does not exist",
	"model not found", "unknown model", "not a valid model",
	"unknown_model", "try pulling it", "invalid model name",
	"access to model", NULL };
static const char *const path_words[] = { "unexpected endpoint", "invalid url",
	"unknown_url", "not found", NULL };
static const char *const throttle_words[] = { "rate limit", "rate_limit",
	"too many requests", "too_many_requests", NULL };
static const char *const overload_words[] = { "overloaded", "server_error",
	"timeout", "temporarily", "try again", "unavailable", "internal error",
	"internal_error", "internal server", "capacity", NULL };
static const char *const auth_words[] = { "invalid_api_key",
	"incorrect api key", "authentication_error", "unauthorized",
	"invalid api key", NULL };

static const char *const finish_length[] = { "length", "max_tokens",
	"model_context_window_exceeded", "max_output_tokens", "token_limit",
	"model_length", "max_length", "length_limit", "context_length",
	"context_length_exceeded", "error_limit", NULL };
static const char *const finish_refused[] = { "content_filter", "refusal",
	"sensitive", "safety", "prohibited_content", "recitation", "blocklist",
	"spii", "guardrail_intervened", "content_filtered", "image_safety",
	"error_toxic", NULL };
static const char *const finish_failed[] = { "error",
	"insufficient_system_resource", "abort", "aborted", "cancelled",
	"network_error", "timeout", "repeat", "failed", "failure", NULL };
static const char *const finish_tools[] = { "tool_calls", "function_call",
	"tool_use", "malformed_function_call", NULL };
static const char *const finish_stop[] = { "stop", "eos", "eos_token",
	"end_turn", "stop_sequence", "end", "complete", "completed", "finished",
	"stop_token", NULL };

struct llm_verdict
llm_classify(struct llm_reply *r, const struct http_result *h,
    const struct llm_endpoint *ep, const struct llm_question *q,
    struct pool *pool, struct llm_answer *a)
{
	struct llm_verdict v;

	if (h->end != HTTP_BODY_TOO_BIG && h->end != HTTP_CANCELLED)
		llm_reply_end(r);
	a->flags = r->flags;
	a->status = h->status;
	fill(r, h, ep, q, pool, a);
	v = judge(r, h, ep, a);
	if (v.class == LLM_OK || v.class == LLM_OK_TRUNC) {
		if (!r->finish_seen)
			a->flags |= LLM_FLAG_NO_FINISH;
		else if (!ended_with(r, finish_stop) &&
			 !ended_with(r, finish_length))
			a->flags |= LLM_FLAG_FINISH_UNKNOWN;
	} else {
		/* Half a text is nobody's answer; thoughts and refusal stay
		 * for the administrator. */
		a->text = (struct text){ NULL, 0 };
		fill_detail(r, h, ep, pool, a, &v);
	}
	a->class = v.class;
	a->why = v.why;
	return v;
}

static struct llm_verdict
judge(struct llm_reply *r, const struct http_result *h,
    const struct llm_endpoint *ep, const struct llm_answer *a)
{
	struct llm_verdict v;

	(void)ep;
	if (judge_transport(r, h, &v))
		return v;
	/* "x-should-retry" outranks what the status would mean. */
	if (h->status < 200 || h->status >= 300) {
		v = judge_status(r, h, h->status);
		if (strcasecmp(h->should_retry, "false") == 0)
			v.again = false;
		else if (strcasecmp(h->should_retry, "true") == 0 &&
			 h->status >= 400 && !v.again) {
			v.class = LLM_TRANSIENT;
			v.again = true;
			v.broken = false;
		}
		return v;
	}
	if (r->repeats)
		return PLAIN(LIMIT, REPETITION);
	if (r->too_big)
		return PLAIN(LIMIT, BYTES);
	if (r->error.seen)
		return judge_error(r, h);
	if (!r->choices_seen)
		return judge_unreadable(r, h);
	return judge_completion(r, a);
}

/* True when how it ended decides; *v says what. */
static bool
judge_transport(const struct llm_reply *r, const struct http_result *h,
    struct llm_verdict *v)
{
	switch (h->end) {
	case HTTP_DONE:
		return false;
	case HTTP_CUT:
	case HTTP_LATE_IDLE:
		/* Complete by its own words, however the bytes ended; a line
		 * that stays open says nothing against a finish. */
		if (r->done_seen ||
		    (h->end == HTTP_LATE_IDLE && r->finish_seen))
			return false;
		if (h->status >= 300)
			return false;
		*v = h->end == HTTP_CUT
			 ? V(INCOMPLETE, CUT, .again = true, .failed = true)
			 : V(TRANSIENT, TIMEOUT, .again = true, .failed = true);
		return true;
	case HTTP_RESOLVE:
	case HTTP_CONNECT:
	case HTTP_LATE_CONNECT:
		*v = V(TRANSIENT, CONNECT, .again = true, .failed = true);
		return true;
	case HTTP_NO_RESPONSE:
		*v = V(TRANSIENT, CUT, .again = true, .failed = true);
		return true;
	case HTTP_TLS:
		*v = V(TRANSIENT, TLS, .again = true, .failed = true);
		return true;
	case HTTP_LATE_FIRST:
		*v = V(TRANSIENT, TIMEOUT, .again = true, .failed = true);
		return true;
	case HTTP_ADDRESS:
		*v = V(PERMANENT, ADDRESS, .broken = true);
		return true;
	case HTTP_TLS_UNTRUSTED:
		*v = V(PERMANENT, TLS, .broken = true);
		return true;
	case HTTP_PROXY:
		*v = h->status == 0 || h->status >= 500
			 ? V(TRANSIENT, PROXY, .again = true, .failed = true)
			 : V(PERMANENT, PROXY, .broken = true);
		return true;
	case HTTP_LATE_TOTAL:
		*v = V(LIMIT, TOTAL_TIME, .failed = true);
		return true;
	case HTTP_BODY_TOO_BIG:
		*v = PLAIN(LIMIT, BYTES);
		return true;
	case HTTP_HEAD_TOO_BIG:
	case HTTP_MALFORMED:
		*v = V(PERMANENT, SHAPE, .broken = true);
		return true;
	case HTTP_STOPPED: /* our own receiver saw enough */
		*v =
		    r->repeats ? PLAIN(LIMIT, REPETITION) : PLAIN(LIMIT, BYTES);
		return true;
	case HTTP_CANCELLED:
		*v = PLAIN(TRANSIENT, CANCELLED);
		return true;
	case HTTP_UNUSABLE:
		*v = V(PERMANENT, CONFIG, .broken = true);
		return true;
	case HTTP_BROKEN:
	case HTTP__MAX:
		break;
	}
	*v = V(TRANSIENT, CUT, .again = true);
	return true;
}

/* status may also be a code that stood inside a 200. */
static struct llm_verdict
judge_status(const struct llm_reply *r, const struct http_result *h, int status)
{
	if (status >= 500 || status == 499 || status == 408 || status == 409 ||
	    status == 425)
		return V(TRANSIENT, SERVER, .again = true, .failed = true,
		    .throttled = h->retry_after[0] != '\0' ||
				 h->retry_after_ms[0] != '\0');
	if (status == 429) {
		if (says(r, quota_words))
			return V(PERMANENT, QUOTA, .broken = true);
		return V(
		    TRANSIENT, THROTTLED, .again = true, .throttled = true);
	}
	if (status >= 300 && status < 400)
		return V(PERMANENT, REDIRECT, .broken = true);
	if (status >= 400 && status != 401 && says(r, filter_words))
		return PLAIN(REFUSED, PROMPT_REFUSED);
	switch (status) {
	case 402:
		return V(PERMANENT, QUOTA, .broken = true);
	case 401:
	case 403:
		if (says(r, quota_words))
			return V(PERMANENT, QUOTA, .broken = true);
		if (status == 403 && lost_model(r))
			return V(PERMANENT, MODEL, .broken = true);
		return V(PERMANENT, AUTH, .broken = true);
	case 407:
		return V(PERMANENT, PROXY, .broken = true);
	case 404:
	case 405:
	case 410:
		if (lost_model(r))
			return V(PERMANENT, MODEL, .broken = true);
		return V(PERMANENT, PATH, .broken = true);
	default:
		break;
	}
	if (says(r, quota_words))
		return V(PERMANENT, QUOTA, .broken = true);
	if (status == 413 || says(r, context_words))
		return PLAIN(PERMANENT, CONTEXT);
	if (lost_model(r))
		return V(PERMANENT, MODEL, .broken = true);
	if (says(r, auth_words))
		return V(PERMANENT, AUTH, .broken = true);
	return V(PERMANENT, REQUEST, .learn = status == 400 || status == 422);
}

/* An error object where a completion was due: in a 200, or mid-stream. */
static struct llm_verdict
judge_error(const struct llm_reply *r, const struct http_result *h)
{
	if (says(r, filter_words))
		return r->choice_seen ? PLAIN(REFUSED, ANSWER_REFUSED)
				      : PLAIN(REFUSED, PROMPT_REFUSED);
	if (r->error.code >= 400)
		return judge_status(r, h, r->error.code);
	if (says(r, quota_words))
		return V(PERMANENT, QUOTA, .broken = true);
	if (says(r, context_words))
		return PLAIN(PERMANENT, CONTEXT);
	if (says(r, throttle_words))
		return V(
		    TRANSIENT, THROTTLED, .again = true, .throttled = true);
	if (says(r, overload_words))
		return V(TRANSIENT, SERVER, .again = true, .failed = true);
	if (says(r, auth_words))
		return V(PERMANENT, AUTH, .broken = true);
	if (lost_model(r))
		return V(PERMANENT, MODEL, .broken = true);
	if (says(r, path_words))
		return V(PERMANENT, PATH, .broken = true);
	/* A stream that had begun was acceptable as a request. */
	if (r->choice_seen)
		return V(TRANSIENT, SERVER, .again = true, .failed = true);
	return V(PERMANENT, REQUEST, .learn = true);
}

static struct llm_verdict
judge_unreadable(const struct llm_reply *r, const struct http_result *h)
{
	if (h->bytes == 0 || r->kind == LLM_REPLY_UNKNOWN)
		return V(PERMANENT, EMPTY_BODY, .again = true, .once = true);
	if (r->html || strncasecmp(h->content_type, "text/html", 9) == 0)
		return V(PERMANENT, HTML, .broken = true);
	if (r->cut)
		return V(INCOMPLETE, CUT, .again = true, .failed = true);
	if (r->kind == LLM_REPLY_STREAM)
		return r->done_seen
			   ? V(EMPTY, NO_TEXT, .again = true, .once = true)
			   : V(INCOMPLETE, CUT, .again = true, .failed = true);
	if (r->kind == LLM_REPLY_OTHER || r->bad_json)
		return PLAIN(PERMANENT, NOT_JSON);
	return PLAIN(PERMANENT, SHAPE);
}

static struct llm_verdict
judge_completion(const struct llm_reply *r, const struct llm_answer *a)
{
	bool length = ended_with(r, finish_length);
	bool stream = r->kind == LLM_REPLY_STREAM;

	if (ended_with(r, finish_failed) || is_failure(r))
		return V(TRANSIENT, SERVER, .again = true, .failed = true);
	if (ended_with(r, finish_refused) || r->refusal.n > 0)
		return PLAIN(REFUSED, ANSWER_REFUSED);
	if (ended_with(r, finish_tools))
		return PLAIN(PERMANENT, TOOLS);
	if (stream && !r->finish_seen && !r->done_seen)
		return V(INCOMPLETE, CUT, .again = true, .failed = true);
	if (stream && r->bad_json && !r->finish_seen)
		return V(INCOMPLETE, CUT, .again = true, .failed = true);
	if (!r->choice_seen && !stream)
		return PLAIN(PERMANENT, SHAPE);
	if (text_is_blank(a->text)) {
		bool thought = a->reasoning.n > 0 || r->thinking > 0;

		if (r->tools)
			return PLAIN(PERMANENT, TOOLS);
		if (length && thought)
			return V(EMPTY, REASONING, .again = true, .once = true,
			    .more_tokens = true);
		return V(EMPTY, NO_TEXT, .again = true, .once = true,
		    .more_tokens = length);
	}
	return length ? PLAIN(OK_TRUNC, NONE) : PLAIN(OK, NONE);
}

/* "model 'x' not found" has the model's name between its words. */
static bool
lost_model(const struct llm_reply *r)
{
	const char *m = strcasestr(r->error.message, "model");

	return says(r, model_words) ||
	       (m != NULL && strcasestr(m, "not found") != NULL);
}

static bool
says(const struct llm_reply *r, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (strcasestr(r->error.name, *words) != NULL ||
		    strcasestr(r->error.message, *words) != NULL)
			return true;
	}
	return false;
}

/* A reason that nobody listed and that has "error" in it. */
static bool
is_failure(const struct llm_reply *r)
{
	return strcasestr(r->finish, "error") != NULL &&
	       !ended_with(r, finish_length) && !ended_with(r, finish_refused);
}

/* Reasons differ in case and in what parts their words. */
static bool
ended_with(const struct llm_reply *r, const char *const *words)
{
	for (; *words != NULL; words++) {
		const char *z = r->finish, *w = *words;

		while (*z != '\0' &&
		       (*w == '_' ? strchr("_- ", *z) != NULL
				  : tolower((unsigned char)*z) == *w)) {
			z++;
			w++;
		}
		if (*z == '\0' && *w == '\0')
			return true;
	}
	return false;
}

static void
fill(struct llm_reply *r, const struct http_result *h,
    const struct llm_endpoint *ep, const struct llm_question *q,
    struct pool *pool, struct llm_answer *a)
{
	struct llm_visible seen;
	struct str s = llm_hide(pool, buf_as_str(&r->text), ep->key, &a->flags);
	struct str t =
	    llm_hide(pool, buf_as_str(&r->thought), ep->key, &a->flags);
	const char *asked;

	llm_visible(pool, s, ep->think, &seen);
	a->text = seen.text;
	a->flags |= seen.flags;
	if (r->kind == LLM_REPLY_STREAM)
		a->flags |= LLM_FLAG_STREAMED;
	if (t.n > 0)
		a->reasoning = text_clean(pool, pool_str(pool, t));
	else
		a->reasoning = seen.thought;
	if (r->refusal.n > 0)
		a->refusal = text_clean(
		    pool, pool_str(pool, llm_hide(pool, buf_as_str(&r->refusal),
					     ep->key, &a->flags)));
	if (r->finish_seen)
		a->finish = clean_line(pool, r->finish, ep, &a->flags);
	if (r->model[0] != '\0')
		a->model = clean_line(pool, r->model, ep, &a->flags);
	asked = ep->model.p != NULL ? ep->model.p : q->model.p;
	if (a->model.p != NULL && asked != NULL && strcmp(r->model, asked) != 0)
		a->flags |= LLM_FLAG_OTHER_MODEL;
	a->first_ms = h->first_ms;
	a->first_token_ms =
	    r->first_token_at == 0 ? -1 : r->first_token_at - h->started_ms;
	a->total_ms = h->ended_ms - h->started_ms;
	memcpy(a->remote, h->remote, sizeof(a->remote));
	fill_usage(r, q, a);
}

/* Told, or a token for four bytes; adds to what earlier attempts used. */
static void
fill_usage(const struct llm_reply *r, const struct llm_question *q,
    struct llm_answer *a)
{
	int64_t in = r->in;
	int64_t out = r->out;
	size_t bytes = 0;

	if (!r->choices_seen && r->in < 0 && r->out < 0)
		return; /* nothing was made */
	for (size_t i = 0; i < q->messages_n; i++)
		bytes += q->messages[i].text.n;
	if (in < 0 || out < 0)
		a->flags |= LLM_FLAG_ESTIMATED;
	if (in < 0)
		in = (int64_t)(bytes / 4 + 1);
	if (out < 0)
		out = (int64_t)((r->text.n + r->thought.n) / 4 + 1);
	a->tokens_in += in;
	a->tokens_out += out;
	if (r->thinking > 0)
		a->tokens_thought += r->thinking < out ? r->thinking : out;
	else if (r->thought.n > 0)
		a->tokens_thought += (int64_t)(r->thought.n / 4);
}

/* What the administrator reads: one masked line. */
static void
fill_detail(const struct llm_reply *r, const struct http_result *h,
    const struct llm_endpoint *ep, struct pool *pool, struct llm_answer *a,
    const struct llm_verdict *v)
{
	struct str said = STR("");
	struct str line;
	struct str body = buf_as_str(&r->body);
	char shown[DETAIL_BYTES];

	if (r->error.seen && r->error.message[0] != '\0')
		said = str_of(r->error.message);
	else if (r->error.seen)
		said = str_of(r->error.name);
	else if (v->why == LLM_WHY_REDIRECT)
		said = pool_printf(pool, "redirect to %s", h->location_host);
	else if (h->end != HTTP_DONE && h->why[0] != '\0')
		said = str_of(h->why);
	else if (h->end != HTTP_DONE)
		said = str_of(http_end_name(h->end));
	else if (h->content_encoding[0] != '\0' &&
		 strcasecmp(h->content_encoding, "identity") != 0)
		said = pool_printf(pool,
		    "the body came compressed (%s), "
		    "which was not asked for",
		    h->content_encoding);
	else if (v->class != LLM_EMPTY && v->class != LLM_REFUSED && body.n > 0)
		said = (struct str){ body.p, body.n < 200 ? body.n : 200 };
	if (v->why == LLM_WHY_PATH)
		line = pool_printf(pool,
		    "%.*s (is /v1 missing in the "
		    "address?)",
		    (int)said.n, said.p);
	else
		line = said;
	line = llm_mask(pool, llm_hide(pool, line, ep->key, &a->flags));
	if (h->status != 0)
		line = pool_printf(pool, "HTTP %d%s%.*s", h->status,
		    line.n > 0 ? ": " : "", (int)line.n,
		    line.p == NULL ? "" : line.p);
	log_mask(line.p == NULL ? "" : line.p, line.n, shown, sizeof(shown));
	a->detail = text_clean(pool, pool_str(pool, str_of(shown)));
}

static struct text
clean_line(struct pool *pool, const char *z, const struct llm_endpoint *ep,
    unsigned *flags)
{
	struct str s = llm_hide(pool, str_of(z), ep->key, flags);

	return text_clean(pool, pool_str(pool, s));
}
