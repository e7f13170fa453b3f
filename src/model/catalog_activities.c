/* This file knows how to read activities.xml: who votes on what, and when. */
#include "config.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/catalog_parts.h"

#define TUTOR_PER_DAY 20
#define TUTOR_CONTEXT 24000

static void read_activity(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_activity *a);
static int64_t read_moment(
    struct catalog_reader *r, const struct xml_node *el, const char *name);
static const struct text *read_references(struct catalog_reader *r,
    const struct xml_node *el, const char *name,
    const struct catalog_names *names, size_t *n);
static void read_tutor(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_activity *a);
static void check_tutor_setup(struct catalog_reader *r,
    const struct xml_node *el, const struct catalog_activity *a);
static void check_possible(struct catalog_reader *r, const struct xml_node *el,
    const struct catalog_activity *a);

void
catalog_read_activities(struct catalog_reader *r)
{
	const struct xml_node *root, *el;
	struct catalog_activity *all;
	struct catalog_names names = { NULL, 0, NULL };
	size_t n, i = 0;

	root = catalog_root(r, r->conf->activities, "activities");
	if (root == NULL)
		return;
	n = catalog_count(root, "activity");
	all = pool_array(r->pool, n, sizeof(*all));
	names.all = pool_array(r->trees, n, sizeof(*names.all));
	if (all == NULL || names.all == NULL)
		return;
	for (el = xml_child(root, "activity"); el != NULL;
	     el = xml_sibling(el, "activity"), i++) {
		read_activity(r, el, &all[i]);
		names.all[i] = (struct catalog_name){ all[i].id, el->line, i };
	}
	names.n = n;
	r->c->activities = all;
	r->c->activities_n = n;
	catalog_names_sort(r, &names, "activity");
}

static void
read_activity(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_activity *a)
{
	a->id = catalog_attr(r, el, "id");
	a->title = catalog_line(r, xml_child(el, "title"));
	a->group = catalog_attr(r, el, "group");
	a->results = catalog_attr(r, el, "results");
	if (a->results.p == NULL)
		a->results = TEXT("always");
	a->retired = catalog_yes(el, "retired");
	a->opens = read_moment(r, el, "opens");
	a->closes = read_moment(r, el, "closes");
	if (a->opens != 0 && a->closes != 0 && a->opens >= a->closes)
		problems_add(r->ps, r->file, el->line,
		    "the activity \"%s\" closes before it opens; exchange the "
		    "attributes \"opens\" and \"closes\" or correct one",
		    a->id.p);
	if (a->closes == 0 &&
	    str_is((struct str){ a->results.p, a->results.n }, "closed"))
		problems_add(r->ps, r->file, el->line,
		    "the activity \"%s\" shows results only once it has "
		    "closed, but it never closes; add the attribute "
		    "\"closes\" or write results=\"always\"",
		    a->id.p);
	a->prompts =
	    read_references(r, el, "prompt", &r->prompts, &a->prompts_n);
	a->questions =
	    read_references(r, el, "question", &r->questions, &a->questions_n);
	check_possible(r, el, a);
	if (xml_child(el, "tutor") != NULL)
		read_tutor(r, xml_child(el, "tutor"), a);
}

/* A prompt that is chosen by its rating may not exist yet: something else
 * must stand in for it until then. */
static void
read_tutor(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_activity *a)
{
	struct catalog_tutor *t = &a->tutor;

	t->setup = catalog_attr(r, el, "setup");
	t->prompt = catalog_attr(r, el, "prompt");
	t->best = catalog_attr(r, el, "best");
	t->per_day = catalog_number(r, el, "questions-per-day", TUTOR_PER_DAY);
	t->context_chars =
	    catalog_number(r, el, "context-chars", TUTOR_CONTEXT);
	if (t->prompt.p != NULL)
		(void)catalog_refer(r, el, &r->prompts, "prompt", t->prompt);
	if (xml_attr(el, "file").p != NULL ||
	    !text_is_blank(xml_text(el, r->trees)))
		(void)catalog_text(r, el, &t->text);
	else if (t->prompt.p == NULL)
		problems_add(r->ps, r->file, el->line,
		    "the <tutor> of \"%s\" has no instruction%s; write the "
		    "text in it, name a file=\"...\" or a prompt=\"...\"",
		    a->id.p,
		    t->best.p == NULL
			? ""
			: " for as long as no prompt is official");
	check_tutor_setup(r, el, a);
}

