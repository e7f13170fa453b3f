/*
 * This file knows how to turn the tree of a template into a flat list of
 * byte runs and slots, and how to say what is wrong with a template.
 */
#include "config.h"

#include "view/compile.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "view/forbid.h"
#include "view/lang.h"
#include "view/scope.h"

#define XHTML "http://www.w3.org/1999/xhtml"
#define SVG "http://www.w3.org/2000/svg"
#define ATOM "http://www.w3.org/2005/Atom"
#define MATHML "http://www.w3.org/1998/Math/MathML"
#define XML_NS "http://www.w3.org/XML/1998/namespace"

#define OPS_BYTES_MAX (8 * 1024 * 1024)
#define INCLUDES_MAX 8

struct source {
	struct source *next;
	const char *file, *path;
	const struct xml_node *root; /* NULL: it has a fault */
};

/* One program in the making. */
struct maker {
	struct library *lib;
	struct scope scope;
	struct buf ops;   /* struct op after struct op */
	struct buf bytes; /* all static bytes ... */
	size_t from;      /* ... those of the current run begin here */
	const char *path; /* of the file whose elements are walked */
	const char *files[INCLUDES_MAX];
	size_t files_n;
	struct str ns;   /* namespace in force in the output */
	bool plain;      /* tags are dropped */
	bool keep_space; /* inside pre and textarea */
	bool in_head;
	bool picture; /* the outermost element is <svg> */
	bool feed;    /* the outermost element is <feed> */
};

static void emit_element(struct maker *m, const struct xml_node *el);
static void emit_children(struct maker *m, const struct xml_node *el);
static void emit_include(
    struct maker *m, const struct xml_node *el, struct text file);
static void emit_tag(struct maker *m, const struct xml_node *el);
static void emit_attrs(struct maker *m, const struct xml_node *el);
static void emit_text(struct maker *m, struct text t);
static void check_element(struct maker *m, const struct xml_node *el);
static enum err maker_finish(struct maker *m, struct program *out);

/* --- the program in the making ------------------------------------------ */

static void
maker_init(struct maker *m, struct library *lib, const char *path)
{
	memset(m, 0, sizeof(*m));
	m->lib = lib;
	m->path = path;
	buf_init(&m->ops, OPS_BYTES_MAX);
	buf_init(&m->bytes, OPS_BYTES_MAX);
}

/* Close the current run of static bytes. */
static void
flush(struct maker *m)
{
	struct op op = { .code = OP_BYTES };

	if (m->bytes.n == m->from)
		return;
	/* Places in a buffer that still grows: made pointers at the end. */
	op.offset = m->from;
	op.bytes.n = m->bytes.n - m->from;
	m->from = m->bytes.n;
	buf_add(&m->ops, &op, sizeof(op));
}

static size_t
op_count(const struct maker *m)
{
	return m->ops.n / sizeof(struct op);
}

/* Add an operation; returns its place. */
static size_t
emit(struct maker *m, const struct op *op)
{
	size_t at;

	flush(m);
	at = op_count(m);
	buf_add(&m->ops, op, sizeof(*op));
	return at;
}

/* The operation at a place leads to where the next one will be. */
static void
land_here(struct maker *m, size_t at)
{
	struct op op;

	flush(m);
	if (m->ops.failed)
		return;
	memcpy(&op, m->ops.p + at * sizeof(op), sizeof(op));
	op.jump = (uint32_t)op_count(m);
	memcpy(m->ops.p + at * sizeof(op), &op, sizeof(op));
}

static void
put(struct maker *m, const char *z)
{
	buf_z(&m->bytes, z);
}

static enum err
maker_finish(struct maker *m, struct program *out)
{
	struct pool *pool = m->lib->pool;
	struct op *ops = NULL;
	char *bytes = NULL;
	size_t n;

	flush(m);
	n = op_count(m);
	if (!m->ops.failed && !m->bytes.failed) {
		ops = pool_array(pool, n + 1, sizeof(*ops));
		bytes = pool_alloc(pool, m->bytes.n + 1);
	}
	if (ops != NULL && bytes != NULL) {
		if (n > 0)
			memcpy(ops, m->ops.p, m->ops.n);
		if (m->bytes.n > 0)
			memcpy(bytes, m->bytes.p, m->bytes.n);
		for (size_t i = 0; i < n; i++) {
			if (ops[i].code == OP_BYTES)
				ops[i].bytes.p = bytes + ops[i].offset;
		}
		out->ops = ops;
		out->n = n;
	}
	buf_release(&m->ops);
	buf_release(&m->bytes);
	return ops == NULL || bytes == NULL ? ERR_NOMEM : ERR_OK;
}

