#!/usr/bin/env bash
# The pages of notices, forum and AI TA, with something in them: valid,
# accessible, fitting, quiet.
. "$(dirname "$0")/../arena.sh"
. "$TESTS/vnu.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
sample_stop
sed -i 's|<setups>|<endpoints><endpoint id="away" url="http://127.0.0.1:9/v1" private-network="yes"/></endpoints>\n  <setups>\n    <setup id="course" model="some-model" endpoint="away"/>|' "$CONF"
sed -i 's|</title>|</title><tutor setup="course">You are a patient tutor.</tutor>|' "$DIR/conf/activities.xml"
sample_start || { echo "not ok 1 - the arena starts with an AI TA"; exit 1; }
STATE=social BASE=$BASE AUTH=$AUTH node "$TESTS/browser/social.cjs" || status=1

# A reply as a finished job leaves it, written while nothing runs.
sample_stop
sqlite3 "$DIR/arena.db" "UPDATE tutor_message SET state = 'ok', reply = 'They double.', html = '<p dir=\"auto\">They <strong>double</strong>.</p>', replied_at = asked_at, dropped = 2, truncated = 1, version = (SELECT id FROM version LIMIT 1), elo = 1568, order_free = 1561, lower = 1520, upper = 1610"
sample_start
STATE=reply BASE=$BASE AUTH=$AUTH node "$TESTS/browser/social.cjs" || status=1
arena_end
vnu_finish
