/*
 * err - the one vocabulary of failure.
 *
 * Layer    base.
 * Memory   none.
 * Threads  pure.
 *
 * Functions that can fail return enum err; results go through out-pointers,
 * which stay untouched on failure.  Who detects a failure logs it, once, with
 * the detail; callers pass the code up.
 */
#ifndef PA_ERR_H
#define PA_ERR_H

#define PA_MUST_USE __attribute__((warn_unused_result))
#define PA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum err {
	ERR_OK = 0,
	ERR_INVALID,  /* the asker's input is wrong */
	ERR_DENIED,   /* known, and not allowed */
	ERR_SIGNIN,   /* would be allowed once signed in */
	ERR_NOTFOUND, /* there is no such thing, or not for this viewer */
	ERR_METHOD,   /* the thing exists, the verb does not */
	ERR_TOOBIG,   /* over a stated limit */
	ERR_CONFLICT, /* somebody was first */
	ERR_CLOSED,   /* no longer, or not yet, open */
	ERR_LIMIT,    /* too many, too often */
	ERR_BUSY,     /* try again soon */
	ERR_FULL,     /* no space: nothing was stored */
	ERR_IO,       /* the outside world failed */
	ERR_SYNTAX,   /* a file of ours does not parse */
	ERR_CONFIG,   /* a file of ours says something impossible */
	ERR_CORRUPT,  /* stored data contradicts itself */
	ERR_NOMEM,    /* a stated memory bound was reached */
	ERR_INTERNAL, /* our own fault */
	ERR__MAX
};

/* The constant's name without ERR_, lower case, for logs.  Never NULL. */
const char *err_name(enum err e);

/* sysexits(3) code for a command that ends with e. */
int err_exit_code(enum err e);

#endif /* PA_ERR_H */
