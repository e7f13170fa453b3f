#!/usr/bin/env bash
# The feed of new official prompts: valid, the same for everybody, cacheable.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/page/states.sh"
arena_new && states_make sample || { echo "not ok 1 - the arena starts"; exit 1; }

x() { # XPATH: of the feed in $DIR/body, a: being Atom
	xmllint --nonet --xpath "$(sed 's/a:\([a-z]*\)/*[local-name()="\1" and namespace-uri()="http:\/\/www.w3.org\/2005\/Atom"]/g' <<<"$1")" "$DIR/body" 2>/dev/null
}

get "$DIR/j" "$BASE/feed.atom"
is "the feed answers" "$STATUS" 200
cp "$DIR/body" "$DIR/feed"
is "as an Atom feed" "$(sed -n 's/^[Cc]ontent-[Tt]ype: //p' <<<"$HEADERS")" "application/atom+xml; charset=utf-8"
is "it is well-formed" "$(xmllint --noout --nonet "$DIR/feed" 2>&1)" ""
is "its outermost element is Atom's" "$(x 'count(/a:feed)')" 1
for one in id title updated; do
	is "one $one of the feed" "$(x "count(/a:feed/a:$one)")" 1
done
is "an author with one name" "$(x 'count(/a:feed/a:author/a:name)')" 1
is "a link to itself and to the board" "$(x 'count(/a:feed/a:link[@rel="self"])') $(x 'count(/a:feed/a:link[@rel="alternate"])')" "1 1"
official=$(curl -s "$BASE/leaderboard.json" | tr '}' '\n' | grep -c '"rank_from"')
entries=$(x 'count(/a:feed/a:entry)')
is "an entry for each official prompt" "$entries" "$official"
for one in id title updated published summary; do
	is "one $one in each entry" "$(x "count(/a:feed/a:entry[count(a:$one)=1])")" "$entries"
done
is "one alternate link in each" "$(x 'count(/a:feed/a:entry[count(a:link[@rel="alternate"])=1])')" "$entries"
ids=$(x '//a:id' | grep -o 'urn:[^<]*' | sort)
is "all ids differ" "$(uniq -d <<<"$ids")" ""
is "each is a UUID" "$(grep -vE '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$' <<<"$ids")" ""
times=$(x '//a:updated | //a:published' | grep -o '>[^<]*<' | tr -d '<>')
is "each time is one of RFC 3339" "$(grep -vE '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z$' <<<"$times")" ""
newest=$(x '/a:feed/a:entry/a:updated' | grep -o '>[^<]*<' | tr -d '<>')
is "newest first, and the feed is as new as that" "$(x 'string(/a:feed/a:updated)') $(sort -r <<<"$newest" | tr '\n' ' ')" "$(head -n 1 <<<"$newest") $(tr '\n' ' ' <<<"$newest")"
is "elements that Atom does not know" "$(x 'count(//*[namespace-uri()!="http://www.w3.org/2005/Atom"])')" 0
is "nobody is named" "$(grep -ciE 'alice|bob|login|voter' "$DIR/feed")" 0
is "it says that the votes are simulated" "$(grep -c 'are simulated' "$DIR/feed")" 1

# The vote by which it became official, told by the ledger itself.
first=$(node -e '
const fs = require("fs");
const votes = fs.readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse).filter((v) => v.k === "vote" && v.c === 1);
const n = {}, at = {};
for (const v of votes) for (const d of [v.va, v.vb]) if ((n[d] = (n[d] || 0) + 1) === 30) at[d] = v.t;
console.log(Object.values(at).sort((a, b) => b - a).map((t) => new Date(t * 1000).toISOString().replace(".000", "")).join(" "));
' "$DIR/votes.log")
is "each time is that of the thirtieth counted vote" "$(tr '\n' ' ' <<<"$newest" | sed 's/ $//')" "$first"

etag=$(sed -n 's/^[Ee][Tt]ag: //p' <<<"$HEADERS")
like() { if grep -qE -- "$3" <<<"$2"; then is "$1" yes yes; else is "$1" "$2" "$3"; fi; }
like "it has an ETag" "$etag" '^(W/)?".+"$'
like "and may be cached" "$(sed -n 's/^[Cc]ache-[Cc]ontrol: //p' <<<"$HEADERS")" 'public|max-age'
get "$DIR/j" "$BASE/feed.atom" -H "If-None-Match: $etag"
is "it is not sent twice" "$STATUS" 304
get "$DIR/k" "$BASE/feed.atom" -H 'Accept-Language: fa'
is "it is the same in every language" "$(cmp "$DIR/body" "$DIR/feed" 2>&1)" ""
sample_stop && sample_start
get "$DIR/j" "$BASE/feed.atom"
is "and after a restart" "$(cmp "$DIR/body" "$DIR/feed" 2>&1)" ""
get "$DIR/j" "$BASE/leaderboard"
is "pages lead to it" "$(grep -c '<link rel="alternate" type="application/atom+xml"[^>]*href="/feed.atom"' "$DIR/body")" 1

# A vote taken out moves the moment, or takes the entry away.
arena_end
arena_new 's|<access>|<access>\n<page name="leaderboard" who="teacher"/>|;s|<page name="leaderboard" who="anyone"/>||' || exit 1
get "$DIR/j" "$BASE/feed.atom"
is "where the board is not for everybody, neither is the feed" "$STATUS" 403
get "$DIR/j" "$BASE/"
is "and no page leads to it" "$(grep -c 'feed.atom' "$DIR/body")" 0
get "$DIR/j" "$AUTH/feed.atom" -u teacher:teacher
is "an empty feed is one as well" "$STATUS $(x 'count(/a:feed/a:updated)') $(x 'count(/a:feed/a:entry)')" "200 1 0"
arena_end
tap_done
