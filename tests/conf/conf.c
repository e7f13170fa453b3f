/* This file knows how to test that a good arena.xml is read as it says. */
#include "config.h"

#include "tests/tap.h"

#include "tests/conf/good.h"

#include "model/llm.h"

static struct problems ps;
static struct conf *conf;
static struct catalog *catalog;

static void
load(void)
{
	enum err e = good_load(good_path("arena.xml"), &ps, &conf, &catalog);

	if (!ok(e == ERR_OK && ps.count == 0, "the sample is without fault"))
		for (const struct problem *p = ps.first; p != NULL; p = p->next)
			diag("  %s:%d: %s", p->file.p, p->line, p->what.p);
	if (e != ERR_OK)
		good_die("the sample does not load");
}

static void
unload(void)
{
	catalog_close(catalog);
	conf_close(conf);
	pool_close(ps.pool);
}

static void
test_values(void)
{
	is_str(conf->name, "Test Arena", "name");
	is_str(conf->institution, "University of Tests", "institution");
	is_str(conf->contact, "arena@example.edu", "contact");
	is_str(conf->origin, "https://arena.example.edu", "origin");
	is_str(conf->timezone, "Asia/Taipei", "timezone");
	is_str(conf->lang, "en", "lang");
	is_str(conf->sign_in, "/login", "sign-in");
	is_str(conf->privacy, good_path("privacy.xhtml"), "privacy");
	ok(conf->accessibility.p == NULL, "accessibility was left out");
	is_int(conf->socket_mode, 0640, "socket-mode");
	is_int(conf->workers, 4, "workers");
	is_int(conf->queue, 16, "queue");
	ok(conf->socket_group.p == NULL, "socket-group was left out");
	is_str(conf->user_parameter, "PA_USER", "user-parameter");
	is_str(conf->secret, "0123456789abcdef0123", "the secret's content");
	ok(!conf->guests, "guests");
	is_real(conf->k, 24, 0, "k");
	is_real(conf->start, 1000, 0, "start");
	is_real(conf->scale, 400, 0, "scale");
	is_int(conf->minimum, 20, "minimum");
	is_int(conf->minimum_voters, 5, "minimum-voters");
	is_str(conf->policy, "random", "policy");
	is_int(conf->views, 2, "views");
	is_int(conf->expires_days, 14, "expires-days");
	is_int(conf->predecessor_first, 6, "predecessor-first");
	ok(conf->own_questions, "own-questions");
	is_int(conf->own_max_chars, 500, "max-chars");
	is_int(conf->votes_per_day, 40, "votes-per-day");
	is_int(conf->seconds_between, 3, "seconds-between");
	is_real(conf->words_per_second, 27.5, 0, "words-per-second");
	is_real(conf->chars_per_second, 45, 0, "chars-per-second");
	is_int(conf->others_before_tally, 12, "others-before-tally");
}

static void
test_lists(void)
{
	const struct conf_setup *s;
	const struct llm_endpoint *ep;

	is_int(conf->grants_n, 2, "grants");
	is_int(conf->grants[0].role, ROLE_TEACHER, "first role");
	is_str(conf->grants[0].group, "staff", "first group");
	ok(conf->grants[0].user.p == NULL, "no user beside a group");
	is_int(conf->grants[1].role, ROLE_ADMIN, "second role");
	is_str(conf->grants[1].user, "ada", "second user");
	is_int(conf->access_n, 2, "access rules");
	is_str(conf->access[1].page, "metrics", "a page");
	is_int(conf->access[1].who, ROLE_ADMIN, "who sees it");
	is_int(conf->setups_n, 2, "setups");
	s = conf_setup_find(conf, TEXT("course"));
	if (s == NULL)
		good_die("the setup is not found");
	is_str(s->model, "tiny", "model");
	is_str(s->endpoint, "campus", "endpoint");
	ep = conf_endpoint_find(conf, s->endpoint);
	if (ep == NULL)
		good_die("the endpoint is not found");
	is_str(ep->url, "https://llm.example.edu/v1", "its address");
	is_int(ep->first_ms, 2500, "its first byte");
	is_int(ep->idle_ms, 60000, "what is left out is the default");
	is_int(ep->system_as, LLM_SYSTEM_DEVELOPER, "its role");
	is_real(ep->price_out, 1.5, 0, "its price");
	is_real(ep->budget_day, 20, 0, "its budget");
	ok(ep->key.p == NULL, "no key");
	ok(conf_endpoint_find(conf, TEXT("nobody")) == NULL,
	    "unknown endpoint");
	is_int(s->parameters_n, 2, "parameters");
	is_str(s->parameters[0].name, "max_tokens", "sorted by name");
	is_str(s->parameters[1].value, "0.7", "with their values");
	/* printf 'setup/1\nmodel=tiny\nmax_tokens=1024\ntemperature=0.7\n' |
	 * sha256sum */
	is_str((const char *)s->digest,
	    "1ca989d0603617d353cca4928196ec55a01ca1bf56d7785f79c4bab45a119325",
	    "setup digest");
	ok(conf_setup_find(conf, TEXT("nobody")) == NULL, "unknown setup");
	ok(conf->setups[0].endpoint.p == NULL, "files have no endpoint");
}

