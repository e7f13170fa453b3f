/*
 * The match as its voter meets it: blind before the vote, one vote whatever
 * the hurry, and a page of its own for every state.
 */
#include "config.h"

#include "port/xml.h"
#include "tests/page/site.h"

static struct site_test t;
static char match_url[128], result_url[128];

/* Statements that no page runs: they put the arena into a state. */
static enum err
change_fn(struct store_tx *tx, void *sql)
{
	return db_script(tx->db, sql);
}

static void
change(const char *sql)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%s", sql);
	if (store_write(t.store, change_fn, copy) != ERR_OK)
		ok(false, "the arena is changed: %s", sql);
}

static void
well_formed(const char *what)
{
	int line = 0;

	is_int(xml_well_formed(buf_as_str(&t.out), &line), ERR_OK,
	    "%s: well-formed", what);
}

/* A form posted by the one who is here. */
static int
post(const char *uri, const char *fields)
{
	char tok[128], form[512], kept[128];

	snprintf(kept, sizeof(kept), "%s", uri);
	ask(&t, "GET", "/preferences", NULL);
	snprintf(form, sizeof(form), "%s&csrf=%s", fields, token(&t, tok));
	return ask(&t, "POST", kept, form);
}

static void
new_match(void)
{
	struct str where;

	post("/arena", "type=any");
	where = header(&t, "Location");
	snprintf(match_url, sizeof(match_url), "%.*s", (int)where.n, where.p);
	snprintf(result_url, sizeof(result_url), "%.*s/result", (int)where.n,
	    where.p);
}

/* The page's bytes with the form token taken out; caller frees. */
static char *
page_bytes(void)
{
	char tok[128], *copy, *at;

	is_int(ask(&t, "GET", match_url, NULL), 200, "the blind page");
	token(&t, tok);
	copy = strndup(t.out.p, t.out.n);
	at = strstr(copy, tok);
	if (tok[0] != '\0' && at != NULL)
		memset(at, 'x', strlen(tok));
	return copy;
}

/* From just behind mark to just before the next end. */
static struct str
between(const char *page, const char *mark, const char *end)
{
	const char *from = strstr(page, mark);
	const char *to;

	if (from == NULL || (to = strstr(from, end)) == NULL)
		return (struct str){ NULL, 0 };
	return (struct str){ from, (size_t)(to - from) };
}

/* The two pages of a pair shown one way and the other (threats 48). */
static void
test_swap(void)
{
	char *one, *two, *rest;
	struct str a1, b1, a2, b2;
	size_t frame;

	new_match();
	one = page_bytes();
	change("UPDATE match SET answer_a = answer_b, answer_b = answer_a "
	       "WHERE state = 'open'");
	two = page_bytes();
	a1 = between(one, "id=\"a-h\">Answer A</h2>", "</article>");
	b1 = between(one, "id=\"b-h\">Answer B</h2>", "</article>");
	a2 = between(two, "id=\"a-h\">Answer A</h2>", "</article>");
	b2 = between(two, "id=\"b-h\">Answer B</h2>", "</article>");
	ok(a1.n > 100 && b1.n > 100, "there are two texts");
	frame = strlen("id=\"a-h\">Answer A</h2>");
	is_str(((struct str){ a1.p + frame, a1.n - frame }),
	    ((struct str){ b2.p + frame, b2.n - frame }), "A went to B");
	is_str(((struct str){ b1.p + frame, b1.n - frame }),
	    ((struct str){ a2.p + frame, a2.n - frame }), "and B to A");
	is_int(strlen(one), strlen(two), "the pages are as long");
	is_str(((struct str){ one, (size_t)(a1.p - one) }),
	    ((struct str){ two, (size_t)(a2.p - two) }),
	    "the same bytes stand before them");
	rest = strstr(b1.p, "</article>");
	is_str((const char *)rest, (const char *)strstr(b2.p, "</article>"),
	    "and behind them");
	free(one);
	free(two);
}

