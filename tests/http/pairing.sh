#!/usr/bin/env bash
# The pairing policy in force: what is drawn, what is stored, what is said.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/page/states.sh"

db() { sqlite3 -readonly "$DIR/arena.db" "$1"; }

arena_new 's|<pairing[^>]*/>||; s|</elo>||; s|<catalog |<pairing policy="informative"/>\n<catalog |' &&
	states_make sample || { echo "not ok 1 - the arena starts"; exit 1; }
before=$(db 'SELECT max(id) FROM match')
for i in 1 2 3 4 5 6; do
	new_match "$DIR/voter-$i"
	vote "$DIR/voter-$i" a
done
new="FROM match WHERE id > $before"
is "six matches were made" "$(db "SELECT count(*) $new")" 6
is "by the informative policy" "$(db "SELECT DISTINCT policy $new")" informative
is "each with a probability of its own" "$(db "SELECT count(*) $new AND probability > 0 AND probability < 1")" 6
is "which follow from the votes: they are not all alike" "$(db "SELECT count(DISTINCT probability) > 1 $new")" 1
get "$DIR/reader" "$BASE/methodology"
has "the methodology says so" "$BODY" "would narrow the doubt"
has "and that a tenth is uniform" "$BODY" "One draw in ten is uniform"
hasnt "and not that all are as likely" "$BODY" "every possible pair being equally likely"
has "the citation too" "$BODY" "with recorded probabilities"
arena_end

arena_new || exit 1
new_match "$DIR/voter"
is "by default the policy is random" "$(db 'SELECT policy FROM match')" random
get "$DIR/reader" "$BASE/methodology"
has "and the methodology says that" "$BODY" "every possible pair being equally likely"
hasnt "alone" "$BODY" "would narrow the doubt"
arena_end
tap_done
