/*
 * llm_parts - what the files of llm share and nobody else sees.
 *
 * Layer    model.
 * Memory   as each function says.
 * Threads  pure, or the HTTP thread's; time is always handed in.
 */
#ifndef PA_LLM_PARTS_H
#define PA_LLM_PARTS_H

#include "model/llm.h"
#include "port/http.h"
#include "port/json.h"

/* A count of tokens above this is a server's mistake. */
#define LLM_TOKENS_SANE 10000000

/* ---- llm_text.c, llm_visible.c: from bytes to text for people ---- */

/*
 * JSON as strangers write it → JSON that a strict parser takes: a BOM goes;
 * inside strings, lone surrogates, NULs, bad UTF-8 and control bytes become
 * U+FFFD, raw TAB, LF and CR their escapes.  *flags gets LLM_FLAG_REPAIRED.
 * Returns false when the text ends inside a string, object or array.
 */
bool llm_repair(struct str in, struct buf *out, unsigned *flags);

struct llm_visible {
	struct text text;    /* for readers */
	struct text thought; /* what was cut as thinking, or absent */
	unsigned flags;
	bool open; /* thinking never ended: nothing is visible */
};

/* Clean raw, cut leading thinking (when think), outer fence and blank lines. */
void llm_visible(
    struct pool *pool, struct str raw, bool think, struct llm_visible *out);

/* The end of s says the same again and again. */
bool llm_repeats(struct str s);

/* s with every occurrence of the key as "***"; borrows s when there is none. */
struct str llm_hide(
    struct pool *pool, struct str s, struct str key, unsigned *flags);

/* ---- llm_mask.c: what a log may repeat of a server's words ---- */

/*
 * s with what names an account or opens one as "***", behind what says its
 * kind: org-***, sk-***, ***@example.edu; numbers of accounts, UUIDs and long
 * runs of letters and digits too.  Names of models stay.  In the pool, or s
 * when empty.
 */
struct str llm_mask(struct pool *pool, struct str s);

/* ---- llm_sse.c: server-sent events, byte by byte ---- */

struct llm_sse {
	struct buf line, data;
	char event[32];
	bool after_cr, started, has_data;
};

/* False: no more events are wanted. */
typedef bool llm_sse_event(void *arg, struct str event, struct str data);

void llm_sse_init(struct llm_sse *s, size_t max);
void llm_sse_release(struct llm_sse *s);
/* ERR_TOOBIG when a line or an event outgrows max. */
enum err llm_sse_feed(struct llm_sse *s, struct str bytes, llm_sse_event *event,
    void *arg) PA_MUST_USE;
/* The stream has ended: an event without its blank line counts. */
enum err llm_sse_end(
    struct llm_sse *s, llm_sse_event *event, void *arg) PA_MUST_USE;

/* ---- llm_error.c: what a server says went wrong ---- */

struct llm_error {
	bool seen;
	int code;      /* as a status, or 0 */
	char name[96]; /* type and code, lower case */
	char param[64];
	char message[600];
};

/* Whatever error the reply o tells of, in any of the known shapes. */
void llm_error_read(struct llm_error *e, const struct js *o);
/* v as the value of "error"; false: it says nothing. */
bool llm_error_read_object(struct llm_error *e, const struct js *v);
/* An error in so many words. */
void llm_error_say(struct llm_error *e, struct str s);
/* s on one line, cut on a character's border; what it holds may be dirty. */
void llm_keep_line(char *out, size_t room, struct str s);

/* ---- llm_reply.c: what one response says, in either shape ---- */

enum llm_reply_kind {
	LLM_REPLY_UNKNOWN, /* only blanks so far */
	LLM_REPLY_JSON,
	LLM_REPLY_STREAM,
	LLM_REPLY_OTHER
};

struct llm_reply {
	enum llm_reply_kind kind;
	struct buf body; /* JSON, or the beginning of something else */
	struct llm_sse sse;
	struct buf text, thought, refusal;
	char finish[64], model[128];
	bool finish_seen, done_seen, choices_seen, choice_seen, tools;
	bool cut; /* JSON that does not end */
	bool bad_json, too_big, repeats;
	bool html;
	int64_t choice;            /* index followed; -1: none yet */
	int64_t in, out, thinking; /* usage; -1: not told */
	unsigned flags;
	size_t checked;         /* text bytes when repetition was looked for */
	int64_t first_token_at; /* mono ms; 0: none */
	struct llm_error error;
};

