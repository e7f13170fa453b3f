#!/usr/bin/env bash
# What one person may cause: money and own questions a day; and what an answer
# that repeats the letters hidden in its instruction comes to.
. "$(dirname "$0")/../arena.sh"

model() { curl -s -m 10 "http://127.0.0.1:$MODEL/$1"; }
count() { model count | node -pe "JSON.parse(require('fs').readFileSync(0)).$1"; }
db() { sqlite3 -cmd '.timeout 3000' -readonly "$DIR/arena.db" "$1"; }
WORK=$(mktemp -d "${TMPDIR:-/tmp}/model.XXXXXX")
node "$TESTS/http/model.cjs" 0 >"$WORK/port" 2>"$WORK/log" &
MODEL_PID=$!
sample_wait 120 test -s "$WORK/port"
MODEL=$(cat "$WORK/port")

sample_prepare_before=$(declare -f sample_prepare)
eval "${sample_prepare_before/sample_prepare/sample_prepare_plain}"
sample_prepare() {
	sample_prepare_plain
	echo '<answers xmlns="urn:prompt-arena:catalog:1"/>' >"$DIR/conf/answers.xml"
}
export PROMPT_ARENA_TEST_SPEED=60
arena_new \
	"s|<setup id=\"sample\" model=\"sample answers\"/>|<setup id=\"live\" model=\"stub-7b\" endpoint=\"stub\"/>|" \
	"s|<setups>|<endpoints><endpoint id=\"stub\" url=\"http://127.0.0.1:$MODEL/v1\" private-network=\"yes\" price-call=\"1\" total=\"20\" first-byte=\"20\"/></endpoints>\n  <setups>|" \
	"s|<own-questions[^>]*/>|<own-questions allowed=\"yes\" max-chars=\"60\" per-day=\"2\"/><generation samples=\"1\" stock=\"0\" queue=\"50\" per-person=\"40\" person-budget=\"7\"/><leaks canary=\"yes\"/>|" ||
	{ echo "not ok 1 - the arena starts"; cat "$DIR/serve.log"; exit 1; }
jar=$DIR/jar
settled() { # the match is no longer the waiting page
	get "$jar" "$MATCH"
	case $BODY in *"are being written"*) return 1 ;; esac
}
ask() { # JAR QUESTION
	get "$1" "$BASE/arena"
	post "$1" "$BASE/arena" -d type=knowledge --data-urlencode "question=$2" --data-urlencode "csrf=$(csrf)"
	MATCH=$(absolute "$LOCATION")
}
account() { db "SELECT voter FROM match ORDER BY id DESC LIMIT 1"; }

# ---- a question much too long comes back, however it is written
long_question() { # BYTES ESCAPED HOW_MANY CHARACTER
	get "$jar" "$BASE/arena"
	{ printf 'type=knowledge&csrf=%s&question=' "$(csrf)"
	  head -c "$3" /dev/zero | sed "s/\x00/$2/g"; } >"$DIR/long"
	post "$jar" "$BASE/arena" --data-binary "@$DIR/long"
	is "$3 characters of $1 bytes: status" "$STATUS" 400
	has "$3 characters of $1 bytes: what to do" "$BODY" "Make your question shorter"
	is "$3 characters of $1 bytes: all of it is kept" \
		"$(sed -n '/<textarea/,/<\/textarea>/p' "$DIR/body" | grep -o "$4" | wc -l)" "$3"
}
long_question 3 %E7%AD%94 20000 答
long_question 4 %F0%9F%A6%89 20000 🦉

# ---- letters that are hidden in each instruction
# Each of these matches is the first of its type, so no pair is ready for it.
model mood/canaryonce >/dev/null
new_match "$jar" "$BASE" coding
sample_wait 120 settled
has "an answer that repeats the hidden letters is written again" "$BODY" "<article"
is "once each" "$(count prompts | tr -d ' \n')" "[2,2]"
hidden=$(model count | node -pe "JSON.parse(require('fs').readFileSync(0)).hidden.join(' ')")
is "each instruction has letters of its own" "$(tr ' ' '\n' <<<"$hidden" | sort -u | grep -cE '^[a-z]{8}$')" 2
for letters in $hidden; do hasnt "none are shown ($letters)" "$BODY" "$letters"; done
CSRF=$(csrf); vote "$jar" a
has "the pair can be voted on" "$LOCATION" "/result"
is "and the vote counts" "$(db "SELECT counted FROM vote ORDER BY n DESC LIMIT 1")" 1
is "four requests are paid for" "$(db "SELECT spent FROM spend WHERE scope = 'account $(account)'")" 4.0

