#!/usr/bin/env bash
# Boards and pictures in the states they have to bear.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/page/states.sh"
. "$TESTS/vnu.sh"
export DIR
for state in ${STATES:-empty one ties islands many sample}; do
	arena_new && states_make "$state" ||
		{ echo "not ok 1 - the arena starts"; status=1; continue; }
	STATE=$state BASE=$BASE AUTH=$AUTH PA_BIN=$PA_BIN \
		node "$TESTS/browser/boards.cjs" || status=1
	for name in intervals wins types history days sides lengths; do
		curl -s "$BASE/plot/$name.svg" >"$OUT/$state-$name.svg"
	done
	arena_end
done
vnu_finish
