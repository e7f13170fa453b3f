/*
 * llm - questions to OpenAI-compatible model servers, and what came of them.
 *
 * Layer    model: base, port/http, port/json.
 * Memory   llm_ask copies endpoint and question; an answer is borrowed for
 *          the length of the callback.
 * Threads  any thread may ask; callbacks run on the HTTP thread and must not
 *          block: copy what is wanted and wake somebody.
 *
 * One struct llm owns the HTTP thread and what was learnt about each
 * endpoint: cool-down, breaker, refused parameters.  An ask makes up to
 * three attempts; the result is one of eight classes and nothing else.  Raw
 * words of a provider are for the administrator alone (detail), masked.
 */
#ifndef PA_LLM_H
#define PA_LLM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"

struct conf_parameter;
struct llm;

enum llm_class {
	LLM_OK,         /* whole visible text: may be voted on */
	LLM_OK_TRUNC,   /* visible text that ended at the token limit */
	LLM_EMPTY,      /* an answer without visible text */
	LLM_REFUSED,    /* the model or its filter declined */
	LLM_INCOMPLETE, /* broke off without an end signal */
	LLM_TRANSIENT,  /* may work later */
	LLM_PERMANENT,  /* will not work until somebody changes something */
	LLM_LIMIT,      /* a cap of our own: bytes, time, repetition */
	LLM__MAX
};

/* What exactly; the code stands in job rows and logs (llm_why_name). */
enum llm_why {
	LLM_WHY_NONE,
	LLM_WHY_AUTH,  /* 401, 403 */
	LLM_WHY_QUOTA, /* billing */
	LLM_WHY_PATH,  /* 404, 405, or a 200 that says so: /v1? */
	LLM_WHY_MODEL, /* no such model */
	LLM_WHY_REDIRECT,
	LLM_WHY_TLS,
	LLM_WHY_PROXY,
	LLM_WHY_ADDRESS,        /* private address not allowed */
	LLM_WHY_CONFIG,         /* URL or header cannot be sent */
	LLM_WHY_CONTEXT,        /* the prompt is too long for the model */
	LLM_WHY_PROMPT_REFUSED, /* the filter declined the prompt */
	LLM_WHY_ANSWER_REFUSED,
	LLM_WHY_PARAMETER, /* a parameter was refused; see llm_learnt */
	LLM_WHY_REQUEST,   /* any other 4xx */
	LLM_WHY_NOT_JSON,
	LLM_WHY_HTML,
	LLM_WHY_EMPTY_BODY,
	LLM_WHY_SHAPE, /* JSON, but no completion in it */
	LLM_WHY_TOOLS, /* wanted to call a tool */
	LLM_WHY_NO_TEXT,
	LLM_WHY_REASONING, /* thought until the tokens were gone */
	LLM_WHY_THROTTLED, /* 429 */
	LLM_WHY_SERVER,    /* 5xx, or an error in the answer */
	LLM_WHY_CONNECT,
	LLM_WHY_TIMEOUT,
	LLM_WHY_CUT,
	LLM_WHY_BYTES,
	LLM_WHY_TOTAL_TIME,
	LLM_WHY_REPETITION,
	LLM_WHY_QUEUE_TIME, /* waited too long for a free slot */
	LLM_WHY_CANCELLED,
	LLM_WHY__MAX
};

enum llm_flag {
	LLM_FLAG_NO_FINISH = 1 << 0,      /* ended without finish_reason */
	LLM_FLAG_FINISH_UNKNOWN = 1 << 1, /* a reason we do not know */
	LLM_FLAG_THOUGHT = 1 << 2,        /* thinking was cut from the text */
	LLM_FLAG_FENCE = 1 << 3,          /* an outer fence was taken off */
	LLM_FLAG_REPAIRED = 1 << 4,       /* bytes became U+FFFD */
	LLM_FLAG_HIDDEN = 1 << 5,      /* bidi, zero-width or tag characters */
	LLM_FLAG_OTHER_MODEL = 1 << 6, /* another model answered */
	LLM_FLAG_ESTIMATED = 1 << 7,   /* tokens were not told */
	LLM_FLAG_DROPPED = 1 << 8,     /* a parameter had to be left out */
	LLM_FLAG_STREAMED = 1 << 9,
	LLM_FLAG_SECRET = 1 << 10 /* the key stood in it: masked */
};

