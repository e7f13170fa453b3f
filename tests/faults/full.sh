#!/usr/bin/env bash
# A ledger that cannot be written: no vote is promised, no side is revealed,
# all else can be read; and once it can be, the vote is there, once.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar
new_match "$jar"
vote "$jar" a
is "a vote while there is room" "$STATUS" 303
new_match "$jar"
is "the next match is open" "$STATUS" 200
sample_stop

export PROMPT_ARENA_FAILPOINT=append:full
sample_start || { ok "it starts again" 1; tap_done; exit 1; }
refused() { # NAME
	is "$1: status" "$STATUS" 503
	has "$1: when to try again" "$HEADERS" "Retry-After: "
	xmllint --noout --nonet "$DIR/body" 2>/dev/null
	ok "$1: a well-formed page" $?
	hasnt "$1: nothing is revealed" "$BODY" "/prompt/"
}
vote "$jar" b
refused "the vote"
vote "$jar" b
refused "the same again"
vote "$jar" a
refused "another choice"
get "$jar" "$MATCH/result"
refused "the reveal"
for p in / /leaderboard /leaderboard.json /votes /ledger.jsonl /arena; do
	get "$jar" "$BASE$p"
	is "$p can be read" "$STATUS" 200
done
get "$jar" "$BASE/ledger.jsonl"
is "the public ledger ends where the file ends" "$(grep -c '"k":"vote"' <<<"$BODY")" 1
get "$jar" "$BASE/leaderboard.json"
has "and so does the board" "$BODY" '"last_seq":2,'
get "$jar" "$BASE/healthz"
is "whoever watches is told" "$STATUS" 503
sample_stop
unset PROMPT_ARENA_FAILPOINT

sample_start || { ok "it starts once more" 1; tap_done; exit 1; }
vote "$jar" a
is "the vote is found" "$STATUS" 303
get "$jar" "$MATCH/result"
is "and revealed" "$STATUS" 200
is "it is in the ledger once" "$(wc -l <"$DIR/votes.log")" 3
has "with the first choice" "$(tail -n 1 "$DIR/votes.log")" '"w":"b"'
sample_stop
sample_program verify >"$DIR/verify" 2>&1
ok "all agrees" $?
tap_done
