#!/usr/bin/env bash
# The units are valid and let the service do little (an exposure of 1.5).
set -u
: "${SRCDIR:=$(cd "$(dirname "$0")/.." && pwd)}" "${BUILDDIR:=.}"
# shellcheck source=tests/tap.sh
. "$SRCDIR/tests/tap.sh"
if ! command -v systemd-analyze >/dev/null; then
	echo "1..0 # SKIP systemd-analyze is not here"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$SRCDIR/systemd/prompt-arena.socket" "$work"
# verify wants the program where the unit says: give it one that is there.
sed 's|^\(Exec[A-Za-z]*=\)[^ ]*|\1/bin/true|' \
	"$BUILDDIR/systemd/prompt-arena.service" >"$work/prompt-arena.service"
out=$(SYSTEMD_UNIT_PATH="$work:" systemd-analyze verify --man=no \
	"$work/prompt-arena.service" "$work/prompt-arena.socket" 2>&1 |
	grep prompt-arena)
is "the units are valid" "$out" ""
out=$(systemd-analyze security --offline=yes --threshold=15 --no-pager \
	"$work/prompt-arena.service" 2>&1)
ok "the service is exposed at most 1.5" $?
diag "$(tail -n 1 <<<"$out")"
hasnt "no placeholder is left" "$(cat "$BUILDDIR/systemd/prompt-arena.service")" "@bindir"
tap_done
