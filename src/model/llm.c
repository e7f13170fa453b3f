/* This file knows how to bring questions to model servers, fairly and once. */
#include "config.h"

#include "model/llm.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "model/llm_ask.h"

#define HEAD_MAX ((size_t)64 * 1024)
#define ANSWER_CAP ((size_t)32 * 1024 * 1024)
#define MESSAGES_MAX ((size_t)1024 * 1024)

struct llm {
	struct http *http;
	struct llm_timing timing;
	pthread_mutex_t lock; /* guards what follows */
	struct llm_place *places;
	struct llm_ask *first; /* waiting, oldest first */
	bool stopping;
};

static int64_t tick(void *arg, int64_t now);
static int64_t step(struct llm *l, int64_t now, struct llm_ask **ended);
static bool overdue(struct llm_ask *a, int64_t now);
static bool try_start(struct llm_ask *a, int64_t now, int64_t *next);
static bool send_request(struct llm *l, struct llm_ask *a);
static bool send_body(struct llm *l, struct llm_ask *a, struct buf *body);
static enum http_want on_bytes(void *arg, struct str bytes);
static void on_done(void *arg, const struct http_result *h);
static bool decide(struct llm *l, struct llm_ask *a,
    const struct llm_verdict *v, const struct http_result *h);
static bool wants_again(struct llm_ask *a, const struct llm_verdict *v);
static void wait_again(struct llm *l, struct llm_ask *a, int64_t at);
static void refuse(struct llm_ask *a, enum llm_class class, enum llm_why why,
    int64_t retry_ms);
static void tell(struct llm_ask *a);
static void enqueue(struct llm *l, struct llm_ask *a, bool in_front);
static struct llm_place *place_of(struct llm *l, struct text id);
static enum err admit(struct llm *l, struct llm_ask *a, int64_t now);
static bool may_be_charged(const struct http_result *h);

void
llm_timing_defaults(struct llm_timing *t)
{
	*t = (struct llm_timing){
		.backoff_ms = 500,
		.backoff_cap_ms = 8000,
		.retry_after_cap_ms = 120000,
		.failures = 5,
		.window_ms = 30000,
		.probe_ms = 30000,
		.probe_cap_ms = 300000,
	};
}

void
llm_endpoint_defaults(struct llm_endpoint *ep)
{
	*ep = (struct llm_endpoint){
		.header = TEXT("Authorization"),
		.stream = true,
		.send_model = true,
		.think = true,
		.connect_ms = 5000,
		.first_ms = 60000,
		.idle_ms = 60000,
		.total_ms = 180000,
		.concurrency = 4,
		.queue = 64,
		.queue_ms = 120000,
		.tokens = 2048,
		.tokens_max = 16384,
		.body_max = 1024 * 1024,
		.price_in = -1,
		.price_out = -1,
		.budget_day = -1,
	};
}

enum err
llm_start(struct llm **out, const struct llm_timing *timing)
{
	struct llm *l = calloc(1, sizeof(*l));
	enum err e;

	if (l == NULL)
		return ERR_NOMEM;
	if (timing != NULL)
		l->timing = *timing;
	else
		llm_timing_defaults(&l->timing);
	(void)pthread_mutex_init(&l->lock, NULL);
	e = http_start(&l->http, tick, l);
	if (e != ERR_OK) {
		(void)pthread_mutex_destroy(&l->lock);
		free(l);
		return e;
	}
	*out = l;
	return ERR_OK;
}

void
llm_stop(struct llm *l)
{
	if (l == NULL)
		return;
	(void)pthread_mutex_lock(&l->lock);
	l->stopping = true;
	(void)pthread_mutex_unlock(&l->lock);
	http_stop(l->http);
	/* The HTTP thread is gone: what still waits ends here. */
	while (l->first != NULL) {
		struct llm_ask *a = l->first;

		l->first = a->next;
		refuse(a, LLM_TRANSIENT, LLM_WHY_CANCELLED, 0);
		tell(a);
	}
	while (l->places != NULL) {
		struct llm_place *p = l->places;

		l->places = p->next;
		free(p);
	}
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}

