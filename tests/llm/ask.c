/*
 * ask - plays the stub server's table of cases through llm_ask.
 *
 * usage: ask table PORTS FOLDER PREFIX [PORT]   TAP, a line for each case
 *        ask scenarios PORTS                    breaker, stop, counters
 *        ask soak PORTS FOLDER SECONDS WORKERS  all cases at random
 *        ask peer URL MODEL                     one question, in words
 *
 * PORTS is what stub.cjs prints.  PREFIX is k1, k7, ... (pieces of so many
 * bytes) or x0; PORT is an nginx in front of the stub.  With JUMP=1 the wall
 * clock jumps by an hour at every look.
 */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "model/conf.h"
#include "model/llm.h"
#include "port/http.h"
#include "port/json.h"
#include "tests/tap.h"

#define TABLE_MAX ((size_t)16 * 1024 * 1024)
#define AT_ONCE 16
#define ASKS_MAX 64

static struct {
	struct http *http; /* for questions to the stub itself */
	struct llm *llm;
	struct js *ports, *table;
	const char *folder;
	const char *prefix;
	int64_t port;      /* where the table's cases are asked */
	bool nginx;
	int64_t hole;
	bool ipv6;         /* ::1 is there, and dead at the stub's port */
	atomic_size_t next;
} world;

/* ---- a wall clock that cannot be trusted ---- */

__attribute__((visibility("default"))) int
clock_gettime(clockid_t id, struct timespec *ts)
{
	static atomic_int looks;
	static int jump = -1;
	int rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (jump < 0)
		jump = getenv("JUMP") != NULL;
	if (jump && id == CLOCK_REALTIME)
		ts->tv_sec += atomic_fetch_add(&looks, 1) % 2 ? 3600 : -3600;
	return rc;
}

/* ---- a name with two addresses, of which the first is dead ---- */

#define TWO_ADDRESSES "two-addresses.test"

__attribute__((visibility("default"))) int
getaddrinfo(const char *restrict name, const char *restrict service,
    const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	int (*real)(const char *, const char *, const struct addrinfo *,
	    struct addrinfo **);
	struct addrinfo numeric = { .ai_flags = AI_NUMERICHOST,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *last;
	void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
	int rc;

	memcpy(&real, &symbol, sizeof(real));
	if (name == NULL || strcmp(name, TWO_ADDRESSES) != 0)
		return real(name, service, hints, out);
	rc = real("::1", service, &numeric, out);
	if (rc != 0)
		return rc;
	for (last = *out; last->ai_next != NULL; last = last->ai_next)
		continue;
	return real("127.0.0.1", service, &numeric, &last->ai_next);
}

/* ---- asking the stub ---- */

struct fetch {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done;
	int status;
	struct buf body;
};

static enum http_want
fetch_bytes(void *arg, struct str bytes)
{
	struct fetch *f = arg;

	buf_str(&f->body, bytes);
	return HTTP_MORE;
}

static void
fetch_done(void *arg, const struct http_result *r)
{
	struct fetch *f = arg;

	(void)pthread_mutex_lock(&f->lock);
	f->done = true;
	f->status = r->end == HTTP_DONE ? r->status : 0;
	if (r->end != HTTP_DONE)
		diag("%s: %s", http_end_name(r->end), r->why);
	(void)pthread_cond_signal(&f->ended);
	(void)pthread_mutex_unlock(&f->lock);
}

static int64_t
port_of(const char *name)
{
	int64_t port = 0;

	if (strcmp(name, "hole") == 0)
		return world.hole;
	if (js_int(js_get(world.ports, name), 1, 65535, &port) != ERR_OK)
		diag("no port %s", name);
	return port;
}

static struct js *
fetch(const char *path)
{
	struct fetch f = { .lock = PTHREAD_MUTEX_INITIALIZER,
		.ended = PTHREAD_COND_INITIALIZER };
	char url[300];
	struct http_request rq = { .url = url, .private_network = true,
		.body_max = TABLE_MAX, .head_max = 65536, .connect_ms = 5000,
		.first_ms = 30000, .idle_ms = 30000, .total_ms = 30000 };
	struct js *out = NULL;

	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%d%s",
	    (int)port_of("plain"), path);
	buf_init(&f.body, TABLE_MAX);
	if (http_send(world.http, &rq, fetch_bytes, fetch_done, &f, NULL) !=
	    ERR_OK)
		abort();
	(void)pthread_mutex_lock(&f.lock);
	while (!f.done)
		(void)pthread_cond_wait(&f.ended, &f.lock);
	(void)pthread_mutex_unlock(&f.lock);
	if (f.status != 200 || js_parse_foreign(buf_as_str(&f.body), TABLE_MAX,
	        &out, NULL) != ERR_OK) {
		diag("GET %s: %d", path, f.status);
		out = NULL;
	}
	buf_release(&f.body);
	return out;
}

