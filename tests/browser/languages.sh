#!/usr/bin/env bash
# Every page in every other language in a real browser: empty and with votes.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/vnu.sh"

state() { # NAME VOTES PAGES
	arena_new && arena_votes "$2" 7 ||
		{ echo "not ok 1 - the arena starts"; status=1; return; }
	LANGS=$(cd "$(sample_data)/templates" && for d in */; do echo "${d%/}"; done | xargs)
	STATE=$1 PAGES=$3 LANGS=$LANGS BASE=$BASE AUTH=$AUTH \
		node "$TESTS/browser/languages.cjs" || status=1
	arena_end
}
state empty 0 few
state official 2000 all

# The validator guesses a language from the words; answers are in any.
vnu_finish --no-langdetect