enum err
llm_ask(struct llm *l, const struct llm_endpoint *ep,
    const struct llm_question *q, llm_done *done, void *arg)
{
	struct buf url;
	struct llm_ask *a;
	char why[160];
	size_t bytes = 0;
	bool asks = false;
	enum err e;

	for (size_t i = 0; i < q->messages_n; i++) {
		bytes += q->messages[i].text.n;
		asks = asks || (q->messages[i].role == LLM_ROLE_USER &&
				   q->messages[i].text.n > 0);
	}
	if (!asks || bytes > MESSAGES_MAX)
		return ERR_INVALID;
	buf_init(&url, 4096);
	e = llm_url(ep->url, ep->query, &url, why, sizeof(why));
	if (e == ERR_INVALID)
		log_error("endpoint %.*s: %s", (int)ep->id.n, ep->id.p, why);
	a = e == ERR_OK ? llm_ask_open(ep, q, buf_as_str(&url)) : NULL;
	buf_release(&url);
	if (a == NULL)
		return e == ERR_OK ? ERR_NOMEM : e;
	a->owner = l;
	a->done = done;
	a->arg = arg;
	(void)pthread_mutex_lock(&l->lock);
	e = admit(l, a, clock_mono_ms());
	(void)pthread_mutex_unlock(&l->lock);
	if (e != ERR_OK) {
		llm_ask_close(a);
		return e;
	}
	http_wake(l->http);
	return ERR_OK;
}

void
llm_state(struct llm *l, struct text id, struct llm_state *out)
{
	int64_t now = clock_mono_ms();

	memset(out, 0, sizeof(*out));
	(void)pthread_mutex_lock(&l->lock);
	for (struct llm_place *p = l->places; p != NULL; p = p->next) {
		if (!str_is((struct str){ id.p, id.n }, p->id))
			continue;
		*out = p->state;
		out->health = llm_place_health(p, now);
		out->wait_ms = llm_place_wait(p, now, true);
		out->wait_new_ms = llm_place_wait(p, now, false);
		out->running = p->running;
		out->waiting = p->waiting;
	}
	(void)pthread_mutex_unlock(&l->lock);
}

bool
llm_ready(struct llm *l, const struct llm_endpoint *ep)
{
	struct llm_state s;

	llm_state(l, ep->id, &s);
	return s.wait_new_ms == 0 &&
	       s.running + s.waiting < ep->concurrency + ep->queue;
}

void
llm_forget(struct llm *l)
{
	(void)pthread_mutex_lock(&l->lock);
	for (struct llm_place *p = l->places; p != NULL; p = p->next) {
		llm_breaker_good(&p->breaker);
		p->cool_until = 0;
		p->throttled = 0;
		p->told = false;
		p->learnt_n = 0;
	}
	(void)pthread_mutex_unlock(&l->lock);
	http_wake(l->http);
}

/* On the HTTP thread, at every turn. */
static int64_t
tick(void *arg, int64_t now)
{
	struct llm *l = arg;
	struct llm_ask *ended = NULL;
	int64_t next;

	(void)pthread_mutex_lock(&l->lock);
	next = l->stopping ? INT64_MAX : step(l, now, &ended);
	(void)pthread_mutex_unlock(&l->lock);
	while (ended != NULL) {
		struct llm_ask *a = ended;

		ended = a->next;
		tell(a);
		next = now; /* there may be room now */
	}
	return next;
}

/* Start what may start; what has waited too long goes to *ended. */
static int64_t
step(struct llm *l, int64_t now, struct llm_ask **ended)
{
	struct llm_ask **at = &l->first;
	int64_t next = INT64_MAX;

	while (*at != NULL) {
		struct llm_ask *a = *at;
		bool over = overdue(a, now);

		if (!over && !try_start(a, now, &next)) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		a->next = NULL;
		a->place->waiting--;
		if (!over) {
			/* Sent, or cannot be: then it ends at once. */
			a->running = send_request(l, a);
			if (a->running) {
				a->place->running++;
				continue;
			}
			llm_breaker_undecided(&a->place->breaker, now);
			refuse(a, LLM_TRANSIENT, LLM_WHY_CANCELLED, 1000);
		}
		a->next = *ended;
		*ended = a;
	}
	return next;
}

