/*
 * forum_parts - what the files of forum share and nobody else sees.
 *
 * Layer    model.
 * Memory   as forum.h.
 * Threads  as forum.h.
 */
#ifndef PA_FORUM_PARTS_H
#define PA_FORUM_PARTS_H

#include "model/activity.h"
#include "model/forum.h"
#include "port/crypt.h"

/* How an account is called in public; NULL for guests and the erased. */
#define FORUM_NAME(a)                                                          \
	"CASE WHEN " a ".kind = 'member'"                                      \
	" THEN coalesce(nullif(" a ".name, ''), " a ".login) END"

/* How many messages of topic t are deleted; and: is any left, so that lists
 * show it?  Only a topic whose title went with its first message is asked. */
#define FORUM_DELETED_IN(t)                                                    \
	"(SELECT count(*) FROM post WHERE post.topic = " t                     \
	".id AND post.state = 'deleted')"
#define FORUM_LISTED(t)                                                        \
	"(" t ".title <> '' OR " t ".posts > " FORUM_DELETED_IN(t) ")"

/* What an edit starts from; title: of message 1, else absent. */
void forum_version(
    struct text title, struct text source, char out[CRYPT_HEX + 1]);

bool forum_may_enter(const struct activity *a, const struct forum_viewer *v);

/* Keep a post findable by its words, or no longer (absent). */
enum err forum_index(
    struct store_tx *tx, int64_t post, struct text words) PA_MUST_USE;

#endif /* PA_FORUM_PARTS_H */
