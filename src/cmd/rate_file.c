/* This file knows how to tell which reader a vote file needs. */
#include "config.h"

#include "cmd/rate_file.h"

#include <string.h>

enum err
rate_file_no_group(struct rate_data *data, uint64_t line,
    const struct rate_want *want, const char *others)
{
	if (rate_is_vote(rate_role_of(want, want->by, strlen(want->by))))
		return rate_data_fail(data, line, ERR_INVALID,
		    "\"%.60s\" is part of the vote itself and cannot group "
		    "votes (others can: %s)",
		    want->by, others);
	return rate_data_fail(data, line, ERR_INVALID,
	    "no column \"%.60s\" to group by (there are: %s)", want->by,
	    others);
}

enum err
rate_file_columns(struct rate_data *data, uint64_t line, const bool *has)
{
	const char *missing = NULL;

	if (!has[RATE_A])
		missing = "model_a, left or a";
	else if (!has[RATE_B])
		missing = "model_b, right or b";
	else if (!has[RATE_WINNER] &&
		 !(has[RATE_WIN] && has[RATE_LOSS] && has[RATE_TIE]))
		missing = "winner (or win, loss and tie)";
	if (missing != NULL)
		return rate_data_fail(data, line, ERR_INVALID,
		    "no column %s: not a vote file (see --help)", missing);
	return ERR_OK;
}

enum err
rate_read(
    const char *path, const struct rate_want *want, struct rate_data *data)
{
	struct rate_source s;
	const char *why;
	enum err e;

	memset(data, 0, sizeof(*data));
	data->path = strcmp(path, "-") == 0 ? "standard input" : path;
	tally_init(&data->tally, want->voters);
	if ((e = rate_source_open(&s, data, path)) != ERR_OK)
		goto out;
	if (s.at == s.end)
		e = rate_data_fail(data, 0, ERR_INVALID, "empty file");
	else if ((why = rate_source_refusal(&s)) != NULL)
		e = rate_data_fail(data, 1, ERR_INVALID, "%s", why);
	else if (s.json)
		e = rate_jsonl_read(&s, data, want);
	else
		e = rate_csv_read(&s, data, want);
	if (e == ERR_OK && rate_data_settle(data) != ERR_OK)
		e = rate_data_fail(data, 0, ERR_NOMEM, "out of memory");
	if (e == ERR_OK && data->tally.votes == 0)
		e = rate_data_fail(data, 0, ERR_INVALID, "no votes in it");
out:
	rate_source_close(&s);
	return e;
}
