/* This file knows how to read questions.xml: what is asked, and its checks. */
#include "config.h"

#include <regex.h>
#include <string.h>

#include "model/catalog_parts.h"

/* Parts of a regular expression when its {...} are written out. */
#define REGEX_PARTS_MAX 10000

static void read_question(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_question *q);
static void read_checks(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_question *q);
static void read_check(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_check *c);

void
catalog_read_questions(struct catalog_reader *r)
{
	const struct xml_node *root, *el;
	struct catalog_question *all;
	size_t n, i = 0;

	root = catalog_root(r, r->conf->questions, "questions");
	if (root == NULL)
		return;
	n = catalog_count(root, "question");
	all = pool_array(r->pool, n, sizeof(*all));
	r->questions.all = pool_array(r->trees, n, sizeof(*r->questions.all));
	if (all == NULL || r->questions.all == NULL)
		return;
	for (el = xml_child(root, "question"); el != NULL;
	     el = xml_sibling(el, "question"), i++) {
		read_question(r, el, &all[i]);
		r->questions.all[i] =
		    (struct catalog_name){ all[i].id, el->line, i };
	}
	r->questions.n = n;
	r->c->questions = all;
	r->c->questions_n = n;
	catalog_names_sort(r, &r->questions, "question");
}

static void
read_question(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_question *q)
{
	const struct xml_node *reference = xml_child(el, "reference");

	q->id = catalog_attr(r, el, "id");
	q->type = catalog_attr(r, el, "type");
	q->lang = catalog_attr(r, el, "lang");
	q->retired = catalog_yes(el, "retired");
	(void)catalog_text(r, xml_child(el, "text"), &q->text);
	if (reference != NULL)
		(void)catalog_text(r, reference, &q->reference);
	read_checks(r, el, q);
}

static void
read_checks(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_question *q)
{
	const struct xml_node *child = xml_child(el, "check");
	size_t n = catalog_count(el, "check");
	struct catalog_check *all =
	    n == 0 ? NULL : pool_array(r->pool, n, sizeof(*all));

	if (all == NULL)
		return;
	for (size_t i = 0; i < n; i++, child = xml_sibling(child, "check"))
		read_check(r, child, &all[i]);
	q->checks = all;
	q->checks_n = n;
}

/* Past a [...] whose "[" is at p: a "]" that comes first is a member. */
static const char *
past_bracket(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	p += *p == ']';
	while (*p != '\0' && *p != ']') {
		bool class =
		    p[0] == '[' && strchr(":.=", p[1]) != NULL && p[1] != '\0';
		char end[3] = { p[1], ']', '\0' };
		const char *close = class ? strstr(p + 2, end) : NULL;

		p = close == NULL ? p + 1 : close + 2;
	}
	return *p == ']' ? p + 1 : p;
}

/* The larger number of {m}, {m,} or {m,n} at *p, and past it. */
static uint64_t
read_repeat(const char **p)
{
	uint64_t most = 0, n = 0;

	for (++*p; **p != '\0' && **p != '}'; ++*p) {
		n = **p >= '0' && **p <= '9' ? n * 10 + (uint64_t)(**p - '0')
					     : 0;
		n = n < REGEX_PARTS_MAX ? n : REGEX_PARTS_MAX;
		most = n > most ? n : most;
	}
	*p += **p == '}';
	return most;
}

/*
 * How many parts the expression from *p to the ")" that ends it has when each
 * repetition is written out, which is what regcomp does; at most "too many".
 */
static uint64_t
regex_parts(const char **p, int depth)
{
	uint64_t all = 0, last = 0;

	while (**p != '\0' && **p != ')' && all <= REGEX_PARTS_MAX) {
		if (**p == '{') {
			uint64_t times = read_repeat(p);

			all += times > 1 ? last * (times - 1) : 0;
			last *= times > 1 ? times : 1;
			continue;
		}
		last = 1;
		if (**p == '(' && depth == 0)
			return REGEX_PARTS_MAX + 1;
		if (**p == '(') {
			++*p;
			last += regex_parts(p, depth - 1);
			*p += **p == ')';
		} else if (**p == '[') {
			*p = past_bracket(*p);
		} else {
			*p += p[0][0] == '\\' && p[0][1] != '\0' ? 2 : 1;
		}
		all += last;
	}
	return all;
}

static void
check_regex(
    struct catalog_reader *r, const struct xml_node *el, const char *pattern)
{
	const char *at = pattern;
	char why[128];
	regex_t re;
	int rc;

	if (regex_parts(&at, 64) > REGEX_PARTS_MAX) {
		problems_add(r->ps, r->file, el->line,
		    "\"%s\" repeats too much: written out it has more than %d "
		    "parts; write smaller numbers in {...}",
		    pattern, REGEX_PARTS_MAX);
		return;
	}
	rc = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
	if (rc == 0) {
		regfree(&re);
		return;
	}
	(void)regerror(rc, &re, why, sizeof(why));
	problems_add(r->ps, r->file, el->line,
	    "\"%s\" is not a regular expression (%s); write a POSIX extended "
	    "one, or kind=\"contains\"",
	    pattern, why);
}

static void
read_check(struct catalog_reader *r, const struct xml_node *el,
    struct catalog_check *c)
{
	struct text tolerance = catalog_attr(r, el, "tolerance");
	struct str t = { tolerance.p, tolerance.n };
	double number;
	bool is_number;

	c->kind = catalog_attr(r, el, "kind");
	c->value = catalog_line(r, el);
	is_number = str_is((struct str){ c->kind.p, c->kind.n }, "number");
	if (str_is((struct str){ c->kind.p, c->kind.n }, "regex"))
		check_regex(r, el, c->value.p);
	if (is_number &&
	    str_real((struct str){ c->value.p, c->value.n }, &number) != ERR_OK)
		problems_add(r->ps, r->file, el->line,
		    "<check kind=\"number\"> holds \"%s\"; write a number "
		    "such as 12 or 0.5",
		    c->value.p);
	if (t.p == NULL)
		return;
	if (!is_number)
		problems_add(r->ps, r->file, el->line,
		    "the attribute \"tolerance\" of <check> belongs to "
		    "kind=\"number\" alone; remove it");
	else if (str_real(t, &c->tolerance) != ERR_OK)
		problems_add(r->ps, r->file, el->line,
		    "the attribute \"tolerance\" of <check> is \"%s\"; write "
		    "a plain number such as 0.5",
		    tolerance.p);
}
