/* This file knows how to try what edits of the catalog do to the tables. */
#include "config.h"

#include "tests/model/town.h"

static struct town t;

static void
unchanged(void)
{
	struct conf_parameter two[] = { { TEXT("max_tokens"), TEXT("800") },
		{ TEXT("temperature"), TEXT("0.2") } };
	char digest[65], by_hand[65];

	town_open(&t);
	town_catalog(&t, 3, 4, 2);
	ok(town_sync(&t) > 30, "the first time everything is written");
	is_int(town_sync(&t), 0, "the second time nothing is");
	is_int(
	    town_number(&t, "SELECT count(*) FROM answer WHERE state = 'ok'"
			    " AND html <> '' AND renderer >= 1 AND words > 0"),
	    24, "answers are rendered and measured");
	t.setups[0].parameters = two;
	t.setups[0].parameters_n = 2;
	setup_digest(&t.setups[0], digest);
	crypt_sha256_hex(STR("setup/1\nmodel=model-one\nmax_tokens=800\n"
			     "temperature=0.2\n"),
	    by_hand);
	is_str(digest, by_hand, "the setup digest is as documented");
	town_sync(&t);
	is_int(town_number(&t, "SELECT count(*) FROM setup WHERE active = 1"),
	    1, "a changed setup is a new one");
	is_int(town_number(&t, "SELECT count(*) FROM setup"), 2,
	    "the old one is kept");
	town_close(&t);
}

static void
versions(void)
{
	char digest[65];

	town_open(&t);
	town_catalog(&t, 3, 4, 1);
	town_sync(&t);
	memcpy(digest, t.versions[1][0].digest, 65);
	town_version(&t, 1, 0, "Edited in place");
	town_sync(&t);
	is_int(
	    town_number(&t, "SELECT sum(v.number * 10 + v.retired)"
			    " FROM version v JOIN prompt p ON p.id = v.prompt"
			    " WHERE p.slug = 'p1'"),
	    30, "an edited text is version 2, the old one stays in play");
	is_int(town_sync(&t), 0, "and stays so at the next reload");
	is_int(town_number(&t, "SELECT count(*) FROM answer a JOIN version v"
			       " ON v.id = a.version WHERE v.number = 1"),
	    12, "answers stay with the version that made them");
	is_int((intmax_t)t.deck->versions_n, 4, "both are in the deck");

	town_version(&t, 1, 0, "Prompt text 1");
	is_str(t.versions[1][0].digest, digest, "(the old text again)");
	town_sync(&t);
	is_int(town_number(&t,
		   "SELECT v.retired FROM version v JOIN prompt p"
		   " ON p.id = v.prompt WHERE p.slug = 'p1' AND v.number = 1"),
	    0, "an old text put back is the old version");

	t.prompts[1].versions_n = 2;
	town_version(&t, 1, 1, "A second");
	town_sync(&t);
	t.prompts[1].versions_n = 1;
	town_sync(&t);
	is_int(town_number(&t, "SELECT retired FROM version"
			       " WHERE text = 'A second'"),
	    1, "a version taken out of the file is retired");
	t.prompts[1].versions_n = 2;
	town_sync(&t);
	is_int(town_number(&t, "SELECT retired FROM version"
			       " WHERE text = 'A second'"),
	    0, "and comes back with it");
	town_close(&t);
}

static void
prompts(void)
{
	town_open(&t);
	town_catalog(&t, 3, 4, 1);
	town_sync(&t);
	t.prompts[0].title = TEXT("New title");
	t.prompts[0].tags = &t.tags[1];
	is_int(town_sync(&t), 3, "a title and a tag: three rows written");
	is_int(town_number(&t, "SELECT count(*) FROM prompt p JOIN prompt_tag x"
			       " ON x.prompt = p.id WHERE p.title = 'New title'"
			       " AND x.tag = 'detailed'"),
	    1, "they are there");

	t.prompts[2].id = TEXT("renamed");
	for (size_t i = 0; i < t.catalog.answers_n; i++) {
		if (str_is((struct str){ t.answers[i].prompt.p,
			       t.answers[i].prompt.n },
			"p2"))
			t.answers[i].prompt = TEXT("renamed");
	}
	town_sync(&t);
	is_int(town_number(&t, "SELECT retired FROM prompt"
			       " WHERE slug = 'p2'"),
	    1, "a prompt that vanished is retired");
	is_int(town_number(&t, "SELECT count(*) FROM version v JOIN prompt p"
			       " ON p.id = v.prompt WHERE p.slug = 'renamed'"
			       " AND v.digest IN (SELECT digest FROM version)"),
	    1, "a renamed one takes its text along");
	is_int(town_number(&t, "SELECT count(*) FROM version"), 3,
	    "no text exists twice");
	is_int(town_sync(&t), 0, "nothing more to do");
	is_int((intmax_t)t.deck->prompts_n, 3, "three prompts in play");
	t.catalog.prompts_n = 2;
	t.catalog.answers_n = 8;
	town_sync(&t);
	is_int((intmax_t)t.deck->versions_n, 2, "two when one is removed");
	is_int(town_number(&t, "SELECT count(*) FROM version"), 3,
	    "nothing is deleted");
	town_close(&t);
}

