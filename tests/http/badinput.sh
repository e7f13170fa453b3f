#!/usr/bin/env bash
# What cannot be right gets a page that says so, and nothing is stored.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar
new_match "$jar"
page() { # NAME STATUS: the designed page with that status
	is "$1: status" "$STATUS" "$2"
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$1: a well-formed page" $?
	has "$1: security headers" "$HEADERS" "frame-ancestors 'none'"
	grep -q '<h1' "$DIR/body"
	ok "$1: with a heading" $?
}
form() { post "$jar" "$MATCH" "$@" --data-urlencode "csrf=$CSRF"; }

form -d do=vote; page "no choice" 400
has "no choice: the answers are still there" "$BODY" '<article'
form -d do=vote -d choice=; page "empty choice" 400
form -d do=vote -d choice=c; page "unknown choice" 400
form -d do=vote -d choice=A; page "upper-case choice" 400
form -d do=vote -d choice=a -d choice=b; page "two choices" 400
form -d do=vote -d choice=a -d do=skip; page "two verbs" 400
form -d do=dance -d choice=a; page "unknown verb" 400
form -d choice=a; page "no verb" 400
form -d do=vote -d choice=a -d recognised=maybe; page "recognised is not yes" 400
form -d do=vote -d choice=a -d reason=because; page "unknown reason" 400
form -d do=vote -d 'choice=%ff%fe'; page "bytes that are not UTF-8" 400
form -d do=vote -d 'choice=a%00'; page "a NUL" 400
form -d do=vote -d 'choice=%zz'; page "a broken escape" 400
head -c 100000 /dev/zero | tr '\0' a | sed 's/^/do=vote\&choice=/' >"$DIR/big"
post "$jar" "$MATCH" --data-binary "@$DIR/big"; is "100 kB choice" "$STATUS" "$([[ $STATUS = 413 ]] && echo 413 || echo 400)"
head -c 1000000 /dev/zero | tr '\0' a | sed 's/^/do=vote\&choice=/' >"$DIR/big"
post "$jar" "$MATCH" --data-binary "@$DIR/big"
is "1 MB choice: status" "$STATUS" 413
has "1 MB choice: a designed page" "$BODY" '<h1'
seq 1 300 | sed 's/.*/f&=1/' | paste -sd '&' >"$DIR/many"
post "$jar" "$MATCH" --data-binary "@$DIR/many"; page "300 fields" 400
post "$jar" "$MATCH" -H 'Content-Type: text/plain' --data-binary 'do=vote&choice=a'; page "not a form" 400
post "$jar" "$MATCH" -H 'Content-Type: application/json' --data-binary '{"do":"vote"}'; page "JSON" 400

# Forged forms.
post "$jar" "$MATCH" -d do=vote -d choice=a; page "no token" 403
post "$jar" "$MATCH" -d do=vote -d choice=a -d csrf=AAAA; page "made-up token" 403
fetch "$jar" POST "$MATCH" -H 'Sec-Fetch-Site: cross-site' -d do=vote -d choice=a --data-urlencode "csrf=$CSRF"
page "from another site" 403
fetch "$jar" POST "$MATCH" -H 'Origin: https://evil.example' -d do=vote -d choice=a --data-urlencode "csrf=$CSRF"
page "from another origin" 403
mine=$CSRF
new_match "$DIR/jar3"
post "$DIR/jar3" "$MATCH" -d do=vote -d choice=a --data-urlencode "csrf=$mine"
page "somebody else's token" 403
CSRF=$mine
new_match "$jar"

# Wrong paths, methods, names.
get "$jar" "$BASE/nowhere"; page "unknown path" 404
get "$jar" "$BASE/match/AAAA"; page "a token that is none" 404
get "$jar" "$BASE/match/aaaaaaaaaaaaaaaaaaaaaaaaaa"; page "a token of nobody" 404
get "$jar" "$BASE/match/$TOKEN/"; page "a slash too many" 404
get "$jar" "$BASE/prompt/nobody"; page "unknown prompt" 404
get "$jar" "$BASE/prompt/..%2f..%2fetc%2fpasswd"; is "a path in a name" "$STATUS" "$([[ $STATUS = 400 || $STATUS = 404 ]] && echo "$STATUS" || echo 404)"
get "$jar" "$BASE/%0a"; is "a newline in the path" "$STATUS" "$([[ $STATUS = 400 || $STATUS = 404 ]] && echo "$STATUS" || echo 404)"
fetch "$jar" DELETE "$MATCH"; page "DELETE" 405
has "405 says what is allowed" "$HEADERS" "llow: "
fetch "$jar" FOO "$BASE/"; page "a verb that is none" 405
fetch "$jar" POST "$BASE/leaderboard" -d x=1; page "POST to the board" 405
fetch "$jar" PUT "$BASE/arena" -d type=any; page "PUT to the arena" 405
get "$jar" "$BASE/leaderboard?type=cooking"; page "unknown type" 400
get "$jar" "$BASE/leaderboard?type=coding&type=writing"; page "two types" 400
get "$jar" "$BASE/leaderboard?sort=shoe"; page "unknown sort" 400
get "$jar" "$BASE/leaderboard?tag=%3Cscript%3E"; page "a script for a tag" 400
hasnt "a script for a tag: nothing is echoed raw" "$BODY" "<script>"
post "$jar" "$BASE/arena" -d type=cooking --data-urlencode "csrf=$CSRF"; page "arena: unknown type" 400
post "$jar" "$BASE/arena" -d type=any -d activity=nothing --data-urlencode "csrf=$CSRF"; page "arena: unknown activity" 400
post "$jar" "$BASE/preferences" -d quiet_from=25:00 --data-urlencode "csrf=$CSRF"; page "quiet hours at 25 o'clock" 400
has "quiet hours: what was typed is kept" "$BODY" "25:00"
curl -s -I -b "$jar" "$BASE/leaderboard" -o "$DIR/headers"
has "HEAD answers" "$(cat "$DIR/headers")" " 200"

get "$jar" "$BASE/ledger.jsonl"
is "nothing of all this was stored" "$(grep -c '"k":"vote"' <<<"$BODY")" 0
tap_done
