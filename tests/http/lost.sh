#!/usr/bin/env bash
# Who asks for something that is not there is told what, and where to go.
. "$(dirname "$0")/../arena.sh"
SIGN_IN='s|</site>|<sign-in>/login</sign-in>&|'
arena_new "$SIGN_IN" || { echo "not ok 1 - the arena starts"; exit 1; }

lost() { # JAR PATH STATUS: what a page says
	get "$1" "$BASE$2"
	is "$2: status" "$STATUS" "$3"
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$2: well-formed" $?
	TOLD=$(sed -n '/<main/,/<\/main/p' <<<"$BODY" | tr '\n' ' ' | sed -e 's/<[^>]*>//g' -e 's/  */ /g')
}
jar=$DIR/jar
lost "$jar" /prompt/socratc 404
has "a prompt that is not there is named" "$TOLD" "No prompt here is called “socratc”."
has "with the nearest one" "$BODY" '<a href="/prompt/socratic">'
has "that is asked for" "$TOLD" "Did you mean Socratic guide?"
lost "$jar" /prompt/nope 404
has "so is one that is like no other" "$TOLD" "No prompt here is called “nope”."
hasnt "without a guess" "$TOLD" "Did you mean"
is "and with a list of those there are" \
	"$(grep -o 'href="/prompt/[^"]*"' <<<"$BODY" | sort -u | wc -l)" \
	"$(grep -c '<prompt id=' "$DIR/conf/prompts.xml")"
lost "$jar" "/prompt/$(head -c 400 /dev/zero | tr '\0' a)" 404
hasnt "a long one is not repeated" "$TOLD" aaaaaaaaaaaa

lost "$jar" "/compare?a=socratc&b=storyteller" 404
has "two compared, one unknown: it is named" "$TOLD" "No prompt here is called “socratc”."
has "the nearest is a link that keeps the other" "$BODY" 'href="/compare?a=socratic:2&amp;b=storyteller:1"'
has "and the form is there" "$BODY" '<select name="a"'
has "with the one that is known" "$BODY" '<option value="storyteller:1" selected="selected">'
lost "$jar" "/compare?a=storyteller&b=socratic:99" 404
has "an unknown version is named" "$TOLD" "No prompt here is called “socratic:99”."
has "and the prompt is offered" "$BODY" 'href="/compare?a=storyteller:1&amp;b=socratic:2"'
lost "$jar" "/compare?a=nope&b=nope" 404
hasnt "both like no other: no guess" "$TOLD" "Did you mean"
get "$jar" "$BASE/compare.json?a=nope&b=storyteller"
is "the file of an unknown prompt is not there" "$STATUS" 404

# A topic can be started from anywhere while there is one forum.
get "$jar" "$BASE/forum/new"
is "a guest may start a topic without naming the activity" "$STATUS" 200
has "in the one there is" "$BODY" 'name="activity" value="everyone"'
lost "$jar" /forum/aaaaaaaaaaaaaaaaaaaaaaaaaa 404
has "who is not signed in is offered to" "$BODY" '>Sign in</a>'
get "$DIR/alice" "$AUTH/forum/aaaaaaaaaaaaaaaaaaaaaaaaaa" -u alice:alice
is "who is: status" "$STATUS" 404
hasnt "is not" "$(sed -n '/<main/,/<\/main/p' <<<"$BODY")" 'Sign in'
arena_end

# Nobody without a name, with a way to sign in and without.
arena_new "$SIGN_IN" 's|guests="yes"|guests="no"|' || exit 1
lost "$DIR/jar" /forum/new 403
has "where guests are not let in, they are told to sign in" "$TOLD" "Please sign in first"
has "with a link" "$BODY" '<a class="primary" href="/login">Sign in</a>'
arena_end
arena_new 's|guests="yes"|guests="no"|' || exit 1
lost "$DIR/jar" /forum/new 403
has "where no address is known, they are told whom to ask" "$TOLD" "can tell you how to sign in"
hasnt "and no link leads nowhere" "$TOLD" "Sign in "
tap_done