static void
test_states(void)
{
	new_match();
	change("UPDATE answer SET state = 'waiting' WHERE id = (SELECT "
	       "answer_b FROM match WHERE state = 'open')");
	is_int(ask(&t, "GET", match_url, NULL), 200, "one side is missing");
	well_formed("waiting");
	is_str(header(&t, "Refresh"), "5", "the page looks again");
	ok(body_has(&t, "<progress"), "and shows that something goes on");
	ok(!body_has(&t, "Answer A"), "both or nothing");
	is_int(post(match_url, "do=vote&choice=a"), 200,
	    "a vote on it is no vote");
	change("UPDATE answer SET state = 'failed' WHERE state = 'waiting'");
	is_int(ask(&t, "GET", match_url, NULL), 410, "a side that failed");
	well_formed("failed");
	ok(body_has(&t, "We are sorry"), "is apologised for");
	change("UPDATE answer SET state = 'ok' WHERE state = 'failed'");
	is_int(ask(&t, "GET", match_url, NULL), 200, "once it is there");
	change("UPDATE match SET ends_at = 5 WHERE state = 'open'");
	is_int(ask(&t, "GET", match_url, NULL), 410, "a match past its end");
	ok(body_has(&t, "open for too long"), "says so");
	is_int(post(match_url, "do=vote&choice=a"), 410, "and takes no vote");
	well_formed("expired");
	is_int(ask(&t, "GET", result_url, NULL), 403, "nor tells names");
	change("UPDATE match SET ends_at = ends_at + 9000000000 "
	       "WHERE state = 'open'");
}

/* What the site has stored of a person who chose. */
static int64_t
votes_stored(void)
{
	int64_t n = -1;

	if (db_scalar(db_stmt(t.db, "SELECT count(*) FROM vote"), &n) != ERR_OK)
		ok(false, "votes are counted");
	return n;
}

static void
test_closed(void)
{
	int64_t before;

	new_match();
	before = votes_stored();
	change("UPDATE activity SET closes = 5 WHERE id = (SELECT activity "
	       "FROM match WHERE state = 'open')");
	is_int(post(match_url, "do=vote&choice=a"), 410,
	    "a vote after the activity has closed");
	well_formed("closed");
	ok(body_has(&t, "The activity of this match has closed"), "says why");
	ok(!body_has(&t, "open for too long"), "and no other reason");
	is_int(votes_stored(), before, "nothing is stored");
	is_int(post(match_url, "do=skip"), 410, "it is not skipped either");
	is_int(ask(&t, "GET", match_url, NULL), 410, "nor shown");
	is_int(ask(&t, "GET", result_url, NULL), 403, "nor told");
	change("UPDATE activity SET closes = NULL");
	is_int(ask(&t, "GET", match_url, NULL), 200, "open again, it goes on");
}

static void
test_faults(void)
{
	new_match();
	is_int(post(match_url, "do=vote&reason=clear&recognised=1"), 400,
	    "no choice");
	well_formed("no choice");
	ok(body_has(&t, "<title>Error: "), "the title says it first");
	ok(body_has(&t, "href=\"#choice-a\""), "the summary leads there");
	ok(body_has(&t, "id=\"r-clear\" checked=\"checked\""),
	    "what was ticked is kept");
	ok(body_has(&t, "<details class=\"more\" open=\"open\""),
	    "where it can be seen");
	is_int(post(match_url, "do=vote&choice=A"), 400, "A is not a");
	is_int(post(match_url, "do=vote&choice="), 400, "nothing is no choice");
	is_int(post(match_url, "choice=a"), 400, "no verb");
	is_int(post(match_url, "do=dance&choice=a"), 400, "another verb");
	ok(body_has(&t, "value=\"a\" checked=\"checked\""),
	    "the choice is kept");
	is_int(post(match_url, "do=vote&choice=a&choice=a"), 400,
	    "the same choice twice");
	is_int(post(match_url, "do=vote&choice=a&reason=because"), 400,
	    "a reason of one's own");
	is_int(post(match_url, "do=vote&choice=a&recognised=yes"), 400,
	    "yes is no tick");
	is_int(ask(&t, "GET", result_url, NULL), 403,
	    "after all this there is no vote");
	well_formed("no vote yet");
}

