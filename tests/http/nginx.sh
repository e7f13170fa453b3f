#!/usr/bin/env bash
# What nginx answers by itself is a designed page too, at any depth and under
# any path: one that reads well, whose links lead somewhere, with its status.
. "$(dirname "$0")/../arena.sh"

page() { # NAME STATUS
	local link outside h missing=
	is "$where $1: status" "$STATUS" "$2"
	has "$where $1: a heading" "$BODY" "<h1>"
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$where $1: well-formed" $?
	has "$where $1: as XHTML" "$HEADERS" "application/xhtml+xml"
	has "$where $1: with a strict policy" "$HEADERS" "default-src 'none'"
	for h in "frame-ancestors 'none'" "X-Content-Type-Options: nosniff" \
	    "X-Frame-Options: DENY" "Referrer-Policy: same-origin" \
	    "Cross-Origin-Opener-Policy: same-origin" "Permissions-Policy: " \
	    "Cross-Origin-Resource-Policy: same-origin"; do
		case $HEADERS in *"$h"*) ;; *) missing="$missing [$h]" ;; esac
	done
	is "$where $1: no security header is missing" "$missing" ""
	hasnt "$where $1: nothing of nginx shows" "$BODY" "nginx"
	outside=$(grep -oE '(href|src)="/[^"]*"' <<<"$BODY" |
		grep -v "\"${BASE_PATH-}/")
	is "$where $1: no link leaves the arena" "$outside" ""
	link=$(grep -oE 'href="[^"]*arena\.css"' <<<"$BODY" | cut -d'"' -f2)
	is "$where $1: its stylesheet is there" "$(curl -s -o /dev/null \
		-w '%{http_code} %{content_type}' "http://127.0.0.1:$PORT$link")" \
		"200 text/css"
}

# ask TEXT: bytes that curl would not send, to the guests' server.
ask() {
	exec 3<>"/dev/tcp/127.0.0.1/$PORT"
	printf "$@" >&3
	cat <&3 | tr -d '\r' >"$DIR/answer"
	exec 3>&-
	STATUS=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$DIR/answer")
	HEADERS=$(sed '/^$/q' "$DIR/answer")
	BODY=$(sed '1,/^$/d' "$DIR/answer")
	# A body in chunks has their sizes between its lines.
	grep -qi '^transfer-encoding: chunked' <<<"$HEADERS" &&
		BODY=$(sed -e '/^[0-9a-f]\{1,4\}$/d' <<<"$BODY")
	printf '%s\n' "$BODY" | sed '1{/^$/d}' >"$DIR/body"
}

# Whatever is text is sent compressed to who asks so.
compressed() {
	local url
	for url in methodology leaderboard.json leaderboard.csv ledger.jsonl \
	    feed.atom plot/intervals.svg static/arena.css static/arena.js; do
		get "$DIR/jar" "$BASE/$url" -H 'Accept-Encoding: gzip'
		is "$where /$url is there" "$STATUS" 200
		has "$where /$url is compressed" "$HEADERS" "Content-Encoding: gzip"
	done
}

every_page() {
	local jar=$DIR/jar long url
	long=$(head -c 12000 /dev/zero | tr '\0' x)
	for url in nothing.css nothing/deeper/still.png sounds/; do
		get "$jar" "$BASE/static/$url"
		page "/static/$url" 404
	done
	post "$jar" "$BASE/static/arena.css" -d a=b
	page "a form for a file" 404
	get "$jar" "$BASE/static/error/503.xhtml"
	page "an error page asked for by name" 404
	for url in arena match/AAAA/deeper; do
		head -c 300000 /dev/zero >"$DIR/big"
		post "$jar" "$BASE/$url" --data-binary "@$DIR/big"
		page "too large a form for /$url" 413
	done
	get "$DIR/other" "$AUTH/votes"
	page "no password" 401
	has "$where no password: the browser asks" "$HEADERS" "WWW-Authenticate"
	get "$jar" "$BASE/arena?$long"
	page "too long an address" 414
	get "$jar" "$BASE/arena?${long:0:5000}"
	is "$where too long an address for the program" "$STATUS" 414
	get "$jar" "$BASE/arena?${long:0:7900}"
	is "$where so long that there is room for nothing else" "$STATUS" 414
	get "$jar" "$BASE/arena" -H "X-A: ${long:0:7000}" \
		-H "X-B: ${long:0:7000}" -H "X-C: ${long:0:7000}"
	is "$where too many headers for the program" "$STATUS" 431
	has "$where and it says so" "$BODY" "cookies or other headers"
	get "$jar" "$BASE/arena" -H "Cookie: a=$long"
	page "too many cookies" 400
	for url in TRACE CONNECT; do
		ask "$url ${BASE_PATH-}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
		page "$url" 405
		has "$where $url: says what is taken" "$HEADERS" \
			"Allow: GET, HEAD, POST"
	done
	ask 'GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n'
	page "bytes that are no address" 400
	ask 'GET / HTTP/1.1\r\n\r\n'
	page "no host" 400

	kill -STOP "$SERVE_PID" # its queue takes the request, nobody answers
	kill -KILL "$SERVE_PID"
	wait "$SERVE_PID" 2>/dev/null
	for url in "" leaderboard match/AAAA/result; do
		get "$jar" "$BASE/$url"
		page "/$url while the program is away" 503
		has "$where /$url: says when to come back" "$HEADERS" "Retry-After"
	done
	get "$jar" "$BASE/static/nothing"
	hasnt "$where but not beside a 404" "$HEADERS" "Retry-After"
	hasnt "$where nor what would be taken" "$HEADERS" "Allow:"
}

where="at the top:"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
arena_votes 300 3
compressed
every_page
arena_end
where="under /arena:"
export BASE_PATH=/arena
arena_new || { echo "not ok - the arena starts under a path"; exit 1; }
every_page
tap_done
