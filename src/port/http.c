/* This file knows how to run HTTP requests on one thread that owns libcurl. */
#include "config.h"

#include "port/http.h"

#include <curl/curl.h>

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "port/http_job.h"

/* A quiet thread still looks at its deadlines this often. */
#define TURN_MAX_MS 1000
/* What may follow a complete answer before its connection is given up. */
#define ENOUGH_MS 300
#define KEPT_CONNECTIONS 16L

struct http {
	pthread_t thread;
	http_tick *tick;
	void *arg;
	CURLM *multi;           /* HTTP thread alone */
	struct http_job *jobs;  /* running; HTTP thread alone */
	pthread_mutex_t lock;   /* guards what follows, and multi's address */
	struct http_job *fresh; /* handed over, newest first */
	uint64_t *cancelled;
	size_t cancelled_n, cancelled_room;
	uint64_t next_id;
	bool stopping;
};

static void *run(void *arg);
static bool turn(struct http *h, int64_t *next);
static void take_fresh(struct http *h);
static void take_cancelled(struct http *h);
static void begin(struct http *h, struct http_job *j);
static void collect(struct http *h);
static int64_t apply_deadlines(struct http *h);
static void finish(struct http *h, struct http_job *j, enum http_end end);
static void end_all(struct http *h, enum http_end end);
static CURLM *new_multi(void);
static void rebuild(struct http *h);

enum err
http_init(void)
{
	const curl_version_info_data *v;
	const int need =
	    CURL_VERSION_SSL | CURL_VERSION_ASYNCHDNS | CURL_VERSION_THREADSAFE;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		log_error("libcurl does not start");
		return ERR_INTERNAL;
	}
	v = curl_version_info(CURLVERSION_NOW);
	if ((v->features & need) != need) {
		log_error("libcurl %s lacks TLS, resolving in the background "
			  "or safe start from threads",
		    v->version);
		curl_global_cleanup();
		return ERR_INTERNAL;
	}
	return ERR_OK;
}

void
http_shutdown(void)
{
	curl_global_cleanup();
}

enum err
http_start(struct http **out, http_tick *tick, void *arg)
{
	struct http *h = calloc(1, sizeof(*h));
	sigset_t all, before;
	int failed;

	if (h == NULL)
		return ERR_NOMEM;
	h->tick = tick;
	h->arg = arg;
	h->next_id = 1;
	h->multi = new_multi();
	if (h->multi == NULL) {
		free(h);
		return ERR_NOMEM;
	}
	(void)pthread_mutex_init(&h->lock, NULL);
	/* Signals are main's; SIGPIPE would kill us from inside OpenSSL. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&h->thread, NULL, run, h);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed != 0) {
		log_error("cannot start the HTTP thread: error %d", failed);
		(void)curl_multi_cleanup(h->multi);
		(void)pthread_mutex_destroy(&h->lock);
		free(h);
		return ERR_NOMEM;
	}
	*out = h;
	return ERR_OK;
}

void
http_stop(struct http *h)
{
	if (h == NULL)
		return;
	(void)pthread_mutex_lock(&h->lock);
	h->stopping = true;
	(void)curl_multi_wakeup(h->multi);
	(void)pthread_mutex_unlock(&h->lock);
	(void)pthread_join(h->thread, NULL);
	(void)curl_multi_cleanup(h->multi);
	(void)pthread_mutex_destroy(&h->lock);
	free(h->cancelled);
	free(h);
}

enum err
http_send(struct http *h, const struct http_request *rq, http_bytes *bytes,
    http_done *done, void *arg, uint64_t *id)
{
	struct http_job *j = http_job_open(rq, bytes, done, arg);

	if (j == NULL)
		return ERR_NOMEM;
	(void)pthread_mutex_lock(&h->lock);
	if (h->stopping) {
		(void)pthread_mutex_unlock(&h->lock);
		http_job_close(j);
		return ERR_CLOSED;
	}
	j->id = h->next_id++;
	if (id != NULL)
		*id = j->id;
	j->next = h->fresh;
	h->fresh = j;
	(void)curl_multi_wakeup(h->multi);
	(void)pthread_mutex_unlock(&h->lock);
	return ERR_OK;
}

void
http_cancel(struct http *h, uint64_t id)
{
	(void)pthread_mutex_lock(&h->lock);
	if (h->cancelled_n == h->cancelled_room) {
		size_t room = h->cancelled_room * 2 + 8;
		uint64_t *p = realloc(h->cancelled, room * sizeof(*p));

		if (p != NULL) {
			h->cancelled = p;
			h->cancelled_room = room;
		}
	}
	/* Without memory the deadline will end it. */
	if (h->cancelled_n < h->cancelled_room)
		h->cancelled[h->cancelled_n++] = id;
	(void)curl_multi_wakeup(h->multi);
	(void)pthread_mutex_unlock(&h->lock);
}

void
http_wake(struct http *h)
{
	(void)pthread_mutex_lock(&h->lock);
	(void)curl_multi_wakeup(h->multi);
	(void)pthread_mutex_unlock(&h->lock);
}

static void *
run(void *arg)
{
	struct http *h = arg;
	int64_t next = 0;

	while (turn(h, &next)) {
		int64_t wait = next - clock_mono_ms();

		if (wait < 0)
			wait = 0;
		if (wait > TURN_MAX_MS)
			wait = TURN_MAX_MS;
		/* poll, not wait: with nothing to wait for it still sleeps. */
		if (curl_multi_poll(h->multi, NULL, 0, (int)wait, NULL) !=
		    CURLM_OK)
			rebuild(h);
	}
	end_all(h, HTTP_CANCELLED);
	return NULL;
}

