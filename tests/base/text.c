/* This file knows how src/base/text.h must behave. */
#include "base/text.h"

#include "base/rng.h"

#include "../tap.h"

#define FFFD "\xef\xbf\xbd"
#define GRAVE2 "\xcc\x80\xcc\x81"
#define GRAVE8 GRAVE2 GRAVE2 GRAVE2 GRAVE2

static struct pool *pool;

static void
test_clean(void)
{
	static const struct {
		const char *in, *out, *what;
	} cases[] = {
		{ "plain\ttext\n", "plain\ttext\n", "plain" },
		{ "a\r\nb\rc\r", "a\nb\nc\n", "line ends" },
		{ "\x01\x1b\x7f", FFFD FFFD FFFD, "C0 and DEL" },
		{ "\xc2\x85\xc2\x9f", FFFD FFFD, "C1" },
		{ "\xc2\xa0", "\xc2\xa0", "no-break space stays" },
		{ "\xed\xa0\x80", FFFD FFFD FFFD, "surrogate" },
		{ "\xef\xbf\xbe\xef\xbf\xbf", FFFD FFFD, "FFFE FFFF" },
		{ "\xef\xb7\x90", FFFD, "FDD0" },
		{ "\xf0\x9f\xbf\xbe", FFFD, "1FFFE" },
		{ "\xc0\xaf", FFFD FFFD, "overlong" },
		{ "\xe0\x80\xaf", FFFD FFFD FFFD, "overlong three" },
		{ "\xf4\x91\x80\x80", FFFD FFFD FFFD FFFD, "over 10FFFF" },
		/* The standard's table 3-11. */
		{ "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
		  "A",
		    FFFD FFFD FFFD FFFD "A", "maximal subparts" },
		{ "\xf0\x9f\x98", FFFD, "cut at the end" },
		{ "a\xe2\x80\xae"
		  "b\xe2\x81\xa6"
		  "c",
		    "abc", "bidi" },
		{ "\xef\xbb\xbf"
		  "a\xe2\x80\x8b"
		  "b\xe2\x81\xa0",
		    "ab", "BOM, ZWSP, WJ" },
		{ "a\xf3\xa0\x81\x81"
		  "b",
		    "ab", "tag characters" },
		{ "\xd9\x85\xe2\x80\x8c\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f",
		    "\xd9\x85\xe2\x80\x8c\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f",
		    "joiners and marks stay" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "emoji" },
		{ "Z" GRAVE8 GRAVE8 "a" GRAVE8, "Z" GRAVE8 "a" GRAVE8,
		    "a pile of marks" },
		{ "Z" GRAVE8 "\xe2\x80\x8d" GRAVE8, "Z" GRAVE8,
		    "a pile with joiners in it" },
	};
	const char *same = "unchanged";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_str(text_clean(pool, str_of(cases[i].in)), cases[i].out,
		    "%s", cases[i].what);
	is_str(
	    text_clean(pool, (struct str){ "a\0b", 3 }), "a" FFFD "b", "NUL");
	ok(text_clean(pool, str_of(same)).p == same, "borrows clean bytes");
	is_str(text_clean(pool, str_of(NULL)), (const char *)NULL, "absent");
}

static void
test_random(void)
{
	static const unsigned char starts[] = { 0xc2, 0xe0, 0xe2, 0xed, 0xef,
		0xf0, 0xf3, 0xf4, 0x80, 0xbf, 0x0d, 0x41 };
	struct rng r;
	int dirty = 0;

	rng_seed(&r, 2);
	for (int i = 0; i < 20000; i++) {
		char raw[24];
		struct text t;

		for (size_t k = 0; k < sizeof(raw); k++)
			raw[k] =
			    rng_next_below(&r, 2) == 0
				? (char)
				      starts[rng_next_below(&r, sizeof(starts))]
				: (char)rng_next_below(&r, 256);
		t = text_clean(pool, (struct str){ raw, sizeof(raw) });
		if (!text_is_clean((struct str){ t.p, t.n }))
			dirty++;
		pool_clear(pool);
	}
	is_int(dirty, 0, "what was cleaned is clean");
}

static void
test_input(void)
{
	struct text t = TEXT("before");

	is_int(text_input(pool, STR("a\xff"), 9, &t), ERR_INVALID, "not UTF-8");
	is_int(text_input(pool, (struct str){ "a\0", 2 }, 9, &t), ERR_INVALID,
	    "NUL");
	is_int(text_input(pool, STR("\xe4\xbd\xa0\xe5\xa5\xbd"), 1, &t),
	    ERR_TOOBIG, "two characters are over one");
	is_str(t, "before", "out untouched");
	is_int(text_input(pool, STR("\xe4\xbd\xa0\xe5\xa5\xbd\r\n"), 3, &t),
	    ERR_OK, "three characters");
	is_str(t, "\xe4\xbd\xa0\xe5\xa5\xbd\n", "cleaned");
}

static void
test_counts(void)
{
	is_int(text_chars(TEXT("a\xc3\xa9\xf0\x9f\x98\x80")), 3, "characters");
	is_int(text_words(TEXT("it's  a test \xe2\x80\x94 really")), 4,
	    "words; a dash is none");
	is_int(text_words(TEXT("\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8cworld")), 3,
	    "CJK one by one");
	is_int(text_words(TEXT("\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb4\xd9\x88"
			       "\xd8\xaf \xd8\xa7")),
	    2, "a ZWNJ does not split");
	is_int(text_lines(TEXT("")), 0, "no line");
	is_int(text_lines(TEXT("a\nb")), 2, "two lines");
	is_int(text_lines(TEXT("a\nb\n")), 2, "a final newline adds none");
	is_str(text_cut(TEXT("a\xc3\xa9z"), 2), "a\xc3\xa9", "cut");
	is_str(text_cut(TEXT("ab"), 5), "ab", "cut beyond the end");
	ok(text_is_blank(TEXT(" \n\xe3\x80\x80\xc2\xa0")), "blank");
	ok(!text_is_blank(TEXT(" .")), "not blank");
	ok(text_is_blank(TEXT("\xe2\x80\x8f \xe2\x80\x8d\xc2\xad"
			      "\xe3\x85\xa4\xef\xb8\x8f")),
	    "blank: marks, joiners and fillers that nobody sees");
	ok(!text_is_blank(TEXT("\xe2\x80\x8f\xd8\xa2")),
	    "not blank: a letter behind a mark");
}

int
main(void)
{
	pool = pool_open(1 << 20);
	test_clean();
	test_random();
	test_input();
	test_counts();
	pool_close(pool);
	return done_testing();
}
