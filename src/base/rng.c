/* This file knows how to draw numbers, by chance or from a seed. */
#include "config.h"

#include "base/rng.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static uint64_t rotate(uint64_t x, int k);
static double unit_of(uint64_t x);

void
rng_bytes(void *out, size_t n)
{
	char *p = out;

	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0) {
			if (errno == EINTR)
				continue;
			abort();
		}
		p += got;
		n -= (size_t)got;
	}
}

/* Below the threshold 2^64 mod bound lies what would favour small values. */
uint64_t
rng_below(uint64_t bound)
{
	uint64_t x;

	assert(bound >= 1);
	do
		rng_bytes(&x, sizeof(x));
	while (x < (0 - bound) % bound);
	return x % bound;
}

double
rng_unit(void)
{
	uint64_t x;

	rng_bytes(&x, sizeof(x));
	return unit_of(x);
}

void
rng_token(char out[RNG_TOKEN_LEN + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char raw[16];
	uint32_t held = 0;
	int bits = 0;
	size_t n = 0;

	rng_bytes(raw, sizeof(raw));
	for (size_t i = 0; i < sizeof(raw); i++) {
		held = held << 8 | raw[i];
		bits += 8;
		while (bits >= 5) {
			bits -= 5;
			out[n++] = letters[held >> bits & 31];
		}
	}
	out[n++] = letters[held << (5 - bits) & 31];
	assert(n == RNG_TOKEN_LEN);
	out[n] = '\0';
}

void
rng_seed(struct rng *r, uint64_t seed)
{
	for (size_t i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15U;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
		z = (z ^ z >> 27) * 0x94d049bb133111ebU;
		r->s[i] = z ^ z >> 31;
	}
}

uint64_t
rng_next(struct rng *r)
{
	uint64_t *s = r->s;
	uint64_t out = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return out;
}

uint64_t
rng_next_below(struct rng *r, uint64_t bound)
{
	uint64_t x;

	assert(bound >= 1);
	do
		x = rng_next(r);
	while (x < (0 - bound) % bound);
	return x % bound;
}

double
rng_next_unit(struct rng *r)
{
	return unit_of(rng_next(r));
}

static uint64_t
rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

static double
unit_of(uint64_t x)
{
	return (double)(x >> 11) * 0x1p-53;
}
