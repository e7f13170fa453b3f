/* Forms: what is read, and everything that is refused. */
#include "config.h"

#include "page/form.h"

#include "tests/tap.h"

static struct pool *pool;

static enum err
parse(const char *s, struct form *f)
{
	*f = (struct form){ NULL, 0 };
	return form_parse(pool, str_of(s), f);
}

static void
test_reading(void)
{
	struct form f;
	struct text t;
	size_t i = 0;
	int64_t number = 0;
	bool on = true;

	is_int(parse("", &f), ERR_OK, "nothing is a form");
	is_int(f.n, 0, "without fields");
	is_int(parse("choice=a&reason=clear&reason=useful&empty=&bare", &f),
	    ERR_OK, "a vote");
	is_int(f.n, 5, "has its fields");
	is_int(form_one(&f, "choice", &t), ERR_OK, "a single value");
	is_str(t, "a", "is that value");
	is_int(form_one(&f, "nothing", &t), ERR_OK, "one that is not there");
	ok(t.p == NULL, "is absent");
	is_int(form_one(&f, "empty", &t), ERR_OK, "an empty one");
	ok(t.p != NULL && t.n == 0, "is there, and empty");
	is_int(form_word(&f, "empty", &t), ERR_OK, "as a word");
	ok(t.p == NULL, "it is absent");
	is_int(form_one(&f, "reason", &t), ERR_INVALID, "two values for one");
	ok(form_next(&f, "reason", &i, &t), "the first of them");
	is_str(t, "clear", "in order");
	ok(form_next(&f, "reason", &i, &t), "the second");
	is_str(t, "useful", "in order");
	ok(!form_next(&f, "reason", &i, &t), "no third");
	is_int(form_tick(&f, "nothing", &on), ERR_OK, "an absent box");
	ok(!on, "is off");
	is_int(form_tick(&f, "choice", &on), ERR_INVALID, "a is no tick");
	is_int(parse("n=+12&zero=0&empty=&two=1&two=2", &f), ERR_OK, "numbers");
	is_int(form_number(&f, "n", &number), ERR_OK, "one, trimmed");
	is_int(number, 12, "is read");
	is_int(form_number(&f, "empty", &number), ERR_OK, "none");
	is_int(number, 12, "changes nothing");
	is_int(form_number(&f, "zero", &number), ERR_INVALID, "0 is none");
	is_int(form_number(&f, "two", &number), ERR_INVALID, "nor are two");
}

static void
test_decoding(void)
{
	struct form f;
	struct text t;

	is_int(parse("q=a+b%2Bc%26d%3De%0D%0Af;g", &f), ERR_OK, "escapes");
	is_int(form_one(&f, "q", &t), ERR_OK, "are one value");
	is_str(t, "a b+c&d=e\nf;g", "decoded once, lines as LF");
	is_int(parse("q=%2541", &f), ERR_OK, "an escaped escape");
	is_int(form_one(&f, "q", &t), ERR_OK, "is a value");
	is_str(t, "%41", "decoded once, not twice");
	is_int(parse("q=%E4%BD%A0", &f), ERR_OK, "Chinese");
	is_int(form_one(&f, "q", &t), ERR_OK, "is a value");
	is_str(t, "你", "in UTF-8");
	is_int(parse("x=1&&y=2&", &f), ERR_OK, "empty parts");
	is_int(f.n, 2, "are no fields");
}

static void
test_refusals(void)
{
	static const char *const bad[] = { "a=%", "a=%0", "a=%zz", "a=%4g",
		"a=%00", "%00=a", "a=%ff%fe", "a=%c0%af", "a=%ed%a0%80",
		"a=%f8%88%80%80%80", "=x", "a=\xff", "a=%e2%82", NULL };
	struct form f;

	for (size_t i = 0; bad[i] != NULL; i++)
		is_int(parse(bad[i], &f), ERR_INVALID, "%s is refused",
		    bad[i][2] == '\xff' ? "a raw byte" : bad[i]);
}

/* Fields of "fN=1&". */
static enum err
parse_many(size_t n, struct form *f)
{
	static char s[8192];
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(s + used, sizeof(s) - used, "%sf%zu=1",
		    i > 0 ? "&" : "", i);
	return form_parse(pool, (struct str){ s, used }, f);
}

static enum err
parse_long(size_t name, size_t value)
{
	static char s[FORM_VALUE + FORM_NAME + 8];
	struct form f;

	memset(s, 'n', name);
	s[name] = '=';
	memset(s + name + 1, 'v', value);
	return form_parse(pool, (struct str){ s, name + 1 + value }, &f);
}

static void
test_bounds(void)
{
	struct form f;

	is_int(parse_many(199, &f), ERR_OK, "199 fields");
	is_int(parse_many(200, &f), ERR_OK, "200 fields");
	is_int(f.n, 200, "are all there");
	is_int(parse_many(201, &f), ERR_INVALID, "201 fields");
	is_int(parse_long(63, 1), ERR_OK, "a name of 63");
	is_int(parse_long(64, 1), ERR_OK, "of 64");
	is_int(parse_long(65, 1), ERR_INVALID, "of 65");
	is_int(parse_long(1, 81919), ERR_OK, "a value of 81919");
	is_int(parse_long(1, 81920), ERR_OK, "of 81920");
	is_int(parse_long(1, 81921), ERR_INVALID, "of 81921");
}

static void
test_minutes(void)
{
	static const struct {
		const char *text;
		int64_t minute; /* -1: refused */
	} cases[] = { { "00:00", 0 }, { "23:59", 1439 }, { "9:05", 545 },
		{ "22:30", 1350 }, { "۲۲:۳۰", 1350 }, { "٠٩:٠٥", 545 },
		{ "24:00", -1 }, { "25:00", -1 }, { "12:60", -1 }, { "12", -1 },
		{ "12:", -1 }, { ":30", -1 }, { "12:5", -1 }, { "1:2:3", -1 },
		{ "012:00", -1 }, { "-1:00", -1 }, { "12:00 ", -1 }, { "", -1 },
		{ "noon", -1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t got = -1;
		enum err e = form_minute(text_of(cases[i].text), &got);

		is_int(got, cases[i].minute, "\"%s\"", cases[i].text);
		is_int(e, cases[i].minute < 0 ? ERR_INVALID : ERR_OK,
		    "\"%s\": said so", cases[i].text);
	}
}

int
main(void)
{
	pool = pool_open(8u << 20);
	test_reading();
	test_decoding();
	test_refusals();
	test_bounds();
	test_minutes();
	pool_close(pool);
	return done_testing();
}
