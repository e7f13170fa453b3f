/* This file knows how src/base/buf.h must behave. */
#include "base/buf.h"

#include "base/rng.h"

#include "../tap.h"

static struct buf b;

static struct str
fixed(double v, int decimals)
{
	buf_clear(&b);
	buf_fixed(&b, v, decimals);
	return buf_as_str(&b);
}

static void
test_growth(void)
{
	struct buf s;

	buf_init(&s, 10);
	is_str(buf_as_str(&s), "", "an untouched buffer is empty, not absent");
	buf_z(&s, "");
	ok(s.p != NULL && s.p[0] == '\0', "terminated after buf_z of nothing");
	buf_z(&s, "12345");
	buf_z(&s, "67890");
	ok(!s.failed, "exactly full");
	is_str(s.p, "1234567890", "content, terminated");
	buf_c(&s, 'x');
	ok(s.failed, "one over");
	is_int(s.n, 10, "nothing of it added");
	buf_clear(&s);
	ok(!s.failed && s.n == 0, "clear forgives");
	buf_printf(&s, "%d", 123);
	buf_printf(&s, "%08d", 1);
	ok(s.failed, "printf over the maximum");
	is_str(buf_as_str(&s), "123", "adds nothing");
	buf_release(&s);
	buf_release(&s);
	buf_clear(&b);
	for (int i = 0; i < 100000; i++)
		buf_z(&b, "0123456789");
	is_int(b.n, 1000000, "grows");
}

static void
test_numbers(void)
{
	buf_clear(&b);
	buf_int(&b, INT64_MIN);
	buf_c(&b, ' ');
	buf_int(&b, INT64_MAX);
	buf_c(&b, ' ');
	buf_int(&b, 0);
	is_str(buf_as_str(&b), "-9223372036854775808 9223372036854775807 0",
	    "buf_int");
	is_str(fixed(1520.48, 2), "1520.48", "two decimals");
	is_str(fixed(1579.52, 1), "1579.5", "one decimal");
	is_str(fixed(0.125, 2), "0.13", "half goes away from zero");
	is_str(fixed(-0.125, 2), "-0.13", "below zero too");
	is_str(fixed(2.675, 2), "2.67", "2.675 is below the half");
	is_str(fixed(1.005, 2), "1.00", "so is 1.005");
	is_str(fixed(0.5, 0), "1", "no decimals");
	is_str(fixed(9.999, 2), "10.00", "carry");
	is_str(fixed(-0.04, 1), "0.0", "no minus zero");
	is_str(fixed(-0.0, 0), "0", "nor here");
	is_str(fixed(9e15, 3), "9000000000000000.000", "largest");
	is_str(fixed(0.000000001, 9), "0.000000001", "nine decimals");
	fixed(9.1e15, 0);
	ok(b.failed && b.n == 0, "too large fails");
	fixed((double)NAN, 0);
	ok(b.failed, "NaN fails");
	buf_clear(&b);
	buf_real(&b, 0.1);
	is_str(buf_as_str(&b), "0.10000000000000001", "17 digits");
	buf_real(&b, (double)INFINITY);
	ok(b.failed, "infinity fails");
}

/* printf rounds correctly but halves to even: compare off the halves. */
static void
test_fixed_against_printf(void)
{
	struct rng r;
	int wrong = 0;

	rng_seed(&r, 1);
	for (int i = 0; i < 200000; i++) {
		double v = (rng_next_unit(&r) - 0.5) * 5000.0;
		int decimals = i % 10;
		char z[64];

		/* a third of them sit next to a printed half */
		if (i % 3 == 0)
			v = floor(v * 100.0) / 100.0 + 0.005;
		if (v * 8.0 == floor(v * 8.0))
			continue; /* 0.625: a true half */
		(void)snprintf(z, sizeof(z), "%.*f", decimals, v);
		if (strspn(z, "-0.") == strlen(z))
			continue;
		if (!str_is(fixed(v, decimals), z) && wrong++ < 3)
			diag("%.17g: %s", v, z);
	}
	is_int(wrong, 0, "200 000 values as printf has them");
}

static void
test_escapes(void)
{
	buf_clear(&b);
	buf_json(&b, (struct str){ "a\"\\\n\x01\xc3\xa9\xff\0z", 10 });
	is_str(buf_as_str(&b),
	    "a\\\"\\\\\\n\\u0001\xc3\xa9\xef\xbf\xbd\\u0000z", "JSON");
	buf_clear(&b);
	buf_xml(&b, STR("<a href=\"x\">&'\n\r\x02\xff\xef\xbf\xbf"));
	is_str(buf_as_str(&b),
	    "&lt;a href=&quot;x&quot;&gt;&amp;'\n&#13;"
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
	    "XML");
	buf_clear(&b);
	buf_json(&b, (struct str){ NULL, 0 });
	buf_xml(&b, (struct str){ NULL, 0 });
	buf_xml_attr(&b, STR("a\tb\nc"));
	is_str(buf_as_str(&b), "a&#9;b&#10;c", "XML attribute");
	buf_clear(&b);
	buf_url(&b, STR("a b/\xc3\xa9~%"));
	is_str(buf_as_str(&b), "a%20b%2F%C3%A9~%25", "URL");
}

static void
test_csv(void)
{
	static const char *const cases[][2] = { { "plain", "plain" },
		{ "a,b", "\"a,b\"" }, { "a\"b", "\"a\"\"b\"" },
		{ "a\nb", "\"a\nb\"" }, { "=1+1", "\"'=1+1\"" },
		{ "+1", "\"'+1\"" }, { "-1", "\"'-1\"" }, { "@x", "\"'@x\"" },
		{ "\tx", "\"'\tx\"" }, { "\rx", "\"'\rx\"" },
		{ "\xef\xbc\x9d"
		  "1",
		    "\"'\xef\xbc\x9d"
		    "1\"" },
		{ "\xef\xbc\xa0"
		  "1",
		    "\"'\xef\xbc\xa0"
		    "1\"" },
		{ "", "" }, { " x", "\" x\"" }, { "a;=1", "\"a;=1\"" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		buf_clear(&b);
		buf_csv(&b, str_of(cases[i][0]));
		is_str(buf_as_str(&b), cases[i][1], "CSV case %zu", i);
	}
}

int
main(void)
{
	buf_init(&b, 2 << 20);
	test_growth();
	test_numbers();
	test_fixed_against_printf();
	test_escapes();
	test_csv();
	buf_release(&b);
	return done_testing();
}
