/*
 * pairing - which two answers a voter sees next.
 *
 * Layer    model.
 * Memory   works in a pool of its own.
 * Threads  the connection's thread.
 *
 * The rules (product.md, 1.2): both sides answered under the same setup;
 * random over the eligible pairs of prompt versions, then over the pair's
 * questions; never the same pair on the same question twice for a voter
 * (whatever became of the match); never an answer whose author this voter
 * was shown (his votes reveal, and so do topics of the forum); never a prompt
 * to its own author; a new version meets only its predecessor until
 * conf.predecessor_first counted matches (its whole share of the draws goes
 * there); an answer pair is shown to about conf.views voters before fresh
 * samples are used; sides by a fair bit of their own.
 */
#ifndef PA_PAIRING_H
#define PA_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/account.h"

struct conf;
struct conf_setup;
struct db;
struct deck;
struct deck_activity;
struct rng;
struct pool;
struct standing_snapshot;
struct pairing_wish;

/* A pair of versions that may be drawn. */
struct pairing_candidate {
	uint32_t setup;     /* deck indices */
	uint32_t x, y;      /* versions, x < y */
	uint32_t questions; /* on how many questions */
	double weight;      /* draws it stands for: 1; more for a new version
			       and its predecessor */
};

/* A way to draw one of n >= 1 candidates. */
struct pairing_policy {
	const char *name; /* as in arena.xml and in match.policy */
	/* weight[i] <- how often candidate i is to be drawn, up to a common
	 * factor; above 0. */
	enum err (*weigh)(const struct pairing_candidate *c, size_t n,
	    const struct deck *deck, const struct pairing_wish *wish,
	    struct pool *pool, double *weight);
};

/* The policy of that name; NULL when there is none. */
const struct pairing_policy *pairing_policy_find(struct text name);

struct pairing_wish {
	struct voter who;
	struct text type;  /* absent: any */
	struct text lang;  /* absent: any of those in reads */
	const bool *reads; /* by index of deck->langs; NULL: all */
	const struct deck_activity *activity;
	struct rng *seeded; /* NULL: the kernel's chance */
	/* What the votes say, for the informative policy; NULL: as if there
	 * were none. */
	const struct standing_snapshot *standing;
	/*
	 * Setups whose endpoint would take a question now: their missing
	 * answers may be drawn too, if answer_want would have them made.
	 * NULL: only pairs that are ready.
	 */
	bool (*makes)(void *ctx, const struct conf_setup *setup);
	void *ctx;
};

struct pairing_choice {
	int64_t question, setup;    /* row ids */
	int64_t answer_a, answer_b; /* a is shown as A; 0: to be made */
	int64_t version_a, version_b;
	const char *policy;
	double probability; /* of this pair of versions */
};

/*
 * Draw for that voter.  ERR_NOTFOUND: nothing is left for this wish.
 * ERR_INVALID: no such type or language among the questions.
 */
enum err pairing_draw(struct db *db, const struct deck *deck,
    const struct conf *conf, const struct pairing_wish *wish,
    struct pairing_choice *out) PA_MUST_USE;

/*
 * The informative policy (rate/value.h): pairs whose next vote would narrow the
 * error of their difference most are drawn more often, a tenth of all draws
 * being uniform.
 */
enum err pairing_values(const struct pairing_candidate *c, size_t n,
    const struct deck *deck, const struct pairing_wish *wish, struct pool *pool,
    double *weight) PA_MUST_USE;

/* Chance from seeded, or from the kernel when it is NULL. */
uint64_t chance_below(struct rng *seeded, uint64_t bound);
double chance_unit(struct rng *seeded);

#endif /* PA_PAIRING_H */
