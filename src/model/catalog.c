/*
 * This file knows how to load the catalog: four XML files, the texts that
 * stand beside them, and the ids by which they refer to each other.
 */
#include "config.h"

#include "model/catalog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/text.h"
#include "model/catalog_parts.h"
#include "model/textfile.h"
#include "port/crypt.h"

#define CATALOG_CAP ((size_t)256 * 1024 * 1024) /* what stays in memory */
#define TREES_CAP ((size_t)256 * 1024 * 1024)   /* while loading */
#define XML_FILE_MAX ((size_t)4 * 1024 * 1024)
#define TEXT_FILE_MAX ((size_t)256 * 1024)

const char *const catalog_types[] = { "knowledge", "coding", "writing",
	"reasoning", "creative", NULL };
const char *const catalog_tags[] = { "beginner_friendly", "coding_expert",
	"detailed", "concise", "academic", NULL };

static enum err load_all(struct catalog_reader *r);
static bool is_too_long(const struct catalog_reader *r);
static bool text_from_file(struct catalog_reader *r, const struct xml_node *el,
    struct text name, struct text *out);
static struct text without_indent(struct pool *pool, struct text t);

enum err
catalog_load(const struct conf *conf, struct problems *ps, struct catalog **out)
{
	struct catalog_reader r = { .conf = conf, .ps = ps };
	enum err e = ERR_NOMEM;

	r.pool = pool_open(CATALOG_CAP);
	r.trees = pool_open(TREES_CAP);
	if (r.pool == NULL || r.trees == NULL)
		goto out;
	r.c = pool_alloc(r.pool, sizeof(*r.c));
	if (r.c == NULL)
		goto out;
	r.c->pool = r.pool;
	e = load_all(&r);
out:
	pool_close(r.trees);
	if (e == ERR_OK)
		*out = r.c;
	else
		pool_close(r.pool);
	return e;
}

void
catalog_close(struct catalog *c)
{
	if (c != NULL)
		pool_close(c->pool);
}

void
catalog_digest(struct text text, char out[65])
{
	struct buf b;

	buf_init(&b, 2 * XML_FILE_MAX);
	buf_z(&b, "prompt-version/1\n\n");
	buf_add(&b, text.p, text.n);
	crypt_sha256_hex(buf_as_str(&b), out);
	buf_release(&b);
}

static enum err
load_all(struct catalog_reader *r)
{
	size_t before = r->ps->count;
	struct xml_schema *schema = NULL;
	struct text xsd =
	    conf_path(r->trees, r->conf->data.p, TEXT("schema/catalog.xsd"));
	enum err e;

	e = xml_schema_load(xsd.p, r->ps, &schema);
	if (e != ERR_OK)
		return e;
	r->schema = schema;
	catalog_read_prompts(r);
	catalog_read_questions(r);
	catalog_read_answers(r);
	catalog_read_activities(r);
	xml_schema_free(schema);
	if (pool_failed(r->pool) || pool_failed(r->trees)) {
		problems_add(r->ps, r->conf->file.p, 0,
		    "the catalog is too large: all files together may hold "
		    "%zu MB",
		    CATALOG_CAP / 1024 / 1024);
		return ERR_NOMEM;
	}
	return r->ps->count == before ? ERR_OK : ERR_CONFIG;
}

