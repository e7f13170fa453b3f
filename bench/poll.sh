#!/usr/bin/env bash
# poll.sh - what ten thousand open tabs cost those who vote.
#
# 10 000 signed-in browsers ask /notices.json every 30 seconds (333 requests a
# second, each with its own ETag) while others vote, 25 votes a second.  The
# 99th percentile of a vote's answer with and without them, in turns; the
# median ratio of 5 pairs is what counts (wanted: at most 1.15).
. "$(dirname "$0")/../tests/arena.sh"
BROWSERS=${BROWSERS:-10000} PAIRS=${PAIRS:-5} SECONDS_EACH=${SECONDS_EACH:-12}

# A sign-in without passwords: 10 000 digests would be what is measured.
real_locations=$(declare -f sample_locations)
eval "${real_locations/sample_locations/sample_locations_of_source}"
sample_locations() {
	# shellcheck disable=SC2016
	sample_locations_of_source "$@" |
		sed -e '/auth_basic/d' -e 's/\$remote_user;/$http_x_bench_user;/'
}

arena_new || exit 1
sample_stop
sqlite3 "$DIR/arena.db" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $BROWSERS)
	INSERT INTO account(login, kind, created_at) SELECT 'browser' || i, 'member', 1 FROM n"
sample_start || exit 1
node "$PA_SRC/bench/poll.cjs" vote "$BASE" prepare "$DIR/voters.json" 600 || exit 1
for ((i = 0; i < PAIRS; i++)); do
	without=$(node "$PA_SRC/bench/poll.cjs" vote "$BASE" "$SECONDS_EACH" "$DIR/voters.json") || exit 1
	# Browsers do not take the server's processors: theirs waits for ours.
	nice -n 19 node "$PA_SRC/bench/poll.cjs" poll "$AUTH" "$BROWSERS" >"$DIR/polls" &
	poller=$!
	sample_wait 180 grep -q ready "$DIR/polls" || { echo "the browsers did not get ready" >&2; exit 1; }
	with=$(node "$PA_SRC/bench/poll.cjs" vote "$BASE" "$SECONDS_EACH" "$DIR/voters.json") || exit 1
	kill "$poller"
	wait "$poller" 2>/dev/null
	echo "without: $without ms, with: $with ms, $(tail -n 1 "$DIR/polls")"
	awk -v a="$without" -v b="$with" 'BEGIN { printf "%.3f\n", b / a }' >>"$DIR/ratios"
done
echo "vote p99 with $BROWSERS browsers / without: $(sort -g "$DIR/ratios" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }') (wanted <= 1.15)"