enum llm_system_as {
	LLM_SYSTEM_SYSTEM,
	LLM_SYSTEM_DEVELOPER,
	LLM_SYSTEM_USER_PREFIX
};

enum llm_tokens_field {
	LLM_TOKENS_MAX,           /* max_tokens */
	LLM_TOKENS_MAX_COMPLETION /* max_completion_tokens */
};

/* One <endpoint> of arena.xml.  llm_endpoint_defaults fills the numbers. */
struct llm_endpoint {
	struct text id;
	struct text url;    /* base address, as given */
	struct str key;     /* absent: no authorisation header at all */
	struct text header; /* name; "Authorization" sends "Bearer KEY" */
	struct text query;  /* "api-version=...", or absent */
	struct text model;  /* its own name for the setup's model, or absent */
	struct text ca_file, proxy; /* or absent */
	bool private_network;       /* loopback and private addresses */
	bool stream;     /* ask for a stream; either reply is understood */
	bool send_model; /* false: the address names it (Azure) */
	bool think;      /* cut leading thinking blocks */
	enum llm_system_as system_as;
	enum llm_tokens_field tokens_field;
	int64_t connect_ms, first_ms, idle_ms, total_ms;
	int64_t concurrency; /* requests at once */
	int64_t queue;       /* asks that may wait for a slot */
	int64_t queue_ms;    /* how long */
	int64_t per_minute;  /* requests that may start a minute; 0: any */
	int64_t tokens, tokens_max; /* default, and most after raising */
	int64_t body_max;           /* bytes */
	double price_in, price_out; /* per million tokens; negative: unknown */
	double price_call;          /* reserved for a call of unknown price */
	double budget_day;          /* negative: no limit */
};

enum llm_role {
	LLM_ROLE_SYSTEM,
	LLM_ROLE_USER,
	LLM_ROLE_ASSISTANT
};

struct llm_message {
	enum llm_role role;
	struct text text;
};

struct llm_question {
	struct text model;                       /* of the setup */
	const struct conf_parameter *parameters; /* of the setup */
	size_t parameters_n;
	const struct llm_message *messages;
	size_t messages_n;
	int64_t attempts;      /* 1..3; 0: 3.  1: the asker does the retrying */
	int64_t first_attempt; /* how many were made before (backoff) */
	/* It failed before, so its failing again tells little of the server:
	 * a question that has not failed may try at once. */
	bool suspect;
};

struct llm_answer {
	enum llm_class class;
	enum llm_why why;
	unsigned flags;   /* enum llm_flag */
	struct text text; /* clean, without thinking; absent unless OK… */
	struct text reasoning; /* never shown before the vote */
	struct text refusal;   /* for the administrator */
	struct text finish;    /* finish_reason as sent, or absent */
	struct text model;     /* who says to have answered, or absent */
	struct text detail; /* masked words for the administrator, or absent */
	struct text url;    /* really called, query left out */
	int status;         /* of the last attempt; 0: none */
	int64_t attempts;   /* requests that left */
	int64_t charged;    /* of these, the ones a provider may bill */
	int64_t retry_ms;   /* not sooner than this from now; -1: no use */
	int64_t tokens_in, tokens_out, tokens_thought; /* of all attempts */
	int64_t first_ms, first_token_ms, total_ms; /* last attempt; -1 never */
	char remote[64];
	const char *tls; /* "TLS" or "plain" */
};

typedef void llm_done(void *arg, const struct llm_answer *a);

/* Waits and limits that tests scale; llm_timing_defaults is what ships. */
struct llm_timing {
	int64_t backoff_ms, backoff_cap_ms; /* 500 doubling to 8000 */
	int64_t retry_after_cap_ms;         /* 120 000: longer is no retry */
	int64_t failures;                   /* 5 in a row ... */
	int64_t window_ms;                  /* ... within 30 s open it */
	int64_t probe_ms, probe_cap_ms;     /* 30 s doubling to 5 min */
};

