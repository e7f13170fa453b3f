/* This file knows how to try a model server and say in words what works. */
#include "config.h"

#include "cmd/endpoint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/buf.h"
#include "base/text.h"
#include "cmd/options.h"
#include "model/conf.h"
#include "model/llm.h"
#include "port/http.h"
#include "port/xml.h"

#define PROBLEMS_CAP ((size_t)4 * 1024 * 1024)
/* Thinking models spend less than this on a greeting. */
#define TOKENS_LEAST 1000
#define SHOWN_CHARS 200

struct request {
	const char *id, *setup, *model, *conf;
};

/* What came back, copied out of the callback. */
struct answer {
	pthread_mutex_t lock;
	pthread_cond_t came;
	bool here;
	struct pool *pool;
	struct llm_answer a;
};

static int read_options(int argc, char **argv, struct request *rq);
static int test(const struct request *rq, struct pool *pool);
static int find(const struct request *rq, const struct conf *c,
    const struct llm_endpoint **ep, const struct conf_setup **setup);
static enum err ask(struct llm *l, const struct llm_endpoint *ep,
    const struct conf_setup *setup, struct answer *out);
static void on_answer(void *arg, const struct llm_answer *a);
static struct text copy(struct pool *pool, struct text t);
static void print_answer(
    const struct llm_endpoint *ep, const struct llm_answer *a);
static void print_connection(
    const struct llm_endpoint *ep, const struct llm_answer *a);
static void print_model(const struct llm_answer *a);
static void print_speed(const struct llm_answer *a);
static void print_thinking(const struct llm_answer *a);
static void print_failure(const struct llm_answer *a);
static const char *advice(enum llm_why why);
static int exit_code(const struct llm_answer *a);
static void print_problems(const struct problems *ps);

static const char usage[] =
    "usage: prompt-arena endpoint test ID [--setup ID] [--model NAME]\n"
    "                                  [--conf PATH] [--state DIR]\n";

static const char help[] =
    "Asks the <endpoint> of that id in arena.xml one real question, and says\n"
    "what works: address, certificate, key, model, speed, thinking.\n"
    "\n"
    "  --setup ID    the <setup> whose model and parameters are used\n"
    "                (default: the first one that names the endpoint)\n"
    "  --model NAME  ask for this model\n"
    "  --conf PATH   folder or file of the configuration\n"
    "  --state DIR   where relative paths start\n"
    "\n"
    "Exit status: 0 it works, 64 wrong usage, 65 it answers uselessly, 75 it\n"
    "does not answer now, 78 something has to be changed.\n";

int
cmd_endpoint(int argc, char **argv)
{
	struct request rq = { NULL, NULL, NULL, NULL };
	struct pool *pool;
	int code = read_options(argc, argv, &rq);

	if (code >= 0)
		return code;
	pool = pool_open(PROBLEMS_CAP);
	if (pool == NULL || http_init() != ERR_OK) {
		pool_close(pool);
		return EX_OSERR;
	}
	xml_init();
	code = test(&rq, pool);
	http_shutdown();
	pool_close(pool);
	return code;
}

/* -1 to go on, else the exit code. */
static int
read_options(int argc, char **argv, struct request *rq)
{
	const char *state = NULL;

	if (options_has(&argc, argv, "--help")) {
		(void)fputs(usage, stdout);
		(void)fputs(help, stdout);
		return EX_OK;
	}
	if (options_take(&argc, argv, "--conf", &rq->conf) != ERR_OK ||
	    options_take(&argc, argv, "--state", &state) != ERR_OK ||
	    options_take(&argc, argv, "--setup", &rq->setup) != ERR_OK ||
	    options_take(&argc, argv, "--model", &rq->model) != ERR_OK ||
	    argc != 3 || strcmp(argv[1], "test") != 0) {
		(void)fputs(usage, stderr);
		return EX_USAGE;
	}
	rq->id = argv[2];
	if (state != NULL && setenv("PROMPT_ARENA_STATE", state, 1) != 0)
		return EX_OSERR;
	return -1;
}

