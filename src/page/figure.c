/* This file knows how to turn boards into pictures with their tables. */
#include "config.h"

#include "page/figure.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "model/catalog.h"
#include "model/conf.h"
#include "model/standing.h"
#include "page/pages.h"
#include "page/req.h"
#include "rate/rater.h"

enum {
	SHOWN = 60, /* rows of a picture */
	GRID = 16,  /* of a matrix */
	GRID_NARROW = 8,
	DAYS = 60,
	FEW = 5 /* fewer matches: hatched */
};
#define SURE 1.96 /* standard deviations that chance hardly reaches */

/* What the pictures of one request are made of. */
struct making {
	struct req *rq;
	const struct figure_wish *wish;
	struct pool *pool;
	const struct board_query *q;
	const struct board *b;
	const struct standing_board *from; /* NULL: no vote */
	const struct board_row *
	    *rows; /* with a match; the first by Elo first */
	size_t rows_n;
	struct text *names;
	struct figure_words *words;
	struct figure *out;
	struct figure_cell *next; /* the cell to fill */
};

typedef enum err make_fn(struct making *m);

static make_fn intervals, wins, types, history, days, sides, lengths;

const char *const figure_names[] = { "intervals", "wins", "types", "history",
	"days", "sides", "lengths", NULL };
static make_fn *const makers[] = { intervals, wins, types, history, days, sides,
	lengths };

static enum err gather(struct making *m);
static enum err table(struct making *m, size_t rows, const char *const *keys);
static void finish(struct making *m, const char *title, int64_t count);

enum err
figure_make(struct req *rq, const struct figure_wish *wish,
    const struct board_query *q, const struct board *b, struct figure *out)
{
	struct making m = { .rq = rq,
		.wish = wish,
		.pool = rq->pool,
		.q = q,
		.b = b,
		.out = out,
		.words = pool_alloc(rq->pool, sizeof(struct figure_words)) };
	size_t k = 0;
	enum err e;

	while (
	    figure_names[k] != NULL && strcmp(figure_names[k], wish->name) != 0)
		k++;
	if (figure_names[k] == NULL)
		return ERR_NOTFOUND;
	if (m.words == NULL)
		return ERR_NOMEM;
	*m.words = (struct figure_words){ .a = VIEW_NO_INT,
		.b = VIEW_NO_INT,
		.c = VIEW_NO_INT,
		.x = NAN,
		.y = NAN,
		.tau = NAN };
	*out = (struct figure){ .name = figure_names[k],
		.last_seq = b->last_seq,
		.type = b->type,
		.tag = b->tag,
		.activity = b->activity,
		.setup = b->setup };
	if ((e = arena_is_simulated(rq->db, &out->simulated)) != ERR_OK ||
	    (e = gather(&m)) != ERR_OK)
		return e;
	e = makers[k](&m);
	return e == ERR_OK && pool_failed(rq->pool) ? ERR_NOMEM : e;
}

static enum err
gather(struct making *m)
{
	const struct board *b = m->b;

	m->rows = pool_array(
	    m->pool, b->official_n + b->provisional_n + 1, sizeof(*m->rows));
	m->names = pool_array(
	    m->pool, b->official_n + b->provisional_n + 1, sizeof(*m->names));
	if (m->rows == NULL || m->names == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < b->official_n; i++)
		m->rows[m->rows_n++] = &b->official[i];
	for (size_t i = 0; i < b->provisional_n; i++) {
		if (b->provisional[i].matches > 0)
			m->rows[m->rows_n++] = &b->provisional[i];
	}
	for (size_t i = 0; i < m->rows_n; i++) {
		const struct board_row *r = m->rows[i];
		struct str s = pool_printf(m->pool, "%.*s v%lld",
		    (int)r->title.n, r->title.p, (long long)r->version);

		m->names[i] = (struct text){ s.p, s.n };
	}
	if (m->rq->snapshot != NULL && b->setup.p != NULL)
		m->from = standing_board_find(
		    m->rq->snapshot, b->setup, b->type, b->activity);
	return ERR_OK;
}

/* ---------------------------------------------------------------- tables */

