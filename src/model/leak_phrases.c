/* This file knows how to find turns of speech in an answer. */
#include "config.h"

#include <string.h>

#include "base/log.h"
#include "model/leak_parts.h"

#define SIGNS "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~"

/* A turn while it is read. */
struct turn {
	struct pool *pool;
	const struct leak_turn *source;
	struct leak_step *steps;
	size_t n;
	uint8_t gap; /* that the next word may leave */
};

static enum err read_turn(struct turn *t);
static enum err read_item(struct turn *t, char *item);
static enum err read_gap(struct turn *t, const char *item);
static enum err read_words(struct turn *t, const char *item);
static enum err read_set(struct turn *t, char *item);
static enum err add_step(struct turn *t, const uint64_t *any, size_t n);
static enum err wrong(const struct turn *t, const char *what);
static void enter(
    struct leak_list *l, enum leak_phrase phrase, const struct turn *t);
static bool has(const struct leak_step *s, uint64_t hash);

enum err
leak_table_init(struct leak_table *t, struct pool *pool, size_t entries)
{
	size_t room = 64;

	while (room < entries * 2)
		room *= 2;
	t->key = pool_array(pool, room, sizeof(*t->key));
	t->first = pool_array(pool, room, sizeof(*t->first));
	if (t->key == NULL || t->first == NULL)
		return ERR_NOMEM;
	memset(t->first, 0xff, room * sizeof(*t->first));
	t->mask = room - 1;
	return ERR_OK;
}

uint32_t *
leak_table_slot(struct leak_table *t, uint64_t word)
{
	size_t i = (word ^ word >> 32) & t->mask;

	while (t->key[i] != 0 && t->key[i] != word)
		i = (i + 1) & t->mask;
	t->key[i] = word;
	return &t->first[i];
}

uint32_t
leak_table_first(const struct leak_table *t, uint64_t word)
{
	size_t i = (word ^ word >> 32) & t->mask;

	while (t->key[i] != 0 && t->key[i] != word)
		i = (i + 1) & t->mask;
	return t->key[i] == 0 ? UINT32_MAX : t->first[i];
}

enum err
leak_phrases_add(struct leak_list *l, const struct leak_turn *turns, size_t n)
{
	struct turn *read = pool_array(l->pool, n + 1, sizeof(*read));

	if (read == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		enum err e;

		read[i] = (struct turn){ .pool = l->pool, .source = &turns[i] };
		e = read_turn(&read[i]);
		if (e != ERR_OK)
			return e;
		l->patterns_room += read[i].steps[0].any_n;
	}
	l->patterns =
	    pool_array(l->pool, l->patterns_room + 1, sizeof(*l->patterns));
	if (l->patterns == NULL ||
	    leak_table_init(&l->by_phrase, l->pool, l->patterns_room) != ERR_OK)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		enter(l, turns[i].phrase, &read[i]);
	return ERR_OK;
}

static enum err
read_turn(struct turn *t)
{
	char *say = pool_strdup(t->pool, t->source->say);

	t->steps = pool_array(t->pool, LEAK_STEPS_MAX, sizeof(*t->steps));
	if (say == NULL || t->steps == NULL)
		return ERR_NOMEM;
	while (*say != '\0') {
		char *item = say;
		enum err e;

		say += strcspn(say, " ");
		if (*say == ' ')
			*say++ = '\0';
		e = read_item(t, item);
		if (e != ERR_OK)
			return e;
	}
	if (t->n == 0 || t->gap > 0)
		return wrong(t, "it ends before a word: write one");
	return ERR_OK;
}

/* A word, a set or a gap; what a blank ends. */
static enum err
read_item(struct turn *t, char *item)
{
	if (item[0] == '~')
		return read_gap(t, item + 1);
	if (item[0] == '(')
		return read_set(t, item + 1);
	return read_words(t, item);
}

static enum err
read_gap(struct turn *t, const char *item)
{
	if (item[0] < '1' || item[0] > '9' || item[1] != '\0')
		return wrong(t, "a gap is ~1 to ~9");
	if (t->n == 0 || t->gap > 0)
		return wrong(t, "a gap stands between two words");
	t->gap = (uint8_t)(item[0] - '0');
	return ERR_OK;
}

