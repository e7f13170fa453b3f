/* This file knows how to read a completion, whole or in pieces. */
#include "config.h"

#include "model/llm_parts.h"

#include <string.h>

#include "base/text.h"
#include "port/json.h"

#define SNIFF_BYTES 8
#define OTHER_BYTES 4096
#define GUARD_STEP 512
/* Spared before the guard looks: short answers may say a thing often. */
#define GUARD_FROM 2048

static void sniff(struct llm_reply *r, bool at_end);
static void keep(struct llm_reply *r, struct str bytes);
static bool on_event(void *arg, struct str event, struct str data);
static bool read_json(struct llm_reply *r, struct str json, bool stream);
static void read_object(struct llm_reply *r, const struct js *o, bool stream);
static void read_choices(
    struct llm_reply *r, const struct js *choices, bool stream);
static bool choice_wanted(struct llm_reply *r, const struct js *c);
static void read_choice(struct llm_reply *r, const struct js *c, bool stream);
static void read_message(struct llm_reply *r, const struct js *m);
static void read_content(struct llm_reply *r, const struct js *content);
static void read_thought(struct llm_reply *r, const struct js *m);
static bool add_thought(struct llm_reply *r, const struct js *v);
static void read_usage(struct llm_reply *r, const struct js *u);
static int64_t tokens(const struct js *u, const char *field, const char *newer);
static void guard(struct llm_reply *r);

void
llm_reply_init(struct llm_reply *r, size_t max)
{
	memset(r, 0, sizeof(*r));
	buf_init(&r->body, max);
	buf_init(&r->text, max);
	buf_init(&r->thought, max);
	buf_init(&r->refusal, max);
	llm_sse_init(&r->sse, max);
	r->choice = -1;
	r->in = r->out = r->thinking = -1;
}

void
llm_reply_release(struct llm_reply *r)
{
	buf_release(&r->body);
	buf_release(&r->text);
	buf_release(&r->thought);
	buf_release(&r->refusal);
	llm_sse_release(&r->sse);
}

enum http_want
llm_reply_feed(struct llm_reply *r, struct str bytes, int64_t now_ms)
{
	size_t before = r->text.n + r->thought.n;

	if (r->done_seen)
		return HTTP_ENOUGH; /* what follows [DONE] does not count */
	keep(r, bytes);
	if (r->first_token_at == 0 && r->text.n + r->thought.n > before)
		r->first_token_at = now_ms;
	if (r->kind == LLM_REPLY_JSON && r->body.n > 0 &&
	    r->first_token_at == 0)
		r->first_token_at = now_ms;
	if (r->too_big || r->repeats)
		return HTTP_STOP;
	return r->done_seen ? HTTP_ENOUGH : HTTP_MORE;
}

void
llm_reply_end(struct llm_reply *r)
{
	sniff(r, true);
	if (r->too_big || r->repeats)
		return; /* already judged: spare the work */
	if (r->kind == LLM_REPLY_JSON) {
		r->bad_json = !read_json(r, buf_as_str(&r->body), false);
	} else if (r->kind == LLM_REPLY_STREAM && !r->done_seen) {
		if (llm_sse_end(&r->sse, on_event, r) != ERR_OK)
			r->too_big = true;
	}
	if (r->text.failed || r->thought.failed || r->body.failed)
		r->too_big = true;
	if (!r->repeats && r->text.n >= GUARD_FROM)
		r->repeats = llm_repeats(buf_as_str(&r->text));
}

static void
keep(struct llm_reply *r, struct str bytes)
{
	if (r->kind == LLM_REPLY_UNKNOWN) {
		buf_str(&r->body, bytes);
		sniff(r, false);
		return;
	}
	if (r->kind == LLM_REPLY_STREAM) {
		if (llm_sse_feed(&r->sse, bytes, on_event, r) != ERR_OK)
			r->too_big = true;
		return;
	}
	if (r->kind == LLM_REPLY_OTHER && r->body.n >= OTHER_BYTES)
		return;
	buf_str(&r->body, bytes);
	if (r->body.failed)
		r->too_big = true;
}

/*
 * What it is says its first letters, not its content type: servers answer a
 * stream with an error object, and a plain request with a stream.  Blanks in
 * front are signs of life from servers that keep a connection open.
 */
