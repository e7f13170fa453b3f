/*
 * verify - proof that ledger, database and ratings tell one story.
 *
 * Layer    model.
 * Memory   borrows its arguments for the call.
 * Threads  the calling thread; reads only, also beside a running service.
 */
#ifndef PA_VERIFY_H
#define PA_VERIFY_H

#include "base/err.h"

enum verify_finding {
	VERIFY_GOOD,    /* what was checked */
	VERIFY_NOTE,    /* what a start of the service completes */
	VERIFY_MISMATCH /* where one is */
};

typedef void verify_say(
    void *ctx, enum verify_finding finding, const char *what);

/*
 * Check, and say of each whether it holds:
 *
 *	database   every page and index, every reference
 *	votes.log  every line: form, digest, number, link to the line before
 *	rows       table ledger and votes.log line by line
 *	votes      each vote, its match, its voter say what its line says
 *	texts      each version has the digest it is known by
 *	ratings    a replay of the votes gives table rating, to the bit
 *
 * What a sudden end leaves is no mismatch but a note: lines that are in the
 * database alone, whose chain is proved there, and a torn last line.
 *
 * ERR_CORRUPT when something does not hold; ERR_NOTFOUND no database;
 * otherwise what kept it from looking.
 */
enum err verify_store(
    const char *database, verify_say *say, void *ctx) PA_MUST_USE;

#endif /* PA_VERIFY_H */
