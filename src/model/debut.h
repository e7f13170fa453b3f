/*
 * debut - when prompt versions became official.
 *
 * Layer    model: base, port/db.
 * Memory   debuts_open allocates; what is found is copied out.
 * Threads  safe from any.
 *
 * A version under a setup becomes official with the counted vote by which it
 * has as many matches, and as many different voters, as the configuration
 * asks.  That moment is the time of that vote in the ledger, so it is the same
 * whoever asks and whenever.  Only new ledger lines are read; after an
 * exclusion, or with another configuration, all of them once more.
 */
#ifndef PA_DEBUT_H
#define PA_DEBUT_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct conf;
struct db;
struct debuts;

enum err debuts_open(struct debuts **out) PA_MUST_USE;
void debuts_close(struct debuts *d);

/*
 * Read what the ledger has got since.  ERR_NOMEM; ERR_CORRUPT for a line that
 * is none; what db_row says.  After an error everything counts as not official
 * until the next call that succeeds, which reads the ledger from its start.
 */
enum err debuts_follow(
    struct debuts *d, struct db *db, const struct conf *conf) PA_MUST_USE;

/* When that version became official there; 0: it is not. */
int64_t debut_at(struct debuts *d, struct text setup, struct text version);

#endif /* PA_DEBUT_H */