static int
test(const struct request *rq, struct pool *pool)
{
	struct problems ps;
	struct conf *conf = NULL;
	const struct llm_endpoint *ep = NULL;
	const struct conf_setup *setup = NULL;
	struct llm_endpoint other;
	struct conf_setup made = { .model = text_of(rq->model) };
	struct answer out = { .lock = PTHREAD_MUTEX_INITIALIZER,
		.came = PTHREAD_COND_INITIALIZER };
	struct llm *l = NULL;
	int code = EX_CONFIG;

	problems_init(&ps, pool);
	if (conf_load(rq->conf, &ps, &conf) != ERR_OK) {
		print_problems(&ps);
		return EX_CONFIG;
	}
	out.pool = pool;
	code = find(rq, conf, &ep, &setup);
	if (code != EX_OK)
		goto out;
	if (setup != NULL)
		made = *setup;
	if (rq->model != NULL)
		made.model = text_of(rq->model);
	code = EX_OSERR;
	if (llm_start(&l, NULL) != ERR_OK || ask(l, ep, &made, &out) != ERR_OK)
		goto out;
	print_answer(ep, &out.a);
	code = exit_code(&out.a);
	if (out.a.why == LLM_WHY_PATH &&
	    memmem(ep->url.p, ep->url.n, "/v1", 3) == NULL) {
		struct str s = pool_printf(pool, "%s%sv1", ep->url.p,
		    ep->url.p[ep->url.n - 1] == '/' ? "" : "/");

		other = *ep;
		other.id = TEXT("with-v1");
		other.url = (struct text){ s.p, s.n };
		if (ask(l, &other, &made, &out) == ERR_OK &&
		    out.a.why != LLM_WHY_PATH)
			(void)printf("But something answers at %s: write that "
				     "as url.\n",
			    s.p);
	}
out:
	llm_stop(l);
	conf_close(conf);
	return code;
}

/* The endpoint, and the setup that says model and parameters. */
static int
find(const struct request *rq, const struct conf *c,
    const struct llm_endpoint **ep, const struct conf_setup **setup)
{
	*ep = conf_endpoint_find(c, text_of(rq->id));
	if (*ep == NULL) {
		(void)fprintf(stderr,
		    "%s: there is no endpoint \"%s\"; there "
		    "%s",
		    c->file.p, rq->id,
		    c->endpoints_n == 0 ? "is none at all" : "are:");
		for (size_t i = 0; i < c->endpoints_n; i++)
			(void)fprintf(stderr, " %s", c->endpoints[i].id.p);
		(void)fputc('\n', stderr);
		return EX_CONFIG;
	}
	for (size_t i = 0; i < c->setups_n && *setup == NULL; i++) {
		const struct conf_setup *s = &c->setups[i];

		if (rq->setup != NULL ? strcmp(s->id.p, rq->setup) == 0
				      : s->endpoint.p != NULL &&
					    strcmp(s->endpoint.p, rq->id) == 0)
			*setup = s;
	}
	if (*setup == NULL && (rq->setup != NULL || rq->model == NULL)) {
		(void)fprintf(stderr,
		    rq->setup != NULL ? "there is no setup \"%s\"\n"
				      : "no setup names the endpoint \"%s\"; "
					"say --model NAME\n",
		    rq->setup != NULL ? rq->setup : rq->id);
		return EX_CONFIG;
	}
	return EX_OK;
}

static enum err
ask(struct llm *l, const struct llm_endpoint *ep,
    const struct conf_setup *setup, struct answer *out)
{
	static const struct llm_message messages[] = {
		{ LLM_ROLE_SYSTEM, { "You are a friendly assistant.", 29 } },
		{ LLM_ROLE_USER,
		    { "In one sentence: why is the sky blue?", 37 } },
	};
	struct llm_endpoint roomy = *ep;
	struct llm_question q = {
		.model = setup->model, .messages = messages, .messages_n = 2
	};
	struct conf_parameter *kept;
	enum err e;

	/* A limit of the setup that is too small to think is no fault here. */
	kept = pool_array(out->pool, setup->parameters_n + 1, sizeof(*kept));
	if (kept == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < setup->parameters_n; i++) {
		const struct conf_parameter *p = &setup->parameters[i];

		if (strcmp(p->name.p, "max_tokens") != 0 &&
		    strcmp(p->name.p, "max_completion_tokens") != 0)
			kept[q.parameters_n++] = *p;
		else
			(void)!str_int((struct str){ p->value.p, p->value.n },
			    1, 1000000, &roomy.tokens);
	}
	q.parameters = kept;
	if (roomy.tokens < TOKENS_LEAST)
		roomy.tokens = TOKENS_LEAST;
	if (roomy.tokens_max < roomy.tokens)
		roomy.tokens_max = roomy.tokens;
	out->here = false;
	e = llm_ask(l, &roomy, &q, on_answer, out);
	if (e != ERR_OK)
		return e;
	(void)pthread_mutex_lock(&out->lock);
	while (!out->here)
		(void)pthread_cond_wait(&out->came, &out->lock);
	(void)pthread_mutex_unlock(&out->lock);
	return ERR_OK;
}

