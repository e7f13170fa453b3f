/* This file knows how to read the options of prompt-arena rate. */
#include "config.h"

#include "cmd/rate_opts.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
	EXIT_USAGE = 64
};

enum long_only {
	OPT_MODEL = 256,
	OPT_FORMAT,
	OPT_INTERVALS,
	OPT_CLUSTER,
	OPT_K,
	OPT_INITIAL,
	OPT_SCALE,
	OPT_PASSES,
	OPT_ORDERS,
	OPT_ROUNDS,
	OPT_THREADS,
	OPT_SEED,
	OPT_LEVEL,
	OPT_MARGIN,
	OPT_BY,
	OPT_COMPARE,
	OPT_PERIOD,
	OPT_UNPENALISED,
	OPT_STYLE,
	OPT_POSITION,
	OPT_RATERS,
	OPT_CHECK
};

static const struct option long_options[] = {
	{ "model", required_argument, NULL, OPT_MODEL },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "intervals", required_argument, NULL, OPT_INTERVALS },
	{ "cluster", required_argument, NULL, OPT_CLUSTER },
	{ "k", required_argument, NULL, OPT_K },
	{ "initial", required_argument, NULL, OPT_INITIAL },
	{ "scale", required_argument, NULL, OPT_SCALE },
	{ "passes", required_argument, NULL, OPT_PASSES },
	{ "orders", required_argument, NULL, OPT_ORDERS },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "level", required_argument, NULL, OPT_LEVEL },
	{ "margin", required_argument, NULL, OPT_MARGIN },
	{ "by", required_argument, NULL, OPT_BY },
	{ "compare", required_argument, NULL, OPT_COMPARE },
	{ "period", required_argument, NULL, OPT_PERIOD },
	{ "unpenalised", no_argument, NULL, OPT_UNPENALISED },
	{ "style", no_argument, NULL, OPT_STYLE },
	{ "position", no_argument, NULL, OPT_POSITION },
	{ "raters", no_argument, NULL, OPT_RATERS },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
    "usage: prompt-arena rate [options] FILE   (- for standard input)\n"
    "\n"
    "Rates prompts, models or anything else by votes on pairs.\n"
    "\n"
    "FILE is CSV with a header, or JSON Lines with the same names:\n"
    "  model_a,model_b,winner   model_a model_b tie \"tie (bothbad)\"\n"
    "  left,right,winner        left right tie\n"
    "  a,b,winner               a b tie both_poor\n"
    "  a,b,win,loss,tie         counts, win = a beats b\n"
    "  optional: judge|worker|voter, weight, question_id, type, language,\n"
    "  tstamp, tokens_a headers_a lists_a bolds_a and the same with _b;\n"
    "  a ledger of prompt-arena (votes.log) is read as it is, what was\n"
    "  excluded later is left out.  Fields may be separated by ; or tabs.\n"
    "\n"
    "The primary analysis is Bradley-Terry, ties half a win each, 95 %\n"
    "intervals clustered by voter (G voters: factor G/(G-1) on variances,\n"
    "Student's t).  Everything else is exploratory.\n"
    "\n"
    "  --model bt|elo|davidson|rao-kupper|glicko|am-elo\n"
    "  --intervals sandwich|bootstrap|none   --cluster auto|voter|vote\n"
    "  --rounds 1000 --seed 1 --threads N    of the bootstrap\n"
    "  --level 0.95          of intervals and tests\n"
    "  --unpenalised         refuse where no finite maximum exists\n"
    "  --k 32 --initial 1500 --scale 400 --passes 1   of Elo\n"
    "  --orders 100          Elo over so many random orders of the votes\n"
    "  --by COLUMN           a board for every value of a column, too\n"
    "  --compare A,B         is A really better than B?  --margin 0.05\n"
    "  --position --style    side and style effects (exploratory)\n"
    "  --raters              who votes well (exploratory)\n"
    "  --check               cycles, goodness of fit, fragility\n"
    "  --period SECONDS      of --model glicko (default: 1000 votes)\n"
    "  --format table|json|csv\n"
    "\n"
    "Exit: 0 rated, 64 usage, 65 bad data (file and line on stderr),\n"
    "66 no such file, 74 input/output.  See prompt-arena-rate(1).\n";

