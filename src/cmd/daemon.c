/* This file knows how to start, run and stop a service in the right order. */
#include "config.h"

#include "cmd/daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/log.h"
#include "cmd/control.h"
#include "cmd/notify.h"
#include "cmd/options.h"
#include "port/fcgi.h"

#define WORKERS_MAX 256
#define EX_USAGE 64

struct seat {
	struct daemon *d;
	pthread_t thread;
	unsigned number;
};

struct daemon {
	const struct daemon_app *app;
	struct daemon_conf conf;
	const char *conf_path;
	int64_t since;
	bool opened; /* app->open was called: app->stop must be */
	struct fcgi *fcgi;
	struct control *control;
	int signals; /* signalfd */
	int asked;   /* eventfd: the control thread wants something */
	struct seat *seats;
	unsigned seats_n;

	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t changed;
	unsigned seated; /* workers that have opened, well or not */
	enum err worst;  /* what the first of them that failed said */
	bool want_stop;
	bool want_reload;
	uint64_t reloads; /* carried out */
	enum err reloaded;
	bool leaving; /* main takes no more wishes */
};

struct options {
	const char *conf, *state, *socket, *control;
	int64_t workers;
	bool allow_root;
};

static enum err find_control(
    const struct daemon_app *, int *argc, char **argv, struct daemon_conf *);
static int parse(int argc, char **argv, struct options *);
static enum err prepare(struct daemon *, const struct options *);
static enum err block_signals(struct daemon *);
static enum err bring_up(struct daemon *);
static enum err seat_workers(struct daemon *);
static void *work(void *seat);
static void supervise(struct daemon *);
static bool take_signals(struct daemon *);
static bool take_wishes(struct daemon *);
static enum err reload(struct daemon *);
static void tear_down(struct daemon *);
static void set_defaults(struct daemon_conf *);
static control_fn carry_out;
static enum err ask_for_reload(struct daemon *);
static void describe(struct daemon *, struct buf *);
static const struct daemon_verb *find_verb(
    const struct daemon_app *, struct str name);
static void suggest(const struct daemon_app *, struct str verb, struct buf *);

int
daemon_serve(const struct daemon_app *app, int argc, char **argv)
{
	struct daemon d = { .app = app, .signals = -1, .asked = -1 };
	struct options o = { 0 };
	enum err e;
	int code = parse(argc, argv, &o);

	if (code >= 0)
		return code;
	heap_init();
	d.since = clock_mono_ms();
	(void)pthread_mutex_init(&d.lock, NULL);
	(void)pthread_cond_init(&d.changed, NULL);
	e = prepare(&d, &o);
	if (e == ERR_OK)
		e = bring_up(&d);
	if (e == ERR_OK)
		supervise(&d);
	else
		log_error("not started (%s)", err_name(e));
	tear_down(&d);
	if (e == ERR_OK)
		log_notice("stopped");
	return err_exit_code(e);
}

int
daemon_client(const struct daemon_app *app, int argc, char **argv)
{
	struct daemon_conf conf;
	struct str args[CONTROL_ARGS_MAX];
	struct buf answer;
	enum err e, result = ERR_OK;
	size_t n = 0;
	bool help = options_has(&argc, argv, "--help");

	set_defaults(&conf);
	e = help ? ERR_INVALID : find_control(app, &argc, argv, &conf);
	if (e == ERR_INVALID || argc - 1 > CONTROL_ARGS_MAX) {
		(void)fprintf(help ? stdout : stderr,
		    "usage: prompt-arena %s [--conf PATH] "
		    "[--state DIR] [--control PATH] ...\n",
		    argv[0]);
		return help ? 0 : EX_USAGE;
	}
	if (e != ERR_OK)
		return err_exit_code(e);
	for (int i = 1; i < argc; i++)
		args[n++] = str_of(argv[i]);
	buf_init(&answer, CONTROL_ANSWER_MAX);
	e = daemon_ask(conf.control, argv[0], args, n, &answer, &result);
	if (e == ERR_NOTFOUND) {
		(void)fprintf(stderr,
		    "prompt-arena: no service listens at %s\n", conf.control);
		e = ERR_BUSY;
	} else if (e != ERR_OK) {
		(void)fprintf(stderr, "prompt-arena: no answer at %s (%s)\n",
		    conf.control, err_name(e));
	} else {
		(void)fwrite(answer.n > 0 ? answer.p : "", 1, answer.n,
		    result == ERR_OK ? stdout : stderr);
		e = result;
	}
	buf_release(&answer);
	return err_exit_code(e);
}

/* Where the service listens; ERR_INVALID for a wrong command line. */
static enum err
find_control(const struct daemon_app *app, int *argc, char **argv,
    struct daemon_conf *conf)
{
	const char *path = NULL, *given = NULL, *state = NULL;
	enum err e = ERR_OK;

