/* This file knows how to write setups, prompts and activities into the tables.
 */
#include "config.h"

#include "model/catalog_sync.h"

#include "base/buf.h"
#include "base/log.h"
#include "model/rows.h"
#include "model/store.h"
#include "model/sync.h"
#include "port/crypt.h"
#include "port/db.h"

#define SYNC_POOL (64u << 20)
#define SYNC_ITEM (32u << 20)
#define DIGEST_MAX 65536

struct known_version {
	int64_t id;
	struct text digest;
	bool retired, listed, seen;
};

static enum err sync_all(struct sync *s);
static enum err sync_setups(struct sync *s);
static enum err sync_setup(struct sync *s, size_t i);
static enum err sync_prompts(struct sync *s);
static enum err sync_prompt(
    struct sync *s, const struct catalog_prompt *p, int64_t *id);
static enum err sync_tags(
    struct sync *s, const struct catalog_prompt *p, int64_t id);
static enum err sync_versions(
    struct sync *s, const struct catalog_prompt *p, int64_t id);
static enum err load_versions(
    struct sync *s, int64_t prompt, struct rows *known);
static enum err list_version(struct sync *s, struct known_version *v);
static enum err add_version(struct sync *s, const struct catalog_prompt *p,
    int64_t prompt, const struct catalog_version *v, bool *added);
static enum err unlist_versions(
    struct sync *s, const struct rows *known, size_t added);
static enum err sync_activities(struct sync *s);
static enum err sync_activity(
    struct sync *s, const struct catalog_activity *a, int64_t *id);
static enum err sync_members(struct sync *s, int64_t activity,
    const struct text *slugs, size_t n, bool questions);
static enum err sync_tutor(
    struct sync *s, int64_t activity, const struct catalog_tutor *t);

enum err
catalog_sync(
    struct store_tx *tx, const struct catalog *catalog, const struct conf *conf)
{
	struct catalog_sync_args args = { .catalog = catalog, .conf = conf };

	return catalog_sync_fn(tx, &args);
}

enum err
catalog_sync_fn(struct store_tx *tx, void *arg)
{
	struct catalog_sync_args *args = arg;
	struct sync s = { .db = tx->db,
		.now = tx->now,
		.catalog = args->catalog,
		.conf = args->conf };
	enum err e = ERR_NOMEM;

	s.pool = pool_open(SYNC_POOL);
	s.item = pool_open(SYNC_ITEM);
	if (s.pool != NULL && s.item != NULL)
		e = sync_all(&s);
	if (e == ERR_OK)
		args->changed = s.changed;
	else
		log_error(
		    "the catalog could not be taken over: %s", err_name(e));
	if (s.item != NULL)
		pool_close(s.item);
	if (s.pool != NULL)
		pool_close(s.pool);
	/* Every answer was looked at; votes need other pages. */
	db_shrink(tx->db);
	return e;
}

void
setup_digest(const struct conf_setup *setup, char out[65])
{
	struct buf b;

	buf_init(&b, DIGEST_MAX);
	buf_z(&b, "setup/1\nmodel=");
	buf_add(&b, setup->model.p, setup->model.n);
	buf_c(&b, '\n');
	for (size_t i = 0; i < setup->parameters_n; i++) {
		const struct conf_parameter *p = &setup->parameters[i];

		buf_add(&b, p->name.p, p->name.n);
		buf_c(&b, '=');
		buf_add(&b, p->value.p, p->value.n);
		buf_c(&b, '\n');
	}
	crypt_sha256_hex(buf_as_str(&b), out);
	buf_release(&b);
}

enum err
sync_run(struct sync *s, struct db_stmt *st)
{
	enum err e = db_run(st);

	if (e == ERR_OK)
		s->changed++;
	return e;
}

enum err
sync_retire_unseen(struct sync *s, struct db_stmt *list, const char *update,
    struct idset *seen)
{
	struct idset gone;
	const int64_t *ids;
	enum err e;

