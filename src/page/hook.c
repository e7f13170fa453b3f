/* This file knows how to take notices from other systems, as JSON. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/text.h"
#include "model/notice.h"
#include "model/store.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/req.h"
#include "port/crypt.h"
#include "port/json.h"

#define HOOK_BYTES ((size_t)64 * 1024)
#define EVENT_MAX 200
#define TITLE_MAX 200
#define URL_MAX 1000
#define IGNORED_MAX 8       /* names of unknown members that are told */
#define IGNORED_NAME_MAX 64 /* bytes of each */

/* What is wrong, for the sender's log: programs read the codes. */
struct wrong {
	const char *field;
	const char *says;
};

/* What a message asks, and what in it asks nothing. */
struct posted {
	struct notice_hook h;
	struct str ignored[IGNORED_MAX];
	size_t ignored_n;
	struct wrong wrong;
};

static bool has_secret(const struct req *);
static enum err read_message(struct req *, struct posted *);
static enum err read_parts(struct req *, const struct js *, struct posted *);
static enum err read_kind(
    struct req *, const struct js *, enum notice_kind *out);
static enum err read_people(
    struct req *, const struct js *, struct notice_hook *);
static enum err read_text(
    struct req *, const struct js *, size_t max, struct text *out);
static enum err read_id(
    struct req *, const struct js *, size_t max, struct text *out);
static void find_ignored(struct req *, const struct js *, struct posted *);
static enum err set_digest(struct req *, struct notice_hook *);
static bool good_url(struct text url);
static enum err hook_fn(struct store_tx *, void *);
static enum err say_stored(struct req *, const struct posted *);
static enum err say_refused(
    struct req *, int status, const char *error, struct wrong);

/*
 * POST /hooks/notice, with "Authorization: Bearer SECRET":
 * {"event":"…","to":["login",…],"kind":"ta|post|other","title":"…",
 *  "who":"…","url":"https://…","thread":"…"}.
 * The same event again is answered again and stored once; it reaches those
 * who were unknown the first time.
 */
enum err
pg_hook_notice(struct req *rq)
{
	struct posted p = { .h = { .kind = NOTICE_OTHER,
				.per_minute = rq->conf->hooks_per_minute } };
	enum err e;

	if (rq->conf->hook_secret.n == 0)
		return ERR_NOTFOUND;
	if (!has_secret(rq)) {
		log_notice("a notice was posted without the right secret");
		resp_header(rq, "WWW-Authenticate", STR("Bearer"));
		return say_refused(rq, 401, "secret",
		    (struct wrong){ NULL,
			"The header Authorization must be Bearer and the "
			"secret of this site's hooks." });
	}
	e = read_message(rq, &p);
	if (e == ERR_INVALID || e == ERR_SYNTAX)
		return say_refused(rq, 400, "message", p.wrong);
	if (e == ERR_TOOBIG)
		return say_refused(rq, 413, "size",
		    (struct wrong){
			NULL, "A message may have 64 KB at most." });
	if (e != ERR_OK)
		return e;
	e = notice_hook_find(rq->db, &p.h);
	if (e == ERR_NOTFOUND || (e == ERR_OK && p.h.late))
		e = store_write(rq->site->store, hook_fn, &p.h);
	if (e == ERR_CONFLICT)
		return say_refused(rq, 409, "event",
		    (struct wrong){ "event",
			"This event has been told with another content; "
			"something new needs an id of its own." });
	if (e == ERR_LIMIT) {
		resp_header(rq, "Retry-After", STR("60"));
		return say_refused(rq, 429, "limit",
		    (struct wrong){ NULL,
			"That were too many events in a minute; "
			"send this one again later." });
	}
	return e == ERR_OK ? say_stored(rq, &p) : e;
}

static bool
has_secret(const struct req *rq)
{
	struct str given = req_param(rq, "HTTP_AUTHORIZATION");
	struct str scheme = str_cut(&given, ' ');

	if (scheme.n != 6 || strncasecmp(scheme.p, "Bearer", 6) != 0)
		return false;
	return crypt_equal(str_trim(given),
	    (struct str){ rq->conf->hook_secret.p, rq->conf->hook_secret.n });
}

