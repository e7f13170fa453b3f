/* This file knows how to prepare one libcurl handle and read what it says. */
#include "config.h"

#include "port/http_job.h"

#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define CONNECT_MAX_MS 5000

static bool set_options(struct http_job *j, CURL *c);
static bool add_headers(struct http_job *j, const struct http_request *rq);
static size_t on_head(char *p, size_t size, size_t n, void *arg);
static size_t on_body(char *p, size_t size, size_t n, void *arg);
static curl_socket_t on_socket(
    void *arg, curlsocktype purpose, struct curl_sockaddr *sa);
static int on_connected(
    void *arg, char *remote, char *local, int remote_port, int local_port);
static void status_line(struct http_job *j, struct str line);
static void field(struct http_job *j, struct str line);
static void keep(char *out, size_t room, struct str v);
static void keep_host(char *out, size_t room, struct str url);
static bool printable(const char *z);
static char *copy(const char *z);
static void wipe(char *z);
static int64_t since(CURL *c, CURLINFO what);

static const char *const end_names[HTTP__MAX] = {
	[HTTP_DONE] = "done",
	[HTTP_CUT] = "cut",
	[HTTP_NO_RESPONSE] = "no-response",
	[HTTP_RESOLVE] = "resolve",
	[HTTP_CONNECT] = "connect",
	[HTTP_ADDRESS] = "address",
	[HTTP_TLS_UNTRUSTED] = "tls-untrusted",
	[HTTP_TLS] = "tls",
	[HTTP_PROXY] = "proxy",
	[HTTP_LATE_CONNECT] = "late-connect",
	[HTTP_LATE_FIRST] = "late-first",
	[HTTP_LATE_IDLE] = "late-idle",
	[HTTP_LATE_TOTAL] = "late-total",
	[HTTP_BODY_TOO_BIG] = "body-too-big",
	[HTTP_HEAD_TOO_BIG] = "head-too-big",
	[HTTP_STOPPED] = "stopped",
	[HTTP_CANCELLED] = "cancelled",
	[HTTP_MALFORMED] = "malformed",
	[HTTP_UNUSABLE] = "unusable",
	[HTTP_BROKEN] = "broken",
};

const char *
http_end_name(enum http_end e)
{
	return e < HTTP__MAX ? end_names[e] : "unknown";
}

struct http_job *
http_job_open(const struct http_request *rq, http_bytes *bytes, http_done *done,
    void *arg)
{
	struct http_job *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return NULL;
	j->bytes = bytes;
	j->done = done;
	j->arg = arg;
	j->ask = *rq;
	j->result.connect_ms = j->result.tls_ms = j->result.first_ms = -1;
	j->url = copy(rq->url);
	j->ca_file = copy(rq->ca_file);
	j->proxy = copy(rq->proxy == NULL ? "" : rq->proxy);
	j->body_n = rq->body.n;
	j->body = malloc(rq->body.n + 1);
	j->easy = curl_easy_init();
	if (j->url == NULL || j->proxy == NULL || j->body == NULL ||
	    (rq->ca_file != NULL && j->ca_file == NULL) || j->easy == NULL ||
	    !add_headers(j, rq)) {
		http_job_close(j);
		return NULL;
	}
	if (rq->body.n > 0)
		memcpy(j->body, rq->body.p, rq->body.n);
	j->body[rq->body.n] = '\0';
	if (rq->body.p == NULL) {
		free(j->body);
		j->body = NULL;
	}
	/* The caller's memory is not ours to look at from now on. */
	j->ask.url = j->ask.ca_file = j->ask.proxy = NULL;
	j->ask.headers = NULL;
	j->ask.body = (struct str){ NULL, 0 };
	return j;
}

void
http_job_close(struct http_job *j)
{
	struct curl_slist *headers;

	if (j == NULL)
		return;
	/* libcurl borrows body, headers and error buffer: it goes first. */
	if (j->easy != NULL)
		curl_easy_cleanup(j->easy);
	headers = j->headers;
	for (struct curl_slist *s = headers; s != NULL; s = s->next)
		wipe(s->data);
	curl_slist_free_all(headers);
	if (j->url != NULL)
		wipe(j->url); /* ?key=... */
	free(j->url);
	free(j->ca_file);
	if (j->proxy != NULL)
		wipe(j->proxy);
	free(j->proxy);
	free(j->body);
	free(j);
}

bool
http_job_ready(struct http_job *j)
{
	if (j->result.why[0] == '\0' && !printable(j->url))
		keep(j->result.why, sizeof(j->result.why),
		    STR("the URL holds a control character"));
	if (j->result.why[0] == '\0' && !set_options(j, j->easy))
		keep(j->result.why, sizeof(j->result.why),
		    STR("libcurl refuses an option"));
	return j->result.why[0] == '\0';
}

