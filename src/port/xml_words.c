/*
 * This file knows how to look up in a schema what would have been right, and
 * how to say so in words that need no knowledge of schemas.
 */
#include "config.h"

#include "port/xml_words.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"

#define NAMES_MAX 64
#define REFS_MAX 16 /* how far types may refer to each other */

struct names {
	const char *name[NAMES_MAX];
	size_t n;
};

static const struct xml_node *decl_of(const struct words_case *c);
static const struct xml_node *type_of(
    const struct xml_node *schema, const struct xml_node *decl);
static const struct xml_node *declared(const struct xml_node *schema,
    const struct xml_node *type, const char *kind, const char *name,
    struct names *all, int refs);
static void expect(
    struct buf *b, const struct xml_node *schema, const struct xml_node *decl);
static void say_value(struct problems *ps, const struct words_case *c,
    const struct xml_node *decl);
static void say_child(struct problems *ps, const struct words_case *c);
static void say_missing(struct problems *ps, const struct words_case *c);
static void say_root(struct problems *ps, const struct words_case *c);
static void say_attr(struct problems *ps, const struct words_case *c,
    const struct xml_node *decl);

void
xml_words_say(struct problems *ps, const struct words_case *c)
{
	const struct xml_node *decl = decl_of(c);
	const char *name = c->node->name.p, *path = c->path;
	int line = c->node->line;

	switch (c->fault) {
	case WORDS_ROOT:
		say_root(ps, c);
		break;
	case WORDS_CHILD_UNEXPECTED:
		say_child(ps, c);
		break;
	case WORDS_CHILD_MISSING:
		say_missing(ps, c);
		break;
	case WORDS_ATTR_UNKNOWN:
	case WORDS_ATTR_MISSING:
		say_attr(ps, c, decl);
		break;
	case WORDS_VALUE:
		say_value(ps, c, decl);
		break;
	case WORDS_NOT_EMPTY:
		problems_add(ps, path, line, "<%s> must be empty", name);
		break;
	case WORDS_ELEMENT_IN_TEXT:
		problems_add(
		    ps, path, line, "<%s> holds text only, no elements", name);
		break;
	case WORDS_TEXT_BETWEEN:
		problems_add(ps, path, line,
		    "<%s> holds elements only; there is text between them",
		    name);
		break;
	case WORDS_DUPLICATE:
		problems_add(ps, path, line,
		    "<%s> repeats \"%s\"; every such name may be used once",
		    name, c->key);
		break;
	case WORDS_REFERENCE:
		problems_add(ps, path, line,
		    "<%s> refers to \"%s\", which is not in this file", name,
		    c->key);
		break;
	default:
		problems_add(ps, path, line,
		    "<%s> does not fit what is expected here", name);
	}
}

/* --- looking up --------------------------------------------------------- */

static bool
is_kind(const struct xml_node *n, const char *kind)
{
	return n->kind == XML_KIND_ELEMENT && str_is(n->name, kind);
}

/* What follows the prefix of a qualified name. */
static const char *
local(struct text qname)
{
	const char *colon = qname.p == NULL ? NULL : strchr(qname.p, ':');

	return colon == NULL ? qname.p : colon + 1;
}

static const struct xml_node *
top_level(const struct xml_node *schema, const char *kind, const char *name)
{
	const struct xml_node *n = xml_child(schema, kind);

	for (; n != NULL && name != NULL; n = xml_sibling(n, kind)) {
		if (xml_attr(n, "name").p != NULL &&
		    strcmp(xml_attr(n, "name").p, name) == 0)
			return n;
	}
	return NULL;
}

/* A declaration that is a reference stands for the one it names. */
static const struct xml_node *
resolved(const struct xml_node *schema, const struct xml_node *decl)
{
	const char *ref = local(xml_attr(decl, "ref"));
	const struct xml_node *to;

	if (ref == NULL)
		return decl;
	to = top_level(schema, decl->name.p, ref);
	return to == NULL ? decl : to;
}

static const struct xml_node *
named_type(const struct xml_node *schema, const char *name)
{
	const struct xml_node *t = top_level(schema, "complexType", name);

	return t != NULL ? t : top_level(schema, "simpleType", name);
}

