/* This file knows how to read an institution's own text for a page. */
#include "config.h"

#include "page/owntext.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "view/forbid.h"

#define FILE_MAX_BYTES ((size_t)256 * 1024)

static const char *const refused[] = { "script", "style", "iframe", "object",
	"embed", "link", "meta", "base", "form", "input", "button", NULL };

/* Elements that have no end tag when they are empty. */
static const char *const empty[] = { "br", "hr", "img", "wbr", "col", NULL };

struct writer {
	struct pool *pool;
	struct buf b;
	struct problems *ps;
	const char *file;
	size_t faults;
};

static void write_children(struct writer *, const struct xml_node *);
static void write_element(struct writer *, const struct xml_node *);
static void write_attrs(struct writer *, const struct xml_node *);
static bool listed(const char *const *list, struct str name);
static const struct xml_node *find_body(const struct xml_node *root);

enum err
owntext_load(struct pool *pool, struct text path, struct problems *ps,
    struct markup *out)
{
	struct writer w = { .pool = pool, .ps = ps, .file = path.p };
	const struct xml_node *root, *body;
	struct str s;
	enum err e;

	e = xml_load_template(pool, path.p, FILE_MAX_BYTES, ps, &root);
	if (e != ERR_OK)
		return e;
	body = find_body(root);
	if (body == NULL) {
		problems_add(ps, path.p, root->line,
		    "there is no <body>: write a whole XHTML page, its "
		    "<body> is shown");
		return ERR_SYNTAX;
	}
	buf_init(&w.b, 2 * FILE_MAX_BYTES);
	write_children(&w, body);
	s = pool_str(pool, buf_as_str(&w.b));
	e = w.faults > 0 ? ERR_SYNTAX : w.b.failed ? ERR_TOOBIG : ERR_OK;
	buf_release(&w.b);
	if (e == ERR_OK)
		*out = (struct markup){ s.p, s.n };
	return e;
}

static const struct xml_node *
find_body(const struct xml_node *root)
{
	if (root->kind == XML_KIND_ELEMENT && str_is(root->name, "body"))
		return root;
	return xml_child(root, "body");
}

static void
write_children(struct writer *w, const struct xml_node *el)
{
	for (const struct xml_node *n = el->first; n != NULL; n = n->next) {
		if (n->kind == XML_KIND_TEXT)
			buf_xml(&w->b, (struct str){ n->text.p, n->text.n });
		else if (n->kind == XML_KIND_ELEMENT)
			write_element(w, n);
	}
}

static void
write_element(struct writer *w, const struct xml_node *el)
{
	if (listed(refused, el->name)) {
		problems_add(w->ps, w->file, el->line,
		    "<%.*s> cannot stand here: this page shows text, headings, "
		    "lists, tables and links",
		    (int)el->name.n, el->name.p);
		w->faults++;
		return;
	}
	buf_c(&w->b, '<');
	buf_str(&w->b, el->name);
	write_attrs(w, el);
	if (listed(empty, el->name)) {
		buf_z(&w->b, "/>");
		return;
	}
	buf_c(&w->b, '>');
	write_children(w, el);
	buf_z(&w->b, "</");
	buf_str(&w->b, el->name);
	buf_c(&w->b, '>');
}

static void
write_attrs(struct writer *w, const struct xml_node *el)
{
	for (const struct xml_attr *a = el->attrs; a != NULL; a = a->next) {
		const char *what = forbid_address(w->pool, el, a);

		if (a->ns.n > 0)
			continue;
		if (what != NULL) {
			problems_add(w->ps, w->file, el->line, "%s", what);
			w->faults++;
			continue;
		}
		if (str_is(a->name, "style") ||
		    (a->name.n > 2 && strncasecmp(a->name.p, "on", 2) == 0)) {
			problems_add(w->ps, w->file, el->line,
			    "the attribute %.*s cannot stand here: it would "
			    "not work under this site's security policy",
			    (int)a->name.n, a->name.p);
			w->faults++;
			continue;
		}
		buf_c(&w->b, ' ');
		buf_str(&w->b, a->name);
		buf_z(&w->b, "=\"");
		buf_xml(&w->b, (struct str){ a->value.p, a->value.n });
		buf_c(&w->b, '"');
	}
}

static bool
listed(const char *const *list, struct str name)
{
	for (size_t i = 0; list[i] != NULL; i++) {
		if (name.n == strlen(list[i]) &&
		    strncasecmp(name.p, list[i], name.n) == 0)
			return true;
	}
	return false;
}
