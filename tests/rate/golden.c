/*
 * This file compares the engine with public data sets and reference values
 * kept beside the project (../shared/golden); without them it skips.
 */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/rate_data.h"
#include "rate/amelo.h"
#include "rate/boot.h"
#include "rate/bt.h"
#include "rate/ci.h"
#include "rate/elo.h"
#include "rate/insight.h"
#include "rate/model.h"
#include "rate/pairs.h"
#include "rate/rater.h"
#include "tests/rate/tap.h"

static char dir[512];

static void check_r(const char *set, const struct rate_data *d);

static json_t *
values(const char *set)
{
	char path[1024];
	json_error_t why;
	json_t *j;

	snprintf(path, sizeof(path), "%s/values/%s.json", dir, set);
	j = json_load_file(path, 0, &why);
	if (j == NULL)
		printf("# %s: %s\n", path, why.text);
	return j;
}

/* Greatest |got[i] + shift - want[name i]| over a JSON object of numbers. */
static double
distance(const struct rate_data *d, json_t *want, const double *got,
    double scale, double shift)
{
	double most = 0;
	const char *name;
	json_t *v;

	if (json_object_size(want) != d->names.count)
		return HUGE_VAL;
	json_object_foreach(want, name, v)
	{
		uint32_t i = rate_names_find(&d->names, name, strlen(name));
		double x;

		if (i == UINT32_MAX)
			return HUGE_VAL;
		x = fabs(got[i] * scale + shift - json_number_value(v));
		most = x > most || isnan(x) ? x : most;
	}
	return most;
}

static void
check_elo(const char *set, const struct rate_data *d, json_t *j)
{
	static const struct {
		const char *key;
		struct elo_rule rule;
		int back;
	} want[] = {
		{ "elo_online_K4_init1000", { 4, 1000, 400 }, 0 },
		{ "elo_online_K32_init1500", ELO_RULE_DEFAULT, 0 },
		{ "elo_online_K32_init1500_reversed_order", ELO_RULE_DEFAULT,
		    1 },
	};
	struct elo_vote *v = malloc(d->norder * sizeof(*v));
	double *r = malloc(d->names.count * sizeof(*r)), x;

	for (size_t k = 0; k < 3; k++) {
		json_t *w =
		    json_object_get(json_object_get(j, want[k].key), "values");

		if (w == NULL)
			continue;
		for (size_t i = 0; i < d->norder; i++)
			v[i] = d->order[want[k].back ? d->norder - 1 - i : i];
		elo_replay(&want[k].rule, v, d->norder, 1, r, d->names.count);
		x = distance(d, w, r, 1, 0);
		ok(x < 1e-9, "%s: %s within 1e-9 (%.2g)", set, want[k].key, x);
	}
	free(v);
	free(r);
}

/* Intervals against the unridged sandwich, and the ranks they give. */
static void
check_sandwich(const char *set, const struct rate_data *d,
    const struct pairs *p, const struct bt_fit *f, json_t *j)
{
	struct ci_options o = { CI_PER_VOTE, 0.95, 1, true };
	struct ci ci;
	json_t *w = json_object_get(j, "bt_ci_sandwich_pinv"), *v;
	const char *name;
	double x;
	int same = 1;

	if (ci_sandwich(p, &d->tally, f, &o, &ci) != ERR_OK) {
		ok(0, "%s: sandwich", set);
		return;
	}
	x = distance(d, json_object_get(w, "se_sandwich"), ci.se, BT_POINTS, 0);
	ok(x < 1e-6, "%s: sandwich errors within 1e-6 (%.2g)", set, x);
	x = distance(d, json_object_get(w, "lower"), ci.lower, BT_POINTS, 1000);
	ok(x < 1e-3, "%s: lower bounds within 1e-3 (%.2g)", set, x);
	x = distance(d, json_object_get(w, "upper"), ci.upper, BT_POINTS, 1000);
	ok(x < 1e-3, "%s: upper bounds within 1e-3 (%.2g)", set, x);
	/* The file's own ranks are from ridged bounds; these are not. */
	json_object_foreach(json_object_get(w, "upper"), name, v)
	{
		uint32_t i = rate_names_find(&d->names, name, strlen(name));
		uint32_t rank = 1;
		const char *other;
		json_t *l;

		json_object_foreach(json_object_get(w, "lower"), other, l)
		    rank += json_number_value(l) > json_number_value(v);
		same &= ci.rank[i] == rank;
	}
	ok(same, "%s: ranks from the intervals", set);
	ci_release(&ci);
}

