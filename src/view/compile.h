/*
 * compile - a template's tree → a program.
 *
 * Layer    view (inside): base, port/xml.
 * Memory   programs go into the set's pool; trees live until the end of
 *          loading.
 * Threads  one; loading happens before or beside serving.
 */
#ifndef PA_VIEW_COMPILE_H
#define PA_VIEW_COMPILE_H

#include "base/err.h"
#include "base/pool.h"
#include "port/xml.h"
#include "view/ops.h"

#define TEMPLATE_BYTES_MAX (512 * 1024)

struct source; /* a file that has been parsed */

/* The files of one language while they are compiled. */
struct library {
	struct pool *pool;  /* of the set: programs */
	struct pool *trees; /* until the end of loading */
	struct problems *ps;
	const char *dir, *lang;
	const struct view_shape *frame;
	struct source *sources;
};

/* The tree of dir/file, parsed once; NULL after a fault was reported. */
const struct xml_node *library_tree(
    struct library *lib, const char *file, const char **path);

/*
 * Compile dir/file over rows of shape (NULL: no names but the frame's).
 * Faults become problems; *out is then incomplete.
 */
enum err compile_page(struct library *lib, const char *file,
    const struct view_shape *shape, struct program *out) PA_MUST_USE;

/* The children of el as a sentence, with tags or without. */
enum err compile_message(struct library *lib, const char *path,
    const struct xml_node *el, const struct view_shape *shape, bool plain,
    struct program *out) PA_MUST_USE;

/* The value of the template attribute `name` of el, or absent. */
struct text template_attr(const struct xml_node *el, const char *name);

#endif /* PA_VIEW_COMPILE_H */
