/*
 * ci_score - the scores behind a sandwich, and simultaneous ranks.
 *
 * Layer    rate (private to ci).
 * Memory   malloc; ci_scores_release frees all.
 * Threads  read-only once made.
 */
#ifndef PA_CI_SCORE_H
#define PA_CI_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ci;
struct ci_options;
struct pairs;
struct prng;
struct tally;

/* One voter's score on one pair: r (e_i - e_j). */
struct ci_score {
	uint32_t voter;
	uint32_t pair;
	double r;
};

struct ci_scores {
	double *curve; /* per pair: games p (1 - p) */
	double *ghost; /* per item: the ghost's part of the Hessian */
	double *every; /* per pair: sum of squared scores of all votes */
	double *lone;  /* the same of votes nobody signed */
	struct ci_score *score; /* voters' scores by component and voter */
	size_t *first, *end;    /* component -> its scores */
	double *nlone;          /* component -> votes nobody signed */
	uint32_t *clusters;     /* component -> independent voters */
	int by_voter;
};

enum err ci_scores_open(struct ci_scores *s, const struct pairs *pairs,
    const struct tally *t, const double *theta, int by_voter) PA_MUST_USE;
void ci_scores_release(struct ci_scores *s);

/*
 * b (n * n, rows by place[local]) <- sum of outer products of voters' scores.
 * Every product is rounded to one grid, so that the order of voters leaves no
 * trace.
 */
enum err ci_scores_outer(const struct ci_scores *s, const struct pairs *pairs,
    uint32_t part, const uint32_t *place, double *b) PA_MUST_USE;

/* u (by local number) <- sum of scores times standard normal multipliers. */
void ci_scores_draw(const struct ci_scores *s, const struct pairs *pairs,
    uint32_t part, struct prng *g, double *u);

/* Quantile p of the reference distribution of component part. */
double ci_quantile(const struct ci_scores *s, uint32_t part, double p);

/* Fill rank_from and rank_to. */
enum err ci_simultaneous(const struct pairs *pairs, const struct ci_scores *s,
    const double *theta, const struct ci_options *o, struct ci *ci) PA_MUST_USE;

#endif /* PA_CI_SCORE_H */
