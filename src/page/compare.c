/* This file knows how to set two prompts against each other. */
#include "config.h"

#include "rate/compare.h"

#include <math.h>
#include <string.h>

#include "model/conf.h"
#include "model/standing.h"
#include "page/app.h"
#include "page/error.h"
#include "page/figure.h"
#include "page/handlers.h"
#include "page/options.h"
#include "page/pages.h"
#include "page/req.h"
#include "port/json.h"
#include "rate/bt.h"
#include "rate/elo.h"
#include "rate/num.h"

#define EVIDENCE_SHOWN 1e6 /* more than that impresses nobody more */

/* As prompt-arena rate --compare judges. */
static const struct compare_options usual = COMPARE_USUAL;

struct contest {
	struct board_query q;
	struct board b;
	const struct board_row *a, *z; /* the two; NULL: not chosen */
	struct text unknown;           /* asked for, and not there */
	const struct board_row *near;  /* what may have been meant; or NULL */
	struct compare_votes votes;
	struct compare_result result;
	double by_ratings; /* chance that a is preferred; NaN: unknown */
	double by_elo;
};

struct compare_row {
	struct view_list a_menu, b_menu;
	struct text a_name, b_name, a_url, b_url, json_url, type, activity,
	    setup;
	struct view_message verdict;
	struct text near, near_url; /* what may have been meant */
	bool chosen, met, decided, by_question;
	int64_t a_won, b_won, ties, matches, decisive, questions_a, questions_b,
	    as_of;
	double evidence, clear, likely; /* of the e-value */
	double share, share_lower, share_upper, sure_lower, sure_upper, sign_p,
	    paired_p, by_ratings, by_elo, a_elo, b_elo;
};

#define C struct compare_row
const struct view_shape compare_shape = { "compare", sizeof(C),
	(const struct view_field[]){
	    VIEW_FIELD_OF(C, a_menu, VIEW_LIST, &option_shape),
	    VIEW_FIELD_OF(C, b_menu, VIEW_LIST, &option_shape),
	    VIEW_FIELD(C, a_name, VIEW_TEXT), VIEW_FIELD(C, b_name, VIEW_TEXT),
	    VIEW_FIELD(C, a_url, VIEW_URL), VIEW_FIELD(C, b_url, VIEW_URL),
	    VIEW_FIELD(C, near, VIEW_TEXT), VIEW_FIELD(C, near_url, VIEW_URL),
	    VIEW_FIELD(C, json_url, VIEW_URL), VIEW_FIELD(C, type, VIEW_TEXT),
	    VIEW_FIELD(C, activity, VIEW_TEXT), VIEW_FIELD(C, setup, VIEW_TEXT),
	    VIEW_FIELD(C, verdict, VIEW_MESSAGE),
	    VIEW_FIELD(C, chosen, VIEW_FLAG), VIEW_FIELD(C, met, VIEW_FLAG),
	    VIEW_FIELD(C, decided, VIEW_FLAG),
	    VIEW_FIELD(C, by_question, VIEW_FLAG),
	    VIEW_FIELD(C, a_won, VIEW_INT), VIEW_FIELD(C, b_won, VIEW_INT),
	    VIEW_FIELD(C, ties, VIEW_INT), VIEW_FIELD(C, matches, VIEW_INT),
	    VIEW_FIELD(C, decisive, VIEW_INT),
	    VIEW_FIELD(C, questions_a, VIEW_INT),
	    VIEW_FIELD(C, questions_b, VIEW_INT),
	    VIEW_FIELD(C, as_of, VIEW_INT), VIEW_FIELD_REAL(C, share, 1),
	    VIEW_FIELD_REAL(C, evidence, 1), VIEW_FIELD_REAL(C, clear, 0),
	    VIEW_FIELD_REAL(C, likely, 0), VIEW_FIELD_REAL(C, share_lower, 1),
	    VIEW_FIELD_REAL(C, share_upper, 1),
	    VIEW_FIELD_REAL(C, sure_lower, 1),
	    VIEW_FIELD_REAL(C, sure_upper, 1), VIEW_FIELD_REAL(C, sign_p, 4),
	    VIEW_FIELD_REAL(C, paired_p, 4), VIEW_FIELD_REAL(C, by_ratings, 0),
	    VIEW_FIELD_REAL(C, by_elo, 0), VIEW_FIELD_REAL(C, a_elo, 0),
	    VIEW_FIELD_REAL(C, b_elo, 0), VIEW_END } };
#undef C

