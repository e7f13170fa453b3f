/*
 * This file knows how to write a page: it walks a compiled template over
 * rows and escapes every value for the place where it stands.
 */
#include "config.h"

#include "view/write.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "view/lang.h"

#define MESSAGES_DEEP 4

/* The rows around the place that is being written. */
struct place {
	const char *row[VIEW_DEPTH_MAX];
	size_t left[VIEW_DEPTH_MAX];
};

static bool field_there(const struct op *op, const char *at);
static void put_content(struct writing *w, const struct op *op, const char *at);
static void put_attr(struct writing *w, const struct op *op, const char *at);
static void put_message(
    struct writing *w, const struct view_message *m, bool plain);
static bool enter(struct place *place, const struct op *op, const char *at);

void
write_program(struct writing *w, const struct program *program, const void *row)
{
	struct place place;
	const struct op *op, *end = program->ops + program->n;
	const char *at;

	place.row[0] = w->frame;
	place.row[1] = row;
	for (op = program->ops; op < end; op++) {
		at = place.row[op->depth];
		at = at == NULL ? NULL : at + op->offset;
		switch (op->code) {
		case OP_BYTES:
			buf_str(w->out, op->bytes);
			break;
		case OP_BASE:
			buf_xml_attr(w->out, w->base);
			break;
		case OP_VALUE:
			put_content(w, op, at);
			break;
		case OP_ATTR:
			put_attr(w, op, at);
			break;
		case OP_EACH:
			if (!enter(&place, op, at))
				op = program->ops + op->jump - 1;
			break;
		case OP_NEXT:
			if (place.left[op->inner] > 0) {
				place.left[op->inner]--;
				place.row[op->inner] += op->size;
				op = program->ops + op->jump - 1;
			}
			break;
		case OP_IF:
			if (!field_there(op, at))
				op = program->ops + op->jump - 1;
			break;
		case OP_UNLESS:
			if (field_there(op, at))
				op = program->ops + op->jump - 1;
			break;
		}
	}
}

/* Fields are reached by offset; this is the one place where types are said. */
#define FIELD(type, at) ((const type *)(const void *)(at))

static bool
enter(struct place *place, const struct op *op, const char *at)
{
	const struct view_list *list;

	if (at == NULL)
		return false;
	if (op->kind == VIEW_ROW) {
		place->row[op->inner] = *FIELD(char *const, at);
		place->left[op->inner] = 0;
		return place->row[op->inner] != NULL;
	}
	list = FIELD(struct view_list, at);
	if (list->n == 0)
		return false;
	place->row[op->inner] = list->rows;
	place->left[op->inner] = list->n - 1;
	return true;
}

/* The truth of t:if. */
static bool
field_there(const struct op *op, const char *at)
{
	if (at == NULL)
		return false;
	switch (op->kind) {
	case VIEW_TEXT:
	case VIEW_FIGURES:
	case VIEW_URL:
		return FIELD(struct text, at)->n > 0;
	case VIEW_MARKUP:
		return FIELD(struct markup, at)->n > 0;
	case VIEW_INT:
		return *FIELD(int64_t, at) != VIEW_NO_INT;
	case VIEW_REAL:
		return !isnan(*FIELD(double, at));
	case VIEW_FLAG:
		return *FIELD(bool, at);
	case VIEW_TIME:
		return *FIELD(int64_t, at) != 0;
	case VIEW_LIST:
		return FIELD(struct view_list, at)->n > 0;
	case VIEW_ROW:
		return *FIELD(void *const, at) != NULL;
	case VIEW_MESSAGE:
		return FIELD(struct view_message, at)->id != NULL;
	}
	return false;
}

/* --- numbers ------------------------------------------------------------ */

/* ASCII digits, point and minus since `from` become Persian ones. */
static void
put_persian(struct writing *w, const char *z, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char digit[2] = { '\xdb', (char)(0xb0 + (z[i] - '0')) };

		if (z[i] >= '0' && z[i] <= '9')
			buf_add(w->out, digit, sizeof(digit));
		else if (z[i] == '.')
			buf_z(w->out, "\xd9\xab"); /* U+066B */
		else if (z[i] == '-' && i == 0)
			/* LRM keeps the sign before the number. */
			buf_z(w->out, "\xe2\x80\x8e\xe2\x88\x92");
		else
			buf_c(w->out, z[i]);
	}
}

static void
put_real(struct buf *out, double v, int decimals)
{
	/* Beyond what fixed notation can say nothing is said. */
	if (fabs(v) <= 9e15)
		buf_fixed(out, v, decimals);
}

/* A number as text, in the language's digits. */
static void
put_number(struct writing *w, const struct op *op, const char *at)
{
	struct buf digits;
	struct buf *to = w->persian ? &digits : w->out;

	if (w->persian)
		buf_init(&digits, 64);
	if (op->kind == VIEW_INT)
		buf_int(to, *FIELD(int64_t, at));
	else
		put_real(to, *FIELD(double, at), op->decimals);
	if (w->persian) {
		put_persian(w, digits.p, digits.n);
		buf_release(&digits);
	}
}

static void
put_figures(struct writing *w, const struct text *t)
{
	struct str run = { t->p, 0 };

	for (size_t i = 0; w->persian && i < t->n; i++) {
		if ((t->p[i] < '0' || t->p[i] > '9') && t->p[i] != '.')
			continue;
		run.n = (size_t)(t->p + i - run.p);
		buf_xml(w->out, run);
		put_persian(w, &t->p[i], 1);
		run.p = t->p + i + 1;
	}
	run.n = (size_t)(t->p + t->n - run.p);
	buf_xml(w->out, run);
}

