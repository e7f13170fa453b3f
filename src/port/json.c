/* This file knows how to read JSON from strangers and how to write it. */
#include "config.h"

#include "port/json.h"

#include <jansson.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

static enum err parse(struct str s, size_t max, size_t flags, struct js **out,
    struct js_fault *fault);
static json_t *inner(const struct js *v);
static const struct js *outer(const json_t *v);
static size_t deepest(struct str s);
static void set_fault(struct js_fault *, const json_error_t *);
static int add_dumped(const char *p, size_t n, void *b);
static void item(struct js_out *, const char *key);
static void open_level(struct js_out *, const char *key, bool array);

enum err
js_parse(struct str s, size_t max, struct js **out, struct js_fault *fault)
{
	return parse(s, max, JSON_REJECT_DUPLICATES, out, fault);
}

enum err
js_parse_foreign(
    struct str s, size_t max, struct js **out, struct js_fault *fault)
{
	return parse(s, max, 0, out, fault);
}

static enum err
parse(struct str s, size_t max, size_t flags, struct js **out,
    struct js_fault *fault)
{
	json_error_t why = { .line = 1, .column = 1 };
	json_t *root;

	if (s.n > max) {
		(void)snprintf(why.text, sizeof(why.text), "too large");
		set_fault(fault, &why);
		return ERR_TOOBIG;
	}
	/* jansson parses by recursion: bound it before it starts. */
	if (deepest(s) > JS_DEPTH_MAX) {
		(void)snprintf(why.text, sizeof(why.text), "nested too deeply");
		set_fault(fault, &why);
		return ERR_TOOBIG;
	}
	root = json_loadb(
	    s.p == NULL ? "" : s.p, s.n, flags | JSON_ALLOW_NUL, &why);
	if (root == NULL) {
		set_fault(fault, &why);
		return ERR_SYNTAX;
	}
	*out = (struct js *)root;
	return ERR_OK;
}

void
js_close(struct js *root)
{
	json_decref((json_t *)root);
}

const struct js *
js_get(const struct js *object, const char *key)
{
	return outer(json_object_get(inner(object), key));
}

const struct js *
js_at(const struct js *array, size_t i)
{
	return outer(json_array_get(inner(array), i));
}

size_t
js_count(const struct js *v)
{
	if (js_is_object(v))
		return json_object_size(inner(v));
	return json_array_size(inner(v));
}

bool
js_is_object(const struct js *v)
{
	return json_is_object(inner(v));
}

bool
js_is_array(const struct js *v)
{
	return json_is_array(inner(v));
}

bool
js_is_null(const struct js *v)
{
	return json_is_null(inner(v));
}

const struct js *
js_member(const struct js *object, size_t i, struct str *key)
{
	json_t *o = inner(object);
	void *at = json_object_iter(o);

	while (at != NULL && i-- > 0)
		at = json_object_iter_next(o, at);
	if (at == NULL)
		return NULL;
	*key = (struct str){ json_object_iter_key(at),
		json_object_iter_key_len(at) };
	return outer(json_object_iter_value(at));
}

struct str
js_str(const struct js *v)
{
	const json_t *s = inner(v);

	if (!json_is_string(s))
		return (struct str){ NULL, 0 };
	return (struct str){ json_string_value(s), json_string_length(s) };
}

enum err
js_int(const struct js *v, int64_t min, int64_t max, int64_t *out)
{
	const json_t *n = inner(v);
	int64_t i;

	if (!json_is_integer(n))
		return ERR_INVALID;
	i = (int64_t)json_integer_value(n);
	if (i < min || i > max)
		return ERR_INVALID;
	*out = i;
	return ERR_OK;
}

enum err
js_real(const struct js *v, double *out)
{
	const json_t *n = inner(v);

	if (!json_is_number(n))
		return ERR_INVALID;
	*out = json_number_value(n);
	return ERR_OK;
}

enum err
js_bool(const struct js *v, bool *out)
{
	const json_t *b = inner(v);

	if (!json_is_boolean(b))
		return ERR_INVALID;
	*out = json_is_true(b);
	return ERR_OK;
}

