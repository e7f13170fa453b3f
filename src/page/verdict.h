/*
 * verdict - the words for a vote: what was chosen, and whether it counts.
 *
 * Layer    page: view, model.
 * Memory   ids are constants.
 * Threads  pure.
 */
#ifndef PA_VERDICT_H
#define PA_VERDICT_H

#include "model/ledger.h"
#include "page/pages.h"

struct view_message verdict_choice(enum vote_choice c);

/* Short, for tables: "Not in the ranking: …". */
struct view_message verdict_standing(bool counted, struct text why);

/* In full, for the receipt of a vote that does not count. */
struct view_message verdict_receipt(struct text why);

#endif /* PA_VERDICT_H */
