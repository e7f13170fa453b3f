/* This file knows how to show a leaderboard. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "model/board.h"
#include "page/app.h"
#include "view/axis.h"
#include "page/board_query.h"
#include "page/figure.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"

/* Raw and weighted orders that agree less than this are worth a warning. */
#define TAU_LEAST 0.9

struct place_row { /* a prompt version on the board */
	int64_t rank_from, rank_to, version, matches;
	struct text url, title;
	struct view_list tags;
	double elo, order_free, free_lower, free_upper, poor;
	double elo_x, free_x, lower_x, upper_x;
	bool bar, retired, unsettled, held;
	bool elo_high, elo_low; /* than the order-free interval */
	/* Of the full view. */
	double moved, expected, weighted, length;
	bool up, down, level;
	int64_t wins, losses, ties, both_poor, not_counted;
};

static const struct view_shape place_shape = { "place",
	sizeof(struct place_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct place_row, rank_from, VIEW_INT),
	    VIEW_FIELD(struct place_row, rank_to, VIEW_INT),
	    VIEW_FIELD(struct place_row, version, VIEW_INT),
	    VIEW_FIELD(struct place_row, matches, VIEW_INT),
	    VIEW_FIELD(struct place_row, url, VIEW_URL),
	    VIEW_FIELD(struct place_row, title, VIEW_TEXT),
	    VIEW_FIELD_OF(struct place_row, tags, VIEW_LIST, &option_shape),
	    VIEW_FIELD_REAL(struct place_row, elo, 0),
	    VIEW_FIELD_REAL(struct place_row, order_free, 0),
	    VIEW_FIELD_REAL(struct place_row, free_lower, 0),
	    VIEW_FIELD_REAL(struct place_row, free_upper, 0),
	    VIEW_FIELD_REAL(struct place_row, poor, 0),
	    VIEW_FIELD_REAL(struct place_row, elo_x, 1),
	    VIEW_FIELD_REAL(struct place_row, free_x, 1),
	    VIEW_FIELD_REAL(struct place_row, lower_x, 1),
	    VIEW_FIELD_REAL(struct place_row, upper_x, 1),
	    VIEW_FIELD(struct place_row, bar, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, retired, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, unsettled, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, held, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, elo_high, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, elo_low, VIEW_FLAG),
	    VIEW_FIELD_REAL(struct place_row, moved, 0),
	    VIEW_FIELD_REAL(struct place_row, expected, 0),
	    VIEW_FIELD_REAL(struct place_row, weighted, 0),
	    VIEW_FIELD_REAL(struct place_row, length, 0),
	    VIEW_FIELD(struct place_row, up, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, down, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, level, VIEW_FLAG),
	    VIEW_FIELD(struct place_row, wins, VIEW_INT),
	    VIEW_FIELD(struct place_row, losses, VIEW_INT),
	    VIEW_FIELD(struct place_row, ties, VIEW_INT),
	    VIEW_FIELD(struct place_row, both_poor, VIEW_INT),
	    VIEW_FIELD(struct place_row, not_counted, VIEW_INT), VIEW_END } };

struct group_row { /* prompts that met, directly or through others */
	struct text id;
	int64_t number; /* VIEW_NO_INT: there is but one group */
	struct view_list places;
};

static const struct view_shape group_shape = { "group",
	sizeof(struct group_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct group_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct group_row, number, VIEW_INT),
	    VIEW_FIELD_OF(struct group_row, places, VIEW_LIST, &place_shape),
	    VIEW_END } };

struct tick_row {
	double value, x;
};

static const struct view_shape tick_shape = { "tick", sizeof(struct tick_row),
	(const struct view_field[]){ VIEW_FIELD_REAL(struct tick_row, value, 0),
	    VIEW_FIELD_REAL(struct tick_row, x, 1), VIEW_END } };

struct leaderboard_row {
	struct view_message sentence, unsettled;
	struct view_list types, tags, activities, setups;
	bool all_types, all_tags, all_activities;
	struct view_list official, provisional, ticks; /* official: groups */
	int64_t minimum, as_of, generated;
	double k, start, start_x;
	struct text model;
	bool archived;
	struct text sort_prompt, sort_elo, sort_matches, sort_poor, sort_change,
	    sort_free, sort_expected, sort_length;
	struct text prompt_url, elo_url, matches_url, poor_url, change_url,
	    free_url, expected_url, length_url;
	struct text csv_url, json_url, sort, other_view_url, pictures_url;
	bool full, weighed, islands;
	struct view_message voters_differ, tag;
	struct text tag_name; /* of a tag that has no words of ours */
};

