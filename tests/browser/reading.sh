#!/usr/bin/env bash
# Pages as a screen reader, a keyboard and a printer meet them.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/page/states.sh"
arena_new && states_make sample || { echo "not ok 1 - the arena starts"; exit 1; }
STATE=sample BASE=$BASE AUTH=$AUTH node "$TESTS/browser/reading.cjs"
status=$?
arena_end
exit $status