/* Report a fault, once, however many pages include the file. */
static void PA_PRINTF(3, 4)
    fault(struct maker *m, const struct xml_node *el, const char *fmt, ...)
{
	struct problems *ps = m->lib->ps;
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (const struct problem *p = ps->first; p != NULL; p = p->next) {
		if (p->line == el->line && str_is(p->file, m->path) &&
		    str_is(p->what, what))
			return;
	}
	problems_add(ps, m->path, el->line, "%s", what);
}

/* A field by the name that stands in a template's attribute, or NULL. */
static const struct view_field *
find(struct maker *m, const struct xml_node *el, struct text name,
    enum field_use use, const char *attr, struct op *op)
{
	struct problems one;
	const struct view_field *f;

	problems_init(&one, m->lib->trees);
	f = scope_find(&m->scope, str_trim((struct str){ name.p, name.n }), use,
	    attr, &one, m->path, el->line, &op->depth);
	if (one.first != NULL)
		fault(m, el, "%s", one.first->what.p);
	if (f == NULL)
		return NULL;
	op->kind = f->kind;
	op->offset = f->offset;
	op->decimals = (uint8_t)f->decimals;
	op->plain = m->plain;
	return f;
}

/* --- files -------------------------------------------------------------- */

struct text
template_attr(const struct xml_node *el, const char *name)
{
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next) {
		if (a->ns.p != NULL && str_is(a->ns, VIEW_NAMESPACE) &&
		    str_is(a->name, name))
			return a->value;
	}
	return (struct text){ NULL, 0 };
}

static bool
is_root(const struct xml_node *el, const char *name, const char *ns)
{
	return str_is(el->name, name) && el->ns.p != NULL && str_is(el->ns, ns);
}

