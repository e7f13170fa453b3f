/* Pages that everybody sees, in the states that a test can bring about. */
#include "config.h"

#include "model/simulate.h"
#include "port/xml.h"
#include "tests/page/site.h"

static struct site_test t;

static void
see(const char *uri, const char *words, const char *what)
{
	int line = 0;

	is_int(ask(&t, "GET", uri, NULL), 200, "%s: %s", what, uri);
	ok(body_has(&t, words), "%s: \"%s\"", what, words);
	ok(!body_has(&t, "NaN") && !body_has(&t, ">null") &&
		!body_has(&t, "-9223372036854775808"),
	    "%s: nothing unknown is shown as a number", what);
	if (str_starts(header(&t, "Content-Type"), "application/xhtml"))
		is_int(xml_well_formed(buf_as_str(&t.out), &line), ERR_OK,
		    "%s: well-formed", what);
}

static void
test_empty(void)
{
	see("/", "No vote has been cast yet", "an empty arena");
	see("/leaderboard", "No vote has been counted here yet",
	    "an empty board");
	see("/leaderboard", "no match yet", "a prompt without a match");
	see("/leaderboard?type=creative&tag=academic&sort=-elo", "Provisional",
	    "a board by type, tag and order");
	see("/methodology", "1520.48", "the worked example");
	see("/methodology", "1579.52", "both sides of it");
	see("/privacy", "What is stored", "our own privacy text");
	see("/accessibility", "Guidelines 2.2", "our accessibility text");
	see("/prompt/socratic", "No match yet", "a card");
	see("/preferences", "we do not know you yet", "preferences of nobody");
	see("/arena", "Those my browser asks for", "the arena's form");
	ok(!body_has(&t, "name=\"csrf\""), "a visitor's page has no token");
	is_int(ask(&t, "GET", "/prompt/nobody", NULL), 404, "no such prompt");
	is_int(ask(&t, "GET", "/votes", NULL), 200, "votes of nobody");
}

/* P16, and all the rest of the form. */
static void
test_preferences(void)
{
	static const struct {
		const char *form;
		int status;
	} cases[] = { { "quiet_from=22:00", 400 }, { "quiet_to=07:00", 400 },
		{ "quiet_from=22:00&quiet_to=22:00", 400 },
		{ "quiet_from=25:00&quiet_to=07:00", 400 }, { "lang=xx", 400 },
		{ "sound=on", 400 }, { "sound=1&sound=1", 400 },
		{ "quiet_from=22:00&quiet_to=7:05&forum=1", 303 },
		{ "quiet_from=%DB%B2%DB%B2%3A%DB%B0%DB%B0&quiet_to=07:05",
		    303 },
		{ "ta_desktop=1&forum=1&sound=1", 303 } };
	char tok[128], form[300];

	ask(&t, "POST", "/arena", "type=any");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ask(&t, "GET", "/preferences", NULL);
		snprintf(form, sizeof(form), "%s&csrf=%s", cases[i].form,
		    token(&t, tok));
		is_int(ask(&t, "POST", "/preferences", form), cases[i].status,
		    "preferences %s", cases[i].form);
	}
	is_str(header(&t, "Location"), "/preferences?saved=1", "and back");
	see("/preferences?saved=1", "Your preferences are saved.", "saved");
	ok(body_has(&t, "id=\"ta_desktop\" checked=\"checked\"") &&
		body_has(&t, "id=\"forum\" checked=\"checked\"") &&
		body_has(&t, "id=\"sound\" checked=\"checked\""),
	    "all three are on");
	snprintf(form, sizeof(form), "csrf=%s", token(&t, tok));
	is_int(ask(&t, "POST", "/preferences", form), 303, "no box at all");
	see("/preferences",
	    "Show a desktop notification when the AI TA finishes replying",
	    "the first label");
	see("/preferences",
	    "Notify me when classmates post messages in the forum",
	    "the second label");
	see("/preferences",
	    "Play an alert sound whenever there is a new notification",
	    "the third label");
	ok(!body_has(&t, "checked=\"checked\""), "an absent box means off");
	ok(!body_has(&t, "value=\"22:00\""), "and quiet hours are gone");
}

static void
test_full(void)
{
	struct simulate_conf how = {
		.votes = 700, .seed = 3, .now = 1796000000
	};
	struct deck *deck = deck_get(&t.site.decks);
	struct app *app = site_app(&t.site);
	int64_t done = 0;

	is_int(simulate(t.store, app->conf, deck, &how, &done), ERR_OK,
	    "simulated votes");
	app_put(app);
	deck_put(deck);
	see("/leaderboard", "cannot be told apart at the top",
	    "a board with ranks");
	ok(body_has(&t, "<td class=\"num rank\">"), "an official table");
	see("/leaderboard?type=coding", "Provisional", "a board of one type");
	see("/leaderboard?sort=matches", "aria-sort=\"descending\"",
	    "by matches");
	see("/leaderboard?tag=concise&sort=-elo", "aria-sort=\"ascending\"",
	    "upside down");
	see("/prompt/socratic", "Version <span>2</span>", "a family");
	see("/methodology", "do not cite them",
	    "simulated votes are no result");
	see("/", "Simulated votes", "every page says it");
	see("/leaderboard.csv", "official,", "the table as CSV");
	see("/leaderboard.json", "\"rank_from\":1", "the data as JSON");
	see("/ledger.jsonl", "\"k\":\"vote\"", "the votes");
	ok(!body_has(&t, "\"u\":") && !body_has(&t, "\"t\":"),
	    "without people and times");
	is_int(ask(&t, "GET", "/nowhere", NULL), 404, "an error page");
	ok(body_has(&t, "Simulated votes"), "says it as well");
}

/* A conversation with the ledger goes on piece by piece. */
static void
test_stream(void)
{
	size_t lines = 0, pieces = 1;
	int64_t at;

	ask(&t, "GET", "/ledger.jsonl", NULL);
	for (size_t i = 0; i < t.out.n; i++)
		lines += t.out.p[i] == '\n';
	at = t.rq.resp.at;
	while (t.rq.resp.more != NULL && at != 0) {
		buf_clear(&t.out);
		if (t.rq.resp.more(&t.rq, &t.out, &at) != ERR_OK)
			break;
		pieces++;
		for (size_t i = 0; i < t.out.n; i++)
			lines += t.out.p[i] == '\n';
	}
	is_int(lines, store_durable_seq(t.store), "all lines, in %zu pieces",
	    pieces);
}

int
main(void)
{
	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return done_testing();
	}
	test_empty();
	t.cookie[0] = '\0';
	test_full();
	test_stream();
	test_preferences();
	site_test_stop(&t);
	return done_testing();
}
