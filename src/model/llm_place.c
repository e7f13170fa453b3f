/* This file knows how to keep what was learnt about each endpoint. */
#include "config.h"

#include "model/llm_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "model/conf.h"

/* An ask and its answer: a body of 1 MiB, decoded, cleaned, cut. */
#define ASK_CAP ((size_t)4 * 1024 * 1024)
/* No server may silence itself for longer. */
#define COOL_MAX_MS 3600000

static bool copy_endpoint(struct pool *pool, struct llm_endpoint *ep);
static bool copy_question(struct pool *pool, struct llm_question *q);
static void keep_error(struct llm_place *p, const struct llm_answer *a);

struct llm_ask *
llm_ask_open(
    const struct llm_endpoint *ep, const struct llm_question *q, struct str url)
{
	struct pool *pool = pool_open(ASK_CAP);
	struct llm_ask *a = pool == NULL ? NULL : pool_alloc(pool, sizeof(*a));
	struct str query;
	struct str shown;

	if (a == NULL) {
		pool_close(pool);
		return NULL;
	}
	a->pool = pool;
	a->ep = *ep;
	a->q = *q;
	query = url = pool_str(pool, url);
	a->url = (struct text){ url.p, url.n };
	shown = pool_str(pool, str_cut(&query, '?'));
	a->shown_url = (struct text){ shown.p, shown.n };
	a->tokens = llm_request_tokens(ep, q);
	if (a->q.attempts < 1 || a->q.attempts > 3)
		a->q.attempts = 3;
	if (!copy_endpoint(pool, &a->ep) || !copy_question(pool, &a->q)) {
		pool_close(pool);
		return NULL;
	}
	return a;
}

void
llm_ask_close(struct llm_ask *a)
{
	if (a == NULL)
		return;
	if (a->reply_open)
		llm_reply_release(&a->reply);
	pool_close(a->answer_pool);
	if (a->ep.key.p != NULL) {
		/* The copy is in our pool: wiping it needs no const cast. */
		union {
			const char *in;
			void *out;
		} key = { a->ep.key.p };

		explicit_bzero(key.out, a->ep.key.n);
	}
	pool_close(a->pool);
}

int64_t
llm_place_wait(const struct llm_place *p, int64_t now, bool suspect)
{
	int64_t wait = 0;

	if (p->breaker.state == BREAKER_PROBING)
		return INT64_MAX;
	if (p->breaker.state == BREAKER_OPEN && p->breaker.until > now &&
	    (suspect || !p->breaker.doubtful))
		wait = p->breaker.until - now;
	if (p->cool_until > now && p->cool_until - now > wait)
		wait = p->cool_until - now;
	return wait;
}

struct llm_learnt *
llm_place_learnt(struct llm_place *p, struct text model)
{
	size_t max = sizeof(p->learnt) / sizeof(p->learnt[0]);
	size_t i;

	for (i = 0; i < p->learnt_n; i++) {
		if (str_is(
			(struct str){ model.p, model.n }, p->learnt_model[i]))
			return &p->learnt[i];
	}
	if (p->learnt_n < max)
		p->learnt_n++;
	else
		i = max - 1;
	memset(&p->learnt[i], 0, sizeof(p->learnt[i]));
	(void)snprintf(p->learnt_model[i], sizeof(p->learnt_model[i]), "%.*s",
	    (int)model.n, model.p == NULL ? "" : model.p);
	return &p->learnt[i];
}