void llm_reply_init(struct llm_reply *r, size_t max);
void llm_reply_release(struct llm_reply *r);
enum http_want llm_reply_feed(
    struct llm_reply *r, struct str bytes, int64_t now_ms);
/* All bytes are here: parse what is left. */
void llm_reply_end(struct llm_reply *r);

/* ---- llm_request.c: what is sent ---- */

/* What an endpoint has refused for a model, and what it gets instead. */
struct llm_learnt {
	bool other_tokens_field;
	bool no_stream;
	bool system_known; /* system_as replaces the endpoint's */
	enum llm_system_as system_as;
	size_t dropped_n;
	char dropped[8][40];
};

/* The request body.  tokens: the limit to send. */
void llm_request_body(struct buf *b, const struct llm_endpoint *ep,
    const struct llm_question *q, const struct llm_learnt *learnt,
    int64_t tokens);

/* "max_tokens=…" of the setup, else the endpoint's default. */
int64_t llm_request_tokens(
    const struct llm_endpoint *ep, const struct llm_question *q);

/*
 * A 400 or 422 may name something that was sent: remember to leave it out.
 * True when the next attempt would differ.
 */
bool llm_learn(struct llm_learnt *learnt, const struct llm_endpoint *ep,
    const struct llm_question *q, const struct llm_reply *r);

/* ---- llm_classify.c: one attempt's outcome ---- */

struct llm_verdict {
	enum llm_class class;
	enum llm_why why;
	bool again;       /* another attempt may help */
	bool once;        /* ... but only one */
	bool more_tokens; /* ... with a larger limit */
	bool learn;       /* look into llm_learn */
	bool broken;      /* somebody has to act at the endpoint */
	bool throttled;   /* it wants a pause */
	bool failed;      /* counts against its health */
};

/* Fill text, flags and so on of *a, in pool, and judge. */
struct llm_verdict llm_classify(struct llm_reply *r,
    const struct http_result *h, const struct llm_endpoint *ep,
    const struct llm_question *q, struct pool *pool, struct llm_answer *a);

/* ---- llm_retry.c: when again, as pure functions of a monotonic time ---- */

/*
 * Milliseconds that the server asks to wait: retry-after-ms, else
 * Retry-After in seconds (a fraction is fine) or as an HTTP date, which is
 * measured against the response's own Date, else unix_now.  -1: none said.
 */
int64_t llm_retry_after(const struct http_result *h, int64_t unix_now);

/* Before attempt n + 1 (n from 0): doubling, capped, times 1 - u / 4. */
int64_t llm_backoff(const struct llm_timing *t, int64_t n, double u);

struct llm_breaker {
	enum {
		BREAKER_CLOSED,
		BREAKER_OPEN,
		BREAKER_PROBING
	} state;
	int64_t failures, first_failure_at;
	int64_t until, pause_ms;
	bool broken;
	bool doubtful; /* kept open by a question that had failed before */
};

/* May a request start?  Turns an open breaker whose time has come to probing,
 * so ask only when one would really start. */
bool llm_breaker_start(struct llm_breaker *b, int64_t now);
bool llm_breaker_would(const struct llm_breaker *b, int64_t now);
void llm_breaker_good(struct llm_breaker *b);
/* True when this failure has opened it. */
bool llm_breaker_bad(struct llm_breaker *b, const struct llm_timing *t,
    int64_t now, bool broken);
/* The probe failed with a question that had failed before: as long a pause
 * again, but a question that has not may try at once (trust). */
void llm_breaker_doubt(struct llm_breaker *b, int64_t now);
void llm_breaker_trust(struct llm_breaker *b, int64_t now);
/* A probe that told nothing (cancelled): the next one may try. */
void llm_breaker_undecided(struct llm_breaker *b, int64_t now);

struct llm_bucket {
	double tokens;
	int64_t at; /* mono ms; 0: never used */
};

/* Take one of per_minute; 0: taken, else milliseconds until there is one. */
int64_t llm_bucket_take(struct llm_bucket *b, int64_t per_minute, int64_t now);

#endif /* PA_LLM_PARTS_H */
