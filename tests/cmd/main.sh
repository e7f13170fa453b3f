#!/usr/bin/env bash
# The command line as an administrator meets it: help, version, wrong words,
# and the life of a service on the sample's files.
set -u
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}" "${BUILDDIR:=.}"
# shellcheck source=tests/tap.sh
. "$SRCDIR/tests/tap.sh"
program=$BUILDDIR/prompt-arena
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PROMPT_ARENA_DATADIR=$SRCDIR PROMPT_ARENA_STATE=$work
export PROMPT_ARENA_CONF=$SRCDIR/conf/demo.xml
unset NOTIFY_SOCKET LISTEN_FDS LISTEN_PID PROMPT_ARENA_SOCKET
root=
[ "$(id -u)" != 0 ] || root=--allow-root

run() { "$program" "$@" >"$work/out" 2>"$work/err" </dev/null; status=$?; }
out() { cat "$work/out"; }
err() { cat "$work/err"; }
until_there() {
	local end=$((SECONDS + 20))
	until [ -e "$1" ]; do
		[ "$SECONDS" -lt "$end" ] && kill -0 "$service" || return 1
		read -rt 0.02 <> <(:) || :
	done
}

# --- words ------------------------------------------------------------------
run --version
is "--version" "$status" 0
has "... names the program" "$(out)" "prompt-arena "
run --help
is "--help" "$status" 0
has "... lists the commands" "$(out)" "  serve "
run
is "no word at all" "$status" 64
has "... shows the help" "$(err)" "usage:"
run chek
is "an unknown command" "$status" 64
has "... names the nearest" "$(err)" 'did you mean "check"?'
run zzzzzzzz
is "a command that is near none" "$status" 64
hasnt "... names none" "$(err)" "did you mean"
run serve --help
is "serve --help" "$status" 0
for c in cgi check endpoint rate simulate verify recompute backup status \
    reload stop; do
	run $c --help
	is "$c --help" "$status" 0
	has "... on standard output" "$(out)" "usage: prompt-arena $c"
	"$program" $c --help >/dev/full 2>"$work/err" </dev/null
	is "$c --help that cannot be printed" "$?" 74
	[ -s "$work/err" ]
	ok "... says so" $?
done
run serve --sokcet x
is "serve with a wrong option" "$status" 64
run serve $root
is "serve without its secret" "$status" 78
has "... names the file and its line" "$(err)" "demo.xml:"
run cgi
is "cgi by hand" "$status" 64

# --- a service --------------------------------------------------------------
(umask 077 && echo 0123456789abcdef-not-to-be-told >"$work/secret")
run serve $root --conf "$work/none.xml"
is "serve with a missing configuration" "$status" 78
run status
is "status without a service" "$status" 75
has "... says so" "$(err)" "no service listens"

# Standard streams closed: nothing of ours may be opened in their place.
# shellcheck disable=SC2086
(exec 0<&- 1>&- 2>&-; exec "$program" serve $root) &
service=$!
until_there "$work/control.sock"
ok "serve starts" $?
run status
is "status" "$status" 0
has "... tells the version" "$(out)" "version "
for fd in 0 1 2; do
	is "fd $fd is taken" "$(readlink "/proc/$service/fd/$fd")" /dev/null
done
run reload
is "reload" "$status" 0
run serve $root
is "a second service" "$status" 75
run status
is "... leaves the first alone" "$status" 0
run stop
is "stop" "$status" 0
[ ! -e "$work/fcgi.sock" ] && [ ! -e "$work/control.sock" ]
ok "... has removed the sockets when it returns" $?
wait "$service"
is "... and the service ends well" $? 0
tap_done