	idset_seal(seen);
	idset_init(&gone, s->pool);
	while ((e = db_row(list)) == ERR_OK) {
		int64_t id = db_int(list, 0);

		if (!idset_has(seen, id))
			idset_add(&gone, id);
	}
	if (e != ERR_NOTFOUND)
		return e;
	if (seen->failed || gone.failed)
		return ERR_NOMEM;
	ids = gone.ids.p;
	for (size_t i = 0; i < gone.ids.n; i++) {
		struct db_stmt *up = db_stmt(s->db, update);

		db_bind_int(up, 1, ids[i]);
		e = sync_run(s, up);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err
sync_all(struct sync *s)
{
	enum err e;

	if ((e = sync_setups(s)) != ERR_OK || (e = sync_prompts(s)) != ERR_OK ||
	    (e = sync_questions(s)) != ERR_OK ||
	    (e = sync_answers(s)) != ERR_OK ||
	    (e = sync_activities(s)) != ERR_OK ||
	    (e = sync_renderer(s)) != ERR_OK)
		return e;
	return pool_failed(s->pool) ? ERR_NOMEM : ERR_OK;
}

static enum err
sync_setups(struct sync *s)
{
	struct idset seen;
	enum err e;

	idset_init(&seen, s->pool);
	s->setups =
	    pool_array(s->pool, s->conf->setups_n + 1, sizeof(*s->setups));
	if (s->setups == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < s->conf->setups_n; i++) {
		e = sync_setup(s, i);
		if (e != ERR_OK)
			return e;
		idset_add(&seen, s->setups[i]);
	}
	return sync_retire_unseen(s,
	    db_stmt(s->db, "SELECT id FROM setup WHERE active = 1"),
	    "UPDATE setup SET active = 0 WHERE id = ?1", &seen);
}

static enum err
sync_setup(struct sync *s, size_t i)
{
	const struct conf_setup *c = &s->conf->setups[i];
	struct db_stmt *q = db_stmt(s->db,
	    "SELECT id, active AND slug = ?2 FROM setup WHERE digest = ?1");
	struct db_stmt *put;
	char digest[65];
	bool same;
	enum err e;

	setup_digest(c, digest);
	/* Two ids for one model and settings share one row and one board. */
	for (size_t j = 0; j < i; j++) {
		char other[65];

		setup_digest(&s->conf->setups[j], other);
		if (str_eq(str_of(digest), str_of(other))) {
			s->setups[i] = s->setups[j];
			return ERR_OK;
		}
	}
	db_bind_z(q, 1, digest);
	db_bind_text(q, 2, c->id);
	e = db_row(q);
	if (e == ERR_OK) {
		s->setups[i] = db_int(q, 0);
		same = db_int(q, 1) != 0;
		db_done(q);
		if (same)
			return ERR_OK;
		put = db_stmt(s->db, "UPDATE setup SET active = 1, slug = ?2"
				     " WHERE id = ?1");
		db_bind_int(put, 1, s->setups[i]);
		db_bind_text(put, 2, c->id);
		return sync_run(s, put);
	}
	if (e != ERR_NOTFOUND)
		return e;

	struct buf b;

	buf_init(&b, DIGEST_MAX);
	for (size_t j = 0; j < c->parameters_n; j++) {
		buf_add(&b, c->parameters[j].name.p, c->parameters[j].name.n);
		buf_c(&b, '=');
		buf_add(&b, c->parameters[j].value.p, c->parameters[j].value.n);
		buf_c(&b, '\n');
	}
	put = db_stmt(s->db,
	    "INSERT INTO setup(digest, slug, model, parameters, first_at)"
	    " VALUES(?1, ?2, ?3, ?4, ?5)");
	db_bind_z(put, 1, digest);
	db_bind_text(put, 2, c->id);
	db_bind_text(put, 3, c->model);
	db_bind_str(put, 4, b.n > 0 ? buf_as_str(&b) : STR(""));
	db_bind_int(put, 5, s->now);
	e = b.failed ? ERR_TOOBIG : sync_run(s, put);
	if (e == ERR_OK)
		s->setups[i] = db_last_id(s->db);
	buf_release(&b);
	return e;
}

static enum err
sync_prompts(struct sync *s)
{
	struct idset seen;
	enum err e;

	idset_init(&seen, s->pool);
	/* All prompts first: a text may move to a renamed prompt only when
	 * its old owner is known to be gone. */
	for (size_t i = 0; i < s->catalog->prompts_n; i++) {
		int64_t id;

		e = sync_prompt(s, &s->catalog->prompts[i], &id);
		if (e != ERR_OK)
			return e;
		idset_add(&seen, id);
	}
	e = sync_retire_unseen(s,
	    db_stmt(s->db, "SELECT id FROM prompt WHERE retired = 0"),
	    "UPDATE prompt SET retired = 1 WHERE id = ?1", &seen);
	for (size_t i = 0; e == ERR_OK && i < s->catalog->prompts_n; i++) {
		struct db_stmt *q =
		    db_stmt(s->db, "SELECT id FROM prompt WHERE slug = ?1");
		int64_t id;

		pool_clear(s->item);
		db_bind_text(q, 1, s->catalog->prompts[i].id);
		e = db_scalar(q, &id);
		if (e != ERR_OK)
			return e == ERR_NOTFOUND ? ERR_INTERNAL : e;
		e = sync_tags(s, &s->catalog->prompts[i], id);
		if (e == ERR_OK)
			e = sync_versions(s, &s->catalog->prompts[i], id);
	}
	return e;
}

static enum err
sync_prompt(struct sync *s, const struct catalog_prompt *p, int64_t *id)
{
	struct db_stmt *q = db_stmt(s->db,
	    "SELECT id, title = ?2 AND description = ?3 AND author = ?4"
	    " AND retired = ?5 FROM prompt WHERE slug = ?1");
	struct text nothing = TEXT("");
	struct text about = p->description.p != NULL ? p->description : nothing;
	struct text author = p->author.p != NULL ? p->author : nothing;
	struct db_stmt *put;
	bool same;
	enum err e;

	db_bind_text(q, 1, p->id);
	db_bind_text(q, 2, p->title);
	db_bind_text(q, 3, about);
	db_bind_text(q, 4, author);
	db_bind_int(q, 5, p->retired);
	e = db_row(q);
	if (e == ERR_OK) {
		*id = db_int(q, 0);
		same = db_int(q, 1) != 0;
		db_done(q);
		if (same)
			return ERR_OK;
		put = db_stmt(s->db,
		    "UPDATE prompt SET title = ?2, description = ?3,"
		    " author = ?4, retired = ?5 WHERE slug = ?1");
	} else if (e == ERR_NOTFOUND) {
		put = db_stmt(s->db,
		    "INSERT INTO prompt(slug, title, description, author,"
		    " retired) VALUES(?1, ?2, ?3, ?4, ?5)");
	} else {
		return e;
	}
	db_bind_text(put, 1, p->id);
	db_bind_text(put, 2, p->title);
	db_bind_text(put, 3, about);
	db_bind_text(put, 4, author);
	db_bind_int(put, 5, p->retired);
	same = e == ERR_OK; /* there was a row */
	e = sync_run(s, put);
	if (e == ERR_OK && !same)
		*id = db_last_id(s->db);
	return e;
}

static enum err
sync_tags(struct sync *s, const struct catalog_prompt *p, int64_t id)
{
	struct db_stmt *q =
	    db_stmt(s->db, "SELECT count(*) FROM prompt_tag WHERE prompt = ?1");
	struct db_stmt *put;
	int64_t stored;
	size_t known = 0;
	enum err e;

	db_bind_int(q, 1, id);
	e = db_scalar(q, &stored);
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < p->tags_n; i++) {
		bool there;

		q = db_stmt(s->db, "SELECT 1 FROM prompt_tag"
				   " WHERE prompt = ?1 AND tag = ?2");
		db_bind_int(q, 1, id);
		db_bind_text(q, 2, p->tags[i]);
		e = db_exists(q, &there);
		if (e != ERR_OK)
			return e;
		known += there;
	}
	if (known == p->tags_n && (size_t)stored == known)
		return ERR_OK;
	put = db_stmt(s->db, "DELETE FROM prompt_tag WHERE prompt = ?1");
	db_bind_int(put, 1, id);
	e = sync_run(s, put);
	for (size_t i = 0; e == ERR_OK && i < p->tags_n; i++) {
		put = db_stmt(s->db, "INSERT OR IGNORE INTO"
				     " prompt_tag(prompt, tag) VALUES(?1, ?2)");
		db_bind_int(put, 1, id);
		db_bind_text(put, 2, p->tags[i]);
		e = sync_run(s, put);
	}
	return e;
}

static enum err
sync_versions(struct sync *s, const struct catalog_prompt *p, int64_t id)
{
	struct rows known;
	struct known_version *v;
	size_t added = 0;
	enum err e = load_versions(s, id, &known);

	for (size_t i = 0; e == ERR_OK && i < p->versions_n; i++) {
		const struct catalog_version *c = &p->versions[i];
		bool found = false, fresh = false;

		v = known.p;
		for (size_t j = 0; j < known.n && !found; j++) {
			found = str_eq(str_of(c->digest),
			    (struct str){ v[j].digest.p, v[j].digest.n });
			if (found)
				e = list_version(s, &v[j]);
		}
		if (!found) {
			e = add_version(s, p, id, c, &fresh);
			added += fresh;
		}
	}
	if (e == ERR_OK)
		e = unlist_versions(s, &known, added);
	return e;
}

static enum err
load_versions(struct sync *s, int64_t prompt, struct rows *known)
{
	struct db_stmt *q =
	    db_stmt(s->db, "SELECT id, digest, retired, listed FROM version"
			   " WHERE prompt = ?1 ORDER BY number DESC");
	enum err e;

	rows_init(known, s->item, sizeof(struct known_version));
	db_bind_int(q, 1, prompt);
	while ((e = db_row(q)) == ERR_OK) {
		struct known_version *v = rows_add(known);

		if (v == NULL) {
			db_done(q);
			return ERR_NOMEM;
		}
		v->id = db_int(q, 0);
		v->digest = db_text(q, 1, s->item);
		v->retired = db_int(q, 2) != 0;
		v->listed = db_int(q, 3) != 0;
	}
	return e == ERR_NOTFOUND ? ERR_OK : e;
}

/* A stored version stands in the files. */
static enum err
list_version(struct sync *s, struct known_version *v)
{
	struct db_stmt *up;

	v->seen = true;
	if (!v->retired && v->listed)
		return ERR_OK;
	up = db_stmt(s->db, "UPDATE version SET retired = 0, listed = 1"
			    " WHERE id = ?1");
	db_bind_int(up, 1, v->id);
	return sync_run(s, up);
}

/*
 * A text that is new to the prompt: version n+1.  When a prompt that is gone
 * had the very text, the prompt was renamed and the version follows it with
 * its ratings; a text of another prompt in play is refused.
 */
static enum err
add_version(struct sync *s, const struct catalog_prompt *p, int64_t prompt,
    const struct catalog_version *v, bool *added)
{
	struct db_stmt *q =
	    db_stmt(s->db, "SELECT v.id, p.slug, EXISTS (SELECT 1 FROM prompt o"
			   " WHERE o.id = v.prompt AND o.retired = 0), v.number"
			   " FROM version v JOIN prompt p ON p.id = v.prompt"
			   " WHERE v.digest = ?1");
	struct db_stmt *put;
	int64_t moved = 0;
	enum err e;

	db_bind_z(q, 1, v->digest);
	e = db_row(q);
	if (e == ERR_OK) {
		struct str owner = db_str(q, 1, s->item);
		bool in_play = db_int(q, 2) != 0;
		int64_t number = db_int(q, 3);

		moved = db_int(q, 0);
		db_done(q);
		if (in_play) {
			log_warning(
			    "prompt %.*s: the text of version %lld is"
			    " version %lld of prompt %.*s already; left out",
			    (int)p->id.n, p->id.p, (long long)v->number,
			    (long long)number, (int)owner.n, owner.p);
			return ERR_OK;
		}
		put = db_stmt(s->db,
		    "UPDATE version SET prompt = ?2, retired = 0, listed = 1,"
		    " number = (SELECT coalesce(max(number), 0) + 1"
		    " FROM version WHERE prompt = ?2) WHERE id = ?1");
		db_bind_int(put, 1, moved);
		db_bind_int(put, 2, prompt);
	} else if (e == ERR_NOTFOUND) {
		put = db_stmt(s->db,
		    "INSERT INTO version(prompt, number, digest, text,"
		    " first_at) VALUES(?1, (SELECT coalesce(max(number), 0)"
		    " + 1 FROM version WHERE prompt = ?1), ?2, ?3, ?4)");
		db_bind_int(put, 1, prompt);
		db_bind_z(put, 2, v->digest);
		db_bind_text(put, 3, v->text);
		db_bind_int(put, 4, s->now);
	} else {
		return e;
	}
	*added = true;
	return sync_run(s, put);
}

/*
 * Versions that the files no longer hold: as many of the newest as there are
 * new texts were edited in place and stay in play; the others were taken out.
 */
static enum err
unlist_versions(struct sync *s, const struct rows *known, size_t added)
{
	const struct known_version *v = known->p;

	for (size_t i = 0; i < known->n; i++) {
		struct db_stmt *up;
		enum err e;

		if (v[i].seen || !v[i].listed)
			continue;
		up = db_stmt(s->db, "UPDATE version SET listed = 0, retired = "
				    "?2 WHERE id = ?1");
		db_bind_int(up, 1, v[i].id);
		db_bind_int(up, 2, added == 0 ? 1 : v[i].retired);
		if (added > 0)
			added--;
		e = sync_run(s, up);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err
sync_activities(struct sync *s)
{
	const struct catalog_activity open = { .id = TEXT("open"),
		.title = s->conf->name,
		.results = TEXT("always") };
	const struct catalog_activity *list = s->catalog->activities;
	size_t n = s->catalog->activities_n;
	struct idset seen;
	enum err e;

	if (n == 0) {
		list = &open;
		n = 1;
	}
	idset_init(&seen, s->pool);
	for (size_t i = 0; i < n; i++) {
		int64_t id;

		pool_clear(s->item);
		if ((e = sync_activity(s, &list[i], &id)) != ERR_OK ||
		    (e = sync_members(s, id, list[i].prompts, list[i].prompts_n,
			 false)) != ERR_OK ||
		    (e = sync_members(s, id, list[i].questions,
			 list[i].questions_n, true)) != ERR_OK ||
		    (e = sync_tutor(s, id, &list[i].tutor)) != ERR_OK)
			return e;
		idset_add(&seen, id);
	}
	return sync_retire_unseen(s,
	    db_stmt(s->db, "SELECT id FROM activity WHERE retired = 0"),
	    "UPDATE activity SET retired = 1 WHERE id = ?1", &seen);
}

static void
bind_activity(struct db_stmt *st, const struct catalog_activity *a)
{
	db_bind_text(st, 1, a->id);
	db_bind_text(st, 2, a->title.p != NULL ? a->title : a->id);
	if (a->opens != 0)
		db_bind_int(st, 3, a->opens);
	if (a->closes != 0)
		db_bind_int(st, 4, a->closes);
	if (a->group.n > 0)
		db_bind_text(st, 5, a->group);
	db_bind_text(st, 6, a->results.n > 0 ? a->results : TEXT("always"));
}

static enum err
sync_activity(struct sync *s, const struct catalog_activity *a, int64_t *id)
{
	struct db_stmt *q = db_stmt(s->db,
	    "SELECT id, title = ?2 AND opens IS ?3 AND closes IS ?4"
	    " AND grp IS ?5 AND results = ?6 AND retired = 0"
	    " FROM activity WHERE slug = ?1");
	struct db_stmt *put;
	bool known, same;
	enum err e;

	bind_activity(q, a);
	e = db_row(q);
	if (e != ERR_OK && e != ERR_NOTFOUND)
		return e;
	known = e == ERR_OK;
	if (known) {
		*id = db_int(q, 0);
		same = db_int(q, 1) != 0;
		db_done(q);
		if (same)
			return ERR_OK;
		put = db_stmt(s->db,
		    "UPDATE activity SET title = ?2, opens = ?3, closes = ?4,"
		    " grp = ?5, results = ?6, retired = 0 WHERE slug = ?1");
	} else {
		put = db_stmt(s->db,
		    "INSERT INTO activity(slug, title, opens, closes, grp,"
		    " results) VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
	}
	bind_activity(put, a);
	e = sync_run(s, put);
	if (e == ERR_OK && !known)
		*id = db_last_id(s->db);
	return e;
}

static enum err
sync_tutor(struct sync *s, int64_t activity, const struct catalog_tutor *t)
{
	struct db_stmt *st;
	enum err e;

	if (t->setup.p == NULL) {
		st = db_stmt(
		    s->db, "DELETE FROM activity_tutor WHERE activity = ?1");
		db_bind_int(st, 1, activity);
		e = db_run(st);
		s->changed += e == ERR_OK ? db_changes(s->db) : 0;
		return e;
	}
	st = db_stmt(s->db,
	    "INSERT INTO activity_tutor(activity, setup, prompt, best, text,"
	    " per_day, context_chars) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
	    " ON CONFLICT(activity) DO UPDATE SET setup = ?2, prompt = ?3,"
	    " best = ?4, text = ?5, per_day = ?6, context_chars = ?7"
	    " WHERE setup <> ?2 OR prompt IS NOT ?3 OR best IS NOT ?4"
	    " OR text IS NOT ?5 OR per_day <> ?6 OR context_chars <> ?7");
	db_bind_int(st, 1, activity);
	db_bind_text(st, 2, t->setup);
	db_bind_text(st, 3, t->prompt);
	db_bind_text(st, 4, t->best);
	db_bind_text(st, 5, t->text);
	db_bind_int(st, 6, t->per_day);
	db_bind_int(st, 7, t->context_chars);
	e = db_run(st);
	s->changed += e == ERR_OK ? db_changes(s->db) : 0;
	return e;
}

/* The prompts or questions that an activity names; none: all. */
static enum err
sync_members(struct sync *s, int64_t activity, const struct text *slugs,
    size_t n, bool questions)
{
	struct db_stmt *q =
	    questions ? db_stmt(s->db, "SELECT q.slug FROM activity_question m"
				       " JOIN question q ON q.id = m.question "
				       "WHERE m.activity = ?1")
		      : db_stmt(s->db, "SELECT p.slug FROM activity_prompt m"
				       " JOIN prompt p ON p.id = m.prompt "
				       "WHERE m.activity = ?1");
	size_t stored = 0, known = 0;
	struct db_stmt *put;
	enum err e;

	db_bind_int(q, 1, activity);
	while ((e = db_row(q)) == ERR_OK) {
		struct text slug = db_text(q, 0, s->item);

		stored++;
		for (size_t i = 0; i < n; i++)
			known += text_same(slug, slugs[i]);
	}
	if (e != ERR_NOTFOUND)
		return e;
	if (stored == n && known == n)
		return ERR_OK;
	put = questions
		  ? db_stmt(s->db,
			"DELETE FROM activity_question WHERE activity = ?1")
		  : db_stmt(s->db,
			"DELETE FROM activity_prompt WHERE activity = ?1");
	db_bind_int(put, 1, activity);
	e = sync_run(s, put);
	for (size_t i = 0; e == ERR_OK && i < n; i++) {
		put = questions
			  ? db_stmt(s->db,
				"INSERT OR IGNORE INTO activity_question"
				" SELECT ?1, id FROM question WHERE slug = ?2")
			  : db_stmt(s->db,
				"INSERT OR IGNORE INTO activity_prompt"
				" SELECT ?1, id FROM prompt WHERE slug = ?2");
		db_bind_int(put, 1, activity);
		db_bind_text(put, 2, slugs[i]);
		e = sync_run(s, put);
	}
	return e;
}
