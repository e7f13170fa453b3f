/* This file knows how src/base/clock.h must behave. */
#include "base/clock.h"

#include "../tap.h"

static void
test_parse(void)
{
	static const char *const bad[] = { "", "2026", "2026-13-01",
		"2026-02-29", "2026-04-31", "2026-11-29T22:17:31",
		"2026-11-29T24:00Z", "2026-11-29 22:17Z", "2026-11-29T22:17Z ",
		"2026-11-29T22:17+1:00", "-026-11-29", "2026-1-29" };
	static const struct {
		const char *in;
		int64_t t;
	} good[] = { { "1970-01-01T00:00Z", 0 },
		{ "2026-11-29T22:17:31Z", 1795990651 },
		{ "2026-11-29T23:17:31+01:00", 1795990651 },
		{ "2026-11-29T18:47:31-03:30", 1795990651 },
		{ "2024-02-29T00:00Z", 1709164800 } };
	int64_t t = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(clock_parse(bad[i], &t), ERR_INVALID, "refuses \"%s\"",
		    bad[i]);
	is_int(t, 7, "out untouched");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		is_int(clock_parse(good[i].in, &t), ERR_OK, "%s", good[i].in);
		is_int(t, good[i].t, "%s value", good[i].in);
	}
}

static void
test_zone(void)
{
	int64_t t = 0;
	char z[32];

	is_int(clock_zone_set("Nowhere/City"), ERR_CONFIG, "unknown zone");
	is_int(clock_zone_set("../../etc/passwd"), ERR_CONFIG, "no path");
	is_int(clock_zone_set(""), ERR_CONFIG, "no name");
	is_int(clock_zone_set("UTC"), ERR_OK, "UTC");
	clock_iso(1795990651, z, sizeof(z));
	is_str(z, "2026-11-29T22:17:31Z", "ISO");
	is_int(clock_day_start(1795990651), 1795910400, "UTC day");
	if (clock_zone_set("Europe/Berlin") != ERR_OK) {
		diag("no tzdata here: the rest is not tested");
		return;
	}
	clock_human(1795990651, z, sizeof(z));
	is_str(z, "2026-11-29 23:17", "campus time");
	is_int(clock_day_start(1795990651), 1795910400 - 3600, "campus day");
	is_int(clock_parse("2026-11-29", &t), ERR_OK, "a date");
	is_int(t, 1795910400 - 3600, "is the start of the campus day");
	/* clocks forward on 2026-03-29 */
	is_int(clock_parse("2026-03-29T20:00+02:00", &t), ERR_OK, "spring");
	is_int(clock_day_start(t), t - 19 * 3600, "a day of 23 hours");
}

static void
test_midnight_gaps(void)
{
	int64_t t = 0;
	char z[32];

	/* Beirut and Cairo move their clocks at midnight. */
	if (clock_zone_set("Africa/Cairo") != ERR_OK)
		return;
	is_int(clock_parse("2024-04-26T12:00+03:00", &t), ERR_OK, "noon");
	t = clock_day_start(t);
	clock_human(t, z, sizeof(z));
	is_str(z, "2024-04-26 01:00", "a day without midnight starts at one");
	clock_human(t - 1, z, sizeof(z));
	is_str(z, "2024-04-25 23:59", "just after the day before");
	if (clock_zone_set("America/Havana") != ERR_OK)
		return;
	/* 01:00 becomes 00:00 again: the first midnight counts */
	is_int(clock_parse("2024-11-03T12:00-05:00", &t), ERR_OK, "noon");
	is_int(t - clock_day_start(t), 13 * 3600, "a day of 25 hours");
}

int
main(void)
{
	int64_t mono = clock_mono_ns();

	ok(clock_now() > 1700000000, "now");
	ok(clock_mono_ns() >= mono && clock_mono_ms() > 0, "monotonic");
	test_parse();
	test_zone();
	test_midnight_gaps();
	return done_testing();
}
