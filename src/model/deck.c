/* This file knows how to hold everything that can be paired in memory. */
#include "config.h"

#include "model/deck.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/rows.h"
#include "port/db.h"

#define DECK_POOL (512u << 20)

struct member { /* what an id table maps to */
	int64_t id;
	uint32_t index;
};

struct build {
	struct db *db;
	struct deck *d;
	struct pool *scratch;
	struct rows setup_ids, prompt_ids, version_ids, question_ids;
};

static enum err build(struct build *b);
static enum err load_setups(struct build *b);
static enum err load_prompts(struct build *b);
static enum err load_versions(struct build *b);
static enum err load_questions(struct build *b);
static enum err load_answers(struct build *b);
static enum err link_answers(
    struct build *b, struct deck_answer *answers, size_t n);
static enum err make_sets(struct build *b);
static enum err load_activities(struct build *b);
static enum err load_activity(struct build *b, struct deck_activity *a);
static enum err note_id(struct rows *ids, int64_t id, size_t index);
static uint32_t find_id(const struct rows *ids, int64_t id);
static enum err add_to_set(
    struct deck *d, struct rows *sets, struct text name, size_t question);
static const struct deck_set *find_set(
    const struct deck_set *sets, size_t n, struct text name);

enum err
deck_open(struct db *db, struct deck **out)
{
	struct build b = { .db = db };
	struct pool *pool = pool_open(DECK_POOL);
	enum err e = ERR_NOMEM;

	b.scratch = pool_open(DECK_POOL);
	if (pool != NULL && b.scratch != NULL)
		b.d = pool_alloc(pool, sizeof(*b.d));
	if (b.d != NULL) {
		b.d->pool = pool;
		atomic_init(&b.d->refs, 1);
		e = db_begin(db);
		if (e == ERR_OK)
			e = db_end(db, build(&b));
	}
	if (b.scratch != NULL)
		pool_close(b.scratch);
	if (e == ERR_OK)
		*out = b.d;
	else if (pool != NULL)
		pool_close(pool);
	return e;
}

uint32_t
deck_answer_find(const struct deck *d, int64_t id)
{
	size_t low = 0, high = d->answers_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->answers[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < d->answers_n && d->answers[low].id == id)
		return (uint32_t)low;
	return DECK_NONE;
}