/*
 * An ask that cannot start before its time is up ends now: with what was
 * wrong last when it has been tried, else as having waited too long.
 */
static bool
overdue(struct llm_ask *a, int64_t now)
{
	const struct llm_place *p = a->place;
	int64_t wait = llm_place_wait(p, now, true);
	int64_t patience = a->ep.queue_ms;
	bool hopeless = wait > 0 && wait != INT64_MAX &&
			(p->breaker.state == BREAKER_OPEN ||
			    now + wait > a->since + patience);

	if (!hopeless && now <= a->since + patience)
		return false;
	if (a->tries > 0)
		a->answer.retry_ms = wait == INT64_MAX ? 1000 : wait;
	else if (hopeless)
		refuse(a, LLM_TRANSIENT,
		    p->state.last_why == LLM_WHY_NONE ? LLM_WHY_CONNECT
						      : p->state.last_why,
		    wait);
	else
		refuse(a, LLM_LIMIT, LLM_WHY_QUEUE_TIME, 0);
	return true;
}

static bool
try_start(struct llm_ask *a, int64_t now, int64_t *next)
{
	struct llm_place *p = a->place;
	int64_t wait = llm_place_wait(p, now, true);
	int64_t at = a->since + a->ep.queue_ms + 1;

	if (a->ready_at > now) {
		if (a->ready_at < at)
			at = a->ready_at;
	} else if (wait > 0) {
		if (wait != INT64_MAX && now + wait < at)
			at = now + wait;
	} else if (p->running < a->ep.concurrency) {
		wait = llm_bucket_take(&p->bucket, a->ep.per_minute, now);
		if (wait == 0 && llm_breaker_start(&p->breaker, now))
			return true;
		if (wait > 0 && now + wait < at)
			at = now + wait;
	}
	/* A full endpoint wakes us when one of its requests ends. */
	if (at <= now)
		at = now + 100;
	if (at < *next)
		*next = at;
	return false;
}

static bool
send_request(struct llm *l, struct llm_ask *a)
{
	struct buf body;
	bool sent;

	a->learnt = *llm_place_learnt(a->place, a->q.model);
	buf_init(&body, MESSAGES_MAX * 7);
	llm_request_body(&body, &a->ep, &a->q, &a->learnt, a->tokens);
	sent = !body.failed && send_body(l, a, &body);
	buf_release(&body);
	return sent;
}

static bool
send_body(struct llm *l, struct llm_ask *a, struct buf *body)
{
	struct llm_endpoint *ep = &a->ep;
	bool bearer = ep->header.p == NULL ||
		      strcasecmp(ep->header.p, "Authorization") == 0;
	const char *headers[3] = { "Content-Type: application/json",
		"Accept: application/json, text/event-stream" };
	struct http_request rq = {
		.url = a->url.p,
		.headers = headers,
		.headers_n = 2,
		.body = buf_as_str(body),
		.ca_file = ep->ca_file.p,
		.proxy = ep->proxy.p,
		.private_network = ep->private_network,
		.body_max = (size_t)ep->body_max,
		.head_max = HEAD_MAX,
		.connect_ms = ep->connect_ms,
		.first_ms = ep->first_ms,
		.idle_ms = ep->idle_ms,
		.total_ms = ep->total_ms,
	};
	char *line = NULL;
	size_t room;
	enum err e;

	if (ep->key.p != NULL) {
		room = ep->key.n + ep->header.n + 32;
		line = malloc(room);
		if (line == NULL)
			return false;
		(void)snprintf(line, room, "%s: %s%.*s",
		    bearer ? "Authorization" : ep->header.p,
		    bearer ? "Bearer " : "", (int)ep->key.n, ep->key.p);
		headers[rq.headers_n++] = line;
	}
	llm_reply_init(&a->reply, (size_t)ep->body_max);
	a->reply_open = true;
	e = http_send(l->http, &rq, on_bytes, on_done, a, NULL);
	if (line != NULL)
		explicit_bzero(line, strlen(line));
	free(line);
	return e == ERR_OK;
}

