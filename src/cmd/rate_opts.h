/*
 * rate_opts - what the user of prompt-arena rate asked for.
 *
 * Layer    main.
 * Memory   points into argv.
 * Threads  one.
 */
#ifndef PA_RATE_OPTS_H
#define PA_RATE_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "rate/elo.h"

enum rate_model {
	RATE_BT,
	RATE_ELO,
	RATE_DAVIDSON,
	RATE_RAO_KUPPER,
	RATE_GLICKO,
	RATE_AM_ELO,
	RATE_MODEL__MAX
};

enum rate_format {
	RATE_TABLE,
	RATE_JSON,
	RATE_CSV
};
enum rate_intervals {
	RATE_SANDWICH,
	RATE_BOOTSTRAP,
	RATE_NONE
};
enum rate_cluster {
	RATE_AUTO,
	RATE_BY_VOTER,
	RATE_BY_VOTE
};

struct rate_opts {
	enum rate_model model;
	enum rate_format format;
	enum rate_intervals intervals;
	enum rate_cluster cluster;
	struct elo_rule elo;
	unsigned passes;
	unsigned orders; /* random orders for Elo's spread; 0: none */
	unsigned rounds;
	unsigned threads;
	uint64_t seed;
	double level;
	double margin;
	const char *by;
	const char *compare_a; /* NULL unless --compare */
	const char *compare_b;
	double period; /* seconds of a rating period; 0: 1000 votes */
	bool unpenalised;
	bool style, position, raters, check;
	bool colour, utf8; /* of standard output */
	const char *file;
};

/*
 * Read argv.  0 to go on; else *code is what to exit with (help shown, or the
 * mistake told on standard error).
 */
int rate_opts_parse(int argc, char **argv, struct rate_opts *o, int *code);

#endif /* PA_RATE_OPTS_H */
