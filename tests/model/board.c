/* This file knows how to try boards, cards and totals in every state. */
#include "config.h"

#include "model/board_cache.h"
#include "model/board_parts.h"
#include "model/recount.h"
#include "tests/model/town.h"

static struct town t;

static struct board
board(struct board_query q)
{
	struct board b = { 0 };

	must(board_load(t.db, t.pool, &t.conf, &q, clock_now(), &b), "board");
	return b;
}

/* No number a page may show is other than a number or "unknown". */
static bool
sane(const struct board *b)
{
	for (int part = 0; part < 2; part++) {
		const struct board_row *r =
		    part == 0 ? b->official : b->provisional;
		size_t n = part == 0 ? b->official_n : b->provisional_n;

		for (size_t i = 0; i < n; i++) {
			if (!isfinite(r[i].elo) ||
			    isinf(r[i].both_poor_share) ||
			    isnan(r[i].both_poor_share) !=
				(r[i].matches == 0) ||
			    r[i].slug.n == 0 || r[i].missing < 0 ||
			    (part == 0) != (r[i].rank_from != BOARD_NO_INT))
				return false;
		}
	}
	return true;
}

static void
vote_many(int n, enum vote_choice choice)
{
	for (int i = 0; i < n; i++) {
		int64_t voter = town_guest(&t);
		const char *token;

		must(town_match(&t, voter, &token), "match");
		must(town_vote(&t, voter, token, choice, NULL), "vote");
	}
}

static void
empty(void)
{
	struct arena_facts f;
	struct totals *totals;
	struct board b;

	town_open(&t);
	must(totals_open(&totals), "totals");
	b = board((struct board_query){ 0 });
	ok(b.official_n == 0 && b.provisional_n == 0 && b.matches == 0 &&
		b.setup.p == NULL && sane(&b),
	    "an arena without anything");
	must(arena_facts(totals, t.db, t.pool, &f), "facts");
	ok(!f.simulated && f.votes == 0 && f.voters == 0 && f.first_at == 0 &&
		f.reasons_n == 0,
	    "has no facts");
	town_catalog(&t, 1, 2, 1);
	town_sync(&t);
	b = board((struct board_query){ 0 });
	ok(b.official_n == 0 && b.provisional_n == 1 && sane(&b) &&
		b.provisional[0].elo == 1500.0 &&
		b.provisional[0].missing == 30,
	    "one prompt: 1500, provisional");
	is_str(b.model, "model-one", "the setup in use is the board's");
	totals_close(totals);
	town_close(&t);
}

static void
all_ties(void)
{
	struct board b;

	town_open(&t);
	town_catalog(&t, 3, 5, 1);
	t.conf.minimum = 2;
	town_sync(&t);
	vote_many(12, VOTE_TIE);
	b = board((struct board_query){ 0 });
	is_int((intmax_t)b.official_n, 3, "all ties: all official");
	ok(sane(&b) && b.official[0].rank_from == 1 &&
		b.official[2].rank_from == 1 && b.official[0].rank_to == 3 &&
		b.official[2].rank_to == 3 && b.official[1].elo == 1500.0,
	    "and all share the ranks 1-3");
	is_int(b.matches, 12, "twelve matches");
	ok(b.official[0].both_poor_share == 0.0 &&
		b.official[0].ties == b.official[0].matches,
	    "ties are told apart from neither");
	is_int(b.last_seq, town_number(&t, "SELECT max(n) FROM ledger"),
	    "as of the last line");
	town_close(&t);
}

