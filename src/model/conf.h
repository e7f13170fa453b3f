/*
 * conf - arena.xml as a struct.
 *
 * Layer    model: base, port/xml.
 * Memory   everything lives in conf's own pool; conf_close frees it.
 * Threads  read-only once loaded; replaced whole at reload.
 */
#ifndef PA_CONF_H
#define PA_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "port/xml.h"

enum conf_role {
	ROLE_ANYONE, /* no sign-in needed */
	ROLE_VOTER,  /* signed in, or a guest where guests are allowed */
	ROLE_TEACHER,
	ROLE_RESEARCHER,
	ROLE_ADMIN,
	ROLE__MAX
};

struct conf_grant { /* who has a role */
	enum conf_role role;
	struct text user;  /* absent, or a login */
	struct text group; /* absent, or a group of PA_GROUPS */
};

struct conf_access { /* who may see a page family (route name) */
	struct text page;
	enum conf_role who;
};

struct conf_parameter {
	struct text name, value;
};

struct llm_endpoint; /* model/llm.h */

struct conf_setup { /* model and settings that answer */
	struct text id, model;
	struct text endpoint; /* an endpoint's id; absent: answers from files */
	const struct conf_parameter *parameters; /* sorted by name */
	size_t parameters_n;
	char digest[65]; /* of model and parameters, formats.md */
};

/*
 * Every text is one line without white space at its ends, NUL-terminated.
 * Every path is ready for open(): conf_load has put the right folder in front.
 */
struct conf {
	struct pool *pool;
	struct text file; /* arena.xml itself */
	struct text
	    dir; /* its folder; relative paths of <catalog> start there */
	struct text state; /* PROMPT_ARENA_STATE, or absent */
	struct text data;  /* folder with schema/, templates/ and htdocs/ */

	/* <site> */
	struct text name, institution, contact, timezone, lang;
	struct text origin;  /* absent: the Host that the browser asked for */
	struct text sign_in; /* URL of the sign-in link, or absent */
	struct text privacy,
	    accessibility; /* the institution's XHTML files, or absent */

	/* <storage>, <listen> */
	struct text database; /* path */
	struct text socket, socket_group, control;
	int64_t socket_mode, workers, queue;
	int lang_line; /* of <lang>; 0: it is not there */

	/* <templates> */
	struct text templates; /* folder; the data folder's own by default */

	/* <identity> */
	struct text user_parameter; /* PA_USER */
	struct text secret_file;    /* absent: no member can be signed in */
	struct text secret;         /* its content, trimmed */
	bool guests;

	/* <elo> */
	double k, start, scale;
	int64_t minimum, minimum_voters;

	/* <pairing> */
	struct text policy;        /* random | informative */
	int64_t views;             /* voters per answer pair, 3 */
	int64_t expires_days;      /* 7 */
	int64_t predecessor_first; /* matches against the old version, 10 */

	/* <questions> */
	bool own_questions;
	int64_t own_max_chars;
	int64_t own_per_day; /* of one person; 0: any number */
	bool own_shared;     /* others may be shown them; else nobody else */

	/* <generation> */
	int64_t samples;         /* answers of a prompt to a question, 1 */
	int64_t stock;           /* ready pairs a type that lack voters, 20 */
	int64_t jobs_queue;      /* jobs that may wait, 200 */
	int64_t jobs_per_person; /* caused by one a day, 60; 0: any number */
	double person_budget;    /* money a person and day; negative: any */

	/* <leaks> */
	bool canary; /* hide letters in the instruction, and look for them */
	const struct text *leak_names;
	size_t leak_names_n;

	/* <limits>: 0 = off */
	int64_t votes_per_day;   /* counted votes a person and campus day */
	int64_t seconds_between; /* least seconds between two votes */
	double words_per_second; /* faster than this is too_fast */
	double chars_per_second; /* the same for Chinese, by character */
	int64_t
	    others_before_tally; /* 10: votes shown on the result from then */

	/* <forum> */
	int64_t posts_per_minute; /* of one person; 0: any number */
	int64_t post_chars;       /* longest post */

	/* <hooks> */
	struct text hook_secret_file; /* absent: nobody may post notices */
	struct text hook_secret;      /* its content, trimmed */
	int64_t hooks_per_minute;     /* of all systems together; 0: any */

	/* <catalog> */
	struct text prompts, questions, answers, activities; /* paths */

	const struct conf_setup *setups;
	size_t setups_n;
	const struct llm_endpoint *endpoints;
	size_t endpoints_n;
	const struct conf_grant *grants;
	size_t grants_n;
	const struct conf_access *access;
	size_t access_n;
};

/*
 * Read path against schema/arena.xsd: a folder means arena.xml in it; NULL
 * means PROMPT_ARENA_CONF, or else PA_SYSCONFDIR.
 *
 * Relative paths of database, socket, control and secret-file start in
 * PROMPT_ARENA_STATE; without it in PA_STATEDIR (database), PA_RUNDIR (the
 * sockets) and the configuration's folder (secret-file).  Schema, templates
 * and htdocs come from PROMPT_ARENA_DATADIR; without it from data/ beside a
 * program that was built and not installed, or from PA_DATADIR.  A source tree
 * is laid out like that folder.
 *
 * Every fault becomes a problem; ERR_SYNTAX or ERR_CONFIG then, and *out is
 * untouched.  The caller gives the secret to log_secret and the time zone to
 * clock_zone_set.
 */
enum err conf_load(
    const char *path, struct problems *ps, struct conf **out) PA_MUST_USE;
void conf_close(struct conf *c);

/* Pages that <access> may name: NULL-ended, the same list as in arena.xsd.
 * What is not here (privacy, accessibility, healthz) is open to everybody. */
extern const char *const conf_pages[];

/* The setup of that id, or NULL. */
const struct conf_setup *conf_setup_find(const struct conf *c, struct text id);

/* The endpoint of that id, or NULL. */
const struct llm_endpoint *conf_endpoint_find(
    const struct conf *c, struct text id);

/* ROLE_NAME ↔ "anyone", "voter", "teacher", "researcher", "admin". */
const char *conf_role_name(enum conf_role r);

#endif /* PA_CONF_H */
