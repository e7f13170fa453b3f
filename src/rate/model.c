/* This file knows how to fit the models that carry more than strengths. */
#include "config.h"

#include "rate/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/dense.h"
#include "rate/num.h"

enum {
	MAX_NEWTON = 100,
	MAX_HALVINGS = 60
};

/* Curvature, beside that of the parameter alone, of a top that is one. */
static const double flattest = 1e-12;

/* And per vote: odds of a hundred million million millions. */
static const double farthest = 1e-20;

/* Derivatives of one outcome's log-probability in (eta, tie parameter). */
struct slope {
	double log_p, eta, tie;
};

struct curve {
	double ee, et, tt; /* of minus the log-likelihood */
};

struct system {
	const struct model_row *rows;
	const double *z;
	size_t nrows;
	uint32_t n;
	const struct model_options *o;
	size_t dim, tie_at; /* tie_at = dim if there is no tie parameter */
	double *x, *grad, *h, *step, *try, *games;
};

static enum err climb(struct system *, struct model_fit *);
static enum err errors(struct system *, struct model_fit *);

/* The three outcomes' log-probabilities and slopes at eta and tie t. */
static void
outcomes(
    enum model_kind kind, bool has_tie, double eta, double t, struct slope s[3])
{
	if (kind == MODEL_BT || !has_tie) {
		double p = num_sigmoid(eta), q = num_sigmoid(-eta);

		s[0] = (struct slope){ num_log_sigmoid(eta), q, 0 };
		s[1] = (struct slope){ num_log_sigmoid(-eta), -p, 0 };
		s[2] = (struct slope){ 0.5 * (s[0].log_p + s[1].log_p),
			0.5 * (q - p), 0 };
	} else if (kind == MODEL_DAVIDSON) {
		double top = fmax(0.5 * fabs(eta), t);
		double a = num_exp(0.5 * eta - top);
		double b = num_exp(-0.5 * eta - top), c = num_exp(t - top);
		double d = a + b + c, lean = 0.5 * (a - b) / d, ld;

		ld = num_log(d) + top;
		s[0] = (struct slope){ 0.5 * eta - ld, 0.5 - lean, -c / d };
		s[1] = (struct slope){ -0.5 * eta - ld, -0.5 - lean, -c / d };
		s[2] = (struct slope){ t - ld, -lean, 1.0 - c / d };
	} else {
		double f = num_log_sigmoid(eta - t);
		double g = num_log_sigmoid(-eta - t);
		double pf = num_sigmoid(t - eta), pg = num_sigmoid(t + eta);
		double u = num_exp(-2.0 * t);

		s[0] = (struct slope){ f, pf, -pf };
		s[1] = (struct slope){ g, -pg, -pg };
		s[2] = (struct slope){ f + g + 2.0 * t + num_log1p(-u), pf - pg,
			2.0 / (1.0 - u) - pf - pg };
	}
}

static struct curve
curvature(const struct model_row *r, enum model_kind kind, bool has_tie,
    double eta, double t)
{
	double n = r->w[0] + r->w[1] + r->w[2];
	struct curve c = { 0 };

	if (kind == MODEL_BT || !has_tie) {
		c.ee = n * num_sigmoid(eta) * num_sigmoid(-eta);
	} else if (kind == MODEL_DAVIDSON) {
		struct slope s[3];
		double pa, pb, pt;

		outcomes(kind, has_tie, eta, t, s);
		pa = num_exp(s[0].log_p);
		pb = num_exp(s[1].log_p);
		pt = num_exp(s[2].log_p);
		c.ee = 0.25 * n * (pa + pb - (pa - pb) * (pa - pb));
		c.et = -0.5 * n * (pa - pb) * pt;
		c.tt = n * pt * (1.0 - pt);
	} else {
		double f = num_sigmoid(eta - t) * num_sigmoid(t - eta);
		double g = num_sigmoid(eta + t) * num_sigmoid(-eta - t);
		double a = (r->w[0] + r->w[2]) * f;
		double b = (r->w[1] + r->w[2]) * g;
		double u = num_exp(-2.0 * t);

		c.ee = a + b;
		c.et = b - a;
		c.tt = a + b + r->w[2] * 4.0 * u / ((1.0 - u) * (1.0 - u));
	}
	return c;
}

