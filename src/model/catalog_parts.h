/*
 * catalog_parts - what the files of catalog share and nobody else sees.
 *
 * Layer    model.
 * Memory   what stays lives in the catalog's pool, the rest in the reader's.
 * Threads  one loading at a time has one reader.
 */
#ifndef PA_CATALOG_PARTS_H
#define PA_CATALOG_PARTS_H

#include "model/catalog.h"
#include "model/conf_parts.h"

struct catalog_name { /* an id and where it was given */
	struct text id;
	int line;
	size_t at; /* index in the catalog's array */
};

struct catalog_names {
	struct catalog_name *all; /* by id once catalog_names_sort has run */
	size_t n;
	const char *file; /* NULL: could not be read, so nothing is known */
};

struct catalog_reader {
	const struct conf *conf;
	struct problems *ps;
	struct pool *pool;  /* the catalog's */
	struct pool *trees; /* while loading */
	const struct xml_schema *schema;
	struct catalog *c;
	const char *file; /* being read */
	const char *dir;  /* its folder */
	struct catalog_names prompts, questions;
};

void catalog_read_prompts(struct catalog_reader *r);
void catalog_read_questions(struct catalog_reader *r);
void catalog_read_answers(struct catalog_reader *r);
void catalog_read_activities(struct catalog_reader *r);

/*
 * Make path the file being read; its outermost element must be <name>.
 * NULL after a problem.
 */
const struct xml_node *catalog_root(
    struct catalog_reader *r, struct text path, const char *name);

/* How many children of that name el has. */
size_t catalog_count(const struct xml_node *el, const char *name);

/* The same as conf_attr, kept in the catalog. */
struct text catalog_attr(
    struct catalog_reader *r, const struct xml_node *el, const char *name);
struct text catalog_line(struct catalog_reader *r, const struct xml_node *el);
bool catalog_yes(const struct xml_node *el, const char *name);
int64_t catalog_number(struct catalog_reader *r, const struct xml_node *el,
    const char *name, int64_t fallback);

/*
 * The text of el: what stands in it, without the indentation that its lines
 * share, or what its file holds.  False after a problem: both, neither,
 * blank, or a fault of the file.
 */
bool catalog_text(
    struct catalog_reader *r, const struct xml_node *el, struct text *out);

/* Sort by id; an id that is given twice becomes a problem in the file read. */
void catalog_names_sort(
    struct catalog_reader *r, struct catalog_names *names, const char *what);

/*
 * The entry of that id.  NULL when there is none: a problem at el, which
 * names it, unless the names' file could not be read.
 */
const struct catalog_name *catalog_refer(struct catalog_reader *r,
    const struct xml_node *el, const struct catalog_names *names,
    const char *what, struct text id);

#endif /* PA_CATALOG_PARTS_H */
