/*
 * value - which pair is worth the next vote.
 *
 * Layer    rate.
 * Memory   the caller's arrays.
 * Threads  pure.
 *
 * Worth of a pair of difference d = theta_i - theta_j and variance v: the drop
 * of the error of the difference by one more vote of it (Chiang et al. 2024,
 * Chatbot Arena, sec. 5), as far as its sign is still open,
 *
 *	(sqrt(v) - sqrt(v / (1 + p (1 - p) v))) e^(-d^2 / (2 v)),
 *
 * p = s(d), v = 1 / I_i + 1 / I_j, I_i the Fisher information on prompt i (its
 * votes' p (1 - p) and half a vote), times a boost while one of the two has
 * few matches.  A share epsilon of all draws is uniform, so every pair has a
 * known chance above 0 and votes can be weighted by 1 / chance.
 */
#ifndef PA_VALUE_H
#define PA_VALUE_H

#include <stddef.h>
#include <stdint.h>

struct prng;

#define VALUE_OPTIONS_DEFAULT                                                  \
	{                                                                      \
		0.1, 30, 3.0                                                   \
	}

struct value_options {
	double epsilon; /* share of uniform draws */
	uint64_t few;   /* matches below which a prompt is boosted */
	double boost;   /* at no match at all; falls to 1 at few */
};

/* Pairs of n items: n (n - 1) / 2, in the order (1,0) (2,0) (2,1) (3,0) ... */
static inline size_t
value_pair(size_t i, size_t j)
{
	return i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i;
}

/*
 * chance[pair] <- chance that the pair is drawn; they add up to 1.
 * theta[n] are the present ratings (natural units), met[pair] and matches[n]
 * the counts so far.  Pairs of weight barred[pair] != 0 get chance 0 (a voter
 * who has had them); barred may be NULL.  variance[n] gets 1 / I.  Returns 0 if
 * every pair is barred.
 */
int value_chances(size_t n, const double *theta, const uint32_t *met,
    const uint64_t *matches, const unsigned char *barred,
    const struct value_options *o, double *variance, double *chance);

/* Draw a pair by its chance; returns its number. */
size_t value_draw(const double *chance, size_t npairs, struct prng *g);

#endif /* PA_VALUE_H */