enum http_end
http_job_end(struct http_job *j, int code)
{
	long proxy_status = 0;

	if (j->head_too_big)
		return HTTP_HEAD_TOO_BIG;
	if (j->body_too_big)
		return HTTP_BODY_TOO_BIG;
	if (j->stopped)
		return HTTP_STOPPED;
	switch ((CURLcode)code) {
	case CURLE_OK:
		return HTTP_DONE;
	case CURLE_COULDNT_RESOLVE_HOST:
		return HTTP_RESOLVE;
	case CURLE_COULDNT_CONNECT:
		return j->address_refused ? HTTP_ADDRESS : HTTP_CONNECT;
	case CURLE_ABORTED_BY_CALLBACK: /* on_connected said no */
		return HTTP_ADDRESS;
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_PROXY:
		return HTTP_PROXY;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
	case CURLE_SSL_INVALIDCERTSTATUS:
		return HTTP_TLS_UNTRUSTED;
	case CURLE_SSL_CONNECT_ERROR:
		return HTTP_TLS;
	case CURLE_OPERATION_TIMEDOUT:
		/* libcurl's own limits are the connect one and a backstop. */
		return j->connected_at == 0 ? HTTP_LATE_CONNECT
					    : HTTP_LATE_TOTAL;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_BAD_FUNCTION_ARGUMENT:
		return HTTP_UNUSABLE;
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		return j->result.status == 0 ? HTTP_MALFORMED : HTTP_CUT;
	case CURLE_OUT_OF_MEMORY:
	case CURLE_FAILED_INIT:
		return HTTP_BROKEN;
	default:
		(void)curl_easy_getinfo(
		    j->easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
		if (proxy_status >= 300) {
			j->result.status = (int)proxy_status;
			return HTTP_PROXY;
		}
		return j->result.status == 0 ? HTTP_NO_RESPONSE : HTTP_CUT;
	}
}

bool
http_job_again(struct http_job *j, int code)
{
	long connects = 1;

	if (j->again || code == CURLE_OK || j->head > 0 ||
	    j->result.bytes > 0 || http_job_end(j, code) != HTTP_NO_RESPONSE ||
	    curl_easy_getinfo(j->easy, CURLINFO_NUM_CONNECTS, &connects) !=
		CURLE_OK ||
	    connects != 0)
		return false;
	j->again = true;
	j->connected_at = 0;
	j->error[0] = '\0';
	return curl_easy_setopt(j->easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK;
}

int64_t
http_job_deadline(const struct http_job *j, enum http_end *end)
{
	int64_t start = j->result.started_ms;
	int64_t at = start + j->ask.total_ms;

	*end = HTTP_LATE_TOTAL;
	if (j->connected_at == 0 && start + j->ask.connect_ms + 500 < at) {
		/* libcurl's limit comes first; this one catches the resolver
		 * that it cannot interrupt. */
		at = start + j->ask.connect_ms + 500;
		*end = HTTP_LATE_CONNECT;
	}
	if (j->last_byte_at == 0 && start + j->ask.first_ms < at) {
		at = start + j->ask.first_ms;
		*end = HTTP_LATE_FIRST;
	}
	if (j->last_byte_at != 0 && j->last_byte_at + j->ask.idle_ms < at) {
		at = j->last_byte_at + j->ask.idle_ms;
		*end = HTTP_LATE_IDLE;
	}
	return at;
}

void
http_job_measure(struct http_job *j)
{
	CURL *c = j->easy;
	struct http_result *r = &j->result;
	const char *ip = NULL;
	long port = 0;
	long size = 0;
	long connects = 0;

	(void)curl_easy_getinfo(c, CURLINFO_PRIMARY_IP, &ip);
	(void)curl_easy_getinfo(c, CURLINFO_PRIMARY_PORT, &port);
	if (ip != NULL && *ip != '\0')
		(void)snprintf(r->remote, sizeof(r->remote),
		    strchr(ip, ':') != NULL ? "[%s]:%ld" : "%s:%ld", ip, port);
	(void)curl_easy_getinfo(c, CURLINFO_REQUEST_SIZE, &size);
	r->sent = size > 0;
	(void)curl_easy_getinfo(c, CURLINFO_NUM_CONNECTS, &connects);
	r->reused = r->sent && connects == 0;
	r->connect_ms = since(c, CURLINFO_CONNECT_TIME_T);
	r->tls_ms = since(c, CURLINFO_APPCONNECT_TIME_T);
	if (r->why[0] == '\0')
		keep(r->why, sizeof(r->why), str_of(j->error));
}

static bool
set_options(struct http_job *j, CURL *c)
{
	int64_t connect = j->ask.connect_ms;
	bool good = true;

#define SET(option, value)                                                     \
	do {                                                                   \
		if (curl_easy_setopt(c, option, value) != CURLE_OK)            \
			good = false;                                          \
	} while (0)

	if (connect <= 0 || connect > CONNECT_MAX_MS)
		connect = CONNECT_MAX_MS;
	j->ask.connect_ms = connect;
	SET(CURLOPT_URL, j->url);
	SET(CURLOPT_PRIVATE, j);
	SET(CURLOPT_ERRORBUFFER, j->error);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_REDIR_PROTOCOLS_STR, "https"); /* it takes no "" */
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PROXY, j->proxy); /* "" is none, whatever the environment */
	SET(CURLOPT_NOPROXY, j->proxy[0] == '\0' ? "*" : "");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_HTTP09_ALLOWED, 0L);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	if (j->ca_file != NULL) {
		SET(CURLOPT_CAINFO, j->ca_file);
		SET(CURLOPT_CAPATH, NULL);
	}
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect);
	/* A backstop: our own deadlines come first. */
	SET(CURLOPT_TIMEOUT_MS, (long)j->ask.total_ms + 10000);
	SET(CURLOPT_FORBID_REUSE, j->ask.fresh ? 1L : 0L);
	SET(CURLOPT_FRESH_CONNECT, j->ask.fresh ? 1L : 0L);
	SET(CURLOPT_MAXLIFETIME_CONN, 600L);
	SET(CURLOPT_MAXAGE_CONN, 60L);
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	/* A resolver that hangs is left behind, not waited for. */
	SET(CURLOPT_QUICK_EXIT, 1L);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_socket);
	SET(CURLOPT_OPENSOCKETDATA, j);
	SET(CURLOPT_PREREQFUNCTION, on_connected);
	SET(CURLOPT_PREREQDATA, j);
	SET(CURLOPT_HEADERFUNCTION, on_head);
	SET(CURLOPT_HEADERDATA, j);
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, j);
	SET(CURLOPT_HTTPHEADER, (struct curl_slist *)j->headers);
	SET(CURLOPT_PROXYHEADER, NULL);
	SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	SET(CURLOPT_USERAGENT, "prompt-arena/" PACKAGE_VERSION);
	if (j->body != NULL) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)j->body_n);
		SET(CURLOPT_POSTFIELDS, j->body);
	}
