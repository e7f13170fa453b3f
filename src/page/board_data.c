/* This file knows how to give leaderboards and votes to other programs. */
#include "config.h"

#include <math.h>

#include "base/clock.h"
#include "model/board.h"
#include "model/ledger.h"
#include "model/store.h"
#include "page/app.h"
#include "page/board_query.h"
#include "page/handlers.h"
#include "page/req.h"
#include "port/json.h"

#define LEDGER_PIECE ((size_t)256 * 1024)

static void json_row(struct js_out *, const struct board_row *);
static void csv_row(struct buf *, const char *section, const struct board_row *,
    bool simulated);
static enum err more_lines(struct req *, struct buf *, int64_t *at);

/* GET /leaderboard.json: formats.md, leaderboard.json. */
enum err
pg_leaderboard_json(struct req *rq)
{
	struct board_query q;
	struct js_out o;
	struct board b;
	bool simulated;
	char when[32];
	enum err e;

	if ((e = board_query_load(rq, true, &q, &b)) != ERR_OK ||
	    (e = arena_is_simulated(rq->db, &simulated)) != ERR_OK)
		return e;
	clock_iso(b.generated, when, sizeof(when));
	js_begin(&o, rq->out);
	js_put_object(&o, NULL);
	js_put_int(&o, "schema", 1);
	js_put_bool(&o, "simulated", simulated);
	js_put_int(&o, "last_seq", b.last_seq);
	js_put_str(&o, "generated", str_of(when));
	js_put_real(&o, "k", b.k);
	js_put_real(&o, "start", b.start);
	js_put_int(&o, "minimum", b.minimum);
	js_put_text(&o, "setup", b.setup);
	js_put_text(&o, "type", b.type);
	js_put_text(&o, "tag", b.tag);
	js_put_text(&o, "activity", b.activity);
	js_put_int(&o, "matches", b.matches);
	if (b.voters != BOARD_NO_INT)
		js_put_int(&o, "voters", b.voters);
	if (b.interval_seq > 0)
		js_put_int(&o, "interval_seq", b.interval_seq);
	if (b.weighted_seq > 0)
		js_put_int(&o, "weighted_seq", b.weighted_seq);
	js_put_array(&o, "official");
	for (size_t i = 0; i < b.official_n; i++)
		json_row(&o, &b.official[i]);
	js_end(&o);
	js_put_array(&o, "provisional");
	for (size_t i = 0; i < b.provisional_n; i++)
		json_row(&o, &b.provisional[i]);
	js_end(&o);
	js_end(&o);
	buf_c(rq->out, '\n');
	return resp_data(rq, "application/json", NULL);
}

/* GET /leaderboard.csv */
enum err
pg_leaderboard_csv(struct req *rq)
{
	struct board_query q;
	struct board b;
	bool simulated;
	enum err e;

	if ((e = board_query_load(rq, true, &q, &b)) != ERR_OK ||
	    (e = arena_is_simulated(rq->db, &simulated)) != ERR_OK)
		return e;
	/* Spreadsheets take UTF-8 for what it is only behind this mark. */
	buf_z(rq->out, "\xef\xbb\xbf");
	buf_z(rq->out,
	    "section,slug,title,version,digest,tags,rank_from,rank_to,elo,"
	    "lower,upper,matches,wins,losses,ties,both_poor,not_counted,"
	    "change,order_free,order_free_lower,order_free_upper,weighted,"
	    "expected,median_words,group,separable,settled,simulated\r\n");
	for (size_t i = 0; i < b.official_n; i++)
		csv_row(rq->out, "official", &b.official[i], simulated);
	for (size_t i = 0; i < b.provisional_n; i++)
		csv_row(rq->out, "provisional", &b.provisional[i], simulated);
	return resp_data(
	    rq, "text/csv; charset=utf-8", "prompt-arena-leaderboard.csv");
}

/* GET /ledger.jsonl?from=N: every vote, without people, questions, times. */
enum err
pg_ledger(struct req *rq)
{
	int64_t at = 1;
	struct text from;
	enum err e;

	if ((e = form_word(&rq->query, "from", &from)) != ERR_OK ||
	    (from.p != NULL && (e = str_int((struct str){ from.p, from.n }, 1,
				    INT64_MAX, &at)) != ERR_OK))
		return e;
	if ((e = more_lines(rq, rq->out, &at)) != ERR_OK)
		return e;
	if (at != 0) {
		rq->resp.more = more_lines;
		rq->resp.at = at;
	}
	return resp_data(rq, "application/x-ndjson; charset=utf-8", NULL);
}

