/*
 * This file knows how to find a name in the rows around a place, and how to
 * tell the author of a template that it is not there or of another kind.
 */
#include "config.h"

#include "view/scope.h"

#include <string.h>

#include "base/buf.h"

#define NAMES_MAX 128

static void say_unknown(const struct scope *scope, struct str name,
    const char *attr, struct problems *ps, const char *path, int line);
static const char *misuse(const struct view_field *f, enum field_use use);
static const char *kind_words(enum view_kind kind);

const struct view_field *
scope_find(const struct scope *scope, struct str name, enum field_use use,
    const char *attr, struct problems *ps, const char *path, int line,
    uint8_t *depth)
{
	const struct view_field *f;
	const char *wrong;

	for (size_t d = scope->depth; d-- > 0;) {
		if (scope->shape[d] == NULL)
			continue;
		for (f = scope->shape[d]->fields; f->name != NULL; f++) {
			if (!str_is(name, f->name))
				continue;
			wrong = misuse(f, use);
			if (wrong != NULL) {
				problems_add(ps, path, line,
				    "t:%s=\"%s\": %s is %s; %s", attr, f->name,
				    f->name, kind_words(f->kind), wrong);
				return NULL;
			}
			*depth = (uint8_t)d;
			return f;
		}
	}
	say_unknown(scope, name, attr, ps, path, line);
	return NULL;
}

static void
say_unknown(const struct scope *scope, struct str name, const char *attr,
    struct problems *ps, const char *path, int line)
{
	const char *names[NAMES_MAX] = { NULL }, *near;
	const struct view_field *f;
	size_t n = 0;
	struct buf b;

	for (size_t d = scope->depth; d-- > 0;) {
		f = scope->shape[d] == NULL ? NULL : scope->shape[d]->fields;
		for (; f != NULL && f->name != NULL && n < NAMES_MAX; f++)
			names[n++] = f->name;
	}
	near = str_nearest(name, names, n);
	buf_init(&b, 4096);
	if (near != NULL) {
		buf_printf(&b, "; did you mean \"%s\"?", near);
	} else if (n > 0) {
		buf_z(&b, "; known here: ");
		for (size_t i = 0; i < n && i < 24; i++)
			buf_printf(&b, "%s%s", i == 0 ? "" : ", ", names[i]);
		buf_z(&b, n > 24 ? ", ..." : "");
	}
	buf_c(&b, '\0');
	problems_add(ps, path, line, "t:%s=\"%.*s\": there is no such name%s",
	    attr, (int)(name.n > 80 ? 80 : name.n), name.p,
	    b.failed ? "" : b.p);
	buf_release(&b);
}

static const char *
misuse_text(enum view_kind kind)
{
	switch (kind) {
	case VIEW_MARKUP:
		return "use t:markup";
	case VIEW_FLAG:
		return "use t:if";
	case VIEW_LIST:
	case VIEW_ROW:
		return "use t:each";
	default:
		return NULL;
	}
}

/* What to do instead, or NULL when the use is right. */
static const char *
misuse(const struct view_field *f, enum field_use use)
{
	switch (use) {
	case USE_TEXT:
		return misuse_text(f->kind);
	case USE_MARKUP:
		return f->kind == VIEW_MARKUP ? NULL : "use t:text";
	case USE_EACH:
		return (f->kind == VIEW_LIST || f->kind == VIEW_ROW) &&
			       f->shape != NULL
			   ? NULL
			   : "only a list or a row can be repeated";
	case USE_ADDRESS:
		return f->kind == VIEW_URL ? NULL : "an address is needed";
	case USE_ATTR:
		return f->kind == VIEW_MARKUP || f->kind == VIEW_LIST ||
			       f->kind == VIEW_ROW
			   ? "it cannot stand in an attribute"
			   : NULL;
	default:
		return NULL;
	}
}

static const char *
kind_words(enum view_kind kind)
{
	switch (kind) {
	case VIEW_TEXT:
		return "a text";
	case VIEW_FIGURES:
		return "a text of figures";
	case VIEW_URL:
		return "an address";
	case VIEW_MARKUP:
		return "marked-up text";
	case VIEW_INT:
		return "a whole number";
	case VIEW_REAL:
		return "a number";
	case VIEW_FLAG:
		return "a yes or no";
	case VIEW_TIME:
		return "a time";
	case VIEW_LIST:
		return "a list";
	case VIEW_ROW:
		return "a row";
	case VIEW_MESSAGE:
		return "a sentence";
	}
	return "something else";
}