/* The type of an element or attribute declaration; NULL when built in. */
static const struct xml_node *
type_of(const struct xml_node *schema, const struct xml_node *decl)
{
	const struct xml_node *t;

	if (xml_attr(decl, "type").p != NULL)
		return named_type(schema, local(xml_attr(decl, "type")));
	t = xml_child(decl, "complexType");
	return t != NULL ? t : xml_child(decl, "simpleType");
}

/*
 * The declaration of that kind ("element", "attribute") and name inside a
 * type; with all given, their names are gathered as well.
 */
static const struct xml_node *
declared(const struct xml_node *schema, const struct xml_node *type,
    const char *kind, const char *name, struct names *all, int refs)
{
	const struct xml_node *found = NULL, *d, *deeper;
	const char *its;

	if (type == NULL || refs > REFS_MAX)
		return NULL;
	for (const struct xml_node *n = type->first; n != NULL; n = n->next) {
		if (n->kind != XML_KIND_ELEMENT)
			continue;
		if (is_kind(n, kind)) {
			d = resolved(schema, n);
			its = xml_attr(d, "name").p;
			if (its != NULL && name != NULL &&
			    strcmp(its, name) == 0 && found == NULL)
				found = d;
			if (its != NULL && all != NULL && all->n < NAMES_MAX)
				all->name[all->n++] = its;
			continue;
		}
		if (is_kind(n, "element") || is_kind(n, "attribute"))
			continue;
		deeper = declared(schema, n, kind, name, all, refs);
		if (found == NULL)
			found = deeper;
		deeper = NULL;
		if (is_kind(n, "extension"))
			deeper = named_type(schema, local(xml_attr(n, "base")));
		else if (is_kind(n, "group") || is_kind(n, "attributeGroup"))
			deeper = top_level(
			    schema, n->name.p, local(xml_attr(n, "ref")));
		deeper = declared(schema, deeper, kind, name, all, refs + 1);
		if (found == NULL)
			found = deeper;
	}
	return found;
}

/* The declaration of the element that is `up` steps above the case's node. */
static const struct xml_node *
decl_above(const struct words_case *c, size_t up)
{
	const struct xml_node *decl;

	if (c->depth <= up)
		return NULL;
	decl = top_level(c->schema, "element", c->names[c->depth - 1]);
	for (size_t i = c->depth - 1; i > up && decl != NULL; i--)
		decl = declared(c->schema, type_of(c->schema, decl), "element",
		    c->names[i - 1], NULL, 0);
	return decl;
}

static const struct xml_node *
decl_of(const struct words_case *c)
{
	return decl_above(c, 0);
}

/* --- what is expected --------------------------------------------------- */

/* The words an author of the schema left, or absent. */
static struct str
documented(const struct xml_node *n)
{
	const struct xml_node *note = xml_child(n, "annotation");
	const struct xml_node *doc =
	    note == NULL ? NULL : xml_child(note, "documentation");

	if (doc == NULL || doc->first == NULL ||
	    doc->first->kind != XML_KIND_TEXT)
		return (struct str){ NULL, 0 };
	return str_trim((struct str){ doc->first->text.p, doc->first->text.n });
}

struct facets {
	const char *base; /* the built-in type at the root */
	struct text low, high, above, below, shortest, longest, exact;
	struct names values;
	bool pattern;
};

static void
facet_note(struct text *to, const struct xml_node *f)
{
	if (to->p == NULL)
		*to = xml_attr(f, "value");
}

static void
facets_read(struct facets *fs, const struct xml_node *restriction)
{
	for (const struct xml_node *f = xml_child(restriction, NULL); f != NULL;
	     f = xml_sibling(f, NULL)) {
		if (is_kind(f, "minInclusive"))
			facet_note(&fs->low, f);
		else if (is_kind(f, "maxInclusive"))
			facet_note(&fs->high, f);
		else if (is_kind(f, "minExclusive"))
			facet_note(&fs->above, f);
		else if (is_kind(f, "maxExclusive"))
			facet_note(&fs->below, f);
		else if (is_kind(f, "minLength"))
			facet_note(&fs->shortest, f);
		else if (is_kind(f, "maxLength"))
			facet_note(&fs->longest, f);
		else if (is_kind(f, "length"))
			facet_note(&fs->exact, f);
		else if (is_kind(f, "pattern"))
			fs->pattern = true;
		else if (is_kind(f, "enumeration") && fs->values.n < NAMES_MAX)
			fs->values.name[fs->values.n++] =
			    xml_attr(f, "value").p;
	}
}

