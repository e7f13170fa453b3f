#!/usr/bin/env bash
# What a picture's title claims is what the numbers beside it show, in arenas
# where a careless title would claim too much.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"
for state in ties islands sample; do
	arena_new && states_make "$state" ||
		{ ok "an arena of $state starts" 1; continue; }
	while IFS=$'\t' read -r name wanted; do
		get "$DIR/jar" "$BASE/plot/$name.svg"
		title=$(grep -oE '<title[^>]*>[^<]*' <<<"$BODY" | head -n 1)
		is "$state: $name" "${title#*>}" "$wanted"
	done < <(node "$TESTS/http/findings.cjs" "$BASE")
	[ "$state" = sample ] || arena_end
done
is "every picture of every state was looked at" "$tap_n" 12

# The line by days depends on the order of the days: nobody calls it order-free.
named() { # WHAT TEXT
	has "$1 calls the line what it is" "$2" "By days (Glicko)"
	hasnt "$1 does not call it order-free" "$2" ">Order-free<"
}
get "$DIR/jar" "$BASE/plot/history.svg"
named "the picture" "$BODY"
get "$DIR/jar" "$BASE/prompt/socratic"
named "the card" "$(sed -n '/id="history-h"/,/<\/figure>/p' <<<"$BODY")"
get "$DIR/jar" "$BASE/pictures"
named "its table" "$(sed -n '/id="history"/,/<\/figure>/p' <<<"$BODY")"
get "$DIR/jar" "$BASE/plot/history.csv"
is "the file's columns" "$(head -n 1 <<<"$BODY" | tr -d '\r\357\273\277')" \
	"day,elo,glicko,deviation,simulated"
get "$DIR/jar" "$BASE/methodology"
has "the methodology says what it is" "$(tr '\n' ' ' <<<"$BODY" | sed 's/<[^>]*>//g')" \
	"rating over time has a third rating, by days (Glickman 1999)"

# Beside a filtered board a picture says what its numbers are of.
of() { sed 's/"rows".*//' <<<"$BODY" | grep -oE '"(type|tag|activity)":"[^"]*"' | xargs; }
get "$DIR/jar" "$BASE/plot/sides.json?type=coding&tag=concise"
is "sides are of one type, and of every prompt" "$(of)" "type:coding"
is "which the row says too" "$(grep -oE '"rows":\[\{"type":"[^"]*"' <<<"$BODY")" '"rows":[{"type":"coding"'
get "$DIR/jar" "$BASE/plot/intervals.json?type=coding&tag=concise&activity=everyone"
is "ratings are of all that is asked for" "$(of)" "type:coding tag:concise activity:everyone"
get "$DIR/jar" "$BASE/plot/types.json?type=coding&tag=concise"
is "the types are all there" "$(of)" "tag:concise"
get "$DIR/jar" "$BASE/plot/days.json?type=coding&tag=concise"
is "days are those of the site" "$(of)" ""
get "$DIR/jar" "$BASE/pictures?type=coding&tag=concise"
has "and have one address" "$BODY" 'href="/plot/days.csv"'
has "others keep the filters" "$BODY" 'href="/plot/sides.csv?type=coding&amp;tag=concise"'
has "their words say so" "$BODY" "All votes of this site by day"
has "the page says which prompts are drawn" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "Only prompts with the tag “concise” are drawn"
get "$DIR/jar" "$BASE/leaderboard?tag=concise"
has "as the board says among whom its places are" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "places are those among them"
xmllint --noout --nonet "$DIR/body"
ok "which is well-formed" $?
get "$DIR/jar" "$BASE/leaderboard"
hasnt "and only then" "$BODY" "places are those among them"
tap_done
