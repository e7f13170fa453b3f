/* This file knows how to carry one CGI request to the running service. */
#include "config.h"

#include "cmd/cgi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/daemon.h"
#include "cmd/options.h"
#include "port/listen.h"

#define DATADIR_ENV "PROMPT_ARENA_DATADIR"
#define AWAY_PAGE "htdocs/static/error/503.xhtml"
#define SEND_SECONDS 30
#define ANSWER_SECONDS 120
#define PARAMS_MAX ((size_t)64 * 1024)
#define BODY_PIECE 32768
#define EX_USAGE 64

enum record {
	BEGIN = 1,
	END = 3,
	PARAMS = 4,
	STDIN = 5,
	STDOUT = 6
};

static bool relay(int fd, bool *began);
static void add_environment(struct buf *params);
static bool is_forwarded(struct str name);
static struct str base_path(void);
static void add_derived(struct buf *params);
static void add_pair(struct buf *, struct str name, struct str value);
static void add_length(struct buf *, size_t n);
static bool send_record(int fd, enum record type, const char *p, size_t n);
static bool send_params(int fd, struct str params);
static void send_body(int fd);
static bool copy_answer(int fd, bool *began);
static bool read_exactly(int fd, void *p, size_t n);
static bool write_all(int fd, const char *p, size_t n, bool to_socket);
static void write_below_base(struct str page);
static int say_away(void);

extern char **environ;

static const char usage[] = "usage: prompt-arena cgi [--socket PATH]\n";

int
cmd_cgi(int argc, char **argv)
{
	const struct timeval give = { SEND_SECONDS, 0 };
	const struct timeval take = { ANSWER_SECONDS, 0 };
	const char *path = getenv(DAEMON_SOCKET_ENV);
	bool began = false;
	bool good;
	int fd;

	if (getenv("REQUEST_METHOD") == NULL &&
	    options_has(&argc, argv, "--help")) {
		(void)fputs(usage, stdout);
		return 0;
	}
	if (options_take(&argc, argv, "--socket", &path) != ERR_OK ||
	    argc != 1) {
		(void)fputs(usage, stderr);
		return EX_USAGE;
	}
	if (path == NULL || path[0] == '\0')
		path = DAEMON_SOCKET_DEFAULT;
	if (getenv("REQUEST_METHOD") == NULL) {
		(void)fputs(
		    "prompt-arena: cgi is run by a web server\n", stderr);
		return EX_USAGE;
	}
	if (listen_connect(path, &fd) != ERR_OK) {
		log_error("no service listens at %s", path);
		return say_away();
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &give, sizeof(give));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &take, sizeof(take));
	good = relay(fd, &began);
	(void)close(fd);
	if (good)
		return 0;
	log_error("the service at %s did not answer whole", path);
	/* Half an answer cannot be taken back; its length tells. */
	return began ? err_exit_code(ERR_IO) : say_away();
}

static bool
relay(int fd, bool *began)
{
	static const char begin[8] = { 0, 1 }; /* responder, close after it */
	struct buf params;
	bool sent;

	buf_init(&params, PARAMS_MAX);
	add_environment(&params);
	add_derived(&params);
	sent = !params.failed && send_record(fd, BEGIN, begin, 8) &&
	       send_params(fd, buf_as_str(&params));
	buf_release(&params);
	if (!sent)
		return false;
	/* The service may refuse a body before it has read it all. */
	send_body(fd);
	return copy_answer(fd, began);
}

static void
add_environment(struct buf *params)
{
	for (char **at = environ; *at != NULL; at++) {
		struct str value = str_of(*at);
		struct str name = str_cut(&value, '=');

		if (value.p != NULL && is_forwarded(name))
			add_pair(params, name, value);
	}
}

/*
 * What RFC 3875 calls meta-variables, and our own.  HTTP_PROXY is a client's
 * Proxy: header, REMOTE_USER may be unchecked: both stay here.
 */
static bool
is_forwarded(struct str name)
{
	static const char *const known[] = { "AUTH_TYPE", "CONTENT_LENGTH",
		"CONTENT_TYPE", "HTTPS", "PATH_INFO", "QUERY_STRING",
		"REMOTE_ADDR", "REQUEST_METHOD", "REQUEST_URI", "SCRIPT_NAME",
		"SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL",
		"SERVER_SOFTWARE" };

	if (str_is(name, "HTTP_PROXY"))
		return false;
	if (str_starts(name, "HTTP_") || str_starts(name, "PA_"))
		return true;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (str_is(name, known[i]))
			return true;
	}
	return false;
}

/* Our pages lie below the script, unless somebody says otherwise. */
static struct str
base_path(void)
{
	const char *said = getenv("PA_BASE");
	const char *uri = getenv("REQUEST_URI");
	struct str script = str_of(getenv("SCRIPT_NAME"));

	if (said != NULL)
		return str_of(said);
	if (script.p == NULL ||
	    (uri != NULL && !str_starts(str_of(uri), script.p)))
		return STR("");
	return script;
}

/* What the program expects and not every CGI server says. */
static void
add_derived(struct buf *params)
{
	struct str info = str_of(getenv("PATH_INFO"));
	struct str query = str_of(getenv("QUERY_STRING"));
	struct str base = base_path();
	struct buf made;

	buf_init(&made, PARAMS_MAX);
	if (getenv("REQUEST_URI") == NULL) {
		buf_str(&made, str_of(getenv("SCRIPT_NAME")));
		while (info.p != NULL) {
			struct str part = str_cut(&info, '/');

			buf_url(&made, part);
			if (info.p != NULL)
				buf_c(&made, '/');
		}
		if (query.n > 0) {
			buf_c(&made, '?');
			buf_str(&made, query);
		}
		add_pair(params, STR("REQUEST_URI"), buf_as_str(&made));
	}
	if (getenv("PA_BASE") == NULL && base.n > 0)
		add_pair(params, STR("PA_BASE"), base);
	if (made.failed)
		params->failed = true;
	buf_release(&made);
}

