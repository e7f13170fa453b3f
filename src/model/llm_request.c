/* This file knows how to write a request for a chat completion. */
#include "config.h"

#include "model/llm_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/conf.h"
#include "port/json.h"

/* A message while equal neighbours are being joined. */
struct turn {
	const char *role;
	struct buf text;
};

static void put_messages(
    struct js_out *o, const struct llm_question *q, enum llm_system_as as);
static void put_turn(struct js_out *o, const char *role, struct buf *text);
static void join(struct buf *b, struct text t);
static void put_parameter(struct js_out *o, const struct conf_parameter *p);
static bool is_tokens_field(struct text name);
static bool is_ours(struct text name);
static bool is_dropped(const struct llm_learnt *l, struct text name);
static enum llm_system_as system_as(
    const struct llm_endpoint *ep, const struct llm_learnt *l);
static const char *tokens_name(
    const struct llm_endpoint *ep, const struct llm_learnt *l);
static bool names(const struct llm_reply *r, struct str parameter);
static bool says_unsupported(const char *message);
static bool refuses_system(const char *message);
static bool learn_system(struct llm_learnt *l, const struct llm_endpoint *ep,
    const struct llm_reply *r);
static bool drop(struct llm_learnt *l, struct text name);

void
llm_request_body(struct buf *b, const struct llm_endpoint *ep,
    const struct llm_question *q, const struct llm_learnt *learnt,
    int64_t tokens)
{
	struct js_out o;
	struct text model = ep->model.p != NULL ? ep->model : q->model;
	bool stream = ep->stream && !learnt->no_stream;

	js_begin(&o, b);
	js_put_object(&o, NULL);
	if (ep->send_model)
		js_put_text(&o, "model", model);
	js_put_array(&o, "messages");
	put_messages(&o, q, system_as(ep, learnt));
	js_end(&o);
	js_put_int(&o, tokens_name(ep, learnt), tokens);
	for (size_t i = 0; i < q->parameters_n; i++) {
		const struct conf_parameter *p = &q->parameters[i];

		if (is_tokens_field(p->name) || is_ours(p->name) ||
		    is_dropped(learnt, p->name))
			continue;
		/* Options of a stream mean nothing without one. */
		if (!stream && str_is((struct str){ p->name.p, p->name.n },
				   "stream_options"))
			continue;
		put_parameter(&o, p);
	}
	js_put_bool(&o, "stream", stream);
	js_end(&o);
}

int64_t
llm_request_tokens(const struct llm_endpoint *ep, const struct llm_question *q)
{
	int64_t tokens = ep->tokens;

	for (size_t i = 0; i < q->parameters_n; i++) {
		const struct conf_parameter *p = &q->parameters[i];
		struct str v = { p->value.p, p->value.n };

		if (is_tokens_field(p->name) &&
		    str_int(v, 1, LLM_TOKENS_SANE, &tokens) != ERR_OK)
			log_warning("the setting %.*s=%.*s is no number of "
				    "tokens; %lld is used",
			    (int)p->name.n, p->name.p, (int)v.n, v.p,
			    (long long)tokens);
	}
	return tokens;
}

bool
llm_learn(struct llm_learnt *learnt, const struct llm_endpoint *ep,
    const struct llm_question *q, const struct llm_reply *r)
{
	const char *tokens = tokens_name(ep, learnt);

	if (!r->error.seen)
		return false;
	if (learn_system(learnt, ep, r))
		return true;
	if (!says_unsupported(r->error.message) &&
	    strstr(r->error.name, "unsupported") == NULL)
		return false;
	if (names(r, str_of(tokens))) {
		/* The other name, once: never no limit at all. */
		if (learnt->other_tokens_field)
			return false;
		learnt->other_tokens_field = true;
		log_notice("endpoint %.*s refuses %s and gets %s from now on",
		    (int)ep->id.n, ep->id.p, tokens, tokens_name(ep, learnt));
		return true;
	}
	for (size_t i = 0; i < q->parameters_n; i++) {
		struct text name = q->parameters[i].name;

		if (is_tokens_field(name) || is_ours(name) ||
		    is_dropped(learnt, name) ||
		    !names(r, (struct str){ name.p, name.n }))
			continue;
		if (!drop(learnt, name))
			return false;
		log_warning("endpoint %.*s refuses the parameter %.*s, which "
			    "is left out from now on",
		    (int)ep->id.n, ep->id.p, (int)name.n, name.p);
		return true;
	}
	if (ep->stream && !learnt->no_stream && names(r, STR("stream"))) {
		learnt->no_stream = true;
		log_notice("endpoint %.*s refuses to stream and is not asked "
			   "for it from now on",
		    (int)ep->id.n, ep->id.p);
		return true;
	}
	return false;
}