static double
eta_of(const struct system *s, size_t k, const double *x)
{
	const struct model_row *r = &s->rows[k];
	double eta = x[r->i] - x[r->j];

	for (size_t c = 0; c < s->o->nz; c++)
		eta += s->z[k * s->o->nz + c] * x[s->n + c];
	return eta;
}

static bool
has_tie(const struct system *s)
{
	return s->tie_at < s->dim;
}

/* Log-likelihood less penalties at x; -infinity outside the domain. */
static double
objective(const struct system *s, const double *x, bool penalties)
{
	double sum = 0, t = has_tie(s) ? x[s->tie_at] : 0;
	struct slope o[3];

	if (s->o->kind == MODEL_RAO_KUPPER && has_tie(s) && !(t > 0.0))
		return -HUGE_VAL;
	for (size_t k = 0; k < s->nrows; k++) {
		outcomes(s->o->kind, has_tie(s), eta_of(s, k, x), t, o);
		for (int c = 0; c < 3; c++)
			if (s->rows[k].w[c] > 0.0)
				sum += s->rows[k].w[c] * o[c].log_p;
	}
	for (uint32_t i = 0; penalties && i < s->n; i++) {
		sum -= 0.5 * s->o->ridge_theta * x[i] * x[i];
		if (s->o->ghost)
			sum += 0.5 * num_log_sigmoid(x[i]) +
			       0.5 * num_log_sigmoid(-x[i]);
	}
	for (size_t c = 0; penalties && c < s->o->nz; c++)
		sum -= 0.5 * s->o->ridge_beta * x[s->n + c] * x[s->n + c];
	return sum;
}

/*
 * The row's direction in parameter space: index[] and weight[] of eta's
 * entries.  Returns their number.
 */
static size_t
direction(const struct system *s, size_t k, size_t *index, double *weight)
{
	size_t m = 0;

	index[m] = s->rows[k].i;
	weight[m++] = 1.0;
	index[m] = s->rows[k].j;
	weight[m++] = -1.0;
	for (size_t c = 0; c < s->o->nz; c++) {
		index[m] = s->n + c;
		weight[m++] = s->z[k * s->o->nz + c];
	}
	return m;
}

static void
add_row(struct system *s, size_t k, double t, size_t *index, double *weight)
{
	const struct model_row *r = &s->rows[k];
	double eta = eta_of(s, k, s->x), g = 0, gt = 0;
	size_t m = direction(s, k, index, weight), dim = s->dim;
	struct slope o[3];
	struct curve c = curvature(r, s->o->kind, has_tie(s), eta, t);

	outcomes(s->o->kind, has_tie(s), eta, t, o);
	for (int y = 0; y < 3; y++) {
		g += r->w[y] * o[y].eta;
		gt += r->w[y] * o[y].tie;
	}
	for (size_t p = 0; p < m; p++) {
		s->grad[index[p]] += g * weight[p];
		for (size_t q = 0; q < m; q++)
			s->h[index[p] * dim + index[q]] +=
			    c.ee * weight[p] * weight[q];
		if (has_tie(s)) {
			s->h[index[p] * dim + s->tie_at] += c.et * weight[p];
			s->h[s->tie_at * dim + index[p]] += c.et * weight[p];
		}
	}
	if (has_tie(s)) {
		s->grad[s->tie_at] += gt;
		s->h[s->tie_at * dim + s->tie_at] += c.tt;
	}
}

