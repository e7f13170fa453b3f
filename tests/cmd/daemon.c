/* This file knows how src/cmd/daemon.h must start, work, reload and stop. */
#include "cmd/daemon.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/pool.h"
#include "cmd/cgi.h"
#include "port/fcgi.h"

#include "../fcgi_client.h"
#include "../tap.h"

static char dir[] = "/tmp/pa-daemon-XXXXXX";
static char fcgi_path[128], control_path[128], diary_path[128];
static char notify_path[128];

/* ---- an application that keeps a diary of its hooks ---- */

struct app {
	enum err open, start, worker; /* what the hooks shall say */
	atomic_int reload;
	atomic_int version;
};

static void
note(const char *line)
{
	int fd =
	    open(diary_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	(void)!write(fd, line, strlen(line));
	close(fd);
}

static enum err
app_configure(void *ctx, const char *conf_path, struct daemon_conf *conf)
{
	(void)ctx;
	if (strcmp(conf_path, "/broken") == 0)
		return ERR_CONFIG;
	conf->socket = fcgi_path;
	conf->control = control_path;
	conf->workers = 3;
	conf->timeout_ms = 1500;
	return ERR_OK;
}

static enum err
app_init(void *ctx)
{
	sigset_t now;

	(void)ctx;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	note(sigismember(&now, SIGTERM) ? "init " : "init-unblocked ");
	return ERR_OK;
}

static enum err
app_open(void *ctx)
{
	note(access(fcgi_path, F_OK) != 0 ? "open " : "open-late ");
	return ((struct app *)ctx)->open;
}

static enum err
app_start(void *ctx, struct fcgi *fcgi)
{
	struct sigaction now;

	(void)fcgi;
	sigaction(SIGPIPE, NULL, &now);
	note(now.sa_handler == SIG_IGN && access(fcgi_path, F_OK) == 0
		 ? "start "
		 : "start-wrong ");
	return ((struct app *)ctx)->start;
}

static enum err
app_worker_open(void *ctx, unsigned number, void **worker)
{
	*worker = ctx;
	return number == 1 ? ((struct app *)ctx)->worker : ERR_OK;
}

static void
app_worker_close(void *ctx, void *worker)
{
	note(ctx == worker ? "worker " : "worker-lost ");
}

static void
app_serve_one(void *ctx, void *worker, struct fcgi_req *rq, enum err refused)
{
	struct app *app = worker;
	const char *uri = fcgi_param(rq, "REQUEST_URI");
	struct str body = STR("");
	struct reply r = { 200, NULL, 0, body };

	(void)ctx;
	if (refused != ERR_OK) {
		r.status = refused == ERR_TOOBIG ? 431 : 400;
	} else if (uri != NULL && strcmp(uri, "/slow") == 0) {
		usleep(400000);
		r.body = STR("slow");
	} else if (uri != NULL && strcmp(uri, "/pid") == 0) {
		r.body = pool_printf(fcgi_pool(rq), "%d", (int)getpid());
	} else if (uri != NULL && strcmp(uri, "/version") == 0) {
		r.body = pool_printf(
		    fcgi_pool(rq), "%d", atomic_load(&app->version));
	} else if (fcgi_body_length(rq) > 0) {
		if (fcgi_body(rq, fcgi_pool(rq), 1 << 20, &r.body) != ERR_OK)
			r.status = 413;
	} else {
		const char *base = fcgi_param(rq, "PA_BASE");

		r.body = pool_printf(fcgi_pool(rq), "%s %s%s",
		    uri == NULL ? "-" : uri, base == NULL ? "-" : base,
		    fcgi_param(rq, "HTTP_PROXY") != NULL ||
			    fcgi_param(rq, "REMOTE_USER") != NULL ||
			    fcgi_param(rq, "PATH") != NULL
			? " leaked"
			: "");
	}
	(void)!fcgi_reply(rq, &r);
}

static enum err
app_reload(void *ctx)
{
	struct app *app = ctx;
	enum err e = (enum err)atomic_load(&app->reload);

	if (e != ERR_OK)
		return e;
	atomic_fetch_add(&app->version, 1);
	return ERR_OK;
}

static void
app_stopping(void *ctx)
{
	(void)ctx;
	note("stopping ");
}

static void
app_stop(void *ctx)
{
	(void)ctx;
	note("stop ");
}

static void
app_status(void *ctx, struct buf *answer)
{
	buf_printf(answer, "app_version %d\n",
	    atomic_load(&((struct app *)ctx)->version));
}

static enum err
verb_echo(void *ctx, const struct str *args, size_t args_n, struct buf *answer)
{
	(void)ctx;
	if (args_n == 0)
		return ERR_INVALID;
	for (size_t i = 0; i < args_n; i++) {
		buf_c(answer, '[');
		buf_str(answer, args[i]);
		buf_c(answer, ']');
	}
	return ERR_OK;
}

static enum err
verb_spoil(void *ctx, const struct str *args, size_t args_n, struct buf *answer)
{
	(void)args;
	(void)args_n;
	(void)answer;
	atomic_store(&((struct app *)ctx)->reload, ERR_SYNTAX);
	return ERR_OK;
}

static const struct daemon_verb verbs[] = {
	{ "echo", "say it again", verb_echo },
	{ "spoil", "let the next reload fail", verb_spoil },
};

static struct app app_state;
static const struct daemon_app app = { .ctx = &app_state,
	.configure = app_configure,
	.init = app_init,
	.open = app_open,
	.start = app_start,
	.worker_open = app_worker_open,
	.worker_close = app_worker_close,
	.serve_one = app_serve_one,
	.reload = app_reload,
	.stopping = app_stopping,
	.stop = app_stop,
	.status = app_status,
	.verbs = verbs,
	.verbs_n = 2 };

/* ---- running it ---- */

static pid_t
serve(const char *option)
{
	pid_t child;

	unlink(diary_path);
	child = fork();
	if (child == 0) {
		char name[] = "serve", root[] = "--allow-root";
		char *more = option == NULL ? NULL : strdup(option);
		char *argv[] = { name, root, more, NULL };

		if (option != NULL && strcmp(option, "no-root") == 0) {
			argv[1] = NULL;
			more = NULL;
		}
		_exit(daemon_serve(&app,
		    more != NULL      ? 3
		    : argv[1] != NULL ? 2
				      : 1,
		    argv));
	}
	return child;
}

static void
wait_for(const char *path)
{
	int64_t until = clock_mono_ms() + 60000;

	while (access(path, F_OK) != 0 && clock_mono_ms() < until)
		usleep(2000);
}

static int
ended(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
get(const char *uri, struct fc_answer *a)
{
	const char *pairs[] = { "REQUEST_URI", uri, NULL };

	fc_ask(fcgi_path, pairs, STR(""), a);
}

static const char *
diary(void)
{
	static char text[4096];
	int fd = open(diary_path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* A verb through the control socket; the answer in out. */
static enum err
ask(const char *verb, struct str arg, struct buf *out)
{
	enum err result = ERR_INTERNAL;
	enum err e;

	buf_clear(out);
	buf_z(out, "");
	e = daemon_ask(
	    control_path, verb, &arg, arg.p == NULL ? 0 : 1, out, &result);
	return e == ERR_OK ? result : e;
}

/* A command in a child; its standard output in out. */
static int
command(int (*run)(void), const char *input, struct buf *out)
{
	int in[2], from[2];
	char piece[4096];
	pid_t child;
	ssize_t n;

	if (pipe(in) != 0 || pipe(from) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(in[0], 0);
		dup2(from[1], 1);
		dup2(null, 2);
		close(in[1]);
		close(from[0]);
		n = run();
		fflush(stdout);
		_exit((int)n);
	}
	close(in[0]);
	close(from[1]);
	(void)!write(in[1], input, strlen(input));
	close(in[1]);
	buf_clear(out);
	buf_z(out, "");
	while ((n = read(from[0], piece, sizeof(piece))) > 0)
		buf_add(out, piece, (size_t)n);
	close(from[0]);
	return ended(child);
}

static int
run_status(void)
{
	char name[] = "status";
	char *argv[] = { name, NULL };

	return daemon_client(&app, 1, argv);
}

static int
run_stop(void)
{
	char name[] = "stop", path[160];
	char *argv[] = { name, path, NULL };

	(void)snprintf(path, sizeof(path), "--control=%s", control_path);
	return daemon_client(&app, 2, argv);
}

static int
run_cgi(void)
{
	char name[] = "cgi", option[] = "--socket";
	char *argv[] = { name, option, fcgi_path, NULL };

	return cmd_cgi(3, argv);
}

/* ---- the tests ---- */

static void
test_life(void)
{
	pid_t child = serve(NULL);
	struct fc_answer a;
	struct buf out;
	struct stat st;

	buf_init(&out, 1 << 20);
	wait_for(control_path);
	is_int(stat(control_path, &st), 0, "control socket");
	is_int(st.st_mode & 07777, 0600, "is ours alone");
	get("/version", &a);
	is_str(a.body, "0", "serves");
	fc_forget(&a);

	is_int(ask("status", str_of(NULL), &out), ERR_OK, "status");
	ok(strstr(out.p, "workers 3\n") != NULL &&
		strstr(out.p, "app_version 0\n") != NULL,
	    "tells of the service and the application");
	is_int(ask("echo", STR("a b%\n\xc3\xa9"), &out), ERR_OK, "a verb");
	is_str(out.p, "[a b%\n\xc3\xa9]", "gets its argument as it was");
	is_int(ask("echo", str_of(NULL), &out), ERR_INVALID, "its error");
	is_int(ask("statsu", str_of(NULL), &out), ERR_METHOD, "unknown verb");
	ok(strstr(out.p, "\"status\"") != NULL, "with the nearest: %s", out.p);
	is_int(ask("reload", str_of(NULL), &out), ERR_OK, "reload");
	get("/version", &a);
	is_str(a.body, "1", "has an effect when it returns");
	fc_forget(&a);
	kill(child, SIGHUP);
	for (int i = 0; i < 500; i++) {
		get("/version", &a);
		if (str_is(a.body, "2"))
			break;
		fc_forget(&a);
		usleep(2000);
	}
	is_str(a.body, "2", "SIGHUP reloads");
	fc_forget(&a);
	is_int(ask("spoil", str_of(NULL), &out), ERR_OK, "a bad file");
	is_int(ask("reload", str_of(NULL), &out), ERR_SYNTAX, "is told");
	get("/version", &a);
	is_str(a.body, "2", "and the old state serves on");
	fc_forget(&a);
	is_int(command(run_status, "", &out), 0, "the command status");
	ok(strstr(out.p, "app_version 2\n") != NULL, "prints it");

	kill(child, SIGTERM);
	is_int(ended(child), 0, "SIGTERM ends it well");
	is_str(diary(), "init open start stopping worker worker worker stop ",
	    "the hooks came in order");
	ok(access(fcgi_path, F_OK) != 0 && access(control_path, F_OK) != 0,
	    "no socket is left");
	is_int(
	    ask("status", str_of(NULL), &out), ERR_NOTFOUND, "nobody to ask");
	is_int(command(run_status, "", &out), 75, "status says 75");
	buf_release(&out);
}

static void
test_control_peers(void)
{
	pid_t child = serve(NULL);
	struct buf out, raw;
	char piece[64];
	int silent, wild;

	buf_init(&out, 1 << 20);
	buf_init(&raw, 1 << 20);
	wait_for(control_path);
	wild = fc_connect(control_path);
	buf_z(&raw, "status%zz\n");
	fc_send(wild, &raw);
	ok(read(wild, piece, sizeof(piece)) > 0 &&
		strncmp(piece, "error invalid\n", 14) == 0,
	    "a bad escape is refused");
	close(wild);
	buf_clear(&raw);
	for (int i = 0; i < 100; i++)
		buf_z(&raw, "a ");
	buf_z(&raw, "\n");
	wild = fc_connect(control_path);
	fc_send(wild, &raw);
	ok(read(wild, piece, sizeof(piece)) > 0 &&
		strncmp(piece, "error invalid\n", 14) == 0,
	    "100 words are refused");
	close(wild);
	silent = fc_connect(control_path);
	close(silent);
	is_int(ask("status", str_of(NULL), &out), ERR_OK,
	    "one that hung up costs nothing");
	is_int(command(run_stop, "", &out), 0, "stop");
	ok(access(fcgi_path, F_OK) != 0, "returns when it has stopped");
	is_int(ended(child), 0, "which ended well");
	buf_release(&out);
	buf_release(&raw);
}

static void
test_busy_stop(void)
{
	pid_t child = serve("--workers=2");
	struct fc_answer a;
	struct buf b;
	int fd;

	wait_for(control_path);
	buf_init(&b, 1 << 16);
	fc_request(
	    &b, (const char *const[]){ "REQUEST_URI", "/slow", NULL }, STR(""));
	fd = fc_connect(fcgi_path);
	fc_send(fd, &b);
	usleep(100000);
	kill(child, SIGTERM);
	fc_read(fd, &a, false);
	is_str(a.body, "slow", "SIGTERM lets a request end");
	close(fd);
	fc_forget(&a);
	is_int(ended(child), 0, "then ends well");
	is_str(diary(), "init open start stopping worker worker stop ",
	    "after both workers");
	buf_release(&b);
}

/* Signals must never look like the end of a body. */
static void
test_signals_in_body(void)
{
	static const char *const pairs[] = { "REQUEST_URI", "/upload",
		"CONTENT_LENGTH", "200000", NULL };
	pid_t child = serve("--workers=1");
	char *body = malloc(200000);
	struct fc_answer a;
	struct buf b, rest;
	int fd;

	memset(body, 'b', 200000);
	wait_for(control_path);
	buf_init(&b, 1 << 20);
	buf_init(&rest, 1 << 20);
	fc_request(&b, pairs, (struct str){ body, 200000 });
	fd = fc_connect(fcgi_path);
	for (size_t at = 0; at < b.n; at += 25000) {
		buf_clear(&rest);
		buf_add(&rest, b.p + at, b.n - at < 25000 ? b.n - at : 25000);
		fc_send(fd, &rest);
		kill(child, SIGHUP);
		kill(child, SIGUSR1);
		usleep(5000);
	}
	fc_read(fd, &a, false);
	ok(str_eq(a.body, (struct str){ body, 200000 }),
	    "a body comes whole through a storm of signals");
	fc_forget(&a);
	close(fd);
	free(body);
	buf_release(&b);
	buf_release(&rest);
	kill(child, SIGTERM);
	is_int(ended(child), 0, "ended");
}

static void
test_bad_starts(void)
{
	static const struct {
		const char *option;
		int code;
	} cases[] = { { "--workers=0", 64 }, { "--workers=x", 64 },
		{ "--wrokers=3", 64 }, { "extra", 64 },
		{ "--conf=/broken", 78 }, { "--socket=/no/such/dir/x", 78 },
		{ "--control=/no/such/dir/x", 78 } };
	pid_t child;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_int(ended(serve(cases[i].option)), cases[i].code, "%s",
		    cases[i].option);
	if (geteuid() == 0)
		is_int(ended(serve("no-root")), 77, "root without leave");
	app_state.open = ERR_CORRUPT;
	is_int(ended(serve(NULL)), 78, "open fails");
	is_str(diary(), "init open stop ", "stop is called all the same");
	app_state.open = ERR_OK;
	app_state.start = ERR_IO;
	is_int(ended(serve(NULL)), 74, "start fails");
	app_state.start = ERR_OK;
	app_state.worker = ERR_BUSY;
	is_int(ended(serve(NULL)), 75, "a worker fails");
	is_str(diary(), "init open start stopping worker worker stop ",
	    "the other two close");
	app_state.worker = ERR_OK;
	ok(access(fcgi_path, F_OK) != 0, "no socket is left");

	child = serve(NULL);
	wait_for(control_path);
	is_int(ended(serve(NULL)), 75, "a second one");
	kill(child, SIGTERM);
	is_int(ended(child), 0, "does not hurt the first");
}

static void
test_notify(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct timeval limit = { 5, 0 };
	char got[256];
	ssize_t n;
	pid_t child;

	memcpy(at.sun_path, notify_path, strlen(notify_path) + 1);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setenv("NOTIFY_SOCKET", notify_path, 1);
	child = serve(NULL);
	n = recv(fd, got, sizeof(got) - 1, 0);
	got[n < 0 ? 0 : n] = '\0';
	is_str(got, "READY=1", "ready");
	kill(child, SIGHUP);
	n = recv(fd, got, sizeof(got) - 1, 0);
	got[n < 0 ? 0 : n] = '\0';
	ok(strncmp(got, "RELOADING=1\nMONOTONIC_USEC=", 27) == 0, "reloading");
	n = recv(fd, got, sizeof(got) - 1, 0);
	got[n < 0 ? 0 : n] = '\0';
	is_str(got, "READY=1", "ready again");
	kill(child, SIGTERM);
	n = recv(fd, got, sizeof(got) - 1, 0);
	got[n < 0 ? 0 : n] = '\0';
	is_str(got, "STOPPING=1", "stopping");
	is_int(ended(child), 0, "ended");
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	unlink(notify_path);
}

static void
test_cgi(void)
{
	pid_t child;
	struct buf out;

	buf_init(&out, 1 << 20);
	setenv("REQUEST_METHOD", "GET", 1);
	setenv("SCRIPT_NAME", "/cgi-bin/arena", 1);
	setenv("PATH_INFO", "/match/a b", 1);
	setenv("QUERY_STRING", "x=1", 1);
	setenv("HTTP_PROXY", "http://evil", 1);
	setenv("REMOTE_USER", "admin", 1);
	setenv("PROMPT_ARENA_DATADIR", "/nowhere", 1);
	is_int(command(run_cgi, "", &out), 0, "cgi without a service");
	ok(strncmp(out.p, "Status: 503 ", 12) == 0, "answers 503");
	ok(strstr(out.p, "application/xhtml+xml") != NULL &&
		strstr(out.p, "\r\n\r\n<!DOCTYPE html>") != NULL,
	    "with a page");
	setenv("PROMPT_ARENA_DATADIR", getenv("SRCDIR"), 1);
	is_int(command(run_cgi, "", &out), 0, "cgi without a service");
	ok(strstr(out.p, "\"/cgi-bin/arena/static/arena.css\"") != NULL &&
		strstr(out.p, "\"/static") == NULL &&
		strstr(out.p, "</html>") != NULL,
	    "with the designed page, whose links lie below the script");
	ok(strstr(out.p, "\r\nX-Frame-Options: DENY\r\n") != NULL &&
		strstr(out.p, "\r\nPermissions-Policy: ") != NULL &&
		strstr(out.p, "img-src 'self'") != NULL,
	    "under the policy of the program's own pages");
	setenv("SCRIPT_NAME", "//evil.example", 1);
	is_int(command(run_cgi, "", &out), 0, "a script on another host");
	ok(strstr(out.p, "\"/static/arena.css\"") != NULL &&
		strstr(out.p, "evil") == NULL,
	    "is no base for links");
	setenv("SCRIPT_NAME", "/cgi-bin/arena", 1);

	child = serve(NULL);
	wait_for(control_path);
	is_int(command(run_cgi, "", &out), 0, "cgi");
	ok(strncmp(out.p, "Status: 200 OK\r\n", 16) == 0, "is answered");
	ok(strstr(out.p,
	       "\r\n\r\n/cgi-bin/arena/match/a%20b?x=1 /cgi-bin/arena") != NULL,
	    "with the URI put together and the base");
	ok(strstr(out.p, "leaked") == NULL, "and nothing that must not pass");
	setenv("REQUEST_URI", "/arena/vote", 1);
	is_int(command(run_cgi, "", &out), 0, "another mount");
	ok(strstr(out.p, "\r\n\r\n/arena/vote -") != NULL,
	    "has the base of PA_BASE alone");
	setenv("REQUEST_METHOD", "POST", 1);
	setenv("CONTENT_LENGTH", "5", 1);
	is_int(command(run_cgi, "hello, more", &out), 0, "POST");
	ok(strstr(out.p, "\r\n\r\nhello") != NULL &&
		strstr(out.p, "hello,") == NULL,
	    "carries the body and no more");
	is_int(command(run_cgi, "hel", &out), 0, "a body cut short");
	ok(strncmp(out.p, "Status: 413", 11) == 0, "is seen by the service");
	kill(child, SIGTERM);
	is_int(ended(child), 0, "ended");
	unsetenv("REQUEST_METHOD");
	is_int(command(run_cgi, "", &out), 64, "not run by a web server");
	buf_release(&out);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(fcgi_path, sizeof(fcgi_path), "%s/fcgi.sock", dir);
	(void)snprintf(control_path, sizeof(control_path), "%s/control", dir);
	(void)snprintf(diary_path, sizeof(diary_path), "%s/diary", dir);
	(void)snprintf(notify_path, sizeof(notify_path), "%s/notify", dir);
	unsetenv("NOTIFY_SOCKET");
	test_life();
	test_control_peers();
	test_busy_stop();
	test_signals_in_body();
	test_bad_starts();
	test_notify();
	test_cgi();
	unlink(diary_path);
	rmdir(dir);
	return done_testing();
}