static void
check_bootstrap(const char *set, const struct rate_data *d,
    const struct pairs *p, const struct bt_fit *f)
{
	struct ci_options o = { CI_PER_VOTE, 0.95, 1, false };
	struct boot_options b = { 400, 1, 5, 0.95, false, true };
	struct ci sand, one, two;
	double worst = 0;
	size_t n = p->nitems;

	if (ci_sandwich(p, &d->tally, f, &o, &sand) != ERR_OK ||
	    boot_run(p, &d->tally, f, &b, &one, NULL) != ERR_OK) {
		ok(0, "%s: bootstrap runs", set);
		return;
	}
	b.threads = 2;
	if (boot_run(p, &d->tally, f, &b, &two, NULL) != ERR_OK) {
		ok(0, "%s: bootstrap runs on two threads", set);
		return;
	}
	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(log(one.se[i] / sand.se[i])));
	ok(worst < 0.2,
	    "%s: bootstrap errors within sampling error of the sandwich's "
	    "(worst ratio %.3f)",
	    set, exp(worst));
	ok(memcmp(one.lower, two.lower, n * sizeof(double)) == 0 &&
		memcmp(one.upper, two.upper, n * sizeof(double)) == 0 &&
		memcmp(one.rank_to, two.rank_to, n * sizeof(uint32_t)) == 0,
	    "%s: two threads give the bits of one", set);
	ci_release(&sand);
	ci_release(&one);
	ci_release(&two);
}

static void
check_bt(const char *set, const struct rate_data *d, json_t *j)
{
	json_t *w = json_object_get(j, "bt_exact");
	struct pairs p;
	struct bt_fit f;
	struct bt_data bd;
	double x, *theta, *work;
	unsigned sweeps;

	if (pairs_open(&d->tally, d->names.count, &p) != ERR_OK ||
	    bt_fit(&p, NULL, &f) != ERR_OK || bt_data_open(&p, &bd) != ERR_OK) {
		ok(0, "%s: fits", set);
		return;
	}
	x = distance(d, json_object_get(w, "rating"), f.theta, BT_POINTS, 1000);
	ok(x < 1e-6, "%s: Bradley-Terry within 1e-6 (%.2g)", set, x);
	near(f.log_likelihood, json_number_value(json_object_get(w, "loglik")),
	    1e-7, "its log-likelihood");
	ok(f.worst < 1e-9 && f.passes <= 50,
	    "%s: %u Newton steps, %u passes, gradient %.1g", set, f.newton,
	    f.passes, f.worst);
	theta = calloc(3u * d->names.count, sizeof(*theta));
	work = theta + d->names.count;
	sweeps = bt_newman(&bd.problem[0], theta, 1e-13, 100000, work);
	x = 0;
	for (uint32_t i = 0; i < d->names.count; i++)
		x = fmax(x, fabs(theta[i] - f.theta[i]) * BT_POINTS);
	ok(sweeps > 0 && x < 1e-7,
	    "%s: Newman's sweeps end at the same place (%u, %.2g)", set, sweeps,
	    x);
	check_sandwich(set, d, &p, &f, j);
	if (strcmp(set, "simple") != 0 && strcmp(set, "food") != 0)
		check_bootstrap(set, d, &p, &f);
	free(theta);
	bt_data_release(&bd);
	bt_fit_release(&f);
	pairs_release(&p);
}

static void
check_ties(const char *set, const struct rate_data *d, json_t *j,
    enum model_kind kind, const char *key)
{
	json_t *w = json_object_get(j, key);
	struct model_options o = { kind, 0, 0, 0, false };
	struct model_fit f;
	struct model_row *row;
	double x;
	size_t n = 0;
	enum err e;

