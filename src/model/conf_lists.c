/*
 * This file knows how to read what arena.xml may say several times: grants,
 * access rules, setups.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "model/conf_parts.h"
#include "port/crypt.h"

static size_t count(const struct xml_node *list, const char *name);
static enum conf_role role_of(struct text name);
static bool same(struct text a, struct text b);
static void read_setup(
    struct conf_reader *r, const struct xml_node *el, struct conf_setup *s);
static void digest(const struct conf_setup *s, char out[CRYPT_HEX + 1]);

void
conf_read_grants(struct conf_reader *r)
{
	const struct xml_node *list = xml_child(r->root, "roles");
	const struct xml_node *el;
	struct conf_grant *all, *g;
	size_t n = count(list, "grant");

	all = n == 0 ? NULL : pool_array(r->c->pool, n, sizeof(*all));
	if (all == NULL)
		return;
	g = all;
	for (el = xml_child(list, "grant"); el != NULL;
	     el = xml_sibling(el, "grant"), g++) {
		g->role = role_of(conf_attr(r, el, "role"));
		g->user = conf_attr(r, el, "user");
		g->group = conf_attr(r, el, "group");
		if ((g->user.p == NULL) == (g->group.p == NULL))
			problems_add(r->ps, r->file, el->line,
			    "<grant> must name either a user or a group; "
			    "write user=\"...\" or group=\"...\"");
		for (const struct conf_grant *o = all; o < g; o++) {
			if (o->role == g->role && same(o->user, g->user) &&
			    same(o->group, g->group))
				problems_add(r->ps, r->file, el->line,
				    "this <grant> says the same as an earlier "
				    "one; remove one of them");
		}
	}
	r->c->grants = all;
	r->c->grants_n = n;
}

void
conf_read_access(struct conf_reader *r)
{
	const struct xml_node *list = xml_child(r->root, "access");
	const struct xml_node *el;
	struct conf_access *all, *a;
	size_t n = count(list, "page");

	all = n == 0 ? NULL : pool_array(r->c->pool, n, sizeof(*all));
	if (all == NULL)
		return;
	a = all;
	for (el = xml_child(list, "page"); el != NULL;
	     el = xml_sibling(el, "page"), a++) {
		a->page = conf_attr(r, el, "name");
		a->who = role_of(conf_attr(r, el, "who"));
		for (const struct conf_access *o = all; o < a; o++) {
			if (same(o->page, a->page))
				problems_add(r->ps, r->file, el->line,
				    "the page \"%.*s\" already has a rule in "
				    "<access>; remove one of them",
				    CONF_PRINT(a->page));
		}
	}
	r->c->access = all;
	r->c->access_n = n;
}

void
conf_read_setups(struct conf_reader *r)
{
	const struct xml_node *list = xml_child(r->root, "setups");
	const struct xml_node *el;
	struct conf_setup *all, *s;
	size_t n = count(list, "setup");

	all = n == 0 ? NULL : pool_array(r->c->pool, n, sizeof(*all));
	if (all == NULL)
		return;
	s = all;
	for (el = xml_child(list, "setup"); el != NULL;
	     el = xml_sibling(el, "setup"), s++) {
		read_setup(r, el, s);
		for (const struct conf_setup *o = all; o < s; o++) {
			if (same(o->id, s->id))
				problems_add(r->ps, r->file, el->line,
				    "the setup id \"%.*s\" is used twice; "
				    "choose another",
				    CONF_PRINT(s->id));
			else if (strcmp(o->digest, s->digest) == 0)
				problems_add(r->ps, r->file, el->line,
				    "the setups \"%.*s\" and \"%.*s\" have the "
				    "same model and parameters, so they are "
				    "one; remove one of them",
				    CONF_PRINT(o->id), CONF_PRINT(s->id));
		}
	}
	r->c->setups = all;
	r->c->setups_n = n;
}

void
conf_read_leaks(struct conf_reader *r)
{
	const struct xml_node *list = xml_child(r->root, "leaks");
	const struct xml_node *el;
	size_t n = count(list, "name");
	struct text *all;

	all = n == 0 ? NULL : pool_array(r->c->pool, n, sizeof(*all));
	if (all == NULL)
		return;
	r->c->leak_names = all;
	r->c->leak_names_n = n;
	for (el = xml_child(list, "name"); el != NULL;
	     el = xml_sibling(el, "name"))
		*all++ = conf_one_line(r->c->pool, el->text);
}

static size_t
count(const struct xml_node *list, const char *name)
{
	const struct xml_node *el;
	size_t n = 0;

	if (list == NULL)
		return 0;
	for (el = xml_child(list, name); el != NULL; el = xml_sibling(el, name))
		n++;
	return n;
}

/* The schema knows no other names. */
static enum conf_role
role_of(struct text name)
{
	for (int i = 0; i < ROLE__MAX; i++) {
		enum conf_role role = (enum conf_role)i;

		if (same(name, text_of(conf_role_name(role))))
			return role;
	}
	return ROLE_ADMIN;
}

static bool
same(struct text a, struct text b)
{
	if (a.p == NULL || b.p == NULL)
		return a.p == b.p;
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct conf_parameter *x = a, *y = b;

	return strcmp(x->name.p, y->name.p);
}

/* What the program says of itself in every question to a model server. */
static void
check_parameter(
    struct conf_reader *r, const struct xml_node *el, struct text name)
{
	static const struct {
		const char *name, *instead;
	} ours[] = {
		{ "model", "write <setup model=\"...\">" },
		{ "messages", "the prompt and the question stand there" },
		{ "stream", "write <endpoint stream=\"...\">" },
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (str_is((struct str){ name.p, name.n }, ours[i].name))
			problems_add(r->ps, r->file, el->line,
			    "the parameter \"%s\" would be left out, since the "
			    "program sets it; %s",
			    ours[i].name, ours[i].instead);
	}
}

static void
read_setup(
    struct conf_reader *r, const struct xml_node *el, struct conf_setup *s)
{
	const struct xml_node *child;
	struct conf_parameter *all, *p;
	size_t n = count(el, "parameter");

	s->id = conf_attr(r, el, "id");
	s->model = conf_attr(r, el, "model");
	s->endpoint = conf_attr(r, el, "endpoint");
	all = n == 0 ? NULL : pool_array(r->c->pool, n, sizeof(*all));
	p = all;
	for (child = xml_child(el, "parameter"); child != NULL && p != NULL;
	     child = xml_sibling(child, "parameter"), p++) {
		p->name = conf_attr(r, child, "name");
		p->value = conf_attr(r, child, "value");
		check_parameter(r, child, p->name);
		for (const struct conf_parameter *o = all; o < p; o++) {
			if (same(o->name, p->name))
				problems_add(r->ps, r->file, child->line,
				    "the parameter \"%.*s\" is given twice; "
				    "remove one of them",
				    CONF_PRINT(p->name));
		}
	}
	if (all != NULL) {
		qsort(all, n, sizeof(*all), by_name);
		s->parameters = all;
		s->parameters_n = n;
	}
	digest(s, s->digest);
}

/* The setup digest of design/formats.md: what answers, not where it stands. */
static void
digest(const struct conf_setup *s, char out[CRYPT_HEX + 1])
{
	struct buf b;

	buf_init(&b, 1024 * 1024);
	buf_printf(&b, "setup/1\nmodel=%s\n", s->model.p);
	for (size_t i = 0; i < s->parameters_n; i++)
		buf_printf(&b, "%s=%s\n", s->parameters[i].name.p,
		    s->parameters[i].value.p);
	crypt_sha256_hex(buf_as_str(&b), out);
	buf_release(&b);
}
