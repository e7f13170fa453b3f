/*
 * verify_parts - what the files of verify share; nobody else includes it.
 *
 * Layer    model.
 * Memory   struct proof is verify_store's.
 * Threads  the calling thread.
 */
#ifndef PA_VERIFY_PARTS_H
#define PA_VERIFY_PARTS_H

#include "model/store_parts.h"
#include "model/verify.h"

struct proof {
	struct db *db;
	const char *database;
	const char *path; /* votes.log */
	verify_say *say;
	void *ctx;
	struct pool *pool;
	int64_t last; /* of table ledger, in this snapshot */
	bool running; /* a service holds the lock */
	bool failed;  /* something did not hold */
	struct ledger_tail tail;
	int64_t size; /* bytes of whole lines read */
	enum {
		END_WHOLE,
		END_TORN,
		END_ALIEN
	} end; /* what follows them */
};

void verify_tell(struct proof *p, enum verify_finding finding, const char *fmt,
    ...) PA_PRINTF(3, 4);

/* Nothing stands in the database that works there without being ours. */
enum err verify_schema(struct proof *p) PA_MUST_USE;

/*
 * What the database keeps beside the ledger is what the ledger says: votes,
 * their matches and voters, the arena's name, and the texts behind digests.
 */
enum err verify_rows(struct proof *p) PA_MUST_USE;

#endif /* PA_VERIFY_PARTS_H */