/* ---- one case ---- */

struct outcome {
	enum err refused;
	enum llm_class class;
	enum llm_why why;
	unsigned flags;
	int status;
	int64_t attempts, retry_ms, tokens_in, tokens_out;
	char *text, *thought, *refusal, *finish, *model, *detail, *tls;
};

struct play {
	const struct js *c, *want, *opts, *ngx;
	const char *prefix;
	char name[64];
	struct pool *pool;
	struct llm_endpoint ep;
	struct llm_question q;
	int64_t asks;
	bool serial;
	pthread_mutex_t lock;
	pthread_cond_t some;
	int64_t ended, accepted;
	struct outcome out[ASKS_MAX];
	int64_t took_ms;
	struct buf wrong; /* what differs from what is wanted; empty: nothing */
};

static char *
zdup(struct text t)
{
	return t.p == NULL ? NULL : strndup(t.p, t.n);
}

static void
on_answer(void *arg, const struct llm_answer *a)
{
	struct play *p = arg;
	struct outcome *o;

	(void)pthread_mutex_lock(&p->lock);
	o = &p->out[p->ended];
	o->class = a->class;
	o->why = a->why;
	o->flags = a->flags;
	o->status = a->status;
	o->attempts = a->attempts;
	o->retry_ms = a->retry_ms;
	o->tokens_in = a->tokens_in;
	o->tokens_out = a->tokens_out;
	o->text = zdup(a->text);
	o->thought = zdup(a->reasoning);
	o->refusal = zdup(a->refusal);
	o->finish = zdup(a->finish);
	o->model = zdup(a->model);
	o->detail = zdup(a->detail);
	o->tls = strdup(a->tls == NULL ? "" : a->tls);
	p->ended++;
	(void)pthread_cond_signal(&p->some);
	(void)pthread_mutex_unlock(&p->lock);
}

static int64_t
number(const struct js *o, const char *key, int64_t fallback)
{
	(void)!js_int(js_get(o, key), INT64_MIN, INT64_MAX, &fallback);
	return fallback;
}

static bool
truth(const struct js *o, const char *key, bool fallback)
{
	(void)!js_bool(js_get(o, key), &fallback);
	return fallback;
}

static struct text
words(struct pool *pool, const struct js *o, const char *key)
{
	struct str s = js_str(js_get(o, key));

	if (s.p == NULL)
		return (struct text){ NULL, 0 };
	s = pool_str(pool, s);
	return (struct text){ s.p, s.n };
}

/* {plain}, {prefix} and so on in an address. */
static struct text
fill_in(struct play *p, struct text t)
{
	struct buf b;
	struct str s;

	if (t.p == NULL)
		return t;
	buf_init(&b, 4096);
	for (size_t i = 0; i < t.n; i++) {
		const char *close = t.p[i] == '{' ?
		    memchr(t.p + i, '}', t.n - i) : NULL;
		char name[16];

		if (close == NULL) {
			buf_c(&b, t.p[i]);
			continue;
		}
		(void)snprintf(name, sizeof(name), "%.*s",
		    (int)(close - t.p - (ptrdiff_t)i - 1), t.p + i + 1);
		if (strcmp(name, "prefix") == 0)
			buf_z(&b, p->prefix);
		else
			buf_int(&b, port_of(name));
		i = (size_t)(close - t.p);
	}
	s = pool_str(p->pool, buf_as_str(&b));
	buf_release(&b);
	return (struct text){ s.p, s.n };
}

