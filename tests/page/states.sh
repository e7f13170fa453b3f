# states.sh - arenas in the states that boards have to bear.
# Source it after arena.sh.  states_make NAME: stop the arena that arena_new
# made, give it that catalog and those votes, start it again.
#	empty    the sample catalog, no vote
#	one      one prompt
#	ties     five prompts, nothing but ties
#	islands  six prompts in two groups that never met
#	lopsided five prompts, one voter more who prefers a side
#	many     500 prompts
#	sample   the sample catalog, 2000 simulated votes
# shellcheck shell=bash

# states_catalog PROMPTS: prompts, questions and answers by number.  The first
# hundred have a tag of their own.
states_catalog() {
	local n=$1 i q types=(knowledge coding writing reasoning creative)
	local tags=(concise detailed academic) ns='xmlns="urn:prompt-arena:catalog:1"'
	local conf=$DIR/conf
	{
		echo "<prompts $ns>"
		for ((i = 1; i <= n; i++)); do
			printf '<prompt id="p%d" author="author%d"><title>Prompt number %d</title><description>Made to test boards.</description><tag>%s</tag>%s<version>Answer in %d words or fewer.</version></prompt>\n' \
				"$i" $((i % 7)) "$i" "${tags[i % 3]}" \
				"$([ "$i" -gt 100 ] || echo '<tag>coding_expert</tag>')" $((20 + i))
		done
		echo '</prompts>'
	} >"$conf/prompts.xml"
	{
		echo "<questions $ns>"
		for ((q = 1; q <= 10; q++)); do
			printf '<question id="q%d" type="%s" lang="en"><text>Question number %d?</text></question>\n' \
				"$q" "${types[q % 5]}" "$q"
		done
		echo '</questions>'
	} >"$conf/questions.xml"
	{
		echo "<answers $ns>"
		for ((i = 1; i <= n; i++)); do
			for ((q = 1; q <= 3; q++)); do
				printf '<answer prompt="p%d" version="1" question="q%d" setup="sample" sample="1">' "$i" "$q"
				printf 'word %.0s' $(seq 1 $((5 + i * 7 % 40)))
				printf 'by %d.</answer>\n' "$i"
			done
		done
		echo '</answers>'
	} >"$conf/answers.xml"
}

states_make() {
	local fill=${FILL:-$(dirname "$PA_BIN")/tests/page/fill}
	sample_stop
	rm -f "$DIR"/arena.db* "$DIR/votes.log"
	case $1 in
	empty) ;;
	sample) sample_program simulate --votes 2000 --seed 7 ;;
	one) states_catalog 1 ;;
	ties) states_catalog 5 && states_fill "$fill" ties 300 ;;
	islands) states_catalog 6 && states_fill "$fill" islands 600 ;;
	lopsided) states_catalog 5 && states_fill "$fill" lopsided 600 ;;
	many) states_catalog 500 && states_fill "$fill" plain 12000 ;;
	*) return 1 ;;
	esac >>"$DIR/states.log" 2>&1 || { cat "$DIR/states.log"; return 1; }
	sample_start
}

states_fill() { # PROGRAM KIND VOTES
	PROMPT_ARENA_STATE=$DIR PROMPT_ARENA_DATADIR=$PA_SRC "$1" "$CONF" "$2" "$3"
}
