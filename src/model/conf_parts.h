/*
 * conf_parts - what the files of conf share and nobody else sees.
 *
 * Layer    model.
 * Memory   everything lives in the conf's pool.
 * Threads  one loading at a time has one reader.
 */
#ifndef PA_CONF_PARTS_H
#define PA_CONF_PARTS_H

#include "model/conf.h"

struct conf_reader {
	struct conf *c;
	struct problems *ps;
	const char *file;            /* arena.xml's path */
	const struct xml_node *root; /* <arena> */
};

/* For "%.*s". */
#define CONF_PRINT(t) (int)(t).n, ((t).p == NULL ? "" : (t).p)

/*
 * White space as a schema's token has it: single blanks, none at the ends.
 * NUL-terminated; absent stays absent.
 */
struct text conf_one_line(struct pool *pool, struct text t);

/* An attribute's value on one line, NUL-terminated; absent stays absent. */
struct text conf_attr(
    struct conf_reader *r, const struct xml_node *el, const char *name);

/* name as it is when absolute, else below folder. */
struct text conf_path(struct pool *pool, const char *folder, struct text name);

/* The line of <arena>/<element>, or of the child in it; 0 for none. */
int conf_line(
    const struct conf_reader *r, const char *element, const char *child);

/* conf_lists.c: what may stand several times. */
void conf_read_grants(struct conf_reader *r);
void conf_read_access(struct conf_reader *r);
void conf_read_setups(struct conf_reader *r);
void conf_read_leaks(struct conf_reader *r);

/* conf_endpoints.c: after the setups, whose references it checks. */
void conf_read_endpoints(struct conf_reader *r);
void conf_wipe_keys(struct conf *c);

/* conf_check.c: what the schema cannot say.  Faults become problems. */
void conf_check(struct conf_reader *r);

#endif /* PA_CONF_PARTS_H */
