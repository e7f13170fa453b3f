/*
 * This file knows how to read the sentences that the program hands over by
 * id, in their singular and plural forms.
 */
#include "config.h"

#include "view/messages.h"

#include <stdlib.h>
#include <string.h>

#include "view/lang.h"

#define FILE_NAME "messages.xhtml"
#define IDS_MAX 1024

struct reading {
	struct library *lib;
	const struct view_message_kind *declared;
	struct messages *out;
	const char *path;
};

static void read_all(struct reading *r, const struct xml_node *el);
static void check_all(struct reading *r);

static int
by_id(const void *a, const void *b)
{
	return strcmp(
	    ((const struct message *)a)->id, ((const struct message *)b)->id);
}

enum err
messages_load(struct library *lib, const struct view_message_kind *declared,
    struct messages *out)
{
	struct reading r = { .lib = lib, .declared = declared, .out = out };
	const struct xml_node *root;
	size_t n = 0;

	while (declared != NULL && declared[n].id != NULL)
		n++;
	if (n == 0)
		return ERR_OK;
	out->all = pool_array(lib->pool, n, sizeof(*out->all));
	if (out->all == NULL)
		return ERR_NOMEM;
	out->n = n;
	for (size_t i = 0; i < n; i++)
		out->all[i].id = declared[i].id;
	qsort(out->all, n, sizeof(*out->all), by_id);
	root = library_tree(lib, FILE_NAME, &r.path);
	if (root == NULL)
		return ERR_SYNTAX;
	read_all(&r, root);
	check_all(&r);
	return pool_failed(lib->pool) ? ERR_NOMEM : ERR_OK;
}

/* Is id the name of m in the form that ends so? */
static bool
is_form(struct text id, const struct message *m, const char *ending)
{
	size_t n = strlen(m->id);

	return id.n == n + strlen(ending) && memcmp(id.p, m->id, n) == 0 &&
	       strcmp(id.p + n, ending) == 0;
}

static struct message *
message_of(struct reading *r, struct text id, enum message_form *form)
{
	static const char *const endings[FORM__MAX] = {
		[FORM_PLAIN] = "",
		[FORM_ONE] = ".one",
		[FORM_OTHER] = ".other",
	};

	for (size_t i = 0; i < r->out->n; i++) {
		for (int f = 0; f < FORM__MAX; f++) {
			if (is_form(id, &r->out->all[i], endings[f])) {
				*form = (enum message_form)f;
				return &r->out->all[i];
			}
		}
	}
	return NULL;
}

static void
say_unknown(struct reading *r, const struct xml_node *el, struct text id)
{
	const char *names[IDS_MAX] = { NULL }, *near;
	size_t n = 0;

	for (; n < r->out->n && n < IDS_MAX; n++)
		names[n] = r->out->all[n].id;
	near = str_nearest((struct str){ id.p, id.n }, names, n);
	problems_add(r->lib->ps, r->path, el->line,
	    "t:message=\"%s\": the program has no sentence of that name%s%s%s",
	    id.p, near == NULL ? "" : "; did you mean \"",
	    near == NULL ? "" : near, near == NULL ? "" : "\"?");
}

static const struct view_shape *
shape_of(const struct reading *r, const char *id)
{
	for (size_t i = 0; r->declared[i].id != NULL; i++) {
		if (strcmp(r->declared[i].id, id) == 0)
			return r->declared[i].shape;
	}
	return NULL;
}

static void
read_one(struct reading *r, const struct xml_node *el, struct text id)
{
	enum message_form form = FORM_PLAIN;
	struct message *m = message_of(r, id, &form);
	const struct view_shape *shape;

	if (m == NULL) {
		say_unknown(r, el, id);
		return;
	}
	if (m->has[form]) {
		problems_add(r->lib->ps, r->path, el->line,
		    "t:message=\"%s\" stands here a second time", id.p);
		return;
	}
	shape = shape_of(r, m->id);
	m->has[form] = true;
	/* Running out of memory shows in the pool; faults in the problems. */
	if (compile_message(
		r->lib, r->path, el, shape, false, &m->forms[form]) != ERR_OK ||
	    compile_message(
		r->lib, r->path, el, shape, true, &m->untagged[form]) != ERR_OK)
		m->has[form] = false;
}

static void
read_all(struct reading *r, const struct xml_node *el)
{
	struct text id = template_attr(el, "message");

	if (id.p != NULL) {
		read_one(r, el, id);
		return;
	}
	for (const struct xml_node *c = xml_child(el, NULL); c != NULL;
	     c = xml_sibling(c, NULL))
		read_all(r, c);
}

static void
check_all(struct reading *r)
{
	const struct message *m;

	for (size_t i = 0; i < r->out->n; i++) {
		m = &r->out->all[i];
		if (!m->has[FORM_PLAIN] && !m->has[FORM_OTHER])
			problems_add(r->lib->ps, r->path, 0,
			    m->has[FORM_ONE]
				? "\"%s.other\" is missing beside \"%s.one\""
				: "the sentence t:message=\"%s\" is missing",
			    m->id, m->id);
		else if (m->has[FORM_PLAIN] &&
			 (m->has[FORM_ONE] || m->has[FORM_OTHER]))
			problems_add(r->lib->ps, r->path, 0,
			    "\"%s\" stands both alone and as \"%s.one\" or "
			    "\"%s.other\"",
			    m->id, m->id, m->id);
		else if (m->has[FORM_OTHER] && !m->has[FORM_ONE] &&
			 lang_has_one(r->lib->lang))
			problems_add(r->lib->ps, r->path, 0,
			    "\"%s.one\" is missing beside \"%s.other\"", m->id,
			    m->id);
	}
}
