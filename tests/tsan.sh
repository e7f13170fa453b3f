#!/usr/bin/env bash
# tsan.sh - what threads share, looked at by clang's ThreadSanitizer.  TAP.
# Called by `make check-tsan`; needs clang.  Not part of CI: it builds all anew.
#
# The programs that use threads by themselves, then the whole service while
# answers are written: request workers, the writer, curl's thread, the job
# runner and the statistics thread.
SRC=$(cd "$(dirname "$0")/.." && pwd)
BUILDDIR=${BUILDDIR:-.}/tsan
. "$SRC/tests/tap.sh"
programs='port/db port/fcgi port/markdown model/store model/startup model/vote
	model/job model/stock model/board'
mkdir -p "$BUILDDIR" && cd "$BUILDDIR" || exit 1
[ -f Makefile ] || "$SRC/configure" -q CC=clang CFLAGS='-g -O1' \
	--enable-sanitizers=thread >configure.out 2>&1
# shellcheck disable=SC2046
make -s -j"$(nproc)" prompt-arena tests/llm/ask \
	$(printf 'tests/%s.t ' $programs) >make.out 2>&1
ok "everything is built with clang -fsanitize=thread" $?
rm -f report.*
export TSAN_OPTIONS="log_path=$PWD/report exitcode=66"
races() { # what was reported since the last look, one line each
	cat report.* 2>/dev/null | sed -n 's/^SUMMARY: //p' | sort -u
	rm -f report.*
}
for p in $programs; do
	SRCDIR=$SRC "tests/$p.t" >out 2>&1
	ok "$p passes" $?
	is "$p has no race" "$(races)" ""
done
for script in llm/table http/allowances http/voting http/answers; do
	BUILDDIR=$PWD PA_BIN=$PWD/prompt-arena PA_SRC=$SRC \
		bash "$SRC/tests/$script.sh" >out 2>&1
	# Times are those of a program that is watched: they decide nothing here.
	grep -c '^ok' out >passed
	[ "$(cat passed)" -gt 20 ]
	ok "$script runs ($(cat passed) checks hold)" $?
	is "$script sees no race" "$(races)" ""
done
tap_done