static enum http_want
on_bytes(void *arg, struct str bytes)
{
	struct llm_ask *a = arg;

	return llm_reply_feed(&a->reply, bytes, clock_mono_ms());
}

static void
on_done(void *arg, const struct http_result *h)
{
	struct llm_ask *a = arg;
	struct llm *l = a->owner;
	struct llm_verdict v;
	bool ended;

	a->tries++;
	pool_close(a->answer_pool);
	a->answer_pool = pool_open(ANSWER_CAP);
	if (a->answer_pool == NULL) {
		refuse(a, LLM_TRANSIENT, LLM_WHY_CANCELLED, 1000);
		v = (struct llm_verdict){ .class = LLM_TRANSIENT,
			.why = LLM_WHY_CANCELLED };
	} else {
		struct llm_answer fresh = {
			.attempts = a->answer.attempts + (h->sent ? 1 : 0),
			.charged = a->answer.charged + may_be_charged(h),
			.tokens_in = a->answer.tokens_in,
			.tokens_out = a->answer.tokens_out,
			.tokens_thought = a->answer.tokens_thought,
			.retry_ms = -1,
			.url = a->shown_url,
			.tls = strncmp(a->url.p, "https", 5) == 0 ? "TLS"
								  : "plain",
		};

		a->answer = fresh;
		v = llm_classify(
		    &a->reply, h, &a->ep, &a->q, a->answer_pool, &a->answer);
		if (pool_failed(a->answer_pool))
			refuse(a, LLM_LIMIT, LLM_WHY_BYTES, -1);
		if (a->learnt.dropped_n > 0)
			a->answer.flags |= LLM_FLAG_DROPPED;
	}
	(void)pthread_mutex_lock(&l->lock);
	a->running = false;
	a->place->running--;
	ended = decide(l, a, &v, h);
	(void)pthread_mutex_unlock(&l->lock);
	if (ended)
		tell(a);
}

/* Account for the attempt; false: the ask waits for another one. */
static bool
decide(struct llm *l, struct llm_ask *a, const struct llm_verdict *v,
    const struct http_result *h)
{
	struct llm_place *p = a->place;
	int64_t now = clock_mono_ms();
	int64_t after = llm_retry_after(h, clock_now());
	int64_t before = a->q.first_attempt + a->tries - 1;
	int64_t pause;
	bool left_alone;
	bool learnt = false;

	if (v->learn) {
		struct llm_learnt *known = llm_place_learnt(p, a->q.model);

		/* Another ask may have learnt it while this one was away. */
		learnt = memcmp(known, &a->learnt, sizeof(*known)) != 0 ||
			 llm_learn(known, &a->ep, &a->q, &a->reply);
	}
	left_alone = llm_place_outcome(p, &l->timing, a, v, now, after);
	if (learnt) {
		/* What was refused is not the question: ask it anew. */
		a->answer.class = LLM_TRANSIENT;
		a->answer.why = LLM_WHY_PARAMETER;
		a->answer.retry_ms = 0;
		if (a->tries >= a->q.attempts || l->stopping)
			return true;
		wait_again(l, a, now);
		return false;
	}
	pause =
	    after >= 0 ? after : llm_backoff(&l->timing, before, rng_unit());
	if (!v->again && v->class != LLM_LIMIT && v->class != LLM_TRANSIENT)
		return true;
	a->answer.retry_ms = v->class == LLM_LIMIT ? -1 : pause;
	if (llm_place_wait(p, now, true) > a->answer.retry_ms && v->again &&
	    llm_place_wait(p, now, true) != INT64_MAX)
		a->answer.retry_ms = llm_place_wait(p, now, true);
	if (!wants_again(a, v) || left_alone || l->stopping ||
	    pause > l->timing.retry_after_cap_ms)
		return true;
	wait_again(l, a, now + pause);
	return false;
}

