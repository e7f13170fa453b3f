/* This file knows what the store promises its callers while it runs. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "arena.h"
#include "../tap.h"

enum {
	CLIENTS = 32
};

static struct scratch scratch;

/* Holds the writer until told: what is written meanwhile is one batch. */
struct gate {
	sem_t entered, leave;
};

static enum err
gate_fn(struct store_tx *tx, void *arg)
{
	struct gate *g = arg;

	(void)tx;
	sem_post(&g->entered);
	while (sem_wait(&g->leave) != 0)
		;
	return ERR_OK;
}

struct client {
	pthread_t thread;
	struct store *store;
	store_fn *fn;
	void *arg;
	enum err result;
};

static void *
client_main(void *arg)
{
	struct client *c = arg;

	c->result = store_write(c->store, c->fn, c->arg);
	return NULL;
}

static void
client_start(struct client *c, struct store *s, store_fn *fn, void *arg)
{
	*c = (struct client){ .store = s, .fn = fn, .arg = arg };
	if (pthread_create(&c->thread, NULL, client_main, c) != 0)
		abort();
}

/* Wait for a condition that another thread brings about. */
static bool
wait_until(bool (*is)(struct store *), struct store *s, int64_t ms)
{
	int64_t end = clock_mono_ms() + ms;

	while (!is(s)) {
		if (clock_mono_ms() > end)
			return false;
		sched_yield();
	}
	return true;
}

static struct store *
fresh(void)
{
	struct store *s = NULL;

	scratch_clear(&scratch);
	if (arena_open(&scratch, &s) != ERR_OK ||
	    store_write(s, arena_fill_fn, NULL) != ERR_OK)
		abort();
	return s;
}

static int64_t
lines(void)
{
	size_t n;
	char *p = slurp(scratch.ledger, &n);
	int64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += p[i] == '\n';
	free(p);
	return count;
}

/*
 * Queue `n` votes behind a gate, so that they become one batch; results are
 * in c, the votes in v.
 */
static void
one_batch(struct store *s, struct client *c, struct arena_vote *v, size_t n)
{
	struct client gate_client;
	struct gate g;

	sem_init(&g.entered, 0, 0);
	sem_init(&g.leave, 0, 0);
	client_start(&gate_client, s, gate_fn, &g);
	while (sem_wait(&g.entered) != 0)
		;
	for (size_t i = 0; i < n; i++)
		client_start(&c[i], s, arena_vote_fn, &v[i]);
	while (writer_queued(store_writer(s)) < n)
		sched_yield();
	sem_post(&g.leave);
	pthread_join(gate_client.thread, NULL);
	for (size_t i = 0; i < n; i++)
		pthread_join(c[i].thread, NULL);
	sem_destroy(&g.entered);
	sem_destroy(&g.leave);
}

static void
batches(void)
{
	struct store *s = fresh();
	struct client c[CLIENTS];
	struct arena_vote v[CLIENTS];
	int64_t commits = writer_commits(store_writer(s));
	size_t good = 0, wrong = 0;

	for (size_t i = 0; i < CLIENTS; i++) {
		v[i] = arena_vote_make(i);
		if (i % 4 == 3)
			v[i].then = ERR_CLOSED; /* after all its writes */
	}
	one_batch(s, c, v, CLIENTS);
	for (size_t i = 0; i < CLIENTS; i++) {
		if (c[i].result == (i % 4 == 3 ? ERR_CLOSED : ERR_OK))
			good++;
		else
			wrong++;
	}
	is_int(good, CLIENTS, "everybody hears about their own closure");
	is_int(writer_commits(store_writer(s)) - commits, 2,
	    "the gate's commit, and one for all who waited");
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), 24,
	    "those that failed left nothing");
	is_int(arena_count(&scratch, "SELECT count(*) FROM match"), 24,
	    "not even their matches");
	is_int(lines(), 25, "nor a line in the ledger");
	is_int(store_durable_seq(s), 25, "the end that is durable");
	ok(arena_ratings_hold(&scratch), "ratings are those of the votes");
	store_close(s);
}

/* Callers that come and go: sometimes alone, sometimes in a crowd. */
struct hammer {
	pthread_t thread;
	struct store *store;
	enum err e;
};

static void *
hammer_main(void *arg)
{
	struct hammer *h = arg;

	h->e = arena_votes(h->store, 0, 40);
	return NULL;
}

static void
hammer(void)
{
	struct store *s = fresh();
	size_t good = 0, alone = 0;

	for (size_t crowd = 1; crowd <= 12; crowd += crowd / 2 + 1) {
		struct hammer h[12];

		for (size_t i = 0; i < crowd; i++) {
			h[i] = (struct hammer){ .store = s };
			if (pthread_create(
				&h[i].thread, NULL, hammer_main, &h[i]) != 0)
				abort();
		}
		for (size_t i = 0; i < crowd; i++) {
			pthread_join(h[i].thread, NULL);
			good += h[i].e == ERR_OK;
			alone++;
		}
	}
	is_int(good, alone, "%zu callers in crowds of all sizes", alone);
	store_close(s);
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"),
	    (int64_t)(40 * alone), "each of their votes is there");
	is_int(lines(), (int64_t)(40 * alone) + 1, "and in the ledger");
	ok(arena_ratings_hold(&scratch), "and in the ratings");
}