bool
llm_place_outcome(struct llm_place *p, const struct llm_timing *t,
    const struct llm_ask *ask, const struct llm_verdict *v, int64_t now,
    int64_t retry_after)
{
	const struct llm_answer *a = &ask->answer;

	p->state.attempts++;
	if (v->class <= LLM_REFUSED) { /* it answered */
		p->state.answered++;
		p->throttled = 0;
		p->told = false;
		p->cool_until = 0;
		llm_breaker_good(&p->breaker);
		if (a->model.p != NULL)
			(void)snprintf(p->state.last_model,
			    sizeof(p->state.last_model), "%.*s",
			    (int)a->model.n, a->model.p);
		return false;
	}
	p->state.failed++;
	keep_error(p, a);
	if (v->throttled) {
		int64_t pause = retry_after >= 0
				    ? retry_after
				    : llm_backoff(t, p->throttled, rng_unit());

		p->throttled++;
		if (pause > COOL_MAX_MS)
			pause = COOL_MAX_MS;
		if (now + pause > p->cool_until)
			p->cool_until = now + pause;
	}
	if (v->broken) {
		if (!p->told)
			log_error("endpoint %s needs somebody to look at it: "
				  "%s (%s)",
			    p->id, llm_why_name(v->why), p->state.last_error);
		p->told = true;
		return llm_breaker_bad(&p->breaker, t, now, true);
	}
	if (v->failed && ask->q.suspect &&
	    p->breaker.state == BREAKER_PROBING) {
		llm_breaker_doubt(&p->breaker, now);
		return true;
	}
	if (v->failed) {
		bool opened = llm_breaker_bad(&p->breaker, t, now, false);

		if (opened)
			log_warning("endpoint %s is left alone for %lld ms: "
				    "%s (%s)",
			    p->id, (long long)p->breaker.pause_ms,
			    llm_why_name(v->why), p->state.last_error);
		return opened;
	}
	/* A refusal of this one question is a sign of life. */
	if (v->class == LLM_TRANSIENT)
		llm_breaker_undecided(&p->breaker, now);
	else
		llm_breaker_good(&p->breaker);
	return false;
}

enum llm_health
llm_place_health(const struct llm_place *p, int64_t now)
{
	if (p->breaker.state == BREAKER_PROBING)
		return LLM_HEALTH_PROBING;
	if (p->breaker.state == BREAKER_OPEN)
		return p->breaker.broken ? LLM_HEALTH_BROKEN : LLM_HEALTH_OPEN;
	if (p->cool_until > now)
		return LLM_HEALTH_COOLING;
	return p->state.answered > 0 ? LLM_HEALTH_GOOD : LLM_HEALTH_UNKNOWN;
}

static bool
copy_endpoint(struct pool *pool, struct llm_endpoint *ep)
{
	struct text *const texts[] = { &ep->id, &ep->url, &ep->header,
		&ep->query, &ep->model, &ep->ca_file, &ep->proxy };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i]->p != NULL)
			*texts[i] = pool_text(pool, *texts[i]);
	}
	if (ep->key.p != NULL)
		ep->key = pool_str(pool, ep->key);
	return !pool_failed(pool);
}

static bool
copy_question(struct pool *pool, struct llm_question *q)
{
	struct conf_parameter *parameters;
	struct llm_message *messages;

	parameters = pool_array(pool, q->parameters_n + 1, sizeof(*parameters));
	messages = pool_array(pool, q->messages_n + 1, sizeof(*messages));
	if (parameters == NULL || messages == NULL)
		return false;
	for (size_t i = 0; i < q->parameters_n; i++) {
		parameters[i].name = pool_text(pool, q->parameters[i].name);
		parameters[i].value = pool_text(pool, q->parameters[i].value);
	}
	for (size_t i = 0; i < q->messages_n; i++) {
		messages[i].role = q->messages[i].role;
		messages[i].text = pool_text(pool, q->messages[i].text);
	}
	q->model = pool_text(pool, q->model);
	q->parameters = parameters;
	q->messages = messages;
	return !pool_failed(pool);
}

static void
keep_error(struct llm_place *p, const struct llm_answer *a)
{
	p->state.last_class = a->class;
	p->state.last_why = a->why;
	p->state.last_error_at = clock_now();
	(void)snprintf(p->state.last_error, sizeof(p->state.last_error), "%.*s",
	    (int)a->detail.n, a->detail.p == NULL ? "" : a->detail.p);
}
