#!/usr/bin/env bash
# The page about voters says in its summary what its rows say.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"

judged() { get "$DIR/admin" "$AUTH/raters" -u admin:admin; [[ $BODY == *"<tbody"* ]]; }
plain() { tr '\n' ' ' <<<"$BODY" | sed -e 's/<[^>]*>//g' -e 's/  */ /g'; }
flagged() { grep -cE '^<td>(Stands|Prefers|Votes|Pushes|Failed)' <<<"$BODY"; }
listed() { grep -c '^<td>Stands out among all' <<<"$BODY"; }

arena_new && states_make lopsided || { echo "not ok 1 - an arena starts"; exit 1; }
sample_wait 600 judged; ok "voters are judged" $?
is "one voter prefers a side" "$(flagged)" 1
is "which among so many voters may be chance" "$(listed)" 0
has "and the summary counts that voter" "$(plain)" " 1 of them is worth a look."
has "who stands above all whom nothing is said of" \
	"$(grep -m 1 -A 3 '<tbody' <<<"$BODY")" "Prefers a side."
hasnt "nobody is said to count for nothing" "$(plain)" "count for nothing"
hasnt "and no number is nought" "$(plain)" " 0 "
arena_end

arena_new && states_make ties || { echo "not ok 1 - an arena starts"; exit 1; }
sample_wait 600 judged; ok "voters are judged" $?
is "ties alone flag nobody" "$(flagged)" 0
has "and the summary says so" "$(plain)" "None of them stands out."
tap_done