#undef SET
	return good;
}

/* False: out of memory.  A header that must not be sent is remembered. */
static bool
add_headers(struct http_job *j, const struct http_request *rq)
{
	struct curl_slist *list = NULL;
	struct curl_slist *longer;

	/* No waiting for a "100 Continue" that old servers never send. */
	list = curl_slist_append(NULL, "Expect:");
	if (list == NULL)
		return false;
	j->headers = list;
	for (size_t i = 0; i < rq->headers_n; i++) {
		if (!printable(rq->headers[i])) {
			keep(j->result.why, sizeof(j->result.why),
			    STR("a header holds a control character"));
			continue;
		}
		longer = curl_slist_append(list, rq->headers[i]);
		if (longer == NULL)
			return false;
	}
	return true;
}

static size_t
on_head(char *p, size_t size, size_t n, void *arg)
{
	struct http_job *j = arg;
	struct str line = { p, size * n };

	j->head += line.n;
	if (j->head > j->ask.head_max) {
		j->head_too_big = true;
		return line.n == 0 ? 1 : 0;
	}
	if (j->head_ended)
		return line.n; /* a trailer says nothing we would believe */
	if (str_starts(line, "HTTP/"))
		status_line(j, line);
	else if (str_trim(line).n == 0)
		j->head_ended = j->result.status >= 200;
	else
		field(j, line);
	return line.n;
}

static size_t
on_body(char *p, size_t size, size_t n, void *arg)
{
	struct http_job *j = arg;
	struct str s = { p, size * n };
	int64_t now = clock_mono_ms();

	if (j->result.first_ms < 0)
		j->result.first_ms = now - j->result.started_ms;
	j->last_byte_at = now;
	j->result.bytes += s.n;
	if (j->result.bytes > j->ask.body_max) {
		j->body_too_big = true;
		return CURL_WRITEFUNC_ERROR;
	}
	if (j->bytes == NULL || j->enough_at != 0)
		return s.n;
	switch (j->bytes(j->arg, s)) {
	case HTTP_MORE:
		break;
	case HTTP_ENOUGH:
		j->enough_at = now;
		break;
	case HTTP_STOP:
		j->stopped = true;
		return CURL_WRITEFUNC_ERROR;
	}
	return s.n;
}

/*
 * The address that was resolved is what counts, not the text of the URL; so
 * a name that resolves anew to something internal is caught here too.
 */
