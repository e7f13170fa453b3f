#!/usr/bin/env bash
# Notices over HTTP: the count, the list, the poll and its 304, the test.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/arena.db
alice=$DIR/alice bob=$DIR/bob
as() { # USER METHOD PATH [curl arguments...]
	local user=$1 method=$2 path=$3
	shift 3
	if [ "$method" = POST ]; then
		post "$DIR/$user" "$AUTH$path" -u "$user:$user" --data-urlencode "csrf=$CSRF" "$@"
	else
		get "$DIR/$user" "$AUTH$path" -u "$user:$user" "$@"
	fi
}
token_of() { as "$1" GET /preferences; CSRF=$(csrf); }
etag() { sed -n 's/^[Ee][Tt]ag: //p' <<<"$HEADERS" | tail -n 1; }

get "$DIR/nobody" "$BASE/notices"
is "a visitor may look" "$STATUS" 200
has "and is told whose notices are" "$BODY" "we do not know you yet"
hasnt "nothing polls for a visitor" "$BODY" 'id="pa"'
get "$DIR/nobody" "$BASE/notices.json"
is "a visitor's poll answers" "$STATUS" 200
has "with nothing" "$BODY" '"unread":0'
hasnt "and nobody" "$BODY" '"person"'
is "and makes no account" "$(sqlite3 "$db" 'SELECT count(*) FROM account')" 0

token_of alice
as alice GET /notices.json
is "who has never posted polls as well" "$STATUS" 200
is "and has an account from then on, so that others can tell something" "$(sqlite3 "$db" 'SELECT count(*) FROM account')" 1
as alice GET /preferences
has "the page says what quiet hours do not hold back" "$BODY" "but for the test notification below"
as alice POST /preferences -d ta_desktop=1 -d sound=1
is "preferences are stored" "$STATUS" 303
as alice GET /notices
has "an empty list says so" "$BODY" "Nothing here yet"
person=$(sed -n 's/.*data-person="\([^"]*\)".*/\1/p' "$DIR/body")
hasnt "no count in the header" "$BODY" 'class="unread">('
as alice GET /notices.json
first=$(etag)
has "the poll says whose it is, as the page does" "$BODY" "\"person\":\"$person\""
has "the poll has a tag" "$first" '"n'
as alice GET /notices.json -H "If-None-Match: $first"
is "nothing new is 304" "$STATUS" 304
is "without a body" "$BODY" ""
has "with the same tag" "$(etag)" "${first#W/}"

token_of alice
as alice POST /notices/test
is "a test notice can be had" "$STATUS" 303
has "and leads back" "$LOCATION" "/preferences?tested=1"
as alice GET "/preferences?tested=1"
has "the page says what happens" "$BODY" "A test notice is on its way"
has "the header counts it" "$BODY" '(1 unread)'
as alice GET /notices.json -H "If-None-Match: $first"
is "something new is no 304" "$STATUS" 200
has "it is counted" "$BODY" '"unread":1'
as alice GET "/notices.json?since=0"
has "it is listed with since=0" "$BODY" '"kind":"test"'
has "it pops up" "$BODY" '"popup":true'
has "it rings" "$BODY" '"ring":true'
as alice GET "/notices.json?since=1"
has "what a browser knows is not listed again" "$BODY" '"notices":[]'
is "JSON is JSON" "$(node -e 'JSON.parse(require("fs").readFileSync(0))' <<<"$BODY" && echo yes)" yes
as alice GET "/notices.json?since=x"
is "since must be a number" "$STATUS" 400

as bob GET /notices/1
is "somebody else's notice does not exist" "$STATUS" 404
token_of bob
as bob POST /preferences -d ta_desktop=1
as bob GET /notices/1
is "also with an account" "$STATUS" 404
as bob POST /notices -d do=one -d id=1
is "nor can it be marked" "$STATUS" 404
token_of alice
as alice POST /notices -d do=dance -d id=1
is "an unknown verb is refused" "$STATUS" 400
as alice GET /notices
has "the list shows it as new" "$BODY" 'class="pill">New'
as alice POST /notices -d do=one -d id=1
is "one can be marked as read" "$STATUS" 303
as alice GET "/notices?read=1"
hasnt "and is no longer new" "$BODY" 'class="pill">New'
has "it stays in the list" "$BODY" "This is the test notification"
hasnt "the count is gone" "$BODY" 'class="unread">('

sqlite3 -cmd '.timeout 5000' "$db" "INSERT INTO notice(account, kind, event, thread, url, title, made_at)
	SELECT a.id, 'other', 'e' || value, 'e' || value, '/', 'Event', 1700000000 FROM account a, json_each('[1,2,3]') WHERE a.login = 'alice';
	UPDATE account SET unread = unread + 3, notice_rev = notice_rev + 3 WHERE login = 'alice'"
as alice GET /notices
has "three more" "$BODY" '(3 unread)'
upto=$(sed -n 's/.*name="id" value="\([0-9]*\)".*/\1/p' "$DIR/body" | head -n 1)
as alice POST /notices/test
as alice POST /notices -d do=all -d "id=$upto"
as alice GET /notices
has "mark all leaves what came meanwhile" "$BODY" '(1 unread)'
id=$(sqlite3 "$db" 'SELECT max(id) FROM notice')
as alice GET "/notices/$id"
is "a notice leads to its page" "$STATUS" 303
has "which is the right one" "$LOCATION" "/preferences"
as alice GET /notices
hasnt "and is read then" "$BODY" 'class="unread">('

# Quiet hours, by the campus clock (UTC here): all day but one minute.
now=$(date -u +%s)
token_of alice
as alice POST /preferences -d ta_desktop=1 -d sound=1 -d "quiet_from=$(date -u -d "@$now" +%H:%M)" \
	-d "quiet_to=$(date -u -d "@$((now - 60))" +%H:%M)"
as alice GET "/notices.json?since=0"
has "quiet hours are told" "$BODY" '"quiet":true'
sqlite3 "$db" "SELECT quiet_from, quiet_to FROM account WHERE login = 'alice'" >"$DIR/quiet"
has "and stored" "$(cat "$DIR/quiet")" "|"

# The script and its companions.
get "$DIR/nobody" "$BASE/sw.js"
is "the service worker comes from the root" "$STATUS" 200
has "as a script" "$HEADERS" "text/javascript"
get "$DIR/nobody" "$BASE/static/arena.js"
is "the page's script is a file" "$STATUS" 200
for f in bell.mp3 bell.ogg drop.mp3 drop.ogg; do
	get "$DIR/nobody" "$BASE/static/sounds/$f"
	is "sound $f" "$STATUS" 200
	has "sound $f is audio" "$HEADERS" "audio/"
done
curl -s -o /dev/null -D "$DIR/headers" -r 0-99 "$BASE/static/sounds/bell.mp3"
has "sounds answer a range" "$(cat "$DIR/headers")" " 206"
tap_done
