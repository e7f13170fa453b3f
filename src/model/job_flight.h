/*
 * job_flight - one question under way, and what is made of its answer.
 *
 * Layer    model: what the runner's files share.
 * Memory   a flight owns its pool; the runner frees both.
 * Threads  the runner's, but for what lands: see job_runner.c.
 */
#ifndef PA_JOB_FLIGHT_H
#define PA_JOB_FLIGHT_H

#include "model/job.h"
#include "model/job_parts.h"
#include "model/llm.h"

/* A job whose request is under way, and then its answer. */
struct flight {
	struct flight *next; /* in flying or unstored */
	struct flight *landed_next;
	struct job_runner *runner;
	const struct job_runner_conf *rc; /* its */
	struct job_row job;
	struct pool *pool;
	const struct conf *conf;
	void *hold; /* on conf */
	const struct llm_endpoint *endpoint;
	double cost_max;
	struct llm_answer answer; /* in pool */
	/* made once by digest, kept until the store takes it */
	bool digested, complained;
	enum job_verdict verdict;
	void *data;
	struct job_end end;
};

/* Once: what the handler makes of the answer, and what that means for the
 * job. */
void flight_digest(struct flight *f, struct db *db);

/* False: the store would not take it now. */
bool flight_store(struct flight *f);

/* It was claimed, but never left. */
void flight_give_back(struct flight *f, int64_t wait_s);

/* A job ends, or goes back, without having been asked. */
void flight_end_unasked(const struct job_runner_conf *rc,
    const struct conf *conf, const struct job_row *job,
    enum job_verdict verdict, const char *error);

#endif /* PA_JOB_FLIGHT_H */
