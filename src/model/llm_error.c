/* This file knows how to read what a model server says went wrong. */
#include "config.h"

#include "model/llm_parts.h"

#include <ctype.h>
#include <string.h>

#include "port/json.h"

static bool read_detail(struct llm_error *e, const struct js *detail);
static bool read_plain(struct llm_error *e, const struct js *o);
static bool holds_nothing(const struct js *e);
static bool is_blank(const struct js *v);
static bool is_success(const struct js *code);
static void text(struct llm_error *e, struct str s);
static void name(struct llm_error *e, const struct js *v);
static void code(struct llm_error *e, const struct js *v);

/*
 * {"error": "..."}, {"error": {...}}, {"object": "error", "message": ...},
 * {"detail": ...}, {"errors": [...]}; without choices {"message": ...} and
 * its like.
 */
void
llm_error_read(struct llm_error *e, const struct js *o)
{
	const struct js *error = js_get(o, "error");

	if (llm_error_read_object(e, error)) {
		if (js_str(error).n > 0) { /* its kind stands beside it */
			name(e, js_get(o, "error_type"));
			name(e, js_get(o, "code"));
		}
		return;
	}
	if (js_count(js_get(o, "choices")) > 0 ||
	    llm_error_read_object(e, js_at(js_get(o, "errors"), 0)) ||
	    read_detail(e, js_get(o, "detail")) ||
	    read_detail(e, js_get(js_get(o, "message"), "detail")))
		return;
	(void)read_plain(e, o);
}

bool
llm_error_read_object(struct llm_error *e, const struct js *v)
{
	struct str s = js_str(v);

	if (s.n > 0) {
		llm_error_say(e, s);
		return true;
	}
	if (!js_is_object(v) || holds_nothing(v))
		return false;
	llm_error_say(e, js_str(js_get(v, "message")));
	(void)read_detail(e, js_get(js_get(v, "message"), "detail"));
	name(e, js_get(v, "type"));
	name(e, js_get(v, "code"));
	name(e, js_get(js_get(v, "innererror"), "code"));
	code(e, js_get(v, "code"));
	if (e->code == 0)
		code(e, js_get(v, "status"));
	llm_keep_line(e->param, sizeof(e->param), js_str(js_get(v, "param")));
	return true;
}

void
llm_error_say(struct llm_error *e, struct str s)
{
	e->seen = true;
	text(e, s);
}

/* FastAPI: what is wrong and where, as a list or as words. */
static bool
read_detail(struct llm_error *e, const struct js *detail)
{
	const struct js *first = js_at(detail, 0);
	const struct js *loc = js_get(first, "loc");
	size_t n = js_count(loc);

	if (js_str(detail).n > 0) {
		llm_error_say(e, js_str(detail));
		return true;
	}
	if (!js_is_array(detail))
		return false;
	llm_error_say(e, js_str(js_get(first, "msg")));
	llm_keep_line(
	    e->param, sizeof(e->param), js_str(js_at(loc, n > 0 ? n - 1 : 0)));
	return true;
}

/* No error by its name: a reply that holds a message and no answer. */
static bool
read_plain(struct llm_error *e, const struct js *o)
{
	static const char *const fields[][2] = { { "message", "code" },
		{ "msg", "code" }, { "error_msg", "error_code" },
		{ "status_msg", "status_code" } };
	const struct js *inner = js_get(o, "base_resp");

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct str said = js_str(js_get(o, fields[i][0]));
		const struct js *number = js_get(o, fields[i][1]);

		if (said.n == 0 || is_success(number))
			continue;
		llm_error_say(e, said);
		name(e, js_get(o, "type"));
		name(e, number);
		code(e, number);
		if (e->code == 0)
			code(e, js_get(o, "status"));
		llm_keep_line(
		    e->param, sizeof(e->param), js_str(js_get(o, "param")));
		return true;
	}
	return js_is_object(inner) && read_plain(e, inner);
}

/* Gateways that copy one structure for all replies send an error with empty
 * members beside a good answer. */
static bool
holds_nothing(const struct js *e)
{
	struct str key;

	for (size_t i = 0; i < js_count(e); i++) {
		if (!is_blank(js_member(e, i, &key)))
			return false;
	}
	return true;
}

static bool
is_blank(const struct js *v)
{
	struct str s = js_str(v);
	int64_t n;

	if (s.p != NULL)
		return str_trim(s).n == 0;
	if (js_is_object(v) || js_is_array(v))
		return js_count(v) == 0;
	return js_is_null(v) || js_int(v, 0, 0, &n) == ERR_OK;
}

static bool
is_success(const struct js *v)
{
	struct str s = js_str(v);
	int64_t n;

	return js_int(v, 0, 0, &n) == ERR_OK ||
	       js_int(v, 200, 299, &n) == ERR_OK || str_is(s, "0") ||
	       str_is(s, "200") || str_is(s, "success") || str_is(s, "ok");
}

static void
text(struct llm_error *e, struct str s)
{
	if (s.n > 0)
		llm_keep_line(e->message, sizeof(e->message), s);
}

/* Types and codes, lower case, one after the other. */
static void
name(struct llm_error *e, const struct js *v)
{
	struct str s = js_str(v);
	char *z = e->name;
	size_t n = strlen(z);

	if (s.n == 0 || n + 2 >= sizeof(e->name))
		return;
	if (n > 0)
		z[n++] = ' ';
	llm_keep_line(z + n, sizeof(e->name) - n, s);
	for (; z[n] != '\0'; n++)
		z[n] = (char)tolower((unsigned char)z[n]);
}

static void
code(struct llm_error *e, const struct js *v)
{
	int64_t n;

	if (js_int(v, 100, 599, &n) == ERR_OK ||
	    str_int(js_str(v), 100, 599, &n) == ERR_OK)
		e->code = (int)n;
}

/* s on one line, cut on a character's border; what it holds may be dirty. */
void
llm_keep_line(char *out, size_t room, struct str s)
{
	size_t n = s.n < room - 1 ? s.n : room - 1;

	if (n < s.n) {
		while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
			n--;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		out[i] = c < 0x20 || c == 0x7f ? ' ' : s.p[i];
	}
	out[n] = '\0';
}