	if (!json_is_object(json_object_get(w, "theta")))
		return;
	row = calloc(d->tally.ncells, sizeof(*row));
	for (size_t c = 0; c < d->tally.ncells; c++) {
		const struct tally_cell *t = &d->tally.cell[c];

		row[n].i = t->a;
		row[n].j = t->b;
		row[n].cluster = UINT32_MAX;
		row[n].w[0] = row[n].w2[0] = (double)t->n[0];
		row[n].w[1] = row[n].w2[1] = (double)t->n[1];
		row[n].w[2] = row[n].w2[2] = (double)(t->n[2] + t->n[3]);
		n++;
	}
	e = model_fit(row, NULL, n, d->names.count, &o, &f);
	free(row);
	if (!ok(e == ERR_OK, "%s: %s converges", set, key))
		return;
	x = distance(d, json_object_get(w, "rating"), f.theta, BT_POINTS, 1000);
	ok(x < 1e-6, "%s: %s within 1e-6 (%.2g)", set, key, x);
	near(f.tie, json_number_value(json_object_get(w, "tie_param")), 1e-7,
	    "its tie parameter");
	near(f.log_likelihood, json_number_value(json_object_get(w, "loglik")),
	    1e-7, "its log-likelihood");
	model_fit_release(&f);
}

static void
check_set(const char *set, const char *form)
{
	struct rate_want want = { .order = true };
	struct rate_data d;
	char path[1024];
	json_t *j = values(set);

	snprintf(path, sizeof(path), "%s/data/%s.%s.csv", dir, set, form);
	if (!ok(j != NULL && rate_read(path, &want, &d) == ERR_OK, "%s is read",
		set)) {
		printf("# %s\n", d.message);
		return;
	}
	check_elo(set, &d, j);
	check_bt(set, &d, j);
	check_ties(set, &d, j, MODEL_DAVIDSON, "davidson_exact");
	check_ties(set, &d, j, MODEL_RAO_KUPPER, "raokupper_exact");
	check_r(set, &d);
	rate_data_release(&d);
	json_decref(j);
}

/* Style control against the published objective, solved exactly. */
static void
check_style(void)
{
	const double ln10 = 2.302585092994045684;
	struct rate_want want = { .votes = true };
	struct model_options o = { MODEL_BT, 4, 0.5 / (ln10 * ln10), 0.5,
		false };
	struct rate_data d;
	struct model_row *row;
	struct model_fit f;
	json_t *j = values("style"), *w, *c;
	char path[1024];
	float *ab;
	double *z, x;

	snprintf(path, sizeof(path), "%s/data/style.votes.csv", dir);
	if (!ok(rate_read(path, &want, &d) == ERR_OK, "style is read"))
		return;
	row = calloc(d.nvote, sizeof(*row));
	ab = calloc(8 * d.nvote, sizeof(*ab));
	z = calloc(4 * d.nvote, sizeof(*z));
	for (size_t v = 0; v < d.nvote; v++) {
		const struct rate_vote *r = &d.vote[v];

		memcpy(ab + 8 * v, r->style, sizeof(r->style));
		row[v].i = r->a;
		row[v].j = r->b;
		row[v].cluster = UINT32_MAX;
		row[v].w[r->outcome > 2 ? 2 : r->outcome] = 1;
		row[v].w2[r->outcome > 2 ? 2 : r->outcome] = 1;
	}
	model_style(ab, d.nvote, 4, z);
	w = json_object_get(
	    json_array_get(json_object_get(j, "first_rows_features"), 0), "");
	w = json_array_get(json_object_get(j, "first_rows_features"), 0);
	near(z[0], json_number_value(json_array_get(w, 0)), 1e-9,
	    "style feature: tokens");
	near(z[3], json_number_value(json_array_get(w, 3)), 1e-9,
	    "style feature: bold");
	if (ok(model_fit(row, z, d.nvote, d.names.count, &o, &f) == ERR_OK,
		"style control converges")) {
		w = json_object_get(j, "fastchat_objective_exact");
		x = distance(
		    &d, json_object_get(w, "rating"), f.theta, BT_POINTS, 1000);
		ok(x < 1e-6, "style-controlled ratings within 1e-6 (%.2g)", x);
		c = json_object_get(w, "coefs");
		for (size_t k = 0; k < 4; k++)
			near(f.beta[k], json_number_value(json_array_get(c, k)),
			    1e-9, "style coefficient");
		model_fit_release(&f);
	}
	free(row);
	free(ab);
	free(z);
	rate_data_release(&d);
	json_decref(j);
}