static enum err
more_lines(struct req *rq, struct buf *out, int64_t *at)
{
	int64_t next = 0;
	enum err e = ledger_public_page(rq->db, *at,
	    store_durable_seq(rq->site->store), LEDGER_PIECE, out, &next);

	if (e == ERR_OK)
		*at = next;
	return e;
}

static void
json_row(struct js_out *o, const struct board_row *r)
{
	js_put_object(o, NULL);
	js_put_text(o, "slug", r->slug);
	js_put_text(o, "title", r->title);
	js_put_int(o, "version", r->version);
	js_put_text(o, "digest", r->digest);
	js_put_array(o, "tags");
	for (size_t i = 0; i < r->tags_n; i++)
		js_put_text(o, NULL, r->tags[i].tag);
	js_end(o);
	if (r->official) {
		js_put_int(o, "rank_from", r->rank_from);
		js_put_int(o, "rank_to", r->rank_to);
	}
	js_put_real(o, "elo", r->elo);
	js_put_real(o, "lower", r->lower);
	js_put_real(o, "upper", r->upper);
	js_put_int(o, "matches", r->matches);
	js_put_int(o, "wins", r->wins);
	js_put_int(o, "losses", r->losses);
	js_put_int(o, "ties", r->ties);
	js_put_int(o, "both_poor", r->both_poor);
	js_put_int(o, "not_counted", r->not_counted);
	js_put_real(o, "change", r->change);
	js_put_real(o, "order_free", r->order_free);
	js_put_real(o, "order_free_lower", r->order_free_lower);
	js_put_real(o, "order_free_upper", r->order_free_upper);
	js_put_real(o, "weighted", r->weighted);
	js_put_real(o, "expected", r->expected);
	js_put_real(o, "median_words", r->length);
	if (r->group != BOARD_NO_INT) {
		js_put_int(o, "group", r->group);
		js_put_bool(o, "separable", r->separable);
	}
	if (r->official)
		js_put_bool(o, "settled", !r->unsettled);
	js_end(o);
}

static void
csv_text(struct buf *b, struct text t)
{
	buf_csv(b, (struct str){ t.p, t.n });
	buf_c(b, ',');
}

static void
csv_real(struct buf *b, double v)
{
	if (!isnan(v))
		buf_real(b, v);
	buf_c(b, ',');
}

static void
csv_row(struct buf *b, const char *section, const struct board_row *r,
    bool simulated)
{
	buf_z(b, section);
	buf_c(b, ',');
	csv_text(b, r->slug);
	csv_text(b, r->title);
	buf_int(b, r->version);
	buf_c(b, ',');
	csv_text(b, r->digest);
	for (size_t i = 0; i < r->tags_n; i++) {
		if (i > 0)
			buf_c(b, ' ');
		buf_csv(b, (struct str){ r->tags[i].tag.p, r->tags[i].tag.n });
	}
	buf_c(b, ',');
	if (r->official)
		buf_printf(b, "%lld,%lld,", (long long)r->rank_from,
		    (long long)r->rank_to);
	else
		buf_z(b, ",,");
	csv_real(b, r->elo);
	csv_real(b, r->lower);
	csv_real(b, r->upper);
	buf_printf(b, "%lld,%lld,%lld,%lld,%lld,%lld,", (long long)r->matches,
	    (long long)r->wins, (long long)r->losses, (long long)r->ties,
	    (long long)r->both_poor, (long long)r->not_counted);
	csv_real(b, r->change);
	csv_real(b, r->order_free);
	csv_real(b, r->order_free_lower);
	csv_real(b, r->order_free_upper);
	csv_real(b, r->weighted);
	csv_real(b, r->expected);
	csv_real(b, r->length);
	if (r->group != BOARD_NO_INT)
		buf_printf(b, "%lld,%d,", (long long)r->group, r->separable);
	else
		buf_z(b, ",,");
	buf_printf(b, "%s,%d\r\n",
	    !r->official   ? ""
	    : r->unsettled ? "0"
			   : "1",
	    simulated);
}