static enum err
table(struct making *m, size_t rows, const char *const *keys)
{
	struct figure *f = m->out;

	for (f->columns = 0; keys[f->columns] != NULL; f->columns++)
		f->keys[f->columns] = keys[f->columns];
	f->cells = m->next =
	    pool_array(m->pool, rows * f->columns + 1, sizeof(*f->cells));
	f->rows = rows;
	return f->cells == NULL ? ERR_NOMEM : ERR_OK;
}

static struct figure_cell *
cell(struct making *m)
{
	struct figure_cell *c = m->next++;

	c->number = VIEW_NO_INT;
	c->real = NAN;
	c->label = view_say(NULL);
	return c;
}

static void
put_text(struct making *m, struct text t, bool head)
{
	struct figure_cell *c = cell(m);

	c->text = t;
	c->head = head;
}

static void
put_int(struct making *m, int64_t v)
{
	cell(m)->number = v;
}

static void
put_real(struct making *m, double v)
{
	cell(m)->real = v;
}

static struct text
date(struct pool *pool, int64_t day)
{
	char z[32];
	struct str s;

	clock_human(day, z, sizeof(z));
	s = pool_printf(pool, "%.10s", z);
	return (struct text){ s.p, s.n };
}

/* The finding, over both widths; both say the same. */
static void
finish(struct making *m, const char *title, int64_t count)
{
	struct figure *f = m->out;
	struct str id = pool_printf(m->pool, "fig.%s.desc", f->name);

	if (title != NULL)
		f->title = (struct view_message){ title, count, m->words };
	f->desc = view_say(id.p);
	f->wide.title = f->narrow.title = f->title;
	f->wide.desc = f->narrow.desc = f->desc;
}

static enum err
nothing(struct making *m, const char *why)
{
	m->out->empty = true;
	m->out->rows = 0;
	finish(m, why, VIEW_NO_INT);
	return ERR_OK;
}

/* Draw twice: `draw` is an expression that uses p and is_narrow. */
#define BOTH(draw)                                                             \
	do {                                                                   \
		struct plot p;                                                 \
		for (int turn = 0; turn < 2; turn++) {                         \
			bool is_narrow = turn == 1;                            \
			draw;                                                  \
			*(is_narrow ? &m->out->narrow : &m->out->wide) =       \
			    plot_end(&p, m->out->title, m->out->desc);         \
		}                                                              \
	} while (0)

/* -------------------------------------------------------------- pictures */

/* The order-free rating as far as it is known, else Elo. */
static struct text
strength_note(struct pool *pool, const struct board_row *r)
{
	struct str s =
	    isnan(r->order_free) ? pool_printf(pool, "%.0f", r->elo)
	    : isnan(r->order_free_lower)
		? pool_printf(pool, "%.0f", r->order_free)
		: pool_printf(pool, "%.0f (%.0f–%.0f)", r->order_free,
		      r->order_free_lower, r->order_free_upper);

	return (struct text){ s.p, s.n };
}

static enum err
intervals(struct making *m)
{
	static const char *const keys[] = { "prompt", "elo", "order_free",
		"order_free_lower", "order_free_upper", "matches", NULL };
	size_t n = m->rows_n < SHOWN ? m->rows_n : SHOWN;
	struct plot_strength *s = pool_array(m->pool, n + 1, sizeof(*s));

	if (s == NULL)
		return ERR_NOMEM;
	if (n == 0)
		return nothing(m, "fig.empty");
	if (table(m, n, keys) != ERR_OK)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct board_row *r = m->rows[i];
		s[i] = (struct plot_strength){ .name = m->names[i],
			.label = view_say(NULL),
			.value = r->order_free,
			.lower = r->order_free_lower,
			.upper = r->order_free_upper,
			.other = r->elo,
			.note = strength_note(m->pool, r) };
		put_text(m, m->names[i], true);
		put_real(m, r->elo);
		put_real(m, r->order_free);
		put_real(m, r->order_free_lower);
		put_real(m, r->order_free_upper);
		put_int(m, r->matches);
	}
	m->out->title = board_sentence(m->rq, m->b);
	BOTH(plot_intervals(&p, m->pool, is_narrow, s, n,
	    &(struct plot_legend){
		view_say("key.order_free"), view_say("col.elo") },
	    m->b->start));
	finish(m, NULL, 0);
	return ERR_OK;
}

