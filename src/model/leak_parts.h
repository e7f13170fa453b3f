/*
 * leak_parts - what the files of leak share; nobody else includes it.
 *
 * Layer    model; also its tests.
 * Memory   in the given pool.
 * Threads  pure.
 */
#ifndef PA_LEAK_PARTS_H
#define PA_LEAK_PARTS_H

#include "model/leak.h"

/* A word as it reads: folded, without marks, look-alikes made Latin. */
struct leak_word {
	uint64_t hash;
	uint64_t stem;    /* what is before its first digit; 0: nothing */
	uint32_t at, end; /* bytes of the source */
	uint8_t letters;  /* characters, at most 255 */
	bool upper;       /* begins with a capital */
	bool caseless;    /* of a script that has none */
	bool number;      /* begins with a digit */
	bool cjk;         /* one character of a script without blanks */
	bool line;        /* first of its line */
	bool sentence;    /* a sentence ended before it */
	bool comma;       /* something other than blanks stands before it */
};

struct leak_words {
	struct leak_word *w;
	size_t n;
	size_t chars;  /* characters of the source */
	size_t signs;  /* emoji and other rare signs */
	size_t hidden; /* characters without ink */
};

enum err leak_words_read(
    struct pool *pool, struct text t, struct leak_words *out) PA_MUST_USE;

/* ---- phrases ---- */

enum leak_phrase {
	PHRASE_SELF,  /* I am … */
	PHRASE_ABOUT, /* I am … against, so that the name is another's */
	PHRASE_OPEN,  /* at the head of a sentence: Hier antwortet … */
	PHRASE_NEAR,  /* this is …, as …: the name must follow at once */
	PHRASE_APART, /* I, NAME, … */
	PHRASE_KIND,  /* like all NAME models, I … */
	PHRASE_MADE,  /* developed by … */
	PHRASE_BY,    /* 由 NAME, and PHRASE_DONE behind it */
	/* what a name is followed by */
	PHRASE_TELLS,   /* … trained me, … wrote this answer */
	PHRASE_CREATED, /* … made me: of what can be nothing but a model */
	PHRASE_HERE,    /* NAME here */
	PHRASE_SERVES,  /* NAME at your service */
	PHRASE_WROTE,   /* NAME wrote my instructions */
	PHRASE_DONE,    /* … 开发 */
	PHRASE_PRODUCT, /* NAME model, NAME assistant */
	PHRASE_CONTEXT, /* speaks of language models */
	PHRASE_SPEAKER, /* first person */
	PHRASE_ELSE,    /* speaks of disks, livers, the universe */
	PHRASE_WRITER,  /* speaks of prompts and who writes them */
	/* what a question that says it, too, may be answered with */
	PHRASE_META,     /* as per my instructions */
	PHRASE_ORDER,    /* as instructed: a patient may have been, too */
	PHRASE_OTHERS,   /* … by the doctor, of the WHO */
	PHRASE_REPLY,    /* … to be brief: the order was about this answer */
	PHRASE_SOLICIT,  /* vote for this */
	PHRASE_EXCUSE,   /* as an AI language model I cannot */
	PHRASE_FAILURE,  /* our own and others' error strings */
	PHRASE_NOISE,    /* what alone stands before those */
	PHRASE_ENDS,     /* and what may follow them: please try again */
	PHRASE_IDENTITY, /* which model are you */
	PHRASE__MAX      /* at most 32: bits of a word */
};

struct leak_step { /* one of these words, or up to `gap` others before */
	const uint64_t *any;
	uint8_t any_n;
	uint8_t gap;
};

struct leak_pattern {
	enum leak_phrase phrase;
	const struct leak_step *steps;
	size_t steps_n;
	uint32_t next; /* with the same first word; UINT32_MAX: the last */
};

struct leak_entry { /* a name, as words */
	struct text slug;
	enum leak_kind kind;
	bool digits; /* a number behind it shows that it is meant */
	const uint64_t *words;
	size_t words_n;
	uint32_t next;
};

struct leak_table { /* word → first entry or pattern */
	uint64_t *key;
	uint32_t *first;
	size_t mask;
};

