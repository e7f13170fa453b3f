/* This file knows how to print what a ranking hides. */
#include "config.h"

#include "cmd/rate_more.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/rate_data.h"
#include "cmd/rate_opts.h"
#include "cmd/rate_print.h"
#include "rate/bt.h"
#include "rate/insight.h"
#include "rate/pairs.h"
#include "rate/rater.h"

enum {
	CYCLES_SHOWN = 10,
	RATERS_SHOWN = 20,
	NAME_WIDTH = 24
};

struct findings {
	struct insight_cycle cycle[CYCLES_SHOWN];
	size_t ncycles, triples;
	bool cycles_known;
	struct insight_fit fit;
	struct insight_heldout held;
	struct insight_fragile fragile;
};

static const char *
name(const struct rate_data *data, uint32_t i)
{
	return data->names.name[i].p;
}

static void
print_item(FILE *out, const struct rate_data *data, uint32_t i)
{
	rate_print_text(out, name(data, i));
}

static enum err
find(struct rate_data *data, const struct rate_opts *o, struct findings *f)
{
	struct pairs p = { 0 };
	struct bt_fit fit = { 0 };
	enum err e;

	if ((e = pairs_open(&data->tally, data->names.count, &p)) != ERR_OK ||
	    (e = bt_fit(&p, NULL, &fit)) != ERR_OK)
		goto out;
	e = insight_cycles(&p, 1.0 - o->level, f->cycle, CYCLES_SHOWN,
	    &f->ncycles, &f->triples);
	f->cycles_known = e == ERR_OK;
	if (e == ERR_TOOBIG)
		e = ERR_OK;
	if (e == ERR_OK)
		e = insight_goodness(&p, &fit, &f->fit);
	if (e == ERR_OK)
		e = insight_fragile(&p, &fit, &f->fragile);
	if (e == ERR_OK)
		e = insight_heldout(data->order, data->norder,
		    data->names.count, &o->elo, &f->held);
out:
	bt_fit_release(&fit);
	pairs_release(&p);
	return e;
}

static void
print_cycles(FILE *out, const struct rate_data *data, const struct findings *f)
{
	if (!f->cycles_known) {
		(void)fprintf(out,
		    "cycles         not sought among more than "
		    "%d prompts\n",
		    INSIGHT_CYCLE_ITEMS);
		return;
	}
	(void)fprintf(out, "cycles         %zu significant among %zu triples\n",
	    f->ncycles, f->triples);
	for (size_t k = 0; k < f->ncycles && k < CYCLES_SHOWN; k++) {
		const uint32_t ring[] = { f->cycle[k].x, f->cycle[k].y,
			f->cycle[k].z, f->cycle[k].x };

		for (size_t x = 0; x < 4; x++) {
			(void)fputs(x > 0 ? " > " : "               ", out);
			print_item(out, data, ring[x]);
		}
		(void)fputc('\n', out);
	}
}

static void
print_fragile(
    FILE *out, const struct rate_data *data, const struct insight_fragile *f)
{
	if (f->votes == 0) {
		(void)fputs("first place    no set of votes was found whose "
			    "removal changes it\n",
		    out);
		return;
	}
	(void)fputs("first place    ", out);
	print_item(out, data, f->first);
	(void)fprintf(out,
	    " leads; without %" PRIu64 " of %" PRIu64 " votes (%.2f %%) ",
	    f->votes, f->of, 100.0 * (double)f->votes / (double)f->of);
	print_item(out, data, f->other);
	(void)fputs(" would:\n", out);
	for (size_t k = 0; k < f->ncuts; k++) {
		(void)fprintf(
		    out, "               %" PRIu64 " ", f->cut[k].votes);
		print_item(out, data, f->cut[k].winner);
		(void)fputs(f->cut[k].tie ? " tied with " : " over ", out);
		print_item(out, data, f->cut[k].loser);
		(void)fputc('\n', out);
	}
}

static void
print_findings(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct findings *f)
{
	(void)fprintf(
	    out, "\n%sWhat the ranking hides%s\n", rate_bold(o), rate_plain(o));
	print_cycles(out, data, f);
	(void)fprintf(out,
	    "one axis       leaves %.1f %% of the pairs' log-odds "
	    "unexplained, %.1f %% beyond noise\n",
	    100 * f->fit.unexplained, 100 * f->fit.beyond_noise);
	(void)fprintf(out,
	    "goodness       deviance %.1f on %.0f degrees of freedom, "
	    "p = %.3g\n",
	    f->fit.deviance, f->fit.df, f->fit.p);
	if (f->held.tested > 0)
		(void)fprintf(out,
		    "held out       last %zu votes: log-loss %.4f "
		    "Bradley-Terry, %.4f Elo, 0.6931 guessing\n",
		    f->held.tested, f->held.bt, f->held.elo);
	print_fragile(out, data, &f->fragile);
}

