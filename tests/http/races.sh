#!/usr/bin/env bash
# Two hundred posts of one vote at once make one vote (P1, threats 69).
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar
new_match "$jar"
is "a match is open" "$STATUS" 200
body="do=vote&csrf=$(node -p 'encodeURIComponent(process.argv[1])' -- "$CSRF")"
for i in $(seq 1 200); do
	c=$([ $((i % 2)) = 0 ] && echo a || echo b)
	printf 'url = "%s"\ndata = "%s&choice=%s"\noutput = "/dev/null"\nwrite-out = "%%{http_code} %%{redirect_url}\\n"\nheader = "Sec-Fetch-Site: same-origin"\ncookie = "%s"\nnext\n' \
		"$MATCH" "$body" "$c" "$jar"
done | sed '$d' >"$DIR/curl.conf"
curl -s --parallel --parallel-immediate --parallel-max 100 -K "$DIR/curl.conf" >"$DIR/answers"
is "all are answered" "$(wc -l <"$DIR/answers")" 200
is "all lead to the one reveal" "$(sort -u "$DIR/answers" | sed 's|http://[^/]*||')" "303 /match/$TOKEN/result"
get "$jar" "$MATCH/result"
has "which tells those that came later that the first vote stands" "$BODY" "voted on this match already: <b>"
get "$jar" "$BASE/ledger.jsonl"
is "one vote is in the ledger" "$(grep -c '"k":"vote"' <<<"$BODY")" 1
get "$jar" "$BASE/leaderboard.json"
node -e '
const b = JSON.parse(require("fs").readFileSync(process.argv[1]));
const moved = [...b.official, ...b.provisional].filter((r) => r.elo !== 1500).map((r) => r.elo).sort();
if (JSON.stringify(moved) !== "[1484,1516]") throw new Error(JSON.stringify(moved));
' "$DIR/body"
ok "one rating change happened" $?

# Many starts at once still leave one open match.
seq 1 40 | xargs -P 20 -I{} curl -s -o /dev/null -b "$jar" -X POST \
	-H 'Sec-Fetch-Site: same-origin' -d type=any --data-urlencode "csrf=$CSRF" \
	-w '%{redirect_url}\n' "$BASE/arena" | sort -u >"$DIR/matches"
is "forty starts at once open one match" "$(grep -c /match/ "$DIR/matches")" 1
tap_done