const struct xml_node *
library_tree(struct library *lib, const char *file, const char **path)
{
	struct source *s;

	for (s = lib->sources; s != NULL; s = s->next) {
		if (strcmp(s->file, file) == 0) {
			*path = s->path;
			return s->root;
		}
	}
	s = pool_alloc(lib->trees, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->file = pool_strdup(lib->trees, file);
	s->path = pool_printf(lib->trees, "%s/%s", lib->dir, file).p;
	s->next = lib->sources;
	lib->sources = s;
	*path = s->path;
	if (xml_load_template(lib->trees, s->path, TEMPLATE_BYTES_MAX, lib->ps,
		&s->root) != ERR_OK)
		return NULL;
	if (!is_root(s->root, "html", XHTML) && !is_root(s->root, "svg", SVG) &&
	    !is_root(s->root, "feed", ATOM)) {
		problems_add(lib->ps, s->path, s->root->line,
		    "the outermost element must be <html xmlns=\"" XHTML
		    "\">, <svg xmlns=\"" SVG "\"> of a picture, or <feed "
		    "xmlns=\"" ATOM "\">");
		s->root = NULL;
	}
	return s->root;
}

enum err
compile_page(struct library *lib, const char *file,
    const struct view_shape *shape, struct program *out)
{
	const char *path = NULL;
	const struct xml_node *root = library_tree(lib, file, &path);
	struct maker m;

	if (root == NULL)
		return pool_failed(lib->trees) ? ERR_NOMEM : ERR_SYNTAX;
	maker_init(&m, lib, path);
	m.files[m.files_n++] = file;
	m.scope.shape[0] = lib->frame;
	m.scope.shape[1] = shape;
	m.scope.depth = 2;
	m.picture = is_root(root, "svg", SVG);
	m.feed = is_root(root, "feed", ATOM);
	put(&m, m.picture || m.feed
		    ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    : "<!DOCTYPE html>\n");
	emit_element(&m, root);
	put(&m, "\n");
	return maker_finish(&m, out);
}

enum err
compile_message(struct library *lib, const char *path,
    const struct xml_node *el, const struct view_shape *shape, bool plain,
    struct program *out)
{
	struct maker m;

	maker_init(&m, lib, path);
	m.scope.shape[0] = lib->frame;
	m.scope.shape[1] = shape;
	m.scope.depth = 2;
	m.ns = STR(XHTML);
	m.plain = plain;
	emit_children(&m, el);
	return maker_finish(&m, out);
}

static void
emit_include(struct maker *m, const struct xml_node *el, struct text file)
{
	const char *path = NULL, *outer = m->path;
	const struct xml_node *root, *part;

	if (strchr(file.p, '/') != NULL || file.p[0] == '.') {
		fault(m, el,
		    "t:include=\"%s\": only the name of a file in the same "
		    "folder is allowed",
		    file.p);
		return;
	}
	for (size_t i = 0; i < m->files_n; i++) {
		if (strcmp(m->files[i], file.p) == 0) {
			fault(m, el,
			    "t:include=\"%s\": the file would include itself",
			    file.p);
			return;
		}
	}
	if (m->files_n == INCLUDES_MAX) {
		fault(m, el, "t:include is nested more than %d deep",
		    INCLUDES_MAX);
		return;
	}
	root = library_tree(m->lib, file.p, &path);
	if (root == NULL) {
		fault(m, el,
		    "t:include=\"%s\": this file has a fault or is "
		    "not there",
		    file.p);
		return;
	}
	part = is_root(root, "svg", SVG)
		   ? root
		   : xml_child(root, m->in_head ? "head" : "body");
	if (part == NULL) {
		fault(m, el, "t:include=\"%s\": this file has no <%s>", file.p,
		    m->in_head ? "head" : "body");
		return;
	}
	m->files[m->files_n++] = file.p;
	m->path = path;
	emit_children(m, part);
	m->path = outer;
	m->files_n--;
}

/* --- elements ----------------------------------------------------------- */

static bool
is_template(const struct xml_node *el)
{
	return el->ns.p != NULL && str_is(el->ns, VIEW_NAMESPACE);
}

/* Is the element's name one of these? */
static bool
is_one_of(const struct xml_node *el, const char *const *names)
{
	for (; *names != NULL; names++) {
		if (str_is(el->name, *names))
			return true;
	}
	return false;
}

/* Elements that hold text alone. */
static bool
is_textual(const struct xml_node *el)
{
	static const char *const names[] = { "title", "option", "textarea",
		"desc", NULL };

	return !is_template(el) && is_one_of(el, names);
}

static bool
is_void(const struct xml_node *el)
{
	static const char *const names[] = { "area", "base", "br", "col",
		"embed", "hr", "img", "input", "link", "meta", "source",
		"track", "wbr", NULL };

	return is_one_of(el, names);
}

/* The body of a t:if or t:unless; the caller lands the jump. */
static bool
emit_test(struct maker *m, const struct xml_node *el, const char *attr,
    enum op_code code, size_t *at)
{
	struct text name = template_attr(el, attr);
	struct op op = { .code = code };

	if (name.p == NULL || find(m, el, name, USE_TRUTH, attr, &op) == NULL)
		return false;
	*at = emit(m, &op);
	return true;
}

static void
emit_once(struct maker *m, const struct xml_node *el)
{
	struct text include = template_attr(el, "include");
	size_t if_at = 0, unless_at = 0;
	bool has_if = emit_test(m, el, "if", OP_IF, &if_at);
	bool has_unless = emit_test(m, el, "unless", OP_UNLESS, &unless_at);

	if (include.p != NULL)
		emit_include(m, el, include);
	else
		emit_tag(m, el);
	if (has_unless)
		land_here(m, unless_at);
	if (has_if)
		land_here(m, if_at);
}

static void
emit_each(struct maker *m, const struct xml_node *el, struct text name)
{
	struct op op = { .code = OP_EACH };
	const struct view_field *f = find(m, el, name, USE_EACH, "each", &op);
	size_t each;

	if (f == NULL)
		return;
	if (m->scope.depth == VIEW_DEPTH_MAX) {
		fault(m, el, "t:each is nested more than %d deep",
		    VIEW_DEPTH_MAX - 2);
		return;
	}
	op.inner = (uint8_t)m->scope.depth;
	op.size = f->shape->size;
	each = emit(m, &op);
	m->scope.shape[m->scope.depth++] = f->shape;
	emit_once(m, el);
	m->scope.depth--;
	op.code = OP_NEXT;
	op.jump = (uint32_t)each + 1;
	emit(m, &op);
	land_here(m, each);
}

static void
emit_element(struct maker *m, const struct xml_node *el)
{
	struct text each = template_attr(el, "each");

	check_element(m, el);
	if (each.p != NULL)
		emit_each(m, el, each);
	else
		emit_once(m, el);
}

/* What stands between a start and an end tag. */
static void
emit_content(struct maker *m, const struct xml_node *el)
{
	struct text text = template_attr(el, "text");
	struct text markup = template_attr(el, "markup");
	struct op op = { .code = OP_VALUE };

	if (text.p != NULL && markup.p != NULL)
		fault(m, el, "t:text and t:markup cannot stand together");
	if (markup.p != NULL && m->plain) {
		fault(m, el, "t:markup=\"%s\": only text can stand here",
		    markup.p);
	} else if (markup.p != NULL) {
		if (find(m, el, markup, USE_MARKUP, "markup", &op) != NULL)
			emit(m, &op);
	} else if (text.p != NULL) {
		if (find(m, el, text, USE_TEXT, "text", &op) != NULL)
			emit(m, &op);
	} else {
		emit_children(m, el);
	}
}

static void
emit_children(struct maker *m, const struct xml_node *el)
{
	for (const struct xml_node *n = el->first; n != NULL; n = n->next) {
		if (n->kind == XML_KIND_ELEMENT)
			emit_element(m, n);
		else if (n->kind == XML_KIND_TEXT)
			emit_text(m, n->text);
	}
}

/* White space with a line end in it is one line end, but where it counts. */
static void
emit_text(struct maker *m, struct text t)
{
	bool line = false, blank = !m->keep_space && !m->plain;

	for (size_t i = 0; i < t.n && blank; i++) {
		line = line || t.p[i] == '\n';
		blank = t.p[i] == ' ' || t.p[i] == '\t' || t.p[i] == '\n';
	}
	if (blank && line)
		put(m, "\n");
	else
		buf_xml(&m->bytes, (struct str){ t.p, t.n });
}

static bool
has_content(const struct xml_node *el)
{
	return el->first != NULL || template_attr(el, "text").p != NULL ||
	       template_attr(el, "markup").p != NULL;
}

static void
emit_tag(struct maker *m, const struct xml_node *el)
{
	struct str ns = m->ns;
	bool plain = m->plain, keep = m->keep_space, head = m->in_head;
	bool tag = !is_template(el) && !m->plain;

	if (tag) {
		put(m, "<");
		buf_str(&m->bytes, el->name);
		emit_attrs(m, el);
		m->ns = el->ns;
	}
	if (tag && !has_content(el) &&
	    (is_void(el) || !str_is(el->ns, XHTML))) {
		put(m, " />");
		m->ns = ns;
		return;
	}
	if (tag)
		put(m, ">");
	m->plain = m->plain || is_textual(el);
	m->keep_space = m->keep_space || str_is(el->name, "pre") ||
			str_is(el->name, "textarea");
	m->in_head = m->in_head || str_is(el->name, "head");
	emit_content(m, el);
	m->plain = plain;
	m->keep_space = keep;
	m->in_head = head;
	m->ns = ns;
	if (tag) {
		put(m, "</");
		buf_str(&m->bytes, el->name);
		put(m, ">");
	}
}

/* --- attributes --------------------------------------------------------- */

static bool
is_order(struct str name)
{
	return str_is(name, "each") || str_is(name, "if") ||
	       str_is(name, "unless") || str_is(name, "text") ||
	       str_is(name, "markup") || str_is(name, "include") ||
	       str_is(name, "message");
}

/* What a page under the content security policy must not carry. */
static bool
is_forbidden(struct str name)
{
	return str_is(name, "style") || str_is(name, "srcdoc") ||
	       (name.n > 2 && str_starts(name, "on"));
}

static void
emit_literal(struct maker *m, const struct xml_attr *a, const char *prefix)
{
	struct op op = { .code = OP_BASE };

	put(m, " ");
	put(m, prefix);
	buf_str(&m->bytes, a->name);
	put(m, "=\"");
	if (forbid_is_address(a->name) && a->value.n > 0 &&
	    a->value.p[0] == '/' && a->value.p[1] != '/')
		emit(m, &op);
	buf_xml_attr(&m->bytes, (struct str){ a->value.p, a->value.n });
	put(m, "\"");
}

static void
emit_slot(struct maker *m, const struct xml_node *el, const struct xml_attr *a)
{
	enum field_use use =
	    forbid_is_address(a->name) ? USE_ADDRESS : USE_ATTR;
	struct op op = { .code = OP_ATTR };
	const struct view_field *f = find(m, el, a->value, use, a->name.p, &op);

	if (f == NULL)
		return;
	op.plain = true;
	op.bytes =
	    f->kind == VIEW_FLAG
		? pool_printf(m->lib->pool, " %s=\"%s\"", a->name.p, a->name.p)
		: pool_printf(m->lib->pool, " %s=\"", a->name.p);
	emit(m, &op);
}

/* <html> says its language and direction; nothing else may say otherwise. */
static bool
emit_html_attrs(struct maker *m, const struct xml_node *el)
{
	const char *lang = m->lib->lang;

	if (!str_is(el->name, "html"))
		return false;
	buf_printf(&m->bytes,
	    " xmlns=\"%s\" lang=\"%s\" xml:lang=\"%s\" dir=\"%s\"", XHTML, lang,
	    lang, lang_dir(lang));
	return true;
}

static void
emit_attrs(struct maker *m, const struct xml_node *el)
{
	bool html = emit_html_attrs(m, el);

	if (!html && el->ns.p != NULL && !str_eq(el->ns, m->ns)) {
		put(m, " xmlns=\"");
		buf_xml_attr(&m->bytes, el->ns);
		put(m, "\"");
	}
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next) {
		if (html && (str_is(a->name, "lang") || str_is(a->name, "dir")))
			continue;
		if (a->ns.p == NULL) {
			if (template_attr(el, a->name.p).p == NULL ||
			    is_order(a->name))
				emit_literal(m, a, "");
		} else if (str_is(a->ns, XML_NS)) {
			emit_literal(m, a, "xml:");
		} else if (str_is(a->ns, VIEW_NAMESPACE) &&
			   !is_order(a->name)) {
			emit_slot(m, el, a);
		}
	}
}