static enum err
read_words(struct turn *t, const char *item)
{
	struct leak_words w;
	enum err e = leak_words_read(t->pool, text_of(item), &w);

	if (e != ERR_OK)
		return e;
	/* They would be passed over, and a word left bare of them. */
	if (w.n == 0 || strpbrk(item, SIGNS) != NULL)
		return wrong(t, "no signs are read but an apostrophe in a "
				"word: leave them out");
	for (size_t i = 0; e == ERR_OK && i < w.n; i++)
		e = add_step(t, &w.w[i].hash, 1);
	return e;
}

/* "(one|of|these)", without its first sign. */
static enum err
read_set(struct turn *t, char *item)
{
	uint64_t *any = pool_array(t->pool, LEAK_ANY_MAX, sizeof(*any));
	size_t end = strcspn(item, ")"), n = 0;

	if (any == NULL)
		return ERR_NOMEM;
	if (item[end] != ')' || item[end + 1] != '\0')
		return wrong(t,
		    "a set has the form (one|of|these) and holds no blanks: "
		    "write a turn for each alternative of several words");
	item[end] = '\0';
	for (char *p = item, *next = p; next != NULL; p = next) {
		struct leak_words w;
		enum err e;

		next = strchr(p, '|');
		if (next != NULL)
			*next++ = '\0';
		e = leak_words_read(t->pool, text_of(p), &w);
		if (e != ERR_OK)
			return e;
		if (w.n != 1 || strpbrk(p, SIGNS) != NULL)
			return wrong(t,
			    "each alternative of a set is one word "
			    "(\"it's\" is two, a Chinese character is one): "
			    "write a turn of its own for what is longer");
		if (n == LEAK_ANY_MAX)
			return wrong(t,
			    "the set has more than LEAK_ANY_MAX words: "
			    "write the others in a second turn");
		any[n++] = w.w[0].hash;
	}
	return add_step(t, any, n);
}

static enum err
add_step(struct turn *t, const uint64_t *any, size_t n)
{
	if (t->n == LEAK_STEPS_MAX)
		return wrong(t, "the turn has more than LEAK_STEPS_MAX words "
				"and sets: leave out its end");
	t->steps[t->n++] = (struct leak_step){ any, (uint8_t)n, t->gap };
	t->gap = 0;
	return ERR_OK;
}

static enum err
wrong(const struct turn *t, const char *what)
{
	log_error("leak_turns.c:%d: \"%s\": %s", t->source->line,
	    t->source->say, what);
	return ERR_CONFIG;
}

/* To be found by each word that it may begin with. */
static void
enter(struct leak_list *l, enum leak_phrase phrase, const struct turn *t)
{
	for (size_t k = 0; k < t->steps[0].any_n; k++) {
		uint32_t *first =
		    leak_table_slot(&l->by_phrase, t->steps[0].any[k]);
		struct leak_pattern *p = &l->patterns[l->patterns_n];

		*p = (struct leak_pattern){ phrase, t->steps, t->n, *first };
		*first = (uint32_t)l->patterns_n++;
	}
}

void
leak_phrases_at(const struct leak_list *l, const struct leak_words *w, size_t i,
    leak_found *found, void *arg)
{
	uint32_t at = leak_table_first(&l->by_phrase, w->w[i].hash);

	for (; at != UINT32_MAX; at = l->patterns[at].next) {
		const struct leak_pattern *p = &l->patterns[at];
		size_t k = 1, j = i + 1;

		/* The nearest word that fits is taken: no way back is needed,
		 * since the gaps are short and the sets differ. */
		while (k < p->steps_n && j < w->n) {
			size_t stop = j + p->steps[k].gap;

			while (j < w->n && j < stop && !w->w[j].line &&
			       !has(&p->steps[k], w->w[j].hash))
				j++;
			if (j >= w->n || w->w[j].line ||
			    !has(&p->steps[k], w->w[j].hash))
				break;
			j++;
			k++;
		}
		if (k == p->steps_n)
			found(arg, p->phrase, j - 1);
	}
}

static bool
has(const struct leak_step *s, uint64_t hash)
{
	for (size_t i = 0; i < s->any_n; i++) {
		if (s->any[i] == hash)
			return true;
	}
	return false;
}