static void
check_tutor_setup(struct catalog_reader *r, const struct xml_node *el,
    const struct catalog_activity *a)
{
	const struct conf_setup *s = conf_setup_find(r->conf, a->tutor.setup);

	if (s == NULL)
		problems_add(r->ps, r->file, el->line,
		    "the <tutor> of \"%s\" names the setup \"%s\", but "
		    "arena.xml has none of that id; write one that stands in "
		    "its <setups>",
		    a->id.p, a->tutor.setup.p);
	else if (s->endpoint.p == NULL)
		problems_add(r->ps, r->file, el->line,
		    "the <tutor> of \"%s\" names the setup \"%s\", which "
		    "has no endpoint that could answer; add one to it in "
		    "arena.xml, or name another setup",
		    a->id.p, a->tutor.setup.p);
}

static int64_t
read_moment(
    struct catalog_reader *r, const struct xml_node *el, const char *name)
{
	struct text t = catalog_attr(r, el, name);
	int64_t moment = 0;

	if (t.p != NULL && clock_parse(t.p, &moment) != ERR_OK)
		problems_add(r->ps, r->file, el->line,
		    "the attribute \"%s\" of <activity> is \"%s\", and there "
		    "is no such day or hour; write it like 2026-09-01 or "
		    "2026-09-01T08:00+08:00",
		    name, t.p);
	return moment;
}

static const struct text *
read_references(struct catalog_reader *r, const struct xml_node *el,
    const char *name, const struct catalog_names *names, size_t *n)
{
	const struct xml_node *child = xml_child(el, name);
	size_t count = catalog_count(el, name);
	struct text *all =
	    count == 0 ? NULL : pool_array(r->pool, count, sizeof(*all));

	if (all == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++, child = xml_sibling(child, name)) {
		all[i] = catalog_attr(r, child, "id");
		(void)catalog_refer(r, child, names, name, all[i]);
		for (size_t k = 0; k < i; k++) {
			if (text_cmp(all[k], all[i]) == 0)
				problems_add(r->ps, r->file, child->line,
				    "the %s \"%s\" is named twice in this "
				    "activity; remove one of them",
				    name, all[i].p);
		}
	}
	*n = count;
	return all;
}

static const struct catalog_name *
find(const struct catalog_names *names, struct text id)
{
	for (size_t i = 0; i < names->n; i++) {
		if (text_cmp(names->all[i].id, id) == 0)
			return &names->all[i];
	}
	return NULL;
}

/* Could this activity ever make a match?  Unknown ids are told elsewhere. */
static void
check_possible(struct catalog_reader *r, const struct xml_node *el,
    const struct catalog_activity *a)
{
	const struct catalog_name *name;
	size_t versions = 0, questions = 0;

	for (size_t i = 0; i < a->prompts_n; i++) {
		name = find(&r->prompts, a->prompts[i]);
		if (name == NULL)
			return;
		if (!r->c->prompts[name->at].retired)
			versions += r->c->prompts[name->at].versions_n;
	}
	for (size_t i = 0; i < a->questions_n; i++) {
		name = find(&r->questions, a->questions[i]);
		if (name == NULL)
			return;
		questions += !r->c->questions[name->at].retired;
	}
	if (a->prompts_n > 0 && versions < 2)
		problems_add(r->ps, r->file, el->line,
		    "the activity \"%s\" could never make a match: its "
		    "prompts in use have %zu version%s, and two are "
		    "compared; name more prompts, or none for all of them",
		    a->id.p, versions, versions == 1 ? "" : "s");
	if (a->questions_n > 0 && questions == 0)
		problems_add(r->ps, r->file, el->line,
		    "the activity \"%s\" could never make a match: all its "
		    "questions are retired; name others, or none for all of "
		    "them",
		    a->id.p);
}
