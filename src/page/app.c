/* This file knows how to bring a site to life and renew it while it runs. */
#include "config.h"

#include "page/app.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "model/debut.h"
#include "model/board.h"
#include "model/board_cache.h"
#include "model/conf.h"
#include "model/standing.h"
#include "model/store.h"
#include "model/textfile.h"
#include "page/frame.h"
#include "page/owntext.h"
#include "page/pages.h"
#include "port/db.h"
#include "view/view.h"

#define APP_POOL ((size_t)8 * 1024 * 1024)
#define SMALL_FILE ((size_t)64 * 1024)
#define LANGS_MAX 32
#define LANG_TAG_MAX 36

static enum err find_langs(struct app *);
static void check_lang(const struct app *, struct problems *);
static enum err open_views(struct app *, struct problems *);
static enum err open_texts(struct app *, struct problems *);
static enum err read_last_resort(struct app *, struct problems *);
static enum err read_worker(struct app *, struct problems *);
static enum err read_small(
    struct app *, struct str path, struct problems *, struct str *out);
static enum err make_deck(struct store *, struct deck **);
static enum err read_key(const char *path, struct crypt_key *);
static enum err make_key(const char *path, struct crypt_key *);

enum err
app_open(struct app **out, struct conf *conf, struct problems *ps)
{
	struct app *a = calloc(1, sizeof(*a));
	enum err e = ERR_NOMEM;

	if (a == NULL) {
		conf_close(conf);
		return ERR_NOMEM;
	}
	atomic_init(&a->refs, 1);
	a->conf = conf;
	a->pool = pool_open(APP_POOL);
	if (a->pool == NULL || (e = find_langs(a)) != ERR_OK ||
	    (e = open_views(a, ps)) != ERR_OK ||
	    (e = open_texts(a, ps)) != ERR_OK ||
	    (e = read_last_resort(a, ps)) != ERR_OK ||
	    (e = read_worker(a, ps)) != ERR_OK) {
		app_put(a);
		return e;
	}
	*out = a;
	return ERR_OK;
}

void
app_put(struct app *a)
{
	if (a == NULL || atomic_fetch_sub(&a->refs, 1) > 1)
		return;
	if (a->views != NULL)
		view_set_close(a->views);
	conf_close(a->conf);
	if (a->pool != NULL)
		pool_close(a->pool);
	free(a);
}

enum err
app_check(struct conf *conf, struct problems *ps)
{
	struct app *a;
	enum err e = app_open(&a, conf, ps);

	if (e != ERR_OK)
		return e;
	check_lang(a, ps);
	app_put(a);
	return ERR_OK;
}

/* A site goes on in English; whoever wrote another language wants to know. */
static void
check_lang(const struct app *a, struct problems *ps)
{
	const struct text *lang = &a->conf->lang;
	struct str s = { lang->p, lang->n };
	const char *near;
	size_t n = 0;

	if (view_lang_pick(a->views, s) >= 0)
		return;
	while (a->langs[n] != NULL)
		n++;
	near = str_nearest(s, a->langs, n);
	problems_add(ps, a->conf->file.p, a->conf->lang_line,
	    "<lang> is \"%s\", but %s has no pages in that language; write %s "
	    "or make them (INSTALL.md, \"Another language\")",
	    lang->p, a->conf->templates.p, near != NULL ? near : "en");
}

enum err
site_open(struct site *s, const struct route *routes, struct store *store,
    struct app *first, const char *key_path)
{
	struct crypt_key master;
	struct deck *deck;
	enum err e;

	*s = (struct site){ .routes = routes, .store = store, .app = first };
	pthread_mutex_init(&s->lock, NULL);
	again_init(&s->again);
	if ((e = read_key(key_path, &master)) != ERR_OK)
		return e;
	crypt_key_derive(&master, "form", &s->form_key);
	crypt_key_derive(&master, "guest", &s->guest_key);
	crypt_wipe(&master, sizeof(master));
	if ((e = totals_open(&s->totals)) != ERR_OK ||
	    (e = debuts_open(&s->debuts)) != ERR_OK ||
	    (e = board_cache_open(&s->boards)) != ERR_OK ||
	    (e = standing_open(&s->standing, store)) != ERR_OK)
		return e;
	if ((e = make_deck(store, &deck)) != ERR_OK)
		return e;
	deck_holder_init(&s->decks, deck);
	return ERR_OK;
}

void
site_close(struct site *s)
{
	if (s->decks.now != NULL)
		deck_holder_release(&s->decks);
	board_cache_close(s->boards);
	standing_close(s->standing);
	totals_close(s->totals);
	debuts_close(s->debuts);
	app_put(s->app);
	s->app = NULL;
	crypt_wipe(&s->form_key, sizeof(s->form_key));
	crypt_wipe(&s->guest_key, sizeof(s->guest_key));
	again_release(&s->again);
	pthread_mutex_destroy(&s->lock);
}

struct app *
site_app(struct site *s)
{
	struct app *a;

	pthread_mutex_lock(&s->lock);
	a = s->app;
	atomic_fetch_add(&a->refs, 1);
	pthread_mutex_unlock(&s->lock);
	return a;
}

enum err
site_swap(struct site *s, struct app *next)
{
	struct deck *deck;
	struct app *old;
	enum err e = make_deck(s->store, &deck);

	if (e != ERR_OK) {
		app_put(next);
		return e;
	}
	pthread_mutex_lock(&s->lock);
	old = s->app;
	s->app = next;
	pthread_mutex_unlock(&s->lock);
	deck_swap(&s->decks, deck);
	standing_reload(s->standing);
	board_cache_clear(s->boards);
	app_put(old);
	return ERR_OK;
}

