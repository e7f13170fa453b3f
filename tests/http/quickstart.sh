#!/usr/bin/env bash
# ./quickstart with a model server: the demonstration has an AI TA that works.
. "$(dirname "$0")/../arena.sh"
DIR=$(mktemp -d "${TMPDIR:-/tmp}/arena.XXXXXX")
AUTH='' MODEL_PID='' QUICK_PID=''
end() {
	[ -z "$QUICK_PID" ] || { kill -TERM "$QUICK_PID"; wait "$QUICK_PID"; } 2>/dev/null
	[ -z "$MODEL_PID" ] || { kill "$MODEL_PID"; wait "$MODEL_PID"; } 2>/dev/null
	QUICK_PID='' MODEL_PID=''
}
trap 'end; arena_end' EXIT
trap 'exit 1' INT TERM
# The program that is tested, as if quickstart had built it.
mkdir "$DIR/build"
ln -s "$(cd "$(dirname "$PA_BIN")" && pwd)" "$DIR/build/run"
begin() { # NAME [environment as for env...]
	local name=$1
	shift
	rm -f "$DIR/$name.out" # of an earlier start under that name
	arena_ports
	AUTH=http://127.0.0.1:$((PORT + 1))
	# A hang-up ends it, even where this test was started with nohup.
	env --default-signal=HUP PORT="$PORT" DATA="$DIR/$name" BUILD="$DIR/build" "$@" \
		bash "$PA_SRC/quickstart" >"$DIR/$name.out" 2>&1 &
	QUICK_PID=$!
	sample_wait 300 begun "$name" && grep -q '^prompt-arena is ready' "$DIR/$name.out"
}
begun() { ! kill -0 "$QUICK_PID" 2>/dev/null || grep -qs '^prompt-arena is ready' "$DIR/$1.out"; }

# What cannot work is refused at once, before anything is built.
: >"$DIR/file"
refuses() { # NAME WORDS [environment as for env...]
	out=$(env BUILD="$DIR/nothing" DATA="$DIR/refused" "${@:3}" bash "$PA_SRC/quickstart" 2>&1)
	is "$1 is refused" $? 1
	has "$1: and why is said" "$out" "$2"
	[ ! -e "$DIR/nothing" ]
	ok "$1: before anything is built" $?
}
for port in abc 65535 080 99999 '80 80' -5; do
	refuses "PORT=$port" "it must be a number from 1 to 65534" PORT="$port"
done
refuses "a file as DATA" "cannot be made or written" DATA="$DIR/file"
refuses "a folder below a file as DATA" "cannot be made or written" DATA="$DIR/file/x"

begin plain
ok "it starts without a model server" $?
has "and says that there is no AI TA" "$(cat "$DIR/plain.out")" "AI TA:     off"
command=$(sed -n 's/^Commands:  \(.*\)   (also .*/\1/p' "$DIR/plain.out")
(cd "$PA_SRC" && eval "$command") >"$DIR/check.out" 2>&1
ok "the command that it prints works" $?
(cd "$PA_SRC" && eval "${command/ check / reload }") >"$DIR/reload.out" 2>&1
ok "and so does the next one" $?
out=$(env PORT="$PORT" DATA="$DIR/plain" BUILD="$DIR/build" bash "$PA_SRC/quickstart" 2>&1)
is "a second start is refused" $? 75
has "and says what is running" "$out" "already running from $DIR/plain: http://127.0.0.1:$PORT/"
out=$(env PORT="$PORT" DATA="$DIR/other" BUILD="$DIR/build" bash "$PA_SRC/quickstart" 2>&1)
is "one elsewhere at the same port too" $? 1
has "and says which port" "$out" "already listens on 127.0.0.1:$PORT"
as alice GET /ta
has "a student's page says so" "$BODY" "No activity that is open to you"
hasnt "no link leads there" "$BODY" 'href="/ta"'
hasnt "and nothing is said of files" "$BODY" "arena.xml"
as teacher GET /ta
has "whoever runs it is led there" "$BODY" 'href="/ta" aria-current="page"'
has "and told how to have one" "$BODY" "LLM_URL="
xmllint --noout --nonet "$DIR/body"
ok "on a well-formed page" $?
end

# A terminal that is closed takes along what was started in it.
begin plain
ok "it starts again" $?
kill -HUP "$QUICK_PID"
ended() { ! kill -0 "$QUICK_PID" 2>/dev/null; }
sample_wait 120 ended && wait "$QUICK_PID"
is "a closed terminal ends it" $? 0
end
! sample_listens "$PORT"
ok "and the web server" $?
[ ! -e "$DIR/plain/fcgi.sock" ]
ok "and the program" $?

node "$TESTS/http/model.cjs" 0 >"$DIR/model.port" 2>"$DIR/model.log" &
MODEL_PID=$!
sample_wait 120 test -s "$DIR/model.port"
model=$(cat "$DIR/model.port")
begin live LLM_URL="http://127.0.0.1:$model/v1" LLM_MODEL='stub & "model"'
ok "it starts with one" $?
has "and says that it is the AI TA" "$(cat "$DIR/live.out")" "AI TA:     the same"
as alice GET /ta
has "the header leads to the AI TA" "$BODY" 'href="/ta" aria-current="page"'
as alice POST /ta -d activity=everyone --data-urlencode 'text=What is a hash table?'
is "a question is taken" "$STATUS" 303
thread=${LOCATION%%#*}
command=$(sed -n 's/^Commands:  \(.*\)   (also .*/\1/p' "$DIR/live.out")
(cd "$PA_SRC" && eval "$command") >"$DIR/check.out" 2>&1
ok "the command that it prints works" $?
replied() { as alice GET "$thread?wait=1"; [[ $BODY == *"A plain account, number"* ]]; }
sample_wait 120 replied
ok "and answered by that server" $?
get "$DIR/guest" "http://127.0.0.1:$PORT/ta"
has "guests have it as well" "$BODY" 'name="text"'
end
sed -i 's/Prompt Arena/Arena of ours/' "$DIR/live/conf/demo.xml"
begin live LLM_URL="http://127.0.0.1:$model/v1" LLM_MODEL='another'
ok "it starts again, with a changed configuration" $?
has "says whose it is" "$(cat "$DIR/live.out")" "as you changed it"
as alice GET /
has "and uses it" "$BODY" "Arena of ours"
end

begin lost LLM_URL="http://127.0.0.1:9/v1"
[ $? != 0 ]
ok "a model server without a model is refused" $?
has "by name" "$(cat "$DIR/lost.out")" "LLM_MODEL must name its model"
tap_done
