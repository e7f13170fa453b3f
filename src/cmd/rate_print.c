/* This file knows how to print a board for eyes and for programs. */
#include "config.h"

#include "cmd/rate_print.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/text.h"
#include "cmd/rate_board.h"
#include "rate/bt.h"

enum {
	NAME_MOST = 32,
	BAR = 25
};

static const char *const model_words[RATE_MODEL__MAX] = { "bt", "elo",
	"davidson", "rao-kupper", "glicko", "am-elo" };

static const char *const model_titles[RATE_MODEL__MAX] = {
	"Bradley-Terry, ties half a win each", "Elo, in order of the file",
	"Davidson (native ties)", "Rao-Kupper (native ties)",
	"Glicko, by rating periods", "am-ELO, voters' abilities estimated too"
};

static const char *const method_words[CI__MAX] = { "none", "sandwich, per vote",
	"sandwich, clustered by voter", "bootstrap of votes",
	"bootstrap of voters" };

const char *
rate_bold(const struct rate_opts *o)
{
	return o->colour ? "\033[1m" : "";
}

const char *
rate_dim(const struct rate_opts *o)
{
	return o->colour ? "\033[2m" : "";
}

const char *
rate_plain(const struct rate_opts *o)
{
	return o->colour ? "\033[0m" : "";
}

const char *
rate_model_word(const struct rate_opts *o)
{
	return model_words[o->model];
}

void
rate_print_string(FILE *out, const char *p)
{
	(void)fputc('"', out);
	for (; *p != '\0'; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\')
			(void)fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			(void)fprintf(out, "\\u%04x", c);
		else
			(void)fputc(c, out);
	}
	(void)fputc('"', out);
}

void
rate_print_number(FILE *out, const char *name, double x)
{
	if (isfinite(x))
		(void)fprintf(out, ",\"%s\":%.17g", name, x);
}

/*
 * The character at p: its bytes, and the columns it fills on a terminal.  A
 * character of CJK fills two, a combining mark none; the C library knows them
 * (cmd_rate has chosen a locale of UTF-8 for that).
 */
static int
columns_of(const char *p, size_t *bytes)
{
	size_t i = 0;
	int n;

	*bytes = rate_print_hidden(p);
	if (*bytes > 0)
		return 1; /* a question mark */
	n = wcwidth((wchar_t)text_next(str_of(p), &i));
	*bytes = i;
	return n < 0 ? 1 : n;
}

int
rate_print_width(const char *p, int most)
{
	size_t bytes;
	int n = 0;

	for (; *p != '\0' && n < most; p += bytes)
		n += columns_of(p, &bytes);
	return n < most ? n : most;
}

size_t
rate_print_hidden(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	if (u[0] < 0x20 || u[0] == 0x7f)
		return u[0] != '\0';
	if (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0)
		return 2; /* the C1 controls move cursors too */
	if (u[0] == 0xd8 && u[1] == 0x9c)
		return 2; /* U+061C */
	if (u[0] != 0xe2)
		return 0;
	/* U+200E and U+200F, U+2028 to U+202E, U+2066 to U+2069 */
	if (u[1] == 0x80 &&
	    (u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xa8 && u[2] <= 0xae)))
		return 3;
	return u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9 ? 3 : 0;
}

void
rate_print_text(FILE *out, const char *p)
{
	rate_print_name(out, p, rate_print_width(p, INT_MAX));
}

void
rate_print_name(FILE *out, const char *p, int width)
{
	bool cut = width < INT_MAX && rate_print_width(p, width + 1) > width;
	int n = 0, room = cut ? width - 3 : width;

	while (*p != '\0') {
		size_t bytes;
		int columns = columns_of(p, &bytes);

		if (n + columns > room)
			break;
		if (rate_print_hidden(p) > 0)
			(void)fputc('?', out);
		else
			(void)fwrite(p, 1, bytes, out);
		n += columns;
		p += bytes;
	}
	for (int dots = 0; cut && dots < 3; dots++, n++)
		(void)fputc('.', out);
	for (; n < width; n++)
		(void)fputc(' ', out);
}

/* Ends of the scale over which a component's bars are drawn. */
static void
scale_of(const struct rate_board *b, uint32_t component, double *lo, double *hi)
{
	*lo = HUGE_VAL;
	*hi = -HUGE_VAL;
	for (uint32_t k = 0; k < b->nlines; k++) {
		const struct rate_line *l = &b->line[k];

		if (l->component != component)
			continue;
		*lo = fmin(*lo, isfinite(l->lower) ? l->lower : l->rating);
		*hi = fmax(*hi, isfinite(l->upper) ? l->upper : l->rating);
	}
}

