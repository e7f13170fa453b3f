/*
 * ballots - as many ledger lines as one likes, of known strengths.
 *
 * Layer    tests and benches.
 * Memory   the caller's struct.
 * Threads  ballots_fn runs on the writer.
 *
 * Version k of `versions` has strength 3 k / versions log-odds; a tenth of
 * the votes are ties, one in seventeen is not counted.
 */
#ifndef PA_TEST_BALLOTS_H
#define PA_TEST_BALLOTS_H

#include <stdio.h>

#include "model/recount.h"
#include "model/store.h"
#include "rate/num.h"
#include "rate/prng.h"

struct ballots {
	uint64_t n; /* to stage in this closure */
	uint32_t versions, voters, questions;
	const char *activity; /* NULL: "everyone" */
	uint32_t islands;     /* 0 or 1: everybody meets everybody */
	bool ties;            /* nothing but ties */
	int64_t at, step;     /* time of the first, and between two */
	bool rate;            /* table rating too, as a vote does */
	uint64_t seed;
	struct prng g;
	bool begun;
	int64_t last; /* out: sequence */
};

static const struct elo_rule ballots_rule = ELO_RULE_DEFAULT;

/* A digest that sorts as its number. */
__attribute__((unused)) static void
ballots_digest(uint32_t k, char out[65])
{
	(void)snprintf(out, 65, "%08x%056x", k, k);
}

__attribute__((unused)) static void
ballots_choose(
    struct ballots *b, uint32_t x, uint32_t y, struct ledger_entry *e)
{
	double d = 3.0 * ((double)x - (double)y) / b->versions;
	double u = prng_unit(&b->g);

	if (b->ties || u < 0.1)
		e->choice = u < 0.03 ? VOTE_BOTH_POOR : VOTE_TIE;
	else
		e->choice = prng_unit(&b->g) < num_sigmoid(d) ? VOTE_A : VOTE_B;
}

__attribute__((unused)) static enum err
ballots_fn(struct store_tx *tx, void *arg)
{
	static const char *const types[] = { "knowledge", "coding", "writing",
		"reasoning", "creative" };
	struct ballots *b = arg;
	enum err err = ERR_OK;

	if (!b->begun)
		prng_init(&b->g, b->seed, 0);
	b->begun = true;
	for (uint64_t i = 0; i < b->n && err == ERR_OK; i++) {
		uint32_t x = (uint32_t)prng_below(&b->g, b->versions), y;
		uint32_t q = (uint32_t)prng_below(&b->g, b->questions);
		char va[65], vb[65], u[65], m[40], question[16];
		struct ledger_entry e = { .t = b->at != 0 ? b->at : tx->now,
			.kind = LEDGER_VOTE,
			.type = str_of(types[q % 5]),
			.sa = 1,
			.sb = 1,
			.setup = STR("setup-digest"),
			.activity = str_of(
			    b->activity != NULL ? b->activity : "everyone"),
			.counted = prng_below(&b->g, 17) != 0 };

		do
			y = (uint32_t)prng_below(&b->g, b->versions);
		while (y == x ||
		       (b->islands > 1 && y % b->islands != x % b->islands));
		ballots_choose(b, x, y, &e);
		ballots_digest(x, va);
		ballots_digest(y, vb);
		(void)snprintf(question, sizeof(question), "q%u", q);
		(void)snprintf(u, sizeof(u), "%064x",
		    1 + (unsigned)prng_below(&b->g, b->voters));
		(void)snprintf(m, sizeof(m), "m%016llx",
		    (unsigned long long)prng_next(&b->g));
		e.va = str_of(va);
		e.vb = str_of(vb);
		e.voter = str_of(u);
		e.match = str_of(m);
		e.question = str_of(question);
		e.why = e.counted ? STR("") : STR("too_fast");
		err = ledger_stage(tx, &e);
		if (err == ERR_OK && b->rate)
			err = recount_apply(tx, &e, &ballots_rule, NULL);
		b->last = e.n;
		if (b->at != 0)
			b->at += b->step;
	}
	return err;
}

#endif /* PA_TEST_BALLOTS_H */
