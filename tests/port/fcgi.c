/* This file knows how src/port/fcgi.h must behave towards any peer. */
#include "port/fcgi.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/log.h"
#include "port/fcgi_peek.h"
#include "port/listen.h"

#include "../fcgi_client.h"
#include "../tap.h"

#define WORKERS 4
#define TIMEOUT_MS 3000
#define SPARE_MS 10000 /* that a busy machine may take over it */
#define BODY_MAX ((size_t)4 << 20)

static char dir[] = "/tmp/pa-fcgi-XXXXXX";
static char path[128];

static struct fcgi *fcgi;
static pthread_t threads[WORKERS];
static atomic_int handler_busy;
static atomic_bool gate_open;

static const char *const GET[] = { "REQUEST_METHOD", "GET", "REQUEST_URI", "/",
	"CONTENT_LENGTH", "", NULL };
static const char *const POST[] = { "REQUEST_METHOD", "POST", "REQUEST_URI",
	"/echo", NULL };

/* ---- a service that does what the URI says ---- */

static enum err
send_text(struct fcgi_req *rq, int status, struct str body)
{
	static const struct fcgi_header type = { "Content-Type",
		{ "text/plain", 10 } };
	struct reply r = { status, &type, 1, body };

	return fcgi_reply(rq, &r);
}

static void
send_params(struct fcgi_req *rq)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < fcgi_param_count(rq); i++) {
		const char *name;
		const char *value = fcgi_param_at(rq, i, &name);

		buf_printf(&b, "%s=%s\n", name, value);
	}
	(void)!send_text(rq, 200, buf_as_str(&b));
	buf_release(&b);
}

static void
send_odd_headers(struct fcgi_req *rq, const char *uri)
{
	static const struct {
		const char *uri;
		struct fcgi_header h;
	} odd[] = { { "/crlf", { "X-A", { "a\r\nSet-Cookie: b", 16 } } },
		{ "/nul", { "X-A", { "a\0b", 3 } } },
		{ "/accel", { "X-Accel-Redirect", { "/secret", 7 } } },
		{ "/name", { "X A", { "a", 1 } } },
		{ "/buffering", { "X-Accel-Buffering", { "no", 2 } } } };
	static char long_value[4000];
	struct fcgi_header h = { "X-Long", { long_value, 3500 } };
	struct reply r = { 200, &h, 1, STR("hello") };

	memset(long_value, 'a', sizeof(long_value));
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		if (strcmp(odd[i].uri, uri) == 0)
			h = odd[i].h;
	}
	(void)!fcgi_reply(rq, &r);
}

static void
stream(struct fcgi_req *rq)
{
	struct reply r = { 200, NULL, 0, STR("one ") };

	if (fcgi_stream(rq, &r) != ERR_OK)
		return;
	for (int i = 0; i < 400 && !fcgi_peer_gone(rq); i++) {
		if (fcgi_stream_piece(rq, STR("more ")) != ERR_OK)
			return;
		if (i == 3 && strcmp(fcgi_param(rq, "QUERY_STRING"), "4") == 0)
			return;
		usleep(5000);
	}
}

