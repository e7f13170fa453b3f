# arena.sh - a whole arena for one test: its own state, ports and nginx.
# Source it.  arena_new [edits of demo.xml as sed expressions...]
# SAMPLE=arena.xml starts from the institutions' sample instead.
# shellcheck shell=bash
TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PA_SRC=${PA_SRC:-$(dirname "$TESTS")}
PA_BIN=${PA_BIN:-$PA_SRC/build/check/prompt-arena}
PATH=$PATH:/usr/sbin
# shellcheck source=tests/tap.sh
. "$TESTS/tap.sh"
# shellcheck source=build-aux/sample-arena.sh
. "$PA_SRC/build-aux/sample-arena.sh"

# Two neighbouring ports that nobody uses, below those that the system gives
# to outgoing connections: one of these, closed a moment ago, is in nobody's
# use and still cannot be listened on for a minute.
arena_ports() {
	local try
	for try in $(seq 1 200); do
		PORT=$((10000 + (RANDOM % 11000) * 2))
		sample_listens "$PORT" || sample_listens $((PORT + 1)) || return 0
	done
	return 1
}

# Make and start one; sets BASE (guests) and AUTH (signed-in server).
arena_new() {
	local edit
	DIR=$(mktemp -d "${TMPDIR:-/tmp}/arena.XXXXXX")
	cp -r "$PA_SRC/conf" "$DIR/conf"
	CONF=$DIR/conf/${SAMPLE:-demo.xml}
	for edit in "$@"; do sed -i -e "$edit" "$CONF"; done
	arena_ports || return 1
	sample_prepare
	BASE=http://127.0.0.1:$PORT${BASE_PATH-}
	AUTH=http://127.0.0.1:$((PORT + 1))${BASE_PATH-}
	trap arena_end EXIT
	trap 'arena_end; exit 1' INT TERM
	sample_start
}

# Simulated votes in the arena that runs: arena_votes HOW_MANY SEED
arena_votes() {
	[ "$1" != 0 ] || return 0
	sample_stop
	sample_program simulate --votes "$1" --seed "$2" >"$DIR/simulate.log" 2>&1 ||
		{ diag "$(cat "$DIR/simulate.log")"; return 1; }
	sample_start
}

arena_end() {
	sample_stop
	if [ "${tap_failed:-0}" = 0 ]; then
		rm -rf "$DIR"
	elif [ -n "${DIR-}" ]; then
		diag "state kept in $DIR"
	fi
	DIR=''
}

# A browser of curl's: a cookie jar each.  get/post print the body and set
# STATUS, HEADERS, LOCATION (through files, since they run in subshells).
# fetch JAR METHOD URL [curl arguments...]
fetch() {
	local jar=$1 method=$2 url=$3
	shift 3
	: >"$DIR/body" # an empty answer leaves the file alone
	curl -s -m 30 -X "$method" -b "$jar" -c "$jar" -D "$DIR/headers" \
		-o "$DIR/body" -w '%{http_code}' "$@" "$url" >"$DIR/status"
	STATUS=$(cat "$DIR/status")
	HEADERS=$(tr -d '\r' <"$DIR/headers")
	LOCATION=$(sed -n 's/^[Ll]ocation: //p' <<<"$HEADERS" | tail -n 1)
	BODY=$(tr -d '\000' <"$DIR/body")
}
get() { fetch "$1" GET "$2" "${@:3}"; }
# As a browser posts a form of the page it is on.
post() { fetch "$1" POST "$2" -H 'Sec-Fetch-Site: same-origin' "${@:3}"; }

# A new match for this jar; sets MATCH (whole URL) and TOKEN.  Status 1:
# there is none, and the page that says why was fetched.  The base is
# $2 (guests when absent).
new_match() {
	local base=${2:-$BASE}
	post "$1" "$base/arena" -d type="${3:-any}" --data-urlencode "csrf=${CSRF-}"
	[ -n "$LOCATION" ] || return 1
	MATCH=$(absolute "$LOCATION" "${base%"${BASE_PATH-}"}")
	TOKEN=${MATCH##*/}
	get "$1" "$MATCH"
	CSRF=$(csrf)
}

# Vote in the match fetched last: vote JAR CHOICE [curl arguments...]
vote() {
	post "$1" "$MATCH" -d choice="$2" -d do=vote \
		--data-urlencode "csrf=$CSRF" "${@:3}"
}

# The form token of the page that was fetched last.
csrf() {
	sed -n 's/.*name="csrf"[^>]*value="\([^"]*\)".*/\1/p' "$DIR/body" |
		head -n 1
}

# Where a Location header leads, as a whole URL.
absolute() {
	case $1 in
	http*) echo "$1" ;;
	*) echo "${2:-http://127.0.0.1:$PORT}$1" ;;
	esac
}

# Somebody who signs in, with the form token of the page seen last:
# as USER METHOD PATH [curl arguments...]
as() {
	local user=$1 method=$2 path=$3 token
	shift 3
	if [ "$method" = POST ]; then
		post "$DIR/$user" "$AUTH$path" -u "$user:$user" --data-urlencode "csrf=$(cat "$DIR/csrf-$user")" "$@"
	else
		get "$DIR/$user" "$AUTH$path" -u "$user:$user" "$@"
		token=$(csrf)
		[ -z "$token" ] || echo "$token" >"$DIR/csrf-$user"
	fi
}
