/*
 * http_job - one request while it runs: its handle, copies and counters.
 *
 * Layer    port: seen by http.c and http_job.c alone.
 * Memory   a job owns copies of all that was asked; http_job_close wipes the
 *          headers (keys) and frees all.
 * Threads  made by the sender, then the HTTP thread's.
 */
#ifndef PA_HTTP_JOB_H
#define PA_HTTP_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "port/http.h"

struct http_job {
	struct http_job *next;
	uint64_t id;
	void *easy;    /* CURL *, or NULL when it cannot be sent */
	void *headers; /* struct curl_slist * */
	bool added;    /* to the multi */
	bool again;    /* it had its second connection */
	char *url, *ca_file, *proxy, *body;
	size_t body_n;
	struct http_request ask; /* numbers and switches; pointers unused */
	http_bytes *bytes;
	http_done *done;
	void *arg;
	struct http_result result;
	size_t head;     /* bytes of header so far */
	bool head_ended; /* of the final response: trailers follow */
	bool head_too_big, body_too_big, stopped, address_refused;
	int64_t last_byte_at; /* mono ms; 0: none yet */
	int64_t connected_at; /* a request is on its way; 0: not yet */
	int64_t enough_at;    /* the receiver has all; 0: not yet */
	char error[256];      /* CURLOPT_ERRORBUFFER */
};

/* NULL when out of memory.  What cannot be sent is found by _ready. */
struct http_job *http_job_open(const struct http_request *rq, http_bytes *bytes,
    http_done *done, void *arg);
void http_job_close(struct http_job *j);

/* False: result.why says why it cannot be sent. */
bool http_job_ready(struct http_job *j);

/* What a CURLcode of this job means. */
enum http_end http_job_end(struct http_job *j, int code);

/*
 * A kept connection that was closed just when it was used again, before a
 * byte came: true once, and the job is ready to go on a new connection.
 */
bool http_job_again(struct http_job *j, int code);

/* When it is late, and what it ends with then. */
int64_t http_job_deadline(const struct http_job *j, enum http_end *end);

/* Copy what the handle knows into the result, before it is removed. */
void http_job_measure(struct http_job *j);

#endif /* PA_HTTP_JOB_H */
