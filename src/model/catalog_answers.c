/* This file knows how to read answers.xml: ready-made answers. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/catalog_parts.h"

struct stand {
	const struct catalog_answer *answer;
	int line;
};

static void read_answer(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_answer *a);
static void check_version(struct catalog_reader *r, const struct xml_node *el,
    const struct catalog_answer *a);
static void check_setup(
    struct catalog_reader *r, const struct xml_node *el, struct text setup);
static void check_twins(
    struct catalog_reader *r, struct stand *stands, size_t n);

void
catalog_read_answers(struct catalog_reader *r)
{
	const struct xml_node *root, *el;
	struct catalog_answer *all;
	struct stand *stands;
	size_t n, i = 0;

	root = catalog_root(r, r->conf->answers, "answers");
	n = root == NULL ? 0 : catalog_count(root, "answer");
	if (n == 0)
		return;
	all = pool_array(r->pool, n, sizeof(*all));
	stands = pool_array(r->trees, n, sizeof(*stands));
	if (all == NULL || stands == NULL)
		return;
	for (el = xml_child(root, "answer"); el != NULL;
	     el = xml_sibling(el, "answer"), i++) {
		read_answer(r, el, &all[i]);
		stands[i] = (struct stand){ &all[i], el->line };
	}
	r->c->answers = all;
	r->c->answers_n = n;
	check_twins(r, stands, n);
}

static void
read_answer(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_answer *a)
{
	a->prompt = catalog_attr(r, el, "prompt");
	a->version = catalog_number(r, el, "version", 1);
	a->question = catalog_attr(r, el, "question");
	a->setup = catalog_attr(r, el, "setup");
	a->sample = catalog_number(r, el, "sample", 1);
	check_version(r, el, a);
	(void)catalog_refer(r, el, &r->questions, "question", a->question);
	check_setup(r, el, a->setup);
	(void)catalog_text(r, el, &a->text);
}

static void
check_version(struct catalog_reader *r, const struct xml_node *el,
    const struct catalog_answer *a)
{
	const struct catalog_name *name =
	    catalog_refer(r, el, &r->prompts, "prompt", a->prompt);
	size_t n;

	if (name == NULL)
		return;
	n = r->c->prompts[name->at].versions_n;
	if (a->version <= (int64_t)n)
		return;
	problems_add(r->ps, r->file, el->line,
	    "<answer> names version %lld of the prompt \"%s\", which has "
	    "only %zu; write version=\"%zu\" or less",
	    (long long)a->version, a->prompt.p, n, n);
}

static void
check_setup(
    struct catalog_reader *r, const struct xml_node *el, struct text setup)
{
	const struct conf *c = r->conf;
	const char *const *known;
	const char **ids, *near;

	if (conf_setup_find(c, setup) != NULL)
		return;
	ids = pool_array(r->trees, c->setups_n, sizeof(*ids));
	if (ids == NULL)
		return;
	for (size_t i = 0; i < c->setups_n; i++)
		ids[i] = c->setups[i].id.p;
	known = ids;
	near =
	    str_nearest((struct str){ setup.p, setup.n }, known, c->setups_n);
	if (near == NULL)
		near = ids[0];
	problems_add(r->ps, r->file, el->line,
	    "<answer> names the setup \"%s\", but %s has none of that id; "
	    "write setup=\"%s\" or add the setup there",
	    setup.p, c->file.p, near);
}

static int
key_order(const struct catalog_answer *x, const struct catalog_answer *y)
{
	int c = text_cmp(x->prompt, y->prompt);

	if (c == 0)
		c = text_cmp(x->question, y->question);
	if (c == 0)
		c = text_cmp(x->setup, y->setup);
	if (c == 0)
		c = (x->version > y->version) - (x->version < y->version);
	if (c == 0)
		c = (x->sample > y->sample) - (x->sample < y->sample);
	return c;
}

static int
by_key(const void *a, const void *b)
{
	const struct stand *x = a, *y = b;
	int c = key_order(x->answer, y->answer);

	return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

static void
check_twins(struct catalog_reader *r, struct stand *stands, size_t n)
{
	qsort(stands, n, sizeof(*stands), by_key);
	for (size_t i = 1; i < n; i++) {
		const struct catalog_answer *a = stands[i].answer;

		if (key_order(stands[i - 1].answer, a) != 0)
			continue;
		problems_add(r->ps, r->file, stands[i].line,
		    "the answer of \"%s\" version %lld to \"%s\" by the setup "
		    "\"%s\", sample %lld, already stands in line %d; write "
		    "another sample number or remove one of them",
		    a->prompt.p, (long long)a->version, a->question.p,
		    a->setup.p, (long long)a->sample, stands[i - 1].line);
	}
}
