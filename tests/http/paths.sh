#!/usr/bin/env bash
# The sample arena where people put things: a folder with a space and worse.
top=$(mktemp -d)
export TMPDIR="$top/Prompts & more | 1"
mkdir -p "$TMPDIR"
. "$(dirname "$0")/../arena.sh"

# What cannot work is refused in one sentence before anything is done.
for name in 'a $b' "it's" 'say "hi"' 'C#' 'this & that' 'back\slash'; do
	mkdir "$top/$name"
	cp "$PA_SRC/quickstart" "$top/$name/"
	out=$("$top/$name/quickstart" 2>&1)
	is "quickstart in \"$name\" refuses" $? 1
	has "and says why" "$out" "this folder's name has a character"
	is "nothing was done" "$(ls -A "$top/$name")" quickstart
	rm -r "${top:?}/$name"
done
out=$(DATA='/tmp/a $b' "$PA_SRC/quickstart" 2>&1)
has "and so is a state folder that nginx cannot take" "$out" "DATA names a folder"
arena_new || { echo "not ok 1 - the arena starts in \"$DIR\""; exit 1; }
trap 'arena_end; rmdir "$TMPDIR" "$top" 2>/dev/null' EXIT
jar="$DIR/jar"
new_match "$jar"
is "a guest gets a match" "$STATUS" 200
vote "$jar" a
is "and votes" "$STATUS" 303
get "$DIR/jar2" "$AUTH/votes" -u alice:alice
is "alice signs in" "$STATUS" 200
has "and is known" "$BODY" "alice"
get "$DIR/jar2" "$BASE/static/arena.css"
is "the stylesheet is there" "$STATUS" 200
head -c 1000000 /dev/zero >"$DIR/big"
post "$jar" "$BASE/arena" --data-binary "@$DIR/big"
is "nginx finds its own error page" "$STATUS" 413
has "which is a page" "$BODY" "<h1"
sample_stop
sample_program verify >"$DIR/verify" 2>&1
ok "the state verifies" $?
tap_done
