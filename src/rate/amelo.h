/*
 * amelo - ratings and voters' abilities together.
 *
 * Layer    rate.
 * Memory   malloc inside; results go to the caller's arrays.
 * Threads  pure.
 *
 * am-ELO (Liu, Gao, Yue et al. 2025, "am-ELO: A Stable Framework for
 * Arena-based LLM Evaluation", sec. 4): P(i beats j by voter k) =
 * s(a_k (R_i - R_j)), ties half each.  The likelihood does not fix the scale;
 * here R has mean 0 and a has mean 1.  A prior a_k ~ N(1, 1 / ridge) keeps
 * voters of few votes finite.  R and a are climbed in turns, each a concave
 * problem.  Exploratory.
 */
#ifndef PA_AMELO_H
#define PA_AMELO_H

#include "base/err.h"
#include "rate/rater.h"

struct amelo_fit {
	double loss; /* - log-likelihood per vote, without the prior */
	unsigned rounds;
};

/*
 * Items up to MODEL_MOST, connected by the votes.  theta[nitems] and
 * ability[nvoters] are filled; in->controls is not used.  Voters without
 * votes have ability 1 and do not count for the mean.  ERR_LIMIT if not
 * converged (greatest change of a theta in a round below 1e-7).
 */
enum err amelo_fit(const struct rater_input *in, double ridge, double *theta,
    double *ability, struct amelo_fit *out) PA_MUST_USE;

#endif /* PA_AMELO_H */