/*
 * One system message at most, in front; then user and assistant in turn,
 * beginning with the user: equal neighbours are joined.
 */
static void
put_messages(
    struct js_out *o, const struct llm_question *q, enum llm_system_as as)
{
	static const char *const system_roles[] = {
		[LLM_SYSTEM_SYSTEM] = "system",
		[LLM_SYSTEM_DEVELOPER] = "developer",
	};
	struct buf text;
	enum llm_role role = LLM_ROLE_USER;
	bool started = false;

	buf_init(&text, o->b->max);
	for (size_t i = 0; i < q->messages_n; i++) {
		if (q->messages[i].role == LLM_ROLE_SYSTEM)
			join(&text, q->messages[i].text);
	}
	if (as != LLM_SYSTEM_USER_PREFIX) {
		if (text.n > 0)
			put_turn(o, system_roles[as], &text);
		buf_clear(&text);
	}
	for (size_t i = 0; i < q->messages_n; i++) {
		const struct llm_message *m = &q->messages[i];

		if (m->role == LLM_ROLE_SYSTEM ||
		    (!started && m->role == LLM_ROLE_ASSISTANT))
			continue;
		if (started && m->role != role) {
			put_turn(o,
			    role == LLM_ROLE_USER ? "user" : "assistant",
			    &text);
			buf_clear(&text);
		}
		role = m->role;
		started = true;
		join(&text, m->text);
	}
	if (text.n > 0)
		put_turn(
		    o, role == LLM_ROLE_USER ? "user" : "assistant", &text);
	if (text.failed)
		o->b->failed = true;
	buf_release(&text);
}

static void
put_turn(struct js_out *o, const char *role, struct buf *text)
{
	js_put_object(o, NULL);
	js_put_str(o, "role", str_of(role));
	js_put_str(o, "content", buf_as_str(text));
	js_end(o);
}

static void
join(struct buf *b, struct text t)
{
	if (b->n > 0)
		buf_z(b, "\n\n");
	if (t.n > 0)
		buf_add(b, t.p, t.n);
}

/* arena.xml has only words: a number, a truth or JSON is sent as such. */
static void
put_parameter(struct js_out *o, const struct conf_parameter *p)
{
	struct str v = { p->value.p, p->value.n };
	struct js *json = NULL;
	char key[64];
	double real;

	(void)snprintf(key, sizeof(key), "%.*s", (int)p->name.n, p->name.p);
	if (str_is(v, "true") || str_is(v, "false") || str_is(v, "null"))
		js_put_raw(o, key, v);
	else if (str_real(v, &real) == ERR_OK && v.p[0] != '+' &&
		 v.p[0] != '.' && v.p[v.n - 1] != '.' &&
		 (v.p[0] != '0' || v.n == 1 || v.p[1] == '.'))
		js_put_raw(o, key, v);
	else if (v.n > 0 && (v.p[0] == '{' || v.p[0] == '[') &&
		 js_parse(v, 4096, &json, NULL) == ERR_OK)
		js_put_raw(o, key, v);
	else
		js_put_str(o, key, v);
	js_close(json);
}

static bool
is_tokens_field(struct text name)
{
	struct str s = { name.p, name.n };

	return str_is(s, "max_tokens") || str_is(s, "max_completion_tokens");
}

/* Parameters that this file writes itself. */
static bool
is_ours(struct text name)
{
	struct str s = { name.p, name.n };

	return str_is(s, "model") || str_is(s, "messages") ||
	       str_is(s, "stream") || str_is(s, "n");
}