static void
serve(struct fcgi_req *rq)
{
	const char *uri = fcgi_param(rq, "REQUEST_URI");
	struct str body = STR("");
	enum err e;

	if (uri == NULL) {
		(void)!send_text(rq, 200, STR("no uri"));
	} else if (strcmp(uri, "/params") == 0) {
		send_params(rq);
	} else if (strcmp(uri, "/big") == 0) {
		char *p = pool_alloc(fcgi_pool(rq), (size_t)3 << 20);

		memset(p, 'x', (size_t)3 << 20);
		(void)!send_text(rq, 200, (struct str){ p, (size_t)3 << 20 });
	} else if (strcmp(uri, "/slow") == 0) {
		atomic_fetch_add(&handler_busy, 1);
		usleep(300000);
		(void)!send_text(rq, 200, STR("slow"));
	} else if (strcmp(uri, "/gate") == 0) {
		while (!atomic_load(&gate_open))
			usleep(1000);
		(void)!send_text(rq, 200, STR("through"));
	} else if (strcmp(uri, "/break") == 0) {
		struct reply r = { 200, NULL, 0, STR("half an answer") };

		if (fcgi_stream(rq, &r) == ERR_OK)
			fcgi_break(rq);
	} else if (strcmp(uri, "/ignore") == 0) {
		(void)!send_text(rq, 200, STR("ignored"));
	} else if (strcmp(uri, "/silence") == 0) {
		return; /* ended without an answer */
	} else if (strcmp(uri, "/stream") == 0) {
		stream(rq);
	} else if (strcmp(uri, "/echo") == 0) {
		e = fcgi_body(rq, fcgi_pool(rq), BODY_MAX, &body);
		(void)!send_text(rq,
		    e == ERR_OK        ? 200
		    : e == ERR_TOOBIG  ? 413
		    : e == ERR_INVALID ? 400
				       : 500,
		    body);
	} else if (strcmp(uri, "/") == 0) {
		(void)!send_text(rq, 200, STR("hello"));
	} else {
		send_odd_headers(rq, uri);
	}
}

static void *
work(void *unused)
{
	struct fcgi_req *rq = fcgi_req_open(fcgi, 16 << 20);
	enum err e;

	(void)unused;
	while ((e = fcgi_next(fcgi, rq)) != ERR_CLOSED) {
		if (e == ERR_OK)
			serve(rq);
		else
			(void)!send_text(
			    rq, e == ERR_TOOBIG ? 431 : 400, STR("refused"));
		fcgi_end(rq);
	}
	fcgi_req_close(rq);
	return NULL;
}

static void
start(bool plain)
{
	struct fcgi_conf conf = {
		.path = path, .timeout_ms = TIMEOUT_MS, .plain = plain
	};

	is_int(fcgi_open(&fcgi, &conf), ERR_OK, "open%s",
	    plain ? ", the plain way" : "");
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
}

static int64_t
stop(void)
{
	int64_t from = clock_mono_ms();

	fcgi_stop(fcgi);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	fcgi_close(fcgi);
	return clock_mono_ms() - from;
}

/* ---- what peers do ---- */

static void
get(const char *uri, struct fc_answer *a)
{
	const char *pairs[] = { "REQUEST_METHOD", "GET", "REQUEST_URI", uri,
		"QUERY_STRING", "4", NULL };

	fc_ask(path, pairs, STR(""), a);
}

/* The next request must be quick whatever somebody else is doing. */
static void
still_quick(const char *what)
{
	int64_t from = clock_mono_ms();
	struct fc_answer a;

	fc_ask(path, GET, STR(""), &a);
	is_int(a.status, 200, "%s: the next is answered", what);
	ok(clock_mono_ms() - from < TIMEOUT_MS - 300, "%s: at once", what);
	fc_forget(&a);
}

static void
test_ordinary(void)
{
	struct fc_answer a;
	char *big = malloc(3 << 20);

	fc_ask(path, GET, STR(""), &a);
	is_int(a.status, 200, "GET");
	ok(a.ended && a.closed && !a.reset, "ends and closes");
	is_str(a.body, "hello", "body");
	ok(strstr(a.out.p, "\r\nContent-Length: 5\r\n") != NULL, "length");
	fc_forget(&a);

	memset(big, 'b', 3 << 20);
	fc_ask(path, POST, (struct str){ big, 3 << 20 }, &a);
	is_int(a.status, 200, "POST of 3 MiB");
	ok(str_eq(a.body, (struct str){ big, 3 << 20 }), "comes back whole");
	fc_forget(&a);
	free(big);
	get("/big", &a);
	is_int(a.body.n, 3 << 20, "an answer of 3 MiB");
	fc_forget(&a);
	get("/stream", &a);
	is_str(a.body, "one more more more more ", "stream");
	ok(a.ended, "ends");
	fc_forget(&a);
	get("/break", &a);
	ok(!a.ended && a.closed, "a stream given up looks broken");
	fc_forget(&a);
	get("/silence", &a);
	ok(!a.ended && a.closed, "no answer looks broken");
	fc_forget(&a);
}