static enum err load(struct req *, struct contest *);
static const struct board_row *find(const struct board *, struct text who);
static enum err count(struct req *, struct contest *);
static struct text name_of(struct req *, const struct board_row *);
static struct text meant_url(struct req *, const struct contest *);
static void fill(struct req *, const struct contest *, struct compare_row *);
static struct view_message verdict(struct req *, const struct contest *);
static struct view_list menu(
    struct req *, const struct board *, const struct board_row *chosen);

/* GET /compare?a=SLUG:VERSION&b=SLUG:VERSION (without :VERSION the newest) */
enum err
pg_compare(struct req *rq)
{
	struct compare_row row = { 0 };
	struct contest c;
	enum err e;

	if ((e = load(rq, &c)) != ERR_OK)
		return e;
	row.type = c.q.type;
	row.activity = c.q.activity;
	row.setup = c.q.setup;
	row.a_menu = menu(rq, &c.b, c.a);
	row.b_menu = menu(rq, &c.b, c.z);
	row.as_of = c.b.last_seq > 0 ? c.b.last_seq : VIEW_NO_INT;
	row.chosen = c.a != NULL && c.z != NULL && c.a != c.z;
	row.verdict = verdict(rq, &c);
	if (row.chosen)
		fill(rq, &c, &row);
	if (c.unknown.p == NULL)
		return resp_page(rq, PAGE_COMPARE, &row);
	if (c.near != NULL) {
		row.near = name_of(rq, c.near);
		row.near_url = meant_url(rq, &c);
	}
	return resp_page_status(rq, 404, PAGE_COMPARE, &row);
}

/* GET /compare.json */
enum err
pg_compare_json(struct req *rq)
{
	static const char *const verdicts[COMPARE__MAX] = {
		[COMPARE_CLEAR_A] = "clear_a",
		[COMPARE_CLEAR_B] = "clear_b",
		[COMPARE_PROBABLE_A] = "probable_a",
		[COMPARE_PROBABLE_B] = "probable_b",
		[COMPARE_EQUAL] = "equal",
		[COMPARE_OPEN] = "open",
		[COMPARE_NO_VOTES] = "no_votes",
	};
	const struct compare_result *r;
	struct contest c;
	struct js_out o;
	bool simulated;
	enum err e;

	if ((e = load(rq, &c)) != ERR_OK ||
	    (e = arena_is_simulated(rq->db, &simulated)) != ERR_OK)
		return e;
	if (c.unknown.p != NULL)
		return ERR_NOTFOUND;
	if (c.a == NULL || c.z == NULL || c.a == c.z)
		return ERR_INVALID;
	r = &c.result;
	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_int(&o, "schema", 1);
	js_put_bool(&o, "simulated", simulated);
	js_put_int(&o, "last_seq", c.b.last_seq);
	js_put_text(&o, "a", c.a->digest);
	js_put_text(&o, "b", c.z->digest);
	js_put_str(&o, "verdict", str_of(verdicts[r->verdict]));
	js_put_int(&o, "a_won", (int64_t)c.votes.a);
	js_put_int(&o, "b_won", (int64_t)c.votes.b);
	js_put_int(&o, "ties", (int64_t)c.votes.ties);
	if (r->decisive > 0) {
		js_put_real(&o, "share", r->share);
		js_put_real(&o, "share_lower", r->share_lower);
		js_put_real(&o, "share_upper", r->share_upper);
		js_put_real(&o, "log_e_value", r->log_e);
		js_put_real(&o, "sequence_lower", r->sequence_lower);
		js_put_real(&o, "sequence_upper", r->sequence_upper);
		js_put_real(&o, "sign_p", r->sign_p);
		js_put_int(&o, "questions_a", (int64_t)r->questions_a);
		js_put_int(&o, "questions_b", (int64_t)r->questions_b);
		js_put_real(&o, "paired_p", r->paired_p);
	}
	if (r->matches_needed != COMPARE_NEVER)
		js_put_int(&o, "matches_needed", (int64_t)r->matches_needed);
	js_put_real(&o, "win_probability", c.by_ratings);
	js_put_real(&o, "win_probability_elo", c.by_elo);
	js_end(&o);
	buf_c(rq->out, '\n');
	return resp_data(rq, "application/json", NULL);
}

static enum err
load(struct req *rq, struct contest *c)
{
	struct text a, z;
	enum err e;

	*c = (struct contest){ .by_ratings = NAN, .by_elo = NAN };
	if ((e = form_word(&rq->query, "a", &a)) != ERR_OK ||
	    (e = form_word(&rq->query, "b", &z)) != ERR_OK ||
	    (e = board_query_load(rq, false, &c->q, &c->b)) != ERR_OK)
		return e;
	c->a = find(&c->b, a);
	c->z = find(&c->b, z);
	if (a.p != NULL && c->a == NULL)
		c->unknown = a;
	else if (z.p != NULL && c->z == NULL)
		c->unknown = z;
	if (c->unknown.p != NULL) {
		struct str slug = { c->unknown.p, c->unknown.n };

		slug = str_cut(&slug, ':');
		c->near = board_query_near(rq, &c->b, slug);
		return ERR_OK;
	}
	return c->a == NULL || c->z == NULL || c->a == c->z ? ERR_OK
							    : count(rq, c);
}

