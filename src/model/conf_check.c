/*
 * This file knows how to find in arena.xml what its schema cannot: files that
 * are missing, paths that are too long, rules that contradict each other.
 */
#include "config.h"

#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/conf_parts.h"
#include "model/textfile.h"

#define SOCKET_MAX (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)
#define SECRET_MIN 16
#define SECRET_MAX 256
#define STATEMENT_MAX ((size_t)256 * 1024)
#define ZONE_TABLE_MAX ((size_t)64 * 1024)
#define ZONE_TABLE "/usr/share/zoneinfo/zone.tab"

static void check_site(struct conf_reader *r);
static void check_zone(struct conf_reader *r);
static void check_statement(
    struct conf_reader *r, const char *child, struct text path);
static void check_listen(struct conf_reader *r);
static bool names_no_file(const char *path);
static void check_socket(
    struct conf_reader *r, const char *attr, struct text path);
static void check_identity(struct conf_reader *r);
static struct text read_secret(
    struct conf_reader *r, struct text path, const char *element);
static void check_hooks(struct conf_reader *r);
static void check_questions(struct conf_reader *r);
static void check_catalog(struct conf_reader *r);

void
conf_check(struct conf_reader *r)
{
	check_site(r);
	check_listen(r);
	check_identity(r);
	check_hooks(r);
	check_questions(r);
	check_catalog(r);
}

static void
check_site(struct conf_reader *r)
{
	const struct conf *c = r->c;
	struct textfile t = { .path = c->templates.p,
		.named_in = r->file,
		.line = conf_line(r, "templates", NULL),
		.named_by = "the attribute \"folder\" of <templates>" };

	check_zone(r);
	r->c->lang_line = conf_line(r, "site", "lang");
	check_statement(r, "privacy", c->privacy);
	check_statement(r, "accessibility", c->accessibility);
	/* The templates that ship are looked at when they are loaded. */
	if (t.line != 0)
		(void)!textfile_exists(&t, true, r->ps);
}