static void
test_headers(void)
{
	static const char *const bad[] = { "/crlf", "/nul", "/accel", "/name",
		"/long" };
	struct fc_answer a;

	for (size_t i = 0; i < 5; i++) {
		get(bad[i], &a);
		is_int(a.status, 500, "%s is not sent", bad[i]);
		ok(strstr(a.out.p, "X-") == NULL &&
			strstr(a.out.p, "Set-Cookie") == NULL,
		    "not even in part");
		fc_forget(&a);
	}
	get("/buffering", &a);
	is_int(a.status, 200, "X-Accel-Buffering may be sent");
	fc_forget(&a);
}

static void
test_params(void)
{
	static const char *const joined[] = { "REQUEST_URI", "/params",
		"HTTP_COOKIE", "a=1", "HTTP_COOKIE", "b=2", "HTTP_X", "1",
		"HTTP_X", "2", "EMPTY", "", NULL };
	static const char *const twice[][7] = { { "PA_USER", "a", "PA_USER",
						    "admin", NULL },
		{ "PA_SECRET", "", "PA_SECRET", "", NULL },
		{ "CONTENT_LENGTH", "0", "CONTENT_LENGTH", "0", NULL },
		{ "REQUEST_METHOD", "GET", "REQUEST_METHOD", "GET", NULL },
		{ "REQUEST_URI", "/", "REQUEST_URI", "/", NULL },
		{ "HTTP_HOST", "a", "HTTP_HOST", "b", NULL },
		{ "FCGI_ROLE", "RESPONDER", NULL } };
	static const char *const lengths[] = { "-1", "+1", "1x", " 1", "0x1",
		"99999999999999999999", "1,1" };
	struct fc_answer a;

	fc_ask(path, joined, STR(""), &a);
	is_str(a.body,
	    "FCGI_ROLE=RESPONDER\nREQUEST_URI=/params\n"
	    "HTTP_COOKIE=a=1; b=2\nHTTP_X=1\nEMPTY=\n",
	    "cookies are joined, other headers' first line stands");
	fc_forget(&a);
	for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		fc_ask(path, twice[i], STR(""), &a);
		is_int(a.status, 400, "%s twice is refused", twice[i][0]);
		fc_forget(&a);
	}
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		const char *pairs[] = { "CONTENT_LENGTH", lengths[i], NULL };

		fc_ask(path, pairs, STR("x"), &a);
		is_int(a.status, 400, "CONTENT_LENGTH \"%s\"", lengths[i]);
		fc_forget(&a);
	}
}

static void
test_bounds(void)
{
	static char long_value[100001];
	const char *pairs[2 * 202 + 1];
	char names[202][8];
	struct fc_answer a;

	memset(long_value, 'h', 100000);
	pairs[0] = "HTTP_X";
	pairs[1] = long_value;
	pairs[2] = NULL;
	fc_ask(path, pairs, STR(""), &a);
	is_int(a.status, 431, "100 kB of headers");
	ok(!a.reset, "without a reset");
	fc_forget(&a);
	long_value[16 * 1024 - 100] = '\0';
	fc_ask(path, pairs, STR(""), &a);
	is_int(a.status, 200, "just under 16 KB");
	fc_forget(&a);
	for (size_t i = 0; i < 202; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "N%zu", i);
		pairs[2 * i] = names[i];
		pairs[2 * i + 1] = "1";
	}
	pairs[2 * 202] = NULL;
	fc_ask(path, pairs, STR(""), &a);
	is_int(a.status, 431, "202 parameters");
	fc_forget(&a);
	pairs[2 * 199] = NULL;
	fc_ask(path, pairs, STR(""), &a);
	is_int(a.status, 200, "199 and the role");
	fc_forget(&a);
}

