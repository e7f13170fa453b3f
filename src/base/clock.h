/*
 * clock - what time it is, and how times are written.
 *
 * Layer    base.
 * Memory   caller's buffers.
 * Threads  safe; clock_zone_set is for one thread, and whoever reckons
 *          meanwhile sees the zone of before or the new one.
 *
 * Stored times are Unix seconds, UTC.  Waiting is measured with the monotonic
 * clock.  PROMPT_ARENA_TEST_CLOCK=+N shifts clock_now by N seconds (tests).
 */
#ifndef PA_CLOCK_H
#define PA_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"

/* Unix seconds. */
int64_t clock_now(void);

/* Milliseconds since some fixed moment; never goes back. */
int64_t clock_mono_ms(void);
int64_t clock_mono_ns(void);

/* Processor time that this thread has used, in microseconds. */
int64_t clock_cpu_us(void);

/* Does this machine know a zone of that (IANA) name? */
bool clock_zone_known(const char *name);

/* The campus's time zone (an IANA name); ERR_CONFIG when unknown. */
enum err clock_zone_set(const char *name) PA_MUST_USE;

/* Campus calendar of a moment. */
void clock_local(int64_t unix_s, struct tm *out);

/* Unix second at which the campus day of unix_s began. */
int64_t clock_day_start(int64_t unix_s);

/* "2026-11-29T22:17:31Z"; out holds 21 bytes or more. */
void clock_iso(int64_t unix_s, char *out, size_t n);

/* "2026-11-29 22:17" in campus time; 17 bytes or more. */
void clock_human(int64_t unix_s, char *out, size_t n);

/*
 * ISO date or date-time with offset or Z → Unix seconds.  A date alone is
 * the start of that campus day.
 */
enum err clock_parse(const char *z, int64_t *out) PA_MUST_USE;

#endif /* PA_CLOCK_H */
