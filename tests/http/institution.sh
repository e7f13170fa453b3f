#!/usr/bin/env bash
# The limits that an institution sets in arena.xml, as people meet them.
export SAMPLE=arena.xml
. "$(dirname "$0")/../arena.sh"
arena_new \
	's|socket-group="www-data"||' 's|<origin>.*</origin>||' \
	's|votes-per-day="40" seconds-between="3"|votes-per-day="2" seconds-between="0"|' \
	's|words-per-second="27"|words-per-second="0"|' \
	's|chars-per-second="45"|chars-per-second="0"|' \
	's|<page name="leaderboard" who="anyone"/>|<page name="leaderboard" who="teacher"/><page name="plot" who="teacher"/>|' \
	's|<page name="ledger" who="anyone"/>|<page name="ledger" who="voter"/>|' \
	's|<page name="metrics" who="admin"/>|<page name="metrics" who="anyone"/>|' \
	's|user="arena-admin"|user="admin"|' \
	's|<grant role="teacher" group="staff"/>|<grant role="teacher" user="teacher"/>|' ||
	{ echo "not ok 1 - the arena starts from the institutions' sample"; exit 1; }

who() { # NAME FUNCTION URL...: as this person
	local name=$1 verb=$2
	shift 2
	"$verb" "$DIR/$name" "$1" -u "$name:$name" "${@:2}"
}
vote_as() { # NAME: a new match and a vote in it; ends at the reveal
	who "$1" get "$AUTH/arena"
	CSRF=$(csrf)
	who "$1" post "$AUTH/arena" -d type=any --data-urlencode "csrf=$CSRF"
	MATCH=$(absolute "$LOCATION" "$AUTH")
	who "$1" get "$MATCH"
	CSRF=$(csrf)
	who "$1" post "$MATCH" -d choice=a -d do=vote --data-urlencode "csrf=$CSRF"
	who "$1" get "$MATCH/result"
}

# Guests are off: reading is free, voting is not.
get "$DIR/guest" "$BASE/"
is "a visitor reads the home page" "$STATUS" 200
post "$DIR/guest" "$BASE/arena" -d type=any
is "and gets no match" "$STATUS" 403
has "but is told why" "$BODY" "<h1"
is "and becomes nobody's account" "$(sqlite3 -readonly "$DIR/arena.db" \
	'SELECT count(*) FROM account')" 0

# Who sees what.
get "$DIR/guest" "$BASE/leaderboard"
is "the board is not for visitors" "$STATUS" 403
for page in leaderboard.json leaderboard.csv plot/intervals.svg; do
	get "$DIR/guest" "$BASE/$page"
	is "nor is $page" "$STATUS" 403
done
who alice get "$AUTH/leaderboard"
is "nor for alice" "$STATUS" 403
who teacher get "$AUTH/leaderboard"
is "the teacher sees it" "$STATUS" 200
who admin get "$AUTH/leaderboard"
is "and so does the administrator" "$STATUS" 200
get "$DIR/guest" "$BASE/ledger.jsonl"
is "the ledger is for voters" "$STATUS" 403
who alice get "$AUTH/ledger.jsonl"
is "alice is one" "$STATUS" 200
who alice get "$AUTH/admin/endpoints"
is "the administrators' page is not for alice" "$STATUS" 403
who teacher get "$AUTH/admin/endpoints"
is "nor for the teacher" "$STATUS" 403
who admin get "$AUTH/admin/endpoints"
is "it is for the administrator" "$STATUS" 200

# One open match.
who alice get "$AUTH/arena"
CSRF=$(csrf)
who alice post "$AUTH/arena" -d type=any --data-urlencode "csrf=$CSRF"
first=$LOCATION
who alice post "$AUTH/arena" -d type=coding --data-urlencode "csrf=$CSRF"
is "asking twice leads to the one open match" "$LOCATION" "$first"

# Two votes a day count; the third is kept and says why not.
vote_as alice
is "alice votes" "$STATUS" 200
vote_as alice
hasnt "and again" "$BODY" "limit for one day"
vote_as alice
is "a third time" "$STATUS" 200
is "two count, the third does not" "$(sqlite3 -readonly "$DIR/arena.db" \
	"SELECT group_concat(counted || why, ' ') FROM (SELECT * FROM vote ORDER BY n)")" \
	"1 1 0limit"
vote_as bob
is "bob's first still counts" "$(sqlite3 -readonly "$DIR/arena.db" \
	"SELECT counted FROM vote ORDER BY n DESC LIMIT 1")" 1

# A pause between votes, set while people are at it.
sed -i 's|seconds-between="0"|seconds-between="3600"|' "$CONF"
sample_program reload >/dev/null 2>&1
ok "a reload is accepted" $?
vote_as bob
is "bob's next comes too soon" "$(sqlite3 -readonly "$DIR/arena.db" \
	"SELECT counted || ' ' || (why <> '') FROM vote ORDER BY n DESC LIMIT 1")" "0 1"
is "nobody was asked to judge a prompt of their own" "$(sqlite3 -readonly "$DIR/arena.db" \
	"SELECT count(*) FROM match JOIN account ON account.id = match.voter
	JOIN answer ON answer.id IN (answer_a, answer_b)
	JOIN version ON version.id = answer.version
	JOIN prompt ON prompt.id = version.prompt WHERE prompt.author = account.login")" 0

# Prometheus asks without a password, from this machine alone.
get "$DIR/none" "$AUTH/metrics"
is "a scraper cannot sign in" "$STATUS" 401
sed -i 's/#metrics# //' "$DIR/nginx.conf"
kill -HUP "$NGINX_PID"
scraped() { get "$DIR/none" "$AUTH/metrics"; [ "$STATUS" = 200 ]; }
sample_wait 120 scraped
is "with the sample's lines it gets its numbers" "$STATUS" 200
has "of votes" "$BODY" "prompt_arena_votes"
# (A worker of nginx from before may still take a connection.)
refused() { get "$DIR/none" "$AUTH/metrics" --interface 127.0.0.2; [ "$STATUS" = 403 ]; }
sample_wait 120 refused
is "and other machines do not" "$STATUS" 403
tap_done