static void
retries(void)
{
	struct store *s = fresh();
	struct arena_vote v = arena_vote_make(0);

	is_int(store_write(s, arena_vote_fn, &v), ERR_OK, "a vote");
	is_int(v.n, 2, "is line 2");
	is_int(store_write(s, arena_vote_fn, &v), ERR_OK, "once more");
	ok(v.was_there && v.n == 2, "finds the first");
	is_int(lines(), 2, "one line");
	store_close(s);
}

/* A commit that fails undoes closures that had succeeded. */
static void
full_commit(void)
{
	struct store *s = fresh();
	struct client c[4];
	struct arena_vote v[4];
	size_t refused = 0;

	for (size_t i = 0; i < 4; i++)
		v[i] = arena_vote_make(i);
	failpoint_arm("commit:full@2"); /* the first is the gate's */
	one_batch(s, c, v, 4);
	failpoint_arm(NULL);
	for (size_t i = 0; i < 4; i++)
		refused += c[i].result == ERR_FULL;
	is_int(refused, 4, "a commit without room is ERR_FULL for all of it");
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), 0,
	    "and nothing of it is stored");
	is_int(lines(), 1, "nor written");
	is_int(store_write(s, arena_vote_fn, &v[0]), ERR_OK, "then it goes on");
	is_int(v[0].n, 2, "with the next number");
	ok(!store_is_halted(s), "and votes are taken");
	store_close(s);
}

static bool
is_halted(struct store *s)
{
	return store_is_halted(s);
}

static bool
is_taking(struct store *s)
{
	return !store_is_halted(s);
}

/* The database has room, the ledger has not. */
static void
broken_ledger(const char *point)
{
	struct store *s = fresh();
	struct arena_vote v = arena_vote_make(0), w = arena_vote_make(1);
	char spec[32];

	(void)snprintf(spec, sizeof(spec), "%s:full", point);
	failpoint_arm(spec);
	is_int(store_write(s, arena_vote_fn, &v), ERR_FULL,
	    "%s: a vote that is not in the ledger is not acknowledged", point);
	ok(wait_until(is_halted, s, 5000), "%s: votes are halted", point);
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), 1,
	    "%s: though it is in the database", point);
	is_int(store_durable_seq(s), 1, "%s: beyond the durable end", point);
	is_int(store_write(s, arena_vote_fn, &w), ERR_FULL,
	    "%s: no vote is taken", point);
	is_int(arena_count(&scratch, "SELECT count(*) FROM vote"), 1,
	    "%s: nor stored", point);
	is_int(store_write(s, arena_vote_fn, &v), ERR_OK,
	    "%s: a retry finds its vote", point);
	is_int(v.n, 2, "%s: with its number", point);
	failpoint_arm(NULL);
	ok(wait_until(is_taking, s, 5000), "%s: it heals by itself", point);
	is_int(store_durable_seq(s), 2, "%s: the vote counts now", point);
	is_int(lines(), 2, "%s: and is in the ledger once", point);
	is_int(store_write(s, arena_vote_fn, &w), ERR_OK,
	    "%s: votes are taken again", point);
	store_close(s);
	is_int(arena_open(&scratch, &s), ERR_OK, "%s: opens again", point);
	is_int(store_durable_seq(s), 3, "%s: with all", point);
	store_close(s);
}

/* In a child: a limit that a full disk's way of failing is like. */
static int
fill_up(void)
{
	struct store *s = fresh();
	struct rlimit lim;
	enum err e = ERR_OK;
	uint64_t i = 0;
	int64_t stored;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &lim) != 0)
		return 1;
	lim.rlim_cur = 400 * 1024;
	if (setrlimit(RLIMIT_FSIZE, &lim) != 0)
		return 1;
	for (; e == ERR_OK && i < 5000; i++)
		e = arena_votes(s, i, 1);
	if (e != ERR_FULL)
		return 2;
	stored = arena_count(&scratch, "SELECT count(*) FROM vote");
	/* The last may be stored and not in the ledger, never the reverse. */
	if (stored < (int64_t)i - 1 || stored > (int64_t)i ||
	    lines() < (int64_t)i)
		return 3;
	lim.rlim_cur = lim.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &lim) != 0)
		return 1;
	if (!wait_until(is_taking, s, 5000))
		return 4;
	if (arena_votes(s, i, 10) != ERR_OK || lines() != stored + 11)
		return 5;
	store_close(s);
	return arena_ratings_hold(&scratch) ? 0 : 6;
}

static void
full_disk(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(fill_up());
	waitpid(pid, &status, 0);
	is_int(status, 0, "no room: ERR_FULL, nothing lost, heals in 5 s");
}