void llm_timing_defaults(struct llm_timing *t);
void llm_endpoint_defaults(struct llm_endpoint *ep);

/* http_init has run.  timing NULL: the defaults. */
enum err llm_start(
    struct llm **out, const struct llm_timing *timing) PA_MUST_USE;

/* Cancels what runs: every ask still ends in its callback. */
void llm_stop(struct llm *l);

/*
 * Ask.  done is called exactly once, later, on the HTTP thread, unless this
 * returns something else than ERR_OK: ERR_LIMIT slots and queue are full;
 * ERR_CLOSED the endpoint is not available now (llm_state says until when);
 * ERR_INVALID a bad address or no message; ERR_NOMEM.  Never waits.
 */
enum err llm_ask(struct llm *l, const struct llm_endpoint *ep,
    const struct llm_question *q, llm_done *done, void *arg) PA_MUST_USE;

enum llm_health {
	LLM_HEALTH_UNKNOWN, /* not asked yet */
	LLM_HEALTH_GOOD,
	LLM_HEALTH_COOLING, /* it asked for a pause */
	LLM_HEALTH_OPEN,    /* failing: left alone until the next probe */
	LLM_HEALTH_PROBING, /* one request tells whether it is back */
	LLM_HEALTH_BROKEN,  /* key, address or account: somebody must act */
	LLM_HEALTH__MAX
};

struct llm_state {
	enum llm_health health;
	int64_t wait_ms;     /* until it takes an ask again; 0: now */
	int64_t wait_new_ms; /* ... one that has not failed before */
	int64_t running, waiting;
	int64_t asked, attempts, answered, failed; /* since the start */
	int64_t tokens_in, tokens_out;
	enum llm_class last_class;
	enum llm_why last_why;
	int64_t last_error_at; /* Unix seconds; 0: none */
	char last_error[200];  /* masked */
	char last_model[128];  /* who says to have answered last */
};

/* What is known about the endpoint of that id; zeros when never asked. */
void llm_state(struct llm *l, struct text id, struct llm_state *out);

/* Would llm_ask take a question now that has not failed before?  For pairing:
 * draw no pair it must make. */
bool llm_ready(struct llm *l, const struct llm_endpoint *ep);

/* Forget breaker, cool-down and what was learnt: after reload, by hand. */
void llm_forget(struct llm *l);

/*
 * The most that one attempt can cost, in the currency of the prices; what to
 * reserve before asking, times the attempts allowed.  Unknown prices give
 * price_call, which arena.xml must state wherever there is a budget.
 */
double llm_cost_max(
    const struct llm_endpoint *ep, const struct llm_question *q);
/* What it did cost by the tokens told or estimated. */
double llm_cost(const struct llm_endpoint *ep, const struct llm_answer *a);

/* What identifies an answer's making, for the cache key: the messages as
 * they would be sent to any endpoint.  See formats.md for the digests. */
void llm_describe(const struct llm_question *q, struct buf *out);

/* "ok", "ok_trunc", ...; "auth", "quota", ...; "good", ...  Never NULL. */
const char *llm_class_name(enum llm_class c);
const char *llm_why_name(enum llm_why w);
const char *llm_health_name(enum llm_health h);

/*
 * Read a key file: a regular file that only its owner (or systemd's
 * credential folder) can read, one line, no control characters.  Every fault
 * in words in why.  The key is registered with log_secret.
 */
enum err llm_key_load(struct pool *pool, const char *path, struct str *key,
    char *why, size_t why_n) PA_MUST_USE;

/*
 * The address that will be called: base joined to exactly one
 * /chat/completions, query appended.  ERR_INVALID with the fault in words.
 */
enum err llm_url(struct text base, struct text query, struct buf *out,
    char *why, size_t why_n) PA_MUST_USE;

#endif /* PA_LLM_H */