static const struct board_row *
find_in(const struct board_row *rows, size_t n, struct str slug,
    int64_t version, const struct board_row *best)
{
	for (size_t i = 0; i < n; i++) {
		const struct board_row *r = &rows[i];

		if (!str_eq((struct str){ r->slug.p, r->slug.n }, slug) ||
		    (version > 0 && r->version != version))
			continue;
		if (best == NULL || r->version > best->version)
			best = r;
	}
	return best;
}

static const struct board_row *
find(const struct board *b, struct text who)
{
	struct str rest = { who.p, who.n }, slug = str_cut(&rest, ':');
	int64_t version = 0;

	if (who.p == NULL ||
	    (rest.p != NULL && str_int(rest, 1, INT64_MAX, &version) != ERR_OK))
		return NULL;
	return find_in(b->provisional, b->provisional_n, slug, version,
	    find_in(b->official, b->official_n, slug, version, NULL));
}

/* Their own matches, question by question, and what ratings foretell. */
static enum err
count(struct req *rq, struct contest *c)
{
	const struct standing_board *from =
	    rq->snapshot == NULL || c->b.setup.p == NULL
		? NULL
		: standing_board_find(
		      rq->snapshot, c->b.setup, c->b.type, c->b.activity);
	struct elo_rule rule = { rq->conf->k, rq->conf->start,
		rq->conf->scale };
	struct compare_question *q;
	const struct standing_met *met;
	size_t n = 0;
	enum err e;

	if (from != NULL) {
		e = standing_met(rq->site->standing, rq->pool, from,
		    rq->snapshot->seq, c->a->digest, c->z->digest, &met, &n);
		if (e != ERR_OK)
			return e;
	}
	q = pool_array(rq->pool, n + 1, sizeof(*q));
	if (q == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		q[i] = (struct compare_question){ met[i].a_won, met[i].b_won };
		c->votes.a += met[i].a_won;
		c->votes.b += met[i].b_won;
		c->votes.ties += met[i].ties + met[i].both_poor;
	}
	c->votes.question = q;
	c->votes.nquestions = n;
	compare_pair(&c->votes, &usual, &c->result);
	c->by_elo = elo_expected(&rule, c->a->elo, c->z->elo);
	if (c->a->group == c->z->group)
		c->by_ratings = num_sigmoid(
		    (c->a->order_free - c->z->order_free) / BT_POINTS);
	return ERR_OK;
}

static struct text
name_of(struct req *rq, const struct board_row *r)
{
	struct str s = pool_printf(rq->pool, "%.*s v%lld", (int)r->title.n,
	    r->title.p, (long long)r->version);

	return (struct text){ s.p, s.n };
}

/* The same comparison with what may have been meant. */
static struct text
meant_url(struct req *rq, const struct contest *c)
{
	const struct board_row *other = c->a != NULL ? c->a : c->z;
	const struct board_row *x = c->a != NULL ? c->a : c->near;
	const struct board_row *y = c->a != NULL ? c->near : c->z;
	struct str s;

	if (other == NULL)
		s = pool_printf(rq->pool, "/compare?a=%.*s:%lld",
		    (int)c->near->slug.n, c->near->slug.p,
		    (long long)c->near->version);
	else
		s = pool_printf(rq->pool, "/compare?a=%.*s:%lld&b=%.*s:%lld",
		    (int)x->slug.n, x->slug.p, (long long)x->version,
		    (int)y->slug.n, y->slug.p, (long long)y->version);
	return (struct text){ s.p, s.n };
}

static struct text
card_url(struct req *rq, const struct board_row *r)
{
	struct str s =
	    pool_printf(rq->pool, "/prompt/%.*s", (int)r->slug.n, r->slug.p);

	return (struct text){ s.p, s.n };
}

