#!/usr/bin/env bash
# Every page in the states of an arena: empty, provisional, official.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/vnu.sh"

state() { # NAME VOTES
	arena_new && arena_votes "$2" 7 ||
		{ echo "not ok 1 - the arena starts"; status=1; return; }
	STATE=$1 BASE=$BASE AUTH=$AUTH node "$TESTS/browser/pages.cjs" || status=1
	arena_end
}
state empty 0
state provisional 60
state official 2000

# The designed pages that nginx sends by itself are files.
cp "$PA_SRC"/htdocs/static/error/*.xhtml "$OUT/"
vnu_finish
