/* Every template that ships loads, and names only what exists. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "page/frame.h"
#include "page/pages.h"
#include "tests/tap.h"
#include "view/view.h"

/* A page's own word would stand in header and footer as well. */
static const char *
hides_frame(const struct view_shape *page)
{
	for (const struct view_field *f = page->fields; f->name != NULL; f++) {
		for (const struct view_field *g = frame_shape.fields;
		     g->name != NULL; g++) {
			if (strcmp(f->name, g->name) == 0)
				return f->name;
		}
	}
	return NULL;
}

int
main(void)
{
	static const char *const langs[] = { "en", NULL };
	struct pool *pool = pool_open(4u << 20);
	const char *src = getenv("SRCDIR");
	struct view_set *set = NULL;
	struct problems ps;
	struct str dir =
	    pool_printf(pool, "%s/templates", src != NULL ? src : ".");
	struct view_conf vc = { .dir = dir.p,
		.langs = langs,
		.pages = page_table,
		.frame = &frame_shape,
		.messages = page_messages };

	xml_init();
	problems_init(&ps, pool);
	for (size_t i = 0; page_table[i].file != NULL; i++) {
		const char *name = page_table[i].shape == NULL
				       ? NULL
				       : hides_frame(page_table[i].shape);

		ok(name == NULL, "%s hides nothing of the frame (%s)",
		    page_table[i].file, name == NULL ? "no" : name);
	}
	is_int(view_set_open(&set, &vc, &ps), ERR_OK, "the templates load");
	is_int(ps.count, 0, "without a fault");
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		diag("%.*s:%d: %.*s", (int)p->file.n, p->file.p, p->line,
		    (int)p->what.n, p->what.p);
	if (set != NULL)
		view_set_close(set);
	pool_close(pool);
	return done_testing();
}