static void
print_bar(FILE *out, const struct rate_opts *o, const struct rate_line *l,
    double lo, double hi)
{
	double per = hi > lo ? (BAR - 1) / (hi - lo) : 0.0;
	int from = (int)((l->lower - lo) * per + 0.5);
	int to = (int)((l->upper - lo) * per + 0.5);
	int at = (int)((l->rating - lo) * per + 0.5);

	(void)fputs(rate_dim(o), out);
	for (int k = 0; k < BAR; k++) {
		const char *glyph = " ";

		if (k == at)
			glyph = o->utf8 ? "\u25cf" : "o";
		else if (k >= from && k <= to)
			glyph = o->utf8 ? "\u2500" : "-";
		(void)fputs(glyph, out);
	}
	(void)fputs(rate_plain(o), out);
}

static void
print_line(FILE *out, const struct rate_data *data, const struct rate_opts *o,
    const struct rate_line *l, int width, double lo, double hi)
{
	char rank[32] = "";

	if (l->rank_from != 0 && l->rank_from == l->rank_to)
		(void)snprintf(rank, sizeof(rank), "%u", l->rank_from);
	else if (l->rank_from != 0)
		(void)snprintf(
		    rank, sizeof(rank), "%u-%u", l->rank_from, l->rank_to);
	(void)fprintf(out, "%7s  %s", rank, rate_bold(o));
	rate_print_name(out, data->names.name[l->item].p, width);
	(void)fprintf(out, "%s %8.1f", rate_plain(o), l->rating);
	if (isfinite(l->lower) && isfinite(l->upper)) {
		(void)fprintf(out, " %8.1f %8.1f  ", l->lower, l->upper);
		print_bar(out, o, l, lo, hi);
	} else if (isfinite(l->order_mean)) {
		(void)fprintf(
		    out, " %8.1f %8.1f  ", l->order_mean, l->order_sd);
	}
	(void)fprintf(out, " %8" PRIu64 " %7.0f %7.0f %7.0f%s\n", l->matches,
	    l->wins, l->losses, l->ties + (double)l->both_poor,
	    l->penalised ? " *" : "");
}

static void
print_effects(FILE *out, const struct rate_opts *o, const struct rate_board *b)
{
	double z = b->quantile;

	if (isfinite(b->tie))
		(void)fprintf(out, "tie parameter %.4f (%s)\n", b->tie,
		    o->model == RATE_DAVIDSON ? "nu" : "threshold");
	for (size_t k = 0; k < b->neffects; k++) {
		const struct rate_effect *e = &b->effect[k];

		(void)fprintf(out, "effect of %-12s %+7.1f points", e->name,
		    e->value * BT_POINTS);
		if (isfinite(z))
			(void)fprintf(out, " [%+.1f, %+.1f]",
			    (e->value - z * e->se) * BT_POINTS,
			    (e->value + z * e->se) * BT_POINTS);
		(void)fputc('\n', out);
	}
	if (o->style)
		(void)fputs("style: (a-b)/(a+b+1), z-scored; penalty 1/4 of "
			    "each squared coefficient\n"
			    "and of each squared rating/400\n",
		    out);
}

/* Clustered by voter, and only one voted: nobody has an interval. */
static bool
lacks_intervals(const struct rate_board *b)
{
	if (b->method != CI_PER_VOTER && b->method != CI_BOOTSTRAP_VOTERS)
		return false;
	for (uint32_t k = 0; k < b->nlines; k++) {
		if (isfinite(b->line[k].lower))
			return false;
	}
	return b->clusters < 2;
}

static void
print_notes(FILE *out, const struct rate_opts *o, const struct rate_board *b)
{
	if (b->npenalised > 0)
		(void)fputs("* not yet separable: no finite maximum; half a "
			    "win and half a loss against an\n"
			    "  average ghost keep the rating finite\n",
		    out);
	if (b->components > 1)
		(void)fprintf(out,
		    "%u groups of prompts were never compared with each "
		    "other; ratings and ranks\n"
		    "hold within a group only\n",
		    b->components);
	if (b->sampled)
		(void)fprintf(out,
		    "intervals of more than %d prompts are sampled "
		    "(%d multiplier draws)\n",
		    CI_DENSE, CI_DRAWS);
	if (b->replaced > 0 && !lacks_intervals(b))
		(void)fputs("where all say the same (*, or nothing but ties) "
			    "resampling cannot vary:\n"
			    "  intervals there are the sandwich's\n",
		    out);
	if (lacks_intervals(b))
		(void)fputs("no intervals: one voter alone says nothing about "
			    "how voters differ\n"
			    "  (--cluster vote takes the votes for "
			    "independent)\n",
		    out);
	if (b->both_poor > 0)
		(void)fprintf(out,
		    "both poor: %" PRIu64 " of %" PRIu64 " votes (%.1f %%)\n",
		    b->both_poor, b->votes,
		    100.0 * (double)b->both_poor / (double)b->votes);
	if (o->model == RATE_ELO)
		(void)fputs("Elo depends on the order of the votes "
			    "(--orders 100 shows how much)\n",
		    out);
}

