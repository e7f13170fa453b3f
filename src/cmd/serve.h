/*
 * serve - the arena as a service, and the commands that talk to it.
 *
 * Layer    cmd.
 * Memory   frees all it makes.
 * Threads  main; the service makes its own.
 */
#ifndef PA_SERVE_H
#define PA_SERVE_H

/* `serve ...`: see daemon_serve.  Returns an exit code. */
int cmd_serve(int argc, char **argv);

/* `status`, `reload`, `stop`: see daemon_client.  Returns an exit code. */
int cmd_control(int argc, char **argv);

#endif /* PA_SERVE_H */
