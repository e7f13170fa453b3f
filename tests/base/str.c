/* This file knows how src/base/str.h must behave. */
#include "base/str.h"

#include "../tap.h"

static void
test_compare(void)
{
	static const char *const names[] = { "a", "b" };

	ok(str_eq(STR(""), STR("")), "empty equals empty");
	ok(!str_eq(str_of(NULL), STR("")), "absent is not empty");
	ok(str_eq(str_of(NULL), str_of(NULL)), "absent equals absent");
	ok(str_is(STR("abc"), "abc") && !str_is(STR("abc"), "ab"), "str_is");
	ok(str_starts(STR("abc"), "ab") && !str_starts(STR("a"), "ab"),
	    "str_starts");
	ok(!str_starts(str_of(NULL), ""), "absent starts with nothing");
	ok(str_cmp(STR("ab"), STR("b")) < 0 && str_cmp(STR("b"), STR("ab")) > 0,
	    "in the order of the bytes");
	ok(str_cmp(STR("ab"), STR("abc")) < 0 &&
		str_cmp(STR("abc"), STR("ab")) > 0,
	    "a beginning comes before what goes on");
	ok(str_cmp(STR("z"), STR("\xc3\xa9")) < 0, "bytes have no sign");
	ok(str_cmp(str_of(NULL), STR("")) == 0 &&
		str_cmp(str_of(NULL), STR("a")) < 0,
	    "absent stands where empty does");
	ok(text_cmp(TEXT("a"), TEXT("b")) < 0 &&
		text_cmp(TEXT("a"), TEXT("a")) == 0,
	    "texts likewise");
	ok(str_hex('0') == 0 && str_hex('9') == 9 && str_hex('a') == 10 &&
		str_hex('F') == 15,
	    "hexadecimal digits");
	ok(str_hex('g') < 0 && str_hex('/') < 0 && str_hex(':') < 0 &&
		str_hex('@') < 0 && str_hex('`') < 0,
	    "and none");
	ok(str_index(STR("b"), names, 2) == 1, "the place of a name");
	ok(str_index(STR("c"), names, 2) == 2, "none");
	ok(str_eq_secret(STR("12345678"), STR("12345678")), "same secret");
	ok(!str_eq_secret(STR("12345678"), STR("12345679")), "other secret");
	ok(!str_eq_secret(STR("1234"), STR("12345")), "shorter secret");
	ok(!str_eq_secret(str_of(NULL), str_of(NULL)),
	    "an absent secret opens nothing");
}

static void
test_cut(void)
{
	struct str s = STR("a=b=c");

	is_str(str_cut(&s, '='), "a", "before the first");
	is_str(s, "b=c", "after the first");
	is_str(str_cut(&s, '='), "b", "next");
	is_str(str_cut(&s, '='), "c", "last");
	is_str(s, (const char *)NULL, "then absent");
	s = STR("x=");
	(void)str_cut(&s, '=');
	is_str(s, "", "nothing after the cut is empty, not absent");
	is_str(str_trim(STR(" \t a b\r\n")), "a b", "trim");
	is_str(str_trim(STR("  ")), "", "trim to nothing");
}

static void
test_int(void)
{
	static const char *const bad[] = { "", "-", "+1", " 1", "1 ", "1.0",
		"0x1", "9223372036854775808", "-9223372036854775809",
		"99999999999999999999999", "1-", "--1", "\xd9\xa1" };
	int64_t v = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(str_int(str_of(bad[i]), INT64_MIN, INT64_MAX, &v),
		    ERR_INVALID, "refuses \"%s\"", bad[i]);
	is_int(v, 7, "out untouched");
	is_int(str_int(STR("9223372036854775807"), 0, INT64_MAX, &v), ERR_OK,
	    "largest");
	is_int(v, INT64_MAX, "largest value");
	is_int(str_int(STR("-9223372036854775808"), INT64_MIN, 0, &v), ERR_OK,
	    "smallest");
	is_int(v, INT64_MIN, "smallest value");
	is_int(str_int(STR("11"), 0, 10, &v), ERR_INVALID, "over max");
	is_int(str_int(STR("-1"), 0, 10, &v), ERR_INVALID, "under min");
	is_int(str_int(STR("007"), 0, 10, &v), ERR_OK, "leading zeros");
	is_int(v, 7, "are decimal");
}

static void
test_real(void)
{
	static const char *const bad[] = { "", "-", ".5", "5.", "1e", "1e+",
		"nan", "inf", "0x1p3", "1,5", "1e999", " 1", "1 ", "+1" };
	double v = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(str_real(str_of(bad[i]), &v), ERR_INVALID,
		    "refuses \"%s\"", bad[i]);
	is_real(v, 7, 0, "out untouched");
	is_int(str_real(STR("-0.5"), &v), ERR_OK, "fraction");
	is_real(v, -0.5, 0, "fraction value");
	is_int(str_real(STR("1e-3"), &v), ERR_OK, "exponent");
	is_real(v, 0.001, 0, "exponent value");
	is_int(str_real(STR("12"), &v), ERR_OK, "whole");
	is_real(v, 12, 0, "whole value");
}

static void
test_nearest(void)
{
	static const char *const names[] = { "prompt", "question", "answer",
		"id" };

	is_str(str_nearest(STR("promtp"), names, 4), "prompt", "swap");
	is_str(str_nearest(STR("questio"), names, 4), "question", "loss");
	is_str(str_nearest(STR("answers"), names, 4), "answer", "gain");
	is_str(str_nearest(STR("prxmpy"), names, 4), "prompt", "a third");
	is_str(str_nearest(STR("zzzzzz"), names, 4), (const char *)NULL,
	    "nothing near");
	is_str(str_nearest(STR("ab"), names, 4), (const char *)NULL,
	    "short and different");
}

int
main(void)
{
	test_compare();
	test_cut();
	test_int();
	test_real();
	test_nearest();
	return done_testing();
}