static void
on_answer(void *arg, const struct llm_answer *a)
{
	struct answer *out = arg;

	(void)pthread_mutex_lock(&out->lock);
	out->a = *a;
	out->a.text = copy(out->pool, a->text);
	out->a.reasoning = copy(out->pool, a->reasoning);
	out->a.refusal = copy(out->pool, a->refusal);
	out->a.finish = copy(out->pool, a->finish);
	out->a.model = copy(out->pool, a->model);
	out->a.detail = copy(out->pool, a->detail);
	out->a.url = copy(out->pool, a->url);
	out->here = true;
	(void)pthread_cond_signal(&out->came);
	(void)pthread_mutex_unlock(&out->lock);
}

static struct text
copy(struct pool *pool, struct text t)
{
	t = text_cut(t, SHOWN_CHARS);
	return t.p == NULL ? t : pool_text(pool, t);
}

static void
print_answer(const struct llm_endpoint *ep, const struct llm_answer *a)
{
	(void)printf("address    POST %s%s\n", a->url.p,
	    ep->query.p != NULL ? "?..." : "");
	print_connection(ep, a);
	if (a->class <= LLM_REFUSED || a->status == 200)
		print_model(a);
	if (a->text.p != NULL)
		(void)printf("answer     %.*s%s\n", (int)a->text.n, a->text.p,
		    a->class == LLM_OK_TRUNC ? " (cut at its limit)" : "");
	if (a->class <= LLM_REFUSED) {
		print_speed(a);
		print_thinking(a);
	}
	if (a->flags & LLM_FLAG_DROPPED)
		(void)puts("parameters some were refused and left out, see the "
			   "lines above: take them out of the setup");
	if (a->class <= LLM_OK_TRUNC)
		(void)puts("works");
	else
		print_failure(a);
}

static void
print_connection(const struct llm_endpoint *ep, const struct llm_answer *a)
{
	bool tls = strcmp(a->tls, "TLS") == 0;

	if (a->remote[0] == '\0' ||
	    (a->status == 0 && a->first_ms < 0 && a->charged == 0))
		(void)puts("connection none");
	else
		(void)printf("connection %s, %s\n", a->remote,
		    tls                 ? "its certificate is trusted"
		    : ep->key.p != NULL ? "without TLS: the key can be read on "
					  "the way"
					: "without TLS");
	if (ep->key.p == NULL)
		(void)puts("key        none is sent");
	else if (a->status == 200)
		(void)printf(
		    "key        accepted, in the header %s\n", ep->header.p);
	else if (a->why == LLM_WHY_AUTH)
		(void)printf(
		    "key        refused, in the header %s\n", ep->header.p);
}

static void
print_model(const struct llm_answer *a)
{
	if (a->model.p == NULL)
		(void)puts("model      the server does not say");
	else
		(void)printf("model      %.*s%s\n", (int)a->model.n, a->model.p,
		    (a->flags & LLM_FLAG_OTHER_MODEL)
			? ", which is not what was asked for"
			: "");
}

static void
print_speed(const struct llm_answer *a)
{
	int64_t writing = a->total_ms - a->first_token_ms;

	(void)printf("speed      first byte after %lld ms, whole after %lld ms",
	    (long long)a->first_ms, (long long)a->total_ms);
	if ((a->flags & LLM_FLAG_STREAMED) && a->first_token_ms >= 0 &&
	    writing > 0)
		(void)printf(", %.0f tokens a second",
		    (double)a->tokens_out * 1000 / (double)writing);
	(void)printf("; %lld tokens in, %lld out%s\n", (long long)a->tokens_in,
	    (long long)a->tokens_out,
	    (a->flags & LLM_FLAG_ESTIMATED) ? " (estimated)" : "");
}

