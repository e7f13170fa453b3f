#!/usr/bin/env bash
# Questions that the model server fails on: one that it never can bear waits by
# itself and keeps nobody else's from being answered; people are told the truth.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/arena.db
sql() { sqlite3 -readonly -cmd '.timeout 5000' "$db" "$1"; }
ask() { # USER WORDS
	as "$1" GET /ta
	as "$1" POST /ta -d activity=everyone --data-urlencode "text=$2"
}
mood() { curl -s "http://127.0.0.1:$MODEL/mood/$1" >/dev/null; }
poisoned() { curl -s "http://127.0.0.1:$MODEL/count" | sed 's/.*"poison":\([0-9]*\).*/\1/'; }
left_alone() { sample_program status | grep -q '^endpoint.live open'; }
waiting() { sql "SELECT count(*) FROM tutor_message WHERE state = 'waiting'"; }
answered() { [ "$(sql "SELECT count(*) FROM tutor_message WHERE state = 'ok'")" = "$1" ]; }
tries() { [ "$(sql "SELECT delays FROM job WHERE kind = 'tutor' ORDER BY id LIMIT 1")" -ge "$1" ]; }

# Slow enough that a second between tries is within the breaker's window.
export PROMPT_ARENA_TEST_SPEED=10
sample_stop
node "$TESTS/http/model.cjs" 0 >"$DIR/model.port" 2>"$DIR/model.log" &
MODEL_PID=$!
trap 'kill "$MODEL_PID" 2>/dev/null; wait "$MODEL_PID" 2>/dev/null; arena_end' EXIT
sample_wait 120 test -s "$DIR/model.port"
MODEL=$(cat "$DIR/model.port")
sed -i 's|<setups>|<endpoints><endpoint id="live" url="http://127.0.0.1:'"$MODEL"'/v1" private-network="yes" first-byte="1" total="2"/></endpoints>\n  <setups>\n    <setup id="course" model="some-model" endpoint="live"/>|; s|<own-questions[^>]*/>|&<generation stock="0"/>|' "$CONF"
sed -i 's|</title>|</title><tutor setup="course" questions-per-day="0">You are a patient tutor.</tutor>|' "$DIR/conf/activities.xml"
sample_start || { echo "not ok - it starts with an AI TA"; exit 1; }

# It is the oldest; all fail until the server is left alone.
mood html503
ask alice "Is this poison?"
poison=${LOCATION%%#*}
ask alice "A first question?"
ask bob "A second question?"
sample_wait 120 left_alone
ok "a server that fails is left alone" $?
ask bob "Not tried yet?"
as bob GET "${LOCATION%%#*}"
has "which every page that waits for it says" "$BODY" "model server does not answer at the moment"
mood poison
sample_wait 120 answered 3
ok "others are answered, though what it cannot bear came first" $?
is "that one is kept" "$(waiting)" 1
as alice GET "$poison"
has "and its page says how it is" "$BODY" "failed when it was asked this"
before=$(poisoned)
sample_wait 120 tries 4
ok "it is tried again" $?
ask bob "A third question?"
sample_wait 120 answered 4
ok "and whoever asks now is answered" $?
tries=$(sql "SELECT delays FROM job WHERE kind = 'tutor' ORDER BY id LIMIT 1")
[ "$(poisoned)" -le "$((tries + before + 1))" ]
ok "every try of it counts" $?
mood ok
sample_wait 120 answered 5
ok "when the server can bear it it is answered too" $?

# Never in time: after two charges there is an end.
mood hold
ask bob "Will this take long?"
thread=${LOCATION%%#*}
given_up() { as bob GET "$thread?wait=1"; [[ $BODY == *"took too long"* ]]; }
sample_wait 120 given_up
ok "what is never answered in time ends with that reason" $?
has "and with what can be done" "$BODY" "Your question still stands above: ask it again later"
hasnt "not with blame" "$BODY" "in other words"
tap_done