/* Follow restrictions down to a built-in type; documented words on the way. */
static struct str
facets_of(struct facets *fs, const struct xml_node *schema,
    const struct xml_node *decl)
{
	const struct xml_node *t = type_of(schema, decl), *r;
	struct str words = documented(decl);

	fs->base = local(xml_attr(decl, "type"));
	for (int i = 0; i < REFS_MAX && t != NULL && words.p == NULL; i++) {
		words = documented(t);
		r = xml_child(t, "simpleContent");
		r = r == NULL ? t : r;
		t = xml_child(r, "restriction");
		t = t != NULL ? t : xml_child(r, "extension");
		if (t == NULL)
			break;
		facets_read(fs, t);
		fs->base = local(xml_attr(t, "base"));
		t = named_type(schema, fs->base);
	}
	return words;
}

static bool
base_is(const struct facets *fs, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n && fs->base != NULL; i++) {
		if (strcmp(fs->base, names[i]) == 0)
			return true;
	}
	return false;
}

static void
expect_list(struct buf *b, const struct names *names, const char *before,
    const char *after)
{
	for (size_t i = 0; i < names->n; i++) {
		if (i > 0)
			buf_z(b, i + 1 == names->n ? " or " : ", ");
		buf_z(b, before);
		buf_z(b, names->name[i]);
		buf_z(b, after);
	}
}

static void
expect_range(struct buf *b, const struct facets *fs)
{
	struct text low = fs->low.p != NULL ? fs->low : fs->above;
	struct text high = fs->high.p != NULL ? fs->high : fs->below;

	if (fs->low.p != NULL && fs->high.p != NULL)
		buf_printf(b, " from %s to %s", low.p, high.p);
	else if (low.p != NULL && high.p != NULL)
		buf_printf(b, " %s %s and %s %s",
		    fs->low.p != NULL ? "of at least" : "above", low.p,
		    fs->high.p != NULL ? "at most" : "below", high.p);
	else if (low.p != NULL)
		buf_printf(b, " %s %s",
		    fs->low.p != NULL ? "of at least" : "above", low.p);
	else if (high.p != NULL)
		buf_printf(b, " %s %s",
		    fs->high.p != NULL ? "of at most" : "below", high.p);
}

static void
expect_text(struct buf *b, const struct facets *fs)
{
	buf_z(b, fs->pattern ? "a text of the right form" : "a text");
	if (fs->exact.p != NULL)
		buf_printf(b, " of %s characters", fs->exact.p);
	else if (fs->shortest.p != NULL && fs->longest.p != NULL)
		buf_printf(b, " of %s to %s characters", fs->shortest.p,
		    fs->longest.p);
	else if (fs->longest.p != NULL)
		buf_printf(b, " of at most %s characters", fs->longest.p);
	else if (fs->shortest.p != NULL)
		buf_printf(b, " of at least %s characters", fs->shortest.p);
}

/* The words that complete "... is expected". */
static void
expect(
    struct buf *b, const struct xml_node *schema, const struct xml_node *decl)
{
	static const char *const whole[] = { "integer", "int", "long", "short",
		"byte", "unsignedInt", "unsignedLong", "unsignedShort",
		"unsignedByte" };
	static const char *const real[] = { "decimal", "double", "float" };
	struct facets fs = { 0 };
	struct str words = facets_of(&fs, schema, decl);

	if (words.p != NULL)
		buf_str(b, words);
	else if (fs.values.n > 0)
		expect_list(b, &fs.values, "\"", "\"");
	else if (fs.base == NULL)
		buf_z(b, "another value");
	else if (strcmp(fs.base, "boolean") == 0)
		buf_z(b, "\"true\" or \"false\"");
	else if (strcmp(fs.base, "positiveInteger") == 0 && fs.low.p == NULL)
		buf_z(b, "a whole number from 1 on");
	else if (strcmp(fs.base, "nonNegativeInteger") == 0 && fs.low.p == NULL)
		buf_z(b, "a whole number from 0 on");
	else if (strstr(fs.base, "Integer") != NULL ||
		 base_is(&fs, whole, sizeof(whole) / sizeof(whole[0])))
		buf_z(b, "a whole number"), expect_range(b, &fs);
	else if (base_is(&fs, real, sizeof(real) / sizeof(real[0])))
		buf_z(b, "a number"), expect_range(b, &fs);
	else if (strcmp(fs.base, "dateTime") == 0)
		buf_z(b, "a date and time such as 2026-09-01T08:00:00Z");
	else if (strcmp(fs.base, "date") == 0)
		buf_z(b, "a date such as 2026-09-01");
	else if (strcmp(fs.base, "time") == 0)
		buf_z(b, "a time such as 08:00:00");
	else if (strcmp(fs.base, "anyURI") == 0)
		buf_z(b, "an address such as https://arena.example.edu");
	else if (strcmp(fs.base, "ID") == 0 || strcmp(fs.base, "NCName") == 0)
		buf_z(b, "a name of letters, digits, \"-\" and \"_\" that "
			 "begins with a letter");
	else
		expect_text(b, &fs);
}