/* The options that were given, as bits. */
static uint32_t
option_bit(int option)
{
	return option >= OPT_MODEL ? 1u << (option - OPT_MODEL) : 0;
}

static int
complain(const char *what, const char *got)
{
	(void)fprintf(stderr,
	    "prompt-arena rate: %s: \"%s\" (--help shows the usage)\n", what,
	    got);
	return -1;
}

static int
pick(const char *what, const char *got, const char *const *words, int n)
{
	for (int k = 0; k < n; k++) {
		if (strcmp(words[k], got) == 0)
			return k;
	}
	return complain(what, got);
}

/* A finite number in [least, most]. */
static int
number(
    const char *what, const char *got, double least, double most, double *out)
{
	char *end;
	double x = strtod(got, &end);

	if (end == got || *end != '\0' || !(x >= least && x <= most) ||
	    strpbrk(got, "xX") != NULL) /* nothing hexadecimal */
		return complain(what, got);
	*out = x;
	return 0;
}

/* Digits alone: a whole number is not written 1e3 or 20.0. */
static int
whole(
    const char *what, const char *got, double least, double most, unsigned *out)
{
	double x;

	if (got[strspn(got, "0123456789")] != '\0')
		return complain(what, got);
	if (number(what, got, least, most, &x) != 0)
		return -1;
	*out = (unsigned)x;
	return 0;
}

