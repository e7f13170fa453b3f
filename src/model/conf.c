/* This file knows how to read arena.xml into a struct, with its defaults. */
#include "config.h"

#include "model/conf.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/conf_parts.h"

#define CONF_CAP ((size_t)4 * 1024 * 1024)  /* what stays in memory */
#define TREE_CAP ((size_t)64 * 1024 * 1024) /* while reading */
#define FILE_MAX ((size_t)1024 * 1024)      /* bytes of arena.xml */

enum field_kind {
	FIELD_LINE,
	FIELD_YES_NO,
	FIELD_COUNT,
	FIELD_OCTAL,
	FIELD_NUMBER,
	FIELD_STATE_PATH, /* relative to the state folder or PA_STATEDIR */
	FIELD_RUN_PATH,   /* ... or PA_RUNDIR */
	FIELD_KEY_PATH,   /* ... or arena.xml's folder */
	FIELD_CONF_PATH   /* relative to arena.xml's folder */
};

/*
 * One row a value: <element> of <arena>, then an attribute of it, or a child
 * element's text (or that child's attribute "file", for paths).
 */
struct field {
	const char *element, *name;
	enum {
		IN_ATTR,
		IN_CHILD
	} where;
	enum field_kind kind;
	size_t at;
	const char *fallback; /* NULL: absent, false or 0 */
};

#define CHILD(element, name, kind, member, fallback)                           \
	{                                                                      \
		element, name, IN_CHILD, kind, offsetof(struct conf, member),  \
		    fallback                                                   \
	}
#define ATTR(element, name, kind, member, fallback)                            \
	{                                                                      \
		element, name, IN_ATTR, kind, offsetof(struct conf, member),   \
		    fallback                                                   \
	}

static const struct field fields[] = {
	CHILD("site", "name", FIELD_LINE, name, NULL),
	CHILD("site", "institution", FIELD_LINE, institution, NULL),
	CHILD("site", "contact", FIELD_LINE, contact, NULL),
	CHILD("site", "origin", FIELD_LINE, origin, NULL),
	CHILD("site", "timezone", FIELD_LINE, timezone, "UTC"),
	CHILD("site", "lang", FIELD_LINE, lang, "en"),
	CHILD("site", "sign-in", FIELD_LINE, sign_in, NULL),
	CHILD("site", "privacy", FIELD_CONF_PATH, privacy, NULL),
	CHILD("site", "accessibility", FIELD_CONF_PATH, accessibility, NULL),
	ATTR("storage", "database", FIELD_STATE_PATH, database, "arena.db"),
	ATTR("listen", "socket", FIELD_RUN_PATH, socket, "fcgi.sock"),
	ATTR("listen", "socket-group", FIELD_LINE, socket_group, NULL),
	ATTR("listen", "socket-mode", FIELD_OCTAL, socket_mode, "0660"),
	ATTR("listen", "control", FIELD_RUN_PATH, control, "control.sock"),
	ATTR("listen", "workers", FIELD_COUNT, workers, "8"),
	ATTR("listen", "queue", FIELD_COUNT, queue, "256"),
	ATTR("templates", "folder", FIELD_CONF_PATH, templates, NULL),
	ATTR("identity", "user-parameter", FIELD_LINE, user_parameter,
	    "PA_USER"),
	ATTR("identity", "secret-file", FIELD_KEY_PATH, secret_file, NULL),
	ATTR("identity", "guests", FIELD_YES_NO, guests, "no"),
	ATTR("elo", "k", FIELD_NUMBER, k, "32"),
	ATTR("elo", "start", FIELD_NUMBER, start, "1500"),
	ATTR("elo", "scale", FIELD_NUMBER, scale, "400"),
	ATTR("elo", "minimum", FIELD_COUNT, minimum, "30"),
	ATTR("elo", "minimum-voters", FIELD_COUNT, minimum_voters, "0"),
	ATTR("pairing", "policy", FIELD_LINE, policy, "random"),
	ATTR("pairing", "views", FIELD_COUNT, views, "3"),
	ATTR("pairing", "expires-days", FIELD_COUNT, expires_days, "7"),
	ATTR("pairing", "predecessor-first", FIELD_COUNT, predecessor_first,
	    "10"),
	ATTR("own-questions", "allowed", FIELD_YES_NO, own_questions, "no"),
	ATTR("own-questions", "max-chars", FIELD_COUNT, own_max_chars, "2000"),
	ATTR("own-questions", "per-day", FIELD_COUNT, own_per_day, "10"),
	ATTR("own-questions", "shared", FIELD_YES_NO, own_shared, "no"),
	ATTR("generation", "samples", FIELD_COUNT, samples, "1"),
	ATTR("generation", "stock", FIELD_COUNT, stock, "20"),
	ATTR("generation", "queue", FIELD_COUNT, jobs_queue, "200"),
	ATTR("generation", "per-person", FIELD_COUNT, jobs_per_person, "60"),
	ATTR("generation", "person-budget", FIELD_NUMBER, person_budget, "-1"),
	ATTR("leaks", "canary", FIELD_YES_NO, canary, "no"),
	ATTR("limits", "votes-per-day", FIELD_COUNT, votes_per_day, "0"),
	ATTR("limits", "seconds-between", FIELD_COUNT, seconds_between, "0"),
	ATTR("limits", "words-per-second", FIELD_NUMBER, words_per_second, "0"),
	ATTR("limits", "chars-per-second", FIELD_NUMBER, chars_per_second, "0"),
	ATTR("limits", "others-before-tally", FIELD_COUNT, others_before_tally,
	    "10"),
	ATTR("forum", "posts-per-minute", FIELD_COUNT, posts_per_minute, "5"),
	ATTR("forum", "post-chars", FIELD_COUNT, post_chars, "20000"),
	ATTR("hooks", "secret-file", FIELD_KEY_PATH, hook_secret_file, NULL),
	ATTR("hooks", "per-minute", FIELD_COUNT, hooks_per_minute, "120"),
	ATTR("catalog", "prompts", FIELD_CONF_PATH, prompts, "prompts.xml"),
	ATTR("catalog", "questions", FIELD_CONF_PATH, questions,
	    "questions.xml"),
	ATTR("catalog", "answers", FIELD_CONF_PATH, answers, "answers.xml"),
	ATTR("catalog", "activities", FIELD_CONF_PATH, activities,
	    "activities.xml"),
};

