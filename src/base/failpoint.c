/* This file knows how to fail on purpose, where and when a test asks. */
#include "config.h"

#include "base/failpoint.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"

enum {
	POINTS_MAX = 8,
	NAME_MAX_BYTES = 32
};

struct point {
	char name[NAME_MAX_BYTES];
	char action[8];
	int64_t at;     /* 0: always */
	int64_t passed; /* times */
};

static atomic_bool armed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct point points[POINTS_MAX];
static size_t points_n;

static void from_environment(void);
static void parse(struct str spec);
static bool copy(char *out, size_t room, struct str s);
static struct point *find(const char *name);

enum err
failpoint(const char *name)
{
	enum err e = ERR_OK;
	struct point *p;

	pthread_once(&once, from_environment);
	if (!atomic_load_explicit(&armed, memory_order_relaxed))
		return ERR_OK;
	pthread_mutex_lock(&lock);
	p = find(name);
	if (p != NULL && (++p->passed == p->at || p->at == 0)) {
		if (strcmp(p->action, "kill") == 0)
			(void)raise(SIGKILL);
		e = strcmp(p->action, "full") == 0 ? ERR_FULL : ERR_IO;
	}
	pthread_mutex_unlock(&lock);
	return e;
}

bool
failpoint_is_armed(const char *name)
{
	bool found;

	pthread_once(&once, from_environment);
	if (!atomic_load_explicit(&armed, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&lock);
	found = find(name) != NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

void
failpoint_arm(const char *spec)
{
	pthread_once(&once, from_environment);
	pthread_mutex_lock(&lock);
	parse(str_of(spec));
	pthread_mutex_unlock(&lock);
}

static void
from_environment(void)
{
	const char *spec = getenv("PROMPT_ARENA_FAILPOINT");

	if (spec != NULL && *spec != '\0') {
		log_warning("failing on purpose: %s", spec);
		parse(str_of(spec));
	}
}

static void
parse(struct str spec)
{
	points_n = 0;
	while (spec.p != NULL && spec.n > 0 && points_n < POINTS_MAX) {
		struct str one = str_cut(&spec, ',');
		struct str name = str_cut(&one, ':');
		struct str action = str_cut(&one, '@');
		struct point *p = &points[points_n];

		*p = (struct point){ .at = 0 };
		if (!copy(p->name, sizeof(p->name), name) ||
		    !copy(p->action, sizeof(p->action), action) ||
		    (one.p != NULL &&
			str_int(one, 1, INT64_MAX, &p->at) != ERR_OK)) {
			log_warning(
			    "not a failpoint: %.*s", (int)name.n, name.p);
			continue;
		}
		points_n++;
	}
	atomic_store(&armed, points_n > 0);
}

static bool
copy(char *out, size_t room, struct str s)
{
	if (s.p == NULL || s.n == 0 || s.n >= room)
		return false;
	memcpy(out, s.p, s.n);
	out[s.n] = '\0';
	return true;
}

static struct point *
find(const char *name)
{
	for (size_t i = 0; i < points_n; i++) {
		if (strcmp(points[i].name, name) == 0)
			return &points[i];
	}
	return NULL;
}