/* The nearest name of tzdata's table, or NULL. */
static const char *
zone_nearest(struct pool *pool, struct text zone)
{
	char *table = pool_alloc(pool, ZONE_TABLE_MAX);
	const char *names[1024];
	struct str rest, line;
	size_t n = 0;
	ssize_t got;
	int fd = open(ZONE_TABLE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	got = table == NULL ? 0 : read(fd, table, ZONE_TABLE_MAX);
	(void)close(fd);
	rest = (struct str){ table, got < 0 ? 0 : (size_t)got };
	/* country TAB coordinates TAB name [TAB comment] */
	while (rest.p != NULL && n < sizeof(names) / sizeof(names[0])) {
		line = str_cut(&rest, '\n');
		if (line.n == 0 || line.p[0] == '#')
			continue;
		(void)str_cut(&line, '\t');
		(void)str_cut(&line, '\t');
		if (line.p != NULL)
			names[n++] = pool_str(pool, str_cut(&line, '\t')).p;
	}
	return str_nearest((struct str){ zone.p, zone.n }, names, n);
}

static void
check_zone(struct conf_reader *r)
{
	struct text zone = r->c->timezone;
	const char *near;

	if (clock_zone_known(zone.p))
		return;
	near = zone_nearest(r->c->pool, zone);
	problems_add(r->ps, r->file, conf_line(r, "site", "timezone"),
	    "there is no time zone \"%s\" on this machine; write %s%s%s",
	    zone.p,
	    near == NULL ? "UTC or a name such as \"Asia/Taipei\"" : "\"",
	    near == NULL ? "" : near, near == NULL ? "" : "\"");
}

static void
check_statement(struct conf_reader *r, const char *child, struct text path)
{
	struct textfile t = { .path = path.p,
		.named_in = r->file,
		.line = conf_line(r, "site", child) };
	const struct xml_node *root;
	struct pool *pool;

	if (path.p == NULL)
		return;
	t.named_by =
	    pool_printf(r->c->pool, "the attribute \"file\" of <%s>", child).p;
	if (textfile_exists(&t, false, r->ps) != ERR_OK)
		return;
	pool = pool_open(16 * STATEMENT_MAX);
	if (pool == NULL)
		return;
	(void)!xml_load_template(pool, path.p, STATEMENT_MAX, r->ps, &root);
	pool_close(pool);
}

static void
check_listen(struct conf_reader *r)
{
	const struct conf *c = r->c;
	struct group g, *found = NULL;
	char room[4096];

	check_socket(r, "socket", c->socket);
	check_socket(r, "control", c->control);
	if ((c->socket_mode & 07) != 0)
		problems_add(r->ps, r->file, conf_line(r, "listen", NULL),
		    "the attribute \"socket-mode\" of <listen> is %04o, which "
		    "lets everybody on this machine talk to the program past "
		    "the web server; write 0660, and the web server's group as "
		    "socket-group",
		    (unsigned)c->socket_mode);
	if (strcmp(c->socket.p, c->control.p) == 0)
		problems_add(r->ps, r->file, conf_line(r, "listen", NULL),
		    "the attributes \"socket\" and \"control\" of <listen> "
		    "name the same path; each needs its own");
	if (c->socket_group.p != NULL &&
	    getgrnam_r(c->socket_group.p, &g, room, sizeof(room), &found) ==
		0 &&
	    found == NULL)
		problems_add(r->ps, r->file, conf_line(r, "listen", NULL),
		    "the attribute \"socket-group\" of <listen> is \"%s\", "
		    "but this machine has no such group; write the web "
		    "server's group",
		    c->socket_group.p);
}

static void
check_socket(struct conf_reader *r, const char *attr, struct text path)
{
	const struct xml_node *el = xml_child(r->root, "listen");
	struct text said = { NULL, 0 };

	if (el != NULL)
		said = conf_attr(r, el, attr);
	if (said.p != NULL && names_no_file(said.p))
		problems_add(r->ps, r->file, conf_line(r, "listen", NULL),
		    "the attribute \"%s\" of <listen> is \"%s\": the program "
		    "listens on a unix socket, never on a network port; write "
		    "the path of a file alone, such as %s",
		    attr, said.p,
		    strcmp(attr, "socket") == 0 ? "fcgi.sock" : "control.sock");
	if (path.n <= SOCKET_MAX)
		return;
	problems_add(r->ps, r->file, conf_line(r, "listen", NULL),
	    "the attribute \"%s\" of <listen> gives a path of %zu bytes; a "
	    "socket's path has at most %zu: %s",
	    attr, path.n, SOCKET_MAX, path.p);
}

/*
 * Whether a path is what other programs take for a socket's address: nginx's
 * unix:/path, host:port, a bare port, systemd's @name.  Taken as a path it
 * would become a file where no web server looks.
 */
static bool
names_no_file(const char *path)
{
	const char *slash = strchr(path, '/');
	const char *colon = strchr(path, ':');

	return path[0] == '@' || path[strspn(path, "0123456789")] == '\0' ||
	       (colon != NULL && (slash == NULL || colon < slash));
}

/*
 * What a parameter of CGI says of the request already, often in the visitor's
 * own words: were a name read from there, anybody could be anybody.
 */
static bool
names_the_request(const char *name)
{
	static const char *const whole[] = { "PA_SECRET", "PA_NAME",
		"PA_GROUPS", "PA_BASE", "HTTPS", "QUERY_STRING",
		"GATEWAY_INTERFACE", NULL };
	static const char *const begun[] = { "AUTH_", "CONTENT_", "DOCUMENT_",
		"FCGI_", "PATH_", "REDIRECT_", "REMOTE_", "REQUEST_", "SCRIPT_",
		"SERVER_", "SSL_", NULL };

	for (size_t i = 0; whole[i] != NULL; i++) {
		if (strcmp(name, whole[i]) == 0)
			return true;
	}
	for (size_t i = 0; begun[i] != NULL; i++) {
		if (str_starts(str_of(name), begun[i]))
			return true;
	}
	return false;
}

static void
check_identity(struct conf_reader *r)
{
	const struct conf *c = r->c;
	const char *name = c->user_parameter.p;
	int line = conf_line(r, "identity", NULL);

	if (strncmp(name, "HTTP_", 5) == 0)
		problems_add(r->ps, r->file, line,
		    "the attribute \"user-parameter\" of <identity> is "
		    "\"%s\": what begins with HTTP_ is what a visitor's "
		    "browser says of itself; write PA_USER",
		    name);
	else if (names_the_request(name))
		problems_add(r->ps, r->file, line,
		    "the attribute \"user-parameter\" of <identity> must not "
		    "be %s, which has another meaning; write PA_USER",
		    name);
	if (c->secret_file.p != NULL) {
		r->c->secret = read_secret(r, c->secret_file, "identity");
		return;
	}
	if (!c->guests)
		problems_add(r->ps, r->file, line,
		    "nobody could vote: <identity> names no secret-file, so "
		    "nobody can be signed in, and allows no guests; write "
		    "secret-file=\"secret\" or guests=\"yes\"");
	if (c->grants_n > 0)
		problems_add(r->ps, r->file, conf_line(r, "roles", NULL),
		    "<roles> gives roles, but <identity> names no "
		    "secret-file, so nobody can be signed in; write "
		    "secret-file=\"secret\" or remove the grants");
}

static bool
visible_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] <= ' ' || s.p[i] > '~')
			return false;
	}
	return true;
}

