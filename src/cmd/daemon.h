/*
 * daemon - a service's life: start, work, reload, stop, in the right order.
 *
 * Layer    cmd: base, port/fcgi.  Knows no page: the application plugs in.
 * Memory   the application owns its ctx and the strings in daemon_conf.
 * Threads  the hooks say which thread calls them.
 *
 * Order of daemon_serve: arguments - configure - signals blocked - init -
 * open - listen - start - workers - control socket - ready.  At SIGTERM: no
 * new connections - workers finish and leave - stop - exit 0.
 */
#ifndef PA_DAEMON_H
#define PA_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct fcgi;
struct fcgi_req;

/* Where a service without configuration lives. */
#define DAEMON_CONF_ENV "PROMPT_ARENA_CONF"
#define DAEMON_CONF_DEFAULT PA_SYSCONFDIR
#define DAEMON_STATE_ENV "PROMPT_ARENA_STATE"
#define DAEMON_SOCKET_ENV "PROMPT_ARENA_SOCKET"
#define DAEMON_SOCKET_DEFAULT PA_RUNDIR "/fcgi.sock"
#define DAEMON_CONTROL_DEFAULT PA_RUNDIR "/control.sock"

/*
 * What daemon_serve needs to know.  It hands over the defaults; configure
 * fills in what the configuration says (strings must live until the end);
 * then options of the command line win.
 */
struct daemon_conf {
	const char *socket;       /* DAEMON_SOCKET_DEFAULT */
	const char *socket_group; /* NULL: the process's own */
	unsigned socket_mode;     /* 0660 */
	const char *control;      /* DAEMON_CONTROL_DEFAULT; NULL: none */
	unsigned workers;         /* 8 */
	unsigned queue;           /* 256 */
	unsigned timeout_ms;      /* 30000 */
	size_t pool_cap;          /* bytes a request may use, 16 MiB */
};

/*
 * A command that arrives through the control socket, on the control thread,
 * one at a time.  args are the words after the name.  What it puts into
 * answer is printed by the client, whose exit code is err_exit_code().
 */
struct daemon_verb {
	const char *name;
	const char *help; /* one line, for `prompt-arena help` */
	enum err (*run)(void *ctx, const struct str *args, size_t args_n,
	    struct buf *answer);
};

/* The application.  Every hook but serve_one may be NULL. */
struct daemon_app {
	void *ctx;

	/* main thread, alone: read the configuration in or at conf_path.
	 * daemon_client calls this one too, and no other hook. */
	enum err (*configure)(
	    void *ctx, const char *conf_path, struct daemon_conf *conf);

	/* main thread, alone, signals blocked: initialise libraries. */
	enum err (*init)(void *ctx);

	/* main thread: open and check the database, load the catalog, parse
	 * the templates.  May start threads.  Nobody can connect yet. */
	enum err (*open)(void *ctx);

	/* main thread: the listener stands; start what must run with it. */
	enum err (*start)(void *ctx, struct fcgi *fcgi);

	/* each worker thread, at its beginning and end: its database
	 * connection and the like, as *worker. */
	enum err (*worker_open)(void *ctx, unsigned number, void **worker);
	void (*worker_close)(void *ctx, void *worker);

	/* each worker thread: answer rq with fcgi_reply.  refused is ERR_OK,
	 * or what fcgi_next said about a request without parameters.  The
	 * caller ends the request. */
	void (*serve_one)(
	    void *ctx, void *worker, struct fcgi_req *rq, enum err refused);

	/* main thread, workers running: read everything anew, keep the old
	 * state when anything is wrong.  Never called twice at once. */
	enum err (*reload)(void *ctx);

	/* main thread, before workers are waited for (if it came to listening):
	 * wake what they may be waiting for (event streams, long polls). */
	void (*stopping)(void *ctx);

	/* main thread, after the last worker: drain, checkpoint, close.  Also
	 * called when a start failed after open was called. */
	void (*stop)(void *ctx);

	/* control thread: lines `name value` for `prompt-arena status`. */
	void (*status)(void *ctx, struct buf *answer);

	const struct daemon_verb *verbs;
	size_t verbs_n;
};

/*
 * `serve [--conf PATH] [--state DIR] [--socket PATH] [--control PATH]
 * [--workers N] [--allow-root]`: returns an exit code.
 */
int daemon_serve(const struct daemon_app *app, int argc, char **argv);

/*
 * `status`, `reload`, `stop` and the application's verbs, from the other
 * side of the control socket: argv[0] is the verb.  `stop` returns when the
 * service has ended.  Returns an exit code; 75 when no service runs.
 */
int daemon_client(const struct daemon_app *app, int argc, char **argv);

/*
 * The same for commands that can also work alone: ERR_NOTFOUND when no
 * service listens at `control` (then take the lock yourself).  Otherwise
 * *result is what the verb returned and answer what it wrote.
 */
enum err daemon_ask(const char *control, const char *verb,
    const struct str *args, size_t args_n, struct buf *answer,
    enum err *result) PA_MUST_USE;

#endif /* PA_DAEMON_H */
