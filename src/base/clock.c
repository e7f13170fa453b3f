/* This file knows how to tell the time, here and on campus, and to write it. */
#include "config.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define ZONE_DIR "/usr/share/zoneinfo/"
#define DAY ((int64_t)86400)

static void read_shift(void);
static int date_of(int64_t unix_s);
static int64_t days_from_civil(int64_t y, int64_t m, int64_t d);
static int64_t campus_midnight(int64_t days);
static bool take_number(
    struct str *s, size_t digits, int64_t min, int64_t max, int64_t *out);
static bool take_char(struct str *s, char c);
static bool take_offset(struct str *s, int64_t *out);

static pthread_once_t shift_once = PTHREAD_ONCE_INIT;
static int64_t shift;

int64_t
clock_now(void)
{
	struct timespec ts;

	(void)pthread_once(&shift_once, read_shift);
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec + shift;
}

int64_t
clock_mono_ms(void)
{
	return clock_mono_ns() / 1000000;
}

int64_t
clock_mono_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t
clock_cpu_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

bool
clock_zone_known(const char *name)
{
	char path[256];
	char magic[4];
	int fd, n;
	bool found;

	if (strcmp(name, "UTC") == 0)
		return true; /* known even without the package tzdata */
	if (name[0] == '\0' || name[0] == '/' || name[0] == ':' ||
	    strstr(name, "..") != NULL)
		return false;
	n = snprintf(path, sizeof(path), ZONE_DIR "%s", name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		memcmp(magic, "TZif", sizeof(magic)) == 0;
	(void)close(fd);
	return found;
}

enum err
clock_zone_set(const char *name)
{
	if (!clock_zone_known(name))
		return ERR_CONFIG;
	if (setenv("TZ", name, 1) != 0)
		return ERR_NOMEM;
	tzset();
	return ERR_OK;
}

void
clock_local(int64_t unix_s, struct tm *out)
{
	time_t t = (time_t)unix_s;

	if (localtime_r(&t, out) == NULL)
		*out = (struct tm){ 0 };
}

/*
 * Nearly always the moment minus its time of day.  On a day whose clocks
 * change that can miss; then the border is searched, for the calendar date
 * never goes back.
 */
int64_t
clock_day_start(int64_t unix_s)
{
	struct tm tm;
	int64_t low, high;
	int today = date_of(unix_s);

	clock_local(unix_s, &tm);
	high = unix_s - tm.tm_hour * 3600 - tm.tm_min * 60 - tm.tm_sec;
	if (date_of(high) == today && date_of(high - 1) != today)
		return high;
	low = unix_s - 2 * DAY;
	high = unix_s;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (date_of(middle) == today)
			high = middle;
		else
			low = middle;
	}
	return high;
}

void
clock_iso(int64_t unix_s, char *out, size_t n)
{
	time_t t = (time_t)unix_s;
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL)
		tm = (struct tm){ 0 };
	if (strftime(out, n, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0 && n > 0)
		out[0] = '\0';
}

void
clock_human(int64_t unix_s, char *out, size_t n)
{
	struct tm tm;

	clock_local(unix_s, &tm);
	if (strftime(out, n, "%Y-%m-%d %H:%M", &tm) == 0 && n > 0)
		out[0] = '\0';
}

enum err
clock_parse(const char *z, int64_t *out)
{
	static const int64_t longest[13] = { 0, 31, 29, 31, 30, 31, 30, 31, 31,
		30, 31, 30, 31 };
	struct str s = str_of(z);
	int64_t y, m, d, days;
	int64_t hour, minute, second = 0, offset;

	if (!take_number(&s, 4, 1970, 9999, &y) || !take_char(&s, '-') ||
	    !take_number(&s, 2, 1, 12, &m) || !take_char(&s, '-') ||
	    !take_number(&s, 2, 1, longest[m], &d))
		return ERR_INVALID;
	if (m == 2 && d == 29 && (y % 4 != 0 || (y % 100 == 0 && y % 400 != 0)))
		return ERR_INVALID;
	days = days_from_civil(y, m, d);
	if (s.n == 0) {
		*out = campus_midnight(days);
		return ERR_OK;
	}
	if (!take_char(&s, 'T') || !take_number(&s, 2, 0, 23, &hour) ||
	    !take_char(&s, ':') || !take_number(&s, 2, 0, 59, &minute))
		return ERR_INVALID;
	if (take_char(&s, ':') && !take_number(&s, 2, 0, 59, &second))
		return ERR_INVALID;
	if (!take_offset(&s, &offset) || s.n != 0)
		return ERR_INVALID;
	*out = days * DAY + hour * 3600 + minute * 60 + second - offset;
	return ERR_OK;
}

static void
read_shift(void)
{
	const char *z = getenv("PROMPT_ARENA_TEST_CLOCK");
	int64_t v;

	if (z == NULL)
		return;
	if (*z == '+')
		z++;
	if (str_int(str_of(z), -100 * 366 * DAY, 100 * 366 * DAY, &v) == ERR_OK)
		shift = v;
}

/* The campus date as one comparable number. */
static int
date_of(int64_t unix_s)
{
	struct tm tm;

	clock_local(unix_s, &tm);
	return tm.tm_year * 400 + tm.tm_yday;
}

/* Days from 1970-01-01, proleptic Gregorian (Hinnant's algorithm). */
static int64_t
days_from_civil(int64_t y, int64_t m, int64_t d)
{
	int64_t era, of_era, of_year;

	y -= m <= 2;
	era = y / 400;
	of_era = y - era * 400;
	of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	       of_year - 719468;
}

static int64_t
campus_midnight(int64_t days)
{
	struct tm tm;
	int64_t noon = days * DAY + DAY / 2;

	clock_local(noon, &tm);
	return clock_day_start(noon - tm.tm_gmtoff);
}

static bool
take_number(
    struct str *s, size_t digits, int64_t min, int64_t max, int64_t *out)
{
	struct str head = { s->p, digits };

	if (s->n < digits || head.p[0] == '-' ||
	    str_int(head, min, max, out) != ERR_OK)
		return false;
	s->p += digits;
	s->n -= digits;
	return true;
}

static bool
take_char(struct str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	s->p++;
	s->n--;
	return true;
}

static bool
take_offset(struct str *s, int64_t *out)
{
	int64_t hours, minutes;
	int64_t sign = 1;

	if (take_char(s, 'Z')) {
		*out = 0;
		return true;
	}
	if (take_char(s, '-'))
		sign = -1;
	else if (!take_char(s, '+'))
		return false;
	if (!take_number(s, 2, 0, 14, &hours) || !take_char(s, ':') ||
	    !take_number(s, 2, 0, 59, &minutes))
		return false;
	*out = sign * (hours * 3600 + minutes * 60);
	return true;
}
