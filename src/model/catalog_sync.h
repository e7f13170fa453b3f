/*
 * catalog_sync - the files' catalog written into the tables.
 *
 * Layer    model.
 * Memory   keeps nothing.
 * Threads  inside store_write.
 *
 * - What did not change is not rewritten, so a start with an unchanged
 *   catalog only reads.
 * - What vanished from the files is retired, never deleted.
 * - A version is its text: a text that is new to its prompt becomes version
 *   n+1.  A text edited in place leaves the old version in play; a version
 *   taken out of the file without a new one in its stead is retired.
 * - An answer that was shown in a match never changes: an edited one becomes
 *   a new sample, and the old one is retired.
 * - Answers name versions by the number that the site shows.
 * - Rendered Markdown is made again when MARKDOWN_VERSION has risen.
 * - Without any activity in the files, one for everyone, always, is made
 *   (slug "open", titled as the site).
 */
#ifndef PA_CATALOG_SYNC_H
#define PA_CATALOG_SYNC_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct catalog;
struct conf;
struct conf_setup;
struct store_tx;

/* ERR_CONFIG (logged) when the files contradict what is stored. */
enum err catalog_sync(struct store_tx *tx, const struct catalog *catalog,
    const struct conf *conf) PA_MUST_USE;

/* The same as a closure for store_write. */
struct catalog_sync_args {
	const struct catalog *catalog;
	const struct conf *conf;
	int64_t changed; /* out: rows written; 0 when all was known */
};
enum err catalog_sync_fn(struct store_tx *tx, void *args);

/* formats.md, "Setup digest": 64 hex digits. */
void setup_digest(const struct conf_setup *setup, char out[65]);

#endif /* PA_CATALOG_SYNC_H */