static enum err
read_message(struct req *rq, struct posted *p)
{
	struct js_fault fault = { 0 };
	struct js *root;
	struct str body;
	enum err e;

	e = rq->source->body(rq->source->arg, rq->pool, HOOK_BYTES, &body);
	if (e != ERR_OK)
		return e;
	if ((e = js_parse(body, HOOK_BYTES, &root, &fault)) != ERR_OK) {
		struct str says =
		    e == ERR_TOOBIG
			? STR("The body's JSON is nested too deeply.")
			: pool_printf(rq->pool,
			      "The body is not JSON, or has a member twice: "
			      "line %d, column %d.",
			      fault.line, fault.column);

		p->wrong = (struct wrong){ "json", says.p };
		return ERR_INVALID; /* what is too large was found before */
	}
	p->wrong =
	    (struct wrong){ "json", "The body must be one JSON object." };
	e = js_is_object(root) ? read_parts(rq, root, p) : ERR_INVALID;
	if (e == ERR_OK)
		find_ignored(rq, root, p);
	js_close(root);
	return e == ERR_OK ? set_digest(rq, &p->h) : e;
}

static enum err
read_parts(struct req *rq, const struct js *root, struct posted *p)
{
	struct notice_hook *h = &p->h;
	enum err e;

	p->wrong = (struct wrong){ "event",
		"event must be your id for what happened: a string of 1 to 200 "
		"bytes without control or direction characters." };
	e = read_id(rq, js_get(root, "event"), EVENT_MAX, &h->event);
	if (e != ERR_OK || h->event.n == 0)
		return ERR_INVALID;
	p->wrong = (struct wrong){ "to",
		"to must be a list of 1 to 200 logins, each a string." };
	if ((e = read_people(rq, js_get(root, "to"), h)) != ERR_OK)
		return e;
	p->wrong = (struct wrong){ "kind",
		"kind must be \"ta\", \"post\" or \"other\"." };
	if ((e = read_kind(rq, js_get(root, "kind"), &h->kind)) != ERR_OK)
		return e;
	p->wrong = (struct wrong){ "title",
		"title must be a string of 1 to 200 characters in one line." };
	e = read_text(rq, js_get(root, "title"), TITLE_MAX, &h->title);
	if (e != ERR_OK || text_is_blank(h->title))
		return ERR_INVALID;
	p->wrong = (struct wrong){ "who",
		"who must be a string of at most 200 characters in one line." };
	if ((e = read_text(rq, js_get(root, "who"), TITLE_MAX, &h->who)) !=
	    ERR_OK)
		return e;
	p->wrong = (struct wrong){ "url",
		"url must be a path of this site, or an address that begins "
		"with https://, without blanks." };
	e = read_text(rq, js_get(root, "url"), URL_MAX, &h->url);
	if (e != ERR_OK || (h->url.n > 0 && !good_url(h->url)))
		return ERR_INVALID;
	if (h->url.n == 0)
		h->url = TEXT("/notices");
	p->wrong = (struct wrong){ "thread",
		"thread must be a string of at most 200 bytes without control "
		"or direction characters." };
	e = read_id(rq, js_get(root, "thread"), EVENT_MAX, &h->thread);
	if (e == ERR_OK && h->thread.n == 0)
		h->thread = h->event;
	return e;
}

/* Absent, it stays what it is.  What we tell by ourselves nobody else may. */
static enum err
read_kind(struct req *rq, const struct js *v, enum notice_kind *out)
{
	enum notice_kind k;
	struct text word;
	enum err e;

	if (v == NULL)
		return ERR_OK;
	if ((e = read_text(rq, v, 16, &word)) != ERR_OK)
		return e;
	if (notice_kind_parse((struct str){ word.p, word.n }, &k) != ERR_OK ||
	    k == NOTICE_TEST || k == NOTICE_SORRY || k == NOTICE_ANSWER)
		return ERR_INVALID;
	*out = k;
	return ERR_OK;
}

/* Members that mean nothing here: a newer sender's, or a slip of the pen. */
static void
find_ignored(struct req *rq, const struct js *root, struct posted *p)
{
	static const char *const known[] = { "event", "to", "kind", "title",
		"who", "url", "thread" };
	struct str key;

	for (size_t i = 0; js_member(root, i, &key) != NULL; i++) {
		bool is_known = false;

		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
			is_known = is_known || str_is(key, known[k]);
		if (is_known)
			continue;
		if (p->ignored_n == IGNORED_MAX)
			return;
		p->ignored[p->ignored_n++] = key.n > IGNORED_NAME_MAX
						 ? STR("...")
						 : pool_str(rq->pool, key);
	}
}