static void
filters(void)
{
	struct board b, coding;
	struct board_query q = { 0 };
	int64_t sum = 0;
	bool down = true;

	town_open(&t);
	town_catalog(&t, 4, 10, 1);
	t.conf.minimum = 10;
	t.conf.setups_n = 2;
	town_sync(&t);
	vote_many(40, VOTE_A);
	b = board(q);
	ok(b.official_n + b.provisional_n == 4 && b.matches == 40 && sane(&b),
	    "four prompts, 40 matches");
	for (size_t i = 0; i < b.official_n; i++) {
		sum += b.official[i].matches;
		down &= i == 0 || b.official[i - 1].elo >= b.official[i].elo;
		down &= b.official[i].matches ==
			b.official[i].wins + b.official[i].losses +
			    b.official[i].ties + b.official[i].both_poor;
	}
	for (size_t i = 0; i < b.provisional_n; i++)
		sum += b.provisional[i].matches;
	is_int(sum, 80, "each match stands in two rows");
	ok(down, "highest first, wins and losses add up");
	is_int(b.official_n > 0 ? b.official[0].rank_from : 0, 1, "from 1 on");

	q.type = TEXT("coding");
	coding = board(q);
	ok(coding.matches > 0 && coding.matches < 40 && sane(&coding),
	    "a type has its own matches (%d)", (int)coding.matches);
	q.type = TEXT("Coding");
	is_int(board_load(t.db, t.pool, &t.conf, &q, 0, &b), ERR_NOTFOUND,
	    "no such type");
	q = (struct board_query){ .tag = TEXT("detailed") };
	b = board(q);
	is_int((intmax_t)(b.official_n + b.provisional_n), 2, "a tag selects");
	for (size_t i = 0; i < b.provisional_n; i++)
		ok(b.provisional[i].missing >= 0, "(rows)");
	q.tag = TEXT("nosuch");
	is_int(board_load(t.db, t.pool, &t.conf, &q, 0, &b), ERR_NOTFOUND,
	    "no such tag");
	q = (struct board_query){ .setup = TEXT("other") };
	b = board(q);
	ok(b.matches == 0 && b.provisional_n == 4 && !b.archived,
	    "another setup is another board");
	q.setup = TEXT("nosuch");
	is_int(board_load(t.db, t.pool, &t.conf, &q, 0, &b), ERR_NOTFOUND,
	    "no such setup");
	q = (struct board_query){ .activity = TEXT("everyone"),
		.sort = BOARD_BY_PROMPT,
		.reverse = true };
	b = board(q);
	is_int(b.matches, 40, "an activity's board");
	if (b.official_n > 1)
		ok(memcmp(b.official[0].title.p, b.official[1].title.p, 8) > 0,
		    "sorted by name, turned round");
	ok(b.types_n == 5 && b.tags_n == 2 && b.activities_n == 1 &&
		b.setups_n == 2 && b.activities[0].current,
	    "the filters' menus");
	town_close(&t);
}

static void
hidden(void)
{
	struct board_query q = { .activity = TEXT("everyone") };
	struct board b;

	town_open(&t);
	town_catalog(&t, 3, 5, 1);
	t.activities[0].results = TEXT("closed");
	t.activities[0].closes = clock_now() + 1000;
	town_sync(&t);
	vote_many(3, VOTE_B);
	is_int(board_load(t.db, t.pool, &t.conf, &q, clock_now(), &b),
	    ERR_DENIED, "hidden until it closes");
	q.staff = true;
	is_int(board_load(t.db, t.pool, &t.conf, &q, clock_now(), &b), ERR_OK,
	    "teachers see it");
	q.staff = false;
	is_int(board_load(t.db, t.pool, &t.conf, &q, clock_now() + 2000, &b),
	    ERR_OK, "everybody afterwards");
	town_close(&t);
}

static void
voters(void)
{
	struct board b;
	int64_t one;

	town_open(&t);
	town_catalog(&t, 2, 12, 1);
	t.conf.minimum = 5;
	t.conf.minimum_voters = 3;
	town_sync(&t);
	one = town_guest(&t);
	for (int i = 0; i < 8; i++) {
		const char *token;

		must(town_match(&t, one, &token), "match");
		must(town_vote(&t, one, token, VOTE_A, NULL), "vote");
	}
	b = board((struct board_query){ 0 });
	ok(b.official_n == 0 && b.provisional[0].missing == 0,
	    "eight matches of one voter are not official");
	vote_many(2, VOTE_A);
	b = board((struct board_query){ 0 });
	is_int((intmax_t)b.official_n, 2, "with three voters they are");
	town_close(&t);
}