/* The plain way closes as libfcgi does, which lingers as long as it likes. */
static void
test_bodies(bool plain)
{
	static const char *const five[] = { "REQUEST_URI", "/echo",
		"CONTENT_LENGTH", "5", NULL };
	static const char *const none[] = { "REQUEST_URI", "/echo", NULL };
	static const char *const zero[] = { "REQUEST_URI", "/echo",
		"CONTENT_LENGTH", "0", NULL };
	static const char *const ignore[] = { "REQUEST_URI", "/ignore", NULL };
	size_t n = BODY_MAX + 100;
	char *big = calloc(1, n);
	struct fc_answer a;

	fc_ask(path, five, STR("1234"), &a);
	is_int(a.status, 400, "a body shorter than it says");
	fc_forget(&a);
	fc_ask(path, five, STR("123456"), &a);
	is_int(a.status, 400, "a longer one");
	fc_forget(&a);
	fc_ask(path, zero, STR("1"), &a);
	is_int(a.status, 400, "a body of no length that has some");
	fc_forget(&a);
	fc_ask(path, none, STR(""), &a);
	is_int(a.status, 200, "no length, no body");
	fc_forget(&a);
	fc_ask(path, none, (struct str){ big, n }, &a);
	is_int(a.status, 413, "over the limit");
	if (!plain)
		ok(a.ended && !a.reset, "the whole answer arrives, no reset");
	fc_forget(&a);
	fc_ask(path, ignore, (struct str){ big, 1 << 20 }, &a);
	is_int(a.status, 200, "an unread body");
	if (!plain)
		ok(a.ended && !a.reset, "the answer arrives, no reset");
	fc_forget(&a);
	free(big);
}

static void
test_stuck_peers(void)
{
	struct buf b;
	struct fc_answer a;
	int fds[40];
	int stuck[WORKERS - 1];
	int64_t from;

	/* Far more silent ones than there are workers. */
	for (size_t i = 0; i < 40; i++)
		fds[i] = fc_connect(path);
	still_quick("40 silent peers");
	for (size_t i = 0; i < 40; i++)
		close(fds[i]);

	buf_init(&b, 1 << 20);
	fc_begin(&b, 1, 0);
	b.n -= 3;
	from = clock_mono_ms();
	for (size_t i = 0; i < WORKERS - 1; i++) {
		stuck[i] = fc_connect(path);
		fc_send(stuck[i], &b);
	}
	still_quick("half headers");
	fc_read(stuck[0], &a, false);
	ok(a.closed && !a.ended, "half a header is cut off");
	ok(clock_mono_ms() - from < TIMEOUT_MS + SPARE_MS, "in time");
	fc_forget(&a);
	for (size_t i = 0; i < WORKERS - 1; i++)
		close(stuck[i]);

	/* One byte now and then does not buy more time. */
	from = clock_mono_ms();
	stuck[0] = fc_connect(path);
	for (size_t i = 0; i < b.n; i++) {
		if (send(stuck[0], b.p + i, 1, MSG_NOSIGNAL) < 0)
			break;
		usleep(200000);
		if (clock_mono_ms() - from > TIMEOUT_MS + SPARE_MS)
			break;
	}
	fc_read(stuck[0], &a, false);
	ok(a.closed && clock_mono_ms() - from < TIMEOUT_MS + 2 * SPARE_MS,
	    "a dribbling peer is cut off");
	fc_forget(&a);
	close(stuck[0]);
	buf_release(&b);
}

/* FCGI_GET_VALUES: a record of no request. */
static void
values_record(struct buf *b, const char *p, size_t n)
{
	const char head[8] = { 1, 9, 0, 0, 0, (char)n, 0, 0 };

	buf_add(b, head, sizeof(head));
	buf_add(b, p, n);
}