	if (options_take(argc, argv, "--control", &path) != ERR_OK ||
	    options_take(argc, argv, "--conf", &given) != ERR_OK ||
	    options_take(argc, argv, "--state", &state) != ERR_OK)
		return ERR_INVALID;
	if (state != NULL && setenv(DAEMON_STATE_ENV, state, 1) != 0)
		return ERR_NOMEM;
	if (path == NULL && app->configure != NULL)
		e = app->configure(app->ctx, options_conf(given), conf);
	if (path != NULL)
		conf->control = path;
	if (e == ERR_OK && conf->control == NULL) {
		(void)fprintf(
		    stderr, "prompt-arena: no control socket is configured\n");
		e = ERR_CONFIG;
	}
	/* ERR_INVALID is kept for the command line. */
	return e == ERR_INVALID ? ERR_CONFIG : e;
}

/* ---- start ---- */

static int
parse(int argc, char **argv, struct options *o)
{
	static const char usage[] =
	    "usage: prompt-arena serve [--conf PATH] [--state DIR]\n"
	    "           [--socket PATH] [--control PATH] [--workers N]\n"
	    "           [--allow-root]\n";
	const char *workers = NULL;

	if (options_has(&argc, argv, "--help")) {
		(void)fputs(usage, stdout);
		return 0;
	}
	o->allow_root = options_has(&argc, argv, "--allow-root");
	if (options_take(&argc, argv, "--conf", &o->conf) != ERR_OK ||
	    options_take(&argc, argv, "--state", &o->state) != ERR_OK ||
	    options_take(&argc, argv, "--socket", &o->socket) != ERR_OK ||
	    options_take(&argc, argv, "--control", &o->control) != ERR_OK ||
	    options_take(&argc, argv, "--workers", &workers) != ERR_OK ||
	    (workers != NULL && str_int(str_of(workers), 1, WORKERS_MAX,
				    &o->workers) != ERR_OK) ||
	    argc != 1) {
		(void)fputs(usage, stderr);
		return EX_USAGE;
	}
	return -1;
}

static enum err
prepare(struct daemon *d, const struct options *o)
{
	const struct daemon_app *app = d->app;
	enum err e;

	if (geteuid() == 0 && !o->allow_root) {
		log_error("as root only with --allow-root: give the service a "
			  "user of its own");
		return ERR_DENIED;
	}
	d->conf_path = options_conf(o->conf);
	if (o->state != NULL && setenv(DAEMON_STATE_ENV, o->state, 1) != 0)
		return ERR_NOMEM;
	set_defaults(&d->conf);
	if (app->configure != NULL &&
	    (e = app->configure(app->ctx, d->conf_path, &d->conf)) != ERR_OK)
		return e;
	if (o->socket != NULL)
		d->conf.socket = o->socket;
	if (o->control != NULL)
		d->conf.control = o->control;
	if (o->workers != 0)
		d->conf.workers = (unsigned)o->workers;
	if (d->conf.workers < 1 || d->conf.workers > WORKERS_MAX) {
		log_error("%u workers: 1 to %d", d->conf.workers, WORKERS_MAX);
		return ERR_CONFIG;
	}
	return block_signals(d);
}

/* Blocked before any thread exists, so that no thread is interrupted. */
static enum err
block_signals(struct daemon *d)
{
	sigset_t ours, all;

	(void)sigemptyset(&ours);
	(void)sigaddset(&ours, SIGTERM);
	(void)sigaddset(&ours, SIGINT);
	(void)sigaddset(&ours, SIGHUP);
	all = ours;
	(void)sigaddset(&all, SIGUSR1);
	(void)sigaddset(&all, SIGUSR2);
	(void)sigaddset(&all, SIGALRM);
	(void)sigaddset(&all, SIGCHLD);
	(void)sigaddset(&all, SIGWINCH);
	if (pthread_sigmask(SIG_BLOCK, &all, NULL) != 0)
		return ERR_INTERNAL;
	d->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	d->asked = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->signals < 0 || d->asked < 0) {
		log_error("signalfd: %s", log_errno());
		return ERR_IO;
	}
	return ERR_OK;
}

