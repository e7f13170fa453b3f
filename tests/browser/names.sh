#!/usr/bin/env bash
# Long names leave room for the numbers beside them on a phone.
. "$(dirname "$0")/../arena.sh"
# shellcheck source=tests/page/states.sh
. "$TESTS/page/states.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
sample_stop
rm -f "$DIR"/arena.db* "$DIR/votes.log"
states_catalog 3
i=0
for title in Antidisestablishmentarianism-Donaudampfschifffahrtsgesellschaftskapitaen \
	"راهنمای گام‌به‌گام برای دانشجویان سال اول که هنوز برنامه‌نویسی نمی‌دانند" \
	"蘇格拉底式提問引導學生自行推導出結論並於最後檢核的長篇提示詞"; do
	i=$((i + 1))
	sed -i "s|<title>Prompt number $i</title>|<title>$title</title>|" "$DIR/conf/prompts.xml"
done
states_fill "${FILL:-$(dirname "$PA_BIN")/tests/page/fill}" plain 600 >"$DIR/states.log" 2>&1
sample_start || { echo "not ok - the arena starts again"; exit 1; }
export BASE AUTH
node "$TESTS/browser/names.cjs" || status=1
arena_end
exit "${status:-0}"