static void
test_places(void)
{
	const char *state = good_dir;
	char here[256];

	is_str(conf->database, PA_STATEDIR "/votes/arena.db",
	    "the database's usual folder");
	is_str(conf->socket, PA_RUNDIR "/fcgi.sock", "the socket's");
	is_str(
	    conf->control, PA_RUNDIR "/control.sock", "the control socket's");
	is_str(conf->secret_file, good_path("secret"), "the secret's");
	is_str(conf->prompts, good_path("prompts.xml"), "the catalog's");
	is_str(conf->dir, good_dir, "the configuration's");
	snprintf(here, sizeof(here), "%s/templates", getenv("SRCDIR"));
	is_str(conf->templates, here, "the templates'");
	unload();
	setenv("PROMPT_ARENA_STATE", state, 1);
	load();
	is_str(conf->database, good_path("votes/arena.db"), "database, state");
	is_str(conf->socket, good_path("fcgi.sock"), "socket, state");
	is_str(conf->control, good_path("control.sock"), "control, state");
	is_str(conf->state, state, "the state folder itself");
	unload();
	unsetenv("PROMPT_ARENA_STATE");
	is_int(good_load(good_dir, &ps, &conf, &catalog), ERR_OK,
	    "a folder means arena.xml in it");
	is_str(conf->file, good_path("arena.xml"), "... and says so");
	unload();
	setenv("PROMPT_ARENA_CONF", good_dir, 1);
	is_int(good_load(NULL, &ps, &conf, &catalog), ERR_OK,
	    "PROMPT_ARENA_CONF is the default");
	unload();
	unsetenv("PROMPT_ARENA_CONF");
}

static const char smallest[] =
    "<arena xmlns=\"urn:prompt-arena:config:1\">"
    "<setups><setup id=\"sample\" model=\"m\"/></setups>"
    "<site><contact>https://example.edu/help</contact>"
    "<institution>U</institution><name>\n  N\n  O\t</name></site>"
    "<identity guests=\"yes\"/></arena>";

static void
test_defaults(void)
{
	good_write("arena.xml", smallest, sizeof(smallest) - 1, 0644);
	load();
	is_str(conf->name, "N O", "white space becomes one blank");
	is_str(conf->timezone, "UTC", "time zone by default");
	is_str(conf->lang, "en", "language by default");
	ok(conf->origin.p == NULL, "no origin by default");
	is_str(conf->database, PA_STATEDIR "/arena.db",
	    "a database without set-up");
	is_int(conf->socket_mode, 0660, "mode by default");
	is_int(conf->workers, 8, "workers by default");
	ok(conf->secret_file.p == NULL && conf->secret.p == NULL,
	    "no secret by default");
	is_real(conf->k, 32, 0, "K as published");
	is_real(conf->start, 1500, 0, "start as published");
	is_int(conf->minimum, 30, "30 matches by default");
	is_int(conf->minimum_voters, 0, "any number of voters by default");
	is_str(conf->policy, "random", "random pairs by default");
	is_int(conf->views, 3, "views by default");
	is_int(conf->expires_days, 7, "7 days by default");
	is_int(conf->predecessor_first, 10, "10 matches by default");
	ok(!conf->own_questions, "no own questions by default");
	is_int(conf->votes_per_day, 0, "no limit by default");
	is_real(conf->words_per_second, 0, 0, "no reading limit by default");
	is_int(conf->others_before_tally, 10, "tally from 10 by default");
	is_int(conf->grants_n, 0, "no roles by default");
	unload();
}

/* The values of a type in a schema are exactly those of a C list. */
static void
test_same_list(const char *schema, const char *type, const char *const *list)
{
	struct pool *pool = pool_open((size_t)1 << 24);
	const struct xml_node *root = NULL, *el;
	char path[512];
	size_t n = 0;

	problems_init(&ps, pool);
	snprintf(path, sizeof(path), "%s/schema/%s", getenv("SRCDIR"), schema);
	if (xml_load(pool, path, 1 << 20, NULL, &ps, &root) != ERR_OK)
		good_die(path);
	for (el = xml_child(root, "simpleType"); el != NULL;
	     el = xml_sibling(el, "simpleType")) {
		struct text name = xml_attr(el, "name");

		if (str_is((struct str){ name.p, name.n }, type))
			break;
	}
	if (el == NULL)
		good_die(type);
	for (el = xml_child(xml_child(el, "restriction"), "enumeration");
	     el != NULL; el = xml_sibling(el, "enumeration"))
		if (list[n] != NULL)
			is_str(xml_attr(el, "value"), list[n++], "%s of %s",
			    type, schema);
		else
			ok(false, "%s has more values than its list", type);
	ok(list[n] == NULL, "the list of %s has no more values", type);
	pool_close(pool);
}

int
main(void)
{
	xml_init();
	good_make();
	load();
	test_values();
	test_lists();
	test_places();
	test_defaults();
	test_same_list("arena.xsd", "page-name", conf_pages);
	test_same_list("catalog.xsd", "type", catalog_types);
	test_same_list("catalog.xsd", "tag", catalog_tags);
	for (int i = 0; i < ROLE__MAX; i++)
		ok(conf_role_name((enum conf_role)i) != NULL, "role %d", i);
	good_remove();
	xml_shutdown();
	return done_testing();
}