/* Counts of row i against row k, from i's side; false: never met. */
static bool
meeting(const struct making *m, size_t i, size_t k, struct standing_pair *out)
{
	const struct standing_row *a =
	    standing_row_find(m->from, m->rows[i]->digest);
	const struct standing_row *b =
	    standing_row_find(m->from, m->rows[k]->digest);
	const struct standing_pair *p;

	if (i == k || a == NULL || b == NULL)
		return false;
	p = standing_pair_find(
	    m->from, (size_t)(a - m->from->rows), (size_t)(b - m->from->rows));
	if (p == NULL)
		return false;
	*out = *p;
	if (a > b) {
		out->i_won = p->j_won;
		out->j_won = p->i_won;
	}
	return true;
}

static double
share_of(const struct standing_pair *p)
{
	double ties = (double)p->ties + p->both_poor;

	return (p->i_won + ties / 2) / (p->i_won + p->j_won + ties);
}

static int64_t
matches_of(const struct standing_pair *p)
{
	return (int64_t)p->i_won + p->j_won + p->ties + p->both_poor;
}

/* Each pair once, from the side of the one that stands higher. */
static enum err
wins_table(struct making *m, size_t n)
{
	static const char *const keys[] = { "prompt", "against", "share", "won",
		"lost", "ties", "both_poor", "matches" };
	const char *list[FIGURE_COLUMNS + 1] = { 0 };
	struct standing_pair p;
	size_t pairs = 0;

	for (size_t i = 0; i < FIGURE_COLUMNS; i++)
		list[i] = keys[i];
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			pairs += meeting(m, i, k, &p);
	if (table(m, pairs, list) != ERR_OK)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			if (!meeting(m, i, k, &p))
				continue;
			put_text(m, m->names[i], true);
			put_text(m, m->names[k], false);
			put_real(m, 100 * share_of(&p));
			put_int(m, p.i_won);
			put_int(m, p.j_won);
			put_int(m, p.ties);
			put_int(m, p.both_poor);
			put_int(m, matches_of(&p));
		}
	}
	return ERR_OK;
}

/*
 * Which of the pairs that met often enough is furthest from half and half.
 * Returns the finding's id.
 */
static const char *
wins_finding(struct making *m, size_t n)
{
	struct standing_pair p;
	double best = -1;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			double share;

			if (!meeting(m, i, k, &p) || matches_of(&p) < FEW)
				continue;
			share = share_of(&p);
			if (fabs(share - 0.5) <= best)
				continue;
			best = fabs(share - 0.5);
			m->words->first = m->names[share < 0.5 ? k : i];
			m->words->second = m->names[share < 0.5 ? i : k];
			m->words->x = 100 * (0.5 + best);
			m->words->b = matches_of(&p);
		}
	}
	return best < 0   ? "fig.wins_none"
	       : best > 0 ? "fig.wins"
			  : "fig.wins_even";
}

static struct plot_cell *
wins_cells(struct making *m, size_t n)
{
	struct plot_cell *c = pool_array(m->pool, n * n + 1, sizeof(*c));
	struct standing_pair p;

	for (size_t i = 0; c != NULL && i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			bool met = meeting(m, i, k, &p);

			c[i * n + k] =
			    (struct plot_cell){ .share =
						    met ? share_of(&p) : NAN,
				    .value = met ? llround(100 * share_of(&p))
						 : VIEW_NO_INT,
				    .few = met && matches_of(&p) < FEW };
		}
	}
	return c;
}

static enum err
wins(struct making *m)
{
	size_t n = m->rows_n < GRID ? m->rows_n : GRID;
	size_t few = n < GRID_NARROW ? n : GRID_NARROW;
	struct plot_column *columns =
	    pool_array(m->pool, n + 1, sizeof(*columns));
	struct plot_cell *all = wins_cells(m, n), *some = wins_cells(m, few);

	if (columns == NULL || all == NULL || some == NULL)
		return ERR_NOMEM;
	if (n < 2 || m->from == NULL)
		return nothing(m, "fig.empty");
	if (wins_table(m, n) != ERR_OK)
		return ERR_NOMEM;
	BOTH(plot_matrix(&p, m->pool, is_narrow, m->names, is_narrow ? few : n,
	    columns, is_narrow ? few : n, is_narrow ? some : all));
	finish(m, wins_finding(m, n), VIEW_NO_INT);
	return ERR_OK;
}

