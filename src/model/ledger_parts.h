/*
 * ledger_parts - what the store and its checks share about votes.log.
 *
 * Layer    model; included by ledger*.c, store*.c, verify.c and their tests.
 * Memory   ledger_open and ledger_scan_open allocate.
 * Threads  one thread at a time.
 */
#ifndef PA_LEDGER_PARTS_H
#define PA_LEDGER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "model/ledger.h"
#include "port/crypt.h"

#define LEDGER_LINE_MAX 8192
/* prev of line 1. */
#define LEDGER_NO_PREV                                                         \
	"0000000000000000000000000000000000000000000000000000000000000000"

/* An end of the chain. */
struct ledger_tail {
	int64_t n; /* 0: nothing */
	char hash[CRYPT_HEX + 1];
};

/* The line up to, without, `,"h"`: what h digests. */
void ledger_format_head(struct buf *out, const struct ledger_entry *e);

/* Set e->hash, held in room, from everything else in e. */
enum err ledger_seal(
    struct ledger_entry *e, char room[CRYPT_HEX + 1]) PA_MUST_USE;

/* Insert e into table ledger as it is. */
enum err ledger_put(struct db *db, const struct ledger_entry *e) PA_MUST_USE;

/* ------------------------------------------------- the file, being written */

struct ledger;

/* The file at path, whose last good line is tail and ends at byte size. */
enum err ledger_open(struct ledger **out, const char *path,
    const struct ledger_tail *tail, int64_t size) PA_MUST_USE;
void ledger_close(struct ledger *l);

/* Where a closure, or a batch, began; and back to there. */
struct ledger_mark {
	struct ledger_tail tail;
	size_t pending;
};
void ledger_mark(const struct ledger *l, struct ledger_mark *out);
void ledger_rewind(struct ledger *l, const struct ledger_mark *m);

/* Add e's line, sequence and hash as they are (start-up repair). */
enum err ledger_queue(
    struct ledger *l, const struct ledger_entry *e) PA_MUST_USE;

/* Bytes of lines that wait for ledger_append. */
size_t ledger_pending(const struct ledger *l);

/*
 * Write what waits and make it durable.  On failure everything still waits,
 * ledger_stage refuses new lines, and calling this again is the cure.
 */
enum err ledger_append(struct ledger *l) PA_MUST_USE;

bool ledger_is_broken(const struct ledger *l);

/* The last line that is on the disk. */
int64_t ledger_durable(const struct ledger *l);

/* ---------------------------------------------------- the file, being read */

struct ledger_scan {
	int fd;
	char *room;
	size_t from, to; /* unread bytes in room */
	int64_t offset;  /* in the file, of room[from] */
	bool end;
};

/* ERR_NOTFOUND: no file.  Starts at the first line that begins at or after
 * byte `from`. */
enum err ledger_scan_open(
    struct ledger_scan *s, const char *path, int64_t from) PA_MUST_USE;
void ledger_scan_close(struct ledger_scan *s);

/*
 * Next line, without newline, borrowed until the next call.  ERR_NOTFOUND:
 * the end; ERR_CLOSED: the end, after a piece without newline, which *line
 * is; ERR_TOOBIG: no newline within LEDGER_LINE_MAX; ERR_IO.
 */
enum err ledger_scan_next(
    struct ledger_scan *s, struct str *line, int64_t *offset) PA_MUST_USE;

/*
 * What chains a line: its number, prev and h, with h proved, without reading
 * the rest.  ERR_SYNTAX, ERR_CORRUPT.
 */
struct ledger_link {
	int64_t n;
	struct str prev, hash;
};
enum err ledger_link_of(struct str line, struct ledger_link *out) PA_MUST_USE;

/* Could a torn write of line n have left this? */
bool ledger_is_torn(struct str piece, int64_t n);

#endif /* PA_LEDGER_PARTS_H */
