# tap.sh - the Test Anything Protocol for shell tests.  Source it.
# shellcheck shell=bash
tap_n=0 tap_failed=0

# ok NAME STATUS: status 0 passes.
ok() {
	tap_n=$((tap_n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $tap_n - $1"
	else
		echo "not ok $tap_n - $1"
		tap_failed=$((tap_failed + 1))
	fi
}

# is NAME GOT WANTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1" 0
	else
		ok "$1" 1
		printf '#   got:    %s\n#   wanted: %s\n' "${2:0:300}" "${3:0:300}"
	fi
}

# has NAME TEXT PIECE: the piece occurs.
has() {
	case $2 in
	*"$3"*) ok "$1" 0 ;;
	*)
		ok "$1" 1
		printf '%s\n' "${2:0:600}" | sed 's/^/#   in: /'
		printf '#   no: %s\n' "${3:0:300}"
		;;
	esac
}

# hasnt NAME TEXT PIECE
hasnt() {
	case $2 in
	*"$3"*) ok "$1" 1; printf '#   has: %s\n' "${3:0:300}" ;;
	*) ok "$1" 0 ;;
	esac
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

tap_done() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
}