/* Said here, where it is known what to do about it. */
static bool
is_too_long(const struct catalog_reader *r)
{
	struct stat st;

	if (stat(r->file, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (uintmax_t)st.st_size <= XML_FILE_MAX)
		return false;
	problems_add(r->ps, r->file, 0,
	    "the file is too long: it has %lld bytes, at most %zu are read; "
	    "keep long texts in files of their own, named by file=\"...\"",
	    (long long)st.st_size, XML_FILE_MAX);
	return true;
}

const struct xml_node *
catalog_root(struct catalog_reader *r, struct text path, const char *name)
{
	const struct xml_node *root;
	const char *slash = strrchr(path.p, '/');

	r->file = path.p;
	r->dir = slash == NULL
		     ? "."
		     : pool_str(r->trees,
			   (struct str){ path.p, (size_t)(slash - path.p) })
			   .p;
	if (is_too_long(r) || xml_load(r->trees, path.p, XML_FILE_MAX,
				  r->schema, r->ps, &root) != ERR_OK)
		return NULL;
	if (str_is(root->name, name))
		return root;
	problems_add(r->ps, r->file, root->line,
	    "the outermost element is <%.*s>; in this file it must be <%s>",
	    (int)root->name.n, root->name.p, name);
	return NULL;
}

size_t
catalog_count(const struct xml_node *el, const char *name)
{
	size_t n = 0;

	for (const struct xml_node *c = xml_child(el, name); c != NULL;
	     c = xml_sibling(c, name))
		n++;
	return n;
}

struct text
catalog_attr(
    struct catalog_reader *r, const struct xml_node *el, const char *name)
{
	return conf_one_line(r->pool, xml_attr(el, name));
}

struct text
catalog_line(struct catalog_reader *r, const struct xml_node *el)
{
	return conf_one_line(r->pool, xml_text(el, r->trees));
}

bool
catalog_yes(const struct xml_node *el, const char *name)
{
	struct text t = xml_attr(el, name);

	return str_is(str_trim((struct str){ t.p, t.n }), "yes");
}

/* The schema has seen digits and range. */
int64_t
catalog_number(struct catalog_reader *r, const struct xml_node *el,
    const char *name, int64_t fallback)
{
	struct text t = catalog_attr(r, el, name);
	struct str s = { t.p, t.n };
	int64_t v;

	if (s.p == NULL)
		return fallback;
	if (s.p[0] == '+') {
		s.p++;
		s.n--;
	}
	return str_int(s, 0, INT32_MAX, &v) == ERR_OK ? v : fallback;
}

bool
catalog_text(
    struct catalog_reader *r, const struct xml_node *el, struct text *out)
{
	struct text file = catalog_attr(r, el, "file");
	struct text inside = xml_text(el, r->trees);
	int n = (int)el->name.n;
	const char *name = el->name.p;

	if (file.p != NULL && !text_is_blank(inside)) {
		problems_add(r->ps, r->file, el->line,
		    "<%.*s> has the attribute \"file\" and a text as well; "
		    "remove one of them",
		    n, name);
		return false;
	}
	if (file.p != NULL)
		return text_from_file(r, el, file, out);
	if (text_is_blank(inside)) {
		problems_add(r->ps, r->file, el->line,
		    "<%.*s> is empty; write the text in it, or name a file: "
		    "<%.*s file=\"...\"/>",
		    n, name, n, name);
		return false;
	}
	*out = without_indent(r->pool, inside);
	return true;
}

/* "a/../b" and "/etc/x" lead out of the folder that is being copied about. */
static bool
leads_out(struct text name)
{
	struct str rest = { name.p, name.n };

	if (name.n > 0 && name.p[0] == '/')
		return true;
	while (rest.p != NULL) {
		if (str_is(str_cut(&rest, '/'), ".."))
			return true;
	}
	return false;
}

/* Nor may a symbolic link lead there: what is copied about would lack it, or
 * show what was never meant for everybody. */
static bool
stays_in(
    const struct catalog_reader *r, const struct textfile *t, struct text name)
{
	char *dir = realpath(r->dir, NULL), *path = realpath(t->path, NULL);
	size_t n = dir == NULL ? 0 : strlen(dir);
	bool stays = true; /* what is not there is told elsewhere */

	if (n > 0 && path != NULL) {
		n -= dir[n - 1] == '/'; /* the root itself */
		stays = strncmp(path, dir, n) == 0 && path[n] == '/';
	}
	if (!stays)
		problems_add(r->ps, r->file, t->line,
		    "%s is \"%s\", which leads by a symbolic link to \"%s\"; "
		    "the file must lie in the folder of this one or below it: "
		    "copy it there",
		    t->named_by, name.p, path);
	free(dir);
	free(path);
	return stays;
}

static bool
text_from_file(struct catalog_reader *r, const struct xml_node *el,
    struct text name, struct text *out)
{
	struct textfile t = {
		.max = TEXT_FILE_MAX, .named_in = r->file, .line = el->line
	};
	struct text got;

	t.named_by = pool_printf(r->trees, "the attribute \"file\" of <%.*s>",
	    (int)el->name.n, el->name.p)
			 .p;
	if (leads_out(name)) {
		problems_add(r->ps, r->file, el->line,
		    "%s is \"%s\"; the file must lie in the folder of this "
		    "one or below it",
		    t.named_by, name.p);
		return false;
	}
	t.path = conf_path(r->trees, r->dir, name).p;
	if (!stays_in(r, &t, name))
		return false;
	if (textfile_load(r->pool, &t, r->ps, &got) != ERR_OK)
		return false;
	if (text_is_blank(got)) {
		problems_add(r->ps, t.path, 0,
		    "the file is empty; line %d of %s expects a text in it",
		    el->line, r->file);
		return false;
	}
	*out = got;
	return true;
}

static size_t
indent_of(struct str line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return n;
}

/*
 * Written between tags, the lines of a text are indented like the XML around
 * them; Markdown would take that for code.  The first line begins after the
 * tag and says nothing about it.
 */
static struct text
without_indent(struct pool *pool, struct text t)
{
	struct str whole = str_trim((struct str){ t.p, t.n });
	struct str rest = whole, line;
	size_t least = SIZE_MAX, n = 0;
	char *p = pool_alloc(pool, whole.n + 1);

	if (p == NULL)
		return TEXT("");
	(void)str_cut(&rest, '\n');
	while (rest.p != NULL) {
		line = str_cut(&rest, '\n');
		if (indent_of(line) < line.n && indent_of(line) < least)
			least = indent_of(line);
	}
	rest = whole;
	for (bool first = true; rest.p != NULL; first = false) {
		size_t skip;

		line = str_cut(&rest, '\n');
		skip = first ? 0 : line.n < least ? line.n : least;
		memcpy(p + n, line.p + skip, line.n - skip);
		n += line.n - skip;
		if (rest.p != NULL)
			p[n++] = '\n';
	}
	return (struct text){ p, n };
}

static int
by_id(const void *a, const void *b)
{
	const struct catalog_name *x = a, *y = b;
	int c = text_cmp(x->id, y->id);

	return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

void
catalog_names_sort(
    struct catalog_reader *r, struct catalog_names *names, const char *what)
{
	const struct catalog_name *a = names->all;

	names->file = r->file;
	if (names->n < 2)
		return;
	qsort(names->all, names->n, sizeof(*names->all), by_id);
	for (size_t i = 1; i < names->n; i++) {
		if (text_cmp(a[i - 1].id, a[i].id) == 0)
			problems_add(r->ps, r->file, a[i].line,
			    "the %s id \"%s\" is already used in line %d; "
			    "choose another",
			    what, a[i].id.p, a[i - 1].line);
	}
}

static int
to_id(const void *key, const void *entry)
{
	const struct text *id = key;
	const struct catalog_name *n = entry;

	return text_cmp(*id, n->id);
}

static const char *
nearest(
    struct catalog_reader *r, const struct catalog_names *names, struct text id)
{
	const char **ids = pool_array(r->trees, names->n, sizeof(*ids));

	if (ids == NULL)
		return NULL;
	for (size_t i = 0; i < names->n; i++)
		ids[i] = names->all[i].id.p;
	return str_nearest((struct str){ id.p, id.n }, ids, names->n);
}

const struct catalog_name *
catalog_refer(struct catalog_reader *r, const struct xml_node *el,
    const struct catalog_names *names, const char *what, struct text id)
{
	const struct catalog_name *found = NULL;
	const char *near;

	if (names->file == NULL)
		return NULL;
	if (names->n > 0)
		found = bsearch(
		    &id, names->all, names->n, sizeof(*names->all), to_id);
	if (found != NULL)
		return found;
	near = names->n == 0 ? NULL : nearest(r, names, id);
	problems_add(r->ps, r->file, el->line,
	    "<%.*s> names the %s \"%s\", but there is none of that id in %s; "
	    "%s%s%s",
	    (int)el->name.n, el->name.p, what, id.p, names->file,
	    near == NULL ? "write one that stands there" : "did you mean \"",
	    near == NULL ? "" : near, near == NULL ? "" : "\"?");
	return NULL;
}