static enum err
bring_up(struct daemon *d)
{
	const struct daemon_app *app = d->app;
	struct fcgi_conf listen = { .path = d->conf.socket,
		.group = d->conf.socket_group,
		.mode = d->conf.socket_mode,
		.queue = d->conf.queue,
		.timeout_ms = d->conf.timeout_ms,
		.inherit = true };
	enum err e;

	if (app->init != NULL && (e = app->init(app->ctx)) != ERR_OK)
		return e;
	/* The last of the libraries: it leaves SIGPIPE ignored. */
	if ((e = fcgi_init()) != ERR_OK)
		return e;
	d->opened = true;
	if (app->open != NULL && (e = app->open(app->ctx)) != ERR_OK)
		return e;
	if ((e = fcgi_open(&d->fcgi, &listen)) != ERR_OK)
		return e;
	if (app->start != NULL && (e = app->start(app->ctx, d->fcgi)) != ERR_OK)
		return e;
	if ((e = seat_workers(d)) != ERR_OK)
		return e;
	if (d->conf.control != NULL &&
	    (e = control_open(&d->control, d->conf.control, carry_out, d)) !=
		ERR_OK)
		return e;
	log_notice(
	    "ready: %u workers, version " PACKAGE_VERSION, d->conf.workers);
	heap_trim();
	notify_send("READY=1");
	return ERR_OK;
}

/* Start the workers and wait until each has its connection. */
static enum err
seat_workers(struct daemon *d)
{
	enum err e;

	d->seats = calloc(d->conf.workers, sizeof(*d->seats));
	if (d->seats == NULL)
		return ERR_NOMEM;
	for (unsigned i = 0; i < d->conf.workers; i++) {
		struct seat *s = &d->seats[i];

		*s = (struct seat){ .d = d, .number = i };
		if (pthread_create(&s->thread, NULL, work, s) != 0) {
			log_error("cannot start worker %u", i);
			return ERR_IO;
		}
		d->seats_n++;
	}
	pthread_mutex_lock(&d->lock);
	while (d->seated < d->seats_n)
		(void)pthread_cond_wait(&d->changed, &d->lock);
	e = d->worst;
	pthread_mutex_unlock(&d->lock);
	return e;
}

/* ---- a worker ---- */

static void *
work(void *arg)
{
	const struct seat *s = arg;
	struct daemon *d = s->d;
	const struct daemon_app *app = d->app;
	struct fcgi_req *rq = fcgi_req_open(d->fcgi, d->conf.pool_cap);
	void *worker = NULL;
	enum err e = rq == NULL ? ERR_NOMEM : ERR_OK;

	if (e == ERR_OK && app->worker_open != NULL)
		e = app->worker_open(app->ctx, s->number, &worker);
	pthread_mutex_lock(&d->lock);
	d->seated++;
	if (d->worst == ERR_OK)
		d->worst = e;
	(void)pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	if (e == ERR_OK) {
		while ((e = fcgi_next(d->fcgi, rq)) != ERR_CLOSED) {
			app->serve_one(app->ctx, worker, rq, e);
			fcgi_end(rq);
		}
		if (app->worker_close != NULL)
			app->worker_close(app->ctx, worker);
	}
	fcgi_req_close(rq);
	return NULL;
}

/* ---- life ---- */

static void
supervise(struct daemon *d)
{
	struct pollfd p[2] = { { d->signals, POLLIN, 0 },
		{ d->asked, POLLIN, 0 } };

	for (;;) {
		(void)poll(p, 2, -1);
		if (p[0].revents != 0 && take_signals(d))
			return;
		if (p[1].revents != 0 && take_wishes(d))
			return;
	}
}

