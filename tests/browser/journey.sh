#!/usr/bin/env bash
# A visitor's way through the arena in Chromium and Firefox.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
export BASE AUTH
node "$TESTS/browser/journey.cjs"
tap_failed=$?
exit $tap_failed