static void
set_endpoint(struct play *p)
{
	const struct js *o = p->opts;
	struct llm_endpoint *ep = &p->ep;
	struct text base = words(p->pool, o, "base");
	struct text as = words(p->pool, o, "system_as");
	struct text ca = words(p->pool, o, "ca");
	struct text key = words(p->pool, o, "key");
	struct str s;

	llm_endpoint_defaults(ep);
	ep->id = text_of(p->name);
	s = pool_printf(p->pool, "http://127.0.0.1:%d/%s%s",
	    (int)world.port, p->prefix,
	    base.p == NULL ? "/v1" : base.p);
	ep->url = (struct text){ s.p, s.n };
	if (js_get(o, "url") != NULL)
		ep->url = fill_in(p, words(p->pool, o, "url"));
	if (key.p != NULL)
		ep->key = (struct str){ key.p, key.n };
	if (js_get(o, "header") != NULL)
		ep->header = words(p->pool, o, "header");
	ep->query = words(p->pool, o, "query");
	ep->proxy = fill_in(p, words(p->pool, o, "proxy"));
	if (ca.p != NULL) {
		s = pool_printf(p->pool, "%s/%s", world.folder, ca.p);
		ep->ca_file = (struct text){ s.p, s.n };
	}
	ep->private_network = truth(o, "private", true);
	ep->stream = truth(o, "stream", ep->stream);
	ep->send_model = truth(o, "send_model", true);
	ep->think = truth(o, "think", true);
	if (str_is((struct str){ as.p, as.n }, "developer"))
		ep->system_as = LLM_SYSTEM_DEVELOPER;
	else if (str_is((struct str){ as.p, as.n }, "user-prefix"))
		ep->system_as = LLM_SYSTEM_USER_PREFIX;
	if (js_get(o, "tokens_field") != NULL)
		ep->tokens_field = LLM_TOKENS_MAX_COMPLETION;
	ep->connect_ms = number(o, "connect", 4000);
	ep->first_ms = number(o, "first", 8000);
	ep->idle_ms = number(o, "idle", 6000);
	ep->total_ms = number(o, "total", 20000);
	ep->concurrency = number(o, "concurrency", 4);
	ep->queue = number(o, "queue", 64);
	ep->queue_ms = number(o, "queue_ms", 20000);
	ep->per_minute = number(o, "per_minute", 0);
	ep->tokens = number(o, "tokens", 500);
	ep->tokens_max = number(o, "tokens_max", 4000);
	ep->body_max = number(o, "body_max", 1024 * 1024);
}

static void
set_question(struct play *p)
{
	const struct js *params = js_get(p->opts, "params");
	const struct js *messages = js_get(p->opts, "messages");
	size_t n = js_count(messages);
	struct llm_message *m = pool_array(p->pool, n + 2, sizeof(*m));
	struct conf_parameter *c =
	    pool_array(p->pool, js_count(params) + 1, sizeof(*c));

	m[0].role = LLM_ROLE_SYSTEM;
	m[0].text = TEXT("Be brief.");
	m[1].role = LLM_ROLE_USER;
	m[1].text = TEXT("Say hello.");
	for (size_t i = 0; i < n; i++) {
		const struct js *pair = js_at(messages, i);
		struct str role = js_str(js_at(pair, 0));
		struct str said = js_str(js_at(pair, 1));

		m[i].role = str_is(role, "system") ? LLM_ROLE_SYSTEM :
		    str_is(role, "user")	   ? LLM_ROLE_USER :
						     LLM_ROLE_ASSISTANT;
		m[i].text = (struct text){ said.p, said.n };
	}
	for (size_t i = 0; i < js_count(params); i++) {
		struct str key;
		struct str value = js_str(js_member(params, i, &key));

		c[i].name = (struct text){ key.p, key.n };
		c[i].value = (struct text){ value.p, value.n };
	}
	p->q.model = text_of(p->name);
	p->q.parameters = c;
	p->q.parameters_n = js_count(params);
	p->q.messages = m;
	p->q.messages_n = n > 0 ? n : 2;
	p->q.attempts = number(p->opts, "attempts", 0);
}

static void
play_open(struct play *p, const struct js *c, const char *prefix)
{
	memset(p, 0, sizeof(*p));
	p->c = c;
	p->want = js_get(c, "want");
	p->opts = js_get(c, "opts");
	p->ngx = world.nginx ? js_get(p->opts, "ngx") : NULL;
	p->prefix = prefix;
	(void)snprintf(p->name, sizeof(p->name), "%s",
	    js_str(js_get(c, "name")).p);
	p->pool = pool_open(1024 * 1024);
	assert(p->pool != NULL);
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->some, NULL);
	buf_init(&p->wrong, 65536);
	set_endpoint(p);
	set_question(p);
	p->asks = number(p->opts, "asks", 1);
	p->serial = truth(p->opts, "serial", false);
	assert(p->asks <= ASKS_MAX);
}

static void
play_close(struct play *p)
{
	for (int64_t i = 0; i < ASKS_MAX; i++) {
		struct outcome *o = &p->out[i];

		free(o->text);
		free(o->thought);
		free(o->refusal);
		free(o->finish);
		free(o->model);
		free(o->detail);
		free(o->tls);
	}
	pool_close(p->pool);
	buf_release(&p->wrong);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->some);
}

static void
play_wait(struct play *p, int64_t n)
{
	(void)pthread_mutex_lock(&p->lock);
	while (p->ended < n)
		(void)pthread_cond_wait(&p->some, &p->lock);
	(void)pthread_mutex_unlock(&p->lock);
}

static void
play_run(struct play *p)
{
	int64_t start = clock_mono_ms();

	for (int64_t i = 0; i < p->asks; i++) {
		enum err e = llm_ask(world.llm, &p->ep, &p->q, on_answer, p);

		if (e == ERR_OK) {
			p->accepted++;
			if (p->serial)
				play_wait(p, p->accepted);
		} else {
			p->out[ASKS_MAX - 1].refused = e;
		}
	}
	play_wait(p, p->accepted);
	p->took_ms = clock_mono_ms() - start;
}

