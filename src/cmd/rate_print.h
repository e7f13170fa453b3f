/*
 * rate_print - boards and comparisons as tables, JSON and CSV.
 *
 * Layer    main.
 * Memory   none.
 * Threads  one.
 *
 * What is unknown is left out of JSON and empty in CSV; NaN and infinity are
 * never printed.
 */
#ifndef PA_RATE_PRINT_H
#define PA_RATE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rate_board;
struct rate_data;
struct rate_opts;

void rate_print_table(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct rate_board *b, const char *title);
void rate_print_json(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct rate_board *b, const char *group);
void rate_print_csv(FILE *out, const struct rate_data *data,
    const struct rate_opts *o, const struct rate_board *b, const char *group,
    bool header);

/* p as a JSON string with its quotes. */
void rate_print_string(FILE *out, const char *p);

/* ,"name":x with 17 digits, or nothing if x is not finite. */
void rate_print_number(FILE *out, const char *name, double x);

/*
 * Bytes of the character at p that would not be shown but do something to
 * the terminal or to the text beside it (controls, bidi controls); else 0.
 */
size_t rate_print_hidden(const char *p);

/* The text, such characters as ?. */
void rate_print_text(FILE *out, const char *p);

/* Likewise, padded to width columns, or cut to them and marked by dots. */
void rate_print_name(FILE *out, const char *p, int width);

/* Columns of a terminal that p fills, at most most. */
int rate_print_width(const char *p, int most);

/* Terminal attributes; empty strings unless o->colour. */
const char *rate_bold(const struct rate_opts *o);
const char *rate_dim(const struct rate_opts *o);
const char *rate_plain(const struct rate_opts *o);

/* The model's name on the command line. */
const char *rate_model_word(const struct rate_opts *o);

#endif /* PA_RATE_PRINT_H */