static bool
is_dropped(const struct llm_learnt *l, struct text name)
{
	for (size_t i = 0; i < l->dropped_n; i++) {
		if (str_is((struct str){ name.p, name.n }, l->dropped[i]))
			return true;
	}
	return false;
}

static enum llm_system_as
system_as(const struct llm_endpoint *ep, const struct llm_learnt *l)
{
	return l->system_known ? l->system_as : ep->system_as;
}

static const char *
tokens_name(const struct llm_endpoint *ep, const struct llm_learnt *l)
{
	bool completion = ep->tokens_field == LLM_TOKENS_MAX_COMPLETION;

	if (l->other_tokens_field)
		completion = !completion;
	return completion ? "max_completion_tokens" : "max_tokens";
}

/* The error is about this parameter: it says so, or has the word in it. */
static bool
names(const struct llm_reply *r, struct str parameter)
{
	struct str message = str_of(r->error.message);
	struct str said = str_of(r->error.param);

	/* Servers written in Python say "None" for nothing. */
	if (said.n > 0 && !str_is(said, "None"))
		return str_eq(said, parameter);
	for (size_t i = 0; i + parameter.n <= message.n; i++) {
		char before = i > 0 ? message.p[i - 1] : ' ';
		char after = i + parameter.n < message.n
				 ? message.p[i + parameter.n]
				 : ' ';

		if (memcmp(message.p + i, parameter.p, parameter.n) == 0 &&
		    !isalnum((unsigned char)before) && before != '_' &&
		    !isalnum((unsigned char)after) && after != '_')
			return true;
	}
	return false;
}

/* "max_tokens is too large" is no reason to leave it out; these are. */
static bool
says_unsupported(const char *message)
{
	static const char *const words[] = { "upported", "nrecognized",
		"nrecognised", "nknown", "nexpected", "ot permitted",
		"ot allowed", "xtra ", "does not support", "not accept",
		"eprecated", "nly the default", "n't support", "annot be",
		"not enabled" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strstr(message, words[i]) != NULL)
			return true;
	}
	return false;
}

/* "System role not supported", "invalid role: system", "Only user and assistant
 * roles are supported", "roles must alternate". */
static bool
refuses_system(const char *m)
{
	bool no = says_unsupported(m) || strcasestr(m, "invalid role") != NULL;

	if (strstr(m, "role") == NULL)
		return no &&
		       (strcasestr(m, "system message") != NULL ||
			   strcasestr(m, "system prompt") != NULL ||
			   strcasestr(m, "system instruction") != NULL ||
			   strcasestr(m, "developer instruction") != NULL);
	return strstr(m, "alternate") != NULL ||
	       (no && (strcasestr(m, "system") != NULL ||
			  strstr(m, "nly user and assistant") != NULL));
}

/* A model without a system role gets its instructions with the question. */
static bool
learn_system(struct llm_learnt *l, const struct llm_endpoint *ep,
    const struct llm_reply *r)
{
	const char *m = r->error.message;
	enum llm_system_as now = system_as(ep, l);

	if (now == LLM_SYSTEM_USER_PREFIX)
		return false;
	if (now == LLM_SYSTEM_DEVELOPER && strstr(m, "developer") != NULL)
		l->system_as = LLM_SYSTEM_SYSTEM;
	else if (refuses_system(m))
		l->system_as = LLM_SYSTEM_USER_PREFIX;
	else
		return false;
	l->system_known = true;
	log_notice("endpoint %.*s refuses the role %s", (int)ep->id.n, ep->id.p,
	    now == LLM_SYSTEM_DEVELOPER ? "developer" : "system");
	return true;
}

static bool
drop(struct llm_learnt *l, struct text name)
{
	size_t max = sizeof(l->dropped) / sizeof(l->dropped[0]);

	if (l->dropped_n == max || name.n >= sizeof(l->dropped[0]))
		return false;
	memcpy(l->dropped[l->dropped_n], name.p, name.n);
	l->dropped[l->dropped_n++][name.n] = '\0';
	return true;
}