/* ---- what is wanted ---- */

/* The value wanted, with nginx's own taking precedence. */
static const struct js *
wanted(const struct play *p, const char *key)
{
	const struct js *v = js_get(p->ngx, key);

	return v != NULL ? v : js_get(p->want, key);
}

static bool
accepts(const struct js *v, const char *name)
{
	if (v == NULL || js_is_null(v))
		return true;
	if (js_str(v).p != NULL)
		return str_is(js_str(v), name);
	for (size_t i = 0; i < js_count(v); i++) {
		if (str_is(js_str(js_at(v, i)), name))
			return true;
	}
	return false;
}

static void
check_word(struct play *p, const char *key, const char *got, bool whole)
{
	const struct js *v = js_get(p->want, key);
	struct str s = js_str(v);

	if (v == NULL || (p->ngx != NULL && js_is_null(wanted(p, "class")) &&
	        js_get(p->ngx, "class") != NULL))
		return;
	if (js_is_null(v) && got == NULL)
		return;
	if (s.p != NULL && got != NULL &&
	    (whole ? str_is(s, got) : memmem(got, strlen(got), s.p, s.n) !=
	            NULL))
		return;
	buf_printf(&p->wrong, "%s is [%.300s], wanted [%.*s]; ", key,
	    got == NULL ? "(none)" : got, (int)s.n, s.p == NULL ? "" : s.p);
}

static unsigned
flag_of(struct str name)
{
	static const char *const names[] = { "no_finish", "finish_unknown",
		"thought", "fence", "repaired", "hidden", "other_model",
		"estimated", "dropped", "streamed", "secret" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_is(name, names[i]))
			return 1u << i;
	}
	diag("no flag %.*s", (int)name.n, name.p);
	return 1u << 31;
}

static void
check_flags(struct play *p, const struct outcome *o)
{
	const struct js *yes = wanted(p, "flags");
	const struct js *no = wanted(p, "not_flags");

	if (js_get(p->ngx, "class") != NULL)
		return;
	for (size_t i = 0; i < js_count(yes); i++) {
		struct str name = js_str(js_at(yes, i));

		if ((o->flags & flag_of(name)) == 0)
			buf_printf(&p->wrong, "no flag %.*s; ", (int)name.n,
			    name.p);
	}
	for (size_t i = 0; i < js_count(no); i++) {
		struct str name = js_str(js_at(no, i));

		if ((o->flags & flag_of(name)) != 0)
			buf_printf(&p->wrong, "flag %.*s; ", (int)name.n,
			    name.p);
	}
}

static void
check_secret(struct play *p, const struct outcome *o)
{
	const char *const said[] = { o->text, o->thought, o->refusal,
		o->finish, o->model, o->detail };
	struct llm_state state;

	if (!truth(p->want, "no_secret", false))
		return;
	llm_state(world.llm, p->ep.id, &state);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		if (said[i] != NULL && strstr(said[i], p->ep.key.p) != NULL)
			buf_printf(&p->wrong, "the key stands in %zu; ", i);
	}
	if (strstr(state.last_error, p->ep.key.p) != NULL ||
	    strstr(state.last_model, p->ep.key.p) != NULL)
		buf_z(&p->wrong, "the key stands in the state; ");
}

static void
check_outcome(struct play *p, const struct outcome *o)
{
	int64_t n;

	if (!accepts(wanted(p, "class"), llm_class_name(o->class)))
		buf_printf(&p->wrong, "class %s; ", llm_class_name(o->class));
	if (!accepts(wanted(p, "why"), llm_why_name(o->why)))
		buf_printf(&p->wrong, "why %s; ", llm_why_name(o->why));
	if (o->class == LLM_OK || o->class == LLM_OK_TRUNC ||
	    js_is_null(js_get(p->want, "text")))
		check_word(p, "text", o->text, true);
	check_word(p, "thought", o->thought, false);
	check_word(p, "refusal", o->refusal, false);
	check_word(p, "finish", o->finish, true);
	check_word(p, "model", o->model, true);
	check_word(p, "detail", o->detail, false);
	check_word(p, "tls", o->tls, true);
	check_flags(p, o);
	check_secret(p, o);
	n = number(p->want, "thought_n", -1);
	if (n >= 0 && (o->thought == NULL || strlen(o->thought) != (size_t)n))
		buf_printf(&p->wrong, "thought [%s]; ", o->thought);
	n = number(p->want, "retry_min", INT64_MIN);
	if (o->retry_ms < n)
		buf_printf(&p->wrong, "retry_ms %lld; ", (long long)o->retry_ms);
	n = number(p->want, "tokens_out", -1);
	if (n >= 0 && o->tokens_out != n)
		buf_printf(&p->wrong, "tokens_out %lld; ",
		    (long long)o->tokens_out);
	n = number(p->want, "tokens_below", INT64_MAX);
	if (o->tokens_out >= n || o->tokens_out <= 0 || o->tokens_in >= n ||
	    o->tokens_in < 0)
		if (n != INT64_MAX)
			buf_printf(&p->wrong, "tokens %lld, %lld; ",
			    (long long)o->tokens_in, (long long)o->tokens_out);
}

