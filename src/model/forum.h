/*
 * forum - topics and posts of an activity, and who may do what to them.
 *
 * Layer    model: base, port/db, port/markdown.
 * Memory   rows live in the given pool.
 * Threads  reading: the connection's thread; writing: inside store_write.
 *
 * Every activity has one forum, for those whom the activity is for and for
 * teachers.  A post's number in its topic is dense and never used again, so
 * that page n of a topic is a range of numbers however long it is; lists go
 * by keys and never by counting.  Every change looks first and can be asked
 * for twice.
 */
#ifndef PA_FORUM_H
#define PA_FORUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/str.h"
#include "model/account.h"
#include "port/markdown.h"

struct conf;
struct db;
struct store;
struct store_tx;

#define FORUM_TITLE_CHARS 150
#define FORUM_PAGE 25 /* posts on a page of a topic */

struct forum_viewer {
	struct voter who;
	bool teacher; /* moderates */
};

struct forum_room { /* an activity, as its forum */
	int64_t id;
	struct text slug, title;
	int64_t last_at; /* of its newest topic; 0: none */
	bool retired;    /* read only */
};

/* Those that this viewer may enter, retired ones last. */
enum err forum_rooms(struct db *db, struct pool *pool,
    const struct forum_viewer *v, const struct forum_room **out,
    size_t *n) PA_MUST_USE;

/* One of them.  ERR_NOTFOUND also when it is not for this viewer. */
enum err forum_room_find(struct db *db, struct pool *pool,
    const struct forum_viewer *v, struct text slug,
    struct forum_room *out) PA_MUST_USE;

enum forum_following {
	FORUM_PLAIN,
	FORUM_FOLLOW,
	FORUM_MUTE
};

struct forum_topic {
	int64_t id, key; /* key: places it in the list */
	struct text token;
	struct text title;  /* absent: its first message was deleted */
	struct text author; /* display name; absent: a guest, or erased */
	struct text room, room_title;
	int64_t room_id;
	int64_t made_at, last_at;
	int64_t posts; /* the highest number */
	int64_t
	    left; /* without those that are deleted; 0: lists leave it out */
	int64_t match; /* 0: it discusses none */
	bool mine, pinned, locked, hidden, retired;
	enum forum_following following;
};

struct forum_topics {
	const struct forum_topic *pinned, *rows; /* newest word first */
	size_t pinned_n, rows_n;
	int64_t older; /* `before` of the next page; 0: this was the last */
};

/* The pinned ones come with the first page (before 0). */
enum err forum_list(struct db *db, struct pool *pool,
    const struct forum_viewer *v, int64_t room, int64_t before, int64_t limit,
    struct forum_topics *out) PA_MUST_USE;

/* ERR_NOTFOUND: no such topic, hidden, or not for this viewer; ERR_DENIED:
 * hidden, and this viewer's own. */
enum err forum_topic_load(struct db *db, struct pool *pool,
    const struct forum_viewer *v, struct text token,
    struct forum_topic *out) PA_MUST_USE;

/* Topics that somebody follows or mutes, newest word first. */
enum err forum_followed(struct db *db, struct pool *pool,
    const struct forum_viewer *v, int64_t limit, const struct forum_topic **out,
    size_t *n) PA_MUST_USE;

enum forum_state {
	FORUM_SHOWN,
	FORUM_HIDDEN,
	FORUM_DELETED
};

struct forum_post {
	int64_t id, number;
	struct text author; /* absent: a guest, or erased */
	struct text source; /* absent unless asked for */
	struct markup html; /* absent when this viewer may not read it */
	int64_t made_at, edited_at; /* 0: never */
	enum forum_state state;
	bool mine;
	struct text version; /* of source and title; only with the source */
};

/* Posts with number >= from, at most limit. */
enum err forum_posts(struct db *db, struct pool *pool,
    const struct forum_viewer *v, const struct forum_topic *t, int64_t from,
    int64_t limit, const struct forum_post **out, size_t *n) PA_MUST_USE;

/* One, with its source.  ERR_NOTFOUND also when it may not be read. */
enum err forum_post_load(struct db *db, struct pool *pool,
    const struct forum_viewer *v, const struct forum_topic *t, int64_t number,
    struct forum_post *out) PA_MUST_USE;

struct forum_edit { /* what stood there before */
	int64_t until;
	struct markup html;
};

/* Newest first. */
enum err forum_history(struct db *db, struct pool *pool, int64_t post,
    const struct forum_edit **out, size_t *n) PA_MUST_USE;

/* The two answers that a topic discusses, as A and B, without names. */
struct forum_pair {
	struct markup question, a, b;
	int64_t answer_a, answer_b;
	bool seen; /* both count as seen by this viewer already */
	bool open; /* one of them stands in this viewer's open match */
	struct text open_token;
};

enum err forum_pair_load(struct db *db, struct pool *pool, int64_t match,
    int64_t account, struct forum_pair *out) PA_MUST_USE;

/*
 * The match that this voter wants to discuss.  ERR_NOTFOUND: not this
 * voter's; ERR_DENIED: no vote on it; ERR_CLOSED: a practice pair.  *token
 * is the topic that it has already, or absent.
 */
