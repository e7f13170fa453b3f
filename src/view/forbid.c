/* This file knows how to tell what a template must not carry. */
#include "config.h"

#include "view/forbid.h"

#include <string.h>
#include <strings.h>

#define SHOWN_MAX 80 /* bytes of an address that are told */

enum leads { /* where an address leads */
	LEADS_HERE,
	LEADS_WEB,  /* to another host, by http */
	LEADS_MAIL, /* to somebody's mail program */
	LEADS_ASTRAY
};

bool
forbid_is_address(struct str name)
{
	return str_is(name, "href") || str_is(name, "src") ||
	       str_is(name, "action") || str_is(name, "formaction") ||
	       str_is(name, "poster") || str_is(name, "data") ||
	       str_is(name, "cite");
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_word(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && strncasecmp(s, word, n) == 0;
}

/* As a browser reads it: blanks before and line ends within do not count,
 * and a backslash is a slash. */
static enum leads
leads_where(struct str url)
{
	char s[16];
	size_t n = 0;

	for (size_t i = 0; i < url.n && n < sizeof(s); i++) {
		char c = url.p[i];

		if ((unsigned char)c > ' ' || (c == ' ' && n > 0))
			s[n++] = c == '\\' ? '/' : c;
	}
	if (n >= 2 && s[0] == '/' && s[1] == '/')
		return LEADS_WEB;
	for (size_t i = 0; i < n; i++) {
		bool inner =
		    i > 0 && ((s[i] >= '0' && s[i] <= '9') || s[i] == '+' ||
				 s[i] == '-' || s[i] == '.');

		if (s[i] == ':' && i > 0)
			return is_word(s, i, "http") || is_word(s, i, "https")
				   ? LEADS_WEB
			       : is_word(s, i, "mailto") ? LEADS_MAIL
							 : LEADS_ASTRAY;
		if (!is_letter(s[i]) && !inner)
			break;
	}
	return LEADS_HERE;
}

/* Does the form send the token that only what changes something needs? */
static bool
has_token(const struct xml_node *el)
{
	for (const struct xml_node *n = el->first; n != NULL; n = n->next) {
		const struct xml_attr *a;

		if (n->kind != XML_KIND_ELEMENT)
			continue;
		for (a = n->attrs; a != NULL; a = a->next) {
			if (str_is(a->name, "name") &&
			    is_word(a->value.p, a->value.n, "csrf"))
				return true;
		}
		if (has_token(n))
			return true;
	}
	return false;
}

static bool
posts(const struct xml_node *form)
{
	for (const struct xml_attr *a = form->attrs; a != NULL; a = a->next) {
		if (str_is(a->name, "method"))
			return is_word(a->value.p, a->value.n, "post");
	}
	return false;
}

const char *
forbid_element(const struct xml_node *el)
{
	static const char *const foreign[] = { "iframe", "frame", "object",
		"embed", "applet", NULL };

	if (str_is(el->name, "base"))
		return "<base> is not allowed: it would lead every link of the "
		       "page elsewhere; write addresses that begin with /, the "
		       "path of this site is put before them";
	for (size_t i = 0; foreign[i] != NULL; i++) {
		if (str_is(el->name, foreign[i]))
			return "an element that shows another page or program "
			       "is not allowed: the pages' security policy "
			       "forbids it; write a link with <a href>";
	}
	if (str_is(el->name, "form") && !posts(el) && has_token(el))
		return "this form sends csrf, so it changes something; without "
		       "method=\"post\" its token would stand in the address: "
		       "write method=\"post\"";
	return NULL;
}

/* A link that a person follows by themselves, or the name of a source. */
static bool
is_followed(const struct xml_node *el, struct str name)
{
	return str_is(name, "cite") ||
	       (str_is(name, "href") &&
		   (str_is(el->name, "a") || str_is(el->name, "area")));
}

const char *
forbid_address(
    struct pool *pool, const struct xml_node *el, const struct xml_attr *a)
{
	struct str url = { a->value.p, a->value.n };
	int shown = url.n < SHOWN_MAX ? (int)url.n : SHOWN_MAX;
	enum leads to = LEADS_HERE;
	const char *instead;

	if (forbid_is_address(a->name))
		to = leads_where(url);
	else if (str_is(a->name, "srcset") && strstr(url.p, "//") != NULL)
		to = LEADS_WEB; /* a list of them */
	if (to == LEADS_HERE)
		return NULL;
	if (is_followed(el, a->name)) {
		if (to != LEADS_ASTRAY)
			return NULL;
		instead = "a link leads to a page; write a path that begins "
			  "with /, or https:// or mailto:";
	} else if (str_is(a->name, "action") || str_is(a->name, "formaction")) {
		instead = "the pages' security policy sends forms to this site "
			  "alone; write a path that begins with /";
	} else {
		instead = "pages fetch nothing from other hosts; put the file "
			  "under htdocs/static and write /static/ and its name";
	}
	return pool_printf(pool, "%s=\"%.*s\" is not allowed in <%s>: %s",
	    a->name.p, shown, url.p, el->name.p, instead)
	    .p;
}
