#!/usr/bin/env bash
# A running arena reads its files anew; a wrong file leaves the old in force.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
jar=$DIR/jar

reload() { sample_program reload >"$DIR/reload.out" 2>&1; }
get "$jar" "$BASE/"
has "the name of the first reading" "$BODY" "<title>Prompt Arena</title>"

sed -i 's|<name>Prompt Arena</name>|<name>Answers Apart</name>|' "$CONF"
reload
ok "reload says that it worked" $?
get "$jar" "$BASE/votes"
has "the new name is on the pages" "$BODY" "Answers Apart"

# Templates of one's own, then a mistake in one of them.
cp -r "$PA_SRC/templates" "$DIR/conf/own"
sed -i 's|Two answers\. Which one helps more?|Our own words|' "$DIR/conf/own/home.xhtml"
sed -i "s|<identity |<templates folder=\"own\"/>\n  <identity |" "$CONF"
reload
ok "templates of one's own are taken" $?
get "$jar" "$BASE/?anew"
has "and shown" "$BODY" "Our own words"
line=$(grep -n 't:text="votes"' "$DIR/conf/own/home.xhtml" | cut -d: -f1)
sed -i 's|t:text="votes"|t:text="vots"|' "$DIR/conf/own/home.xhtml"
: >"$DIR/serve.log"
! reload
ok "a wrong name in a template is refused" $?
has "by file and line" "$(cat "$DIR/serve.log" "$DIR/reload.out")" "home.xhtml:$line"
has "with the nearest name there is" "$(cat "$DIR/serve.log" "$DIR/reload.out")" "votes"
get "$jar" "$BASE/?again"
is "the site goes on" "$STATUS" 200
has "with the old templates" "$BODY" "Our own words"
sed -i 's|t:text="vots"|t:text="votes"|' "$DIR/conf/own/home.xhtml"

# The catalog as well: a new text is a new version.
printf '\nEnd with one short question.\n' >>"$DIR/conf/prompts/plain-words-1.txt"
reload
ok "a changed prompt is taken" $?
get "$jar" "$BASE/prompt/plain-words"
has "it is a new version" "$BODY" 'id="v2"'
has "with the new text" "$BODY" "End with one short question."
has "and the old one stays" "$BODY" 'id="v1"'
echo '<broken' >>"$CONF"
! reload
ok "a broken configuration is refused" $?
get "$jar" "$BASE/votes"
has "and the old one stays in force" "$BODY" "Answers Apart"

sed -i '$d' "$CONF"

# The campus's clock follows, what needs a restart is told.
new_match "$jar"
vote "$jar" tie
campus_time() { # ZONE: of the vote on /votes, as written and as it must be
	local at
	get "$jar" "$BASE/votes"
	at=$(sed -n 's/.*datetime="\([^"]*\)".*/\1/p' "$DIR/body" | head -n 1)
	is "a vote's time is that of $1" "$(grep -o '[0-9-]* [0-9:]*</time>' "$DIR/body" | head -n 1)" \
		"$(TZ=$1 date -d "$at" '+%F %R')</time>"
}
campus_time UTC
sed -i 's|<timezone>UTC|<timezone>Asia/Taipei|' "$CONF"
: >"$DIR/serve.log"
reload
ok "another time zone is taken" $?
campus_time Asia/Taipei
hasnt "nothing else is said to have changed" "$(cat "$DIR/serve.log")" "has changed:"
sed -i 's|<timezone>Asia/Taipei|<timezone>America/Lima|' "$CONF"
sed -i '0,/<tag>concise</s//<tag>consise</' "$DIR/conf/prompts.xml"
! reload
ok "another one beside a broken catalog is refused" $?
campus_time Asia/Taipei
sed -i '0,/<tag>consise</s//<tag>concise</' "$DIR/conf/prompts.xml"
sed -i 's|workers="8"|workers="7"|' "$CONF"
reload
ok "another number of workers is read" $?
has "and told to need a restart" "$(cat "$DIR/serve.log")" "<listen> has changed:"

# The same under load: no request fails while everything is exchanged.
( for i in $(seq 1 150); do
	curl -s -o /dev/null -w '%{http_code}\n' -b x=1 "$BASE/leaderboard"
done | sort | uniq -c >"$DIR/during" ) &
for i in 1 2 3 4 5; do reload || diag "reload $i failed: $(cat "$DIR/reload.out")"; done
wait $!
is "150 pages during five reloads" "$(sed 's/^ *//' "$DIR/during")" "150 200"
tap_done
