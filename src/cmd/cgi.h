/*
 * cgi - one CGI request, carried to the running service and back.
 *
 * Layer    cmd: base, port/listen.
 * Memory   its own; the process ends after it.
 * Threads  one.
 *
 * The client's half of FastCGI.  It opens no file but the page for "the
 * service is away", and never the database.
 */
#ifndef PA_CGI_H
#define PA_CGI_H

/* `cgi [--socket PATH]`: environment and standard input are the request.
 * Returns an exit code; 0 also when the answer was the 503 page. */
int cmd_cgi(int argc, char **argv);

#endif /* PA_CGI_H */
