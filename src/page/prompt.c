/* This file knows how to show one prompt with all its versions. */
#include "config.h"

#include <math.h>

#include "model/board.h"
#include "model/store.h"
#include "page/app.h"
#include "page/board_query.h"
#include "page/error.h"
#include "page/figure.h"
#include "page/handlers.h"
#include "page/opponents.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/reasons.h"
#include "page/req.h"
#include "page/verdict.h"

struct score_row { /* a version's rating on some questions */
	struct view_message label;
	bool is_provisional;
	double elo;
	int64_t matches, wins, losses, ties, both_poor;
};

static const struct view_shape score_shape = { "score",
	sizeof(struct score_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct score_row, label, VIEW_MESSAGE),
	    VIEW_FIELD(struct score_row, is_provisional, VIEW_FLAG),
	    VIEW_FIELD_REAL(struct score_row, elo, 0),
	    VIEW_FIELD(struct score_row, matches, VIEW_INT),
	    VIEW_FIELD(struct score_row, wins, VIEW_INT),
	    VIEW_FIELD(struct score_row, losses, VIEW_INT),
	    VIEW_FIELD(struct score_row, ties, VIEW_INT),
	    VIEW_FIELD(struct score_row, both_poor, VIEW_INT), VIEW_END } };

struct version_row {
	int64_t number, matches;
	struct text id, table_id, digest, text;
	bool is_official, is_provisional, retired;
	bool elo_high, elo_low; /* than the order-free interval */
	struct view_list boards, best, worst, left_out;
	bool few_met; /* nobody often enough to say more */
	struct view_message not_counted, above, below;
	double elo, lower, upper, order_free, length;
	double headers, lists, bold; /* of an answer; NaN: none */
	bool dressed;                /* has any of these */
	int64_t answers;
};

static const struct view_shape version_shape = { "version",
	sizeof(struct version_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct version_row, number, VIEW_INT),
	    VIEW_FIELD(struct version_row, matches, VIEW_INT),
	    VIEW_FIELD(struct version_row, id, VIEW_TEXT),
	    VIEW_FIELD(struct version_row, digest, VIEW_TEXT),
	    VIEW_FIELD(struct version_row, text, VIEW_TEXT),
	    VIEW_FIELD(struct version_row, is_official, VIEW_FLAG),
	    VIEW_FIELD(struct version_row, is_provisional, VIEW_FLAG),
	    VIEW_FIELD(struct version_row, retired, VIEW_FLAG),
	    VIEW_FIELD_OF(struct version_row, boards, VIEW_LIST, &score_shape),
	    VIEW_FIELD(struct version_row, not_counted, VIEW_MESSAGE),
	    VIEW_FIELD(struct version_row, elo_high, VIEW_FLAG),
	    VIEW_FIELD(struct version_row, elo_low, VIEW_FLAG),
	    VIEW_FIELD_OF(struct version_row, best, VIEW_LIST, &opponent_shape),
	    VIEW_FIELD_OF(
		struct version_row, worst, VIEW_LIST, &opponent_shape),
	    VIEW_FIELD_OF(
		struct version_row, left_out, VIEW_LIST, &reason_shape),
	    VIEW_FIELD(struct version_row, few_met, VIEW_FLAG),
	    VIEW_FIELD(struct version_row, dressed, VIEW_FLAG),
	    VIEW_FIELD(struct version_row, above, VIEW_MESSAGE),
	    VIEW_FIELD(struct version_row, below, VIEW_MESSAGE),
	    VIEW_FIELD_REAL(struct version_row, elo, 0),
	    VIEW_FIELD_REAL(struct version_row, lower, 0),
	    VIEW_FIELD_REAL(struct version_row, upper, 0),
	    VIEW_FIELD_REAL(struct version_row, order_free, 0),
	    VIEW_FIELD_REAL(struct version_row, length, 0),
	    VIEW_FIELD_REAL(struct version_row, headers, 1),
	    VIEW_FIELD_REAL(struct version_row, lists, 1),
	    VIEW_FIELD_REAL(struct version_row, bold, 1),
	    VIEW_FIELD(struct version_row, answers, VIEW_INT), VIEW_END } };

