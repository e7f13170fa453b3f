/* This file knows how to tell what is left to be drawn for a voter: the
 * questions of the wish, without what this voter has met or was shown. */
#include "config.h"

#include "model/pairing_parts.h"

#include <stdlib.h>

#include "base/pool.h"
#include "model/conf.h"
#include "model/deck.h"
#include "model/rows.h"
#include "port/db.h"

static enum err make_mask(struct draw *d);
static uint64_t readable(const struct deck *k, const bool *reads, size_t w);
static enum err load_history(struct draw *d);
static enum err note_match(struct draw *d, int64_t a, int64_t b, bool revealed);
static enum err note_newer(struct draw *d, int64_t a, int64_t b);
static enum err note_seen(
    struct draw *d, uint32_t x, uint32_t y, uint32_t question);
static enum err take_out(struct draw *d);
static bool cell_is_spent(const struct draw *d, uint32_t setup, size_t cell);

enum err
pairing_left(struct draw *d)
{
	enum err e = make_mask(d);

	if (e == ERR_OK)
		e = load_history(d);
	return e == ERR_OK ? take_out(d) : e;
}

static enum err
make_mask(struct draw *d)
{
	const struct deck *k = d->deck;
	const struct deck_set *type = NULL, *lang = NULL;

	if (d->wish->type.p != NULL) {
		type = deck_type(k, d->wish->type);
		if (type == NULL)
			return ERR_INVALID;
	}
	if (d->wish->lang.p != NULL) {
		lang = deck_lang(k, d->wish->lang);
		if (lang == NULL)
			return ERR_INVALID;
	}
	d->mask = pool_array(d->pool, k->words + 1, sizeof(*d->mask));
	d->common = pool_array(d->pool, k->words + 1, sizeof(*d->common));
	if (d->mask == NULL || d->common == NULL)
		return ERR_NOMEM;
	for (size_t w = 0; w < k->words; w++) {
		d->mask[w] = d->wish->activity->questions[w];
		if (type != NULL)
			d->mask[w] &= type->questions[w];
		if (lang != NULL)
			d->mask[w] &= lang->questions[w];
		else if (d->wish->reads != NULL)
			d->mask[w] &= readable(k, d->wish->reads, w);
	}
	return ERR_OK;
}

/* Word w of the set of questions in languages that the voter reads. */
static uint64_t
readable(const struct deck *k, const bool *reads, size_t w)
{
	uint64_t questions = 0;

	for (size_t i = 0; i < k->langs_n; i++) {
		if (reads[i])
			questions |= k->langs[i].questions[w];
	}
	return questions;
}

static int
compare_seen(const void *a, const void *b)
{
	const struct seen *s = a, *t = b;

	if (s->x != t->x)
		return s->x < t->x ? -1 : 1;
	return (s->y > t->y) - (s->y < t->y);
}

