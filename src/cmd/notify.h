/*
 * notify - tell systemd how we are, without its library.
 *
 * Layer    cmd: base.
 * Memory   none.
 * Threads  main thread.
 */
#ifndef PA_NOTIFY_H
#define PA_NOTIFY_H

/* Send one state ("READY=1") where NOTIFY_SOCKET says; nothing otherwise. */
void notify_send(const char *state);

/* RELOADING=1 with the moment systemd asks for. */
void notify_reloading(void);

#endif /* PA_NOTIFY_H */
