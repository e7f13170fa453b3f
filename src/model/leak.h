/*
 * leak - does an answer say who wrote it?
 *
 * Layer    model: base, port/crypt.
 * Memory   a list owns a pool; a report's words live in the given pool.
 * Threads  a list never changes and may be shared; scanning is pure.
 *
 * The rules L1 to L8 of blind tests on one finished text.  The same text,
 * question, instruction and list give the same report, so stored answers can
 * be judged again whenever the lists change (`prompt-arena rescan`).  Time
 * grows with the length alone: words are hashed once, phrases and names are
 * looked up by their first word, common runs are found by an automaton.
 */
#ifndef PA_LEAK_H
#define PA_LEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

/* Rises when the same text would be judged otherwise. */
#define LEAK_VERSION 6

enum leak_kind {
	LEAK_MODEL,  /* means a model and nothing else: ChatGPT */
	LEAK_PROPER, /* one with a capital, else a word: Magistral, OLMo */
	LEAK_VENDOR, /* a company of many trades: Google */
	LEAK_COMMON, /* also an ordinary word or a given name: Claude, palm */
	LEAK_WORD,   /* a word or a firm first of all: Titan, Apple */
	LEAK_PROMPT, /* title or id of a prompt */
	LEAK_AUTHOR, /* who wrote one */
	LEAK_HOST,   /* where an endpoint stands */
	LEAK_SPELT,  /* one as it is spelt, else a field of study: xAI */
	LEAK__MAX
};

struct leak_name {
	struct text name;
	enum leak_kind kind;
};

struct leak_list;

/* The names that ship and these; more than one kind may have a name. */
enum err leak_list_open(struct leak_list **out, const struct leak_name *names,
    size_t n) PA_MUST_USE;
void leak_list_close(struct leak_list *l);

/* "6-" and 16 hex digits of the names and turns of speech in the list. */
const char *leak_list_version(const struct leak_list *l);

/* One answer and what its reader and its model were shown. */
struct leak_case {
	struct text answer;
	struct text question;
	struct text instruction; /* hidden from the reader; or absent */
	struct text canary;      /* letters hidden in it; or absent */
	bool hidden;             /* characters without ink were taken out */
};

enum leak_finding {
	LEAK_SELF = 1 << 0,    /* block: "I am NAME" */
	LEAK_QUOTE = 1 << 1,   /* block: a long run of the instruction */
	LEAK_CANARY = 1 << 2,  /* block */
	LEAK_TAG = 1 << 3,     /* block: a thinking or chat tag is left */
	LEAK_ERROR = 1 << 4,   /* block: an error or a bare excuse */
	LEAK_TOLD = 1 << 5,    /* block: begins with "as instructed" */
	LEAK_MENTION = 1 << 6, /* flag: a name that the question lacks */
	LEAK_OVERLAP = 1 << 7, /* flag: a shorter run of the instruction */
	LEAK_META = 1 << 8,    /* flag: speaks of its instructions */
	LEAK_SOLICIT = 1 << 9, /* flag: asks for the vote, or commands */
	LEAK_BEACON = 1 << 10  /* flag: pictures, links, rare signs */
};
#define LEAK_BLOCKS                                                            \
	(LEAK_SELF | LEAK_QUOTE | LEAK_CANARY | LEAK_TAG | LEAK_ERROR |        \
	    LEAK_TOLD)
/* Of these, what an answer is asked for by a question that asks for it. */
#define LEAK_ASKED (LEAK_SELF | LEAK_QUOTE | LEAK_CANARY | LEAK_TOLD)

struct leak_report {
	unsigned found; /* enum leak_finding */
	/* As stored in answer.flags: "block:self mention:chatgpt meta". */
	struct text flags;
};

/* ERR_NOMEM over 1 MB of text or when the pool is full. */
enum err leak_scan(const struct leak_list *l, struct pool *pool,
    const struct leak_case *c, struct leak_report *out) PA_MUST_USE;

/* L8: does a question ask who answers, or for the instructions? */
bool leak_asks_identity(const struct leak_list *l, struct text question);

/*
 * Do the stored flags of the two answers of a match take its vote out of the
 * ranking?  A name that both mention tells neither from the other.
 */
bool leak_spoils(struct str flags_a, struct str flags_b);

/*
 * The flags of an answer that stays in play although it blocks: "block:self"
 * becomes "catalog:self" or "asked:self", whatever `as` says.
 */
struct text leak_unblock(struct pool *pool, struct text flags, const char *as);

/*
 * The report on an answer whose question asks who answers: who asks for it
 * gets it, and that match is practice.  If no more than LEAK_ASKED blocks,
 * nothing does.
 */
void leak_excuse_asked(struct pool *pool, struct leak_report *r);

/* The eight letters for a version digest; 9 bytes. */
void leak_canary(struct str version_digest, char out[9]);

#endif /* PA_LEAK_H */