/* True when it is time to stop. */
static bool
take_signals(struct daemon *d)
{
	struct signalfd_siginfo s;

	while (read(d->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		if (s.ssi_signo != SIGHUP) {
			log_notice("stopping: signal %" PRIu32 " from process "
				   "%" PRIu32,
			    s.ssi_signo, s.ssi_pid);
			return true;
		}
		(void)reload(d);
	}
	return false;
}

static bool
take_wishes(struct daemon *d)
{
	bool stop, again;
	eventfd_t n;
	enum err e;

	(void)eventfd_read(d->asked, &n);
	pthread_mutex_lock(&d->lock);
	stop = d->want_stop;
	again = d->want_reload;
	d->want_reload = false;
	pthread_mutex_unlock(&d->lock);
	if (again) {
		e = reload(d);
		pthread_mutex_lock(&d->lock);
		d->reloaded = e;
		d->reloads++;
		(void)pthread_cond_broadcast(&d->changed);
		pthread_mutex_unlock(&d->lock);
	}
	if (stop)
		log_notice("stopping: asked to at the control socket");
	return stop;
}

static enum err
reload(struct daemon *d)
{
	enum err e = ERR_OK;

	notify_reloading();
	if (d->app->reload != NULL)
		e = d->app->reload(d->app->ctx);
	if (e == ERR_OK)
		log_notice("reloaded");
	else
		log_error("not reloaded (%s): the old state stays in force",
		    err_name(e));
	heap_trim();
	notify_send("READY=1");
	return e;
}

/* ---- stop ---- */

/* From any stage that bring_up has reached. */
static void
tear_down(struct daemon *d)
{
	const struct daemon_app *app = d->app;

	notify_send("STOPPING=1");
	pthread_mutex_lock(&d->lock);
	d->leaving = true;
	(void)pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	if (app->stopping != NULL && d->fcgi != NULL)
		app->stopping(app->ctx);
	if (d->fcgi != NULL)
		fcgi_stop(d->fcgi);
	for (unsigned i = 0; i < d->seats_n; i++)
		(void)pthread_join(d->seats[i].thread, NULL);
	control_close(d->control);
	fcgi_close(d->fcgi);
	if (app->stop != NULL && d->opened)
		app->stop(app->ctx);
	free(d->seats);
	if (d->signals >= 0)
		(void)close(d->signals);
	if (d->asked >= 0)
		(void)close(d->asked);
	(void)pthread_cond_destroy(&d->changed);
	(void)pthread_mutex_destroy(&d->lock);
}

static void
set_defaults(struct daemon_conf *conf)
{
	*conf = (struct daemon_conf){
		.socket = DAEMON_SOCKET_DEFAULT,
		.socket_mode = 0660,
		.control = DAEMON_CONTROL_DEFAULT,
		.workers = 8,
		.queue = 256,
		.timeout_ms = 30000,
		.pool_cap = (size_t)16 << 20,
	};
}

/* ---- the control thread ---- */

static enum err
carry_out(void *ctx, struct str verb, const struct str *args, size_t args_n,
    struct buf *answer, bool *hold)
{
	struct daemon *d = ctx;
	const struct daemon_verb *v = find_verb(d->app, verb);
	enum err e;

	if (v != NULL)
		return v->run(d->app->ctx, args, args_n, answer);
	if (str_is(verb, "status")) {
		describe(d, answer);
		return ERR_OK;
	}
	if (str_is(verb, "reload")) {
		e = ask_for_reload(d);
		buf_z(answer, e == ERR_OK
				  ? "reloaded\n"
				  : "not reloaded: the old state stays in "
				    "force; the log says why\n");
		return e;
	}
	if (str_is(verb, "stop")) {
		pthread_mutex_lock(&d->lock);
		d->want_stop = true;
		pthread_mutex_unlock(&d->lock);
		(void)eventfd_write(d->asked, 1);
		*hold = true;
		return ERR_OK;
	}
	suggest(d->app, verb, answer);
	return ERR_METHOD;
}

/* Reloading is the main thread's work; wait for it here. */
static enum err
ask_for_reload(struct daemon *d)
{
	enum err e = ERR_CLOSED;
	uint64_t before;

	pthread_mutex_lock(&d->lock);
	before = d->reloads;
	d->want_reload = true;
	(void)eventfd_write(d->asked, 1);
	while (d->reloads == before && !d->leaving)
		(void)pthread_cond_wait(&d->changed, &d->lock);
	if (d->reloads != before)
		e = d->reloaded;
	pthread_mutex_unlock(&d->lock);
	return e;
}

static void
describe(struct daemon *d, struct buf *b)
{
	struct fcgi_stats s;

	fcgi_stats(d->fcgi, &s);
	buf_z(b, "version " PACKAGE_VERSION "\n");
	buf_printf(b, "process %ld\n", (long)getpid());
	buf_printf(
	    b, "seconds %" PRId64 "\n", (clock_mono_ms() - d->since) / 1000);
	buf_printf(b, "workers %u\nbusy %u\nwaiting %u\n", d->conf.workers,
	    s.busy, s.waiting);
	buf_printf(b,
	    "connections %" PRIu64 "\nrequests %" PRIu64 "\nbad %" PRIu64
	    "\nshed %" PRIu64 "\ntimed_out %" PRIu64 "\n",
	    s.accepted, s.served, s.bad, s.shed, s.timed_out);
	if (d->app->status != NULL)
		d->app->status(d->app->ctx, b);
}

static const struct daemon_verb *
find_verb(const struct daemon_app *app, struct str name)
{
	for (size_t i = 0; i < app->verbs_n; i++) {
		if (str_is(name, app->verbs[i].name))
			return &app->verbs[i];
	}
	return NULL;
}

static void
suggest(const struct daemon_app *app, struct str verb, struct buf *answer)
{
	static const char *const own[] = { "status", "reload", "stop" };
	const char *near = str_nearest(verb, own, 3);

	for (size_t i = 0; i < app->verbs_n && near == NULL; i++)
		near = str_nearest(verb, &app->verbs[i].name, 1);
	buf_z(answer, "the running service does not know \"");
	buf_str(answer, verb);
	buf_z(answer, "\"");
	if (near != NULL)
		buf_printf(answer, "; did you mean \"%s\"?", near);
	buf_c(answer, '\n');
}
