/*
 * This file knows how far ratings are behind the votes when a million are
 * stored, and what they cost the votes.
 */
#include "config.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/standing.h"
#include "tests/model/arena.h"
#include "tests/model/ballots.h"

enum {
	STORED = 1000000,
	BATCH = 50000,
	SLICE_MS = 2000,
	ROUNDS = 3,
	LAGS = 9
};

static struct ballots plan = { .versions = 100,
	.voters = 5000,
	.questions = 50,
	.seed = 7,
	.at = 1700000000,
	.step = 5 };

static void
fill(struct store *s)
{
	plan.n = BATCH;
	for (int i = 0; i < STORED / BATCH; i++) {
		if (store_write(s, ballots_fn, &plan) != ERR_OK)
			abort();
	}
	plan.n = 1;
	plan.rate = true;
}

/* Votes of one client, one after the other, in a slice: their rate. */
static double
votes(struct store *s, int64_t *worst_ns)
{
	int64_t from = clock_mono_ns(), until = clock_mono_ms() + SLICE_MS;
	double n = 0;

	while (clock_mono_ms() < until) {
		int64_t t = clock_mono_ns();

		if (store_write(s, ballots_fn, &plan) != ERR_OK)
			abort();
		t = clock_mono_ns() - t;
		*worst_ns = t > *worst_ns ? t : *worst_ns;
		n++;
	}
	return n * 1e9 / (double)(clock_mono_ns() - from);
}

/* Seconds of processor time that threads of that name have used. */
static double
used_by(const char *name)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *t;
	double all = 0;

	while (tasks != NULL && (t = readdir(tasks)) != NULL) {
		char path[300], line[64] = "";
		double ns;
		FILE *f;

		(void)snprintf(
		    path, sizeof(path), "/proc/self/task/%s/comm", t->d_name);
		if ((f = fopen(path, "r")) == NULL)
			continue;
		if (fgets(line, sizeof(line), f) == NULL)
			line[0] = '\0';
		(void)fclose(f);
		line[strcspn(line, "\n")] = '\0';
		(void)snprintf(path, sizeof(path),
		    "/proc/self/task/%s/schedstat", t->d_name);
		if (strcmp(line, name) != 0 || (f = fopen(path, "r")) == NULL)
			continue;
		if (fscanf(f, "%lf", &ns) == 1)
			all += ns / 1e9;
		(void)fclose(f);
	}
	if (tasks != NULL)
		(void)closedir(tasks);
	return all;
}

/* Does the snapshot hold the vote, in intervals too if widths? */
static bool
holds(const struct standing_snapshot *now, bool widths)
{
	if (now == NULL || now->seq < plan.last)
		return false;
	for (size_t i = 0; widths && i < now->boards_n; i++) {
		if (now->boards[i]->type.p == NULL &&
		    now->boards[i]->interval_seq < plan.last)
			return false;
	}
	return true;
}

/* One vote; ms until a snapshot holds it. */
static double
lag(struct store *s, struct standing *st, bool widths)
{
	int64_t from;
	double ms;

	if (store_write(s, ballots_fn, &plan) != ERR_OK)
		abort();
	from = clock_mono_ns();
	for (;;) {
		const struct standing_snapshot *now =
		    standing_get(st, plan.last, 2000);
		bool there = holds(now, widths);

		standing_put(now);
		if (there)
			break;
		sched_yield();
	}
	ms = (double)(clock_mono_ns() - from) / 1e6;
	return ms;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(void)
{
	double alone[ROUNDS], with[ROUNDS], ratio[ROUNDS], lags[LAGS];
	double wide[LAGS], share[ROUNDS], judge[ROUNDS], first;
	int64_t worst_alone = 0, worst_with = 0, from;
	struct scratch scratch;
	struct standing *st;
	struct rusage usage;
	struct store *s = NULL;

	log_level_set(LOG_LEVEL_ERROR);
	if (clock_zone_set("UTC") != ERR_OK)
		abort();
	scratch_make(&scratch);
	if (arena_open(&scratch, &s) != ERR_OK)
		abort();
	fill(s);
	for (int i = 0; i < ROUNDS; i++) {
		alone[i] = votes(s, &worst_alone);
		from = clock_mono_ns();
		if (standing_open(&st, s) != ERR_OK)
			abort();
		standing_put(standing_get(st, 0, 0));
		first = (double)(clock_mono_ns() - from) / 1e9;
		share[i] = used_by("statistics");
		judge[i] = used_by("judge");
		with[i] = votes(s, &worst_with);
		share[i] = (used_by("statistics") - share[i]) * 1e3 / SLICE_MS;
		judge[i] = (used_by("judge") - judge[i]) * 1e3 / SLICE_MS;
		ratio[i] = with[i] / alone[i];
		for (int k = 0; i == 0 && k < LAGS; k++)
			lags[k] = lag(s, st, false);
		for (int k = 0; i == 0 && k < LAGS; k++)
			wide[k] = lag(s, st, true);
		standing_close(st);
	}
	(void)getrusage(RUSAGE_SELF, &usage);
	qsort(ratio, ROUNDS, sizeof(*ratio), by_value);
	qsort(lags, LAGS, sizeof(*lags), by_value);
	qsort(wide, LAGS, sizeof(*wide), by_value);
	qsort(share, ROUNDS, sizeof(*share), by_value);
	qsort(judge, ROUNDS, sizeof(*judge), by_value);
	printf("stored votes                  %8d\n", STORED);
	printf("scan and first snapshot       %8.2f s\n", first);
	printf("vote to snapshot, median      %8.0f ms (worst of %d: %.0f)\n",
	    lags[LAGS / 2], LAGS, lags[LAGS - 1]);
	printf("vote to its interval, median  %8.0f ms (worst of %d: %.0f)\n",
	    wide[LAGS / 2], LAGS, wide[LAGS - 1]);
	printf("votes with / without          %8.2f    (no less than 0.9)\n",
	    ratio[ROUNDS / 2]);
	printf("of a processor meanwhile      %8.3f    (and judging %.3f)\n",
	    share[ROUNDS / 2], judge[ROUNDS / 2]);
	printf("slowest vote with / without   %8.2f\n",
	    (double)worst_with / (double)worst_alone);
	printf(
	    "memory at most                %8ld MB\n", usage.ru_maxrss / 1024);
	store_close(s);
	scratch_remove(&scratch);
	return 0;
}