static void
add_pair(struct buf *b, struct str name, struct str value)
{
	add_length(b, name.n);
	add_length(b, value.n);
	buf_str(b, name);
	buf_str(b, value);
}

static void
add_length(struct buf *b, size_t n)
{
	if (n > 127) {
		buf_c(b, (char)(unsigned char)(n >> 24 | 0x80));
		buf_c(b, (char)(unsigned char)(n >> 16));
		buf_c(b, (char)(unsigned char)(n >> 8));
	}
	buf_c(b, (char)(unsigned char)n);
}

static bool
send_record(int fd, enum record type, const char *p, size_t n)
{
	const unsigned char head[8] = { 1, (unsigned char)type, 0, 1,
		(unsigned char)(n >> 8), (unsigned char)n, 0, 0 };

	return write_all(fd, (const char *)head, sizeof(head), true) &&
	       write_all(fd, p, n, true);
}

static bool
send_params(int fd, struct str params)
{
	while (params.n > 0) {
		size_t n = params.n < BODY_PIECE ? params.n : BODY_PIECE;

		if (!send_record(fd, PARAMS, params.p, n))
			return false;
		params.p += n;
		params.n -= n;
	}
	return send_record(fd, PARAMS, NULL, 0);
}

/* As many bytes as CONTENT_LENGTH says; if it lies, the service notices. */
static void
send_body(int fd)
{
	const char *length = getenv("CONTENT_LENGTH");
	int64_t left = 0;
	char piece[BODY_PIECE];

	if (length != NULL &&
	    str_int(str_of(length), 0, INT64_MAX, &left) != ERR_OK)
		left = 0;
	while (left > 0) {
		size_t want = left < BODY_PIECE ? (size_t)left : BODY_PIECE;
		ssize_t n = read(STDIN_FILENO, piece, want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (!send_record(fd, STDIN, piece, (size_t)n))
			return;
		left -= n;
	}
	(void)send_record(fd, STDIN, NULL, 0);
}

/* True when the answer ended as it should. */
static bool
copy_answer(int fd, bool *began)
{
	static char content[65535 + 255];
	unsigned char head[8];

	while (read_exactly(fd, head, sizeof(head))) {
		size_t n = (size_t)head[4] << 8 | head[5];

		if (head[0] != 1 || !read_exactly(fd, content, n + head[6]))
			return false;
		if (head[1] == END)
			return *began;
		if (head[1] != STDOUT || n == 0)
			continue;
		*began = true;
		if (!write_all(STDOUT_FILENO, content, n, false))
			return false;
	}
	return false;
}

static bool
read_exactly(int fd, void *p, size_t n)
{
	char *at = p;

	while (n > 0) {
		ssize_t got = read(fd, at, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static bool
write_all(int fd, const char *p, size_t n, bool to_socket)
{
	while (n > 0) {
		ssize_t put =
		    to_socket ? send(fd, p, n, MSG_NOSIGNAL) : write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}

/* A page that was written for the top: its links get the base. */
static void
write_below_base(struct str page)
{
	static const char link[] = "=\"/";
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	struct str base = base_path();
	const char *at;

	/* What would have to be escaped is no path that anybody mounts at. */
	if (base.n > 0 && (strspn(base.p, plain) != base.n ||
			      base.p[0] != '/' || str_starts(base, "//")))
		base = STR("");
	while ((at = memmem(page.p, page.n, link, sizeof(link) - 1)) != NULL) {
		size_t before = (size_t)(at - page.p) + 2;

		(void)write_all(STDOUT_FILENO, page.p, before, false);
		(void)write_all(STDOUT_FILENO, base.p, base.n, false);
		page.p += before;
		page.n -= before;
	}
	(void)write_all(STDOUT_FILENO, page.p, page.n, false);
}

/* The same page that the web server shows when the service is away. */
static int
say_away(void)
{
	static const char head[] =
	    "Status: 503 Service Unavailable\r\n"
	    "Content-Type: application/xhtml+xml; charset=utf-8\r\n"
	    "Cache-Control: no-store\r\n"
	    "Retry-After: 5\r\n"
	    "X-Content-Type-Options: nosniff\r\n"
	    "X-Frame-Options: DENY\r\n"
	    "Referrer-Policy: same-origin\r\n"
	    "Cross-Origin-Opener-Policy: same-origin\r\n"
	    "Cross-Origin-Resource-Policy: same-origin\r\n"
	    "Permissions-Policy: camera=(), geolocation=(), microphone=(), "
	    "payment=(), usb=()\r\n"
	    "Content-Security-Policy: default-src 'none'; style-src 'self'; "
	    "img-src 'self'; base-uri 'none'; form-action 'none'; "
	    "frame-ancestors 'none'\r\n\r\n";
	static const char bare[] =
	    "<!DOCTYPE html>\n"
	    "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" "
	    "xml:lang=\"en\"><head><title>503</title></head>"
	    "<body><h1>503 Service Unavailable</h1></body></html>\n";
	const char *folder = getenv(DATADIR_ENV);
	char path[512];
	char page[16384];
	ssize_t n = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/" AWAY_PAGE,
	    folder != NULL ? folder : PA_DATADIR);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, page, sizeof(page));
		(void)close(fd);
	}
	(void)write_all(STDOUT_FILENO, head, sizeof(head) - 1, false);
	if (n > 0)
		write_below_base((struct str){ page, (size_t)n });
	else
		(void)write_all(STDOUT_FILENO, bare, sizeof(bare) - 1, false);
	return 0;
}
