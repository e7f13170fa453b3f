#!/usr/bin/env bash
# endpoint.sh - `prompt-arena endpoint test` as an administrator meets it.
. "$(dirname "$0")/lib.sh"
SRCDIR=$(cd "$here/../.." && pwd)
. "$SRCDIR/tests/tap.sh"
stub
program=$BUILDDIR/prompt-arena
port() { sed "s/.*\"$1\":\([0-9]*\).*/\1/" "$work/ports"; }
export PROMPT_ARENA_DATADIR=$SRCDIR PROMPT_ARENA_STATE=$work/state
unset PROMPT_ARENA_CONF CREDENTIALS_DIRECTORY
mkdir -p "$work/state"
cp -R "$SRCDIR/conf" "$work/conf"
chmod -R u+w "$work/conf"
(umask 077; echo 0123456789abcdef-not-to-be-told >"$work/state/secret"
	printf 'sk-leak-89-topsecret\r\n' >"$work/state/llm.key")
# conf MODEL ATTRIBUTES: an arena whose one endpoint has these attributes.
conf() {
	sed -e "s|<setups>|<endpoints><endpoint id=\"one\" $2/></endpoints><setups>|" \
		-e "s|<setup id=\"sample\" model=\"sample answers\"/>|<setup id=\"s\" model=\"$1\" endpoint=\"one\"/>|" \
		"$SRCDIR/conf/demo.xml" >"$work/conf/arena.xml"
}
try() {
	"$program" endpoint test one --conf "$work/conf" "$@" >"$work/o" 2>"$work/e" </dev/null
	status=$?
	o=$(cat "$work/o" "$work/e")
}
url="url=\"http://127.0.0.1:$plain/k0/v1\" private-network=\"yes\""

conf case-hello "$url"
try
is "a server that works" "$status" 0
has "... the address really called" "$o" "POST http://127.0.0.1:$plain/k0/v1/chat/completions"
has "... without a key" "$o" "none is sent"
has "... its model" "$o" "model      case-hello"
has "... its answer" "$o" "answer     Hello."
has "... and how quick it is" "$o" "first byte after"
has "... in a word" "$o" "works"

conf case-4a "$url key-file=\"llm.key\""
try
is "a refused request" "$status" 78
hasnt "... tells no key" "$o" "sk-leak"
conf case-89a "$url key-file=\"llm.key\""
try
is "a refused key that is echoed" "$status" 78
has "... says so" "$o" "the key is refused"
hasnt "... and tells it not" "$o" "sk-leak"
conf case-33a "$url"
try
has "a model that thinks" "$o" "at least 1000 tokens"
conf case-45a "$url"
try
has "another model answers" "$o" "not what was asked for"
conf case-42a "$url"
try
is "a model that only thinks" "$status" 65
has "... needs tokens" "$o" "raise tokens and tokens-max"
conf case-1c "url=\"http://127.0.0.1:$plain/k0\" private-network=\"yes\""
try
conf case-2b "$url"
try
is "no such path" "$status" 78
has "... hints" "$o" "is /v1 missing"
conf case-hello "url=\"http://127.0.0.1:$(port dead)/v1\" private-network=\"yes\""
try
is "nobody there" "$status" 75
has "... says so" "$o" "nobody answers there"
conf case-hello "url=\"http://127.0.0.1:$plain/v1\""
try
is "loopback without leave" "$status" 78
has "... says how" "$o" 'private-network="yes"'
conf case-hello "url=\"https://localhost:$(port good)/k0/v1\" private-network=\"yes\""
try
is "a certificate of nobody we know" "$status" 78
has "... says how" "$o" "ca-file"
conf case-hello "url=\"https://localhost:$(port good)/k0/v1\" private-network=\"yes\" ca-file=\"$work/ca.crt\""
try
is "a certificate of our own" "$status" 0
has "... is trusted" "$o" "its certificate is trusted"
conf case-8a "$url"
try
is "a redirect" "$status" 78
has "... is not followed" "$o" "elsewhere.example"
conf case-25a "$url"
try
has "a web page" "$o" "does not speak the OpenAI chat protocol"
conf case-hello "$url"
try --model case-26a
is "another model by option" "$status" 78
"$program" endpoint test two --conf "$work/conf" >"$work/o" 2>&1
is "an unknown endpoint" $? 78
has "... lists what there is" "$(cat "$work/o")" "there are: one"
"$program" endpoint >"$work/o" 2>&1
is "no words" $? 64
chmod 644 "$work/state/llm.key"
conf case-4a "$url key-file=\"llm.key\""
try
is "a key that others can read" "$status" 78
has "... names the file" "$o" "chmod 600"
chmod 600 "$work/state/llm.key"
printf 'one\ntwo\n' >"$work/state/llm.key"
try
has "a key of two lines" "$o" "more than one line"
printf '' >"$work/state/llm.key"
try
has "an empty key" "$o" "is empty"
printf 'a\tb' >"$work/state/llm.key"
try
has "a key with a tab" "$o" "control character"
mkdir "$work/cred" && printf 'sk-test-4a-secret\n' >"$work/cred/llm.key" && chmod 440 "$work/cred/llm.key"
CREDENTIALS_DIRECTORY=$work/cred try
is "a credential of systemd" "$status" 0
tap_done
