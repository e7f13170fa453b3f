/*
 * vote - one voter's verdict on one match, for ever.
 *
 * Layer    model.
 * Memory   borrows its arguments; results are plain values.
 * Threads  inside store_write.
 */
#ifndef PA_VOTE_H
#define PA_VOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/ledger.h"

struct conf;
struct store_tx;

/* Why a vote is not counted. */
enum vote_why {
	VOTE_COUNTED,
	VOTE_CALIBRATION,
	VOTE_WITHDRAWN_PROMPT,
	VOTE_IDENTITY_ASKED,
	VOTE_IDENTITY_LEAK,
	VOTE_RECOGNISED,
	VOTE_TOO_FAST,
	VOTE_DUPLICATE,
	VOTE_LIMIT,
	VOTE_WHY__MAX
};

/* "", "calibration", "withdrawn_prompt", … : what receipts and files say. */
const char *vote_why_name(enum vote_why w);
enum err vote_why_parse(struct str s, enum vote_why *out) PA_MUST_USE;

/* Reasons a voter may tick; bit i of vote_ballot.reasons is entry i. */
extern const char *const vote_reasons[]; /* NULL-ended */
enum err vote_reason_parse(struct str s, uint32_t *bits) PA_MUST_USE;

struct vote_ballot {
	struct str token;
	int64_t voter;
	enum vote_choice choice;
	uint32_t reasons; /* bits */
	bool recognised;
};

struct vote_receipt {
	int64_t n; /* vote number in the ledger */
	enum vote_choice choice;
	enum vote_why why;
	int64_t cast_at;
	double before_a, after_a, before_b, after_b; /* NaN: not counted */
};

/*
 * Store a vote: its row, its ledger line, its rating change.
 * ERR_NOTFOUND  no such match, or not this voter's: out untouched
 * ERR_CONFLICT  it has its vote already: out is that first vote
 * ERR_CLOSED    expired, its activity has closed, skipped, void, or an answer
 * is missing
 */
enum err vote_cast(struct store_tx *tx, const struct conf *conf,
    const struct vote_ballot *ballot, struct vote_receipt *out) PA_MUST_USE;

/* The same as a closure for store_write. */
struct vote_cast_args {
	const struct conf *conf;
	struct vote_ballot ballot;
	struct vote_receipt receipt; /* out */
};
enum err vote_cast_fn(struct store_tx *tx, void *args);

/* Stored votes by reason; n[VOTE_COUNTED] are those that count. */
enum err vote_count(struct db *db, int64_t n[VOTE_WHY__MAX]) PA_MUST_USE;

#endif /* PA_VOTE_H */
