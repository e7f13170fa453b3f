/*
 * This file knows how to throw bytes at the loader of configuration and
 * catalog (libFuzzer).  The first byte says which file of the good sample the
 * rest replaces; tests/conf/fuzz.sh makes the seeds from the sample.
 *
 * What must hold for any bytes: the loader ends; it either succeeds or names
 * at least one fault; every sentence is clean text with a file; what it hands
 * out keeps its promises (texts are clean and end with NUL).
 */
#include "config.h"

#include <assert.h>
#include <stdint.h>

#include "base/text.h"
#include "tests/conf/good.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char *const targets[] = { "arena.xml", "prompts.xml",
	"questions.xml", "answers.xml", "activities.xml", "texts/short-1.txt" };
#define TARGETS_N (sizeof(targets) / sizeof(targets[0]))

static char kept[TARGETS_N][8192];
static size_t kept_n[TARGETS_N];

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	xml_init();
	good_make();
	for (size_t i = 0; i < TARGETS_N; i++) {
		const char *bytes =
		    good_read(good_path(targets[i]), &kept_n[i]);

		assert(kept_n[i] < sizeof(kept[i]));
		memcpy(kept[i], bytes, kept_n[i]);
	}
	atexit(good_remove);
	return 0;
}

static void
check_text(struct text t)
{
	if (t.p == NULL)
		return;
	assert(t.p[t.n] == '\0');
	assert(text_is_clean((struct str){ t.p, t.n }));
}

static void
check_catalog(const struct catalog *c)
{
	for (size_t i = 0; i < c->prompts_n; i++) {
		const struct catalog_prompt *p = &c->prompts[i];

		check_text(p->title);
		assert(p->id.n > 0 && p->versions_n > 0);
		for (size_t k = 0; k < p->versions_n; k++) {
			check_text(p->versions[k].text);
			assert(!text_is_blank(p->versions[k].text));
			assert(strlen(p->versions[k].digest) == 64);
		}
	}
	for (size_t i = 0; i < c->questions_n; i++)
		check_text(c->questions[i].text);
	for (size_t i = 0; i < c->answers_n; i++)
		check_text(c->answers[i].text);
	for (size_t i = 0; i < c->activities_n; i++)
		assert(c->activities[i].closes == 0 ||
		       c->activities[i].closes > c->activities[i].opens);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct problems ps;
	struct conf *conf;
	struct catalog *catalog;
	size_t which;
	enum err e;

	if (size < 1)
		return 0;
	which = data[0] % TARGETS_N;
	good_write(targets[which], data + 1, size - 1, 0644);
	e = good_load(good_path("arena.xml"), &ps, &conf, &catalog);
	assert((e == ERR_OK) == (ps.count == 0));
	for (const struct problem *p = ps.first; p != NULL; p = p->next) {
		assert(p->file.n > 0 && p->what.n > 0 && p->line >= 0);
		assert(text_is_clean(p->what));
	}
	if (conf != NULL)
		check_text(conf->name);
	if (catalog != NULL)
		check_catalog(catalog);
	catalog_close(catalog);
	conf_close(conf);
	pool_close(ps.pool);
	good_write(targets[which], kept[which], kept_n[which], 0644);
	return 0;
}
