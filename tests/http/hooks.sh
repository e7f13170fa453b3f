#!/usr/bin/env bash
# POST /hooks/notice: secret, shape, once only, rate.
. "$(dirname "$0")/../arena.sh"
MORE_USERS=carol
arena_new 's|<catalog|<hooks secret-file="hook-secret" per-minute="6"/>\n  <catalog|' 2>/dev/null
(umask 077; echo a-secret-of-other-systems >"$DIR/hook-secret")
sample_start || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/arena.db
hook() { # BODY [curl arguments...]
	local body=$1
	shift
	fetch "$DIR/hook" POST "$BASE/hooks/notice" -H 'Content-Type: application/json' \
		-H 'Authorization: Bearer a-secret-of-other-systems' --data-binary "$body" "$@"
}
count() { sqlite3 "$db" 'SELECT count(*) FROM notice'; }
for user in alice bob; do
	get "$DIR/$user" "$AUTH/preferences" -u "$user:$user"
	post "$DIR/$user" "$AUTH/preferences" -u "$user:$user" -d ta_desktop=1 --data-urlencode "csrf=$(csrf)"
done

msg='{"event":"m-1","to":["alice","carol"],"kind":"other","title":"Assignment 3 is <open>","who":"Moodle","url":"https://moodle.example.edu/a?x=1&y=2","thread":"a-3"}'
fetch "$DIR/hook" POST "$BASE/hooks/notice" --data-binary "$msg"
is "no secret: 401" "$STATUS" 401
has "and says how" "$HEADERS" "Bearer"
fetch "$DIR/hook" POST "$BASE/hooks/notice" -H 'Authorization: Bearer wrong' --data-binary "$msg"
is "wrong secret: 401" "$STATUS" 401
fetch "$DIR/hook" POST "$BASE/hooks/notice" -H 'Authorization: Basic a-secret-of-other-systems' --data-binary "$msg"
is "another scheme: 401" "$STATUS" 401
is "nothing was stored" "$(count)" 0
hook "$msg"
is "a message is taken" "$STATUS" 200
has "one person was told" "$BODY" '"stored":1'
has "one is unknown here" "$BODY" '"unknown":1'
hook "$msg"
is "again" "$STATUS" 200
has "is repeated" "$BODY" '"repeated":true'
is "and stored once" "$(count)" 1
hook '{ "url":"https://moodle.example.edu/a?x=1\u0026y=2", "thread":"a-3","title":"Assignment 3 is <open>","who":"Moodle",
  "kind":"other","to":["alice","carol"], "event":"m-1"}'
is "in another order" "$STATUS" 200
has "it is the same message" "$BODY" '"repeated":true'
hook "${msg/Assignment 3/Assignment 4}"
is "the same id with other words: 409" "$STATUS" 409
has "with a sentence" "$BODY" '"detail":"This event has been told with another content;'
get "$DIR/alice" "$AUTH/notices" -u alice:alice
has "alice sees it" "$BODY" 'Assignment 3 is &lt;open&gt;'
has "and from whom" "$BODY" 'Moodle'
xmllint --noout --nonet "$DIR/body"
ok "on a well-formed page" $?
get "$DIR/alice" "$AUTH/notices/1" -u alice:alice
is "it leads there" "$LOCATION" 'https://moodle.example.edu/a?x=1&y=2'
is "and is read then" "$(sqlite3 "$db" 'SELECT count(*) FROM notice WHERE read_at IS NULL')" 0

sqlite3 "$db" 'UPDATE hook_event SET at = at - 60'
get "$DIR/carol" "$AUTH/arena" -u carol:carol
get "$DIR/carol" "$AUTH/notices" -u carol:carol
is "who has signed in and only looked" "$STATUS" 200
get "$DIR/carol" "$AUTH/notices" -u carol:carol
is "is known from then on, once" "$(sqlite3 "$db" "SELECT count(*) FROM account WHERE login = 'carol'")" 1
hook "$msg"
has "so that the event again reaches her" "$BODY" '"stored":2'
has "though it is repeated" "$BODY" '"repeated":true'
is "and nobody else" "$(count)" 2
hook "$msg"
is "nor her again" "$(count)" 2
get "$DIR/carol" "$AUTH/notices" -u carol:carol
has "she sees it" "$BODY" 'Assignment 3 is &lt;open&gt;'
get "$DIR/guest" "$BASE/notices"
get "$DIR/guest" "$BASE/preferences"
is "a look makes no guest" "$(sqlite3 "$db" "SELECT count(*) FROM account WHERE kind = 'guest'")" 0
hook '{"event":"m-twice","to":["alice","alice","erin","erin"],"title":"Named twice"}'
has "who is named twice is one" "$BODY" '"stored":1,"unknown":1'