static void
test_hostile_records(void)
{
	static const char huge[] = "\x7f\xff\xff\xf0\x01"; /* see below */
	struct buf b, params;
	struct fc_answer a;
	int fd;

	buf_init(&b, 1 << 20);
	buf_init(&params, 1 << 20);
	/* a name of 0x7ffffff0 bytes, of which two come */
	buf_c(&params, (char)0xff);
	buf_add(&params, huge + 1, 4);
	buf_z(&params, "ab");
	fc_begin(&b, 1, 0);
	fc_stream(&b, FC_PARAMS, buf_as_str(&params));
	fc_stream(&b, FC_STDIN, STR(""));
	fd = fc_connect(path);
	fc_send(fd, &b);
	still_quick("a name of 2 GiB");
	fc_read(fd, &a, false);
	ok(a.closed && a.status == 0, "is dropped");
	fc_forget(&a);
	close(fd);

	/* Lengths whose sum is no int any more; the same where libfcgi would
	 * answer for itself, before a request and within one. */
	for (int where = 0; where < 3; where++) {
		static const char sum[] = "\xe0\0\0\0\xe0\0\0\0xyz";

		buf_clear(&b);
		if (where == 1)
			values_record(&b, sum, sizeof(sum) - 1);
		fc_begin(&b, 1, 0);
		if (where == 0)
			fc_record(&b, FC_PARAMS, sum, sizeof(sum) - 1);
		fc_stream(&b, FC_PARAMS, STR(""));
		if (where == 2)
			values_record(&b, sum, sizeof(sum) - 1);
		fc_stream(&b, FC_STDIN, STR(""));
		fd = fc_connect(path);
		fc_send(fd, &b);
		still_quick("lengths beyond all bounds");
		fc_read(fd, &a, false);
		ok(a.closed && a.status == 0, "are dropped");
		fc_forget(&a);
		close(fd);
	}

	buf_clear(&b);
	buf_z(&b, "GET / HTTP/1.0\r\n\r\n");
	fd = fc_connect(path);
	fc_send(fd, &b);
	fc_read(fd, &a, false);
	ok(a.closed && a.status == 0, "HTTP is dropped");
	fc_forget(&a);
	close(fd);

	buf_clear(&b);
	fc_begin(&b, 2, 0); /* authorizer */
	fc_stream(&b, FC_PARAMS, STR(""));
	fc_stream(&b, FC_STDIN, STR(""));
	fd = fc_connect(path);
	fc_send(fd, &b);
	fc_read(fd, &a, false);
	is_int(a.status, 400, "another role is refused");
	fc_forget(&a);
	close(fd);

	buf_clear(&b);
	fc_begin(&b, 1, 0);
	fc_record(&b, FC_ABORT, NULL, 0);
	fd = fc_connect(path);
	fc_send(fd, &b);
	fc_read(fd, &a, false);
	ok(a.closed, "an abort is dropped");
	fc_forget(&a);
	close(fd);
	buf_release(&b);
	buf_release(&params);
}

static void
test_keep_and_hold(void)
{
	struct buf b, params;
	struct fc_answer a;
	int held[8];
	int64_t from = clock_mono_ms();

	buf_init(&b, 1 << 20);
	buf_init(&params, 1 << 20);
	fc_pair(&params, "REQUEST_URI", "/");
	fc_begin(&b, 1, 1); /* FCGI_KEEP_CONN */
	fc_stream(&b, FC_PARAMS, buf_as_str(&params));
	fc_stream(&b, FC_STDIN, STR(""));
	for (size_t i = 0; i < 8; i++) {
		held[i] = fc_connect(path);
		fc_send(held[i], &b);
		fc_read(held[i], &a, false);
		ok(a.status == 200 && a.ended && a.closed,
		    "keep flag %zu: answered and closed all the same", i);
		fc_forget(&a);
	}
	ok(clock_mono_ms() - from < 1000,
	    "peers that never close cost nothing");
	for (size_t i = 0; i < 8; i++)
		close(held[i]);
	buf_release(&b);
	buf_release(&params);
}

