/*
 * tutor - the AI teaching assistant: private conversations, answered later.
 *
 * Layer    model: base, port/db, port/markdown, model/job.
 * Memory   rows live in the given pool.
 * Threads  reading: the connection's thread; writing: inside store_write;
 *          tutor_job: as job.h says.
 *
 * A question becomes a row and a job in one transaction.  Whoever runs jobs
 * (model/job.h) asks the model server through tutor_job; the reply is stored
 * and its notice raised together.  While the server is away the question is
 * kept, and its asker can see that.
 */
#ifndef PA_TUTOR_H
#define PA_TUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/str.h"
#include "model/account.h"
#include "port/markdown.h"

struct conf;
struct db;
struct job_handler;
struct store_tx;

#define TUTOR_QUESTION_CHARS 8000
#define TUTOR_TITLE_CHARS 80

struct tutor_room { /* an activity that has an AI TA */
	int64_t id;
	struct text slug, title;
	int64_t per_day; /* questions; 0: any number */
	int64_t asked;   /* today, by this person */
};

/* Those for this person, that can be asked. */
enum err tutor_rooms(struct db *db, struct pool *pool, const struct voter *who,
    int64_t now, const struct tutor_room **out, size_t *n) PA_MUST_USE;

/* Has any activity an AI TA? */
enum err tutor_exists(struct db *db, bool *out) PA_MUST_USE;

struct tutor_thread {
	int64_t id, key; /* key: places it in the list */
	struct text token, title, room, room_title;
	struct text setup; /* that replies in its activity; absent: none */
	int64_t made_at, last_at;
	bool waiting, failed; /* its newest question */
};

struct tutor_threads {
	const struct tutor_thread *rows; /* newest word first */
	size_t n;
	int64_t older; /* `before` of the next page; 0: this was the last */
};

enum err tutor_list(struct db *db, struct pool *pool, int64_t account,
    int64_t before, int64_t limit, struct tutor_threads *out) PA_MUST_USE;

/* ERR_NOTFOUND also when it is another person's. */
enum err tutor_load(struct db *db, struct pool *pool, int64_t account,
    struct text token, struct tutor_thread *out) PA_MUST_USE;

enum tutor_state {
	TUTOR_WAITING,
	TUTOR_OK,
	TUTOR_FAILED
};

enum tutor_fault { /* why there is no reply */
	TUTOR_NO_FAULT,
	TUTOR_SERVER,  /* the model server failed, or was not in time */
	TUTOR_REFUSED, /* this question, by the model or its server */
	TUTOR_EMPTIED  /* what came was nothing to be shown */
};

enum tutor_rating {
	TUTOR_UNRATED,
	TUTOR_UP,
	TUTOR_DOWN
};

struct tutor_message { /* a question and what came of it */
	int64_t id, number, asked_at, replied_at;
	struct markup question, reply;
	enum tutor_state state;
	enum tutor_fault fault;
	bool delayed;    /* waiting, and asking failed before */
	bool truncated;  /* the reply ended at the model's limit */
	int64_t dropped; /* earlier turns that were not sent along */
	enum tutor_rating rating;
	struct text model;
	/* When a prompt of the catalog instructed it: */
	struct text slug, prompt;
	int64_t version;
	double elo; /* NaN: not chosen for its rating */
	/* The order-free rating and its 95 % interval; an older reply has no
	 * such rating, and an interval that was widened to hold elo. */
	double order_free, lower, upper;
};

/* With number < before (0: from the newest), at most limit, oldest first. */
enum err tutor_messages(struct db *db, struct pool *pool, int64_t thread,
    int64_t before, int64_t limit, const struct tutor_message **out,
    size_t *n) PA_MUST_USE;

struct tutor_question {
	struct voter who;
	const struct conf *conf;
	struct text room;   /* of a new conversation */
	struct text thread; /* token of the one gone on with; absent: new */
	struct text text;
	struct markup html;
	struct text form; /* the form it came by: sent twice it is one */
	/* out: */
	char token[RNG_TOKEN_LEN + 1];
	int64_t number;
};

enum err tutor_render(
    struct pool *pool, struct text source, struct markup *out) PA_MUST_USE;

/*
 * ERR_NOTFOUND: no such conversation, or no AI TA there (any more);
 * ERR_LIMIT: today's questions are used up, or the queue is full;
 * ERR_CONFLICT: the last question of this conversation still waits.
 * After store_write has returned: works_wake.
 */
enum err tutor_ask(struct store_tx *tx, struct tutor_question *q) PA_MUST_USE;

/* ERR_NOTFOUND: no reply of that number there. */
enum err tutor_rate(struct store_tx *tx, int64_t account, int64_t thread,
    int64_t number, enum tutor_rating rating) PA_MUST_USE;

/* The handler for jobs of kind JOB_TUTOR.  ctx: the struct standing that
 * intervals come from; NULL, as here: replies tell none. */
extern const struct job_handler tutor_job;

#endif /* PA_TUTOR_H */