enum err forum_match_find(struct db *db, struct pool *pool, struct text match,
    int64_t voter, int64_t *id, struct text *room,
    struct text *token) PA_MUST_USE;

/* ---- writing ---- */

struct forum_words { /* a post, rendered before it comes here */
	struct text source;
	struct markup html;
	struct text form; /* the form it came by: sent twice it is one post */
};

/* Renders; ERR_TOOBIG when the result would be too long. */
enum err forum_render(
    struct pool *pool, struct text source, struct markup *out) PA_MUST_USE;

struct forum_new {
	struct voter who;
	const struct conf *conf;
	struct text room, title; /* of a new topic */
	int64_t match;           /* 0: none */
	struct text topic;       /* token of the one replied to */
	bool teacher, follow;
	struct forum_words words;
	/* out: */
	char token[RNG_TOKEN_LEN + 1];
	int64_t number, post;
};

/*
 * Start a topic, or reply in one.  ERR_NOTFOUND; ERR_CLOSED: locked, or the
 * activity is over; ERR_LIMIT: too many posts within a minute.
 */
enum err forum_start(struct store_tx *tx, struct forum_new *n) PA_MUST_USE;
enum err forum_reply(struct store_tx *tx, struct forum_new *n) PA_MUST_USE;

/* Both answers of a pair now count as seen by that account. */
enum err forum_pair_seen(struct store_tx *tx, int64_t account,
    const struct forum_pair *pair) PA_MUST_USE;

enum forum_verb {
	FORUM_DO_EDIT,   /* its author */
	FORUM_DO_DELETE, /* its author */
	FORUM_DO_HIDE,   /* a teacher, as all below */
	FORUM_DO_SHOW,
	FORUM_DO_PIN,
	FORUM_DO_UNPIN,
	FORUM_DO_LOCK,
	FORUM_DO_UNLOCK,
	FORUM_DO_HIDE_TOPIC,
	FORUM_DO_SHOW_TOPIC
};

struct forum_change {
	enum forum_verb verb;
	int64_t account;
	bool teacher;
	int64_t topic, number; /* number: of the post, for the first four */
	struct text title;     /* of an edit of message 1; absent: as it is */
	struct forum_words words; /* of an edit */
	struct text version; /* that was edited; absent: whatever is there */
};

/*
 * ERR_NOTFOUND; ERR_DENIED: not this person's to do; ERR_CLOSED;
 * ERR_CONFLICT: another edit was faster, and other words stand there now.
 */
enum err forum_change(
    struct store_tx *tx, const struct forum_change *c) PA_MUST_USE;

enum err forum_follow(struct store_tx *tx, int64_t account, int64_t topic,
    enum forum_following how) PA_MUST_USE;

/*
 * Tell people of the oldest post that they have not all been told of: the
 * next FORUM_TELL of them, so that votes go between.  *more: call again.
 */
#define FORUM_TELL 200
enum err forum_tell(struct store_tx *tx, bool *more) PA_MUST_USE;

/* As often as needed; from any thread.  Its failure costs notices alone. */
void forum_tell_all(struct store *s);

/* ---- reports ---- */

enum report_kind {
	REPORT_POST,
	REPORT_MATCH,
	REPORT_REPLY, /* of the AI TA */
	REPORT__MAX
};

extern const char *const report_reasons[]; /* NULL-ended */

struct report_new {
	enum report_kind kind;
	int64_t ref, reporter;
	struct text reason; /* one of report_reasons, else ERR_INVALID */
	struct text words;
};

/* The same person's second report of the same thing replaces the first. */
enum err report_put(
    struct store_tx *tx, const struct report_new *r) PA_MUST_USE;

struct report {
	int64_t id, made_at;
	enum report_kind kind;
	struct text reporter; /* display name, or absent */
	struct text reason, words;
	struct text topic, title; /* of a post: token and title of its topic */
	int64_t number;           /* of the post */
	struct text author;       /* of the post: display name, or absent */
	struct text activity;     /* title of the one it belongs to */
	struct markup question;   /* that a reply of the AI TA answers */
	struct markup html;       /* what was reported; empty: a deleted post */
};

/* Open ones, oldest first. */
enum err report_list(struct db *db, struct pool *pool, int64_t after,
    int64_t limit, const struct report **out, size_t *n) PA_MUST_USE;
enum err report_count(struct db *db, int64_t *out) PA_MUST_USE;
enum err report_done(struct store_tx *tx, int64_t id, int64_t by) PA_MUST_USE;

/* ---- search ---- */

struct forum_hit {
	int64_t post;                              /* places it in the list */
	struct text topic, title, author, excerpt; /* excerpt may be absent */
	int64_t number, made_at;
};

/*
 * Posts that have all the words, newest first, with id < before (0: from
 * the newest).  ERR_INVALID: no word in it; ERR_BUSY: took too long.
 */
enum err forum_search(struct db *db, struct pool *pool,
    const struct forum_viewer *v, struct text words, int64_t before,
    int64_t limit, const struct forum_hit **out, size_t *n) PA_MUST_USE;

/*
 * As they are kept for searching: CJK characters parted by blanks, figures in
 * ASCII, and what a zero-width joiner parts also as one word.
 */
struct text forum_search_words(struct pool *pool, struct text source);

#endif /* PA_FORUM_H */
