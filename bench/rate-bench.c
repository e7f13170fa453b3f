/*
 * This file measures prompt-arena rate against a floor and a peer, all on the
 * same million votes in the same run, and prints ratios.
 *
 * usage: rate-bench COMMAND FLOOR PEER.py [VOTES]
 * COMMAND is a program that takes "rate" as its first argument.
 */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rate/bt.h"
#include "rate/num.h"
#include "rate/pairs.h"
#include "rate/prng.h"
#include "rate/tally.h"

enum {
	PROMPTS = 100,
	REPEATS = 7,
	LONG_VOTES = 10000000
};

static char path[] = "/tmp/rate-bench-XXXXXX";

struct cost {
	double wall, cpu;
	long kilobytes;
	int code;
};

static double
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* votes lines of CSV to out; the tally gets them too unless NULL. */
static void
write_votes(FILE *out, uint64_t votes, struct tally *t)
{
	double theta[PROMPTS];
	struct prng g;

	prng_init(&g, 2024, 0);
	for (int i = 0; i < PROMPTS; i++)
		theta[i] = prng_normal(&g);
	(void)fputs("model_a,model_b,winner\n", out);
	for (uint64_t v = 0; v < votes; v++) {
		uint32_t a = (uint32_t)prng_below(&g, PROMPTS);
		uint32_t b =
		    (uint32_t)(a + 1 + prng_below(&g, PROMPTS - 1)) % PROMPTS;
		double u = prng_unit(&g);
		int o = u < 0.15                                           ? 2
			: prng_unit(&g) < num_sigmoid(theta[a] - theta[b]) ? 0
									   : 1;

		(void)fprintf(out, "prompt-%03u,prompt-%03u,%s\n", a, b,
		    o == 0   ? "model_a"
		    : o == 1 ? "model_b"
			     : "tie");
		if (t != NULL && tally_add(t, a, b, (enum tally_outcome)o, 1.0,
				     TALLY_NOBODY) != ERR_OK)
			exit(71);
	}
}

/* Run argv, output thrown away, input from fd unless -1. */
static struct cost
run(char *const argv[], int fd)
{
	struct cost c = { 0 };
	struct rusage u;
	double start = now();
	int status = 0, null;
	pid_t pid = fork();

	if (pid == 0) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
		    (fd >= 0 && dup2(fd, STDIN_FILENO) < 0))
			_exit(71);
		(void)execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) < 0)
		exit(71);
	c.wall = now() - start;
	c.cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	c.kilobytes = u.ru_maxrss;
	c.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	return c;
}

/* The best of some runs of both, taken in turns so that noise hits both. */
static void
race(char *const a[], char *const b[], struct cost *ca, struct cost *cb)
{
	ca->wall = ca->cpu = cb->wall = cb->cpu = HUGE_VAL;
	for (int k = 0; k < REPEATS; k++) {
		struct cost x = run(a, -1), y = run(b, -1);

		if (x.code != 0 || y.code != 0) {
			(void)fprintf(stderr, "%s ended with %d, %s with %d\n",
			    a[0], x.code, b[0], y.code);
			exit(1);
		}
		ca->wall = fmin(ca->wall, x.wall);
		ca->cpu = fmin(ca->cpu, x.cpu);
		cb->wall = fmin(cb->wall, y.wall);
		cb->cpu = fmin(cb->cpu, y.cpu);
	}
}

/* Seconds and passes of one fit from nothing. */
static double
fit_seconds(const struct tally *t, unsigned *passes)
{
	double best = HUGE_VAL;

	for (int k = 0; k < 20; k++) {
		struct pairs p;
		struct bt_fit f;
		double start;

		if (pairs_open(t, PROMPTS, &p) != ERR_OK)
			exit(71);
		start = now();
		if (bt_fit(&p, NULL, &f) != ERR_OK)
			exit(70);
		best = fmin(best, now() - start);
		*passes = f.passes;
		bt_fit_release(&f);
		pairs_release(&p);
	}
	return best;
}

/* Ten million votes through a pipe: what does the process hold at most? */
static void
long_file(char *command)
{
	char *const argv[] = { command, (char[]){ "rate" }, (char[]){ "-" },
		NULL };
	struct cost c;
	int ends[2];
	pid_t pid;
	FILE *out;

	if (pipe(ends) != 0)
		exit(71);
	pid = fork();
	if (pid == 0) {
		(void)close(ends[0]);
		out = fdopen(ends[1], "w");
		write_votes(out, LONG_VOTES, NULL);
		_exit(fclose(out) != 0);
	}
	(void)close(ends[1]);
	c = run(argv, ends[0]);
	(void)close(ends[0]);
	(void)waitpid(pid, NULL, 0);
	printf("10 M votes from a pipe: exit %d, at most %.1f MB (bound 200)\n",
	    c.code, (double)c.kilobytes / 1024.0);
}

static void
peer(char *script, const struct cost *whole)
{
	char *const argv[] = { (char[]){ "/usr/bin/python3" }, script, path,
		NULL };
	struct cost c = run(argv, -1);

	if (c.code != 0) {
		puts("peer not installed (python3-numpy, python3-scipy)");
		return;
	}
	printf("numpy/scipy restatement (read, count, fit, sandwich): "
	       "%.1f x ours by wall, %.1f x by cpu\n",
	    c.wall / whole->wall, c.cpu / whole->cpu);
}

int
main(int argc, char **argv)
{
	char *command, rate[] = "rate", boot[] = "--intervals=bootstrap";
	char one[] = "--threads=1", two[] = "--threads=2";
	struct cost f, s, b1, b2;
	struct tally t;
	unsigned passes = 0;
	uint64_t votes = argc > 4 ? strtoull(argv[4], NULL, 10) : 1000000;
	double fit;
	int fd;

	if (argc < 4)
		return 64;
	command = argv[1];
	fd = mkstemp(path);
	if (fd < 0)
		return 74;
	FILE *out = fdopen(fd, "w");

	tally_init(&t, false);
	write_votes(out, votes, &t);
	if (fclose(out) != 0)
		return 74;
	fit = fit_seconds(&t, &passes);
	char *const floor_argv[] = { argv[2], path, NULL };
	char *const sandwich[] = { command, rate, path, NULL };
	char *const single[] = { command, rate, boot, one, path, NULL };
	char *const twice[] = { command, rate, boot, two, path, NULL };

	race(floor_argv, sandwich, &f, &s);
	printf("%llu votes, %d prompts; fit %u passes (bound 50)\n",
	    (unsigned long long)votes, PROMPTS, passes);
	printf("whole with sandwich: %.2f x the floor by wall, %.2f x by cpu "
	       "(bound 2)\n",
	    s.wall / f.wall, s.cpu / f.cpu);
	printf("the fit alone: %.3f x the floor\n", fit / f.wall);
	b1 = run(single, -1);
	b2 = run(twice, -1);
	printf("whole with 1000 rounds: %.2f x (3 floors + 1000 fits) on one "
	       "thread, %.2f x on two (bound 1)\n",
	    b1.wall / (3 * f.wall + 1000 * fit),
	    b2.wall / (3 * f.wall + 1000 * fit));
	printf("two threads: %.2f x as fast as one (bound 1.6)\n",
	    (b1.wall - s.wall) / (b2.wall - s.wall));
	peer(argv[3], &s);
	long_file(command);
	tally_release(&t);
	(void)unlink(path);
	return 0;
}
