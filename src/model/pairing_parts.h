/*
 * pairing_parts - one draw, as the files of the pairing share it.
 *
 * Layer    model.
 * Memory   everything in the draw's pool.
 * Threads  one draw.
 */
#ifndef PA_PAIRING_PARTS_H
#define PA_PAIRING_PARTS_H

#include "model/pairing.h"
#include "model/rows.h"

struct seen { /* a pair of versions met on a question, x < y */
	uint32_t x, y, question;
};

struct draw {
	struct db *db;
	const struct deck *deck;
	const struct conf *conf;
	const struct pairing_wish *wish;
	struct pool *pool;
	bool *makes;      /* by setup: missing answers can be made */
	uint64_t *mask;   /* questions of the wish */
	uint64_t *has;    /* as deck->has, what is left for this voter */
	uint64_t *common; /* scratch: questions of one pair */
	bool *pending;    /* by setup and version: meets its predecessor only */
	double *turned;   /* by version: draws that go to the predecessor */
	struct rows seen; /* struct seen, sorted by x, y */
	struct idset revealed; /* answer ids */
	struct rows candidates;
	struct rows barred; /* size_t: deck->cells that get no more answers */
};

/* Fills mask, has, seen and revealed; makes must be known. */
enum err pairing_left(struct draw *d) PA_MUST_USE;

/* No longer that cell, if this voter can get no answer of it. */
void pairing_take_out(struct draw *d, size_t cell);

/*
 * Which of its two versions' answers to that question are shown, and which as
 * A; 0: one that has to be made.
 */
enum err pairing_samples(const struct draw *d,
    const struct pairing_candidate *c, uint32_t question,
    struct pairing_choice *out) PA_MUST_USE;

/* Could another answer of that cell (deck->cells) be made? */
bool pairing_has_room(const struct draw *d, uint32_t setup, size_t cell);

#endif /* PA_PAIRING_PARTS_H */