static const struct standing_row *
type_row(const struct making *m, size_t i, const char *type)
{
	const struct standing_board *b =
	    m->rq->snapshot == NULL || m->b->setup.p == NULL
		? NULL
		: standing_board_find(m->rq->snapshot, m->b->setup,
		      text_of(type), m->b->activity);

	return standing_row_find(b, m->rows[i]->digest);
}

/* The row that is official in a type and alone at its top; n: none is. */
static size_t
type_leader(const struct making *m, size_t n, const char *type)
{
	size_t leader = n;
	double top = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		const struct standing_row *r = type_row(m, i, type);

		if (r == NULL || r->matches < m->b->minimum || r->elo < top)
			continue;
		leader = r->elo > top ? i : n;
		top = r->elo;
	}
	return leader;
}

/* Who leads in the most types.  Returns the finding's id. */
static const char *
types_finding(struct making *m, size_t n, size_t types_n)
{
	size_t leader[FIGURE_COLUMNS], most = 0;

	for (size_t t = 0; t < types_n; t++)
		leader[t] = type_leader(m, n, catalog_types[t]);
	for (size_t i = 0; i < n; i++) {
		size_t leads = 0;

		for (size_t t = 0; t < types_n; t++)
			leads += leader[t] == i;
		if (leads > most) {
			most = leads;
			m->words->first = m->names[i];
		}
	}
	m->words->a = (int64_t)most;
	m->words->b = (int64_t)types_n;
	return most > 0 ? "fig.types" : "fig.types_none";
}

static enum err
types(struct making *m)
{
	static const char *const keys[] = { "prompt", "type", "elo",
		"order_free", "matches", NULL };
	size_t n = m->rows_n < 2 * GRID ? m->rows_n : 2 * GRID, t_n = 0;
	struct plot_column columns[FIGURE_COLUMNS];
	struct plot_cell *c;
	size_t k = 0;

	m->out->type = (struct text){ NULL, 0 }; /* all of them stand here */
	while (catalog_types[t_n] != NULL) {
		columns[t_n].label = view_say(
		    page_message("type.", text_of(catalog_types[t_n])));
		t_n++;
	}
	c = pool_array(m->pool, n * t_n + 1, sizeof(*c));
	if (c == NULL || table(m, n * t_n, keys) != ERR_OK)
		return ERR_NOMEM;
	if (n == 0 || m->from == NULL)
		return nothing(m, "fig.empty");
	for (size_t i = 0; i < n; i++) {
		for (size_t t = 0; t < t_n; t++, k++) {
			const struct standing_row *r =
			    type_row(m, i, catalog_types[t]);
			bool met = r != NULL && r->matches > 0;

			c[k] = (struct plot_cell){
				.share =
				    met ? 0.5 + (r->elo - m->b->start) / 400
					: NAN,
				.value = met ? llround(r->elo) : VIEW_NO_INT,
				.few = met && r->matches < m->b->minimum
			};
			put_text(m, m->names[i], true);
			cell(m)->label = columns[t].label;
			put_real(m, met ? r->elo : NAN);
			put_real(m, met ? r->free : NAN);
			put_int(m, met ? r->matches : 0);
		}
	}
	BOTH(plot_matrix(&p, m->pool, is_narrow, m->names, n, columns, t_n, c));
	finish(m, types_finding(m, n, t_n), VIEW_NO_INT);
	return ERR_OK;
}

/* The version asked for, by ?prompt=SLUG&version=N, else the first. */
static enum err
history_row(struct making *m, size_t *out)
{
	struct text slug, version;
	int64_t n = 0;
	enum err e;

	if ((e = form_word(&m->rq->query, "prompt", &slug)) != ERR_OK ||
	    (e = form_word(&m->rq->query, "version", &version)) != ERR_OK ||
	    (version.p != NULL &&
		(e = str_int((struct str){ version.p, version.n }, 1, INT64_MAX,
		     &n)) != ERR_OK))
		return e;
	if (m->wish->slug.p != NULL) {
		slug = m->wish->slug;
		n = m->wish->version;
	}
	*out = 0;
	for (size_t i = 0; slug.p != NULL; i++) {
		if (i == m->rows_n)
			return ERR_NOTFOUND;
		if (str_eq((struct str){ slug.p, slug.n },
			(struct str){
			    m->rows[i]->slug.p, m->rows[i]->slug.n }) &&
		    (n == 0 || m->rows[i]->version == n)) {
			*out = i;
			break;
		}
	}
	return ERR_OK;
}