static void
check_counts(struct play *p)
{
	char path[128];
	struct js *seen;
	int64_t n, requests;
	struct str said;

	(void)snprintf(path, sizeof(path), "/count/%s/%s", p->prefix, p->name);
	seen = fetch(path);
	requests = number(seen, "requests", -1);
	if (js_int(wanted(p, "n"), 0, 1000, &n) == ERR_OK && requests != n)
		buf_printf(&p->wrong, "%lld requests; ", (long long)requests);
	if (requests > number(p->want, "n_max", INT64_MAX))
		buf_printf(&p->wrong, "%lld requests; ", (long long)requests);
	said = js_str(js_get(seen, "wrong"));
	if (said.n > 0)
		buf_printf(&p->wrong, "the stub says: %.*s; ", (int)said.n,
		    said.p);
	js_close(seen);
}

static void
check_health(struct play *p)
{
	struct str health = js_str(js_get(p->want, "health"));
	struct llm_state state;

	if (health.p == NULL)
		return;
	llm_state(world.llm, p->ep.id, &state);
	if (!str_is(health, llm_health_name(state.health)))
		buf_printf(&p->wrong, "health %s; ",
		    llm_health_name(state.health));
}

static void
play_check(struct play *p)
{
	struct str refused = js_str(js_get(p->want, "refused"));
	int64_t refused_n = number(p->want, "refused_n", 0);
	int64_t fine = 0;
	int64_t n;

	if (refused.p != NULL) {
		if (!str_is(refused, err_name(p->out[ASKS_MAX - 1].refused)))
			buf_printf(&p->wrong, "was not refused as %.*s; ",
			    (int)refused.n, refused.p);
		return;
	}
	if (!js_is_null(js_get(p->want, "refused_n")) &&
	    p->asks - p->accepted != refused_n)
		buf_printf(&p->wrong, "%lld refused (%s); ",
		    (long long)(p->asks - p->accepted),
		    err_name(p->out[ASKS_MAX - 1].refused));
	for (int64_t i = 0; i < p->accepted; i++) {
		check_outcome(p, &p->out[i]);
		fine += p->out[i].class == LLM_OK;
	}
	check_counts(p);
	check_health(p);
	n = number(p->want, "ok_n", fine);
	if (n != fine)
		buf_printf(&p->wrong, "%lld are ok; ", (long long)fine);
	if (p->took_ms < number(wanted(p, "min_ms") ? p->ngx &&
	            js_get(p->ngx, "min_ms") ? p->ngx : p->want : NULL,
	        "min_ms", 0))
		buf_printf(&p->wrong, "took only %lld ms; ",
		    (long long)p->took_ms);
	if (p->took_ms > number(p->want, "max_ms", 25000))
		buf_printf(&p->wrong, "took %lld ms; ", (long long)p->took_ms);
	if (p->wrong.n > 0 && p->accepted > 0)
		buf_printf(&p->wrong, "(%s, %s, HTTP %d, %s)",
		    llm_class_name(p->out[0].class),
		    llm_why_name(p->out[0].why), p->out[0].status,
		    p->out[0].detail == NULL ? "" : p->out[0].detail);
}

/* ---- the table ---- */

static struct {
	char *wrong;
	bool skipped, no_ipv6;
	int64_t took_ms;
} *results;

static void *
work(void *arg)
{
	size_t n = js_count(world.table);
	size_t i;

	(void)arg;
	while ((i = atomic_fetch_add(&world.next, 1)) < n) {
		const struct js *c = js_at(world.table, i);
		struct play *p = malloc(sizeof(*p));
		const char *only = getenv("ONLY");

		assert(p != NULL);
		play_open(p, c, world.prefix);
		if ((world.nginx && str_is(js_str(p->ngx), "skip")) ||
		    (only != NULL && strncmp(p->name, only, strlen(only)) != 0)) {
			results[i].skipped = true;
		} else if (!world.ipv6 && truth(p->opts, "ipv6", false)) {
			results[i].no_ipv6 = true;
		} else {
			play_run(p);
			play_check(p);
			results[i].took_ms = p->took_ms;
			if (p->wrong.n > 0)
				results[i].wrong = strndup(p->wrong.p, p->wrong.n);
		}
		play_close(p);
		free(p);
	}
	return NULL;
}

