/* This file knows how to write one event as one line that tells no secret. */
#include "config.h"

#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define LINE_MAX_BYTES 1024
#define RAW_MAX 4096
#define SECRETS_MAX 128
#define SECRET_MIN 8
/* Where a message was cut, this much of a secret's beginning is masked. */
#define SECRET_TAIL 4
#define MASK "***"
#define PIECE_MAX 24

static void write_line(enum log_level, const char *fmt, va_list)
    PA_PRINTF(2, 0);
static size_t show(struct str, size_t *i, char out[PIECE_MAX]);
static size_t secret_at(const char *p, size_t n);
static void find_journal(void);

static struct {
	char *p;
	size_t n;
} secrets[SECRETS_MAX];
static atomic_size_t secret_count; /* published after its entry */
static atomic_int threshold = LOG_LEVEL_NOTICE;
static pthread_once_t journal_once = PTHREAD_ONCE_INIT;
static bool to_journal;

void
log_level_set(enum log_level level)
{
	atomic_store(&threshold, (int)level);
}

#define LOG_FUNCTION(name, level)                                              \
	void name(const char *fmt, ...)                                        \
	{                                                                      \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, fmt);                                             \
		write_line(level, fmt, ap);                                    \
		va_end(ap);                                                    \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING)
LOG_FUNCTION(log_notice, LOG_LEVEL_NOTICE)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)

const char *
log_errno(void)
{
	const char *words = strerrordesc_np(errno);

	return words != NULL ? words : "unknown error";
}

void
log_secret(struct str secret)
{
	size_t count = atomic_load(&secret_count);
	char *copy;

	if (secret.n < SECRET_MIN)
		return;
	for (size_t i = 0; i < count; i++) {
		if (secrets[i].n == secret.n &&
		    memcmp(secrets[i].p, secret.p, secret.n) == 0)
			return;
	}
	copy = malloc(secret.n);
	/* A secret that cannot be kept secret must not be used at all. */
	if (copy == NULL || count == SECRETS_MAX)
		abort();
	memcpy(copy, secret.p, secret.n);
	secrets[count].p = copy;
	secrets[count].n = secret.n;
	atomic_store(&secret_count, count + 1);
}

void
log_mask(const char *in, size_t in_n, char *out, size_t n)
{
	struct str s = { in, in_n };
	size_t k = 0;

	if (n == 0)
		return;
	for (size_t i = 0; i < in_n;) {
		char piece[PIECE_MAX];
		size_t hidden = secret_at(in + i, in_n - i);
		size_t len = sizeof(MASK) - 1;

		if (hidden > 0) {
			memcpy(piece, MASK, len);
			i += hidden;
		} else {
			len = show(s, &i, piece);
		}
		if (len >= n - k)
			break;
		memcpy(out + k, piece, len);
		k += len;
	}
	out[k] = '\0';
}

static void
write_line(enum log_level level, const char *fmt, va_list ap)
{
	static const char *const names[] = { [LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARNING] = "warning",
		[LOG_LEVEL_NOTICE] = "notice",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug" };
	int saved = errno;
	char raw[RAW_MAX];
	char line[LINE_MAX_BYTES];
	char when[24];
	size_t head, n;
	int len;

	if ((int)level > atomic_load(&threshold))
		return;
	(void)pthread_once(&journal_once, find_journal);
	len = vsnprintf(raw, sizeof(raw), fmt, ap);
	if (len < 0)
		len = 0;
	n = (size_t)len < sizeof(raw) ? (size_t)len : sizeof(raw) - 1;
	if (to_journal) {
		len = snprintf(line, sizeof(line), "<%d>", (int)level);
	} else {
		clock_iso(clock_now(), when, sizeof(when));
		len =
		    snprintf(line, sizeof(line), "%s %s: ", when, names[level]);
	}
	head = (size_t)len;
	log_mask(raw, n, line + head, sizeof(line) - head - 1);
	n = strlen(line);
	line[n++] = '\n';
	/* Nobody is left to tell when standard error is gone. */
	if (write(STDERR_FILENO, line, n) < 0)
		errno = saved;
	errno = saved;
}

/* The character at *i as a line may show it: never a control, never raw. */
static size_t
show(struct str s, size_t *i, char out[PIECE_MAX])
{
	size_t from = *i;
	uint32_t u = text_next(s, i);
	struct str one = { s.p + from, *i - from };
	int n;

	if (u == '\n')
		n = snprintf(out, PIECE_MAX, "\\n");
	else if (u == '\t')
		n = snprintf(out, PIECE_MAX, "\\t");
	else if (text_is_clean(one))
		n = snprintf(out, PIECE_MAX, "%.*s", (int)one.n, one.p);
	else if (u >= 0x80 && u != 0xfffd)
		n = snprintf(out, PIECE_MAX, "\\u{%x}", (unsigned)u);
	else {
		*i = from + 1; /* one byte at a time, as it came */
		n = snprintf(out, PIECE_MAX, "\\x%02x",
		    (unsigned)(unsigned char)s.p[from]);
	}
	return n < 0 ? 0 : (size_t)n;
}

/* How many bytes at p belong to a secret: 0 when none starts here. */
static size_t
secret_at(const char *p, size_t n)
{
	size_t count = atomic_load(&secret_count);

	for (size_t i = 0; i < count; i++) {
		size_t len = secrets[i].n;

		if (len > n && n >= SECRET_TAIL)
			len = n; /* the message may have been cut inside it */
		if (len <= n && memcmp(p, secrets[i].p, len) == 0)
			return len;
	}
	return 0;
}

/* systemd names the journal's socket as device:inode. */
static void
find_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char mine[64];
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return;
	(void)snprintf(mine, sizeof(mine), "%ju:%ju", (uintmax_t)st.st_dev,
	    (uintmax_t)st.st_ino);
	to_journal = strcmp(stream, mine) == 0;
}
