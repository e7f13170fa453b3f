/*
 * This file knows how to fill a tried-out arena with votes of one pattern:
 *
 *	fill CONF plain|ties|islands|lopsided VOTES
 *
 * Lines go into the ledger and the ratings as a vote's do, among the versions
 * of the catalog; there are no matches behind them.  In "lopsided" one voter
 * more has fifteen votes, fourteen of them for the answer shown as A: more
 * than chance lets pass for one voter, less than it does among sixty.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "model/catalog.h"
#include "model/catalog_sync.h"
#include "model/conf.h"
#include "model/recount.h"
#include "model/store.h"
#include "port/crypt.h"
#include "port/db.h"
#include "port/xml.h"
#include "rate/num.h"
#include "rate/prng.h"

#define VERSIONS_MAX 2000
#define QUESTIONS_MAX 500
#define DAYS 40

struct fill {
	struct catalog *catalog;
	const struct conf *conf;
	const char *kind;
	long votes;
	struct prng g;
	char digest[VERSIONS_MAX][65];
	char slug[QUESTIONS_MAX][64], type[QUESTIONS_MAX][16];
	uint32_t versions, questions;
	struct elo_rule rule;
};

static enum err
read_catalog(struct db *db, struct fill *f)
{
	struct db_stmt *q =
	    db_stmt(db, "SELECT digest FROM version ORDER BY id");
	enum err e;

	while ((e = db_row(q)) == ERR_OK && f->versions < VERSIONS_MAX)
		memcpy(f->digest[f->versions++], db_str(q, 0, NULL).p, 64);
	if (e != ERR_NOTFOUND)
		return ERR_TOOBIG;
	q = db_stmt(db, "SELECT slug, type FROM question ORDER BY id");
	while ((e = db_row(q)) == ERR_OK && f->questions < QUESTIONS_MAX) {
		struct str slug = db_str(q, 0, NULL), type = db_str(q, 1, NULL);

		snprintf(
		    f->slug[f->questions], 64, "%.*s", (int)slug.n, slug.p);
		snprintf(
		    f->type[f->questions++], 16, "%.*s", (int)type.n, type.p);
	}
	return e == ERR_NOTFOUND ? ERR_OK : ERR_TOOBIG;
}

static enum vote_choice
choose(struct fill *f, uint32_t x, uint32_t y)
{
	double d = 2.5 * ((double)x - (double)y) / f->versions;
	double u = prng_unit(&f->g);

	if (strcmp(f->kind, "ties") == 0 || u < 0.15)
		return u < 0.05 ? VOTE_BOTH_POOR : VOTE_TIE;
	return prng_unit(&f->g) < num_sigmoid(d) ? VOTE_A : VOTE_B;
}

/* The votes of the voter who prefers a side. */
static bool
is_lopsided(const struct fill *f, long i)
{
	return strcmp(f->kind, "lopsided") == 0 && i % (f->votes / 15) == 0 &&
	       i / (f->votes / 15) < 15;
}

static enum err
vote(struct store_tx *tx, struct fill *f, long i)
{
	uint32_t islands = strcmp(f->kind, "islands") == 0 ? 2 : 1;
	uint32_t x = (uint32_t)prng_below(&f->g, f->versions), y;
	uint32_t q = (uint32_t)prng_below(&f->g, f->questions);
	bool counted = prng_below(&f->g, 20) != 0;
	char u[65], m[40];
	unsigned voter;
	struct ledger_entry e = { .kind = LEDGER_VOTE,
		.t = tx->now -
		     (int64_t)((double)DAYS * 86400 * (double)(f->votes - i) /
			       (double)f->votes),
		.question = str_of(f->slug[q]),
		.type = str_of(f->type[q]),
		.sa = 1,
		.sb = 1,
		.setup = str_of(f->conf->setups[0].digest),
		.activity = STR("everyone"),
		.counted = counted,
		.why = counted ? STR("") : STR("too_fast") };
	enum err err;

	do
		y = (uint32_t)prng_below(&f->g, f->versions);
	while (y == x || y % islands != x % islands);
	e.choice = choose(f, x, y);
	voter = (unsigned)prng_below(&f->g, 60);
	if (is_lopsided(f, i)) {
		voter = 60;
		e.choice = i == 0 ? VOTE_B : VOTE_A;
		e.counted = true;
		e.why = STR("");
	}
	e.va = str_of(f->digest[x]);
	e.vb = str_of(f->digest[y]);
	snprintf(u, sizeof(u), "%064x", 1 + voter);
	snprintf(m, sizeof(m), "m%ld", i);
	e.voter = str_of(u);
	e.match = str_of(m);
	err = ledger_stage(tx, &e);
	return err == ERR_OK ? recount_apply(tx, &e, &f->rule, NULL) : err;
}

static enum err
fill_fn(struct store_tx *tx, void *arg)
{
	struct fill *f = arg;
	bool changed;
	enum err e = recount_rule_set(tx->db, &f->rule, &changed);

	if (e == ERR_OK)
		e = catalog_sync(tx, f->catalog, f->conf);
	if (e == ERR_OK)
		e = read_catalog(tx->db, f);
	for (long i = 0; i < f->votes && e == ERR_OK; i++)
		e = vote(tx, f, i);
	return e;
}

int
main(int argc, char **argv)
{
	static struct fill f;
	struct pool *pool = pool_open(4u << 20);
	struct store *store = NULL;
	struct conf *conf = NULL;
	struct problems ps;
	enum err e = ERR_INVALID;

	xml_init();
	problems_init(&ps, pool);
	if (argc != 4 || crypt_init() != ERR_OK ||
	    conf_load(argv[1], &ps, &conf) != ERR_OK ||
	    catalog_load(conf, &ps, &f.catalog) != ERR_OK ||
	    clock_zone_set(conf->timezone.p) != ERR_OK)
		goto out;
	f.conf = conf;
	f.kind = argv[2];
	f.votes = strtol(argv[3], NULL, 10);
	f.rule = (struct elo_rule){ conf->k, conf->start, conf->scale };
	prng_init(&f.g, 11, 0);
	e = store_open(&store,
	    &(struct store_conf){
		.database = conf->database.p, .create = true, .elo = f.rule });
	if (e == ERR_OK)
		e = store_write(store, fill_fn, &f);
	store_close(store);
out:
	for (const struct problem *p = ps.first; p != NULL; p = p->next)
		fprintf(stderr, "%.*s:%d: %.*s\n", (int)p->file.n, p->file.p,
		    p->line, (int)p->what.n, p->what.p);
	if (f.catalog != NULL)
		catalog_close(f.catalog);
	conf_close(conf);
	pool_close(pool);
	if (e != ERR_OK)
		fprintf(stderr, "fill: %s\n", err_name(e));
	return err_exit_code(e);
}
