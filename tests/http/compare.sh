#!/usr/bin/env bash
# Is one really better?  The page, its JSON and prompt-arena rate --compare say
# the same of the same votes, pair by pair, and the methodology says why.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"
arena_new && states_make sample || { echo "not ok 1 - an arena starts"; exit 1; }
while IFS=$'\t' read -r name got wanted; do
	is "$name" "$got" "$wanted"
done < <(node "$TESTS/http/compare.cjs" "$BASE" "$DIR")
[ "$tap_n" -ge 20 ]
ok "pairs of every kind were compared" $?

get "$DIR/jar" "$BASE/methodology"
section=$(sed -n '/id="better"/,/<h2>/p' <<<"$BODY" | sed 's/<[^>]*>//g')
for piece in "ever reach 20 in at most 5 of 100" "5 in at most 20 of 100" \
    "e-value is 20 or more" "it is 5 or more" "between 45 and 55 of 100" \
    "prompt-arena rate --compare"; do
	has "the methodology says: $piece" "$section" "$piece"
done
tap_done