enum err
site_renew(struct site *s)
{
	struct deck *deck;
	enum err e = make_deck(s->store, &deck);

	if (e == ERR_OK)
		deck_swap(&s->decks, deck);
	return e;
}

/* A language's tag: "fa", "zh-Hant-TW". */
static bool
is_tag(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");

	return n >= 2 && n < LANG_TAG_MAX && name[n] == '\0' && name[0] != '-';
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * English is the templates' own; a folder of theirs that has messages is
 * another language, called by its tag.
 */
static enum err
find_langs(struct app *a)
{
	DIR *dir = opendir(a->conf->templates.p);
	const struct dirent *d;
	size_t n = 0;

	a->langs = pool_array(a->pool, LANGS_MAX + 1, sizeof(*a->langs));
	if (a->langs == NULL) {
		if (dir != NULL)
			(void)closedir(dir);
		return ERR_NOMEM;
	}
	a->langs[n++] = "en";
	while (dir != NULL && n < LANGS_MAX && (d = readdir(dir)) != NULL) {
		struct str file = pool_printf(a->pool, "%s/%s/messages.xhtml",
		    a->conf->templates.p, d->d_name);

		if (is_tag(d->d_name) && strcmp(d->d_name, "en") != 0 &&
		    file.p != NULL && access(file.p, F_OK) == 0)
			a->langs[n++] = pool_strdup(a->pool, d->d_name);
	}
	if (dir != NULL)
		(void)closedir(dir);
	qsort(a->langs + 1, n - 1, sizeof(*a->langs), by_name);
	return pool_failed(a->pool) ? ERR_NOMEM : ERR_OK;
}

static enum err
open_views(struct app *a, struct problems *ps)
{
	struct view_conf vc = { .dir = a->conf->templates.p,
		.langs = a->langs,
		.pages = page_table,
		.frame = &frame_shape,
		.messages = page_messages };

	return view_set_open(&a->views, &vc, ps);
}

static enum err
open_texts(struct app *a, struct problems *ps)
{
	enum err e = ERR_OK;

	if (a->conf->privacy.p != NULL)
		e = owntext_load(a->pool, a->conf->privacy, ps, &a->privacy);
	if (e == ERR_OK && a->conf->accessibility.p != NULL)
		e = owntext_load(
		    a->pool, a->conf->accessibility, ps, &a->accessibility);
	return e;
}

/* A page as it lies on the disk, for the moment when nothing else works. */
static enum err
read_last_resort(struct app *a, struct problems *ps)
{
	enum err e = ERR_OK;
	size_t n = 0;

	while (a->langs[n] != NULL)
		n++;
	a->last_resort = pool_array(a->pool, n, sizeof(*a->last_resort));
	if (a->last_resort == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n && e == ERR_OK; i++)
		e = read_small(a,
		    pool_printf(a->pool, "%s/%s/last-resort.xhtml",
			a->conf->templates.p, i == 0 ? "." : a->langs[i]),
		    ps, &a->last_resort[i]);
	return e;
}

/* The service worker must come from the site's root: no static file. */
static enum err
read_worker(struct app *a, struct problems *ps)
{
	return read_small(a,
	    pool_printf(a->pool, "%s/htdocs/static/sw.js", a->conf->data.p), ps,
	    &a->worker);
}

static enum err
read_small(struct app *a, struct str path, struct problems *ps, struct str *out)
{
	struct textfile t = { .path = path.p,
		.max = SMALL_FILE,
		.named_in = path.p,
		.named_by = "the program" };
	struct text text;
	enum err e = textfile_load(a->pool, &t, ps, &text);

	if (e != ERR_OK)
		return e;
	*out = (struct str){ text.p, text.n };
	return ERR_OK;
}

static enum err
make_deck(struct store *store, struct deck **out)
{
	struct db *db;
	enum err e = store_read_open(store, &db);

	if (e != ERR_OK)
		return e;
	e = deck_open(db, out);
	db_close(db);
	return e;
}

/* The key of cookies and form tokens: its file is made once, for ever. */
static enum err
read_key(const char *path, struct crypt_key *key)
{
	char hex[CRYPT_HEX + 2];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum err e = ERR_CORRUPT;

	if (fd < 0 && errno == ENOENT)
		return make_key(path, key);
	if (fd < 0) {
		log_error("%s cannot be opened: error %d", path, errno);
		return ERR_IO;
	}
	n = read(fd, hex, sizeof(hex));
	close(fd);
	if (n >= CRYPT_HEX)
		e = crypt_key_parse((struct str){ hex, CRYPT_HEX }, key);
	if (e != ERR_OK) {
		log_error("%s holds no key; move it away and a new one is "
			  "made (guests lose their sessions)",
		    path);
		return ERR_CORRUPT;
	}
	return ERR_OK;
}

static enum err
make_key(const char *path, struct crypt_key *key)
{
	char hex[CRYPT_HEX + 1];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good;

	if (fd < 0) {
		log_error("%s cannot be made: error %d", path, errno);
		return ERR_IO;
	}
	crypt_key_new(key);
	crypt_key_hex(key, hex);
	hex[CRYPT_HEX] = '\n';
	good = write(fd, hex, CRYPT_HEX + 1) == CRYPT_HEX + 1 && fsync(fd) == 0;
	close(fd);
	crypt_wipe(hex, sizeof(hex));
	if (!good) {
		log_error("%s cannot be written", path);
		unlink(path);
		return ERR_IO;
	}
	return ERR_OK;
}
