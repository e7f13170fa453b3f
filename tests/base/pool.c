/* This file knows how src/base/pool.h must behave. */
#include "base/pool.h"

#include "../tap.h"

static void
test_pieces(void)
{
	struct pool *p = pool_open(1 << 20);
	unsigned char *big;
	bool zero = true;
	bool aligned = true;

	for (size_t i = 1; i < 3000; i += 7) {
		unsigned char *c = pool_alloc(p, i);

		for (size_t k = 0; k < i; k++)
			zero = zero && c[k] == 0;
		memset(c, 0xff, i);
		aligned = aligned && (uintptr_t)c % 16 == 0;
	}
	ok(zero, "pieces are zeroed");
	ok(aligned, "pieces are aligned");
	ok(!pool_failed(p), "within the cap");
	pool_clear(p);
	is_int(pool_used(p), 0, "clear empties");
	big = pool_alloc(p, 16000);
	zero = true;
	for (size_t k = 0; k < 16000; k++)
		zero = zero && big[k] == 0;
	ok(zero, "a used block is zeroed again");
	ok(pool_alloc(p, 500000) != NULL, "a piece larger than a block");
	ok(pool_alloc(p, 0) != NULL, "a piece of nothing");
	pool_close(p);
	pool_close(NULL);
}

static void
test_cap(void)
{
	struct pool *p = pool_open(1000);

	ok(pool_alloc(p, 1001) == NULL, "over the cap");
	ok(pool_failed(p), "stays failed");
	ok(pool_alloc(p, 1) == NULL, "also for small pieces");
	is_str(pool_strdup(p, "abc"), "", "strdup gives empty");
	is_str(pool_str(p, STR("abc")), "", "str gives empty");
	is_str(pool_printf(p, "%d", 7), "", "printf gives empty");
	pool_clear(p);
	ok(!pool_failed(p), "clear forgives");
	ok(pool_alloc(p, 1000 / 16 * 16) != NULL, "up to the cap");
	ok(pool_alloc(p, 16) == NULL, "not beyond");
	pool_clear(p);
	ok(pool_array(p, SIZE_MAX / 2, 3) == NULL, "product overflow");
	ok(pool_failed(p), "is a failure");
	pool_close(p);
}

static void
test_copies(void)
{
	struct pool *p = pool_open(1 << 20);
	struct str s;

	is_str(pool_strdup(p, "abc"), "abc", "strdup");
	is_str(pool_str(p, (struct str){ "a\0b", 3 }),
	    ((struct str){ "a\0b", 3 }), "str with a NUL inside");
	is_str(pool_str(p, str_of(NULL)), (const char *)NULL, "absent");
	is_str(pool_text(p, TEXT("t")), "t", "text");
	s = pool_printf(p, "%s-%05d", "x", 42);
	is_str(s, "x-00042", "printf");
	ok(s.p[s.n] == '\0', "terminated");
	pool_close(p);
}

int
main(void)
{
	test_pieces();
	test_cap();
	test_copies();
	return done_testing();
}
