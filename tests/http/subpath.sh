#!/usr/bin/env bash
# The same arena under /arena/, as nginx.conf.sample shows it.
export BASE_PATH=/arena
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts under a path"; exit 1; }
jar=$DIR/jar
get "$jar" "$BASE/"
is "home answers under the path" "$STATUS" 200
outside=$(grep -oE '(href|src|action)="/[^"]*"' <<<"$BODY" | grep -v '"/arena/' | head -n 3)
is "every link stays under the path" "$outside" ""
for url in $(grep -oE '(href|src)="/arena/static/[^"]*"' <<<"$BODY" | cut -d'"' -f2 | sort -u); do
	get "$jar" "http://127.0.0.1:$PORT$url"
	is "$url is there" "$STATUS" 200
done
new_match "$jar"
is "a match is shown" "$STATUS" 200
has "under the path" "$MATCH" "/arena/match/"
vote "$jar" tie
has "its reveal too" "$LOCATION" "/arena/match/$TOKEN/result"
get "$jar" "$(absolute "$LOCATION")"
is "and it is shown" "$STATUS" 200
outside=$(grep -oE '(href|src|action)="/[^"]*"' <<<"$BODY" | grep -v '"/arena/' | head -n 3)
is "its links stay under the path" "$outside" ""
get "$jar" "$BASE/nowhere"
is "an unknown page is a designed 404" "$STATUS" 404
outside=$(grep -oE '(href|src|action)="/[^"]*"' <<<"$BODY" | grep -v '"/arena/' | head -n 3)
is "whose links stay under the path" "$outside" ""
has "the cookie is for the path" "$(cat "$jar")" "/arena"
tap_done
