#!/usr/bin/env bash
# peers.sh - two OpenAI-compatible servers that others wrote, from npm.  TAP.
. "$(dirname "$0")/lib.sh"
n=0 failed=0
peers=${BUILD:-$BUILDDIR}/npm-peers
mkdir -p "$peers"
if ! cmp -s "$here/package.json" "$peers/package.json" || [ ! -d "$peers/node_modules" ]; then
	cp "$here/package.json" "$peers/"
	(cd "$peers" && npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1) || {
		tail -n 5 "$peers/npm.log" | sed 's/^/# /'
		rm -f "$peers/package.json"
		echo "not ok 1 - npm installs the peers"
		echo "1..1"
		exit 1
	}
fi
free_port() {
	node -e 'const s=require("net").createServer();s.listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close();});'
}
# Until PORT takes connections, or the process is gone.
up() { # PORT PID
	local end=$((SECONDS + 120))
	until (exec 9<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
		[ $SECONDS -lt $end ] && kill -0 "$2" 2>/dev/null || return 1
		read -rt 0.1 <> <(:)
	done
	return 0
}
ask() { # NAME URL WANTED
	local line
	"$BUILDDIR/tests/llm/ask" peer "$2" gpt-4o-mini "Hello, how are you?" >"$work/out" 2>>"$work/err"
	while IFS= read -r line; do
		case $line in
		"ok "*) n=$((n + 1)); echo "ok $n - $1: ${line#*- }" ;;
		"not ok "*) n=$((n + 1)) failed=$((failed + 1)); echo "not ok $n - $1: ${line#*- }" ;;
		"#"*) echo "$line" ;;
		esac
	done <"$work/out"
	n=$((n + 1))
	if [ "$(grep -c -- "$3" "$work/out")" = 2 ]; then
		echo "ok $n - $1: the text it was told to give, both ways"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1: the text it was told to give, both ways"
		sed 's/^/# /' "$work/err"
	fi
}
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY

p1=$(free_port)
(cd "$work" && exec env HOST=127.0.0.1 PORT="$p1" "$peers/node_modules/.bin/mock-llm" >"$work/p1.log" 2>&1) &
pids+=($!)
up "$p1" $! || { echo "not ok 1 - mock-llm starts"; sed 's/^/# /' "$work/p1.log"; echo 1..1; exit 1; }
ask mock-llm "http://127.0.0.1:$p1/v1" "Hello, how are you?"

p2=$(free_port)
cat >"$work/p2.yaml" <<Y
apiKey: peer-test-key
port: $p2
responses:
  - id: greeting
    messages:
      - role: user
        content: "Hello, how are you?"
        matcher: contains
      - role: assistant
        content: "I am well — 谢谢, ممنون 😀."
  - id: with-system
    messages:
      - role: system
        matcher: any
      - role: user
        content: "Hello, how are you?"
      - role: assistant
        content: "I am well — 谢谢, ممنون 😀."
Y
"$peers/node_modules/.bin/openai-mock-api" --config "$work/p2.yaml" --port "$p2" >"$work/p2.log" 2>&1 &
pids+=($!)
up "$p2" $! || { echo "not ok 9 - openai-mock-api starts"; sed 's/^/# /' "$work/p2.log"; echo 1..9; exit 1; }
ask openai-mock-api "http://127.0.0.1:$p2/v1" "I am well — 谢谢, ممنون 😀."
echo "1..$n"
[ $failed = 0 ]