const char *const conf_pages[] = { "home", "arena", "match", "votes",
	"leaderboard", "ledger", "prompt", "compare", "plot", "methodology",
	"preferences", "notices", "forum", "reports", "ta", "account", "admin",
	"metrics", NULL };

static const char *const role_names[ROLE__MAX] = {
	[ROLE_ANYONE] = "anyone",
	[ROLE_VOTER] = "voter",
	[ROLE_TEACHER] = "teacher",
	[ROLE_RESEARCHER] = "researcher",
	[ROLE_ADMIN] = "admin",
};

static void place_file(struct conf *c, const char *path);
static void place_data(struct conf *c);
static enum err read_tree(struct conf *c, struct pool *trees,
    struct problems *ps, const struct xml_node **root);
static void read_field(struct conf_reader *r, const struct field *f);

enum err
conf_load(const char *path, struct problems *ps, struct conf **out)
{
	struct pool *pool = pool_open(CONF_CAP);
	struct pool *trees = pool_open(TREE_CAP);
	struct conf_reader r = { .ps = ps };
	size_t before = ps->count;
	enum err e = ERR_NOMEM;

	if (pool == NULL || trees == NULL)
		goto out;
	r.c = pool_alloc(pool, sizeof(*r.c));
	if (r.c == NULL)
		goto out;
	r.c->pool = pool;
	place_file(r.c, path);
	place_data(r.c);
	r.file = r.c->file.p;
	/* What cannot be looked at for another reason is told by the reader. */
	if (access(r.file, F_OK) != 0 &&
	    (errno == ENOENT || errno == ENOTDIR)) {
		problems_add(ps, r.file, 0,
		    "there is no such file; copy the sample folder %s/conf "
		    "there, or name another with --conf",
		    r.c->data.p);
		e = ERR_CONFIG;
		goto out;
	}
	e = read_tree(r.c, trees, ps, &r.root);
	if (e != ERR_OK)
		goto out;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		read_field(&r, &fields[i]);
	if (r.c->templates.p == NULL)
		r.c->templates =
		    conf_path(pool, r.c->data.p, TEXT("templates"));
	conf_read_grants(&r);
	conf_read_access(&r);
	conf_read_setups(&r);
	conf_read_endpoints(&r);
	conf_read_leaks(&r);
	conf_check(&r);
	if (ps->count != before)
		e = ERR_CONFIG;
	else if (pool_failed(pool))
		e = ERR_NOMEM;
out:
	pool_close(trees);
	if (e == ERR_OK)
		*out = r.c;
	else
		pool_close(pool);
	return e;
}

