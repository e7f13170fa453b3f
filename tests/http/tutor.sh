#!/usr/bin/env bash
# The AI TA over HTTP: questions are kept, private, limited, and waited for.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/arena.db
sql() { sqlite3 -readonly -cmd '.timeout 5000' "$db" "$1"; }
sound_page() { # NAME
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$1 is well-formed" $?
}

get "$DIR/nobody" "$BASE/"
hasnt "without an AI TA there is no link to one" "$BODY" '"/ta"'
get "$DIR/nobody" "$BASE/ta"
has "and its page says so" "$BODY" "No activity that is open to you"

# With one; its server is away until further down.
model_start() { # PORT
	rm -f "$DIR/model.port"
	node "$TESTS/http/model.cjs" "$1" >"$DIR/model.port" 2>"$DIR/model.log" &
	MODEL_PID=$!
	sample_wait 120 test -s "$DIR/model.port"
	MODEL=$(cat "$DIR/model.port")
}
model_stop() { kill "$MODEL_PID" 2>/dev/null; wait "$MODEL_PID" 2>/dev/null; }
delayed() { [ "$(sql "SELECT delayed FROM tutor_message WHERE id = 1")" = 1 ]; }
answered() { [ "$(sql "SELECT count(*) FROM tutor_message WHERE state = 'waiting'")" = 0 ]; }
export PROMPT_ARENA_TEST_SPEED=60
model_start 0
model_stop
trap 'model_stop; arena_end' EXIT
sample_stop
sed -i 's|<setups>|<endpoints><endpoint id="away" url="http://127.0.0.1:'"$MODEL"'/v1" private-network="yes"/></endpoints>\n  <setups>\n    <setup id="course" model="some-model" endpoint="away"/>|' "$CONF"
sed -i 's|</title>|</title><tutor setup="course" questions-per-day="3">You are a patient tutor.</tutor>|' "$DIR/conf/activities.xml"
sample_start || { echo "not ok - it starts with an AI TA"; exit 1; }
for user in alice bob; do as "$user" GET /preferences; as "$user" POST /preferences -d ta_desktop=1 -d sound=1; done
as alice GET /ta
is "the AI TA's page answers" "$STATUS" 200
has "the header leads to it" "$BODY" 'href="/ta" aria-current="page">AI TA'
has "it says how many questions are left" "$BODY" "You can ask 3 more questions today"
sound_page "the first page"
as alice POST /ta -d activity=everyone -d text=
is "an empty question is refused" "$STATUS" 400
has "by name" "$BODY" "Write your question first."
as alice POST /ta -d activity=everyone --data-urlencode "text=$(head -c 9000 /dev/zero | tr '\0' y)"
is "a question that is too long is refused" "$STATUS" 400
has "and kept" "$BODY" "yyyyyyyyyyyyyyyyyyyyyyyy"
post "$DIR/alice" "$AUTH/ta" -u alice:alice -d csrf=no -d activity=everyone -d 'text=Asked long ago'
is "with a token that does not fit it is not taken" "$STATUS" 403
has "but kept in the form" "$BODY" ">Asked long ago</textarea>"
has "which says so" "$BODY" "Nothing has been sent yet"
is "and not asked" "$(sql 'SELECT count(*) FROM tutor_message')" 0
as alice POST /ta -d activity=everyone -d form=q1 --data-urlencode 'text=How do <b>hash tables</b> grow?'
is "a question is taken" "$STATUS" 303
thread=${LOCATION%%#*}
[[ $thread =~ ^/ta/[a-z2-7]{26}$ ]]
ok "under a token" $?
as alice POST /ta -d activity=everyone -d form=q1 -d text=again
is "the same form leads to it" "${LOCATION%%#*}" "$thread"
is "it is a job" "$(sql "SELECT count(*) FROM job WHERE kind = 'tutor'")" 1
as alice GET "$thread"
is "the page waits" "$STATUS" 200
has "and looks again without script" "$HEADERS" "efresh: 5; url=$thread?wait=1"
has "it says what happens" "$BODY" "listed under Notices"
has "the script knows that it waits" "$BODY" 'data-waits="data-waits"'
sound_page "the waiting page"
as alice GET "$thread" -b pa_script=1
has "with script the page leaves it to that" "$HEADERS" "efresh: 30;"
as alice GET /notices.json
has "something is awaited: poll every 3 s" "$BODY" '"awaiting":1'
post "$DIR/alice" "$AUTH$thread" -u alice:alice -d csrf=no -d 'text=Asked long ago'
has "an old token asks nothing there either" "$BODY" ">Asked long ago</textarea>"
as alice POST "$thread" -d 'text=And then?'
is "one question at a time" "$STATUS" 403
has "what was typed is kept" "$BODY" "And then?"
for path in "$thread" "$thread/1/report"; do
	as bob GET "$path"
	is "nobody else sees $path" "$STATUS" 404
done
as bob POST "$thread" -d text=x
is "nor goes on with it" "$STATUS" 404
as bob POST "$thread/1" -d do=up
is "nor rates it" "$STATUS" 404
as teacher GET "$thread"
is "not even a teacher" "$STATUS" 404
as alice POST /ta -d activity=everyone -d text=Two
as alice POST /ta -d activity=everyone -d text=Three
as alice POST /ta -d activity=everyone -d text=Four
is "three questions a day" "$STATUS" 429
has "what was typed is kept" "$BODY" ">Four</textarea>"
has "the limit's activity is named" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "one person can today in $(sql 'SELECT title FROM activity LIMIT 1')."
has "and the page says that today's are used up" "$BODY" "You have asked all of today's 3 questions"
as alice GET /ta
has "so does the page before" "$BODY" "You have asked all of today's 3 questions"
hasnt "and offers no form that would be refused" "$BODY" 'name="text"'
sound_page "the page of a day that is used up"
as bob POST /ta -d activity=nothing -d text=x
is "no such activity" "$STATUS" 404

as alice GET "$thread"
sample_wait 120 delayed
ok "while the server is away the question is kept" $?
as alice GET "$thread"
has "and its asker is told" "$BODY" "model server does not answer at the moment"
hasnt "in our words" "$BODY" "onnect"

# The server comes back: the same question is answered, without anybody.
model_start "$MODEL"
sample_wait 120 answered
ok "it is answered when the server is back" $?
as alice GET "/notices.json?since=0"
has "the reply is told" "$BODY" '"kind":"ta"'
has "as a popup, with a sound" "$BODY" '"popup":true,"ring":true'
as alice GET "$thread?wait=1"
has "the page that waited shows it" "$BODY" "A plain account, number"
hasnt "and waits no more" "$HEADERS" "efresh:"
has "but has not read the notice for her" "$BODY" "(3 unread)"
hasnt "its own text is no prompt of the catalog" "$BODY" "Instructed by the prompt"
sound_page "the reply"
as alice GET "$thread"
has "opening the conversation reads its notices" "$BODY" "(2 unread)"
as alice POST "$thread/1" -d do=up
is "a reply can be rated" "$STATUS" 303
as alice GET "$thread"
has "and shows it" "$BODY" "✓ Helped"
as alice POST "$thread/1" -d do=great
is "not with any word" "$STATUS" 400
as alice GET "$thread/1/report"
is "it can be reported" "$STATUS" 200
as alice POST "$thread/1/report" -d reason=wrong -d words=No
has "with thanks" "$BODY" "Thank you."
as teacher GET /forum/reports
has "teachers see what was reported" "$BODY" "$(sql 'SELECT html FROM tutor_message WHERE id = 1')"
has "the question with it" "$BODY" "$(sql 'SELECT question_html FROM tutor_message WHERE id = 1')"
has "and where it was asked" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "Activity: $(sql 'SELECT title FROM activity LIMIT 1')"
sound_page "the queue of reports"

# The conversation goes on, with what was said before.
as alice POST "$thread" -d 'text=And then?'
is "three a day, also here" "$STATUS" 429
as bob POST /ta -d activity=everyone -d 'text=First?'
bobs=${LOCATION%%#*}
sample_wait 120 answered
as bob POST "$bobs" -d 'text=Second?'
sample_wait 120 answered
as bob GET "$bobs"
is "both are answered" "$(grep -c 'A plain account, number' <<<"$BODY")" 2
has "the form to ask on is there" "$BODY" 'id="ask"'

# A second activity has questions of its own, which its link chooses.
sed -i 's|</activities>|<activity id="lab"><title>The lab</title><tutor setup="course" questions-per-day="1">You are a patient tutor.</tutor></activity></activities>|' "$DIR/conf/activities.xml"
kill -HUP "$SERVE_PID"
both() { as alice GET "/ta?activity=lab"; [[ $BODY == *"The lab"* ]]; }
sample_wait 120 both
ok "a second activity has one too" $?
has "a link to it chooses it" "$BODY" 'value="lab" selected="selected">The lab: 1 more question today'
has "each says what is left" "$BODY" ': no more questions today'
sound_page "the page of several activities"
as alice GET /ta
hasnt "else nothing is chosen" "$BODY" 'value="lab" selected'
as alice GET "/ta?activity=nothing"
is "a link to nowhere chooses nothing" "$STATUS" 200
as alice POST /ta -d activity=lab -d text=One
is "there one can ask" "$STATUS" 303
as alice GET "/ta"
has "until both are used up" "$BODY" "today's questions in every activity"
as alice POST /ta -d activity=lab -d text=Two
has "which is told by name" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "one person can today in The lab."
has "what was typed is kept" "$BODY" ">Two</textarea>"
tap_done