static void
test_gone_peer(void)
{
	static const char *const pairs[] = { "REQUEST_URI", "/stream",
		"QUERY_STRING", "", NULL };
	struct fcgi_stats s;
	struct buf b;
	int fd = fc_connect(path);
	int64_t until = clock_mono_ms() + 3000;

	buf_init(&b, 1 << 20);
	fc_request(&b, pairs, STR(""));
	fc_send(fd, &b);
	usleep(50000);
	close(fd);
	do {
		usleep(10000);
		fcgi_stats(fcgi, &s);
	} while (s.busy > 0 && clock_mono_ms() < until);
	is_int(s.busy, 0, "a stream ends when its reader goes");
	buf_release(&b);
}

static void
test_out_of_files(void)
{
	struct rlimit old, tight;
	struct fc_answer a;
	int clients[8], eaters[64];
	size_t eaten = 0;
	const char *preload = getenv("LD_PRELOAD");

	if (preload != NULL && strstr(preload, "vgpreload") != NULL) {
		diag("valgrind loses connections at EMFILE: not tested");
		return;
	}
	for (size_t i = 0; i < 8; i++)
		clients[i] = socket(AF_UNIX, SOCK_STREAM, 0);
	getrlimit(RLIMIT_NOFILE, &old);
	tight = old;
	tight.rlim_cur = (rlim_t)clients[7] + 3;
	setrlimit(RLIMIT_NOFILE, &tight);
	while (eaten < 64 && (eaters[eaten] = dup(0)) >= 0)
		eaten++;
	for (size_t i = 0; i < 8; i++) {
		struct sockaddr_un at = { .sun_family = AF_UNIX };
		struct buf b;

		memcpy(at.sun_path, path, strlen(path) + 1);
		(void)!connect(clients[i], (struct sockaddr *)&at, sizeof(at));
		buf_init(&b, 1 << 20);
		fc_request(&b, GET, STR(""));
		fc_send(clients[i], &b);
		buf_release(&b);
	}
	usleep(400000);
	while (eaten > 0)
		close(eaters[--eaten]);
	setrlimit(RLIMIT_NOFILE, &old);
	for (size_t i = 0; i < 8; i++) {
		fc_read(clients[i], &a, false);
		is_int(a.status, 200, "client %zu is served after EMFILE", i);
		fc_forget(&a);
		close(clients[i]);
	}
	still_quick("after EMFILE");
}

static void
test_queue_full(void)
{
	static const char *const gate[] = { "REQUEST_URI", "/gate", NULL };
	struct fcgi_conf conf = {
		.path = path, .queue = 2, .timeout_ms = TIMEOUT_MS
	};
	int64_t until = clock_mono_ms() + 8000;
	struct fcgi_stats s;
	struct fc_answer a;
	int fds[12];
	int served = 0;
	struct buf b;

	atomic_store(&gate_open, false);
	is_int(fcgi_open(&fcgi, &conf), ERR_OK, "open with a queue of two");
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	buf_init(&b, 1 << 20);
	fc_request(&b, gate, STR(""));
	for (size_t i = 0; i < 12; i++) {
		fds[i] = fc_connect(path);
		fc_send(fds[i], &b);
		/* each worker has its own before the queue is filled */
		do
			fcgi_stats(fcgi, &s);
		while (s.served < (i < WORKERS ? i + 1 : WORKERS) &&
		       clock_mono_ms() < until);
	}
	do
		fcgi_stats(fcgi, &s);
	while (s.waiting + s.shed < 12 - WORKERS && clock_mono_ms() < until);
	atomic_store(&gate_open, true);
	for (size_t i = 0; i < 12; i++) {
		fc_read(fds[i], &a, false);
		served += a.status == 200;
		fc_forget(&a);
		close(fds[i]);
	}
	is_int(served, WORKERS + 2, "workers and queue are served");
	is_int(s.shed, 12 - WORKERS - 2, "the rest is shed");
	buf_release(&b);
	stop();
}