/* --- sentences ---------------------------------------------------------- */

static void
finish(struct problems *ps, const struct words_case *c, struct buf *b)
{
	buf_c(b, '\0');
	problems_add(ps, c->path, c->node->line, "%s",
	    b->failed ? "this does not fit what is expected here" : b->p);
	buf_release(b);
}

/* A value between quotation marks, on one line, cut where it gets long. */
static void
quoted(struct buf *b, struct text t)
{
	struct text cut = text_cut(t, 60);

	buf_c(b, '"');
	for (size_t i = 0; i < cut.n; i++)
		buf_c(b, (unsigned char)cut.p[i] < ' ' ? ' ' : cut.p[i]);
	buf_z(b, cut.n < t.n ? "...\"" : "\"");
}

static void
nearest(struct buf *b, const char *wrong, const struct names *known,
    const char *before, const char *after)
{
	const char *near = str_nearest(str_of(wrong), known->name, known->n);

	if (near != NULL) {
		buf_printf(b, "; did you mean %s%s%s?", before, near, after);
	} else if (known->n > 0 && known->n <= 16) {
		buf_z(b, "; known here: ");
		expect_list(b, known, before, after);
	}
}

static void
say_value(struct problems *ps, const struct words_case *c,
    const struct xml_node *decl)
{
	struct facets fs = { 0 };
	struct text value;
	struct buf b;

	buf_init(&b, 4096);
	if (c->attr[0] != '\0') {
		value = xml_attr(c->node, c->attr);
		buf_printf(&b, "the attribute \"%s\" of <%s> is ", c->attr,
		    c->node->name.p);
		decl = decl == NULL
			   ? NULL
			   : declared(c->schema, type_of(c->schema, decl),
				 "attribute", c->attr, NULL, 0);
	} else {
		value = xml_text(c->node, ps->pool);
		buf_printf(&b, "<%s> is ", c->node->name.p);
	}
	if (value.p == NULL || value.n == 0)
		buf_z(&b, "empty");
	else
		quoted(&b, value);
	if (decl != NULL) {
		buf_z(&b, "; ");
		expect(&b, c->schema, decl);
		buf_z(&b, " is expected");
		facets_of(&fs, c->schema, decl);
		if (value.n > 0 && fs.values.n > 0 &&
		    str_nearest((struct str){ value.p, value.n },
			fs.values.name, fs.values.n) != NULL)
			nearest(&b, value.p, &fs.values, "\"", "\"");
	}
	finish(ps, c, &b);
}

/* May the child of that name be left out of case's node? */
static bool
is_optional(const struct words_case *c, struct str name)
{
	const struct xml_node *decl = decl_of(c), *child;
	char z[64];

	if (decl == NULL || name.n >= sizeof(z))
		return false;
	memcpy(z, name.p, name.n);
	z[name.n] = '\0';
	child = declared(
	    c->schema, type_of(c->schema, decl), "element", z, NULL, 0);
	return child != NULL && xml_attr(child, "minOccurs").p != NULL &&
	       strcmp(xml_attr(child, "minOccurs").p, "0") == 0;
}

/*
 * The element names in libxml2's "Expected is one of ( {ns}a, {ns}b )"; with
 * needed given only those that its node cannot do without.
 */
static int
expected_now(
    struct buf *b, const char *message, const struct words_case *needed)
{
	const char *at = strstr(message, "Expected is"), *end, *stop, *brace;
	struct str name;
	int n = 0;

