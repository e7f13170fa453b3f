/*
 * tap - the few lines a rating test needs to speak TAP.
 *
 * Layer    tests.
 * Memory   none.
 * Threads  one.
 */
#ifndef PA_RATE_TAP_H
#define PA_RATE_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

static int tap_count, tap_failed;

static inline int PA_PRINTF(2, 3) ok(int good, const char *fmt, ...)
{
	va_list ap;

	tap_count++;
	tap_failed += !good;
	printf("%s %d - ", good ? "ok" : "not ok", tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return good;
}

/* got within tol of want; says both when not. */
static inline int
near(double got, double want, double tol, const char *what)
{
	int good = fabs(got - want) <= tol;

	ok(good, "%s", what);
	if (!good)
		printf("# got %.15g, want %.15g +- %g\n", got, want, tol);
	return good;
}

static inline int
tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

/* What cannot fail in a test. */
static inline void
must(enum err e)
{
	if (e != ERR_OK) {
		printf("Bail out! %s\n", err_name(e));
		exit(1);
	}
}

#endif /* PA_RATE_TAP_H */
