/*
 * log - one event, one line, to standard error.
 *
 * Layer    base.
 * Memory   copies what it keeps.
 * Threads  any thread may log; log_secret is for one thread at a time
 *          (start-up, then reload).
 *
 * Control characters are escaped, a line is at most 1 KB, every registered
 * secret is masked.  Each line starts with a syslog priority as "<3>" when
 * standard error is the journal, otherwise with UTC time and level.
 */
#ifndef PA_LOG_H
#define PA_LOG_H

#include "base/err.h"
#include "base/str.h"

enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_NOTICE = 5,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7
};

/* Lines below this importance are not written; NOTICE at start. */
void log_level_set(enum log_level level);

void log_error(const char *fmt, ...) PA_PRINTF(1, 2);
void log_warning(const char *fmt, ...) PA_PRINTF(1, 2);
void log_notice(const char *fmt, ...) PA_PRINTF(1, 2);
void log_info(const char *fmt, ...) PA_PRINTF(1, 2);
void log_debug(const char *fmt, ...) PA_PRINTF(1, 2);

/* errno in words, for any thread ("No such file or directory"). */
const char *log_errno(void);

/* Never print these bytes (8 or more) from now on, in any line. */
void log_secret(struct str secret);

/*
 * For unit tests and for the masking of stored provider errors: what a line
 * would look like; n is the room in out, always terminated.
 */
void log_mask(const char *in, size_t in_n, char *out, size_t n);

#endif /* PA_LOG_H */
