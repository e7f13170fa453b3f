#!/usr/bin/env bash
# Who one is comes from the web server alone.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar

for h in Remote-User Auth-User X-Remote-User PA-User PA_USER X-PA-USER \
    X-Forwarded-User X-User HTTP_PA_USER X-Auth-Request-User; do
	get "$jar" "$BASE/" -H "$h: admin"
	hasnt "the header $h is nobody" "$BODY" "Signed in as"
done
get "$jar" "$BASE/" -u admin:x
hasnt "a password that nobody asked for is nobody" "$BODY" "Signed in as"
get "$jar" "$AUTH/" -u alice:wrong
is "a wrong password stays outside" "$STATUS" 401
get "$DIR/alice" "$AUTH/" -u alice:alice
is "the right one is let in" "$STATUS" 200
has "as oneself" "$BODY" "alice"
hasnt "a member gets no guest cookie" "$(cat "$DIR/alice")" arena

# Where nginx asks for no password, a name is nobody's: not in these places,
# and not on paths that nginx and the program might read differently.
for p in /healthz /hooks/notice //healthz /forum/../healthz \
    /forum/%2e%2e/healthz /./healthz /notices/../hooks/notice; do
	for m in GET POST DELETE; do
		curl -s --path-as-is -X $m -u admin:wrong -o "$DIR/body" "$AUTH$p"
		hasnt "$m $p believes no unproved name" "$(cat "$DIR/body")" "Signed in as"
	done
done

# The FastCGI socket itself, with a wrong secret, or with two names.
ask() { node "$TESTS/http/fastcgi.cjs" "$DIR/fcgi.sock" "$@"; }
secret=$(cat "$DIR/secret")
has "the right secret" "$(ask REQUEST_URI=/ PA_USER=alice PA_SECRET="$secret")" "Status: 200"
has "a wrong secret is refused" "$(ask REQUEST_URI=/ PA_USER=alice PA_SECRET=wrong)" "Status: 403"
has "no secret is refused" "$(ask REQUEST_URI=/ PA_USER=alice)" "Status: 403"
has "two names are refused" "$(ask REQUEST_URI=/ PA_USER=alice PA_USER=admin PA_SECRET="$secret")" "Status: 400"
has "two secrets are refused" "$(ask REQUEST_URI=/ PA_USER=alice PA_SECRET=x PA_SECRET="$secret")" "Status: 400"
# libfcgi ends a parameter at a NUL: what holds one is not taken at all.
for forged in 'PA_USER=admin\0x' 'PA_USER=\0' 'PA_USER\0X=admin' \
    'HTTP_COOKIE=a=b\0' 'QUERY_STRING=a\0b'; do
	is "nothing is answered to $forged" \
		"$(ask REQUEST_URI=/ PA_SECRET="$secret" "$forged" | grep -c 'Status:\|Signed')" 0
done
is "nor to a secret with something behind it" \
	"$(ask REQUEST_URI=/ PA_USER=admin "PA_SECRET=$secret\\0x" | grep -c 'Status:\|Signed')" 0
has "and the service goes on" "$(ask REQUEST_URI=/ PA_USER=alice PA_SECRET="$secret")" "Status: 200"
get "$DIR/nul" "$AUTH/" -H "Authorization: Basic $(printf 'admin\0x:admin' | base64)"
is "nginx knows nobody of such a name" "$STATUS" 401
has "a path that is one path" "$(ask REQUEST_URI=/nowhere PA_USER=alice PA_SECRET="$secret")" "Signed in as"
for p in //nowhere /./nowhere /x/../nowhere /x/%2e%2e/nowhere /x/.. /arena/. /no%E2%80%8Bwhere; do
	out=$(ask REQUEST_URI=$p PA_USER=alice PA_SECRET="$secret")
	has "$p is nothing" "$out" "Status: 404"
	hasnt "and nobody's" "$out" "Signed in as"
done
has "nobody is a visitor" "$(ask REQUEST_URI=/ PA_SECRET="$secret")" "Status: 200"

# HEAD: the header lines of GET, and nothing after them.
for path in / /leaderboard /leaderboard.json /ledger.jsonl /nowhere; do
	ask REQUEST_METHOD=HEAD REQUEST_URI=$path | tr -d '\r' >"$DIR/head"
	is "HEAD $path has no body" "$(sed '1,/^$/d' "$DIR/head" | wc -c)" 0
	has "and the status of GET" "$(cat "$DIR/head")" \
		"$(ask REQUEST_URI=$path | tr -d '\r' | grep -a '^Status:')"
	curl -s -m 5 -I "$BASE$path" >"$DIR/head"
	is "HEAD $path ends through nginx" "$?" 0
done
hasnt "nginx finds nothing wrong" "$(cat "$DIR/nginx-error.log")" "prematurely"

# A guest's cookie counts for nothing once the web server names somebody.
new_match "$jar"
cookie=$(awk '/arena/ {print $6 "=" $7}' "$jar")
get "$DIR/none" "$AUTH/match/$TOKEN" -u alice:alice -H "Cookie: $cookie"
is "a member with a guest's cookie does not see the guest's match" "$STATUS" 404
forged=${cookie%?}$([ "${cookie: -1}" = a ] && echo b || echo a)
get "$DIR/none" "$MATCH" -H "Cookie: $forged"
is "a changed cookie is nobody's" "$STATUS" 404

# Cookie flags on plain HTTP and behind TLS.
rm -f "$DIR/fresh"
post "$DIR/fresh" "$BASE/arena" -d type=any
has "the cookie is for the server alone" "$HEADERS" "HttpOnly"
has "and for this site" "$HEADERS" "SameSite=Lax"
out=$(ask REQUEST_METHOD=POST REQUEST_URI=/arena HTTPS=on HTTP_SEC_FETCH_SITE=same-origin \
	CONTENT_TYPE=application/x-www-form-urlencoded BODY=type=any)
has "behind TLS it has the __Host- name" "$out" "__Host-arena="
has "and is Secure" "$out" "Secure"

# Caching: what is personal is never stored, what is not says so.
get "$DIR/visitor" "$BASE/leaderboard"
has "a visitor's board may be shared" "$HEADERS" "public"
has "by language" "$HEADERS" "Vary: Accept-Language"
hasnt "it carries no form token" "$BODY" 'name="csrf" value="'
get "$jar" "$BASE/leaderboard"
hasnt "a guest's board is not shared" "$HEADERS" "public"
get "$DIR/alice" "$AUTH/leaderboard" -u alice:alice
hasnt "nor is a member's" "$HEADERS" "public"
get "$DIR/visitor" "$BASE/leaderboard"
hasnt "and the visitor never sees a member's name" "$BODY" "alice"
tap_done