	at = at == NULL ? NULL : strchr(at, '(');
	end = at == NULL ? NULL : strrchr(at, ')');
	for (at++; end != NULL && at < end; at = stop + 1) {
		stop = at + strcspn(at, ",");
		stop = stop > end ? end : stop;
		for (; *at == ' ' || *at == '*'; at++)
			;
		brace = memchr(at, '}', (size_t)(stop - at));
		at = brace == NULL ? at : brace + 1;
		name = (struct str){ at, strcspn(at, " ,)") };
		if (needed != NULL && is_optional(needed, name))
			continue;
		buf_z(b, n++ == 0 ? "<" : " or <");
		buf_str(b, name);
		buf_c(b, '>');
	}
	return n;
}

static void
say_child(struct problems *ps, const struct words_case *c)
{
	const struct xml_node *up = decl_above(c, 1);
	const char *name = c->node->name.p;
	const char *parent = c->depth > 1 ? c->names[1] : "";
	struct names known = { .n = 0 };
	struct buf b;
	const struct xml_node *own;

	buf_init(&b, 4096);
	own = up == NULL ? NULL
			 : declared(c->schema, type_of(c->schema, up),
			       "element", name, &known, 0);
	if (own == NULL) {
		buf_printf(&b, "<%s> cannot stand in <%s>", name, parent);
		nearest(&b, name, &known, "<", ">");
	} else if (c->twin_line > 0 && xml_attr(own, "maxOccurs").p == NULL) {
		buf_printf(&b,
		    "<%s> may stand in <%s> once; it stands in line %d already",
		    name, parent, c->twin_line);
	} else if (strstr(c->message, "Expected is") == NULL) {
		buf_printf(&b, "<%s> may not stand here in <%s>", name, parent);
	} else {
		buf_printf(&b, "<%s> stands in the wrong place; ", name);
		(void)expected_now(&b, c->message, NULL);
		buf_z(&b, " is expected here");
	}
	finish(ps, c, &b);
}

static void
say_missing(struct problems *ps, const struct words_case *c)
{
	struct buf b;

	buf_init(&b, 4096);
	if (strstr(c->message, "Expected is") == NULL) {
		buf_printf(&b, "<%s> lacks an element", c->node->name.p);
	} else {
		buf_printf(&b, "<%s> lacks ", c->node->name.p);
		if (expected_now(&b, c->message, c) == 0)
			(void)expected_now(&b, c->message, NULL);
	}
	finish(ps, c, &b);
}

/* The outermost element of that name that the schema knows, else its first. */
static const struct xml_node *
root_like(const struct xml_node *schema, struct str name)
{
	const struct xml_node *first = xml_child(schema, "element");

	for (const struct xml_node *el = first; el != NULL;
	     el = xml_sibling(el, "element")) {
		struct text known = xml_attr(el, "name");

		if (str_eq((struct str){ known.p, known.n }, name))
			return el;
	}
	return first;
}

static void
say_root(struct problems *ps, const struct words_case *c)
{
	const struct xml_node *want = root_like(c->schema, c->node->name);
	struct text ns = xml_attr(c->schema, "targetNamespace");
	const char *name = want == NULL ? NULL : xml_attr(want, "name").p;
	struct buf b;

	buf_init(&b, 4096);
	if (name == NULL)
		buf_printf(&b, "the outermost element cannot be <%s>",
		    c->node->name.p);
	else if (strcmp(name, c->node->name.p) != 0)
		buf_printf(&b,
		    "the outermost element is <%s>; <%s> is expected",
		    c->node->name.p, name);
	else
		buf_printf(&b, "write <%s xmlns=\"%s\">", name,
		    ns.p == NULL ? "" : ns.p);
	finish(ps, c, &b);
}

static void
say_attr(struct problems *ps, const struct words_case *c,
    const struct xml_node *decl)
{
	const struct xml_node *type =
	    decl == NULL ? NULL : type_of(c->schema, decl);
	struct names known = { .n = 0 };
	const struct xml_node *own =
	    declared(c->schema, type, "attribute", c->attr, &known, 0);
	struct buf b;

	buf_init(&b, 4096);
	if (c->fault == WORDS_ATTR_MISSING) {
		buf_printf(&b, "<%s> lacks the attribute \"%s\"",
		    c->node->name.p, c->attr);
		if (own != NULL) {
			buf_z(&b, "; ");
			expect(&b, c->schema, own);
			buf_z(&b, " is expected");
		}
	} else {
		buf_printf(&b, "<%s> has no attribute \"%s\"", c->node->name.p,
		    c->attr);
		nearest(&b, c->attr, &known, "\"", "\"");
	}
	finish(ps, c, &b);
}
