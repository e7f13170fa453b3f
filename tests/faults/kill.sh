#!/usr/bin/env bash
# kill -9 under load: what was answered is there, once, and nothing else is.
. "$(dirname "$0")/../arena.sh"
CYCLES=${CYCLES:-20}
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
node "$TESTS/faults/load.cjs" prepare "$BASE" "$DIR/voters" 40 >"$DIR/log" 2>&1 ||
	{ cat "$DIR/log"; ok "voters are there" 1; tap_done; exit 1; }
acked=$DIR/acked
: >"$acked"
for cycle in $(seq 1 "$CYCLES"); do
	before=$(wc -l <"$acked")
	node "$TESTS/faults/load.cjs" run "$BASE" "$DIR/voters" "$acked" &
	load=$!
	enough() { [ "$(wc -l <"$acked")" -ge $((before + 40)) ] || ! kill -0 "$load" 2>/dev/null; }
	sample_wait 120 enough
	kill -9 "$SERVE_PID"
	wait "$SERVE_PID" 2>/dev/null
	kill -TERM "$load" 2>/dev/null
	wait "$load" 2>/dev/null
	[ $(($(wc -l <"$acked") - before)) -ge 40 ]
	ok "cycle $cycle: votes were flowing when it was killed" $?
	sample_serve
	sample_wait 120 sample_answers
	ok "cycle $cycle: it is back" $?
done
get "$DIR/jar" "$BASE/ledger.jsonl"
sample_stop
db=$(find "$DIR" -maxdepth 1 -name '*.db' | head -n 1)
sqlite3 -readonly "$db" "SELECT token FROM vote JOIN match ON match.id = vote.match ORDER BY token" >"$DIR/stored"
sed -n 's/.*"k":"vote".*"m":"\([^"]*\)".*/\1/p' "$DIR/votes.log" | sort >"$DIR/ledger"
sort "$acked" >"$DIR/acked.sorted"
is "every answered vote is in the database" "$(comm -23 "$DIR/acked.sorted" "$DIR/stored" | wc -l)" 0
is "every answered vote is in the ledger" "$(comm -23 "$DIR/acked.sorted" "$DIR/ledger" | wc -l)" 0
is "database and ledger agree" "$(diff "$DIR/stored" "$DIR/ledger" | wc -l)" 0
is "no vote stands twice" "$(uniq -d "$DIR/ledger" | wc -l)" 0
diag "$(wc -l <"$acked") votes answered over $CYCLES kills, $(wc -l <"$DIR/ledger") stored"
sample_program verify >"$DIR/verify" 2>&1
ok "the chain and the ratings verify" $?
[ "$tap_failed" = 0 ] || diag "$(tail -n 20 "$DIR/verify")"
tap_done