static curl_socket_t
on_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *sa)
{
	struct http_job *j = arg;

	/* A proxy was named by the administrator: it may be anywhere. */
	if (purpose != CURLSOCKTYPE_IPCXN ||
	    (j->proxy[0] == '\0' &&
		!http_address_allowed(&sa->addr, j->ask.private_network))) {
		j->address_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(sa->family, sa->socktype | SOCK_CLOEXEC, sa->protocol);
}

/*
 * Called for kept connections as well: one that another endpoint was allowed
 * to make does not serve one that is not.
 */
static int
on_connected(
    void *arg, char *remote, char *local, int remote_port, int local_port)
{
	struct http_job *j = arg;
	struct sockaddr_storage sa;

	(void)local;
	(void)remote_port;
	(void)local_port;
	if (j->proxy[0] == '\0' && remote != NULL &&
	    http_address_parse(remote, &sa) &&
	    !http_address_allowed(
		(const struct sockaddr *)&sa, j->ask.private_network)) {
		j->address_refused = true;
		return CURL_PREREQFUNC_ABORT;
	}
	j->connected_at = clock_mono_ms();
	return CURL_PREREQFUNC_OK;
}

/* A new response begins: what an informational one said is forgotten. */
static void
status_line(struct http_job *j, struct str line)
{
	struct http_result *r = &j->result;
	struct str rest = str_trim(line);
	int64_t status = 0;

	(void)str_cut(&rest, ' ');
	rest = str_trim(rest);
	if (rest.n >= 3 &&
	    str_int((struct str){ rest.p, 3 }, 100, 999, &status) != ERR_OK)
		status = 0;
	r->status = (int)status;
	r->content_type[0] = r->content_encoding[0] = '\0';
	r->retry_after[0] = r->retry_after_ms[0] = '\0';
	r->should_retry[0] = r->date[0] = r->location_host[0] = '\0';
}

static void
field(struct http_job *j, struct str line)
{
	struct http_result *r = &j->result;
	struct str value = line;
	struct str name = str_cut(&value, ':');
	const struct {
		const char *name;
		char *out;
		size_t room;
	} wanted[] = {
		{ "content-type", r->content_type, sizeof(r->content_type) },
		{ "content-encoding", r->content_encoding,
		    sizeof(r->content_encoding) },
		{ "retry-after", r->retry_after, sizeof(r->retry_after) },
		{ "retry-after-ms", r->retry_after_ms,
		    sizeof(r->retry_after_ms) },
		{ "x-should-retry", r->should_retry, sizeof(r->should_retry) },
		{ "date", r->date, sizeof(r->date) },
	};

	name = str_trim(name);
	value = str_trim(value);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (name.n == strlen(wanted[i].name) &&
		    strncasecmp(name.p, wanted[i].name, name.n) == 0)
			keep(wanted[i].out, wanted[i].room, value);
	}
	if (name.n == 8 && strncasecmp(name.p, "location", 8) == 0)
		keep_host(r->location_host, sizeof(r->location_host), value);
}

/* Printable ASCII of v, as much as fits. */
static void
keep(char *out, size_t room, struct str v)
{
	size_t k = 0;

	for (size_t i = 0; i < v.n && k + 1 < room; i++) {
		unsigned char c = (unsigned char)v.p[i];

		out[k++] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	out[k] = '\0';
}

/* "https://host:port" of a URL: no user, no path, no query. */
static void
keep_host(char *out, size_t room, struct str url)
{
	struct str at = { NULL, 0 };
	size_t i = 0;
	size_t user = 0;

	while (i + 2 < url.n && memcmp(url.p + i, "://", 3) != 0)
		i++;
	if (i + 2 >= url.n) { /* within the same host, or no host at all */
		keep(out, room, STR("the same server"));
		return;
	}
	i += 3;
	user = i;
	while (i < url.n && strchr("/?#\\", url.p[i]) == NULL) {
		if (url.p[i++] == '@')
			user = i;
	}
	at = (struct str){ url.p + user, i - user };
	if (at.n == 0)
		at = STR("a local file");
	keep(out, room, at);
}

static bool
printable(const char *z)
{
	for (; *z != '\0'; z++) {
		if ((unsigned char)*z < 0x20 || *z == 0x7f)
			return false;
	}
	return true;
}

static char *
copy(const char *z)
{
	return z == NULL ? NULL : strdup(z);
}

static void
wipe(char *z)
{
	explicit_bzero(z, strlen(z));
}

static int64_t
since(CURL *c, CURLINFO what)
{
	curl_off_t us = 0;

	if (curl_easy_getinfo(c, what, &us) != CURLE_OK || us <= 0)
		return -1;
	return (int64_t)(us / 1000);
}