static void
timing(struct llm_timing *t)
{
	llm_timing_defaults(t);
	t->backoff_ms = 30;
	t->backoff_cap_ms = 120;
}

static void
know_secrets(void)
{
	for (size_t i = 0; i < js_count(world.table); i++) {
		struct str key = js_str(
		    js_get(js_get(js_at(world.table, i), "opts"), "key"));

		if (key.p != NULL)
			log_secret(key);
	}
}

/* A listening socket whose queue is full: connecting to it hangs.  False:
 * there is no such address, or its port is taken. */
static bool
dig_hole(struct sockaddr *sa, socklen_t n)
{
	int fd = socket(sa->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, sa, n) != 0 || listen(fd, 0) != 0 ||
	    getsockname(fd, sa, &n) != 0) {
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	for (int i = 0; i < 4; i++) {
		int c = socket(sa->sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (c >= 0)
			(void)!connect(c, sa, n);
	}
	return true;
}

static void
dig_holes(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)port_of("plain")),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };

	if (!dig_hole((struct sockaddr *)&in, sizeof(in)))
		abort();
	world.hole = ntohs(in.sin_port);
	world.ipv6 = js_get(world.ports, "plain6") != NULL &&
	    dig_hole((struct sockaddr *)&in6, sizeof(in6));
}

static int
run_table(void)
{
	pthread_t threads[AT_ONCE];
	struct llm_timing t;
	size_t n = js_count(world.table);
	int64_t start = clock_mono_ms();

	timing(&t);
	results = calloc(n, sizeof(*results));
	if (results == NULL || llm_start(&world.llm, &t) != ERR_OK)
		return 1;
	for (size_t i = 0; i < AT_ONCE; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			abort();
	}
	for (size_t i = 0; i < AT_ONCE; i++)
		(void)pthread_join(threads[i], NULL);
	llm_stop(world.llm);
	for (size_t i = 0; i < n; i++) {
		const struct js *c = js_at(world.table, i);

		if (results[i].skipped)
			continue;
		ok(results[i].wrong == NULL, "%s %s: %s%s", world.prefix,
		    js_str(js_get(c, "name")).p, js_str(js_get(c, "row")).p,
		    results[i].no_ipv6 ? " # SKIP no IPv6 here" : "");
		if (results[i].wrong != NULL)
			diag("  %s", results[i].wrong);
		if (results[i].took_ms > 3000)
			diag("  took %d ms", (int)results[i].took_ms);
		free(results[i].wrong);
	}
	free(results);
	diag("%s: %d cases in %d ms", world.prefix, tap_count,
	    (int)(clock_mono_ms() - start));
	return done_testing();
}

/* ---- scenarios ---- */

static const struct js *
case_named(const char *name, struct pool *pool)
{
	struct str s = pool_printf(pool,
	    "{\"name\":\"%s\",\"want\":{},\"opts\":{}}", name);
	struct js *c = NULL;

	if (js_parse(s, 4096, &c, NULL) != ERR_OK)
		abort();
	return c;
}

/* Ask once; what came of it, or the refusal in out->refused. */
static void
ask_once(const char *name, const char *id, struct outcome *out)
{
	struct pool *pool = pool_open(65536);
	const struct js *c = case_named(name, pool);
	struct play *p = malloc(sizeof(*p));

	assert(p != NULL);
	play_open(p, c, "k0");
	p->ep.id = text_of(id);
	p->q.attempts = 1;
	play_run(p);
	*out = p->out[0];
	out->refused = p->out[ASKS_MAX - 1].refused;
	out->text = out->detail = NULL;
	play_close(p);
	free(p);
	pool_close(pool);
	js_close((struct js *)(uintptr_t)c);
}

/* Until it would be asked again. */
static void
wait_ready(struct text id)
{
	struct llm_state s;

	do {
		(void)poll(NULL, 0, 2);
		llm_state(world.llm, id, &s);
	} while (s.wait_ms > 0);
}

static void
test_breaker(void)
{
	struct outcome o;
	struct llm_state s;

	for (int i = 0; i < 5; i++) {
		ask_once("case-23", "b", &o);
		is_int(o.class, LLM_TRANSIENT, "failure %d is transient", i + 1);
	}
	ask_once("case-23", "b", &o);
	is_int(o.refused, ERR_CLOSED, "after five failures it is left alone");
	llm_state(world.llm, TEXT("b"), &s);
	is_int(s.health, LLM_HEALTH_OPEN, "and said to be open");
	ok(s.wait_ms > 0 && s.wait_ms <= 300, "with the time until the probe");
	is_int(s.attempts, 5, "no request left meanwhile");
	wait_ready(TEXT("b"));
	ask_once("case-23", "b", &o);
	is_int(o.class, LLM_TRANSIENT, "the probe fails");
	llm_state(world.llm, TEXT("b"), &s);
	ok(s.wait_ms > 300 && s.wait_ms <= 600, "the pause doubles: %d",
	    (int)s.wait_ms);
	js_close(fetch("/set/k0/case-23/up"));
	wait_ready(TEXT("b"));
	ask_once("case-23", "b", &o);
	is_int(o.class, LLM_OK, "it is back by itself");
	llm_state(world.llm, TEXT("b"), &s);
	is_int(s.health, LLM_HEALTH_GOOD, "and good");
	is_int(s.wait_ms, 0, "and taken at once");
	js_close(fetch("/set/k0/case-23/down"));
}

