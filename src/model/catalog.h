/*
 * catalog - prompts, questions, ready-made answers and activities as files.
 *
 * Layer    model: base, port/xml.
 * Memory   a catalog owns its pool.
 * Threads  read-only once loaded.
 *
 * Texts are NUL-terminated; a text from a file or an element has LF line ends
 * and none at its end.  Formats: design/formats.md, "Catalog".  What the schema
 * cannot say is checked here: references between files, duplicate ids and
 * texts, blank texts, unknown tags and types with the nearest known name.
 */
#ifndef PA_CATALOG_H
#define PA_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/conf.h"

struct catalog_version {
	int64_t number;
	struct text text;
	char digest[65];
};

struct catalog_prompt {
	struct text id, title, description, author;
	const struct text *tags;
	size_t tags_n;
	const struct catalog_version *versions;
	size_t versions_n;
	bool retired;
};

/* How an answer can be told right without a person: for evaluation only. */
struct catalog_check {
	struct text kind; /* contains, exact, regex (POSIX extended), number */
	struct text value;
	double tolerance; /* of a number */
};

struct catalog_question {
	struct text id, type, lang, text, reference;
	const struct catalog_check *checks;
	size_t checks_n;
	bool retired;
};

struct catalog_answer {
	struct text prompt, question, setup, text;
	int64_t version, sample;
};

/* Who answers in an activity's AI TA, and how it is instructed. */
struct catalog_tutor {
	struct text setup;        /* absent: the activity has none */
	struct text text;         /* an instruction of its own, or absent */
	struct text prompt, best; /* or absent */
	int64_t per_day, context_chars;
};

struct catalog_activity {
	struct text id, title, group, results;
	int64_t opens, closes;                  /* 0: none */
	const struct text *prompts, *questions; /* ids; none: all */
	size_t prompts_n, questions_n;
	bool retired;
	struct catalog_tutor tutor;
};

struct catalog {
	struct pool *pool;
	const struct catalog_prompt *prompts;
	const struct catalog_question *questions;
	const struct catalog_answer *answers;
	const struct catalog_activity *activities;
	size_t prompts_n, questions_n, answers_n, activities_n;
};

/*
 * Read the files that conf names.  All faults become problems; ERR_CONFIG
 * then, and *out is untouched.  Days of activities are campus days: call
 * clock_zone_set(conf->timezone) before.
 */
enum err catalog_load(const struct conf *conf, struct problems *ps,
    struct catalog **out) PA_MUST_USE;
void catalog_close(struct catalog *c);

/* The prompt version digest (design/formats.md) of a text without final
 * newlines; out is NUL-terminated. */
void catalog_digest(struct text text, char out[65]);

/* The lists that the field fixes, as in catalog.xsd. */
extern const char *const catalog_types[]; /* NULL-ended */
extern const char *const catalog_tags[];  /* NULL-ended */

#endif /* PA_CATALOG_H */