static void
print_thinking(const struct llm_answer *a)
{
	if (a->tokens_thought > 0)
		(void)printf("thinking   %lld tokens: give setups at least "
			     "%d tokens\n",
		    (long long)a->tokens_thought, TOKENS_LEAST);
	else if (a->flags & LLM_FLAG_THOUGHT || a->reasoning.p != NULL)
		(void)puts("thinking   yes; it is cut off before the answer is "
			   "shown");
	else
		(void)puts("thinking   none");
}

static void
print_failure(const struct llm_answer *a)
{
	(void)printf(
	    "does not work: %s (%s)\n", advice(a->why), llm_why_name(a->why));
	if (a->detail.n > 0)
		(void)printf(
		    "it says    %.*s\n", (int)a->detail.n, a->detail.p);
}

static const char *
advice(enum llm_why why)
{
	switch (why) {
	case LLM_WHY_AUTH:
		return "the key is refused; look at key-file and header";
	case LLM_WHY_QUOTA:
		return "the account has no money or quota left";
	case LLM_WHY_PATH:
		return "nothing answers questions at this address; is /v1 "
		       "missing in url?";
	case LLM_WHY_MODEL:
		return "the server does not have this model";
	case LLM_WHY_REDIRECT:
		return "the server sends us elsewhere, which is not followed; "
		       "write the final address as url";
	case LLM_WHY_TLS:
		return "the connection cannot be trusted; for a certificate "
		       "of your own name its authority as ca-file";
	case LLM_WHY_PROXY:
		return "the proxy does not let us through";
	case LLM_WHY_ADDRESS:
		return "the address is on this machine or a private network; "
		       "write private-network=\"yes\" if that is meant";
	case LLM_WHY_CONFIG:
		return "the request cannot be sent as configured";
	case LLM_WHY_CONTEXT:
		return "even this short question is too long for the model";
	case LLM_WHY_PARAMETER:
	case LLM_WHY_REQUEST:
		return "the server refuses the request";
	case LLM_WHY_NOT_JSON:
	case LLM_WHY_HTML:
	case LLM_WHY_SHAPE:
	case LLM_WHY_EMPTY_BODY:
		return "what answers does not speak the OpenAI chat protocol";
	case LLM_WHY_TOOLS:
		return "the model wants to call tools instead of answering";
	case LLM_WHY_NO_TEXT:
		return "the answer has no text";
	case LLM_WHY_REASONING:
		return "the model thought until its tokens were gone; raise "
		       "tokens and tokens-max";
	case LLM_WHY_PROMPT_REFUSED:
	case LLM_WHY_ANSWER_REFUSED:
		return "the model or its filter declines a harmless question";
	case LLM_WHY_THROTTLED:
		return "the server wants fewer requests";
	case LLM_WHY_SERVER:
		return "the server has a fault of its own";
	case LLM_WHY_CONNECT:
		return "nobody answers there; is the server running, and the "
		       "name and port right?";
	case LLM_WHY_TIMEOUT:
	case LLM_WHY_TOTAL_TIME:
		return "the answer takes too long; a model that is being "
		       "loaded may need first-byte=\"300\" total=\"300\"";
	case LLM_WHY_CUT:
		return "the answer broke off";
	case LLM_WHY_BYTES:
		return "the answer is larger than bytes allows";
	case LLM_WHY_REPETITION:
		return "the model says the same again and again";
	default:
		return "no answer";
	}
}

static int
exit_code(const struct llm_answer *a)
{
	switch (a->class) {
	case LLM_OK:
	case LLM_OK_TRUNC:
		return EX_OK;
	case LLM_EMPTY:
	case LLM_REFUSED:
	case LLM_LIMIT:
		return EX_DATAERR;
	case LLM_PERMANENT:
		return EX_CONFIG;
	default:
		return EX_TEMPFAIL;
	}
}

static void
print_problems(const struct problems *ps)
{
	for (const struct problem *p = ps->first; p != NULL; p = p->next)
		(void)fprintf(
		    stderr, "%s:%d: %s\n", p->file.p, p->line, p->what.p);
}
