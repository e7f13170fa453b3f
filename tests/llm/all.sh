#!/usr/bin/env bash
# all.sh - what `make check-llm` runs: the table of cases, the command, the
# peers, a short soak.  One TAP stream.
here=$(cd "$(dirname "$0")" && pwd)
n=0 failed=0 out=$(mktemp)
trap 'rm -f "$out"' EXIT
part() { # NAME COMMAND...
	local name=$1 line bad=0 status
	shift
	"$@" >"$out"
	status=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) n=$((n + 1)); echo "ok $n - $name: ${line#*- }" ;;
		"not ok "*) n=$((n + 1)) bad=1 failed=$((failed + 1)); echo "not ok $n - $name: ${line#*- }" ;;
		[0-9]*..*) ;;
		*) echo "$line" ;;
		esac
	done <"$out"
	if [ $status != 0 ] && [ $bad = 0 ]; then
		n=$((n + 1)) failed=$((failed + 1))
		echo "not ok $n - $name ended with status $status"
	fi
}
part parts bash -c 'cd "$BUILDDIR" && make -s tests/llm/parts.t >&2 && tests/llm/parts.t'
part cases bash "$here/table.sh"
part endpoint bash "$here/endpoint.sh"
part peers bash "$here/peers.sh"
part soak bash "$here/soak.sh" "${SOAK:-20}" 4
echo "1..$n"
[ $failed = 0 ]