static void
test_stop(void)
{
	struct fc_answer a;
	struct buf b;
	int64_t took;
	int slow, half;

	start(false);
	took = stop();
	ok(took < 900, "idle: stops at once (%d ms)", (int)took);
	ok(access(path, F_OK) != 0, "and takes its socket away");

	start(false);
	atomic_store(&handler_busy, 0);
	buf_init(&b, 1 << 20);
	fc_request(
	    &b, (const char *const[]){ "REQUEST_URI", "/slow", NULL }, STR(""));
	slow = fc_connect(path);
	fc_send(slow, &b);
	half = fc_connect(path);
	b.n = 20;
	fc_send(half, &b);
	while (atomic_load(&handler_busy) == 0)
		usleep(1000);
	took = stop();
	ok(took >= 200, "busy: waits for the request in hand");
	ok(took < TIMEOUT_MS + 500, "but not for a half one (%d ms)",
	    (int)took);
	fc_read(slow, &a, false);
	is_int(a.status, 200, "which is answered");
	fc_forget(&a);
	close(slow);
	close(half);
	buf_release(&b);
}

static void
test_socket_file(void)
{
	struct fcgi_conf conf = { .path = path };
	struct fcgi *second = NULL;
	struct stat st;
	int fd;

	start(false);
	is_int(stat(path, &st), 0, "the socket is there");
	is_int(st.st_mode & 07777, 0660, "with mode 0660");
	is_int(fcgi_open(&second, &conf), ERR_BUSY, "a second one is refused");
	still_quick("after that");
	/* somebody replaces the file: ours must not remove it then */
	unlink(path);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	stop();
	is_int(access(path, F_OK), 0, "another's file is left alone");
	is_int(fcgi_open(&second, &conf), ERR_CONFIG, "a file is no socket");
	unlink(path);

	/* a process that dies leaves its socket behind */
	if (fork() == 0) {
		struct listener l;

		_exit(listen_make(&l, path, 0660, NULL) == ERR_OK ? 0 : 1);
	}
	wait(NULL);
	is_int(access(path, F_OK), 0, "a dead process's socket");
	start(false);
	still_quick("replaced");
	stop();

	conf.group = "no-such-group";
	is_int(fcgi_open(&second, &conf), ERR_CONFIG, "unknown group");
	conf.group = NULL;
	conf.path = "/tmp/no-such-folder-of-ours/socket";
	is_int(fcgi_open(&second, &conf), ERR_CONFIG, "unknown folder");
	ok(second == NULL, "out untouched");
}