static void
stopping(void)
{
	struct store *s = fresh();
	struct store *other = NULL;
	char wal[112];

	is_int(arena_votes(s, 0, 5), ERR_OK, "five votes");
	is_int(arena_open(&scratch, &other), ERR_BUSY,
	    "a second store on the same file is refused");
	ok(other == NULL, "and not given");
	store_close(s);
	(void)snprintf(wal, sizeof(wal), "%s-wal", scratch.database);
	ok(access(wal, F_OK) != 0, "closing leaves no write-ahead log");
	is_int(arena_open(&scratch, &s), ERR_OK, "opens again");
	is_int(store_durable_seq(s), 6, "with all");
	store_close(s);
}

/* The lock file removed, or the files known by another name. */
static enum err
open_as(const char *database)
{
	struct store_conf conf = { .database = database, .create = true };
	struct store *s = NULL;
	enum err e = store_open(&s, &conf);

	store_close(s);
	return e;
}

/* In a child: it is another process that must be kept out. */
static int
open_elsewhere(const char *database)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)open_as(database));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
one_service(void)
{
	struct store *s = fresh();
	char other[112], folder[112], name[144];

	is_int(arena_votes(s, 0, 2), ERR_OK, "two votes");
	ok(store_is_locked(scratch.database), "the arena is in use");
	(void)snprintf(name, sizeof(name), "%s.lock", scratch.database);
	is_int(unlink(name), 0, "its lock file is removed");
	ok(store_is_locked(scratch.database), "it still is in use");
	is_int(open_elsewhere(scratch.database), ERR_BUSY,
	    "and refused to another");
	(void)snprintf(other, sizeof(other), "%s/other.db", scratch.dir);
	is_int(link(scratch.database, other), 0, "a second name beside it");
	is_int(open_elsewhere(other), ERR_BUSY, "is refused as well");
	(void)snprintf(folder, sizeof(folder), "%s.d", scratch.dir);
	is_int(mkdir(folder, 0700), 0, "a folder");
	(void)snprintf(name, sizeof(name), "%s/arena.db", folder);
	is_int(link(scratch.database, name), 0, "a second name in it");
	is_int(open_elsewhere(name), ERR_BUSY, "is refused as well");
	(void)unlink(name);
	(void)snprintf(name, sizeof(name), "%s/arena.db.lock", folder);
	(void)unlink(name);
	is_int(rmdir(folder), 0, "away with it");
	is_int(arena_votes(s, 2, 2), ERR_OK, "the first goes on");
	store_close(s);
	is_int(open_as(scratch.database), ERR_OK, "and leaves it free");
}

/* The ledger is taken away, or another file put in its place. */
static void
ledger_moved(bool replaced)
{
	struct store *s = fresh();
	struct arena_vote v = arena_vote_make(0), w = arena_vote_make(1);
	const char *how = replaced ? "replaced" : "moved";
	char away[112];
	int fd;

	(void)snprintf(away, sizeof(away), "%s.away", scratch.ledger);
	is_int(rename(scratch.ledger, away), 0, "the ledger is %s", how);
	if (replaced) {
		fd = open(scratch.ledger, O_WRONLY | O_CREAT, 0600);
		ok(fd >= 0 && close(fd) == 0, "by another file");
	}
	is_int(store_write(s, arena_vote_fn, &v), ERR_IO,
	    "%s: a vote is not acknowledged", how);
	ok(wait_until(is_halted, s, 5000), "%s: votes are halted", how);
	is_int(store_durable_seq(s), 1, "%s: it is beyond the end", how);
	is_int(store_write(s, arena_vote_fn, &w), ERR_IO,
	    "%s: no vote is taken", how);
	is_int(rename(away, scratch.ledger), 0, "%s: it is put back", how);
	ok(wait_until(is_taking, s, 5000), "%s: then votes are taken", how);
	is_int(lines(), 2, "%s: the vote is in the ledger", how);
	is_int(store_write(s, arena_vote_fn, &w), ERR_OK,
	    "%s: and others follow", how);
	is_int(unlink(scratch.ledger), 0, "%s: removed for good", how);
	is_int(arena_votes(s, 2, 1), ERR_IO, "%s: no vote is taken", how);
	store_close(s);
	is_int(arena_open(&scratch, &s), ERR_OK, "%s: a start makes it", how);
	is_int(lines(), 4, "%s: with all votes", how);
	is_int(store_durable_seq(s), 4, "%s: to the last", how);
	store_close(s);
}

/* In quiet times the log is copied without being asked. */
static bool
is_copied(struct store *s)
{
	return writer_copied(store_writer(s)) > 0;
}

static void
quiet_copy(void)
{
	struct store *s = fresh();

	is_int(arena_votes(s, 0, 3), ERR_OK, "three votes");
	ok(wait_until(is_copied, s, 5000), "then the log is copied");
	store_close(s);
}

int
main(void)
{
	log_level_set(LOG_LEVEL_ERROR);
	scratch_make(&scratch);
	full_disk();
	batches();
	hammer();
	retries();
	full_commit();
	broken_ledger("append");
	broken_ledger("append_half");
	broken_ledger("sync");
	stopping();
	quiet_copy();
	one_service();
	ledger_moved(false);
	ledger_moved(true);
	scratch_remove(&scratch);
	return done_testing();
}