/* Of what is asked, not of its bytes: a retry may order them otherwise. */
static enum err
set_digest(struct req *rq, struct notice_hook *h)
{
	struct js_out o;
	bool failed;

	buf_clear(rq->out);
	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_text(&o, "event", h->event);
	js_put_array(&o, "to");
	for (size_t i = 0; i < h->to_n; i++)
		js_put_text(&o, NULL, h->to[i]);
	js_end(&o);
	js_put_str(&o, "kind", str_of(notice_kind_name(h->kind)));
	js_put_text(&o, "title", h->title);
	js_put_text(&o, "who", h->who);
	js_put_text(&o, "url", h->url);
	js_put_text(&o, "thread", h->thread);
	js_end(&o);
	crypt_sha256_hex((struct str){ rq->out->p, rq->out->n }, h->digest);
	failed = rq->out->failed;
	buf_clear(rq->out);
	return failed ? ERR_NOMEM : ERR_OK;
}

static enum err
read_people(struct req *rq, const struct js *list, struct notice_hook *h)
{
	struct text *to;

	h->to_n = js_count(list);
	if (!js_is_array(list) || h->to_n == 0 || h->to_n > NOTICE_HOOK_PEOPLE)
		return ERR_INVALID;
	to = pool_array(rq->pool, h->to_n, sizeof(*to));
	if (to == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < h->to_n; i++) {
		if (read_id(rq, js_at(list, i), 128, &to[i]) != ERR_OK ||
		    to[i].n == 0)
			return ERR_INVALID;
	}
	h->to = to;
	return ERR_OK;
}

/* One line; absent gives "".  Copied: the document ends before it is used. */
static enum err
read_text(struct req *rq, const struct js *v, size_t max, struct text *out)
{
	struct str s = js_str(v);
	struct text t;
	enum err e;

	*out = TEXT("");
	if (v == NULL)
		return ERR_OK;
	if (s.p == NULL)
		return ERR_INVALID; /* there, and no string */
	if ((e = text_input(rq->pool, s, max, &t)) != ERR_OK)
		return ERR_INVALID;
	if (memchr(t.p, '\n', t.n) != NULL || memchr(t.p, '\t', t.n) != NULL)
		return ERR_INVALID;
	*out = pool_text(rq->pool, t);
	return ERR_OK;
}

/* What is compared is taken as it was sent, or not at all: max bytes. */
static enum err
read_id(struct req *rq, const struct js *v, size_t max, struct text *out)
{
	struct str s = js_str(v);

	if (s.p != NULL && (s.n > max || !text_is_clean(s)))
		return ERR_INVALID;
	return read_text(rq, v, max, out);
}

/* A path of ours, or another site's page: nothing that could run. */
static bool
good_url(struct text url)
{
	struct str s = { url.p, url.n };

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c >= 0x7f || c == '\\')
			return false;
	}
	if (s.p[0] == '/')
		return s.n < 400 && (s.n == 1 || s.p[1] != '/');
	return str_starts(s, "https://") && s.n > 8 && s.p[8] != '/';
}

static enum err
hook_fn(struct store_tx *tx, void *arg)
{
	return notice_hook(tx, arg);
}

static enum err
say_stored(struct req *rq, const struct posted *p)
{
	const struct notice_hook *h = &p->h;
	struct js_out o;
	enum err e;

	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_int(&o, "schema", 1);
	js_put_text(&o, "event", h->event);
	js_put_int(&o, "stored", h->stored);
	if (!h->repeated) {
		js_put_int(&o, "unknown", h->unknown);
		js_put_int(&o, "unwanted", h->unwanted);
	}
	js_put_bool(&o, "repeated", h->repeated);
	if (p->ignored_n > 0) {
		js_put_array(&o, "ignored");
		for (size_t i = 0; i < p->ignored_n; i++)
			js_put_str(&o, NULL, p->ignored[i]);
		js_end(&o);
	}
	js_end(&o);
	e = resp_data(rq, "application/json; charset=utf-8", NULL);
	rq->resp.has_etag = false;
	return e;
}

/* Codes for the program that sent it, a sentence for who looks after it. */
static enum err
say_refused(struct req *rq, int status, const char *error, struct wrong wrong)
{
	struct js_out o;
	enum err e;

	buf_clear(rq->out);
	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_int(&o, "schema", 1);
	js_put_str(&o, "error", str_of(error));
	js_put_str(&o, "field", str_of(wrong.field));
	js_put_str(&o, "detail", str_of(wrong.says));
	js_end(&o);
	e = resp_data(rq, "application/json; charset=utf-8", NULL);
	rq->resp.has_etag = false;
	rq->resp.status = status;
	return e;
}
