/* This file knows how to give monitors their numbers. */
#include "config.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "model/conf.h"
#include "model/store.h"
#include "model/vote.h"
#include "model/works.h"
#include "page/app.h"
#include "page/handlers.h"
#include "page/req.h"

static void say(struct req *, const char *name, const char *type,
    const char *help, int64_t value);
static void say_votes(struct req *);
static int64_t wal_bytes(struct req *);

/* GET /metrics: Prometheus text.  Who may see it says <access>. */
enum err
pg_metrics(struct req *rq)
{
	struct site *s = rq->site;
	struct site_seats seats;
	enum err e;

	buf_z(rq->out, "# HELP prompt_arena_requests_total Requests answered, "
		       "by class of status.\n"
		       "# TYPE prompt_arena_requests_total counter\n");
	for (size_t i = 1; i < SITE_CLASSES; i++)
		buf_printf(rq->out,
		    "prompt_arena_requests_total{status=\"%zuxx\"} %" PRIu64
		    "\n",
		    i, (uint64_t)atomic_load(&s->answered[i]));
	if (s->seats != NULL) {
		s->seats(s->seats_ctx, &seats);
		say(rq, "workers_busy", "gauge", "Requests being answered now.",
		    seats.busy);
		say(rq, "requests_waiting", "gauge",
		    "Requests that wait for a worker.", seats.waiting);
		say(rq, "requests_shed_total", "counter",
		    "Requests turned away because too many waited.",
		    seats.shed);
		say(rq, "requests_timed_out_total", "counter",
		    "Requests cut off because the peer was slow.",
		    seats.timed_out);
	}
	say(rq, "workers", "gauge", "Requests that can be answered at once.",
	    rq->conf->workers);
	say_votes(rq);
	say(rq, "ledger_lines", "counter",
	    "Last line of the ledger that is on the disk.",
	    store_durable_seq(s->store));
	say(rq, "votes_halted", "gauge", "1 while votes cannot be stored.",
	    store_is_halted(s->store));
	say(rq, "wal_bytes", "gauge", "Size of the write-ahead log.",
	    wal_bytes(rq));
	works_metrics(s->works, rq->db, rq->conf, rq->out);
	e = resp_data(rq, "text/plain; version=0.0.4; charset=utf-8", NULL);
	rq->resp.has_etag = false;
	return e;
}

static void
say(struct req *rq, const char *name, const char *type, const char *help,
    int64_t value)
{
	buf_printf(rq->out,
	    "# HELP prompt_arena_%s %s\n# TYPE prompt_arena_%s %s\n"
	    "prompt_arena_%s %" PRId64 "\n",
	    name, help, name, type, name, value);
}

/* By reason, so that a rule that shuts out too many is seen. */
static void
say_votes(struct req *rq)
{
	int64_t n[VOTE_WHY__MAX];

	if (vote_count(rq->db, n) != ERR_OK)
		return;
	buf_z(rq->out, "# HELP prompt_arena_votes_total Votes stored, by why "
		       "they do not count (none: they count).\n"
		       "# TYPE prompt_arena_votes_total counter\n");
	for (size_t i = 0; i < VOTE_WHY__MAX; i++)
		buf_printf(rq->out,
		    "prompt_arena_votes_total{why=\"%s\"} %" PRId64 "\n",
		    i == VOTE_COUNTED ? "none"
				      : vote_why_name((enum vote_why)i),
		    n[i]);
}

/* Looked at by name: opening it would end SQLite's locks. */
static int64_t
wal_bytes(struct req *rq)
{
	struct str path = pool_printf(rq->pool, "%s-wal", rq->conf->database.p);
	struct stat st;

	return stat(path.p, &st) == 0 ? (int64_t)st.st_size : 0;
}