static void
put_time(struct writing *w, int64_t t, bool content)
{
	char z[32];

	if (!content) {
		clock_iso(t, z, sizeof(z));
		buf_z(w->out, z);
		return;
	}
	clock_human(t, z, sizeof(z));
	if (!w->persian) {
		buf_z(w->out, z);
		return;
	}
	for (size_t i = 0; z[i] != '\0'; i++) {
		/* A hyphen between digits is no minus. */
		if (z[i] == '-')
			buf_c(w->out, '-');
		else
			put_persian(w, &z[i], 1);
	}
}

/* --- values ------------------------------------------------------------- */

static void
put_content(struct writing *w, const struct op *op, const char *at)
{
	const struct text *t;
	const struct markup *m;

	if (at == NULL)
		return;
	switch (op->kind) {
	case VIEW_TEXT:
	case VIEW_URL:
		t = FIELD(struct text, at);
		buf_xml(w->out, (struct str){ t->p, t->n });
		break;
	case VIEW_FIGURES:
		put_figures(w, FIELD(struct text, at));
		break;
	case VIEW_MARKUP:
		m = FIELD(struct markup, at);
		buf_add(w->out, m->p, m->n);
		break;
	case VIEW_INT:
	case VIEW_REAL:
		if (field_there(op, at))
			put_number(w, op, at);
		break;
	case VIEW_TIME:
		if (field_there(op, at))
			put_time(w, *FIELD(int64_t, at), true);
		break;
	case VIEW_MESSAGE:
		put_message(w, FIELD(struct view_message, at), op->plain);
		break;
	default:
		assert(!"the compiler refuses other kinds");
	}
}

/*
 * An address may lead within the site or to http, https and mailto; anything
 * else with a scheme ("javascript:") is treated as absent.
 */
static bool
address_is_safe(const struct text *t)
{
	static const char *const good[] = { "http:", "https:", "mailto:" };
	size_t n;

	for (n = 0; n < t->n; n++) {
		unsigned char c = (unsigned char)t->p[n];

		if (c <= ' ' || c == '\\')
			return false;
		if (c == '/' || c == '?' || c == '#')
			return true;
		if (c == ':')
			break;
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (n + 1 == strlen(good[i]) && n < t->n &&
		    strncasecmp(t->p, good[i], n + 1) == 0)
			return true;
	}
	return n == t->n;
}

static void
put_address(struct writing *w, const struct op *op, const struct text *t)
{
	if (t->p == NULL || !address_is_safe(t))
		return;
	buf_str(w->out, op->bytes);
	if (t->n > 0 && t->p[0] == '/' && !(t->n > 1 && t->p[1] == '/'))
		buf_xml_attr(w->out, w->base);
	buf_xml_attr(w->out, (struct str){ t->p, t->n });
	buf_c(w->out, '"');
}

static void
put_attr(struct writing *w, const struct op *op, const char *at)
{
	const struct text *t;

	if (at == NULL)
		return;
	if (op->kind == VIEW_URL) {
		put_address(w, op, FIELD(struct text, at));
		return;
	}
	if (op->kind == VIEW_FLAG) {
		if (*FIELD(bool, at))
			buf_str(w->out, op->bytes);
		return;
	}
	t = FIELD(struct text, at);
	/* An empty text is there all the same: value="". */
	if (op->kind == VIEW_TEXT ? t->p == NULL : !field_there(op, at))
		return;
	buf_str(w->out, op->bytes);
	switch (op->kind) {
	case VIEW_TEXT:
	case VIEW_FIGURES:
		buf_xml_attr(w->out, (struct str){ t->p, t->n });
		break;
	case VIEW_INT:
		buf_int(w->out, *FIELD(int64_t, at));
		break;
	case VIEW_REAL:
		put_real(w->out, *FIELD(double, at), op->decimals);
		break;
	case VIEW_TIME:
		put_time(w, *FIELD(int64_t, at), false);
		break;
	default:
		put_message(w, FIELD(struct view_message, at), true);
	}
	buf_c(w->out, '"');
}

/* --- sentences ---------------------------------------------------------- */

const struct message *
message_find(const struct messages *all, const char *id)
{
	size_t low = 0, high = all->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(id, all->all[mid].id);

		if (c == 0)
			return &all->all[mid];
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static enum message_form
form_for(const struct message *m, const char *lang, int64_t count)
{
	if (m->has[FORM_PLAIN])
		return FORM_PLAIN;
	return m->has[FORM_ONE] && lang_is_one(lang, count) ? FORM_ONE
							    : FORM_OTHER;
}

static void
put_message(struct writing *w, const struct view_message *m, bool plain)
{
	const struct message *found;
	enum message_form form;

	if (m->id == NULL)
		return;
	found = message_find(w->messages, m->id);
	if (found == NULL || w->level >= MESSAGES_DEEP) {
		log_error("messages.xhtml (%s) has no sentence \"%s\"", w->lang,
		    m->id);
		w->err = ERR_INTERNAL;
		return;
	}
	form = form_for(found, w->lang, m->count);
	w->level++;
	write_program(
	    w, plain ? &found->untagged[form] : &found->forms[form], m->row);
	w->level--;
}