void
js_dump(const struct js *v, struct buf *b)
{
	if (v == NULL ||
	    json_dump_callback(inner(v), add_dumped, b, DUMP_FLAGS) != 0)
		b->failed = true;
}

void
js_begin(struct js_out *o, struct buf *b)
{
	*o = (struct js_out){ .b = b };
}

void
js_put_object(struct js_out *o, const char *key)
{
	open_level(o, key, false);
}

void
js_put_array(struct js_out *o, const char *key)
{
	open_level(o, key, true);
}

void
js_end(struct js_out *o)
{
	assert(o->depth > 0);
	buf_c(o->b, (o->arrays >> o->depth & 1) != 0 ? ']' : '}');
	o->depth--;
	o->started = true;
}

void
js_put_str(struct js_out *o, const char *key, struct str v)
{
	if (v.p == NULL)
		return;
	item(o, key);
	buf_c(o->b, '"');
	buf_json(o->b, v);
	buf_c(o->b, '"');
}

void
js_put_text(struct js_out *o, const char *key, struct text v)
{
	js_put_str(o, key, (struct str){ v.p, v.n });
}

void
js_put_int(struct js_out *o, const char *key, int64_t v)
{
	item(o, key);
	buf_int(o->b, v);
}

void
js_put_real(struct js_out *o, const char *key, double v)
{
	if (!isfinite(v))
		return;
	item(o, key);
	buf_real(o->b, v);
}

void
js_put_fixed(struct js_out *o, const char *key, double v, int decimals)
{
	if (!isfinite(v))
		return;
	item(o, key);
	buf_fixed(o->b, v, decimals);
}

void
js_put_bool(struct js_out *o, const char *key, bool v)
{
	item(o, key);
	buf_z(o->b, v ? "true" : "false");
}

void
js_put_null(struct js_out *o, const char *key)
{
	item(o, key);
	buf_z(o->b, "null");
}

void
js_put_raw(struct js_out *o, const char *key, struct str json)
{
	item(o, key);
	buf_str(o->b, json);
}

/*
 * A struct js is a json_t under another name.  jansson's getters take
 * non-const pointers where they do not write; the cast is kept in one place.
 */
static json_t *
inner(const struct js *v)
{
	union {
		const struct js *in;
		json_t *out;
	} u = { v };

	return u.out;
}

static const struct js *
outer(const json_t *v)
{
	return (const struct js *)v;
}

/* The deepest nesting of brackets outside strings. */
static size_t
deepest(struct str s)
{
	size_t depth = 0;
	size_t most = 0;
	bool inside = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (inside) {
			if (c == '\\')
				i++;
			else if (c == '"')
				inside = false;
		} else if (c == '"') {
			inside = true;
		} else if (c == '{' || c == '[') {
			if (++depth > most)
				most = depth;
		} else if ((c == '}' || c == ']') && depth > 0) {
			depth--;
		}
	}
	return most;
}

static void
set_fault(struct js_fault *fault, const json_error_t *why)
{
	if (fault == NULL)
		return;
	fault->line = why->line;
	fault->column = why->column;
	(void)snprintf(fault->text, sizeof(fault->text), "%s", why->text);
}

static int
add_dumped(const char *p, size_t n, void *b)
{
	buf_add(b, p, n);
	return 0;
}

/* The comma before an item and its key. */
static void
item(struct js_out *o, const char *key)
{
	bool in_array = o->depth > 0 && (o->arrays >> o->depth & 1) != 0;

	assert((key == NULL) == (o->depth == 0 || in_array));
	if (o->started)
		buf_c(o->b, ',');
	o->started = true;
	if (key == NULL)
		return;
	buf_c(o->b, '"');
	buf_json(o->b, str_of(key));
	buf_z(o->b, "\":");
}

static void
open_level(struct js_out *o, const char *key, bool array)
{
	item(o, key);
	buf_c(o->b, array ? '[' : '{');
	assert(o->depth < JS_DEPTH_MAX - 1);
	o->depth++;
	o->arrays &= ~(UINT64_C(1) << o->depth);
	if (array)
		o->arrays |= UINT64_C(1) << o->depth;
	o->started = false;
}