/* What was shown elsewhere, in a topic of the forum say, is no longer blind. */
static enum err
load_seen(struct draw *d)
{
	struct db_stmt *q =
	    db_stmt(d->db, "SELECT answer FROM seen_answer WHERE account = ?1");
	enum err e;

	db_bind_int(q, 1, d->wish->who.account);
	while ((e = db_row(q)) == ERR_OK)
		idset_add(&d->revealed, db_int(q, 0));
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* Whatever became of a match, its pair was seen; a vote also revealed. */
static enum err
load_history(struct draw *d)
{
	struct db_stmt *q;
	enum err e;

	rows_init(&d->seen, d->pool, sizeof(struct seen));
	idset_init(&d->revealed, d->pool);
	if (d->wish->who.account == 0)
		return ERR_OK;
	q = db_stmt(d->db,
	    "SELECT answer_a, answer_b, state = 'voted' AND calibration = 0"
	    " FROM match WHERE voter = ?1");
	db_bind_int(q, 1, d->wish->who.account);
	while ((e = db_row(q)) == ERR_OK) {
		e = note_match(
		    d, db_int(q, 0), db_int(q, 1), db_int(q, 2) != 0);
		if (e != ERR_OK) {
			db_done(q);
			return e;
		}
	}
	if (e != ERR_NOTFOUND || (e = load_seen(d)) != ERR_OK)
		return e;
	if (d->revealed.failed)
		return ERR_NOMEM;
	idset_seal(&d->revealed);
	if (d->seen.n > 1)
		qsort(d->seen.p, d->seen.n, sizeof(struct seen), compare_seen);
	return ERR_OK;
}

static enum err
note_match(struct draw *d, int64_t a, int64_t b, bool revealed)
{
	uint32_t i = deck_answer_find(d->deck, a);
	uint32_t j = deck_answer_find(d->deck, b);
	const struct deck_answer *p, *q;

	if (revealed) {
		idset_add(&d->revealed, a);
		idset_add(&d->revealed, b);
	}
	if (i == DECK_NONE || j == DECK_NONE)
		return note_newer(d, a, b);
	p = &d->deck->answers[i];
	q = &d->deck->answers[j];
	return note_seen(d, p->version, q->version, p->question);
}

/* Answers made after this deck: their cells may be in it. */
static enum err
note_newer(struct draw *d, int64_t a, int64_t b)
{
	struct db_stmt *q = db_stmt(d->db,
	    "SELECT a.version, b.version, a.question FROM answer a, answer b"
	    " WHERE a.id = ?1 AND b.id = ?2");
	uint32_t x, y, question;
	enum err e;

	db_bind_int(q, 1, a);
	db_bind_int(q, 2, b);
	e = db_row(q);
	if (e != ERR_OK)
		return e == ERR_NOTFOUND ? ERR_OK : e;
	x = deck_version_find(d->deck, db_int(q, 0));
	y = deck_version_find(d->deck, db_int(q, 1));
	question = deck_question_find(d->deck, db_int(q, 2));
	db_done(q);
	return note_seen(d, x, y, question);
}

static enum err
note_seen(struct draw *d, uint32_t x, uint32_t y, uint32_t question)
{
	struct seen *s;

	if (x == DECK_NONE || y == DECK_NONE || question == DECK_NONE)
		return ERR_OK;
	s = rows_add(&d->seen);
	if (s == NULL)
		return ERR_NOMEM;
	s->x = x < y ? x : y;
	s->y = x < y ? y : x;
	s->question = question;
	return ERR_OK;
}

/* What is left of deck->has for this voter and wish. */
static enum err
take_out(struct draw *d)
{
	const struct deck *k = d->deck;
	const int64_t *ids = d->revealed.ids.p;
	struct text login = d->wish->who.login;

	d->has = pool_array(d->pool, k->setups_n * k->versions_n * k->words + 1,
	    sizeof(*d->has));
	if (d->has == NULL)
		return ERR_NOMEM;
	for (size_t row = 0; row < k->setups_n * k->versions_n; row++) {
		uint32_t prompt = k->versions[row % k->versions_n].prompt;

		if (!d->wish->activity->prompts[prompt] ||
		    (login.n > 0 &&
			text_same(login, k->prompts[prompt].author)))
			continue;
		for (size_t w = 0; w < k->words; w++)
			d->has[row * k->words + w] =
			    d->mask[w] & (d->makes[row / k->versions_n]
						 ? ~UINT64_C(0)
						 : k->has[row * k->words + w]);
	}
	for (size_t i = 0; i < d->revealed.ids.n; i++) {
		uint32_t at = deck_answer_find(k, ids[i]);
		const struct deck_answer *a;

		if (at == DECK_NONE || !k->answers[at].usable)
			continue;
		a = &k->answers[at];
		pairing_take_out(
		    d, ((size_t)a->setup * k->versions_n + a->version) *
			       k->questions_n +
			   a->question);
	}
	return ERR_OK;
}

void
pairing_take_out(struct draw *d, size_t cell)
{
	const struct deck *k = d->deck;
	size_t row = cell / k->questions_n, question = cell % k->questions_n;

	if (cell_is_spent(d, (uint32_t)(row / k->versions_n), cell))
		d->has[row * k->words + question / 64] &=
		    ~(UINT64_C(1) << (question % 64));
}

/* Every sample of the cell was revealed to this voter, and no more come. */
static bool
cell_is_spent(const struct draw *d, uint32_t setup, size_t cell)
{
	const struct deck *k = d->deck;

	for (uint32_t i = k->cells[cell]; i != DECK_NONE;
	     i = k->answers[i].next) {
		if (!idset_has(&d->revealed, k->answers[i].id))
			return false;
	}
	return !pairing_has_room(d, setup, cell);
}
