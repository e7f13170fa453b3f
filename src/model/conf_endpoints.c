/* This file knows how to read the model servers that arena.xml names. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/conf_parts.h"
#include "model/llm.h"
#include "port/http.h"

enum part_kind {
	PART_WORD,
	PART_YES_NO,
	PART_COUNT,
	PART_SECONDS, /* a decimal; milliseconds inside */
	PART_MONEY
};

struct part {
	const char *name;
	enum part_kind kind;
	size_t at;
};

#define PART(name, kind, member)                                               \
	{                                                                      \
		name, PART_##kind, offsetof(struct llm_endpoint, member)       \
	}

/* What is left out keeps what llm_endpoint_defaults says. */
static const struct part parts[] = {
	PART("id", WORD, id),
	PART("url", WORD, url),
	PART("header", WORD, header),
	PART("query", WORD, query),
	PART("model", WORD, model),
	PART("proxy", WORD, proxy),
	PART("private-network", YES_NO, private_network),
	PART("stream", YES_NO, stream),
	PART("send-model", YES_NO, send_model),
	PART("cut-thinking", YES_NO, think),
	PART("connect", SECONDS, connect_ms),
	PART("first-byte", SECONDS, first_ms),
	PART("idle", SECONDS, idle_ms),
	PART("total", SECONDS, total_ms),
	PART("concurrency", COUNT, concurrency),
	PART("queue", COUNT, queue),
	PART("queue-time", SECONDS, queue_ms),
	PART("per-minute", COUNT, per_minute),
	PART("tokens", COUNT, tokens),
	PART("tokens-max", COUNT, tokens_max),
	PART("bytes", COUNT, body_max),
	PART("price-in", MONEY, price_in),
	PART("price-out", MONEY, price_out),
	PART("price-call", MONEY, price_call),
	PART("budget-day", MONEY, budget_day),
};

static void read_endpoint(
    struct conf_reader *r, const struct xml_node *el, struct llm_endpoint *ep);
static void read_part(struct conf_reader *r, const struct xml_node *el,
    const struct part *p, struct llm_endpoint *ep);
static void read_key(
    struct conf_reader *r, const struct xml_node *el, struct llm_endpoint *ep);
static struct text key_path(struct conf_reader *r, struct text name);
static void check_endpoint(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep);
static void check_address(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep);
static void check_reach(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep);
static bool url_host(const char *url, char *host, size_t n);
static void check_price(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep);
static void check_setups(struct conf_reader *r);
static bool is(struct text t, const char *z);

void
conf_read_endpoints(struct conf_reader *r)
{
	const struct xml_node *list = xml_child(r->root, "endpoints");
	const struct xml_node *el;
	struct llm_endpoint *all;
	size_t n = 0;

	for (el = list == NULL ? NULL : xml_child(list, "endpoint"); el != NULL;
	     el = xml_sibling(el, "endpoint"))
		n++;
	all = n == 0 ? NULL : pool_array(r->c->pool, n, sizeof(*all));
	r->c->endpoints = all;
	r->c->endpoints_n = all == NULL ? 0 : n;
	for (el = all == NULL ? NULL : xml_child(list, "endpoint"); el != NULL;
	     el = xml_sibling(el, "endpoint"), all++) {
		read_endpoint(r, el, all);
		check_endpoint(r, el, all);
		for (const struct llm_endpoint *o = r->c->endpoints; o < all;
		     o++) {
			if (is(all->id, o->id.p))
				problems_add(r->ps, r->file, el->line,
				    "the endpoint id \"%.*s\" is used twice; "
				    "choose another",
				    CONF_PRINT(o->id));
		}
	}
	check_setups(r);
}

const struct llm_endpoint *
conf_endpoint_find(const struct conf *c, struct text id)
{
	for (size_t i = 0; i < c->endpoints_n; i++) {
		if (id.p != NULL && is(c->endpoints[i].id, id.p))
			return &c->endpoints[i];
	}
	return NULL;
}

void
conf_wipe_keys(struct conf *c)
{
	for (size_t i = 0; i < c->endpoints_n; i++) {
		/* The key lies in conf's own pool. */
		union {
			const char *in;
			void *out;
		} key = { c->endpoints[i].key.p };

		if (key.in != NULL)
			explicit_bzero(key.out, c->endpoints[i].key.n);
	}
}

