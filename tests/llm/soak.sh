#!/usr/bin/env bash
# soak.sh SECONDS WORKERS - all cases at random: no crash, no file left open,
# memory flat.  TAP.
. "$(dirname "$0")/lib.sh"
stub
"$BUILDDIR/tests/llm/ask" soak "$ports" "$work" "${1:-20}" "${2:-4}" 2>"$work/log" ||
	{ tail -n 20 "$work/log" | sed 's/^/# /'; exit 1; }
