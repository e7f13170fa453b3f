#!/usr/bin/env bash
# The paragraph to cite says what the votes are on, not what is in play today.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"

cited() {
	get "$DIR/jar" "$BASE/methodology"
	sed -n '/id="citation"/,/<\/blockquote>/p' <<<"$BODY" | tr '\n' ' ' | sed 's/<[^>]*>//g'
}
different() { grep '"k":"vote"' "$DIR/votes.log" | grep -oE "\"($1)\":\"[^\"]*\"" | cut -d: -f2 | sort -u | wc -l; }

arena_new && states_make empty || { echo "not ok 1 - the arena starts"; exit 1; }
hasnt "without votes nothing is said of them" "$(cited)" "votes on"
new_match "$DIR/jar" "$BASE" coding && vote "$DIR/jar" a
words=$(cited)
grep -qE "1 person cast 1 vote on (1 prompt|2 prompts) and 1 question; votes in the ranking: [01]\." <<<"$words"
ok "one vote is one, of one person, on one question" $?
arena_end

# Six questions have votes, of two types; the catalog has more.
arena_new || { echo "not ok - the arena starts"; exit 1; }
for n in 1 2 3; do
	new_match "$DIR/jar" "$BASE" coding && vote "$DIR/jar" a
	new_match "$DIR/jar" "$BASE" writing && vote "$DIR/jar" tie
done
words=$(cited)
has "votes are counted" "$words" "1 person cast 6 votes on"
has "the questions are those that have votes" "$words" "prompts and $(different q) questions"
ok "which are fewer than there are" "$([ "$(different q)" -le 6 ]; echo $?)"
has "so are their types, and the model is named" "$words" \
	"Types of question: Coding, Writing. Model that answered: sample answers. Ratings are Elo"
xmllint --noout --nonet "$DIR/body"
ok "the page is well-formed" $?
arena_end

# A prompt that was withdrawn has had its votes all the same.
arena_new && states_make ties || { echo "not ok - the arena starts"; exit 1; }
has "five prompts" "$(cited)" "votes on 5 prompts and $(different q) questions"
states_catalog 4
sed -i 's|model="sample answers"|model="other answers"|' "$CONF"
sample_stop
sample_start || { echo "not ok - the arena starts again"; exit 1; }
words=$(cited)
has "one is withdrawn: still five" "$words" "votes on 5 prompts and"
has "another model is to answer: the votes are on the first" "$words" "Model that answered: sample answers."
get "$DIR/jar" "$BASE/"
has "while four are in play" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "Prompts4"
tap_done