static void
test_forget(void)
{
	struct outcome o;
	struct llm_state s;

	for (int i = 0; i < 5; i++)
		ask_once("case-23", "f", &o);
	ask_once("case-23", "f", &o);
	is_int(o.refused, ERR_CLOSED, "left alone");
	llm_forget(world.llm);
	llm_state(world.llm, TEXT("f"), &s);
	is_int(s.wait_ms, 0, "a reload gives it a new chance");
}

/* Every ask ends in its callback, also when all is stopped under it. */
static void
test_stop(void)
{
	struct pool *pool = pool_open(65536);
	const struct js *c = case_named("case-slow", pool);
	struct play *p = malloc(sizeof(*p));
	int64_t start = clock_mono_ms();

	assert(p != NULL);
	play_open(p, c, "k0");
	p->ep.concurrency = 2;
	for (int i = 0; i < 9; i++) {
		if (llm_ask(world.llm, &p->ep, &p->q, on_answer, p) == ERR_OK)
			p->accepted++;
	}
	is_int(p->accepted, 9, "nine are taken");
	llm_stop(world.llm);
	world.llm = NULL;
	is_int(p->ended, 9, "each has ended");
	ok(clock_mono_ms() - start < 15000, "without waiting for the server");
	for (int i = 0; i < 9; i++) {
		is_int(p->out[i].class, LLM_TRANSIENT, "as transient");
		is_int(p->out[i].why, LLM_WHY_CANCELLED, "and cancelled");
	}
	play_close(p);
	free(p);
	pool_close(pool);
	js_close((struct js *)(uintptr_t)c);
}

static int
run_scenarios(void)
{
	struct llm_timing t;

	timing(&t);
	t.probe_ms = 300;
	t.probe_cap_ms = 3000;
	if (llm_start(&world.llm, &t) != ERR_OK)
		return 1;
	test_breaker();
	test_forget();
	test_stop();
	return done_testing();
}

/* ---- soak ---- */

static struct {
	int64_t end_at;
	atomic_llong asked, answered;
} soak;

static void *
soak_work(void *arg)
{
	static const char *const prefixes[] = { "k0", "k1", "k7", "k4096" };
	struct rng r;

	rng_seed(&r, (uint64_t)(uintptr_t)arg);
	while (clock_mono_ms() < soak.end_at) {
		size_t i = rng_next_below(&r, js_count(world.table));
		struct play *p = malloc(sizeof(*p));

		assert(p != NULL);
		play_open(p, js_at(world.table, i), prefixes[rng_next_below(&r, 4)]);
		if (!world.ipv6 && truth(p->opts, "ipv6", false)) {
			play_close(p);
			free(p);
			continue;
		}
		if (p->asks > 4)
			p->asks = 4;
		p->ep.first_ms = p->ep.first_ms < 1000 ? p->ep.first_ms : 1000;
		p->ep.total_ms = p->ep.total_ms < 2000 ? p->ep.total_ms : 2000;
		llm_forget(world.llm);
		play_run(p);
		atomic_fetch_add(&soak.asked, p->accepted);
		for (int64_t k = 0; k < p->ended; k++) {
			if (p->out[k].class <= LLM_OK_TRUNC)
				atomic_fetch_add(&soak.answered, 1);
		}
		play_close(p);
		free(p);
	}
	return NULL;
}

static void
soak_for(int64_t ms, size_t workers)
{
	pthread_t threads[16];
	static uintptr_t seed = 1;

	soak.end_at = clock_mono_ms() + ms;
	for (size_t i = 0; i < workers && i < 16; i++) {
		if (pthread_create(&threads[i], NULL, soak_work,
		        (void *)seed++) != 0)
			abort();
	}
	for (size_t i = 0; i < workers && i < 16; i++)
		(void)pthread_join(threads[i], NULL);
}

static int
open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		(void)closedir(d);
	return n;
}

