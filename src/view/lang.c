/*
 * This file knows how to choose a language for a visitor and what a language
 * asks of a page.
 */
#include "config.h"

#include "view/lang.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ACCEPT_MAX 1000 /* bytes of the header that are looked at */
#define ITEMS_MAX 32

static bool
is_lang(const char *lang, const char *two)
{
	return strncasecmp(lang, two, 2) == 0 &&
	       (lang[2] == '\0' || lang[2] == '-');
}

const char *
lang_dir(const char *lang)
{
	static const char *const rtl[] = { "fa", "ar", "he", "ur" };

	for (size_t i = 0; i < sizeof(rtl) / sizeof(rtl[0]); i++) {
		if (is_lang(lang, rtl[i]))
			return "rtl";
	}
	return "ltr";
}

bool
lang_persian(const char *lang)
{
	return is_lang(lang, "fa");
}

bool
lang_has_one(const char *lang)
{
	return !is_lang(lang, "zh") && !is_lang(lang, "ja") &&
	       !is_lang(lang, "ko");
}

bool
lang_is_one(const char *lang, int64_t count)
{
	if (!lang_has_one(lang))
		return false;
	if (is_lang(lang, "fa") || is_lang(lang, "fr"))
		return count == 0 || count == 1;
	return count == 1;
}

/* A tag with the script that its region implies, in lower case. */
static void
expand(struct str tag, char *out, size_t n)
{
	static const struct {
		const char *tag, *means;
	} implied[] = {
		{ "zh-tw", "zh-hant-tw" },
		{ "zh-hk", "zh-hant-hk" },
		{ "zh-mo", "zh-hant-mo" },
		{ "zh-cn", "zh-hans-cn" },
		{ "zh-sg", "zh-hans-sg" },
	};
	size_t i = 0;

	for (; i < tag.n && i + 1 < n; i++)
		out[i] = (char)(tag.p[i] >= 'A' && tag.p[i] <= 'Z'
				    ? tag.p[i] - 'A' + 'a'
				    : tag.p[i]);
	out[i] = '\0';
	for (i = 0; i < sizeof(implied) / sizeof(implied[0]); i++) {
		if (strcmp(out, implied[i].tag) == 0)
			snprintf(out, n, "%s", implied[i].means);
	}
}

/* How many subtags two tags have in common from the left. */
static int
common(const char *a, const char *b)
{
	int n = 0;

	for (;; a++, b++) {
		bool end_a = *a == '\0' || *a == '-';
		bool end_b = *b == '\0' || *b == '-';

		if (end_a != end_b || (!end_a && *a != *b))
			return n;
		if (!end_a)
			continue;
		n++;
		if (*a == '\0' || *b == '\0')
			return n;
	}
}

/* The language nearest to a tag, or -1. */
static int
nearest(const char *const *langs, size_t n, struct str tag)
{
	char want[64], have[64];
	int best = -1, most = 0, k;

	expand(tag, want, sizeof(want));
	for (size_t i = 0; i < n; i++) {
		expand(str_of(langs[i]), have, sizeof(have));
		k = common(want, have);
		if (k > most) {
			most = k;
			best = (int)i;
		}
	}
	return best;
}

/* ";q=0.8" in thousandths; 1000 when absent, 0 when it makes no sense. */
static int
weight(struct str params)
{
	struct str p;
	double q = 1.0;

	while (params.p != NULL) {
		p = str_trim(str_cut(&params, ';'));
		if (p.n < 2 || (p.p[0] != 'q' && p.p[0] != 'Q') ||
		    p.p[1] != '=')
			continue;
		p.p += 2;
		p.n -= 2;
		if (str_real(p, &q) != ERR_OK || q < 0.0 || q > 1.0)
			return 0;
	}
	return (int)(q * 1000.0);
}

int
lang_pick(const char *const *langs, size_t n, struct str accept)
{
	int best = -1, most = 0, k, q;
	struct str item, tag;

	if (accept.p == NULL)
		return -1;
	if (accept.n > ACCEPT_MAX)
		accept.n = ACCEPT_MAX;
	for (int i = 0; i < ITEMS_MAX && accept.p != NULL; i++) {
		item = str_cut(&accept, ',');
		tag = str_trim(str_cut(&item, ';'));
		q = weight(item);
		if (q <= most || tag.n == 0)
			continue;
		k = nearest(langs, n, tag);
		if (k >= 0) {
			best = k;
			most = q;
		}
	}
	return best;
}

bool
lang_read(const char *const *langs, size_t n, struct str accept, bool *reads)
{
	char want[64], have[64];
	struct str item, tag;
	bool any = false, all;

	for (size_t i = 0; i < n; i++)
		reads[i] = false;
	if (accept.n > ACCEPT_MAX)
		accept.n = ACCEPT_MAX;
	for (int k = 0; k < ITEMS_MAX && accept.p != NULL; k++) {
		item = str_cut(&accept, ',');
		tag = str_trim(str_cut(&item, ';'));
		if (tag.n == 0 || weight(item) == 0)
			continue;
		all = tag.n == 1 && tag.p[0] == '*';
		expand(tag, want, sizeof(want));
		for (size_t i = 0; i < n; i++) {
			expand(str_of(langs[i]), have, sizeof(have));
			reads[i] = reads[i] || all || common(want, have) > 0;
			any = any || reads[i];
		}
	}
	return any;
}