jar=$DIR/second
model reset >/dev/null; model mood/canary >/dev/null
new_match "$jar" "$BASE" knowledge
gone() { get "$jar" "$MATCH"; [ "$STATUS" = 410 ]; }
sample_wait 120 gone
ok "repeated twice, the match is void" $?
is "its answers are, with the reason" "$(db "SELECT DISTINCT state || ' ' || flags FROM answer WHERE state = 'void'")" "void block:canary"
for letters in $(model count | node -pe "JSON.parse(require('fs').readFileSync(0)).hidden.join(' ')"); do
	hasnt "the apology shows none either ($letters)" "$BODY" "$letters"
done
is "no answer was asked for a third time" "$(count 'prompts.every((n) => n <= 2)')" true

# ---- money: seven a person and day, a request costs one
jar=$DIR/third
model reset >/dev/null; model mood/ok >/dev/null
served=0
for type in writing reasoning creative; do
	new_match "$jar" "$BASE" $type
	sample_wait 120 settled
	case $BODY in *"<article"*) served=$((served + 1)) ;; esac
	CSRF=$(csrf); vote "$jar" a
done
spender=$(account)
is "three matches are paid for" "$served" 3
is "with six requests" "$(count requests)" 6
new_match "$jar" "$BASE" knowledge
sample_wait 120 gone
ok "the fourth cannot be paid for in full: an apology" $?
has "with a new match to try" "$BODY" "Start a new match"
[ "$(count requests)" -le 7 ]
ok "no more requests leave than the budget has room for" $?
is "nor is more spent" "$(db "SELECT spent + reserved <= 7 FROM spend WHERE scope = 'account $spender'")" 1
is "half a match is not shown" "$(grep -c '<article' "$DIR/body")" 0
jar=$DIR/fourth
ask "$jar" "Who else has to pay for that?"
sample_wait 120 settled
has "somebody else is not held up" "$BODY" "<article"

# ---- questions of one's own: length, number, for nobody else
jar=$DIR/fifth
long=$(printf 'x%.0s' {1..61})
ask "$jar" "$long"
is "61 characters where 60 may be are refused" "$STATUS" 400
has "and stay in the field" "$BODY" "$long"
ask "$jar" "Too short"
is "nine characters are refused" "$STATUS" 400
ask "$jar" "$(printf '題%.0s' {1..60})"
is "60 characters count as 60, whatever their bytes" "$STATUS" 303
sample_wait 120 settled
CSRF=$(csrf); vote "$jar" a
owner=$(account)
ask "$jar" "Why is my own zymurgy sour?"
mine=$MATCH
is "the second question is taken" "$STATUS" 303
sample_wait 120 settled
CSRF=$(csrf); vote "$jar" b
requests=$(count requests)
ask "$jar" "Why is the third one refused?"
is "the third of a day is not" "$STATUS" 429
has "and the page says so" "$BODY" "cannot be answered right now"
is "nothing is asked for it" "$(count requests)" "$requests"
is "nothing is stored of it" "$(db "SELECT count(*) FROM question WHERE owner = $owner")" 2
for i in $(seq 1 8); do
	jar=$DIR/reader$i
	new_match "$jar"
	sample_wait 120 settled
	hasnt "reader $i is not shown it" "$BODY" "zymurgy"
	get "$jar" "$mine"
	is "nor can they open that match" "$STATUS" 404
done
for page in /leaderboard /leaderboard.json /ledger.jsonl /methodology /forum; do
	get "$DIR/nobody" "$BASE$page"
	hasnt "$page does not tell it" "$BODY" "zymurgy"
done
is "no match of anybody else has it" "$(db "SELECT count(*) FROM match m JOIN question q ON q.id = m.question WHERE q.owner IS NOT NULL AND q.owner <> m.voter")" 0
sample_stop
is "a stop is clean" "$SAMPLE_STATUS" 0
hasnt "nothing was wrong in memory" "$(cat "$DIR/serve.log")" "Sanitizer"
arena_end
kill "$MODEL_PID"
wait "$MODEL_PID" 2>/dev/null
rm -rf "$WORK"
tap_done
