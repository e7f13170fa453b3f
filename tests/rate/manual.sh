#!/usr/bin/env bash
# Every example of prompt-arena-rate(1) runs, and prints what the page prints.
. "$SRCDIR/tests/tap.sh"
export LC_ALL=C
PAGE=$SRCDIR/man/prompt-arena-rate.1
d=$(mktemp -d) || exit 99
trap 'rm -rf "$d"' EXIT
prompt-arena() { "$BUILDDIR/prompt-arena" "$@"; }
cp "$SRCDIR/tests/model/data/votes.log" "$d/votes.log" || exit 99
cd "$d" || exit 99

# One example a call: the command, and the lines that stand below it.
try() { # COMMAND PRINTED
	local got
	if [[ $1 == "cat "* ]]; then
		printf '%s' "$2" >"${1#cat }"
		return
	fi
	got=$(eval "${1//\/var\/lib\/prompt-arena\//}" 2>&1)
	ok "${1%%$'\n'*}: succeeds" $?
	[ -z "$2" ] || is "${1%%$'\n'*}: prints what the page says" "$got" "${2%$'\n'}"
}

command='' printed='' inside=
while IFS= read -r line; do
	case $line in
	".Sh EXAMPLES") inside=1 ;;
	.Sh*) inside= ;;
	esac
	[ -n "$inside" ] || continue
	case $line in
	.Ed | ".Dl \$ "* | "\$ "*)
		[ -z "$command" ] || try "$command" "$printed"
		command=${line#.Ed} printed=''
		command=${command#.Dl }
		command=${command#\$ }
		;;
	"> "*) command+=$'\n'${line#> } ;;
	.*) ;;
	*) [ -z "$command" ] || printed+=$line$'\n' ;;
	esac
	if [[ $line == ".Dl "* ]]; then
		try "$command" ''
		command=''
	fi
done <"$PAGE"
[ "$tap_n" -ge 7 ]
ok "the page has its examples" $?
tap_done
