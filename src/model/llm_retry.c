/* This file knows how to tell when a model server may be asked again. */
#include "config.h"

#include "model/llm_parts.h"

#include <math.h>
#include <string.h>

static bool milliseconds(struct str s, double unit, int64_t *out);
static bool http_date(struct str s, int64_t *out);
static bool date_at(struct str s, size_t day_at, size_t month_at,
    size_t year_at, size_t year_n, size_t time_at, int64_t *out);
static bool two_digits(struct str s, size_t at, int *out);
static int64_t days_to(int64_t year, int month, int day);

int64_t
llm_retry_after(const struct http_result *h, int64_t unix_now)
{
	int64_t ms, at, date;

	if (milliseconds(str_of(h->retry_after_ms), 1, &ms) ||
	    milliseconds(str_of(h->retry_after), 1000, &ms))
		return ms;
	if (!http_date(str_of(h->retry_after), &at))
		return -1;
	/* Our clock may be off; the server's own pair of times is not. */
	if (!http_date(str_of(h->date), &date))
		date = unix_now;
	return at <= date ? 0 : (at - date) * 1000;
}

int64_t
llm_backoff(const struct llm_timing *t, int64_t n, double u)
{
	int64_t ms = t->backoff_ms;

	while (n-- > 0 && ms < t->backoff_cap_ms)
		ms *= 2;
	if (ms > t->backoff_cap_ms)
		ms = t->backoff_cap_ms;
	return (int64_t)((double)ms * (1 - u / 4));
}

bool
llm_breaker_would(const struct llm_breaker *b, int64_t now)
{
	return b->state == BREAKER_CLOSED ||
	       (b->state == BREAKER_OPEN && now >= b->until);
}

bool
llm_breaker_start(struct llm_breaker *b, int64_t now)
{
	if (!llm_breaker_would(b, now))
		return false;
	if (b->state == BREAKER_OPEN)
		b->state = BREAKER_PROBING;
	return true;
}

void
llm_breaker_good(struct llm_breaker *b)
{
	*b = (struct llm_breaker){ .state = BREAKER_CLOSED };
}

bool
llm_breaker_bad(
    struct llm_breaker *b, const struct llm_timing *t, int64_t now, bool broken)
{
	bool was_closed = b->state == BREAKER_CLOSED;

	if (b->state == BREAKER_OPEN)
		return false; /* a straggler that left before it opened */
	if (b->failures == 0 || now - b->first_failure_at > t->window_ms) {
		b->failures = 0;
		b->first_failure_at = now;
	}
	b->failures++;
	if (was_closed && !broken && b->failures < t->failures)
		return false;
	if (broken)
		b->pause_ms = t->probe_cap_ms;
	else if (was_closed)
		b->pause_ms = t->probe_ms;
	else
		b->pause_ms *= 2;
	if (b->pause_ms > t->probe_cap_ms)
		b->pause_ms = t->probe_cap_ms;
	b->broken = broken;
	b->doubtful = false;
	b->state = BREAKER_OPEN;
	b->until = now + b->pause_ms;
	b->failures = 0;
	return true;
}

void
llm_breaker_doubt(struct llm_breaker *b, int64_t now)
{
	b->state = BREAKER_OPEN;
	b->until = now + b->pause_ms;
	b->doubtful = true;
}

void
llm_breaker_trust(struct llm_breaker *b, int64_t now)
{
	if (b->state == BREAKER_OPEN && b->doubtful && b->until > now)
		b->until = now;
}

void
llm_breaker_undecided(struct llm_breaker *b, int64_t now)
{
	if (b->state != BREAKER_PROBING)
		return;
	b->state = BREAKER_OPEN;
	b->until = now;
}

int64_t
llm_bucket_take(struct llm_bucket *b, int64_t per_minute, int64_t now)
{
	double per_ms = (double)per_minute / 60000;
	/* As many as a second is worth may leave at once. */
	double room = (double)per_minute / 60;

	if (per_minute <= 0)
		return 0;
	if (room < 1)
		room = 1;
	if (b->at == 0)
		b->tokens = room;
	else
		b->tokens += (double)(now - b->at) * per_ms;
	if (b->tokens > room)
		b->tokens = room;
	b->at = now;
	if (b->tokens < 1)
		return (int64_t)ceil((1 - b->tokens) / per_ms);
	b->tokens -= 1;
	return 0;
}

static bool
milliseconds(struct str s, double unit, int64_t *out)
{
	double v;

	s = str_trim(s);
	if (s.n > 1 && s.p[s.n - 1] == 's' && unit > 1)
		s.n--; /* "2s" */
	if (s.n == 0 || str_real(s, &v) != ERR_OK || v < 0)
		return false;
	v *= unit;
	*out = v > 1e12 ? INT64_C(1000000000000) : (int64_t)ceil(v);
	return true;
}

/* The three forms of RFC 9110: where day, month, year and time stand. */
static bool
http_date(struct str s, int64_t *out)
{
	const char *comma;

	s = str_trim(s);
	comma = s.n == 0 ? NULL : memchr(s.p, ',', s.n);
	if (comma != NULL) { /* behind the day's name, however long */
		size_t n = (size_t)(comma - s.p);

		s = str_trim((struct str){ comma + 1, s.n - n - 1 });
		/* "06 Nov 1994 08:49:37 GMT", "06-Nov-94 08:49:37 GMT" */
		if (s.n == 24 && memcmp(s.p + 20, " GMT", 4) == 0)
			return date_at(s, 0, 3, 7, 4, 12, out);
		return s.n == 22 && memcmp(s.p + 18, " GMT", 4) == 0 &&
		       date_at(s, 0, 3, 7, 2, 10, out);
	}
	/* "Sun Nov  6 08:49:37 1994" */
	return s.n == 24 && date_at(s, 8, 4, 20, 4, 11, out);
}

static bool
date_at(struct str s, size_t day_at, size_t month_at, size_t year_at,
    size_t year_n, size_t time_at, int64_t *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int day, hour, minute, second, month;
	int64_t year;

	if (!two_digits(s, day_at, &day) || !two_digits(s, time_at, &hour) ||
	    !two_digits(s, time_at + 3, &minute) ||
	    !two_digits(s, time_at + 6, &second) ||
	    str_int((struct str){ s.p + year_at, year_n }, 0, 9999, &year) !=
		ERR_OK)
		return false;
	if (year_n == 2)
		year += year < 70 ? 2000 : 1900;
	for (month = 0; month < 12; month++) {
		if (memcmp(s.p + month_at, months + 3 * month, 3) == 0)
			break;
	}
	if (month == 12 || year < 1970 || day < 1 || day > 31 || hour > 23 ||
	    minute > 59 || second > 60)
		return false;
	*out =
	    ((days_to(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 +
	    second;
	return true;
}

static bool
two_digits(struct str s, size_t at, int *out)
{
	int64_t v;
	bool one = s.p[at] == ' '; /* asctime has no leading nought */

	if (str_int((struct str){ s.p + at + one, 2 - (size_t)one }, 0, 99,
		&v) != ERR_OK)
		return false;
	*out = (int)v;
	return true;
}

/* Days from 1970-01-01 in the Gregorian calendar (Hinnant's algorithm). */
static int64_t
days_to(int64_t year, int month, int day)
{
	int64_t era, of_era, of_year;

	year -= month <= 2;
	era = year / 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	of_era = (year - era * 400) * 365 + (year - era * 400) / 4 -
		 (year - era * 400) / 100 + of_year;
	return era * 146097 + of_era - 719468;
}
