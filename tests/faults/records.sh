#!/usr/bin/env bash
# Whatever is written to the FastCGI socket, the next request is answered.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
for seed in 1 2 3; do
	node "$TESTS/faults/records.cjs" "$DIR/fcgi.sock" "${RECORDS:-400}" "$seed"
	sample_alive
	ok "seed $seed: the program is there" $?
	get "$DIR/jar" "$BASE/leaderboard?$seed"
	is "seed $seed: and answers" "$STATUS" 200
done
sample_stop
is "it ends as always" "$SAMPLE_STATUS" 0
hasnt "nothing is reported of its memory" "$(cat "$DIR/serve.log")" "Sanitizer"
tap_done
