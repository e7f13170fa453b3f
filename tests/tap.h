/*
 * tap - a test program in one header: it prints the Test Anything Protocol.
 *
 *	int
 *	main(void)
 *	{
 *		ok(1 + 1 == 2, "sums");
 *		is_int(f(), 3, "f of nothing");
 *		return done_testing();
 *	}
 *
 * Every line is flushed at once, so a test may fork.  Threads may not report.
 */
#ifndef PA_TAP_H
#define PA_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static int tap_count;
static int tap_failed;

__attribute__((format(printf, 1, 2), unused)) static void
diag(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", stdout);
	vprintf(fmt, ap);
	va_end(ap);
	fputc('\n', stdout);
	fflush(stdout);
}

__attribute__((format(printf, 4, 0))) static bool
tap_report(bool good, const char *file, int line, const char *fmt, va_list ap)
{
	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	vprintf(fmt, ap);
	fputc('\n', stdout);
	if (!good) {
		tap_failed++;
		printf("#   failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return good;
}

__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_report(good, file, line, fmt, ap);
	va_end(ap);
	return good;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_is_int(intmax_t got, intmax_t want, const char *file, int line,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_report(got == want, file, line, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("  got %jd, want %jd", got, want);
	return got == want;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_is_bytes(struct str got, struct str want, const char *file, int line,
    const char *fmt, ...)
{
	bool good = str_eq(got, want);
	va_list ap;

	va_start(ap, fmt);
	tap_report(good, file, line, fmt, ap);
	va_end(ap);
	if (!good) {
		diag("  got  [%.*s]", (int)got.n, got.p ? got.p : "");
		diag("  want [%.*s]", (int)want.n, want.p ? want.p : "");
	}
	return good;
}

__attribute__((format(printf, 6, 7), unused)) static bool
tap_is_real(double got, double want, double within, const char *file, int line,
    const char *fmt, ...)
{
	bool good = (isnan(got) && isnan(want)) || got == want ||
		    fabs(got - want) <= within;
	va_list ap;

	va_start(ap, fmt);
	tap_report(good, file, line, fmt, ap);
	va_end(ap);
	if (!good)
		diag("  got %.17g, want %.17g within %g", got, want, within);
	return good;
}

/* One condition. */
#define ok(good, ...) tap_ok(good, __FILE__, __LINE__, __VA_ARGS__)

/* Two integers (or enum constants, or booleans). */
#define is_int(got, want, ...)                                                 \
	tap_is_int((intmax_t)(got), (intmax_t)(want), __FILE__, __LINE__,      \
	    __VA_ARGS__)

/*
 * Two strings: C strings, struct str or struct text in any mixture.  NULL
 * is absent, which equals only absent.
 */
#define is_str(got, want, ...)                                                 \
	tap_is_bytes(                                                          \
	    tap_run(got), tap_run(want), __FILE__, __LINE__, __VA_ARGS__)
#define tap_run(x)                                                             \
	_Generic((x), char *: tap_of_z, const char *: tap_of_z,               \
	    struct str: tap_of_str, struct text: tap_of_text)(x)

/* Two reals that may differ by `within`. */
#define is_real(got, want, within, ...)                                        \
	tap_is_real(got, want, within, __FILE__, __LINE__, __VA_ARGS__)

__attribute__((unused)) static struct str
tap_of_z(const char *z)
{
	return str_of(z);
}

__attribute__((unused)) static struct str
tap_of_str(struct str s)
{
	return s;
}

__attribute__((unused)) static struct str
tap_of_text(struct text t)
{
	return (struct str){ t.p, t.n };
}

/* Nothing here can be tested on this machine: say why and stop. */
__attribute__((unused, noreturn)) static void
skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

__attribute__((unused)) static int
done_testing(void)
{
	printf("1..%d\n", tap_count);
	fflush(stdout);
	return tap_failed == 0 ? 0 : 1;
}

#endif /* PA_TAP_H */