static enum err
history(struct making *m)
{
	static const char *const keys[] = { "day", "elo", "glicko", "deviation",
		NULL };
	const struct standing_row *r;
	struct plot_moment *at;
	size_t i, n;
	enum err e = history_row(m, &i);

	if (e != ERR_OK)
		return e;
	r = m->rows_n == 0 ? NULL
			   : standing_row_find(m->from, m->rows[i]->digest);
	if (r == NULL || r->points_n == 0)
		return nothing(m, "fig.empty");
	n = r->points_n;
	at = pool_array(m->pool, n, sizeof(*at));
	if (at == NULL || table(m, n, keys) != ERR_OK)
		return ERR_NOMEM;
	for (size_t k = 0; k < n; k++) {
		const struct standing_point *p =
		    &m->from->points[r->first_point + k];

		at[k] = (struct plot_moment){ p->day, p->elo, p->glicko,
			p->deviation };
		put_text(m, date(m->pool, p->day), true);
		put_real(m, p->elo);
		put_real(m, p->glicko);
		put_real(m, p->deviation);
	}
	m->words->first = m->names[i];
	m->words->x = r->elo;
	m->words->y = at[n - 1].glicko;
	m->words->a = r->matches;
	m->words->b = (int64_t)n;
	BOTH(plot_history(&p, m->pool, is_narrow, at, n, view_say("col.elo"),
	    view_say(isnan(at[n - 1].glicko) ? NULL : "col.glicko")));
	finish(m, isnan(m->words->y) ? "fig.history_plain" : "fig.history",
	    m->words->b);
	return ERR_OK;
}

static enum err
days(struct making *m)
{
	static const char *const keys[] = { "day", "counted", "not_counted",
		NULL };
	const struct standing_snapshot *s = m->rq->snapshot;
	size_t all = s == NULL ? 0 : s->days_n, from, most = 0;
	const struct text none = { NULL, 0 };
	struct plot_day *d;

	/* The days of the whole site, whatever board it stands beside. */
	m->out->type = m->out->tag = m->out->activity = m->out->setup = none;
	if (all == 0)
		return nothing(m, "fig.empty");
	from = all > DAYS ? all - DAYS : 0;
	d = pool_array(m->pool, all, sizeof(*d));
	if (d == NULL || table(m, all, keys) != ERR_OK)
		return ERR_NOMEM;
	m->words->a = 0;
	for (size_t i = 0; i < all; i++) {
		d[i] = (struct plot_day){ s->days[i].day, s->days[i].counted,
			s->days[i].not_counted };
		put_text(m, date(m->pool, d[i].day), true);
		put_int(m, d[i].counted);
		put_int(m, d[i].not_counted);
		m->words->a += d[i].counted + d[i].not_counted;
		if (d[i].counted + d[i].not_counted >
		    d[most].counted + d[most].not_counted)
			most = i;
	}
	m->words->b = (int64_t)all;
	m->words->c = d[most].counted + d[most].not_counted;
	m->words->day = date(m->pool, d[most].day);
	BOTH(plot_days(&p, m->pool, is_narrow, d + from, all - from));
	finish(m, "fig.days", m->words->a);
	return ERR_OK;
}

/* A board's share of A among decided votes. */
static void
side_row(struct making *m, const struct standing_board *b,
    struct view_message label, struct plot_strength *out)
{
	double share = 100 * b->side.value, lower = 100 * b->side.lower,
	       upper = 100 * b->side.upper;
	struct str note = STR("");

	if (b->side.n > 0)
		note = pool_printf(m->pool, "%.1f %% (n = %llu)", share,
		    (unsigned long long)b->side.n);
	*out = (struct plot_strength){ .label = label,
		.value = share,
		.lower = lower,
		.upper = upper,
		.other = NAN,
		.note = { note.p, note.n } };
	cell(m)->label = label;
	put_int(m, b->side_a);
	put_int(m, b->side_b);
	put_int(m, b->ties);
	put_int(m, b->both_poor);
	put_real(m, share);
	put_real(m, lower);
	put_real(m, upper);
}

