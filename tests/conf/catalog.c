/* This file knows how to test that a good catalog is read as it says. */
#include "config.h"

#include "base/clock.h"
#include "tests/tap.h"

#include "tests/conf/good.h"

static struct problems ps;
static struct conf *conf;
static struct catalog *c;

static void
load(const char *about)
{
	enum err e = good_load(good_path("arena.xml"), &ps, &conf, &c);

	if (!ok(e == ERR_OK && ps.count == 0, "%s", about))
		for (const struct problem *p = ps.first; p != NULL; p = p->next)
			diag("  %s:%d: %s", p->file.p, p->line, p->what.p);
	if (e != ERR_OK)
		good_die("the sample does not load");
}

static void
unload(void)
{
	catalog_close(c);
	conf_close(conf);
	pool_close(ps.pool);
}

static void
test_prompts(void)
{
	const struct catalog_prompt *p = c->prompts;

	is_int(c->prompts_n, 3, "prompts");
	is_str(p[0].id, "short", "in the order of the file");
	is_str(p[0].author, "ada", "author");
	is_str(p[0].title, "Short answers", "title");
	is_int(p[0].tags_n, 2, "tags");
	is_str(p[0].tags[1], "beginner_friendly", "a tag");
	is_int(p[0].versions_n, 2, "versions");
	is_int(p[0].versions[1].number, 2, "versions are counted");
	is_str(p[0].versions[0].text,
	    "Answer in three sentences.\nUse everyday words.",
	    "a text from its file, without the last line end");
	/* printf 'prompt-version/1\n\nAnswer in three sentences.\n'\
	 * 'Use everyday words.' | sha256sum */
	is_str((const char *)p[0].versions[0].digest,
	    "600f87b5f4ee6357a16dccbcdeeda02662b8fd7f9350ff07445ce080cb769e29",
	    "version digest");
	is_str(p[1].description, "Says it with examples.",
	    "a description on two lines");
	is_str(p[1].versions[0].text,
	    "Explain at length:\n  - first the idea,\n  - then an example.\n"
	    "\nEnd with a question.",
	    "an inline text without the indentation of the XML");
	ok(!p[0].retired && p[2].retired, "retired");
	is_int(p[2].tags_n, 0, "tags may be left out");
}

static void
test_questions(void)
{
	const struct catalog_question *q = c->questions;

	is_int(c->questions_n, 3, "questions");
	is_str(q[0].type, "knowledge", "type");
	is_str(q[0].text, "Why is the sky blue?", "text");
	is_str(q[0].reference, "Short waves are scattered more.", "reference");
	is_int(q[0].checks_n, 3, "checks");
	is_str(q[0].checks[1].kind, "regex", "kind");
	is_str(q[0].checks[1].value, "(sun|day)light", "value");
	is_real(q[0].checks[2].tolerance, 0.5, 0, "tolerance");
	is_str(q[1].lang, "zh-Hant", "lang");
	is_str(q[1].text,
	    "Why does this never end?\n\n    while (i < 10)\n"
	    "        print(i);",
	    "a text with code from its file");
	ok(q[1].reference.p == NULL, "reference left out");
	ok(!q[0].retired && q[2].retired, "retired");
}

static void
test_answers(void)
{
	const struct catalog_answer *a = c->answers;

	is_int(c->answers_n, 3, "answers");
	is_str(a[0].prompt, "short", "prompt");
	is_int(a[0].version, 1, "version");
	is_str(a[0].question, "sky", "question");
	is_str(a[0].setup, "sample", "setup");
	is_int(a[0].sample, 1, "sample 1 by default");
	is_int(a[2].sample, 2, "sample");
	is_str(a[1].text, "Light scatters.", "inline answer");
	ok(a[0].text.n > 40, "answer from its file");
}

static void
test_activities(void)
{
	const struct catalog_activity *a = c->activities;

	is_int(c->activities_n, 2, "activities");
	is_int(a[0].opens, 0, "always open");
	is_int(a[0].closes, 0, "never closes");
	is_int(a[0].prompts_n, 0, "everything");
	is_str(a[0].results, "always", "results by default");
	ok(a[0].group.p == NULL, "everybody");
	/* date -d '2027-01-15T18:00+08:00' +%s */
	is_int(a[1].closes, 1800007200, "a moment with its offset");
	/* date -d '2026-09-01T00:00+08:00' +%s */
	is_int(a[1].opens, 1788192000, "a day begins on campus");
	is_str(a[1].group, "cs101", "group");
	is_str(a[1].results, "closed", "results");
	is_int(a[1].prompts_n, 2, "prompts of an activity");
	is_str(a[1].prompts[1], "long", "by id");
	is_int(a[1].questions_n, 1, "questions of an activity");
}

/* Rewrite a file of the copy: a mark in front, CR LF for LF. */
static void
as_windows(const char *name, bool mark)
{
	static char out[65536];
	size_t n, k = 0;
	const char *bytes = good_read(good_path(name), &n);

	if (mark) {
		memcpy(out, "\xef\xbb\xbf", 3);
		k = 3;
	}
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			out[k++] = '\r';
		out[k++] = bytes[i];
	}
	good_write(name, out, k, 0644);
}

static void
test_other_editors(void)
{
	char digest[65], inlined[65];

	memcpy(digest, c->prompts[0].versions[0].digest, 65);
	memcpy(inlined, c->prompts[1].versions[0].digest, 65);
	unload();
	for (size_t i = 0; good_files[i] != NULL; i++)
		as_windows(good_files[i], false);
	load("files with CR LF");
	is_str((const char *)c->prompts[0].versions[0].digest,
	    (const char *)digest, "... are the same prompt");
	is_str((const char *)c->prompts[1].versions[0].digest,
	    (const char *)inlined, "... also inline");
	unload();
	good_remove();
	good_make();
	for (size_t i = 0; good_files[i] != NULL; i++)
		as_windows(good_files[i], true);
	load("files with a byte order mark");
	is_str((const char *)c->prompts[0].versions[0].digest,
	    (const char *)digest, "... are the same prompt");
}

/* CDATA and comments in a text are XML's business, not the author's. */
static void
test_xml_ways(void)
{
	static const char xml[] =
	    "<questions xmlns=\"urn:prompt-arena:catalog:1\">"
	    "<?editor x?><question id=\"sky\" type=\" coding \" lang=\"en\">"
	    "<text><![CDATA[if (a < b && c)]]><!-- aside --> ?</text>"
	    "</question></questions>";

	unload();
	good_write("questions.xml", xml, sizeof(xml) - 1, 0644);
	load("CDATA, comments and instructions");
	is_str(c->questions[0].text, "if (a < b && c) ?", "... make one text");
	is_str(c->questions[0].type, "coding", "... and blanks do not count");
}

int
main(void)
{
	xml_init();
	if (clock_zone_set("Asia/Taipei") != ERR_OK)
		skip_all("the package tzdata is missing");
	good_make();
	load("the sample is without fault");
	test_prompts();
	test_questions();
	test_answers();
	test_activities();
	test_other_editors();
	test_xml_ways();
	unload();
	good_remove();
	xml_shutdown();
	return done_testing();
}
