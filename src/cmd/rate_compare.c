/* This file knows how to tell in words how two prompts compare. */
#include "config.h"

#include "cmd/rate_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/rate_data.h"
#include "cmd/rate_opts.h"
#include "cmd/rate_print.h"
#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/compare.h"
#include "rate/num.h"
#include "rate/pairs.h"

/* Pages judge by the same. */
static const struct compare_options usual = COMPARE_USUAL;

/* What the whole fit says about the two. */
struct by_fit {
	double gap, lower, upper; /* points; NaN if not comparable */
	double wins;              /* P(A beats B) */
};

static enum err
find_both(
    struct rate_data *data, const struct rate_opts *o, uint32_t *a, uint32_t *b)
{
	const char *missing = NULL;

	*a = rate_names_find(&data->names, o->compare_a, strlen(o->compare_a));
	*b = rate_names_find(&data->names, o->compare_b, strlen(o->compare_b));
	if (*a == UINT32_MAX)
		missing = o->compare_a;
	else if (*b == UINT32_MAX)
		missing = o->compare_b;
	if (missing != NULL)
		return rate_data_fail(data, 0, ERR_INVALID,
		    "nobody called \"%.80s\" has votes", missing);
	if (*a == *b)
		return rate_data_fail(data, 0, ERR_INVALID,
		    "\"%.80s\" cannot be compared with itself", o->compare_a);
	return ERR_OK;
}

/* One vote of the pair, on its question. */
static void
count_question(const struct rate_vote *x, uint32_t a, uint32_t b,
    struct compare_question *questions)
{
	bool turned = x->a == b && x->b == a;

	if (x->question == UINT32_MAX)
		return;
	if (!turned && !(x->a == a && x->b == b))
		return;
	if (x->outcome == (turned ? TALLY_B : TALLY_A))
		questions[x->question].a++;
	if (x->outcome == (turned ? TALLY_A : TALLY_B))
		questions[x->question].b++;
}

/* Count the pair's votes, and per question where questions are known. */
static enum err
count_pair(const struct rate_data *data, uint32_t a, uint32_t b,
    struct compare_votes *v, struct compare_question **questions)
{
	const struct tally_cell *c[2] = { tally_find(&data->tally, a, b),
		tally_find(&data->tally, b, a) };

	for (int side = 0; side < 2; side++) {
		if (c[side] == NULL)
			continue;
		v->a += c[side]->n[side == 0 ? TALLY_A : TALLY_B];
		v->b += c[side]->n[side == 0 ? TALLY_B : TALLY_A];
		v->ties += c[side]->n[TALLY_TIE] + c[side]->n[TALLY_POOR];
	}
	*questions = calloc(data->questions.count + 1u, sizeof(**questions));
	if (*questions == NULL)
		return ERR_NOMEM;
	for (size_t k = 0; k < data->nvote; k++)
		count_question(&data->vote[k], a, b, *questions);
	v->question = *questions;
	v->nquestions = data->questions.count;
	return ERR_OK;
}

static enum err
ask_fit(const struct rate_data *data, const struct rate_opts *o, uint32_t a,
    uint32_t b, struct by_fit *out)
{
	bool voters = data->tally.keeps_voters && data->tally.nrows > 0 &&
		      o->cluster != RATE_BY_VOTE;
	struct ci_options s = { voters ? CI_PER_VOTER : CI_PER_VOTE, o->level,
		o->seed, false };
	struct pairs p = { 0 };
	struct bt_fit f = { 0 };
	struct ci ci = { 0 };
	double se, z;
	enum err e;

	*out = (struct by_fit){ NAN, NAN, NAN, NAN };
	if ((e = pairs_open(&data->tally, data->names.count, &p)) != ERR_OK)
		return e;
	if ((e = bt_fit(&p, NULL, &f)) != ERR_OK ||
	    (e = ci_sandwich(&p, &data->tally, &f, &s, &ci)) != ERR_OK)
		goto out;
	if (p.part_of[a] != p.part_of[b])
		goto out;
	se = ci_se_difference(&ci, &p, a, b);
	z = ci.quantile[p.part_of[a]];
	if (!isfinite(z)) /* one voter alone says nothing of how they differ */
		z = NAN;
	out->gap = (f.theta[a] - f.theta[b]) * BT_POINTS;
	out->lower = out->gap - z * se * BT_POINTS;
	out->upper = out->gap + z * se * BT_POINTS;
	out->wins = num_sigmoid(f.theta[a] - f.theta[b]);
out:
	ci_release(&ci);
	bt_fit_release(&f);
	pairs_release(&p);
	return e;
}

/* What would settle an open verdict. */
static void
print_needed(FILE *out, const struct compare_result *r)
{
	if (r->matches_needed != COMPARE_NEVER)
		(void)fprintf(out, ": about %" PRIu64 " more %s",
		    r->matches_needed,
		    r->matches_needed == 1 ? "match" : "matches");
}

static void
print_verdict(
    FILE *out, const struct rate_opts *o, const struct compare_result *r)
{
	switch (r->verdict) {
	case COMPARE_CLEAR_A:
		rate_print_text(out, o->compare_a);
		(void)fputs(" is clearly better", out);
		break;
	case COMPARE_CLEAR_B:
		rate_print_text(out, o->compare_b);
		(void)fputs(" is clearly better", out);
		break;
	case COMPARE_PROBABLE_A:
		rate_print_text(out, o->compare_a);
		(void)fputs(" is probably better", out);
		print_needed(out, r);
		break;
	case COMPARE_PROBABLE_B:
		rate_print_text(out, o->compare_b);
		(void)fputs(" is probably better", out);
		print_needed(out, r);
		break;
	case COMPARE_EQUAL:
		(void)fprintf(out,
		    "practically equal (the score lies within %.2f of one "
		    "half)",
		    o->margin);
		break;
	case COMPARE_NO_VOTES:
		(void)fputs("they never met", out);
		break;
	default:
		(void)fputs("cannot be told apart yet", out);
		print_needed(out, r);
	}
}