/* What the R packages make of the same data. */
static void
check_r(const char *set, const struct rate_data *d)
{
	char file[64];
	json_t *j, *w, *v;
	struct pairs p;
	struct bt_fit f;
	struct insight_fit g;
	const char *name;
	double most = 0, zero = NAN;

	snprintf(file, sizeof(file), "%s.R", set);
	j = values(file);
	w = json_object_get(j, "BTm_theta_ref_first");
	if (w == NULL || pairs_open(&d->tally, d->names.count, &p) != ERR_OK)
		return;
	if (bt_fit(&p, NULL, &f) != ERR_OK ||
	    insight_goodness(&p, &f, &g) != ERR_OK)
		return;
	json_object_foreach(w, name, v) if (json_number_value(v) == 0) zero =
	    f.theta[rate_names_find(&d->names, name, strlen(name))];
	json_object_foreach(w, name, v)
	{
		uint32_t i = rate_names_find(&d->names, name, strlen(name));

		most =
		    fmax(most, fabs(f.theta[i] - zero - json_number_value(v)));
	}
	ok(most * BT_POINTS < 1e-3,
	    "%s: BradleyTerry2 gives the same (%.2g points)", set,
	    most * BT_POINTS);
	near(g.deviance, json_number_value(json_object_get(j, "BTm_deviance")),
	    1e-4, "and the same deviance");
	bt_fit_release(&f);
	pairs_release(&p);
	json_decref(j);
}

/* Voters whose abilities the reference names, and their votes alone. */
static void
check_amelo(void)
{
	struct rate_want want = { .votes = true };
	struct rate_data d;
	struct rater_input in = { 0 };
	struct amelo_fit fit;
	struct rater_vote *vote;
	char path[1024];
	json_t *j = values("llmfao_am_elo");
	json_t *a = json_object_get(j, "theta_lbfgs");
	json_t *r = json_object_get(j, "R_lbfgs"), *v;
	double *theta, *ability, most = 0, top = 0, sum = 0;
	const char *name;
	enum err e;

	snprintf(path, sizeof(path), "%s/data/llmfao.votes.csv", dir);
	if (!ok(rate_read(path, &want, &d) == ERR_OK, "llmfao is read"))
		return;
	vote = calloc(d.nvote, sizeof(*vote));
	theta = calloc(d.names.count, sizeof(*theta));
	ability = calloc(d.voters.count, sizeof(*ability));
	for (size_t k = 0; k < d.nvote; k++) {
		const struct rate_vote *x = &d.vote[k];

		if (json_object_get(a, d.voters.name[x->voter].p) == NULL)
			continue;
		vote[in.nvotes++] = (struct rater_vote){ x->voter, x->a, x->b,
			x->outcome == 0   ? 1.0
			: x->outcome == 1 ? 0.0
					  : 0.5 };
	}
	in.vote = vote;
	in.nitems = d.names.count;
	in.nvoters = d.voters.count;
	e = amelo_fit(&in, 0, theta, ability, &fit);
	ok(e == ERR_OK && in.nvotes == 7393,
	    "am-ELO converges in %u rounds (%zu votes)", fit.rounds, in.nvotes);
	near(fit.loss, json_number_value(json_object_get(j, "loss_lbfgs")),
	    2e-6, "its loss");
	ok(fit.loss <
		json_number_value(json_object_get(j, "loss_lbfgs")) + 1e-9,
	    "is no worse than the reference's");
	json_object_foreach(a, name, v) sum++;
	json_object_foreach(r, name, v)
	{
		double x = json_number_value(v);
		uint32_t i = rate_names_find(&d.names, name, strlen(name));

		/* there the abilities add up to 1, here to their number */
		most = fmax(most, fabs(theta[i] * sum - x));
		top = fmax(top, fabs(x));
	}
	ok(most < 0.02 * top, "its ratings within 2 %% (%.2g of %.3g)", most,
	    top);
	free(vote);
	free(theta);
	free(ability);
	rate_data_release(&d);
	json_decref(j);
}

int
main(void)
{
	const char *src = getenv("SRCDIR");

	snprintf(
	    dir, sizeof(dir), "%s/../shared/golden", src != NULL ? src : ".");
	if (access(dir, R_OK) != 0)
		snprintf(dir, sizeof(dir), "%s/../../shared/golden",
		    src != NULL ? src : ".");
	if (access(dir, R_OK) != 0) {
		printf("1..0 # SKIP no golden data beside the project\n");
		return 0;
	}
	check_set("food", "votes");
	check_set("simple", "votes");
	check_set("springall", "counts");
	check_set("citations", "counts");
	check_set("cems", "votes");
	check_set("llmfao", "votes");
	check_style();
	check_amelo();
	return tap_done();
}