void
conf_close(struct conf *c)
{
	if (c == NULL)
		return;
	conf_wipe_keys(c);
	pool_close(c->pool);
}

const char *
conf_role_name(enum conf_role role)
{
	return role_names[role];
}

const struct conf_setup *
conf_setup_find(const struct conf *c, struct text id)
{
	for (size_t i = 0; i < c->setups_n; i++) {
		const struct text *t = &c->setups[i].id;

		if (t->n == id.n && memcmp(t->p, id.p, id.n) == 0)
			return &c->setups[i];
	}
	return NULL;
}

struct text
conf_attr(struct conf_reader *r, const struct xml_node *el, const char *name)
{
	return conf_one_line(r->c->pool, xml_attr(el, name));
}

struct text
conf_path(struct pool *pool, const char *folder, struct text name)
{
	struct str s;

	if (name.n > 0 && name.p[0] == '/')
		return pool_text(pool, name);
	s = pool_printf(pool, "%s/%.*s", folder, CONF_PRINT(name));
	return (struct text){ s.p, s.n };
}

int
conf_line(const struct conf_reader *r, const char *element, const char *child)
{
	const struct xml_node *el = xml_child(r->root, element);

	if (el != NULL && child != NULL)
		el = xml_child(el, child);
	return el == NULL ? 0 : el->line;
}

/* Which file, and in which folder it lies. */
static void
place_file(struct conf *c, const char *path)
{
	const char *given = path != NULL ? path : getenv("PROMPT_ARENA_CONF");
	const char *state = getenv("PROMPT_ARENA_STATE");
	const char *slash;
	struct text t;
	struct stat st;

	if (given == NULL || *given == '\0')
		given = PA_SYSCONFDIR;
	t = pool_text(c->pool, text_of(given));
	if (stat(given, &st) == 0 && S_ISDIR(st.st_mode))
		t = conf_path(c->pool, t.p, TEXT("arena.xml"));
	c->file = t;
	slash = strrchr(t.p, '/');
	if (slash == NULL)
		c->dir = TEXT(".");
	else
		c->dir = pool_text(
		    c->pool, (struct text){ t.p,
				 slash == t.p ? 1 : (size_t)(slash - t.p) });
	if (state != NULL && *state != '\0')
		c->state = pool_text(c->pool, text_of(state));
}

/*
 * data/ beside the program, where building puts what an installed program has
 * in PA_DATADIR.  Absent: there is none.
 */
static struct text
data_beside(struct pool *pool)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;
	struct text data;

	if (n <= 0)
		return (struct text){ NULL, 0 };
	program[n] = '\0';
	if ((slash = strrchr(program, '/')) == NULL)
		return (struct text){ NULL, 0 };
	*slash = '\0';
	data = conf_path(pool, program, TEXT("data"));
	if (access(conf_path(pool, data.p, TEXT("made")).p, R_OK) != 0)
		return (struct text){ NULL, 0 };
	return data;
}

/*
 * Where the schemas are.  A program that is not installed finds them where it
 * was built, or else beside the configuration's folder: in the source tree.
 */
static void
place_data(struct conf *c)
{
	const char *data = getenv("PROMPT_ARENA_DATADIR");
	struct text beside = data_beside(c->pool);
	struct text source = conf_path(c->pool, c->dir.p, TEXT(".."));
	struct text xsd =
	    conf_path(c->pool, source.p, TEXT("schema/arena.xsd"));

	if (data != NULL && *data != '\0')
		c->data = pool_text(c->pool, text_of(data));
	else if (beside.p != NULL)
		c->data = beside;
	else if (access(PA_DATADIR, R_OK) != 0 && access(xsd.p, R_OK) == 0)
		c->data = source;
	else
		c->data = TEXT(PA_DATADIR);
}

