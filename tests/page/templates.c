/* Every template that ships loads, and names only what exists. */
#include "config.h"

#include <stdlib.h>

#include "page/frame.h"
#include "page/pages.h"
#include "tests/tap.h"
#include "view/view.h"

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
