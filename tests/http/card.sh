#!/usr/bin/env bash
# A prompt's card: short sentences, no nought where a word belongs, opponents
# that were really the best and the worst, and why votes are not counted.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"
for state in sample lopsided one; do
	arena_new && states_make "$state" ||
		{ ok "an arena of $state starts" 1; continue; }
	while IFS=$'\t' read -r name got wanted; do
		is "$state: $name" "$got" "$wanted"
	done < <(node "$TESTS/http/card.cjs" "$BASE")
	arena_end
done
[ "$tap_n" -ge 60 ]
ok "cards of every kind were read" $?
tap_done