static void
read_endpoint(
    struct conf_reader *r, const struct xml_node *el, struct llm_endpoint *ep)
{
	struct text as = conf_attr(r, el, "system-as");
	struct text field = conf_attr(r, el, "tokens-field");
	struct text ca = conf_attr(r, el, "ca-file");

	llm_endpoint_defaults(ep);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		read_part(r, el, &parts[i], ep);
	if (is(as, "developer"))
		ep->system_as = LLM_SYSTEM_DEVELOPER;
	else if (is(as, "user-prefix"))
		ep->system_as = LLM_SYSTEM_USER_PREFIX;
	if (is(field, "max_completion_tokens"))
		ep->tokens_field = LLM_TOKENS_MAX_COMPLETION;
	if (ca.p != NULL)
		ep->ca_file = conf_path(r->c->pool, r->c->dir.p, ca);
	read_key(r, el, ep);
}

/* The schema has seen to it that numbers are numbers, in range. */
static void
read_part(struct conf_reader *r, const struct xml_node *el,
    const struct part *p, struct llm_endpoint *ep)
{
	struct text t = conf_attr(r, el, p->name);
	struct str s = { t.p, t.n };
	void *to = (char *)ep + p->at;
	int64_t n = 0;
	double v = 0;

	if (t.p == NULL)
		return;
	switch (p->kind) {
	case PART_WORD:
		*(struct text *)to = t;
		break;
	case PART_YES_NO:
		*(bool *)to = is(t, "yes");
		break;
	case PART_COUNT:
		if (str_int(s, 0, INT64_MAX, &n) == ERR_OK)
			*(int64_t *)to = n;
		break;
	case PART_SECONDS:
		if (str_real(s, &v) == ERR_OK)
			*(int64_t *)to = (int64_t)(v * 1000 + 0.5);
		break;
	case PART_MONEY:
		if (str_real(s, &v) == ERR_OK)
			*(double *)to = v;
		break;
	}
}

static void
read_key(
    struct conf_reader *r, const struct xml_node *el, struct llm_endpoint *ep)
{
	struct text name = conf_attr(r, el, "key-file");
	char why[400];
	enum err e;

	if (name.p == NULL)
		return;
	e = llm_key_load(
	    r->c->pool, key_path(r, name).p, &ep->key, why, sizeof(why));
	if (e == ERR_CONFIG)
		problems_add(r->ps, r->file, el->line, "%s", why);
}

/*
 * A relative name is a credential that systemd handed over, when there is
 * one of that name; else it starts where secret-file does.
 */
static struct text
key_path(struct conf_reader *r, struct text name)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	struct text at;

	if (folder != NULL && *folder == '/' && name.p[0] != '/') {
		at = conf_path(r->c->pool, folder, name);
		if (access(at.p, F_OK) == 0)
			return at;
	}
	return conf_path(r->c->pool,
	    r->c->state.p != NULL ? r->c->state.p : r->c->dir.p, name);
}

static void
check_endpoint(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep)
{
	check_address(r, el, ep);
	check_price(r, el, ep);
	if (ep->ca_file.p != NULL && access(ep->ca_file.p, R_OK) != 0)
		problems_add(r->ps, r->file, el->line,
		    "the ca-file %s of the endpoint \"%.*s\" cannot be read",
		    ep->ca_file.p, CONF_PRINT(ep->id));
	if (ep->tokens_max < ep->tokens)
		problems_add(r->ps, r->file, el->line,
		    "tokens-max (%lld) of the endpoint \"%.*s\" is less than "
		    "tokens (%lld)",
		    (long long)ep->tokens_max, CONF_PRINT(ep->id),
		    (long long)ep->tokens);
	if (ep->total_ms < ep->first_ms)
		problems_add(r->ps, r->file, el->line,
		    "total of the endpoint \"%.*s\" (%g s) ends before "
		    "first-byte (%g s)",
		    CONF_PRINT(ep->id), (double)ep->total_ms / 1000,
		    (double)ep->first_ms / 1000);
}

