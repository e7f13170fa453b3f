/*
 * This file knows how to load all pages in all languages, and how to render
 * one of them.
 */
#include "config.h"

#include "view/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "view/compile.h"
#include "view/lang.h"
#include "view/messages.h"
#include "view/write.h"

#define PROGRAMS_BYTES_MAX (64 * 1024 * 1024)
#define TREES_BYTES_MAX (64 * 1024 * 1024)

struct view_set {
	struct pool *pool;
	const char **langs;
	size_t langs_n;
	const struct view_page *pages;
	size_t pages_n;
	struct program *programs;  /* [lang * pages_n + page] */
	struct messages *messages; /* [lang] */
	bool check;                /* read every finished page again (tests) */
};

static enum err load_lang(struct view_set *set, const struct view_conf *conf,
    size_t lang, struct problems *ps);
static enum err check_page(const struct view_call *call, struct str page);

static enum err
set_init(struct view_set *set, const struct view_conf *conf)
{
	set->pool = pool_open(PROGRAMS_BYTES_MAX);
	if (set->pool == NULL)
		return ERR_NOMEM;
	while (conf->langs[set->langs_n] != NULL)
		set->langs_n++;
	while (conf->pages[set->pages_n].file != NULL)
		set->pages_n++;
	assert(set->langs_n > 0);
	set->pages = conf->pages;
	set->langs = pool_array(set->pool, set->langs_n, sizeof(*set->langs));
	set->messages =
	    pool_array(set->pool, set->langs_n, sizeof(*set->messages));
	set->programs = pool_array(
	    set->pool, set->langs_n * set->pages_n + 1, sizeof(*set->programs));
	if (pool_failed(set->pool))
		return ERR_NOMEM;
	for (size_t i = 0; i < set->langs_n; i++)
		set->langs[i] = pool_strdup(set->pool, conf->langs[i]);
	set->check = getenv("PROMPT_ARENA_CHECK_PAGES") != NULL;
	return ERR_OK;
}

enum err
view_set_open(
    struct view_set **out, const struct view_conf *conf, struct problems *ps)
{
	struct view_set *set = calloc(1, sizeof(*set));
	size_t before = ps->count;
	enum err e;

	if (set == NULL)
		return ERR_NOMEM;
	e = set_init(set, conf);
	for (size_t i = 0; i < set->langs_n && e == ERR_OK; i++)
		e = load_lang(set, conf, i, ps);
	if (e == ERR_OK && ps->count > before)
		e = ERR_SYNTAX;
	if (e != ERR_OK) {
		view_set_close(set);
		return e;
	}
	*out = set;
	return ERR_OK;
}

void
view_set_close(struct view_set *set)
{
	if (set == NULL)
		return;
	pool_close(set->pool);
	free(set);
}

/* Faults are reported and loading goes on, so that all of them are told. */
static enum err
load_lang(struct view_set *set, const struct view_conf *conf, size_t lang,
    struct problems *ps)
{
	struct library lib = { .pool = set->pool,
		.ps = ps,
		.lang = set->langs[lang],
		.frame = conf->frame,
		.dir = conf->dir };
	enum err e = ERR_NOMEM;

	lib.trees = pool_open(TREES_BYTES_MAX);
	if (lib.trees == NULL)
		return ERR_NOMEM;
	if (lang > 0)
		lib.dir =
		    pool_printf(lib.trees, "%s/%s", conf->dir, set->langs[lang])
			.p;
	if (lib.dir == NULL)
		goto out;
	e = messages_load(&lib, conf->messages, &set->messages[lang]);
	for (size_t i = 0; i < set->pages_n; i++) {
		if (e != ERR_OK && e != ERR_SYNTAX)
			goto out;
		e = compile_page(&lib, conf->pages[i].file,
		    conf->pages[i].shape,
		    &set->programs[lang * set->pages_n + i]);
	}
	if (e == ERR_SYNTAX)
		e = ERR_OK; /* the problems say it */
	if (pool_failed(lib.trees) || pool_failed(set->pool))
		e = ERR_NOMEM;
out:
	pool_close(lib.trees);
	return e;
}

int
view_lang_pick(const struct view_set *set, struct str accept_language)
{
	return lang_pick(set->langs, set->langs_n, accept_language);
}

const char *
view_lang_name(const struct view_set *set, int lang)
{
	assert(lang >= 0 && (size_t)lang < set->langs_n);
	return set->langs[lang];
}

enum err
view_render(
    const struct view_set *set, const struct view_call *call, struct buf *out)
{
	struct writing w = { .out = out,
		.base = call->base,
		.frame = call->frame,
		.err = ERR_OK };
	size_t page = (size_t)(call->page - set->pages), from = out->n;

	assert(call->page >= set->pages && page < set->pages_n);
	assert(call->lang >= 0 && (size_t)call->lang < set->langs_n);
	w.messages = &set->messages[call->lang];
	w.lang = set->langs[call->lang];
	w.persian = lang_persian(w.lang);
	write_program(&w,
	    &set->programs[(size_t)call->lang * set->pages_n + page],
	    call->row);
	if (w.err != ERR_OK)
		return w.err;
	if (out->failed)
		return ERR_TOOBIG;
	if (set->check)
		return check_page(
		    call, (struct str){ out->p + from, out->n - from });
	return ERR_OK;
}

static enum err
check_page(const struct view_call *call, struct str page)
{
	int line = 0;

	if (xml_well_formed(page, &line) == ERR_OK)
		return ERR_OK;
	log_error("the page %s is not well-formed in line %d", call->page->file,
	    line);
	return ERR_INTERNAL;
}
