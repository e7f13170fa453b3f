/*
 * tally_voter - one voter's rows in a tally.
 *
 * Layer    rate (private to tally).
 * Memory   malloc; tally_release frees all.
 * Threads  as the tally.
 */
#ifndef PA_TALLY_VOTER_H
#define PA_TALLY_VOTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct tally;
struct tally_voter;

/* The voter exists and has room for one row more, or nothing was changed. */
enum err tally_voter_room(struct tally *t, uint32_t voter) PA_MUST_USE;

/*
 * Add a row of weights w to a voter who has room.  counts: they are numbers
 * of votes of weight 1.  ERR_NOMEM leaves all as it was.
 */
enum err tally_voter_add(struct tally *t, uint32_t voter, uint32_t cell,
    const double w[3], bool counts) PA_MUST_USE;

/* Take a vote out again; ERR_NOTFOUND: the voter has none such. */
enum err tally_voter_remove(struct tally *t, uint32_t voter, uint32_t cell,
    int column, double weight) PA_MUST_USE;

void tally_voter_release(struct tally_voter *v);

#endif /* PA_TALLY_VOTER_H */