uint32_t
deck_version_find(const struct deck *d, int64_t id)
{
	size_t low = 0, high = d->versions_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->versions[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->versions_n && d->versions[low].id == id ? (uint32_t)low
								: DECK_NONE;
}

uint32_t
deck_question_find(const struct deck *d, int64_t id)
{
	size_t low = 0, high = d->questions_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->questions[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->questions_n && d->questions[low].id == id
		   ? (uint32_t)low
		   : DECK_NONE;
}

const struct deck_set *
deck_type(const struct deck *d, struct text name)
{
	return find_set(d->types, d->types_n, name);
}

const struct deck_set *
deck_lang(const struct deck *d, struct text name)
{
	return find_set(d->langs, d->langs_n, name);
}

const struct deck_activity *
deck_activity(const struct deck *d, struct text slug)
{
	for (size_t i = 0; i < d->activities_n; i++) {
		if (text_same(d->activities[i].activity.slug, slug))
			return &d->activities[i];
	}
	return NULL;
}

void
deck_holder_init(struct deck_holder *h, struct deck *first)
{
	int rc = pthread_mutex_init(&h->lock, NULL);

	assert(rc == 0);
	(void)rc;
	h->now = first;
}

void
deck_holder_release(struct deck_holder *h)
{
	if (h->now != NULL)
		deck_put(h->now);
	h->now = NULL;
	pthread_mutex_destroy(&h->lock);
}

struct deck *
deck_get(struct deck_holder *h)
{
	struct deck *d;

	pthread_mutex_lock(&h->lock);
	d = h->now;
	assert(d != NULL);
	atomic_fetch_add(&d->refs, 1);
	pthread_mutex_unlock(&h->lock);
	return d;
}

void
deck_put(struct deck *d)
{
	if (d != NULL && atomic_fetch_sub(&d->refs, 1) == 1)
		pool_close(d->pool);
}

void
deck_swap(struct deck_holder *h, struct deck *next)
{
	struct deck *old;

	pthread_mutex_lock(&h->lock);
	old = h->now;
	h->now = next;
	pthread_mutex_unlock(&h->lock);
	deck_put(old);
}

static enum err
build(struct build *b)
{
	enum err e;

	if ((e = load_setups(b)) != ERR_OK || (e = load_prompts(b)) != ERR_OK ||
	    (e = load_versions(b)) != ERR_OK ||
	    (e = load_questions(b)) != ERR_OK ||
	    (e = load_answers(b)) != ERR_OK || (e = make_sets(b)) != ERR_OK ||
	    (e = load_activities(b)) != ERR_OK)
		return e;
	return pool_failed(b->d->pool) || pool_failed(b->scratch) ? ERR_NOMEM
								  : ERR_OK;
}

static enum err
load_setups(struct build *b)
{
	struct db_stmt *q = db_stmt(
	    b->db, "SELECT id, digest FROM setup WHERE active = 1 ORDER BY id");
	struct rows rows;
	enum err e;

	rows_init(&rows, b->d->pool, sizeof(struct deck_setup));
	rows_init(&b->setup_ids, b->scratch, sizeof(struct member));
	while ((e = db_row(q)) == ERR_OK) {
		struct deck_setup *s = rows_add(&rows);

		if (s == NULL || note_id(&b->setup_ids, db_int(q, 0),
				     rows.n - 1) != ERR_OK) {
			db_done(q);
			return ERR_NOMEM;
		}
		s->id = db_int(q, 0);
		s->digest = db_text(q, 1, b->d->pool);
	}
	b->d->setups = rows.p;
	b->d->setups_n = rows.n;
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err
load_prompts(struct build *b)
{
	struct db_stmt *q = db_stmt(b->db,
	    "SELECT id, slug, author FROM prompt WHERE retired = 0"
	    " ORDER BY id");
	struct rows rows;
	enum err e;

	rows_init(&rows, b->d->pool, sizeof(struct deck_prompt));
	rows_init(&b->prompt_ids, b->scratch, sizeof(struct member));
	while ((e = db_row(q)) == ERR_OK) {
		struct deck_prompt *p = rows_add(&rows);

		if (p == NULL || note_id(&b->prompt_ids, db_int(q, 0),
				     rows.n - 1) != ERR_OK) {
			db_done(q);
			return ERR_NOMEM;
		}
		p->id = db_int(q, 0);
		p->slug = db_text(q, 1, b->d->pool);
		p->author = db_text(q, 2, b->d->pool);
	}
	b->d->prompts = rows.p;
	b->d->prompts_n = rows.n;
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* By id, so that indices do not move when a prompt gets a version. */
static enum err
load_versions(struct build *b)
{
	struct db_stmt *q = db_stmt(b->db,
	    "SELECT v.id, v.prompt, v.number, v.digest,"
	    " (SELECT o.id FROM version o WHERE o.prompt = v.prompt"
	    " AND o.number < v.number AND o.retired = 0"
	    " ORDER BY o.number DESC LIMIT 1)"
	    " FROM version v JOIN prompt p ON p.id = v.prompt"
	    " WHERE v.retired = 0 AND p.retired = 0 ORDER BY v.id");
	struct deck_version *v;
	struct rows rows, before;
	int64_t *ids;
	enum err e;

	rows_init(&rows, b->d->pool, sizeof(struct deck_version));
	rows_init(&before, b->scratch, sizeof(int64_t));
	rows_init(&b->version_ids, b->scratch, sizeof(struct member));
	while ((e = db_row(q)) == ERR_OK) {
		int64_t *id = rows_add(&before);

		v = rows_add(&rows);
		if (v == NULL || id == NULL ||
		    note_id(&b->version_ids, db_int(q, 0), rows.n - 1) !=
			ERR_OK) {
			db_done(q);
			return ERR_NOMEM;
		}
		v->id = db_int(q, 0);
		v->prompt = find_id(&b->prompt_ids, db_int(q, 1));
		v->number = db_int(q, 2);
		v->digest = db_text(q, 3, b->d->pool);
		*id = db_is_null(q, 4) ? 0 : db_int(q, 4);
	}
	if (e != ERR_NOTFOUND)
		return e;
	v = rows.p;
	ids = before.p;
	for (size_t i = 0; i < rows.n; i++)
		v[i].predecessor = find_id(&b->version_ids, ids[i]);
	b->d->versions = rows.p;
	b->d->versions_n = rows.n;
	return ERR_OK;
}

static enum err
load_questions(struct build *b)
{
	struct db_stmt *q = db_stmt(b->db,
	    "SELECT id, slug, type, lang FROM question WHERE retired = 0"
	    " AND (owner IS NULL OR shared = 1)"
	    " ORDER BY id");
	struct rows rows;
	enum err e;

	rows_init(&rows, b->d->pool, sizeof(struct deck_question));
	rows_init(&b->question_ids, b->scratch, sizeof(struct member));
	while ((e = db_row(q)) == ERR_OK) {
		struct deck_question *one = rows_add(&rows);

		if (one == NULL || note_id(&b->question_ids, db_int(q, 0),
				       rows.n - 1) != ERR_OK) {
			db_done(q);
			return ERR_NOMEM;
		}
		one->id = db_int(q, 0);
		one->slug = db_text(q, 1, b->d->pool);
		one->type = db_text(q, 2, b->d->pool);
		one->lang = db_text(q, 3, b->d->pool);
	}
	b->d->questions = rows.p;
	b->d->questions_n = rows.n;
	b->d->words = (rows.n + 63) / 64;
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/*
 * All answers, for what a voter has seen; those in play are linked to cells.
 * An answer that says who wrote it (a block flag) is never shown.
 */
static enum err
load_answers(struct build *b)
{
	struct db_stmt *q =
	    db_stmt(b->db, "SELECT id, setup, version, question, sample,"
			   " state = 'ok' AND retired = 0"
			   " AND (' ' || flags) NOT LIKE '% block%'"
			   " FROM answer ORDER BY id");
	struct rows rows;
	enum err e;

	rows_init(&rows, b->d->pool, sizeof(struct deck_answer));
	while ((e = db_row(q)) == ERR_OK) {
		struct deck_answer *a = rows_add(&rows);

		if (a == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		a->id = db_int(q, 0);
		a->setup = find_id(&b->setup_ids, db_int(q, 1));
		a->version = find_id(&b->version_ids, db_int(q, 2));
		a->question = find_id(&b->question_ids, db_int(q, 3));
		a->sample = (uint32_t)db_int(q, 4);
		a->next = DECK_NONE;
		a->usable = db_int(q, 5) != 0 && a->setup != DECK_NONE &&
			    a->version != DECK_NONE && a->question != DECK_NONE;
	}
	if (e != ERR_NOTFOUND)
		return e;
	b->d->answers = rows.p;
	b->d->answers_n = rows.n;
	return link_answers(b, rows.p, rows.n);
}

static enum err
link_answers(struct build *b, struct deck_answer *answers, size_t n)
{
	struct deck *d = b->d;
	size_t rows = d->setups_n * d->versions_n;
	uint32_t *cells =
	    pool_array(d->pool, rows * d->questions_n + 1, sizeof(*cells));
	uint64_t *has = pool_array(d->pool, rows * d->words + 1, sizeof(*has));

	if (cells == NULL || has == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < rows * d->questions_n; i++)
		cells[i] = DECK_NONE;
	/* From the last to the first, so that a cell lists rising ids. */
	for (size_t i = n; i-- > 0;) {
		struct deck_answer *a = &answers[i];
		size_t row;

		if (!a->usable)
			continue;
		row = a->setup * d->versions_n + a->version;
		a->next = cells[row * d->questions_n + a->question];
		cells[row * d->questions_n + a->question] = (uint32_t)i;
		has[row * d->words + a->question / 64] |= UINT64_C(1)
							  << (a->question % 64);
	}
	d->cells = cells;
	d->has = has;
	return ERR_OK;
}

static enum err
make_sets(struct build *b)
{
	struct deck *d = b->d;
	struct rows types, langs;

	rows_init(&types, d->pool, sizeof(struct deck_set));
	rows_init(&langs, d->pool, sizeof(struct deck_set));
	for (size_t i = 0; i < d->questions_n; i++) {
		const struct deck_question *q = &d->questions[i];

		if (add_to_set(d, &types, q->type, i) != ERR_OK ||
		    add_to_set(d, &langs, q->lang, i) != ERR_OK)
			return ERR_NOMEM;
	}
	d->types = types.p;
	d->types_n = types.n;
	d->langs = langs.p;
	d->langs_n = langs.n;
	return ERR_OK;
}

static enum err
load_activities(struct build *b)
{
	struct rows rows;
	const struct activity *list;
	size_t n;
	enum err e = activity_list(b->db, b->d->pool, &list, &n);

	if (e != ERR_OK)
		return e;
	rows_init(&rows, b->d->pool, sizeof(struct deck_activity));
	for (size_t i = 0; i < n; i++) {
		struct deck_activity *a = rows_add(&rows);

		if (a == NULL)
			return ERR_NOMEM;
		a->activity = list[i];
		e = load_activity(b, a);
		if (e != ERR_OK)
			return e;
	}
	b->d->activities = rows.p;
	b->d->activities_n = rows.n;
	return ERR_OK;
}

/* Which prompts and questions take part; none named: all do. */
static enum err
load_activity(struct build *b, struct deck_activity *a)
{
	struct deck *d = b->d;
	bool *prompts = pool_array(d->pool, d->prompts_n + 1, sizeof(bool));
	uint64_t *set = pool_array(d->pool, d->words + 1, sizeof(*set));
	struct db_stmt *q;
	size_t named = 0;
	uint32_t at;
	enum err e;

	if (prompts == NULL || set == NULL)
		return ERR_NOMEM;
	q = db_stmt(
	    b->db, "SELECT prompt FROM activity_prompt WHERE activity = ?1");
	db_bind_int(q, 1, a->activity.id);
	for (; (e = db_row(q)) == ERR_OK; named++) {
		at = find_id(&b->prompt_ids, db_int(q, 0));
		if (at != DECK_NONE)
			prompts[at] = true;
	}
	if (e != ERR_NOTFOUND)
		return e;
	for (size_t i = 0; named == 0 && i < d->prompts_n; i++)
		prompts[i] = true;
	named = 0;
	q = db_stmt(b->db,
	    "SELECT question FROM activity_question WHERE activity = ?1");
	db_bind_int(q, 1, a->activity.id);
	for (; (e = db_row(q)) == ERR_OK; named++) {
		at = find_id(&b->question_ids, db_int(q, 0));
		if (at != DECK_NONE)
			set[at / 64] |= UINT64_C(1) << (at % 64);
	}
	if (e != ERR_NOTFOUND)
		return e;
	for (size_t i = 0; named == 0 && i < d->questions_n; i++)
		set[i / 64] |= UINT64_C(1) << (i % 64);
	a->prompts = prompts;
	a->questions = set;
	return ERR_OK;
}

/* Ids come in rising order, so the table is sorted as it grows. */
static enum err
note_id(struct rows *ids, int64_t id, size_t index)
{
	struct member *m = rows_add(ids);

	if (m == NULL)
		return ERR_NOMEM;
	*m = (struct member){ id, (uint32_t)index };
	return ERR_OK;
}

static int
compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static uint32_t
find_id(const struct rows *ids, int64_t id)
{
	struct member key = { id, 0 };
	const struct member *m = NULL;

	if (ids->n > 0)
		m = bsearch(&key, ids->p, ids->n, sizeof(key), compare_members);
	return m == NULL ? DECK_NONE : m->index;
}

static enum err
add_to_set(struct deck *d, struct rows *sets, struct text name, size_t question)
{
	struct deck_set *all = sets->p, *set = NULL;

	for (size_t i = 0; i < sets->n && set == NULL; i++) {
		if (text_same(all[i].name, name))
			set = &all[i];
	}
	if (set == NULL) {
		uint64_t *bits =
		    pool_array(d->pool, d->words + 1, sizeof(*bits));

		set = rows_add(sets);
		if (set == NULL || bits == NULL)
			return ERR_NOMEM;
		*set = (struct deck_set){ .name = name, .questions = bits };
	}
	set->questions[question / 64] |= UINT64_C(1) << (question % 64);
	set->count++;
	return ERR_OK;
}

static const struct deck_set *
find_set(const struct deck_set *sets, size_t n, struct text name)
{
	for (size_t i = 0; i < n; i++) {
		if (text_same(sets[i].name, name))
			return &sets[i];
	}
	return NULL;
}
