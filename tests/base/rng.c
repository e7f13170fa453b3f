/* This file knows how src/base/rng.h must behave. */
#include "base/rng.h"

#include "../tap.h"

int
main(void)
{
	struct rng r, again;
	char token[RNG_TOKEN_LEN + 1], other[RNG_TOKEN_LEN + 1];
	int hits[6] = { 0 };
	bool in_range = true;
	double sum = 0;

	rng_token(token);
	rng_token(other);
	is_int(strlen(token), RNG_TOKEN_LEN, "token length");
	is_int(strspn(token, "abcdefghijklmnopqrstuvwxyz234567"), RNG_TOKEN_LEN,
	    "token letters");
	ok(strcmp(token, other) != 0, "two tokens differ");

	/* splitmix64(0), as its authors print it */
	rng_seed(&r, 0);
	ok(r.s[0] == 0xe220a8397b1dcdafU && r.s[1] == 0x6e789e6aa1b965f4U,
	    "seeding is splitmix64");
	/* first outputs of xoshiro256** from state 1 2 3 4 */
	r = (struct rng){ { 1, 2, 3, 4 } };
	ok(rng_next(&r) == 11520 && rng_next(&r) == 0 &&
		rng_next(&r) == 1509978240U,
	    "xoshiro256** reference");

	rng_seed(&r, 42);
	rng_seed(&again, 42);
	ok(rng_next_unit(&r) == rng_next_unit(&again), "same seed, same way");
	for (int i = 0; i < 60000; i++)
		hits[rng_next_below(&r, 6)]++;
	for (int i = 0; i < 6; i++)
		in_range = in_range && hits[i] > 9500 && hits[i] < 10500;
	ok(in_range, "a die is fair");
	in_range = true;
	for (int i = 0; i < 1000; i++) {
		double u = rng_unit();

		sum += u;
		in_range = in_range && u >= 0 && u < 1 && rng_below(3) < 3;
	}
	ok(in_range, "kernel numbers are in range");
	is_real(sum / 1000, 0.5, 0.1, "and centred");
	is_int(rng_below(1), 0, "one choice");
	return done_testing();
}