static void
json_findings(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct findings *f)
{
	(void)fprintf(out, ",\n\"check\":{\"level\":%.10g", 1.0 - o->level);
	if (f->cycles_known) {
		(void)fprintf(out,
		    ",\"cycles\":%zu,\"triples\":%zu,\"cycle_list\":[",
		    f->ncycles, f->triples);
		for (size_t k = 0; k < f->ncycles && k < CYCLES_SHOWN; k++) {
			(void)fputs(k > 0 ? ",[" : "[", out);
			rate_print_string(out, name(data, f->cycle[k].x));
			(void)fputc(',', out);
			rate_print_string(out, name(data, f->cycle[k].y));
			(void)fputc(',', out);
			rate_print_string(out, name(data, f->cycle[k].z));
			(void)fputc(']', out);
		}
		(void)fputc(']', out);
	}
	rate_print_number(out, "unexplained", f->fit.unexplained);
	rate_print_number(out, "beyond_noise", f->fit.beyond_noise);
	rate_print_number(out, "deviance", f->fit.deviance);
	rate_print_number(out, "df", f->fit.df);
	rate_print_number(out, "p", f->fit.p);
	if (f->held.tested > 0) {
		(void)fprintf(out, ",\"held_out\":%zu", f->held.tested);
		rate_print_number(out, "log_loss_bt", f->held.bt);
		rate_print_number(out, "log_loss_elo", f->held.elo);
	}
	if (f->fragile.votes > 0) {
		(void)fprintf(out,
		    ",\"fragile_votes\":%" PRIu64 ",\"fragile_first\":",
		    f->fragile.votes);
		rate_print_string(out, name(data, f->fragile.first));
		(void)fputs(",\"fragile_other\":", out);
		rate_print_string(out, name(data, f->fragile.other));
	}
	(void)fputc('}', out);
}

enum err
rate_check(FILE *out, struct rate_data *data, const struct rate_opts *o)
{
	struct findings f = { 0 };
	enum err e = find(data, o, &f);

	if (e != ERR_OK)
		return rate_data_fail(
		    data, 0, e, "what the ranking hides could not be computed");
	if (o->format == RATE_TABLE)
		print_findings(out, data, o, &f);
	else if (o->format == RATE_JSON)
		json_findings(out, data, o, &f);
	return ERR_OK;
}

/* The engine's form of the file's signed votes. */
static struct rater_vote *
signed_votes(const struct rate_data *data, size_t *n)
{
	struct rater_vote *v = calloc(data->nvote + 1, sizeof(*v));

	*n = 0;
	for (size_t k = 0; v != NULL && k < data->nvote; k++) {
		const struct rate_vote *x = &data->vote[k];

		if (x->voter == UINT32_MAX)
			continue;
		v[(*n)++] = (struct rater_vote){ x->voter, x->a, x->b,
			x->outcome == TALLY_A   ? 1.0
			: x->outcome == TALLY_B ? 0.0
						: 0.5 };
	}
	return v;
}