static void
check_address(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep)
{
	struct buf url;
	char why[160];

	if (ep->url.p == NULL)
		return; /* the schema has said so */
	buf_init(&url, 4096);
	if (llm_url(ep->url, ep->query, &url, why, sizeof(why)) != ERR_OK)
		problems_add(r->ps, r->file, el->line,
		    "the url of the endpoint \"%.*s\" cannot be used: %s",
		    CONF_PRINT(ep->id), why);
	else
		check_reach(r, el, ep);
	buf_release(&url);
}

/*
 * An address in numbers is known before anybody asks it; were it refused only
 * then, check would call in order what never answers.  What a name stands for
 * can change, except for this machine's own.
 */
static void
check_reach(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep)
{
	struct sockaddr_storage sa;
	char host[64];

	if (ep->proxy.p != NULL || !url_host(ep->url.p, host, sizeof(host)) ||
	    !http_address_parse(
		strcasecmp(host, "localhost") == 0 ? "127.0.0.1" : host, &sa) ||
	    http_address_allowed((struct sockaddr *)&sa, ep->private_network))
		return;
	if (http_address_allowed((struct sockaddr *)&sa, true))
		problems_add(r->ps, r->file, el->line,
		    "the url of the endpoint \"%.*s\" leads to %s, on this "
		    "machine or a private network; add private-network=\"yes\" "
		    "if that is meant",
		    CONF_PRINT(ep->id), host);
	else
		problems_add(r->ps, r->file, el->line,
		    "the url of the endpoint \"%.*s\" leads to %s, an address "
		    "that is never asked; write the model server's own",
		    CONF_PRINT(ep->id), host);
}

/* The host of a URL that llm_url has accepted; false when it is a long name. */
static bool
url_host(const char *url, char *host, size_t n)
{
	const char *from = strstr(url, "://") + 3;
	size_t len;

	if (*from == '[')
		len = strcspn(++from, "]");
	else
		len = strcspn(from, ":/?");
	if (len >= n)
		return false;
	memcpy(host, from, len);
	host[len] = '\0';
	return true;
}

static void
check_price(struct conf_reader *r, const struct xml_node *el,
    const struct llm_endpoint *ep)
{
	bool in = ep->price_in >= 0;
	bool out = ep->price_out >= 0;

	if (in != out)
		problems_add(r->ps, r->file, el->line,
		    "the endpoint \"%.*s\" has %s without %s",
		    CONF_PRINT(ep->id), in ? "price-in" : "price-out",
		    in ? "price-out" : "price-in");
	else if (ep->budget_day >= 0 && !in && ep->price_call <= 0)
		problems_add(r->ps, r->file, el->line,
		    "the endpoint \"%.*s\" has a budget-day, so what a call "
		    "costs must be known: add price-in and price-out, or "
		    "price-call",
		    CONF_PRINT(ep->id));
}

/* Every endpoint that a setup names stands in the list. */
static void
check_setups(struct conf_reader *r)
{
	const struct xml_node *list = xml_child(r->root, "setups");
	const struct xml_node *el =
	    list == NULL ? NULL : xml_child(list, "setup");
	size_t n = r->c->endpoints_n;
	const char **names = pool_array(r->c->pool, n + 1, sizeof(*names));

	for (size_t i = 0; i < n && names != NULL; i++)
		names[i] = r->c->endpoints[i].id.p;
	for (; el != NULL && names != NULL; el = xml_sibling(el, "setup")) {
		struct text id = conf_attr(r, el, "endpoint");
		const char *near;

		if (id.p == NULL || conf_endpoint_find(r->c, id) != NULL)
			continue;
		near = str_nearest((struct str){ id.p, id.n }, names, n);
		if (near != NULL)
			problems_add(r->ps, r->file, el->line,
			    "no endpoint has the id \"%.*s\"; did you mean "
			    "\"%s\"?",
			    CONF_PRINT(id), near);
		else
			problems_add(r->ps, r->file, el->line,
			    "no endpoint has the id \"%.*s\"; add <endpoint "
			    "id=\"%.*s\" url=\"...\"/> to <endpoints>",
			    CONF_PRINT(id), CONF_PRINT(id));
	}
}

static bool
is(struct text t, const char *z)
{
	return t.p != NULL && z != NULL && str_is((struct str){ t.p, t.n }, z);
}