/* Gradient and Hessian at s->x, and the flat direction filled. */
static void
differentiate(struct system *s)
{
	size_t dim = s->dim, *index = NULL;
	double *weight, fill = 0, t = has_tie(s) ? s->x[s->tie_at] : 0;

	memset(s->grad, 0, dim * sizeof(*s->grad));
	memset(s->h, 0, dim * dim * sizeof(*s->h));
	index = malloc((s->o->nz + 2) * (sizeof(*index) + sizeof(*weight)));
	if (index == NULL) {
		s->grad[0] = NAN;
		return;
	}
	weight = (double *)(void *)(index + s->o->nz + 2);
	for (size_t k = 0; k < s->nrows; k++)
		add_row(s, k, t, index, weight);
	free(index);
	for (uint32_t i = 0; i < s->n; i++) {
		double p = num_sigmoid(s->x[i]);

		fill += s->h[i * dim + i] / s->n;
		s->grad[i] -= s->o->ridge_theta * s->x[i];
		s->h[i * dim + i] += s->o->ridge_theta;
		if (s->o->ghost) {
			s->grad[i] += 0.5 - p;
			s->h[i * dim + i] += p * (1.0 - p);
		}
	}
	for (size_t c = s->n; c < s->n + s->o->nz; c++) {
		s->grad[c] -= s->o->ridge_beta * s->x[c];
		s->h[c * dim + c] += s->o->ridge_beta;
	}
	if (s->o->ghost || s->o->ridge_theta > 0.0)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++)
			s->h[i * dim + j] += fill / s->n;
}

static enum err
open_system(struct system *s)
{
	double wins = 0, ties = 0;
	size_t d;

	for (size_t k = 0; k < s->nrows; k++) {
		wins += s->rows[k].w[0] + s->rows[k].w[1];
		ties += s->rows[k].w[2];
	}
	s->dim = s->tie_at = s->n + s->o->nz;
	if (s->o->kind != MODEL_BT && ties > 0.0) {
		if (!(wins > 0.0))
			return ERR_INVALID;
		s->dim++;
	}
	d = s->dim;
	s->x = calloc(5 * d + s->n + d * d, sizeof(*s->x));
	if (s->x == NULL)
		return ERR_NOMEM;
	s->grad = s->x + d;
	s->step = s->x + 2 * d;
	s->try = s->x + 3 * d;
	s->games = s->x + 4 * d;
	s->h = s->x + 5 * d + s->n;
	if (has_tie(s)) /* so that the ties are about right at once */
		s->x[s->tie_at] = s->o->kind == MODEL_DAVIDSON
				      ? num_log(2.0 * ties / wins)
				      : num_log1p(2.0 * ties / wins);
	for (size_t k = 0; k < s->nrows; k++) {
		const double *w = s->rows[k].w;

		s->games[s->rows[k].i] += w[0] + w[1] + w[2];
		s->games[s->rows[k].j] += w[0] + w[1] + w[2];
	}
	return ERR_OK;
}

static void
note_result(struct system *s, struct model_fit *fit)
{
	double mean = 0;

	memcpy(fit->theta, s->x, s->n * sizeof(*fit->theta));
	/* s->x stays as it is: there the ghost is at 0. */
	for (uint32_t i = 0; i < s->n; i++)
		mean += s->x[i] / s->n;
	for (uint32_t i = 0; i < s->n && !(s->o->ridge_theta > 0.0); i++)
		fit->theta[i] -= mean;
	memcpy(fit->beta, s->x + s->n, s->o->nz * sizeof(*fit->beta));
	fit->tie = has_tie(s)                       ? num_exp(s->x[s->tie_at])
		   : s->o->kind == MODEL_RAO_KUPPER ? 1.0
						    : 0.0;
	fit->log_likelihood = objective(s, s->x, false);
	fit->aic = -2.0 * fit->log_likelihood +
		   2.0 * (double)(s->dim - (s->o->ridge_theta > 0.0 ? 0 : 1));
}

/* ERR_LIMIT where it is known beforehand that there is no maximum. */
static enum err
expect_peak(const struct system *s)
{
	const struct model_options *o = s->o;
	bool has = true;
	enum err e = ERR_OK;

	if (has_tie(s) && !o->ghost && o->nz == 0 && !(o->ridge_theta > 0.0))
		e = model_has_peak(s->rows, s->nrows, s->n, &has);
	return e != ERR_OK || has ? e : ERR_LIMIT;
}