/* Lowest weight first, then most votes. */
static int
by_weight(const void *x, const void *y, void *arg)
{
	const struct rater *r = arg;
	const struct rater *a = &r[*(const uint32_t *)x];
	const struct rater *b = &r[*(const uint32_t *)y];

	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	if (a->votes != b->votes)
		return a->votes > b->votes ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void
print_rater(
    FILE *out, const struct rate_data *data, uint32_t v, const struct rater *r)
{
	rate_print_name(out, data->voters.name[v].p, NAME_WIDTH);
	(void)fprintf(out,
	    " %5u %6.2f %6.2f %5.2f %7.2f %8.2g %6.2f %8.2f  %s%s%s", r->votes,
	    r->weight, r->agreement, r->eta, r->ability, r->side_p, r->z,
	    r->target_z, r->flags & RATER_SIDE ? "side " : "",
	    r->flags & RATER_AGAINST ? "against " : "",
	    r->flags & RATER_TARGET ? "pushes " : "");
	if (r->flags & RATER_TARGET)
		print_item(out, data, r->target);
	(void)fputs(r->review ? " [review]\n" : "\n", out);
}

static void
print_raters(FILE *out, const struct rate_data *data, const struct rate_opts *o,
    const struct rater *r, const uint32_t *order)
{
	uint32_t n = data->voters.count, low = 0, flagged = 0;

	for (uint32_t v = 0; v < n; v++) {
		low += r[v].weight < 0.5;
		flagged += r[v].flags != 0;
	}
	(void)fprintf(out,
	    "\n%sVoters [exploratory]%s: %u, of whom %u flagged and %u below "
	    "half weight\n%svoter                    votes weight agrees   "
	    "eta ability   side p      z target z%s\n",
	    rate_bold(o), rate_plain(o), n, flagged, low, rate_dim(o),
	    rate_plain(o));
	for (uint32_t k = 0; k < n && k < RATERS_SHOWN; k++)
		print_rater(out, data, order[k], &r[order[k]]);
	if (n > RATERS_SHOWN)
		(void)fprintf(out, "... and %u more\n", n - RATERS_SHOWN);
	(void)fputs("Nobody's vote is removed here; groups that push one "
		    "prompt show only from about\n40 votes each.\n",
	    out);
}

static void
json_raters(FILE *out, const struct rate_data *data, const struct rater *r,
    const double *raw, const double *weighted)
{
	(void)fputs(",\n\"raters\":[", out);
	for (uint32_t v = 0; v < data->voters.count; v++) {
		(void)fprintf(out, "%s\n{\"voter\":", v > 0 ? "," : "");
		rate_print_string(out, data->voters.name[v].p);
		(void)fprintf(out, ",\"votes\":%u,\"flags\":%u,\"review\":%s",
		    r[v].votes, r[v].flags, r[v].review ? "true" : "false");
		rate_print_number(out, "weight", r[v].weight);
		rate_print_number(out, "agreement", r[v].agreement);
		rate_print_number(out, "eta", r[v].eta);
		rate_print_number(out, "ability", r[v].ability);
		rate_print_number(out, "side_p", r[v].side_p);
		rate_print_number(out, "z", r[v].z);
		rate_print_number(out, "target_z", r[v].target_z);
		(void)fputc('}', out);
	}
	(void)fputs("],\n\"weighted\":[", out);
	for (uint32_t i = 0; i < data->names.count; i++) {
		(void)fprintf(out, "%s\n{\"name\":", i > 0 ? "," : "");
		rate_print_string(out, name(data, i));
		rate_print_number(out, "raw", BT_CENTRE + BT_POINTS * raw[i]);
		rate_print_number(
		    out, "weighted", BT_CENTRE + BT_POINTS * weighted[i]);
		(void)fputc('}', out);
	}
	(void)fputc(']', out);
}

/* Say so when weights change the order. */
static void
warn_moved(FILE *out, const struct rate_data *data, const double *raw,
    const double *weighted)
{
	uint32_t n = data->names.count;
	double tau;

	if (n > INSIGHT_CYCLE_ITEMS)
		return;
	tau = rater_tau(raw, weighted, n);
	(void)fprintf(out,
	    "order with weights against without: Kendall's tau %.3f%s\n", tau,
	    tau < 0.9 ? " (below 0.9: look at the voters)" : "");
}

enum err
rate_raters(FILE *out, struct rate_data *data, const struct rate_opts *o)
{
	uint32_t n = data->voters.count, items = data->names.count;
	struct rater_input in = { .nitems = items, .nvoters = n };
	struct rater_vote *votes = signed_votes(data, &in.nvotes);
	struct rater *r = calloc(n + 1u, sizeof(*r));
	uint32_t *order = calloc(n + 1u, sizeof(*order));
	double *raw = calloc(2 * (size_t)items + 1, sizeof(*raw));
	enum err e = ERR_NOMEM;

	in.vote = votes;
	if (votes == NULL || r == NULL || order == NULL || raw == NULL)
		goto out;
	if ((e = rater_judge(&in, r, raw, raw + items)) != ERR_OK)
		goto out;
	for (uint32_t v = 0; v < n; v++)
		order[v] = v;
	qsort_r(order, n, sizeof(*order), by_weight, r);
	if (o->format == RATE_TABLE) {
		print_raters(out, data, o, r, order);
		warn_moved(out, data, raw, raw + items);
	} else if (o->format == RATE_JSON) {
		json_raters(out, data, r, raw, raw + items);
	}
out:
	free(votes);
	free(r);
	free(order);
	free(raw);
	if (e != ERR_OK)
		return rate_data_fail(
		    data, 0, e, "the voters could not be judged");
	return e;
}
