#!/usr/bin/env bash
# table.sh - every case of the stub server, in pieces of 1, 7 and 4096 bytes,
# through nginx, and with a wall clock that jumps.  TAP.
. "$(dirname "$0")/lib.sh"
stub
nginx_front
n=0 failed=0
start=$SECONDS
# Renumber the TAP of several runs as one.
run() { # LABEL COMMAND...
	local label=$1 line
	shift
	"$@" >"$work/out" 2>>"$work/log" || { [ -s "$work/out" ] || echo "not ok 0 - $label runs" >"$work/out"; }
	while IFS= read -r line; do
		case $line in
		"ok "*) n=$((n + 1)); echo "ok $n - $label:${line#*-}" ;;
		"not ok "*) n=$((n + 1)); failed=$((failed + 1)); echo "not ok $n - $label:${line#*-}" ;;
		[0-9]*..*) ;;
		*) echo "$line" ;;
		esac
	done <"$work/out"
}
ask=$BUILDDIR/tests/llm/ask
for k in k1 k7 k4096; do
	run "$k" "$ask" table "$ports" "$work" $k
done
run nginx "$ask" table "$ports" "$work" x0 "$nginx"
run jump env JUMP=1 "$ask" table "$ports" "$work" k2048
run scenarios "$ask" scenarios "$ports"
n=$((n + 1))
if grep -E 'sk-(leak-89|echo-7|test-4a|redirect-8)|azure-secret-5' "$work/log" >&2; then
	failed=$((failed + 1))
	echo "not ok $n - no key stands in the log"
else
	echo "ok $n - no key stands in the log"
fi
echo "# $(wc -l <"$work/log") log lines, $((SECONDS - start)) s"
[ -z "${KEEP_LOG:-}" ] || cp "$work/log" "$KEEP_LOG"
echo "1..$n"
[ $failed = 0 ]
