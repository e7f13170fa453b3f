#!/usr/bin/env bash
# One state folder: one service writes to it, and only to files that have names.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar
log=$(find "$DIR" -name votes.log | head -n 1)
db=$(dirname "$log")/arena.db

serve_beside() { # a second service with other sockets; its exit status
	local root=
	[ "$(id -u)" != 0 ] || root=--allow-root
	# shellcheck disable=SC2086
	PROMPT_ARENA_CONF=$CONF PROMPT_ARENA_STATE=$DIR \
		PROMPT_ARENA_DATADIR=$(sample_data) timeout 60 "$PA_BIN" serve $root \
		--socket "$DIR/second.sock" --control "$DIR/second.control" \
		>"$DIR/second.log" 2>&1
}
serve_beside
is "a second service is refused" "$?" 75
has "by name of the first" "$(cat "$DIR/second.log")" "in use by process $SERVE_PID"
rm -f "$db.lock"
serve_beside
is "also when the lock file was removed" "$?" 75
has "by name of the first" "$(cat "$DIR/second.log")" "in use by process $SERVE_PID"
sample_program verify >"$DIR/verify.log" 2>&1
is "verify looks beside the service" "$?" 0
sample_program check >"$DIR/check.log" 2>&1
is "so does check" "$?" 0
sample_program backup "$DIR/copy.db" >"$DIR/backup.log" 2>&1
is "and backup" "$?" 0

new_match "$jar"
lines=$(wc -l <"$log")
mv "$log" "$log.away"
vote "$jar" a
is "a vote while votes.log is away is not acknowledged" "$STATUS" 503
xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
ok "by a page that is well-formed" $?
has "and designed" "$BODY" "<main"
get "$jar" "$MATCH/result"
[ "$STATUS" != 200 ]
ok "and nothing is revealed" $?
vote "$jar" a
is "nor is the second try" "$STATUS" 503
is "the log says it once" "$(grep -c 'moved, removed or replaced' "$DIR/serve.log")" 1
mv "$log.away" "$log"
again() { vote "$jar" a; [ "$STATUS" = 303 ]; }
sample_wait 120 again
ok "with the file back the retry finds its vote" $?
is "which is in the file once" "$(wc -l <"$log")" $((lines + 1))
get "$jar" "$MATCH/result"
is "and revealed" "$STATUS" 200
tap_done