enum err
model_fit(const struct model_row *rows, const double *z, size_t nrows,
    uint32_t nitems, const struct model_options *o, struct model_fit *out)
{
	struct system s = {
		.rows = rows, .z = z, .nrows = nrows, .n = nitems, .o = o
	};
	struct model_fit fit = { 0 };
	enum err e;

	if (nitems > MODEL_MOST)
		return ERR_TOOBIG;
	if ((e = open_system(&s)) != ERR_OK)
		return e;
	fit.theta = calloc(nitems + 1u, sizeof(*fit.theta));
	fit.se = calloc(nitems + 1u, sizeof(*fit.se));
	fit.beta = calloc(o->nz + 1, sizeof(*fit.beta));
	fit.se_beta = calloc(o->nz + 1, sizeof(*fit.se_beta));
	e = ERR_NOMEM;
	if (fit.theta == NULL || fit.se == NULL || fit.beta == NULL ||
	    fit.se_beta == NULL)
		goto out;
	if ((e = expect_peak(&s)) != ERR_OK || (e = climb(&s, &fit)) != ERR_OK)
		goto out;
	note_result(&s, &fit);
	if ((e = errors(&s, &fit)) != ERR_OK)
		goto out;
	*out = fit;
	fit = (struct model_fit){ 0 };
out:
	model_fit_release(&fit);
	free(s.x);
	return e;
}

void
model_fit_release(struct model_fit *fit)
{
	free(fit->theta);
	free(fit->se);
	free(fit->beta);
	free(fit->se_beta);
	memset(fit, 0, sizeof(*fit));
}

static double
worst_gradient(const struct system *s)
{
	double worst = 0, all = 0;

	for (uint32_t i = 0; i < s->n; i++)
		all += 0.5 * s->games[i];
	for (size_t k = 0; k < s->dim; k++) {
		double g = fabs(s->grad[k]) / (k < s->n ? s->games[k] : all);

		worst = g > worst || isnan(g) ? g : worst;
	}
	return worst;
}

/* One step along s->step, halved until it climbs.  Returns its length. */
static double
advance(struct system *s, double now)
{
	double t = 1.0, most = 0;

	for (int k = 0; k < MAX_HALVINGS; k++, t *= 0.5) {
		for (size_t i = 0; i < s->dim; i++)
			s->try[i] = s->x[i] + t * s->step[i];
		/* Near the top the gain drowns in rounding: let it pass. */
		if (objective(s, s->try, true) >= now - 1e-11 * fabs(now))
			break;
	}
	for (size_t i = 0; i < s->dim; i++) {
		most = fmax(most, fabs(s->try[i] - s->x[i]));
		s->x[i] = s->try[i];
	}
	return most;
}

static enum err
climb(struct system *s, struct model_fit *fit)
{
	double moved = 1.0;

	for (;;) {
		differentiate(s);
		fit->worst = worst_gradient(s);
		if (fit->worst < 1e-9 && moved < 1e-8)
			break;
		if (++fit->newton > MAX_NEWTON || !(fit->worst < HUGE_VAL))
			return ERR_LIMIT;
		if (dense_cholesky(s->h, s->dim) != ERR_OK)
			return ERR_LIMIT;
		memcpy(s->step, s->grad, s->dim * sizeof(*s->step));
		dense_solve(s->h, s->dim, s->step);
		moved = advance(s, objective(s, s->x, true));
	}
	return ERR_OK;
}

/*
 * Cholesky of s->h at the top.  Where there is no finite top, the climb ends
 * far out because slope and curvature drown in rounding: some direction is
 * flat then.  ERR_LIMIT.
 */
static enum err
factor_top(struct system *s)
{
	size_t dim = s->dim;

	for (size_t k = 0; k < s->n; k++) {
		if (s->h[k * dim + k] < farthest * s->games[k])
			return ERR_LIMIT;
	}

	for (size_t k = 0; k < dim; k++)
		s->step[k] = s->h[k * dim + k];
	if (dense_cholesky(s->h, dim) != ERR_OK)
		return ERR_LIMIT;
	for (size_t k = 0; k < dim; k++) {
		double root = s->h[k * dim + k];

		if (root * root < flattest * s->step[k])
			return ERR_LIMIT;
	}
	return ERR_OK;
}