/* --- faults that need no names ------------------------------------------ */

/* What is only a sample in the file, replaced when the page is written, may
 * say anything. */
static void
check_forbidden(struct maker *m, const struct xml_node *el)
{
	const char *what;

	if (template_attr(el, "include").p != NULL || is_template(el))
		return;
	if ((what = forbid_element(el)) != NULL)
		fault(m, el, "%s", what);
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next) {
		if (a->ns.p != NULL || template_attr(el, a->name.p).p != NULL)
			continue;
		what = forbid_address(m->lib->trees, el, a);
		if (what != NULL)
			fault(m, el, "%s", what);
	}
}

static void
check_attr(struct maker *m, const struct xml_node *el, const struct xml_attr *a)
{
	bool own = a->ns.p != NULL && str_is(a->ns, VIEW_NAMESPACE);

	if (a->ns.p != NULL && !own && !str_is(a->ns, XML_NS))
		fault(m, el, "the attribute \"%s\" has an unknown prefix",
		    a->name.p);
	else if (a->ns.p == NULL && is_template(el))
		fault(m, el,
		    "<t:put> is never written; its attribute \"%s\" does "
		    "nothing",
		    a->name.p);
	else if (own && is_template(el) && !is_order(a->name))
		fault(m, el,
		    "<t:put> is never written; t:%s does nothing there",
		    a->name.p);
	else if (is_forbidden(a->name))
		fault(m, el,
		    "the attribute \"%s\" is not allowed: the pages' security "
		    "policy forbids script and style in them",
		    a->name.p);
	else if (own && str_is(a->name, "message"))
		fault(m, el,
		    "t:message stands in messages.xhtml; a page shows a "
		    "sentence with t:text");
}

