/* This file knows how to read prompts.xml: prompts and their exact texts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/catalog_parts.h"

/* A version and where it stands, to find texts that occur twice. */
struct stand {
	const char *digest;
	const struct catalog_prompt *prompt;
	int64_t number;
	int line;
};

struct stands {
	struct stand *all;
	size_t n;
};

static void read_prompt(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_prompt *p, struct stands *stands);
static void read_tags(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_prompt *p);
static void read_versions(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_prompt *p, struct stands *stands);
static void check_twins(struct catalog_reader *r, struct stands *stands);

void
catalog_read_prompts(struct catalog_reader *r)
{
	const struct xml_node *root, *el;
	struct catalog_prompt *all;
	struct stands stands = { NULL, 0 };
	size_t n, versions = 0, i = 0;

	root = catalog_root(r, r->conf->prompts, "prompts");
	if (root == NULL)
		return;
	n = catalog_count(root, "prompt");
	for (el = xml_child(root, "prompt"); el != NULL;
	     el = xml_sibling(el, "prompt"))
		versions += catalog_count(el, "version");
	all = pool_array(r->pool, n, sizeof(*all));
	r->prompts.all = pool_array(r->trees, n, sizeof(*r->prompts.all));
	stands.all = pool_array(r->trees, versions, sizeof(*stands.all));
	if (all == NULL || r->prompts.all == NULL || stands.all == NULL)
		return;
	for (el = xml_child(root, "prompt"); el != NULL;
	     el = xml_sibling(el, "prompt"), i++) {
		read_prompt(r, el, &all[i], &stands);
		r->prompts.all[i] =
		    (struct catalog_name){ all[i].id, el->line, i };
	}
	r->prompts.n = n;
	r->c->prompts = all;
	r->c->prompts_n = n;
	catalog_names_sort(r, &r->prompts, "prompt");
	check_twins(r, &stands);
}

static void
read_prompt(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_prompt *p, struct stands *stands)
{
	p->id = catalog_attr(r, el, "id");
	p->author = catalog_attr(r, el, "author");
	p->retired = catalog_yes(el, "retired");
	p->title = catalog_line(r, xml_child(el, "title"));
	p->description = catalog_line(r, xml_child(el, "description"));
	read_tags(r, el, p);
	read_versions(r, el, p, stands);
}

static void
read_tags(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_prompt *p)
{
	const struct xml_node *tag = xml_child(el, "tag");
	size_t n = catalog_count(el, "tag");
	struct text *tags =
	    n == 0 ? NULL : pool_array(r->pool, n, sizeof(*tags));

	if (tags == NULL)
		return;
	for (size_t i = 0; i < n; i++, tag = xml_sibling(tag, "tag")) {
		tags[i] = catalog_line(r, tag);
		for (size_t k = 0; k < i; k++) {
			if (text_cmp(tags[k], tags[i]) == 0)
				problems_add(r->ps, r->file, tag->line,
				    "the tag \"%s\" is given twice; remove "
				    "one of them",
				    tags[i].p);
		}
	}
	p->tags = tags;
	p->tags_n = n;
}

static void
read_versions(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_prompt *p, struct stands *stands)
{
	const struct xml_node *child = xml_child(el, "version");
	size_t n = catalog_count(el, "version");
	struct catalog_version *all = pool_array(r->pool, n, sizeof(*all));

	if (all == NULL)
		return;
	for (size_t i = 0; i < n; i++, child = xml_sibling(child, "version")) {
		int64_t due = (int64_t)i + 1;

		all[i].number = catalog_number(r, child, "number", due);
		if (all[i].number != due)
			problems_add(r->ps, r->file, child->line,
			    "this is version %lld of \"%s\", but its number "
			    "is %lld; versions count 1, 2, 3 in the order "
			    "of the file",
			    (long long)due, p->id.p, (long long)all[i].number);
		if (!catalog_text(r, child, &all[i].text))
			continue;
		catalog_digest(all[i].text, all[i].digest);
		stands->all[stands->n++] =
		    (struct stand){ all[i].digest, p, due, child->line };
	}
	p->versions = all;
	p->versions_n = n;
}

static int
by_digest(const void *a, const void *b)
{
	const struct stand *x = a, *y = b;
	int c = strcmp(x->digest, y->digest);

	return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

/* One text under two names would be one version with two ratings. */
static void
check_twins(struct catalog_reader *r, struct stands *stands)
{
	const struct stand *s = stands->all;

	if (stands->n < 2)
		return;
	qsort(stands->all, stands->n, sizeof(*stands->all), by_digest);
	for (size_t i = 1; i < stands->n; i++) {
		if (strcmp(s[i - 1].digest, s[i].digest) != 0)
			continue;
		problems_add(r->ps, r->file, s[i].line,
		    "version %lld of \"%s\" has the same text as version %lld "
		    "of \"%s\" in line %d; change it or remove it",
		    (long long)s[i].number, s[i].prompt->id.p,
		    (long long)s[i - 1].number, s[i - 1].prompt->id.p,
		    s[i - 1].line);
	}
}
