/* This file knows how to judge two prompts by their own matches. */
#include "config.h"

#include "rate/compare.h"

#include <math.h>
#include <stdbool.h>

#include "rate/dist.h"
#include "rate/num.h"

/* Votes as there are, or as they are to be expected. */
struct record {
	double a, b, ties;
};

static double sequence_end(
    const struct record *, double level, double from, double to);
static uint64_t still_needed(
    const struct record *, const struct compare_options *);
static double farthest(const struct record *, const struct compare_options *);
static enum compare_verdict judge(const struct record *,
    const struct compare_options *, const struct compare_result *);

/* ln of the mixture's part that does not depend on p. */
static double
log_mixture(double w, double l)
{
	double a = w + 0.5, b = l + 0.5;

	/* B(1/2, 1/2) = pi */
	return dist_log_gamma(a) + dist_log_gamma(b) - dist_log_gamma(a + b) -
	       1.1447298858494002;
}

static double
log_e(double w, double l)
{
	return log_mixture(w, l) + (w + l) * 0.69314718055994531;
}

double
compare_log_e(uint64_t w, uint64_t l)
{
	return log_e((double)w, (double)l);
}

double
compare_evidence(double level)
{
	return 1.0 / (1.0 - level);
}

static void
wilson(double k, double n, double level, double *lower, double *upper)
{
	double z = dist_normal_quantile(0.5 + 0.5 * level), p, mid, half;

	*lower = 0.0;
	*upper = 1.0;
	if (n <= 0.0)
		return;
	p = k / n;
	mid = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
	half = z * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n)) /
	       (1.0 + z * z / n);
	*lower = k <= 0.0 ? 0.0 : fmax(0.0, mid - half);
	*upper = k >= n ? 1.0 : fmin(1.0, mid + half);
}

void
compare_wilson(
    uint64_t k, uint64_t n, double level, double *lower, double *upper)
{
	wilson((double)k, (double)n, level, lower, upper);
}

void
compare_pair(const struct compare_votes *v, const struct compare_options *o,
    struct compare_result *out)
{
	struct compare_result r = { .decisive = v->a + v->b };
	struct record votes = { (double)v->a, (double)v->b, (double)v->ties };

	r.share = r.decisive > 0 ? (double)v->a / (double)r.decisive : 0.5;
	compare_wilson(
	    v->a, r.decisive, o->level, &r.share_lower, &r.share_upper);
	r.sign_p = dist_sign_test(v->a, r.decisive);
	for (size_t k = 0; k < v->nquestions; k++) {
		r.questions_a += v->question[k].a > v->question[k].b;
		r.questions_b += v->question[k].b > v->question[k].a;
	}
	r.paired_p =
	    dist_sign_test(r.questions_a, r.questions_a + r.questions_b);
	r.log_e = compare_log_e(v->a, v->b);
	r.sequence_lower = sequence_end(&votes, o->level, r.share, 0.0);
	r.sequence_upper = sequence_end(&votes, o->level, r.share, 1.0);
	r.matches_needed = still_needed(&votes, o);
	r.verdict = judge(&votes, o, &r);
	*out = r;
}

/*
 * Where between the share and 0 or 1 the bet against p reaches
 * 1 / (1 - level).
 */
static double
sequence_end(const struct record *v, double level, double from, double to)
{
	double limit = log_mixture(v->a, v->b) + num_log(1.0 - level);
	double in = from, out = to;

	if (v->a + v->b <= 0 || (v->a <= 0 && to == 0.0) ||
	    (v->b <= 0 && to == 1.0))
		return to;
	for (int k = 0; k < 100; k++) {
		double p = 0.5 * (in + out);
		double log_p = v->a * num_log(p) + v->b * num_log1p(-p);

		/* inside as long as mixture / likelihood < 1 / alpha */
		if (limit < log_p)
			in = p;
		else
			out = p;
	}
	return 0.5 * (in + out);
}

/* Has the bet against p = 1/2 won as much as this level wants? */
static bool
is_apart(const struct record *v, double level)
{
	return log_e(v->a, v->b) >= -num_log(1.0 - level);
}

/*
 * What n further matches bring, the share being p: decided ones as often as so
 * far, and of these z standard deviations more for A than to be expected.
 */
static struct record
after(const struct record *v, double p, double n, double z)
{
	double part = (v->a + v->b) / (v->a + v->b + v->ties);
	double d = n * part;
	double a = d * p + z * sqrt(d * p * (1.0 - p));

	a = fmin(d, fmax(0.0, a));
	return (struct record){ v->a + a, v->b + d - a, v->ties + n - d };
}

/* Is the verdict CLEAR or EQUAL then, with the wanted power? */
static bool
is_settled_by(
    const struct record *v, const struct compare_options *o, double p, double n)
{
	double one = dist_normal_quantile(o->power);
	double both = dist_normal_quantile(0.5 + 0.5 * o->power);
	struct record bad = after(v, p, n, p < 0.5 ? one : -one);
	struct record less = after(v, p, n, -both);
	struct record more = after(v, p, n, both);

	if ((bad.a > bad.b) == (p > 0.5) && is_apart(&bad, o->level))
		return true;
	return farthest(&less, o) <= o->margin &&
	       farthest(&more, o) <= o->margin;
}

/* Further matches until the verdict is final, at the present estimate. */
static uint64_t
still_needed(const struct record *v, const struct compare_options *o)
{
	double d = v->a + v->b, p = 0.5, few = 0, many = 1;

	if (d + v->ties <= 0)
		return COMPARE_NEVER;
	if (is_apart(v, o->level) || farthest(v, o) <= o->margin)
		return 0;
	/* Shrink a little: 3 of 3 is no proof that the share is 1. */
	if (d > 0)
		p += (v->a / d - 0.5) * d / (d + 2.0);
	while (!is_settled_by(v, o, p, many)) {
		few = many;
		many *= 2;
		if (many > 1e12)
			return COMPARE_NEVER;
	}
	while (many - few > 0.5) {
		double mid = 0.5 * (few + many);

		if (is_settled_by(v, o, p, mid))
			many = mid;
		else
			few = mid;
	}
	return (uint64_t)ceil(many);
}

/* Largest distance of the score from 1/2 that the sequence leaves open. */
static double
farthest(const struct record *v, const struct compare_options *o)
{
	double d = v->a + v->b, share = d > 0 ? v->a / d : 0.5, rare, often;

	/* score - 1/2 = share of decisive votes * (A's share - 1/2) */
	wilson(d, d + v->ties, o->level, &rare, &often);
	return often * fmax(0.5 - sequence_end(v, o->level, share, 0.0),
			   sequence_end(v, o->level, share, 1.0) - 0.5);
}

static enum compare_verdict
judge(const struct record *v, const struct compare_options *o,
    const struct compare_result *r)
{
	if (v->a + v->b + v->ties <= 0)
		return COMPARE_NO_VOTES;
	if (farthest(v, o) <= o->margin)
		return COMPARE_EQUAL;
	if (is_apart(v, o->level))
		return r->share > 0.5 ? COMPARE_CLEAR_A : COMPARE_CLEAR_B;
	if (is_apart(v, o->likely))
		return r->share > 0.5 ? COMPARE_PROBABLE_A : COMPARE_PROBABLE_B;
	return COMPARE_OPEN;
}
