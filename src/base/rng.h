/*
 * rng - chance: from the kernel for tokens and sides, seeded for simulations.
 *
 * Layer    base.
 * Memory   caller's.
 * Threads  kernel functions: any; a struct rng belongs to one thread.
 */
#ifndef PA_RNG_H
#define PA_RNG_H

#include <stddef.h>
#include <stdint.h>

/* n unpredictable bytes.  Aborts when the kernel has none (never seen). */
void rng_bytes(void *out, size_t n);

/* Uniform in [0, bound), bound >= 1, without modulo bias. */
uint64_t rng_below(uint64_t bound);

/* Uniform in [0, 1) with 53 bits. */
double rng_unit(void);

/* 128 random bits in lower-case base32 (RFC 4648 alphabet, 26 characters). */
#define RNG_TOKEN_LEN 26
void rng_token(char out[RNG_TOKEN_LEN + 1]);

/* xoshiro256** (Blackman & Vigna 2018), seeded by splitmix64. */
struct rng {
	uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
uint64_t rng_next_below(struct rng *r, uint64_t bound);
double rng_next_unit(struct rng *r);

#endif /* PA_RNG_H */