struct own_row { /* a match of the viewer's with this prompt in it */
	struct text url, question, lang;
	int64_t number;
	struct view_message choice;
};

static const struct view_shape own_shape = { "own", sizeof(struct own_row),
	(const struct view_field[]){ VIEW_FIELD(struct own_row, url, VIEW_URL),
	    VIEW_FIELD(struct own_row, question, VIEW_TEXT),
	    VIEW_FIELD(struct own_row, lang, VIEW_TEXT),
	    VIEW_FIELD(struct own_row, number, VIEW_INT),
	    VIEW_FIELD(struct own_row, choice, VIEW_MESSAGE), VIEW_END } };

struct card_row {
	struct text title, description, model;
	struct view_list tags, versions, own;
	bool retired;
	struct view_message family;
	struct text family_url;
	int64_t minimum;
	double start;
	const void *wide, *narrow; /* the newest version's history; or NULL */
	struct view_message history_desc;
	struct text history_csv;
};

const struct view_shape prompt_shape = { "prompt", sizeof(struct card_row),
	(const struct view_field[]){
	    VIEW_FIELD(struct card_row, title, VIEW_TEXT),
	    VIEW_FIELD(struct card_row, description, VIEW_TEXT),
	    VIEW_FIELD(struct card_row, model, VIEW_TEXT),
	    VIEW_FIELD_OF(struct card_row, tags, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(struct card_row, versions, VIEW_LIST, &version_shape),
	    VIEW_FIELD_OF(struct card_row, own, VIEW_LIST, &own_shape),
	    VIEW_FIELD(struct card_row, retired, VIEW_FLAG),
	    VIEW_FIELD(struct card_row, family, VIEW_MESSAGE),
	    VIEW_FIELD(struct card_row, family_url, VIEW_URL),
	    VIEW_FIELD_OF(struct card_row, wide, VIEW_ROW, &plot_shape),
	    VIEW_FIELD_OF(struct card_row, narrow, VIEW_ROW, &plot_shape),
	    VIEW_FIELD(struct card_row, history_desc, VIEW_MESSAGE),
	    VIEW_FIELD(struct card_row, history_csv, VIEW_URL),
	    VIEW_FIELD(struct card_row, minimum, VIEW_INT),
	    VIEW_FIELD_REAL(struct card_row, start, 0), VIEW_END } };

static enum err versions(struct req *, const struct prompt_card *,
    const struct board *, struct view_list *out);
static enum err add_history(struct req *, const struct prompt_card *,
    const struct board_query *, const struct board *, struct card_row *);
static double if_shown(double mean);
static void add_opponents(struct req *, const struct board *,
    const struct card_version *, struct version_row *);
static enum err add_left_out(struct req *, const struct prompt_card *,
    const struct card_version *, struct version_row *);
static struct view_list scores(struct req *, const struct card_version *);
static struct score_row score(
    const char *label, const struct board_row *, bool official);
static struct view_list own_matches(struct req *, const struct prompt_card *);
static struct view_message family(struct req *, const struct prompt_card *);

/* GET /prompt/SLUG */
enum err
pg_prompt(struct req *rq)
{
	struct prompt_card card;
	struct board_query q;
	struct card_row row;
	struct board b;
	struct text setup;
	enum err e;

	if ((e = form_word(&rq->query, "setup", &setup)) != ERR_OK)
		return e;
	if ((e = board_query_load(rq, false, &q, &b)) != ERR_OK)
		return e;
	e = prompt_card_load(rq->db, rq->pool, rq->conf, rq->seg[1], setup,
	    board_snapshot(rq), rq->now, rq->viewer.account,
	    store_durable_seq(rq->site->store), &card);
	if (e == ERR_NOTFOUND)
		return error_no_prompt(rq, rq->seg[1], &b);
	if (e != ERR_OK)
		return e;
	row = (struct card_row){ .title = card.title,
		.description = card.description,
		.model = card.model,
		.tags = options_tags(rq->pool, card.tags, card.tags_n, true),
		.own = own_matches(rq, &card),
		.retired = card.retired,
		.family = family(rq, &card),
		.minimum = rq->conf->minimum,
		.start = rq->conf->start };
	if (row.family.id != NULL) {
		struct str url =
		    pool_printf(rq->pool, "/compare?a=%.*s:%lld&b=%.*s:%lld",
			(int)card.slug.n, card.slug.p,
			(long long)card.versions[0].number, (int)card.slug.n,
			card.slug.p, (long long)card.versions[1].number);

		row.family_url = (struct text){ url.p, url.n };
	}
	if ((e = add_history(rq, &card, &q, &b, &row)) != ERR_OK ||
	    (e = versions(rq, &card, &b, &row.versions)) != ERR_OK)
		return e;
	return resp_page(rq, PAGE_PROMPT, &row);
}

/* Of the newest version that has met anybody. */
static enum err
add_history(struct req *rq, const struct prompt_card *card,
    const struct board_query *q, const struct board *b, struct card_row *row)
{
	struct figure_wish wish = { .name = "history", .slug = card->slug };
	struct figure *f = pool_alloc(rq->pool, sizeof(*f));
	struct str csv;
	enum err e;

	row->history_desc = view_say(NULL);
	for (size_t i = 0; i < card->versions_n && wish.version == 0; i++) {
		if (card->versions[i].overall.matches > 0)
			wish.version = card->versions[i].number;
	}
	if (f == NULL)
		return ERR_NOMEM;
	if (wish.version == 0)
		return ERR_OK;
	e = figure_make(rq, &wish, q, b, f);
	if (e == ERR_NOTFOUND || (e == ERR_OK && f->empty))
		return ERR_OK; /* not on the board: retired without a match */
	if (e != ERR_OK)
		return e;
	csv =
	    pool_printf(rq->pool, "/plot/history.csv?prompt=%.*s&version=%lld",
		(int)card->slug.n, card->slug.p, (long long)wish.version);
	row->history_csv = (struct text){ csv.p, csv.n };
	row->history_desc = f->title;
	row->wide = &f->wide;
	row->narrow = &f->narrow;
	return ERR_OK;
}

static enum err
versions(struct req *rq, const struct prompt_card *card, const struct board *b,
    struct view_list *out)
{
	struct version_row *v =
	    pool_array(rq->pool, card->versions_n + 1, sizeof(*v));
	enum err e;

	if (v == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < card->versions_n; i++) {
		const struct card_version *c = &card->versions[i];
		struct str id =
		    pool_printf(rq->pool, "v%lld", (long long)c->number);

		v[i] = (struct version_row){ .number = c->number,
			.matches = c->overall.matches,
			.id = { id.p, id.n },
			.digest = c->digest,
			.text = c->text,
			.is_official = c->overall.official,
			.is_provisional =
			    !c->overall.official && c->overall.matches > 0,
			.retired = c->retired && !card->retired,
			.not_counted = view_say(NULL),
			.elo_high = round(c->overall.elo) >
				    round(c->overall.order_free_upper),
			.elo_low = round(c->overall.elo) <
				   round(c->overall.order_free_lower),
			.above = neighbour_of(rq, b, c->digest, true),
			.below = neighbour_of(rq, b, c->digest, false),
			.elo = c->overall.matches > 0 ? c->overall.elo : NAN,
			.lower = c->overall.order_free_lower,
			.upper = c->overall.order_free_upper,
			.order_free = c->overall.order_free,
			.length = c->overall.length,
			.headers = if_shown(c->style.headers),
			.lists = if_shown(c->style.lists),
			.bold = if_shown(c->style.bold),
			.answers = c->style.answers > 0 ? c->style.answers
							: VIEW_NO_INT };
		v[i].dressed = !isnan(v[i].headers) || !isnan(v[i].lists) ||
			       !isnan(v[i].bold);
		if (c->overall.matches > 0)
			v[i].boards = scores(rq, c);
		add_opponents(rq, b, c, &v[i]);
		if ((e = add_left_out(rq, card, c, &v[i])) != ERR_OK)
			return e;
	}
	*out = view_list(v, card->versions_n);
	return ERR_OK;
}

/* With one digit it would be 0.0: none. */
static double
if_shown(double mean)
{
	return mean >= 0.05 ? mean : NAN;
}

static void
add_opponents(struct req *rq, const struct board *b,
    const struct card_version *c, struct version_row *row)
{
	struct opponents o = opponents_of(rq, b, c->digest);

	row->best = o.best;
	row->worst = o.worst;
	row->few_met = c->overall.matches > 0 && o.best.n == 0;
}

/* How many votes on it are not counted, and why. */
static enum err
add_left_out(struct req *rq, const struct prompt_card *card,
    const struct card_version *c, struct version_row *row)
{
	const struct totals_reason *why;
	struct more_words *w;
	size_t n;
	enum err e = arena_left_out(rq->site->totals, rq->db, rq->pool,
	    c->digest, card->setup, &why, &n);

	if (e != ERR_OK || n == 0)
		return e;
	w = pool_alloc(rq->pool, sizeof(*w));
	if (w == NULL)
		return ERR_NOMEM;
	w->more = 0;
	for (size_t i = 0; i < n; i++)
		w->more += why[i].votes;
	row->left_out = reasons_list(rq, why, n);
	row->not_counted =
	    (struct view_message){ "card.not_counted", w->more, w };
	return ERR_OK;
}

/* All questions first, then the types that have seen a match. */
static struct view_list
scores(struct req *rq, const struct card_version *c)
{
	struct score_row *s = pool_array(rq->pool, c->types_n + 1, sizeof(*s));
	size_t n = 0;

	if (s == NULL)
		return view_list(NULL, 0);
	s[n++] = score("card.all", &c->overall, true);
	for (size_t i = 0; i < c->types_n; i++) {
		const struct board_row *r = &c->types[i].row;

		if (r->matches > 0)
			s[n++] = score(page_message("type.", c->types[i].type),
			    r, r->official);
	}
	return view_list(s, n);
}

static struct score_row
score(const char *label, const struct board_row *r, bool official)
{
	return (struct score_row){ .label = view_say(label),
		.is_provisional = !official,
		.elo = r->elo,
		.matches = r->matches,
		.wins = r->wins,
		.losses = r->losses,
		.ties = r->ties,
		.both_poor = r->both_poor };
}

static struct view_list
own_matches(struct req *rq, const struct prompt_card *card)
{
	struct own_row *o = pool_array(rq->pool, card->own_n + 1, sizeof(*o));

	if (o == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < card->own_n; i++) {
		const struct match_receipt *m = &card->own[i];
		struct str url = pool_printf(rq->pool, "/match/%.*s/result",
		    (int)m->token.n, m->token.p);

		o[i] = (struct own_row){ .url = { url.p, url.n },
			.question = m->question_text,
			.lang = m->lang,
			.number = m->n,
			.choice = verdict_choice(m->choice) };
	}
	return view_list(o, card->own_n);
}

/* The newest version against the one before, once both were compared. */
static struct view_message
family(struct req *rq, const struct prompt_card *card)
{
	const struct card_version *v = card->versions;
	struct family_words *w;
	double gap;

	if (card->versions_n < 2 || v[0].overall.matches == 0 ||
	    v[1].overall.matches == 0 ||
	    (w = pool_alloc(rq->pool, sizeof(*w))) == NULL)
		return view_say(NULL);
	gap = round(v[0].overall.elo) - round(v[1].overall.elo);
	*w = (struct family_words){ v[0].number, v[1].number, fabs(gap) };
	return (struct view_message){ gap > 0   ? "family.above"
				      : gap < 0 ? "family.below"
						: "family.level",
		gap == 0 ? VIEW_NO_INT : (int64_t)fabs(gap), w };
}