static enum err
sides(struct making *m)
{
	static const char *const keys[] = { "type", "a_won", "b_won", "ties",
		"both_poor", "share_a", "lower", "upper" };
	const char *list[FIGURE_COLUMNS + 1] = { 0 };
	struct plot_strength s[FIGURE_COLUMNS];
	size_t n = 0;

	m->out->tag = (struct text){ NULL, 0 }; /* every vote has two sides */
	for (size_t i = 0; i < FIGURE_COLUMNS; i++)
		list[i] = keys[i];
	if (table(m, FIGURE_COLUMNS, list) != ERR_OK)
		return ERR_NOMEM;
	if (m->from == NULL || m->from->side_a + m->from->side_b == 0)
		return nothing(m, m->from == NULL || m->from->matches == 0
				      ? "fig.empty"
				      : "fig.sides_ties");
	side_row(m, m->from,
	    view_say(m->b->type.p == NULL ? "card.all"
					  : page_message("type.", m->b->type)),
	    &s[n++]);
	for (size_t t = 0; catalog_types[t] != NULL && m->b->type.p == NULL;
	     t++) {
		const struct standing_board *b =
		    standing_board_find(m->rq->snapshot, m->b->setup,
			text_of(catalog_types[t]), m->b->activity);

		if (b != NULL && n < FIGURE_COLUMNS)
			side_row(m, b,
			    view_say(page_message(
				"type.", text_of(catalog_types[t]))),
			    &s[n++]);
	}
	m->out->rows = n;
	m->words->a = m->from->side_a + m->from->side_b;
	m->words->x = s[0].value;
	BOTH(plot_intervals(&p, m->pool, is_narrow, s, n, NULL, 50));
	finish(m,
	    isnan(s[0].lower) ? "fig.sides_plain"
	    : s[0].lower > 50 ? "fig.sides_a"
	    : s[0].upper < 50 ? "fig.sides_b"
			      : "fig.sides_none",
	    m->words->a);
	return ERR_OK;
}

/* How far Kendall's tau of n unrelated rows strays (Kendall 1938): its
 * standard deviation. */
static double
tau_spread(size_t n)
{
	double k = (double)n;

	return sqrt(2 * (2 * k + 5) / (9 * k * (k - 1)));
}

static enum err
lengths(struct making *m)
{
	static const char *const keys[] = { "number", "prompt", "words", "elo",
		"matches", NULL };
	struct plot_spot *s = pool_array(m->pool, m->rows_n + 1, sizeof(*s));
	double *x = pool_array(m->pool, m->rows_n + 1, sizeof(*x));
	double *y = pool_array(m->pool, m->rows_n + 1, sizeof(*y));
	size_t n = 0;
	double sure;

	if (s == NULL || x == NULL || y == NULL ||
	    table(m, m->rows_n, keys) != ERR_OK)
		return ERR_NOMEM;
	for (size_t i = 0; i < m->rows_n && n < SHOWN; i++) {
		const struct board_row *r = m->rows[i];

		if (isnan(r->length))
			continue;
		s[n] = (struct plot_spot){ r->length, r->elo, (int64_t)i + 1 };
		x[n] = r->length;
		y[n++] = r->elo;
		put_int(m, (int64_t)i + 1);
		put_text(m, m->names[i], true);
		put_real(m, r->length);
		put_real(m, r->elo);
		put_int(m, r->matches);
	}
	if (n < 2)
		return nothing(m, "fig.empty");
	m->out->rows = n;
	m->words->tau = rater_tau(x, y, n);
	sure = SURE * tau_spread(n);
	BOTH(plot_spots(&p, m->pool, is_narrow, s, n, view_say("col.words"),
	    view_say("col.elo")));
	finish(m,
	    m->words->tau > sure    ? "fig.lengths_up"
	    : m->words->tau < -sure ? "fig.lengths_down"
				    : "fig.lengths_none",
	    VIEW_NO_INT);
	return ERR_OK;
}
