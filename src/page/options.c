/* This file knows how to make menus out of what the model offers. */
#include "config.h"

#include "page/options.h"

#include "model/catalog.h"

static struct option_row *rows_for(struct pool *, size_t n);
static struct text joined(struct pool *, const char *, struct text);

struct view_list
options_tags(
    struct pool *pool, const struct match_tag *tags, size_t n, bool linked)
{
	struct option_row *rows = rows_for(pool, n);

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		rows[i].value = rows[i].name = tags[i].tag;
		rows[i].label = view_say(page_message("tag.", tags[i].tag));
		if (linked)
			rows[i].url =
			    joined(pool, "/leaderboard?tag=", tags[i].tag);
	}
	return view_list(rows, n);
}

struct view_list
options_menu(struct pool *pool, const struct board_choice *choices, size_t n,
    const char *prefix)
{
	struct option_row *rows = rows_for(pool, n);

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		rows[i].value = choices[i].value;
		rows[i].name = choices[i].label.n > 0 ? choices[i].label
						      : choices[i].value;
		if (prefix != NULL)
			rows[i].label =
			    view_say(page_message(prefix, choices[i].value));
		rows[i].selected = choices[i].current;
	}
	return view_list(rows, n);
}

struct view_list
options_types(struct pool *pool, struct text chosen)
{
	struct option_row *rows;
	size_t n = 1;

	while (catalog_types[n - 1] != NULL)
		n++;
	if ((rows = rows_for(pool, n)) == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		struct text type =
		    i == 0 ? TEXT("any") : text_of(catalog_types[i - 1]);

		rows[i].value = rows[i].name = type;
		rows[i].id = joined(pool, "type-", type);
		rows[i].label = view_say(page_message("type.", type));
		rows[i].hint = view_say(page_message("type_hint.", type));
		rows[i].selected = option_is(type, chosen);
	}
	return view_list(rows, n);
}

struct view_list
options_langs(
    struct pool *pool, const struct text *codes, size_t n, struct text chosen)
{
	struct option_row *rows = rows_for(pool, n);

	if (rows == NULL)
		return view_list(NULL, 0);
	for (size_t i = 0; i < n; i++) {
		rows[i].value = rows[i].name = codes[i];
		rows[i].label = view_say(page_message("lang.", codes[i]));
		rows[i].selected = option_is(codes[i], chosen);
	}
	return view_list(rows, n);
}

bool
option_is(struct text a, struct text b)
{
	return str_eq((struct str){ a.p, a.n }, (struct str){ b.p, b.n });
}

static struct option_row *
rows_for(struct pool *pool, size_t n)
{
	struct option_row *rows = pool_array(pool, n + 1, sizeof(*rows));

	for (size_t i = 0; rows != NULL && i < n; i++)
		rows[i].label = rows[i].hint = view_say(NULL);
	return rows;
}

static struct text
joined(struct pool *pool, const char *head, struct text tail)
{
	struct str s = pool_printf(pool, "%s%.*s", head, (int)tail.n, tail.p);

	return (struct text){ s.p, s.n };
}