/* One round of everything; false when it is time to go. */
static bool
turn(struct http *h, int64_t *next)
{
	int running;
	int64_t at;
	bool stopping;

	take_fresh(h);
	take_cancelled(h);
	if (curl_multi_perform(h->multi, &running) != CURLM_OK)
		rebuild(h);
	collect(h);
	*next = apply_deadlines(h);
	if (h->tick != NULL) {
		at = h->tick(h->arg, clock_mono_ms());
		if (at < *next)
			*next = at;
	}
	(void)pthread_mutex_lock(&h->lock);
	stopping = h->stopping;
	if (h->fresh != NULL)
		*next = 0; /* a callback has sent something */
	(void)pthread_mutex_unlock(&h->lock);
	return !stopping;
}

static void
take_fresh(struct http *h)
{
	struct http_job *list, *in_order = NULL;

	(void)pthread_mutex_lock(&h->lock);
	list = h->fresh;
	h->fresh = NULL;
	(void)pthread_mutex_unlock(&h->lock);
	while (list != NULL) {
		struct http_job *j = list;

		list = j->next;
		j->next = in_order;
		in_order = j;
	}
	while (in_order != NULL) {
		struct http_job *j = in_order;

		in_order = j->next;
		begin(h, j);
	}
}

static void
take_cancelled(struct http *h)
{
	uint64_t *ids;
	size_t n;

	(void)pthread_mutex_lock(&h->lock);
	ids = h->cancelled;
	n = h->cancelled_n;
	h->cancelled = NULL;
	h->cancelled_n = h->cancelled_room = 0;
	(void)pthread_mutex_unlock(&h->lock);
	for (size_t i = 0; i < n; i++) {
		for (struct http_job *j = h->jobs; j != NULL; j = j->next) {
			if (j->id == ids[i]) {
				finish(h, j, HTTP_CANCELLED);
				break;
			}
		}
	}
	free(ids);
}

static void
begin(struct http *h, struct http_job *j)
{
	j->next = h->jobs;
	h->jobs = j;
	j->result.started_ms = clock_mono_ms();
	if (!http_job_ready(j)) {
		finish(h, j, HTTP_UNUSABLE);
		return;
	}
	if (curl_multi_add_handle(h->multi, j->easy) != CURLM_OK) {
		finish(h, j, HTTP_BROKEN);
		return;
	}
	j->added = true;
}

static void
collect(struct http *h)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left)) != NULL) {
		/* m dies when its handle is removed. */
		CURL *easy = m->easy_handle;
		CURLcode code = m->data.result;
		struct http_job *j = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		for (j = h->jobs; j != NULL && j->easy != easy; j = j->next)
			;
		assert(j != NULL);
		if (!http_job_again(j, code)) {
			finish(h, j, http_job_end(j, code));
			continue;
		}
		(void)curl_multi_remove_handle(h->multi, j->easy);
		j->added = curl_multi_add_handle(h->multi, j->easy) == CURLM_OK;
		if (!j->added)
			finish(h, j, HTTP_BROKEN);
	}
}

/* End what is late; when the next one will be. */
static int64_t
apply_deadlines(struct http *h)
{
	int64_t now = clock_mono_ms();
	int64_t next = INT64_MAX;
	struct http_job *j = h->jobs;

	while (j != NULL) {
		enum http_end end;
		struct http_job *after = j->next;
		int64_t at = http_job_deadline(j, &end);

		if (j->enough_at != 0 && j->enough_at + ENOUGH_MS < at) {
			at = j->enough_at + ENOUGH_MS;
			end = HTTP_DONE;
		}
		if (at <= now)
			finish(h, j, end);
		else if (at < next)
			next = at;
		/* A callback may send or cancel, but only this thread unlinks,
		 * and only the job it is about. */
		j = after;
	}
	return next;
}

/* Take j out of everything, tell its owner, free it. */
static void
finish(struct http *h, struct http_job *j, enum http_end end)
{
	for (struct http_job **at = &h->jobs; *at != NULL; at = &(*at)->next) {
		if (*at == j) {
			*at = j->next;
			break;
		}
	}
	http_job_measure(j);
	if (j->added)
		(void)curl_multi_remove_handle(h->multi, j->easy);
	j->added = false;
	j->result.end = end;
	j->result.ended_ms = clock_mono_ms();
	if (j->done != NULL)
		j->done(j->arg, &j->result);
	http_job_close(j);
}

static void
end_all(struct http *h, enum http_end end)
{
	struct http_job *list;

	while (h->jobs != NULL)
		finish(h, h->jobs, end);
	(void)pthread_mutex_lock(&h->lock);
	list = h->fresh;
	h->fresh = NULL;
	(void)pthread_mutex_unlock(&h->lock);
	while (list != NULL) {
		struct http_job *j = list;

		list = j->next;
		j->next = NULL;
		finish(h, j, end);
	}
}

static CURLM *
new_multi(void)
{
	CURLM *m = curl_multi_init();

	if (m == NULL)
		return NULL;
	(void)curl_multi_setopt(m, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	(void)curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, KEPT_CONNECTIONS);
	return m;
}

/*
 * After an error the multi handle is undefined: end what ran with "nobody
 * knows", and start anew.
 */
static void
rebuild(struct http *h)
{
	CURLM *anew = new_multi();
	CURLM *old = h->multi;

	log_error("libcurl's multi handle failed and is made anew");
	while (h->jobs != NULL)
		finish(h, h->jobs, HTTP_BROKEN);
	if (anew == NULL)
		abort(); /* out of memory at start-up size: let systemd restart
			  */
	(void)pthread_mutex_lock(&h->lock);
	h->multi = anew;
	(void)pthread_mutex_unlock(&h->lock);
	(void)curl_multi_cleanup(old);
}