static enum err
read_tree(struct conf *c, struct pool *trees, struct problems *ps,
    const struct xml_node **root)
{
	struct text xsd =
	    conf_path(c->pool, c->data.p, TEXT("schema/arena.xsd"));
	struct xml_schema *schema = NULL;
	enum err e;

	e = xml_schema_load(xsd.p, ps, &schema);
	if (e != ERR_OK)
		return e;
	e = xml_load(trees, c->file.p, FILE_MAX, schema, ps, root);
	xml_schema_free(schema);
	return e;
}

/* The value as it stands in the file, on one line; absent when it does not. */
static struct text
raw_value(struct conf_reader *r, const struct field *f)
{
	const struct xml_node *el = xml_child(r->root, f->element);

	if (el != NULL && f->where == IN_CHILD)
		el = xml_child(el, f->name);
	if (el == NULL)
		return (struct text){ NULL, 0 };
	if (f->where == IN_ATTR)
		return conf_attr(r, el, f->name);
	if (f->kind == FIELD_CONF_PATH)
		return conf_attr(r, el, "file");
	return conf_one_line(r->c->pool, xml_text(el, r->c->pool));
}

static struct text
path_value(const struct conf *c, enum field_kind kind, struct text value)
{
	const char *folder = c->dir.p;

	if (value.p == NULL)
		return value;
	if (kind != FIELD_CONF_PATH && c->state.p != NULL)
		folder = c->state.p;
	else if (kind == FIELD_STATE_PATH)
		folder = PA_STATEDIR;
	else if (kind == FIELD_RUN_PATH)
		folder = PA_RUNDIR;
	return conf_path(c->pool, folder, value);
}

/* The schema has seen the digits and the range. */
static void
number_value(
    struct conf_reader *r, const struct field *f, struct text value, void *to)
{
	struct str s = { value.p, value.n };
	enum err e;

	if (s.n > 0 && s.p[0] == '+') {
		s.p++;
		s.n--;
	}
	if (f->kind == FIELD_NUMBER)
		e = str_real(s, to);
	else
		e = str_int(s, 0, INT32_MAX, to);
	if (e != ERR_OK)
		problems_add(r->ps, r->file, conf_line(r, f->element, NULL),
		    "the attribute \"%s\" of <%s> is \"%.*s\"; write a plain "
		    "number such as %s",
		    f->name, f->element, CONF_PRINT(value), f->fallback);
}

static int64_t
octal_value(struct text value)
{
	int64_t v = 0;

	for (size_t i = 0; i < value.n; i++)
		v = v * 8 + (value.p[i] - '0');
	return v;
}

static void
read_field(struct conf_reader *r, const struct field *f)
{
	struct text value = raw_value(r, f);
	void *to = (char *)r->c + f->at;

	if (value.p == NULL)
		value = text_of(f->fallback);
	switch (f->kind) {
	case FIELD_LINE:
		*(struct text *)to = value;
		break;
	case FIELD_YES_NO:
		*(bool *)to = value.n == 3;
		break;
	case FIELD_COUNT:
	case FIELD_NUMBER:
		number_value(r, f, value, to);
		break;
	case FIELD_OCTAL:
		*(int64_t *)to = octal_value(value);
		break;
	case FIELD_STATE_PATH:
	case FIELD_RUN_PATH:
	case FIELD_KEY_PATH:
	case FIELD_CONF_PATH:
		*(struct text *)to = path_value(r->c, f->kind, value);
		break;
	}
}

struct text
conf_one_line(struct pool *pool, struct text t)
{
	char *p;
	size_t n = 0;

	if (t.p == NULL)
		return t;
	p = pool_alloc(pool, t.n + 1);
	if (p == NULL)
		return TEXT("");
	for (size_t i = 0; i < t.n; i++) {
		bool blank = strchr(" \t\r\n", t.p[i]) != NULL;

		if (!blank)
			p[n++] = t.p[i];
		else if (n > 0 && p[n - 1] != ' ')
			p[n++] = ' ';
	}
	if (n > 0 && p[n - 1] == ' ')
		n--;
	p[n] = '\0';
	return (struct text){ p, n };
}