static void
check_namespace(struct maker *m, const struct xml_node *el)
{
	if (el->ns.p == NULL ||
	    !(str_is(el->ns, XHTML) || str_is(el->ns, SVG) ||
		str_is(el->ns, MATHML) || is_template(el) ||
		(m->feed && str_is(el->ns, ATOM))))
		fault(m, el, "<%s> is not an element of a page", el->name.p);
	else if (str_is(el->ns, XHTML) && str_is(el->name, "svg"))
		fault(m, el, "write <svg xmlns=\"" SVG "\">");
	else if (str_is(el->ns, XHTML) && str_is(el->name, "math"))
		fault(m, el, "write <math xmlns=\"" MATHML "\">");
	else if (is_template(el) && !str_is(el->name, "put"))
		fault(m, el, "there is no <t:%s>; only <t:put>", el->name.p);
}

static void
check_element(struct maker *m, const struct xml_node *el)
{
	check_namespace(m, el);
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next)
		check_attr(m, el, a);
	check_forbidden(m, el);
	if (is_void(el) && !is_template(el) &&
	    template_attr(el, "include").p == NULL && has_content(el))
		fault(m, el, "<%s> can hold nothing", el->name.p);
	if ((str_is(el->name, "style") && !m->picture) ||
	    (str_is(el->name, "script") && has_content(el)))
		fault(m, el,
		    "<%s> is not allowed here: script and style stand in "
		    "files of their own",
		    el->name.p);
}