/* A secret that another program and we share; absent when it is no good. */
static struct text
read_secret(struct conf_reader *r, struct text path, const char *element)
{
	struct textfile t = { .path = path.p,
		.secret = true,
		.max = SECRET_MAX + 2,
		.named_in = r->file,
		.line = conf_line(r, element, NULL) };
	struct text content, none = { NULL, 0 };
	struct str s;

	t.named_by = pool_printf(
	    r->c->pool, "the attribute \"secret-file\" of <%s>", element)
			 .p;
	t.missing = pool_printf(r->c->pool,
	    "make it with: (umask 077 && head -c 32 /dev/urandom | base64 "
	    "> %s)",
	    t.path)
			.p;
	if (textfile_load(r->c->pool, &t, r->ps, &content) != ERR_OK)
		return none;
	s = str_trim((struct str){ content.p, content.n });
	if (s.n >= SECRET_MIN && visible_ascii(s))
		return pool_text(r->c->pool, (struct text){ s.p, s.n });
	problems_add(r->ps, t.path, 1,
	    "the secret must be one line of %d to %d letters, digits "
	    "and signs without blanks; %s",
	    SECRET_MIN, SECRET_MAX, t.missing);
	return none;
}

/* Who may tell people something must not thereby be able to be them. */
static void
check_hooks(struct conf_reader *r)
{
	struct conf *c = r->c;

	if (c->hook_secret_file.p == NULL)
		return;
	c->hook_secret = read_secret(r, c->hook_secret_file, "hooks");
	if (c->hook_secret.n > 0 && c->hook_secret.n == c->secret.n &&
	    memcmp(c->hook_secret.p, c->secret.p, c->secret.n) == 0)
		problems_add(r->ps, r->file, conf_line(r, "hooks", NULL),
		    "<hooks> and <identity> have the same secret, so whoever "
		    "posts notices could sign in as anybody; make another "
		    "one for <hooks>");
}

static void
check_questions(struct conf_reader *r)
{
	const struct conf *c = r->c;

	if (!c->own_questions)
		return;
	for (size_t i = 0; i < c->setups_n; i++) {
		if (c->setups[i].endpoint.p != NULL)
			return;
	}
	problems_add(r->ps, r->file, conf_line(r, "own-questions", NULL),
	    "<own-questions> is allowed, but no <setup> has an endpoint that "
	    "could answer them; write allowed=\"no\" or add the endpoint");
}

static void
check_catalog(struct conf_reader *r)
{
	const struct conf *c = r->c;
	const struct {
		const char *by;
		struct text path;
	} files[] = {
		{ "the attribute \"prompts\" of <catalog>", c->prompts },
		{ "the attribute \"questions\" of <catalog>", c->questions },
		{ "the attribute \"answers\" of <catalog>", c->answers },
		{ "the attribute \"activities\" of <catalog>", c->activities },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct textfile t = { .path = files[i].path.p,
			.named_in = r->file,
			.named_by = files[i].by,
			.line = conf_line(r, "catalog", NULL) };

		(void)!textfile_exists(&t, false, r->ps);
	}
}
