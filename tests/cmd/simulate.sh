#!/usr/bin/env bash
# `prompt-arena simulate` on the sample that ships: fills an empty arena,
# repeats itself for the same seed, refuses to mix with real votes.
set -u
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}" "${BUILDDIR:=.}"
# shellcheck source=tests/tap.sh
. "$SRCDIR/tests/tap.sh"
program=$BUILDDIR/prompt-arena
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset PROMPT_ARENA_CONF PROMPT_ARENA_STATE
export PROMPT_ARENA_DATADIR=$SRCDIR

new() { # a state folder with its secret
	mkdir "$work/$1"
	(umask 077 && echo 0123456789abcdef-not-to-be-told >"$work/$1/secret")
}
run() {
	state=$work/$1
	shift
	"$program" simulate --conf "$SRCDIR/conf" --state "$state" "$@" \
		>"$work/out" 2>"$work/err" </dev/null
	status=$?
}
# What a ledger says, without days and chain (the arena's UUID starts it).
said() { sed -e 's/,"prev".*//' -e 's/"t":[0-9]*,//' -e 1d "$work/$1/votes.log"; }

new one
run one --votes 300 --seed 7
is "300 votes: exit status" "$status" 0
is "... and says so" "$(cat "$work/out")" "300 simulated votes, seed 7"
is "... all in the ledger" "$(said one | grep -c '"k":"vote"')" 300

new two
run two --votes 300 --seed=7
is "the same seed: exit status" "$status" 0
is "... the same votes" "$(said two | sha256sum)" "$(said one | sha256sum)"
new three
run three --votes 300 --seed 8
[ "$(said three | sha256sum)" != "$(said one | sha256sum)" ]
ok "another seed, other votes" $?

run one --votes 10
is "more may be added to simulated votes: exit status" "$status" 0
run one --votes 10
is "the same votes once more: exit status" "$status" 65
has "... and says what to do" "$(cat "$work/err")" "choose another --seed"
run one --votes many
is "a number of votes that is none: exit status" "$status" 64
has "... with the usage" "$(cat "$work/err")" "usage: prompt-arena simulate"
run one
is "no number: exit status" "$status" 64
run one --help
is "--help: exit status" "$status" 0
has "... on standard output" "$(cat "$work/out")" "usage: prompt-arena simulate"
"$program" simulate --votes 1 --conf "$work/nosuch" >"$work/out" 2>"$work/err"
is "no configuration: exit status" "$?" 78
has "... and names it" "$(cat "$work/err")" "$work/nosuch"
tap_done