static void
answers(void)
{
	const char *token;
	int64_t shown;

	town_open(&t);
	town_catalog(&t, 2, 1, 1);
	town_sync(&t);
	t.answers[0].text = TEXT("Corrected before anybody saw it");
	is_int(town_sync(&t), 1, "an answer nobody saw is corrected in place");
	is_int(town_number(&t, "SELECT count(*) FROM answer"), 2, "no new row");

	must(town_match(&t, town_guest(&t), &token), "match");
	shown = town_number(&t, "SELECT id FROM answer WHERE text LIKE"
				" 'Corrected%'");
	t.answers[0].text = TEXT("Changed after it was shown");
	town_sync(&t);
	is_int(town_number(&t, "SELECT count(*) FROM answer WHERE retired = 1"
			       " AND text LIKE 'Corrected%'"),
	    1, "a shown answer stays as it was");
	is_int(town_number(&t, "SELECT sample FROM answer WHERE retired = 0"
			       " AND text LIKE 'Changed%'"),
	    2, "the new text is a new sample");
	is_int(town_sync(&t), 0, "once");
	ok(!t.deck->answers[deck_answer_find(t.deck, shown)].usable,
	    "the old one is not drawn any more");
	t.catalog.answers_n = 0;
	town_sync(&t);
	is_int(town_number(&t, "SELECT count(*) FROM answer"
			       " WHERE retired = 0"),
	    0, "answers that vanished are retired");
	t.catalog.answers_n = 2;
	t.questions[0].text = TEXT("Why *not*?");
	town_sync(&t);
	is_int(town_number(&t, "SELECT count(*) FROM question WHERE text ="
			       " 'Why *not*?' AND html LIKE '%not%'"),
	    1, "an edited question is rendered again");
	town_script(&t, "UPDATE answer SET renderer = 0, html = 'old';"
			"UPDATE question SET renderer = 0, html = 'old';"
			"DELETE FROM meta WHERE key = 'renderer'");
	town_sync(&t);
	is_int(town_number(&t, "SELECT (SELECT count(*) FROM answer WHERE"
			       " html = 'old') + (SELECT count(*) FROM question"
			       " WHERE html = 'old')"),
	    0, "a new renderer renders all again");
	town_close(&t);
}

static void
activities(void)
{
	const struct activity *list;
	struct activity a;
	size_t n;

	town_open(&t);
	town_catalog(&t, 2, 2, 1);
	t.catalog.activities_n = 0;
	town_sync(&t);
	must(activity_list(t.db, t.pool, &list, &n), "activities");
	ok(n == 1 && activity_phase(&list[0], clock_now()) == ACTIVITY_OPEN,
	    "without any in the files there is one for all");
	is_str(list[0].title, "Town", "with the site's name");
	is_int(town_sync(&t), 0, "made once");
	t.catalog.activities_n = 1;
	t.activities[0].closes = 1000;
	t.activities[0].results = TEXT("closed");
	town_sync(&t);
	must(activity_find(t.db, t.pool, TEXT("everyone"), &a), "activity");
	ok(!activity_shows_results(&a, 999, false) &&
		activity_shows_results(&a, 999, true) &&
		activity_shows_results(&a, 1000, false),
	    "results are for staff until it closes");
	is_int(activity_find(t.db, t.pool, TEXT("nosuch"), &a), ERR_NOTFOUND,
	    "there is no such activity");
	town_close(&t);
}

/* A reload swaps the deck under a request that still uses the old one. */
static void
holder(void)
{
	struct deck_holder h;
	struct deck *mine, *next;

	town_open(&t);
	town_catalog(&t, 2, 2, 1);
	town_sync(&t);
	must(deck_open(t.db, &mine), "deck");
	deck_holder_init(&h, mine);
	mine = deck_get(&h);
	must(deck_open(t.db, &next), "deck");
	deck_swap(&h, next);
	is_int((intmax_t)mine->versions_n, 2, "the old deck serves on");
	deck_put(mine);
	next = deck_get(&h);
	ok(next != NULL && next->questions_n == 2, "new requests get the new");
	deck_put(next);
	deck_holder_release(&h);
	town_close(&t);
}

int
main(void)
{
	unchanged();
	versions();
	prompts();
	answers();
	activities();
	holder();
	return done_testing();
}
