/* This file knows how to hand the command line to the subcommand it names. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/cgi.h"
#include "cmd/check.h"
#include "cmd/endpoint.h"
#include "cmd/generate.h"
#include "cmd/rate.h"
#include "cmd/serve.h"
#include "cmd/simulate.h"
#include "cmd/storage.h"

#define EX_USAGE 64

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "serve", cmd_serve, "answer requests from the web server" },
	{ "cgi", cmd_cgi, "carry one CGI request to the running service" },
	{ "check", cmd_check, "look for faults in all files, change nothing" },
	{ "endpoint", cmd_endpoint, "try a model server, say what works" },
	{ "generate", cmd_generate,
	    "have answers written before they are "
	    "asked for" },
	{ "rescan", cmd_rescan,
	    "judge stored answers for what gives them "
	    "away" },
	{ "rate", cmd_rate, "rate any file of votes" },
	{ "simulate", cmd_simulate,
	    "fill an empty arena with simulated votes" },
	{ "verify", cmd_verify, "prove that ledger, votes and ratings agree" },
	{ "recompute", cmd_recompute,
	    "make every rating again from the votes" },
	{ "backup", cmd_backup, "copy database and ledger" },
	{ "status", cmd_control, "say how the running service is" },
	{ "reload", cmd_control, "make it read its files again" },
	{ "stop", cmd_control, "end it, and wait until it has ended" },
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static int open_standard(void);
static int unknown(const char *name);
static int said(int code);
static void help(FILE *to);

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (open_standard() != 0)
		return 71;
	if (argc < 2) {
		help(stderr);
		return EX_USAGE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    strcmp(name, "help") == 0) {
		help(stdout);
		return said(0);
	}
	if (strcmp(name, "--version") == 0) {
		(void)puts(PACKAGE_STRING);
		return said(0);
	}
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return said(commands[i].run(argc - 1, argv + 1));
	}
	return unknown(name);
}

/*
 * A file opened as fd 0, 1 or 2 would get somebody's output written into it:
 * make sure they are taken.
 */
static int
open_standard(void)
{
	int fd = 0;

	while (fd <= STDERR_FILENO) {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return -1;
	}
	return close(fd);
}

static int
unknown(const char *name)
{
	const char *names[COMMANDS];
	const char *near;

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	near = str_nearest(str_of(name), names, COMMANDS);
	(void)fprintf(stderr, "prompt-arena: there is no command \"%s\"", name);
	if (near != NULL)
		(void)fprintf(stderr, "; did you mean \"%s\"?", near);
	(void)fputs("\nTry: prompt-arena --help\n", stderr);
	return EX_USAGE;
}

/* What could not be printed was not said: a full disk is no success. */
static int
said(int code)
{
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return code;
	if (code != 0)
		return code;
	(void)fputs("prompt-arena: cannot write the output\n", stderr);
	return EX_IOERR;
}

static void
help(FILE *to)
{
	(void)fputs("usage: prompt-arena COMMAND [OPTION...]\n\n", to);
	for (size_t i = 0; i < COMMANDS; i++)
		(void)fprintf(
		    to, "  %-10s %s\n", commands[i].name, commands[i].help);
	(void)fputs("\nMore: prompt-arena COMMAND --help, and the manual "
		    "prompt-arena(1)\n",
	    to);
}