#define L struct leaderboard_row
const struct view_shape leaderboard_shape = { "leaderboard", sizeof(L),
	(const struct view_field[]){ VIEW_FIELD(L, sentence, VIEW_MESSAGE),
	    VIEW_FIELD(L, unsettled, VIEW_MESSAGE),
	    VIEW_FIELD(L, tag, VIEW_MESSAGE),
	    VIEW_FIELD(L, tag_name, VIEW_TEXT),
	    VIEW_FIELD_OF(L, types, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(L, tags, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(L, activities, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(L, setups, VIEW_LIST, &option_shape),
	    VIEW_FIELD(L, all_types, VIEW_FLAG),
	    VIEW_FIELD(L, all_tags, VIEW_FLAG),
	    VIEW_FIELD(L, all_activities, VIEW_FLAG),
	    VIEW_FIELD_OF(L, official, VIEW_LIST, &group_shape),
	    VIEW_FIELD_OF(L, provisional, VIEW_LIST, &place_shape),
	    VIEW_FIELD_OF(L, ticks, VIEW_LIST, &tick_shape),
	    VIEW_FIELD(L, minimum, VIEW_INT), VIEW_FIELD(L, as_of, VIEW_INT),
	    VIEW_FIELD(L, generated, VIEW_TIME), VIEW_FIELD_REAL(L, k, 0),
	    VIEW_FIELD_REAL(L, start, 0), VIEW_FIELD_REAL(L, start_x, 1),
	    VIEW_FIELD(L, model, VIEW_TEXT), VIEW_FIELD(L, archived, VIEW_FLAG),
	    VIEW_FIELD(L, sort_prompt, VIEW_TEXT),
	    VIEW_FIELD(L, sort_elo, VIEW_TEXT),
	    VIEW_FIELD(L, sort_matches, VIEW_TEXT),
	    VIEW_FIELD(L, sort_poor, VIEW_TEXT),
	    VIEW_FIELD(L, prompt_url, VIEW_URL),
	    VIEW_FIELD(L, elo_url, VIEW_URL),
	    VIEW_FIELD(L, matches_url, VIEW_URL),
	    VIEW_FIELD(L, poor_url, VIEW_URL), VIEW_FIELD(L, csv_url, VIEW_URL),
	    VIEW_FIELD(L, json_url, VIEW_URL), VIEW_FIELD(L, sort, VIEW_TEXT),
	    VIEW_FIELD(L, sort_change, VIEW_TEXT),
	    VIEW_FIELD(L, sort_free, VIEW_TEXT),
	    VIEW_FIELD(L, sort_expected, VIEW_TEXT),
	    VIEW_FIELD(L, sort_length, VIEW_TEXT),
	    VIEW_FIELD(L, change_url, VIEW_URL),
	    VIEW_FIELD(L, free_url, VIEW_URL),
	    VIEW_FIELD(L, expected_url, VIEW_URL),
	    VIEW_FIELD(L, length_url, VIEW_URL),
	    VIEW_FIELD(L, other_view_url, VIEW_URL),
	    VIEW_FIELD(L, pictures_url, VIEW_URL),
	    VIEW_FIELD(L, full, VIEW_FLAG), VIEW_FIELD(L, weighed, VIEW_FLAG),
	    VIEW_FIELD(L, islands, VIEW_FLAG),
	    VIEW_FIELD(L, voters_differ, VIEW_MESSAGE), VIEW_END } };
#undef L

static void fill_filters(
    struct req *, const struct board *, struct leaderboard_row *);
static void fill_sorts(
    struct req *, const struct board_query *, struct leaderboard_row *);
static bool all_tied(const struct board *);
static bool says_once(const struct board *);
static struct view_message unsettled_sentence(
    struct req *, const struct board *);
static const char *sort_of(struct req *, const struct board_query *);
static struct axis axis_of(const struct board *);
static struct view_list groups(
    struct req *, const struct axis *, const struct board *);
static struct view_list places(struct req *, const struct axis *,
    const struct board_row *, size_t n, bool says_unsettled);
static struct view_list ticks(struct req *, const struct axis *);

/* GET /leaderboard */
enum err
pg_leaderboard(struct req *rq)
{
	struct leaderboard_row row = { 0 };
	struct board_query q, other, bare;
	struct board b;
	struct axis axis;
	enum err e;

	if ((e = board_query_load(rq, false, &q, &b)) != ERR_OK)
		return e;
	bare = q;
	bare.full = false;
	axis = axis_of(&b);
	row.sentence = board_sentence(rq, &b);
	row.unsettled = unsettled_sentence(rq, &b);
	fill_filters(rq, &b, &row);
	fill_sorts(rq, &q, &row);
	row.official = groups(rq, &axis, &b);
	row.provisional =
	    places(rq, &axis, b.provisional, b.provisional_n, false);
	row.ticks = ticks(rq, &axis);
	row.minimum = b.minimum;
	row.as_of = b.last_seq > 0 ? b.last_seq : VIEW_NO_INT;
	row.generated = b.generated;
	row.k = b.k;
	row.start = b.start;
	row.start_x = axis_x(&axis, b.start);
	row.model = b.model;
	row.archived = b.archived;
	row.csv_url = board_query_url(rq, "/leaderboard.csv", &bare, NULL);
	row.json_url = board_query_url(rq, "/leaderboard.json", &bare, NULL);
	other = q;
	other.full = !q.full;
	row.other_view_url =
	    board_query_url(rq, "/leaderboard", &other, sort_of(rq, &q));
	row.pictures_url = board_query_url(rq, "/pictures", &bare, NULL);
	row.full = q.full;
	row.weighed =
	    b.weighted_seq > 0 && b.type.p == NULL && b.activity.p == NULL;
	row.islands = b.groups > 1;
	row.voters_differ =
	    view_say(row.weighed && b.official_n > 2 && !all_tied(&b) &&
			     b.weighted_tau < TAU_LEAST
			 ? "board.voters_differ"
			 : NULL);
	return resp_page(rq, PAGE_LEADERBOARD, &row);
}

/* The order asked for, as the address has it; NULL: the usual one. */
static const char *
sort_of(struct req *rq, const struct board_query *q)
{
	if (q->sort == BOARD_BY_ELO && !q->reverse)
		return NULL;
	return pool_printf(
	    rq->pool, "%s%s", q->reverse ? "-" : "", board_sort_name(q->sort))
	    .p;
}

static void
fill_filters(struct req *rq, const struct board *b, struct leaderboard_row *row)
{
	row->types = options_menu(rq->pool, b->types, b->types_n, "type.");
	row->tags = options_menu(rq->pool, b->tags, b->tags_n, "tag.");
	row->all_types = b->type.p == NULL;
	row->all_tags = b->tag.p == NULL;
	row->tag_name = b->tag;
	row->tag =
	    view_say(b->tag.p == NULL ? NULL : page_message("tag.", b->tag));
	row->all_activities = b->activity.p == NULL;
	if (b->activities_n > 1)
		row->activities = options_menu(
		    rq->pool, b->activities, b->activities_n, NULL);
	if (b->setups_n > 1)
		row->setups =
		    options_menu(rq->pool, b->setups, b->setups_n, NULL);
}

/* The heads of the columns: which one orders, and where each leads. */
static void
fill_sorts(
    struct req *rq, const struct board_query *q, struct leaderboard_row *row)
{
	struct text *state[BOARD_SORT__MAX] = {
		[BOARD_BY_ELO] = &row->sort_elo,
		[BOARD_BY_PROMPT] = &row->sort_prompt,
		[BOARD_BY_MATCHES] = &row->sort_matches,
		[BOARD_BY_BOTH_POOR] = &row->sort_poor,
		[BOARD_BY_CHANGE] = &row->sort_change,
		[BOARD_BY_ORDER_FREE] = &row->sort_free,
		[BOARD_BY_EXPECTED] = &row->sort_expected,
		[BOARD_BY_LENGTH] = &row->sort_length,
	};
	struct text *url[BOARD_SORT__MAX] = {
		[BOARD_BY_ELO] = &row->elo_url,
		[BOARD_BY_PROMPT] = &row->prompt_url,
		[BOARD_BY_MATCHES] = &row->matches_url,
		[BOARD_BY_BOTH_POOR] = &row->poor_url,
		[BOARD_BY_CHANGE] = &row->change_url,
		[BOARD_BY_ORDER_FREE] = &row->free_url,
		[BOARD_BY_EXPECTED] = &row->expected_url,
		[BOARD_BY_LENGTH] = &row->length_url,
	};

	struct str order;

	for (size_t i = 0; i < BOARD_SORT__MAX; i++) {
		bool now = q->sort == (enum board_sort)i;
		bool down = (i != BOARD_BY_PROMPT) != q->reverse;
		const char *name = board_sort_name((enum board_sort)i);

		order = pool_printf(
		    rq->pool, "%s%s", now && !q->reverse ? "-" : "", name);
		*url[i] = board_query_url(rq, "/leaderboard", q, order.p);
		if (now)
			*state[i] =
			    down ? TEXT("descending") : TEXT("ascending");
	}
	order = str_of(sort_of(rq, q));
	row->sort = (struct text){ order.p, order.n };
}

/* The first and the second by Elo, whatever the order on the page, and the
 * first of those that no other is certainly above. */
static void
find_leaders(const struct board *b, const struct board_row **first,
    const struct board_row **second, const struct board_row **top)
{
	*first = *second = *top = NULL;
	for (size_t i = 0; i < b->official_n; i++) {
		const struct board_row *r = &b->official[i];

		if (r->rank_from == 1 && (*top == NULL || r->elo > (*top)->elo))
			*top = r;
		if (*first == NULL || r->elo > (*first)->elo) {
			*second = *first;
			*first = r;
		} else if (*second == NULL || r->elo > (*second)->elo) {
			*second = r;
		}
	}
}

/* Nobody won anything: there is nothing to order by. */
static bool
all_tied(const struct board *b)
{
	for (size_t i = 0; i < b->official_n; i++) {
		if (b->official[i].wins + b->official[i].losses > 0)
			return false;
	}
	return true;
}

/* "order not settled" would stand in most rows: it is said on top instead. */
static bool
says_once(const struct board *b)
{
	return b->official_n > 1 && 2 * b->unsettled > (int64_t)b->official_n;
}

static struct view_message
unsettled_sentence(struct req *rq, const struct board *b)
{
	struct board_words *w = pool_alloc(rq->pool, sizeof(*w));

	/* That all are level says as much. */
	if (w == NULL || !says_once(b) || all_tied(b))
		return view_say(NULL);
	*w = (struct board_words){ .elo = NAN,
		.gap = NAN,
		.official = (int64_t)b->official_n,
		.unsettled = b->unsettled };
	return (struct view_message){ "board.unsettled", b->unsettled, w };
}

/* Which sentence the board begins with. */
static const char *
sentence_of(const struct board *b, const struct board_words *w, bool top_leads)
{
	if (b->matches == 0)
		return "board.empty";
	if (b->official_n == 0)
		return "board.provisional";
	if (b->official_n == 1)
		return "board.single";
	if (all_tied(b))
		return "board.all_ties";
	if (b->groups > 1)
		return "board.islands";
	if (b->interval_seq == 0)
		return w->gap < 1      ? "board.level"
		       : w->gap < b->k ? "board.close"
				       : "board.lead";
	if (b->top == 1)
		return top_leads ? "board.ahead" : "board.ahead_elo";
	if (!top_leads)
		return "board.open_elo";
	return b->needed == BOARD_NO_INT ? "board.open" : "board.open_about";
}

static struct text
name_of(struct req *rq, const struct board_row *r)
{
	struct str s = pool_printf(rq->pool, "%.*s v%lld", (int)r->title.n,
	    r->title.p, (long long)r->version);

	return (struct text){ s.p, s.n };
}

/* What the board says today. */
struct view_message
board_sentence(struct req *rq, const struct board *b)
{
	struct board_words *w = pool_alloc(rq->pool, sizeof(*w));
	struct view_message m = { NULL, VIEW_NO_INT, w };
	const struct board_row *first, *second, *top;

	if (w == NULL)
		return m;
	find_leaders(b, &first, &second, &top);
	*w = (struct board_words){ .elo = NAN,
		.gap = NAN,
		.matches = b->matches,
		.minimum = b->minimum,
		.official = (int64_t)b->official_n,
		.provisional = (int64_t)b->provisional_n,
		.groups = b->groups,
		.top = b->top,
		.needed = board_about(b->needed) };
	if (first != NULL) {
		w->first = name_of(rq, first);
		w->elo = first->elo;
	}
	if (second != NULL) {
		w->second = name_of(rq, second);
		w->gap = round(first->elo) - round(second->elo);
	}
	m.id = sentence_of(b, w, top == first);
	if (strcmp(m.id, "board.ahead_elo") == 0)
		w->second = name_of(rq, top);
	if (strcmp(m.id, "board.provisional") == 0)
		m.count = b->matches;
	else if (strcmp(m.id, "board.close") == 0)
		m.count = (int64_t)w->gap;
	else if (strcmp(m.id, "board.open_about") == 0)
		m.count = w->needed;
	return m;
}

int64_t
board_about(int64_t n)
{
	int64_t step = 1;

	if (n == BOARD_NO_INT)
		return VIEW_NO_INT;
	while (n / step >= 100)
		step *= 10;
	return (n + step - 1) / step * step;
}

static struct axis
axis_of(const struct board *b)
{
	struct axis a = axis_around(b->start);

	for (size_t i = 0; i < b->official_n; i++) {
		axis_include(&a, b->official[i].elo);
		axis_include(&a, b->official[i].order_free);
		axis_include(&a, b->official[i].lower);
		axis_include(&a, b->official[i].upper);
	}
	axis_settle(&a, 30, 210);
	return a;
}

/* Official rows, each group apart, in the order in which they first appear. */
static struct view_list
groups(struct req *rq, const struct axis *axis, const struct board *b)
{
	struct group_row *g =
	    pool_array(rq->pool, b->official_n + 1, sizeof(*g));
	struct board_row *mine =
	    pool_array(rq->pool, b->official_n + 1, sizeof(*mine));
	bool *listed = pool_array(rq->pool, b->official_n + 1, sizeof(*listed));
	size_t n = 0;

	for (size_t i = 0; !pool_failed(rq->pool) && i < b->official_n; i++) {
		size_t k = 0;

		if (listed[i])
			continue;
		for (size_t o = i; o < b->official_n; o++) {
			if (b->official[o].group != b->official[i].group)
				continue;
			listed[o] = true;
			mine[k++] = b->official[o];
		}
		g[n++] = (struct group_row){ .number = VIEW_NO_INT,
			.id = TEXT("official-h"),
			.places = places(rq, axis, mine, k, !says_once(b)) };
	}
	for (size_t i = 0; n > 1 && i < n; i++) {
		struct str id = pool_printf(rq->pool, "group-%zu", i + 1);

		g[i].number = (int64_t)i + 1;
		g[i].id = (struct text){ id.p, id.n };
	}
	return view_list(g, n);
}

static struct view_list
places(struct req *rq, const struct axis *axis, const struct board_row *rows,
    size_t n, bool says_unsettled)
{
	struct place_row *p = pool_array(rq->pool, n + 1, sizeof(*p));

	if (p == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		const struct board_row *r = &rows[i];
		struct str url = pool_printf(
		    rq->pool, "/prompt/%.*s", (int)r->slug.n, r->slug.p);

		p[i] = (struct place_row){ .rank_from = r->rank_from,
			.rank_to = r->rank_to == r->rank_from ? VIEW_NO_INT
							      : r->rank_to,
			.version = r->version,
			.matches = r->matches,
			.url = { url.p, url.n },
			.title = r->title,
			.elo = r->elo,
			.order_free = r->order_free,
			.free_lower = r->order_free_lower,
			.free_upper = r->order_free_upper,
			.poor = r->both_poor_share,
			.elo_x = axis_x(axis, r->elo),
			.free_x = axis_x(axis, r->order_free),
			.lower_x = axis_x(axis, r->order_free_lower),
			.upper_x = axis_x(axis, r->order_free_upper),
			.bar = !isnan(r->lower) && !isnan(r->upper),
			.retired = r->retired,
			.unsettled = says_unsettled && r->unsettled,
			.elo_high = round(r->elo) > round(r->order_free_upper),
			.elo_low = round(r->elo) < round(r->order_free_lower),
			.held = !r->separable,
			.moved = fabs(r->change),
			.up = round(r->change) > 0,
			.down = round(r->change) < 0,
			.level = fabs(r->change) < 0.5,
			.expected = r->expected,
			.weighted = r->weighted,
			.length = r->length,
			.wins = r->wins,
			.losses = r->losses,
			.ties = r->ties,
			.both_poor = r->both_poor,
			.not_counted = r->not_counted };
		p[i].tags = options_tags(rq->pool, r->tags, r->tags_n, false);
	}
	return view_list(p, n);
}

static struct view_list
ticks(struct req *rq, const struct axis *axis)
{
	struct tick_row *t = pool_array(rq->pool, AXIS_TICKS, sizeof(*t));
	size_t n;

	if (t == NULL)
		return view_list(NULL, 0);
	for (n = 0; n < AXIS_TICKS && axis_tick(axis, n, &t[n].value); n++)
		t[n].x = axis_x(axis, t[n].value);
	return view_list(t, n);
}