struct leak_list {
	struct pool *pool;
	struct leak_entry *names;
	size_t names_n, names_room;
	struct leak_table by_name;
	struct leak_pattern *patterns;
	size_t patterns_n, patterns_room;
	struct leak_table by_phrase;
	char version[32];
};

enum err leak_table_init(
    struct leak_table *t, struct pool *pool, size_t entries) PA_MUST_USE;
/* Where the chain of that word begins; added when it is new. */
uint32_t *leak_table_slot(struct leak_table *t, uint64_t word);
uint32_t leak_table_first(const struct leak_table *t, uint64_t word);

/* The patterns and names that ship; say is written as leak_turns.c tells. */
extern const struct leak_turn {
	enum leak_phrase phrase;
	const char *say;
	int line; /* of leak_turns.c */
} leak_turns[];
extern const size_t leak_turns_n;

/*
 * Makes a list of these turns and these names, besides the names that ship.
 * ERR_CONFIG when a turn does not say what it seems to: its line is logged,
 * and what to write instead.
 */
enum err leak_list_make(struct leak_list **out, const struct leak_turn *turns,
    size_t turns_n, const struct leak_name *own, size_t n) PA_MUST_USE;
enum err leak_phrases_add(
    struct leak_list *l, const struct leak_turn *turns, size_t n) PA_MUST_USE;
#define LEAK_STEPS_MAX 24 /* words and sets of a turn */
#define LEAK_ANY_MAX 24   /* words of a set */
extern const struct leak_shipped {
	const char *name;
	enum leak_kind kind;
	bool digits;
} leak_shipped[];

/* Calls found for every phrase that begins at word i; last is its last. */
typedef void leak_found(void *arg, enum leak_phrase p, size_t last);
void leak_phrases_at(const struct leak_list *l, const struct leak_words *w,
    size_t i, leak_found *found, void *arg);

/* The longest name that begins at word i; NULL: none.  *n words. */
const struct leak_entry *leak_name_at(
    const struct leak_list *l, const struct leak_words *w, size_t i, size_t *n);

/* ---- runs ---- */

struct leak_run {
	size_t words; /* CJK characters count half */
	size_t bytes;
};

/*
 * The longest run of words that answer and instruction share and the
 * question lacks.
 */
enum err leak_run_find(struct pool *pool, const struct leak_words *answer,
    const struct leak_words *instruction, const struct leak_words *question,
    struct leak_run *out) PA_MUST_USE;

/* ---- one answer ---- */

#define LEAK_MENTIONS 8

struct leak_reading { /* one answer, while it is judged */
	const struct leak_list *l;
	const struct leak_case *c;
	struct pool *pool;
	struct leak_words a, q, hidden;
	size_t *context, *speaker, *writer; /* last such word up to here */
	size_t *reply, *other;
	uint32_t *begins; /* phrases that begin at a word */
	uint32_t asked;   /* phrases that the question holds */
	size_t at;        /* word looked at */
	/* what stands armed: the word after a trigger, and where it ends */
	size_t self, open, near, apart, kind, made, by;
	size_t near_from, made_from; /* its first word */
	unsigned found;
	bool excuse;
	bool in_code; /* the word stands between fences */
	bool alone;   /* a name is the answer's label or signature */
	const struct leak_entry *mentions[LEAK_MENTIONS];
	size_t mentions_n;
};

/* Does the name e, n words from i on, name the writer of the answer? */
bool leak_names_itself(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n);
/* Is it the answer's label or signature, unless it stands in a list? */
bool leak_stands_alone(
    const struct leak_reading *s, enum leak_kind kind, size_t i, size_t n);
/* Is an order that ends at word last one about the answer? */
bool leak_is_told(const struct leak_reading *s, size_t last);
/* Does that error string make up the answer, rather than be explained? */
bool leak_is_failure(const struct leak_reading *s, size_t last);
/* L2: is it at least the name of a model or of a prompt? */
bool leak_mentions(const struct leak_reading *s, const struct leak_entry *e,
    size_t i, size_t n);
/* Is that word this one, in ASCII? */
bool leak_reads(const struct leak_reading *s, size_t i, const char *word);

/* Of LEAK_TAG, LEAK_SOLICIT and LEAK_BEACON. */
unsigned leak_bytes_find(struct str answer, struct str question);

#endif /* PA_LEAK_PARTS_H */
