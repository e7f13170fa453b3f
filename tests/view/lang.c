/* Which language a browser's wish leads to. */
#include "config.h"

#include "tests/tap.h"
#include "view/lang.h"

static void
test_read(void)
{
	static const char *const langs[] = { "en", "fa", "zh-Hant" };
	static const struct {
		const char *accept;
		bool any, en, fa, zh;
	} cases[] = {
		{ "en-US,en;q=0.9", true, true, false, false },
		{ "zh-TW,zh;q=0.9,en;q=0.5", true, true, false, true },
		{ "fa-IR, de", true, false, true, false },
		{ "fa;q=0, en", true, true, false, false },
		{ "de, fr;q=0.3", false, false, false, false },
		{ "de, *;q=0.1", true, true, true, true },
		{ "", false, false, false, false },
	};
	bool r[3];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ok(lang_read(langs, 3, str_of(cases[i].accept), r) ==
			    cases[i].any &&
			r[0] == cases[i].en && r[1] == cases[i].fa &&
			r[2] == cases[i].zh,
		    "who asks for \"%s\" reads these", cases[i].accept);
	}
	ok(!lang_read(langs, 3, (struct str){ NULL, 0 }, r), "no header");
}

int
main(void)
{
	static const char *const langs[] = { "en", "zh-Hant-TW", "fa" };
	static const char *const both[] = { "en", "zh-Hans-CN", "zh-Hant-TW" };
	static const struct {
		const char *accept;
		int want;
	} cases[] = {
		{ "", -1 },
		{ "en", 0 },
		{ "zh", 1 },
		{ "zh-TW", 1 },
		{ "zh-HK,en;q=0.9", 1 },
		{ "zh-Hant", 1 },
		{ "ZH-hant-tw", 1 },
		{ "fa", 2 },
		{ "fa-IR", 2 },
		{ "fax", -1 },
		{ "de, fa;q=0.5, en;q=0.4", 2 },
		{ "en;q=0.4,fa;q=0.5", 2 },
		{ "en;q=0,fa;q=0.1", 2 },
		{ "fa;q=0", -1 },
		{ "fa;q=x, zh", 1 },
		{ "fa;q=1.5", -1 },
		{ "*", -1 },
		{ "de;q=0.9, *;q=0.1", -1 },
		{ "de, *;q=0.5, fa;q=0.2", 2 },
		{ "en-GB, en;q=0.9, zh-TW;q=0.8", 0 },
		{ "zh-TW, zh;q=0.9, en-US;q=0.8, en;q=0.7", 1 },
		{ ",;,;q=1,,fa", 2 },
		{ " fa ; q=0.7 , zh-TW ; q=0.8 ", 1 },
		{ "-", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_int(lang_pick(langs, 3, str_of(cases[i].accept)),
		    cases[i].want, "\"%s\"", cases[i].accept);
	is_int(lang_pick(langs, 3, (struct str){ NULL, 0 }), -1, "no header");
	is_int(lang_pick(both, 3, STR("zh-TW")), 2, "Taiwan: traditional");
	is_int(lang_pick(both, 3, STR("zh-HK")), 2, "Hong Kong: traditional");
	is_int(lang_pick(both, 3, STR("zh-CN")), 1, "China: simplified");
	is_str(lang_dir("fa"), "rtl", "Persian runs from right to left");
	is_str(lang_dir("fa-IR"), "rtl", "in Iran too");
	is_str(lang_dir("zh-Hant-TW"), "ltr", "Chinese does not");
	ok(lang_is_one("en", 1) && !lang_is_one("en", 0) &&
		!lang_is_one("en", 2) && !lang_is_one("en", -1),
	    "English: one is one");
	ok(lang_is_one("fa", 1) && lang_is_one("fa", 0) &&
		!lang_is_one("fa", 2),
	    "Persian: none is one, too");
	ok(!lang_is_one("zh-Hant-TW", 1), "Chinese has one form");
	ok(lang_persian("fa") && !lang_persian("en"), "digits");
	test_read();
	return done_testing();
}