static bool
wants_again(struct llm_ask *a, const struct llm_verdict *v)
{
	if (!v->again || a->tries >= a->q.attempts)
		return false;
	if (v->once && a->again_once++ > 0)
		return false;
	if (v->more_tokens) {
		if (a->tokens >= a->ep.tokens_max)
			return false;
		a->tokens = a->tokens > a->ep.tokens_max / 4 ? a->ep.tokens_max
							     : a->tokens * 4;
	}
	return true;
}

static void
wait_again(struct llm *l, struct llm_ask *a, int64_t at)
{
	llm_reply_release(&a->reply);
	a->reply_open = false;
	a->since = clock_mono_ms();
	a->ready_at = at;
	enqueue(l, a, true);
}

/* End it without an answer of a server. */
static void
refuse(
    struct llm_ask *a, enum llm_class class, enum llm_why why, int64_t retry_ms)
{
	a->answer.class = class;
	a->answer.why = why;
	a->answer.retry_ms = retry_ms;
	a->answer.text = (struct text){ NULL, 0 };
	a->answer.first_ms = a->answer.first_token_ms = -1;
	a->answer.url = a->shown_url;
	if (a->answer.tls == NULL)
		a->answer.tls = "plain";
}

/* Without the lock: the callback may ask again. */
static void
tell(struct llm_ask *a)
{
	struct llm *l = a->owner;

	(void)pthread_mutex_lock(&l->lock);
	a->place->state.tokens_in += a->answer.tokens_in;
	a->place->state.tokens_out += a->answer.tokens_out;
	(void)pthread_mutex_unlock(&l->lock);
	if (a->answer.class > LLM_REFUSED)
		log_notice("endpoint %s: %s (%s) after %lld attempts: %.*s",
		    a->place->id, llm_class_name(a->answer.class),
		    llm_why_name(a->answer.why), (long long)a->answer.attempts,
		    (int)a->answer.detail.n,
		    a->answer.detail.p == NULL ? "" : a->answer.detail.p);
	a->done(a->arg, &a->answer);
	llm_ask_close(a);
}

static void
enqueue(struct llm *l, struct llm_ask *a, bool in_front)
{
	struct llm_ask **at = &l->first;

	while (!in_front && *at != NULL)
		at = &(*at)->next;
	a->next = *at;
	*at = a;
	a->place->waiting++;
}

static struct llm_place *
place_of(struct llm *l, struct text id)
{
	struct llm_place *p;

	for (p = l->places; p != NULL; p = p->next) {
		if (str_is((struct str){ id.p, id.n }, p->id))
			return p;
	}
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	(void)snprintf(p->id, sizeof(p->id), "%.*s", (int)id.n, id.p);
	p->next = l->places;
	l->places = p;
	return p;
}

static enum err
admit(struct llm *l, struct llm_ask *a, int64_t now)
{
	struct llm_place *p = place_of(l, a->ep.id);

	if (p == NULL)
		return ERR_NOMEM;
	if (l->stopping || llm_place_wait(p, now, a->q.suspect) != 0)
		return ERR_CLOSED;
	if (p->running + p->waiting >= a->ep.concurrency + a->ep.queue)
		return ERR_LIMIT;
	/* When the time for a probe has come one is enough. */
	if (p->breaker.state == BREAKER_OPEN && p->running + p->waiting > 0)
		return ERR_CLOSED;
	if (!a->q.suspect)
		llm_breaker_trust(&p->breaker, now);
	a->place = p;
	a->since = a->ready_at = now;
	p->state.asked++;
	enqueue(l, a, false);
	return ERR_OK;
}

/* It may have run although no answer came: all that was sent and not turned
 * away by a status. */
static bool
may_be_charged(const struct http_result *h)
{
	return h->sent &&
	       (h->status == 0 || (h->status >= 200 && h->status < 300));
}