static void
retired(void)
{
	struct board b;
	int found = 0;

	town_open(&t);
	town_catalog(&t, 3, 6, 1);
	town_sync(&t);
	vote_many(9, VOTE_A);
	t.prompts[0].retired = true;
	town_version(&t, 1, 0, "Edited");
	town_sync(&t);
	b = board((struct board_query){ 0 });
	for (size_t i = 0; i < b.provisional_n; i++) {
		found += b.provisional[i].retired;
		found += 10 * b.provisional[i].has_newer;
	}
	is_int(
	    found, 11, "a retired prompt stays, marked; so does an old text");
	is_int((intmax_t)b.provisional_n, 4, "beside the new one");
	town_close(&t);
}

static void
cards(void)
{
	struct prompt_card c;
	int64_t voter;
	const char *token;

	town_open(&t);
	town_catalog(&t, 2, 5, 1);
	town_version(&t, 1, 1, "Second version");
	t.prompts[1].versions_n = 2;
	for (int q = 0; q < 5; q++)
		town_answer(&t, 1, 1, q, 0, 1);
	town_sync(&t);
	voter = town_guest(&t);
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_A, NULL), "vote");
	must(prompt_card_load(t.db, t.pool, &t.conf, TEXT("p1"),
		 (struct text){ 0 }, NULL, 0, voter, store_durable_seq(t.store),
		 &c),
	    "card");
	ok(c.versions_n == 2 && c.versions[0].number == 2 &&
		c.versions[1].number == 1,
	    "both versions, the newest first");
	is_str(c.versions[0].text, "Second version", "with their texts");
	ok(c.versions[0].types_n == 5 && c.versions[1].overall.has_newer &&
		!c.versions[0].overall.has_newer,
	    "and their types");
	is_str(c.versions[0].types[0].type, "knowledge", "in their order");
	ok(c.tags_n == 2 && c.own_n == 1 && c.own[0].n > 0,
	    "tags, and the viewer's own match");
	must(
	    prompt_card_load(t.db, t.pool, &t.conf, TEXT("p1"),
		(struct text){ 0 }, NULL, 0, 0, store_durable_seq(t.store), &c),
	    "card");
	is_int((intmax_t)c.own_n, 0, "nobody has no matches");
	is_int(prompt_card_load(t.db, t.pool, &t.conf, TEXT("nosuch"),
		   (struct text){ 0 }, NULL, 0, 0, 0, &c),
	    ERR_NOTFOUND, "no such prompt");
	town_close(&t);
}

static enum err
exclude_fn(struct store_tx *tx, void *arg)
{
	struct town_do *d = arg;
	const struct elo_rule rule = ELO_RULE_DEFAULT;
	struct ledger_entry line = { .t = tx->now,
		.kind = d->id != 0 ? LEDGER_EXCLUDE : LEDGER_RESTORE,
		.match = d->ballot.token,
		.why = STR("fraud") };
	enum err e = ledger_stage(tx, &line);

	return e == ERR_OK ? recount_apply(tx, &line, &rule, NULL) : e;
}

static void
exclude(const char *token, bool out)
{
	struct town_do d = {
		.t = &t, .id = out, .ballot = { .token = str_of(token) }
	};

	must(store_write(t.store, exclude_fn, &d), "exclude");
}

/* Version by version, as many are left out as the board says, for reasons. */
static void
left_out(struct totals *totals)
{
	struct board b = board((struct board_query){ 0 });

	for (size_t i = 0; i < b.provisional_n; i++) {
		const struct board_row *r = &b.provisional[i];
		const struct totals_reason *why;
		int64_t votes = 0;
		size_t n;

		must(arena_left_out(
			 totals, t.db, t.pool, r->digest, b.setup, &why, &n),
		    "reasons");
		for (size_t k = 0; k < n; k++)
			votes += why[k].why.n > 0 ? why[k].votes : 0;
		is_int(votes, r->not_counted, "why votes are left out");
	}
}