static long
resident_kb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f != NULL) {
		if (fscanf(f, "%*d %ld", &pages) != 1)
			pages = 0;
		(void)fclose(f);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int
run_soak(int64_t seconds, size_t workers)
{
	struct llm_timing t;
	int files, after;
	long before, grown;

	timing(&t);
	t.retry_after_cap_ms = 1000;
	if (llm_start(&world.llm, &t) != ERR_OK)
		return 1;
	llm_stop(world.llm);
	files = open_files();
	if (llm_start(&world.llm, &t) != ERR_OK)
		return 1;
	/* Every case has been met before memory is weighed. */
	world.prefix = "k0";
	soak_for(seconds * 1000 / 3, workers);
	before = resident_kb();
	soak_for(seconds * 1000 * 2 / 3, workers);
	grown = resident_kb() - before;
	after = open_files();
	ok(after - files < 64, "%d open files more while it runs", after - files);
	llm_stop(world.llm);
	is_int(open_files(), files, "no file is left open");
#ifdef PA_SANITIZERS
	ok(true, "memory grew by %ld kB (with sanitizers)", grown);
#else
	ok(grown < 5 * 1024, "memory grew by %ld kB", grown);
#endif
	ok(atomic_load(&soak.answered) > 0, "%lld asked, %lld answered",
	    (long long)atomic_load(&soak.asked),
	    (long long)atomic_load(&soak.answered));
	return done_testing();
}

/* ---- a server of somebody else ---- */

static int
run_peer(const char *url, const char *model, const char *question)
{
	struct llm_endpoint ep;
	struct llm_message m[] = { { LLM_ROLE_SYSTEM, TEXT("Be brief.") },
		{ LLM_ROLE_USER, text_of(question) } };
	struct llm_question q = { .model = text_of(model), .messages = m,
		.messages_n = 2 };

	if (llm_start(&world.llm, NULL) != ERR_OK)
		return 1;
	for (int stream = 0; stream < 2; stream++) {
		struct play *p = calloc(1, sizeof(*p));

		assert(p != NULL);
		(void)pthread_mutex_init(&p->lock, NULL);
		(void)pthread_cond_init(&p->some, NULL);
		llm_endpoint_defaults(&ep);
		ep.id = TEXT("peer");
		ep.url = text_of(url);
		ep.private_network = true;
		ep.stream = stream;
		ep.key = STR("peer-test-key");
		if (llm_ask(world.llm, &ep, &q, on_answer, p) != ERR_OK)
			abort();
		play_wait(p, 1);
		ok(p->out[0].class == LLM_OK, "%s answer of a peer: %s",
		    stream ? "a streamed" : "a whole",
		    llm_class_name(p->out[0].class));
		ok(p->out[0].text != NULL && strlen(p->out[0].text) > 0,
		    "with a text");
		diag("  %.200s %s", p->out[0].text ? p->out[0].text : "(none)",
		    p->out[0].detail ? p->out[0].detail : "");
		play_close(p);
		free(p);
	}
	llm_stop(world.llm);
	return done_testing();
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int rc = 64;

	(void)signal(SIGPIPE, SIG_IGN);
	/* Case 11: what the environment says about proxies is nobody's word. */
	(void)setenv("http_proxy", "http://127.0.0.1:9", 1);
	(void)setenv("https_proxy", "http://127.0.0.1:9", 1);
	(void)setenv("ALL_PROXY", "http://127.0.0.1:9", 1);
	if (getenv("VERBOSE") != NULL)
		log_level_set(LOG_LEVEL_DEBUG);
	if (http_init() != ERR_OK)
		return 1;
	if (strcmp(mode, "peer") == 0 && argc > 4) {
		rc = run_peer(argv[2], argv[3], argv[4]);
		http_shutdown();
		return rc;
	}
	if (argc < 3 || js_parse(str_of(argv[2]), 65536, &world.ports, NULL) !=
	    ERR_OK || http_start(&world.http, NULL, NULL) != ERR_OK)
		return rc;
	world.port = port_of("plain");
	world.folder = argc > 3 ? argv[3] : ".";
	dig_holes();
	world.table = fetch("/table");
	if (world.table == NULL)
		return 1;
	know_secrets();
	if (strcmp(mode, "table") == 0 && argc > 4) {
		world.prefix = argv[4];
		world.nginx = argc > 5;
		if (world.nginx)
			(void)!str_int(str_of(argv[5]), 1, 65535, &world.port);
		rc = run_table();
	} else if (strcmp(mode, "scenarios") == 0) {
		rc = run_scenarios();
	} else if (strcmp(mode, "soak") == 0 && argc > 5) {
		int64_t seconds = 20, workers = 4;

		(void)!str_int(str_of(argv[4]), 1, 100000, &seconds);
		(void)!str_int(str_of(argv[5]), 1, 16, &workers);
		rc = run_soak(seconds, (size_t)workers);
	}
	http_stop(world.http);
	js_close(world.table);
	js_close(world.ports);
	http_shutdown();
	return rc;
}