static void
test_vote(void)
{
	char first[640];

	new_match();
	is_int(post(match_url, "do=vote&choice=b"), 303, "a vote");
	is_str(header(&t, "Location"), (const char *)result_url,
	    "leads to the reveal");
	is_int(post(match_url, "do=vote&choice=a"), 303, "a second vote");
	is_str(header(&t, "Location"), (const char *)result_url, "as well");
	is_int(post(match_url, "do=skip"), 303, "a late skip");
	is_str(header(&t, "Location"), (const char *)result_url, "as well");
	is_int(ask(&t, "GET", match_url, NULL), 303, "and so does going back");
	is_int(ask(&t, "GET", result_url, NULL), 200, "the reveal");
	well_formed("result");
	ok(body_has(&t, "Your choice"), "shows the choice");
	ok(body_has(&t, "<dd>B is better</dd>"), "which was the first one");
	ok(body_has(&t, "1484") && body_has(&t, "1516"), "and what moved");
	ok(body_has(&t, "Your vote counts."), "in words");
	ok(body_has(&t, "voted on this match already: <b>B is better"),
	    "and that there was one before the second");
	is_int(ask(&t, "GET", result_url, NULL), 200, "the reveal again");
	ok(!body_has(&t, "voted on this match already"), "says so once");
	ok(body_has(&t, "noindex"), "and is nobody else's");
	snprintf(first, sizeof(first), "%s", t.cookie);
	t.cookie[0] = '\0';
	is_int(ask(&t, "GET", result_url, NULL), 404, "a visitor's: no");
	post("/arena", "type=any");
	is_int(ask(&t, "GET", result_url, NULL), 404, "another guest's: no");
	is_int(post(match_url, "do=vote&choice=a"), 404, "nor to vote on");
	snprintf(t.cookie, sizeof(t.cookie), "%s", first);
}

static void
test_receipts(void)
{
	static const struct {
		const char *why, *words;
	} cases[] = { { "recognised", "Thanks for telling us" },
		{ "too_fast", "faster than these answers can be read" },
		{ "identity_leak", "not a blind test" },
		{ "identity_asked", "this match was practice" },
		{ "duplicate", "judged these two answers before" },
		{ "limit", "limit of counted votes" },
		{ "withdrawn_prompt", "withdrawn meanwhile" },
		{ "something_new", "Your vote is stored" } };
	char sql[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(sql, sizeof(sql),
		    "UPDATE vote SET counted = 0, why = '%s'", cases[i].why);
		change(sql);
		is_int(
		    ask(&t, "GET", result_url, NULL), 200, "%s", cases[i].why);
		ok(body_has(&t, cases[i].words), "%s is explained",
		    cases[i].why);
		well_formed(cases[i].why);
		is_int(ask(&t, "GET", "/votes", NULL), 200, "%s in the list",
		    cases[i].why);
		ok(body_has(&t, "Not in the ranking"), "%s is marked there",
		    cases[i].why);
	}
	change("UPDATE vote SET counted = 1, why = ''");
}

/* P7: what people write is text on every page that shows it. */
static void
test_markup_is_text(void)
{
	static const char *const pages[] = { "/leaderboard", "/prompt/socratic",
		"/", NULL };

	change("UPDATE prompt SET title = '<img src=x onerror=alert(1)>"
	       "</script><svg onload=alert(2)>\"'' & co'");
	for (size_t i = 0; pages[i] != NULL; i++) {
		is_int(ask(&t, "GET", pages[i], NULL), 200, "%s", pages[i]);
		ok(!body_has(&t, "<img src=x") && !body_has(&t, "<svg onload"),
		    "%s: nothing of it is markup", pages[i]);
		well_formed(pages[i]);
	}
	is_int(ask(&t, "GET", result_url, NULL), 200, "the reveal");
	ok(!body_has(&t, "<img src=x"), "nothing of it is markup");
	ok(body_has(&t, "&lt;img src=x onerror=alert(1)&gt;"),
	    "it can be read as it was written");
	well_formed("the reveal");
}

static void
test_skip(void)
{
	char before[sizeof(match_url)];

	new_match();
	snprintf(before, sizeof(before), "%s", match_url);
	is_int(post(match_url, "do=skip&skip_reason=because"), 400,
	    "a reason for skipping that is none");
	is_int(post(match_url, "do=skip"), 303, "a skip");
	is_str(header(&t, "Location"), "/arena?skipped=1", "leads on");
	is_int(ask(&t, "GET", match_url, NULL), 410, "the match is over");
	ok(body_has(&t, "You skipped this pair"), "and says why");
	is_int(ask(&t, "GET", result_url, NULL), 403, "and stays unnamed");
	new_match();
	ok(strcmp(before, match_url) != 0, "another match follows");
}

int
main(void)
{
	if (!site_test_start(&t)) {
		ok(false, "the site starts");
		return done_testing();
	}
	post("/arena", "type=any");
	test_swap();
	test_states();
	test_closed();
	test_faults();
	test_vote();
	test_receipts();
	test_markup_is_text();
	test_skip();
	site_test_stop(&t);
	return done_testing();
}