static void
sums(void)
{
	struct totals *totals, *anew;
	struct arena_facts f, g;
	struct town_do d;
	const char *token;
	int64_t voter;

	town_open(&t);
	town_catalog(&t, 3, 6, 1);
	town_sync(&t);
	must(totals_open(&totals), "totals");
	vote_many(5, VOTE_A);
	vote_many(2, VOTE_BOTH_POOR);
	must(arena_facts(totals, t.db, t.pool, &f), "facts");
	vote_many(4, VOTE_B);
	voter = town_guest(&t);
	must(town_match(&t, voter, &token), "match");
	d = (struct town_do){ .t = &t,
		.ballot = { .token = str_of(token),
		    .voter = voter,
		    .choice = VOTE_A,
		    .recognised = true } };
	must(store_write(t.store, cast_fn, &d), "vote");
	must(town_match(&t, voter, &token), "match");
	must(town_vote(&t, voter, token, VOTE_TIE, NULL), "vote");
	must(arena_facts(totals, t.db, t.pool, &f), "facts");
	ok(f.votes == 13 && f.counted == 12 && f.voters == 12 &&
		f.side_a == 5 && f.side_b == 4 && f.ties == 1 &&
		f.both_poor == 2,
	    "totals of votes");
	ok(f.reasons_n == 1 && f.reasons[0].votes == 1, "one is not counted");
	is_str(f.reasons[0].why, "recognised", "for this reason");
	ok(f.prompts == 3 && f.versions == 3 && f.questions == 6,
	    "totals of the catalog");
	ok(f.first_at > 0 && f.last_at >= f.first_at, "first and last vote");
	exclude(token, true);
	exclude(token, true);
	must(arena_facts(totals, t.db, t.pool, &f), "facts");
	ok(f.votes == 13 && f.counted == 11 && f.ties == 0 && f.reasons_n == 2,
	    "an excluded vote moves to its reason, once");
	exclude(token, false);
	must(arena_facts(totals, t.db, t.pool, &f), "facts");
	ok(f.counted == 12 && f.ties == 1 && f.reasons_n == 1,
	    "and back when restored");
	left_out(totals);
	exclude(token, true);
	left_out(totals);
	exclude(token, false);
	must(arena_facts(totals, t.db, t.pool, &f), "facts");
	must(totals_open(&anew), "totals");
	must(arena_facts(anew, t.db, t.pool, &g), "facts");
	ok(g.votes == f.votes && g.counted == f.counted &&
		g.voters == f.voters && g.ties == f.ties &&
		g.last_seq == f.last_seq,
	    "a scan from the start agrees");
	is_int(f.counted,
	    town_number(&t, "SELECT sum(matches) / 2 FROM rating"
			    " WHERE scope = 'all'"),
	    "and so do the ratings");
	totals_close(anew);
	totals_close(totals);
	town_close(&t);
}

static void
sorts(void)
{
	enum board_sort s = BOARD_BY_ELO;
	bool turned = false;

	is_int(
	    board_sort_parse(STR("-matches"), &s, &turned), ERR_OK, "-matches");
	ok(s == BOARD_BY_MATCHES && turned, "is matches, turned round");
	is_int(board_sort_parse(STR("elo"), &s, &turned), ERR_OK, "elo");
	ok(s == BOARD_BY_ELO && !turned, "is not");
	is_int(board_sort_parse(STR("id"), &s, &turned), ERR_INVALID, "id");
	is_int(board_sort_parse(STR(""), &s, &turned), ERR_INVALID, "nothing");
}

static struct board
cached(struct board_cache *c, struct board_query q, int64_t now)
{
	struct board_held *held;
	struct board b = { 0 };

	must(board_cache_get(c, t.db, &t.conf, &q, now, &held, &b), "cache");
	board_put(held);
	return b;
}