static void
sniff(struct llm_reply *r, bool at_end)
{
	static const char *const fields[] = {
		"data:", "event:", "id:", "retry:", ":"
	};
	struct str s = buf_as_str(&r->body);
	size_t i = 0;

	if (r->kind != LLM_REPLY_UNKNOWN)
		return;
	if (s.n >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	else if (s.n > 0 && s.n < 3 && !at_end && s.p[0] == '\xef')
		return;
	while (i < s.n && strchr(" \t\r\n", s.p[i]) != NULL && s.p[i] != '\0')
		i++;
	s = (struct str){ s.p + i, s.n - i };
	if (s.n == 0) {
		buf_clear(&r->body);
		return;
	}
	if ((s.n < SNIFF_BYTES && !at_end && s.p[0] != '{' && s.p[0] != '['))
		return;
	r->kind = LLM_REPLY_OTHER;
	if (s.p[0] == '{' || s.p[0] == '[')
		r->kind = LLM_REPLY_JSON;
	r->html = s.p[0] == '<';
	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
		if (str_starts(s, fields[k]))
			r->kind = LLM_REPLY_STREAM;
	}
	if (r->kind == LLM_REPLY_STREAM) {
		if (llm_sse_feed(&r->sse, s, on_event, r) != ERR_OK)
			r->too_big = true;
		buf_clear(&r->body);
	}
}

static bool
on_event(void *arg, struct str event, struct str data)
{
	struct llm_reply *r = arg;
	struct str rest = data;

	data = str_trim(data);
	if (str_is(data, "[DONE]")) {
		r->done_seen = true;
		return false;
	}
	if (data.n > 0 && !read_json(r, data, true)) {
		/* Some servers end events with one line end instead of two. */
		bool all = memchr(rest.p, '\n', rest.n) != NULL;

		while (all && rest.p != NULL && !r->done_seen) {
			struct str line = str_trim(str_cut(&rest, '\n'));

			if (str_is(line, "[DONE]"))
				r->done_seen = true;
			else if (line.n > 0)
				all = read_json(r, line, true);
		}
		if (!all && !str_is(event, "ping"))
			r->bad_json = true;
	}
	if (str_is(event, "error") && !r->error.seen)
		llm_error_say(&r->error, data);
	guard(r);
	return !r->done_seen && !r->repeats;
}

static bool
read_json(struct llm_reply *r, struct str json, bool stream)
{
	struct buf fixed;
	struct js *root = NULL;
	const struct js *o;
	bool whole;
	enum err e;

	buf_init(&fixed, r->body.max * 2 + 16);
	whole = llm_repair(json, &fixed, &r->flags);
	e = fixed.failed
		? ERR_TOOBIG
		: js_parse_foreign(buf_as_str(&fixed), fixed.max, &root, NULL);
	if (e == ERR_OK) {
		/* Some gateways wrap the one object into an array. */
		o = js_is_array(root) ? js_at(root, 0) : root;
		read_object(r, o, stream);
	} else if (!whole && !stream) {
		r->cut = true;
	}
	js_close(root);
	buf_release(&fixed);
	return e == ERR_OK;
}

static void
read_object(struct llm_reply *r, const struct js *o, bool stream)
{
	const struct js *choices = js_get(o, "choices");
	struct str model = js_str(js_get(o, "model"));

	llm_error_read(&r->error, o);
	if (model.n > 0)
		llm_keep_line(r->model, sizeof(r->model), model);
	read_usage(r, js_get(o, "usage"));
	if (choices != NULL)
		read_choices(r, choices, stream);
}

/* The completion with index 0, else the first that comes. */
static void
read_choices(struct llm_reply *r, const struct js *choices, bool stream)
{
	size_t n = js_count(choices);
	const struct js *best = NULL;

	r->choices_seen = true;
	if (!js_is_array(choices))
		return;
	for (size_t i = 0; i < n && stream; i++) {
		const struct js *c = js_at(choices, i);

		if (js_is_object(c) && choice_wanted(r, c))
			read_choice(r, c, true);
	}
	for (size_t i = 0; i < n && !stream; i++) {
		const struct js *c = js_at(choices, i);
		int64_t index = 0;

		if (!js_is_object(c))
			continue;
		if (js_int(js_get(c, "index"), 0, INT64_MAX, &index) ==
			ERR_OK &&
		    index == 0 && best != NULL) {
			best = c;
			break;
		}
		if (best == NULL)
			best = c;
		if (index == 0)
			break;
	}
	if (best != NULL)
		read_choice(r, best, false);
}

static bool
choice_wanted(struct llm_reply *r, const struct js *c)
{
	int64_t index = 0;

	(void)!js_int(js_get(c, "index"), 0, INT64_MAX, &index);
	if (r->choice < 0)
		r->choice = index;
	if (index == 0 && r->choice != 0) {
		/* Another one came first: start over with ours. */
		buf_clear(&r->text);
		buf_clear(&r->thought);
		buf_clear(&r->refusal);
		r->finish_seen = false;
		r->finish[0] = '\0';
		r->choice = 0;
	}
	return index == r->choice;
}

