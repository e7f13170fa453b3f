/* This file knows how to word a vote and what became of it. */
#include "config.h"

#include "page/verdict.h"

struct view_message
verdict_choice(enum vote_choice c)
{
	return view_say(page_message("choice.", text_of(vote_choice_name(c))));
}

struct view_message
verdict_standing(bool counted, struct text why)
{
	const char *id = "standing.counted";

	if (!counted) {
		id = page_message("standing.", why);
		if (id == NULL)
			id = "standing.other";
	}
	return view_say(id);
}

struct view_message
verdict_receipt(struct text why)
{
	const char *id = page_message("receipt.", why);

	return view_say(id != NULL ? id : "receipt.other");
}