/* "A,B": names with commas are told apart by doubling them. */
static int
two_names(char *arg, struct rate_opts *o)
{
	char *to = arg, *second = NULL;

	for (char *p = arg; *p != '\0'; p++) {
		if (*p == ',' && p[1] == ',') {
			*to++ = ',';
			p++;
		} else if (*p == ',' && second == NULL) {
			*to++ = '\0';
			second = to;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	if (second == NULL || *arg == '\0' || *second == '\0')
		return complain("--compare wants A,B", arg);
	o->compare_a = arg;
	o->compare_b = second;
	return 0;
}

static int
word_option(int c, const char *arg, struct rate_opts *o)
{
	static const char *const models[] = { "bt", "elo", "davidson",
		"rao-kupper", "glicko", "am-elo" };
	static const char *const formats[] = { "table", "json", "csv" };
	static const char *const intervals[] = { "sandwich", "bootstrap",
		"none" };
	static const char *const clusters[] = { "auto", "voter", "vote" };
	int k;

	switch (c) {
	case OPT_MODEL:
		k = pick("unknown model", arg, models, RATE_MODEL__MAX);
		o->model = (enum rate_model)k;
		return k;
	case OPT_FORMAT:
		k = pick("unknown format", arg, formats, 3);
		o->format = (enum rate_format)k;
		return k;
	case OPT_INTERVALS:
		k = pick("unknown intervals", arg, intervals, 3);
		o->intervals = (enum rate_intervals)k;
		return k;
	default:
		k = pick("unknown clustering", arg, clusters, 3);
		o->cluster = (enum rate_cluster)k;
		return k;
	}
}

static int
number_option(int c, const char *arg, struct rate_opts *o)
{
	double seed;

	switch (c) {
	case OPT_K:
		return number("--k", arg, 1e-6, 1e6, &o->elo.k);
	case OPT_INITIAL:
		return number("--initial", arg, -1e9, 1e9, &o->elo.start);
	case OPT_SCALE:
		return number("--scale", arg, 1e-3, 1e9, &o->elo.scale);
	case OPT_PASSES:
		return whole("--passes", arg, 1, 100000, &o->passes);
	case OPT_ORDERS:
		return whole("--orders", arg, 0, 100000, &o->orders);
	case OPT_ROUNDS:
		return whole("--rounds", arg, 20, 1000000, &o->rounds);
	case OPT_THREADS:
		return whole("--threads", arg, 1, 256, &o->threads);
	case OPT_LEVEL:
		return number("--level", arg, 0.5, 0.9999, &o->level);
	case OPT_MARGIN:
		return number("--margin", arg, 1e-6, 0.5, &o->margin);
	case OPT_PERIOD:
		return number("--period", arg, 1, 1e12, &o->period);
	default:
		if (arg[strspn(arg, "0123456789")] != '\0')
			return complain("--seed", arg);
		if (number("--seed", arg, 0, 9007199254740991.0, &seed) != 0)
			return -1;
		o->seed = (uint64_t)seed;
		return 0;
	}
}

static int
flag_option(int c, char *arg, struct rate_opts *o)
{
	switch (c) {
	case OPT_BY:
		o->by = arg;
		return 0;
	case OPT_COMPARE:
		return two_names(arg, o);
	case OPT_UNPENALISED:
		o->unpenalised = true;
		return 0;
	case OPT_STYLE:
		o->style = true;
		return 0;
	case OPT_POSITION:
		o->position = true;
		return 0;
	case OPT_RATERS:
		o->raters = true;
		return 0;
	case OPT_CHECK:
		o->check = true;
		return 0;
	default:
		return -1; /* getopt has said what is wrong */
	}
}

static void
look_round(struct rate_opts *o)
{
	const char *lang = getenv("LC_ALL"), *term = getenv("TERM");
	const char *plain = getenv("NO_COLOR");
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (lang == NULL || *lang == '\0')
		lang = getenv("LC_CTYPE");
	if (lang == NULL || *lang == '\0')
		lang = getenv("LANG");
	o->utf8 = lang != NULL && (strcasestr(lang, "utf-8") != NULL ||
				      strcasestr(lang, "utf8") != NULL);
	o->colour = isatty(STDOUT_FILENO) && term != NULL &&
		    strcmp(term, "dumb") != 0 &&
		    (plain == NULL || *plain == '\0');
	o->threads = n > 1 ? (unsigned)(n < 16 ? n : 16) : 1;
}

static int
one_option(int c, struct rate_opts *o)
{
	if (c >= OPT_MODEL && c <= OPT_CLUSTER)
		return word_option(c, optarg, o);
	if ((c >= OPT_K && c <= OPT_MARGIN) || c == OPT_PERIOD)
		return number_option(c, optarg, o);
	return flag_option(c, optarg, o);
}

static bool
has_sandwich(const struct rate_opts *o)
{
	return o->model == RATE_BT || o->model == RATE_DAVIDSON ||
	       o->model == RATE_RAO_KUPPER;
}

/* Which intervals cannot be had of what, and what can be asked instead. */
static const char *
wrong_intervals(const struct rate_opts *o, bool said)
{
	if (!said || o->intervals == RATE_NONE)
		return NULL;
	if (o->model == RATE_ELO)
		return "--model elo (its doubt is the order: --orders 100; or "
		       "take --model bt)";
	if (o->model == RATE_GLICKO)
		return "--model glicko (it has intervals of its own; or take "
		       "--model bt)";
	if (o->model == RATE_AM_ELO)
		return "--model am-elo (take --model bt)";
	if (o->intervals == RATE_BOOTSTRAP &&
	    (o->model != RATE_BT || o->style || o->position))
		return "tie, side and style models (take --intervals "
		       "sandwich, or --model bt alone)";
	return NULL;
}

/* What a comparison does not look at. */
static const char *
wrong_comparison(const struct rate_opts *o)
{
	if (o->compare_a == NULL)
		return NULL;
	if (o->model != RATE_BT || o->style || o->position)
		return "other models than --model bt";
	if (o->intervals != RATE_SANDWICH)
		return "other intervals than --intervals sandwich";
	if (o->by != NULL || o->raters || o->check || o->unpenalised)
		return "--by, --raters, --check or --unpenalised (ask for "
		       "them by themselves)";
	return NULL;
}

/* CSV is a table of ratings; nothing else finds room there. */
static const char *
wrong_csv(const struct rate_opts *o)
{
	if (o->format == RATE_CSV &&
	    (o->compare_a != NULL || o->raters || o->check))
		return "--compare, --raters or --check (take --format json)";
	return NULL;
}

/* An option that would change nothing was meant to change something. */
static const char *
idle_option(const struct rate_opts *o, uint32_t said, const char **with)
{
	bool elo = o->model == RATE_ELO;
	const struct {
		int option;
		bool works;
		const char *name, *with;
	} rule[] = {
		{ OPT_K, elo || o->check, "--k", "--model elo or --check" },
		{ OPT_SCALE, elo || o->check, "--scale",
		    "--model elo or --check" },
		{ OPT_INITIAL, elo, "--initial", "--model elo" },
		{ OPT_PASSES, elo, "--passes", "--model elo" },
		{ OPT_ORDERS, elo, "--orders", "--model elo" },
		{ OPT_PERIOD, o->model == RATE_GLICKO, "--period",
		    "--model glicko" },
		{ OPT_MARGIN, o->compare_a != NULL, "--margin", "--compare" },
		{ OPT_CLUSTER, has_sandwich(o), "--cluster",
		    "--model bt, davidson or rao-kupper" },
		{ OPT_UNPENALISED,
		    o->model == RATE_BT && !o->style && !o->position,
		    "--unpenalised", "--model bt" },
	};

	for (size_t k = 0; k < sizeof(rule) / sizeof(*rule); k++) {
		*with = rule[k].with;
		if ((said & option_bit(rule[k].option)) != 0 && !rule[k].works)
			return rule[k].name;
	}
	return NULL;
}

/* Do the options go together?  An answer to half a question is a wrong one. */
static int
agree(const struct rate_opts *o, uint32_t said)
{
	const char *what = NULL, *with, *alone;

	with = wrong_intervals(o, (said & option_bit(OPT_INTERVALS)) != 0);
	if (with != NULL)
		what = o->intervals == RATE_BOOTSTRAP ? "--intervals bootstrap"
						      : "--intervals sandwich";
	else if ((with = wrong_csv(o)) != NULL)
		what = "--format csv";
	else if ((with = wrong_comparison(o)) != NULL)
		what = "--compare";
	if (with != NULL) {
		(void)fprintf(stderr,
		    "prompt-arena rate: %s does not go with %s (--help shows "
		    "the usage)\n",
		    what, with);
		return -1;
	}
	what = idle_option(o, said, &alone);
	if (what == NULL)
		return 0;
	(void)fprintf(stderr,
	    "prompt-arena rate: %s goes with %s alone (--help shows the "
	    "usage)\n",
	    what, alone);
	return -1;
}

int
rate_opts_parse(int argc, char **argv, struct rate_opts *o, int *code)
{
	uint32_t said = 0;
	int c, bad = 0;

	*o = (struct rate_opts){ .elo = ELO_RULE_DEFAULT,
		.passes = 1,
		.rounds = 1000,
		.seed = 1,
		.level = 0.95,
		.margin = 0.05 };
	look_round(o);
	*code = EXIT_USAGE;
	optind = 0; /* GNU: start over, whoever parsed before */
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c == 'h') {
			(void)fputs(help, stdout);
			*code = 0;
			return 1;
		}
		if (one_option(c, o) < 0)
			return 1;
		said |= option_bit(c);
	}
	if (optind != argc - 1)
		bad = complain("one FILE is wanted",
		    optind < argc ? argv[optind + 1] : "");
	else
		bad = agree(o, said);
	if (bad < 0)
		return 1;
	o->file = argv[optind];
	*code = 0;
	return 0;
}