/* The rows' address tells whether they were read again. */
static void
kept(void)
{
	struct board_query all = { 0 }, coding = { .type = TEXT("coding") };
	struct board_cache *c;
	struct board_held *mine;
	struct board first, b;

	town_open(&t);
	town_catalog(&t, 3, 6, 1);
	town_sync(&t);
	vote_many(3, VOTE_A);
	must(board_cache_open(&c), "cache");
	must(board_cache_get(c, t.db, &t.conf, &all, 1000, &mine, &first),
	    "cache");
	b = cached(c, all, 1001);
	ok(b.provisional == first.provisional, "the same board again");
	b = cached(c, coding, 1001);
	ok(b.provisional != first.provisional && b.matches < first.matches,
	    "another question, another board");
	vote_many(1, VOTE_A);
	b = cached(c, all, 1001);
	ok(b.provisional != first.provisional && b.matches == 4,
	    "a vote makes it anew");
	ok(first.matches == 3 && first.provisional[0].slug.n == 2,
	    "who holds the old one reads on");
	board_put(mine);
	first = cached(c, all, 1002);
	ok(cached(c, all, 1003).provisional == first.provisional, "kept");
	ok(cached(c, all, 1006).provisional != first.provisional,
	    "for five seconds");
	t.prompts[0].title = TEXT("Renamed");
	town_sync(&t);
	board_cache_clear(c);
	b = cached(c, all, 1006);
	ok(str_is((struct str){ b.provisional[0].title.p,
		      b.provisional[0].title.n },
	       "Renamed") ||
		str_is((struct str){ b.provisional[1].title.p,
			   b.provisional[1].title.n },
		    "Renamed") ||
		str_is((struct str){ b.provisional[2].title.p,
			   b.provisional[2].title.n },
		    "Renamed"),
	    "a reload empties it");
	coding.tag = TEXT("nosuch");
	is_int(board_cache_get(c, t.db, &t.conf, &coding, 1006, &mine, &b),
	    ERR_NOTFOUND, "no such tag");
	for (int i = 0; i < 100; i++) {
		struct board_query q = { .sort = i % 4,
			.reverse = i % 8 > 3,
			.staff = i % 16 > 7,
			.type = text_of(catalog_types[i % 5]) };

		cached(c, q, 1006);
	}
	b = cached(c, all, 1006);
	is_int(b.matches, 4, "more boards than room: still right");
	board_cache_close(c);
	town_close(&t);
}

static struct board_row
stands(double elo, double lower, double upper)
{
	return (struct board_row){ .elo = elo,
		.order_free = (lower + upper) / 2,
		.order_free_lower = lower,
		.order_free_upper = upper,
		.lower = fmin(elo, lower),
		.upper = fmax(elo, upper),
		.se = (upper - lower) / 3.92,
		.official = true };
}

/* Ranks come from order-free intervals, wherever Elo stands. */
static void
ranks(void)
{
	struct board_row r[4] = { stands(1650, 1540, 1580),
		stands(1640, 1600, 1660), stands(1500, 1430, 1560),
		stands(1400, 1450, 1550) };
	static const int64_t from[4] = { 2, 1, 2, 2 }, to[4] = { 4, 1, 4, 4 };
	struct board b = { 0 };
	bool right = true;

	board_rank(r, 4);
	for (size_t i = 0; i < 4; i++)
		right &= r[i].rank_from == from[i] && r[i].rank_to == to[i] &&
			 r[i].unsettled;
	ok(right, "ranks are shared as far as intervals overlap");
	board_lead(r, 4, &b);
	is_int(b.top, 1, "one is certainly first, though not by Elo");
	is_int(b.unsettled, 4, "which settles neither place");
	is_int(board_matches_needed(&r[1], &r[0]), 0, "these two are apart");
	ok(board_matches_needed(&r[2], &r[3]) == BOARD_NO_INT ||
		board_matches_needed(&r[2], &r[3]) > 0,
	    "these two are not");
	r[1] = stands(1610, 1500, 1560);
	r[0] = stands(1620, 1600, 1660);
	board_rank(r, 4);
	ok(!r[0].unsettled && r[1].unsettled,
	    "settled is who has one rank and stands there");
}

int
main(void)
{
	kept();
	ranks();
	empty();
	all_ties();
	filters();
	hidden();
	voters();
	retired();
	cards();
	sums();
	sorts();
	return done_testing();
}
