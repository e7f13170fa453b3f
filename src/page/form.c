/* This file knows how to read what a browser's form sends. */
#include "config.h"

#include "page/form.h"

#include <string.h>

#include "base/text.h"

static enum err read_field(struct pool *, struct str, struct form_field *);
static size_t count_fields(struct str);
static int digit_value(uint32_t);

enum err
form_parse(struct pool *pool, struct str s, struct form *out)
{
	size_t n = count_fields(s), used = 0;
	struct form_field *fields;
	enum err e;

	if (n > FORM_FIELDS)
		return ERR_INVALID;
	fields = pool_array(pool, n + 1, sizeof(*fields));
	if (fields == NULL)
		return ERR_NOMEM;
	while (s.p != NULL) {
		struct str part = str_cut(&s, '&');

		if (part.n == 0)
			continue;
		e = read_field(pool, part, &fields[used]);
		if (e != ERR_OK)
			return e;
		used++;
	}
	*out = (struct form){ fields, used };
	return ERR_OK;
}

enum err
form_unescape(struct pool *pool, struct str s, bool plus, struct str *out)
{
	char *to = pool_alloc(pool, s.n + 1);
	size_t n = 0;

	if (to == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < s.n; i++) {
		int high, low;

		if (s.p[i] == '+' && plus) {
			to[n++] = ' ';
			continue;
		}
		if (s.p[i] != '%') {
			to[n++] = s.p[i];
			continue;
		}
		if (s.n - i < 3)
			return ERR_INVALID;
		high = str_hex(s.p[i + 1]);
		low = str_hex(s.p[i + 2]);
		if (high < 0 || low < 0 || high + low == 0)
			return ERR_INVALID;
		to[n++] = (char)(unsigned char)(high * 16 + low);
		i += 2;
	}
	if (memchr(to, '\0', n) != NULL)
		return ERR_INVALID;
	*out = (struct str){ to, n };
	return ERR_OK;
}

enum err
form_one(const struct form *f, const char *name, struct text *out)
{
	struct text found = { NULL, 0 };
	size_t i = 0;
	struct text again;

	if (!form_next(f, name, &i, &found)) {
		*out = (struct text){ NULL, 0 };
		return ERR_OK;
	}
	if (form_next(f, name, &i, &again))
		return ERR_INVALID;
	*out = found;
	return ERR_OK;
}

enum err
form_word(const struct form *f, const char *name, struct text *out)
{
	struct text t;
	struct str trimmed;
	enum err e = form_one(f, name, &t);

	if (e != ERR_OK)
		return e;
	trimmed = str_trim((struct str){ t.p, t.n });
	if (trimmed.n == 0)
		trimmed.p = NULL;
	*out = (struct text){ trimmed.p, trimmed.n };
	return ERR_OK;
}

enum err
form_number(const struct form *f, const char *name, int64_t *out)
{
	struct text t;
	enum err e = form_word(f, name, &t);

	if (e != ERR_OK || t.p == NULL)
		return e;
	return str_int((struct str){ t.p, t.n }, 1, INT64_MAX, out);
}

enum err
form_tick(const struct form *f, const char *name, bool *out)
{
	struct text t;
	enum err e = form_one(f, name, &t);

	if (e != ERR_OK)
		return e;
	if (t.p == NULL) {
		*out = false;
		return ERR_OK;
	}
	if (t.n != 1 || t.p[0] != '1')
		return ERR_INVALID;
	*out = true;
	return ERR_OK;
}

bool
form_next(const struct form *f, const char *name, size_t *i, struct text *out)
{
	size_t n = strlen(name);

	for (; *i < f->n; (*i)++) {
		const struct form_field *field = &f->fields[*i];

		if (field->name.n == n && memcmp(field->name.p, name, n) == 0) {
			*out = field->value;
			(*i)++;
			return true;
		}
	}
	return false;
}

enum err
form_minute(struct text t, int64_t *out)
{
	struct str s = { t.p, t.n };
	int64_t part[2] = { 0, 0 };
	int digits[2] = { 0, 0 }, which = 0;
	size_t i = 0;

	while (i < s.n) {
		uint32_t c = text_next(s, &i);
		int v = digit_value(c);

		if (c == ':' && which == 0) {
			which = 1;
			continue;
		}
		if (v < 0 || digits[which] == 2)
			return ERR_INVALID;
		part[which] = part[which] * 10 + v;
		digits[which]++;
	}
	if (digits[0] == 0 || digits[1] != 2 || part[0] > 23 || part[1] > 59)
		return ERR_INVALID;
	*out = part[0] * 60 + part[1];
	return ERR_OK;
}

static enum err
read_field(struct pool *pool, struct str part, struct form_field *out)
{
	struct str name = str_cut(&part, '='), value = part;
	enum err e;

	if (value.p == NULL)
		value = STR("");
	if ((e = form_unescape(pool, name, true, &name)) != ERR_OK ||
	    (e = form_unescape(pool, value, true, &value)) != ERR_OK)
		return e;
	if (name.n == 0 || name.n > FORM_NAME || value.n > FORM_VALUE)
		return ERR_INVALID;
	if ((e = text_input(pool, name, FORM_NAME, &out->name)) != ERR_OK)
		return e;
	e = text_input(pool, value, FORM_VALUE, &out->value);
	if (e == ERR_OK && out->value.p == NULL)
		out->value = TEXT("");
	return e;
}

static size_t
count_fields(struct str s)
{
	size_t n = 1;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '&';
	return n;
}

static int
digit_value(uint32_t c)
{
	if (c >= '0' && c <= '9')
		return (int)(c - '0');
	if (c >= 0x660 && c <= 0x669) /* Arabic-Indic */
		return (int)(c - 0x660);
	if (c >= 0x6f0 && c <= 0x6f9) /* Persian */
		return (int)(c - 0x6f0);
	return -1;
}
