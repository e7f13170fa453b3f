/* This file knows how to run prompt-arena rate from start to end. */
#include "config.h"

#include "cmd/rate.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "cmd/rate_board.h"
#include "cmd/rate_compare.h"
#include "cmd/rate_data.h"
#include "cmd/rate_more.h"
#include "cmd/rate_opts.h"
#include "cmd/rate_print.h"

enum {
	EXIT_IO = 74
};

/* What must be kept while reading for what was asked. */
static struct rate_want
wanted(const struct rate_opts *o)
{
	struct rate_want w = { .by = o->by };

	w.voters = o->cluster != RATE_BY_VOTE && o->model != RATE_ELO &&
		   o->model != RATE_GLICKO;
	w.order = o->model == RATE_ELO || o->model == RATE_GLICKO || o->check;
	w.votes = o->style || o->raters || o->model == RATE_AM_ELO ||
		  o->compare_a != NULL ||
		  (o->model == RATE_GLICKO && o->period > 0);
	return w;
}

static bool
has_voters(const struct rate_data *data)
{
	return data->has[RATE_VOTER];
}

/* What a model that is no plain order-free one cannot take. */
static const char *
model_conflict(const struct rate_data *data, const struct rate_opts *o)
{
	bool weighted = data->tally.weight != NULL;

	if (o->model != RATE_ELO && o->model != RATE_GLICKO &&
	    o->model != RATE_AM_ELO)
		return NULL;
	if (weighted || o->by != NULL || o->style || o->position)
		return "this model takes no weights, --by, --style or "
		       "--position";
	if (o->model == RATE_AM_ELO && !has_voters(data))
		return "no column judge, worker or voter for am-elo";
	if (o->period > 0 && !data->has[RATE_TIME])
		return "no column tstamp for rating periods";
	return NULL;
}

/* Combinations that cannot be answered. */
static const char *
conflict(const struct rate_data *data, const struct rate_opts *o)
{
	if (o->style && o->by != NULL)
		return "--style and --by exclude each other";
	if (o->style && !data->has[RATE_STYLE_A])
		return "no style columns (tokens_a ... bolds_b)";
	if ((o->raters || o->cluster == RATE_BY_VOTER) && !has_voters(data))
		return "no column judge, worker or voter";
	if ((o->raters || o->compare_a != NULL) && data->tally.weight != NULL)
		return "--raters and --compare count votes and take no weights";
	return model_conflict(data, o);
}

static void
print_board(FILE *out, const struct rate_data *data, const struct rate_opts *o,
    const struct rate_board *b, const char *group, bool first)
{
	switch (o->format) {
	case RATE_JSON:
		rate_print_json(out, data, o, b, group);
		break;
	case RATE_CSV:
		rate_print_csv(out, data, o, b, group, first);
		break;
	default:
		if (!first)
			(void)fputc('\n', out);
		rate_print_table(out, data, o, b, group);
	}
}

static enum err
one_board(FILE *out, struct rate_data *data, const struct tally *t,
    const struct rate_opts *o, const char *group, bool first)
{
	struct rate_board b;
	enum err e = rate_board_make(data, t, o, &b);

	if (e != ERR_OK)
		return e;
	print_board(out, data, o, &b, group, first);
	rate_board_release(&b);
	return ERR_OK;
}

static enum err
all_boards(FILE *out, struct rate_data *data, const struct rate_opts *o)
{
	enum err e = one_board(out, data, &data->tally, o, NULL, true);

	if (o->by != NULL && o->format == RATE_JSON)
		(void)fputs(",\n\"groups\":[", out);
	for (uint32_t g = 0; e == ERR_OK && g < data->groups.count; g++) {
		if (o->format == RATE_JSON)
			(void)fputs(g > 0 ? ",\n" : "\n", out);
		e = one_board(out, data, &data->by_group[g], o,
		    data->groups.name[g].p, false);
	}
	return e;
}

/* JSON with groups is {"all": board, "groups": [boards]}. */
static enum err
boards(FILE *out, struct rate_data *data, const struct rate_opts *o)
{
	bool wrapped =
	    o->format == RATE_JSON && (o->by != NULL || o->check || o->raters);
	enum err e;

	if (wrapped)
		(void)fputs("{\"all\":", out);
	e = all_boards(out, data, o);
	if (e == ERR_OK && wrapped && o->by != NULL)
		(void)fputs("]", out);
	if (e == ERR_OK && o->check)
		e = rate_check(out, data, o);
	if (e == ERR_OK && o->raters)
		e = rate_raters(out, data, o);
	if (wrapped)
		(void)fputs("}", out);
	if (o->format == RATE_JSON)
		(void)fputc('\n', out);
	return e;
}

/*
 * What was asked for, whole or not at all: a rating that fails after others
 * leaves no half of a document behind.
 */
static enum err
answer(struct rate_data *data, const struct rate_opts *o)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	enum err e;

	if (out == NULL)
		return ERR_NOMEM;
	e = o->compare_a != NULL ? rate_compare(out, data, o)
				 : boards(out, data, o);
	if (fclose(out) != 0 && e == ERR_OK)
		e = ERR_NOMEM;
	if (e == ERR_OK)
		(void)fwrite(text, 1, n, stdout);
	free(text);
	return e;
}

static int
fail(const struct rate_data *data, enum err e)
{
	(void)fprintf(stderr, "prompt-arena rate: %s\n",
	    data->message[0] != '\0' ? data->message : err_name(e));
	return err_exit_code(e);
}

static int run(int argc, char **argv);

/*
 * Names are UTF-8 whatever the caller's locale is: the C library tells how
 * wide they are on a terminal.  Of this thread and of characters alone;
 * numbers stay as they are.
 */
int
cmd_rate(int argc, char **argv)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t old;
	int code;

	if (utf8 == (locale_t)0)
		return run(argc, argv); /* columns are guesses then */
	old = uselocale(utf8);
	code = run(argc, argv);
	(void)uselocale(old);
	freelocale(utf8);
	return code;
}

static int
run(int argc, char **argv)
{
	struct rate_opts o;
	struct rate_want want;
	struct rate_data data;
	const char *why;
	int code = 0;
	enum err e;

	if (rate_opts_parse(argc, argv, &o, &code) != 0)
		return code;
	want = wanted(&o);
	e = rate_read(o.file, &want, &data);
	if (e == ERR_OK && (why = conflict(&data, &o)) != NULL)
		e = rate_data_fail(&data, 0, ERR_METHOD, "%s", why);
	if (e == ERR_OK && o.intervals == RATE_BOOTSTRAP &&
	    isatty(STDERR_FILENO))
		(void)fprintf(stderr, "bootstrap: %u rounds on %u threads\n",
		    o.rounds, o.threads);
	if (e == ERR_OK)
		e = answer(&data, &o);
	if (e != ERR_OK)
		code = fail(&data, e);
	rate_data_release(&data);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		(void)fputs("prompt-arena rate: cannot write\n", stderr);
		return EXIT_IO;
	}
	return code;
}
