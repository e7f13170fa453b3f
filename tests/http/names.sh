#!/usr/bin/env bash
# Two versions of a prompt with a long name are told apart in every picture.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"
TITLES=("Antidisestablishmentarianism explained in ordinary words for everybody"
	"راهنمای گام‌به‌گام برای دانشجویان سال اول که هنوز برنامه‌نویسی نمی‌دانند"
	"蘇格拉底式提問引導學生自行推導出結論並於最後檢核的長篇提示詞")

arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
sample_stop
rm -f "$DIR"/arena.db* "$DIR/votes.log"
states_catalog 3
for i in 1 2 3; do
	sed -i "s|<title>Prompt number $i</title>|<title>${TITLES[i - 1]}</title>|
		/id=\"p$i\"/s|</version></prompt>|</version><version>Text $i, made anew.</version></prompt>|" "$DIR/conf/prompts.xml"
done
states_fill "${FILL:-$(dirname "$PA_BIN")/tests/page/fill}" plain 1200 >"$DIR/states.log" 2>&1
sample_start || { echo "not ok - the arena starts again"; exit 1; }

for name in intervals wins types; do
	for w in "" "?w=narrow"; do
		get "$DIR/jar" "$BASE/plot/$name.svg$w"
		labels=$(grep -oE '<text[^>]*>[^<]* v[12]</text>' <<<"$BODY" | sed 's/<[^>]*>//g')
		is "$name.svg$w: six versions, six labels" "$(sort -u <<<"$labels" | grep -c .)" 6
		[ "$name$w" != intervals ] || has "what does not fit is cut before the version" "$labels" "… v2"
	done
done
tap_done