static void
print_heading(FILE *out, const struct rate_opts *o, const struct rate_board *b,
    const char *title)
{
	if (title != NULL) {
		(void)fputs(rate_bold(o), out);
		rate_print_text(out, o->by);
		(void)fputs(" = ", out);
		rate_print_text(out, title);
		(void)fprintf(out, "%s\n", rate_plain(o));
	}
	(void)fprintf(out, "%s%s%s%s%s%s, %" PRIu64 " votes", rate_bold(o),
	    model_titles[o->model], o->position ? " + position" : "",
	    o->style ? " + style" : "", b->exploratory ? " [exploratory]" : "",
	    rate_plain(o), b->votes);
	if (b->method != CI_NONE)
		(void)fprintf(out, ", %g %% intervals: %s", 100 * o->level,
		    method_words[b->method]);
	if (b->method == CI_PER_VOTER || b->method == CI_BOOTSTRAP_VOTERS)
		(void)fprintf(out, " (%u voters)", b->clusters);
	if (b->method == CI_BOOTSTRAP_VOTES || b->method == CI_BOOTSTRAP_VOTERS)
		(void)fprintf(
		    out, ", %u rounds, seed %" PRIu64, o->rounds, o->seed);
	(void)fputs("\n\n", out);
}

void
rate_print_table(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct rate_board *b, const char *title)
{
	int width = 6;
	uint32_t component = 0;
	double lo = 0, hi = 0;

	for (uint32_t k = 0; k < b->nlines; k++) {
		int w = rate_print_width(
		    data->names.name[b->line[k].item].p, NAME_MOST);

		width = w > width ? w : width;
	}
	print_heading(out, o, b, title);
	for (uint32_t k = 0; k < b->nlines; k++) {
		const struct rate_line *l = &b->line[k];

		if (l->component != component) {
			const char *mid = "";

			component = l->component;
			scale_of(b, component, &lo, &hi);
			if (b->components > 1)
				(void)fprintf(out, "%sgroup %u%s\n",
				    k > 0 ? "\n" : "", component,
				    b->components > 1 ? "" : "");
			if (isfinite(l->lower))
				mid = "    lower    upper  "
				      "                         ";
			else if (isfinite(l->order_mean))
				mid = "     mean   spread  ";
			(void)fprintf(out,
			    "%s   rank  %-*s   rating%s  matches    wins  "
			    "losses    ties%s\n",
			    rate_dim(o), width, "prompt", mid, rate_plain(o));
		}
		print_line(out, data, o, l, width, lo, hi);
	}
	(void)fputc('\n', out);
	print_effects(out, o, b);
	print_notes(out, o, b);
	if (isfinite(b->log_likelihood) && b->newton > 0)
		(void)fprintf(out,
		    "%slog-likelihood %.4f, converged: gradient %.1e, "
		    "%u Newton steps%s\n",
		    rate_dim(o), b->log_likelihood, b->worst, b->newton,
		    rate_plain(o));
}

static void
json_line(FILE *out, const struct rate_data *data, const struct rate_board *b,
    const struct rate_line *l)
{
	(void)fputs("{\"name\":", out);
	rate_print_string(out, data->names.name[l->item].p);
	rate_print_number(out, "rating", l->rating);
	rate_print_number(out, "lower", l->lower);
	rate_print_number(out, "upper", l->upper);
	if (l->rank != 0)
		(void)fprintf(out, ",\"rank\":%u", l->rank);
	if (l->rank_from != 0)
		(void)fprintf(out, ",\"rank_from\":%u,\"rank_to\":%u",
		    l->rank_from, l->rank_to);
	(void)fprintf(out,
	    ",\"wins\":%.17g,\"losses\":%.17g,\"ties\":%.17g,"
	    "\"both_poor\":%" PRIu64 ",\"matches\":%" PRIu64,
	    l->wins, l->losses, l->ties, l->both_poor, l->matches);
	rate_print_number(out, "order_mean", l->order_mean);
	rate_print_number(
	    out, "order_sd", isfinite(l->order_mean) ? l->order_sd : NAN);
	if (b->components > 1)
		(void)fprintf(out, ",\"component\":%u", l->component);
	if (l->penalised)
		(void)fputs(",\"separable\":false", out);
	(void)fputc('}', out);
}

