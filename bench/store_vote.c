/* This file knows how fast a vote becomes durable, beside bare file writes. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "tests/model/arena.h"

enum {
	PAIRS = 5,
	SLICES = 10, /* of each pair, taken in turns: other work on the
			machine then hits all three alike */
	SLICE_MS = 60,
	CLIENTS = 32,
	WARM_VOTES = 3000, /* until the write-ahead log is reused */
	MATCHES = 40000,   /* shown to voters before anything is measured */
	SPARE = 3000,      /* fewer than that: show more */
	LINE = 370         /* bytes of an ordinary ledger line */
};

/* Operations, and the time they took. */
struct total {
	double n, ns;
};

struct client {
	pthread_t thread;
	struct store *store;
	int64_t until;
	uint64_t n;
	bool failed;
};

/* Matches that wait; taken by one client after the other. */
static struct arena_matches matches = { .n = MATCHES };
static atomic_size_t taken;

static void
show_matches(struct store *s)
{
	int64_t copied = writer_copied(store_writer(s));

	free(matches.votes);
	atomic_store(&taken, 0);
	matches.votes = calloc(MATCHES, sizeof(*matches.votes));
	if (matches.votes == NULL ||
	    store_write(s, arena_matches_fn, &matches) != ERR_OK)
		abort();
	/* Not measured: copying their pages into the database. */
	while (writer_copied(store_writer(s)) == copied)
		sched_yield();
}

static void *
client_main(void *arg)
{
	struct client *c = arg;

	while (clock_mono_ms() < c->until) {
		size_t i = atomic_fetch_add(&taken, 1);

		if (i >= MATCHES)
			break;
		if (store_write(c->store, arena_vote_fn, &matches.votes[i]) !=
		    ERR_OK) {
			c->failed = true;
			break;
		}
		c->n++;
	}
	return NULL;
}

/* Acknowledged votes. */
static void
votes(struct store *s, size_t clients, struct total *t)
{
	struct client c[CLIENTS];
	int64_t from;

	if (taken + SPARE > MATCHES)
		show_matches(s);
	from = clock_mono_ns();
	for (size_t i = 0; i < clients; i++) {
		c[i] = (struct client){ .store = s,
			.until = clock_mono_ms() + SLICE_MS };
		if (pthread_create(&c[i].thread, NULL, client_main, &c[i]) != 0)
			abort();
	}
	for (size_t i = 0; i < clients; i++) {
		pthread_join(c[i].thread, NULL);
		t->n += (double)c[i].n;
		if (c[i].failed)
			abort();
	}
	t->ns += (double)(clock_mono_ns() - from);
}

/* The floor: append a line, fdatasync, again. */
static void
appends(int fd, struct total *t)
{
	char line[LINE];
	int64_t from = clock_mono_ns(), until = clock_mono_ms() + SLICE_MS;

	memset(line, 'x', sizeof(line));
	while (clock_mono_ms() < until) {
		if (write(fd, line, sizeof(line)) != (ssize_t)sizeof(line) ||
		    fdatasync(fd) != 0)
			abort();
		t->n++;
	}
	t->ns += (double)(clock_mono_ns() - from);
}

static double
rate(const struct total *t)
{
	return t->n * 1e9 / t->ns;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v)
{
	qsort(v, PAIRS, sizeof(*v), by_value);
	return v[PAIRS / 2];
}

int
main(void)
{
	double bare[PAIRS], one[PAIRS], many[PAIRS], alone[PAIRS], group[PAIRS];
	struct scratch scratch;
	struct store *s = NULL;
	char name[96];
	int fd;

	log_level_set(LOG_LEVEL_ERROR);
	scratch_make(&scratch);
	(void)snprintf(name, sizeof(name), "%s/bare.log", scratch.dir);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || arena_open(&scratch, &s) != ERR_OK ||
	    store_write(s, arena_fill_fn, NULL) != ERR_OK ||
	    arena_votes(s, 0, WARM_VOTES) != ERR_OK)
		abort();
	show_matches(s);
	for (size_t i = 0; i < PAIRS; i++) {
		struct total t[3] = { { 0, 0 } };

		for (size_t j = 0; j < SLICES; j++) {
			appends(fd, &t[0]);
			votes(s, 1, &t[1]);
			votes(s, CLIENTS, &t[2]);
		}
		bare[i] = rate(&t[0]);
		one[i] = rate(&t[1]);
		many[i] = rate(&t[2]);
		alone[i] = one[i] / bare[i];
		group[i] = many[i] / one[i];
	}
	(void)close(fd);
	free(matches.votes);
	store_close(s);
	scratch_remove(&scratch);
	printf("append + fdatasync            %8.0f /s\n", median(bare));
	printf("durable votes, 1 client       %8.0f /s\n", median(one));
	printf(
	    "durable votes, %d clients     %8.0f /s\n", CLIENTS, median(many));
	printf("1 client / bare append        %8.2f    (0.35 or more)\n",
	    median(alone));
	printf("%d clients / 1 client         %8.2f    (3 or more)\n", CLIENTS,
	    median(group));
	return 0;
}
