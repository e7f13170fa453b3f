#!/usr/bin/env bash
# Every page in every language: well-formed, called so, nothing left in English.
. "$(dirname "$0")/../arena.sh"
# Every finished page is read again by the program; a broken one is an error.
export PROMPT_ARENA_CHECK_PAGES=1
arena_new && arena_votes 400 3 || { echo "not ok 1 - the arena starts with votes"; exit 1; }
TEMPLATES=$(sample_data)/templates
if [ ! -d "$TEMPLATES/fa" ]; then
	echo "1..0 # SKIP built without translations"
	exit 0
fi
LANGS=$(cd "$TEMPLATES" && for d in */; do echo "${d%/}"; done | xargs)
BASE=$BASE AUTH=$AUTH CONF_DIR=$DIR/conf TEMPLATES=$TEMPLATES LANGS=$LANGS \
	node "$TESTS/http/languages.cjs"
status=$?
[ "$status" = 0 ] || tap_failed=1
exit "$status"
