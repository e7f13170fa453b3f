/*
 * prng - the seeded pseudo-random numbers of simulations and bootstraps.
 *
 * Layer    rate.
 * Memory   the caller's struct.
 * Threads  one struct, one thread.
 *
 * xoshiro256** (Blackman and Vigna 2021), seeded by splitmix64.  Every
 * bootstrap round makes its own generator from (seed, round), so rounds can
 * run in any order on any number of threads.  Never for secrets.
 */
#ifndef PA_PRNG_H
#define PA_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t s[4];
	double spare; /* second normal deviate of a pair */
	int has_spare;
};

/* Start stream number `stream` of `seed`. */
void prng_init(struct prng *g, uint64_t seed, uint64_t stream);

/* 64 random bits. */
static inline uint64_t
prng_next(struct prng *g)
{
	uint64_t r = g->s[1] * 5, t = g->s[1] << 17;

	r = ((r << 7) | (r >> 57)) * 9;
	g->s[2] ^= g->s[0];
	g->s[3] ^= g->s[1];
	g->s[1] ^= g->s[2];
	g->s[0] ^= g->s[3];
	g->s[2] ^= t;
	g->s[3] = (g->s[3] << 45) | (g->s[3] >> 19);
	return r;
}

/* Uniform on [0, 1), 53 bits. */
static inline double
prng_unit(struct prng *g)
{
	return (double)(prng_next(g) >> 11) * 0x1p-53;
}

/* Uniform on 0 .. n-1 for n > 0, without bias. */
uint64_t prng_below(struct prng *g, uint64_t n);

/* Standard normal (Marsaglia's polar method on num_log). */
double prng_normal(struct prng *g);

/*
 * Binomial(n, p): inversion for small n p, else the transformed rejection
 * BTRS of Hoermann (1993).  Exact up to rounding.
 */
uint64_t prng_binomial(struct prng *g, uint64_t n, double p);

#endif /* PA_PRNG_H */
