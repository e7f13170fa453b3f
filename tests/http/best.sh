#!/usr/bin/env bash
# The AI TA instructed by the best official prompt: its replies say which one,
# with the board's own numbers, and follow the board.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
sample_stop
node "$TESTS/http/model.cjs" 0 >"$DIR/model.port" 2>"$DIR/model.log" &
MODEL_PID=$!
trap 'kill "$MODEL_PID" 2>/dev/null; wait "$MODEL_PID" 2>/dev/null; arena_end' EXIT
sample_wait 120 test -s "$DIR/model.port"
model=http://127.0.0.1:$(cat "$DIR/model.port")
sed -i 's|<setups>|<endpoints><endpoint id="live" url="'"$model"'/v1" private-network="yes"/></endpoints>\n  <setups>|; s|</setups>|<setup id="live" model="some-model" endpoint="live"/>\n  </setups>|' "$CONF"
sed -i 's|</title>|</title><tutor setup="live" best="any" file="tutor.txt" questions-per-day="0"/>|' "$DIR/conf/activities.xml"
as() { # METHOD PATH [curl arguments...]
	local method=$1 path=$2
	shift 2
	case $method in
	POST) post "$DIR/alice" "$AUTH$path" -u alice:alice --data-urlencode "csrf=$CSRF" "$@" ;;
	*) get "$DIR/alice" "$AUTH$path" -u alice:alice "$@"; CSRF=$(csrf) ;;
	esac
}
replied() { as GET "$thread?wait=1"; [[ $BODY == *"A plain account, number"* ]]; }
ask() { # QUESTION: until its reply stands on the page
	as GET /ta
	as POST /ta -d activity=everyone --data-urlencode "text=$1"
	thread=${LOCATION%%#*}
	sample_wait 120 replied
}
# What the board says of its first row that is not retired: its title, and
# the sentence of a reply made of it.
first() {
	as GET /leaderboard.json
	node -e '
const b = JSON.parse(require("fs").readFileSync(process.argv[1]));
const r = b.official.find((r) => r.slug !== process.argv[2]);
if (!r || r.order_free_lower === undefined) process.exit(1);
console.log(r.slug + "\n" + r.title + "\n" + `, version ${r.version}, the best official one when it replied: ` +
	`Elo ${Math.round(r.elo)}; order-free ${Math.round(r.order_free)}, 95 % interval ` +
	`${Math.round(r.order_free_lower)} to ${Math.round(r.order_free_upper)}.`);
' "$DIR/body" "${1-}" >"$DIR/first" || return 1
	{ read -r slug; read -r title; read -r words; } <"$DIR/first"
}
said() { tr '\n' ' ' <"$DIR/body" | sed 's/<[^>]*>//g'; }

sample_start || { echo "not ok 1 - it starts with an AI TA"; exit 1; }
ask "Who are you?"
ok "before there is a best prompt the AI TA replies" $?
hasnt "as its file says" "$BODY" "Instructed by the prompt"
arena_votes 600 1
ok "votes make a board" $?
sample_wait 120 first
ok "somebody is first, with an interval" $?
best=$slug
ask "And now?"
ok "the AI TA replies again" $?
has "the page says by which prompt, with the board's numbers" "$(said)" "Instructed by the prompt $title$words"
has "and leads to its card" "$BODY" "href=\"/prompt/$best\""
xmllint --noout --nonet "$DIR/body"
ok "on a well-formed page" $?
old=$thread was="$title$words"

# The board changes: its first prompt is withdrawn.
sed -i "s|<prompt id=\"$best\"|& retired=\"yes\"|" "$DIR/conf/prompts.xml"
kill -HUP "$SERVE_PID"
second() { first "$best" && ask "And after that?" && [[ $(said) == *"Instructed by the prompt $title$words"* ]]; }
sample_wait 120 second
ok "the next one instructs when the first is withdrawn" $?
as GET "$old"
has "an earlier reply still says who instructed it" "$(said)" "Instructed by the prompt $was"
tap_done
