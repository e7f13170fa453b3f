#!/usr/bin/env bash
# One match, one vote, one reveal: over HTTP, through the real nginx.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar

get "$jar" "$BASE/"
is "home answers" "$STATUS" 200
has "as XHTML" "$HEADERS" "application/xhtml+xml; charset=utf-8"
hasnt "looking makes no account: no cookie is set" "$HEADERS" "et-Cookie"

get "$jar" "$BASE/arena"
is "the arena's form answers" "$STATUS" 200
for type in any knowledge coding writing reasoning creative; do
	has "it offers the question type $type" "$BODY" "value=\"$type\""
done

new_match "$jar"
is "a match is shown" "$STATUS" 200
[[ $MATCH =~ /match/[a-z2-7]{26}$ ]]
ok "under a token of 128 bits" $?
has "the guest got a cookie with the first post" "$(cat "$jar")" arena
hasnt "search engines are told to keep out" "$BODY" 'content="index'
has "by a robots line" "$BODY$HEADERS" "noindex"
for c in a b tie both_poor; do
	has "choice $c is offered" "$BODY" "value=\"$c\""
done
hasnt "none is preselected" "$BODY" 'checked="checked"'
first=$MATCH
sqlite3 "$DIR"/*.db "SELECT p.slug, p.title, p.author FROM prompt p" >"$DIR/names" 2>/dev/null ||
	sqlite3 "$(find "$DIR" -name '*.sqlite' -o -name '*.db' | head -n 1)" \
	"SELECT slug || '|' || title || '|' || author FROM prompt" >"$DIR/names"
leaks=
while IFS='|' read -r slug title author; do
	for word in "$slug" "$title" "$author"; do
		# Common words may stand in an answer; identities may not.
		case $BODY$HEADERS in *"\"$word\""* | *"/$word"* | *"id=\"$word"*) leaks="$leaks $word" ;; esac
	done
done <"$DIR/names"
is "no identity stands in the blind page" "$leaks" ""
ok "and there were names to look for" "$(test -s "$DIR/names"; echo $?)"

post "$jar" "$BASE/arena" -d type=coding --data-urlencode "csrf=$CSRF"
is "asking again leads to the same open match" "$(absolute "$LOCATION")" "$first"

get "$jar" "$MATCH/result"
is "no reveal before one's own vote" "$STATUS" 403

get "$DIR/jar2" "$MATCH"
is "somebody else's match does not exist" "$STATUS" 404
get "$DIR/jar2" "$MATCH/result"
is "nor its result" "$STATUS" 404

get "$jar" "$MATCH"; CSRF=$(csrf)
vote "$jar" b -d reason=clear -d reason=useful
is "a vote redirects" "$STATUS" 303
has "to the reveal" "$LOCATION" "/match/$TOKEN/result"
get "$jar" "$(absolute "$LOCATION")"
is "the reveal is shown" "$STATUS" 200
has "with one's own choice" "$BODY" "Your choice"
hasnt "a first vote is not called a second" "$BODY" "voted on this match already"
has "with the loser's rating" "$BODY" 1484
has "with the winner's rating" "$BODY" 1516

# P1, P18: back, another choice.
vote "$jar" a
is "a second vote redirects too" "$STATUS" 303
is "to the same reveal, at the same address" "$LOCATION" "/match/$TOKEN/result"
get "$jar" "$(absolute "$LOCATION")"
has "which says that one has voted already, and what" "$BODY" "voted on this match already: <b>B is better</b>"
xmllint --noout --nonet "$DIR/body"
ok "on a well-formed page" $?
get "$jar" "$MATCH/result"
hasnt "and says it once" "$BODY" "voted on this match already"
post "$jar" "$MATCH" -d do=skip --data-urlencode "csrf=$CSRF"
get "$jar" "$(absolute "$LOCATION")"
has "who skips after a vote is told as well" "$BODY" "voted on this match already: <b>B is better</b>"
get "$jar" "$MATCH"
is "who only goes back is led to the reveal" "$LOCATION" "/match/$TOKEN/result"
get "$jar" "$(absolute "$LOCATION")"
hasnt "and reproached with nothing" "$BODY" "voted on this match already"
get "$jar" "$BASE/ledger.jsonl"
is "the public ledger has one vote" "$(grep -c '"k":"vote"' <<<"$BODY")" 1
has "it is the first one" "$BODY" '"w":"b"'
hasnt "the public ledger names no match" "$BODY" '"m":'
hasnt "and no voter" "$BODY" '"u":'
get "$jar" "$BASE/votes"
is "my votes are listed" "$STATUS" 200
has "with a way to the reveal" "$BODY" "/match/$TOKEN/result"
has "in the question's own language" "$BODY" "<bdi lang=\"$(sqlite3 "$DIR/arena.db" "SELECT q.lang FROM
	match m JOIN question q ON q.id = m.question WHERE m.token = '$TOKEN'")\">"

# Whatever the form offers can be sent: nothing of it is refused or forgotten.
new_match "$jar"
ticks=()
for r in $(grep -o 'name="reason" value="[^"]*"' "$DIR/body" | cut -d'"' -f4); do
	ticks+=(-d "reason=$r")
done
is "seven reasons are offered" "$((${#ticks[@]} / 2))" 7
post "$jar" "$MATCH" -d do=vote "${ticks[@]}" --data-urlencode "csrf=$CSRF"
is "all of them without a choice" "$STATUS" 400
is "come back ticked" "$(grep -o 'name="reason"[^>]*checked="checked"' "$DIR/body" | wc -l)" 7
hasnt "and none is complained of" "$BODY" 'href="#r-useful"'
post "$jar" "$MATCH" -d do=vote -d recognised=1 -d choice=tie "${ticks[@]}" --data-urlencode "csrf=$CSRF"
is "and are taken with one" "$STATUS" 303
is "and kept" "$(sqlite3 "$DIR/arena.db" "SELECT reasons FROM vote ORDER BY n DESC LIMIT 1" | wc -w)" 7

# Skip: no vote, no reveal, and the next match is another one.
new_match "$jar"
is "a second match can be had" "$STATUS" 200
skipped=$TOKEN
post "$jar" "$MATCH" -d do=skip --data-urlencode "csrf=$CSRF"
is "skipping redirects" "$STATUS" 303
get "$jar" "$BASE/match/$skipped/result"
is "a skipped match reveals nothing" "$STATUS" 403
get "$jar" "$BASE/match/$skipped"
is "and takes no vote" "$STATUS" 410
has "for it is over" "$BODY" "<h1>This match is over</h1>"
hasnt "and nobody is sorry for answers that were there" "$BODY" "No answers"
new_match "$jar"
[ "$TOKEN" != "$skipped" ]
ok "a new match follows a skip" $?

# "I recognised it" is thanked for and not counted.
vote "$jar" a -d recognised=1
get "$jar" "$(absolute "$LOCATION")"
has "a recognised prompt is not in the ranking" "$BODY" "Not in the ranking"
get "$jar" "$BASE/ledger.jsonl"
has "and the ledger says why" "$BODY" '"c":0,"why":"recognised"'

# P5: a both-poor vote is a tie.
new_match "$jar"
vote "$jar" both_poor
is "neither is good can be said" "$STATUS" 303
get "$jar" "$BASE/leaderboard.json"
is "the board's JSON answers" "$STATUS" 200
has "with its schema" "$BODY" '"schema":1'
hasnt "never NaN" "$BODY" NaN
hasnt "never null" "$BODY" null
node -e '
const b = JSON.parse(require("fs").readFileSync(process.argv[1]));
const rows = [...b.official, ...b.provisional];
const sum = rows.reduce((s, r) => s + (r.elo - 1500), 0);
if (Math.abs(sum) > 1e-6) throw new Error("ratings do not sum: " + sum);
if (b.official.length !== 0) throw new Error("nothing can be official yet");
if (rows.some((r) => "rank_from" in r)) throw new Error("a provisional row has a rank");
const m = rows.reduce((s, r) => s + r.matches, 0);
if (m !== 4) throw new Error("two counted votes make four entries, not " + m);
' "$DIR/body" 2>"$DIR/err"
ok "the board conserves points, and counts" $?
[ ! -s "$DIR/err" ] || diag "$(cat "$DIR/err")"
get "$jar" "$BASE/leaderboard.csv"
has "the board's CSV has a header" "$BODY" "section"

# Nobody is asked to judge what they cannot read, unless they choose to.
for want in en fa; do
	other=0
	for i in 1 2 3 4 5 6 7 8; do
		post "$DIR/reader-$want-$i" "$BASE/arena" -d type=any -H "Accept-Language: $want"
		get "$DIR/reader-$want-$i" "$(absolute "$LOCATION")"
		grep -q "class=\"prose\" lang=\"$want\"" <<<"$BODY" || other=1
	done
	is "who reads $want gets questions in it" "$other" 0
done

# The vote is in the ledger file, and everything can be recomputed.
sample_stop
is "a stop is clean" "$SAMPLE_STATUS" 0
sample_program verify >"$DIR/verify" 2>&1
ok "verify finds nothing" $?
sample_program recompute >"$DIR/recompute" 2>&1
ok "recompute runs" $?
sample_program verify >>"$DIR/verify" 2>&1
ok "and changes nothing" $?
tap_done
