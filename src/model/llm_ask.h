/*
 * llm_ask - one question on its way, and one endpoint as it is known.
 *
 * Layer    model: seen by llm.c and llm_place.c alone.
 * Memory   an ask lives in its own pool, with copies of all it was given.
 * Threads  places under llm's lock; an ask belongs to the HTTP thread once
 *          it runs.
 */
#ifndef PA_LLM_ASK_H
#define PA_LLM_ASK_H

#include "model/llm_parts.h"

/* What llm knows about one endpoint. */
struct llm_place {
	struct llm_place *next;
	char id[64];
	struct llm_breaker breaker;
	struct llm_bucket bucket;
	int64_t cool_until; /* mono ms; 0: not cooling */
	int64_t throttled;  /* 429s in a row */
	int64_t running, waiting;
	bool told;                   /* the administrator, that it is broken */
	struct llm_learnt learnt[8]; /* by model, oldest forgotten */
	char learnt_model[8][128];
	size_t learnt_n;
	struct llm_state state; /* counters and the last error */
};

struct llm_ask {
	struct llm_ask *next;
	struct pool *pool;
	struct llm *owner;
	struct llm_place *place;
	struct llm_endpoint ep;
	struct llm_question q;
	struct text url, shown_url;
	llm_done *done;
	void *arg;
	bool running;
	int64_t since, ready_at; /* mono ms: waiting since, not before */
	int64_t tries;           /* attempts, sent or not */
	int64_t tokens, again_once;
	struct llm_learnt learnt; /* as of this attempt */
	struct llm_reply reply;
	bool reply_open;
	struct pool *answer_pool;
	struct llm_answer answer;
};

/* Copies of everything; NULL when out of memory. */
struct llm_ask *llm_ask_open(const struct llm_endpoint *ep,
    const struct llm_question *q, struct str url);
void llm_ask_close(struct llm_ask *a);

/* When the endpoint could take a request; 0: now.  INT64_MAX: after others.
 * suspect: a question that failed before (llm_question). */
int64_t llm_place_wait(const struct llm_place *p, int64_t now, bool suspect);

struct llm_learnt *llm_place_learnt(struct llm_place *p, struct text model);

/* Count what came of an attempt of ask; true when the endpoint is left alone
 * now. */
bool llm_place_outcome(struct llm_place *p, const struct llm_timing *t,
    const struct llm_ask *ask, const struct llm_verdict *v, int64_t now,
    int64_t retry_after);

enum llm_health llm_place_health(const struct llm_place *p, int64_t now);

#endif /* PA_LLM_ASK_H */