static void
fill(struct req *rq, const struct contest *c, struct compare_row *row)
{
	const struct compare_result *r = &c->result;
	struct str url = pool_printf(rq->pool,
	    "/compare.json?a=%.*s:%lld&b=%.*s:%lld%s%.*s%s%.*s%s%.*s",
	    (int)c->a->slug.n, c->a->slug.p, (long long)c->a->version,
	    (int)c->z->slug.n, c->z->slug.p, (long long)c->z->version,
	    c->q.type.n > 0 ? "&type=" : "", (int)c->q.type.n, c->q.type.p,
	    c->q.activity.n > 0 ? "&activity=" : "", (int)c->q.activity.n,
	    c->q.activity.p, c->q.setup.n > 0 ? "&setup=" : "",
	    (int)c->q.setup.n, c->q.setup.p);

	row->json_url = (struct text){ url.p, url.n };
	row->a_name = name_of(rq, c->a);
	row->b_name = name_of(rq, c->z);
	row->a_url = card_url(rq, c->a);
	row->b_url = card_url(rq, c->z);
	row->a_won = (int64_t)c->votes.a;
	row->b_won = (int64_t)c->votes.b;
	row->ties = c->votes.ties > 0 ? (int64_t)c->votes.ties : VIEW_NO_INT;
	row->matches = (int64_t)(c->votes.a + c->votes.b + c->votes.ties);
	row->met = row->matches > 0;
	row->decisive = (int64_t)r->decisive;
	row->decided = r->decisive > 0;
	row->evidence = num_exp(fmin(r->log_e, log(EVIDENCE_SHOWN)));
	row->clear = compare_evidence(usual.level);
	row->likely = compare_evidence(usual.likely);
	row->share = 100 * r->share;
	row->share_lower = 100 * r->share_lower;
	row->share_upper = 100 * r->share_upper;
	row->sure_lower = 100 * r->sequence_lower;
	row->sure_upper = 100 * r->sequence_upper;
	row->sign_p = r->sign_p;
	row->by_question = r->questions_a + r->questions_b > 0;
	row->questions_a = (int64_t)r->questions_a;
	row->questions_b = (int64_t)r->questions_b;
	row->paired_p = r->paired_p;
	row->by_ratings = 100 * c->by_ratings;
	row->by_elo = 100 * c->by_elo;
	row->a_elo = c->a->elo;
	row->b_elo = c->z->elo;
}

/* The better one comes first in the sentence. */
static struct view_message
verdict(struct req *rq, const struct contest *c)
{
	static const char *const ids[COMPARE__MAX] = {
		[COMPARE_CLEAR_A] = "compare.clear",
		[COMPARE_CLEAR_B] = "compare.clear",
		[COMPARE_PROBABLE_A] = "compare.probable",
		[COMPARE_PROBABLE_B] = "compare.probable",
		[COMPARE_EQUAL] = "compare.equal",
		[COMPARE_OPEN] = "compare.open",
		[COMPARE_NO_VOTES] = "compare.no_votes",
	};
	struct figure_words *w = pool_alloc(rq->pool, sizeof(*w));
	const struct compare_result *r = &c->result;
	struct view_message m = { NULL, VIEW_NO_INT, w };
	bool turned;

	if (w == NULL)
		return m;
	if (c->unknown.p != NULL) {
		*w = (struct figure_words){ .first = error_asked(c->unknown) };
		m.id = "compare.unknown";
		return m;
	}
	if (c->a == NULL || c->z == NULL)
		return view_say("compare.choose");
	if (c->a == c->z)
		return view_say("compare.same");
	turned =
	    r->verdict == COMPARE_CLEAR_B || r->verdict == COMPARE_PROBABLE_B;
	*w = (struct figure_words){ .first = name_of(rq, turned ? c->z : c->a),
		.second = name_of(rq, turned ? c->a : c->z),
		.a = VIEW_NO_INT,
		.b = VIEW_NO_INT,
		.c = VIEW_NO_INT,
		.x = NAN,
		.y = NAN,
		.tau = NAN };
	m.id = ids[r->verdict];
	if (r->verdict != COMPARE_OPEN && r->verdict != COMPARE_PROBABLE_A &&
	    r->verdict != COMPARE_PROBABLE_B)
		return m;
	m.count = w->a = board_about((int64_t)r->matches_needed);
	return m;
}

static struct view_list
menu(struct req *rq, const struct board *b, const struct board_row *chosen)
{
	size_t n = 0;
	struct option_row *o = pool_array(
	    rq->pool, b->official_n + b->provisional_n + 1, sizeof(*o));

	for (size_t i = 0; o != NULL && i < b->official_n + b->provisional_n;
	     i++) {
		const struct board_row *r =
		    i < b->official_n ? &b->official[i]
				      : &b->provisional[i - b->official_n];
		struct str value = pool_printf(rq->pool, "%.*s:%lld",
		    (int)r->slug.n, r->slug.p, (long long)r->version);

		o[n++] = (struct option_row){ .value = { value.p, value.n },
			.name = name_of(rq, r),
			.label = view_say(NULL),
			.hint = view_say(NULL),
			.selected = r == chosen };
	}
	return view_list(o, n);
}
