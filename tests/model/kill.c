/* This file knows that SIGKILL under load loses no acknowledged vote. */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "arena.h"
#include "../tap.h"

enum {
	CYCLES = 20,
	CLIENTS = 32,
	ACKS = 60 /* before each kill, or the cycle proves nothing */
};

struct client {
	struct store *store;
	int pipe;
};

/* Vote; say the token once it was acknowledged; again. */
static void *
client_main(void *arg)
{
	const struct client *c = arg;

	for (uint64_t i = 0;; i++) {
		struct arena_vote v = arena_vote_make(i);

		if (store_write(c->store, arena_vote_fn, &v) != ERR_OK ||
		    write(c->pipe, v.token, RNG_TOKEN_LEN) != RNG_TOKEN_LEN)
			return NULL;
	}
}

static void
serve(const struct scratch *s, int pipe)
{
	struct client c = { .pipe = pipe };
	pthread_t t[CLIENTS];

	if (arena_open(s, &c.store) != ERR_OK)
		_exit(1);
	for (size_t i = 0; i < CLIENTS; i++) {
		if (pthread_create(&t[i], NULL, client_main, &c) != 0)
			_exit(1);
	}
	for (size_t i = 0; i < CLIENTS; i++)
		pthread_join(t[i], NULL);
	_exit(1); /* only a kill should end it */
}

/* Acknowledged tokens of all cycles, RNG_TOKEN_LEN bytes each. */
struct acks {
	char *p;
	size_t n, room;
};

/* Until the writing end is gone everywhere. */
static void
collect(int fd, pid_t pid, size_t kill_after, struct acks *a)
{
	size_t from = a->n;
	ssize_t got;

	for (;;) {
		if (a->room - a->n < 4096) {
			a->room = a->room * 2 + 65536;
			a->p = realloc(a->p, a->room);
			if (a->p == NULL)
				abort();
		}
		got = read(fd, a->p + a->n, 4096);
		if (got <= 0)
			break;
		a->n += (size_t)got;
		if (pid != 0 && (a->n - from) / RNG_TOKEN_LEN >= kill_after) {
			(void)kill(pid, SIGKILL);
			pid = 0;
		}
	}
}

static int
by_token(const void *a, const void *b)
{
	return memcmp(a, b, RNG_TOKEN_LEN);
}

/* Tokens of the ledger file, sorted; their number. */
static size_t
ledger_tokens(const struct scratch *s, char **out)
{
	size_t n, count = 0;
	char *file = slurp(s->ledger, &n), *at = file;
	static const char key[] = "\"k\":\"vote\",\"m\":\"";

	*out = malloc(n + 1);
	while (*out != NULL && (at = strstr(at, key)) != NULL) {
		memcpy(*out + count++ * RNG_TOKEN_LEN, at + sizeof(key) - 1,
		    RNG_TOKEN_LEN);
		at += sizeof(key);
	}
	free(file);
	qsort(*out, count, RNG_TOKEN_LEN, by_token);
	return count;
}

/* Acknowledged tokens that are not exactly once in a sorted list. */
static size_t
lost(const struct acks *a, const char *list, size_t n)
{
	size_t missing = 0;

	for (size_t i = 0; i < a->n / RNG_TOKEN_LEN; i++) {
		const char *token = a->p + i * RNG_TOKEN_LEN;
		const char *at =
		    bsearch(token, list, n, RNG_TOKEN_LEN, by_token);

		if (at == NULL ||
		    (at > list && by_token(at, at - RNG_TOKEN_LEN) == 0) ||
		    (at < list + (n - 1) * RNG_TOKEN_LEN &&
			by_token(at, at + RNG_TOKEN_LEN) == 0))
			missing++;
	}
	return missing;
}

static size_t
lost_in_database(const struct scratch *s, const struct acks *a)
{
	struct db *db = NULL;
	size_t missing = 0;

	if (db_open(&db, s->database, DB_READ) != ERR_OK)
		abort();
	for (size_t i = 0; i < a->n / RNG_TOKEN_LEN; i++) {
		struct arena_vote v = { .a = 1 };

		memcpy(v.token, a->p + i * RNG_TOKEN_LEN, RNG_TOKEN_LEN);
		missing += arena_vote_find(db, &v) != ERR_OK;
	}
	db_close(db);
	return missing;
}

static void
cycle(const struct scratch *s, int number, struct acks *a)
{
	struct store *store = NULL;
	size_t before = a->n, stored;
	int ends[2], status = 0;
	char *tokens = NULL;
	pid_t pid;

	if (pipe(ends) != 0)
		abort();
	pid = fork();
	if (pid == 0) {
		(void)close(ends[0]);
		serve(s, ends[1]);
	}
	(void)close(ends[1]);
	/* A different moment each time. */
	collect(ends[0], pid, ACKS + (size_t)(number * 17 % 97), a);
	(void)close(ends[0]);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && a->n - before >= ACKS * RNG_TOKEN_LEN,
	    "cycle %d: killed after %zu acknowledged votes", number,
	    (a->n - before) / RNG_TOKEN_LEN);
	is_int(arena_open(s, &store), ERR_OK, "cycle %d: opens", number);
	store_close(store);
	stored = ledger_tokens(s, &tokens);
	is_int(lost(a, tokens, stored), 0, "cycle %d: each once in the ledger",
	    number);
	is_int(
	    lost_in_database(s, a), 0, "cycle %d: and in the database", number);
	is_int(arena_count(s, "SELECT count(*) FROM vote"), stored,
	    "cycle %d: which hold the same", number);
	free(tokens);
}

int
main(void)
{
	struct acks acks = { NULL, 0, 0 };
	struct store *store = NULL;
	struct scratch s;
	int64_t began = clock_mono_ms();

	log_level_set(LOG_LEVEL_ERROR);
	scratch_make(&s);
	if (arena_open(&s, &store) != ERR_OK ||
	    store_write(store, arena_fill_fn, NULL) != ERR_OK)
		abort();
	store_close(store);
	for (int i = 0; i < CYCLES; i++)
		cycle(&s, i, &acks);
	ok(arena_ratings_hold(&s), "the ratings are those of the votes");
	is_int(arena_count(&s, "SELECT count(*) FROM pragma_integrity_check"
			       " WHERE integrity_check <> 'ok'"),
	    0, "and the database is whole");
	diag("%zu votes acknowledged over %d kills in %d ms",
	    acks.n / RNG_TOKEN_LEN, CYCLES, (int)(clock_mono_ms() - began));
	free(acks.p);
	scratch_remove(&s);
	return done_testing();
}