static void
print_text(FILE *out, const struct rate_opts *o, const struct compare_votes *v,
    const struct compare_result *r, const struct by_fit *f)
{
	double pc = 100.0 * o->level;

	(void)fputs(rate_bold(o), out);
	rate_print_text(out, o->compare_a);
	(void)fputs(" against ", out);
	rate_print_text(out, o->compare_b);
	(void)fprintf(out, "%s: ", rate_plain(o));
	print_verdict(out, o, r);
	(void)fprintf(out,
	    "\n\nown matches       %" PRIu64 " won, %" PRIu64 " lost, %" PRIu64
	    " tied\n",
	    v->a, v->b, v->ties);
	(void)fprintf(out,
	    "share of decisive %.3f, %g %% Wilson interval %.3f to %.3f\n",
	    r->share, pc, r->share_lower, r->share_upper);
	(void)fprintf(
	    out, "sign test         p = %.4g (exact, two-sided)\n", r->sign_p);
	if (r->questions_a + r->questions_b > 0)
		(void)fprintf(out,
		    "same questions    %" PRIu64 " won, %" PRIu64
		    " lost, p = %.4g (paired sign test)\n",
		    r->questions_a, r->questions_b, r->paired_p);
	(void)fprintf(out,
	    "at any time       e-value %.4g (%.4g or more: clearly, %.4g: "
	    "probably), share %.3f to %.3f\n",
	    r->log_e < 700 ? num_exp(r->log_e) : 1e300,
	    compare_evidence(o->level), compare_evidence(usual.likely),
	    r->sequence_lower, r->sequence_upper);
	if (isfinite(f->gap)) {
		(void)fprintf(out, "by all votes      %+.1f points", f->gap);
		if (isfinite(f->lower))
			(void)fprintf(
			    out, " [%+.1f, %+.1f]", f->lower, f->upper);
		(void)fprintf(out, ", wins %.3f\n", f->wins);
	} else
		(void)fputs("by all votes      never compared, not even by "
			    "way of others\n",
		    out);
}

static void
print_json(FILE *out, const struct rate_opts *o, const struct compare_votes *v,
    const struct compare_result *r, const struct by_fit *f)
{
	static const char *const verdicts[COMPARE__MAX] = { "clearly better",
		"clearly worse", "probably better", "probably worse",
		"practically equal", "cannot be told apart yet", "never met" };

	(void)fputs("{\"a\":", out);
	rate_print_string(out, o->compare_a);
	(void)fputs(",\"b\":", out);
	rate_print_string(out, o->compare_b);
	(void)fprintf(out,
	    ",\"verdict\":\"%s\",\"wins\":%" PRIu64 ",\"losses\":%" PRIu64
	    ",\"ties\":%" PRIu64,
	    verdicts[r->verdict], v->a, v->b, v->ties);
	rate_print_number(out, "share", r->share);
	rate_print_number(out, "share_lower", r->share_lower);
	rate_print_number(out, "share_upper", r->share_upper);
	rate_print_number(out, "sign_p", r->sign_p);
	if (r->questions_a + r->questions_b > 0) {
		(void)fprintf(out,
		    ",\"questions_won\":%" PRIu64
		    ",\"questions_lost\":%" PRIu64,
		    r->questions_a, r->questions_b);
		rate_print_number(out, "paired_p", r->paired_p);
	}
	rate_print_number(out, "log_e_value", r->log_e);
	rate_print_number(out, "sequence_lower", r->sequence_lower);
	rate_print_number(out, "sequence_upper", r->sequence_upper);
	if (r->matches_needed != COMPARE_NEVER)
		(void)fprintf(
		    out, ",\"matches_needed\":%" PRIu64, r->matches_needed);
	rate_print_number(out, "margin", o->margin);
	rate_print_number(out, "points", f->gap);
	rate_print_number(out, "points_lower", f->lower);
	rate_print_number(out, "points_upper", f->upper);
	rate_print_number(out, "win_probability", f->wins);
	(void)fputs("}\n", out);
}

enum err
rate_compare(FILE *out, struct rate_data *data, const struct rate_opts *o)
{
	struct compare_options co = usual;
	struct compare_votes v = { 0 };
	struct compare_question *questions = NULL;
	struct compare_result r;
	struct by_fit f;
	uint32_t a, b;
	enum err e;

	if ((e = find_both(data, o, &a, &b)) != ERR_OK)
		return e;
	if ((e = count_pair(data, a, b, &v, &questions)) != ERR_OK)
		return e;
	co.level = o->level;
	co.margin = o->margin;
	compare_pair(&v, &co, &r);
	if ((e = ask_fit(data, o, a, b, &f)) != ERR_OK) {
		free(questions);
		return rate_data_fail(data, 0, e, "the fit has not converged");
	}
	if (o->format == RATE_TABLE)
		print_text(out, o, &v, &r, &f);
	else
		print_json(out, o, &v, &r, &f);
	free(questions);
	return ERR_OK;
}
