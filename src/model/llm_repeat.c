/* This file knows how to tell that a model runs in circles. */
#include "config.h"

#include <string.h>

#include "model/llm_parts.h"

#define GUARD_BYTES 2048
#define GUARD_LINES 50
#define GUARD_RATIO 10

/* Of the packing that is estimated. */
#define MATCH_LEAST 3
#define MATCH_MOST 258
#define MATCH_BITS 16
#define LITERAL_BITS 8
#define CHAIN_MOST 32
#define HEADS 1024

static bool equal_lines(struct str tail);
static bool packs_well(struct str tail);

bool
llm_repeats(struct str s)
{
	struct str tail = s;

	if (s.n > GUARD_BYTES)
		tail = (struct str){ s.p + s.n - GUARD_BYTES, GUARD_BYTES };
	return equal_lines(s) || (tail.n == GUARD_BYTES && packs_well(tail));
}

/* The last 50 whole lines are the same, and not blank. */
static bool
equal_lines(struct str s)
{
	struct str last = { NULL, 0 };
	size_t equal = 0;
	size_t end = s.n;

	while (end > 0 && s.p[end - 1] != '\n')
		end--; /* the line that is still being written */
	while (end > 0) {
		size_t from = end - 1;
		struct str line;

		while (from > 0 && s.p[from - 1] != '\n')
			from--;
		line = (struct str){ s.p + from, end - 1 - from };
		if (str_trim(line).n == 0)
			return false;
		if (last.p != NULL && !str_eq(line, last))
			return false;
		last = line;
		if (++equal == GUARD_LINES)
			return true;
		end = from;
	}
	return false;
}

/* Where in the tail each beginning of three bytes stood last, and before. */
struct packer {
	int16_t head[HEADS], before[GUARD_BYTES];
};

static size_t
hash3(const char *p)
{
	return ((unsigned char)p[0] * 31U * 31U + (unsigned char)p[1] * 31U +
		   (unsigned char)p[2]) %
	       HEADS;
}

/* The longest earlier run that goes on as the bytes at i do. */
static size_t
longest_match(const struct packer *k, struct str s, size_t i)
{
	size_t best = 0;
	int tries = CHAIN_MOST;

	if (i + MATCH_LEAST > s.n)
		return 0;
	for (int at = k->head[hash3(s.p + i)]; at >= 0 && tries-- > 0;
	     at = k->before[at]) {
		size_t n = 0;

		while (n < MATCH_MOST && i + n < s.n &&
		       s.p[(size_t)at + n] == s.p[i + n])
			n++;
		if (n > best)
			best = n;
	}
	return best >= MATCH_LEAST ? best : 0;
}

/*
 * Would zlib pack these 2 KB more than ten to one?  Its matches are found as
 * it finds them, greedily, and counted instead of coded: two bytes each, a
 * byte for what matches nothing.  Against zlib itself on loops of one, two
 * and three phrases in any order, numbered ones, prose, tables and code this
 * never says yes where zlib says no, and misses some numbered loops.  A single
 * period, which is what was looked for before, misses all loops whose phrases
 * come in changing order.
 */
static bool
packs_well(struct str tail)
{
	struct packer k;
	size_t bits = 0;

	memset(k.head, 0xff, sizeof(k.head));
	for (size_t i = 0; i < tail.n;) {
		size_t n = longest_match(&k, tail, i);

		bits += n > 0 ? MATCH_BITS : LITERAL_BITS;
		if (bits * GUARD_RATIO > tail.n * 8)
			return false; /* prose ends here, after 200 bytes */
		for (size_t to = i + (n > 0 ? n : 1); i < to; i++) {
			size_t h;

			if (i + MATCH_LEAST > tail.n)
				continue;
			h = hash3(tail.p + i);
			k.before[i] = k.head[h];
			k.head[h] = (int16_t)i;
		}
	}
	return true;
}