static int
by_cluster(const void *x, const void *y)
{
	const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* b += f * v v' for the few entries of v. */
static void
add_outer(double *b, size_t dim, const size_t *index, const double *v, size_t m,
    double f)
{
	for (size_t p = 0; p < m; p++)
		for (size_t q = 0; q < m; q++)
			b[index[p] * dim + index[q]] += f * v[p] * v[q];
}

/* Row k's score for outcome y as a sparse vector. */
static size_t
score_of(const struct system *s, size_t k, const struct slope *o, size_t *index,
    double *v)
{
	size_t m = direction(s, k, index, v);

	for (size_t p = 0; p < m; p++)
		v[p] *= o->eta;
	if (has_tie(s)) {
		index[m] = s->tie_at;
		v[m++] = o->tie;
	}
	return m;
}

/* What the sum over clusters needs at hand. */
struct scores {
	size_t *index; /* nz + 3 */
	double *v;     /* likewise */
	double *g;     /* dim: the cluster's score so far */
	double clusters;
};

/* Add row k: to its cluster's score, or (alone) vote by vote to b. */
static void
add_scores(
    const struct system *s, size_t k, bool alone, struct scores *c, double *b)
{
	const struct model_row *r = &s->rows[k];
	double t = has_tie(s) ? s->x[s->tie_at] : 0;
	struct slope o[3];

	outcomes(s->o->kind, has_tie(s), eta_of(s, k, s->x), t, o);
	for (int y = 0; y < 3; y++) {
		size_t m = score_of(s, k, &o[y], c->index, c->v);

		if (alone)
			add_outer(b, s->dim, c->index, c->v, m, r->w2[y]);
		for (size_t p = 0; !alone && p < m; p++)
			c->g[c->index[p]] += r->w[y] * c->v[p];
	}
}

/* A cluster is complete: b += g g'. */
static void
close_cluster(size_t dim, struct scores *c, double *b)
{
	c->clusters++;
	for (size_t p = 0; p < dim; p++)
		for (size_t q = 0; c->g[p] != 0.0 && q < dim; q++)
			b[p * dim + q] += c->g[p] * c->g[q];
	memset(c->g, 0, dim * sizeof(*c->g));
}

static void
scale(double *b, size_t n, double f)
{
	for (size_t p = 0; p < n; p++)
		b[p] *= f;
}

/*
 * Sum of outer products of scores: of clusters (*units: how many, a vote of
 * nobody known being one), or with units NULL of votes, whoever gave them.
 */
static enum err
outer_products(const struct system *s, double *b, double *units)
{
	uint64_t *order = malloc((s->nrows + 1) * sizeof(*order));
	struct scores c = { .g = calloc(s->dim, sizeof(*c.g)),
		.index = malloc((s->o->nz + 3) * sizeof(*c.index)),
		.v = malloc((s->o->nz + 3) * sizeof(*c.v)) };
	double lone = 0;
	bool good =
	    order != NULL && c.g != NULL && c.index != NULL && c.v != NULL;

	memset(b, 0, s->dim * s->dim * sizeof(*b));
	for (size_t k = 0; good && k < s->nrows; k++)
		order[k] = (uint64_t)s->rows[k].cluster << 32 | k;
	if (good)
		qsort(order, s->nrows, sizeof(*order), by_cluster);
	for (size_t x = 0; good && x < s->nrows; x++) {
		size_t k = order[x] & UINT32_MAX;
		const struct model_row *r = &s->rows[k];
		bool alone = units == NULL || r->cluster == UINT32_MAX;
		bool last =
		    x + 1 == s->nrows || order[x + 1] >> 32 != r->cluster;

		add_scores(s, k, alone, &c, b);
		if (alone)
			lone += r->alone;
		else if (last)
			close_cluster(s->dim, &c, b);
	}
	if (units != NULL) {
		double g = c.clusters + lone; /* nobodies are units, too */

		*units = g > 0 ? g : HUGE_VAL;
		if (g > 1)
			scale(b, s->dim * s->dim, g / (g - 1));
	}
	free(order);
	free(c.g);
	free(c.index);
	free(c.v);
	return good ? ERR_OK : ERR_NOMEM;
}

static double
trace(const double *b, size_t dim)
{
	double sum = 0;

	for (size_t p = 0; p < dim; p++)
		sum += b[p * dim + p];
	return sum;
}

/*
 * The middle of the sandwich, by the rules of ci.h: clusters, or single votes
 * where clusters agree so well that they seem to leave no doubt, or the
 * Hessian s->h where no vote has a score (nothing but ties); and the ghost's
 * half win and half loss where it was called.
 */
static enum err
meat(const struct system *s, double *b, double *units)
{
	size_t dim = s->dim, dd = dim * dim;
	double *votes = malloc(dd * sizeof(*votes));
	enum err e = ERR_NOMEM;

	if (votes == NULL || (e = outer_products(s, b, units)) != ERR_OK ||
	    (e = outer_products(s, votes, NULL)) != ERR_OK)
		goto out;
	if (*units < HUGE_VAL && trace(b, dim) < 0.25 * trace(votes, dim))
		memcpy(b, votes, dd * sizeof(*b));
	if (trace(b, dim) < 1e-12 * trace(s->h, dim)) {
		memcpy(b, s->h, dd * sizeof(*b));
		goto out;
	}
	for (uint32_t i = 0; s->o->ghost && i < s->n; i++) {
		double p = num_sigmoid(s->x[i]), q = num_sigmoid(-s->x[i]);

		b[i * dim + i] += 0.5 * (p * p + q * q);
	}
out:
	free(votes);
	return e;
}

static enum err
errors(struct system *s, struct model_fit *fit)
{
	size_t dim = s->dim, dd = dim * dim;
	double *x = malloc(3 * dd * sizeof(*x)), *b, *c, *mean = NULL;
	enum err e = ERR_NOMEM;

	if (x == NULL)
		return ERR_NOMEM;
	b = x + dd;
	c = b + dd;
	mean = calloc(dim, sizeof(*mean));
	if (mean == NULL)
		goto out;
	differentiate(s);
	if ((e = meat(s, b, &fit->units)) != ERR_OK)
		goto out;
	if ((e = factor_top(s)) != ERR_OK)
		goto out;
	dense_inverse(s->h, dim, x);
	dense_product(x, b, dim, c);
	dense_product(c, x, dim, b);
	/* Strengths in the gauge mean 0, as everywhere. */
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->n; j++)
			mean[i] += b[i * dim + j] / s->n;
	for (size_t i = 0; i < s->n; i++) {
		double v = b[i * dim + i] - 2.0 * mean[i];

		for (size_t j = 0; j < s->n; j++)
			v += mean[j] / s->n;
		fit->se[i] = sqrt(v > 0.0 ? v : 0.0);
	}
	for (size_t k = 0; k < s->o->nz; k++)
		fit->se_beta[k] =
		    sqrt(fmax(0.0, b[(s->n + k) * dim + s->n + k]));
	if (has_tie(s))
		fit->se_log_tie =
		    sqrt(fmax(0.0, b[s->tie_at * dim + s->tie_at]));
	e = ERR_OK;
out:
	free(x);
	free(mean);
	return e;
}

void
model_style(const float *ab, size_t n, size_t k, double *out)
{
	for (size_t f = 0; f < k; f++) {
		double mean = 0, ss = 0, sd;

		for (size_t v = 0; v < n; v++) {
			double a = ab[v * 2 * k + f];
			double b = ab[v * 2 * k + k + f];

			out[v * k + f] = (a - b) / (a + b + 1.0);
			mean += out[v * k + f] / (double)n;
		}
		for (size_t v = 0; v < n; v++) {
			out[v * k + f] -= mean;
			ss += out[v * k + f] * out[v * k + f];
		}
		sd = sqrt(ss / (double)n);
		for (size_t v = 0; sd > 0.0 && v < n; v++)
			out[v * k + f] /= sd;
	}
}
