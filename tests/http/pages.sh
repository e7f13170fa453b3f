#!/usr/bin/env bash
# Every page through the real nginx: status, type, security, caching.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar
new_match "$jar"

guarded() { # NAME: what every answer carries
	local h missing=
	for h in "Content-Security-Policy: default-src 'none'" "frame-ancestors 'none'" \
	    "X-Content-Type-Options: nosniff" "X-Frame-Options: DENY" \
	    "Referrer-Policy: same-origin" "Cross-Origin-Opener-Policy: same-origin" \
	    "Cross-Origin-Resource-Policy: same-origin" "Permissions-Policy: " \
	    "Cache-Control: "; do
		case $HEADERS in *"$h"*) ;; *) missing="$missing [$h]" ;; esac
	done
	is "$1: no security header is missing" "$missing" ""
}

page() { # PATH STATUS
	get "$jar" "$BASE$1"
	is "$1: status" "$STATUS" "$2"
	has "$1: XHTML" "$HEADERS" "application/xhtml+xml; charset=utf-8"
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$1: well-formed" $?
	has "$1: has a title" "$BODY" "<title>"
	has "$1: one main heading" "$(grep -c '<h1' "$DIR/body")" 1
	has "$1: a way past the navigation" "$BODY" 'href="#main"'
	guarded "$1"
	is "$1: no inline style or script" "$(grep -cE ' style="|<style|<script>|<script [^>]*>[^<]' "$DIR/body")" 0
	# An answer may link elsewhere; nothing may be loaded from there.
	is "$1: nothing from elsewhere" "$(tr '\n' ' ' <"$DIR/body" |
		grep -cE '<(audio|embed|form|iframe|image|img|link|object|script|source|track|use|video)[^>]* (src|href|data|action|srcset)="(https?:)?//')" 0
}
for p in / /arena /leaderboard "/leaderboard?type=coding&tag=concise&sort=-matches" \
    /prompt/socratic /votes /preferences /methodology /privacy /accessibility; do
	page "$p" 200
done
page "/match/$TOKEN" 200
has "a match is kept out of search engines" "$HEADERS" "X-Robots-Tag: noindex"
page /match/aaaaaaaaaaaaaaaaaaaaaaaaaa 404
page "/match/$TOKEN/result" 403
page "/leaderboard?sort=shoe" 400
fetch "$jar" POST "$BASE/leaderboard" -d x=1
is "405: status" "$STATUS" 405
guarded 405
vote "$jar" tie
is "303: status" "$STATUS" 303
guarded 303

for p in /leaderboard.json /leaderboard.csv /ledger.jsonl /robots.txt /healthz; do
	get "$jar" "$BASE$p"
	is "$p: status" "$STATUS" 200
	guarded "$p"
done
for p in /leaderboard.json /leaderboard.csv; do
	get "$DIR/visitor" "$BASE$p"
	tag=$(sed -n 's/^[Ee][Tt]ag: //p' <<<"$HEADERS")
	get "$DIR/visitor" "$BASE$p" -H "If-None-Match: $tag"
	is "$p: unchanged, so not sent again" "$STATUS" 304
	get "$DIR/visitor" "$BASE$p" -H "If-None-Match: \"other\""
	is "$p: sent when it is another" "$STATUS" 200
done
get "$jar" "$BASE/leaderboard.json" -H "If-None-Match: *"
is "If-None-Match: * is fulfilled by any" "$STATUS" 304
get "$DIR/visitor" "$BASE/leaderboard" -H "Accept-Encoding: gzip"
has "what is compressed for one is not kept for those who cannot read it" \
	"$HEADERS" "Vary: Accept-Encoding"
# Whatever a browser calls the same thing, it finds it.
get "$jar" "$BASE/favicon.ico"
is "favicon.ico leads on" "$STATUS" 303
get "$jar" "$(absolute "$LOCATION")"
is "to an icon that is there" "$STATUS" 200
has "of the right type" "$HEADERS" "image/svg+xml"
get "$jar" "$BASE/static/arena.css"
is "the stylesheet is there" "$STATUS" 200

curl -s -I "$BASE/" -D "$DIR/headers" -o "$DIR/body"
is "HEAD has no body" "$(grep -vc '^[A-Za-z-]*: \|^HTTP\|^.$' "$DIR/body")" 0

# Readers of the page in their own words: what was typed comes back.
post "$jar" "$BASE/preferences" -d sound=1 -d quiet_from=23:00 -d quiet_to=soon --data-urlencode "csrf=$CSRF"
is "a time that is none: status" "$STATUS" 400
has "it is said" "$BODY" "Write times like 22:30"
has "what was typed is there" "$BODY" 'value="soon"'
has "and what was ticked" "$BODY" 'id="sound" checked="checked"'
post "$jar" "$BASE/preferences" -d sound=1 --data-urlencode "csrf=$CSRF"
get "$jar" "$(absolute "$LOCATION")"
has "saved: it is said" "$BODY" "Your preferences are saved."
post "$jar" "$BASE/preferences" --data-urlencode "csrf=$CSRF"
get "$jar" "$BASE/preferences"
hasnt "an absent box means off (P16)" "$BODY" 'checked="checked"'

# Members see their name, staff boards, and never a guest's cookie.
get "$DIR/alice" "$AUTH/" -u alice:alice
has "a member is named" "$BODY" "Signed in as"
has "and can vote" "$BODY" "Start a blind match"
get "$DIR/alice" "$AUTH/preferences" -u alice:alice
has "and has preferences before any vote" "$BODY" 'name="ta_desktop"'
# HEAD says of each what GET would, also of a ledger that comes in pieces.
arena_end
arena_new && arena_votes 800 5
ok "an arena with many votes starts" $?
for p in / /leaderboard.json /leaderboard.csv /ledger.jsonl /plot/intervals.svg /feed.atom /healthz; do
	length() { curl -s -m 30 -H 'Accept-Encoding: identity' "$@" | tr -d '\r' | sed -n 's/^[Cc]ontent-[Ll]ength: //p'; }
	alike() { head=$(length -I "$BASE$p") body=$(length -D - -o /dev/null "$BASE$p"); [ "$head" = "$body" ]; }
	sample_wait 120 alike # numbers of the statistics may come in between
	is "HEAD $p has the length of GET" "$head" "$body"
done
tap_done