static void
read_choice(struct llm_reply *r, const struct js *c, bool stream)
{
	const struct js *delta = js_get(c, "delta");
	const struct js *message = js_get(c, "message");
	const struct js *finish = js_get(c, "finish_reason");
	struct str reason = js_str(finish);

	r->choice_seen = true;
	(void)llm_error_read_object(&r->error, js_get(c, "error"));
	read_usage(r, js_get(c, "usage"));
	if (js_is_object(delta))
		read_message(r, delta);
	else if (js_is_object(message) && (!stream || r->text.n == 0))
		read_message(r, message);
	else if (js_str(js_get(c, "text")).p != NULL) /* old completions */
		read_content(r, js_get(c, "text"));
	if (finish == NULL)
		finish = js_get(c, "stop_reason");
	if (finish == NULL || js_is_null(finish))
		return;
	if (reason.p != NULL) {
		/* "" in every chunk means "not yet". */
		if (stream && reason.n == 0)
			return;
		llm_keep_line(r->finish, sizeof(r->finish), reason);
	} else {
		struct buf b;

		buf_init(&b, 4096);
		js_dump(finish, &b);
		llm_keep_line(r->finish, sizeof(r->finish), buf_as_str(&b));
		buf_release(&b);
	}
	r->finish_seen = true;
}

static void
read_message(struct llm_reply *r, const struct js *m)
{
	struct str refusal = js_str(js_get(m, "refusal"));

	read_thought(r, m);
	read_content(r, js_get(m, "content"));
	if (refusal.n > 0)
		buf_str(&r->refusal, refusal);
	if (js_count(js_get(m, "tool_calls")) > 0 ||
	    js_is_object(js_get(m, "function_call")))
		r->tools = true;
}

/* A string, or parts of which those with text count. */
static void
read_content(struct llm_reply *r, const struct js *content)
{
	struct str s = js_str(content);

	if (s.n > 0)
		buf_str(&r->text, s);
	if (!js_is_array(content))
		return;
	for (size_t i = 0; i < js_count(content); i++) {
		const struct js *part = js_at(content, i);
		struct str type = js_str(js_get(part, "type"));
		struct str text = js_str(js_get(part, "text"));

		if (js_str(part).p != NULL) {
			buf_str(&r->text, js_str(part));
		} else if (type.p == NULL || str_is(type, "text") ||
			   str_is(type, "output_text")) {
			if (text.n > 0)
				buf_str(&r->text, text);
		} else if (str_is(type, "thinking") ||
			   str_is(type, "reasoning")) {
			read_thought(r, part);
			if (text.n > 0)
				buf_str(&r->thought, text);
		} else if (str_is(type, "refusal")) {
			struct str refusal = js_str(js_get(part, "refusal"));

			if (refusal.n > 0)
				buf_str(&r->refusal, refusal);
		}
	}
}

/* The first of the names that has something: routers send it twice. */
static void
read_thought(struct llm_reply *r, const struct js *m)
{
	static const char *const fields[] = { "reasoning_content", "reasoning",
		"thinking", "reasoning_text", "reasoning_details" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (add_thought(r, js_get(m, fields[i])))
			return;
	}
}

/* A string, an object around one, or a list of either. */
static bool
add_thought(struct llm_reply *r, const struct js *v)
{
	static const char *const fields[] = { "content", "text", "summary" };
	struct str s = js_str(v);
	bool any = false;

	for (size_t i = 0; js_is_array(v) && i < js_count(v); i++) {
		const struct js *part = js_at(v, i);

		if (!js_is_array(part) && add_thought(r, part))
			any = true;
	}
	for (size_t i = 0; s.n == 0 && i < sizeof(fields) / sizeof(fields[0]);
	     i++)
		s = js_str(js_get(v, fields[i]));
	if (s.n > 0)
		buf_str(&r->thought, s);
	return any || s.n > 0;
}

static void
read_usage(struct llm_reply *r, const struct js *u)
{
	const struct js *details = js_get(u, "completion_tokens_details");
	int64_t in = tokens(u, "prompt_tokens", "input_tokens");
	int64_t out = tokens(u, "completion_tokens", "output_tokens");
	int64_t thinking = tokens(details, "reasoning_tokens", NULL);

	if (in >= 0)
		r->in = in;
	if (out >= 0)
		r->out = out;
	if (thinking >= 0)
		r->thinking = thinking;
}

/* -1 for all that cannot be a count: it is estimated then. */
static int64_t
tokens(const struct js *u, const char *field, const char *newer)
{
	const struct js *v = js_get(u, field);
	int64_t n;
	double real;

	if (v == NULL && newer != NULL)
		v = js_get(u, newer);
	if (js_int(v, 0, LLM_TOKENS_SANE, &n) == ERR_OK)
		return n;
	if (js_real(v, &real) == ERR_OK && real >= 0 && real <= LLM_TOKENS_SANE)
		return (int64_t)real;
	return -1;
}

/* A stream that runs in circles costs money until somebody stops it. */
static void
guard(struct llm_reply *r)
{
	size_t n = r->text.n + r->thought.n;

	if (n < GUARD_FROM || n < r->checked + GUARD_STEP)
		return;
	r->checked = n;
	r->repeats = llm_repeats(buf_as_str(&r->text)) ||
		     llm_repeats(buf_as_str(&r->thought));
}