static void
json_effects(FILE *out, const struct rate_board *b)
{
	if (b->neffects == 0)
		return;
	(void)fputs(",\"effects\":[", out);
	for (size_t k = 0; k < b->neffects; k++) {
		(void)fprintf(out, "%s{\"name\":", k > 0 ? "," : "");
		rate_print_string(out, b->effect[k].name);
		rate_print_number(out, "log_odds", b->effect[k].value);
		if (isfinite(b->quantile))
			rate_print_number(out, "se", b->effect[k].se);
		(void)fputc('}', out);
	}
	(void)fputc(']', out);
}

void
rate_print_json(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct rate_board *b, const char *group)
{
	(void)fprintf(out, "{\"model\":\"%s\"", model_words[o->model]);
	if (group != NULL) {
		(void)fputs(",\"by\":", out);
		rate_print_string(out, o->by);
		(void)fputs(",\"value\":", out);
		rate_print_string(out, group);
	}
	(void)fprintf(out, ",\"exploratory\":%s,\"votes\":%" PRIu64,
	    b->exploratory ? "true" : "false", b->votes);
	if (o->model == RATE_ELO)
		(void)fprintf(out,
		    ",\"k\":%.17g,\"initial\":%.17g,\"scale\":%.17g,"
		    "\"passes\":%u",
		    o->elo.k, o->elo.start, o->elo.scale, o->passes);
	else
		(void)fputs(",\"converged\":true", out);
	rate_print_number(out, "log_likelihood", b->log_likelihood);
	rate_print_number(out, "aic", b->aic);
	rate_print_number(out, "tie_parameter", b->tie);
	(void)fprintf(out, ",\"components\":%u", b->components);
	if (b->npenalised > 0)
		(void)fprintf(out,
		    ",\"penalty\":\"half a win and half a loss against a "
		    "ghost, where no finite maximum exists\"");
	if (b->method != CI_NONE)
		(void)fprintf(out, ",\"intervals\":\"%s\",\"level\":%.17g",
		    method_words[b->method], o->level);
	if (b->method == CI_PER_VOTER || b->method == CI_BOOTSTRAP_VOTERS)
		(void)fprintf(out, ",\"voters\":%u", b->clusters);
	if (b->method == CI_BOOTSTRAP_VOTES || b->method == CI_BOOTSTRAP_VOTERS)
		(void)fprintf(out, ",\"rounds\":%u,\"seed\":%" PRIu64,
		    o->rounds, o->seed);
	if (b->replaced > 0)
		(void)fprintf(out, ",\"sandwich_instead\":%u", b->replaced);
	if (o->style)
		(void)fputs(",\"style_penalty\":0.25", out);
	json_effects(out, b);
	(void)fputs(",\"ratings\":[", out);
	for (uint32_t k = 0; k < b->nlines; k++) {
		(void)fputs(k > 0 ? ",\n" : "\n", out);
		json_line(out, data, b, &b->line[k]);
	}
	(void)fputs("\n]}", out);
}

/* A CSV field, quoted when it must be, and no formula to a spreadsheet. */
static void
csv_text(FILE *out, const char *p)
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_csv(&b, str_of(p));
	(void)fwrite(buf_as_str(&b).p, 1, buf_as_str(&b).n, out);
	buf_release(&b);
}

static void
csv_number(FILE *out, double x)
{
	(void)fputc(',', out);
	if (isfinite(x))
		(void)fprintf(out, "%.17g", x);
}

static void
csv_count(FILE *out, uint32_t x)
{
	(void)fputc(',', out);
	if (x != 0)
		(void)fprintf(out, "%u", x);
}

void
rate_print_csv(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct rate_board *b, const char *group,
    bool header)
{
	if (header && o->by != NULL) {
		csv_text(out, o->by);
		(void)fputc(',', out);
	}
	if (header)
		(void)fputs("name,rating,lower,upper,rank,rank_from,rank_to,"
			    "wins,losses,ties,both_poor,matches,component,"
			    "separable\n",
		    out);
	for (uint32_t k = 0; k < b->nlines; k++) {
		const struct rate_line *l = &b->line[k];

		if (o->by != NULL) {
			csv_text(out, group != NULL ? group : "");
			(void)fputc(',', out);
		}
		csv_text(out, data->names.name[l->item].p);
		csv_number(out, l->rating);
		csv_number(out, l->lower);
		csv_number(out, l->upper);
		csv_count(out, l->rank);
		csv_count(out, l->rank_from);
		csv_count(out, l->rank_to);
		csv_number(out, l->wins);
		csv_number(out, l->losses);
		csv_number(out, l->ties);
		(void)fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%u,%d\n",
		    l->both_poor, l->matches, l->component, !l->penalised);
	}
}
