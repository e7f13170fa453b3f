#!/usr/bin/env bash
# Configurations exchanged under load, the rule of Elo among them: every answer
# is whole, every vote is there, and all ratings go by one rule.
. "$(dirname "$0")/../arena.sh"
RELOADS=${RELOADS:-12}
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
node "$TESTS/faults/load.cjs" prepare "$BASE" "$DIR/voters" 40 >"$DIR/log" 2>&1 ||
	{ cat "$DIR/log"; ok "voters are there" 1; tap_done; exit 1; }
acked=$DIR/acked
: >"$acked"
node "$TESTS/faults/load.cjs" run "$BASE" "$DIR/voters" "$acked" &
load=$!
failed=0
for ((i = 1; i <= RELOADS; i++)); do
	before=$(wc -l <"$acked")
	enough() { [ "$(wc -l <"$acked")" -ge $((before + 20)) ] || ! sample_alive; }
	sample_wait 120 enough
	k=$((i % 2 == 0 ? 32 : 16))
	sed -i "s|<elo k=\"[0-9]*\"|<elo k=\"$k\"|" "$CONF"
	sample_program reload >"$DIR/reload.out" 2>&1 || failed=$((failed + 1))
done
is "$RELOADS reloads between votes" "$failed" 0
kill -TERM "$load" 2>/dev/null
wait "$load" 2>/dev/null
sample_alive
ok "the service is still there" $?
sample_stop
is "and stops cleanly" "$SAMPLE_STATUS" 0
[ "$(wc -l <"$acked")" -ge $((20 * RELOADS)) ]
ok "votes were flowing all the time" $?
sed -n 's/.*"k":"vote".*"m":"\([^"]*\)".*/\1/p' "$DIR/votes.log" | sort >"$DIR/ledger"
is "every answered vote is in the ledger" "$(sort "$acked" | comm -23 - "$DIR/ledger" | wc -l)" 0
sample_program verify >"$DIR/verify" 2>&1
ok "the chain and the ratings verify" $?
[ "$tap_failed" = 0 ] || diag "$(tail -n 20 "$DIR/verify" "$DIR/serve.log")"
tap_done
