/* This file knows how src/port/json.h must behave. */
#include "port/json.h"

#include "../tap.h"

static struct js *
parse(const char *z)
{
	struct js *root = NULL;

	if (js_parse(str_of(z), 1 << 20, &root, NULL) != ERR_OK)
		return NULL;
	return root;
}

static void
test_refusals(void)
{
	static const char *const bad[] = { "", "{", "[1,]", "{\"a\":1,\"a\":2}",
		"[1] x", "7", "\"s\"", "[NaN]", "[1e999]", "[\"\xff\"]",
		"[99999999999999999999]", "{'a':1}", "[\"\\ud800\"]",
		"[\"\x01\"]" };
	struct js *root = NULL;
	struct js_fault why;
	char deep[400];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(js_parse(str_of(bad[i]), 100, &root, NULL), ERR_SYNTAX,
		    "refuses %zu", i);
	is_int(js_parse(str_of(NULL), 100, &root, NULL), ERR_SYNTAX, "absent");
	is_int(js_parse(STR("[1,\n  x]"), 100, &root, &why), ERR_SYNTAX, "at");
	is_int(why.line, 2, "the line");
	ok(why.text[0] != '\0', "and why: %s", why.text);
	is_int(js_parse(STR("[1]"), 2, &root, &why), ERR_TOOBIG, "size");
	memset(deep, '[', 65);
	memset(deep + 65, ']', 65);
	is_int(js_parse((struct str){ deep, 130 }, 400, &root, NULL),
	    ERR_TOOBIG, "65 levels");
	ok(root == NULL, "out untouched");
	is_int(js_parse((struct str){ deep + 1, 128 }, 400, &root, NULL),
	    ERR_OK, "64 levels");
	js_close(root);
	root = parse("[\"[[[[\\\"[[[[\"]");
	ok(root != NULL, "brackets in strings do not count");
	js_close(root);
}

static void
test_getters(void)
{
	struct js *root = parse("{\"z\":1,\"a\":[true,null,\"x\\u0000y\",2.5],"
				"\"o\":{\"k\":-3}}");
	const struct js *a = js_get(root, "a");
	struct str key;
	int64_t i = 7;
	double r = 7;
	bool b = false;

	is_int(js_int(js_get(root, "z"), 0, 9, &i), ERR_OK, "integer");
	is_int(i, 1, "its value");
	is_int(js_int(js_get(root, "z"), 2, 9, &i), ERR_INVALID, "range");
	is_int(js_int(js_at(a, 3), 0, 9, &i), ERR_INVALID, "a real is none");
	is_int(js_int(NULL, 0, 9, &i), ERR_INVALID, "nor is nothing");
	is_int(js_real(js_at(a, 3), &r), ERR_OK, "real");
	is_real(r, 2.5, 0, "its value");
	is_int(js_real(js_get(root, "z"), &r), ERR_OK, "an integer is real");
	is_int(js_bool(js_at(a, 0), &b), ERR_OK, "boolean");
	ok(b, "its value");
	ok(js_is_null(js_at(a, 1)) && !js_is_null(js_at(a, 9)), "null");
	is_str(js_str(js_at(a, 2)), ((struct str){ "x\0y", 3 }), "string");
	is_str(js_str(js_at(a, 1)), (const char *)NULL, "null is no string");
	is_int(js_count(a), 4, "elements");
	is_int(js_count(root), 3, "members");
	is_int(js_count(js_at(a, 0)), 0, "of a boolean");
	ok(js_get(a, "k") == NULL && js_at(root, 0) == NULL, "wrong kinds");
	is_int(
	    js_int(js_get(js_get(root, "o"), "k"), -9, 9, &i), ERR_OK, "path");
	ok(js_get(js_get(root, "no"), "k") == NULL, "broken path");
	ok(js_member(root, 1, &key) == a, "second member");
	is_str(key, "a", "in the order written");
	ok(js_member(root, 3, &key) == NULL, "no fourth");
	js_close(root);
	js_close(NULL);
}

static void
test_writer(void)
{
	static const char want[] =
	    "{\"z\":1,\"a\":[\"x\\\"\",0.10000000000000001,1520.5,true,null,"
	    "[],{}],\"o\":{\"raw\":[1]},\"t\":\"\"}";
	struct js_out o;
	struct js *root;
	struct buf b;

	buf_init(&b, 1000);
	js_begin(&o, &b);
	js_put_object(&o, NULL);
	js_put_int(&o, "z", 1);
	js_put_array(&o, "a");
	js_put_str(&o, NULL, STR("x\""));
	js_put_real(&o, NULL, 0.1);
	js_put_fixed(&o, NULL, 1520.48, 1);
	js_put_bool(&o, NULL, true);
	js_put_null(&o, NULL);
	js_put_array(&o, NULL);
	js_end(&o);
	js_put_object(&o, NULL);
	js_end(&o);
	js_end(&o);
	js_put_object(&o, "o");
	js_put_str(&o, "absent", str_of(NULL));
	js_put_real(&o, "nan", (double)NAN);
	js_put_raw(&o, "raw", STR("[1]"));
	js_end(&o);
	js_put_text(&o, "t", TEXT(""));
	js_end(&o);
	is_str(buf_as_str(&b), want, "written");
	root = parse(b.p);
	ok(root != NULL, "reads back");
	buf_clear(&b);
	js_dump(root, &b);
	is_str(buf_as_str(&b), want, "and dumps the same");
	js_close(root);
	buf_clear(&b);
	js_dump(NULL, &b);
	ok(b.failed, "nothing cannot be dumped");
	buf_release(&b);
}

int
main(void)
{
	test_refusals();
	test_getters();
	test_writer();
	return done_testing();
}