hook '{"event":"m-2","to":["bob"],"kind":"post","title":"A post"}'
has "who does not want forum posts gets none" "$BODY" '"stored":0,"unknown":0,"unwanted":1'
hook '{"event":"m-3","to":["bob"],"kind":"ta","title":"A reply","url":"/arena"}'
has "a reply of an assistant arrives" "$BODY" '"stored":1'

for bad in '' '{' '[]' '{"to":["bob"],"title":"x"}' '{"event":"","to":["bob"],"title":"x"}' \
    '{"event":"e","to":[],"title":"x"}' '{"event":"e","to":"bob","title":"x"}' \
    '{"event":"e","to":[1],"title":"x"}' '{"event":"e","to":["bob"],"title":""}' \
    '{"event":"e","to":["bob"],"title":"a\nb"}' '{"event":"e","to":["bob"]}' \
    '{"event":"e","to":["bob"],"title":"x","kind":"party"}' '{"event":"e","to":["bob"],"title":"x","kind":"test"}' \
    '{"event":"e","to":["bob"],"title":"x","url":"javascript:alert(1)"}' \
    '{"event":"e","to":["bob"],"title":"x","url":"//evil.example"}' \
    '{"event":"e","to":["bob"],"title":"x","url":"http://plain.example"}' \
    '{"event":"e","to":["bob"],"title":"x","url":"https://a b"}' \
    '{"event":"e","event":"f","to":["bob"],"title":"x"}'; do
	hook "$bad"
	is "refused: $bad" "$STATUS" 400
	has "as JSON: $bad" "$BODY" '"error":"message"'
done
hook "{\"event\":\"big\",\"to\":[\"bob\"],\"title\":\"$(head -c 100000 /dev/zero | tr '\0' a)\"}"
is "100 kB: 413" "$STATUS" 413
refused() { # BODY FIELD DETAIL
	local name=${1//$'\n'/ }
	name=${name:0:60}
	hook "$1"
	is "refused: $name" "$STATUS" 400
	has "names the field: $name" "$BODY" "\"field\":\"$2\""
	has "and says what to write: $name" "$BODY" "$3"
}
refused '{"event":"e","to":["bob"],"title":"x","kind":[]}' kind 'kind must be'
refused '{"event":"e","to":["bob"],"title":"x","kind":null}' kind 'kind must be'
refused '{"event":"e","to":["bob"],"title":"x","kind":7}' kind 'kind must be'
refused '{"event":"m-1\u0001","to":["bob"],"title":"x"}' event 'event must be'
refused '{"event":"m-1\u202e","to":["bob"],"title":"x"}' event 'event must be'
refused '{"event":"e","to":["bob\u200f\u202e"],"title":"x"}' to 'to must be'
refused '{"event":"e","to":["bob"],"title":"x","thread":"a\u0007"}' thread 'thread must be'
refused "$(printf '[%.0s' {1..200})" json 'nested too deeply'
refused "{\"event\":\"e\",\"to\":$(printf '[%.0s' {1..90})$(printf ']%.0s' {1..90})}" json 'nested too deeply'
refused $'{"event":"e",\n}' json 'line 2'
refused '[]' json 'one JSON object'
hook '{"event":"m-x","to":["bob"],"title":"x","kind":"ta","link":"https://a.example/"}'
is "a member that is unknown here does no harm" "$STATUS" 200
has "but is named" "$BODY" '"ignored":["link"]'
before=$(count)
codes=
for i in 4 5 6 7; do hook "{\"event\":\"m-$i\",\"to\":[\"bob\"],\"title\":\"Number $i\"}"; codes="$codes $STATUS"; done
is "six events a minute, then 429" "$codes" " 200 200 429 429"
has "with a time to wait" "$HEADERS" "etry-After: "
is "and no more is stored" "$(count)" $((before + 2))
hook "$msg"
is "a repeat is still answered" "$STATUS" 200
get "$DIR/hook" "$BASE/hooks/notice"
is "GET is not for it" "$STATUS" 405
hasnt "the secret is in no log" "$(cat "$DIR/serve.log")" a-secret-of-other

# Behind basic authentication programs come in by their own secret.
fetch "$DIR/hook" POST "$AUTH/hooks/notice" -H 'Authorization: Bearer a-secret-of-other-systems' --data-binary "$msg"
is "the signed-in server takes it as well" "$STATUS" 200
fetch "$DIR/hook" POST "$AUTH/hooks/notice" -u admin:whatever --data-binary "$msg"
is "a made-up sign-in does not help" "$STATUS" 401

# Without <hooks> there is no such address.
sed -i '/<hooks/d' "$CONF"
sample_stop; sample_start
hook "$msg"
is "not configured: 404" "$STATUS" 404
tap_done