/* A child gets a listening socket the way `how` says; it must serve it. */
static void
test_inherited(bool by_systemd)
{
	struct listener l;
	struct fc_answer a;
	pid_t child;

	if (listen_make(&l, path, 0660, NULL) != ERR_OK)
		return;
	child = fork();
	if (child == 0) {
		struct fcgi_conf conf = { .path = "/nowhere/at/all",
			.inherit = true };
		char pid[16];
		struct fcgi_req *rq;

		(void)dup2(l.fd, by_systemd ? 3 : 0);
		(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
		if (by_systemd) {
			setenv("LISTEN_PID", pid, 1);
			setenv("LISTEN_FDS", "1", 1);
		}
		if (fcgi_open(&fcgi, &conf) != ERR_OK)
			_exit(1);
		rq = fcgi_req_open(fcgi, 1 << 20);
		if (fcgi_next(fcgi, rq) != ERR_OK)
			_exit(2);
		serve(rq);
		fcgi_end(rq);
		fcgi_req_close(rq);
		fcgi_close(fcgi);
		_exit(0);
	}
	fc_ask(path, GET, STR(""), &a);
	is_int(a.status, 200, "inherited %s",
	    by_systemd ? "from systemd" : "as fd 0");
	fc_forget(&a);
	waitpid(child, NULL, 0);
	is_int(access(path, F_OK), 0, "and its socket stays");
	listen_close(&l);
}

static void
test_signals(void)
{
	struct sigaction now;

	sigaction(SIGPIPE, NULL, &now);
	ok(now.sa_handler == SIG_IGN, "SIGPIPE is ignored after fcgi_init");
	sigaction(SIGXFSZ, NULL, &now);
	ok(now.sa_handler == SIG_IGN, "SIGXFSZ too");
	sigaction(SIGTERM, NULL, &now);
	ok(now.sa_handler == SIG_DFL, "SIGTERM is nobody's");
}

static void
test_one_mode(bool plain)
{
	start(plain);
	test_ordinary();
	test_headers();
	test_params();
	test_bounds();
	test_bodies(plain);
	test_keep_and_hold();
	if (!plain) {
		test_stuck_peers();
		test_hostile_records();
		test_gone_peer();
		test_out_of_files();
	}
	ok(stop() < 2500, "stops in time");
}

/* ---- what libfcgi must never see ---- */

#define PEEK_BEGIN "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0"
#define PEEK_END "\1\4\0\1\0\0\0\0"
#define PEEK(z) (z), sizeof(z) - 1

static void
test_peek(void)
{
	static const char sound[] =
	    PEEK_BEGIN "\1\4\0\1\0\4\0\0\1\1ab" PEEK_END;
	static const struct {
		const char *name, *bytes;
		size_t n;
		enum err want;
	} cases[] = {
		{ "four bytes for a length",
		    PEEK(PEEK_BEGIN "\1\4\0\1\0\7\0\0\200\0\0\1\1ab" PEEK_END),
		    ERR_OK },
		{ "a pair over two records",
		    PEEK(PEEK_BEGIN "\1\4\0\1\0\2\0\0\1\1"
				    "\1\4\0\1\0\2\0\0ab" PEEK_END),
		    ERR_OK },
		{ "padding",
		    PEEK(PEEK_BEGIN "\1\4\0\1\0\4\2\0\1\1ab\0\0" PEEK_END),
		    ERR_OK },
		{ "an end without its beginning", PEEK(PEEK_END), ERR_INVALID },
		{ "another version", PEEK("\2\1\0\1\0\10\0\0"), ERR_INVALID },
		{ "a record of nobody's", PEEK("\1\1\0\0\0\10\0\0"),
		    ERR_INVALID },
		{ "a beginning of another size", PEEK("\1\1\0\1\0\7\0\0"),
		    ERR_INVALID },
		{ "two beginnings", PEEK(PEEK_BEGIN PEEK_BEGIN), ERR_INVALID },
		{ "lengths that together pass 2^31",
		    PEEK(PEEK_BEGIN "\1\4\0\1\0\10\0\0"
				    "\377\377\377\377\377\377\377\377"),
		    ERR_INVALID },
		{ "a pair longer than all may be",
		    PEEK(PEEK_BEGIN "\1\4\0\1\0\5\0\0\200\2\0\0\1"),
		    ERR_INVALID },
		{ "a NUL in a value",
		    PEEK(PEEK_BEGIN "\1\4\0\1\0\5\0\0\1\2ab\0" PEEK_END),
		    ERR_INVALID },
	};
	size_t early = 0;

	is_int(fcgi_peek_bytes(sound, sizeof(sound) - 1), ERR_OK,
	    "a sound request");
	for (size_t n = 0; n < sizeof(sound) - 1; n++)
		early += fcgi_peek_bytes(sound, n) != ERR_BUSY;
	is_int((int64_t)early, 0, "cut anywhere, it waits for the rest");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_int(fcgi_peek_bytes(cases[i].bytes, cases[i].n),
		    cases[i].want, "%s", cases[i].name);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/fcgi.sock", dir);
	log_level_set(LOG_LEVEL_ERROR);
	is_int(fcgi_init(), ERR_OK, "init");
	test_signals();
	test_peek();
	test_one_mode(false);
	test_one_mode(true);
	test_queue_full();
	test_stop();
	test_socket_file();
	test_inherited(true);
	test_inherited(false);
	rmdir(dir);
	return done_testing();
}
