/*
 * match - two answers to one question, shown blind to one voter.
 *
 * Layer    model.
 * Memory   rows live in the given pool.
 * Threads  reading: the connection's thread; writing: inside store_write.
 *
 * The blind view has no field that could tell the sides apart; names come
 * only with match_result_load, after the viewer's own durable vote.
 */
#ifndef PA_MATCH_H
#define PA_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/str.h"
#include "model/account.h"
#include "model/ledger.h"
#include "port/markdown.h"

struct conf;
struct conf_setup;
struct db;
struct deck;
struct standing_snapshot;
struct store_tx;

enum match_state {
	MATCH_OPEN,
	MATCH_VOTED,
	MATCH_SKIPPED,
	MATCH_EXPIRED,
	MATCH_VOID,
	MATCH__MAX
};

/* What POST /arena asks for. */
struct match_request {
	struct voter who;     /* with an account */
	struct text type;     /* absent or "any": any */
	struct text lang;     /* absent: any of those in reads */
	const bool *reads;    /* by index of deck->langs; NULL: all */
	struct text activity; /* slug; absent: the first open to the voter */
	struct rng *seeded;   /* NULL but in simulations */
	/* For informative pairing; NULL: as if there were no votes. */
	const struct standing_snapshot *standing;

	/* A question of the voter's own, rendered; absent: the catalog's. */
	struct text question;
	struct markup question_html;
	bool question_asks; /* who answers it: matches on it are practice */
	/*
	 * When no pair is ready, one is written: under setups for which this
	 * says yes (see pairing.h).  NULL: only ready pairs.
	 */
	bool (*makes)(void *ctx, const struct conf_setup *setup);
	void *ctx;
};

struct match_opened {
	char token[RNG_TOKEN_LEN + 1];
	bool was_open; /* the one the voter had already */
	bool waits;    /* answers were asked for: wake the runner of jobs */
	bool away;     /* ERR_NOTFOUND: who would write a new pair cannot now */
};

/*
 * The voter's open match, or a new one.  A match past its end is closed on
 * the way.
 * ERR_NOTFOUND  every pair of that wish was seen, or (out->away) the rest
 *               cannot be written now
 * ERR_INVALID   no such type, language or activity
 * ERR_DENIED    the activity is not for this voter
 * ERR_CLOSED    the activity is not open now (or none is)
 * ERR_LIMIT     no pair is ready, and none may be written now: the queue is
 *               full, or the voter has had enough today
 */
enum err match_open(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq,
    struct match_opened *out) PA_MUST_USE;

/*
 * A ready pair instead of one that is still being written; that one is
 * parked, and can be played once it is ready.  ERR_NOTFOUND: no pair is
 * ready (nothing has changed then); ERR_CONFLICT: nothing to wait for.
 */
enum err match_instead(struct store_tx *tx, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq, struct str token,
    struct match_opened *out) PA_MUST_USE;

/* Would match_instead find one? */
bool match_has_ready(struct db *db, const struct deck *deck,
    const struct conf *conf, const struct match_request *rq, int64_t now);

struct match_blind {
	struct text token;
	struct text type, lang;    /* of the question */
	struct text question_text; /* its source */
	struct markup question;
	struct markup a, b; /* absent until both are complete */
	bool complete;      /* both answers are there */
	bool failed;        /* one never will be: no vote possible */
	bool again;    /* waiting: an attempt has failed, another follows */
	int64_t ahead; /* waiting: answers that are written first */
	bool shown;    /* match_mark_shown is done */
	enum match_state state; /* an open one past its end: EXPIRED */
	int64_t ends_at;        /* see MATCH_ENDS_M in activity.h */
	bool closed;            /* it ended with its activity */
};

/* ERR_NOTFOUND: no such match, or not this voter's. */
enum err match_blind_load(struct db *db, struct pool *pool, struct str token,
    int64_t voter, int64_t now, struct match_blind *out) PA_MUST_USE;

/* The token of the voter's open match, for "go on with it".  ERR_NOTFOUND. */
enum err match_current(struct db *db, struct pool *pool, int64_t voter,
    int64_t now, struct text *token) PA_MUST_USE;

/*
 * Both answers are about to be sent for the first time: reading time starts.
 * Done by match_open when both were ready; only a match that had to wait
 * needs it.  Harmless when repeated.
 */
enum err match_mark_shown(
    struct store_tx *tx, struct str token, int64_t voter) PA_MUST_USE;

/* The codes a form may send. */
extern const char *const match_skip_reasons[]; /* NULL-ended */

/*
 * Leave a match without a vote; reason is one of match_skip_reasons or
 * absent.  Harmless when it is skipped already.  ERR_NOTFOUND as above;
 * ERR_CONFLICT when it has a vote; ERR_CLOSED when expired or void;
 * ERR_INVALID for another reason.
 */
enum err match_skip(struct store_tx *tx, struct str token, int64_t voter,
    struct text reason) PA_MUST_USE;

struct match_tag {
	struct text tag;
};

struct match_side { /* all absent in a calibration match */
	struct text slug, title;
	int64_t version;
	struct text digest;
	const struct match_tag *tags;
	size_t tags_n;
	struct text prompt_text;
	double before, after; /* Elo over all; NaN when not counted */
	struct markup answer; /* always there */
};

struct match_result {
	struct text token, type, lang, question_text, activity;
	struct markup question;
	struct text model, setup; /* setup: digest; absent in calibration */
	struct match_side a, b;   /* the sides as they were shown */
	int64_t n;                /* vote number in the ledger */
	int64_t cast_at;
	enum vote_choice choice;
	bool counted;
	struct text why; /* reason code; absent when counted */
	bool recognised, calibration;
	/* How others voted on these two versions' answers to this question
	 * (counted votes; sides as here). */
	bool tally; /* false: not shown yet */
	int64_t others, others_a, others_b, others_tie, others_both_poor;
};

/*
 * The reveal.  ERR_NOTFOUND: no such match, or not this voter's; ERR_DENIED:
 * no vote on it; ERR_BUSY: the vote lies beyond durable_seq
 * (store_durable_seq), ask again soon.
 */
enum err match_result_load(struct db *db, struct pool *pool,
    const struct conf *conf, int64_t durable_seq, struct str token,
    int64_t voter, int64_t now, struct match_result *out) PA_MUST_USE;

/* One line of /votes. */
struct match_receipt {
	struct text token, type;
	struct text question_text, lang; /* in plain words; what they are in */
	int64_t n, cast_at;
	enum vote_choice choice;
	bool counted, calibration;
	struct text why;                              /* absent when counted */
	struct text a_slug, a_title, b_slug, b_title; /* absent: calibration */
	int64_t a_version, b_version;
	double a_before, a_after, b_before, b_after; /* NaN: not counted */
};

struct match_receipts {
	const struct match_receipt *rows; /* newest first */
	size_t n;
	int64_t older; /* `before` of the next page; 0: this was the last */
	int64_t total, total_counted;
};

/* The voter's own votes with n < before (0: from the newest), at most limit. */
enum err match_receipts_load(struct db *db, struct pool *pool, int64_t voter,
    int64_t durable_seq, int64_t before, int64_t limit,
    struct match_receipts *out) PA_MUST_USE;

/* Those of them in which that prompt took part, newest first. */
enum err match_receipts_of_prompt(struct db *db, struct pool *pool,
    int64_t voter, int64_t durable_seq, struct text slug, int64_t limit,
    const struct match_receipt **rows, size_t *n) PA_MUST_USE;

#endif /* PA_MATCH_H */
